// SPDX-License-Identifier: MIT
// assert.h -- for our own mistakes only; data from files, network or database is never asserted.
//
// KEN_ASSERT stays in release builds. KEN_DASSERT is for costly checks and exists in debug builds.
#ifndef KEN_BASE_ASSERT_H
#define KEN_BASE_ASSERT_H

#include "base/attr.h"

KEN_NORETURN void ken_assert_failed(const char *expr, const char *file, int line) KEN_COLD;

#define KEN_ASSERT(expr) ((expr) ? (void)0 : ken_assert_failed(#expr, __FILE__, __LINE__))

#ifdef NDEBUG
#define KEN_DASSERT(expr) ((void)sizeof(!(expr)))
#else
#define KEN_DASSERT(expr) KEN_ASSERT(expr)
#endif

#endif
