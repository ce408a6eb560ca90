// SPDX-License-Identifier: MIT
// Kotlin: packages, companions, extensions of types inside and outside of the tree, properties.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "app/Main.kt", "package app\n"
                     "import db.Conn\n"
                     "import db.Row as DbRow\n"
                     "import text.*\n"
                     "import java.io.File\n"
                     "class Main(private val conn: Conn, label: String) : Base(label) {\n"
                     "    val rows: List<DbRow> = conn.all()\n"
                     "    var size = 0\n"
                     "        private set\n"
                     "    fun size(): Int = size\n"
                     "    fun run(other: Main) {\n"
                     "        conn.first().show()\n"
                     "        for (row in rows) row.show()\n"
                     "        val row = other.rows[0]\n"
                     "        row.show()\n"
                     "        inherited()\n"
                     "        Conn.open(\"x\").first().show()\n"
                     "        Conn.LIMIT\n"
                     "        this.size = other.size()\n"
                     "        rows.forEach { show -> show.run() }\n"
                     "        unknown().show()\n"
                     "        Conn(1).apply { first() }.first()\n"
                     "        val made = object : Listener {\n"
                     "            override fun on() = run(other)\n"
                     "        }\n"
                     "        made.on()\n"
                     "        Row().show()\n"
                     "    }\n"
                     "    inner class Inner {\n"
                     "        fun dig() = this@Main.size\n"
                     "    }\n"
                     "}\n" },
    { "app/Parts.kt", "package app\n"
                      "open class Base(val label: String) {\n"
                      "    fun inherited() {}\n"
                      "}\n"
                      "class Row {\n"
                      "    fun show() {}\n"
                      "}\n"
                      "interface Listener {\n"
                      "    fun on()\n"
                      "}\n" },
    { "app/Uses.kt", "package app\n"
                     "import db.Conn\n"
                     "import text.shout\n"
                     "fun use(conn: Conn, name: String, it: Any) {\n"
                     "    conn.reset()\n"
                     "    name.shout()\n"
                     "    it.shout()\n"
                     "    name.quiet()\n"
                     "    conn.label\n"
                     "    whisper(name = \"x\")\n"
                     "    assertEquals(1, 2)\n"
                     "}\n"
                     "fun Conn.reset(): Conn = first().let { this }\n"
                     "val Conn.label: String get() = \"l\"\n"
                     "private fun whisper(name: String) = name.trim()\n" },
    { "db/Conn.kt", "package db\n"
                    "class Conn(n: Int) {\n"
                    "    fun first(): Row = Row()\n"
                    "    fun all(): List<Row> = listOf(first())\n"
                    "    companion object Maker {\n"
                    "        const val LIMIT = 1\n"
                    "        fun open(name: String): Conn = Conn(1)\n"
                    "    }\n"
                    "}\n"
                    "class Row { fun show() {} }\n" },
    { "other/Quiet.kt", "package other\n"
                        "fun String.quiet() = this\n"
                        "class Checks { fun assertEquals(a: Int, b: Int) {} }\n" },
    { "text/Shout.kt", "package text\n"
                       "fun String.shout() = uppercase()\n"
                       "fun unknown(): Any = 1\n" },
};

KEN_TEST(kotlin_imports_lead_to_types_under_any_name)
{
    static const char *const edges[][2] = {
        { "app/Main.kt:2 Conn", "db/Conn.kt:2 Conn imported" },
        { "app/Main.kt:7 DbRow", "db/Conn.kt:10 Row imported" },
        { "app/Main.kt:27 Row", "app/Parts.kt:5 Row scoped" },
        { "app/Main.kt:27 show", "app/Parts.kt:6 show scoped" },
        { "app/Main.kt:21 unknown", "text/Shout.kt:3 unknown imported" },
        { "app/Main.kt:5 File", "external" },
    };
    CHECK(edges);
}

KEN_TEST(kotlin_receivers_have_the_types_that_are_declared_or_given)
{
    static const char *const edges[][2] = {
        { "app/Main.kt:12 show", "db/Conn.kt:10 show imported" },
        { "app/Main.kt:13 show", "db/Conn.kt:10 show imported" },
        { "app/Main.kt:15 show", "db/Conn.kt:10 show imported" },
        { "app/Main.kt:21 show", "unresolved" },
    };
    CHECK(edges);
}

KEN_TEST(kotlin_members_of_companions_are_those_of_the_class)
{
    static const char *const edges[][2] = {
        { "app/Main.kt:17 open", "db/Conn.kt:7 open imported" },
        { "app/Main.kt:17 show", "db/Conn.kt:10 show imported" },
        { "app/Main.kt:18 LIMIT", "db/Conn.kt:6 LIMIT imported" },
    };
    CHECK(edges);
}

KEN_TEST(kotlin_properties_and_functions_may_have_one_name)
{
    static const char *const edges[][2] = {
        { "app/Main.kt:10 size", "app/Main.kt:8 size scoped" },
        { "app/Main.kt:19 size", "app/Main.kt:8 size exact" },
        { "app/Main.kt:30 size", "app/Main.kt:8 size scoped" },
    };
    CHECK(edges);
}

KEN_TEST(kotlin_members_of_bases_need_no_prefix)
{
    static const char *const edges[][2] = {
        { "app/Main.kt:16 inherited", "app/Parts.kt:3 inherited imported" },
        { "app/Main.kt:6 Base", "app/Parts.kt:2 Base scoped" },
    };
    CHECK(edges);
}

KEN_TEST(kotlin_extensions_belong_to_the_type_that_they_name)
{
    static const char *const edges[][2] = {
        { "app/Uses.kt:5 reset", "app/Uses.kt:13 reset imported" },
        { "app/Uses.kt:9 label", "app/Uses.kt:14 label imported" },
        { "app/Uses.kt:13 first", "db/Conn.kt:3 first scoped" },
        { "app/Uses.kt:3 shout", "text/Shout.kt:2 shout imported" },
        { "app/Uses.kt:6 shout", "text/Shout.kt:2 shout imported" },
    };
    CHECK(edges);
}

KEN_TEST(kotlin_extensions_on_something_unknown_are_guesses_and_only_in_sight)
{
    static const char *const edges[][2] = {
        { "app/Uses.kt:7 shout", "text/Shout.kt:2 shout inferred" },
        { "app/Uses.kt:8 quiet", "unresolved" },
    };
    CHECK(edges);
}

KEN_TEST(kotlin_apply_gives_what_it_is_called_on)
{
    static const char *const edges[][2] = {
        { "app/Main.kt:22 Conn", "db/Conn.kt:2 Conn imported" },
        { "app/Main.kt:22 apply", "external" },
    };
    CHECK(edges);
}

KEN_TEST(kotlin_objects_without_a_name_are_what_they_extend)
{
    static const char *const edges[][2] = {
        { "app/Main.kt:23 Listener", "app/Parts.kt:8 Listener scoped" },
        { "app/Main.kt:26 on", "app/Parts.kt:9 on scoped" },
        { "app/Main.kt:24 run", "app/Main.kt:11 run scoped" },
    };
    CHECK(edges);
}

KEN_TEST(kotlin_a_name_alone_leads_nowhere)
{
    static const char *const edges[][2] = {
        { "app/Main.kt:20 show", "no reference" },
        { "app/Main.kt:20 run", "unresolved" },
        { "app/Uses.kt:10 name", "no reference" },
        { "app/Uses.kt:10 whisper", "app/Uses.kt:15 whisper scoped" },
        { "app/Uses.kt:11 assertEquals", "unresolved" },
    };
    CHECK(edges);
}
