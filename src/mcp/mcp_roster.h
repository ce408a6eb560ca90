// SPDX-License-Identifier: MIT
// mcp_roster.h -- who calls tools of a server: its clients, the last calls, and the tools that are switched off.
//
// One roster is given to all transports of a process (ken_mcp_opts.roster). It has room for so many clients and calls,
// and forgets the oldest. A client of the legacy era is one session; in the stateless era clients are told apart by what
// they say of themselves.
//
// Ownership: copies what it keeps; outlives the servers that have it. Threads: any. Locks: two, which guard the lists
// and who is told; the second is held while clients are told. Errors: none.
#ifndef KEN_MCP_MCP_ROSTER_H
#define KEN_MCP_MCP_ROSTER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"
#include "tool/tool.h"

enum {
    KEN_MCP_CALLS_KEPT = 200,
    KEN_MCP_CLIENTS_KEPT = 200,
    KEN_MCP_CLIENT_NAME = 124, // bytes of name and version
};

typedef struct ken_mcp_roster ken_mcp_roster;

typedef struct ken_mcp_seen_client {
    uint64_t id; // of this process, 0 = none
    char name[KEN_MCP_CLIENT_NAME], version[64];
    const char *transport;       // static: "http", "socket"
    char era[16];                // version of the protocol: "2025-11-25"
    char project[KEN_UUID_TEXT]; // the only one that it is served; "" = any
    bool is_connected; // legacy era: its session is open; else it was seen in the last minutes
    int64_t since_ms, seen_ms; // first and last
    uint64_t n_calls, n_errors, n_tokens;
} ken_mcp_seen_client;

typedef struct ken_mcp_seen_call {
    uint64_t id; // of this process, counted from 1
    int64_t at_ms;
    char tool[64];
    uint64_t client_id;
    char client[KEN_MCP_CLIENT_NAME]; // "name/version"
    const char *transport;
    char bound[KEN_UUID_TEXT]; // the only project of its client; "" = any
    ken_tool_about about;      // the project that it was about
    int64_t took_ns;
    uint64_t n_tokens; // of the answer, about
    bool is_error;
    char error[240];
} ken_mcp_seen_call;

// Of a call that has ended, on its thread; with no lock held.
typedef void ken_mcp_roster_fn(void *ctx, const ken_mcp_seen_call *call);

ken_mcp_roster *ken_mcp_roster_new(ken_mcp_roster_fn *on_call, void *ctx) KEN_MUST_USE;
void ken_mcp_roster_free(ken_mcp_roster *r); // no server has it any more; NULL is fine

// The newest first. `project`: only what is about it; empty = all. Of clients that may touch all projects only the
// calls that are kept and are about it are counted then.
size_t ken_mcp_roster_list_clients(ken_mcp_roster *r, ken_str project, ken_arena *arena,
                                   ken_mcp_seen_client **out);
size_t ken_mcp_roster_list_calls(ken_mcp_roster *r, ken_str project, size_t limit, ken_arena *arena,
                                 ken_mcp_seen_call **out);
// Whether a caller of that project alone may hear of the call.
bool ken_mcp_call_is_of(const ken_mcp_seen_call *call, ken_str project);

// The value of the catalog with the tools that are switched off, a name on a line.
#define KEN_MCP_TOOLS_OFF "mcp.tools_off"
// The tools of `tools/list` that are offered no more: these lines and no others. Clients are told when that is a change.
// Names of no tool (of another version) are passed over, and named in the log when the lines are new.
void ken_mcp_roster_set_off(ken_mcp_roster *r, ken_str lines);
bool ken_mcp_roster_is_on(ken_mcp_roster *r, ken_str name); // r may be NULL: all are

#endif
