// SPDX-License-Identifier: MIT
// Types with parameters: what stands for them, in what an object holds and a function takes.
//
// An object of type C<A> has for parameter T of C what A is. A member that is inherited speaks of
// the parameters of the base that it is written in; what those are is said where C names that base.
#include <string.h>

#include "graph/graph_priv.h"

enum {
    ARGS_MAX = 16,  // of a type that are looked at
    DEPTH_MAX = 5,  // of types in types
    OTHERS_MAX = 12 // alternatives of a value
};

static const graph_value *substitute(ken_graph *g, const graph_value *v, const graph_value *self,
                                     uint32_t depth);

static const graph_value *with_args(ken_graph *g, const graph_value *v, const graph_value *self,
                                    uint32_t depth)
{
    const graph_value *args[ARGS_MAX];
    uint32_t n = v->n_args < ARGS_MAX ? v->n_args : ARGS_MAX;
    bool is_same = true;
    for (uint32_t i = 0; i < n; i++) {
        args[i] = substitute(g, v->args[i], self, depth + 1);
        is_same = is_same && args[i] == v->args[i];
    }
    const graph_value *inner = v->inner ? substitute(g, v->inner, self, depth + 1) : NULL;
    if (is_same && inner == v->inner)
        return v;
    graph_value *copy = KEN_ARENA_NEW(&g->arena, graph_value);
    *copy = *v;
    copy->inner = inner;
    copy->n_args = n;
    const graph_value **kept = KEN_ARENA_ARRAY(&g->arena, const graph_value *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        kept[i] = args[i];
    copy->args = kept;
    return copy;
}

// What `self` has for a parameter; NULL when it is none of its own.
static const graph_value *argument_for(ken_graph *g, const graph_value *param,
                                       const graph_value *self)
{
    bool is_own = self->n_defs && param->n_defs &&
                  (ken_graph_def_eq(self->defs[0], param->defs[0]) ||
                   ken_graph_def_eq(self->defs[0], ken_graph__owner_type(g, param->defs[0])));
    const graph_value *arg =
        is_own && param->param < self->n_args ? self->args[param->param] : NULL;
    return arg && arg->kind != GRAPH_NONE ? arg : NULL;
}

static const graph_value *one(ken_graph *g, const graph_value *v, const graph_value *self,
                              uint32_t depth)
{
    if (v->kind == GRAPH_PARAM) {
        const graph_value *arg = argument_for(g, v, self);
        return arg ? arg : v;
    }
    return v->n_args || v->inner ? with_args(g, v, self, depth) : v;
}

static const graph_value *substitute(ken_graph *g, const graph_value *v, const graph_value *self,
                                     uint32_t depth)
{
    if (!self || depth > DEPTH_MAX)
        return v;
    const graph_value *first = one(g, v, self, depth);
    // What a parameter is bound by no longer matters when it is known.
    if (!v->other || (v->kind == GRAPH_PARAM && first != v))
        return first;
    bool is_same = first == v;
    const graph_value *at = v->other;
    for (int i = 0; at && is_same && i < OTHERS_MAX; i++, at = at->other)
        is_same = one(g, at, self, depth) == at;
    if (is_same)
        return v;
    const graph_value *all = NULL;
    at = v;
    for (int i = 0; at && i < OTHERS_MAX; i++, at = at->other) {
        graph_value *copy = KEN_ARENA_NEW(&g->arena, graph_value);
        *copy = *one(g, at, self, depth);
        copy->other = at->kind == GRAPH_PARAM ? copy->other : NULL;
        all = all ? ken_graph__either(g, all, copy) : copy;
    }
    return all;
}

const graph_value *ken_graph__substitute(ken_graph *g, const graph_value *v,
                                         const graph_value *self)
{
    return substitute(g, v, self, 0);
}

// ---- expressions with parameters ---------------------------------------------------------------

static bool has_params(const ken_refs *r, ken_expr_id expr, int depth) // NOLINT(misc-no-recursion)
{
    const ken_expr *e = &r->exprs[expr];
    if (e->op == KEN_EXPR_PARAM || depth > 8)
        return e->op == KEN_EXPR_PARAM;
    bool has_two = e->op == KEN_EXPR_APPLY || e->op == KEN_EXPR_EITHER || e->op == KEN_EXPR_LAMBDA;
    bool is_leaf = e->op == KEN_EXPR_NAME || e->op == KEN_EXPR_DEF || e->op == KEN_EXPR_SELF ||
                   e->op == KEN_EXPR_SUPER || e->op == KEN_EXPR_BUILTIN;
    return !is_leaf && expr &&
           (has_params(r, e->a, depth + 1) || (has_two && has_params(r, e->b, depth + 1)));
}

static const graph_value *with_argument(ken_graph *g, const graph_value *type,
                                        const graph_value *arg)
{
    if ((type->kind != GRAPH_DEFS && type->kind != GRAPH_EXTERNAL) || type->n_args >= ARGS_MAX)
        return type;
    graph_value *v = KEN_ARENA_NEW(&g->arena, graph_value);
    *v = *type;
    const graph_value **args = KEN_ARENA_ARRAY(&g->arena, const graph_value *, type->n_args + 1);
    if (type->n_args)
        memcpy(args, type->args, type->n_args * sizeof *args);
    args[v->n_args++] = ken_graph__instance_of(g, arg);
    v->args = args;
    return v;
}

static const graph_value *function_with(ken_graph *g, const graph_value *gives,
                                        const graph_value *takes)
{
    graph_value *v = ken_graph__new_value(g, GRAPH_FUNCTION, KEN_EDGE_EXACT);
    v->inner = gives;
    v->args = takes->args;
    v->n_args = takes->n_args;
    return v;
}

// Members of what a parameter stands for are looked up in that: T["key"].
const graph_value *ken_graph__eval_with(ken_graph *g, graph_unit *u, ken_expr_id expr,
                                        const graph_value *self,
                                        uint32_t depth) // NOLINT(misc-no-recursion)
{
    const ken_refs *r = u->text.refs;
    if (!expr || expr >= r->n_exprs || depth > DEPTH_MAX * 2 || !has_params(r, expr, 0))
        return ken_graph__eval_type(g, u, expr);
    const ken_expr *e = &r->exprs[expr];
    const graph_value *a =
        e->op == KEN_EXPR_PARAM ? NULL : ken_graph__eval_with(g, u, e->a, self, depth + 1);
    switch ((int)e->op) {
    case KEN_EXPR_MEMBER:
        a = ken_graph__object(g, ken_graph__instance_of(g, a));
        return ken_graph__object(g, ken_graph__member_of(g, u, a, e->name));
    case KEN_EXPR_VALUE:
        return ken_graph__instance_of(g, a);
    case KEN_EXPR_APPLY:
        return with_argument(g, a, ken_graph__eval_with(g, u, e->b, self, depth + 1));
    case KEN_EXPR_LAMBDA:
        return function_with(g, a, ken_graph__eval_with(g, u, e->b, self, depth + 1));
    case KEN_EXPR_EITHER:
        if (r->exprs[e->a].op == KEN_EXPR_PARAM && a->kind != GRAPH_PARAM)
            return a; // what it is bound by no longer matters
        return ken_graph__either(
            g, ken_graph__object(g, a),
            ken_graph__object(g, ken_graph__eval_with(g, u, e->b, self, depth + 1)));
    default:
        return substitute(g, ken_graph__eval_type(g, u, expr), self, 0);
    }
}

// ---- arguments that follow from a result -------------------------------------------------------

typedef struct inference {
    ken_graph_def def;
    uint32_t n;
    const graph_value *args[ARGS_MAX];
} inference;

static void infer(inference *in, const graph_value *pattern, const graph_value *actual,
                  uint32_t depth) // NOLINT(misc-no-recursion)
{
    if (!pattern || !actual || depth > DEPTH_MAX)
        return;
    if (pattern->kind == GRAPH_PARAM && ken_graph_def_eq(pattern->defs[0], in->def)) {
        if (pattern->param < in->n && in->args[pattern->param]->kind == GRAPH_NONE)
            in->args[pattern->param] = actual;
        return;
    }
    bool is_same = pattern->kind == actual->kind && pattern->n_defs == actual->n_defs &&
                   (!pattern->n_defs || ken_graph_def_eq(pattern->defs[0], actual->defs[0])) &&
                   ken_str_eq(pattern->name, actual->name);
    if (!is_same)
        return;
    infer(in, pattern->inner, actual->inner, depth + 1);
    for (uint32_t i = 0; i < pattern->n_args && i < actual->n_args; i++)
        infer(in, pattern->args[i], actual->args[i], depth + 1);
}

const graph_value *const *ken_graph__infer(ken_graph *g, ken_graph_def def, uint32_t n_params,
                                           const graph_value *pattern, const graph_value *wanted,
                                           uint32_t *out_n)
{
    inference in = { .def = def, .n = n_params < ARGS_MAX ? n_params : ARGS_MAX };
    for (uint32_t i = 0; i < in.n; i++)
        in.args[i] = &ken_graph__nothing;
    infer(&in, pattern, wanted, 0);
    const graph_value **args = KEN_ARENA_ARRAY(&g->arena, const graph_value *, in.n + 1);
    memcpy(args, in.args, in.n * sizeof *args);
    *out_n = in.n;
    return args;
}
