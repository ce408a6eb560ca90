// SPDX-License-Identifier: MIT
// The transport over real descriptors: lines of every size, end of input in every state.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mcp_lab.h"

enum {
    FLOOD = 50000 // messages
};

typedef struct wire {
    int to, from;      // our ends
    int in_fd, out_fd; // its ends
    ken_toolset *tools;
    pthread_t thread;
    uint32_t end_ms;
    bool is_idle;
    int rc;
} wire;

static void *wire_main(void *arg)
{
    wire *w = arg;
    ken_mcp_opts opts = { .version = "0", .tools = w->tools, .end_ms = w->end_ms };
    w->rc = ken_mcp__serve(NULL, &opts, w->in_fd, w->out_fd, &w->is_idle);
    return NULL;
}

static void wire_open(wire *w, bool is_socket)
{
    int in[2], out[2];
    *w = (wire){ .tools = lab_tools(), .end_ms = 1000 };
    signal(SIGPIPE, SIG_IGN);
    kt_eq_i(is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, in) : pipe(in), 0);
    kt_eq_i(is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, out) : pipe(out), 0);
    w->in_fd = in[0];
    w->to = in[1];
    w->from = out[0];
    w->out_fd = out[1];
    kt_eq_i(pthread_create(&w->thread, NULL, wire_main, w), 0);
}

static void wire_put(wire *w, const char *p, size_t n)
{
    while (n) {
        ssize_t rc = write(w->to, p, n);
        if (rc <= 0)
            kt_fail("write: errno %d", errno);
        p += rc;
        n -= (size_t)rc;
    }
}

static void wire_puts(wire *w, const char *text)
{
    wire_put(w, text, strlen(text));
}

// One line, without its end; NULL at the end of input.
static const char *wire_line(wire *w)
{
    static char line[1 << 16];
    size_t n = 0;
    while (n < sizeof line - 1) {
        struct pollfd p = { .fd = w->from, .events = POLLIN };
        if (poll(&p, 1, 20000) <= 0)
            kt_fail("no line within 20 s");
        ssize_t rc = read(w->from, line + n, 1);
        if (rc <= 0)
            return NULL;
        if (line[n] == '\n')
            break;
        n++;
    }
    line[n] = '\0';
    return line;
}

// Closes our end and waits; the milliseconds it took.
static double wire_end(wire *w)
{
    int64_t start = ken_clock_mono_ns();
    if (w->to >= 0)
        close(w->to);
    pthread_join(w->thread, NULL);
    double ms = (double)(ken_clock_mono_ns() - start) / 1e6;
    close(w->out_fd);
    close(w->in_fd);
    return ms;
}

static void wire_close(wire *w)
{
    if (w->from >= 0)
        close(w->from);
    kt_true(w->is_idle); // so that everything was freed
    ken_toolset_free(w->tools);
}

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
#define PONG "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"

static void answers_lines(bool is_socket)
{
    wire w;
    wire_open(&w, is_socket);
    wire_puts(&w, PING "\n");
    kt_eq_str(wire_line(&w), PONG);
    wire_puts(&w, "\n \r\n" PING "\r\n" PING "\n");
    kt_eq_str(wire_line(&w), PONG);
    kt_eq_str(wire_line(&w), PONG);
    for (const char *p = PING "\n"; *p; p++) // byte by byte
        wire_put(&w, p, 1);
    kt_eq_str(wire_line(&w), PONG);
    kt_true(wire_end(&w) < 1000);
    kt_null(wire_line(&w));
    kt_eq_i(w.rc, 0);
    wire_close(&w);
}

KEN_TEST(answers_lines_on_pipes)
{
    answers_lines(false);
}

KEN_TEST(answers_lines_on_sockets)
{
    answers_lines(true);
}

KEN_TEST(a_last_line_without_end_counts)
{
    wire w;
    wire_open(&w, false);
    wire_puts(&w, PING);
    wire_end(&w);
    kt_eq_str(wire_line(&w), PONG);
    wire_close(&w);
}

KEN_TEST(calls_that_are_nearly_done_are_answered_at_the_end)
{
    wire w;
    wire_open(&w, false);
    wire_puts(&w, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\","
                  "\"params\":{\"name\":\"echo\"}}\n");
    wire_end(&w);
    kt_has_str(wire_line(&w), "\"id\":7,\"result\"");
    wire_close(&w);
}

KEN_TEST(a_line_of_a_megabyte)
{
    enum {
        SIZE = 1 << 20
    };
    wire w;
    wire_open(&w, false);
    char *pad = ken_alloc(SIZE);
    memset(pad, ' ', SIZE);
    wire_put(&w, pad, SIZE);
    wire_puts(&w, PING "\n");
    kt_eq_str(wire_line(&w), PONG);
    ken_free(pad);
    wire_end(&w);
    wire_close(&w);
}

KEN_TEST(a_line_of_twenty_megabytes_is_refused_once)
{
    enum {
        MIB = 1 << 20
    };
    wire w;
    wire_open(&w, false);
    char *pad = ken_alloc(MIB);
    memset(pad, 'x', MIB);
    for (int i = 0; i < 20; i++)
        wire_put(&w, pad, MIB);
    wire_puts(&w, "\n" PING "\n");
    kt_has_str(wire_line(&w), "\"code\":-32600");
    kt_eq_str(wire_line(&w), PONG);
    ken_free(pad);
    wire_end(&w);
    wire_close(&w);
}

KEN_TEST(binary_input_does_no_harm)
{
    wire w;
    wire_open(&w, false);
    uint64_t x = 88172645463325252u;
    unsigned char noise[65536];
    for (size_t i = 0; i < sizeof noise; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        noise[i] = (unsigned char)x == '\n' ? 0 : (unsigned char)x;
    }
    wire_put(&w, (const char *)noise, sizeof noise);
    wire_puts(&w, "\n" PING "\n");
    kt_has_str(wire_line(&w), "\"code\":-32700");
    kt_eq_str(wire_line(&w), PONG);
    wire_end(&w);
    wire_close(&w);
}

#define SLOW_CALL(id) \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"slow\"}}\n"

static void is_answered(wire *w, size_t n, const char *what)
{
    bool seen[16] = { false };
    for (size_t i = 0; i < n; i++) {
        const char *line = wire_line(w);
        kt_not_null(line);
        json_t *v = NULL;
        kt_ok(ken_json_parse(ken_str_c(line), &v, NULL));
        json_int_t id = json_integer_value(json_object_get(v, "id"));
        kt_true(id > 0 && id < 16 && !seen[id]);
        kt_has_str(line, what);
        seen[id] = true;
        json_decref(v);
    }
}

#define QUICK_CALL(id)                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":" \
    "\"slow\",\"arguments\":{\"ms\":100}}}\n"

KEN_TEST(what_was_received_is_answered_at_the_end)
{
    wire w;
    wire_open(&w, false);
    w.end_ms = 10000;
    wire_puts(&w, QUICK_CALL("1") QUICK_CALL("2") QUICK_CALL("3") QUICK_CALL("4") QUICK_CALL("5")
                      QUICK_CALL("6") QUICK_CALL("7"));
    wire_end(&w);
    is_answered(&w, 7, "\"isError\":false");
    kt_null(wire_line(&w));
    kt_eq_i(w.rc, 0);
    wire_close(&w);
}

KEN_TEST(what_does_not_end_in_time_is_cancelled_and_answered)
{
    wire w;
    wire_open(&w, false);
    wire_puts(&w,
              SLOW_CALL("1") SLOW_CALL("2") SLOW_CALL("3") SLOW_CALL("4") SLOW_CALL("5") PING "\n");
    kt_eq_str(wire_line(&w), PONG);
    double ms = wire_end(&w);
    kt_true(ms > 500 && ms < 3000);
    is_answered(&w, 5, "r"); // four results that are errors, and one error
    kt_null(wire_line(&w));
    kt_eq_i(w.rc, 0);
    wire_close(&w);
}

// A client that asks and asks, never reads, and then goes away.
static void survives_a_client_that_does_not_read(bool is_socket)
{
    wire w;
    wire_open(&w, is_socket);
    const char *list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
    for (int i = 0; i < 2000; i++)
        wire_puts(&w, list);
    kt_true(wire_end(&w) < 4000);
    kt_eq_i(w.rc, 1); // it never took its answers
    wire_close(&w);
}

KEN_TEST(a_full_pipe_holds_up_nothing)
{
    survives_a_client_that_does_not_read(false);
}

KEN_TEST(a_full_socket_holds_up_nothing)
{
    survives_a_client_that_does_not_read(true);
}

KEN_TEST(a_slow_reader_gets_everything)
{
    wire w;
    wire_open(&w, false);
    for (int i = 0; i < 300; i++)
        wire_puts(&w, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
    lab_sleep_ms(30);
    for (int i = 0; i < 300; i++)
        kt_has_str(wire_line(&w), "\"tools\":[");
    wire_end(&w);
    wire_close(&w);
}

static void *ask_on(void *arg)
{
    wire *w = arg;
    for (int i = 0; i < FLOOD; i++)
        wire_puts(w, i % 2 ? "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n"
                           : "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no\"}\n");
    return NULL;
}

// More than is ever queued: the client is slowed down, and no line is cut.
KEN_TEST(a_client_that_does_not_read_is_waited_for)
{
    wire w;
    pthread_t asker;
    wire_open(&w, false);
    kt_eq_i(pthread_create(&asker, NULL, ask_on, &w), 0);
    lab_sleep_ms(300);
    static char part[1 << 16];
    size_t n_lines = 0, n_bytes = 0, n_whole = 0;
    char last = '\n';
    while (n_lines < FLOOD) {
        struct pollfd p = { .fd = w.from, .events = POLLIN };
        if (poll(&p, 1, 20000) <= 0)
            kt_fail("nothing within 20 s after %zu lines", n_lines);
        ssize_t rc = read(w.from, part, sizeof part);
        kt_true(rc > 0);
        for (ssize_t i = 0; i < rc; i++) {
            n_whole += last == '\n' && part[i] == '{';
            n_lines += part[i] == '\n';
            last = part[i];
        }
        n_bytes += (size_t)rc;
    }
    pthread_join(asker, NULL);
    kt_eq_u(n_whole, FLOOD);
    kt_true(n_bytes > (size_t)40 << 20);
    wire_end(&w);
    kt_null(wire_line(&w));
    kt_eq_i(w.rc, 0);
    wire_close(&w);
}

// Not the client's doing, so it is said.
KEN_TEST(an_output_that_takes_nothing_is_an_error)
{
    wire w;
    int full = open("/dev/full", O_WRONLY);
    if (full < 0)
        kt_skip("/dev/full", "it is not there");
    wire_open(&w, false);
    dup2(full, w.out_fd);
    close(full);
    wire_puts(&w, PING "\n");
    wire_end(&w);
    kt_eq_i(w.rc, 1);
    wire_close(&w);
}

KEN_TEST(a_closed_output_ends_it)
{
    wire w;
    wire_open(&w, false);
    wire_puts(&w, SLOW_CALL("1"));
    close(w.from);
    w.from = -1;
    int64_t start = ken_clock_mono_ns();
    pthread_join(w.thread, NULL);
    kt_true(ken_clock_mono_ns() - start < 2000 * 1000000ll);
    close(w.to);
    close(w.in_fd);
    close(w.out_fd);
    wire_close(&w);
}

// ---- whole processes ----------------------------------------------------------------------------

static ken_status noisy(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    (void)env;
    (void)args;
    (void)err;
    printf("noise on stdout\n");
    fflush(stdout);
    ssize_t rc = write(STDOUT_FILENO, "more noise\n", 11);
    char c;
    rc += read(STDIN_FILENO, &c, 1); // must be the end at once, not a message
    *out = json_pack("{s:i}", "rc", (int)rc);
    return KEN_OK;
}

static ken_status stuck(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    (void)env;
    (void)args;
    (void)out;
    (void)err;
    for (;;)
        lab_sleep_ms(1000);
    return KEN_OK;
}

static pid_t start_process(int *to, int *from)
{
    int in[2], out[2];
    kt_eq_i(pipe(in), 0);
    kt_eq_i(pipe(out), 0);
    pid_t pid = fork();
    kt_true(pid >= 0);
    if (!pid) {
        const ken_tool_def defs[] = { { LAB_SPEC("noisy"), noisy, NULL },
                                      { LAB_SPEC("stuck"), stuck, NULL },
                                      { LAB_SPEC("slow"), lab_slow, NULL } };
        ken_toolset *tools = NULL;
        ken_toolset_opts t = { .defs = defs, .n_defs = 3 };
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        close(in[0]);
        close(out[1]);
        dup2(open("/dev/null", O_WRONLY), 2);
        if (ken_toolset_new(&t, &tools, NULL))
            _exit(9);
        int rc = ken_mcp_stdio_run(NULL, &(ken_mcp_opts){ .tools = tools, .end_ms = 1000 });
        _exit(rc);
    }
    close(in[0]);
    close(out[1]);
    *to = in[1];
    *from = out[0];
    return pid;
}

KEN_TEST(nothing_else_reaches_stdout)
{
    wire w = { .is_idle = true };
    pid_t pid = start_process(&w.to, &w.from);
    wire_puts(&w, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\","
                  "\"params\":{\"name\":\"noisy\"}}\n" PING "\n");
    const char *a = ken_strdup(wire_line(&w)), *b = wire_line(&w);
    kt_true(!strcmp(a, PONG) || !strcmp(b, PONG));
    const char *result = strcmp(a, PONG) ? a : b;
    kt_has_str(result, "\"structuredContent\":{\"rc\":11}");
    close(w.to);
    kt_null(wire_line(&w));
    int status;
    kt_eq_i(waitpid(pid, &status, 0), pid);
    kt_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(w.from);
    ken_free((void *)(uintptr_t)a);
}

KEN_TEST(a_call_that_never_stops_does_not_keep_the_process)
{
    wire w = { .is_idle = true };
    pid_t pid = start_process(&w.to, &w.from);
    wire_puts(&w, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\","
                  "\"params\":{\"name\":\"stuck\"}}\n" PING "\n");
    kt_eq_str(wire_line(&w), PONG);
    int64_t start = ken_clock_mono_ns();
    close(w.to);
    const char *line = wire_line(&w);
    kt_not_null(line);
    kt_has_str(line, "\"id\":7,\"error\"");
    kt_has_str(line, "may be done or not");
    kt_null(wire_line(&w));
    int status;
    kt_eq_i(waitpid(pid, &status, 0), pid);
    kt_true(ken_clock_mono_ns() - start < 4000 * 1000000ll); // sanitizers are slow to end
    kt_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(w.from);
}

// What was received before a signal is answered after it.
static void answers_after(int sig)
{
    wire w = { .is_idle = true };
    pid_t pid = start_process(&w.to, &w.from);
    wire_puts(&w, PING "\n");
    kt_eq_str(wire_line(&w), PONG);
    wire_puts(&w, QUICK_CALL("1") QUICK_CALL("2") QUICK_CALL("3") QUICK_CALL("4") QUICK_CALL("5"));
    kill(pid, sig);
    is_answered(&w, 5, "\"isError\":false");
    kt_null(wire_line(&w));
    int status;
    kt_eq_i(waitpid(pid, &status, 0), pid);
    kt_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(w.to);
    close(w.from);
}

KEN_TEST(signals_lose_no_answers)
{
    answers_after(SIGTERM);
    answers_after(SIGINT);
    answers_after(SIGHUP);
}

// The server's parent ends while another process still holds the pipe open.
KEN_TEST(it_ends_with_its_parent)
{
    int to, from, report[2];
    kt_eq_i(pipe(report), 0);
    pid_t middle = fork();
    if (!middle) {
        pid_t pid = start_process(&to, &from);
        wire w = { .to = to, .from = from };
        wire_puts(&w, PING "\n");
        wire_line(&w);
        // The pipe to the server stays open in a sibling that outlives us.
        if (!fork()) {
            close(report[1]);
            close(from);
            lab_sleep_ms(3000);
            _exit(0);
        }
        ssize_t rc = write(report[1], &pid, sizeof pid);
        _exit(rc != sizeof pid);
    }
    close(report[1]);
    pid_t pid = 0;
    kt_eq_i(read(report[0], &pid, sizeof pid), (ssize_t)sizeof pid);
    close(report[0]);
    kt_eq_i(waitpid(middle, NULL, 0), middle);
    int tries = 0;
    while (!kill(pid, 0) && tries++ < 200) { // ESRCH once init has reaped it
        char path[64], state[64] = "";
        snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        FILE *f = fopen(path, "r");
        bool is_zombie = f && fscanf(f, "%*d %*s %63s", state) == 1 && state[0] == 'Z';
        if (f)
            fclose(f);
        if (is_zombie)
            break;
        lab_sleep_ms(10);
    }
    kt_true(tries < 200);
}
