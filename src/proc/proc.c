// SPDX-License-Identifier: MIT
// One run is: pipes, posix_spawn (which does not copy our memory), a poll loop over both pipes and
// a pidfd, then kill the group, then reap. The group is killed while its leader is still a zombie,
// so that its id cannot have passed to somebody else. Without pidfds (old kernels, other systems)
// the loop looks for the end of the child with growing sleeps.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/vec.h"
#include "proc/proc_priv.h"

extern char **environ;

// Ours all close on exec; this also closes what a library or our parent left open.
#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 34))
#define PROC_HAS_CLOSEFROM
#endif

enum {
    PROC_TIMEOUT_MS = 60000,
    PROC_MAX_OUT = 64 << 20,
    PROC_MAX_ERRORS = 16 << 10,
    PROC_READ_BYTES = 64 << 10,
    PROC_DRAIN_BLOCKS = 512,   // more than a full pipe, even in blocks of one page
    PROC_PIPE_BYTES = 1 << 20, // fewer switches between the two processes than the usual 64 KiB
    PROC_CANCEL_MS = 20,       // how late a cancel may be noticed
    PROC_NAP_MIN_NS = 100000,
    PROC_NAP_MAX_NS = 10000000,
    PROC_LOOK_NS = 500000000, // between two checks of a child that may be stalled
};

// The pipes and the process while it runs. Descriptors are -1 when closed.
typedef struct proc_child {
    pid_t pid;
    int pid_fd; // readable when the process has ended; -1 where the system has none
    int out_fd, err_fd;
    size_t n_out;                        // bytes that it printed
    int64_t progress, moved_at, look_at; // what it had done at `moved_at`; when to check again
    ken_proc_result result;
} proc_child;

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

// Both ends close on exec and lie above the standard descriptors, which the spawn actions
// overwrite.
int ken_proc__make_pipe(int ends[2])
{
    int raw[2];
    if (pipe2(raw, O_CLOEXEC))
        return errno;
    int e = 0;
    for (int i = 0; i < 2; i++) {
        ends[i] = raw[i];
        if (raw[i] > STDERR_FILENO || e)
            continue;
        ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        e = ends[i] < 0 ? errno : 0;
        close(raw[i]);
    }
    if (e) {
        close_fd(&ends[0]);
        close_fd(&ends[1]);
        return e;
    }
#ifdef F_SETPIPE_SZ
    (void)fcntl(ends[0], F_SETPIPE_SZ, PROC_PIPE_BYTES);
#endif
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) ? errno : 0;
}

// The "NAME=value" of our environment; NULL when it is not set.
static const char *find_entry(const char *name)
{
    size_t n = strlen(name);
    for (char **e = environ; e && *e; e++)
        if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
            return *e;
    return NULL;
}

static size_t name_len(const char *entry)
{
    return strcspn(entry, "=");
}

static bool is_overridden(const char *entry, const char *const *extra)
{
    size_t n = name_len(entry);
    for (; *extra; extra++)
        if (name_len(*extra) == n && memcmp(*extra, entry, n) == 0)
            return true;
    return false;
}

// Of our environment only the variables that identify the user; any other could steer a child.
static const char *const env_kept[] = { "HOME", "USER", "LOGNAME", "TMPDIR", "TZ" };

// The environment of a child, from nothing: what is kept, what is fixed, and `extra` over it.
// An array to ken_free; the texts are borrowed.
static char **make_env(const char *const *extra)
{
    static const char *const none[] = { NULL };
    const char *base[sizeof env_kept / sizeof *env_kept + 3];
    size_t n = 0;
    base[n++] = ken_proc__path_entry();
    base[n++] = "LANG=C";
    base[n++] = "LC_ALL=C";
    for (size_t i = 0; i < sizeof env_kept / sizeof *env_kept; i++) {
        const char *entry = find_entry(env_kept[i]);
        if (entry)
            base[n++] = entry;
    }
    if (!extra)
        extra = none;
    union {
        const char *from;
        char *to;
    } text; // execve's prototype lacks a const that it keeps
    KEN_VEC(char *) env = { 0 };
    for (size_t i = 0; i < n; i++) {
        text.from = base[i];
        if (!is_overridden(base[i], extra))
            ken_vec_push(&env, text.to);
    }
    for (; *extra; extra++) {
        text.from = *extra;
        if ((*extra)[name_len(*extra)] == '=' && !is_overridden(*extra, extra + 1))
            ken_vec_push(&env, text.to);
    }
    ken_vec_push(&env, NULL);
    return env.ptr;
}

static int add_actions(posix_spawn_file_actions_t *acts, const ken_proc_opts *o, int in_r,
                       int out_w, int err_w)
{
    const int held = STDERR_FILENO + 1; // what o->held_fd is in the child
    int e = in_r < 0
                ? posix_spawn_file_actions_addopen(acts, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
                : posix_spawn_file_actions_adddup2(acts, in_r, STDIN_FILENO);
    if (!e)
        e = posix_spawn_file_actions_adddup2(acts, out_w, STDOUT_FILENO);
    if (!e && err_w < 0)
        e = posix_spawn_file_actions_addopen(acts, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    else if (!e)
        e = posix_spawn_file_actions_adddup2(acts, err_w, STDERR_FILENO);
    if (!e && o->held_fd)
        e = posix_spawn_file_actions_adddup2(acts, o->held_fd, held);
#ifdef PROC_HAS_CLOSEFROM
    if (!e)
        e = posix_spawn_file_actions_addclosefrom_np(acts, o->held_fd ? held + 1 : held);
#endif
    if (!e && o->cwd)
        e = posix_spawn_file_actions_addchdir_np(acts, o->cwd);
    return e;
}

static int set_attributes(posix_spawnattr_t *attr)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    int e = posix_spawnattr_setpgroup(attr, 0);
    if (!e)
        e = posix_spawnattr_setsigmask(attr, &none);
    if (!e)
        e = posix_spawnattr_setsigdefault(attr, &all);
    return e ? e : posix_spawnattr_setflags(attr, flags);
}

int ken_proc__spawn(const ken_proc_opts *o, const char *program, int in_r, int out_w, int err_w,
                    pid_t *out_pid)
{
    posix_spawn_file_actions_t acts;
    posix_spawnattr_t attr;
    int e = posix_spawn_file_actions_init(&acts);
    if (e)
        return e;
    e = posix_spawnattr_init(&attr);
    if (e) {
        posix_spawn_file_actions_destroy(&acts);
        return e;
    }
    e = add_actions(&acts, o, in_r, out_w, err_w);
    if (!e)
        e = set_attributes(&attr);
    if (!e) {
        union {
            const char *const *from;
            char *const *to;
        } argv = { o->argv };
        char **env = make_env(o->env);
        e = posix_spawn(out_pid, program, &acts, &attr, argv.to, env);
        ken_free(env);
    }
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&acts);
    return e;
}

static int open_pid_fd(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0); // closes on exec by itself
#else
    (void)pid;
    return -1;
#endif
}

static ken_status child_start(proc_child *c, const ken_proc_opts *o, const char *program,
                              ken_err *err)
{
    int out[2] = { -1, -1 }, errs[2] = { -1, -1 };
    int e = ken_proc__make_pipe(out);
    if (!e)
        e = ken_proc__make_pipe(errs);
    if (!e)
        e = ken_proc__spawn(o, program, -1, out[1], errs[1], &c->pid);
    close_fd(&out[1]);
    close_fd(&errs[1]);
    if (e) {
        close_fd(&out[0]);
        close_fd(&errs[0]);
        return KEN_FAIL_ERRNO(err, e, "starting '%s'%s%s", o->argv[0], o->cwd ? " in " : "",
                              o->cwd ? o->cwd : "");
    }
    c->out_fd = out[0];
    c->err_fd = errs[0];
    c->pid_fd = open_pid_fd(c->pid);
    return KEN_OK;
}

// True when the process has ended; it stays a zombie, so its group id stays taken.
static bool has_ended(const proc_child *c)
{
    siginfo_t info = { 0 };
    if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT))
        return errno != EINTR; // somebody else reaped it
    return info.si_pid == c->pid;
}

// Reads one block from the pipe; 0 when there is nothing now. Closes the descriptor at its end.
static size_t read_some(int *fd, char block[PROC_READ_BYTES])
{
    while (*fd >= 0) {
        ssize_t n = read(*fd, block, PROC_READ_BYTES);
        if (n > 0)
            return (size_t)n;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return 0;
        close_fd(fd);
    }
    return 0;
}

// Bounded, because a process that left the group may go on writing. Output to stderr beyond
// its cap is dropped; too much output ends the run.
static void drain(proc_child *c, const ken_proc_opts *o)
{
    char block[PROC_READ_BYTES];
    ken_buf *out = &c->result.out, *errors = &c->result.errors;
    size_t n;
    for (int i = 0; i < PROC_DRAIN_BLOCKS && c->n_out <= out->max; i++) {
        n = read_some(&c->out_fd, block);
        if (!n)
            break;
        c->n_out += n;
        if (!o->on_out)
            ken_buf_put(out, block, n);
        else if (c->n_out <= out->max)
            o->on_out(o->out_ctx, ken_str_n(block, n));
    }
    for (int i = 0; i < PROC_DRAIN_BLOCKS; i++) {
        n = read_some(&c->err_fd, block);
        if (!n)
            break;
        ken_buf_put(errors, block, n < errors->max - errors->len ? n : errors->max - errors->len);
    }
}

static void nap(int64_t ns)
{
    struct timespec t = { .tv_nsec = (long)ns };
    nanosleep(&t, NULL);
}

// One wait for output or the end, `left_ns` at most.
static void wait_some(const proc_child *c, int64_t left_ns, bool can_cancel, int64_t *nap_ns)
{
    if (c->pid_fd < 0 && c->out_fd < 0 && c->err_fd < 0) {
        nap(*nap_ns < left_ns ? *nap_ns : left_ns);
        *nap_ns = *nap_ns * 2 < PROC_NAP_MAX_NS ? *nap_ns * 2 : PROC_NAP_MAX_NS;
        return;
    }
    int64_t ms = left_ns / 1000000 + 1;
    if ((can_cancel || c->pid_fd < 0) && ms > PROC_CANCEL_MS)
        ms = PROC_CANCEL_MS;
    struct pollfd fds[3] = {
        // poll passes over negative descriptors
        { .fd = c->out_fd, .events = POLLIN },
        { .fd = c->err_fd, .events = POLLIN },
        { .fd = c->pid_fd, .events = POLLIN },
    };
    (void)poll(fds, 3, ms > 1000 ? 1000 : (int)ms);
}

// Whether it has done nothing at all for `stall_ms`; checked twice a second.
static bool is_stalled(proc_child *c, int64_t now, int64_t stall_ms)
{
    if (stall_ms <= 0 || now < c->look_at)
        return false;
    c->look_at = now + PROC_LOOK_NS;
    // Output and processor time: while they grow it does something.
    int64_t used = ken_clock_process_ns(c->pid), progress = used + (int64_t)c->n_out;
    if (progress != c->progress || used < 0) {
        c->progress = progress;
        c->moved_at = now;
    }
    return now - c->moved_at >= stall_ms * 1000000;
}

static ken_status child_watch(proc_child *c, const ken_proc_opts *o, ken_err *err)
{
    int64_t timeout_ms = o->timeout_ms > 0 ? o->timeout_ms : PROC_TIMEOUT_MS;
    c->moved_at = ken_clock_mono_ns();
    c->look_at = c->moved_at + PROC_LOOK_NS;
    int64_t deadline = c->moved_at + timeout_ms * 1000000;
    int64_t nap_ns = PROC_NAP_MIN_NS;
    for (;;) {
        bool is_done =
            has_ended(c); // checked before draining: all its output is in the pipes by now
        drain(c, o);
        if (c->n_out > c->result.out.max || c->result.out.is_over)
            return KEN_FAIL(err, KEN_ELIMIT, "'%s' printed more than %zu bytes", o->argv[0],
                            c->result.out.max);
        if (is_done)
            return KEN_OK;
        ken_status st = ken_cancel_check(o->cancel, err);
        if (st)
            return st;
        int64_t now = ken_clock_mono_ns(), left = deadline - now;
        if (is_stalled(c, now, o->stall_ms))
            return KEN_FAIL(err, KEN_ETIMEOUT,
                            "'%s' did nothing for %lld ms: it waits for a file that is a pipe or a "
                            "device, or for a file system that does not answer",
                            o->argv[0], (long long)o->stall_ms);
        if (left <= 0)
            return KEN_FAIL(err, KEN_ETIMEOUT, "'%s' ran longer than %lld ms", o->argv[0],
                            (long long)timeout_ms);
        if (o->stall_ms > 0 && left > PROC_LOOK_NS)
            left = PROC_LOOK_NS;
        wait_some(c, left, o->cancel != NULL, &nap_ns);
    }
}

// Kills what is left of the group, then reaps the child.
static void child_finish(proc_child *c)
{
    (void)kill(-c->pid, SIGKILL);
    (void)kill(c->pid, SIGKILL); // before it could enter its group, and harmless to a zombie
    int status = 0;
    pid_t got;
    do {
        got = waitpid(c->pid, &status, 0);
    } while (got < 0 && errno == EINTR);
    bool has_exited = got == c->pid && WIFEXITED(status);
    c->result.exit_code = has_exited ? WEXITSTATUS(status) : -1;
    c->result.signal = got == c->pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    close_fd(&c->out_fd);
    close_fd(&c->err_fd);
    close_fd(&c->pid_fd);
}

ken_status ken_proc_run(const ken_proc_opts *opts, ken_proc_result *out, ken_err *err)
{
    if (!opts->argv || !opts->argv[0])
        return KEN_FAIL(err, KEN_EINVAL, "no program to run");
    ken_status st = ken_cancel_check(opts->cancel, err);
    if (st)
        return st;
    const char *program;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    st = ken_proc__find(opts->argv[0], opts->cwd, &arena, &program, err);
    proc_child c = { .pid = -1, .pid_fd = -1, .out_fd = -1, .err_fd = -1 };
    c.result.out = KEN_BUF_INIT(opts->max_out_bytes ? opts->max_out_bytes : PROC_MAX_OUT);
    c.result.errors = KEN_BUF_INIT(PROC_MAX_ERRORS);
    if (!st)
        st = child_start(&c, opts, program, err);
    if (st)
        goto out;
    st = child_watch(&c, opts, err);
    child_finish(&c);
    if (st)
        goto out;
    *out = c.result;
    c.result = (ken_proc_result){ 0 };
out:
    ken_arena_release(&arena);
    ken_proc_result_release(&c.result);
    return st;
}

ken_status ken_proc_run_on_terminal(const char *const *argv, int *out_code, ken_err *err)
{
    ken_arena arena;
    const char *program = NULL;
    pid_t pid = -1;
    int status = 0;
    union {
        const char *const *from;
        char *const *to;
    } words = { argv };
    ken_arena_init(&arena, 0);
    ken_status st = ken_proc__find(argv[0], NULL, &arena, &program, err);
    int e = st ? 0 : posix_spawn(&pid, program, NULL, NULL, words.to, environ);
    if (e)
        st = KEN_FAIL_ERRNO(err, e, "starting '%s'", argv[0]);
    while (!st && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            st = KEN_FAIL_ERRNO(err, errno, "waiting for '%s'", argv[0]);
    ken_arena_release(&arena);
    if (!st)
        *out_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return st;
}

void ken_proc_result_release(ken_proc_result *r)
{
    ken_buf_release(&r->out);
    ken_buf_release(&r->errors);
    *r = (ken_proc_result){ 0 };
}

ken_str ken_proc_complaint(const ken_proc_result *r)
{
    ken_str rest = ken_buf_str(&r->errors), line;
    while (ken_str_line_next(&rest, &line)) {
        line = ken_str_trim(line);
        if (line.len)
            return line;
    }
    return KEN_STR("");
}

const char *ken_proc_env(const char *name)
{
    const char *entry = find_entry(name);
    return entry ? entry + strlen(name) + 1 : NULL;
}
