// SPDX-License-Identifier: MIT
// fuzz_client.h -- clients of a server that is fuzzed, on real sockets, and inputs that say what they do.
//
// An input is bytes to be sent; 0xff and the byte after it are an operation, whose meaning is the target's.
#ifndef KEN_FUZZ_CLIENT_H
#define KEN_FUZZ_CLIENT_H

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"

enum {
    FUZZ_CLIENTS = 4,
    FUZZ_ANSWER_BYTES = 1 << 22,
    FUZZ_PATIENCE_MS = 20000,
    FUZZ_PAUSE_MS = 20,
    FUZZ_INPUT_BYTES_MAX = 64 * 1024,
};

// ---- an input ----------------------------------------------------------------------------------

typedef struct fuzz_piece {
    const uint8_t *bytes; // to be sent before the operation; may be none
    size_t n;
    bool has_op;
    uint8_t op;
} fuzz_piece;

// False at the end.
static inline bool fuzz_next(const uint8_t *data, size_t size, size_t *at, fuzz_piece *out)
{
    if (*at >= size)
        return false;
    const uint8_t *from = data + *at, *mark = memchr(from, 0xff, size - *at);
    *out = (fuzz_piece){ .bytes = from, .n = mark ? (size_t)(mark - from) : size - *at };
    *at += out->n;
    if (*at + 1 < size) {
        out->has_op = true;
        out->op = data[*at + 1];
    }
    *at += 2;
    return true;
}

// ---- a client ----------------------------------------------------------------------------------

typedef struct fuzz_client {
    int fd;      // -1 = not connected
    char *heard; // FUZZ_ANSWER_BYTES, kept for the next connection; ends with a NUL
    size_t n;
} fuzz_client;

static inline void fuzz_client_open(fuzz_client *c, const struct sockaddr *at, socklen_t n)
{
    c->fd = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    c->n = 0;
    c->heard = c->heard ? c->heard : malloc(FUZZ_ANSWER_BYTES);
    KEN_ASSERT(c->fd >= 0 && c->heard);
    // A signal, as of libFuzzer's timer, leaves it under way.
    while (connect(c->fd, at, n) && errno != EISCONN)
        KEN_ASSERT(errno == EINTR || errno == EALREADY);
    c->heard[0] = 0;
}

static inline void fuzz_client_close(fuzz_client *c)
{
    close(c->fd);
    c->fd = -1;
}

// Whether the connection is open still; waits for a first byte up to `ms`.
static inline bool fuzz_client_hear(fuzz_client *c, int ms)
{
    struct pollfd p = { .fd = c->fd, .events = POLLIN };
    char beyond[4096];
    if (poll(&p, 1, ms) <= 0)
        return true;
    size_t room = FUZZ_ANSWER_BYTES - 1 - c->n;
    ssize_t n = recv(c->fd, room ? c->heard + c->n : beyond, room ? room : sizeof beyond, 0);
    if (room && n > 0) {
        c->n += (size_t)n;
        c->heard[c->n] = 0;
    }
    return n > 0;
}

// What the other end takes at once.
static inline void fuzz_client_say(const fuzz_client *c, const void *bytes, size_t n)
{
    (void)!send(c->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Up to the end of the connection.
static inline void fuzz_client_hear_all(fuzz_client *c)
{
    time_t end = time(NULL) + FUZZ_PATIENCE_MS / 1000;
    while (fuzz_client_hear(c, FUZZ_PATIENCE_MS))
        KEN_ASSERT(time(NULL) < end);
}

// Has said all; the server must then end the connection.
static inline void fuzz_client_finish(fuzz_client *c)
{
    (void)shutdown(c->fd, SHUT_WR);
    fuzz_client_hear_all(c);
}

#endif
