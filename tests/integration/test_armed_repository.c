// SPDX-License-Identifier: MIT
// A repository that tries to make git, and through git ken, run its programs in every way that git's
// manual tells of (git-config(1), gitattributes(5), githooks(5), git(1): environment), under an
// environment that tries the same. Every command and every tool is asked there. Each program that
// would run appends its name to a file, which must stay empty; and where there is strace nothing may
// have been executed but ken and the one git.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "base/path.h"
#include "cli/cli_priv.h"
#include "git_lab.h"
#include "httpc/httpc.h"
#include "json/json.h"
#include "ktest.h"
#include "tool/tool.h"

enum {
    WORDS_MAX = 16,
    ENV_MAX = 64,
    LINE_MAX_BYTES = 1 << 20,
    ANSWER_MS = 120000,
};

static char tree[600], mark[600];
static const char *env[ENV_MAX]; // of the child
static ken_arena arena;

// ---- arming -------------------------------------------------------------------------------------

// An executable that tells that it ran; its path.
static const char *trap(const char *rel)
{
    char name[300], script[1600];
    snprintf(name, sizeof name, "tree/%s", rel);
    snprintf(script, sizeof script, "#!/bin/sh\necho '%s' >>'%s'\n", rel, mark);
    const char *path = ktest_write(name, script);
    kt_eq_i(chmod(path, 0755), 0);
    return path;
}

static void put_key(ken_buf *b, const char *section, const char *key, const char *before)
{
    char rel[200];
    snprintf(rel, sizeof rel, "traps/%s.%s", section, key);
    for (char *p = rel + strlen("traps/"); *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-", *p))
            *p = '_';
    ken_buf_printf(b, "[%s]\n\t%s = %s%s\n", section, key, before, trap(rel));
}

// Every setting that names a program.
static const struct {
    const char *section, *key, *before;
} keys[] = {
    { "core", "fsmonitor", "" },
    { "core", "pager", "" },
    { "core", "editor", "" },
    { "core", "sshCommand", "" },
    { "core", "askPass", "" },
    { "core", "gitProxy", "" },
    { "core", "alternateRefsCommand", "" },
    { "gpg", "program", "" },
    { "gpg \"openpgp\"", "program", "" },
    { "gpg \"x509\"", "program", "" },
    { "gpg \"ssh\"", "program", "" },
    { "gpg \"ssh\"", "defaultKeyCommand", "" },
    { "diff", "external", "" },
    { "diff \"x\"", "command", "" },
    { "diff \"x\"", "textconv", "" },
    { "filter \"x\"", "clean", "" },
    { "filter \"x\"", "smudge", "" },
    { "filter \"p\"", "process", "" },
    { "filter \"p = q\"", "process", "" },
    { "merge \"x\"", "driver", "" },
    { "merge \"default\"", "driver", "" },
    { "mergetool \"x\"", "cmd", "" },
    { "difftool \"x\"", "cmd", "" },
    { "credential", "helper", "!" },
    { "credential \"https://example.org\"", "helper", "!" },
    { "interactive", "diffFilter", "" },
    { "sequence", "editor", "" },
    { "uploadpack", "packObjectsHook", "" },
    { "remote \"origin\"", "uploadpack", "" },
    { "remote \"origin\"", "url", "ext::" },
    { "remote \"origin\"", "receivepack", "" },
    { "submodule \"s\"", "update", "!" },
    { "sendemail", "smtpServer", "" },
    { "browser \"x\"", "cmd", "" },
    { "man \"x\"", "cmd", "" },
    { "guitool \"x\"", "cmd", "" },
    { "trailer \"x\"", "command", "" },
    { "trailer \"x\"", "cmd", "" },
    { "tar \"x\"", "command", "" },
    { "fsmonitor", "socketDir", "" },
    { "instaweb", "httpd", "" },
};

static const char *const git_words[] = { "status",      "diff",        "log",
                                         "show",        "ls-files",    "rev-parse",
                                         "blame",       "merge-file",  "config",
                                         "merge-base",  "hash-object", "diff-index",
                                         "cat-file",    "rev-list",    "fetch",
                                         "upload-pack", "gc",          "submodule",
                                         "credential",  "maintenance", "fsmonitor--daemon",
                                         "ls-tree" };

static const char *const hooks[] = {
    "applypatch-msg",     "pre-applypatch",
    "post-applypatch",    "pre-commit",
    "pre-merge-commit",   "prepare-commit-msg",
    "commit-msg",         "post-commit",
    "pre-rebase",         "post-checkout",
    "post-merge",         "pre-push",
    "pre-receive",        "update",
    "proc-receive",       "post-receive",
    "post-update",        "reference-transaction",
    "push-to-checkout",   "pre-auto-gc",
    "post-rewrite",       "sendemail-validate",
    "fsmonitor-watchman", "post-index-change",
};

// Programs that somebody might start by a bare name.
static const char *const bare_names[] = { "git", "sh",  "bash", "ls",    "cat",  "less",  "gpg",
                                          "ssh", "env", "true", "false", "diff", "merge", "rm" };

static void put_settings(void)
{
    ken_buf b = KEN_BUF_INIT(0);
    ken_buf_put_str(&b, ktest_read(ktest_path("tree/.git/config")));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        put_key(&b, keys[i].section, keys[i].key, keys[i].before);
    for (size_t i = 0; i < sizeof git_words / sizeof *git_words; i++) {
        put_key(&b, "alias", git_words[i], "!");
        put_key(&b, "pager", git_words[i], "");
    }
    ken_buf_printf(&b, "[core]\n\thooksPath = %s/traps/hooks\n", tree);
    ken_buf_puts(&b, "[log]\n\tshowSignature = true\n[filter \"x\"]\n\trequired = true\n"
                     "[protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n"
                     "[remote \"origin\"]\n\tpromisor = true\n\tpartialclonefilter = blob:none\n"
                     "[submodule]\n\trecurse = true\n[diff]\n\tsubmodule = diff\n"
                     "[status]\n\tsubmoduleSummary = true\n[blame]\n\tignoreRevsFile = none\n"
                     "[include]\n\tpath = ../traps/included\n"
                     "[includeIf \"gitdir:**\"]\n\tpath = ../traps/included-if\n"
                     "[trace2]\n\tnormalTarget = ");
    ken_buf_printf(&b, "%s\n\teventTarget = %s\n", mark, mark);
    ktest_write("tree/.git/config", b.ptr);
    ken_buf_clear(&b);
    put_key(&b, "filter \"included\"", "clean", "");
    ktest_write("tree/traps/included", b.ptr);
    ken_buf_clear(&b);
    put_key(&b, "filter \"included-if\"", "process", "");
    ktest_write("tree/traps/included-if", b.ptr);
    ken_buf_release(&b);
}

// HEAD with a signature, so that gpg is asked wherever signatures are shown.
static void sign_head(void)
{
    ken_str id = GIT_IN(tree, &arena, "rev-parse", "HEAD^{tree}");
    ken_str parent = GIT_IN(tree, &arena, "rev-parse", "HEAD");
    ktest_write("signed", ken_arena_printf(&arena,
                                           "tree " KEN_STR_FMT "\nparent " KEN_STR_FMT
                                           "\nauthor a <a@example.org> 1700000000 +0000\n"
                                           "committer a <a@example.org> 1700000000 +0000\n"
                                           "gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n"
                                           " -----END PGP SIGNATURE-----\n\nsigned\n",
                                           KEN_STR_ARG(id), KEN_STR_ARG(parent))
                              .ptr);
    id = GIT_IN(tree, &arena, "hash-object", "-t", "commit", "-w", "../signed");
    GIT_IN(tree, NULL, "update-ref", "HEAD", ken_arena_dup(&arena, id).ptr);
}

static void arm(void)
{
    ken_arena_init(&arena, 0);
    snprintf(tree, sizeof tree, "%s", ktest_path("tree"));
    snprintf(mark, sizeof mark, "%s", ktest_path("ran"));
    ktest_write("tree/a.c", "int parse(int n)\n{\n    return n + 1;\n}\n"
                            "int twice(int n)\n{\n    return parse(n) + parse(n);\n}\n");
    ktest_write("tree/b.py", "def read(path):\n    return open(path).read()\n");
    ktest_write("tree/server.js",
                "app.get('/orders', listOrders);\nfunction listOrders(a, b) {}\n");
    ktest_write("tree/README.md", "# Orders\nHow orders are read.\n");
    GIT_IN(tree, NULL, "init", "-q", "--template=");
    GIT_IN(tree, NULL, "add", "-A");
    GIT_IN(tree, NULL, "commit", "-q", "-m", "first");
    sign_head();
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        char rel[200];
        snprintf(rel, sizeof rel, ".git/hooks/%s", hooks[i]);
        (void)trap(rel);
        snprintf(rel, sizeof rel, "traps/hooks/%s", hooks[i]);
        (void)trap(rel);
    }
    for (size_t i = 0; i < sizeof bare_names / sizeof *bare_names; i++) {
        char rel[200];
        snprintf(rel, sizeof rel, "node_modules/.bin/%s", bare_names[i]);
        (void)trap(rel);
        snprintf(rel, sizeof rel, "bin/%s", bare_names[i]);
        (void)trap(rel);
        (void)trap(bare_names[i]);
    }
    put_settings();
    ktest_write("tree/.gitattributes",
                "* filter=x diff=x merge=x\n*.py filter=p\n*.md filter=included\n"
                "*.js filter=included-if\n");
    ktest_write("tree/.git/info/attributes", "*.txt filter=x diff=x\n");
    // A folder that looks like a bare repository, with settings of its own.
    ktest_write("tree/sub/HEAD", "ref: refs/heads/main\n");
    ktest_write("tree/sub/objects/x", "");
    ktest_write("tree/sub/refs/x", "");
    ktest_write("tree/sub/config", ktest_read(ktest_path("tree/.git/config")).ptr);
    // Contents that differ from what the index knows, so that they are read through the filters.
    ktest_write("tree/a.c", "int parse(int n)\n{\n    return n + 2;\n}\n"
                            "int twice(int n)\n{\n    return parse(n) * parse(n);\n}\n");
    ktest_write("tree/b.py", "def read(path):\n    return open(path, 'rb').read()\n");
    ktest_write("tree/new.txt", "new\n");
}

static void put_env(size_t *n, const char *text)
{
    kt_true(*n < ENV_MAX - 1);
    env[(*n)++] = text;
    env[*n] = NULL;
}

// The environment of somebody who was led astray: everything that can name a program does.
static void make_hostile_env(void)
{
    static const char *const programs[] = {
        "GIT_EXTERNAL_DIFF",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "GIT_PAGER",
        "PAGER",
        "GIT_EDITOR",
        "GIT_SEQUENCE_EDITOR",
        "EDITOR",
        "VISUAL",
        "BROWSER",
        "SHELL",
        "GIT_PROXY_COMMAND",
        "BASH_ENV",
        "ENV",
        "GIT_MERGE_AUTOEDIT",
        "LESSOPEN",
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char rel[200];
        snprintf(rel, sizeof rel, "traps/env.%s", programs[i]);
        put_env(&n, ken_arena_printf(&arena, "%s=%s", programs[i], trap(rel)).ptr);
    }
    const char *t = tree;
    put_env(&n, ken_arena_printf(&arena,
                                 "PATH=./node_modules/.bin:.:bin::%s/node_modules/.bin:%s/bin:"
                                 "%s/sub/../bin:%s",
                                 t, t, t, getenv("PATH"))
                    .ptr);
    put_env(&n, ken_arena_printf(&arena, "GIT_EXEC_PATH=%s/bin", t).ptr);
    put_env(&n, ken_arena_printf(&arena, "GIT_TEMPLATE_DIR=%s/traps", t).ptr);
    put_env(&n, ken_arena_printf(&arena, "GIT_TRACE=%s", mark).ptr);
    put_env(&n, ken_arena_printf(&arena, "GIT_TRACE2_EVENT=%s", mark).ptr);
    put_env(&n, "GIT_CONFIG_COUNT=3");
    put_env(&n, "GIT_CONFIG_KEY_0=core.fsmonitor");
    put_env(&n, ken_arena_printf(&arena, "GIT_CONFIG_VALUE_0=%s", trap("traps/c0")).ptr);
    put_env(&n, "GIT_CONFIG_KEY_1=filter.x.clean");
    put_env(&n, ken_arena_printf(&arena, "GIT_CONFIG_VALUE_1=%s", trap("traps/c1")).ptr);
    put_env(&n, "GIT_CONFIG_KEY_2=alias.status");
    put_env(&n, ken_arena_printf(&arena, "GIT_CONFIG_VALUE_2=!%s", trap("traps/c2")).ptr);
    put_env(&n, ken_arena_printf(&arena, "GIT_CONFIG_PARAMETERS='filter.y.clean'='%s'",
                                 trap("traps/c3"))
                    .ptr);
    put_env(&n, "GIT_ALLOW_PROTOCOL=ext:file");
    put_env(&n, ken_arena_printf(&arena, "HOME=%s", ktest_path("home")).ptr);
    put_env(&n, ken_arena_printf(&arena, "KEN_DATA_DIR=%s", ktest_path("data")).ptr);
    put_env(&n, "XDG_CONFIG_HOME");
    put_env(&n, "ASAN_OPTIONS=detect_leaks=0"); // it cannot be where strace is
    put_env(&n, "NO_COLOR=1");
}

// ---- running ------------------------------------------------------------------------------------

static bool has_strace(void)
{
    static int answer = -1;
    if (answer < 0) {
        const char *const argv[] = { "strace", "-f",        "-e",   "trace=execve",
                                     "-o",     "/dev/null", "true", NULL };
        ken_proc_result r;
        answer = !ken_proc_run(&(ken_proc_opts){ .argv = argv }, &r, NULL) && !r.exit_code;
        if (answer)
            ken_proc_result_release(&r);
    }
    return answer;
}

// "strace … ken" and the words, into argv.
static size_t begin(const char **argv)
{
    size_t n = 0;
    if (has_strace()) {
        const char *const trace[] = {
            "strace", "-f", "-qq", "-a", "1", "-s", "300", "-e", "trace=execve,execveat", "-o"
        };
        for (size_t i = 0; i < sizeof trace / sizeof *trace; i++)
            argv[n++] = trace[i];
        argv[n++] = ktest_path("trace");
    }
    argv[n++] = KEN_BINARY;
    return n;
}

// The one git that may run, links resolved.
static ken_str real_git(void)
{
    static const char *const folders[] = { "/usr/local/bin/git", "/usr/bin/git", "/bin/git" };
    ken_str real;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!ken_path_real(&arena, ken_str_c(folders[i]), &real, NULL))
            return real;
    kt_skip("git", "git is not where systems have it");
}

// Nothing ran but ken and that git.
static void check_trace(const char *what)
{
    if (!has_strace())
        return;
    ken_str rest = ktest_read(ktest_path("trace")), line, git = real_git();
    size_t n = 0;
    while (ken_str_line_next(&rest, &line)) {
        size_t at = ken_str_find(line, KEN_STR("execve"));
        if (at == SIZE_MAX)
            continue;
        size_t quote = ken_str_find_char(ken_str_sub(line, at, line.len), '"');
        ken_str path = ken_str_sub(line, at + quote + 1, line.len);
        path = ken_str_sub(path, 0, ken_str_find_char(path, '"'));
        n++;
        // git reaches a remote by parts of its own.
        bool is_part = ken_str_starts(ken_str_c(what), KEN_STR("repo ")) &&
                       ken_str_starts(path, KEN_STR("/usr/lib")) &&
                       ken_str_find(path, KEN_STR("/git-core/git")) != SIZE_MAX;
        if (!is_part && !ken_str_eq(path, git) && !ken_str_eq_c(path, KEN_BINARY))
            kt_fail("%s executed " KEN_STR_FMT, what, KEN_STR_ARG(line));
    }
    kt_true(n > 0);
}

static void check_mark(const char *what)
{
    if (access(mark, F_OK))
        return;
    kt_fail("%s let these run or write: " KEN_STR_FMT, what, KEN_STR_ARG(ktest_read(mark)));
}

// ---- the commands -------------------------------------------------------------------------------

// What each command of the program is asked. A command without a line here fails the test.
static const char *const lines[] = {
    "index .",
    "index . --force",
    "search 'how are orders read'",
    "search --mode regex pars.",
    "def parse",
    "refs parse",
    "trace twice",
    "impact a.c",
    "impact --diff",
    "impact --diff HEAD~1",
    "explain a.c:1-4",
    "arch",
    "context 'how are orders read'",
    "tests-for parse",
    "dead",
    "hotspots",
    "routes",
    "rules setup .",
    "rules setup . --force",
    "rules index",
    "rules for 'change the orders route'",
    "rules check --diff",
    "rules impact server.js",
    "rules health",
    "rules status",
    "outline a.c",
    "chunks a.c",
    "checkpoint save 'orders: half done'",
    "checkpoint search orders",
    "checkpoint list",
    "checkpoint show 00000000-0000-0000-0000-000000000000",
    "checkpoint delete 00000000-0000-0000-0000-000000000000",
    "task new 'orders' --project .",
    "task list",
    "task show 0000",
    "task set 0000 --title x",
    "task delete 0000",
    "status --skipped",
    "stats",
    "secrets",
    "sql 'SELECT count(*) FROM files'",
    "projects list",
    "stats --all",
    "projects archive 0000 --undo",
    "projects remove 0000 --yes",
    "repo add https://127.0.0.1:1/none.git --name 0000",
    "repo list",
    "repo sync 0000",
    "repo remove 0000 --yes",
    "model list",
    "watch --help", // it stays; it is run below
    "serve --help", // it stays; a server is asked below
    "migrate --to postgres://127.0.0.1:1/none --dry-run",
    "worker --status",
    "jobs list",
    "jobs show 0000",
    "jobs cancel 0000",
    "jobs wait 0000",
    "token add x --expires 1d",
    "token list",
    "token revoke x",
    "config show",
    "config set search.limit 20 --project .",
    "config unset search.limit --project .",
    "config edit --project 0000",
    "setup --list",
    "setup cursor --project . --print",
    "completion bash",
    "completion words -- se",
    "export x.kenindex",
    "import x.kenindex . --force",
    "index --from x.kenindex",
    "doctor",
    "restore --dry-run",
    "restore",
    "eval nothing.json --root .",
    "mcp .",
    "version",
    "help",
};

// A negative `code`: any will do. `part` is in what it says on stderr.
static void run_line_for(const char *text, int code, const char *part)
{
    const char *argv[WORDS_MAX * 2];
    size_t n = begin(argv);
    char *words = ken_arena_strdup(&arena, text);
    for (char *p = words; *p;) {
        char end = *p == '\'' ? '\'' : ' ';
        p += end == '\'';
        argv[n++] = p;
        p += strcspn(p, end == '\'' ? "'" : " ");
        while (*p == end || *p == ' ')
            *p++ = '\0';
    }
    argv[n] = NULL;
    ken_proc_result r;
    ken_err err = { 0 };
    kt_ok_err(ken_proc_run(&(ken_proc_opts){ .argv = argv, .cwd = tree, .env = ktest_env(env) }, &r,
                           &err),
              &err);
    if (r.signal || (code >= 0 && r.exit_code != code))
        kt_fail("ken %s: exit code %d\n" KEN_STR_FMT, text, r.exit_code,
                KEN_STR_ARG(ken_buf_str(&r.errors)));
    if (*part)
        kt_has_str(r.errors.ptr, part);
    ken_proc_result_release(&r);
    check_mark(text);
    check_trace(text);
}

static void run_line(const char *text)
{
    bool may_fail = strncmp(text, "eval", 4) == 0 || strstr(text, "check") ||
                    strstr(text, "health") || strstr(text, " 0000") || // of what is not there
                    strncmp(text, "migrate", 7) == 0 || strncmp(text, "worker", 6) == 0;
    run_line_for(text, may_fail ? -1 : 0, "");
}

static bool has_line(const char *command)
{
    size_t n = strlen(command);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strncmp(lines[i], command, n) == 0 && (lines[i][n] == ' ' || !lines[i][n]))
            return true;
    return false;
}

KEN_TEST(commands_run_nothing_of_an_armed_repository)
{
    arm();
    (void)real_git();
    make_hostile_env();
    cli_commands all = ken_cli__list_commands(&arena);
    for (size_t i = 0; i < all.n; i++)
        if (!has_line(all.items[i].name))
            kt_fail("no line for the command '%s': add one", all.items[i].name);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        run_line(lines[i]);
    ken_arena_release(&arena);
}

// ---- the tools ----------------------------------------------------------------------------------

// What each tool is asked; %s is the work tree. A tool without a row here fails the test.
static const struct {
    const char *tool, *arguments;
} calls[] = {
    { "index_repository", "{\"repo_path\":\"%s\",\"force_reindex\":true}" },
    { "search_code", "{\"query\":\"how are orders read\"}" },
    { "search_code", "{\"query\":\"pars.\",\"search_type\":\"regex\"}" },
    { "search", "{\"query\":\"how are orders read\"}" },
    { "get_definition", "{\"symbol_name\":\"parse\"}" },
    { "find_usages", "{\"symbol_name\":\"parse\"}" },
    { "explain_code", "{\"file_path\":\"a.c\",\"line_start\":1,\"line_end\":4}" },
    { "trace_execution", "{\"entry_point\":\"twice\"}" },
    { "get_architecture", "{}" },
    { "query_impact", "{\"file_path\":\"a.c\"}" },
    { "query_impact", "{\"diff\":\"uncommitted\"}" },
    { "query_impact", "{\"diff\":\"HEAD~1\"}" },
    { "build_context", "{\"query\":\"how are orders read\"}" },
    { "outline", "{\"file_path\":\"a.c\"}" },
    { "nodeSource", "{\"id\":\"a.c#parse\"}" },
    { "get_repo_status", "{}" },
    { "list_projects", "{}" },
    { "sync_repository", "{}" },
    { "create_task", "{\"title\":\"orders\",\"project\":\"%s\"}" },
    { "get_task", "{\"task_id\":\"3f2b8c1e-5d6a-4e7f-9a0b-1c2d3e4f5a6b\"}" },
    { "list_tasks", "{}" },
    { "update_task", "{\"task_id\":\"$task\",\"commit\":\"$head\"}" },
    { "delete_task", "{\"task_id\":\"3f2b8c1e-5d6a-4e7f-9a0b-1c2d3e4f5a6b\"}" },
    { "checkpoint_save", "{\"summary\":\"orders: half done\"}" },
    { "checkpoint_search", "{\"query\":\"orders\"}" },
    { "checkpoint_list", "{}" },
    { "checkpoint_get", "{\"checkpoint_id\":\"$checkpoint\",\"resume\":true}" },
    { "checkpoint_delete", "{\"checkpoint_id\":\"3f0c8f6e-6a6b-4e0e-9f5b-0d6a3f2f1c11\"}" },
    { "rag_setup", "{\"project_root\":\"%s\"}" },
    { "rag_setup", "{\"project_root\":\"%s\",\"force\":true}" },
    { "rag_index", "{}" },
    { "rag_check_constraints", "{\"change_description\":\"orders\",\"diff\":\"uncommitted\"}" },
    { "rag_query_impact", "{\"file_path\":\"server.js\"}" },
    { "rag_health_check", "{}" },
    { "rag_status", "{}" },
};

typedef struct server {
    pid_t pid;
    int in, out;
    char *buf; // LINE_MAX_BYTES
    size_t n;
} server;

// ken with these words, in the work tree.
static void server_start(server *s, const char *const *words)
{
    int in[2], out[2];
    const char *argv[WORDS_MAX * 2];
    size_t n = begin(argv);
    while (*words)
        argv[n++] = *words++;
    argv[n] = NULL;
    const char *const *all = ktest_env(env);
    const char *program = argv[0];
    if (has_strace())
        program = "/usr/bin/strace";
    kt_eq_i(pipe(in), 0);
    kt_eq_i(pipe(out), 0);
    s->pid = fork();
    if (!s->pid) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[1]);
        close(out[0]);
        if (chdir(tree))
            _exit(126);
        execve(program, (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)all);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    s->in = in[1];
    s->out = out[0];
    s->n = 0;
    s->buf = (char *)ken_arena_alloc(&arena, LINE_MAX_BYTES);
}

// The next line that the server says, as JSON.
static json_t *server_read(server *s)
{
    for (;;) {
        char *end = memchr(s->buf, '\n', s->n);
        if (end) {
            json_t *line = json_loadb(s->buf, (size_t)(end - s->buf), 0, NULL);
            s->n -= (size_t)(end + 1 - s->buf);
            memmove(s->buf, end + 1, s->n);
            return line;
        }
        struct pollfd p = { .fd = s->out, .events = POLLIN };
        if (poll(&p, 1, ANSWER_MS) <= 0 || s->n == LINE_MAX_BYTES)
            kt_fail("no answer from ken");
        ssize_t got = read(s->out, s->buf + s->n, LINE_MAX_BYTES - s->n);
        if (got <= 0)
            kt_fail("ken has ended");
        s->n += (size_t)got;
    }
}

// The answer to a request, as text.
static ken_str server_ask(server *s, const char *method, const char *params)
{
    static int id;
    ken_str line = ken_arena_printf(
        &arena, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}\n", ++id, method,
        params);
    kt_eq_i(write(s->in, line.ptr, line.len), (ssize_t)line.len);
    for (;;) {
        json_t *answer = server_read(s);
        kt_not_null(answer);
        bool is_it = json_integer_value(json_object_get(answer, "id")) == id;
        char *text = json_dumps(answer, JSON_COMPACT);
        ken_str kept = ken_arena_dup(&arena, ken_str_c(text));
        free(text);
        json_decref(answer);
        if (is_it)
            return kept;
    }
}

static void server_end(server *s)
{
    int status = 0;
    close(s->in);
    kt_eq_i(waitpid(s->pid, &status, 0), s->pid);
    close(s->out);
    kt_eq_i(status, 0);
}

// The first id in an answer.
static ken_str id_in(ken_str answer)
{
    for (size_t i = 0; i + 36 <= answer.len; i++) {
        ken_uuid id;
        if (ken_uuid_parse(ken_str_sub(answer, i, i + 36), &id) &&
            ken_str_sub(answer, i, i + 36).ptr[8] == '-')
            return ken_str_sub(answer, i, i + 36);
    }
    return KEN_STR("");
}

// `text` with %s, $head and the ids of earlier answers in it.
static const char *fill(const char *text, ken_str head, ken_str task, ken_str checkpoint)
{
    const struct {
        const char *from;
        ken_str to;
    } parts[] = { { "%s", ken_str_c(tree) },
                  { "$head", head },
                  { "$task", task },
                  { "$checkpoint", checkpoint } };
    ken_buf b = KEN_BUF_INIT(0);
    while (*text) {
        bool is_part = false;
        for (size_t i = 0; i < sizeof parts / sizeof *parts && !is_part; i++) {
            size_t n = strlen(parts[i].from);
            is_part = strncmp(text, parts[i].from, n) == 0;
            if (is_part) {
                ken_buf_put_str(&b, parts[i].to);
                text += n;
            }
        }
        if (!is_part)
            ken_buf_putc(&b, *text++);
    }
    ken_str kept = ken_arena_dup(&arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return kept.ptr;
}

static void check_all_tools_are_called(void)
{
    ken_toolset *all = NULL;
    kt_ok(ken_toolset_new(&(ken_toolset_opts){ 0 }, &all, NULL));
    for (size_t i = 0; i < ken_toolset_count(all); i++) {
        bool is_there = false;
        for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
            is_there |= strcmp(calls[k].tool, ken_toolset_name(all, i)) == 0;
        if (!is_there)
            kt_fail("no call of the tool '%s': add one", ken_toolset_name(all, i));
    }
    ken_toolset_free(all);
}

KEN_TEST(tools_run_nothing_of_an_armed_repository)
{
    arm();
    (void)real_git();
    make_hostile_env();
    check_all_tools_are_called();
    ken_str head = GIT_IN(tree, &arena, "-c", "alias.rev-parse=", "rev-parse", "HEAD");
    ken_str task = KEN_STR(""), checkpoint = KEN_STR("");
    server s;
    server_start(&s, (const char *const[]){ "mcp", NULL });
    (void)server_ask(&s, "initialize",
                     "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
                     "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}");
    // Nothing becomes a project by being read.
    kt_has_str(server_ask(&s, "resources/read", "{\"uri\":\"ken://%2Fetc/outline/passwd\"}").ptr,
               "index_repository");
    kt_has_str(server_ask(&s, "resources/read", "{\"uri\":\"ken://projects\"}").ptr,
               "\\\"projects\\\":[]");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const char *arguments = fill(calls[i].arguments, head, task, checkpoint);
        ken_str answer = server_ask(
            &s, "tools/call",
            ken_arena_printf(&arena, "{\"name\":\"%s\",\"arguments\":%s}", calls[i].tool, arguments)
                .ptr);
        if (strcmp(calls[i].tool, "create_task") == 0)
            task = id_in(answer);
        if (strcmp(calls[i].tool, "checkpoint_save") == 0)
            checkpoint = id_in(answer);
        check_mark(calls[i].tool);
    }
    server_end(&s);
    kt_true(task.len && checkpoint.len);
    check_mark("the server");
    check_trace("ken mcp");
    ken_arena_release(&arena);
}

// ---- the server ---------------------------------------------------------------------------------

// The process itself: beside strace, that is the one that strace started.
static pid_t own_pid(const server *s)
{
    char path[64], text[64] = "";
    int pid = 0;
    if (!has_strace())
        return s->pid;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)s->pid, (int)s->pid);
    FILE *f = fopen(path, "r");
    kt_not_null(f);
    kt_not_null(fgets(text, sizeof text, f));
    (void)fclose(f);
    pid = atoi(text);
    kt_true(pid > 1);
    return pid;
}

// A process that ends the server when the test ends without having done so.
static pid_t watch_over(pid_t pid)
{
    int ends[2];
    char byte;
    kt_eq_i(pipe(ends), 0);
    pid_t watcher = fork();
    if (!watcher) {
        close(ends[1]);
        (void)!read(ends[0], &byte, 1); // until the test has closed the other end, by its own end
        kill(pid, SIGKILL);
        _exit(0);
    }
    close(ends[0]);
    return watcher;
}

// The answer of the server to a body, or without one to GET; its status too.
static ken_str http_ask(ken_httpc *c, ken_str url, const char *body, const ken_httpc_header *more,
                        size_t n_more, int *out_status)
{
    ken_httpc_header headers[6] = { { "Content-Type", "application/json" },
                                    { "Accept", "application/json, text/event-stream" } };
    ken_httpc_response got;
    ken_err err = { 0 };
    for (size_t i = 0; i < n_more; i++)
        headers[2 + i] = more[i];
    const ken_httpc_request request = { .url = url.ptr,
                                        .headers = headers,
                                        .n_headers = 2 + n_more,
                                        .body = { body, body ? strlen(body) : 0 },
                                        .timeout_ms = ANSWER_MS };
    kt_ok_err(ken_httpc_send(c, &request, &got, &err), &err);
    ken_str text = ken_arena_dup(&arena, ken_buf_str(&got.body));
    *out_status = got.status;
    ken_httpc_response_release(&got);
    return text;
}

// A tool over MCP, as the stateless era does it.
static ken_str http_mcp(ken_httpc *c, const char *url, const char *tool, const char *arguments,
                        int *out_status)
{
    const ken_httpc_header headers[] = { { "MCP-Protocol-Version", "2026-07-28" },
                                         { "Mcp-Method", "tools/call" },
                                         { "Mcp-Name", tool } };
    ken_str body = ken_arena_printf(
        &arena,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
        "\"arguments\":%s,\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
        tool, arguments);
    return http_ask(c, ken_arena_printf(&arena, "%s/mcp", url), body.ptr, headers, 3, out_status);
}

// Every tool twice: over the API and over MCP.
static void ask_every_tool(ken_httpc *c, const char *url, ken_str head)
{
    ken_str task = KEN_STR(""), checkpoint = KEN_STR("");
    int status = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const char *tool = calls[i].tool;
        const char *arguments = fill(calls[i].arguments, head, task, checkpoint);
        ken_str answer = http_ask(c, ken_arena_printf(&arena, "%s/api/v1/%s", url, tool), arguments,
                                  NULL, 0, &status);
        bool may_fail =
            strstr(tool, "delete") || strstr(tool, "get_task") || strstr(arguments, "HEAD~");
        if (status != 200 && !may_fail)
            kt_fail("%s: %d " KEN_STR_FMT, tool, status, KEN_STR_ARG(answer));
        if (strcmp(tool, "create_task") == 0)
            task = id_in(answer);
        if (strcmp(tool, "checkpoint_save") == 0)
            checkpoint = id_in(answer);
        (void)http_mcp(c, url, tool, arguments, &status);
        kt_eq_i(status, 200);
        check_mark(tool);
    }
    kt_true(task.len && checkpoint.len);
}

// A job on the server's own, until it is done.
static void run_job(ken_httpc *c, const char *url, const char *kind)
{
    int status = 0;
    ken_str body =
        ken_arena_printf(&arena, "{\"kind\":\"%s\",\"project\":\"%s\",\"force\":true}", kind, tree);
    ken_str answer =
        http_ask(c, ken_arena_printf(&arena, "%s/api/v1/jobs", url), body.ptr, NULL, 0, &status);
    kt_true(status == 202 || status == 200);
    // Its stream ends with it.
    ken_str id = id_in(answer);
    answer = http_ask(
        c, ken_arena_printf(&arena, "%s/api/v1/jobs/" KEN_STR_FMT "/events", url, KEN_STR_ARG(id)),
        NULL, NULL, 0, &status);
    kt_eq_i(status, 200);
    kt_has_str(answer.ptr, "\"state\":\"done\"");
    check_mark(kind);
}

KEN_TEST(a_server_runs_nothing_of_an_armed_repository)
{
    arm();
    (void)real_git();
    make_hostile_env();
    ken_str head = GIT_IN(tree, &arena, "-c", "alias.rev-parse=", "rev-parse", "HEAD");
    server s;
    int status = 0;
    server_start(&s, (const char *const[]){ "serve", "--port", "0", "--json", NULL });
    json_t *ready = server_read(&s);
    const char *url = ken_arena_dup(&arena, ken_json_text(json_object_get(ready, "url"))).ptr;
    json_decref(ready);
    pid_t pid = own_pid(&s), watcher = watch_over(pid);
    ken_httpc *c = ken_httpc_new();
    ask_every_tool(c, url, head);
    run_job(c, url, "index");
    run_job(c, url, "rules_setup");
    static const char *const pages[] = { "/healthz",
                                         "/metrics",
                                         "/api/v1/openapi.json",
                                         "/api/v1/server",
                                         "/api/v1/jobs",
                                         "/api/v1/search_code?query=orders",
                                         "/api/v1/hotspots",
                                         "/api/v1/list_secrets" };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        ken_str answer =
            http_ask(c, ken_arena_printf(&arena, "%s%s", url, pages[i]), NULL, NULL, 0, &status);
        if (status != 200)
            kt_fail("%s: %d " KEN_STR_FMT, pages[i], status, KEN_STR_ARG(answer));
        check_mark(pages[i]);
    }
    ken_httpc_free(c);
    kt_eq_i(kill(pid, SIGTERM), 0);
    server_end(&s);
    kt_eq_i(kill(watcher, SIGKILL), 0);
    kt_eq_i(waitpid(watcher, &status, 0), watcher);
    check_mark("the server");
    check_trace("ken serve");
    ken_arena_release(&arena);
}

// The next line of `ken watch` that tells of that; others may come before it.
static void await_event(server *s, const char *event)
{
    for (bool is_it = false; !is_it;) {
        json_t *line = server_read(s);
        is_it = ken_str_eq_c(ken_json_text(json_object_get(line, "event")), event);
        json_decref(line);
    }
}

KEN_TEST(watching_runs_nothing_of_an_armed_repository)
{
    arm();
    (void)real_git();
    make_hostile_env();
    server s;
    server_start(&s, (const char *const[]){ "watch", "--json", NULL });
    await_event(&s, "watching");
    ktest_write("tree/saved.c", "int saved(void)\n{\n    return 1;\n}\n");
    await_event(&s, "update");
    ktest_write("tree/more/.gitignore", "x\n"); // then git is asked again
    await_event(&s, "update");
    kt_eq_i(kill(own_pid(&s), SIGTERM), 0);
    server_end(&s);
    check_mark("ken watch");
    check_trace("ken watch");
    ken_arena_release(&arena);
}

// What git would wait for, ken does not: in place of any of its files there may be a pipe.
KEN_TEST(pipes_in_place_of_git_s_files_stop_nothing)
{
    static const char *const names[] = { "HEAD", "index", "config", "info/exclude", "packed-refs" };
    static const char *const asked[] = { "index .", "search orders", "impact --diff HEAD",
                                         "rules setup . --force", "checkpoint save x" };
    arm();
    (void)real_git();
    make_hostile_env();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1200], away[1300];
        snprintf(path, sizeof path, "%s/.git/%s", tree, names[i]);
        snprintf(away, sizeof away, "%s.away", path);
        bool was_there = !rename(path, away);
        kt_eq_i(mkfifo(path, 0644), 0);
        for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
            bool is_refused = strncmp(asked[k], "impact", 6) == 0;
            run_line_for(asked[k], is_refused ? 1 : 0, is_refused ? names[i] : "");
        }
        kt_eq_i(unlink(path), 0);
        if (was_there)
            kt_eq_i(rename(away, path), 0);
    }
    ken_arena_release(&arena);
}

// The traps are live: git as people run it walks into them.
KEN_TEST(the_repository_is_armed)
{
    arm();
    (void)real_git();
    const char *const argv[] = { real_git().ptr, "--no-optional-locks", "log",
                                 "-p",           "--no-ext-diff",       NULL };
    ken_proc_result r;
    kt_ok(ken_proc_run(&(ken_proc_opts){ .argv = argv, .cwd = tree }, &r, NULL));
    ken_proc_result_release(&r);
    const char *const status[] = { real_git().ptr, "status", NULL };
    kt_ok(ken_proc_run(&(ken_proc_opts){ .argv = status, .cwd = tree }, &r, NULL));
    ken_proc_result_release(&r);
    const char *const diff[] = { real_git().ptr, "diff", NULL };
    kt_ok(ken_proc_run(&(ken_proc_opts){ .argv = diff, .cwd = tree }, &r, NULL));
    ken_proc_result_release(&r);
    const char *ran = ktest_read(mark).ptr;
    kt_has_str(ran, "gpg__openpgp_.program");
    kt_has_str(ran, "core.fsmonitor");
    kt_has_str(ran, "filter__x_.clean");
    kt_has_str(ran, "filter__included_.clean");
    kt_has_str(ran, "filter__included-if_.process");
    kt_has_str(ran, "diff__x_.textconv");
    ken_arena_release(&arena);
}
