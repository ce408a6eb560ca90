// SPDX-License-Identifier: MIT
// mcp_http.h -- the Streamable HTTP transport, for both eras on one endpoint.
//
// A request of the stateless era is answered by a session that all clients share; one of the legacy era
// belongs to a session that its client began with `initialize` and names in Mcp-Session-Id. Answers are
// JSON; a request that tells something before it is answered, or takes long, gets an event stream.
// Streams of legacy sessions can be taken up again (Last-Event-ID).
//
// Ownership: copies what it keeps. Threads: handle and tick from any thread; new, stop and free from
// one. Locks: one guards the sessions, each session and each exchange has one; the first is never taken
// under the others. Errors: those of ken_mcp_server_new.
#ifndef KEN_MCP_MCP_HTTP_H
#define KEN_MCP_MCP_HTTP_H

#include "httpd/httpd.h"
#include "mcp/mcp.h"

typedef struct ken_mcp_http ken_mcp_http;

// Who asks. A session is its caller's: nobody else can name it.
typedef struct ken_mcp_http_caller {
    ken_str name;      // who it is; empty = anybody
    ken_str project;   // id of the one project that may be touched; empty = any
    bool is_read_only; // only tools that change nothing
    // Whether a request that names that project (as clients do: id, name, path; empty = none) may be made now; false:
    // it was answered. NULL = any may. Not asked when `project` is set.
    bool (*admit)(void *ctx, ken_httpd_request *r, ken_str project);
    void *admit_ctx;
    // Of this request, for the log and traces:
    ken_str request_id;
    const ken_otel_context *trace; // that it carried; NULL = none
} ken_mcp_http_caller;

ken_status ken_mcp_http_new(ken_app *app, const ken_mcp_opts *opts, ken_mcp_http **out,
                            ken_err *err) KEN_MUST_USE;
// Answers GET, POST and DELETE of the endpoint, now or later. Host, Origin and rights are the caller's
// to check.
void ken_mcp_http_handle(ken_mcp_http *h, ken_httpd_request *r, const ken_mcp_http_caller *caller);
// To be called about once a second: keeps quiet streams alive, tells subscribers, ends idle sessions.
void ken_mcp_http_tick(ken_mcp_http *h);
// What waits is refused, what runs is cancelled, streams end; waits for it up to `grace_ms`. What comes
// later is refused.
void ken_mcp_http_stop(ken_mcp_http *h, int64_t grace_ms);
void ken_mcp_http_free(ken_mcp_http *h); // stopped; no request of it is open any more

// Whether agents are offered that tool.
bool ken_mcp_http_offers(ken_mcp_http *h, ken_str tool);

typedef struct ken_mcp_http_counts {
    size_t n_sessions, n_streams; // open
    size_t n_waiting, n_running;  // calls
} ken_mcp_http_counts;
ken_mcp_http_counts ken_mcp_http_count(ken_mcp_http *h);

#endif
