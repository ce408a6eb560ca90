// SPDX-License-Identifier: MIT
// Projects, tasks and settings out of their journal, when the database that has them is damaged or
// gone. The damaged file is moved away, never deleted.
#include "app/app_priv.h"
#include "base/path.h"
#include "store/store.h"

// What there is now: KEN_OK when all of it can be read.
static ken_status look_at(const char *path, bool *out_agrees, ken_err *err)
{
    ken_catalog *c = NULL;
    ken_status st = ken_fs_exists(path) ? ken_catalog_open(path, true, &c, err)
                                        : KEN_FAIL(err, KEN_ENOTFOUND, "'%s' is not there", path);
    if (!st)
        st = ken_catalog_verify(c, out_agrees, err);
    ken_catalog_close(c);
    return st;
}

// Another journal takes the place of the one there is, which keeps another name.
static ken_status take_journal(ken_app *app, const char *from, ken_arena *arena, ken_err *err)
{
    const char *path = ken_arena_printf(arena, "%s.writes", app->catalog_path.ptr).ptr;
    const char *made = ken_arena_printf(arena, "%s.taken", path).ptr;
    ken_str kept;
    int in = -1, out = -1;
    char piece[16 * 1024];
    uint64_t at = 0;
    ken_status st = ken_fs_open_own(from, &in, err);
    if (!st)
        st = ken_fs_create_own(made, &out, err);
    for (size_t n; !st && (n = ken_fs_read_at(in, at, piece, sizeof piece)) > 0; at += n)
        st = ken_fs_append(out, ken_str_n(piece, n), err);
    if (!st)
        st = ken_fs_sync(out, err);
    if (in >= 0)
        ken_fs_close(in);
    if (out >= 0)
        ken_fs_close(out);
    if (!st && ken_fs_exists(path))
        st = ken_store_quarantine(path, arena, &kept, err);
    return st ? st : ken_fs_rename(made, path, err);
}

static ken_status rebuild(ken_app *app, const ken_restore_opts *opts, ken_arena *arena,
                          ken_restore_report *out, ken_err *err)
{
    const char *path = app->catalog_path.ptr;
    ken_catalog *c = NULL;
    ken_status st = KEN_OK;
    if (ken_fs_exists(path))
        st = ken_store_quarantine(path, arena, &out->kept, err);
    if (!st && opts->from.len)
        st = take_journal(app, ken_arena_dup(arena, opts->from).ptr, arena, err);
    if (!st)
        st = ken_catalog_open(path, false, &c, err); // puts in what the journal has
    if (!st)
        st = ken_catalog_count(c, &out->n_projects, &out->n_tasks, err);
    ken_catalog_close(c);
    out->was_rebuilt = !st;
    return st;
}

// The database is sound: what its journal has beyond it is put in, and a damaged journal made anew.
static ken_status settle(ken_app *app, ken_restore_report *out, ken_err *err)
{
    ken_catalog *c = NULL;
    ken_catalog_journal journal = { 0 };
    ken_status st = ken_catalog_open(app->catalog_path.ptr, false, &c, err);
    if (!st)
        st = ken_catalog_settle(c, &journal, err);
    if (!st)
        st = ken_catalog_count(c, &out->n_projects, &out->n_tasks, err);
    ken_catalog_close(c);
    out->n_applied = journal.n_applied;
    return st;
}

static ken_status restore_locked(ken_app *app, const ken_restore_opts *opts, ken_arena *arena,
                                 ken_restore_report *out, ken_err *err)
{
    const char *path = app->catalog_path.ptr;
    ken_catalog_journal journal = { 0 };
    ken_err wrong = { 0 };
    bool agrees = true;
    out->found = look_at(path, &agrees, &wrong);
    out->wrong = ken_arena_dup(arena, ken_str_c(wrong.msg));
    ken_store_forget_damage(); // it is being mended
    bool wants_other = opts->from.len > 0;
    ken_status st = ken_catalog_read_journal(path, &journal, err);
    if (st)
        return st;
    out->n_records = journal.n_records;
    out->n_damaged = journal.n_damaged;
    out->has_journal = journal.exists;
    if (out->found == KEN_EBUSY || out->found == KEN_EVERSION || out->found == KEN_EPERM) {
        if (err)
            *err = wrong;
        return out->found; // not damage
    }
    if (out->found && !journal.exists && !wants_other)
        return KEN_FAIL(
            err, KEN_ENOTFOUND,
            "%.300s; there is no journal beside it: give another with --from, or copy a "
            "backup of it there",
            wrong.msg);
    if (opts->is_dry_run)
        return KEN_OK;
    return out->found || wants_other ? rebuild(app, opts, arena, out, err) : settle(app, out, err);
}

ken_status ken_app_restore(ken_app *app, const ken_restore_opts *opts, ken_arena *arena,
                           ken_restore_report *out, ken_err *err)
{
    int fd = -1;
    ken_restore_report report = { 0 };
    const char *lock = ken_arena_printf(arena, "%s.restoring", app->catalog_path.ptr).ptr;
    ken_status st = KEN_OK;
    if (opts->from.len && !ken_fs_exists(ken_arena_dup(arena, opts->from).ptr))
        return KEN_FAIL(err, KEN_ENOTFOUND, "--from: there is no file '" KEN_STR_FMT "'",
                        KEN_STR_ARG(opts->from));
    ken_app__close_tasks(app);
    if (ken_fs_exists(ken_arena_dup(arena, ken_path_dir(app->catalog_path)).ptr))
        st = ken_fs_lock(lock, &fd, err);
    if (!st)
        st = restore_locked(app, opts, arena, &report, err);
    if (fd >= 0) {
        bool is_left = ken_fs_remove(lock, NULL) != KEN_OK;
        (void)is_left; // harmless: nobody holds it
        ken_fs_unlock(fd);
    }
    if (!st)
        *out = report;
    return st;
}
