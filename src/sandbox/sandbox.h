// SPDX-License-Identifier: MIT
// sandbox.h -- this process gives up what it will never need, for good.
//
// Landlock (Linux 5.13 and later) limits which files may be executed, written and read, and which ports
// may be taken; a seccomp filter answers EPERM to system calls that neither ken nor git needs:
// listening, tracing, mounting, namespaces, modules, keys and so on. Both hold for all children and
// cannot be undone. Where the kernel lacks a part of it, that part is left out, and the
// report shows it.
//
// Ownership: nothing is kept. Threads: call it before any other thread is started; a limit counts
// for the calling thread and what it starts. Errors: KEN_EIO when the kernel offers a limit and
// then refuses it.
#ifndef KEN_SANDBOX_SANDBOX_H
#define KEN_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"

// Folders and files; those that do not exist are passed over.
typedef struct ken_sandbox_paths {
    const char *const *ptr;
    size_t n;
} ken_sandbox_paths;

typedef struct ken_sandbox_opts {
    ken_sandbox_paths
        execute; // programs below these may be started, and below the system's folders
    bool limits_writes;
    ken_sandbox_paths write; // with limits_writes: where files may be made, changed and removed
    bool limits_reads;
    ken_sandbox_paths
        read; // with limits_reads: what may be read besides `write` and the system's folders
} ken_sandbox_opts;

// The limits that hold from now on.
typedef struct ken_sandbox {
    int landlock; // version of its interface; 0 = the kernel has none
    bool limits_execution, limits_writes, limits_reads, denies_calls;
} ken_sandbox;

ken_status ken_sandbox_enter(const ken_sandbox_opts *opts, ken_sandbox *out, ken_err *err)
    KEN_MUST_USE;
// The version of Landlock's interface that the kernel offers; 0 = none.
int ken_sandbox_landlock(void);

#endif
