// SPDX-License-Identifier: MIT
// What an expression is: one case per kind of expression, each worked out once.
//
// Values are what a reader would say of the text: the definitions it names, an object of a type, a
// module. A value that is being worked out counts as unknown for whoever asks meanwhile, so that
// `x = x.next` ends.
#include <string.h>

#include "graph/graph_driver_priv.h"

const graph_value ken_graph__nothing = { .kind = GRAPH_NONE, .class = KEN_EDGE_UNRESOLVED };
const graph_value ken_graph__outside = { .kind = GRAPH_EXTERNAL, .class = KEN_EDGE_EXTERNAL };
const graph_value ken_graph__opaque = { .kind = GRAPH_EXTERNAL,
                                        .class = KEN_EDGE_EXTERNAL,
                                        .is_opaque = true };

const graph_value ken_graph__busy[GRAPH_DEEPEST];

bool ken_graph__begin(ken_graph *g, const graph_value **slot, const graph_value **out)
{
    *out = *slot;
    if (*slot && *slot >= ken_graph__busy && *slot < ken_graph__busy + GRAPH_DEEPEST) {
        uint32_t depth = (uint32_t)(*slot - ken_graph__busy);
        g->lowest = depth < g->lowest ? depth : g->lowest;
        *out = &ken_graph__nothing;
        return false;
    }
    if (*slot)
        return false;
    if (g->depth >= GRAPH_DEEPEST || !g->budget) { // another way may lead there
        g->lowest = 0;
        *out = &ken_graph__nothing;
        return false;
    }
    *slot = &ken_graph__busy[g->depth++];
    g->budget--;
    return true;
}

const graph_value *ken_graph__end(ken_graph *g, const graph_value **slot, const graph_value *v)
{
    g->depth--;
    bool is_final = g->lowest >= g->depth; // nothing above this one was asked for
    *slot = is_final ? v : NULL;
    if (is_final)
        g->lowest = GRAPH_DEEPEST;
    return v;
}

graph_value *ken_graph__new_value(ken_graph *g, graph_value_kind kind, ken_edge_class class)
{
    graph_value *v = KEN_ARENA_NEW(&g->arena, graph_value);
    v->kind = kind;
    v->class = class;
    return v;
}

const graph_value *ken_graph__defs_value(ken_graph *g, const ken_graph_def *defs, uint32_t n,
                                         ken_edge_class class)
{
    if (!n)
        return &ken_graph__nothing;
    graph_value *v = ken_graph__new_value(g, GRAPH_DEFS, class);
    ken_graph_def *copy = ken_arena_copy(&g->arena, defs, n, sizeof *copy);
    v->defs = copy;
    v->n_defs = n;
    return v;
}

const graph_value *ken_graph__with_class(ken_graph *g, const graph_value *v, ken_edge_class class)
{
    if (v->kind == GRAPH_NONE || v->kind == GRAPH_EXTERNAL || v->class >= class)
        return v;
    graph_value *copy = KEN_ARENA_NEW(&g->arena, graph_value);
    *copy = *v;
    copy->class = class;
    return copy;
}

// `a`, whose last alternative has `b` as one more.
static const graph_value *with_other(ken_graph *g, const graph_value *a, const graph_value *b)
{
    enum {
        MAX_OTHERS = 12
    };
    graph_value *first = NULL, *last = NULL;
    for (int i = 0; a && i < MAX_OTHERS; i++, a = a->other) {
        graph_value *copy = KEN_ARENA_NEW(&g->arena, graph_value);
        *copy = *a;
        first = first ? first : copy;
        if (last)
            last->other = copy;
        last = copy;
    }
    if (!last)
        return b;
    last->other = b;
    return first;
}

// Modules of the same files.
static bool is_same_module(const graph_value *a, const graph_value *b)
{
    return a->kind == GRAPH_MODULE && b->kind == GRAPH_MODULE && a->n_files == b->n_files &&
           !memcmp(a->files, b->files, a->n_files * sizeof *a->files);
}

const graph_value *ken_graph__either(ken_graph *g, const graph_value *a, const graph_value *b)
{
    if (a->kind == GRAPH_NONE || a == b)
        return b;
    if (is_same_module(a, b))
        return a;
    if (b->kind == GRAPH_NONE || (b->kind == GRAPH_EXTERNAL && !b->n_args))
        return a;
    if (a->kind == GRAPH_EXTERNAL && !a->n_args)
        return b;
    if (a->kind == b->kind && a->n_defs && b->n_defs && a->defs[0].file == b->defs[0].file &&
        a->defs[0].def == b->defs[0].def)
        return a;
    return with_other(g, a, b);
}

const graph_value *ken_graph__merged(ken_graph *g, const graph_value *a, const graph_value *b)
{
    ken_graph_def defs[KEN_TARGETS_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n_defs && n < KEN_TARGETS_MAX; i++)
        defs[n++] = a->defs[i];
    uint32_t n_own = n;
    for (uint32_t i = 0; i < b->n_defs && n < KEN_TARGETS_MAX; i++) {
        uint32_t at = 0;
        while (at < n && !ken_graph_def_eq(defs[at], b->defs[i]))
            at++;
        if (at == n)
            defs[n++] = b->defs[i];
    }
    if (n == n_own)
        return a;
    const graph_value *weaker = b->class > a->class ? b : a;
    graph_value *v = KEN_ARENA_NEW(&g->arena, graph_value);
    *v = *ken_graph__defs_value(g, defs, n, weaker->class);
    v->evidence = weaker->evidence;
    return v;
}

const graph_value *ken_graph__any_of(ken_graph *g, const graph_value *a, const graph_value *b)
{
    if (a->kind != GRAPH_DEFS || b->kind != GRAPH_DEFS)
        return ken_graph__either(g, a, b);
    const graph_value *all = ken_graph__merged(g, a, b);
    if (all == a)
        return a;
    graph_value *v = KEN_ARENA_NEW(&g->arena, graph_value);
    *v = *with_other(g, a, b); // whose members may be meant, too
    v->defs = all->defs;
    v->n_defs = all->n_defs;
    v->class = all->class;
    v->evidence = all->evidence;
    return v;
}

static ken_symbol_kind kind_of(ken_graph *g, ken_graph_def d)
{
    graph_unit *u = ken_graph__unit_of(g, d.file);
    return u && d.def < u->n_defs ? ken_graph_kind(&u->text, d.def) : KEN_SYMBOL_UNKNOWN;
}

// ---- what definitions hold ---------------------------------------------------------------------

const graph_value *ken_graph__held(ken_graph *g, ken_graph_def d)
{
    graph_unit *u = ken_graph__unit_of(g, d.file);
    if (!u || d.def >= u->n_defs || d.def >= u->text.refs->n_defs)
        return &ken_graph__nothing;
    const graph_value *v;
    if (!ken_graph__begin(g, &u->held[d.def], &v))
        return v;
    v = ken_graph__eval(g, u, ken_graph__result_expr(u, d.def));
    if (v->kind == GRAPH_NONE && u->driver->held)
        v = u->driver->held(g, u, d);
    return ken_graph__end(g, &u->held[d.def], v);
}

const graph_value *ken_graph__instance_of(ken_graph *g, const graph_value *type)
{
    type = ken_graph__type(g, type);
    if (type->kind != GRAPH_DEFS)
        return type; // an alias of an instance, a parameter, something outside
    graph_value *v = KEN_ARENA_NEW(&g->arena, graph_value);
    *v = *type;
    v->kind = GRAPH_INSTANCE;
    v->self = NULL;
    v->other = type->other ? ken_graph__instance_of(g, type->other) : NULL;
    return v;
}

// Of several definitions of one name the type is meant, and rather a struct than its typedef, a
// class than its companion.
static uint32_t type_among(ken_graph *g, const graph_value *v)
{
    uint32_t best = v->n_defs;
    for (uint32_t i = 0; i < v->n_defs; i++) {
        ken_symbol_kind kind = kind_of(g, v->defs[i]);
        if (!graph_is_type(kind))
            continue;
        if (kind != KEN_SYMBOL_TYPE && kind != KEN_SYMBOL_OBJECT)
            return i;
        best = best == v->n_defs ? i : best;
    }
    return best;
}

// A function that `new` makes objects of.
static bool is_maker(ken_graph *g, ken_graph_def d)
{
    graph_unit *u = ken_graph__unit_of(g, d.file);
    return u && u->lang->makes_of_functions && d.def < u->n_defs &&
           ken_symbol_is_callable(ken_graph_kind(&u->text, d.def));
}

const graph_value *ken_graph__type(ken_graph *g, const graph_value *v)
{
    v = ken_graph__whole(g, v);
    for (int i = 0; i < 8 && v->kind == GRAPH_DEFS; i++) {
        uint32_t at = type_among(g, v);
        bool is_variant = at == v->n_defs && kind_of(g, v->defs[0]) == KEN_SYMBOL_ENUM_MEMBER;
        if (is_variant || (at == v->n_defs && is_maker(g, v->defs[0])))
            return v;
        if (at == v->n_defs) { // a variable that holds a type
            const graph_value *held = ken_graph__held(g, v->defs[0]);
            if (held->kind == GRAPH_NONE || held == v)
                return &ken_graph__nothing;
            v = held;
            continue;
        }
        ken_symbol_kind kind = kind_of(g, v->defs[at]);
        if (kind == KEN_SYMBOL_TYPE && !ken_graph__is_distinct(g, v->defs[at])) {
            const graph_value *held = ken_graph__held(g, v->defs[at]);
            if (held->kind != GRAPH_NONE && held != v) {
                v = ken_graph__with_class(g, ken_graph__substitute(g, held, v), v->class);
                continue;
            }
        }
        if (at == 0)
            return v;
        graph_value *copy = KEN_ARENA_NEW(&g->arena, graph_value);
        *copy = *v;
        copy->defs = v->defs + at;
        copy->n_defs = v->n_defs - at;
        return copy;
    }
    return v;
}

bool ken_graph__is_distinct(ken_graph *g, ken_graph_def d)
{
    graph_unit *u = ken_graph__unit_of(g, d.file);
    return u && d.def < u->text.refs->n_defs && d.def < u->n_defs &&
           (u->text.refs->defs[d.def].flags & KEN_DEF_DISTINCT) &&
           ken_graph_kind(&u->text, d.def) == KEN_SYMBOL_TYPE;
}

const graph_value *ken_graph__underlying(ken_graph *g, const graph_value *v)
{
    for (int i = 0; i < 8 && v->kind == GRAPH_INSTANCE && ken_graph__is_distinct(g, v->defs[0]);
         i++) {
        const graph_value *held = ken_graph__object(g, ken_graph__held(g, v->defs[0]));
        if (held == v)
            break;
        v = ken_graph__with_class(g, ken_graph__substitute(g, held, v), v->class);
    }
    return v;
}

static bool is_called_by_name(ken_graph *g, ken_graph_def d)
{
    graph_unit *u = ken_graph__unit_of(g, d.file);
    return u && u->lang->calls_by_name;
}

const graph_value *ken_graph__object(ken_graph *g, const graph_value *v)
{
    for (int i = 0; i < 8 && v->kind == GRAPH_DEFS; i++) {
        ken_symbol_kind kind = kind_of(g, v->defs[0]);
        if (graph_is_type(kind) &&
            (kind != KEN_SYMBOL_TYPE || ken_graph__is_distinct(g, v->defs[0])))
            return v;
        bool is_value = ken_symbol_is_callable(kind) && is_called_by_name(g, v->defs[0]);
        if (ken_graph__is_space(kind) || (ken_symbol_is_callable(kind) && !is_value))
            return v;
        const graph_value *held = ken_graph__held(g, v->defs[0]);
        for (uint32_t d = 1; d < v->n_defs && v->self; d++) // members of several alternatives
            held = ken_graph__either(g, held, ken_graph__held(g, v->defs[d]));
        if (held->kind == GRAPH_NONE)
            return kind == KEN_SYMBOL_ENUM_MEMBER || kind == KEN_SYMBOL_TYPE ? v : held;
        v = ken_graph__with_class(g, ken_graph__substitute(g, held, v->self), v->class);
    }
    return v;
}

// ---- expressions -------------------------------------------------------------------------------

static const graph_value *call_of_defs(ken_graph *g, graph_unit *u, const graph_value *callee);

// What an object without a class gives when it is called.
static const graph_value *applied(ken_graph *g, graph_unit *u, const graph_value *object)
{
    const graph_value *m = ken_graph__member_of(g, u, object, KEN_STR("apply"));
    bool is_method = m->kind == GRAPH_DEFS && ken_symbol_is_callable(kind_of(g, m->defs[0]));
    return is_method ? call_of_defs(g, u, m) : &ken_graph__nothing;
}

// `-> Self`, by whatever way the name comes here: what the method is called on.
static bool gives_self(ken_graph *g, const graph_value *held, const graph_value *callee,
                       ken_graph_def method)
{
    const graph_unit *u = ken_graph__unit_of(g, method.file);
    if (!u->lang->self_type || !callee->self ||
        (held->kind != GRAPH_EXTERNAL && held->kind != GRAPH_NONE))
        return false;
    const ken_expr *all = u->text.refs->exprs, *e = &all[ken_graph__result_expr(u, method.def)];
    e = e->op == KEN_EXPR_VALUE ? &all[e->a] : e;
    return (e->op == KEN_EXPR_NAME || e->op == KEN_EXPR_MEMBER) &&
           ken_str_eq_c(e->name, u->lang->self_type);
}

// `return this`, and TypeScript's result `this`: what the method is called on, which may be of a
// type that inherits it.
static bool gives_this(ken_graph *g, const graph_value *callee, ken_graph_def method)
{
    const graph_unit *u = ken_graph__unit_of(g, method.file);
    const ken_expr *all = u->text.refs->exprs, *e = &all[ken_graph__result_expr(u, method.def)];
    e = e->op == KEN_EXPR_VALUE ? &all[e->a] : e;
    return callee->self && callee->self->kind == GRAPH_INSTANCE && e->op == KEN_EXPR_SELF;
}

static bool has_variable(ken_graph *g, const graph_value *v)
{
    for (uint32_t i = 0; i < v->n_defs; i++)
        if (ken_symbol_is_variable(kind_of(g, v->defs[i])))
            return true;
    return false;
}

static const graph_value *call_of_defs(ken_graph *g, graph_unit *u, const graph_value *callee)
{
    for (uint32_t i = 0; i < callee->n_defs; i++) {
        ken_symbol_kind kind = kind_of(g, callee->defs[i]);
        if (kind == KEN_SYMBOL_FIELD && i + 1 < callee->n_defs)
            continue; // Rust's field, before the method of that name
        if (kind == KEN_SYMBOL_OBJECT && callee->n_defs == 1 && u->lang->applies_objects)
            return applied(g, u, callee);
        if (graph_is_type(kind))
            return ken_graph__instance_of(g, callee);
        if (kind == KEN_SYMBOL_ENUM_MEMBER)
            return callee; // one that has fields
        const graph_value *held = ken_graph__held(g, callee->defs[i]);
        if (gives_this(g, callee, callee->defs[i]))
            return ken_graph__with_class(g, callee->self, callee->class);
        if (gives_self(g, held, callee, callee->defs[i]))
            return ken_graph__instance_of(g, callee->self);
        if (ken_symbol_is_variable(kind)) { // a variable that holds a function or a class
            held = ken_graph__object(g, callee);
            if (held->kind == GRAPH_FUNCTION)
                held = held->inner;
            else if (held->kind == GRAPH_DEFS) // variables in a circle lead to variables
                held = has_variable(g, held) ? &ken_graph__nothing : call_of_defs(g, u, held);
            else if (held->kind != GRAPH_EXTERNAL && !u->lang->calls_attributes)
                held = &ken_graph__nothing;
        }
        if (held->kind != GRAPH_NONE)
            return ken_graph__with_class(g, ken_graph__substitute(g, held, callee->self),
                                         callee->class);
    }
    return &ken_graph__nothing;
}

// Objects that can be called.
static const graph_value *call_of_object(ken_graph *g, graph_unit *u, const graph_value *object)
{
    static const char *const methods[] = { "()",    "__call__", "operator()", "invoke",
                                           "apply", "call",     "__invoke",   "callAsFunction" };
    const graph_value *made_of = ken_graph__underlying(g, object);
    if (made_of != object)
        return made_of->kind == GRAPH_FUNCTION ? made_of->inner : &ken_graph__nothing;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const graph_value *m = ken_graph__member_of(g, u, object, ken_str_c(methods[i]));
        if (m->kind == GRAPH_DEFS)
            return call_of_defs(g, u, m);
    }
    return &ken_graph__nothing;
}

// What something outside gives: of the tree perhaps (`copy(x)`, `list.pop()`, a macro of a system
// header).
static const graph_value *given_outside(const graph_unit *u)
{
    return u->lang->keeps_outside ? &ken_graph__outside : &ken_graph__opaque;
}

static const graph_value *eval_call(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    const graph_value *callee = ken_graph__whole(g, ken_graph__eval(g, u, e->a));
    callee = ken_graph__chosen(g, u, e->a, callee);
    if (u->driver->call_outside && callee->kind != GRAPH_DEFS && callee->kind != GRAPH_FUNCTION) {
        const graph_value *given = u->driver->call_outside(g, u, e->a);
        if (given->kind != GRAPH_NONE)
            return given;
    }
    switch (callee->kind) {
    case GRAPH_DEFS:
        return call_of_defs(g, u, callee);
    case GRAPH_FUNCTION:
        return callee->inner;
    case GRAPH_EXTERNAL:
        return callee->n_args ? callee : given_outside(u);
    case GRAPH_INSTANCE: // `Self(…)`, or an object that can be called
        return u->text.refs->exprs[e->a].op == KEN_EXPR_SELF && u->lang->calls_self
                   ? callee
                   : call_of_object(g, u, callee);
    case GRAPH_NONE:
    case GRAPH_MODULE:
    case GRAPH_SPACE:
    case GRAPH_PARAM:
        break;
    }
    return &ken_graph__nothing;
}

static const graph_value *eval_self(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    if (!e->a || e->a - 1 >= u->n_defs)
        return &ken_graph__nothing;
    ken_graph_def type = ken_graph__owner_type(g, (ken_graph_def){ u->file, e->a - 1 });
    graph_value *v = ken_graph__new_value(g, GRAPH_INSTANCE, KEN_EDGE_EXACT);
    ken_graph_def *def = KEN_ARENA_NEW(&g->arena, ken_graph_def);
    *def = type;
    v->defs = def;
    v->n_defs = 1;
    return v;
}

static const graph_value *eval_super(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    if (!e->a || e->a - 1 >= u->n_defs)
        return &ken_graph__nothing;
    ken_graph_def bases[KEN_TARGETS_MAX];
    ken_graph_def type = ken_graph__owner_type(g, (ken_graph_def){ u->file, e->a - 1 });
    uint32_t n = ken_graph__bases(g, type, bases, KEN_TARGETS_MAX);
    const graph_value *all = &ken_graph__outside;
    while (n--) {
        graph_value *v = ken_graph__new_value(g, GRAPH_INSTANCE, KEN_EDGE_SCOPED);
        ken_graph_def *def = KEN_ARENA_NEW(&g->arena, ken_graph_def);
        *def = bases[n];
        v->defs = def;
        v->n_defs = 1;
        v->other = all->kind == GRAPH_EXTERNAL ? NULL : all;
        all = v;
    }
    return all;
}

static const graph_value *eval_apply(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    const graph_value *type = ken_graph__eval_type(g, u, e->a),
                      *arg = ken_graph__eval_type(g, u, e->b);
    if (type->kind == GRAPH_NONE)
        type = &ken_graph__opaque; // what it is applied to may still be known
    if (type->kind != GRAPH_DEFS && type->kind != GRAPH_EXTERNAL)
        return type;
    graph_value *v = KEN_ARENA_NEW(&g->arena, graph_value);
    *v = *type;
    if (!v->name.len)
        v->name = u->text.refs->exprs[e->a].name;
    const graph_value **args = KEN_ARENA_ARRAY(&g->arena, const graph_value *, type->n_args + 1);
    if (type->n_args)
        memcpy(args, type->args, type->n_args * sizeof *args);
    // Arguments are kept as what an object of them is.
    args[type->n_args] = ken_graph__instance_of(g, arg);
    v->args = args;
    v->n_args = type->n_args + 1;
    return v;
}

// What a container outside of the tree holds: its last argument, its first when it is waited for.
static const graph_value *inside_of(const graph_value *v, bool is_first)
{
    if (!v->n_args)
        return v->kind == GRAPH_EXTERNAL ? &ken_graph__opaque : &ken_graph__nothing;
    return v->args[is_first ? 0 : v->n_args - 1];
}

// What `with x as y` makes of x: what entering it gives, mostly itself.
static const graph_value *entered(ken_graph *g, graph_unit *u, const graph_value *v)
{
    static const char *const methods[] = { "__aenter__", "__enter__" };
    for (size_t i = 0; v->kind == GRAPH_INSTANCE && i < sizeof methods / sizeof *methods; i++) {
        const graph_value *m = ken_graph__member_of(g, u, v, ken_str_c(methods[i]));
        const graph_value *given =
            m->kind == GRAPH_DEFS ? call_of_defs(g, u, m) : &ken_graph__nothing;
        if (given->kind == GRAPH_INSTANCE)
            return given;
    }
    return v->kind == GRAPH_EXTERNAL ? inside_of(v, true) : v;
}

static const graph_value *eval_element(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    static const char *const methods[] = { "__iter__", "__getitem__", "operator[]", "get", "next",
                                           "at",       "apply",       "subscript",  "this" };
    const graph_value *v = ken_graph__object(g, ken_graph__eval(g, u, e->a));
    if (e->b == 2)
        return entered(g, u, v);
    v = ken_graph__underlying(g, v);
    if (v->kind != GRAPH_INSTANCE || u->lang->loops_by_methods) // `for (x <- a)` calls map
        return inside_of(v, e->b == 1);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const graph_value *m = ken_graph__member_of(g, u, v, ken_str_c(methods[i]));
        if (m->kind != GRAPH_DEFS)
            continue;
        bool is_property = ken_symbol_is_variable(kind_of(g, m->defs[0])); // C#'s indexers
        const graph_value *given = is_property ? ken_graph__object(g, m) : call_of_defs(g, u, m);
        if (given->kind == GRAPH_EXTERNAL && given->n_args)
            given = inside_of(given, false);
        if (given->kind != GRAPH_NONE)
            return given;
    }
    return inside_of(v, e->b == 1);
}

static const graph_value *eval_await(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    const graph_value *v = ken_graph__object(g, ken_graph__eval(g, u, e->a));
    if (v->kind == GRAPH_EXTERNAL)
        return inside_of(v, true);
    if (v->kind != GRAPH_INSTANCE)
        return v;
    const graph_value *m = ken_graph__member_of(g, u, v, KEN_STR("__await__"));
    const graph_value *given = m->kind == GRAPH_DEFS ? call_of_defs(g, u, m) : &ken_graph__nothing;
    given = given->kind == GRAPH_EXTERNAL ? inside_of(given, false) : given;
    return given->kind == GRAPH_INSTANCE ? given : v;
}

static const graph_value *eval_param(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    graph_value *v = ken_graph__new_value(g, GRAPH_PARAM, KEN_EDGE_SCOPED);
    ken_graph_def *def = KEN_ARENA_NEW(&g->arena, ken_graph_def);
    *def = (ken_graph_def){ u->file, e->a };
    v->defs = def;
    v->n_defs = 1;
    v->param = e->b;
    return v;
}

// Something outside of the tree keeps its name, which may say what it does with its arguments.
static const graph_value *outside_named(ken_graph *g, ken_str name, bool is_opaque)
{
    graph_value *v = ken_graph__new_value(g, GRAPH_EXTERNAL, KEN_EDGE_EXTERNAL);
    v->name = name;
    v->is_opaque = is_opaque;
    return v;
}

static const graph_value *eval_name(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    const graph_value *v = ken_graph__lookup(g, u, e->name, (int32_t)e->a - 1);
    bool is_std = v->kind == GRAPH_NONE && u->lang->includes && ken_str_eq_c(e->name, "std");
    return is_std ? &ken_graph__outside : v;
}

// The package that an expression of plain names spells, when its first name is nothing else.
static bool is_package(ken_graph *g, graph_unit *u, ken_expr_id expr, uint64_t *out_space)
{
    enum {
        PARTS_MAX = 16
    };
    ken_str parts[PARTS_MAX];
    uint32_t n = 0;
    const ken_expr *e = &u->text.refs->exprs[expr];
    for (; e->op == KEN_EXPR_MEMBER && n + 1 < PARTS_MAX; e = &u->text.refs->exprs[expr = e->a])
        parts[n++] = e->name;
    if (e->op != KEN_EXPR_NAME || ken_graph__eval(g, u, expr)->kind != GRAPH_NONE)
        return false;
    *out_space = ken_graph__space_add(0, e->name);
    while (n)
        *out_space = ken_graph__space_add(*out_space, parts[--n]);
    return true;
}

// `a.b.C`, written in full.
static const graph_value *in_full(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    uint64_t space;
    return u->lang->names_in_full && is_package(g, u, e->a, &space)
               ? ken_graph__in_space(g, u, space, e->name)
               : &ken_graph__nothing;
}

static const graph_value *eval_member(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    if (!e->a)
        return &ken_graph__nothing;
    if (u->driver->markup && graph_is_markup(&u->text.refs->exprs[e->a]))
        return u->driver->markup(g, u, e->name);
    const graph_value *holder = ken_graph__eval(g, u, e->a);
    const graph_value *v = ken_graph__assigned(g, holder, e->name);
    if (v->kind == GRAPH_NONE)
        v = ken_graph__member_of(g, u, ken_graph__object(g, holder), e->name);
    if (v->kind == GRAPH_NONE)
        v = in_full(g, u, e);
    bool is_unknown = v->kind == GRAPH_NONE || v->kind == GRAPH_EXTERNAL;
    const graph_value *extension =
        is_unknown && u->driver->extension ? u->driver->extension(g, u, e) : &ken_graph__nothing;
    if (extension->kind != GRAPH_NONE)
        return extension;
    bool is_plain = v == &ken_graph__outside || v == &ken_graph__opaque;
    return is_plain ? outside_named(g, e->name, v->is_opaque) : v;
}

static const graph_value *eval_def(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    ken_graph_def def = { u->file, e->a };
    return ken_graph__defs_value(g, &def, e->a < u->n_defs, KEN_EDGE_EXACT);
}

static const graph_value *or_macro(ken_graph *g, graph_unit *u, const ken_expr *e,
                                   const graph_value *v)
{
    return graph_is_macro(u, e) ? u->driver->macro(g, u, e, v) : v;
}

static const graph_value *eval(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    switch (e->op) {
    case KEN_EXPR_NAME:
        return or_macro(g, u, e, eval_name(g, u, e));
    case KEN_EXPR_DEF:
        return eval_def(g, u, e);
    case KEN_EXPR_SELF:
        return eval_self(g, u, e);
    case KEN_EXPR_SUPER:
        return eval_super(g, u, e);
    case KEN_EXPR_MEMBER:
        return or_macro(g, u, e, eval_member(g, u, e));
    case KEN_EXPR_CALL:
        return eval_call(g, u, e);
    case KEN_EXPR_VALUE:
        return ken_graph__instance_of(g, ken_graph__eval_type(g, u, e->a));
    case KEN_EXPR_ELEMENT:
        return eval_element(g, u, e);
    case KEN_EXPR_APPLY:
        return eval_apply(g, u, e);
    case KEN_EXPR_AWAIT:
        return eval_await(g, u, e);
    case KEN_EXPR_EITHER:
        return ken_graph__either(g, ken_graph__object(g, ken_graph__eval(g, u, e->a)),
                                 ken_graph__object(g, ken_graph__eval(g, u, e->b)));
    case KEN_EXPR_PARAM:
        return eval_param(g, u, e);
    case KEN_EXPR_BUILTIN:
        return outside_named(g, e->name, false);
    case KEN_EXPR_LAMBDA:
        return ken_graph__lambda(g, u, e);
    case KEN_EXPR_GIVEN:
        return ken_graph__given(g, u, e);
    case KEN_EXPR_NONE:
    case KEN_EXPR_OP_COUNT:
        break;
    }
    return &ken_graph__nothing;
}

const graph_value *ken_graph__eval(ken_graph *g, graph_unit *u, ken_expr_id id)
{
    if (!id || id >= u->text.refs->n_exprs)
        return &ken_graph__nothing;
    const graph_value *v;
    if (ken_graph__begin(g, &u->exprs[id], &v))
        v = ken_graph__end(g, &u->exprs[id], eval(g, u, &u->text.refs->exprs[id]));
    return v;
}

const graph_value *ken_graph__eval_type(ken_graph *g, graph_unit *u, ken_expr_id id)
{
    const graph_value *v = ken_graph__eval(g, u, id);
    if (!u->lang->sees_members || ken_graph__names_type(g, v))
        return v;
    const ken_expr *e = &u->text.refs->exprs[id];
    if (e->op != KEN_EXPR_NAME || g->type_depth >= TYPE_DEEPEST)
        return v;
    g->type_depth++; // what a method's owner is called is looked up from inside the method
    const graph_value *type = ken_graph__lookup_type(g, u, e->name, (int32_t)e->a - 1);
    g->type_depth--;
    return type->kind == GRAPH_NONE ? v : type;
}
