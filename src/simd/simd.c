// SPDX-License-Identifier: MIT
#include "simd/simd.h"

#include "base/attr.h"
#include "simd/simd_priv.h"

enum {
    MAX_SETS = 4,
    LANES = 16, // a length that is known is what loops are vectorised for
};

_Static_assert(KEN_SIMD_DIMS % LANES == 0, "no values are left over");

void ken_simd_add(float *restrict to, float factor, const float *restrict from, size_t n_dims)
{
    for (size_t d = 0; d < n_dims; d += LANES, to += LANES, from += LANES)
        for (size_t i = 0; i < LANES; i++)
            to[i] += factor * from[i];
}

void ken_simd_scale(float *v, float factor, size_t n_dims)
{
    for (size_t d = 0; d < n_dims; d += LANES, v += LANES)
        for (size_t i = 0; i < LANES; i++)
            v[i] *= factor;
}

static const ken_simd_ops *sets[MAX_SETS];
static size_t n_sets;

static void offer(const ken_simd_ops *ops)
{
    if (ops)
        sets[n_sets++] = ops;
}

KEN_CONSTRUCTOR static void choose(void)
{
    offer(&ken_simd__scalar);
    offer(ken_simd__neon());
    offer(ken_simd__avx2());
    offer(ken_simd__avx512());
}

const ken_simd_ops *ken_simd(void)
{
    return sets[n_sets - 1];
}

const ken_simd_ops *const *ken_simd_all(size_t *out_n)
{
    *out_n = n_sets;
    return sets;
}
