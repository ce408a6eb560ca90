// SPDX-License-Identifier: MIT
// mcp_priv.h -- messages, and what the parts of a session share.
#ifndef KEN_MCP_MCP_PRIV_H
#define KEN_MCP_MCP_PRIV_H

#include <pthread.h>

#include "base/pool.h"
#include "json/json.h"
#include "mcp/mcp.h"
#include "mcp/mcp_roster.h"

enum {
    KEN_MCP__PARSE = -32700,
    KEN_MCP__INVALID_REQUEST = -32600,
    KEN_MCP__METHOD_NOT_FOUND = -32601,
    KEN_MCP__INVALID_PARAMS = -32602,
    KEN_MCP__INTERNAL = -32603,
    KEN_MCP__RESOURCE_NOT_FOUND = -32002, // legacy era only
    KEN_MCP__HEADER_MISMATCH = -32020,
    KEN_MCP__MISSING_CAPABILITY = -32021,
    KEN_MCP__UNSUPPORTED_VERSION = -32022,
};

#define KEN_MCP__MODERN_VERSION "2026-07-28"
#define KEN_MCP__META_PREFIX    "io.modelcontextprotocol/"

// ---- mcp_rpc.c: one message ---------------------------------------------------------------------
typedef enum ken_mcp__kind {
    KEN_MCP__BAD = 0, // `code` and `err` have the reason
    KEN_MCP__REQUEST,
    KEN_MCP__NOTIFICATION,
    KEN_MCP__RESPONSE, // to a question of ours
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
// Whether it is of the stateless era: it says its version, or asks what there is.
bool ken_mcp__message_is_modern(const ken_mcp__message *m);

// A whole error response. `id` NULL: left out. `data`: JSON text, or empty.
void ken_mcp__put_error(ken_buf *out, const char *id, int code, const char *message, ken_str data);

// ---- mcp_server.c -------------------------------------------------------------------------------
typedef struct ken_mcp__subscription ken_mcp__subscription;

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
    ken_pool *pool;       // NULL until the first call, unless it is another's
    // mcp_subscribe.c. Held while subscribers are told, so no subscriber ends meanwhile.
    pthread_mutex_t subscriptions_lock; // guards what follows
    ken_mcp__subscription *subscriptions;
    size_t n_subscriptions;
    bool is_looking; // a worker compares
    pthread_cond_t has_looked;
};

size_t ken_mcp__n_workers(const ken_mcp_server *s);
// Its threads are started with the first call that needs them: a client that only probes pays
// nothing.
ken_pool *ken_mcp__pool(ken_mcp_server *s);

// ---- mcp_session.c ------------------------------------------------------------------------------
typedef struct ken_mcp__request ken_mcp__request;
typedef struct ken_mcp__question ken_mcp__question;
typedef void ken_mcp__method_fn(ken_mcp__request *r, ken_buf *out);

// As the protocol orders them, from what is least.
#define KEN_MCP__LEVEL_TABLE(X) \
    X(DEBUG, "debug")           \
    X(INFO, "info")             \
    X(NOTICE, "notice")         \
    X(WARNING, "warning")       \
    X(ERROR, "error")           \
    X(CRITICAL, "critical")     \
    X(ALERT, "alert")           \
    X(EMERGENCY, "emergency")

typedef enum ken_mcp__level {
    KEN_MCP__LEVEL_NONE = 0, // nothing is told
#define X(name, word) KEN_MCP__LEVEL_##name,
    KEN_MCP__LEVEL_TABLE(X)
#undef X
} ken_mcp__level;

struct ken_mcp__request {
    ken_mcp_session *session;
    ken_mcp_server *server; // the session's
    ken_mcp__message msg;   // owned
    void *tag;              // goes with all that is sent for it
    int code;               // of the error that answers it; 0 = a result
    bool is_modern;
    ken_mcp__method_fn *run; // of requests that take time
    bool is_held;            // no answer until it is cancelled
    char *text;              // owned: the message of one that waits without its tree, or NULL
    size_t text_bytes;
    ken_cancel cancel;
    double last_progress; // that was told
    int64_t last_progress_ns;
    const char *result_type; // of the stateless era; NULL = complete
    // Who asks, all owned. From the transport, or NULL:
    char *request_id;
    ken_otel_context *trace; // also from the message
    char *client;            // name and version, when a tool was called; else NULL
    int64_t queued_ns;       // when it began to wait
    char *seen;              // owned: of what its answer holds, for the session; NULL = of nothing
    // Guarded by the session's lock:
    bool has_begun;
    bool is_dropped;   // it is answered, or the client wants no answer any more
    bool has_no_id;    // it is not in the table any more
    bool is_abandoned; // another than its worker has answered it
    ken_mcp__request *next_in_bucket;
    ken_mcp__request *previous, *next; // in the queue
};

enum {
    KEN_MCP__BUCKETS = 1024
};

struct ken_mcp_session {
    ken_mcp_server *server;
    ken_mcp_session_opts opts;
    char project[KEN_UUID_TEXT]; // what opts.project points to
    pthread_mutex_t send_lock;   // one message at a time
    pthread_mutex_t lock;        // guards all that follows
    pthread_cond_t one_ended;
    ken_mcp__request *buckets[KEN_MCP__BUCKETS]; // accepted and not ended, by the hash of the id
    size_t n_calls;                              // of those, the ones that are not held
    size_t n_held;
    ken_mcp__request *first_waiting, *last_waiting;
    size_t n_waiting, waiting_bytes;
    size_t n_workers;             // that take from the queue, or are about to
    bool is_held;                 // nothing begins
    ken_mcp__level level;         // what the client wants to be told, in the legacy era
    json_t *client_capabilities;  // of its initialize; NULL = none
    char *client;                 // name and version of its initialize; NULL = none
    ken_mcp__question *questions; // to the client, not answered yet
    uint64_t n_questions;         // that were asked
    char *root;                   // its folder; NULL = not asked yet, "" = it has none
    char *seen;         // handle of the code that it was sent, legacy era; NULL = none yet
    const char *era;    // static: version of the protocol of its initialize; NULL = none yet
    uint64_t roster_id; // of its client; under the lock of the roster
};

// What belongs to no request.
void ken_mcp__send(ken_mcp_session *s, const ken_buf *message);
// What belongs to a request and is not its answer.
void ken_mcp__tell(const ken_mcp__request *r, const ken_buf *message);
// Its answer.
void ken_mcp__answer(const ken_mcp__request *r, const ken_buf *message);
void ken_mcp__refuse(ken_mcp__request *r, int code, const char *message);
// That a message has none, or none any more.
void ken_mcp__answer_nothing(ken_mcp_session *s, void *tag);
// Takes `r`, whose message is parsed; `text` is what it came as.
void ken_mcp__take(ken_mcp_session *s, ken_mcp__request *r, ken_str text);
// One of that session, without its message.
ken_mcp__request *ken_mcp__request_new(ken_mcp_session *s, void *tag);

// ---- mcp_requests.c -----------------------------------------------------------------------------
// Takes `r`, which came as `text`: it will be answered, now or later.
void ken_mcp__accept(ken_mcp_session *s, ken_mcp__request *r, ken_str text);
void ken_mcp__cancel(ken_mcp_session *s, const char *id);
void ken_mcp__request_free(ken_mcp__request *r);

// ---- mcp_methods.c ------------------------------------------------------------------------------
typedef enum ken_mcp__where {
    KEN_MCP__HERE = 1, // by the thread that receives
    KEN_MCP__WORKER,
    KEN_MCP__HELD, // no answer until it is cancelled
} ken_mcp__where;

typedef struct ken_mcp__method {
    const char *name;
    ken_mcp__method_fn *run;
    bool is_legacy, is_modern;
    ken_mcp__where where;
} ken_mcp__method;

const ken_mcp__method *ken_mcp__find_method(ken_str name, bool is_modern); // NULL: there is none

// ---- mcp_result.c -------------------------------------------------------------------------------
// Results are put together as text: begin, members without braces, end.
void ken_mcp__begin_result(const ken_mcp__request *r, ken_buf *out);
void ken_mcp__end_result(ken_buf *out);
// ttlMs and cacheScope where the era has them; after at least one other member.
void ken_mcp__put_cache_hints(const ken_mcp__request *r, int64_t ttl_ms, const char *scope,
                              ken_buf *out);
void ken_mcp__answer_error(ken_mcp__request *r, int code, const char *message, ken_str data,
                           ken_buf *out);

// ---- mcp_call.c ---------------------------------------------------------------------------------
void ken_mcp__tools_call(ken_mcp__request *r, ken_buf *out);
// The client has the answer to `r`: the session remembers what it holds.
void ken_mcp__keep_seen(ken_mcp__request *r);
// "name/version" of a clientInfo; owned; NULL when it says no name.
char *ken_mcp__client_of(const json_t *info);
// The context that tools get for this request.
ken_tool_ctx ken_mcp__tool_ctx(ken_mcp__request *r);

// ---- mcp_tell.c: what a client is told while a request runs -------------------------------------
// false: no such word.
bool ken_mcp__level_parse(ken_str word, ken_mcp__level *out);
// When it is more than before, and the client wants it.
void ken_mcp__tell_progress(ken_mcp__request *r, double done, double total, const char *message);
// If the client wants to be told what has that level.
void ken_mcp__tell_log(ken_mcp__request *r, ken_mcp__level level, ken_str text);

// ---- mcp_ask.c: what a client is asked ----------------------------------------------------------
// Sends a request as part of `r` (legacy era) and waits for what the client answers; `params` is JSON
// text. KEN_EUNSUPPORTED unless the client has that capability, KEN_ECANCELLED, KEN_ETIMEOUT, KEN_EIO
// for an error of the client's.
ken_status ken_mcp__ask(ken_mcp__request *r, const char *capability, const char *method,
                        ken_str params, int64_t within_ms, json_t **out, ken_err *err) KEN_MUST_USE;
// Takes m->json.
void ken_mcp__take_response(ken_mcp_session *s, ken_mcp__message *m);
// The client's folder, asked for once; empty when it has none or does not tell. Borrowed.
ken_str ken_mcp__client_root(ken_mcp__request *r);

// ---- mcp_subscribe.c ----------------------------------------------------------------------------
void ken_mcp__resources_subscribe(ken_mcp__request *r, ken_buf *out);
void ken_mcp__resources_unsubscribe(ken_mcp__request *r, ken_buf *out);
void ken_mcp__listen(ken_mcp__request *r, ken_buf *out);
// `r` NULL: of the whole session. After it nothing is sent for them any more.
void ken_mcp__unsubscribe_all(ken_mcp_session *s, const ken_mcp__request *r);

// Who listens in the stateless era hears that tools/list has changed.
void ken_mcp__tell_tools(ken_mcp_server *s);

// ---- mcp_roster.c: nothing where the server has none ----------------------------------------------
typedef struct ken_mcp__ended_call {
    const char *tool;
    ken_tool_about about;
    int64_t ns;
    size_t n_bytes; // of the answer
    ken_status st;
    const ken_err *err;
} ken_mcp__ended_call;

void ken_mcp__roster_join(struct ken_mcp_roster *r, ken_mcp_server *s);
void ken_mcp__roster_leave(struct ken_mcp_roster *r, const ken_mcp_server *s);
// A session of the legacy era that was initialized; before it is freed.
void ken_mcp__roster_open(ken_mcp_session *s);
void ken_mcp__roster_close(ken_mcp_session *s);
// `q->client` is set.
void ken_mcp__roster_note_client(ken_mcp__request *q);
void ken_mcp__roster_note_call(ken_mcp__request *q, const ken_mcp__ended_call *ended);

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
// A number that changes with what reading the resource gives, made of the index brought up to date; 0
// when there is no such resource.
uint64_t ken_mcp__resource_state(ken_mcp_server *s, ken_str project, ken_str uri);
bool ken_mcp__resource_is_ours(ken_str uri); // by its form
// The project that an address names; ptr NULL: none.
ken_str ken_mcp__resource_project(ken_str uri, ken_arena *arena);

// ---- mcp_prompt.c -------------------------------------------------------------------------------
void ken_mcp__prompts_list(ken_mcp__request *r, ken_buf *out);
void ken_mcp__prompts_get(ken_mcp__request *r, ken_buf *out);
// The same for an argument of a prompt. False: no such prompt, or no such argument.
bool ken_mcp__prompt_completes(ken_str prompt, ken_str name, ken_tool_complete_kind *out);

// ---- mcp_extension.c ----------------------------------------------------------------------------
bool ken_mcp__extension_takes(const ken_mcp__request *r);
void ken_mcp__extension_run(ken_mcp__request *r, ken_buf *out);
// The extension's members of a list (KEN_MCP_TOOLS, …), after those of ours.
void ken_mcp__put_extension(const ken_mcp_server *s, ken_mcp_list list, bool is_first,
                            ken_buf *out);

// ---- mcp_complete.c -----------------------------------------------------------------------------
void ken_mcp__complete(ken_mcp__request *r, ken_buf *out);

#endif
