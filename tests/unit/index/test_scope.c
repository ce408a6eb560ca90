// SPDX-License-Identifier: MIT
// What an index is limited to is remembered, and nothing is taken out of it by mistake.
#include "unit/index/index_lab.h"

static index_lab l;

static void make_tree(void)
{
    lab_start(&l);
    lab_write(&l, "a.c", "int a(void)\n{\n    return 1;\n}\n");
    lab_write(&l, "b.c", "int b(void)\n{\n    return 1;\n}\n");
    lab_write(&l, "c.c", "int c(void)\n{\n    return 1;\n}\n");
    lab_write(&l, "d.py", "def d():\n    return 1\n");
}

static ken_status limit(const char *glob, bool may_shrink)
{
    static ken_str include[1];
    include[0] = ken_str_c(glob);
    l.opts.scan.include = include;
    l.opts.scan.n_include = 1;
    l.opts.scope = (ken_index_scope){ .has_include = true, .may_shrink = may_shrink };
    ken_status st = lab_try(&l, NULL);
    l.opts.scan.n_include = 0;
    l.opts.scope = (ken_index_scope){ 0 };
    return st;
}

KEN_TEST(f3_a_scope_that_empties_an_index_must_be_meant)
{
    make_tree();
    kt_eq_u(lab_run(&l)->n_files, 4);
    kt_status(limit("*.py", false), KEN_EINVAL);
    kt_has_str(l.err.msg, "3 of 4 files");
    kt_has_str(l.err.msg, "--only");
    kt_eq_u(lab_generation(&l), 1);
    kt_ok_err(limit("*.py", true), &l.err);
    kt_eq_u(l.report.n_files, 1);
    kt_eq_u(l.report.n_removed, 3);
    lab_end(&l);
}

static ken_status list_files(void *ctx, const ken_file_row **out, size_t *out_n, ken_err *err)
{
    ken_file_row *rows = NULL;
    (void)ctx;
    ken_status st = ken_store_begin_read(l.store, err);
    if (!st)
        st = ken_store_load_files(l.store, &l.arena, &rows, out_n, NULL, err);
    *out = rows;
    return st;
}

static ken_status look(ken_index_look_report *out)
{
    ken_status st =
        ken_index_look(l.store, l.root, &l.opts, list_files, NULL, NULL, &l.arena, out, &l.err);
    ken_store_rollback(l.store);
    return st;
}

KEN_TEST(f3_a_scope_is_kept_until_it_is_cleared)
{
    make_tree();
    kt_ok_err(limit("*.py", false), &l.err); // nothing is there yet that it could take away
    kt_eq_u(l.report.n_files, 1);
    lab_write(&l, "e.c", "int e(void)\n{\n    return 1;\n}\n");
    lab_write(&l, "f.py", "def f():\n    return 1\n");
    kt_eq_u(lab_run(&l)->n_files, 2);
    kt_eq_str(ken_arena_dup(&l.arena, l.report.scope).ptr, "include *.py\n");
    ken_index_look_report seen = { 0 };
    kt_ok_err(look(&seen), &l.err);
    kt_eq_u(seen.n_added + seen.n_removed, 0);
    l.opts.scope.is_cleared = true;
    kt_eq_u(lab_run(&l)->n_files, 6);
    l.opts.scope.is_cleared = false;
    kt_eq_u(l.report.scope.len, 0);
    kt_eq_u(lab_run(&l)->n_files, 6);
    lab_end(&l);
}

KEN_TEST(a_look_counts_what_a_run_would_find)
{
    make_tree();
    lab_run(&l);
    lab_write(&l, "a.c", "int a(void)\n{\n    return 22;\n}\n");
    lab_write(&l, "g.c", "int g(void)\n{\n    return 1;\n}\n");
    lab_remove(&l, "d.py");
    ken_index_look_report seen = { 0 };
    kt_ok_err(look(&seen), &l.err);
    kt_false(seen.is_current);
    kt_eq_u(seen.n_added, 1);
    kt_eq_u(seen.n_modified, 1);
    kt_eq_u(seen.n_removed, 1);
    kt_eq_u(seen.generation, 1);
    kt_eq_u(lab_generation(&l), 1);
    lab_run(&l);
    kt_ok_err(look(&seen), &l.err);
    kt_eq_u(seen.n_added + seen.n_modified + seen.n_removed, 0);
    lab_end(&l);
}
