// SPDX-License-Identifier: MIT
// C++: members written outside of their class, qualified names, specializations, smart pointers.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "begin.hpp", "#define LIB_BEGIN namespace lib { inline namespace v1 {\n"
                   "#define LIB_END }}\n"
                   "#define LIB_CHECK(x) ((x) ? 0 : 1)\n" },
    { "db.cc",
      "#include \"db.h\"\n"
      "namespace ns {\n"
      "DB::DB(int n) : size_(n), log_(nullptr) { size_ = n; }\n"
      "Status DB::Open(Slice name) {\n"
      "  Status s = Status::OK();\n"
      "  if (s.ok()) Reset(kFull);\n"
      "  auto copy = s; copy.ok();\n"
      "  for (const Slice& one : all_) one.data();\n"
      "  owned_->Write(name.data());\n"
      "  return s;\n"
      "}\n"
      "void DB::Reset(Mode m) { this->size_ = m; other.size_ = 1; }\n"
      "void DB::Inner::Go() { depth = 1; }\n"
      "int Use(Log* log) { return log->lines; }\n"
      "}\n"
      "int main() { ns::DB db(1); ns::DB::Inner in; in.Go(); return ns::Use(nullptr); }\n" },
    { "db.h", "#include <memory>\n"
              "#include <vector>\n"
              "#include \"log.h\"\n"
              "namespace ns {\n"
              "class Slice { public: const char* data() const; };\n"
              "class Status {\n"
              " public:\n"
              "  static Status OK() { return Status(); }\n"
              "  bool ok() const { return code_ == 0; }\n"
              " private:\n"
              "  int code_;\n"
              "};\n"
              "class DB {\n"
              " public:\n"
              "  explicit DB(int n);\n"
              "  Status Open(Slice name);\n"
              "  struct Inner { int depth; void Go(); };\n"
              " private:\n"
              "  enum Mode { kEmpty, kFull };\n"
              "  void Reset(Mode m);\n"
              "  int size_;\n"
              "  Log* log_;\n"
              "  std::vector<Slice> all_;\n"
              "  std::unique_ptr<Log> owned_;\n"
              "};\n"
              "}\n" },
    { "log.h", "namespace ns {\n"
               "class Log;\n"
               "class Log { public: int lines; void Write(const char* text); };\n"
               "}\n" },
    { "other.h", "namespace away {\n"
                 "class DB { public: DB(int n); void Reset(int m); int size_; };\n"
                 "class Status { public: bool ok(); };\n"
                 "}\n" },
    { "shape.h", "#include \"begin.hpp\"\n"
                 "LIB_BEGIN\n"
                 "namespace detail { int deep(); }\n"
                 "inline int area(int a) { return LIB_CHECK(a); }\n"
                 "}}\n" },
    { "table.h", "template <class T> struct table { T made; void draw() {} };\n"
                 "template <> struct table<int> { void fill() {} };\n" },
    { "use.cc", "#include \"shape.h\"\n"
                "#include \"table.h\"\n"
                "int use() {\n"
                "  table<int> s;\n"
                "  s.fill();\n"
                "  std::area(1);\n"
                "  return lib::area(2);\n"
                "}\n" },
};

KEN_TEST(cpp_what_is_written_outside_of_its_class_belongs_to_it)
{
    EXPECT("db.cc:3 size_", "db.h:21 size_ scoped");
    EXPECT("db.cc:3 DB", "db.h:13 DB imported");
    EXPECT("db.cc:6 Reset", "db.h:20 Reset scoped");
    EXPECT("db.cc:12 size_", "db.h:21 size_ exact");
    EXPECT("db.cc:13 Inner", "db.h:17 Inner imported");
}

KEN_TEST(cpp_a_class_is_meant_by_its_name_and_not_a_constructor)
{
    EXPECT("db.cc:16 DB", "db.h:13 DB imported");
    EXPECT("db.cc:4 DB", "db.h:13 DB imported");
}

KEN_TEST(cpp_members_of_typed_locals_are_found)
{
    EXPECT("db.cc:6 ok", "db.h:9 ok imported");
    EXPECT("db.cc:7 ok", "db.h:9 ok imported");
    EXPECT("db.cc:8 data", "db.h:5 data imported");
    EXPECT("db.cc:9 Write", "log.h:3 Write imported");
    EXPECT("db.cc:16 Go", "db.h:17 Go imported");
}

KEN_TEST(cpp_qualified_names_are_followed_part_by_part)
{
    EXPECT("db.cc:5 OK", "db.h:8 OK imported");
    EXPECT("db.cc:16 Inner", "db.h:17 Inner imported");
    EXPECT("db.cc:16 Use", "db.cc:14 Use scoped");
    EXPECT("use.cc:6 area", "external");
}

KEN_TEST(cpp_enumerators_are_seen_in_the_class_of_their_enum)
{
    EXPECT("db.cc:6 kFull", "db.h:19 kFull scoped");
}

KEN_TEST(cpp_bare_names_are_members_of_the_class_around)
{
    EXPECT("db.h:9 code_", "db.h:11 code_ scoped");
    EXPECT("db.h:16 Status", "db.h:6 Status scoped");
}

KEN_TEST(cpp_a_declared_class_leads_to_its_definition)
{
    EXPECT("db.h:22 Log", "log.h:3 Log imported");
    EXPECT("db.cc:14 lines", "log.h:3 lines imported");
}

KEN_TEST(cpp_namespaces_may_be_opened_by_macros)
{
    EXPECT("use.cc:7 area", "shape.h:4 area imported");
    EXPECT("shape.h:4 LIB_CHECK", "begin.hpp:3 LIB_CHECK imported");
}

KEN_TEST(cpp_a_specialization_is_a_piece_of_its_template)
{
    EXPECT("use.cc:4 table", "table.h:1 table imported");
    EXPECT("use.cc:5 fill", "table.h:2 fill imported");
}

KEN_TEST(cpp_nothing_is_guessed_by_name)
{
    EXPECT("db.cc:12 other", "external");
    EXPECT("db.cc:5 Status", "db.h:6 Status imported");
}

static ken_def_id def_at(graph_lab *lab, uint32_t file, const char *name, uint32_t nth)
{
    const ken_unit_text *u = ken_graph_unit(lab->graph, file);
    for (uint32_t d = 0; d < u->facts->n_symbols; d++)
        if (ken_str_eq_c(ken_graph_name(u, d), name) && !nth--)
            return d;
    kt_fail("no such definition");
    return 0;
}

KEN_TEST(cpp_declaration_and_definition_of_a_member_are_one)
{
    graph_lab lab;
    graph_lab_open(&lab, files, sizeof files / sizeof *files);
    ken_graph_def reset = { 1, def_at(&lab, 1, "Reset", 0) }, twins[8];
    kt_eq_u(ken_graph_twins(lab.graph, reset, twins, 8), 2);
    kt_eq_u(twins[1].file, 2);
    kt_eq_u(twins[1].def, def_at(&lab, 2, "Reset", 0));
    reset = twins[1];
    kt_eq_u(ken_graph_twins(lab.graph, reset, twins, 8), 2);
    kt_eq_u(twins[1].file, 1);
    graph_lab_close(&lab);
}

KEN_TEST(cpp_members_of_nested_classes_may_stand_outside)
{
    static const graph_lab_file nested[] = {
        { "a.cc", "#include \"a.h\"\n"
                  "namespace re {\n"
                  "void Prog::Inst::Init(int out) { out_ = out; }\n"
                  "int Prog::Inst::Deep::Get() { return 0; }\n"
                  "void use(Prog *p) {\n"
                  "  p->inst(1)->Init(2);\n"
                  "  p->inst(1)->deep.Get();\n"
                  "}\n"
                  "}\n" },
        { "a.h", "namespace re {\n"
                 "class Prog {\n"
                 " public:\n"
                 "  class Inst {\n"
                 "   public:\n"
                 "    class Deep { public: int Get(); };\n"
                 "    void Init(int out);\n"
                 "    int out_;\n"
                 "    Deep deep;\n"
                 "  };\n"
                 "  Inst *inst(int id) { return insts_; }\n"
                 "  Inst *insts_;\n"
                 "};\n"
                 "}\n" },
    };
    static const char *const edges[][2] = {
        { "a.cc:3 out_", "a.h:8 out_ scoped" },
        { "a.cc:6 Init", "a.h:7 Init imported" },
        { "a.cc:7 Get", "a.h:6 Get imported" },
    };
    graph_lab_check(nested, 2, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(cpp_macros_before_declarations_hide_nothing)
{
    static const graph_lab_file macros[] = {
        { "a.cc", "#include \"a.h\"\n"
                  "void use(ab::Box &b) { b.size(); b.grow(1); ab::made()->size(); }\n" },
        { "a.h", "#define AB_API __attribute__((visibility(\"default\")))\n"
                 "#define AB_CONST constexpr\n"
                 "namespace ab {\n"
                 "class Box : public Base<int> {\n"
                 "  AB_CONST Box(int n) noexcept\n"
                 "      : Base<int>(n), n_(n) {}\n"
                 "  AB_CONST ~Box() {}\n"
                 "  AB_CONST auto size() const -> int { return n_; }\n"
                 "  AB_CONST std::vector<int> grow(int by);\n"
                 "  int n_;\n"
                 "};\n"
                 "template <typename T> AB_API Box *made(T *t = nullptr);\n"
                 "}\n" },
    };
    static const char *const edges[][2] = {
        { "a.cc:2 size", "a.h:8 size imported" },   { "a.cc:2 grow", "a.h:9 grow imported" },
        { "a.cc:2 made", "a.h:12 made imported" },  { "a.h:8 n_", "a.h:10 n_ scoped" },
        { "a.h:12 AB_API", "a.h:1 AB_API scoped" }, { "a.h:9 AB_CONST", "a.h:2 AB_CONST scoped" },
    };
    graph_lab_check(macros, 2, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(cpp_destructors_may_be_called_by_name)
{
    static const graph_lab_file sets[] = {
        { "a.cc", "class Set {\n"
                  " public:\n"
                  "  ~Set() {}\n"
                  "  void reset(Set *other) { this->~Set(); other->~Set(); }\n"
                  "};\n" },
    };
    static const char *const edges[][2] = { { "a.cc:4 ~Set", "a.cc:3 ~Set exact" } };
    graph_lab_check(sets, 1, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(cpp_operators_may_be_called_by_name)
{
    static const graph_lab_file sets[] = {
        { "a.cc", "class Set {\n"
                  " public:\n"
                  "  int &operator[](int at);\n"
                  "  bool operator()(int n) const;\n"
                  "  Set &operator+=(int n) {\n"
                  "    if (n) operator()(n);\n"
                  "    return n > 3 ? *this : operator+=(2);\n"
                  "  }\n"
                  "};\n"
                  "int use(Set s, Set *p) {\n"
                  "  s.operator+=(1);\n"
                  "  return p->operator[](0);\n"
                  "}\n"
                  "bool Set::operator()(int n) const { return n > 0; }\n"
                  "decltype(auto) operator-(Set a, Set b) { return a; }\n" },
    };
    static const char *const edges[][2] = {
        { "a.cc:6 operator()", "a.cc:4 operator() scoped, a.cc:14 operator() scoped" },
        { "a.cc:7 operator+=", "a.cc:5 operator+= scoped" },
        { "a.cc:11 operator+=", "a.cc:5 operator+= scoped" },
        { "a.cc:12 operator[]", "a.cc:3 operator[] scoped" },
    };
    graph_lab_check(sets, 1, edges, sizeof edges / sizeof *edges);
}
