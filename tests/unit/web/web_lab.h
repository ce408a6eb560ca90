// SPDX-License-Identifier: MIT
// web_lab.h -- a server over a project of its own, and a client that speaks bytes.
#ifndef KEN_TESTS_WEB_LAB_H
#define KEN_TESTS_WEB_LAB_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/tokens.h"
#include "config/config.h"
#include "json/json.h"
#include "ktest.h"
#include "web/web.h"

// Into one of a few buffers, in turn.
static inline const char *lab_fmt(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static inline const char *lab_fmt(const char *fmt, ...)
{
    static char texts[4][8192];
    static size_t at;
    va_list ap;
    at = (at + 1) % 4;
    va_start(ap, fmt);
    vsnprintf(texts[at], sizeof texts[at], fmt, ap);
    va_end(ap);
    return texts[at];
}

typedef struct web_lab {
    ken_config *config;
    ken_app *app;
    ken_web *web;
    ken_arena arena;
    ken_err err;
    int port;
} web_lab;

static web_lab lab;

static inline void lab_open_app(const ken_config_flag *flags, size_t n)
{
    lab = (web_lab){ 0 };
    setenv("HOME", ktest_dir(), 1);
    setenv("KEN_DATA_DIR", ktest_path("data"), 1);
    unsetenv("NOTIFY_SOCKET");
    ken_arena_init(&lab.arena, 0);
    ken_config_flag all[8] = { { "server.port", "0", "--port" } };
    for (size_t i = 0; i < n; i++)
        all[i + 1] = flags[i];
    kt_ok_err(ken_config_load(&(ken_config_load_opts){ NULL, all, n + 1 }, &lab.config, &lab.err),
              &lab.err);
    kt_ok_err(ken_app_open(lab.config, &lab.app, &lab.err), &lab.err);
}

static inline void lab_serve(const ken_mcp_opts *mcp)
{
    const ken_web_opts o = { .version = "1.2.3", .mcp = mcp };
    kt_ok_err(ken_web_open(lab.app, &o, &lab.web, &lab.err), &lab.err);
    kt_ok_err(ken_web_start(lab.web, &lab.err), &lab.err);
    lab.port = atoi(strrchr(ken_web_url(lab.web), ':') + 1);
}

static inline void lab_start(void)
{
    lab_open_app(NULL, 0);
    lab_serve(NULL);
}

static inline void lab_stop(void)
{
    ken_web_stop(lab.web, 2000);
    ken_app_close(lab.app);
    ken_config_free(lab.config);
    ken_arena_release(&lab.arena);
}

static inline int lab_dial(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)lab.port) };
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    kt_eq_i(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

// The socket in the data folder.
static inline int lab_dial_unix(void)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    snprintf(at.sun_path, sizeof at.sun_path, "%s/server.sock", ktest_path("data"));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    kt_eq_i(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static inline void lab_say(int fd, const char *text)
{
    kt_eq_i(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

// What comes until `until` is seen, the other end closes, or eight seconds pass without a byte.
static inline const char *lab_hear(int fd, const char *until)
{
    static char text[1 << 20];
    size_t n = 0;
    text[0] = 0;
    while (n + 1 < sizeof text && !(until && strstr(text, until))) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, 8000) <= 0)
            break;
        ssize_t got = recv(fd, text + n, sizeof text - 1 - n, 0);
        if (got <= 0)
            break;
        n += (size_t)got;
        text[n] = 0;
    }
    return text;
}

// A request on a connection of its own; `head`: its first line and headers, without Host, separated by
// "\n". What came back.
static inline const char *lab_ask(const char *head, const char *body)
{
    static char request[1 << 16];
    int fd = lab_dial();
    bool has_host = strstr(head, "\nHost:") != NULL;
    size_t n = 0;
    for (const char *p = head; *p && n < sizeof request / 2; p++) {
        if (*p == '\n')
            request[n++] = '\r';
        request[n++] = *p;
    }
    snprintf(request + n, sizeof request - n,
             "\r\n%sConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
             has_host ? "" : "Host: localhost\r\n", body ? strlen(body) : 0, body ? body : "");
    lab_say(fd, request);
    const char *answer = lab_hear(fd, NULL);
    close(fd);
    return answer;
}

static inline const char *lab_get(const char *path)
{
    return lab_ask(lab_fmt("GET %s HTTP/1.1", path), NULL);
}

#define LAB_JSON   "\nContent-Type: application/json\nAccept: application/json, text/event-stream"
#define LAB_MODERN LAB_JSON "\nMCP-Protocol-Version: 2026-07-28"
#define LAB_META                                                             \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static inline const char *lab_post(const char *path, const char *headers, const char *body)
{
    return lab_ask(lab_fmt("POST %s HTTP/1.1%s", path, headers), body);
}

// The value of a header of an answer; lives until the next call.
static inline const char *lab_header(const char *answer, const char *name)
{
    static char value[1024];
    char key[128];
    snprintf(key, sizeof key, "\r\n%.100s: ", name);
    const char *at = strcasestr(answer, key);
    if (!at)
        return NULL;
    at += strlen(key);
    snprintf(value, sizeof value, "%.*s", (int)strcspn(at, "\r"), at);
    return value;
}

// Begins a legacy session; its id, which lives as long as the test.
static inline const char *lab_initialize(const char *path, const char *headers)
{
    static char id[64];
    const char *answer =
        lab_post(path, lab_fmt(LAB_JSON "%s", headers),
                 "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                 "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"roots\":{}}}}");
    kt_has_str(answer, "HTTP/1.1 200");
    const char *got = lab_header(answer, "Mcp-Session-Id");
    kt_not_null(got);
    kt_eq_u(strlen(got), 36);
    memcpy(id, got, 37);
    return id;
}

#endif
