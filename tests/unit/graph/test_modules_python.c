// SPDX-License-Identifier: MIT
// What Python's modules name: relative, absolute, with and without __init__.py, roots of manifests.
#include "graph/graph_modules.h"
#include "ktest.h"
#include "modules_tree.h"

#define OPEN(t, files) modules_open((t), (files), sizeof(files) / sizeof *(files))

static void expect_name(modules_tree *t, const char *from, const char *module, const char *name,
                        const char *want)
{
    ken_module_ask ask = { .file = modules_find(t, from),
                           .module = ken_str_c(module),
                           .name = ken_str_c(name) };
    modules_check(t, &ask, want);
}

KEN_TEST(python_relative_modules_count_dots)
{
    static const modules_file files[] = {
        { "app/__init__.py", "", "" },     { "app/a.py", "", "" },
        { "app/sub/__init__.py", "", "" }, { "app/sub/b.py", "", "" },
        { "app/sub/c.pyi", "", "" },       { "app/sub/d/e.py", "", "" },
        { "app/a/__init__.py", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "app/sub/b.py", ".", "app/sub/__init__.py");
    modules_expect(&t, "app/sub/b.py", "..", "app/__init__.py");
    modules_expect(&t, "app/sub/b.py", "..a", "app/a/__init__.py");
    modules_expect(&t, "app/sub/b.py", ".c", "app/sub/c.pyi");
    modules_expect(&t, "app/sub/b.py", "..sub.b", "app/sub/b.py");
    modules_expect(&t, "app/sub/b.py", ".d", "unknown");
    expect_name(&t, "app/sub/b.py", ".d", "e", "app/sub/d/e.py");
    expect_name(&t, "app/sub/b.py", ".", "c", "app/sub/c.pyi");
    expect_name(&t, "app/sub/b.py", "..", "sub", "app/sub/__init__.py");
    expect_name(&t, "app/sub/b.py", "..", "nothing", "unknown");
    modules_expect(&t, "app/sub/b.py", "...", "unknown");
    modules_expect(&t, "app/sub/b.py", "....x", "external");
    modules_close(&t);
}

KEN_TEST(python_absolute_modules_are_below_roots)
{
    static const modules_file files[] = {
        { "src/lib1/__init__.py", "", "" },   { "src/lib1/core.py", "", "" },
        { "src/lib1/json.py", "", "" },       { "src/lib1/deep/__init__.py", "", "" },
        { "src/lib1/deep/x.py", "", "" },     { "tests/test_core.py", "", "" },
        { "tests/helpers.py", "", "" },       { "tools/run.py", "", "" },
        { "tools/common.py", "", "" },        { "tools/logging.py", "", "" },
        { "other/pkg2/__init__.py", "", "" }, { "other/pkg2/y.py", "", "" },
        { "plain/space/z.py", "", "" },       { "src/lib1/both.py", "", "" },
        { "src/lib1/both.pyi", "", "" },      { "test/__init__.py", "", "" },
        { "test/util.py", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "tests/test_core.py", "lib1", "src/lib1/__init__.py");
    modules_expect(&t, "tests/test_core.py", "lib1.core", "src/lib1/core.py");
    modules_expect(&t, "src/lib1/deep/x.py", "lib1.core", "src/lib1/core.py");
    modules_expect(&t, "src/lib1/deep/x.py", "lib1.both", "src/lib1/both.py");
    modules_expect(&t, "src/lib1/core.py", "json", "external");
    modules_expect(&t, "src/lib1/core.py", "lib1.core.Thing", "src/lib1/core.py + Thing");
    expect_name(&t, "src/lib1/core.py", "lib1.core", "Thing", "unknown");
    expect_name(&t, "src/lib1/core.py", "typing", "Any", "external");
    expect_name(&t, "tests/test_core.py", "lib1", "deep", "src/lib1/deep/__init__.py");
    modules_expect(&t, "tests/test_core.py", "helpers", "tests/helpers.py");
    modules_expect(&t, "tests/test_core.py", "tests.helpers", "tests/helpers.py");
    modules_expect(&t, "tools/run.py", "common", "tools/common.py");
    modules_expect(&t, "tools/run.py", "logging", "external");
    modules_expect(&t, "tools/run.py", "logging.handlers", "external");
    modules_expect(&t, "tools/run.py", "pkg2.y", "other/pkg2/y.py");
    modules_expect(&t, "tools/run.py", "test.util", "test/util.py");
    modules_expect(&t, "tools/run.py", "plain.space", ""); // a package of no files
    expect_name(&t, "tools/run.py", "plain.space", "z", "plain/space/z.py");
    modules_expect(&t, "tools/run.py", "plain.space.z", "plain/space/z.py");
    modules_expect(&t, "tools/run.py", "requests", "external");
    modules_expect(&t, "tools/run.py", "requests.adapters", "external");
    modules_close(&t);
}

KEN_TEST(python_manifests_name_roots)
{
    static const modules_file files[] = {
        { "a/pyproject.toml",
          "[tool.setuptools.packages.find]\nwhere = [\"code\"] # src\n[tool.pytest.ini_options]\n"
          "pythonpath = [\"./kit/in\", \"../../..\", \"/etc\"]\n",
          "" },
        { "a/code/ns/one.py", "", "" },
        { "a/kit/in/two.py", "", "" },
        { "a/t/x.py", "", "" },
        { "b/setup.cfg", "[options]\npackage_dir =\n    =sources\npackages = find:\n", "" },
        { "b/sources/three.py", "", "" },
        { "b/t/x.py", "", "" },
        { "c/setup.py", "setup(name='x', packages=find_packages('own'))", "" },
        { "c/own/four/five.py", "", "" },
        { "c/t/x.py", "", "" },
        { "d/pyproject.toml",
          "[tool.poetry]\npackages = [\n  { include = \"six\", from = \"lb\" },\n]\n", "" },
        { "d/lb/six/seven.py", "", "" },
        { "d/t/x.py", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "a/t/x.py", "ns.one", "a/code/ns/one.py");
    modules_expect(&t, "a/t/x.py", "two", "a/kit/in/two.py");
    modules_expect(&t, "b/t/x.py", "three", "b/sources/three.py");
    modules_expect(&t, "c/t/x.py", "four.five", "c/own/four/five.py");
    modules_expect(&t, "d/t/x.py", "six.seven", "d/lb/six/seven.py");
    modules_expect(&t, "d/t/x.py", "ns.one", "guess a/code/ns/one.py");
    modules_expect(&t, "d/t/x.py", "three", "external");
    modules_close(&t);
}

KEN_TEST(python_the_nearest_of_several_packages_is_a_guess)
{
    static const modules_file files[] = {
        { "x/one/app/__init__.py", "", "" },       { "x/two/app/__init__.py", "", "" },
        { "x/two/run/main.py", "", "" },           { "x/z/main.py", "", "" },
        { "x/two/more/app/__init__.py", "", "" },  { "x/zone/run.py", "", "" },
        { "x/zone/sub/tool/__init__.py", "", "" }, { "x/two/tool/__init__.py", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "x/two/run/main.py", "app", "x/two/app/__init__.py");
    modules_expect(&t, "x/z/main.py", "app", "unknown");
    modules_expect(&t, "x/zone/run.py", "tool", "guess x/zone/sub/tool/__init__.py");
    modules_close(&t);
}

KEN_TEST(python_bad_texts_are_unknown)
{
    static const modules_file files[] = { { "a.py", "", "" }, { "b.py", "", "" } };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "a.py", "../b", "unknown");
    modules_expect(&t, "a.py", "b/", "unknown");
    modules_expect(&t, "a.py", "b.", "unknown");
    modules_expect(&t, "a.py", "b..c", "b.py + .c");
    modules_expect(&t, "a.py", "b\n", "unknown");
    modules_expect(&t, "a.py", ".b", "b.py");
    modules_close(&t);
}
