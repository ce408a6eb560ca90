// SPDX-License-Identifier: MIT
// mcp_priv.h -- messages, and what the parts of a session share.
#ifndef KEN_MCP_MCP_PRIV_H
#define KEN_MCP_MCP_PRIV_H

#include <pthread.h>

#include "base/pool.h"
#include "json/json.h"
#include "mcp/mcp.h"

enum {
    KEN_MCP__PARSE = -32700,
    KEN_MCP__INVALID_REQUEST = -32600,
    KEN_MCP__METHOD_NOT_FOUND = -32601,
    KEN_MCP__INVALID_PARAMS = -32602,
    KEN_MCP__INTERNAL = -32603,
    KEN_MCP__RESOURCE_NOT_FOUND = -32002, // legacy era only
    KEN_MCP__UNSUPPORTED_VERSION = -32022,
};

// ---- mcp_rpc.c: one message ---------------------------------------------------------------------
typedef enum ken_mcp__kind {
    KEN_MCP__BAD = 0, // `code` and `err` have the reason
    KEN_MCP__REQUEST,
    KEN_MCP__NOTIFICATION,
    KEN_MCP__RESPONSE, // dropped: we send no requests
} ken_mcp__kind;

typedef struct ken_mcp__message {
    ken_mcp__kind kind;
    char *id;             // JSON text as it goes back: "7", "\"a\""; owned; NULL when there is none
    char *request_id;     // of notifications/cancelled, the same way
    char *token;          // params._meta.progressToken, the same way
    json_t *json;         // owned
    ken_str method;       // in json
    const json_t *params; // in json; an object or NULL
    int code;
    ken_err err;
} ken_mcp__message;

void ken_mcp__message_parse(ken_str text, ken_mcp__message *out);
void ken_mcp__message_release(ken_mcp__message *m);

// A whole error response. `id` NULL: left out. `data`: JSON text, or empty.
void ken_mcp__put_error(ken_buf *out, const char *id, int code, const char *message, ken_str data);

// ---- mcp_session.c ------------------------------------------------------------------------------
struct ken_mcp_server {
    ken_app *app;
    ken_mcp_opts opts;
    const ken_toolset *tools;
    ken_toolset *own_tools; // what `tools` is when opts names none
    bool is_read_only;
    bool is_json;         // answers are JSON unless a call wants another format
    ken_buf tools_list;   // the array of tools/list
    ken_buf server_info;  // {"name":…}
    ken_buf instructions; // as JSON string
    pthread_mutex_t lock; // guards: pool
    ken_pool *pool;       // NULL until the first call
};

typedef struct ken_mcp__request ken_mcp__request;
typedef void ken_mcp__method_fn(ken_mcp__request *r, ken_buf *out);

struct ken_mcp__request {
    ken_mcp_session *session;
    ken_mcp_server *server; // the session's
    ken_mcp__message msg;   // owned
    bool is_modern;
    ken_mcp__method_fn *run; // of requests that take time
    bool is_held;            // no answer until it is cancelled
    char *text;              // owned: the message of one that waits without its tree, or NULL
    size_t text_bytes;
    ken_cancel cancel;
    double last_progress;
    int64_t last_progress_ns;
    // Guarded by the session's lock:
    bool has_begun;
    bool is_dropped; // it is answered, or the client wants no answer any more
    ken_mcp__request *next_in_bucket;
    ken_mcp__request *previous, *next; // in the queue
};

enum {
    KEN_MCP__BUCKETS = 1024
};

struct ken_mcp_session {
    ken_mcp_server *server;
    ken_mcp_send_fn *send;
    void *send_ctx;
    pthread_mutex_t send_lock; // one message at a time
    pthread_mutex_t lock;      // guards all that follows
    pthread_cond_t one_ended;
    ken_mcp__request *buckets[KEN_MCP__BUCKETS]; // accepted and not ended, by the hash of the id
    size_t n_calls;                              // of those, the ones that are not held
    size_t n_held;
    ken_mcp__request *first_waiting, *last_waiting;
    size_t n_waiting, waiting_bytes;
    size_t n_workers; // that take from the queue, or are about to
    bool is_held;     // nothing begins
};

void ken_mcp__send(ken_mcp_session *s, ken_buf *message);
void ken_mcp__send_error(ken_mcp_session *s, const char *id, int code, const char *message);
size_t ken_mcp__n_workers(const ken_mcp_server *s);
// Its threads are started with the first call that needs them: a client that only probes pays
// nothing.
ken_pool *ken_mcp__pool(ken_mcp_server *s);

// ---- mcp_requests.c -----------------------------------------------------------------------------
// Takes `r`, which came as `text`: it will be answered, now or later.
void ken_mcp__accept(ken_mcp_session *s, ken_mcp__request *r, ken_str text);
void ken_mcp__cancel(ken_mcp_session *s, const char *id);
void ken_mcp__request_free(ken_mcp__request *r);

// Results are put together as text: begin, members without braces, end.
void ken_mcp__begin_result(const ken_mcp__request *r, ken_buf *out);
void ken_mcp__end_result(ken_buf *out);
// ttlMs and cacheScope where the era has them; after at least one other member.
void ken_mcp__put_cache_hints(const ken_mcp__request *r, int64_t ttl_ms, const char *scope,
                              ken_buf *out);
void ken_mcp__answer_error(const ken_mcp__request *r, int code, const char *message, ken_str data,
                           ken_buf *out);
// The context that tools get for this request.
ken_tool_ctx ken_mcp__tool_ctx(ken_mcp__request *r);

// ---- mcp_stdio.c --------------------------------------------------------------------------------
// Serves two file descriptors until the first one ends, and returns the exit status; *out_is_idle
// is false when calls were still running then (the process has to end at once).
int ken_mcp__serve(ken_app *app, const ken_mcp_opts *opts, int in_fd, int out_fd,
                   bool *out_is_idle);

// ---- mcp_resource.c -----------------------------------------------------------------------------
void ken_mcp__resources_list(ken_mcp__request *r, ken_buf *out);
void ken_mcp__resources_templates_list(ken_mcp__request *r, ken_buf *out);
void ken_mcp__resources_read(ken_mcp__request *r, ken_buf *out);
// What completes the variable `name` of a template. False: no such template, or no such variable.
bool ken_mcp__template_completes(ken_str uri, ken_str name, ken_tool_complete_kind *out);

// ---- mcp_prompt.c -------------------------------------------------------------------------------
void ken_mcp__prompts_list(ken_mcp__request *r, ken_buf *out);
void ken_mcp__prompts_get(ken_mcp__request *r, ken_buf *out);
// The same for an argument of a prompt. False: no such prompt, or no such argument.
bool ken_mcp__prompt_completes(ken_str prompt, ken_str name, ken_tool_complete_kind *out);

// ---- mcp_complete.c -----------------------------------------------------------------------------
void ken_mcp__complete(ken_mcp__request *r, ken_buf *out);

#endif
