// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "base/hash.h"
#include "base/quota.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "store/sqlite/sqlite_priv.h"

enum {
    CHECK_EVERY = 256 // rows
};

typedef KEN_VEC(ken_file_row) row_vec;
typedef KEN_VEC(ken_content_info) info_vec;
typedef KEN_VEC(ken_skip_row) skip_vec;

// ---- files -----------------------------------------------------------------------------------

static ken_status scan_files(ken_sq *q, ken_arena *arena, row_vec *rows, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_FILE_SCAN, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, KEN_SQ_TREE);
    bool is_bad = false;
    int rc = sqlite3_step(st);
    for (; !s && rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        ken_file_row row = {
            .id = sqlite3_column_int64(st, 0),
            .path = ken_arena_dup(arena, ken_store__sq_text(st, 1)),
            .content = sqlite3_column_int64(st, 2),
            .stamp = { .size = ken_store__sq_u64(st, 3, INT64_MAX, &is_bad),
                       .mtime_ns = sqlite3_column_int64(st, 4),
                       .ctime_ns = sqlite3_column_int64(st, 7),
                       .inode = (uint64_t)sqlite3_column_int64(st, 5) },
            .changed_at_ms = sqlite3_column_int64(st, 6),
        };
        ken_vec_push(rows, row);
        if (rows->len % CHECK_EVERY == 1)
            s = ken_quota_check(err);
    }
    if (!s && rc != SQLITE_DONE)
        s = SQ_FAIL(q, rc, err, "reading");
    else if (!s && is_bad)
        s = SQ_CORRUPT(q, err, "a file has numbers out of range");
    ken_store__sq_done(st);
    return s;
}

static ken_status scan_contents(ken_sq *q, info_vec *infos, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CONTENT_SCAN, &st, err);
    if (s)
        return s;
    int rc = sqlite3_step(st);
    for (; !s && rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        ken_content_info info;
        if (!ken_store__sq_read_info(st, &info))
            s = SQ_CORRUPT(q, err, "a content has numbers out of range");
        else
            ken_vec_push(infos, info);
        if (!s && infos->len % CHECK_EVERY == 1)
            s = ken_quota_check(err);
    }
    if (!s && rc != SQLITE_DONE)
        s = SQ_FAIL(q, rc, err, "reading");
    ken_store__sq_done(st);
    return s;
}

static int by_path(const void *a, const void *b)
{
    const ken_file_row *x = a, *y = b;
    return ken_str_cmp(x->path, y->path);
}

// Rows come in the order of their ids: as they were first written, which is sorted but for what
// changed since.
static void sort_files(row_vec *rows)
{
    for (size_t i = 1; i < rows->len; i++) {
        if (ken_str_cmp(rows->ptr[i - 1].path, rows->ptr[i].path) > 0) {
            qsort(rows->ptr, rows->len, sizeof *rows->ptr, by_path);
            return;
        }
    }
}

static const ken_content_info *find_info(const info_vec *infos, int64_t id)
{
    size_t lo = KEN_FIRST_I64(ken_content_info, id, infos->ptr, infos->len, id);
    return lo < infos->len && infos->ptr[lo].id == id ? &infos->ptr[lo] : NULL;
}

static ken_status join_contents(ken_sq *q, const row_vec *rows, const info_vec *infos,
                                ken_arena *arena, ken_content_info **out, ken_err *err)
{
    ken_content_info *list = KEN_ARENA_ARRAY(arena, ken_content_info, rows->len);
    for (size_t i = 0; i < rows->len; i++) {
        const ken_content_info *info = find_info(infos, rows->ptr[i].content);
        if (!info)
            return SQ_CORRUPT(q, err, "a file has no content");
        list[i] = *info;
    }
    *out = list;
    return KEN_OK;
}

// Two scans in the order of the pages and a search in memory: several times faster than one lookup
// per file.
ken_status ken_store__sq_load_files(ken_store_backend *b, ken_arena *arena, ken_file_row **out,
                                    size_t *out_n, ken_content_info **out_contents, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    row_vec rows = { 0 };
    info_vec infos = { 0 };
    ken_content_info *contents = NULL;
    ken_status st = scan_files(q, arena, &rows, err);
    if (st)
        goto out;
    sort_files(&rows);
    if (out_contents) {
        st = scan_contents(q, &infos, err);
        if (!st)
            st = join_contents(q, &rows, &infos, arena, &contents, err);
        if (st)
            goto out;
        *out_contents = contents;
    }
    *out = ken_arena_copy(arena, rows.ptr, rows.len, sizeof **out);
    *out_n = rows.len;
out:
    ken_vec_release(&rows);
    ken_vec_release(&infos);
    return st;
}

ken_status ken_store__sq_put_file(ken_store_backend *b, const ken_file_row *row, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, row->id ? KEN_SQ_FILE_PUT : KEN_SQ_FILE_ADD, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, KEN_SQ_TREE);
    ken_store__sq_bind_text(st, 2, row->path);
    sqlite3_bind_int64(st, 3, row->content);
    sqlite3_bind_int64(st, 4, (int64_t)row->stamp.size);
    sqlite3_bind_int64(st, 5, row->stamp.mtime_ns);
    sqlite3_bind_int64(st, 6, (int64_t)row->stamp.inode);
    sqlite3_bind_int64(st, 7, row->changed_at_ms);
    sqlite3_bind_int64(st, 8, row->stamp.ctime_ns);
    if (row->id)
        sqlite3_bind_int64(st, 9, row->id);
    s = ken_store__sq_run(q, st, "putting a file into", err);
    if (!s && !sqlite3_changes(q->db))
        s = KEN_FAIL(err, KEN_ENOTFOUND, "index '%s' has no file %lld", q->path,
                     (long long)row->id);
    return s;
}

ken_status ken_store__sq_remove_file(ken_store_backend *b, int64_t id, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_FILE_REMOVE, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, KEN_SQ_TREE);
    sqlite3_bind_int64(st, 2, id);
    s = ken_store__sq_run(q, st, "removing a file from", err);
    if (!s && !sqlite3_changes(q->db))
        s = KEN_FAIL(err, KEN_ENOTFOUND, "index '%s' has no file %lld", q->path, (long long)id);
    return s;
}

// ---- skips -----------------------------------------------------------------------------------

static int64_t hash_skips(const ken_skip_row *rows, size_t n)
{
    uint64_t h = n;
    for (size_t i = 0; i < n; i++) {
        uint64_t part[3] = { h, ken_hash_str(rows[i].path), (uint64_t)rows[i].reason };
        h = ken_hash64(part, sizeof part);
    }
    return (int64_t)h;
}

static ken_status get_skips_hash(ken_sq *q, int64_t *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_SKIP_GET_HASH, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, KEN_SQ_TREE);
    s = SQ_ROW(q, st, "it has no tree", err);
    if (!s)
        *out = sqlite3_column_int64(st, 0);
    ken_store__sq_done(st);
    return s;
}

static ken_status clear_skips(ken_sq *q, int64_t hash, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_SKIP_CLEAR, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, KEN_SQ_TREE);
    s = ken_store__sq_run(q, st, "writing to", err);
    if (!s)
        s = ken_store__sq_get(q, KEN_SQ_SKIP_SET_HASH, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, KEN_SQ_TREE);
    sqlite3_bind_int64(st, 2, hash);
    return ken_store__sq_run(q, st, "writing to", err);
}

// Most runs find the same list again, which then costs its hash.
ken_status ken_store__sq_replace_skips(ken_store_backend *b, const ken_skip_row *rows, size_t n,
                                       ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    int64_t hash = hash_skips(rows, n), old = 0;
    ken_status s = get_skips_hash(q, &old, err);
    if (s || hash == old)
        return s;
    s = clear_skips(q, hash, err);
    for (size_t i = 0; !s && i < n; i++) {
        sqlite3_stmt *st = NULL;
        s = ken_store__sq_get(q, KEN_SQ_SKIP_ADD, &st, err);
        if (s)
            return s;
        sqlite3_bind_int64(st, 1, KEN_SQ_TREE);
        ken_store__sq_bind_text(st, 2, ken_str_c(ken_skip_word(rows[i].reason)));
        ken_store__sq_bind_text(st, 3, rows[i].path);
        s = ken_store__sq_run(q, st, "writing to", err);
    }
    return s;
}

ken_skip_reason ken_store__sq_skip_reason(ken_str word)
{
    for (int r = KEN_SKIP_NONE + 1; r < KEN_SKIP_COUNT; r++)
        if (ken_str_eq_c(word, ken_skip_word((ken_skip_reason)r)))
            return (ken_skip_reason)r;
    return KEN_SKIP_NONE;
}

ken_status ken_store__sq_load_skips(ken_store_backend *b, ken_skip_reason reason, size_t limit,
                                    ken_arena *arena, ken_skip_row **out, size_t *out_n,
                                    ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s =
        ken_store__sq_get(q, reason ? KEN_SQ_SKIP_SCAN_REASON : KEN_SQ_SKIP_SCAN, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, KEN_SQ_TREE);
    sqlite3_bind_int64(st, 2, limit > INT32_MAX ? INT32_MAX : (int64_t)limit);
    if (reason)
        ken_store__sq_bind_text(st, 3, ken_str_c(ken_skip_word(reason)));
    skip_vec rows = { 0 };
    int rc = sqlite3_step(st);
    for (; rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        ken_skip_row row = { ken_arena_dup(arena, ken_store__sq_text(st, 1)),
                             ken_store__sq_skip_reason(ken_store__sq_text(st, 0)) };
        ken_vec_push(&rows, row);
    }
    if (rc == SQLITE_DONE) {
        *out = ken_arena_copy(arena, rows.ptr, rows.len, sizeof **out);
        *out_n = rows.len;
    } else {
        s = SQ_FAIL(q, rc, err, "reading");
    }
    ken_store__sq_done(st);
    ken_vec_release(&rows);
    return s;
}
