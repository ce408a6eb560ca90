// SPDX-License-Identifier: MIT
// The HNSW index of pgvector is built once the vectors of a model are loaded: behind the runs of a process that stays, for it
// takes seconds to hours. Runs go on meanwhile. Until then, and where no such process is, rows are scanned.
#include "app/app_priv.h"
#include "base/quota.h"
#include "obs/log.h"
#include "store/database.h"

enum {
    LEAST_ROWS = 20000, // fewer are scanned as fast
};

static void build(void *ctx, size_t worker)
{
    (void)worker;
    ken_app *app = ctx;
    ken_err err = { 0 };
    bool is_built = true;
    ken_status st = KEN_OK;
    ken_pool_give_way();
    while (!st && is_built)
        st = ken_database_index_vectors(app->database, LEAST_ROWS, &app->builds_end, &is_built,
                                        &err);
    if (st && st != KEN_ECANCELLED)
        KEN_LOG_WARNING("app", "building the HNSW index of pgvector: %.300s", err.msg);
    atomic_store(&app->is_building, false);
}

ken_pool *ken_app__builds(ken_app *app)
{
    pthread_mutex_lock(&app->lock);
    if (!app->builds && !app->is_closing)
        app->builds = ken_pool_new(2, 2, 0);
    ken_pool *pool = app->builds;
    pthread_mutex_unlock(&app->lock);
    return pool && ken_pool_n_workers(pool) ? pool : NULL;
}

void ken_app__tend_vectors(ken_app *app, const ken_project_info *project)
{
    ken_database_vectors v = { .is_on = false };
    if (!app->is_serving || !project->database || project->database != app->database ||
        atomic_exchange(&app->is_building, true))
        return;
    bool is_due = !ken_database_get_vectors(project->database, &v, NULL) && v.is_on &&
                  v.n_indexed < v.n_models && v.n_rows >= LEAST_ROWS;
    ken_pool *pool = is_due ? ken_app__builds(app) : NULL;
    if (!pool || !ken_pool_try_submit(pool, build, app))
        atomic_store(&app->is_building, false);
}
