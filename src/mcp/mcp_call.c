// SPDX-License-Identifier: MIT
// tools/call: from the message to the tool, and from its answer to a result.
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "mcp/mcp_priv.h"
#include "obs/log.h"

enum {
    ANSWER_MAX = 64 * 1024 * 1024,
    SEEN_MAX = 64 * 1024,
    CLIENT_MAX = 60, // bytes of its name, and of its version
    PROGRESS_EVERY_NS = 100 * 1000 * 1000,
};

static void on_progress(void *ctx, const ken_tool_progress *p)
{
    ken_mcp__request *r = ctx;
    int64_t now = ken_clock_mono_ns();
    if (now - r->last_progress_ns < PROGRESS_EVERY_NS)
        return;
    r->last_progress_ns = now;
    ken_mcp__tell_progress(r, p->done, p->total, p->message);
}

// ---- who asks ----------------------------------------------------------------------------------

char *ken_mcp__client_of(const json_t *info)
{
    ken_str name = ken_utf8_clip(ken_json_text(json_object_get(info, "name")), CLIENT_MAX);
    ken_str version = ken_utf8_clip(ken_json_text(json_object_get(info, "version")), CLIENT_MAX);
    ken_buf out = KEN_BUF_INIT(4 * CLIENT_MAX);
    if (!name.len)
        return NULL;
    ken_buf_put_str(&out, name);
    ken_buf_puts(&out, version.len ? "/" : "");
    ken_buf_put_str(&out, version);
    return ken_buf_steal(&out);
}

// The stateless era says it with each request, the other one once.
static void find_client(ken_mcp__request *r)
{
    const json_t *meta = ken_json_get_object(r->msg.params, "_meta");
    ken_mcp_session *s = r->session;
    r->client = ken_mcp__client_of(json_object_get(meta, KEN_MCP__META_PREFIX "clientInfo"));
    if (r->client)
        return;
    pthread_mutex_lock(&s->lock);
    r->client = s->client ? ken_strdup(s->client) : NULL;
    pthread_mutex_unlock(&s->lock);
}

// What the message carries wins over the headers of its transport, which may be those of a proxy.
static void find_trace(ken_mcp__request *r)
{
    const json_t *meta = ken_json_get_object(r->msg.params, "_meta");
    ken_str parent = ken_json_text(json_object_get(meta, "traceparent"));
    ken_otel_context c;
    if (!parent.len ||
        !ken_otel_context_parse(parent, ken_json_text(json_object_get(meta, "tracestate")), &c))
        return;
    if (!r->trace)
        r->trace = ken_alloc(sizeof *r->trace);
    *r->trace = c;
}

ken_tool_ctx ken_mcp__tool_ctx(ken_mcp__request *r)
{
    const ken_mcp_server *s = r->server;
    ken_str project = r->session->opts.project.len ? r->session->opts.project : s->opts.project;
    if (!r->client)
        find_client(r);
    find_trace(r);
    return (ken_tool_ctx){
        .request_id = ken_str_c(r->request_id ? r->request_id : r->msg.id),
        .client = ken_str_c(r->client),
        .trace = r->trace,
        .cancel = &r->cancel,
        .on_progress = on_progress,
        .progress_ctx = r,
        .cwd = s->opts.cwd,
        .project = project,
        .is_read_only = s->is_read_only,
        .tools = s->opts.tools,
    };
}

// ---- tools/call --------------------------------------------------------------------------------

static void put_tool_result(const ken_mcp__request *r, const json_t *result, ken_buf *out)
{
    ken_buf text = KEN_BUF_INIT(ANSWER_MAX);
    ken_mcp__begin_result(r, out);
    ken_buf_puts(out, "\"content\":[{\"type\":\"text\",\"text\":");
    if (json_is_string(result)) {
        ken_json_put_quoted(out, ken_json_text(result));
        ken_buf_puts(out, "}]");
    } else {
        ken_json_dump(result, &text);
        ken_json_put_quoted(out, ken_buf_str(&text));
        ken_buf_puts(out, "}],\"structuredContent\":");
        ken_buf_put_str(out, ken_buf_str(&text));
    }
    ken_buf_puts(out, ",\"isError\":false");
    ken_mcp__end_result(out);
    ken_buf_release(&text);
}

static void put_tool_failure(const ken_mcp__request *r, const ken_err *err, ken_buf *out)
{
    ken_buf text = KEN_BUF_INIT(4096);
    ken_tool_error_text(err, &text);
    ken_mcp__begin_result(r, out);
    ken_buf_puts(out, "\"content\":[{\"type\":\"text\",\"text\":");
    ken_json_put_quoted(out, ken_buf_str(&text));
    ken_buf_puts(out, "}],\"structuredContent\":{\"error\":{\"code\":");
    ken_json_put_quoted(out, ken_str_c(ken_status_name(err->status)));
    ken_buf_puts(out, ",\"message\":");
    ken_json_put_quoted(out, ken_str_c(err->msg[0] ? err->msg : ken_status_text(err->status)));
    ken_buf_puts(out, "}},\"isError\":true");
    ken_mcp__end_result(out);
    ken_buf_release(&text);
}

static bool refuses_call(ken_mcp__request *r, ken_buf *out)
{
    const json_t *name = json_object_get(r->msg.params, "name");
    const json_t *args = json_object_get(r->msg.params, "arguments");
    const ken_toolset *tools = r->server->tools;
    char text[240];
    if (!json_is_string(name)) {
        snprintf(text, sizeof text, "params.name must be a string");
    } else if (args && !json_is_null(args) && !json_is_object(args)) {
        snprintf(text, sizeof text, "params.arguments must be an object");
    } else if (!ken_toolset_has(tools, ken_json_text(name))) {
        const char *near = ken_toolset_nearest(tools, ken_json_text(name));
        snprintf(text, sizeof text, "unknown tool '%.80s'%s%s%s", json_string_value(name),
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    } else if (!ken_mcp_roster_is_on(r->server->opts.roster, ken_json_text(name))) {
        snprintf(text, sizeof text, "the tool '%.80s' is switched off on this server",
                 json_string_value(name));
    } else {
        return false;
    }
    ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS, text, (ken_str){ NULL, 0 }, out);
    return true;
}

// What became of a call, for the log and for a client that wants to be told.
static void tell_end(ken_mcp__request *r, const char *name, ken_status st, const ken_err *err,
                     int64_t ns)
{
    char text[600];
    snprintf(text, sizeof text, "%s: %s in %.1f ms", name, st ? err->msg : "ok", (double)ns / 1e6);
    KEN_LOG_DETAIL("mcp", "%s", text);
    ken_mcp__tell_log(r, st ? KEN_MCP__LEVEL_WARNING : KEN_MCP__LEVEL_INFO,
                      ken_utf8_clip(ken_str_c(text), sizeof text));
}

// What the session was sent before; owned. The stateless era infers nothing from earlier requests: there the client gives
// the handle of an answer back.
static char *seen_before(ken_mcp__request *r)
{
    pthread_mutex_lock(&r->session->lock);
    char *seen = ken_strdup(r->session->seen ? r->session->seen : "");
    pthread_mutex_unlock(&r->session->lock);
    return seen;
}

void ken_mcp__keep_seen(ken_mcp__request *r)
{
    if (!r->seen)
        return;
    pthread_mutex_lock(&r->session->lock);
    char *old = r->session->seen;
    r->session->seen = r->seen;
    r->seen = NULL;
    pthread_mutex_unlock(&r->session->lock);
    ken_free(old);
}

void ken_mcp__tools_call(ken_mcp__request *r, ken_buf *out)
{
    if (refuses_call(r, out))
        return;
    const ken_mcp_server *s = r->server;
    const json_t *args = json_object_get(r->msg.params, "arguments");
    const char *name = json_string_value(json_object_get(r->msg.params, "name"));
    ken_tool_ctx ctx = ken_mcp__tool_ctx(r);
    ctx.tools = s->tools;
    ctx.is_text = !s->is_json;
    if (!ctx.project.len && !ctx.cwd.len && !json_object_get(args, "project"))
        ctx.cwd = ken_mcp__client_root(r);
    ken_err err = { 0 };
    json_t *result = NULL;
    char *before = r->is_modern ? NULL : seen_before(r);
    ken_buf seen = KEN_BUF_INIT(SEEN_MAX);
    ctx.seen = ken_str_c(before);
    ctx.out_seen = before ? &seen : NULL;
    ken_mcp__ended_call ended = { .tool = name, .err = &err };
    ctx.out_about = s->opts.roster ? &ended.about : NULL;
    int64_t start = ken_clock_mono_ns();
    ken_status st =
        ken_tool_call(s->app, name, json_is_object(args) ? args : NULL, &ctx, &result, &err);
    ended.st = st;
    ended.ns = ken_clock_mono_ns() - start;
    tell_end(r, name, st, &err, ended.ns);
    if (st == KEN_EINTERNAL)
        ken_mcp__answer_error(r, KEN_MCP__INTERNAL, err.msg, (ken_str){ NULL, 0 }, out);
    else if (st)
        put_tool_failure(r, &err, out);
    else
        put_tool_result(r, result, out);
    ended.n_bytes = json_is_string(result) ? json_string_length(result) : out->len;
    ken_mcp__roster_note_call(r, &ended);
    json_decref(result);
    ken_free(before);
    if (seen.len)
        r->seen = ken_buf_steal(&seen);
}
