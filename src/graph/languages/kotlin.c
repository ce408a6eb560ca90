// SPDX-License-Identifier: MIT
// What Kotlin has of its own: functions and properties that extend types from outside and are seen
// like any other name, companions whose members are those of their class, and the few functions of
// its standard library that give what they are called on.
#include "graph/graph_driver_priv.h"
#include "graph/languages/java_priv.h"

enum {
    WAYS_MAX = 8,          // from a receiver to what its type is called
    INSIDE_LOOKED_AT = 400 // definitions of a class that are looked at for its companion
};

static const char in_sight[] = "an extension of that name is in sight, the receiver's type is not";

static bool is_extension(ken_graph *g, ken_graph_def d)
{
    graph_unit *u = ken_graph__unit_of(g, d.file);
    return u && u->lang->shows_extensions && d.def < u->n_defs && ken_graph__has_owner(u, d.def);
}

// The definitions of a value that are extensions, or those that are none.
static const graph_value *kept(ken_graph *g, const graph_value *v, bool wants_extensions)
{
    ken_graph_def defs[KEN_TARGETS_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; v->kind == GRAPH_DEFS && i < v->n_defs && n < KEN_TARGETS_MAX; i++)
        if (is_extension(g, v->defs[i]) == wants_extensions)
            defs[n++] = v->defs[i];
    return n == v->n_defs ? v : ken_graph__defs_value(g, defs, n, v->class);
}

static const graph_value *guessed(ken_graph *g, const graph_value *v)
{
    graph_value *copy = KEN_ARENA_NEW(&g->arena, graph_value);
    *copy = *v;
    copy->class = KEN_EDGE_INFERRED;
    copy->evidence = in_sight;
    return copy;
}

static const graph_value *choose_bare(ken_graph *g, const graph_value *v)
{
    if (v->kind != GRAPH_DEFS)
        return v;
    const graph_value *plain = kept(g, v, false);
    return plain->kind == GRAPH_NONE ? guessed(g, v) : plain;
}

// ---- what a receiver's type is called ----------------------------------------------------------

static ken_str word_of_builtin(ken_str name)
{
    return ken_str_eq(name, KEN_STR("string")) ? KEN_STR("String") : KEN_STR("");
}

// What leads on from there: the value of the one definition that is named, in its file.
static ken_expr_id value_behind(ken_graph *g, graph_unit **u, ken_expr_id expr)
{
    const graph_value *v = ken_graph__eval(g, *u, expr);
    graph_unit *d =
        v->kind == GRAPH_DEFS && v->n_defs == 1 ? ken_graph__unit_of(g, v->defs[0].file) : NULL;
    if (!d || v->defs[0].def >= d->text.refs->n_defs)
        return 0;
    *u = d;
    return ken_graph__result_expr(d, v->defs[0].def);
}

// The name of a type that is not in the tree; empty when it is in it, or not known.
static ken_str name_of_type(ken_graph *g, graph_unit *u, ken_expr_id expr)
{
    while (expr && u->text.refs->exprs[expr].op == KEN_EXPR_APPLY)
        expr = u->text.refs->exprs[expr].a;
    const ken_expr *e = &u->text.refs->exprs[expr];
    bool is_outside = e->op == KEN_EXPR_NAME && ken_graph__eval(g, u, expr)->kind != GRAPH_DEFS;
    return is_outside ? e->name : KEN_STR("");
}

static ken_str type_name_of(ken_graph *g, graph_unit *u, ken_expr_id expr)
{
    for (int i = 0; i < WAYS_MAX && expr; i++) {
        const ken_expr *e = &u->text.refs->exprs[expr];
        if (e->op == KEN_EXPR_BUILTIN)
            return word_of_builtin(e->name);
        if (e->op == KEN_EXPR_VALUE)
            return name_of_type(g, u, e->a);
        expr = value_behind(g, &u, e->op == KEN_EXPR_CALL ? e->a : expr);
    }
    return KEN_STR("");
}

// Whether one of the extensions says that it extends a type of that name.
static bool extends(ken_graph *g, const graph_value *v, ken_str type)
{
    for (uint32_t i = 0; type.len && i < v->n_defs; i++) {
        graph_unit *u = ken_graph__unit_of(g, v->defs[i].file);
        const ken_refs *r = u->text.refs;
        for (uint32_t b = ken_graph__first_base(r, v->defs[i].def);
             b < r->n_bases && r->bases[b].def == v->defs[i].def; b++)
            if (r->bases[b].kind == KEN_BASE_OWNER &&
                ken_str_eq(name_of_type(g, u, r->bases[b].expr), type))
                return true;
    }
    return false;
}

static const graph_value *extension(ken_graph *g, graph_unit *u, const ken_expr *e)
{
    const graph_value *v = kept(g, ken_graph__lookup(g, u, e->name, -1), true);
    if (v->kind != GRAPH_DEFS)
        return &ken_graph__nothing;
    if (!extends(g, v, type_name_of(g, u, e->a)))
        return guessed(g, v);
    return ken_graph__defs_value(g, v->defs, v->n_defs,
                                 v->defs[0].file == u->file ? KEN_EDGE_SCOPED : KEN_EDGE_IMPORTED);
}

// ---- the rest ----------------------------------------------------------------------------------

static uint32_t members_of_companion(const graph_unit *u, ken_def_id type, ken_str name,
                                     ken_def_id *out, uint32_t max)
{
    ken_def_id end = type < u->n_symbols ? type + INSIDE_LOOKED_AT : 0;
    for (ken_def_id d = type + 1; d < end && d < u->n_symbols; d++) {
        if (ken_graph_owner(&u->text, d) == (int32_t)type &&
            ken_graph_kind(&u->text, d) == KEN_SYMBOL_OBJECT &&
            (u->text.refs->defs[d].flags & KEN_DEF_STATIC))
            return ken_graph__children(u, (int32_t)d, name, out, max);
    }
    return 0;
}

static const graph_value *call_outside(ken_graph *g, graph_unit *u, ken_expr_id callee)
{
    static const char *const names[] = { "apply", "also", "takeIf", "takeUnless" };
    const ken_expr *e = &u->text.refs->exprs[callee];
    if (e->op != KEN_EXPR_MEMBER)
        return &ken_graph__nothing;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ken_str_eq_c(e->name, names[i]))
            return ken_graph__object(g, ken_graph__eval(g, u, e->a));
    return &ken_graph__nothing;
}

const graph_driver ken_graph__driver_kotlin = {
    .resolve = ken_graph__java_resolve,
    .around = ken_graph__java_around,
    .choose_bare = choose_bare,
    .inner_members = members_of_companion,
    .extension = extension,
    .call_outside = call_outside,
};
