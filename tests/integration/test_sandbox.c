// SPDX-License-Identifier: MIT
// `ken index` and `ken mcp` are in the sandbox when they work. The git that they find is a script of
// ours: it notes what it can do, which is what ken itself can, and then does what git does.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "git_lab.h"
#include "sandbox/sandbox.h"

enum {
    WAIT_MS = 60000
};

typedef struct child {
    pid_t pid;
    int to, from;
    bool lacks_landlock;
} child;

static const char *const mode_off[] = { "KEN_SANDBOX=off", NULL };
static const char *const mode_on[] = { "KEN_SANDBOX=on", NULL };

static void make_lab(void)
{
    if (!ken_sandbox_landlock())
        kt_skip("landlock", "this kernel has no Landlock");
    if (access("/usr/bin/git", X_OK))
        kt_skip("git", "there is no /usr/bin/git");
    char script[4000];
    snprintf(script, sizeof script,
             "#!/bin/sh\n"
             "d='%s'\n"
             "{\n"
             "  grep -e '^NoNewPrivs:' -e '^Seccomp:' /proc/self/status\n"
             "  for at in elsewhere project tmp data; do\n"
             "    if (: > \"$d/$at/made\") 2> /dev/null; then echo \"write $at: done\"\n"
             "    else echo \"write $at: denied\"; fi\n"
             "  done\n"
             "  if \"$d/project/program\" 2> /dev/null; then echo 'run: done'\n"
             "  else echo 'run: denied'; fi\n"
             "} >> \"$d/tmp/seen\"\n"
             "exec /usr/bin/git \"$@\"\n",
             ktest_dir());
    kt_false(chmod(ktest_write("bin/git", script), 0700));
    ktest_write("tmp/seen", "");
    ktest_write("data/x", "");
    ktest_write("elsewhere/x", "");
    ktest_write("project/apples.c", "// Counts apples.\nint apples(int a) { return a + 1; }\n");
    kt_false(chmod(ktest_write("project/program", "#!/bin/sh\nexit 0\n"), 0700));
    GIT_IN(ktest_path("project"), NULL, "init", "-q", "--template=");
    GIT_IN(ktest_path("project"), NULL, "add", ".", "-f", "--all");
    GIT_IN(ktest_path("project"), NULL, "commit", "-q", "-m", "first");
}

// As on a kernel that has no Landlock.
static void hide_landlock(void)
{
    const unsigned create_ruleset = 444;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { .len = sizeof code / sizeof *code, .filter = code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        _exit(127);
}

// Ours, with what the lab has over it, and `more` ("NAME=value", up to NULL; or NULL) over that.
static void set_env(const char *dir, const char *const *more)
{
    static const struct {
        const char *name, *after;
    } of_lab[] = { { "PATH", "/bin:/usr/bin:/bin" },
                   { "TMPDIR", "/tmp" },
                   { "KEN_DATA_DIR", "/data" },
                   { "HOME", "" } };
    char value[700];
    for (size_t i = 0; i < sizeof of_lab / sizeof *of_lab; i++) {
        snprintf(value, sizeof value, "%s%s", dir, of_lab[i].after);
        setenv(of_lab[i].name, value, 1);
    }
    for (size_t i = 0; more && more[i]; i++) {
        const char *at = strchr(more[i], '=');
        snprintf(value, sizeof value, "%.*s", (int)(at - more[i]), more[i]);
        setenv(value, at + 1, 1);
    }
}

// Starts ken with these words in the project; what it writes to stdout and stderr comes from c->from.
static void start(child *c, const char *const *env, const char *a, const char *b)
{
    int in[2] = { -1, -1 }, out[2] = { -1, -1 };
    const char *dir = ktest_dir(), *project = ktest_path("project");
    kt_false(pipe(in) || pipe(out));
    c->pid = fork();
    if (!c->pid) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(out[1], 2);
        for (int fd = 3; fd < 64; fd++)
            close(fd);
        if (chdir(project))
            _exit(127);
        set_env(dir, env);
        if (c->lacks_landlock)
            hide_landlock();
        execl(KEN_BINARY, KEN_BINARY, a, b, (char *)NULL);
        _exit(127);
    }
    kt_true(c->pid > 0);
    close(in[0]);
    close(out[1]);
    c->to = in[1];
    c->from = out[0];
}

// What it writes up to `end`, or all of it when NULL.
static const char *wait_for(child *c, const char *end)
{
    static char text[1 << 18];
    size_t n = 0;
    text[0] = '\0';
    while (n < sizeof text - 1 && (!end || !strstr(text, end))) {
        struct pollfd p = { .fd = c->from, .events = POLLIN };
        if (poll(&p, 1, WAIT_MS) <= 0)
            kt_fail("nothing for a minute after: %s", text);
        ssize_t got = read(c->from, text + n, sizeof text - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
        text[n] = '\0';
    }
    if (end && !strstr(text, end))
        kt_fail("no '%s' in: %s", end, text);
    return text;
}

static int end(child *c)
{
    int status = 0;
    close(c->to);
    (void)wait_for(c, NULL);
    close(c->from);
    kt_eq_i(waitpid(c->pid, &status, 0), c->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *seen(void)
{
    const char *text = ktest_read(ktest_path("tmp/seen")).ptr;
    kt_has_str(text, "NoNewPrivs:"); // it was asked at all
    return text;
}

static void index_project(const char *const *env)
{
    child c = { .pid = 0 };
    start(&c, env, "index", ktest_path("project"));
    kt_eq_i(end(&c), 0);
}

#define CALL(id, name, args)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name \
    "\",\"arguments\":" args "}}\n"

static void put(child *c, const char *text)
{
    kt_eq_i(write(c->to, text, strlen(text)), (ssize_t)strlen(text));
}

static void start_server(child *c, const char *const *env, const char *project)
{
    start(c, env, "mcp", project);
    put(c, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
           "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
           "\"name\":\"t\",\"version\":\"1\"}}}\n"
           "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    (void)wait_for(c, "\"id\":1");
}

// Has the server look at the project, git included.
static void ask(child *c)
{
    char text[900];
    snprintf(text, sizeof text, CALL("2", "index_repository", "{\"repo_path\":\"%s\"}"),
             ktest_path("project"));
    put(c, text);
    (void)wait_for(c, "\"id\":2");
}

KEN_TEST(index_writes_its_own_folders_and_runs_nothing_of_the_project)
{
    make_lab();
    index_project(NULL);
    const char *text = seen();
    kt_has_str(text, "NoNewPrivs:\t1");
    kt_has_str(text, "Seccomp:\t2");
    kt_has_str(text, "write elsewhere: denied");
    kt_has_str(text, "write project: denied");
    kt_has_str(text, "run: denied");
    kt_has_str(text, "write tmp: done");
    kt_has_str(text, "write data: done");
    kt_null(strstr(text, "NoNewPrivs:\t0"));
    kt_null(strstr(text, "write elsewhere: done"));
    kt_null(strstr(text, "write project: done"));
    kt_null(strstr(text, "run: done"));
}

KEN_TEST(off_limits_nothing)
{
    make_lab();
    index_project(mode_off);
    const char *text = seen();
    kt_has_str(text, "write elsewhere: done");
    kt_has_str(text, "run: done");
    kt_null(strstr(text, "denied"));
}

static void check_status(pid_t pid)
{
    char path[100], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    kt_not_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    kt_has_str(text, "NoNewPrivs:\t1");
    kt_has_str(text, "Seccomp:\t2");
}

KEN_TEST(a_bound_server_writes_its_project_and_nothing_beside)
{
    make_lab();
    child c = { .pid = 0 };
    char text[900];
    start_server(&c, NULL, ktest_path("project"));
    check_status(c.pid);
    ask(&c);
    snprintf(text, sizeof text, CALL("3", "rag_setup", "{\"project_root\":\"%s\"}"),
             ktest_path("project"));
    put(&c, text);
    kt_has_str(wait_for(&c, "\"id\":3"), "written ARCHITECTURE.yml");
    kt_eq_i(end(&c), 0);
    kt_false(access(ktest_path("project/ARCHITECTURE.yml"), R_OK));
    kt_has_str(seen(), "write project: done");
    kt_has_str(seen(), "write elsewhere: denied");
    kt_has_str(seen(), "run: denied");
    kt_null(strstr(seen(), "write elsewhere: done"));
    kt_null(strstr(seen(), "run: done"));
}

KEN_TEST(a_server_without_roots_runs_nothing_of_a_project)
{
    make_lab();
    child c = { .pid = 0 };
    start_server(&c, NULL, NULL);
    check_status(c.pid);
    ask(&c);
    kt_eq_i(end(&c), 0);
    kt_has_str(seen(), "write elsewhere: done"); // rag_setup may be asked of any folder
    kt_has_str(seen(), "run: denied");
    kt_null(strstr(seen(), "run: done"));
}

KEN_TEST(a_server_with_roots_writes_in_these)
{
    make_lab();
    child c = { .pid = 0 };
    char roots[600];
    snprintf(roots, sizeof roots, "KEN_ALLOWED_ROOTS=%s/project", ktest_dir());
    const char *const env[] = { roots, NULL };
    start_server(&c, env, NULL);
    ask(&c);
    kt_eq_i(end(&c), 0);
    kt_has_str(seen(), "write project: done");
    kt_has_str(seen(), "write elsewhere: denied");
    kt_null(strstr(seen(), "write elsewhere: done"));
}

KEN_TEST(a_root_that_is_not_there_yet_can_be_made_and_set_up)
{
    make_lab();
    child c = { .pid = 0 };
    char roots[600];
    snprintf(roots, sizeof roots, "KEN_ALLOWED_ROOTS=%s/project,%s/later", ktest_dir(),
             ktest_dir());
    const char *const env[] = { roots, NULL };
    start_server(&c, env, NULL);
    ask(&c);
    kt_eq_i(end(&c), 0);
    kt_has_str(seen(), "write elsewhere: done");
}

KEN_TEST(projects_that_are_known_stay_writable_beside_the_roots)
{
    make_lab();
    index_project(mode_off);
    ktest_write("tmp/seen", "");
    child c = { .pid = 0 };
    char roots[600];
    ktest_write("roots/x", "");
    snprintf(roots, sizeof roots, "KEN_ALLOWED_ROOTS=%s/roots", ktest_dir());
    const char *const env[] = { roots, NULL };
    start_server(&c, env, NULL);
    ask(&c);
    kt_eq_i(end(&c), 0);
    kt_has_str(seen(), "write project: done");
    kt_has_str(seen(), "write elsewhere: denied");
}

KEN_TEST(a_server_that_only_reads_writes_no_project)
{
    static const char *const env[] = { "KEN_READ_ONLY=true", NULL };
    make_lab();
    index_project(mode_off);
    ktest_write("tmp/seen", "");
    child c = { .pid = 0 };
    start_server(&c, env, NULL);
    put(&c, CALL("2", "get_architecture", "{}"));
    (void)wait_for(&c, "\"id\":2");
    kt_eq_i(end(&c), 0);
    kt_has_str(seen(), "write project: denied");
    kt_has_str(seen(), "write elsewhere: denied");
}

KEN_TEST(on_needs_a_kernel_that_can_do_it)
{
    make_lab();
    index_project(mode_on);
    kt_has_str(seen(), "write elsewhere: denied");
    child c = { .lacks_landlock = true };
    start(&c, mode_on, "index", ktest_path("project"));
    kt_has_str(wait_for(&c, "KEN_SANDBOX=off"), "Landlock");
    kt_eq_i(end(&c), 1);
    start(&c, NULL, "index", ktest_path("project"));
    kt_eq_i(end(&c), 0);
    start(&c, NULL, "doctor", NULL);
    (void)wait_for(&c, "no Landlock");
    (void)end(&c);
}
