// SPDX-License-Identifier: MIT
// tests/golden/refs/<language>/: input.<extension> and what must be found in it.
#include <stdio.h>

#include "ktest.h"
#include "refs_lab.h"

static void check_language(const char *name, const char *extension)
{
    ken_lang_id lang = ken_lang_by_name(ken_str_c(name));
    if (!ken_lang_grammar(lang))
        kt_skip("grammars", "this build has none for the language");
    char path[512], golden[128];
    snprintf(path, sizeof path, "%s/golden/refs/%s/input.%s", KEN_TEST_SOURCE_DIR, name, extension);
    snprintf(golden, sizeof golden, "refs/%s/expected.txt", name);
    ken_str text = ktest_read(path);
    kt_eq_u(ken_lang_of(ken_str_c(path), text), lang);
    refs_lab lab;
    refs_lab_open(&lab, lang, text);
    refs_lab_check(&lab);
    ken_buf out = KEN_BUF_INIT(1 << 20);
    ken_refs_dump(&lab.refs, lab.x.symbols.ptr, (uint32_t)lab.x.symbols.len, text, &out);
    kt_golden(golden, out.ptr, out.len);
    ken_buf_release(&out);
    refs_lab_close(&lab);
}

#define LANGUAGE(name, extension)          \
    KEN_TEST(golden_##name)                \
    {                                      \
        check_language(#name, #extension); \
    }

LANGUAGE(python, py)
LANGUAGE(javascript, js)
LANGUAGE(typescript, ts)
LANGUAGE(tsx, tsx)
LANGUAGE(go, go)
LANGUAGE(rust, rs)
LANGUAGE(java, java)
LANGUAGE(c, c)
LANGUAGE(cpp, cpp)
LANGUAGE(csharp, cs)
LANGUAGE(php, php)
LANGUAGE(ruby, rb)
LANGUAGE(swift, swift)
LANGUAGE(kotlin, kt)
LANGUAGE(scala, scala)
LANGUAGE(lua, lua)
LANGUAGE(elixir, ex)
LANGUAGE(haskell, hs)
LANGUAGE(bash, sh)
LANGUAGE(zig, zig)
