// SPDX-License-Identifier: MIT
// The stdio transport: one message a line.
//
// The thread that calls is the reader: it answers what is quick and hands the rest to workers.
// Nobody ever waits for the client to read: what cannot be written at once is queued, and the
// reader's poll writes it later, so that end of input is noticed whatever state the client is in.
//
// stdout is moved to a descriptor that only this file knows, and descriptor 1 is pointed at stderr:
// a library that prints cannot break the protocol. stdin is moved away as well, so that no child
// process can eat messages.
//
// At end of input calls that are about to finish get a moment, the others are cancelled, and what
// does not stop then is left behind: the process ends, which the stores survive like any crash.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "mcp/mcp_priv.h"
#include "obs/log.h"

enum {
    READ_BYTES = 64 * 1024,
    PIPE_BYTES = 4096,               // what a pipe that polls as writable takes without blocking
    KEPT_BYTES = 1 << 20,            // buffers above this are given back after use
    QUEUE_BYTES = 128 * 1024 * 1024, // a client that reads nothing for this long is gone
    GRACE_MS = 20,                   // for calls that are about to finish, at end of input
    CANCEL_MS = 10,                  // for the others, to notice that they were cancelled
};

typedef struct channel {
    int in_fd, out_fd;
    int wake_fd;   // eventfd: something is queued, or broke
    int parent_fd; // signalfd: a thread of the parent ended; -1 = none
    pid_t parent;
    bool is_socket;       // of out_fd
    pthread_mutex_t lock; // guards: out, n_sent, is_broken
    ken_buf out;          // not written yet from n_sent on
    size_t n_sent;
    bool is_broken; // the client does not read any more
    char input[READ_BYTES];
} channel;

typedef struct line_reader {
    ken_buf line;     // without its end
    bool is_skipping; // the rest of a line that is too long
} line_reader;

// ---- writing -----------------------------------------------------------------------------------

// Bytes written; 0 = not now, -1 = never again.
static ssize_t write_some(const channel *c, const char *p, size_t n)
{
    ssize_t rc;
    do {
        if (c->is_socket) {
            rc = send(c->out_fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        } else {
            struct pollfd out = { .fd = c->out_fd, .events = POLLOUT };
            if (poll(&out, 1, 0) <= 0)
                return 0;
            rc = write(c->out_fd, p, n < PIPE_BYTES ? n : PIPE_BYTES);
        }
    } while (rc < 0 && errno == EINTR);
    if (rc < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
    return rc;
}

// Writes what the client takes now; the lock is held.
static void flush_locked(channel *c)
{
    while (!c->is_broken && c->n_sent < c->out.len) {
        ssize_t n = write_some(c, c->out.ptr + c->n_sent, c->out.len - c->n_sent);
        if (!n)
            return;
        if (n < 0)
            c->is_broken = true;
        else
            c->n_sent += (size_t)n;
    }
    if (c->out.cap > KEPT_BYTES)
        ken_buf_release(&c->out);
    ken_buf_clear(&c->out);
    c->n_sent = 0;
}

static void channel_wake(const channel *c)
{
    uint64_t one = 1;
    ssize_t rc = write(c->wake_fd, &one, sizeof one);
    (void)rc; // it is non-blocking and only full when it was written to already
}

static void channel_send(void *ctx, ken_str message)
{
    channel *c = ctx;
    pthread_mutex_lock(&c->lock);
    if (!c->is_broken) {
        ken_buf_put_str(&c->out, message);
        ken_buf_putc(&c->out, '\n');
        c->is_broken |= c->out.is_over;
        flush_locked(c);
    }
    bool is_left = c->is_broken || c->n_sent < c->out.len;
    pthread_mutex_unlock(&c->lock);
    if (is_left)
        channel_wake(c);
}

static bool channel_flush(channel *c, bool *out_is_broken)
{
    pthread_mutex_lock(&c->lock);
    flush_locked(c);
    bool is_left = c->n_sent < c->out.len;
    *out_is_broken = c->is_broken;
    pthread_mutex_unlock(&c->lock);
    return is_left;
}

// ---- reading -----------------------------------------------------------------------------------

// Adds a part of a line; one that grows too long is refused once and passed over.
static void add_part(line_reader *l, ken_mcp_session *s, const char *p, size_t n)
{
    if (l->is_skipping)
        return;
    if (l->line.len + n > KEN_MCP_MESSAGE_MAX) {
        l->is_skipping = true;
        ken_buf_release(&l->line);
        ken_mcp_session_refuse_long(s);
        return;
    }
    ken_buf_put(&l->line, p, n);
}

static void end_line(line_reader *l, ken_mcp_session *s)
{
    ken_str text = ken_str_trim(ken_buf_str(&l->line));
    if (!l->is_skipping && text.len)
        ken_mcp_session_receive(s, text);
    l->is_skipping = false;
    if (l->line.cap > KEPT_BYTES)
        ken_buf_release(&l->line);
    ken_buf_clear(&l->line);
}

static void take_input(line_reader *l, ken_mcp_session *s, const char *p, size_t n)
{
    while (n) {
        const char *nl = memchr(p, '\n', n);
        size_t part = nl ? (size_t)(nl - p) : n;
        add_part(l, s, p, part);
        if (!nl)
            return;
        end_line(l, s);
        p += part + 1;
        n -= part + 1;
    }
}

// ---- the loop ----------------------------------------------------------------------------------

// Asks for a signal when the parent ends, and takes it as a descriptor.
static void watch_parent(channel *c)
{
    int sig = SIGRTMIN + 1;
    sigset_t set;
    c->parent = getppid();
    sigemptyset(&set);
    sigaddset(&set, sig);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    c->parent_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    prctl(PR_SET_PDEATHSIG, sig);
    if (getppid() != c->parent) // it ended before we asked
        raise(sig);
}

// The parent is told apart from its threads: when one of those ends, the kernel signals as well.
static bool parent_is_gone(const channel *c)
{
    struct signalfd_siginfo info;
    ssize_t rc = read(c->parent_fd, &info, sizeof info);
    (void)rc;
    return getppid() != c->parent;
}

// Serves until there is no one left to serve.
static void channel_loop(channel *c, ken_mcp_session *s, line_reader *l)
{
    for (;;) {
        bool is_broken;
        bool is_left = channel_flush(c, &is_broken);
        if (is_broken)
            return;
        struct pollfd fds[] = {
            { .fd = c->in_fd, .events = POLLIN },
            { .fd = c->wake_fd, .events = POLLIN },
            { .fd = c->out_fd, .events = is_left ? POLLOUT : 0 },
            { .fd = c->parent_fd, .events = POLLIN },
        };
        if (poll(fds, sizeof fds / sizeof *fds, -1) < 0) {
            if (errno == EINTR)
                continue;
            return;
        }
        if (fds[1].revents) {
            uint64_t n;
            ssize_t rc = read(c->wake_fd, &n, sizeof n);
            (void)rc;
        }
        if (fds[3].revents && parent_is_gone(c))
            return;
        if (fds[0].revents) {
            ssize_t n = read(c->in_fd, c->input, sizeof c->input);
            if (n > 0)
                take_input(l, s, c->input, (size_t)n);
            else if (!n || (errno != EINTR && errno != EAGAIN))
                return;
        } else if (fds[2].revents & (POLLERR | POLLNVAL)) {
            return;
        }
    }
}

// Ends what runs and writes what is left, in a few ten milliseconds; false when something still
// runs.
static bool channel_finish(channel *c, ken_mcp_session *s)
{
    int64_t end = ken_clock_mono_ns() + (int64_t)(GRACE_MS + CANCEL_MS) * 1000000;
    bool is_broken = false;
    bool is_idle = ken_mcp_session_wait(s, GRACE_MS);
    ken_mcp_session_cancel_all(s);
    if (!is_idle)
        is_idle = ken_mcp_session_wait(s, CANCEL_MS);
    while (channel_flush(c, &is_broken) && !is_broken && ken_clock_mono_ns() < end) {
        struct pollfd out = { .fd = c->out_fd, .events = POLLOUT };
        if (poll(&out, 1, 1) < 0 && errno != EINTR)
            break;
    }
    return is_idle;
}

static bool fd_is_socket(int fd)
{
    int type;
    socklen_t len = sizeof type;
    return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len);
}

static void channel_free(channel *c)
{
    ken_buf_release(&c->out);
    close(c->wake_fd);
    if (c->parent_fd >= 0)
        close(c->parent_fd);
    pthread_mutex_destroy(&c->lock);
    ken_free(c);
}

int ken_mcp__serve(ken_app *app, const ken_mcp_opts *opts, int in_fd, int out_fd, bool *out_is_idle)
{
    ken_err err = { 0 };
    ken_mcp_server *server = NULL;
    *out_is_idle = true;
    if (ken_mcp_server_new(app, opts, &server, &err)) {
        KEN_LOG_ERR("mcp", "%s", err.msg);
        return ken_status_exit_code(err.status);
    }
    // On the heap: when calls are left behind, their threads may still look at it.
    channel *c = ken_zalloc(sizeof *c);
    c->in_fd = in_fd;
    c->out_fd = out_fd;
    c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    c->is_socket = fd_is_socket(out_fd);
    c->out = KEN_BUF_INIT(QUEUE_BYTES);
    pthread_mutex_init(&c->lock, NULL);
    line_reader l = { .line = KEN_BUF_INIT(KEN_MCP_MESSAGE_MAX) };
    ken_mcp_session *s = ken_mcp_session_new(server, channel_send, c);
    watch_parent(c);
    channel_loop(c, s, &l);
    end_line(&l, s); // a last message without line end
    *out_is_idle = channel_finish(c, s);
    ken_buf_release(&l.line);
    if (*out_is_idle) {
        ken_mcp_session_free(s);
        ken_mcp_server_free(server);
        channel_free(c);
    }
    return 0;
}

// ---- the process -------------------------------------------------------------------------------

// A descriptor that reads as ended, or that no one reads.
static int dead_end(bool is_for_reading)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC))
        return -1;
    close(fds[is_for_reading ? 1 : 0]);
    return fds[is_for_reading ? 0 : 1];
}

static void replace_fd(int fd, int by)
{
    if (by < 0)
        return;
    dup2(by, fd);
    if (by > 2)
        close(by);
}

int ken_mcp_stdio_run(ken_app *app, const ken_mcp_opts *opts)
{
    signal(SIGPIPE, SIG_IGN);
    if (fcntl(STDERR_FILENO, F_GETFD) < 0)
        replace_fd(STDERR_FILENO, dead_end(false));
    int in_fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    int out_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (in_fd < 0 || out_fd < 0) {
        KEN_LOG_ERR("mcp", "stdin and stdout must be open");
        return 1;
    }
    replace_fd(STDIN_FILENO, dead_end(true));
    dup2(STDERR_FILENO, STDOUT_FILENO);
    bool is_idle;
    int rc = ken_mcp__serve(app, opts, in_fd, out_fd, &is_idle);
    if (!is_idle)
        _exit(rc);
    close(in_fd);
    close(out_fd);
    return rc;
}
