// SPDX-License-Identifier: MIT
// mcp_channel_priv.h -- a session on two file descriptors, one message a line.
//
// Nobody ever waits for the other end to read: what cannot be written at once is queued, and the loop that
// polls the channel writes it later.
#ifndef KEN_MCP_MCP_CHANNEL_PRIV_H
#define KEN_MCP_MCP_CHANNEL_PRIV_H

#include "base/buf.h"
#include "mcp/mcp_priv.h"

enum {
    CHANNEL_READ_BYTES = 64 * 1024,
    CHANNEL_STOP_BYTES = 32 << 20, // not written: nothing is read
};

typedef struct ken_mcp__relay ken_mcp__relay;

typedef struct channel {
    int in_fd, out_fd;
    int wake_fd;    // eventfd: something is queued, or broke
    bool is_socket; // of out_fd
    ken_mcp_server *server;
    ken_mcp_session *session;
    ken_mcp__relay *relay; // who answers instead of the session; NULL = nobody
    ken_buf line;          // that is being read, without its end
    bool is_skipping;      // the rest of a line that is too long
    pthread_mutex_t lock;  // guards: out, n_sent, is_broken, error
    ken_buf out;           // not written yet from n_sent on
    size_t n_sent;
    bool is_broken; // the client does not read any more
    int error;      // errno of a write that failed for another reason; 0 = none
} channel;

// Of the server that `opts` describe. The descriptors stay the caller's. NULL, and why.
channel *ken_mcp__channel_new(ken_app *app, const ken_mcp_opts *opts, int in_fd, int out_fd,
                              int wake_fd, ken_err *err);
void ken_mcp__channel_free(channel *c); // nothing runs
// Queues a line and writes what is taken now.
void ken_mcp__channel_put(channel *c, ken_str message);
// Bytes that are not written yet, after as many were as the other end takes now.
size_t ken_mcp__channel_flush(channel *c, bool *out_is_broken);
int ken_mcp__channel_error(channel *c);
// False at the end of input.
bool ken_mcp__channel_read(channel *c);
void ken_mcp__channel_end_line(channel *c); // a last message may have no end

#endif
