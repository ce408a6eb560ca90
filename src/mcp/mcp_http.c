// SPDX-License-Identifier: MIT
// The endpoint: of which era a message is, what its headers must say, and who answers it.
#include "mcp/mcp_http.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "mcp/mcp_http_priv.h"
#include "obs/log.h"

enum {
    WORKERS_MIN = 4,
    QUEUE_MAX = 16 * 1024, // sessions that wait for a worker
    SHARED_MAX = 4096,
    KEEP_ALIVE_MS = 15 * 1000,
    NAME_HEADER_MAX = 8192,
};

// ---- what a client takes and sends -------------------------------------------------------------

static bool accepts(ken_str header, const char *type)
{
    return ken_httpd_weight(header, type) > 0;
}

static bool is_legacy_version(ken_str v)
{
    return ken_str_eq_c(v, "2025-11-25") || ken_str_eq_c(v, "2025-06-18") ||
           ken_str_eq_c(v, "2025-03-26") || ken_str_eq_c(v, "2024-11-05");
}

// ---- the stateless era: headers repeat what the message says -----------------------------------

static ken_str meta_version(const ken_mcp__message *m)
{
    return ken_json_text(json_object_get(ken_json_get_object(m->params, "_meta"),
                                         KEN_MCP__META_PREFIX "protocolVersion"));
}

// What Mcp-Name must be; empty where it is not demanded.
static ken_str name_of(const ken_mcp__message *m)
{
    if (ken_str_eq_c(m->method, "tools/call") || ken_str_eq_c(m->method, "prompts/get"))
        return ken_json_text(json_object_get(m->params, "name"));
    if (ken_str_eq_c(m->method, "resources/read"))
        return ken_json_text(json_object_get(m->params, "uri"));
    return (ken_str){ NULL, 0 };
}

static int base64_value(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

// "=?base64?…?=" undone; other values are as they are. False for what is no base64.
static bool decode_value(ken_httpd_request *r, ken_str *value)
{
    ken_str v = ken_str_trim(*value);
    *value = v;
    if (!ken_str_starts(v, KEN_STR("=?base64?")) || !ken_str_ends(v, KEN_STR("?=")) || v.len < 11)
        return true;
    v = ken_str_sub(v, 9, v.len - 2);
    if (v.len % 4 || v.len > NAME_HEADER_MAX)
        return false;
    char *out = ken_arena_alloc(ken_httpd_arena(r), v.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < v.len; i += 4) {
        size_t n_pads = 0;
        uint32_t bits = 0;
        for (size_t k = 0; k < 4; k++) {
            char c = v.ptr[i + k];
            bool may_pad = i + 4 == v.len && k >= 2;
            int digit = base64_value(c);
            if (c == '=' && may_pad)
                n_pads++;
            else if (digit < 0 || n_pads)
                return false;
            bits = bits << 6 | (uint32_t)(digit < 0 ? 0 : digit);
        }
        for (size_t k = 0; k < 3 - n_pads; k++)
            out[n++] = (char)(bits >> (16 - 8 * k));
    }
    *value = ken_str_n(out, n);
    return true;
}

// Why the headers do not fit the message; NULL when they do.
static const char *find_mismatch(ken_httpd_request *r, const ken_mcp__message *m)
{
    ken_str version = ken_str_trim(ken_httpd_header(r, "MCP-Protocol-Version"));
    ken_str method = ken_str_trim(ken_httpd_header(r, "Mcp-Method"));
    ken_str name = ken_httpd_header(r, "Mcp-Name"), wanted = name_of(m);
    ken_str said = meta_version(m);
    if (!version.len)
        return "the header MCP-Protocol-Version is missing";
    if (said.len && !ken_str_eq(version, said))
        return "the header MCP-Protocol-Version is not the version of the message's _meta";
    if (!method.len)
        return "the header Mcp-Method is missing";
    if (!ken_str_eq(method, m->method))
        return "the header Mcp-Method is not the method of the message";
    if (!wanted.len)
        return NULL;
    if (!name.ptr)
        return "the header Mcp-Name is missing";
    if (!decode_value(r, &name))
        return "the header Mcp-Name is no base64 where it says that it is";
    return ken_str_eq(name, wanted) ? NULL
                                    : "the header Mcp-Name is not the name that the message has";
}

// The order in which a stateless request is refused: no version header, no _meta, headers that say
// something else. The rest is the session's.
static bool refuses_headers(ken_httpd_request *r, const ken_mcp__message *m)
{
    const json_t *meta = ken_json_get_object(m->params, "_meta");
    bool has_version = ken_httpd_header(r, "MCP-Protocol-Version").len > 0;
    bool has_meta =
        json_is_string(json_object_get(meta, KEN_MCP__META_PREFIX "protocolVersion")) &&
        json_is_object(json_object_get(meta, KEN_MCP__META_PREFIX "clientCapabilities"));
    if (has_version && !has_meta) {
        ken_mcp__http_refuse(r, 400, m->id, KEN_MCP__INVALID_PARAMS,
                             "params._meta must hold '" KEN_MCP__META_PREFIX
                             "protocolVersion' (a string) and '" KEN_MCP__META_PREFIX
                             "clientCapabilities' (an object)");
        return true;
    }
    const char *why = find_mismatch(r, m);
    if (why)
        ken_mcp__http_refuse(r, 400, m->id, KEN_MCP__HEADER_MISMATCH, why);
    return why != NULL;
}

// ---- who answers -------------------------------------------------------------------------------

ken_mcp_server *ken_mcp__http_server(ken_mcp_http *h, bool is_read_only)
{
    ken_mcp_opts opts = h->opts;
    ken_mcp_server *made = NULL;
    ken_err err;
    pthread_mutex_lock(&h->lock);
    ken_mcp_server *s = h->servers[is_read_only];
    pthread_mutex_unlock(&h->lock);
    if (s)
        return s;
    // Without the lock: it joins the roster, which holds one while clients are told.
    opts.is_read_only |= is_read_only;
    opts.pool = h->pool;
    if (ken_mcp_server_new(h->app, &opts, &made, &err))
        KEN_LOG_ERR("mcp", "%s", err.msg);
    pthread_mutex_lock(&h->lock);
    s = h->servers[is_read_only];
    if (!s) {
        s = h->servers[is_read_only] = made;
        made = NULL;
    }
    pthread_mutex_unlock(&h->lock);
    ken_mcp_server_free(made); // another was faster
    return s;
}

// The session of all stateless requests with these rights; NULL when there are too many kinds.
static ken_mcp_session *find_shared(ken_mcp_http *h, const ken_mcp_http_caller *c)
{
    ken_mcp_session *found = NULL;
    ken_mcp_server *server = ken_mcp__http_server(h, c->is_read_only);
    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < h->shared.len && !found; i++) {
        const mcp_http_shared *x = &h->shared.ptr[i];
        if (x->is_read_only == c->is_read_only && ken_str_eq_c(c->project, x->project))
            found = x->mcp;
    }
    if (!found && server && h->shared.len < SHARED_MAX) {
        mcp_http_shared x = { .is_read_only = c->is_read_only };
        snprintf(x.project, sizeof x.project, KEN_STR_FMT, KEN_STR_ARG(c->project));
        x.mcp = found = ken_mcp_session_new(
            server, &(ken_mcp_session_opts){
                        .send = ken_mcp__http_send, .project = c->project, .is_shared = true });
        ken_vec_push(&h->shared, x);
    }
    pthread_mutex_unlock(&h->lock);
    return found;
}

// ---- POST --------------------------------------------------------------------------------------

static void on_gone(void *ctx, ken_httpd_request *r)
{
    (void)r;
    mcp_http_exchange *e = ctx;
    ken_mcp_session_cancel(e->mcp, e);
}

// Hands the message over; the exchange answers.
static void pass_on(mcp_http_exchange *e, const ken_mcp_http_caller *caller, ken_mcp_session *mcp,
                    ken_mcp__message *m, ken_str body)
{
    e->mcp = mcp;
    e->is_call = m->kind == KEN_MCP__REQUEST;
    ken_mcp__http_exchange_open(e); // from here on others see it
    ken_mcp__request *q = ken_mcp__request_new(mcp, e);
    q->msg = *m;
    if (caller->request_id.len)
        q->request_id = ken_strndup(caller->request_id.ptr, caller->request_id.len);
    if (caller->trace) {
        q->trace = ken_alloc(sizeof *q->trace);
        *q->trace = *caller->trace;
    }
    *m = (ken_mcp__message){ .kind = KEN_MCP__BAD };
    if (!e->session)
        ken_httpd_on_gone(e->r, on_gone, e); // in this era who goes away wants nothing any more
    ken_mcp__take(mcp, q, body);
}

static void post_modern(mcp_http_exchange *e, const ken_mcp_http_caller *caller,
                        ken_mcp__message *m, ken_str body)
{
    if (refuses_headers(e->r, m))
        return;
    if (!e->takes_stream && ken_str_eq_c(m->method, "subscriptions/listen")) {
        ken_mcp__http_refuse(e->r, 406, m->id, KEN_MCP__INVALID_REQUEST,
                             "Accept must have text/event-stream to be told of changes");
        return;
    }
    ken_mcp_session *mcp = find_shared(e->http, caller);
    if (!mcp || ken_mcp_session_is_full(mcp)) {
        ken_mcp__http_refuse(e->r, 503, m->id, KEN_MCP__INTERNAL,
                             "too many calls wait; try again in a second");
        return;
    }
    pass_on(e, caller, mcp, m, body);
}

// The session that a legacy message belongs to, used by the caller; NULL: it was refused.
static mcp_http_session *session_of(mcp_http_exchange *e, const ken_mcp_http_caller *caller,
                                    const ken_mcp__message *m)
{
    ken_str id = ken_httpd_header(e->r, "Mcp-Session-Id");
    ken_str version = ken_str_trim(ken_httpd_header(e->r, "MCP-Protocol-Version"));
    bool begins = m->kind == KEN_MCP__REQUEST && ken_str_eq_c(m->method, "initialize");
    mcp_http_session *s = NULL;
    if (version.len && !is_legacy_version(version)) {
        ken_mcp__http_refuse(e->r, 400, m->id, KEN_MCP__INVALID_REQUEST,
                             "MCP-Protocol-Version is none of 2025-11-25, 2025-06-18, 2024-11-05");
    } else if (begins && id.len) {
        ken_mcp__http_refuse(e->r, 400, m->id, KEN_MCP__INVALID_REQUEST,
                             "this session is initialized already; begin another without "
                             "Mcp-Session-Id");
    } else if (begins) {
        s = ken_mcp__http_session_new(e->http, caller);
        e->is_new_session = true;
        if (!s)
            ken_mcp__http_refuse(e->r, 503, m->id, KEN_MCP__INTERNAL,
                                 "too many sessions; try again later");
    } else if (!id.len) {
        ken_mcp__http_refuse(e->r, 400, m->id, KEN_MCP__INVALID_REQUEST,
                             "the header Mcp-Session-Id is missing; begin with initialize");
    } else {
        s = ken_mcp__http_session_find(e->http, id, caller);
        if (!s)
            ken_mcp__http_refuse(e->r, 404, m->id, KEN_MCP__INVALID_REQUEST,
                                 "no such session; begin a new one with initialize");
    }
    return s;
}

static void post_legacy(mcp_http_exchange *e, const ken_mcp_http_caller *caller,
                        ken_mcp__message *m, ken_str body)
{
    mcp_http_session *s = session_of(e, caller, m);
    if (!s)
        return;
    if (ken_mcp_session_is_full(s->mcp)) {
        ken_mcp__http_refuse(e->r, 503, m->id, KEN_MCP__INTERNAL,
                             "too many calls of this session wait; try again in a second");
        ken_mcp__http_session_let_go(s);
        return;
    }
    e->session = s; // the exchange lets go of it
    e->is_primed = ken_str_eq_c(ken_httpd_header(e->r, "MCP-Protocol-Version"), "2025-11-25");
    pass_on(e, caller, s->mcp, m, body);
}

// The project that a request of an endpoint for all is about, as its client names it; ptr NULL: of none, or of all.
static ken_str project_of(const ken_mcp__message *m, ken_arena *arena)
{
    const json_t *args = json_object_get(m->params, "arguments");
    const ken_tool_spec *spec;
    if (ken_str_eq_c(m->method, "resources/read"))
        return ken_mcp__resource_project(ken_json_text(json_object_get(m->params, "uri")), arena);
    if (ken_str_eq_c(m->method, "prompts/get"))
        return (ken_str){ "", 0 };
    if (!ken_str_eq_c(m->method, "tools/call"))
        return (ken_str){ NULL, 0 };
    spec = ken_tool_spec_find(ken_json_text(json_object_get(m->params, "name")));
    return spec ? ken_tool_named_project(spec, args) : (ken_str){ NULL, 0 };
}

static bool admits(ken_httpd_request *r, const ken_mcp_http_caller *caller,
                   const ken_mcp__message *m)
{
    if (!caller->admit || caller->project.len || m->kind != KEN_MCP__REQUEST)
        return true;
    ken_str project = project_of(m, ken_httpd_arena(r));
    return !project.ptr || caller->admit(caller->admit_ctx, r, project);
}

static bool is_modern(ken_httpd_request *r, const ken_mcp__message *m)
{
    ken_str version = ken_str_trim(ken_httpd_header(r, "MCP-Protocol-Version"));
    bool has_meta = meta_version(m).len > 0;
    if (ken_httpd_header(r, "Mcp-Session-Id").len && !has_meta)
        return false;
    return has_meta || (version.len && !is_legacy_version(version));
}

static void post(ken_mcp_http *h, ken_httpd_request *r, const ken_mcp_http_caller *caller)
{
    ken_str accept = ken_httpd_header(r, "Accept");
    bool takes_json = !accept.len || accepts(accept, "application/json");
    bool takes_stream = !accept.len || accepts(accept, "text/event-stream");
    ken_str body = ken_httpd_body(r);
    if (!ken_httpd_has_json(r)) {
        ken_mcp__http_refuse(r, 415, NULL, KEN_MCP__INVALID_REQUEST,
                             "Content-Type must be application/json");
        return;
    }
    if (!takes_json && !takes_stream) {
        ken_mcp__http_refuse(r, 406, NULL, KEN_MCP__INVALID_REQUEST,
                             "Accept must have application/json or text/event-stream");
        return;
    }
    ken_mcp__message m;
    ken_mcp__message_parse(body, &m);
    if (m.kind == KEN_MCP__BAD) {
        ken_mcp__http_refuse(r, 400, m.id, m.code, m.err.msg);
    } else if (admits(r, caller, &m)) {
        mcp_http_exchange *e = ken_mcp__http_exchange_new(h, r);
        e->takes_json = takes_json;
        e->takes_stream = takes_stream;
        if (!is_modern(r, &m))
            post_legacy(e, caller, &m, body);
        else if (m.kind == KEN_MCP__REQUEST)
            post_modern(e, caller, &m, body);
        else // nothing of the stateless era is told by a notification
            ken_httpd_answer(r, &(ken_httpd_answer_opts){ .status = 202 });
    }
    ken_mcp__message_release(&m);
}

// ---- GET, DELETE -------------------------------------------------------------------------------

static void refuse_verb(ken_httpd_request *r, const char *allow)
{
    const ken_httpd_field field = { "Allow", allow };
    const ken_httpd_answer_opts answer = {
        .status = 405,
        .type = "application/json",
        .body = KEN_STR(
            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"this version of the "
            "protocol has POST alone\"}}"),
        .fields = &field,
        .n_fields = 1
    };
    ken_httpd_answer(r, &answer);
}

static void of_session(ken_mcp_http *h, ken_httpd_request *r, const ken_mcp_http_caller *caller)
{
    ken_str version = ken_str_trim(ken_httpd_header(r, "MCP-Protocol-Version"));
    ken_str id = ken_httpd_header(r, "Mcp-Session-Id");
    bool is_get = ken_str_eq_c(ken_httpd_method(r), "GET");
    if (ken_str_eq_c(version, KEN_MCP__MODERN_VERSION)) {
        refuse_verb(r, "POST");
    } else if (version.len && !is_legacy_version(version)) {
        ken_mcp__http_refuse(r, 400, NULL, KEN_MCP__INVALID_REQUEST,
                             "MCP-Protocol-Version is none of 2026-07-28, 2025-11-25, 2025-06-18, "
                             "2024-11-05");
    } else if (is_get && !accepts(ken_httpd_header(r, "Accept"), "text/event-stream")) {
        ken_mcp__http_refuse(r, 406, NULL, KEN_MCP__INVALID_REQUEST,
                             "Accept must have text/event-stream");
    } else if (!id.len) {
        ken_mcp__http_refuse(r, 400, NULL, KEN_MCP__INVALID_REQUEST,
                             "the header Mcp-Session-Id is missing");
    } else {
        mcp_http_session *s = ken_mcp__http_session_find(h, id, caller);
        if (!s) {
            ken_mcp__http_refuse(r, 404, NULL, KEN_MCP__INVALID_REQUEST, "no such session");
            return;
        }
        if (is_get) {
            ken_mcp__http_session_read(s, r, ken_httpd_header(r, "Last-Event-ID"));
        } else {
            ken_mcp__http_session_end(s);
            ken_httpd_answer(r, &(ken_httpd_answer_opts){ .status = 204 });
        }
        ken_mcp__http_session_let_go(s);
    }
}

void ken_mcp_http_handle(ken_mcp_http *h, ken_httpd_request *r, const ken_mcp_http_caller *caller)
{
    pthread_mutex_lock(&h->lock);
    bool is_stopping = h->is_stopping;
    pthread_mutex_unlock(&h->lock);
    ken_str method = ken_httpd_method(r);
    if (is_stopping)
        ken_mcp__http_refuse(r, 503, NULL, KEN_MCP__INTERNAL, "the server is ending");
    else if (ken_str_eq_c(method, "POST"))
        post(h, r, caller);
    else if (ken_str_eq_c(method, "GET") || ken_str_eq_c(method, "DELETE"))
        of_session(h, r, caller);
    else // HEAD comes with GET; a stream has no length to tell
        refuse_verb(r, "GET, POST, DELETE");
}

// ---- its life ----------------------------------------------------------------------------------

ken_status ken_mcp_http_new(ken_app *app, const ken_mcp_opts *opts, ken_mcp_http **out,
                            ken_err *err)
{
    ken_mcp_http *h = ken_zalloc(sizeof *h);
    size_t n_cores = ken_pool_cores();
    h->app = app;
    h->opts = *opts;
    h->opts.transport = "http";
    h->kept_alive_ns = ken_clock_mono_ns();
    pthread_mutex_init(&h->lock, NULL);
    size_t n = opts->n_workers ? opts->n_workers : n_cores > WORKERS_MIN ? n_cores : WORKERS_MIN;
    h->pool = ken_pool_new(n, QUEUE_MAX, 0);
    if (!ken_mcp__http_server(h, false)) {
        ken_mcp_http_free(h);
        return KEN_FAIL(err, KEN_EINVAL, "the MCP server cannot be made: see the log");
    }
    *out = h;
    return KEN_OK;
}

void ken_mcp_http_tick(ken_mcp_http *h)
{
    int64_t now = ken_clock_mono_ns();
    bool is_due = now - h->kept_alive_ns >= (int64_t)KEEP_ALIVE_MS * 1000000;
    if (is_due)
        h->kept_alive_ns = now;
    ken_mcp__http_exchanges_tick(h, is_due);
    ken_mcp__http_sessions_tick(h, is_due);
    for (size_t i = 0; i < 2; i++) {
        pthread_mutex_lock(&h->lock);
        ken_mcp_server *s = h->servers[i];
        pthread_mutex_unlock(&h->lock);
        if (s)
            (void)ken_mcp_server_look(s);
    }
}

void ken_mcp_http_stop(ken_mcp_http *h, int64_t grace_ms)
{
    int64_t end = ken_clock_mono_ns() + grace_ms * 1000000;
    pthread_mutex_lock(&h->lock);
    h->is_stopping = true;
    size_t n_shared = h->shared.len; // no more are made now
    pthread_mutex_unlock(&h->lock);
    for (;;) {
        pthread_mutex_lock(&h->lock);
        mcp_http_session *s = h->sessions.len ? h->sessions.ptr[0] : NULL;
        if (s)
            s->n_users++;
        pthread_mutex_unlock(&h->lock);
        if (!s)
            break;
        ken_mcp_session_stop(s->mcp);
        ken_mcp__http_session_end(s);
        ken_mcp__http_session_let_go(s);
    }
    for (size_t i = 0; i < n_shared; i++)
        ken_mcp_session_stop(h->shared.ptr[i].mcp);
    for (size_t i = 0; i < n_shared; i++) {
        int64_t left = (end - ken_clock_mono_ns()) / 1000000;
        if (!ken_mcp_session_wait(h->shared.ptr[i].mcp, left > 0 ? left : 0))
            ken_mcp_session_abandon(h->shared.ptr[i].mcp);
    }
}

void ken_mcp_http_free(ken_mcp_http *h)
{
    if (!h)
        return;
    ken_pool_free(h->pool); // all calls have ended then
    ken_mcp__http_sessions_tick(h, false);
    for (size_t i = 0; i < h->shared.len; i++)
        ken_mcp_session_free(h->shared.ptr[i].mcp);
    ken_vec_release(&h->shared);
    ken_vec_release(&h->sessions);
    ken_vec_release(&h->ended);
    for (size_t i = 0; i < 2; i++)
        ken_mcp_server_free(h->servers[i]);
    pthread_mutex_destroy(&h->lock);
    ken_free(h);
}

bool ken_mcp_http_offers(ken_mcp_http *h, ken_str tool)
{
    return ken_toolset_has(ken_mcp__http_server(h, false)->tools, tool) &&
           ken_mcp_roster_is_on(h->opts.roster, tool);
}

ken_mcp_http_counts ken_mcp_http_count(ken_mcp_http *h)
{
    ken_mcp_http_counts n = { 0 };
    pthread_mutex_lock(&h->lock);
    n.n_sessions = h->sessions.len;
    for (const mcp_http_exchange *e = h->exchanges; e; e = e->next)
        n.n_streams++;
    for (size_t i = 0; i < h->shared.len + h->sessions.len; i++) {
        ken_mcp_session *s =
            i < h->shared.len ? h->shared.ptr[i].mcp : h->sessions.ptr[i - h->shared.len]->mcp;
        size_t n_waiting = ken_mcp_session_n_waiting(s);
        n.n_waiting += n_waiting;
        n.n_running += ken_mcp_session_n_running(s) - n_waiting;
    }
    pthread_mutex_unlock(&h->lock);
    return n;
}
