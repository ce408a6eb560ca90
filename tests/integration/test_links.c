// SPDX-License-Identifier: MIT
// Healthy things reached in another way: a data folder, a database and a project behind symbolic
// links, a work tree of git whose .git is a file. They work as if they were reached directly.
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "ktest.h"
#include "proc/proc.h"

static ken_proc_result r;

// Runs `command` in proj/ with the program as $ken and data/ as its data folder.
static const char *shell(const char *command)
{
    char data[500], home[500], program[500];
    const char *const argv[] = { "sh", "-ec", command, NULL };
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s/data", ktest_dir());
    snprintf(home, sizeof home, "HOME=%s", ktest_dir());
    snprintf(program, sizeof program, "ken=%s", KEN_BINARY);
    const char *const env[] = { data,
                                home,
                                program,
                                "NO_COLOR=1",
                                "TERM=dumb",
                                "GIT_AUTHOR_NAME=a",
                                "GIT_AUTHOR_EMAIL=a@example.org",
                                "GIT_COMMITTER_NAME=a",
                                "GIT_COMMITTER_EMAIL=a@example.org",
                                NULL };
    ken_err err = { 0 };
    ken_proc_result_release(&r);
    ken_proc_opts opts = {
        .argv = argv, .cwd = ktest_path("proj"), .env = env, .timeout_ms = 120000
    };
    kt_ok_err(ken_proc_run(&opts, &r, &err), &err);
    ken_buf_putc(&r.out, '\0');
    ken_buf_putc(&r.errors, '\0');
    if (r.exit_code || r.signal)
        kt_fail("%s: status %d, signal %d: %s%s", command, r.exit_code, r.signal, r.out.ptr,
                r.errors.ptr);
    return r.out.ptr;
}

static void make_project(void)
{
    ktest_write("proj/retry.py", "def retry_job(job):\n    \"\"\"Tries again.\"\"\"\n    job()\n");
    ktest_write("proj/.gitignore", "made.py\n");
    ktest_write("proj/made.py", "def made_by_a_program(): pass\n");
}

KEN_TEST(a_data_folder_behind_a_link_is_that_folder)
{
    make_project();
    shell("mkdir ../real; ln -s real ../data; $ken index . && $ken task new 'through the link'");
    kt_has_str(shell("$ken search 'tries again'"), "retry.py");
    kt_has_str(shell("KEN_DATA_DIR=../real $ken search 'tries again'"), "retry.py");
    shell("KEN_DATA_DIR=../real $ken task new 'without the link'");
    kt_has_str(shell("$ken task list"), "without the link");
    kt_has_str(r.out.ptr, "through the link");
    shell("$ken doctor --deep");
}

KEN_TEST(databases_behind_links_are_read_and_written)
{
    make_project();
    shell("$ken index . && $ken task new before && $ken checkpoint save before");
    shell("mkdir ../else; for f in ../data/indexes/*.db ../data/config/*.db; do"
          "  mv $f ../else/; ln -s ../../else/${f##*/} $f; done");
    kt_has_str(shell("$ken search 'tries again'"), "retry.py");
    shell("echo 'def added_later(): pass' >late.py; $ken index .; $ken task new after;"
          "$ken checkpoint save after");
    kt_has_str(shell("$ken search added_later"), "late.py");
    kt_has_str(shell("$ken task list"), "before");
    kt_has_str(r.out.ptr, "after");
    kt_has_str(shell("$ken checkpoint list"), "before");
    kt_has_str(r.out.ptr, "after");
    shell("$ken doctor --deep; $ken index . --force");
    kt_has_str(shell("$ken checkpoint list"), "after");
    // The links stay, and what was written is behind them.
    shell("for f in ../data/indexes/*.db ../data/config/*.db; do test -L $f; done;"
          "mkdir ../moved ../moved/config; cp ../else/projects.db ../moved/config/");
    kt_has_str(shell("KEN_DATA_DIR=../moved $ken task list"), "after");
}

KEN_TEST(a_project_behind_a_link_is_the_same_project)
{
    make_project();
    shell("ln -s proj ../link; $ken index . && cd ../link && $ken index .");
    kt_has_str(shell("$ken search 'tries again' --project ../link"), "retry.py");
    kt_has_str(shell("ls ../data/indexes/*.db | wc -l"), "1");
}

KEN_TEST(a_work_tree_whose_git_is_a_file_is_a_work_tree)
{
    make_project();
    shell("git init -q --template= . && git add . && git commit -q -m first");
    shell("git worktree add -q ../tree -b side && test -f ../tree/.git");
    shell("cd ../tree && echo 'def made_by_a_program(): pass' >made.py && "
          "echo 'def only_here(): pass' >only.py && git add only.py && git commit -q -m second && "
          "$ken index .");
    kt_has_str(shell("cd ../tree && $ken search only_here"), "only.py");
    kt_false(strstr(shell("cd ../tree && $ken search made_by_a_program"), "made.py:") != NULL);
    shell("cd ../tree && $ken checkpoint save here && test \"$($ken checkpoint list --json | "
          "grep -c side)\" -gt 0");
    shell("$ken index .");
    kt_false(strstr(shell("$ken search only_here"), "only.py") != NULL);
    kt_has_str(shell("$ken projects list --json | grep -o '\"root\"' | wc -l"), "2");
    kt_has_str(shell("$ken checkpoint list"), "no checkpoints"); // of this tree
    kt_has_str(shell("ls ../data/indexes/*.db | wc -l"), "2");   // which has a file for its own now
}
