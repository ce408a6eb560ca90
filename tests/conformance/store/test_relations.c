// SPDX-License-Identifier: MIT
// Rows of contents in PostgreSQL: they come and go with their content, and its text is read again.
#include "conformance/store/store_scenario.h"
#include "ktest.h"
#include "postgres_lab.h"
#include "store/rows.h"

static ken_err err;

enum {
    N_TABLES = 5
};

static const char *const tables[N_TABLES] = { "content_symbol", "content_chunk", "content_import",
                                              "content_ref", "content_text" };

typedef struct lab {
    char url[600];
    ken_database *db;
    ken_store *s;
    ken_arena arena;
} lab;

static void open_lab(lab *l, ken_database_opts opts)
{
    snprintf(l->url, sizeof l->url, "%s", lab_new_migrated_url());
    opts.url = l->url;
    ken_arena_init(&l->arena, 0);
    kt_ok_err(ken_database_open(&opts, &l->db, &err), &err);
    kt_ok_err(ken_store_open(&(ken_store_opts){ .path = "index", .database = l->db }, &l->s, &err),
              &err);
}

static void close_lab(lab *l)
{
    ken_store_close(l->s);
    ken_database_close(l->db);
    ken_arena_release(&l->arena);
}

// Facts of `size` bytes with `size` % 5 symbols, each called once, and one import of two names.
static int64_t add(lab *l, uint32_t size, const char *text)
{
    int64_t id = 0;
    ken_facts f = scn_facts(size, &l->arena);
    ken_refs r = scn_refs(&f, &l->arena);
    ken_import import = { .module = KEN_STR("m"), .line = 1 };
    ken_bind binds[] = {
        { .module = KEN_STR("m"), .name = KEN_STR("two"), .kind = KEN_BIND_NAME },
        { .module = KEN_STR("m"), .name = KEN_STR("one"), .kind = KEN_BIND_NAME },
        { .module = KEN_STR("m"), .name = KEN_STR("one"), .kind = KEN_BIND_NAME },
        { .module = KEN_STR("n"), .name = KEN_STR("none"), .kind = KEN_BIND_NAME },
    };
    f.imports = &import;
    f.n_imports = 1;
    r.binds = binds;
    r.n_binds = 4;
    ken_content_key key = scn_key(size);
    ken_buf facts = { 0 };
    ken_facts_pack(&f, &facts);
    const ken_packed packed = { .facts = ken_buf_str(&facts),
                                .plain_refs = &r,
                                .text = { text, text ? strlen(text) : 0 } };
    kt_ok_err(ken_store_add_content(l->s, &key, &f, &packed, &id, &err), &err);
    ken_buf_release(&facts);
    return id;
}

static void begin(lab *l)
{
    kt_ok_err(ken_store_begin_write(l->s, &err), &err);
}

static void commit(lab *l)
{
    kt_ok_err(ken_store_commit(l->s, &err), &err);
}

static int64_t count(const lab *l, const char *table)
{
    char sql[100];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM ken.%s", table);
    return lab_number(l->url, sql);
}

static void check_counts(const lab *l, const int64_t want[N_TABLES])
{
    for (int i = 0; i < N_TABLES; i++)
        kt_eq_i(count(l, tables[i]), want[i]);
}

#define NEEDS_POSTGRES()     \
    if (!lab_has_postgres()) \
    kt_skip("postgres", "KEN_TEST_DATABASE_URL is not set")

KEN_TEST(rows_come_and_go_with_their_content)
{
    NEEDS_POSTGRES();
    lab l = { 0 };
    uint64_t n_removed = 0;
    open_lab(&l, (ken_database_opts){ 0 });
    begin(&l);
    int64_t kept = add(&l, 1003, "kept"), gone = add(&l, 1002, "gone");
    kt_ok_err(
        ken_store_put_file(l.s, &(ken_file_row){ .path = KEN_STR("a"), .content = kept }, &err),
        &err);
    commit(&l);
    check_counts(&l, (const int64_t[]){ 5, 4, 2, 5, 2 });
    kt_eq_i(lab_number(l.url, "SELECT count(*) FROM ken.content_import WHERE names = '{one,two}'"),
            2);
    begin(&l);
    (void)add(&l, 1004, NULL);
    ken_store_rollback(l.s);
    check_counts(&l, (const int64_t[]){ 5, 4, 2, 5, 2 });
    begin(&l);
    const int64_t both[] = { kept, gone }; // a file has the first
    kt_ok_err(ken_store_collect_some(l.s, both, 2, &err), &err);
    commit(&l);
    check_counts(&l, (const int64_t[]){ 3, 2, 1, 3, 1 });
    begin(&l);
    (void)add(&l, 1004, NULL);
    kt_ok_err(ken_store_collect(l.s, &n_removed, &err), &err);
    kt_eq_u(n_removed, 1);
    commit(&l);
    check_counts(&l, (const int64_t[]){ 3, 2, 1, 3, 1 });
    ken_store_close(l.s);
    l.s = NULL;
    kt_ok_err(ken_store_erase(&(ken_store_opts){ .path = "index", .database = l.db }, &err), &err);
    check_counts(&l, (const int64_t[]){ 0, 0, 0, 0, 0 });
    kt_eq_i(count(&l, "content") + count(&l, "file"), 0);
    close_lab(&l);
}

static void put_vectors(lab *l, int64_t content)
{
    enum {
        N_DIMS = 64,
        N_ROWS = 3
    };
    int8_t values[N_DIMS * N_ROWS];
    const float scales[N_ROWS] = { 0.01F, 0.01F, 0.01F };
    memset(values, 1, sizeof values);
    const ken_store_vectors v = { .model = "model",
                                  .n_dims = N_DIMS,
                                  .content = content,
                                  .values = values,
                                  .scales = scales,
                                  .n = N_ROWS };
    kt_ok_err(ken_store_put_vectors(l->s, &v, &err), &err);
}

KEN_TEST(rows_of_vectors_go_with_their_content)
{
    NEEDS_POSTGRES();
    lab l = { 0 };
    uint64_t n_removed = 0;
    ken_database_vectors there = { 0 };
    open_lab(&l, (ken_database_opts){ .vectors = "on" });
    kt_ok_err(ken_database_get_vectors(l.db, &there, &err), &err);
    kt_true(there.is_on);
    begin(&l);
    for (uint32_t i = 0; i < 4; i++) {
        int64_t id = add(&l, 1003 + i, "text");
        put_vectors(&l, id);
        if (!i)
            kt_ok_err(ken_store_put_file(
                          l.s, &(ken_file_row){ .path = KEN_STR("a"), .content = id }, &err),
                      &err);
    }
    commit(&l);
    kt_eq_i(count(&l, "embeddings"), 12);
    begin(&l);
    const int64_t some[] = { 1, 2, 3 }; // a file has the first
    kt_ok_err(ken_store_collect_some(l.s, some, 3, &err), &err);
    commit(&l);
    kt_eq_i(lab_number(l.url, "SELECT count(*) FROM ken.embeddings WHERE content_id IN (1, 4)"), 6);
    kt_eq_i(count(&l, "embeddings"), 6);
    begin(&l);
    kt_ok_err(ken_store_collect(l.s, &n_removed, &err), &err);
    kt_eq_u(n_removed, 1);
    commit(&l);
    kt_eq_i(count(&l, "embeddings"), 3);
    ken_store_close(l.s);
    l.s = NULL;
    kt_ok_err(ken_store_erase(&(ken_store_opts){ .path = "index", .database = l.db }, &err), &err);
    kt_eq_i(count(&l, "embeddings"), 0);
    close_lab(&l);
}

// Rows of a database of schema 6, where a foreign key removed them.
KEN_TEST(rows_of_vectors_are_there_after_each_step)
{
    enum {
        WITH_KEY = 6
    };
    NEEDS_POSTGRES();
    static const char keys[] = "SELECT count(*) FROM pg_constraint WHERE contype = 'f' "
                               "AND conrelid = 'ken.embeddings'::regclass";
    const ken_database_opts opts = { .vectors = "on" };
    lab l = { 0 };
    open_lab(&l, opts);
    begin(&l);
    int64_t id = add(&l, 1003, "text");
    put_vectors(&l, id);
    commit(&l);
    kt_eq_i(lab_number(l.url, keys), 0);
    ken_store_close(l.s);
    kt_ok_err(ken_database_downgrade(l.db, WITH_KEY, &err), &err);
    kt_true(lab_number(l.url, keys) > 0);
    ken_database_close(l.db);
    const ken_database_opts again = { .url = l.url, .vectors = "on" };
    kt_ok_err(ken_database_open(&again, &l.db, &err), &err);
    kt_ok_err(ken_store_open(&(ken_store_opts){ .path = "index", .database = l.db }, &l.s, &err),
              &err);
    kt_ok_err(ken_database_check_schema(l.db, &err), &err);
    kt_eq_i(lab_number(l.url, keys), 0);
    kt_eq_i(count(&l, "embeddings"), 3);
    begin(&l);
    kt_ok_err(ken_store_collect_some(l.s, &id, 1, &err), &err);
    commit(&l);
    kt_eq_i(count(&l, "embeddings"), 0);
    close_lab(&l);
}

KEN_TEST(rows_of_a_superseded_content_stay_while_a_file_has_it)
{
    NEEDS_POSTGRES();
    lab l = { 0 };
    open_lab(&l, (ken_database_opts){ 0 });
    begin(&l);
    int64_t first = add(&l, 1003, "text");
    kt_ok_err(
        ken_store_put_file(l.s, &(ken_file_row){ .path = KEN_STR("a"), .content = first }, &err),
        &err);
    commit(&l);
    begin(&l);
    for (uint32_t i = 0; i < 40; i++) // enough for the hashes of all to be loaded
        (void)add(&l, 2003 + 5 * i, "text");
    int64_t second = add(&l, 1003, "text"), third = add(&l, 1003, "text");
    commit(&l);
    kt_true(first < second && second < third);
    kt_eq_i(count(&l, "content_symbol"), 3 * 43);
    kt_eq_i(lab_number(l.url, "SELECT count(*) FROM ken.content WHERE feature IS NULL"), 2);
    close_lab(&l);
}

KEN_TEST(a_text_is_kept_unless_a_setting_leaves_it_out)
{
    NEEDS_POSTGRES();
    for (int is_out = 0; is_out < 2; is_out++) {
        lab l = { 0 };
        ken_str text = KEN_STR("");
        open_lab(&l, (ken_database_opts){ .leaves_text_out = is_out,
                                          .relations = is_out ? KEN_RELATIONS_NO_REFERENCES
                                                              : KEN_RELATIONS_ALL });
        begin(&l);
        int64_t with = add(&l, 1003, "gr\303\266\303\237er"), without = add(&l, 1002, NULL);
        kt_status(ken_store_load_text(l.s, with, &l.arena, &text, &err),
                  is_out ? KEN_ENOTFOUND : KEN_OK);
        commit(&l);
        kt_status(ken_store_load_text(l.s, without, &l.arena, &text, &err), KEN_ENOTFOUND);
        kt_status(ken_store_load_text(l.s, with, &l.arena, &text, &err),
                  is_out ? KEN_ENOTFOUND : KEN_OK);
        if (!is_out)
            kt_eq_text(text, "gr\303\266\303\237er");
        check_counts(&l, is_out ? (const int64_t[]){ 5, 4, 2, 0, 0 }
                                : (const int64_t[]){ 5, 4, 2, 5, 1 });
        close_lab(&l);
    }
}

KEN_TEST(parts_of_a_text_are_whole_characters)
{
    NEEDS_POSTGRES();
    static const struct {
        const char *arguments, *is;
    } rows[] = {
        { "'gr\303\266\303\237er', 'UTF8'), true, 0, 3", "gr\303\266" }, // ends inside of one
        { "'gr\303\266\303\237er', 'UTF8'), true, 3, 99", "\303\237er" },
        { "'gr\303\266\303\237er', 'UTF8'), true, -5, 2", "gr" },
        { "'gr\303\266', 'LATIN1'), false, 0, 3", "gr\303\266" },
    };
    const char *url = lab_new_migrated_url();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char sql[300];
        snprintf(sql, sizeof sql, "SELECT (ken.slice(convert_to(%s) = '%s')::int",
                 rows[i].arguments, rows[i].is);
        kt_eq_i(lab_number(url, sql), 1);
    }
    kt_eq_i(lab_number(url, "SELECT (ken.slice('\\x610062', false, 0, 3) = 'a b')::int"), 1);
    kt_eq_i(lab_number(url, "SELECT (ken.slice('abc', true, 2, 2) IS NULL)::int"), 1);
    kt_eq_i(lab_number(url, "SELECT (ken.text_of('\\x61ff') = 'a\303\277')::int"), 1);
}

static ken_store_lacking find_lacking(lab *l)
{
    ken_store_lacking out;
    kt_ok_err(ken_store_find_lacking(l->s, &l->arena, &out, &err), &err);
    return out;
}

// As of an index that was moved here.
KEN_TEST(rows_that_are_lacking_are_found_and_put)
{
    NEEDS_POSTGRES();
    lab l = { 0 };
    open_lab(&l, (ken_database_opts){ 0 });
    begin(&l);
    int64_t whole = add(&l, 1003, "whole"), bare = add(&l, 1002, NULL),
            unused = add(&l, 1004, NULL);
    const int64_t both[] = { whole, bare };
    static const char *const paths[] = { "a", "b" };
    for (int i = 0; i < 2; i++)
        kt_ok_err(
            ken_store_put_file(
                l.s, &(ken_file_row){ .path = ken_str_c(paths[i]), .content = both[i] }, &err),
            &err);
    commit(&l);
    ken_store_lacking lacking = find_lacking(&l);
    kt_false(lacking.is_known);
    kt_eq_u(lacking.n_vectors, 0);
    size_t n_bare = 0;
    for (size_t i = 0; i < lacking.n_contents; i++) {
        n_bare += lacking.contents[i] == bare;
        kt_true(lacking.contents[i] != unused);
    }
    kt_eq_u(n_bare, 1);
    ken_facts f = scn_facts(1002, &l.arena);
    ken_refs r = scn_refs(&f, &l.arena);
    const ken_store_rows rows = { .content = bare,
                                  .facts = f,
                                  .packed = { .plain_refs = &r, .text = KEN_STR("late") } };
    begin(&l);
    kt_ok_err(ken_store_put_rows(l.s, &rows, 1, &err), &err);
    kt_ok_err(ken_store_note_rows(l.s, &err), &err);
    commit(&l);
    kt_eq_i(lab_number(l.url, "SELECT count(*) FROM ken.content_symbol"), 3 + 2 + 4);
    lacking = find_lacking(&l);
    kt_true(lacking.is_known);
    kt_eq_u(lacking.n_contents, 0);
    // Texts of several, in the order of the question.
    const int64_t ids[] = { bare, unused, whole, 999 };
    ken_str texts[4];
    kt_ok_err(ken_store_load_texts(l.s, ids, 4, &l.arena, texts, &err), &err);
    kt_true(ken_str_eq_c(texts[0], "late") && ken_str_eq_c(texts[2], "whole"));
    kt_null(texts[1].ptr);
    kt_null(texts[3].ptr);
    // The same when they are expected.
    kt_ok_err(ken_store_begin_read(l.s, &err), &err);
    kt_ok_err(ken_store_expect_contents(l.s, ids, 4, KEN_EXPECT_TEXT, &err), &err);
    kt_ok_err(ken_store_load_text(l.s, whole, &l.arena, &texts[0], &err), &err);
    kt_eq_text(texts[0], "whole");
    kt_ok_err(ken_store_load_text(l.s, bare, &l.arena, &texts[0], &err), &err);
    kt_eq_text(texts[0], "late");
    kt_status(ken_store_load_text(l.s, unused, &l.arena, &texts[0], &err), KEN_ENOTFOUND);
    kt_status(ken_store_load_text(l.s, 999, &l.arena, &texts[0], &err), KEN_ENOTFOUND);
    commit(&l);
    // What is noted holds for these settings.
    begin(&l);
    kt_ok_err(ken_store_put_value(l.s, KEN_STR(KEN_STORE_ROWS_KEPT), (ken_str){ NULL, 0 }, &err),
              &err);
    commit(&l);
    kt_false(find_lacking(&l).is_known);
    close_lab(&l);
}
