// SPDX-License-Identifier: MIT
// The server's side of `ken mcp` beside it: one thread polls all connections, workers run the calls.
#include "mcp/mcp_socket.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/vec.h"
#include "mcp/mcp_relay_priv.h"
#include "obs/log.h"

enum {
    CONNECTIONS_MAX = 256,
    WORKERS_MIN = 4,
    QUEUE_MAX = 1024,
    GREETING_MS = 1000, // for the first line
    ENDING_MS = 10000,  // from the end of input to the last answer
    STOPPING_MS = 2000, // for calls to notice that the server ends
    ROUND_MS = 5,       // how often an end is polled
    STARVED_MS = 100,   // until one is accepted again, when there was no descriptor for it
    FULL_MS = 20,       // how often a full session is tried again
    LOOK_MS = 1000,     // how often what is subscribed to is compared
};

typedef enum state {
    GREETING = 1, // its first line is not there yet
    OPEN,
    ENDING, // it says nothing more; what it asked is answered
    GONE,
} state;

typedef struct connection {
    int fd;
    state state;
    int64_t since_ns; // in this state
    ken_buf hello;
    json_t *wish;      // what the first line was; owned
    ken_str *toolsets; // in wish; owned
    channel *c;        // from OPEN on
} connection;

struct ken_mcp_socket {
    ken_app *app;
    const char *version;
    ken_mcp_roster *roster;
    uint64_t settings;
    int listen_fd, wake_fd;
    ken_pool *calls, *loop;
    KEN_VEC(connection *) connections; // of the loop, as the next
    int64_t accept_ns;                 // from when on it accepts
    atomic_size_t n_connections;
    atomic_bool is_stopping;
};

static void enter(connection *x, state next)
{
    x->state = next;
    x->since_ns = ken_clock_mono_ns();
}

// ---- meeting -----------------------------------------------------------------------------------

static void take_connection(ken_mcp_socket *s)
{
    int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct ucred who = { 0 };
    socklen_t n = sizeof who;
    if (fd < 0 && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
        s->accept_ns = ken_clock_mono_ns() + (int64_t)STARVED_MS * 1000000;
    if (fd < 0)
        return;
    if (s->connections.len >= CONNECTIONS_MAX ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) || who.uid != geteuid()) {
        close(fd);
        return;
    }
    connection *x = ken_zalloc(sizeof *x);
    x->fd = fd;
    x->hello = KEN_BUF_INIT(RELAY_HELLO_MAX);
    enter(x, GREETING);
    ken_vec_push(&s->connections, x);
    atomic_fetch_add(&s->n_connections, 1);
}

// Whether this server would answer as the client's own process.
static bool is_like_us(const ken_mcp_socket *s, const json_t *wish)
{
    char settings[24];
    snprintf(settings, sizeof settings, "%016llx", (unsigned long long)s->settings);
    return ken_str_eq_c(ken_json_text(json_object_get(wish, "version")), s->version) &&
           ken_str_eq_c(ken_json_text(json_object_get(wish, "settings")), settings);
}

static bool open_session(ken_mcp_socket *s, connection *x, ken_str hello)
{
    ken_err err = { 0 };
    if (ken_json_parse(hello, &x->wish, &err) || !is_like_us(s, x->wish))
        return false;
    const json_t *sets = json_object_get(x->wish, "toolsets");
    size_t n = json_array_size(sets);
    x->toolsets = ken_zalloc(ken_mul_size(n ? n : 1, sizeof *x->toolsets));
    for (size_t i = 0; i < n; i++)
        x->toolsets[i] = ken_json_text(json_array_get(sets, i));
    const ken_mcp_opts o = {
        .version = s->version,
        .project = ken_json_text(json_object_get(x->wish, "project")),
        .cwd = ken_json_text(json_object_get(x->wish, "cwd")),
        .toolsets = x->toolsets,
        .n_toolsets = n,
        .is_read_only = json_is_true(json_object_get(x->wish, "read_only")),
        .is_json = json_is_true(json_object_get(x->wish, "json")),
        .pool = s->calls,
        .roster = s->roster,
        .transport = "socket",
    };
    x->c = ken_mcp__channel_new(s->app, &o, x->fd, x->fd, s->wake_fd, &err);
    if (!x->c)
        return false;
    ken_mcp__channel_put(x->c, KEN_STR(RELAY_OK));
    enter(x, OPEN);
    return true;
}

static void greet(ken_mcp_socket *s, connection *x)
{
    char input[4096];
    ssize_t n = recv(x->fd, input, sizeof input, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n > 0)
        ken_buf_put(&x->hello, input, (size_t)n);
    ken_str all = ken_buf_str(&x->hello);
    size_t end = ken_str_find_char(all, '\n');
    bool is_whole = end != SIZE_MAX && end + 1 == all.len; // nothing more before it is answered
    if (n <= 0 || x->hello.is_over || (end != SIZE_MAX && !is_whole) ||
        (is_whole && !open_session(s, x, ken_str_sub(all, 0, end))))
        enter(x, GONE);
}

// ---- serving -----------------------------------------------------------------------------------

static bool is_idle(const connection *x)
{
    return !x->c || ken_mcp_session_wait(x->c->session, 0);
}

// What its state and the time make of it.
static void step(connection *x, int64_t now_ns)
{
    bool is_broken = false;
    size_t n_left = x->c ? ken_mcp__channel_flush(x->c, &is_broken) : 0;
    int64_t ms = (now_ns - x->since_ns) / 1000000;
    if (x->state != GONE && (is_broken || (x->state == GREETING && ms > GREETING_MS) ||
                             (x->state == ENDING && ((is_idle(x) && !n_left) || ms > ENDING_MS))))
        enter(x, GONE);
    if (x->state == GONE && x->c)
        ken_mcp_session_cancel_all(x->c->session);
}

static bool takes_more(const connection *x, size_t n_left)
{
    return x->c && n_left <= CHANNEL_STOP_BYTES && !ken_mcp_session_is_full(x->c->session);
}

static short events_of(const connection *x, size_t n_left)
{
    bool reads = x->state == GREETING || (x->state == OPEN && takes_more(x, n_left));
    return (short)((reads ? POLLIN : 0) | (n_left ? POLLOUT : 0));
}

// Milliseconds after which it is looked at without an event; -1 = never.
static int wait_ms(const connection *x, short events)
{
    if (x->state == GREETING)
        return GREETING_MS;
    if (x->state != OPEN || !x->c)
        return ROUND_MS;
    if (!(events & POLLIN))
        return FULL_MS;
    return ken_mcp_server_look(x->c->server) ? LOOK_MS : -1;
}

static void read_input(ken_mcp_socket *s, connection *x)
{
    if (x->state == GREETING)
        greet(s, x);
    else if (x->state == OPEN && !ken_mcp__channel_read(x->c))
        enter(x, ENDING);
}

// Frees it when nothing of it runs any more.
static bool let_go(ken_mcp_socket *s, size_t at)
{
    connection *x = s->connections.ptr[at];
    if (x->state != GONE || !is_idle(x))
        return false;
    if (x->c)
        ken_mcp__channel_free(x->c);
    close(x->fd);
    ken_buf_release(&x->hello);
    json_decref(x->wish);
    ken_free(x->toolsets);
    ken_free(x);
    s->connections.ptr[at] = s->connections.ptr[--s->connections.len];
    atomic_fetch_sub(&s->n_connections, 1);
    return true;
}

typedef struct poll_round {
    struct pollfd fds[CONNECTIONS_MAX + 2];
    size_t n;
    int wait_ms;
} poll_round;

static void prepare(ken_mcp_socket *s, poll_round *p)
{
    int64_t now = ken_clock_mono_ns();
    bool accepts = now >= s->accept_ns;
    p->fds[0] = (struct pollfd){ .fd = accepts ? s->listen_fd : -1, .events = POLLIN };
    p->fds[1] = (struct pollfd){ .fd = s->wake_fd, .events = POLLIN };
    p->n = 2;
    p->wait_ms = accepts ? -1 : STARVED_MS;
    for (size_t i = s->connections.len; i-- > 0;) {
        step(s->connections.ptr[i], now);
        (void)let_go(s, i);
    }
    for (size_t i = 0; i < s->connections.len; i++) {
        connection *x = s->connections.ptr[i];
        bool is_broken = false;
        size_t n_left = x->c ? ken_mcp__channel_flush(x->c, &is_broken) : 0;
        short events = events_of(x, n_left);
        int ms = wait_ms(x, events);
        if (ms >= 0 && (p->wait_ms < 0 || ms < p->wait_ms))
            p->wait_ms = ms;
        p->fds[p->n++] = (struct pollfd){ .fd = events ? x->fd : -1, .events = events };
    }
}

static void serve_round(ken_mcp_socket *s)
{
    poll_round p;
    uint64_t count;
    prepare(s, &p);
    size_t n = s->connections.len; // those that were polled
    if (poll(p.fds, p.n, p.wait_ms) < 0)
        return;
    if (p.fds[1].revents)
        (void)!read(s->wake_fd, &count, sizeof count);
    for (size_t i = 0; i < n; i++)
        if (p.fds[i + 2].revents & (POLLIN | POLLHUP | POLLERR))
            read_input(s, s->connections.ptr[i]);
    if (p.fds[0].revents)
        take_connection(s);
}

static void serve(void *ctx, size_t worker)
{
    (void)worker;
    ken_mcp_socket *s = ctx;
    while (!atomic_load(&s->is_stopping))
        serve_round(s);
    // Closed first, so that clients go on alone while our calls still end.
    for (size_t i = 0; i < s->connections.len; i++) {
        shutdown(s->connections.ptr[i]->fd, SHUT_RDWR);
        enter(s->connections.ptr[i], GONE);
    }
    int64_t end = ken_clock_mono_ns() + (int64_t)STOPPING_MS * 1000000;
    while (s->connections.len && ken_clock_mono_ns() < end) {
        for (size_t i = s->connections.len; i-- > 0;) {
            step(s->connections.ptr[i], ken_clock_mono_ns());
            (void)let_go(s, i);
        }
        (void)poll(NULL, 0, ROUND_MS);
    }
}

// ---- its life ----------------------------------------------------------------------------------

ken_status ken_mcp_socket_start(ken_app *app, const char *version, int listen_fd,
                                ken_mcp_roster *roster, ken_mcp_socket **out, ken_err *err)
{
    ken_mcp_socket *s = ken_zalloc(sizeof *s);
    size_t n_cores = ken_pool_cores();
    s->app = app;
    s->version = version;
    s->roster = roster;
    s->listen_fd = listen_fd;
    s->settings = ken_mcp__settings_hash(ken_app_config(app));
    s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->calls = ken_pool_new(n_cores > WORKERS_MIN ? n_cores : WORKERS_MIN, QUEUE_MAX, 0);
    s->loop = ken_pool_new(1, 1, 0);
    if (s->wake_fd < 0 || !ken_pool_n_workers(s->loop)) {
        ken_mcp_socket_stop(s);
        return KEN_FAIL(err, KEN_ENOMEM, "no thread for local clients can be started");
    }
    ken_pool_submit(s->loop, serve, s);
    *out = s;
    return KEN_OK;
}

size_t ken_mcp_socket_count(ken_mcp_socket *s)
{
    return atomic_load(&s->n_connections);
}

void ken_mcp_socket_stop(ken_mcp_socket *s)
{
    uint64_t one = 1;
    if (!s)
        return;
    atomic_store(&s->is_stopping, true);
    (void)!write(s->wake_fd, &one, sizeof one);
    ken_pool_free(s->loop);
    ken_pool_free(s->calls); // what did not stop in time ends here
    for (size_t i = s->connections.len; i-- > 0;)
        (void)let_go(s, i);
    ken_vec_release(&s->connections);
    close(s->listen_fd);
    if (s->wake_fd >= 0)
        close(s->wake_fd);
    ken_free(s);
}
