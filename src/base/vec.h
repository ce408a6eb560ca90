// SPDX-License-Identifier: MIT
// vec.h -- a typed dynamic array, one macro family with few operations.
//
// KEN_VEC(type) declares the struct {type *ptr; size_t len, cap;}; all-zero is an empty vector.
// Growth never fails for its caller (alloc.h): bound what input can make you push.
#ifndef KEN_BASE_VEC_H
#define KEN_BASE_VEC_H

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"

#define KEN_VEC(type)    \
    struct {             \
        type *ptr;       \
        size_t len, cap; \
    }

typedef KEN_VEC(unsigned) ken_vec_u32;

static inline void *ken_vec_grow(void *ptr, size_t *cap, size_t need, size_t item_bytes)
{
    if (need <= *cap)
        return ptr;
    size_t n = *cap ? *cap * 2 : 16;
    if (n < need)
        n = need;
    *cap = n;
    return ken_realloc(ptr, ken_mul_size(n, item_bytes));
}

// The same for what is sized by input: NULL when memory is gone, and then `ptr` and `cap` still hold.
static inline void *ken_vec_try_grow(void *ptr, size_t *cap, size_t need, size_t item_bytes)
{
    if (need <= *cap && ptr)
        return ptr;
    size_t n = need > *cap * 2 ? need : *cap * 2;
    void *p = ken_try_realloc(ptr, ken_mul_size(n, item_bytes));
    if (p)
        *cap = n;
    return p;
}

#define ken_vec_reserve(v, n) ((v)->ptr = ken_vec_grow((v)->ptr, &(v)->cap, (n), sizeof *(v)->ptr))
#define ken_vec_push(v, item) \
    (ken_vec_reserve((v), (v)->len + 1), (void)((v)->ptr[(v)->len++] = (item)))
#define ken_vec_clear(v)   ((void)((v)->len = 0))
#define ken_vec_release(v) (ken_free((v)->ptr), (void)memset((v), 0, sizeof *(v)))

#endif
