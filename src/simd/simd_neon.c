// SPDX-License-Identifier: MIT
// 64-bit Arm: Advanced SIMD, 16 bytes at a time, which every such processor has.
#include "simd/simd_priv.h"

#if defined(__aarch64__)

#include <arm_neon.h>

static void dot_i8(const int8_t *q, const int8_t *table, const uint32_t *at, size_t n,
                   size_t n_dims, int32_t *out)
{
    for (size_t i = 0; i < n; i++) {
        const int8_t *row = row_at(table, at, i, n_dims);
        expect_row(table, at, i, n, n_dims);
        int32x4_t sum = vdupq_n_s32(0);
        for (size_t d = 0; d < n_dims; d += 16) {
            int8x16_t a = vld1q_s8(q + d), b = vld1q_s8(row + d);
            sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(a), vget_low_s8(b)));
            sum = vpadalq_s16(sum, vmull_s8(vget_high_s8(a), vget_high_s8(b)));
        }
        out[i] = vaddvq_s32(sum);
    }
}

// 16 rows: sums of eight stay in each register while all bytes pass.
static void sum_signs_16(const uint8_t *tables, const uint8_t *rows, size_t n_bytes, uint16_t *out)
{
    uint16x8_t first = vdupq_n_u16(0), second = first;
    for (size_t b = 0; b < n_bytes; b++, tables += 32, rows += KEN_SIMD_BLOCK) {
        uint8x16_t codes = vld1q_u8(rows);
        uint8x16_t low = vqtbl1q_u8(vld1q_u8(tables), vandq_u8(codes, vdupq_n_u8(15)));
        uint8x16_t high = vqtbl1q_u8(vld1q_u8(tables + 16), vshrq_n_u8(codes, 4));
        uint8x16_t sums = vaddq_u8(low, high);
        first = vaddw_u8(first, vget_low_u8(sums));
        second = vaddw_u8(second, vget_high_u8(sums));
    }
    vst1q_u16(out, first);
    vst1q_u16(out + 8, second);
}

static void sum_signs(const uint8_t *tables, const uint8_t *blocks, size_t n_blocks, size_t n_bytes,
                      uint16_t *out)
{
    for (size_t i = 0; i < n_blocks; i++, blocks += n_bytes * KEN_SIMD_BLOCK, out += KEN_SIMD_BLOCK)
        for (size_t part = 0; part < KEN_SIMD_BLOCK; part += 16)
            sum_signs_16(tables, blocks + part, n_bytes, out + part);
}

static size_t at_least(const uint16_t *values, size_t n, uint16_t least, uint32_t *out)
{
    return at_least_plain(values, 0, n, least, out);
}

static void bag_16(const int8_t *table, size_t n_dims, const uint32_t *rows, const float *weights,
                   size_t n, float *out)
{
    float32x4_t sum[4];
    for (int k = 0; k < 4; k++)
        sum[k] = vdupq_n_f32(0);
    for (size_t i = 0; i < n; i++) {
        int8x16_t row = vld1q_s8(table + rows[i] * n_dims);
        int16x8_t low = vmovl_s8(vget_low_s8(row)), high = vmovl_s8(vget_high_s8(row));
        int32x4_t whole[4] = { vmovl_s16(vget_low_s16(low)), vmovl_s16(vget_high_s16(low)),
                               vmovl_s16(vget_low_s16(high)), vmovl_s16(vget_high_s16(high)) };
        for (int k = 0; k < 4; k++)
            sum[k] = vfmaq_n_f32(sum[k], vcvtq_f32_s32(whole[k]), weights[i]);
    }
    for (int k = 0; k < 4; k++)
        vst1q_f32(out + (size_t)k * 4, sum[k]);
}

static void bag_i8(const int8_t *table, size_t n_dims, const uint32_t *rows, const float *weights,
                   size_t n, float *out)
{
    for (size_t d = 0; d < n_dims; d += 16)
        bag_16(table + d, n_dims, rows, weights, n, out + d);
}

static float dot_f32(const float *a, const float *b, size_t n_dims)
{
    float32x4_t s = vdupq_n_f32(0), t = s;
    for (size_t d = 0; d < n_dims; d += 8) {
        s = vfmaq_f32(s, vld1q_f32(a + d), vld1q_f32(b + d));
        t = vfmaq_f32(t, vld1q_f32(a + d + 4), vld1q_f32(b + d + 4));
    }
    return vaddvq_f32(vaddq_f32(s, t));
}

static float quantise(const float *v, size_t n_dims, int8_t *out)
{
    float32x4_t max = vdupq_n_f32(0);
    for (size_t d = 0; d < n_dims; d += 4)
        max = vmaxq_f32(max, vabsq_f32(vld1q_f32(v + d)));
    float most = vmaxvq_f32(max), factor = most > 0 ? 127 / most : 0;
    for (size_t d = 0; d < n_dims; d += 8) {
        int32x4_t a = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(v + d), factor));
        int32x4_t b = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(v + d + 4), factor));
        vst1_s8(out + d, vqmovn_s16(vcombine_s16(vqmovn_s32(a), vqmovn_s32(b))));
    }
    return most / 127;
}

static const ken_simd_ops neon = {
    .name = "neon",
    .dot_i8 = dot_i8,
    .sum_signs = sum_signs,
    .at_least = at_least,
    .bag_i8 = bag_i8,
    .dot_f32 = dot_f32,
    .quantise = quantise,
};

const ken_simd_ops *ken_simd__neon(void)
{
    return &neon;
}

#else

const ken_simd_ops *ken_simd__neon(void)
{
    return NULL;
}

#endif
