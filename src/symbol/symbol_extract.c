// SPDX-License-Identifier: MIT
// The walk. It stops at every node that has a rule, in order (lang_walk.h); a stack of frames
// remembers which definition and scope we are in.
//
// Leading text: a run of comments and attributes that ends on the line above a definition (or on
// its own line) is its documentation. A wrapper (decorators, export statements, templates) lends
// its span to the first definition inside.
#include <string.h>

#include "symbol/symbol_priv.h"

typedef struct walk_frame {
    uint32_t depth;  // tree depth of the node that opened it
    int32_t symbol;  // definition that holds what follows, -1 = none
    ken_scope scope; // scope that holds what follows
    uint16_t rule;   // rule that opened it, for max_depth
    uint32_t rule_depth;
    ken_visibility members; // visibility of definitions without one of their own
} walk_frame;

typedef struct walk {
    const ken_rules *rules;
    ken_str text;
    ken_extraction *out;
    KEN_VEC(walk_frame) frames;
    uint32_t depth;  // of the present node
    TSSymbol parent; // type of the node above it
    // Comments and attributes that may belong to the definition that follows.
    uint32_t lead_start, lead_end, lead_end_row;
    bool has_lead;
    bool has_comment_lead; // a comment is among them
    uint32_t lead_comment_start, lead_comment_end;
    bool has_prefix_lead; // an attribute is among them
    uint32_t lead_prefix_start;
    // Wrappers directly inside each other whose definition has not come yet: the outermost, and the
    // depths of both ends.
    TSNode wrap;
    uint32_t wrap_depth, wrap_inner_depth;
    bool has_wrap;
    // The wrapper whose first definition has come: its properties hold for further ones of its
    // level (`export const a = 1, b = 2`).
    ken_span shared; // from the wrapper to that definition
    uint32_t shared_end, shared_depth;
    // The last owner looked up (methods of one type follow each other).
    ken_str owner_name;
    int32_t owner;
} walk;

static ken_str node_text(ken_str text, TSNode node)
{
    return ken_str_sub(text, ts_node_start_byte(node), ts_node_end_byte(node));
}

static walk_frame *top_frame(walk *w)
{
    return &w->frames.ptr[w->frames.len - 1];
}

static bool fits_scope(const ken_rule *rule, ken_scope scope)
{
    switch (rule->at) {
    case KEN_AT_TOP:
        return scope == KEN_SCOPE_TOP;
    case KEN_AT_OUTER:
        return scope != KEN_SCOPE_FUNCTION;
    case KEN_AT_TYPE:
        return scope == KEN_SCOPE_TYPE;
    case KEN_AT_ANY:
        break;
    }
    return true;
}

// A variable that holds a function is one.
static bool holds_function(const ken_rule *rule, TSNode node, uint32_t n_lines)
{
    if (!rule->n_fn)
        return false;
    TSNode value = ken_rule_follow(&rule->value, node);
    return !ts_node_is_null(value) &&
           ken_rule_has_type(ts_node_symbol(value), rule->fn, rule->n_fn) &&
           ts_node_end_point(value).row + 1 >= ts_node_start_point(value).row + n_lines;
}

enum {
    LINES_OF_LOCAL = 3 // of a function that is a definition where other values are not
};

static bool fits_place(walk *w, const ken_rule *rule, TSNode node)
{
    if (rule->role == KEN_RULE_DEF && ken_symbol_is_callable(rule->kind) && rule->n_fn)
        return holds_function(rule, node, LINES_OF_LOCAL);
    return fits_scope(rule, top_frame(w)->scope) || holds_function(rule, node, LINES_OF_LOCAL);
}

static bool applies(walk *w, const ken_rule *rule, TSNode node)
{
    return fits_place(w, rule, node) &&
           ken_rule_holds(&rule->cond, node, w->parent, w->depth, w->text);
}

static const ken_rule *rule_for(walk *w, TSNode node, TSSymbol s, uint16_t *out_index)
{
    int16_t at = s < w->rules->n_symbols ? w->rules->first[s] : -1;
    for (; at >= 0; at = w->rules->rules[at].next) {
        if (applies(w, &w->rules->rules[at], node)) {
            *out_index = (uint16_t)at;
            return &w->rules->rules[at];
        }
    }
    return NULL;
}

// ---- what a node gives -----------------------------------------------------------------------

enum {
    MAX_SIBLINGS = 64,
    MAX_LOOKED_AT = 4000 // symbols, for one of a given name
};

// The next sibling of `at` inside `node` that has the same type; null when there is none.
static TSNode next_of_type(TSNode node, TSNode at)
{
    TSSymbol type = ts_node_symbol(at);
    do {
        at = ts_node_next_named_sibling(at);
    } while (!ts_node_is_null(at) && ts_node_symbol(at) != type);
    bool is_inside = !ts_node_is_null(at) && ts_node_end_byte(at) <= ts_node_end_byte(node);
    return is_inside ? at : (TSNode){ 0 };
}

static void add_lead(walk *w, TSNode node, bool is_comment)
{
    uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
    TSPoint from = ts_node_start_point(node), to = ts_node_end_point(node);
    // Grammars that put the line break into a line comment end it on the next row.
    uint32_t end_row = to.column == 0 && to.row > from.row ? to.row - 1 : to.row;
    if (!w->has_lead || from.row > w->lead_end_row + 1) {
        // A comment behind code on its line belongs to that code.
        size_t line = start;
        while (line && w->text.ptr[line - 1] != '\n')
            line--;
        if (ken_str_trim(ken_str_sub(w->text, line, start)).len)
            return;
        w->has_lead = true;
        w->has_comment_lead = w->has_prefix_lead = false;
        w->lead_start = start;
    }
    w->lead_end = end;
    w->lead_end_row = end_row;
    if (is_comment) {
        if (!w->has_comment_lead)
            w->lead_comment_start = start;
        w->lead_comment_end = end;
        w->has_comment_lead = true;
    } else if (!w->has_prefix_lead) {
        w->lead_prefix_start = start;
        w->has_prefix_lead = true;
    }
}

static ken_str module_name(walk *w, const ken_rule *rule, TSNode at)
{
    ken_str text = node_text(w->text, at);
    if (rule->module.n_paths && !rule->module.paths[0].n_steps) // the whole statement: `import a.b`
        text = ken_str_sub(text, ken_str_find_char(text, ' '), text.len);
    ken_str module = ken_symbol__clean_name(w->rules, text);
    if (module.len >= 2 && module.ptr[0] == '<' && module.ptr[module.len - 1] == '>')
        module = ken_str_sub(module, 1, module.len - 1);
    return module;
}

static void add_import(walk *w, const ken_rule *rule, TSNode node)
{
    TSNode at = ken_rule_follow(&rule->module, node);
    for (int i = 0; i < MAX_SIBLINGS && !ts_node_is_null(at); i++) {
        ken_import import = { module_name(w, rule, at), ts_node_start_point(node).row,
                              rule->role == KEN_RULE_EXPORT };
        if (import.module.len && w->out->imports.len < KEN_MAX_SYMBOLS)
            ken_vec_push(&w->out->imports, import);
        if (!rule->is_each)
            return;
        at = next_of_type(node, at);
    }
}

// What stands between the brackets of a node that has some.
static TSRange inside_of(TSNode node)
{
    TSRange all = { ts_node_start_point(node), ts_node_end_point(node), ts_node_start_byte(node),
                    ts_node_end_byte(node) };
    uint32_t n = ts_node_child_count(node);
    if (n < 2)
        return all;
    TSNode first = ts_node_child(node, 0), last = ts_node_child(node, n - 1);
    bool has_brackets = !ts_node_is_named(first) && !ts_node_is_named(last) &&
                        ts_node_end_byte(first) == all.start_byte + 1 &&
                        ts_node_start_byte(last) + 1 == all.end_byte;
    if (!has_brackets)
        return all;
    return (TSRange){ ts_node_end_point(first), ts_node_start_point(last), ts_node_end_byte(first),
                      ts_node_start_byte(last) };
}

static void add_injection(walk *w, const ken_rule *rule, TSNode node, int32_t symbol)
{
    TSNode at = ken_rule_follow(&rule->value, node);
    if (ts_node_is_null(at))
        return;
    ken_str opening = ken_str_sub(w->text, ts_node_start_byte(node), ts_node_start_byte(at));
    ken_lang_id lang = ken_symbol__injected_lang(opening, ken_lang_by_name(rule->inject_lang));
    if (lang == KEN_LANG_COUNT)
        return;
    TSRange range = inside_of(at);
    if (range.start_byte >= range.end_byte)
        return;
    if (w->out->injections.len >= KEN_MAX_INJECTIONS) {
        w->out->n_error_bytes += range.end_byte - range.start_byte; // is not read
        return;
    }
    ken_injection injection = {
        .lang = lang,
        .range = range,
        .parent = symbol,
        .depth = symbol >= 0 ? w->out->symbols.ptr[symbol].depth + 1 : 0,
    };
    ken_vec_push(&w->out->injections, injection);
}

// From `start` to the body; without one, to the end of the line that has the name.
static ken_span signature_of(walk *w, const ken_rule *rule, TSNode node, TSNode name, ken_span span,
                             bool has_body)
{
    uint32_t start = span.start, end = span.end;
    TSNode sig = ken_rule_follow(&rule->signature, node);
    if (!ts_node_is_null(sig))
        return (ken_span){ ts_node_start_byte(sig), ts_node_end_byte(sig) };
    TSNode body = ken_rule_follow(&rule->body, node);
    if (has_body && !ts_node_is_null(body) && ts_node_start_byte(body) > start) {
        end = ts_node_start_byte(body);
    } else {
        uint32_t from = ts_node_end_byte(name) < end ? ts_node_end_byte(name) : start;
        size_t line = ken_str_find_char(ken_str_sub(w->text, from, end), '\n');
        if (line != SIZE_MAX)
            end = from + (uint32_t)line;
    }
    if (end - start > 1000)
        end = start + 1000;
    while (end > start && (ken_is_space(w->text.ptr[end - 1]) || w->text.ptr[end - 1] == '{'))
        end--;
    return (ken_span){ start, end };
}

// The definition before this one under the same parent, when it has this name; else NULL.
static ken_symbol *last_of_name(walk *w, ken_str name)
{
    int32_t i = (int32_t)w->out->symbols.len - 1, parent = top_frame(w)->symbol;
    while (i > parent && w->out->symbols.ptr[i].parent != parent)
        i = w->out->symbols.ptr[i].parent;
    if (i <= parent || !ken_str_eq(w->out->symbols.ptr[i].name, name))
        return NULL;
    return &w->out->symbols.ptr[i];
}

// A type of that name, else another outermost definition; the first of the file counts.
static int32_t find_owner(const ken_extraction *x, ken_str name)
{
    int32_t other = -1;
    for (size_t i = 0; i < x->symbols.len && i < MAX_LOOKED_AT; i++) {
        const ken_symbol *s = &x->symbols.ptr[i];
        if (!ken_str_eq(s->name, name))
            continue;
        if (ken_symbol_is_type(s->kind))
            return (int32_t)i;
        if (other < 0 && s->parent < 0 && s->kind != KEN_SYMBOL_IMPL)
            other = (int32_t)i;
    }
    return other;
}

static int32_t owner_of(walk *w, const ken_rule *rule, TSNode node)
{
    TSNode at = ken_rule_follow(&rule->owner, node);
    if (ts_node_is_null(at))
        return -1;
    ken_str name = ken_symbol__clean_name(w->rules, node_text(w->text, at));
    name = ken_str_trim(ken_str_sub(name, 0, ken_str_find_char(name, '<'))); // Foo<T>::bar
    if (!w->owner_name.len || w->owner < 0 || !ken_str_eq(name, w->owner_name)) {
        w->owner = find_owner(w->out, name);
        w->owner_name = name;
    }
    return w->owner;
}

// Only space lies between; one empty line may be there behind a documentation comment.
static bool lead_reaches(const walk *w, const ken_symbol *s, uint32_t row)
{
    if (!w->has_lead || w->lead_end > s->span.start ||
        ken_str_trim(ken_str_sub(w->text, w->lead_end, s->span.start)).len)
        return false;
    ken_str lead = ken_str_sub(w->text, w->lead_start, w->lead_end);
    return w->lead_end_row + (ken_str_starts(lead, KEN_STR("/**")) ? 2 : 1) >= row;
}

// Grammars may put the comment of a definition at the end of the one before it.
static void cut_before(walk *w, uint32_t at, int32_t parent)
{
    for (int32_t i = (int32_t)w->out->symbols.len - 1; i > parent; i--) {
        ken_symbol *before = &w->out->symbols.ptr[i];
        if (before->span.start < at && before->span.end > at)
            before->span.end = at;
        if (before->parent == parent)
            return;
    }
}

static void take_lead(walk *w, ken_symbol *s, uint32_t row)
{
    if (lead_reaches(w, s, row)) {
        cut_before(w, w->lead_start, s->parent);
        if (w->has_comment_lead)
            s->doc = (ken_span){ w->lead_comment_start, w->lead_comment_end };
        // Attributes are part of the definition, with comments behind them; comments before them stay
        // documentation.
        if (w->has_prefix_lead)
            s->span.start = w->lead_prefix_start;
    }
    w->has_lead = false;
}

static bool is_wrapped(const walk *w)
{
    return w->has_wrap && w->depth == w->wrap_inner_depth + 1;
}

static void set_doc(walk *w, ken_symbol *s, TSNode doc)
{
    if (ts_node_is_null(doc))
        return;
    s->doc = (ken_span){ ts_node_start_byte(doc), ts_node_end_byte(doc) };
    ken_vec_push(&w->out->comments, s->doc);
}

static ken_symbol_kind kind_of(walk *w, const ken_rule *rule, TSNode node)
{
    ken_symbol_kind kind = holds_function(rule, node, 1) ? KEN_SYMBOL_FUNCTION : rule->kind;
    return kind == KEN_SYMBOL_FUNCTION && top_frame(w)->scope == KEN_SCOPE_TYPE ? KEN_SYMBOL_METHOD
                                                                                : kind;
}

// A further clause or declaration of the definition before it.
static bool merge_symbol(walk *w, ken_str name, TSNode node, ken_symbol_kind kind)
{
    ken_symbol *last = last_of_name(w, name);
    if (!last)
        return false;
    last->span.end = ts_node_end_byte(node);
    last->kind = kind;
    w->has_lead = false;
    return true;
}

// The text before the name, which may hold a visibility keyword.
static ken_str head_of(walk *w, TSNode node, uint32_t start, TSNode name_node)
{
    if (is_wrapped(w)) {
        w->shared = (ken_span){ start, ts_node_start_byte(node) };
        w->shared_end = ts_node_end_byte(w->wrap);
        w->shared_depth = w->depth;
    } else if (w->depth == w->shared_depth && ts_node_end_byte(node) <= w->shared_end &&
               ts_node_start_byte(node) > w->shared.end) {
        return ken_str_sub(w->text, w->shared.start, w->shared.end);
    }
    return ken_str_sub(w->text, start, ts_node_start_byte(name_node));
}

static int32_t push_symbol(walk *w, const ken_rule *rule, TSNode node, TSNode name_node,
                           ken_str name)
{
    walk_frame *frame = top_frame(w);
    TSNode whole = is_wrapped(w) ? w->wrap : node;
    ken_symbol s = {
        .name = name,
        .kind = kind_of(w, rule, node),
        .span = { ts_node_start_byte(whole), ts_node_end_byte(whole) },
        .parent = frame->symbol,
    };
    if (rule->owner.n_paths) {
        int32_t owner = owner_of(w, rule, node);
        s.parent = owner >= 0 ? owner : s.parent;
    }
    if (rule->rest_level)
        s.span.end = (uint32_t)w->text.len;
    else if (rule->is_rest)
        s.span.end = ts_node_end_byte(ts_node_parent(node));
    s.depth = s.parent >= 0 ? w->out->symbols.ptr[s.parent].depth + 1 : 0;
    bool is_decorated = w->text.ptr[s.span.start] == '@';
    ken_span own = { ts_node_start_byte(node),
                     rule->is_rest ? s.span.end : ts_node_end_byte(node) };
    if (!is_decorated)
        own.start = s.span.start;
    bool has_body = !rule->n_fn || ken_symbol_is_callable(s.kind); // else it is part of a value
    s.signature = signature_of(w, rule, node, name_node, own, has_body);
    ken_str head = head_of(w, node, s.span.start, name_node);
    s.visibility = rule->visibility ? rule->visibility
                                    : ken_symbol__visibility(w->rules, head, name, frame->members);
    take_lead(w, &s, ts_node_start_point(whole).row);
    set_doc(w, &s, ken_rule_follow(&rule->doc, node));
    w->has_wrap = false;
    ken_vec_push(&w->out->symbols, s);
    return (int32_t)w->out->symbols.len - 1;
}

// One more definition like the last, of another name.
static void add_like_last(walk *w, TSNode name_node)
{
    ken_symbol s = w->out->symbols.ptr[w->out->symbols.len - 1];
    s.name = ken_symbol__clean_name(w->rules, node_text(w->text, name_node));
    s.visibility = ken_symbol__visibility(w->rules, KEN_STR(""), s.name, s.visibility);
    if (s.name.len && w->out->symbols.len < KEN_MAX_SYMBOLS)
        ken_vec_push(&w->out->symbols, s);
}

// attr_reader :a, :b; var a, b int
static void add_siblings(walk *w, TSNode node, TSNode name_node)
{
    for (int i = 0; i < MAX_SIBLINGS; i++) {
        name_node = next_of_type(node, name_node);
        if (ts_node_is_null(name_node))
            return;
        add_like_last(w, name_node);
    }
}

// int a, *b, c[3];
static void add_declarators(walk *w, const ken_rule *rule, TSNode node, TSNode name_node)
{
    ken_str behind = ken_str_sub(w->text, ts_node_end_byte(name_node), ts_node_end_byte(node));
    if (ken_str_find_char(behind, ',') == SIZE_MAX) // mostly there is only one
        return;
    TSNode names[MAX_SIBLINGS];
    uint32_t n =
        ken_rule_follow_each(&rule->name.paths[0], rule->each_step, node, names, MAX_SIBLINGS);
    for (uint32_t i = 1; i < n; i++)
        add_like_last(w, names[i]);
}

// The definition that `node` makes, or -1.
static int32_t add_symbol(walk *w, const ken_rule *rule, TSNode node)
{
    TSNode name_node = ken_rule_follow(&rule->name, node);
    if (ts_node_is_null(name_node) || w->out->symbols.len >= KEN_MAX_SYMBOLS)
        return -1;
    ken_str name = ken_symbol__clean_name(w->rules, node_text(w->text, name_node));
    if (rule->is_outer)
        name =
            top_frame(w)->symbol < 0 ? KEN_STR("") : w->out->symbols.ptr[top_frame(w)->symbol].name;
    if (!name.len)
        return -1;
    if (rule->is_merged && merge_symbol(w, name, node, kind_of(w, rule, node)))
        return (int32_t)(last_of_name(w, name) - w->out->symbols.ptr);
    int32_t symbol = push_symbol(w, rule, node, name_node, name);
    if (rule->each_step)
        add_declarators(w, rule, node, name_node);
    else if (rule->is_each)
        add_siblings(w, node, name_node);
    return symbol;
}

// ---- the walk --------------------------------------------------------------------------------

static void push_frame(walk *w, int32_t symbol, ken_scope scope, uint16_t rule)
{
    walk_frame *outer = top_frame(w);
    const ken_rule *r = &w->rules->rules[rule];
    walk_frame f = { w->depth,
                     symbol,
                     scope ? scope : outer->scope,
                     rule,
                     outer->rule == rule ? outer->rule_depth + 1 : 1,
                     r->has_outer_members ? outer->members : r->members };
    ken_vec_push(&w->frames, f);
}

// A definition that holds what follows ends with the next of its kind.
static void end_rest(walk *w, const ken_rule *rule, uint16_t index, TSNode node)
{
    uint32_t at = w->has_lead ? w->lead_start : ts_node_start_byte(node);
    while (w->frames.len > 1 && top_frame(w)->symbol >= 0) {
        const walk_frame *top = top_frame(w);
        const ken_rule *other = &w->rules->rules[top->rule];
        if (top->rule != index && !(rule->rest_level && other->rest_level >= rule->rest_level))
            return;
        w->out->symbols.ptr[top->symbol].span.end = at;
        w->frames.len--;
    }
}

static bool visit_definition(walk *w, const ken_rule *rule, uint16_t index, TSNode node)
{
    const walk_frame *top = top_frame(w);
    if (rule->max_depth && top->rule == index && top->rule_depth >= rule->max_depth)
        return true;
    if (rule->is_rest)
        end_rest(w, rule, index, node);
    int32_t symbol = add_symbol(w, rule, node);
    if (symbol < 0)
        return true;
    bool is_callable = ken_symbol_is_callable(w->out->symbols.ptr[symbol].kind);
    push_frame(w, symbol, is_callable && rule->scope ? KEN_SCOPE_FUNCTION : rule->scope, index);
    if (rule->is_rest)
        top_frame(w)->depth = rule->rest_level || !w->depth ? 0 : w->depth - 1;
    if (rule->inject_lang.len)
        add_injection(w, rule, node, symbol);
    return !rule->is_opaque;
}

static void visit_wrapper(walk *w, TSNode node)
{
    if (!is_wrapped(w)) {
        w->wrap = node;
        w->wrap_depth = w->depth;
        w->has_wrap = true;
    }
    w->wrap_inner_depth = w->depth;
}

// Definitions of that name directly inside the present one.
static void set_visibility(walk *w, ken_str name, ken_visibility visibility)
{
    int32_t parent = top_frame(w)->symbol;
    size_t n_seen = 0;
    for (int32_t i = (int32_t)w->out->symbols.len - 1; i > parent && n_seen++ < MAX_LOOKED_AT;
         i--) {
        ken_symbol *s = &w->out->symbols.ptr[i];
        if (s->parent == parent && ken_str_eq(s->name, name))
            s->visibility = visibility;
    }
}

// `private` for what follows, `private :a, :b` for those named, `private def a` for what is inside.
static bool visit_access(walk *w, const ken_rule *rule, TSNode node)
{
    ken_visibility visibility =
        ken_symbol__visibility_by_words(node_text(w->text, node), KEN_VISIBILITY_UNKNOWN);
    if (!rule->name.n_paths) {
        top_frame(w)->members = visibility;
        return false;
    }
    TSNode at = ken_rule_follow(&rule->name, node);
    if (ts_node_is_null(at)) {
        visit_wrapper(w, node);
        w->wrap_inner_depth++; // between them is the list of arguments
        return true;
    }
    for (int i = 0; i < MAX_SIBLINGS && !ts_node_is_null(at); i++) {
        set_visibility(w, ken_symbol__clean_name(w->rules, node_text(w->text, at)), visibility);
        at = next_of_type(node, at);
    }
    return false;
}

// A comment between the head and the body of a definition is not part of its signature.
static void end_signature(ken_symbol *s, uint32_t at, ken_str text)
{
    if (at <= s->signature.start || at >= s->signature.end)
        return;
    s->signature.end = at;
    while (s->signature.end > s->signature.start && ken_is_space(text.ptr[s->signature.end - 1]))
        s->signature.end--;
}

static void visit_comment(walk *w, const ken_rule *rule, TSNode node)
{
    int32_t symbol = top_frame(w)->symbol;
    if (symbol >= 0 && w->depth == top_frame(w)->depth + 1)
        end_signature(&w->out->symbols.ptr[symbol], ts_node_start_byte(node), w->text);
    if (rule->role == KEN_RULE_DOC && symbol >= 0 && !w->out->symbols.ptr[symbol].doc.end) {
        set_doc(w, &w->out->symbols.ptr[symbol], node);
        return;
    }
    ken_span span = { ts_node_start_byte(node), ts_node_end_byte(node) };
    ken_vec_push(&w->out->comments, span);
    if (rule->role == KEN_RULE_COMMENT)
        add_lead(w, node, true);
}

// Looks at one node; false when nothing below it is of interest.
static bool visit(walk *w, TSNode node, TSSymbol type)
{
    uint16_t index = 0;
    const ken_rule *rule = rule_for(w, node, type, &index);
    if (!rule)
        return true;
    switch (rule->role) {
    case KEN_RULE_DEF:
        return visit_definition(w, rule, index, node);
    case KEN_RULE_COMMENT:
    case KEN_RULE_DOC:
        visit_comment(w, rule, node);
        return false;
    case KEN_RULE_ACCESS:
        return visit_access(w, rule, node);
    case KEN_RULE_PREFIX:
        add_lead(w, node, false);
        return false;
    case KEN_RULE_WRAP:
        visit_wrapper(w, node);
        return true;
    case KEN_RULE_IMPORT:
    case KEN_RULE_EXPORT:
        add_import(w, rule, node);
        return rule->role == KEN_RULE_EXPORT;
    case KEN_RULE_INJECT:
        add_injection(w, rule, node, top_frame(w)->symbol);
        return true;
    case KEN_RULE_SCOPE:
        push_frame(w, top_frame(w)->symbol, rule->scope, index);
        return true;
    case KEN_RULE_SKIP:
    case KEN_RULE_NONE:
        break;
    }
    return false;
}

// Closes what is over at this depth and below.
static void leave(walk *w, uint32_t depth)
{
    while (w->frames.len > 1 && top_frame(w)->depth >= depth)
        w->frames.len--;
    if (w->has_wrap && w->wrap_depth >= depth)
        w->has_wrap = false;
}

// Errors inside errors count once. Returns where the last one ends.
static uint32_t count_error(ken_extraction *out, TSNode node, uint32_t error_end)
{
    if (!ts_node_is_error(node) || ts_node_start_byte(node) < error_end)
        return error_end;
    out->n_error_bytes += ts_node_end_byte(node) - ts_node_start_byte(node);
    return ts_node_end_byte(node);
}

void ken_symbol_extract(const ken_rules *rules, ken_trail_part trail, ken_str text, int32_t parent,
                        uint32_t depth, ken_extraction *out)
{
    walk w = { .rules = rules, .text = text, .out = out };
    walk_frame bottom = { 0, parent, KEN_SCOPE_TOP, UINT16_MAX, depth, KEN_VISIBILITY_UNKNOWN };
    ken_vec_push(&w.frames, bottom);
    ken_trail_reader stops = ken_trail_read(trail, rules->first);
    const ken_walk_stop *at;
    bool wants_below = true;
    uint32_t error_end = 0;
    while ((at = ken_trail_next(&stops, wants_below)) != NULL) {
        w.depth = at->depth;
        w.parent = at->parent;
        leave(&w, stops.left);
        error_end = count_error(out, at->node, error_end);
        wants_below = visit(&w, at->node, at->type);
    }
    ken_vec_release(&w.frames);
}

void ken_extraction_clear(ken_extraction *x)
{
    ken_vec_clear(&x->symbols);
    ken_vec_clear(&x->imports);
    ken_vec_clear(&x->comments);
    ken_vec_clear(&x->injections);
    x->n_error_bytes = 0;
}

void ken_extraction_release(ken_extraction *x)
{
    ken_vec_release(&x->symbols);
    ken_vec_release(&x->imports);
    ken_vec_release(&x->comments);
    ken_vec_release(&x->injections);
}
