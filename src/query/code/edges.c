// SPDX-License-Identifier: MIT
// Edges of definitions. Outgoing edges are the references inside a definition. Incoming edges are the
// references, by its name or by an alias of it, that resolve to it.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/path.h"
#include "base/sorted.h"
#include "query/query_refs_priv.h"

enum {
    TWINS_MAX = 16,
    BOUND_MAX = 8,
    MADE_MAX = 64,    // constructors that one construction may run
    CHECK_EVERY = 64, // references that are chosen from between two checks
    RENAMED_MAX = 16, // aliases by which files export it
    WHOLES_MAX = 64   // files that export it as the whole module
};

// The target of a search. Overloads and declarations of one thing lead to the definition in `defs`.
typedef struct edge_search {
    ken_snapshot *s;
    ken_graph *g;
    const ken_graph_def *defs;
    KEN_VEC(ken_str) names;            // of all of them, each once
    KEN_VEC(ken_str) wholes;           // paths of files that are one of them as a whole, each once
    ken_map has_name, has_whole;       // by the pointer of the text
    KEN_VEC(const query_refs *) lists; // of the names, then of other names
    // Definition -> its number in defs, + n_defs when it is only overridden, + 2 n_defs when it is
    // the type that is constructed by it.
    ken_map wanted;
    uint8_t *is_there; // by file: one of the wanted is
    uint32_t n_defs;
    ken_arena *arena;
    query_edges *out, *unresolved;
    query_other_uses *others; // NULL = not wanted
} edge_search;

// Names are interned (query_units_priv.h): the pointer is the key.
static ken_str pointer_of(const ken_str *name)
{
    return ken_str_n((const char *)&name->ptr, sizeof name->ptr);
}

static bool has_name(const edge_search *e, ken_str name)
{
    return ken_map_find(&e->has_name, pointer_of(&name)) != NULL;
}

static bool is_new(ken_map *known, ken_str name)
{
    bool is_first;
    ken_map_put(known, pointer_of(&name), 1, &is_first);
    return is_first;
}

static void want(edge_search *e, const ken_graph_def *d, uint64_t number)
{
    ken_map_put(&e->wanted, query_def_key(d), number, NULL);
    e->is_there[d->file] = 1;
}

// A file that exports it as a whole has another name in each importer: all importers are candidates.
static void add_whole(edge_search *e, uint32_t file)
{
    ken_str path = ken_query__graph_keep(e->s, e->s->rows[file].path);
    if (e->wholes.len < WHOLES_MAX && is_new(&e->has_whole, path))
        ken_vec_push(&e->wholes, path);
}

static void add_name(edge_search *e, ken_str name)
{
    if (is_new(&e->has_name, name))
        ken_vec_push(&e->names, name);
}

// A constructor runs where its type is constructed.
static void add_constructed(edge_search *e, uint32_t i)
{
    const ken_unit_text *u = ken_graph_unit(e->g, e->defs[i].file);
    ken_graph_def type;
    if (ken_graph_kind(u, e->defs[i].def) != KEN_SYMBOL_CONSTRUCTOR ||
        !ken_graph_type_of(e->g, e->defs[i], &type) ||
        ken_map_find(&e->wanted, query_def_key(&type)))
        return;
    want(e, &type, (uint64_t)i + 2 * (uint64_t)e->n_defs);
    add_name(e, ken_graph_name(ken_graph_unit(e->g, type.file), type.def));
}

static void add_wanted(edge_search *e, uint32_t i)
{
    const ken_unit_text *u = ken_graph_unit(e->g, e->defs[i].file);
    if (!u || e->defs[i].def >= u->facts->n_symbols + u->refs->n_implied)
        return;
    ken_graph_def same[TWINS_MAX];
    uint32_t n = ken_graph_twins(e->g, e->defs[i], same, TWINS_MAX);
    for (uint32_t k = 0; k < n; k++)
        want(e, &same[k], i);
    n = ken_graph_overridden(e->g, e->defs[i], same, TWINS_MAX);
    for (uint32_t k = 0; k < n; k++)
        want(e, &same[k], (uint64_t)i + e->n_defs);
    add_constructed(e, i);
    ken_str name = ken_graph_name(u, e->defs[i].def);
    if (ken_query__is_whole(name))
        add_whole(e, e->defs[i].file);
    else
        add_name(e, name);
}

// ---- candidates --------------------------------------------------------------------------------

static ken_status add_lists(edge_search *e, query_refs_kind what, const ken_str *names, size_t n,
                            const ken_cancel *cancel, ken_arena *arena, ken_err *err)
{
    const query_refs **lists = KEN_ARENA_ARRAY(arena, const query_refs *, n + 1);
    ken_status st =
        ken_query__refs_get(e->s, e->g, what, names, (uint32_t)n, cancel, arena, lists, err);
    for (size_t i = 0; !st && i < n; i++)
        ken_vec_push(&e->lists, lists[i]);
    return st;
}

// The next alias under which a file exports it; NULL = no more. Files that export it as a whole are noted
// on the way.
static const query_renamed *next_renamed(edge_search *e, size_t *list, uint32_t *at)
{
    for (; *list < e->lists.len; ++*list, *at = 0) {
        while (*at < e->lists.ptr[*list]->n_renamed) {
            const query_renamed *r = &e->lists.ptr[*list]->renamed[(*at)++];
            if (ken_query__is_whole(r->local))
                add_whole(e, r->file);
            else if (!has_name(e, r->local))
                return r;
        }
    }
    return NULL;
}

// Collects the references by all names and aliases. Each list may add aliases, whose lists are
// appended and searched in turn.
static ken_status gather_lists(edge_search *e, const ken_cancel *cancel, ken_arena *arena,
                               ken_err *err)
{
    ken_status st = add_lists(e, QUERY_REFS_NAME, e->names.ptr, e->names.len, cancel, arena, err);
    size_t list = 0, n_wholes = 0;
    uint32_t at = 0;
    for (int n_renamed = 0; !st && !ken_quota_is_settled();) {
        const query_renamed *r = n_renamed < RENAMED_MAX ? next_renamed(e, &list, &at) : NULL;
        if (r) {
            is_new(&e->has_name, r->local);
            ken_vec_push(&e->names, r->local);
            st = add_lists(e, QUERY_REFS_NAME, &r->local, 1, cancel, arena, err);
            n_renamed++;
        } else if (n_wholes < e->wholes.len) {
            ken_str path = e->wholes.ptr[n_wholes++];
            st = add_lists(e, QUERY_REFS_WHOLE, &path, 1, cancel, arena, err);
        } else {
            break;
        }
    }
    return st;
}

// ---- selecting edges ---------------------------------------------------------------------------

// The evidence of an edge that names a method which edge->to overrides.
static const char *why_overriding(edge_search *e, const query_edge *edge, ken_graph_def named)
{
    query_edge at = *edge;
    at.to = named;
    query_bound bound[BOUND_MAX];
    uint32_t n = ken_query__bound_by(e->s, e->g, &at, e->arena, bound, BOUND_MAX);
    for (uint32_t i = 0; i < n; i++)
        if (bound[i].def.file == edge->to.file && bound[i].def.def == edge->to.def)
            return bound[i].evidence;
    if (!n) {
        const char *reason = ken_graph_override_reason(e->g, edge->to);
        return reason ? reason : "names the method that this one overrides";
    }
    return ken_arena_printf(e->arena, "names the method that this one overrides, %s",
                            bound[0].evidence)
        .ptr;
}

// Whether the construction of `type` runs a wanted constructor; sets edge->to.
static bool is_constructed(edge_search *e, query_edge *edge, ken_graph_def type)
{
    const ken_unit_text *u = ken_graph_unit(e->g, edge->file);
    if (!u || edge->ref >= u->refs->n_refs)
        return false;
    ken_graph_def made[MADE_MAX];
    const char *evidence;
    ken_expr_id expr = u->refs->refs[edge->ref].expr;
    uint32_t n = ken_graph_constructed(e->g, edge->file, expr, type, made, MADE_MAX, &evidence);
    const uint64_t *at = NULL;
    for (uint32_t i = 0; i < n && i < MADE_MAX && !at; i++) {
        at = ken_map_find(&e->wanted, query_def_key(&made[i]));
        at = at && *at < e->n_defs ? at : NULL;
    }
    if (!at)
        return false;
    edge->to = e->defs[*at];
    if (n > 1 && edge->class < KEN_EDGE_INFERRED) {
        edge->class = KEN_EDGE_INFERRED;
        edge->evidence = evidence;
    }
    return true;
}

// Whether one of the targets is wanted; sets edge->to.
static bool is_wanted_target(edge_search *e, const query_refs *list, query_edge *edge,
                             const query_ref *r)
{
    for (uint32_t k = 0; k < r->n_targets; k++) {
        const ken_graph_def *d = &list->targets[r->first_target + k];
        const uint64_t *at =
            e->is_there[d->file] ? ken_map_find(&e->wanted, query_def_key(d)) : NULL;
        if (!at)
            continue;
        if (*at >= 2 * (uint64_t)e->n_defs) {
            if ((r->role == KEN_REF_NEW || r->role == KEN_REF_CALL) && is_constructed(e, edge, *d))
                return true;
            continue;
        }
        edge->to = e->defs[*at % e->n_defs];
        if (*at >= e->n_defs) {
            edge->class = KEN_EDGE_INFERRED;
            edge->evidence = why_overriding(e, edge, *d);
        }
        return true;
    }
    return false;
}

// Counts a reference that leads to none of the wanted definitions.
static void note_other(edge_search *e, const query_ref *r)
{
    e->others->n_outside += r->class == KEN_EDGE_EXTERNAL;
    e->others->n_elsewhere += r->n_targets > 0;
}

query_edge ken_query__ref_edge(const query_ref *r)
{
    return (query_edge){ .file = r->file,
                         .ref = r->ref,
                         .within = r->within,
                         .holder = r->holder,
                         .role = (ken_ref_role)r->role,
                         .class = (ken_edge_class)r->class,
                         .to = { UINT32_MAX, 0 },
                         .is_stored = r->is_stored,
                         .evidence = r->evidence };
}

static void choose(edge_search *e, const query_refs *list)
{
    for (uint32_t i = 0; i < list->n_refs; i++) {
        const query_ref *r = &list->refs[i];
        query_edge edge = ken_query__ref_edge(r);
        if (i % CHECK_EVERY == 0 && ken_quota_is_over())
            return;
        if (is_wanted_target(e, list, &edge, r))
            ken_vec_push(e->out, edge);
        else if (r->class == KEN_EDGE_UNRESOLVED && e->unresolved)
            ken_vec_push(e->unresolved, edge);
        else if (e->others)
            note_other(e, r);
    }
}

int ken_query__edge_by_place(const void *a, const void *b)
{
    const query_edge *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->ref > y->ref) - (x->ref < y->ref);
}

// By place, each once, of those from `first` on: a reference may be in the lists of two names.
static void put_in_order(query_edges *edges, size_t first)
{
    if (!edges || edges->len == first)
        return;
    qsort(edges->ptr + first, edges->len - first, sizeof *edges->ptr, ken_query__edge_by_place);
    size_t n = first + 1;
    for (size_t i = first + 1; i < edges->len; i++)
        if (ken_query__edge_by_place(&edges->ptr[i], &edges->ptr[n - 1]) != 0)
            edges->ptr[n++] = edges->ptr[i];
    edges->len = n;
}

static void choose_all(edge_search *e)
{
    size_t n_out = e->out->len, n_unresolved = e->unresolved ? e->unresolved->len : 0;
    for (size_t i = 0; i < e->lists.len; i++)
        choose(e, e->lists.ptr[i]);
    if (e->lists.len < 2)
        return;
    put_in_order(e->out, n_out);
    put_in_order(e->unresolved, n_unresolved);
}

ken_status ken_query__edges_to(ken_snapshot *s, ken_graph *g, const ken_graph_def *defs,
                               uint32_t n_defs, const ken_cancel *cancel, ken_arena *arena,
                               query_edges *out, query_edges *unresolved, ken_err *err)
{
    return ken_query__edges_counted(s, g, defs, n_defs, cancel, arena, out, unresolved, NULL, err);
}

ken_status ken_query__edges_counted(ken_snapshot *s, ken_graph *g, const ken_graph_def *defs,
                                    uint32_t n_defs, const ken_cancel *cancel, ken_arena *arena,
                                    query_edges *out, query_edges *unresolved,
                                    query_other_uses *out_others, ken_err *err)
{
    edge_search e = { .s = s,
                      .g = g,
                      .defs = defs,
                      .n_defs = n_defs,
                      .arena = arena,
                      .out = out,
                      .unresolved = unresolved,
                      .others = out_others };
    ken_map_init(&e.wanted);
    ken_map_init(&e.has_name);
    ken_map_init(&e.has_whole);
    e.is_there = ken_zalloc(s->n_files + (size_t)1);
    ken_query__graph_age(s);
    ken_status st = KEN_OK;
    for (uint32_t i = 0; !st && i < n_defs; i++) { // their overloads may be in many files
        st = ken_cancel_check(cancel, err);
        if (!st)
            add_wanted(&e, i);
    }
    if (!st)
        st = gather_lists(&e, cancel, arena, err);
    if (!st)
        choose_all(&e);
    if (!st)
        st = ken_cancel_check(cancel, err);
    if (st && out->len && ken_quota_settle(st, err))
        st = KEN_OK;
    ken_free(e.is_there);
    ken_map_release(&e.wanted);
    ken_map_release(&e.has_name);
    ken_map_release(&e.has_whole);
    ken_vec_release(&e.names);
    ken_vec_release(&e.wholes);
    ken_vec_release(&e.lists);
    return st;
}

uint32_t ken_query__first_ref(const ken_refs *r, uint32_t byte)
{
    return (uint32_t)KEN_FIRST_U32(ken_ref, byte, r->refs, r->n_refs, byte);
}

void ken_query__edges_from(ken_graph *g, ken_graph_def def, query_edges *out)
{
    const ken_unit_text *u = ken_graph_unit(g, def.file);
    if (!u || def.def >= u->facts->n_symbols)
        return;
    ken_query__edges_in(g, def.file, u->facts->symbols[def.def].span, out);
}

void ken_query__edges_in(ken_graph *g, uint32_t file, ken_span span, query_edges *out)
{
    const ken_unit_text *u = ken_graph_unit(g, file);
    if (!u)
        return;
    for (uint32_t i = ken_query__first_ref(u->refs, span.start);
         i < u->refs->n_refs && u->refs->refs[i].byte < span.end; i++) {
        const ken_ref *r = &u->refs->refs[i];
        ken_targets t;
        ken_graph_resolve_ref(g, file, r, &t);
        for (uint32_t k = 0; k < (t.n ? t.n : 1); k++) {
            query_edge edge = { .file = file,
                                .ref = i,
                                .within = ken_graph_within(g, file, r->byte),
                                .holder = -1,
                                .role = r->role,
                                .class = t.class,
                                .to = t.n ? t.defs[k] : (ken_graph_def){ UINT32_MAX, 0 },
                                .evidence = t.evidence };
            ken_vec_push(out, edge);
        }
    }
}
