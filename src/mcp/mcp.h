// SPDX-License-Identifier: MIT
// mcp.h -- the Model Context Protocol over the tools: sessions, and the stdio transport. The HTTP
// transport is mcp_http.h.
//
// One session speaks both eras at once: a request that carries its protocol version in `_meta` is
// served statelessly (2026-07-28), any other as after an `initialize` handshake (2025-11-25,
// 2025-06-18, 2024-11-05). What is quick is answered by the thread that receives; tools and
// resources run on a bounded pool, so that ping and cancellation are answered while a long call
// runs.
//
// Ownership: a server outlives its sessions. Threads: ken_mcp_session_receive from one thread at a
// time; `send` is called from any thread, never by two at once for one session. README.md has
// more.
#ifndef KEN_MCP_MCP_H
#define KEN_MCP_MCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/app.h"
#include "base/attr.h"
#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "tool/tool.h"

enum {
    KEN_MCP_MESSAGE_MAX = 16 * 1024 * 1024
}; // bytes of one message

// All-zero means: as in the settings, on any project. Everything is borrowed for as long as it runs.
typedef struct ken_mcp_opts {
    const char *version;     // of this program; NULL = "0"
    ken_str project;         // the one project that is served (id, name or path); empty = any
    ken_str cwd;             // absolute: the folder that the client works in; may be empty
    const ken_str *toolsets; // empty = the setting mcp.toolsets
    size_t n_toolsets;
    bool is_read_only; // also by the setting mcp.read_only
    bool is_json;      // answers are JSON unless a call wants another format; also by mcp.format
    size_t n_workers;  // calls that run at the same time; 0 = 4
    uint32_t end_ms;   // for what is received to be answered at the end; 0 = 10 s
    const ken_toolset *tools;                  // instead of all that: exactly these
    ken_pool *pool;                            // whose threads run the calls; NULL = own ones
    const struct ken_mcp_extension *extension; // may be NULL
    struct ken_mcp_roster
        *roster;           // of all transports of a server (mcp_roster.h); NULL = nobody asks
    const char *transport; // static, for the roster: "http", "socket"
} ken_mcp_opts;

// Serves stdin and stdout until stdin ends, then returns the exit status of the process. From then
// on everything else that is written to file descriptor 1 goes to stderr. With calls still running
// that do not stop in time it ends the process itself.
int ken_mcp_stdio_run(ken_app *app, const ken_mcp_opts *opts);

// ---- for transports ----------------------------------------------------------------------------
typedef struct ken_mcp_server ken_mcp_server;
typedef struct ken_mcp_session ken_mcp_session;

// `app` may be NULL when opts->tools do not use one. Opens nothing.
ken_status ken_mcp_server_new(ken_app *app, const ken_mcp_opts *opts, ken_mcp_server **out,
                              ken_err *err) KEN_MUST_USE;
void ken_mcp_server_free(ken_mcp_server *s); // waits for running calls
// To be called about once a second: tells subscribers what has changed, from a worker. False: there are
// none.
bool ken_mcp_server_look(ken_mcp_server *s);

// What goes out.
typedef struct ken_mcp_sent {
    ken_str text; // one whole message without line break, valid UTF-8; empty: there is no answer
    void *tag;    // of the received message that it belongs to; NULL = of none
    bool is_last; // nothing more belongs to that one
    int code;     // of an error that answers; else 0
} ken_mcp_sent;
typedef void ken_mcp_send_fn(void *ctx, const ken_mcp_sent *sent);

typedef struct ken_mcp_session_opts {
    ken_mcp_send_fn *send;
    void *send_ctx;
    ken_str project; // id of the one project that is served; empty = as the server's options say
    // Of clients that know nothing of each other, each message in the stateless era: their ids may be
    // the same, and nothing is cancelled by its id.
    bool is_shared;
    bool asks_roots; // the client's folder is not known otherwise: it is asked for it
} ken_mcp_session_opts;

ken_mcp_session *ken_mcp_session_new(ken_mcp_server *server, const ken_mcp_session_opts *opts)
    KEN_MUST_USE;
// One message of at most KEN_MCP_MESSAGE_MAX bytes. Never fails: what is wrong is answered. All that
// belongs to it is sent with `tag`; when that is not NULL, exactly one of it is the last.
void ken_mcp_session_receive(ken_mcp_session *s, ken_str message, void *tag);
// The client of that message is gone: what it asked is not done any further.
void ken_mcp_session_cancel(ken_mcp_session *s, void *tag);
// Answers a message that was too long to be kept.
void ken_mcp_session_refuse_long(ken_mcp_session *s);
// True when so much waits that nothing more should be received for a while.
bool ken_mcp_session_is_full(ken_mcp_session *s);
// No call begins while `is_held`: the client does not take its answers.
void ken_mcp_session_hold(ken_mcp_session *s, bool is_held);
size_t ken_mcp_session_n_waiting(ken_mcp_session *s); // calls that have not begun
size_t ken_mcp_session_n_running(ken_mcp_session *s); // those and the ones that run
// Until nothing runs or waits, or for `timeout_ms`; false when something still does.
bool ken_mcp_session_wait(ken_mcp_session *s, int64_t timeout_ms);

// How a session ends that is not idle: stop refuses what waits and cancels what runs, abandon
// answers what still does not end. All of it is answered. cancel_all does the same without answers,
// for a client that is gone.
void ken_mcp_session_stop(ken_mcp_session *s);
void ken_mcp_session_abandon(ken_mcp_session *s);
void ken_mcp_session_cancel_all(ken_mcp_session *s);
void ken_mcp_session_free(ken_mcp_session *s); // nothing may be running

// ---- what something else answers ---------------------------------------------------------------
// Other tools, resources and prompts of a server, which may use all of the protocol; the conformance
// suite needs some that no program has. Both functions are called on any thread.
typedef enum ken_mcp_list {
    KEN_MCP_TOOLS = 0,
    KEN_MCP_RESOURCES,
    KEN_MCP_TEMPLATES,
    KEN_MCP_PROMPTS,
    KEN_MCP_LISTS
} ken_mcp_list;

// One request; valid until the function returns.
typedef struct ken_mcp_call {
    ken_str method;
    const json_t *params;              // an object, or NULL
    const json_t *client_capabilities; // an object, or NULL
    bool is_modern;
    const ken_cancel *cancel;
    const char *result_type; // to be set, of the stateless era; NULL = complete
    struct ken_mcp__request *own;
} ken_mcp_call;

typedef struct ken_mcp_extension {
    const char *lists[KEN_MCP_LISTS]; // members of the array, separated by commas; NULL = none
    bool (*takes)(const ken_mcp_call *c);
    // Puts the members of the result, without braces. Not 0: the code of the error, of which `out` then
    // has the member data, and `err` the message.
    int (*run)(ken_mcp_call *c, ken_buf *out, ken_err *err);
} ken_mcp_extension;

void ken_mcp_call_progress(ken_mcp_call *c, double done, double total, const char *message);
bool ken_mcp_call_log(ken_mcp_call *c, ken_str level, ken_str text); // false: no such level
// Asks the client and waits for what it answers; legacy era.
ken_status ken_mcp_call_ask(ken_mcp_call *c, const char *capability, const char *method,
                            ken_str params, json_t **out, ken_err *err) KEN_MUST_USE;

#endif
