// SPDX-License-Identifier: MIT
#include <string.h>

#include "store/sqlite/sqlite_priv.h"

enum {
    BLOCK_BITS = 24
}; // of a block's row id; 1 TiB per segment

ken_zip *ken_store__sq_zip(ken_sq *q)
{
    if (!q->zip)
        q->zip = ken_zip_new();
    return q->zip;
}

ken_status ken_store__sq_open_segment(ken_store_backend *b, ken_segment_kind kind, int64_t *out_id,
                                      ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    ken_status s = ken_store__sq_write(q, KEN_SQ_SEGMENT_ADD, SQ_VALUES(SQ_INT(kind)), err);
    if (!s)
        *out_id = sqlite3_last_insert_rowid(q->db);
    return s;
}

ken_status ken_store__sq_put_block(ken_store_backend *b, int64_t id, uint32_t block, ken_str bytes,
                                   ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    q->zipped.max = KEN_SEGMENT_BLOCK * 2;
    bool is_zipped = ken_zip_block(ken_store__sq_zip(q), bytes, &q->zipped);
    ken_str kept = is_zipped ? ken_buf_str(&q->zipped) : bytes;
    return ken_store__sq_write(q, KEN_SQ_BLOCK_ADD,
                               SQ_VALUES(SQ_INT(id << BLOCK_BITS | block),
                                         SQ_BLOB(kept.ptr, kept.len),
                                         is_zipped ? SQ_INT(bytes.len) : SQ_NULL),
                               err);
}

ken_status ken_store__sq_end_segment(ken_store_backend *b, int64_t id, uint64_t n_bytes,
                                     uint32_t n_contents, ken_err *err)
{
    return ken_store__sq_write(ken_sq_of(b), KEN_SQ_SEGMENT_END,
                               SQ_VALUES(SQ_INT(id), SQ_INT(n_bytes), SQ_INT(n_contents)), err);
}

ken_status ken_store__sq_remove_segment(ken_store_backend *b, int64_t id, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    ken_status s = ken_store__sq_write(q, KEN_SQ_SEGMENT_REMOVE, SQ_VALUES(SQ_INT(id)), err);
    if (s)
        return s;
    if (!sqlite3_changes(q->db))
        return KEN_FAIL(err, KEN_ENOTFOUND, "index '%s' has no segment %lld", q->path,
                        (long long)id);
    return ken_store__sq_write(q, KEN_SQ_BLOCK_REMOVE,
                               SQ_VALUES(SQ_INT(id << BLOCK_BITS), SQ_INT((id + 1) << BLOCK_BITS)),
                               err);
}

static ken_status read_segment(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                               ken_err *err)
{
    (void)arena;
    bool is_bad = false;
    ken_segment_info info = {
        .id = sqlite3_column_int64(st, 0),
        .n_bytes = ken_store__sq_u64(st, 1, (uint64_t)1 << 40, &is_bad),
        .n_contents = (uint32_t)ken_store__sq_u64(st, 2, UINT32_MAX, &is_bad),
    };
    if (is_bad || info.id <= 0 || info.id >> (62 - BLOCK_BITS) || !info.n_bytes)
        return SQ_CORRUPT(q, err, "a segment has numbers out of range");
    *(ken_segment_info *)out = info;
    return KEN_OK;
}

static ken_status scan_segments(ken_sq *q, ken_segment_kind kind, ken_arena *arena,
                                ken_segment_info **out, size_t *out_n, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_SEGMENT_SCAN, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(kind)));
    return SQ_ROWS(q, st, read_segment, arena, out, out_n, err);
}

// Who reads a segment takes memory for its size, so it must be true: the last block is where that
// size says, and the whole is not larger than what a database of that size can hold.
static ken_status check_size(ken_sq *q, const ken_segment_info *g, uint64_t max_bytes, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    int64_t last = (int64_t)((g->n_bytes - 1) / KEN_SEGMENT_BLOCK), n = 0;
    ken_status s = ken_store__sq_get(q, KEN_SQ_BLOCK_LENGTH, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT((g->id << BLOCK_BITS) + last)));
    s = ken_store__sq_load_number(q, st, "the size of a segment is wrong", &n, err);
    if (!s && (g->n_bytes > max_bytes || n != (int64_t)g->n_bytes - last * KEN_SEGMENT_BLOCK))
        s = SQ_CORRUPT(q, err, "the size of a segment is wrong");
    return s;
}

ken_status ken_store__sq_list_segments(ken_store_backend *b, ken_segment_kind kind,
                                       ken_arena *arena, ken_segment_info **out, size_t *out_n,
                                       ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    ken_segment_info *list = NULL;
    size_t n = 0;
    int64_t n_pages = 0, page_bytes = 0;
    ken_status s = scan_segments(q, kind, arena, &list, &n, err);
    if (!s)
        s = ken_store__sq_ask(q, KEN_SQ_PAGE_COUNT, NULL, &n_pages, err);
    if (!s)
        s = ken_store__sq_ask(q, KEN_SQ_PAGE_SIZE, NULL, &page_bytes, err);
    for (size_t i = 0; !s && i < n; i++)
        s = check_size(q, &list[i], (uint64_t)(n_pages * page_bytes) * KEN_ZIP_MAX_RATIO, err);
    if (!s) {
        *out = list;
        *out_n = n;
    }
    return s;
}

ken_status ken_store__sq_list_segment_ids(ken_store_backend *b, ken_arena *arena, int64_t **out,
                                          size_t *out_n, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_SEGMENT_IDS, &st, err);
    return s ? s : SQ_ROWS(q, st, ken_store__sq_read_i64, arena, out, out_n, err);
}

// False when the row is no block.
static bool take_block(ken_sq *q, sqlite3_stmt *st, void *into, size_t *out_n)
{
    ken_str data = ken_store__sq_blob(st, 0);
    bool is_plain = sqlite3_column_type(st, 1) == SQLITE_NULL, is_bad = false;
    size_t n = is_plain ? data.len : ken_store__sq_u64(st, 1, KEN_SEGMENT_BLOCK, &is_bad);
    if (is_bad || !n || n > KEN_SEGMENT_BLOCK)
        return false;
    *out_n = n;
    if (!is_plain)
        return ken_zip_take(ken_store__sq_zip(q), data, into, n);
    memcpy(into, data.ptr, n);
    return true;
}

ken_status ken_store__sq_read_block(ken_store_backend *b, int64_t segment, uint32_t block,
                                    void *into, size_t *out_n, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_BLOCK_GET, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(segment << BLOCK_BITS | block)));
    s = SQ_ROW(q, st, NULL, err);
    if (!s && !take_block(q, st, into, out_n))
        s = SQ_CORRUPT(q, err, "a block of a segment is damaged");
    ken_store__sq_done(st);
    return s;
}
