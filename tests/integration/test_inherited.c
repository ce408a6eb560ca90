// SPDX-License-Identifier: MIT
// What a parent hands on to ken (ignored and blocked signals, closed descriptors, a mode for new
// files, an empty environment) does not change its answers, nor where they go.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "git_lab.h"
#include "ktest.h"
#include "proc/proc.h"

static ken_proc_result r;

// Runs a line of shell in the project; $KEN is the program.
static void shell(const char *line)
{
    char data[500], home[500], program[1000];
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s/data", ktest_dir());
    snprintf(home, sizeof home, "HOME=%s", ktest_dir());
    snprintf(program, sizeof program, "KEN=%s", KEN_BINARY);
    const char *const env[] = { data, home, program, "NO_COLOR=1", NULL };
    const char *const argv[] = { "sh", "-c", line, NULL };
    ken_err err = { 0 };
    ken_proc_opts opts = { .argv = argv, .cwd = ktest_path("p"), .env = env };
    ken_proc_result_release(&r);
    kt_ok_err(ken_proc_run(&opts, &r, &err), &err);
}

static const char *text_of(const ken_buf *b)
{
    return b->len ? b->ptr : "";
}

static void make_project(void)
{
    ktest_write("p/a.py", "def parcel():\n    return 1\n");
    ktest_write("p/.gitignore", "left.py\n");
    ktest_write("p/left.py", "def left_out():\n    return 2\n");
    GIT_IN(ktest_path("p"), NULL, "init", "-q");
    GIT_IN(ktest_path("p"), NULL, "add", ".");
    GIT_IN(ktest_path("p"), NULL, "commit", "-q", "-m", "first");
}

static void check_answers(void)
{
    shell("\"$KEN\" def parcel");
    kt_eq_i(r.exit_code, 0);
    kt_has_str(text_of(&r.out), "a.py");
}

KEN_TEST(children_are_reaped_by_ken_whatever_the_parent_ignores)
{
    make_project();
    shell("\"$KEN\" --json doctor");
    ken_buf usual = r.out;
    r.out = (ken_buf){ 0 };
    kt_has_str(usual.ptr, "git version");
    shell("trap '' CHLD HUP USR1 USR2 ALRM; exec \"$KEN\" --json doctor");
    kt_has_str(text_of(&r.out), "git version");
    ken_buf_release(&usual);
    shell("trap '' CHLD; exec \"$KEN\" index .");
    kt_eq_i(r.exit_code, 0);
    kt_eq_text(ken_buf_str(&r.errors), "");
    check_answers();
}

KEN_TEST(a_job_in_the_background_is_not_interrupted)
{
    make_project();
    // A shell without job control starts `ken &` with SIGINT ignored.
    shell("trap '' INT; (sleep 0.2; kill -INT $$) & exec \"$KEN\" index .");
    kt_eq_i(r.exit_code, 0);
    check_answers();
}

KEN_TEST(a_blocked_signal_still_ends_a_server)
{
    int status = 0, in[2];
    kt_true(!pipe(in));
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (!pid) {
        dup2(in[0], STDIN_FILENO);
        close(in[1]);
        execl(KEN_BINARY, KEN_BINARY, "mcp", (char *)NULL);
        _exit(127);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(in[0]);
    pid_t got = 0;
    for (int i = 0; i < 400 && !got; i++) { // until it has its handlers, and then some
        kill(pid, SIGTERM);
        nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
        got = waitpid(pid, &status, WNOHANG);
    }
    if (!got)
        kill(pid, SIGKILL);
    close(in[1]);
    kt_eq_i(got, pid);
}

KEN_TEST(closed_descriptors_take_no_file)
{
    make_project();
    shell("exec \"$KEN\" index . <&- >&- 2>&-");
    kt_eq_i(r.exit_code, 1); // what it has to say goes nowhere
    check_answers();
    shell("exec \"$KEN\" status --json >&-"); // an answer that goes nowhere is said
    kt_eq_i(r.exit_code, 1);
    kt_has_str(text_of(&r.errors), "writing the answer");
    shell("exec \"$KEN\" mcp <&-"); // no input is the end of input
    kt_eq_i(r.exit_code, 0);
    for (int i = 0; i < 3; i++) {
        shell("echo 'def more(): pass' >> a.py; exec \"$KEN\" index . 2>&-");
        kt_eq_i(r.exit_code, 0);
    }
    check_answers();
    shell("exec \"$KEN\" doctor --deep");
    kt_eq_i(r.exit_code, 0);
}

KEN_TEST(what_is_kept_is_private_whatever_the_mode_for_new_files)
{
    make_project();
    shell(
        "umask 0; \"$KEN\" index . && \"$KEN\" checkpoint save -m x; find \"$KEN_DATA_DIR\" -perm /077");
    kt_eq_i(r.exit_code, 0);
    kt_null(strstr(text_of(&r.out), ktest_path("data")));
    check_answers();
}

KEN_TEST(without_an_environment_ken_answers)
{
    make_project();
    shell("\"$KEN\" index .");
    shell("exec env -i KEN_DATA_DIR=\"$KEN_DATA_DIR\" \"$KEN\" def parcel");
    kt_eq_i(r.exit_code, 0);
    kt_has_str(text_of(&r.out), "a.py");
    shell("exec env -i KEN_DATA_DIR=\"$KEN_DATA_DIR\" PATH= HOME= \"$KEN\" doctor --json");
    kt_has_str(text_of(&r.out), "git");
}
