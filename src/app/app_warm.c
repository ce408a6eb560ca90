// SPDX-License-Identifier: MIT
// A server opens indexes before somebody asks: it compares their folders and reads what the first question
// would wait for. Nothing is indexed, and nothing leaves the machine. At first these are the newest; later what
// other processes have indexed since. Not of a database, where others index more than one server can hold.
#include <string.h>

#include "app/app_priv.h"
#include "app/projects.h"
#include "obs/log.h"

static void put_first(ken_project_info *list, size_t n, ken_uuid id)
{
    for (size_t i = 0; i < n; i++) {
        if (!ken_uuid_eq(list[i].id, id))
            continue;
        const ken_project_info chosen = list[i];
        memmove(list + 1, list, i * sizeof *list);
        list[0] = chosen;
        return;
    }
}

// Those that will be asked first: the selected project, then what was indexed last.
static size_t list_projects(ken_app *app, ken_arena *arena, ken_project_info **out)
{
    ken_uuid selected;
    size_t n = 0;
    if (ken_app_list_projects(app, arena, out, &n, NULL))
        return 0;
    ken_app__sort_newest(*out, n);
    if (!ken_app_load_selected(app, &selected, NULL))
        put_first(*out, n, selected);
    return n;
}

// The bytes that it holds open.
static size_t warm_one(ken_app *app, const ken_project_info *project)
{
    size_t n_held = 0;
    ken_err err = { 0 };
    ken_status st = ken_app__open_unasked(app, project, &app->warming_end, &n_held, &err);
    if (st && st != KEN_ECANCELLED)
        KEN_LOG_NOTE("warm", "'" KEN_STR_FMT "' is not open yet: %s", KEN_STR_ARG(project->name),
                     err.msg);
    return n_held;
}

static bool is_wanted(const ken_project_info *project, int64_t since_ms)
{
    return !project->is_archived && project->indexed_at_ms > since_ms;
}

static void run(void *ctx, size_t worker)
{
    (void)worker;
    ken_app *app = ctx;
    ken_arena arena;
    ken_project_info *list = NULL;
    const size_t most = (size_t)ken_config_u64(app->config, KEN_CFG_OPEN_SIZE);
    size_t n_left = (size_t)ken_config_u64(app->config, KEN_CFG_WARM), n_held = 0;
    const int64_t since_ms = app->warmed_ms;
    ken_arena_init(&arena, 0);
    size_t n = list_projects(app, &arena, &list);
    for (size_t i = 0; i < n; i++) {
        if (list[i].indexed_at_ms > app->warmed_ms)
            app->warmed_ms = list[i].indexed_at_ms;
        if (!n_left || n_held >= most || ken_cancel_is_set(&app->warming_end) ||
            !is_wanted(&list[i], since_ms))
            continue;
        n_held += warm_one(app, &list[i]);
        n_left--;
    }
    ken_arena_release(&arena);
    atomic_store(&app->is_warming, false);
}

void ken_app_warm(ken_app *app)
{
    if (!ken_config_u64(app->config, KEN_CFG_WARM) || atomic_exchange(&app->is_warming, true))
        return;
    bool is_again = app->warming != NULL;
    if (!is_again)
        app->warming = ken_pool_new(1, 1, 0);
    if (ken_pool_n_workers(app->warming) && !(is_again && ken_app__has_database(app)))
        ken_pool_submit(app->warming, run, app);
    else
        atomic_store(&app->is_warming, false);
}

void ken_app__end_warming(ken_app *app)
{
    ken_cancel_set(&app->warming_end);
    ken_pool_free(app->warming);
    app->warming = NULL;
}
