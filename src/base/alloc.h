// SPDX-License-Identifier: MIT
// alloc.h -- the only malloc of the tree, and accounts of what a thread takes from it.
//
// ken_alloc and its kin never return NULL. When the system refuses memory they give back a reserve
// of a few MiB, mark the thread's account (or, without one, the process) as starved, and try again:
// the job finds that at its next check (quota.h, cancel.h) and unwinds with KEN_ENOMEM. When
// the reserve is gone too, the program ends with a message and exit code 1. So they are for bounded
// sizes; whatever is sized by input uses ken_try_* and answers KEN_ENOMEM.
//
// Accounts: what a thread allocates and frees between ken_account_enter and its undoing is counted.
// Plain arithmetic on the thread's own account: no atomics, no locks (but for those that are part of a total). Memory that was taken before
// and is freed inside lowers the count, down to 0: an account measures growth.
//
// Threads: all functions are safe from any thread; an account belongs to one thread at a time.
#ifndef KEN_BASE_ALLOC_H
#define KEN_BASE_ALLOC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

void *ken_alloc(size_t n_bytes) KEN_MUST_USE;                // uninitialised, never NULL
void *ken_zalloc(size_t n_bytes) KEN_MUST_USE;               // zeroed, never NULL
void *ken_realloc(void *p, size_t n_bytes) KEN_MUST_USE;     // never NULL
void *ken_try_alloc(size_t n_bytes) KEN_MUST_USE;            // NULL when memory is gone
void *ken_try_zalloc(size_t n_bytes) KEN_MUST_USE;           // NULL when memory is gone
void *ken_try_realloc(void *p, size_t n_bytes) KEN_MUST_USE; // NULL: `p` is still valid
char *ken_strndup(const char *s, size_t len) KEN_MUST_USE;   // NUL-terminated copy
char *ken_strdup(const char *s) KEN_MUST_USE;
void ken_free(void *p); // NULL is fine

// Ends the program as an allocation of that many bytes does when memory and reserve are gone.
KEN_NORETURN KEN_COLD void ken_alloc_fail(size_t n_bytes);

// a * b, or SIZE_MAX when that overflows (which no allocation can satisfy).
size_t ken_mul_size(size_t a, size_t b);

// Gives memory that is free inside the allocator back to the system (after a large job).
void ken_alloc_trim(void);

// ---- accounts --------------------------------------------------------------------------------
typedef struct ken_account {
    size_t used_bytes, peak_bytes;
    size_t limit_bytes; // above it is_over is set, and allocation goes on; 0 = no limit
    size_t max_bytes;   // ken_try_* refuse what would lead above it; 0 = no limit
    bool is_over;
    bool is_starved; // the system refused memory while this account was entered
    // What several accounts have together, each on its thread; NULL = it is alone. Then the limits are those of
    // the total, from which an account draws in pieces, before it uses them.
    atomic_size_t *total;
    size_t drawn_bytes;
} ken_account;

// Makes `a` (NULL = none) the account of this thread; returns the one that was, to be entered
// again.
ken_account *ken_account_enter(ken_account *a);

// What counts beside its limits: its own bytes, or the total that it is part of.
size_t ken_account_used(const ken_account *a);
// Of the total it has no more than it uses.
void ken_account_settle(ken_account *a);

// True while the reserve is used up by a thread without an account. Ends with ken_alloc_refill.
bool ken_alloc_is_starved(void);
// Takes the reserve again, if it is gone and can be had: at the start and end of every job.
void ken_alloc_refill(void);

#endif
