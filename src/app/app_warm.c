// SPDX-License-Identifier: MIT
// A server opens indexes before somebody asks: it compares their folders and reads what the first question
// would wait for. Nothing is indexed, and nothing leaves the machine. A question to the same index that comes
// meanwhile waits for the rest.
#include "app/app_priv.h"
#include "app/projects.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/quota.h"
#include "obs/log.h"

enum {
    NS_PER_MS = 1000000,
    NS_PER_SECOND = 1000000000,
    WAIT_STEP_MS = 20, // between two looks at whether a question is over
};

struct app_warm {
    ken_app *app;
    ken_pool *pool;         // one thread; NULL until it begins
    ken_cancel end;         // set when the app closes
    pthread_mutex_t lock;   // guards `at`; a leaf
    pthread_cond_t is_done; // `at` is another
    ken_uuid at;            // that is being opened; zero = none
};

// Who is asked first: the selected project, then those that were indexed last.
typedef struct warm_list {
    ken_project_info *list;
    size_t n;
} warm_list;

static void put_first(warm_list *l, ken_uuid id)
{
    for (size_t i = 0; i < l->n; i++) {
        if (!ken_uuid_eq(l->list[i].id, id))
            continue;
        ken_project_info chosen = l->list[i];
        for (; i > 0; i--)
            l->list[i] = l->list[i - 1];
        l->list[0] = chosen;
        return;
    }
}

static void list_projects(app_warm *w, ken_arena *arena, warm_list *out)
{
    ken_uuid selected;
    *out = (warm_list){ .n = 0 };
    if (ken_app_list_projects(w->app, arena, &out->list, &out->n, NULL))
        return;
    ken_app__sort_newest(out->list, out->n);
    if (!ken_app_load_selected(w->app, &selected, NULL))
        put_first(out, selected);
}

// The bytes that it holds open.
static size_t warm_one(app_warm *w, const ken_project_info *project)
{
    ken_snapshot *s = NULL;
    ken_err err = { 0 };
    size_t n_held = 0;
    int64_t began = ken_clock_mono_ns();
    ken_status st = ken_app__look(w->app, project, &w->end, &s, &err);
    if (!st)
        st = ken_snapshot_warm(s, &err);
    if (s) {
        n_held = ken_snapshot_held_bytes(s);
        ken_app_give_back(w->app, project, s);
    }
    if (st && st != KEN_ECANCELLED && st != KEN_EBUSY)
        KEN_LOG_NOTE("warm", "'" KEN_STR_FMT "': %s", KEN_STR_ARG(project->name), err.msg);
    else if (!st)
        KEN_LOG_DETAIL("warm", "'" KEN_STR_FMT "' is open after %lld ms",
                       KEN_STR_ARG(project->name),
                       (long long)((ken_clock_mono_ns() - began) / NS_PER_MS));
    return n_held;
}

static void set_at(app_warm *w, ken_uuid id)
{
    pthread_mutex_lock(&w->lock);
    w->at = id;
    pthread_cond_broadcast(&w->is_done);
    pthread_mutex_unlock(&w->lock);
}

static void run(void *ctx, size_t worker)
{
    (void)worker;
    app_warm *w = ctx;
    ken_arena arena;
    warm_list l;
    const size_t most = (size_t)ken_config_u64(w->app->config, KEN_CFG_OPEN_SIZE);
    size_t n_left = (size_t)ken_config_u64(w->app->config, KEN_CFG_WARM), n_held = 0;
    ken_arena_init(&arena, 0);
    list_projects(w, &arena, &l);
    for (size_t i = 0; i < l.n && n_left && n_held < most && !ken_cancel_is_set(&w->end); i++) {
        if (l.list[i].is_archived || !l.list[i].indexed_at_ms)
            continue;
        set_at(w, l.list[i].id);
        n_held += warm_one(w, &l.list[i]);
        set_at(w, (ken_uuid){ 0 });
        n_left--;
    }
    ken_arena_release(&arena);
}

void ken_app_warm(ken_app *app)
{
    app_warm *w = app->warm;
    if (!w || w->pool)
        return;
    w->pool = ken_pool_new(1, 1, 0);
    if (ken_pool_n_workers(w->pool))
        ken_pool_submit(w->pool, run, w);
}

// A question would open the index a second time.
void ken_app__await_warm(ken_app *app, ken_uuid project, const ken_cancel *cancel)
{
    app_warm *w = app->warm;
    if (!w)
        return;
    ken_quota *paused = ken_quota_pause();
    pthread_mutex_lock(&w->lock);
    while (ken_uuid_eq(w->at, project) && !ken_cancel_check(cancel, NULL)) {
        int64_t ns = ken_clock_mono_ns() + (int64_t)WAIT_STEP_MS * NS_PER_MS;
        const struct timespec until = { ns / NS_PER_SECOND, (long)(ns % NS_PER_SECOND) };
        pthread_cond_timedwait(&w->is_done, &w->lock, &until);
    }
    pthread_mutex_unlock(&w->lock);
    ken_quota_resume(paused);
}

void ken_app__prepare_warming(ken_app *app)
{
    pthread_condattr_t attr;
    if (app->warm || !ken_config_u64(app->config, KEN_CFG_WARM))
        return;
    app_warm *w = ken_zalloc(sizeof *w);
    w->app = app;
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&w->is_done, &attr);
    pthread_condattr_destroy(&attr);
    app->warm = w;
}

void ken_app__end_warming(ken_app *app)
{
    app_warm *w = app->warm;
    if (!w)
        return;
    ken_cancel_set(&w->end);
    ken_pool_free(w->pool);
    pthread_cond_destroy(&w->is_done);
    pthread_mutex_destroy(&w->lock);
    ken_free(w);
    app->warm = NULL;
}
