// SPDX-License-Identifier: MIT
// A parser keeps one TSParser per language of the file at hand, and its trees, all in a heap of
// their own that is dropped with the file. Grammars are asked to stop through tree-sitter's
// progress callback, which it calls every hundred operations.
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/quota.h"
#include "base/vec.h"
#include "lang/lang.h"
#include "lang/lang_heap_priv.h"
#include "lang/lang_priv.h"

struct ken_parser {
    TSParser *parsers[KEN_LANG_COUNT]; // made on first use, in the heap
    KEN_VEC(TSTree *) trees;           // likewise
    lang_heap *heap;
    ken_vec_u32 left_out; // of the last whole text
};

typedef struct parse_watch {
    const ken_cancel *cancel;
    int64_t deadline_ns;
    bool is_late;
} parse_watch;

typedef struct parse_input {
    ken_str text;
} parse_input;

static bool should_stop(TSParseState *state)
{
    parse_watch *w = state->payload;
    if (ken_cancel_is_set(w->cancel) || ken_quota_is_over())
        return true;
    w->is_late = w->deadline_ns && ken_clock_mono_ns() > w->deadline_ns;
    return w->is_late;
}

static const char *read_text(void *payload, uint32_t byte, TSPoint at, uint32_t *out_n)
{
    (void)at;
    const parse_input *in = payload;
    if (byte >= in->text.len) {
        *out_n = 0;
        return "";
    }
    *out_n = (uint32_t)(in->text.len - byte);
    return in->text.ptr + byte;
}

ken_parser *ken_parser_new(void)
{
    ken_parser *p = ken_zalloc(sizeof *p);
    p->heap = ken_lang__heap_new();
    return p;
}

void ken_parser_limit(ken_parser *p, size_t keep_bytes)
{
    ken_lang__heap_limit(p->heap, keep_bytes);
}

void ken_parser_free(ken_parser *p)
{
    if (!p)
        return;
    ken_parser_reset(p);
    ken_vec_release(&p->trees);
    ken_vec_release(&p->left_out);
    ken_lang__heap_free(p->heap);
    ken_free(p);
}

void ken_parser_reset(ken_parser *p)
{
    lang_heap *outer = ken_lang__heap_enter(p->heap);
    if (!ken_lang__heap_is_real()) {
        for (size_t i = 0; i < p->trees.len; i++)
            ts_tree_delete(p->trees.ptr[i]);
        for (size_t i = 0; i < KEN_LANG_COUNT; i++)
            ts_parser_delete(p->parsers[i]);
    }
    ken_vec_clear(&p->trees);
    memset(p->parsers, 0, sizeof p->parsers);
    ken_lang__heap_reset(p->heap);
    ken_lang__heap_enter(outer);
}

static TSParser *parser_of(ken_parser *p, ken_lang_id lang)
{
    if (p->parsers[lang])
        return p->parsers[lang];
    const TSLanguage *grammar = ken_lang_grammar(lang);
    if (!grammar)
        return NULL;
    TSParser *ts = ts_parser_new();
    if (!ts_parser_set_language(ts, grammar)) {
        ts_parser_delete(ts);
        return NULL;
    }
    p->parsers[lang] = ts;
    return ts;
}

// `old` may be a tree of the same text that was told what has changed.
static TSTree *parse_text(TSParser *ts, const TSTree *old, ken_str text, parse_watch *watch)
{
    parse_input input = { text };
    TSInput ts_input = { .payload = &input, .read = read_text, .encoding = TSInputEncodingUTF8 };
    TSParseOptions ts_opts = { .payload = watch, .progress_callback = should_stop };
    TSTree *tree = ts_parser_parse_with_options(ts, old, ts_input, ts_opts);
    if (!tree)
        ts_parser_reset(ts);
    return tree;
}

// Goes on to the next node that has an error inside; false at the end.
static bool next_damaged(TSTreeCursor *cursor)
{
    TSNode node = ts_tree_cursor_current_node(cursor);
    bool wants_children = ts_node_has_error(node) && !ts_node_is_error(node);
    if (wants_children && ts_tree_cursor_goto_first_child(cursor))
        return true;
    while (!ts_tree_cursor_goto_next_sibling(cursor))
        if (!ts_tree_cursor_goto_parent(cursor))
            return false;
    return true;
}

static uint64_t error_bytes(const TSTree *tree)
{
    TSNode root = ts_tree_root_node(tree);
    uint64_t sum = 0;
    if (!ts_node_has_error(root))
        return 0;
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    do {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        if (ts_node_is_error(node))
            sum += ts_node_end_byte(node) - ts_node_start_byte(node);
        else if (ts_node_is_missing(node))
            sum++;
    } while (next_damaged(&cursor));
    ts_tree_cursor_delete(&cursor);
    return sum;
}

// Reading again costs about half as much as reading: a text is worth it when so much of it is
// damaged. Telling a tree of an edit costs as much as it has nodes in a row, so edits near each
// other are one, and there are at most so many.
enum {
    DAMAGE_SHARE = 50,
    MAX_EDITS = 1000
};

// Tells `tree` where `masked` differs from `text`, which is as long.
static void tell_masked(TSTree *tree, ken_str text, const char *masked)
{
    uint32_t n = (uint32_t)text.len, gap = n / MAX_EDITS, end = 0;
    TSInputEdit edit = { 0 };
    TSPoint at = { 0, 0 };
    for (uint32_t i = 0; i < n; i++) {
        if (masked[i] != text.ptr[i]) {
            if (end && i - end > gap)
                ts_tree_edit(tree, &edit);
            if (!end || i - end > gap)
                edit = (TSInputEdit){ .start_byte = i, .start_point = at };
            end = i + 1;
            edit.old_end_byte = edit.new_end_byte = end;
            edit.old_end_point = edit.new_end_point = (TSPoint){ at.row, at.column + 1 };
        }
        at = masked[i] == '\n' ? (TSPoint){ at.row + 1, 0 } : (TSPoint){ at.row, at.column + 1 };
    }
    if (end)
        ts_tree_edit(tree, &edit);
}

// What did not change is taken from `tree`, which stays as it is.
static TSTree *parse_masked(TSParser *ts, const TSTree *tree, ken_str text, const char *masked,
                            parse_watch *watch)
{
    TSTree *old = ts_tree_copy(tree);
    tell_masked(old, text, masked);
    TSTree *other = parse_text(ts, old, ken_str_n(masked, text.len), watch);
    ts_tree_delete(old);
    return other;
}

static bool rewrite(const ken_rules *rules, ken_str text, char *out)
{
    return rules && rules->repairs_types ? ken_lang__repair(text, out)
                                         : ken_lang__mask(rules, text, out);
}

// Reads a damaged text again without what its grammar cannot follow; the better tree stays.
static TSTree *second_reading(TSParser *ts, ken_lang_id lang, ken_str text, parse_watch *watch,
                              TSTree *tree)
{
    uint64_t damage = error_bytes(tree);
    const ken_rules *rules = ken_lang_rules(lang);
    bool is_worth = damage * DAMAGE_SHARE > text.len || (damage && rules && rules->repairs_types);
    char *masked = is_worth ? ken_try_alloc(text.len) : NULL;
    if (masked && rewrite(rules, text, masked)) {
        TSTree *other = parse_masked(ts, tree, text, masked, watch);
        bool is_better = other && error_bytes(other) < damage;
        ts_tree_delete(is_better ? tree : other);
        tree = is_better ? other : tree;
    }
    ken_free(masked);
    return tree;
}

// True for a line that begins with more than `max` quote and list markers and their indentation.
static bool has_too_many_markers(ken_str text, uint32_t max)
{
    ken_str line;
    while (ken_str_line_next(&text, &line)) {
        size_t n = 0;
        while (n < line.len && memchr(" \t>*+-.)0123456789", line.ptr[n], 18))
            n++;
        if (n > max)
            return true;
    }
    return false;
}

static ken_status parse_in_heap(ken_parser *p, ken_lang_id lang, ken_str text,
                                const ken_parse_opts *opts, TSTree **out, ken_err *err)
{
    TSParser *ts = parser_of(p, lang);
    if (!ts)
        return KEN_FAIL(err, KEN_EUNSUPPORTED, "no grammar for %s", ken_lang_name(lang));
    ts_parser_set_included_ranges(ts, opts->ranges, opts->n_ranges);
    parse_watch watch = { .cancel = opts->cancel,
                          .deadline_ns =
                              opts->budget_ns ? ken_clock_mono_ns() + opts->budget_ns : 0 };
    lang_masked plain = { .names = p->left_out };
    if (!opts->n_ranges) {
        ken_vec_clear(&plain.names);
        if (ken_lang__mask_first(ken_lang_rules(lang), text, &plain))
            text = ken_str_n(plain.text, text.len);
        p->left_out = plain.names;
    }
    TSTree *tree = parse_text(ts, NULL, text, &watch);
    if (tree && !opts->n_ranges)
        tree = second_reading(ts, lang, text, &watch, tree);
    ken_free(plain.text);
    if (!tree) {
        ken_status st = ken_cancel_check(opts->cancel, err);
        return st ? st : KEN_FAIL(err, KEN_ETIMEOUT, "parsing went over its budget");
    }
    ken_vec_push(&p->trees, tree);
    *out = tree;
    return KEN_OK;
}

ken_status ken_parser_parse(ken_parser *p, ken_lang_id lang, ken_str text,
                            const ken_parse_opts *opts, TSTree **out, ken_err *err)
{
    if (text.len > UINT32_MAX / 2)
        return KEN_FAIL(err, KEN_ELIMIT, "text of %zu bytes is too long to parse", text.len);
    const ken_rules *rules = ken_lang_rules(lang);
    if (rules && rules->max_markers && has_too_many_markers(text, rules->max_markers))
        return KEN_FAIL(err, KEN_ELIMIT, "nested too deep for the %s grammar", ken_lang_name(lang));
    lang_heap *outer = ken_lang__heap_enter(p->heap);
    ken_status st = parse_in_heap(p, lang, text, opts, out, err);
    ken_lang__heap_enter(outer);
    return st;
}

const uint32_t *ken_parser_left_out(const ken_parser *p, uint32_t *out_n)
{
    *out_n = (uint32_t)p->left_out.len;
    return p->left_out.ptr;
}
