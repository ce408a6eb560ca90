// SPDX-License-Identifier: MIT
// The session: which method, which era, who answers.
#include <stdio.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "mcp/mcp_priv.h"
#include "obs/log.h"
#include "obs/trace.h"

enum {
    WORKERS = 4,
    QUEUE_MAX = 64, // workers of sessions that wait for a thread
    PROGRESS_EVERY_NS = 100 * 1000 * 1000,
    ANSWER_MAX = 64 * 1024 * 1024,
    LIST_TTL_MS = 3600 * 1000,
    SERVER_NAME_MAX = 120, // bytes
};

#define MODERN_VERSION "2026-07-28"
#define META_PREFIX    "io.modelcontextprotocol/"
#define CAPABILITIES   "{\"tools\":{},\"resources\":{},\"prompts\":{},\"completions\":{}}"

// Newest first. 2025-03-26 is not among them: it would oblige us to take batches.
static const char *const legacy_versions[] = { "2025-11-25", "2025-06-18", "2024-11-05" };

// Shown to models even while tools are not loaded: it must tell when to load them.
static const char instructions[] =
    "ken answers questions about the code of local repositories from an index: faster and with fewer "
    "tokens than grep and reading whole files, and never stale (changed files are re-read).\n"
    "Start with search_code: a plain question (\"where are retries handled\"), a symbol name, or with "
    "search_type text or regex an exact string. get_definition shows where a symbol is defined, with "
    "its code; outline lists the symbols of a file; nodeSource fetches one of them or a chunk_id.\n"
    "Who uses a symbol: find_usages. What a function calls, or who leads to it: trace_execution. Before "
    "a change: query_impact (symbol, file or diff) names dependents and tests. New to the code base: "
    "get_architecture. Lines with their callers, callees and tests: explain_code. Every relation says "
    "how surely it holds, and what could not be resolved is counted.\n"
    "The project is the folder that you work in; name another with `project` (id, name or path; "
    "list_projects). A folder that was never indexed is indexed on first use; index_repository brings "
    "an index up to date, get_repo_status tells its state. Answers are text in few tokens; format \"json\" "
    "has all fields.";

// ---- the server --------------------------------------------------------------------------------

static ken_status make_tools(ken_mcp_server *s, const ken_mcp_opts *opts, ken_err *err)
{
    s->tools = opts->tools;
    if (s->tools)
        return KEN_OK;
    const ken_config *settings = s->app ? ken_app_config(s->app) : NULL;
    ken_toolset_opts t = { .sets = opts->toolsets, .n_sets = opts->n_toolsets };
    if (settings && !t.n_sets)
        t.n_sets = ken_config_list(settings, KEN_CFG_TOOLSETS, &t.sets);
    if (settings)
        s->is_read_only |= ken_config_bool(settings, KEN_CFG_READ_ONLY);
    if (settings)
        s->is_json |= ken_str_eq_c(ken_config_str(settings, KEN_CFG_MCP_FORMAT), "json");
    t.is_read_only = s->is_read_only;
    ken_status st = ken_toolset_new(&t, &s->own_tools, err);
    s->tools = s->own_tools;
    return st;
}

static ken_str server_name(const ken_app *app)
{
    ken_str name = app ? ken_config_str(ken_app_config(app), KEN_CFG_MCP_NAME) : KEN_STR("ken");
    return ken_utf8_clip(name.len ? name : KEN_STR("ken"), SERVER_NAME_MAX);
}

ken_status ken_mcp_server_new(ken_app *app, const ken_mcp_opts *opts, ken_mcp_server **out,
                              ken_err *err)
{
    ken_mcp_server *s = ken_zalloc(sizeof *s);
    s->app = app;
    s->opts = *opts;
    s->is_read_only = opts->is_read_only;
    s->is_json = opts->is_json;
    pthread_mutex_init(&s->lock, NULL);
    s->tools_list = KEN_BUF_INIT(1 << 20);
    s->server_info = KEN_BUF_INIT(4096);
    s->instructions = KEN_BUF_INIT(16384);
    ken_status st = make_tools(s, opts, err);
    if (st) {
        ken_mcp_server_free(s);
        return st;
    }
    ken_toolset_list(s->tools, &s->tools_list);
    ken_buf_puts(&s->server_info, "{\"name\":");
    ken_json_put_quoted(&s->server_info, server_name(app));
    ken_buf_puts(&s->server_info, ",\"title\":\"ken: code intelligence\",\"version\":");
    ken_json_put_quoted(&s->server_info, ken_str_c(opts->version ? opts->version : "0"));
    ken_buf_putc(&s->server_info, '}');
    ken_json_put_quoted(&s->instructions, ken_str_c(instructions));
    *out = s;
    return KEN_OK;
}

void ken_mcp_server_free(ken_mcp_server *s)
{
    if (!s)
        return;
    ken_pool_free(s->pool);
    ken_toolset_free(s->own_tools);
    ken_buf_release(&s->tools_list);
    ken_buf_release(&s->server_info);
    ken_buf_release(&s->instructions);
    pthread_mutex_destroy(&s->lock);
    ken_free(s);
}

size_t ken_mcp__n_workers(const ken_mcp_server *s)
{
    return s->opts.n_workers ? s->opts.n_workers : WORKERS;
}

ken_pool *ken_mcp__pool(ken_mcp_server *s)
{
    pthread_mutex_lock(&s->lock);
    if (!s->pool)
        s->pool = ken_pool_new(ken_mcp__n_workers(s), QUEUE_MAX, 0);
    ken_pool *pool = s->pool;
    pthread_mutex_unlock(&s->lock);
    return pool;
}

// ---- sending -----------------------------------------------------------------------------------

void ken_mcp__send(ken_mcp_session *s, ken_buf *message)
{
    if (message->is_over || !message->len) {
        KEN_LOG_ERR("mcp", "an answer was too large to send");
        return;
    }
    KEN_TRACE("mcp", 2, "send " KEN_STR_FMT,
              KEN_STR_ARG(ken_str_sub(ken_buf_str(message), 0, 400)));
    pthread_mutex_lock(&s->send_lock);
    s->send(s->send_ctx, ken_buf_str(message));
    pthread_mutex_unlock(&s->send_lock);
}

void ken_mcp__send_error(ken_mcp_session *s, const char *id, int code, const char *message)
{
    ken_buf out = KEN_BUF_INIT(64 * 1024);
    ken_mcp__put_error(&out, id, code, message, (ken_str){ NULL, 0 });
    ken_mcp__send(s, &out);
    ken_buf_release(&out);
}

void ken_mcp__begin_result(const ken_mcp__request *r, ken_buf *out)
{
    ken_buf_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{", r->msg.id);
    if (r->is_modern) {
        ken_buf_puts(out, "\"resultType\":\"complete\",\"_meta\":{\"" META_PREFIX "serverInfo\":");
        ken_buf_put_str(out, ken_buf_str(&r->server->server_info));
        ken_buf_puts(out, "},");
    }
}

void ken_mcp__put_cache_hints(const ken_mcp__request *r, int64_t ttl_ms, const char *scope,
                              ken_buf *out)
{
    if (r->is_modern)
        ken_buf_printf(out, ",\"ttlMs\":%lld,\"cacheScope\":\"%s\"", (long long)ttl_ms, scope);
}

void ken_mcp__end_result(ken_buf *out)
{
    ken_buf_puts(out, "}}");
}

void ken_mcp__answer_error(const ken_mcp__request *r, int code, const char *message, ken_str data,
                           ken_buf *out)
{
    ken_buf_clear(out);
    ken_mcp__put_error(out, r->msg.id, code, message, data);
}

// ---- methods that are answered at once ---------------------------------------------------------

static const char *negotiate(ken_str wanted)
{
    size_t n = sizeof legacy_versions / sizeof *legacy_versions;
    for (size_t i = 0; i < n; i++) {
        if (ken_str_eq_c(wanted, legacy_versions[i]))
            return legacy_versions[i];
    }
    // A revision that lies between two of ours: its clients know the older one. Else the newest.
    for (size_t i = 0; wanted.len == 10 && i < n; i++) {
        ken_str v = ken_str_c(legacy_versions[i]);
        if (ken_str_cmp(v, wanted) < 0 && ken_str_cmp(wanted, ken_str_c(legacy_versions[0])) < 0)
            return legacy_versions[i];
    }
    return legacy_versions[0];
}

static void do_initialize(ken_mcp__request *r, ken_buf *out)
{
    const ken_mcp_server *s = r->server;
    const json_t *version = json_object_get(r->msg.params, "protocolVersion");
    if (!json_is_string(version)) {
        ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS, "params.protocolVersion must be a string",
                              (ken_str){ NULL, 0 }, out);
        return;
    }
    ken_mcp__begin_result(r, out);
    ken_buf_printf(out,
                   "\"protocolVersion\":\"%s\",\"capabilities\":" CAPABILITIES ",\"serverInfo\":",
                   negotiate(ken_json_text(version)));
    ken_buf_put_str(out, ken_buf_str(&s->server_info));
    ken_buf_puts(out, ",\"instructions\":");
    ken_buf_put_str(out, ken_buf_str(&s->instructions));
    ken_mcp__end_result(out);
}

static void do_discover(ken_mcp__request *r, ken_buf *out)
{
    ken_mcp__begin_result(r, out);
    ken_buf_puts(out, "\"supportedVersions\":[\"" MODERN_VERSION "\"],"
                      "\"capabilities\":" CAPABILITIES ",\"instructions\":");
    ken_buf_put_str(out, ken_buf_str(&r->server->instructions));
    ken_mcp__put_cache_hints(r, LIST_TTL_MS, "public", out);
    ken_mcp__end_result(out);
}

static void do_ping(ken_mcp__request *r, ken_buf *out)
{
    ken_mcp__begin_result(r, out);
    ken_mcp__end_result(out);
}

// Everything fits on one page, so that no cursor was ever given out.
static bool refuses_cursor(ken_mcp__request *r, ken_buf *out)
{
    const json_t *cursor = json_object_get(r->msg.params, "cursor");
    if (!cursor || json_is_null(cursor) || (json_is_string(cursor) && !json_string_length(cursor)))
        return false;
    ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS, "params.cursor is not one of ours",
                          (ken_str){ NULL, 0 }, out);
    return true;
}

static void do_tools_list(ken_mcp__request *r, ken_buf *out)
{
    if (refuses_cursor(r, out))
        return;
    ken_mcp__begin_result(r, out);
    ken_buf_puts(out, "\"tools\":");
    ken_buf_put_str(out, ken_buf_str(&r->server->tools_list));
    ken_mcp__put_cache_hints(r, LIST_TTL_MS, "public", out);
    ken_mcp__end_result(out);
}

static void do_resources_list(ken_mcp__request *r, ken_buf *out)
{
    if (!refuses_cursor(r, out))
        ken_mcp__resources_list(r, out);
}

static void do_templates_list(ken_mcp__request *r, ken_buf *out)
{
    if (!refuses_cursor(r, out))
        ken_mcp__resources_templates_list(r, out);
}

static void do_prompts_list(ken_mcp__request *r, ken_buf *out)
{
    if (!refuses_cursor(r, out))
        ken_mcp__prompts_list(r, out);
}

// Nothing that we offer changes while we run, so the subset we honour is empty. The request stays
// open until it is cancelled.
static void do_listen(ken_mcp__request *r, ken_buf *out)
{
    ken_buf_printf(out,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\","
                   "\"params\":{\"_meta\":{\"" META_PREFIX "subscriptionId\":%s},"
                   "\"notifications\":{}}}",
                   r->msg.id);
}

// ---- tools/call --------------------------------------------------------------------------------

static void on_progress(void *ctx, const ken_tool_progress *p)
{
    ken_mcp__request *r = ctx;
    int64_t now = ken_clock_mono_ns();
    if (!r->msg.token || p->done <= r->last_progress ||
        now - r->last_progress_ns < PROGRESS_EVERY_NS || ken_cancel_is_set(&r->cancel))
        return;
    r->last_progress = p->done;
    r->last_progress_ns = now;
    ken_buf out = KEN_BUF_INIT(16 * 1024);
    ken_buf_puts(&out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                       "\"params\":{\"progressToken\":");
    ken_buf_puts(&out, r->msg.token);
    ken_buf_printf(&out, ",\"progress\":%.6g", p->done);
    if (p->total > 0)
        ken_buf_printf(&out, ",\"total\":%.6g", p->total);
    ken_buf_puts(&out, ",\"message\":");
    ken_json_put_quoted(&out, ken_str_c(p->message ? p->message : ""));
    ken_buf_puts(&out, "}}");
    ken_mcp__send(r->session, &out);
    ken_buf_release(&out);
}

ken_tool_ctx ken_mcp__tool_ctx(ken_mcp__request *r)
{
    const ken_mcp_server *s = r->server;
    return (ken_tool_ctx){
        .cancel = &r->cancel,
        .on_progress = on_progress,
        .progress_ctx = r,
        .cwd = s->opts.cwd,
        .project = s->opts.project,
        .is_read_only = s->is_read_only,
        .tools = s->opts.tools,
    };
}

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
    } else {
        return false;
    }
    ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS, text, (ken_str){ NULL, 0 }, out);
    return true;
}

static void do_tools_call(ken_mcp__request *r, ken_buf *out)
{
    if (refuses_call(r, out))
        return;
    const ken_mcp_server *s = r->server;
    const json_t *args = json_object_get(r->msg.params, "arguments");
    const char *name = json_string_value(json_object_get(r->msg.params, "name"));
    ken_tool_ctx ctx = ken_mcp__tool_ctx(r);
    ctx.tools = s->tools;
    ctx.is_text = !s->is_json;
    ken_err err = { 0 };
    json_t *result = NULL;
    int64_t start = ken_clock_mono_ns();
    ken_status st =
        ken_tool_call(s->app, name, json_is_object(args) ? args : NULL, &ctx, &result, &err);
    KEN_LOG_DETAIL("mcp", "%s: %s in %.1f ms", name, st ? err.msg : "ok",
                   (double)(ken_clock_mono_ns() - start) / 1e6);
    if (st == KEN_EINTERNAL)
        ken_mcp__answer_error(r, KEN_MCP__INTERNAL, err.msg, (ken_str){ NULL, 0 }, out);
    else if (st)
        put_tool_failure(r, &err, out);
    else
        put_tool_result(r, result, out);
    json_decref(result);
}

// ---- which method ------------------------------------------------------------------------------

typedef enum method_where {
    HERE = 1, // by the thread that receives
    WORKER,
    HELD, // no answer until it is cancelled
} method_where;

typedef struct method {
    const char *name;
    ken_mcp__method_fn *run;
    bool is_legacy, is_modern;
    method_where where;
} method;

static const method methods[] = {
    { "initialize", do_initialize, true, false, HERE },
    { "ping", do_ping, true, false, HERE },
    { "server/discover", do_discover, false, true, HERE },
    { "tools/list", do_tools_list, true, true, HERE },
    { "tools/call", do_tools_call, true, true, WORKER },
    { "resources/list", do_resources_list, true, true, WORKER },
    { "resources/templates/list", do_templates_list, true, true, HERE },
    { "resources/read", ken_mcp__resources_read, true, true, WORKER },
    { "prompts/list", do_prompts_list, true, true, HERE },
    { "prompts/get", ken_mcp__prompts_get, true, true, WORKER },
    { "completion/complete", ken_mcp__complete, true, true, WORKER },
    { "subscriptions/listen", do_listen, false, true, HELD },
};

static const method *find_method(ken_str name, bool is_modern)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if ((is_modern ? methods[i].is_modern : methods[i].is_legacy) &&
            ken_str_eq_c(name, methods[i].name))
            return &methods[i];
    }
    return NULL;
}

// What the modern era demands of every request; true when it was answered with an error.
static bool refuses_meta(ken_mcp__request *r, const json_t *meta, ken_buf *out)
{
    const json_t *version = json_object_get(meta, META_PREFIX "protocolVersion");
    const json_t *caps = json_object_get(meta, META_PREFIX "clientCapabilities");
    const ken_str none = { NULL, 0 };
    if (!json_is_string(version)) {
        ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS,
                              "params._meta must hold the string '" META_PREFIX "protocolVersion'",
                              none, out);
    } else if (!json_is_object(caps)) {
        ken_mcp__answer_error(
            r, KEN_MCP__INVALID_PARAMS,
            "params._meta must hold the object '" META_PREFIX "clientCapabilities'", none, out);
    } else if (!ken_str_eq_c(ken_json_text(version), MODERN_VERSION)) {
        ken_buf data = KEN_BUF_INIT(8192);
        ken_buf_puts(&data, "{\"supported\":[\"" MODERN_VERSION "\"],\"requested\":");
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

static void handle_request(ken_mcp_session *s, ken_mcp__request *r, ken_str received)
{
    const json_t *meta = ken_json_get_object(r->msg.params, "_meta");
    ken_buf out = KEN_BUF_INIT(ANSWER_MAX);
    r->is_modern = json_object_get(meta, META_PREFIX "protocolVersion") ||
                   ken_str_eq_c(r->msg.method, "server/discover");
    const method *m = find_method(r->msg.method, r->is_modern);
    if (r->is_modern && refuses_meta(r, meta, &out)) {
        ken_mcp__send(s, &out);
    } else if (!m) {
        char text[160];
        snprintf(text, sizeof text, "method '%.80s' is not supported%s",
                 json_string_value(json_object_get(r->msg.json, "method")),
                 r->is_modern ? " in " MODERN_VERSION : "");
        ken_mcp__send_error(s, r->msg.id, KEN_MCP__METHOD_NOT_FOUND, text);
    } else if (m->where != HERE) {
        r->run = m->run;
        r->is_held = m->where == HELD;
        ken_mcp__accept(s, r, received);
        r = NULL;
    } else {
        m->run(r, &out);
        ken_mcp__send(s, &out);
    }
    if (r)
        ken_mcp__request_free(r);
    ken_buf_release(&out);
}

// ---- the session -------------------------------------------------------------------------------

ken_mcp_session *ken_mcp_session_new(ken_mcp_server *server, ken_mcp_send_fn *send, void *send_ctx)
{
    ken_mcp_session *s = ken_zalloc(sizeof *s);
    s->server = server;
    s->send = send;
    s->send_ctx = send_ctx;
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
    for (size_t i = 0; i < KEN_MCP__BUCKETS; i++) {
        while (s->buckets[i]) { // held ones only
            ken_mcp__request *r = s->buckets[i];
            s->buckets[i] = r->next_in_bucket;
            ken_mcp__request_free(r);
        }
    }
    pthread_cond_destroy(&s->one_ended);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->send_lock);
    ken_free(s);
}

void ken_mcp_session_receive(ken_mcp_session *s, ken_str text)
{
    ken_mcp__request *r = ken_zalloc(sizeof *r);
    r->session = s;
    r->server = s->server;
    KEN_TRACE("mcp", 2, "receive " KEN_STR_FMT, KEN_STR_ARG(ken_str_sub(text, 0, 400)));
    ken_mcp__message_parse(text, &r->msg);
    switch (r->msg.kind) {
    case KEN_MCP__REQUEST:
        handle_request(s, r, text);
        return;
    case KEN_MCP__NOTIFICATION:
        if (ken_str_eq_c(r->msg.method, "notifications/cancelled") && r->msg.request_id)
            ken_mcp__cancel(s, r->msg.request_id);
        break;
    case KEN_MCP__RESPONSE:
        break;
    case KEN_MCP__BAD:
    default:
        ken_mcp__send_error(s, r->msg.id, r->msg.code, r->msg.err.msg);
        break;
    }
    ken_mcp__request_free(r);
}

void ken_mcp_session_refuse_long(ken_mcp_session *s)
{
    char text[80];
    snprintf(text, sizeof text, "a message may have at most %d bytes", KEN_MCP_MESSAGE_MAX);
    ken_mcp__send_error(s, NULL, KEN_MCP__INVALID_REQUEST, text);
}
