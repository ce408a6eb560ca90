// SPDX-License-Identifier: MIT
// patience.h -- trying again while somebody else, often another process, holds what is needed.
//
//     ken_patience p = { .max_ms = 10000 };
//     do
//         st = try(&e);
//     while (ken_patience_tries_again(&p, &st, cancel, &e));
#ifndef KEN_BASE_PATIENCE_H
#define KEN_BASE_PATIENCE_H

#include "base/cancel.h"

typedef struct ken_patience {
    int64_t max_ms;             // of waiting, in all
    void (*on_wait)(void *ctx); // before each wait; may be NULL
    void *ctx;
    int64_t end_ns; // own
} ken_patience;

// After KEN_EBUSY waits for a moment and clears `err`, until its time is over; then, and after anything else,
// false. A cancel ends the wait, and is the status then.
bool ken_patience_tries_again(ken_patience *p, ken_status *st, const ken_cancel *cancel,
                              ken_err *err);

#endif
