// SPDX-License-Identifier: MIT
// C and C++: what an #include names.
#include "ktest.h"
#include "model/refs.h"
#include "modules_tree.h"

static void expect_system(modules_tree *t, const char *from, const char *module, const char *want)
{
    modules_check(t,
                  &(ken_module_ask){ .file = modules_find(t, from),
                                     .module = ken_str_c(module),
                                     .flags = KEN_BIND_SYSTEM },
                  want);
}

KEN_TEST(modules_c_quotes_look_beside_the_file_first)
{
    static const modules_file files[] = {
        { "a/x.h", "", "" }, { "a/main.c", "", "" }, { "b/x.h", "", "" },
        { "b/y.h", "", "" }, { "x.h", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 5);
    modules_expect(&t, "a/main.c", "x.h", "a/x.h");
    modules_expect(&t, "a/main.c", "./x.h", "a/x.h");
    modules_expect(&t, "a/main.c", "../b/y.h", "b/y.h");
    modules_expect(&t, "a/main.c", "b/y.h", "b/y.h"); // the root is above
    modules_expect(&t, "a/main.c", "y.h", "guess b/y.h");
    expect_system(&t, "a/main.c", "x.h", "a/x.h"); // as with -I.
    modules_close(&t);
}

KEN_TEST(modules_c_include_directories_of_cmake)
{
    static const modules_file files[] = {
        { "CMakeLists.txt",
          "project(x)\n"
          "target_include_directories(x PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/api>\n"
          "  PRIVATE \"${CMAKE_CURRENT_SOURCE_DIR}/hidden\" ${OTHER}/api2)\n",
          "" },
        { "third/lib/CMakeLists.txt", "include_directories(inc)", "" },
        { "api/x/x.h", "", "" },
        { "api2/x/x.h", "", "" },
        { "hidden/h.h", "", "" },
        { "third/lib/inc/lib.h", "", "" },
        { "src/a/main.c", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 7);
    modules_expect(&t, "src/a/main.c", "x/x.h", "api/x/x.h");
    expect_system(&t, "src/a/main.c", "x/x.h", "api/x/x.h");
    modules_expect(&t, "src/a/main.c", "h.h", "hidden/h.h");
    expect_system(&t, "src/a/main.c", "lib.h", "third/lib/inc/lib.h");
    modules_close(&t);
}

KEN_TEST(modules_c_include_directories_of_makefiles)
{
    static const modules_file files[] = {
        { "src/Makefile", "CFLAGS+= -O2 -I../deps/hiredis -I ../deps/lua/src -I../../../etc\n",
          "" },
        { "src/server.c", "", "" },
        { "deps/hiredis/hiredis.h", "", "" },
        { "deps/lua/src/lua.h", "", "" },
        { "deps/other/lua.h", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 5);
    expect_system(&t, "src/server.c", "lua.h", "deps/lua/src/lua.h");
    modules_expect(&t, "src/server.c", "hiredis.h", "deps/hiredis/hiredis.h");
    modules_close(&t);
}

KEN_TEST(modules_c_a_compilation_database_is_placed_by_its_files)
{
    static const modules_file files[] = {
        { "build/compile_commands.json",
          "[{\"directory\": \"/home/me/p/build\", \"file\": \"/home/me/p/lib/a.c\",\n"
          "  \"command\": \"cc -I/home/me/p/pub -isystem ../sys -I/usr/include -c a.c\"},\n"
          " {\"directory\": \"/home/me/p/build\", \"file\": \"../lib/b.c\",\n"
          "  \"arguments\": [\"cc\", \"-I\", \"/home/me/p/two\", \"-c\", \"b.c\"]}]",
          "" },
        { "lib/a.c", "", "" },
        { "pub/p.h", "", "" },
        { "sys/s.h", "", "" },
        { "two/t.h", "", "" },
        { "other/t.h", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 6);
    expect_system(&t, "lib/a.c", "p.h", "pub/p.h");
    expect_system(&t, "lib/a.c", "s.h", "sys/s.h");
    expect_system(&t, "lib/a.c", "t.h", "two/t.h");
    modules_close(&t);
}

KEN_TEST(modules_c_system_headers_are_not_of_the_tree)
{
    static const modules_file files[] = {
        { "src/main.c", "", "" },
        { "compat/string.h", "", "" },
        { "compat/zlib.h", "", "" },
        { "include/poll.h", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 4);
    expect_system(&t, "src/main.c", "stdio.h", "external");
    expect_system(&t, "src/main.c", "string.h", "external");
    expect_system(&t, "src/main.c", "vector", "external");
    expect_system(&t, "src/main.c", "zlib.h", "external");
    expect_system(&t, "src/main.c", "poll.h", "include/poll.h");
    modules_expect(&t, "src/main.c", "string.h", "external");
    modules_expect(&t, "src/main.c", "gone.h", "unknown");
    modules_close(&t);
}

KEN_TEST(modules_c_two_equally_near_headers_are_no_answer)
{
    static const modules_file files[] = {
        { "a/config.h", "", "" },
        { "b/config.h", "", "" },
        { "b/inner/x/use.cpp", "", "" },
        { "main.cpp", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 4);
    modules_expect(&t, "main.cpp", "config.h", "unknown");
    modules_expect(&t, "b/inner/x/use.cpp", "config.h", "b/config.h");
    modules_close(&t);
}

// A header that wraps one of the same name, and two that include each other.
KEN_TEST(modules_c_circles_end)
{
    static const modules_file files[] = {
        { "Makefile", "-Icompat", "" },
        { "compat/zlib.h", "", "" },
        { "zlib/zlib.h", "", "" },
        { "a.h", "", "" },
        { "b.h", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 5);
    expect_system(&t, "compat/zlib.h", "zlib.h", "external");
    modules_expect(&t, "a.h", "b.h", "b.h");
    modules_expect(&t, "b.h", "a.h", "a.h");
    modules_close(&t);
}

KEN_TEST(modules_c_broken_manifests_are_passed_over)
{
    static const modules_file files[] = {
        { "CMakeLists.txt", "include_directories(((( \"${ ; ..", "" },
        { "a/CMakeLists.txt", "target_include_directories(\"\" $< ${X_SOURCE_DIR} ../../..)", "" },
        { "b/compile_commands.json", "[{\"file\":\"/\",\"directory\":\"\\", "" },
        { "c/compile_commands.json",
          "{\"file\":\"/x/../c.c\",\"directory\":\"/\",\"command\":\"-I -I- -I/ -I..\"}", "" },
        { "c/Makefile", "-I", "" },
        { "c/c.c", "", "" },
        { "d/d.h", "", "" },
    };
    modules_tree t;
    modules_open(&t, files, 7);
    modules_expect(&t, "c/c.c", "d.h", "guess d/d.h");
    modules_expect(&t, "c/c.c", "../../d/d.h", "guess d/d.h");
    modules_expect(&t, "c/c.c", "/etc/passwd", "external");
    modules_expect(&t, "c/c.c", "a/..", "external");
    modules_close(&t);
}
