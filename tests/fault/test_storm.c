// SPDX-License-Identifier: MIT
// Eight `ken mcp` servers answer every question that reads, over their pipes, while three indexers
// follow a tree that never rests, by force now and then, and any of them is killed at any instant.
//
// What is true at every moment: each file is replaced as a whole, and in each of its versions it
// says the same but for its generation and where its lines are. So the number of usages, callers,
// steps, files and symbols is known whatever an answer was made from, and text that is quoted of
// one file is of one generation. Every second time the tree changes while nobody indexes, so that
// all generations of the index are whole; then a name that only the newest has is either not known
// yet or said by every user: an answer that was made from two generations has another number. What
// was acknowledged (checkpoints, tasks) is found by every later question.
//
// 20 seconds; two minutes with KEN_TEST_SLOW set, or KEN_TEST_STORM_SECONDS of them.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "json/json.h"
#include "ktest.h"

enum {
    N_SERVERS = 8,
    N_INDEXERS = 3,
    N_LIBS = 4,
    N_USERS = 12,
    N_FILES = N_LIBS + N_USERS + 1, // and the header
    N_SYMBOLS = 2 * N_LIBS + N_USERS,
    N_WAYS = 6, // steps of the way that is asked for
    PENDING = 2,
    LINE_MAX_BYTES = 4 << 20,
    HANG_MS = 240 * 1000,
    WRITE_EVERY_MS = 3,
    KILL_EVERY_MS = 700,
    PATH_BYTES = 600,
    N_MADE = 4096,                            // acknowledged writes that are remembered
    MOST_MADE = N_MADE - N_SERVERS * PENDING, // so many may be on their way beyond
};

typedef enum ask_kind {
    ASK_USAGES,
    ASK_ONLY,
    ASK_DEFINITION,
    ASK_TEXT,
    ASK_HYBRID,
    ASK_SYMBOL,
    ASK_WAY,
    ASK_TRACE,
    ASK_IMPACT,
    ASK_FILE_IMPACT,
    ASK_EXPLAIN,
    ASK_OUTLINE,
    ASK_NODE,
    ASK_CONTEXT,
    ASK_ARCHITECTURE,
    ASK_STATUS,
    ASK_PROJECTS,
    ASK_ALIAS,
    ASK_RULES,
    ASK_RULES_IMPACT,
    ASK_RULES_STATUS,
    ASK_RULES_HEALTH,
    ASK_RESOURCE,
    ASK_SAVE,
    ASK_SAVED,
    ASK_FIND_SAVED,
    ASK_TASK,
    ASK_GET_TASK,
    ASK_TASKS,
    ASK_KINDS,
} ask_kind;

typedef struct question {
    uint64_t id; // 0 = free
    ask_kind kind;
    int subject;     // of which library, user or write
    uint64_t gen;    // that the tree was at, when it was asked
    uint64_t change; // number of the last change of the tree then
    int64_t at_ms;
} question;

typedef struct server {
    pid_t pid;
    int to, from;
    ken_buf line;
    question pending[PENDING];
    bool is_ready;
    char log[PATH_BYTES];
} server;

typedef struct indexer {
    pid_t pid; // 0 = none
    int64_t at_ms, kill_ms;
    uint64_t change; // number of the last change of the tree when it began
    bool is_killed;
    char log[PATH_BYTES];
} indexer;

typedef struct made {
    char ids[N_MADE][40];
    int n;
} made;

static server servers[N_SERVERS];
static indexer indexers[N_INDEXERS];
static made saved, tasks;
static uint64_t seed, gen = 1, n_changes, next_id = 1;
static uint64_t n_answers[ASK_KINDS], n_misses, n_kills, n_runs, n_run_kills, n_forced;
static bool is_whole;   // the index has nothing but whole generations of the tree, from here on
static bool is_holding; // nothing that indexes is begun: the tree is about to change
static int next_write;  // file that the new generation is written to next; N_FILES = all are there
static char root[400];  // shorter than the paths below it

static uint32_t pick(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 11) % n;
}

static int64_t now_ms(void)
{
    return ken_clock_mono_ns() / 1000000;
}

static int64_t n_seconds(void)
{
    const char *own = getenv("KEN_TEST_STORM_SECONDS");
    uint64_t n = 0;
    if (own && ken_str_parse_u64(ken_str_c(own), &n))
        return (int64_t)n;
    return getenv("KEN_TEST_SLOW") ? 120 : 20;
}

// ---- the tree ----------------------------------------------------------------------------------

static void put_lib(ken_buf *b, int lib, uint64_t g)
{
    unsigned long long n = g;
    for (uint64_t i = 0; i < (g + (uint64_t)lib) % 7; i++)
        ken_buf_puts(b, "\n");
    ken_buf_printf(b,
                   "/* gen %llu */\n#include \"lib.h\"\n\n// The value that every user of the "
                   "library asks for.\nint always_%d(int n)\n{\n    n += 1; /* gen %llu */\n    "
                   "return n; /* gen %llu */\n}\n\nint only_%llu_%d(int n)\n{\n    return n;\n}\n",
                   n, lib, n, n, n, lib);
}

static void put_user(ken_buf *b, int user, uint64_t g)
{
    unsigned long long n = g;
    for (uint64_t i = 0; i < (g + (uint64_t)user) % 5; i++)
        ken_buf_puts(b, "\n");
    ken_buf_printf(b, "/* gen %llu */\n#include \"lib.h\"\n\nint step_%d(int n)\n{\n", n, user);
    for (int i = 0; i < N_LIBS; i++)
        ken_buf_printf(b, "    n += always_%d(n); /* gen %llu */\n    n += only_%llu_%d(n);\n", i,
                       n, n, i);
    if (user + 1 < N_USERS)
        ken_buf_printf(b, "    n += step_%d(n);\n", user + 1);
    ken_buf_puts(b, "    return n;\n}\n");
}

static void put_header(ken_buf *b, uint64_t g)
{
    ken_buf_printf(b, "/* gen %llu */\n", (unsigned long long)g);
    for (int i = 0; i < N_LIBS; i++)
        ken_buf_printf(b, "int always_%d(int n);\nint only_%llu_%d(int n);\n", i,
                       (unsigned long long)g, i);
    for (int i = 0; i < N_USERS; i++)
        ken_buf_printf(b, "int step_%d(int n);\n", i);
}

// Each file as a whole: what reads it has one of its versions.
static void write_file(int file, uint64_t g)
{
    char path[PATH_BYTES], part[PATH_BYTES];
    ken_buf b = KEN_BUF_INIT(64 * 1024);
    if (file < N_LIBS) {
        snprintf(path, sizeof path, "%s/lib%d.c", root, file);
        put_lib(&b, file, g);
    } else if (file < N_LIBS + N_USERS) {
        snprintf(path, sizeof path, "%s/use%d.c", root, file - N_LIBS);
        put_user(&b, file - N_LIBS, g);
    } else {
        snprintf(path, sizeof path, "%s/lib.h", root);
        put_header(&b, g);
    }
    snprintf(part, sizeof part, "%s/part", ktest_dir()); // beside the tree
    FILE *f = fopen(part, "wb");
    kt_not_null(f);
    kt_eq_u(fwrite(b.ptr, 1, b.len, f), b.len);
    kt_eq_i(fclose(f), 0);
    kt_eq_i(rename(part, path), 0);
    ken_buf_release(&b);
    n_changes++;
}

// ---- processes ---------------------------------------------------------------------------------

static pid_t start(const char *const *argv, int in, int out, const char *log)
{
    pid_t pid = fork();
    kt_true(pid >= 0);
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int err = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (chdir(root) || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(125);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(126);
}

static void name_log(char log[PATH_BYTES], const char *what, int i)
{
    snprintf(log, PATH_BYTES, "%s/%s%d.log", ktest_dir(), what, i);
    (void)remove(log);
}

static void print_log(const char *log)
{
    ken_buf text = KEN_BUF_INIT(1 << 20);
    if (!ken_fs_read_own(log, 1 << 20, &text, NULL))
        fprintf(stderr, "%s: %.6000s\n", log, text.ptr);
    ken_buf_release(&text);
}

static bool log_has(const char *log, const char *what)
{
    ken_buf text = KEN_BUF_INIT(1 << 20);
    bool has = !ken_fs_read_own(log, 1 << 20, &text, NULL) && strstr(text.ptr, what);
    ken_buf_release(&text);
    return has;
}

static void send(server *s, const char *text)
{
    size_t n = strlen(text);
    while (n) {
        ssize_t k = write(s->to, text, n);
        if (k < 0 && errno != EINTR)
            return; // it died; its end of output tells
        text += k < 0 ? 0 : k;
        n -= k < 0 ? 0 : (size_t)k;
    }
}

static void start_server(server *s, int i)
{
    int in[2], out[2];
    const char *const argv[] = { KEN_BINARY, "mcp", "--format", "json", NULL };
    kt_eq_i(pipe2(in, O_CLOEXEC), 0);
    kt_eq_i(pipe2(out, O_CLOEXEC), 0);
    memset(s->pending, 0, sizeof s->pending);
    ken_buf_clear(&s->line);
    s->is_ready = false;
    name_log(s->log, "server", i);
    s->pid = start(argv, in[0], out[1], s->log);
    close(in[0]);
    close(out[1]);
    s->to = in[1];
    s->from = out[0];
    send(s,
         "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
         "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"storm\",\"version\":"
         "\"0\"}}}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
}

static int end_of(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        kt_eq_i(errno, EINTR);
    return status;
}

static void stop_server(server *s)
{
    close(s->to);
    close(s->from);
    s->pid = 0;
}

static void kill_server(int i)
{
    server *s = &servers[i];
    kill(s->pid, SIGKILL);
    (void)end_of(s->pid);
    stop_server(s);
    start_server(s, i);
    n_kills++;
}

// ---- asking ------------------------------------------------------------------------------------

static bool is_at_rest(void)
{
    return next_write == N_FILES;
}

static void put_call(const question *q, ken_buf *b)
{
    static const struct {
        const char *tool, *args;
    } calls[ASK_KINDS] = {
        [ASK_USAGES] = { "find_usages", "\"symbol_name\":\"always_%d\",\"limit\":200" },
        [ASK_ONLY] = { "find_usages", "\"symbol_name\":\"only_%llu_%d\",\"limit\":200" },
        [ASK_DEFINITION] = { "get_definition", "\"symbol_name\":\"always_%d\"" },
        [ASK_TEXT] = { "search_code", "\"query\":\"n += always_%d(n);\",\"search_type\":\"text\","
                                      "\"limit\":50,\"context_lines\":0" },
        [ASK_HYBRID] = { "search_code", "\"query\":\"value that every user asks for always_%d\"" },
        [ASK_SYMBOL] = { "search_code", "\"query\":\"always_%d\",\"search_type\":\"symbol\"" },
        [ASK_WAY] = { "trace_execution", "\"entry_point\":\"step_%d\",\"to\":\"step_6\"" },
        [ASK_TRACE] = { "trace_execution",
                        "\"entry_point\":\"always_%d\",\"direction\":\"callers\",\"max_depth\":1" },
        [ASK_IMPACT] = { "query_impact", "\"symbol\":\"always_%d\"" },
        [ASK_FILE_IMPACT] = { "query_impact", "\"file_path\":\"lib%d.c\"" },
        [ASK_EXPLAIN] = { "explain_code",
                          "\"file_path\":\"use%d.c\",\"line_start\":8,\"line_end\":12" },
        [ASK_OUTLINE] = { "outline", "\"file_path\":\"lib%d.c\"" },
        [ASK_NODE] = { "nodeSource", "\"id\":\"lib%d.c#always_%d\"" },
        [ASK_CONTEXT] = { "build_context", "\"query\":\"what does step_%d do\"" },
        [ASK_ARCHITECTURE] = { "get_architecture", "" },
        [ASK_STATUS] = { "get_repo_status", "" },
        [ASK_PROJECTS] = { "list_projects", "" },
        [ASK_ALIAS] = { "search", "\"query\":\"always_%d\"" },
        [ASK_RULES] = { "rag_check_constraints",
                        "\"project\":\"tree\",\"change_description\":\"change always_%d\"" },
        [ASK_RULES_IMPACT] = { "rag_query_impact",
                               "\"project\":\"tree\",\"file_path\":\"lib%d.c\"" },
        [ASK_RULES_STATUS] = { "rag_status", "\"project\":\"tree\"" },
        [ASK_RULES_HEALTH] = { "rag_health_check", "\"project\":\"tree\"" },
        [ASK_SAVE] = { "checkpoint_save", "\"summary\":\"work %llu\",\"tags\":[\"storm\"]" },
        [ASK_SAVED] = { "checkpoint_get", "\"checkpoint_id\":\"%s\"" },
        [ASK_FIND_SAVED] = { "checkpoint_search", "\"query\":\"work\",\"tags\":[\"storm\"]" },
        [ASK_TASK] = { "create_task", "\"title\":\"task %llu\"" },
        [ASK_GET_TASK] = { "get_task", "\"task_id\":\"%s\"" },
        [ASK_TASKS] = { "list_tasks", "\"limit\":20" },
    };
    unsigned long long id = q->id;
    if (q->kind == ASK_RESOURCE) {
        ken_buf_printf(b,
                       "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"resources/read\","
                       "\"params\":{\"uri\":\"ken://tree/outline/lib%d.c\"}}\n",
                       id, q->subject);
        return;
    }
    const char *args = calls[q->kind].args;
    char text[400];
    if (q->kind == ASK_ONLY)
        snprintf(text, sizeof text, "\"symbol_name\":\"only_%llu_%d\",\"limit\":200",
                 (unsigned long long)q->gen, q->subject);
    else if (q->kind == ASK_SAVE || q->kind == ASK_TASK)
        snprintf(text, sizeof text,
                 q->kind == ASK_SAVE ? "\"summary\":\"work %llu\",\"tags\":[\"storm\"]"
                                     : "\"title\":\"task %llu\"",
                 id);
    else if (q->kind == ASK_SAVED || q->kind == ASK_GET_TASK)
        snprintf(text, sizeof text, "\"%s\":\"%s\"",
                 q->kind == ASK_SAVED ? "checkpoint_id" : "task_id",
                 q->kind == ASK_SAVED ? saved.ids[q->subject] : tasks.ids[q->subject]);
    else {
        // Every %d of the others is the subject.
        size_t n = 0;
        for (const char *p = args; *p && n + 12 < sizeof text; p++) {
            bool is_subject = p[0] == '%' && p[1] == 'd';
            if (is_subject)
                n += (size_t)snprintf(text + n, sizeof text - n, "%d", q->subject);
            else
                text[n++] = *p;
            p += is_subject;
        }
        text[n] = '\0';
    }
    bool has_format = q->kind < ASK_ALIAS;
    ken_buf_printf(b,
                   "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"tools/call\",\"params\":{"
                   "\"name\":\"%s\",\"arguments\":{%s%s%s}}}\n",
                   id, calls[q->kind].tool, text, *text && has_format ? "," : "",
                   has_format ? "\"format\":\"json\"" : "");
}

static void ask(server *s, question *q)
{
    ken_buf b = KEN_BUF_INIT(64 * 1024);
    *q = (question){ .id = next_id++,
                     .kind = (ask_kind)pick(ASK_KINDS),
                     .gen = gen,
                     .change = n_changes,
                     .at_ms = now_ms() };
    bool may_ask_only = is_at_rest() && is_whole && !is_holding;
    if (may_ask_only && pick(4) == 0)
        q->kind = ASK_ONLY;
    if (!may_ask_only && q->kind == ASK_ONLY)
        q->kind = ASK_USAGES;
    if (q->kind == ASK_SAVED && !saved.n)
        q->kind = ASK_SAVE;
    if (q->kind == ASK_GET_TASK && !tasks.n)
        q->kind = ASK_TASK;
    if ((q->kind == ASK_SAVE && saved.n >= MOST_MADE) ||
        (q->kind == ASK_TASK && tasks.n >= MOST_MADE))
        q->kind = ASK_USAGES;
    q->subject = q->kind == ASK_SAVED      ? (int)pick((uint32_t)saved.n)
                 : q->kind == ASK_GET_TASK ? (int)pick((uint32_t)tasks.n)
                 : q->kind == ASK_WAY      ? 0
                 : q->kind == ASK_EXPLAIN  ? (int)pick(N_USERS)
                                           : (int)pick(N_LIBS);
    put_call(q, &b);
    send(s, b.ptr);
    ken_buf_release(&b);
}

// ---- judging -----------------------------------------------------------------------------------

typedef struct answer {
    const question *q;
    const json_t *value; // what the tool gave
    const char *line;
} answer;

KEN_NORETURN static void wrong(const answer *a, const char *what, long long is, long long want)
{
    ken_buf b = KEN_BUF_INIT(64 * 1024);
    put_call(a->q, &b);
    for (int i = 0; i < N_SERVERS; i++)
        kill(servers[i].pid, SIGKILL);
    kt_fail("%s is %lld, not %lld (tree at %llu, asked at %llu, %s)\n%s%.3000s", what, is, want,
            (unsigned long long)gen, (unsigned long long)a->q->gen,
            is_at_rest() ? "at rest" : "changing", b.ptr, a->line);
}

static void is_number(const answer *a, const char *what, long long is, long long want)
{
    if (is != want)
        wrong(a, what, is, want);
}

static long long number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_integer(v) ? json_integer_value(v) : -1;
}

static size_t length(const json_t *o, const char *key)
{
    return json_array_size(json_object_get(o, key));
}

// Whether the tree rested from question to answer.
static bool was_at_rest(const question *q)
{
    return is_at_rest() && q->gen == gen && q->change == n_changes;
}

// All generations that a quoted text names are one, which is the tree's when that rested.
static void is_of_one(const answer *a, ken_str text)
{
    long long first = -1;
    for (size_t at = 0; (at = ken_str_find(text, KEN_STR("/* gen "))) != SIZE_MAX;) {
        text = ken_str_sub(text, at + 7, text.len);
        long long n = strtoll(text.ptr, NULL, 10);
        if (first >= 0)
            is_number(a, "generation of the text", n, first);
        first = n;
    }
    if (first >= 0 && was_at_rest(a->q))
        is_number(a, "generation of the text", first, (long long)gen);
}

static void judge_usages(const answer *a)
{
    const json_t *files = json_object_get(a->value, "files");
    char want[40];
    if (a->q->kind == ASK_ONLY)
        snprintf(want, sizeof want, "only_%llu_%d(", (unsigned long long)a->q->gen, a->q->subject);
    else
        snprintf(want, sizeof want, "always_%d(", a->q->subject);
    is_number(a, "total", number(a->value, "total"), N_USERS);
    is_number(a, "files", (long long)json_array_size(files), N_USERS);
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *calls = json_object_get(json_array_get(files, i), "calls");
        is_number(a, "calls", (long long)json_array_size(calls), 1);
        ken_str text = ken_json_text(json_object_get(json_array_get(calls, 0), "text"));
        if (ken_str_find(text, ken_str_c(want)) == SIZE_MAX)
            wrong(a, "place of the text", 0, 1);
        is_of_one(a, text);
    }
}

static void judge_results(const answer *a, const char *list, size_t want)
{
    const json_t *items = json_object_get(a->value, list);
    if (want)
        is_number(a, list, (long long)json_array_size(items), (long long)want);
    for (size_t i = 0; i < json_array_size(items); i++)
        is_of_one(a, ken_json_text(json_object_get(json_array_get(items, i), "content")));
}

static void remember(made *m, const answer *a)
{
    ken_str id = ken_json_text(json_object_get(a->value, "id"));
    if (id.len != 36)
        wrong(a, "length of the id", (long long)id.len, 36);
    snprintf(m->ids[m->n++], sizeof m->ids[0], KEN_STR_FMT, KEN_STR_ARG(id));
}

static void judge(const answer *a)
{
    const json_t *by_distance = json_object_get(a->value, "by_distance");
    switch ((int)a->q->kind) {
    case ASK_USAGES:
    case ASK_ONLY:
        judge_usages(a);
        break;
    case ASK_DEFINITION:
        judge_results(a, "definitions", 1);
        break;
    case ASK_TEXT:
        judge_results(a, "results", N_USERS);
        break;
    case ASK_HYBRID:
    case ASK_SYMBOL:
        judge_results(a, "results", 0);
        if (!length(a->value, "results"))
            wrong(a, "results", 0, 1);
        break;
    case ASK_WAY:
        is_number(a, "steps", (long long)length(a->value, "steps"), N_WAYS + 1);
        break;
    case ASK_TRACE:
        is_number(a, "steps", (long long)length(a->value, "steps"), N_USERS + 1);
        break;
    case ASK_IMPACT:
        is_number(a, "changed", number(a->value, "changed_total"), 1);
        is_number(a, "callers", json_integer_value(json_array_get(by_distance, 0)), N_USERS);
        break;
    case ASK_OUTLINE:
        is_number(a, "symbols", number(a->value, "total"), 2);
        break;
    case ASK_STATUS:
        is_number(a, "files", number(a->value, "files"), N_FILES);
        is_number(a, "symbols", number(a->value, "symbols"), N_SYMBOLS);
        break;
    case ASK_SAVE:
        remember(&saved, a);
        break;
    case ASK_TASK:
        remember(&tasks, a);
        break;
    default:
        break;
    }
}

static void take_answer(server *s, const char *line)
{
    json_t *msg = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_json_parse(ken_str_c(line), &msg, &err), &err);
    uint64_t id = (uint64_t)json_integer_value(json_object_get(msg, "id"));
    const json_t *result = json_object_get(msg, "result");
    question *q = NULL;
    for (int i = 0; id && i < PENDING; i++)
        if (s->pending[i].id == id)
            q = &s->pending[i];
    s->is_ready = s->is_ready || !id;
    if (q) {
        answer a = { q, json_object_get(result, "structuredContent"), line };
        bool is_error = !result || json_is_true(json_object_get(result, "isError"));
        // Only a name that came with the newest change may be unknown: somebody else indexes.
        if (is_error && q->kind == ASK_ONLY)
            n_misses++;
        else if (is_error)
            wrong(&a, "error", 1, 0);
        else if (q->kind != ASK_ONLY || was_at_rest(q))
            judge(&a);
        n_answers[q->kind]++;
        q->id = 0;
    }
    json_decref(msg);
}

static void read_server(server *s)
{
    if (!ken_buf_reserve(&s->line, 64 * 1024))
        kt_fail("a line of over %d bytes", LINE_MAX_BYTES);
    ssize_t n = read(s->from, s->line.ptr + s->line.len, 64 * 1024);
    if (n <= 0) {
        int status = end_of(s->pid);
        print_log(s->log);
        kt_fail("a server died: %s %d", WIFSIGNALED(status) ? "signal" : "exit code",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    s->line.len += (size_t)n;
    for (;;) {
        char *end = memchr(s->line.ptr, '\n', s->line.len);
        if (!end)
            return;
        *end = '\0';
        take_answer(s, s->line.ptr);
        size_t used = (size_t)(end - s->line.ptr) + 1;
        memmove(s->line.ptr, end + 1, s->line.len - used);
        s->line.len -= used;
    }
}

// ---- indexers ----------------------------------------------------------------------------------

static void start_indexer(indexer *x, int i)
{
    bool is_forced = pick(5) == 0;
    const char *const argv[] = { KEN_BINARY, "index", root, is_forced ? "--force" : NULL, NULL };
    name_log(x->log, "indexer", i);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    x->pid = start(argv, null, null, x->log);
    close(null);
    x->at_ms = now_ms();
    x->change = n_changes;
    x->is_killed = false;
    x->kill_ms = pick(3) == 0 ? x->at_ms + pick(400) : INT64_MAX;
    n_runs++;
    n_forced += is_forced;
}

static void end_indexer(indexer *x, int status)
{
    bool is_busy = log_has(x->log, "is writing this index");
    x->pid = 0;
    if (WIFEXITED(status) && !WEXITSTATUS(status) && x->change == n_changes && is_at_rest())
        is_whole = true;
    if (x->is_killed || (WIFEXITED(status) && (!WEXITSTATUS(status) || is_busy)))
        return;
    print_log(x->log);
    kt_fail("an indexer ended with %s %d", WIFSIGNALED(status) ? "signal" : "exit code",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void tend_indexer(indexer *x, int i, bool may_start)
{
    int status = 0;
    if (!x->pid && may_start && pick(8) == 0)
        start_indexer(x, i);
    if (x->pid && !x->is_killed && now_ms() >= x->kill_ms) {
        kill(x->pid, SIGKILL);
        x->is_killed = true;
        n_run_kills++;
    }
    if (x->pid && waitpid(x->pid, &status, WNOHANG) == x->pid)
        end_indexer(x, status);
    if (x->pid && now_ms() - x->at_ms > HANG_MS)
        kt_fail("an indexer hangs");
}

// ---- the storm ---------------------------------------------------------------------------------

static void serve_round(bool may_ask)
{
    struct pollfd fds[N_SERVERS];
    for (int i = 0; i < N_SERVERS; i++) {
        server *s = &servers[i];
        for (int k = 0; k < PENDING; k++) {
            if (s->pending[k].id && now_ms() - s->pending[k].at_ms > HANG_MS)
                kt_fail("no answer to a question of kind %d", (int)s->pending[k].kind);
            if (may_ask && s->is_ready && !s->pending[k].id)
                ask(s, &s->pending[k]);
        }
        fds[i] = (struct pollfd){ .fd = s->from, .events = POLLIN };
    }
    if (poll(fds, N_SERVERS, 5) <= 0)
        return;
    for (int i = 0; i < N_SERVERS; i++)
        if (fds[i].revents)
            read_server(&servers[i]);
}

static bool is_waiting(void)
{
    for (int i = 0; i < N_SERVERS; i++)
        for (int k = 0; k < PENDING; k++)
            if (servers[i].pending[k].id || !servers[i].is_ready)
                return true;
    for (int i = 0; i < N_INDEXERS; i++)
        if (indexers[i].pid)
            return true;
    return false;
}

// Whatever indexes, or may.
static bool is_indexing(void)
{
    bool is = false;
    for (int i = 0; i < N_SERVERS; i++)
        for (int k = 0; k < PENDING; k++)
            is = is || (servers[i].pending[k].id && servers[i].pending[k].kind == ASK_ONLY);
    for (int i = 0; i < N_INDEXERS; i++)
        is = is || indexers[i].pid;
    return is;
}

static void begin_change(void)
{
    is_whole = is_whole && !is_indexing();
    is_holding = false;
    gen++;
    next_write = 0;
}

static void rage(int64_t until_ms)
{
    int64_t write_ms = 0, rest_ms = now_ms() + 1000, kill_ms = now_ms() + KILL_EVERY_MS;
    while (now_ms() < until_ms) {
        serve_round(true);
        for (int i = 0; i < N_INDEXERS; i++)
            tend_indexer(&indexers[i], i, !is_holding && (is_at_rest() || !is_whole));
        if (is_at_rest() && now_ms() >= rest_ms && !is_holding)
            is_holding = gen % 2;
        if (is_at_rest() && now_ms() >= rest_ms && (!is_holding || !is_indexing()))
            begin_change();
        if (!is_at_rest() && now_ms() >= write_ms) {
            write_file(next_write++, gen);
            write_ms = now_ms() + WRITE_EVERY_MS;
            rest_ms = now_ms() + 300 + pick(3000);
        }
        if (now_ms() >= kill_ms) {
            kill_server((int)pick(N_SERVERS));
            kill_ms = now_ms() + pick(2 * KILL_EVERY_MS);
        }
    }
}

// Nothing was killed any more: whatever was begun ends, and ends well.
static void calm_down(void)
{
    while (is_waiting()) {
        serve_round(false);
        for (int i = 0; i < N_INDEXERS; i++)
            tend_indexer(&indexers[i], i, false);
    }
}

// Every write that was acknowledged is there.
static void check_made(void)
{
    server *s = &servers[0];
    for (int i = 0; i < saved.n + tasks.n; i++) {
        ken_buf b = KEN_BUF_INIT(64 * 1024);
        bool is_task = i >= saved.n;
        s->pending[0] = (question){ .id = next_id++,
                                    .kind = is_task ? ASK_GET_TASK : ASK_SAVED,
                                    .subject = is_task ? i - saved.n : i,
                                    .at_ms = now_ms() };
        put_call(&s->pending[0], &b);
        send(s, b.ptr);
        ken_buf_release(&b);
        while (s->pending[0].id)
            serve_round(false);
    }
}

static void stop_all(void)
{
    for (int i = 0; i < N_SERVERS; i++) {
        server *s = &servers[i];
        close(s->to);
        int status = end_of(s->pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            print_log(s->log);
            kt_fail("a server ended with status %d", status);
        }
        close(s->from);
        ken_buf_release(&s->line);
    }
}

static void say(void)
{
    uint64_t n = 0;
    for (int i = 0; i < ASK_KINDS; i++) {
        n += n_answers[i];
        kt_true(n_answers[i] || n_seconds() < 20 || i == ASK_ONLY);
    }
    printf("%llu answers, %llu of names not known yet, %d checkpoints, %d tasks, %llu generations "
           "of the tree; %llu runs (%llu forced, %llu killed), %llu servers killed\n",
           (unsigned long long)n, (unsigned long long)n_misses, saved.n, tasks.n,
           (unsigned long long)gen, (unsigned long long)n_runs, (unsigned long long)n_forced,
           (unsigned long long)n_run_kills, (unsigned long long)n_kills);
}

KEN_TEST(x5_no_answer_is_wrong_and_nobody_dies_in_a_storm)
{
    seed = (uint64_t)ken_clock_wall_ms() * 0x9e3779b97f4a7c15u + 1;
    const char *own = getenv("KEN_TEST_SEED");
    if (own)
        seed = strtoull(own, NULL, 10);
    printf("seed %llu\n", (unsigned long long)seed);
    signal(SIGPIPE, SIG_IGN);
    setenv("XDG_DATA_HOME", ktest_path("data"), 1);
    setenv("XDG_CONFIG_HOME", ktest_path("config"), 1);
    setenv("HOME", ktest_dir(), 1);
    snprintf(root, sizeof root, "%s", ktest_path("tree"));
    kt_eq_i(mkdir(root, 0755), 0);
    for (int i = 0; i < N_FILES; i++)
        write_file(i, gen);
    next_write = N_FILES;
    for (int i = 0; i < N_SERVERS; i++)
        servers[i].line.max = LINE_MAX_BYTES;
    indexer first = { .kill_ms = INT64_MAX };
    start_indexer(&first, N_INDEXERS);
    first.kill_ms = INT64_MAX;
    end_indexer(&first, end_of(first.pid));
    for (int i = 0; i < N_SERVERS; i++)
        start_server(&servers[i], i);
    rage(now_ms() + n_seconds() * 1000);
    calm_down();
    check_made();
    stop_all();
    say();
}
