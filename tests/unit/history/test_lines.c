// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "history_lab.h"

static ken_history_touches touches(const char *path, uint32_t first, uint32_t last)
{
    ken_history_touches t = { 0 };
    kt_ok_err(ken_history_of_lines(root, KEN_STR(""), ken_str_c(path), first, last, NULL, &arena,
                                   &t, &err),
              &err);
    return t;
}

static void make_three(void)
{
    lab_start("tree");
    put("a.c", "one\ntwo\nthree\nfour\n");
    commit(0, "ann", "begin");
    put("a.c", "one\nTWO\nthree\nfour\n");
    commit(1, "bob", "louder");
    put("a.c", "one\nTWO\nthree\nFOUR\n");
    commit(2, "eve", "louder still");
}

KEN_TEST(lines_have_the_commits_that_left_them_newest_first)
{
    make_three();
    ken_history_touches t = touches("a.c", 0, 3);
    kt_eq_text(t.reason, "");
    kt_eq_u(t.n_touches, 3);
    kt_eq_text(t.touches[0].commit.subject, "louder still");
    kt_eq_text(t.touches[0].commit.author, "eve");
    kt_eq_i(t.touches[0].commit.time_s, LAB_DAY_0 + 2 * LAB_DAY);
    kt_eq_text(t.touches[0].commit.id, git("rev-parse", "HEAD", NULL).ptr);
    kt_eq_u(t.touches[0].n_lines, 1);
    kt_eq_text(t.touches[2].commit.subject, "begin");
    kt_eq_u(t.touches[2].n_lines, 2);
    t = touches("a.c", 1, 1);
    kt_eq_u(t.n_touches, 1);
    kt_eq_text(t.touches[0].commit.author, "bob");
    lab_end();
}

// What a rebase leaves: the newest is the one that was made of the others, not one by chance.
KEN_TEST(commits_of_one_second_keep_their_order)
{
    static const char *const names[] = { "zero", "one", "two", "three", "four", "five", "six" };
    char text[64] = "";
    lab_start("tree");
    for (size_t i = 0; i < 7; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", names[i]);
        put("a.c", text);
        commit(0, "ann", names[i]);
    }
    ken_history_touches t = touches("a.c", 0, 6);
    kt_eq_u(t.n_commits, 7);
    kt_eq_u(t.n_touches, KEN_HISTORY_AUTHORS);
    for (size_t i = 0; i < t.n_touches; i++)
        kt_eq_text(t.touches[i].commit.subject, names[6 - i]);
    lab_end();
}

KEN_TEST(lines_are_those_on_disk_and_renames_are_followed)
{
    make_three();
    put("a.c", "new\none\nTWO\nthree\nFOUR\n");
    ken_history_touches t = touches("a.c", 0, 2);
    kt_eq_u(t.n_uncommitted, 1);
    kt_eq_u(t.n_touches, 2);
    kt_eq_text(t.touches[0].commit.author, "bob");
    git("mv", "a.c", "b.c", NULL); // not committed
    t = touches("b.c", 2, 2);
    kt_eq_u(t.n_touches, 1);
    kt_eq_text(t.touches[0].commit.author, "bob");
    commit(3, "dan", "rename and add");
    t = touches("b.c", 0, 4);
    kt_eq_u(t.n_touches, 4);
    kt_eq_u(t.n_uncommitted, 0);
    lab_end();
}

// Where a shallow clone ends nobody knows who wrote the lines: its oldest commit is not named for them.
KEN_TEST(the_end_of_a_shallow_clone_is_no_author)
{
    make_three();
    git("clone", "-q", "--depth=2", "--no-local", ken_arena_printf(&arena, "file://%s", root).ptr,
        ktest_path("shallow"), NULL);
    ken_history_touches t;
    ken_err e = { 0 };
    kt_ok_err(ken_history_of_lines(ktest_path("shallow"), KEN_STR(""), KEN_STR("a.c"), 0, 3, NULL,
                                   &arena, &t, &e),
              &e);
    kt_eq_u(t.n_touches, 1);
    kt_eq_text(t.touches[0].commit.author, "eve");
    kt_eq_u(t.n_beyond, 3);
    kt_has_str(t.reason.ptr, "shallow clone: 3 lines");
    lab_end();
}

KEN_TEST(a_branch_is_ahead_of_and_behind_what_it_follows)
{
    ken_history_distance d;
    lab_start("tree");
    put("a.c", "one\n");
    commit(0, "ann", "begin");
    kt_false(ken_history_upstream(root, NULL, NULL, &arena, &d));
    git("branch", "up", NULL);
    git("branch", "-q", "--set-upstream-to=up", NULL);
    put("a.c", "two\n");
    commit(1, "ann", "ours");
    kt_true(ken_history_upstream(root, NULL, NULL, &arena, &d));
    kt_eq_text(d.ref, "up");
    kt_eq_u(d.n_ahead, 1);
    kt_eq_u(d.n_behind, 0);
    kt_true(ken_history_upstream(root, "refs/heads/up", NULL, &arena, &d));
    git("checkout", "-q", "--orphan", "other", NULL);
    commit(2, "ann", "no common commit");
    kt_false(ken_history_upstream(root, "refs/heads/up", NULL, &arena, &d));
    lab_end();
}

KEN_TEST(at_most_five_commits_are_named)
{
    lab_start("tree");
    char text[64] = "";
    for (int i = 0; i < 8; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "line %d\n", i);
        put("a", text);
        commit(i, "ann", "more");
    }
    ken_history_touches t = touches("a", 0, 7);
    kt_eq_u(t.n_touches, KEN_HISTORY_AUTHORS);
    kt_eq_u(t.n_commits, 8);
    kt_eq_i(t.touches[0].commit.time_s, LAB_DAY_0 + 7 * LAB_DAY);
    lab_end();
}

KEN_TEST(lines_without_history_say_why)
{
    make_three();
    put("new.c", "x\n");
    kt_has_str(touches("new.c", 0, 0).reason.ptr, "new.c");
    kt_has_str(touches("a.c", 100, 110).reason.ptr, "only 4 lines");
    root = ktest_path("plain");
    kt_ok(ken_fs_make_dirs(root, 0755, NULL));
    setenv("GIT_CEILING_DIRECTORIES", ktest_dir(), 1);
    kt_has_str(touches("a.c", 0, 0).reason.ptr, "not a git repository");
    unsetenv("GIT_CEILING_DIRECTORIES");
    lab_end();
}

KEN_TEST(lines_of_odd_places_are_refused)
{
    make_three();
    ken_history_touches t;
    static const char *const paths[] = { "", "/etc/passwd", "../x", "a/../b", "\xff" };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        kt_status(ken_history_of_lines(root, KEN_STR(""), ken_str_c(paths[i]), 0, 0, NULL, &arena,
                                       &t, &err),
                  KEN_EINVAL);
    kt_has_str(err.msg, "file_path: ");
    kt_status(ken_history_of_lines(root, KEN_STR(""), KEN_STR("a.c"), 2, 1, NULL, &arena, &t, &err),
              KEN_EINVAL);
    kt_has_str(err.msg, "lines: 2 to 1");
    lab_end();
}
