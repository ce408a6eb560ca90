// SPDX-License-Identifier: MIT
// What functions take: the type that an argument is expected to be of.
//
// `on({ name: 1 })` writes member `name` of what parameter 0 of `on` is, and in `on(x => x.name)` x
// is what parameter 0 of that parameter, a function, is given. So objects and functions without
// types have them from whom they are given to. Type parameters of the function are what it says in
// its call, or what makes its result what is expected of that: such a callee has for alternative a
// function that gives what is expected.
#include <string.h>

#include "graph/graph_priv.h"

enum {
    ALTERNATIVES_MAX = 12,
    LED_ON_MAX = 6 // variables that hold variables that hold functions
};

static const ken_expr *function_of(const graph_unit *u, ken_def_id def)
{
    const ken_refs *r = u->text.refs;
    const ken_expr *e = &r->exprs[def < r->n_defs ? r->defs[def].value : 0];
    return e->op == KEN_EXPR_LAMBDA && ken_symbol_is_callable(ken_graph_kind(&u->text, def)) ? e
                                                                                             : NULL;
}

ken_expr_id ken_graph__result_expr(const graph_unit *u, ken_def_id def)
{
    const ken_refs *r = u->text.refs;
    const ken_expr *function = function_of(u, def);
    return function ? function->a : def < r->n_defs ? r->defs[def].value : 0;
}

const graph_value *ken_graph__lambda(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    graph_value *v = ken_graph__new_value(g, GRAPH_FUNCTION, KEN_EDGE_EXACT);
    v->inner = ken_graph__eval(g, u, e->a);
    const graph_value *takes = e->b ? ken_graph__eval(g, u, e->b) : &ken_graph__nothing;
    v->args = takes->args;
    v->n_args = takes->n_args;
    return v;
}

// What follows from a call for a function's own type parameters, as an object of it has them.
static const graph_value *with_types(ken_graph *g, graph_unit *u, const graph_value *callee,
                                     ken_graph_def d)
{
    graph_value *f = ken_graph__new_value(g, GRAPH_DEFS, KEN_EDGE_EXACT);
    ken_graph_def *def = KEN_ARENA_NEW(&g->arena, ken_graph_def);
    *def = d;
    f->defs = def;
    f->n_defs = 1;
    f->n_args = callee->n_args;
    f->args = callee->args;
    const graph_value *wanted = callee->other;
    if (!f->n_args && wanted && wanted->kind == GRAPH_FUNCTION && !wanted->n_args)
        f->args = ken_graph__infer(g, d, u->text.refs->defs[d.def].n_type_params,
                                   ken_graph__held(g, d), wanted->inner, &f->n_args);
    return f;
}

// The type of a parameter: APPLY(… APPLY(tuple, first) …, last).
static ken_expr_id type_of_param(const ken_refs *r, ken_expr_id takes, uint32_t nth)
{
    uint32_t n = 0;
    for (ken_expr_id e = takes; r->exprs[e].op == KEN_EXPR_APPLY; e = r->exprs[e].a)
        n++;
    for (; nth + 1 < n && n; n--)
        takes = r->exprs[takes].a;
    return nth + 1 == n ? r->exprs[takes].b : 0;
}

static const graph_value *given_by(ken_graph *g, const graph_value *callee, uint32_t nth,
                                   int depth);

// `new A(…)` calls the constructor, and an object with a signature may be called.
static const graph_value *given_by_member(ken_graph *g, const graph_value *object, ken_str name,
                                          uint32_t nth, int depth)
{
    const graph_value *method = ken_graph__type_member(g, object->defs[0], name);
    if (method->kind != GRAPH_DEFS)
        return &ken_graph__nothing;
    graph_value *copy = KEN_ARENA_NEW(&g->arena, graph_value);
    *copy = *method;
    copy->self = object;
    copy->class = method->class > object->class ? method->class : object->class;
    return given_by(g, copy, nth, depth + 1);
}

static const graph_value *given_by_def(ken_graph *g, const graph_value *callee, ken_graph_def d,
                                       uint32_t nth, int depth)
{
    graph_unit *u = ken_graph__unit_of(g, d.file);
    if (!u || d.def >= u->n_defs)
        return &ken_graph__nothing;
    ken_symbol_kind kind = ken_graph_kind(&u->text, d.def);
    if (graph_is_type(kind) && kind != KEN_SYMBOL_TYPE)
        return given_by_member(g, callee, KEN_STR("constructor"), nth, depth);
    if (!ken_symbol_is_callable(kind)) {
        const graph_value *object = ken_graph__object(g, callee);
        return object == callee ? &ken_graph__nothing : given_by(g, object, nth, depth + 1);
    }
    const ken_expr *function = function_of(u, d.def);
    ken_expr_id type = function ? type_of_param(u->text.refs, function->b, nth) : 0;
    if (!type)
        return &ken_graph__nothing;
    const graph_value *types = with_types(g, u, callee, d);
    const graph_value *v = ken_graph__instance_of(g, ken_graph__eval_with(g, u, type, types, 0));
    return ken_graph__with_class(g, ken_graph__substitute(g, v, callee->self), callee->class);
}

static const graph_value *given_by_one(ken_graph *g, const graph_value *callee, uint32_t nth,
                                       int depth)
{
    if (callee->kind == GRAPH_EXTERNAL)
        return &ken_graph__opaque; // `xs.map(x => …)`: what it hands on may be of the tree
    if (callee->kind == GRAPH_INSTANCE)
        return given_by_member(g, callee, KEN_STR("()"), nth, depth);
    if (callee->kind == GRAPH_FUNCTION)
        return nth < callee->n_args ? ken_graph__with_class(g, callee->args[nth], callee->class)
                                    : &ken_graph__nothing;
    const graph_value *v = &ken_graph__nothing;
    for (uint32_t i = 0; callee->kind == GRAPH_DEFS && i < callee->n_defs; i++) {
        v = given_by_def(g, callee, callee->defs[i], nth, depth);
        if (v->kind != GRAPH_NONE)
            break;
    }
    return v;
}

static const graph_value *given_by(ken_graph *g, const graph_value *callee, uint32_t nth,
                                   int depth) // NOLINT(misc-no-recursion)
{
    const graph_value *v = &ken_graph__nothing;
    for (int i = 0; callee && i < ALTERNATIVES_MAX && depth < LED_ON_MAX && v->kind == GRAPH_NONE;
         i++, callee = callee->other)
        v = given_by_one(g, callee, nth, depth);
    return v;
}

const graph_value *ken_graph__given(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    const graph_value *callee = ken_graph__whole(g, ken_graph__eval(g, u, e->a));
    const graph_value *v = ken_graph__object(g, given_by(g, callee, e->b, 0));
    // What a function outside hands on to one that it was given may be ours.
    bool is_handed_on = u->text.refs->exprs[e->a].op == KEN_EXPR_GIVEN;
    return is_handed_on && v == &ken_graph__opaque ? &ken_graph__nothing : v;
}
