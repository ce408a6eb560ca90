// SPDX-License-Identifier: MIT
// Which overload a call means: by the number of its arguments, then by their types.
#include <stdio.h>

#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "Base.java", "class Base {\n"
                   "    void put(String s) {}\n"
                   "    void put(Object o) {}\n"
                   "    Kind give(int n) { return null; }\n"
                   "}\n"
                   "class Kind extends Base { Kind next() { return this; } }\n"
                   "class Sub extends Kind {\n"
                   "    void put(int n) {}\n"
                   "    private void put(String s, int n) {}\n"
                   "}\n" },
    { "Calls.java", "class Calls {\n"
                    "    Kind kind; String text; short[] shorts; int[][] grid;\n"
                    "    void run(Over o, Sub sub, long wide, Integer box, Unknown u) {\n"
                    "        o.same(new short[0], 1);\n"
                    "        o.same(new long[] { 1 }, 2);\n"
                    "        o.same(shorts, 3);\n"
                    "        o.same(grid, 4);\n"
                    "        o.num(1);\n"
                    "        o.num(2L);\n"
                    "        o.num(wide + 3);\n"
                    "        o.num('c');\n"
                    "        o.num(4.5f);\n"
                    "        o.num(box);\n"
                    "        o.any(\"a\" + 1);\n"
                    "        o.any(text.length() == 2);\n"
                    "        o.any(kind.next());\n"
                    "        o.any((Object) text);\n"
                    "        o.any(null, 1);\n"
                    "        o.many(\"a\");\n"
                    "        o.many(\"a\", \"b\");\n"
                    "        o.many(new String[0]);\n"
                    "        sub.put(1);\n"
                    "        sub.put(\"text\");\n"
                    "        sub.give(2).next();\n"
                    "        o.any(u.what());\n"
                    "        o.run(() -> 1);\n"
                    "        o.of(Kind.class);\n"
                    "    }\n"
                    "}\n" },
    { "Over.java", "class Over {\n"
                   "    void same(short[] a, int n) {}\n"
                   "    void same(int[] a, int n) {}\n"
                   "    void same(long[] a, int n) {}\n"
                   "    void same(int[][] a, int n) {}\n"
                   "    void same(Object[] a, int n) {}\n"
                   "    void num(int n) {}\n"
                   "    void num(long n) {}\n"
                   "    void num(double n) {}\n"
                   "    void num(Integer n) {}\n"
                   "    void any(String s) {}\n"
                   "    void any(boolean b) {}\n"
                   "    void any(Base b) {}\n"
                   "    void any(Object o) {}\n"
                   "    void any(Object o, int n) {}\n"
                   "    void any(String s, int n) {}\n"
                   "    void many(String s) {}\n"
                   "    void many(String... all) {}\n"
                   "    void run(String s) {}\n"
                   "    void run(Runnable r) {}\n"
                   "    void of(Class<?> c) {}\n"
                   "    void of(java.util.Map<String, String> m) {}\n"
                   "}\n" },
};

KEN_TEST(java_arrays_choose_by_what_they_hold)
{
    static const char *const edges[][2] = {
        { "Calls.java:4 same", "Over.java:2 same scoped" },
        { "Calls.java:5 same", "Over.java:4 same scoped" },
        { "Calls.java:6 same", "Over.java:2 same scoped" },
        { "Calls.java:7 same", "Over.java:5 same scoped" },
    };
    CHECK(edges);
}

KEN_TEST(java_numbers_widen_before_they_are_boxed)
{
    static const char *const edges[][2] = {
        { "Calls.java:8 num", "Over.java:7 num scoped" },
        { "Calls.java:9 num", "Over.java:8 num scoped" },
        { "Calls.java:10 num", "Over.java:8 num scoped" },
        { "Calls.java:11 num", "Over.java:7 num scoped" },
        { "Calls.java:12 num", "Over.java:9 num scoped" },
        { "Calls.java:13 num", "Over.java:10 num scoped" },
    };
    CHECK(edges);
}

KEN_TEST(java_objects_choose_the_nearest_type)
{
    static const char *const edges[][2] = {
        { "Calls.java:14 any", "Over.java:11 any scoped" },
        { "Calls.java:15 any", "Over.java:12 any scoped" },
        { "Calls.java:16 any", "Over.java:13 any scoped" },
        { "Calls.java:17 any", "Over.java:14 any scoped" },
        { "Calls.java:18 any", "Over.java:16 any scoped" },
        { "Calls.java:26 run", "Over.java:20 run scoped" },
        { "Calls.java:27 of", "Over.java:21 of scoped" },
    };
    CHECK(edges);
}

KEN_TEST(java_variable_arity_comes_last)
{
    static const char *const edges[][2] = {
        { "Calls.java:19 many", "Over.java:17 many scoped" },
        { "Calls.java:20 many", "Over.java:18 many scoped" },
        { "Calls.java:21 many", "Over.java:18 many scoped" },
    };
    CHECK(edges);
}

KEN_TEST(java_inherited_overloads_count)
{
    static const char *const edges[][2] = {
        { "Calls.java:22 put", "Base.java:8 put scoped" },
        { "Calls.java:23 put", "Base.java:2 put scoped" },
        { "Calls.java:24 give", "Base.java:4 give scoped" },
        { "Calls.java:24 next", "Base.java:6 next scoped" },
    };
    CHECK(edges);
}

KEN_TEST(java_what_cannot_be_told_apart_is_inferred)
{
    EXPECT("Calls.java:25 any", "Over.java:11 any inferred, Over.java:12 any inferred, "
                                "Over.java:13 any inferred, Over.java:14 any inferred");
}

KEN_TEST(two_thousand_overloads_of_one_name_end)
{
    static char text[64000];
    size_t n = (size_t)snprintf(text, sizeof text, "class Big {\n");
    for (int i = 0; i < 2000; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "    void f(T%d x) {}\n", i);
    snprintf(text + n, sizeof text - n, "    void g(Some u) {\n        f(u.what());\n    }\n}\n");
    const graph_lab_file one[] = { { "Big.java", text } };
    graph_lab lab;
    graph_lab_open(&lab, one, 1);
    kt_has_str(graph_lab_say(&lab, "Big.java:2003 f"), "inferred");
    graph_lab_close(&lab);
}

static const graph_lab_file cpp[] = {
    { "over.h", "struct Base {};\n"
                "struct Kind : Base {};\n"
                "struct Other {};\n"
                "void same(int n);\n"
                "void same(const char* s);\n"
                "void same(const Base& b);\n"
                "void same(double d, int n = 0);\n"
                "template <typename T> void any(T t, int n) {}\n"
                "inline void any(const Kind& k, int n) {}\n"
                "void log(const char* format, ...);\n"
                "void log(int level, const char* format, ...);\n"
                "struct Box {\n"
                "  Kind* get(int n);\n"
                "  Other* get(const char* name);\n"
                "};\n" },
    { "use.cc", "#include \"over.h\"\n"
                "void run(Box& b, Kind k, Other o, Unknown u) {\n"
                "  same(1);\n"
                "  same(\"a\");\n"
                "  same(k);\n"
                "  same(2.0);\n"
                "  same(1, 2);\n"
                "  same('c');\n"
                "  any(k, 1);\n"
                "  any(o, 1);\n"
                "  log(\"%d %d\", 1, 2);\n"
                "  log(1, \"%d\", 2);\n"
                "  b.get(1);\n"
                "  b.get(\"x\");\n"
                "  b.get(u.what());\n"
                "  same(*b.get(1));\n"
                "}\n" },
};

KEN_TEST(cpp_arguments_choose_by_number_and_type)
{
    static const char *const edges[][2] = {
        { "use.cc:3 same", "over.h:4 same imported" },
        { "use.cc:4 same", "over.h:5 same imported" },
        { "use.cc:5 same", "over.h:6 same imported" },
        { "use.cc:6 same", "over.h:7 same imported" },
        { "use.cc:7 same", "over.h:7 same imported" },
        { "use.cc:9 any", "over.h:9 any imported" },
        { "use.cc:10 any", "over.h:8 any imported" },
        { "use.cc:11 log", "over.h:10 log imported" },
        { "use.cc:12 log", "over.h:11 log imported" },
        { "use.cc:13 get", "over.h:13 get imported" },
        { "use.cc:14 get", "over.h:14 get imported" },
        { "use.cc:16 same", "over.h:6 same imported" },
    };
    graph_lab_check(cpp, 2, edges, sizeof edges / sizeof *edges);
}

// Who says the types of a template means no function that is none.
KEN_TEST(cpp_types_that_a_call_says_choose_templates)
{
    static const graph_lab_file templates[] = {
        { "a.cc", "struct Put {\n"
                  "  void operator()(bool b) { if (b) operator()<bool>(b); }\n"
                  "  template <typename T> void operator()(T value) { same(value); }\n"
                  "  template <typename T> Put(T value);\n"
                  "};\n"
                  "bool make(bool b) { return b; }\n"
                  "template <typename T> T make(T value) { return value; }\n"
                  "void use(Put *p) {\n"
                  "  make<bool>(true);\n"
                  "  p->operator()<bool>(true);\n"
                  "}\n" },
    };
    static const char *const edges[][2] = {
        { "a.cc:2 operator()", "a.cc:3 operator() scoped" },
        { "a.cc:9 make", "a.cc:7 make scoped" },
        { "a.cc:10 operator()", "a.cc:3 operator() scoped" },
    };
    graph_lab_check(templates, 1, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(cpp_what_cannot_be_told_apart_is_inferred)
{
    static const char *const edges[][2] = {
        { "use.cc:8 same", "over.h:4 same inferred, over.h:7 same inferred" },
        { "use.cc:15 get", "over.h:13 get inferred, over.h:14 get inferred" },
    };
    graph_lab_check(cpp, 2, edges, sizeof edges / sizeof *edges);
}
