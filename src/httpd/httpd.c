// SPDX-License-Identifier: MIT
// httpd.c -- the life of a server, and its loop.
//
// The library runs without threads of its own: the loop waits on one epoll that holds the library's
// epoll, an eventfd (stop, new certificate) and each client's socket, edge-triggered, for its end
// alone. The latter is how the end of a client is seen while its connection is suspended, when the
// library looks away. Suspended are connections whose answer is being made and streams without
// bytes.
//
// Slow clients: a connection stands in one of two queues while a head or a body is awaited. Both have
// one limit of time each, so the first is the next to be cut, and nothing is sorted. The library's own
// timeout ends connections that do not take their answer.
#include "httpd/httpd.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "httpd/httpd_priv.h"

enum {
    EVENTS = 256,
    NS_PER_MS = 1000000,
    WRITE_TIMEOUT_S = 60,  // of a client that does not take its answer
    STARVED_PAUSE_MS = 10, // of the loop, while there are no descriptors
    STARVED_LOOK_MS = 100,
    RUNS_AT_END = 1000, // of the loop, at most, after everything was told as gone
};

// ---- connections that are waited for -----------------------------------------------------------

static void leave_queue(httpd_connection *c)
{
    httpd_queue *q = c->queue;
    if (!q)
        return;
    *(c->previous ? &c->previous->next : &q->first) = c->next;
    *(c->next ? &c->next->previous : &q->last) = c->previous;
    c->previous = c->next = NULL;
    c->queue = NULL;
}

static void join_queue(httpd_connection *c, httpd_queue *q)
{
    leave_queue(c);
    c->queue = q;
    c->since_ns = ken_clock_mono_ns();
    c->previous = q->last;
    *(q->last ? &q->last->next : &q->first) = c;
    q->last = c;
}

// The library notices, and closes the connection.
static void cut_overdue(ken_httpd *h, httpd_queue *q, int64_t now_ns)
{
    while (q->first && now_ns - q->first->since_ns >= q->limit_ns) {
        httpd_connection *c = q->first;
        leave_queue(c);
        atomic_fetch_add(&h->n_cut, 1); // before its client can see it
        shutdown(c->fd, SHUT_RDWR);
    }
}

static void join_ended(ken_httpd *h, httpd_connection *c)
{
    c->has_ended = true;
    c->previous_ended = NULL;
    c->next_ended = h->first_ended;
    if (c->next_ended)
        c->next_ended->previous_ended = c;
    h->first_ended = c;
}

static void leave_ended(ken_httpd *h, httpd_connection *c)
{
    if (!c->has_ended)
        return;
    *(c->previous_ended ? &c->previous_ended->next_ended : &h->first_ended) = c->next_ended;
    if (c->next_ended)
        c->next_ended->previous_ended = c->previous_ended;
}

static bool is_resting(ken_httpd_request *r)
{
    pthread_mutex_lock(&r->lock);
    bool is_suspended = r->is_suspended;
    pthread_mutex_unlock(&r->lock);
    return is_suspended;
}

// Whoever says nothing more waits for no answer either, and, when all was read, will not complete what is
// waited for. The library may have seen the end together with the last bytes, and look no more.
static void cut_ended(ken_httpd *h)
{
    for (httpd_connection *c = h->first_ended, *next; c; c = next) {
        int n_unread = 0;
        next = c->next_ended;
        if (c->request && is_resting(c->request))
            ken_httpd__request_gone(c->request);
        if (!c->queue || ioctl(c->fd, FIONREAD, &n_unread) || n_unread)
            continue;
        leave_queue(c);
        shutdown(c->fd, SHUT_RDWR);
    }
}

static void on_connection(void *ctx, struct MHD_Connection *mc, void **socket_ctx,
                          enum MHD_ConnectionNotificationCode what)
{
    ken_httpd *h = ctx;
    httpd_connection *c = *socket_ctx;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        c = ken_zalloc(sizeof *c);
        c->server = h;
        c->fd = h->mhd->connection_info(mc, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        struct epoll_event e = { .events = EPOLLRDHUP | EPOLLET, .data.ptr = c };
        (void)epoll_ctl(h->epoll_fd, EPOLL_CTL_ADD, c->fd, &e);
        join_queue(c, &h->heads);
        *socket_ctx = c;
        atomic_fetch_add(&h->n_connections, 1);
    } else if (c) {
        leave_queue(c);
        leave_ended(h, c);
        (void)epoll_ctl(h->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
        ken_free(c);
        *socket_ctx = NULL;
        atomic_fetch_sub(&h->n_connections, 1);
        h->has_room = true;
    }
}

static void wake_loop(ken_httpd *h)
{
    uint64_t one = 1;
    (void)!write(h->wake_fd, &one, sizeof one);
}

// ---- requests ----------------------------------------------------------------------------------

static void *on_uri(void *ctx, const char *uri, struct MHD_Connection *c)
{
    return ken_httpd__request_new(ctx, c, uri);
}

static void on_completed(void *ctx, struct MHD_Connection *c, void **request_ctx,
                         enum MHD_RequestTerminationCode why)
{
    (void)c;
    (void)why;
    ken_httpd *h = ctx;
    ken_httpd_request *r = *request_ctx;
    if (!r)
        return;
    *request_ctx = NULL;
    r->connection->request = NULL;
    if (!h->is_draining)
        join_queue(r->connection, &h->heads);
    ken_httpd__request_gone(r);
    if (h->opts.done && r->has_head)
        h->opts.done(h->opts.ctx, r);
    pthread_mutex_lock(&h->lock);
    *(r->previous ? &r->previous->next : &h->first_request) = r->next;
    if (r->next)
        r->next->previous = r->previous;
    pthread_mutex_unlock(&h->lock);
    atomic_fetch_sub(&h->n_requests, 1);
    if (r->response && !r->has_queued)
        h->mhd->destroy(r->response);
    if (r->has_head && !r->has_begun && !r->is_let_go) // its handler is not called any more
        ken_httpd__request_drop(r);
    ken_httpd__request_drop(r);
}

void ken_httpd__resume(ken_httpd_request *r)
{
    if (!r->is_suspended)
        return;
    r->is_suspended = false;
    r->server->mhd->resume(r->mhd_connection);
    wake_loop(r->server); // the library does not wake a loop that is not its own
}

// An answer that is there goes out; otherwise the connection rests until there is one.
static enum MHD_Result answer_or_wait(ken_httpd_request *r)
{
    pthread_mutex_lock(&r->lock);
    bool is_answered = r->response != NULL, is_gone = r->is_gone;
    if (!is_answered && !is_gone) {
        r->is_suspended = true;
        r->server->mhd->suspend(r->mhd_connection);
    }
    pthread_mutex_unlock(&r->lock);
    if (is_answered)
        return ken_httpd__queue(r);
    return is_gone ? MHD_NO : MHD_YES;
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *mc, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *n_data, void **request_ctx)
{
    (void)mc;
    (void)url;
    (void)version;
    ken_httpd *h = ctx;
    ken_httpd_request *r = *request_ctx;
    if (!r->has_head) {
        if (!ken_httpd__take_head(r, method)) {
            leave_queue(r->connection);
            return answer_or_wait(r);
        }
        join_queue(r->connection, &h->bodies);
        return MHD_YES;
    }
    if (*n_data && !r->has_begun) {
        ken_buf_put(&r->body, data, *n_data);
        *n_data = 0;
        if (!r->body.is_over && r->route->max_body_bytes)
            return MHD_YES;
        return MHD_NO; // too late for an answer
    }
    if (!r->has_begun) {
        r->has_begun = true;
        leave_queue(r->connection);
        r->route->handle(h->opts.ctx, r);
    }
    return answer_or_wait(r);
}

// ---- without descriptors -----------------------------------------------------------------------
//
// The library then accepts nothing until one of its connections ends, however many descriptors are free by
// then; and when it has no connection it tries again at once, for ever.

static bool has_descriptor(void)
{
    int fd = eventfd(0, EFD_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || (errno != EMFILE && errno != ENFILE && errno != ENOMEM);
}

// The library's log, of which nothing else is of interest.
static void on_complaint(void *ctx, const char *fmt, va_list ap)
{
    (void)fmt;
    (void)ap;
    ken_httpd *h = ctx;
    if (!has_descriptor() && !atomic_exchange(&h->is_starved, true))
        atomic_fetch_add(&h->n_starved, 1);
}

// A connection that has ended already: with its end the library accepts again.
static bool accept_again(ken_httpd *h)
{
    for (size_t i = 0; i < h->n_daemons; i++) {
        const struct sockaddr_un nobody = { .sun_family = AF_UNIX };
        int pair[2];
        if (!h->daemons[i].is_listening)
            continue;
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
            return false;
        close(pair[1]);
        (void)h->mhd->add_connection(h->daemons[i].mhd, pair[0], (const struct sockaddr *)&nobody,
                                     sizeof nobody); // it closes it in any case
    }
    return true;
}

static void bear_starvation(ken_httpd *h)
{
    if (!atomic_load(&h->is_starved))
        return;
    (void)poll(NULL, 0, STARVED_PAUSE_MS);
    if (has_descriptor() && accept_again(h))
        atomic_store(&h->is_starved, false);
}

// ---- the library's server ----------------------------------------------------------------------

static size_t keep_escapes(void *ctx, struct MHD_Connection *c, char *text)
{
    (void)ctx;
    (void)c;
    return strlen(text);
}

static ken_status start_daemon(ken_httpd *h, int fd, const char *cert, const char *key,
                               ken_err *err)
{
    if (h->n_daemons == HTTPD_DAEMONS_MAX)
        return KEN_FAIL(err, KEN_EBUSY, "%d certificates are still in use", HTTPD_DAEMONS_MAX);
    httpd_daemon d = { .is_listening = true };
    struct MHD_OptionItem tls[] = { { MHD_OPTION_END, 0, NULL },
                                    { MHD_OPTION_END, 0, NULL },
                                    { MHD_OPTION_END, 0, NULL } };
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    if (cert) {
        d.cert = ken_strdup(cert);
        d.key = ken_strdup(key);
        tls[0] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_CERT, 0, d.cert };
        tls[1] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_KEY, 0, d.key };
        flags |= MHD_USE_TLS;
    }
    d.mhd = h->mhd->start(
        flags, 0, NULL, NULL, on_request, h, MHD_OPTION_EXTERNAL_LOGGER, on_complaint, h,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_URI_LOG_CALLBACK, on_uri, h,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        h->opts.max_head_bytes, MHD_OPTION_CONNECTION_LIMIT, h->opts.max_connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, h->opts.max_per_address, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)WRITE_TIMEOUT_S, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY, tls,
        MHD_OPTION_END);
    if (!d.mhd) {
        ken_free(d.cert);
        ken_free(d.key);
        return KEN_FAIL(err, cert ? KEN_EINVAL : KEN_EIO,
                        cert ? "the certificate or its key cannot be used"
                             : "the HTTP server does not start");
    }
    d.epoll_fd = h->mhd->daemon_info(d.mhd, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    struct epoll_event e = { .events = EPOLLIN, .data.ptr = NULL };
    (void)epoll_ctl(h->epoll_fd, EPOLL_CTL_ADD, d.epoll_fd, &e);
    h->daemons[h->n_daemons++] = d;
    return KEN_OK;
}

static void end_daemon(ken_httpd *h, size_t at)
{
    httpd_daemon d = h->daemons[at];
    (void)epoll_ctl(h->epoll_fd, EPOLL_CTL_DEL, d.epoll_fd, NULL);
    h->mhd->stop(d.mhd);
    ken_free(d.cert);
    ken_free(d.key);
    h->daemons[at] = h->daemons[--h->n_daemons];
}

// The listening socket, which is the caller's again; -1 when it was given up before.
static int stop_listening(ken_httpd *h)
{
    for (size_t i = 0; i < h->n_daemons; i++) {
        if (!h->daemons[i].is_listening)
            continue;
        h->daemons[i].is_listening = false;
        return h->mhd->quiesce(h->daemons[i].mhd);
    }
    return -1;
}

// ---- the loop ----------------------------------------------------------------------------------

// The certificate is tried before the old server lets its socket go.
static void renew_tls(ken_httpd *h)
{
    pthread_mutex_lock(&h->lock);
    if (h->new_cert) {
        int old = -1;
        for (size_t i = 0; i < h->n_daemons; i++)
            if (h->daemons[i].is_listening)
                old = (int)i;
        int fd =
            old < 0
                ? -1
                : h->mhd->daemon_info(h->daemons[old].mhd, MHD_DAEMON_INFO_LISTEN_FD)->listen_fd;
        int copy = fd < 0 ? -1 : dup(fd);
        h->renew_status = copy < 0 ? KEN_FAIL(&h->renew_err, KEN_EIO, "the server does not listen")
                                   : start_daemon(h, copy, h->new_cert, h->new_key, &h->renew_err);
        if (!h->renew_status) {
            h->daemons[old].is_listening = false;
            close(h->mhd->quiesce(h->daemons[old].mhd));
        } else if (copy >= 0) {
            close(copy);
        }
        h->new_cert = h->new_key = NULL;
        pthread_cond_broadcast(&h->renewed);
    }
    pthread_mutex_unlock(&h->lock);
}

// Servers of an old certificate go with their last connection.
static void end_old_daemons(ken_httpd *h)
{
    for (size_t i = h->n_daemons; i-- > 0;) {
        httpd_daemon *d = &h->daemons[i];
        if (!d->is_listening && h->n_daemons > 1 &&
            !h->mhd->daemon_info(d->mhd, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections)
            end_daemon(h, i);
    }
}

static void all_gone(ken_httpd *h)
{
    for (;;) {
        pthread_mutex_lock(&h->lock);
        ken_httpd_request *r = h->first_request;
        while (r) {
            pthread_mutex_lock(&r->lock);
            bool is_news = !r->is_gone;
            pthread_mutex_unlock(&r->lock);
            if (is_news)
                break;
            r = r->next;
        }
        pthread_mutex_unlock(&h->lock);
        if (!r)
            return;
        ken_httpd__request_gone(r); // only this thread removes requests
    }
}

static int wait_ms(ken_httpd *h, int64_t now_ns)
{
    int64_t least = h->has_room ? 0 : atomic_load(&h->is_starved) ? STARVED_LOOK_MS : -1;
    for (size_t i = 0; i < h->n_daemons; i++) {
        MHD_UNSIGNED_LONG_LONG ms = 0;
        if (h->mhd->timeout(h->daemons[i].mhd, &ms) == MHD_YES &&
            (least < 0 || (int64_t)ms < least))
            least = ms < INT_MAX ? (int64_t)ms : INT_MAX;
    }
    const httpd_queue *queues[] = { &h->heads, &h->bodies };
    int64_t until[3] = { -1, -1, h->is_draining ? h->drain_until_ns : -1 };
    for (size_t i = 0; i < 2; i++)
        if (queues[i]->first)
            until[i] = queues[i]->first->since_ns + queues[i]->limit_ns;
    for (size_t i = 0; i < 3; i++) {
        int64_t ms = until[i] < 0         ? -1
                     : until[i] <= now_ns ? 0
                                          : (until[i] - now_ns) / NS_PER_MS + 1;
        if (ms >= 0 && (least < 0 || ms < least))
            least = ms;
    }
    return least > INT_MAX ? INT_MAX : (int)least;
}

static void take_events(ken_httpd *h, const struct epoll_event *events, int n)
{
    uint64_t count;
    for (int i = 0; i < n; i++) {
        void *at = events[i].data.ptr;
        if (at == h) {
            (void)!read(h->wake_fd, &count, sizeof count);
        } else if (at) {
            httpd_connection *c = at;
            if (!c->has_ended)
                join_ended(h, c);
        }
    }
}

static void run_once(ken_httpd *h)
{
    struct epoll_event events[EVENTS];
    bear_starvation(h);
    int n = epoll_wait(h->epoll_fd, events, EVENTS, wait_ms(h, ken_clock_mono_ns()));
    h->has_room = false;
    take_events(h, events, n);
    for (size_t i = 0; i < h->n_daemons; i++)
        (void)h->mhd->run(h->daemons[i].mhd);
    int64_t now = ken_clock_mono_ns();
    cut_overdue(h, &h->heads, now);
    cut_overdue(h, &h->bodies, now);
    cut_ended(h);
    renew_tls(h);
    end_old_daemons(h);
}

static void begin_draining(ken_httpd *h)
{
    int fd = stop_listening(h);
    if (fd >= 0)
        close(fd);
    h->is_draining = true;
    h->drain_until_ns = ken_clock_mono_ns() + h->grace_ms * NS_PER_MS;
}

static void loop(void *ctx, size_t worker)
{
    (void)worker;
    ken_httpd *h = ctx;
    while (!atomic_load(&h->is_stopping))
        run_once(h);
    begin_draining(h);
    while (atomic_load(&h->n_requests) && ken_clock_mono_ns() < h->drain_until_ns)
        run_once(h);
    all_gone(h);
    for (int i = 0; i < RUNS_AT_END && atomic_load(&h->n_requests); i++)
        run_once(h);
    while (h->n_daemons)
        end_daemon(h, h->n_daemons - 1);
}

// ---- the life of a server ----------------------------------------------------------------------

static void set_defaults(ken_httpd *h)
{
    ken_httpd_opts *o = &h->opts;
    o->max_connections = o->max_connections ? o->max_connections : KEN_HTTPD_CONNECTIONS;
    o->max_head_bytes = o->max_head_bytes ? o->max_head_bytes : KEN_HTTPD_HEAD_BYTES;
    o->max_unsent_bytes = o->max_unsent_bytes ? o->max_unsent_bytes : KEN_HTTPD_UNSENT_BYTES;
    h->heads.limit_ns = (o->idle_ms ? o->idle_ms : KEN_HTTPD_IDLE_MS) * NS_PER_MS;
    h->bodies.limit_ns = (o->body_ms ? o->body_ms : KEN_HTTPD_BODY_MS) * NS_PER_MS;
}

static void free_server(ken_httpd *h)
{
    if (h->epoll_fd >= 0)
        close(h->epoll_fd);
    if (h->wake_fd >= 0)
        close(h->wake_fd);
    if (h->unix_path)
        (void)unlink(h->unix_path);
    ken_free(h->unix_path);
    pthread_mutex_destroy(&h->lock);
    pthread_cond_destroy(&h->renewed);
    ken_free(h);
}

static ken_status open_loop(ken_httpd *h, ken_err *err)
{
    h->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    h->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event e = { .events = EPOLLIN, .data.ptr = h };
    if (h->epoll_fd < 0 || h->wake_fd < 0 || epoll_ctl(h->epoll_fd, EPOLL_CTL_ADD, h->wake_fd, &e))
        return KEN_FAIL_ERRNO(err, errno, "the loop of the HTTP server");
    return KEN_OK;
}

ken_status ken_httpd_listen(const char *address, uint16_t port, int *out_fd, ken_err *err)
{
    return address[0] == '/' ? ken_httpd__listen_unix(address, out_fd, err)
                             : ken_httpd__listen_tcp(address, port, out_fd, err);
}

ken_status ken_httpd_start(const ken_httpd_opts *opts, ken_httpd **out, ken_err *err)
{
    const httpd_mhd *mhd;
    ken_status st = ken_httpd__mhd(&mhd, err);
    if (st)
        return st;
    ken_httpd *h = ken_zalloc(sizeof *h);
    h->mhd = mhd;
    h->opts = *opts;
    h->epoll_fd = h->wake_fd = -1;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->renewed, NULL);
    set_defaults(h);
    int fd = opts->listen_fd ? opts->listen_fd : -1;
    bool is_path = opts->address[0] == '/';
    st = open_loop(h, err);
    if (!st && fd < 0)
        st = ken_httpd_listen(opts->address, opts->port, &fd, err);
    if (!st && is_path)
        h->unix_path = ken_strdup(opts->address);
    if (!st && !is_path)
        ken_httpd__watch_peers(fd);
    if (!st)
        h->port = ken_httpd__port_of(fd);
    if (!st)
        st = start_daemon(h, fd, opts->tls_cert, opts->tls_key, err);
    if (!st) {
        h->pool = ken_pool_new(1, 1, 0);
        if (!ken_pool_n_workers(h->pool))
            st = KEN_FAIL(err, KEN_ENOMEM, "no thread for the HTTP server can be started");
    }
    if (st) {
        fd = h->n_daemons ? stop_listening(h) : fd;
        while (h->n_daemons)
            end_daemon(h, h->n_daemons - 1);
        if (fd >= 0)
            close(fd);
        if (h->pool)
            ken_pool_free(h->pool);
        free_server(h);
        return st;
    }
    ken_pool_submit(h->pool, loop, h);
    *out = h;
    return KEN_OK;
}

void ken_httpd_stop(ken_httpd *h, int64_t grace_ms)
{
    if (!h)
        return;
    h->grace_ms = grace_ms;
    atomic_store(&h->is_stopping, true);
    wake_loop(h);
    ken_pool_free(h->pool);
    free_server(h);
}

uint16_t ken_httpd_port(const ken_httpd *h)
{
    return h->port;
}

ken_status ken_httpd_renew_tls(ken_httpd *h, const char *cert, const char *key, ken_err *err)
{
    if (!h->opts.tls_cert)
        return KEN_FAIL(err, KEN_EINVAL, "the server was started without TLS");
    pthread_mutex_lock(&h->lock);
    while (h->new_cert)
        pthread_cond_wait(&h->renewed, &h->lock);
    h->new_cert = cert;
    h->new_key = key;
    wake_loop(h);
    while (h->new_cert == cert)
        pthread_cond_wait(&h->renewed, &h->lock);
    ken_status st = h->renew_status;
    if (st && err)
        *err = h->renew_err;
    pthread_mutex_unlock(&h->lock);
    return st;
}

ken_httpd_counts ken_httpd_count(const ken_httpd *h)
{
    return (ken_httpd_counts){ .n_connections = atomic_load(&h->n_connections),
                               .n_requests = atomic_load(&h->n_requests),
                               .n_cut = atomic_load(&h->n_cut),
                               .n_starved = atomic_load(&h->n_starved) };
}
