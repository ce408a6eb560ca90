// SPDX-License-Identifier: MIT
// embed_debug.h -- decorators: an embedder that reports its calls, and one that fails on demand.
//
// Both are backends around the backend that is there, so they work with each, and with each other.
// KEN_TRACE=embed puts the first around every embedder that is opened. Add them before the embedder
// is shared between threads.
#ifndef KEN_EMBED_EMBED_DEBUG_H
#define KEN_EMBED_EMBED_DEBUG_H

#include <stdatomic.h>

#include "embed/embed.h"

// One line, without its end: "embed 50 documents, 81234 bytes: ok, 1200 us". Never a text itself.
// Called by every thread that embeds.
typedef void ken_embed_trace_fn(void *ctx, ken_str line);

// From now on `fn` gets a line for every call; NULL sends them where trace points go. `ctx`
// outlives the embedder.
void ken_embedder_add_trace(ken_embedder *e, ken_embed_trace_fn *fn, void *ctx);

// The faults that a provider can show.
typedef enum ken_embed_fault_kind {
    KEN_EMBED_FAULT_NONE = 0,
    KEN_EMBED_FAULT_FAIL, // with `status`
    KEN_EMBED_FAULT_NAN,  // a vector that is not a number
    KEN_EMBED_FAULT_ZERO, // a vector of zeros
} ken_embed_fault_kind;

typedef struct ken_embed_fault {
    atomic_ullong n_calls;      // how many there were
    unsigned long long fail_at; // which call fails, from 1; 0 = none
    bool is_sticky;             // and all after it
    ken_embed_fault_kind kind;
    ken_status status; // KEN_OK = KEN_EIO
} ken_embed_fault;

// `plan` is borrowed and outlives the embedder; it is changed between calls only.
void ken_embedder_add_fault(ken_embedder *e, ken_embed_fault *plan);

#endif
