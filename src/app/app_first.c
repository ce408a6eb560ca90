// SPDX-License-Identifier: MIT
// Runs behind the questions of a process that stays. A first index of a large folder, or one that lacks
// much of it, takes longer than anybody waits: such a run has a thread of the app, and a question waits for
// its end for a moment only, then answers from what the run has committed so far (index/index_partial.c).
//
// One run for each project. app->lock guards the list and what is said below; it is not held while
// anything is waited for. When the app closes, runs are told to stop, and keep what they have done.
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "app/app_priv.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/quota.h"

enum {
    NS_PER_MS = 1000000,
    THREADS = 4,        // runs of as many projects at once
    PATIENCE_MS = 1500, // from the beginning of a run: what ends before is waited for
    STEP_MS = 20,
    LONG_RUN = 1000, // files that another run has yet to read: its end is not waited for
};

struct app_first {
    ken_app *app;
    ken_project_info project; // its texts live in `arena`
    ken_arena arena;
    ken_cancel cancel;
    int64_t began_ns;
    // Guarded by app->lock.
    ken_index_progress progress;
    unsigned n_waiting; // who look at it; it is freed by the last one after its end
    bool is_done;
    ken_status status;
    ken_err err;
};

// ---- the run -----------------------------------------------------------------------------------

static void on_progress(void *ctx, const ken_index_progress *p)
{
    app_first *f = ctx;
    pthread_mutex_lock(&f->app->lock);
    f->progress = *p;
    pthread_mutex_unlock(&f->app->lock);
}

static ken_status run_first(app_first *f, ken_err *err)
{
    ken_config *settings = NULL;
    ken_index_report report;
    ken_status st = ken_app_load_settings(f->app, &f->project, &settings, err);
    if (st)
        return st;
    ken_index_opts opts = ken_app_index_opts(settings);
    opts.on_progress = on_progress;
    opts.progress_ctx = f;
    st = ken_app__index(f->app, &f->project, &opts, &f->cancel, &f->arena, &report, err);
    ken_config_free(settings);
    return st;
}

static void free_first(app_first *f)
{
    ken_arena_release(&f->arena);
    ken_free(f);
}

// With the lock.
static void forget(ken_app *app, const app_first *f)
{
    for (size_t i = 0; i < app->firsts.len; i++)
        if (app->firsts.ptr[i] == f)
            app->firsts.ptr[i] = app->firsts.ptr[--app->firsts.len];
}

static void work(void *ctx, size_t worker)
{
    (void)worker;
    app_first *f = ctx;
    ken_app *app = f->app;
    ken_err err = { 0 };
    ken_status st = run_first(f, &err);
    pthread_mutex_lock(&app->lock);
    f->status = st;
    f->err = err;
    f->is_done = true;
    forget(app, f); // the next question begins another where that is needed
    bool is_last = !f->n_waiting;
    pthread_mutex_unlock(&app->lock);
    if (is_last)
        free_first(f);
}

static app_first *find_first(const ken_app *app, ken_uuid project)
{
    for (size_t i = 0; i < app->firsts.len; i++)
        if (ken_uuid_eq(app->firsts.ptr[i]->project.id, project))
            return app->firsts.ptr[i];
    return NULL;
}

static app_first *new_first(ken_app *app, const ken_project_info *project)
{
    app_first *f = ken_zalloc(sizeof *f);
    f->app = app;
    f->began_ns = ken_clock_mono_ns();
    f->progress = (ken_index_progress){ .stage = "waiting" };
    ken_arena_init(&f->arena, 0);
    f->project = ken_app__dup_project(project, &f->arena);
    return f;
}

bool ken_app__begin_first(ken_app *app, const ken_project_info *project)
{
    app_first *f = NULL;
    pthread_mutex_lock(&app->lock);
    if (!app->first_runs)
        app->first_runs = ken_pool_new(THREADS, THREADS, 0);
    bool has_one = find_first(app, project->id);
    if (!has_one && ken_pool_n_workers(app->first_runs) && !app->is_closing) {
        f = new_first(app, project);
        ken_vec_push(&app->firsts, f);
    }
    pthread_mutex_unlock(&app->lock);
    if (!f)
        return has_one;
    if (ken_pool_try_submit(app->first_runs, work, f))
        return true;
    pthread_mutex_lock(&app->lock); // as many as there may be are at work and wait
    forget(app, f);
    f->is_done = true;
    f->status = KEN_EBUSY;
    bool is_last = !f->n_waiting;
    pthread_mutex_unlock(&app->lock);
    if (is_last)
        free_first(f);
    return false;
}

// ---- waiting -----------------------------------------------------------------------------------

static app_first *join(ken_app *app, ken_uuid project)
{
    pthread_mutex_lock(&app->lock);
    app_first *f = find_first(app, project);
    if (f)
        f->n_waiting++;
    pthread_mutex_unlock(&app->lock);
    return f;
}

static void leave(app_first *f)
{
    pthread_mutex_lock(&f->app->lock);
    bool is_last = !--f->n_waiting && f->is_done;
    pthread_mutex_unlock(&f->app->lock);
    if (is_last)
        free_first(f);
}

static bool look_at(app_first *f, ken_index_progress *out)
{
    pthread_mutex_lock(&f->app->lock);
    bool is_done = f->is_done;
    *out = f->progress;
    pthread_mutex_unlock(&f->app->lock);
    return is_done;
}

// A complete generation is not shown as one that lacks something while the run ends.
static bool has_answer(const app_first *f, const ken_index_progress *p)
{
    ken_snapshot *s = NULL;
    if (ken_app_borrow(f->app, &f->project, &s, NULL))
        return false;
    bool is_partial = ken_snapshot_is_partial(s);
    ken_app_give_back(f->app, &f->project, s);
    return is_partial || strcmp(p->stage, "committing") != 0;
}

// Until the run has ended, or, with `is_hasty`, has something to show.
static ken_status wait_for(app_first *f, bool is_hasty, const ken_app_asking *how,
                           bool *out_is_done, ken_err *err)
{
    for (;;) {
        ken_index_progress p;
        *out_is_done = look_at(f, &p);
        if (*out_is_done)
            return KEN_OK;
        bool is_long = ken_clock_mono_ns() - f->began_ns > (int64_t)PATIENCE_MS * NS_PER_MS;
        if (is_hasty && is_long && has_answer(f, &p))
            return KEN_OK;
        ken_status st = ken_cancel_check(how->cancel, err);
        if (st)
            return st;
        if (how->on_progress)
            how->on_progress(how->progress_ctx, &p);
        nanosleep(&(struct timespec){ .tv_nsec = (long)STEP_MS * NS_PER_MS }, NULL);
    }
}

static ken_status await(ken_app *app, const ken_project_info *project, bool is_hasty,
                        const ken_app_asking *how, bool *out_is_running, ken_err *err)
{
    bool is_done = true;
    *out_is_running = false;
    app_first *f = join(app, project->id);
    if (!f)
        return KEN_OK;
    ken_quota *paused = ken_quota_pause();
    ken_status st = wait_for(f, is_hasty, how, &is_done, err);
    ken_quota_resume(paused);
    *out_is_running = !is_done;
    if (!st && is_done && f->status) {
        st = f->status;
        if (err)
            *err = f->err;
    }
    leave(f);
    return st;
}

ken_status ken_app__await_first(ken_app *app, const ken_project_info *project,
                                const ken_app_asking *how, bool *out_is_running, ken_err *err)
{
    return await(app, project, true, how, out_is_running, err);
}

ken_status ken_app__await_end(ken_app *app, const ken_project_info *project,
                              const ken_app_asking *how, ken_err *err)
{
    bool is_running = false;
    ken_err unused = { 0 }; // of that run: whoever waited begins his own
    ken_status st = await(app, project, false, how, &is_running, &unused);
    (void)st;
    return ken_cancel_check(how->cancel, err);
}

// ---- stopping ----------------------------------------------------------------------------------

void ken_app__stop_first(ken_app *app, const ken_project_info *project)
{
    const ken_app_asking how = { .may_index = true };
    app_first *f = join(app, project->id);
    bool is_done = false;
    if (!f)
        return;
    ken_cancel_set(&f->cancel);
    (void)wait_for(f, false, &how, &is_done, NULL);
    leave(f);
}

void ken_app__end_firsts(ken_app *app)
{
    pthread_mutex_lock(&app->lock);
    app->is_closing = true;
    for (size_t i = 0; i < app->firsts.len; i++)
        ken_cancel_set(&app->firsts.ptr[i]->cancel);
    pthread_mutex_unlock(&app->lock);
    ken_pool_free(app->first_runs);
    app->first_runs = NULL;
    ken_vec_release(&app->firsts);
}

// ---- what is said of a run ---------------------------------------------------------------------

bool ken_app__is_long_run(const ken_app *app, const ken_project_info *project, ken_arena *arena,
                          ken_app_run *out)
{
    return ken_app_find_run(app, project, arena, out) && out->n_total > out->n_done &&
           out->n_total - out->n_done >= LONG_RUN;
}

ken_str ken_app_left_text(const ken_app_run *run, ken_arena *arena)
{
    int64_t s = (run->left_ms + 999) / 1000, min = (s + 59) / 60;
    if (!s)
        return KEN_STR("");
    return ken_arena_printf(arena, ", about %" PRId64 " %s left", s < 120 ? s : min,
                            s < 120 ? "s" : "min");
}
