// SPDX-License-Identifier: MIT
// One POST: its answer is JSON when the first that comes is the answer, else a stream of events.
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "mcp/mcp_http_priv.h"

enum {
    STREAM_AFTER_MS = 5000, // of waiting, so that nothing on the way gives up
};

static const ken_httpd_field stream_fields[] = { { "Cache-Control", "no-store" },
                                                 { "X-Accel-Buffering", "no" } };
const ken_httpd_answer_opts ken_mcp__http_stream_head = {
    .status = 200, .type = "text/event-stream", .fields = stream_fields, .n_fields = 2
};

void ken_mcp__http_refuse(ken_httpd_request *r, int status, const char *id, int code,
                          const char *text)
{
    static const ken_httpd_field later = { "Retry-After", "1" };
    ken_buf body = KEN_BUF_INIT(64 * 1024);
    ken_mcp__put_error(&body, id, code, text, (ken_str){ NULL, 0 });
    ken_httpd_answer(r, &(ken_httpd_answer_opts){ .status = status,
                                                  .type = "application/json",
                                                  .body = ken_buf_str(&body),
                                                  .fields = &later,
                                                  .n_fields = status == 503 });
    ken_buf_release(&body);
}

void ken_mcp__http_put_event(ken_buf *out, const char *id, ken_str message)
{
    if (*id)
        ken_buf_printf(out, "id: %s\n", id);
    ken_buf_puts(out, "event: message\ndata: ");
    ken_buf_put_str(out, message); // has no line break
    ken_buf_puts(out, "\n\n");
}

mcp_http_exchange *ken_mcp__http_exchange_new(ken_mcp_http *h, ken_httpd_request *r)
{
    mcp_http_exchange *e = ken_arena_zalloc(ken_httpd_arena(r), sizeof *e);
    e->http = h;
    e->r = r;
    e->began_ns = ken_clock_mono_ns();
    return e;
}

// ---- the list of those that are open -----------------------------------------------------------

void ken_mcp__http_exchange_open(mcp_http_exchange *e)
{
    ken_mcp_http *h = e->http;
    pthread_mutex_init(&e->lock, NULL);
    pthread_mutex_lock(&h->lock);
    e->next = h->exchanges;
    if (e->next)
        e->next->previous = e;
    h->exchanges = e;
    pthread_mutex_unlock(&h->lock);
}

static void close_exchange(mcp_http_exchange *e)
{
    ken_mcp_http *h = e->http;
    pthread_mutex_lock(&h->lock);
    *(e->previous ? &e->previous->next : &h->exchanges) = e->next;
    if (e->next)
        e->next->previous = e->previous;
    pthread_mutex_unlock(&h->lock);
    pthread_mutex_destroy(&e->lock);
}

// ---- streams -----------------------------------------------------------------------------------

// The exchange's lock is held.
static void begin_stream(mcp_http_exchange *e)
{
    e->has_begun = true;
    ken_httpd_begin(e->r, &ken_mcp__http_stream_head);
    if (!e->session)
        return;
    ken_buf first = KEN_BUF_INIT(4096);
    e->stream = ken_mcp__http_stream_new(e->session, e->is_primed, &first);
    if (first.len)
        (void)ken_httpd_write(e->r, ken_buf_str(&first));
    ken_buf_release(&first);
}

// The same.
static void write_message(mcp_http_exchange *e, ken_str message)
{
    ken_buf event = KEN_BUF_INIT(2 * KEN_MCP_MESSAGE_MAX + 4096);
    if (e->session)
        ken_mcp__http_stream_add(e->session, e->stream, message, &event);
    else
        ken_mcp__http_put_event(&event, "", message);
    (void)ken_httpd_write(e->r, ken_buf_str(&event));
    ken_buf_release(&event);
}

static void tell(mcp_http_exchange *e, ken_str message)
{
    pthread_mutex_lock(&e->lock);
    if (!e->has_begun && e->takes_stream)
        begin_stream(e);
    if (e->has_begun)
        write_message(e, message);
    pthread_mutex_unlock(&e->lock);
}

// ---- answers -----------------------------------------------------------------------------------

static int status_of(const mcp_http_exchange *e, int code)
{
    if (e->session || !code)
        return 200;
    bool is_refused = code == KEN_MCP__HEADER_MISMATCH || code == KEN_MCP__UNSUPPORTED_VERSION ||
                      code == KEN_MCP__MISSING_CAPABILITY || code == KEN_MCP__INVALID_REQUEST;
    return code == KEN_MCP__METHOD_NOT_FOUND ? 404 : is_refused ? 400 : 200;
}

static void answer_json(const mcp_http_exchange *e, const ken_mcp_sent *sent)
{
    ken_httpd_field fields[] = { { "Cache-Control", "no-store" }, { "Mcp-Session-Id", NULL } };
    size_t n = 1;
    if (e->is_new_session && !sent->code) {
        fields[1].value = e->session->id;
        n = 2;
    }
    ken_httpd_answer(e->r, &(ken_httpd_answer_opts){ .status = status_of(e, sent->code),
                                                     .type = "application/json",
                                                     .body = sent->text,
                                                     .may_compress = true,
                                                     .fields = fields,
                                                     .n_fields = n });
}

// The exchange is gone after this.
static void finish(mcp_http_exchange *e, const ken_mcp_sent *sent)
{
    mcp_http_session *s = e->session;
    bool ends_session = e->is_new_session && sent->code;
    close_exchange(e);
    if (!e->has_begun && sent->text.len && !e->takes_json)
        begin_stream(e);
    if (e->has_begun) {
        if (sent->text.len)
            write_message(e, sent->text);
        if (s)
            ken_mcp__http_stream_end(s, e->stream);
        ken_httpd_end(e->r);
    } else if (sent->text.len) {
        answer_json(e, sent);
    } else {
        ken_httpd_answer(e->r, &(ken_httpd_answer_opts){ .status = 202 });
    }
    if (ends_session)
        ken_mcp__http_session_end(s);
    if (s)
        ken_mcp__http_session_let_go(s);
}

void ken_mcp__http_send(void *ctx, const ken_mcp_sent *sent)
{
    mcp_http_exchange *e = sent->tag;
    if (!e) // of no request
        ken_mcp__http_stream_add(ctx, 0, sent->text, NULL);
    else if (sent->is_last)
        finish(e, sent);
    else
        tell(e, sent->text);
}

// ---- those that wait ---------------------------------------------------------------------------

static void tick(mcp_http_exchange *e, int64_t now_ns, bool is_due)
{
    pthread_mutex_lock(&e->lock);
    bool is_late = now_ns - e->began_ns >= (int64_t)STREAM_AFTER_MS * 1000000;
    if (!e->has_begun && e->is_call && e->takes_stream && is_late)
        begin_stream(e);
    if (e->has_begun && is_due)
        (void)ken_httpd_write(e->r, KEN_STR(": still here\n\n"));
    pthread_mutex_unlock(&e->lock);
}

void ken_mcp__http_exchanges_tick(ken_mcp_http *h, bool is_due)
{
    int64_t now = ken_clock_mono_ns();
    pthread_mutex_lock(&h->lock);
    for (mcp_http_exchange *e = h->exchanges; e; e = e->next)
        tick(e, now, is_due);
    pthread_mutex_unlock(&h->lock);
}
