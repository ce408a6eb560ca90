// SPDX-License-Identifier: MIT
// Upkeep of segments, of words, of names and of vectors alike. Every run adds at most a few of each
// kind; when there are more than MAX_SEGMENTS the smallest are read back and written as one, so
// that a question looks into few and a change rewrites little: over n changes each content is
// rewritten O(log n) times.
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "index/index_priv.h"

enum {
    MAX_SEGMENTS = 8,
    KEEP_SEGMENTS = 4,          // after joining, counting the joined one
    MERGE_MAX_BYTES = 96 << 20, // larger ones are left alone
    DEAD_MIN = 2000,            // contents that no file has, before they are dropped
    SORT_ALONE_BYTES = 4 << 20, // in a builder: fewer are sorted before a thread has begun
};

static ken_status add_segment(ken_store *store, ken_segment_kind kind, ken_buf *bytes, uint32_t n,
                              ken_err *err)
{
    int64_t id;
    return ken_store_add_segment(store, kind, ken_buf_str(bytes), n, &id, err);
}

typedef struct sorting {
    ken_lex_builder *b;
    uint32_t n_shares;
    atomic_uint next;
} sorting;

// What there is no memory for is left to finishing, which says so.
static void sort_share(void *ctx, size_t worker)
{
    (void)worker;
    sorting *s = ctx;
    (void)ken_lex_builder_sort(s->b, atomic_fetch_add(&s->next, 1), s->n_shares);
}

static void sort_words(ken_lex_builder *b, uint32_t n_jobs)
{
    if (n_jobs < 2 || ken_lex_builder_bytes(b) < SORT_ALONE_BYTES)
        return;
    sorting s = { .b = b, .n_shares = n_jobs };
    ken_pool *pool = ken_pool_new(n_jobs, n_jobs, 0);
    for (uint32_t i = 0; i < n_jobs; i++)
        ken_pool_submit(pool, sort_share, &s);
    ken_pool_free(pool);
}

ken_status index_flush_words(ken_store *store, ken_lex_builder *b, uint32_t n_jobs, ken_err *err)
{
    uint32_t n = ken_lex_builder_n_contents(b);
    if (!n)
        return KEN_OK;
    sort_words(b, n_jobs);
    ken_buf bytes = KEN_BUF_INIT((size_t)4 << 30);
    ken_status st = ken_lex_builder_finish(b, &bytes, err);
    if (!st)
        st = add_segment(store, KEN_SEGMENT_WORDS, &bytes, n, err);
    ken_buf_release(&bytes);
    return st;
}

ken_status index_flush_vectors(ken_store *store, ken_vector_builder *b, ken_err *err)
{
    uint32_t n = ken_vector_builder_n_contents(b);
    if (!n)
        return KEN_OK;
    ken_buf bytes = KEN_BUF_INIT((size_t)4 << 30);
    ken_status st = ken_vector_builder_finish(b, &bytes, err);
    if (!st)
        st = add_segment(store, KEN_SEGMENT_VECTORS, &bytes, n, err);
    ken_buf_release(&bytes);
    return st;
}

ken_status index_flush_mentions(ken_store *store, ken_mention_builder *b, ken_err *err)
{
    uint32_t n = ken_mention_builder_n_contents(b);
    if (!n)
        return KEN_OK;
    ken_buf bytes = KEN_BUF_INIT((size_t)4 << 30);
    ken_status st = ken_mention_builder_finish(b, &bytes, err);
    if (!st)
        st = add_segment(store, KEN_SEGMENT_MENTIONS, &bytes, n, err);
    ken_buf_release(&bytes);
    return st;
}

// ---- joining -----------------------------------------------------------------------------------

// The ids of contents that are kept, sorted; `ids` NULL = all.
typedef struct alive {
    const int64_t *ids;
    size_t n;
} alive;

static bool is_alive(const alive *a, int64_t id)
{
    size_t lo = 0, hi = a->n;
    if (!a->ids)
        return true;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (a->ids[mid] < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < a->n && a->ids[lo] == id;
}

static ken_status absorb_words(const ken_block_source *source, const alive *live,
                               ken_lex_builder *b, ken_err *err)
{
    ken_lex_segment *s = NULL;
    ken_status st = ken_lex_segment_open(source, &s, err);
    if (st)
        return st;
    uint32_t n = ken_lex_segment_n_contents(s);
    bool *is_live = ken_zalloc(n + 1);
    for (uint32_t i = 0; i < n; i++)
        is_live[i] = is_alive(live, ken_lex_segment_contents(s)[i].id);
    st = ken_lex_builder_merge(b, s, is_live, err);
    ken_free(is_live);
    ken_lex_segment_close(s);
    return st;
}

static ken_status absorb_mentions(const ken_block_source *source, const alive *live,
                                  ken_mention_builder *b, ken_err *err)
{
    ken_mention_segment *s = NULL;
    ken_status st = ken_mention_segment_open(source, &s, err);
    if (st)
        return st;
    uint32_t n = ken_mention_segment_n_contents(s);
    bool *is_live = ken_zalloc(n + (size_t)1);
    for (uint32_t i = 0; i < n; i++)
        is_live[i] = is_alive(live, ken_mention_segment_contents(s)[i]);
    st = ken_mention_builder_merge(b, s, is_live, err);
    ken_free(is_live);
    ken_mention_segment_close(s);
    return st;
}

// Vectors of another model begin a builder, and a segment, of their own.
static ken_status absorb_vectors(ken_store *store, const ken_block_source *source,
                                 const alive *live, ken_vector_builder **b, ken_err *err)
{
    ken_vector_segment *s = NULL;
    ken_status st = ken_vector_segment_open(source, &s, err);
    if (st)
        return st;
    const ken_vector_model *model = ken_vector_segment_model(s);
    if (*b && !ken_vector_model_eq(ken_vector_builder_model(*b), model)) {
        st = index_flush_vectors(store, *b, err);
        ken_vector_builder_free(*b);
        *b = NULL;
    }
    if (!*b)
        *b = ken_vector_builder_new(model);
    uint32_t n;
    const ken_vector_content *c = ken_vector_segment_contents(s, &n);
    for (uint32_t i = 0; i < n && !st; i++) {
        const int8_t *values;
        const float *scales;
        if (!is_alive(live, c[i].id))
            continue;
        st = ken_vector_segment_rows(s, &c[i], &values, &scales, err);
        if (!st)
            ken_vector_builder_add(*b, c[i].id, values, scales, c[i].n_rows);
    }
    ken_vector_segment_close(s);
    return st;
}

typedef struct joining {
    ken_store *store;
    ken_segment_kind kind;
    ken_lex_builder *words;
    ken_mention_builder *mentions;
    ken_vector_builder *vectors;
} joining;

static ken_status flush(joining *j, ken_err *err)
{
    if (j->kind == KEN_SEGMENT_WORDS)
        return index_flush_words(j->store, j->words, 1, err);
    if (j->kind == KEN_SEGMENT_MENTIONS)
        return index_flush_mentions(j->store, j->mentions, err);
    return j->vectors ? index_flush_vectors(j->store, j->vectors, err) : KEN_OK;
}

static size_t bytes_in(const joining *j)
{
    if (j->kind == KEN_SEGMENT_WORDS)
        return ken_lex_builder_bytes(j->words);
    if (j->kind == KEN_SEGMENT_MENTIONS)
        return ken_mention_builder_bytes(j->mentions);
    return j->vectors ? ken_vector_builder_bytes(j->vectors) : 0;
}

// Reads one segment back and removes it.
static ken_status absorb(joining *j, const ken_segment_info *info, const alive *live, ken_err *err)
{
    ken_block_source source = ken_store_source(j->store, info);
    ken_status st;
    if (j->kind == KEN_SEGMENT_WORDS)
        st = absorb_words(&source, live, j->words, err);
    else if (j->kind == KEN_SEGMENT_MENTIONS)
        st = absorb_mentions(&source, live, j->mentions, err);
    else
        st = absorb_vectors(j->store, &source, live, &j->vectors, err);
    if (!st)
        st = ken_store_remove_segment(j->store, info->id, err);
    if (!st && bytes_in(j) > (size_t)MERGE_MAX_BYTES)
        st = flush(j, err);
    return st;
}

static int by_size(const void *a, const void *b)
{
    const ken_segment_info *x = a, *y = b;
    return (x->n_bytes > y->n_bytes) - (x->n_bytes < y->n_bytes);
}

// Joins the small segments of a kind when there are many; all of them, less what is dead, when
// `live` has ids.
static ken_status join(ken_store *store, ken_segment_kind kind, ken_segment_info *segments,
                       size_t n, const alive *live, ken_err *err)
{
    if (n <= MAX_SEGMENTS && !live->ids)
        return KEN_OK;
    joining j = { .store = store,
                  .kind = kind,
                  .words = ken_lex_builder_new(),
                  .mentions = ken_mention_builder_new() };
    qsort(segments, n, sizeof *segments, by_size);
    size_t n_joined = live->ids ? n : n - KEEP_SEGMENTS + 1;
    ken_status st = KEN_OK;
    for (size_t i = 0; i < n_joined && !st; i++) {
        if (segments[i].n_bytes > MERGE_MAX_BYTES && !live->ids)
            break;
        st = absorb(&j, &segments[i], live, err);
    }
    if (!st)
        st = flush(&j, err);
    ken_lex_builder_free(j.words);
    ken_mention_builder_free(j.mentions);
    ken_vector_builder_free(j.vectors);
    return st;
}

ken_status index_tidy(ken_store *store, const int64_t *live, size_t n_live, ken_err *err)
{
    static const ken_segment_kind kinds[] = { KEN_SEGMENT_WORDS, KEN_SEGMENT_MENTIONS,
                                              KEN_SEGMENT_VECTORS };
    ken_arena arena;
    ken_arena_init(&arena, 0);
    alive kept = { 0 };
    ken_status st = KEN_OK;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !st; k++) {
        ken_segment_info *segments;
        size_t n;
        st = ken_store_list_segments(store, kinds[k], &arena, &segments, &n, err);
        uint64_t n_contents = 0, n_removed;
        for (size_t i = 0; i < n && !st; i++)
            n_contents += segments[i].n_contents;
        uint64_t n_dead = n_contents > n_live ? n_contents - n_live : 0;
        if (!st && kinds[k] == KEN_SEGMENT_WORDS && n_dead > DEAD_MIN && n_dead > n_live / 2) {
            kept = (alive){ live, n_live };
            st = ken_store_collect(store, &n_removed, err);
        }
        if (!st)
            st = join(store, kinds[k], segments, n, &kept, err);
    }
    ken_arena_release(&arena);
    return st;
}

ken_status index_tidy_vectors(ken_store *store, ken_err *err)
{
    ken_arena arena;
    ken_segment_info *segments;
    size_t n;
    ken_arena_init(&arena, 0);
    ken_status st = ken_store_list_segments(store, KEN_SEGMENT_VECTORS, &arena, &segments, &n, err);
    if (!st)
        st = join(store, KEN_SEGMENT_VECTORS, segments, n, &(alive){ 0 }, err);
    ken_arena_release(&arena);
    return st;
}
