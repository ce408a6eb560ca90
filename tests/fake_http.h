// SPDX-License-Identifier: MIT
// fake_http.h -- an HTTP server on a loopback port that does as a test tells it, faults included.
//
// A handler looks at a request and fills a reply; requests are kept as they came, byte by byte.
// Each connection is one thread; one request per connection unless the reply keeps it open.
// fake_http_stop waits for all of them. Include it in one .c file of a test binary.
#ifndef KEN_TESTS_FAKE_HTTP_H
#define KEN_TESTS_FAKE_HTTP_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "ktest.h"

enum {
    FAKE_LOG_MAX = 64,
    FAKE_TEXT_MAX = 16 * 1024 * 1024,
    FAKE_REPLY_HEADERS = 512
};

typedef struct fake_request {
    char method[16], path[256];
    ken_str head; // request line and headers
    ken_str body;
} fake_request;

typedef struct fake_reply {
    int status;
    char headers[FAKE_REPLY_HEADERS]; // lines that end with \r\n
    ken_buf body;
    size_t cut_at;  // bytes of the body after which the connection breaks; 0 = none
    int stall_ms;   // before anything is sent
    bool is_silent; // closes without a byte
    bool is_raw;    // body is the whole answer, head included
} fake_reply;

struct fake_http;
typedef void fake_handler(struct fake_http *s, const fake_request *q, fake_reply *out);

typedef struct fake_http {
    fake_handler *handle;
    void *ctx;
    int fd, port;
    char url[64]; // http://127.0.0.1:port
    atomic_bool is_stopping;
    pthread_t thread;
    atomic_int n_open; // connections
    atomic_int n_busy, n_busy_max;
    pthread_mutex_t lock;      // guards: log, n_requests; handlers run under it
    ken_buf log[FAKE_LOG_MAX]; // head and body of each request
    size_t n_requests;
} fake_http;

typedef struct fake_peer {
    fake_http *server;
    int fd;
} fake_peer;

// More bytes into `b`; false at the end, after two seconds of silence, or when stopping.
static bool fake_read_more(fake_http *s, int fd, ken_buf *b)
{
    char piece[65536];
    for (int waited = 0; waited < 2000 && !atomic_load(&s->is_stopping); waited += 20) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, 20) <= 0)
            continue;
        ssize_t n = read(fd, piece, sizeof piece);
        if (n > 0)
            ken_buf_put(b, piece, (size_t)n);
        return n > 0;
    }
    return false;
}

static bool fake_read_request(fake_http *s, int fd, ken_buf *b, fake_request *q)
{
    size_t end;
    while ((end = ken_str_find(ken_buf_str(b), KEN_STR("\r\n\r\n"))) == SIZE_MAX)
        if (!fake_read_more(s, fd, b))
            return false;
    size_t length = 0;
    ken_str head = ken_str_sub(ken_buf_str(b), 0, end + 2), rest = head, line;
    while (ken_str_line_next(&rest, &line))
        if (ken_str_eq_fold(ken_str_sub(line, 0, 15), KEN_STR("content-length:"))) {
            uint64_t n = 0;
            (void)ken_str_parse_u64(ken_str_trim(ken_str_sub(line, 15, line.len)), &n);
            length = (size_t)n;
        }
    while (b->len < end + 4 + length)
        if (!fake_read_more(s, fd, b))
            return false;
    q->head = ken_str_sub(ken_buf_str(b), 0, end + 2);
    q->body = ken_str_sub(ken_buf_str(b), end + 4, end + 4 + length);
    return sscanf(q->head.ptr, "%15s %255s", q->method, q->path) == 2;
}

static void fake_write(int fd, ken_str s)
{
    while (s.len) {
        ssize_t n = send(fd, s.ptr, s.len, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        s = ken_str_sub(s, (size_t)n, s.len);
    }
}

static void fake_answer(fake_http *s, int fd, fake_reply *r)
{
    for (int waited = 0; waited < r->stall_ms && !atomic_load(&s->is_stopping); waited += 10)
        usleep(10000);
    if (r->is_silent)
        return;
    if (!r->is_raw) {
        ken_buf head = KEN_BUF_INIT(4096);
        ken_buf_printf(&head, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\nConnection: close\r\n%s\r\n",
                       r->status, r->body.len, r->headers);
        fake_write(fd, ken_buf_str(&head));
        ken_buf_release(&head);
    }
    fake_write(fd, ken_str_sub(ken_buf_str(&r->body), 0, r->cut_at ? r->cut_at : r->body.len));
}

static void *fake_serve(void *arg)
{
    fake_peer *peer = arg;
    fake_http *s = peer->server;
    fake_request q = { 0 };
    fake_reply r = { .status = 200, .body = KEN_BUF_INIT(FAKE_TEXT_MAX) };
    ken_buf in = KEN_BUF_INIT(FAKE_TEXT_MAX);
    int n = atomic_fetch_add(&s->n_busy, 1) + 1, max = atomic_load(&s->n_busy_max);
    while (n > max && !atomic_compare_exchange_weak(&s->n_busy_max, &max, n))
        continue;
    bool is_read = fake_read_request(s, peer->fd, &in, &q);
    if (is_read) {
        pthread_mutex_lock(&s->lock);
        if (s->n_requests < FAKE_LOG_MAX) {
            s->log[s->n_requests] = KEN_BUF_INIT(FAKE_TEXT_MAX);
            ken_buf_put_str(&s->log[s->n_requests], q.head);
            ken_buf_puts(&s->log[s->n_requests], "\r\n");
            ken_buf_put_str(&s->log[s->n_requests], q.body);
        }
        s->n_requests++;
        s->handle(s, &q, &r);
        pthread_mutex_unlock(&s->lock);
    }
    atomic_fetch_sub(&s->n_busy, 1); // whoever has the answer may ask again at once
    if (is_read)
        fake_answer(s, peer->fd, &r);
    shutdown(peer->fd, SHUT_RDWR);
    close(peer->fd);
    ken_buf_release(&in);
    ken_buf_release(&r.body);
    free(peer);
    atomic_fetch_sub(&s->n_open, 1);
    return NULL;
}

static void *fake_accept(void *arg)
{
    fake_http *s = arg;
    while (!atomic_load(&s->is_stopping)) {
        struct pollfd p = { .fd = s->fd, .events = POLLIN };
        if (poll(&p, 1, 20) <= 0)
            continue;
        int fd = accept(s->fd, NULL, NULL);
        if (fd < 0)
            continue;
        fake_peer *peer = malloc(sizeof *peer);
        *peer = (fake_peer){ s, fd };
        pthread_t t;
        atomic_fetch_add(&s->n_open, 1);
        if (pthread_create(&t, NULL, fake_serve, peer))
            abort();
        pthread_detach(t);
    }
    return NULL;
}

static void fake_http_start(fake_http *s, fake_handler *handle, void *ctx)
{
    memset(s, 0, sizeof *s);
    s->handle = handle;
    s->ctx = ctx;
    pthread_mutex_init(&s->lock, NULL);
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof a;
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    kt_true(s->fd >= 0);
    kt_eq_i(bind(s->fd, (struct sockaddr *)(void *)&a, len), 0);
    kt_eq_i(listen(s->fd, 64), 0);
    kt_eq_i(getsockname(s->fd, (struct sockaddr *)(void *)&a, &len), 0);
    s->port = ntohs(a.sin_port);
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d", s->port);
    kt_eq_i(pthread_create(&s->thread, NULL, fake_accept, s), 0);
}

static void fake_http_stop(fake_http *s)
{
    atomic_store(&s->is_stopping, true);
    pthread_join(s->thread, NULL);
    while (atomic_load(&s->n_open))
        usleep(1000);
    close(s->fd);
    for (size_t i = 0; i < s->n_requests && i < FAKE_LOG_MAX; i++)
        ken_buf_release(&s->log[i]);
    pthread_mutex_destroy(&s->lock);
}

// Forgets the requests that came so far.
static void fake_http_forget(fake_http *s)
{
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->n_requests && i < FAKE_LOG_MAX; i++)
        ken_buf_release(&s->log[i]);
    s->n_requests = 0;
    pthread_mutex_unlock(&s->lock);
}

#endif
