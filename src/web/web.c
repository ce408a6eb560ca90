// SPDX-License-Identifier: MIT
// The life of the server, and its tick.
#include "web/web.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "app/catalog.h"
#include "app/tokens.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/id.h"
#include "metrics/metrics.h"
#include "obs/log.h"
#include "web/web_priv.h"

enum {
    WORKERS_MIN = 4,
    QUEUE_MAX = 1024, // of the API
    TICK_MS = 1000,
    SHORT_TELL_S = 60, // from one line to the next
    CERT_BYTES_MAX = 1 << 20,
    PLACES_MAX = 256, // servers at one data folder
};

void ken_web__add_route(ken_web *w, const char *method, const char *path,
                        ken_httpd_handler_fn *handle, size_t max_body_bytes)
{
    if (w->n_routes < WEB_ROUTES_MAX)
        w->routes[w->n_routes++] = (ken_httpd_route){ method, path, handle, max_body_bytes };
}

web_request *ken_web__request(const ken_httpd_request *r)
{
    return ken_httpd_user(r);
}

// ---- opening -----------------------------------------------------------------------------------

// A file of this server in the data folder. The first server there has the plain name, which clients know.
static ken_str own_path(ken_web *w, const char *name, const char *end)
{
    ken_str data = ken_config_data_dir(w->config);
    return w->place > 1
               ? ken_arena_printf(&w->arena, KEN_STR_FMT "/%s-%u.%s", KEN_STR_ARG(data), name,
                                  w->place, end)
               : ken_arena_printf(&w->arena, KEN_STR_FMT "/%s.%s", KEN_STR_ARG(data), name, end);
}

static bool has_database(const ken_web *w)
{
    ken_database *database = NULL;
    return !ken_app_find_database(w->app, &database, NULL) && database;
}

// One server for one data folder: others could not share what it holds in memory. With a database they share that, and may
// share the folder, as replicas with one volume do.
static ken_status take_folder(ken_web *w, ken_err *err)
{
    ken_str data = ken_config_data_dir(w->config);
    ken_status st = ken_fs_make_dirs(data.ptr, 0700, err);
    if (st)
        return st;
    st = ken_fs_lock(own_path(w, "server", "lock").ptr, &w->lock_fd, err);
    while (st == KEN_EBUSY && w->place < PLACES_MAX && has_database(w)) {
        w->place++;
        st = ken_fs_lock(own_path(w, "server", "lock").ptr, &w->lock_fd, err);
    }
    if (st == KEN_EBUSY)
        return KEN_FAIL(err, st,
                        "another ken serve uses the data folder '%s': end it, or give this one a "
                        "folder of its own (data.dir, KEN_DATA_DIR)",
                        data.ptr);
    return st;
}

static ken_status read_tls(const ken_web *w, char **out_cert, char **out_key, ken_err *err)
{
    ken_str cert = ken_config_str(w->config, KEN_CFG_SERVER_TLS_CERT);
    ken_str key = ken_config_str(w->config, KEN_CFG_SERVER_TLS_KEY);
    *out_cert = *out_key = NULL;
    if (!cert.len && !key.len)
        return KEN_OK;
    if (!cert.len || !key.len)
        return KEN_FAIL(err, KEN_EINVAL, "server.tls_cert and server.tls_key belong together");
    ken_buf text = KEN_BUF_INIT(CERT_BYTES_MAX);
    ken_status st = ken_fs_read_own(cert.ptr, CERT_BYTES_MAX, &text, err);
    *out_cert = ken_buf_steal(&text);
    if (!st) {
        text = KEN_BUF_INIT(CERT_BYTES_MAX);
        st = ken_fs_read_own(key.ptr, CERT_BYTES_MAX, &text, err);
        *out_key = ken_buf_steal(&text);
    }
    return st;
}

// Another address than a loopback one is reached by everybody on the network, a loopback one by every user of
// the machine.
static ken_status check_rights(ken_web *w, ken_err *err)
{
    ken_access_token *tokens;
    size_t n = 0;
    bool is_wanted = ken_config_bool(w->config, KEN_CFG_SERVER_REQUIRE_TOKEN);
    w->is_loopback = ken_web__is_loopback(w->host);
    w->needs_token = is_wanted || !w->is_loopback;
    if (!w->needs_token)
        return KEN_OK;
    ken_status st = ken_app_list_tokens(w->app, &w->arena, &tokens, &n, err);
    if (st || n || w->oauth)
        return st;
    if (w->is_loopback)
        return KEN_FAIL(err, KEN_EPERM,
                        "server.require_token is true and there is no access token: make one first "
                        "(`ken token add NAME`)");
    return KEN_FAIL(err, KEN_EPERM,
                    "server.host is '%s', which others reach: make an access token first "
                    "(`ken token add NAME`), or listen on 127.0.0.1",
                    w->host.ptr);
}

static ken_status listen_all(ken_web *w, ken_err *err)
{
    uint16_t port = (uint16_t)ken_config_u64(w->config, KEN_CFG_SERVER_PORT);
    ken_status st = KEN_OK;
    w->listen_fd = w->opts.listen_fd ? w->opts.listen_fd : -1;
    if (w->listen_fd < 0)
        st = ken_httpd_listen(w->host.ptr, port, &w->listen_fd, err);
    if (st == KEN_EBUSY)
        return KEN_FAIL(
            err, st,
            "server.port: %u of %s is in use: end what listens there, or choose another "
            "(--port; 0 = one that is free)",
            port, w->host.ptr);
    w->unix_path = own_path(w, "server", "sock");
    if (!st)
        st = ken_httpd_listen(w->unix_path.ptr, 0, &w->unix_fd, err);
    w->mcp_path = own_path(w, KEN_MCP_SOCKET, "sock");
    if (!st)
        st = ken_httpd_listen(w->mcp_path.ptr, 0, &w->mcp_fd, err);
    return st;
}

ken_status ken_web_open(ken_app *app, const ken_web_opts *opts, ken_web **out, ken_err *err)
{
    ken_web *w = ken_zalloc(sizeof *w);
    w->app = app;
    w->config = ken_app_config(app);
    w->opts = *opts;
    w->lock_fd = w->listen_fd = w->unix_fd = w->mcp_fd = -1;
    w->place = 1;
    ken_arena_init(&w->arena, 0);
    pthread_mutex_init(&w->lock, NULL);
    pthread_mutex_init(&w->feeds_lock, NULL);
    pthread_mutex_init(&w->tools_lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wake, &attr);
    pthread_condattr_destroy(&attr);
    w->host = ken_config_str(w->config, KEN_CFG_SERVER_HOST);
    ken_status st = take_folder(w, err);
    if (!st)
        st = ken_web__open_oauth(w, err);
    if (!st)
        st = check_rights(w, err);
    if (!st)
        st = read_tls(w, &w->tls_cert, &w->tls_key, err);
    if (!st)
        st = listen_all(w, err);
    if (st)
        ken_web_stop(w, 0);
    else
        *out = w;
    return st;
}

// ---- serving -----------------------------------------------------------------------------------

static void read_counts(void *ctx, ken_metrics_sink *sink)
{
    ken_web *w = ctx;
    const ken_httpd *servers[] = { w->tcp, w->local };
    for (size_t i = 0; i < 2; i++) {
        ken_httpd_counts n = ken_httpd_count(servers[i]);
        ken_metrics_put(sink, KEN_METRIC_HTTP_CONNECTIONS, (double)n.n_connections, NULL);
        ken_metrics_put(sink, KEN_METRIC_HTTP_IN_FLIGHT, (double)n.n_requests, NULL);
        ken_metrics_put(sink, KEN_METRIC_HTTP_CUT, (double)n.n_cut, NULL);
        ken_metrics_put(sink, KEN_METRIC_HTTP_STARVED, (double)n.n_starved, NULL);
    }
    ken_mcp_http_counts m = ken_mcp_http_count(w->mcp);
    ken_metrics_put(sink, KEN_METRIC_MCP_SESSIONS, (double)m.n_sessions, NULL);
    ken_metrics_put(sink, KEN_METRIC_MCP_QUEUE, (double)m.n_waiting, NULL);
}

// What waits for a descriptor or its turn reaches no handler, and no log but these lines.
static void tell_shortage(ken_web *w)
{
    int64_t now = ken_clock_mono_ns();
    ken_httpd_counts tcp = ken_httpd_count(w->tcp), local = ken_httpd_count(w->local);
    uint64_t max = ken_config_u64(w->config, KEN_CFG_SERVER_CONNECTIONS);
    bool is_starved = tcp.n_starved + local.n_starved != w->n_starved;
    bool is_full = tcp.n_connections >= max || local.n_connections >= max;
    bool was_told = w->short_ns && now - w->short_ns < (int64_t)SHORT_TELL_S * 1000000000;
    if (was_told || (!is_starved && !is_full))
        return;
    w->n_starved = tcp.n_starved + local.n_starved;
    w->short_ns = now;
    if (is_starved)
        KEN_LOG_ERR(
            "web", "all file descriptors are used: new connections wait until some are free; raise "
                   "LimitNOFILE= of the unit (ulimit -n), or lower server.max_connections");
    if (is_full)
        KEN_LOG_ERR("web",
                    "%llu connections are open, as many as server.max_connections says: more wait "
                    "until one of them ends",
                    (unsigned long long)max);
}

static void tick_until_done(void *ctx, size_t worker)
{
    (void)worker;
    ken_web *w = ctx;
    pthread_mutex_lock(&w->lock);
    while (!w->is_ticker_done) {
        int64_t until = ken_clock_mono_ns() + (int64_t)TICK_MS * 1000000;
        struct timespec at = { .tv_sec = until / 1000000000, .tv_nsec = until % 1000000000 };
        pthread_cond_timedwait(&w->wake, &w->lock, &at);
        if (w->is_ticker_done)
            break;
        pthread_mutex_unlock(&w->lock);
        ken_mcp_http_tick(w->mcp);
        ken_web__tick_events(w);
        ken_web__tick_history(w);
        ken_web__tick_oauth(w);
        tell_shortage(w);
        ken_web__tick_syncs(w);
        ken_web__tick_tools(w);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
}

static ken_status start_one(ken_web *w, bool is_local, ken_httpd **out, ken_err *err)
{
    int *fd = is_local ? &w->unix_fd : &w->listen_fd;
    const ken_httpd_opts o = {
        .address = is_local ? w->unix_path.ptr : w->host.ptr,
        .listen_fd = *fd,
        .routes = w->routes,
        .n_routes = w->n_routes,
        .check = ken_web__check,
        .done = ken_web__done,
        .ctx = w,
        .tls_cert = is_local ? NULL : w->tls_cert,
        .tls_key = is_local ? NULL : w->tls_key,
        .max_connections = (unsigned)ken_config_u64(w->config, KEN_CFG_SERVER_CONNECTIONS),
        .idle_ms = (int64_t)ken_config_u64(w->config, KEN_CFG_SERVER_IDLE) * 1000,
        .body_ms = (int64_t)ken_config_u64(w->config, KEN_CFG_SERVER_BODY_TIME) * 1000,
    };
    *fd = -1; // the server's, also when it does not start
    return ken_httpd_start(&o, out, err);
}

static void say_url(ken_web *w)
{
    bool is_v6 = ken_str_find_char(w->host, ':') != SIZE_MAX;
    snprintf(w->url, sizeof w->url, "%s://%s%.200s%s:%u", w->tls_cert ? "https" : "http",
             is_v6 ? "[" : "", w->host.ptr, is_v6 ? "]" : "", ken_httpd_port(w->tcp));
}

static ken_throttle *make_throttle(const ken_web *w, ken_config_key rate, ken_config_key burst)
{
    ken_uuid random = ken_uuid_random();
    ken_throttle_opts o = { .per_second = ken_config_u64(w->config, rate),
                            .burst = ken_config_u64(w->config, burst) };
    memcpy(&o.seed, random.bytes, sizeof o.seed);
    return ken_throttle_new(&o);
}

ken_status ken_web_start(ken_web *w, ken_err *err)
{
    size_t n_cores = ken_pool_cores();
    ken_mcp_opts mcp = w->opts.mcp ? *w->opts.mcp : (ken_mcp_opts){ .version = w->opts.version };
    mcp.project = KEN_STR("");
    ken_web__open_history(w);
    w->roster = ken_mcp_roster_new(ken_web__on_call, w);
    mcp.roster = w->roster;
    ken_metrics_start(w->opts.version);
    ken_status st = ken_mcp_http_new(w->app, &mcp, &w->mcp, err);
    if (st)
        return st;
    const ken_jobs_opts jobs = {
        .kind = "serve", .version = w->opts.version, .on_index = ken_web__on_index, .ctx = w
    };
    st = ken_jobs_open(w->app, &jobs, &w->jobs, err);
    if (!st)
        st = ken_web__load_tools(w, err);
    if (st)
        return st;
    (void)ken_jobs_subscribe(w->jobs, ken_web__on_job, w);
    w->started_ns = ken_clock_mono_ns();
    w->run = ken_uuid_random();
    w->pool = ken_pool_new(n_cores > WORKERS_MIN ? n_cores : WORKERS_MIN, QUEUE_MAX, 0);
    w->callers = make_throttle(w, KEN_CFG_SERVER_RATE, KEN_CFG_SERVER_BURST);
    w->projects = make_throttle(w, KEN_CFG_SERVER_PROJECT_RATE, KEN_CFG_SERVER_PROJECT_BURST);
    ken_web__add_health(w);
    ken_web__add_mcp(w);
    ken_web__add_api(w);
    ken_web__add_openapi(w);
    ken_web__add_jobs(w);
    ken_web__add_events(w);
    ken_web__add_webhook(w);
    ken_web__add_page(w);
    ken_web__add_clients(w);
    ken_web__add_tools(w);
    ken_web__add_oauth(w);
    st = start_one(w, false, &w->tcp, err);
    if (!st)
        st = start_one(w, true, &w->local, err);
    if (!st) {
        st = ken_mcp_socket_start(w->app, w->opts.version, w->mcp_fd, w->roster, &w->clients, err);
        w->mcp_fd = -1;
    }
    if (st)
        return st;
    say_url(w);
    ken_metrics_add_reader(read_counts, w);
    w->ticker = ken_pool_new(1, 1, 0);
    if (!ken_pool_n_workers(w->ticker))
        return KEN_FAIL(err, KEN_ENOMEM, "no thread for the server can be started");
    ken_pool_submit(w->ticker, tick_until_done, w);
    atomic_store(&w->is_ready, true);
    return KEN_OK;
}

const char *ken_web_url(const ken_web *w)
{
    return w->url;
}

ken_status ken_web_reload(ken_web *w, ken_err *err)
{
    char *cert, *key;
    if (!w->tls_cert)
        return KEN_OK;
    ken_status st = read_tls(w, &cert, &key, err);
    if (!st && !cert)
        st = KEN_FAIL(err, KEN_EINVAL, "there is no certificate any more; the old one stays");
    if (!st)
        st = ken_httpd_renew_tls(w->tcp, cert, key, err);
    ken_free(cert);
    ken_free(key);
    return st;
}

// ---- the end -----------------------------------------------------------------------------------

static void stop_ticker(ken_web *w)
{
    if (!w->ticker)
        return;
    pthread_mutex_lock(&w->lock);
    w->is_ticker_done = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    ken_pool_free(w->ticker);
}

static void close_fd(int fd)
{
    if (fd >= 0)
        close(fd);
}

void ken_web_stop(ken_web *w, int64_t grace_ms)
{
    if (!w)
        return;
    int64_t end = ken_clock_mono_ns() + grace_ms * 1000000;
    atomic_store(&w->is_stopping, true);
    atomic_store(&w->is_ready, false);
    if (w->local)
        ken_metrics_remove_reader(read_counts, w);
    if (w->mcp_path.len)
        (void)unlink(w->mcp_path.ptr);
    ken_mcp_socket_stop(w->clients);
    ken_web__end_feeds(w);
    if (w->mcp)
        ken_mcp_http_stop(w->mcp, grace_ms);
    stop_ticker(w); // it counts what the servers do
    ken_httpd *servers[] = { w->tcp, w->local };
    for (size_t i = 0; i < 2; i++) {
        int64_t left = (end - ken_clock_mono_ns()) / 1000000;
        ken_httpd_stop(servers[i], left > 0 ? left : 0);
    }
    ken_cancel_set(&w->oauth_end);
    if (w->pool)
        ken_pool_free(w->pool);
    ken_oauth_free(w->oauth);
    int64_t left_ms = (end - ken_clock_mono_ns()) / 1000000;
    ken_jobs_close(w->jobs, left_ms > 0 ? left_ms : 0);
    ken_mcp_http_free(w->mcp);
    ken_mcp_roster_free(w->roster);
    ken_web__close_history(w);
    ken_throttle_free(w->callers);
    ken_throttle_free(w->projects);
    close_fd(w->listen_fd);
    if (w->unix_fd >= 0)
        (void)unlink(w->unix_path.ptr);
    close_fd(w->unix_fd);
    close_fd(w->mcp_fd);
    close_fd(w->lock_fd);
    ken_free(w->tls_cert);
    ken_free(w->tls_key);
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    pthread_mutex_destroy(&w->feeds_lock);
    pthread_mutex_destroy(&w->tools_lock);
    ken_arena_release(&w->arena);
    ken_free(w);
}
