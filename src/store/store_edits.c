// SPDX-License-Identifier: MIT
// The value: records, oldest first, of varints: bytes that follow, number and time of the generation before, number of
// the generation, number of rows, and seven numbers of each row.
#include "store/store_edits.h"

#include "base/alloc.h"
#include "base/buf.h"

#define EDITS_KEY KEN_STORE_EDITS

enum {
    EDITS_MAX = 8 * 1024, // bytes: some 200 rows, and two pages for a run to write
    ROW_FIELDS = 7,
    HEAD_FIELDS = 4,
};

static void put_row(ken_buf *out, const ken_file_row *row)
{
    const uint64_t fields[ROW_FIELDS] = {
        (uint64_t)row->id,
        (uint64_t)row->content,
        row->stamp.size,
        (uint64_t)row->stamp.mtime_ns,
        (uint64_t)row->stamp.ctime_ns,
        row->stamp.inode,
        (uint64_t)row->changed_at_ms,
    };
    for (size_t i = 0; i < ROW_FIELDS; i++)
        ken_buf_put_varint(out, fields[i]);
}

static bool get_numbers(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!ken_varint_get(at, end, &out[i]))
            return false;
    return true;
}

static bool get_row(const uint8_t **at, const uint8_t *end, ken_file_row *out)
{
    uint64_t f[ROW_FIELDS];
    if (!get_numbers(at, end, f, ROW_FIELDS))
        return false;
    *out = (ken_file_row){ .id = (int64_t)f[0],
                           .content = (int64_t)f[1],
                           .stamp = { .size = f[2],
                                      .mtime_ns = (int64_t)f[3],
                                      .ctime_ns = (int64_t)f[4],
                                      .inode = f[5] },
                           .changed_at_ms = (int64_t)f[6] };
    return true;
}

// The record that begins at `*at`, which is moved behind it.
static bool next_record(const uint8_t **at, const uint8_t *end, ken_str *out)
{
    uint64_t n = 0;
    if (!ken_varint_get(at, end, &n) || n > (uint64_t)(end - *at))
        return false;
    *out = ken_str_n((const char *)*at, (size_t)n);
    *at += n;
    return true;
}

static void put_record(ken_buf *out, const ken_generation *from, uint64_t to,
                       const ken_file_row *rows, size_t n)
{
    ken_buf record = KEN_BUF_INIT(2 * EDITS_MAX);
    ken_buf_put_varint(&record, from->number);
    ken_buf_put_varint(&record, (uint64_t)from->at_ms);
    ken_buf_put_varint(&record, to);
    ken_buf_put_varint(&record, n);
    for (size_t i = 0; i < n && record.len <= EDITS_MAX; i++)
        put_row(&record, &rows[i]);
    ken_buf_put_varint(out, record.len);
    ken_buf_put(out, record.ptr, record.len);
    ken_buf_release(&record);
}

// The newest records of `before` that leave room for another of `n` bytes.
static ken_str newest(ken_str before, size_t n)
{
    const uint8_t *at = (const uint8_t *)before.ptr, *end = at + before.len;
    ken_str record;
    while (at < end && (size_t)(end - at) + n > EDITS_MAX)
        if (!next_record(&at, end, &record))
            return KEN_STR("");
    return ken_str_n((const char *)at, (size_t)(end - at));
}

// Rows of a list that trees share get new ids when they change.
static ken_status find_shared(ken_store *s, ken_arena *arena, bool *out, ken_err *err)
{
    ken_tree_info *trees = NULL;
    size_t n = 0;
    ken_status st = ken_store_list_trees(s, arena, &trees, &n, err);
    *out = n > 1 || (n && trees[0].is_based);
    return st;
}

ken_status ken_store_put_edits(ken_store *s, const ken_generation *from, uint64_t to,
                               const ken_file_row *rows, size_t n, ken_err *err)
{
    ken_arena arena;
    ken_str before = KEN_STR("");
    ken_buf record = KEN_BUF_INIT(4 * EDITS_MAX), all = KEN_BUF_INIT(2 * EDITS_MAX);
    ken_arena_init(&arena, 0);
    ken_status st = ken_store_load_value(s, KEN_STR(EDITS_KEY), &arena, &before, err);
    if (st == KEN_ENOTFOUND)
        st = KEN_OK;
    bool is_shared = false;
    if (!st && rows)
        st = find_shared(s, &arena, &is_shared, err);
    if (!st && rows && from->number && !is_shared)
        put_record(&record, from, to, rows, n);
    if (!st && record.len && record.len <= EDITS_MAX) {
        ken_str kept = newest(before, record.len);
        ken_buf_put(&all, kept.ptr, kept.len);
        ken_buf_put(&all, record.ptr, record.len);
    }
    if (!st && (all.len || before.len))
        st = ken_store_put_value(s, KEN_STR(EDITS_KEY), ken_buf_str(&all), err);
    ken_buf_release(&record);
    ken_buf_release(&all);
    ken_arena_release(&arena);
    return st;
}

// What one value says from a generation on.
typedef struct follower {
    uint64_t number;
    int64_t at_ms; // when it was made; 0 = it is one that a record led to
    ken_file_row *rows;
    size_t n;
} follower;

// Goes on by one record, unless that begins elsewhere. False when it is damaged.
static bool take_record(follower *f, ken_str record)
{
    const uint8_t *at = (const uint8_t *)record.ptr, *end = at + record.len;
    uint64_t head[HEAD_FIELDS];
    if (!get_numbers(&at, end, head, HEAD_FIELDS))
        return false;
    if (head[0] != f->number || (f->at_ms && (int64_t)head[1] != f->at_ms))
        return true;
    for (uint64_t i = 0; i < head[3]; i++)
        if (!get_row(&at, end, &f->rows[f->n++]))
            return false;
    f->number = head[2];
    f->at_ms = 0;
    return at == end;
}

ken_status ken_store_load_edits(ken_store *s, const ken_generation *from, uint64_t to,
                                ken_arena *arena, ken_file_row **out, size_t *out_n, ken_err *err)
{
    ken_str value = KEN_STR(""), record;
    ken_status st = ken_store_load_value(s, KEN_STR(EDITS_KEY), arena, &value, err);
    if (st)
        return st;
    const uint8_t *at = (const uint8_t *)value.ptr, *end = at + value.len;
    follower f = { .number = from->number, .at_ms = from->at_ms };
    f.rows = KEN_ARENA_ARRAY(arena, ken_file_row, value.len / ROW_FIELDS + 1);
    while (f.number < to && at < end)
        if (!next_record(&at, end, &record) || !take_record(&f, record))
            return KEN_ENOTFOUND;
    if (f.number != to)
        return KEN_ENOTFOUND;
    *out = f.rows;
    *out_n = f.n;
    return KEN_OK;
}
