// SPDX-License-Identifier: MIT
// A session: what comes in, which era it is of, and what goes out.
#include <stdio.h>
#include <time.h>

#include "base/alloc.h"
#include "mcp/mcp_priv.h"
#include "obs/log.h"
#include "obs/trace.h"

enum {
    ANSWER_MAX = 64 * 1024 * 1024
};

// ---- sending -----------------------------------------------------------------------------------

static void send_text(ken_mcp_session *s, const ken_mcp_sent *sent)
{
    KEN_TRACE("mcp", 2, "send " KEN_STR_FMT, KEN_STR_ARG(ken_str_sub(sent->text, 0, 400)));
    pthread_mutex_lock(&s->send_lock);
    s->opts.send(s->opts.send_ctx, sent);
    pthread_mutex_unlock(&s->send_lock);
}

static bool is_whole(const ken_buf *message)
{
    if (message->is_over || !message->len)
        KEN_LOG_ERR("mcp", "a message was too large to send");
    return !message->is_over && message->len;
}

void ken_mcp__send(ken_mcp_session *s, const ken_buf *message)
{
    if (is_whole(message))
        send_text(s, &(ken_mcp_sent){ .text = ken_buf_str(message) });
}

void ken_mcp__tell(const ken_mcp__request *r, const ken_buf *message)
{
    if (is_whole(message))
        send_text(r->session, &(ken_mcp_sent){ .text = ken_buf_str(message), .tag = r->tag });
}

void ken_mcp__answer(const ken_mcp__request *r, const ken_buf *message)
{
    if (!is_whole(message)) {
        ken_mcp__answer_nothing(r->session, r->tag);
        return;
    }
    send_text(r->session,
              &(ken_mcp_sent){
                  .text = ken_buf_str(message), .tag = r->tag, .is_last = true, .code = r->code });
}

void ken_mcp__answer_nothing(ken_mcp_session *s, void *tag)
{
    if (tag)
        send_text(s, &(ken_mcp_sent){ .text = { "", 0 }, .tag = tag, .is_last = true });
}

void ken_mcp__refuse(ken_mcp__request *r, int code, const char *message)
{
    ken_buf out = KEN_BUF_INIT(64 * 1024);
    ken_mcp__answer_error(r, code, message, (ken_str){ NULL, 0 }, &out);
    ken_mcp__answer(r, &out);
    ken_buf_release(&out);
}

// ---- receiving ---------------------------------------------------------------------------------

bool ken_mcp__message_is_modern(const ken_mcp__message *m)
{
    return json_object_get(ken_json_get_object(m->params, "_meta"),
                           KEN_MCP__META_PREFIX "protocolVersion") ||
           ken_str_eq_c(m->method, "server/discover");
}

// What the modern era demands of every request; true when it was answered with an error.
static bool refuses_meta(ken_mcp__request *r, ken_buf *out)
{
    const json_t *meta = ken_json_get_object(r->msg.params, "_meta");
    const json_t *version = json_object_get(meta, KEN_MCP__META_PREFIX "protocolVersion");
    const json_t *caps = json_object_get(meta, KEN_MCP__META_PREFIX "clientCapabilities");
    const ken_str none = { NULL, 0 };
    if (!json_is_string(version)) {
        ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS,
                              "params._meta must hold the string '" KEN_MCP__META_PREFIX
                              "protocolVersion'",
                              none, out);
    } else if (!json_is_object(caps)) {
        ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS,
                              "params._meta must hold the object '" KEN_MCP__META_PREFIX
                              "clientCapabilities'",
                              none, out);
    } else if (!ken_str_eq_c(ken_json_text(version), KEN_MCP__MODERN_VERSION)) {
        ken_buf data = KEN_BUF_INIT(8192);
        ken_buf_puts(&data, "{\"supported\":[\"" KEN_MCP__MODERN_VERSION "\"],\"requested\":");
        ken_json_put_quoted(&data, ken_str_sub(ken_json_text(version), 0, 100));
        ken_buf_putc(&data, '}');
        ken_mcp__answer_error(r, KEN_MCP__UNSUPPORTED_VERSION, "unsupported protocol version",
                              ken_buf_str(&data), out);
        ken_buf_release(&data);
    } else {
        return false;
    }
    return true;
}

static void refuse_method(ken_mcp__request *r)
{
    char text[160];
    snprintf(text, sizeof text, "method '%.80s' is not supported%s",
             json_string_value(json_object_get(r->msg.json, "method")),
             r->is_modern ? " in " KEN_MCP__MODERN_VERSION : "");
    ken_mcp__refuse(r, KEN_MCP__METHOD_NOT_FOUND, text);
}

// Takes `r`.
static void handle_request(ken_mcp_session *s, ken_mcp__request *r, ken_str received)
{
    ken_buf out = KEN_BUF_INIT(ANSWER_MAX);
    r->is_modern = s->opts.is_shared || ken_mcp__message_is_modern(&r->msg);
    const ken_mcp__method *m = ken_mcp__find_method(r->msg.method, r->is_modern);
    if (r->is_modern && refuses_meta(r, &out)) {
        ken_mcp__answer(r, &out);
    } else if (ken_mcp__extension_takes(r)) {
        r->run = ken_mcp__extension_run;
        ken_mcp__accept(s, r, received);
        r = NULL;
    } else if (!m) {
        refuse_method(r);
    } else if (m->where != KEN_MCP__HERE) {
        r->run = m->run;
        r->is_held = m->where == KEN_MCP__HELD;
        ken_mcp__accept(s, r, received);
        r = NULL;
    } else {
        m->run(r, &out);
        ken_mcp__answer(r, &out);
    }
    if (r)
        ken_mcp__request_free(r);
    ken_buf_release(&out);
}

ken_mcp__request *ken_mcp__request_new(ken_mcp_session *s, void *tag)
{
    ken_mcp__request *r = ken_zalloc(sizeof *r);
    r->session = s;
    r->server = s->server;
    r->tag = tag;
    r->last_progress = -1; // it grows with each
    return r;
}

void ken_mcp__take(ken_mcp_session *s, ken_mcp__request *r, ken_str text)
{
    void *tag = r->tag;
    switch (r->msg.kind) {
    case KEN_MCP__REQUEST:
        handle_request(s, r, text);
        return;
    case KEN_MCP__NOTIFICATION:
        if (ken_str_eq_c(r->msg.method, "notifications/cancelled") && r->msg.request_id)
            ken_mcp__cancel(s, r->msg.request_id);
        ken_mcp__answer_nothing(s, tag);
        break;
    case KEN_MCP__RESPONSE:
        ken_mcp__take_response(s, &r->msg);
        ken_mcp__answer_nothing(s, tag);
        break;
    case KEN_MCP__BAD:
    default:
        ken_mcp__refuse(r, r->msg.code, r->msg.err.msg);
        break;
    }
    ken_mcp__request_free(r);
}

void ken_mcp_session_receive(ken_mcp_session *s, ken_str text, void *tag)
{
    ken_mcp__request *r = ken_mcp__request_new(s, tag);
    KEN_TRACE("mcp", 2, "receive " KEN_STR_FMT, KEN_STR_ARG(ken_str_sub(text, 0, 400)));
    ken_mcp__message_parse(text, &r->msg);
    ken_mcp__take(s, r, text);
}

void ken_mcp_session_refuse_long(ken_mcp_session *s)
{
    char text[80];
    ken_mcp__request *r = ken_mcp__request_new(s, NULL);
    snprintf(text, sizeof text, "a message may have at most %d bytes", KEN_MCP_MESSAGE_MAX);
    ken_mcp__refuse(r, KEN_MCP__INVALID_REQUEST, text);
    ken_mcp__request_free(r);
}

// ---- its life ----------------------------------------------------------------------------------

ken_mcp_session *ken_mcp_session_new(ken_mcp_server *server, const ken_mcp_session_opts *opts)
{
    ken_mcp_session *s = ken_zalloc(sizeof *s);
    s->server = server;
    s->opts = *opts;
    snprintf(s->project, sizeof s->project, KEN_STR_FMT, KEN_STR_ARG(opts->project));
    s->opts.project = ken_str_c(s->project);
    pthread_mutex_init(&s->send_lock, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->one_ended, &attr);
    pthread_condattr_destroy(&attr);
    return s;
}

void ken_mcp_session_free(ken_mcp_session *s)
{
    if (!s)
        return;
    ken_mcp__roster_close(s);
    ken_mcp__unsubscribe_all(s, NULL);
    for (size_t i = 0; i < KEN_MCP__BUCKETS; i++) {
        while (s->buckets[i]) { // held ones only
            ken_mcp__request *r = s->buckets[i];
            s->buckets[i] = r->next_in_bucket;
            ken_mcp__answer_nothing(s, r->tag);
            ken_mcp__request_free(r);
        }
    }
    json_decref(s->client_capabilities);
    ken_free(s->client);
    ken_free(s->root);
    ken_free(s->seen);
    pthread_cond_destroy(&s->one_ended);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->send_lock);
    ken_free(s);
}
