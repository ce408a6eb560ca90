// SPDX-License-Identifier: MIT
// What a definition leads to, and what leads to it: calls, constructions, decorations and functions that are handed on,
// with what may run in the place of what is named.
#include <stdlib.h>

#include "query/code/trace_priv.h"

enum {
    OVERRIDERS_MAX = 64,
    CONSTRUCTORS_MAX = 16,
    HELD_MAX = 32
};

static ken_symbol_kind kind_of(query_tracer *t, ken_graph_def d)
{
    const ken_unit_text *u = ken_graph_unit(t->g, d.file);
    return u ? ken_graph_kind(u, d.def) : KEN_SYMBOL_UNKNOWN;
}

static bool leads_on(query_tracer *t, const query_edge *e, ken_graph_def to)
{
    if (query_is_outside(to))
        return (e->role == KEN_REF_CALL || e->role == KEN_REF_NEW) && t->o->wants_external &&
               e->class == KEN_EDGE_EXTERNAL;
    return (t->wants_bases && e->role == KEN_REF_INHERIT) || query_leads_on(e, kind_of(t, to));
}

ken_str ken_query__name_at(query_tracer *t, uint32_t file, uint32_t ref)
{
    const ken_unit_text *u = ken_graph_unit(t->g, file);
    return u ? u->refs->exprs[u->refs->refs[ref].expr].name : KEN_STR("");
}

// The link to that definition, or by that name to what is outside; a new number when there is none.
static size_t link_index(query_tracer *t, const query_edge *e, ken_graph_def to)
{
    if (query_is_outside(to))
        return *ken_map_put(&t->link_out, ken_query__name_at(t, e->file, e->ref), t->links.len,
                            NULL);
    return *ken_map_put(&t->link_to, query_def_key(&to), t->links.len, NULL);
}

void ken_query__clear_links(query_tracer *t)
{
    ken_vec_clear(&t->links);
    ken_map_release(&t->link_to);
    ken_map_release(&t->link_out);
    ken_map_init(&t->link_to);
    ken_map_init(&t->link_out);
}

static bool is_test(const query_tracer *t, ken_graph_def d)
{
    return !query_is_outside(d) && ken_query__is_test_def(t->s, t->g, d);
}

static double weight_of(query_tracer *t, ken_graph_def d)
{
    const ken_unit_text *u = query_is_outside(d) ? NULL : ken_graph_unit(t->g, d.file);
    if (!u || d.def >= u->facts->n_symbols)
        return 0;
    const ken_symbol *s = &u->facts->symbols[d.def];
    double lines = s->last_line - s->first_line + 1;
    return (lines > 200 ? 200 : lines) * (is_test(t, d) ? 0.1 : 1);
}

static void add_link(query_tracer *t, const query_edge *e, ken_graph_def to, ken_edge_class class,
                     const char *evidence)
{
    size_t at = link_index(t, e, to);
    if (at < t->links.len) {
        query_link *known = &t->links.ptr[at];
        known->n_sites++;
        if (class < known->class) {
            known->class = class;
            known->evidence = evidence;
        }
        return;
    }
    query_link l = { .to = to,
                     .class = class,
                     .role = e->role,
                     .file = e->file,
                     .ref = e->ref,
                     .n_sites = 1,
                     .order = (uint32_t)t->links.len,
                     .weight = weight_of(t, to),
                     .evidence = evidence };
    if (query_is_outside(to))
        l.name = ken_query__name_at(t, e->file, e->ref);
    ken_vec_push(&t->links, l);
}

// A method that others override may be any of them, and is the one that a container binds.
static void add_overriders(query_tracer *t, const query_edge *e)
{
    query_bound bound[OVERRIDERS_MAX];
    uint32_t n_bound = ken_query__bound_by(t->s, t->g, e, t->arena, bound, OVERRIDERS_MAX);
    for (uint32_t i = 0; i < n_bound; i++)
        add_link(t, e, bound[i].def, KEN_EDGE_INFERRED, bound[i].evidence);
    if (n_bound)
        return;
    ken_graph_def over[OVERRIDERS_MAX];
    uint32_t n = ken_graph_overriders(t->g, e->to, over, OVERRIDERS_MAX);
    for (uint32_t i = 0; i < n; i++) {
        const char *reason = ken_graph_override_reason(t->g, over[i]);
        add_link(t, e, over[i], KEN_EDGE_INFERRED,
                 reason ? reason : "overrides the method that is named");
    }
}

// A field or table that holds functions leads to any of them.
static void add_held(query_tracer *t, const query_edge *e)
{
    ken_graph_def held[HELD_MAX];
    uint32_t n = ken_query__held_by(t->s, t->g, e, t->arena, held, HELD_MAX);
    bool is_call = e->role == KEN_REF_CALL;
    for (uint32_t i = 0; i < n; i++)
        add_link(t, e, held[i], KEN_EDGE_INFERRED,
                 is_call ? "put into the field that is called" : "is in the table that is read");
}

// Calls in a type's own body belong to it; those in its methods and inner types do not.
static bool is_run_by(const ken_facts *f, ken_def_id type, int64_t within)
{
    for (int64_t at = within; at >= 0 && at != (int64_t)type; at = f->symbols[at].parent)
        if (ken_symbol_is_callable(f->symbols[at].kind) || ken_symbol_is_type(f->symbols[at].kind))
            return false;
    return true;
}

// Leaves what constructing the type runs, constructors apart.
static void keep_own(query_tracer *t, ken_graph_def type)
{
    const ken_unit_text *u = ken_graph_unit(t->g, type.file);
    size_t n = 0;
    for (size_t i = 0; u && i < t->edges.len; i++)
        if (is_run_by(u->facts, type.def, t->edges.ptr[i].within))
            t->edges.ptr[n++] = t->edges.ptr[i];
    t->edges.len = n;
}

static void add_constructors(query_tracer *t, ken_graph_def type)
{
    ken_graph_def found[CONSTRUCTORS_MAX];
    uint32_t n = ken_graph_constructors(t->g, type, found, CONSTRUCTORS_MAX);
    for (uint32_t i = 0; i < n; i++) {
        query_edge e = { .file = found[i].file, .ref = UINT32_MAX, .role = KEN_REF_CALL };
        bool is_own = found[i].file == type.file;
        add_link(t, &e, found[i],
                 n > 1    ? KEN_EDGE_INFERRED
                 : is_own ? KEN_EDGE_EXACT
                          : KEN_EDGE_IMPORTED,
                 n > 1 ? "one of several constructors" : NULL);
    }
}

// Whether a later node is an overload of the same name at the same place.
static bool is_restated(query_tracer *t, size_t i)
{
    const query_edge *e = &t->edges.ptr[i];
    for (size_t k = i + 1; k < t->edges.len && t->edges.ptr[k].ref == e->ref; k++)
        if (!query_is_outside(e->to) && ken_graph_is_restated(t->g, e->to, t->edges.ptr[k].to))
            return true;
    return false;
}

static void find_callees(query_tracer *t, ken_graph_def def, uint32_t *out_unresolved)
{
    ken_vec_clear(&t->edges);
    ken_query__edges_from(t->g, def, &t->edges);
    if (ken_symbol_is_type(kind_of(t, def))) {
        keep_own(t, def);
        add_constructors(t, def);
    }
    for (size_t i = 0; i < t->edges.len && !ken_quota_is_over(); i++) {
        const query_edge *e = &t->edges.ptr[i];
        if (is_restated(t, i))
            continue;
        *out_unresolved += e->class == KEN_EDGE_UNRESOLVED && e->role == KEN_REF_CALL;
        if (!leads_on(t, e, e->to) ||
            (e->to.file == def.file && e->to.def == def.def && e->role == KEN_REF_READ)) {
            add_held(t, e);
            continue;
        }
        bool is_passed = e->role == KEN_REF_READ;
        add_link(t, e, e->to, is_passed ? KEN_EDGE_INFERRED : e->class,
                 is_passed ? "handed on as a value" : e->evidence);
        if (!query_is_outside(e->to) && !is_passed)
            add_overriders(t, e);
        add_held(t, e);
    }
}

static ken_status find_callers(query_tracer *t, ken_graph_def def, uint32_t *out_unresolved,
                               ken_err *err)
{
    ken_vec_clear(&t->edges);
    ken_vec_clear(&t->unresolved);
    ken_status st = ken_query__edges_to(t->s, t->g, &def, 1, t->cancel, t->arena, &t->edges,
                                        &t->unresolved, err);
    if (!st)
        st = ken_query__edges_through(t->s, t->g, t->cancel, t->arena, &t->edges, err);
    t->n_usages = 0;
    for (size_t i = 0; !st && i < t->edges.len; i++) {
        const query_edge *e = &t->edges.ptr[i];
        st = ken_cancel_check(t->cancel, err);
        t->n_usages += t->o->tests != (ken_query__is_test_at(t->s, t->g, e->file, e->within)
                                           ? KEN_TESTS_EXCLUDE
                                           : KEN_TESTS_ONLY);
        if (!leads_on(t, e, def) || e->within < 0)
            continue;
        bool is_passed = e->role == KEN_REF_READ;
        add_link(t, e, (ken_graph_def){ e->file, (ken_def_id)e->within },
                 is_passed ? KEN_EDGE_INFERRED : e->class,
                 is_passed ? "hands it on as a value" : e->evidence);
    }
    *out_unresolved += (uint32_t)t->unresolved.len;
    return st;
}

static void leave_out_tests(query_tracer *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->links.len; i++)
        if (!is_test(t, t->links.ptr[i].to))
            t->links.ptr[n++] = t->links.ptr[i];
    t->links.len = n;
}

ken_status ken_query__find_links(query_tracer *t, ken_graph_def def, uint32_t *out_unresolved,
                                 ken_err *err)
{
    ken_query__clear_links(t);
    ken_status st = ken_cancel_check(t->cancel, err);
    if (!st && t->o->direction == KEN_TRACE_CALLERS)
        st = find_callers(t, def, out_unresolved, err);
    else if (!st)
        find_callees(t, def, out_unresolved);
    if (t->o->tests == KEN_TESTS_EXCLUDE)
        leave_out_tests(t);
    if (!st)
        st = ken_quota_check(err);
    return st;
}

// ---- places ------------------------------------------------------------------------------------

static void read_lines(query_tracer *t, uint32_t file)
{
    query_text text;
    t->lines_of = file;
    t->n_lines = 0;
    if (ken_query__load_text(t->s, file, t->arena, &text, NULL))
        return;
    bool is_read = ken_query__need_text(&text);
    ken_query__close_text(&text);
    if (!is_read)
        return;
    t->n_lines = ken_line_starts(text.text, NULL, 0);
    t->starts = KEN_ARENA_ARRAY(t->arena, uint32_t, t->n_lines + 1);
    ken_line_starts(text.text, t->starts, t->n_lines);
}

uint32_t ken_query__line_of_site(query_tracer *t, const query_link *l)
{
    const ken_unit_text *u = ken_graph_unit(t->g, l->file);
    if (l->ref == UINT32_MAX)
        return u && l->to.def < u->facts->n_symbols ? u->facts->symbols[l->to.def].first_line : 0;
    if (t->lines_of != l->file)
        read_lines(t, l->file);
    return u && t->n_lines ? ken_line_of(t->starts, t->n_lines, u->refs->refs[l->ref].byte) : 0;
}
