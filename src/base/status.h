// SPDX-License-Identifier: MIT
// status.h -- what can go wrong, in one table that every surface reads.
//
// Columns: name, text for people, JSON-RPC code, HTTP status, CLI exit code. KEN_OK is 0 and every
// other value is a failure, so `if (st)` is always right.
#ifndef KEN_BASE_STATUS_H
#define KEN_BASE_STATUS_H

#include "base/attr.h"

#define KEN_STATUS_TABLE(X)                                \
    X(OK, "ok", 0, 200, 0)                                 \
    X(EINVAL, "invalid argument", -32602, 400, 2)          \
    X(ENOTFOUND, "not found", -32602, 404, 1)              \
    X(EEXIST, "already exists", -32602, 409, 1)            \
    X(EIO, "input/output error", -32603, 500, 1)           \
    X(ENOMEM, "not enough memory", -32603, 507, 1)         \
    X(ENOSPC, "no space left", -32603, 507, 1)             \
    X(EPERM, "not permitted", -32602, 403, 1)              \
    X(EBUSY, "busy", -32603, 503, 1)                       \
    X(ELIMIT, "over a limit", -32602, 413, 1)              \
    X(ETIMEOUT, "timed out", -32603, 504, 1)               \
    X(ECANCELLED, "cancelled", -32603, 499, 130)           \
    X(ECORRUPT, "damaged data", -32603, 500, 1)            \
    X(EVERSION, "made by a newer version", -32603, 500, 1) \
    X(EUNSUPPORTED, "not supported", -32601, 501, 1)       \
    X(EINTERNAL, "internal error", -32603, 500, 1)

typedef enum ken_status {
#define X(name, text, rpc, http, exit_code) KEN_##name,
    KEN_STATUS_TABLE(X)
#undef X
    KEN_STATUS_COUNT
} ken_status;

// Borrowed static text; "unknown status" for a value out of range.
const char *ken_status_name(ken_status st);
const char *ken_status_text(ken_status st);
int ken_status_rpc_code(ken_status st);
int ken_status_http_code(ken_status st);
int ken_status_exit_code(ken_status st);

#endif
