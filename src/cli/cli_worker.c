// SPDX-License-Identifier: MIT
// ken worker: a process that does nothing but run the jobs of a database.
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "app/catalog.h"
#include "app/remotes.h"
#include "base/clock.h"
#include "cli/cli_print_priv.h"
#include "cli/cli_service_priv.h"
#include "job/job.h"
#include "obs/log.h"

enum {
    TICK_MS = 1000
};

// ---- who is there ------------------------------------------------------------------------------

static json_t *worker_json(const ken_worker *w)
{
    json_t *o = json_object();
    ken_json_set_str(o, "name", w->name);
    ken_json_set_str(o, "kind", w->kind);
    ken_json_set_str(o, "version", w->version);
    ken_json_set_bool(o, "is_alive", w->is_alive);
    ken_json_set_u64(o, "max_running", w->max_running);
    ken_json_set_u64(o, "running", w->n_running);
    ken_json_set_u64(o, "done", w->n_done);
    ken_json_set_u64(o, "failed", w->n_failed);
    ken_json_set_time_ms(o, "started_at", w->started_at_ms);
    ken_json_set_time_ms(o, "seen_at", w->seen_at_ms);
    return o;
}

static ken_str number(cli *x, uint64_t n)
{
    return ken_arena_printf(&x->arena, "%llu", (unsigned long long)n);
}

static void show_workers(cli *x, const ken_worker *list, size_t n)
{
    ken_table t;
    ken_table_init(&t, &x->arena, "worker|kind|state|running|at most|done|failed|seen at");
    for (size_t i = 0; i < n; i++) {
        const ken_worker *w = &list[i];
        char at[KEN_TIME_TEXT];
        ken_clock_format(w->seen_at_ms, at);
        ken_table_add(&t, w->name);
        ken_table_add(&t, w->kind);
        ken_table_add(&t, ken_str_c(w->is_alive ? "there" : "gone"));
        ken_table_add(&t, number(x, w->n_running));
        ken_table_add(&t, number(x, w->max_running));
        ken_table_add(&t, number(x, w->n_done));
        ken_table_add(&t, number(x, w->n_failed));
        ken_table_add(&t, ken_arena_dup(&x->arena, ken_str_c(at)));
    }
    ken_cli__print_table(x, &t);
}

// Exit code 1 when nobody takes jobs: for probes.
static ken_status run_status(cli *x, ken_err *err)
{
    ken_worker *list = NULL;
    size_t n = 0;
    bool has_one = false;
    ken_status st = ken_job_list_workers(x->app, &x->arena, &list, &n, err);
    if (st)
        return st;
    for (size_t i = 0; i < n; i++)
        has_one = has_one || (list[i].is_alive && list[i].max_running);
    if (x->is_json) {
        json_t *o = json_object(), *rows = json_array();
        for (size_t i = 0; i < n; i++)
            ken_json_append(rows, worker_json(&list[i]));
        ken_json_set(o, "workers", rows);
        ken_cli__print_json(o);
    } else {
        show_workers(x, list, n);
    }
    if (!has_one)
        ken_cli__note(x, "nobody takes jobs of this database now");
    x->exit_code = has_one ? 0 : 1;
    return KEN_OK;
}

// ---- working -----------------------------------------------------------------------------------

static void say_ready(const cli *x)
{
    if (x->is_json)
        printf("{\"worker\":\"%s\"}\n", ken_app_process_name());
    else
        printf("ken worker %s takes jobs\n", ken_app_process_name());
    fflush(stdout);
    KEN_LOG_NOTE("worker", "takes jobs");
    ken_cli__notify("READY=1");
}

// Until a signal asks for the end.
static void work_until_signal(ken_jobs *jobs, int signal_fd)
{
    for (;;) {
        struct pollfd fd = { .fd = signal_fd, .events = POLLIN };
        struct signalfd_siginfo info;
        int n = poll(&fd, 1, TICK_MS);
        ken_cli__notify("WATCHDOG=1");
        ken_jobs_queue_syncs(jobs);
        if (n > 0 && read(signal_fd, &info, sizeof info) == (ssize_t)sizeof info &&
            info.ssi_signo != SIGHUP)
            return;
    }
}

// What would be wrong is said before anything is begun.
static ken_status check_can_work(const cli *x, ken_err *err)
{
    ken_worker *list = NULL;
    size_t n = 0;
    ken_arena a;
    if (!ken_config_u64(x->config, KEN_CFG_MAX_RUNNING))
        return KEN_FAIL(err, KEN_EINVAL, "jobs.max_running: a worker runs 1 to 64 jobs at once");
    ken_arena_init(&a, 0);
    ken_status st = ken_job_list_workers(x->app, &a, &list, &n, err);
    ken_arena_release(&a);
    return st;
}

static ken_status run_jobs(cli *x, ken_err *err)
{
    const ken_jobs_opts opts = { .kind = "worker", .version = KEN_VERSION };
    ken_jobs *jobs = NULL;
    int signal_fd = -1;
    ken_status st = check_can_work(x, err);
    if (!st)
        st = ken_app_enter_sandbox(x->app, NULL, false, err);
    if (!st)
        st = ken_cli__watch_signals(&signal_fd, err);
    if (!st) {
        ken_app_log_notes(x->app);
        ken_app_leave_syncs(x->app);
        ken_app_start_telemetry(x->app, KEN_VERSION);
        st = ken_jobs_open(x->app, &opts, &jobs, err);
    }
    if (!st) {
        say_ready(x);
        work_until_signal(jobs, signal_fd);
        ken_cli__notify("STOPPING=1");
        ken_cli__let_signals_through();
        KEN_LOG_NOTE("worker", "ends: takes no more jobs");
        ken_jobs_close(jobs, (int64_t)ken_config_u64(x->config, KEN_CFG_SERVER_DRAIN) * 1000);
    }
    ken_app_stop_telemetry();
    if (signal_fd >= 0)
        close(signal_fd);
    return st;
}

static ken_status run_worker(cli *x, ken_err *err)
{
    return ken_cli__args_has(&x->args, "status") ? run_status(x, err) : run_jobs(x, err);
}

static const cli_opt worker_opts[] = {
    { "max-running", 0, CLI_VALUE, "N", "jobs to run at once (default 2)", NULL },
    { "status", 0, CLI_FLAG, NULL,
      "show who runs jobs of the database, and end; exit code 1 when nobody does", NULL },
    { "sandbox", 0, CLI_VALUE, "HOW", "auto, on, off or strict: give up rights that are not needed",
      "auto|on|off|strict" },
};

const cli_command ken_cli__worker_command = {
    "worker",
    "",
    "run the jobs of a database: indexing, syncing, vectors, downloads",
    "Any number of workers and servers may share one database (DATABASE_URL); each job is done by one of\n"
    "them, and by another when that one dies. SIGTERM lets what runs end (server.drain_seconds), then\n"
    "gives it back. docs/scaling.md has more.",
    OPTS(worker_opts),
    0,
    0,
    true,
    false,
    run_worker,
    NULL,
    0,
    NULL
};
