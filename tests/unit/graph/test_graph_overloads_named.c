// SPDX-License-Identifier: MIT
// Overloads of languages whose arguments may say which parameter they are for: C#, Kotlin, Scala,
// Swift.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file csharp[] = {
    { "Over.cs", "class Base {}\n"
                 "class Kind : Base {}\n"
                 "class Over {\n"
                 "    public void Put(int n) {}\n"
                 "    public void Put(long n) {}\n"
                 "    public void Put(string s) {}\n"
                 "    public void Put(Base b) {}\n"
                 "    public void Put(object o) {}\n"
                 "    public void Put(int n, string name = \"x\") {}\n"
                 "    public void Move(int left, int top) {}\n"
                 "    public void Move(int left, string name) {}\n"
                 "    public void All(string format, params object[] rest) {}\n"
                 "    public void All(int n) {}\n"
                 "    public void Set(int? n) {}\n"
                 "    public void Set(string s) {}\n"
                 "    public void Run(System.Action a) {}\n"
                 "    public void Run(string s) {}\n"
                 "}\n" },
    { "Use.cs", "class Use {\n"
                "    void Go(Over o, Kind k, Unknown u, long wide) {\n"
                "        o.Put(1);\n"
                "        o.Put(wide);\n"
                "        o.Put(\"a\");\n"
                "        o.Put(k);\n"
                "        o.Put(2.5);\n"
                "        o.Put(1, \"b\");\n"
                "        o.Move(top: 1, left: 2);\n"
                "        o.Move(1, \"c\");\n"
                "        o.All(\"{0}{1}\", 1, 2);\n"
                "        o.All(3);\n"
                "        o.Set(4);\n"
                "        o.Run(() => 1);\n"
                "        o.Put(u.What());\n"
                "    }\n"
                "}\n" },
};

KEN_TEST(csharp_arguments_choose_by_type_name_and_number)
{
    static const char *const edges[][2] = {
        { "Use.cs:3 Put", "Over.cs:4 Put scoped" },
        { "Use.cs:4 Put", "Over.cs:5 Put scoped" },
        { "Use.cs:5 Put", "Over.cs:6 Put scoped" },
        { "Use.cs:6 Put", "Over.cs:7 Put scoped" },
        { "Use.cs:7 Put", "Over.cs:8 Put scoped" },
        { "Use.cs:8 Put", "Over.cs:9 Put scoped" },
        { "Use.cs:9 Move", "Over.cs:10 Move scoped" },
        { "Use.cs:10 Move", "Over.cs:11 Move scoped" },
        { "Use.cs:11 All", "Over.cs:12 All scoped" },
        { "Use.cs:12 All", "Over.cs:13 All scoped" },
        { "Use.cs:13 Set", "Over.cs:14 Set scoped" },
        { "Use.cs:14 Run", "Over.cs:16 Run scoped" },
    };
    graph_lab_check(csharp, 2, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(csharp_what_cannot_be_told_apart_is_inferred)
{
    static const char *const edges[][2] = {
        { "Use.cs:15 Put",
          "Over.cs:4 Put inferred, Over.cs:5 Put inferred, Over.cs:6 Put inferred, "
          "Over.cs:7 Put inferred, Over.cs:8 Put inferred" },
    };
    graph_lab_check(csharp, 2, edges, sizeof edges / sizeof *edges);
}

static const graph_lab_file kotlin[] = {
    { "Over.kt", "package a\n"
                 "open class Base\n"
                 "class Kind : Base()\n"
                 "class Over {\n"
                 "    fun put(n: Int) {}\n"
                 "    fun put(n: Long) {}\n"
                 "    fun put(s: String) {}\n"
                 "    fun put(b: Base) {}\n"
                 "    fun put(n: Int, name: String = \"x\") {}\n"
                 "    fun move(left: Int, top: Int) {}\n"
                 "    fun move(left: Int, name: String) {}\n"
                 "    fun all(vararg xs: String) {}\n"
                 "    fun all(n: Int) {}\n"
                 "    fun run(n: Int, block: () -> Unit) {}\n"
                 "    fun run(n: Int, name: String) {}\n"
                 "    fun run(block: () -> Unit) {}\n"
                 "}\n" },
    { "Use.kt", "package a\n"
                "fun go(o: Over, k: Kind, u: Unknown) {\n"
                "    o.put(1)\n"
                "    o.put(2L)\n"
                "    o.put(\"a\")\n"
                "    o.put(k)\n"
                "    o.put(1, \"b\")\n"
                "    o.move(top = 1, left = 2)\n"
                "    o.move(1, \"c\")\n"
                "    o.all(\"d\", \"e\")\n"
                "    o.all(3)\n"
                "    o.run(4) { }\n"
                "    o.run(5, \"f\")\n"
                "    o.run { }\n"
                "    o.put(u.what())\n"
                "}\n" },
};

KEN_TEST(kotlin_arguments_choose_by_type_name_and_number)
{
    static const char *const edges[][2] = {
        { "Use.kt:3 put", "Over.kt:5 put scoped" },
        { "Use.kt:4 put", "Over.kt:6 put scoped" },
        { "Use.kt:5 put", "Over.kt:7 put scoped" },
        { "Use.kt:6 put", "Over.kt:8 put scoped" },
        { "Use.kt:7 put", "Over.kt:9 put scoped" },
        { "Use.kt:8 move", "Over.kt:10 move scoped" },
        { "Use.kt:9 move", "Over.kt:11 move scoped" },
        { "Use.kt:10 all", "Over.kt:12 all scoped" },
        { "Use.kt:11 all", "Over.kt:13 all scoped" },
        { "Use.kt:12 run", "Over.kt:14 run scoped" },
        { "Use.kt:13 run", "Over.kt:15 run scoped" },
        { "Use.kt:14 run", "Over.kt:16 run scoped" },
    };
    graph_lab_check(kotlin, 2, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(kotlin_what_cannot_be_told_apart_is_inferred)
{
    static const char *const edges[][2] = {
        { "Use.kt:15 put",
          "Over.kt:5 put inferred, Over.kt:6 put inferred, Over.kt:7 put inferred, "
          "Over.kt:8 put inferred" },
    };
    graph_lab_check(kotlin, 2, edges, sizeof edges / sizeof *edges);
}

static const graph_lab_file scala[] = {
    { "Over.scala", "package a\n"
                    "class Base\n"
                    "class Kind extends Base\n"
                    "class Over {\n"
                    "  def put(n: Int): Int = n\n"
                    "  def put(n: Double): Int = 1\n"
                    "  def put(s: String): Int = 2\n"
                    "  def put(b: Base): Int = 3\n"
                    "  def put(n: Int, name: String): Int = 4\n"
                    "  def move(left: Int, top: Int = 1): Int = 5\n"
                    "  def move(name: String): Int = 6\n"
                    "  def all(xs: String*): Int = 7\n"
                    "  def all(n: Int): Int = 8\n"
                    "  def fold(z: Int)(f: Int => Int): Int = 9\n"
                    "  def fold(z: String)(f: Int => Int): Int = 10\n"
                    "}\n" },
    { "Use.scala", "package a\n"
                   "class Use {\n"
                   "  def go(o: Over, k: Kind, u: Unknown): Unit = {\n"
                   "    o.put(1)\n"
                   "    o.put(2.5)\n"
                   "    o.put(\"a\")\n"
                   "    o.put(k)\n"
                   "    o.put(1, \"b\")\n"
                   "    o.move(top = 1, left = 2)\n"
                   "    o.move(3)\n"
                   "    o.move(\"c\")\n"
                   "    o.all(\"d\", \"e\")\n"
                   "    o.all(4)\n"
                   "    o.fold(\"f\")(x => x)\n"
                   "    o.put(u.what())\n"
                   "  }\n"
                   "}\n" },
};

KEN_TEST(scala_arguments_choose_by_type_name_and_number)
{
    static const char *const edges[][2] = {
        { "Use.scala:4 put", "Over.scala:5 put scoped" },
        { "Use.scala:5 put", "Over.scala:6 put scoped" },
        { "Use.scala:6 put", "Over.scala:7 put scoped" },
        { "Use.scala:7 put", "Over.scala:8 put scoped" },
        { "Use.scala:8 put", "Over.scala:9 put scoped" },
        { "Use.scala:9 move", "Over.scala:10 move scoped" },
        { "Use.scala:10 move", "Over.scala:10 move scoped" },
        { "Use.scala:11 move", "Over.scala:11 move scoped" },
        { "Use.scala:12 all", "Over.scala:12 all scoped" },
        { "Use.scala:13 all", "Over.scala:13 all scoped" },
        { "Use.scala:14 fold", "Over.scala:15 fold scoped" },
    };
    graph_lab_check(scala, 2, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(scala_what_cannot_be_told_apart_is_inferred)
{
    static const char *const edges[][2] = {
        { "Use.scala:15 put", "Over.scala:5 put inferred, Over.scala:6 put inferred, Over.scala:7 "
                              "put inferred, Over.scala:8 put inferred" },
    };
    graph_lab_check(scala, 2, edges, sizeof edges / sizeof *edges);
}

static const graph_lab_file swift[] = {
    { "Sources/A/Over.swift", "class Base {}\n"
                              "class Kind: Base {}\n"
                              "class Over {\n"
                              "  init(n: Int) {}\n"
                              "  init(name: String) {}\n"
                              "  func put(_ n: Int) {}\n"
                              "  func put(_ s: String) {}\n"
                              "  func put(_ b: Base) {}\n"
                              "  func put(_ b: Base, at n: Int = 0, by name: String) {}\n"
                              "  func move(to x: Int) {}\n"
                              "  func move(from x: Int) {}\n"
                              "  func move(from x: Int, by n: Int) {}\n"
                              "  func all(_ xs: String...) {}\n"
                              "  func all(_ n: Int) {}\n"
                              "  func run(n: Int, done: () -> Void) {}\n"
                              "  func run(n: Int) {}\n"
                              "  func run(done: () -> Void) {}\n"
                              "}\n" },
    { "Sources/A/Use.swift", "func go(o: Over, k: Kind, u: Unknown) {\n"
                             "  o.put(1)\n"
                             "  o.put(\"a\")\n"
                             "  o.put(k)\n"
                             "  o.put(k, by: \"b\")\n"
                             "  o.move(to: 2)\n"
                             "  o.move(from: 3)\n"
                             "  o.move(from: 4, by: 5)\n"
                             "  o.all(\"c\", \"d\")\n"
                             "  o.all(6)\n"
                             "  o.run(n: 7) { }\n"
                             "  o.run(n: 8)\n"
                             "  o.run { }\n"
                             "  o.put(u.what())\n"
                             "}\n" },
};

KEN_TEST(swift_labels_are_part_of_a_function_s_name)
{
    static const char *const edges[][2] = {
        { "Sources/A/Use.swift:2 put", "Sources/A/Over.swift:6 put scoped" },
        { "Sources/A/Use.swift:3 put", "Sources/A/Over.swift:7 put scoped" },
        { "Sources/A/Use.swift:4 put", "Sources/A/Over.swift:8 put scoped" },
        { "Sources/A/Use.swift:5 put", "Sources/A/Over.swift:9 put scoped" },
        { "Sources/A/Use.swift:6 move", "Sources/A/Over.swift:10 move scoped" },
        { "Sources/A/Use.swift:7 move", "Sources/A/Over.swift:11 move scoped" },
        { "Sources/A/Use.swift:8 move", "Sources/A/Over.swift:12 move scoped" },
        { "Sources/A/Use.swift:9 all", "Sources/A/Over.swift:13 all scoped" },
        { "Sources/A/Use.swift:10 all", "Sources/A/Over.swift:14 all scoped" },
        { "Sources/A/Use.swift:11 run", "Sources/A/Over.swift:15 run scoped" },
        { "Sources/A/Use.swift:12 run", "Sources/A/Over.swift:16 run scoped" },
        { "Sources/A/Use.swift:13 run", "Sources/A/Over.swift:17 run scoped" },
    };
    graph_lab_check(swift, 2, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(swift_what_cannot_be_told_apart_is_inferred)
{
    static const char *const edges[][2] = {
        { "Sources/A/Use.swift:14 put",
          "Sources/A/Over.swift:6 put inferred, Sources/A/Over.swift:7 "
          "put inferred, Sources/A/Over.swift:8 put inferred" },
    };
    graph_lab_check(swift, 2, edges, sizeof edges / sizeof *edges);
}
