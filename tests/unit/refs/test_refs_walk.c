// SPDX-License-Identifier: MIT
// What the walk makes of names: scopes, assignments, members, and what it must bear.
#include <stdio.h>
#include <string.h>

#include "ktest.h"
#include "refs_lab.h"

KEN_TEST(locals_hide_names_until_their_scope_ends)
{
    const char *d = refs_lab_dump(KEN_LANG_C, "void f(int a)\n{\n    {\n        T *b = a;\n"
                                              "        b->c();\n    }\n    b->c();\n}\n");
    kt_eq_str(d, "4:9 type name(T)\n5:12 call member(value(name(T)), c)\n7:5 read name(b)\n"
                 "7:8 call member(name(b), c)\n1:1 function f = builtin(void) params=1..1\n");
}

KEN_TEST(an_unknown_assignment_does_not_erase_what_is_known)
{
    const char *d = refs_lab_dump(KEN_LANG_PYTHON, "def f(x):\n    a = T()\n    a = x\n    a.go()\n"
                                                   "    a = U()\n    a.go()\n");
    kt_has_str(d, "4:7 call member(call(name(T), 0), go)\n");
    kt_has_str(d, "6:7 call member(call(name(U), 0), go)\n");
}

KEN_TEST(a_local_of_a_lambda_ends_with_it)
{
    const char *d =
        refs_lab_dump(KEN_LANG_TYPESCRIPT, "function f(t: T) {\n  g((t: U) => t.a);\n  t.b;\n}\n");
    kt_has_str(d, "2:17 read member(value(name(U)), a)\n");
    kt_has_str(d, "3:5 read member(value(name(T)), b)\n");
}

KEN_TEST(a_variable_of_the_function_outlives_the_loop_it_was_set_in)
{
    const char *d = refs_lab_dump(KEN_LANG_PYTHON,
                                  "def f(xs):\n    for x in xs:\n        a = T()\n    a.go()\n");
    kt_has_str(d, "4:7 call member(call(name(T), 0), go)\n");
}

KEN_TEST(a_field_is_implied_once_with_what_is_known_of_it)
{
    const char *d = refs_lab_dump(KEN_LANG_PYTHON,
                                  "class A:\n    def __init__(self):\n        self.x = None\n"
                                  "        self.x = T()\n    def f(self):\n        self.x = 1\n");
    kt_has_str(d, "3:14 implied field A.x = call(name(T), 0)\n");
    kt_null(strstr(strstr(d, "implied") + 1, "implied"));
}

KEN_TEST(what_an_expression_does_not_reach_is_no_part_of_it)
{
    // Neither a nor b is what c is a member of.
    const char *d = refs_lab_dump(KEN_LANG_JAVASCRIPT, "(a + b).c;\n(a).c;\n");
    kt_eq_str(d, "1:2 read name(a)\n1:6 read name(b)\n1:9 read member(?, c)\n2:2 read name(a)\n"
                 "2:5 read member(name(a), c)\n");
}

KEN_TEST(damaged_and_empty_text_is_borne)
{
    static const char *const texts[] = { "",
                                         "(((",
                                         "class",
                                         "def f(",
                                         "x.",
                                         "a.b.c = ",
                                         "import ",
                                         "function (",
                                         "{[({[(",
                                         "new new new",
                                         "=> => =>",
                                         "for (const of of",
                                         "@",
                                         "@a.b(",
                                         "struct { struct {" };
    for (unsigned lang = 0; lang < KEN_LANG_COUNT; lang++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            if (ken_lang_ref_rules((ken_lang_id)lang))
                kt_not_null(refs_lab_dump((ken_lang_id)lang, texts[i]));
}

KEN_TEST(depth_costs_memory_and_nothing_else)
{
    enum {
        DEPTH = 4000
    };
    static const char *const parts[] = { "f(a.",  "[a,", "for(a of b)", "function f(){this.",
                                         "(a)=>", "a=" };
    static char text[DEPTH * 32];
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        size_t n = strlen(parts[p]);
        for (size_t i = 0; i < DEPTH; i++)
            memcpy(text + i * n, parts[p], n);
        refs_lab lab;
        refs_lab_open(&lab, KEN_LANG_JAVASCRIPT, ken_str_n(text, DEPTH * n));
        refs_lab_check(&lab);
        refs_lab_close(&lab);
    }
}

KEN_TEST(a_deep_expression_is_printed_cut)
{
    char text[512] = "a";
    for (size_t i = 0; i < 40; i++)
        memcpy(text + 1 + 2 * i, ".b", 3);
    kt_has_str(refs_lab_dump(KEN_LANG_JAVASCRIPT, text), "…");
}

KEN_TEST(routes_are_kept_with_their_handlers)
{
    const char *d =
        refs_lab_dump(KEN_LANG_JAVASCRIPT, "app.get('/a', auth, list);\nlog('/b');\nlog('b');\n"
                                           "app.on(\"end\", () => 1);\napp.get(x, '/c');\n");
    kt_eq_str(strstr(d, "1:10 text"),
              "1:10 text '/a' of member(name(app), get) handler name(list)\n"
              "2:6 text '/b' of name(log)\n"
              "4:9 text 'end' of member(name(app), on) handler lambda(builtin(number))\n");
}
