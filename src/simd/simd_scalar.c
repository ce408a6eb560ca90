// SPDX-License-Identifier: MIT
// The reference: plain C, for every machine. The others are tested against it.
#include <math.h>

#include "simd/simd_priv.h"

static void dot_i8(const int8_t *q, const int8_t *table, const uint32_t *at, size_t n,
                   size_t n_dims, int32_t *out)
{
    for (size_t i = 0; i < n; i++) {
        const int8_t *row = row_at(table, at, i, n_dims);
        int32_t sum = 0;
        for (size_t d = 0; d < n_dims; d++)
            sum += q[d] * row[d];
        out[i] = sum;
    }
}

static void hamming(const uint64_t *q, const uint64_t *rows, size_t n, size_t n_words,
                    uint16_t *out)
{
    for (size_t i = 0; i < n; i++, rows += n_words) {
        int sum = 0;
        for (size_t w = 0; w < n_words; w++)
            sum += __builtin_popcountll(q[w] ^ rows[w]);
        out[i] = (uint16_t)sum;
    }
}

static size_t at_most(const uint16_t *values, size_t n, uint16_t most, uint32_t *out)
{
    return at_most_plain(values, 0, n, most, out);
}

static void bag_i8(const int8_t *table, size_t n_dims, const uint32_t *rows, const float *weights,
                   size_t n, float *out)
{
    for (size_t d = 0; d < n_dims; d++)
        out[d] = 0;
    for (size_t i = 0; i < n; i++) {
        const int8_t *row = table + rows[i] * n_dims;
        for (size_t d = 0; d < n_dims; d++)
            out[d] += weights[i] * (float)row[d];
    }
}

static float dot_f32(const float *a, const float *b, size_t n_dims)
{
    float sum = 0;
    for (size_t d = 0; d < n_dims; d++)
        sum += a[d] * b[d];
    return sum;
}

static float quantise(const float *v, size_t n_dims, int8_t *out)
{
    float max = 0;
    for (size_t d = 0; d < n_dims; d++)
        max = fmaxf(max, fabsf(v[d]));
    float factor = max > 0 ? 127 / max : 0;
    for (size_t d = 0; d < n_dims; d++)
        out[d] = (int8_t)lrintf(v[d] * factor);
    return max / 127;
}

const ken_simd_ops ken_simd__scalar = {
    .name = "scalar",
    .dot_i8 = dot_i8,
    .hamming = hamming,
    .at_most = at_most,
    .bag_i8 = bag_i8,
    .dot_f32 = dot_f32,
    .quantise = quantise,
};
