// SPDX-License-Identifier: MIT
// Scala: packages around, companions, package objects, imports from anything, parameters of
// classes.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "app/Main.scala",
      "package shop\n"
      "package app\n"
      "import db.{Conn, Row => DbRow}\n"
      "import shop.text._\n"
      "import java.io.File\n"
      "import Main.limit\n"
      "class Main(conn: Conn, label: String) extends Base(label) with Named { self =>\n"
      "  val rows: List[DbRow] = conn.all\n"
      "  def run(other: Main): Unit = {\n"
      "    conn.first.show()\n"
      "    for (row <- rows) row.show()\n"
      "    Conn(1).first.show()\n"
      "    Conn.open(\"x\").close(1)(2).show()\n"
      "    inherited()\n"
      "    self.run(this)\n"
      "    rows.map(show => show.run)\n"
      "    other.title\n"
      "    shout(limit)\n"
      "    unknown.show()\n"
      "    other run this\n"
      "    new Row().show()\n"
      "    conn.last match {\n"
      "      case Pair(left, right) => left.show()\n"
      "      case row: DbRow => row.show()\n"
      "    }\n"
      "    val file: File = new File(label)\n"
      "    Handle(1).grip()\n"
      "  }\n"
      "  test { val rows = 1; rows.show() }\n"
      "}\n"
      "object Main {\n"
      "  val limit = 1\n"
      "}\n" },
    { "app/Parts.scala", "package shop.app\n"
                         "class Base(val label: String) { def inherited() = 1 }\n"
                         "trait Named { def title: String }\n"
                         "class Row { def show() = 1 }\n"
                         "object Handle { def apply(n: Int): Grip = new Grip }\n"
                         "class Grip { def grip() = 1 }\n" },
    { "db/Conn.scala", "package shop.db\n"
                       "case class Conn(n: Int) {\n"
                       "  def first: Row = new Row()\n"
                       "  def all: List[Row] = List(first)\n"
                       "  def close(n: Int)(m: Int): Row = first\n"
                       "}\n"
                       "object Conn {\n"
                       "  def open(name: String): Conn = new Conn(1)\n"
                       "}\n"
                       "class Row { def show() = 1 }\n" },
    { "text/Shout.scala", "package shop\n"
                          "package object text {\n"
                          "  def shout(n: Int): Int = shop.db.Conn.open(\"x\").n\n"
                          "}\n" },
};

KEN_TEST(scala_imports_begin_in_the_packages_around)
{
    static const char *const edges[][2] = {
        { "app/Main.scala:7 Conn", "db/Conn.scala:2 Conn imported" },
        { "app/Main.scala:8 DbRow", "db/Conn.scala:10 Row imported" },
        { "app/Main.scala:21 Row", "app/Parts.scala:4 Row scoped" },
        { "app/Main.scala:5 File", "external" },
        { "app/Main.scala:26 File", "external" },
    };
    CHECK(edges);
}

KEN_TEST(scala_imports_may_come_from_objects_and_package_objects)
{
    static const char *const edges[][2] = {
        { "app/Main.scala:18 limit", "app/Main.scala:32 limit imported" },
        { "app/Main.scala:18 shout", "text/Shout.scala:3 shout imported" },
    };
    CHECK(edges);
}

KEN_TEST(scala_methods_without_arguments_give_their_result)
{
    static const char *const edges[][2] = {
        { "app/Main.scala:10 first", "db/Conn.scala:3 first imported" },
        { "app/Main.scala:10 show", "db/Conn.scala:10 show imported" },
        { "app/Main.scala:13 show", "db/Conn.scala:10 show imported" },
    };
    CHECK(edges);
}

KEN_TEST(scala_types_are_classes_and_values_are_their_companions)
{
    static const char *const edges[][2] = {
        { "app/Main.scala:12 show", "db/Conn.scala:10 show imported" },
        { "app/Main.scala:13 open", "db/Conn.scala:8 open imported" },
        { "app/Main.scala:9 Main", "app/Main.scala:7 Main scoped" },
        { "app/Main.scala:27 grip", "app/Parts.scala:6 grip scoped" },
    };
    CHECK(edges);
}

KEN_TEST(scala_members_of_bases_and_of_this_need_no_prefix)
{
    static const char *const edges[][2] = {
        { "app/Main.scala:7 Base", "app/Parts.scala:2 Base scoped" },
        { "app/Main.scala:14 inherited", "app/Parts.scala:2 inherited imported" },
        { "app/Main.scala:15 run", "app/Main.scala:9 run exact" },
        { "app/Main.scala:17 title", "app/Parts.scala:3 title imported" },
        { "app/Main.scala:20 run", "app/Main.scala:9 run scoped" },
    };
    CHECK(edges);
}

KEN_TEST(scala_names_in_patterns_and_generators_are_locals)
{
    static const char *const edges[][2] = {
        { "app/Main.scala:11 show", "db/Conn.scala:10 show imported" },
        { "app/Main.scala:23 left", "no reference" },
        { "app/Main.scala:23 show", "unresolved" },
        { "app/Main.scala:24 show", "db/Conn.scala:10 show imported" },
    };
    CHECK(edges);
}

KEN_TEST(scala_values_of_a_block_are_seen_in_it_only)
{
    static const char *const edges[][2] = {
        { "app/Main.scala:29 rows", "no reference" },
        { "app/Main.scala:11 rows", "app/Main.scala:8 rows scoped" },
    };
    CHECK(edges);
}

KEN_TEST(scala_packages_may_be_written_in_full)
{
    static const char *const edges[][2] = {
        { "text/Shout.scala:3 Conn",
          "db/Conn.scala:2 Conn imported, db/Conn.scala:7 Conn imported" },
        { "text/Shout.scala:3 open", "db/Conn.scala:8 open imported" },
    };
    CHECK(edges);
}

KEN_TEST(scala_a_name_alone_leads_nowhere)
{
    static const char *const edges[][2] = {
        { "app/Main.scala:16 show", "no reference" },
        { "app/Main.scala:16 run", "unresolved" },
        { "app/Main.scala:19 show", "unresolved" },
    };
    CHECK(edges);
}
