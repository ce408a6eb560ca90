// SPDX-License-Identifier: MIT
// Jobs as rows of the catalog: what any process may ask and change.
#include "app/catalog.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/path.h"
#include "job/job_priv.h"
#include "obs/log.h"

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
    ken_database *db = NULL;
    int64_t n = 0;
    if (ken_app_find_database(app, &db, NULL) || db)
        return db && !ken_database_count_workers(db, &n, NULL) && n > 0;
    ken_status st = ken_job__lock(app, &fd, NULL);
    if (!st)
        ken_fs_unlock(fd);
    return st == KEN_EBUSY;
}

ken_status ken_job_list_workers(ken_app *app, ken_arena *arena, ken_worker **out, size_t *out_n,
                                ken_err *err)
{
    ken_database *db = NULL;
    ken_status st = ken_app_find_database(app, &db, err);
    if (!st && !db)
        st = KEN_FAIL(err, KEN_EINVAL,
                      "workers need a database: set DATABASE_URL (docs/scaling.md). Of files the "
                      "one server runs the jobs by itself");
    return st ? st : ken_database_list_workers(db, arena, out, out_n, err);
}

// ---- interruptions -----------------------------------------------------------------------------

uint32_t ken_job__wait_ms(const ken_job *j)
{
    uint32_t ms = JOB_AGAIN_MS;
    for (uint32_t i = 0; i < j->n_tries && i < JOB_TRIES_MAX; i++)
        ms *= JOB_AGAIN_FACTOR;
    return ms;
}

ken_job_end ken_job__interruption(const ken_job *j, bool is_given_back, ken_arena *arena)
{
    const char *who = is_given_back || !j->worker.len ? "the server ended before it"
                                                      : "nothing was heard of its worker";
    ken_job_end e = { .state = KEN_JOB_INTERRUPTED,
                      .at_ms = ken_clock_wall_ms(),
                      .message = j->message,
                      .counts = !is_given_back,
                      .wait_ms = is_given_back || !j->worker.len ? 0 : ken_job__wait_ms(j) };
    ken_str name = j->worker.len
                       ? ken_arena_printf(arena, " (" KEN_STR_FMT ")", KEN_STR_ARG(j->worker))
                       : KEN_STR("");
    e.is_tried_again =
        ken_job_resumes(j->kind) && (is_given_back || j->n_tries + 1 < JOB_TRIES_MAX);
    const char *then = "; ask for it again";
    if (e.is_tried_again)
        then = "; it is queued again and goes on";
    else if (ken_job_resumes(j->kind))
        then = ken_arena_printf(arena, ", for the %u. time; it is not begun again by itself",
                                (unsigned)j->n_tries + 1)
                   .ptr;
    e.error = ken_arena_printf(arena, "%s" KEN_STR_FMT "%s", who, KEN_STR_ARG(name), then);
    return e;
}

typedef struct ending {
    const ken_job *job;
    const ken_job_end *end;
} ending;

static ken_status end_row(ken_catalog *c, void *ctx, ken_err *err)
{
    const ending *e = ctx;
    return ken_catalog_end_job(c, e->job, e->end, err);
}

ken_status ken_job__end_row(ken_app *app, const ken_job *j, const ken_job_end *e, ken_err *err)
{
    ending ctx = { j, e };
    return ken_app_with_catalog(app, true, end_row, &ctx, err);
}

static void tell_orphan(const ken_job *j, const ken_job_end *e)
{
    char id[KEN_UUID_TEXT];
    ken_uuid_format(j->id, id);
    KEN_LOG_WARNING("job", "job %s (%s): " KEN_STR_FMT, id, ken_job_kind_word(j->kind),
                    KEN_STR_ARG(e->error));
}

static ken_status interrupt_all(ken_catalog *c, void *ctx, ken_err *err)
{
    const ken_job_filter f = { .is_expired = true, .limit = KEN_JOBS_LISTED_MAX };
    ken_job *rows = NULL;
    size_t n = 0;
    ken_status st = ken_catalog_list_jobs(c, &f, ctx, &rows, &n, err);
    for (size_t i = n; !st && i > 0; i--) { // in the order in which they were queued
        ken_job_end e = ken_job__interruption(&rows[i - 1], false, ctx);
        e.needs_expired = true;
        st = ken_catalog_end_job(c, &rows[i - 1], &e, err);
        if (!st)
            tell_orphan(&rows[i - 1], &e);
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
    ken_database *db = NULL;
    if (ken_app_find_database(app, &db, NULL) || (!db && ken_job__lock(app, &fd, NULL)))
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

typedef struct counting {
    const ken_uuid *project;
    ken_job_counts counts;
} counting;

static ken_status count_rows(ken_catalog *c, void *ctx, ken_err *err)
{
    counting *n = ctx;
    return ken_catalog_count_jobs(c, n->project, &n->counts, err);
}

ken_status ken_job__count_rows(ken_app *app, const ken_uuid *project, ken_job_counts *out,
                               ken_err *err)
{
    counting n = { .project = project };
    ken_status st = ken_app_with_catalog(app, false, count_rows, &n, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    *out = n.counts;
    return KEN_OK;
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
    settle(app);
    return ken_job__list_rows(app, f, arena, out, out_n, err);
}

ken_status ken_job__list_rows(ken_app *app, const ken_job_filter *f, ken_arena *arena,
                              ken_job **out, size_t *out_n, ken_err *err)
{
    asking a = { .filter = f, .arena = arena, .list = out, .n = out_n };
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
