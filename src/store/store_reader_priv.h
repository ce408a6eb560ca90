// SPDX-License-Identifier: MIT
// store_reader_priv.h -- numbers and texts out of packed bytes that nobody vouches for.
//
// Reading never fails at once: what is wrong is remembered, and every value read after that is 0.
// Loops run to their end on bounded counts, and the caller looks once per column.
#ifndef KEN_STORE_STORE_READER_PRIV_H
#define KEN_STORE_STORE_READER_PRIV_H

#include "base/buf.h"

enum {
    KEN_PACKED_TEXT_MAX = 64 * 1024 // bytes of one name
};

typedef struct ken_reader {
    const uint8_t *at, *end;
    const char *bad; // static: the first thing that was wrong
} ken_reader;

static inline void ken_reader_spoil(ken_reader *r, const char *what)
{
    if (!r->bad)
        r->bad = what;
    r->at = r->end;
}

static inline size_t ken_reader_left(const ken_reader *r)
{
    return (size_t)(r->end - r->at);
}

static inline uint8_t ken_reader_byte(ken_reader *r, unsigned below, const char *what)
{
    if (r->at < r->end && *r->at < below)
        return *r->at++;
    ken_reader_spoil(r, what);
    return 0;
}

static inline uint64_t ken_reader_number(ken_reader *r, uint64_t max, const char *what)
{
    uint64_t v;
    if (r->at < r->end && *r->at < 0x80 && *r->at <= max) // most are one byte
        return *r->at++;
    if (ken_varint_get(&r->at, r->end, &v) && v <= max)
        return v;
    ken_reader_spoil(r, what);
    return 0;
}

static inline uint32_t ken_reader_u32(ken_reader *r, uint64_t max, const char *what)
{
    return (uint32_t)ken_reader_number(r, max < UINT32_MAX ? max : UINT32_MAX, what);
}

static inline int64_t ken_reader_signed(ken_reader *r, const char *what)
{
    uint64_t v = ken_reader_number(r, (uint64_t)1 << 35, what);
    return ken_unzigzag(v);
}

// A value that was stored as its distance from `from`.
static inline uint32_t ken_reader_diff(ken_reader *r, uint32_t from, uint32_t max, const char *what)
{
    int64_t v = (int64_t)from + ken_reader_signed(r, what);
    if (v >= 0 && v <= (int64_t)max)
        return (uint32_t)v;
    ken_reader_spoil(r, what);
    return 0;
}

// A number of things of at least min_bytes each: no more than the bytes that are left.
static inline uint32_t ken_reader_count(ken_reader *r, size_t min_bytes, const char *what)
{
    uint64_t n = ken_reader_number(r, INT32_MAX, what);
    if (n <= ken_reader_left(r) / min_bytes)
        return (uint32_t)n;
    ken_reader_spoil(r, what);
    return 0;
}

static inline ken_str ken_reader_text(ken_reader *r, size_t n, const char *what)
{
    if (n > ken_reader_left(r)) {
        ken_reader_spoil(r, what);
        return (ken_str){ "", 0 };
    }
    ken_str s = { (const char *)r->at, n };
    r->at += n;
    return s;
}

static inline void ken_put_signed(ken_buf *out, int64_t v)
{
    ken_buf_put_varint(out, ken_zigzag(v));
}

static inline void ken_put_diff(ken_buf *out, uint32_t v, uint32_t from)
{
    ken_put_signed(out, (int64_t)v - (int64_t)from);
}

#endif
