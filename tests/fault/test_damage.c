// SPDX-License-Identifier: MIT
// Damage on the disk. A flipped bit never changes an answer: it is the same, or an error that says what
// to do; `doctor --deep` finds it. Whatever is wrong with an index, the command that the error names
// makes it work again, with what people wrote; the same for the list of projects.
//
// 150 flips in the database and 40 in its log, or 1,000 and 300 with KEN_TEST_SLOW set.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "app/app.h"
#include "base/fs.h"
#include "base/path.h"
#include "json/json.h"
#include "ktest.h"
#include "sqlite_lab.h"
#include "store/store.h"
#include "tool/tool.h"

enum {
    N_FILES = 14,
    N_NOTES = 3,
    PAGE = 4096,
};

typedef struct lab {
    ken_config *config;
    ken_app *app;
    ken_tool_ctx ctx;
} lab;

static lab l;
static ken_err err;
static uint64_t seed = 0x2545f4914f6cdd1du;

static size_t pick(size_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (size_t)(seed % n);
}

static size_t n_of(size_t quick, size_t slow)
{
    return getenv("KEN_TEST_SLOW") ? slow : quick;
}

static const char *data_dir, *tree; // of the test

static void open_lab(const char *read_only)
{
    ken_config_flag flags[] = { { .name = "data.dir", .value = data_dir },
                                { .name = "mcp.read_only", .value = read_only } };
    l = (lab){ .ctx = { .cwd = ken_str_c(tree) } };
    kt_ok_err(
        ken_config_load(&(ken_config_load_opts){ .flags = flags, .n_flags = 2 }, &l.config, &err),
        &err);
    kt_ok_err(ken_app_open(l.config, &l.app, &err), &err);
}

static void close_lab(void)
{
    ken_app_close(l.app);
    ken_config_free(l.config);
}

static ken_status try_call(const char *tool, const char *args, json_t **out)
{
    json_t *in = NULL;
    *out = NULL;
    err = (ken_err){ 0 };
    kt_ok(ken_json_parse(ken_str_c(args), &in, NULL));
    ken_status st = ken_tool_call(l.app, tool, in, &l.ctx, out, &err);
    json_decref(in);
    return st;
}

static json_t *call(const char *tool, const char *args)
{
    json_t *out = NULL;
    kt_ok_err(try_call(tool, args, &out), &err);
    return out;
}

static void make_tree(void)
{
    char name[64], text[900];
    setenv("HOME", ktest_dir(), 1);
    setenv("GIT_CEILING_DIRECTORIES", ktest_dir(), 1);
    for (int i = 0; i < N_FILES; i++) {
        snprintf(name, sizeof name, "tree/src/fruit%d.c", i);
        snprintf(
            text, sizeof text,
            "#include \"fruit%d.h\"\n\n// Counts the apples of basket %d and retries when it is "
            "full.\nint count_%d(int a)\n{\n    int sum = count_%d(a) + peel_%d(a, %d);\n    "
            "for (int i = 0; i < %d; i++)\n        sum += wash(i);\n    return sum;\n}\n\nstatic "
            "int peel_%d(int pear, int n)\n{\n    return pear * n + wash(pear);\n}\n",
            i, i, i, (i + 1) % N_FILES, i, i, i, i);
        ktest_write(name, text);
        snprintf(name, sizeof name, "tree/src/fruit%d.h", i);
        snprintf(text, sizeof text, "int count_%d(int a);\nint wash(int i);\n", i);
        ktest_write(name, text);
    }
    ktest_write("tree/src/wash.c",
                "// Washes one fruit.\nint wash(int i)\n{\n    return i + 1;\n}\n");
    ktest_write("tree/docs/read.md", "# Baskets\n\nHow apples are counted, washed and peeled.\n");
}

static void make_index(void)
{
    char args[200];
    data_dir = ktest_path("data");
    tree = ktest_path("tree");
    make_tree();
    open_lab("false");
    json_decref(call("index_repository", "{\"path\":\".\"}"));
    for (int i = 0; i < N_NOTES; i++) {
        snprintf(args, sizeof args, "{\"summary\":\"note %d\",\"tags\":[\"t\"]}", i);
        json_decref(call("checkpoint_save", args));
        snprintf(args, sizeof args, "{\"title\":\"task %d\",\"description\":\"of fruit\"}", i);
        json_decref(call("create_task", args));
    }
    close_lab();
}

static const char *find_index(ken_arena *arena)
{
    ken_project_info *list = NULL;
    size_t n = 0;
    open_lab("true");
    kt_ok_err(ken_app_list_projects(l.app, arena, &list, &n, &err), &err);
    kt_eq_u(n, 1);
    close_lab();
    return list[0].db_path.ptr;
}

static ken_str read_file(const char *path)
{
    ken_buf b = KEN_BUF_INIT(64 << 20);
    kt_ok_err(ken_fs_read_own(path, 64 << 20, &b, &err), &err);
    char *copy = malloc(b.len + 1);
    kt_not_null(copy);
    memcpy(copy, b.ptr, b.len);
    ken_str s = { copy, b.len };
    ken_buf_release(&b);
    return s;
}

static void write_at(const char *path, size_t at, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "r+b");
    kt_not_null(f);
    kt_eq_i(fseek(f, (long)at, SEEK_SET), 0);
    kt_eq_u(fwrite(bytes, 1, n, f), n);
    kt_eq_i(fclose(f), 0);
}

static void remove_beside(const char *path)
{
    char name[600];
    static const char *const suffixes[] = { "-wal", "-shm", "-journal" };
    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        kt_ok_err(ken_fs_remove(name, &err), &err);
    }
}

// ---- flips ---------------------------------------------------------------------------------------

static const char *const questions[][2] = {
    { "search_code", "{\"query\":\"where are apples counted\"}" },
    { "search_code", "{\"query\":\"wash(\",\"search_type\":\"text\"}" },
    { "search_code", "{\"query\":\"peel_3\",\"search_type\":\"symbol\"}" },
    { "search_code", "{\"query\":\"fill a basket again\",\"search_type\":\"semantic\"}" },
    { "get_definition", "{\"symbol_name\":\"count_5\"}" },
    { "find_usages", "{\"symbol_name\":\"wash\"}" },
    { "explain_code", "{\"file_path\":\"src/fruit2.c\",\"line_start\":4,\"line_end\":9}" },
    { "trace_execution", "{\"entry_point\":\"count_1\"}" },
    { "get_architecture", "{}" },
    { "query_impact", "{\"file_path\":\"src/wash.c\"}" },
    { "outline", "{\"file_path\":\"src/fruit4.c\"}" },
    { "build_context", "{\"query\":\"how are fruits peeled\"}" },
    { "checkpoint_list", "{}" },
};

enum {
    N_QUESTIONS = sizeof questions / sizeof *questions
};

// Times differ from call to call.
static void scrub(json_t *v)
{
    const char *key;
    json_t *member;
    void *next;
    size_t at;
    json_object_foreach_safe(v, next, key, member)
    {
        if (strstr(key, "_ms") || strstr(key, "time") || strstr(key, "seen"))
            json_object_del(v, key);
        else
            scrub(member);
    }
    json_array_foreach(v, at, member)
    {
        scrub(member);
    }
}

static json_t *ask(size_t i)
{
    json_t *out = NULL;
    if (!try_call(questions[i][0], questions[i][1], &out))
        scrub(out);
    return out;
}

typedef struct tally {
    size_t n_same, n_told, n_silent, n_mute;
} tally;

static void ask_all(json_t *const *want, tally *t, size_t where)
{
    open_lab("true");
    for (size_t i = 0; i < N_QUESTIONS; i++) {
        json_t *got = ask(i);
        if (!got) {
            ken_buf text = KEN_BUF_INIT(64 * 1024);
            ken_tool_error_text(&err, &text);
            bool has_command =
                strstr(text.ptr, "force_reindex") || strstr(text.ptr, "ken index --force");
            t->n_told++;
            t->n_mute += !has_command;
            if (!has_command)
                fprintf(stderr, "bit of byte %zu: %s: %s\n", where, questions[i][0], text.ptr);
            ken_buf_release(&text);
        } else if (json_equal(got, want[i])) {
            t->n_same++;
        } else {
            t->n_silent++;
            fprintf(stderr, "bit of byte %zu changed %s %s\n", where, questions[i][0],
                    questions[i][1]);
        }
        json_decref(got);
    }
    close_lab();
}

static bool doctor_is_content(void)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_health_check *checks = NULL;
    size_t n = 0;
    bool is_content = true;
    open_lab("true");
    kt_ok_err(ken_app_check_health(l.app, true, NULL, &arena, &checks, &n, &err), &err);
    for (size_t i = 0; i < n; i++)
        is_content &= checks[i].health != KEN_HEALTH_FAIL;
    close_lab();
    ken_store_forget_damage();
    ken_arena_release(&arena);
    return is_content;
}

static void load_answers(json_t **want)
{
    open_lab("true");
    for (size_t i = 0; i < N_QUESTIONS; i++) {
        want[i] = ask(i);
        if (!want[i])
            kt_fail("%s: %s", questions[i][0], err.msg);
        json_t *again = ask(i);
        kt_true(json_equal(want[i], again));
        json_decref(again);
    }
    close_lab();
}

static void free_answers(json_t **want)
{
    for (size_t i = 0; i < N_QUESTIONS; i++)
        json_decref(want[i]);
}

// Whether a page is free: no answer depends on it.
static void find_free_pages(const char *path, size_t *out_n)
{
    sqlite3 *db = lab_open_sqlite(path);
    sqlite3_stmt *st = NULL;
    kt_eq_i(sqlite3_prepare_v2(db, "PRAGMA freelist_count", -1, &st, NULL), SQLITE_OK);
    kt_eq_i(sqlite3_step(st), SQLITE_ROW);
    *out_n = (size_t)sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
}

KEN_TEST(flipped_bits_never_change_an_answer)
{
    json_t *want[N_QUESTIONS];
    tally t = { 0 };
    ken_arena arena;
    ken_arena_init(&arena, 0);
    make_index();
    const char *index = find_index(&arena);
    load_answers(want);
    size_t n_free = 0, n_missed = 0, n = n_of(150, 1000);
    find_free_pages(index, &n_free);
    remove_beside(index);
    ken_str good = read_file(index);
    for (size_t i = 0; i < n; i++) {
        size_t at = pick(good.len);
        char bad = (char)(good.ptr[at] ^ 1 << pick(8));
        write_at(index, at, &bad, 1);
        ask_all(want, &t, at);
        if (doctor_is_content()) {
            n_missed++;
            fprintf(stderr, "doctor did not see byte %zu\n", at);
        }
        write_at(index, at, good.ptr + at, 1);
        remove_beside(index);
    }
    fprintf(stderr, "%zu flips, %zu pages (%zu free): %zu same, %zu told, %zu silent, %zu unseen\n",
            n, good.len / PAGE, n_free, t.n_same, t.n_told, t.n_silent, n_missed);
    kt_eq_u(t.n_silent, 0);
    kt_eq_u(t.n_mute, 0);
    kt_true(t.n_told > n / 4);
    kt_true(n_free ? n_missed < n : n_missed == 0);
    free_answers(want);
    free((void *)(uintptr_t)good.ptr);
    ken_arena_release(&arena);
}

// The log is read while somebody has it open: who recovers it passes over what is damaged.
KEN_TEST(flipped_bits_of_the_log_never_change_an_answer)
{
    json_t *want[N_QUESTIONS];
    tally t = { 0 };
    ken_arena arena;
    char log[700];
    ken_arena_init(&arena, 0);
    make_index();
    const char *index = find_index(&arena);
    snprintf(log, sizeof log, "%s-wal", index);
    ken_store *reader = NULL;
    kt_ok_err(
        ken_store_open(&(ken_store_opts){ .path = index, .is_read_only = true }, &reader, &err),
        &err);
    kt_ok_err(ken_store_begin_read(reader, &err), &err);
    uint64_t g = 0;
    kt_ok_err(ken_store_get_generation(reader, &g, &err), &err);
    ktest_write("tree/src/wash.c",
                "// Washes a fruit twice.\nint wash(int i)\n{\n    return i + 2;\n}\n");
    open_lab("false");
    json_decref(call("index_repository", "{\"path\":\".\",\"force_reindex\":true}"));
    close_lab();
    load_answers(want);
    ken_str good = read_file(log);
    kt_true(good.len > 8 * PAGE);
    size_t n = n_of(40, 300);
    for (size_t i = 0; i < n; i++) {
        size_t at = 32 + pick(good.len - 32);
        char bad = (char)(good.ptr[at] ^ 1 << pick(8));
        write_at(log, at, &bad, 1);
        ask_all(want, &t, at);
        write_at(log, at, good.ptr + at, 1);
    }
    fprintf(stderr, "%zu flips in a log of %zu KiB: %zu same, %zu told, %zu silent\n", n,
            good.len / 1024, t.n_same, t.n_told, t.n_silent);
    kt_eq_u(t.n_silent, 0);
    kt_eq_u(t.n_mute, 0);
    kt_true(t.n_told > 0);
    ken_store_rollback(reader);
    ken_store_close(reader);
    free_answers(want);
    free((void *)(uintptr_t)good.ptr);
    ken_arena_release(&arena);
}

// ---- repair --------------------------------------------------------------------------------------

enum {
    N_KINDS = 16
};

static const char *damage_index(const char *path, ken_str good, size_t kind)
{
    static char page[PAGE];
    char name[700], other[700];
    size_t n_pages = good.len / PAGE;
    snprintf(name, sizeof name, "%s-wal", path);
    snprintf(other, sizeof other, "%s-shm", path);
    for (size_t i = 0; i < sizeof page; i++)
        page[i] = (char)pick(256);
    switch (kind) {
    case 0:
        write_at(path, 0, page, 100);
        return "header";
    case 1:
        kt_eq_i(truncate(path, 0), 0);
        return "no bytes";
    case 2:
        kt_eq_i(truncate(path, (off_t)(pick(n_pages) * PAGE + pick(PAGE))), 0);
        return "cut off";
    case 3:
        kt_eq_i(truncate(path, 77), 0);
        return "77 bytes";
    case 4:
        kt_eq_i(unlink(path), 0);
        ktest_write("garbage",
                    "this is no database, and it is longer than a hundred bytes, which is "
                    "what a header has at least, so that it is looked at as one ......");
        kt_eq_i(rename(ktest_path("garbage"), path), 0);
        return "garbage";
    case 5:
        write_at(path, 68, "KENX", 4);
        return "application id";
    case 6: {
        sqlite3 *db = lab_open_sqlite(path);
        lab_run(db, "PRAGMA user_version = 99");
        sqlite3_close(db);
        return "newer schema";
    }
    case 7:
        kt_eq_i(unlink(path), 0);
        kt_eq_i(mkdir(path, 0700), 0);
        return "a folder";
    case 8:
        kt_eq_i(unlink(path), 0);
        kt_eq_i(symlink("/nowhere/at/all", path), 0);
        return "a link to nothing";
    case 9:
        kt_eq_i(rename(path, ktest_path("linked.db")), 0);
        kt_eq_i(symlink(ktest_path("linked.db"), path), 0);
        write_at(path, PAGE * pick(n_pages), page, PAGE);
        return "a linked one, a page";
    case 10:
        kt_ok_err(ken_fs_remove(ktest_path("second.db"), &err), &err);
        kt_eq_i(link(path, ktest_path("second.db")), 0);
        write_at(path, PAGE * pick(n_pages), page, PAGE);
        return "two names, a page";
    case 11:
        ktest_write("wal", ken_str_n(page, PAGE).ptr);
        kt_eq_i(rename(ktest_path("wal"), name), 0);
        write_at(path, PAGE * pick(n_pages), page, PAGE);
        return "a log that is none, a page";
    case 12: {
        sqlite3 *db = lab_open_sqlite(path);
        lab_run(db, "DROP TABLE segment");
        sqlite3_close(db);
        return "a table is gone";
    }
    case 13:
        ktest_write("shm", "garbage in place of shared memory");
        kt_eq_i(rename(ktest_path("shm"), other), 0);
        write_at(path, PAGE * pick(n_pages), page, 100);
        return "shared memory, a page";
    default:
        write_at(path, PAGE * pick(n_pages) + pick(PAGE - 64), page, 64);
        return "part of a page";
    }
}

static long long number(const json_t *v, const char *key)
{
    return json_integer_value(json_object_get(v, key));
}

static void check_is_whole(const char *kind)
{
    json_t *v = call("search_code", "{\"query\":\"where are apples counted\"}");
    if (!json_array_size(json_object_get(v, "results")))
        kt_fail("%s: nothing is found", kind);
    json_decref(v);
    v = call("find_usages", "{\"symbol_name\":\"wash\"}");
    json_decref(v);
    v = call("checkpoint_list", "{}");
    if (number(v, "total") != N_NOTES)
        kt_fail("%s: %lld checkpoints", kind, number(v, "total"));
    json_decref(v);
}

KEN_TEST(damaged_indexes_work_after_the_command_that_the_error_names)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    make_index();
    const char *index = find_index(&arena);
    size_t n_told = 0, n = 4 * N_KINDS;
    for (size_t i = 0; i < n; i++) {
        remove_beside(index);
        ken_str good = read_file(index);
        bool is_served = i % N_KINDS >= 14; // a server has it open, and it is not cut off under it
        if (is_served) {
            open_lab("false");
            check_is_whole("before");
        }
        const char *kind = damage_index(index, good, i % N_KINDS);
        if (!is_served)
            open_lab("false");
        json_t *v = NULL;
        for (size_t q = 0; q < N_QUESTIONS; q++) {
            n_told += try_call(questions[q][0], questions[q][1], &v) != KEN_OK;
            json_decref(v);
        }
        if (try_call("index_repository", "{\"path\":\".\",\"force_reindex\":true}", &v))
            kt_fail("%s: %s", kind, err.msg);
        json_decref(v);
        check_is_whole(kind);
        close_lab();
        if (!doctor_is_content())
            kt_fail("%s: doctor is not content", kind);
        free((void *)(uintptr_t)good.ptr);
    }
    fprintf(stderr, "%zu damaged indexes work again; %zu questions were refused before\n", n,
            n_told);
    kt_true(n_told > n);
    ken_arena_release(&arena);
}

// ---- the list of projects --------------------------------------------------------------------------

static json_t *list_tasks(void)
{
    json_t *v = NULL;
    return try_call("list_tasks", "{}", &v) ? NULL : v;
}

KEN_TEST(tasks_come_back_from_the_journal)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    make_index();
    const char *path = ktest_path("data/config/projects.db");
    open_lab("false");
    json_t *want = list_tasks();
    kt_eq_u(json_array_size(json_object_get(want, "tasks")), N_NOTES);
    close_lab();
    for (size_t kind = 0; kind < 12; kind++) {
        static char page[PAGE];
        remove_beside(path);
        ken_str good = read_file(path);
        size_t at = pick(good.len / PAGE) * PAGE;
        if (kind == 0)
            kt_eq_i(unlink(path), 0);
        else if (kind == 1)
            kt_eq_i(truncate(path, 0), 0);
        else if (kind == 2)
            kt_eq_i(truncate(path, (off_t)good.len / 2), 0);
        else
            write_at(path, kind == 3 ? 0 : at, page, kind == 3 ? 100 : PAGE);
        open_lab("false");
        json_t *got = list_tasks();
        if (!got) {
            kt_has_str(err.msg, "ken restore");
            close_lab();
            open_lab("false");
        }
        ken_restore_report report = { 0 };
        kt_ok_err(ken_app_restore(l.app, &(ken_restore_opts){ .is_dry_run = false }, &arena,
                                  &report, &err),
                  &err);
        kt_eq_u(report.n_tasks, N_NOTES);
        kt_eq_u(report.n_projects, 1);
        json_decref(got);
        got = list_tasks();
        kt_true(json_equal(want, got)); // ids, times, history
        json_decref(got);
        close_lab();
        kt_true(doctor_is_content());
        free((void *)(uintptr_t)good.ptr);
    }
    json_decref(want);
    ken_arena_release(&arena);
}

// A damaged line loses itself, a torn one was never acknowledged, and both are mended.
KEN_TEST(journal_that_is_damaged_is_told_and_mended)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    make_index();
    char path[700];
    snprintf(path, sizeof path, "%s.writes", ktest_path("data/config/projects.db"));
    ken_str text = read_file(path);
    size_t at = ken_str_find(text, KEN_STR("task 1"));
    kt_true(at != SIZE_MAX);
    write_at(path, at, "tusk 1", 6);
    write_at(path, text.len, "{\"ops\":[{\"task\":9", 17);
    open_lab("false");
    ken_restore_report report = { 0 };
    kt_ok_err(
        ken_app_restore(l.app, &(ken_restore_opts){ .is_dry_run = true }, &arena, &report, &err),
        &err);
    kt_eq_i(report.found, KEN_OK);
    kt_eq_u(report.n_damaged, 1);
    kt_ok_err(
        ken_app_restore(l.app, &(ken_restore_opts){ .is_dry_run = false }, &arena, &report, &err),
        &err);
    kt_ok_err(
        ken_app_restore(l.app, &(ken_restore_opts){ .is_dry_run = true }, &arena, &report, &err),
        &err);
    kt_eq_u(report.n_damaged, 0);
    kt_eq_i(unlink(ktest_path("data/config/projects.db")), 0);
    close_lab();
    remove_beside(ktest_path("data/config/projects.db"));
    open_lab("false");
    json_t *v = list_tasks();
    kt_eq_u(json_array_size(json_object_get(v, "tasks")), N_NOTES);
    json_decref(v);
    close_lab();
    free((void *)(uintptr_t)text.ptr);
    ken_arena_release(&arena);
}
