// SPDX-License-Identifier: MIT
// The reference: plain C, for every machine. The others are tested against it.
#include <math.h>
#include <string.h>

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

static void sum_signs(const uint8_t *tables, const uint8_t *blocks, size_t n_blocks, size_t n_bytes,
                      uint16_t *out)
{
    memset(out, 0, n_blocks * KEN_SIMD_BLOCK * sizeof *out);
    for (size_t block = 0; block < n_blocks; block++, out += KEN_SIMD_BLOCK)
        for (size_t b = 0; b < n_bytes; b++, blocks += KEN_SIMD_BLOCK)
            for (size_t i = 0; i < KEN_SIMD_BLOCK; i++)
                out[i] = (uint16_t)(out[i] + tables[b * 32 + (blocks[i] & 15)] +
                                    tables[b * 32 + 16 + (blocks[i] >> 4)]);
}

static size_t at_least(const uint16_t *values, size_t n, uint16_t least, uint32_t *out)
{
    return at_least_plain(values, 0, n, least, out);
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
    .sum_signs = sum_signs,
    .at_least = at_least,
    .bag_i8 = bag_i8,
    .dot_f32 = dot_f32,
    .quantise = quantise,
};
