// SPDX-License-Identifier: MIT
// Upkeep of segments. Every run adds at most a few; when there are more than MAX_SEGMENTS the
// smallest are read back and written as one, so that a question looks into few and a change
// rewrites little: over n changes each content is rewritten O(log n) times.
#include <stdlib.h>

#include "base/alloc.h"
#include "index/index_priv.h"

enum {
    MAX_SEGMENTS = 8,
    KEEP_SEGMENTS = 4,          // after joining, counting the joined one
    MERGE_MAX_BYTES = 96 << 20, // larger ones are left alone
    DEAD_MIN = 2000,            // contents that no file has, before they are dropped
};

ken_status index_flush(ken_store *store, ken_lex_builder *b, ken_err *err)
{
    uint32_t n = ken_lex_builder_n_contents(b);
    if (!n)
        return KEN_OK;
    ken_buf bytes = KEN_BUF_INIT((size_t)4 << 30);
    int64_t id;
    ken_status st = ken_lex_builder_finish(b, &bytes, err);
    if (!st)
        st = ken_store_add_segment(store, ken_buf_str(&bytes), n, &id, err);
    ken_buf_release(&bytes);
    return st;
}

static int by_size(const void *a, const void *b)
{
    const ken_segment_info *x = a, *y = b;
    return (x->n_bytes > y->n_bytes) - (x->n_bytes < y->n_bytes);
}

static bool is_among(int64_t id, const int64_t *ids, size_t n)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (ids[mid] < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && ids[lo] == id;
}

// Reads one segment back into the builder and removes it. `live` NULL = all of its contents.
static ken_status absorb(ken_store *store, const ken_segment_info *info, const int64_t *live,
                         size_t n_live, ken_lex_builder *b, ken_err *err)
{
    ken_lex_source source = { ken_store_read_block, store, info->id, info->n_bytes,
                              KEN_SEGMENT_BLOCK };
    ken_lex_segment *s = NULL;
    ken_status st = ken_lex_segment_open(&source, &s, err);
    if (st)
        return st;
    uint32_t n = ken_lex_segment_n_contents(s);
    bool *is_live = ken_zalloc(n + 1);
    for (uint32_t i = 0; i < n; i++)
        is_live[i] = !live || is_among(ken_lex_segment_contents(s)[i].id, live, n_live);
    st = ken_lex_builder_merge(b, s, is_live, err);
    ken_free(is_live);
    ken_lex_segment_close(s);
    return st ? st : ken_store_remove_segment(store, info->id, err);
}

ken_status index_tidy(ken_store *store, const int64_t *live, size_t n_live, ken_err *err)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_segment_info *segments;
    size_t n;
    ken_lex_builder *b = ken_lex_builder_new();
    ken_status st = ken_store_list_segments(store, &arena, &segments, &n, err);
    if (st)
        goto out;
    uint64_t n_contents = 0;
    for (size_t i = 0; i < n; i++)
        n_contents += segments[i].n_contents;
    uint64_t n_dead = n_contents > n_live ? n_contents - n_live : 0, n_removed;
    bool drops_dead = n_dead > DEAD_MIN && n_dead > n_live / 2;
    if (drops_dead)
        st = ken_store_collect(store, &n_removed, err);
    if (st || (n <= MAX_SEGMENTS && !drops_dead))
        goto out;
    qsort(segments, n, sizeof *segments, by_size);
    size_t n_joined = drops_dead ? n : n - KEEP_SEGMENTS + 1;
    for (size_t i = 0; i < n_joined && !st; i++) {
        if (segments[i].n_bytes > MERGE_MAX_BYTES && !drops_dead)
            break;
        st = absorb(store, &segments[i], drops_dead ? live : NULL, n_live, b, err);
        if (!st && ken_lex_builder_bytes(b) > (size_t)MERGE_MAX_BYTES)
            st = index_flush(store, b, err);
    }
    if (!st)
        st = index_flush(store, b, err);
out:
    ken_lex_builder_free(b);
    ken_arena_release(&arena);
    return st;
}
