// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "base/fs.h"
#include "fake_http.h"
#include "httpc/httpc.h"

static ken_err err;
static fake_http server;
static ken_httpc *client;
static ken_httpc_fault fault;

static void start(fake_handler *handle)
{
    err = (ken_err){ 0 };
    fault = KEN_HTTPC_NONE;
    fake_http_start(&server, handle, NULL);
    client = ken_httpc_new();
}

static void stop(void)
{
    ken_httpc_free(client);
    fake_http_stop(&server);
}

static const char *at(const char *path)
{
    static char url[256];
    snprintf(url, sizeof url, "%s%s", server.url, path);
    return url;
}

static void echo(fake_http *s, const fake_request *q, fake_reply *out)
{
    (void)s;
    out->status = 201;
    ken_buf_put_str(&out->body, q->body);
}

KEN_TEST(sends_a_request_byte_by_byte_as_told)
{
    start(echo);
    const ken_httpc_header headers[] = { { "Content-Type", "application/json" }, { "X-Two", "2" } };
    ken_httpc_response r = { 0 };
    kt_ok_err(ken_httpc_send(client,
                             &(ken_httpc_request){ .url = at("/a/b?c=1"),
                                                   .headers = headers,
                                                   .n_headers = 2,
                                                   .body = KEN_STR("{\"x\":1}") },
                             &r, &err),
              &err);
    kt_eq_i(r.status, 201);
    kt_eq_i(r.retry_after_s, -1);
    kt_eq_text(ken_buf_str(&r.body), "{\"x\":1}");
    char want[512];
    snprintf(want, sizeof want,
             "POST /a/b?c=1 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUser-Agent: ken\r\nAccept: */*\r\n"
             "Content-Type: application/json\r\nX-Two: 2\r\nContent-Length: 7\r\n\r\n{\"x\":1}",
             server.port);
    kt_eq_text(ken_buf_str(&server.log[0]), want);
    ken_httpc_response_release(&r);
    stop();
}

static void say_when(fake_http *s, const fake_request *q, fake_reply *out)
{
    (void)s;
    bool is_date = strstr(q->path, "date");
    out->status = 429;
    snprintf(out->headers, sizeof out->headers, "RETRY-after:  %s\r\n",
             is_date ? "Wed, 21 Oct 2026 07:28:00 GMT" : "7");
}

KEN_TEST(tells_when_to_come_again)
{
    start(say_when);
    ken_httpc_response r = { 0 };
    kt_ok_err(ken_httpc_send(client, &(ken_httpc_request){ .url = at("/n") }, &r, &err), &err);
    kt_eq_i(r.status, 429);
    kt_eq_i(r.retry_after_s, 7);
    ken_httpc_response_release(&r);
    kt_ok_err(ken_httpc_send(client, &(ken_httpc_request){ .url = at("/date") }, &r, &err), &err);
    kt_eq_i(r.retry_after_s, -1);
    ken_httpc_response_release(&r);
    stop();
}

static void misbehave(fake_http *s, const fake_request *q, fake_reply *out)
{
    (void)s;
    for (int i = 0; i < 100; i++)
        ken_buf_puts(&out->body, "0123456789");
    if (strstr(q->path, "cut"))
        out->cut_at = 500;
    else if (strstr(q->path, "slow"))
        out->stall_ms = 10000;
    else if (strstr(q->path, "silent"))
        out->is_silent = true;
    else if (strstr(q->path, "away")) {
        out->status = 302;
        snprintf(out->headers, sizeof out->headers, "Location: /big\r\n");
    } else if (strstr(q->path, "noise")) {
        out->is_raw = true;
    }
}

static void fails(const char *path, ken_httpc_request q, ken_status want,
                  ken_httpc_fault want_fault, const char *message)
{
    ken_httpc_response r = { .status = 77 };
    q.url = path[0] == '/' ? at(path) : path;
    q.out_fault = &fault;
    fault = KEN_HTTPC_NONE;
    kt_status(ken_httpc_send(client, &q, &r, &err), want);
    kt_eq_i(r.status, 77); // untouched
    kt_eq_u(fault, want_fault);
    kt_has_str(err.msg, message);
}

KEN_TEST(names_what_went_wrong)
{
    start(misbehave);
    fails("/cut", (ken_httpc_request){ 0 }, KEN_EIO, KEN_HTTPC_BROKEN,
          "/cut': the connection broke");
    fails("/silent", (ken_httpc_request){ 0 }, KEN_EIO, KEN_HTTPC_BROKEN, "broke before the end");
    fails("/noise", (ken_httpc_request){ 0 }, KEN_EIO, KEN_HTTPC_NOT_HTTP, "no HTTP");
    fails("/big", (ken_httpc_request){ .max_bytes = 999 }, KEN_ELIMIT, KEN_HTTPC_TOO_LARGE,
          "larger than allowed");
    fails("/slow", (ken_httpc_request){ .timeout_ms = 100 }, KEN_ETIMEOUT, KEN_HTTPC_TIMEOUT,
          "timed out");
    fails("http://127.0.0.1:1/", (ken_httpc_request){ 0 }, KEN_EIO, KEN_HTTPC_REFUSED, "refused");
    fails("http://no-such-host.invalid/", (ken_httpc_request){ 0 }, KEN_EIO, KEN_HTTPC_DNS,
          "cannot be resolved");
    char url[64];
    snprintf(url, sizeof url, "https://127.0.0.1:%d/", server.port);
    fails(url, (ken_httpc_request){ 0 }, KEN_EIO, KEN_HTTPC_TLS, "no secure connection");
    fails("file:///etc/passwd", (ken_httpc_request){ 0 }, KEN_EINVAL, KEN_HTTPC_REQUEST,
          "not an http or https URL");
    fails("ftp://127.0.0.1/", (ken_httpc_request){ 0 }, KEN_EINVAL, KEN_HTTPC_REQUEST,
          "not an http");
    fails("http://u:secret@127.0.0.1/", (ken_httpc_request){ 0 }, KEN_EINVAL, KEN_HTTPC_REQUEST,
          "must not hold a user");
    kt_null(strstr(err.msg, "secret"));
    const ken_httpc_header bad = { "X", "a\r\nY: b" };
    fails("/", (ken_httpc_request){ .headers = &bad, .n_headers = 1 }, KEN_EINVAL,
          KEN_HTTPC_REQUEST, "header 'X'");
    stop();
}

KEN_TEST(does_not_follow_redirects_with_a_body)
{
    start(misbehave);
    ken_httpc_response r = { 0 };
    kt_ok_err(ken_httpc_send(client,
                             &(ken_httpc_request){ .url = at("/away"), .body = KEN_STR("code") },
                             &r, &err),
              &err);
    kt_eq_i(r.status, 302);
    kt_eq_u(server.n_requests, 1);
    ken_httpc_response_release(&r);
    stop();
}

static void *set_soon(void *cancel)
{
    usleep(100000);
    ken_cancel_set(cancel);
    return NULL;
}

KEN_TEST(stops_at_once_when_cancelled)
{
    start(misbehave);
    ken_cancel cancel = { 0 };
    pthread_t t;
    kt_eq_i(pthread_create(&t, NULL, set_soon, &cancel), 0);
    int64_t begin = ken_clock_mono_ns();
    fails("/slow", (ken_httpc_request){ .cancel = &cancel }, KEN_ECANCELLED, KEN_HTTPC_CANCELLED,
          "cancelled");
    kt_true(ken_clock_mono_ns() - begin < 5000000000);
    pthread_join(t, NULL);
    stop();
}

KEN_TEST(knows_this_machine_by_name_alone)
{
    kt_true(ken_httpc_is_loopback(KEN_STR("http://localhost:11434/x")));
    kt_true(ken_httpc_is_loopback(KEN_STR("https://LOCALHOST")));
    kt_true(ken_httpc_is_loopback(KEN_STR("http://127.0.0.1")));
    kt_true(ken_httpc_is_loopback(KEN_STR("http://[::1]:80/")));
    kt_false(ken_httpc_is_loopback(KEN_STR("http://127.0.0.1.example.com")));
    kt_false(ken_httpc_is_loopback(KEN_STR("http://localhost.example.com")));
    kt_false(ken_httpc_is_loopback(KEN_STR("http://example.com/localhost")));
    kt_eq_text(ken_httpc_host(KEN_STR("https://a.b:1/c")), "a.b");
    kt_status(ken_httpc_check_url(KEN_STR("http:///x"), NULL), KEN_EINVAL);
    kt_status(ken_httpc_check_url(KEN_STR("http://a b"), NULL), KEN_EINVAL);
    kt_status(ken_httpc_check_url(KEN_STR(""), NULL), KEN_EINVAL);
    kt_ok(ken_httpc_check_url(KEN_STR("HTTP://a"), NULL));
}

// ---- files -----------------------------------------------------------------------------------

enum {
    FILE_BYTES = 300000
};

static char content[FILE_BYTES];

// A server of one file: "/parts" sends ranges, "/whole" never does, "/cut…" breaks off, "/lies"
// sends another range than asked for.
static void serve_file(fake_http *s, const fake_request *q, fake_reply *out)
{
    size_t from = 0;
    const char *range = strstr(q->head.ptr, "Range: bytes=");
    if (range && range < q->head.ptr + q->head.len && !strstr(q->path, "whole"))
        from = (size_t)strtoul(range + 13, NULL, 10);
    if (strstr(q->path, "away")) {
        out->status = 302;
        snprintf(out->headers, sizeof out->headers, "Location: /parts\r\n");
        return;
    }
    if (strstr(q->path, "trap")) {
        out->status = 302;
        snprintf(out->headers, sizeof out->headers, "Location: file:///etc/passwd\r\n");
        return;
    }
    if (strstr(q->path, "ring")) {
        out->status = 302;
        snprintf(out->headers, sizeof out->headers, "Location: /ring\r\n");
        return;
    }
    if (strstr(q->path, "gone")) {
        out->status = 404;
        ken_buf_puts(&out->body, "nothing here");
        return;
    }
    if (from >= FILE_BYTES) {
        out->status = 416;
        return;
    }
    if (from) {
        out->status = 206;
        size_t said = strstr(q->path, "lies") ? from + 1 : from;
        snprintf(out->headers, sizeof out->headers, "Content-Range: bytes %zu-%d/%d\r\n", said,
                 FILE_BYTES - 1, FILE_BYTES);
    }
    ken_buf_put(&out->body, content + from, FILE_BYTES - from);
    if (strstr(q->path, "cut") && s->n_requests == 1)
        out->cut_at = 100000;
}

static void fill(void)
{
    for (size_t i = 0; i < FILE_BYTES; i++)
        content[i] = (char)(i * 7 + i / 251);
}

static uint64_t last_done, last_total;

static void see(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx;
    last_done = done;
    last_total = total;
}

static uint64_t fetch(const char *path, const char *file)
{
    uint64_t resumed = 0;
    ken_buf got = KEN_BUF_INIT(FILE_BYTES + 1);
    kt_ok_err(ken_httpc_fetch(
                  client, &(ken_httpc_download){ .url = at(path), .path = file, .progress = see },
                  &resumed, &err),
              &err);
    kt_ok_err(ken_fs_read_own(file, FILE_BYTES, &got, &err), &err);
    kt_true(ken_str_eq(ken_buf_str(&got), ken_str_n(content, FILE_BYTES)));
    kt_eq_u(last_done, FILE_BYTES);
    kt_eq_u(last_total, FILE_BYTES);
    ken_buf_release(&got);
    return resumed;
}

KEN_TEST(fetches_a_file_and_goes_on_after_a_break)
{
    fill();
    start(serve_file);
    kt_eq_u(fetch("/parts", ktest_path("a")), 0);
    kt_eq_u(fetch("/away", ktest_path("b")), 0);
    fake_http_forget(&server);
    ken_httpc_download d = { .url = at("/cut"), .path = ktest_path("c"), .out_fault = &fault };
    kt_status(ken_httpc_fetch(client, &d, NULL, &err), KEN_EIO);
    kt_eq_u(fault, KEN_HTTPC_BROKEN);
    kt_eq_u(fetch("/cut", d.path), 100000);
    kt_has_str(server.log[1].ptr, "Range: bytes=100000-");
    stop();
}

KEN_TEST(starts_again_when_there_is_no_part_that_fits)
{
    fill();
    start(serve_file);
    kt_eq_u(fetch("/whole", ktest_write("a", "old beginning")), 0);
    kt_eq_u(fetch("/lies", ktest_write("b", "old beginning")), 0);
    ken_buf all = KEN_BUF_INIT(FILE_BYTES + 100);
    for (size_t i = 0; i < FILE_BYTES; i++)
        ken_buf_putc(&all, 'x');
    ken_buf_puts(&all, "longer than the file");
    kt_eq_u(fetch("/parts", ktest_write("c", all.ptr)), 0);
    ken_buf_release(&all);
    stop();
}

static const char *tag;

// A file with an ETag, sent whole when the one that is asked for is another; cut the first time.
static void serve_tagged(fake_http *s, const fake_request *q, fake_reply *out)
{
    char condition[64];
    snprintf(condition, sizeof condition, "If-Range: %s\r\n", tag);
    bool is_same = ken_str_find(q->head, ken_str_c(condition)) != SIZE_MAX;
    bool has_condition = ken_str_find(q->head, KEN_STR("If-Range:")) != SIZE_MAX;
    if (is_same || !has_condition)
        serve_file(s, q, out);
    else
        ken_buf_put(&out->body, content, FILE_BYTES);
    size_t n = strlen(out->headers);
    snprintf(out->headers + n, sizeof out->headers - n, "ETag: %s\r\n", tag);
}

KEN_TEST(does_not_go_on_with_another_file)
{
    fill();
    tag = "\"one\"";
    start(serve_tagged);
    ken_httpc_download d = { .url = at("/cut"), .path = ktest_path("a"), .out_fault = &fault };
    kt_status(ken_httpc_fetch(client, &d, NULL, &err), KEN_EIO);
    kt_eq_text(ktest_read(ktest_path("a.tag")), tag);
    kt_eq_u(fetch("/cut", d.path), 100000); // the same: the rest
    kt_has_str(server.log[1].ptr, "If-Range: \"one\"");
    kt_false(ken_fs_exists(ktest_path("a.tag")));
    fake_http_forget(&server);
    d.path = ktest_path("b");
    kt_status(ken_httpc_fetch(client, &d, NULL, &err), KEN_EIO);
    tag = "\"two\""; // changed between the attempts
    for (size_t i = 0; i < FILE_BYTES; i++)
        content[i] = (char)(i * 13);
    kt_eq_u(fetch("/cut", d.path), 0);
    kt_false(ken_fs_exists(ktest_path("b.tag")));
    stop();
}

KEN_TEST(a_file_that_cannot_be_had_is_an_error)
{
    fill();
    start(serve_file);
    ken_httpc_download d = { .url = at("/gone"), .path = ktest_path("a"), .out_fault = &fault };
    kt_status(ken_httpc_fetch(client, &d, NULL, &err), KEN_ENOTFOUND);
    kt_has_str(err.msg, "404");
    d = (ken_httpc_download){
        .url = at("/parts"), .path = ktest_path("b"), .max_bytes = 1000, .out_fault = &fault
    };
    kt_status(ken_httpc_fetch(client, &d, NULL, &err), KEN_ELIMIT);
    kt_eq_u(fault, KEN_HTTPC_TOO_LARGE);
    d = (ken_httpc_download){ .url = at("/trap"), .path = ktest_path("c"), .out_fault = &fault };
    kt_status(ken_httpc_fetch(client, &d, NULL, &err), KEN_EIO);
    kt_eq_u(fault, KEN_HTTPC_REDIRECT);
    d.url = at("/ring");
    kt_status(ken_httpc_fetch(client, &d, NULL, &err), KEN_EIO);
    kt_eq_u(fault, KEN_HTTPC_REDIRECT);
    kt_eq_u(ktest_read(d.path).len, 0);
    d.url = at("/parts");
    d.path = "/proc/ken-no-such-folder/x";
    kt_status(ken_httpc_fetch(client, &d, NULL, &err), KEN_ENOTFOUND);
    stop();
}
