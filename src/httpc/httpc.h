// SPDX-License-Identifier: MIT
// httpc.h -- an HTTP client over libcurl, which is loaded when the first request is made.
//
// Linking libcurl would cost every start of the program several milliseconds for a library that
// most runs never call. http and https only, certificates always checked, no redirects unless asked
// for, everything bounded: time, size of the answer, number of redirects. Retrying is the caller's.
//
// A client keeps connections open between requests. Headers and bodies are never logged: they hold
// keys and code.
//
// Ownership: the caller releases a response after success. Threads: any number may use one client
// at the same time; one mutex guards the list of idle connections. Errors: KEN_EUNSUPPORTED when
// libcurl is not installed, KEN_EINVAL for what is wrong in a request, KEN_ETIMEOUT, KEN_ELIMIT
// (too large), KEN_ECANCELLED, KEN_EIO for the rest; *out_fault has the details. An answer with any
// status is a success here.
#ifndef KEN_HTTPC_HTTPC_H
#define KEN_HTTPC_HTTPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"
#include "base/str.h"

// name, text for people (after "'http://…': ")
#define KEN_HTTPC_FAULT_TABLE(X)                      \
    X(NONE, "no fault")                               \
    X(UNAVAILABLE, "libcurl is not installed")        \
    X(REQUEST, "the request is not valid")            \
    X(DNS, "the name of the host cannot be resolved") \
    X(REFUSED, "the connection was refused")          \
    X(TIMEOUT, "timed out")                           \
    X(TLS, "no secure connection")                    \
    X(BROKEN, "the connection broke before the end")  \
    X(NOT_HTTP, "the answer is no HTTP")              \
    X(TOO_LARGE, "the answer is larger than allowed") \
    X(REDIRECT, "too many or forbidden redirects")    \
    X(CANCELLED, "cancelled")                         \
    X(DISK, "what came could not be written")

typedef enum ken_httpc_fault {
#define X(name, text) KEN_HTTPC_##name,
    KEN_HTTPC_FAULT_TABLE(X)
#undef X
} ken_httpc_fault;

const char *ken_httpc_fault_text(ken_httpc_fault f); // static

typedef struct ken_httpc ken_httpc;

typedef struct ken_httpc_header {
    const char *name;
    const char *value; // printable ASCII
} ken_httpc_header;

enum {
    KEN_HTTPC_CONNECT_MS = 10 * 1000,
    KEN_HTTPC_TIMEOUT_MS = 30 * 1000,
    KEN_HTTPC_BODY_MAX = 16 * 1024 * 1024,
    KEN_HTTPC_REDIRECTS_MAX = 5,
};

typedef struct ken_httpc_request {
    const char *url;
    const char *method; // NULL = POST when there is a body, else GET
    const ken_httpc_header *headers;
    size_t n_headers;
    ken_str body;
    int64_t connect_ms; // 0 = KEN_HTTPC_CONNECT_MS
    int64_t timeout_ms; // of everything; 0 = KEN_HTTPC_TIMEOUT_MS
    size_t max_bytes;   // of the answer's body; 0 = KEN_HTTPC_BODY_MAX
    const ken_cancel *cancel;
    ken_httpc_fault *out_fault; // set when it fails; may be NULL
} ken_httpc_request;

typedef struct ken_httpc_response {
    int status;            // 200
    int64_t retry_after_s; // -1 = the header is not there, or is a date
    ken_buf body;
} ken_httpc_response;

ken_httpc *ken_httpc_new(void) KEN_MUST_USE;
void ken_httpc_free(ken_httpc *c);

ken_status ken_httpc_send(ken_httpc *c, const ken_httpc_request *request, ken_httpc_response *out,
                          ken_err *err) KEN_MUST_USE;
void ken_httpc_response_release(ken_httpc_response *r);

// KEN_EINVAL unless it is an http or https URL with a host and without user or password.
ken_status ken_httpc_check_url(ken_str url, ken_err *err) KEN_MUST_USE;
// The host of such a URL, without port and brackets; empty when it is none.
ken_str ken_httpc_host(ken_str url);
// Whether that host is this machine, by its name alone: localhost, 127.x.x.x, ::1.
bool ken_httpc_is_loopback(ken_str url);

// ---- files -----------------------------------------------------------------------------------
// How much there is so far; total 0 = not known. Called a few times a second at most.
typedef void ken_httpc_progress_fn(void *ctx, uint64_t done_bytes, uint64_t total_bytes);

typedef struct ken_httpc_download {
    const char *url;
    const char *path;                // the file; what is in it already is taken for the beginning
    const char *bearer;              // a token for the host of `url` alone; NULL = none
    uint64_t max_bytes;              // 0 = 16 GiB
    int64_t connect_ms;              // 0 = KEN_HTTPC_CONNECT_MS
    int64_t stall_ms;                // without a byte; 0 = 60 s
    ken_httpc_progress_fn *progress; // may be NULL
    void *ctx;
    const ken_cancel *cancel;
    ken_httpc_fault *out_fault; // as above
} ken_httpc_download;

// Fetches a file, going on where an earlier call stopped when the server can do that, and when the
// file there is still the same by its ETag, which is kept in `path`.tag meanwhile. Follows
// redirects, from https to https only. What has come stays on disk when it fails. A status other
// than 200 and 206 is an error: KEN_ENOTFOUND for 404, else KEN_EIO. Whether the file is the right
// one is for the caller to check. `*out_resumed_bytes` (may be NULL): what was there before and was
// used.
ken_status ken_httpc_fetch(ken_httpc *c, const ken_httpc_download *d, uint64_t *out_resumed_bytes,
                           ken_err *err) KEN_MUST_USE;

#endif
