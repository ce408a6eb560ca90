// SPDX-License-Identifier: MIT
// Streams of events: changes of jobs, and every two seconds what the server does.
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "job/job.h"
#include "web/web_priv.h"

enum {
    EVENT_MAX = 1024 * 1024,
    FEEDS_MAX = 1024,
    STATUS_MS = 2000,
};

// One reader; in the arena of its request.
struct web_feed {
    ken_web *web;
    ken_httpd_request *r;
    bool is_of_job; // of `job` alone, to its end
    ken_uuid job;
    bool is_bound; // hears of `project` alone
    ken_uuid project;
    bool wants_status; // what the server does, too
    bool is_open;      // under the lock, as the next two
    web_feed *previous, *next;
};

static const ken_httpd_field fields[] = { { "Cache-Control", "no-store" },
                                          { "X-Accel-Buffering", "no" } };
static const ken_httpd_answer_opts head = {
    .status = 200, .type = "text/event-stream", .fields = fields, .n_fields = 2
};

// ---- readers -----------------------------------------------------------------------------------

// The lock is held.
static void leave(web_feed *f)
{
    *(f->previous ? &f->previous->next : &f->web->feeds) = f->next;
    if (f->next)
        f->next->previous = f->previous;
    f->is_open = false;
    f->web->n_feeds--;
}

static void on_gone(void *ctx, ken_httpd_request *r)
{
    web_feed *f = ctx;
    pthread_mutex_lock(&f->web->feeds_lock);
    bool was_open = f->is_open;
    if (was_open)
        leave(f);
    pthread_mutex_unlock(&f->web->feeds_lock);
    if (was_open)
        ken_httpd_end(r);
}

static void put_event(ken_buf *out, const char *name, json_t *value)
{
    ken_buf_printf(out, "event: %s\ndata: ", name);
    ken_json_dump(value, out);
    ken_buf_puts(out, "\n\n");
    json_decref(value);
}

// Begins a stream. `first`: what is sent at once; may be empty. False: there are too many, and was told.
static bool open_feed(ken_web *w, ken_httpd_request *r, web_feed wish, ken_str first)
{
    const web_request *q = ken_web__request(r);
    web_feed *f = ken_arena_zalloc(ken_httpd_arena(r), sizeof *f);
    *f = wish;
    f->web = w;
    f->r = r;
    f->is_bound = q->grant.is_bound;
    f->project = q->grant.project;
    pthread_mutex_lock(&w->feeds_lock);
    bool has_room = w->n_feeds < FEEDS_MAX && !atomic_load(&w->is_stopping);
    if (has_room) {
        ken_httpd_begin(r, &head);
        (void)ken_httpd_write(r, KEN_STR(": ok\n\n"));
        (void)ken_httpd_write(r, first);
        f->is_open = true;
        f->next = w->feeds;
        if (f->next)
            f->next->previous = f;
        w->feeds = f;
        w->n_feeds++;
    }
    pthread_mutex_unlock(&w->feeds_lock);
    if (has_room)
        ken_httpd_on_gone(r, on_gone, f);
    else
        ken_web__answer_problem(r, 503, "ELIMIT", "too many streams of events are open");
    return has_room;
}

void ken_web__end_feeds(ken_web *w)
{
    pthread_mutex_lock(&w->feeds_lock);
    while (w->feeds) {
        ken_httpd_request *r = w->feeds->r;
        leave(w->feeds);
        ken_httpd_end(r);
    }
    pthread_mutex_unlock(&w->feeds_lock);
}

// ---- jobs --------------------------------------------------------------------------------------

static bool hears_of(const web_feed *f, const ken_job *j)
{
    if (f->is_bound && !(j->has_project && ken_uuid_eq(j->project, f->project)))
        return false;
    return !f->is_of_job || ken_uuid_eq(j->id, f->job);
}

void ken_web__on_job(void *ctx, const ken_job *j)
{
    ken_web *w = ctx;
    pthread_mutex_lock(&w->feeds_lock);
    if (w->feeds) {
        ken_buf text = KEN_BUF_INIT(EVENT_MAX);
        put_event(&text, "job", ken_job_json(j));
        for (web_feed *f = w->feeds, *next; f; f = next) {
            next = f->next;
            if (!hears_of(f, j))
                continue;
            ken_httpd_request *r = f->r;
            (void)ken_httpd_write(r, ken_buf_str(&text));
            if (f->is_of_job && ken_job_has_ended(j->state)) {
                leave(f);
                ken_httpd_end(r);
            }
        }
        ken_buf_release(&text);
    }
    pthread_mutex_unlock(&w->feeds_lock);
}

void ken_web__on_index(void *ctx, ken_uuid project)
{
    ken_web *w = ctx;
    char id[KEN_UUID_TEXT];
    ken_buf text = KEN_BUF_INIT(EVENT_MAX);
    json_t *o = json_object();
    ken_uuid_format(project, id);
    ken_json_set_str(o, "project_id", ken_str_c(id));
    put_event(&text, "index", o);
    pthread_mutex_lock(&w->feeds_lock);
    for (const web_feed *f = w->feeds; f; f = f->next)
        if (f->wants_status && (!f->is_bound || ken_uuid_eq(f->project, project)))
            (void)ken_httpd_write(f->r, ken_buf_str(&text));
    pthread_mutex_unlock(&w->feeds_lock);
    ken_buf_release(&text);
}

// It may have ended, elsewhere, before the stream was there to hear of it.
static void end_if_over(ken_web *w, const ken_job *j)
{
    ken_arena a;
    ken_job now;
    ken_arena_init(&a, 1024);
    if (!ken_job_find(w->app, j->id, &a, &now, NULL) && ken_job_has_ended(now.state))
        ken_web__on_job(w, &now);
    ken_arena_release(&a);
}

void ken_web__stream_job(ken_web *w, ken_httpd_request *r, const ken_job *j)
{
    ken_buf first = KEN_BUF_INIT(EVENT_MAX);
    put_event(&first, "job", ken_job_json(j));
    if (ken_job_has_ended(j->state)) {
        ken_httpd_begin(r, &head);
        (void)ken_httpd_write(r, ken_buf_str(&first));
        ken_httpd_end(r);
    } else {
        const web_feed wish = { .is_of_job = true, .job = j->id };
        if (open_feed(w, r, wish, ken_buf_str(&first)))
            end_if_over(w, j);
    }
    ken_buf_release(&first);
}

// ---- what the server does ----------------------------------------------------------------------

static json_t *status_json(ken_web *w)
{
    json_t *o = json_object();
    ken_httpd_counts tcp = ken_httpd_count(w->tcp), local = ken_httpd_count(w->local);
    ken_mcp_http_counts mcp = ken_mcp_http_count(w->mcp);
    ken_jobs_counts jobs = ken_jobs_count(w->jobs);
    ken_throttle_counts callers = ken_throttle_count(w->callers),
                        projects = ken_throttle_count(w->projects);
    ken_json_set_str(o, "status", KEN_STR("running"));
    ken_json_set_u64(o, "uptime_seconds",
                     (uint64_t)((ken_clock_mono_ns() - w->started_ns) / 1000000000));
    ken_json_set_u64(o, "active_connections", tcp.n_connections + local.n_connections);
    ken_json_set_u64(o, "local_clients", ken_mcp_socket_count(w->clients));
    ken_json_set_u64(o, "total_requests", atomic_load(&w->n_requests));
    ken_json_set_u64(o, "requests_in_flight", tcp.n_requests + local.n_requests);
    ken_json_set_u64(o, "sessions", mcp.n_sessions);
    ken_json_set_u64(o, "calls_running", mcp.n_running);
    ken_json_set_u64(o, "calls_waiting", mcp.n_waiting);
    ken_json_set_u64(o, "jobs_running", jobs.n_running);
    ken_json_set_u64(o, "jobs_queued", jobs.n_queued);
    ken_json_set_u64(o, "throttled", callers.n_refused + projects.n_refused);
    return o;
}

static bool has_status_feed(ken_web *w)
{
    bool has = false;
    pthread_mutex_lock(&w->feeds_lock);
    for (const web_feed *f = w->feeds; f && !has; f = f->next)
        has = f->wants_status;
    pthread_mutex_unlock(&w->feeds_lock);
    return has;
}

// What one reader may hear of it.
static void tell_call(const web_feed *f, const ken_mcp_seen_call *call, ken_buf *scratch)
{
    char id[KEN_UUID_TEXT] = "";
    if (f->is_bound)
        ken_uuid_format(f->project, id);
    ken_str project = ken_str_c(id);
    if (!f->wants_status || (f->is_bound && !ken_mcp_call_is_of(call, project)))
        return;
    ken_buf_clear(scratch);
    put_event(scratch, "mcp:request", ken_web__call_json(call, project));
    (void)ken_httpd_write(f->r, ken_buf_str(scratch));
}

void ken_web__on_call(void *ctx, const ken_mcp_seen_call *call)
{
    ken_web *w = ctx;
    ken_web__note_operation(w, call->took_ns);
    if (!has_status_feed(w))
        return;
    ken_buf text = KEN_BUF_INIT(EVENT_MAX);
    pthread_mutex_lock(&w->feeds_lock);
    for (const web_feed *f = w->feeds; f; f = f->next)
        tell_call(f, call, &text);
    pthread_mutex_unlock(&w->feeds_lock);
    ken_buf_release(&text);
}

void ken_web__tick_events(ken_web *w)
{
    int64_t now = ken_clock_mono_ns();
    if (now - w->told_ns < (int64_t)STATUS_MS * 1000000 || !has_status_feed(w))
        return;
    w->told_ns = now;
    ken_buf text = KEN_BUF_INIT(EVENT_MAX);
    put_event(&text, "mcp:status", status_json(w));
    put_event(&text, "mcp:tools", ken_web__tools_json(w));
    pthread_mutex_lock(&w->feeds_lock);
    for (const web_feed *f = w->feeds; f; f = f->next)
        if (f->wants_status)
            (void)ken_httpd_write(f->r, ken_buf_str(&text));
    pthread_mutex_unlock(&w->feeds_lock);
    ken_buf_release(&text);
}

static void get_events(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    ken_buf first = KEN_BUF_INIT(EVENT_MAX);
    put_event(&first, "mcp:status", status_json(w));
    put_event(&first, "mcp:tools", ken_web__tools_json(w));
    (void)open_feed(w, r, (web_feed){ .wants_status = true }, ken_buf_str(&first));
    ken_buf_release(&first);
}

static void get_status(void *ctx, ken_httpd_request *r)
{
    ken_web__answer_json(r, 200, status_json(ctx));
}

void ken_web__add_events(ken_web *w)
{
    ken_web__add_route(w, "GET", "/api/v1/events", get_events, 0);
    ken_web__add_route(w, "GET", "/api/v1/server", get_status, 0);
}
