// SPDX-License-Identifier: MIT
// What the index of a project is limited to, and how large it was. Limits are kept in the index (index_scope.c), where runs
// that are given include, exclude or size keep them, too; so there is one place that says them.
#include "app/app_priv.h"
#include "app/projects.h"

ken_status ken_app_load_limits(ken_app *app, const ken_project_info *project, ken_arena *arena,
                               ken_index_limits *out, ken_err *err)
{
    ken_store *store = NULL;
    ken_str lines = KEN_STR("");
    (void)app;
    *out = (ken_index_limits){ .n_include = 0 };
    if (!ken_app__has_index(project))
        return KEN_OK;
    ken_status st =
        ken_app__open_index(project, &(ken_store_opts){ .is_read_only = true }, &store, err);
    if (!st)
        st = ken_index_load_scope(store, arena, &lines, err);
    ken_store_close(store);
    if (st)
        return ken_app__explain(project, st, err);
    ken_index_parse_limits(lines, arena, out);
    return KEN_OK;
}

typedef struct new_limits {
    const ken_index_limits *limits;
    ken_arena *arena;
} new_limits;

static ken_status put_limits(ken_store *store, void *ctx, ken_err *err)
{
    const new_limits *to = ctx;
    return ken_index_put_limits(store, to->limits, to->arena, err);
}

ken_status ken_app_put_limits(ken_app *app, const ken_project_info *project,
                              const ken_index_limits *limits, ken_arena *arena, ken_err *err)
{
    app_lock *lock = NULL;
    ken_store *store = NULL;
    ken_status st = ken_app__check_active(project, err);
    if (!st)
        st = ken_app__await_index(app, project, &lock, err);
    if (st)
        return st;
    st = ken_app__open_index(project, &(ken_store_opts){ .busy_ms = APP_WRITER_BUSY_MS }, &store,
                             err);
    if (!st)
        st = ken_store_write(store, put_limits, &(new_limits){ limits, arena }, err);
    ken_store_close(store);
    ken_app__unlock_index(app, lock);
    ken_app__rest_step(app, project->id); // the next question compares with all of the folder
    return st ? ken_app__explain(project, st, err) : KEN_OK;
}

ken_status ken_app_load_sizes(ken_app *app, const ken_project_info *project, ken_arena *arena,
                              ken_index_sizes **out, size_t *out_n, ken_err *err)
{
    ken_store *store = NULL;
    const ken_store_opts opts = { .is_read_only = true, .is_glance = true };
    (void)app;
    *out = NULL;
    *out_n = 0;
    if (!ken_app__has_index(project))
        return KEN_OK;
    ken_status st = ken_app__open_index(project, &opts, &store, err);
    if (!st)
        st = ken_index_load_sizes(store, arena, out, out_n, err);
    ken_store_close(store);
    if (st == KEN_ENOTFOUND) // its tree has no files yet
        return KEN_OK;
    return st ? ken_app__explain(project, st, err) : KEN_OK;
}
