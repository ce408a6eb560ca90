// SPDX-License-Identifier: MIT
// One request is one easy handle on a multi handle of its own, so that waiting happens in steps of
// WAIT_MS and a cancel is seen at once. Such a pair is a `line`; idle ones keep their connections.
#include "httpc/httpc.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "httpc/httpc_curl_priv.h"

enum {
    WAIT_MS = 50,
    PROGRESS_MS = 200,
    STALL_MS = 60 * 1000,
    IDLE_MAX = 20, // lines that are kept
    URL_SHOWN = 200,
    URL_MAX = 4096,
    TAG_MAX = 128,
};

#define FETCH_MAX_BYTES ((uint64_t)16 << 30)

typedef struct line {
    CURL *easy;
    CURLM *multi;
    struct line *next;
} line;

struct ken_httpc {
    pthread_mutex_t lock; // guards: idle, n_idle
    line *idle;
    size_t n_idle;
};

// One request while it runs.
typedef struct exchange {
    const httpc_curl *curl;
    const char *url;
    const ken_cancel *cancel;
    ken_httpc_fault fault; // found by a callback
    ken_err disk;          // why writing failed
    ken_httpc_response r;
    char reason[CURL_ERROR_SIZE];
    // of a download:
    const ken_httpc_download *file;
    int fd;
    uint64_t at, total; // bytes on disk; the whole file, 0 = not known
    int64_t progress_at_ns;
    uint64_t resumed_at; // what was there before
    char tag[TAG_MAX];   // that the answer gives the file as it is now; "" = none
    bool is_tag_kept;
    bool must_restart; // the server has no part that fits to what is there
} exchange;

const char *ken_httpc_fault_text(ken_httpc_fault f)
{
    static const char *const texts[] = {
#define X(name, text) text,
        KEN_HTTPC_FAULT_TABLE(X)
#undef X
    };
    return (size_t)f < sizeof texts / sizeof *texts ? texts[f] : "unknown fault";
}

// ---- URLs ------------------------------------------------------------------------------------

// Bytes of a URL that a message shows: a query may hold a secret.
static int shown(const char *url)
{
    size_t n = strcspn(url, "?#");
    return n < URL_SHOWN ? (int)n : URL_SHOWN;
}

// "host:port" of an http or https URL; empty when it is none.
static ken_str find_authority(ken_str url)
{
    size_t skip = ken_str_eq_fold(ken_str_sub(url, 0, 7), KEN_STR("http://"))    ? 7
                  : ken_str_eq_fold(ken_str_sub(url, 0, 8), KEN_STR("https://")) ? 8
                                                                                 : 0;
    if (!skip)
        return KEN_STR("");
    ken_str rest = ken_str_sub(url, skip, url.len);
    size_t n = 0;
    while (n < rest.len && !strchr("/?#", rest.ptr[n]))
        n++;
    return ken_str_sub(rest, 0, n);
}

ken_str ken_httpc_host(ken_str url)
{
    ken_str host = find_authority(url);
    size_t end = ken_str_find_char(host, host.len && host.ptr[0] == '[' ? ']' : ':');
    if (host.len && host.ptr[0] == '[')
        return end == SIZE_MAX ? KEN_STR("") : ken_str_sub(host, 1, end);
    return ken_str_sub(host, 0, end);
}

bool ken_httpc_is_loopback(ken_str url)
{
    ken_str host = ken_httpc_host(url);
    if (ken_str_eq_fold(host, KEN_STR("localhost")) || ken_str_eq_c(host, "::1"))
        return true;
    unsigned n_dots = 0;
    for (size_t i = 0; i < host.len; i++) {
        if (!ken_is_digit(host.ptr[i]) && host.ptr[i] != '.')
            return false;
        n_dots += host.ptr[i] == '.';
    }
    return n_dots == 3 && ken_str_starts(host, KEN_STR("127."));
}

ken_status ken_httpc_check_url(ken_str url, ken_err *err)
{
    ken_str authority = find_authority(url);
    for (size_t i = 0; i < url.len; i++)
        if (url.ptr[i] <= ' ' || url.ptr[i] == 0x7f)
            return KEN_FAIL(err, KEN_EINVAL,
                            "a URL has a control character, a space or a byte "
                            "that is not ASCII; write it as %%xx");
    // Not quoted: the part before the '@' may be a password.
    if (ken_str_find_char(authority, '@') != SIZE_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "a URL must not hold a user or a password");
    if (!ken_httpc_host(url).len || url.len > URL_MAX)
        return KEN_FAIL(err, KEN_EINVAL,
                        "'" KEN_STR_FMT "' is not an http or https URL of at most %d bytes",
                        KEN_STR_ARG(ken_str_sub(url, 0, URL_SHOWN)), URL_MAX);
    return KEN_OK;
}

// ---- lines -----------------------------------------------------------------------------------

ken_httpc *ken_httpc_new(void)
{
    ken_httpc *c = ken_zalloc(sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

static void close_line(const httpc_curl *curl, line *l)
{
    if (l->easy)
        curl->free_easy(l->easy);
    if (l->multi)
        curl->free_multi(l->multi);
    ken_free(l);
}

void ken_httpc_free(ken_httpc *c)
{
    if (!c)
        return;
    const httpc_curl *curl = NULL;
    if (c->idle && !ken_httpc__curl(&curl, NULL))
        while (c->idle) {
            line *l = c->idle;
            c->idle = l->next;
            close_line(curl, l);
        }
    pthread_mutex_destroy(&c->lock);
    ken_free(c);
}

static line *take_line(ken_httpc *c, const httpc_curl *curl)
{
    pthread_mutex_lock(&c->lock);
    line *l = c->idle;
    if (l) {
        c->idle = l->next;
        c->n_idle--;
    }
    pthread_mutex_unlock(&c->lock);
    if (!l) {
        l = ken_zalloc(sizeof *l);
        l->easy = curl->new_easy();
        l->multi = curl->new_multi();
        if (!l->easy || !l->multi) {
            close_line(curl, l);
            return NULL;
        }
    }
    return l;
}

static void give_line(ken_httpc *c, const httpc_curl *curl, line *l)
{
    curl->reset(l->easy); // forgets headers and bodies, keeps the connection
    pthread_mutex_lock(&c->lock);
    bool is_kept = c->n_idle < IDLE_MAX;
    if (is_kept) {
        l->next = c->idle;
        c->idle = l;
        c->n_idle++;
    }
    pthread_mutex_unlock(&c->lock);
    if (!is_kept)
        close_line(curl, l);
}

// ---- what libcurl calls ----------------------------------------------------------------------

static size_t keep_body(char *data, size_t size, size_t n, void *ctx)
{
    exchange *x = ctx;
    n *= size;
    ken_buf_put(&x->r.body, data, n);
    if (!x->r.body.is_over)
        return n;
    x->fault = KEN_HTTPC_TOO_LARGE;
    return 0;
}

static void tell_progress(const exchange *x)
{
    if (x->file->progress)
        x->file->progress(x->file->ctx, x->at, x->total);
}

// Beside a part: which file it is a part of.
static const char *tag_path(const exchange *x, ken_buf *b)
{
    ken_buf_printf(b, "%s.tag", x->file->path);
    return b->ptr;
}

// False when a tag is still there. That is harmless: a request to resume with it is sent the whole
// file.
static bool drop_tag(const exchange *x)
{
    ken_buf path = KEN_BUF_INIT(8192);
    bool is_gone = !ken_fs_remove(tag_path(x, &path), NULL);
    ken_buf_release(&path);
    return is_gone;
}

// At the first byte, so that it is there when the process ends at the second. Without it the file
// goes on unchecked, as from a server that gives no tags.
static void keep_tag(exchange *x)
{
    int fd = -1;
    ken_buf path = KEN_BUF_INIT(8192);
    x->is_tag_kept = true;
    if (drop_tag(x) && x->tag[0] &&
        !ken_fs_open_append(tag_path(x, &path), true, &fd, NULL, NULL)) {
        if (ken_fs_append(fd, ken_str_c(x->tag), NULL))
            drop_tag(x);
        ken_fs_close(fd);
    }
    ken_buf_release(&path);
}

static size_t keep_file(char *data, size_t size, size_t n, void *ctx)
{
    exchange *x = ctx;
    n *= size;
    uint64_t max = x->file->max_bytes ? x->file->max_bytes : FETCH_MAX_BYTES;
    if (x->r.status != 200 && x->r.status != 206)
        return n; // the text of an error
    if (!x->is_tag_kept)
        keep_tag(x);
    if (x->at + n > max)
        x->fault = KEN_HTTPC_TOO_LARGE;
    else if (ken_fs_append(x->fd, ken_str_n(data, n), &x->disk))
        x->fault = KEN_HTTPC_DISK;
    if (x->fault)
        return 0;
    x->at += n;
    int64_t now = ken_clock_mono_ns();
    if (now - x->progress_at_ns >= PROGRESS_MS * 1000000LL) {
        x->progress_at_ns = now;
        tell_progress(x);
    }
    return n;
}

// The value of header `name` when `text` is such a line; ptr NULL otherwise.
static ken_str header_value(ken_str text, ken_str name)
{
    if (text.len <= name.len || text.ptr[name.len] != ':' ||
        !ken_str_eq_fold(ken_str_sub(text, 0, name.len), name))
        return (ken_str){ 0 };
    return ken_str_trim(ken_str_sub(text, name.len + 1, text.len));
}

static void ask_again(exchange *x)
{
    x->must_restart = true;
    x->fault = KEN_HTTPC_BROKEN;
}

// "HTTP/1.1 200 OK": the headers of a new answer begin.
static void begin_answer(exchange *x, ken_str text)
{
    size_t space = ken_str_find_char(text, ' ');
    uint64_t status = 0;
    (void)ken_str_parse_u64(ken_str_sub(text, space + 1, space + 4), &status);
    x->r.status = (int)status;
    x->r.retry_after_s = -1;
    x->total = 0;
    x->tag[0] = '\0';
    if (x->resumed_at && (status == 200 || status == 416))
        ask_again(x);
}

// A 206 must go on exactly where the file ends; "bytes 100-199/200".
static void check_range(exchange *x, ken_str value)
{
    uint64_t from = 0, total = 0;
    size_t minus = ken_str_find_char(value, '-'), slash = ken_str_find_char(value, '/');
    bool is_good = ken_str_starts(value, KEN_STR("bytes ")) && minus != SIZE_MAX &&
                   ken_str_parse_u64(ken_str_sub(value, 6, minus), &from);
    if (x->r.status == 206 && (!is_good || from != x->at))
        ask_again(x);
    if (slash != SIZE_MAX && ken_str_parse_u64(ken_str_sub(value, slash + 1, value.len), &total))
        x->total = total;
}

static size_t keep_header(char *data, size_t size, size_t n, void *ctx)
{
    exchange *x = ctx;
    n *= size;
    ken_str text = ken_str_n(data, n), value;
    uint64_t number = 0;
    if (ken_str_starts(text, KEN_STR("HTTP/")))
        begin_answer(x, text);
    value = header_value(text, KEN_STR("retry-after"));
    if (value.ptr && ken_str_parse_u64(value, &number) && number < INT32_MAX)
        x->r.retry_after_s = (int64_t)number;
    value = header_value(text, KEN_STR("content-range"));
    if (value.ptr && x->file)
        check_range(x, value);
    value = header_value(text, KEN_STR("content-length"));
    if (value.ptr && x->file && x->r.status == 200 && ken_str_parse_u64(value, &number))
        x->total = number;
    value = header_value(text, KEN_STR("etag"));
    if (value.len && value.len < TAG_MAX && value.ptr[0] == '"') // strong: the same bytes
        snprintf(x->tag, sizeof x->tag, KEN_STR_FMT, KEN_STR_ARG(value));
    return x->fault ? 0 : n;
}

// ---- one request -----------------------------------------------------------------------------

static ken_httpc_fault fault_of(CURLcode code)
{
    static const struct {
        CURLcode code;
        ken_httpc_fault fault;
    } rows[] = {
        { CURLE_COULDNT_RESOLVE_HOST, KEN_HTTPC_DNS },
        { CURLE_COULDNT_RESOLVE_PROXY, KEN_HTTPC_DNS },
        { CURLE_COULDNT_CONNECT, KEN_HTTPC_REFUSED },
        { CURLE_OPERATION_TIMEDOUT, KEN_HTTPC_TIMEOUT },
        { CURLE_SSL_CONNECT_ERROR, KEN_HTTPC_TLS },
        { CURLE_PEER_FAILED_VERIFICATION, KEN_HTTPC_TLS },
        { CURLE_SSL_CACERT_BADFILE, KEN_HTTPC_TLS },
        { CURLE_SSL_CERTPROBLEM, KEN_HTTPC_TLS },
        { CURLE_SSL_CIPHER, KEN_HTTPC_TLS },
        { CURLE_SSL_ISSUER_ERROR, KEN_HTTPC_TLS },
        { CURLE_FILESIZE_EXCEEDED, KEN_HTTPC_TOO_LARGE },
        { CURLE_TOO_MANY_REDIRECTS, KEN_HTTPC_REDIRECT },
        { CURLE_UNSUPPORTED_PROTOCOL, KEN_HTTPC_NOT_HTTP },
        { CURLE_WEIRD_SERVER_REPLY, KEN_HTTPC_NOT_HTTP },
        { CURLE_URL_MALFORMAT, KEN_HTTPC_REQUEST },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code)
            return rows[i].fault;
    return KEN_HTTPC_BROKEN;
}

static ken_status status_of(ken_httpc_fault f)
{
    return f == KEN_HTTPC_TIMEOUT     ? KEN_ETIMEOUT
           : f == KEN_HTTPC_TOO_LARGE ? KEN_ELIMIT
           : f == KEN_HTTPC_CANCELLED ? KEN_ECANCELLED
           : f == KEN_HTTPC_REQUEST   ? KEN_EINVAL
                                      : KEN_EIO;
}

static ken_status fail(const exchange *x, CURLcode code, ken_httpc_fault *out, ken_err *err)
{
    ken_httpc_fault f = x->fault ? x->fault : fault_of(code);
    if (f == KEN_HTTPC_NOT_HTTP && x->r.status >= 300 && x->r.status < 400)
        f = KEN_HTTPC_REDIRECT; // to a protocol that is not allowed
    if (out)
        *out = f;
    if (f == KEN_HTTPC_DISK) {
        if (err)
            *err = x->disk;
        return x->disk.status;
    }
    bool has_reason = x->reason[0] && !x->fault;
    return KEN_FAIL(err, status_of(f), "'%.*s': %s%s%.200s%s", shown(x->url), x->url,
                    ken_httpc_fault_text(f), has_reason ? " (" : "", has_reason ? x->reason : "",
                    has_reason ? ")" : "");
}

static void set_common(const exchange *x, CURL *easy)
{
    const httpc_curl *c = x->curl;
    c->set(easy, CURLOPT_NOSIGNAL, 1L);
    c->set(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    c->set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    c->set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    c->set(easy, CURLOPT_URL, x->url);
    c->set(easy, CURLOPT_ERRORBUFFER, x->reason);
    c->set(easy, CURLOPT_USERAGENT, "ken");
    c->set(easy, CURLOPT_HEADERFUNCTION, keep_header);
    c->set(easy, CURLOPT_HEADERDATA, x);
    c->set(easy, CURLOPT_WRITEDATA, x);
    // Servers on this machine are never reached through a proxy of the environment.
    if (ken_httpc_is_loopback(ken_str_c(x->url)))
        c->set(easy, CURLOPT_PROXY, "");
}

static void set_request(const exchange *x, const ken_httpc_request *q, CURL *easy,
                        struct curl_slist *headers)
{
    const httpc_curl *c = x->curl;
    set_common(x, easy);
    c->set(easy, CURLOPT_CONNECTTIMEOUT_MS,
           (long)(q->connect_ms ? q->connect_ms : KEN_HTTPC_CONNECT_MS));
    c->set(easy, CURLOPT_TIMEOUT_MS, (long)(q->timeout_ms ? q->timeout_ms : KEN_HTTPC_TIMEOUT_MS));
    c->set(easy, CURLOPT_WRITEFUNCTION, keep_body);
    c->set(easy, CURLOPT_HTTPHEADER, headers);
    if (q->body.ptr) {
        c->set(easy, CURLOPT_POST, 1L);
        c->set(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->body.len);
        c->set(easy, CURLOPT_POSTFIELDS, q->body.ptr);
    }
    if (q->method)
        c->set(easy, CURLOPT_CUSTOMREQUEST, q->method);
}

static void set_fetch(const exchange *x, CURL *easy)
{
    const httpc_curl *c = x->curl;
    const ken_httpc_download *d = x->file;
    bool is_https = ken_str_eq_fold(ken_str_sub(ken_str_c(d->url), 0, 6), KEN_STR("https:"));
    int64_t stall_s = (d->stall_ms ? d->stall_ms : STALL_MS) / 1000;
    set_common(x, easy);
    c->set(easy, CURLOPT_CONNECTTIMEOUT_MS,
           (long)(d->connect_ms ? d->connect_ms : KEN_HTTPC_CONNECT_MS));
    c->set(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    c->set(easy, CURLOPT_LOW_SPEED_TIME, (long)(stall_s ? stall_s : 1));
    c->set(easy, CURLOPT_FOLLOWLOCATION, 1L);
    c->set(easy, CURLOPT_MAXREDIRS, (long)KEN_HTTPC_REDIRECTS_MAX);
    c->set(easy, CURLOPT_REDIR_PROTOCOLS,
           (long)(is_https ? CURLPROTO_HTTPS : CURLPROTO_HTTP | CURLPROTO_HTTPS));
    c->set(easy, CURLOPT_WRITEFUNCTION, keep_file);
    if (d->bearer) { // curl does not send it to where it is redirected
        c->set(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        c->set(easy, CURLOPT_XOAUTH2_BEARER, d->bearer);
    }
}

// Waits in short steps. CURLE_OK, or how it failed; x->fault is set when we stopped it.
static CURLcode run(exchange *x, line *l)
{
    const httpc_curl *c = x->curl;
    if (c->add(l->multi, l->easy))
        return CURLE_FAILED_INIT;
    CURLcode code = CURLE_OK;
    int n_running = 1;
    while (n_running && !code) {
        ken_status st = ken_cancel_check(x->cancel, NULL);
        if (st)
            x->fault = st == KEN_ETIMEOUT ? KEN_HTTPC_TIMEOUT : KEN_HTTPC_CANCELLED;
        if (st || c->perform(l->multi, &n_running))
            code = CURLE_ABORTED_BY_CALLBACK;
        else if (n_running)
            (void)c->poll(l->multi, NULL, 0, WAIT_MS, NULL);
    }
    int n_left;
    CURLMsg *m;
    while (!code && (m = c->read_info(l->multi, &n_left)))
        if (m->msg == CURLMSG_DONE && m->easy_handle == l->easy)
            code = m->data.result;
    (void)c->remove(l->multi, l->easy);
    return code;
}

// No line break may come into a header: it would begin another one.
static ken_status check_headers(const ken_httpc_request *q, ken_err *err)
{
    for (size_t i = 0; i < q->n_headers; i++)
        for (const char *p = q->headers[i].value; *p; p++)
            if (*p < ' ' || *p == 0x7f)
                return KEN_FAIL(err, KEN_EINVAL, "header '%s' has a character that is not allowed",
                                q->headers[i].name);
    return KEN_OK;
}

static struct curl_slist *make_headers(const httpc_curl *curl, const ken_httpc_request *q)
{
    // libcurl would ask for permission before it sends a large body, and name a content type.
    struct curl_slist *list = curl->add_header(NULL, "Expect:");
    bool has_type = false;
    for (size_t i = 0; i < q->n_headers; i++) {
        ken_buf text = KEN_BUF_INIT(16384);
        ken_buf_printf(&text, "%s: %s", q->headers[i].name, q->headers[i].value);
        list = text.is_over ? list : curl->add_header(list, text.ptr);
        has_type |= ken_str_eq_fold(ken_str_c(q->headers[i].name), KEN_STR("content-type"));
        ken_buf_release(&text);
    }
    return has_type ? list : curl->add_header(list, "Content-Type:");
}

static ken_status check_start(const char *url, const httpc_curl **out, ken_httpc_fault *fault,
                              ken_err *err)
{
    ken_status st = ken_httpc_check_url(ken_str_c(url), err);
    if (st && fault)
        *fault = KEN_HTTPC_REQUEST;
    if (st)
        return st;
    st = ken_httpc__curl(out, err);
    if (st && fault)
        *fault = KEN_HTTPC_UNAVAILABLE;
    return st;
}

ken_status ken_httpc_send(ken_httpc *c, const ken_httpc_request *q, ken_httpc_response *out,
                          ken_err *err)
{
    exchange x = { .url = q->url, .cancel = q->cancel };
    ken_status st = check_headers(q, err);
    if (st && q->out_fault)
        *q->out_fault = KEN_HTTPC_REQUEST;
    if (!st)
        st = check_start(q->url, &x.curl, q->out_fault, err);
    if (st)
        return st;
    line *l = take_line(c, x.curl);
    if (!l)
        return KEN_FAIL(err, KEN_ENOMEM, "libcurl gives no handle");
    x.r.body = KEN_BUF_INIT(q->max_bytes ? q->max_bytes : KEN_HTTPC_BODY_MAX);
    struct curl_slist *headers = make_headers(x.curl, q);
    set_request(&x, q, l->easy, headers);
    CURLcode code = run(&x, l);
    give_line(c, x.curl, l);
    x.curl->free_headers(headers);
    if (code) {
        ken_buf_release(&x.r.body);
        return fail(&x, code, q->out_fault, err);
    }
    *out = x.r;
    return KEN_OK;
}

void ken_httpc_response_release(ken_httpc_response *r)
{
    ken_buf_release(&r->body);
}

// ---- files -----------------------------------------------------------------------------------

// Goes on only when the file is still the one that the part is of; NULL when that is not known.
static struct curl_slist *make_condition(const exchange *x)
{
    struct curl_slist *list = NULL;
    ken_buf path = KEN_BUF_INIT(8192), tag = KEN_BUF_INIT(TAG_MAX), text = KEN_BUF_INIT(256);
    bool is_there = !ken_fs_read_own(tag_path(x, &path), TAG_MAX, &tag, NULL) && tag.len;
    for (size_t i = 0; i < tag.len; i++)
        is_there &= tag.ptr[i] >= ' '; // no line break may come into a header
    if (is_there) {
        ken_buf_printf(&text, "If-Range: " KEN_STR_FMT, KEN_STR_ARG(ken_buf_str(&tag)));
        list = x->curl->add_header(NULL, text.ptr);
    }
    ken_buf_release(&path);
    ken_buf_release(&tag);
    ken_buf_release(&text);
    return list;
}

// One request for what is missing. *out_code is how it ended.
static ken_status fetch_rest(ken_httpc *c, exchange *x, CURLcode *out_code, ken_err *err)
{
    struct curl_slist *headers = NULL;
    line *l = take_line(c, x->curl);
    if (!l)
        return KEN_FAIL(err, KEN_ENOMEM, "libcurl gives no handle");
    set_fetch(x, l->easy);
    if (x->at) {
        char range[32];
        snprintf(range, sizeof range, "%llu-", (unsigned long long)x->at);
        headers = make_condition(x);
        x->curl->set(l->easy, CURLOPT_RANGE, range);
        x->curl->set(l->easy, CURLOPT_HTTPHEADER, headers);
    }
    *out_code = run(x, l);
    give_line(c, x->curl, l);
    x->curl->free_headers(headers);
    return KEN_OK;
}

static ken_status check_answer(const exchange *x, ken_err *err)
{
    if (x->r.status == 404)
        return KEN_FAIL(err, KEN_ENOTFOUND, "'%.*s': there is no such file (404)", shown(x->url),
                        x->url);
    if (x->r.status != 200 && x->r.status != 206)
        return KEN_FAIL(err, KEN_EIO, "'%.*s': the server answered %d", shown(x->url), x->url,
                        x->r.status);
    return KEN_OK;
}

// Opens the file and requests the missing part; all of it when `is_new`.
static ken_status fetch_once(ken_httpc *c, exchange *x, bool is_new, ken_err *err)
{
    CURLcode code = CURLE_OK;
    ken_status st = ken_fs_open_append(x->file->path, is_new, &x->fd, &x->at, err);
    if (st)
        return st;
    x->resumed_at = x->at;
    st = fetch_rest(c, x, &code, err);
    if (!st && code)
        st = fail(x, code, x->file->out_fault, err);
    if (!st)
        st = check_answer(x, err);
    if (!st)
        st = ken_fs_sync(x->fd, err);
    ken_fs_close(x->fd);
    if (!st) {
        drop_tag(x);
        tell_progress(x);
    }
    return st;
}

ken_status ken_httpc_fetch(ken_httpc *c, const ken_httpc_download *d, uint64_t *out_resumed_bytes,
                           ken_err *err)
{
    exchange x = { .url = d->url, .cancel = d->cancel, .file = d };
    ken_err first = { 0 };
    ken_status st = check_start(d->url, &x.curl, d->out_fault, err);
    if (st)
        return st;
    st = fetch_once(c, &x, false, &first);
    if (st && x.must_restart) {
        x = (exchange){ .curl = x.curl, .url = d->url, .cancel = d->cancel, .file = d };
        return fetch_once(c, &x, true, err);
    }
    if (st && err)
        *err = first;
    if (!st && out_resumed_bytes)
        *out_resumed_bytes = x.resumed_at;
    return st;
}
