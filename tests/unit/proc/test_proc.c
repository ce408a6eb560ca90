// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/pool.h"
#include "ktest.h"
#include "proc/proc.h"

static ken_proc_result run(const ken_proc_opts *opts)
{
    ken_err err = { 0 };
    ken_proc_result r = { 0 };
    kt_ok_err(ken_proc_run(opts, &r, &err), &err);
    return r;
}

#define ARGV(...)   ((const char *const[]){ __VA_ARGS__, NULL })
#define SHELL(text) ARGV("sh", "-c", (text))

KEN_TEST(proc_collects_output_and_exit_code)
{
    ken_proc_result r =
        run(&(ken_proc_opts){ .argv = SHELL("echo out; echo err >&2; echo more >&2; exit 3") });
    kt_eq_i(r.exit_code, 3);
    kt_eq_i(r.signal, 0);
    kt_eq_text(ken_buf_str(&r.out), "out\n");
    kt_eq_text(ken_buf_str(&r.errors), "err\nmore\n");
    kt_eq_text(ken_proc_complaint(&r), "err");
    ken_proc_result_release(&r);
}

KEN_TEST(proc_passes_arguments_as_they_are)
{
    ken_proc_result r = run(&(ken_proc_opts){
        .argv = ARGV("printf", "%s|", "a b", "$HOME", "'\"", "*", "", "x\ny", "\xff") });
    kt_eq_text(ken_buf_str(&r.out), "a b|$HOME|'\"|*||x\ny|\xff|");
    ken_proc_result_release(&r);
}

KEN_TEST(proc_gives_an_empty_input_and_no_descriptors)
{
    int leak = open("/dev/null", O_RDONLY); // stays open over exec
    int high = fcntl(leak, F_DUPFD, 100);
    ken_proc_result r =
        run(&(ken_proc_opts){ .argv = SHELL("cat; test -e /proc/self/fd/100 && echo leaked") });
    kt_eq_text(ken_buf_str(&r.out), "");
    ken_proc_result_release(&r);
    close(leak);
    close(high);
}

KEN_TEST(proc_changes_folder_and_environment)
{
    setenv("PROC_OLD", "old", 1);
    setenv("HOME", "/root", 1);
    setenv("USER", "somebody", 1);
    const char *const env[] = { "USER", "HOME=/home/x", "A=1", "B=2", "A=a=b", "B", NULL };
    ken_proc_result r = run(&(ken_proc_opts){
        .argv = SHELL("pwd -P; echo ${PROC_OLD-unset}/${USER-unset}/$HOME/$A/${B-unset}/$LC_ALL"),
        .cwd = "/usr",
        .env = env });
    kt_eq_text(ken_buf_str(&r.out), "/usr\nunset/unset//home/x/a=b/unset/C\n");
    ken_proc_result_release(&r);
    kt_eq_str(ken_proc_env("PROC_OLD"), "old");
    kt_null(ken_proc_env("PROC_OL"));
    kt_null(ken_proc_env("PROC_NEVER_SET"));
}

KEN_TEST(proc_says_what_is_missing)
{
    ken_proc_result r;
    ken_err err = { 0 };
    const ken_proc_opts no_program = { .argv = ARGV("no-such-program-anywhere") };
    kt_status(ken_proc_run(&no_program, &r, &err), KEN_ENOTFOUND);
    kt_has_str(err.msg, "no-such-program-anywhere");
    const ken_proc_opts no_folder = { .argv = ARGV("true"), .cwd = "/no/such/folder" };
    kt_status(ken_proc_run(&no_folder, &r, &err), KEN_ENOTFOUND);
    kt_has_str(err.msg, "/no/such/folder");
    kt_status(ken_proc_run(&(ken_proc_opts){ 0 }, &r, &err), KEN_EINVAL);
}

KEN_TEST(proc_takes_much_output_and_stops_too_much)
{
    ken_proc_result r = run(&(ken_proc_opts){ .argv = SHELL("head -c 3000000 /dev/zero") });
    kt_eq_u(r.out.len, 3000000);
    ken_proc_result_release(&r);
    r = run(
        &(ken_proc_opts){ .argv = SHELL("head -c 1000000 /dev/zero"), .max_out_bytes = 1000000 });
    kt_eq_u(r.out.len, 1000000);
    ken_proc_result_release(&r);
    ken_err err = { 0 };
    const ken_proc_opts endless = { .argv = ARGV("yes"), .max_out_bytes = 1000000 };
    kt_status(ken_proc_run(&endless, &r, &err), KEN_ELIMIT);
}

typedef struct heard {
    size_t n_parts, n_bytes;
} heard;

static void hear(void *ctx, ken_str part)
{
    heard *h = ctx;
    h->n_parts++;
    h->n_bytes += part.len;
}

KEN_TEST(proc_hands_output_on_piece_by_piece)
{
    heard h = { 0 };
    ken_proc_opts o = { .argv = SHELL("head -c 3000000 /dev/zero"), .on_out = hear, .out_ctx = &h };
    ken_proc_result r = run(&o);
    kt_eq_u(h.n_bytes, 3000000);
    kt_true(h.n_parts > 10);
    kt_eq_u(r.out.len, 0);
    ken_proc_result_release(&r);
    h = (heard){ 0 };
    o.argv = ARGV("yes");
    o.max_out_bytes = 1000000;
    kt_status(ken_proc_run(&o, &r, NULL), KEN_ELIMIT);
    kt_true(h.n_bytes <= 1000000);
}

KEN_TEST(proc_keeps_the_start_of_long_complaints)
{
    ken_proc_result r = run(
        &(ken_proc_opts){ .argv = SHELL("echo first >&2; head -c 2000000 /dev/zero >&2; echo x") });
    kt_eq_text(ken_buf_str(&r.out), "x\n");
    kt_eq_text(ken_proc_complaint(&r), "first");
    kt_eq_u(r.errors.len, 16384);
    ken_proc_result_release(&r);
}

KEN_TEST(proc_reports_a_signal)
{
    ken_proc_result r = run(&(ken_proc_opts){ .argv = SHELL("kill -9 $$") });
    kt_eq_i(r.exit_code, -1);
    kt_eq_i(r.signal, SIGKILL);
    ken_proc_result_release(&r);
}

// True when the process is gone or only waits to be reaped by whoever inherited it.
static bool is_dead(const char *pid_file)
{
    char path[128], stat[256] = { 0 };
    snprintf(path, sizeof path, "/proc/%d/stat", (int)strtol(ktest_read(pid_file).ptr, NULL, 10));
    FILE *f = fopen(path, "r");
    if (!f)
        return true;
    size_t n = fread(stat, 1, sizeof stat - 1, f);
    fclose(f);
    const char *state = n ? strrchr(stat, ')') : NULL;
    return !state || state[2] == 'Z' || state[2] == 'X';
}

static bool dies_soon(const char *pid_file)
{
    for (int i = 0; i < 200; i++) {
        if (is_dead(pid_file))
            return true;
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    return false;
}

KEN_TEST(proc_kills_the_group_on_timeout)
{
    const char *pid_file = ktest_path("pid");
    char script[512];
    snprintf(script, sizeof script, "sleep 60 & echo $! > '%s'; wait", pid_file);
    int64_t start = ken_clock_mono_ns();
    ken_proc_result r;
    ken_err err = { 0 };
    const ken_proc_opts slow = { .argv = SHELL(script), .timeout_ms = 300 };
    kt_status(ken_proc_run(&slow, &r, &err), KEN_ETIMEOUT);
    kt_has_str(err.msg, "300 ms");
    kt_true(ken_clock_mono_ns() - start < 20000000000);
    kt_true(dies_soon(pid_file));
}

KEN_TEST(proc_waits_for_nobody_but_the_child)
{
    const char *pid_file = ktest_path("pid");
    char script[512];
    snprintf(script, sizeof script, "sleep 60 & echo $! > '%s'; echo done", pid_file);
    int64_t start = ken_clock_mono_ns();
    ken_proc_result r = run(&(ken_proc_opts){ .argv = SHELL(script) });
    kt_true(ken_clock_mono_ns() - start < 20000000000);
    kt_eq_text(ken_buf_str(&r.out), "done\n");
    kt_true(dies_soon(pid_file));
    ken_proc_result_release(&r);
}

KEN_TEST(proc_waits_for_a_child_that_closed_its_outputs)
{
    ken_proc_result r =
        run(&(ken_proc_opts){ .argv = SHELL("exec >/dev/null 2>&1; sleep 0.2; exit 5") });
    kt_eq_i(r.exit_code, 5);
    ken_proc_result_release(&r);
}

static void cancel_soon(void *ctx, size_t worker)
{
    (void)worker;
    nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    ken_cancel_set(ctx);
}

KEN_TEST(proc_obeys_a_cancel)
{
    ken_cancel cancel = { 0 };
    ken_proc_result r;
    const ken_proc_opts slow = { .argv = ARGV("sleep", "60"), .cancel = &cancel };
    ken_pool *pool = ken_pool_new(1, 1, 0);
    ken_pool_submit(pool, cancel_soon, &cancel);
    ken_status during = ken_proc_run(&slow, &r, NULL);
    ken_pool_free(pool);
    kt_status(during, KEN_ECANCELLED);
    kt_status(ken_proc_run(&slow, &r, NULL), KEN_ECANCELLED); // before it starts
    ken_cancel late = { .deadline_ns = ken_clock_mono_ns() + 100000000 };
    const ken_proc_opts too_late = { .argv = ARGV("sleep", "60"), .cancel = &late };
    kt_status(ken_proc_run(&too_late, &r, NULL), KEN_ETIMEOUT);
}

KEN_TEST(proc_ends_a_child_that_does_nothing)
{
    ken_proc_result r;
    ken_err err = { 0 };
    const char *pipe_path = ktest_path("pipe");
    kt_eq_i(mkfifo(pipe_path, 0600), 0);
    const ken_proc_opts waiting = { .argv = ARGV("cat", pipe_path), .stall_ms = 600 };
    kt_status(ken_proc_run(&waiting, &r, &err), KEN_ETIMEOUT);
    kt_has_str(err.msg, "did nothing for 600 ms");
    // One that works, or prints now and then, may take its time.
    r = run(&(ken_proc_opts){
        .argv = SHELL("for i in 1 2 3 4 5 6 7 8; do sleep 0.2; echo $i; done"), .stall_ms = 600 });
    kt_eq_i(r.exit_code, 0);
    ken_proc_result_release(&r);
}

static void run_some(void *ctx, size_t worker)
{
    int *n_good = ctx;
    for (int i = 0; i < 20; i++) {
        ken_proc_result r;
        const ken_proc_opts echo = { .argv = ARGV("echo", "x") };
        if (ken_proc_run(&echo, &r, NULL))
            continue;
        n_good[worker] += r.exit_code == 0 && ken_str_eq_c(ken_buf_str(&r.out), "x\n");
        ken_proc_result_release(&r);
    }
}

KEN_TEST(proc_runs_from_many_threads)
{
    enum {
        N_WORKERS = 4
    };
    int n_good[N_WORKERS] = { 0 };
    ken_pool *pool = ken_pool_new(N_WORKERS, N_WORKERS, 0);
    for (int i = 0; i < N_WORKERS; i++)
        ken_pool_submit(pool, run_some, n_good);
    ken_pool_free(pool);
    kt_eq_i(n_good[0] + n_good[1] + n_good[2] + n_good[3], N_WORKERS * 20);
}
