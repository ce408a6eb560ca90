// SPDX-License-Identifier: MIT
// Which project is selected: a value of the catalog, the project's id. There is one value, so there is one such
// project at most, whoever writes it when.
#include "app/app_priv.h"
#include "app/projects.h"

static const ken_str setting = { "selected.project", 16 };

typedef struct choice {
    ken_uuid project;
    bool is_there;
} choice;

static ken_status load(ken_catalog *c, void *ctx, ken_err *err)
{
    choice *found = ctx;
    ken_arena arena;
    ken_str id = KEN_STR("");
    ken_catalog_row row = { .is_active = false };
    ken_arena_init(&arena, 1024);
    ken_status st = ken_catalog_load_value(c, setting, &arena, &id, err);
    if (!st && ken_uuid_parse(id, &found->project))
        st = ken_catalog_find_by_id(c, found->project, &arena, &row, err);
    else if (!st)
        st = KEN_ENOTFOUND;
    found->is_there = !st && row.is_active;
    ken_arena_release(&arena);
    return st;
}

ken_status ken_app_load_selected(ken_app *app, ken_uuid *out, ken_err *err)
{
    choice found = { .is_there = false };
    ken_status st = ken_app_with_catalog(app, false, load, &found, err);
    if (st)
        return st;
    if (!found.is_there)
        return KEN_ENOTFOUND;
    *out = found.project;
    return KEN_OK;
}

static ken_status put(ken_catalog *c, void *ctx, ken_err *err)
{
    char id[KEN_UUID_TEXT];
    const ken_project_info *project = ctx;
    ken_uuid_format(project->id, id);
    return ken_catalog_put_value(c, setting, ken_str_c(id), err);
}

ken_status ken_app_select_project(ken_app *app, const ken_project_info *project, ken_err *err)
{
    ken_project_info chosen = *project;
    ken_status st = ken_app__check_active(project, err);
    return st ? st : ken_app_with_catalog(app, true, put, &chosen, err);
}

static ken_status unselect(void *ctx, ken_str was, ken_str *out, ken_err *err)
{
    (void)err;
    ken_uuid id;
    bool is_it = ken_uuid_parse(was, &id) && ken_uuid_eq(id, *(const ken_uuid *)ctx);
    *out = is_it ? (ken_str){ NULL, 0 } : was;
    return KEN_OK;
}

ken_status ken_app__unselect(ken_catalog *c, ken_uuid project, ken_err *err)
{
    return ken_catalog_change_value(c, setting, unselect, &project, err);
}
