// SPDX-License-Identifier: MIT
// A child that answers questions. Its input is a socket, so that writing to one that has ended is an error and
// no signal; its output a pipe, read in blocks.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "proc/proc_priv.h"

enum {
    TALK_STALL_MS = 30000,
    TALK_STEP_MS = 20, // how late a cancel may be noticed
    TALK_BLOCK = 64 << 10,
};

struct ken_proc_talk {
    pid_t pid;
    int in_fd, out_fd; // ours
    int64_t stall_ms;
    size_t from, to; // of `block`: what was read and not yet taken
    char name[24];   // of the program, for messages
    char block[TALK_BLOCK];
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

// Above the standard descriptors, which the spawn actions overwrite.
static int make_input(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return errno;
    for (int i = 0; i < 2; i++) {
        if (ends[i] > STDERR_FILENO)
            continue;
        int fd = fcntl(ends[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        int e = fd < 0 ? errno : 0;
        close(ends[i]);
        ends[i] = fd;
        if (e)
            return e;
    }
    return 0;
}

static int start(ken_proc_talk *t, const ken_proc_opts *o, const char *program)
{
    int in[2] = { -1, -1 }, out[2] = { -1, -1 };
    int e = make_input(in);
    if (!e)
        e = ken_proc__make_pipe(out);
    if (!e)
        e = ken_proc__spawn(o, program, in[1], out[1], -1, &t->pid);
    close_fd(&in[1]);
    close_fd(&out[1]);
    t->in_fd = in[0];
    t->out_fd = out[0];
    return e;
}

ken_status ken_proc_talk_open(const ken_proc_opts *opts, ken_proc_talk **out, ken_err *err)
{
    const char *program;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_proc_talk *t = ken_zalloc(sizeof *t);
    *t = (ken_proc_talk){ .pid = -1, .in_fd = -1, .out_fd = -1 };
    t->stall_ms = opts->stall_ms > 0 ? opts->stall_ms : TALK_STALL_MS;
    ken_status st = ken_proc__find(opts->argv[0], opts->cwd, &arena, &program, err);
    if (!st) {
        int e = start(t, opts, program);
        snprintf(t->name, sizeof t->name, "%s", opts->argv[0]);
        if (e)
            st = KEN_FAIL_ERRNO(err, e, "starting '%s'", opts->argv[0]);
    }
    ken_arena_release(&arena);
    if (st)
        ken_proc_talk_close(t);
    else
        *out = t;
    return st;
}

void ken_proc_talk_close(ken_proc_talk *t)
{
    if (!t)
        return;
    close_fd(&t->in_fd);
    close_fd(&t->out_fd);
    if (t->pid > 0) {
        (void)kill(-t->pid, SIGKILL);
        (void)kill(t->pid, SIGKILL);
        while (waitpid(t->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    ken_free(t);
}

static ken_status send_all(ken_proc_talk *t, ken_str text, ken_err *err)
{
    while (text.len) {
        ssize_t n = send(t->in_fd, text.ptr, text.len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return KEN_FAIL(err, KEN_EIO, "'%s' has ended", t->name);
        text = ken_str_sub(text, (size_t)n, text.len);
    }
    return KEN_OK;
}

// Reads what there is; waits for it.
static ken_status fill(ken_proc_talk *t, const ken_cancel *cancel, ken_err *err)
{
    int64_t until = ken_clock_mono_ns() + t->stall_ms * 1000000;
    for (;;) {
        ssize_t n = read(t->out_fd, t->block, sizeof t->block);
        if (n > 0) {
            t->from = 0;
            t->to = (size_t)n;
            return KEN_OK;
        }
        if (!n || (errno != EAGAIN && errno != EINTR))
            return KEN_FAIL(err, KEN_EIO, "'%s' has ended", t->name);
        ken_status st = ken_cancel_check(cancel, err);
        if (st)
            return st;
        if (ken_clock_mono_ns() > until)
            return KEN_FAIL(err, KEN_ETIMEOUT, "'%s' has not answered for %lld ms", t->name,
                            (long long)t->stall_ms);
        struct pollfd p = { .fd = t->out_fd, .events = POLLIN };
        (void)poll(&p, 1, TALK_STEP_MS);
    }
}

ken_status ken_proc_talk_ask(ken_proc_talk *t, ken_str question, const ken_cancel *cancel,
                             ken_buf *out, ken_err *err)
{
    ken_status st = send_all(t, question, err);
    ken_buf_clear(out);
    while (!st) {
        if (t->from == t->to)
            st = fill(t, cancel, err);
        if (st)
            break;
        ken_str rest = ken_str_n(t->block + t->from, t->to - t->from);
        size_t end = ken_str_find_char(rest, '\n');
        size_t n = end == SIZE_MAX ? rest.len : end;
        ken_buf_put(out, rest.ptr, n);
        t->from += n + (end != SIZE_MAX);
        if (out->is_over)
            return KEN_FAIL(err, KEN_ELIMIT, "'%s' answered with too long a line", t->name);
        if (end != SIZE_MAX)
            break;
    }
    return st;
}

ken_status ken_proc_talk_read(ken_proc_talk *t, void *into, uint64_t n, const ken_cancel *cancel,
                              ken_err *err)
{
    char *to = into;
    while (n) {
        if (t->from == t->to) {
            ken_status st = fill(t, cancel, err);
            if (st)
                return st;
        }
        size_t part = t->to - t->from < n ? t->to - t->from : (size_t)n;
        if (to) {
            memcpy(to, t->block + t->from, part);
            to += part;
        }
        t->from += part;
        n -= part;
    }
    return KEN_OK;
}
