// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/alloc.h"
#include "ktest.h"
#include "lang/lang.h"
#include "lang/lang_check.h"
#include "lang/lang_priv.h"
#include "lang/lang_ref_rules.h"
#include "lang/lang_rules.h"

KEN_TEST(tables_fit_their_grammars)
{
    unsigned n_tables = 0;
    for (unsigned id = 0; id < KEN_LANG_COUNT; id++) {
        ken_lang_id lang = (ken_lang_id)id;
        if (!ken_lang_grammar(lang))
            continue;
        kt_not_null(ken_lang_rules(lang));
        ken_str first = KEN_STR("");
        uint32_t n = ken_lang_check_rules(lang, &first);
        if (n)
            kt_fail("%s.nodes has %u names that the grammar does not know, first in %s",
                    ken_lang_name(lang), n, first.ptr);
        n_tables++;
    }
    if (n_tables < 28)
        kt_skip("grammars", "some are not in this build");
}

KEN_TEST(reference_tables_fit_their_grammars)
{
    unsigned n_tables = 0;
    for (unsigned id = 0; id < KEN_LANG_COUNT; id++) {
        ken_lang_id lang = (ken_lang_id)id;
        ken_str first = KEN_STR("");
        uint32_t n = ken_lang_check_ref_rules(lang, &first);
        if (n)
            kt_fail("%s.refs has %u faults, first in %s", ken_lang_name(lang), n, first.ptr);
        n_tables += ken_lang_ref_rules(lang) != NULL;
    }
    if (n_tables < 5)
        kt_skip("grammars", "some are not in this build");
}

KEN_TEST(languages_without_a_grammar_have_no_rules)
{
    kt_null(ken_lang_rules(KEN_LANG_TEXT));
    kt_null(ken_lang_rules(KEN_LANG_COUNT));
    kt_null(ken_lang_grammar(KEN_LANG_MAKE));
    kt_false(ken_lang_misses_grammar(KEN_LANG_MAKE));
}

// ---- the second reading ------------------------------------------------------------------------

static const char *masked(ken_lang_id lang, const char *text)
{
    static char out[4096];
    size_t n = strlen(text);
    bool is_changed = ken_lang__mask(ken_lang_rules(lang), ken_str_n(text, n), out);
    out[n] = '\0';
    return is_changed ? out : "unchanged";
}

static void check_first(const char *text, const char *wanted)
{
    lang_masked out = { 0 };
    bool is_masked = ken_lang__mask_first(ken_lang_rules(KEN_LANG_CPP), ken_str_c(text), &out);
    kt_eq_text(is_masked ? ken_str_n(out.text, strlen(text)) : KEN_STR("unchanged"), wanted);
    ken_free(out.text);
    ken_vec_release(&out.names);
}

KEN_TEST(mask_leaves_out_directives_of_swift)
{
    kt_eq_str(masked(KEN_LANG_SWIFT, "a\n  #if os(x)\nb\r\n#else\r\nc\n#endif"),
              "a\n           \nb\r\n     \r\nc\n      ");
    kt_eq_str(masked(KEN_LANG_SWIFT, "a #if\n#iffy\n"), "unchanged");
}

KEN_TEST(mask_leaves_out_macros_of_c)
{
    kt_eq_str(masked(KEN_LANG_CPP, "FMT_BEGIN_NAMESPACE\nint a;\nFMT_END // x\n"),
              "                   \nint a;\n        // x\n");
    kt_eq_str(masked(KEN_LANG_CPP, "class FMT_API Foo {\n  AB_C(1, (2))\n  int a;"),
              "class         Foo {\n              \n  int a;");
    kt_eq_str(masked(KEN_LANG_C, "struct s {\n  UV_FIELDS\n};\n"), "struct s {\n           \n};\n");
    // What may be a value stays.
    kt_eq_str(masked(KEN_LANG_C, "enum e {\n  AA_B, // one\n  CC_D\n};\nint x =\n  AA_B\n  + 1;\n"),
              "unchanged");
    kt_eq_str(masked(KEN_LANG_C, "struct AA_B x;\nf(AA_B);\n"), "unchanged");
    kt_eq_str(masked(KEN_LANG_CPP, "x = a ||\n  AA_B\n;\nclass AA_B {\n"), "unchanged");
    kt_eq_str(masked(KEN_LANG_PYTHON, "AA_B\n"), "unchanged");
    kt_eq_str(masked(KEN_LANG_CPP, ""), "unchanged");
}

KEN_TEST(mask_leaves_out_macros_before_names_of_types)
{
    check_first("class FMT_API Foo {\n};\nstruct AB_C(1) c {};\n",
                "class         Foo {\n};\nstruct         c {};\n");
    check_first("AB_BEGIN\nint a\n  AB_INIT\n  = 1;\nAB_CALL(1)\nAB_END\n",
                "        \nint a\n  AB_INIT\n  = 1;\nAB_CALL(1)\n      \n");
    check_first("class FMT_API;\nstruct AA_B x;\nsubclass FMT_API Foo {\n", "unchanged");
    check_first("#define C class FMT_API Foo {\nclass AA_B {", "unchanged");
}

KEN_TEST(mask_leaves_out_macros_before_declarations)
{
    check_first("AB_API int f();\n  A_BC a::b<int> *g();\nA_BC A_BD auto k() {}\n",
                "       int f();\n       a::b<int> *g();\n          auto k() {}\n");
    check_first(
        "template <T> AB_CD auto h();\n  AB_CD ~C() {}\n  AB_CD C(int a)\n    : a_(a) {}\n",
        "template <T>       auto h();\n        ~C() {}\n        C(int a)\n    : a_(a) {}\n");
    check_first("AB_TYPE name;\nAB_TYPE f(int a);\nAB_TYPE const *p;\nAB_TYPE C::f() {}\n",
                "unchanged");
    check_first("x = AB_CD + c;\n  f(AB_CD int a);\n#define X AB_CD int f()\nAB_C(1) int g();\n",
                "unchanged");
}

KEN_TEST(mask_leaves_out_macros_behind_parameters)
{
    check_first("int f(int a) AB_CD;\na::b *c::g(void)\n  AB_CD AB_E(1, 2) {\n",
                "int f(int a)      ;\na::b *c::g(void)\n                   {\n");
    check_first("s<t> f() const AB_CD = 0;\nvoid (*f)(char *) AB_CD;\n",
                "s<t> f() const       = 0;\nvoid (*f)(char *)      ;\n");
    check_first("if (a) AB_CD;\n  f(a) AB_CD;\n  x = f() AB_CD;\nreturn f(void) AB_CD;\n",
                "unchanged");
    check_first("AB_F(int a) AB_CD;\nint f(int a) AB_CD +\n#define X int f(void) AB_CD;\n",
                "unchanged");
    check_first("int f(1) AB_CD;\n) AB_CD;\n(void) AB_CD;\nf) AB_CD;", "unchanged");
}

KEN_TEST(mask_leaves_out_directives_in_initialisers)
{
    check_first(
        "int a[] = {\n#include \"a.inc\"\n  1,\n# define B(x) \\\n  x\nB(2),\n};\n#undef B\n",
        "int a[] = {\n                \n  1,\n               \n   \nB(2),\n};\n#undef B\n");
    check_first("enum e {\n#include \"e.inc\"\n};\nvoid f(void) {\n#if A\n  g();\n#endif\n}\n",
                "unchanged");
    check_first("#define F(a) = {\n#define G 1\nint a = 1,\n#if B\n b,\n#endif\n c;\n",
                "unchanged");
    check_first("int a[] = {\n#if A\n", "int a[] = {\n     \n"); // nothing closes it
}

KEN_TEST(mask_leaves_out_what_macros_note_of_a_field)
{
    check_first("int a GUARDED_BY(m_);\nint b X_GUARDED_BY(f(1));\n",
                "int a               ;\nint b                   ;\n");
    check_first("#define GUARDED_BY(x)\nint GUARDED_BY;\nint a GUARDED_BYE(m_);\n", "unchanged");
    check_first("int a GUARDED_BY(m_", "unchanged"); // goes on where nothing closes it
    check_first("", "unchanged");
}
