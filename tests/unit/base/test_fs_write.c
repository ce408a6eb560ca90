// SPDX-License-Identifier: MIT
// Writing into somebody else's folder: whole or not at all, and never out of it.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "ktest.h"

static int open_root(void)
{
    int fd = -1;
    (void)ktest_path("root/x");
    kt_ok(ken_fs_open_dir(ktest_path("root"), &fd, NULL));
    return fd;
}

KEN_TEST(makes_folders_and_replaces_files)
{
    int root = open_root();
    kt_ok(ken_fs_write_under(root, KEN_STR("docs/patterns/a.md"), KEN_STR("one"), NULL));
    kt_eq_text(ktest_read(ktest_path("root/docs/patterns/a.md")), "one");
    kt_eq_i(chmod(ktest_path("root/docs/patterns/a.md"), 0640), 0);
    kt_ok(ken_fs_write_under(root, KEN_STR("docs/patterns/a.md"), KEN_STR("two"), NULL));
    kt_eq_text(ktest_read(ktest_path("root/docs/patterns/a.md")), "two");
    ken_fs_info info;
    kt_ok(ken_fs_stat(root, "docs/patterns/a.md", &info, NULL));
    kt_eq_u(info.mode & 0777, 0640);
    ken_fs_close(root);
}

KEN_TEST(follows_no_link_out_of_the_root)
{
    int root = open_root();
    ken_err err = { 0 };
    (void)ktest_write("outside/kept.md", "kept");
    kt_eq_i(symlink("../outside", ktest_path("root/docs")), 0);
    kt_eq_i(symlink("../outside/kept.md", ktest_path("root/link.md")), 0);
    kt_status(ken_fs_write_under(root, KEN_STR("docs/new.md"), KEN_STR("x"), &err), KEN_EPERM);
    kt_has_str(err.msg, "docs");
    kt_status(ken_fs_write_under(root, KEN_STR("link.md"), KEN_STR("x"), &err), KEN_EPERM);
    kt_has_str(err.msg, "'link.md' is not a regular file");
    kt_eq_text(ktest_read(ktest_path("outside/kept.md")), "kept");
    kt_false(ken_fs_exists(ktest_path("outside/new.md")));
    ken_fs_close(root);
}

KEN_TEST(refuses_what_is_no_path_below)
{
    static const char *const paths[] = { "", "..", ".", "../x", "a/../../x", "a//b", "/x", "a/" };
    int root = open_root();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        kt_status(ken_fs_write_under(root, ken_str_c(paths[i]), KEN_STR("x"), NULL), KEN_EINVAL);
    kt_status(ken_fs_write_under(root, ken_str_n("a\0b", 3), KEN_STR("x"), NULL), KEN_EINVAL);
    ken_fs_close(root);
}

KEN_TEST(a_file_where_a_folder_should_be)
{
    int root = open_root();
    (void)ktest_write("root/docs", "a file");
    kt_status(ken_fs_write_under(root, KEN_STR("docs/x.md"), KEN_STR("x"), NULL), KEN_EPERM);
    kt_status(ken_fs_make_dirs_under(root, KEN_STR("docs/y"), NULL), KEN_EPERM);
    kt_ok(ken_fs_make_dirs_under(root, KEN_STR(".rag/collections"), NULL));
    kt_true(ken_fs_exists(ktest_path("root/.rag/collections")));
    ken_fs_close(root);
}

// A run that was killed, another thread, or a hostile tree that guesses the number.
KEN_TEST(a_temporary_file_that_is_there_is_left_alone)
{
    int root = open_root();
    char name[64];
    snprintf(name, sizeof name, "root/a.md.%d-0.tmp", (int)getpid());
    (void)ktest_write("outside", "mine");
    kt_eq_i(symlink(ktest_path("outside"), ktest_path(name)), 0);
    kt_ok(ken_fs_write_under(root, KEN_STR("a.md"), KEN_STR("new"), NULL));
    kt_eq_text(ktest_read(ktest_path("root/a.md")), "new");
    kt_eq_text(ktest_read(ktest_path("outside")), "mine");
    ken_fs_close(root);
}

KEN_TEST(permissions_are_taken_over_whatever_the_umask)
{
    int root = open_root();
    struct stat s;
    (void)ktest_write("root/run.sh", "one");
    kt_eq_i(chmod(ktest_path("root/run.sh"), 0775), 0);
    mode_t old = umask(077);
    kt_ok(ken_fs_write_under(root, KEN_STR("run.sh"), KEN_STR("two"), NULL));
    umask(old);
    kt_eq_i(stat(ktest_path("root/run.sh"), &s), 0);
    kt_eq_u(s.st_mode & 0777, 0775);
    ken_fs_close(root);
}

KEN_TEST(a_failed_write_leaves_the_file_as_it_was)
{
    if (geteuid() == 0)
        kt_skip("a plain user", "root writes everywhere");
    int root = open_root();
    (void)ktest_write("root/a.md", "one");
    kt_eq_i(chmod(ktest_path("root"), 0555), 0);
    kt_status(ken_fs_write_under(root, KEN_STR("a.md"), KEN_STR("two"), NULL), KEN_EPERM);
    kt_eq_i(chmod(ktest_path("root"), 0755), 0);
    kt_eq_text(ktest_read(ktest_path("root/a.md")), "one");
    ken_fs_close(root);
}

KEN_TEST(files_are_removed_by_how_their_names_begin_and_end)
{
    static const char *const names[] = { "d/tmp_a", "d/a.lock", "d/tmp_b.lock", "d/b",
                                         "d/tmp_d/x" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)ktest_write(names[i], "");
    ken_fs_remove_named(ktest_path("d"), "tmp_", "");
    kt_true(!ken_fs_exists(ktest_path("d/tmp_a")) && !ken_fs_exists(ktest_path("d/tmp_b.lock")));
    kt_true(ken_fs_exists(ktest_path("d/a.lock")) && ken_fs_exists(ktest_path("d/tmp_d/x")));
    ken_fs_remove_named(ktest_path("d"), "", ".lock");
    kt_false(ken_fs_exists(ktest_path("d/a.lock")));
    ken_fs_remove_named(ktest_path("none"), "", "");
    kt_true(ken_fs_exists(ktest_path("d/b")));
}
