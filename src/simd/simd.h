// SPDX-License-Identifier: MIT
// simd.h -- the numeric kernels, chosen once at start.
//
// Each set of kernels computes the same: integers exactly, floats up to the order of additions
// (a relative error of 1e-5). Arrays need no alignment. `n_dims` is a multiple of
// KEN_SIMD_DIMS unless noted otherwise; int8 values lie in -127..127.
//
// Ownership: none. Threads: all pure; the choice is made before main() and never changes.
#ifndef KEN_SIMD_SIMD_H
#define KEN_SIMD_SIMD_H

#include <stddef.h>
#include <stdint.h>

enum {
    KEN_SIMD_DIMS = 32,
    KEN_SIMD_MAX_DIMS = 4096,
    KEN_SIMD_BLOCK = 64, // rows of signs that lie together
};

typedef struct ken_simd_ops {
    const char *name;

    // out[i] = q . table[at[i]], for n rows of a table of n_dims values (row-major). `at` NULL =
    // the first n rows.
    void (*dot_i8)(const int8_t *q, const int8_t *table, const uint32_t *at, size_t n,
                   size_t n_dims, int32_t *out);

    // Sums over tables of 16 bytes, two for each byte of signs: out[i] = sum over b of tables[2 *
    // b][low half of byte b of row i] + tables[2 * b + 1][high half]. Rows come in blocks of
    // KEN_SIMD_BLOCK, n_bytes each: byte 0 of all rows of a block, then byte 1 of all. Two tables
    // of a byte add up to less than 256, all of them to less than 65536.
    void (*sum_signs)(const uint8_t *tables, const uint8_t *blocks, size_t n_blocks, size_t n_bytes,
                      uint16_t *out);

    // Writes the places i of n values with values[i] >= least, in order; returns how many. `out`
    // has n places.
    size_t (*at_least)(const uint16_t *values, size_t n, uint16_t least, uint32_t *out);

    // out[d] = sum over i of weights[i] * table[rows[i]][d], for n rows of a table of n_dims.
    void (*bag_i8)(const int8_t *table, size_t n_dims, const uint32_t *rows, const float *weights,
                   size_t n, float *out);

    float (*dot_f32)(const float *a, const float *b, size_t n_dims);

    // Rounds v * 127 / max|v| into out and returns max|v| / 127; 0 for the zero vector.
    float (*quantise)(const float *v, size_t n_dims, int8_t *out);
} ken_simd_ops;

// Sums that every compiler takes several values of at a time. n_dims is a multiple of KEN_SIMD_DIMS.
void ken_simd_add(float *restrict to, float factor, const float *restrict from, size_t n_dims);
void ken_simd_scale(float *v, float factor, size_t n_dims);

// The fastest set that this processor has.
const ken_simd_ops *ken_simd(void);
// All that it has, the portable one first: for tests that compare them.
const ken_simd_ops *const *ken_simd_all(size_t *out_n);

#endif
