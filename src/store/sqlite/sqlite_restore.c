// SPDX-License-Identifier: MIT
// Reading the journal of what people wrote, and putting it back.
//
// Two passes. The first finds the lines that are whole and counts: a line {"void":n} takes back those
// from n on, and so does a line with a number that was there before. What is not a whole line is
// passed over and counted, but a torn last one: it was never acknowledged. The second pass puts in
// what is newer than the database; from the copy of all rows on, when that is newer.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "json/json.h"
#include "store/sqlite/sqlite_priv.h"

enum {
    PIECE = 1 << 20,
    LINE_MAX_BYTES = 2 * KEN_JSON_BYTES_MAX,
};

typedef struct line {
    uint64_t at;
    uint32_t len;
    int64_t seq;
} line;

typedef KEN_VEC(line) line_vec;

typedef struct reading {
    int fd;
    ken_sq_journal_report report;
    line_vec copy;  // the lines of the copy of all rows
    line_vec lines; // the others
    int64_t copy_seq;
    uint64_t whole_bytes; // up to the end of the last line
    bool is_torn;         // there is more behind it
    bool is_in_copy;
} reading;

static void take_back(reading *r, int64_t from)
{
    while (r->lines.len && r->lines.ptr[r->lines.len - 1].seq >= from)
        r->lines.len--;
}

static void take_line(reading *r, ken_str text, uint64_t at)
{
    ken_str json;
    int64_t seq = 0;
    line l = { .at = at, .len = (uint32_t)text.len };
    if (!ken_store__sq_read_line(text, &json, &seq)) {
        r->report.n_damaged++;
        return;
    }
    r->report.n_lines++;
    l.seq = seq;
    if (ken_str_starts(json, KEN_STR("{\"begin\":"))) {
        r->is_in_copy = true;
        r->copy.len = r->lines.len = 0;
    } else if (ken_str_starts(json, KEN_STR("{\"end\":"))) {
        r->is_in_copy = false;
        r->copy_seq = r->report.last_seq = seq;
    } else if (ken_str_starts(json, KEN_STR("{\"void\":"))) {
        take_back(r, seq + 1);
        r->report.last_seq = seq;
    } else if (seq == 0) {
        ken_vec_push(&r->copy, l);
    } else {
        take_back(r, seq);
        ken_vec_push(&r->lines, l);
        r->report.last_seq = seq;
    }
}

// All lines of the file, piece by piece.
static ken_status read_lines(reading *r, ken_err *err)
{
    ken_buf b = KEN_BUF_INIT(LINE_MAX_BYTES + PIECE);
    char *piece = ken_alloc(PIECE);
    uint64_t at = 0; // of b's first byte in the file
    ken_status st = KEN_OK;
    for (;;) {
        size_t n = ken_fs_read_at(r->fd, at + b.len, piece, PIECE);
        ken_buf_put(&b, piece, n);
        if (b.is_over) {
            st = KEN_FAIL(err, KEN_ECORRUPT, "a line of more than %d bytes", LINE_MAX_BYTES);
            break;
        }
        size_t from = 0;
        for (char *end; b.len > from && (end = memchr(b.ptr + from, '\n', b.len - from));) {
            size_t len = (size_t)(end - (b.ptr + from));
            take_line(r, ken_str_n(b.ptr + from, len), at + from);
            from += len + 1;
        }
        if (from) {
            memmove(b.ptr, b.ptr + from, b.len - from);
            b.len -= from;
        }
        at += from;
        if (!n)
            break;
    }
    r->whole_bytes = at;
    r->is_torn = b.len > 0;
    ken_free(piece);
    ken_buf_release(&b);
    return st;
}

static ken_status open_reading(const char *path, reading *r, ken_err *err)
{
    *r = (reading){ .fd = -1 };
    if (!ken_fs_exists(path))
        return KEN_OK;
    ken_status st = ken_fs_open_own(path, &r->fd, err);
    if (!st) {
        r->report.exists = true;
        st = read_lines(r, err);
    }
    if (st)
        (void)ken_err_wrap(err, "journal '%s'", path);
    return st;
}

static void close_reading(reading *r)
{
    if (r->fd >= 0)
        ken_fs_close(r->fd);
    ken_vec_release(&r->copy);
    ken_vec_release(&r->lines);
}

ken_status ken_store__sq_journal_check(const char *path, ken_sq_journal_report *out, ken_err *err)
{
    reading r;
    ken_status st = open_reading(path, &r, err);
    if (!st)
        *out = r.report;
    close_reading(&r);
    return st;
}

// ---- putting it back ---------------------------------------------------------------------------

static bool is_column(const char *name)
{
    for (const char *p = name; *p; p++)
        if (!(*p >= 'a' && *p <= 'z') && *p != '_' && !(*p >= '0' && *p <= '9'))
            return false;
    return *name;
}

// Rows that do not fit a table any more are refused by it.
static int insert_row(sqlite3 *db, const char *table, json_t *row)
{
    ken_buf sql = KEN_BUF_INIT(64 * 1024);
    sqlite3_stmt *st = NULL;
    const char *name;
    json_t *value;
    size_t n = 0;
    int rc = SQLITE_OK;
    ken_buf_printf(&sql, "INSERT INTO %s (", table);
    json_object_foreach(row, name, value)
    {
        if (!is_column(name))
            rc = SQLITE_MISMATCH;
        ken_buf_printf(&sql, "%s%s", n++ ? ", " : "", name);
    }
    ken_buf_puts(&sql, ") VALUES (");
    for (size_t i = 0; i < n; i++)
        ken_buf_puts(&sql, i ? ", ?" : "?");
    ken_buf_putc(&sql, ')');
    if (!rc)
        rc = sql.is_over ? SQLITE_TOOBIG : sqlite3_prepare_v2(db, sql.ptr, -1, &st, NULL);
    if (!rc) {
        int at = 1;
        json_object_foreach(row, name, value)
        {
            ken_store__sq_bind_json(st, at++, value);
        }
        rc = sqlite3_step(st);
    }
    sqlite3_finalize(st);
    ken_buf_release(&sql);
    return rc == SQLITE_DONE ? SQLITE_OK : rc ? rc : SQLITE_ERROR;
}

static int delete_rows(sqlite3 *db, const char *table, const char *key, const json_t *value)
{
    char sql[160];
    sqlite3_stmt *st = NULL;
    sqlite3_snprintf(sizeof sql, sql, key ? "DELETE FROM %s WHERE %s = ?1" : "DELETE FROM %s",
                     table, key);
    int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);
    if (!rc) {
        if (key)
            ken_store__sq_bind_json(st, 1, value);
        rc = sqlite3_step(st);
    }
    sqlite3_finalize(st);
    return rc == SQLITE_DONE ? SQLITE_OK : rc ? rc : SQLITE_ERROR;
}

// The rows of one group become those that were recorded. All of them or none.
static int put_group(ken_sq *q, const ken_sq_group *g, const json_t *key, const json_t *rows)
{
    int rc = sqlite3_exec(q->db, "SAVEPOINT one_group", NULL, NULL, NULL);
    for (size_t i = KEN_SQ_GROUP_PARTS; !rc && i--;)
        if (g->parts[i].table &&
            json_array_size(json_object_get(rows, g->parts[i].table)) + (g->parts[i].key != NULL) >
                0)
            rc = delete_rows(q->db, g->parts[i].table, g->parts[i].key, key);
    for (size_t i = 0; !rc && i < KEN_SQ_GROUP_PARTS && g->parts[i].table; i++) {
        json_t *list = json_object_get(rows, g->parts[i].table), *row;
        size_t at;
        json_array_foreach(list, at, row)
        {
            rc = rc ? rc : insert_row(q->db, g->parts[i].table, row);
        }
    }
    if (rc)
        (void)sqlite3_exec(q->db, "ROLLBACK TO one_group", NULL, NULL, NULL);
    (void)sqlite3_exec(q->db, "RELEASE one_group", NULL, NULL, NULL);
    return rc;
}

static ken_status put_op(ken_sq *q, const json_t *op, ken_sq_journal_report *report, ken_err *err)
{
    int rc = SQLITE_MISMATCH;
    for (size_t i = 0; i < q->schema->n_groups; i++) {
        const ken_sq_group *g = &q->schema->groups[i];
        const json_t *key = json_object_get(op, g->name);
        if (key)
            rc = put_group(q, g, key, json_object_get(op, "rows"));
    }
    if ((rc & 0xff) == SQLITE_FULL || (rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CORRUPT)
        return SQ_FAIL(q, rc, err, "restoring");
    if (rc)
        report->n_damaged++;
    else
        report->n_applied++;
    return KEN_OK;
}

static ken_status put_line(ken_sq *q, reading *r, const line *l, ken_err *err)
{
    char *text = ken_alloc((size_t)l->len + 1);
    json_t *o = NULL, *op;
    ken_str json;
    int64_t seq = 0;
    size_t at;
    ken_status st = KEN_OK;
    if (ken_fs_read_at(r->fd, l->at, text, l->len) == l->len &&
        ken_store__sq_read_line(ken_str_n(text, l->len), &json, &seq) &&
        !ken_json_parse(json, &o, NULL)) {
        json_array_foreach(json_object_get(o, "ops"), at, op)
        {
            st = st ? st : put_op(q, op, &r->report, err);
        }
    } else {
        r->report.n_damaged++;
    }
    json_decref(o);
    ken_free(text);
    return st;
}

static ken_status clear_all(ken_sq *q, ken_err *err)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; i < q->schema->n_groups; i++)
        for (size_t p = KEN_SQ_GROUP_PARTS; !rc && p > 0; p--)
            if (q->schema->groups[i].parts[p - 1].table && q->schema->groups[i].parts[p - 1].key)
                rc = delete_rows(q->db, q->schema->groups[i].parts[p - 1].table, NULL, NULL);
    return rc ? SQ_FAIL(q, rc, err, "restoring") : KEN_OK;
}

// What the database lacks. `seq` is its own; the database is then at the journal's.
static ken_status put_back(ken_sq *q, reading *r, int64_t seq, ken_err *err)
{
    ken_status st = KEN_OK;
    if (seq < r->copy_seq) {
        st = clear_all(q, err);
        for (size_t i = 0; !st && i < r->copy.len; i++)
            st = put_line(q, r, &r->copy.ptr[i], err);
        seq = r->copy_seq;
    }
    for (size_t i = 0; !st && i < r->lines.len; i++)
        if (r->lines.ptr[i].seq > seq)
            st = put_line(q, r, &r->lines.ptr[i], err);
    if (!st && q->schema->after_restore)
        st = ken_store__sq_exec(q, q->schema->after_restore, err);
    return st ? st : ken_store__sq_journal_set_seq(q, r->report.last_seq, err);
}

static ken_status has_rows(ken_sq *q, bool *out, ken_err *err)
{
    char sql[120];
    *out = false;
    for (size_t i = 0; i < q->schema->n_groups; i++) {
        int64_t n = 0;
        sqlite3_snprintf(sizeof sql, sql, "SELECT EXISTS (SELECT 1 FROM %s)",
                         q->schema->groups[i].parts[0].table);
        ken_status st = ken_store__sq_ask(q, sql, &n, err);
        if (st)
            return st;
        *out |= n > 0;
    }
    return KEN_OK;
}

// In a write transaction: nobody else appends.
static ken_status settle(ken_sq *q, const char *path, ken_sq_journal_report *out, ken_err *err)
{
    reading r;
    int64_t seq = 0;
    bool wants_copy = false;
    ken_status st = open_reading(path, &r, err);
    if (!st)
        st = ken_store__sq_journal_seq(q, &seq, err);
    if (!st && r.report.exists && r.report.last_seq > seq)
        st = put_back(q, &r, seq, err);
    else if (!st && (!r.report.exists || r.report.last_seq < seq || r.report.n_damaged))
        st = has_rows(q, &wants_copy, err);
    if (!st && r.is_torn && truncate(path, (off_t)r.whole_bytes))
        st = KEN_FAIL_ERRNO(err, errno, "cutting '%s'", path);
    // A journal that is not there, or has lost its end, begins with all that the database has.
    if (!st && wants_copy)
        st = ken_store__sq_journal_set_seq(q, ++seq, err);
    if (!st && wants_copy)
        st = ken_store__sq_journal_begin(q, seq, err);
    if (!st && out)
        *out = r.report;
    close_reading(&r);
    return st;
}

ken_status ken_store__sq_settle(ken_sq *q, ken_sq_journal_report *out, ken_err *err)
{
    char *path = ken_store__sq_journal_path(q->path);
    ken_status st = ken_store__sq_exec(q, "BEGIN IMMEDIATE", err);
    if (!st)
        st = settle(q, path, out, err);
    if (!st)
        st = ken_store__sq_exec(q, "COMMIT", err);
    if (!sqlite3_get_autocommit(q->db))
        (void)sqlite3_exec(q->db, "ROLLBACK", NULL, NULL, NULL);
    ken_free(path);
    return st;
}

ken_status ken_store__sq_needs_settling(ken_sq *q, bool *out, ken_err *err)
{
    char *path = ken_store__sq_journal_path(q->path);
    int64_t seq = 0, last = 0;
    bool exists = false;
    ken_status st = ken_store__sq_journal_seq(q, &seq, err);
    if (!st) {
        bool is_whole = ken_store__sq_last_line(path, &last, &exists);
        *out = exists ? !is_whole || last != seq : seq > 0;
        if (!exists && !seq)
            st = has_rows(q, out, err);
    }
    ken_free(path);
    return st;
}

ken_status ken_store__sq_catch_up(ken_sq *q, ken_err *err)
{
    bool needs = false;
    ken_status st = ken_store__sq_needs_settling(q, &needs, err);
    if (st || !needs)
        return st;
    char *path = ken_store__sq_journal_path(q->path);
    st = settle(q, path, NULL, err);
    ken_free(path);
    return st;
}
