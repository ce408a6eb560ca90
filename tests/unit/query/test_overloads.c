// SPDX-License-Identifier: MIT
// Which of several functions of one name a place uses: constructors, and what is declared in one
// place and defined in another.
#include "calls_lab.h"

// All usages of what is defined at "path:line", imports apart: "path:line", with ? where it is only
// inferred, in their order.
static void uses_are(const char *place, const char *wanted)
{
    ken_usages u;
    ken_usages_opts o = { .name = ken_str_c(place), .limit = 100 };
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    ken_buf b = KEN_BUF_INIT(0);
    for (size_t f = 0; f < u.n_files; f++)
        for (size_t i = 0; i < u.files[f].n; i++)
            ken_buf_printf(&b, "%s" KEN_STR_FMT ":%u%s", b.len ? " " : "",
                           KEN_STR_ARG(u.files[f].path), u.files[f].usages[i].line + 1,
                           u.files[f].usages[i].class == KEN_EDGE_INFERRED ? "?" : "");
    kt_eq_text(ken_buf_str(&b), wanted);
    ken_buf_release(&b);
}

KEN_TEST(java_a_construction_uses_the_constructor_that_its_arguments_fit)
{
    start("Box.java", "class Box {\n"
                      "    Box() {}\n"
                      "    Box(int n) {}\n"
                      "    Box(String s) {}\n"
                      "    Box(String first, Object... rest) {}\n"
                      "}\n"
                      "class Bare extends Box {}\n");
    lab_write(&l, "Use.java",
              "class Use {\n"
              "    void run(String s, Strange t) {\n"
              "        new Box();\n"
              "        new Box(3);\n"
              "        new Box(s);\n"
              "        new Box(s, 1, 2);\n"
              "        new Box(t.what());\n"
              "        new Bare();\n"
              "    }\n"
              "}\n");
    go();
    uses_are("Box.java:2", "Use.java:3");
    uses_are("Box.java:3", "Use.java:4 Use.java:7?");
    uses_are("Box.java:4", "Use.java:5 Use.java:7?");
    uses_are("Box.java:5", "Use.java:6");
    uses_are("Box.java:1", "Box.java:7 Use.java:3 Use.java:4 Use.java:5 Use.java:6 Use.java:7");
    end();
}

KEN_TEST(csharp_constructors_differ_by_the_number_of_arguments)
{
    start("Box.cs", "class Box {\n"
                    "    public Box() {}\n"
                    "    public Box(int n) {}\n"
                    "    public Box(int n, string s = \"\", bool b = false) {}\n"
                    "}\n"
                    "partial class Part {\n"
                    "    public Part(int n) {}\n"
                    "}\n");
    lab_write(&l, "More.cs",
              "partial class Part {\n"
              "    public Part() {}\n"
              "}\n");
    lab_write(&l, "Use.cs",
              "class Use {\n"
              "    void Run() {\n"
              "        new Box();\n"
              "        new Box(1, \"a\");\n"
              "        new Part(1);\n"
              "        new Part();\n"
              "    }\n"
              "}\n");
    go();
    uses_are("Box.cs:2", "Use.cs:3");
    uses_are("Box.cs:3", "");
    uses_are("Box.cs:4", "Use.cs:4");
    uses_are("Box.cs:7", "Use.cs:5");
    uses_are("More.cs:2", "Use.cs:6");
    end();
}

KEN_TEST(cpp_what_is_declared_is_defined_by_what_takes_as_many_arguments)
{
    start("box.h", "class Box {\n"
                   " public:\n"
                   "  Box& put(int n);\n"
                   "  Box& put(int n, int m = 0, int k = 0);\n"
                   "  char* name(int n);\n"
                   "};\n");
    lab_write(&l, "box.cc",
              "#include \"box.h\"\n"
              "Box& Box::put(int n) { return *this; }\n"
              "Box& Box::put(int n, int m, int k) { return *this; }\n"
              "char* Box::name(int n) { return nullptr; }\n");
    lab_write(&l, "use.cc",
              "#include \"box.h\"\n"
              "void run(Box& b) {\n"
              "  b.put(1, 2).name(3);\n"
              "}\n");
    go();
    uses_are("box.cc:2", "");
    uses_are("box.h:3", "");
    uses_are("box.cc:3", "use.cc:3");
    uses_are("box.h:4", "use.cc:3");
    uses_are("box.cc:4", "use.cc:3");
    end();
}

KEN_TEST(cpp_what_is_declared_is_defined_by_what_takes_the_same_types)
{
    start("box.h", "namespace far { class Slice; }\n"
                   "class Box {\n"
                   " public:\n"
                   "  explicit Box(int n);\n"
                   "  Box(const far::Slice& s, const char* name);\n"
                   "  Box(int n, const char* name);\n"
                   "  void put(int n);\n"
                   "  void put(const char* s);\n"
                   "};\n");
    lab_write(&l, "box.cc",
              "#include \"box.h\"\n"
              "using far::Slice;\n"
              "Box::Box(int n) {}\n"
              "Box::Box(const Slice& s, const char* name) {}\n"
              "Box::Box(int n, const char* name) {}\n"
              "void Box::put(int n) {}\n"
              "void Box::put(const char* s) {}\n");
    lab_write(&l, "use.cc",
              "#include \"box.h\"\n"
              "void run(Box& b) {\n"
              "  b.put(1);\n"
              "  b.put(\"a\");\n"
              "  new Box(1);\n"
              "  new Box(1, \"a\");\n"
              "}\n");
    go();
    uses_are("box.cc:3", "use.cc:5");
    uses_are("box.h:4", "use.cc:5");
    uses_are("box.cc:4", "");
    uses_are("box.cc:5", "use.cc:6");
    uses_are("box.cc:6", "use.cc:3");
    uses_are("box.h:7", "use.cc:3");
    uses_are("box.cc:7", "use.cc:4");
    uses_are("box.h:8", "use.cc:4");
    end();
}

KEN_TEST(cpp_constructions_use_the_constructor_that_their_arguments_fit)
{
    start("box.h", "class Box {\n"
                   " public:\n"
                   "  Box(int n);\n"
                   "  Box(const char* name);\n"
                   "  Box(const char* name, int n);\n"
                   "};\n");
    lab_write(&l, "use.cc",
              "#include \"box.h\"\n"
              "#include <memory>\n"
              "void use(Unknown u) {\n"
              "  Box a(1);\n"
              "  Box b(\"b\", 2);\n"
              "  const Box c(\"c\");\n"
              "  auto d = std::make_unique<Box>(3);\n"
              "  auto e = std::make_shared<const Box>(\"e\", 4);\n"
              "  Box f(u.what() + 1, 5);\n"
              "  std::map<int, Box> g(6);\n"
              "  auto h = new Box(\"h\");\n"
              "}\n");
    go();
    uses_are("box.h:3", "use.cc:4 use.cc:7");
    uses_are("box.h:4", "use.cc:6 use.cc:11");
    uses_are("box.h:5", "use.cc:5 use.cc:8 use.cc:9");
    end();
}
