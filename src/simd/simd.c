// SPDX-License-Identifier: MIT
#include "simd/simd.h"

#include "base/attr.h"
#include "simd/simd_priv.h"

enum {
    MAX_SETS = 4
};

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
