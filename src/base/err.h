// SPDX-License-Identifier: MIT
// err.h -- a code for the program, a message for the person; the caller owns both.
//
// A ken_err lives on the caller's stack, zeroed. It is touched only on failure. There is no
// thread-local "last error": jobs move between threads.
#ifndef KEN_BASE_ERR_H
#define KEN_BASE_ERR_H

#include "base/attr.h"
#include "base/status.h"

typedef struct ken_err {
    ken_status status; // what happened, for programs
    const char *where; // "store_sqlite.c:412", for developers; static text
    char msg[480];     // for people: "opening store 'x.db': database is locked"
} ken_err;

#define KEN_STR2(x) #x
#define KEN_STR1(x) KEN_STR2(x)
#define KEN_HERE    __FILE__ ":" KEN_STR1(__LINE__)

// Fills `err` (may be NULL) and returns `st`, so that callers write
// `return KEN_FAIL(err, KEN_EINVAL, "limit %u is over %u", n, max);`.
#define KEN_FAIL(err, st, ...) ken_err_set((err), (st), KEN_HERE, __VA_ARGS__)

ken_status ken_err_set(ken_err *err, ken_status st, const char *where, const char *fmt, ...)
    KEN_PRINTF(4, 5) KEN_COLD;

// Puts "context: " before the message that is there. Returns err->status (KEN_EINTERNAL when NULL).
ken_status ken_err_wrap(ken_err *err, const char *fmt, ...) KEN_PRINTF(2, 3) KEN_COLD;

// As KEN_FAIL with the text of `sys_errno` appended; picks EPERM, ENOTFOUND, ENOSPC … from it.
#define KEN_FAIL_ERRNO(err, sys_errno, ...) \
    ken_err_set_errno((err), (sys_errno), KEN_HERE, __VA_ARGS__)
ken_status ken_err_set_errno(ken_err *err, int sys_errno, const char *where, const char *fmt, ...)
    KEN_PRINTF(4, 5) KEN_COLD;

#endif
