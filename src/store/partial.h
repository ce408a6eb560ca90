// SPDX-License-Identifier: MIT
// partial.h -- the mark of a generation that a run has committed on its way: not all files are in it yet.
//
// A value of the index, put and removed in the transaction of the generation that it is about, so that
// whoever sees the one sees the other. A run that is killed leaves it; the next one goes on and removes it.
//
// Ownership: plain values. Threads: as the store. Errors: the store's; a mark that cannot be read is one
// that knows no numbers.
#ifndef KEN_STORE_PARTIAL_H
#define KEN_STORE_PARTIAL_H

#include "store/store.h"

typedef struct ken_partial {
    bool is_partial;          // false = the generation is complete, and nothing else is set
    bool is_first;            // no complete generation was before it
    uint64_t n_done, n_total; // files that were looked at, of those in the folder
    uint64_t bytes_done, bytes_total;
} ken_partial;

// In a transaction, or of whatever generation is there.
ken_status ken_partial_load(ken_store *store, ken_arena *arena, ken_partial *out, ken_err *err)
    KEN_MUST_USE;
// In the transaction of the generation. One that is not partial removes the mark.
ken_status ken_partial_put(ken_store *store, const ken_partial *p, ken_arena *arena, ken_err *err)
    KEN_MUST_USE;

#endif
