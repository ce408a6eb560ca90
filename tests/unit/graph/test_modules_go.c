// SPDX-License-Identifier: MIT
// Go: what an import path names, and what a file sees of its own package.
#include "ktest.h"
#include "modules_tree.h"

KEN_TEST(modules_go_a_package_is_the_files_of_a_folder)
{
    static const modules_file files[] = {
        { "go.mod", "// comment\nmodule \"example.com/app\" // the app\n\ngo 1.22\n", "" },
        { "main.go", "", "main" },
        { "util/a.go", "", "util" },
        { "util/b.go", "", "util" },
        { "util/gen.go", "", "main" },
        { "util/a_test.go", "", "util" },
        { "util/x_test.go", "", "util_test" },
        { "util/notes.txt", "", "" },
        { "util/deep/c.go", "", "deep" },
    };
    modules_tree t;
    modules_open(&t, files, 9);
    modules_expect(&t, "main.go", "example.com/app/util", "util/a.go util/b.go");
    modules_expect(&t, "main.go", "example.com/app/util/deep", "util/deep/c.go");
    modules_expect(&t, "util/x_test.go", "example.com/app/util", "util/a.go util/b.go");
    modules_expect(&t, "main.go", "example.com/app", "main.go");
    modules_expect(&t, "main.go", "example.com/app/gone", "unknown");
    modules_expect(&t, "main.go", "example.com/application", "external");
    modules_expect(&t, "main.go", "./util", "util/a.go util/b.go");
    modules_expect(&t, "main.go", "fmt", "external");
    modules_expect(&t, "main.go", "net/http", "external");
    modules_expect(&t, "main.go", "C", "external");
    modules_expect_around(&t, "util/a.go", "util/a.go util/b.go");
    modules_expect_around(&t, "util/a_test.go", "util/a.go util/a_test.go util/b.go");
    modules_expect_around(&t, "util/x_test.go", "util/x_test.go");
    kt_eq_u(t.n_read, 1); // its manifest is read once
    modules_close(&t);
}

KEN_TEST(modules_go_replace_work_and_other_modules)
{
    static const modules_file files[] = {
        { "go.work", "go 1.22\nuse (\n\t./app // here\n\t./lib\n)\n", "" },
        { "app/go.mod",
          "module m/app\nreplace (\n m/old => ../old\n m/out => ../../out\n)\n"
          "replace m/web v1.0.0 => m/web v1.1.0\n",
          "" },
        { "app/main.go", "", "main" },
        { "lib/go.mod", "module m/lib", "" },
        { "lib/l.go", "", "lib" },
        { "old/go.mod", "module m/renamed", "" },
        { "old/x/o.go", "", "x" },
        { "web/go.mod", "module m/web", "" },
        { "web/w.go", "", "web" },
        { "web/v2/go.mod", "module m/web/v2", "" },
        { "web/v2/w.go", "", "web" },
    };
    modules_tree t;
    modules_open(&t, files, 11);
    modules_expect(&t, "app/main.go", "m/lib", "lib/l.go");
    modules_expect(&t, "app/main.go", "m/old/x", "old/x/o.go");
    modules_expect(&t, "app/main.go", "m/web", "guess web/w.go");
    modules_expect(&t, "app/main.go", "m/web/v2", "guess web/v2/w.go");
    modules_expect(&t, "app/main.go", "m/out", "external");
    modules_close(&t);
}

KEN_TEST(modules_go_vendor_and_trees_without_modules)
{
    static const modules_file files[] = {
        { "cmd/tool/main.go", "", "main" },
        { "pkg/log/log.go", "", "log" },
        { "log/log.go", "", "log" },
        { "vendor/github.com/x/y/go.mod", "module github.com/x/y", "" },
        { "vendor/github.com/x/y/y.go", "", "y" },
    };
    modules_tree t;
    modules_open(&t, files, 5);
    modules_expect(&t, "cmd/tool/main.go", "github.com/x/y", "vendor/github.com/x/y/y.go");
    modules_expect(&t, "cmd/tool/main.go", "github.com/me/prog/pkg/log", "guess pkg/log/log.go");
    modules_expect(&t, "cmd/tool/main.go", "log", "external");
    modules_close(&t);
}

KEN_TEST(modules_go_two_modules_of_one_path)
{
    static const modules_file files[] = {
        { "a/go.mod", "module m", "" },   { "a/p/a.go", "", "p" },
        { "b/go.mod", "module m", "" },   { "b/p/b.go", "", "p" },
        { "b/x/go.mod", "module x", "" }, { "b/x/x.go", "", "x" },
    };
    modules_tree t;
    modules_open(&t, files, 6);
    modules_expect(&t, "a/p/a.go", "m/p", "a/p/a.go");
    modules_expect(&t, "b/p/b.go", "m/p", "b/p/b.go");
    modules_expect(&t, "b/x/x.go", "m/p", "guess b/p/b.go");
    modules_close(&t);
}

KEN_TEST(modules_go_broken_manifests_are_passed_over)
{
    static const modules_file files[] = {
        { "go.mod", "module", "" },
        { "go.work", "use ((((\n)))\nuse ../../..", "" },
        { "a/go.mod", "module (\n\n x/a\n)\nreplace =>\nreplace x/b => ./\nreplace x/c => ../a",
          "" },
        { "a/a.go", "", "a" },
        { "b.go", "", "b" },
    };
    modules_tree t;
    modules_open(&t, files, 5);
    modules_expect(&t, "a/a.go", "x/a", "a/a.go");
    modules_expect(&t, "a/a.go", "x/b", "a/a.go");
    modules_expect(&t, "a/a.go", "x/c", "a/a.go");
    modules_expect(&t, "a/a.go", "../../x", "unknown");
    modules_expect(&t, "a/a.go", "/a", "external");
    modules_expect(&t, "a/a.go", "x//a/../a", "external");
    modules_expect(&t, "b.go", "x/a", "guess a/a.go");
    modules_close(&t);
}
