// SPDX-License-Identifier: MIT
// Segments come back as they were written; the scan finds what a plain comparison of floats finds.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ktest.h"
#include "refusal_lab.h"
#include "simd/simd.h"
#include "vector/vector.h"

enum {
    DIMS = 128,
    BLOCK = 4096
};

static const ken_vector_model model = { "test-model", DIMS };

static ken_status read_block(void *ctx, int64_t segment, uint32_t block, void *into, size_t *out_n,
                             ken_err *err)
{
    const ken_buf *b = ctx;
    (void)segment;
    ken_str part = ken_str_sub(ken_buf_str(b), (size_t)block * BLOCK, (size_t)(block + 1) * BLOCK);
    if (!part.len)
        return KEN_FAIL(err, KEN_ENOTFOUND, "no block %u", block);
    memcpy(into, part.ptr, part.len);
    *out_n = part.len;
    return KEN_OK;
}

static ken_block_source source_of(ken_buf *b)
{
    return (ken_block_source){ read_block, b, 1, b->len, BLOCK };
}

static void fill(int8_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (int8_t)(rand() % 255 - 127);
}

// ---- segments ----------------------------------------------------------------------------------

static void build(ken_buf *out)
{
    static int8_t values[100 * DIMS];
    float scales[100];
    srand(7);
    fill(values, sizeof values);
    for (int i = 0; i < 100; i++)
        scales[i] = (float)i / 50;
    ken_vector_builder *b = ken_vector_builder_new(&model);
    ken_vector_builder_add(b, 11, values, scales, 60);
    ken_vector_builder_add(b, 12, NULL, NULL, 0);
    ken_vector_builder_add(b, 900000000000, values + (size_t)60 * DIMS, scales + 60, 40);
    kt_eq_u(ken_vector_builder_n_contents(b), 3);
    ken_block_sink sink = ken_block_sink_of(out, BLOCK);
    kt_ok(ken_vector_builder_finish(b, &sink, NULL));
    kt_eq_u(ken_vector_builder_n_contents(b), 0);
    ken_vector_builder_free(b);
}

KEN_TEST(segments_join_content_by_content)
{
    ken_buf bytes = KEN_BUF_INIT(0), joined = KEN_BUF_INIT(0);
    build(&bytes);
    ken_block_source source = source_of(&bytes);
    ken_vector_input inputs[2] = { 0 };
    static const bool last_only[] = { false, false, true };
    for (int i = 0; i < 2; i++)
        kt_ok(ken_vector_segment_open(&source, &inputs[i].segment, NULL));
    inputs[0].is_live = last_only;
    ken_block_sink sink = ken_block_sink_of(&joined, BLOCK);
    kt_ok(ken_vector_merge(inputs, 2, &sink, NULL));
    ken_block_source from_joined = source_of(&joined);
    ken_vector_segment *s = NULL;
    kt_ok(ken_vector_segment_open(&from_joined, &s, NULL));
    uint32_t n, n_whole;
    const ken_vector_content *c = ken_vector_segment_contents(s, &n);
    const ken_vector_content *whole = ken_vector_segment_contents(inputs[1].segment, &n_whole);
    kt_eq_u(n, 4);
    for (uint32_t i = 0; i < n; i++) {
        const ken_vector_content *from = &whole[i ? i - 1 : 2];
        const int8_t *values, *want;
        const float *scales, *want_scales;
        kt_true(c[i].id == from->id);
        kt_eq_u(c[i].n_rows, from->n_rows);
        kt_ok(ken_vector_segment_rows(s, &c[i], &values, &scales, NULL));
        kt_ok(ken_vector_segment_rows(inputs[1].segment, from, &want, &want_scales, NULL));
        kt_true(!memcmp(values, want, (size_t)c[i].n_rows * DIMS));
        kt_true(!memcmp(scales, want_scales, c[i].n_rows * sizeof *scales));
    }
    ken_vector_segment_close(s);
    for (int i = 0; i < 2; i++)
        ken_vector_segment_close(inputs[i].segment);
    ken_buf_release(&joined);
    ken_buf_release(&bytes);
}

KEN_TEST(a_segment_comes_back_as_it_was_built)
{
    ken_buf bytes = KEN_BUF_INIT(0);
    build(&bytes);
    ken_block_source source = source_of(&bytes);
    ken_vector_segment *s = NULL;
    kt_ok(ken_vector_segment_open(&source, &s, NULL));
    kt_true(ken_vector_model_eq(ken_vector_segment_model(s), &model));
    uint32_t n;
    const ken_vector_content *c = ken_vector_segment_contents(s, &n);
    kt_eq_u(n, 3);
    kt_true(c[2].id == 900000000000 && c[2].n_rows == 40 && c[1].n_rows == 0);
    static int8_t want[100 * DIMS];
    srand(7);
    fill(want, sizeof want);
    const int8_t *values;
    const float *scales;
    kt_ok(ken_vector_segment_rows(s, &c[2], &values, &scales, NULL));
    kt_true(!memcmp(values, want + (size_t)60 * DIMS, (size_t)40 * DIMS));
    kt_true(fabsf(scales[39] - 99.0F / 50) < 1e-6F);
    kt_ok(ken_vector_segment_rows(s, &c[0], &values, &scales, NULL));
    kt_true(!memcmp(values, want, (size_t)60 * DIMS));
    ken_vector_segment_close(s);
    ken_buf_release(&bytes);
}

static ken_status open_and_close(void *ctx, ken_err *err)
{
    ken_block_source source = source_of(ctx);
    ken_vector_segment *s = NULL;
    ken_status st = ken_vector_segment_open(&source, &s, err);
    if (!st)
        ken_vector_segment_close(s);
    return st;
}

static void build_many(ken_buf *out, uint32_t n_contents, uint32_t n_rows)
{
    int8_t *values = ken_zalloc((size_t)n_rows * DIMS);
    float *scales = ken_zalloc(n_rows * sizeof *scales);
    ken_vector_builder *b = ken_vector_builder_new(&model);
    for (uint32_t c = 0; c < n_contents; c++)
        ken_vector_builder_add(b, c, values, scales, n_rows / n_contents);
    ken_block_sink sink = ken_block_sink_of(out, BLOCK);
    kt_ok(ken_vector_builder_finish(b, &sink, NULL));
    ken_vector_builder_free(b);
    ken_free(values);
    ken_free(scales);
}

KEN_TEST(memory_for_contents_and_scales_may_be_refused)
{
    enum {
        MANY = 50000
    };
    ken_buf bytes = KEN_BUF_INIT(0);
    build_many(&bytes, MANY, 0);
    lab_refuse_memory(open_and_close, &bytes, MANY * sizeof(ken_vector_content));
    ken_buf_release(&bytes);
    bytes = KEN_BUF_INIT(0);
    build_many(&bytes, 1, MANY);
    lab_refuse_memory(open_and_close, &bytes, MANY * sizeof(float));
    ken_buf_release(&bytes);
}

static ken_status make_matrix(void *ctx, ken_err *err)
{
    uint32_t *n_rows = ctx;
    ken_vector_matrix m;
    if (!ken_vector_matrix_init(&m, DIMS, n_rows, n_rows[0]))
        return KEN_FAIL(err, KEN_ENOMEM, "no memory");
    ken_vector_matrix_release(&m);
    return KEN_OK;
}

KEN_TEST(memory_for_a_matrix_may_be_refused)
{
    enum {
        MANY = 60000
    };
    uint32_t *n_rows = ken_zalloc(MANY * sizeof *n_rows);
    n_rows[0] = MANY; // rows of one file, and as many files
    lab_refuse_memory(make_matrix, n_rows, 2 * (size_t)MANY * sizeof(uint32_t));
    ken_free(n_rows);
}

KEN_TEST(damaged_segments_are_refused)
{
    ken_buf bytes = KEN_BUF_INIT(0);
    build(&bytes);
    static const size_t at[] = { 0, 4, 8, 12, 16, 17, 128 + 8, 128 + 12, 128 + 16 + 8, 192 + 3 };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        char old = bytes.ptr[at[i]];
        bytes.ptr[at[i]] = (char)(old ^ 0x7f);
        ken_block_source source = source_of(&bytes);
        ken_vector_segment *s = NULL;
        if (ken_vector_segment_open(&source, &s, NULL) != KEN_ECORRUPT)
            kt_fail("damage at byte %zu is not seen", at[i]);
        bytes.ptr[at[i]] = old;
    }
    for (size_t len = 1; len < bytes.len; len += 509) {
        ken_buf cut = bytes;
        cut.len = len;
        ken_block_source source = source_of(&cut);
        ken_vector_segment *s = NULL;
        kt_eq_i(ken_vector_segment_open(&source, &s, NULL), KEN_ECORRUPT);
    }
    ken_buf_release(&bytes);
}

KEN_TEST(impossible_values_are_refused)
{
    ken_buf bytes = KEN_BUF_INIT(0);
    build(&bytes);
    bytes.ptr[bytes.len - 5] = INT8_MIN;
    ken_block_source source = source_of(&bytes);
    ken_vector_segment *s = NULL;
    kt_ok(ken_vector_segment_open(&source, &s, NULL));
    uint32_t n;
    const ken_vector_content *c = ken_vector_segment_contents(s, &n);
    const int8_t *values;
    const float *scales;
    kt_ok(ken_vector_segment_rows(s, &c[0], &values, &scales, NULL));
    kt_eq_i(ken_vector_segment_rows(s, &c[2], &values, &scales, NULL), KEN_ECORRUPT);
    ken_vector_segment_close(s);
    ken_buf_release(&bytes);
}

// ---- the matrix --------------------------------------------------------------------------------

enum {
    FILES = 3000,
    ROWS_PER_FILE = 7
};

typedef struct lab {
    ken_vector_matrix m;
    float *floats; // n_rows x DIMS, of length 1: what is stored
} lab;

static float noise(void)
{
    float sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (float)rand() / (float)RAND_MAX - 0.5F;
    return sum;
}

static void unit(float *v)
{
    float square = 0;
    for (int d = 0; d < DIMS; d++)
        square += v[d] * v[d];
    for (int d = 0; d < DIMS; d++)
        v[d] /= sqrtf(square);
}

// Vectors around 40 subjects, as those of code are.
static void near_subject(float *v, int subject)
{
    unsigned next = (unsigned)rand();
    srand((unsigned)subject + 1000);
    for (int d = 0; d < DIMS; d++)
        v[d] = noise();
    srand(next);
    for (int d = 0; d < DIMS; d++)
        v[d] += 1.2F * noise();
    unit(v);
}

static void start(lab *l)
{
    srand(3);
    static uint32_t n_rows[FILES];
    for (int f = 0; f < FILES; f++)
        n_rows[f] = ROWS_PER_FILE;
    kt_true(ken_vector_matrix_init(&l->m, DIMS, n_rows, FILES));
    l->floats = ken_zalloc(sizeof(float) * FILES * ROWS_PER_FILE * DIMS);
    for (uint32_t f = 0; f < FILES; f++) {
        int8_t values[ROWS_PER_FILE * DIMS];
        float scales[ROWS_PER_FILE];
        for (int r = 0; r < ROWS_PER_FILE; r++) {
            float v[DIMS];
            near_subject(v, (int)f % 40);
            scales[r] = ken_simd()->quantise(v, DIMS, values + (size_t)r * DIMS);
        }
        ken_vector_matrix_put(&l->m, f, values, scales, NULL);
    }
    for (size_t i = 0; i < (size_t)FILES * ROWS_PER_FILE * DIMS; i++)
        l->floats[i] = l->m.scales[i / DIMS] * (float)l->m.values[i];
}

static void end(lab *l)
{
    ken_vector_matrix_release(&l->m);
    ken_free(l->floats);
}

static float cosine(const lab *l, uint32_t row, const float *q)
{
    float sum = 0;
    for (int d = 0; d < DIMS; d++)
        sum += l->floats[(size_t)row * DIMS + (size_t)d] * q[d];
    return sum;
}

// How many of the ten hits are at least as near as the tenth of a plain comparison.
static int agreeing(const lab *l, const float *q, const ken_vector_hit *hits, size_t n)
{
    float best[10];
    for (int i = 0; i < 10; i++)
        best[i] = -2;
    for (uint32_t row = 0; row < l->m.n_rows; row++) {
        float score = cosine(l, row, q);
        int at = 10;
        while (at && best[at - 1] < score)
            at--;
        if (at == 10)
            continue;
        memmove(best + at + 1, best + at, (size_t)(9 - at) * sizeof *best);
        best[at] = score;
    }
    int agree = 0;
    for (size_t i = 0; i < n; i++)
        agree += cosine(l, hits[i].row, q) >= best[9] - 1e-5F;
    return agree;
}

KEN_TEST(the_scan_finds_what_a_plain_comparison_finds)
{
    lab l;
    start(&l);
    int sum = 0;
    for (int i = 0; i < 100; i++) {
        float q[DIMS];
        near_subject(q, i % 40);
        ken_vector_query query;
        ken_vector_query_init(&query, q, DIMS);
        ken_vector_hit hits[10];
        size_t n = ken_vector_top_rows(&l.m, &query, NULL, NULL, 10, hits);
        kt_eq_u(n, 10);
        for (size_t k = 1; k < n; k++)
            kt_true(hits[k - 1].score >= hits[k].score);
        sum += agreeing(&l, q, hits, n);
    }
    if (sum < 990)
        kt_fail("recall@10 is %d of 1000", sum);
    end(&l);
}

KEN_TEST(scores_are_cosines)
{
    lab l;
    start(&l);
    float q[DIMS];
    memcpy(q, l.floats + (size_t)7 * DIMS, sizeof q);
    ken_vector_query query;
    ken_vector_query_init(&query, q, DIMS);
    ken_vector_hit hits[3];
    kt_eq_u(ken_vector_top(&l.m, &query, NULL, NULL, 3, hits), 3);
    kt_eq_u(hits[0].row, 7);
    kt_eq_u(hits[0].file, 1);
    kt_true(fabsf(hits[0].score - 1) < 0.01F);
    kt_true(hits[0].file != hits[1].file && hits[1].file != hits[2].file);
    static const uint32_t first_files[] = { 1, 0, 2 };
    float best[3];
    ken_vector_best(&l.m, &query, first_files, 3, best);
    kt_true(fabsf(best[0] - hits[0].score) < 2e-3F && best[1] < best[0] && best[2] < best[0]);
    static float file_best[FILES];
    ken_vec_u32 touched = { 0 };
    for (int f = 0; f < FILES; f++)
        file_best[f] = -1;
    float rest = ken_vector_near_files(&l.m, &query, NULL, NULL, file_best, &touched);
    kt_true(touched.len >= 300 && touched.len < FILES && rest < 0.7F);
    kt_true(fabsf(file_best[1] - best[0]) < 1e-6F);
    ken_vec_release(&touched);
    float rows[ROWS_PER_FILE];
    ken_vector_rows(&l.m, &query, 1, rows);
    kt_true(fabsf(rows[0] - best[0]) < 1e-6F);
    kt_true(fabsf(rows[3] - cosine(&l, 10, q)) < 0.01F);
    end(&l);
}

static bool odd_files(const void *ctx, uint32_t file)
{
    (void)ctx;
    return file % 2;
}

static bool few_files(const void *ctx, uint32_t file)
{
    return file == *(const uint32_t *)ctx;
}

KEN_TEST(filters_come_before_scoring)
{
    lab l;
    start(&l);
    float q[DIMS];
    near_subject(q, 4); // its files are all even
    ken_vector_query query;
    ken_vector_query_init(&query, q, DIMS);
    ken_vector_hit hits[50];
    size_t n = ken_vector_top(&l.m, &query, odd_files, NULL, 50, hits);
    kt_eq_u(n, 50);
    for (size_t i = 0; i < n; i++)
        kt_true(hits[i].file % 2 == 1);
    uint32_t only = 2999;
    n = ken_vector_top_rows(&l.m, &query, few_files, &only, 50, hits);
    kt_eq_u(n, ROWS_PER_FILE);
    kt_eq_u(ken_vector_top(&l.m, &query, NULL, NULL, 0, hits), 0);
    end(&l);
}

KEN_TEST(a_path_is_added_before_the_length_is_one)
{
    int8_t values[DIMS] = { 127 };
    float scale = 1.0F / 127, path[DIMS] = { 0 }, q[DIMS] = { 0 };
    path[1] = q[1] = 1;
    ken_vector_matrix m, copy;
    static const uint32_t n_rows[] = { 1, 0, 1 };
    kt_true(ken_vector_matrix_init(&m, DIMS, n_rows, 3));
    ken_vector_matrix_put(&m, 0, values, &scale, path);
    ken_vector_matrix_put(&m, 1, NULL, NULL, NULL);
    ken_vector_matrix_put(&m, 2, values, &scale, NULL);
    kt_true(ken_vector_matrix_init(&copy, DIMS, n_rows, 3));
    for (uint32_t f = 0; f < 3; f++)
        ken_vector_matrix_copy(&copy, f, &m, f);
    ken_vector_query query;
    ken_vector_query_init(&query, q, DIMS);
    static const uint32_t files[] = { 0, 1, 2 };
    float best[3], best_copy[3];
    ken_vector_best(&m, &query, files, 3, best);
    ken_vector_best(&copy, &query, files, 3, best_copy);
    kt_true(fabsf(best[0] - sqrtf(0.5F)) < 0.01F);
    kt_true(best[1] == -1);
    kt_true(fabsf(best_copy[2]) < 0.01F);
    ken_vector_hit hits[3];
    kt_eq_u(ken_vector_top(&copy, &query, NULL, NULL, 3, hits), 2);
    kt_eq_u(hits[0].file, 0);
    ken_vector_matrix_release(&m);
    ken_vector_matrix_release(&copy);
}
