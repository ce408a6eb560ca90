// SPDX-License-Identifier: MIT
#include "learn/learn.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "refs/refs.h"
#include "symbol/symbol.h"

enum {
    NESTED_MAX = 4 // texts inside texts: each level may be as long as the file
};
static const int64_t parse_budget_ns = 5000000000; // of a file with all that is embedded in it

// A tree and the symbols that were found in it.
typedef struct learnt_tree {
    ken_lang_id lang;
    ken_trail_part trail;
    uint32_t first, end;
} learnt_tree;

struct ken_learner {
    ken_parser *parser;
    ken_extraction extraction;
    ken_refs_maker *refs;
    ken_trail trail;
    KEN_VEC(learnt_tree) trees; // [0] is that of the file
    ken_vec_u32 line_starts;
    ken_chunk_opts chunks;
};

ken_learner *ken_learner_new(void)
{
    ken_learner *l = ken_zalloc(sizeof *l);
    l->parser = ken_parser_new();
    l->refs = ken_refs_maker_new();
    return l;
}

void ken_learner_free(ken_learner *l)
{
    if (!l)
        return;
    ken_parser_free(l->parser);
    ken_extraction_release(&l->extraction);
    ken_refs_maker_free(l->refs);
    ken_trail_release(&l->trail);
    ken_vec_release(&l->trees);
    ken_vec_release(&l->line_starts);
    ken_free(l);
}

void ken_learner_limit(ken_learner *l, size_t keep_bytes)
{
    ken_parser_limit(l->parser, keep_bytes);
}

void ken_learner_set_chunks(ken_learner *l, const ken_chunk_opts *opts)
{
    l->chunks = *opts;
}

static void extract(ken_learner *l, ken_lang_id lang, const TSTree *tree, ken_str text,
                    int32_t parent, uint32_t depth)
{
    learnt_tree t = { lang, ken_trail_add(&l->trail, lang, tree),
                      (uint32_t)l->extraction.symbols.len, 0 };
    ken_symbol_extract(ken_lang_rules(lang), t.trail, text, parent, depth, &l->extraction);
    t.end = (uint32_t)l->extraction.symbols.len;
    ken_vec_push(&l->trees, t);
}

// The tree of the whole text, or NULL; walks it and those of the languages embedded in it.
static TSTree *parse(ken_learner *l, ken_lang_id lang, ken_str text, const ken_cancel *cancel)
{
    const int64_t began_ns = ken_clock_mono_ns();
    ken_parse_opts opts = { .cancel = cancel, .budget_ns = parse_budget_ns };
    TSTree *tree = NULL;
    ken_trail_clear(&l->trail);
    ken_vec_clear(&l->trees);
    if (!ken_lang_rules(lang) || ken_parser_parse(l->parser, lang, text, &opts, &tree, NULL))
        return NULL;
    extract(l, lang, tree, text, -1, 0);
    // Level by level, for what is found in one of them stands behind it.
    size_t level_end = l->extraction.injections.len;
    for (size_t i = 0, level = 1; i < l->extraction.injections.len; i++) {
        ken_injection in = l->extraction.injections.ptr[i];
        if (i == level_end) {
            level_end = l->extraction.injections.len;
            level++;
        }
        opts.ranges = &in.range;
        opts.n_ranges = 1;
        opts.budget_ns = began_ns + parse_budget_ns - ken_clock_mono_ns();
        TSTree *inner;
        if (!ken_lang_rules(in.lang))
            continue;
        if (level > NESTED_MAX || opts.budget_ns <= 0 ||
            ken_parser_parse(l->parser, in.lang, text, &opts, &inner, NULL))
            l->extraction.n_error_bytes += in.range.end_byte - in.range.start_byte; // is not read
        else
            extract(l, in.lang, inner, text, in.parent, in.depth);
    }
    return tree;
}

static void find_lines(ken_learner *l, ken_str text)
{
    uint32_t n = ken_line_starts(text, l->line_starts.ptr, (uint32_t)l->line_starts.cap);
    if (n > l->line_starts.cap) {
        ken_vec_reserve(&l->line_starts, n);
        ken_line_starts(text, l->line_starts.ptr, n);
    }
    l->line_starts.len = n;
}

// What is said with names, when all definitions are known.
static void refer(ken_learner *l, ken_str text, ken_arena *arena, const ken_facts *facts,
                  ken_refs *out)
{
    ken_refs_begin(l->refs, text, facts->symbols, facts->n_symbols, arena);
    uint32_t n_left_out;
    const uint32_t *left_out = ken_parser_left_out(l->parser, &n_left_out);
    if (l->trees.len)
        ken_refs_leave_out(l->refs, left_out, n_left_out);
    for (size_t i = 0; i < l->trees.len; i++) {
        const learnt_tree *t = &l->trees.ptr[i];
        const ken_ref_rules *rules = ken_lang_ref_rules(t->lang);
        if (rules)
            ken_refs_extract(l->refs, rules, t->trail, t->first, t->end);
    }
    ken_refs_finish(l->refs, out);
}

static void cut(ken_learner *l, ken_str text, const TSTree *tree, ken_arena *arena, ken_facts *out)
{
    ken_chunk_input in = {
        .text = text,
        .line_starts = l->line_starts.ptr,
        .n_lines = (uint32_t)l->line_starts.len,
        .symbols = out->symbols,
        .n_symbols = out->n_symbols,
        .tree = tree,
        .comments = l->extraction.comments.ptr,
        .n_comments = l->extraction.comments.len,
    };
    out->n_chunks = tree ? ken_chunk_tree(&in, &l->chunks, arena, &out->chunks)
                         : ken_chunk_lines(&in, &l->chunks, arena, &out->chunks);
}

void ken_learn(ken_learner *l, ken_lang_id lang, ken_str text, const ken_cancel *cancel,
               ken_arena *arena, ken_facts *out, ken_refs *out_refs)
{
    ken_extraction *x = &l->extraction;
    ken_extraction_clear(x);
    find_lines(l, text);
    TSTree *tree = parse(l, lang, text, cancel);
    ken_symbol_finish(x, text, l->line_starts.ptr, (uint32_t)l->line_starts.len);
    // What is wrong in an embedded text is often inside an error of the text around it as well.
    uint32_t n_errors = x->n_error_bytes < text.len ? x->n_error_bytes : (uint32_t)text.len;
    *out = (ken_facts){
        .lang = (uint16_t)lang,
        .n_bytes = (uint32_t)text.len,
        .n_lines = (uint32_t)l->line_starts.len,
        .n_error_bytes = n_errors,
        .is_fallback = !tree && (ken_lang_rules(lang) || ken_lang_misses_grammar(lang)),
        .symbols = ken_arena_copy(arena, x->symbols.ptr, x->symbols.len, sizeof *x->symbols.ptr),
        .n_symbols = (uint32_t)x->symbols.len,
        .imports = ken_arena_copy(arena, x->imports.ptr, x->imports.len, sizeof *x->imports.ptr),
        .n_imports = (uint32_t)x->imports.len,
    };
    cut(l, text, tree, arena, out);
    if (out_refs)
        refer(l, text, arena, out, out_refs);
    ken_parser_reset(l->parser);
}

const ken_span *ken_learner_comments(const ken_learner *l, size_t *out_n)
{
    *out_n = l->extraction.comments.len;
    return l->extraction.comments.ptr;
}
