// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "help.h"
#include "proc/proc_priv.h"

static void need_git(void)
{
    if (!help_has_git())
        kt_skip("git", "git is not installed");
}

static void link_to(const char *target, const char *rel)
{
    help_touch(rel); // for its folders
    kt_eq_i(unlink(help_path(rel)), 0);
    kt_eq_i(symlink(target, help_path(rel)), 0);
}

static ken_status scan_status(const char *root, const ken_scan_opts *opts, const ken_cancel *cancel,
                              ken_err *err)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_scan_result r;
    ken_status st = ken_scan(root, opts, cancel, &a, &r, err);
    ken_arena_release(&a);
    return st;
}

static const ken_scan_opts by_walk = { .without_git = true };

// ---- a tree without git -----------------------------------------------------------------------
KEN_TEST(scan_tells_what_belongs_and_why_not)
{
    help_touch("t/src/main.c");
    help_touch("t/a-b.c");
    help_touch("t/a.c");
    help_touch("t/a/z.c");
    help_write("t/empty.c", KEN_STR(""));
    help_touch("t/.env");
    help_touch("t/logo.png");
    help_touch("t/yarn.lock");
    help_touch("t/x.min.js");
    help_touch("t/node_modules/x/index.js");
    help_touch("t/src/__pycache__/a.pyc");
    help_touch("t/build/out.c");
    help_touch("t/myenv/pyvenv.cfg");
    help_touch("t/myenv/lib/site.py");
    help_touch("t/.ssh/config");
    help_touch("t/.github/ci.yml");
    kt_eq_i(mkfifo(help_path("t/pipe.c"), 0600), 0);
    kt_eq_str(help_scan("t", NULL), ".env: secret\n"
                                    ".github/ci.yml\n"
                                    ".ssh/: secret\n"
                                    "a-b.c\n"
                                    "a.c\n"
                                    "a/z.c\n"
                                    "build/: folder\n"
                                    "empty.c: empty\n"
                                    "logo.png: binary\n"
                                    "myenv/: folder\n"
                                    "node_modules/: vendored\n"
                                    "pipe.c: special\n"
                                    "src/__pycache__/: folder\n"
                                    "src/main.c\n"
                                    "x.min.js: generated\n"
                                    "yarn.lock: generated\n");
}

KEN_TEST(scan_limits_the_size)
{
    help_write("t/ten.c", KEN_STR("0123456789"));
    help_write("t/eleven.c", KEN_STR("0123456789a"));
    kt_eq_str(help_scan("t", &(ken_scan_opts){ .max_file_bytes = 10 }),
              "eleven.c: too_large\nten.c\n");
}

KEN_TEST(scan_never_follows_links)
{
    help_touch("outside/secret.c");
    help_touch("t/real/a.c");
    link_to("real/a.c", "t/file.c");
    link_to("real", "t/folder");
    link_to("../outside", "t/out");
    link_to("/etc/passwd", "t/passwd");
    link_to("loop", "t/loop");
    link_to("..", "t/real/up");
    link_to("nowhere", "t/dangling");
    const char *want = "dangling: symlink\n"
                       "file.c: symlink\n"
                       "folder: symlink\n"
                       "loop: symlink\n"
                       "out: symlink\n"
                       "passwd: symlink\n"
                       "real/a.c\n"
                       "real/up: symlink\n";
    kt_eq_str(help_scan("t", NULL), want);
    if (!help_has_git())
        return;
    help_git_init("t");
    kt_eq_str(help_scan("t", NULL), want); // untracked
    help_git_commit("t");
    kt_eq_str(help_scan("t", NULL), want);
    kt_eq_str(help_scan("t", &by_walk), want);
}

KEN_TEST(scan_accepts_a_link_as_root)
{
    help_touch("real/a.c");
    link_to("real", "t");
    kt_eq_str(help_scan("t", NULL), "a.c\n");
}

KEN_TEST(scan_reports_odd_names)
{
    help_touch("t/with space.c");
    help_touch("t/quo\"te'.c");
    help_touch("t/\xc3\xa9t\xc3\xa9.c");
    help_touch("t/new\nline.c");
    help_touch("t/latin\xe9.c");
    help_touch("t/bad\xff/a.c");
    help_touch("t/bad\xff/b.c");
    help_touch("t/tab\there/a.c");
    const char *want = "bad\xef\xbf\xbd/: name\n"
                       "latin\xef\xbf\xbd.c: name\n"
                       "new\nline.c: name\n"
                       "quo\"te'.c\n"
                       "tab\there/: name\n"
                       "with space.c\n"
                       "\xc3\xa9t\xc3\xa9.c\n";
    kt_eq_str(help_scan("t", NULL), want);
    if (!help_has_git())
        return;
    help_git_init("t");
    kt_eq_str(help_scan("t", NULL), want);
    help_git_commit("t");
    kt_eq_str(help_scan("t", NULL), want);
}

KEN_TEST(scan_goes_on_after_an_unreadable_folder)
{
    if (geteuid() == 0)
        kt_skip("user", "root may read everything");
    help_touch("t/closed/a.c");
    help_touch("t/open/a.c");
    kt_eq_i(chmod(help_path("t/closed"), 0), 0);
    const char *got = help_scan("t", NULL);
    kt_eq_i(chmod(help_path("t/closed"), 0755), 0);
    kt_eq_str(got, "closed/: unreadable\nopen/a.c\n");
}

KEN_TEST(scan_refuses_roots_that_are_none)
{
    ken_err err = { 0 };
    help_touch("file.c");
    kt_status(scan_status(help_path("absent"), NULL, NULL, &err), KEN_ENOTFOUND);
    kt_has_str(err.msg, "absent");
    kt_status(scan_status(help_path("file.c"), NULL, NULL, &err), KEN_EINVAL);
    kt_has_str(err.msg, "not a folder");
    kt_status(scan_status(help_path("file.c/x"), NULL, NULL, &err), KEN_ENOTFOUND);
    kt_status(scan_status("relative", NULL, NULL, &err), KEN_EINVAL);
    kt_status(scan_status("", NULL, NULL, &err), KEN_EINVAL);
    kt_status(scan_status(NULL, NULL, NULL, &err), KEN_EINVAL);
    const ken_str wrong[] = { KEN_STR("a[") };
    const ken_scan_opts opts = { .exclude = wrong, .n_exclude = 1 };
    kt_status(scan_status(ktest_dir(), &opts, NULL, &err), KEN_EINVAL);
    kt_has_str(err.msg, "a[");
}

KEN_TEST(scan_stops_when_cancelled)
{
    help_touch("t/a.c");
    ken_cancel cancel = { 0 };
    ken_cancel_set(&cancel);
    ken_err err = { 0 };
    kt_status(scan_status(help_path("t"), NULL, &cancel, &err), KEN_ECANCELLED);
    if (!help_has_git())
        return;
    help_git_init("t");
    kt_status(scan_status(help_path("t"), NULL, &cancel, &err), KEN_ECANCELLED);
}

KEN_TEST(scan_of_an_empty_folder_is_empty)
{
    kt_eq_i(mkdir(help_path("t"), 0755), 0);
    kt_eq_str(help_scan("t", NULL), "");
}

// ---- depth ------------------------------------------------------------------------------------
enum {
    DEPTH = 10000
};

static void make_deep(const char *top)
{
    help_touch(top);
    unlink(help_path(top));
    kt_eq_i(mkdir(help_path(top), 0755), 0);
    int fd = open(help_path(top), O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < DEPTH; i++) {
        kt_eq_i(mkdirat(fd, "d", 0755), 0);
        int next = openat(fd, "d", O_RDONLY | O_DIRECTORY);
        kt_true(next >= 0);
        close(fd);
        fd = next;
    }
    close(fd);
}

// Level by level, since nothing can name the lowest folder.
static void remove_deep(const char *top)
{
    const char *below = ken_str_c(help_path(top)).ptr;
    char child[1024], grandchild[1024], aside[1024];
    snprintf(child, sizeof child, "%s/d", below);
    snprintf(grandchild, sizeof grandchild, "%s/d/d", below);
    snprintf(aside, sizeof aside, "%s/aside", below);
    while (rename(grandchild, aside) == 0) {
        kt_eq_i(rmdir(child), 0);
        kt_eq_i(rename(aside, child), 0);
    }
    kt_eq_i(rmdir(child), 0);
}

KEN_TEST(scan_survives_any_depth)
{
    help_touch("t/a.c");
    make_deep("t/deep");
    const char *got = help_scan("t", NULL);
    const char *files = help_files("t", NULL);
    const char *through_git = "a.c\n";
    if (help_has_git()) {
        help_git_init("t");
        through_git = help_files("t", NULL);
    }
    remove_deep("t/deep");
    kt_eq_str(files, "a.c\n");
    kt_has_str(got, "/d/: unreadable\n");
    kt_eq_str(through_git, "a.c\n");
}

// ---- git --------------------------------------------------------------------------------------
static size_t n_git_ignored(const ken_scan_opts *opts)
{
    ken_arena a;
    ken_scan_result r;
    size_t n = 0;
    ken_arena_init(&a, 0);
    kt_ok(ken_scan(help_path("t"), opts, NULL, &a, &r, NULL));
    for (size_t i = 0; i < r.n_skips; i++)
        n += r.skips[i].is_git_ignored;
    ken_arena_release(&a);
    return n;
}

KEN_TEST(scan_asks_git_what_belongs)
{
    need_git();
    help_git_init("t");
    help_write("t/.gitignore", KEN_STR("*.log\n/ignored/\n"));
    help_touch("t/tracked.log");
    help_git("t", "add", "-f", "tracked.log", NULL);
    help_touch("t/gone.c");
    help_git_commit("t");
    kt_eq_i(unlink(help_path("t/gone.c")), 0);
    help_touch("t/new.c");
    help_touch("t/other.log");
    help_touch("t/ignored/a.c");
    help_touch("t/node_modules/x.js");
    kt_eq_str(help_scan("t", NULL), ".gitignore\n"
                                    "new.c\n"
                                    "node_modules/: vendored\n"
                                    "tracked.log\n");
    kt_eq_str(help_scan("t", &(ken_scan_opts){ .wants_ignored = true }), ".gitignore\n"
                                                                         "ignored/: ignored\n"
                                                                         "new.c\n"
                                                                         "node_modules/: vendored\n"
                                                                         "other.log: ignored\n"
                                                                         "tracked.log\n");
    kt_eq_u(n_git_ignored(NULL), 0);
    kt_eq_u(n_git_ignored(&(ken_scan_opts){ .wants_ignored = true }), 2); // ignored/ and other.log
    kt_eq_str(help_scan("t", &by_walk), ".gitignore\n"
                                        "ignored/: ignored\n"
                                        "new.c\n"
                                        "node_modules/: vendored\n"
                                        "other.log: ignored\n"
                                        "tracked.log: ignored\n"); // a walk cannot know
}

KEN_TEST(scan_keeps_output_folders_that_git_tracks)
{
    need_git();
    help_git_init("t");
    help_touch("t/build/rules.mk");
    help_touch("t/sub/dist/index.js");
    help_touch("t/vendor/x.go");
    help_touch("t/node_modules/x.js");
    help_git_commit("t");
    help_touch("t/build/new.mk");
    help_touch("t/dist/out.js");
    help_touch("t/coverage/index.html");
    kt_eq_str(help_scan("t", NULL), "build/new.mk\n"
                                    "build/rules.mk\n"
                                    "coverage/: folder\n"
                                    "dist/: folder\n"
                                    "node_modules/: vendored\n"
                                    "sub/dist/index.js\n"
                                    "vendor/: vendored\n");
}

KEN_TEST(scan_walks_into_target_unless_a_build_made_it)
{
    help_touch("t/target/a.c");
    help_touch("t/rust/Cargo.toml");
    help_touch("t/rust/target/a.rs");
    kt_eq_str(help_scan("t", NULL), "rust/Cargo.toml\nrust/target/: folder\ntarget/a.c\n");
}

KEN_TEST(scan_obeys_globs)
{
    help_touch("t/src/a.c");
    help_touch("t/src/a.py");
    help_touch("t/docs/a.c");
    help_touch("t/vendor/x/a.c");
    help_touch("t/build/a.c");
    const ken_str c_files[] = { KEN_STR("*.c") };
    const ken_str docs[] = { KEN_STR("docs") };
    const ken_str mixed[] = { KEN_STR("vendor/**"), KEN_STR("{src,build}/*.c") };
    kt_eq_str(help_scan("t", &(ken_scan_opts){ .include = c_files, .n_include = 1 }),
              "build/: folder\ndocs/a.c\nsrc/a.c\nvendor/: vendored\n");
    kt_eq_str(help_scan("t", &(ken_scan_opts){ .exclude = docs, .n_exclude = 1 }),
              "build/: folder\ndocs/: ignored\nsrc/a.c\nsrc/a.py\nvendor/: vendored\n");
    kt_eq_str(help_files("t", &(ken_scan_opts){ .include = docs, .n_include = 1 }), "docs/a.c\n");
    kt_eq_str(help_scan("t", &(ken_scan_opts){ .include = mixed, .n_include = 2 }),
              "build/a.c\nsrc/a.c\nvendor/x/a.c\n"); // asked for by name
    kt_eq_str(help_scan("t",
                        &(ken_scan_opts){
                            .include = c_files, .n_include = 1, .exclude = docs, .n_exclude = 1 }),
              "build/: folder\ndocs/: ignored\nsrc/a.c\nvendor/: vendored\n");
}

// The files of "t", by git and by a walk, which must agree.
static const char *files_both_ways(const ken_str *include, size_t n)
{
    const char *by_git = help_files("t", &(ken_scan_opts){ .include = include, .n_include = n });
    const char *walked = help_files(
        "t", &(ken_scan_opts){ .include = include, .n_include = n, .without_git = true });
    kt_eq_str(by_git, walked);
    return by_git;
}

KEN_TEST(scan_takes_ignored_files_that_are_spelt_out)
{
    need_git();
    help_git_init("t");
    help_write("t/.gitignore", KEN_STR("gen/\nout/\nlocal.c\n*.log\n*.py\n"));
    help_touch("t/gen/a.c");
    help_touch("t/gen/sub/b.c");
    help_touch("t/deep/out/one.c");
    help_touch("t/deep/out/other.c");
    help_touch("t/src/x.c");
    help_touch("t/src/y.log");
    help_touch("t/local.c");
    help_touch("t/any.py");
    kt_eq_str(help_files("t", NULL), ".gitignore\nsrc/x.c\n");
    // A path that is spelt out is wanted, whatever .gitignore says.
    const ken_str spelt[] = { KEN_STR("gen/**"), KEN_STR("deep/out/one.c"), KEN_STR("src/**"),
                              KEN_STR("local.c"), KEN_STR("*.py") };
    kt_eq_str(files_both_ways(spelt, 5),
              "deep/out/one.c\ngen/a.c\ngen/sub/b.c\nlocal.c\nsrc/x.c\n");
    const ken_str name[] = { KEN_STR("sub") }; // of a folder inside of an ignored one
    kt_eq_str(files_both_ways(name, 1), "");
    const ken_str anchored[] = { KEN_STR("gen/sub") };
    kt_eq_str(files_both_ways(anchored, 1), "gen/sub/b.c\n");
    // A wildcard asks for nothing that is ignored.
    const ken_str wild[] = { KEN_STR("*.c"), KEN_STR("**/*.py"), KEN_STR("{src,deep}/**") };
    kt_eq_str(files_both_ways(wild, 3), "src/x.c\n");
}

KEN_TEST(scan_lists_a_subfolder_of_a_work_tree)
{
    need_git();
    help_git_init("t");
    help_write("t/.gitignore", KEN_STR("*.log\n/sub/x.c\n/vendor/y.c\n"));
    help_touch("t/top.c");
    help_touch("t/sub/a.c");
    help_touch("t/sub/b.log");
    help_touch("t/sub/x.c");
    help_touch("t/sub/deep/c.c");
    kt_eq_str(help_files("t/sub", NULL), "a.c\ndeep/c.c\n");
    kt_eq_str(help_files("t/sub", &by_walk), "a.c\ndeep/c.c\n");
    help_touch("t/vendor/mine.c"); // a root is never vendored itself
    help_touch("t/vendor/y.c");
    kt_eq_str(help_files("t/vendor", NULL), "mine.c\n");
    kt_eq_str(help_files("t/vendor", &by_walk), "mine.c\n");
}

KEN_TEST(scan_lists_a_root_that_git_ignores)
{
    need_git();
    help_git_init("t");
    help_write("t/.gitignore", KEN_STR("/out/\n*.log\n"));
    help_touch("t/out/sub/a.c");
    help_write("t/out/.gitignore", KEN_STR("b.c\n"));
    help_touch("t/out/b.c");
    kt_eq_str(help_files("t/out", NULL), ".gitignore\nsub/a.c\n");
    kt_eq_str(help_files("t/out/sub", NULL), "a.c\n");
}

KEN_TEST(scan_leaves_other_repositories_alone)
{
    need_git();
    help_git_init("t");
    help_touch("t/a.c");
    help_git_init("t/nested");
    help_touch("t/nested/b.c");
    help_git_commit("t/nested");
    help_git_init("other");
    help_touch("other/c.c");
    help_git_commit("other");
    help_git("t", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
             help_path("other"), "module", NULL);
    help_git("t", "add", "a.c", NULL);
    help_git("t", "commit", "-q", "-m", "x", NULL);
    help_git(NULL, "init", "-q", "--bare", help_path("t/bare"), NULL);
    kt_eq_str(help_scan("t", &by_walk), ".gitmodules\n"
                                        "a.c\n"
                                        "bare/: submodule\n"
                                        "module/: submodule\n"
                                        "nested/: submodule\n");
    kt_has_str(help_scan("t", NULL), ".gitmodules\na.c\n");
    kt_has_str(help_scan("t", NULL), "module/: submodule\nnested/: submodule\n");
    kt_eq_str(help_files("t/module", NULL), "c.c\n"); // as a root it is one like any other
    kt_eq_str(help_files("t/nested", NULL), "b.c\n");
}

KEN_TEST(scan_enters_repositories_below_a_plain_folder)
{
    need_git();
    help_write("t/.gitignore", KEN_STR("*.x\n")); // means nothing to the repositories below
    help_git_init("t/one");
    help_write("t/one/.gitignore", KEN_STR("*.log\n"));
    help_touch("t/one/a.log");
    help_touch("t/one/a.x");
    help_git_init("t/two");
    help_touch("t/two/a.log");
    help_touch("t/b.x");
    kt_eq_str(help_files("t", NULL), ".gitignore\none/.gitignore\none/a.x\ntwo/a.log\n");
}

KEN_TEST(scan_does_not_read_through_a_folder_that_became_a_link)
{
    need_git();
    help_git_init("t");
    help_touch("t/dir/a.c");
    help_touch("t/sub/dir/a.c");
    help_git_commit("t");
    help_touch("outside/a.c");
    kt_eq_i(unlink(help_path("t/dir/a.c")) | rmdir(help_path("t/dir")), 0);
    link_to("../outside", "t/dir");
    kt_eq_i(unlink(help_path("t/sub/dir/a.c")) | rmdir(help_path("t/sub/dir")), 0);
    link_to(help_path("outside"), "t/sub/dir");
    kt_eq_str(help_scan("t", NULL), "dir: symlink\nsub/dir: symlink\n");
}

KEN_TEST(scan_lists_a_file_in_conflict_once)
{
    need_git();
    help_git_init("t");
    help_write("t/a.c", KEN_STR("one\n"));
    help_git_commit("t");
    help_git("t", "checkout", "-q", "-b", "side", NULL);
    help_write("t/a.c", KEN_STR("two\n"));
    help_git_commit("t");
    help_git("t", "checkout", "-q", "main", NULL);
    help_write("t/a.c", KEN_STR("three\n"));
    help_git_commit("t");
    help_git("t", "-c", "merge.conflictStyle=merge", "read-tree", "-m", "main~1", "main", "side",
             NULL);
    kt_eq_str(help_files("t", NULL), "a.c\n");
}

KEN_TEST(scan_of_an_empty_repository_is_empty)
{
    need_git();
    help_git_init("t");
    kt_eq_str(help_scan("t", NULL), "");
}

KEN_TEST(scan_refuses_a_bare_repository)
{
    need_git();
    help_git(NULL, "init", "-q", "--bare", help_path("t.git"), NULL);
    ken_err err = { 0 };
    kt_status(scan_status(help_path("t.git"), NULL, NULL, &err), KEN_EINVAL);
    kt_has_str(err.msg, "bare");
}

// ---- head and branch --------------------------------------------------------------------------
static void check_head(const char *rel, const char *branch)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_scan_result r;
    ken_err err = { 0 };
    kt_ok_err(ken_scan(help_path(rel), &(ken_scan_opts){ .home = help_home() }, NULL, &a, &r, &err),
              &err);
    kt_true(r.is_git);
    kt_false(r.is_walked);
    kt_eq_text(r.git_branch, branch);
    kt_eq_text(r.git_head,
               ken_arena_dup(&a, ken_str_trim(help_git(rel, "rev-parse", "HEAD", NULL))).ptr);
    ken_arena_release(&a);
}

KEN_TEST(scan_reads_head_and_branch)
{
    need_git();
    help_git_init("t");
    help_touch("t/sub/a.c");
    help_git_commit("t");
    check_head("t", "main");
    check_head("t/sub", "main");
    help_git("t", "checkout", "-q", "-b", "feature/x", NULL);
    check_head("t", "feature/x");
    help_git("t", "pack-refs", "--all", NULL);
    check_head("t", "feature/x");
    help_git("t", "worktree", "add", "-q", "-b", "other", help_path("w"), NULL);
    help_touch("w/new.c");
    check_head("w", "other");
    kt_eq_str(help_files("w", NULL), "new.c\nsub/a.c\n");
    kt_eq_str(help_files("w", &by_walk), "new.c\nsub/a.c\n");
    help_git_commit("w");
    check_head("w", "other");
    help_git("t", "checkout", "-q", "--detach", NULL);
    check_head("t", "");
    help_git("t", "checkout", "-q", "feature/x", NULL);
    help_git("t", "symbolic-ref", "refs/heads/alias", "refs/heads/main", NULL);
    help_git("t", "symbolic-ref", "HEAD", "refs/heads/alias", NULL);
    check_head("t", "alias");
}

KEN_TEST(scan_knows_the_branch_before_the_first_commit)
{
    need_git();
    help_git_init("t");
    help_touch("t/a.c");
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_scan_result r;
    kt_ok(ken_scan(help_path("t"), NULL, NULL, &a, &r, NULL));
    kt_true(r.is_git);
    kt_eq_text(r.git_branch, "main");
    kt_eq_u(r.git_head.len, 0);
    ken_arena_release(&a);
}

KEN_TEST(scan_takes_a_broken_git_file_for_none)
{
    help_touch("t/a.c");
    static const char *const broken[] = { "gitdir: /no/such/folder\n", "nonsense", "gitdir: \n",
                                          "" };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        help_write("t/.git", ken_str_c(broken[i]));
        ken_arena a;
        ken_arena_init(&a, 0);
        ken_scan_result r;
        kt_ok(ken_scan(help_path("t"), NULL, NULL, &a, &r, NULL));
        kt_false(r.is_git);
        kt_true(r.is_walked);
        kt_eq_u(r.n_files, 1);
        ken_arena_release(&a);
    }
}

KEN_TEST(scan_never_believes_a_head_that_leads_away)
{
    need_git();
    help_git_init("t");
    help_touch("t/a.c");
    static const char id[] = "0123456789012345678901234567890123456789\n";
    help_write("t/outside", ken_str_c(id));
    static const char *const heads[] = {
        "ref: refs/../../outside\n", "ref: ../outside\n", "ref: /etc/passwd\n", "ref: \n", "",
        "ref: refs/heads\n"
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        help_write("t/.git/HEAD", ken_str_c(heads[i]));
        ken_arena a;
        ken_arena_init(&a, 0);
        ken_scan_result r;
        kt_ok(ken_scan(help_path("t"), NULL, NULL, &a, &r, NULL));
        kt_eq_u(r.git_head.len, 0);
        kt_eq_u(r.n_files, 2); // git refuses such a repository, the walk does not
        ken_arena_release(&a);
    }
}

// ---- when git cannot be asked -----------------------------------------------------------------
static void check_walked(const char *want)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_scan_result r;
    ken_err err = { 0 };
    kt_ok_err(ken_scan(help_path("t"), NULL, NULL, &a, &r, &err), &err);
    kt_true(r.is_git);
    kt_true(r.is_walked);
    kt_eq_text(r.git_branch, "main");
    ken_arena_release(&a);
    kt_eq_str(help_files("t", NULL), want);
}

static void make_refused(void)
{
    help_git_init("t");
    help_write("t/.gitignore", KEN_STR("*.log\n"));
    help_write("t/.git/info/exclude", KEN_STR("hidden.c\n"));
    help_touch("t/a.c");
    help_touch("t/a.log");
    help_touch("t/hidden.c");
    help_git_commit("t");
}

KEN_TEST(scan_walks_when_git_is_absent)
{
    need_git();
    make_refused();
    const char *path = help_env("PATH");
    setenv("PATH", "/no/such/folder", 1);
    ken_proc__start_again();
    check_walked(".gitignore\na.c\n");
    setenv("PATH", path, 1);
    ken_proc__start_again();
}

KEN_TEST(scan_walks_when_git_refuses_the_owner)
{
    need_git();
    if (geteuid() != 0)
        kt_skip("root", "only root can give a folder away");
    make_refused();
    const char *mine[] = { "t", "t/.git" };
    for (size_t i = 0; i < 2; i++)
        kt_eq_i(chown(help_path(mine[i]), 12345, 12345), 0);
    check_walked(".gitignore\na.c\n");
}

KEN_TEST(scan_walks_when_the_index_is_damaged)
{
    need_git();
    make_refused();
    help_write("t/.git/index", KEN_STR("DIRC nonsense that is no index at all"));
    check_walked(".gitignore\na.c\n");
}

KEN_TEST(scan_runs_nothing_that_a_repository_asks_for)
{
    need_git();
    help_git_init("t");
    help_touch("t/a.c");
    help_git_commit("t");
    const char *mark = help_path("ran");
    char script[1024], settings[4096];
    snprintf(script, sizeof script, "#!/bin/sh\ntouch '%s'\n", mark);
    help_write("t/run.sh", ken_str_c(script));
    kt_eq_i(chmod(help_path("t/run.sh"), 0755), 0);
    const char *run = help_path("t/run.sh");
    snprintf(settings, sizeof settings,
             "[core]\n\tfsmonitor = %s\n\thooksPath = %s\n\tpager = %s\n\teditor = %s\n"
             "\tsshCommand = %s\n\talternateRefsCommand = %s\n[filter \"x\"]\n\tclean = %s\n"
             "\tprocess = %s\n[alias]\n\tls-files = !%s\n",
             run, help_path("t"), run, run, run, run, run, run, run);
    ken_str config = ktest_read(help_path("t/.git/config"));
    ken_buf all = KEN_BUF_INIT(0);
    ken_buf_put_str(&all, config);
    ken_buf_puts(&all, settings);
    help_write("t/.git/config", ken_buf_str(&all));
    ken_buf_release(&all);
    help_write("t/.gitattributes", KEN_STR("* filter=x\n"));
    kt_eq_str(help_files("t", NULL), ".gitattributes\na.c\nrun.sh\n");
    kt_eq_i(access(mark, F_OK), -1);
}

KEN_TEST(scan_is_not_led_astray_by_the_environment)
{
    need_git();
    help_git_init("other");
    help_touch("other/wrong.c");
    help_git_commit("other");
    help_git_init("t");
    help_touch("t/right.c");
    setenv("GIT_DIR", help_path("other/.git"), 1);
    setenv("GIT_WORK_TREE", help_path("other"), 1);
    setenv("GIT_INDEX_FILE", help_path("other/.git/index"), 1);
    const char *got = help_scan("t", NULL);
    unsetenv("GIT_DIR");
    unsetenv("GIT_WORK_TREE");
    unsetenv("GIT_INDEX_FILE");
    kt_eq_str(got, "right.c\n");
}

KEN_TEST(scan_leaves_ken_s_own_data_out)
{
    help_touch("t/a.c");
    help_touch("t/state/ken/config/projects.db");
    help_touch("t/state/ken/indexes/x.lock");
    help_touch("t/state/b.c");
    char own[600];
    snprintf(own, sizeof own, "%s", help_path("t/state/ken"));
    const ken_scan_opts by = { .own_dir = ken_str_c(own), .without_git = true };
    kt_eq_str(help_files("t", &by), "a.c\nstate/b.c\n");
    need_git();
    help_git_init("t");
    const ken_scan_opts with_git = { .own_dir = ken_str_c(own) };
    kt_eq_str(help_files("t", &with_git), "a.c\nstate/b.c\n");
}

// ---- settings of the user ---------------------------------------------------------------------
KEN_TEST(scan_obeys_core_excludes_file)
{
    help_touch("t/a.c");
    help_touch("t/b.c");
    help_touch("t/c.c");
    help_write("home/.config/git/ignore", KEN_STR("a.c\n"));
    kt_eq_str(help_files("t", NULL), "b.c\nc.c\n");
    help_write("home/.gitconfig", KEN_STR("[include]\n  path = more settings\n"));
    help_write("home/more settings", KEN_STR("[core] excludesfile = ~/mine ; a comment\n"));
    help_write("home/mine", KEN_STR("b.c\n"));
    kt_eq_str(help_files("t", NULL), "a.c\nc.c\n");
    help_write("t/.gitignore", KEN_STR("!b.c\n.gitignore\n")); // nearer files win
    kt_eq_str(help_files("t", NULL), "a.c\nb.c\nc.c\n");
}

KEN_TEST(scan_takes_strange_settings)
{
    static const char *const settings[] = {
        "[core",
        "[core]\nexcludesFile",
        "[core]\nexcludesFile =\n",
        "= x\n[]\n=\n",
        "[core]\n\texcludesFile = \"unclosed\nx = \\",
        "[include]\npath = ~/.gitconfig\n",
        "[core]\nexcludesFile = /dev/zero\n",
        "\n\n;\n#\n[a]b[c]d",
        "[core]excludesFile=/\n",
    };
    help_touch("t/a.c");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        help_write("home/.gitconfig", ken_str_c(settings[i]));
        kt_eq_str(help_files("t", NULL), "a.c\n");
    }
}

KEN_TEST(scan_does_not_wait_on_pipes)
{
    help_touch("t/a.c");
    kt_eq_i(mkfifo(help_path("t/.gitignore"), 0600), 0);
    kt_ok(ken_fs_make_dirs(help_home(), 0755, NULL));
    kt_eq_i(mkfifo(help_path("home/.gitconfig"), 0600), 0);
    kt_eq_str(help_scan("t", NULL), ".gitignore: special\na.c\n");
}
