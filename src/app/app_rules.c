// SPDX-License-Identifier: MIT
// Rules of projects: the rulebook of an open index, and which project's rules are meant by default.
#include "app/app_priv.h"

static const ken_str setting = { "rules.project", 13 };

// A worktree in another's index has what was indexed of its rules in a file of its own; NULL = nothing was yet.
static ken_store *store_of_rules(app_handle *h)
{
    if (ken_app__is_host(&h->info))
        return h->store;
    bool is_there = h->notes || ken_app__has_notes(&h->info);
    return is_there && !ken_app__open_notes(h, NULL) ? h->notes : NULL;
}

ken_rulebook *ken_app_rulebook(ken_app *app, ken_snapshot *s)
{
    app_handle *h = ken_app__handle_of(app, s);
    if (!h->rulebook)
        ken_rulebook_new(NULL, s, h->info.root, &h->rulebook);
    ken_rulebook_set_store(h->rulebook, store_of_rules(h));
    return h->rulebook;
}

ken_status ken_app_index_rules(ken_app *app, ken_snapshot *s, ken_rulebook_counts *out,
                               ken_err *err)
{
    const app_handle *h = ken_app__handle_of(app, s);
    ken_rulebook *b = ken_app_rulebook(app, s);
    const ken_store_opts opts = { .busy_ms = APP_WRITER_BUSY_MS };
    ken_store *store = NULL;
    ken_status st = ken_app__check_is_current(h, err);
    if (!st)
        st = ken_app__open_notes_of(&h->info, &opts, &store, err);
    if (!st)
        st = ken_rulebook_index(b, store, out, err);
    ken_store_close(store);
    return st ? ken_app__explain(&h->info, st, err) : KEN_OK;
}

// ---- the project that is meant -----------------------------------------------------------------

static ken_status give(ken_app *app, ken_catalog *c, ken_status st)
{
    if (st && st != KEN_ENOTFOUND)
        ken_catalog_close(c); // as it failed, it is not used again
    else
        ken_app_give_catalog(app, c);
    return st;
}

ken_status ken_app_load_rules_project(ken_app *app, ken_arena *arena, ken_project_info *out,
                                      ken_err *err)
{
    ken_catalog *c = NULL;
    ken_str id = { NULL, 0 };
    ken_err tried = { 0 };
    ken_status st = ken_app_take_catalog(app, false, &c, &tried);
    if (!st)
        st = give(app, c, ken_catalog_load_value(c, setting, arena, &id, &tried));
    if (!st)
        st = ken_app_find_project(app, id, KEN_STR(""), arena, out, &tried);
    if (st && st != KEN_ENOTFOUND && err)
        *err = tried;
    return st;
}

static ken_status set_project(void *ctx, ken_str was, ken_str *out, ken_err *err)
{
    (void)err;
    const ken_str id = ken_str_c(ctx);
    *out = ken_str_eq(was, id) ? was : id;
    return KEN_OK;
}

ken_status ken_app_set_rules_project(ken_app *app, const ken_project_info *project, ken_err *err)
{
    char id[KEN_UUID_TEXT];
    ken_catalog *c = NULL;
    ken_uuid_format(project->id, id);
    ken_status st = ken_app_take_catalog(app, true, &c, err);
    return st ? st : give(app, c, ken_catalog_change_value(c, setting, set_project, id, err));
}
