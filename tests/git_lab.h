// SPDX-License-Identifier: MIT
// git_lab.h -- real git for tests. Skips a test where git is not installed.
#ifndef KEN_TESTS_GIT_LAB_H
#define KEN_TESTS_GIT_LAB_H

#include "base/arena.h"
#include "ktest.h"
#include "proc/proc.h"

// Runs git in a folder; `argv` begins with "git" and ends with NULL. What it printed, in the arena
// (NULL = not wanted).
static inline ken_str git_run(const char *folder, ken_arena *arena, const char *const *argv)
{
    ken_proc_result r = { 0 };
    if (ken_proc_run(&(ken_proc_opts){ .argv = argv, .cwd = folder, .env = ktest_env(NULL) }, &r,
                     NULL))
        kt_skip("git", "git is not installed");
    if (r.exit_code)
        kt_fail("git %s: %s", argv[1], r.errors.ptr ? r.errors.ptr : "failed");
    ken_str text = { NULL, 0 };
    if (arena)
        text = ken_arena_dup(arena, ken_str_trim(ken_buf_str(&r.out)));
    ken_proc_result_release(&r);
    return text;
}

// The same as somebody, whatever the settings of whoever runs the tests.
#define GIT_IN(folder, arena, ...)                                                                \
    git_run(folder, arena,                                                                        \
            (const char *const[]){ "git", "-c", "user.name=t", "-c", "user.email=t@example.org",  \
                                   "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main", \
                                   __VA_ARGS__, NULL })

#endif
