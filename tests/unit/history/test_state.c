// SPDX-License-Identifier: MIT
#include "history/history_state.h"
#include "history_lab.h"

// "branch commit? dirty…"
static const char *state(const char *folder, size_t max)
{
    ken_work_state s = { 0 };
    kt_ok_err(ken_history_state(folder, max, NULL, &arena, &s, &err), &err);
    ken_buf b = { 0 };
    ken_buf_printf(&b, KEN_STR_FMT " %s %zu:", KEN_STR_ARG(s.branch),
                   s.commit.len == 40 ? "commit" : "none", s.n_dirty_all);
    for (size_t i = 0; i < s.n_dirty; i++)
        ken_buf_printf(&b, " " KEN_STR_FMT, KEN_STR_ARG(s.dirty[i]));
    if (s.reason.len)
        ken_buf_printf(&b, " (" KEN_STR_FMT ")", KEN_STR_ARG(s.reason));
    const char *text = ken_arena_dup(&arena, ken_buf_str(&b)).ptr;
    ken_buf_release(&b);
    return text;
}

static void start(void)
{
    lab_start("tree");
    put("a.c", "1\n");
    put("sub/b.c", "1\n");
    commit(0, "ann", "begin");
}

KEN_TEST(work_tree_says_where_it_stands)
{
    start();
    kt_eq_str(state(root, 9), "main commit 0:");
    put("a.c", "2\n");
    put("with \"quotes\".c", "n\n");
    put("sub/new.c", "n\n");
    git("add", "sub/new.c", NULL);
    put("z\xc3\xa9.c", "n\n");
    kt_eq_str(state(root, 9), "main commit 4: a.c sub/new.c with \"quotes\".c z\xc3\xa9.c");
    kt_eq_str(state(root, 2), "main commit 4: a.c sub/new.c");
    kt_eq_str(state(ktest_path("tree/sub"), 9), "main commit 1: new.c");
    git("checkout", "-q", "--detach", NULL);
    kt_eq_str(state(root, 0), " commit 4:");
    lab_end();
}

KEN_TEST(folder_without_git_has_a_reason)
{
    lab_start("tree");
    kt_eq_str(state(root, 9), "main none 0:");
    kt_ok(ken_fs_make_dirs(ktest_path("plain"), 0755, NULL));
    setenv("GIT_CEILING_DIRECTORIES", ktest_dir(), 1);
    kt_has_str(state(ktest_path("plain"), 9), "(not a git work tree)");
    kt_has_str(state(ktest_path("gone"), 9), "(not a git work tree)");
    ken_cancel cancelled = { 0 };
    ken_cancel_set(&cancelled);
    ken_work_state s;
    kt_status(ken_history_state(root, 9, &cancelled, &arena, &s, &err), KEN_ECANCELLED);
    lab_end();
}

KEN_TEST(commits_since_a_commit)
{
    start();
    ken_str first = git("rev-parse", "HEAD", NULL);
    put("a.c", "2\n");
    commit(1, "bob", "second | thing");
    put("a.c", "3\n");
    commit(2, "ann", "third");
    ken_history_since s = { 0 };
    kt_ok_err(ken_history_list_since(root, first, 9, NULL, &arena, &s, &err), &err);
    kt_eq_u(s.n, 2);
    kt_false(s.is_truncated);
    kt_eq_text(s.commits[0].subject, "third");
    kt_eq_text(s.commits[1].subject, "second | thing");
    kt_eq_text(s.commits[1].author, "bob");
    kt_true(s.commits[1].time_s > 0);
    kt_ok_err(ken_history_list_since(root, first, 1, NULL, &arena, &s, &err), &err);
    kt_eq_u(s.n, 1);
    kt_true(s.is_truncated);
    kt_ok_err(ken_history_list_since(root, KEN_STR("0123456789012345678901234567890123456789"), 9,
                                     NULL, &arena, &s, &err),
              &err);
    kt_eq_u(s.n, 0);
    kt_true(s.reason.len > 0);
    kt_ok_err(ken_history_list_since(root, KEN_STR(""), 9, NULL, &arena, &s, &err), &err);
    kt_eq_text(s.reason, "there was no commit");
    lab_end();
}
