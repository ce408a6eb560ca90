// SPDX-License-Identifier: MIT
// store_debug.h -- decorators of a store or a catalog: one that traces its calls, one that fails at a
// given call.
//
// Both are backends around the backend that is there, so they work with each, and with each other.
// KEN_TRACE=store puts the first around every store and catalog that is opened.
#ifndef KEN_STORE_STORE_DEBUG_H
#define KEN_STORE_STORE_DEBUG_H

#include "store/catalog.h"
#include "store/store.h"

// One line, without its end: "put_file 'src/a.c' 17: ok, 12 us".
typedef void ken_store_trace_fn(void *ctx, ken_str line);

// From now on `fn` gets a line for every call; NULL sends them where trace points go. `ctx`
// outlives the store.
void ken_store_add_trace(ken_store *s, ken_store_trace_fn *fn, void *ctx);
void ken_catalog_add_trace(ken_catalog *c, ken_store_trace_fn *fn, void *ctx);

typedef struct ken_store_fault {
    uint64_t fail_at;  // which call fails, from 1; 0 = none
    bool is_sticky;    // and all after it (a disk that is full stays full)
    bool is_after;     // it does its work first: the answer alone is lost
    ken_status status; // with what; KEN_OK = KEN_EIO
    uint64_t n_calls;  // how many there were
    const char *name;  // static: the call that failed last
} ken_store_fault;

// `plan` is borrowed, may be changed between calls and outlives the store. Rollback and close never
// fail and are not counted.
void ken_store_add_fault(ken_store *s, ken_store_fault *plan);
void ken_catalog_add_fault(ken_catalog *c, ken_store_fault *plan);

#endif
