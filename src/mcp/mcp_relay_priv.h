// SPDX-License-Identifier: MIT
// mcp_relay_priv.h -- a running server that answers for this process, as long as it runs.
#ifndef KEN_MCP_MCP_RELAY_PRIV_H
#define KEN_MCP_MCP_RELAY_PRIV_H

#include "mcp/mcp_channel_priv.h"

enum {
    RELAY_HELLO_MAX = 64 * 1024, // bytes of the first line
    RELAY_HELLO_MS = 250,        // for its answer, of a server that runs
};

#define RELAY_OK "{\"ok\":true}"

// A server of these data that runs, is of this version and would answer as this process does. NULL:
// there is none.
ken_mcp__relay *ken_mcp__relay_open(channel *c, ken_app *app, const ken_mcp_opts *opts);
void ken_mcp__relay_free(ken_mcp__relay *r); // NULL is fine
// Hands a message over. When the server is gone, c->relay is NULL after it, and what it owed is the
// session's.
void ken_mcp__relay_pass(ken_mcp__relay *r, ken_str text);
int ken_mcp__relay_fd(const ken_mcp__relay *r);
short ken_mcp__relay_events(const ken_mcp__relay *r); // to poll for
// Reads and writes what it can. False when it is gone.
bool ken_mcp__relay_serve(ken_mcp__relay *r);
// Nothing more is sent; it answers what it has and closes.
void ken_mcp__relay_end_input(ken_mcp__relay *r);
size_t ken_mcp__relay_n_open(const ken_mcp__relay *r); // requests without an answer

// What both sides must agree on: the settings that change answers.
uint64_t ken_mcp__settings_hash(const ken_config *config);

#endif
