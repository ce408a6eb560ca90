// SPDX-License-Identifier: MIT
// ken checkpoint, the real binary: what people see.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "ktest.h"
#include "proc/proc.h"

enum {
    ARGS_MAX = 16
};

static char out[16 * 1024], errors[4 * 1024];

static void copy_text(char *to, size_t max, const ken_buf *from)
{
    snprintf(to, max, "%.*s", (int)from->len, from->ptr ? from->ptr : "");
}

// Runs ken with these arguments, which end with NULL, in the project's folder; its exit code.
static int ken(const char *first, ...)
{
    static char data[600], home[600];
    const char *argv[ARGS_MAX] = { KEN_BINARY, first };
    const char *const env[] = { data, home, "NO_COLOR", "TERM=dumb", NULL };
    va_list ap;
    va_start(ap, first);
    for (size_t i = 2; i < ARGS_MAX - 1; i++) {
        argv[i] = va_arg(ap, const char *);
        if (!argv[i])
            break;
    }
    va_end(ap);
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s", ktest_path("data"));
    snprintf(home, sizeof home, "HOME=%s", ktest_dir());
    ken_proc_result r = { 0 };
    ken_err err = { 0 };
    kt_ok_err(
        ken_proc_run(
            &(ken_proc_opts){ .argv = argv, .env = ktest_env(env), .cwd = ktest_path("proj") }, &r,
            &err),
        &err);
    copy_text(out, sizeof out, &r.out);
    copy_text(errors, sizeof errors, &r.errors);
    int code = r.exit_code;
    ken_proc_result_release(&r);
    return code;
}

KEN_TEST(notes_are_saved_listed_found_shown_and_deleted)
{
    char id[40];
    ktest_write("proj/src/retry.c", "int retry(int n) { return n + 1; }\n");
    ktest_write("proj/.git/HEAD", "ref: refs/heads/main\n"); // a work tree is indexed when asked
    kt_eq_i(ken("checkpoint", NULL), 0);
    kt_has_str(out, "no checkpoints");
    kt_eq_i(ken("checkpoint", "save", "retries", "half done", "-t", "wip", "-t", "net", "-d",
                "the ceiling is next", "--context", "{\"n\":1}", NULL),
            0);
    kt_true(!strncmp(out, "created ", 8));
    snprintf(id, sizeof id, "%.36s", out + 8);
    kt_eq_i(ken("checkpoint", "save", "docs begun", "-t", "docs", NULL), 0);
    kt_eq_i(ken("checkpoint", "list", NULL), 0);
    kt_has_str(out, "docs begun  [docs]\n");
    kt_has_str(out, "retries half done  [net, wip]\n");
    kt_true(strstr(out, "docs begun") < strstr(out, "retries"));
    kt_eq_i(ken("checkpoint", "list", "-t", "!docs", NULL), 0);
    kt_null(strstr(out, "docs begun"));
    kt_eq_i(ken("checkpoint", "list", "-t", "indexed", NULL), 0);
    kt_has_str(out, "Indexed file: src/retry.c  [.c, indexed, repository]\n");
    kt_eq_i(ken("checkpoint", "search", "how far are retries", "--no-files", "-k", "1", NULL), 0);
    kt_has_str(out, id);
    kt_eq_i(ken("checkpoint", "save", "retries done", "--update", id, NULL), 0);
    kt_eq_i(ken("checkpoint", "show", id, "--resume", NULL), 0);
    kt_has_str(out, "retries done  [net, wip]\n");
    kt_has_str(out, "\nthe ceiling is next\n");
    kt_has_str(out, "context: {\"n\":1}\n");
    kt_eq_i(ken("checkpoint", "list", "--json", NULL), 0);
    kt_has_str(out, "\"total\": 2");
    kt_eq_i(ken("checkpoint", "delete", id, NULL), 0);
    kt_has_str(out, "deleted ");
    kt_eq_i(ken("checkpoint", "show", id, NULL), 1);
    kt_has_str(errors, "there is no checkpoint");
}

KEN_TEST(what_was_typed_wrongly_is_told)
{
    ktest_write("proj/a.c", "int a;\n");
    ktest_write("proj/.git/HEAD", "ref: refs/heads/main\n");
    kt_eq_i(ken("checkpoint", "keep", NULL), 2);
    kt_has_str(errors, "did you mean 'ken checkpoint save'?");
    kt_eq_i(ken("checkpoint", "show", NULL), 2);
    kt_has_str(errors, "ken checkpoint show ID");
    kt_eq_i(ken("checkpoint", "save", NULL), 2);
    kt_has_str(errors, "SUMMARY");
    kt_eq_i(ken("checkpoint", "save", "x", "--context", "{", NULL), 2);
    kt_has_str(errors, "--context");
    kt_eq_i(ken("checkpoint", "list", "-k", "201", NULL), 2);
    kt_eq_i(ken("checkpoint", "show", "12", NULL), 2);
    kt_has_str(errors, "expected a UUID, got '12'");
}
