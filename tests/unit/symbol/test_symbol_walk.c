// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "ktest.h"
#include "symbol_lab.h"

KEN_TEST(comments_above_are_documentation)
{
    kt_eq_str(lab_symbols(KEN_LANG_C, "// One.\n// Two.\nint f(void) { return 1; }\n"),
              "3-3 function f, public, documented\n    int f(void)\n"
              "2 comments, 0 bytes of errors\n");
    // An empty line parts them, unless the comment says that it documents.
    kt_eq_str(lab_symbols(KEN_LANG_C, "// One.\n\nint f(void) { return 1; }\n"),
              "3-3 function f, public\n    int f(void)\n1 comments, 0 bytes of errors\n");
    kt_eq_str(
        lab_symbols(KEN_LANG_C, "/** One. */\n\nint f(void) { return 1; }\n"),
        "3-3 function f, public, documented\n    int f(void)\n1 comments, 0 bytes of errors\n");
    // One behind code belongs to that code.
    kt_eq_str(lab_symbols(KEN_LANG_C, "int a; // One.\nint b;\n"),
              "1-1 variable a, public\n    int a;\n2-2 variable b, public\n    int b;\n"
              "1 comments, 0 bytes of errors\n");
}

KEN_TEST(comment_before_the_body_is_not_in_the_signature)
{
    kt_eq_str(lab_symbols(KEN_LANG_RUBY, "class A\n  # About a.\n  def a\n  end\nend\n"),
              "1-5 class A, public\n    class A\n3-4 method A > a, public, documented\n    def a\n"
              "1 comments, 0 bytes of errors\n");
}

KEN_TEST(attributes_belong_to_what_follows)
{
    kt_eq_str(lab_symbols(KEN_LANG_RUST, "/// Doc.\n#[test]\n#[x(y)]\nfn a() {}\n"),
              "2-4 function a, private, documented\n    fn a()\n"
              "1 comments, 0 bytes of errors\n");
    // A decorator inside the head of a class is not one of its first member.
    kt_eq_str(lab_symbols(KEN_LANG_JAVASCRIPT, "@dec class A { m() {} }\n"),
              "1-1 class A\n    @dec class A\n1-1 method A > m, public\n    m()\n"
              "0 comments, 0 bytes of errors\n");
}

KEN_TEST(wrappers_lend_their_span_only_to_what_is_directly_inside)
{
    kt_eq_str(lab_symbols(KEN_LANG_JAVASCRIPT, "export const f = () => {\n\n  class A {}\n}\n"),
              "1-4 function f, public\n    export const f = () =>\n3-3 class f > A\n    class A\n"
              "0 comments, 0 bytes of errors\n");
    kt_eq_str(lab_symbols(KEN_LANG_JAVASCRIPT, "const x = go(function () {\n  class A {}\n})\n"),
              "1-3 variable x\n    const x = go(function ()\n2-2 class x > A\n    class A\n"
              "0 comments, 0 bytes of errors\n");
}

KEN_TEST(g10_values_that_are_functions_are_functions)
{
    kt_eq_str(lab_symbols(KEN_LANG_JAVASCRIPT,
                          "const a = () => 1\nconst b = () => {\n  return 1\n}\n"
                          "function f() { const c = () => 1 }\nconst d = 1\n"
                          "class K { e = x => x }\n"),
              "1-1 function a\n    const a = () =>\n2-4 function b\n    const b = () =>\n"
              "5-5 function f\n    function f()\n6-6 variable d\n    const d = 1\n"
              "7-7 class K\n    class K\n7-7 method K > e, public\n    e = x =>\n"
              "0 comments, 0 bytes of errors\n");
    kt_eq_str(lab_symbols(KEN_LANG_PYTHON, "square = lambda x: x * x\n"),
              "1-1 function square, public\n    square = lambda x: x * x\n"
              "0 comments, 0 bytes of errors\n");
}

KEN_TEST(g11_what_is_exported_together_is_exported)
{
    kt_eq_str(lab_symbols(KEN_LANG_TYPESCRIPT, "export const one = 1, two = () => 2, three = 3\n"
                                               "const four = 4, five = 5\n"),
              "1-1 variable one, public\n    export const one = 1\n"
              "1-1 function two, public\n    two = () =>\n"
              "1-1 variable three, public\n    three = 3\n"
              "2-2 variable four\n    const four = 4\n2-2 variable five\n    five = 5\n"
              "0 comments, 0 bytes of errors\n");
}

KEN_TEST(methods_outside_of_their_class_have_an_owner)
{
    kt_eq_str(lab_symbols(KEN_LANG_GO, "package a\ntype T struct{}\nfunc (t *T) M() {}\n"
                                       "func (u U) N() {}\n"),
              "2-2 struct T, public\n    type T struct\n3-3 method T > M, public\n"
              "    func (t *T) M()\n4-4 method N, public\n    func (u U) N()\n"
              "0 comments, 0 bytes of errors\n");
}

KEN_TEST(constructors_of_cpp_are_known_without_their_class)
{
    kt_eq_str(lab_symbols(KEN_LANG_CPP, "class A {\n  A();\n  A(int n) : n(n) {}\n  ~A();\n"
                                        "  void f();\n};\nA::A() {}\nA::~A() {}\n"
                                        "void A::f() {}\n"),
              "1-6 class A, public\n    class A\n"
              "2-2 constructor A > A, private\n    A();\n"
              "3-3 constructor A > A, private\n    A(int n) : n(n)\n"
              "4-4 method A > ~A, private\n    ~A();\n"
              "5-5 method A > f, private\n    void f();\n"
              "7-7 constructor A > A, public\n    A::A()\n"
              "8-8 method A > ~A, public\n    A::~A()\n"
              "9-9 method A > f, public\n    void A::f()\n0 comments, 0 bytes of errors\n");
}

// "variable a, variable b": kinds and names alone.
static void definitions_are(ken_lang_id lang, const char *text, const char *want)
{
    ken_extraction x = { 0 };
    ken_buf got = KEN_BUF_INIT(0);
    lab_extract(lang, ken_str_c(text), &x);
    for (size_t i = 0; i < x.symbols.len; i++) {
        const ken_symbol *s = &x.symbols.ptr[i];
        ken_buf_printf(&got, "%s%s " KEN_STR_FMT "%s%s", i ? ", " : "",
                       ken_symbol_kind_word(s->kind), KEN_STR_ARG(s->name),
                       s->visibility == KEN_VISIBILITY_PRIVATE ? " -" : "", s->doc.end ? " *" : "");
    }
    kt_eq_text(ken_buf_str(&got), want);
    ken_buf_release(&got);
    ken_extraction_release(&x);
}

KEN_TEST(macros_of_cpp_hide_no_members)
{
    // A comment of a thousand bytes: the damage is a small part of the file.
    char text[2000];
    int n = snprintf(text, sizeof text, "//%01000d\n", 0);
    snprintf(text + n, sizeof text - (size_t)n,
             "class LIB_EXPORT It {\n public:\n  It();\n  virtual bool valid() const = 0;\n"
             "  int n;\n  Map* map_ LIB_GUARDED_BY(lock_);\n};\n");
    definitions_are(KEN_LANG_CPP, text,
                    "class It *, constructor It, method valid, field n, field map_");
}

KEN_TEST(each_of_several_declarators_is_a_definition)
{
    definitions_are(KEN_LANG_C, "int a, *b = 0, c[3];\nstruct s { int x, *y; };\n",
                    "variable a, variable b, variable c, struct s, field x, field y");
    definitions_are(KEN_LANG_CPP, "int a{1}, &b = a;\nclass c { public: int x = f(1, 2), y; };\n",
                    "variable a, variable b, class c, field x, field y");
    definitions_are(KEN_LANG_JAVA, "class A { int a = f(1, 2), b; }\n",
                    "class A, field a, field b");
    definitions_are(KEN_LANG_CSHARP, "class A { public int a = 1, b; event E e, f; }\n",
                    "class A, field a, field b, property e -, property f -");
    definitions_are(KEN_LANG_PHP, "<?php class A { public $a, $b; const X = 1, Y = 2; }\n",
                    "class A, property a, property b, constant X, constant Y");
    definitions_are(KEN_LANG_JAVASCRIPT, "const a = 1, b = 2;\nvar c, d;\n",
                    "variable a, variable b, variable c, variable d");
    definitions_are(KEN_LANG_GO, "package p\nvar a, b int\n", "variable a, variable b");
}

// " -" is private, " *" documented.
KEN_TEST(ruby_says_what_is_private_in_three_ways)
{
    definitions_are(KEN_LANG_RUBY,
                    "class A\n  def a; end\n  def b; end\n  def c; end\n  private :a, :b\n"
                    "  # Doc.\n  private def d\n  end\n  private attr_reader :e, :f\n"
                    "  def self.g; end\n  private_class_method :g\n  K = 1\n"
                    "  private_constant :K\n  def h; end\n  private\n  def i; end\n"
                    "  public def j; end\nend\ndef a; end\n",
                    "class A, method a -, method b -, method c, method d - *, property e -, "
                    "property f -, method g -, constant K -, method h, method i -, method j, "
                    "function a");
}

KEN_TEST(clauses_are_one_definition)
{
    kt_eq_str(lab_symbols(KEN_LANG_HASKELL, "f :: Int -> Int\nf 0 = 1\n-- more\nf n = n\n"),
              "1-4 function f\n    f :: Int -> Int\n1 comments, 0 bytes of errors\n");
}

KEN_TEST(embedded_code_keeps_its_lines)
{
    kt_eq_str(lab_symbols(KEN_LANG_HTML, "<p>\n</p>\n<script>\n// c\nfunction f() {}\n</script>\n"),
              "1-2 element p\n    <p>\n3-6 element script\n    <script>\n"
              "5-5 function script > f, documented\n    function f()\n"
              "1 comments, 0 bytes of errors\n");
    kt_eq_str(lab_symbols(KEN_LANG_RUST, "cfg! {\n    pub fn a() {}\n}\n"),
              "2-2 function a, public\n    pub fn a()\n0 comments, 0 bytes of errors\n");
}

KEN_TEST(heads_inside_errors_are_definitions)
{
    const char *dump = lab_symbols(KEN_LANG_KOTLIN, "class A {\n    fun a() {}\n"
                                                    "    fun b() { x($$\"y\") \"\n}\n");
    kt_has_str(dump, "class A, public");
    kt_has_str(dump, "method A > a, public");
}

// A grammar without a preprocessor takes the macro behind the parameters for the function.
KEN_TEST(macros_behind_parameters_do_not_take_the_name)
{
    definitions_are(KEN_LANG_CPP,
                    "void a::stop(int n) X_EXCLUDED_(mu) {\n}\nstruct b {\n"
                    "  int size() const X_PURE;\n};\n",
                    "method stop, struct b, method size");
    kt_eq_str(lab_symbols(KEN_LANG_C,
                          "int f(int a) X_MUST_USE;\nint g(void) X_COLD\n{\n    return 1;\n}\n"),
              "2-5 function g, public\n    int g(void) X_COLD\n0 comments, 0 bytes of errors\n");
}

KEN_TEST(the_number_of_symbols_is_bounded)
{
    ken_buf text = KEN_BUF_INIT(16 << 20);
    for (int i = 0; i < KEN_MAX_SYMBOLS + 100; i++)
        ken_buf_printf(&text, "v%d = 1\n", i);
    ken_extraction x = { 0 };
    lab_extract(KEN_LANG_PYTHON, ken_buf_str(&text), &x);
    kt_eq_u(x.symbols.len, KEN_MAX_SYMBOLS);
    ken_extraction_clear(&x);
    kt_eq_u(x.symbols.len + x.imports.len + x.comments.len + x.injections.len, 0);
    ken_extraction_release(&x);
    ken_buf_release(&text);
}

// Asking a node for its parent costs its depth, so the walk must not; 30000 levels took minutes.
KEN_TEST(deep_nesting_is_walked_in_linear_time)
{
    static const struct {
        ken_lang_id lang;
        const char *open, *close;
    } cases[] = {
        { KEN_LANG_JAVA, "class A {", "}" },         { KEN_LANG_CSHARP, "namespace A {", "}" },
        { KEN_LANG_CPP, "namespace a {", "}" },      { KEN_LANG_JSON, "{\"a\":", "}" },
        { KEN_LANG_JAVASCRIPT, "function(){", "}" }, { KEN_LANG_RUBY, "module A\n", "end\n" },
        { KEN_LANG_RUST, "mod a {", "}" },           { KEN_LANG_C, "{", "}" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ken_buf text = KEN_BUF_INIT(16 << 20);
        for (int k = 0; k < 30000; k++)
            ken_buf_puts(&text, cases[i].open);
        for (int k = 0; k < 30000; k++)
            ken_buf_puts(&text, cases[i].close);
        ken_extraction x = { 0 };
        lab_extract(cases[i].lang, ken_buf_str(&text), &x);
        ken_extraction_release(&x);
        ken_buf_release(&text);
    }
}

// What the grammar rejects of TypeScript is written so that it does not.
KEN_TEST(g19_members_of_a_type_need_no_separator)
{
    kt_eq_str(lab_symbols(KEN_LANG_TYPESCRIPT, "interface Get<E extends object> {\n"
                                               "  <K extends keyof E>(key: K): E[K]\n"
                                               "  <K extends string>(key: K): Pair<K, E>\n"
                                               "  // a comment; of two\n"
                                               "  (key: number): `a${'{'}b` | /* } */ void\n"
                                               "  new (key: number): Get<E>\n"
                                               "}\n"
                                               "export type Use = {\n"
                                               "  <T>(first: T | (() => T)): [T, string]\n"
                                               "  <T = undefined>(): [T, number]\n"
                                               "}\n"
                                               "interface Keys {\n"
                                               "  from?: Array<string>\n"
                                               "  in?: string\n"
                                               "  in2?: string\n"
                                               "}\n"
                                               "export function after() {}\n"),
              "1-7 interface Get\n    interface Get<E extends object>\n"
              "8-11 type Use, public\n    export type Use =\n"
              "12-16 interface Keys\n    interface Keys\n"
              "13-13 property Keys > from, public\n    from?: Array<string>\n"
              "14-14 property Keys > in, public\n    in?: string\n"
              "15-15 property Keys > in2, public\n    in2?: string\n"
              "17-17 function after, public\n    export function after()\n"
              "2 comments, 0 bytes of errors\n");
    kt_eq_str(lab_symbols(KEN_LANG_TYPESCRIPT,
                          "export type * from './a'\nexport type * as b from './b'\n"
                          "export interface Box<in T, out U = number> { a: T }\n"
                          "const m = load<typeof import('redux')>()\n"),
              "3-3 interface Box, public\n    export interface Box<in T, out U = number>\n"
              "3-3 property Box > a, public\n    a: T\n"
              "4-4 variable m\n    const m = load<typeof import('redux')>()\n"
              "1 re-export ./a\n2 re-export ./b\n0 comments, 0 bytes of errors\n");
}

// Code that looks like it stays as it is, and damage that is none of these stays damage.
KEN_TEST(g19_what_is_no_type_is_not_repaired)
{
    kt_eq_str(lab_symbols(KEN_LANG_TYPESCRIPT,
                          "const x = make\n  (1)\nconst re = /[/'\"{]/, t = `${ { a: 1 } }`\n"
                          "interface A {\n  m\n    <T>(x: T): void\n}\nlet = = ;\n"),
              "1-2 variable x\n    const x = make\n3-3 variable re\n    const re = /[/'\"{]/\n"
              "3-3 variable t\n    t = `${ { a: 1 } }`\n4-7 interface A\n    interface A\n"
              "5-6 method A > m, public\n    m\n0 comments, 3 bytes of errors\n");
}
