// SPDX-License-Identifier: MIT
// The k nearest rows, in two steps when there are many. First the Hamming distance of the signs to
// every row: an eighth of what the values take. A histogram of them, of a sample when nothing is
// filtered, gives the distance within which one row of `share` lies, and those are scored with
// their values. The angle
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
    SAMPLE = 7,        // one of so many distances is counted
    FILES_SHARE = 96,  // when files are wanted, whose other rows are scored afterwards
    SPARE = 32,        // hits beyond k that are scored again with the whole question
    BATCH = 512,
    STRIDE = 4096,
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

// About the cosines of rows: the question rounded to one byte per dimension.
static void score(const ken_vector_matrix *m, const ken_vector_query *q, uint32_t first, uint32_t n,
                  float *out)
{
    int32_t dots[BATCH];
    ken_simd()->dot_i8(q->values, m->values + (size_t)first * m->n_dims, NULL, n, m->n_dims, dots);
    for (uint32_t i = 0; i < n; i++)
        out[i] = (float)dots[i] * q->scale * m->scales[first + i];
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
    uint8_t *is_in;     // by file: may be in the answer; NULL = all may
    uint16_t *distance; // by row; NULL = all rows are near
    uint16_t most;      // distance of a near row
    size_t share;       // one of so many rows is near
    bool by_file;
    best_of best;
    float *file_best; // by file, beside `touched`; NULL = the k best are wanted
    ken_vec_u32 *touched;
} scan;

// Asks once for each file; returns how many rows may be in the answer.
static size_t ask_filter(scan *s)
{
    const ken_vector_matrix *m = s->m;
    size_t n = 0;
    if (!s->passes)
        return m->n_rows;
    s->is_in = ken_alloc(m->n_files + (size_t)1);
    for (uint32_t f = 0; f < m->n_files; f++) {
        uint32_t n_rows = m->first_row[f + 1] - m->first_row[f];
        s->is_in[f] = n_rows && s->passes(s->ctx, f);
        n += s->is_in[f] ? n_rows : 0;
    }
    return n;
}

static void count_all(const scan *s, uint32_t *counts)
{
    const ken_vector_matrix *m = s->m;
    for (uint32_t f = 0; f < m->n_files; f++)
        for (uint32_t row = m->first_row[f]; row < m->first_row[f + 1] && s->is_in[f]; row++)
            counts[s->distance[row]]++;
}

// Fills in distances and where to cut: by a sample when nothing is filtered. Without memory all
// rows are near.
static void measure(scan *s)
{
    const ken_vector_matrix *m = s->m;
    size_t n = ask_filter(s);
    if (n <= EXACT_ROWS)
        return;
    s->distance = ken_try_alloc(ken_mul_size(m->n_rows, sizeof *s->distance));
    if (!s->distance)
        return;
    uint32_t *counts = ken_zalloc((m->n_dims + 1) * sizeof *counts), step = s->is_in ? 1 : SAMPLE;
    ken_simd()->hamming(s->q->bits, m->bits, m->n_rows, m->n_words, s->distance);
    if (s->is_in)
        count_all(s, counts);
    for (uint32_t row = 0; row < m->n_rows && !s->is_in; row += SAMPLE)
        counts[s->distance[row]]++;
    size_t want = n / s->share, sum = 0;
    want = (want < NEAR_MIN ? NEAR_MIN : want) / step;
    for (s->most = 0; s->most < m->n_dims && (sum += counts[s->most]) < want; s->most++)
        ;
    ken_free(counts);
}

// Rows that are scored together, with their files.
typedef struct batch {
    uint32_t rows[BATCH], files[BATCH];
    size_t n;
} batch;

static void take(scan *s, ken_vector_hit h, ken_vector_hit *of_file)
{
    if (!s->by_file) {
        offer(&s->best, h);
        return;
    }
    if (of_file->file != h.file) {
        if (of_file->row != UINT32_MAX && !s->file_best)
            offer(&s->best, *of_file);
        *of_file = h;
        if (s->file_best)
            ken_vec_push(s->touched, h.file);
    } else if (is_worse(of_file, &h)) {
        *of_file = h;
    }
    if (s->file_best)
        s->file_best[h.file] = of_file->score;
}

static void score_batch(scan *s, batch *b, ken_vector_hit *of_file)
{
    const ken_vector_matrix *m = s->m;
    int32_t dots[BATCH];
    ken_simd()->dot_i8(s->q->values, m->values, b->rows, b->n, m->n_dims, dots);
    for (size_t i = 0; i < b->n; i++) {
        float score = (float)dots[i] * s->q->scale * m->scales[b->rows[i]];
        take(s, (ken_vector_hit){ score, b->files[i], b->rows[i] }, of_file);
    }
    b->n = 0;
}

// Scores those of the rows, ascending, whose file may be in the answer. `file`: of the row before.
static void take_rows(scan *s, const uint32_t *rows, size_t n, uint32_t *file, batch *b,
                      ken_vector_hit *of_file)
{
    const ken_vector_matrix *m = s->m;
    for (size_t i = 0; i < n; i++) {
        while (m->first_row[*file + 1] <= rows[i])
            ++*file;
        if (s->is_in && !s->is_in[*file])
            continue;
        b->rows[b->n] = rows[i];
        b->files[b->n++] = *file;
        if (b->n == BATCH)
            score_batch(s, b, of_file);
    }
}

static void scan_rows(scan *s)
{
    const ken_vector_matrix *m = s->m;
    ken_vector_hit of_file = { -2, UINT32_MAX, UINT32_MAX };
    uint32_t rows[STRIDE], file = 0;
    batch b;
    b.n = 0;
    measure(s);
    for (uint32_t first = 0; first < m->n_rows; first += STRIDE) {
        uint32_t n = m->n_rows - first < STRIDE ? m->n_rows - first : STRIDE;
        size_t n_near = n;
        if (s->distance)
            n_near = ken_simd()->at_most(s->distance + first, n, s->most, rows);
        for (size_t i = 0; i < n_near; i++)
            rows[i] = first + (s->distance ? rows[i] : (uint32_t)i);
        take_rows(s, rows, n_near, &file, &b, &of_file);
    }
    score_batch(s, &b, &of_file);
    if (s->by_file && !s->file_best && of_file.row != UINT32_MAX)
        offer(&s->best, of_file);
    ken_free(s->distance);
    ken_free(s->is_in);
}

// The k best of somewhat more, scored again with both bytes of the question.
static size_t top(scan *s, size_t k, ken_vector_hit *out)
{
    const ken_vector_matrix *m = s->m;
    if (!k)
        return 0;
    s->best.k = k + SPARE;
    s->best.heap = ken_alloc(ken_mul_size(s->best.k, sizeof *s->best.heap));
    scan_rows(s);
    for (size_t i = 0; i < s->best.n; i++) {
        ken_vector_hit *h = &s->best.heap[i];
        int32_t rest;
        ken_simd()->dot_i8(s->q->rest, m->values, &h->row, 1, m->n_dims, &rest);
        h->score += (float)rest * s->q->rest_scale * m->scales[h->row];
    }
    if (s->best.n)
        qsort(s->best.heap, s->best.n, sizeof *s->best.heap, best_first);
    size_t n = s->best.n < k ? s->best.n : k;
    if (n)
        memcpy(out, s->best.heap, n * sizeof *out);
    ken_free(s->best.heap);
    return n;
}

size_t ken_vector_top(const ken_vector_matrix *m, const ken_vector_query *q,
                      ken_vector_filter *passes, const void *ctx, size_t k, ken_vector_hit *out)
{
    scan s = { .m = m, .q = q, .passes = passes, .ctx = ctx, .share = NEAR_SHARE, .by_file = true };
    return top(&s, k, out);
}

float ken_vector_near_files(const ken_vector_matrix *m, const ken_vector_query *q,
                            ken_vector_filter *passes, const void *ctx, float *best,
                            ken_vec_u32 *touched)
{
    scan s = { .m = m,
               .q = q,
               .passes = passes,
               .ctx = ctx,
               .share = FILES_SHARE,
               .by_file = true,
               .file_best = best,
               .touched = touched };
    scan_rows(&s);
    return s.most ? cosf((float)M_PI * (float)s.most / (float)m->n_dims) : -1;
}

size_t ken_vector_top_rows(const ken_vector_matrix *m, const ken_vector_query *q,
                           ken_vector_filter *passes, const void *ctx, size_t k,
                           ken_vector_hit *out)
{
    scan s = { .m = m, .q = q, .passes = passes, .ctx = ctx, .share = NEAR_SHARE };
    return top(&s, k, out);
}
