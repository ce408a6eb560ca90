// SPDX-License-Identifier: MIT
// A real file system that is full, and a process that may have little: descriptors, address space,
// stack, file size, threads. Each time the answer is the usual one, says what it lacks, or is one
// line of error; what was there before stays.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "ktest.h"
#include "proc/proc.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

static ken_proc_result r;

static void shell(const char *format, const char *argument)
{
    char command[2000], data[500], home[500];
    snprintf(command, sizeof command, "%s", format);
    const char *const argv[] = { "sh", "-c", command, KEN_BINARY, argument, NULL };
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s/disk/data", ktest_dir());
    snprintf(home, sizeof home, "HOME=%s", ktest_dir());
    const char *const env[] = { data, home, "NO_COLOR=1", "TERM=dumb", NULL };
    ken_err err = { 0 };
    ken_proc_result_release(&r);
    ken_proc_opts opts = {
        .argv = argv, .cwd = ktest_path("proj"), .env = env, .timeout_ms = 60000
    };
    kt_ok_err(ken_proc_run(&opts, &r, &err), &err);
    ken_buf_putc(&r.out, '\0');
    ken_buf_putc(&r.errors, '\0');
}

static void make_project(int n_files)
{
    ktest_write("disk/.keep", "");
    for (int i = 0; i < n_files; i++) {
        char path[100], text[4000];
        snprintf(path, sizeof path, "proj/part%d.py", i);
        int n = snprintf(text, sizeof text, "\"\"\"Part %d.\"\"\"\n", i);
        for (int k = 0; k < 30; k++)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "def part_%d_step_%d(x):\n    return retry_%d(x + %d)\n\n", i, k, i, k);
        ktest_write(path, text);
    }
    ktest_write("proj/retry.py", "def retry_job(job):\n    \"\"\"Tries again.\"\"\"\n    job()\n");
}

static void must_answer(const char *what)
{
    if (r.exit_code || r.signal)
        kt_fail("%s: status %d, signal %d: %s", what, r.exit_code, r.signal, r.errors.ptr);
}

// Fine, or failed with a line that says so.
static void must_end_well(const char *what)
{
    bool is_said = strstr(r.errors.ptr, "ken: ") && !strstr(r.errors.ptr, "assertion");
    if (r.signal || (r.exit_code && (r.exit_code != 1 || !is_said)))
        kt_fail("%s: status %d, signal %d: %s", what, r.exit_code, r.signal, r.errors.ptr);
}

KEN_TEST(a_full_disk_loses_nothing)
{
    make_project(80);
    if (mount("tmpfs", ktest_path("disk"), "tmpfs", 0, "size=3m"))
        kt_skip("mount", "not allowed here");
    shell("\"$0\" task new 'before the flood' && \"$0\" index .", NULL);
    must_answer("index");
    shell("\"$0\" search 'tries again'", NULL);
    must_answer("search");
    char *want = strdup(r.out.ptr);
    shell("head -c 8m /dev/zero >../disk/ballast 2>/dev/null; true", NULL);
    static const char *const commands[] = {
        "\"$0\" index . --force",
        "\"$0\" task new 'in the flood'",
        "\"$0\" checkpoint save 'in the flood'",
        "echo 'def late(): pass' >>part1.py; \"$0\" index .",
        "\"$0\" search late",
        "\"$0\" refs retry_job",
        "\"$0\" rules setup",
        "\"$0\" status",
        "\"$0\" task list",
        "for i in 1 2 3 4 5 6; do \"$0\" task new \"$i\" || exit 1; done",
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        shell(commands[i], NULL);
        must_end_well(commands[i]);
    }
    shell("\"$0\" search 'tries again'", NULL);
    must_end_well("search"); // opening a database takes a little room
    bool is_same = r.exit_code || !strcmp(r.out.ptr, want);
    shell("rm ../disk/ballast; \"$0\" index .", NULL);
    int after = r.exit_code;
    shell("\"$0\" task list", NULL);
    bool is_kept = strstr(r.out.ptr, "before the flood") != NULL;
    shell("\"$0\" search late", NULL);
    bool is_found = strstr(r.out.ptr, "part1.py") != NULL;
    kt_eq_i(umount2(ktest_path("disk"), MNT_DETACH), 0);
    free(want);
    kt_true(is_same);
    kt_eq_i(after, 0);
    kt_true(is_kept);
    kt_true(is_found);
}

static void try_limit(const char *limit, const char *command)
{
    char line[300];
    snprintf(line, sizeof line, "ulimit %s && exec \"$0\" %s", limit, command);
    shell(line, NULL);
    must_end_well(line);
}

KEN_TEST(little_of_everything_is_enough_or_said)
{
    make_project(10);
    shell("\"$0\" index .", NULL);
    must_answer("index");
    static const char *const commands[] = { "search 'tries again'", "index . --force", "task new x",
                                            "refs retry_job" };
    static const char *const limits[] = {
        "-n 4",  "-n 5", "-n 6", "-n 7", "-n 8",  "-n 9",   "-n 10", "-n 12",  "-n 14",
        "-n 16", "-f 0", "-f 1", "-f 8", "-f 64", "-f 300", "-s 64", "-s 128", "-s 1024",
    };
    static const char *const sizes[] = { "-v 90000",  "-v 120000", "-v 140000", "-v 150000",
                                         "-v 180000", "-v 200000", "-v 250000", "-v 400000" };
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i += IS_SANITIZED ? 3 : 1)
            if (!IS_SANITIZED || limits[i][1] == 'n' || limits[i][1] == 'f')
                try_limit(limits[i], commands[c]);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !IS_SANITIZED; i++)
            try_limit(sizes[i], commands[c]);
    }
    shell("\"$0\" index . && \"$0\" search 'tries again'", NULL);
    must_answer("afterwards");
    kt_has_str(r.out.ptr, "retry.py");
}
