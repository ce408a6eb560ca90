// SPDX-License-Identifier: MIT
// Scores of chunks that the index does not know, for the file has changed. They are compared with
// each other only: BM25 over all words of a chunk, names of definitions counting twice, with what
// the index says of the rarity of words.
#include "embed/embed_static.h"
#include "query/query_priv.h"

static const double k = 4;

static int32_t term_number(const ken_lex_query *q, ken_term term)
{
    for (uint32_t t = 0; t < q->n_terms; t++)
        for (uint32_t i = 0; i < q->terms[t].n_lookups; i++)
            if (q->terms[t].lookup[i] == term)
                return (int32_t)t;
    return -1;
}

static double average_length(const ken_lex_doc *d)
{
    double sum = 0;
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        sum += d->len[f];
    return d->n_chunks && sum > 0 ? sum / d->n_chunks : 1;
}

static double length_of(const ken_lex_doc *d, uint32_t chunk)
{
    const uint16_t *len = d->lens.ptr + (size_t)chunk * KEN_FIELD_COUNT;
    return (double)len[KEN_FIELD_BODY] + len[KEN_FIELD_COMMENT] + len[KEN_FIELD_NAME];
}

static ken_tokenizer *new_tokenizer(void)
{
    ken_vocabulary words = ken_static_vocabulary(ken_static_builtin());
    return ken_tokenizer_new(&words);
}

// The cosine of each chunk, as if the index had it.
static float *cosines_of(const ken_bags *bags, ken_str path, const ken_vector_query *meaning,
                         ken_arena *arena)
{
    const ken_static_model *m = ken_static_builtin();
    uint32_t n = (uint32_t)bags->ends.len, n_dims = ken_static_n_dims(m);
    float *out = KEN_ARENA_ARRAY(arena, float, n + 1), along[KEN_VECTOR_MAX_DIMS];
    ken_static_rows rows = { 0 };
    ken_vector_matrix one;
    ken_static_embed_bags(m, bags, &rows);
    ken_static_embed_path(m, path, NULL, along);
    if (ken_vector_matrix_init(&one, n_dims, &n, 1)) {
        ken_vector_matrix_put(&one, 0, rows.values.ptr, rows.scales.ptr, along);
        ken_vector_rows(&one, meaning, 0, out);
        ken_vector_matrix_release(&one);
    }
    ken_static_rows_release(&rows);
    return out;
}

double *ken_query__score_fresh(ken_snapshot *s, const ken_lex_query *q, const query_text *t,
                               ken_str path, const ken_vector_query *meaning, ken_arena *arena,
                               float **out_cosines)
{
    uint32_t n = t->facts.n_chunks;
    double *out = KEN_ARENA_ARRAY(arena, double, n + 1);
    double *counts = KEN_ARENA_ARRAY(arena, double, (size_t)n *KEN_QUERY_TERMS + 1);
    ken_lex_doc doc = { 0 };
    if (!s->tokenizer)
        s->tokenizer = new_tokenizer();
    ken_tokenize(s->tokenizer, t->text, &t->facts, NULL, 0, &doc);
    for (size_t i = 0; i < doc.postings.len; i++) {
        const ken_posting *p = &doc.postings.ptr[i];
        int32_t term = term_number(q, p->key >> 24);
        if (term >= 0)
            counts[(p->key & 0xffffff) * KEN_QUERY_TERMS + (uint32_t)term] +=
                p->tf[KEN_FIELD_BODY] + 2.0 * p->tf[KEN_FIELD_NAME];
    }
    double average = average_length(&doc);
    for (uint32_t c = 0; c < n; c++) {
        double norm = 0.25 + 0.75 * length_of(&doc, c) / average;
        for (uint32_t i = 0; i < q->n_terms; i++) {
            double tf = counts[(size_t)c * KEN_QUERY_TERMS + i] / norm;
            out[c] += s->scores.chunk_idf[i] * tf / (tf + k);
        }
    }
    if (meaning && !*s->model) // a model that must be asked is not asked for a changed file
        *out_cosines = cosines_of(&doc.bags, path, meaning, arena);
    ken_lex_doc_release(&doc);
    return out;
}
