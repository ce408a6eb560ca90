// SPDX-License-Identifier: MIT
// The k nearest rows, in two steps when there are many. First the Hamming distance of the signs to
// every row: 16 to 32 bytes each, a tenth of what the values take. Its histogram gives the distance
// within which NEAR_SHARE of the rows lie, and those are scored with their values. The angle
// between two vectors is about pi times the share of differing signs (Charikar, "Similarity
// estimation techniques from rounding algorithms", STOC 2002), so what is cut off is far away: see
// README.md for the recall that was measured.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "simd/simd.h"
#include "vector/vector.h"

enum {
    EXACT_ROWS = 8192, // so many are all scored
    NEAR_SHARE = 24,   // one of so many rows is near …
    NEAR_MIN = 2048,   // … and at least so many
    BATCH = 512,
};

void ken_vector_query_init(ken_vector_query *q, const float *unit, uint32_t n_dims)
{
    float rest[KEN_VECTOR_MAX_DIMS];
    q->scale = ken_simd()->quantise(unit, n_dims, q->values);
    for (uint32_t d = 0; d < n_dims; d++)
        rest[d] = unit[d] - q->scale * (float)q->values[d];
    q->rest_scale = ken_simd()->quantise(rest, n_dims, q->rest);
    memset(q->bits, 0, n_dims / 8);
    for (uint32_t d = 0; d < n_dims; d++)
        q->bits[d / 64] |= (uint64_t)(q->values[d] < 0) << d % 64;
}

// The cosines of n <= BATCH rows from `row` on.
static void score(const ken_vector_matrix *m, const ken_vector_query *q, uint32_t row, uint32_t n,
                  float *out)
{
    const int8_t *rows = m->values + (size_t)row * m->n_dims;
    int32_t dots[BATCH], rests[BATCH];
    ken_simd()->dot_i8(q->values, rows, n, m->n_dims, dots);
    ken_simd()->dot_i8(q->rest, rows, n, m->n_dims, rests);
    for (uint32_t i = 0; i < n; i++)
        out[i] = ((float)dots[i] * q->scale + (float)rests[i] * q->rest_scale) * m->scales[row + i];
}

void ken_vector_rows(const ken_vector_matrix *m, const ken_vector_query *q, uint32_t file,
                     float *out)
{
    uint32_t end = m->first_row[file + 1], n;
    for (uint32_t row = m->first_row[file]; row < end; row += n, out += n) {
        n = end - row < BATCH ? end - row : BATCH;
        score(m, q, row, n, out);
    }
}

ken_vector_hit ken_vector_best(const ken_vector_matrix *m, const ken_vector_query *q, uint32_t file)
{
    ken_vector_hit best = { -1, file, m->first_row[file] };
    float scores[BATCH];
    uint32_t end = m->first_row[file + 1], n;
    for (uint32_t row = m->first_row[file]; row < end; row += n) {
        n = end - row < BATCH ? end - row : BATCH;
        score(m, q, row, n, scores);
        for (uint32_t i = 0; i < n; i++)
            if (scores[i] > best.score)
                best = (ken_vector_hit){ scores[i], file, row + i };
    }
    return best;
}

// ---- the k best --------------------------------------------------------------------------------

typedef struct best_of {
    ken_vector_hit *heap; // the root is the worst
    size_t n, k;
} best_of;

static bool is_worse(const ken_vector_hit *a, const ken_vector_hit *b)
{
    return a->score != b->score ? a->score < b->score : a->row > b->row;
}

static void sink(best_of *b, ken_vector_hit h)
{
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= b->n)
            break;
        if (child + 1 < b->n && is_worse(&b->heap[child + 1], &b->heap[child]))
            child++;
        if (!is_worse(&b->heap[child], &h))
            break;
        b->heap[at] = b->heap[child];
        at = child;
    }
    b->heap[at] = h;
}

static void offer(best_of *b, ken_vector_hit h)
{
    if (b->n == b->k) {
        if (is_worse(&b->heap[0], &h))
            sink(b, h);
        return;
    }
    size_t at = b->n++;
    for (; at && is_worse(&h, &b->heap[(at - 1) / 2]); at = (at - 1) / 2)
        b->heap[at] = b->heap[(at - 1) / 2];
    b->heap[at] = h;
}

static int best_first(const void *a, const void *b)
{
    const ken_vector_hit *x = a, *y = b;
    return is_worse(x, y) - is_worse(y, x);
}

// ---- which rows are looked at ------------------------------------------------------------------

typedef struct scan {
    const ken_vector_matrix *m;
    const ken_vector_query *q;
    ken_vector_filter *passes;
    const void *ctx;
    uint16_t *distance; // by row; NULL = all rows are near
    uint16_t most;      // distance of a near row
    bool by_file;
    best_of best;
    float *file_best; // by file, beside `touched`; NULL = the k best are wanted
    ken_vec_u32 *touched;
} scan;

static bool is_in(const scan *s, uint32_t file)
{
    return !s->passes || s->passes(s->ctx, file);
}

static size_t count_passing(const scan *s)
{
    size_t n = 0;
    if (!s->passes)
        return s->m->n_rows;
    for (uint32_t f = 0; f < s->m->n_files; f++)
        if (is_in(s, f))
            n += s->m->first_row[f + 1] - s->m->first_row[f];
    return n;
}

// Fills in distances and where to cut. Without memory everything is near.
static void measure(scan *s)
{
    const ken_vector_matrix *m = s->m;
    size_t n = count_passing(s);
    if (n <= EXACT_ROWS)
        return;
    s->distance = ken_try_alloc(ken_mul_size(m->n_rows, sizeof *s->distance));
    uint32_t *counts = ken_zalloc((m->n_dims + 1) * sizeof *counts);
    if (s->distance) {
        ken_simd()->hamming(s->q->bits, m->bits, m->n_rows, m->n_words, s->distance);
        for (uint32_t f = 0; f < m->n_files; f++)
            for (uint32_t row = m->first_row[f]; row < m->first_row[f + 1] && is_in(s, f); row++)
                counts[s->distance[row]]++;
        size_t want = n / NEAR_SHARE, sum = 0;
        want = want < NEAR_MIN ? NEAR_MIN : want;
        for (s->most = 0; s->most < m->n_dims && (sum += counts[s->most]) < want; s->most++)
            ;
    }
    ken_free(counts);
}

static void score_row(scan *s, uint32_t file, uint32_t row, ken_vector_hit *of_file)
{
    ken_vector_hit h = { 0, file, row };
    score(s->m, s->q, row, 1, &h.score);
    if (!s->by_file)
        offer(&s->best, h);
    else if (is_worse(of_file, &h))
        *of_file = h;
}

static size_t run(scan *s)
{
    const ken_vector_matrix *m = s->m;
    measure(s);
    for (uint32_t f = 0; f < m->n_files; f++) {
        uint32_t row = m->first_row[f], end = m->first_row[f + 1];
        if (row == end || !is_in(s, f))
            continue;
        ken_vector_hit of_file = { -2, f, UINT32_MAX };
        for (; row < end; row++)
            if (!s->distance || s->distance[row] <= s->most)
                score_row(s, f, row, &of_file);
        if (of_file.row == UINT32_MAX)
            continue;
        if (s->file_best) {
            s->file_best[f] = of_file.score;
            ken_vec_push(s->touched, f);
        } else {
            offer(&s->best, of_file);
        }
    }
    ken_free(s->distance);
    if (s->best.n)
        qsort(s->best.heap, s->best.n, sizeof *s->best.heap, best_first);
    return s->best.n;
}

size_t ken_vector_top(const ken_vector_matrix *m, const ken_vector_query *q,
                      ken_vector_filter *passes, const void *ctx, size_t k, ken_vector_hit *out)
{
    scan s = {
        .m = m, .q = q, .passes = passes, .ctx = ctx, .by_file = true, .best = { out, 0, k }
    };
    return k ? run(&s) : 0;
}

float ken_vector_near_files(const ken_vector_matrix *m, const ken_vector_query *q,
                            ken_vector_filter *passes, const void *ctx, float *best,
                            ken_vec_u32 *touched)
{
    scan s = { .m = m,
               .q = q,
               .passes = passes,
               .ctx = ctx,
               .by_file = true,
               .file_best = best,
               .touched = touched };
    run(&s);
    return s.most ? cosf((float)M_PI * (float)s.most / (float)m->n_dims) : -1;
}

size_t ken_vector_top_rows(const ken_vector_matrix *m, const ken_vector_query *q,
                           ken_vector_filter *passes, const void *ctx, size_t k,
                           ken_vector_hit *out)
{
    scan s = { .m = m, .q = q, .passes = passes, .ctx = ctx, .best = { out, 0, k } };
    return k ? run(&s) : 0;
}
