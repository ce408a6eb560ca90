// SPDX-License-Identifier: MIT
// index_roots.c -- further roots: which ones an index was made of, and what becomes of those that are gone.
#include "index/index_run_priv.h"

ken_status ken_index__open_roots(index_job *job, const char *root, const ken_roots *more,
                                 ken_arena *arena, ken_err *err)
{
    job->roots = (ken_roots){ .fd = -1 };
    ken_status st = ken_fs_open_dir(root, &job->roots.fd, err);
    if (st || !more || !more->n)
        return st;
    job->roots.n = more->n;
    job->roots.more = ken_arena_copy(arena, more->more, more->n, sizeof *more->more);
    ken_roots_open(&job->roots);
    return KEN_OK;
}

void ken_index__close_roots(index_job *job)
{
    ken_roots_close(&job->roots);
    ken_fs_close(job->roots.fd);
    job->roots.fd = -1;
}

ken_status ken_index_load_roots(ken_store *store, ken_arena *arena, ken_str *out, ken_err *err)
{
    *out = KEN_STR("");
    ken_status st = ken_store_load_value(store, KEN_STR(KEN_ROOTS_KEPT), arena, out, err);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

// ---- roots that are gone -----------------------------------------------------------------------

bool ken_index__is_held(const index_run *r, ken_str path)
{
    ken_str below;
    const ken_root *root =
        r->scan.n_gone ? ken_roots_find(r->opts->scan.roots, path, &below) : NULL;
    for (size_t i = 0; root && i < r->scan.n_gone; i++)
        if (r->scan.gone[i] == root)
            return true;
    return false;
}

static void note_gone(index_run *r, const ken_root *root)
{
    ken_str mark = ken_root_path(root, KEN_STR(""), r->arena);
    ken_str text = ken_arena_printf(
        r->arena, "the folder '" KEN_STR_FMT "' is gone: its files are as they were indexed",
        KEN_STR_ARG(root->path));
    ken_index__add_issue(r, mark, text.ptr);
}

static ken_status fail_gone(const ken_root *root, ken_err *err)
{
    return KEN_FAIL(err, KEN_ENOTFOUND,
                    "the folder '" KEN_STR_FMT "' of root '" KEN_STR_FMT
                    "' is gone, and everything has to be read again: bring it back, or take the "
                    "root out of the project (--remove-root " KEN_STR_FMT ")",
                    KEN_STR_ARG(root->path), KEN_STR_ARG(root->name), KEN_STR_ARG(root->name));
}

ken_status ken_index__hold_gone(index_run *r, const index_old_files *old, ken_err *err)
{
    if (!r->scan.n_gone)
        return KEN_OK;
    if (!r->trusts_old && old->n)
        return fail_gone(r->scan.gone[0], err);
    ken_scan_file *files =
        KEN_ARENA_ARRAY(&r->scan_arena, ken_scan_file, r->scan.n_files + old->n + 1);
    size_t n = 0, o = 0;
    for (size_t i = 0; i <= r->scan.n_files; i++) { // both are sorted
        for (; o < old->n &&
               (i == r->scan.n_files || ken_str_cmp(old->rows[o].path, r->scan.files[i].path) < 0);
             o++)
            if (ken_index__is_held(r, old->rows[o].path))
                files[n++] = (ken_scan_file){ old->rows[o].path, old->rows[o].stamp };
        if (i < r->scan.n_files)
            files[n++] = r->scan.files[i];
    }
    r->scan.files = files;
    r->scan.n_files = n;
    for (size_t i = 0; i < r->scan.n_gone && !r->is_look; i++)
        note_gone(r, r->scan.gone[i]);
    return KEN_OK;
}
