// SPDX-License-Identifier: MIT
// The walk. It stops at every node that has a rule, in order (lang_walk.h). A leaf gives its value
// at once; any other node is a frame that is open until the walk leaves it, and then gives a value
// of what was delivered to it (refs_close.c). A node without a rule is looked through, but what is
// further below a frame than its rule reaches does not count as its part: in `(a + b).c`, neither a
// nor b is what c is a member of.
#include "base/alloc.h"
#include "refs/refs_priv.h"

TSNode ken_refs__at(const ken_refs_maker *m, const ken_ref_rule *rule, ken_ref_path which,
                    TSNode node)
{
    uint16_t path = rule->path[which];
    return path ? ken_rule_follow(&m->rules->paths[path - 1], node) : (TSNode){ 0 };
}

// ---- frames ------------------------------------------------------------------------------------

static void open_scope(ken_refs_maker *m, refs_frame *f)
{
    f->scope = (uint32_t)m->frames.len - 1;
    f->first_local = (uint32_t)m->locals.len;
}

static void open_callable(ken_refs_maker *m, refs_frame *f)
{
    open_scope(m, f);
    f->callable = f->scope;
    TSNode params = ken_refs__at(m, f->rule, KEN_REF_PATH_PARAMS, f->node);
    f->params_start = ts_node_is_null(params) ? f->start : ts_node_start_byte(params);
    f->params_end = ts_node_is_null(params) ? f->end : ts_node_end_byte(params);
}

// The name leaf of a definition is none of a reference, whether it is a symbol or not.
static void open_function(ken_refs_maker *m, refs_frame *f)
{
    TSNode name = ken_refs__at(m, f->rule, KEN_REF_PATH_NAME, f->node);
    if (!ts_node_is_null(name)) {
        uint32_t byte = ts_node_start_byte(name);
        f->def = ken_refs__def_named_at(m, byte);
        int32_t around = ken_refs__holder(m, m->around);
        // A further overload of a definition that holds them all.
        if (f->def < 0 && around >= 0 &&
            ken_str_eq(m->symbols[around].name, refs_node_text(m, name)))
            f->def = around;
        ken_refs__add_decl(m, name, REFS_STEP_WHOLE);
    }
    open_callable(m, f);
    f->has_self = refs_has(f, KEN_REF_F_SELF) && f->def >= 0 &&
                  ken_refs__is_type(m, m->symbols[f->def].parent);
    if (f->def >= 0 && !ts_node_is_null(ken_refs__at(m, f->rule, KEN_REF_PATH_OWNER, f->node)))
        ken_refs__set_owned(m, f->def);
}

static void add_declared_names(ken_refs_maker *m, refs_frame *f, TSNode name)
{
    enum {
        MAX_NAMES = 64
    };
    uint16_t path = f->rule->path[KEN_REF_PATH_NAME];
    ken_refs__add_decl(m, name, REFS_STEP_WHOLE);
    if (!refs_has(f, KEN_REF_F_EACH) || !path || ts_node_is_null(name))
        return;
    if (f->rule->each_step) {
        TSNode names[MAX_NAMES];
        uint32_t n = ken_rule_follow_each(&m->rules->paths[path - 1].paths[0], f->rule->each_step,
                                          f->node, names, MAX_NAMES);
        for (uint32_t i = 0; i < n; i++)
            if (ts_node_start_byte(names[i]) != ts_node_start_byte(name))
                ken_refs__add_decl(m, names[i], REFS_STEP_WHOLE);
        return;
    }
    TSSymbol type = ts_node_symbol(name);
    TSNode next = ts_node_next_named_sibling(name);
    for (int i = 0; i < MAX_NAMES && !ts_node_is_null(next); i++) {
        if (ts_node_symbol(next) == type && ts_node_end_byte(next) <= f->end)
            ken_refs__add_decl(m, next, REFS_STEP_WHOLE);
        next = ts_node_next_named_sibling(next);
    }
}

static void open_local(ken_refs_maker *m, refs_frame *f)
{
    add_declared_names(m, f, ken_refs__at(m, f->rule, KEN_REF_PATH_NAME, f->node));
    TSNode body = ken_refs__at(m, f->rule, KEN_REF_PATH_BODY, f->node);
    if (ts_node_is_null(body))
        return;
    open_scope(m, f);
    f->ready_at = ts_node_start_byte(body);
    if (m->next_ready > f->ready_at)
        m->next_ready = f->ready_at;
}

// The bare name on the left is no reference before the frame closes, which knows what it is.
static void open_assign(ken_refs_maker *m, refs_frame *f)
{
    TSNode left = ken_refs__at(m, f->rule, KEN_REF_PATH_LEFT, f->node);
    if (ts_node_is_null(left) || !ken_refs__is_name(m, left))
        return;
    ken_refs__add_decl(m, left, REFS_STEP_WHOLE);
    f->reserved = ken_refs__reserve_ref(m, ts_node_start_byte(left));
}

static void open_named(ken_refs_maker *m, refs_frame *f)
{
    TSNode name = ken_refs__at(m, f->rule, KEN_REF_PATH_NAME, f->node);
    if (ts_node_is_null(name))
        return;
    f->name = refs_node_text(m, name);
    f->name_start = ts_node_start_byte(name);
    f->is_def_name = ken_refs__is_declared(m, f->name_start); // the head of Elixir's `def f(x)`
    ken_refs__add_decl(m, name, REFS_STEP_WHOLE);
}

static void open_member(ken_refs_maker *m, refs_frame *f)
{
    if (f->rule->path[KEN_REF_PATH_NAME])
        open_named(m, f);
}

// `name=value`, `return@name value`: the name is none of ours.
static void open_pass(ken_refs_maker *m, refs_frame *f)
{
    ken_refs__add_decl(m, ken_refs__at(m, f->rule, KEN_REF_PATH_NAME, f->node), REFS_STEP_WHOLE);
}

static void open_declare(ken_refs_maker *m, refs_frame *f)
{
    open_scope(m, f);
    f->callable = f->scope;
    f->params_start = f->start;
    f->params_end = f->end;
    add_declared_names(m, f, ken_refs__at(m, f->rule, KEN_REF_PATH_NAME, f->node));
}

// What a type is built on, and what decorates a definition, is seen from outside of it.
static void open_outside(ken_refs_maker *m, refs_frame *f)
{
    int32_t def = ken_refs__holder(m, f->around);
    m->view = refs__view(m, def >= 0 ? m->places.ptr[def].around : -1);
}

typedef void (*open_fn)(ken_refs_maker *m, refs_frame *f);

static const open_fn openers[KEN_REF_RULE_COUNT] = {
    [KEN_REF_RULE_MEMBER] = open_member,
    [KEN_REF_RULE_CALL] = open_member,
    [KEN_REF_RULE_NEW] = open_member,
    [KEN_REF_RULE_CAST] = open_pass,
    [KEN_REF_RULE_PASS] = open_pass,
    [KEN_REF_RULE_RETURN] = open_pass,
    [KEN_REF_RULE_FUNCTION] = open_function,
    [KEN_REF_RULE_LAMBDA] = open_callable,
    [KEN_REF_RULE_SCOPE] = open_scope,
    [KEN_REF_RULE_DECLARE] = open_declare,
    [KEN_REF_RULE_LOCAL] = open_local,
    [KEN_REF_RULE_FIELD] = open_local,
    [KEN_REF_RULE_PARAM_TYPE] = open_local,
    [KEN_REF_RULE_ASSIGN] = open_assign,
    [KEN_REF_RULE_PATTERN] = ken_refs__open_pattern,
    [KEN_REF_RULE_IMPORT] = ken_refs__open_import,
    [KEN_REF_RULE_PREFIX] = ken_refs__open_import,
    [KEN_REF_RULE_OBJECT] = ken_refs__open_object,
    [KEN_REF_RULE_ENTRY] = ken_refs__open_entry,
    [KEN_REF_RULE_BASE] = open_outside,
    [KEN_REF_RULE_DECORATE] = open_outside,
};

// Names that are there before they are declared, as in `[x for x in xs]`.
static void declare_ahead(ken_refs_maker *m, refs_frame *f)
{
    uint32_t first = (uint32_t)m->decls.len;
    ken_refs__add_decls_below(m, ken_refs__at(m, f->rule, KEN_REF_PATH_AHEAD, f->node));
    for (size_t i = first; i < m->decls.len; i++)
        ken_refs__declare(m, f->scope, m->decls.ptr[i].text, m->decls.ptr[i].byte,
                          ken_refs__given_to(m, f, (uint32_t)(i - first)));
    if (f->rule->role == KEN_REF_RULE_LAMBDA) // `x => x`
        f->min_params = f->max_params = (uint16_t)(m->decls.len - first);
}

static const ken_ref_rule *rule_for(ken_refs_maker *m, const ken_walk_stop *at);

// What one declaration declares: the name that it says, or all in its pattern.
static void declare_hoisted(ken_refs_maker *m, refs_frame *f, const ken_ref_rule *rule, TSNode node)
{
    uint32_t first = (uint32_t)m->decls.len;
    ken_refs__add_decls_below(m, ken_refs__at(m, rule, KEN_REF_PATH_NAME, node));
    TSNode name = ken_refs__at(m, rule, KEN_REF_PATH_NAME, node);
    if (m->decls.len == first && !ts_node_is_null(name)) // an operator
        ken_refs__add_decl(m, name, REFS_STEP_UNKNOWN);
    for (size_t i = first; i < m->decls.len; i++)
        ken_refs__declare(m, f->scope, m->decls.ptr[i].text, m->decls.ptr[i].byte, 0);
    ken_refs__drop_decls(m, first);
}

// What is declared right inside a node is known in all of the scope, whatever the order: Haskell's
// `where`. Nodes without a rule are looked through.
static void hoist(ken_refs_maker *m, refs_frame *f)
{
    enum {
        MAX_NODES = 2000,
        DEEP = 3
    };
    TSNode top = ken_refs__at(m, f->rule, KEN_REF_PATH_HOIST, f->node);
    if (ts_node_is_null(top))
        return;
    TSTreeCursor c = ts_tree_cursor_new(top);
    uint32_t depth = ts_tree_cursor_goto_first_child(&c) ? 1 : 0;
    for (int n = 0; n < MAX_NODES && depth; n++) {
        TSNode at = ts_tree_cursor_current_node(&c);
        ken_walk_stop stop = { .node = at,
                               .type = ts_node_symbol(at),
                               .parent = depth == 1 ? ts_node_symbol(top) : 0,
                               .depth = f->depth + depth };
        const ken_ref_rule *rule = ts_node_is_named(at) ? rule_for(m, &stop) : NULL;
        bool declares =
            rule && (rule->role == KEN_REF_RULE_LOCAL || rule->role == KEN_REF_RULE_FUNCTION);
        if (declares)
            declare_hoisted(m, f, rule, at);
        if (!rule && depth < DEEP && ts_tree_cursor_goto_first_child(&c)) {
            depth++;
            continue;
        }
        while (depth && !ts_tree_cursor_goto_next_sibling(&c)) {
            ts_tree_cursor_goto_parent(&c);
            depth--;
        }
    }
    ts_tree_cursor_delete(&c);
}

static bool push_frame(ken_refs_maker *m, const ken_ref_rule *rule, const ken_walk_stop *at,
                       uint32_t start)
{
    const refs_frame *outer = refs_top(m);
    refs_frame f = {
        .rule = rule,
        .node = at->node,
        .start = start,
        .end = ts_node_end_byte(at->node),
        .depth = at->depth,
        .max_depth = at->depth + rule->reach,
        .first_value = (uint32_t)m->values.len,
        .first_decl = (uint32_t)m->decls.len,
        .first_step = (uint32_t)m->steps.len,
        .first_local = UINT32_MAX,
        .scope = outer->scope,
        .callable = outer->callable,
        .around = m->around,
        .def = -1,
        .reserved = -1,
        .object = -1,
        .ready_at = UINT32_MAX,
    };
    ken_vec_push(&m->frames, f);
    refs_frame *top = refs_top(m);
    if (rule->flags & KEN_REF_F_SCOPE)
        open_scope(m, top);
    if (openers[rule->role])
        openers[rule->role](m, top);
    if (rule->path[KEN_REF_PATH_AHEAD] | rule->path[KEN_REF_PATH_HOIST]) {
        declare_ahead(m, top);
        hoist(m, top);
    }
    if (rule->flags & KEN_REF_F_BRANCH)
        ken_refs__branch(m, m->around);
    return true;
}

// ---- leaves ------------------------------------------------------------------------------------

// True when a definition has its name here. Leaves come in order. What an `impl` is called by is
// the name of another definition.
static bool is_def_name(ken_refs_maker *m, uint32_t byte, int32_t *out_def)
{
    while (m->next_name < m->name_bytes.len && m->name_bytes.ptr[m->next_name] >> 32 < byte)
        m->next_name++;
    bool is_name =
        m->next_name < m->name_bytes.len && m->name_bytes.ptr[m->next_name] >> 32 == byte;
    if (is_name)
        *out_def = (int32_t)(uint32_t)m->name_bytes.ptr[m->next_name];
    return is_name && m->symbols[*out_def].kind != KEN_SYMBOL_IMPL;
}

// An embedded type (Go's) has the name of a field, and is a reference.
static bool is_base(const refs_frame *f)
{
    return f->rule && f->rule->role == KEN_REF_RULE_BASE;
}

// A leaf that ends where a member expression ends is its name.
static bool takes_name(ken_refs_maker *m, uint32_t start, uint32_t end, uint32_t depth)
{
    refs_frame *f = refs_top(m);
    if (!f->rule || f->rule->role != KEN_REF_RULE_MEMBER || f->name.len || f->end != end ||
        f->depth + 1 != depth || (f->start == start && !refs_has(f, KEN_REF_F_FIELD)))
        return false;
    int32_t def;
    f->name = refs_text(m, start, end);
    f->name_start = start;
    f->is_def_name = is_def_name(m, start, &def) && !is_base(f - 1);
    if (f->is_def_name)
        m->defs.ptr[def].flags |= KEN_DEF_PREFIXED;
    return true;
}

static int32_t visible_local(const ken_refs_maker *m, refs_name name, bool wants_type)
{
    int32_t at = m->names.ptr[name].local;
    while (at >= 0 && wants_type && !m->locals.ptr[at].is_type)
        at = m->locals.ptr[at].outer;
    return at >= 0 && !m->locals.ptr[at].is_global ? at : -1;
}

// A name that is declared here, one way or another; it is no reference.
static bool is_declaration(ken_refs_maker *m, const ken_ref_rule *rule, const ken_walk_stop *at,
                           uint32_t start, uint32_t end)
{
    if (ken_refs__is_declared(m, start))
        return true;
    if (rule->flags & KEN_REF_F_BARE) // a constant in a pattern
        return false;
    const refs_frame *f = refs_top(m);
    ken_ref_rule_role role = f->rule ? f->rule->role : KEN_REF_RULE_NONE;
    if (role == KEN_REF_RULE_PATTERN && f->is_declaring && start >= f->pattern_start &&
        start < f->pattern_end) {
        ken_refs__add_pattern_leaf(m, f, at->node);
        return true;
    }
    if (role == KEN_REF_RULE_GLOBAL) {
        ken_refs__declare_global(m, f->callable, refs_text(m, start, end));
        return true;
    }
    return false;
}

// `b` in C++'s `a::b::c`, whose tree is a and `b::c`: what it is a member of stands right before
// it.
static const refs_value *qualifier_before(const ken_refs_maker *m, const ken_ref_rule *rule,
                                          uint32_t start)
{
    if (!(rule->flags & KEN_REF_F_MEMBER) || !m->values.len)
        return NULL;
    const refs_value *v = &m->values.ptr[m->values.len - 1];
    bool is_near = v->end < start && start - v->end <= m->rules->separator.len + 1;
    return is_near && ken_str_eq(ken_str_trim(refs_text(m, v->end, start)), m->rules->separator)
               ? v
               : NULL;
}

static bool visit_name(ken_refs_maker *m, const ken_ref_rule *rule, const ken_walk_stop *at,
                       uint32_t start)
{
    uint32_t end = ts_node_end_byte(at->node);
    if (takes_name(m, start, end, at->depth))
        return false;
    if (rule->flags & KEN_REF_F_MARKUP) { // `<div>`: no value of this file, whatever is called div
        ken_expr_id all =
            ken_refs__expr(m, KEN_EXPR_BUILTIN, 0, 0, ken_refs__name(m, KEN_STR("jsx")));
        refs_name element = ken_refs__name(m, refs_text(m, start, end));
        ken_refs__add_ref(m, ken_refs__expr(m, KEN_EXPR_MEMBER, all, 0, element), KEN_REF_READ,
                          start);
        return false;
    }
    bool is_type = rule->role == KEN_REF_RULE_TYPE;
    refs_value v = { .ref = -1, .start = start, .end = end, .depth = at->depth };
    int32_t def = -1;
    if (is_def_name(m, start, &def) && !is_base(refs_top(m))) {
        ken_refs__is_declared(m, start);
        v.expr = ken_refs__expr(m, KEN_EXPR_DEF, (uint32_t)def, 0, 0);
        ken_refs__deliver(m, v);
        return false;
    }
    if (is_declaration(m, rule, at, start, end) || ken_refs__take_token(m, start, end))
        return false;
    refs_name name = ken_refs__name(m, refs_text(m, start, end));
    const refs_value *qualifier = qualifier_before(m, rule, start);
    int32_t local = qualifier ? -1 : visible_local(m, name, is_type);
    if (local >= 0) {
        v.expr = m->locals.ptr[local].value;
    } else if (rule->flags & KEN_REF_F_DECLARES) { // PHP's variables are nothing else
        return false;
    } else {
        bool is_called = (rule->flags & KEN_REF_F_CALLED) != 0;
        v.expr = qualifier ? ken_refs__expr(m, KEN_EXPR_MEMBER, qualifier->expr, 0, name)
                           : ken_refs__expr(m, KEN_EXPR_NAME, m->view, 0, name);
        if (!(rule->flags & KEN_REF_F_MODULE)) // before a name, a module is no use of its own
            v.ref = ken_refs__add_ref(m, v.expr,
                                      is_called ? KEN_REF_CALL
                                      : is_type ? KEN_REF_TYPE
                                                : KEN_REF_READ,
                                      start);
        if (is_called) // a method without arguments
            v.expr = ken_refs__expr(m, KEN_EXPR_CALL, v.expr, 1, 0);
    }
    if (rule->flags & KEN_REF_F_FIELD)
        ken_refs__add_short_entry(m, refs_text(m, start, end), start, v.expr);
    ken_refs__deliver(m, v);
    return false;
}

static bool visit_word(ken_refs_maker *m, const ken_ref_rule *rule, const ken_walk_stop *at,
                       uint32_t start)
{
    refs_frame *f = refs_top(m);
    bool had_name = f->name.len;
    if (!takes_name(m, start, ts_node_end_byte(at->node), at->depth))
        return false;
    TSNode name = ken_refs__at(m, rule, KEN_REF_PATH_NAME, at->node);
    if (had_name || ts_node_is_null(name)) // `name<arguments>`
        return false;
    f->name = refs_node_text(m, name);
    f->name_start = ts_node_start_byte(name);
    return true;
}

static bool visit_self(ken_refs_maker *m, const ken_ref_rule *rule, const ken_walk_stop *at,
                       uint32_t start)
{
    ken_expr_op op = rule->role == KEN_REF_RULE_SELF ? KEN_EXPR_SELF : KEN_EXPR_SUPER;
    int32_t def = ken_refs__type_around(m, m->around);
    if (def < 0 && (rule->flags & KEN_REF_F_BARE)) // JavaScript's functions that are classes
        def = ken_refs__callable_around(m, m->around);
    uint32_t type = (uint32_t)(def + 1);
    refs_value v = { ken_refs__expr(m, op, type, 0, 0), -1,        start,
                     ts_node_end_byte(at->node),        at->depth, false };
    ken_refs__deliver(m, v);
    return false;
}

static bool visit_builtin(ken_refs_maker *m, const ken_ref_rule *rule, const ken_walk_stop *at,
                          uint32_t start)
{
    if ((rule->flags & KEN_REF_F_TYPE) && ken_refs__take_quoted(m, at, start))
        return false;
    if (rule->flags & KEN_REF_F_OPEN)
        return push_frame(m, rule, at, start);
    uint32_t end = ts_node_end_byte(at->node);
    if (ken_refs__take_token(m, start, end)) // `pair.0` in a macro
        return false;
    ken_str word = rule->word.len ? rule->word : refs_text(m, start, end);
    if (m->rules->types_calls && ken_str_eq(word, KEN_STR("number")))
        word = ken_refs__number_type(refs_text(m, start, end));
    refs_value v = { ken_refs__expr(m, KEN_EXPR_BUILTIN, 0, 0, ken_refs__name(m, word)),
                     -1,
                     start,
                     end,
                     at->depth,
                     ken_str_eq(rule->word, KEN_STR("string")) };
    ken_refs__deliver(m, v);
    return false;
}

// Without a scope nothing is to be kept open for it. What a type's is imported in is not run.
static bool visit_branch(ken_refs_maker *m, const ken_ref_rule *rule, const ken_walk_stop *at,
                         uint32_t start)
{
    ken_refs__branch(m, m->around);
    TSNode body = ken_refs__at(m, rule, KEN_REF_PATH_BODY, at->node);
    if ((rule->flags & KEN_REF_F_TYPE) && !ts_node_is_null(body) &&
        m->types_until < ts_node_end_byte(body))
        m->types_until = ts_node_end_byte(body);
    return rule->flags & KEN_REF_F_SCOPE ? push_frame(m, rule, at, start) : true;
}

static bool visit_skipped(ken_refs_maker *m, const ken_ref_rule *rule, const ken_walk_stop *at,
                          uint32_t start)
{
    (void)m, (void)rule, (void)at, (void)start;
    return false;
}

static bool visit_args(ken_refs_maker *m, const ken_ref_rule *rule, const ken_walk_stop *at,
                       uint32_t start)
{
    refs_frame *f = refs_top(m);
    ken_ref_rule_role role = f->rule ? f->rule->role : KEN_REF_RULE_NONE;
    bool is_made = role == KEN_REF_RULE_LOCAL && refs_has(f, KEN_REF_F_CALLED);
    if (f->args_depth || (role != KEN_REF_RULE_CALL && role != KEN_REF_RULE_NEW &&
                          role != KEN_REF_RULE_APPLY && !is_made))
        return true;
    if (f->max_depth < at->depth + 1)
        f->max_depth = at->depth + 1;
    if ((rule->flags & KEN_REF_F_TYPE) && role != KEN_REF_RULE_APPLY) {
        f->types_end = ts_node_end_byte(at->node);
        return true;
    }
    f->args = at->node;
    f->args_start = start;
    f->args_depth = at->depth;
    if (role == KEN_REF_RULE_CALL && f->name.len && f->name_start < start)
        f->reserved = ken_refs__reserve_ref(m, f->name_start); // behind the receiver's
    f->n_args = 1 + ts_node_named_child_count(at->node);
    return true;
}

static bool visit_bind(ken_refs_maker *m, const ken_ref_rule *rule, const ken_walk_stop *at,
                       uint32_t start)
{
    (void)start;
    ken_refs__bind(m, rule, at->node);
    return false;
}

static bool visit_tokens(ken_refs_maker *m, const ken_ref_rule *rule, const ken_walk_stop *at,
                         uint32_t start)
{
    const refs_frame *f = refs_top(m);
    bool is_opaque = f->rule && f->rule->role == KEN_REF_RULE_CALL && refs_has(f, KEN_REF_F_OPAQUE);
    return !is_opaque && !ken_refs__is_attribute(m, start) && push_frame(m, rule, at, start);
}

static bool visit_package(ken_refs_maker *m, const ken_ref_rule *rule, const ken_walk_stop *at,
                          uint32_t start)
{
    (void)start;
    ken_refs__set_package(m, rule, at->node);
    return false;
}

// ---- the walk ----------------------------------------------------------------------------------

static const ken_ref_rule *rule_for(ken_refs_maker *m, const ken_walk_stop *at)
{
    int16_t i = at->type < m->rules->n_symbols ? m->rules->first[at->type] : -1;
    for (; i >= 0; i = m->rules->rules[i].next) {
        const ken_ref_rule *rule = &m->rules->rules[i];
        if (rule->role == KEN_REF_RULE_BIND && !ken_refs__is_in_import(m))
            continue;
        if (!rule->has_conditions ||
            ken_rule_holds(&rule->cond, at->node, at->parent, at->depth, m->text))
            return rule;
    }
    return NULL;
}

// What can be said at once, without a frame; true when what is below is of interest.
typedef bool (*visit_fn)(ken_refs_maker *m, const ken_ref_rule *rule, const ken_walk_stop *at,
                         uint32_t start);

static const visit_fn visitors[KEN_REF_RULE_COUNT] = {
    [KEN_REF_RULE_NAME] = visit_name,       [KEN_REF_RULE_TYPE] = visit_name,
    [KEN_REF_RULE_WORD] = visit_word,       [KEN_REF_RULE_SELF] = visit_self,
    [KEN_REF_RULE_SUPER] = visit_self,      [KEN_REF_RULE_BUILTIN] = visit_builtin,
    [KEN_REF_RULE_SKIP] = visit_skipped,    [KEN_REF_RULE_BRANCH] = visit_branch,
    [KEN_REF_RULE_ARGS] = visit_args,       [KEN_REF_RULE_BIND] = visit_bind,
    [KEN_REF_RULE_PACKAGE] = visit_package, [KEN_REF_RULE_TOKENS] = visit_tokens,
};

static bool visit(ken_refs_maker *m, const ken_walk_stop *at, uint32_t start)
{
    const ken_ref_rule *rule = rule_for(m, at);
    if (!rule)
        return true;
    visit_fn fn = visitors[rule->role];
    return fn ? fn(m, rule, at, start) : push_frame(m, rule, at, start);
}

// Names of loops are declared when their body begins. Those are among the frames opened last; one
// that is not declares them when it closes.
static void declare_ready(ken_refs_maker *m, uint32_t byte)
{
    enum {
        FRAMES_LOOKED_AT = 64
    };
    uint32_t n = (uint32_t)m->frames.len;
    m->next_ready = UINT32_MAX;
    for (uint32_t i = n > FRAMES_LOOKED_AT ? n - FRAMES_LOOKED_AT : 1; i < n; i++) {
        refs_frame *f = &m->frames.ptr[i];
        if (f->ready_at <= byte) {
            f->ready_at = UINT32_MAX;
            ken_refs__declare_names(m, i);
        } else if (f->ready_at < m->next_ready) {
            m->next_ready = f->ready_at;
        }
    }
}

// A macro that the text was parsed without is used all the same.
static void take_left_out(ken_refs_maker *m, uint32_t until)
{
    while (m->n_left_out && *m->left_out < until) {
        uint32_t start = *m->left_out++, end = start;
        m->n_left_out--;
        while (end < m->text.len && ken_is_word(m->text.ptr[end]))
            end++;
        if (start >= m->next_start || start >= m->next_end)
            ken_refs__sweep(m, start);
        bool is_called = end < m->text.len && m->text.ptr[end] == '(';
        refs_name name = ken_refs__name(m, refs_text(m, start, end));
        ken_refs__add_ref(m, ken_refs__expr(m, KEN_EXPR_NAME, m->view, 0, name),
                          is_called ? KEN_REF_CALL : KEN_REF_READ, start);
    }
}

static void leave(ken_refs_maker *m, uint32_t depth)
{
    while (m->frames.len > 1 && refs_top(m)->depth >= depth)
        ken_refs__close_top(m);
}

void ken_refs_extract(ken_refs_maker *m, const ken_ref_rules *rules, ken_trail_part trail,
                      uint32_t first, uint32_t end)
{
    m->rules = rules;
    ken_refs__begin_tree(m, first, end);
    refs_frame file = { .first_local = 0, .around = -1, .def = -1, .ready_at = UINT32_MAX };
    ken_vec_clear(&m->frames);
    ken_vec_push(&m->frames, file);
    m->next_ready = UINT32_MAX;
    ken_trail_reader stops = ken_trail_read(trail, rules->first);
    const ken_walk_stop *at;
    bool wants_below = true;
    while ((at = ken_trail_next(&stops, wants_below)) != NULL) {
        leave(m, stops.left);
        uint32_t start = ts_node_start_byte(at->node);
        take_left_out(m, start);
        if (start >= m->next_start || start >= m->next_end)
            ken_refs__sweep(m, start);
        if (start >= m->next_ready)
            declare_ready(m, start);
        wants_below = visit(m, at, start);
    }
    take_left_out(m, UINT32_MAX);
    leave(m, 0);
    ken_vec_clear(&m->values);
}
