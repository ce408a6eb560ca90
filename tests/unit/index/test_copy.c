// SPDX-License-Identifier: MIT
// A copy of an index answers as the index does; what the target had and shares stays; the run after it
// parses nothing.
#include "unit/index/index_lab.h"

enum {
    FILES = 40,
    ROUNDS = 6, // of runs: segments, and contents that no file has any more
};

static index_lab l;
static ken_err err;

static const char *const queries[] = { "stop the worker", "read a line", "file_3", "counts",
                                       "open" };

static void write_files(uint32_t round)
{
    for (uint32_t i = 0; i < FILES; i++) {
        char path[64];
        if (round && lab_pick(3))
            continue;
        snprintf(path, sizeof path, "d%u/file_%u.%s", i % 4, i, i % 2 ? "py" : "c");
        ken_buf b = KEN_BUF_INIT(0);
        lab_put_code(&b, path);
        ken_buf_printf(&b, "%s round_%u\n", i % 2 ? "#" : "//", round);
        lab_write(&l, path, b.ptr);
        ken_buf_release(&b);
    }
}

static void make_index(void)
{
    lab_start(&l);
    lab_seed(5);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        write_files(round);
        lab_run(&l);
    }
}

static ken_status copy_into(ken_store *to, ken_index_copy_report *out)
{
    const ken_index_copy_opts opts = { .root = ken_str_c(l.root) };
    kt_ok_err(ken_store_begin_write(to, &err), &err);
    ken_status st = ken_index_copy(l.store, to, &opts, NULL, out, &err);
    if (st) {
        ken_store_rollback(to);
        return st;
    }
    kt_ok_err(ken_store_commit(to, &err), &err);
    kt_ok_err(ken_store_verify(to, &err), &err);
    return KEN_OK;
}

// Another lab over the same folder, with an index of its own.
static index_lab start_other(const char *db)
{
    index_lab other = {
        .clock_s = l.clock_s, .db = ktest_path(db), .root = l.root, .opts = l.opts
    };
    ken_arena_init(&other.arena, 0);
    other.store = lab_open_store(other.db, false);
    return other;
}

static void check_same_answers(index_lab *other)
{
    char *a = lab_describe(&l, queries, sizeof queries / sizeof *queries);
    char *b = lab_describe(other, queries, sizeof queries / sizeof *queries);
    kt_eq_str(b, a);
    ken_free(a);
    ken_free(b);
}

KEN_TEST(a_copy_into_a_new_index_answers_as_the_index_does)
{
    make_index();
    index_lab other = start_other("index/copy.db");
    ken_index_copy_report r;
    kt_ok_err(copy_into(other.store, &r), &err);
    kt_eq_u(r.n_files, FILES);
    kt_eq_u(r.n_shared, 0);
    kt_eq_u(r.generation, 1);
    check_same_answers(&other);
    lab_end(&other);
    lab_end(&l);
}

KEN_TEST(the_run_after_a_copy_parses_nothing)
{
    make_index();
    index_lab other = start_other("index/copy.db");
    ken_index_copy_report r;
    kt_ok_err(copy_into(other.store, &r), &err);
    const ken_index_report *run = lab_run(&other);
    kt_eq_u(run->n_parsed, 0);
    kt_eq_u(run->n_unchanged, FILES);
    check_same_answers(&other);
    lab_write(&other, "d1/new.c", "int brand_new(void)\n{\n    return 1;\n}\n");
    run = lab_run(&other);
    kt_eq_u(run->n_parsed, 1);
    kt_eq_u(run->n_added, 1);
    lab_end(&other);
    lab_end(&l);
}

KEN_TEST(what_the_target_has_is_shared_and_its_other_files_go)
{
    make_index();
    index_lab other = start_other("index/copy.db");
    lab_write(&l, "only/here.c", "int only_here(void)\n{\n    return 2;\n}\n");
    lab_run(&other);
    lab_remove(&l, "only/here.c");
    write_files(ROUNDS);
    lab_run(&l);
    uint64_t before = lab_generation(&other);
    ken_index_copy_report r;
    kt_ok_err(copy_into(other.store, &r), &err);
    kt_true(r.n_shared > 0);
    kt_true(r.n_added > 0);
    kt_eq_u(r.generation, before + 1);
    check_same_answers(&other);
    kt_eq_u(lab_run(&other)->n_parsed, 0);
    check_same_answers(&other);
    lab_end(&other);
    lab_end(&l);
}

KEN_TEST(a_copy_holds_nothing_but_the_generation)
{
    make_index();
    index_lab other = start_other("index/copy.db");
    ken_index_copy_report r;
    kt_ok(ken_store_begin_write(l.store, NULL));
    kt_ok(ken_store_put_value(l.store, KEN_STR("embed.active_record"), KEN_STR("http://x"), NULL));
    kt_ok(ken_store_put_value(l.store, KEN_STR("some.note"), KEN_STR("mine"), NULL));
    kt_ok(ken_store_commit(l.store, NULL));
    kt_ok_err(copy_into(other.store, &r), &err);
    ken_value_info *values;
    size_t n = 0;
    kt_ok(ken_store_list_values(other.store, &other.arena, &values, &n, NULL));
    for (size_t i = 0; i < n; i++) {
        kt_false(ken_str_eq_c(values[i].key, "some.note"));
        kt_false(ken_str_eq_c(values[i].key, "embed.active_record"));
    }
    uint64_t n_removed = 1;
    kt_ok(ken_store_begin_write(other.store, NULL));
    kt_ok(ken_store_collect(other.store, &n_removed, NULL));
    ken_store_rollback(other.store);
    kt_eq_u(n_removed, 0); // no content came along that no file has
    ken_file_row *rows;
    kt_ok(ken_store_load_files(other.store, &other.arena, &rows, &n, NULL, NULL));
    for (size_t i = 0; i < n; i++)
        kt_eq_u(rows[i].stamp.inode, 0);
    lab_end(&other);
    lab_end(&l);
}

KEN_TEST(an_index_without_a_generation_is_no_source)
{
    lab_start(&l);
    index_lab other = start_other("index/copy.db");
    ken_index_copy_report r;
    kt_status(copy_into(other.store, &r), KEN_ENOTFOUND);
    kt_eq_u(lab_generation(&other), 0);
    lab_end(&other);
    lab_end(&l);
}
