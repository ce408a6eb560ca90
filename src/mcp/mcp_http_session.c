// SPDX-License-Identifier: MIT
// Sessions of the legacy era, and their streams: what is sent is kept for a while, so that a client
// whose connection breaks reads on where it was.
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/id.h"
#include "mcp/mcp_http_priv.h"

enum {
    SESSIONS_MAX = 1024,
    IDLE_S = 3600,
    STREAMS_KEPT = 32,    // of a session, ended ones included
    BYTES_KEPT = 1 << 20, // of events, of a session
    RETRY_MS = 1000,      // after which a client comes back
    EVENT_ID = 48,        // characters
};

// ---- which there are ---------------------------------------------------------------------------

// The table's lock is held.
static void move_to_ended(mcp_http_session *s)
{
    ken_mcp_http *h = s->http;
    for (size_t i = 0; i < h->sessions.len; i++) {
        if (h->sessions.ptr[i] != s)
            continue;
        h->sessions.ptr[i] = h->sessions.ptr[--h->sessions.len];
        ken_vec_push(&h->ended, s);
        s->is_ended = true;
        return;
    }
}

// One that nobody uses now and that was used longest ago; NULL when all are in use. The same.
static mcp_http_session *find_idle(const ken_mcp_http *h)
{
    mcp_http_session *found = NULL;
    for (size_t i = 0; i < h->sessions.len; i++) {
        mcp_http_session *s = h->sessions.ptr[i];
        if (!s->n_users && (!found || s->used_ns < found->used_ns))
            found = s;
    }
    return found;
}

static mcp_http_session *make(ken_mcp_http *h, ken_mcp_server *server,
                              const ken_mcp_http_caller *caller)
{
    mcp_http_session *s = ken_zalloc(sizeof *s);
    ken_uuid_format(ken_uuid_random(), s->id);
    snprintf(s->caller, sizeof s->caller, KEN_STR_FMT, KEN_STR_ARG(caller->name));
    snprintf(s->project, sizeof s->project, KEN_STR_FMT, KEN_STR_ARG(caller->project));
    s->http = h;
    s->is_read_only = caller->is_read_only;
    s->n_users = 1;
    s->used_ns = ken_clock_mono_ns();
    pthread_mutex_init(&s->lock, NULL);
    ken_vec_push(&s->streams, (mcp_http_stream){ .number = 0 });
    s->mcp = ken_mcp_session_new(server, &(ken_mcp_session_opts){ .send = ken_mcp__http_send,
                                                                  .send_ctx = s,
                                                                  .project = caller->project,
                                                                  .asks_roots = true });
    return s;
}

mcp_http_session *ken_mcp__http_session_new(ken_mcp_http *h, const ken_mcp_http_caller *caller)
{
    ken_mcp_server *server = ken_mcp__http_server(h, caller->is_read_only);
    if (!server)
        return NULL;
    mcp_http_session *s = make(h, server, caller), *old = NULL;
    pthread_mutex_lock(&h->lock);
    bool has_room = h->sessions.len < SESSIONS_MAX;
    if (!has_room) {
        old = find_idle(h);
        if (old)
            old->n_users++;
    }
    if (has_room || old)
        ken_vec_push(&h->sessions, s);
    else
        ken_vec_push(&h->ended, s);
    pthread_mutex_unlock(&h->lock);
    if (old) {
        ken_mcp__http_session_end(old);
        ken_mcp__http_session_let_go(old);
    }
    if (has_room || old)
        return s;
    ken_mcp__http_session_let_go(s);
    return NULL;
}

mcp_http_session *ken_mcp__http_session_find(ken_mcp_http *h, ken_str id,
                                             const ken_mcp_http_caller *caller)
{
    mcp_http_session *found = NULL;
    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < h->sessions.len && !found; i++) {
        mcp_http_session *s = h->sessions.ptr[i];
        if (ken_str_eq_c(id, s->id) && ken_str_eq_c(caller->name, s->caller) &&
            ken_str_eq_c(caller->project, s->project) && caller->is_read_only == s->is_read_only)
            found = s;
    }
    if (found) {
        found->n_users++;
        found->used_ns = ken_clock_mono_ns();
    }
    pthread_mutex_unlock(&h->lock);
    return found;
}

void ken_mcp__http_session_let_go(mcp_http_session *s)
{
    ken_mcp_http *h = s->http;
    pthread_mutex_lock(&h->lock);
    s->used_ns = ken_clock_mono_ns();
    s->n_users--; // freed by the next tick when it has ended
    pthread_mutex_unlock(&h->lock);
}

// ---- streams; the session's lock is held -------------------------------------------------------

static mcp_http_stream *find_stream(mcp_http_session *s, uint64_t number)
{
    for (size_t i = 0; i < s->streams.len; i++)
        if (s->streams.ptr[i].number == number)
            return &s->streams.ptr[i];
    return NULL;
}

static void forget_events(mcp_http_session *s, mcp_http_stream *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        s->kept_bytes -= t->kept.ptr[i].bytes;
        ken_free(t->kept.ptr[i].text);
    }
    if (n && n < t->kept.len)
        memmove(t->kept.ptr, t->kept.ptr + n, (t->kept.len - n) * sizeof *t->kept.ptr);
    t->kept.len -= n;
}

static void forget_stream(mcp_http_session *s, size_t at)
{
    mcp_http_stream *t = &s->streams.ptr[at];
    forget_events(s, t, t->kept.len);
    ken_vec_release(&t->kept);
    memmove(t, t + 1, (s->streams.len - at - 1) * sizeof *t);
    s->streams.len--;
}

// The oldest go first: streams that have ended, then events.
static void keep_within(mcp_http_session *s)
{
    for (size_t i = 1; i < s->streams.len;) {
        bool is_over = s->streams.len > STREAMS_KEPT || s->kept_bytes > BYTES_KEPT;
        if (is_over && s->streams.ptr[i].has_ended)
            forget_stream(s, i);
        else
            i++;
    }
    for (size_t i = 0; i < s->streams.len && s->kept_bytes > BYTES_KEPT; i++) {
        mcp_http_stream *t = &s->streams.ptr[i];
        while (t->kept.len && s->kept_bytes > BYTES_KEPT)
            forget_events(s, t, 1);
    }
}

static void put_id(char out[EVENT_ID], const mcp_http_stream *t, uint64_t number)
{
    snprintf(out, EVENT_ID, "%llu_%llu", (unsigned long long)t->number, (unsigned long long)number);
}

uint64_t ken_mcp__http_stream_new(mcp_http_session *s, bool is_primed, ken_buf *out)
{
    char id[EVENT_ID];
    pthread_mutex_lock(&s->lock);
    const mcp_http_stream t = { .number = ++s->n_streams };
    ken_vec_push(&s->streams, t);
    put_id(id, &t, 0);
    if (is_primed)
        ken_buf_printf(out, "id: %s\nretry: %d\ndata: \n\n", id, RETRY_MS);
    else
        ken_buf_puts(out, ": ok\n\n");
    keep_within(s);
    pthread_mutex_unlock(&s->lock);
    return t.number;
}

void ken_mcp__http_stream_add(mcp_http_session *s, uint64_t number, ken_str message, ken_buf *out)
{
    char id[EVENT_ID];
    pthread_mutex_lock(&s->lock);
    mcp_http_stream *t = find_stream(s, number);
    if (t) {
        ken_buf event = KEN_BUF_INIT(2 * KEN_MCP_MESSAGE_MAX + 4096);
        put_id(id, t, ++t->n_events);
        ken_mcp__http_put_event(&event, id, message);
        if (t->reader)
            (void)ken_httpd_write(t->reader, ken_buf_str(&event));
        if (out)
            ken_buf_put_str(out, ken_buf_str(&event));
        mcp_http_event kept = { .number = t->n_events, .bytes = event.len };
        s->kept_bytes += kept.bytes;
        kept.text = ken_buf_steal(&event);
        ken_vec_push(&t->kept, kept);
        keep_within(s);
    }
    pthread_mutex_unlock(&s->lock);
}

void ken_mcp__http_stream_end(mcp_http_session *s, uint64_t number)
{
    pthread_mutex_lock(&s->lock);
    mcp_http_stream *t = find_stream(s, number);
    ken_httpd_request *reader = t ? t->reader : NULL;
    if (t) {
        t->has_ended = true;
        t->reader = NULL;
    }
    keep_within(s);
    pthread_mutex_unlock(&s->lock);
    if (reader)
        ken_httpd_end(reader);
}

// ---- readers -----------------------------------------------------------------------------------

typedef struct reader_of { // in the arena of its request
    ken_mcp_http *http;
    char session[MCP_HTTP_SESSION_ID];
} reader_of;

static mcp_http_session *find_by_id(ken_mcp_http *h, const char *id)
{
    mcp_http_session *found = NULL;
    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < h->sessions.len + h->ended.len && !found; i++) {
        mcp_http_session *s =
            i < h->sessions.len ? h->sessions.ptr[i] : h->ended.ptr[i - h->sessions.len];
        if (!strcmp(s->id, id))
            found = s;
    }
    if (found)
        found->n_users++;
    pthread_mutex_unlock(&h->lock);
    return found;
}

// Its session may be gone, or may have ended the stream already.
static void on_reader_gone(void *ctx, ken_httpd_request *r)
{
    const reader_of *of = ctx;
    mcp_http_session *s = find_by_id(of->http, of->session);
    bool is_ours = false;
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->streams.len; i++) {
        if (s->streams.ptr[i].reader != r)
            continue;
        s->streams.ptr[i].reader = NULL;
        is_ours = true;
    }
    pthread_mutex_unlock(&s->lock);
    if (is_ours)
        ken_httpd_end(r);
    ken_mcp__http_session_let_go(s);
}

// "<stream>_<event>"
static bool parse_event_id(ken_str text, uint64_t *out_stream, uint64_t *out_event)
{
    size_t at = ken_str_find_char(text, '_');
    return at != SIZE_MAX && ken_str_parse_u64(ken_str_sub(text, 0, at), out_stream) &&
           ken_str_parse_u64(ken_str_sub(text, at + 1, text.len), out_event);
}

static void send_kept(const mcp_http_stream *t, uint64_t after, ken_httpd_request *r)
{
    for (size_t i = 0; i < t->kept.len; i++)
        if (t->kept.ptr[i].number > after)
            (void)ken_httpd_write(r, ken_str_n(t->kept.ptr[i].text, t->kept.ptr[i].bytes));
}

void ken_mcp__http_session_read(mcp_http_session *s, ken_httpd_request *r, ken_str last_event)
{
    uint64_t number = 0, after = 0;
    bool resumes = last_event.len > 0;
    if (resumes && !parse_event_id(last_event, &number, &after)) {
        ken_mcp__http_refuse(r, 400, NULL, KEN_MCP__INVALID_REQUEST,
                             "Last-Event-ID is not one of ours");
        return;
    }
    reader_of *of = ken_arena_zalloc(ken_httpd_arena(r), sizeof *of);
    of->http = s->http;
    memcpy(of->session, s->id, sizeof of->session);
    pthread_mutex_lock(&s->lock);
    mcp_http_stream *t = find_stream(s, number);
    bool can_resume = t && (!t->kept.len || t->kept.ptr[0].number <= after + 1 || !resumes);
    if (!can_resume) {
        pthread_mutex_unlock(&s->lock);
        ken_mcp__http_refuse(r, 400, NULL, KEN_MCP__INVALID_REQUEST,
                             "what came after this Last-Event-ID is not kept any more");
        return;
    }
    ken_httpd_request *old = t->reader;
    bool has_ended = t->has_ended;
    ken_httpd_begin(r, &ken_mcp__http_stream_head);
    (void)ken_httpd_write(r, KEN_STR(": ok\n\n"));
    send_kept(t, after, r);
    t->reader = has_ended ? NULL : r;
    pthread_mutex_unlock(&s->lock);
    if (old) // the newest reader is the one whose connection works
        ken_httpd_end(old);
    if (has_ended)
        ken_httpd_end(r);
    else
        ken_httpd_on_gone(r, on_reader_gone, of);
}

// ---- the end -----------------------------------------------------------------------------------

static void end_readers(mcp_http_session *s)
{
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->streams.len; i++) {
        ken_httpd_request *r = s->streams.ptr[i].reader;
        s->streams.ptr[i].reader = NULL;
        if (r)
            ken_httpd_end(r);
    }
    pthread_mutex_unlock(&s->lock);
}

void ken_mcp__http_session_end(mcp_http_session *s)
{
    pthread_mutex_lock(&s->http->lock);
    move_to_ended(s);
    pthread_mutex_unlock(&s->http->lock);
    ken_mcp_session_cancel_all(s->mcp);
    end_readers(s);
}

static void free_session(mcp_http_session *s)
{
    end_readers(s);
    ken_mcp_session_free(s->mcp);
    while (s->streams.len)
        forget_stream(s, s->streams.len - 1);
    ken_vec_release(&s->streams);
    pthread_mutex_destroy(&s->lock);
    ken_free(s);
}

// One that has ended, that nobody uses and in which nothing runs; NULL when there is none.
static mcp_http_session *take_ended(ken_mcp_http *h)
{
    mcp_http_session *found = NULL;
    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < h->ended.len; i++) {
        mcp_http_session *s = h->ended.ptr[i];
        if (s->n_users || !ken_mcp_session_wait(s->mcp, 0))
            continue;
        h->ended.ptr[i] = h->ended.ptr[--h->ended.len];
        found = s;
        break;
    }
    pthread_mutex_unlock(&h->lock);
    return found;
}

static bool has_reader(mcp_http_session *s, bool is_due)
{
    bool has = false;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->streams.len; i++) {
        ken_httpd_request *r = s->streams.ptr[i].reader;
        has |= r != NULL;
        if (r && is_due)
            (void)ken_httpd_write(r, KEN_STR(": still here\n\n"));
    }
    pthread_mutex_unlock(&s->lock);
    return has;
}

// One that nobody used for long, used by the caller; NULL when there is none.
static mcp_http_session *take_idle(ken_mcp_http *h, bool is_due)
{
    int64_t now = ken_clock_mono_ns();
    mcp_http_session *found = NULL;
    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < h->sessions.len && !found; i++) {
        mcp_http_session *s = h->sessions.ptr[i];
        bool is_read = has_reader(s, is_due);
        if (!s->n_users && !is_read && now - s->used_ns > (int64_t)IDLE_S * 1000000000)
            found = s;
    }
    if (found)
        found->n_users++;
    pthread_mutex_unlock(&h->lock);
    return found;
}

void ken_mcp__http_sessions_tick(ken_mcp_http *h, bool is_due)
{
    mcp_http_session *s;
    while ((s = take_idle(h, is_due))) {
        ken_mcp__http_session_end(s);
        ken_mcp__http_session_let_go(s);
    }
    while ((s = take_ended(h)))
        free_session(s);
}
