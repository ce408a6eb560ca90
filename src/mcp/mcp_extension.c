// SPDX-License-Identifier: MIT
// Requests that something else answers, in the frame of this server's answers.
#include "mcp/mcp_priv.h"

enum {
    RESULT_MAX = 16 * 1024 * 1024,
    ASK_WITHIN_MS = 60 * 1000,
};

static ken_mcp_call call_of(const ken_mcp__request *r)
{
    const json_t *meta = ken_json_get_object(r->msg.params, "_meta");
    return (ken_mcp_call){
        .method = r->msg.method,
        .params = r->msg.params,
        .client_capabilities =
            r->is_modern ? json_object_get(meta, KEN_MCP__META_PREFIX "clientCapabilities")
                         : r->session->client_capabilities,
        .is_modern = r->is_modern,
        .cancel = &r->cancel,
    };
}

bool ken_mcp__extension_takes(const ken_mcp__request *r)
{
    const ken_mcp_extension *x = r->server->opts.extension;
    if (!x)
        return false;
    const ken_mcp_call c = call_of(r);
    return x->takes(&c);
}

void ken_mcp__extension_run(ken_mcp__request *r, ken_buf *out)
{
    ken_mcp_call c = call_of(r);
    ken_buf members = KEN_BUF_INIT(RESULT_MAX);
    ken_err err = { 0 };
    c.own = r;
    int code = r->server->opts.extension->run(&c, &members, &err);
    if (code) {
        ken_mcp__answer_error(r, code, err.msg, ken_buf_str(&members), out);
    } else {
        r->result_type = c.result_type;
        ken_mcp__begin_result(r, out);
        ken_buf_put_str(out, ken_buf_str(&members));
        ken_mcp__end_result(out);
    }
    ken_buf_release(&members);
}

void ken_mcp__put_extension(const ken_mcp_server *s, ken_mcp_list list, bool is_first, ken_buf *out)
{
    const char *members = s->opts.extension ? s->opts.extension->lists[list] : NULL;
    if (members)
        ken_buf_printf(out, "%s%s", is_first ? "" : ",", members);
}

void ken_mcp_call_progress(ken_mcp_call *c, double done, double total, const char *message)
{
    ken_mcp__tell_progress(c->own, done, total, message);
}

bool ken_mcp_call_log(ken_mcp_call *c, ken_str level, ken_str text)
{
    ken_mcp__level parsed;
    if (!ken_mcp__level_parse(level, &parsed))
        return false;
    ken_mcp__tell_log(c->own, parsed, text);
    return true;
}

ken_status ken_mcp_call_ask(ken_mcp_call *c, const char *capability, const char *method,
                            ken_str params, json_t **out, ken_err *err)
{
    return ken_mcp__ask(c->own, capability, method, params, ASK_WITHIN_MS, out, err);
}
