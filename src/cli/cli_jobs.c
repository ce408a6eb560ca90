// SPDX-License-Identifier: MIT
// ken jobs: what a server of these data does on its own. This process runs none; it reads and marks rows.
#include <time.h>

#include "base/clock.h"
#include "cli/cli_print_priv.h"
#include "job/job.h"
#include "json/json.h"
#include "model/job.h"

enum {
    LISTED_DEFAULT = 20,
    POLL_MS = 250,
};

static ken_status read_id(const cli *x, ken_uuid *out, ken_err *err)
{
    if (ken_uuid_parse(ken_str_c(x->args.words[0]), out))
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL, "'%.60s' is no id of a job; to see them: ken jobs list",
                    x->args.words[0]);
}

static ken_str id_text(cli *x, ken_uuid id)
{
    char text[KEN_UUID_TEXT];
    ken_uuid_format(id, text);
    return ken_arena_dup(&x->arena, ken_str_c(text));
}

static ken_str time_text(cli *x, int64_t at_ms)
{
    char text[KEN_TIME_TEXT];
    if (!at_ms)
        return KEN_STR("-");
    ken_clock_format(at_ms, text);
    return ken_arena_dup(&x->arena, ken_str_c(text));
}

static ken_str project_text(cli *x, const ken_job *j)
{
    ken_project_info p;
    if (!j->has_project)
        return KEN_STR("-");
    ken_str id = id_text(x, j->project);
    return ken_app_find_project(x->app, id, KEN_STR(""), &x->arena, &p, NULL) ? id : p.name;
}

// "indexing 120/400, 3 s left", what it did, or why it did not.
static ken_str what_text(cli *x, const ken_job *j)
{
    if (j->error.len)
        return j->error;
    if (j->state != KEN_JOB_RUNNING || !j->n_total)
        return j->message;
    int64_t eta_ms = ken_job_eta_ms(j);
    ken_str text = ken_arena_printf(&x->arena, KEN_STR_FMT " %llu/%llu", KEN_STR_ARG(j->message),
                                    (unsigned long long)j->n_done, (unsigned long long)j->n_total);
    if (eta_ms < 0)
        return text;
    return ken_arena_printf(&x->arena, KEN_STR_FMT ", %lld s left", KEN_STR_ARG(text),
                            (long long)(eta_ms + 999) / 1000);
}

static ken_status find_filter(cli *x, ken_job_filter *f, ken_project_info *p, ken_err *err)
{
    const char *ref = ken_cli__args_get(&x->args, "project");
    const char *state = ken_cli__args_get(&x->args, "state");
    uint64_t limit = 0;
    ken_status st =
        ken_cli__args_u64(&x->args, "limit", 1, KEN_JOBS_LISTED_MAX, LISTED_DEFAULT, &limit, err);
    if (!st && ref)
        st = ken_app_find_project(x->app, ken_str_c(ref), KEN_STR(""), &x->arena, p, err);
    if (st)
        return st;
    f->project = ref ? &p->id : NULL;
    f->state = state ? ken_job_state_of(ken_str_c(state)) : KEN_JOB_UNKNOWN;
    f->limit = (size_t)limit;
    return KEN_OK;
}

static ken_status run_jobs_list(cli *x, ken_err *err)
{
    ken_project_info p;
    ken_job_filter f = { .limit = 0 };
    ken_job *list = NULL;
    size_t n = 0;
    ken_status st = find_filter(x, &f, &p, err);
    if (!st)
        st = ken_job_list(x->app, &f, &x->arena, &list, &n, err);
    if (st)
        return st;
    bool is_served = ken_job_is_served(x->app);
    if (x->is_json) {
        json_t *top = json_object(), *rows = json_array();
        for (size_t i = 0; i < n; i++)
            ken_json_append(rows, ken_job_json(&list[i]));
        ken_json_set(top, "jobs", rows);
        ken_json_set_bool(top, "is_served", is_served);
        ken_cli__print_json(top);
        return KEN_OK;
    }
    ken_table t;
    ken_table_init(&t, &x->arena, "id|kind|project|state|queued at|what");
    for (size_t i = 0; i < n; i++) {
        ken_table_add(&t, id_text(x, list[i].id));
        ken_table_add(&t, ken_str_c(ken_job_kind_word(list[i].kind)));
        ken_table_add(&t, project_text(x, &list[i]));
        ken_table_add(&t, ken_str_c(ken_job_state_word(list[i].state)));
        ken_table_add(&t, time_text(x, list[i].created_at_ms));
        ken_table_add(&t, what_text(x, &list[i]));
    }
    ken_cli__print_table(x, &t);
    if (!is_served)
        ken_cli__note(x, "no server runs jobs of these data now");
    return KEN_OK;
}

static void print_job(cli *x, const ken_job *j)
{
    if (x->is_json) {
        ken_cli__print_json(ken_job_json(j));
        return;
    }
    ken_cli__print("%s of " KEN_STR_FMT ": %s%s\n", ken_job_kind_word(j->kind),
                   KEN_STR_ARG(project_text(x, j)), ken_job_state_word(j->state),
                   j->state == KEN_JOB_RUNNING && j->is_cancel_wanted ? ", will stop" : "");
    ken_str what = what_text(x, j);
    if (what.len)
        ken_cli__print_text(ken_arena_printf(&x->arena, KEN_STR_FMT "\n", KEN_STR_ARG(what)));
    ken_cli__print("queued " KEN_STR_FMT ", begun " KEN_STR_FMT ", ended " KEN_STR_FMT "\n",
                   KEN_STR_ARG(time_text(x, j->created_at_ms)),
                   KEN_STR_ARG(time_text(x, j->started_at_ms)),
                   KEN_STR_ARG(time_text(x, j->ended_at_ms)));
}

static ken_status run_jobs_show(cli *x, ken_err *err)
{
    ken_uuid id;
    ken_job j;
    ken_status st = read_id(x, &id, err);
    if (!st)
        st = ken_job_find(x->app, id, &x->arena, &j, err);
    if (!st)
        print_job(x, &j);
    return st;
}

static ken_status run_jobs_cancel(cli *x, ken_err *err)
{
    ken_uuid id;
    ken_job j;
    ken_status st = read_id(x, &id, err);
    if (!st)
        st = ken_job_cancel(x->app, id, &x->arena, &j, err);
    if (!st)
        print_job(x, &j);
    return st;
}

static ken_status pause_ms(const cli *x, ken_err *err)
{
    const struct timespec t = { .tv_nsec = POLL_MS * 1000000L };
    (void)nanosleep(&t, NULL);
    return ken_cancel_check(x->cancel, err);
}

static void show(cli *x, cli_progress *bar, const ken_job *j)
{
    ken_arena_mark mark = ken_arena_get_mark(&x->arena);
    ken_str text = ken_arena_printf(&x->arena, "%s: " KEN_STR_FMT, ken_job_state_word(j->state),
                                    KEN_STR_ARG(what_text(x, j)));
    double part = j->n_total ? (double)j->n_done / (double)j->n_total : 0;
    ken_cli__progress_show_part(bar, text.ptr, part > 1 ? 1 : part);
    ken_arena_rewind(&x->arena, mark);
}

static ken_status wait_for(cli *x, ken_uuid id, cli_progress *bar, ken_job *out, ken_err *err)
{
    for (;;) {
        ken_arena_mark mark = ken_arena_get_mark(&x->arena);
        ken_status st = ken_job_find(x->app, id, &x->arena, out, err);
        if (st || ken_job_has_ended(out->state))
            return st;
        if (!ken_job_is_served(x->app))
            return KEN_FAIL(err, KEN_EBUSY,
                            "the job is %s, and no server runs jobs of these data now; it goes on "
                            "with the next one",
                            ken_job_state_word(out->state));
        show(x, bar, out);
        st = pause_ms(x, err);
        if (st)
            return st;
        ken_arena_rewind(&x->arena, mark);
    }
}

static ken_status run_jobs_wait(cli *x, ken_err *err)
{
    ken_uuid id;
    ken_job j;
    cli_progress bar;
    ken_status st = read_id(x, &id, err);
    if (st)
        return st;
    ken_cli__progress_init(&bar, x);
    st = wait_for(x, id, &bar, &j, err);
    ken_cli__progress_end(&bar);
    if (st)
        return st;
    print_job(x, &j);
    x->exit_code = j.state == KEN_JOB_DONE ? 0 : 1;
    return KEN_OK;
}

// Every state of a job.
#define J(id, word) "|" word
static const cli_opt jobs_list_opts[] = {
    { "limit", 'k', CLI_VALUE, "N", "number of jobs, 1 to 1000 (default 20)", NULL },
    { "state", 0, CLI_VALUE, "STATE", "only those that are so: running, failed, …",
      &(KEN_JOB_STATE_TABLE(J))[1] },
};
#undef J

const cli_command ken_cli__jobs_list_command = {
    "jobs list",
    "",
    "list what the server does, will do and has done, newest first",
    "With --project only the jobs of that project. The last 500 of 30 days are kept.",
    OPTS(jobs_list_opts),
    0,
    0,
    true,
    false,
    run_jobs_list,
    NULL,
    0,
    NULL
};

const cli_command ken_cli__jobs_show_command = {
    "jobs show",
    "ID",
    "show a job: how far it is, what it did or why it failed",
    NULL,
    NULL,
    0,
    1,
    1,
    true,
    false,
    run_jobs_show,
    NULL,
    0,
    NULL
};

const cli_command ken_cli__jobs_cancel_command = { "jobs cancel",
                                                   "ID",
                                                   "take a job out of the queue, or stop it",
                                                   NULL,
                                                   NULL,
                                                   0,
                                                   1,
                                                   1,
                                                   true,
                                                   false,
                                                   run_jobs_cancel,
                                                   NULL,
                                                   0,
                                                   NULL };

const cli_command ken_cli__jobs_wait_command = {
    "jobs wait",
    "ID",
    "wait until a job has ended; exit code 1 unless it is done",
    NULL,
    NULL,
    0,
    1,
    1,
    true,
    false,
    run_jobs_wait,
    NULL,
    0,
    NULL
};
