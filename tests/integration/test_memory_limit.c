// SPDX-License-Identifier: MIT
// A first index under a limit: what the process and its children (git) take of their own stays below
// it. Own memory is RssAnon, read from /proc again and again while the run goes on and summed over the
// processes; the largest resident set that the kernel counted (wait4) holds file pages as well: of the
// database no more than the run may map, and the program with its libraries.
//
// A sanitizer keeps memory of its own: there the run must only end well.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktest.h"

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

enum {
    LIMIT_MIB = 64, // the least that may be asked for
    PROGRAM_MIB = 40,
    N_FILES = IS_SANITIZED ? 200 : 1800,
    N_FUNCTIONS = 90,
};

static void make_tree(void)
{
    static char text[32000];
    for (int i = 0; i < N_FILES; i++) {
        char path[100];
        int n = snprintf(text, sizeof text, "\"\"\"Part %d.\"\"\"\n", i);
        for (int k = 0; k < N_FUNCTIONS; k++)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "def part_%d_step_%d(amount_%d):\n    \"\"\"Posts entry %d.\"\"\"\n"
                          "    return retry_%d(amount_%d + %d)\n\n",
                          i, k, i, k * i, (i * 7 + k) % 5000, i, k);
        snprintf(path, sizeof path, "proj/d%d/part%d.py", i / 100, i);
        ktest_write(path, text);
    }
}

static pid_t start(const char *program, const char *const *argv)
{
    char data[600];
    snprintf(data, sizeof data, "%s/data", ktest_dir());
    pid_t pid = fork();
    if (!pid) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        setenv("KEN_DATA_DIR", data, 1);
        setenv("HOME", ktest_dir(), 1);
        if (!chdir(ktest_path("proj")))
            execvp(program, (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    kt_true(pid > 0);
    return pid;
}

static long own_kib(long pid)
{
    char path[100], line[300];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "RssAnon: %ld", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib;
}

// Of the process and of all that its main thread or another one has started.
static long own_with_children(pid_t pid)
{
    char command[100];
    long sum = own_kib(pid), child;
    snprintf(command, sizeof command, "cat /proc/%ld/task/*/children 2>/dev/null", (long)pid);
    FILE *f = popen(command, "r");
    while (f && fscanf(f, "%ld", &child) == 1)
        sum += own_kib(child);
    if (f)
        pclose(f);
    return sum;
}

KEN_TEST(a_first_index_and_its_children_stay_below_the_limit)
{
    make_tree();
    const char *const git[] = { "sh", "-c", "git init -q . && git add .", NULL };
    int status;
    kt_true(waitpid(start("sh", git), &status, 0) > 0);
    kt_eq_i(status, 0);
    const char *const argv[] = { "ken", "index", ".", "--memory-limit", "64MiB", NULL };
    pid_t pid = start(KEN_BINARY, argv);
    struct rusage use = { 0 };
    long own = 0;
    pid_t ended;
    do {
        long now = own_with_children(pid);
        own = now > own ? now : own;
        ended = wait4(pid, &status, WNOHANG, &use);
    } while (!ended);
    kt_eq_i(ended, pid);
    kt_eq_i(status, 0);
    if (IS_SANITIZED)
        return;
    kt_true(own > 8 * 1024); // it was seen at work
    kt_true(own <= LIMIT_MIB * 1024L);
    kt_true(use.ru_maxrss <= (LIMIT_MIB + LIMIT_MIB / 8 + PROGRAM_MIB) * 1024L);
}
