// SPDX-License-Identifier: MIT
// What is PostgreSQL's own: connections that are shared, lost and refused, and a schema that comes and goes.
#include <pthread.h>

#include "base/clock.h"
#include "conformance/store/store_scenario.h"
#include "ktest.h"
#include "postgres_lab.h"
#include "store/rule_documents.h"
#include "store/store_debug.h"

static ken_err err;

#define NEEDS_POSTGRES()     \
    if (!lab_has_postgres()) \
    kt_skip("postgres", "KEN_TEST_DATABASE_URL is not set")

static ken_store *open_in(ken_database *db, const char *name, bool is_read_only)
{
    ken_store *s = NULL;
    kt_ok_err(ken_store_open(
                  &(ken_store_opts){ .path = name, .database = db, .is_read_only = is_read_only },
                  &s, &err),
              &err);
    return s;
}

// ---- opening -----------------------------------------------------------------------------------

static ken_status try_open(const char *url)
{
    ken_database *db = NULL;
    ken_status st = ken_database_open(
        &(ken_database_opts){ .url = url, .connect_s = 2, .is_schema_left = true }, &db, &err);
    ken_database_close(db);
    return st;
}

KEN_TEST(a_url_that_leads_nowhere_is_told_without_its_password)
{
    NEEDS_POSTGRES();
    static const struct {
        const char *url;
        ken_status status;
        const char *says;
    } rows[] = {
        { "postgres://me:secret@127.0.0.1:1/ken", KEN_EIO, "postgres://me@127.0.0.1:1/ken" },
        { "postgres://me:secret@127.0.0.1:port/ken", KEN_EIO, "postgres://me@127.0.0.1:port/ken" },
        { "postgres://me:se%zzcret@host/ken", KEN_EINVAL, "DATABASE_URL" },
        { "postgres://me:secret@host/ken?no_such_word=1", KEN_EINVAL, "DATABASE_URL" },
        { "mysql://me:secret@host/ken", KEN_EINVAL, "DATABASE_URL" },
        { "", KEN_EINVAL, "DATABASE_URL" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        err = (ken_err){ 0 };
        kt_status(try_open(rows[i].url), rows[i].status);
        kt_has_str(err.msg, rows[i].says);
        kt_null(strstr(err.msg, "cret"));
    }
}

KEN_TEST(a_wrong_password_and_a_missing_database_are_told_apart)
{
    NEEDS_POSTGRES();
    char url[600], guarded[700];
    lab_url("no_such_database", url, sizeof url);
    kt_status(try_open(url), KEN_EINVAL);
    kt_has_str(err.msg, "no_such_database");
    lab_sql(lab_server(), "DROP ROLE IF EXISTS guarded");
    lab_sql(lab_server(), "CREATE ROLE guarded LOGIN PASSWORD 'right'");
    lab_url("postgres", url, sizeof url);
    snprintf(guarded, sizeof guarded, "postgres://guarded:wrong@%s", strchr(url, '@') + 1);
    kt_status(try_open(guarded), KEN_EPERM);
    kt_has_str(err.msg, "guarded");
    kt_null(strstr(err.msg, "wrong"));
    lab_sql(lab_server(), "DROP ROLE guarded");
}

KEN_TEST(the_url_of_another_programs_driver_is_taken)
{
    NEEDS_POSTGRES();
    char url[600];
    snprintf(url, sizeof url, "postgresql+asyncpg%s", strstr(lab_new_url(), "://"));
    ken_database *db = lab_open(url);
    kt_null(strstr(ken_database_name(db), "asyncpg"));
    ken_store_close(open_in(db, "one", false));
    ken_database_close(db);
}

// ---- the schema --------------------------------------------------------------------------------

KEN_TEST(a_schema_goes_down_and_up_again)
{
    NEEDS_POSTGRES();
    ken_database *db = lab_open(lab_new_url());
    kt_ok_err(ken_database_check_schema(db, &err), &err);
    for (int32_t to = ken_database_schema(); to >= 0; to--)
        kt_ok_err(ken_database_downgrade(db, to, &err), &err);
    kt_true(ken_database_downgrade(db, -1, &err) == KEN_EINVAL);
    kt_true(ken_database_check_schema(db, &err) != KEN_OK);
    ken_database_close(db);
}

KEN_TEST(a_schema_that_somebody_changed_is_told)
{
    NEEDS_POSTGRES();
    char url[600];
    snprintf(url, sizeof url, "%s", lab_new_url());
    static const char *const changes[][2] = {
        { "ALTER TABLE ken.tree ADD COLUMN mine text", "ALTER TABLE ken.tree DROP COLUMN mine" },
        { "DROP INDEX ken.file_content",
          "CREATE INDEX file_content ON ken.file (index_id, content_id)" },
        { "ALTER TABLE ken.meta ALTER COLUMN value DROP NOT NULL",
          "ALTER TABLE ken.meta ALTER COLUMN value SET NOT NULL" },
    };
    ken_database *db = lab_open(url);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        lab_sql(url, changes[i][0]);
        kt_status(ken_database_check_schema(db, &err), KEN_ECORRUPT);
        lab_sql(url, changes[i][1]);
        kt_ok_err(ken_database_check_schema(db, &err), &err);
    }
    ken_database_close(db);
}

KEN_TEST(a_newer_schema_is_left_alone)
{
    NEEDS_POSTGRES();
    char url[600];
    snprintf(url, sizeof url, "%s", lab_new_url());
    ken_database_close(lab_open(url));
    lab_sql(url, "INSERT INTO ken.schema_version (version, fingerprint) VALUES (9999, '')");
    kt_status(try_open(url), KEN_EVERSION);
    kt_has_str(err.msg, "9999");
}

KEN_TEST(an_older_schema_is_left_when_it_is_to_be_left)
{
    NEEDS_POSTGRES();
    kt_status(try_open(lab_new_url()), KEN_EVERSION);
    kt_has_str(err.msg, "told to leave it");
}

KEN_TEST(a_database_of_another_program_is_not_taken)
{
    NEEDS_POSTGRES();
    char url[600];
    ken_database *db = NULL;
    snprintf(url, sizeof url, "%s", lab_new_url());
    lab_sql(url, "CREATE TABLE orders (id int)");
    ken_database_opts opts = { .url = url };
    kt_status(ken_database_open(&opts, &db, &err), KEN_EPERM);
    kt_has_str(err.msg, "1 tables of other programs");
    opts.shares = true;
    kt_ok_err(ken_database_open(&opts, &db, &err), &err);
    ken_database_close(db);
    ken_database_close(lab_open(url)); // there it is
}

// ---- words of all indexes -----------------------------------------------------------------------

static void put_words(ken_database *db, const char *name, const int64_t *words, size_t n)
{
    int64_t id;
    ken_store *s = open_in(db, name, false);
    kt_ok(ken_store_begin_write(s, &err));
    kt_ok_err(ken_store_add_segment(s, KEN_SEGMENT_WORDS, KEN_STR("words"), 10, &id, &err), &err);
    if (n)
        kt_ok_err(ken_store_put_words(s, id, words, n, &err), &err);
    kt_ok_err(ken_store_commit(s, &err), &err);
    ken_store_close(s);
}

// All zero when it was not found.
static ken_words_index words_of(const ken_words_index *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq_c(list[i].name, name))
            return list[i];
    return (ken_words_index){ .n_contents = 0 };
}

KEN_TEST(indexes_are_found_by_their_words)
{
    NEEDS_POSTGRES();
    char url[600];
    snprintf(url, sizeof url, "%s", lab_new_url());
    ken_database *db = lab_open(url);
    put_words(db, "project-a", (const int64_t[]){ -5, 1, 2, INT32_MAX }, 4);
    put_words(db, "project-a", (const int64_t[]){ 2, 3 }, 2); // a second segment
    put_words(db, "project-b", (const int64_t[]){ 9, INT32_MIN }, 2);
    put_words(db, "project-c", (const int64_t[]){ 4 }, 1);
    put_words(db, "project-d", NULL, 0); // not told yet
    const int64_t asked[] = { 1, 2, INT32_MIN, 8 };
    const ken_str codes[] = { KEN_STR("00"), KEN_STR("11"), KEN_STR("22"), KEN_STR("33") };
    ken_words_index *list = NULL;
    ken_near_index *near = NULL;
    size_t n = 0;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    kt_ok_err(ken_database_find_words(db, asked, codes, 4, &arena, &list, &n, &err), &err);
    kt_eq_u(n, 3);
    const ken_words_index a = words_of(list, n, "project-a");
    kt_eq_u(a.codes.len, 6); // one word of one segment, another of both
    kt_eq_u(a.n_contents, 20);
    kt_false(a.is_untold);
    kt_true(ken_str_eq_c(words_of(list, n, "project-b").codes, "22"));
    kt_true(words_of(list, n, "project-d").is_untold);
    kt_ok_err(ken_database_find_words(db, NULL, NULL, 0, &arena, &list, &n, &err), &err);
    kt_eq_u(n, 1);
    kt_status(ken_database_find_words(db, asked, codes, KEN_WORDS_MAX + 1, &arena, &list, &n, &err),
              KEN_EINVAL);
    const float unit[] = { 1, 0, 0 };
    kt_ok_err(ken_database_find_near(db, "none", unit, 3, 10, &arena, &near, &n, &err), &err);
    kt_eq_u(n, 0); // it was not opened for vectors
    ken_arena_release(&arena);
    ken_database_close(db);
}

KEN_TEST(an_index_is_known_by_its_row_and_goes_as_a_whole)
{
    NEEDS_POSTGRES();
    ken_database *db = lab_open(lab_new_url());
    const ken_store_opts opts = { .path = "one", .database = db };
    uint64_t first = 0, second = 0;
    kt_status(ken_store_identify(&opts, &first, &err), KEN_ENOTFOUND);
    ken_store *s = open_in(db, "one", false);
    kt_ok_err(scn_write(s, 1, &err), &err);
    ken_store_close(s);
    kt_ok_err(ken_store_identify(&opts, &first, &err), &err);
    kt_true(first > 0);
    kt_ok_err(ken_store_erase(&opts, &err), &err);
    kt_status(ken_store_identify(&opts, &second, &err), KEN_ENOTFOUND);
    kt_ok_err(ken_store_erase(&opts, &err), &err);
    s = open_in(db, "one", false);
    kt_ok_err(ken_store_identify(&opts, &second, &err), &err);
    kt_true(second > first);
    uint64_t g = 9;
    kt_ok_err(ken_store_get_generation(s, &g, &err), &err);
    kt_eq_u(g, 0);
    ken_store_close(s);
    ken_database_close(db);
}

static void *open_it(void *url)
{
    ken_database *db = NULL;
    ken_err e = { 0 };
    ken_status st = ken_database_open(&(ken_database_opts){ .url = url }, &db, &e);
    ken_database_close(db);
    return st ? (void *)(uintptr_t)ken_status_name(st) : NULL;
}

KEN_TEST(servers_that_start_together_make_one_schema)
{
    NEEDS_POSTGRES();
    enum {
        N = 6
    };
    char url[600];
    pthread_t threads[N];
    snprintf(url, sizeof url, "%s", lab_new_url());
    for (int i = 0; i < N; i++)
        kt_eq_i(pthread_create(&threads[i], NULL, open_it, url), 0);
    for (int i = 0; i < N; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        kt_eq_str((const char *)failed, NULL);
    }
}

// ---- connections -------------------------------------------------------------------------------

KEN_TEST(connections_are_shared_and_bounded)
{
    NEEDS_POSTGRES();
    ken_database *db = NULL;
    const ken_database_opts opts = {
        .url = lab_new_url(), .pool_size = 1, .max_overflow = 1, .wait_ms = 50
    };
    kt_ok_err(ken_database_open(&opts, &db, &err), &err);
    ken_store *s[3];
    uint64_t g = 0;
    for (int i = 0; i < 3; i++)
        s[i] = open_in(db, "shared", false);
    kt_ok_err(ken_store_begin_read(s[0], &err), &err);
    kt_ok_err(ken_store_begin_read(s[1], &err), &err);
    kt_status(ken_store_begin_read(s[2], &err), KEN_EBUSY);
    kt_has_str(err.msg, "all 2 connections");
    ken_store_rollback(s[1]);
    kt_ok_err(ken_store_begin_read(s[2], &err), &err);
    kt_ok_err(ken_store_get_generation(s[2], &g, &err), &err);
    ken_store_rollback(s[2]);
    ken_store_rollback(s[0]);
    ken_database_usage u = ken_database_get_usage(db);
    kt_eq_u(u.n_open, 1);
    kt_eq_u(u.n_busy, 0);
    kt_eq_u(u.n_max, 2);
    kt_true(u.n_waited > 0 && !u.is_pooled);
    for (int i = 0; i < 3; i++)
        ken_store_close(s[i]);
    ken_database_close(db);
}

KEN_TEST(a_lost_connection_is_replaced_before_a_transaction)
{
    NEEDS_POSTGRES();
    char url[600];
    snprintf(url, sizeof url, "%s", lab_new_url());
    ken_database *db = lab_open(url);
    ken_store *s = open_in(db, "kept", false);
    for (int i = 0; i < 3; i++) {
        uint64_t g = 0;
        lab_sql(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                     " WHERE datname = current_database() AND pid <> pg_backend_pid()");
        kt_ok_err(ken_store_get_generation(s, &g, &err), &err);
        lab_sql(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                     " WHERE datname = current_database() AND pid <> pg_backend_pid()");
        kt_ok_err(ken_store_begin_write(s, &err), &err);
        kt_ok_err(ken_store_put_value(s, KEN_STR("k"), KEN_STR("v"), &err), &err);
        kt_ok_err(ken_store_commit(s, &err), &err);
    }
    ken_store_close(s);
    ken_database_close(db);
}

typedef struct killer {
    const char *url;
    uint64_t at, n;
} killer;

static void kill_at(void *ctx, ken_str line)
{
    killer *k = ctx;
    (void)line;
    if (++k->n == k->at)
        lab_sql(k->url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE datname = current_database() AND pid <> pg_backend_pid()");
}

// Whatever statement comes after the server lost the connection: what was told to be kept is there, and nothing
// of what was not.
KEN_TEST(a_connection_that_is_lost_anywhere_loses_nothing)
{
    NEEDS_POSTGRES();
    char url[600], name[32];
    snprintf(url, sizeof url, "%s", lab_new_url());
    ken_database *db = lab_open(url);
    uint64_t n_calls = UINT64_MAX, n_failed = 0;
    for (uint64_t at = 1; at <= n_calls; at += at < 20 ? 1 : 7) {
        snprintf(name, sizeof name, "lost%d", (int)at);
        ken_store *s = open_in(db, name, false);
        kt_ok_err(scn_write(s, 1, &err), &err);
        killer k = { url, at, 0 };
        ken_store_add_trace(s, kill_at, &k);
        err = (ken_err){ 0 };
        ken_status st = scn_write(s, 2, &err);
        ken_store_rollback(s);
        ken_store_close(s);
        kt_true(st == KEN_OK || st == KEN_EIO);
        n_failed += st != KEN_OK;
        if (k.n < at)
            n_calls = k.n; // no call was the one
        uint64_t found = 0;
        const char *wrong = NULL;
        s = open_in(db, name, false);
        kt_ok_err(scn_check(s, &found, &wrong, &err), &err);
        kt_eq_str(wrong, NULL);
        kt_eq_u(found, st ? 1 : 2);
        kt_ok_err(ken_store_verify(s, &err), &err);
        kt_ok_err(scn_write(s, found + 1, &err), &err);
        ken_store_close(s);
    }
    kt_true(n_failed > 10);
    ken_database_close(db);
}

// Callers may take a read that failed for "not there": their transaction is over all the same.
KEN_TEST(a_lost_connection_ends_a_transaction_that_goes_on)
{
    NEEDS_POSTGRES();
    char url[600];
    ken_arena arena;
    ken_arena_init(&arena, 0);
    snprintf(url, sizeof url, "%s", lab_new_url());
    ken_database *db = lab_open(url);
    ken_store *s = open_in(db, "goes-on", false);
    ken_content_key key = scn_key(1);
    ken_content_info info;
    int64_t id = 0;
    kt_ok_err(ken_store_begin_write(s, &err), &err);
    kt_ok_err(scn_add_content(s, 5000, &arena, &id, &err), &err);
    kt_ok_err(ken_store_put_value(s, KEN_STR("before"), KEN_STR("v"), &err), &err);
    lab_sql(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                 " WHERE datname = current_database() AND pid <> pg_backend_pid()");
    kt_true(ken_store_find_content(s, &key, &info, NULL) != KEN_OK);
    ken_status put = ken_store_put_value(s, KEN_STR("after"), KEN_STR("v"), &err);
    kt_true(put != KEN_OK);
    kt_true(ken_store_commit(s, &err) != KEN_OK);
    ken_value_info *values = NULL;
    size_t n = 9;
    kt_ok_err(ken_store_list_values(s, &arena, &values, &n, &err), &err);
    kt_eq_u(n, 0);
    kt_ok_err(scn_write(s, 1, &err), &err);
    kt_ok_err(ken_store_verify(s, &err), &err);
    ken_store_close(s);
    ken_database_close(db);
    ken_arena_release(&arena);
}

// The server answers COMMIT of a transaction in which a statement failed with ROLLBACK, and no error.
KEN_TEST(a_commit_that_the_server_made_a_rollback_is_told)
{
    NEEDS_POSTGRES();
    char url[600];
    ken_arena arena;
    ken_arena_init(&arena, 0);
    snprintf(url, sizeof url, "%s", lab_new_url());
    ken_database *db = lab_open(url);
    ken_store *s = open_in(db, "told", false);
    ken_rule_document_row *rows = NULL;
    ken_str v;
    size_t n = 0;
    kt_ok_err(ken_store_begin_write(s, &err), &err);
    kt_ok_err(ken_store_put_value(s, KEN_STR("k"), KEN_STR("v"), &err), &err);
    lab_sql(url, "ALTER TABLE ken.rule_document RENAME TO away");
    kt_true(ken_store_load_rule_documents(s, &arena, &rows, &n, NULL) != KEN_OK);
    ken_status st = ken_store_commit(s, &err);
    lab_sql(url, "ALTER TABLE ken.away RENAME TO rule_document");
    kt_true(st != KEN_OK);
    kt_status(ken_store_load_value(s, KEN_STR("k"), &arena, &v, &err), KEN_ENOTFOUND);
    ken_store_close(s);
    ken_database_close(db);
    ken_arena_release(&arena);
}

// ---- writers -----------------------------------------------------------------------------------

KEN_TEST(writers_of_one_index_take_turns_and_others_do_not_wait)
{
    NEEDS_POSTGRES();
    ken_database *db = lab_open(lab_new_url());
    ken_store *first = open_in(db, "a", false), *other = open_in(db, "b", false), *second = NULL;
    kt_ok_err(ken_store_open(&(ken_store_opts){ .path = "a", .database = db, .busy_ms = 100 },
                             &second, &err),
              &err);
    kt_ok_err(ken_store_begin_write(first, &err), &err);
    kt_ok_err(ken_store_put_value(first, KEN_STR("k"), KEN_STR("1"), &err), &err);
    kt_status(ken_store_begin_write(second, &err), KEN_EBUSY);
    kt_ok_err(ken_store_begin_write(other, &err), &err);
    kt_ok_err(ken_store_put_value(other, KEN_STR("k"), KEN_STR("2"), &err), &err);
    kt_ok_err(ken_store_commit(other, &err), &err);
    kt_ok_err(ken_store_commit(first, &err), &err);
    kt_ok_err(ken_store_begin_write(second, &err), &err);
    ken_store_rollback(second);
    ken_store_close(first);
    ken_store_close(second);
    ken_store_close(other);
    ken_database_close(db);
}

KEN_TEST(names_of_files_need_not_be_utf8)
{
    NEEDS_POSTGRES();
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_database *db = lab_open(lab_new_url());
    ken_store *s = open_in(db, "names", false);
    char longest[4000];
    memset(longest, 'x', sizeof longest);
    const ken_str paths[] = { KEN_STR("\xff\xfe"), KEN_STR("a\n\t'\"\\b"),
                              ken_str_n(longest, sizeof longest) };
    int64_t content = 0;
    kt_ok_err(ken_store_begin_write(s, &err), &err);
    kt_ok_err(scn_add_content(s, 5000, &arena, &content, &err), &err);
    for (size_t i = 0; i < 3; i++)
        kt_ok_err(
            ken_store_put_file(s, &(ken_file_row){ .path = paths[i], .content = content }, &err),
            &err);
    kt_ok_err(ken_store_put_value(s, KEN_STR("text"), KEN_STR("\xff\0"), &err), &err);
    kt_ok_err(ken_store_commit(s, &err), &err);
    ken_file_row *rows = NULL;
    size_t n = 0;
    kt_ok_err(ken_store_load_files(s, &arena, &rows, &n, NULL, &err), &err);
    kt_eq_u(n, 3);
    kt_eq_mem(rows[0].path.ptr, rows[0].path.len, paths[1].ptr, paths[1].len);
    kt_eq_mem(rows[1].path.ptr, rows[1].path.len, paths[2].ptr, paths[2].len);
    kt_eq_mem(rows[2].path.ptr, rows[2].path.len, paths[0].ptr, paths[0].len);
    ken_store_close(s);
    ken_database_close(db);
    ken_arena_release(&arena);
}
