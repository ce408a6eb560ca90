// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "embed/embed_static.h"
#include "query/query_intent.h"
#include "query/query_pick.h"
#include "query/search/ranked_priv.h"

enum {
    CODE_BASE = '0',
};

// Found on the 26 repositories of the development half (docs/decisions/0031-picked-projects.md).
static const double has_it = 0.5;   // what a word counts in one content beside in many
static const double half_said = 8;  // contents with it that say half of what many say
static const double by_size = 0.75; // how far that goes with how many contents there are
static const double rank_base = 3;

static void add_word(ken_pick_question *q, const ken_query_term *t, ken_arena *arena)
{
    const uint32_t word = q->n_words++;
    q->weights[word] = t->weight;
    for (uint32_t level = 0; level < KEN_LEX_LEVELS; level++) {
        char *code = ken_arena_alloc(arena, KEN_PICK_CODE);
        code[0] = (char)(CODE_BASE + word);
        code[1] = (char)(CODE_BASE + level);
        for (uint32_t k = 0; k < t->n_lookups; k++) {
            q->entries[q->n] = ken_lex_entry(t->lookup[k], level);
            q->codes[q->n++] = ken_str_n(code, KEN_PICK_CODE);
        }
    }
}

static void read_meaning(ken_pick_question *q, ken_str text)
{
    const ken_static_model *m = ken_static_builtin();
    q->model = ken_static_name(m);
    if (ken_static_embed_words(m, text, q->unit))
        q->n_dims = ken_static_n_dims(m);
}

ken_status ken_pick_read(ken_str query, const ken_search_opts *opts, ken_arena *arena,
                         ken_pick_question *out, ken_err *err)
{
    ken_search_opts o;
    query_search x = { .o = &o };
    ken_lex_query q;
    *out = (ken_pick_question){ .n = 0 };
    ken_status st = ken_query__read_search(&query, opts, arena, &o, err);
    // A quoted text may be a part of words.
    if (st || o.phrases.n)
        return st;
    out->has_filters = o.language.len || o.kind || o.chunk_types || o.paths.n || o.other_paths.n ||
                       o.directory.len;
    const bool by_words = o.mode == KEN_SEARCH_AUTO || o.mode == KEN_SEARCH_LEXICAL;
    const bool by_meaning = o.mode == KEN_SEARCH_AUTO || o.mode == KEN_SEARCH_SEMANTIC;
    ken_str text = by_words || by_meaning ? ken_query__read_question(&x, query, &q) : query;
    for (uint32_t i = 0; by_words && i < q.n_terms; i++)
        add_word(out, &q.terms[i], arena);
    if (by_meaning && (out->n || !by_words))
        read_meaning(out, text);
    return KEN_OK;
}

// ---- scores ------------------------------------------------------------------------------------

// How many contents of an index have each word, about.
static void count(const ken_pick_question *q, const ken_pick_index *x, double out[KEN_QUERY_TERMS])
{
    for (uint32_t i = 0; i < q->n_words; i++)
        out[i] = 0;
    for (size_t i = 0; i + KEN_PICK_CODE <= x->codes.len; i += KEN_PICK_CODE) {
        uint32_t word = (uint32_t)(uint8_t)x->codes.ptr[i] - CODE_BASE;
        uint32_t level = (uint32_t)(uint8_t)x->codes.ptr[i + 1] - CODE_BASE;
        if (word < q->n_words && level < KEN_LEX_LEVELS)
            out[word] += ken_lex_level_contents(level);
    }
    for (uint32_t i = 0; i < q->n_words; i++)
        out[i] = fmin(out[i], (double)x->n_contents);
}

// As ranking has it: Robertson's idf, over all contents of these indexes.
static double idf(double n_contents, double n_with)
{
    return log1p((n_contents - n_with + 0.5) / (n_with + 0.5));
}

typedef struct counted {
    double n_contents, mean, all[KEN_QUERY_TERMS]; // contents with each word
} counted;

static counted count_all(const ken_pick_question *q, const ken_pick_index *list, size_t n)
{
    counted c = { .mean = 1 };
    double counts[KEN_QUERY_TERMS];
    size_t n_known = 0;
    for (size_t i = 0; i < n; i++) {
        count(q, &list[i], counts);
        c.n_contents += (double)list[i].n_contents;
        n_known += list[i].n_contents != 0;
        for (uint32_t t = 0; t < q->n_words; t++)
            c.all[t] += counts[t];
    }
    if (n_known)
        c.mean = c.n_contents / (double)n_known;
    return c;
}

static double score_words(const ken_pick_question *q, const counted *c, const ken_pick_index *x)
{
    double counts[KEN_QUERY_TERMS], score = 0;
    const double size = half_said * (1 - by_size + by_size * (double)x->n_contents / c->mean);
    count(q, x, counts);
    for (uint32_t t = 0; t < q->n_words; t++)
        if (counts[t] > 0)
            score += q->weights[t] * idf(c->n_contents, c->all[t]) *
                     (has_it + counts[t] / (counts[t] + size));
    return score;
}

typedef struct placed {
    double value;
    size_t at;
} placed;

static int by_value(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

// Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): each order gives its best the most.
static void add_order(placed *order, size_t n, ken_pick_index *list)
{
    if (n)
        qsort(order, n, sizeof *order, by_value);
    for (size_t i = 0; i < n; i++)
        list[order[i].at].score += 1 / (rank_base + (double)i);
}

void ken_pick_score(const ken_pick_question *q, ken_pick_index *list, size_t n)
{
    const counted c = count_all(q, list, n);
    placed *order = ken_alloc(ken_mul_size(n + 1, sizeof *order));
    size_t n_placed = 0;
    for (size_t i = 0; i < n; i++) {
        double score = score_words(q, &c, &list[i]);
        list[i].score = 0;
        if (score > 0)
            order[n_placed++] = (placed){ score, i };
    }
    add_order(order, n_placed, list);
    n_placed = 0;
    for (size_t i = 0; i < n; i++)
        if (list[i].distance >= 0)
            order[n_placed++] = (placed){ -list[i].distance, i };
    add_order(order, n_placed, list);
    ken_free(order);
}
