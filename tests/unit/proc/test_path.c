// SPDX-License-Identifier: MIT
// Which program a name stands for, whatever PATH says.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "git_lab.h"
#include "ktest.h"
#include "proc/proc_git.h"
#include "proc/proc_priv.h"

static char was_path[8192], was_dir[1024];

static void put_program(const char *rel, unsigned mode)
{
    const char *path = ktest_write(rel, "#!/bin/sh\necho wrong\n");
    kt_eq_i(chmod(path, mode), 0);
}

// Where `name` is found with this PATH, by a process that was started in `cwd`; "" = nowhere.
static const char *find_from(const char *cwd, const char *path, const char *name,
                             const char *child_cwd)
{
    static char found[1024];
    ken_arena a;
    const char *program = "";
    if (!was_path[0])
        snprintf(was_path, sizeof was_path, "%s", getenv("PATH"));
    kt_not_null(getcwd(was_dir, sizeof was_dir));
    kt_eq_i(chdir(cwd), 0);
    setenv("PATH", path, 1);
    ken_proc__start_again();
    ken_arena_init(&a, 0);
    if (ken_proc__find(name, child_cwd, &a, &program, NULL))
        program = "";
    snprintf(found, sizeof found, "%s", program);
    ken_arena_release(&a);
    kt_eq_i(chdir(was_dir), 0);
    setenv("PATH", was_path, 1);
    ken_proc__start_again();
    return found;
}

KEN_TEST(programs_of_a_project_are_not_found)
{
    static char path[4096];
    const char *t = ktest_path("tree");
    put_program("tree/true", 0755);
    put_program("tree/bin/true", 0755);
    put_program("tree/node_modules/.bin/true", 0755);
    put_program("elsewhere/node_modules/.bin/true", 0755);
    kt_ok(ken_fs_make_dirs(ktest_path("tree/.git"), 0755, NULL));
    kt_ok(ken_fs_make_dirs(ktest_path("tree/deep/er"), 0755, NULL));
    snprintf(path, sizeof path,
             "./node_modules/.bin:.:bin::%s:%s/bin:%s/node_modules/.bin:%s/../elsewhere/"
             "node_modules/.bin:%s/node_modules/.bin:/usr/bin:/bin",
             t, t, t, t, ktest_path("elsewhere"));
    const char *real = "/bin/true";
    kt_has_str(find_from(t, path, "true", NULL), real);
    kt_has_str(find_from(ktest_path("tree/deep/er"), path, "true", NULL), real);
    // Started elsewhere, run there.
    kt_has_str(find_from("/", path, "true", ktest_path("tree/deep")), real);
    // What somebody has of his own counts, where no project is involved.
    put_program("mine/bin/true", 0755);
    snprintf(path, sizeof path, "%s:/usr/bin", ktest_path("mine/bin"));
    kt_eq_str(find_from("/", path, "true", t), ktest_path("mine/bin/true"));
    kt_has_str(find_from("/", path, "true", ktest_path("mine")), real);
}

KEN_TEST(programs_that_everybody_may_write_are_not_found)
{
    static char path[4096];
    put_program("open/true", 0755);
    put_program("shut/true", 0777);
    kt_eq_i(chmod(ktest_path("open"), 0777), 0);
    snprintf(path, sizeof path, "%s:%s", ktest_path("open"), ktest_path("shut"));
    kt_eq_str(find_from("/", path, "true", NULL), "");
    kt_eq_i(chmod(ktest_path("open"), 0755), 0);
    kt_eq_str(find_from("/", path, "true", NULL), ktest_path("open/true"));
}

KEN_TEST(relative_programs_are_refused)
{
    ken_proc_result r;
    ken_err err = { 0 };
    const char *const argv[] = { "./true", NULL };
    put_program("true", 0755);
    kt_status(ken_proc_run(&(ken_proc_opts){ .argv = argv, .cwd = ktest_dir() }, &r, &err),
              KEN_EINVAL);
    kt_has_str(err.msg, "'./true'");
}

KEN_TEST(a_path_that_changes_later_does_not_count)
{
    put_program("later/true", 0755);
    ken_proc_start();
    const char *path = getenv("PATH");
    char *was = strdup(path ? path : "");
    setenv("PATH", ktest_path("later"), 1);
    const char *const argv[] = { "true", NULL };
    ken_proc_result r;
    kt_ok(ken_proc_run(&(ken_proc_opts){ .argv = argv }, &r, NULL));
    setenv("PATH", was, 1);
    free(was);
    kt_eq_u(r.out.len, 0);
    ken_proc_result_release(&r);
}

KEN_TEST(git_runs_listed_commands_only)
{
    static const char *const refused[] = { "fetch", "push",          "gc", "checkout",
                                           "-c",    "--exec-path=x", "sh", "config" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ken_proc_result r;
        ken_err err = { 0 };
        const char *const argv[] = { refused[i], NULL };
        kt_status(ken_git_run(&(ken_proc_opts){ .argv = argv }, &r, &err), KEN_EINVAL);
        kt_has_str(err.msg, refused[i]);
    }
}

KEN_TEST(git_does_not_wait_for_pipes)
{
    static const char *const names[] = { "HEAD",        "index",        "config",
                                         "packed-refs", "info/exclude", "objects/info/alternates",
                                         "commondir" };
    kt_ok(ken_fs_make_dirs(ktest_path("t/.git/info"), 0755, NULL));
    kt_ok(ken_fs_make_dirs(ktest_path("t/.git/objects/info"), 0755, NULL));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char rel[200];
        snprintf(rel, sizeof rel, "t/.git/%s", names[i]);
        const char *path = ktest_path(rel);
        kt_eq_i(mkfifo(path, 0644), 0);
        ken_proc_result r;
        ken_err err = { 0 };
        const char *const argv[] = { "status", NULL };
        kt_status(ken_git_run(&(ken_proc_opts){ .argv = argv, .cwd = ktest_path("t") }, &r, &err),
                  KEN_EUNSUPPORTED);
        kt_has_str(err.msg, names[i]);
        kt_has_str(err.msg, "pipe");
        kt_eq_i(unlink(path), 0);
    }
}

// What git quotes of its settings and arguments, be it made of words.
KEN_TEST(what_git_complains_of_names_nobody)
{
    static const char *const urls[] = {
        "https://jane:correcthorse@git.example.org/a.git",
        "https://correcthorse@git.example.org/a.git",
        "https://a:b@jane:correcthorse@git.example.org/a.git",
        "ssh://git.example.org/ghp_9fQ2kX7bLm4ZtR8sWv3YcN6dHj1GpA5eUo0B",
    };
    kt_ok(ken_fs_make_dirs(ktest_path("said"), 0755, NULL));
    GIT_IN(ktest_path("said"), NULL, "init", "-q");
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        char option[200];
        snprintf(option, sizeof option, "--with-tree=%s", urls[i]);
        const char *const argv[] = { "ls-files", option, NULL };
        ken_proc_result r = { 0 };
        ken_err err = { 0 };
        ken_proc_opts opts = { .argv = argv, .cwd = ktest_path("said") };
        kt_ok_err(ken_git_run(&opts, &r, &err), &err);
        kt_true(r.exit_code != 0);
        kt_has_str(r.errors.ptr, "git.example.org/");
        kt_has_str(r.errors.ptr, "***");
        kt_null(strstr(r.errors.ptr, "correcthorse"));
        kt_null(strstr(r.errors.ptr, "9fQ2kX7b"));
        ken_proc_result_release(&r);
    }
}
