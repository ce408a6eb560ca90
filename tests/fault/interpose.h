// SPDX-License-Identifier: MIT
// interpose.h -- what the library of faults and the tests that load it share.
#ifndef KEN_TESTS_FAULT_INTERPOSE_H
#define KEN_TESTS_FAULT_INTERPOSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// X(name, word, first error)
#define FAULT_CLASSES(X)                       \
    X(ALLOC, "allocation", ENOMEM)             \
    X(READ, "read", EIO)                       \
    X(WRITE, "write", ENOSPC)                  \
    X(SYNC, "sync", EIO)                       \
    X(OPEN, "open", EMFILE)                    \
    X(RENAME, "rename, unlink, mkdir", EACCES) \
    X(STAT, "stat", EIO)                       \
    X(TRUNCATE, "truncate", ENOSPC)            \
    X(MMAP, "mmap", ENOMEM)                    \
    X(LOCK, "lock", EIO)                       \
    X(THREAD, "thread", EAGAIN)                \
    X(CHILD, "child, pipe", EAGAIN)

typedef enum fault_class {
    FAULT_NONE = 0,
#define X(name, word, error) FAULT_##name,
    FAULT_CLASSES(X)
#undef X
    FAULT_CLASS_COUNT
} fault_class;

typedef struct fault_state {
    fault_class class;
    uint64_t at; // the call that fails, from 1; 0 = none
    bool is_from_then_on;
    bool is_short; // reads and writes do half of what is asked for, and do not fail
    int error;     // errno
    _Atomic uint64_t n_calls, n_failed;
    _Atomic int64_t clock_step_s; // how far the wall clock is ahead of the true one
} fault_state;

#endif
