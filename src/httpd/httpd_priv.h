// SPDX-License-Identifier: MIT
// httpd_priv.h -- the server, a connection and a request, shared by the files of this module.
#ifndef KEN_HTTPD_HTTPD_PRIV_H
#define KEN_HTTPD_HTTPD_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "base/pool.h"
#include "base/vec.h"
#include "httpd/httpd.h"
#include "httpd/httpd_mhd_priv.h"

enum {
    HTTPD_PARAMS_MAX = 8, // of one route
    HTTPD_DAEMONS_MAX = 8 // the one that listens, and those that drain after a new certificate
};

// Connections that wait for the same thing, the longest waiting first.
typedef struct httpd_queue {
    struct httpd_connection *first, *last;
    int64_t limit_ns;
} httpd_queue;

typedef struct httpd_connection {
    int fd;
    ken_httpd *server;
    struct httpd_connection *previous, *next;
    httpd_queue *queue; // NULL = waits for nothing of its client
    int64_t since_ns;
    ken_httpd_request *request; // NULL between requests
    bool has_ended;             // its client says nothing more; in the server's list of those
    struct httpd_connection *previous_ended, *next_ended;
} httpd_connection;

typedef struct httpd_daemon {
    struct MHD_Daemon *mhd;
    char *cert, *key; // owned: the library refers to them
    int epoll_fd;
    bool is_listening;
} httpd_daemon;

struct ken_httpd {
    const httpd_mhd *mhd;
    ken_httpd_opts opts; // with the defaults put in
    char *unix_path;     // to be removed at the end; NULL = none
    uint16_t port;
    int epoll_fd, wake_fd;
    ken_pool *pool; // its one thread is the loop
    // of the loop alone
    httpd_daemon daemons[HTTPD_DAEMONS_MAX];
    size_t n_daemons;
    httpd_queue heads, bodies;
    httpd_connection *first_ended;
    bool has_room; // one has ended: the library looks for another when it runs again, not before
    bool is_draining;
    int64_t drain_until_ns;
    atomic_uint_fast64_t n_connections, n_requests, n_cut, n_starved;
    atomic_bool is_starved; // of descriptors: nothing was accepted
    atomic_bool is_stopping;
    int64_t grace_ms;     // set before is_stopping
    pthread_mutex_t lock; // guards the following
    pthread_cond_t renewed;
    const char *new_cert, *new_key; // NULL = none
    ken_status renew_status;
    ken_err renew_err;
    ken_httpd_request *first_request; // all that a connection has
};

typedef struct httpd_pair {
    ken_str name, value;
} httpd_pair;

struct ken_httpd_request {
    ken_httpd *server; // valid while `connection` is
    httpd_connection *connection;
    struct MHD_Connection *mhd_connection;
    ken_httpd_request *previous, *next; // under the server's lock
    ken_arena arena;
    ken_str method, path, query;
    KEN_VEC(httpd_pair) headers;
    const ken_httpd_route *route;
    httpd_pair params[HTTPD_PARAMS_MAX];
    size_t n_params;
    ken_buf body;
    char peer[64];
    int64_t peer_uid;
    bool is_tls;
    bool has_head;   // the head was looked at
    bool has_fold;   // a header goes on in the next line
    bool has_begun;  // the handler was called
    bool has_queued; // the answer was handed to the library
    void *user;
    int64_t began_ns;
    pthread_mutex_t lock; // guards the following
    unsigned n_owners;    // the connection, and the handler from its call on
    bool is_suspended;    // the library waits until it is resumed
    bool is_gone;         // the client is, or is taken for it
    bool is_let_go;       // by the handler
    unsigned status;
    uint64_t n_answered;           // bytes
    struct MHD_Response *response; // NULL = not answered yet
    bool is_stream, has_ended;
    ken_buf unsent;
    size_t n_sent; // of `unsent`
    ken_httpd_gone_fn *on_gone;
    void *gone_ctx;
};

// ---- httpd.c ----
// Lets the loop go on with a connection that rests; fine when it does not. Under the request's lock.
void ken_httpd__resume(ken_httpd_request *r);

// ---- httpd_request.c ----
ken_httpd_request *ken_httpd__request_new(ken_httpd *h, struct MHD_Connection *c, const char *uri);
// One owner less; the last one frees it.
void ken_httpd__request_drop(ken_httpd_request *r);
// The head is complete. False: it was refused, and the answer is there.
bool ken_httpd__take_head(ken_httpd_request *r, const char *method);
// Marks it as gone and tells the handler. On the loop.
void ken_httpd__request_gone(ken_httpd_request *r);

// ---- httpd_route.c ----
// The route of a method and path, and its named segments, decoded into the request's arena. NULL: there is
// none; *out_allow then lists the methods of that path, or is empty.
const ken_httpd_route *ken_httpd__find_route(ken_httpd_request *r, ken_str *out_allow);
// Percent signs (and plus signs of a query) undone. False for a bad escape or a zero byte.
bool ken_httpd__decode(ken_str text, bool is_query, ken_arena *arena, ken_str *out);

// ---- httpd_listen.c ----
// A socket that listens, non-blocking. A Unix socket that nobody listens on any more is replaced; a new
// one is open to its user alone.
ken_status ken_httpd__listen_unix(const char *path, int *out_fd, ken_err *err) KEN_MUST_USE;
ken_status ken_httpd__listen_tcp(const char *address, uint16_t port, int *out_fd, ken_err *err)
    KEN_MUST_USE;
uint16_t ken_httpd__port_of(int fd); // 0 for a Unix socket
// Connections that it accepts end when their other end has gone without a word (no power, no network).
void ken_httpd__watch_peers(int fd);

// ---- httpd_answer.c ----
// A short text answer of the server's own.
void ken_httpd__refuse(ken_httpd_request *r, int status, const char *text);
// Hands the answer to the library.
enum MHD_Result ken_httpd__queue(ken_httpd_request *r);

#endif
