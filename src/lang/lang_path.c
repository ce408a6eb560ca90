// SPDX-License-Identifier: MIT
// Following the paths of a node table through a tree.
#include <string.h>

#include "lang/lang_rules.h"

static TSNode child_of_type(TSNode node, TSSymbol type, bool wants_last)
{
    TSNode found = { 0 };
    TSTreeCursor cursor = ts_tree_cursor_new(node);
    if (ts_tree_cursor_goto_first_child(&cursor)) {
        do {
            TSNode child = ts_tree_cursor_current_node(&cursor);
            if (ts_node_symbol(child) != type)
                continue;
            found = child;
            if (!wants_last)
                break;
        } while (ts_tree_cursor_goto_next_sibling(&cursor));
    }
    ts_tree_cursor_delete(&cursor);
    return found;
}

// C and C++ wrap the declared name: pointer, function, array, reference declarators. References and
// parenthesised ones have no field for what they wrap. Null at the name itself; `operator int()` is one.
static TSNode inner_declarator(const ken_declarators *d, TSNode node)
{
    TSSymbol type = ts_node_symbol(node);
    if (type == d->operator_cast)
        return (TSNode){ 0 };
    TSNode inner =
        ts_node_child_count(node) ? ts_node_child_by_field_id(node, d->declarator) : (TSNode){ 0 };
    if (!ts_node_is_null(inner))
        return inner;
    if (type == d->reference || type == d->attributed || type == d->parenthesized)
        return ts_node_named_child(node, 0);
    if (type == d->qualified || type == d->template_function)
        return ts_node_child_by_field_id(node, d->name);
    return inner;
}

enum {
    MAX_DECLARATORS = 64
};

static TSNode unwrap_declarator(const ken_declarators *d, TSNode node)
{
    for (int i = 0; i < MAX_DECLARATORS; i++) {
        TSNode inner = inner_declarator(d, node);
        if (ts_node_is_null(inner))
            break;
        node = inner;
    }
    return node;
}

// The class in `void ns::Foo<T>::bar()`: the scope of the last qualified name on the way to the
// name.
static TSNode qualifier_of(const ken_declarators *d, TSNode node)
{
    TSNode found = { 0 };
    for (int i = 0; i < MAX_DECLARATORS && !ts_node_is_null(node); i++) {
        TSNode scope = ts_node_child_by_field_id(node, d->scope);
        if (!ts_node_is_null(scope))
            found = scope;
        node = inner_declarator(d, node);
    }
    return found;
}

bool ken_rule_has_type(TSSymbol s, const TSSymbol *types, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (types[i] == s)
            return true;
    return false;
}

// No child of `node` and no declarator between it and its name is of these types.
static bool is_without(const ken_rule_cond *cond, TSNode node)
{
    if (!cond->n_without)
        return true;
    uint32_t n = ts_node_child_count(node);
    for (uint32_t i = 0; i < n && i < 32; i++)
        if (ken_rule_has_type(ts_node_symbol(ts_node_child(node, i)), cond->without,
                              cond->n_without))
            return false;
    const ken_declarators *d = cond->declarators;
    node = ts_node_child_by_field_id(node, d->declarator);
    for (int i = 0; i < MAX_DECLARATORS && !ts_node_is_null(node); i++) {
        if (ken_rule_has_type(ts_node_symbol(node), cond->without, cond->n_without))
            return false;
        node = inner_declarator(d, node);
    }
    return true;
}

TSNode ken_rule_follow_path(const ken_rule_path *path, TSNode node)
{
    for (uint32_t i = 0; i < path->n_steps && !ts_node_is_null(node); i++) {
        const ken_rule_step *s = &path->steps[i];
        switch (s->kind) {
        case KEN_STEP_FIELD:
            node = ts_node_child_by_field_id(node, s->field);
            break;
        case KEN_STEP_TYPE:
        case KEN_STEP_LAST:
            node = child_of_type(node, s->type, s->kind == KEN_STEP_LAST);
            break;
        case KEN_STEP_IS:
            if (ts_node_symbol(node) != s->type)
                return (TSNode){ 0 };
            break;
        case KEN_STEP_NEXT:
            node = ts_node_next_named_sibling(node);
            break;
        case KEN_STEP_PREVIOUS:
            node = ts_node_prev_named_sibling(node);
            break;
        case KEN_STEP_DECLARATOR:
            node = unwrap_declarator(s->declarators, node);
            break;
        case KEN_STEP_QUALIFIER:
            node = qualifier_of(s->declarators, node);
            break;
        }
    }
    return node;
}

uint32_t ken_rule_follow_each(const ken_rule_path *path, uint32_t step, TSNode node, TSNode *out,
                              uint32_t max)
{
    if (!step || step > path->n_steps)
        return 0;
    ken_rule_path head = *path, tail = { .n_steps = path->n_steps - step };
    head.n_steps = step - 1;
    memcpy(tail.steps, path->steps + step, tail.n_steps * sizeof *tail.steps);
    node = ken_rule_follow_path(&head, node);
    if (ts_node_is_null(node))
        return 0;
    const ken_rule_step *s = &path->steps[step - 1];
    uint32_t n = 0;
    TSTreeCursor cursor = ts_tree_cursor_new(node);
    bool has_more = ts_tree_cursor_goto_first_child(&cursor);
    for (; has_more && n < max; has_more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        bool fits = s->kind == KEN_STEP_FIELD ? ts_tree_cursor_current_field_id(&cursor) == s->field
                                              : ts_node_symbol(child) == s->type;
        TSNode end = fits ? ken_rule_follow_path(&tail, child) : (TSNode){ 0 };
        if (!ts_node_is_null(end))
            out[n++] = end;
    }
    ts_tree_cursor_delete(&cursor);
    return n;
}

TSNode ken_rule_follow(const ken_rule_paths *paths, TSNode node)
{
    TSNode found = { 0 };
    for (uint32_t i = 0; i < paths->n_paths && ts_node_is_null(found); i++)
        found = ken_rule_follow_path(&paths->paths[i], node);
    return found;
}

bool ken_rule_is_listed(ken_str word, ken_str list)
{
    ken_str part;
    while (ken_str_split_next(&list, ',', &part)) {
        bool is_prefix = part.len > 1 && part.ptr[part.len - 1] == '*';
        if (is_prefix ? ken_str_starts(word, ken_str_sub(part, 0, part.len - 1))
                      : ken_str_eq(word, part))
            return true;
    }
    return false;
}

static bool passes(const ken_rule_test *test, TSNode node, ken_str text)
{
    TSNode at = ken_rule_follow_path(&test->path, node);
    if (ts_node_is_null(at))
        return false;
    ken_str word = ken_str_sub(text, ts_node_start_byte(at), ts_node_end_byte(at));
    return !test->words.len || ken_rule_is_listed(word, test->words);
}

static bool has_child_of(TSNode node, const TSSymbol *types, uint32_t n_types)
{
    uint32_t n = ts_node_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        if (ken_rule_has_type(ts_node_symbol(ts_node_child(node, i)), types, n_types))
            return true;
    return false;
}

bool ken_rule_holds(const ken_rule_cond *cond, TSNode node, TSSymbol parent, uint32_t depth,
                    ken_str text)
{
    if (cond->n_inside && !(depth && ken_rule_has_type(parent, cond->inside, cond->n_inside)))
        return false;
    if (cond->n_outside && depth && ken_rule_has_type(parent, cond->outside, cond->n_outside))
        return false;
    if (cond->when.is_given && !passes(&cond->when, node, text))
        return false;
    if (cond->unless.is_given && passes(&cond->unless, node, text))
        return false;
    if (cond->n_has && !has_child_of(node, cond->has, cond->n_has))
        return false;
    return !cond->n_without || is_without(cond, node);
}
