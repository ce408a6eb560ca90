// SPDX-License-Identifier: MIT
// Dead code: what is listed has no use; what may have one is of a class of its own.
#include "calls_lab.h"

static ken_dead_result found;

static void ask(const char *folder, bool wants_all)
{
    ken_dead_opts o = { .folder = ken_str_c(folder), .limit = 100, .wants_all = wants_all };
    kt_ok_err(ken_find_dead(snap, &o, NULL, &l.arena, &found, &l.err), &l.err);
}

// "load: unused, helper: text"
static void is_listed(const char *expected)
{
    ken_buf b = KEN_BUF_INIT(0);
    for (size_t i = 0; i < found.n; i++)
        ken_buf_printf(&b, "%s" KEN_STR_FMT ": %s", i ? ", " : "",
                       KEN_STR_ARG(found.items[i].node.name),
                       ken_dead_class_word(found.items[i].class));
    kt_eq_text(ken_buf_str(&b), expected);
    ken_buf_release(&b);
}

static void all_of(const char *expected)
{
    ask("", true);
    is_listed(expected);
}

KEN_TEST(g7_what_nothing_says_is_dead)
{
    start("a.c", "static int used(void) { return 1; }\n"
                 "static int lost(int n) { return n ? lost(n - 1) : 0; }\n"
                 "static int quiet(void) { return 2; }\n"
                 "int main(void) { return used(); }\n");
    go();
    ask("", false);
    is_listed("lost: unused, quiet: unused"); // what calls itself alone is dead, too
    kt_eq_text(found.items[1].why, "no place in the tree uses it");
    kt_eq_u(found.n_total, 2);
    end();
}

KEN_TEST(g27_a_name_that_is_said_and_not_understood_is_not_dead)
{
    start("a.py",
          "class Box:\n    def _open(self):\n        return 1\n\n    def _shut(self):\n"
          "        return 2\n\n\ndef run(thing):\n    return thing._open()\n\n\nrun(Box())\n");
    go();
    all_of("_shut: unused, _open: named");
    ask("", false);
    is_listed("_shut: unused");
    kt_eq_u(found.n_by_class[KEN_DEAD_NAMED], 1);
    kt_eq_u(found.n_total, 1);
    end();
}

KEN_TEST(g7_exported_names_are_a_class_of_their_own)
{
    start("go.mod", "module example.org/m\n");
    lab_write(&l, "lib/lib.go",
              "package lib\n\nfunc Open() int { return 1 }\n\n"
              "func shut() int { return 2 }\n");
    lab_write(&l, "main.go", "package main\n\nfunc Alone() int { return 3 }\n\nfunc main() {}\n");
    lab_write(&l, "ts/a.ts",
              "export function shown() {}\nfunction hidden() {}\nhidden.name;\n"
              "function gone() {}\n");
    lab_write(&l, "pkg/__init__.py", "");
    lab_write(&l, "pkg/a.py", "def offered():\n    return 1\n\n\ndef _own():\n    return 2\n");
    lab_write(&l, "J.java",
              "package j;\npublic class J {\n  public int open() { return 1; }\n"
              "  private int shut() { return 2; }\n}\n");
    go();
    ask("", true);
    kt_eq_u(found.n_by_class[KEN_DEAD_EXPORTED], 4); // Open, shown, offered, J.open
    ask("", false);
    is_listed("shut: unused, shut: unused, Alone: unused, _own: unused, gone: unused");
    ask("lib", false);
    is_listed("shut: unused");
    end();
}

// encoding/json calls MarshalJSON of whatever it is given.
KEN_TEST(exported_methods_of_go_may_be_asked_for_by_an_interface)
{
    start("go.mod", "module example.org/m\n");
    lab_write(&l, "main.go",
              "package main\n\nimport \"encoding/json\"\n\ntype box struct{ n int }\n\n"
              "func (b box) MarshalJSON() ([]byte, error) { return nil, nil }\n\n"
              "func (b box) seal() int { return b.n }\n\n"
              "func main() { json.Marshal(box{1}) }\n");
    go();
    ask("", true);
    kt_eq_u(found.n_by_class[KEN_DEAD_EXPORTED], 1);
    ask("", false);
    is_listed("seal: unused");
    end();
}

// A field, a parameter and a local variable of Java are never what is called.
KEN_TEST(a_variable_of_the_name_does_not_hide_what_is_called)
{
    start(
        "A.java",
        "package p;\nclass A {\n"
        "    private int size() { return 1; }\n"
        "    private int width() { return 1; }\n"
        "    private int depth() { return 2; }\n"
        "    private int lone() { return 3; }\n"
        "    private void run() { int size = size(); new In(size).at(size); start(new Runnable() {\n"
        "        public void run() { } }); }\n"
        "    private void start(Runnable r) { run(); }\n"
        "    private class In {\n"
        "        final int width;\n"
        "        In(int n) { width = width(); }\n"
        "        int at(int depth) { return depth(); }\n"
        "    }\n}\n");
    go();
    ask("", false);
    is_listed("lone: unused");
    end();
}

KEN_TEST(what_a_module_finds_by_name_is_no_dead_code)
{
    start("suite.py", "def bench_a():\n    return 1\n\n\ndef run():\n"
                      "    for name in globals():\n        globals()[name]()\n\n\nrun()\n");
    lab_write(&l, "other.py", "def _bench_b():\n    return 1\n");
    go();
    ask("", true);
    kt_eq_u(found.n_by_class[KEN_DEAD_LISTED], 1);
    ask("", false);
    is_listed("_bench_b: unused");
    end();
}

KEN_TEST(g7_implementations_are_a_class_of_their_own)
{
    start("a/Shape.java", "package a;\ninterface Shape {\n    int area();\n}\n");
    lab_write(&l, "a/Square.java",
              "package a;\nclass Square implements Shape, Runnable {\n"
              "    int area() { return 1; }\n    void run() { }\n}\n");
    lab_write(&l, "a/Use.java", "package a;\nclass Use { Object o = new Square(); Use u; }\n");
    go();
    ask("a", true);
    kt_eq_u(found.n_by_class[KEN_DEAD_IMPLEMENTATION], 3);
    kt_eq_u(found.n_by_class[KEN_DEAD_UNUSED], 1); // Use itself
    end();
}

KEN_TEST(g7_decorated_definitions_are_a_class_of_their_own)
{
    start("a.py", "import app\n\n\n@app.route('/')\ndef _page():\n    return 1\n");
    lab_write(&l, "b.rs", "#[no_mangle]\nfn exported_to_c() {}\n\nfn lost() {}\nfn main() {}\n");
    go();
    all_of("lost: unused, _page: registered, exported_to_c: registered");
    end();
}

KEN_TEST(g7_twins_of_an_if_are_a_class_of_their_own)
{
    start("a.c", "#ifdef A\nstatic int pick(void) { return 1; }\n#else\n"
                 "static int pick(void) { return 2; }\n#endif\n"
                 "int main(void) { return pick(); }\n");
    lab_write(&l, "m/go.mod", "module example.org/m\n");
    lab_write(&l, "m/p_linux.go", "package m\n\nfunc plat() int { return 1 }\n");
    lab_write(&l, "m/p_darwin.go", "package m\n\nfunc plat() int { return 2 }\n");
    lab_write(&l, "m/use.go", "package m\n\nfunc Use() int { return plat() }\n");
    go();
    ask("", false);
    is_listed("");
    end();
}

KEN_TEST(g7_names_in_strings_macros_and_markup_are_a_class_of_their_own)
{
    start("a.c", "#define CALL(x) by_macro(x)\nint used(int v) { return CALL(v); }\n"
                 "static int by_macro(int v) { return v; }\n"
                 "static const char *t = \"see by_text here\";\n"
                 "static int by_text(void) { return 1; }\n"
                 "#define GREETING \"hello\"\nstatic const char *g = \"a\" GREETING \"b\";\n"
                 "static int lost(void) { return 2; } // by_text, lost\n");
    lab_write(&l, "page.html",
              "<button onclick=\"by_page()\">x</button>\n"
              "<script>\nfunction in_page() { return 1 }\nin_page();\n</script>\n");
    lab_write(&l, "page.js", "function by_page() {}\n");
    lab_write(&l, "jobs.yaml", "run: by_setting\n");
    lab_write(&l, "jobs.py", "def by_setting():\n    return 1\n");
    lab_write(&l, "README.md", "`lost()` is described here\n");
    go();
    ask("", true);
    kt_eq_u(found.n_by_class[KEN_DEAD_TEXT], 5);
    ask("", false);
    for (size_t i = 0; i < found.n; i++)
        kt_false(ken_str_starts(found.items[i].node.name, KEN_STR("by_")) ||
                 ken_str_eq(found.items[i].node.name, KEN_STR("in_page")) ||
                 ken_str_eq(found.items[i].node.name, KEN_STR("GREETING")));
    kt_true(found.n >= 1); // lost: comments and prose use nothing
    end();
}

// A variable may hold it: places that say a variable are no references.
KEN_TEST(g27_what_is_local_and_said_beside_is_not_dead)
{
    start("a.py", "def create(config):\n"
                  "    class Custom:\n        pass\n\n"
                  "    if config:\n        Custom = config\n\n"
                  "    def other():\n        return 1\n\n"
                  "    return hasattr(Custom, 'x')\n\n\n"
                  "create(1)\n");
    lab_write(&l, "b.ts",
              "export function apply(f: any, list: any) {\n  let wrapped = f\n"
              "  if (list) {\n    wrapped = function (x: any) { return f(x) }\n  }\n"
              "  return list.map(wrapped)\n}\n");
    go();
    all_of("other: unused, Custom: text, apply: exported");
    end();
}

KEN_TEST(g7_an_attribute_of_a_block_is_about_its_methods)
{
    start("a.rs", "struct T;\n#[pymethods]\nimpl T {\n    fn __traverse__(&self) -> u32 { 1 }\n}\n"
                  "impl T {\n    fn lost(&self) -> u32 { 2 }\n}\nfn main() { T; }\n");
    go();
    all_of("lost: unused, __traverse__: registered");
    end();
}

// A comment behind an attribute does not part it from its function; what another platform compiles and
// what stands in for a type in the same folder are used there.
KEN_TEST(g27_other_configurations_of_rust_are_not_dead)
{
    start("src/a.rs", "#[cfg(windows)]\nmod imp {\n    pub(crate) fn cred() -> i32 { 2 }\n}\n"
                      "#[ignore] // takes long\nfn slow() {}\n"
                      "/// Doc.\n#[ignore] // takes long\nfn slower() {}\n"
                      "struct Mock;\nimpl Mock {\n    fn ask(&self) {}\n    fn lost(&self) {}\n}\n"
                      "fn main() { Mock; }\n");
    lab_write(&l, "src/b.rs",
              "pub struct Mock;\nimpl Mock {\n    pub fn ask(&self) {}\n}\n"
              "pub fn use_it(m: &Mock) { m.ask(); }\n");
    go();
    ask("", false);
    is_listed("lost: unused");
    end();
}

KEN_TEST(g7_a_part_of_a_module_that_stands_elsewhere_is_exported)
{
    start("a.ts",
          "declare module '@vue/runtime-core' {\n  interface AllowedAttrs { a: string }\n}\n"
          "namespace Inner { interface Hidden { a: string } }\n");
    go();
    all_of("Hidden: unused, AllowedAttrs: exported");
    end();
}

// What is declared for all files or for code elsewhere is used by whoever has it.
KEN_TEST(g7_what_is_declared_for_everybody_is_exported)
{
    start("a.ts", "export {}\ndeclare global {\n  interface Window { state: string }\n"
                  "  namespace Express { interface Request { user: string } }\n"
                  "  class Known { go(): void }\n}\n"
                  "export declare namespace Given { interface Part { a: string } }\n"
                  "declare namespace Own { interface Lost { a: string } }\n"
                  "namespace Inner { interface Hidden { a: string } }\n");
    lab_write(&l, "env.d.ts",
              "interface ImportMeta { env: string }\ndeclare class Sketch {}\n"
              "declare namespace Shape { interface Side { a: string } }\n");
    lab_write(&l, "b.ts", "interface Alone { a: string }\n");
    go();
    ask("", false);
    is_listed("Lost: unused, Hidden: unused, Alone: unused");
    end();
}

// Destructors and conversions are called without a name; a friend is declared as what it is elsewhere.
KEN_TEST(g27_what_cpp_calls_itself_is_not_dead)
{
    start("a.cc", "namespace n {\nclass style {\n  friend style bg(int x);\n"
                  "  friend style make(int x) { return style(); }\n  int v_;\n};\n"
                  "style bg(int x) { style s; return s; }\n"
                  "class file {\n  ~file();\n  operator int() const { return 1; }\n"
                  "  operator style() const { return style(); }\n  int lost();\n};\n"
                  "file::~file() { }\n}\n"
                  "int main() { n::file f; n::bg(1); return 0; }\n");
    go();
    ask("", false);
    is_listed("lost: unused");
    end();
}

KEN_TEST(dead_is_cut_by_its_limit_and_counted_in_all)
{
    start("a.c", "static int f1(void) { return 1; }\nstatic int f2(void) { return 1; }\n"
                 "static int f3(void) { return 1; }\n");
    go();
    ken_dead_opts o = { .limit = 2 };
    kt_ok_err(ken_find_dead(snap, &o, NULL, &l.arena, &found, &l.err), &l.err);
    kt_eq_u(found.n, 2);
    kt_eq_u(found.n_total, 3);
    end();
}

KEN_TEST(i3_tests_are_counted_in_all)
{
    start("a.py", "def work():\n    return 1\n");
    ken_buf b = KEN_BUF_INIT(0);
    ken_buf_puts(&b, "from a import work\n\n");
    for (int i = 0; i < 25; i++)
        ken_buf_printf(&b, "\ndef test_%d():\n    work()\n\n", i);
    lab_write(&l, "test_a.py", ken_buf_str(&b).ptr);
    ken_buf_release(&b);
    go();
    ken_dependent *tests;
    size_t n, n_total;
    kt_ok_err(ken_tests_for(snap, &(ken_tests_for_opts){ .what = KEN_STR("work"), .limit = 5 },
                            NULL, &l.arena, &tests, &n, &n_total, &l.err),
              &l.err);
    kt_eq_u(n, 5);
    kt_eq_u(n_total, 25);
    kt_ok_err(ken_tests_for(snap, &(ken_tests_for_opts){ .what = KEN_STR("work"), .limit = 1000 },
                            NULL, &l.arena, &tests, &n, &n_total, &l.err),
              &l.err);
    kt_eq_u(n, 25);
    ken_impact m;
    ken_impact_opts o = { .symbol = KEN_STR("work"), .max_depth = 5 };
    kt_ok_err(ken_query_impact(snap, &o, NULL, &l.arena, &m, &l.err), &l.err);
    kt_eq_u(m.n_tests_total, 25);
    ken_usages u;
    ken_usages_opts uo = { .name = KEN_STR("work") };
    kt_ok_err(ken_find_usages(snap, &uo, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_u(m.n_places, u.n_total);
    end();
}
