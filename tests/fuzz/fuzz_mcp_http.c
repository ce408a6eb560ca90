// SPDX-License-Identifier: MIT
// What clients send to MCP over HTTP, over real connections. The input goes out as it is, but for 0xff and
// the byte after it: '0' to '3' the connection that follows, 'W' wait for an answer, 'X' close, 'S' the
// session of this client, 'O' the session of another. Answers must be whole, the other's session must live
// on, and the server must answer a new client and end every connection.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "config/config.h"
#include "json/json.h"
#include "mcp/mcp_http.h"

enum {
    CONNECTIONS = 4,
    ANSWER_BYTES = 1 << 20,
    PATIENCE_MS = 20000,
    PAUSE_MS = 20,
    SESSION_ID = 36,
    INPUT_BYTES_MAX = 64 * 1024,
    BODY_BYTES_MAX = 16 * 1024,
};

static ken_status echo(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    (void)args;
    (void)err;
    *out = json_deep_copy(env->given);
    return KEN_OK;
}

// Until it is cancelled, with progress.
static ken_status slow(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    (void)args;
    ken_status st = KEN_OK;
    for (int i = 0; i < 1000 && !st; i++) {
        if (env->ctx->on_progress)
            env->ctx->on_progress(env->ctx->progress_ctx,
                                  &(ken_tool_progress){ .done = i, .total = 1000 });
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        st = ken_cancel_check(env->ctx->cancel, err);
    }
    if (!st)
        *out = json_object();
    return st;
}

#define SPEC(tool)                                                                      \
    &(const ken_tool_spec)                                                              \
    {                                                                                   \
        .name = tool, .set = "t", .timeout_ms = 600000, .is_read_only = true,           \
        .listing = "{\"name\":\"" tool "\",\"inputSchema\":{\"type\":\"object\","       \
                   "\"properties\":{\"a\":{\"type\":\"string\"},\"project\":{\"type\":" \
                   "\"string\"}},\"additionalProperties\":false}}",                     \
    }

static const ken_tool_def defs[] = {
    { SPEC("echo"), echo, NULL },          { SPEC("slow"), slow, NULL },
    { SPEC("list_projects"), echo, NULL }, { SPEC("get_repo_status"), echo, NULL },
    { SPEC("outline"), echo, NULL },
};

// ---- two doors to one transport, each with a caller of its own ----------------------------------

typedef struct door {
    ken_mcp_http *http;
    const char *caller;
    ken_httpd *httpd;
} door;

static void handle(void *ctx, ken_httpd_request *r)
{
    const door *d = ctx;
    ken_mcp_http_handle(d->http, r, &(ken_mcp_http_caller){ .name = ken_str_c(d->caller) });
}

static const ken_httpd_route routes[] = {
    { "POST", "/mcp", handle, BODY_BYTES_MAX },
    { "GET", "/mcp", handle, 0 },
    { "DELETE", "/mcp", handle, 0 },
};

static void door_open(ken_mcp_http *http, const char *caller, door *d)
{
    ken_err err = { 0 };
    *d = (door){ .http = http, .caller = caller };
    const ken_httpd_opts o = { .address = "127.0.0.1",
                               .routes = routes,
                               .n_routes = sizeof routes / sizeof *routes,
                               .ctx = d };
    KEN_ASSERT(!ken_httpd_start(&o, &d->httpd, &err));
}

// ---- a client ----------------------------------------------------------------------------------

typedef struct client {
    int fd;
    char *heard; // ANSWER_BYTES
    size_t n;
} client;

static void client_open(client *c, const door *d)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(ken_httpd_port(d->httpd)) };
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    c->n = 0;
    c->heard = c->heard ? c->heard : malloc(ANSWER_BYTES);
    KEN_ASSERT(c->fd >= 0 && c->heard && !connect(c->fd, (struct sockaddr *)&at, sizeof at));
    c->heard[0] = 0;
}

// Whether the connection is open still; waits for a first byte up to `ms`.
static bool client_hear(client *c, int ms)
{
    struct pollfd p = { .fd = c->fd, .events = POLLIN };
    char beyond[4096];
    if (poll(&p, 1, ms) <= 0)
        return true;
    size_t room = ANSWER_BYTES - 1 - c->n;
    ssize_t n = recv(c->fd, room ? c->heard + c->n : beyond, room ? room : sizeof beyond, 0);
    if (room && n > 0) {
        c->n += (size_t)n;
        c->heard[c->n] = 0;
    }
    return n > 0;
}

static void client_say(client *c, const void *bytes, size_t n)
{
    (void)!send(c->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void find_session(const char *heard, char *id)
{
    static const char name[] = "\r\nMcp-Session-Id: ";
    const char *at = strcasestr(heard, name);
    if (at && strlen(at) > sizeof name - 1 + SESSION_ID)
        memcpy(id, at + sizeof name - 1, SESSION_ID);
}

// Whole answers in JSON are JSON; what stands behind anything else is not looked at.
static void check_answers(const client *c)
{
    const char *at = c->heard;
    while (strncmp(at, "HTTP/1.1 200", 12) == 0) {
        const char *end = strstr(at, "\r\n\r\n"),
                   *type = strcasestr(at, "\r\nContent-Type: application/json"),
                   *length = strcasestr(at, "\r\nContent-Length: ");
        if (!end || !length || length > end)
            return;
        size_t n = strtoul(length + sizeof "\r\nContent-Length: " - 1, NULL, 10);
        const char *body = end + 4;
        if ((size_t)(c->heard + c->n - body) < n)
            return;
        if (type && type < end) {
            json_t *v = json_loadb(body, n, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
            KEN_ASSERT(v);
            json_decref(v);
        }
        at = body + n;
    }
}

// Says all it has to say; the server then ends the connection.
static void client_close(client *c)
{
    time_t end = time(NULL) + PATIENCE_MS / 1000;
    (void)shutdown(c->fd, SHUT_WR);
    while (client_hear(c, PATIENCE_MS))
        KEN_ASSERT(time(NULL) < end);
    check_answers(c);
    close(c->fd);
    c->fd = -1;
}

static void ask(const door *d, const char *session, const char *body, client *c)
{
    char request[2048];
    int n = snprintf(request, sizeof request,
                     "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     "Accept: application/json, text/event-stream\r\nConnection: close\r\n"
                     "%s%.36s%sContent-Length: %zu\r\n\r\n%s",
                     session ? "Mcp-Session-Id: " : "", session ? session : "",
                     session ? "\r\n" : "", strlen(body), body);
    client_open(c, d);
    client_say(c, request, (size_t)n);
    while (client_hear(c, PATIENCE_MS)) {
    }
    close(c->fd);
    c->fd = -1;
    KEN_ASSERT(strncmp(c->heard, "HTTP/1.1 ", 9) == 0);
}

// ---- an input ----------------------------------------------------------------------------------

typedef struct play {
    door own, other;
    char session[SESSION_ID + 1], others[SESSION_ID + 1];
    client clients[CONNECTIONS];
    client *c;
} play;

static void act(play *p, uint8_t what)
{
    if (what >= '0' && what < '0' + CONNECTIONS) {
        p->c = &p->clients[what - '0'];
        return;
    }
    if (p->c->fd < 0)
        client_open(p->c, &p->own);
    if (what == 'W') {
        (void)client_hear(p->c, PAUSE_MS);
        find_session(p->c->heard, p->session);
    } else if (what == 'X') {
        check_answers(p->c);
        close(p->c->fd);
        p->c->fd = -1;
    } else if (what == 'S' || what == 'O') {
        client_say(p->c, what == 'S' ? p->session : p->others, SESSION_ID);
    }
}

static void send_input(play *p, const uint8_t *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        const uint8_t *next = memchr(data + at, 0xff, size - at);
        size_t n = next ? (size_t)(next - data) - at : size - at;
        if (n) {
            if (p->c->fd < 0)
                client_open(p->c, &p->own);
            client_say(p->c, data + at, n);
        }
        at += n;
        if (at + 1 < size)
            act(p, data[at + 1]);
        at += 2;
    }
}

static void play_input(play *p, const uint8_t *data, size_t size)
{
    static client other;
    static char *heard[CONNECTIONS];
    ask(&p->other, NULL,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}",
        &other);
    memset(p->session, '0', SESSION_ID);
    find_session(other.heard, p->others);
    KEN_ASSERT(p->others[0]);
    for (size_t i = 0; i < CONNECTIONS; i++)
        p->clients[i] = (client){ .fd = -1, .heard = heard[i] };
    p->c = p->clients;
    send_input(p, data, size);
    for (size_t i = 0; i < CONNECTIONS; i++) {
        if (p->clients[i].fd >= 0)
            client_close(&p->clients[i]);
        heard[i] = p->clients[i].heard;
    }
    ken_mcp_http_tick(p->own.http);
    static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}";
    ask(&p->own, p->others, ping, &other);
    KEN_ASSERT(strncmp(other.heard, "HTTP/1.1 404", 12) == 0);
    ask(&p->other, p->others, ping, &other);
    KEN_ASSERT(strncmp(other.heard, "HTTP/1.1 200", 12) == 0 &&
               strstr(other.heard, "\"result\":{}"));
}

// Of a data folder of its own, without projects.
static ken_app *open_app(void)
{
    static char folder[] = "/tmp/ken-fuzz-XXXXXX";
    static ken_config *config;
    ken_app *app = NULL;
    KEN_ASSERT(mkdtemp(folder) && !setenv("KEN_DATA_DIR", folder, 1));
    KEN_ASSERT(!ken_config_load(NULL, &config, NULL) && !ken_app_open(config, &app, NULL));
    return app;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ken_toolset *tools;
    static ken_app *app;
    const ken_toolset_opts opts = { .defs = defs, .n_defs = sizeof defs / sizeof *defs };
    ken_mcp_http *http;
    if (size > INPUT_BYTES_MAX)
        return 0;
    if (!tools) {
        KEN_ASSERT(!ken_toolset_new(&opts, &tools, NULL));
        app = open_app();
    }
    KEN_ASSERT(
        !ken_mcp_http_new(app, &(ken_mcp_opts){ .version = "1", .tools = tools }, &http, NULL));
    play p = { 0 };
    door_open(http, "own", &p.own);
    door_open(http, "other", &p.other);
    play_input(&p, data, size);
    ken_mcp_http_stop(http, PATIENCE_MS);
    ken_httpd_stop(p.own.httpd, PATIENCE_MS);
    ken_httpd_stop(p.other.httpd, PATIENCE_MS);
    ken_mcp_http_free(http);
    return 0;
}
