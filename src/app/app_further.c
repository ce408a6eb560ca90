// SPDX-License-Identifier: MIT
// Further roots of a project (base/roots.h): what people want is in the catalog, by the project's id, as a
// value "roots.<id>"; an index keeps those that its generation was made of.
#include "app/app.h"
#include "app/app_priv.h"
#include "base/path.h"
#include "base/utf8.h"
#include "obs/log.h"

static ken_str value_name(ken_uuid project, ken_arena *arena)
{
    char id[KEN_UUID_TEXT];
    ken_uuid_format(project, id);
    return ken_arena_printf(arena, "roots.%s", id);
}

ken_status ken_app__load_further(ken_catalog *c, ken_project_info *project, ken_arena *arena,
                                 ken_err *err)
{
    ken_str text = KEN_STR("");
    ken_status st = ken_catalog_load_value(c, value_name(project->id, arena), arena, &text, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    project->further = st ? KEN_STR("") : text;
    return KEN_OK;
}

ken_status ken_app__forget_further(ken_catalog *c, ken_uuid project, ken_err *err)
{
    ken_arena a;
    ken_arena_init(&a, 256);
    ken_status st = ken_catalog_put_value(c, value_name(project, &a), (ken_str){ NULL, 0 }, err);
    ken_arena_release(&a);
    return st;
}

ken_roots ken_app_roots(const ken_project_info *project, ken_arena *arena)
{
    return ken_roots_parse(project->further, arena);
}

// ---- changing them -----------------------------------------------------------------------------

typedef struct change {
    ken_app *app;
    ken_project_info *project;
    const ken_app_roots_change *asked;
    ken_arena *arena;
    ken_roots roots; // room for KEN_ROOTS_MAX
    ken_str text;    // of these, as it is kept
} change;

static ken_root *find_name(const ken_roots *r, ken_str name)
{
    for (size_t i = 0; i < r->n; i++)
        if (ken_str_eq(r->more[i].name, name))
            return &r->more[i];
    return NULL;
}

// "a, b", for an error.
static ken_str list_names(const change *c)
{
    ken_str list = KEN_STR("");
    for (size_t i = 0; i < c->roots.n; i++)
        list = ken_arena_printf(c->arena, KEN_STR_FMT "%s'" KEN_STR_FMT "'", KEN_STR_ARG(list),
                                i ? ", " : "", KEN_STR_ARG(c->roots.more[i].name));
    return list;
}

static ken_status remove_one(change *c, ken_str name, ken_err *err)
{
    name = ken_str_starts(name, KEN_STR("@")) ? ken_str_sub(name, 1, name.len) : name;
    ken_root *root = find_name(&c->roots, name);
    if (!root)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "project '" KEN_STR_FMT "' has no further root '" KEN_STR_FMT
                        "'; %s" KEN_STR_FMT,
                        KEN_STR_ARG(c->project->name), KEN_STR_ARG(ken_utf8_clip(name, 100)),
                        c->roots.n ? "it has " : "it has none", KEN_STR_ARG(list_names(c)));
    *root = c->roots.more[--c->roots.n];
    return KEN_OK;
}

// "NAME=DIR" or "DIR". A name has no '/', so what stands before a '=' in a path is none.
static void split(ken_str text, ken_str *out_name, ken_str *out_dir)
{
    size_t eq = ken_str_find_char(text, '=');
    ken_str name = eq == SIZE_MAX ? KEN_STR("") : ken_str_sub(text, 0, eq);
    bool has_name = ken_root_is_name(name);
    *out_dir = has_name ? ken_str_sub(text, eq + 1, text.len) : text;
    while (out_dir->len > 1 && ken_str_ends(*out_dir, KEN_STR("/")))
        out_dir->len--;
    *out_name = has_name ? name : ken_path_base(*out_dir);
}

static ken_status check_name(const change *c, ken_str name, ken_str path, ken_err *err)
{
    ken_fs_info info;
    const ken_root *same = find_name(&c->roots, name);
    if (!ken_root_is_name(name))
        return KEN_FAIL(err, KEN_EINVAL,
                        "'" KEN_STR_FMT "' cannot name a root: a name has 1 to %d letters, digits, "
                        "'-', '_' and '.', which is not at its front; give one: NAME=" KEN_STR_FMT,
                        KEN_STR_ARG(ken_utf8_clip(name, 100)), KEN_ROOT_NAME_MAX,
                        KEN_STR_ARG(path));
    if (same)
        return KEN_FAIL(err, KEN_EEXIST,
                        "root '" KEN_STR_FMT "' of the project is '" KEN_STR_FMT
                        "' already; give another name: NAME=" KEN_STR_FMT,
                        KEN_STR_ARG(name), KEN_STR_ARG(same->path), KEN_STR_ARG(path));
    ken_str mark = ken_arena_printf(c->arena, KEN_STR_FMT "/@" KEN_STR_FMT,
                                    KEN_STR_ARG(c->project->root), KEN_STR_ARG(name));
    if (!ken_fs_stat(KEN_FS_CWD, mark.ptr, &info, NULL))
        return KEN_FAIL(err, KEN_EEXIST,
                        "'" KEN_STR_FMT "' is there, and files of root '" KEN_STR_FMT
                        "' would have its paths; give another name: NAME=" KEN_STR_FMT,
                        KEN_STR_ARG(mark), KEN_STR_ARG(name), KEN_STR_ARG(path));
    return KEN_OK;
}

static bool overlaps(ken_str a, ken_str b)
{
    return ken_path_is_under(a, b) || ken_path_is_under(b, a);
}

static ken_status fail_overlap(ken_str path, const char *what, ken_str name, ken_str other,
                               ken_err *err)
{
    return KEN_FAIL(err, KEN_EINVAL,
                    "'" KEN_STR_FMT "' and %s" KEN_STR_FMT " ('" KEN_STR_FMT
                    "') are the same folder or one lies in the other; roots of a project must lie "
                    "apart",
                    KEN_STR_ARG(path), what, KEN_STR_ARG(name), KEN_STR_ARG(other));
}

static ken_status check_place(const change *c, ken_str path, ken_err *err)
{
    if (overlaps(path, c->project->root))
        return fail_overlap(path, "the project's first root", KEN_STR(""), c->project->root, err);
    for (size_t i = 0; i < c->roots.n; i++)
        if (overlaps(path, c->roots.more[i].path))
            return fail_overlap(path, "root @", c->roots.more[i].name, c->roots.more[i].path, err);
    ken_str data;
    if (ken_path_real(c->arena, ken_config_data_dir(c->app->config), &data, NULL))
        data = ken_config_data_dir(c->app->config);
    if (ken_path_is_under(data, path))
        return KEN_FAIL(err, KEN_EINVAL, "'" KEN_STR_FMT "' is where ken keeps its own data",
                        KEN_STR_ARG(path));
    return KEN_OK;
}

static ken_status add_one(change *c, ken_str text, ken_err *err)
{
    ken_str name, dir, path;
    split(text, &name, &dir);
    ken_status st = ken_app__check_folder(dir, c->arena, &path, err);
    if (!st && memchr(path.ptr, '\n', path.len))
        st = KEN_FAIL(err, KEN_EINVAL, "the path of a root cannot have a line's end");
    if (st)
        return st;
    const ken_root *same = find_name(&c->roots, name);
    if (same && ken_str_eq(same->path, path))
        return KEN_OK;
    st = ken_app__check_root(c->app, path, c->asked->is_for_client, c->arena, err);
    if (!st)
        st = check_place(c, path, err);
    if (!st)
        st = check_name(c, name, path, err);
    if (!st && c->roots.n == KEN_ROOTS_MAX)
        st = KEN_FAIL(err, KEN_ELIMIT, "a project has at most %d further roots", KEN_ROOTS_MAX);
    if (!st)
        c->roots.more[c->roots.n++] = (ken_root){ .name = name, .path = path, .fd = -1 };
    return st;
}

// What was asked for was checked against the roots that the project had.
static ken_status replace_known(void *ctx, ken_str was, ken_str *out, ken_err *err)
{
    const change *c = ctx;
    if (!ken_str_eq(was, c->project->further))
        return KEN_FAIL(err, KEN_EBUSY,
                        "further roots of project '" KEN_STR_FMT
                        "' were changed by another process meanwhile; try again",
                        KEN_STR_ARG(c->project->name));
    *out = c->text.len ? c->text : (ken_str){ NULL, 0 };
    return KEN_OK;
}

static ken_status put_all(ken_catalog *catalog, void *ctx, ken_err *err)
{
    change *c = ctx;
    ken_str name = value_name(c->project->id, c->arena);
    c->text = ken_roots_format(&c->roots, c->arena);
    ken_status st = ken_catalog_change_value(catalog, name, replace_known, c, err);
    if (!st)
        c->project->further = c->text;
    return st;
}

ken_status ken_app__restore_further(ken_app *app, ken_catalog *catalog, ken_project_info *project,
                                    ken_str text, ken_arena *arena, ken_err *err)
{
    change c = { .app = app, .project = project, .arena = arena };
    const ken_roots kept = ken_roots_parse(text, arena);
    c.roots.more = KEN_ARENA_ARRAY(arena, ken_root, KEN_ROOTS_MAX);
    for (size_t i = 0; i < kept.n; i++) {
        ken_err why = { 0 };
        if (check_place(&c, kept.more[i].path, &why))
            KEN_LOG_WARNING("index",
                            "project '" KEN_STR_FMT "' is taken up without its root '@" KEN_STR_FMT
                            "': %s",
                            KEN_STR_ARG(project->name), KEN_STR_ARG(kept.more[i].name), why.msg);
        else
            c.roots.more[c.roots.n++] = kept.more[i];
    }
    return put_all(catalog, &c, err);
}

ken_status ken_app_change_roots(ken_app *app, ken_project_info *project,
                                const ken_app_roots_change *asked, ken_arena *arena, ken_err *err)
{
    change c = { .app = app, .project = project, .asked = asked, .arena = arena };
    ken_status st = ken_app__check_active(project, err);
    if (st)
        return st;
    const ken_roots now = ken_app_roots(project, arena);
    c.roots.more = KEN_ARENA_ARRAY(arena, ken_root, KEN_ROOTS_MAX);
    for (size_t i = 0; i < now.n; i++)
        c.roots.more[c.roots.n++] = now.more[i];
    for (size_t i = 0; i < asked->n_remove && !st; i++)
        st = remove_one(&c, asked->remove[i], err);
    for (size_t i = 0; i < asked->n_add && !st; i++)
        st = add_one(&c, asked->add[i], err);
    // What has files of elsewhere is not put among those of other worktrees.
    if (!st && c.roots.n)
        st = ken_app__unshare(app, project, arena, project, err);
    return st ? st : ken_app_with_catalog(app, true, put_all, &c, err);
}
