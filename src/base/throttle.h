// SPDX-License-Identifier: MIT
// throttle.h -- how many requests a second each key (a project, a token, an address) may make.
//
// A key that keeps to the rate is never refused, and may save up a burst. The table is of fixed size:
// when it is full, the key that is least in debt is forgotten, which for one that kept to its rate
// changes nothing. So no flood of keys frees one that is refused.
//
// Threads: shared. Lock: one, a leaf.
#ifndef KEN_BASE_THROTTLE_H
#define KEN_BASE_THROTTLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct ken_throttle ken_throttle;

typedef struct ken_throttle_opts {
    uint64_t per_second; // of one key; 0 = nothing is ever refused
    uint64_t burst;      // at once; 0 = those of two seconds
    size_t max_keys;     // 0 = 8,192
    uint64_t seed;       // random, so that nobody can choose keys that take each other's place
} ken_throttle_opts;

typedef struct ken_throttle_counts {
    uint64_t n_allowed, n_refused;
    size_t n_keys; // in the table
} ken_throttle_counts;

ken_throttle *ken_throttle_new(const ken_throttle_opts *opts);
void ken_throttle_free(ken_throttle *t); // NULL is fine
// 0: it may go on, and was counted. Else the milliseconds until it may, at least 1; asking costs nothing.
// `now_ns` is of one clock that does not go back (base/clock.h).
uint64_t ken_throttle_take(ken_throttle *t, ken_str key, int64_t now_ns);
ken_throttle_counts ken_throttle_count(ken_throttle *t);

#endif
