// SPDX-License-Identifier: MIT
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/alloc.h"
#include "ktest.h"
#include "sqlite_lab.h"
#include "store/catalog.h"
#include "store/remotes.h"
#include "store/store.h"

static ken_err err;
static ken_arena arena;

static ken_catalog *open_catalog(bool is_read_only)
{
    ken_catalog *c = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/data/config/projects.db", ktest_dir());
    kt_ok_err(ken_catalog_open(path, is_read_only, &c, &err), &err);
    return c;
}

static ken_catalog_row add(ken_catalog *c, const char *root, const char *name, int64_t now_ms)
{
    ken_catalog_row row = { 0 };
    kt_ok_err(ken_catalog_add(c, ken_str_c(root), ken_str_c(name), now_ms, &arena, &row, &err),
              &err);
    return row;
}

KEN_TEST(catalog_adds_once_and_finds)
{
    ken_arena_init(&arena, 0);
    ken_catalog *c = open_catalog(false);
    ken_catalog_row a = add(c, "/home/u/ken", "", 17), b = add(c, "/home/u/other", "Name", 18), r;
    kt_eq_text(a.name, "ken");
    kt_eq_text(b.name, "Name");
    kt_eq_i(a.created_at_ms, 17);
    kt_eq_i(a.indexed_at_ms, 0);
    kt_false(ken_uuid_eq(a.id, b.id));
    char text[KEN_UUID_TEXT], want[600];
    ken_uuid_format(a.id, text);
    snprintf(want, sizeof want, "%s/data/indexes/project-%s.db", ktest_dir(), text);
    kt_eq_text(a.db_path, want);

    r = add(c, "/home/u/ken", "", 99);
    kt_true(ken_uuid_eq(r.id, a.id));
    kt_eq_i(r.created_at_ms, 17);
    kt_eq_text(r.name, "ken");
    r = add(c, "/home/u/ken", "Ken!", 99);
    kt_true(ken_uuid_eq(r.id, a.id));
    kt_eq_text(r.name, "Ken!");

    kt_ok(ken_catalog_find_by_root(c, KEN_STR("/home/u/other"), &arena, &r, &err));
    kt_true(ken_uuid_eq(r.id, b.id));
    kt_status(ken_catalog_find_by_root(c, KEN_STR("/home/u"), &arena, &r, &err), KEN_ENOTFOUND);
    kt_ok(ken_catalog_find_by_id(c, b.id, &arena, &r, &err));
    kt_eq_text(r.root, "/home/u/other");
    kt_status(ken_catalog_find_by_id(c, (ken_uuid){ { 1 } }, &arena, &r, &err), KEN_ENOTFOUND);

    kt_ok(ken_catalog_set_indexed(c, b.id, 1234, &err));
    kt_ok(ken_catalog_set_active(c, b.id, false, &err));
    kt_status(ken_catalog_set_active(c, (ken_uuid){ { 1 } }, false, &err), KEN_ENOTFOUND);
    kt_status(ken_catalog_set_indexed(c, (ken_uuid){ { 1 } }, 1, &err), KEN_ENOTFOUND);
    ken_catalog_row *rows;
    size_t n;
    kt_ok(ken_catalog_list(c, &arena, &rows, &n, &err));
    kt_eq_u(n, 2);
    kt_eq_text(rows[0].name, "Ken!");
    kt_eq_i(rows[1].indexed_at_ms, 1234);
    kt_true(rows[0].is_active && !rows[1].is_active);

    kt_ok(ken_catalog_remove(c, a.id, &err));
    kt_status(ken_catalog_remove(c, a.id, &err), KEN_ENOTFOUND);
    kt_ok(ken_catalog_list(c, &arena, &rows, &n, &err));
    kt_eq_u(n, 1);
    ken_catalog_close(c);
    ken_catalog_close(NULL);
    ken_arena_release(&arena);
}

KEN_TEST(catalog_refuses_bad_projects)
{
    ken_arena_init(&arena, 0);
    ken_catalog *c = open_catalog(false);
    static const ken_str roots[] = { { "", 0 }, { "relative", 8 }, { "/a\0b", 4 } };
    ken_catalog_row row;
    for (int i = 0; i < 3; i++)
        kt_status(ken_catalog_add(c, roots[i], KEN_STR(""), 1, &arena, &row, &err), KEN_EINVAL);
    row = add(c, "/", "", 1);
    kt_eq_text(row.name, "/");
    ken_catalog_close(c);
    ken_arena_release(&arena);
}

KEN_TEST(catalog_for_reading)
{
    ken_arena_init(&arena, 0);
    ken_catalog *c = NULL;
    kt_status(ken_catalog_open(ktest_path("data/config/projects.db"), true, &c, &err),
              KEN_ENOTFOUND);
    kt_status(ken_catalog_open("", true, &c, &err), KEN_EINVAL);
    c = open_catalog(false);
    ken_catalog_row row = add(c, "/p", "", 1);
    ken_catalog_close(c);
    c = open_catalog(true);
    kt_ok(ken_catalog_find_by_root(c, KEN_STR("/p"), &arena, &row, &err));
    kt_status(ken_catalog_remove(c, row.id, &err), KEN_EPERM);
    kt_status(ken_catalog_add(c, KEN_STR("/q"), KEN_STR(""), 1, &arena, &row, &err), KEN_EPERM);
    kt_ok(ken_catalog_add(c, KEN_STR("/p"), KEN_STR(""), 1, &arena, &row, &err)); // it is there
    ken_catalog_close(c);
    struct stat st;
    kt_eq_i(stat(ktest_path("data/config/projects.db"), &st), 0);
    kt_eq_u(st.st_mode & 0777, 0600);
    ken_arena_release(&arena);
}

KEN_TEST(catalog_is_kept_only_while_its_file_is)
{
    char path[600], away[700];
    snprintf(path, sizeof path, "%s/data/config/projects.db", ktest_dir());
    snprintf(away, sizeof away, "%s.away", path);
    ken_catalog *c = open_catalog(false), *reader = open_catalog(true);
    kt_true(ken_catalog_is_current(c));
    kt_false(ken_catalog_is_current(reader)); // one that writes would do now
    kt_eq_i(rename(path, away), 0);
    kt_false(ken_catalog_is_current(c));
    ken_catalog_close(open_catalog(false)); // another of that name
    kt_false(ken_catalog_is_current(c));
    ken_catalog_close(c);
    ken_catalog_close(reader);
}

KEN_TEST(index_is_no_catalog)
{
    const char *path = ktest_path("p.db");
    ken_store *s = NULL;
    kt_ok(ken_store_open(&(ken_store_opts){ .path = path }, &s, &err));
    ken_store_close(s);
    ken_catalog *c = NULL;
    kt_status(ken_catalog_open(path, false, &c, &err), KEN_ECORRUPT);
    kt_has_str(err.msg, "project list");
}

KEN_TEST(catalog_row_that_leads_elsewhere_is_refused)
{
    ken_arena_init(&arena, 0);
    ken_catalog *c = open_catalog(false);
    ken_catalog_row row = add(c, "/p", "", 1);
    ken_catalog_close(c);
    sqlite3 *db = lab_open_sqlite(ktest_path("data/config/projects.db"));
    kt_eq_i(sqlite3_exec(db, "UPDATE project SET db_file = '../../etc/x.db'", NULL, NULL, NULL),
            SQLITE_OK);
    sqlite3_close(db);
    c = open_catalog(true);
    kt_status(ken_catalog_find_by_root(c, KEN_STR("/p"), &arena, &row, &err), KEN_ECORRUPT);
    ken_catalog_close(c);
    ken_arena_release(&arena);
}

KEN_TEST(several_processes_add_one_row_per_root)
{
    enum {
        N_PROCESSES = 4,
        N_ROOTS = 20
    };
    ken_arena_init(&arena, 0);
    pid_t pids[N_PROCESSES];
    char path[512];
    snprintf(path, sizeof path, "%s/data/config/projects.db", ktest_dir());
    for (int p = 0; p < N_PROCESSES; p++) {
        pids[p] = fork();
        kt_true(pids[p] >= 0);
        if (pids[p])
            continue;
        ken_catalog *c = NULL;
        ken_status st = ken_catalog_open(path, false, &c, &err);
        for (int i = 0; !st && i < N_ROOTS; i++) {
            char root[32];
            snprintf(root, sizeof root, "/root/%d", i);
            ken_catalog_row row;
            st = ken_catalog_add(c, ken_str_c(root), KEN_STR(""), 1, &arena, &row, &err);
        }
        if (st)
            fprintf(stderr, "child: %s\n", err.msg);
        _exit(st != KEN_OK);
    }
    for (int p = 0; p < N_PROCESSES; p++) {
        int status = 0;
        kt_true(waitpid(pids[p], &status, 0) == pids[p]);
        kt_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    ken_catalog *c = open_catalog(true);
    ken_catalog_row *rows;
    size_t n;
    kt_ok(ken_catalog_list(c, &arena, &rows, &n, &err));
    kt_eq_u(n, N_ROOTS);
    ken_catalog_close(c);
    ken_arena_release(&arena);
}

KEN_TEST(catalog_knows_models)
{
    ken_arena_init(&arena, 0);
    ken_catalog *c = open_catalog(false);
    ken_model_record *list = NULL, m = { 0 },
                     mine = { .id = KEN_STR("mine-1.5"),
                              .provider = KEN_STR("onnx"),
                              .source = KEN_STR("file:///x/m.onnx"),
                              .tokenizer_source = KEN_STR("/x/vocab.txt"),
                              .query_prefix = KEN_STR("q: "),
                              .dims = 384,
                              .status = KEN_MODEL_PENDING };
    size_t n = 0;
    static const char *const ids[] = { "builtin", "all-MiniLM-L6-v2", "all-mpnet-base-v2",
                                       "bge-small-en-v1.5", "nomic-embed-text" };
    static const uint64_t dims[] = { 0, 384, 768, 384, 768 };
    kt_ok_err(ken_catalog_list_models(c, &arena, &list, &n, &err), &err);
    kt_eq_u(n, 5);
    for (size_t i = 0; i < n; i++) {
        kt_eq_text(list[i].id, ids[i]);
        kt_eq_u(list[i].dims, dims[i]);
        kt_true(list[i].is_preloaded);
        kt_eq_u(list[i].status, i ? KEN_MODEL_PENDING : KEN_MODEL_READY);
    }
    kt_eq_u(list[0].path.len, 0);
    kt_eq_text(list[3].pooling, "cls");
    kt_has_str(list[4].path.ptr, "data/models/nomic-embed-text/model.onnx");
    kt_ok_err(ken_catalog_put_model(c, &mine, &err), &err);
    mine.status = KEN_MODEL_READY;
    kt_ok_err(ken_catalog_put_model(c, &mine, &err), &err); // replaces
    kt_ok_err(ken_catalog_find_model(c, mine.id, &arena, &m, &err), &err);
    kt_eq_u(m.status, KEN_MODEL_READY);
    kt_eq_text(m.query_prefix, "q: ");
    kt_has_str(m.tokenizer_path.ptr, "models/mine-1.5/vocab.txt");
    kt_false(m.is_preloaded);
    kt_ok(ken_catalog_remove_model(c, mine.id, &err));
    kt_status(ken_catalog_remove_model(c, mine.id, &err), KEN_ENOTFOUND);
    kt_status(ken_catalog_find_model(c, mine.id, &arena, &m, &err), KEN_ENOTFOUND);
    static const char *const bad[] = { "", "..", ".x", "a/b", "a b", "a\xc3\xa9" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mine.id = ken_str_c(bad[i]);
        kt_status(ken_catalog_put_model(c, &mine, &err), KEN_EINVAL);
    }
    ken_catalog_close(c);
    ken_arena_release(&arena);
}

KEN_TEST(catalog_keeps_values)
{
    ken_arena_init(&arena, 0);
    ken_catalog *c = open_catalog(false);
    const ken_str name = KEN_STR("rules.project");
    ken_str value = { 0 };
    kt_status(ken_catalog_load_value(c, name, &arena, &value, &err), KEN_ENOTFOUND);
    kt_ok_err(ken_catalog_put_value(c, name, KEN_STR("one"), &err), &err);
    kt_ok_err(ken_catalog_put_value(c, name, KEN_STR("two \xe2\x82\xac"), &err), &err);
    ken_catalog_close(c);

    c = open_catalog(true);
    kt_ok_err(ken_catalog_load_value(c, name, &arena, &value, &err), &err);
    kt_eq_text(value, "two \xe2\x82\xac");
    kt_status(ken_catalog_put_value(c, name, KEN_STR("x"), &err), KEN_EPERM);
    ken_catalog_close(c);

    c = open_catalog(false);
    kt_ok_err(ken_catalog_put_value(c, name, KEN_STR(""), &err), &err); // empty is a value
    kt_ok_err(ken_catalog_load_value(c, name, &arena, &value, &err), &err);
    kt_eq_u(value.len, 0);
    kt_ok_err(ken_catalog_put_value(c, name, (ken_str){ 0 }, &err), &err);
    kt_status(ken_catalog_load_value(c, name, &arena, &value, &err), KEN_ENOTFOUND);
    kt_ok_err(ken_catalog_put_value(c, name, (ken_str){ 0 }, &err), &err);
    ken_catalog_close(c);
    ken_arena_release(&arena);
}

KEN_TEST(catalog_refuses_bad_values)
{
    ken_catalog *c = open_catalog(false);
    char *large = ken_zalloc(65 * 1024 + 1);
    memset(large, 'v', 65 * 1024);
    kt_status(ken_catalog_put_value(c, KEN_STR(""), KEN_STR("v"), &err), KEN_EINVAL);
    kt_status(ken_catalog_put_value(c, ken_str_n(large, 129), KEN_STR("v"), &err), KEN_EINVAL);
    kt_status(ken_catalog_put_value(c, KEN_STR("n"), KEN_STR("a\0b"), &err), KEN_EINVAL);
    kt_has_str(err.msg, "'n'");
    kt_status(ken_catalog_put_value(c, KEN_STR("n"), ken_str_c(large), &err), KEN_ELIMIT);
    kt_has_str(err.msg, "65536");
    ken_free(large);
    ken_catalog_close(c);
}

// What an older ken made gains the new tables and keeps its rows.
KEN_TEST(catalog_of_an_older_version_is_brought_up_to_date)
{
    ken_arena_init(&arena, 0);
    ken_catalog *c = open_catalog(false);
    ken_catalog_row row = add(c, "/p", "", 1), found;
    ken_catalog_close(c);
    sqlite3 *db = lab_open_sqlite(ktest_path("data/config/projects.db"));
    kt_eq_i(sqlite3_exec(db,
                         "DROP TABLE remote_state; DROP TABLE remote; "
                         "DROP TABLE setting; DROP TABLE task_commit_link; DROP TABLE "
                         "task_branch_link; DROP TABLE task_planning_reference; DROP TABLE "
                         "task_status_history; DROP TABLE task_count; DROP TABLE task_clock; DROP "
                         "TABLE task; DROP TABLE journal_clock; DROP TABLE access_token; DROP "
                         "TABLE job; ALTER TABLE project DROP COLUMN index_of; ALTER TABLE project "
                         "DROP COLUMN is_active; PRAGMA "
                         "user_version = 2",
                         NULL, NULL, NULL),
            SQLITE_OK);
    sqlite3_close(db);
    c = open_catalog(false);
    kt_ok_err(ken_catalog_put_value(c, KEN_STR("n"), KEN_STR("v"), &err), &err);
    kt_ok_err(ken_catalog_find_by_root(c, KEN_STR("/p"), &arena, &found, &err), &err);
    kt_true(ken_uuid_eq(found.id, row.id));
    ken_catalog_close(c);
    ken_arena_release(&arena);
}

// What a version before remotes made keeps its projects and gains remotes; a project that its journal
// recorded before comes back without one.
KEN_TEST(catalog_of_version_7_gains_remotes)
{
    ken_arena_init(&arena, 0);
    ken_catalog *c = open_catalog(false);
    ken_catalog_row p = add(c, "/p", "", 1), old = add(c, "/old", "", 1), found;
    ken_catalog_close(c);
    const char *path = ktest_path("data/config/projects.db");
    sqlite3 *db = lab_open_sqlite(path);
    lab_run(db, "DROP TABLE remote_state; DROP TABLE remote; "
                "ALTER TABLE project DROP COLUMN index_of; PRAGMA user_version = 7");
    kt_eq_i(sqlite3_close(db), SQLITE_OK);

    c = open_catalog(false);
    ken_remote r = { .project = p.id, .url = KEN_STR("https://example.com/a") }, *rows;
    size_t n = 1;
    kt_ok_err(ken_catalog_list_remotes(c, &arena, &rows, &n, &err), &err);
    kt_eq_u(n, 0);
    kt_ok_err(ken_catalog_put_remote(c, &r, &err), &err);
    ken_catalog_close(c);
    kt_eq_i(unlink(path), 0);

    c = open_catalog(false);
    kt_ok_err(ken_catalog_find_remote(c, p.id, &arena, &r, &err), &err);
    kt_eq_text(r.url, "https://example.com/a");
    kt_ok_err(ken_catalog_find_by_id(c, old.id, &arena, &found, &err), &err);
    kt_status(ken_catalog_find_remote(c, old.id, &arena, &r, &err), KEN_ENOTFOUND);
    ken_catalog_close(c);

    db = lab_open_sqlite(path);
    lab_run(db, "PRAGMA user_version = 99");
    kt_eq_i(sqlite3_close(db), SQLITE_OK);
    kt_status(ken_catalog_open(path, false, &c, &err), KEN_EVERSION);
    kt_has_str(err.msg, "version 99");
    ken_arena_release(&arena);
}

// Another program wrote what no remote has: the list says so and nothing is taken for a number.
KEN_TEST(catalog_says_which_remotes_are_wrong)
{
    ken_arena_init(&arena, 0);
    ken_catalog *c = open_catalog(false);
    ken_catalog_row p = add(c, "/p", "", 1);
    ken_remote r = { .project = p.id, .url = KEN_STR("https://example.com/a"), .n_failures = 1 };
    kt_ok_err(ken_catalog_put_remote(c, &r, &err), &err);
    kt_ok_err(ken_catalog_set_remote_synced(c, &r, &err), &err);
    ken_catalog_close(c);
    sqlite3 *db = lab_open_sqlite(ktest_path("data/config/projects.db"));
    lab_run(db, "UPDATE remote_state SET n_failures = -1");
    kt_eq_i(sqlite3_close(db), SQLITE_OK);
    c = open_catalog(false);
    kt_status(ken_catalog_find_remote(c, p.id, &arena, &r, &err), KEN_ECORRUPT);
    kt_has_str(err.msg, "remote");
    ken_catalog_close(c);
    ken_arena_release(&arena);
}

// The disk is full while an older file is written anew: the half is not left there to keep it full.
KEN_TEST(conversion_that_fails_leaves_nothing_behind)
{
    ken_arena_init(&arena, 0);
    ken_catalog *c = open_catalog(false), *none = NULL;
    ken_catalog_row row = add(c, "/p", "", 1), found;
    ken_catalog_close(c);
    const char *path = ktest_path("data/config/projects.db");
    lab_make_bare(path);
    sqlite3 *db = NULL;
    kt_eq_i(sqlite3_open(path, &db), SQLITE_OK);
    lab_run(db, "DROP TABLE remote_state; DROP TABLE remote; "
                "PRAGMA user_version = 3; DROP TABLE journal_clock; DROP TABLE access_token; "
                "DROP TABLE job; ALTER TABLE project DROP COLUMN index_of; "
                "ALTER TABLE project DROP COLUMN is_active; "
                "PRAGMA journal_mode = DELETE");
    kt_eq_i(sqlite3_close(db), SQLITE_OK);
    struct rlimit all, few;
    kt_eq_i(getrlimit(RLIMIT_FSIZE, &all), 0);
    few = all;
    few.rlim_cur = 32 * 1024; // the log fits, not the new file
    (void)signal(SIGXFSZ, SIG_IGN);
    kt_eq_i(setrlimit(RLIMIT_FSIZE, &few), 0);
    ken_status st = ken_catalog_open(path, false, &none, &err);
    kt_eq_i(setrlimit(RLIMIT_FSIZE, &all), 0);
    kt_true(st != KEN_OK);
    kt_true(!ken_fs_exists(ktest_path("data/config/projects.db.converted")));
    c = open_catalog(false);
    kt_ok_err(ken_catalog_find_by_root(c, KEN_STR("/p"), &arena, &found, &err), &err);
    kt_true(ken_uuid_eq(found.id, row.id));
    ken_catalog_close(c);
    ken_arena_release(&arena);
}
