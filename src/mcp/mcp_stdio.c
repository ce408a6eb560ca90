// SPDX-License-Identifier: MIT
// The stdio transport: one message a line.
//
// The thread that calls is the reader: it answers what is quick and hands the rest to workers.
// Nobody ever waits for the client to read: what cannot be written at once is queued, and the
// reader's poll writes it later. A client that asks more than it reads is slowed down, never cut
// off: first no call is begun, then nothing is read, until it takes its answers.
//
// stdout is moved to a descriptor that only this file knows, and descriptor 1 is pointed at stderr:
// a library that prints cannot break the protocol. stdin is moved away as well, so that no child
// process can eat messages.
//
// At end of input, on SIGTERM, SIGINT and SIGHUP, and when the parent ends, what was received is
// answered first: it runs to its end, or after most of ten seconds is refused or cancelled with an
// answer that says so. What does not stop then is answered and left behind: the process ends, which
// the stores survive like any crash. Only a client that has closed its side gets no answers.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
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
    PIPE_BYTES = 4096,     // what a pipe that polls as writable takes without blocking
    KEPT_BYTES = 1 << 20,  // buffers above this are given back after use
    HOLD_BYTES = 8 << 20,  // not written: no call is begun
    STOP_BYTES = 32 << 20, // not written: nothing is read
    QUEUE_BYTES = 1 << 30, // never reached: what may still come when reading has stopped
    FULL_MS = 20,          // how often a full session is tried again
    LOOK_MS = 1000,        // how often what is subscribed to is compared
    ROUND_MS = 5,          // how often the end of all calls is polled
    END_MS = 10000,        // from the end of input to the end of the process
    FEW_CALLS = 256,       // that time begins when no more than these wait
    BROKEN_MS = 30,        // for calls to notice that the client is gone
};

typedef enum ending {
    END_OF_INPUT = 1,
    ENDED_BY_SIGNAL, // or by the end of the parent
    CLIENT_GONE,
} ending;

typedef struct channel {
    int in_fd, out_fd;
    int wake_fd;   // eventfd: something is queued, or broke
    int signal_fd; // signals that end us, and that a thread of the parent ended; -1 = none
    pid_t parent;
    bool is_socket; // of out_fd
    ken_mcp_server *server;
    ken_mcp_session *session;
    pthread_mutex_t lock; // guards: out, n_sent, is_broken, error
    ken_buf out;          // not written yet from n_sent on
    size_t n_sent;
    bool is_broken; // the client does not read any more
    int error;      // errno of a write that failed for another reason; 0 = none
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
        if (n < 0) {
            c->is_broken = true;
            c->error = errno == EPIPE || errno == ECONNRESET ? 0 : errno;
        } else {
            c->n_sent += (size_t)n;
        }
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

// Moves what is left to the front when most is sent: a client that reads slowly but always would
// otherwise never see the queue's end. The lock is held.
static void compact(channel *c)
{
    if (c->n_sent < c->out.len / 2)
        return;
    memmove(c->out.ptr, c->out.ptr + c->n_sent, c->out.len - c->n_sent);
    c->out.len -= c->n_sent;
    c->n_sent = 0;
}

static void channel_send(void *ctx, const ken_mcp_sent *sent)
{
    channel *c = ctx;
    ken_str message = sent->text;
    pthread_mutex_lock(&c->lock);
    if (!c->is_broken) {
        if (c->n_sent)
            compact(c);
        c->is_broken = !ken_buf_reserve(&c->out, message.len + 1);
        ken_buf_put_str(&c->out, message);
        ken_buf_putc(&c->out, '\n');
        flush_locked(c);
    }
    size_t n_left = c->out.len - c->n_sent;
    bool is_broken = c->is_broken;
    pthread_mutex_unlock(&c->lock);
    if (n_left > HOLD_BYTES)
        ken_mcp_session_hold(c->session, true);
    if (n_left || is_broken)
        channel_wake(c);
}

// Bytes that are not written yet, after as many were as the client takes now.
static size_t channel_flush(channel *c, bool *out_is_broken)
{
    pthread_mutex_lock(&c->lock);
    flush_locked(c);
    size_t n_left = c->out.len - c->n_sent;
    *out_is_broken = c->is_broken;
    pthread_mutex_unlock(&c->lock);
    if (n_left <= HOLD_BYTES / 2)
        ken_mcp_session_hold(c->session, false);
    return n_left;
}

static int channel_error(channel *c)
{
    pthread_mutex_lock(&c->lock);
    int error = c->error;
    pthread_mutex_unlock(&c->lock);
    return error;
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
        ken_mcp_session_receive(s, text, NULL);
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

static int parent_signal(void)
{
    return SIGRTMIN + 1;
}

static void add_unless_ignored(sigset_t *set, int sig)
{
    struct sigaction act;
    if (!sigaction(sig, NULL, &act) && act.sa_handler != SIG_IGN)
        sigaddset(set, sig);
}

// Takes the signals that end us as a descriptor, and one more when the parent ends.
static void watch_signals(channel *c)
{
    sigset_t set;
    c->parent = getppid();
    sigemptyset(&set);
    sigaddset(&set, parent_signal());
    add_unless_ignored(&set, SIGTERM);
    add_unless_ignored(&set, SIGINT);
    add_unless_ignored(&set, SIGHUP);
    c->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (c->signal_fd < 0)
        return; // they do what they always do
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    prctl(PR_SET_PDEATHSIG, parent_signal());
    if (getppid() != c->parent) // it ended before the check
        raise(parent_signal());
}

// Whether a signal has come that ends us. The parent is told apart from its threads: when one of
// those ends, the kernel signals as well.
static bool was_signalled(const channel *c)
{
    struct signalfd_siginfo info;
    bool is_ended = false;
    while (read(c->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
        is_ended |= info.ssi_signo != (uint32_t)parent_signal() || getppid() != c->parent;
    return is_ended;
}

static void eat_wakes(const channel *c)
{
    uint64_t n;
    ssize_t rc = read(c->wake_fd, &n, sizeof n);
    (void)rc;
}

// False at the end of input.
static bool read_input(channel *c, ken_mcp_session *s, line_reader *l)
{
    ssize_t n = read(c->in_fd, c->input, sizeof c->input);
    if (n > 0)
        take_input(l, s, c->input, (size_t)n);
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

// Input that the client had written before the signal was received as well.
static void read_rest(channel *c, ken_mcp_session *s, line_reader *l)
{
    int n = 0;
    if (ioctl(c->in_fd, FIONREAD, &n))
        return;
    for (; n > 0 && !ken_mcp_session_is_full(s); n -= READ_BYTES) {
        if (!read_input(c, s, l))
            return;
    }
}

// Serves until there is no one left to serve.
static ending channel_loop(channel *c, ken_mcp_session *s, line_reader *l)
{
    for (;;) {
        bool is_broken;
        size_t n_left = channel_flush(c, &is_broken);
        bool is_full = n_left > STOP_BYTES || ken_mcp_session_is_full(s);
        if (is_broken)
            return CLIENT_GONE;
        struct pollfd fds[] = {
            { .fd = is_full ? -1 : c->in_fd, .events = POLLIN },
            { .fd = c->wake_fd, .events = POLLIN },
            { .fd = c->out_fd, .events = n_left ? POLLOUT : 0 },
            { .fd = c->signal_fd, .events = POLLIN },
        };
        bool is_subscribed = ken_mcp_server_look(c->server);
        if (poll(fds, sizeof fds / sizeof *fds,
                 is_full         ? FULL_MS
                 : is_subscribed ? LOOK_MS
                                 : -1) < 0) {
            if (errno == EINTR)
                continue;
            return CLIENT_GONE;
        }
        if (fds[1].revents)
            eat_wakes(c);
        if (fds[3].revents && was_signalled(c)) {
            read_rest(c, s, l);
            return ENDED_BY_SIGNAL;
        }
        if (fds[0].revents) {
            if (!read_input(c, s, l))
                return END_OF_INPUT;
        } else if (fds[2].revents & (POLLERR | POLLNVAL | POLLHUP)) {
            return CLIENT_GONE;
        }
    }
}

// ---- the end -----------------------------------------------------------------------------------

typedef struct finish {
    int64_t begin_ns, ms; // of the time that is given
    size_t n_waiting;
    bool is_stopped, is_abandoned;
    bool is_by_signal;
} finish;

// Milliseconds of the time that is over. It does not begin before most of a long queue is done, as
// long as that gets shorter: who ends its input with the last of ten thousand calls wants them.
static int64_t finish_elapsed(finish *f, ken_mcp_session *s)
{
    int64_t now = ken_clock_mono_ns();
    size_t n = ken_mcp_session_n_waiting(s);
    if (!f->is_by_signal && n > FEW_CALLS && n < f->n_waiting) {
        f->begin_ns = now;
        f->n_waiting = n;
    }
    return (now - f->begin_ns) / 1000000;
}

static void take_signals(finish *f, const channel *c)
{
    if (!was_signalled(c))
        return;
    if (f->is_by_signal) // the second: at once
        f->ms = 0;
    else
        f->begin_ns = ken_clock_mono_ns();
    f->is_by_signal = true;
}

// Answers what was received and writes it; bytes that the client did not take.
static size_t finish_all(finish *f, channel *c, ken_mcp_session *s)
{
    for (;;) {
        bool is_broken;
        size_t n_left = channel_flush(c, &is_broken);
        bool is_idle = ken_mcp_session_wait(s, n_left ? 0 : ROUND_MS);
        if (is_idle && !n_left) // answered between flush and wait?
            n_left = channel_flush(c, &is_broken);
        if (is_broken) {
            ken_mcp_session_cancel_all(s);
            return 0;
        }
        if (is_idle && !n_left)
            return 0;
        take_signals(f, c);
        int64_t ms = finish_elapsed(f, s);
        if (!f->is_stopped && ms >= f->ms * 8 / 10) {
            f->is_stopped = true;
            ken_mcp_session_stop(s);
        } else if (!f->is_abandoned && ms >= f->ms * 9 / 10) {
            f->is_abandoned = true;
            ken_mcp_session_abandon(s);
        } else if (ms >= f->ms) {
            return n_left;
        } else if (n_left) {
            struct pollfd out = { .fd = c->out_fd, .events = POLLOUT };
            (void)poll(&out, 1, ROUND_MS);
        }
    }
}

static size_t channel_finish(channel *c, ken_mcp_session *s, ending why, int64_t end_ms)
{
    if (why == CLIENT_GONE) {
        ken_mcp_session_cancel_all(s);
        return 0;
    }
    finish f = { .begin_ns = ken_clock_mono_ns(),
                 .ms = end_ms,
                 .n_waiting = SIZE_MAX,
                 .is_by_signal = why == ENDED_BY_SIGNAL };
    return finish_all(&f, c, s);
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
    if (c->signal_fd >= 0)
        close(c->signal_fd);
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
    // On the heap: when calls are left behind, their threads may still use it.
    channel *c = ken_zalloc(sizeof *c);
    c->server = server;
    c->in_fd = in_fd;
    c->out_fd = out_fd;
    c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (c->wake_fd < 0) {
        KEN_LOG_ERR("mcp", "cannot make an event descriptor: %s", strerror(errno));
        ken_free(c);
        ken_mcp_server_free(server);
        return 1;
    }
    c->is_socket = fd_is_socket(out_fd);
    c->out = KEN_BUF_INIT(QUEUE_BYTES);
    pthread_mutex_init(&c->lock, NULL);
    line_reader l = { .line = KEN_BUF_INIT(KEN_MCP_MESSAGE_MAX) };
    ken_mcp_session *s =
        ken_mcp_session_new(server, &(ken_mcp_session_opts){ .send = channel_send, .send_ctx = c });
    c->session = s;
    watch_signals(c);
    ending why = channel_loop(c, s, &l);
    if (why == END_OF_INPUT)
        end_line(&l, s); // a last message without line end
    size_t n_left = channel_finish(c, s, why, opts->end_ms ? opts->end_ms : END_MS);
    if (n_left)
        KEN_LOG_ERR("mcp", "the client did not take the last %zu bytes of its answers", n_left);
    int error = channel_error(c);
    if (error)
        KEN_LOG_ERR("mcp", "cannot write answers: %s", strerror(error));
    bool is_cut = n_left || error;
    *out_is_idle = ken_mcp_session_wait(s, BROKEN_MS);
    ken_buf_release(&l.line);
    if (*out_is_idle) {
        ken_mcp_session_free(s);
        ken_mcp_server_free(server);
        channel_free(c);
    }
    return is_cut ? 1 : 0;
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
