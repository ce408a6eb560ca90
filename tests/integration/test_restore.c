// SPDX-License-Identifier: MIT
// `ken restore`, and what `ken doctor` says of journals, as a person meets them: a journal of theirs
// that is none, is cut off, is of other data, or is good; journals of indexes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "ktest.h"
#include "proc/proc.h"

enum {
    TIME_LIMIT_MS = 60000
};

static struct {
    int code;
    char out[8192], errors[8192];
} last;

static ken_err err;

// Runs `command` in sh, with $KEN the program; its data are in ./<data>.
static int run_in(const char *data, const char *command)
{
    char dir[600], home[600], program[600];
    const char *const argv[] = { "sh", "-c", command, NULL };
    snprintf(dir, sizeof dir, "KEN_DATA_DIR=%s", ktest_path(data));
    snprintf(home, sizeof home, "HOME=%s", ktest_path("home"));
    snprintf(program, sizeof program, "KEN=%s", KEN_BINARY);
    const char *const env[] = { dir, home, program, "NO_COLOR=1", "XDG_CONFIG_HOME", NULL };
    ken_proc_opts opts = {
        .argv = argv, .cwd = ktest_dir(), .env = env, .timeout_ms = TIME_LIMIT_MS
    };
    ken_proc_result r = { 0 };
    kt_ok_err(ken_proc_run(&opts, &r, &err), &err);
    last.code = r.exit_code;
    snprintf(last.out, sizeof last.out, KEN_STR_FMT, KEN_STR_ARG(ken_buf_str(&r.out)));
    snprintf(last.errors, sizeof last.errors, KEN_STR_FMT, KEN_STR_ARG(ken_buf_str(&r.errors)));
    ken_proc_result_release(&r);
    return last.code;
}

static int run(const char *command)
{
    return run_in("data", command);
}

static void ok(const char *command)
{
    if (run(command))
        kt_fail("%s: %s%s", command, last.out, last.errors);
}

static void make_place(void)
{
    ktest_write("home/.keep", "");
    ktest_write("proj/a.c", "int first(void)\n{\n    return 1;\n}\n");
    ok("cd proj && $KEN index . && $KEN checkpoint save 'stood here' && $KEN checkpoint save "
       "'and there'");
    ok("$KEN task new 'wash the apples'");
    ok("$KEN task new 'dry the apples'");
    ok("cp data/config/projects.db.writes good.writes");
}

// All of the data folder but what opening a database for reading changes.
static void note_state(const char *name)
{
    char command[400];
    snprintf(command, sizeof command,
             "cd data && find . -type f ! -name '*-shm' ! -name '*-wal' | sort | xargs sha256sum > "
             "../%s",
             name);
    ok(command);
}

static void check_same_state(void)
{
    note_state("after");
    ok("cmp before after");
}

KEN_TEST(restore_from_what_is_no_journal_touches_nothing)
{
    make_place();
    ok("$KEN task list");
    note_state("before");
    ktest_write("shopping", "apples\npears\n");
    ktest_write("empty", "");
    static const char *const files[] = { "shopping", "empty", "proj", "data/config/projects.db" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char command[200];
        snprintf(command, sizeof command, "$KEN restore --from %s", files[i]);
        if (!run(command))
            kt_fail("%s: %s", command, last.out);
        kt_has_str(last.errors, "--from");
        snprintf(command, sizeof command, "$KEN restore --dry-run --from %s", files[i]);
        kt_true(run(command) != 0);
        check_same_state();
    }
    kt_true(run("$KEN restore --from nowhere") != 0);
    kt_has_str(last.errors, "nowhere");
    // The journal of an index.
    kt_true(run("$KEN restore --from data/indexes/project-*.db.writes") != 0);
    kt_has_str(last.errors, "another");
    check_same_state();
}

KEN_TEST(restore_from_a_journal_that_is_cut_off_takes_what_is_whole)
{
    make_place();
    ok("head -c -30 good.writes > cut.writes");
    ok("$KEN restore --dry-run --from cut.writes");
    kt_has_str(last.out, "cut off");
    ok("$KEN restore --dry-run --json --from cut.writes");
    kt_has_str(last.out, "\"cut_off\": true");
    ok("$KEN restore --from cut.writes");
    kt_has_str(last.out, "cut off");
    kt_has_str(last.out, "1 tasks");
    ok("$KEN task list");
    kt_has_str(last.out, "wash the apples");
    kt_null(strstr(last.out, "dry the apples"));
    // What was replaced is kept, and can be had again.
    ok("$KEN restore --from data/config/projects.db.writes.damaged-1 && $KEN task list");
    kt_has_str(last.out, "wash the apples");
    kt_has_str(last.out, "dry the apples");
}

KEN_TEST(restore_from_a_journal_of_other_data_takes_their_place)
{
    make_place();
    if (run_in("other", "$KEN task new 'peel the pears'"))
        kt_fail("%s", last.errors);
    ok("$KEN restore --from other/config/projects.db.writes && $KEN task list");
    kt_has_str(last.out, "peel the pears");
    kt_null(strstr(last.out, "apples"));
    ok("test -e data/config/projects.db.damaged-1");
    ok("$KEN task new 'eat the pears'");
    if (run_in("other", "$KEN task list") || strstr(last.out, "eat"))
        kt_fail("theirs was written: %s%s", last.out, last.errors);
    ok("$KEN restore --from good.writes && $KEN task list");
    kt_has_str(last.out, "wash the apples");
    kt_null(strstr(last.out, "pears"));
}

KEN_TEST(restore_from_a_good_journal_where_there_are_no_data)
{
    make_place();
    if (run_in("fresh", "$KEN restore --dry-run --from good.writes"))
        kt_fail("%s", last.errors);
    kt_true(!ken_fs_exists(ktest_path("fresh/config/projects.db")));
    if (run_in("fresh", "$KEN restore --from good.writes && $KEN task list"))
        kt_fail("%s", last.errors);
    kt_has_str(last.out, "wash the apples");
    kt_has_str(last.out, "dry the apples");
}

KEN_TEST(doctor_and_restore_know_the_journals_of_indexes)
{
    make_place();
    ok("$KEN doctor");
    ok("f=$(echo data/indexes/project-*.db.writes); sed -i 's/stood here/stood hare/' $f");
    ok("$KEN doctor; true");
    kt_has_str(last.out, "journal of its checkpoints has 1 damaged");
    kt_has_str(last.out, "ken restore");
    ok("$KEN restore");
    kt_has_str(last.out, "made 1 damaged journals of indexes anew");
    ok("$KEN doctor");
    kt_null(strstr(last.out, "damaged"));
    // And the new one has all of them.
    ok("rm data/indexes/project-*.db && cd proj && $KEN index . && $KEN checkpoint list");
    kt_has_str(last.out, "stood here");
    kt_has_str(last.out, "and there");
}

KEN_TEST(doctor_says_that_the_database_of_a_journal_is_gone)
{
    make_place();
    ok("rm data/config/projects.db data/config/projects.db-* 2>/dev/null; $KEN doctor; true");
    // Whoever lists projects may have brought it back by then: either way nothing is lost.
    ok("$KEN restore && $KEN task list");
    kt_has_str(last.out, "wash the apples");
    kt_has_str(last.out, "dry the apples");
}
