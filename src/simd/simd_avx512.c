// SPDX-License-Identifier: MIT
// x86-64 with AVX-512 (F, BW, VL, DQ) and VNNI: 64 bytes at a time.
#include "simd/simd_priv.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))

// The bytes of a row that are left at d, at most 64: a half at the end of 32 * odd dimensions.
AVX512 static __mmask64 left_of(size_t n_dims, size_t d)
{
    return n_dims - d >= 64 ? ~(__mmask64)0 : 0xffffffffULL;
}

// The unsigned side of the instruction is r + 128, so the sum comes out 128 * sum(q) too large.
AVX512 static void dot_i8(const int8_t *q, const int8_t *table, const uint32_t *at, size_t n,
                          size_t n_dims, int32_t *out)
{
    const __m512i flip = _mm512_set1_epi8((char)0x80);
    int32_t q_sum = 0;
    for (size_t d = 0; d < n_dims; d++)
        q_sum += q[d];
    for (size_t i = 0; i < n; i++) {
        const int8_t *row = row_at(table, at, i, n_dims);
        expect_row(table, at, i, n, n_dims);
        __m512i sum = _mm512_setzero_si512();
        for (size_t d = 0; d < n_dims; d += 64) {
            __mmask64 m = left_of(n_dims, d);
            __m512i r = _mm512_xor_si512(_mm512_maskz_loadu_epi8(m, row + d), flip);
            sum = _mm512_dpbusd_epi32(sum, r, _mm512_maskz_loadu_epi8(m, q + d));
        }
        out[i] = _mm512_reduce_add_epi32(sum) - 128 * q_sum;
    }
}

AVX512 static __m512i load_table(const uint8_t *table)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)table));
}

// Sums of 64 rows as those of pairs of neighbours: what the odd ones carry into the even ones is
// known at the end.
AVX512 static void store_sums(__m512i both, __m512i odd, uint16_t *out)
{
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    __m512i even = _mm512_sub_epi16(both, _mm512_slli_epi16(odd, 8));
    __m512i first = _mm512_unpacklo_epi16(even, odd), second = _mm512_unpackhi_epi16(even, odd);
    _mm512_storeu_si512(out, _mm512_permutex2var_epi64(first, low, second));
    _mm512_storeu_si512(out + 32, _mm512_permutex2var_epi64(first, high, second));
}

AVX512 static void sum_signs(const uint8_t *tables, const uint8_t *blocks, size_t n_blocks,
                             size_t n_bytes, uint16_t *out)
{
    const __m512i half = _mm512_set1_epi8(15);
    for (size_t i = 0; i < n_blocks; i++, out += KEN_SIMD_BLOCK) {
        __m512i both = _mm512_setzero_si512(), odd = both;
        for (size_t b = 0; b < n_bytes; b++, blocks += KEN_SIMD_BLOCK) {
            __m512i codes = _mm512_loadu_si512(blocks);
            __m512i low = _mm512_and_si512(codes, half);
            __m512i high = _mm512_and_si512(_mm512_srli_epi16(codes, 4), half);
            low = _mm512_shuffle_epi8(load_table(tables + b * 32), low);
            high = _mm512_shuffle_epi8(load_table(tables + b * 32 + 16), high);
            __m512i sums = _mm512_add_epi8(low, high);
            both = _mm512_add_epi16(both, sums);
            odd = _mm512_add_epi16(odd, _mm512_srli_epi16(sums, 8));
        }
        store_sums(both, odd, out);
    }
}

AVX512 static size_t at_least(const uint16_t *values, size_t n, uint16_t least, uint32_t *out)
{
    const __m512i limit = _mm512_set1_epi16((short)least);
    size_t found = 0, i = 0;
    for (; i + 32 <= n; i += 32) {
        uint32_t mask = _mm512_cmpge_epu16_mask(_mm512_loadu_si512(values + i), limit);
        for (; mask; mask &= mask - 1)
            out[found++] = (uint32_t)i + (uint32_t)__builtin_ctz(mask);
    }
    return found + at_least_plain(values, i, n, least, out + found);
}

AVX512 static __m512 load_i8(const int8_t *p)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
}

AVX512 static void bag_32(const int8_t *table, size_t n_dims, const uint32_t *rows,
                          const float *weights, size_t n, float *out)
{
    __m512 a = _mm512_setzero_ps(), b = a;
    for (size_t i = 0; i < n; i++) {
        const int8_t *row = table + rows[i] * n_dims;
        __m512 w = _mm512_set1_ps(weights[i]);
        a = _mm512_fmadd_ps(w, load_i8(row), a);
        b = _mm512_fmadd_ps(w, load_i8(row + 16), b);
    }
    _mm512_storeu_ps(out, a);
    _mm512_storeu_ps(out + 16, b);
}

// 128 dimensions at a time stay in registers while all rows pass: two cache lines of each.
AVX512 static void bag_128(const int8_t *table, size_t n_dims, const uint32_t *rows,
                           const float *weights, size_t n, float *out)
{
    __m512 sum[8];
    for (int k = 0; k < 8; k++)
        sum[k] = _mm512_setzero_ps();
    for (size_t i = 0; i < n; i++) {
        const int8_t *row = table + rows[i] * n_dims;
        __m512 w = _mm512_set1_ps(weights[i]);
        for (int k = 0; k < 8; k++)
            sum[k] = _mm512_fmadd_ps(w, load_i8(row + (size_t)k * 16), sum[k]);
    }
    for (int k = 0; k < 8; k++)
        _mm512_storeu_ps(out + (size_t)k * 16, sum[k]);
}

AVX512 static void bag_i8(const int8_t *table, size_t n_dims, const uint32_t *rows,
                          const float *weights, size_t n, float *out)
{
    size_t d = 0;
    for (; d + 128 <= n_dims; d += 128)
        bag_128(table + d, n_dims, rows, weights, n, out + d);
    for (; d < n_dims; d += 32)
        bag_32(table + d, n_dims, rows, weights, n, out + d);
}

AVX512 static float dot_f32(const float *a, const float *b, size_t n_dims)
{
    __m512 s = _mm512_setzero_ps(), t = s;
    for (size_t d = 0; d < n_dims; d += 32) {
        s = _mm512_fmadd_ps(_mm512_loadu_ps(a + d), _mm512_loadu_ps(b + d), s);
        t = _mm512_fmadd_ps(_mm512_loadu_ps(a + d + 16), _mm512_loadu_ps(b + d + 16), t);
    }
    return _mm512_reduce_add_ps(_mm512_add_ps(s, t));
}

AVX512 static float quantise(const float *v, size_t n_dims, int8_t *out)
{
    __m512 max = _mm512_setzero_ps();
    for (size_t d = 0; d < n_dims; d += 16)
        max = _mm512_max_ps(max, _mm512_abs_ps(_mm512_loadu_ps(v + d)));
    float most = _mm512_reduce_max_ps(max);
    __m512 factor = _mm512_set1_ps(most > 0 ? 127 / most : 0);
    for (size_t d = 0; d < n_dims; d += 16) {
        __m512i whole = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(v + d), factor));
        _mm_storeu_si128((__m128i *)(void *)(out + d), _mm512_cvtsepi32_epi8(whole));
    }
    return most / 127;
}

static const ken_simd_ops avx512 = {
    .name = "avx512",
    .dot_i8 = dot_i8,
    .sum_signs = sum_signs,
    .at_least = at_least,
    .bag_i8 = bag_i8,
    .dot_f32 = dot_f32,
    .quantise = quantise,
};

const ken_simd_ops *ken_simd__avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vnni")
               ? &avx512
               : NULL;
}

#else

const ken_simd_ops *ken_simd__avx512(void)
{
    return NULL;
}

#endif
