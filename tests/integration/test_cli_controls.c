// SPDX-License-Identifier: MIT
// What a repository says may not drive the terminal of who reads it: escape sequences, line tricks
// and controls of writing direction in names, code and messages are shown as U+FFFD. JSON keeps
// them.
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "ktest.h"
#include "proc/proc.h"

#define ESC  "\033[31m"
#define BIDI "\xe2\x80\xae" // U+202E
#define MARK "\xe2\x81\xa6" // U+2066
#define C1   "\xc2\x9b"     // U+009B, another way to begin an escape sequence

enum {
    ARGS_MAX = 8
};

static ken_proc_result r;

static void run(const char *const *args)
{
    char data[500], home[500];
    const char *argv[ARGS_MAX + 2] = { KEN_BINARY };
    for (size_t i = 0; i < ARGS_MAX && args[i]; i++)
        argv[i + 1] = args[i];
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s/data", ktest_dir());
    snprintf(home, sizeof home, "HOME=%s", ktest_dir());
    const char *const env[] = { data, home, "NO_COLOR=1", "TERM=dumb", NULL };
    ken_err err = { 0 };
    ken_proc_opts opts = { .argv = argv, .cwd = ktest_path("proj"), .env = env };
    kt_ok_err(ken_proc_run(&opts, &r, &err), &err);
}

static bool has(const ken_buf *b, const char *part)
{
    return ken_str_find(ken_buf_str(b), ken_str_c(part)) != SIZE_MAX;
}

static void check_harmless(const char *what, const ken_buf *b)
{
    static const char *const parts[] = { "\033", BIDI, MARK, C1, "\r", "\x07" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (has(b, parts[i]))
            kt_fail("%s: control %zu of the list comes through:\n%s", what, i, b->ptr);
}

KEN_TEST(controls_do_not_reach_the_terminal)
{
    ktest_write("proj/evil" BIDI "yp.py",
                "# " BIDI " doc\ndef evil_one(a): # " MARK " x\r\n    return '" C1 "31m" BIDI
                "'\n\n\ndef caller():\n    return evil_one(1)\n");
    ktest_write("proj/skip" ESC BIDI ".png", "\x89PNG\r\n");
    static const char *const commands[][ARGS_MAX] = {
        { "index", "." },
        { "search", "evil one" },
        { "search", "--mode", "text", "return" },
        { "search", "--mode", "text", ESC BIDI "nothing" },
        { "def", "evil_one" },
        { "refs", "evil_one" },
        { "trace", "caller" },
        { "impact", "evil_one" },
        { "outline", "evil" BIDI "yp.py" },
        { "chunks", "evil" BIDI "yp.py" },
        { "context", "evil one" },
        { "arch" },
        { "hotspots" },
        { "dead" },
        { "status", "--skipped" },
        { "stats" },
        { "projects" },
        { "doctor" },
        { "task", "new", "do " ESC BIDI "it" },
        { "task", "list" },
        { "checkpoint", "save", "at " ESC BIDI "it" },
        { "checkpoint", "list" },
        { "def", ESC BIDI "no" },
        { "outline", "no" ESC BIDI ".py" },
        { "search", "x", "/no/such" ESC BIDI },
        { ESC BIDI "command" },
        { "search", "--" ESC BIDI },
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char what[100];
        snprintf(what, sizeof what, "ken %s (%zu)", commands[i][0], i);
        run(commands[i]);
        check_harmless(what, &r.out);
        check_harmless(what, &r.errors);
        ken_proc_result_release(&r);
    }
    run((const char *const[]){ "search", "evil one", "--json", NULL });
    kt_true(has(&r.out, BIDI) || has(&r.out, "\\u202e"));
    ken_proc_result_release(&r);
}
