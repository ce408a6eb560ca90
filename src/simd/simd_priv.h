// SPDX-License-Identifier: MIT
// simd_priv.h -- the sets of kernels; each is NULL where the architecture or compiler lacks it.
#ifndef KEN_SIMD_SIMD_PRIV_H
#define KEN_SIMD_SIMD_PRIV_H

#include "simd/simd.h"

static inline const int8_t *row_at(const int8_t *table, const uint32_t *at, size_t i, size_t n_dims)
{
    return table + (at ? at[i] : i) * n_dims;
}

enum {
    ROWS_AHEAD = 8 // of rows from anywhere in a large table, asked of memory before their turn
};

static inline void expect_row(const int8_t *table, const uint32_t *at, size_t i, size_t n,
                              size_t n_dims)
{
    if (!at || i + ROWS_AHEAD >= n)
        return;
    const int8_t *row = table + at[i + ROWS_AHEAD] * n_dims;
    for (size_t d = 0; d < n_dims; d += 64)
        __builtin_prefetch(row + d);
}

static inline size_t at_least_plain(const uint16_t *values, size_t from, size_t n, uint16_t least,
                                    uint32_t *out)
{
    size_t found = 0;
    for (size_t i = from; i < n; i++) {
        out[found] = (uint32_t)i;
        found += values[i] >= least;
    }
    return found;
}

extern const ken_simd_ops ken_simd__scalar;
const ken_simd_ops *ken_simd__avx2(void);
const ken_simd_ops *ken_simd__avx512(void);
const ken_simd_ops *ken_simd__neon(void);

#endif
