// SPDX-License-Identifier: MIT
// What the HTTP engine costs by itself, with handlers that do nothing: small calls on connections that
// stay open, answered by the loop and by a worker; memory of idle connections; events to many streams.
// The server is a process of its own; the client is one thread with one epoll.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/pool.h"
#include "bench.h"
#include "httpd/httpd.h"

static const char help[] = "bench_http [--only calls|worker|idle|streams] [--queries N] [--json]\n"
                           "  the HTTP engine alone; N calls, connections or events\n";

enum {
    CONNECTIONS = 64,
    CALLS = 200000,
    IDLE = 10000,
    STREAMS = 1000,
    EVENTS_EACH = 50,
};

// ---- the server --------------------------------------------------------------------------------

static ken_pool *workers;
static ken_httpd_request *streams[STREAMS];
static size_t n_streams;

static const ken_httpd_answer_opts small = {
    .status = 200, .type = "application/json", .body = { "{\"ok\":true}", 11 }, .is_static = true
};

static void answer_now(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    ken_httpd_answer(r, &small);
}

static void answer_job(void *ctx, size_t worker)
{
    (void)worker;
    ken_httpd_answer(ctx, &small);
}

static void answer_from_worker(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    ken_pool_submit(workers, answer_job, r);
}

static void send_events(void *ctx, size_t worker)
{
    (void)ctx;
    (void)worker;
    for (int i = 0; i < EVENTS_EACH; i++)
        for (size_t k = 0; k < n_streams; k++)
            (void)ken_httpd_write(streams[k], KEN_STR("id: 1\ndata: {\"n\":1}\n\n"));
    for (size_t k = 0; k < n_streams; k++)
        ken_httpd_end(streams[k]);
}

static void open_stream(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    ken_httpd_begin(r, &(ken_httpd_answer_opts){ .status = 200, .type = "text/event-stream" });
    streams[n_streams++] = r;
    if (n_streams == STREAMS)
        ken_pool_submit(workers, send_events, NULL);
}

static const ken_httpd_route routes[] = {
    { "GET", "/now", answer_now, 0 },
    { "GET", "/worker", answer_from_worker, 0 },
    { "GET", "/stream", open_stream, 0 },
};

static void serve(int port_fd)
{
    ken_err err = { 0 };
    ken_httpd *h;
    workers = ken_pool_new(1, 1024, 0);
    ken_httpd_opts o = { .address = "127.0.0.1",
                         .routes = routes,
                         .n_routes = sizeof routes / sizeof *routes };
    bench_check(ken_httpd_start(&o, &h, &err), &err);
    uint16_t port = ken_httpd_port(h);
    if (write(port_fd, &port, sizeof port) != sizeof port)
        _exit(1);
    pause();
    _exit(0);
}

static pid_t start_server(uint16_t *out_port)
{
    int pair[2];
    if (pipe(pair))
        bench_die("a pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (!pid)
        serve(pair[1]);
    if (pid < 0 || read(pair[0], out_port, sizeof *out_port) != sizeof *out_port)
        bench_die("the server does not start");
    close(pair[0]);
    close(pair[1]);
    return pid;
}

static void stop_server(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static double resident_mb(pid_t pid)
{
    char path[64];
    unsigned long long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "r");
    if (f) {
        if (fscanf(f, "%*u %llu", &pages) != 1)
            pages = 0;
        fclose(f);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

// ---- the client --------------------------------------------------------------------------------

static int dial(uint16_t port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at))
        bench_die("connecting: %s", strerror(errno));
    return fd;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void say_call(int fd, const char *path)
{
    char text[128];
    int n = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    if (send(fd, text, (size_t)n, MSG_NOSIGNAL) != n)
        bench_die("sending: %s", strerror(errno));
}

// One call at a time on each connection.
static void measure_calls(const char *name, const char *path, size_t n_calls, bool is_json)
{
    uint16_t port;
    pid_t server = start_server(&port);
    int ep = epoll_create1(EPOLL_CLOEXEC), fds[CONNECTIONS];
    int64_t begun[CONNECTIONS];
    double *took = ken_alloc(ken_mul_size(n_calls, sizeof *took));
    for (size_t i = 0; i < CONNECTIONS; i++) {
        fds[i] = dial(port);
        struct epoll_event e = { .events = EPOLLIN, .data.u64 = i };
        (void)epoll_ctl(ep, EPOLL_CTL_ADD, fds[i], &e);
    }
    int64_t from = ken_clock_mono_ns();
    for (size_t i = 0; i < CONNECTIONS; i++) {
        begun[i] = ken_clock_mono_ns();
        say_call(fds[i], path);
    }
    for (size_t n = 0; n < n_calls;) {
        struct epoll_event events[CONNECTIONS];
        int got = epoll_wait(ep, events, CONNECTIONS, 10000);
        if (got <= 0)
            bench_die("no answer within ten seconds");
        for (int k = 0; k < got && n < n_calls; k++) {
            char text[1024];
            size_t i = events[k].data.u64;
            ssize_t len = recv(fds[i], text, sizeof text - 1, 0);
            if (len <= 0)
                bench_die("the connection ended");
            text[len] = 0;
            if (!strstr(text, "{\"ok\":true}"))
                continue;
            int64_t now = ken_clock_mono_ns();
            took[n++] = (double)(now - begun[i]) / 1e6;
            begun[i] = now;
            say_call(fds[i], path);
        }
    }
    double seconds = (double)(ken_clock_mono_ns() - from) / 1e9;
    qsort(took, n_calls, sizeof *took, by_value);
    printf(is_json ? "{\"what\":\"%s\",\"per_second\":%.0f,\"p50_ms\":%.3f,\"p99_ms\":%.3f}\n"
                   : "%s: %.0f calls a second on 64 connections, p50 %.3f ms, p99 %.3f ms\n",
           name, (double)n_calls / seconds, took[n_calls / 2], took[n_calls * 99 / 100]);
    for (size_t i = 0; i < CONNECTIONS; i++)
        close(fds[i]);
    close(ep);
    ken_free(took);
    stop_server(server);
}

static void measure_idle(size_t n, bool is_json)
{
    uint16_t port;
    pid_t server = start_server(&port);
    double before = resident_mb(server);
    int *fds = ken_alloc(ken_mul_size(n, sizeof *fds));
    for (size_t i = 0; i < n; i++) {
        fds[i] = dial(port);
        say_call(fds[i], "/now");
        char text[1024];
        if (recv(fds[i], text, sizeof text, 0) <= 0)
            bench_die("connection %zu ended", i);
    }
    printf(
        is_json
            ? "{\"what\":\"idle\",\"connections\":%zu,\"before_mb\":%.1f,\"mb\":%.1f}\n"
            : "idle: %zu connections, each after one call; resident %.1f MB before, %.1f MB with them\n",
        n, before, resident_mb(server));
    for (size_t i = 0; i < n; i++)
        close(fds[i]);
    ken_free(fds);
    stop_server(server);
}

static void measure_streams(bool is_json)
{
    uint16_t port;
    pid_t server = start_server(&port);
    int fds[STREAMS];
    for (size_t i = 0; i < STREAMS; i++)
        say_call(fds[i] = dial(port), "/stream");
    int64_t from = ken_clock_mono_ns();
    for (size_t i = 0; i < STREAMS; i++) {
        static char text[1 << 16];
        size_t n = 0;
        do {
            ssize_t got = recv(fds[i], text + n, sizeof text - 1 - n, 0);
            if (got <= 0)
                bench_die("a stream ended early");
            n += (size_t)got;
            text[n] = 0;
        } while (!strstr(text, "\r\n0\r\n\r\n"));
        close(fds[i]);
    }
    double seconds = (double)(ken_clock_mono_ns() - from) / 1e9;
    printf(is_json
               ? "{\"what\":\"streams\",\"streams\":%d,\"events_per_second\":%.0f,\"mb\":%.1f}\n"
               : "streams: %d open, %.0f events a second in all, resident %.1f MB\n",
           STREAMS, (double)STREAMS * EVENTS_EACH / seconds, resident_mb(server));
    stop_server(server);
}

BENCH_MAIN(http)
{
    bench_args args;
    bench_args_parse(argc, argv, help, &args);
    struct rlimit limit;
    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    const char *only = args.only ? args.only : "";
    size_t n = args.n_queries;
    if (!*only || !strcmp(only, "calls"))
        measure_calls("loop", "/now", n ? n : CALLS, args.is_json);
    if (!*only || !strcmp(only, "worker"))
        measure_calls("worker", "/worker", n ? n : CALLS, args.is_json);
    if (!*only || !strcmp(only, "idle"))
        measure_idle(n ? n : IDLE, args.is_json);
    if (!*only || !strcmp(only, "streams"))
        measure_streams(args.is_json);
    return 0;
}
