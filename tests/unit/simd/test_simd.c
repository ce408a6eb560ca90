// SPDX-License-Identifier: MIT
// Every set of kernels that this processor has computes what the portable one does.
#include <math.h>
#include <stdlib.h>

#include "ktest.h"
#include "simd/simd.h"

enum {
    ROWS = 37, // no multiple of anything a kernel takes at a time
    MAX_DIMS = 768
};

static int8_t table[ROWS * MAX_DIMS];
static float floats[MAX_DIMS], others[MAX_DIMS];
static const size_t sizes[] = { 32, 64, 96, 128, 192, 256, 384, 768 };

static void fill(unsigned seed)
{
    srand(seed);
    for (size_t i = 0; i < sizeof table; i++)
        table[i] = (int8_t)(rand() % 255 - 127);
    for (size_t d = 0; d < MAX_DIMS; d++) {
        floats[d] = (float)(rand() % 2001 - 1000) / 700;
        others[d] = (float)(rand() % 2001 - 1000) / 300;
    }
}

#define EACH_SET(ops)                                              \
    size_t n_sets;                                                 \
    const ken_simd_ops *const *sets = ken_simd_all(&n_sets);       \
    const ken_simd_ops *reference = sets[0];                       \
    for (size_t set = 0; set < n_sets; set++)                      \
        for (const ken_simd_ops *ops = sets[set]; ops; ops = NULL) \
            for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)

KEN_TEST(dot_products_of_bytes_are_exact)
{
    fill(1);
    EACH_SET(ops)
    {
        int32_t want[ROWS], got[ROWS];
        reference->dot_i8(table, table, NULL, ROWS, sizes[size], want);
        ops->dot_i8(table, table, NULL, ROWS, sizes[size], got);
        for (int i = 0; i < ROWS; i++)
            if (want[i] != got[i])
                kt_fail("%s, %zu dims: row %d is %d, not %d", ops->name, sizes[size], i, got[i],
                        want[i]);
    }
}

KEN_TEST(rows_are_taken_from_where_they_are)
{
    static const uint32_t at[] = { 36, 0, 17, 17 };
    fill(6);
    EACH_SET(ops)
    {
        int32_t all[ROWS], got[4];
        reference->dot_i8(table, table, NULL, ROWS, sizes[size], all);
        ops->dot_i8(table, table, at, 4, sizes[size], got);
        for (int i = 0; i < 4; i++)
            kt_eq_i(got[i], all[at[i]]);
    }
}

KEN_TEST(the_largest_bytes_do_not_saturate)
{
    static int8_t high[MAX_DIMS], low[MAX_DIMS];
    memset(high, 127, sizeof high);
    memset(low, -127, sizeof low);
    EACH_SET(ops)
    {
        int32_t got;
        int32_t most = 127 * 127 * (int32_t)sizes[size];
        ops->dot_i8(high, high, NULL, 1, sizes[size], &got);
        kt_eq_i(got, most);
        ops->dot_i8(low, high, NULL, 1, sizes[size], &got);
        kt_eq_i(got, -most);
        ops->dot_i8(low, low, NULL, 1, sizes[size], &got);
        kt_eq_i(got, most);
    }
    (void)reference;
}

enum {
    BLOCKS = 3,
    BLOCK_BYTES = 24
};

// The sum of a row, looked up as simd.h says.
static unsigned sum_of_signs(const uint8_t *tables, const uint8_t *blocks, size_t n_bytes,
                             size_t row)
{
    const uint8_t *block = blocks + row / KEN_SIMD_BLOCK * n_bytes * KEN_SIMD_BLOCK;
    unsigned sum = 0;
    for (size_t b = 0; b < n_bytes; b++) {
        uint8_t code = block[b * KEN_SIMD_BLOCK + row % KEN_SIMD_BLOCK];
        sum += tables[b * 32 + code % 16] + tables[b * 32 + 16 + code / 16];
    }
    return sum;
}

KEN_TEST(sums_of_signs_are_exact)
{
    static uint8_t tables[BLOCK_BYTES * 32], blocks[BLOCKS * BLOCK_BYTES * KEN_SIMD_BLOCK];
    srand(2);
    for (size_t i = 0; i < sizeof tables; i++)
        tables[i] = (uint8_t)(i % 5 ? rand() % 128 : 127);
    for (size_t i = 0; i < sizeof blocks; i++)
        blocks[i] = (uint8_t)rand();
    size_t n_sets;
    const ken_simd_ops *const *sets = ken_simd_all(&n_sets);
    for (size_t i = 0; i < n_sets * BLOCK_BYTES; i++) {
        const ken_simd_ops *ops = sets[i / BLOCK_BYTES];
        size_t n_bytes = i % BLOCK_BYTES + 1;
        uint16_t got[BLOCKS * KEN_SIMD_BLOCK];
        ops->sum_signs(tables, blocks, BLOCKS, n_bytes, got);
        for (size_t row = 0; row < BLOCKS * KEN_SIMD_BLOCK; row++) {
            unsigned want = sum_of_signs(tables, blocks, n_bytes, row);
            if (got[row] != want)
                kt_fail("%s, %zu bytes: row %zu is %u, not %u", ops->name, n_bytes, row, got[row],
                        want);
        }
    }
}

KEN_TEST(the_largest_sums_of_signs_fit)
{
    enum {
        BYTES = KEN_SIMD_MAX_DIMS / 8
    };
    static uint8_t tables[BYTES * 32], blocks[BYTES * KEN_SIMD_BLOCK];
    memset(tables, 63, sizeof tables);
    size_t n_sets;
    const ken_simd_ops *const *sets = ken_simd_all(&n_sets);
    for (size_t set = 0; set < n_sets; set++) {
        uint16_t got[KEN_SIMD_BLOCK];
        sets[set]->sum_signs(tables, blocks, 1, BYTES, got);
        for (size_t i = 0; i < KEN_SIMD_BLOCK; i++)
            kt_eq_u(got[i], 63 * 2 * BYTES);
    }
}

KEN_TEST(large_values_are_found_in_order)
{
    static uint16_t values[1000];
    fill(7);
    for (int i = 0; i < 1000; i++)
        values[i] = (uint16_t)(i % 7 ? rand() : rand() % 100);
    size_t n_sets;
    const ken_simd_ops *const *sets = ken_simd_all(&n_sets);
    static const uint16_t limits[] = { 0, 50, 99, 40000, UINT16_MAX };
    enum {
        N_LIMITS = sizeof limits / sizeof *limits
    };
    for (size_t i = 0; i < n_sets * N_LIMITS * 10; i++) {
        const ken_simd_ops *ops = sets[i / N_LIMITS / 10];
        uint16_t limit = limits[i / 10 % N_LIMITS];
        size_t n = i % 10 * 111;
        uint32_t want[1000], got[1000];
        size_t n_want = sets[0]->at_least(values, n, limit, want);
        kt_eq_u(ops->at_least(values, n, limit, got), n_want);
        for (size_t k = 0; k < n_want; k++)
            kt_true(got[k] == want[k] && values[got[k]] >= limit);
    }
}

KEN_TEST(bags_are_weighted_sums)
{
    static const uint32_t rows[] = { 3, 0, 36, 3, 17 };
    static const float weights[] = { 1, -0.5F, 2, 0.25F, 1e-3F };
    fill(3);
    EACH_SET(ops)
    {
        float want[MAX_DIMS], got[MAX_DIMS];
        reference->bag_i8(table, sizes[size], rows, weights, 5, want);
        ops->bag_i8(table, sizes[size], rows, weights, 5, got);
        for (size_t d = 0; d < sizes[size]; d++)
            kt_true(fabsf(want[d] - got[d]) <= 1e-3F);
        ops->bag_i8(table, sizes[size], rows, weights, 0, got);
        for (size_t d = 0; d < sizes[size]; d++)
            kt_true(got[d] == 0);
    }
}

KEN_TEST(dot_products_of_floats_agree)
{
    fill(4);
    EACH_SET(ops)
    {
        float want = reference->dot_f32(floats, others, sizes[size]);
        kt_true(fabsf(ops->dot_f32(floats, others, sizes[size]) - want) <=
                1e-5F * (float)sizes[size] * 5);
    }
}

KEN_TEST(sums_and_multiples_are_those_of_each_value)
{
    fill(6);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        float got[MAX_DIMS + 1];
        memcpy(got, floats, sizes[k] * sizeof *got);
        got[sizes[k]] = 7;
        ken_simd_add(got, 0.5F, others, sizes[k]);
        for (size_t d = 0; d < sizes[k]; d++)
            kt_true(fabsf(got[d] - (floats[d] + 0.5F * others[d])) <= 1e-6F);
        ken_simd_scale(got, 2, sizes[k]);
        for (size_t d = 0; d < sizes[k]; d++)
            kt_true(fabsf(got[d] - 2 * (floats[d] + 0.5F * others[d])) <= 1e-5F);
        kt_true(got[sizes[k]] == 7);
    }
}

KEN_TEST(quantised_vectors_come_back_within_half_a_step)
{
    fill(5);
    EACH_SET(ops)
    {
        int8_t want[MAX_DIMS], got[MAX_DIMS];
        float scale = ops->quantise(floats, sizes[size], got);
        kt_true(scale == reference->quantise(floats, sizes[size], want));
        for (size_t d = 0; d < sizes[size]; d++) {
            kt_true(abs(want[d] - got[d]) <= 0);
            kt_true(fabsf((float)got[d] * scale - floats[d]) <= 0.51F * scale);
        }
    }
}

KEN_TEST(the_zero_vector_stays_zero)
{
    static const float zero[MAX_DIMS];
    EACH_SET(ops)
    {
        int8_t got[MAX_DIMS];
        memset(got, 1, sizeof got);
        kt_true(ops->quantise(zero, sizes[size], got) == 0);
        for (size_t d = 0; d < sizes[size]; d++)
            kt_eq_i(got[d], 0);
    }
    (void)reference;
}
