// SPDX-License-Identifier: MIT
// httpd_request.c -- a request: its head, what handlers read of it, and its end.
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "httpd/httpd_priv.h"

static void describe_peer(ken_httpd_request *r)
{
    const httpd_mhd *mhd = r->server->mhd;
    const union MHD_ConnectionInfo *info =
        mhd->connection_info(r->mhd_connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *at = info ? info->client_addr : NULL;
    r->peer_uid = -1;
    memcpy(r->peer, "unix", sizeof "unix");
    if (at && at->sa_family == AF_INET) {
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)at)->sin_addr, r->peer,
                  sizeof r->peer);
    } else if (at && at->sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)at)->sin6_addr, r->peer,
                  sizeof r->peer);
    } else {
        struct ucred who = { 0 };
        socklen_t n = sizeof who;
        if (!getsockopt(r->connection->fd, SOL_SOCKET, SO_PEERCRED, &who, &n))
            r->peer_uid = who.uid;
    }
    r->is_tls = r->server->opts.tls_cert != NULL;
}

ken_httpd_request *ken_httpd__request_new(ken_httpd *h, struct MHD_Connection *c, const char *uri)
{
    ken_httpd_request *r = ken_zalloc(sizeof *r);
    const union MHD_ConnectionInfo *info =
        h->mhd->connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    r->server = h;
    r->mhd_connection = c;
    r->connection = info->socket_context;
    r->n_owners = 1;
    r->began_ns = ken_clock_mono_ns();
    ken_arena_init(&r->arena, 4096);
    pthread_mutex_init(&r->lock, NULL);
    ken_str whole = ken_arena_dup(&r->arena, ken_str_c(uri));
    size_t mark = ken_str_find_char(whole, '?');
    r->path = ken_str_sub(whole, 0, mark == SIZE_MAX ? whole.len : mark);
    if (mark != SIZE_MAX)
        r->query = ken_str_sub(whole, mark + 1, whole.len);
    describe_peer(r);
    atomic_fetch_add(&h->n_requests, 1);
    pthread_mutex_lock(&h->lock);
    r->next = h->first_request;
    if (r->next)
        r->next->previous = r;
    h->first_request = r;
    pthread_mutex_unlock(&h->lock);
    r->connection->request = r;
    return r;
}

void ken_httpd__request_drop(ken_httpd_request *r)
{
    pthread_mutex_lock(&r->lock);
    bool is_last = --r->n_owners == 0;
    pthread_mutex_unlock(&r->lock);
    if (!is_last)
        return;
    pthread_mutex_destroy(&r->lock);
    ken_buf_release(&r->body);
    ken_buf_release(&r->unsent);
    ken_vec_release(&r->headers);
    ken_arena_release(&r->arena);
    ken_free(r);
}

void ken_httpd__request_gone(ken_httpd_request *r)
{
    pthread_mutex_lock(&r->lock);
    bool is_news = !r->is_gone && !r->is_let_go;
    ken_httpd_gone_fn *fn = is_news ? r->on_gone : NULL;
    void *ctx = r->gone_ctx;
    r->is_gone = true;
    ken_httpd__resume(r);
    pthread_mutex_unlock(&r->lock);
    if (fn)
        fn(ctx, r);
}

// ---- the head ----------------------------------------------------------------------------------

static enum MHD_Result keep_header(void *ctx, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    (void)kind;
    ken_httpd_request *r = ctx;
    // The library copies the name of a folded header, and what follows the fold to the name, not the
    // value (0.9.75). Elsewhere the value lies behind its name.
    r->has_fold = r->has_fold || (value && (uintptr_t)value < (uintptr_t)name);
    httpd_pair p = { ken_arena_dup(&r->arena, ken_str_c(name)),
                     ken_arena_dup(&r->arena, ken_str_c(value ? value : "")) };
    ken_vec_push(&r->headers, p); // bounded by max_head_bytes
    return MHD_YES;
}

static size_t count_headers(const ken_httpd_request *r, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < r->headers.len; i++)
        n += ken_str_eq_fold(r->headers.ptr[i].name, ken_str_c(name));
    return n;
}

// RFC 9110, 5.6.2. "Content-Length " is no header of ours and may be one of the other end.
static bool is_token(ken_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!ken_is_word(name.ptr[i]) && !strchr("!#$%&'*+-.^`|~", name.ptr[i]))
            return false;
    return name.len > 0;
}

// Two ends could read different requests out of the same bytes (RFC 9112, 6.3 and 11.2).
static const char *find_ambiguity(const ken_httpd_request *r)
{
    size_t n_lengths = count_headers(r, "Content-Length");
    size_t n_codings = count_headers(r, "Transfer-Encoding");
    uint64_t length;
    if (n_lengths && n_codings)
        return "Content-Length and Transfer-Encoding exclude each other";
    if (n_lengths > 1 || n_codings > 1)
        return "Content-Length and Transfer-Encoding may be given once";
    if (n_lengths && !ken_str_parse_u64(ken_httpd_header(r, "Content-Length"), &length))
        return "Content-Length must be a number";
    if (n_codings && !ken_str_eq_fold(ken_httpd_header(r, "Transfer-Encoding"), KEN_STR("chunked")))
        return "Transfer-Encoding must be chunked";
    if (count_headers(r, "Host") != 1 && r->connection->fd >= 0)
        return "one Host header is needed";
    if (r->has_fold)
        return "a header goes on in the next line";
    for (size_t i = 0; i < r->headers.len; i++)
        if (!is_token(r->headers.ptr[i].name))
            return "a header's name has a character that no name has";
    for (size_t i = 0; i < r->headers.len; i++)
        if (ken_str_find_char(r->headers.ptr[i].value, '\n') != SIZE_MAX ||
            ken_str_find_char(r->headers.ptr[i].value, '\r') != SIZE_MAX)
            return "a header has a line break";
    return NULL;
}

static bool has_body(const ken_httpd_request *r)
{
    uint64_t length = 0;
    ken_str text = ken_httpd_header(r, "Content-Length");
    if (text.ptr && ken_str_parse_u64(text, &length))
        return length > 0;
    return ken_httpd_header(r, "Transfer-Encoding").ptr != NULL;
}

static bool refuse_route(ken_httpd_request *r, ken_str allow)
{
    if (!allow.len) {
        ken_httpd__refuse(r, 404, "there is nothing at this path");
        return false;
    }
    const ken_httpd_field field = { "Allow", allow.ptr };
    const ken_httpd_answer_opts answer = { .status = 405,
                                           .type = "text/plain; charset=utf-8",
                                           .body = KEN_STR("this path has other methods\n"),
                                           .wants_close = has_body(r),
                                           .fields = &field,
                                           .n_fields = 1 };
    ken_httpd_answer(r, &answer);
    return false;
}

bool ken_httpd__take_head(ken_httpd_request *r, const char *method)
{
    uint64_t length = 0;
    r->has_head = true;
    r->method = ken_arena_dup(&r->arena, ken_str_c(method));
    r->server->mhd->values(r->mhd_connection, MHD_HEADER_KIND, keep_header, r);
    r->n_owners = 2; // from here on it has an answer to come
    const char *wrong = find_ambiguity(r);
    if (wrong) {
        ken_httpd__refuse(r, 400, wrong);
        return false;
    }
    ken_str allow;
    r->route = ken_httpd__find_route(r, &allow);
    if (!r->route)
        return refuse_route(r, allow);
    ken_str text = ken_httpd_header(r, "Content-Length");
    if (text.ptr && ken_str_parse_u64(text, &length) && length > r->route->max_body_bytes) {
        ken_httpd__refuse(r, 413,
                          ken_arena_printf(&r->arena,
                                           "the body has %llu bytes, at most %zu are taken",
                                           (unsigned long long)length, r->route->max_body_bytes)
                              .ptr);
        return false;
    }
    r->body = KEN_BUF_INIT(r->route->max_body_bytes ? r->route->max_body_bytes : 1);
    return !r->server->opts.check || r->server->opts.check(r->server->opts.ctx, r);
}

// ---- what handlers read ------------------------------------------------------------------------

ken_str ken_httpd_method(const ken_httpd_request *r)
{
    return r->method;
}

ken_str ken_httpd_path(const ken_httpd_request *r)
{
    return r->path;
}

ken_str ken_httpd_param(const ken_httpd_request *r, const char *name)
{
    for (size_t i = 0; i < r->n_params; i++)
        if (ken_str_eq_c(r->params[i].name, name))
            return r->params[i].value;
    return (ken_str){ NULL, 0 };
}

bool ken_httpd_query_at(ken_httpd_request *r, size_t i, ken_str *out_name, ken_str *out_value)
{
    const ken_str none = { NULL, 0 };
    ken_str rest = r->query, part;
    for (size_t at = 0; ken_str_split_next(&rest, '&', &part);) {
        if (!part.len || at++ != i)
            continue;
        size_t equals = ken_str_find_char(part, '=');
        ken_str name = ken_str_sub(part, 0, equals == SIZE_MAX ? part.len : equals);
        ken_str value = equals == SIZE_MAX ? KEN_STR("") : ken_str_sub(part, equals + 1, part.len);
        *out_name = ken_httpd__decode(name, true, &r->arena, &name) ? name : none;
        *out_value = ken_httpd__decode(value, true, &r->arena, &value) ? value : none;
        return true;
    }
    return false;
}

ken_str ken_httpd_query(ken_httpd_request *r, const char *name)
{
    ken_str key, value;
    for (size_t i = 0; ken_httpd_query_at(r, i, &key, &value); i++)
        if (ken_str_eq_c(key, name))
            return value;
    return (ken_str){ NULL, 0 };
}

ken_str ken_httpd_header(const ken_httpd_request *r, const char *name)
{
    for (size_t i = 0; i < r->headers.len; i++)
        if (ken_str_eq_fold(r->headers.ptr[i].name, ken_str_c(name)))
            return r->headers.ptr[i].value;
    return (ken_str){ NULL, 0 };
}

ken_str ken_httpd_body(const ken_httpd_request *r)
{
    return ken_buf_str(&r->body);
}

// "q=0.5" among the parameters of a range; without one, and where it is no number, 1.
static double weight_of(ken_str params)
{
    ken_str param;
    double q;
    while (ken_str_split_next(&params, ';', &param)) {
        param = ken_str_trim(param);
        if (ken_str_eq_fold(ken_str_sub(param, 0, 2), KEN_STR("q=")) &&
            ken_str_parse_double(ken_str_sub(param, 2, param.len), &q) && q >= 0)
            return q < 1 ? q : 1;
    }
    return 1;
}

// How narrowly a range fits the word; 0 = not.
static int fit_of(ken_str range, ken_str word)
{
    size_t slash = ken_str_find_char(word, '/');
    ken_str type = ken_str_sub(word, 0, slash == SIZE_MAX ? 0 : slash + 1);
    if (ken_str_eq_fold(range, word))
        return 3;
    if (type.len && range.len == type.len + 1 && range.ptr[type.len] == '*' &&
        ken_str_eq_fold(ken_str_sub(range, 0, type.len), type))
        return 2;
    return ken_str_eq_c(range, type.len ? "*/*" : "*");
}

double ken_httpd_weight(ken_str list, const char *word)
{
    ken_str item, range;
    double weight = 0;
    int best = 0;
    while (ken_str_split_next(&list, ',', &item)) {
        if (!ken_str_split_next(&item, ';', &range))
            continue;
        int fit = fit_of(ken_str_trim(range), ken_str_c(word));
        double q = weight_of(item);
        if (fit > best || (fit && fit == best && q > weight)) {
            best = fit;
            weight = q;
        }
    }
    return weight;
}

bool ken_httpd_has_json(const ken_httpd_request *r)
{
    ken_str type = ken_httpd_header(r, "Content-Type");
    size_t semicolon = ken_str_find_char(type, ';');
    type = ken_str_trim(ken_str_sub(type, 0, semicolon == SIZE_MAX ? type.len : semicolon));
    return ken_str_eq_fold(type, KEN_STR("application/json"));
}

ken_arena *ken_httpd_arena(ken_httpd_request *r)
{
    return &r->arena;
}

ken_str ken_httpd_peer(const ken_httpd_request *r, int64_t *out_uid)
{
    if (out_uid)
        *out_uid = r->peer_uid;
    return ken_str_c(r->peer);
}

bool ken_httpd_is_tls(const ken_httpd_request *r)
{
    return r->is_tls;
}

const char *ken_httpd_route_of(const ken_httpd_request *r)
{
    return r->route ? r->route->path : "";
}

int ken_httpd_status(const ken_httpd_request *r)
{
    return (int)r->status;
}

uint64_t ken_httpd_answered_bytes(const ken_httpd_request *r)
{
    return r->n_answered;
}

int64_t ken_httpd_age_ns(const ken_httpd_request *r)
{
    return ken_clock_mono_ns() - r->began_ns;
}

void ken_httpd_set_user(ken_httpd_request *r, void *user)
{
    r->user = user;
}

void *ken_httpd_user(const ken_httpd_request *r)
{
    return r->user;
}

void ken_httpd_on_gone(ken_httpd_request *r, ken_httpd_gone_fn *fn, void *ctx)
{
    pthread_mutex_lock(&r->lock);
    bool is_gone = r->is_gone;
    r->on_gone = is_gone ? NULL : fn;
    r->gone_ctx = ctx;
    pthread_mutex_unlock(&r->lock);
    if (is_gone)
        fn(ctx, r);
}
