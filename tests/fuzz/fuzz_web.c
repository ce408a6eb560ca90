// SPDX-License-Identifier: MIT
// What clients send to the whole server, over real connections: a script of requests. The first byte picks
// the server: 'B' one where a token is needed, and the only token is bound to project one; else one that
// takes anybody. Then bytes go out as they are, but for 0xff and the byte after it (fuzz_client.h):
//   '0' to '3'  the connection that follows       'W'  wait for an answer
//   'E'  nothing more is sent    'X'  close       'R'  reset
//   'S'  the session, 'I' the event, 'J' the job last learnt from an answer of this input
//   'T'  the token               'P'  the folder of project one
//   'L'  ends a head with the length of the body, which goes up to 'Z' or the end
//   0x80 and above: a part of a request, of the table below
// Answers are whole HTTP with a status that an input may cause (fuzz_http.h). Who is bound to project one,
// by token or by /mcp/one alone, hears nothing of the other project. Afterwards the server is healthy.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

#include "app/tokens.h"
#include "fuzz_client.h"
#include "fuzz_http.h"
#include "fuzz_projects.h"
#include "httpd/httpd.h"
#include "web/web.h"

enum {
    UUID = 36,
    EVENT_MAX = 40,
    STOP_MS = 5000,
};

// ---- requests ----------------------------------------------------------------------------------

#define LINE(what) what " HTTP/1.1\r\nHost: localhost\r\n"
#define GET(path)  LINE("GET " path)
#define POST(path) LINE("POST " path)
#define MODERN                                                               \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define RPC(method, params) \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" params "}}"
#define PUSH                                                                      \
    "{\"ref\":\"refs/heads/main\",\"repository\":{\"full_name\":\"Owner/Repo\"}," \
    "\"project\":{\"path_with_namespace\":\"Owner/Repo\"}}"

// Only added to at the end: corpora name them by number.
static const char *const parts[] = {
    GET("/healthz"),
    GET("/readyz"),
    GET("/metrics"),
    GET("/api/v1/server"),
    GET("/api/v1/events"),
    GET("/api/v1/jobs?project=one&state=done&limit=5"),
    GET("/api/v1/openapi.json"),
    GET("/api/v1/reference"),
    GET("/api/v1/list_projects"),
    GET("/api/v1/search?query=bird&project=one"),
    GET("/.well-known/oauth-protected-resource"),
    GET("/mcp"),
    GET("/mcp/one"),
    LINE("DELETE /mcp"),
    LINE("DELETE /mcp/one"),
    POST("/mcp"),
    POST("/mcp/one"),
    POST("/mcp/none"),
    POST("/api/v1/jobs"),
    POST("/api/v1/index_repository"),
    POST("/api/v1/search"),
    POST("/api/v1/create_task"),
    POST("/api/v1/checkpoint_save"),
    POST("/api/v1/get_architecture"),
    POST("/webhook/github"),
    LINE("HEAD /api/v1/server"),
    LINE("OPTIONS /mcp"),
    "GET /api/v1/jobs/",
    "DELETE /api/v1/jobs/",
    "/events HTTP/1.1\r\nHost: localhost\r\n",
    " HTTP/1.1\r\nHost: localhost\r\n",
    "\r\n",
    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n",
    "Accept: text/event-stream\r\n",
    "Accept-Encoding: zstd, gzip\r\n",
    "Accept: application/openmetrics-text\r\n",
    "Authorization: Bearer ",
    "Mcp-Session-Id: ",
    "Last-Event-ID: ",
    "MCP-Protocol-Version: 2025-11-25\r\n",
    "MCP-Protocol-Version: 2026-07-28\r\n",
    "Mcp-Method: tools/call\r\nMcp-Name: search\r\n",
    "Origin: http://localhost\r\n",
    "X-Request-Id: r1\r\n",
    "X-Forwarded-For: 10.0.0.1, 127.0.0.1\r\nX-Forwarded-Proto: https\r\n",
    "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n",
    "If-None-Match: \"0123456789abcdef\"\r\n",
    "Connection: close\r\n",
    "Expect: 100-continue\r\n",
    "Transfer-Encoding: chunked\r\n",
    "X-GitHub-Event: push\r\n",
    "X-Gitlab-Event: Push Hook\r\nX-Gitlab-Token: secret\r\n",
    RPC("initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"roots\":{}}"),
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
    RPC("tools/list", ""),
    RPC("tools/call", "\"name\":\"search\",\"arguments\":{\"query\":\"int one\"}"),
    RPC("tools/call", "\"name\":\"list_projects\",\"arguments\":{}"),
    RPC("tools/call", "\"name\":\"index_repository\",\"arguments\":{\"repo_path\":\"one\"},"
                      "\"_meta\":{\"progressToken\":1}"),
    RPC("tools/call", MODERN ",\"name\":\"search\",\"arguments\":{\"query\":\"bird\"}"),
    RPC("server/discover", MODERN),
    RPC("subscriptions/listen", MODERN ",\"notifications\":{\"toolsListChanged\":true}"),
    RPC("resources/list", ""),
    RPC("resources/read", "\"uri\":\"ken://projects\""),
    RPC("prompts/list", ""),
    RPC("completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"explain\"},"
                               "\"argument\":{\"name\":\"project\",\"value\":\"\"}"),
    RPC("ping", ""),
    "{\"kind\":\"index\",\"project\":\"one\",\"force\":true}",
    "{\"kind\":\"rules_setup\",\"project\":\"one\"}",
    "{\"kind\":\"embed\",\"project\":\"one\"}",
    "{\"query\":\"bird\",\"project\":\"one\",\"format\":\"json\"}",
    "{\"title\":\"t\",\"summary\":\"s\",\"project\":\"one\"}",
    PUSH,
    "{\"repo_path\":\"",
    "\",\"force_reindex\":true}",
};

// ---- two servers -------------------------------------------------------------------------------

// Of one data folder, so one of them serves at a time.
typedef struct server {
    ken_app *open, *closed; // closed: of another address, where a token is needed
    ken_web *web;
    uint16_t port;
    ken_str token; // of project one
    fuzz_projects *projects;
} server;

static void make_token(server *s)
{
    static ken_arena arena;
    ken_access_token made;
    ken_project_info p;
    ken_arena_init(&arena, 0);
    KEN_ASSERT(!ken_app_find_project(s->closed, KEN_STR("one"), KEN_STR(""), &arena, &p, NULL));
    const ken_app_token_opts o = {
        .name = KEN_STR("t"), .scopes = KEN_SCOPES_ALL, .is_bound = true, .project = p.id
    };
    KEN_ASSERT(!ken_app_add_token(s->closed, &o, &arena, &made, &s->token, NULL));
}

static void server_make(server *s)
{
    const ken_config_flag flags[] = {
        { "server.port", "0", "x" },
        { "webhooks.secret", "secret", "x" },
        { "server.trusted_proxies", "127.0.0.1", "x" },
        { "oauth.issuer", "http://127.0.0.1:1", "x" },
        { "oauth.resource", "http://127.0.0.1:7420/mcp", "x" },
        { "server.host", "0.0.0.0", "x" },
    };
    size_t n = sizeof flags / sizeof *flags;
    s->projects = fuzz_projects_make();
    s->open = fuzz_projects_open(s->projects, flags, n - 1);
    s->closed = fuzz_projects_open(s->projects, flags, n);
    fuzz_projects_check(s->projects, s->open);
    make_token(s);
}

static void server_start(server *s, bool is_closed)
{
    int fd;
    ken_app *app = is_closed ? s->closed : s->open;
    fuzz_projects_check(s->projects, app);
    KEN_ASSERT(!ken_httpd_listen("127.0.0.1", 0, &fd, NULL));
    KEN_ASSERT(
        !ken_web_open(app, &(ken_web_opts){ .version = "1", .listen_fd = fd }, &s->web, NULL));
    KEN_ASSERT(!ken_web_start(s->web, NULL));
    s->port = (uint16_t)atoi(strrchr(ken_web_url(s->web), ':') + 1);
}

// ---- connections -------------------------------------------------------------------------------

typedef struct peer {
    fuzz_client client;
    char *sent; // all of it, with a NUL; as much room as an answer
    size_t n_sent;
} peer;

typedef struct play {
    server *s;
    bool is_closed;
    char session[UUID + 1], job[UUID + 1], event[EVENT_MAX];
    peer peers[FUZZ_CLIENTS];
    peer *p;
} play;

static void peer_open(const play *y, peer *p)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(y->s->port) };
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fuzz_client_open(&p->client, (struct sockaddr *)&at, sizeof at);
    p->sent = p->sent ? p->sent : malloc(FUZZ_ANSWER_BYTES);
    KEN_ASSERT(p->sent);
    p->sent[p->n_sent = 0] = 0;
}

static void say(const play *y, peer *p, const void *bytes, size_t n)
{
    if (p->client.fd < 0)
        peer_open(y, p);
    fuzz_client_say(&p->client, bytes, n);
    size_t room = FUZZ_ANSWER_BYTES - 1 - p->n_sent;
    memcpy(p->sent + p->n_sent, bytes, n < room ? n : room);
    p->n_sent += n < room ? n : room;
    p->sent[p->n_sent] = 0;
}

// Byte by byte: the fuzzer learns words that memmem and strstr look for, and this one must not be sent.
static bool begins_with(const char *text, size_t n, const char *word)
{
    size_t k = 0;
    while (k < n && word[k] && text[k] == word[k])
        k++;
    return !word[k];
}

static bool has_word(const char *text, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (begins_with(text + i, n - i, word))
            return true;
    return false;
}

// Whether all that it may have asked is of /mcp/one, or of nothing.
static bool is_of_one(const peer *p)
{
    for (size_t i = 0; i < p->n_sent; i++)
        if (begins_with(p->sent + i, p->n_sent - i, "/mcp") &&
            !begins_with(p->sent + i, p->n_sent - i, "/mcp/one"))
            return false;
    return has_word(p->sent, p->n_sent, "/mcp/one") && !has_word(p->sent, p->n_sent, "/api") &&
           !has_word(p->sent, p->n_sent, "/metrics") && !memchr(p->sent, '%', p->n_sent);
}

static void check_heard(const play *y, const peer *p)
{
    fuzz_check_answers(p->client.heard, p->client.n, has_word(p->sent, p->n_sent, "HEAD"));
    if ((y->is_closed || is_of_one(p)) && !has_word(p->sent, p->n_sent, FUZZ_MARK))
        KEN_ASSERT(!has_word(p->client.heard, p->client.n, FUZZ_MARK));
}

static void drop(const play *y, peer *p, bool is_reset)
{
    const struct linger now = { .l_onoff = 1 };
    check_heard(y, p);
    if (is_reset)
        (void)setsockopt(p->client.fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    fuzz_client_close(&p->client);
}

// ---- an input ----------------------------------------------------------------------------------

// The text after the last `mark` of what was heard, up to a control character or quote.
static void learn(const fuzz_client *c, const char *mark, char *out, size_t max)
{
    const char *last = NULL;
    for (const char *at = c->heard; (at = strcasestr(at, mark)); at++)
        last = at;
    if (!last)
        return;
    last += strlen(mark);
    size_t n = strcspn(last, "\"\r\n");
    snprintf(out, max, "%.*s", (int)(n < max - 1 ? n : max - 1), last);
}

static void listen_to(play *y)
{
    const fuzz_client *c = &y->p->client;
    (void)fuzz_client_hear(&y->p->client, FUZZ_PAUSE_MS);
    learn(c, "\r\nMcp-Session-Id: ", y->session, sizeof y->session);
    learn(c, "\nid: ", y->event, sizeof y->event);
    learn(c, "{\"id\":\"", y->job, sizeof y->job);
}

// What an operation sends; "" for those that send nothing.
static const char *text_of(const play *y, uint8_t op)
{
    if (op >= 0x80)
        return parts[(op - 0x80u) % (sizeof parts / sizeof *parts)];
    switch (op) {
    case 'S':
        return y->session;
    case 'I':
        return y->event;
    case 'J':
        return y->job;
    case 'T':
        return y->s->token.ptr;
    case 'P':
        return y->s->projects->one;
    default:
        return "";
    }
}

// Bytes of the body that begins at `at`.
static size_t body_bytes(const play *y, const uint8_t *data, size_t size, size_t at)
{
    fuzz_piece piece;
    size_t n = 0;
    while (fuzz_next(data, size, &at, &piece)) {
        n += piece.n;
        if (piece.has_op && piece.op == 'Z')
            break;
        if (piece.has_op)
            n += strlen(text_of(y, piece.op));
    }
    return n;
}

static void act(play *y, uint8_t op, size_t n_body)
{
    peer *p = y->p;
    const char *text = text_of(y, op);
    char end[64];
    if (op >= '0' && op < '0' + FUZZ_CLIENTS) {
        y->p = &y->peers[op - '0'];
    } else if (op == 'L') {
        int n = snprintf(end, sizeof end, "Content-Length: %zu\r\n\r\n", n_body);
        say(y, p, end, (size_t)n);
    } else if (*text) {
        say(y, p, text, strlen(text));
    } else if (p->client.fd >= 0) {
        if (op == 'W')
            listen_to(y);
        else if (op == 'E')
            (void)shutdown(p->client.fd, SHUT_WR);
        else if (op == 'X' || op == 'R')
            drop(y, p, op == 'R');
    }
}

static void play_input(play *y, const uint8_t *data, size_t size)
{
    fuzz_piece piece;
    for (size_t at = 0; fuzz_next(data, size, &at, &piece);) {
        if (piece.n)
            say(y, y->p, piece.bytes, piece.n);
        if (piece.has_op)
            act(y, piece.op, piece.op == 'L' ? body_bytes(y, data, size, at) : 0);
    }
    for (size_t i = 0; i < FUZZ_CLIENTS; i++) {
        if (y->peers[i].client.fd < 0)
            continue;
        fuzz_client_finish(&y->peers[i].client);
        drop(y, &y->peers[i], false);
    }
}

static void check_healthy(play *y)
{
    static const char get[] =
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    peer *p = y->peers;
    say(y, p, get, sizeof get - 1);
    fuzz_client_hear_all(&p->client);
    KEN_ASSERT(!strncmp(p->client.heard, "HTTP/1.1 200", 12) &&
               strstr(p->client.heard, "\r\n\r\nok\n"));
    drop(y, p, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static server s;
    static play y;
    if (size > FUZZ_INPUT_BYTES_MAX)
        return 0;
    if (!s.open) {
        server_make(&s);
        for (size_t i = 0; i < FUZZ_CLIENTS; i++)
            y.peers[i].client.fd = -1;
    }
    y.s = &s;
    y.is_closed = size && data[0] == 'B';
    y.p = y.peers;
    memset(y.session, '0', UUID);
    memset(y.job, '0', UUID);
    snprintf(y.event, sizeof y.event, "1_0");
    server_start(&s, y.is_closed);
    if (size)
        play_input(&y, data + 1, size - 1);
    check_healthy(&y);
    ken_web_stop(s.web, STOP_MS);
    return 0;
}
