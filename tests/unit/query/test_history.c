// SPDX-License-Identifier: MIT
// The history of a work tree as a snapshot shows it: read once, kept beside the index, followed.
#include "base/buf.h"
#include "git_lab.h"
#include "proc/proc_priv.h"
#include "unit/index/index_lab.h"

static index_lab l;

#define GIT(...) GIT_IN(l.root, &l.arena, __VA_ARGS__)

static void commit(void)
{
    GIT("add", "-A");
    GIT("-c", "user.name=ann", "-c", "user.email=ann@example.org", "commit", "-q", "-m", "change");
}

static ken_snapshot *start(void)
{
    lab_start(&l);
    setenv("HOME", ktest_dir(), 1);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    GIT("-c", "init.defaultBranch=main", "init", "-q", "--template=");
    lab_write(&l, "a.py", "def a():\n    return 1\n");
    commit();
    lab_run(&l);
    return lab_open(&l);
}

static uint32_t n_commits(ken_snapshot *s, const char *path)
{
    ken_history *h = NULL;
    ken_history_file f = { 0 };
    kt_ok_err(ken_snapshot_history(s, true, NULL, &h, &l.err), &l.err);
    return ken_history_find(h, ken_str_c(path), &f) ? f.n_commits : 0;
}

// A keeper that writes into the lab's store, and counts.
static void keep(void *ctx, ken_str name, ken_str value)
{
    ++*(int *)ctx;
    kt_ok_err(ken_store_begin_write(l.store, &l.err), &l.err);
    kt_ok_err(ken_store_put_value(l.store, name, value, &l.err), &l.err);
    kt_ok_err(ken_store_commit(l.store, &l.err), &l.err);
}

KEN_TEST(history_follows_the_commits_and_is_kept)
{
    int n_kept = 0;
    ken_snapshot *s = start();
    ken_snapshot_set_keeper(s, keep, &n_kept);
    kt_eq_u(n_commits(s, "a.py"), 1);
    kt_eq_u(n_commits(s, "a.py"), 1);
    kt_eq_i(n_kept, 1);
    lab_write(&l, "a.py", "def a():\n    return 2\n");
    commit();
    kt_eq_u(n_commits(s, "a.py"), 2);
    kt_eq_i(n_kept, 2);
    lab_run(&l);
    lab_again(&l, s); // a newer generation needs no newer history
    kt_eq_u(n_commits(s, "a.py"), 2);
    kt_eq_i(n_kept, 2);
    lab_close(s);
    // The next process has it without git.
    s = lab_open(&l);
    const char *was = getenv("PATH");
    kt_not_null(was);
    char *path = ken_strdup(was);
    setenv("PATH", "/nonexistent", 1);
    ken_proc__start_again();
    kt_eq_u(n_commits(s, "a.py"), 2);
    setenv("PATH", path, 1);
    ken_proc__start_again();
    ken_free(path);
    lab_close(s);
    lab_end(&l);
}

KEN_TEST(history_is_not_kept_when_it_may_not)
{
    int n_kept = 0;
    ken_history *h = NULL;
    ken_snapshot *s = start();
    ken_snapshot_set_keeper(s, keep, &n_kept);
    kt_ok(ken_snapshot_history(s, false, NULL, &h, NULL));
    kt_eq_u(ken_history_get_info(h).n_commits, 1);
    kt_eq_i(n_kept, 0);
    lab_close(s);
    lab_end(&l);
}

KEN_TEST(history_that_cannot_be_read_is_made_anew)
{
    int n_kept = 0;
    ken_snapshot *s = start();
    keep(&n_kept, KEN_STR("history"), KEN_STR("nonsense"));
    ken_snapshot_set_keeper(s, keep, &n_kept);
    kt_eq_u(n_commits(s, "a.py"), 1);
    kt_eq_i(n_kept, 2);
    lab_close(s);
    lab_end(&l);
}

KEN_TEST(history_of_a_tree_without_git_says_so)
{
    lab_start(&l);
    setenv("GIT_CEILING_DIRECTORIES", ktest_dir(), 1);
    lab_write(&l, "a.py", "def a():\n    return 1\n");
    lab_run(&l);
    int n_kept = 0;
    ken_snapshot *s = lab_open(&l);
    ken_snapshot_set_keeper(s, keep, &n_kept);
    ken_history *h = NULL;
    kt_ok(ken_snapshot_history(s, true, NULL, &h, NULL));
    kt_eq_text(ken_history_get_info(h).reason, "not a git work tree");
    kt_eq_i(n_kept, 0);
    ken_changes c;
    kt_status(ken_snapshot_changes(s, KEN_STR(""), NULL, &l.arena, &c, &l.err), KEN_EUNSUPPORTED);
    lab_close(s);
    unsetenv("GIT_CEILING_DIRECTORIES");
    lab_end(&l);
}

KEN_TEST(lines_and_changes_of_a_snapshot)
{
    ken_snapshot *s = start();
    lab_write(&l, "a.py", "def a():\n    return 3\n");
    ken_history_touches t;
    kt_ok_err(ken_snapshot_touches(s, KEN_STR("./a.py"), 0, 1, NULL, &l.arena, &t, &l.err), &l.err);
    kt_eq_u(t.n_touches, 1);
    kt_eq_text(t.touches[0].commit.subject, "change");
    kt_eq_u(t.n_uncommitted, 1);
    kt_status(ken_snapshot_touches(s, KEN_STR("b.py"), 0, 1, NULL, &l.arena, &t, &l.err),
              KEN_ENOTFOUND);
    kt_has_str(l.err.msg, "'b.py' is not in the index");
    ken_changes c;
    kt_ok_err(ken_snapshot_changes(s, KEN_STR(""), NULL, &l.arena, &c, &l.err), &l.err);
    kt_eq_u(c.n_files, 1);
    kt_eq_text(c.files[0].path, "a.py");
    kt_eq_u(c.files[0].n_changes, 1);
    kt_eq_u(c.files[0].changes[0].first, 1);
    lab_close(s);
    lab_end(&l);
}
