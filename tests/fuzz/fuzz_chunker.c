// SPDX-License-Identifier: MIT
// fuzz_chunker -- the first byte picks a language, the rest is a file in it.
//
// Whatever the bytes: symbols lie in the text and below their parents, comments are in order,
// references lie in the text and are made of smaller ones, chunks tile the text and stay under the
// maximum.
#include <stdint.h>

#include "base/assert.h"
#include "chunk/chunk.h"
#include "lang/lang.h"
#include "refs/refs.h"
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

typedef struct fuzz_tree {
    ken_lang_id lang;
    ken_trail_part trail;
    uint32_t first, end;
} fuzz_tree;

typedef struct fuzz_trees {
    fuzz_tree trees[MAX_EMBEDDED + 1];
    uint32_t n;
    ken_trail trail;
} fuzz_trees;

static void extract_one(fuzz_trees *t, ken_lang_id lang, const TSTree *tree, ken_str text,
                        int32_t parent, uint32_t depth, ken_extraction *x)
{
    fuzz_tree *f = &t->trees[t->n++];
    *f = (fuzz_tree){ lang, ken_trail_add(&t->trail, lang, tree), (uint32_t)x->symbols.len, 0 };
    ken_symbol_extract(ken_lang_rules(lang), f->trail, text, parent, depth, x);
    f->end = (uint32_t)x->symbols.len;
}

static TSTree *extract(ken_parser *p, ken_lang_id lang, ken_str text, ken_extraction *x,
                       fuzz_trees *trees)
{
    ken_parse_opts opts = { .budget_ns = budget_ns };
    TSTree *tree = NULL;
    if (!ken_lang_rules(lang) || ken_parser_parse(p, lang, text, &opts, &tree, NULL))
        return NULL;
    extract_one(trees, lang, tree, text, -1, 0, x);
    for (size_t i = 0; i < x->injections.len && i < MAX_EMBEDDED; i++) {
        ken_injection in = x->injections.ptr[i];
        TSTree *inner = NULL;
        opts.ranges = &in.range;
        opts.n_ranges = 1;
        if (ken_lang_rules(in.lang) && !ken_parser_parse(p, in.lang, text, &opts, &inner, NULL))
            extract_one(trees, in.lang, inner, text, in.parent, in.depth, x);
    }
    return tree;
}

static void check_expr(const ken_refs *r, uint32_t i)
{
    const ken_expr *e = &r->exprs[i];
    bool is_place = e->op == KEN_EXPR_NAME || e->op == KEN_EXPR_SELF || e->op == KEN_EXPR_SUPER;
    bool is_def = e->op == KEN_EXPR_DEF || e->op == KEN_EXPR_PARAM;
    KEN_ASSERT(e->op > KEN_EXPR_NONE && e->op < KEN_EXPR_OP_COUNT && e->name.len <= 200);
    KEN_ASSERT(is_place ? e->a <= r->n_defs : is_def ? e->a < r->n_defs : e->a < i);
    if (e->op == KEN_EXPR_APPLY || e->op == KEN_EXPR_EITHER)
        KEN_ASSERT(e->b < i);
}

static void check_refs(const ken_refs *r, uint32_t n_symbols, ken_str text)
{
    KEN_ASSERT(r->n_defs == n_symbols + r->n_implied);
    for (uint32_t i = 1; i < r->n_exprs; i++)
        check_expr(r, i);
    for (uint32_t i = 0; i < r->n_refs; i++) {
        KEN_ASSERT(r->refs[i].expr > 0 && r->refs[i].expr < r->n_exprs);
        KEN_ASSERT(r->refs[i].byte < text.len && r->refs[i].role < KEN_REF_ROLE_COUNT);
        KEN_ASSERT(!i || r->refs[i - 1].byte <= r->refs[i].byte);
    }
    for (uint32_t i = 0; i < r->n_defs; i++)
        KEN_ASSERT(r->defs[i].value < r->n_exprs);
    for (uint32_t i = 0; i < r->n_implied; i++)
        KEN_ASSERT(r->implied[i].name.len > 0 && r->implied[i].owner >= -1 &&
                   r->implied[i].owner < (int32_t)(n_symbols + i));
    for (uint32_t i = 0; i < r->n_bases; i++)
        KEN_ASSERT(r->bases[i].def < r->n_defs && r->bases[i].expr < r->n_exprs);
    for (uint32_t i = 0; i < r->n_binds; i++)
        KEN_ASSERT(r->binds[i].byte <= text.len);
    for (uint32_t i = 0; i < r->n_literals; i++)
        KEN_ASSERT(r->literals[i].text.len <= 200 && r->literals[i].handler < r->n_exprs);
    for (uint32_t i = 0; i < r->n_stored; i++)
        KEN_ASSERT(r->stored[i].into < r->n_exprs && r->stored[i].value < r->n_exprs &&
                   r->stored[i].byte < text.len);
}

static void refer(const fuzz_trees *trees, ken_str text, const ken_extraction *x, ken_arena *arena)
{
    uint32_t n = (uint32_t)x->symbols.len;
    ken_refs_maker *m = ken_refs_maker_new();
    ken_refs_begin(m, text, x->symbols.ptr, n, arena);
    for (uint32_t i = 0; i < trees->n; i++) {
        const fuzz_tree *t = &trees->trees[i];
        if (ken_lang_ref_rules(t->lang))
            ken_refs_extract(m, ken_lang_ref_rules(t->lang), t->trail, t->first, t->end);
    }
    ken_refs refs;
    ken_refs_finish(m, &refs);
    check_refs(&refs, n, text);
    ken_refs_maker_free(m);
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
    fuzz_trees trees = { .n = 0 };
    TSTree *tree = extract(p, lang, text, &x, &trees);
    ken_symbol_finish(&x, text, lines, n_lines);
    check_extraction(&x, text, n_lines);
    refer(&trees, text, &x, &arena);
    ken_chunk_input in = {
        text, lines,          n_lines,       x.symbols.ptr, (uint32_t)x.symbols.len,
        tree, x.comments.ptr, x.comments.len
    };
    ken_chunk *chunks = NULL;
    ken_chunk_opts opts = { .target = MAX_TOKENS / 2, .max = MAX_TOKENS, .min = 8 };
    uint32_t n = ken_chunk_tree(&in, &opts, &arena, &chunks);
    check_chunks(chunks, n, &x, text, n_lines);
    ken_trail_release(&trees.trail);
    ken_parser_free(p);
    ken_extraction_release(&x);
    ken_arena_release(&arena);
    return 0;
}
