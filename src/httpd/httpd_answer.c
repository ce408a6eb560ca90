// SPDX-License-Identifier: MIT
// httpd_answer.c -- answers, whole or as a stream.
//
// The thread that answers makes the library's response under the request's lock; if the connection is
// suspended by then, it is resumed, and the loop hands the response over. A stream's bytes lie in
// `unsent` until the loop takes them; while there are none the connection is suspended.
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <zstd.h>

#include "base/alloc.h"
#include "httpd/httpd_priv.h"

enum {
    COMPRESS_FROM = 1024, // bytes
    ZSTD_LEVEL = 3,
    GZIP_LEVEL = 5,
    STREAM_BLOCK = 16 * 1024,
};

typedef enum coding {
    PLAIN = 0,
    ZSTD,
    GZIP
} coding;

// ---- what the client takes ---------------------------------------------------------------------

static coding choose_coding(const ken_httpd_request *r, const ken_httpd_answer_opts *a)
{
    ken_str accepted = ken_httpd_header(r, "Accept-Encoding");
    if (!a->may_compress || a->body.len < COMPRESS_FROM || !accepted.len)
        return PLAIN;
    double zstd = ken_httpd_weight(accepted, "zstd"), gzip = ken_httpd_weight(accepted, "gzip");
    if (zstd > 0 && zstd >= gzip)
        return ZSTD;
    return gzip > 0 ? GZIP : PLAIN;
}

// Weakly (RFC 9110, 13.1.2).
bool ken_httpd_knows(const ken_httpd_request *r, const char *etag)
{
    ken_str rest = ken_httpd_header(r, "If-None-Match"), item;
    while (etag && ken_str_split_next(&rest, ',', &item)) {
        item = ken_str_trim(item);
        if (ken_str_eq_c(item, "*"))
            return true;
        if (ken_str_starts(item, KEN_STR("W/")))
            item = ken_str_sub(item, 2, item.len);
        if (item.len > 1 && item.ptr[0] == '"' && item.ptr[item.len - 1] == '"' &&
            ken_str_eq_c(ken_str_sub(item, 1, item.len - 1), etag))
            return true;
    }
    return false;
}

// ---- bodies ------------------------------------------------------------------------------------

static char *zstd_bytes(ken_str text, size_t *out_n)
{
    size_t room = ZSTD_compressBound(text.len);
    char *to = ken_try_alloc(room);
    size_t n = to ? ZSTD_compress(to, room, text.ptr, text.len, ZSTD_LEVEL) : 0;
    if (!to || ZSTD_isError(n)) {
        ken_free(to);
        return NULL;
    }
    *out_n = n;
    return to;
}

static char *gzip_bytes(ken_str text, size_t *out_n)
{
    enum {
        WINDOW_BITS = 15,
        GZIP_FORMAT = 16,
        MEMORY_LEVEL = 8
    };
    z_stream z = { 0 };
    if (text.len > UINT_MAX / 2 ||
        deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, WINDOW_BITS + GZIP_FORMAT, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    size_t room = deflateBound(&z, (uLong)text.len);
    char *to = ken_try_alloc(room);
    z.next_in = (Bytef *)(uintptr_t)text.ptr;
    z.avail_in = (uInt)text.len;
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)room;
    bool is_done = to && deflate(&z, Z_FINISH) == Z_STREAM_END;
    *out_n = z.total_out;
    deflateEnd(&z);
    if (is_done)
        return to;
    ken_free(to);
    return NULL;
}

static void keep_bytes(void *bytes)
{
    (void)bytes;
}

static struct MHD_Response *body_response(const ken_httpd_request *r,
                                          const ken_httpd_answer_opts *a, coding *c)
{
    const httpd_mhd *mhd = r->server->mhd;
    size_t n = 0;
    char *bytes = *c == ZSTD   ? zstd_bytes(a->body, &n)
                  : *c == GZIP ? gzip_bytes(a->body, &n)
                               : NULL;
    if (bytes && n >= a->body.len) { // it is dense already
        ken_free(bytes);
        bytes = NULL;
    }
    if (bytes)
        return mhd->from_buffer(n, bytes, ken_free);
    *c = PLAIN;
    if (a->is_static || !a->body.len)
        return mhd->from_buffer(a->body.len, (void *)(uintptr_t)a->body.ptr, keep_bytes);
    return mhd->from_buffer(a->body.len, ken_strndup(a->body.ptr, a->body.len), ken_free);
}

// ---- heads -------------------------------------------------------------------------------------

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    return true;
}

static void add_field(const ken_httpd_request *r, struct MHD_Response *to, const char *name,
                      const char *value)
{
    if (value && is_printable(name) && is_printable(value))
        (void)r->server->mhd->add_header(to, name, value);
}

static void add_fields(ken_httpd_request *r, struct MHD_Response *to,
                       const ken_httpd_answer_opts *a, coding c)
{
    char etag[160];
    add_field(r, to, "Content-Type", a->type);
    if (a->etag) {
        snprintf(etag, sizeof etag, "%s\"%s\"", c ? "W/" : "", a->etag);
        add_field(r, to, "ETag", etag);
    }
    if (c)
        add_field(r, to, "Content-Encoding", c == ZSTD ? "zstd" : "gzip");
    if (a->may_compress)
        add_field(r, to, "Vary", "Accept-Encoding");
    if (a->wants_close)
        add_field(r, to, "Connection", "close");
    for (size_t i = 0; i < a->n_fields; i++)
        add_field(r, to, a->fields[i].name, a->fields[i].value);
}

// ---- answering ---------------------------------------------------------------------------------

// Puts the response in its place; it is not ours any more.
static void set_response(ken_httpd_request *r, unsigned status, struct MHD_Response *response)
{
    r->status = status;
    r->response = response;
    ken_httpd__resume(r);
}

void ken_httpd_answer(ken_httpd_request *r, const ken_httpd_answer_opts *a)
{
    pthread_mutex_lock(&r->lock);
    if (!r->is_gone && !r->response) { // the server is there as long as the client is
        bool is_same = a->status == 200 && ken_httpd_knows(r, a->etag);
        ken_httpd_answer_opts now = *a;
        if (is_same) {
            now.status = 304;
            now.body = KEN_STR("");
            now.type = NULL;
        }
        coding c = choose_coding(r, &now);
        struct MHD_Response *response = body_response(r, &now, &c);
        r->n_answered = now.body.len;
        add_fields(r, response, &now, c);
        set_response(r, (unsigned)now.status, response);
    }
    r->is_let_go = true;
    pthread_mutex_unlock(&r->lock);
    ken_httpd__request_drop(r);
}

void ken_httpd__refuse(ken_httpd_request *r, int status, const char *text)
{
    const ken_httpd_answer_opts answer = { .status = status,
                                           .type = "text/plain; charset=utf-8",
                                           .body = ken_arena_printf(&r->arena, "%s\n", text),
                                           .wants_close = true };
    ken_httpd_answer(r, &answer);
}

enum MHD_Result ken_httpd__queue(ken_httpd_request *r)
{
    const httpd_mhd *mhd = r->server->mhd;
    r->has_queued = true;
    enum MHD_Result is_taken = mhd->queue(r->mhd_connection, r->status, r->response);
    mhd->destroy(r->response); // one owner less
    return is_taken;
}

// ---- streams -----------------------------------------------------------------------------------

static ssize_t read_stream(void *ctx, uint64_t at, char *to, size_t room)
{
    (void)at;
    ken_httpd_request *r = ctx;
    pthread_mutex_lock(&r->lock);
    size_t left = r->unsent.len - r->n_sent;
    ssize_t n = 0;
    if (r->is_gone) {
        n = MHD_CONTENT_READER_END_WITH_ERROR;
    } else if (left) {
        size_t taken = left < room ? left : room;
        memcpy(to, r->unsent.ptr + r->n_sent, taken);
        r->n_sent += taken;
        if (r->n_sent == r->unsent.len) {
            ken_buf_clear(&r->unsent);
            r->n_sent = 0;
        }
        n = (ssize_t)taken;
    } else if (r->has_ended) {
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        r->is_suspended = true;
        r->server->mhd->suspend(r->mhd_connection);
    }
    pthread_mutex_unlock(&r->lock);
    return n;
}

void ken_httpd_begin(ken_httpd_request *r, const ken_httpd_answer_opts *head)
{
    pthread_mutex_lock(&r->lock);
    if (!r->is_gone && !r->response) {
        struct MHD_Response *response =
            r->server->mhd->from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, r, NULL);
        r->is_stream = true;
        r->unsent = KEN_BUF_INIT(r->server->opts.max_unsent_bytes);
        add_fields(r, response, head, PLAIN);
        set_response(r, (unsigned)head->status, response);
    }
    pthread_mutex_unlock(&r->lock);
}

bool ken_httpd_write(ken_httpd_request *r, ken_str bytes)
{
    pthread_mutex_lock(&r->lock);
    bool is_open = !r->is_gone && r->is_stream;
    if (is_open && r->n_sent) { // only what is not sent counts
        size_t left = r->unsent.len - r->n_sent;
        memmove(r->unsent.ptr, r->unsent.ptr + r->n_sent, left);
        r->unsent.len = left;
        r->n_sent = 0;
    }
    if (is_open) {
        r->n_answered += bytes.len;
        ken_buf_put_str(&r->unsent, bytes);
        if (r->unsent.is_over) { // nobody reads it
            r->is_gone = true;
            is_open = false;
            atomic_fetch_add(&r->server->n_cut, 1);
        }
        ken_httpd__resume(r);
    }
    pthread_mutex_unlock(&r->lock);
    return is_open;
}

size_t ken_httpd_unsent(ken_httpd_request *r)
{
    pthread_mutex_lock(&r->lock);
    size_t n = r->unsent.len - r->n_sent;
    pthread_mutex_unlock(&r->lock);
    return n;
}

void ken_httpd_end(ken_httpd_request *r)
{
    pthread_mutex_lock(&r->lock);
    r->has_ended = true;
    r->is_let_go = true;
    if (!r->is_gone)
        ken_httpd__resume(r);
    pthread_mutex_unlock(&r->lock);
    ken_httpd__request_drop(r);
}
