// SPDX-License-Identifier: MIT
// sorted.h -- binary search: the index of the first item whose key is not less than the given one, or
// `n` when there is none.
//
// KEN_FIRST_STR(struct, field, items, n, key), and likewise the others, search an array of structs by one
// field; `items` may be NULL when `n` is 0. In the header, so that the comparison is compiled into the loop of each user.
// Ownership: nothing is kept. Threads: any. Errors: none.
#ifndef KEN_BASE_SORTED_H
#define KEN_BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

// `keys`: the key of the first item; those of the others follow each `stride` bytes later.
static inline size_t ken_first_u32(const void *keys, size_t n, size_t stride, uint32_t key)
{
    size_t lo = 0;
    while (lo < n) {
        size_t mid = lo + (n - lo) / 2;
        const uint32_t *at = (const void *)((const char *)keys + mid * stride);
        if (*at < key)
            lo = mid + 1;
        else
            n = mid;
    }
    return lo;
}

static inline size_t ken_first_i64(const void *keys, size_t n, size_t stride, int64_t key)
{
    size_t lo = 0;
    while (lo < n) {
        size_t mid = lo + (n - lo) / 2;
        const int64_t *at = (const void *)((const char *)keys + mid * stride);
        if (*at < key)
            lo = mid + 1;
        else
            n = mid;
    }
    return lo;
}

static inline size_t ken_first_str(const void *keys, size_t n, size_t stride, ken_str key)
{
    size_t lo = 0;
    while (lo < n) {
        size_t mid = lo + (n - lo) / 2;
        const ken_str *at = (const void *)((const char *)keys + mid * stride);
        if (ken_str_cmp(*at, key) < 0)
            lo = mid + 1;
        else
            n = mid;
    }
    return lo;
}

#define KEN_KEYS(type, field, items, n) ((n) ? (const char *)(items) + offsetof(type, field) : NULL)
#define KEN_FIRST_U32(type, field, items, n, key) \
    ken_first_u32(KEN_KEYS(type, field, items, n), n, sizeof(type), key)
#define KEN_FIRST_I64(type, field, items, n, key) \
    ken_first_i64(KEN_KEYS(type, field, items, n), n, sizeof(type), key)
#define KEN_FIRST_STR(type, field, items, n, key) \
    ken_first_str(KEN_KEYS(type, field, items, n), n, sizeof(type), key)
// The first item whose key is larger.
#define KEN_FIRST_BEHIND_U32(type, field, items, n, key) \
    ((key) == UINT32_MAX ? (size_t)(n) : KEN_FIRST_U32(type, field, items, n, (key) + 1))

#endif
