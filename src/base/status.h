// SPDX-License-Identifier: MIT
// status.h -- the status codes, in one table.
//
// Columns: name, text for people, exit code of the command line. KEN_OK is 0 and every other value is a
// failure, so `if (st)` is always right.
#ifndef KEN_BASE_STATUS_H
#define KEN_BASE_STATUS_H

#include "base/attr.h"

#define KEN_STATUS_TABLE(X)                   \
    X(OK, "ok", 0)                            \
    X(EINVAL, "invalid argument", 2)          \
    X(ENOTFOUND, "not found", 1)              \
    X(EEXIST, "already exists", 1)            \
    X(EIO, "input/output error", 1)           \
    X(ENOMEM, "not enough memory", 1)         \
    X(ENOSPC, "no space left", 1)             \
    X(EPERM, "not permitted", 1)              \
    X(EBUSY, "busy", 1)                       \
    X(ELIMIT, "over a limit", 1)              \
    X(ETIMEOUT, "timed out", 1)               \
    X(ECANCELLED, "cancelled", 130)           \
    X(ECORRUPT, "damaged data", 1)            \
    X(EVERSION, "made by a newer version", 1) \
    X(EUNSUPPORTED, "not supported", 1)       \
    X(EINTERNAL, "internal error", 1)         \
    X(EREMOTE, "another host fails", 1)

typedef enum ken_status {
#define X(name, text, exit_code) KEN_##name,
    KEN_STATUS_TABLE(X)
#undef X
    KEN_STATUS_COUNT
} ken_status;

// Borrowed static text; "unknown status" for a value out of range.
const char *ken_status_name(ken_status st);
const char *ken_status_text(ken_status st);
int ken_status_exit_code(ken_status st);

#endif
