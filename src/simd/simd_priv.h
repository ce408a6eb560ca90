// SPDX-License-Identifier: MIT
// simd_priv.h -- the sets of kernels; each is NULL where the architecture or compiler lacks it.
#ifndef KEN_SIMD_SIMD_PRIV_H
#define KEN_SIMD_SIMD_PRIV_H

#include "simd/simd.h"

extern const ken_simd_ops ken_simd__scalar;
const ken_simd_ops *ken_simd__avx2(void);
const ken_simd_ops *ken_simd__avx512(void);
const ken_simd_ops *ken_simd__neon(void);

#endif
