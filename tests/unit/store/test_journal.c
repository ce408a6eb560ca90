// SPDX-License-Identifier: MIT
// The journal beside a database: what is damaged, cut off, of another database, or too long. Real
// files and real SQLite; a line is damaged by writing over bytes of it.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/path.h"
#include "ktest.h"
#include "sqlite_lab.h"
#include "store/catalog.h"
#include "store/sqlite/sqlite_catalog_priv.h"
#include "store/store.h"
#include "store/tasks.h"

static ken_err err;

static sqlite3 *db_of(ken_catalog *c)
{
    return ken_sq_catalog_of(ken_catalog__backend(c))->q.db;
}
static ken_arena arena;
static int64_t now = 1000;

static const char *db_path(void)
{
    return ktest_path("data/config/projects.db");
}

static const char *journal_path(void)
{
    return ktest_path("data/config/projects.db.writes");
}

static ken_catalog *open_catalog(void)
{
    ken_catalog *c = NULL;
    kt_ok_err(ken_catalog_open(db_path(), false, &c, &err), &err);
    return c;
}

static ken_uuid add_task(ken_catalog *c, const char *title)
{
    ken_task out = { 0 }, t = { .uuid = ken_uuid_random(),
                                .title = ken_str_c(title),
                                .status = KEN_STR("todo"),
                                .created_at_ms = now++ };
    kt_ok_err(ken_catalog_add_task(c, &t, &arena, &out, &err), &err);
    return t.uuid;
}

static void remove_database(void)
{
    static const char *const suffixes[] = { "", "-wal", "-shm" };
    char path[700];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", db_path(), suffixes[i]);
        (void)unlink(path);
    }
}

// The titles of all tasks, in order: "a b c ".
static ken_str titles(ken_catalog *c)
{
    static char text[4096];
    sqlite3_stmt *st = NULL;
    text[0] = '\0';
    kt_eq_i(sqlite3_prepare_v2(db_of(c), "SELECT title FROM task ORDER BY title", -1, &st, NULL),
            0);
    while (sqlite3_step(st) == SQLITE_ROW) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%s ", (const char *)sqlite3_column_text(st, 0));
    }
    sqlite3_finalize(st);
    return ken_str_c(text);
}

static ken_catalog_journal look(void)
{
    ken_catalog_journal j = { 0 };
    kt_ok_err(ken_catalog_read_journal(db_path(), &j, &err), &err);
    return j;
}

// The bytes of the n-th line, from 0, without its end.
static ken_str line_at(ken_str text, size_t n)
{
    ken_str line = { 0 };
    for (size_t i = 0; i <= n; i++)
        kt_true(ken_str_split_next(&text, '\n', &line));
    return line;
}

static size_t count_lines(ken_str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++)
        n += text.ptr[i] == '\n';
    return n;
}

static void damage(size_t n_line)
{
    ken_str text = ktest_read(journal_path()), line = line_at(text, n_line);
    FILE *f = fopen(journal_path(), "r+b");
    kt_not_null(f);
    kt_eq_i(fseek(f, (long)(line.ptr - text.ptr), SEEK_SET), 0);
    kt_eq_u(fwrite("#", 1, 1, f), 1);
    kt_eq_i(fclose(f), 0);
}

static size_t find_line(const char *start)
{
    ken_str text = ktest_read(journal_path());
    for (size_t i = 0; i < count_lines(text); i++)
        if (ken_str_starts(line_at(text, i), ken_str_c(start)))
            return i;
    kt_fail("no line begins with %s", start);
}

// A journal that begins with a copy of tasks a and b, and goes on with c and d.
static void make_journal(void)
{
    ken_arena_init(&arena, 0);
    ken_catalog *c = open_catalog();
    (void)add_task(c, "a");
    (void)add_task(c, "b");
    ken_catalog_close(c);
    kt_eq_i(unlink(journal_path()), 0);
    c = open_catalog(); // begins it anew
    (void)add_task(c, "c");
    (void)add_task(c, "d");
    ken_catalog_close(c);
    (void)find_line("{\"end\":1}");
}

static void check_is_rebuilt(const char *want)
{
    remove_database();
    ken_catalog *c = open_catalog();
    kt_eq_text(titles(c), want);
    ken_catalog_close(c);
    kt_eq_u(look().n_damaged, 0); // it was made anew
    remove_database();
    c = open_catalog();
    kt_eq_text(titles(c), want);
    ken_catalog_close(c);
}

KEN_TEST(journal_copy_without_its_end_is_put_back)
{
    make_journal();
    damage(find_line("{\"end\":1}"));
    check_is_rebuilt("a b c d ");
    ken_arena_release(&arena);
}

KEN_TEST(journal_copy_without_begin_and_end_is_put_back)
{
    make_journal();
    damage(find_line("{\"end\":1}"));
    damage(find_line("{\"begin\":1"));
    check_is_rebuilt("a b c d ");
    ken_arena_release(&arena);
}

KEN_TEST(journal_that_ends_within_its_copy_is_put_back)
{
    make_journal();
    ken_str text = ktest_read(journal_path()), end = line_at(text, find_line("{\"end\":1}"));
    kt_eq_i(truncate(journal_path(), end.ptr - text.ptr), 0);
    kt_true(look().n_damaged > 0);
    check_is_rebuilt("a b ");
    ken_arena_release(&arena);
}

// A copy that is not whole is no reason to delete what the database has.
KEN_TEST(journal_copy_that_is_damaged_deletes_nothing)
{
    make_journal();
    ken_catalog *c = open_catalog();
    kt_eq_i(sqlite3_exec(db_of(c),
                         "UPDATE journal_clock SET seq = 1; DELETE FROM task WHERE title "
                         "IN ('b', 'c', 'd')",
                         NULL, NULL, NULL),
            SQLITE_OK); // as a copy of the file made then
    ken_catalog_close(c);
    ken_str text = ktest_read(journal_path());
    for (size_t i = 0; i < count_lines(text); i++) {
        ken_str line = line_at(text, i);
        if (ken_str_find(line, KEN_STR("\"title\": \"a\"")) != SIZE_MAX ||
            ken_str_find(line, KEN_STR("\"title\":\"a\"")) != SIZE_MAX)
            damage(i);
    }
    kt_eq_u(look().n_damaged, 1);
    c = open_catalog();
    kt_eq_text(titles(c), "a b c d ");
    ken_catalog_close(c);
    ken_arena_release(&arena);
}

// The line that deleted a task is damaged, and what came later has its place.
KEN_TEST(damaged_line_loses_only_itself)
{
    ken_arena_init(&arena, 0);
    ken_catalog *c = open_catalog();
    ken_catalog_row row;
    kt_ok_err(ken_catalog_add(c, KEN_STR("/p"), KEN_STR("old"), 1, &arena, &row, &err), &err);
    ken_uuid a = add_task(c, "a");
    size_t n = count_lines(ktest_read(journal_path()));
    kt_ok_err(ken_catalog_remove(c, row.id, &err), &err);
    kt_ok_err(ken_catalog_remove_task(c, a, &err), &err);
    (void)add_task(c, "b");
    kt_ok_err(ken_catalog_add(c, KEN_STR("/p"), KEN_STR("new"), 2, &arena, &row, &err), &err);
    ken_catalog_close(c);
    damage(n);
    damage(n + 1);
    remove_database();
    c = open_catalog();
    kt_true(ken_str_find(titles(c), KEN_STR("b ")) != SIZE_MAX);
    ken_catalog_row found;
    kt_ok_err(ken_catalog_find_by_root(c, KEN_STR("/p"), &arena, &found, &err), &err);
    kt_eq_text(found.name, "new");
    ken_catalog_close(c);
    // What was damaged is kept for who wants to look at it.
    char kept[700];
    snprintf(kept, sizeof kept, "%s.damaged-1", journal_path());
    kt_true(ken_fs_exists(kept));
    ken_arena_release(&arena);
}

// Zeros, as a power cut may leave them, longer than any line.
KEN_TEST(journal_with_a_line_that_is_too_long_goes_on_behind_it)
{
    make_journal();
    ken_str text = ktest_read(journal_path());
    size_t at = (size_t)(line_at(text, find_line("{\"end\":1}") + 1).ptr - text.ptr);
    FILE *f = fopen(journal_path(), "wb");
    kt_not_null(f);
    kt_eq_u(fwrite(text.ptr, 1, at, f), at);
    kt_eq_i(fseek(f, 40 << 20, SEEK_CUR), 0);
    kt_eq_u(fwrite("\n", 1, 1, f), 1);
    kt_eq_u(fwrite(text.ptr + at, 1, text.len - at, f), text.len - at);
    kt_eq_i(fclose(f), 0);
    kt_eq_u(look().n_damaged, 1);
    check_is_rebuilt("a b c d ");
    ken_arena_release(&arena);
}

KEN_TEST(journal_that_is_all_garbage_is_kept_and_begun_anew)
{
    make_journal();
    (void)ktest_write("data/config/projects.db.writes", "this is no journal at all");
    ken_catalog *c = open_catalog();
    kt_eq_text(titles(c), "a b c d ");
    ken_catalog_close(c);
    check_is_rebuilt("a b c d ");
    char kept[700];
    snprintf(kept, sizeof kept, "%s.damaged-1", journal_path());
    kt_eq_text(ktest_read(kept), "this is no journal at all");
    ken_arena_release(&arena);
}

// The journal of an index beside the list of projects, or the other way round: nothing is touched.
KEN_TEST(journal_of_another_kind_of_database_is_refused)
{
    make_journal();
    ken_str ours = ktest_read(journal_path());
    const char *text = "{\"begin\":1,\"of\":1262833201,\"bytes\":0}";
    char line[200];
    snprintf(line, sizeof line, "%-64s 0", text);
    ken_buf b = KEN_BUF_INIT(4096);
    ken_buf_printf(&b, "%s %016llx\n", line, (unsigned long long)ken_hash64(line, strlen(line)));
    snprintf(line, sizeof line, "{\"end\":1} 900");
    ken_buf_printf(&b, "%s %016llx\n", line, (unsigned long long)ken_hash64(line, strlen(line)));
    (void)ktest_write("data/config/projects.db.writes", b.ptr);
    ken_catalog *c = NULL;
    kt_status(ken_catalog_open(db_path(), false, &c, &err), KEN_EINVAL);
    kt_has_str(err.msg, "another");
    kt_eq_text(ktest_read(journal_path()), b.ptr);
    (void)ktest_write("data/config/projects.db.writes", ours.ptr);
    c = open_catalog();
    kt_eq_text(titles(c), "a b c d ");
    ken_catalog_close(c);
    ken_buf_release(&b);
    ken_arena_release(&arena);
}

// ---- what is no damage -------------------------------------------------------------------------

// The disk is full while records are put in: that is told, nothing is lost, and the next try does it.
KEN_TEST(shortage_while_putting_back_fails_and_changes_nothing)
{
    make_journal();
    ken_str before = ktest_read(journal_path());
    remove_database();
    struct rlimit all, few;
    kt_eq_i(getrlimit(RLIMIT_FSIZE, &all), 0);
    few = all;
    (void)signal(SIGXFSZ, SIG_IGN);
    bool was_refused = false;
    for (rlim_t size = 4096; size <= 160 * 1024; size += 12 * 1024) {
        few.rlim_cur = size;
        ken_catalog *c = NULL;
        kt_eq_i(setrlimit(RLIMIT_FSIZE, &few), 0);
        ken_status st = ken_catalog_open(db_path(), false, &c, &err);
        kt_eq_i(setrlimit(RLIMIT_FSIZE, &all), 0);
        was_refused |= st != KEN_OK;
        if (!st)
            kt_eq_text(titles(c), "a b c d ");
        ken_catalog_close(c);
        kt_eq_mem(before.ptr, before.len, ktest_read(journal_path()).ptr,
                  ktest_read(journal_path()).len);
        remove_database();
    }
    kt_true(was_refused);
    check_is_rebuilt("a b c d ");
    ken_arena_release(&arena);
}

// A missing right is an error, not a journal that is not there.
KEN_TEST(journal_that_cannot_be_opened_is_not_taken_for_absent)
{
    if (!geteuid())
        kt_skip("permissions", "root may read everything");
    make_journal();
    kt_eq_i(chmod(journal_path(), 0), 0);
    ken_catalog *c = NULL;
    kt_status(ken_catalog_open(db_path(), false, &c, &err), KEN_EPERM);
    kt_eq_i(chmod(journal_path(), 0600), 0);
    check_is_rebuilt("a b c d ");
    ken_arena_release(&arena);
}

KEN_TEST(journal_that_is_no_file_is_refused)
{
    make_journal();
    char aside[700];
    snprintf(aside, sizeof aside, "%s.aside", journal_path());
    kt_eq_i(rename(journal_path(), aside), 0);
    kt_eq_i(mkfifo(journal_path(), 0600), 0);
    ken_catalog *c = NULL;
    kt_status(ken_catalog_open(db_path(), false, &c, &err), KEN_EINVAL);
    kt_has_str(err.msg, "regular file");
    kt_eq_i(rename(aside, journal_path()), 0);
    check_is_rebuilt("a b c d ");
    ken_arena_release(&arena);
}

// ---- writing -----------------------------------------------------------------------------------

static int fail_commit(void *unused)
{
    (void)unused;
    return 1; // turns the COMMIT into a ROLLBACK
}

// A journal becomes too long by writes whose COMMIT fails. The copy that it then begins with has nothing
// of them, and the next transaction, which has the number of the last of them, is put back, too.
KEN_TEST(journal_made_anew_has_committed_rows_only)
{
    make_journal();
    ken_catalog *c = open_catalog();
    char *value = ken_alloc(60001);
    memset(value, 'v', 60000);
    value[60000] = '\0';
    uint64_t size = 0, last = 0;
    sqlite3_commit_hook(db_of(c), fail_commit, NULL);
    for (int i = 0; i < 60 && size >= last; i++) {
        ken_fs_info info;
        kt_true(ken_catalog_put_value(c, KEN_STR("never"), ken_str_c(value), &err) != KEN_OK);
        kt_ok_err(ken_fs_stat_target(journal_path(), &info, &err), &err);
        last = size;
        size = info.stamp.size;
    }
    kt_true(size < last);
    sqlite3_commit_hook(db_of(c), NULL, NULL);
    (void)add_task(c, "e");
    ken_catalog_close(c);
    check_is_rebuilt("a b c d e ");
    c = open_catalog();
    ken_str none;
    kt_status(ken_catalog_load_value(c, KEN_STR("never"), &arena, &none, &err), KEN_ENOTFOUND);
    ken_catalog_close(c);
    ken_free(value);
    ken_arena_release(&arena);
}

// The COMMIT fails, and before its line can be taken back another process has written: what that one
// acknowledged stays.
typedef struct meddler {
    ken_catalog *other;
    bool is_done;
} meddler;

static void meddle(void *arg)
{
    meddler *m = arg;
    if (m->is_done)
        return;
    m->is_done = true;
    (void)add_task(m->other, "other");
}

KEN_TEST(line_of_a_failed_commit_takes_nothing_of_others_back)
{
    make_journal();
    ken_catalog *c = open_catalog();
    meddler m = { .other = open_catalog() };
    ken_task t = { .uuid = ken_uuid_random(),
                   .title = KEN_STR("failed"),
                   .status = KEN_STR("todo"),
                   .created_at_ms = now++ },
             out;
    sqlite3_commit_hook(db_of(c), fail_commit, NULL);
    sqlite3_rollback_hook(db_of(c), meddle, &m); // called when the lock was given back
    kt_true(ken_catalog_add_task(c, &t, &arena, &out, &err) != KEN_OK);
    sqlite3_commit_hook(db_of(c), NULL, NULL);
    sqlite3_rollback_hook(db_of(c), NULL, NULL);
    kt_true(m.is_done);
    ken_catalog_close(c);
    ken_catalog_close(m.other);
    remove_database();
    c = open_catalog();
    kt_true(ken_str_find(titles(c), KEN_STR("other ")) != SIZE_MAX);
    ken_catalog_close(c);
    ken_arena_release(&arena);
}

// A failed COMMIT with nobody else about: its line is taken back.
KEN_TEST(line_of_a_failed_commit_is_taken_back)
{
    make_journal();
    ken_catalog *c = open_catalog();
    ken_task t = { .uuid = ken_uuid_random(),
                   .title = KEN_STR("failed"),
                   .status = KEN_STR("todo"),
                   .created_at_ms = now++ },
             out;
    sqlite3_commit_hook(db_of(c), fail_commit, NULL);
    kt_true(ken_catalog_add_task(c, &t, &arena, &out, &err) != KEN_OK);
    sqlite3_commit_hook(db_of(c), NULL, NULL);
    (void)add_task(c, "e");
    kt_eq_text(titles(c), "a b c d e ");
    ken_catalog_close(c);
    check_is_rebuilt("a b c d e ");
    ken_arena_release(&arena);
}

// A file that was moved away has no readers to come: writing into it is refused, and the journal,
// which is that of the new one by now, is left alone.
KEN_TEST(writing_into_a_database_that_was_moved_away_is_refused)
{
    make_journal();
    ken_catalog *old = open_catalog();
    ken_str kept;
    kt_ok_err(ken_store_quarantine(db_path(), &arena, &kept, &err), &err);
    ken_catalog *c = open_catalog();
    ken_str before = ktest_read(journal_path());
    ken_task t = { .uuid = ken_uuid_random(),
                   .title = KEN_STR("lost"),
                   .status = KEN_STR("todo"),
                   .created_at_ms = now++ },
             out;
    kt_status(ken_catalog_add_task(old, &t, &arena, &out, &err), KEN_EBUSY);
    kt_has_str(err.msg, "moved away");
    kt_eq_text(ktest_read(journal_path()), before.ptr);
    (void)add_task(c, "e");
    ken_catalog_close(old);
    ken_catalog_close(c);
    check_is_rebuilt("a b c d e ");
    ken_arena_release(&arena);
}

// Somebody removes the journal while a database is open: the next writer begins it with all rows.
KEN_TEST(journal_that_was_removed_begins_anew_with_all_rows)
{
    make_journal();
    ken_catalog *c = open_catalog();
    kt_eq_i(unlink(journal_path()), 0);
    (void)add_task(c, "e");
    ken_catalog_close(c);
    check_is_rebuilt("a b c d e ");
    ken_arena_release(&arena);
}

// The disk is full in the middle of a line: the half is cut off, the write is refused, the next one
// is whole.
KEN_TEST(journal_on_a_full_disk_keeps_whole_lines)
{
    make_journal();
    ken_catalog *c = open_catalog();
    struct rlimit all, few;
    kt_eq_i(getrlimit(RLIMIT_FSIZE, &all), 0);
    few = all;
    (void)signal(SIGXFSZ, SIG_IGN);
    ken_str before = ktest_read(journal_path());
    char *value = ken_alloc(60001);
    memset(value, 'v', 60000);
    value[60000] = '\0';
    few.rlim_cur = before.len + 30000;
    kt_eq_i(setrlimit(RLIMIT_FSIZE, &few), 0);
    ken_status st = ken_catalog_put_value(c, KEN_STR("n"), ken_str_c(value), &err);
    kt_eq_i(setrlimit(RLIMIT_FSIZE, &all), 0);
    kt_true(st != KEN_OK);
    kt_eq_u(ktest_read(journal_path()).len, before.len);
    (void)add_task(c, "e");
    ken_catalog_close(c);
    check_is_rebuilt("a b c d e ");
    ken_free(value);
    ken_arena_release(&arena);
}
