// SPDX-License-Identifier: MIT
#include <sys/stat.h>
#include <unistd.h>

#include "../history/history_lab.h"
#include "revision/revision.h"

static ken_str resolve(const char *name)
{
    ken_str id = { NULL, 0 };
    kt_ok_err(ken_revision_resolve(root, ken_str_c(name), NULL, &arena, &id, &err), &err);
    return id;
}

static void refuse(const char *name, ken_status st, const char *says)
{
    ken_str id = { NULL, 0 };
    ken_err e = { 0 };
    kt_status(ken_revision_resolve(root, ken_str_c(name), NULL, &arena, &id, &e), st);
    kt_has_str(e.msg, says);
}

static ken_str text_at(ken_revision *r, const char *path)
{
    ken_buf b = KEN_BUF_INIT(1 << 20);
    kt_ok_err(ken_revision_read(r, ken_str_c(path), 1 << 20, NULL, &b, &err), &err);
    ken_str text = ken_arena_dup(&arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return text;
}

static void make_two(void)
{
    lab_start("tree");
    put("a.c", "one\n");
    put("sub/b.c", "two\n");
    commit(0, "ann", "begin");
    git("tag", "v1", NULL);
    put("a.c", "ONE\n");
    kt_eq_i(symlink("/etc/passwd", ktest_path("tree/link")), 0);
    commit(1, "bob", "louder");
}

KEN_TEST(revision_has_the_files_of_its_commit)
{
    make_two();
    ken_revision *r = ken_revision_new(root, resolve("v1"));
    ken_revision_entry *list = NULL;
    size_t n = 0;
    kt_ok_err(ken_revision_list(r, NULL, &arena, &list, &n, &err), &err);
    kt_eq_u(n, 2);
    kt_eq_text(list[0].path, "a.c");
    kt_eq_u(list[0].stamp.size, 4);
    kt_eq_i(list[0].stamp.mtime_ns, (int64_t)LAB_DAY_0 * 1000000000);
    kt_eq_text(list[1].path, "sub/b.c");
    kt_eq_text(text_at(r, "a.c"), "one\n");
    kt_eq_text(text_at(r, "sub/b.c"), "two\n");
    ken_revision_free(r);
    r = ken_revision_new(root, resolve("HEAD"));
    kt_ok_err(ken_revision_list(r, NULL, &arena, &list, &n, &err), &err);
    kt_eq_u(n, 3);
    kt_eq_i(list[1].kind, KEN_FS_LINK);
    kt_eq_text(text_at(r, "a.c"), "ONE\n");
    ken_revision_free(r);
    lab_end();
}

KEN_TEST(revision_below_the_top_has_paths_of_its_own)
{
    make_two();
    root = ktest_path("tree/sub");
    ken_revision *r = ken_revision_new(root, resolve("v1"));
    ken_revision_entry *list = NULL;
    size_t n = 0;
    kt_ok_err(ken_revision_list(r, NULL, &arena, &list, &n, &err), &err);
    kt_eq_u(n, 1);
    kt_eq_text(list[0].path, "b.c");
    kt_eq_text(text_at(r, "b.c"), "two\n");
    ken_revision_free(r);
    lab_end();
}

KEN_TEST(revision_tells_absent_and_large_files_apart)
{
    make_two();
    ken_revision *r = ken_revision_new(root, resolve("v1"));
    ken_buf b = KEN_BUF_INIT(1 << 20);
    kt_status(ken_revision_read(r, KEN_STR("none.c"), 100, NULL, &b, NULL), KEN_ENOTFOUND);
    kt_status(ken_revision_read(r, KEN_STR("a\nb"), 100, NULL, &b, NULL), KEN_ENOTFOUND);
    kt_status(ken_revision_read(r, KEN_STR("sub"), 100, NULL, &b, NULL), KEN_EINVAL);
    kt_status(ken_revision_read(r, KEN_STR("a.c"), 3, NULL, &b, NULL), KEN_ELIMIT);
    kt_eq_text(text_at(r, "a.c"), "one\n"); // the answers before it were read to their ends
    ken_buf_release(&b);
    ken_revision_free(r);
    lab_end();
}

KEN_TEST(revision_names_are_never_options)
{
    make_two();
    git("update-ref", "refs/heads/--upload-pack=x", "HEAD", NULL);
    refuse("--upload-pack=x", KEN_EINVAL, "begins with '-'");
    refuse("-v", KEN_EINVAL, "begins with '-'");
    kt_eq_text(resolve("refs/heads/--upload-pack=x"), git("rev-parse", "HEAD", NULL).ptr);
    refuse("", KEN_EINVAL, "1 to 250 bytes");
    refuse("HEAD\n--all", KEN_EINVAL, "one line");
    lab_end();
}

KEN_TEST(revision_names_that_are_none_or_several_are_refused)
{
    make_two();
    refuse("v2", KEN_EINVAL, "names no commit");
    refuse("main~9", KEN_EINVAL, "names no commit");
    refuse("v1:a.c", KEN_EINVAL, "names no commit");
    refuse("v1..main", KEN_EINVAL, "names no commit");
    git("branch", "v1", "HEAD", NULL);
    refuse("v1", KEN_EINVAL, "more than one commit");
    kt_eq_text(resolve("refs/heads/v1"), git("rev-parse", "HEAD", NULL).ptr);
    kt_eq_text(resolve("refs/tags/v1"), git("rev-parse", "HEAD~1", NULL).ptr);
    lab_end();
}

KEN_TEST(revision_outside_of_a_repository_says_so)
{
    make_two();
    root = ktest_path("plain");
    kt_ok(ken_fs_make_dirs(root, 0755, NULL));
    refuse("HEAD", KEN_EUNSUPPORTED, "no git repository");
    lab_end();
}

// A blob that is gone is no file without bytes, and nothing is fetched for it.
KEN_TEST(revision_lacking_an_object_says_so)
{
    make_two();
    ken_str blob = git("rev-parse", "v1:a.c", NULL);
    ken_revision *r = ken_revision_new(root, resolve("v1"));
    char path[200];
    snprintf(path, sizeof path, "tree/.git/objects/%.2s/%s", blob.ptr, blob.ptr + 2);
    kt_eq_i(unlink(ktest_path(path)), 0);
    ken_buf b = KEN_BUF_INIT(1 << 20);
    ken_revision_entry *list = NULL;
    size_t n = 0;
    ken_err e = { 0 };
    kt_status(ken_revision_read(r, KEN_STR("a.c"), 100, NULL, &b, &e), KEN_EIO);
    kt_status(ken_revision_list(r, NULL, &arena, &list, &n, &e), KEN_EIO);
    kt_has_str(e.msg, "lacks");
    kt_eq_text(text_at(r, "sub/b.c"), "two\n");
    ken_buf_release(&b);
    ken_revision_free(r);
    lab_end();
}
