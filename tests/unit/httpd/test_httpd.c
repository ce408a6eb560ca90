// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>

#include <zstd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/pool.h"
#include "httpd/httpd.h"
#include "ktest.h"

// ---- what is served ----------------------------------------------------------------------------

static ken_httpd *server;
static ken_err err;
static ken_pool *workers;
static _Atomic(ken_httpd_request *) kept; // by keep_request, until a test answers it
static atomic_int n_gone;

static void answer_text(ken_httpd_request *r, int status, ken_str text)
{
    ken_httpd_answer(
        r, &(ken_httpd_answer_opts){ .status = status, .type = "text/plain", .body = text });
}

static void hello(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    answer_text(r, 200, KEN_STR("hello"));
}

static void echo(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    answer_text(r, 201, ken_httpd_body(r));
}

static void show(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    ken_str name = ken_httpd_param(r, "name"), rest = ken_httpd_param(r, "rest"),
            q = ken_httpd_query(r, "q");
    answer_text(r, 200,
                ken_arena_printf(ken_httpd_arena(r),
                                 "name=" KEN_STR_FMT " rest=" KEN_STR_FMT " q=" KEN_STR_FMT "%s",
                                 KEN_STR_ARG(name), KEN_STR_ARG(rest), KEN_STR_ARG(q),
                                 q.ptr ? "" : "(none)"));
}

static void special(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    answer_text(r, 200, KEN_STR("the literal one"));
}

static char large_text[100000];

static void large(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    ken_httpd_answer(r, &(ken_httpd_answer_opts){ .status = 200,
                                                  .type = "text/plain",
                                                  .body = ken_str_n(large_text, sizeof large_text),
                                                  .is_static = true,
                                                  .may_compress = true,
                                                  .etag = "v1" });
}

static void later(void *ctx, size_t worker)
{
    (void)worker;
    usleep(20000);
    answer_text(ctx, 200, KEN_STR("later"));
}

static void from_a_worker(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    ken_pool_submit(workers, later, r);
}

static void note_gone(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    (void)r;
    atomic_fetch_add(&n_gone, 1);
}

static void keep_request(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    ken_httpd_on_gone(r, note_gone, NULL);
    atomic_store(&kept, r);
}

static void stream(void *ctx, ken_httpd_request *r)
{
    ken_httpd_begin(r, &(ken_httpd_answer_opts){ .status = 200, .type = "text/event-stream" });
    keep_request(ctx, r);
}

static bool check(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    if (!ken_str_eq_c(ken_httpd_header(r, "X-Forbidden"), "yes"))
        return true;
    answer_text(r, 403, KEN_STR("no"));
    return false;
}

static const ken_httpd_route routes[] = {
    { "GET", "/hello", hello, 0 },
    { "POST", "/echo", echo, 1000 },
    { "GET", "/show/{name}", show, 0 },
    { "GET", "/show/special", special, 0 },
    { "GET", "/files/{name}/{rest...}", show, 0 },
    { "GET", "/large", large, 0 },
    { "GET", "/later", from_a_worker, 0 },
    { "GET", "/kept", keep_request, 0 },
    { "GET", "/stream", stream, 0 },
    { "DELETE", "/hello", hello, 0 },
};

static void start_with(ken_httpd_opts opts)
{
    err = (ken_err){ 0 };
    atomic_store(&kept, NULL);
    atomic_store(&n_gone, 0);
    workers = ken_pool_new(2, 100, 0);
    opts.address = opts.address ? opts.address : "127.0.0.1";
    opts.routes = routes;
    opts.n_routes = sizeof routes / sizeof *routes;
    opts.check = check;
    kt_ok_err(ken_httpd_start(&opts, &server, &err), &err);
}

static void start(void)
{
    start_with((ken_httpd_opts){ 0 });
}

static void stop(void)
{
    ken_httpd_stop(server, 1000);
    ken_pool_free(workers);
}

// ---- a client ----------------------------------------------------------------------------------

static int dial(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(ken_httpd_port(server)) };
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    kt_eq_i(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    kt_eq_i(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

// What comes until `until` is seen, the other end closes, or two seconds pass without a byte.
static const char *hear(int fd, const char *until)
{
    static char text[1 << 20];
    size_t n = 0;
    text[0] = 0;
    while (n + 1 < sizeof text && !(until && strstr(text, until))) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, 2000) <= 0)
            break;
        ssize_t got = recv(fd, text + n, sizeof text - 1 - n, 0);
        if (got <= 0)
            break;
        n += (size_t)got;
        text[n] = 0;
    }
    return text;
}

// One request on a connection of its own, which ends with it.
static const char *ask(const char *head)
{
    static char request[4096];
    snprintf(request, sizeof request, "%s\r\nHost: localhost\r\nConnection: close\r\n\r\n", head);
    int fd = dial();
    say(fd, request);
    const char *answer = hear(fd, NULL);
    close(fd);
    return answer;
}

static void wait_until_kept(void)
{
    for (int i = 0; i < 200 && !atomic_load(&kept); i++)
        usleep(10000);
    kt_not_null(atomic_load(&kept));
}

static void wait_until_gone(void)
{
    for (int i = 0; i < 200 && !atomic_load(&n_gone); i++)
        usleep(10000);
    kt_eq_i(atomic_load(&n_gone), 1);
}

// ---- routes ------------------------------------------------------------------------------------

KEN_TEST(a_path_leads_to_its_handler)
{
    start();
    const char *answer = ask("GET /hello HTTP/1.1");
    kt_has_str(answer, "HTTP/1.1 200 OK\r\n");
    kt_has_str(answer, "Content-Type: text/plain\r\n");
    kt_has_str(answer, "\r\n\r\nhello");
    kt_has_str(ask("GET /nowhere HTTP/1.1"), "HTTP/1.1 404");
    kt_has_str(ask("GET /hello/ HTTP/1.1"), "HTTP/1.1 404");
    stop();
}

KEN_TEST(head_has_no_body_and_the_length_of_get)
{
    start();
    const char *answer = ask("HEAD /hello HTTP/1.1");
    kt_has_str(answer, "200 OK");
    kt_has_str(answer, "Content-Length: 5\r\n");
    kt_null(strstr(answer, "\r\n\r\nhello"));
    stop();
}

KEN_TEST(another_method_is_told_which_there_are)
{
    start();
    const char *answer = ask("PUT /hello HTTP/1.1");
    kt_has_str(answer, "HTTP/1.1 405");
    kt_has_str(answer, "Allow: GET, HEAD, DELETE\r\n");
    stop();
}

KEN_TEST(segments_and_queries_are_decoded)
{
    start();
    kt_has_str(ask("GET /show/a%20b%2Fc?x=1&q=d+e%26 HTTP/1.1"), "name=a b/c rest= q=d e&");
    kt_has_str(ask("GET /show/special HTTP/1.1"), "the literal one");
    kt_has_str(ask("GET /files/p/src/a.c HTTP/1.1"), "name=p rest=src/a.c q=(none)");
    kt_has_str(ask("GET /files/p/ HTTP/1.1"), "name=p rest= q=(none)");
    kt_has_str(ask("GET /show/a?q HTTP/1.1"), "name=a rest= q=\0");
    stop();
}

KEN_TEST(bad_escapes_lead_nowhere)
{
    start();
    static const char *const paths[] = { "/show/a%", "/show/a%2", "/show/a%zz", "/show/a%00b" };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char head[100];
        snprintf(head, sizeof head, "GET %s HTTP/1.1", paths[i]);
        kt_has_str(ask(head), "HTTP/1.1 404");
    }
    kt_has_str(ask("GET /show/a?q=%zz HTTP/1.1"), "q=(none)");
    stop();
}

// ---- bodies ------------------------------------------------------------------------------------

KEN_TEST(a_body_comes_whole_however_it_is_sent)
{
    start();
    int fd = dial();
    say(fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n01234");
    usleep(20000);
    say(fd, "56789");
    kt_has_str(hear(fd, "0123456789"), "HTTP/1.1 201");
    say(fd, "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    usleep(20000);
    say(fd, "4\r\ndefg\r\n0\r\n\r\n");
    kt_has_str(hear(fd, "abcdefg"), "HTTP/1.1 201");
    close(fd);
    stop();
}

KEN_TEST(a_body_beyond_the_route_s_limit_is_refused)
{
    start();
    const char *answer = ask("POST /echo HTTP/1.1\r\nContent-Length: 1000000000");
    kt_has_str(answer, "HTTP/1.1 413");
    kt_has_str(answer, "the body has 1000000000 bytes, at most 1000 are taken");
    kt_has_str(ask("GET /hello HTTP/1.1\r\nContent-Length: 1"), "HTTP/1.1 413");
    int fd = dial(); // its size shows only as it comes: the connection ends
    say(fd, "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n");
    char *many = ken_zalloc(0x801);
    memset(many, 'x', 0x800);
    say(fd, many);
    ken_free(many);
    kt_null(strstr(hear(fd, NULL), "201"));
    close(fd);
    kt_has_str(ask("GET /hello HTTP/1.1"), "hello");
    stop();
}

KEN_TEST(requests_that_two_ends_may_read_differently_are_refused)
{
    static const char *const heads[] = {
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3,3\r\n\r\nabc",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length : 3\r\n\r\nabc",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nX: a\r\n\tContent-Length: 3\r\n\r\nabc",
        "POST /echo HTTP/1.1\r\n X: a\r\nHost: x\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHost: x\r\nX\"Y: a\r\n\r\n",
        "GET /hello HTTP/1.1\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    };
    start();
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        int fd = dial();
        say(fd, heads[i]);
        const char *answer = hear(fd, NULL);
        if (*answer)
            kt_has_str(answer, "HTTP/1.1 4");
        kt_null(strstr(answer, "HTTP/1.1 20"));
        close(fd);
    }
    kt_has_str(ask("GET /hello HTTP/1.1"), "hello");
    stop();
}

KEN_TEST(a_head_that_is_too_large_is_refused)
{
    start();
    int fd = dial();
    say(fd, "GET /hello HTTP/1.1\r\nHost: x\r\nX-Long: ");
    char *many = ken_zalloc(64 * 1024 + 1);
    memset(many, 'y', 64 * 1024);
    (void)!send(fd, many, 64 * 1024, MSG_NOSIGNAL);
    ken_free(many);
    kt_null(strstr(hear(fd, NULL), "HTTP/1.1 200"));
    close(fd);
    stop();
}

// ---- connections -------------------------------------------------------------------------------

KEN_TEST(a_connection_takes_one_request_after_another)
{
    start();
    int fd = dial();
    for (int i = 0; i < 3; i++) {
        say(fd, "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
        kt_has_str(hear(fd, "hello"), "200 OK");
    }
    say(fd, "GET /hello HTTP/1.1\r\nHost: x\r\n\r\nGET /show/b HTTP/1.1\r\nHost: x\r\n\r\n");
    kt_has_str(hear(fd, "name=b"), "name=b");
    close(fd);
    stop();
}

KEN_TEST(what_is_no_http_ends_the_connection)
{
    static const char *const texts[] = { "\x16\x03\x01\x02", "hello\r\n\r\n", "GET\r\n\r\n",
                                         "GET /hello HTTP/9.9\r\nHost: x\r\n\r\n" };
    start();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int fd = dial();
        say(fd, texts[i]);
        shutdown(fd, SHUT_WR);
        kt_null(strstr(hear(fd, NULL), " 200 "));
        close(fd);
    }
    kt_has_str(ask("GET /hello HTTP/1.1"), "hello");
    stop();
}

KEN_TEST(slow_heads_and_bodies_are_cut)
{
    start_with((ken_httpd_opts){ .idle_ms = 200, .body_ms = 200 });
    int head = dial(), body = dial(), idle = dial();
    say(head, "GET /hello HTTP/1.1\r\nHo");
    say(body, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\na");
    int64_t from = ken_clock_mono_ns();
    kt_null(strstr(hear(head, NULL), "200"));
    kt_null(strstr(hear(body, NULL), "201"));
    kt_null(strstr(hear(idle, NULL), "200"));
    kt_true(ken_clock_mono_ns() - from < 1500000000);
    kt_eq_u(ken_httpd_count(server).n_cut, 3);
    close(head);
    close(body);
    close(idle);
    stop();
}

KEN_TEST(who_says_nothing_more_is_not_waited_for)
{
    static const char *const texts[] = {
        "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n", "GET /hello HTTP/1.1\r\nHo",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\na", ""
    };
    start();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int fd = dial();
        say(fd, texts[i]);
        shutdown(fd, SHUT_WR);
        int64_t from = ken_clock_mono_ns();
        const char *answer = hear(fd, NULL);
        if (!i)
            kt_has_str(answer, "hello");
        kt_true(ken_clock_mono_ns() - from < 1500000000); // to the end of the connection
        close(fd);
    }
    stop();
}

KEN_TEST(connections_beyond_the_limit_wait_for_their_turn)
{
    start_with((ken_httpd_opts){ .max_connections = 2 });
    int fds[] = { dial(), dial(), dial() };
    for (size_t i = 0; i < 3; i++) {
        say(fds[i], "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
        if (i == 2)
            close(fds[0]);
        kt_has_str(hear(fds[i], "hello"), "200 OK");
    }
    close(fds[1]);
    close(fds[2]);
    stop();
}

KEN_TEST(a_long_answer_is_not_cut_for_being_waited_for)
{
    start_with((ken_httpd_opts){ .idle_ms = 100, .body_ms = 100 });
    int fd = dial();
    say(fd, "GET /kept HTTP/1.1\r\nHost: x\r\n\r\n");
    wait_until_kept();
    usleep(300000);
    answer_text(atomic_load(&kept), 200, KEN_STR("at last"));
    kt_has_str(hear(fd, "at last"), "200 OK");
    close(fd);
    stop();
}

// ---- answers -----------------------------------------------------------------------------------

KEN_TEST(an_answer_may_come_from_another_thread)
{
    start();
    kt_has_str(ask("GET /later HTTP/1.1"), "later");
    int fds[20];
    for (size_t i = 0; i < 20; i++) {
        fds[i] = dial();
        say(fds[i], "GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    for (size_t i = 0; i < 20; i++) {
        kt_has_str(hear(fds[i], "later"), "200 OK");
        close(fds[i]);
    }
    stop();
}

KEN_TEST(what_is_known_is_not_sent_again)
{
    start();
    kt_has_str(ask("GET /large HTTP/1.1"), "ETag: \"v1\"\r\n");
    static const char *const same[] = { "\"v1\"", "W/\"v1\"", "\"v0\", \"v1\"", "*" };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char head[200];
        snprintf(head, sizeof head, "GET /large HTTP/1.1\r\nIf-None-Match: %s", same[i]);
        const char *answer = ask(head);
        kt_has_str(answer, "HTTP/1.1 304");
        kt_true(strlen(answer) < 500);
    }
    kt_has_str(ask("GET /large HTTP/1.1\r\nIf-None-Match: \"v2\""), "HTTP/1.1 200");
    stop();
}

static const char *body_of(const char *head, size_t *out_n)
{
    static char text[200000];
    char request[500];
    snprintf(request, sizeof request, "%s\r\nHost: x\r\nConnection: close\r\n\r\n", head);
    int fd = dial();
    say(fd, request);
    size_t n = 0;
    ssize_t got;
    while ((got = recv(fd, text + n, sizeof text - 1 - n, 0)) > 0)
        n += (size_t)got;
    close(fd);
    text[n] = 0;
    const char *body = strstr(text, "\r\n\r\n");
    kt_not_null(body);
    *out_n = n - (size_t)(body + 4 - text);
    return body + 4;
}

KEN_TEST(a_list_weighs_what_it_names)
{
    static const struct {
        const char *list, *word;
        double weight;
    } cases[] = {
        { "", "gzip", 0 },
        { "gzip", "gzip", 1 },
        { "br, GZIP ; q=0.5", "gzip", 0.5 },
        { "gzip;q=0", "gzip", 0 },
        { "gzip;q=0.000, *", "gzip", 0 },
        { "*;q=0.3, gzip;q=1", "zstd", 0.3 },
        { "gzip;Q=0.2", "gzip", 0.2 },
        { "gzip;q=7", "gzip", 1 },
        { "gzip;q=-1", "gzip", 1 },
        { "gzip;q=much", "gzip", 1 },
        { "gzipped", "gzip", 0 },
        { ",;q=1,, ;,", "gzip", 0 },
        { "text/html, text/event-stream", "text/event-stream", 1 },
        { "text/*", "text/event-stream", 1 },
        { "texts/*", "text/event-stream", 0 },
        { "text/*;q=0.2, */*;q=0.9", "text/event-stream", 0.2 },
        { "*/*, text/event-stream;q=0", "text/event-stream", 0 },
        { "*/*;q=0.0", "application/json", 0 },
        { "application/json;charset=utf-8;q=0;x=1", "application/json", 0 },
        { "a/b;v=2;q=0.7,a/b;v=1", "a/b", 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double weight = ken_httpd_weight(ken_str_c(cases[i].list), cases[i].word);
        if (weight != cases[i].weight)
            kt_fail("'%s' of '%s': %g", cases[i].word, cases[i].list, weight);
    }
    kt_true(ken_httpd_weight((ken_str){ NULL, 0 }, "gzip") == 0);
}

KEN_TEST(bodies_are_compressed_as_the_client_takes_them)
{
    memset(large_text, 'a', sizeof large_text);
    start();
    static char out[200000];
    size_t n;
    const char *body = body_of("GET /large HTTP/1.1\r\nAccept-Encoding: gzip, zstd", &n);
    kt_true(n < 5000);
    kt_eq_u(ZSTD_decompress(out, sizeof out, body, n), sizeof large_text);
    kt_true(memcmp(out, large_text, sizeof large_text) == 0);
    body = body_of("GET /large HTTP/1.1\r\nAccept-Encoding: zstd;q=0, gzip;q=0.5", &n);
    z_stream z = { .next_in = (Bytef *)(uintptr_t)body,
                   .avail_in = (uInt)n,
                   .next_out = (Bytef *)out,
                   .avail_out = sizeof out };
    kt_eq_i(inflateInit2(&z, 15 + 16), Z_OK);
    kt_eq_i(inflate(&z, Z_FINISH), Z_STREAM_END);
    kt_eq_u(z.total_out, sizeof large_text);
    inflateEnd(&z);
    body_of("GET /large HTTP/1.1", &n);
    kt_eq_u(n, sizeof large_text);
    kt_has_str(ask("GET /large HTTP/1.1\r\nAccept-Encoding: zstd"), "ETag: W/\"v1\"\r\n");
    stop();
}

KEN_TEST(a_refusal_comes_before_the_body_is_read)
{
    start();
    const char *answer = ask("POST /echo HTTP/1.1\r\nX-Forbidden: yes\r\nContent-Length: 900");
    kt_has_str(answer, "HTTP/1.1 403");
    stop();
}

// ---- streams, and clients that go --------------------------------------------------------------

KEN_TEST(a_stream_is_read_as_it_is_written)
{
    start();
    int fd = dial();
    say(fd, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    wait_until_kept();
    ken_httpd_request *r = atomic_load(&kept);
    kt_has_str(hear(fd, "\r\n\r\n"), "text/event-stream");
    for (int i = 0; i < 3; i++) {
        char event[40], seen[40];
        snprintf(event, sizeof event, "data: %d\n\n", i);
        snprintf(seen, sizeof seen, "data: %d\n\n", i);
        kt_true(ken_httpd_write(r, ken_str_c(event)));
        kt_has_str(hear(fd, seen), seen);
        usleep(10000);
    }
    ken_httpd_end(r);
    kt_has_str(hear(fd, "0\r\n\r\n"), "0\r\n\r\n");
    say(fd, "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"); // the connection goes on
    kt_has_str(hear(fd, "hello"), "200 OK");
    close(fd);
    stop();
}

KEN_TEST(the_end_of_a_waiting_client_is_told)
{
    start();
    int fd = dial();
    say(fd, "GET /kept HTTP/1.1\r\nHost: x\r\n\r\n");
    wait_until_kept();
    close(fd);
    wait_until_gone();
    answer_text(atomic_load(&kept), 200, KEN_STR("too late"));
    kt_has_str(ask("GET /hello HTTP/1.1"), "hello");
    stop();
}

KEN_TEST(the_end_of_a_streaming_client_is_told)
{
    start();
    int fd = dial();
    say(fd, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    wait_until_kept();
    hear(fd, "\r\n\r\n");
    close(fd);
    wait_until_gone();
    kt_false(ken_httpd_write(atomic_load(&kept), KEN_STR("data: x\n\n")));
    ken_httpd_end(atomic_load(&kept));
    stop();
}

// The end may be there before its request is read.
KEN_TEST(the_end_that_comes_with_a_request_is_told)
{
    static const char *const paths[] = { "/kept", "/stream" };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char request[100];
        start();
        int fd = dial();
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", paths[i]);
        say(fd, request);
        shutdown(fd, SHUT_WR);
        wait_until_kept();
        wait_until_gone();
        if (i)
            ken_httpd_end(atomic_load(&kept));
        else
            answer_text(atomic_load(&kept), 200, KEN_STR("too late"));
        kt_null(strstr(hear(fd, NULL), "too late")); // to the end of the connection
        close(fd);
        stop();
    }
}

KEN_TEST(a_stream_that_nobody_reads_is_cut)
{
    start_with((ken_httpd_opts){ .max_unsent_bytes = 100000 });
    int fd = dial();
    say(fd, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    wait_until_kept();
    char *block = ken_zalloc(50001);
    memset(block, 'z', 50000);
    bool is_open = true;
    for (int i = 0; i < 2000 && is_open; i++)
        is_open = ken_httpd_write(atomic_load(&kept), ken_str_n(block, 50000));
    kt_false(is_open);
    ken_free(block);
    ken_httpd_end(atomic_load(&kept));
    kt_eq_u(ken_httpd_count(server).n_cut, 1);
    kt_has_str(ask("GET /hello HTTP/1.1"), "hello");
    close(fd);
    stop();
}

// ---- the end -----------------------------------------------------------------------------------

static void answer_soon(void *ctx, size_t worker)
{
    (void)worker;
    usleep(200000);
    answer_text(ctx, 200, KEN_STR("finished"));
}

KEN_TEST(a_stop_waits_for_answers)
{
    start();
    int fd = dial();
    say(fd, "GET /kept HTTP/1.1\r\nHost: x\r\n\r\n");
    wait_until_kept();
    ken_pool_submit(workers, answer_soon, atomic_load(&kept));
    ken_httpd_stop(server, 2000);
    kt_has_str(hear(fd, "finished"), "200 OK");
    kt_eq_i(atomic_load(&n_gone), 0);
    close(fd);
    ken_pool_free(workers);
}

KEN_TEST(a_stop_ends_what_does_not_end)
{
    start();
    int fd = dial(), events = dial();
    say(fd, "GET /kept HTTP/1.1\r\nHost: x\r\n\r\n");
    wait_until_kept();
    ken_httpd_request *first = atomic_exchange(&kept, NULL);
    say(events, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    wait_until_kept();
    int64_t from = ken_clock_mono_ns();
    ken_httpd_stop(server, 100);
    kt_true(ken_clock_mono_ns() - from < 2000000000);
    kt_eq_i(atomic_load(&n_gone), 2);
    answer_text(first, 200, KEN_STR("nobody is there")); // handlers may outlive the server
    kt_false(ken_httpd_write(atomic_load(&kept), KEN_STR("x")));
    ken_httpd_end(atomic_load(&kept));
    close(fd);
    close(events);
    ken_pool_free(workers);
}

KEN_TEST(a_port_that_is_taken_is_said)
{
    start();
    ken_httpd *second;
    ken_httpd_opts o = { .address = "127.0.0.1", .port = ken_httpd_port(server) };
    kt_eq_i(ken_httpd_start(&o, &second, &err), KEN_EBUSY);
    kt_has_str(err.msg, "in use");
    o.address = "no.address";
    kt_eq_i(ken_httpd_start(&o, &second, &err), KEN_EINVAL);
    kt_has_str(err.msg, "'no.address' is no address");
    o = (ken_httpd_opts){ .address = "127.0.0.1", .tls_cert = "nonsense", .tls_key = "nonsense" };
    kt_eq_i(ken_httpd_start(&o, &second, &err), KEN_EINVAL);
    stop();
}

KEN_TEST(a_unix_socket_knows_its_user)
{
    char path[200];
    snprintf(path, sizeof path, "%s/s", ktest_dir());
    start_with((ken_httpd_opts){ .address = path });
    kt_eq_u(ken_httpd_port(server), 0);
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    memcpy(at.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    kt_eq_i(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    say(fd, "GET /kept HTTP/1.1\r\nHost: x\r\n\r\n");
    wait_until_kept();
    int64_t uid;
    kt_eq_text(ken_httpd_peer(atomic_load(&kept), &uid), "unix");
    kt_eq_i(uid, (int64_t)getuid());
    answer_text(atomic_load(&kept), 200, KEN_STR("you"));
    kt_has_str(hear(fd, "you"), "200 OK");
    close(fd);
    stop();
    kt_eq_i(access(path, F_OK), -1);
}

// ---- TLS ---------------------------------------------------------------------------------------

// A key and a certificate of its own for `name`; NULL without the program openssl.
static const char *make_certificate(const char *name, const char **out_key)
{
    char command[1000];
    snprintf(command, sizeof command,
             "cd %s && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
             "-days 2 -subj /CN=%s -keyout %s.key -out %s.pem >/dev/null 2>&1",
             ktest_dir(), name, name, name);
    if (system(command))
        return NULL;
    char path[500];
    snprintf(path, sizeof path, "%s/%s.key", ktest_dir(), name);
    *out_key = ktest_read(path).ptr;
    snprintf(path, sizeof path, "%s/%s.pem", ktest_dir(), name);
    return ktest_read(path).ptr;
}

// What openssl's client sees: the certificate's subject and the answer.
static const char *ask_with_tls(void)
{
    static char text[20000];
    char command[500];
    snprintf(command, sizeof command,
             "printf 'GET /hello HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' | "
             "timeout 10 openssl s_client -ign_eof -connect 127.0.0.1:%u 2>/dev/null",
             ken_httpd_port(server));
    FILE *f = popen(command, "r");
    kt_not_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    pclose(f);
    return text;
}

KEN_TEST(a_certificate_can_be_renewed)
{
    const char *key = NULL, *next_key = NULL, *cert = make_certificate("first", &key);
    if (!cert)
        kt_skip("openssl", "a certificate is made by that program");
    const char *next = make_certificate("second", &next_key);
    start_with((ken_httpd_opts){ .tls_cert = cert, .tls_key = key });
    const char *seen = ask_with_tls();
    kt_has_str(seen, "CN = first");
    kt_has_str(seen, "200 OK");
    kt_has_str(seen, "hello");
    kt_status(ken_httpd_renew_tls(server, "nonsense", next_key, &err), KEN_EINVAL);
    kt_has_str(ask_with_tls(), "CN = first");
    kt_ok_err(ken_httpd_renew_tls(server, next, next_key, &err), &err);
    seen = ask_with_tls();
    kt_has_str(seen, "CN = second");
    kt_has_str(seen, "hello");
    stop();
}
