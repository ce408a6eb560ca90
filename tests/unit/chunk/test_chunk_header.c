// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "chunk/chunk_header.h"
#include "ktest.h"

#define TEXT \
    "class Parser:\n    \"\"\"Reads lines.\"\"\"\n    def parse(self, x):\n        return x\n"

static ken_symbol symbols[] = {
    { .name = { "Parser", 6 },
      .kind = KEN_SYMBOL_CLASS,
      .signature = { 0, 13 },
      .doc = { 18, 36 },
      .parent = -1 },
    { .name = { "parse", 5 }, .kind = KEN_SYMBOL_METHOD, .signature = { 41, 61 }, .parent = 0 },
};
static ken_chunk chunks[] = {
    { .span = { 0, sizeof TEXT - 1 }, .symbol = 1 },
    { .span = { 61, sizeof TEXT - 1 }, .symbol = 1 },
    { .span = { 37, sizeof TEXT - 1 }, .symbol = 0 },
    { .span = { 0, 14 }, .symbol = -1 },
};
static ken_import imports[] = { { .module = { "os", 2 } }, { .module = { "json", 4 } } };
static ken_facts facts = { .symbols = symbols, .n_symbols = 2, .chunks = chunks, .n_chunks = 4 };

static const char *enrich(uint32_t chunk, size_t max)
{
    static char out[4096];
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_chunk_place p = {
        KEN_STR("src/p.py"), KEN_STR("python"), KEN_STR(TEXT), &facts, { "", 0 }
    };
    ken_str s = ken_chunk_enrich(&p, chunk, max, &a);
    kt_true(s.len <= max);
    snprintf(out, sizeof out, KEN_STR_FMT, KEN_STR_ARG(s));
    ken_arena_release(&a);
    return out;
}

KEN_TEST(a_chunk_says_where_it_stands)
{
    kt_eq_str(enrich(0, 4000), "src/p.py (python)\nmethod Parser.parse\n" TEXT);
    kt_eq_str(enrich(3, 4000), "src/p.py (python)\nclass Parser:\n");
}

KEN_TEST(what_stands_elsewhere_is_added)
{
    // The body without its signature, and a class without its head: one line each.
    kt_eq_str(enrich(1, 4000), "src/p.py (python)\nmethod Parser.parse\ndef parse(self, x):\n"
                               "        return x\n");
    kt_has_str(enrich(2, 4000), "class Parser\nclass Parser:\n\"\"\"Reads lines.\"\"\"\n");
}

KEN_TEST(imports_are_named)
{
    facts.imports = imports;
    facts.n_imports = 2;
    kt_has_str(enrich(0, 4000), "Parser.parse\nimports os, json\nclass");
    facts.n_imports = 0;
}

KEN_TEST(visibility_and_package_are_named)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    symbols[1].visibility = KEN_VISIBILITY_PRIVATE;
    ken_chunk_place p = { KEN_STR("src/p.py"), KEN_STR("python"), KEN_STR(TEXT), &facts,
                          KEN_STR("org.lines") };
    kt_eq_text(ken_chunk_enrich(&p, 1, 4000, &a),
               "src/p.py (python)\npackage org.lines\nprivate method Parser.parse\n"
               "def parse(self, x):\n        return x\n");
    symbols[1].visibility = KEN_VISIBILITY_UNKNOWN;
    ken_arena_release(&a);
}

// What does not fit is in further texts, cut behind lines, each with the words before the code.
KEN_TEST(a_long_chunk_is_several_texts)
{
    ken_arena a;
    ken_str parts[KEN_CHUNK_PARTS_MAX];
    ken_arena_init(&a, 0);
    ken_chunk_place p = { KEN_STR("p.py"), KEN_STR(""), KEN_STR(TEXT), &facts, { "", 0 } };
    kt_eq_u(ken_chunk_enrich_parts(&p, 0, 4000, &a, parts), 1);
    kt_eq_text(parts[0], "p.py\nmethod Parser.parse\n" TEXT);
    kt_eq_u(ken_chunk_enrich_parts(&p, 3, 20, &a, parts), 1);
    kt_eq_text(parts[0], "p.py\nclass Parser:\n");
    kt_eq_u(ken_chunk_enrich_parts(&p, 0, 60, &a, parts), 2);
    kt_eq_text(parts[0], "p.py\nmethod Pa\nclass Parser:\n    \"\"\"Reads lines.\"\"\"\n");
    kt_eq_text(parts[1], "p.py\nmethod Pa\n    def parse(self, x):\n        return x\n");
    // However short the room is, it ends.
    uint32_t n = ken_chunk_enrich_parts(&p, 0, 0, &a, parts);
    kt_eq_u(n, KEN_CHUNK_PARTS_MAX);
    ken_arena_release(&a);
}

KEN_TEST(a_short_room_is_for_the_code)
{
    kt_eq_str(enrich(0, 40), "src/p.py \nclass Parser:\n    \"\"\"Reads lin");
    kt_eq_str(enrich(0, 0), "");
}

KEN_TEST(parents_that_never_end_are_cut)
{
    enum {
        N = 100
    };
    static ken_symbol deep[N];
    for (int i = 0; i < N; i++)
        deep[i] = (ken_symbol){ .name = { "a", 1 }, .kind = KEN_SYMBOL_CLASS, .parent = i - 1 };
    ken_chunk c = { .span = { 0, 1 }, .symbol = N - 1 };
    ken_facts f = { .symbols = deep, .n_symbols = N, .chunks = &c, .n_chunks = 1 };
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_chunk_place p = { KEN_STR("p"), KEN_STR(""), KEN_STR("x"), &f, { "", 0 } };
    kt_eq_text(ken_chunk_enrich(&p, 0, 1000, &a), "p\nclass a.a.a.a.a.a.a.a\nx");
    ken_arena_release(&a);
}
