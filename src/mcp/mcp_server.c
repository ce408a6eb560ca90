// SPDX-License-Identifier: MIT
// The server: what all sessions share.
#include "base/alloc.h"
#include "base/utf8.h"
#include "mcp/mcp_priv.h"

enum {
    WORKERS = 4,
    QUEUE_MAX = 64,        // workers of sessions that wait for a thread
    SERVER_NAME_MAX = 120, // bytes
};

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
    s->pool = opts->pool;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->subscriptions_lock, NULL);
    pthread_cond_init(&s->has_looked, NULL);
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
    ken_mcp__roster_join(opts->roster, s);
    *out = s;
    return KEN_OK;
}

void ken_mcp_server_free(ken_mcp_server *s)
{
    if (!s)
        return;
    ken_mcp__roster_leave(s->opts.roster, s);
    pthread_mutex_lock(&s->subscriptions_lock);
    while (s->is_looking)
        pthread_cond_wait(&s->has_looked, &s->subscriptions_lock);
    pthread_mutex_unlock(&s->subscriptions_lock);
    if (s->pool != s->opts.pool)
        ken_pool_free(s->pool);
    ken_toolset_free(s->own_tools);
    ken_buf_release(&s->tools_list);
    ken_buf_release(&s->server_info);
    ken_buf_release(&s->instructions);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->subscriptions_lock);
    pthread_cond_destroy(&s->has_looked);
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
