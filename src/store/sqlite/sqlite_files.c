// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "base/hash.h"
#include "base/quota.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "store/sqlite/sqlite_based_priv.h"

enum {
    CHECK_EVERY = 256 // rows
};

typedef KEN_VEC(ken_content_info) info_vec;

// ---- files -----------------------------------------------------------------------------------

ken_status ken_store__sq_read_file(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                                   ken_err *err)
{
    bool is_bad = false;
    *(ken_file_row *)out = (ken_file_row){
        .id = sqlite3_column_int64(st, 0),
        .path = ken_store__sq_keep(st, 1, arena),
        .content = sqlite3_column_int64(st, 2),
        .stamp = { .size = ken_store__sq_u64(st, 3, INT64_MAX, &is_bad),
                   .mtime_ns = sqlite3_column_int64(st, 4),
                   .ctime_ns = sqlite3_column_int64(st, 7),
                   .inode = (uint64_t)sqlite3_column_int64(st, 5) },
        .changed_at_ms = sqlite3_column_int64(st, 6),
    };
    return is_bad ? SQ_CORRUPT(q, err, "a file has numbers out of range") : KEN_OK;
}

static ken_status scan_files(ken_sq *q, ken_arena *arena, ken_file_row **out, size_t *out_n,
                             ken_err *err)
{
    sqlite3_stmt *st = NULL;
    int64_t base = 0;
    ken_status s = ken_store__sq_get_base(q, &base, err);
    if (!s && base)
        return ken_store__sq_scan_based(q, base, arena, out, out_n, err);
    if (!s)
        s = ken_store__sq_get(q, KEN_SQ_FILE_SCAN, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(q->tree)));
    return SQ_ROWS(q, st, ken_store__sq_read_file, arena, out, out_n, err);
}

static ken_status scan_contents(ken_sq *q, info_vec *infos, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CONTENT_SCAN, &st, err);
    if (s)
        return s;
    while (ken_store__sq_next(q, st, &s, err)) {
        ken_content_info info;
        s = ken_store__sq_read_info(q, st, NULL, &info, err);
        if (!s)
            ken_vec_push(infos, info);
        if (!s && infos->len % CHECK_EVERY == 1)
            s = ken_quota_check(err);
    }
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
static void sort_files(ken_file_row *rows, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (ken_str_cmp(rows[i - 1].path, rows[i].path) > 0) {
            qsort(rows, n, sizeof *rows, by_path);
            return;
        }
    }
}

static const ken_content_info *find_info(const info_vec *infos, int64_t id)
{
    size_t lo = KEN_FIRST_I64(ken_content_info, id, infos->ptr, infos->len, id);
    return lo < infos->len && infos->ptr[lo].id == id ? &infos->ptr[lo] : NULL;
}

static ken_status join_contents(ken_sq *q, const ken_file_row *rows, size_t n,
                                const info_vec *infos, ken_arena *arena, ken_content_info **out,
                                ken_err *err)
{
    ken_content_info *list = KEN_ARENA_ARRAY(arena, ken_content_info, n);
    for (size_t i = 0; i < n; i++) {
        const ken_content_info *info = find_info(infos, rows[i].content);
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
    ken_file_row *rows = NULL;
    size_t n = 0;
    info_vec infos = { 0 };
    ken_status st = scan_files(q, arena, &rows, &n, err);
    if (st)
        return st;
    sort_files(rows, n);
    if (out_contents) {
        st = scan_contents(q, &infos, err);
        if (!st)
            st = join_contents(q, rows, n, &infos, arena, out_contents, err);
        ken_vec_release(&infos);
    }
    if (!st) {
        *out = rows;
        *out_n = n;
    }
    return st;
}

// After a change of one file.
static ken_status check_file(ken_sq *q, int64_t id, ken_err *err)
{
    return sqlite3_changes(q->db) ? KEN_OK
                                  : KEN_FAIL(err, KEN_ENOTFOUND, "index '%s' has no file %lld",
                                             q->path, (long long)id);
}

static ken_status write_file(ken_sq *q, const ken_file_row *row, ken_err *err)
{
    return ken_store__sq_write(q, row->id ? KEN_SQ_FILE_PUT : KEN_SQ_FILE_ADD,
                               SQ_VALUES(SQ_INT(q->tree), SQ_TEXT(row->path), SQ_INT(row->content),
                                         SQ_INT(row->stamp.size), SQ_INT(row->stamp.mtime_ns),
                                         SQ_INT(row->stamp.inode), SQ_INT(row->changed_at_ms),
                                         SQ_INT(row->stamp.ctime_ns), SQ_INT(row->id)),
                               err);
}

ken_status ken_store__sq_add_file(ken_sq *q, const ken_file_row *row, ken_err *err)
{
    ken_file_row own = *row;
    own.id = 0;
    return write_file(q, &own, err);
}

ken_status ken_store__sq_put_file(ken_store_backend *b, const ken_file_row *row, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    int64_t base = 0;
    bool is_done = false;
    ken_status s = ken_store__sq_get_base(q, &base, err);
    if (!s && base)
        s = ken_store__sq_put_based(q, base, row, &is_done, err);
    if (s || is_done)
        return s;
    s = write_file(q, row, err);
    return s ? s : check_file(q, row->id, err);
}

ken_status ken_store__sq_remove_file(ken_store_backend *b, int64_t id, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    int64_t base = 0;
    bool is_done = false;
    ken_status s = ken_store__sq_get_base(q, &base, err);
    if (!s && base)
        s = ken_store__sq_remove_based(q, base, id, &is_done, err);
    if (s || is_done)
        return s;
    s = ken_store__sq_write(q, KEN_SQ_FILE_REMOVE, SQ_VALUES(SQ_INT(q->tree), SQ_INT(id)), err);
    return s ? s : check_file(q, id, err);
}

ken_status ken_store__sq_list_live(ken_store_backend *b, ken_arena *arena, int64_t **out,
                                   size_t *out_n, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_FILE_LIVE, &st, err);
    return s ? s : SQ_ROWS(q, st, ken_store__sq_read_i64, arena, out, out_n, err);
}

// ---- skips -----------------------------------------------------------------------------------

static ken_status get_skips_hash(ken_sq *q, int64_t *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_SKIP_GET_HASH, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(q->tree)));
    return ken_store__sq_load_number(q, st, "it has no tree", out, err);
}

// The tree whose rows are the skips of this one.
static ken_status find_skips(ken_sq *q, int64_t *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_SKIP_OWNER, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(q->tree)));
    return ken_store__sq_load_number(q, st, "it has no tree", out, err);
}

static ken_status clear_skips(ken_sq *q, int64_t hash, ken_err *err)
{
    ken_status s = ken_store__sq_write(q, KEN_SQ_SKIP_CLEAR, SQ_VALUES(SQ_INT(q->tree)), err);
    return s ? s
             : ken_store__sq_write(q, KEN_SQ_SKIP_SET_HASH,
                                   SQ_VALUES(SQ_INT(q->tree), SQ_INT(hash)), err);
}

// Most runs find the same list again, which then costs its hash. So do the skips of its base list, when they are the same.
ken_status ken_store__sq_replace_skips(ken_store_backend *b, const ken_skip_row *rows, size_t n,
                                       ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    int64_t hash = ken_store__hash_skips(rows, n), old = 0, owner = q->tree;
    ken_status s = get_skips_hash(q, &old, err);
    if (s || hash == old)
        return s;
    s = clear_skips(q, hash, err);
    if (!s)
        s = find_skips(q, &owner, err);
    for (size_t i = 0; !s && owner == q->tree && i < n; i++)
        s = ken_store__sq_write(q, KEN_SQ_SKIP_ADD,
                                SQ_VALUES(SQ_INT(q->tree),
                                          SQ_TEXT(ken_str_c(ken_skip_word(rows[i].reason))),
                                          SQ_TEXT(rows[i].path)),
                                err);
    return s;
}

static ken_status read_skip(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    (void)q, (void)err;
    *(ken_skip_row *)out = (ken_skip_row){
        .path = ken_store__sq_keep(st, 1, arena),
        .reason = ken_store__skip_reason(ken_store__sq_text(st, 0)),
    };
    return KEN_OK;
}

ken_status ken_store__sq_load_skips(ken_store_backend *b, ken_skip_reason reason, size_t limit,
                                    ken_arena *arena, ken_skip_row **out, size_t *out_n,
                                    ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    int64_t owner = 0;
    ken_status s = find_skips(q, &owner, err);
    if (!s)
        s = ken_store__sq_get(q, reason ? KEN_SQ_SKIP_SCAN_REASON : KEN_SQ_SKIP_SCAN, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(owner), SQ_INT(limit > INT32_MAX ? INT32_MAX : limit),
                                     reason ? SQ_TEXT(ken_str_c(ken_skip_word(reason))) : SQ_NULL));
    return SQ_ROWS(q, st, read_skip, arena, out, out_n, err);
}
