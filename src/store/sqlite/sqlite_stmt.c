// SPDX-License-Identifier: MIT
#include <embed_store_sql.h>
#include <errno.h>
#include <string.h>

#include "store/sqlite/sqlite_priv.h"

static const char *const names[KEN_SQ_COUNT] = { NULL,
#define X(name) #name,
                                                 KEN_SQ_STATEMENTS(X)
#undef X
};

// The text after the line "-- :NAME"; the statement ends at its ";". Looked up once for each
// connection that uses it: a search of 12 KB.
const char *ken_store__sq_text_of(ken_sq_stmt which)
{
    char mark[64];
    sqlite3_snprintf(sizeof mark, mark, "\n-- :%s\n", names[which]);
    const char *found = NULL;
    for (size_t i = 0; !found && i < ken_embed_store_sql_count; i++)
        found = strstr((const char *)ken_embed_store_sql_table[i].data, mark);
    return found ? found + strlen(mark) : NULL;
}

// Of a call to the system that failed inside of SQLite. KEN_EIO: the file or its disk, as far as this
// tells; a shortage or a missing right says nothing of the file.
static ken_status status_of_system(int e)
{
    switch (e) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return KEN_ENOSPC;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
    case ENOLCK:
        return KEN_ENOMEM;
    case EACCES:
    case EPERM:
    case EROFS:
        return KEN_EPERM;
    case EAGAIN:
    case EBUSY:
        return KEN_EBUSY;
    default:
        return KEN_EIO;
    }
}

static ken_status status_of_io(ken_sq *q, int rc)
{
    if (rc == SQLITE_IOERR_NOMEM)
        return KEN_ENOMEM;
    if (rc == SQLITE_IOERR_SHORT_READ || rc == SQLITE_IOERR_DATA)
        return KEN_ECORRUPT;
    ken_status st = status_of_system(q->db ? sqlite3_system_errno(q->db) : 0);
    // The shared memory of the log did not grow, and errno is that of a later call.
    return rc == SQLITE_IOERR_SHMSIZE && st == KEN_EIO ? KEN_ENOSPC : st;
}

static ken_status status_of_open(ken_sq *q)
{
    int e = q->db ? sqlite3_system_errno(q->db) : 0;
    if (e == ENOENT || e == ENOTDIR)
        return KEN_ENOTFOUND;
    if (e == EISDIR || e == ENAMETOOLONG || e == ELOOP)
        return KEN_EINVAL;
    return status_of_system(e);
}

// The one place where a code of SQLite becomes one of ours.
static ken_status status_of(ken_sq *q, int rc)
{
    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return KEN_EBUSY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_ERROR: // our SQL is right, so a table is missing or is not as we made it
    case SQLITE_MISMATCH:
        return KEN_ECORRUPT;
    case SQLITE_FULL:
        return KEN_ENOSPC;
    case SQLITE_IOERR:
        return status_of_io(q, rc);
    case SQLITE_CANTOPEN:
        return status_of_open(q);
    case SQLITE_NOMEM:
        return KEN_ENOMEM;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return KEN_EPERM;
    case SQLITE_TOOBIG:
        return KEN_ELIMIT;
    case SQLITE_CONSTRAINT:
        return rc == SQLITE_CONSTRAINT_UNIQUE || rc == SQLITE_CONSTRAINT_PRIMARYKEY ? KEN_EEXIST
                                                                                    : KEN_EINVAL;
    case SQLITE_INTERRUPT:
        return KEN_ECANCELLED;
    default:
        return KEN_EINTERNAL;
    }
}

static const char *hint_of(ken_sq *q, ken_status st)
{
    switch ((int)st) {
    case KEN_ECORRUPT:
        return q->schema->hint;
    case KEN_EBUSY:
        return "; another process is writing: try again";
    case KEN_EIO:
        return "; the file could not be read or written: try again, and look at the disk if it stays";
    case KEN_ENOSPC:
        return "; nothing of this run was kept: free space, then run it again";
    default:
        return "";
    }
}

ken_status ken_store__sq_fail(ken_sq *q, int rc, ken_err *err, const char *where, const char *doing)
{
    ken_status st = status_of(q, rc);
    ken_sq_damage damage = ken_store__sq_damage_of(q->db);
    if (rc == SQLITE_IOERR_DATA && damage.is_lost)
        return ken_err_set(err, KEN_ECORRUPT, where, "%s '%s' " KEN_SQ_LOST "%s", q->schema->what,
                           q->path, hint_of(q, KEN_ECORRUPT));
    if (rc == SQLITE_IOERR_DATA && damage.page)
        return ken_err_set(err, KEN_ECORRUPT, where,
                           "%s '%s' is damaged: page %llu%s is not what was written%s",
                           q->schema->what, q->path, (unsigned long long)damage.page,
                           damage.is_in_log ? " in its log" : "", hint_of(q, KEN_ECORRUPT));
    const char *text = q->db ? sqlite3_errmsg(q->db) : sqlite3_errstr(rc);
    int e = q->db ? sqlite3_system_errno(q->db) : 0;
    bool has_errno = e && ((rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN);
    char sys[96];
    return ken_err_set(err, st, where, "%s '%s': %s%s%s (sqlite %d)%s", doing, q->path, text,
                       has_errno ? ", " : "", has_errno ? strerror_r(e, sys, sizeof sys) : "", rc,
                       hint_of(q, st));
}

ken_status ken_store__sq_corrupt(ken_sq *q, ken_err *err, const char *where, const char *what)
{
    return ken_err_set(err, KEN_ECORRUPT, where, "%s '%s' is damaged: %s%s", q->schema->what,
                       q->path, what, q->schema->hint);
}

ken_status ken_store__sq_get(ken_sq *q, ken_sq_stmt which, sqlite3_stmt **out, ken_err *err)
{
    sqlite3_stmt *st = q->stmts[which];
    if (!q->db) // a refresh failed
        return SQ_FAIL(q, SQLITE_CANTOPEN, err, "reading");
    if (!st) {
        int rc = sqlite3_prepare_v3(q->db, ken_store__sq_text_of(which), -1,
                                    SQLITE_PREPARE_PERSISTENT, &st, NULL);
        if (rc)
            return SQ_FAIL(q, rc, err, "reading");
        q->stmts[which] = st;
    }
    *out = st;
    return KEN_OK;
}

void ken_store__sq_done(sqlite3_stmt *st)
{
    if (!st)
        return;
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
}

ken_status ken_store__sq_row(ken_sq *q, sqlite3_stmt *st, const char *absent, const char *where,
                             ken_err *err)
{
    int rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        return KEN_OK;
    if (rc != SQLITE_DONE)
        return ken_store__sq_fail(q, rc, err, where, "reading");
    return absent ? ken_store__sq_corrupt(q, err, where, absent) : KEN_ENOTFOUND;
}

ken_status ken_store__sq_run(ken_sq *q, sqlite3_stmt *st, const char *doing, ken_err *err)
{
    int rc = sqlite3_step(st);
    ken_status s = rc == SQLITE_DONE || rc == SQLITE_ROW ? KEN_OK : SQ_FAIL(q, rc, err, doing);
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__sq_do(ken_sq *q, ken_sq_stmt which, const char *doing, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, which, &st, err);
    return s ? s : ken_store__sq_run(q, st, doing, err);
}

static const char *value_of(const ken_sq_word *words, ken_str name)
{
    for (; words && words->name; words++)
        if (ken_str_eq_c(name, words->name))
            return words->value;
    return "";
}

void ken_store__sq_fill(ken_sq_stmt which, const ken_sq_word *words, ken_buf *out)
{
    const char *text = ken_store__sq_text_of(which), *end = text ? strstr(text, "\n-- ") : NULL;
    ken_str rest = ken_str_n(text, end ? (size_t)(end - text) : text ? strlen(text) : 0);
    for (size_t at = ken_str_find_char(rest, '{'); at != SIZE_MAX;
         at = ken_str_find_char(rest, '{')) {
        size_t close = ken_str_find_char(rest, '}');
        ken_buf_put(out, rest.ptr, at);
        ken_buf_puts(out, value_of(words, ken_str_sub(rest, at + 1, close)));
        rest = ken_str_sub(rest, close + 1, rest.len);
    }
    ken_buf_put_str(out, rest);
}

enum {
    FILLED_MAX_BYTES = 128 * 1024
};

int ken_store__sq_try(ken_sq *q, ken_sq_stmt which, const ken_sq_word *words)
{
    ken_buf sql = KEN_BUF_INIT(FILLED_MAX_BYTES);
    ken_store__sq_fill(which, words, &sql);
    int rc = sql.is_over ? SQLITE_TOOBIG : sqlite3_exec(q->db, sql.ptr, NULL, NULL, NULL);
    ken_buf_release(&sql);
    return rc;
}

ken_status ken_store__sq_exec_filled(ken_sq *q, ken_sq_stmt which, const ken_sq_word *words,
                                     ken_err *err)
{
    int rc = ken_store__sq_try(q, which, words);
    return rc ? SQ_FAIL(q, rc, err, "opening") : KEN_OK;
}

ken_status ken_store__sq_exec(ken_sq *q, ken_sq_stmt which, ken_err *err)
{
    return ken_store__sq_exec_filled(q, which, NULL, err);
}

void ken_store__sq_undo(ken_sq *q)
{
    if (!sqlite3_get_autocommit(q->db))
        (void)ken_store__sq_try(q, KEN_SQ_ROLLBACK, NULL);
}

int ken_store__sq_prepare_filled(ken_sq *q, ken_sq_stmt which, const ken_sq_word *words,
                                 sqlite3_stmt **out)
{
    ken_buf sql = KEN_BUF_INIT(FILLED_MAX_BYTES);
    ken_store__sq_fill(which, words, &sql);
    int rc = sql.is_over ? SQLITE_TOOBIG : sqlite3_prepare_v2(q->db, sql.ptr, -1, out, NULL);
    ken_buf_release(&sql);
    return rc;
}

ken_status ken_store__sq_ask(ken_sq *q, ken_sq_stmt which, const ken_sq_word *words, int64_t *out,
                             ken_err *err)
{
    sqlite3_stmt *st = NULL;
    int rc = ken_store__sq_prepare_filled(q, which, words, &st);
    if (!rc)
        rc = sqlite3_step(st);
    ken_status s = KEN_OK;
    if (rc == SQLITE_ROW)
        *out = sqlite3_column_int64(st, 0);
    else
        s = SQ_FAIL(q, rc == SQLITE_DONE ? SQLITE_CORRUPT : rc, err, "opening");
    sqlite3_finalize(st);
    return s;
}

void ken_store__sq_bind_text(sqlite3_stmt *st, int at, ken_str s)
{
    sqlite3_bind_text64(st, at, s.ptr ? s.ptr : "", s.len, SQLITE_STATIC, SQLITE_UTF8);
}

void ken_store__sq_bind_blob(sqlite3_stmt *st, int at, const void *p, size_t n)
{
    if (n)
        sqlite3_bind_blob64(st, at, p, n, SQLITE_STATIC);
    else
        sqlite3_bind_zeroblob(st, at, 0); // a NULL pointer would be NULL, not an empty value
}
