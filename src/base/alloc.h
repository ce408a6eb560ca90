// SPDX-License-Identifier: MIT
// alloc.h -- the only malloc of the tree.
//
// ken_alloc and its kin abort with a message when memory is gone: they are for small, bounded
// sizes. Whatever is sized by input uses ken_try_* and answers KEN_ENOMEM. All are safe from any
// thread.
#ifndef KEN_BASE_ALLOC_H
#define KEN_BASE_ALLOC_H

#include <stddef.h>

#include "base/attr.h"

void *ken_alloc(size_t n_bytes) KEN_MUST_USE;                // uninitialised, never NULL
void *ken_zalloc(size_t n_bytes) KEN_MUST_USE;               // zeroed, never NULL
void *ken_realloc(void *p, size_t n_bytes) KEN_MUST_USE;     // never NULL
void *ken_try_alloc(size_t n_bytes) KEN_MUST_USE;            // NULL when memory is gone
void *ken_try_zalloc(size_t n_bytes) KEN_MUST_USE;           // NULL when memory is gone
void *ken_try_realloc(void *p, size_t n_bytes) KEN_MUST_USE; // NULL: `p` is still valid
char *ken_strndup(const char *s, size_t len) KEN_MUST_USE;   // NUL-terminated copy
char *ken_strdup(const char *s) KEN_MUST_USE;
void ken_free(void *p); // NULL is fine

// Ends the program as an allocation of that many bytes does when memory is gone.
KEN_NORETURN KEN_COLD void ken_alloc_fail(size_t n_bytes);

// a * b, or SIZE_MAX when that overflows (which no allocation can satisfy).
size_t ken_mul_size(size_t a, size_t b);

// Gives memory that is free inside the allocator back to the system (after a large job).
void ken_alloc_trim(void);

#endif
