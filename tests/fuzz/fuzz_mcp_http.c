// SPDX-License-Identifier: MIT
// What clients send to MCP over HTTP, over real connections. The input goes out as it is, but for 0xff and
// the byte after it (fuzz_client.h): '0' to '3' the connection that follows, 'W' wait for an answer, 'X'
// close, 'S' the session of this client, 'O' the session of another. Answers must be whole, the other's
// session must live on, and the server must answer a new client and end every connection.
#include <stdio.h>
#include <sys/un.h>
#include <time.h>

#include "base/assert.h"
#include "config/config.h"
#include "fuzz_client.h"
#include "fuzz_temp.h"
#include "json/json.h"
#include "mcp/mcp_http.h"

enum {
    SESSION_ID = 36,
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
    // No port: so many clients in a minute would use up those of the machine.
    struct sockaddr_un at;
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
    *d = (door){ .http = http, .caller = caller, .at = { .sun_family = AF_UNIX } };
    snprintf(d->at.sun_path, sizeof d->at.sun_path, "%s/%s", fuzz_temp, caller);
    const ken_httpd_opts o = { .address = d->at.sun_path,
                               .routes = routes,
                               .n_routes = sizeof routes / sizeof *routes,
                               .ctx = d };
    KEN_ASSERT(!ken_httpd_start(&o, &d->httpd, &err));
}

// ---- a client ----------------------------------------------------------------------------------

static void client_open(fuzz_client *c, const door *d)
{
    fuzz_client_open(c, (const struct sockaddr *)&d->at, sizeof d->at);
}

static void find_session(const char *heard, char *id)
{
    static const char name[] = "\r\nMcp-Session-Id: ";
    const char *at = strcasestr(heard, name);
    if (at && strlen(at) > sizeof name - 1 + SESSION_ID)
        memcpy(id, at + sizeof name - 1, SESSION_ID);
}

// Whole answers in JSON are JSON; what stands behind anything else is not looked at.
static void check_answers(const fuzz_client *c)
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

static void ask(const door *d, const char *session, const char *body, fuzz_client *c)
{
    char request[2048];
    int n = snprintf(request, sizeof request,
                     "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     "Accept: application/json, text/event-stream\r\nConnection: close\r\n"
                     "%s%.36s%sContent-Length: %zu\r\n\r\n%s",
                     session ? "Mcp-Session-Id: " : "", session ? session : "",
                     session ? "\r\n" : "", strlen(body), body);
    client_open(c, d);
    fuzz_client_say(c, request, (size_t)n);
    fuzz_client_hear_all(c);
    fuzz_client_close(c);
    KEN_ASSERT(strncmp(c->heard, "HTTP/1.1 ", 9) == 0);
}

// ---- an input ----------------------------------------------------------------------------------

typedef struct play {
    door own, other;
    char session[SESSION_ID + 1], others[SESSION_ID + 1];
    fuzz_client clients[FUZZ_CLIENTS];
    fuzz_client *c;
} play;

static void act(play *p, uint8_t what)
{
    if (what >= '0' && what < '0' + FUZZ_CLIENTS) {
        p->c = &p->clients[what - '0'];
        return;
    }
    if (p->c->fd < 0)
        client_open(p->c, &p->own);
    if (what == 'W') {
        (void)fuzz_client_hear(p->c, FUZZ_PAUSE_MS);
        find_session(p->c->heard, p->session);
    } else if (what == 'X') {
        check_answers(p->c);
        fuzz_client_close(p->c);
    } else if (what == 'S' || what == 'O') {
        fuzz_client_say(p->c, what == 'S' ? p->session : p->others, SESSION_ID);
    }
}

static void send_input(play *p, const uint8_t *data, size_t size)
{
    fuzz_piece piece;
    for (size_t at = 0; fuzz_next(data, size, &at, &piece);) {
        if (piece.n) {
            if (p->c->fd < 0)
                client_open(p->c, &p->own);
            fuzz_client_say(p->c, piece.bytes, piece.n);
        }
        if (piece.has_op)
            act(p, piece.op);
    }
}

static void play_input(play *p, const uint8_t *data, size_t size)
{
    static fuzz_client other;
    static char *heard[FUZZ_CLIENTS];
    ask(&p->other, NULL,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}",
        &other);
    memset(p->session, '0', SESSION_ID);
    find_session(other.heard, p->others);
    KEN_ASSERT(p->others[0]);
    for (size_t i = 0; i < FUZZ_CLIENTS; i++)
        p->clients[i] = (fuzz_client){ .fd = -1, .heard = heard[i] };
    p->c = p->clients;
    send_input(p, data, size);
    for (size_t i = 0; i < FUZZ_CLIENTS; i++) {
        if (p->clients[i].fd >= 0) {
            fuzz_client_finish(&p->clients[i]);
            check_answers(&p->clients[i]);
            fuzz_client_close(&p->clients[i]);
        }
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
    static ken_config *config;
    ken_app *app = NULL;
    KEN_ASSERT(!setenv("KEN_DATA_DIR", fuzz_temp_make(), 1));
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
    if (size > FUZZ_INPUT_BYTES_MAX)
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
    ken_mcp_http_stop(http, FUZZ_PATIENCE_MS);
    ken_httpd_stop(p.own.httpd, FUZZ_PATIENCE_MS);
    ken_httpd_stop(p.other.httpd, FUZZ_PATIENCE_MS);
    ken_mcp_http_free(http);
    return 0;
}
