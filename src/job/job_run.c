// SPDX-License-Identifier: MIT
// What each kind of job does.
#include <inttypes.h>

#include "app/remotes.h"
#include "base/figure.h"
#include "base/patience.h"
#include "job/job_priv.h"
#include "rulebook/rulebook_setup.h"

enum {
    WAIT_MS = 600000, // for another process that has what is needed
    SHORT_ID = 10,    // digits of a commit
};

typedef struct run {
    job_entry *e;
    ken_job_request request;
    ken_project_info project; // of a kind that has one
    ken_arena *arena;
    ken_str message;
} run;

static void on_index(void *ctx, const ken_index_progress *p)
{
    ken_job__set_progress(ctx, p->stage, p->n_done, p->n_total);
}

static void on_bytes(void *ctx, uint64_t done_bytes, uint64_t total_bytes)
{
    ken_job__set_progress(ctx, "downloading", done_bytes, total_bytes);
}

static void on_wait(void *ctx)
{
    ken_job__set_progress(ctx, "waiting for another process", 0, 0);
}

static ken_patience patience_of(const run *r)
{
    return (ken_patience){ .max_ms = WAIT_MS, .on_wait = on_wait, .ctx = r->e };
}

static ken_status embed(run *r, const ken_config *settings, ken_err *err)
{
    ken_app_embedding made = { .was_needed = false };
    ken_app *app = r->e->owner->app;
    ken_status st = KEN_OK;
    ken_patience p = patience_of(r);
    do
        st = ken_app_embed(app, &r->project, settings, on_index, r->e, &r->e->cancel, r->arena,
                           &made, err);
    while (ken_patience_tries_again(&p, &st, &r->e->cancel, err));
    if (st || !made.was_needed)
        return st;
    ken_str text = ken_app_embedding_text(&made, r->arena);
    r->message = ken_arena_printf(r->arena, KEN_STR_FMT "%s" KEN_STR_FMT, KEN_STR_ARG(r->message),
                                  r->message.len ? "; " : "", KEN_STR_ARG(text));
    return KEN_OK;
}

static ken_app_indexing indexing_of(const run *r)
{
    return (ken_app_indexing){ .is_forced = r->request.is_forced,
                               .on_progress = on_index,
                               .progress_ctx = r->e };
}

static ken_status index_files(run *r, ken_err *err)
{
    const ken_app_indexing how = indexing_of(r);
    ken_index_report report = { .generation = 0 };
    ken_status st = KEN_OK;
    ken_patience p = patience_of(r);
    do
        st = ken_app_index_as_set(r->e->owner->app, &r->project, &how, &r->e->cancel, r->arena,
                                  &report, err);
    while (ken_patience_tries_again(&p, &st, &r->e->cancel, err));
    if (st)
        return st;
    ken_job__set_progress(r->e, "indexed", report.n_files, report.n_files);
    r->message = ken_arena_printf(
        r->arena, "%" PRIu64 " files: %" PRIu64 " added, %" PRIu64 " modified, %" PRIu64 " removed",
        report.n_files, report.n_added, report.n_modified, report.n_removed);
    return KEN_OK;
}

static ken_status run_index(run *r, ken_err *err)
{
    ken_config *settings = NULL;
    ken_status st = r->request.kind == KEN_JOB_INDEX ? index_files(r, err) : KEN_OK;
    if (!st)
        st = ken_app_load_settings(r->e->owner->app, &r->project, &settings, err);
    if (!st)
        st = embed(r, settings, err);
    ken_config_free(settings);
    if (!st && !r->message.len)
        r->message = KEN_STR("the index has its vectors already");
    return st;
}

static ken_status run_download(run *r, ken_err *err)
{
    ken_model_record m;
    ken_status st = KEN_OK;
    ken_patience p = patience_of(r);
    do
        st = ken_app_download_model(r->e->owner->app, r->request.model, on_bytes, r->e,
                                    &r->e->cancel, r->arena, &m, err);
    while (ken_patience_tries_again(&p, &st, &r->e->cancel, err));
    if (!st)
        r->message =
            ken_arena_printf(r->arena, KEN_STR_FMT " is ready, " KEN_STR_FMT, KEN_STR_ARG(m.id),
                             KEN_STR_ARG(ken_figure_size(r->arena, m.size_bytes)));
    return st;
}

// The commit, the files and the vectors.
static ken_status run_sync(run *r, ken_err *err)
{
    ken_app *app = r->e->owner->app;
    ken_config *settings = NULL;
    ken_app_sync_report done;
    const ken_app_sync_opts opts = { .indexing = indexing_of(r), .max_wait_ms = WAIT_MS };
    ken_status st = ken_app_sync(app, &r->project, &opts, &r->e->cancel, r->arena, &done, err);
    if (!st)
        st = ken_app_load_settings(app, &r->project, &settings, err);
    if (st)
        return st;
    const ken_sync_report *s = &done.synced;
    ken_str commit = ken_str_sub(s->commit, 0, SHORT_ID);
    if (ken_str_eq(s->from, s->commit))
        r->message = ken_arena_printf(r->arena, "nothing new at " KEN_STR_FMT, KEN_STR_ARG(commit));
    else if (s->knows_changes)
        r->message =
            ken_arena_printf(r->arena, KEN_STR_FMT ": %zu file%s changed", KEN_STR_ARG(commit),
                             s->n_changes, s->n_changes == 1 ? "" : "s");
    else
        r->message =
            ken_arena_printf(r->arena, KEN_STR_FMT ": %" PRIu64 " file%s", KEN_STR_ARG(commit),
                             done.indexed.n_files, done.indexed.n_files == 1 ? "" : "s");
    st = embed(r, settings, err);
    ken_config_free(settings);
    return st;
}

static ken_str describe_setup(const ken_setup *made, ken_arena *arena)
{
    size_t n_written = 0;
    for (size_t i = 0; i < made->n_files; i++)
        n_written +=
            made->files[i].action == KEN_SETUP_WRITTEN || made->files[i].action == KEN_SETUP_MERGED;
    return ken_arena_printf(arena, "%zu of %zu files written", n_written, made->n_files);
}

// A snapshot of what the folder holds now; an index is made where there is none.
static ken_status ask(run *r, ken_snapshot **out, ken_err *err)
{
    ken_app *app = r->e->owner->app;
    const ken_app_asking how = {
        .may_index = true, .cancel = &r->e->cancel, .on_progress = on_index, .progress_ctx = r->e
    };
    ken_err e = { 0 };
    ken_status st = ken_app_ask(app, &r->project, &how, out, &e);
    if (st && st != KEN_ENOTFOUND && err)
        *err = e;
    if (st != KEN_ENOTFOUND)
        return st;
    st = index_files(r, err);
    return st ? st : ken_app_ask(app, &r->project, &how, out, err);
}

static ken_status run_rules_setup(run *r, ken_err *err)
{
    ken_app *app = r->e->owner->app;
    const ken_setup_opts opts = { .root = r->project.root,
                                  .frontend_path = r->request.frontend_path,
                                  .backend_path = r->request.backend_path,
                                  .is_forced = r->request.is_forced,
                                  .cancel = &r->e->cancel };
    ken_snapshot *snap = NULL;
    ken_setup made = { .n_files = 0 };
    ken_status st = ask(r, &snap, err);
    if (st)
        return st;
    ken_job__set_progress(r->e, "writing rules", 0, 0);
    st = ken_rulebook_setup(snap, &opts, r->arena, &made, err);
    ken_app_give_back(app, &r->project, snap);
    if (!st)
        st = ken_app_set_rules_project(app, &r->project, err);
    if (!st)
        r->message = describe_setup(&made, r->arena);
    return st;
}

static ken_status find_project(run *r, ken_err *err)
{
    char id[KEN_UUID_TEXT];
    ken_uuid_format(r->request.project, id);
    return ken_app_find_project(r->e->owner->app, ken_str_c(id), KEN_STR(""), r->arena, &r->project,
                                err);
}

ken_status ken_job__run(job_entry *e, ken_arena *arena, ken_str *out_message, ken_err *err)
{
    static ken_status (*const bodies[KEN_JOB_KIND_COUNT])(run * r, ken_err * err) = {
        [KEN_JOB_INDEX] = run_index,
        [KEN_JOB_EMBED] = run_index,
        [KEN_JOB_MODEL_DOWNLOAD] = run_download,
        [KEN_JOB_RULES_SETUP] = run_rules_setup,
        [KEN_JOB_SYNC] = run_sync,
    };
    run r = { .e = e, .arena = arena, .message = KEN_STR("") };
    ken_status st = ken_job__read_params(&e->job, arena, &r.request, err);
    if (!st && ken_job_is_of_project(e->job.kind))
        st = find_project(&r, err);
    if (!st)
        st = bodies[e->job.kind](&r, err);
    if (!st)
        *out_message = r.message;
    return st;
}
