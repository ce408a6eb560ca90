// SPDX-License-Identifier: MIT
// cancel.h -- asking a long job to stop.
//
// One thread (or a signal handler) sets the flag, any number of threads read it. Every long loop
// checks it often: through a ken_cancel * that it was given (NULL = it has none of its own), and so
// through the quota of its thread, which has the one of the question (quota.h).
#ifndef KEN_BASE_CANCEL_H
#define KEN_BASE_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

typedef struct ken_cancel {
    atomic_bool is_set;
    int64_t deadline_ns;           // monotonic; 0 = none
    const struct ken_cancel *also; // one that counts too; NULL = none
} ken_cancel;

static inline void ken_cancel_set(ken_cancel *c)
{
    atomic_store_explicit(&c->is_set, true, memory_order_relaxed);
}

// KEN_OK, or KEN_ECANCELLED / KEN_ETIMEOUT with a message; the status of ken_quota_check; KEN_ENOMEM
// when the system has no memory for what runs without a quota.
ken_status ken_cancel_check(const ken_cancel *c, ken_err *err) KEN_MUST_USE;
// The flag alone, without the clock: cheap enough for inner loops.
static inline bool ken_cancel_is_set(const ken_cancel *c)
{
    while (c && !atomic_load_explicit(&c->is_set, memory_order_relaxed))
        c = c->also;
    return c;
}

#endif
