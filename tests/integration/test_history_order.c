// SPDX-License-Identifier: MIT
// The same files, indexed at once or one after the other with detours: every answer is the same,
// equals in the same order. The files are made so that almost everything is equal.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "ktest.h"
#include "proc/proc.h"

enum {
    MODULES = 6,
    ARGS_MAX = 8
};

static char *run(const char *data, const char *const *args)
{
    char data_env[500], home[500];
    const char *argv[ARGS_MAX + 2] = { KEN_BINARY };
    for (size_t i = 0; i < ARGS_MAX && args[i]; i++)
        argv[i + 1] = args[i];
    snprintf(data_env, sizeof data_env, "KEN_DATA_DIR=%s/%s", ktest_dir(), data);
    snprintf(home, sizeof home, "HOME=%s", ktest_dir());
    const char *const env[] = { data_env, home, "NO_COLOR=1", "TERM=dumb", NULL };
    ken_err err = { 0 };
    ken_proc_result r;
    ken_proc_opts opts = { .argv = argv, .cwd = ktest_path("proj"), .env = env };
    kt_ok_err(ken_proc_run(&opts, &r, &err), &err);
    if (r.exit_code)
        kt_fail("ken %s: %s", args[0], r.errors.ptr ? r.errors.ptr : "");
    char *text = ken_strndup(r.out.ptr ? r.out.ptr : "", r.out.len);
    ken_proc_result_release(&r);
    return text;
}

#define RUN(data, ...) run(data, (const char *const[]){ __VA_ARGS__, NULL })

static void write_module(int i, const char *more)
{
    char path[100], text[1000];
    snprintf(path, sizeof path, "proj/m%d/shape.py", i);
    snprintf(text, sizeof text,
             "import m%d.use\n\nclass Shape%d:\n    def area(self):\n        return %d\n\n\n"
             "def grow_%d(shape):\n    for i in range(3):\n        if shape:\n            if i:\n"
             "                while shape.area():\n                    return Shape%d()\n%s",
             (i + 1) % MODULES, i, i, i, i, more);
    ktest_write(path, text);
    snprintf(path, sizeof path, "proj/m%d/use.py", i);
    snprintf(
        text, sizeof text,
        "from m%d.shape import Shape%d, grow_%d\n\n\ndef use_%d():\n    return grow_%d(Shape%d())\n"
        "\n\ndef unused():\n    return Both()\n\n\nclass Both:\n    pass\n",
        i, i, i, i, i, i);
    if (i > 1) // only two of them define it
        text[strlen(text) - strlen("\n\nclass Both:\n    pass\n")] = '\0';
    ktest_write(path, text);
}

KEN_TEST(answers_do_not_follow_the_history_of_the_index)
{
    ktest_write("proj/README.md", "# Shapes\n");
    ken_free(RUN("slow", "index", "."));
    for (int i = MODULES - 1; i >= 0; i--) {
        write_module(i, "\n\nclass Passing:\n    pass\n");
        ken_free(RUN("slow", "index", "."));
        write_module(i, "");
        ken_free(RUN("slow", "index", "."));
    }
    ken_free(RUN("fresh", "index", "."));
    static const char *const questions[][ARGS_MAX] = {
        { "arch" },
        { "dead" },
        { "hotspots" },
        { "impact", "m0/shape.py" },
        { "refs", "area" },
        { "def", "Both" },
        { "search", "grow shape" },
        { "search", "--mode", "symbol", "use" },
        { "context", "how do shapes grow" },
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        char *slow = run("slow", questions[i]), *fresh = run("fresh", questions[i]);
        kt_eq_str(slow, fresh);
        ken_free(slow);
        ken_free(fresh);
    }
}
