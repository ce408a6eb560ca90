// SPDX-License-Identifier: MIT
// The frame of import resolution: layout of the tree, answers that are remembered, bad questions.
#include "graph/graph_modules.h"
#include "ktest.h"
#include "modules_tree.h"

KEN_TEST(modules_paths_beside_the_file_come_first)
{
    static const modules_file files[] = {
        { "a/main.glsl", "", "" },
        { "a/noise.glsl", "", "" },
        { "b/noise.glsl", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 3);
    modules_expect(&t, "a/main.glsl", "noise.glsl", "a/noise.glsl");
    modules_expect(&t, "a/main.glsl", "../b/noise.glsl", "b/noise.glsl");
    modules_close(&t);
}

KEN_TEST(modules_ends_of_paths_need_the_nearest_to_be_one)
{
    static const modules_file files[] = {
        { "lib/one/util.glsl", "", "" },
        { "lib/two/util.glsl", "", "" },
        { "lib/two/x/main.glsl", "", "" },
        { "main.glsl", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 4);
    modules_expect(&t, "lib/two/x/main.glsl", "util", "guess lib/two/util.glsl");
    modules_expect(&t, "main.glsl", "util", "unknown");
    modules_expect(&t, "main.glsl", "one/util", "guess lib/one/util.glsl");
    modules_expect(&t, "main.glsl", "ne/util", "unknown");
    modules_close(&t);
}

KEN_TEST(modules_bad_questions_are_unknown)
{
    static const modules_file files[] = { { "main.glsl", "", "" } };
    static char text[5000];
    memset(text, 'x', sizeof text - 1);
    modules_tree t;
    modules_open(&t, files, 1);
    modules_expect(&t, "main.glsl", "", "unknown");
    modules_expect(&t, "main.glsl", "../../etc/passwd", "unknown");
    modules_expect(&t, "main.glsl", "/main.glsl", "unknown");
    modules_expect(&t, "main.glsl", "///", "unknown");
    modules_expect(&t, "main.glsl", "..", "unknown");
    modules_expect(&t, "main.glsl", text, "unknown");
    ken_module out;
    ken_modules_resolve(t.modules, &(ken_module_ask){ .file = 7, .module = KEN_STR("x") }, &out);
    kt_eq_u(out.kind, KEN_MODULE_UNKNOWN);
    ken_modules_around(t.modules, 7, &out);
    kt_eq_u(out.kind, KEN_MODULE_UNKNOWN);
    modules_close(&t);
}

KEN_TEST(modules_an_empty_tree_knows_nothing)
{
    modules_tree t;
    modules_open(&t, NULL, 0);
    ken_module out;
    ken_modules_resolve(t.modules, &(ken_module_ask){ .module = KEN_STR("x") }, &out);
    kt_eq_u(out.kind, KEN_MODULE_UNKNOWN);
    modules_close(&t);
}
