// SPDX-License-Identifier: MIT
// Clones of real bare repositories, by git's file transport.
#include <sys/stat.h>
#include <unistd.h>

#include "../../git_lab.h"
#include "base/fs.h"
#include "base/path.h"
#include "sync/sync.h"

static ken_arena arena;
static ken_err err;
static const char *work, *bare, *clone_dir;
static ken_sync_source source;

static void put(const char *rel, const char *text)
{
    ken_str path = ken_path_join(&arena, ken_str_c(work), ken_str_c(rel));
    kt_ok_err(ken_fs_make_dirs(ken_arena_dup(&arena, ken_path_dir(path)).ptr, 0700, &err), &err);
    kt_ok_err(ken_fs_write_atomic(path.ptr, ken_str_c(text), &err), &err);
}

static void push(const char *message)
{
    GIT_IN(work, NULL, "add", "-A");
    GIT_IN(work, NULL, "commit", "-q", "-m", message);
    GIT_IN(work, NULL, "push", "-q", "--force", bare, "HEAD:refs/heads/main");
}

static void setup(void)
{
    ken_arena_init(&arena, 0);
    work = ktest_path("work");
    bare = ktest_path("remote.git");
    clone_dir = ktest_path("data/repos/remote");
    kt_ok_err(ken_fs_make_dirs(work, 0700, &err), &err);
    GIT_IN(work, NULL, "init", "-q");
    GIT_IN(work, NULL, "init", "-q", "--bare", bare);
    GIT_IN(bare, NULL, "config", "uploadpack.allowFilter", "true");
    put("src/a.c", "int a(void)\n{\n    return 1;\n}\n");
    put("src/b.c", "int b(void)\n{\n    return 2;\n}\n");
    put("docs/c.md", "# c\n");
    push("one");
    source = (ken_sync_source){
        .url = ken_arena_printf(&arena, "file://%s", bare),
        .branch = KEN_STR("main"),
        .sparse = KEN_STR(""),
        .depth = 1,
        .protocols = KEN_STR("https,ssh,file"),
    };
}

static void teardown(void)
{
    ken_arena_release(&arena);
}

static ken_sync_report sync_it(void)
{
    ken_sync_report r;
    kt_ok_err(ken_sync_run(&source, clone_dir, NULL, NULL, &arena, &r, &err), &err);
    return r;
}

static ken_str head_of(const char *folder)
{
    return GIT_IN(folder, &arena, "rev-parse", "HEAD");
}

static ken_str text_of(const char *rel)
{
    ken_buf b = KEN_BUF_INIT(1 << 20);
    ken_str path = ken_path_join(&arena, ken_str_c(clone_dir), ken_str_c(rel));
    kt_ok_err(ken_fs_read_own(path.ptr, 1 << 20, &b, &err), &err);
    ken_str text = ken_arena_dup(&arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return text;
}

static bool has(const char *rel)
{
    return ken_fs_exists(ken_path_join(&arena, ken_str_c(clone_dir), ken_str_c(rel)).ptr);
}

KEN_TEST(the_first_sync_clones_and_the_next_follows)
{
    setup();
    ken_sync_report r = sync_it();
    kt_eq_text(r.from, "");
    kt_eq_text(r.commit, head_of(work).ptr);
    kt_false(r.knows_changes);
    kt_true(has("src/a.c") && has("src/b.c") && has("docs/c.md"));
    kt_eq_text(GIT_IN(clone_dir, &arena, "rev-list", "--count", "HEAD"), "1");

    ken_str before = r.commit;
    put("src/a.c", "int a(void)\n{\n    return 3;\n}\n");
    put("new.c", "int n;\n");
    GIT_IN(work, NULL, "rm", "-q", "docs/c.md");
    GIT_IN(work, NULL, "mv", "src/b.c", "src/moved.c");
    push("two");
    r = sync_it();
    kt_eq_text(r.from, before.ptr);
    kt_eq_text(r.commit, head_of(work).ptr);
    kt_true(r.knows_changes);
    kt_eq_u(r.n_changes, 4);
    kt_eq_u(r.changes[0].kind, KEN_SYNC_DELETED);
    kt_eq_text(r.changes[0].path, "docs/c.md");
    kt_eq_u(r.changes[1].kind, KEN_SYNC_RENAMED);
    kt_eq_text(r.changes[1].old_path, "src/b.c");
    kt_eq_text(r.changes[1].path, "src/moved.c");
    kt_eq_u(r.changes[2].kind, KEN_SYNC_ADDED);
    kt_eq_text(r.changes[2].path, "new.c");
    kt_eq_u(r.changes[3].kind, KEN_SYNC_MODIFIED);
    kt_eq_text(text_of("src/a.c"), "int a(void)\n{\n    return 3;\n}\n");
    kt_false(has("docs/c.md") || has("src/b.c"));

    r = sync_it(); // nothing new
    kt_true(r.knows_changes || r.n_changes == 0);
    kt_eq_text(r.from, r.commit.ptr);
    teardown();
}

KEN_TEST(the_remotes_default_branch_is_found)
{
    setup();
    GIT_IN(bare, NULL, "symbolic-ref", "HEAD", "refs/heads/main");
    source.branch = KEN_STR("");
    kt_eq_text(sync_it().branch, "main");
    ken_str branch, commit;
    put("x.c", "int x;\n");
    push("two");
    kt_ok_err(ken_sync_look(&source, NULL, &arena, &branch, &commit, &err), &err);
    kt_eq_text(branch, "main");
    kt_eq_text(commit, head_of(work).ptr);
    GIT_IN(bare, NULL, "symbolic-ref", "HEAD", "refs/heads/gone");
    kt_status(ken_sync_look(&source, NULL, &arena, &branch, &commit, &err), KEN_ENOTFOUND);
    teardown();
}

KEN_TEST(only_the_files_that_are_wanted_are_checked_out)
{
    setup();
    source.sparse = KEN_STR("/src/");
    sync_it();
    kt_true(has("src/a.c"));
    kt_false(has("docs/c.md"));
    source.sparse = KEN_STR("/docs/\n/src/b.c");
    sync_it();
    kt_true(has("docs/c.md") && has("src/b.c"));
    kt_false(has("src/a.c"));
    source.sparse = KEN_STR("");
    sync_it();
    kt_true(has("src/a.c") && has("docs/c.md"));
    teardown();
}

// A clone that had a depth gets the rest when all is wished.
KEN_TEST(a_clone_is_deepened)
{
    setup();
    put("b.c", "int second;\n");
    push("two");
    sync_it();
    kt_eq_text(GIT_IN(clone_dir, &arena, "rev-list", "--count", "HEAD"), "1");
    source.depth = 0;
    sync_it();
    kt_eq_text(GIT_IN(clone_dir, &arena, "rev-list", "--count", "HEAD"), "2");
    sync_it();
    teardown();
}

KEN_TEST(earlier_contents_are_fetched_when_they_are_asked_for)
{
    setup();
    source.depth = 0;
    put("src/a.c", "int a(void)\n{\n    return 9;\n}\n");
    push("two");
    sync_it();
    const char *missing[] = { "rev-list", "--objects", "--missing=print", "HEAD", "--", "src/a.c" };
    kt_has_str(GIT_IN(clone_dir, &arena, missing[0], missing[1], missing[2], missing[3], missing[4],
                      missing[5])
                   .ptr,
               "?");
    kt_ok_err(ken_sync_fetch_versions(&source, clone_dir, KEN_STR("src/a.c"), NULL, &arena, &err),
              &err);
    kt_eq_u(ken_str_find_char(GIT_IN(clone_dir, &arena, missing[0], missing[1], missing[2],
                                     missing[3], missing[4], missing[5]),
                              '?'),
            SIZE_MAX);
    kt_ok_err(ken_sync_fetch_versions(&source, clone_dir, KEN_STR("none.c"), NULL, &arena, &err),
              &err);
    teardown();
}

KEN_TEST(rewritten_history_is_followed)
{
    setup();
    source.depth = 0;
    put("b.c", "int second;\n");
    push("two");
    ken_str before = sync_it().commit;
    GIT_IN(work, NULL, "reset", "-q", "--hard", "HEAD~1");
    put("other.c", "int other;\n");
    push("another two");
    ken_sync_report r = sync_it();
    kt_eq_text(r.from, before.ptr);
    kt_eq_text(r.commit, head_of(work).ptr);
    kt_true(r.knows_changes && r.n_changes == 2);
    kt_true(has("other.c") && !has("b.c"));
    teardown();
}

KEN_TEST(a_branch_that_is_gone_leaves_the_files)
{
    setup();
    sync_it();
    GIT_IN(bare, NULL, "update-ref", "-d", "refs/heads/main");
    ken_sync_report r;
    kt_status(ken_sync_run(&source, clone_dir, NULL, NULL, &arena, &r, &err), KEN_ENOTFOUND);
    kt_has_str(err.msg, "main");
    kt_true(has("src/a.c"));
    source.url = ken_arena_printf(&arena, "file://%s/none", bare);
    kt_status(ken_sync_run(&source, clone_dir, NULL, NULL, &arena, &r, &err), KEN_ENOTFOUND);
    kt_true(has("src/a.c"));
    teardown();
}

KEN_TEST(a_damaged_clone_is_fetched_anew)
{
    setup();
    sync_it();
    put("left.c", "int left;\n"); // in the tree that is lost, and not in the next
    push("two");
    sync_it();
    kt_true(has("left.c"));
    ken_str index = ken_path_join(&arena, ken_str_c(clone_dir), KEN_STR(".git/index"));
    kt_ok_err(ken_fs_write_atomic(index.ptr, KEN_STR("DIRC nothing"), &err), &err);
    GIT_IN(work, NULL, "rm", "-q", "left.c");
    push("three");
    ken_sync_report r = sync_it();
    kt_true(r.is_anew);
    kt_eq_text(r.commit, head_of(work).ptr);
    kt_true(has("src/a.c") && !has("left.c"));

    // So are a HEAD without a meaning, and a sync that was killed with its locks held.
    kt_ok_err(
        ken_fs_write_atomic(ken_path_join(&arena, ken_str_c(clone_dir), KEN_STR(".git/HEAD")).ptr,
                            KEN_STR("nonsense\n"), &err),
        &err);
    put("y.c", "int y;\n");
    push("four");
    sync_it();
    kt_true(has("y.c"));
    kt_ok_err(ken_fs_write_atomic(
                  ken_path_join(&arena, ken_str_c(clone_dir), KEN_STR(".git/index.lock")).ptr,
                  KEN_STR(""), &err),
              &err);
    put("z.c", "int z;\n");
    push("five");
    kt_false(sync_it().is_anew);
    kt_true(has("z.c"));
    teardown();
}

KEN_TEST(what_somebody_changed_in_a_clone_is_overwritten)
{
    setup();
    sync_it();
    ken_str path = ken_path_join(&arena, ken_str_c(clone_dir), KEN_STR("src/a.c"));
    kt_ok_err(ken_fs_write_atomic(path.ptr, KEN_STR("mine\n"), &err), &err);
    put("src/b.c", "int b2;\n");
    push("two");
    sync_it();
    kt_eq_text(text_of("src/a.c"), "int a(void)\n{\n    return 1;\n}\n");
    kt_eq_text(text_of("src/b.c"), "int b2;\n");
    teardown();
}

KEN_TEST(nothing_that_a_repository_names_is_run)
{
    setup();
    const char *mark = ktest_path("ran");
    ken_str hook = ken_arena_printf(&arena, "#!/bin/sh\necho hook >>%s\n", mark);
    ken_str settings = ken_arena_printf(
        &arena,
        "[filter \"evil\"]\n\tsmudge = sh -c 'echo filter >>%s; cat'\n\trequired = true\n"
        "[core]\n\tfsmonitor = sh -c 'echo monitor >>%s'\n\thooksPath = %s\n",
        mark, mark, ktest_path("hooks"));
    kt_ok_err(ken_fs_make_dirs(ktest_path("hooks"), 0700, &err), &err);
    static const char *const hooks[] = { "hooks/post-checkout", "hooks/reference-transaction",
                                         "hooks/post-index-change" };
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        kt_ok_err(ken_fs_write_atomic(ktest_path(hooks[i]), hook, &err), &err);
        chmod(ktest_path(hooks[i]), 0700);
    }
    put(".gitattributes", "*.c filter=evil\n");
    put(".gitmodules", "[submodule \"m\"]\n\tpath = m\n\turl = ext::sh -c touch% /tmp/x\n");
    push("armed");
    sync_it();
    // The clone's own settings, as if they had been got at.
    ken_str config = ken_path_join(&arena, ken_str_c(clone_dir), KEN_STR(".git/config"));
    int fd;
    kt_ok_err(ken_fs_open_append(config.ptr, false, &fd, NULL, &err), &err);
    kt_ok_err(ken_fs_append(fd, settings, &err), &err);
    ken_fs_close(fd);
    put("src/a.c", "int changed;\n");
    push("two");
    sync_it();
    kt_eq_text(text_of("src/a.c"), "int changed;\n");
    kt_false(ken_fs_exists(mark));
    teardown();
}

KEN_TEST(a_source_is_checked_before_git_sees_it)
{
    setup();
    static const struct {
        const char *url;
        ken_status st;
        const char *says;
    } cases[] = {
        { "", KEN_EINVAL, "url" },
        { "--upload-pack=touch x", KEN_EINVAL, "url" },
        { "-oProxyCommand=x:y", KEN_EINVAL, "url" },
        { "ext::sh -c true", KEN_EINVAL, "url" },
        { "ext::true", KEN_EINVAL, "url" },
        { "ssh://-oProxyCommand=x/y", KEN_EINVAL, "url" },
        { "git@host:-x", KEN_EINVAL, "url" },
        { "https://user:secret@example.org/a.git", KEN_EINVAL, "password" },
        { "https://ghp_token@example.org/a.git", KEN_EINVAL, "password" },
        { "ssh://git:secret@example.org/a.git", KEN_EINVAL, "password" },
        { "https://example.org/a?token=x", KEN_EINVAL, "query" },
        { "https:///a", KEN_EINVAL, "host" },
        { "https://example.org", KEN_EINVAL, "path" },
        { "http://example.org/a", KEN_EPERM, "sync.protocols" },
        { "git://example.org/a", KEN_EPERM, "sync.protocols" },
        { "example.org/a", KEN_EINVAL, "url" },
        { "https://example.org/a b", KEN_EINVAL, "url" },
        { "https://example.org/a.git", KEN_OK, NULL },
        { "git@example.org:team/a.git", KEN_OK, NULL },
        { "ssh://git@example.org:2222/a.git", KEN_OK, NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        source.url = ken_str_c(cases[i].url);
        ken_err e = { 0 };
        ken_status st = ken_sync_check(&source, &e);
        if (st != cases[i].st || (cases[i].says && !strstr(e.msg, cases[i].says)))
            kt_fail("'%s': %s: %s", cases[i].url, ken_status_name(st), e.msg);
        if (strstr(e.msg, "secret") && !strstr(e.msg, "the secret by"))
            kt_fail("the message shows a secret: %s", e.msg);
        if (strstr(e.msg, "ghp_"))
            kt_fail("the message shows a token: %s", e.msg);
    }
    source.url = KEN_STR("https://example.org/a");
    static const char *const branches[] = { "-x", "a..b", "a b", "x.lock", "/x",
                                            "x/", "a~1",  "@",   "a@{1}" };
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
        source.branch = ken_str_c(branches[i]);
        if (ken_sync_check(&source, NULL) != KEN_EINVAL)
            kt_fail("branch '%s' passed", branches[i]);
    }
    kt_eq_text(ken_sync_name_of(KEN_STR("https://example.org/team/redis.git")), "redis");
    kt_eq_text(ken_sync_name_of(KEN_STR("git@example.org:redis.git/")), "redis");
    kt_eq_text(ken_sync_show(KEN_STR("https://u:p@example.org/a"), &arena),
               "https://***@example.org/a");
    teardown();
}

KEN_TEST(one_process_syncs_a_clone)
{
    setup();
    int fd;
    kt_ok_err(ken_fs_make_dirs(ktest_path("data/repos"), 0700, &err), &err);
    kt_ok_err(ken_fs_lock(ktest_path("data/repos/remote.lock"), &fd, &err), &err);
    ken_sync_report r;
    kt_status(ken_sync_run(&source, clone_dir, NULL, NULL, &arena, &r, &err), KEN_EBUSY);
    ken_fs_unlock(fd);
    sync_it();
    kt_ok_err(ken_sync_remove(clone_dir, &err), &err);
    kt_false(ken_fs_exists(clone_dir));
    teardown();
}

KEN_TEST(many_syncs_do_not_pile_up_packs)
{
    setup();
    for (int i = 0; i < 60; i++) {
        put("src/a.c", ken_arena_printf(&arena, "int a%d;\n", i).ptr);
        push("next");
        sync_it();
    }
    kt_true(ken_fs_count_entries(
                ken_path_join(&arena, ken_str_c(clone_dir), KEN_STR(".git/objects/pack")).ptr) <=
            204);
    teardown();
}

KEN_TEST(a_cancelled_sync_ends)
{
    setup();
    ken_cancel c = { 0 };
    ken_cancel_set(&c);
    ken_sync_report r;
    kt_status(ken_sync_run(&source, clone_dir, NULL, &c, &arena, &r, &err), KEN_ECANCELLED);
    sync_it();
    teardown();
}
