// SPDX-License-Identifier: MIT
// web_priv.h -- the server and a request of it, shared by the files of this module.
#ifndef KEN_WEB_WEB_PRIV_H
#define KEN_WEB_WEB_PRIV_H

#include <pthread.h>

#include "base/pool.h"
#include "base/throttle.h"
#include "httpd/httpd.h"
#include "job/job.h"
#include "json/json.h"
#include "mcp/mcp_http.h"
#include "mcp/mcp_roster.h"
#include "mcp/mcp_socket.h"
#include "model/grant.h"
#include "oauth/oauth.h"
#include "web/web.h"

enum {
    WEB_REQUEST_ID = 37, // characters, with the NUL
    WEB_ROUTES_MAX = 128,
};

typedef struct web_page_file web_page_file; // web_page.c
typedef struct web_feed web_feed;           // web_events.c
typedef struct web_history web_history;     // web_history.c

struct ken_web {
    ken_app *app;
    const ken_config *config;
    ken_web_opts opts;
    ken_arena arena; // of what is made at the start
    char url[300];
    bool is_loopback;                  // the address is
    bool needs_token;                  // over TCP
    int lock_fd;                       // of its place in the data folder; -1 = not held
    unsigned place;                    // from 1: servers at one database may share the folder
    int listen_fd, unix_fd, mcp_fd;    // until the servers have them; -1 = none
    ken_str host, unix_path, mcp_path; // where it listens
    char *tls_cert, *tls_key;          // PEM; owned; NULL = no TLS
    ken_httpd *tcp, *local;            // local: the Unix socket
    ken_mcp_roster *roster;            // of the next two
    ken_mcp_http *mcp;
    ken_mcp_socket *clients;          // `ken mcp` beside us
    ken_pool *pool;                   // of the API
    ken_throttle *callers, *projects; // requests a second of each
    ken_jobs *jobs;
    ken_oauth *oauth;     // NULL = no tokens of others
    ken_str oauth_url;    // of the document that says so
    ken_cancel oauth_end; // of what asks its issuer
    atomic_bool is_fetching;
    atomic_uint_fast64_t n_requests; // that have ended
    atomic_uint_fast64_t n_errors;   // of them, with a status of 400 and more
    web_history *history;
    pthread_mutex_t feeds_lock; // guards the next two
    web_feed *feeds;            // readers of events
    size_t n_feeds;
    int64_t told_ns;    // by the ticker, what the server does
    uint64_t n_starved; // the same, of descriptors, when it was told
    int64_t short_ns;   // when it was told that connections wait
    int64_t next_syncs_ns;
    pthread_mutex_t tools_lock; // held while the kept value is read or changed, and applied
    int64_t next_tools_ns;      // of the ticker
    ken_httpd_route routes[WEB_ROUTES_MAX];
    size_t n_routes;
    web_page_file *page; // what the page is made of
    size_t n_page;
    int64_t started_ns;
    ken_uuid run; // of this process; part of validators, for settings may differ in the next
    atomic_bool is_ready, is_stopping;
    ken_pool *ticker;
    pthread_mutex_t lock; // guards: is_ticker_done
    pthread_cond_t wake;
    bool is_ticker_done;
};

// What is known of a request before its handler; in its arena, found by ken_httpd_user.
typedef struct web_request {
    char id[WEB_REQUEST_ID]; // of the client, or ours
    ken_grant grant;
    bool is_anonymous;  // nobody showed a token: whoever may connect may do all
    ken_str peer;       // the client's address; behind a trusted proxy as that says
    bool is_tls;        // the same of how it came
    const char *route;  // for records; static
    ken_otel_span span; // of the request; what is done for it is a part of it
} web_request;

web_request *ken_web__request(const ken_httpd_request *r);

// ---- web_guard.c: who may come in ---------------------------------------------------------------
// A ken_httpd_check_fn.
bool ken_web__check(void *ctx, ken_httpd_request *r);
bool ken_web__is_loopback(ken_str host); // "localhost", "127.0.0.1", "[::1]", without port

// Who it is: a token, a subject, or an address.
ken_str ken_web__caller(ken_httpd_request *r, const web_request *q);
// False: so much was asked of the project that this request has to wait, and was told so.
bool ken_web__take_project(ken_web *w, ken_httpd_request *r, ken_str project);
// The same of a project as clients name it; empty = the only one there is. One that there is not is not counted: the
// call says so. `ctx` is the server.
bool ken_web__take_named_project(void *ctx, ken_httpd_request *r, ken_str named);

// ---- web_proxy.c --------------------------------------------------------------------------------
// Sets q->peer and q->is_tls.
void ken_web__read_proxy(const ken_web *w, const ken_httpd_request *r, web_request *q);

// ---- web_answer.c -------------------------------------------------------------------------------
// RFC 9457. `code`: the name of a status (base/status.h).
void ken_web__answer_problem(ken_httpd_request *r, int status, const char *code,
                             const char *detail);
void ken_web__answer_problem_with(ken_httpd_request *r, int status, const char *code,
                                  const char *detail, const ken_httpd_field *fields, size_t n);
// That as much as there may be waits for workers.
void ken_web__answer_busy(ken_httpd_request *r);
// The same of a failed call.
void ken_web__answer_failure(ken_httpd_request *r, const ken_err *err);
// Takes `value`. With an ETag of its text when it may be known.
void ken_web__answer_json(ken_httpd_request *r, int status, json_t *value);
// The same with 200 and an ETag that says more: of what the answer is made of.
void ken_web__answer_json_as(ken_httpd_request *r, json_t *value, const char *etag);
// That the client has the answer already.
void ken_web__answer_known(ken_httpd_request *r, const char *etag);

// ---- routes -------------------------------------------------------------------------------------
void ken_web__add_route(ken_web *w, const char *method, const char *path,
                        ken_httpd_handler_fn *handle, size_t max_body_bytes);
void ken_web__add_health(ken_web *w);
void ken_web__add_mcp(ken_web *w);
void ken_web__add_api(ken_web *w);
void ken_web__add_openapi(ken_web *w);
void ken_web__add_jobs(ken_web *w);
void ken_web__add_events(ken_web *w);
void ken_web__add_webhook(ken_web *w);
void ken_web__add_page(ken_web *w);
// Whether a request is for a file of the page: no secret, and needs no token.
bool ken_web__is_of_page(const ken_web *w, const ken_httpd_request *r);
// Whether somebody opened /mcp in a browser: there is a view that says how clients connect.
bool ken_web__wants_page(const ken_web *w, const ken_httpd_request *r);
void ken_web__show_agents(ken_httpd_request *r);
void ken_web__add_clients(ken_web *w);
void ken_web__add_tools(ken_web *w);

// ---- web_history.c ------------------------------------------------------------------------------
void ken_web__open_history(ken_web *w);  // with its route
void ken_web__tick_history(ken_web *w);  // each second
void ken_web__close_history(ken_web *w); // nothing works any more
// An operation or a call of a tool that has ended.
void ken_web__note_operation(ken_web *w, int64_t ns);

// ---- web_clients.c ------------------------------------------------------------------------------
// `project`: the only one that the reader may know of; empty = any.
json_t *ken_web__call_json(const ken_mcp_seen_call *c, ken_str project);

// ---- web_tools.c --------------------------------------------------------------------------------
json_t *ken_web__tools_json(const ken_web *w);
// Switches off what is kept as switched off.
ken_status ken_web__load_tools(ken_web *w, ken_err *err) KEN_MUST_USE;
void ken_web__tick_tools(ken_web *w); // each second

// ---- web_events.c -------------------------------------------------------------------------------
// A ken_jobs_fn.
void ken_web__on_job(void *ctx, const ken_job *j);
// Of ken_jobs_opts: tells readers of events that the index of a project has a new generation.
void ken_web__on_index(void *ctx, ken_uuid project);
// A ken_mcp_roster_fn: tells readers of events that a call of a tool has ended.
void ken_web__on_call(void *ctx, const ken_mcp_seen_call *call);
// Answers with the job as it is and its changes until it ends.
void ken_web__stream_job(ken_web *w, ken_httpd_request *r, const ken_job *j);
void ken_web__tick_events(ken_web *w); // each second
void ken_web__end_feeds(ken_web *w);

// ---- web_oauth.c --------------------------------------------------------------------------------
ken_status ken_web__open_oauth(ken_web *w, ken_err *err) KEN_MUST_USE;
void ken_web__add_oauth(ken_web *w);
void ken_web__tick_oauth(ken_web *w); // each second
bool ken_web__is_metadata(const ken_httpd_request *r);

// ---- web_sync.c ---------------------------------------------------------------------------------
void ken_web__tick_syncs(ken_web *w); // each second

// ---- web_log.c ----------------------------------------------------------------------------------
// A ken_httpd_done_fn: one record for each request, and its metrics.
void ken_web__done(void *ctx, const ken_httpd_request *r);
// Begins the span of a request, part of the trace that the client says (W3C Trace Context). Its end is with the record.
void ken_web__begin_span(ken_httpd_request *r, web_request *q);
// What the work for a request is a part of; NULL = nothing. Lives as long as the request.
const ken_otel_context *ken_web__trace(const ken_httpd_request *r);

#endif
