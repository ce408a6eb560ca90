// SPDX-License-Identifier: MIT
// A question in three steps: the lists of its terms are added up by row; the texts whose title is
// the question, the best by words and the nearest by meaning become candidates; these alone get
// both figures and a score. Near rows are found by the signs of the vectors first, as in `vector`:
// these take an eighth of the memory, and only rows that agree with the question in most signs are
// compared by value.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/best.h"
#include "recall/recall_priv.h"
#include "simd/simd.h"

enum {
    SPARE = 160,       // candidates of a kind beyond the limit: second in both may be first in all
    EXACT_ROWS = 8192, // so many rows are all compared by their values
    NEAR_SHARE = 48,   // else one of so many …
    NEAR_MIN = 2048,   // … and at least so many
    WIDER = 8,         // times as many when too few of them pass
    SAMPLE = 7,        // one of so many sums is counted
    LOOK = 64,         // rows that are compared together
    BATCH = 512,
};

typedef struct best_row {
    float score;
    uint32_t row;
    int64_t id;
} best_row;

// The best of those offered.
typedef struct best_rows {
    best_row *heap; // the root is the worst
    size_t n, most;
} best_rows;

typedef struct search {
    ken_recall *r;
    bool has_filter; // then rows of the top level pass
    uint8_t top;
    size_t n_passing;               // their rows are in r->passing
    uint64_t title;                 // the question as a title
    double weights;                 // the sum that a text could reach
    const ken_vector_query *vector; // NULL: it has no meaning
    best_rows best;
    uint32_t *rows; // candidates
    size_t n_rows;
} search;

// ---- the best ----------------------------------------------------------------------------------

static bool is_worse(const void *pa, const void *pb)
{
    const best_row *a = pa, *b = pb;
    return a->score != b->score ? a->score < b->score : a->id < b->id;
}

// The conditions that a row must meet.
static float floor_of(const best_rows *b)
{
    return b->n == b->most ? b->heap[0].score : FLT_MIN;
}

static void offer(search *s, uint32_t row, float score)
{
    best_rows *b = &s->best;
    best_row h = { score, row, s->r->ids.ptr[row] };
    ken_best_offer(b->heap, &b->n, b->most, sizeof h, is_worse, &h);
}

static void take_best(search *s)
{
    for (size_t i = 0; i < s->best.n; i++)
        s->rows[s->n_rows++] = s->best.heap[i].row;
    s->best.n = 0;
}

// ---- which texts -------------------------------------------------------------------------------

// Lifts the rows of a facet's list from one level to the next.
static void lift(ken_recall *r, uint32_t facet, uint8_t from, uint8_t to)
{
    const recall_list *l = ken_recall__find_list(&r->lists, RECALL_FACET_TERM | facet);
    for (uint32_t i = 0; l && i < l->len; i++) {
        uint8_t *level = &r->levels.ptr[l->at[i] >> RECALL_ROW_SHIFT];
        *level = *level == from ? to : *level;
    }
}

static bool passes(const search *s, uint32_t row)
{
    return !s->has_filter || s->r->levels.ptr[row] == s->top;
}

static void list_passing(search *s)
{
    ken_recall *r = s->r;
    size_t n = r->texts.len;
    ken_vec_reserve(&r->passing, n);
    for (size_t from = 0; from < n; from += LOOK) {
        size_t end = n - from < LOOK ? n : from + LOOK;
        if (!memchr(r->levels.ptr + from, s->top, end - from))
            continue;
        for (size_t row = from; row < end; row++) {
            r->passing.ptr[s->n_passing] = (uint32_t)row;
            s->n_passing += r->levels.ptr[row] == s->top;
        }
    }
}

// A row goes up by one with each facet that it must have, and by one with the first of `any`; those
// that come to the top pass. So a filter costs what the lists of its facets are long. Dead rows are
// still in lists, and are never offered.
static void sift(search *s, const ken_recall_filter *f)
{
    enum {
        OUT = UINT8_MAX
    };
    ken_recall *r = s->r;
    size_t n = r->texts.len;
    uint8_t level = 0;
    KEN_ASSERT(f->n_all <= KEN_RECALL_FACETS_MAX);
    ken_vec_reserve(&r->levels, n);
    memset(r->levels.ptr, 0, n);
    for (size_t i = 0; i < f->n_none; i++)
        lift(r, f->none[i], 0, OUT);
    for (size_t i = 0; i < f->n_all; i++, level++)
        lift(r, f->all[i], level, (uint8_t)(level + 1));
    for (size_t i = 0; i < f->n_any; i++)
        lift(r, f->any[i], level, (uint8_t)(level + 1));
    s->has_filter = true;
    s->top = (uint8_t)(level + (f->n_any > 0));
    list_passing(s);
}

// ---- candidates --------------------------------------------------------------------------------

// Whether one of LOOK or less rows has the title: one loop without a branch.
static bool has_title(const uint64_t *titles, size_t n, uint64_t title)
{
    bool is_any = false;
    for (size_t i = 0; i < n; i++)
        is_any |= titles[i] == title;
    return is_any;
}

static void take_titles(search *s)
{
    const uint64_t *titles = s->r->titles.ptr;
    size_t n = s->title ? s->r->titles.len : 0;
    for (size_t from = 0; from < n; from += LOOK) {
        size_t n_part = n - from < LOOK ? n - from : LOOK;
        if (!has_title(titles + from, n_part, s->title))
            continue;
        for (size_t row = from; row < from + n_part; row++)
            if (titles[row] == s->title && passes(s, (uint32_t)row))
                offer(s, (uint32_t)row, 1);
    }
    take_best(s);
}

static bool has_sum(const float *sums, size_t n, float floor)
{
    bool is_any = false;
    for (size_t i = 0; i < n; i++)
        is_any |= sums[i] >= floor;
    return is_any;
}

static void offer_sums(search *s, const float *sums)
{
    for (size_t end = s->r->texts.len; end > 0;) {
        size_t n = end < LOOK ? end : LOOK;
        end -= n;
        if (!has_sum(sums + end, n, floor_of(&s->best)))
            continue;
        for (size_t row = end + n; row-- > end;)
            if (sums[row] >= floor_of(&s->best))
                offer(s, (uint32_t)row, sums[row]);
    }
}

static void offer_passing_sums(search *s, const float *sums)
{
    for (size_t i = s->n_passing; i-- > 0;) {
        uint32_t row = s->r->passing.ptr[i];
        if (sums[row] >= floor_of(&s->best))
            offer(s, row, sums[row]);
    }
}

// From the end: of rows with one sum the later ones mostly have the larger
// ids, and who comes first is not driven out again. Dead rows have no sum.
static void take_sums(search *s, const float *sums)
{
    if (s->has_filter)
        offer_passing_sums(s, sums);
    else
        offer_sums(s, sums);
    take_best(s);
}

// The sum that about `want` rows reach.
static uint16_t least_sum(const search *s, size_t want)
{
    const ken_recall *r = s->r;
    uint32_t bins[KEN_VECTOR_BINS] = { 0 };
    for (size_t row = 0; row < r->texts.len; row += SAMPLE)
        bins[r->sign_sums.ptr[row] >> s->vector->bin_shift]++;
    return ken_vector_least(s->vector, bins, want / SAMPLE);
}

static size_t leave_passing(const search *s, uint32_t *rows, size_t n)
{
    size_t n_left = 0;
    for (size_t i = 0; i < n; i++) {
        rows[n_left] = rows[i];
        n_left += passes(s, rows[i]);
    }
    return n_left;
}

static void offer_near(search *s, const uint32_t *rows, size_t n)
{
    const ken_vector_matrix *m = &s->r->matrix;
    int32_t dots[BATCH];
    for (size_t from = 0; from < n; from += BATCH) {
        size_t n_batch = n - from < BATCH ? n - from : BATCH;
        ken_simd()->dot_i8(s->vector->values, m->values, rows + from, n_batch, m->n_dims, dots);
        for (size_t i = 0; i < n_batch; i++) {
            float score = (float)dots[i] * m->scales[rows[from + i]];
            if (score >= floor_of(&s->best))
                offer(s, rows[from + i], score);
        }
    }
}

// Of many texts only those whose signs agree best with the question.
static void take_near_of_many(search *s, size_t n_live)
{
    ken_recall *r = s->r;
    size_t n_rows = r->texts.len;
    size_t want = n_rows / NEAR_SHARE, least = NEAR_MIN * n_rows / n_live;
    ken_vec_reserve(&r->sign_sums, n_rows + KEN_SIMD_BLOCK);
    ken_vec_reserve(&r->near, n_rows);
    ken_vector_sum_signs(&r->matrix, s->vector, r->sign_sums.ptr);
    for (want = want < least ? least : want;; want *= WIDER) {
        uint16_t sum = want < n_rows ? least_sum(s, want) : 0;
        size_t n = ken_simd()->at_least(r->sign_sums.ptr, n_rows, sum, r->near.ptr);
        if (s->has_filter)
            n = leave_passing(s, r->near.ptr, n);
        if (n < s->best.most && want < n_rows)
            continue;
        offer_near(s, r->near.ptr, n);
        return;
    }
}

static void take_near(search *s)
{
    ken_recall *r = s->r;
    size_t n = s->has_filter ? s->n_passing : r->n_live;
    if (n > EXACT_ROWS) {
        take_near_of_many(s, n);
    } else if (s->has_filter) {
        offer_near(s, r->passing.ptr, n);
    } else {
        ken_vec_reserve(&r->near, r->texts.len);
        for (uint32_t row = 0; row < r->texts.len; row++)
            r->near.ptr[row] = row;
        offer_near(s, r->near.ptr, r->texts.len);
    }
    take_best(s);
}

// ---- scores ------------------------------------------------------------------------------------

static int by_row(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void leave_each_once(search *s)
{
    size_t n = 0;
    qsort(s->rows, s->n_rows, sizeof *s->rows, by_row);
    for (size_t i = 0; i < s->n_rows; i++)
        if (!n || s->rows[n - 1] != s->rows[i])
            s->rows[n++] = s->rows[i];
    s->n_rows = n;
}

// Cosines of up to BATCH candidates, with both bytes of the question, so that only what is kept is
// rounded.
static void compare(const search *s, const uint32_t *rows, size_t n, ken_recall_hit *out)
{
    const ken_vector_matrix *m = &s->r->matrix;
    int32_t whole[BATCH], rest[BATCH];
    ken_simd()->dot_i8(s->vector->values, m->values, rows, n, m->n_dims, whole);
    ken_simd()->dot_i8(s->vector->rest, m->values, rows, n, m->n_dims, rest);
    for (size_t i = 0; i < n; i++) {
        double dot = (double)whole[i] * (double)s->vector->scale +
                     (double)rest[i] * (double)s->vector->rest_scale;
        out[i].meaning = dot * (double)m->scales[rows[i]];
    }
}

static double share(float sum, double of)
{
    return of > 0 ? fmin(1, (double)sum / of) : 0;
}

static void score(const search *s, uint32_t row, ken_recall_hit *h)
{
    const ken_recall *r = s->r;
    double meaning = fmin(1, fmax(0, h->meaning));
    h->id = r->ids.ptr[row];
    h->words = share(r->sums.ptr[row], s->weights);
    h->score = KEN_RECALL_WORDS * h->words + (1 - KEN_RECALL_WORDS) * meaning;
    if (s->title && r->titles.ptr[row] == s->title)
        h->score = h->words = 1;
}

static int best_first(const void *a, const void *b)
{
    const ken_recall_hit *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return (x->id < y->id) - (x->id > y->id);
}

static size_t put_hits(const search *s, ken_recall_hit *out)
{
    size_t n = 0;
    for (size_t from = 0; s->vector && from < s->n_rows; from += BATCH) {
        size_t n_batch = s->n_rows - from < BATCH ? s->n_rows - from : BATCH;
        compare(s, s->rows + from, n_batch, out + from);
    }
    for (size_t i = 0; i < s->n_rows; i++) {
        score(s, s->rows[i], &out[i]);
        if (out[i].score > 0)
            out[n++] = out[i];
    }
    qsort(out, n, sizeof *out, best_first);
    return n;
}

static void add_up(search *s, ken_str query)
{
    ken_recall *r = s->r;
    ken_lex_query q;
    ken_lex_query_parse(query, &q);
    s->weights = ken_recall__add_words(r, &q);
    take_titles(s);
    take_sums(s, r->sums.ptr);
}

enum {
    KINDS = 3 // of candidates: titles, words, meaning
};

size_t ken_recall_search(ken_recall *r, ken_str query, const ken_recall_filter *filter,
                         size_t limit, ken_arena *arena, ken_recall_hit **out)
{
    *out = NULL;
    if (!r->n_live || !limit)
        return 0;
    search s = { .r = r };
    if (filter)
        sift(&s, filter);
    size_t n_texts = filter ? s.n_passing : r->n_live;
    if (!n_texts)
        return 0;
    s.best.most = limit < n_texts && limit + SPARE < n_texts ? limit + SPARE : n_texts;
    ken_recall_hit *hits = KEN_ARENA_ARRAY(arena, ken_recall_hit, KINDS * s.best.most);
    ken_arena_mark mark = ken_arena_get_mark(arena);
    s.best.heap = KEN_ARENA_ARRAY(arena, best_row, s.best.most);
    s.rows = KEN_ARENA_ARRAY(arena, uint32_t, KINDS * s.best.most);
    query = ken_str_sub(query, 0, KEN_RECALL_QUERY_MAX);
    float unit[KEN_VECTOR_MAX_DIMS];
    ken_vector_query vector;
    if (ken_static_embed_words(r->model, query, unit)) {
        ken_vector_query_init(&vector, unit, r->matrix.n_dims);
        s.vector = &vector;
        take_near(&s);
    }
    s.title = ken_recall__title_hash(query);
    add_up(&s, query);
    leave_each_once(&s);
    size_t n = put_hits(&s, hits);
    ken_arena_rewind(arena, mark);
    *out = hits;
    return n < limit ? n : limit;
}
