// SPDX-License-Identifier: MIT
// Files that are damaged, foreign, newer, locked, or may not be written.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/clock.h"
#include "conformance/store/store_scenario.h"
#include "ktest.h"
#include "sqlite_lab.h"
#include "store/sqlite/sqlite_catalog_priv.h"

static ken_err err;

// ---- helpers ---------------------------------------------------------------------------------

static ken_status try_open(const char *path, bool is_read_only, ken_store **out)
{
    err = (ken_err){ 0 };
    *out = NULL;
    const ken_store_opts opts = { .path = path, .is_read_only = is_read_only, .busy_ms = 100 };
    return ken_store_open(&opts, out, &err);
}

static ken_store *must_open(const char *path, bool is_read_only)
{
    ken_store *s = NULL;
    kt_ok_err(try_open(path, is_read_only, &s), &err);
    return s;
}

static void make_index(const char *path, uint64_t generation)
{
    ken_store *s = must_open(path, false);
    kt_ok_err(scn_write(s, generation, &err), &err);
    ken_store_close(s);
}

// With SQLite itself, as another program would.
static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db = lab_open_sqlite(path);
    char *msg = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &msg))
        kt_fail("%s: %s", sql, msg);
    sqlite3_close(db);
}

static void write_bytes(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    kt_not_null(f);
    kt_eq_u(fwrite(bytes, 1, n, f), n);
    kt_eq_i(fclose(f), 0);
}

// Every name has a text, and each text fits the tables of the index or of the catalog.
KEN_TEST(every_statement_prepares)
{
    ken_sq index = { 0 }, catalog = { 0 };
    ken_store_opts opts = { .path = ktest_path("i.db") };
    kt_ok_err(ken_store__sq_connect(&index, &ken_store__sq_index_schema, &opts, &err), &err);
    opts.path = ktest_path("c.db");
    kt_ok_err(ken_store__sq_connect(&catalog, &ken_store__sq_catalog_schema, &opts, &err), &err);
    for (int i = KEN_SQ_NONE + 1; i < KEN_SQ_COUNT; i++) {
        sqlite3_stmt *st = NULL;
        kt_not_null(ken_store__sq_text_of((ken_sq_stmt)i));
        ken_buf text = KEN_BUF_INIT(64 * 1024);
        ken_store__sq_fill((ken_sq_stmt)i, NULL, &text);
        const char *word = strchr(ken_store__sq_text_of((ken_sq_stmt)i), '{');
        bool is_template = word && word < ken_store__sq_text_of((ken_sq_stmt)i) + text.len;
        kt_true(text.len > 4 && text.ptr[text.len - 1] != '-');
        ken_buf_release(&text);
        if (is_template) // names of tables are filled in
            continue;
        if (ken_store__sq_get(&index, (ken_sq_stmt)i, &st, NULL) &&
            ken_store__sq_get(&catalog, (ken_sq_stmt)i, &st, &err))
            kt_fail("statement %d: %s", i, err.msg);
    }
    ken_store__sq_release(&index);
    ken_store__sq_release(&catalog);
}

static uint64_t generation_of(ken_store *s)
{
    uint64_t g = 0;
    const char *wrong = NULL;
    kt_ok_err(scn_check(s, &g, &wrong, &err), &err);
    kt_eq_str(wrong, NULL);
    return g;
}

// ---- creating --------------------------------------------------------------------------------

KEN_TEST(new_index_is_private)
{
    const char *path = ktest_path("a/b.db");
    char dir[512];
    snprintf(dir, sizeof dir, "%s/data/indexes/p.db", ktest_dir());
    ken_store *s = must_open(dir, false);
    struct stat st;
    kt_eq_i(stat(dir, &st), 0);
    kt_eq_u(st.st_mode & 0777, 0600);
    snprintf(dir, sizeof dir, "%s/data/indexes/p.db-wal", ktest_dir());
    kt_eq_i(stat(dir, &st), 0);
    kt_eq_u(st.st_mode & 0777, 0600);
    snprintf(dir, sizeof dir, "%s/data/indexes", ktest_dir());
    kt_eq_i(stat(dir, &st), 0);
    kt_eq_u(st.st_mode & 0777, 0700);
    ken_store_close(s);
    (void)path;
}

KEN_TEST(absent_index_is_not_made_by_a_reader)
{
    ken_store *s;
    const char *path = ktest_path("p.db");
    kt_status(try_open(path, true, &s), KEN_ENOTFOUND);
    kt_false(ken_fs_exists(path));
    kt_has_str(err.msg, path);
    write_bytes(path, "", 0);
    kt_status(try_open(path, true, &s), KEN_ENOTFOUND);
    make_index(path, 1);
    kt_status(try_open(ktest_path("no/such/dir.db"), true, &s), KEN_ENOTFOUND);
}

KEN_TEST(half_made_index_is_absent_for_a_reader)
{
    // What a process leaves that is killed while it makes the file: an empty page and the head of
    // the journal that takes it back.
    static const char zeros[8192];
    char head[512] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
    head[22] = 2;    // sector size 512
    head[26] = 0x20; // page size 8192
    const char *path = ktest_path("p.db");
    write_bytes(path, zeros, sizeof zeros);
    write_bytes(ktest_path("p.db-journal"), head, sizeof head);
    ken_store *s;
    kt_status(try_open(path, true, &s), KEN_ENOTFOUND);
    head[11] = 1; // with a page in it that is not there
    write_bytes(ktest_path("p.db-journal"), head, sizeof head);
    kt_status(try_open(path, true, &s), KEN_ENOTFOUND);
    make_index(path, 1);
    s = must_open(path, true);
    kt_eq_u(generation_of(s), 1);
    ken_store_close(s);
}

KEN_TEST(names_are_taken_as_they_are)
{
    static const char *const names[] = { "a b.db",    "a?mode=ro.db", "a#b%41.db",  "\xc3\xa9.db",
                                         "file:x.db", "'q\".db",      "\xff\xfe.db" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = ktest_path(names[i]);
        make_index(path, 1);
        kt_true(ken_fs_exists(path));
        ken_store *s = must_open(path, true);
        kt_eq_u(generation_of(s), 1);
        ken_store_close(s);
    }
    kt_eq_i(chdir(ktest_dir()), 0);
    make_index("file:relative.db", 1);
    kt_true(ken_fs_exists("file:relative.db"));
    kt_eq_i(chdir("/"), 0);
}

KEN_TEST(folder_is_no_index)
{
    ken_store *s;
    kt_true(try_open(ktest_dir(), false, &s) != KEN_OK);
    kt_true(try_open(ktest_dir(), true, &s) != KEN_OK);
    kt_status(try_open(ktest_write("file", "x"), true, &s), KEN_ECORRUPT);
    kt_status(try_open(ktest_path("file/below.db"), true, &s), KEN_ENOTFOUND);
}

// ---- foreign files ---------------------------------------------------------------------------

static void check_refused_untouched(const char *path, ken_status want)
{
    ken_store *s;
    ken_str before = ktest_read(path);
    kt_status(try_open(path, true, &s), want);
    kt_status(try_open(path, false, &s), want);
    kt_has_str(err.msg, path);
    ken_str after = ktest_read(path);
    kt_eq_mem(before.ptr, before.len, after.ptr, after.len);
}

KEN_TEST(foreign_files_are_left_alone)
{
    check_refused_untouched(ktest_write("notes.txt", "these are my notes\n"), KEN_ECORRUPT);
    kt_has_str(err.msg, "ken index --force");
    const char *path = ktest_path("other.db");
    run_sql(path, "CREATE TABLE bookmarks (url TEXT)");
    check_refused_untouched(path, KEN_ECORRUPT);
    kt_has_str(err.msg, "another program");
    run_sql(path, "PRAGMA application_id = 77; PRAGMA user_version = 1");
    check_refused_untouched(path, KEN_ECORRUPT);
    path = ktest_path("empty.db"); // a database, but empty and marked by someone else
    run_sql(path, "PRAGMA application_id = 77");
    check_refused_untouched(path, KEN_ECORRUPT);
}

KEN_TEST(newer_schema_names_both_versions)
{
    const char *path = ktest_path("p.db");
    make_index(path, 1);
    run_sql(path, "PRAGMA user_version = 99");
    ken_store *s;
    kt_status(try_open(path, true, &s), KEN_EVERSION);
    kt_has_str(err.msg, "version 99");
    kt_has_str(err.msg, "up to 8");
    kt_status(try_open(path, false, &s), KEN_EVERSION);
    run_sql(path, "PRAGMA user_version = 8");
    s = must_open(path, true);
    kt_eq_u(generation_of(s), 1);
    ken_store_close(s);
}

static void put_plain_block(sqlite3 *db, int64_t row, const char *bytes, size_t n)
{
    sqlite3_stmt *st = NULL;
    kt_eq_i(
        sqlite3_prepare_v2(db, "UPDATE segment_block SET data = ?2 WHERE id = ?1", -1, &st, NULL),
        SQLITE_OK);
    sqlite3_bind_int64(st, 1, row);
    sqlite3_bind_blob(st, 2, bytes, (int)n, SQLITE_STATIC);
    kt_eq_i(sqlite3_step(st), SQLITE_DONE);
    sqlite3_finalize(st);
}

// Puts the bytes of every block in place of what was stored for it.
static void make_blocks_plain(const char *path)
{
    char *block = ken_alloc(KEN_SEGMENT_BLOCK);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_store *s = must_open(path, true);
    ken_segment_info *list;
    size_t n, n_bytes;
    kt_ok_err(ken_store_list_segments(s, KEN_SEGMENT_WORDS, &arena, &list, &n, &err), &err);
    sqlite3 *db = lab_open_sqlite(path);
    for (size_t i = 0; i < n; i++)
        for (uint32_t b = 0; !ken_store_read_block(s, list[i].id, b, block, &n_bytes, &err); b++)
            put_plain_block(db, list[i].id << 24 | b, block, n_bytes);
    sqlite3_close(db);
    ken_store_close(s);
    ken_arena_release(&arena);
    ken_free(block);
}

static void run_plain_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *msg = NULL;
    kt_eq_i(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &msg))
        kt_fail("%s: %s", sql, msg);
    kt_eq_i(sqlite3_close(db), SQLITE_OK);
}

// As it was before there were references (1), memory (2), compressed blocks (3), sums of pages
// (4), or times of change (5).
static void make_old_index(const char *path, int version)
{
    make_index(path, 1);
    if (version < 4)
        make_blocks_plain(path);
    run_sql(
        path,
        "DROP TABLE file_hidden; DROP TABLE tree_stamps; DROP INDEX tree_project; "
        "ALTER TABLE tree DROP COLUMN last_id; ALTER TABLE tree DROP COLUMN base_id; ALTER TABLE tree DROP COLUMN project; "
        "ALTER TABLE file DROP COLUMN ctime_ns; PRAGMA user_version = 5");
    if (version > 4)
        return;
    run_sql(path, "DROP TABLE journal_clock; PRAGMA user_version = 4");
    lab_make_bare(path);
    if (version > 3)
        return;
    run_plain_sql(path, "ALTER TABLE segment_block DROP COLUMN n_plain; PRAGMA user_version = 3");
    if (version < 3)
        run_plain_sql(
            path, "DROP TABLE checkpoint_tag; DROP TABLE checkpoint; DROP TABLE checkpoint_state; "
                  "DROP TABLE rule; DROP TABLE rule_document; DELETE FROM content_refs; "
                  "PRAGMA user_version = 2");
    if (version < 2)
        run_plain_sql(path, "DROP TABLE content_refs; PRAGMA user_version = 1");
}

static void check_old_contents(ken_store *s)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_file_row *rows;
    size_t n;
    kt_ok_err(ken_store_load_files(s, &arena, &rows, &n, NULL, &err), &err);
    kt_eq_u(n, scn_n_files(1));
    ken_facts f;
    ken_refs r;
    kt_ok_err(ken_store_load_facts(s, rows[0].content, &arena, &f, &err), &err);
    kt_ok_err(ken_store_load_refs(s, rows[0].content, &f, &arena, &r, &err), &err);
    kt_eq_u(r.n_refs, 0);
    kt_eq_u(r.n_defs, f.n_symbols);
    kt_ok_err(ken_store_verify(s, &err), &err);
    ken_arena_release(&arena);
}

static void check_all(ken_store *s)
{
    uint64_t g = 0;
    const char *wrong = NULL;
    kt_ok_err(scn_check(s, &g, &wrong, &err), &err);
    kt_eq_str(wrong, NULL);
}

KEN_TEST(older_index_is_migrated_by_who_opens_it)
{
    for (int i = 0; i < 10; i++) {
        bool is_read_only = i % 2;
        static const char *const names[] = { "w1.db", "r1.db", "w2.db", "r2.db", "w3.db",
                                             "r3.db", "w4.db", "r4.db", "w5.db", "r5.db" };
        const char *path = ktest_path(names[i]);
        make_old_index(path, 1 + i / 2);
        ken_store *s = must_open(path, is_read_only);
        uint64_t g = 0;
        kt_ok_err(ken_store_get_generation(s, &g, &err), &err);
        kt_eq_u(g, 1);
        if (i < 4)
            check_old_contents(s);
        else
            check_all(s);
        ken_store_close(s);
    }
}

// Whatever opens a file: nothing of its schema runs, and who waits for a lock waits as long as asked.
static void check_distrust(ken_sq *q)
{
    static const int settings[][2] = {
        { SQLITE_DBCONFIG_DEFENSIVE, 1 },      { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
        { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 }, { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
        { SQLITE_DBCONFIG_ENABLE_FKEY, 1 },
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        int is = -1;
        kt_eq_i(sqlite3_db_config(q->db, settings[i][0], -1, &is), SQLITE_OK);
        kt_eq_i(is, settings[i][1]);
    }
    sqlite3_stmt *st = NULL;
    kt_eq_i(sqlite3_prepare_v2(q->db, "PRAGMA busy_timeout", -1, &st, NULL), SQLITE_OK);
    kt_eq_i(sqlite3_step(st), SQLITE_ROW);
    kt_eq_i(sqlite3_column_int(st, 0), q->busy_ms);
    kt_true(q->busy_ms > 0);
    sqlite3_finalize(st);
}

KEN_TEST(no_connection_trusts_a_schema_converted_ones_included)
{
    static const char *const traps =
        "CREATE TRIGGER t AFTER INSERT ON file BEGIN DELETE FROM file; END;"
        "CREATE TRIGGER u AFTER UPDATE ON file BEGIN DELETE FROM content; END";
    for (int version = 4; version < 6; version++) { // 4 has no room for sums: it is converted
        const char *path = ktest_path(version == 4 ? "old.db" : "new.db");
        make_old_index(path, version);
        (version == 4 ? run_plain_sql : run_sql)(path, traps);
        for (int i = 0; i < 3; i++) { // converted or migrated, then as it is, then for reading
            ken_sq q = { 0 };
            ken_store_opts opts = { .path = path, .is_read_only = i == 2, .busy_ms = 700 };
            kt_ok_err(ken_store__sq_connect(&q, &ken_store__sq_index_schema, &opts, &err), &err);
            check_distrust(&q);
            ken_store__sq_release(&q);
        }
        ken_store *s = must_open(path, false);
        kt_ok_err(scn_write(s, 2, &err), &err);
        kt_eq_u(generation_of(s), 2);
        ken_store_close(s);
    }
}

static void *let_go_later(void *arg)
{
    sqlite3_sleep(60);
    kt_eq_i(sqlite3_close(arg), SQLITE_OK);
    return NULL;
}

static sqlite3 *hold_old(const char *path)
{
    sqlite3 *db = NULL;
    kt_eq_i(sqlite3_open(path, &db), SQLITE_OK);
    kt_eq_i(sqlite3_exec(db, "PRAGMA journal_mode = WAL; BEGIN; SELECT count(*) FROM file", NULL,
                         NULL, NULL),
            SQLITE_OK);
    return db;
}

// A conversion waits for those who have the old file open, no longer than it was told, and changes
// nothing when it gives up.
KEN_TEST(conversion_waits_for_who_has_the_file_open)
{
    const char *path = ktest_path("p.db");
    const char *lock_path = ktest_path("p.db.converting");
    make_old_index(path, 4);
    sqlite3 *db = hold_old(path);
    ken_store *s;
    kt_status(try_open(path, false, &s), KEN_EBUSY);
    kt_has_str(err.msg, "another process has it open");
    kt_false(ken_fs_exists(ktest_path("p.db.converted")));
    kt_eq_i(sqlite3_close(db), SQLITE_OK);
    int fd = -1;
    kt_ok_err(ken_fs_lock(lock_path, &fd, &err), &err); // another process converts it
    kt_status(try_open(path, false, &s), KEN_EBUSY);
    ken_fs_unlock(fd);
    db = hold_old(path);
    pthread_t thread;
    kt_eq_i(pthread_create(&thread, NULL, let_go_later, db), 0);
    const ken_store_opts opts = { .path = path, .busy_ms = 20000 };
    kt_ok_err(ken_store_open(&opts, &s, &err), &err);
    kt_eq_i(pthread_join(thread, NULL), 0);
    check_old_contents(s);
    ken_store_close(s);
}

KEN_TEST(rows_of_memory_that_no_writer_makes_are_told)
{
    static const char *const wrong[][2] = {
        { "UPDATE checkpoint_state SET n = 1", "state of the checkpoints" },
        { "DELETE FROM checkpoint_state", "state of the checkpoints" },
        { "INSERT INTO checkpoint VALUES (1, x'01', 1, 1, 1, 1, '', '', 's', '[]', '{}', '')",
          "a checkpoint" },
        { "INSERT INTO checkpoint_tag VALUES ('t', 7)", "a row names another" },
        { "INSERT INTO rule_document VALUES (1, 'CLAUDE.md', 1, x'02', 3, 4, 1.0, 5)",
          "a document of rules" },
        { "INSERT INTO rule VALUES (1, 9, 0, 1, 1, '', 'no')", "a row names another" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *path = ktest_path("m.db");
        make_index(path, 1);
        run_sql(path, wrong[i][0]);
        ken_store *s = must_open(path, true);
        kt_status(ken_store_verify(s, &err), KEN_ECORRUPT);
        kt_has_str(err.msg, wrong[i][1]);
        ken_store_close(s);
        kt_eq_i(unlink(path), 0);
    }
}

KEN_TEST(schema_of_others_runs_nothing)
{
    const char *path = ktest_path("p.db");
    make_index(path, 1);
    run_sql(path, "CREATE TRIGGER t AFTER INSERT ON file BEGIN DELETE FROM file; END;"
                  "CREATE TRIGGER u AFTER UPDATE ON file BEGIN DELETE FROM content; END");
    ken_store *s = must_open(path, false);
    kt_ok_err(scn_write(s, 2, &err), &err);
    kt_eq_u(generation_of(s), 2);
    ken_store_close(s);
    run_sql(path, "PRAGMA foreign_keys = OFF; DROP TABLE skip_count");
    s = must_open(path, true);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_generation g;
    kt_status(ken_store_load_generation(s, &arena, &g, &err), KEN_ECORRUPT);
    ken_arena_release(&arena);
    ken_store_close(s);
    run_sql(path, "ALTER TABLE segment RENAME TO old;"
                  "CREATE VIEW segment AS SELECT * FROM old");
    s = must_open(path, true);
    ken_arena_init(&arena, 0);
    ken_segment_info *list;
    size_t n;
    kt_status(ken_store_list_segments(s, KEN_SEGMENT_WORDS, &arena, &list, &n, &err), KEN_ECORRUPT);
    ken_arena_release(&arena);
    ken_store_close(s);
}

// ---- damage ----------------------------------------------------------------------------------

// One segment of three blocks that can be compressed.
static int64_t add_sparse_segment(ken_store *s)
{
    static char bytes[2 * KEN_SEGMENT_BLOCK + 99];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = scn_sparse(i);
    int64_t id = 0;
    kt_ok_err(ken_store_begin_write(s, &err), &err);
    kt_ok_err(
        ken_store_add_segment(s, KEN_SEGMENT_WORDS, ken_str_n(bytes, sizeof bytes), 1, &id, &err),
        &err);
    kt_ok_err(ken_store_commit(s, &err), &err);
    return id;
}

KEN_TEST(compressed_blocks_that_are_damaged_are_told)
{
    static const char *const damage[] = {
        "UPDATE segment_block SET n_plain = n_plain - 1 WHERE n_plain = 65536",
        "UPDATE segment_block SET n_plain = n_plain + 1 WHERE n_plain = 65536",
        "UPDATE segment_block SET n_plain = 0 WHERE n_plain = 65536",
        "UPDATE segment_block SET n_plain = -1 WHERE n_plain = 65536",
        "UPDATE segment_block SET n_plain = NULL WHERE n_plain = 65536",
        "UPDATE segment_block SET data = x'' WHERE n_plain = 65536",
        "UPDATE segment_block SET data = substr(data, 2) WHERE n_plain = 65536",
        "UPDATE segment_block SET data = substr(data, 1, 9000) WHERE n_plain = 65536",
    };
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        const char *path = ktest_path("p.db");
        ken_store *s = must_open(path, false);
        int64_t id = add_sparse_segment(s);
        kt_ok_err(ken_store_verify(s, &err), &err);
        ken_store_close(s);
        run_sql(path, damage[i]);
        s = must_open(path, true);
        char *block = ken_alloc(KEN_SEGMENT_BLOCK);
        size_t n = 0;
        ken_status st = ken_store_read_block(s, id, 0, block, &n, &err);
        kt_true(st == KEN_ECORRUPT || n < KEN_SEGMENT_BLOCK);
        kt_status(ken_store_verify(s, &err), KEN_ECORRUPT);
        ken_free(block);
        ken_store_close(s);
        kt_eq_i(unlink(path), 0);
    }
}

KEN_TEST(segments_take_less_room_than_they_have_bytes)
{
    uint64_t size[2];
    for (int i = 0; i < 2; i++) { // closed once, without a log
        ken_store *s = must_open(ktest_path("p.db"), false);
        kt_ok_err(ken_store_get_size(s, &size[i], &err), &err);
        (void)add_sparse_segment(s);
        ken_store_close(s);
    }
    ken_store *s = must_open(ktest_path("p.db"), true);
    kt_ok_err(ken_store_get_size(s, &size[0], &err), &err);
    ken_store_close(s);
    kt_true(size[0] - size[1] < KEN_SEGMENT_BLOCK);
}

// Everything there is to do with a store: nothing may crash, and what fails says that it is
// damaged.
static bool use_damaged(const char *path, bool is_read_only)
{
    ken_store *s;
    ken_status st = try_open(path, is_read_only, &s);
    if (st) {
        kt_true(st == KEN_ECORRUPT || st == KEN_ENOTFOUND || st == KEN_EVERSION || st == KEN_EPERM);
        return true;
    }
    uint64_t g = 0;
    const char *wrong = NULL;
    bool is_found = false;
    st = scn_check(s, &g, &wrong, &err);
    is_found |= st || wrong;
    if (st && st != KEN_ENOTFOUND) // a block of a segment that is not there
        ktest_status(st, KEN_ECORRUPT, &err, "reading", __FILE__, __LINE__);
    st = ken_store_verify(s, &err);
    is_found |= st != KEN_OK;
    if (st)
        ktest_status(st, KEN_ECORRUPT, &err, "verifying", __FILE__, __LINE__);
    if (!is_read_only)
        (void)!scn_write(s, 1000, &err);
    ken_store_close(s);
    return is_found;
}

static void remove_side_files(const char *path)
{
    char name[600];
    snprintf(name, sizeof name, "%s-wal", path);
    kt_ok(ken_fs_remove(name, &err));
    snprintf(name, sizeof name, "%s-shm", path);
    kt_ok(ken_fs_remove(name, &err));
}

KEN_TEST(cut_index_is_told)
{
    const char *path = ktest_path("p.db"), *whole_path = ktest_path("whole.db");
    make_index(whole_path, 3);
    ken_str whole = ktest_read(whole_path);
    static const size_t odd[] = { 1, 15, 16, 99, 100, 512, 8191, 8192, 8193 };
    for (size_t i = 0; i < 40; i++) {
        size_t n = i < 9 ? odd[i] : whole.len * (i - 9) / 31;
        for (int ro = 0; ro < 2; ro++) {
            remove_side_files(path);
            write_bytes(path, whole.ptr, n);
            bool is_found = use_damaged(path, ro);
            // Cut to nothing it is a new index, if it may be made.
            kt_true(is_found || (n == 0 && !ro));
        }
    }
}

KEN_TEST(changed_bytes_never_crash)
{
    const char *path = ktest_path("p.db"), *whole_path = ktest_path("whole.db");
    make_index(whole_path, 3);
    ken_str whole = ktest_read(whole_path);
    char *copy = ken_alloc(whole.len);
    unsigned seed = 1, n_found = 0;
    for (int round = 0; round < 300; round++) {
        memcpy(copy, whole.ptr, whole.len);
        for (int k = 0; k <= round % 20; k++) {
            seed = seed * 1664525 + 1013904223;
            // Most of the file is segments; look more closely at what comes first.
            size_t range = round % 2 ? whole.len : 16 * 8192;
            copy[(seed >> 4) % range] = (char)(seed >> 24);
        }
        remove_side_files(path);
        write_bytes(path, copy, whole.len);
        n_found += use_damaged(path, round % 9 != 0);
    }
    kt_true(n_found > 100);
    ken_free(copy);
}

KEN_TEST(changed_log_never_crashes)
{
    // A log is checked by its sums: what is damaged, and all after it, was never committed.
    const char *path = ktest_path("p.db"), *from = ktest_path("from.db");
    ken_store *s = must_open(from, false);
    for (uint64_t g = 1; g < 4; g++)
        kt_ok_err(scn_write(s, g, &err), &err);
    ken_store *reader = must_open(from, true); // keeps the log from being emptied
    kt_ok(ken_store_begin_read(reader, &err));
    uint64_t n;
    kt_ok(ken_store_get_generation(reader, &n, &err));
    kt_ok_err(scn_write(s, 4, &err), &err);
    char log_from[600], log_to[600];
    snprintf(log_from, sizeof log_from, "%s-wal", from);
    snprintf(log_to, sizeof log_to, "%s-wal", path);
    ken_str db = ktest_read(from), log = ktest_read(log_from);
    kt_true(log.len > 100000);
    ken_store_close(reader);
    ken_store_close(s);
    char *copy = ken_alloc(log.len);
    for (size_t i = 0; i < 30; i++) {
        memcpy(copy, log.ptr, log.len);
        copy[log.len * i / 30 + i] ^= 0x40;
        remove_side_files(path);
        write_bytes(path, db.ptr, db.len);
        write_bytes(log_to, copy, log.len);
        s = must_open(path, i % 2);
        uint64_t g = generation_of(s);
        kt_true(g == 3 || g == 4);
        kt_ok_err(ken_store_verify(s, &err), &err);
        ken_store_close(s);
    }
    ken_free(copy);
}

KEN_TEST(damaged_index_is_kept_and_made_anew)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    const char *path = ktest_write("p.db", "damaged, but someone may want it\n");
    const char *log = ktest_write("p.db-wal", "its log");
    ken_str moved;
    for (int i = 1; i <= 3; i++) {
        kt_ok_err(ken_store_quarantine(path, &arena, &moved, &err), &err);
        kt_false(ken_fs_exists(path));
        char want[600];
        snprintf(want, sizeof want, "%s.damaged-%d", path, i);
        kt_eq_text(moved, want);
        if (i == 1) {
            kt_eq_text(ktest_read(want), "damaged, but someone may want it\n");
            kt_eq_text(ktest_read(ktest_path("p.db.damaged-1-wal")), "its log");
            kt_false(ken_fs_exists(log));
        }
        make_index(path, 1);
    }
    ken_store *s = must_open(path, true);
    kt_eq_u(generation_of(s), 1);
    ken_store_close(s);
    kt_status(ken_store_quarantine(ktest_path("none.db"), &arena, &moved, &err), KEN_ENOTFOUND);
    // The last one is known also where somebody made room.
    kt_ok_err(ken_fs_remove(ktest_path("p.db.damaged-1"), &err), &err);
    kt_ok_err(ken_store_quarantine(path, &arena, &moved, &err), &err);
    kt_eq_text(moved, ktest_path("p.db.damaged-4"));
    kt_eq_text(ken_store_last_quarantined(path, &arena), ktest_path("p.db.damaged-4"));
    kt_eq_text(ken_store_last_quarantined(ktest_path("none.db"), &arena), "");
    ken_arena_release(&arena);
}

// ---- locks -----------------------------------------------------------------------------------

KEN_TEST(second_writer_is_told_to_wait)
{
    const char *path = ktest_path("p.db");
    ken_store *a = must_open(path, false), *b = must_open(path, false);
    kt_ok(ken_store_begin_write(a, &err));
    int64_t start = ken_clock_mono_ns();
    kt_status(ken_store_begin_write(b, &err), KEN_EBUSY);
    kt_true(ken_clock_mono_ns() - start >= 90 * 1000000);
    kt_has_str(err.msg, "another process is writing");
    uint64_t g;
    kt_ok(ken_store_get_generation(b, &g, &err)); // reading goes on
    ken_store_rollback(a);
    kt_ok(ken_store_begin_write(b, &err));
    ken_store_close(b);
    ken_store_close(a);
}

KEN_TEST(exclusive_lock_is_busy)
{
    const char *path = ktest_path("p.db");
    make_index(path, 1);
    sqlite3 *db = lab_open_sqlite(path);
    kt_eq_i(sqlite3_exec(db, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE", NULL, NULL, NULL),
            SQLITE_OK);
    ken_store *s;
    kt_status(try_open(path, true, &s), KEN_EBUSY);
    kt_status(try_open(path, false, &s), KEN_EBUSY);
    sqlite3_close(db);
    s = must_open(path, true);
    ken_store_close(s);
}

KEN_TEST(checkpoint_beside_a_reader_is_no_failure)
{
    const char *path = ktest_path("p.db");
    make_index(path, 1);
    ken_store *a = must_open(path, false), *b = must_open(path, true);
    uint64_t g;
    kt_ok(ken_store_begin_read(b, &err));
    kt_ok(ken_store_get_generation(b, &g, &err));
    kt_ok_err(scn_write(a, 2, &err), &err); // ends with a checkpoint
    kt_ok(ken_store_commit(b, &err));
    kt_eq_u(generation_of(b), 2);
    ken_store_close(b);
    ken_store_close(a);
}

// ---- without the right to write ----------------------------------------------------------------

// The body runs in a child as nobody, when we are root: root may write everywhere.
static void as_nobody(int (*body)(const char *path), const char *path)
{
    pid_t pid = fork();
    kt_true(pid >= 0);
    if (pid == 0) {
        if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
            _exit(99);
        int line = body(path);
        if (line)
            fprintf(stderr, "child, line %d: %s\n", line, err.msg);
        _exit(line ? 1 : 0);
    }
    int status = 0;
    kt_true(waitpid(pid, &status, 0) == pid);
    kt_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int read_generation(ken_store *s, uint64_t want)
{
    uint64_t g = 0;
    const char *wrong = NULL;
    if (scn_check(s, &g, &wrong, &err) || wrong || g != want)
        return __LINE__;
    return ken_store_verify(s, &err) ? __LINE__ : 0;
}

static int read_in_read_only_folder(const char *path)
{
    ken_store *s;
    if (try_open(path, true, &s))
        return __LINE__;
    int line = read_generation(s, 1);
    if (!line && ken_store_begin_write(s, &err) != KEN_EPERM)
        line = __LINE__;
    ken_store_close(s);
    if (!line && try_open(path, false, &s) != KEN_EPERM)
        line = __LINE__;
    return line;
}

static int read_beside_unfinished_log(const char *path)
{
    ken_store *s;
    if (try_open(path, true, &s) != KEN_EPERM)
        return __LINE__;
    return strstr(err.msg, "log") ? 0 : __LINE__;
}

KEN_TEST(read_only_folder_is_read)
{
    const char *path = ktest_path("ro/p.db"), *dir = ktest_path("ro");
    make_index(path, 1);
    kt_eq_i(chmod(ktest_dir(), 0755), 0);
    kt_eq_i(chmod(path, 0444), 0);
    kt_eq_i(chmod(dir, 0555), 0);
    as_nobody(read_in_read_only_folder, path);
    kt_eq_i(chmod(dir, 0755), 0);
    kt_eq_i(chmod(path, 0644), 0);
    // A log that only its owner can bring in.
    write_bytes(ktest_path("ro/p.db-wal"), "x", 1);
    kt_eq_i(chmod(dir, 0555), 0);
    as_nobody(read_beside_unfinished_log, path);
    kt_eq_i(chmod(dir, 0755), 0);
}

static int fds[2][2]; // to the child, from the child

static int follow_writer(const char *path)
{
    ken_store *s;
    char c = 'x';
    if (try_open(path, true, &s))
        return __LINE__;
    int line = read_generation(s, 1);
    if (line || write(fds[1][1], &c, 1) != 1 || read(fds[0][0], &c, 1) != 1)
        return line ? line : __LINE__;
    line = read_generation(s, 2);
    ken_store_close(s);
    return line;
}

static int read_outdated(const char *path)
{
    ken_store *s;
    if (try_open(path, true, &s) != KEN_EPERM || !strstr(err.msg, "schema version 1"))
        return __LINE__;
    return 0;
}

KEN_TEST(older_index_that_may_not_be_written_is_told)
{
    const char *path = ktest_path("old/p.db");
    make_old_index(path, 1);
    kt_eq_i(chmod(ktest_dir(), 0755), 0);
    kt_eq_i(chmod(ktest_path("old"), 0555), 0);
    kt_eq_i(chmod(path, 0444), 0);
    as_nobody(read_outdated, path);
    kt_eq_i(chmod(ktest_path("old"), 0755), 0);
}

KEN_TEST(reader_in_read_only_folder_follows_its_owner)
{
    if (geteuid() != 0)
        kt_skip("root", "needs two users");
    const char *path = ktest_path("ro/p.db"), *dir = ktest_path("ro");
    make_index(path, 1);
    kt_eq_i(chmod(ktest_dir(), 0755), 0);
    kt_eq_i(chmod(path, 0644), 0);
    kt_eq_i(chmod(dir, 0755), 0);
    kt_eq_i(pipe(fds[0]) | pipe(fds[1]), 0);
    pid_t pid = fork();
    kt_true(pid >= 0);
    if (pid == 0) {
        if (setgid(65534) || setuid(65534))
            _exit(99);
        int line = follow_writer(path);
        if (line)
            fprintf(stderr, "child, line %d: %s\n", line, err.msg);
        _exit(line ? 1 : 0);
    }
    close(fds[1][1]);
    char c = 'x';
    kt_eq_i(read(fds[1][0], &c, 1), 1);
    make_index(path, 2);
    kt_eq_i(write(fds[0][1], &c, 1), 1);
    int status = 0;
    kt_true(waitpid(pid, &status, 0) == pid);
    kt_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(fds[0][0]);
    close(fds[0][1]);
    close(fds[1][0]);
}

KEN_TEST(value_that_is_too_large_is_refused)
{
    ken_store *s = must_open(ktest_path("p.db"), false);
    kt_ok(ken_store_begin_write(s, &err));
    size_t n = (16u << 20) + 1;
    char *big = ken_alloc(n);
    memset(big, 'x', n);
    kt_status(ken_store_put_value(s, KEN_STR("k"), ken_str_n(big, n), &err), KEN_ELIMIT);
    ken_store_rollback(s);
    kt_ok(ken_store_begin_write(s, &err));
    kt_ok(ken_store_put_value(s, KEN_STR("k"), ken_str_n(big, n - 1), &err));
    kt_ok(ken_store_commit(s, &err));
    ken_free(big);
    ken_store_close(s);
}

// ---- pages that are mapped ---------------------------------------------------------------------

// Addresses that map the file, in bytes.
static uint64_t mapped_bytes(const char *path)
{
    char line[4600];
    uint64_t sum = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    kt_not_null(f);
    while (fgets(line, sizeof line, f)) {
        unsigned long long from, to;
        size_t n = strcspn(line, "\n"), n_path = strlen(path);
        if (n > n_path && !strncmp(line + n - n_path, path, n_path) &&
            sscanf(line, "%llx-%llx", &from, &to) == 2)
            sum += to - from;
    }
    fclose(f);
    return sum;
}

static uint64_t mapped_after_reading(const char *path, int64_t segment, uint64_t map_bytes)
{
    static uint8_t block[KEN_SEGMENT_BLOCK];
    const ken_store_opts opts = { .path = path, .is_read_only = true, .map_bytes = map_bytes };
    ken_store *s = NULL;
    size_t n;
    kt_ok_err(ken_store_open(&opts, &s, &err), &err);
    for (uint32_t i = 0; i < 64; i++) {
        kt_ok_err(ken_store_read_block(s, segment, i, block, &n, &err), &err);
        kt_eq_u(block[0], (uint8_t)(i + 1));
    }
    uint64_t mapped = mapped_bytes(path);
    ken_store_close(s);
    return mapped;
}

KEN_TEST(no_more_of_a_file_is_mapped_than_may_be)
{
    const char *path = ktest_path("mapped.db");
    const size_t n_bytes = (size_t)64 * KEN_SEGMENT_BLOCK;
    char *bytes = malloc(n_bytes);
    uint32_t noise = 1;
    kt_not_null(bytes);
    for (size_t i = 0; i < n_bytes; i++) { // nothing that can be compressed
        noise = noise * 1664525 + 1013904223;
        bytes[i] = (char)(noise >> 24);
    }
    for (uint32_t i = 0; i < 64; i++)
        bytes[(size_t)i * KEN_SEGMENT_BLOCK] = (char)(i + 1);
    ken_store *s = must_open(path, false);
    int64_t segment;
    kt_ok_err(ken_store_begin_write(s, &err), &err);
    kt_ok_err(
        ken_store_add_segment(s, KEN_SEGMENT_WORDS, ken_str_n(bytes, n_bytes), 1, &segment, &err),
        &err);
    kt_ok_err(ken_store_commit(s, &err), &err);
    kt_ok_err(ken_store_checkpoint(s, &err), &err);
    ken_store_close(s);
    free(bytes);
    kt_true(mapped_after_reading(path, segment, 0) > 3 << 20);
    kt_true(mapped_after_reading(path, segment, 1 << 20) <= 1 << 20);
    kt_eq_u(mapped_after_reading(path, segment, KEN_STORE_MAP_NOTHING), 0);
}
