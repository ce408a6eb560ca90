// SPDX-License-Identifier: MIT
// The projects that are known, and what a person or a client may call them.
#include <inttypes.h>

#include "app/app.h"
#include "app/app_priv.h"
#include "app/projects.h"
#include "app/remotes.h"
#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/url.h"
#include "base/utf8.h"

enum {
    NAME_MAX_BYTES = 200,
    LISTED_MAX = 8, // projects that an error names
};

// ---- the catalog ----

ken_status ken_app_take_catalog(ken_app *app, bool may_create, ken_catalog **out, ken_err *err)
{
    ken_catalog *c = NULL;
    pthread_mutex_lock(&app->lock);
    if (app->catalogs.len)
        c = app->catalogs.ptr[--app->catalogs.len];
    pthread_mutex_unlock(&app->lock);
    if (c && ken_catalog_is_current(c)) {
        *out = c;
        return KEN_OK;
    }
    ken_catalog_close(c);
    c = NULL;
    if (!may_create && !ken_app__has_catalog(app))
        return KEN_ENOTFOUND;
    ken_err e = { 0 };
    ken_status st = ken_app__open_catalog(app, false, out, &e);
    // Asking must also work where nothing may be written.
    if (st && !may_create && ken_app__open_catalog(app, true, &c, NULL) == KEN_OK) {
        if (st == KEN_EPERM || !ken_catalog_is_behind(c)) {
            *out = c;
            return KEN_OK;
        }
        ken_catalog_close(c); // what it lacks could not be put in
    }
    if (st && err)
        *err = e;
    return st;
}

void ken_app_give_catalog(ken_app *app, ken_catalog *c)
{
    pthread_mutex_lock(&app->lock);
    bool has_room = app->catalogs.len < APP_IDLE_CATALOGS;
    if (has_room)
        ken_vec_push(&app->catalogs, c);
    pthread_mutex_unlock(&app->lock);
    if (!has_room)
        ken_catalog_close(c);
}

ken_status ken_app_with_catalog(ken_app *app, bool may_create, ken_app_catalog_fn *fn, void *ctx,
                                ken_err *err)
{
    ken_catalog *c = NULL;
    ken_status st = ken_app_take_catalog(app, may_create, &c, err);
    if (st)
        return st;
    st = fn(c, ctx, err);
    if (st && st != KEN_ENOTFOUND)
        ken_catalog_close(c); // as it failed, it is not used again
    else
        ken_app_give_catalog(app, c);
    return st;
}

ken_project_info ken_app__project_of(const ken_catalog_row *row)
{
    const ken_uuid first = { { 0 } };
    bool is_own = ken_uuid_eq(row->index_of, row->id);
    return (ken_project_info){
        .id = row->id,
        .name = row->name,
        .root = row->root,
        .database = row->database,
        .db_path = row->db_path,
        .further = { "", 0 },
        .notes_path = row->notes_path,
        .tree = is_own ? first : row->id,
        .indexed_at_ms = row->indexed_at_ms,
        .root_exists = ken_fs_exists(row->root.ptr),
        .is_archived = !row->is_active,
    };
}

ken_project_info ken_app__dup_project(const ken_project_info *project, ken_arena *arena)
{
    ken_project_info own = *project;
    own.name = ken_arena_dup(arena, project->name);
    own.root = ken_arena_dup(arena, project->root);
    own.db_path = ken_arena_dup(arena, project->db_path);
    own.notes_path = ken_arena_dup(arena, project->notes_path);
    own.commit = ken_arena_dup(arena, project->commit);
    own.further = ken_arena_dup(arena, project->further);
    return own;
}

static ken_status load_rows(ken_app *app, ken_arena *arena, ken_catalog_row **out, size_t *out_n,
                            ken_err *err)
{
    ken_catalog *c = NULL;
    ken_status st = ken_app_take_catalog(app, false, &c, err);
    if (st == KEN_ENOTFOUND) {
        *out = NULL;
        *out_n = 0;
        return KEN_OK;
    }
    if (st)
        return st;
    st = ken_catalog_list(c, arena, out, out_n, err);
    if (st)
        ken_catalog_close(c);
    else
        ken_app_give_catalog(app, c);
    return st;
}

typedef struct further {
    ken_project_info *projects;
    size_t n;
    ken_arena *arena;
} further;

static ken_status load_further(ken_catalog *c, void *ctx, ken_err *err)
{
    const further *f = ctx;
    ken_status st = KEN_OK;
    for (size_t i = 0; i < f->n && !st; i++)
        st = ken_app__load_further(c, &f->projects[i], f->arena, err);
    return st;
}

ken_status ken_app_list_projects(ken_app *app, ken_arena *arena, ken_project_info **out,
                                 size_t *out_n, ken_err *err)
{
    ken_catalog_row *rows = NULL;
    size_t n = 0;
    ken_status st = load_rows(app, arena, &rows, &n, err);
    if (st)
        return st;
    *out = KEN_ARENA_ARRAY(arena, ken_project_info, n + 1);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = ken_app__project_of(&rows[i]);
    if (n)
        st = ken_app_with_catalog(app, false, load_further, &(further){ *out, n, arena }, err);
    *out_n = st ? 0 : n;
    return st;
}

// ---- finding one ----

typedef struct rows {
    ken_catalog_row *ptr;
    size_t n;
} rows;

// "a, b (/x/b), b (/y/b), …": names, with roots where a name is not enough.
static ken_str describe(const rows *r, ken_arena *a, ken_str only_name)
{
    ken_str list = ken_arena_dup(a, KEN_STR(""));
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const ken_catalog_row *row = &r->ptr[i];
        if (only_name.len && !ken_str_eq(row->name, only_name))
            continue;
        if (n == LISTED_MAX)
            return ken_arena_printf(a, KEN_STR_FMT ", …", KEN_STR_ARG(list));
        list =
            ken_arena_printf(a, KEN_STR_FMT "%s'" KEN_STR_FMT "'", KEN_STR_ARG(list),
                             n++ ? ", " : "", KEN_STR_ARG(only_name.len ? row->root : row->name));
    }
    return list;
}

static const ken_catalog_row *find_around(const rows *r, ken_str path)
{
    const ken_catalog_row *best = NULL;
    for (size_t i = 0; i < r->n; i++)
        if (ken_path_is_under(r->ptr[i].root, path) &&
            (!best || r->ptr[i].root.len > best->root.len))
            best = &r->ptr[i];
    return best;
}

static ken_status find_named(const rows *r, ken_str name, ken_arena *a, const ken_catalog_row **out,
                             ken_err *err)
{
    const ken_catalog_row *found = NULL;
    for (size_t i = 0; i < r->n; i++) {
        if (!ken_str_eq(r->ptr[i].name, name))
            continue;
        if (found)
            return KEN_FAIL(err, KEN_EINVAL,
                            "several projects are called '" KEN_STR_FMT "': " KEN_STR_FMT
                            "; name one by its path",
                            KEN_STR_ARG(name), KEN_STR_ARG(describe(r, a, name)));
        found = &r->ptr[i];
    }
    *out = found;
    return found ? KEN_OK : KEN_ENOTFOUND;
}

// A path that is there by its real name, one that is gone by its text.
static const ken_catalog_row *find_by_path(const rows *r, ken_str ref, ken_arena *a)
{
    ken_str path;
    if (ken_path_real(a, ref, &path, NULL)) {
        if (!ref.len || ref.ptr[0] != '/')
            return NULL;
        path = ken_path_normalise(a, ref);
    }
    return path.ptr ? find_around(r, path) : NULL;
}

static ken_status fail_unknown(const rows *r, ken_str ref, ken_arena *a, ken_err *err)
{
    const char **names = KEN_ARENA_ARRAY(a, const char *, r->n + 1);
    for (size_t i = 0; i < r->n; i++)
        names[i] = ken_arena_dup(a, r->ptr[i].name).ptr;
    const char *near = ken_config_nearest(ref, names, r->n);
    ref = ken_utf8_clip(ken_url_masked(ref, a), 100);
    if (!r->n)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "no project '" KEN_STR_FMT
                        "'; there are none yet, make one with: ken index PATH",
                        KEN_STR_ARG(ref));
    if (near)
        return KEN_FAIL(err, KEN_ENOTFOUND, "no project '" KEN_STR_FMT "', did you mean '%s'?",
                        KEN_STR_ARG(ref), near);
    return KEN_FAIL(err, KEN_ENOTFOUND, "no project '" KEN_STR_FMT "'; known: " KEN_STR_FMT,
                    KEN_STR_ARG(ref), KEN_STR_ARG(describe(r, a, KEN_STR(""))));
}

// The only one that is not archived; NULL when there are none or several.
static const ken_catalog_row *find_only(const rows *r)
{
    const ken_catalog_row *only = NULL;
    for (size_t i = 0; i < r->n; i++) {
        if (only && r->ptr[i].is_active)
            return NULL;
        if (r->ptr[i].is_active)
            only = &r->ptr[i];
    }
    return only;
}

// Nothing was said: the project around the working directory, else the only one.
static ken_status find_default(const rows *r, ken_str cwd, ken_arena *a,
                               const ken_catalog_row **out, ken_err *err)
{
    *out = cwd.len ? find_by_path(r, cwd, a) : NULL;
    if (!*out)
        *out = find_only(r);
    if (*out)
        return KEN_OK;
    if (!r->n)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "there are no projects yet; make one with: ken index PATH");
    return KEN_FAIL(err, KEN_EINVAL, "say which project: " KEN_STR_FMT,
                    KEN_STR_ARG(describe(r, a, KEN_STR(""))));
}

static ken_status find_row(const rows *r, ken_str ref, ken_str cwd, ken_arena *a,
                           const ken_catalog_row **out, ken_err *err)
{
    ken_uuid id;
    if (!ref.len)
        return find_default(r, cwd, a, out, err);
    if (ken_uuid_parse(ref, &id))
        for (size_t i = 0; i < r->n; i++)
            if (ken_uuid_eq(r->ptr[i].id, id)) {
                *out = &r->ptr[i];
                return KEN_OK;
            }
    // What looks like a path is one; a bare word is a name first.
    bool is_path = ken_str_find_char(ref, '/') != SIZE_MAX || ref.ptr[0] == '.';
    *out = is_path ? find_by_path(r, ref, a) : NULL;
    if (*out)
        return KEN_OK;
    ken_status st = find_named(r, ref, a, out, err);
    if (st != KEN_ENOTFOUND)
        return st;
    *out = is_path ? NULL : find_by_path(r, ref, a);
    return *out ? KEN_OK : fail_unknown(r, ref, a, err);
}

ken_status ken_app_find_project(ken_app *app, ken_str ref, ken_str cwd, ken_arena *arena,
                                ken_project_info *out, ken_err *err)
{
    rows r = { NULL, 0 };
    const ken_catalog_row *row = NULL;
    ken_status st = load_rows(app, arena, &r.ptr, &r.n, err);
    KEN_ASSERT(st || !r.n || r.ptr);
    if (!st)
        st = find_row(&r, ref, cwd, arena, &row, err);
    if (st)
        return st;
    KEN_ASSERT(row);
    ken_project_info found = ken_app__project_of(row);
    st = ken_app_with_catalog(app, false, load_further, &(further){ &found, 1, arena }, err);
    if (!st)
        *out = found;
    return st;
}

// ---- adding and removing ----

static ken_status check_name(ken_str name, ken_err *err)
{
    if (name.len > NAME_MAX_BYTES)
        return KEN_FAIL(err, KEN_EINVAL, "the name of a project has at most %d bytes",
                        NAME_MAX_BYTES);
    return ken_utf8_is_printable(name, "")
               ? KEN_OK
               : KEN_FAIL(err, KEN_EINVAL, "the name of a project must be plain UTF-8 text");
}

ken_status ken_app__check_folder(ken_str path, ken_arena *arena, ken_str *out, ken_err *err)
{
    ken_fs_info info;
    int fd = -1;
    ken_status st = ken_path_real(arena, path, out, err);
    if (!st)
        st = ken_fs_stat(KEN_FS_CWD, out->ptr, &info, err);
    if (!st && info.kind != KEN_FS_DIR)
        st = KEN_FAIL(err, KEN_EINVAL, "invalid path: '" KEN_STR_FMT "' is not a folder",
                      KEN_STR_ARG(path));
    if (!st)
        st = ken_fs_open_dir(out->ptr, &fd, err);
    ken_fs_close(fd);
    return st;
}

// A folder that is a project already needs no leave.
static bool is_known_root(ken_app *app, ken_str root, ken_arena *arena)
{
    ken_catalog_row *list = NULL;
    size_t n = 0;
    if (load_rows(app, arena, &list, &n, NULL))
        return false;
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq(list[i].root, root))
            return true;
    return false;
}

static ken_status add(ken_app *app, ken_str path, ken_str name, bool is_for_client,
                      ken_arena *arena, ken_project_info *out, ken_err *err)
{
    ken_str root;
    ken_catalog *c = NULL;
    ken_catalog_row row;
    ken_err why = { 0 };
    ken_status st = check_name(name, err);
    if (!st)
        st = ken_app__check_folder(path, arena, &root, err);
    if (st)
        return st;
    st = ken_app__check_root(app, root, is_for_client, arena, &why);
    if (st && !is_known_root(app, root, arena))
        return KEN_FAIL(err, st, "%s", why.msg);
    st = ken_app_take_catalog(app, true, &c, err);
    if (st)
        return st;
    st = ken_catalog_find_by_root(c, root, arena, &row, err);
    if (st == KEN_ENOTFOUND)
        st = ken_app__take_up(app, c, root, name, arena, &row, err);
    const bool is_new = st == KEN_ENOTFOUND;
    if (!st || is_new) // renamed, or new
        st = ken_catalog_add(c, root, name, ken_clock_wall_ms(), arena, &row, err);
    if (!st && is_new)
        st = ken_app__share_index(app, c, arena, &row, err);
    ken_project_info added = { .name = name };
    if (!st) {
        added = ken_app__project_of(&row);
        st = ken_app__load_further(c, &added, arena, err);
    }
    if (st) {
        ken_catalog_close(c);
        return st;
    }
    ken_app_give_catalog(app, c);
    *out = added;
    return KEN_OK;
}

ken_status ken_app_add_project(ken_app *app, ken_str path, ken_str name, ken_arena *arena,
                               ken_project_info *out, ken_err *err)
{
    return add(app, path, name, false, arena, out, err);
}

ken_status ken_app_add_client_project(ken_app *app, ken_str path, ken_str name, ken_arena *arena,
                                      ken_project_info *out, ken_err *err)
{
    return add(app, path, name, true, arena, out, err);
}

ken_status ken_app_rename_project(ken_app *app, ken_project_info *project, ken_str name,
                                  ken_arena *arena, ken_err *err)
{
    ken_catalog *c = NULL;
    ken_catalog_row row;
    ken_status st = check_name(name, err);
    if (!st && !name.len)
        st = KEN_FAIL(err, KEN_EINVAL, "the name of a project cannot be empty");
    if (!st)
        st = ken_app_take_catalog(app, true, &c, err);
    if (st)
        return st;
    st = ken_catalog_find_by_id(c, project->id, arena, &row, err); // or it would be made anew
    if (!st)
        st = ken_catalog_add(c, project->root, name, ken_clock_wall_ms(), arena, &row, err);
    if (st) {
        ken_catalog_close(c);
        return st;
    }
    ken_app_give_catalog(app, c);
    project->name = row.name;
    return KEN_OK;
}

// Of a remote repository the folder is ken's own, and goes too.
static ken_status remove_clone(ken_app *app, const ken_project_info *project, ken_err *err)
{
    ken_arena a;
    ken_remote remote;
    ken_arena_init(&a, 0);
    ken_status st = ken_app_find_remote(app, project, &a, &remote, err);
    if (!st && ken_app__has_clone(app, project))
        st = ken_sync_remove(project->root.ptr, err);
    ken_arena_release(&a);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

ken_status ken_app_remove_project(ken_app *app, const ken_project_info *project, ken_err *err)
{
    app_lock *lock = NULL;
    ken_catalog *c = NULL;
    ken_app__unfollow(app, project->id);
    ken_app__stop_first(app, project);
    ken_status st = ken_app__await_index(app, project, &lock, err);
    if (st)
        return st;
    st = remove_clone(app, project, err);
    if (!st)
        st = ken_app_take_catalog(app, true, &c, err);
    if (!st)
        st = ken_app__forget_further(c, project->id, err);
    if (!st)
        st = ken_app__unselect(c, project->id, err);
    if (!st)
        st = ken_catalog_remove(c, project->id, err);
    if (st == KEN_ENOTFOUND) // somebody else was faster
        st = KEN_OK;
    if (c)
        ken_app_give_catalog(app, c);
    if (!st) {
        ken_app__drop_idle(app, project->id);
        st = ken_app__remove_index(app, project, err);
    }
    ken_app__unlock_index(app, lock);
    return st;
}

ken_status ken_app_archive_project(ken_app *app, ken_project_info *project, bool is_archived,
                                   ken_err *err)
{
    ken_catalog *c = NULL;
    ken_app__stop_first(app, project);
    ken_status st = ken_app_take_catalog(app, true, &c, err);
    if (st)
        return st;
    st = is_archived ? ken_app__unselect(c, project->id, err) : KEN_OK;
    if (!st)
        st = ken_catalog_set_active(c, project->id, !is_archived, err);
    if (st) {
        ken_catalog_close(c);
        return st;
    }
    ken_app_give_catalog(app, c);
    if (is_archived)
        ken_app__unfollow(app, project->id);
    ken_app__drop_idle(app, project->id);
    project->is_archived = is_archived;
    return KEN_OK;
}

ken_status ken_app__check_active(const ken_project_info *project, ken_err *err)
{
    if (!project->is_archived)
        return KEN_OK;
    return KEN_FAIL(err, KEN_EPERM,
                    "project '" KEN_STR_FMT
                    "' is archived; 'ken projects archive --undo " KEN_STR_FMT
                    "' takes it up again",
                    KEN_STR_ARG(project->name), KEN_STR_ARG(project->name));
}

ken_status ken_app_load_settings(ken_app *app, const ken_project_info *project, ken_config **out,
                                 ken_err *err)
{
    return ken_config_load_project(app->config, project->root.ptr, out, err);
}
