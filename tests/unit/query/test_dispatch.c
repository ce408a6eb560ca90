// SPDX-License-Identifier: MIT
// Interfaces of Go lead to the types that have their methods; a path that is not found says where
// it is lost; names are told apart by their case, and by their line.
#include "unit/query/calls_lab.h"

static const char shapes[] = "package shapes\n"
                             "\n"
                             "type Shape interface {\n"
                             "\tArea(scale int) int\n"
                             "\tName() string\n"
                             "}\n"
                             "type Square struct{ side int }\n"
                             "func (s *Square) Area(scale int) int { return edge(s.side) }\n"
                             "func (s *Square) Name() string { return \"square\" }\n"
                             "type Circle int\n"
                             "func (c Circle) Area(scale int) int { return int(c) }\n"
                             "func (c Circle) Name() string { return \"circle\" }\n"
                             "type Half struct{}\n"
                             "func (h Half) Area(scale int) int { return 0 }\n"
                             "type Other struct{}\n"
                             "func (o Other) Area() int { return 0 }\n"
                             "func (o Other) Name() string { return \"other\" }\n"
                             "func edge(n int) int { return n }\n"
                             "func total(all []Shape) int {\n"
                             "\tn := 0\n"
                             "\tfor _, each := range all {\n"
                             "\t\tn += each.Area(2)\n"
                             "\t}\n"
                             "\treturn n\n"
                             "}\n"
                             "func (s *Square) own() int { return s.Area(1) }\n";

static void open_shapes(void)
{
    start("go.mod", "module example.com/shapes\n\ngo 1.22\n");
    lab_write(&l, "shapes.go", shapes);
}

static ken_trace traced(const char *entry, const char *to)
{
    ken_trace t;
    ken_trace_opts o = { .entry = ken_str_c(entry),
                         .to = ken_str_c(to),
                         .max_depth = to[0] ? 0 : 1 };
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    return t;
}

// "Shape.Area:scoped Square.Area:inferred"
static void callees(const char *entry, const char *expected)
{
    ken_trace t = traced(entry, "");
    ken_buf text = KEN_BUF_INIT(0);
    for (size_t i = 1; i < t.n_steps; i++)
        ken_buf_printf(&text, "%s" KEN_STR_FMT ":%s", i > 1 ? " " : "",
                       KEN_STR_ARG(t.steps[i].node.qualified),
                       ken_edge_class_word(t.steps[i].class));
    kt_eq_text(ken_buf_str(&text), expected);
    ken_buf_release(&text);
}

static ken_usages usages(const char *name)
{
    ken_usages u;
    ken_usages_opts o = { .name = ken_str_c(name) };
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    return u;
}

KEN_TEST(an_interface_leads_to_the_types_that_have_its_methods)
{
    open_shapes();
    go();
    callees("total", "Shape.Area:scoped Square.Area:inferred Circle.Area:inferred");
    ken_trace t = traced("total", "edge");
    kt_true(t.has_path);
    kt_eq_u(t.n_steps, 3);
    kt_eq_text(t.steps[1].evidence, "its type has all methods of the interface");
    end();
}

KEN_TEST(calls_of_an_interface_are_usages_of_what_implements_it)
{
    open_shapes();
    go();
    ken_usages u = usages("Circle.Area");
    kt_eq_u(u.n_total, 1);
    kt_eq_u(u.files[0].usages[0].class, KEN_EDGE_INFERRED);
    kt_eq_text(u.files[0].usages[0].evidence, "its type has all methods of the interface");
    kt_eq_u(usages("Square.Area").n_total, 2); // its own call as well
    kt_eq_u(usages("Half.Area").n_total, 0);
    kt_eq_u(usages("Other.Area").n_total, 0); // it takes nothing
    end();
}

KEN_TEST(unexported_methods_count_in_their_package_only)
{
    start("go.mod", "module example.com/m\n\ngo 1.22\n");
    lab_write(&l, "a/a.go",
              "package a\n\ntype Node interface{ node() }\ntype In struct{}\nfunc (In) node() {}\n"
              "func Walk(n Node) { n.node() }\n");
    lab_write(&l, "b/b.go", "package b\n\ntype Out struct{}\nfunc (Out) node() {}\n");
    go();
    callees("Walk", "Node.node:scoped In.node:inferred");
    end();
}

KEN_TEST(a_path_that_is_not_found_says_where_it_is_lost)
{
    open_shapes();
    lab_write(&l, "far.go",
              "package shapes\n\ntype Far interface{ Reach() }\n"
              "func begin(f Far) {\n\tf.Reach()\n}\nfunc goal() {}\n");
    go();
    ken_trace t = traced("begin", "goal");
    kt_false(t.has_path);
    kt_eq_u(t.n_stops_total, 1);
    kt_eq_u(t.n_stops, 1);
    kt_eq_text(t.stops[0].path, "far.go");
    kt_eq_u(t.stops[0].line, 4);
    kt_eq_text(t.stops[0].name, "Reach");
    kt_eq_text(t.stops[0].within, "begin");
    kt_true(t.stops[0].is_interface);
    kt_eq_u(traced("total", "goal").n_stops_total, 0); // everything was followed
    end();
}

// Of several definitions of a name the one that is meant most likely need not be the one with a way.
KEN_TEST(a_path_is_looked_for_from_each_definition_of_the_name)
{
    start("lib.py",
          "def begin():\n    pass\n\n\ndef one():\n    begin()\n\n\ndef two():\n    begin()\n");
    lab_write(&l, "far.py",
              "def begin():\n    step()\n\n\ndef step():\n    goal()\n\n\ndef goal():\n    pass\n");
    go();
    ken_trace t = traced("begin", "goal");
    kt_true(t.has_path);
    kt_eq_text(t.steps[0].node.path, "far.py");
    kt_eq_u(t.n_steps, 3);
    kt_not_null(t.tried);
    kt_eq_text(t.tried->path, "lib.py");
    kt_eq_u(t.n_others, 1);
    kt_eq_text(t.others[0].path, "lib.py");
    t = traced("begin", "one");
    kt_false(t.has_path);
    kt_eq_u(t.n_starts, 2);
    end();
}

// What the first search met at its depth and did not follow is a way of the second.
KEN_TEST(a_path_from_another_definition_may_be_the_shorter_one)
{
    start("lib.py",
          "def begin():\n    one()\n\n\ndef one():\n    two()\n\n\ndef two():\n    goal()\n\n\n"
          "def goal():\n    pass\n\n\ndef other():\n    begin()\n\n\ndef more():\n    begin()\n");
    lab_write(&l, "far.py", "from lib import two\n\n\ndef begin():\n    two()\n");
    go();
    ken_trace t;
    ken_trace_opts o = { .entry = KEN_STR("begin"), .to = KEN_STR("goal"), .max_depth = 2 };
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    kt_true(t.has_path);
    kt_eq_text(t.steps[0].node.path, "far.py");
    kt_eq_u(t.n_steps, 3);
    kt_eq_u(t.n_tried_steps, 2);
    o.max_depth = 1;
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    kt_false(t.has_path);
    kt_eq_u(t.n_path_steps, 1);
    end();
}

KEN_TEST(an_interface_of_ten_thousand_methods_is_bounded)
{
    ken_buf text = KEN_BUF_INIT(1 << 20);
    ken_buf_printf(&text, "package big\n\ntype All struct{}\n");
    for (int i = 0; i < 300; i++)
        ken_buf_printf(&text, "func (All) M%d() {}\n", i);
    ken_buf_printf(&text, "type Few struct{}\nfunc (Few) M7() {}\n"
                          "func run(b Big) { b.M7() }\ntype Big interface {\n");
    for (int i = 0; i < 10000; i++)
        ken_buf_printf(&text, "\tM%d()\n", i);
    ken_buf_printf(&text, "}\n");
    start("go.mod", "module example.com/big\n\ngo 1.22\n");
    lab_write_n(&l, "big.go", ken_buf_str(&text).ptr, ken_buf_str(&text).len);
    go();
    callees("run",
            "Big.M7:scoped All.M7:inferred"); // of which the first 256 methods are looked for
    end();
    ken_buf_release(&text);
}

KEN_TEST(the_case_of_name_and_owner_decides)
{
    start("go.mod", "module example.com/m\n\ngo 1.22\n");
    lab_write(&l, "a.go",
              "package m\n\ntype Writer interface{ Flush() }\ntype writer struct{}\n"
              "func (w *writer) Flush() {}\nfunc use(w *writer) { w.Flush() }\n");
    lab_write(&l, "b.go",
              "package m\n\nfunc (w *writer) Close() {}\n"
              "type closer struct{}\nfunc (c closer) Close() {}\n");
    go();
    ken_usages u = usages("writer.Flush");
    kt_eq_u(u.defs[0].first_line, 4);
    kt_eq_u(u.n_others, 0);
    kt_eq_u(usages("Writer.Flush").defs[0].first_line, 2);
    kt_eq_u(usages("WRITER.Flush").n_others, 1);           // any case, when none is right
    kt_eq_u(usages("writer.Close").defs[0].first_line, 2); // its type is in another file
    end();
}

KEN_TEST(a_line_means_the_definition_there)
{
    open_shapes();
    lab_write(&l, "sub/x.go", "package sub\n\nfunc One() {\n}\n");
    lab_write(&l, "sub/y/x.go", "package y\n\nfunc Two() {\n}\n");
    go();
    kt_eq_text(usages("shapes.go:11").defs[0].qualified, "Circle.Area");
    kt_eq_text(usages("shapes.go:22").defs[0].qualified, "total");
    kt_eq_text(usages("shapes.go:7").defs[0].qualified, "Square");
    kt_eq_text(usages("y/x.go:3").defs[0].qualified, "Two");
    ken_impact m;
    ken_impact_opts o = { .symbol = KEN_STR("shapes.go:18"), .num_similar = UINT32_MAX };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &m, &l.err), &l.err);
    kt_eq_u(m.n_dependents > 0, 1);
    kt_true(traced("shapes.go:19", "shapes.go:18").has_path);
    ken_usages u;
    ken_usages_opts bad = { .name = KEN_STR("x.go:3") };
    kt_eq_i(ken_find_usages(snap, &bad, NULL, &l.arena, &u, &l.err), KEN_EINVAL);
    kt_has_str(l.err.msg, "sub/x.go");
    bad.name = KEN_STR("shapes.go:2");
    kt_eq_i(ken_find_usages(snap, &bad, NULL, &l.arena, &u, &l.err), KEN_ENOTFOUND);
    kt_has_str(l.err.msg, "line 2");
    bad.name = KEN_STR("none.go:2");
    kt_eq_i(ken_find_usages(snap, &bad, NULL, &l.arena, &u, &l.err), KEN_ENOTFOUND);
    end();
}
