// SPDX-License-Identifier: MIT
// mcp_socket.h -- a server's side of `ken mcp` beside it: sessions on a Unix socket, one message a line.
//
// The first line says what the client wants to be served, and is answered when this server would answer
// as the client's own process does; else the connection is closed and the client goes on alone.
//
// Threads: start and stop from one; it has one thread for all connections, and workers. Errors: KEN_ENOMEM
// without threads.
#ifndef KEN_MCP_MCP_SOCKET_H
#define KEN_MCP_MCP_SOCKET_H

#include "mcp/mcp.h"

typedef struct ken_mcp_socket ken_mcp_socket;

// `listen_fd` is a Unix socket that listens, the server's from here on. `version` and `roster` (may be NULL) outlive it.
ken_status ken_mcp_socket_start(ken_app *app, const char *version, int listen_fd,
                                struct ken_mcp_roster *roster, ken_mcp_socket **out, ken_err *err)
    KEN_MUST_USE;
size_t ken_mcp_socket_count(ken_mcp_socket *s); // connections
// What runs is cancelled, and clients go on alone. NULL is fine.
void ken_mcp_socket_stop(ken_mcp_socket *s);

// Where it listens, in the data folder: the first server there; another has a number in its name.
#define KEN_MCP_SOCKET      "mcp"
#define KEN_MCP_SOCKET_NAME KEN_MCP_SOCKET ".sock"

#endif
