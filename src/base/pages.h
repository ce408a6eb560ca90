// SPDX-License-Identifier: MIT
// pages.h -- large memory straight from the system: zeroed, at the start of a page, and in large
// pages where the system has them, so that what is met anywhere in it costs no walk through tables.
//
// Ownership: the caller's, until ken_pages_free with the same size. Threads: pure.
#ifndef KEN_BASE_PAGES_H
#define KEN_BASE_PAGES_H

#include <stddef.h>

#include "base/attr.h"

void *ken_pages_try_zalloc(size_t n_bytes) KEN_MUST_USE; // NULL when memory is gone
void ken_pages_free(void *p, size_t n_bytes);            // NULL is fine

#endif
