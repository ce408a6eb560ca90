// SPDX-License-Identifier: MIT
// Writes the journal of user data.
//
// A line is `<JSON> <seq> <sum>\n`: sum is XXH3-64 of what is before it, as 16 digits; seq counts the
// recorded transactions of this database, which has it in journal_clock. A journal begins with a copy
// of all rows (lines with seq 0, from {"begin":..} to {"end":..}), and is begun anew, beside the old
// one and put in its place by renaming, when it is five times as long as that copy. That is done at
// the beginning of a write transaction: the copy has committed rows only.
//
// Order: BEGIN IMMEDIATE, rows, line, sync of the line, COMMIT. So the line is first, and the journal
// is never behind. Who is killed in between leaves a line that the database lacks; the next writer
// puts it in before it does anything else (sqlite_restore.c). So does who opens a database that
// lost its last transactions, or is new. A COMMIT that fails is taken back by a line {"void":seq},
// appended under the write lock like every other, and only while the line is the last one.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/utf8.h"
#include "json/json.h"
#include "store/sqlite/sqlite_priv.h"

enum {
    SUM_DIGITS = 16,
    TAIL_BYTES = 64,
    BEGIN_BYTES = 96,      // of the first line, without its sum; older ones are shorter
    FREE_GROWTH = 1 << 20, // bytes behind the copy before anything is done about them
    GROWTH = 4,            // times the copy
    FLUSH_BYTES = 1 << 20,
    LINE_MAX_BYTES = KEN_JSON_BYTES_MAX,
};

// ---- rows as JSON ------------------------------------------------------------------------------

json_t *ken_store__sq_key_of_blob(const void *bytes, size_t n)
{
    char *hex = ken_alloc(2 * n + 1);
    ken_hex_into(bytes, n, hex);
    json_t *o = json_object();
    ken_json_set_str(o, "x", ken_str_c(hex));
    ken_free(hex);
    return o;
}

static json_t *text_of(ken_str s)
{
    json_t *v = json_stringn(s.ptr, s.len); // refuses what is not UTF-8
    if (v)
        return v;
    json_t *bytes = ken_store__sq_key_of_blob(s.ptr, s.len), *o = json_object();
    ken_json_set(o, "t", json_incref(json_object_get(bytes, "x")));
    json_decref(bytes);
    return o;
}

static json_t *value_of(sqlite3_stmt *st, int col)
{
    switch (sqlite3_column_type(st, col)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(st, col));
    case SQLITE_TEXT:
        return text_of(ken_store__sq_text(st, col));
    case SQLITE_BLOB: {
        ken_str b = ken_store__sq_blob(st, col);
        return ken_store__sq_key_of_blob(b.ptr, b.len);
    }
    default:
        return json_null(); // no table of ours that is recorded has real numbers
    }
}

static json_t *row_of(sqlite3_stmt *st)
{
    json_t *row = json_object();
    for (int i = 0; i < sqlite3_column_count(st); i++)
        ken_json_set(row, sqlite3_column_name(st, i), value_of(st, i));
    return row;
}

static const ken_sq_group *find_group(const ken_sq *q, const char *name)
{
    for (size_t i = 0; i < q->schema->n_groups; i++)
        if (!strcmp(q->schema->groups[i].name, name))
            return &q->schema->groups[i];
    return NULL;
}

static ken_status prepare_part(ken_sq *q, size_t group, size_t part, sqlite3_stmt **out,
                               ken_err *err)
{
    sqlite3_stmt **kept = &q->recorded[group][part];
    const char *table = q->schema->groups[group].parts[part].table;
    const char *key = q->schema->groups[group].parts[part].key;
    if (!*kept) {
        const ken_sq_word words[] = { { "table", table }, { "key", key }, { NULL, NULL } };
        int rc = ken_store__sq_prepare_filled(q, key ? KEN_SQ_ROWS_OF_KEY : KEN_SQ_ROWS_ALL, words,
                                              kept);
        if (rc)
            return SQ_FAIL(q, rc, err, "reading");
    }
    *out = *kept;
    return KEN_OK;
}

void ken_store__sq_bind_json(sqlite3_stmt *st, int at, const json_t *v)
{
    if (json_is_integer(v)) {
        sqlite3_bind_int64(st, at, json_integer_value(v));
    } else if (json_is_string(v)) {
        ken_str s = ken_json_text(v);
        sqlite3_bind_text64(st, at, s.ptr, s.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    } else if (json_is_object(v)) {
        const json_t *x = json_object_get(v, "x"), *t = json_object_get(v, "t");
        ken_str hex = ken_json_text(x ? x : t);
        uint8_t *bytes = ken_alloc(hex.len / 2 + 1);
        if (!ken_hex_parse(hex, bytes, hex.len / 2))
            sqlite3_bind_null(st, at);
        else if (x)
            sqlite3_bind_blob64(st, at, bytes, hex.len / 2, SQLITE_TRANSIENT);
        else
            sqlite3_bind_text64(st, at, (char *)bytes, hex.len / 2, SQLITE_TRANSIENT, SQLITE_UTF8);
        ken_free(bytes);
    } else {
        sqlite3_bind_null(st, at);
    }
}

static ken_status rows_of(ken_sq *q, size_t group, const json_t *key, json_t *rows, ken_err *err)
{
    ken_status s = KEN_OK;
    const ken_sq_group *g = &q->schema->groups[group];
    for (size_t i = 0; !s && i < KEN_SQ_GROUP_PARTS && g->parts[i].table; i++) {
        sqlite3_stmt *st = NULL;
        json_t *list = json_array();
        ken_json_set(rows, g->parts[i].table, list);
        s = prepare_part(q, group, i, &st, err);
        if (s)
            break;
        if (g->parts[i].key)
            ken_store__sq_bind_json(st, 1, key);
        while (ken_store__sq_next(q, st, &s, err))
            ken_json_append(list, row_of(st));
        ken_store__sq_done(st);
    }
    return s;
}

// {"task":<key>,"rows":{"task":[{..}],..}}
static ken_status put_group(ken_sq *q, size_t group, json_t *key, ken_buf *out, ken_err *err)
{
    json_t *o = json_object(), *rows = json_object();
    ken_json_set(o, q->schema->groups[group].name, key);
    ken_json_set(o, "rows", rows);
    ken_status s = rows_of(q, group, key, rows, err);
    if (!s)
        ken_json_dump(o, out);
    json_decref(o);
    return s;
}

ken_status ken_store__sq_note(ken_sq *q, const char *group, json_t *key, ken_err *err)
{
    const ken_sq_group *g = find_group(q, group);
    if (q->noted.len)
        ken_buf_putc(&q->noted, ',');
    ken_status s = put_group(q, (size_t)(g - q->schema->groups), key, &q->noted, err);
    if (!s && q->noted.is_over)
        s = KEN_FAIL(err, KEN_ELIMIT, "a change of more than %d bytes", LINE_MAX_BYTES);
    return s;
}

// ---- lines -------------------------------------------------------------------------------------

static void end_line(ken_buf *out, size_t start, int64_t seq)
{
    char sum[SUM_DIGITS + 2];
    ken_buf_printf(out, " %lld", (long long)seq);
    snprintf(sum, sizeof sum, "%016llx\n",
             (unsigned long long)ken_hash64(out->ptr + start, out->len - start));
    ken_buf_putc(out, ' ');
    ken_buf_put(out, sum, SUM_DIGITS + 1);
}

// The number that ends at `end`, behind a space: how many bytes it takes with that; 0 = there is none.
static size_t read_seq(const char *text, size_t end, int64_t *out)
{
    int64_t seq = 0, unit = 1;
    size_t at = end;
    for (; at && text[at - 1] >= '0' && text[at - 1] <= '9' && end - at < 18; at--) {
        seq += unit * (text[at - 1] - '0');
        unit *= 10;
    }
    *out = seq;
    return at && at < end && text[at - 1] == ' ' ? end - at + 1 : 0;
}

// The end of a line without its '\n': its seq, and how long the JSON before it is.
bool ken_store__sq_read_line(ken_str line, ken_str *out_json, int64_t *out_seq)
{
    char sum[SUM_DIGITS + 1];
    if (line.len < SUM_DIGITS + 4)
        return false;
    ken_str body = ken_str_n(line.ptr, line.len - SUM_DIGITS - 1);
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)ken_hash64(body.ptr, body.len));
    if (memcmp(sum, line.ptr + body.len + 1, SUM_DIGITS) || line.ptr[body.len] != ' ')
        return false;
    size_t n = read_seq(body.ptr, body.len, out_seq);
    *out_json = ken_str_n(body.ptr, body.len - n);
    return n;
}

char *ken_store__sq_journal_path(const char *db_path)
{
    ken_buf b = KEN_BUF_INIT(64 * 1024);
    ken_buf_printf(&b, "%s" KEN_SQ_JOURNAL_SUFFIX, db_path);
    char *path = ken_strdup(b.is_over ? "" : b.ptr);
    ken_buf_release(&b);
    return path;
}

// A regular file and how long it is; -1 when there is none of that name.
ken_status ken_store__sq_open_journal(const char *path, int *out_fd, uint64_t *out_size,
                                      ken_err *err)
{
    struct stat info;
    int fd = -1;
    ken_err wrong = { 0 };
    ken_status s = ken_fs_open_own(path, &fd, &wrong);
    if (!s && fstat(fd, &info))
        s = KEN_FAIL_ERRNO(&wrong, errno, "looking at '%s'", path);
    else if (!s && !S_ISREG(info.st_mode))
        s = KEN_FAIL(&wrong, KEN_EINVAL, "'%s' is not a regular file", path);
    if (s && fd >= 0)
        ken_fs_close(fd);
    if (s && s != KEN_ENOTFOUND) {
        if (err)
            *err = wrong;
        return s;
    }
    *out_fd = s ? -1 : fd;
    *out_size = s ? 0 : (uint64_t)info.st_size;
    return KEN_OK;
}

ken_status ken_store__sq_look_at_end(const char *path, ken_sq_journal_end *out, ken_err *err)
{
    char tail[TAIL_BYTES];
    int fd = -1;
    ken_sq_journal_end end = { 0 };
    ken_status s = ken_store__sq_open_journal(path, &fd, &end.size, err);
    if (s || fd < 0) {
        *out = end;
        return s;
    }
    size_t want = end.size < sizeof tail ? (size_t)end.size : sizeof tail;
    size_t n = ken_fs_read_at(fd, end.size - want, tail, want);
    ken_fs_close(fd);
    end.exists = end.size > 0;
    end.is_whole = n == want && n > SUM_DIGITS + 4 && tail[n - 1] == '\n' &&
                   tail[n - SUM_DIGITS - 2] == ' ' && read_seq(tail, n - SUM_DIGITS - 2, &end.seq);
    *out = end;
    return KEN_OK;
}

// ---- the copy of all rows ----------------------------------------------------------------------

static ken_status flush(int fd, ken_buf *b, ken_err *err)
{
    ken_status s = ken_fs_append(fd, ken_buf_str(b), err);
    ken_buf_clear(b);
    return s;
}

static ken_status copy_group(ken_sq *q, size_t group, int fd, ken_buf *b, ken_err *err)
{
    const ken_sq_group *g = &q->schema->groups[group];
    sqlite3_stmt *st = NULL;
    const ken_sq_word words[] = { { "table", g->parts[0].table },
                                  { "key", g->parts[0].key },
                                  { NULL, NULL } };
    int rc = ken_store__sq_prepare_filled(q, KEN_SQ_KEYS_ALL, words, &st);
    ken_status s = rc ? SQ_FAIL(q, rc, err, "reading") : KEN_OK;
    while (ken_store__sq_next(q, st, &s, err)) {
        size_t start = b->len;
        ken_buf_puts(b, "{\"ops\":[");
        s = put_group(q, group, value_of(st, 0), b, err);
        ken_buf_puts(b, "]}");
        end_line(b, start, 0);
        if (!s && b->is_over)
            s = KEN_FAIL(err, KEN_ELIMIT, "a %s of more than %d bytes", g->name, LINE_MAX_BYTES);
        if (!s && b->len >= FLUSH_BYTES)
            s = flush(fd, b, err);
    }
    sqlite3_finalize(st);
    return s;
}

static void put_begin(const ken_sq *q, ken_buf *b, uint64_t bytes, int64_t seq)
{
    size_t start = b->len;
    ken_buf_printf(b, "{\"begin\":1,\"of\":%d,\"bytes\":%llu,\"seq\":%lld}",
                   (int)q->schema->application_id, (unsigned long long)bytes, (long long)seq);
    while (b->len - start < BEGIN_BYTES)
        ken_buf_putc(b, ' ');
    end_line(b, start, 0);
}

static ken_status put_copy(ken_sq *q, int fd, int64_t seq, ken_err *err)
{
    ken_buf b = KEN_BUF_INIT(4 * LINE_MAX_BYTES), begin = KEN_BUF_INIT(1024);
    put_begin(q, &b, 0, seq);
    ken_status s = KEN_OK;
    // As transaction 0 it is the copy of a database in which nothing was written.
    for (size_t i = 0; !s && seq && i < q->schema->n_groups; i++)
        s = copy_group(q, i, fd, &b, err);
    if (!s) {
        size_t start = b.len;
        ken_buf_puts(&b, "{\"end\":1}");
        end_line(&b, start, seq);
        s = flush(fd, &b, err);
    }
    off_t size = s ? 0 : lseek(fd, 0, SEEK_CUR);
    put_begin(q, &begin, (uint64_t)size, seq);
    // Over itself, and of the same length.
    if (!s && pwrite(fd, begin.ptr, begin.len, 0) != (ssize_t)begin.len)
        s = KEN_FAIL_ERRNO(err, errno, "writing");
    if (!s)
        s = ken_fs_sync(fd, err);
    ken_buf_release(&b);
    ken_buf_release(&begin);
    return s;
}

static ken_status sync_journal_name(ken_sq *q, const char *path, ken_err *err)
{
    ken_status s = q->has_unsynced_journal ? ken_fs_sync_name(path, err) : KEN_OK;
    if (!s)
        q->has_unsynced_journal = false;
    return s;
}

ken_status ken_store__sq_journal_begin(ken_sq *q, int64_t seq, ken_err *err)
{
    char *path = ken_store__sq_journal_path(q->path);
    ken_buf made = KEN_BUF_INIT(64 * 1024);
    ken_buf_printf(&made, "%s.new", path);
    int fd = -1;
    ken_status s = ken_fs_create_own(made.ptr, &fd, err);
    if (!s)
        s = put_copy(q, fd, seq, err);
    if (fd >= 0)
        ken_fs_close(fd);
    if (!s)
        s = ken_fs_rename(made.ptr, path, err);
    if (s && fd >= 0) { // half a copy would keep the disk full
        bool is_left = ken_fs_remove(made.ptr, NULL) != KEN_OK;
        (void)is_left;
    } else if (!s) // until that is done, a power cut may bring the old file back
        q->has_unsynced_journal = true;
    if (!s)
        s = sync_journal_name(q, path, err);
    if (s)
        (void)ken_err_wrap(err, "journal '%s'", path);
    ken_buf_release(&made);
    ken_free(path);
    return s;
}

// ---- recording ---------------------------------------------------------------------------------

ken_status ken_store__sq_journal_seq(ken_sq *q, int64_t *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_JOURNAL_SEQ, &st, err);
    if (s)
        return s;
    s = SQ_ROW(q, st, "the number of its journal is gone", err);
    if (!s)
        *out = sqlite3_column_int64(st, 0);
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__sq_journal_set_seq(ken_sq *q, int64_t seq, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_JOURNAL_SET_SEQ, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, seq);
    return ken_store__sq_run(q, st, "writing to", err);
}

static uint64_t read_begin(const char *path)
{
    char line[BEGIN_BYTES + 1] = { 0 };
    unsigned long long bytes = 0;
    int of = 0, fd = -1;
    if (ken_fs_open_own(path, &fd, NULL))
        return 0;
    (void)ken_fs_read_at(fd, 0, line, BEGIN_BYTES);
    ken_fs_close(fd);
    return sscanf(line, "{\"begin\":1,\"of\":%d,\"bytes\":%llu", &of, &bytes) == 2 ? bytes : 0;
}

void ken_store__sq_journal_shorten(ken_sq *q, const char *path, const ken_sq_journal_end *end)
{
    if (end->size <= FREE_GROWTH || end->size <= q->long_journal_bytes ||
        end->size <= FREE_GROWTH + (GROWTH + 1) * read_begin(path))
        return;
    if (ken_store__sq_journal_begin(q, end->seq, NULL))
        q->long_journal_bytes = end->size + FREE_GROWTH; // no earlier than that again
}

// Behind what is there: the file was begun before, and its name is durable.
static ken_status append(ken_sq *q, const char *path, ken_str line, ken_err *err)
{
    int fd = -1;
    uint64_t size = 0;
    ken_status s = sync_journal_name(q, path, err);
    if (!s)
        s = ken_fs_open_append_old(path, &fd, &size, err);
    if (s == KEN_ENOTFOUND)
        return KEN_FAIL(err, KEN_EBUSY, "it was removed a moment ago: try again");
    if (s)
        return s;
    s = ken_fs_append(fd, line, err);
    if (!s)
        s = ken_fs_sync_data(fd, err);
    if (s && ftruncate(fd, (off_t)size)) // half a line is cut off by who writes next
        (void)ken_err_wrap(err, "cutting '%s'", path);
    ken_fs_close(fd);
    return s;
}

static ken_status append_record(ken_sq *q, const char *path, int64_t seq, ken_err *err)
{
    ken_buf line = KEN_BUF_INIT(2 * LINE_MAX_BYTES);
    ken_buf_puts(&line, "{\"ops\":[");
    ken_buf_put(&line, q->noted.ptr, q->noted.len);
    ken_buf_puts(&line, "]}");
    end_line(&line, 0, seq);
    q->recorded_seq = seq; // whatever becomes of it
    ken_status s = append(q, path, ken_buf_str(&line), err);
    if (s)
        (void)ken_err_wrap(err, "journal '%s'", path);
    ken_buf_release(&line);
    return s;
}

ken_status ken_store__sq_record(ken_sq *q, ken_err *err)
{
    int64_t seq = 0;
    if (!q->noted.len)
        return KEN_OK;
    ken_status s = ken_store__sq_journal_seq(q, &seq, err);
    if (!s && seq >= KEN_SQ_JOURNAL_SEQ_MAX)
        s = SQ_CORRUPT(q, err, "the number of its journal makes no sense");
    if (!s)
        s = ken_store__sq_journal_set_seq(q, seq + 1, err);
    if (s)
        return s;
    char *path = ken_store__sq_journal_path(q->path);
    ken_sq_journal_end end = { 0 };
    if (!seq) // the first one of all
        s = ken_store__sq_look_at_end(path, &end, err);
    if (!s && !seq && !end.exists)
        s = ken_store__sq_journal_begin(q, 0, err);
    if (!s)
        s = append_record(q, path, seq + 1, err);
    ken_free(path);
    return s;
}

// Without this line the next writer would put in what was told to have failed. When the lock cannot
// be had, or another writer was faster, that is what happens: a failed COMMIT may have succeeded.
static void take_back(ken_sq *q, const char *path, int64_t seq)
{
    int64_t now = 0;
    ken_sq_journal_end end = { 0 };
    if (!sqlite3_get_autocommit(q->db) || ken_store__sq_try(q, KEN_SQ_BEGIN_WRITE, NULL))
        return;
    if (!ken_store__sq_journal_seq(q, &now, NULL) && now < seq &&
        !ken_store__sq_look_at_end(path, &end, NULL) && end.is_whole && end.seq == seq) {
        ken_buf line = KEN_BUF_INIT(1024);
        ken_buf_printf(&line, "{\"void\":%lld}", (long long)seq);
        end_line(&line, 0, seq - 1);
        bool is_left = append(q, path, ken_buf_str(&line), NULL) != KEN_OK;
        (void)is_left;
        ken_buf_release(&line);
    }
    ken_store__sq_undo(q);
}

void ken_store__sq_recorded(ken_sq *q, bool is_committed)
{
    int64_t seq = q->recorded_seq;
    ken_buf_clear(&q->noted);
    q->recorded_seq = 0;
    if (is_committed || !seq || !q->db)
        return;
    char *path = ken_store__sq_journal_path(q->path);
    take_back(q, path, seq);
    ken_free(path);
}
