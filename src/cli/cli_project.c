// SPDX-License-Identifier: MIT
// From what a person typed to a project and its snapshot.
#include <time.h>

#include "base/path.h"
#include "cli/cli_print_priv.h"

enum {
    FIRST_INDEX_WAITS = 6000
}; // of 100 ms

static ken_status working_dir(cli *x, ken_str *out, ken_err *err)
{
    ken_status st = ken_path_real(&x->arena, KEN_STR("."), out, err);
    return st ? ken_err_wrap(err, "working directory") : KEN_OK;
}

// The nearest folder at or above `dir` that holds a .git; empty when there is none.
static ken_str git_root(cli *x, ken_str dir)
{
    for (;;) {
        if (ken_fs_exists(ken_path_join(&x->arena, dir, KEN_STR(".git")).ptr))
            return dir;
        if (dir.len <= 1)
            return KEN_STR("");
        dir = ken_path_dir(dir);
        if (!dir.len)
            dir = KEN_STR("/");
    }
}

static void set_below(cli *x, cli_place *place, ken_str path)
{
    const ken_roots more = ken_app_roots(&place->project, &x->arena);
    ken_str below = ken_path_relative(place->project.root, path);
    if (!below.ptr)
        below = ken_roots_relative(&more, path, &x->arena);
    place->below = below.ptr ? ken_arena_dup(&x->arena, below) : KEN_STR("");
}

// A folder that nobody named must not be indexed by accident when it is a whole home or disk.
static ken_status check_modest(cli *x, ken_str dir, ken_err *err)
{
    ken_str home = ken_config_home(&x->arena), real;
    if (home.len && !ken_path_real(&x->arena, home, &real, NULL))
        home = real;
    if (dir.len > 1 && !ken_str_eq(dir, home))
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL,
                    "no project here: go to a project's folder, or name one as PATH or --project");
}

// The project around `dir`, which need not be known yet: then it is the git work tree around it, or
// the folder itself. `is_named`: a person typed it.
static ken_status place_around(cli *x, ken_str dir, bool is_named, cli_place *out, ken_err *err)
{
    ken_err e = { 0 };
    ken_str tree = git_root(x, dir);
    ken_status st = ken_app_find_project(x->app, dir, KEN_STR(""), &x->arena, &out->project, &e);
    // A work tree of its own inside a project is no part of it: scanning leaves it out.
    if (!st && tree.len > out->project.root.len)
        st = KEN_ENOTFOUND;
    out->is_known = !st;
    if (st == KEN_ENOTFOUND) {
        ken_str root = is_named || !tree.len ? dir : tree;
        out->project = (ken_project_info){ .name = ken_path_base(root), .root = root };
        st = is_named ? KEN_OK : check_modest(x, root, err);
    } else if (st) {
        *err = e;
    }
    if (!st)
        set_below(x, out, dir);
    return st;
}

// A folder that `ref` names, as absolute real path.
static ken_status real_dir(cli *x, ken_str ref, ken_str *out, ken_err *err)
{
    ken_fs_info info;
    ken_status st = ken_path_real(&x->arena, ref, out, err);
    if (!st)
        st = ken_fs_stat(KEN_FS_CWD, out->ptr, &info, err);
    if (!st && info.kind != KEN_FS_DIR)
        st = KEN_FAIL(err, KEN_EINVAL, "'" KEN_STR_FMT "' is not a folder", KEN_STR_ARG(ref));
    return st;
}

// --project: an id, a name, or a path, known or not.
static ken_status place_of_ref(cli *x, ken_str ref, cli_place *out, ken_err *err)
{
    ken_str dir;
    out->below = KEN_STR("");
    ken_err e = { 0 };
    ken_status st = ken_app_find_project(x->app, ref, KEN_STR(""), &x->arena, &out->project, &e);
    out->is_known = !st;
    if (!st)
        return st;
    if (st != KEN_ENOTFOUND || real_dir(x, ref, &dir, NULL)) {
        *err = e;
        return st;
    }
    st = place_around(x, dir, true, out, err);
    out->below = KEN_STR("");
    return st;
}

ken_status ken_cli__resolve_in(cli *x, const ken_project_info *project, ken_str path, ken_str *out,
                               ken_err *err)
{
    const ken_roots more = ken_app_roots(project, &x->arena);
    ken_str below = path;
    const ken_root *root = ken_roots_find(
        &more, ken_arena_printf(&x->arena, KEN_STR_FMT "/", KEN_STR_ARG(path)), &below);
    for (size_t i = 0; i < more.n && !root && path.len && path.ptr[0] == '/'; i++)
        if (ken_path_is_under(more.more[i].path, path)) {
            root = &more.more[i];
            below = ken_path_relative(root->path, path);
        }
    while (root && ken_str_ends(below, KEN_STR("/")))
        below.len--;
    return ken_path_resolve_under(&x->arena, root ? root->path : project->root, below, out, err);
}

ken_status ken_cli__find_place(cli *x, const char *path, cli_place *out, ken_err *err)
{
    const char *ref = ken_cli__args_get(&x->args, "project");
    ken_str dir;
    ken_status st = KEN_OK;
    *out = (cli_place){ 0 };
    if (ref) {
        st = place_of_ref(x, ken_str_c(ref), out, err);
        if (!st && path) {
            st = ken_cli__resolve_in(x, &out->project, ken_str_c(path), &dir, err);
            if (!st)
                set_below(x, out, dir);
        }
        return st;
    }
    st = path ? real_dir(x, ken_str_c(path), &dir, err) : working_dir(x, &dir, err);
    if (!st)
        st = place_around(x, dir, path != NULL, out, err);
    if (!st && !path)
        out->below = KEN_STR("");
    return st;
}

// Of a file that is there: its project, known or around it.
static ken_status place_of_file(cli *x, const char *file, ken_str real, cli_place *out,
                                ken_err *err)
{
    ken_str cwd;
    ken_status st = place_around(x, ken_path_dir(real), false, out, err);
    if (!st)
        set_below(x, out, real);
    // The folder of some file elsewhere is not indexed for it.
    bool is_near = !working_dir(x, &cwd, NULL) && ken_path_relative(cwd, real).ptr;
    if (!st && !out->is_known && !is_near && !git_root(x, out->project.root).len)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "'%.200s' is in no project and in no git work tree; ken index its "
                        "folder first",
                        file);
    return st;
}

// A link that leads elsewhere is a file of the known project that it stands in: a commit may have one there.
static bool place_of_link(cli *x, const char *file, ken_str real, cli_place *out)
{
    cli_place own = { 0 };
    ken_err unused = { 0 };
    ken_str dir = ken_path_dir(ken_str_c(file));
    if (ken_path_real(&x->arena, dir.len ? dir : KEN_STR("."), &dir, NULL))
        return false;
    ken_str path = ken_arena_printf(&x->arena, KEN_STR_FMT "/" KEN_STR_FMT, KEN_STR_ARG(dir),
                                    KEN_STR_ARG(ken_path_base(ken_str_c(file))));
    if (ken_str_eq(path, real) || place_around(x, dir, false, &own, &unused) || !own.is_known)
        return false;
    set_below(x, &own, path);
    *out = own;
    return true;
}

ken_status ken_cli__find_file(cli *x, const char *file, cli_place *out, ken_err *err)
{
    const char *ref = ken_cli__args_get(&x->args, "project");
    ken_str real;
    *out = (cli_place){ 0 };
    if (!ref && !ken_path_real(&x->arena, ken_str_c(file), &real, NULL)) {
        ken_status st = place_of_file(x, file, real, out, err);
        return st && place_of_link(x, file, real, out) ? KEN_OK : st;
    }
    ken_status st = ken_cli__find_place(x, NULL, out, err);
    if (st)
        return st;
    out->below = ken_path_normalise(&x->arena, ken_str_c(file));
    if (file[0] == '/' || !out->below.ptr)
        set_below(x, out, ken_str_c(file));
    return KEN_OK;
}

// ---- indexing ----

ken_status ken_cli__index(cli *x, const ken_project_info *project, ken_index_opts opts,
                          ken_index_report *out, ken_err *err)
{
    cli_progress progress;
    ken_cli__progress_init(&progress, x);
    opts.on_progress = ken_cli__progress_show;
    opts.progress_ctx = &progress;
    ken_status st = ken_app_index(x->app, project, &opts, x->cancel, &x->arena, out, err);
    ken_cli__progress_end(&progress);
    return st;
}

static ken_status fail_not_indexed(const cli_place *place, ken_err *err)
{
    return KEN_FAIL(err, KEN_ENOTFOUND,
                    "project '" KEN_STR_FMT "' is not indexed; run: ken index " KEN_STR_FMT,
                    KEN_STR_ARG(place->project.name), KEN_STR_ARG(place->project.root));
}

static ken_status index_first(cli *x, cli_place *place, ken_err *err)
{
    ken_config *settings = NULL;
    ken_index_report report;
    ken_status st = ken_app_load_settings(x->app, &place->project, &settings, err);
    if (st)
        return st;
    if (!ken_config_bool(settings, KEN_CFG_AUTO_INDEX))
        st = fail_not_indexed(place, err);
    if (!st && !place->is_known)
        st = ken_app_add_project(x->app, place->project.root, KEN_STR(""), &x->arena,
                                 &place->project, err);
    place->is_known = !st;
    if (!st)
        st = ken_cli__index(x, &place->project, ken_app_index_opts(settings), &report, err);
    if (!st)
        ken_cli__note(x, "indexed " KEN_STR_FMT " of " KEN_STR_FMT " in " KEN_STR_FMT,
                      KEN_STR_ARG(ken_figure_n(&x->arena, report.n_files, "file")),
                      KEN_STR_ARG(place->project.root),
                      KEN_STR_ARG(ken_figure_duration(&x->arena, report.duration_ms)));
    ken_config_free(settings);
    return st;
}

ken_status ken_cli__open_place(cli *x, cli_place *place, bool may_index, ken_snapshot **out,
                               ken_err *err)
{
    const ken_app_asking how = { .may_index = may_index, .cancel = x->cancel };
    for (unsigned n_waits = 0;; n_waits++) {
        ken_err e = { 0 };
        ken_status st = KEN_ENOTFOUND;
        if (place->is_known)
            st = ken_app_ask(x->app, &place->project, &how, out, &e);
        if (!st)
            return KEN_OK;
        if (st == KEN_ENOTFOUND)
            st = may_index ? index_first(x, place, &e) : fail_not_indexed(place, &e);
        // Somebody else may be making the first index right now: then wait for it.
        if (st == KEN_EBUSY && n_waits < FIRST_INDEX_WAITS) {
            ken_quota *paused = ken_quota_pause();
            nanosleep(&(struct timespec){ 0, 100 * 1000 * 1000 }, NULL);
            ken_quota_resume(paused);
            e = (ken_err){ 0 };
            st = ken_cancel_check(x->cancel, &e);
        }
        if (st) {
            *err = e;
            return st;
        }
    }
}

ken_status ken_cli__index_unknown(cli *x, cli_place *place, ken_err *err)
{
    ken_snapshot *s = NULL;
    bool may_index = !x->command->spec->is_read_only || !ken_cli__args_has(&x->args, "no-index");
    if (place->is_known)
        return KEN_OK;
    ken_status st = ken_cli__open_place(x, place, may_index, &s, err);
    ken_cli__close_place(x, place, s);
    return st;
}

ken_status ken_cli__check_answer(const ken_snapshot *s, ken_status st, ken_err *err)
{
    if (!s || (st && st != KEN_ENOTFOUND))
        return st;
    ken_status failed = ken_snapshot_check(s, err);
    return failed ? failed : st;
}

void ken_cli__close_place(cli *x, const cli_place *place, ken_snapshot *s)
{
    if (!s)
        return;
    ken_str unread = ken_snapshot_unread(s);
    if (unread.len)
        ken_cli__warn("the answer may be incomplete: " KEN_STR_FMT, KEN_STR_ARG(unread));
    ken_app_give_back(x->app, &place->project, s);
}
