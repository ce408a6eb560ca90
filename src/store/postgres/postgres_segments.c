// SPDX-License-Identifier: MIT
// Segments and their blocks, which are gathered and sent together.
#include <string.h>

#include "store/postgres/postgres_index_priv.h"

ken_status ken_store__pg_open_segment(ken_store_backend *b, ken_segment_kind kind, int64_t *out_id,
                                      ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    int64_t id = ++x->last.segment;
    ken_status st = ken_store__pg_write(
        &x->p, KEN_PG_SEGMENT_ADD, PG_VALUES(PG_INT(x->id), PG_INT(id), PG_INT(kind)), NULL, err);
    if (!st)
        *out_id = id;
    return st;
}

ken_status ken_store__pg_put_block(ken_store_backend *b, int64_t id, uint32_t block, ken_str bytes,
                                   ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    x->zipped.max = KEN_SEGMENT_BLOCK * 2;
    bool is_zipped = ken_zip_block(x->zip, bytes, &x->zipped);
    ken_store__pg_copy_row(&x->blocks,
                           PG_VALUES(PG_INT(x->id), PG_INT(id), PG_INT(block),
                                     PG_IF(is_zipped, PG_INT(bytes.len)),
                                     PG_BYTES(is_zipped ? ken_buf_str(&x->zipped) : bytes)));
    return x->blocks.rows.len < KEN_PG_COPY_BYTES
               ? KEN_OK
               : ken_store__pg_copy_send(&x->p, KEN_PG_BLOCK_COPY, &x->blocks, err);
}

ken_status ken_store__pg_end_segment(ken_store_backend *b, int64_t id, uint64_t n_bytes,
                                     uint32_t n_contents, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    return ken_store__pg_write(
        &x->p, KEN_PG_SEGMENT_END,
        PG_VALUES(PG_INT(x->id), PG_INT(id), PG_INT(n_bytes), PG_INT(n_contents)), NULL, err);
}

ken_status ken_store__pg_remove_segment(ken_store_backend *b, int64_t id, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    uint64_t n = 0;
    ken_status st = ken_store__pg_flush(x, err);
    if (!st)
        st = ken_store__pg_write(&x->p, KEN_PG_SEGMENT_REMOVE, PG_VALUES(PG_INT(x->id), PG_INT(id)),
                                 &n, err);
    return st || n ? st
                   : KEN_FAIL(err, KEN_ENOTFOUND, "index '%s' has no segment %lld", x->p.name,
                              (long long)id);
}

ken_status ken_store__pg_read_segment(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                                      ken_err *err)
{
    (void)p, (void)arena, (void)err;
    ken_segment_info info = {
        .id = (int64_t)ken_store__pg_u64(row, 0, INT64_MAX >> 24),
        .n_bytes = ken_store__pg_u64(row, 1, (uint64_t)1 << 40),
        .n_contents = (uint32_t)ken_store__pg_u64(row, 2, UINT32_MAX),
    };
    uint64_t last = ken_store__pg_u64(row, 3, KEN_SEGMENT_BLOCK);
    if (!info.n_bytes || last != (info.n_bytes - 1) % KEN_SEGMENT_BLOCK + 1)
        row->is_bad = true;
    *(ken_segment_info *)out = info;
    return KEN_OK;
}

ken_status ken_store__pg_list_segments(ken_store_backend *b, ken_segment_kind kind,
                                       ken_arena *arena, ken_segment_info **out, size_t *out_n,
                                       ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    ken_status st = ken_store__pg_flush(x, err);
    return st ? st
              : PG_ROWS(&x->p, PG_QUERY(SEGMENT_SCAN, PG_INT(x->id), PG_INT(kind)),
                        ken_store__pg_read_segment, arena, out, out_n, err);
}

ken_status ken_store__pg_list_segment_ids(ken_store_backend *b, ken_arena *arena, int64_t **out,
                                          size_t *out_n, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    return PG_ROWS(&x->p, PG_QUERY(SEGMENT_IDS, PG_INT(x->id)), ken_store__pg_read_i64, arena, out,
                   out_n, err);
}

// ---- blocks ------------------------------------------------------------------------------------

void ken_store__pg_forget_ahead(ken_pg_index *x)
{
    ken_buf bytes = x->ahead.bytes;
    ken_buf_clear(&bytes);
    x->ahead = (ken_pg_ahead){ .bytes = bytes };
}

typedef struct block_row {
    ken_str data; // in the arena
    uint32_t block;
    size_t n; // bytes of the block
    bool is_zipped;
} block_row;

static ken_status read_block(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    block_row b = {
        .block = (uint32_t)ken_store__pg_u64(row, 0, UINT32_MAX),
        .data = ken_store__pg_keep(row, 1, arena),
        .is_zipped = !ken_store__pg_is_null(row, 2),
    };
    b.n = b.is_zipped ? ken_store__pg_u64(row, 2, KEN_SEGMENT_BLOCK) : b.data.len;
    row->is_bad = row->is_bad || !b.n || b.n > KEN_SEGMENT_BLOCK;
    *(block_row *)out = b;
    return KEN_OK;
}

// Appends the block; false when it cannot be taken apart.
static bool take_block(ken_pg_index *x, const block_row *b, ken_buf *out)
{
    if (!b->is_zipped) {
        ken_buf_put_str(out, b->data);
        return true;
    }
    bool is_right =
        ken_buf_reserve(out, b->n) && ken_zip_take(x->zip, b->data, out->ptr + out->len, b->n);
    out->len += is_right ? b->n : 0;
    return is_right;
}

static ken_status keep_blocks(ken_pg_index *x, const block_row *rows, size_t n, ken_err *err)
{
    ken_pg_ahead *a = &x->ahead;
    for (uint32_t i = 0; i < n; i++) {
        a->at[i] = a->bytes.len;
        if (rows[i].block != a->first + i || !take_block(x, &rows[i], &a->bytes))
            return PG_CORRUPT(&x->p, err, "a block of a segment");
        a->n = i + 1;
        a->at[i + 1] = a->bytes.len;
    }
    return KEN_OK;
}

// The block, and as many behind it as were asked for one after the other before.
static ken_status fetch_blocks(ken_pg_index *x, int64_t segment, uint32_t block, ken_err *err)
{
    ken_pg_ahead *a = &x->ahead;
    bool goes_on = x->p.tx == KEN_PG_TX_READ && a->segment == segment && a->next == block;
    uint32_t n_wanted = !goes_on                         ? 1
                        : a->n_wanted < KEN_PG_AHEAD_MAX ? a->n_wanted * 2
                                                         : KEN_PG_AHEAD_MAX;
    ken_arena arena;
    block_row *rows = NULL;
    size_t n = 0;
    ken_store__pg_forget_ahead(x);
    a->segment = segment;
    a->first = block;
    a->n_wanted = n_wanted;
    a->next = block < UINT32_MAX - n_wanted ? block + n_wanted : UINT32_MAX;
    ken_arena_init(&arena, 0);
    ken_status st = PG_ROWS(&x->p,
                            PG_QUERY(BLOCK_GET, PG_INT(x->id), PG_INT(segment), PG_INT(block),
                                     PG_INT((int64_t)block + n_wanted)),
                            read_block, &arena, &rows, &n, err);
    if (!st && !n)
        st = KEN_ENOTFOUND;
    if (!st)
        st = keep_blocks(x, rows, n, err);
    ken_arena_release(&arena);
    return st;
}

ken_status ken_store__pg_read_block(ken_store_backend *b, int64_t segment, uint32_t block,
                                    void *into, size_t *out_n, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    ken_pg_ahead *a = &x->ahead;
    bool is_here = x->p.tx == KEN_PG_TX_READ && a->segment == segment && block >= a->first &&
                   block - a->first < a->n;
    ken_status st = is_here ? KEN_OK : ken_store__pg_flush(x, err);
    if (!st && !is_here)
        st = fetch_blocks(x, segment, block, err);
    if (st)
        return st;
    size_t from = a->at[block - a->first];
    *out_n = a->at[block - a->first + 1] - from;
    memcpy(into, a->bytes.ptr + from, *out_n);
    return KEN_OK;
}
