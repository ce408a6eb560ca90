// SPDX-License-Identifier: MIT
// A path where a symbol is expected is never taken for a member of something else.
#include "query/query_graph.h"
#include "unit/query/calls_lab.h"

static void write_files(void)
{
    start("src/retry.c", "int wait_long(int n)\n{\n    return n;\n}\n");
    lab_write(&l, "src/other.h",
              "struct letter {\n    char c;\n    int run;\n};\n"
              "static inline int read(struct letter *l) { return l->c + l->run; }\n");
    lab_write(&l, "src/pen.c",
              "struct pen {\n    int c;\n};\nint ink(struct pen *p) { return p->c; }\n");
    lab_write(&l, "lib/twice.c", "int one(void) { return 1; }\n");
    lab_write(&l, "old/twice.c", "int two(void) { return 2; }\n");
    lab_write(&l, "tools/run.py", "def go():\n    return 1\n");
    lab_write(&l, "tools/job.py", "def run():\n    return 1\n");
    go();
}

static const char *usages_error(const char *name)
{
    ken_usages u;
    ken_usages_opts o = { .name = ken_str_c(name) };
    l.err.msg[0] = '\0';
    kt_status(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), KEN_ENOTFOUND);
    return l.err.msg;
}

static void says(const char *text, const char *part)
{
    if (!strstr(text, part))
        kt_eq_str(text, part);
}

KEN_TEST(the_path_of_a_file_is_no_symbol)
{
    write_files();
    static const char *const paths[] = { "src/retry.c", "./src/retry.c", "retry.c" };
    for (size_t i = 0; i < 3; i++) {
        says(usages_error(paths[i]), "it is a file, 'src/retry.c'");
        ken_trace t;
        ken_trace_opts to = { .entry = ken_str_c(paths[i]) };
        kt_status(ken_trace_execution(snap, &to, NULL, &l.arena, &t, &l.err), KEN_ENOTFOUND);
        says(l.err.msg, "it is a file, 'src/retry.c'");
        ken_definition_result d;
        ken_definition_opts o = { .name = ken_str_c(paths[i]) };
        kt_ok_err(ken_find_definition(snap, &o, &l.arena, &d, &l.err), &l.err);
        kt_eq_u(d.n_defs + d.n_suggestions, 0);
        says(ken_definition_near(&d, &l.arena).ptr, "it is a file, 'src/retry.c'");
        ken_search_result r;
        ken_search_opts so = { .mode = KEN_SEARCH_SYMBOL };
        kt_ok_err(ken_search(snap, ken_str_c(paths[i]), &so, NULL, &l.arena, &r, &l.err), &l.err);
        kt_eq_u(r.n_hits + r.n_total, 0);
        says(r.note.ptr, "it is a file, 'src/retry.c'");
    }
    says(usages_error("twice.c"), "it is a file, 'lib/twice.c', 'old/twice.c'");
    end();
}

KEN_TEST(a_path_that_no_file_has_is_said_to_be_gone)
{
    write_files();
    says(usages_error("src/gone.c"), "no file of the index has it");
    says(usages_error("other/retry.c"), "near paths: 'src/retry.c'");
    says(usages_error("src/lib"), "no definition of 'src/lib'");
    says(usages_error("tools"), "no definition of 'tools'");
    end();
}

KEN_TEST(a_member_of_what_a_file_is_called_after_is_a_symbol)
{
    write_files();
    ken_usages u;
    ken_usages_opts o = { .name = KEN_STR("pen.c") }; // the file src/pen.c, too
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_text(u.defs[0].qualified, "pen.c");
    kt_eq_u(u.n_total, 1);
    says(usages_error("src/pen.c"), "it is a file, 'src/pen.c'");
    o.name = KEN_STR("job/run"); // in the file job
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_text(u.defs[0].path, "tools/job.py");
    o.name = KEN_STR("src/other.h:run");
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_text(u.defs[0].qualified, "letter.run");
    end();
}

KEN_TEST(the_impact_of_a_path_is_that_of_its_file)
{
    write_files();
    ken_impact i;
    ken_impact_opts o = { .symbol = KEN_STR("src/retry.c") };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &i, &l.err), &l.err);
    kt_eq_u(i.n_changed, 1);
    kt_eq_text(i.changed[0].node.name, "wait_long");
    kt_eq_text(i.changed_files[0], "src/retry.c");
    o.symbol = KEN_STR("retry.c");
    kt_status(ken_query_impact(snap, &o, NULL, &l.arena, &i, &l.err), KEN_ENOTFOUND);
    says(l.err.msg, "it is a file, 'src/retry.c'");
    end();
}
