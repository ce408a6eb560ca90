// SPDX-License-Identifier: MIT
// buf.h -- owned, growable bytes with a maximum set at birth.
//
// Appending beyond the maximum (or out of memory) sets `is_over` and drops the bytes; check once at
// the end. The content is always NUL-terminated when ptr is not NULL. One thread at a time.
#ifndef KEN_BASE_BUF_H
#define KEN_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/str.h"

typedef struct ken_buf {
    char *ptr;
    size_t len, cap;
    size_t max;   // bytes; 0 = 256 MiB
    bool is_over; // something did not fit
} ken_buf;

#define KEN_BUF_INIT(max_bytes) ((ken_buf){ .max = (max_bytes) })

void ken_buf_release(ken_buf *b);
void ken_buf_clear(ken_buf *b); // keeps capacity and maximum; forgets is_over
bool ken_buf_reserve(ken_buf *b, size_t n_more);
void ken_buf_put(ken_buf *b, const void *data, size_t n);
void ken_buf_put_str(ken_buf *b, ken_str s);
void ken_buf_puts(ken_buf *b, const char *s);
void ken_buf_putc(ken_buf *b, char c);
void ken_buf_printf(ken_buf *b, const char *fmt, ...) KEN_PRINTF(2, 3);
void ken_buf_put_varint(ken_buf *b, uint64_t v); // LEB128, 1 to 10 bytes
ken_str ken_buf_str(const ken_buf *b);           // borrowed
char *ken_buf_steal(ken_buf *b);                 // the bytes, NUL-terminated; ken_free them

// Reads one LEB128 value and moves `*at`; false at the end of input or when it is malformed.
static inline bool ken_varint_get(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    const uint8_t *p = *at;
    uint64_t v = 0;
    for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
        uint8_t byte = *p++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *at = p;
            *out = v;
            return true;
        }
    }
    return false;
}

// Signed numbers for LEB128: 0, -1, 1, -2 become 0, 1, 2, 3, so what is near zero takes few bytes.
static inline uint64_t ken_zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t ken_unzigzag(uint64_t z)
{
    return (int64_t)(z >> 1 ^ (z & 1 ? UINT64_MAX : 0));
}

#endif
