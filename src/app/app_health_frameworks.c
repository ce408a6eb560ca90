// SPDX-License-Identifier: MIT
// A project's own frameworks: a file that cannot be read makes `ken routes` fail, and all else pass
// it over in silence.
#include <dirent.h>

#include "app/app_health_priv.h"
#include "base/fs.h"
#include "base/path.h"
#include "route/route.h"
#include "secret/secret.h"

enum {
    ENTRIES_MAX = 1000,
    BAD_MAX = 20 // files that are named
};

typedef struct frameworks_check {
    checkup *c;
    const ken_project_info *project;
    int root_fd;
    ken_frameworks known;
    size_t n_good, n_bad;
} frameworks_check;

static void check_file(frameworks_check *f, ken_str path)
{
    ken_err err = { 0 };
    ken_buf text = KEN_BUF_INIT(KEN_ROUTE_FILE_MAX + 1);
    ken_status st = ken_fs_read_under(f->root_fd, path, KEN_ROUTE_FILE_MAX, &text, NULL, &err);
    if (!st) {
        ken_secret_mask(text.ptr, text.len); // errors quote what they found
        st = ken_frameworks_add(&f->known, path, ken_buf_str(&text), &err);
    }
    f->n_good += !st;
    f->n_bad += st != KEN_OK;
    if (st && f->n_bad <= BAD_MAX)
        ken_app__add_health(f->c, "frameworks", KEN_HEALTH_FAIL,
                            ken_arena_printf(f->c->arena, "'" KEN_STR_FMT "': %s",
                                             KEN_STR_ARG(f->project->name), err.msg));
    ken_buf_release(&text);
}

static void check_folder(frameworks_check *f)
{
    const struct dirent *d;
    int fd = ken_fs_open_dir_under(f->root_fd, KEN_STR(KEN_FRAMEWORKS_FOLDER));
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        ken_fs_close(fd);
        return;
    }
    for (int n = 0; n < ENTRIES_MAX && (d = readdir(dir)) != NULL; n++) {
        ken_str path =
            ken_path_join(f->c->arena, KEN_STR(KEN_FRAMEWORKS_FOLDER), ken_str_c(d->d_name));
        if (ken_frameworks_is_file(path))
            check_file(f, path);
    }
    closedir(dir);
}

void ken_app__check_frameworks(checkup *c, const ken_project_info *p)
{
    frameworks_check f = { .c = c, .project = p };
    if (!p->root_exists || ken_fs_open_dir(p->root.ptr, &f.root_fd, NULL))
        return;
    ken_frameworks_init(&f.known);
    check_folder(&f);
    if (f.n_good)
        ken_app__add_health(c, "frameworks", KEN_HEALTH_OK,
                            ken_arena_printf(c->arena, "'" KEN_STR_FMT "': %zu of its own",
                                             KEN_STR_ARG(p->name), f.n_good));
    ken_frameworks_release(&f.known);
    ken_fs_close(f.root_fd);
}
