// SPDX-License-Identifier: MIT
// alloc_debug.h -- refuses chosen allocations, for tests.
//
// Threads: the plan is one for the process; set it while no other thread allocates.
#ifndef KEN_BASE_ALLOC_DEBUG_H
#define KEN_BASE_ALLOC_DEBUG_H

#include <stdint.h>

// The `at`-th request to the system from now on (from 1) and the n - 1 after it are refused; at 0 =
// none. A request is one malloc, calloc or realloc: the second try of ken_alloc after it has given
// back the reserve is a request of its own. So n = 1 is a refusal that the reserve makes good, and
// UINT64_MAX memory that is gone for good. Returns how many requests there were under the plan
// before.
uint64_t ken_alloc_debug_refuse(uint64_t at, uint64_t n);

#endif
