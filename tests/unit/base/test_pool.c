// SPDX-License-Identifier: MIT
// Pools with all of their threads, with some, and with none.
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pool.h"
#include "ktest.h"

static void count(void *ctx, size_t worker)
{
    (void)worker;
    atomic_fetch_add((atomic_int *)ctx, 1);
}

KEN_TEST(every_job_runs_once)
{
    atomic_int n = 0;
    ken_pool *p = ken_pool_new(3, 2, 0);
    kt_eq_u(ken_pool_n_workers(p), 3);
    for (int i = 0; i < 100; i++)
        ken_pool_submit(p, count, &n);
    ken_pool_free(p);
    kt_eq_i(atomic_load(&n), 100);
}

KEN_TEST(a_stack_that_no_address_space_holds_becomes_a_usual_one)
{
    atomic_int n = 0;
    ken_pool *p = ken_pool_new(2, 2, (size_t)1 << 60);
    kt_eq_u(ken_pool_n_workers(p), 2);
    ken_pool_submit(p, count, &n);
    ken_pool_free(p);
    kt_eq_i(atomic_load(&n), 1);
}

static void note_nice(void *ctx, size_t worker)
{
    (void)worker;
    *(int *)ctx = getpriority(PRIO_PROCESS, 0);
}

static void give_way(void *ctx, size_t worker)
{
    int *nice = ctx;
    ken_pool_give_way();
    note_nice(&nice[0], worker);
    ken_pool *inner = ken_pool_new(1, 1, 0);
    ken_pool_submit(inner, note_nice, &nice[1]);
    ken_pool_free(inner);
}

KEN_TEST(a_thread_that_gives_way_takes_its_own_threads_along_and_no_others)
{
    int own = getpriority(PRIO_PROCESS, 0), nice[2] = { -1, -1 };
    ken_pool *p = ken_pool_new(1, 1, 0);
    ken_pool_submit(p, give_way, nice);
    ken_pool_free(p);
    kt_eq_i(nice[0], own < 10 ? 10 : own);
    kt_eq_i(nice[1], nice[0]);
    kt_eq_i(getpriority(PRIO_PROCESS, 0), own);
}

// The status of a process that has to do without threads.
static int run_without_threads(void)
{
    struct rlimit none = { 0, 0 };
    if (!getuid() && setuid(65534)) // root has no limit
        return 2;
    if (setrlimit(RLIMIT_NPROC, &none))
        return 2;
    atomic_int n = 0;
    ken_pool *p = ken_pool_new(3, 1, 0);
    bool is_alone = !ken_pool_n_workers(p);
    for (int i = 0; i < 10; i++)
        ken_pool_submit(p, count, &n);
    bool is_run = ken_pool_try_submit(p, count, &n) && atomic_load(&n) == 11;
    ken_pool_free(p);
    return is_alone ? !is_run : 2;
}

KEN_TEST(without_threads_jobs_run_where_they_are_submitted)
{
    int status;
    pid_t pid = fork();
    kt_true(pid >= 0);
    if (!pid)
        _exit(run_without_threads());
    kt_eq_i(waitpid(pid, &status, 0), pid);
    kt_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        kt_skip("threads", "they cannot be forbidden here");
    kt_eq_i(WEXITSTATUS(status), 0);
}
