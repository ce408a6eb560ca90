// SPDX-License-Identifier: MIT
// The walk over marked nodes, and the trail that it leaves, against tree-sitter's own cursor, which
// sees the same tree.
#include <stdio.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "ktest.h"
#include "lang/lang.h"
#include "lang/lang_priv.h"
#include "lang/lang_ref_rules.h"
#include "lang/lang_trail.h"
#include "lang/lang_walk.h"

static ken_str example(const char *language, const char *extension)
{
    char path[512];
    snprintf(path, sizeof path, "%s/golden/symbols/%s/input.%s", KEN_TEST_SOURCE_DIR, language,
             extension);
    return ktest_read(path);
}

static TSTree *parse(ken_parser *p, ken_lang_id lang, ken_str text)
{
    TSTree *tree = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_parser_parse(p, lang, text, &(ken_parse_opts){ 0 }, &tree, &err), &err);
    return tree;
}

// Marks every node type, or those that `rules` has a rule for.
static int16_t *marks_of(const ken_rules *rules, bool wants_all)
{
    int16_t *first = ken_zalloc(rules->n_symbols * sizeof *first);
    for (uint32_t i = 0; i < rules->n_symbols && !wants_all; i++)
        first[i] = rules->first[i];
    return first;
}

static bool is_marked(const int16_t *first, TSSymbol type)
{
    return type == UINT16_MAX || first[type] >= 0;
}

typedef struct pair {
    TSTreeCursor cursor;
    ken_walk *walk;
    const int16_t *first;
    uint32_t lowest;  // depth that the cursor went on at since the last stop
    uint32_t n_stops; // so far
    bool skips;       // what is below every third stop
} pair;

static bool check_stop(pair *p, TSNode node, TSSymbol parent, uint32_t depth, ken_walk_stop *at,
                       bool wants_below)
{
    kt_true(ken_walk_next(p->walk, wants_below, at));
    kt_true(ts_node_eq(at->node, node));
    kt_eq_u(at->type, ts_node_symbol(node));
    kt_eq_u(ts_node_symbol(at->node), ts_node_symbol(node));
    kt_eq_u(ts_node_start_byte(at->node), ts_node_start_byte(node));
    kt_eq_u(ts_node_start_point(at->node).row, ts_node_start_point(node).row);
    kt_eq_u(ts_node_start_point(at->node).column, ts_node_start_point(node).column);
    kt_eq_u(at->depth, depth);
    if (depth)
        kt_eq_u(at->parent, parent);
    if (p->n_stops)
        kt_eq_u(at->left, p->lowest);
    p->lowest = UINT32_MAX;
    p->n_stops++;
    return !p->skips || p->n_stops % 3 != 0;
}

static bool go_on(pair *p, bool wants_below)
{
    if (wants_below && ts_tree_cursor_goto_first_child(&p->cursor))
        return true;
    while (!ts_tree_cursor_goto_next_sibling(&p->cursor))
        if (!ts_tree_cursor_goto_parent(&p->cursor))
            return false;
    return true;
}

static void compare(const TSTree *tree, const int16_t *first, bool skips)
{
    TSNode root = ts_tree_root_node(tree);
    pair p = {
        ts_tree_cursor_new(root), ken_walk_new(tree, first, NULL), first, UINT32_MAX, 0, skips
    };
    TSSymbol above[1000] = { 0 };
    ken_walk_stop at;
    bool was_wanted = true, wants_below;
    do {
        TSNode node = ts_tree_cursor_current_node(&p.cursor);
        uint32_t depth = ts_tree_cursor_current_depth(&p.cursor);
        above[depth + 1] = ts_node_symbol(node);
        p.lowest = depth < p.lowest ? depth : p.lowest;
        wants_below = true;
        if (is_marked(first, ts_node_symbol(node)))
            was_wanted = wants_below = check_stop(&p, node, above[depth], depth, &at, was_wanted);
    } while (go_on(&p, wants_below));
    kt_false(ken_walk_next(p.walk, was_wanted, &at));
    ts_tree_cursor_delete(&p.cursor);
    ken_walk_free(p.walk);
}

// A reader of the trail stops where a walk by its table alone would; `skips` what is below every
// third stop.
static void check_reader(const TSTree *tree, ken_trail_part part, const int16_t *rules, bool skips)
{
    ken_walk *walk = ken_walk_new(tree, rules, NULL);
    ken_trail_reader r = ken_trail_read(part, rules);
    ken_walk_stop want;
    bool wants_below = true;
    uint32_t n = 0;
    while (ken_walk_next(walk, wants_below, &want)) {
        const ken_walk_stop *is = ken_trail_next(&r, wants_below);
        kt_not_null(is);
        kt_true(ts_node_eq(is->node, want.node));
        kt_eq_u(is->type, want.type);
        kt_eq_u(is->depth, want.depth);
        if (want.depth)
            kt_eq_u(is->parent, want.parent);
        if (n)
            kt_eq_u(r.left, want.left);
        wants_below = ++n % 3 != 0 || !skips;
    }
    kt_null(ken_trail_next(&r, wants_below));
    kt_null(ken_trail_next(&r, true));
    ken_walk_free(walk);
}

static void check_trail(ken_lang_id lang, const TSTree *tree)
{
    ken_trail t = { 0 };
    ken_trail_part first = ken_trail_add(&t, lang, tree), second = ken_trail_add(&t, lang, tree);
    const ken_ref_rules *refs = ken_lang_ref_rules(lang);
    kt_eq_u(first.end - first.first, second.end - second.first);
    for (int skips = 0; skips < 2; skips++) {
        check_reader(tree, first, ken_lang_rules(lang)->first, skips);
        check_reader(tree, second, ken_lang_rules(lang)->first, skips);
        if (refs)
            check_reader(tree, second, refs->first, skips);
    }
    ken_trail_clear(&t);
    kt_eq_u(t.stops.len, 0);
    ken_trail_release(&t);
}

static void check_text(ken_lang_id lang, ken_str text)
{
    ken_parser *p = ken_parser_new();
    TSTree *tree = parse(p, lang, text);
    for (int i = 0; i < 4; i++) {
        int16_t *first = marks_of(ken_lang_rules(lang), i < 2);
        compare(tree, first, i % 2);
        ken_free(first);
    }
    check_trail(lang, tree);
    ken_parser_free(p);
}

static void check_language(const char *name, const char *extension)
{
    ken_lang_id lang = ken_lang_by_name(ken_str_c(name));
    if (!ken_lang_grammar(lang))
        kt_skip("grammars", "this build has none for the language");
    ken_str text = example(name, extension);
    check_text(lang, text);
    check_text(lang, ken_str_sub(text, text.len / 3, text.len)); // damaged
    check_text(lang, KEN_STR(""));
}

KEN_TEST(stops_where_the_cursor_does)
{
    check_language("c", "c");
    check_language("cpp", "cpp");
    check_language("python", "py");
    check_language("ruby", "rb");
    check_language("tsx", "tsx");
    check_language("haskell", "hs");
    check_language("swift", "swift");
    check_language("elixir", "ex");
    check_language("markdown", "md");
    check_language("yaml", "yaml");
}

KEN_TEST(walks_an_embedded_language_where_it_lies)
{
    ken_str text = KEN_STR("<script>\nvar a = 1\n</script>");
    TSRange range = { { 1, 0 }, { 2, 0 }, 9, 19 };
    ken_parse_opts opts = { .ranges = &range, .n_ranges = 1 };
    ken_parser *p = ken_parser_new();
    TSTree *tree = NULL;
    kt_ok(ken_parser_parse(p, KEN_LANG_JAVASCRIPT, text, &opts, &tree, NULL));
    int16_t *first = marks_of(ken_lang_rules(KEN_LANG_JAVASCRIPT), true);
    compare(tree, first, false);
    ken_free(first);
    ken_parser_free(p);
}

static void check_same(const TSTree *is, const TSTree *wanted, const int16_t *first)
{
    ken_walk *w = ken_walk_new(is, first, NULL), *v = ken_walk_new(wanted, first, NULL);
    ken_walk_stop a, b;
    while (ken_walk_next(v, true, &b)) {
        kt_true(ken_walk_next(w, true, &a));
        kt_eq_u(a.type, b.type);
        kt_eq_u(a.depth, b.depth);
        kt_eq_u(ts_node_start_byte(a.node), ts_node_start_byte(b.node));
        kt_eq_u(ts_node_end_byte(a.node), ts_node_end_byte(b.node));
        kt_eq_u(ts_node_end_point(a.node).row, ts_node_end_point(b.node).row);
    }
    kt_false(ken_walk_next(w, true, &a));
    ken_walk_free(w);
    ken_walk_free(v);
}

// What a second reading takes from the first must not change what it finds.
static void check_second_reading(ken_lang_id lang, ken_str text)
{
    char *masked = ken_alloc(text.len);
    kt_true(ken_lang__mask(ken_lang_rules(lang), text, masked));
    ken_parser *p = ken_parser_new(), *q = ken_parser_new();
    int16_t *first = marks_of(ken_lang_rules(lang), true);
    check_same(parse(p, lang, text), parse(q, lang, ken_str_n(masked, text.len)), first);
    ken_free(first);
    ken_parser_free(p);
    ken_parser_free(q);
    ken_free(masked);
}

KEN_TEST(a_second_reading_is_as_good_as_a_first_without_the_macros)
{
    ken_buf b = KEN_BUF_INIT(1 << 20);
    for (int i = 0; i < 300; i++)
        ken_buf_printf(&b,
                       "X_BEGIN_NAMESPACE\n// \xc3\xa9 %d\nclass X_API A%d : public B {\n"
                       "  X_FIELDS(1, %d)\n  int f() { return g(%d); }\n};\n\nX_END_NAMESPACE\n",
                       i, i, i, i);
    check_second_reading(KEN_LANG_CPP, ken_buf_str(&b));
    ken_buf_clear(&b);
    for (int i = 0; i < 50; i++)
        ken_buf_printf(&b,
                       "class A%d {\n#if X\n  func a() {}\n#else\n  func b() -> Int { 1 }\n"
                       "#endif\n}\n",
                       i);
    check_second_reading(KEN_LANG_SWIFT, ken_buf_str(&b));
    ken_buf_release(&b);
}
