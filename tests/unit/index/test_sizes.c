// SPDX-License-Identifier: MIT
// How large an index was, by generation: the counts are those of a fresh index, whatever came between, and what is kept
// is bounded.
#include "lang/lang.h"
#include "unit/index/index_lab.h"

enum {
    KEPT = 128,
    VALUE_MOST = 6 * 1024, // bytes of 128 rows of small changes
};

static index_lab l;

static size_t load(index_lab *of, ken_index_sizes **out)
{
    size_t n = 0;
    kt_ok_err(ken_index_load_sizes(of->store, &of->arena, out, &n, &of->err), &of->err);
    return n;
}

static ken_index_sizes last(index_lab *of)
{
    ken_index_sizes *list = NULL;
    size_t n = load(of, &list);
    kt_true(n > 0);
    return list[n - 1];
}

static uint64_t bytes_of(const ken_index_sizes *s, ken_lang_id lang)
{
    for (size_t i = 0; i < s->n_langs; i++)
        if (!strcmp(s->langs[i].language, ken_lang_name(lang)))
            return s->langs[i].n_bytes;
    return 0;
}

// The last row of this index is that of one which is made now.
static void check_like_fresh(void)
{
    index_lab other = l;
    static int n_made;
    char db[40];
    snprintf(db, sizeof db, "index/fresh%d.db", n_made++);
    other.store = lab_open_store(ktest_path(db), false);
    ken_arena_init(&other.arena, 0);
    lab_run(&other);
    ken_index_sizes is = last(&l), wanted = last(&other);
    kt_eq_u(is.n_files, wanted.n_files);
    kt_eq_u(is.n_chunks, wanted.n_chunks);
    kt_eq_u(is.n_symbols, wanted.n_symbols);
    kt_eq_u(is.n_lines, wanted.n_lines);
    kt_eq_u(is.n_bytes, wanted.n_bytes);
    kt_eq_u(is.n_langs, wanted.n_langs);
    for (size_t i = 0; i < is.n_langs; i++) {
        kt_eq_str(is.langs[i].language, wanted.langs[i].language);
        kt_eq_u(is.langs[i].n_files, wanted.langs[i].n_files);
        kt_eq_u(is.langs[i].n_bytes, wanted.langs[i].n_bytes);
    }
    kt_true(is.segment_bytes > 0 && is.store_bytes > is.segment_bytes / 4);
    lab_end(&other);
}

KEN_TEST(each_generation_has_a_row_with_its_languages)
{
    lab_start(&l);
    lab_write(&l, "a.py", "def a():\n    return 1\n");
    lab_write(&l, "b.py", "def b():\n    return 2\n");
    lab_write(&l, "c.c", "int c;\n");
    lab_run(&l);
    check_like_fresh();
    ken_index_sizes one = last(&l);
    kt_eq_u(one.generation, l.report.generation);
    kt_eq_i(one.at_ms, l.report.at_ms);
    kt_eq_str(one.langs[0].language, "python");
    kt_eq_u(one.langs[0].n_files, 2);
    lab_write(&l, "c.c", "int c, d;\n");  // changed
    lab_write(&l, "d.go", "package d\n"); // new
    lab_remove(&l, "a.py");
    lab_run(&l);
    check_like_fresh();
    lab_move(&l, "c.c", "c.h");
    lab_write(&l, "b.py", ""); // empty
    lab_run(&l);
    check_like_fresh();
    l.opts.is_forced = true;
    lab_run(&l);
    check_like_fresh();
    l.opts.is_forced = false;
    ken_index_sizes *rows = NULL;
    kt_eq_u(load(&l, &rows), 4);
    for (size_t i = 1; i < 4; i++)
        kt_true(rows[i].generation > rows[i - 1].generation && rows[i].at_ms >= rows[i - 1].at_ms);
    lab_run(&l); // nothing new
    kt_eq_u(load(&l, &rows), 4);
    lab_end(&l);
}

static void put_value(const char *bytes, size_t n)
{
    ken_str value = bytes ? ken_str_n(bytes, n) : (ken_str){ NULL, 0 };
    kt_ok_err(ken_store_write_value(l.store, KEN_STR(KEN_INDEX_SIZES), value, &l.err), &l.err);
}

KEN_TEST(rows_that_are_gone_or_damaged_are_begun_anew)
{
    ken_index_sizes *rows = NULL;
    ken_str kept = { "", 0 };
    lab_start(&l);
    lab_write(&l, "a.py", "def a():\n    return 1\n");
    lab_write(&l, "c.c", "int c;\n");
    lab_run(&l);
    kt_ok(ken_store_load_value(l.store, KEN_STR(KEN_INDEX_SIZES), &l.arena, &kept, &l.err));
    for (size_t n = 0; n <= kept.len + 1; n++) {
        char *text = ken_arena_alloc(&l.arena, kept.len + 2);
        memcpy(text, kept.ptr, kept.len);
        text[kept.len] = text[kept.len + 1] = 'x';
        if (n != kept.len) {
            put_value(text, n);
            kt_eq_u(load(&l, &rows), 0);
        }
    }
    put_value("\x07 of another version", 21);
    kt_eq_u(load(&l, &rows), 0);
    lab_write(&l, "d.go", "package d\n");
    lab_run(&l);
    kt_eq_u(load(&l, &rows), 1);
    check_like_fresh(); // the languages of files that were there were counted
    put_value(NULL, 0);
    lab_write(&l, "e.go", "package e\n");
    lab_run(&l);
    kt_eq_u(load(&l, &rows), 1);
    check_like_fresh();
    lab_end(&l);
}

KEN_TEST(many_generations_are_kept_sparsely)
{
    enum {
        MANY = 300
    };
    ken_index_sizes *rows = NULL;
    ken_str kept = { "", 0 };
    uint64_t first = 0;
    lab_start(&l);
    for (int i = 0; i < MANY; i++) {
        char text[80];
        snprintf(text, sizeof text, "int value_%d(void) { return %d; }\n", i, i * 7);
        lab_write(&l, i % 3 ? "a.c" : "b.c", text);
        lab_run(&l);
        first = first ? first : l.report.generation;
    }
    size_t n = load(&l, &rows);
    kt_true(n <= KEPT && n >= KEPT / 2);
    kt_eq_u(rows[0].generation, first);
    kt_eq_u(rows[n - 1].generation, l.report.generation);
    for (size_t i = 1; i < n; i++) {
        kt_true(rows[i].generation > rows[i - 1].generation);
        if (i > n - KEPT / 4) // the newest are all there
            kt_eq_u(rows[i].generation, rows[i - 1].generation + 1);
        kt_eq_u(bytes_of(&rows[i], KEN_LANG_C), rows[i].n_bytes);
    }
    kt_ok(ken_store_load_value(l.store, KEN_STR(KEN_INDEX_SIZES), &l.arena, &kept, &l.err));
    kt_true(kept.len < VALUE_MOST);
    lab_end(&l);
}
