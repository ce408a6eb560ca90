// SPDX-License-Identifier: MIT
// Java: packages, imports, members that need no prefix, overloads, generics.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "app/Main.java", "package app;\n"
                       "import db.Conn;\n"
                       "import db.Conn.Mode;\n"
                       "import static db.Checks.notNull;\n"
                       "import static db.Words.*;\n"
                       "import java.util.*;\n"
                       "public class Main extends Base {\n"
                       "    private List<Row> rows = new ArrayList<>();\n"
                       "    private int size;\n"
                       "    int size() { return size; }\n"
                       "    void run(Conn conn) {\n"
                       "        conn.first();\n"
                       "        conn.open(1, Mode.READ);\n"
                       "        notNull(conn);\n"
                       "        upper(conn);\n"
                       "        for (Row row : rows) row.show();\n"
                       "        rows.get(0).show();\n"
                       "        var first = conn.first();\n"
                       "        first.show();\n"
                       "        inherited();\n"
                       "        size();\n"
                       "        unknown.show();\n"
                       "        String size = \"\";\n"
                       "        size.length();\n"
                       "        this.size = 1;\n"
                       "        list.forEach(show -> use(show));\n"
                       "        Box<Row> box = new Box<>();\n"
                       "        box.get().show();\n"
                       "        new Inner().dig();\n"
                       "        Other.show();\n"
                       "    }\n"
                       "    class Inner { void dig() { run(null); } }\n"
                       "}\n" },
    { "app/Parts.java", "package app;\n"
                        "class Base { void inherited() { } }\n"
                        "class Row { void show() { } }\n"
                        "class Box<T> { T held; T get() { return held; } }\n" },
    { "db/Conn.java", "package db;\n"
                      "public class Conn {\n"
                      "    public enum Mode { READ, WRITE }\n"
                      "    public void open(int n) { }\n"
                      "    public void open(int n, Mode mode) { }\n"
                      "    public Row first() { return null; }\n"
                      "}\n"
                      "class Row { void show() { } }\n" },
    { "db/Help.java", "package db;\n"
                      "class Checks { static void notNull(Object o) { } }\n"
                      "class Words { static void upper(Object o) { } }\n" },
    { "other/Other.java", "package other;\n"
                          "public class Other { static void show() { } }\n"
                          "class Row { void show() { } }\n" },
};

KEN_TEST(java_imports_lead_to_types_their_members_and_packages)
{
    static const char *const edges[][2] = {
        { "app/Main.java:11 Conn", "db/Conn.java:2 Conn imported" },
        { "app/Main.java:13 Mode", "db/Conn.java:3 Mode imported" },
        { "app/Main.java:14 notNull", "db/Help.java:2 notNull imported" },
        { "app/Main.java:15 upper", "db/Help.java:3 upper imported" },
        { "app/Main.java:16 Row", "app/Parts.java:3 Row scoped" },
        { "app/Main.java:8 List", "external" },
    };
    CHECK(edges);
}

KEN_TEST(java_overloads_differ_by_their_arguments)
{
    static const char *const edges[][2] = {
        { "app/Main.java:13 open", "db/Conn.java:5 open imported" },
    };
    CHECK(edges);
}

KEN_TEST(java_members_of_bases_and_outer_types_need_no_prefix)
{
    static const char *const edges[][2] = {
        { "app/Main.java:20 inherited", "app/Parts.java:2 inherited imported" },
        { "app/Main.java:32 run", "app/Main.java:11 run scoped" },
        { "app/Main.java:29 dig", "app/Main.java:32 dig scoped" },
    };
    CHECK(edges);
}

KEN_TEST(java_fields_and_methods_may_have_one_name)
{
    static const char *const edges[][2] = {
        { "app/Main.java:10 size", "app/Main.java:9 size scoped" },
        { "app/Main.java:21 size", "app/Main.java:10 size scoped" },
        { "app/Main.java:24 size", "no reference" },
        { "app/Main.java:25 size", "app/Main.java:9 size exact" },
    };
    CHECK(edges);
}

KEN_TEST(java_receivers_have_the_types_that_were_declared)
{
    static const char *const edges[][2] = {
        { "app/Main.java:16 show", "app/Parts.java:3 show scoped" },
        { "app/Main.java:19 show", "db/Conn.java:8 show imported" },
        { "app/Main.java:28 show", "app/Parts.java:3 show scoped" },
        { "app/Main.java:22 show", "unresolved" },
    };
    CHECK(edges);
}

KEN_TEST(java_a_name_alone_leads_nowhere)
{
    static const char *const edges[][2] = {
        { "app/Main.java:26 show", "no reference" },
        { "app/Main.java:30 Other", "unresolved" },
        { "app/Main.java:30 show", "unresolved" },
    };
    CHECK(edges);
}
