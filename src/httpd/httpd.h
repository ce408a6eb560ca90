// SPDX-License-Identifier: MIT
// httpd.h -- an HTTP/1.1 server over libmicrohttpd, which is loaded when the first server starts.
//
// It knows routes, bodies, answers, event streams, connections and their limits, and nothing about
// what is served. One thread (the loop) reads and writes all connections; it calls a handler when a
// request is complete. A handler must not block: it answers at once, or keeps the request and
// answers later from any thread.
//
// Ownership: a request belongs to its handler from the call until ken_httpd_answer or
// ken_httpd_end, exactly one of which must follow, also when the client has gone. Everything that
// the accessors return lives as long. Threads: ken_httpd_answer, ken_httpd_begin and ken_httpd_end
// from any thread, one at a time for one request; ken_httpd_write from any thread before the end; the
// accessors from whichever has it.
// Locks: each request has one, a leaf. Errors: KEN_EUNSUPPORTED when libmicrohttpd is not installed,
// KEN_EBUSY when the port is taken, KEN_EINVAL for an address that is none or a certificate that
// cannot be used.
#ifndef KEN_HTTPD_HTTPD_H
#define KEN_HTTPD_HTTPD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/err.h"
#include "base/str.h"

typedef struct ken_httpd ken_httpd;
typedef struct ken_httpd_request ken_httpd_request;

// Called on the loop with a whole request.
typedef void ken_httpd_handler_fn(void *ctx, ken_httpd_request *r);
// Called on the loop when the head of a request is there and before its body is read. False: it has
// answered (a refusal), and the request is no longer its own.
typedef bool ken_httpd_check_fn(void *ctx, ken_httpd_request *r);

// Called on the loop when a request has ended, however; for records and counts. The accessors hold.
typedef void ken_httpd_done_fn(void *ctx, const ken_httpd_request *r);

// A path is made of segments: literal, "{name}" (one segment, not empty) or, last, "{name...}" (the
// rest, may be empty). Literal segments win over names. GET answers HEAD as well.
typedef struct ken_httpd_route {
    const char *method;
    const char *path;
    ken_httpd_handler_fn *handle;
    size_t max_body_bytes; // larger ones are refused with 413; 0 = a body is refused
} ken_httpd_route;

enum {
    KEN_HTTPD_CONNECTIONS = 16 * 1024,
    KEN_HTTPD_HEAD_BYTES = 16 * 1024,
    KEN_HTTPD_IDLE_MS = 75 * 1000,
    KEN_HTTPD_BODY_MS = 30 * 1000,
    KEN_HTTPD_UNSENT_BYTES = 8 * 1024 * 1024,
};

typedef struct ken_httpd_opts {
    const char *address; // "127.0.0.1", "::1", or the path of a Unix socket
    uint16_t port;       // 0 = one that is free, told by ken_httpd_port
    int listen_fd;       // a socket that listens already and is taken over; 0 = none
    const ken_httpd_route *routes;
    size_t n_routes;
    ken_httpd_check_fn *check; // may be NULL
    ken_httpd_done_fn *done;   // may be NULL
    void *ctx;                 // of check, done and all handlers
    const char *tls_cert;      // PEM text; NULL = no TLS
    const char *tls_key;
    // 0 = the constant above
    unsigned max_connections, max_per_address; // 0 for max_per_address = no limit
    size_t max_head_bytes;                     // of request line and headers
    int64_t idle_ms;         // from the connection, or the last answer, to a whole head
    int64_t body_ms;         // from the head to the whole body
    size_t max_unsent_bytes; // of a stream that its client does not read
} ken_httpd_opts;

// A socket that listens, for opts.listen_fd: for who gives up that right before the server starts.
// `address` is as in the options.
ken_status ken_httpd_listen(const char *address, uint16_t port, int *out_fd, ken_err *err)
    KEN_MUST_USE;

// `opts->routes` must outlive the server. It runs from here on.
ken_status ken_httpd_start(const ken_httpd_opts *opts, ken_httpd **out, ken_err *err) KEN_MUST_USE;
// Takes no further connection, waits for what is being answered, then closes all connections. What is
// not answered after `grace_ms` is told as gone; handlers must still let go of their requests.
// NULL is fine.
void ken_httpd_stop(ken_httpd *h, int64_t grace_ms);
uint16_t ken_httpd_port(const ken_httpd *h); // 0 for a Unix socket
// New connections get this certificate; those that are open keep the old one.
ken_status ken_httpd_renew_tls(ken_httpd *h, const char *cert, const char *key, ken_err *err)
    KEN_MUST_USE;

typedef struct ken_httpd_counts {
    uint64_t n_connections; // open
    uint64_t n_requests;    // begun and not ended, streams included
    uint64_t n_cut;         // connections closed for being slow, or for a stream that nobody read
    uint64_t n_starved;     // times that there was no descriptor for a connection
} ken_httpd_counts;
ken_httpd_counts ken_httpd_count(const ken_httpd *h);

// ---- a request ---------------------------------------------------------------------------------
ken_str ken_httpd_method(const ken_httpd_request *r);
ken_str ken_httpd_path(const ken_httpd_request *r); // as it came, without the query
// The segment that the route names, decoded; ptr NULL when the route has no such name.
ken_str ken_httpd_param(const ken_httpd_request *r, const char *name);
// The first value of the query's name, decoded; ptr NULL when it is not there, "" without "=".
ken_str ken_httpd_query(ken_httpd_request *r, const char *name);
// The i-th name and value of the query, decoded; ptr NULL for a bad escape. False past the last.
bool ken_httpd_query_at(ken_httpd_request *r, size_t i, ken_str *out_name, ken_str *out_value);
// The first header of that name, case ignored; ptr NULL when it is not there.
ken_str ken_httpd_header(const ken_httpd_request *r, const char *name);
ken_str ken_httpd_body(const ken_httpd_request *r);
// How much a list such as Accept or Accept-Encoding wants `word`: 1 fully, 0 not at all (RFC 9110,
// 12.4.2). Of the ranges that fit, the narrowest counts: the word, "type/*", "*/*" and "*".
double ken_httpd_weight(ken_str list, const char *word);
// Whether the body is said to be JSON, whatever the parameters of its type.
bool ken_httpd_has_json(const ken_httpd_request *r);
ken_arena *ken_httpd_arena(ken_httpd_request *r);
// The other end: "127.0.0.1", "::1"; "unix" for a Unix socket. *out_uid: its user there, else -1.
ken_str ken_httpd_peer(const ken_httpd_request *r, int64_t *out_uid);
bool ken_httpd_is_tls(const ken_httpd_request *r);
// The path of its route, as the route has it; "" before it is known, and when there is none.
const char *ken_httpd_route_of(const ken_httpd_request *r);
int ken_httpd_status(const ken_httpd_request *r); // of the answer; 0 = there is none
// Whether If-None-Match has that validator (without quotes; NULL: no).
bool ken_httpd_knows(const ken_httpd_request *r, const char *etag);
// Bytes of the answer's body so far, before compression.
uint64_t ken_httpd_answered_bytes(const ken_httpd_request *r);
// Nanoseconds since its head began.
int64_t ken_httpd_age_ns(const ken_httpd_request *r);
// Whatever the caller likes to keep with it.
void ken_httpd_set_user(ken_httpd_request *r, void *user);
void *ken_httpd_user(const ken_httpd_request *r);

// Calls `fn` on the loop, once, when the client goes before the end; at once, on this thread, when it
// has gone already. Never after ken_httpd_answer or ken_httpd_end was called.
typedef void ken_httpd_gone_fn(void *ctx, ken_httpd_request *r);
void ken_httpd_on_gone(ken_httpd_request *r, ken_httpd_gone_fn *fn, void *ctx);

// ---- an answer ---------------------------------------------------------------------------------
typedef struct ken_httpd_field {
    const char *name, *value; // no control characters; fields that have some are left out
} ken_httpd_field;

typedef struct ken_httpd_answer_opts {
    int status;
    const char *type; // Content-Type; NULL = none
    ken_str body;     // copied, unless is_static
    bool is_static;   // the body outlives the server
    // Strong validator without quotes; a request that has it in If-None-Match gets 304.
    const char *etag;
    bool may_compress; // zstd or gzip, as the client takes it, from 1 KiB on
    bool wants_close;  // the connection ends with this answer
    const ken_httpd_field *fields;
    size_t n_fields;
} ken_httpd_answer_opts;

void ken_httpd_answer(ken_httpd_request *r, const ken_httpd_answer_opts *a);

// A stream: the head now, bytes as they come, the end.
void ken_httpd_begin(ken_httpd_request *r, const ken_httpd_answer_opts *head);
// False when the client has gone, or does not read (then it is gone).
bool ken_httpd_write(ken_httpd_request *r, ken_str bytes);
size_t ken_httpd_unsent(ken_httpd_request *r); // bytes
void ken_httpd_end(ken_httpd_request *r);

#endif
