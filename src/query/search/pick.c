// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "embed/embed_static.h"
#include "query/query_intent.h"
#include "query/query_pick.h"
#include "query/search/ranked_priv.h"

enum {
    CODE_BASE = '0',
    UNTOLD_SHARE =
        4, // of what is asked, a quarter at least has room for those whose words are not known
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

static void sort(placed *order, size_t n)
{
    if (n)
        qsort(order, n, sizeof *order, by_value);
}

// Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): each order gives its best the most.
static void add_order(placed *order, size_t n, double *scores)
{
    sort(order, n);
    for (size_t i = 0; i < n; i++)
        scores[order[i].at] += 1 / (rank_base + (double)i);
}

// 0 = neither a word nor a near vector. `order` has room for n. Returns how many have a near vector.
static size_t score(const ken_pick_question *q, const ken_pick_index *list, size_t n, placed *order,
                    double *out)
{
    const counted c = count_all(q, list, n);
    size_t n_words = 0, n_near = 0;
    for (size_t i = 0; i < n; i++) {
        double words = score_words(q, &c, &list[i]);
        if (words > 0)
            order[n_words++] = (placed){ words, i };
        out[i] = 0;
    }
    add_order(order, n_words, out);
    for (size_t i = 0; i < n; i++)
        if (list[i].distance >= 0)
            order[n_near++] = (placed){ -list[i].distance, i };
    add_order(order, n_near, out);
    return n_near;
}

// ---- choosing ----------------------------------------------------------------------------------

static int by_place(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

void ken_pick_choose(const ken_pick_question *q, const ken_pick_index *list, size_t n, size_t most,
                     ken_arena *arena, ken_picked *out)
{
    placed *with = KEN_ARENA_ARRAY(arena, placed, n + 1),
           *untold = KEN_ARENA_ARRAY(arena, placed, n + 1);
    double *scores = KEN_ARENA_ARRAY(arena, double, n + 1);
    ken_picked p = { .at = KEN_ARENA_ARRAY(arena, size_t, n + 1),
                     .untold = KEN_ARENA_ARRAY(arena, size_t, n + 1),
                     .by_words = q->n != 0 };
    p.by_vectors = score(q, list, n, with, scores) != 0;
    *out = (ken_picked){ .is_all = !p.by_words && !p.by_vectors };
    if (out->is_all)
        return;
    for (size_t i = 0; i < n; i++) {
        if (list[i].is_untold)
            untold[p.n_untold++] = (placed){ scores[i], i };
        else if (scores[i] > 0)
            with[p.n_with++] = (placed){ scores[i], i };
    }
    sort(with, p.n_with);
    sort(untold, p.n_untold);
    const size_t room = most > p.n_with ? most - p.n_with : 0, share = most / UNTOLD_SHARE;
    for (size_t i = 0; i < p.n_untold; i++) {
        p.untold[i] = untold[i].at;
        if (i < (room > share ? room : share))
            p.at[p.n++] = untold[i].at;
    }
    for (size_t i = 0; i < p.n_with && p.n < most; i++)
        p.at[p.n++] = with[i].at;
    if (p.n)
        qsort(p.at, p.n, sizeof *p.at, by_place);
    *out = p;
}
