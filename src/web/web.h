// SPDX-License-Identifier: MIT
// web.h -- the server: MCP over HTTP, the API, health and metrics, for many clients and projects.
//
// Ownership: the app and the options outlive it. Threads: start, reload and stop from one thread; it
// runs threads of its own (base/pool.h): one that reads and writes, workers, one that wakes each second.
// Errors: KEN_EPERM for an address that is not a loopback one without any access token, KEN_EBUSY for a
// port that is taken or another server of the same data folder, KEN_EUNSUPPORTED without libmicrohttpd.
#ifndef KEN_WEB_WEB_H
#define KEN_WEB_WEB_H

#include "app/app.h"
#include "mcp/mcp.h"

typedef struct ken_web ken_web;

typedef struct ken_web_opts {
    const char *version;
    const ken_mcp_opts *mcp; // of what agents are offered; its pool and project are not used
    int listen_fd; // a socket that listens already, in place of server.host and port; 0 = none
} ken_web_opts;

// Takes the data folder and the address, which may need rights that are given up later; serves nothing.
ken_status ken_web_open(ken_app *app, const ken_web_opts *opts, ken_web **out, ken_err *err)
    KEN_MUST_USE;
// Serves from here on.
ken_status ken_web_start(ken_web *w, ken_err *err) KEN_MUST_USE;
// "http://127.0.0.1:7420"; borrowed.
const char *ken_web_url(const ken_web *w);
// Reads the certificate again.
ken_status ken_web_reload(ken_web *w, ken_err *err) KEN_MUST_USE;
// Takes nothing new, lets what runs end within `grace_ms`, cancels the rest. NULL is fine.
void ken_web_stop(ken_web *w, int64_t grace_ms);

#endif
