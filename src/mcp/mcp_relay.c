// SPDX-License-Identifier: MIT
// `ken mcp` beside `ken serve`: lines go to the server and come back, so that its open indexes are shared
// and this process stays small. When the server goes, this process goes on alone, in the middle of a
// conversation too: it says to its own session what the client had said of itself, and asks again what had
// no answer yet. Calls that change something are not made twice: they are answered with an error.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/vec.h"
#include "mcp/mcp_relay_priv.h"
#include "mcp/mcp_socket.h"
#include "obs/log.h"

typedef struct relayed { // a request that has no answer yet
    char *id, *text;     // owned
    bool changes;        // what a second call would change again
} relayed;

struct ken_mcp__relay {
    channel *c;
    int fd;
    ken_buf out; // not written yet from n_sent on
    size_t n_sent;
    ken_buf line;             // of an answer that is being read
    char *initialize, *level; // what the client said of itself; owned; NULL = nothing
    KEN_VEC(relayed) open;
    KEN_VEC(relayed) subscriptions; // `id` is the URI
};

// ---- the same answers --------------------------------------------------------------------------

static bool changes_answers(const char *key)
{
    static const char *const others[] = { "server.", "webhooks.", "jobs.",    "log.",
                                          "mcp.",    "otel.",     "security." };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strncmp(key, others[i], strlen(others[i])))
            return false;
    return true;
}

uint64_t ken_mcp__settings_hash(const ken_config *config)
{
    ken_buf all = KEN_BUF_INIT(16 << 20);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    for (ken_config_key k = (ken_config_key)0; k < KEN_CFG_COUNT; k = (ken_config_key)(k + 1)) {
        if (!changes_answers(ken_config_key_name(k)))
            continue;
        ken_buf_put_str(&all, ken_config_format(config, k, &arena));
        ken_buf_putc(&all, '\0');
    }
    uint64_t hash = ken_hash_str(ken_buf_str(&all));
    ken_buf_release(&all);
    ken_arena_release(&arena);
    return hash;
}

// ---- meeting -----------------------------------------------------------------------------------

static int dial(ken_app *app)
{
    ken_arena arena;
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    ken_arena_init(&arena, 0);
    ken_str path = ken_path_join(&arena, ken_config_data_dir(ken_app_config(app)),
                                 KEN_STR(KEN_MCP_SOCKET_NAME));
    bool fits = path.len < sizeof at.sun_path;
    if (fits)
        memcpy(at.sun_path, path.ptr, path.len);
    ken_arena_release(&arena);
    int fd = fits ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
    struct ucred who = { 0 };
    socklen_t n = sizeof who;
    if (fd < 0)
        return -1;
    if (!connect(fd, (const struct sockaddr *)&at, sizeof at) &&
        !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) && who.uid == geteuid())
        return fd;
    close(fd);
    return -1;
}

static void put_hello(ken_app *app, const ken_mcp_server *s, const ken_mcp_opts *opts, ken_buf *out)
{
    ken_buf_puts(out, "{\"version\":");
    ken_json_put_quoted(out, ken_str_c(opts->version ? opts->version : "0"));
    ken_buf_printf(out, ",\"settings\":\"%016llx\",\"project\":",
                   (unsigned long long)ken_mcp__settings_hash(ken_app_config(app)));
    ken_json_put_quoted(out, opts->project);
    ken_buf_puts(out, ",\"cwd\":");
    ken_json_put_quoted(out, opts->cwd);
    ken_buf_printf(out, ",\"read_only\":%s,\"json\":%s,\"toolsets\":[",
                   s->is_read_only ? "true" : "false", s->is_json ? "true" : "false");
    const ken_str *sets = opts->toolsets;
    size_t n = opts->n_toolsets;
    if (!n)
        n = ken_config_list(ken_app_config(app), KEN_CFG_TOOLSETS, &sets);
    for (size_t i = 0; i < n; i++) {
        if (i)
            ken_buf_putc(out, ',');
        ken_json_put_quoted(out, sets[i]);
    }
    ken_buf_puts(out, "]}\n");
}

// The server says that it will answer, soon.
static bool is_welcome(int fd, ken_str hello)
{
    char answer[sizeof RELAY_OK + 1] = "";
    size_t n = 0;
    if (send(fd, hello.ptr, hello.len, MSG_NOSIGNAL) != (ssize_t)hello.len)
        return false;
    while (n < sizeof RELAY_OK) { // with the line's end
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, RELAY_HELLO_MS) <= 0)
            return false;
        ssize_t got = recv(fd, answer + n, sizeof RELAY_OK - n, 0);
        if (got <= 0)
            return false;
        n += (size_t)got;
    }
    return !strcmp(answer, RELAY_OK "\n");
}

ken_mcp__relay *ken_mcp__relay_open(channel *c, ken_app *app, const ken_mcp_opts *opts)
{
    int fd = app ? dial(app) : -1;
    if (fd < 0)
        return NULL;
    ken_buf hello = KEN_BUF_INIT(RELAY_HELLO_MAX);
    put_hello(app, c->server, opts, &hello);
    bool is_met = !hello.is_over && is_welcome(fd, ken_buf_str(&hello));
    ken_buf_release(&hello);
    if (!is_met) {
        close(fd);
        return NULL;
    }
    KEN_LOG_DETAIL("mcp", "a running server answers");
    ken_mcp__relay *r = ken_zalloc(sizeof *r);
    r->c = c;
    r->fd = fd;
    r->out = KEN_BUF_INIT((size_t)4 * KEN_MCP_MESSAGE_MAX);
    r->line = KEN_BUF_INIT((size_t)8 * KEN_MCP_MESSAGE_MAX);
    return r;
}

static void release(relayed *x)
{
    ken_free(x->id);
    ken_free(x->text);
}

void ken_mcp__relay_free(ken_mcp__relay *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->open.len; i++)
        release(&r->open.ptr[i]);
    for (size_t i = 0; i < r->subscriptions.len; i++)
        release(&r->subscriptions.ptr[i]);
    ken_vec_release(&r->open);
    ken_vec_release(&r->subscriptions);
    ken_buf_release(&r->out);
    ken_buf_release(&r->line);
    ken_free(r->initialize);
    ken_free(r->level);
    close(r->fd);
    ken_free(r);
}

// ---- going on alone ----------------------------------------------------------------------------

static void receive_silently(ken_mcp_session *s, const char *text)
{
    static char nobody; // an address that no message of the client has as its tag
    if (text)
        ken_mcp_session_receive(s, ken_str_c(text), &nobody);
}

static void answer_undone(channel *c, const relayed *x)
{
    ken_buf out = KEN_BUF_INIT(64 * 1024);
    ken_mcp__put_error(
        &out, x->id, KEN_MCP__INTERNAL,
        "the server ended before this call did: what it was to change may be done or "
        "not, look before you repeat it",
        (ken_str){ NULL, 0 });
    ken_mcp__channel_put(c, ken_buf_str(&out));
    ken_buf_release(&out);
}

static void go_on_alone(ken_mcp__relay *r)
{
    channel *c = r->c;
    KEN_LOG_NOTE("mcp", "the server is gone: going on alone");
    c->relay = NULL;
    receive_silently(c->session, r->initialize);
    receive_silently(c->session, r->level);
    for (size_t i = 0; i < r->subscriptions.len; i++)
        receive_silently(c->session, r->subscriptions.ptr[i].text);
    for (size_t i = 0; i < r->open.len; i++) {
        const relayed *x = &r->open.ptr[i];
        if (x->changes)
            answer_undone(c, x);
        else
            ken_mcp_session_receive(c->session, ken_str_c(x->text), NULL);
    }
    ken_mcp__relay_free(r);
}

// ---- what the client says ----------------------------------------------------------------------

static void forget_open(ken_mcp__relay *r, const char *id)
{
    for (size_t i = 0; i < r->open.len; i++) {
        if (strcmp(r->open.ptr[i].id, id) != 0)
            continue;
        release(&r->open.ptr[i]);
        memmove(&r->open.ptr[i], &r->open.ptr[i + 1], (r->open.len - i - 1) * sizeof(relayed));
        r->open.len--;
        return;
    }
}

static bool changes_something(const ken_mcp__message *m)
{
    ken_str name = ken_json_text(json_object_get(m->params, "name"));
    const ken_tool_spec *s;
    if (!ken_str_eq_c(m->method, "tools/call"))
        return false;
    for (size_t i = 0; (s = ken_tool_spec_at(i)); i++)
        if (ken_str_eq_c(name, s->name))
            return !s->is_read_only && !s->is_job;
    return false;
}

static void keep_text(char **at, ken_str text)
{
    ken_free(*at);
    *at = ken_strndup(text.ptr, text.len);
}

static void note_subscription(ken_mcp__relay *r, const ken_mcp__message *m, ken_str text)
{
    ken_str uri = ken_json_text(json_object_get(m->params, "uri"));
    bool begins = ken_str_eq_c(m->method, "resources/subscribe");
    for (size_t i = 0; i < r->subscriptions.len; i++) {
        if (!ken_str_eq_c(uri, r->subscriptions.ptr[i].id))
            continue;
        release(&r->subscriptions.ptr[i]);
        r->subscriptions.ptr[i] = r->subscriptions.ptr[--r->subscriptions.len];
        break;
    }
    const relayed x = { .id = ken_strndup(uri.ptr, uri.len),
                        .text = ken_strndup(text.ptr, text.len) };
    if (begins) {
        ken_vec_push(&r->subscriptions, x);
        return;
    }
    ken_free(x.id);
    ken_free(x.text);
}

// What must be known to go on alone after this message.
static void note(ken_mcp__relay *r, ken_str text)
{
    ken_mcp__message m;
    ken_mcp__message_parse(text, &m);
    if (m.kind == KEN_MCP__REQUEST) {
        const relayed x = { .id = m.id,
                            .text = ken_strndup(text.ptr, text.len),
                            .changes = changes_something(&m) };
        ken_vec_push(&r->open, x);
        m.id = NULL;
        if (ken_str_eq_c(m.method, "initialize"))
            keep_text(&r->initialize, text);
        else if (ken_str_eq_c(m.method, "logging/setLevel"))
            keep_text(&r->level, text);
        else if (ken_str_starts(m.method, KEN_STR("resources/")) &&
                 ken_str_ends(m.method, KEN_STR("ubscribe")))
            note_subscription(r, &m, text);
    } else if (m.kind == KEN_MCP__NOTIFICATION && m.request_id) {
        forget_open(r, m.request_id);
    }
    ken_mcp__message_release(&m);
}

// False when the server does not read any more.
static bool write_some(ken_mcp__relay *r)
{
    while (r->n_sent < r->out.len) {
        ssize_t n = send(r->fd, r->out.ptr + r->n_sent, r->out.len - r->n_sent, MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        r->n_sent += (size_t)n;
    }
    ken_buf_clear(&r->out);
    r->n_sent = 0;
    return true;
}

void ken_mcp__relay_pass(ken_mcp__relay *r, ken_str text)
{
    note(r, text);
    ken_buf_put_str(&r->out, text);
    ken_buf_putc(&r->out, '\n');
    if (r->out.is_over || !write_some(r))
        go_on_alone(r); // with this message too, which is among those without an answer
}

// ---- what the server says ----------------------------------------------------------------------

static void take_line(ken_mcp__relay *r, ken_str text)
{
    ken_str id = ken_json_find_raw(text, "id");
    if (id.len && !ken_json_find_raw(text, "method").ptr) {
        char *copy = ken_strndup(id.ptr, id.len);
        forget_open(r, copy);
        ken_free(copy);
    }
    ken_mcp__channel_put(r->c, text);
}

// False at its end.
static bool read_some(ken_mcp__relay *r)
{
    char input[CHANNEL_READ_BYTES];
    ssize_t n = recv(r->fd, input, sizeof input, 0);
    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    for (const char *p = input, *end = input + n; p < end;) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        ken_buf_put(&r->line, p, (size_t)((nl ? nl : end) - p));
        if (!nl)
            break;
        if (!r->line.is_over)
            take_line(r, ken_buf_str(&r->line));
        ken_buf_clear(&r->line);
        p = nl + 1;
    }
    return true;
}

bool ken_mcp__relay_serve(ken_mcp__relay *r)
{
    if (write_some(r) && read_some(r))
        return true;
    go_on_alone(r);
    return false;
}

int ken_mcp__relay_fd(const ken_mcp__relay *r)
{
    return r->fd;
}

short ken_mcp__relay_events(const ken_mcp__relay *r)
{
    return r->n_sent < r->out.len ? POLLIN | POLLOUT : POLLIN;
}

void ken_mcp__relay_end_input(ken_mcp__relay *r)
{
    shutdown(r->fd, SHUT_WR);
}

size_t ken_mcp__relay_n_open(const ken_mcp__relay *r)
{
    return r->open.len;
}
