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

KEN_TEST(hamming_distances_are_exact)
{
    static uint64_t bits[ROWS * 12];
    fill(2);
    memcpy(bits, table, sizeof bits);
    EACH_SET(ops)
    {
        uint16_t want[ROWS], got[ROWS];
        size_t words = (sizes[size] + 63) / 64;
        reference->hamming(bits + 5, bits, ROWS, words, want);
        ops->hamming(bits + 5, bits, ROWS, words, got);
        for (int i = 0; i < ROWS; i++)
            kt_eq_i(got[i], want[i]);
    }
}

KEN_TEST(small_values_are_found_in_order)
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
        size_t n_want = sets[0]->at_most(values, n, limit, want);
        kt_eq_u(ops->at_most(values, n, limit, got), n_want);
        for (size_t k = 0; k < n_want; k++)
            kt_true(got[k] == want[k] && values[got[k]] <= limit);
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
