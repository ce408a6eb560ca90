// SPDX-License-Identifier: MIT
// tests/golden/symbols/<language>/: input.<extension> and what must be found in it.
#include <stdio.h>

#include "ktest.h"
#include "symbol_lab.h"

// Symbols are sane: parents come first, spans nest in the text, names are not empty.
static void check_sanity(const ken_extraction *x, ken_str text)
{
    for (size_t i = 0; i < x->symbols.len; i++) {
        const ken_symbol *s = &x->symbols.ptr[i];
        kt_true(s->name.len > 0);
        kt_true(s->parent < (int32_t)i);
        kt_true(s->span.start < s->span.end && s->span.end <= text.len);
        kt_true(s->signature.start <= s->signature.end && s->signature.end <= text.len);
        kt_true(s->first_line <= s->last_line);
        kt_eq_u(s->depth, s->parent < 0 ? 0 : x->symbols.ptr[s->parent].depth + 1);
    }
    for (size_t i = 1; i < x->comments.len; i++)
        kt_true(x->comments.ptr[i - 1].end <= x->comments.ptr[i].start);
}

static void check_language(const char *name, const char *extension)
{
    ken_lang_id lang = ken_lang_by_name(ken_str_c(name));
    if (!ken_lang_grammar(lang))
        kt_skip("grammars", "this build has none for the language");
    char path[512], golden[128];
    snprintf(path, sizeof path, "%s/golden/symbols/%s/input.%s", KEN_TEST_SOURCE_DIR, name,
             extension);
    snprintf(golden, sizeof golden, "symbols/%s/expected.txt", name);
    ken_str text = ktest_read(path);
    kt_eq_u(ken_lang_of(ken_str_c(path), text), lang);
    ken_extraction x = { 0 };
    ken_buf out = KEN_BUF_INIT(1 << 20);
    lab_extract(lang, text, &x);
    check_sanity(&x, text);
    lab_dump(&x, text, &out);
    kt_golden(golden, out.ptr, out.len);
    ken_buf_release(&out);
    ken_extraction_release(&x);
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
LANGUAGE(ruby, rb)
LANGUAGE(php, php)
LANGUAGE(kotlin, kt)
LANGUAGE(swift, swift)
LANGUAGE(scala, scala)
LANGUAGE(haskell, hs)
LANGUAGE(lua, lua)
LANGUAGE(elixir, ex)
LANGUAGE(zig, zig)
LANGUAGE(bash, sh)
LANGUAGE(html, html)
LANGUAGE(css, css)
LANGUAGE(vue, vue)
LANGUAGE(markdown, md)
LANGUAGE(sql, sql)
LANGUAGE(json, json)
LANGUAGE(yaml, yaml)
LANGUAGE(toml, toml)
