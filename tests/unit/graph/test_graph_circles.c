// SPDX-License-Identifier: MIT
// Questions that lead back to themselves end.
#include "graph_lab.h"
#include "ktest.h"

KEN_TEST(the_owner_of_a_method_may_be_named_like_a_variable)
{
    static const graph_lab_file files[] = {
        { "own.cpp", "int Foo;\n"
                     "void Foo::bar() { baz(); }\n"
                     "void Foo::baz() { }\n" },
    };
    graph_lab lab;
    graph_lab_open(&lab, files, 1);
    graph_lab_expect(&lab, "own.cpp:2 Foo", "own.cpp:1 Foo scoped");
    graph_lab_close(&lab);
}

KEN_TEST(modules_that_are_each_other_are_borne)
{
    static const graph_lab_file files[] = {
        { "a.js", "module.exports = require('./b');\n" },
        { "b.js", "module.exports = require('./a');\n" },
        { "c.js", "require('./a').open();\n"
                  "const x = require('./b');\n"
                  "x.y.z();\n" },
    };
    graph_lab lab;
    graph_lab_open(&lab, files, 3);
    graph_lab_expect(&lab, "c.js:1 open", "external");
    graph_lab_expect(&lab, "c.js:3 z", "external");
    graph_lab_close(&lab);
}
