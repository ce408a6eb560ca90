// SPDX-License-Identifier: MIT
// Writes the builders of postings, names and vectors as segments of the open transaction.
#include <stdatomic.h>

#include "base/pool.h"
#include "index/index_priv.h"

enum {
    SORT_ALONE_BYTES = 4 << 20, // in a builder: fewer are sorted before a thread has begun
};

typedef struct sorting {
    ken_lex_builder *b;
    uint32_t n_shares;
    atomic_uint next;
} sorting;

// Without memory it is left to finishing, which reports it.
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

ken_status ken_index__flush_words(ken_store *store, ken_lex_builder *b, uint32_t n_jobs,
                                  ken_err *err)
{
    ken_segment_writer w;
    uint32_t n = ken_lex_builder_n_contents(b);
    ken_status st = n ? ken_store_open_segment(store, KEN_SEGMENT_WORDS, &w, err) : KEN_OK;
    if (st || !n)
        return st;
    sort_words(b, n_jobs);
    ken_block_sink sink = ken_store_sink(&w);
    st = ken_lex_builder_finish(b, &sink, err);
    return st ? st : ken_store_close_segment(&w, n, err);
}

// For a database that searches them by itself.
static ken_status put_rows(ken_store *store, const ken_vector_builder *b, ken_err *err)
{
    const ken_vector_model *model = ken_vector_builder_model(b);
    ken_status st = KEN_OK;
    for (uint32_t i = 0; !st && i < ken_vector_builder_n_contents(b); i++) {
        ken_store_vectors v = { .model = model->name, .n_dims = model->n_dims };
        v.content = ken_vector_builder_at(b, i, &v.values, &v.scales, &v.n);
        st = ken_store_put_vectors(store, &v, err);
    }
    return st;
}

ken_status ken_index__flush_vectors(ken_store *store, ken_vector_builder *b, ken_err *err)
{
    ken_segment_writer w;
    uint32_t n = ken_vector_builder_n_contents(b);
    ken_status st = n ? ken_store_open_segment(store, KEN_SEGMENT_VECTORS, &w, err) : KEN_OK;
    if (st || !n)
        return st;
    st = put_rows(store, b, err);
    if (st)
        return st;
    ken_block_sink sink = ken_store_sink(&w);
    st = ken_vector_builder_finish(b, &sink, err);
    return st ? st : ken_store_close_segment(&w, n, err);
}

ken_status ken_index__flush_mentions(ken_store *store, ken_mention_builder *b, ken_err *err)
{
    ken_segment_writer w;
    uint32_t n = ken_mention_builder_n_contents(b);
    ken_status st = n ? ken_store_open_segment(store, KEN_SEGMENT_MENTIONS, &w, err) : KEN_OK;
    if (st || !n)
        return st;
    ken_block_sink sink = ken_store_sink(&w);
    st = ken_mention_builder_finish(b, &sink, err);
    return st ? st : ken_store_close_segment(&w, n, err);
}
