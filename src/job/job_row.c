// SPDX-License-Identifier: MIT
// Jobs as rows of the catalog: what any process may ask and change.
#include "app/catalog.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/path.h"
#include "job/job_priv.h"

// ---- who runs them -----------------------------------------------------------------------------

ken_status ken_job__lock(ken_app *app, int *out_fd, ken_err *err)
{
    ken_arena a;
    ken_arena_init(&a, 512);
    ken_str data = ken_config_data_dir(ken_app_config(app));
    ken_str dir = ken_path_join(&a, data, KEN_STR("config"));
    ken_status st = ken_fs_make_dirs(dir.ptr, 0700, err);
    if (!st)
        st = ken_fs_lock(ken_path_join(&a, dir, KEN_STR("jobs.lock")).ptr, out_fd, err);
    if (st == KEN_EBUSY)
        st = KEN_FAIL(err, st, "another process runs the jobs of '" KEN_STR_FMT "'; stop it first",
                      KEN_STR_ARG(data));
    ken_arena_release(&a);
    return st;
}

bool ken_job_is_served(ken_app *app)
{
    int fd = -1;
    ken_status st = ken_job__lock(app, &fd, NULL);
    if (!st)
        ken_fs_unlock(fd);
    return st == KEN_EBUSY;
}

// ---- interruptions -----------------------------------------------------------------------------

ken_job_end ken_job__interruption(const ken_job *j, ken_arena *arena)
{
    ken_job_end e = { .state = KEN_JOB_INTERRUPTED,
                      .at_ms = ken_clock_wall_ms(),
                      .message = j->message,
                      .next = ken_uuid_random() };
    e.is_tried_again = ken_job_resumes(j->kind) && j->n_tries + 1 < JOB_TRIES_MAX;
    if (e.is_tried_again)
        e.error = KEN_STR("the server ended before it; it is queued again and goes on");
    else if (ken_job_resumes(j->kind))
        e.error = ken_arena_printf(arena,
                                   "the server ended before it, for the %u. time; it is not begun "
                                   "again by itself",
                                   (unsigned)j->n_tries + 1);
    else
        e.error = KEN_STR("the server ended before it; ask for it again");
    return e;
}

typedef struct ending {
    ken_uuid id;
    const ken_job_end *end;
} ending;

static ken_status end_row(ken_catalog *c, void *ctx, ken_err *err)
{
    const ending *e = ctx;
    return ken_catalog_end_job(c, e->id, e->end, err);
}

ken_status ken_job__end_row(ken_app *app, ken_uuid id, const ken_job_end *e, ken_err *err)
{
    ending ctx = { id, e };
    return ken_app_with_catalog(app, true, end_row, &ctx, err);
}

static ken_status interrupt_all(ken_catalog *c, void *ctx, ken_err *err)
{
    const ken_job_filter f = { .state = KEN_JOB_RUNNING, .limit = KEN_JOBS_LISTED_MAX };
    ken_job *rows = NULL;
    size_t n = 0;
    ken_status st = ken_catalog_list_jobs(c, &f, ctx, &rows, &n, err);
    for (size_t i = n; !st && i > 0; i--) { // in the order in which they were queued
        const ken_job_end e = ken_job__interruption(&rows[i - 1], ctx);
        st = ken_catalog_end_job(c, rows[i - 1].id, &e, err);
        if (st == KEN_ENOTFOUND)
            st = KEN_OK;
    }
    return st;
}

ken_status ken_job__interrupt_orphans(ken_app *app, ken_err *err)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_status st = ken_app_with_catalog(app, false, interrupt_all, &a, err);
    ken_arena_release(&a);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

// Rows of a process that was killed say that they run. Where nothing may be written they stay so.
static void settle(ken_app *app)
{
    int fd = -1;
    if (ken_job__lock(app, &fd, NULL))
        return;
    bool is_left = ken_job__interrupt_orphans(app, NULL) != KEN_OK;
    (void)is_left;
    ken_fs_unlock(fd);
}

// ---- asking ------------------------------------------------------------------------------------

typedef struct asking {
    ken_uuid id;
    const ken_job_filter *filter;
    ken_arena *arena;
    ken_job *job;
    ken_job **list;
    size_t *n;
} asking;

static ken_status list_rows(ken_catalog *c, void *ctx, ken_err *err)
{
    const asking *a = ctx;
    return ken_catalog_list_jobs(c, a->filter, a->arena, a->list, a->n, err);
}

static ken_status find_row(ken_catalog *c, void *ctx, ken_err *err)
{
    const asking *a = ctx;
    return ken_catalog_find_job(c, a->id, a->arena, a->job, err);
}

static ken_status cancel_row(ken_catalog *c, void *ctx, ken_err *err)
{
    const asking *a = ctx;
    return ken_catalog_cancel_job(c, a->id, ken_clock_wall_ms(), a->arena, a->job, err);
}

ken_status ken_job_list(ken_app *app, const ken_job_filter *f, ken_arena *arena, ken_job **out,
                        size_t *out_n, ken_err *err)
{
    asking a = { .filter = f, .arena = arena, .list = out, .n = out_n };
    settle(app);
    ken_status st = ken_app_with_catalog(app, false, list_rows, &a, err);
    if (st != KEN_ENOTFOUND)
        return st;
    *out = NULL;
    *out_n = 0;
    return KEN_OK;
}

static ken_status ask_one(ken_app *app, ken_app_catalog_fn *fn, ken_uuid id, ken_arena *arena,
                          ken_job *out, ken_err *err)
{
    char text[KEN_UUID_TEXT];
    asking a = { .id = id, .arena = arena, .job = out };
    ken_status st = ken_app_with_catalog(app, false, fn, &a, err);
    ken_uuid_format(id, text);
    return st == KEN_ENOTFOUND ? KEN_FAIL(err, st, "no job '%s'; to see all: ken jobs list", text)
                               : st;
}

ken_status ken_job_find(ken_app *app, ken_uuid id, ken_arena *arena, ken_job *out, ken_err *err)
{
    settle(app);
    return ask_one(app, find_row, id, arena, out, err);
}

ken_status ken_job_cancel(ken_app *app, ken_uuid id, ken_arena *arena, ken_job *out, ken_err *err)
{
    settle(app);
    return ask_one(app, cancel_row, id, arena, out, err);
}
