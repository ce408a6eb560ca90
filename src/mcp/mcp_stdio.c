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
//
// Where a server of the same data runs, it answers in place of this process (mcp_relay.c).
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
#include "mcp/mcp_channel_priv.h"
#include "mcp/mcp_relay_priv.h"
#include "obs/log.h"

enum {
    FULL_MS = 20,    // how often a full session is tried again
    LOOK_MS = 1000,  // how often what is subscribed to is compared
    ROUND_MS = 5,    // how often the end of all calls is polled
    END_MS = 10000,  // from the end of input to the end of the process
    FEW_CALLS = 256, // that time begins when no more than these wait
    BROKEN_MS = 30,  // for calls to notice that the client is gone
};

typedef enum ending {
    END_OF_INPUT = 1,
    ENDED_BY_SIGNAL, // or by the end of the parent
    CLIENT_GONE,
} ending;

// What stdio adds to a channel: the process around it.
typedef struct pipes {
    channel *c;
    int signal_fd; // signals that end us, and that a thread of the parent ended; -1 = none
    pid_t parent;
} pipes;

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
static void watch_signals(pipes *p)
{
    sigset_t set;
    p->parent = getppid();
    sigemptyset(&set);
    sigaddset(&set, parent_signal());
    add_unless_ignored(&set, SIGTERM);
    add_unless_ignored(&set, SIGINT);
    add_unless_ignored(&set, SIGHUP);
    p->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (p->signal_fd < 0)
        return; // they do what they always do
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    prctl(PR_SET_PDEATHSIG, parent_signal());
    if (getppid() != p->parent) // it ended before the check
        raise(parent_signal());
}

// Whether a signal has come that ends us. The parent is told apart from its threads: when one of
// those ends, the kernel signals as well.
static bool was_signalled(const pipes *p)
{
    struct signalfd_siginfo info;
    bool is_ended = false;
    while (read(p->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
        is_ended |= info.ssi_signo != (uint32_t)parent_signal() || getppid() != p->parent;
    return is_ended;
}

static void eat_wakes(const channel *c)
{
    uint64_t n;
    ssize_t rc = read(c->wake_fd, &n, sizeof n);
    (void)rc;
}

// Input that the client had written before the signal was received as well.
static void read_rest(channel *c)
{
    int n = 0;
    if (ioctl(c->in_fd, FIONREAD, &n))
        return;
    for (; n > 0 && !ken_mcp_session_is_full(c->session); n -= CHANNEL_READ_BYTES) {
        if (!ken_mcp__channel_read(c))
            return;
    }
}

static int round_ms(const channel *c, bool is_full)
{
    bool is_subscribed = ken_mcp_server_look(c->server);
    return is_full ? FULL_MS : is_subscribed ? LOOK_MS : -1;
}

// Serves until there is no one left to serve.
static ending serve_pipes(pipes *p)
{
    channel *c = p->c;
    for (;;) {
        bool is_broken;
        size_t n_left = ken_mcp__channel_flush(c, &is_broken);
        bool is_full = n_left > CHANNEL_STOP_BYTES || ken_mcp_session_is_full(c->session);
        if (is_broken)
            return CLIENT_GONE;
        struct pollfd fds[] = {
            { .fd = is_full ? -1 : c->in_fd, .events = POLLIN },
            { .fd = c->wake_fd, .events = POLLIN },
            { .fd = c->out_fd, .events = n_left ? POLLOUT : 0 },
            { .fd = p->signal_fd, .events = POLLIN },
            { .fd = c->relay && n_left <= CHANNEL_STOP_BYTES ? ken_mcp__relay_fd(c->relay) : -1,
              .events = c->relay ? ken_mcp__relay_events(c->relay) : 0 },
        };
        if (poll(fds, sizeof fds / sizeof *fds, round_ms(c, is_full)) < 0) {
            if (errno == EINTR)
                continue;
            return CLIENT_GONE;
        }
        if (fds[1].revents)
            eat_wakes(c);
        if (fds[4].revents && !ken_mcp__relay_serve(c->relay))
            continue;
        if (fds[3].revents && was_signalled(p)) {
            read_rest(c);
            return ENDED_BY_SIGNAL;
        }
        if (fds[0].revents) {
            if (!ken_mcp__channel_read(c))
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

static void take_signals(finish *f, const pipes *p)
{
    if (!was_signalled(p))
        return;
    if (f->is_by_signal) // the second: at once
        f->ms = 0;
    else
        f->begin_ns = ken_clock_mono_ns();
    f->is_by_signal = true;
}

// Answers what was received and writes it; bytes that the client did not take.
static size_t finish_all(finish *f, pipes *p)
{
    channel *c = p->c;
    ken_mcp_session *s = c->session;
    for (;;) {
        bool is_broken;
        size_t n_left = ken_mcp__channel_flush(c, &is_broken);
        bool is_idle = ken_mcp_session_wait(s, n_left ? 0 : ROUND_MS);
        if (is_idle && !n_left) // answered between flush and wait?
            n_left = ken_mcp__channel_flush(c, &is_broken);
        if (is_broken) {
            ken_mcp_session_cancel_all(s);
            return 0;
        }
        if (is_idle && !n_left)
            return 0;
        take_signals(f, p);
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

// What the server still answers; when it goes before, the session does.
static void finish_relay(pipes *p, int64_t ms)
{
    channel *c = p->c;
    int64_t end = ken_clock_mono_ns() + ms * 1000000;
    ken_mcp__relay_end_input(c->relay);
    while (c->relay && ken_mcp__relay_n_open(c->relay) && ken_clock_mono_ns() < end) {
        bool is_broken;
        (void)ken_mcp__channel_flush(c, &is_broken);
        struct pollfd fd = { .fd = ken_mcp__relay_fd(c->relay),
                             .events = ken_mcp__relay_events(c->relay) };
        if (is_broken)
            return;
        if (poll(&fd, 1, ROUND_MS) > 0)
            (void)ken_mcp__relay_serve(c->relay);
    }
}

static size_t finish_pipes(pipes *p, ending why, int64_t end_ms)
{
    if (why == CLIENT_GONE) {
        ken_mcp_session_cancel_all(p->c->session);
        return 0;
    }
    if (p->c->relay)
        finish_relay(p, end_ms);
    finish f = { .begin_ns = ken_clock_mono_ns(),
                 .ms = end_ms,
                 .n_waiting = SIZE_MAX,
                 .is_by_signal = why == ENDED_BY_SIGNAL };
    return finish_all(&f, p);
}

int ken_mcp__serve(ken_app *app, const ken_mcp_opts *opts, int in_fd, int out_fd, bool *out_is_idle)
{
    ken_err err = { 0 };
    *out_is_idle = true;
    int wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_fd < 0) {
        KEN_LOG_ERR("mcp", "cannot make an event descriptor: %s", strerror(errno));
        return 1;
    }
    // On the heap: when calls are left behind, their threads may still use it.
    pipes p = { .c = ken_mcp__channel_new(app, opts, in_fd, out_fd, wake_fd, &err) };
    if (!p.c) {
        KEN_LOG_ERR("mcp", "%s", err.msg);
        close(wake_fd);
        return ken_status_exit_code(err.status);
    }
    p.c->relay = ken_mcp__relay_open(p.c, app, opts);
    watch_signals(&p);
    ending why = serve_pipes(&p);
    if (why == END_OF_INPUT)
        ken_mcp__channel_end_line(p.c); // a last message without line end
    size_t n_left = finish_pipes(&p, why, opts->end_ms ? opts->end_ms : END_MS);
    if (n_left)
        KEN_LOG_ERR("mcp", "the client did not take the last %zu bytes of its answers", n_left);
    int error = ken_mcp__channel_error(p.c);
    if (error)
        KEN_LOG_ERR("mcp", "cannot write answers: %s", strerror(error));
    ken_mcp__relay_free(p.c->relay);
    p.c->relay = NULL;
    *out_is_idle = ken_mcp_session_wait(p.c->session, BROKEN_MS);
    if (p.signal_fd >= 0)
        close(p.signal_fd);
    if (*out_is_idle) {
        ken_mcp__channel_free(p.c);
        close(wake_fd);
    }
    return n_left || error ? 1 : 0;
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
