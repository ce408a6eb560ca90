// SPDX-License-Identifier: MIT
#include <sys/stat.h>
#include <unistd.h>

#include "history_lab.h"

// Changed files as text: "word path [from old] [binary] [-old,n +new,n]…", one a line.
static const char *diff(const char *rev)
{
    ken_changes c = { 0 };
    kt_ok_err(ken_history_diff(root, ken_str_c(rev), NULL, &arena, &c, &err), &err);
    ken_buf b = { 0 };
    for (size_t i = 0; i < c.n_files; i++) {
        const ken_changed_file *f = &c.files[i];
        ken_buf_printf(&b, "%s " KEN_STR_FMT, ken_change_kind_word(f->kind), KEN_STR_ARG(f->path));
        if (f->old_path.len)
            ken_buf_printf(&b, " from " KEN_STR_FMT, KEN_STR_ARG(f->old_path));
        ken_buf_puts(&b, f->is_binary ? " binary" : "");
        for (size_t k = 0; k < f->n_changes; k++)
            ken_buf_printf(&b, " -%u,%u +%u,%u", f->changes[k].old_first, f->changes[k].n_old_lines,
                           f->changes[k].first, f->changes[k].n_lines);
        ken_buf_putc(&b, '\n');
    }
    const char *text = ken_arena_dup(&arena, ken_buf_str(&b)).ptr;
    ken_buf_release(&b);
    return text;
}

static void check_refused(const char *rev, const char *part)
{
    ken_changes c;
    err = (ken_err){ 0 };
    kt_status(ken_history_diff(root, ken_str_c(rev), NULL, &arena, &c, &err), KEN_EINVAL);
    kt_has_str(err.msg, "rev: ");
    kt_has_str(err.msg, part);
}

static void start(void)
{
    lab_start("tree");
    put("a.c", "1\n2\n3\n4\n5\n6\n7\n8\n");
    put("b.c", "x\ny\nz\n");
    put("gone.c", "a\nb\n");
    commit(0, "ann", "begin");
}

KEN_TEST(changed_lines_of_the_work_tree)
{
    start();
    kt_eq_str(diff(""), "");
    put("a.c", "1\nTWO\nTWO AND A HALF\n3\n4\n6\n7\n8\n9");
    git("rm", "-q", "gone.c", NULL);
    put("sub/new.c", "n\n");
    put("staged.c", "s\nt\n");
    git("add", "staged.c", NULL);
    put(".gitignore", "*.o\n");
    put("x.o", "o\n");
    kt_eq_str(diff(""), "untracked .gitignore\n"
                        "modified a.c -1,1 +1,2 -4,1 +5,0 -8,0 +8,1\n"
                        "deleted gone.c -0,2 +0,0\n"
                        "added staged.c -0,0 +0,2\n"
                        "untracked sub/new.c\n");
    kt_eq_str(diff("HEAD"), diff(""));
    lab_end();
}

KEN_TEST(changes_at_the_ends_of_a_file)
{
    start();
    put("a.c", "0\n1\n2\n3\n4\n5\n6\n7\n");
    put("b.c", "y\nz"); // the line at its end is new: it lost its break
    kt_eq_str(diff(""), "modified a.c -0,0 +0,1 -7,1 +8,0\n"
                        "modified b.c -0,1 +0,0 -2,1 +1,1\n");
    lab_end();
}

KEN_TEST(renames_binary_files_links_and_modes)
{
    start();
    git("mv", "a.c", "dir name.c", NULL);
    put("dir name.c", "1\n2\n3\n4\n5\n6\n7\nEIGHT\n");
    char path[1024];
    snprintf(path, sizeof path, "%s/pic", root);
    FILE *f = fopen(path, "wb");
    kt_not_null(f);
    kt_eq_u(fwrite("a\0b", 1, 3, f), 3);
    fclose(f);
    git("add", "-A", NULL);
    snprintf(path, sizeof path, "%s/b.c", root);
    kt_eq_i(chmod(path, 0755), 0);
    snprintf(path, sizeof path, "%s/gone.c", root);
    kt_eq_i(unlink(path), 0);
    kt_eq_i(symlink("b.c", path), 0);
    put("empty", "");
    git("add", "empty", NULL);
    kt_eq_str(diff(""), "modified b.c\n"
                        "renamed dir name.c from a.c -7,1 +7,1\n"
                        "added empty\n"
                        "modified gone.c -0,0 +0,1\n"
                        "added pic binary\n");
    lab_end();
}

KEN_TEST(text_that_looks_like_a_diff_is_text)
{
    start();
    put("b.c", "x\n++ b/evil\n@@ -1 +1 @@\ndiff --git a/evil b/evil\n-- a/evil\nz\n");
    kt_eq_str(diff(""), "modified b.c -1,1 +1,4\n");
    commit(1, "ann", "odd text");
    put("b.c", "x\nz\n");
    kt_eq_str(diff(""), "modified b.c -1,4 +1,0\n");
    lab_end();
}

KEN_TEST(odd_names_are_read)
{
    start();
    put("tab\there", "1\n");
    put("quote\"d", "1\n");
    put("\xc3\xa4 b/c", "1\n");
    put("x b/x", "1\n");
    git("add", "-A", NULL);
    kt_eq_str(diff(""), "added quote\"d -0,0 +0,1\n"
                        "added tab\there -0,0 +0,1\n"
                        "added x b/x -0,0 +0,1\n"
                        "added \xc3\xa4 b/c -0,0 +0,1\n");
    put("bro\"ken\n", "1\n");
    kt_has_str(diff(""), "untracked bro\"ken\n\n");
    lab_end();
}

KEN_TEST(commits_and_ranges)
{
    start();
    git("tag", "v1", NULL);
    put("a.c", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    commit(1, "ann", "nine");
    git("checkout", "-q", "-b", "side", "v1", NULL);
    put("b.c", "x\ny\n");
    commit(2, "bob", "side");
    put("b.c", "x\n");
    put("new.c", "1\n");
    kt_eq_str(diff("v1"), "modified b.c -1,2 +1,0\nuntracked new.c\n");
    kt_eq_str(diff("v1..side"), "modified b.c -2,1 +2,0\n");
    kt_eq_str(diff("main..side"), "modified a.c -8,1 +8,0\nmodified b.c -2,1 +2,0\n");
    kt_eq_str(diff("main...side"), "modified b.c -2,1 +2,0\n");
    kt_eq_str(diff("v1.."), "modified b.c -2,1 +2,0\n");
    kt_eq_str(diff("..main"), "modified a.c -8,0 +8,1\nmodified b.c -2,0 +2,1\n");
    ken_changes c;
    kt_ok(ken_history_diff(root, KEN_STR("main...side"), NULL, &arena, &c, &err));
    kt_eq_text(c.from, git("rev-parse", "v1", NULL).ptr);
    kt_eq_text(c.to, git("rev-parse", "side", NULL).ptr);
    lab_end();
}

KEN_TEST(revs_that_name_no_commit_are_refused)
{
    start();
    check_refused("nowhere", "'nowhere' names no commit");
    check_refused("HEAD..nowhere", "'nowhere' names no commit");
    check_refused("--output=/tmp/x", "got '--output=/tmp/x'");
    check_refused("HEAD..-x", "got '-x'");
    check_refused("^HEAD", "got '^HEAD'");
    check_refused("HEAD\n", "expected a commit");
    check_refused("HEAD:a.c", "names no commit");
    check_refused("HEAD^{tree}", "names no commit");
    char text[300] = { 0 };
    memset(text, 'a', sizeof text - 1);
    check_refused(text, "299 bytes");
    git("checkout", "-q", "--orphan", "other", NULL);
    commit(1, "ann", "elsewhere");
    check_refused("main...other", "no common commit");
    lab_end();
}

KEN_TEST(before_the_first_commit_all_is_new)
{
    lab_start("tree");
    put("a", "1\n2\n");
    put("b", "1\n");
    git("add", "a", NULL);
    kt_eq_str(diff(""), "added a -0,0 +0,2\nuntracked b\n");
    check_refused("HEAD", "names no commit");
    lab_end();
}

KEN_TEST(changes_below_a_folder_have_its_paths)
{
    start();
    put("sub/x.c", "1\n");
    commit(1, "ann", "sub");
    put("sub/x.c", "2\n");
    put("sub/new.c", "2\n");
    put("a.c", "2\n");
    root = ktest_path("tree/sub");
    kt_eq_str(diff(""), "untracked new.c\nmodified x.c -0,1 +0,1\n");
    lab_end();
}

KEN_TEST(a_file_taken_out_of_the_index_is_untracked)
{
    start();
    git("rm", "-q", "--cached", "gone.c", NULL);
    kt_eq_str(diff(""), "untracked gone.c\n");
    lab_end();
}

KEN_TEST(settings_of_a_person_do_not_change_the_answer)
{
    start();
    put("a.c", "1\n2\nthree\n4\n5\nsix\n7\n8\n");
    static const char *const settings[][2] = {
        { "diff.noprefix", "true" }, { "diff.mnemonicPrefix", "true" },
        { "diff.context", "10" },    { "diff.interHunkContext", "10" },
        { "diff.renames", "false" }, { "diff.relative", "false" },
        { "color.ui", "always" },    { "diff.submodule", "log" },
        { "core.quotePath", "true" }
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        git("config", settings[i][0], settings[i][1], NULL);
    kt_eq_str(diff(""), "modified a.c -2,1 +2,1 -5,1 +5,1\n");
    lab_end();
}

KEN_TEST(without_a_work_tree_there_is_nothing_to_compare)
{
    lab_start("tree");
    root = ktest_path("plain");
    kt_ok(ken_fs_make_dirs(root, 0755, NULL));
    setenv("GIT_CEILING_DIRECTORIES", ktest_dir(), 1);
    ken_changes c;
    kt_status(ken_history_diff(root, KEN_STR(""), NULL, &arena, &c, &err), KEN_EUNSUPPORTED);
    kt_eq_str(err.msg, "not a git work tree");
    unsetenv("GIT_CEILING_DIRECTORIES");
    lab_end();
}
