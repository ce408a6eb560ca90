// SPDX-License-Identifier: MIT
// The real binary: every command, help, exit codes, and what can go wrong around it.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/fs.h"
#include "git_lab.h"
#include "ktest.h"
#include "proc/proc.h"

enum {
    ARGS_MAX = 24
};

typedef struct run {
    int code;
    char out[64 * 1024], err[16 * 1024];
} run;

static const char *const *sandbox_env(void)
{
    static char home[600], config[600], data[600], cache[600];
    static const char *env[] = {
        home,       config,           data,           cache,       "TERM=dumb",
        "NO_COLOR", "CLICOLOR_FORCE", "KEN_DATA_DIR", "LOG_LEVEL", NULL
    };
    snprintf(home, sizeof home, "HOME=%s/home", ktest_dir());
    snprintf(config, sizeof config, "XDG_CONFIG_HOME=%s/config", ktest_dir());
    snprintf(data, sizeof data, "XDG_DATA_HOME=%s/data", ktest_dir());
    snprintf(cache, sizeof cache, "XDG_CACHE_HOME=%s/cache", ktest_dir());
    return env;
}

// Puts our own environment into the sandbox, for children that are forked by hand.
static void enter_sandbox(void)
{
    for (const char *const *e = sandbox_env(); *e; e++) {
        if (strchr(*e, '='))
            putenv((char *)(uintptr_t)*e);
        else
            unsetenv(*e);
    }
}

static void copy_text(char *to, size_t max, const ken_buf *from)
{
    size_t n = from->len < max - 1 ? from->len : max - 1;
    if (n)
        memcpy(to, from->ptr, n);
    to[n] = '\0';
}

static run *run_of(const char *cwd, const char *const *argv)
{
    static run r;
    ken_err err = { 0 };
    ken_proc_result result;
    ken_proc_opts opts = { .argv = argv, .cwd = cwd, .env = ktest_env(sandbox_env()) };
    kt_ok_err(ken_proc_run(&opts, &result, &err), &err);
    r.code = result.exit_code;
    copy_text(r.out, sizeof r.out, &result.out);
    copy_text(r.err, sizeof r.err, &result.errors);
    ken_proc_result_release(&result);
    return &r;
}

// Runs `ken` with the words of `line`; single quotes keep words together.
static run *ken_in(const char *cwd, const char *line)
{
    static char words[4096];
    const char *argv[ARGS_MAX] = { KEN_BINARY };
    size_t n = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *p = words; *p && n < ARGS_MAX - 1;) {
        char end = *p == '\'' ? '\'' : ' ';
        p += end == '\'';
        argv[n++] = p;
        p += strcspn(p, end == '\'' ? "'" : " ");
        while (*p == end || *p == ' ')
            *p++ = '\0';
    }
    return run_of(cwd, argv);
}

static run *ken(const char *line)
{
    return ken_in(ktest_dir(), line);
}

// Runs and expects success; returns what it printed.
static const char *ken_ok(const char *line)
{
    run *r = ken(line);
    if (r->code)
        kt_fail("ken %s: exit code %d\n%s%s", line, r->code, r->out, r->err);
    return r->out;
}

static void ken_fails(const char *line, int code, const char *part)
{
    run *r = ken(line);
    if (r->code != code)
        kt_fail("ken %s: exit code %d, not %d\n%s%s", line, r->code, code, r->out, r->err);
    kt_has_str(r->err, part);
    kt_eq_str(r->out, "");
}

static json_t *ken_json(const char *line)
{
    json_error_t e;
    const char *out = ken_ok(line);
    json_t *json = json_loads(out, 0, &e);
    if (!json)
        kt_fail("ken %s: not JSON: %s\n%s", line, e.text, out);
    return json;
}

static void has_keys(const char *line, const char *keys)
{
    json_t *json = ken_json(line);
    ken_str rest = ken_str_c(keys), key;
    while (ken_str_split_next(&rest, ' ', &key)) {
        char name[64];
        snprintf(name, sizeof name, KEN_STR_FMT, KEN_STR_ARG(key));
        if (!json_object_get(json, name))
            kt_fail("ken %s: no member '%s'", line, name);
    }
    json_decref(json);
}

static const char retry_c[] = "// Waits longer after each failed try.\n"
                              "int retry_with_backoff(int tries)\n"
                              "{\n"
                              "    int delay_ms = 100;\n"
                              "    for (int i = 0; i < tries; i++)\n"
                              "        delay_ms *= 2;\n"
                              "    return delay_ms;\n"
                              "}\n";

static void make_project(void)
{
    ktest_write("home/.keep", "");
    ktest_write("proj/src/retry.c", retry_c);
    ktest_write("proj/src/parse.py", "class Parser:\n    \"\"\"Reads settings.\"\"\"\n\n"
                                     "    def parse(self, text):\n        return text.split()\n");
    ktest_write("proj/docs/guide.md",
                "# Guide\n\nHow to configure retries.\n\n## Install\n\nRun it.\n");
    ktest_write("proj/.env", "PASSWORD=x\n");
    ktest_write("proj/logo.bin", "\x7f"
                                 "ELF");
}

// ---- secrets ----

KEN_TEST(secrets_are_listed_and_never_shown)
{
    char text[200];
    snprintf(text, sizeof text, "int a;\nconst char *t = \"line\\ngh%s\";\n",
             "p_9fQ2kX7bLm4ZtR8sWv3YcN6dHj1GpA5eUo0B");
    ktest_write("masked/a.c", text);
    ktest_write("masked/prod.tfvars", "x = 1\n");
    ktest_write("masked/b.c", "int b;\n");
    char line[700];
    snprintf(line, sizeof line, "secrets %s/masked", ktest_dir());
    const char *out = ken_ok(line);
    kt_has_str(out, "a.c:2  GitHub token");
    kt_has_str(out, "prod.tfvars");
    kt_null(strstr(out, "9fQ2"));
    snprintf(line, sizeof line, "secrets %s/masked --json", ktest_dir());
    out = ken_ok(line);
    kt_has_str(out, "\"kind\": \"github\"");
    kt_has_str(out, "\"files_skipped\": [");
    kt_null(strstr(out, "9fQ2"));
    snprintf(line, sizeof line, "search a --mode text %s/masked", ktest_dir());
    kt_null(strstr(ken_ok(line), "9fQ2"));
}

// ---- help and usage ----

KEN_TEST(help_of_every_command)
{
    static const char *const commands[] = {
        "index",   "search", "def",       "refs",    "trace",    "impact", "explain",
        "context", "arch",   "tests-for", "dead",    "hotspots", "routes", "outline",
        "chunks",  "status", "stats",     "secrets", "projects", "config", "doctor",
        "restore", "eval",   "mcp",       "version", "help"
    };
    char line[100], want[100];
    const char *all = ken_ok("--help");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        kt_has_str(all, commands[i]);
        snprintf(want, sizeof want, "usage: ken %s", commands[i]);
        snprintf(line, sizeof line, "%s --help", commands[i]);
        kt_has_str(ken_ok(line), want);
        snprintf(line, sizeof line, "help %s", commands[i]);
        kt_has_str(ken_ok(line), want);
        snprintf(line, sizeof line, "%s --no-such-option", commands[i]);
        ken_fails(line, 2, "unknown option '--no-such-option'");
        all = ken_ok("--help");
    }
    kt_eq_i(ken("")->code, 2);
    kt_has_str(ken_ok("--version"), "ken ");
    kt_has_str(ken_ok("--version"), "ken-code-");
    kt_has_str(ken_ok("-V"), "ken ");
}

KEN_TEST(usage_errors_name_what_was_meant)
{
    ken_fails("serach x", 2, "unknown command 'serach', did you mean 'ken search'?");
    ken_fails("search x --limt 3", 2, "did you mean '--limit'?");
    ken_fails("search", 2, "'ken search' needs more arguments");
    ken_fails("version now", 2, "'ken version' does not take 'now'");
    ken_fails("search x -k 51", 2, "--limit: 51 is over 50");
    ken_fails("search x --mode regexp", 2, "did you mean 'regex'?");
    ken_fails("search x --kind functoin", 2,
              "--kind: 'functoin' is no kind of symbol; try function");
    ken_fails("search x --threshold 2", 2, "--threshold: 2");
    ken_fails("search x --threshold 1e", 2, "'--threshold' must be a number, not '1e'");
    ken_fails("search x --threshold nan", 2, "'--threshold' must be a number, not 'nan'");
    ken_fails("search x -k 1e", 2, "'--limit' must be a whole number, not '1e'");
    ken_fails("index --max-file-size 11MiB", 2, "--max-file-size: 'indexing.max_file_size'");
    ken_fails("index --exclude [", 2, "--exclude[0]: glob '['");
    ken_fails("status --skipped=emty", 2, "did you mean 'empty'?");
    ken_fails("config shw", 2, "did you mean 'ken config show'?");
    ken_fails("completion powershell", 2, "it takes bash, zsh, fish");
    ken_fails("projects drop", 2, "unknown command 'projects drop'");
    run *r = ken("search x --json --limt 3");
    kt_eq_i(r->code, 2);
    kt_has_str(r->out, "\"code\": \"EINVAL\"");
}

// ---- the main road ----

KEN_TEST(index_then_ask)
{
    make_project();
    kt_has_str(ken_ok("index proj"), "3 files");
    kt_has_str(ken_ok("index proj"), "nothing has changed");
    kt_has_str(ken_ok("stats proj"), "; 3 segments, "); // words, vectors, names
    kt_has_str(ken_ok("index proj --force"), "no file has changed; 3 files parsed anew, ");
    const char *out = ken_ok("search 'retry with backoff' proj");
    kt_has_str(out, "src/retry.c:");
    kt_has_str(out, "retry_with_backoff");
    kt_has_str(out, "\n2 int retry_with_backoff(int tries)");
    kt_has_str(ken_ok("search Parser proj --mode symbol"), "src/parse.py:");
    kt_has_str(ken_ok("search 'delay_ms *= 2' proj --mode text"),
               "\n  6 in retry_with_backoff: delay_ms *= 2;");
    kt_has_str(ken_ok("search 'delay_\\w+ =' proj --mode regex"), "src/retry.c\n  4 in ");
    kt_has_str(ken_ok("def Parser.parse proj"), "src/parse.py:");
    kt_has_str(ken_ok("outline proj/src/parse.py"), "def parse(");
    kt_has_str(ken_ok("chunks proj/src/retry.c"), "retry_with_backoff");
    kt_has_str(ken_ok("chunks --text proj/src/retry.c"), "Waits longer");
    kt_has_str(ken_ok("status proj"), "; checked now\n");
    kt_has_str(ken_ok("status proj"), "\n--skipped lists the skipped files\n");
    kt_has_str(ken_ok("stats proj"), "python");
    kt_has_str(ken_ok("stats proj"), "; 6 segments, ");
    kt_has_str(ken_ok("search retry_with_backoff proj"), "next: ken def retry_with_backoff\n");
    kt_null(strstr(ken_ok("search 'retry with backoff' proj"), "next: "));
    ken_fails("explain retry_with_backoff -p proj", 2, "'ken def' says where it stands");
    kt_has_str(ken_ok("projects"), "proj");
    kt_has_str(ken_ok("config show"), "search.limit");
    kt_has_str(ken_ok("doctor"), "ok ");
    kt_has_str(ken_ok("status proj --skipped"), ".env");
    kt_has_str(ken_ok("status proj --skipped=secret"), ".env");
    kt_eq_str(ken_ok("status proj --skipped=too_large"), "nothing was skipped\n");
}

// Whoever set it expects something of it: a run, `config show` and `doctor` say that there is nothing.
KEN_TEST(a_setting_that_is_not_used_is_told)
{
    make_project();
    ktest_write("config/ken/config.yaml",
                "database:\n  replica_url: postgres://me:hunter2@db.example/x\n"
                "cache:\n  disk_path: /somewhere\nwebhooks:\n  port: 8080\n");
    run *r = ken("index proj");
    kt_eq_i(r->code, 0);
    kt_has_str(r->err, "without effect: 'cache.disk_path': ");
    kt_has_str(r->err, "without effect: 'webhooks.port': ");
    const char *out = ken_ok("config show");
    kt_has_str(out, "database.replica_url");
    kt_null(strstr(out, "hunter2"));
    kt_has_str(ken_ok("doctor"), "'webhooks.port'");
    json_t *json = ken_json("config show --json");
    kt_eq_u(json_array_size(json_object_get(json, "without_effect")), 2);
    json_decref(json);
    kt_eq_str(ken("search retry proj")->err, "");
}

// A database that is meant and cannot be reached is told; files do not take its place.
KEN_TEST(a_database_that_cannot_be_reached_is_told)
{
    make_project();
    setenv("DATABASE_URL", "postgresql+asyncpg://me:secret@127.0.0.1:1/team", 1);
    static const char *const commands[] = { "index proj", "search retry proj", "projects",
                                            "task list" };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        run *r = ken(commands[i]);
        kt_true(r->code != 0);
        kt_has_str(r->err, "postgres://me@127.0.0.1:1/team");
        kt_null(strstr(r->err, "secret"));
    }
    setenv("KEN_DATABASE_URL", "none", 1); // it is another program's
    kt_eq_i(ken("index proj")->code, 0);
    unsetenv("KEN_DATABASE_URL");
    unsetenv("DATABASE_URL");
}

KEN_TEST(a_model_is_added_with_what_is_known_of_it)
{
    make_project();
    ktest_write("m/model.onnx", "a model");
    ktest_write("m/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n");
    ken_ok("model add mine --source m/model.onnx --tokenizer m/vocab.txt --license Apache-2.0 "
           "--languages many --code-quality good --dims 384 --size 1000 --ram 2000000 --latency 7");
    json_t *v = ken_json("model list --json"), *mine = NULL, *m;
    size_t i;
    json_array_foreach(json_object_get(v, "models"), i, m)
    {
        const char *id = json_string_value(json_object_get(m, "id"));
        mine = strcmp(id, "mine") ? mine : m;
        if (!strcmp(id, "builtin"))
            kt_eq_str(json_string_value(json_object_get(m, "license")), "MIT");
    }
    kt_not_null(mine);
    kt_eq_str(json_string_value(json_object_get(mine, "license")), "Apache-2.0");
    kt_eq_str(json_string_value(json_object_get(mine, "code_quality")), "good");
    kt_eq_i(json_integer_value(json_object_get(mine, "dims")), 384);
    kt_eq_i(json_integer_value(json_object_get(mine, "ram_bytes")), 2000000);
    kt_eq_i(json_integer_value(json_object_get(mine, "latency_ms")), 7);
    json_decref(v);
    kt_has_str(ken_ok("model list"), "Apache-2.0");
    ken_fails("model add b --source m/model.onnx --tokenizer m/vocab.txt --dims 9000", 2,
              "dims: must be 1 to 4096");
    ken_fails("model add b --source m/model.onnx --tokenizer m/vocab.txt --code-quality best", 2,
              "it takes low, medium, good");
    ken_fails("model add mine --source m/model.onnx --tokenizer m/vocab.txt", 1, "id: there is a");
    ken_ok("index proj");
    ktest_write("config/ken/config.yaml", "embedding:\n  provider: onnx\n  model: mine\n");
    ken_fails("model remove mine", 1, "used by the project 'proj'");
    kt_eq_i(unlink(ktest_path("config/ken/config.yaml")), 0);
    has_keys("model remove mine --json", "id removed is_listed");
    kt_null(strstr(ken_ok("model list"), "mine"));
}

// Files alone do not make vectors.
KEN_TEST(a_model_without_a_runtime_is_not_called_ready)
{
    make_project();
    ktest_write("m/model.onnx", "a model");
    ktest_write("m/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n");
    char yaml[900];
    snprintf(yaml, sizeof yaml, "embedding:\n  onnx_runtime: %s\n", ktest_path("nowhere"));
    ktest_write("config/ken/config.yaml", yaml);
    ken_ok("model add mine --source m/model.onnx --tokenizer m/vocab.txt");
    ken_ok("model download mine");
    run *r = ken("model list");
    kt_has_str(r->out, "no runtime");
    kt_has_str(r->err, "no ONNX Runtime at ");
    kt_has_str(ken_ok("model list --json"), "\"status_reason\": \"no ONNX Runtime at ");
    kt_has_str(ken_ok("doctor"), "no ONNX Runtime at ");
    snprintf(yaml, sizeof yaml, "embedding:\n  provider: onnx\n  model: mine\n  onnx_runtime: %s\n",
             ktest_path("nowhere"));
    ktest_write("config/ken/config.yaml", yaml);
    r = ken("index proj");
    kt_eq_i(r->code, 0);
    const char *out = ken_ok("status proj");
    kt_has_str(out, "error");
    kt_has_str(out, "the last try: no ONNX Runtime at ");
}

// A record of the log as JSON, by its message; NULL when there is none.
static json_t *find_record(ken_str log, const char *message)
{
    ken_str line;
    while (ken_str_line_next(&log, &line)) {
        json_t *v = json_loadb(line.ptr, line.len, 0, NULL);
        const char *text = json_string_value(json_object_get(v, "message"));
        if (text && !strcmp(text, message))
            return v;
        json_decref(v);
    }
    return NULL;
}

KEN_TEST(runs_and_searches_are_in_the_log)
{
    make_project();
    ktest_write("config/ken/config.yaml",
                "log:\n  level: debug\n  format: json\n  file: logs/ken.log\n");
    run *r = ken("index proj");
    kt_eq_i(r->code, 0);
    kt_null(strstr(r->err, "timestamp"));
    ken_ok("search 'retry with backoff' proj");
    ken_str log = ktest_read(ktest_path("data/ken/logs/ken.log"));
    json_t *indexed = find_record(log, "indexing completed");
    json_t *searched = find_record(log, "search completed");
    json_t *result = find_record(log, "search result");
    kt_not_null(indexed);
    kt_not_null(searched);
    const json_t *c = json_object_get(indexed, "context");
    kt_eq_i(json_integer_value(json_object_get(c, "files")), 3);
    kt_eq_i(json_integer_value(json_object_get(c, "added")), 3);
    kt_true(json_is_real(json_object_get(c, "scan_time_ms")));
    kt_true(json_is_real(json_object_get(c, "parse_time_ms")));
    kt_true(json_is_real(json_object_get(c, "commit_time_ms")));
    c = json_object_get(searched, "context");
    kt_eq_str(json_string_value(json_object_get(c, "query")), "retry with backoff");
    kt_true(json_integer_value(json_object_get(c, "results_count")) > 0);
    double total = json_real_value(json_object_get(c, "total_time_ms"));
    double parts = json_real_value(json_object_get(c, "index_time_ms")) +
                   json_real_value(json_object_get(c, "embedding_time_ms")) +
                   json_real_value(json_object_get(c, "search_time_ms")) +
                   json_real_value(json_object_get(c, "context_time_ms"));
    kt_true(parts > 0 && parts <= total);
    c = json_object_get(result, "context");
    kt_eq_str(json_string_value(json_object_get(c, "file_path")), "src/retry.c");
    kt_eq_str(json_string_value(json_object_get(indexed, "level")), "info");
    json_decref(indexed);
    json_decref(searched);
    json_decref(result);
}

KEN_TEST(a_log_that_cannot_be_written_costs_no_answer)
{
    make_project();
    ktest_write("plain", "");
    char yaml[900];
    snprintf(yaml, sizeof yaml, "log:\n  file: %s/ken.log\n", ktest_path("plain"));
    ktest_write("config/ken/config.yaml", yaml);
    run *r = ken("index proj");
    kt_eq_i(r->code, 0);
    kt_has_str(r->err, "log.file: ");
    kt_has_str(r->err, "messages go to stderr");
}

KEN_TEST(json_of_every_command)
{
    make_project();
    has_keys("index proj --json", "project status files_indexed changes skipped errors generation");
    has_keys("search retry proj --json", "results total strategy project index");
    has_keys("search retry proj --json --explain --context 2 --type c --dir src", "results");
    has_keys("search --mode lexical retry proj --json", "results strategy");
    has_keys("search --mode symbol Parser proj --json", "results");
    has_keys("search --mode regex a.b proj --json", "results");
    has_keys("def Parser proj --json", "definitions total project");
    has_keys("outline proj/src/parse.py --json", "file_path language symbols project");
    has_keys("chunks proj/src/parse.py --json", "file_path chunks project");
    has_keys("status proj --json", "project status generation files languages skipped");
    has_keys("status proj --skipped --json", "project skipped");
    has_keys("stats proj --json", "project files languages index_bytes");
    has_keys("projects --json", "projects total");
    has_keys("config --json", "settings data_dir user_file");
    has_keys("doctor --json", "health checks");
    has_keys("version --json", "name version model");
    has_keys("projects remove proj --yes --json", "project removed");
    has_keys("status proj --json", "project status");
    run *r = ken("search x ./nowhere --json");
    kt_eq_i(r->code, 1);
    kt_has_str(r->out, "\"code\": \"ENOTFOUND\"");
    kt_eq_str(r->err, "");
}

KEN_TEST(search_filters_and_pages)
{
    make_project();
    ken_ok("index proj");
    json_t *json = ken_json("search retries proj --json --type md");
    const json_t *results = json_object_get(json, "results");
    kt_eq_u(json_array_size(results), 1);
    kt_eq_str(json_string_value(json_object_get(json_array_get(results, 0), "file_path")),
              "docs/guide.md");
    json_decref(json);
    // A folder below a project's root narrows the search to it.
    json = ken_json("search retry proj/src --json");
    results = json_object_get(json, "results");
    for (size_t i = 0; i < json_array_size(results); i++) {
        const char *path =
            json_string_value(json_object_get(json_array_get(results, i), "file_path"));
        kt_true(strncmp(path, "src/", 4) == 0);
    }
    json_decref(json);
    ken_fails("search retry proj/src --dir docs", 2, "not both");
    kt_has_str(ken_ok("search retry proj --explain"), "whole file");
    kt_has_str(ken_ok("search retry proj --threshold 0.25"), "src/retry.c:");
    kt_has_str(ken_ok("search zzzz proj --threshold 0.25"), "nothing found");
    run *r = ken("search zzzzzzqqqq proj --mode text");
    kt_eq_i(r->code, 0);
    kt_has_str(r->out, "nothing found");
}

KEN_TEST(the_project_around_the_working_directory)
{
    make_project();
    ktest_write("proj/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
    run *r = ken_in(ktest_path("proj/src"), "search retry");
    kt_eq_i(r->code, 0);
    kt_has_str(r->err, "indexed 3 files");
    kt_has_str(r->out, "\nretry.c:1-8 "); // a path that opens from there
    kt_has_str(r->out, "\n../docs/guide.md:");
    r = ken_in(ktest_path("proj/src"), "outline retry.c");
    kt_has_str(r->out, "retry_with_backoff");
    r = ken_in(ktest_path("proj/docs"), "outline src/retry.c");
    kt_has_str(r->out, "retry_with_backoff");
    r = ken_in(ktest_path("home"), "search retry -p proj");
    kt_has_str(r->out, "src/retry.c:");
    r = ken_in(ktest_path("home"), "search retry src -p proj");
    kt_has_str(r->out, "src/retry.c:");
    r = ken_in(ktest_path("home"), "search retry");
    kt_eq_i(r->code, 2);
    kt_has_str(r->err, "no project here");
    r = ken_in("/", "index");
    kt_eq_i(r->code, 2);
}

KEN_TEST(first_use_indexes_unless_told_not_to)
{
    make_project();
    ken_fails("search retry proj --no-index", 1, "is not indexed; run: ken index");
    kt_has_str(ken_ok("projects --json"), "\"total\": 0");
    ktest_write("config/ken/config.yaml", "search:\n  auto_index: false\n");
    ken_fails("search retry proj", 1, "is not indexed; run: ken index");
    ktest_write("config/ken/config.yaml", "");
    kt_has_str(ken_ok("search retry proj"), "src/retry.c:");
    kt_has_str(ken_ok("search retry proj --no-index"), "src/retry.c:");
}

KEN_TEST(a_forced_run_replaces_a_damaged_index)
{
    char path[2000];
    make_project();
    ken_ok("index proj");
    json_t *json = ken_json("projects --json");
    const char *id = json_string_value(
        json_object_get(json_array_get(json_object_get(json, "projects"), 0), "id"));
    snprintf(path, sizeof path, "data/ken/indexes/project-%s.db", id);
    json_decref(json);
    for (int i = 0; i < 2; i++) {
        static const char *const tails[] = { "", "-wal" };
        char one[2100];
        snprintf(one, sizeof one, "%s%s", path, tails[i]);
        if (i == 0)
            ktest_write(one,
                        "this is not a database, and it is long enough to be taken for one ...");
        else
            unlink(ktest_path(one));
    }
    ken_fails("search retry proj", 1, "to rebuild it: ken index --force");
    run *r = ken("doctor");
    kt_eq_i(r->code, 1);
    kt_has_str(r->out, "fail");
    kt_has_str(ken_ok("index proj --force"), "3 files");
    kt_has_str(ken_ok("search retry proj"), "src/retry.c:");
}

// Runs ken with `out_fd` as stdout; what it says on stderr goes to `err`. 99: it could not start.
static int ken_to(int out_fd, bool as_nobody, const char *const *argv, char *err, size_t max)
{
    int fds[2];
    kt_eq_i(pipe(fds), 0);
    pid_t pid = fork();
    if (!pid) {
        dup2(out_fd, 1);
        dup2(fds[1], 2);
        close(fds[0]);
        if (as_nobody && setuid(65534))
            _exit(99);
        execv(argv[0], (char *const *)(uintptr_t)argv);
        _exit(99);
    }
    close(fds[1]);
    size_t n = 0;
    for (ssize_t got; n < max - 1 && (got = read(fds[0], err + n, max - 1 - n)) > 0;)
        n += (size_t)got;
    err[n] = '\0';
    close(fds[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// ---- bad paths and settings ----

KEN_TEST(bad_paths)
{
    make_project();
    ken_fails("index nowhere", 1, "/nowhere'");
    ken_fails("search x ./nowhere", 1, "'./nowhere'");
    ken_fails("search 'x y' nowhere", 1, "'nowhere'");
    ken_fails("status nowhere", 1, "'nowhere'");
    ken_fails("index proj/src/retry.c", 2, "is not a folder, and no project holds it");
    ken_fails("search x proj/src/retry.c", 2, "is not a folder");
    ken_fails("search x -p nothing", 1, "no project 'nothing'");
    ken_ok("index proj");
    ken_fails("outline proj/src/gone.c -p proj", 1, "gone.c");
    ken_fails("search x ../../.. -p proj", 1, "is outside of");
    ken_fails("def no_such_symbol_anywhere proj", 1, "no definition of 'no_such_symbol_anywhere'");
    ken_fails("eval nowhere.json --root proj", 1, "nowhere.json");
    ken_fails("eval proj/src/retry.c --root proj", 2, "retry.c");
    ken_fails("eval proj/src/retry.c", 2, "--root DIR or --roots DIR");
    ken_fails("projects remove proj", 2, "--yes: removing the index of '");
    ken_ok("index proj/src/retry.c"); // the project that holds it
}

KEN_TEST(unreadable_folders)
{
    char err[4096];
    make_project();
    ktest_write("data/.keep", "");
    chmod(ktest_dir(), 0755);
    chmod(ktest_path("data"), 0777);
    chmod(ktest_path("proj"), 0);
    enter_sandbox();
    const char *argv[] = { KEN_BINARY, "index", ktest_path("proj"), NULL };
    int code = ken_to(1, geteuid() == 0, argv, err, sizeof err);
    chmod(ktest_path("proj"), 0755);
    if (code == 99)
        kt_skip("user", "another user cannot start this binary");
    kt_eq_i(code, 1);
    kt_has_str(err, "ermission denied");
}

// The answer of the whole or a failure, however few descriptors there are.
static void ask_with_few_files(const char *line)
{
    char whole[sizeof((run *)0)->out], script[600];
    bool has_reason = false;
    snprintf(whole, sizeof whole, "%s", ken_ok(line));
    for (int n = 4; n <= 24; n++) {
        snprintf(script, sizeof script, "ulimit -n %d; exec '%s' %s", n, KEN_BINARY, line);
        const char *const argv[] = { "/bin/sh", "-c", script, NULL };
        run *r = run_of(ktest_dir(), argv);
        // The whole, perhaps with what could not be looked at behind it.
        bool is_whole = !strncmp(r->out, whole, strlen(whole));
        const char *rest = r->out + (is_whole ? strlen(whole) : 0);
        if (r->code == 0)
            kt_true(is_whole && (!*rest || !strncmp(rest, "incomplete: ", 12)));
        else
            kt_eq_str(r->out, "");
        has_reason = has_reason || (r->code == 1 && strstr(r->err, "Too many open files"));
    }
    kt_true(has_reason);
}

KEN_TEST(x10_without_descriptors_there_is_no_answer)
{
    make_project();
    ken_ok("index proj");
    ask_with_few_files("search --mode symbol retry_with_backoff proj");
    ask_with_few_files("search --mode text retry_with_backoff proj");
    ask_with_few_files("search --mode regex retry_.ith_backoff proj");
    ask_with_few_files("def retry_with_backoff proj");
    ask_with_few_files("refs retry_with_backoff proj");
}

// Standard output of ken as a user who is not root, into `out`; 99 when that user cannot start it.
static int ken_as_nobody(const char *const *argv, char *out, char *err, size_t max)
{
    FILE *f = tmpfile();
    kt_not_null(f);
    int code = ken_to(fileno(f), geteuid() == 0, argv, err, max);
    rewind(f);
    out[fread(out, 1, max - 1, f)] = '\0';
    (void)fclose(f);
    return code;
}

KEN_TEST(x10_a_file_that_may_not_be_read_is_told)
{
    static const char told[] = "1 file cannot be read: permission denied, 'src/retry.c'";
    static char out[16384], err[4096];
    make_project();
    ktest_write("data/.keep", "");
    chmod(ktest_dir(), 0755);
    chmod(ktest_path("data"), 0777);
    enter_sandbox();
    const char *proj = ktest_path("proj");
    const char *const index[] = { KEN_BINARY, "index", proj, NULL };
    const char *const text[] = { KEN_BINARY, "search", "--mode", "text", "ret", proj, NULL };
    const char *const def[] = { KEN_BINARY, "def", "retry_with_backoff", proj, NULL };
    const char *const json[] = {
        KEN_BINARY, "search", "--json", "--mode", "text", "ret", proj, NULL
    };
    int code = ken_as_nobody(index, out, err, sizeof err);
    if (code == 99)
        kt_skip("user", "another user cannot start this binary");
    kt_eq_i(code, 0);
    kt_eq_i(chmod(ktest_path("proj/src/retry.c"), 0), 0);
    kt_eq_i(ken_as_nobody(text, out, err, sizeof err), 0);
    kt_has_str(out, told);
    kt_has_str(out, "guide.md");
    kt_eq_i(ken_as_nobody(json, out, err, sizeof err), 0);
    kt_has_str(out, told);
    kt_eq_i(ken_as_nobody(def, out, err, sizeof err), 1);
    kt_has_str(err, told);
}

KEN_TEST(broken_settings)
{
    make_project();
    ktest_write("config/ken/config.yaml", "indexing:\n  max_file_sze: 1\n");
    ken_fails("search x proj", 2,
              "config.yaml:2:3: unknown key 'indexing.max_file_sze', did you mean");
    kt_has_str(ken_ok("--help"), "usage");
    ktest_write("config/ken/config.yaml", "search:\n  limit: 3\n");
    kt_has_str(ken_ok("config"), "config.yaml:2");
    ktest_write("proj/.ken.yaml", "data:\n  dir: /tmp/elsewhere\n");
    ken_fails("index proj", 2, "'data.dir' may not be set by a project");
    ktest_write("proj/.ken.yaml", "indexing:\n  exclude: ['*.md']\n");
    kt_has_str(ken_ok("index proj"), "files");
    kt_has_str(ken_ok("status proj --skipped ignored"), "docs/guide.md");
    kt_has_str(ken_ok("config -p proj"), ".ken.yaml:2");
}

// ---- terminals and pipes ----

KEN_TEST(colours_obey)
{
    make_project();
    ken_ok("index proj");
    kt_null(strchr(ken_ok("search retry proj"), '\033'));
    char line[300];
    static const struct {
        const char *env, *args;
        bool has_color;
    } cases[] = {
        { "CLICOLOR_FORCE=1", "", true },
        { "CLICOLOR_FORCE=1 NO_COLOR=1", "", false },
        { "CLICOLOR_FORCE=1", "--no-color", false },
        { "", "", false },
    };
    enter_sandbox();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096] = "";
        snprintf(line, sizeof line, "cd '%s' && %s '%s' search retry proj %s", ktest_dir(),
                 cases[i].env, KEN_BINARY, cases[i].args);
        FILE *f = popen(line, "r");
        size_t n = fread(text, 1, sizeof text - 1, f);
        text[n] = '\0';
        kt_eq_i(pclose(f), 0);
        kt_has_str(text, "retry");
        kt_true((strchr(text, '\033') != NULL) == cases[i].has_color);
    }
}

// Runs ken with its stdout on a new terminal and returns what appeared there.
static int on_terminal(const char *term, const char *const *argv, char *text, size_t max)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    size_t n = 0;
    const char *slave = master >= 0 && !unlockpt(master) ? ptsname(master) : NULL;
    if (!slave || access(slave, R_OK | W_OK)) {
        print_message("skipped: this machine has no terminals (devpts is not mounted)\n");
        skip();
    }
    pid_t pid = fork();
    if (!pid) {
        int fd = open(ptsname(master), O_RDWR | O_NOCTTY);
        setenv("TERM", term, 1);
        dup2(fd, 1);
        execv(argv[0], (char *const *)(uintptr_t)argv);
        _exit(99);
    }
    for (;;) {
        ssize_t got = read(master, text + n, max - 1 - n);
        if (got <= 0 || n + (size_t)got >= max - 1)
            break;
        n += (size_t)got;
        if (waitpid(pid, NULL, WNOHANG | WNOWAIT) == pid)
            break;
    }
    text[n] = '\0';
    int status = 0;
    waitpid(pid, &status, 0);
    close(master);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

KEN_TEST(a_terminal_gets_colours_unless_it_is_dumb)
{
    char text[16 * 1024];
    make_project();
    ken_ok("index proj");
    enter_sandbox();
    const char *argv[] = { KEN_BINARY, "search", "retry", ktest_path("proj/"), NULL };
    kt_eq_i(on_terminal("xterm", argv, text, sizeof text), 0);
    kt_has_str(text, "src/retry.c\033[0m");
    kt_eq_i(on_terminal("dumb", argv, text, sizeof text), 0);
    kt_null(strchr(text, '\033'));
    // Of a line, what a pattern fits.
    const char *lines[] = { KEN_BINARY,          "search", "--mode", "regex", "re\\w+f\\(|^int",
                            ktest_path("proj/"), NULL };
    kt_eq_i(on_terminal("xterm", lines, text, sizeof text), 0);
    kt_has_str(text, ": \033[1;31mint\033[0m \033[1;31mretry_with_backoff(\033[0mint tries)");
}

KEN_TEST(pipes_that_close_early_are_quiet)
{
    char err[4096];
    int fds[2];
    make_project();
    ken_buf text = { 0 };
    for (int i = 0; i < 5000; i++)
        ken_buf_printf(&text, "int name_%d(void) { return %d; }\n", i, i);
    ktest_write("proj/src/long.c", text.ptr);
    ken_buf_release(&text);
    ken_ok("index proj");
    enter_sandbox();
    const char *argv[] = { KEN_BINARY, "search", "retry", ktest_path("proj/"), NULL };
    kt_eq_i(pipe(fds), 0);
    close(fds[0]);
    kt_eq_i(ken_to(fds[1], false, argv, err, sizeof err), 0);
    close(fds[1]);
    kt_eq_str(err, "");
    // The same when the pipe closes in the middle of a long answer.
    const char *long_argv[] = { KEN_BINARY, "chunks", "--text", ktest_path("proj/src/long.c"),
                                NULL };
    kt_eq_i(pipe(fds), 0);
    close(fds[0]);
    kt_eq_i(ken_to(fds[1], false, long_argv, err, sizeof err), 0);
    close(fds[1]);
    kt_eq_str(err, "");
    // A full disk is not quiet.
    int full = open("/dev/full", O_WRONLY);
    if (full < 0)
        return;
    kt_eq_i(ken_to(full, false, argv, err, sizeof err), 1);
    close(full);
    kt_has_str(err, "ken: writing the answer: No space left");
}

// ---- several at once, and stopping ----

static pid_t start(const char *const *argv)
{
    pid_t pid = fork();
    if (!pid) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        dup2(null, 2);
        execv(argv[0], (char *const *)(uintptr_t)argv);
        _exit(99);
    }
    return pid;
}

static int wait_for(pid_t pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void make_large(int n_files)
{
    char path[1024];
    const char *root = ktest_path("large");
    ktest_write("home/.keep", "");
    mkdir(root, 0755);
    for (int i = 0; i < 50; i++) {
        snprintf(path, sizeof path, "%s/d%d", root, i);
        mkdir(path, 0755);
    }
    for (int i = 0; i < n_files; i++) {
        snprintf(path, sizeof path, "%s/d%d/f%d.c", root, i % 50, i);
        FILE *f = fopen(path, "w");
        kt_not_null(f);
        for (int k = 0; k < 40; k++)
            fprintf(f, "int function_%d_%d(int a)\n{\n    return a * %d;\n}\n\n", i, k, k);
        fclose(f);
    }
}

KEN_TEST(two_indexers_do_not_hurt_each_other)
{
    make_large(300);
    enter_sandbox();
    const char *argv[] = { KEN_BINARY, "index", ktest_path("large/"), NULL };
    for (int round = 0; round < 3; round++) {
        pid_t a = start(argv), b = start(argv);
        int code_a = wait_for(a), code_b = wait_for(b);
        kt_true(code_a == 0 || code_a == 1);
        kt_true(code_b == 0 || code_b == 1);
        kt_true(code_a == 0 || code_b == 0);
    }
    kt_has_str(ken_ok("index large"), "nothing has changed");
    kt_has_str(ken_ok("doctor --deep"), "every page is sound");
}

KEN_TEST(a_held_lock_is_explained)
{
    char path[300];
    make_project();
    ken_ok("index proj");
    json_t *json = ken_json("projects --json");
    snprintf(path, sizeof path, "data/ken/indexes/project-%s.db.lock",
             json_string_value(
                 json_object_get(json_array_get(json_object_get(json, "projects"), 0), "id")));
    json_decref(json);
    int fd = open(ktest_path(path), O_RDWR | O_CREAT, 0600);
    kt_eq_i(flock(fd, LOCK_EX), 0);
    ken_fails("index proj", 1, "is writing this index");
    kt_has_str(ken_ok("search retry proj"), "src/retry.c:"); // readers need no lock
    close(fd);
    ken_ok("index proj");
}

KEN_TEST(two_first_searches_share_one_index)
{
    make_large(200);
    enter_sandbox();
    const char *argv[] = { KEN_BINARY, "search", "function", ktest_path("large/"), NULL };
    pid_t a = start(argv), b = start(argv);
    kt_eq_i(wait_for(a), 0);
    kt_eq_i(wait_for(b), 0);
}

KEN_TEST(an_interrupt_stops_and_the_next_run_goes_on)
{
    make_large(2000);
    enter_sandbox();
    const char *argv[] = { KEN_BINARY, "index", ktest_path("large/"), "-j", "1", NULL };
    pid_t pid = start(argv);
    nanosleep(&(struct timespec){ 0, 150 * 1000 * 1000 }, NULL);
    kill(pid, SIGINT);
    int code = wait_for(pid);
    kt_true(code == 130 || code == 0); // 0: it was faster
    kt_has_str(ken_ok("index large"), "2,000 files");
}

// ---- eval ----

KEN_TEST(eval_measures)
{
    make_project();
    ktest_write("set.json", "{\"name\": \"proj\", \"root\": \"\", \"queries\": ["
                            "{\"query\": \"retry with backoff\", \"category\": \"symbol\","
                            " \"relevant\": [\"src/retry.c:1-8\"], \"secondary\": []},"
                            "{\"query\": \"zzzz\", \"category\": \"semantic\","
                            " \"relevant\": [\"src/none.c\"], \"secondary\": []}]}");
    json_t *json = ken_json("eval set.json --root proj --json");
    kt_near(json_number_value(json_object_get(json, "ndcg_at_10")), 0.5, 1e-9);
    kt_near(json_number_value(json_object_get(json, "mrr")), 0.5, 1e-9);
    kt_near(json_number_value(json_object_get(json, "recall_at_10")), 0.5, 1e-9);
    const json_t *symbol = json_object_get(json_object_get(json, "by_category"), "symbol");
    kt_near(json_number_value(json_object_get(symbol, "ndcg_at_10")), 1.0, 1e-9);
    kt_near(json_number_value(json_object_get(symbol, "recall_at_10")), 1.0, 1e-9);
    json_decref(json);
    const char *out = ken_ok("eval set.json --roots . --failures");
    kt_has_str(out, "src/none.c");
    kt_has_str(out, "0.5000");
    // The person's own projects are left alone.
    kt_has_str(ken_ok("projects --json"), "\"total\": 0");
}

KEN_TEST(eval_measures_whole_checkouts)
{
    make_project();
    ktest_write("set.json", "{\"name\": \"proj\", \"root\": \"src\", \"queries\": ["
                            "{\"query\": \"retry with backoff\", \"category\": \"symbol\","
                            " \"relevant\": [\"retry.c\"], \"secondary\": []}]}");
    // What its own answer costs: the file stands on the first line.
    kt_has_str(ken_ok("eval set.json --root proj --tokens"),
               "tokens until the first right file: mean ");
    kt_has_str(ken_ok("eval set.json --root proj --tokens"), "within 500: 1.000");
    ktest_write("proj/src/retry.c", "int retry_with_backoff(int tries) { return tries; }\n");
    kt_has_str(ken_ok("eval set.json --root proj --tokens"),
               "within 500: 1.000"); // changed under it
    json_t *root = ken_json("eval set.json --root proj --json");
    json_t *whole = ken_json("eval set.json --root proj --whole --json");
    kt_near(json_number_value(json_object_get(root, "mrr")), 1, 1e-9);
    kt_near(json_number_value(json_object_get(whole, "mrr")), 1, 1e-9);
    const json_t *a = json_array_get(json_object_get(root, "datasets"), 0),
                 *b = json_array_get(json_object_get(whole, "datasets"), 0);
    kt_true(json_integer_value(json_object_get(b, "files")) >
            json_integer_value(json_object_get(a, "files")));
    json_decref(root);
    json_decref(whole);
}

// ---- who uses what ----

static void make_calls(void)
{
    ktest_write("home/.keep", "");
    ktest_write("calls/a.py", "def load(path):\n    return parse(path)\n\n\n"
                              "def parse(text):\n    if not text:\n        return load(text)\n"
                              "    return text.split()\n");
    ktest_write("calls/b.py",
                "from a import load\n\n\ndef main():\n    load(\"x\")\n    load(\"y\")\n");
    ktest_write("calls/test_b.py", "from b import main\n\n\ndef test_main():\n    main()\n");
}

KEN_TEST(refs_are_shown_by_file)
{
    make_calls();
    ken_ok("index calls");
    kt_eq_str(ken_ok("refs load calls"), "calls/a.py:1-2 function load\n"
                                         "4 usages of load: 3 calls, 1 import\n"
                                         "calls/a.py\n"
                                         "  7 in parse: return load(text)\n"
                                         "calls/b.py\n"
                                         "  5 in main: load(\"x\")\n"
                                         "  6 in main: load(\"y\")\n"
                                         "  1 import: from a import load\n");
    kt_has_str(ken_ok("refs load calls --role import"), "1 of 4 usages of load");
    kt_has_str(ken_ok("refs load calls -C 1"), "  4 def main():\n  5 in main: load(\"x\")");
    kt_has_str(ken_ok("refs main calls --tests only"), "calls/test_b.py (test)\n");
    kt_null(strstr(ken_ok("refs main calls --tests exclude"), "test_b.py"));
    has_keys("refs load calls --json", "summary definitions total by_kind files project index");
    ken_fails("refs laod calls", 1, "near names: load");
    ken_fails("refs load calls --role cal", 2, "none of call");
    ken_fails("refs load calls -C 21", 2, "--context: 21 is over 20");
}

KEN_TEST(traces_are_trees)
{
    make_calls();
    ken_ok("index calls");
    kt_eq_str(ken_ok("trace main calls"),
              "main: 1 callee found, 2 symbols down to depth 3, 1 cycle\n"
              "main calls/b.py:4\n"
              "  load calls/a.py:1 x2\n"
              "    parse calls/a.py:5\n"
              "      load calls/a.py:1 (cycle)\n");
    kt_eq_str(ken_ok("trace parse calls --callers"),
              "parse: 1 caller found by 1 usage, 3 symbols up to depth 3, 1 cycle\n"
              "parse calls/a.py:5\n"
              "  load calls/a.py:1\n"
              "    parse calls/a.py:5 (cycle)\n"
              "    main calls/b.py:4 x2\n"
              "      test_main calls/test_b.py:4\n");
    kt_has_str(ken_ok("trace test_main calls --to parse"), "test_main: reaches parse in 3 calls\n");
    kt_has_str(ken_ok("trace test_main calls --to parse"),
               "      parse calls/a.py:5 called at calls/a.py:2\n");
    kt_has_str(ken_ok("trace test_main calls --to parse -d 2"), "no path to parse found");
    kt_has_str(ken_ok("trace main calls -d 1"), "\n  load calls/a.py:1 x2");
    has_keys("trace main calls --json", "summary direction steps project index");
    ken_fails("trace mian calls", 1, "near names: main");
    ken_fails("trace main calls -d 11", 2, "--depth: 11 is over 10");
}

KEN_TEST(impact_is_of_a_symbol_a_file_or_a_diff)
{
    make_calls();
    ken_ok("index calls");
    const char *out = ken_ok("impact load -p calls");
    kt_has_str(out, "load: risk ");
    kt_has_str(out, "\ndependents (+n: n steps further away):\n");
    kt_has_str(out, "  main calls/b.py:4\n");
    kt_has_str(out, "\ntests:\n  +1 test_main calls/test_b.py:4\n");
    kt_has_str(ken_ok("impact calls/b.py"), "test_main");
    kt_has_str(ken_ok("impact calls/b.py:5"), "main: risk ");
    has_keys("impact load -p calls --json",
             "summary risk changed by_distance dependents tests files project index");
    ken_fails("impact -p calls", 2, "give what changes: a file, FILE:LINE, a symbol, or --diff");
    ken_fails("impact load --diff=HEAD -p calls", 2, "give one only: a file, ");
    ken_fails("impact laod -p calls", 1, "near names: load");
    ken_fails("impact calls/b.py --diff", 2, "give one only: a file, ");
    ken_fails("impact /etc/passwd:3", 1, "is in no project");
    kt_has_str(ken_ok("search parse text -p calls"), "calls/a.py:"); // a question
}

KEN_TEST(lines_are_explained)
{
    make_calls();
    ken_ok("index calls");
    const char *out = ken_ok("explain calls/a.py:5-8");
    kt_has_str(out,
               "calls/a.py:5-8 in function parse: 1 usage: 1 caller, 0 tests (1 test reaches it "
               "through others); 2 callees");
    kt_has_str(out, "\n6     if not text:\n");
    kt_has_str(out, "\ncallers:\n  load calls/a.py:1\n");
    kt_has_str(ken_ok("explain calls/a.py:2"), "in function load");
    has_keys("explain calls/a.py:5-8 --json", "symbol code callers callees types tests imports");
    ken_buf text = { 0 };
    for (int i = 0; i < 450; i++)
        ken_buf_printf(&text, "name_%d = %d\n", i, i);
    ken_buf_putc(&text, '\0');
    ktest_write("calls/long.py", text.ptr);
    ken_buf_release(&text);
    kt_has_str(ken_ok("explain calls/long.py:1-450"),
               "lines 1 to 400 are explained; go on from 401\n");
    kt_null(strstr(ken_ok("explain calls/long.py:401-450"), "go on from"));
    ken_fails("explain calls/a.py", 2, "FILE:FIRST-LAST");
    ken_fails("explain calls/a.py:8-5", 2, "FILE:FIRST-LAST");
    ken_fails("explain calls/a.py:90-99", 2, "line");
    ken_fails("explain ../a.py:1-2 -p calls", 1, "outside of the project");
}

KEN_TEST(the_whole_and_its_lists)
{
    make_calls();
    ken_ok("index calls");
    kt_has_str(ken_ok("arch calls"), "3 files of python");
    kt_has_str(ken_ok("arch calls"), "\nMODULE   FILES  LINES  LAYER  USED BY\n");
    has_keys("arch calls --focus backend --json", "summary languages modules dependencies");
    ken_fails("arch calls --focus all", 2, "'--focus' cannot be 'all'");
    kt_has_str(ken_ok("tests-for parse -p calls"), "test_main  calls/test_b.py:4");
    has_keys("tests-for calls/b.py --json", "project tests total");
    kt_has_str(ken_ok("tests-for test_main -p calls"), "no test reaches it in 5 steps");
    has_keys("dead calls --json", "project dead total classes");
    kt_has_str(ken_ok("outline calls/b.py --imports"), "a -> a.py");
    kt_has_str(ken_ok("outline calls/a.py --imports"), "calls/b.py:1");
    has_keys("outline calls/a.py --imports --json", "imports imports_total imported_by");
    has_keys("hotspots calls --json", "project hotspots total");
    has_keys("routes -p calls --json", "project routes total");
    kt_has_str(ken_ok("context 'explain parse' calls --max-tokens 200"), "return text.split()");
    has_keys("context parse calls --json", "context tokens max_tokens parts seen");
    ken_fails("context parse calls --max-tokens 10", 2, "--max-tokens: 10 is under 200");
}

KEN_TEST(a_shallow_clone_says_that_its_commits_are_not_counted)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    ktest_write("deep/a.py", "def f(x):\n    if x and x > 1:\n        while x or x < 9:\n"
                             "            for i in x:\n                if i and x:\n"
                             "                    x -= 1\n");
    GIT_IN(ktest_path("deep"), NULL, "init", "-q");
    GIT_IN(ktest_path("deep"), NULL, "add", ".");
    GIT_IN(ktest_path("deep"), NULL, "commit", "-qm", "one");
    ken_ok("index deep");
    kt_null(strstr(ken_ok("hotspots deep"), "shallow"));
    GIT_IN(ktest_dir(), NULL, "clone", "-q", "--depth=1",
           ken_arena_printf(&a, "file://%s", ktest_path("deep")).ptr, ktest_path("tip"));
    ken_arena_release(&a);
    ken_ok("index tip");
    kt_has_str(ken_ok("hotspots tip"), "commits are counted too low, for this is a shallow clone");
    kt_has_str(ken_ok("arch tip"), "commits are counted too low, for this is a shallow clone");
}

KEN_TEST(routes_are_found_with_their_handlers)
{
    ktest_write("home/.keep", "");
    ktest_write("web/app.js", "const express = require('express');\nconst app = express();\n\n"
                              "function listUsers(req, res) {\n  res.send([]);\n}\n\n"
                              "app.get('/users', listUsers);\napp.post('/users/:id', listUsers);\n"
                              "app.set('/not-a-route', 1);\n");
    ktest_write("web/client.js", "function load(api) {\n  return api.get('/users');\n}\n");
    ktest_write("web/views.py", "from flask import Flask\n\napp = Flask(__name__)\n\n\n"
                                "@app.route('/health')\ndef health():\n    return 'ok'\n");
    ken_ok("index web");
    kt_eq_str(ken_ok("routes -p web"), "METHOD  PATH        HANDLER    AT              FRAMEWORK\n"
                                       "GET     /users      listUsers  web/app.js:8    express\n"
                                       "POST    /users/:id  listUsers  web/app.js:9    express\n"
                                       "GET     /health     health     web/views.py:6  flask\n");
    // A word that is here, or is written as a path, is one; any other is a part of a route.
    kt_has_str(ken_ok("routes web"), "web/views.py:6");
    kt_has_str(ken_in(ktest_path("web"), "routes .")->out, "\nGET     /health");
    kt_null(strstr(ken_ok("routes /users web"), "health"));
    kt_null(strstr(ken_ok("routes /users -p web"), "health"));
    kt_has_str(ken_ok("routes post -p web"), "app.js:9");
    has_keys("routes -p web --json", "project routes total");
}

KEN_TEST(doctor_names_a_framework_that_cannot_be_read)
{
    ktest_write("home/.keep", "");
    ktest_write("web/app.js", "export const one = 1;\n");
    ktest_write("web/.ken/frameworks/README.md", "not one of them\n");
    ken_ok("index web");
    kt_null(strstr(ken_ok("doctor"), "frameworks"));
    ktest_write(
        "web/.ken/frameworks/mine.yaml",
        "framework: mine\nlanguages: [javascript]\nmodules: [mine]\nroutes:\n  - { call: x }\n");
    run *r = ken("doctor");
    kt_eq_i(r->code, 1);
    kt_has_str(r->out, "frameworks   'web': .ken/frameworks/mine.yaml:");
}

// ---- rules ----

static void make_rules(const char *more)
{
    ken_buf b = KEN_BUF_INIT(4096);
    ktest_write("home/.keep", "");
    ktest_write("shop/src/db/users.py", "import os\nfrom src.web import views\n");
    ktest_write("shop/src/db/pool.py", "import os\n");
    ktest_write("shop/src/web/views.py", "def BadName():\n    pass\n");
    ken_buf_printf(&b,
                   "version: 1\nconstraints:\n  - id: data-not-web\n"
                   "    rule: src/db MUST NOT import src/web.\n    check:\n"
                   "      forbid_import: { from: \"src/db/**\", to: \"src/web/**\" }\n"
                   "  - id: names\n    rule: Functions are in lower case.\n"
                   "    severity: warning\n    check:\n"
                   "      naming: { kind: function, pattern: \"^[a-z_]+$\" }\n%s",
                   more);
    ken_buf_putc(&b, '\0');
    ktest_write("shop/ARCHITECTURE.yml", b.ptr);
    ken_buf_release(&b);
}

static const char *ken_says(const char *line, int code)
{
    run *r = ken(line);
    if (r->code != code)
        kt_fail("ken %s: exit code %d, not %d\n%s%s", line, r->code, code, r->out, r->err);
    return r->out;
}

KEN_TEST(f6_the_status_of_a_project_whose_folder_is_gone_says_so)
{
    ktest_write("away/a.c", "int alpha(void) { return 1; }\n");
    ken_ok("index away");
    kt_eq_i(rename(ktest_path("away"), ktest_path("elsewhere")), 0);
    kt_has_str(ken_ok("status -p away"), "the folder is gone");
}

KEN_TEST(rules_are_checked_as_compilers_do)
{
    make_rules("");
    kt_eq_str(
        ken_says("rules check shop", 1),
        "shop/src/db/users.py:2:21: error: imports 'src/web/views.py', which 'src/db/**' must not "
        "[data-not-web]\n    rule: src/db MUST NOT import src/web.\n"
        "    obeys: shop/src/db/pool.py\n"
        "shop/src/web/views.py:1:1: warning: name of function 'BadName' does not match "
        "'^[a-z_]+$' [names]\n    rule: Functions are in lower case.\n"
        "2 violations, 2 rules checked in 4 files\n");
    kt_has_str(ken_says("rules check shop --rule names", 0), "1 violation, 1 rule checked");
    kt_has_str(ken_says("rules check shop/src/web", 0), "1 violation, 2 rules checked in 1 file");
    ken_fails("rules check shop --rule nmaes", 2, "rule: 'nmaes' is no rule with a check");
    ken_fails("rules check shop --rule names --rule nmaes", 2, "rule: 'nmaes' is no rule");
    ken_fails("rules chekc shop", 2, "did you mean 'ken rules check'?");
    ken_fails("rules check shop/src/db shop/src/web", 2, "does not take 'shop/src/web' as well");
    ken_fails("rules status shop", 2, "'ken rules status' does not take 'shop'");
    ken_fails("rules check shop --diff=HEAD", 1, "git");
    ktest_write("shop/src/db/users.py", "import os\n"); // seen without being told
    kt_has_str(ken_says("rules check shop", 0), "1 violation, 2 rules checked in 4 files");
    json_t *json = ken_json("rules check shop --json");
    kt_eq_u(json_array_size(json_object_get(json, "violations")), 1);
    kt_eq_u(json_array_size(json_object_get(json, "rules")), 2);
    json_decref(json);
}

KEN_TEST(rules_are_asked_before_a_change)
{
    make_rules("");
    kt_has_str(ken_says("rules for 'let the database import a view' -p shop", 0),
               "src/db MUST NOT import src/web.");
    json_t *json = ken_json("rules for 'let the database import a view' -p shop -k 1 --json");
    kt_eq_u(json_array_size(json_object_get(json, "constraints")), 1);
    json_decref(json);
    kt_has_str(ken_says("rules impact shop/src/web/views.py", 0), "src/db/users.py");
    kt_has_str(ken_says("rules status -p shop", 0), "not set up");
    kt_has_str(ken_says("rules health -p shop", 0), "Run rag_index first");
    ken_fails("rules index -p shop", 1, "has no .rag folder. Run 'ken rules setup' first");
    ken_fails("rules for ab -p shop", 2, "CHANGE: 2 characters are fewer than 3");
    ken_fails("rules for 'a change' -p shop -k 21", 2, "--limit: 21 is over 20");
    ken_fails("rules impact ../etc/passwd -p shop", 1, "passwd");
    ktest_write("shop/.rag/keep", "");
    kt_has_str(ken_says("rules index -p shop", 0), "Indexed 4 files");
    kt_has_str(ken_says("rules status -p shop", 0), "2 constraints, 0 patterns");
}

KEN_TEST(rules_that_cannot_be_read_are_named)
{
    make_rules("  - id: typo\n    rule: x\n    check:\n      forbid_imports: { from: a, to: b }\n");
    run *r = ken("rules check shop");
    kt_eq_i(r->code, 2);
    kt_has_str(r->out, "ARCHITECTURE.yml:15:7: ");
    kt_has_str(r->out, "2 violations, 2 rules checked");
    make_rules("  - id: \"\\e[2J\"\n    rule: Clear the screen of who reads it.\n");
    r = ken("rules check shop");
    kt_has_str(r->out, "got '\xef\xbf\xbd[2J'");
    ktest_write("shop/ARCHITECTURE.yml", "constraints:\n  - rule: [x\n");
    r = ken("rules check shop");
    kt_eq_i(r->code, 2);
    kt_has_str(r->out, "ARCHITECTURE.yml:");
    ktest_write("shop/ARCHITECTURE.yml", "constraints:\n  - just words\n");
    kt_has_str(ken_ok("rules check shop"), "no rule with a check");
}

// Next.js calls folders so; as a pattern it would be another folder.
KEN_TEST(a_folder_in_brackets_is_that_folder)
{
    make_rules("");
    ktest_write("shop/app/[id]/page.py", "def AlsoBad():\n    pass\n");
    ken_says("rules check shop", 1);
    kt_has_str(ken_says("rules check 'shop/app/[id]'", 0),
               "1 violation, 2 rules checked in 1 file");
}

// What was not looked at must not pass.
KEN_TEST(a_check_that_is_not_done_does_not_pass)
{
    make_rules("  - id: slow\n    rule: Names are plain.\n    check:\n"
               "      naming: { kind: function, pattern: \"^(a|a|ab)+(a|b|ab)+x?$\" }\n");
    ktest_write("shop/slow.py", "def abababababababababababababababababababababababababababab1():\n"
                                "    pass\n");
    kt_has_str(ken_says("rules check shop", 2), "2 rules checked");
    json_t *sarif = json_loads(ken_says("rules check shop --sarif", 2), 0, NULL);
    const json_t *made = json_array_get(json_object_get(sarif, "runs"), 0),
                 *did = json_array_get(json_object_get(made, "invocations"), 0);
    kt_true(json_is_false(json_object_get(did, "executionSuccessful")));
    json_decref(sarif);
}

static void git(const char *words)
{
    char line[600];
    snprintf(line, sizeof line,
             "cd '%s/shop' && git -c user.name=a -c user.email=a@b -c init.defaultBranch=main %s "
             ">/dev/null 2>&1",
             ktest_dir(), words);
    kt_eq_i(system(line), 0);
}

KEN_TEST(rules_are_checked_for_what_a_diff_touches)
{
    make_rules("");
    git("init");
    git("add -A");
    git("commit -m first");
    kt_has_str(ken_says("rules check shop --diff HEAD", 0), "0 violations, 2 rules checked in 0");
    ktest_write("shop/src/web/views.py", "def BadName():\n    pass\n\n\ndef Worse():\n    pass\n");
    kt_has_str(ken_says("rules check shop --diff=HEAD", 0), "2 violations, 2 rules checked in 1");
    kt_has_str(ken_says("rules check shop --diff", 0), "2 violations, 2 rules checked in 1");
    ktest_write("shop/src/db/new.py", "import src.web.views\n");
    kt_has_str(ken_says("rules check shop --diff HEAD", 1), "shop/src/db/new.py:1:8: error: ");
    ken_fails("rules check shop --diff=nothing", 2, "nothing");
}

// The members of an object are those, and the needed ones are there: "+name" is needed.
static void only_members(const json_t *o, const char *what, const char *members)
{
    const char *key;
    json_t *value;
    if (!json_is_object(o))
        kt_fail("%s is no object", what);
    json_object_foreach((json_t *)(uintptr_t)o, key, value)
    {
        char with_blank[80];
        snprintf(with_blank, sizeof with_blank, "%s ", key);
        if (!strstr(members, with_blank))
            kt_fail("%s: member '%s' is not in SARIF 2.1.0", what, key);
    }
    ken_str rest = ken_str_c(members), part;
    while (ken_str_split_next(&rest, ' ', &part)) {
        char name[80];
        snprintf(name, sizeof name, KEN_STR_FMT, KEN_STR_ARG(part));
        if (name[0] == '+' && !json_object_get(o, name + 1))
            kt_fail("%s: member '%s' is missing", what, name + 1);
    }
}

static void check_location(const json_t *location)
{
    const json_t *physical = json_object_get(location, "physicalLocation");
    const json_t *artifact = json_object_get(physical, "artifactLocation");
    const json_t *region = json_object_get(physical, "region");
    const char *uri = json_string_value(json_object_get(artifact, "uri"));
    only_members(location, "location", "id message +physicalLocation ");
    only_members(physical, "physicalLocation", "+artifactLocation +region ");
    only_members(artifact, "artifactLocation", "+uri +uriBaseId ");
    only_members(region, "region", "+startLine +endLine ");
    kt_true(json_integer_value(json_object_get(region, "startLine")) >= 1);
    kt_true(json_integer_value(json_object_get(region, "endLine")) >=
            json_integer_value(json_object_get(region, "startLine")));
    kt_true(uri && uri[0] != '/' && !strstr(uri, "://") && !strchr(uri, ' ') && !strchr(uri, '\\'));
}

static void check_result(const json_t *result, const json_t *rules)
{
    static const char *const levels = "none note warning error";
    size_t i;
    json_t *location;
    only_members(result, "result",
                 "+ruleId +ruleIndex +level +message +locations +partialFingerprints "
                 "relatedLocations ");
    json_int_t index = json_integer_value(json_object_get(result, "ruleIndex"));
    const json_t *rule = json_array_get(rules, (size_t)index);
    kt_eq_str(json_string_value(json_object_get(rule, "id")),
              json_string_value(json_object_get(result, "ruleId")));
    kt_not_null(strstr(levels, json_string_value(json_object_get(result, "level"))));
    only_members(json_object_get(result, "message"), "message", "+text ");
    json_array_foreach(json_object_get(result, "locations"), i, location) check_location(location);
    json_array_foreach(json_object_get(result, "relatedLocations"), i, location)
        check_location(location);
}

KEN_TEST(sarif_is_what_the_standard_says)
{
    size_t i;
    json_t *item;
    make_rules("");
    ktest_write("shop/src/db/a b\xc3\xa9.py", "import src.web.views\n");
    json_error_t e;
    json_t *top = json_loads(ken_says("rules check shop --sarif", 1), 0, &e);
    only_members(top, "log", "$schema +version +runs ");
    kt_eq_str(json_string_value(json_object_get(top, "version")), "2.1.0");
    const json_t *run_of = json_array_get(json_object_get(top, "runs"), 0);
    only_members(run_of, "run", "+tool invocations +results ");
    const json_t *driver = json_object_get(json_object_get(run_of, "tool"), "driver");
    const json_t *rules = json_object_get(driver, "rules"),
                 *results = json_object_get(run_of, "results");
    only_members(driver, "driver", "+name version +rules ");
    json_array_foreach(rules, i, item)
    {
        only_members(item, "rule", "+id name +shortDescription +help +defaultConfiguration ");
        only_members(json_object_get(item, "help"), "help", "+text ");
    }
    json_array_foreach(json_object_get(run_of, "invocations"), i, item)
        only_members(item, "invocation", "+executionSuccessful toolConfigurationNotifications ");
    kt_eq_u(json_array_size(results), 3);
    json_array_foreach(results, i, item) check_result(item, rules);
    const json_t *first = json_object_get(json_array_get(results, 0), "locations");
    first = json_object_get(json_array_get(first, 0), "physicalLocation");
    first = json_object_get(json_object_get(first, "artifactLocation"), "uri");
    kt_eq_str(json_string_value(first), "src/db/a%20b%C3%A9.py");
    json_decref(top);
}

KEN_TEST(fingerprints_outlive_a_moved_line)
{
    static const char *const path[] = { "partialFingerprints", "kenRule/v1" };
    char before[80];
    for (int round = 0; round < 2; round++) {
        make_rules("");
        if (round)
            ktest_write("shop/src/db/users.py", "import os\n\n\nfrom src.web import views\n");
        json_t *top = json_loads(ken_says("rules check shop --sarif", 1), 0, NULL);
        const json_t *result = json_array_get(
            json_object_get(json_array_get(json_object_get(top, "runs"), 0), "results"), 0);
        const char *print =
            json_string_value(json_object_get(json_object_get(result, path[0]), path[1]));
        kt_not_null(print);
        if (round)
            kt_eq_str(print, before);
        snprintf(before, sizeof before, "%s", print);
        json_decref(top);
    }
}

// ---- restoring ----

KEN_TEST(restore_makes_projects_and_tasks_whole_again)
{
    make_project();
    (void)ken_ok("task new 'wash the apples'");
    kt_has_str(ken_ok("restore --dry-run"), "projects.db is sound");
    kt_has_str(ken_ok("help restore"), "usage: ken restore");
    const char *path = ktest_path("data/ken/config/projects.db");
    FILE *f = fopen(path, "r+b");
    kt_not_null(f);
    kt_eq_i(fseek(f, 4096 + 3000, SEEK_SET), 0);
    kt_eq_u(fwrite("damage", 1, 6, f), 6);
    kt_eq_i(fseek(f, 100, SEEK_SET), 0);
    kt_eq_u(fwrite("damage", 1, 6, f), 6);
    kt_eq_i(fclose(f), 0);
    run *r = ken("task list");
    kt_eq_i(r->code, 1);
    kt_has_str(r->err, "ken restore");
    const char *out = ken_ok("restore");
    kt_has_str(out, "made a new projects.db of it");
    kt_has_str(out, "projects.db.damaged-1");
    kt_has_str(ken_ok("task list"), "wash the apples");
    has_keys("restore --json",
             "dry_run sound wrong rebuilt records damaged_records cut_off put_in projects tasks "
             "indexes kept");
}

static void has_file(const char *path, const char *text)
{
    ken_buf b = KEN_BUF_INIT(0);
    ken_err err = { 0 };
    kt_ok_err(ken_fs_read_own(ktest_path(path), 65536, &b, &err), &err);
    kt_eq_text(ken_buf_str(&b), text);
    ken_buf_release(&b);
}

KEN_TEST(settings_are_changed_on_the_command_line)
{
    ktest_write("p/a.c", "int a;\n");
    ktest_write("config/ken/config.yaml", "# mine\nindexing:\n  jobs: 2 # few\n");
    kt_has_str(ken_ok("config set indexing.jobs 3"), "indexing.jobs: set in ");
    has_file("config/ken/config.yaml", "# mine\nindexing:\n  jobs: 3 # few\n");
    ken_ok("config set indexing.exclude 'gen/**,b' --project p");
    has_file("p/.ken.yaml", "indexing:\n  exclude: [\"gen/**\", b]\n");
    ken_fails("config set indexing.jobs 3 --project p", 2, "may not be set by a project");
    ken_fails("config set indexing.job 3", 2, "did you mean 'indexing.jobs'?");
    ken_fails("config set indexing.jobs many", 2, "whole number");
    kt_has_str(ken_ok("config unset indexing.jobs"), "unset");
    has_file("config/ken/config.yaml", "# mine\n");
    kt_has_str(ken_ok("config unset indexing.jobs"), "not set");
}

// What is wrong is kept for the next attempt, and never becomes the settings.
KEN_TEST(settings_are_edited_and_checked)
{
    ktest_write("config/ken/config.yaml", "nonsense: 1\n");
    ken_fails("status", 2, "unknown section 'nonsense'");
    unsetenv("VISUAL");
    setenv("EDITOR", "sed -i s/nonsense/indexing/", 1);
    ken_fails("config edit", 2, "section 'indexing' must hold");
    has_file("config/ken/config.yaml", "nonsense: 1\n");
    setenv("EDITOR", "sed -i s/.*/log:/", 1);
    kt_has_str(ken_ok("config edit"), "settings: saved in ");
    has_file("config/ken/config.yaml", "log:\n");
    setenv("EDITOR", "false", 1);
    ken_fails("config edit", 1, "nothing was changed");
    unsetenv("EDITOR");
}

static void write_twice_named(void)
{
    ktest_write("two/a/one.c", "int same(void) { return 1; }\nint use(void) { return same(); }\n");
    ktest_write("two/b/two.c", "int same(void) { return 2; }\n");
}

// Texts that agents get with the names of parameters speak of options here.
KEN_TEST(notes_speak_of_options_and_commands)
{
    write_twice_named();
    kt_has_str(ken_ok("refs same two"), "choose one with --file, such as");
    ken_fails("search x two --type .c", 2, "--type: should not include leading dot");
    kt_has_str(ken_ok("search 'the same thing' two -k 1 --mode text"),
               "nothing matched; try --mode");
    ken_fails("task show abcd1234", 1, "'ken task list' shows all");
    kt_has_str(ken_ok("search int two --mode text -k 1"), "more: --offset 1");
    kt_has_str(ken_ok("refs same two --json"), "choose one with file_hint, such as");
    ken_fails("def nowhere two", 1, "'ken search' with --mode text finds where it is used");
    ken_fails("impact", 2, "give what changes: a file, FILE:LINE, a symbol, or --diff");
    ken_fails("explain two/a/one.c:700-701", 2,
              "FILE:FIRST-LAST: lines 700 to 701 are no range of 'a/one.c', ");
    const char *next = ken_ok("search 'who calls same' two");
    kt_has_str(next, "next: ken refs same\n");
    kt_null(strstr(next, "symbol_name"));
}

// Who has chosen one of several is not told of the others.
KEN_TEST(a_chosen_definition_is_the_one_that_is_meant)
{
    static const char *const lines[] = { "refs same two --file b/", "impact same -p two --file b/",
                                         "trace same two --file b/", "refs b/two.c:same two" };
    write_twice_named();
    kt_has_str(ken_ok("refs same two"), "also defined");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *out = ken_ok(lines[i]);
        if (strstr(out, "also defined"))
            kt_fail("ken %s:\n%s", lines[i], out);
    }
}

// A place that is told is one that can be opened.
KEN_TEST(what_is_only_declared_has_its_line)
{
    ktest_write("proj/api.h", "// Of a library.\nint one(int a);\n\nint two(int a);\n");
    ktest_write("proj/a.c", "#include \"api.h\"\nstatic int three(int a);\n"
                            "int all(int a) { return one(a) + two(a) + three(a); }\n"
                            "static int three(int a) { return a; }\n");
    ken_ok("index proj");
    const char *out = ken_ok("trace all proj");
    kt_has_str(out, "one proj/api.h:2\n");
    kt_has_str(out, "two proj/api.h:4\n");
    kt_has_str(out, "three proj/a.c:4\n");
    kt_null(strstr(out, "proj/a.c:2"));
}

KEN_TEST(ignored_files_are_counted_where_skips_are_listed)
{
    ktest_write("proj/a.c", "int a;\n");
    ktest_write("proj/.gitignore", "out/\n*.log\n");
    ktest_write("proj/out/x.c", "int x;\n");
    ktest_write("proj/one.log", "x\n");
    const char *const init[] = { "git", "init", "-q", ".", NULL };
    kt_eq_i(run_of(ktest_path("proj"), init)->code, 0);
    ken_ok("index proj");
    kt_has_str(ken_ok("status proj --skipped"),
               "nothing else was skipped; 2 more files or folders that git ignores are not listed");
    kt_eq_str(ken_ok("status proj --skipped=secret"), "nothing was skipped\n");
}

KEN_TEST(a_checkpoint_is_updated_without_a_new_summary)
{
    char id[64] = "", line[200];
    ktest_write("proj/a.c", "int a;\n");
    ken_ok("index proj");
    json_t *saved = ken_json("checkpoint save 'the summary' -p proj --json");
    snprintf(id, sizeof id, "%s", json_string_value(json_object_get(saved, "id")));
    json_decref(saved);
    snprintf(line, sizeof line, "checkpoint save -p proj --update %s -d 'more of it' --json", id);
    saved = ken_json(line);
    kt_eq_str(json_string_value(json_object_get(saved, "summary")), "the summary");
    kt_eq_str(json_string_value(json_object_get(saved, "description")), "more of it");
    json_decref(saved);
    ken_fails("checkpoint save -p proj", 2, "SUMMARY: 0 characters are under 1");
}
