// SPDX-License-Identifier: MIT
// Reads the journal of user data and restores from it.
//
// Two passes. The first finds the lines that are whole and counts: a line {"void":n} takes back those
// from n on, and so does a line with a number that was there before. What is not a whole line is
// passed over and counted, but a torn last one: it was never acknowledged. The second pass puts in
// what is newer than the database; from the copy of all rows on, when that is newer.
//
// A damaged line loses itself only. The copy does not need the line that ends it, nor the one that
// begins it: its number is in both and in the lines that follow. Rows that a lost line would have
// deleted give way to newer ones that need their place. An incomplete copy deletes nothing. A failed
// read (memory, files, a failing disk) is no damage: nothing is changed, and the next opening tries
// again.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/path.h"
#include "base/vec.h"
#include "json/json.h"
#include "store/sqlite/sqlite_priv.h"
#include "store/store.h"

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
    const ken_sq_schema *schema;
    ken_sq_journal_report report;
    line_vec copy;  // the lines of the copy of all rows
    line_vec lines; // the others
    int64_t copy_seq;
    uint64_t whole_bytes;    // up to the end of the last line
    uint64_t damaged_before; // lines, when the copy began
    bool has_begin, has_end; // of the copy: their lines were whole
    bool is_copy_whole;
    bool is_foreign; // of another kind of database
} reading;

static void take_back(reading *r, int64_t from)
{
    while (r->lines.len && r->lines.ptr[r->lines.len - 1].seq >= from)
        r->lines.len--;
}

static void take_begin(reading *r, ken_str json)
{
    char text[128];
    int of = 0;
    unsigned long long bytes = 0;
    long long seq = 0;
    snprintf(text, sizeof text, KEN_STR_FMT, KEN_STR_ARG(ken_str_sub(json, 0, sizeof text - 1)));
    int n = sscanf(text, "{\"begin\":1,\"of\":%d,\"bytes\":%llu,\"seq\":%lld", &of, &bytes, &seq);
    r->is_foreign |= n < 2 || of != r->schema->application_id;
    r->copy.len = r->lines.len = 0;
    r->has_begin = true;
    r->has_end = r->is_copy_whole = false;
    r->damaged_before = r->report.n_damaged;
    r->copy_seq = n == 3 && seq > 0 && seq <= KEN_SQ_JOURNAL_SEQ_MAX ? seq : 0;
}

// Its line was not whole. `seq` is the least that the copy can be at when its first line has none.
static void lose_end(reading *r, int64_t seq)
{
    r->has_end = true;
    if (!r->copy_seq)
        r->copy_seq = seq > 1 ? seq : 1;
    if (r->report.last_seq < r->copy_seq)
        r->report.last_seq = r->copy_seq;
}

// {"ops":[{"<group>":..: this alone marks a journal of ours that began without a copy.
static bool names_group(const reading *r, ken_str json)
{
    ken_str rest = json;
    if (!ken_str_starts(rest, KEN_STR("{\"ops\":[{\"")))
        return false;
    rest = ken_str_sub(rest, strlen("{\"ops\":[{\""), rest.len);
    for (size_t i = 0; i < r->schema->n_groups; i++) {
        ken_str name = ken_str_c(r->schema->groups[i].name);
        if (ken_str_starts(rest, name) && rest.len > name.len && rest.ptr[name.len] == '"')
            return true;
    }
    return false;
}

static void take_record(reading *r, ken_str json, line l, bool is_void)
{
    if (r->copy.len && !r->has_end)
        lose_end(r, is_void ? l.seq : l.seq - 1);
    take_back(r, is_void ? l.seq + 1 : l.seq);
    r->report.last_seq = l.seq;
    if (is_void)
        return;
    ken_vec_push(&r->lines, l);
    r->is_foreign |= !r->has_begin && !names_group(r, json);
}

static void take_line(reading *r, ken_str text, uint64_t at)
{
    ken_str json;
    int64_t seq = 0;
    if (!ken_store__sq_read_line(text, &json, &seq) || seq > KEN_SQ_JOURNAL_SEQ_MAX) {
        r->report.n_damaged++;
        return;
    }
    line l = { .at = at, .len = (uint32_t)text.len, .seq = seq };
    bool is_void = ken_str_starts(json, KEN_STR("{\"void\":"));
    r->report.n_lines++;
    if (ken_str_starts(json, KEN_STR("{\"begin\":"))) {
        take_begin(r, json);
    } else if (ken_str_starts(json, KEN_STR("{\"end\":"))) {
        r->has_end = true;
        r->is_copy_whole = r->has_begin && r->report.n_damaged == r->damaged_before;
        r->copy_seq = r->report.last_seq = seq;
    } else if (seq == 0 && !is_void) {
        ken_vec_push(&r->copy, l);
    } else {
        take_record(r, json, l, is_void);
    }
}

// A line that is too long: it is skipped up to its end.
typedef struct piece {
    ken_buf text;
    uint64_t at; // of its first byte in the file
    bool is_too_long;
} piece;

static void take_lines(reading *r, piece *p)
{
    size_t from = 0;
    for (char *end;
         p->text.len > from && (end = memchr(p->text.ptr + from, '\n', p->text.len - from));) {
        size_t len = (size_t)(end - (p->text.ptr + from));
        if (p->is_too_long)
            r->report.n_damaged++;
        else
            take_line(r, ken_str_n(p->text.ptr + from, len), p->at + from);
        p->is_too_long = false;
        from += len + 1;
        r->whole_bytes = p->at + from;
    }
    if (p->text.len - from > LINE_MAX_BYTES) {
        p->is_too_long = true;
        from = p->text.len;
    }
    if (from) {
        memmove(p->text.ptr, p->text.ptr + from, p->text.len - from);
        p->text.len -= from;
    }
    p->at += from;
}

// Fewer bytes than there are: the disk, or somebody made the file shorter meanwhile.
static ken_status fail_reading(const reading *r, uint64_t at, ken_err *err)
{
    int why = errno;
    char byte;
    ken_status st = pread(r->fd, &byte, 1, (off_t)at) ? KEN_EIO : KEN_EBUSY;
    if (st == KEN_EBUSY)
        return KEN_FAIL(err, st, "it changed while it was read: try again");
    return KEN_FAIL(err, st, "%llu bytes can be read, and then: %s; if it stays so: ken restore",
                    (unsigned long long)at, strerror(why));
}

// All lines of the file, piece by piece.
static ken_status read_lines(reading *r, uint64_t size, ken_err *err)
{
    piece p = { .text = KEN_BUF_INIT(LINE_MAX_BYTES + 2 * PIECE) };
    char *bytes = ken_alloc(PIECE);
    ken_status st = KEN_OK;
    while (!st && p.at + p.text.len < size) {
        uint64_t at = p.at + p.text.len;
        size_t want = size - at < PIECE ? (size_t)(size - at) : PIECE;
        errno = 0;
        if (ken_fs_read_at(r->fd, at, bytes, want) != want) {
            st = fail_reading(r, at, err);
        } else {
            ken_buf_put(&p.text, bytes, want);
            st = p.text.is_over ? KEN_FAIL(err, KEN_ENOMEM, "reading it") : KEN_OK;
        }
        if (!st)
            take_lines(r, &p);
    }
    r->report.is_torn = r->whole_bytes < size;
    if (r->copy.len && !r->has_end) { // cut off behind or within the copy
        r->report.n_damaged++;
        lose_end(r, 1);
    }
    ken_free(bytes);
    ken_buf_release(&p.text);
    return st;
}

// Another kind of database's journal: not a byte of it is changed, nor of the database.
static ken_status check_kind(const reading *r, ken_err *err)
{
    return r->is_foreign ? KEN_FAIL(err, KEN_EINVAL,
                                    "it is not the journal of this kind of database (%s), but of "
                                    "another: move it away",
                                    r->schema->what)
                         : KEN_OK;
}

static ken_status open_reading(const ken_sq_schema *schema, const char *path, reading *r,
                               ken_err *err)
{
    uint64_t size = 0;
    *r = (reading){ .fd = -1, .schema = schema };
    ken_status st = ken_store__sq_open_journal(path, &r->fd, &size, err);
    if (!st && r->fd >= 0) {
        r->report.exists = true;
        st = read_lines(r, size, err);
        if (!st)
            st = check_kind(r, err);
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

ken_status ken_store__sq_journal_check(const ken_sq_schema *schema, const char *path,
                                       ken_sq_journal_report *out, ken_err *err)
{
    reading r;
    ken_status st = open_reading(schema, path, &r, err);
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

static void list_columns(json_t *row, ken_buf *columns, ken_buf *values, int *rc)
{
    const char *name;
    json_t *value;
    json_object_foreach(row, name, value)
    {
        if (!is_column(name))
            *rc = SQLITE_MISMATCH;
        ken_buf_printf(columns, "%s%s", columns->len ? ", " : "", name);
        ken_buf_puts(values, values->len ? ", ?" : "?");
    }
}

// Rows that do not fit a table any more are refused by it.
static int insert_row(ken_sq *q, const char *table, json_t *row)
{
    ken_buf columns = KEN_BUF_INIT(64 * 1024), values = KEN_BUF_INIT(64 * 1024);
    sqlite3_stmt *st = NULL;
    const char *name;
    json_t *value;
    int rc = SQLITE_OK;
    list_columns(row, &columns, &values, &rc);
    if (!rc && (columns.is_over || values.is_over || !columns.len))
        rc = columns.len ? SQLITE_TOOBIG : SQLITE_MISMATCH;
    if (!rc) {
        const ken_sq_word words[] = {
            { "table", table }, { "columns", columns.ptr }, { "values", values.ptr }, { NULL, NULL }
        };
        rc = ken_store__sq_prepare_filled(q, KEN_SQ_ROW_PUT, words, &st);
    }
    if (!rc) {
        int at = 1;
        json_object_foreach(row, name, value)
        {
            ken_store__sq_bind_json(st, at++, value);
        }
        rc = sqlite3_step(st);
    }
    sqlite3_finalize(st);
    ken_buf_release(&columns);
    ken_buf_release(&values);
    return rc == SQLITE_DONE ? SQLITE_OK : rc ? rc : SQLITE_ERROR;
}

static int delete_rows(ken_sq *q, const char *table, const char *key, const json_t *value)
{
    sqlite3_stmt *st = NULL;
    const ken_sq_word words[] = { { "table", table }, { "key", key }, { NULL, NULL } };
    int rc = ken_store__sq_prepare_filled(q, key ? KEN_SQ_ROWS_REMOVE_KEY : KEN_SQ_ROWS_REMOVE_ALL,
                                          words, &st);
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
    int rc = ken_store__sq_try(q, KEN_SQ_GROUP_BEGIN, NULL);
    for (size_t i = KEN_SQ_GROUP_PARTS; !rc && i--;)
        if (g->parts[i].table &&
            json_array_size(json_object_get(rows, g->parts[i].table)) + (g->parts[i].key != NULL) >
                0)
            rc = delete_rows(q, g->parts[i].table, g->parts[i].key, key);
    for (size_t i = 0; !rc && i < KEN_SQ_GROUP_PARTS && g->parts[i].table; i++) {
        json_t *list = json_object_get(rows, g->parts[i].table), *row;
        size_t at;
        json_array_foreach(list, at, row)
        {
            rc = rc ? rc : insert_row(q, g->parts[i].table, row);
        }
    }
    int undone = rc ? ken_store__sq_try(q, KEN_SQ_GROUP_UNDO, NULL) : SQLITE_OK;
    if (!undone)
        undone = ken_store__sq_try(q, KEN_SQ_GROUP_END, NULL);
    return undone ? undone : rc;
}

// A record that violates a constraint is passed over; any other failure (a shortage, a lock, a failing
// disk) is not the fault of the record.
static bool is_refused(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_ERROR:
    case SQLITE_TOOBIG:
    case SQLITE_RANGE:
        return true;
    default:
        return false;
    }
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
    if (rc && (!is_refused(rc) || sqlite3_get_autocommit(q->db)))
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
    errno = 0;
    ken_status st =
        ken_fs_read_at(r->fd, l->at, text, l->len) == l->len ? KEN_OK : fail_reading(r, l->at, err);
    if (!st && ken_store__sq_read_line(ken_str_n(text, l->len), &json, &seq)) {
        st = ken_json_parse(json, &o, err);
        json_array_foreach(json_object_get(o, "ops"), at, op)
        {
            st = st ? st : put_op(q, op, &r->report, err);
        }
    } else if (!st) {
        st = KEN_FAIL(err, KEN_EBUSY, "it changed while it was read: try again");
    }
    if (st == KEN_EINVAL && !o) { // its sum is right: another program wrote it
        r->report.n_damaged++;
        st = KEN_OK;
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
                rc = delete_rows(q, q->schema->groups[i].parts[p - 1].table, NULL, NULL);
    return rc ? SQ_FAIL(q, rc, err, "restoring") : KEN_OK;
}

static ken_status put_copy_lines(ken_sq *q, reading *r, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < r->copy.len; i++)
        st = put_line(q, r, &r->copy.ptr[i], err);
    return st;
}

// The rows are those of the copy; when not all of it is there, or can be put in, the others stay.
static ken_status put_copy(ken_sq *q, reading *r, ken_err *err)
{
    const ken_sq_journal_report before = r->report;
    if (!r->is_copy_whole)
        return put_copy_lines(q, r, err);
    ken_status st = ken_store__sq_exec(q, KEN_SQ_COPY_BEGIN, err);
    if (!st)
        st = clear_all(q, err);
    if (!st)
        st = put_copy_lines(q, r, err);
    if (!st && r->report.n_damaged > before.n_damaged) {
        r->report = before;
        st = ken_store__sq_exec(q, KEN_SQ_COPY_UNDO, err);
        if (!st)
            st = put_copy_lines(q, r, err);
    }
    return st ? st : ken_store__sq_exec(q, KEN_SQ_COPY_END, err);
}

// Restores what the database lacks. `seq`: of the database, which is then at that of the journal.
static ken_status restore_records(ken_sq *q, reading *r, int64_t seq, ken_err *err)
{
    ken_status st = KEN_OK;
    if (seq < r->copy_seq) {
        st = put_copy(q, r, err);
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
    *out = false;
    for (size_t i = 0; i < q->schema->n_groups; i++) {
        int64_t n = 0;
        const ken_sq_word words[] = { { "table", q->schema->groups[i].parts[0].table },
                                      { NULL, NULL } };
        ken_status st = ken_store__sq_ask(q, KEN_SQ_ROWS_EXIST, words, &n, err);
        if (st)
            return st;
        *out |= n > 0;
    }
    return KEN_OK;
}

// Whether it is to begin anew with all that the database has: it is not there, has lost its end, or
// has lines that are damaged.
static ken_status wants_copy(ken_sq *q, const reading *r, int64_t seq, bool *out, ken_err *err)
{
    *out =
        r->report.last_seq < seq || r->report.n_damaged || (r->report.exists && !r->report.n_lines);
    return *out || r->report.exists ? KEN_OK : has_rows(q, out, err);
}

// In a write transaction: nobody else appends.
static ken_status settle(ken_sq *q, const char *path, ken_sq_journal_report *out, ken_err *err)
{
    reading r;
    int64_t seq = 0;
    bool wants = false;
    ken_status st = open_reading(q->schema, path, &r, err);
    if (!st)
        st = ken_store__sq_journal_seq(q, &seq, err);
    if (!st && r.report.last_seq > seq) {
        st = restore_records(q, &r, seq, err);
        seq = r.report.last_seq;
    }
    if (!st)
        st = wants_copy(q, &r, seq, &wants, err);
    if (!st && wants &&
        (r.report.n_damaged || r.report.is_torn)) // a person may still read some of it
        st = ken_store_keep(path, err);
    if (!st && !wants && r.report.is_torn && truncate(path, (off_t)r.whole_bytes))
        st = KEN_FAIL_ERRNO(err, errno, "cutting '%s'", path);
    if (!st && wants)
        st = ken_store__sq_journal_set_seq(q, ++seq, err);
    if (!st && wants)
        st = ken_store__sq_journal_begin(q, seq, err);
    if (!st && out)
        *out = r.report;
    close_reading(&r);
    return st;
}

// A database is moved away only while it cannot be written; after that a new one is opened.
static ken_status check_place(ken_sq *q, ken_err *err)
{
    int has_moved = 0;
    int rc = sqlite3_file_control(q->db, NULL, SQLITE_FCNTL_HAS_MOVED, &has_moved);
    if (rc || !has_moved)
        return KEN_OK;
    return KEN_FAIL(err, KEN_EBUSY,
                    "%s '%s' was moved away or replaced since it was opened, and what is written "
                    "into it would be lost: try again",
                    q->schema->what, q->path);
}

ken_status ken_store__sq_settle(ken_sq *q, ken_sq_journal_report *out, ken_err *err)
{
    char *path = ken_store__sq_journal_path(q->path);
    ken_status st = ken_store__sq_exec(q, KEN_SQ_BEGIN_WRITE, err);
    if (!st)
        st = check_place(q, err);
    if (!st)
        st = settle(q, path, out, err);
    if (!st)
        st = ken_store__sq_exec(q, KEN_SQ_COMMIT, err);
    ken_store__sq_undo(q);
    ken_free(path);
    return st;
}

static ken_status compare(ken_sq *q, const char *path, ken_sq_journal_end *end, bool *out_agree,
                          ken_err *err)
{
    int64_t seq = 0;
    bool has = false;
    ken_status st = ken_store__sq_journal_seq(q, &seq, err);
    if (!st)
        st = ken_store__sq_look_at_end(path, end, err);
    if (!st && !end->exists && !seq)
        st = has_rows(q, &has, err);
    // 0 is also what the lines of a copy have: then all of the journal is read, which is short.
    if (!st)
        *out_agree = end->exists ? seq && end->is_whole && end->seq == seq : !seq && !has;
    return st;
}

ken_status ken_store__sq_needs_settling(ken_sq *q, bool *out, ken_err *err)
{
    ken_sq_journal_end end;
    bool agree = true;
    char *path = ken_store__sq_journal_path(q->path);
    ken_status st = compare(q, path, &end, &agree, err);
    ken_free(path);
    if (!st)
        *out = !agree;
    return st;
}

ken_status ken_store__sq_catch_up(ken_sq *q, ken_err *err)
{
    ken_sq_journal_end end;
    bool agree = true;
    ken_status st = check_place(q, err);
    if (st)
        return st;
    char *path = ken_store__sq_journal_path(q->path);
    st = compare(q, path, &end, &agree, err);
    if (!st && !agree)
        st = settle(q, path, NULL, err);
    else if (!st)
        ken_store__sq_journal_shorten(q, path, &end);
    ken_free(path);
    return st;
}

// ---- by the path of an index -------------------------------------------------------------------

ken_status ken_store_read_journal(const char *path, ken_store_journal *out, ken_err *err)
{
    char *journal = ken_store__sq_journal_path(path);
    ken_sq_journal_report report = { 0 };
    ken_status st = ken_store__sq_journal_check(&ken_store__sq_index_schema, journal, &report, err);
    ken_free(journal);
    if (!st)
        *out = (ken_store_journal){ .n_records = report.n_lines,
                                    .n_damaged = report.n_damaged,
                                    .exists = report.exists };
    return st;
}

ken_status ken_store_settle_journal(const char *path, ken_err *err)
{
    ken_sq *q = ken_zalloc(sizeof *q);
    const ken_store_opts opts = { .path = path };
    ken_status st = ken_store__sq_connect(q, &ken_store__sq_index_schema, &opts, err);
    if (!st)
        st = ken_store__sq_settle(q, NULL, err);
    ken_store__sq_release(q);
    ken_free(q);
    return st;
}
