// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "base/alloc.h"
#include "history_lab.h"
#include "proc/proc_priv.h"

KEN_TEST(counts_commits_recent_ones_and_people)
{
    lab_start("tree");
    put("a.c", "1\n");
    put("b.c", "1\n");
    commit(0, "ann", "begin");
    put("a.c", "2\n");
    commit(5, "bob", "second");
    put("a.c", "3\n");
    commit(200, "ann", "third: \"quotes\"\tand a tab");
    ken_history *h = read_all();
    ken_history_info i = ken_history_get_info(h);
    kt_eq_text(i.head, git("rev-parse", "HEAD", NULL).ptr);
    kt_eq_text(i.reason, "");
    kt_eq_u(i.n_commits, 3);
    kt_eq_u(i.n_authors, 2);
    ken_history_file a = file(h, "a.c"), b = file(h, "b.c");
    kt_eq_u(a.n_commits, 3);
    kt_eq_u(a.n_recent, 1);
    kt_eq_u(a.n_authors, 2);
    kt_eq_text(a.last.author, "ann");
    kt_eq_text(a.last.subject, "third: \"quotes\" and a tab");
    kt_eq_text(a.last.id, i.head.ptr);
    kt_eq_i(a.last.time_s, LAB_DAY_0 + 200 * LAB_DAY);
    kt_eq_u(b.n_commits, 1);
    kt_eq_u(b.n_recent, 0);
    kt_eq_text(b.last.subject, "begin");
    ken_history_file none;
    kt_false(ken_history_find(h, KEN_STR("c.c"), &none));
    kt_eq_str(dump_packed(h), dump(h));
    ken_history_free(h);
    lab_end();
}

KEN_TEST(a_token_in_a_subject_is_not_kept)
{
    static const char token[] = "9fQ2kX7bLm4ZtR8sWv3YcN6dHj1GpA5eUo0B"; // made up
    char subject[128];
    snprintf(subject, sizeof subject, "remove gh%s from config",
             "p_9fQ2kX7bLm4ZtR8sWv3YcN6dHj1GpA5eUo0B");
    lab_start("tree");
    put("a.c", "1\n");
    commit(0, "ann", subject);
    ken_history *h = read_all();
    kt_eq_text(file(h, "a.c").last.subject,
               "remove ghp_************************************ from config");
    ken_buf packed = { 0 };
    ken_history_pack(h, &packed);
    kt_null(memmem(packed.ptr, packed.len, token, strlen(token)));
    ken_buf_release(&packed);
    ken_history_free(h);
    lab_end();
}

KEN_TEST(people_are_told_apart_by_mail_and_mailmap)
{
    lab_start("tree");
    put("a.c", "1\n");
    put(".mailmap", "Ann <ann@example.org> <annie@example.org>\n");
    commit(0, "ann", "x");
    put("a.c", "2\n");
    commit(1, "ANN", "x"); // the case of a mail address means nothing
    put("a.c", "3\n");
    commit(2, "annie", "x");
    ken_history *h = read_all();
    kt_eq_u(file(h, "a.c").n_authors, 1);
    kt_eq_text(file(h, "a.c").last.author, "Ann");
    ken_history_free(h);
    lab_end();
}

static const char long_text[] = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

KEN_TEST(old_names_count_for_the_new_one)
{
    lab_start("tree");
    put("src/old.c", long_text);
    put("x", "x\n");
    commit(0, "ann", "one");
    put("src/old.c", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nTEN\n");
    commit(1, "ann", "two");
    git("mv", "src/old.c", "new.c", NULL);
    put("new.c", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nNINE\nTEN\n");
    commit(2, "bob", "rename, and change it");
    put("src/old.c", "something else by that name\n");
    commit(3, "bob", "again");
    git("mv", "new.c", "newest.c", NULL);
    commit(4, "bob", "rename only");
    ken_history *h = read_all();
    kt_eq_u(file(h, "newest.c").n_commits, 4);
    kt_eq_u(file(h, "newest.c").n_authors, 2);
    kt_eq_u(file(h, "src/old.c").n_commits, 1);
    kt_eq_u(ken_history_get_info(h).n_files, 3);
    kt_eq_str(dump_packed(h), dump(h));
    ken_history_free(h);
    lab_end();
}

KEN_TEST(two_files_may_change_their_names_with_each_other)
{
    lab_start("tree");
    put("a", long_text);
    commit(0, "ann", "a");
    put("a", "1\n2\n3\n4\n5\n6\n7\n8\nanother\n");
    put("b", long_text);
    commit(1, "ann", "a moves to b");
    put("b", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nlast\n");
    commit(2, "ann", "b");
    ken_history *h = read_all();
    kt_eq_u(file(h, "a").n_commits + file(h, "b").n_commits, 4);
    ken_history_free(h);
    lab_end();
}

KEN_TEST(deleted_files_are_gone)
{
    lab_start("tree");
    put("a", "1\n");
    put("b", "1\n");
    commit(0, "ann", "x");
    git("rm", "-q", "a", NULL);
    commit(1, "ann", "delete");
    ken_history *h = read_all();
    kt_eq_u(ken_history_get_info(h).n_files, 1);
    put("a", "2\n");
    commit(2, "ann", "there again");
    ken_history *again = read_with(h, (ken_history_opts){ 0 });
    kt_eq_u(file(again, "a").n_commits, 1); // what was before its deletion was not kept
    ken_history_free(again);
    ken_history_free(h);
    lab_end();
}

static void change_together(int day, const char *const *names)
{
    char text[32];
    snprintf(text, sizeof text, "%d\n", day);
    for (; *names; names++)
        put(*names, text);
    commit(day, "ann", "together");
}

KEN_TEST(files_that_change_together_are_neighbours)
{
    lab_start("tree");
    for (int i = 0; i < 4; i++)
        change_together(i, (const char *const[]){ "a.c", "a.h", NULL });
    for (int i = 4; i < 7; i++)
        change_together(i, (const char *const[]){ "a.c", "doc", NULL });
    for (int i = 7; i < 9; i++)
        change_together(i, (const char *const[]){ "a.c", "rare", NULL });
    change_together(9, (const char *const[]){ "a.h", NULL });
    ken_history *h = read_all();
    ken_history_neighbour n[KEN_HISTORY_NEIGHBOURS];
    kt_eq_u(ken_history_neighbours(h, file(h, "a.c").number, n), 2); // twice is not enough
    kt_eq_u(n[0].number, file(h, "a.h").number);
    kt_eq_u(n[0].n_together, 4);
    kt_near(n[0].confidence, 4.0 / 5, 1e-9); // of the five commits of a.h
    kt_eq_u(n[1].number, file(h, "doc").number);
    kt_near(n[1].confidence, 1, 1e-9);
    kt_eq_u(ken_history_neighbours(h, file(h, "rare").number, n), 0);
    ken_history_free(h);
    lab_end();
}

KEN_TEST(wide_commits_say_nothing_about_pairs)
{
    lab_start("tree");
    for (int i = 0; i < 4; i++) {
        char name[16], text[16];
        for (int k = 0; k < 31; k++) {
            snprintf(name, sizeof name, "f%02d", k);
            snprintf(text, sizeof text, "%d\n", i);
            put(name, text);
        }
        commit(i, "ann", "all");
    }
    ken_history *h = read_all();
    ken_history_neighbour n[KEN_HISTORY_NEIGHBOURS];
    kt_eq_u(file(h, "f07").n_commits, 4);
    kt_eq_u(ken_history_neighbours(h, file(h, "f07").number, n), 0);
    kt_eq_str(dump_packed(h), dump(h));
    ken_history_free(h);
    lab_end();
}

KEN_TEST(at_most_ten_neighbours_the_best_first)
{
    lab_start("tree");
    for (int i = 0; i < 6; i++) {
        for (int k = i < 3 ? 0 : 11; k < 14; k++) {
            char name[16];
            snprintf(name, sizeof name, "f%02d", k);
            change_together(i * 20 + k, (const char *const[]){ "hub", name, NULL });
        }
    }
    ken_history *h = read_all();
    ken_history_neighbour n[KEN_HISTORY_NEIGHBOURS];
    kt_eq_u(ken_history_neighbours(h, file(h, "hub").number, n), 10);
    kt_eq_u(n[0].number, file(h, "f11").number);
    kt_eq_u(n[2].number, file(h, "f13").number);
    kt_eq_u(n[3].number, file(h, "f00").number);
    ken_history_free(h);
    lab_end();
}

// ---- going on with what is kept ----------------------------------------------------------------

KEN_TEST(what_is_new_is_added_to_what_is_kept)
{
    lab_start("tree");
    for (int i = 0; i < 5; i++)
        change_together(i, (const char *const[]){ "a.c", "a.h", "b.c", NULL });
    put("old.c", long_text);
    commit(5, "eve", "old");
    ken_history *kept = read_all();
    kt_null(read_with(kept, (ken_history_opts){ 0 })); // nothing is new
    git("mv", "old.c", "new.c", NULL);
    commit(100, "bob", "rename");
    git("rm", "-q", "b.c", NULL);
    commit(101, "bob", "delete");
    change_together(102, (const char *const[]){ "a.c", "c.c", NULL });
    ken_history *more = read_with(kept, (ken_history_opts){ 0 }), *all = read_all();
    kt_not_null(more);
    kt_eq_str(dump(more), dump(all));
    kt_eq_str(dump_packed(more), dump(all));
    kt_eq_u(file(more, "new.c").n_commits, 2);
    kt_eq_u(file(more, "new.c").n_authors, 2);
    ken_history_free(kept);
    ken_history_free(more);
    ken_history_free(all);
    lab_end();
}

// git prints commits by time: those of a branch that was begun long ago stand among those that are kept, which may say that a
// file had another name by then.
KEN_TEST(older_commits_that_a_merge_brings_are_put_in_their_place)
{
    lab_start("tree");
    put("old.c", long_text);
    commit(0, "ann", "begin");
    git("checkout", "-q", "-b", "side", NULL);
    for (int i = 1; i < 4; i++) {
        char text[64];
        snprintf(text, sizeof text, "int more_%d;\n", i);
        put("side.c", text);
        commit(i, "eve", "side");
    }
    git("checkout", "-q", "main", NULL);
    git("mv", "old.c", "new.c", NULL);
    commit(2, "bob", "rename");
    ken_history *kept = read_all();
    git("checkout", "-q", "side", NULL);
    put("old.c", "int changed;\n");
    commit(1, "eve", "under its old name");
    git("checkout", "-q", "main", NULL);
    git("-c", "user.name=m", "-c", "user.email=m@example.org", "merge", "-q", "-s", "ours", "-m",
        "merge", "side", NULL);
    ken_history *more = read_with(kept, (ken_history_opts){ 0 }), *all = read_all();
    kt_eq_str(dump(more), dump(all));
    ken_history_free(kept);
    ken_history_free(more);
    ken_history_free(all);
    lab_end();
}

// Three branches that change, rename and merge, four commits in each second: whatever is kept, going on with it says what
// reading all of it says.
KEN_TEST(branches_that_meet_in_one_second_have_the_history_of_all_of_them)
{
    enum {
        N_STEPS = 60
    };
    static const char *const branches[] = { "main", "a", "b" };
    uint64_t dice = 7;
    lab_start("tree");
    for (int i = 0; i < 4; i++)
        put((const char *const[]){ "f0", "f1", "f2", "f3" }[i], long_text);
    commit(0, "ann", "begin");
    git("branch", "a", NULL);
    git("branch", "b", NULL);
    ken_history *kept = read_all();
    for (int i = 0; i < N_STEPS; i++) {
        dice = dice * 6364136223846793005U + 1442695040888963407U;
        const char *here = branches[(dice >> 33) % 3], *other = branches[(dice >> 37) % 3];
        char text[64], from[8], to[16], path[1024];
        snprintf(from, sizeof from, "f%d", (int)((dice >> 41) % 4));
        snprintf(to, sizeof to, "g%d", i);
        snprintf(path, sizeof path, "%s/%s", root, from);
        git("checkout", "-q", here, NULL);
        if ((dice >> 45) % 3 == 0) {
            git("-c", "user.name=m", "-c", "user.email=m@example.org", "merge", "-q", "-s", "ours",
                "-m", "merge", other, NULL);
        } else if ((dice >> 45) % 3 == 1 && !access(path, F_OK)) {
            git("mv", from, to, NULL);
            commit(i / 4, "bob", "rename");
        } else {
            snprintf(text, sizeof text, "int step_%d;\n", i);
            put(from, text);
            commit(i / 4, "eve", "change");
        }
        ken_history *more = read_with(kept, (ken_history_opts){ 0 }), *all = read_all();
        if (more) {
            ken_history_free(kept);
            kept = more;
        }
        kt_eq_str(dump(kept), dump(all));
        ken_history_free(all);
    }
    ken_history_free(kept);
    lab_end();
}

KEN_TEST(another_branch_is_read_anew)
{
    lab_start("tree");
    put("a", "1\n");
    commit(0, "ann", "x");
    git("checkout", "-q", "-b", "side", NULL);
    put("b", "1\n");
    commit(1, "ann", "side");
    ken_history *side = read_all();
    git("checkout", "-q", "main", NULL);
    put("c", "1\n");
    commit(2, "ann", "main");
    ken_history *now = read_with(side, (ken_history_opts){ 0 }), *all = read_all();
    kt_eq_str(dump(now), dump(all));
    ken_history_file f;
    kt_false(ken_history_find(now, KEN_STR("b"), &f));
    ken_history_free(side);
    ken_history_free(now);
    ken_history_free(all);
    lab_end();
}

KEN_TEST(only_the_newest_commits_are_held)
{
    lab_start("tree");
    for (int i = 0; i < 6; i++)
        change_together(i, (const char *const[]){ i % 2 ? "odd" : "even", NULL });
    ken_history *h = read_with(NULL, (ken_history_opts){ .max_commits = 4 });
    kt_eq_u(ken_history_get_info(h).n_commits, 4);
    kt_eq_u(file(h, "even").n_commits, 2);
    change_together(7, (const char *const[]){ "odd", NULL });
    ken_history *more = read_with(h, (ken_history_opts){ .max_commits = 4 });
    kt_eq_u(ken_history_get_info(more).n_commits, 4);
    kt_eq_u(file(more, "odd").n_commits, 3);
    kt_eq_u(file(more, "even").n_commits, 1);
    ken_history_free(h);
    ken_history_free(more);
    lab_end();
}

// ---- what is not there -------------------------------------------------------------------------

KEN_TEST(a_folder_without_git_has_an_empty_history)
{
    lab_start("tree");
    root = ktest_path("plain");
    kt_ok(ken_fs_make_dirs(root, 0755, NULL));
    setenv("GIT_CEILING_DIRECTORIES", ktest_dir(), 1);
    ken_history *h = read_all();
    kt_eq_text(ken_history_get_info(h).reason, "not a git work tree");
    kt_eq_text(ken_history_get_info(h).head, "");
    kt_eq_u(ken_history_get_info(h).n_files, 0);
    ken_history_free(h);
    unsetenv("GIT_CEILING_DIRECTORIES");
    lab_end();
}

KEN_TEST(a_repository_without_commits_has_an_empty_history)
{
    lab_start("tree");
    put("a", "1\n");
    ken_history *h = read_all();
    kt_eq_text(ken_history_get_info(h).reason, "no commit yet");
    ken_history_free(h);
    lab_end();
}

KEN_TEST(without_git_the_history_is_empty)
{
    lab_start("tree");
    const char *was = getenv("PATH");
    kt_not_null(was);
    char *path = ken_strdup(was);
    setenv("PATH", "/nonexistent", 1);
    ken_proc__start_again();
    ken_history *h = read_all();
    setenv("PATH", path, 1);
    ken_proc__start_again();
    ken_free(path);
    kt_has_str(ken_history_get_info(h).reason.ptr, "git cannot be run");
    ken_history_free(h);
    lab_end();
}

KEN_TEST(a_shallow_clone_says_so)
{
    lab_start("full");
    for (int i = 0; i < 3; i++)
        change_together(i, (const char *const[]){ "a", "b", NULL });
    char from[1024];
    snprintf(from, sizeof from, "file://%s", root);
    git("clone", "-q", "--depth=2", from, ktest_path("shallow"), NULL);
    git("clone", "-q", "--depth=1", from, ktest_path("tip"), NULL);
    root = ktest_path("shallow");
    ken_history *h = read_all();
    kt_true(ken_history_get_info(h).is_shallow);
    kt_eq_text(ken_history_get_info(h).reason, "a shallow clone: older commits are not here");
    kt_eq_u(file(h, "a").n_commits, 1); // the one at the edge seems to add all files
    git("fetch", "-q", "--unshallow", NULL);
    ken_history *full = read_with(h, (ken_history_opts){ 0 });
    kt_eq_u(file(full, "a").n_commits, 3);
    ken_history_free(h);
    ken_history_free(full);
    root = ktest_path("tip");
    h = read_all();
    kt_eq_text(ken_history_get_info(h).reason, "a shallow clone: its commits are not here");
    kt_eq_u(ken_history_get_info(h).n_files, 0);
    ken_history_free(h);
    lab_end();
}

KEN_TEST(a_clone_without_contents_has_its_commits)
{
    lab_start("full");
    put("a", long_text);
    put("same", long_text);
    commit(0, "ann", "x");
    git("mv", "a", "b", NULL);
    put("b", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nTEN\n");
    git("mv", "same", "moved", NULL);
    commit(1, "ann", "rename");
    git("config", "uploadpack.allowFilter", "true", NULL);
    char from[1024];
    snprintf(from, sizeof from, "file://%s", root);
    git("clone", "-q", "--filter=blob:none", "--no-checkout", from, ktest_path("partial"), NULL);
    root = ktest_path("partial");
    ken_history *h = read_all();
    kt_eq_text(ken_history_get_info(h).reason, "");
    kt_eq_u(file(h, "moved").n_commits, 2); // identical: no content is needed to see it
    kt_eq_u(file(h, "b").n_commits, 1);
    ken_history_free(h);
    lab_end();
}

KEN_TEST(a_folder_of_a_repository_has_its_own_paths)
{
    lab_start("tree");
    change_together(0, (const char *const[]){ "top", "sub/a", "sub/deep/b", NULL });
    change_together(1, (const char *const[]){ "top", NULL });
    root = ktest_path("tree/sub");
    ken_history *h = read_all();
    kt_eq_u(ken_history_get_info(h).n_files, 2);
    kt_eq_u(ken_history_get_info(h).n_commits, 1);
    kt_eq_u(file(h, "a").n_commits, 1);
    kt_eq_u(file(h, "deep/b").n_commits, 1);
    ken_history_free(h);
    lab_end();
}

KEN_TEST(odd_names_are_read_and_broken_ones_left_out)
{
    lab_start("tree");
    change_together(0, (const char *const[]){ "with space", "tab\there", "quote\"d", "back\\slash",
                                              "\xc3\xa4\xc3\xb6", "broken\xff", "-dash", NULL });
    ken_history *h = read_all();
    kt_eq_u(ken_history_get_info(h).n_files, 6);
    kt_eq_u(file(h, "tab\there").n_commits, 1);
    kt_eq_u(file(h, "quote\"d").n_commits, 1);
    kt_eq_u(file(h, "back\\slash").n_commits, 1);
    kt_eq_u(file(h, "\xc3\xa4\xc3\xb6").n_commits, 1);
    kt_eq_str(dump_packed(h), dump(h));
    ken_history_free(h);
    lab_end();
}

KEN_TEST(limits_cut_off_older_commits)
{
    lab_start("tree");
    for (int i = 0; i < 4; i++)
        change_together(i, (const char *const[]){ "a", NULL });
    ken_history *h = read_with(NULL, (ken_history_opts){ .max_bytes = 10 });
    kt_has_str(ken_history_get_info(h).reason.ptr, "size limit");
    ken_history_free(h);
    ken_cancel cancel = { 0 };
    ken_cancel_set(&cancel);
    kt_status(ken_history_read(root, NULL, NULL, &cancel, &h, &err), KEN_ECANCELLED);
    lab_end();
}

KEN_TEST(settings_of_the_repository_run_nothing)
{
    lab_start("tree");
    put("a", "1\n");
    put(".gitattributes", "* diff=evil filter=evil\n");
    commit(0, "ann", "x");
    char run[1100];
    snprintf(run, sizeof run, "touch %s", ktest_path("ran"));
    static const char *const keys[] = { "diff.external",      "diff.evil.command",
                                        "diff.evil.textconv", "filter.evil.clean",
                                        "filter.evil.smudge", "core.fsmonitor",
                                        "gpg.program" };
    put("a", "22\n"); // before the settings, so that only asking could run them
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        git("config", keys[i], run, NULL);
    git("config", "log.showSignature", "true", NULL);
    git("config", "filter.evil.required", "true", NULL);
    ken_history *h = read_all();
    kt_eq_u(file(h, "a").n_commits, 1);
    ken_history_free(h);
    ken_changes c;
    kt_ok_err(ken_history_diff(root, KEN_STR(""), NULL, &arena, &c, &err), &err);
    kt_eq_u(c.n_files, 1);
    ken_history_touches t;
    kt_ok_err(ken_history_of_lines(root, KEN_STR(""), KEN_STR("a"), 0, 0, NULL, &arena, &t, &err),
              &err);
    kt_eq_u(t.n_uncommitted, 1);
    kt_false(ken_fs_exists(ktest_path("ran")));
    lab_end();
}
