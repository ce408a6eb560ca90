// SPDX-License-Identifier: MIT
// ken task, the real binary: what people see, and two processes that write at once.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "base/buf.h"
#include "ktest.h"
#include "proc/proc.h"
#include "store/tasks.h"

enum {
    ARGS_MAX = 16
};

static char out[64 * 1024], errors[8 * 1024];

static void copy_text(char *to, size_t max, const ken_buf *from)
{
    size_t n = from->len < max - 1 ? from->len : max - 1;
    if (n)
        memcpy(to, from->ptr, n);
    to[n] = '\0';
}

// Runs `ken task` with these arguments, which end with NULL; its exit code.
static int task(const char *first, ...)
{
    static char data[600], home[600];
    const char *argv[ARGS_MAX] = { KEN_BINARY, "task", first };
    const char *const env[] = { data, home, "NO_COLOR", "TERM=dumb", "KEN_TASK_STATUSES", NULL };
    va_list ap;
    va_start(ap, first);
    for (size_t i = 3; first && i < ARGS_MAX - 1; i++) {
        argv[i] = va_arg(ap, const char *);
        if (!argv[i])
            break;
    }
    va_end(ap);
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s/data", ktest_dir());
    snprintf(home, sizeof home, "HOME=%s", ktest_dir());
    ken_err err = { 0 };
    ken_proc_result r;
    kt_ok_err(
        ken_proc_run(&(ken_proc_opts){ .argv = argv, .cwd = ktest_dir(), .env = ktest_env(env) },
                     &r, &err),
        &err);
    copy_text(out, sizeof out, &r.out);
    copy_text(errors, sizeof errors, &r.errors);
    int code = r.exit_code;
    ken_proc_result_release(&r);
    return code;
}

// The id of a new task.
static const char *new_task(const char *title)
{
    static char id[8][64];
    static int n;
    char *to = id[n++ % 8];
    kt_eq_i(task("new", title, NULL), 0);
    kt_eq_u(strlen(out), 37);
    memcpy(to, out, 36);
    to[36] = '\0';
    return to;
}

static json_t *shown(const char *id)
{
    kt_eq_i(task("show", id, "--json", NULL), 0);
    json_t *t = json_loads(out, 0, NULL);
    kt_not_null(t);
    return t;
}

KEN_TEST(task_is_kept_shown_and_deleted)
{
    kt_eq_i(task("new", "Retry uploads", "that time out", "--ref", "docs/plan.md", "-d",
                 "large files\nare lost", NULL),
            0);
    char id[37] = "";
    snprintf(id, sizeof id, "%.36s", out);
    kt_eq_i(task("set", id, "--status", "in-progress", "--branch", "feature/retry", NULL), 0);
    kt_eq_i(task("show", id, NULL), 0);
    kt_has_str(out, "Retry uploads that time out\n");
    kt_has_str(out, "[in-progress]");
    kt_has_str(out, "planned in docs/plan.md");
    kt_has_str(out, "on feature/retry");
    kt_has_str(out, "  are lost\n");
    kt_has_str(out, "need to be done -> in-progress");
    const char *other = new_task("Clean the build folder");
    kt_eq_i(task(NULL), 0);
    kt_has_str(out, id);
    kt_has_str(out, other);
    kt_eq_i(task("--status", "in-progress", NULL),
            0); // of the list, which the word alone stands for
    kt_has_str(out, id);
    kt_null(strstr(out, other));
    kt_eq_i(task("--help", NULL), 0);
    kt_has_str(out, "actions:\n");
    kt_eq_i(task("list", "--status", "in-progress", NULL), 0);
    kt_has_str(out, id);
    kt_null(strstr(out, other));
    kt_eq_i(task("list", "lost uploads", "-k", "1", NULL), 0);
    kt_has_str(out, id);
    kt_eq_i(task("list", "--branch", "feature/retry", "--json", NULL), 0);
    json_t *list = json_loads(out, 0, NULL);
    kt_eq_i(json_integer_value(json_object_get(list, "total")), 1);
    json_decref(list);
    kt_eq_i(task("delete", id, NULL), 0);
    kt_has_str(out, "deleted 'Retry uploads that time out'");
    kt_eq_i(task("show", id, NULL), 1);
    kt_has_str(errors, "there is no task");
}

static void add_with_id(ken_catalog *c, const char *id, const char *title)
{
    ken_arena arena;
    ken_err err = { 0 };
    ken_task t = { .title = ken_str_c(title),
                   .status = KEN_STR("in-progress"),
                   .created_at_ms = 1 },
             made;
    ken_arena_init(&arena, 0);
    kt_true(ken_uuid_parse(ken_str_c(id), &t.uuid));
    kt_ok_err(ken_catalog_add_task(c, &t, &arena, &made, &err), &err);
    ken_arena_release(&arena);
}

KEN_TEST(beginning_of_an_id_is_enough)
{
    ken_err err = { 0 };
    ken_catalog *c = NULL;
    kt_eq_i(task("list", NULL), 0); // makes the folder
    kt_ok_err(ken_catalog_open(ktest_path("data/config/projects.db"), false, &c, &err), &err);
    add_with_id(c, "abcd1111-0000-4000-8000-000000000001", "the first");
    add_with_id(c, "abcd2222-0000-4000-8000-000000000002", "the second");
    add_with_id(c, "abce0000-0000-4000-8000-000000000003", "the third");
    ken_catalog_close(c);
    kt_eq_i(task("show", "abce", NULL), 0);
    kt_has_str(out, "the third\n");
    kt_eq_i(task("set", "ABCD2", "--notes", "found", NULL), 0);
    kt_has_str(out, "the second\n");
    kt_eq_i(task("show", "abcd1111-0", NULL), 0);
    kt_has_str(out, "the first\n");
    kt_eq_i(task("delete", "abcd", NULL), 2);
    kt_has_str(errors, "abcd1111-0000-4000-8000-000000000001 (the first)");
    kt_has_str(errors, "abcd2222-0000-4000-8000-000000000002 (the second)");
    kt_null(strstr(errors, "the third"));
    kt_has_str(errors, "'abcd' is the beginning of 2 ids");
    kt_eq_i(task("show", "abcf", NULL), 1);
    kt_has_str(errors, "no task whose id begins with 'abcf'");
    kt_eq_i(task("show", "abc", NULL), 2);
    kt_has_str(errors, "at least its first 4 digits, not 'abc'");
    kt_eq_i(task("show", "abcd-", NULL), 2);
    kt_eq_i(task("show", "abcg", NULL), 2);
    kt_eq_i(task("delete", "abcd1", NULL), 0);
    kt_has_str(out, "deleted 'the first'");
    kt_eq_i(task("show", "abcd", NULL), 0);
}

KEN_TEST(bad_input_says_what_is_wrong)
{
    char title[202 * 4 + 1] = "";
    for (int i = 0; i < 201; i++)
        memcpy(title + strlen(title), "\xf0\x9f\x90\x9b", 5);
    kt_eq_i(task("new", title, NULL), 2);
    kt_has_str(errors, "TITLE");
    kt_has_str(errors, "201");
    title[800] = '\0';
    const char *id = new_task(title);
    kt_eq_i(task("new", NULL), 2);
    kt_has_str(errors, "TITLE");
    kt_eq_i(task("set", id, "--title", "", NULL), 2);
    kt_eq_i(task("set", id, "--status", "done", NULL), 2);
    kt_has_str(errors, "'need to be done', 'in-progress', 'complete', not 'done'");
    kt_eq_i(task("set", id, "--commit", "abc", NULL), 2);
    kt_has_str(errors, "commit: must be 40 hexadecimal digits, or at least the first 7, not 'abc'");
    kt_eq_i(task("set", id, "--branch", "a..b", NULL), 2);
    kt_eq_i(task("set", id, "--ref", "../up", NULL), 2);
    kt_eq_i(task("show", "17", NULL), 2);
    kt_has_str(errors, "at least its first 4 digits, not '17'");
    kt_eq_i(task("show", "3f2b8c1e-5d6a-4e7f-9a0b-1c2d3e4f5a6b", NULL), 1);
    kt_eq_i(task("show", NULL), 2);
    kt_has_str(errors, "ken task show ID");
    kt_eq_i(task("lst", NULL), 2);
    kt_has_str(errors, "did you mean 'ken task list'?");
    kt_eq_i(task("list", "-k", "101", NULL), 2);
    kt_eq_i(task("set", id, "--branch", "main", NULL), 0);
    kt_eq_i(task("set", id, "--branch", "main", NULL), 0);
    json_t *t = shown(id);
    kt_eq_u(json_array_size(json_object_get(t, "branches")), 1);
    json_decref(t);
}

enum {
    WRITERS = 4,
    WRITES = 5
};

// Runs `write` in WRITERS processes at once; how many of them answered 0.
static int at_once(int (*write)(const char *id, const char *arg, int writer), const char *id,
                   const char *arg)
{
    pid_t pids[WRITERS];
    int n_ok = 0;
    for (int p = 0; p < WRITERS; p++) {
        pids[p] = fork();
        kt_true(pids[p] >= 0);
        if (!pids[p])
            _exit(write(id, arg, p));
    }
    for (int p = 0; p < WRITERS; p++) {
        int status = 0;
        kt_true(waitpid(pids[p], &status, 0) == pids[p]);
        n_ok += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    return n_ok;
}

static int link_branches(const char *id, const char *arg, int writer)
{
    (void)arg;
    for (int i = 0; i < WRITES; i++) {
        char branch[40];
        snprintf(branch, sizeof branch, "w%d/b%d", writer, i);
        if (task("set", id, "--branch", branch, NULL))
            return 1;
    }
    return 0;
}

static int set_notes(const char *id, const char *read, int writer)
{
    char notes[40];
    snprintf(notes, sizeof notes, "of writer %d", writer);
    int code = task("set", id, "--notes", notes, "--if-updated-at", read, NULL);
    return code && strstr(errors, "was changed since: its updated_at is 20") ? 7 : code;
}

KEN_TEST(writers_at_once_lose_nothing)
{
    const char *id = new_task("shared");
    kt_eq_i(at_once(link_branches, id, NULL), WRITERS);
    json_t *t = shown(id);
    kt_eq_u(json_array_size(json_object_get(t, "branches")), WRITERS * WRITES);
    // All have read the same state: one is first, the others are told so.
    kt_eq_i(at_once(set_notes, id, json_string_value(json_object_get(t, "updated_at"))), 1);
    json_t *now = shown(id);
    kt_has_str(json_string_value(json_object_get(now, "notes")), "of writer ");
    json_decref(t);
    json_decref(now);
}
