// SPDX-License-Identifier: MIT
// x86-64 with AVX-512 (F, BW, VL, DQ), VNNI and VPOPCNTDQ: 64 bytes at a time.
#include "simd/simd_priv.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX512 \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512vpopcntdq,popcnt")))

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
        __m512i sum = _mm512_setzero_si512();
        for (size_t d = 0; d < n_dims; d += 64) {
            __mmask64 m = left_of(n_dims, d);
            __m512i r = _mm512_xor_si512(_mm512_maskz_loadu_epi8(m, row + d), flip);
            sum = _mm512_dpbusd_epi32(sum, r, _mm512_maskz_loadu_epi8(m, q + d));
        }
        out[i] = _mm512_reduce_add_epi32(sum) - 128 * q_sum;
    }
}

// Rows of two words, four at a time: counts of neighbours are added and every other one kept.
AVX512 static size_t hamming_2(const uint64_t *q, const uint64_t *rows, size_t n, uint16_t *out)
{
    __m512i want = _mm512_broadcast_i64x2(_mm_loadu_si128((const __m128i *)(const void *)q));
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        __m512i c = _mm512_popcnt_epi64(_mm512_xor_si512(want, _mm512_loadu_si512(rows + 2 * i)));
        c = _mm512_add_epi64(c, _mm512_shuffle_epi32(c, (_MM_PERM_ENUM)0x4e));
        __m128i kept = _mm512_cvtepi64_epi16(_mm512_maskz_compress_epi64(0x55, c));
        _mm_storel_epi64((__m128i *)(void *)(out + i), kept);
    }
    return i;
}

// The counts of eight words, as bytes.
AVX512 static __m128i counts_of(__m512i want, const uint64_t *words)
{
    __m512i differ = _mm512_xor_si512(want, _mm512_loadu_si512(words));
    return _mm512_cvtepi64_epi8(_mm512_popcnt_epi64(differ));
}

// Rows of three words, eight at a time: the counts become 24 bytes, of which each three are added.
AVX512 static size_t hamming_3(const uint64_t *q, const uint64_t *rows, size_t n, uint16_t *out)
{
    uint64_t turned[24];
    for (int w = 0; w < 24; w++)
        turned[w] = q[w % 3];
    const __m512i a = _mm512_loadu_si512(turned), b = _mm512_loadu_si512(turned + 8),
                  c = _mm512_loadu_si512(turned + 16);
    const __m256i threes = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
    size_t i = 0;
    for (; i + 8 <= n; i += 8, rows += 24) {
        __m128i low = _mm_unpacklo_epi64(counts_of(a, rows), counts_of(b, rows + 8));
        __m128i high = _mm_alignr_epi8(counts_of(c, rows + 16), low, 12);
        __m256i bytes = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), threes);
        __m256i pairs = _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1));
        __m256i sums = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
        _mm_storeu_si128((__m128i *)(void *)(out + i), _mm256_cvtepi32_epi16(sums));
    }
    return i;
}

// Rows of four words, two at a time.
AVX512 static size_t hamming_4(const uint64_t *q, const uint64_t *rows, size_t n, uint16_t *out)
{
    __m512i want = _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)(const void *)q));
    size_t i = 0;
    for (; i + 2 <= n; i += 2) {
        __m512i c = _mm512_popcnt_epi64(_mm512_xor_si512(want, _mm512_loadu_si512(rows + 4 * i)));
        c = _mm512_add_epi64(c, _mm512_permutex_epi64(c, 0x4e));
        c = _mm512_add_epi64(c, _mm512_shuffle_epi32(c, (_MM_PERM_ENUM)0x4e));
        out[i] = (uint16_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(c));
        out[i + 1] = (uint16_t)_mm_cvtsi128_si32(_mm512_extracti32x4_epi32(c, 2));
    }
    return i;
}

AVX512 static void hamming(const uint64_t *q, const uint64_t *rows, size_t n, size_t n_words,
                           uint16_t *out)
{
    size_t i = n_words == 2   ? hamming_2(q, rows, n, out)
               : n_words == 3 ? hamming_3(q, rows, n, out)
               : n_words == 4 ? hamming_4(q, rows, n, out)
                              : 0;
    for (rows += i * n_words; i < n; i++, rows += n_words) {
        int sum = 0;
        for (size_t w = 0; w < n_words; w++)
            sum += __builtin_popcountll(q[w] ^ rows[w]);
        out[i] = (uint16_t)sum;
    }
}

AVX512 static size_t at_most(const uint16_t *values, size_t n, uint16_t most, uint32_t *out)
{
    const __m512i limit = _mm512_set1_epi16((short)most);
    size_t found = 0, i = 0;
    for (; i + 32 <= n; i += 32) {
        uint32_t mask = _mm512_cmple_epu16_mask(_mm512_loadu_si512(values + i), limit);
        for (; mask; mask &= mask - 1)
            out[found++] = (uint32_t)i + (uint32_t)__builtin_ctz(mask);
    }
    return found + at_most_plain(values, i, n, most, out + found);
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
    .hamming = hamming,
    .at_most = at_most,
    .bag_i8 = bag_i8,
    .dot_f32 = dot_f32,
    .quantise = quantise,
};

const ken_simd_ops *ken_simd__avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vpopcntdq")
               ? &avx512
               : NULL;
}

#else

const ken_simd_ops *ken_simd__avx512(void)
{
    return NULL;
}

#endif
