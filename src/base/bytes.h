// SPDX-License-Identifier: MIT
// bytes.h -- whole numbers as bytes, little endian, at any address: how files of ours hold them.
#ifndef KEN_BASE_BYTES_H
#define KEN_BASE_BYTES_H

#include <stdint.h>

static inline uint32_t ken_get32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t ken_get64(const uint8_t *p)
{
    return (uint64_t)ken_get32(p) | (uint64_t)ken_get32(p + 4) << 32;
}

static inline void ken_put32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static inline void ken_put64(uint8_t *p, uint64_t v)
{
    ken_put32(p, (uint32_t)v);
    ken_put32(p + 4, (uint32_t)(v >> 32));
}

#endif
