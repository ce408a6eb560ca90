// SPDX-License-Identifier: MIT
// fuzz_chunker -- the first byte picks a language, the rest is a file in it.
//
// Whatever the bytes: symbols lie in the text and below their parents, comments are in order,
// chunks tile the text and stay under the maximum.
#include <stdint.h>

#include "base/assert.h"
#include "chunk/chunk.h"
#include "lang/lang.h"
#include "symbol/symbol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The scanner of SQL forgets a few bytes for each $tag$ it has met. The sanitizer chose the name.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:tree_sitter_sql_external_scanner";
}

enum {
    MAX_EMBEDDED = 20,
    MAX_TOKENS = 60
};

static const int64_t budget_ns = 1000000000;

static void check_span(ken_span s, ken_str text)
{
    KEN_ASSERT(s.start <= s.end && s.end <= text.len);
}

static void check_extraction(const ken_extraction *x, ken_str text, uint32_t n_lines)
{
    for (size_t i = 0; i < x->symbols.len; i++) {
        const ken_symbol *s = &x->symbols.ptr[i];
        KEN_ASSERT(s->name.len > 0 && s->name.len <= 200);
        KEN_ASSERT(s->name.ptr >= text.ptr && s->name.ptr + s->name.len <= text.ptr + text.len);
        KEN_ASSERT(s->parent >= -1 && s->parent < (int32_t)i);
        KEN_ASSERT(s->depth == (s->parent < 0 ? 0 : x->symbols.ptr[s->parent].depth + 1));
        KEN_ASSERT(s->kind > KEN_SYMBOL_UNKNOWN && s->kind < KEN_SYMBOL_KIND_COUNT);
        KEN_ASSERT(s->visibility < KEN_VISIBILITY_COUNT);
        KEN_ASSERT(s->first_line <= s->last_line && s->last_line < n_lines);
        check_span(s->span, text);
        check_span(s->signature, text);
        check_span(s->doc, text);
    }
    for (size_t i = 0; i < x->comments.len; i++) {
        check_span(x->comments.ptr[i], text);
        KEN_ASSERT(!i || x->comments.ptr[i - 1].end <= x->comments.ptr[i].start);
    }
    for (size_t i = 0; i < x->imports.len; i++)
        KEN_ASSERT(x->imports.ptr[i].module.len > 0 && x->imports.ptr[i].line < n_lines);
}

static void check_chunks(const ken_chunk *chunks, uint32_t n, const ken_extraction *x, ken_str text,
                         uint32_t n_lines)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        const ken_chunk *c = &chunks[i];
        KEN_ASSERT(c->span.start == at && c->span.end > at);
        KEN_ASSERT(c->first_line <= c->last_line && c->last_line < n_lines);
        KEN_ASSERT(c->n_tokens <= MAX_TOKENS);
        KEN_ASSERT(c->symbol >= -1 && c->symbol < (int32_t)x->symbols.len);
        KEN_ASSERT(c->type > KEN_CHUNK_UNKNOWN && c->type < KEN_CHUNK_TYPE_COUNT);
        at = c->span.end;
    }
    KEN_ASSERT(at == text.len);
}

static TSTree *extract(ken_parser *p, ken_lang_id lang, ken_str text, ken_extraction *x)
{
    ken_parse_opts opts = { .budget_ns = budget_ns };
    TSTree *tree = NULL;
    if (!ken_lang_rules(lang) || ken_parser_parse(p, lang, text, &opts, &tree, NULL))
        return NULL;
    ken_symbol_extract(ken_lang_rules(lang), tree, text, -1, 0, x);
    for (size_t i = 0; i < x->injections.len && i < MAX_EMBEDDED; i++) {
        ken_injection in = x->injections.ptr[i];
        TSTree *inner = NULL;
        opts.ranges = &in.range;
        opts.n_ranges = 1;
        if (ken_lang_rules(in.lang) && !ken_parser_parse(p, in.lang, text, &opts, &inner, NULL))
            ken_symbol_extract(ken_lang_rules(in.lang), inner, text, in.parent, in.depth, x);
    }
    return tree;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    ken_lang_id lang = (ken_lang_id)(data[0] % KEN_LANG_COUNT);
    ken_str text = ken_str_n((const char *)data + 1, size - 1);
    ken_lang_of(KEN_STR("a.h"), text);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    uint32_t n_lines = ken_line_starts(text, NULL, 0);
    uint32_t *lines = KEN_ARENA_ARRAY(&arena, uint32_t, n_lines + 1);
    ken_line_starts(text, lines, n_lines);
    ken_parser *p = ken_parser_new();
    ken_extraction x = { 0 };
    TSTree *tree = extract(p, lang, text, &x);
    ken_symbol_finish(&x, text, lines, n_lines);
    check_extraction(&x, text, n_lines);
    ken_chunk_input in = { text, lines, n_lines, x.symbols.ptr, (uint32_t)x.symbols.len, tree };
    ken_chunk *chunks = NULL;
    ken_chunk_opts opts = { .target = MAX_TOKENS / 2, .max = MAX_TOKENS, .min = 8 };
    uint32_t n = ken_chunk_tree(&in, &opts, &arena, &chunks);
    check_chunks(chunks, n, &x, text, n_lines);
    ken_parser_free(p);
    ken_extraction_release(&x);
    ken_arena_release(&arena);
    return 0;
}
