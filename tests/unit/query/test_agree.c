// SPDX-License-Identifier: MIT
// Usages, impact, traces and explanations count the same places, and say what was not meant.
#include "base/buf.h"
#include "unit/query/calls_lab.h"

enum {
    N_CALLERS = 40 // more than an explanation lists, and more than an impact lists
};

static void write_callers(void)
{
    start("core.py", "class Box:\n"
                     "    def seal(self): pass\n"
                     "\n"
                     "def pack(x):\n"
                     "    if x: pack(x - 1)\n"
                     "    return x\n");
    ken_buf b = KEN_BUF_INIT(0);
    ken_buf_puts(&b, "from core import pack\n\npack(0)\n\n");
    for (int i = 0; i < N_CALLERS; i++)
        ken_buf_printf(&b, "def use%d():\n    pack(1)\n    pack(2)\n\n", i);
    lab_write(&l, "uses.py", ken_buf_str(&b).ptr);
    ken_buf_release(&b);
    lab_write(&l, "test_core.py", "from core import pack\n\ndef test_pack():\n    pack(3)\n");
    lab_write(&l, "old/core.py", "def pack(y):\n    return y\n");
    go();
}

KEN_TEST(all_answers_count_the_same_places)
{
    write_callers();
    ken_usages u;
    ken_usages_opts uo = { .name = KEN_STR("pack"),
                           .file_hint = KEN_STR("core.py"),
                           .limit = 1000 };
    kt_ok_err(ken_find_usages(snap, &uo, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_text(u.defs[0].path, "core.py");
    kt_eq_u(u.n_by_role[KEN_REF_CALL], 2 * N_CALLERS + 3); // the top of a file, itself, a test
    kt_eq_u(u.n_by_role[KEN_REF_IMPORT], 2);

    ken_impact i;
    ken_impact_opts io = { .symbol = KEN_STR("pack"), .file_hint = KEN_STR("core.py"), .limit = 5 };
    kt_ok_err(ken_query_impact(snap, &io, NULL, &l.arena, &i, &l.err), &l.err);
    kt_eq_u(i.n_places, u.n_total);
    kt_eq_u(i.n_by_distance[1], N_CALLERS + 1); // with the top of the file, without itself
    kt_eq_u(i.n_tests_total, 1);

    ken_trace t;
    ken_trace_opts to = { .entry = KEN_STR("pack"),
                          .file_hint = KEN_STR("core.py"),
                          .direction = KEN_TRACE_CALLERS };
    kt_ok_err(ken_trace_execution(snap, &to, NULL, &l.arena, &t, &l.err), &l.err);
    kt_eq_u(t.n_usages, u.n_total);
    kt_eq_u(t.n_direct, N_CALLERS + 2); // itself and the test, without the top of the file
    kt_true(t.steps[0].n_cut > 0);

    ken_explanation e;
    kt_ok_err(ken_explain(snap, KEN_STR("core.py"), 3, 5, NULL, &l.arena, &e, &l.err), &l.err);
    kt_eq_text(e.symbol.name, "pack");
    kt_eq_u(e.n_usages, u.n_total);
    kt_eq_u(e.n_callers_total + e.n_tests_total, t.n_direct);
    kt_true(e.n_callers < e.n_callers_total);
    kt_eq_u(e.callers[0].line, UINT32_MAX); // the place is not among the lines explained
    end();
}

KEN_TEST(how_much_is_shown_changes_no_risk)
{
    write_callers();
    ken_impact few, all;
    ken_impact_opts o = { .symbol = KEN_STR("pack"), .file_hint = KEN_STR("core.py"), .limit = 5 };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &few, &l.err), &l.err);
    o.limit = 200;
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &all, &l.err), &l.err);
    kt_true(few.is_truncated && !all.is_truncated);
    kt_true(few.risk == all.risk);
    kt_eq_u(few.n_reasons, all.n_reasons);
    end();
}

KEN_TEST(an_impact_says_what_was_not_meant)
{
    write_callers();
    ken_impact i;
    ken_impact_opts o = { .symbol = KEN_STR("Crate.seal") };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &i, &l.err), &l.err);
    kt_eq_text(i.missed_scope, "Crate");
    o = (ken_impact_opts){ .symbol = KEN_STR("Box.seal") };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &i, &l.err), &l.err);
    kt_eq_u(i.missed_scope.len, 0);
    kt_eq_u(i.n_others, 0);
    o = (ken_impact_opts){ .symbol = KEN_STR("pack"), .file_hint = KEN_STR("core.py") };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &i, &l.err), &l.err);
    kt_eq_u(i.n_others, 1);
    kt_eq_text(i.others[0].path, "old/core.py");
    end();
}

KEN_TEST(nested_types_of_one_name_share_nothing)
{
    start("list.cc", "template <typename T> class List {\n"
                     "    class Cursor {\n"
                     "        void Prev();\n"
                     "    };\n"
                     "};\n"
                     "template <typename T> void List<T>::Cursor::Prev() {}\n"
                     "class Ring {\n"
                     "public:\n"
                     "    class Cursor {\n"
                     "    public:\n"
                     "        void Prev();\n"
                     "    };\n"
                     "};\n"
                     "void Ring::Cursor::Prev() {}\n"
                     "class Cursor {\n"
                     "public:\n"
                     "    void Prev() {}\n"
                     "};\n"
                     "void turn(Cursor *c, Ring::Cursor *r) {\n"
                     "    c->Prev();\n"
                     "    r->Prev();\n"
                     "}\n");
    go();
    static const struct {
        const char *name;
        uint32_t n, line; // calls; where the first is
    } wanted[] = { { "list.cc:6", 0, 0 }, { "list.cc:14", 1, 20 }, { "list.cc:17", 1, 19 } };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        ken_usages u;
        ken_usages_opts o = { .name = ken_str_c(wanted[i].name), .roles = 1u << KEN_REF_CALL };
        kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
        kt_eq_text(u.defs[0].name, "Prev");
        kt_eq_u(u.n_total, wanted[i].n);
        if (u.n_total)
            kt_eq_u(u.files[0].usages[0].line, wanted[i].line);
    }
    end();
}

// ---- which of several definitions is meant -----------------------------------------------------

static ken_usages usages_of(const char *name)
{
    ken_usages u;
    ken_usages_opts o = { .name = ken_str_c(name) };
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    return u;
}

KEN_TEST(of_one_name_the_most_used_is_meant)
{
    start("a_bench.c", "typedef struct peer { int fd; } *peer;\n"
                       "static void drop(peer p) { p->fd = 0; }\n");
    lab_write(&l, "net.h", "typedef struct peer { int id; } peer;\nvoid greet(peer *p);\n");
    lab_write(&l, "net.c",
              "#include \"net.h\"\n"
              "void greet(peer *p) { p->id = 1; }\n"
              "void leave(peer *p) { p->id = 2; }\n"
              "int is_in(peer *p) { return p->id; }\n");
    go();
    ken_usages u = usages_of("peer");
    kt_eq_text(u.defs[0].path, "net.h");
    kt_true(u.chosen.is_most_used);
    kt_eq_u(u.n_defs, 1); // the struct and its name are one place
    kt_eq_u(u.n_others, 1);
    kt_eq_u(u.chosen.n_others_total, 1);
    kt_eq_text(u.others[0].path, "a_bench.c");
    ken_impact i;
    ken_impact_opts io = { .symbol = KEN_STR("peer") };
    kt_ok_err(ken_query_impact(snap, &io, NULL, &l.arena, &i, &l.err), &l.err);
    kt_eq_text(i.changed[0].node.path, "net.h");
    kt_eq_u(i.n_others, 1);
    ken_usages_opts hinted = { .name = KEN_STR("peer"), .file_hint = KEN_STR("a_bench") };
    kt_ok_err(ken_find_usages(snap, &hinted, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_text(u.defs[0].path, "a_bench.c");
    end();
}

// A script that starts its own main says nothing; of equal ones the longest is the program.
KEN_TEST(of_mains_the_longest_outside_of_tests_is_meant)
{
    start("a_check.c", "int main(void) { return 0; }\n");
    lab_write(&l, "server.c",
              "static void serve(void) {}\nint main(void)\n{\n    serve();\n    return 0;\n}\n");
    lab_write(&l, "tests/t.c", "int main(void)\n{\n\n\n\n\n\n    return 0;\n}\n");
    lab_write(&l, "tool.py", "def main():\n    pass\n\nmain()\n");
    go();
    ken_usages u = usages_of("main");
    kt_eq_text(u.defs[0].path, "server.c");
    kt_false(u.chosen.is_most_used);
    kt_eq_u(u.chosen.n_others_total, 3);
    ken_trace t;
    ken_trace_opts o = { .entry = KEN_STR("main") };
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    kt_eq_text(t.steps[0].node.path, "server.c");
    kt_eq_u(t.n_direct, 1);
    end();
}

KEN_TEST(a_trace_begins_at_what_can_call)
{
    start("a.py", "class Box:\n    size = 1\n\ndef area(b):\n    return Box.size * Box.size\n");
    lab_write(&l, "b.py", "def size():\n    pass\n");
    go();
    kt_eq_text(usages_of("size").defs[0].path, "a.py");
    ken_trace t;
    ken_trace_opts o = { .entry = KEN_STR("size") };
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    kt_eq_text(t.steps[0].node.path, "b.py");
    end();
}

KEN_TEST(others_beyond_the_list_are_counted)
{
    start("f0.c", "static int pick(void) { return 0; }\nint use(void) { return pick(); }\n");
    for (int i = 1; i < 70; i++) {
        ken_str path = ken_arena_printf(&l.arena, "f%d.c", i);
        lab_write(&l, path.ptr, "static int pick(void) { return 1; }\n");
    }
    go();
    ken_usages u = usages_of("pick");
    kt_eq_text(u.defs[0].path, "f0.c");
    kt_eq_u(u.n_others, 49);
    kt_eq_u(u.chosen.n_others_total, 69);
    end();
}

// ---- tests that are not parsed -----------------------------------------------------------------

static ken_impact impact_of(const char *name)
{
    ken_impact i;
    ken_impact_opts o = { .symbol = ken_str_c(name) };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &i, &l.err), &l.err);
    return i;
}

KEN_TEST(tests_that_are_not_parsed_are_told)
{
    start("a.c", "int add(int a) { return a; }\nint twice(int a) { return add(add(a)); }\n");
    lab_write(&l, "tests/unit/add.tcl", "test {adding} { add 1 }\n");
    lab_write(&l, "tests/unit/sub.tcl", "test {taking} { sub 1 }\n");
    go();
    ken_impact i = impact_of("add");
    kt_eq_u(i.test_files.n_parsed, 0);
    kt_eq_u(i.test_files.n_unparsed, 2);
    kt_eq_text(i.reasons[1],
               "no test was parsed; 2 files that look like tests are in a language without a "
               "grammar, so not looked at");
    lab_close(snap);
    lab_write(&l, "tests/other.c", "int other(void) { return 1; }\n");
    go();
    i = impact_of("add");
    kt_eq_u(i.test_files.n_parsed, 1);
    kt_has_str(i.reasons[1].ptr, "no test reaches it in 3 steps; 2 files");
    lab_close(snap);
    lab_write(&l, "tests/other.c", "int add(int a);\nint other(void) { return add(1); }\n");
    go();
    i = impact_of("add");
    kt_eq_u(i.n_tests_total, 1);
    kt_eq_u(i.n_reasons, 1);
    end();
}

// ---- names -------------------------------------------------------------------------------------

// `typedef struct reader { … } reader` is one thing.
KEN_TEST(a_name_has_its_owner_once)
{
    start("reader.h", "typedef struct reader {\n    int task;\n} reader;\n");
    go();
    ken_definition_result d;
    ken_definition_opts o = { .name = KEN_STR("task") };
    kt_ok_err(ken_find_definition(snap, &o, &l.arena, &d, &l.err), &l.err);
    kt_eq_u(d.n_defs, 1);
    kt_eq_text(d.defs[0].qualified, "reader.task");
    end();
}

KEN_TEST(the_risk_is_the_same_at_every_depth_and_each_dependent_has_a_way)
{
    start("a.py", "def base():\n    return 1\n\nclass Kind:\n    pass\n");
    lab_write(&l, "b.py", "from a import base, Kind\n\ndef one(k: Kind):\n    return base()\n");
    lab_write(&l, "c.py", "from b import one\n\ndef two():\n    return one(0)\n");
    lab_write(&l, "d.py", "from c import two\n\ndef three():\n    return two()\n");
    lab_write(&l, "e.py", "from d import three\n\ndef four():\n    return three()\n");
    lab_write(&l, "test_c.py", "from c import two\n\ndef test_two():\n    assert two()\n");
    go();
    ken_impact at[6];
    for (uint32_t depth = 1; depth <= 5; depth++) {
        ken_impact_opts o = { .symbol = KEN_STR("base"), .max_depth = depth };
        kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &at[depth], &l.err), &l.err);
        kt_near(at[depth].risk, at[1].risk, 1e-12);
        kt_eq_u(at[depth].n_reasons, at[1].n_reasons);
        for (size_t i = 0; i < at[depth].n_reasons; i++)
            kt_true(ken_str_eq(at[depth].reasons[i], at[1].reasons[i]));
        kt_eq_u(at[depth].n_dependents, depth < 4 ? depth : 4);
        kt_eq_u(at[depth].n_tests_total, depth < 3 ? 0 : 1);
    }
    static const char *const names[] = { "one", "two", "three", "four" };
    for (size_t i = 0; i < 4; i++) {
        kt_eq_text(at[5].dependents[i].node.name, names[i]);
        kt_eq_text(at[5].dependents[i].via.name, i ? names[i - 1] : "base");
    }
    kt_eq_text(at[5].tests[0].via.name, "two");
    ken_impact file;
    ken_impact_opts o = { .path = KEN_STR("a.py") };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &file, &l.err), &l.err);
    for (size_t i = 0; i < file.n_dependents; i++)
        kt_true(file.dependents[i].via.name.len > 0);
    o = (ken_impact_opts){ .symbol = KEN_STR("Kind") }; // a type is used, and never called
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &file, &l.err), &l.err);
    kt_true(file.n_dependents > 0);
    kt_eq_text(file.dependents[0].node.name, "one");
    kt_eq_text(file.dependents[0].via.name, "Kind");
    end();
}

KEN_TEST(what_tests_share_is_none_of_the_tests)
{
    start("a.py", "def base():\n    return 1\n");
    lab_write(&l, "tests/lab.py",
              "from a import base\n\ndef check(n):\n    return base() + n\n\n"
              "def check_twice():\n    return check(1) + check(2)\n");
    lab_write(&l, "tests/test_a.py",
              "from lab import check, check_twice\nfrom a import base\n\n"
              "def test_near():\n    assert base()\n\ndef test_far():\n    assert check(1)\n\n"
              "def test_farther():\n    assert check_twice()\n");
    go();
    ken_impact i;
    ken_impact_opts o = { .symbol = KEN_STR("base") };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &i, &l.err), &l.err);
    kt_eq_u(i.n_tests_total, 3);
    kt_eq_text(i.tests[0].node.name, "test_near");
    kt_eq_text(i.tests[1].node.name, "test_far");
    kt_eq_text(i.tests[2].node.name, "test_farther");
    kt_eq_u(i.tests[2].distance, 3);
    for (size_t k = 0; k < 3; k++) // what tests share is not shown: the way leads past it
        kt_eq_text(i.tests[k].via.name, "base");
    o.max_depth = 2; // what uses check_twice is too far, and it still is no test
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &i, &l.err), &l.err);
    kt_eq_u(i.n_tests_total, 2);
    end();
}

// A runner without a framework, and a test that calls another: none of them is what tests share.
KEN_TEST(a_test_that_something_runs_is_still_a_test)
{
    start("a.c", "int base(void) { return 1; }\n");
    lab_write(&l, "a.h", "int base(void);\n");
    lab_write(&l, "tests/all.c",
              "#include \"../a.h\"\nstatic int near_by(void) { return base(); }\n"
              "static int far_off(void) { return base() + 1; }\n"
              "int main(void) { return near_by() + far_off(); }\n");
    lab_write(&l, "b.py", "def other():\n    return 1\n");
    lab_write(&l, "tests/test_b.py",
              "from b import other\n\ndef test_one():\n    assert other()\n\n"
              "def test_all():\n    test_one()\n");
    go();
    ken_impact i;
    ken_impact_opts o = { .symbol = KEN_STR("base") };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &i, &l.err), &l.err);
    kt_eq_u(i.n_tests_total, 3);
    kt_eq_text(i.tests[0].node.name, "near_by");
    kt_eq_text(i.tests[1].node.name, "far_off");
    kt_eq_text(i.tests[2].node.name, "main");
    o.symbol = KEN_STR("other");
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &i, &l.err), &l.err);
    kt_eq_u(i.n_tests_total, 2);
    kt_eq_text(i.tests[0].node.name, "test_one");
    kt_eq_text(i.tests[1].node.name, "test_all");
    end();
}

KEN_TEST(a_path_is_found_however_many_calls_it_has)
{
    enum {
        N_CALLS = 30
    };
    ken_buf b = KEN_BUF_INIT(0);
    ken_buf_puts(&b, "#include <stdlib.h>\nvoid f0(void) { free(0); }\n");
    for (int i = 1; i <= N_CALLS; i++)
        ken_buf_printf(&b, "void f%d(void) { f%d(); free(0); }\n", i, i - 1);
    start("a.c", ken_buf_str(&b).ptr);
    ken_buf_release(&b);
    go();
    ken_trace t;
    ken_trace_opts o = { .entry = KEN_STR("f30"), .to = KEN_STR("f0") };
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    kt_true(t.has_path);
    kt_eq_u(t.n_steps, N_CALLS + 1);
    o.max_depth = 5; // what was not looked at is said
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    kt_false(t.has_path);
    kt_eq_u(t.n_path_steps, 5);
    // Nothing here is called free: no way was lost there.
    kt_eq_u(t.n_stops_total, 0);
    end();
}
