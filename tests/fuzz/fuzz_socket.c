// SPDX-License-Identifier: MIT
// What comes in on the socket of `ken mcp` beside a server, over real connections: the first line, and lines
// of MCP after it. The input goes out as it is, but for 0xff and the byte after it (fuzz_client.h): '0' to
// '3' the connection that follows, 'W' wait for an answer, 'E' nothing more is sent, 'X' close, 'V' the
// members of the first line that show the same version and settings, 'H' a whole first line, 'B' one that
// is bound to project one. Who does not show the settings hears nothing; every answer is a line of JSON;
// who is bound hears nothing of the other project; the server serves a new client and forgets every one.
#include <stdio.h>
#include <sys/un.h>

#include "base/clock.h"
#include "fuzz_client.h"
#include "fuzz_projects.h"
#include "mcp/mcp_relay_priv.h"
#include "mcp/mcp_socket.h"

typedef struct peer {
    fuzz_client client;
    bool has_said, is_known, is_bound;
} peer;

typedef struct play {
    ken_app *app;
    struct sockaddr_un at;
    char same[80]; // version and settings
    peer peers[FUZZ_CLIENTS];
    peer *p;
} play;

// ---- connections -------------------------------------------------------------------------------

static int listen_at(const struct sockaddr_un *at)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)unlink(at->sun_path);
    KEN_ASSERT(fd >= 0 && !bind(fd, (const struct sockaddr *)at, sizeof *at) && !listen(fd, 16));
    return fd;
}

static void say(const play *y, peer *p, const void *bytes, size_t n)
{
    if (p->client.fd < 0) {
        *p = (peer){ .client = { .heard = p->client.heard } };
        fuzz_client_open(&p->client, (const struct sockaddr *)&y->at, sizeof y->at);
    }
    fuzz_client_say(&p->client, bytes, n);
    p->has_said = true;
}

static void say_hello(const play *y, peer *p, const char *project)
{
    char line[512];
    bool is_first = p->client.fd < 0 || !p->has_said;
    int n =
        snprintf(line, sizeof line, "{%s,\"project\":\"%s\",\"cwd\":\"/\"}\n", y->same, project);
    say(y, p, line, (size_t)n);
    p->is_known = true;
    p->is_bound = is_first && *project;
}

static bool has_mark(const char *text)
{
    for (const char *at = text; (at = strchr(at, FUZZ_MARK[0])); at++)
        if (!strncmp(at, FUZZ_MARK, sizeof FUZZ_MARK - 1))
            return true;
    return false;
}

static void check_heard(const peer *p)
{
    const char *at = p->client.heard;
    KEN_ASSERT(!p->client.n || p->is_known);
    for (const char *end; (end = strchr(at, '\n')); at = end + 1) {
        json_t *v = json_loadb(at, (size_t)(end - at), JSON_ALLOW_NUL, NULL);
        KEN_ASSERT(json_is_object(v));
        if (at == p->client.heard)
            KEN_ASSERT(json_is_true(json_object_get(v, "ok")) && json_object_size(v) == 1);
        else
            KEN_ASSERT(!strcmp(json_string_value(json_object_get(v, "jsonrpc")), "2.0"));
        json_decref(v);
    }
    KEN_ASSERT(!p->is_bound || !has_mark(p->client.heard));
}

static void drop(peer *p)
{
    check_heard(p);
    fuzz_client_close(&p->client);
}

// ---- an input ----------------------------------------------------------------------------------

static void act(play *y, uint8_t what)
{
    peer *p = y->p;
    if (what >= '0' && what < '0' + FUZZ_CLIENTS)
        y->p = &y->peers[what - '0'];
    else if (what == 'H' || what == 'B')
        say_hello(y, p, what == 'B' ? "one" : "");
    else if (what == 'V') {
        say(y, p, y->same, strlen(y->same));
        p->is_known = true;
    } else if (p->client.fd < 0)
        return;
    else if (what == 'W')
        (void)fuzz_client_hear(&p->client, FUZZ_PAUSE_MS);
    else if (what == 'E')
        (void)shutdown(p->client.fd, SHUT_WR);
    else if (what == 'X')
        drop(p);
}

static void play_input(play *y, const uint8_t *data, size_t size)
{
    fuzz_piece piece;
    y->p = y->peers;
    for (size_t at = 0; fuzz_next(data, size, &at, &piece);) {
        if (piece.n)
            say(y, y->p, piece.bytes, piece.n);
        if (piece.has_op)
            act(y, piece.op);
    }
    for (size_t i = 0; i < FUZZ_CLIENTS; i++) {
        peer *p = &y->peers[i];
        if (p->client.fd >= 0) {
            fuzz_client_finish(&p->client);
            drop(p);
        }
    }
}

static void check_serves(play *y, ken_mcp_socket *server)
{
    static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n";
    peer *p = y->peers;
    int64_t end = ken_clock_mono_ns() + (int64_t)FUZZ_PATIENCE_MS * 1000000;
    say_hello(y, p, "");
    while (!strchr(p->client.heard, '\n'))
        KEN_ASSERT(fuzz_client_hear(&p->client, FUZZ_PATIENCE_MS) && ken_clock_mono_ns() < end);
    say(y, p, ping, sizeof ping - 1);
    fuzz_client_finish(&p->client);
    KEN_ASSERT(strstr(p->client.heard, "\"result\":{}"));
    drop(p);
    while (ken_mcp_socket_count(server)) {
        KEN_ASSERT(ken_clock_mono_ns() < end);
        (void)poll(NULL, 0, 1);
    }
}

static void open_play(play *y, const fuzz_projects *f)
{
    y->app = fuzz_projects_open(f, NULL, 0);
    for (size_t i = 0; i < FUZZ_CLIENTS; i++)
        y->peers[i].client.fd = -1;
    y->at.sun_family = AF_UNIX;
    snprintf(y->at.sun_path, sizeof y->at.sun_path, "%s/s", f->folder);
    snprintf(y->same, sizeof y->same, "\"version\":\"1\",\"settings\":\"%016llx\"",
             (unsigned long long)ken_mcp__settings_hash(ken_app_config(y->app)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_projects *projects;
    static play y;
    ken_mcp_socket *server;
    if (size > FUZZ_INPUT_BYTES_MAX)
        return 0;
    if (!projects) {
        projects = fuzz_projects_make();
        open_play(&y, projects);
    }
    fuzz_projects_check(projects, y.app);
    KEN_ASSERT(!ken_mcp_socket_start(y.app, "1", listen_at(&y.at), NULL, &server, NULL));
    play_input(&y, data, size);
    check_serves(&y, server);
    ken_mcp_socket_stop(server);
    return 0;
}
