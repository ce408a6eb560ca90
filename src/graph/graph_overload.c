// SPDX-License-Identifier: MIT
// Which of several functions of one name a call means: by the number and names of its arguments,
// then by their types.
//
// A candidate that cannot take an argument is out; of the rest those that fit best are meant.
#include <string.h>

#include "graph/graph_overload_priv.h"

enum {
    ARGS_MAX = 24,
    BASES_MAX = 16,
    OUTWARDS_MAX = 6, // base types that are looked into for further overloads
};

// ---- one signature -----------------------------------------------------------------------------

static const ken_expr *said_type(const ken_refs *r, ken_expr_id id)
{
    const ken_expr *e = &r->exprs[id];
    while (e->op == KEN_EXPR_VALUE)
        e = &r->exprs[e->a];
    if (e->op == KEN_EXPR_EITHER && r->exprs[e->a].op == KEN_EXPR_PARAM) // with its bound
        e = &r->exprs[e->a];
    return e;
}

static bool is_named(const ken_expr *e)
{
    return e->op == KEN_EXPR_NAME || e->op == KEN_EXPR_MEMBER;
}

// Whether two types are written alike, but for what qualifies them. What was not understood may be
// anything.
static bool is_said_alike(const ken_refs *ra, ken_expr_id a, const ken_refs *rb, ken_expr_id b,
                          int depth) // NOLINT(misc-no-recursion)
{
    const ken_expr *x = said_type(ra, a), *y = said_type(rb, b);
    if (x->op == KEN_EXPR_NONE || y->op == KEN_EXPR_NONE || depth > GRAPH_ARGS_DEEP)
        return true;
    if (is_named(x) && is_named(y))
        return ken_str_eq(x->name, y->name);
    if (x->op != y->op)
        return false;
    switch ((int)x->op) {
    case KEN_EXPR_BUILTIN:
        return ken_str_eq(x->name, y->name);
    case KEN_EXPR_PARAM:
        return x->b == y->b;
    case KEN_EXPR_APPLY:
        return is_said_alike(ra, x->a, rb, y->a, depth + 1) &&
               is_said_alike(ra, x->b, rb, y->b, depth + 1);
    default:
        return true;
    }
}

// The tuple of what a function takes, from the last parameter on; 0 = it was not kept.
static ken_expr_id takes_of(const graph_unit *u, ken_def_id def)
{
    const ken_refs *r = u->text.refs;
    ken_expr_id value = def < r->n_defs ? r->defs[def].value : 0;
    return r->exprs[value].op == KEN_EXPR_LAMBDA ? r->exprs[value].b : 0;
}

bool ken_graph__takes_alike(const graph_unit *u, ken_def_id def, const graph_unit *o,
                            ken_def_id other)
{
    const ken_refs *ra = u->text.refs, *rb = o->text.refs;
    if (def >= ra->n_defs || other >= rb->n_defs)
        return true;
    const ken_def_info *x = &ra->defs[def], *y = &rb->defs[other];
    if (x->max_params != y->max_params || ((x->flags ^ y->flags) & KEN_DEF_VARIADIC))
        return false;
    ken_expr_id a = takes_of(u, def), b = takes_of(o, other);
    while (ra->exprs[a].op == KEN_EXPR_APPLY && rb->exprs[b].op == KEN_EXPR_APPLY) {
        ken_str la = KEN_STR("_:"), lb = la;
        ken_expr_id ta = ra->exprs[a].b, tb = rb->exprs[b].b;
        ta = u->lang->names_arguments ? ken_graph__unlabelled(ra, ta, &la) : ta;
        tb = o->lang->names_arguments ? ken_graph__unlabelled(rb, tb, &lb) : tb;
        bool is_other = u->lang->labels_functions &&
                        !ken_str_eq(ken_str_sub(la, 0, la.len - 1), ken_str_sub(lb, 0, lb.len - 1));
        if (is_other || !is_said_alike(ra, ta, rb, tb, 0))
            return false;
        a = ra->exprs[a].a;
        b = rb->exprs[b].a;
    }
    return true;
}

// ---- the best of them --------------------------------------------------------------------------

typedef struct call {
    uint32_t file;
    type_key args[ARGS_MAX];
    uint32_t n;
    bool is_cpp;
    bool says_types;        // `f<int>(x)`: what is called has type parameters
    const graph_unit *unit; // that it stands in
} call;

// The arguments of the call; false when they were not counted.
static bool read_call(ken_graph *g, graph_unit *u, ken_expr_id expr, call *out)
{
    const ken_refs *r = u->text.refs;
    ken_expr_id at = r->exprs[expr].b;
    if (!at)
        return false;
    for (ken_expr_id e = at; r->exprs[e].op == KEN_EXPR_APPLY; e = r->exprs[e].a)
        out->n++;
    if (out->n > ARGS_MAX)
        return false;
    out->is_cpp = graph_converts(u);
    out->unit = u;
    for (uint32_t i = out->n; i-- > 0; at = r->exprs[at].a)
        out->args[i] = ken_graph__key_of_argument(g, u, r->exprs[at].b);
    out->says_types = ken_str_eq(r->exprs[at].name, KEN_STR("types"));
    return true;
}

static uint32_t read_params(ken_graph *g, ken_graph_def d, type_key *out)
{
    graph_unit *u = ken_graph__unit_of(g, d.file);
    const ken_refs *r = u->text.refs;
    ken_expr_id at = takes_of(u, d.def);
    uint32_t n = 0;
    for (ken_expr_id e = at; r->exprs[e].op == KEN_EXPR_APPLY; e = r->exprs[e].a)
        n++;
    for (uint32_t i = n; i-- > 0; at = r->exprs[at].a)
        if (i < ARGS_MAX)
            out[i] = ken_graph__key_of_parameter(g, u, r->exprs[at].b);
    return n < ARGS_MAX ? n : ARGS_MAX;
}

static int cost_in(ken_graph *g, const type_key *params, uint32_t n_params, const call *c,
                   uint32_t n_fixed, bool is_variadic)
{
    int cost = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t p = is_variadic && i >= n_fixed ? n_fixed : i;
        int one = p >= n_params ? 0 : ken_graph__fit(g, c->unit, params[p], c->args[i]);
        if (one == COST_OUT)
            return COST_OUT;
        cost += one;
    }
    return cost;
}

// Which parameter takes the argument, from `next` on where it says no name; `n` = none does.
static uint32_t taker_of(const type_key *params, uint32_t n, type_key arg, uint32_t next,
                         bool labels_functions)
{
    if (arg.mark == '{') // a function behind the arguments
        return n ? n - 1 : n;
    ken_str label = arg.label;
    if (!label.len && !labels_functions)
        return next;
    if (!label.len)
        label = KEN_STR("_");
    for (uint32_t p = labels_functions ? next : 0; p < n; p++)
        if (ken_str_eq(params[p].label, label))
            return p;
    return n;
}

// The same where arguments say which parameters they are for: each must find its own, and what is not
// given must be what may be left out.
static int cost_named(ken_graph *g, const graph_unit *u, const type_key *params, uint32_t n,
                      const call *c)
{
    bool is_given[ARGS_MAX] = { false };
    uint32_t next = 0;
    int cost = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t p = taker_of(params, n, c->args[i], next, u->lang->labels_functions);
        if (p >= n || (is_given[p] && params[p].mark != '*'))
            return COST_OUT;
        type_key param = params[p];
        if (param.mark == '*' && param.n_arrays > c->args[i].n_arrays) // one of a list
            param.n_arrays--;
        int one = ken_graph__fit(g, c->unit, param, c->args[i]);
        if (one == COST_OUT)
            return COST_OUT;
        cost += one + (param.mark == '*');
        is_given[p] = true;
        next = param.mark == '*' ? p : p + 1;
    }
    for (uint32_t p = 0; p < n; p++) {
        if (!is_given[p] && params[p].mark == ':')
            return COST_OUT;
        cost += !is_given[p];
    }
    return cost;
}

// What it costs to call the function so; COST_OUT = it cannot be. What is no function takes anything.
static int cost_of(ken_graph *g, ken_graph_def d, const call *c)
{
    graph_unit *u = ken_graph__unit_of(g, d.file);
    if (!u || d.def >= u->text.refs->n_defs || d.def >= u->n_defs)
        return 0;
    ken_symbol_kind kind = ken_graph_kind(&u->text, d.def);
    if (!ken_symbol_is_callable(kind))
        return u->lang->splits_members && ken_symbol_is_variable(kind) ? COST_OUT : 0;
    if (d.file != c->file && d.def < u->n_symbols &&
        u->text.facts->symbols[d.def].visibility == KEN_VISIBILITY_PRIVATE)
        return COST_OUT;
    const ken_def_info *info = &u->text.refs->defs[d.def];
    if (c->says_types && kind != KEN_SYMBOL_CONSTRUCTOR && !info->n_type_params)
        return COST_OUT;
    bool is_variadic = (info->flags & KEN_DEF_VARIADIC) != 0;
    bool is_long = info->max_params == UINT8_MAX || c->n > ARGS_MAX;
    type_key params[ARGS_MAX] = { { 0 } };
    if (u->lang->names_arguments && !is_long)
        return cost_named(g, u, params, read_params(g, d, params), c);
    if (c->n < info->min_params || (c->n > info->max_params && !is_variadic && !is_long))
        return COST_OUT;
    uint32_t n = read_params(g, d, params);
    if (!is_variadic)
        return cost_in(g, params, n, c, c->n, false);
    int as_list = COST_OUT;
    if (c->n == info->max_params + 1u && info->max_params < ARGS_MAX && info->max_params < n) {
        type_key last = params[info->max_params];
        params[info->max_params].n_arrays++;
        as_list = cost_in(g, params, n, c, c->n, false);
        params[info->max_params] = last;
        if (c->args[c->n - 1].sort == TYPE_UNKNOWN && as_list != COST_OUT)
            as_list += COST_VARIADIC;
    }
    int spread = cost_in(g, params, n, c, info->max_params, true);
    if (c->is_cpp && n > info->max_params) // a pack: it is worse than the same without one
        return spread == COST_OUT ? COST_OUT : spread + COST_TEMPLATE;
    if (as_list != COST_OUT && (spread == COST_OUT || as_list <= spread + COST_VARIADIC))
        return as_list;
    return spread == COST_OUT ? COST_OUT : spread + COST_VARIADIC;
}

// All that have the name where those stand that were found: a list of these may have been cut.
static uint32_t gather(ken_graph *g, const ken_graph_def *found, uint32_t n_found,
                       ken_graph_def *out, uint32_t max)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_found && n < max; i++) {
        graph_unit *u = ken_graph__unit_of(g, found[i].file);
        bool is_known = !u || found[i].def >= u->n_defs;
        for (uint32_t k = 0; k < n && !is_known; k++)
            is_known = ken_graph_def_eq(out[k], found[i]);
        if (is_known)
            continue;
        int32_t scope = ken_graph__scope_of(u, found[i].def);
        ken_def_id ids[GRAPH_OVERLOADS_MAX];
        uint32_t n_ids = scope == GRAPH_ELSEWHERE
                             ? 0
                             : ken_graph__children(u, scope, ken_graph_name(&u->text, found[i].def),
                                                   ids, GRAPH_OVERLOADS_MAX);
        if (!n_ids)
            out[n++] = found[i];
        for (uint32_t k = 0; k < n_ids && n < max; k++)
            out[n++] = (ken_graph_def){ found[i].file, ids[k] };
    }
    return n;
}

typedef struct choice {
    ken_graph_def all[GRAPH_OVERLOADS_MAX];
    uint32_t n;
    int best;
} choice;

static void consider(ken_graph *g, const call *c, ken_graph_def d, choice *out)
{
    int cost = cost_of(g, d, c);
    if (cost == COST_OUT || (out->n && cost > out->best))
        return;
    if (out->n && cost < out->best)
        out->n = 0;
    out->best = cost;
    if (out->n < GRAPH_OVERLOADS_MAX)
        out->all[out->n++] = d;
}

static bool is_template(ken_graph *g, ken_graph_def d)
{
    graph_unit *u = ken_graph__unit_of(g, d.file);
    return u && d.def < u->text.refs->n_defs && u->text.refs->defs[d.def].n_type_params;
}

// Templates of C++ fit best where what they demand of their types holds, which is not known: where
// they are all that was found, others that the arguments can be made to fit may be meant as well.
static void add_doubtful(ken_graph *g, const call *c, const ken_graph_def *from, uint32_t n_from,
                         choice *out)
{
    for (uint32_t i = 0; i < out->n; i++)
        if (!c->is_cpp || !is_template(g, out->all[i]))
            return;
    int best = out->best;
    for (uint32_t i = 0; i < n_from && out->n && out->n < GRAPH_OVERLOADS_MAX; i++) {
        int cost = cost_of(g, from[i], c);
        if (cost > best && cost >= COST_BOXED && cost < COST_VARIADIC)
            out->all[out->n++] = from[i];
    }
}

static void choose(ken_graph *g, const call *c, const ken_graph_def *from, uint32_t n_from,
                   choice *out)
{
    ken_graph_def all[GRAPH_OVERLOADS_MAX];
    uint32_t n = gather(g, from, n_from, all, GRAPH_OVERLOADS_MAX);
    for (uint32_t i = 0; i < n; i++)
        consider(g, c, all[i], out);
    add_doubtful(g, c, all, n, out);
}

// Whether another one may fit better: nothing fits as it is.
static bool is_open(const choice *c)
{
    return !c->n || c->best >= COST_BOXED;
}

// Overloads that a type inherits stand in its bases.
static void choose_inherited(ken_graph *g, const call *c, ken_graph_def member, choice *out,
                             int depth) // NOLINT(misc-no-recursion)
{
    graph_unit *u = ken_graph__unit_of(g, member.file);
    int32_t owner = u && member.def < u->n_defs ? ken_graph_owner(&u->text, member.def) : -1;
    if (owner < 0 || depth > OUTWARDS_MAX ||
        !graph_is_type(ken_graph_kind(&u->text, (ken_def_id)owner)))
        return;
    ken_graph_def type =
        ken_graph__owner_type(g, (ken_graph_def){ member.file, (ken_def_id)owner });
    ken_graph_def bases[BASES_MAX];
    uint32_t n = ken_graph__bases(g, type, bases, BASES_MAX);
    ken_str name = ken_graph_name(&u->text, member.def);
    for (uint32_t i = 0; i < n && is_open(out); i++) {
        const graph_value *v = ken_graph__type_member(g, bases[i], name);
        if (v->kind != GRAPH_DEFS)
            continue;
        choose(g, c, v->defs, v->n_defs, out);
        if (is_open(out))
            choose_inherited(g, c, v->defs[0], out, depth + 1);
    }
}

// What is said of several that fit alike; more than KEN_TARGETS_MAX are not given one by one.
static const char *one_of(uint32_t n)
{
#define ONE_OF(n) "one of " #n " overloads that fit what is known of the arguments"
    static const char *const few[] = { ONE_OF(2), ONE_OF(3), ONE_OF(4), ONE_OF(5),
                                       ONE_OF(6), ONE_OF(7), ONE_OF(8) };
    static const char *const more[] = {
        ONE_OF(9) ", 1 of them not listed",   ONE_OF(10) ", 2 of them not listed",
        ONE_OF(11) ", 3 of them not listed",  ONE_OF(12) ", 4 of them not listed",
        ONE_OF(13) ", 5 of them not listed",  ONE_OF(14) ", 6 of them not listed",
        ONE_OF(15) ", 7 of them not listed",  ONE_OF(16) ", 8 of them not listed",
        ONE_OF(17) ", 9 of them not listed",  ONE_OF(18) ", 10 of them not listed",
        ONE_OF(19) ", 11 of them not listed", ONE_OF(20) ", 12 of them not listed",
    };
#undef ONE_OF
    if (n <= KEN_TARGETS_MAX)
        return few[n - 2];
    return n <= 20 ? more[n - 9]
                   : "one of more than 20 overloads that fit what is known of the arguments, 8 of "
                     "them are listed";
}

// Leaves one of each group of definitions that are the same function: declared, and defined.
static uint32_t keep_distinct(ken_graph *g, ken_graph_def *defs, uint32_t n)
{
    uint32_t n_kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < n_kept && !ken_graph__is_twin(g, defs[k], defs[i]))
            k++;
        if (k == n_kept)
            defs[n_kept++] = defs[i];
    }
    return n_kept;
}

uint32_t ken_graph_constructed(ken_graph *g, uint32_t file, ken_expr_id expr, ken_graph_def type,
                               ken_graph_def *out, uint32_t max, const char **out_evidence)
{
    ken_graph_def all[GRAPH_OVERLOADS_MAX];
    ken_graph__ask(g);
    *out_evidence = NULL;
    uint32_t n = ken_graph__constructors(g, type, all, GRAPH_OVERLOADS_MAX);
    graph_unit *u = ken_graph__unit_of(g, file);
    call c = { .file = file };
    bool is_counted = u && n && expr < u->text.refs->n_exprs && read_call(g, u, expr, &c);
    choice found = { .n = 0 };
    for (uint32_t i = 0; is_counted && i < n; i++)
        consider(g, &c, all[i], &found);
    add_doubtful(g, &c, all, n, &found);
    if (is_counted && (found.n || u->lang->implies_constructors)) {
        memcpy(all, found.all, found.n * sizeof *all);
        n = found.n;
    }
    n = keep_distinct(g, all, n);
    memcpy(out, all, (n < max ? n : max) * sizeof *all);
    if (n > 1)
        *out_evidence = one_of(n);
    return n;
}

// What is known of the arguments fits none: any may be meant.
static const graph_value *none_fits(ken_graph *g, const graph_unit *u, const graph_value *v)
{
    ken_graph_def all[GRAPH_OVERLOADS_MAX];
    uint32_t n = v->n_defs < GRAPH_OVERLOADS_MAX ? v->n_defs : GRAPH_OVERLOADS_MAX;
    memcpy(all, v->defs, n * sizeof *all);
    if (!u->lang->overloads || v->class >= KEN_EDGE_INFERRED || keep_distinct(g, all, n) < 2)
        return v;
    graph_value *any = KEN_ARENA_NEW(&g->arena, graph_value);
    *any = *v;
    any->class = KEN_EDGE_INFERRED;
    any->evidence = "one of several overloads, none of which fits what is known of the arguments";
    return any;
}

const graph_value *ken_graph__chosen(ken_graph *g, graph_unit *u, ken_expr_id expr,
                                     const graph_value *v)
{
    call c = { .file = u->file };
    if (v->kind != GRAPH_DEFS || expr >= u->text.refs->n_exprs || !u->text.refs->exprs[expr].b)
        return v;
    ken_graph_def last = v->defs[v->n_defs - 1];
    graph_unit *du = ken_graph__unit_of(g, last.file);
    if (!du || last.def >= du->n_defs ||
        !ken_symbol_is_callable(ken_graph_kind(&du->text, last.def)))
        return v;
    if (!read_call(g, u, expr, &c))
        return v;
    choice found = { .n = 0 };
    choose(g, &c, v->defs, v->n_defs, &found);
    if (is_open(&found) && !c.is_cpp) // in C++ they are hidden
        choose_inherited(g, &c, v->defs[0], &found, 0);
    if (!found.n)
        return none_fits(g, u, v);
    graph_value *one = KEN_ARENA_NEW(&g->arena, graph_value);
    *one = *v;
    ken_graph_def *defs = ken_arena_copy(&g->arena, found.all, found.n, sizeof *defs);
    one->defs = defs;
    one->n_defs = found.n;
    uint32_t n =
        found.n > 1 && one->class < KEN_EDGE_INFERRED ? keep_distinct(g, found.all, found.n) : 1;
    if (n > 1) {
        one->class = KEN_EDGE_INFERRED;
        one->evidence = one_of(n);
    }
    return one;
}
