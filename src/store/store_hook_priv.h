// SPDX-License-Identifier: MIT
// store_hook_priv.h -- a backend around a backend, with a callback before and after every call.
#ifndef KEN_STORE_STORE_HOOK_PRIV_H
#define KEN_STORE_STORE_HOOK_PRIV_H

#include "store/store_ops.h"

// The arguments of the call, as a line of text.
typedef struct ken_store_call {
    const char *name; // static
    ken_str text;     // a path or a name; ptr NULL = none
    int64_t number;   // an id or a count
} ken_store_call;

// Anything but KEN_OK is the answer, and the call is not made. NULL = always make it.
typedef ken_status ken_store_before_fn(void *ctx, const ken_store_call *c, ken_err *err);
// May change the answer.
typedef ken_status ken_store_after_fn(void *ctx, const ken_store_call *c, ken_status st, int64_t ns,
                                      ken_err *err);

typedef struct ken_store_hook {
    ken_store_before_fn *before;
    ken_store_after_fn *after;
    void (*free_ctx)(void *ctx); // NULL = borrowed
    void *ctx;
} ken_store_hook;

// Puts a backend that calls `h` around that of `s`, or of `c`.
void ken_store__hook(ken_store *s, const ken_store_hook *h);
void ken_catalog__hook(ken_catalog *c, const ken_store_hook *h);

#endif
