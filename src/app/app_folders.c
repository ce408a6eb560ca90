// SPDX-License-Identifier: MIT
// Folders for who chooses one to be a project. The names are read once; of each it is looked at whether it has a .git,
// which is one system call.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app_priv.h"
#include "app/projects.h"
#include "base/path.h"
#include "base/utf8.h"

typedef struct listing {
    ken_app *app;
    ken_arena *arena;
    const ken_cancel *cancel;
    bool wants_hidden;
    ken_project_info *known;
    size_t n_known;
    KEN_VEC(ken_app_folder) found;
    bool is_cut;
} listing;

static int by_name(const void *a, const void *b)
{
    const ken_app_folder *x = a, *y = b;
    bool is_hidden[2] = { x->name.ptr[0] == '.', y->name.ptr[0] == '.' };
    int order = ken_str_cmp_fold(x->name, y->name);
    if (is_hidden[0] != is_hidden[1])
        return is_hidden[0] ? 1 : -1;
    return order ? order : ken_str_cmp(x->path, y->path);
}

static void add_folder(listing *l, ken_str name, ken_str path)
{
    ken_app_folder f = { .name = name, .path = path };
    ken_str mark = ken_path_join(l->arena, path, KEN_STR(".git"));
    f.is_repository = ken_fs_exists(mark.ptr);
    f.is_allowed = !ken_app__check_root(l->app, path, true, l->arena, NULL);
    for (size_t i = 0; i < l->n_known && !f.is_project; i++)
        if (ken_str_eq(l->known[i].root, path)) {
            f.is_project = true;
            f.project = l->known[i].id;
        }
    ken_vec_push(&l->found, f);
}

// A folder itself, not a link to one; of some file systems its kind is not told with the name.
static bool is_folder(int dir_fd, const struct dirent *e)
{
    struct stat st;
    if (e->d_type != DT_UNKNOWN)
        return e->d_type == DT_DIR;
    return !fstatat(dir_fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

static bool is_shown(const listing *l, ken_str name, ken_str path)
{
    if (ken_str_eq_c(name, ".") || ken_str_eq_c(name, "..") || !ken_utf8_is_valid(name))
        return false;
    if (name.ptr[0] == '.' && !l->wants_hidden)
        return false;
    return !ken_app_check_look(l->app, path, l->arena, NULL);
}

static ken_status read_folder(listing *l, ken_str path, ken_err *err)
{
    int fd = -1;
    ken_status st = ken_fs_open_dir(path.ptr, &fd, err);
    if (st)
        return st;
    DIR *d = fdopendir(fd);
    if (!d) {
        int why = errno;
        ken_fs_close(fd);
        return KEN_FAIL_ERRNO(err, why, "reading '" KEN_STR_FMT "'", KEN_STR_ARG(path));
    }
    for (const struct dirent *e; !st && !l->is_cut && (e = readdir(d)) != NULL;) {
        if (!is_folder(dirfd(d), e))
            continue;
        ken_str name = ken_arena_dup(l->arena, ken_str_c(e->d_name));
        ken_str below = ken_path_join(l->arena, path, name);
        if (!is_shown(l, name, below))
            continue;
        l->is_cut = l->found.len == KEN_APP_FOLDERS_MAX;
        if (!l->is_cut)
            add_folder(l, name, below);
        st = ken_cancel_check(l->cancel, err);
    }
    closedir(d);
    return st;
}

static ken_status find_folder(listing *l, ken_str asked, ken_app_folders *out, ken_err *err)
{
    ken_fs_info info;
    ken_str real = { NULL, 0 };
    if (!ken_str_starts(asked, KEN_STR("/")))
        return KEN_FAIL(err, KEN_EINVAL, "path: '" KEN_STR_FMT "' is not absolute",
                        KEN_STR_ARG(ken_utf8_clip(asked, 200)));
    // Before it is looked whether it is there: that, too, is none of a caller's business.
    ken_status st = ken_app_check_look(l->app, ken_path_normalise(l->arena, asked), l->arena, err);
    if (!st)
        st = ken_path_real(l->arena, asked, &real, err);
    if (!st)
        st = ken_app_check_look(l->app, real, l->arena, err);
    if (!st)
        st = ken_fs_stat(KEN_FS_CWD, real.ptr, &info, err);
    if (!st && info.kind != KEN_FS_DIR)
        st = KEN_FAIL(err, KEN_EINVAL, "path: '" KEN_STR_FMT "' is not a folder",
                      KEN_STR_ARG(ken_utf8_clip(asked, 200)));
    if (st)
        return st;
    ken_str parent = ken_path_dir(real);
    if (!parent.len && real.len > 1)
        parent = KEN_STR("/");
    out->path = real;
    if (parent.len && !ken_app_check_look(l->app, parent, l->arena, NULL))
        out->parent = parent;
    return KEN_OK;
}

// Where choosing begins: the folders of projects.roots, else the home folder.
static ken_status list_start(listing *l, ken_app_folders *out, ken_err *err)
{
    const ken_str *entries;
    ken_str *roots;
    if (!ken_config_list(l->app->config, KEN_CFG_ROOTS, &entries)) {
        ken_str home = ken_config_home(l->arena);
        ken_status st = find_folder(l, home.len ? home : KEN_STR("/"), out, err);
        return st ? st : read_folder(l, out->path, err);
    }
    size_t n = ken_app_list_roots(l->app, l->arena, &roots);
    for (size_t i = 0; i < n; i++)
        add_folder(l, ken_path_base(roots[i]), roots[i]);
    return KEN_OK;
}

ken_status ken_app_list_folders(ken_app *app, const ken_app_folders_opts *o,
                                const ken_cancel *cancel, ken_arena *arena, ken_app_folders *out,
                                ken_err *err)
{
    listing l = { .app = app, .arena = arena, .cancel = cancel, .wants_hidden = o->wants_hidden };
    ken_app_folders found = { .n = 0 };
    ken_status st = ken_app_list_projects(app, arena, &l.known, &l.n_known, err);
    if (!st && !o->path.len)
        st = list_start(&l, &found, err);
    else if (!st)
        st = find_folder(&l, o->path, &found, err);
    if (!st && o->path.len)
        st = read_folder(&l, found.path, err);
    if (!st) {
        if (l.found.len)
            qsort(l.found.ptr, l.found.len, sizeof *l.found.ptr, by_name);
        found.n = l.found.len;
        found.is_cut = l.is_cut;
        found.folders = KEN_ARENA_ARRAY(arena, ken_app_folder, l.found.len + 1);
        for (size_t i = 0; i < l.found.len; i++)
            found.folders[i] = l.found.ptr[i];
        *out = found;
    }
    ken_vec_release(&l.found);
    return st;
}

ken_status ken_app_check_candidate(ken_app *app, ken_str path, ken_arena *arena, ken_str *out,
                                   ken_err *err)
{
    ken_str real = { NULL, 0 };
    // What may not be looked at is refused before it is said whether it is there.
    ken_status st = ken_app_check_look(app, ken_path_normalise(arena, path), arena, err);
    if (!st)
        st = ken_app__check_folder(path, arena, &real, err);
    if (!st)
        st = ken_app__check_root(app, real, true, arena, err);
    if (!st)
        *out = real;
    return st;
}
