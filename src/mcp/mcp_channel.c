// SPDX-License-Identifier: MIT
// Lines in and out of a session.
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "mcp/mcp_channel_priv.h"
#include "mcp/mcp_relay_priv.h"

enum {
    PIPE_BYTES = 4096,     // what a pipe that polls as writable takes without blocking
    KEPT_BYTES = 1 << 20,  // buffers above this are given back after use
    HOLD_BYTES = 8 << 20,  // not written: no call is begun
    QUEUE_BYTES = 1 << 30, // never reached: what may still come when reading has stopped
};

// ---- writing -----------------------------------------------------------------------------------

// Bytes written; 0 = not now, -1 = never again.
static ssize_t write_some(const channel *c, const char *p, size_t n)
{
    ssize_t rc;
    do {
        if (c->is_socket) {
            rc = send(c->out_fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        } else {
            struct pollfd out = { .fd = c->out_fd, .events = POLLOUT };
            if (poll(&out, 1, 0) <= 0)
                return 0;
            rc = write(c->out_fd, p, n < PIPE_BYTES ? n : PIPE_BYTES);
        }
    } while (rc < 0 && errno == EINTR);
    if (rc < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
    return rc;
}

// Writes what the client takes now; the lock is held.
static void flush_locked(channel *c)
{
    while (!c->is_broken && c->n_sent < c->out.len) {
        ssize_t n = write_some(c, c->out.ptr + c->n_sent, c->out.len - c->n_sent);
        if (!n)
            return;
        if (n < 0) {
            c->is_broken = true;
            c->error = errno == EPIPE || errno == ECONNRESET ? 0 : errno;
        } else {
            c->n_sent += (size_t)n;
        }
    }
    if (c->out.cap > KEPT_BYTES)
        ken_buf_release(&c->out);
    ken_buf_clear(&c->out);
    c->n_sent = 0;
}

static void wake(const channel *c)
{
    uint64_t one = 1;
    ssize_t rc = write(c->wake_fd, &one, sizeof one);
    (void)rc; // it is non-blocking and only full when it was written to already
}

// Moves what is left to the front when most is sent: a client that reads slowly but always would
// otherwise never see the queue's end. The lock is held.
static void compact(channel *c)
{
    if (c->n_sent < c->out.len / 2)
        return;
    memmove(c->out.ptr, c->out.ptr + c->n_sent, c->out.len - c->n_sent);
    c->out.len -= c->n_sent;
    c->n_sent = 0;
}

void ken_mcp__channel_put(channel *c, ken_str message)
{
    pthread_mutex_lock(&c->lock);
    if (!c->is_broken) {
        if (c->n_sent)
            compact(c);
        c->is_broken = !ken_buf_reserve(&c->out, message.len + 1);
        ken_buf_put_str(&c->out, message);
        ken_buf_putc(&c->out, '\n');
        flush_locked(c);
    }
    size_t n_left = c->out.len - c->n_sent;
    bool is_broken = c->is_broken;
    pthread_mutex_unlock(&c->lock);
    if (n_left > HOLD_BYTES)
        ken_mcp_session_hold(c->session, true);
    if (n_left || is_broken)
        wake(c);
}

// What answers a message that the other end did not send now has a tag, and goes nowhere.
static void send_message(void *ctx, const ken_mcp_sent *sent)
{
    if (!sent->tag && sent->text.len)
        ken_mcp__channel_put(ctx, sent->text);
}

size_t ken_mcp__channel_flush(channel *c, bool *out_is_broken)
{
    pthread_mutex_lock(&c->lock);
    flush_locked(c);
    size_t n_left = c->out.len - c->n_sent;
    *out_is_broken = c->is_broken;
    pthread_mutex_unlock(&c->lock);
    if (n_left <= HOLD_BYTES / 2)
        ken_mcp_session_hold(c->session, false);
    return n_left;
}

int ken_mcp__channel_error(channel *c)
{
    pthread_mutex_lock(&c->lock);
    int error = c->error;
    pthread_mutex_unlock(&c->lock);
    return error;
}

// ---- reading -----------------------------------------------------------------------------------

// Adds a part of a line; one that grows too long is refused once and passed over.
static void add_part(channel *c, const char *p, size_t n)
{
    if (c->is_skipping)
        return;
    if (c->line.len + n > KEN_MCP_MESSAGE_MAX) {
        c->is_skipping = true;
        ken_buf_release(&c->line);
        ken_mcp_session_refuse_long(c->session);
        return;
    }
    ken_buf_put(&c->line, p, n);
}

void ken_mcp__channel_end_line(channel *c)
{
    ken_str text = ken_str_trim(ken_buf_str(&c->line));
    if (!c->is_skipping && text.len && c->relay)
        ken_mcp__relay_pass(c->relay, text);
    else if (!c->is_skipping && text.len)
        ken_mcp_session_receive(c->session, text, NULL);
    c->is_skipping = false;
    if (c->line.cap > KEPT_BYTES)
        ken_buf_release(&c->line);
    ken_buf_clear(&c->line);
}

static void take_input(channel *c, const char *p, size_t n)
{
    while (n) {
        const char *nl = memchr(p, '\n', n);
        size_t part = nl ? (size_t)(nl - p) : n;
        add_part(c, p, part);
        if (!nl)
            return;
        ken_mcp__channel_end_line(c);
        p += part + 1;
        n -= part + 1;
    }
}

bool ken_mcp__channel_read(channel *c)
{
    char input[CHANNEL_READ_BYTES];
    ssize_t n = read(c->in_fd, input, sizeof input);
    if (n > 0)
        take_input(c, input, (size_t)n);
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

// ---- its life ----------------------------------------------------------------------------------

static bool fd_is_socket(int fd)
{
    int type;
    socklen_t len = sizeof type;
    return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len);
}

channel *ken_mcp__channel_new(ken_app *app, const ken_mcp_opts *opts, int in_fd, int out_fd,
                              int wake_fd, ken_err *err)
{
    ken_mcp_server *server = NULL;
    if (ken_mcp_server_new(app, opts, &server, err))
        return NULL;
    channel *c = ken_zalloc(sizeof *c);
    c->server = server;
    c->in_fd = in_fd;
    c->out_fd = out_fd;
    c->wake_fd = wake_fd;
    c->is_socket = fd_is_socket(out_fd);
    c->out = KEN_BUF_INIT(QUEUE_BYTES);
    c->line = KEN_BUF_INIT(KEN_MCP_MESSAGE_MAX);
    pthread_mutex_init(&c->lock, NULL);
    c->session =
        ken_mcp_session_new(server, &(ken_mcp_session_opts){ .send = send_message, .send_ctx = c });
    return c;
}

void ken_mcp__channel_free(channel *c)
{
    ken_mcp_session_free(c->session);
    ken_mcp_server_free(c->server);
    ken_buf_release(&c->out);
    ken_buf_release(&c->line);
    pthread_mutex_destroy(&c->lock);
    ken_free(c);
}
