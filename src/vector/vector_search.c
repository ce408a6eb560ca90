// SPDX-License-Identifier: MIT
// The k nearest rows, in two steps when there are many. First every row is compared by its signs
// alone: the question's values, each added or subtracted by the row's sign. That is an eighth
// of what the values take, and tells near from far well, for only the row is rounded (see README.md
// for the recall that was measured). The signs of 64 rows lie together, so that one instruction
// looks up what four signs of each add: André, Kermarrec and Le Scouarnec, "Cache locality is not
// enough: high-performance nearest neighbor search with product quantization fast scan", VLDB 2015.
// A sample of these sums gives the one that a row of `share` reaches, and those rows are scored
// with their values.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/best.h"
#include "simd/simd.h"
#include "vector/vector.h"

enum {
    EXACT_ROWS = 8192, // so many are all scored
    NEAR_SHARE = 32,   // one of so many rows is near …
    NEAR_MIN = 8192,   // … and at least so many
    FILES_SHARE = 96,  // when files are wanted, whose other rows are scored afterwards
    FILES_MIN = 2048,
    SAMPLE = 13,     // one of so many blocks of rows is counted
    TABLE_MAX = 127, // two of them fit into a byte
    SUM_MAX = UINT16_MAX,
    SPARE = 32, // hits beyond k that are scored again with the whole question
    BATCH = 512,
    STRIDE = 4096,
};

// The contribution of four signs to a sum: at least 0, at most twice what the values have, times `factor`.
static void set_table(const int8_t *four, float factor, uint8_t *table)
{
    int most = abs(four[0]) + abs(four[1]) + abs(four[2]) + abs(four[3]);
    for (int code = 0; code < 16; code++) {
        int sum = most;
        for (int i = 0; i < 4; i++)
            sum += code >> i & 1 ? -four[i] : four[i];
        table[code] = (uint8_t)lrintf(factor * (float)sum);
    }
}

static void set_tables(ken_vector_query *q, uint32_t n_dims)
{
    int most = 1, all = 1;
    for (uint32_t d = 0; d < n_dims; d += 4) {
        int four = 0;
        for (int i = 0; i < 4; i++)
            four += 2 * abs(q->values[d + (uint32_t)i]);
        most = four > most ? four : most;
        all += four;
    }
    // Rounding may add a half to each table.
    float factor =
        fminf((float)TABLE_MAX / (float)most, ((float)SUM_MAX - (float)n_dims / 8) / (float)all);
    for (uint32_t d = 0; d < n_dims; d += 4)
        set_table(q->values + d, factor, q->tables + (size_t)d * 4);
    q->middle = (uint32_t)(factor * (float)all / 2);
    q->bin_shift = 0;
    while ((2 * q->middle + n_dims / 8) >> q->bin_shift >= KEN_VECTOR_BINS)
        q->bin_shift++;
}

void ken_vector_query_init(ken_vector_query *q, const float *unit, uint32_t n_dims)
{
    float rest[KEN_VECTOR_MAX_DIMS];
    q->scale = ken_simd()->quantise(unit, n_dims, q->values);
    for (uint32_t d = 0; d < n_dims; d++)
        rest[d] = unit[d] - q->scale * (float)q->values[d];
    q->rest_scale = ken_simd()->quantise(rest, n_dims, q->rest);
    set_tables(q, n_dims);
}

static void sum_blocks(const ken_vector_matrix *m, const ken_vector_query *q, size_t first,
                       size_t n, uint16_t *out)
{
    size_t n_bytes = m->n_dims / 8;
    ken_simd()->sum_signs(q->tables, m->signs + first * n_bytes * KEN_SIMD_BLOCK, n, n_bytes, out);
}

static size_t blocks_of(size_t n_rows)
{
    return (n_rows + KEN_SIMD_BLOCK - 1) / KEN_SIMD_BLOCK;
}

void ken_vector_sum_signs(const ken_vector_matrix *m, const ken_vector_query *q, uint16_t *out)
{
    sum_blocks(m, q, 0, blocks_of(m->n_rows), out);
}

uint16_t ken_vector_least(const ken_vector_query *q, const uint32_t bins[KEN_VECTOR_BINS],
                          size_t want)
{
    size_t sum = 0, bin = KEN_VECTOR_BINS;
    while (bin && sum < want)
        sum += bins[--bin];
    return (uint16_t)(bin << q->bin_shift);
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

// Rows that are scored together, and for whom.
typedef struct batch {
    uint32_t rows[BATCH], owners[BATCH];
    uint32_t n;
} batch;

static void score_owners(const ken_vector_matrix *m, const ken_vector_query *q, batch *b,
                         float *out)
{
    int32_t dots[BATCH];
    ken_simd()->dot_i8(q->values, m->values, b->rows, b->n, m->n_dims, dots);
    for (uint32_t i = 0; i < b->n; i++) {
        float score = (float)dots[i] * q->scale * m->scales[b->rows[i]];
        if (score > out[b->owners[i]])
            out[b->owners[i]] = score;
    }
    b->n = 0;
}

void ken_vector_best(const ken_vector_matrix *m, const ken_vector_query *q, const uint32_t *files,
                     size_t n, float *out)
{
    batch b;
    b.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = -1;
        for (uint32_t row = m->first_row[files[i]]; row < m->first_row[files[i] + 1]; row++) {
            b.rows[b.n] = row;
            b.owners[b.n++] = i;
            if (b.n == BATCH)
                score_owners(m, q, &b, out);
        }
    }
    score_owners(m, q, &b, out);
}

// ---- the k best --------------------------------------------------------------------------------

typedef struct best_of {
    ken_vector_hit *heap; // the root is the worst
    size_t n, k;
} best_of;

static bool is_worse(const void *pa, const void *pb)
{
    const ken_vector_hit *a = pa, *b = pb;
    return a->score != b->score ? a->score < b->score : a->row > b->row;
}

static void offer(best_of *b, ken_vector_hit h)
{
    ken_best_offer(b->heap, &b->n, b->k, sizeof h, is_worse, &h);
}

static int best_first(const void *a, const void *b)
{
    const ken_vector_hit *x = a, *y = b;
    return is_worse(x, y) - is_worse(y, x);
}

// ---- selecting rows ----------------------------------------------------------------------------

typedef struct scan {
    const ken_vector_matrix *m;
    const ken_vector_query *q;
    ken_vector_filter *passes;
    const void *ctx;
    uint8_t *is_in;    // by file: may be in the answer; NULL = all may
    bool has_least;    // else all rows are near
    uint16_t least;    // sum of a near row
    size_t share, min; // one of so many rows is near, and at least so many
    bool by_file;
    best_of best;
    float *file_best; // by file, beside `touched`; NULL = the k best are wanted
    ken_vec_u32 *touched;
    double sums, scores; // of the near rows
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

static inline void count_sum(const scan *s, uint16_t sum, uint32_t *bins)
{
    bins[sum >> s->q->bin_shift]++;
}

// Counts the sums of some blocks; returns one of how many rows that was.
static size_t count_some(const scan *s, uint32_t *bins)
{
    const ken_vector_matrix *m = s->m;
    size_t n_blocks = m->n_rows / KEN_SIMD_BLOCK; // whole ones
    uint16_t sums[KEN_SIMD_BLOCK];
    for (size_t block = 0; block < n_blocks; block += SAMPLE) {
        sum_blocks(m, s->q, block, 1, sums);
        for (size_t i = 0; i < KEN_SIMD_BLOCK; i++)
            count_sum(s, sums[i], bins);
    }
    return SAMPLE;
}

// Counts the sums of all rows that may be in the answer.
static size_t count_passing(const scan *s, uint32_t *bins)
{
    const ken_vector_matrix *m = s->m;
    size_t n_blocks = blocks_of(m->n_rows);
    uint16_t sums[KEN_SIMD_BLOCK];
    uint32_t row = 0, file = 0;
    for (size_t block = 0; block < n_blocks; block++) {
        sum_blocks(m, s->q, block, 1, sums);
        for (size_t i = 0; i < KEN_SIMD_BLOCK && row < m->n_rows; i++, row++) {
            while (m->first_row[file + 1] <= row)
                file++;
            if (s->is_in[file])
                count_sum(s, sums[i], bins);
        }
    }
    return 1;
}

// Finds where to cut: by a sample when nothing is filtered.
static void measure(scan *s)
{
    size_t n = ask_filter(s), want = n / s->share;
    if (n <= EXACT_ROWS)
        return;
    uint32_t bins[KEN_VECTOR_BINS] = { 0 };
    size_t of = s->is_in ? count_passing(s, bins) : count_some(s, bins);
    s->least = ken_vector_least(s->q, bins, (want < s->min ? s->min : want) / of);
    s->has_least = true;
}

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
        s->scores += (double)score;
        take(s, (ken_vector_hit){ score, b->owners[i], b->rows[i] }, of_file);
    }
    b->n = 0;
}

// Rows that are compared together, from a multiple of a block on.
typedef struct stripe {
    uint32_t first, n, n_near;
    uint32_t near[STRIDE]; // from `first` on, ascending
    uint16_t sums[STRIDE];
} stripe;

static void find_near(const scan *s, stripe *t)
{
    if (s->has_least) {
        sum_blocks(s->m, s->q, t->first / KEN_SIMD_BLOCK, blocks_of(t->n), t->sums);
        t->n_near = (uint32_t)ken_simd()->at_least(t->sums, t->n, s->least, t->near);
        return;
    }
    memset(t->sums, 0, sizeof t->sums);
    for (t->n_near = 0; t->n_near < t->n; t->n_near++)
        t->near[t->n_near] = t->n_near;
}

// Scores those of the near rows whose file may be in the answer. `file`: of the row before.
static void take_near(scan *s, const stripe *t, uint32_t *file, batch *b, ken_vector_hit *of_file)
{
    const ken_vector_matrix *m = s->m;
    for (uint32_t i = 0; i < t->n_near; i++) {
        uint32_t row = t->first + t->near[i];
        while (m->first_row[*file + 1] <= row)
            ++*file;
        if (s->is_in && !s->is_in[*file])
            continue;
        s->sums += (double)t->sums[t->near[i]] - (double)s->q->middle;
        b->rows[b->n] = row;
        b->owners[b->n++] = *file;
        if (b->n == BATCH)
            score_batch(s, b, of_file);
    }
}

static void scan_rows(scan *s)
{
    const ken_vector_matrix *m = s->m;
    ken_vector_hit of_file = { -2, UINT32_MAX, UINT32_MAX };
    uint32_t file = 0;
    stripe t;
    batch b;
    b.n = 0;
    measure(s);
    for (t.first = 0; t.first < m->n_rows; t.first += STRIDE) {
        t.n = m->n_rows - t.first < STRIDE ? m->n_rows - t.first : STRIDE;
        find_near(s, &t);
        take_near(s, &t, &file, &b, &of_file);
    }
    score_batch(s, &b, &of_file);
    if (s->by_file && !s->file_best && of_file.row != UINT32_MAX)
        offer(&s->best, of_file);
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
    scan s = { .m = m,
               .q = q,
               .passes = passes,
               .ctx = ctx,
               .share = NEAR_SHARE,
               .min = NEAR_MIN,
               .by_file = true };
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
               .min = FILES_MIN,
               .by_file = true,
               .file_best = best,
               .touched = touched };
    scan_rows(&s);
    // Where the cut is, the cosine is about what it is of the near rows, in proportion to the sum.
    double cut = s.least - (double)q->middle;
    return s.has_least && s.sums > 0 ? (float)(s.scores / s.sums * cut) : -1;
}

size_t ken_vector_top_rows(const ken_vector_matrix *m, const ken_vector_query *q,
                           ken_vector_filter *passes, const void *ctx, size_t k,
                           ken_vector_hit *out)
{
    scan s = { .m = m, .q = q, .passes = passes, .ctx = ctx, .share = NEAR_SHARE, .min = NEAR_MIN };
    return top(&s, k, out);
}
