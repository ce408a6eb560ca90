// SPDX-License-Identifier: MIT
// The service of tasks, lent like catalogs are: it keeps texts in memory once it was searched.
#include "app/app_priv.h"

static ken_status open_tasks(ken_app *app, bool is_read_only, ken_tasks **out, ken_err *err)
{
    ken_tasks_opts opts = { .path = app->catalog_path.ptr, .is_read_only = is_read_only };
    opts.n_statuses = ken_config_list(app->config, KEN_CFG_TASK_STATUSES, &opts.statuses);
    ken_status st = ken_app__get_database(app, &opts.database, err);
    return st ? st : ken_tasks_open(&opts, out, err);
}

ken_status ken_app_borrow_tasks(ken_app *app, ken_tasks **out, ken_err *err)
{
    ken_tasks *t = NULL;
    pthread_mutex_lock(&app->lock);
    if (app->tasks.len) // the last used first: it has the most in memory
        t = app->tasks.ptr[--app->tasks.len];
    pthread_mutex_unlock(&app->lock);
    if (t && ken_tasks_is_current(t)) {
        *out = t;
        return KEN_OK;
    }
    ken_tasks_close(t);
    ken_err e = { 0 };
    ken_status st = open_tasks(app, false, out, &e);
    // Asking must also work where nothing may be written.
    if (st && st != KEN_EINVAL && open_tasks(app, true, &t, NULL) == KEN_OK) {
        if (st == KEN_EPERM || !ken_tasks_is_behind(t)) {
            *out = t;
            return KEN_OK;
        }
        ken_tasks_close(t); // what it lacks could not be put in
    }
    if (st && err)
        *err = e;
    return st;
}

void ken_app_give_back_tasks(ken_app *app, ken_tasks *t)
{
    pthread_mutex_lock(&app->lock);
    bool has_room = app->tasks.len < APP_IDLE_TASKS;
    if (has_room)
        ken_vec_push(&app->tasks, t);
    pthread_mutex_unlock(&app->lock);
    if (!has_room)
        ken_tasks_close(t);
}

void ken_app__close_tasks(ken_app *app)
{
    for (size_t i = 0; i < app->tasks.len; i++)
        ken_tasks_close(app->tasks.ptr[i]);
    ken_vec_release(&app->tasks);
}
