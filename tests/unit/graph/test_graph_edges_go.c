// SPDX-License-Identifier: MIT
// Go: methods on types of every shape, structs without a name, what is written.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "go.mod", "module example.com/shop\n\ngo 1.22\n" },
    { "shop/named.go", "package shop\n"
                       "\n"
                       "type Lines []Line\n"
                       "type Line struct{ Price int }\n"
                       "func (l Lines) Sum() int { return len(l) }\n"
                       "type Stock map[string]Lines\n"
                       "func (s Stock) Has(name string) bool { return s[name] != nil }\n"
                       "type Step func(Line) Lines\n"
                       "func (f Step) Run() Lines { return f(Line{}) }\n"
                       "type Ready chan Line\n"
                       "func (r Ready) Wait() Line { return <-r }\n"
                       "type Count int\n"
                       "func (c Count) Up() Count { return c + 1 }\n"
                       "type Copy Line\n"
                       "func (c Copy) Twice() int { return 2 * c.Price }\n"
                       "type Other = Lines\n"
                       "type Of[T any] []T\n"
                       "func (o Of[T]) First() T { return o[0] }\n" },
    { "shop/use.go", "package shop\n"
                     "\n"
                     "func use(l Lines, s Stock, f Step, r Ready, c Count, o Other, g Of[Line]) {\n"
                     "\tl.Sum()\n"
                     "\tl[0].Price = 1\n"
                     "\ts.Has(\"a\")\n"
                     "\ts[\"b\"].Sum()\n"
                     "\tf.Run().Sum()\n"
                     "\tf(Line{}).Sum()\n"
                     "\tr.Wait()\n"
                     "\tc.Up().Up()\n"
                     "\to.Sum()\n"
                     "\tg.First()\n"
                     "\tfor _, each := range s {\n"
                     "\t\teach.Sum()\n"
                     "\t}\n"
                     "\tLines{}.Sum()\n"
                     "\tStep(nil).Run()\n"
                     "\tmade := make(Lines, 3)\n"
                     "\tmade.Sum()\n"
                     "}\n" },
    { "shop/with.go", "package shop\n"
                      "\n"
                      "var table = []struct {\n"
                      "\tname string\n"
                      "\tline Line\n"
                      "}{\n"
                      "\t{name: \"a\", line: Line{Price: 1}},\n"
                      "}\n"
                      "func each() {\n"
                      "\tfor _, row := range table {\n"
                      "\t\tprint(row.name)\n"
                      "\t\tprint(row.line.Price)\n"
                      "\t}\n"
                      "\tlocal := struct{ at, to *Line }{}\n"
                      "\tlocal.to.Price += 2\n"
                      "}\n" },
};

KEN_TEST(methods_on_named_slices_maps_functions_and_channels)
{
    static const char *const edges[][2] = {
        { "shop/use.go:4 Sum", "shop/named.go:5 Sum scoped" },
        { "shop/use.go:6 Has", "shop/named.go:7 Has scoped" },
        { "shop/use.go:8 Run", "shop/named.go:9 Run scoped" },
        { "shop/use.go:10 Wait", "shop/named.go:11 Wait scoped" },
        { "shop/use.go:11 Up", "shop/named.go:13 Up scoped" },
        { "shop/use.go:12 Sum", "shop/named.go:5 Sum scoped" },
        { "shop/use.go:17 Sum", "shop/named.go:5 Sum scoped" },
        { "shop/use.go:18 Run", "shop/named.go:9 Run scoped" },
        { "shop/use.go:20 Sum", "shop/named.go:5 Sum scoped" },
    };
    CHECK(edges);
}

KEN_TEST(what_named_types_are_made_of)
{
    static const char *const edges[][2] = {
        { "shop/use.go:5 Price", "shop/named.go:4 Price scoped" },
        { "shop/use.go:7 Sum", "shop/named.go:5 Sum scoped" },
        { "shop/use.go:8 Sum", "shop/named.go:5 Sum scoped" },
        { "shop/use.go:9 Sum", "shop/named.go:5 Sum scoped" },
        { "shop/use.go:13 First", "shop/named.go:18 First scoped" },
        { "shop/use.go:15 Sum", "shop/named.go:5 Sum scoped" },
        { "shop/named.go:15 Price", "shop/named.go:4 Price scoped" },
    };
    CHECK(edges);
}

KEN_TEST(fields_of_structs_without_a_name)
{
    static const char *const edges[][2] = {
        { "shop/with.go:7 name", "shop/with.go:4 name exact" },
        { "shop/with.go:7 Price", "shop/named.go:4 Price scoped" },
        { "shop/with.go:11 name", "shop/with.go:4 name exact" },
        { "shop/with.go:12 line", "shop/with.go:5 line exact" },
        { "shop/with.go:12 Price", "shop/named.go:4 Price scoped" },
        { "shop/with.go:15 to", "shop/with.go:14 to exact" },
        { "shop/with.go:15 Price", "shop/named.go:4 Price scoped" },
    };
    CHECK(edges);
}
