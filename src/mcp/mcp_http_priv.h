// SPDX-License-Identifier: MIT
// mcp_http_priv.h -- what the files of the HTTP transport share.
#ifndef KEN_MCP_MCP_HTTP_PRIV_H
#define KEN_MCP_MCP_HTTP_PRIV_H

#include "base/vec.h"
#include "mcp/mcp_http.h"
#include "mcp/mcp_priv.h"

enum {
    MCP_HTTP_SESSION_ID = 44, // characters, with the NUL
    MCP_HTTP_NAME_MAX = 128,
};

// ---- mcp_http_session.c: sessions of the legacy era ---------------------------------------------
typedef struct mcp_http_event {
    uint64_t number;
    char *text; // owned: the event as it is sent
    size_t bytes;
} mcp_http_event;

// Number 0 has what belongs to no request; each of the others is the answer to one.
typedef struct mcp_http_stream {
    uint64_t number, n_events;
    bool has_ended;
    ken_httpd_request *reader;    // a GET that takes what comes; NULL = none
    KEN_VEC(mcp_http_event) kept; // for who reads it later
} mcp_http_stream;

typedef struct mcp_http_session {
    ken_mcp_http *http;
    char id[MCP_HTTP_SESSION_ID];
    char caller[MCP_HTTP_NAME_MAX], project[KEN_UUID_TEXT];
    bool is_read_only;
    ken_mcp_session *mcp;
    size_t n_users;                   // under the lock of `http`, as the next two
    int64_t used_ns;                  // last
    bool is_ended;                    // out of the table
    pthread_mutex_t lock;             // guards what follows
    KEN_VEC(mcp_http_stream) streams; // by number
    uint64_t n_streams;               // that there were
    size_t kept_bytes;
} mcp_http_session;

// A new session, used by the caller until it lets go. NULL: there are too many.
mcp_http_session *ken_mcp__http_session_new(ken_mcp_http *h, const ken_mcp_http_caller *caller);
// The same of one that there is; NULL: there is none of that caller.
mcp_http_session *ken_mcp__http_session_find(ken_mcp_http *h, ken_str id,
                                             const ken_mcp_http_caller *caller);
void ken_mcp__http_session_let_go(mcp_http_session *s);
// Nobody finds it any more, its calls are cancelled; freed when nobody uses it.
void ken_mcp__http_session_end(mcp_http_session *s);
// Takes the GET `r` as reader of what belongs to no request, or of the stream that `last_event` is of,
// from there on.
void ken_mcp__http_session_read(mcp_http_session *s, ken_httpd_request *r, ken_str last_event);
// A new stream, that begins with an event without data when `is_primed`; what is sent first is put to
// *out. Returns its number.
uint64_t ken_mcp__http_stream_new(mcp_http_session *s, bool is_primed, ken_buf *out);
// Keeps a message, and gives it to a reader; the event is put to *out (may be NULL).
void ken_mcp__http_stream_add(mcp_http_session *s, uint64_t number, ken_str message, ken_buf *out);
void ken_mcp__http_stream_end(mcp_http_session *s, uint64_t number);
// Under no lock: frees what has ended and is idle, ends what nobody used for long, and keeps readers'
// connections alive when `is_due`.
void ken_mcp__http_sessions_tick(ken_mcp_http *h, bool is_due);

// ---- mcp_http_exchange.c: one POST and its answer -----------------------------------------------
// Lives in the request's arena, until the last of what belongs to it is sent.
typedef struct mcp_http_exchange {
    ken_mcp_http *http;
    ken_httpd_request *r;
    mcp_http_session *session; // NULL = of the stateless era
    ken_mcp_session *mcp;      // that answers
    int64_t began_ns;
    bool takes_json, takes_stream; // the client does
    bool is_primed;                // a stream of it begins with an event without data
    bool is_new_session;
    bool is_call;                              // an answer is expected
    pthread_mutex_t lock;                      // guards what follows
    bool has_begun;                            // a stream
    uint64_t stream;                           // its number, in a session
    struct mcp_http_exchange *previous, *next; // under the lock of `http`
} mcp_http_exchange;

// A ken_mcp_send_fn of all sessions; `ctx` is the legacy session, or NULL.
void ken_mcp__http_send(void *ctx, const ken_mcp_sent *sent);
mcp_http_exchange *ken_mcp__http_exchange_new(ken_mcp_http *h, ken_httpd_request *r);
// Before its message is handed over: from here on its answer ends it.
void ken_mcp__http_exchange_open(mcp_http_exchange *e);
// A JSON-RPC error as the whole answer.
void ken_mcp__http_refuse(ken_httpd_request *r, int status, const char *id, int code,
                          const char *text);
// Streams for those who wait long, and signs of life for those who wait longer.
void ken_mcp__http_exchanges_tick(ken_mcp_http *h, bool is_due);
// The event of a message; `id` empty: without one.
void ken_mcp__http_put_event(ken_buf *out, const char *id, ken_str message);

extern const ken_httpd_answer_opts ken_mcp__http_stream_head;

// ---- mcp_http.c ---------------------------------------------------------------------------------
typedef struct mcp_http_shared { // of all stateless requests with the same rights
    ken_mcp_session *mcp;
    char project[KEN_UUID_TEXT];
    bool is_read_only;
} mcp_http_shared;

struct ken_mcp_http {
    ken_app *app;
    ken_mcp_opts opts;
    ken_pool *pool;
    int64_t kept_alive_ns;      // by the ticking thread
    pthread_mutex_t lock;       // guards what follows
    ken_mcp_server *servers[2]; // [1] is read-only; NULL until it is needed
    KEN_VEC(mcp_http_shared) shared;
    KEN_VEC(mcp_http_session *) sessions;
    KEN_VEC(mcp_http_session *) ended; // not idle yet
    mcp_http_exchange *exchanges;      // open
    bool is_stopping;
};

// NULL: it cannot be made, and was logged.
ken_mcp_server *ken_mcp__http_server(ken_mcp_http *h, bool is_read_only);

#endif
