// SPDX-License-Identifier: MIT
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "ktest.h"
#include "sqlite_lab.h"
#include "store/catalog.h"
#include "store/remotes.h"
#include "store/store.h"
#include "store/tasks.h"

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
                         "DROP COLUMN is_active; ALTER TABLE model DROP COLUMN license; PRAGMA "
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
                "ALTER TABLE project DROP COLUMN index_of; ALTER TABLE model DROP COLUMN license; "
                "PRAGMA user_version = 7");
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

static ken_model_record find_model(ken_catalog *c, const char *id)
{
    ken_model_record m = { 0 };
    kt_ok_err(ken_catalog_find_model(c, ken_str_c(id), &arena, &m, &err), &err);
    return m;
}

// What a version before licences made keeps its models and gains the licences of those that came with it. Its journal has
// models without one: put back into a new database, they have theirs, too.
KEN_TEST(catalog_of_version_9_gains_licences)
{
    ken_arena_init(&arena, 0);
    const char *path = ktest_path("data/config/projects.db"),
               *journal = ktest_path("data/config/projects.db.writes");
    ken_catalog *c = open_catalog(false);
    ken_model_record mine = { .id = KEN_STR("mine"),
                              .provider = KEN_STR("onnx"),
                              .source = KEN_STR("/m.onnx"),
                              .tokenizer_source = KEN_STR("/vocab.txt"),
                              .status = KEN_MODEL_PENDING };
    kt_ok_err(ken_catalog_put_model(c, &mine, &err), &err);
    ken_catalog_close(c);
    sqlite3 *db = lab_open_sqlite(path);
    lab_run(db, "ALTER TABLE model DROP COLUMN license; PRAGMA user_version = 9");
    kt_eq_i(sqlite3_close(db), SQLITE_OK);

    c = open_catalog(false);
    kt_eq_text(find_model(c, "bge-small-en-v1.5").license, "MIT");
    kt_eq_text(find_model(c, "nomic-embed-text").license, "Apache-2.0");
    kt_eq_text(find_model(c, "mine").license, ""); // not known
    mine = find_model(c, "nomic-embed-text");
    mine.status = KEN_MODEL_ERROR;
    mine.license = KEN_STR("");
    kt_ok_err(ken_catalog_put_model(c, &mine, &err), &err);
    ken_catalog_close(c);
    kt_eq_i(unlink(path), 0);
    kt_true(ken_fs_exists(journal));

    c = open_catalog(false);
    kt_eq_u(find_model(c, "nomic-embed-text").status, KEN_MODEL_ERROR);
    kt_eq_text(find_model(c, "nomic-embed-text").license, "Apache-2.0");
    kt_eq_text(find_model(c, "mine").license, "");
    ken_catalog_close(c);
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
                "ALTER TABLE project DROP COLUMN is_active; ALTER TABLE model DROP COLUMN license; "
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

KEN_TEST(damaged_task_is_refused)
{
    ken_arena_init(&arena, 0);
    ken_catalog *c = open_catalog(false);
    ken_task t = { .uuid = ken_uuid_random(), .title = KEN_STR("one"), .status = KEN_STR("open") };
    kt_ok_err(ken_catalog_add_task(c, &t, &arena, &t, &err), &err);
    sqlite3 *db = lab_open_sqlite(ktest_path("data/config/projects.db"));
    lab_run(db, "UPDATE task SET project = x'01'");
    kt_eq_i(sqlite3_close(db), SQLITE_OK);
    kt_status(ken_catalog_load_task(c, t.uuid, &arena, &t, &err), KEN_ECORRUPT);
    ken_catalog_close(c);
    ken_arena_release(&arena);
}
