// SPDX-License-Identifier: MIT
// Projects, tasks and settings out of their journal, when the database that has them is damaged or
// gone; and journals that are damaged out of their databases. What is replaced is moved away, never
// deleted, and only after what takes its place was looked at.
//
// With a journal of the user's (--from): it is copied beside the one there is, the copy is read and
// must be that of a list of projects; the old journal gets a second name; the database is moved away;
// the copy takes the journal's name. Who dies before the last step leaves what was there before, in
// the old journal.
#include <errno.h>
#include <sys/stat.h>

#include "app/app_priv.h"
#include "base/path.h"
#include "store/store.h"

enum {
    PIECE = 64 * 1024,
    MOVES_MAX = 8, // databases that others made meanwhile
};

// Reads all of a file into nowhere, or to the end of `out` when it is not -1.
static ken_status read_all(const char *path, int out, ken_err *err)
{
    static _Thread_local char piece[PIECE];
    struct stat info;
    int in = -1;
    ken_status st = ken_fs_open_own(path, &in, err);
    if (st)
        return st;
    if (fstat(in, &info))
        st = KEN_FAIL_ERRNO(err, errno, "looking at '%s'", path);
    else if (!S_ISREG(info.st_mode))
        st = KEN_FAIL(err, KEN_EINVAL, "'%s' is not a regular file", path);
    for (uint64_t at = 0, size = st ? 0 : (uint64_t)info.st_size; !st && at < size;) {
        size_t n = ken_fs_read_at(in, at, piece, size - at < PIECE ? (size_t)(size - at) : PIECE);
        if (!n)
            st = KEN_FAIL(err, KEN_EIO, "'%s': %llu of %llu bytes can be read", path,
                          (unsigned long long)at, (unsigned long long)size);
        else if (out >= 0)
            st = ken_fs_append(out, ken_str_n(piece, n), err);
        at += n;
    }
    ken_fs_close(in);
    return st;
}

// What there is now: KEN_OK when all of it can be read.
static ken_status look_at(const char *path, bool *out_agrees, ken_err *err)
{
    ken_catalog *c = NULL;
    ken_fs_info info;
    ken_status st = ken_fs_stat_target(path, &info, err);
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, KEN_ENOTFOUND, "'%s' is not there", path);
    if (!st)
        st = ken_catalog_open(path, true, &c, err);
    if (!st)
        st = ken_catalog_verify(c, out_agrees, err);
    ken_catalog_close(c);
    return st;
}

// A new database helps when this one is damaged, gone, or the disk does not give it back; a shortage,
// a lock or a missing right says nothing of it.
static bool is_damage(const char *path, ken_status found)
{
    return found == KEN_ECORRUPT || found == KEN_ENOTFOUND ||
           (found == KEN_EIO && read_all(path, -1, NULL) == KEN_EIO);
}

static ken_status check_other(const char *path, ken_catalog_journal *out, ken_err *err)
{
    ken_status st = ken_catalog_check_journal(path, out, err);
    if (!st && !out->n_records)
        st = KEN_FAIL(err, KEN_EINVAL,
                      "no line of it is a record: it is not a journal (projects.db.writes), or "
                      "damaged all over");
    return st;
}

// A copy of the user's journal beside ours, which was read and is one.
static ken_status copy_other(const char *from, const char *made, ken_catalog_journal *out,
                             ken_err *err)
{
    ken_fs_info a, b;
    int fd = -1;
    ken_status st = ken_fs_stat_target(from, &a, err);
    if (st)
        return st;
    if (!ken_fs_stat_target(made, &b, NULL) && ken_fs_id_eq(a.id, b.id))
        return KEN_FAIL(err, KEN_EINVAL, "give '%s' another name first", from);
    st = ken_fs_create_own(made, &fd, err);
    if (st)
        return st;
    st = read_all(from, fd, err);
    if (!st)
        st = ken_fs_sync(fd, err);
    ken_fs_close(fd);
    if (!st)
        st = check_other(made, out, err);
    if (st) {
        bool is_left = ken_fs_remove(made, NULL) != KEN_OK;
        (void)is_left; // harmless: the next one writes over it
    }
    return st;
}

static ken_status move_away(const char *path, ken_arena *arena, ken_str *out_kept, ken_err *err)
{
    ken_str kept = KEN_STR("");
    ken_status st = KEN_OK;
    for (int i = 0; !st && i < MOVES_MAX && ken_fs_exists(path); i++)
        st = ken_catalog_move_away(path, arena, &kept, err);
    if (!out_kept->len)
        *out_kept = kept;
    return st;
}

// The journal and the database are of different origin for as long as both have their names: the
// database goes first. One that another process makes of the old journal in between goes, too.
static ken_status take_journal(const char *path, ken_arena *arena, ken_restore_report *out,
                               ken_err *err)
{
    ken_str made = ken_arena_printf(arena, "%s.writes.taken", path);
    ken_str journal = ken_arena_printf(arena, "%s.writes", path), other = KEN_STR("");
    ken_status st = ken_fs_exists(journal.ptr) ? ken_store_keep(journal.ptr, err) : KEN_OK;
    if (!st)
        st = move_away(path, arena, &out->kept, err);
    if (!st)
        st = ken_fs_rename(made.ptr, journal.ptr, err);
    if (!st)
        st = ken_fs_sync_name(journal.ptr, err);
    return st ? st : move_away(path, arena, &other, err);
}

static ken_status rebuild(ken_app *app, bool has_other, ken_arena *arena, ken_restore_report *out,
                          ken_err *err)
{
    const char *path = app->catalog_path.ptr;
    ken_catalog *c = NULL;
    ken_status st =
        has_other ? take_journal(path, arena, out, err) : move_away(path, arena, &out->kept, err);
    if (!st)
        st = ken_catalog_open(path, false, &c, err); // puts in what the journal has
    if (!st)
        st = ken_catalog_count(c, &out->n_projects, &out->n_tasks, err);
    ken_catalog_close(c);
    if (st && out->kept.len)
        (void)ken_err_wrap(err, "the old file is kept as '" KEN_STR_FMT "'",
                           KEN_STR_ARG(out->kept));
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

// Journals of indexes, which have checkpoints. One that cannot be mended is told by `ken doctor`.
static ken_status mend_indexes(ken_app *app, ken_arena *arena, ken_restore_report *out,
                               ken_err *err)
{
    ken_catalog *c = NULL;
    ken_catalog_row *rows = NULL;
    size_t n = 0;
    ken_status st = ken_catalog_open(app->catalog_path.ptr, true, &c, err);
    if (!st)
        st = ken_catalog_list(c, arena, &rows, &n, err);
    ken_catalog_close(c);
    for (size_t i = 0; !st && i < n; i++) {
        ken_store_journal journal = { 0 };
        if (ken_fs_exists(rows[i].notes_path.ptr) &&
            !ken_store_read_journal(rows[i].notes_path.ptr, &journal, NULL) && journal.n_damaged &&
            !ken_store_settle_journal(rows[i].notes_path.ptr, NULL))
            out->n_indexes++;
    }
    return st;
}

static ken_status check_journal(const char *path, const ken_restore_opts *opts, const char *from,
                                ken_arena *arena, ken_restore_report *out, ken_err *err)
{
    ken_catalog_journal journal = { 0 };
    ken_status st;
    if (!opts->from.len)
        st = ken_catalog_read_journal(path, &journal, err);
    else if (opts->is_dry_run)
        st = check_other(from, &journal, err);
    else
        st = copy_other(from, ken_arena_printf(arena, "%s.writes.taken", path).ptr, &journal, err);
    if (st && opts->from.len)
        (void)ken_err_wrap(err, "--from");
    out->n_records = journal.n_records;
    out->n_damaged = journal.n_damaged;
    out->is_cut_off = journal.is_cut_off;
    return st;
}

// A journal that the disk does not give back is no use beside a sound database: it makes room for one
// made anew of the database, and is kept.
static ken_status give_up_journal(const char *path, const ken_restore_opts *opts, ken_arena *arena,
                                  ken_restore_report *out, ken_err *err)
{
    ken_err again = { 0 };
    ken_status st = check_journal(path, opts, "", arena, out, &again); // a read may fail once
    if (st == KEN_EIO && !opts->is_dry_run)
        st = ken_store_quarantine(ken_arena_printf(arena, "%s.writes", path).ptr, arena, &out->kept,
                                  &again);
    if (st && err)
        *err = again;
    return st;
}

static ken_status restore_locked(ken_app *app, const ken_restore_opts *opts, ken_arena *arena,
                                 ken_restore_report *out, ken_err *err)
{
    const char *path = app->catalog_path.ptr;
    ken_err wrong = { 0 };
    bool agrees = true, has_other = opts->from.len > 0;
    out->found = look_at(path, &agrees, &wrong);
    if (out->found == KEN_ECORRUPT ||
        out->found == KEN_EIO) { // a read that fails once is no damage
        wrong = (ken_err){ 0 };
        out->found = look_at(path, &agrees, &wrong);
    }
    out->wrong = ken_arena_dup(arena, ken_str_c(wrong.msg));
    ken_store_forget_damage(); // it is being mended
    if (out->found && !is_damage(path, out->found)) {
        if (err)
            *err = wrong;
        return out->found;
    }
    ken_status st =
        check_journal(path, opts, ken_arena_dup(arena, opts->from).ptr, arena, out, err);
    if (st == KEN_EIO && !out->found && !has_other)
        st = give_up_journal(path, opts, arena, out, err);
    if (st)
        return st;
    if (out->found && !out->n_records)
        return KEN_FAIL(
            err, KEN_ENOTFOUND,
            "%.300s; there is no journal beside it: give another with --from, or copy a "
            "backup of it there",
            wrong.msg);
    if (opts->is_dry_run)
        return KEN_OK;
    st = out->found || has_other ? rebuild(app, has_other, arena, out, err) : settle(app, out, err);
    return st ? st : mend_indexes(app, arena, out, err);
}

ken_status ken_app_restore(ken_app *app, const ken_restore_opts *opts, ken_arena *arena,
                           ken_restore_report *out, ken_err *err)
{
    int fd = -1;
    ken_restore_report report = { 0 };
    const char *lock = ken_arena_printf(arena, "%s.restoring", app->catalog_path.ptr).ptr;
    ken_status st = KEN_OK;
    if (ken_app__has_database(app))
        return KEN_FAIL(
            err, KEN_EUNSUPPORTED,
            "projects and tasks are in a PostgreSQL database, which has no journal of ken's: "
            "restore a backup of it (docs/scaling.md)");
    if (opts->from.len && !ken_fs_exists(ken_arena_dup(arena, opts->from).ptr))
        return KEN_FAIL(err, KEN_ENOTFOUND, "--from: there is no file '" KEN_STR_FMT "'",
                        KEN_STR_ARG(opts->from));
    ken_app__close_tasks(app);
    const char *folder = ken_arena_dup(arena, ken_path_dir(app->catalog_path)).ptr;
    if (opts->from.len && !opts->is_dry_run)
        st = ken_fs_make_dirs(folder, 0700, err); // of data that begin with this journal
    if (!st && ken_fs_exists(folder))
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
