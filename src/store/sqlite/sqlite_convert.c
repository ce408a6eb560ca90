// SPDX-License-Identifier: MIT
// A database of an older ken has no room for sums of pages (sqlite_vfs.c). It is written anew beside
// the old one, which is then replaced by renaming: until then nothing of it was changed.
//
// Others may have the old file open. It is taken out of WAL mode first, for which SQLite wants to be
// alone, and stays locked until the new one has its name. Who waited for it then finds another file
// of that name (sqlite_conn.c looks). A process that keeps it open longer than busy_ms makes this
// KEN_EBUSY: nothing happens, and the next one tries again.
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/path.h"
#include "store/sqlite/sqlite_priv.h"

enum {
    POLL_MS = 5,
};

static char *with_suffix(const char *path, const char *suffix)
{
    ken_buf b = KEN_BUF_INIT(64 * 1024);
    ken_buf_printf(&b, "%s%s", path, suffix);
    char *text = ken_strdup(b.is_over ? "" : b.ptr);
    ken_buf_release(&b);
    return text;
}

// One process at a time; others wait here and then find it done.
static ken_status lock(const ken_sq *q, const char *path, int *out_fd, ken_err *err)
{
    ken_status st = KEN_EBUSY;
    for (int waited = 0; st == KEN_EBUSY && waited <= q->busy_ms; waited += POLL_MS) {
        if (waited)
            sqlite3_sleep(POLL_MS);
        st = ken_fs_lock(path, out_fd, err);
    }
    return st;
}

// Alone with the file, without a log, until the connection is closed.
static ken_status take_alone(ken_sq *q, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    bool is_done = false;
    int rc = sqlite3_prepare_v2(q->db, ken_store__sq_text_of(KEN_SQ_USE_NO_LOG), -1, &st, NULL);
    for (int waited = 0; !rc && !is_done && waited <= q->busy_ms; waited += POLL_MS) {
        if (waited)
            sqlite3_sleep(POLL_MS);
        rc = sqlite3_step(st);
        is_done = rc == SQLITE_ROW && ken_str_eq_c(ken_store__sq_text(st, 0), "delete");
        if (rc == SQLITE_ROW || (rc & 0xff) == SQLITE_BUSY)
            rc = SQLITE_OK;
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    if (rc)
        return SQ_FAIL(q, rc, err, "converting");
    if (!is_done)
        return KEN_FAIL(err, KEN_EBUSY,
                        "%s '%s' was made by an older ken and must be converted, but another "
                        "process has it open: end other ken processes, then try again",
                        q->schema->what, q->path);
    return ken_store__sq_exec(q, KEN_SQ_TAKE_ALONE, err);
}

static ken_status copy_into(ken_sq *q, const char *to, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_buf uri = KEN_BUF_INIT(256 * 1024);
    ken_store__sq_format_uri(to, "mode=rwc", &uri);
    int rc = uri.is_over ? SQLITE_TOOBIG : ken_store__sq_reserve(q->db);
    if (!rc)
        rc = sqlite3_prepare_v2(q->db, ken_store__sq_text_of(KEN_SQ_COPY_INTO), -1, &st, NULL);
    if (!rc) {
        ken_store__sq_bind_text(st, 1, ken_buf_str(&uri));
        rc = sqlite3_step(st);
    }
    sqlite3_finalize(st);
    ken_buf_release(&uri);
    return rc == SQLITE_DONE ? KEN_OK : SQ_FAIL(q, rc, err, "converting");
}

static ken_status sync_path(const char *path, ken_err *err)
{
    int fd = -1;
    ken_status st = ken_fs_open_own(path, &fd, err);
    if (!st)
        st = ken_fs_sync(fd, err);
    if (fd >= 0)
        ken_fs_close(fd);
    return st;
}

static ken_status replace(const ken_sq *q, const char *made, const char *backup, ken_err *err)
{
    ken_status st = chmod(made, 0600) ? KEN_FAIL_ERRNO(err, errno, "converting '%s'", q->path)
                                      : sync_path(made, err);
    if (!st && q->schema->keeps_backup && link(q->path, backup) && errno != EEXIST)
        st = KEN_FAIL_ERRNO(err, errno, "keeping '%s' as '%s'", q->path, backup);
    if (!st)
        st = ken_fs_rename(made, q->path, err);
    return st ? st : ken_fs_sync_name(q->path, err); // before a log is begun beside it
}

static ken_status convert_locked(ken_sq *q, ken_err *err)
{
    int32_t version = 0;
    ken_status st = ken_store__sq_open_file(q, err);
    if (!st && ken_store__sq_has_sums(q->db))
        return KEN_OK; // another process was faster
    char *made = with_suffix(q->path, ".converted");
    char suffix[32];
    if (!st)
        st = ken_store__sq_check(q, &version, err);
    snprintf(suffix, sizeof suffix, ".backup-%d", (int)version);
    char *backup = with_suffix(q->path, suffix);
    if (!st)
        st = take_alone(q, err);
    if (!st)
        st = ken_fs_remove(made, err);
    if (!st)
        st = copy_into(q, made, err);
    if (!st)
        st = replace(q, made, backup, err);
    if (st) { // half a copy would keep the disk full
        bool is_left = ken_fs_remove(made, NULL) != KEN_OK;
        (void)is_left;
    }
    ken_free(made);
    ken_free(backup);
    return st;
}

ken_status ken_store__sq_convert(ken_sq *q, ken_err *err)
{
    char *lock_path = with_suffix(q->path, ".converting");
    int fd = -1;
    ken_status st = lock(q, lock_path, &fd, err);
    if (!st) {
        st = convert_locked(q, err);
        ken_store__sq_disconnect(q);
        bool is_left = ken_fs_remove(lock_path, NULL) != KEN_OK;
        (void)is_left; // harmless: who waits for the lock finds the work done
        ken_fs_unlock(fd);
    }
    ken_free(lock_path);
    return st;
}
