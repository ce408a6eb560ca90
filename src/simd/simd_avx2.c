// SPDX-License-Identifier: MIT
// x86-64 with AVX2 and FMA: 32 bytes at a time.
#include "simd/simd_priv.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))

AVX2 static int32_t sum_i32(__m256i v)
{
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
    return _mm_cvtsi128_si32(s);
}

AVX2 static float sum_f32(__m256 v)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    s = _mm_add_ss(s, _mm_shuffle_ps(s, s, 1));
    return _mm_cvtss_f32(s);
}

// |q| * (r with the sign of q): pairs of products stay below 2^15, so nothing saturates.
AVX2 static void dot_i8(const int8_t *q, const int8_t *table, const uint32_t *at, size_t n,
                        size_t n_dims, int32_t *out)
{
    const __m256i ones = _mm256_set1_epi16(1);
    for (size_t i = 0; i < n; i++) {
        const int8_t *row = row_at(table, at, i, n_dims);
        expect_row(table, at, i, n, n_dims);
        __m256i sum = _mm256_setzero_si256();
        for (size_t d = 0; d < n_dims; d += 32) {
            __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(q + d));
            __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(row + d));
            __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(a), _mm256_sign_epi8(b, a));
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
        }
        out[i] = sum_i32(sum);
    }
}

AVX2 static __m256i load_table(const uint8_t *table)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)table));
}

// 32 rows, as sums of pairs of neighbours: what the odd ones carry into the even ones is known at
// the end.
AVX2 static void sum_signs_32(const uint8_t *tables, const uint8_t *rows, size_t n_bytes,
                              uint16_t *out)
{
    const __m256i half = _mm256_set1_epi8(15);
    __m256i both = _mm256_setzero_si256(), odd = both;
    for (size_t b = 0; b < n_bytes; b++, tables += 32, rows += KEN_SIMD_BLOCK) {
        __m256i codes = _mm256_loadu_si256((const __m256i *)(const void *)rows);
        __m256i low = _mm256_and_si256(codes, half);
        __m256i high = _mm256_and_si256(_mm256_srli_epi16(codes, 4), half);
        __m256i sums = _mm256_add_epi8(_mm256_shuffle_epi8(load_table(tables), low),
                                       _mm256_shuffle_epi8(load_table(tables + 16), high));
        both = _mm256_add_epi16(both, sums);
        odd = _mm256_add_epi16(odd, _mm256_srli_epi16(sums, 8));
    }
    __m256i even = _mm256_sub_epi16(both, _mm256_slli_epi16(odd, 8));
    __m256i first = _mm256_unpacklo_epi16(even, odd), second = _mm256_unpackhi_epi16(even, odd);
    __m256i *to = (__m256i *)(void *)out;
    _mm256_storeu_si256(to, _mm256_permute2x128_si256(first, second, 0x20));
    _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(first, second, 0x31));
}

AVX2 static void sum_signs(const uint8_t *tables, const uint8_t *blocks, size_t n_blocks,
                           size_t n_bytes, uint16_t *out)
{
    for (size_t i = 0; i < n_blocks;
         i++, blocks += n_bytes * KEN_SIMD_BLOCK, out += KEN_SIMD_BLOCK) {
        sum_signs_32(tables, blocks, n_bytes, out);
        sum_signs_32(tables, blocks + 32, n_bytes, out + 32);
    }
}

AVX2 static size_t at_least(const uint16_t *values, size_t n, uint16_t least, uint32_t *out)
{
    const __m256i limit = _mm256_set1_epi16((short)least);
    size_t found = 0, i = 0;
    for (; i + 16 <= n; i += 16) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(values + i));
        __m256i is_in = _mm256_cmpeq_epi16(_mm256_max_epu16(v, limit), v);
        uint32_t mask = (uint32_t)_mm256_movemask_epi8(is_in) & 0x55555555;
        for (; mask; mask &= mask - 1)
            out[found++] = (uint32_t)i + (uint32_t)__builtin_ctz(mask) / 2;
    }
    return found + at_least_plain(values, i, n, least, out + found);
}

AVX2 static __m256 load_i8(const int8_t *p)
{
    __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)p);
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
}

// 32 dimensions at a time stay in registers while all rows pass.
AVX2 static void bag_i8(const int8_t *table, size_t n_dims, const uint32_t *rows,
                        const float *weights, size_t n, float *out)
{
    for (size_t d = 0; d < n_dims; d += 32) {
        __m256 a = _mm256_setzero_ps(), b = a, c = a, e = a;
        for (size_t i = 0; i < n; i++) {
            const int8_t *row = table + rows[i] * n_dims + d;
            __m256 w = _mm256_set1_ps(weights[i]);
            a = _mm256_fmadd_ps(w, load_i8(row), a);
            b = _mm256_fmadd_ps(w, load_i8(row + 8), b);
            c = _mm256_fmadd_ps(w, load_i8(row + 16), c);
            e = _mm256_fmadd_ps(w, load_i8(row + 24), e);
        }
        _mm256_storeu_ps(out + d, a);
        _mm256_storeu_ps(out + d + 8, b);
        _mm256_storeu_ps(out + d + 16, c);
        _mm256_storeu_ps(out + d + 24, e);
    }
}

AVX2 static float dot_f32(const float *a, const float *b, size_t n_dims)
{
    __m256 s = _mm256_setzero_ps(), t = s;
    for (size_t d = 0; d < n_dims; d += 16) {
        s = _mm256_fmadd_ps(_mm256_loadu_ps(a + d), _mm256_loadu_ps(b + d), s);
        t = _mm256_fmadd_ps(_mm256_loadu_ps(a + d + 8), _mm256_loadu_ps(b + d + 8), t);
    }
    return sum_f32(_mm256_add_ps(s, t));
}

AVX2 static float max_abs(const float *v, size_t n_dims)
{
    const __m256 sign = _mm256_set1_ps(-0.0F);
    __m256 max = _mm256_setzero_ps();
    for (size_t d = 0; d < n_dims; d += 8)
        max = _mm256_max_ps(max, _mm256_andnot_ps(sign, _mm256_loadu_ps(v + d)));
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(max), _mm256_extractf128_ps(max, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    m = _mm_max_ss(m, _mm_shuffle_ps(m, m, 1));
    return _mm_cvtss_f32(m);
}

AVX2 static __m256i rounded(const float *v, __m256 factor)
{
    return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(v), factor));
}

AVX2 static float quantise(const float *v, size_t n_dims, int8_t *out)
{
    float max = max_abs(v, n_dims);
    __m256 factor = _mm256_set1_ps(max > 0 ? 127 / max : 0);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7); // packing mixes the lanes
    for (size_t d = 0; d < n_dims; d += 32) {
        __m256i a = _mm256_packs_epi32(rounded(v + d, factor), rounded(v + d + 8, factor));
        __m256i b = _mm256_packs_epi32(rounded(v + d + 16, factor), rounded(v + d + 24, factor));
        __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(a, b), order);
        _mm256_storeu_si256((__m256i *)(void *)(out + d), bytes);
    }
    return max / 127;
}

static const ken_simd_ops avx2 = {
    .name = "avx2",
    .dot_i8 = dot_i8,
    .sum_signs = sum_signs,
    .at_least = at_least,
    .bag_i8 = bag_i8,
    .dot_f32 = dot_f32,
    .quantise = quantise,
};

const ken_simd_ops *ken_simd__avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &avx2 : NULL;
}

#else

const ken_simd_ops *ken_simd__avx2(void)
{
    return NULL;
}

#endif
