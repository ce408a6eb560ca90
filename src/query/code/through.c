// SPDX-License-Identifier: MIT
// Calls through fields, variables and tables of functions: `x->proc(…)` may call all that is stored in `proc`,
// and a function that reads a table may call the functions in it. Both edges are inferred.
#include <stdlib.h>

#include "base/map.h"
#include "base/sorted.h"
#include "query/query_graph_priv.h"

enum {
    PLACES_MAX = 64, // that hold the functions in question
    HELD_MAX = 64    // pairs of function and place
};

static const char through_field[] = "called through the field that it is put into";
static const char through_table[] = "is in the table that is read";

static ken_symbol_kind kind_of(ken_graph *g, ken_graph_def d)
{
    const ken_unit_text *u = query_is_outside(d) ? NULL : ken_graph_unit(g, d.file);
    return u ? ken_graph_kind(u, d.def) : KEN_SYMBOL_UNKNOWN;
}

// The field or variable that something is put into.
static bool find_place(ken_graph *g, uint32_t file, ken_expr_id into, ken_graph_def *out)
{
    const ken_unit_text *u = ken_graph_unit(g, file);
    const ken_expr *e = &u->refs->exprs[into];
    ken_targets t;
    *out = (ken_graph_def){ file, e->a };
    if (e->op != KEN_EXPR_DEF) {
        ken_graph_resolve(g, file, into, KEN_REF_WRITE, &t);
        if (t.n != 1)
            return false;
        *out = t.defs[0];
    }
    return ken_symbol_is_variable(kind_of(g, *out));
}

const ken_stored *ken_query__stored_at(const ken_refs *r, uint32_t byte)
{
    size_t lo = KEN_FIRST_U32(ken_stored, byte, r->stored, r->n_stored, byte);
    return lo < r->n_stored && r->stored[lo].byte == byte ? &r->stored[lo] : NULL;
}

// ---- who calls it through a place --------------------------------------------------------------

typedef struct holding {
    ken_graph_def place, held;
} holding;

typedef struct holdings {
    holding pairs[HELD_MAX];
    ken_graph_def places[PLACES_MAX];
    uint32_t n, n_places;
} holdings;

static void add_holding(holdings *h, ken_graph_def place, ken_graph_def held)
{
    for (uint32_t i = 0; i < h->n; i++)
        if (ken_graph_def_eq(h->pairs[i].place, place) && ken_graph_def_eq(h->pairs[i].held, held))
            return;
    uint32_t p = 0;
    while (p < h->n_places && !ken_graph_def_eq(h->places[p], place))
        p++;
    if (h->n == HELD_MAX || p == PLACES_MAX)
        return;
    if (p == h->n_places)
        h->places[h->n_places++] = place;
    h->pairs[h->n++] = (holding){ place, held };
}

static void find_holdings(ken_graph *g, const query_edges *edges, holdings *out)
{
    for (size_t i = 0; i < edges->len && out->n < HELD_MAX && !ken_quota_is_over(); i++) {
        const query_edge *e = &edges->ptr[i];
        bool is_put = e->role == KEN_REF_READ && e->is_stored;
        const ken_unit_text *u = is_put ? ken_graph_unit(g, e->file) : NULL;
        if (!u || !ken_symbol_is_callable(kind_of(g, e->to)))
            continue;
        const ken_stored *s = ken_query__stored_at(u->refs, u->refs->refs[e->ref].byte);
        ken_graph_def place;
        if (s && find_place(g, e->file, s->into, &place))
            add_holding(out, place, e->to);
    }
}

// A call of the place, or a function that reads a table of functions.
static bool may_run(ken_graph *g, const query_edge *e)
{
    bool is_read = e->role == KEN_REF_READ && e->within >= 0 &&
                   kind_of(g, e->to) != KEN_SYMBOL_FIELD &&
                   !ken_graph_def_eq(e->to, (ken_graph_def){ e->file, (ken_def_id)e->within });
    return e->role == KEN_REF_CALL || is_read;
}

ken_status ken_query__edges_through(ken_snapshot *s, ken_graph *g, const ken_cancel *cancel,
                                    ken_arena *arena, query_edges *edges, ken_err *err)
{
    holdings h = { .n = 0 };
    query_edges calls = { 0 };
    if (ken_quota_is_settled()) // a partial answer: no further search
        return KEN_OK;
    find_holdings(g, edges, &h);
    if (!h.n)
        return KEN_OK;
    ken_status st =
        ken_query__edges_to(s, g, h.places, h.n_places, cancel, arena, &calls, NULL, err);
    size_t before = edges->len;
    for (size_t i = 0; !st && i < calls.len; i++) {
        query_edge e = calls.ptr[i];
        if (!may_run(g, &e))
            continue;
        e.class = KEN_EDGE_INFERRED;
        e.evidence = e.role == KEN_REF_CALL ? through_field : through_table;
        ken_graph_def place = e.to;
        for (uint32_t k = 0; k < h.n; k++) {
            if (!ken_graph_def_eq(h.pairs[k].place, place))
                continue;
            e.to = h.pairs[k].held;
            ken_vec_push(edges, e);
        }
    }
    if (edges->len > before)
        qsort(edges->ptr, edges->len, sizeof *edges->ptr, ken_query__edge_by_place);
    ken_vec_release(&calls);
    return st;
}

// ---- what a place holds ------------------------------------------------------------------------

typedef struct held_search {
    ken_graph *g;
    ken_graph_def place;
    ken_str name;
    ken_graph_def *out;
    uint32_t n, max;
} held_search;

static void add_callables(held_search *h, uint32_t file, ken_expr_id value)
{
    const ken_unit_text *u = ken_graph_unit(h->g, file);
    ken_targets t = { .n = 1 };
    t.defs[0] = (ken_graph_def){ file, u->refs->exprs[value].a };
    if (u->refs->exprs[value].op != KEN_EXPR_DEF)
        ken_graph_resolve(h->g, file, value, KEN_REF_READ, &t);
    for (uint32_t i = 0; i < t.n; i++) {
        bool is_known = !ken_symbol_is_callable(kind_of(h->g, t.defs[i]));
        for (uint32_t k = 0; k < h->n; k++)
            is_known = is_known || ken_graph_def_eq(h->out[k], t.defs[i]);
        if (!is_known && h->n < h->max)
            h->out[h->n++] = t.defs[i];
    }
}

static bool may_be_place(const held_search *h, uint32_t file, const ken_expr *into)
{
    if (into->op == KEN_EXPR_DEF)
        return file == h->place.file && into->a == h->place.def;
    bool is_position = into->name.len && into->name.ptr[0] >= '0' && into->name.ptr[0] <= '9';
    return is_position || ken_str_eq(into->name, h->name);
}

static void look_into(held_search *h, uint32_t file)
{
    const ken_unit_text *u = ken_graph_unit(h->g, file);
    for (uint32_t i = 0; u && i < u->refs->n_stored && h->n < h->max; i++) {
        const ken_stored *s = &u->refs->stored[i];
        ken_graph_def place;
        if (may_be_place(h, file, &u->refs->exprs[s->into]) &&
            find_place(h->g, file, s->into, &place) && ken_graph_def_eq(place, h->place))
            add_callables(h, file, s->value);
    }
}

static void look_where_said(held_search *h, ken_snapshot *s, ken_str name, ken_arena *arena)
{
    uint32_t *files;
    size_t n;
    if (!name.len || ken_query__graph_files_with(s, name, arena, &files, &n, NULL))
        return;
    for (size_t i = 0; i < n && h->n < h->max && !ken_quota_is_over(); i++) {
        look_into(h, files[i]);
        ken_query__graph_ease(s);
    }
}

uint32_t ken_query__held_by(ken_snapshot *s, ken_graph *g, const query_edge *e, ken_arena *arena,
                            ken_graph_def *out, uint32_t max)
{
    ken_symbol_kind kind = kind_of(g, e->to);
    bool is_call = e->role == KEN_REF_CALL;
    if (!ken_symbol_is_variable(kind) || !(is_call || (e->role == KEN_REF_READ && may_run(g, e))))
        return 0;
    const ken_unit_text *u = ken_graph_unit(g, e->to.file);
    held_search h = { g, e->to, ken_graph_name(u, e->to.def), out, 0, max };
    look_into(&h, e->to.file);
    if (!is_call)
        return h.n;
    ken_expr_id value = e->to.def < u->refs->n_defs ? u->refs->defs[e->to.def].value : 0;
    ken_expr_op op = u->refs->exprs[value].op;
    if (op == KEN_EXPR_NAME || op == KEN_EXPR_MEMBER || op == KEN_EXPR_DEF)
        add_callables(&h, e->to.file, value);
    int32_t owner = ken_graph_owner(u, e->to.def);
    look_where_said(&h, s, h.name, arena);
    u = ken_graph_unit(g, e->to.file); // it may have been let go of
    if (u && owner >= 0)               // literals without names have a type only
        look_where_said(&h, s, ken_graph_name(u, (ken_def_id)owner), arena);
    return h.n;
}
