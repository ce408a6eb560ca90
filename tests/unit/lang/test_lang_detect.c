// SPDX-License-Identifier: MIT
#include "ktest.h"
#include "lang/lang.h"

static const char *name_of(const char *path, const char *head)
{
    return ken_lang_name(ken_lang_of(ken_str_c(path), ken_str_c(head)));
}

KEN_TEST(extensions_and_names)
{
    kt_eq_str(name_of("a/b.py", ""), "python");
    kt_eq_str(name_of("a/B.TSX", ""), "tsx");
    kt_eq_str(name_of("x.d.ts", ""), "typescript");
    kt_eq_str(name_of("x.cc", ""), "cpp");
    kt_eq_str(name_of("Rakefile", ""), "ruby");
    kt_eq_str(name_of("src/Makefile.am", ""), "make");
    kt_eq_str(name_of("Dockerfile.dev", ""), "dockerfile");
    kt_eq_str(name_of("sub/CMakeLists.txt", ""), "cmake");
    kt_eq_str(name_of("App.vue", ""), "vue");
    kt_eq_str(name_of(".eslintrc", ""), "json");
    kt_eq_str(name_of("LICENSE", ""), "text");
    kt_eq_str(name_of("unheard.of", ""), "text");
    kt_eq_str(name_of("", ""), "text");
}

KEN_TEST(shebang_decides_when_the_name_does_not)
{
    kt_eq_str(name_of("bin/run", "#!/bin/sh\necho"), "bash");
    kt_eq_str(name_of("run", "#!/usr/bin/env -S python3.11 -u\n"), "python");
    kt_eq_str(name_of("run", "#! /usr/bin/node\n"), "javascript");
    kt_eq_str(name_of("run", "#!/usr/bin/env bats\n"), "bash");
    kt_eq_str(name_of("run", "#!/usr/bin/perl -w\n"), "other");
    kt_eq_str(name_of("run", "#!/opt/nothing\n"), "text");
    kt_eq_str(name_of("run.rb", "#!/bin/sh\n"), "ruby");
}

KEN_TEST(headers_are_cpp_when_their_code_says_so)
{
    kt_eq_str(name_of("a.h", "int f(void);\n"), "c");
    kt_eq_str(name_of("a.h", "/* class Foo, std::string\n using this */\nint f(void);\n"), "c");
    kt_eq_str(name_of("a.h", "#ifdef __cplusplus\nextern \"C\" {\nclass X;\n#endif\nint f();\n"),
              "c");
    kt_eq_str(name_of("a.h", "// A.\n\n  namespace x {\n"), "cpp");
    kt_eq_str(name_of("a.h", "template<class T> struct A;\n"), "cpp");
    kt_eq_str(name_of("a.h", "/* long\n comment */ class A {\n"), "cpp");
    kt_eq_str(name_of("a.h", "inline int f() { return std::max(1, 2); }\n"), "cpp");
    kt_eq_str(name_of("a.h", "#import <UIKit/UIKit.h>\n@interface A : B\n"), "other");
    kt_eq_str(name_of("a.c", "class A {};\n"), "c");
}

KEN_TEST(names_and_aliases)
{
    kt_eq_u(ken_lang_by_name(KEN_STR("c++")), KEN_LANG_CPP);
    kt_eq_u(ken_lang_by_name(KEN_STR("JS")), KEN_LANG_JAVASCRIPT);
    kt_eq_u(ken_lang_by_name(KEN_STR("golang")), KEN_LANG_GO);
    kt_eq_u(ken_lang_by_name(KEN_STR("cobol")), KEN_LANG_COUNT);
    kt_eq_u(ken_lang_by_name(KEN_STR("")), KEN_LANG_COUNT);
    for (unsigned id = 0; id < KEN_LANG_COUNT; id++)
        kt_eq_u(ken_lang_by_name(ken_str_c(ken_lang_name((ken_lang_id)id))), id);
}

KEN_TEST(roles)
{
    kt_true(ken_lang_is_code_path(KEN_STR("secret_manager.c")));
    kt_true(ken_lang_is_code_path(KEN_STR("query.sql")));
    kt_false(ken_lang_is_code_path(KEN_STR("secret.json")));
    kt_false(ken_lang_is_code_path(KEN_STR("secrets")));
    kt_eq_u(ken_lang_role_of(KEN_LANG_MARKDOWN), KEN_LANG_ROLE_DOC);
    kt_eq_u(ken_lang_role_of(KEN_LANG_JSON), KEN_LANG_ROLE_DATA);
    kt_eq_u(ken_lang_role_of(KEN_LANG_HASKELL), KEN_LANG_ROLE_CODE);
}
