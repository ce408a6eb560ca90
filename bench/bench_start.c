// SPDX-License-Identifier: MIT
// What starting the program costs: `ken version`, `ken search` in an indexed project, and `ken mcp`
// from its start to the first answer and to the first search. /bin/true, started the same way, is
// the floor. All take turns, so that they see the same noise.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "bench.h"

static const char help[] = "bench_start [--runs N] [--ken FILE] [--instructions] [--json] [PATH]\n"
                           "  start of the program; PATH is the project that is searched";

enum {
    DEFAULT_RUNS = 40,
    ANSWER_TIMEOUT_MS = 10000
};

static const char initialize[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
static const char search[] =
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"search_code\","
    "\"arguments\":{\"query\":\"read configuration file\"}}}\n";

extern char **environ;

typedef struct child {
    pid_t pid;
    int in, out;
} child;

// `has_pipes` false: no input, output thrown away.
static child start(const char *const *argv, bool has_pipes)
{
    int in[2] = { -1, -1 }, out[2] = { -1, -1 };
    if (has_pipes && (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)))
        bench_die("making pipes: %s", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (has_pipes) {
        posix_spawn_file_actions_adddup2(&actions, in[0], 0);
        posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    } else {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    }
    child c = { .in = in[1], .out = out[0] };
    char *args[16];
    size_t n = 0;
    for (; argv[n] && n < 15; n++)
        args[n] = (char *)(uintptr_t)argv[n];
    args[n] = NULL;
    int rc = posix_spawn(&c.pid, argv[0], &actions, NULL, args, environ);
    if (rc)
        bench_die("starting '%s': %s", argv[0], strerror(rc));
    posix_spawn_file_actions_destroy(&actions);
    if (has_pipes) {
        close(in[0]);
        close(out[1]);
    }
    return c;
}

static void finish(child c)
{
    int status;
    if (c.in >= 0)
        close(c.in);
    if (waitpid(c.pid, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
        bench_die("a program that was started failed");
    if (c.out >= 0)
        close(c.out);
}

static void say(child c, const char *text)
{
    size_t len = strlen(text);
    if (write(c.in, text, len) != (ssize_t)len)
        bench_die("writing to the server: %s", strerror(errno));
}

static void await_line(child c)
{
    char buf[64 << 10];
    for (;;) {
        struct pollfd p = { .fd = c.out, .events = POLLIN };
        ssize_t n = poll(&p, 1, ANSWER_TIMEOUT_MS) == 1 ? read(c.out, buf, sizeof buf) : 0;
        if (n <= 0)
            bench_die("the server did not answer");
        if (memchr(buf, '\n', (size_t)n))
            return;
    }
}

static double time_run(const char *const *argv)
{
    int64_t t0 = ken_clock_mono_ns();
    finish(start(argv, false));
    return bench_ms(ken_clock_mono_ns() - t0);
}

static void time_mcp(const char *const *argv, bench_samples *first, bench_samples *found)
{
    int64_t t0 = ken_clock_mono_ns();
    child c = start(argv, true);
    say(c, initialize);
    await_line(c);
    ken_vec_push(first, bench_ms(ken_clock_mono_ns() - t0));
    say(c, search);
    await_line(c);
    ken_vec_push(found, bench_ms(ken_clock_mono_ns() - t0));
    finish(c);
}

// ---- measuring ---------------------------------------------------------------------------------

typedef struct commands {
    const char *floor[2], *version[3], *search[8], *mcp[4];
} commands;

// Data and cache of ken go to a temporary folder, so that nothing of the user is touched.
static commands prepare(const bench_args *a, ken_arena *arena)
{
    const char *dir = bench_temp(a, arena), *ken = bench_ken(a, arena),
               *root = bench_path(a, arena);
    static const char *const names[] = { "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        setenv(names[i], dir, 1);
    setenv("KEN_DATA_DIR", ken_arena_printf(arena, "%s/data", dir).ptr, 1);
    const char *const index[] = { ken, "index", root, NULL };
    time_run(index);
    return (commands){ .floor = { "/bin/true", NULL },
                       .version = { ken, "version", NULL },
                       .search = { ken, "search", "read configuration file", root, NULL },
                       .mcp = { ken, "mcp", root, NULL } };
}

static json_t *measure(const bench_args *a, const commands *c, const char *root)
{
    bench_samples s[5] = { { 0 } };
    static const char *const names[] = { "floor", "version", "search", "mcp_first_answer",
                                         "mcp_first_search" };
    uint32_t n_runs = a->n_runs ? a->n_runs : DEFAULT_RUNS;
    for (uint32_t i = 0; i < n_runs; i++) {
        ken_vec_push(&s[0], time_run(c->floor));
        ken_vec_push(&s[1], time_run(c->version));
        ken_vec_push(&s[2], time_run(c->search));
        time_mcp(c->mcp, &s[3], &s[4]);
    }
    json_t *o = bench_report("start", root);
    for (size_t i = 0; i < 5; i++) {
        ken_json_set(o, names[i], bench_quantiles(&s[i]));
        ken_vec_release(&s[i]);
    }
    return o;
}

static json_t *count(const commands *c, const char *root)
{
    const char *const version[] = { c->version[0], "version", "--json", NULL };
    const char *const searching[] = { c->search[0], "search", c->search[2], root, "--json", NULL };
    json_t *o = bench_report("start", root);
    ken_json_set_u64(o, "version_instructions", bench_count_instructions(version, NULL));
    ken_json_set_u64(o, "search_instructions", bench_count_instructions(searching, NULL));
    return o;
}

static void show(const json_t *r)
{
    static const struct {
        const char *key, *text;
    } rows[] = { { "floor", "/bin/true" },
                 { "version", "ken version" },
                 { "search", "ken search" },
                 { "mcp_first_answer", "ken mcp, first answer" },
                 { "mcp_first_search", "ken mcp, first search" } };
    printf("start   from spawn on%20s %9s %9s %9s  (ms)\n", "", "p50", "p95", "max");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const json_t *o = json_object_get(r, rows[i].key);
        printf("  %-38s %9.2f %9.2f %9.2f\n", rows[i].text, bench_real(o, "p50_ms"),
               bench_real(o, "p95_ms"), bench_real(o, "max_ms"));
    }
}

BENCH_MAIN(start)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    signal(SIGPIPE, SIG_IGN);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    const char *root = bench_path(&a, &arena);
    commands c = prepare(&a, &arena);
    json_t *report = a.wants_instructions ? count(&c, root) : measure(&a, &c, root);
    if (a.is_json || a.wants_instructions) {
        bench_print(report);
    } else {
        show(report);
        json_decref(report);
    }
    ken_arena_release(&arena);
    return 0;
}
