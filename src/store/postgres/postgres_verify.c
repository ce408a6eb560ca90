// SPDX-License-Identifier: MIT
// Reads and checks everything of an index, up to the first damage. Keys and checks are the server's.
#include <stdio.h>

#include "store/postgres/postgres_index_priv.h"

typedef struct packed_row {
    int64_t id, n_bytes;
    ken_packed packed;
} packed_row;

static ken_status read_packed(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    *(packed_row *)out = (packed_row){ ken_store__pg_i64(row, 0),
                                       ken_store__pg_i64(row, 2),
                                       { .facts = ken_store__pg_keep(row, 1, arena),
                                         .refs = ken_store__pg_keep(row, 3, arena) } };
    return KEN_OK;
}

// The part of a content that does not unpack; NULL = none.
static const char *find_wrong(const packed_row *row, ken_zip *zip, ken_arena *arena)
{
    ken_facts f;
    ken_refs r;
    if (ken_facts_unpack(zip, row->packed.facts, arena, &f, NULL) ||
        (int64_t)f.n_bytes != row->n_bytes)
        return "facts";
    return ken_refs_unpack(zip, row->packed.refs, &f, arena, &r, NULL) ? "refs" : NULL;
}

static ken_status check_batch(ken_pg_index *x, int64_t *after, size_t *out_n, ken_arena *arena,
                              ken_err *err)
{
    packed_row *rows = NULL;
    ken_status st = PG_ROWS(&x->p, PG_QUERY(CONTENT_BATCH, PG_INT(x->id), PG_INT(*after)),
                            read_packed, arena, &rows, out_n, err);
    for (size_t i = 0; !st && i < *out_n; i++) {
        const char *wrong = find_wrong(&rows[i], x->zip, arena);
        char what[80];
        *after = rows[i].id;
        snprintf(what, sizeof what, "%s of content %lld", wrong ? wrong : "",
                 (long long)rows[i].id);
        if (wrong)
            st = PG_CORRUPT(&x->p, err, what);
    }
    return st;
}

static ken_status check_contents(ken_pg_index *x, ken_err *err)
{
    ken_arena arena;
    int64_t after = 0;
    size_t n = 1;
    ken_status st = KEN_OK;
    ken_arena_init(&arena, 0);
    for (; !st && n; ken_arena_reset(&arena))
        st = check_batch(x, &after, &n, &arena, err);
    ken_arena_release(&arena);
    return st;
}

// Every block is there and can be taken apart, and there is none beside them.
static ken_status check_segment(ken_pg_index *x, const ken_segment_info *g, void *block,
                                ken_err *err)
{
    int64_t n = 0;
    uint64_t at = 0;
    ken_status st =
        ken_store__pg_number(&x->p, PG_QUERY(BLOCK_COUNT, PG_INT(x->id), PG_INT(g->id)), &n, err);
    for (uint32_t i = 0; !st && i < n && at < g->n_bytes; i++) {
        size_t got = 0;
        st = ken_store__pg_read_block(&x->backend, g->id, i, block, &got, err);
        at += got;
    }
    if (st && st != KEN_ENOTFOUND)
        return st;
    if (!st && at == g->n_bytes && (uint64_t)n == (at + KEN_SEGMENT_BLOCK - 1) / KEN_SEGMENT_BLOCK)
        return KEN_OK;
    char what[80];
    snprintf(what, sizeof what, "blocks of segment %lld", (long long)g->id);
    return PG_CORRUPT(&x->p, err, what);
}

static ken_status check_segments(ken_pg_index *x, ken_segment_kind kind, ken_err *err)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    void *block = ken_arena_alloc(&arena, KEN_SEGMENT_BLOCK);
    ken_segment_info *segments = NULL;
    size_t n = 0;
    ken_status st = ken_store__pg_list_segments(&x->backend, kind, &arena, &segments, &n, err);
    for (size_t i = 0; !st && i < n; i++)
        st = check_segment(x, &segments[i], block, err);
    ken_arena_release(&arena);
    return st;
}

ken_status ken_store__pg_verify(ken_store_backend *b, ken_err *err)
{
    static const ken_segment_kind kinds[] = { KEN_SEGMENT_WORDS, KEN_SEGMENT_VECTORS,
                                              KEN_SEGMENT_MENTIONS };
    ken_pg_index *x = ken_pg_index_of(b);
    ken_status st = ken_store__pg_flush(x, err);
    if (!st)
        st = check_contents(x, err);
    for (size_t i = 0; !st && i < sizeof kinds / sizeof *kinds; i++)
        st = check_segments(x, kinds[i], err);
    return st;
}
