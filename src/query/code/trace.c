// SPDX-License-Identifier: MIT
// trace_execution: what is called from an entry, or who leads to it, level by level; and the
// shortest way from one definition to another.
//
// Levels are worked out breadth first, so that a bound on the number of steps cuts the deepest
// ones, and put into pre-order at the end.
#include <stdlib.h>

#include "base/map.h"
#include "query/query_graph_priv.h"

enum {
    DEPTH_DEFAULT = 3,
    DEPTH_MAX = 10,
    NODES_DEFAULT = 100,
    NODES_MAX = 1000,
    BRANCH_DEFAULT = 12,
    PATH_NODES_MAX = 4000, // definitions visited in the search for a path
    EXTERNAL_MAX = 64,
    OVERRIDERS_MAX = 64,
    STOPS_MAX = 256, // calls noted that lead no further
    STOPS_SHOWN = 3,
    CONSTRUCTORS_MAX = 16,
    HELD_MAX = 32
};

// All edges from one definition to another.
typedef struct link {
    ken_graph_def to;
    ken_str name; // of what is outside
    ken_edge_class class;
    ken_ref_role role;
    uint32_t file, ref; // of the first site; ref UINT32_MAX = no name leads there
    uint32_t n_sites, order;
    double weight; // what is cut last
    const char *evidence;
} link;

typedef KEN_VEC(link) links;

typedef struct tracer {
    ken_snapshot *s;
    ken_graph *g;
    const ken_trace_opts *o;
    const ken_cancel *cancel;
    ken_arena *arena;
    KEN_VEC(ken_trace_step) steps;
    ken_map seen; // definition -> step
    query_edges edges, unresolved;
    size_t n_usages; // places that the last question about callers found
    links links;
    ken_map link_to, link_out; // definition, or name of what is outside -> index into links
    uint32_t lines_of; // file whose lines are at hand: calls of one function are in one file
    uint32_t *starts, n_lines;
} tracer;

static ken_symbol_kind kind_of(tracer *t, ken_graph_def d)
{
    const ken_unit_text *u = ken_graph_unit(t->g, d.file);
    return u ? ken_graph_kind(u, d.def) : KEN_SYMBOL_UNKNOWN;
}

static bool leads_on(tracer *t, const query_edge *e, ken_graph_def to)
{
    if (query_is_outside(to))
        return (e->role == KEN_REF_CALL || e->role == KEN_REF_NEW) && t->o->wants_external &&
               e->class == KEN_EDGE_EXTERNAL;
    return query_leads_on(e, kind_of(t, to));
}

static ken_str name_at(tracer *t, uint32_t file, uint32_t ref)
{
    const ken_unit_text *u = ken_graph_unit(t->g, file);
    return u ? u->refs->exprs[u->refs->refs[ref].expr].name : KEN_STR("");
}

// The link to that definition, or by that name to what is outside; a new number when there is none.
static size_t link_index(tracer *t, const query_edge *e, ken_graph_def to)
{
    if (query_is_outside(to))
        return *ken_map_put(&t->link_out, name_at(t, e->file, e->ref), t->links.len, NULL);
    return *ken_map_put(&t->link_to, query_def_key(&to), t->links.len, NULL);
}

static void clear_links(tracer *t)
{
    ken_vec_clear(&t->links);
    ken_map_release(&t->link_to);
    ken_map_release(&t->link_out);
    ken_map_init(&t->link_to);
    ken_map_init(&t->link_out);
}

static bool is_test(const tracer *t, ken_graph_def d)
{
    return !query_is_outside(d) && ken_query__is_test(t->s, d.file);
}

static double weight_of(tracer *t, ken_graph_def d)
{
    const ken_unit_text *u = query_is_outside(d) ? NULL : ken_graph_unit(t->g, d.file);
    if (!u || d.def >= u->facts->n_symbols)
        return 0;
    const ken_symbol *s = &u->facts->symbols[d.def];
    double lines = s->last_line - s->first_line + 1;
    return (lines > 200 ? 200 : lines) * (is_test(t, d) ? 0.1 : 1);
}

static void add_link(tracer *t, const query_edge *e, ken_graph_def to, ken_edge_class class,
                     const char *evidence)
{
    size_t at = link_index(t, e, to);
    if (at < t->links.len) {
        link *known = &t->links.ptr[at];
        known->n_sites++;
        if (class < known->class) {
            known->class = class;
            known->evidence = evidence;
        }
        return;
    }
    link l = { .to = to,
               .class = class,
               .role = e->role,
               .file = e->file,
               .ref = e->ref,
               .n_sites = 1,
               .order = (uint32_t)t->links.len,
               .weight = weight_of(t, to),
               .evidence = evidence };
    if (query_is_outside(to))
        l.name = name_at(t, e->file, e->ref);
    ken_vec_push(&t->links, l);
}

// A method that others override may be any of them, and is the one that a container binds.
static void add_overriders(tracer *t, const query_edge *e)
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
static void add_held(tracer *t, const query_edge *e)
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
static void keep_own(tracer *t, ken_graph_def type)
{
    const ken_unit_text *u = ken_graph_unit(t->g, type.file);
    size_t n = 0;
    for (size_t i = 0; u && i < t->edges.len; i++)
        if (is_run_by(u->facts, type.def, t->edges.ptr[i].within))
            t->edges.ptr[n++] = t->edges.ptr[i];
    t->edges.len = n;
}

static void add_constructors(tracer *t, ken_graph_def type)
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
static bool is_restated(tracer *t, size_t i)
{
    const query_edge *e = &t->edges.ptr[i];
    for (size_t k = i + 1; k < t->edges.len && t->edges.ptr[k].ref == e->ref; k++)
        if (!query_is_outside(e->to) && ken_graph_is_restated(t->g, e->to, t->edges.ptr[k].to))
            return true;
    return false;
}

static void find_callees(tracer *t, ken_graph_def def, uint32_t *out_unresolved)
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

static ken_status find_callers(tracer *t, ken_graph_def def, uint32_t *out_unresolved, ken_err *err)
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
        t->n_usages +=
            t->o->tests != (ken_query__is_test(t->s, e->file) ? KEN_TESTS_EXCLUDE : KEN_TESTS_ONLY);
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

static void leave_out_tests(tracer *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->links.len; i++)
        if (!is_test(t, t->links.ptr[i].to))
            t->links.ptr[n++] = t->links.ptr[i];
    t->links.len = n;
}

static ken_status find_links(tracer *t, ken_graph_def def, uint32_t *out_unresolved, ken_err *err)
{
    clear_links(t);
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

// ---- trees -------------------------------------------------------------------------------------

static int by_weight(const void *a, const void *b)
{
    const link *x = a, *y = b;
    if (query_is_outside(x->to) != query_is_outside(y->to))
        return query_is_outside(x->to) ? 1 : -1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static int by_order(const void *a, const void *b)
{
    const link *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

// Keeps the most relevant, in the order in which they stand in the text. Returns how many went.
static uint32_t cut(tracer *t)
{
    bool is_flat = t->o->max_depth == 1; // nothing else needs the room
    if (t->o->tests == KEN_TESTS_ONLY)   // what leads to no test goes at the end
        return 0;
    uint32_t n_nodes = t->o->max_nodes ? t->o->max_nodes : NODES_DEFAULT;
    uint32_t most = t->o->max_branch ? t->o->max_branch : is_flat ? n_nodes : BRANCH_DEFAULT;
    uint32_t n_cut = t->links.len > most ? (uint32_t)t->links.len - most : 0;
    if (n_cut) {
        qsort(t->links.ptr, t->links.len, sizeof *t->links.ptr, by_weight);
        t->links.len = most;
        qsort(t->links.ptr, t->links.len, sizeof *t->links.ptr, by_order);
    }
    return n_cut;
}

static bool is_above(const tracer *t, int32_t step, int32_t wanted)
{
    for (; step >= 0; step = t->steps.ptr[step].parent)
        if (step == wanted)
            return true;
    return false;
}

static void read_lines(tracer *t, uint32_t file)
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

static uint32_t line_of_site(tracer *t, const link *l)
{
    const ken_unit_text *u = ken_graph_unit(t->g, l->file);
    if (l->ref == UINT32_MAX)
        return u && l->to.def < u->facts->n_symbols ? u->facts->symbols[l->to.def].first_line : 0;
    if (t->lines_of != l->file)
        read_lines(t, l->file);
    return u && t->n_lines ? ken_line_of(t->starts, t->n_lines, u->refs->refs[l->ref].byte) : 0;
}

static void push_step(tracer *t, int32_t parent, const link *l)
{
    uint32_t depth = parent >= 0 ? t->steps.ptr[parent].depth + 1 : 0;
    ken_trace_step step = { .parent = parent, .depth = depth, .seen_at = -1 };
    if (l) {
        step.class = l->class;
        step.role = l->role;
        step.site_path = t->s->rows[l->file].path;
        step.site_line = line_of_site(t, l);
        step.n_sites = l->n_sites;
        step.evidence = ken_query__evidence(t->arena, l->evidence);
        if (query_is_outside(l->to)) {
            step.node.id = l->to;
            step.node.name = step.node.qualified = ken_arena_dup(t->arena, l->name);
        } else if (!ken_query__graph_node(t->s, l->to, t->arena, &step.node)) {
            return;
        }
    }
    ken_vec_push(&t->steps, step);
}

// Marks what was met before; false when nothing of it is to be followed.
static bool is_first(tracer *t, int32_t step)
{
    ken_trace_step *s = &t->steps.ptr[step];
    if (query_is_outside(s->node.id))
        return false;
    bool is_new;
    uint64_t *at = ken_map_put(&t->seen, query_def_key(&s->node.id), (uint64_t)step, &is_new);
    if (is_new)
        return true;
    s->seen_at = (int32_t)*at;
    s->is_cycle = is_above(t, s->parent, s->seen_at);
    return false;
}

static ken_status grow(tracer *t, uint32_t max_depth, uint32_t max_nodes, ken_trace *out,
                       ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < t->steps.len; i++) {
        if (!is_first(t, (int32_t)i) || t->steps.ptr[i].depth >= max_depth)
            continue;
        uint32_t n_unresolved = 0;
        st = find_links(t, t->steps.ptr[i].node.id, &n_unresolved, err);
        if (t->steps.len > 1 && ken_quota_settle(st, err))
            st = KEN_OK;
        t->steps.ptr[i].n_unresolved = n_unresolved;
        if (i == 0) {
            out->n_direct = t->links.len;
            out->n_usages = t->n_usages;
        }
        t->steps.ptr[i].n_cut = cut(t);
        for (size_t k = 0; !st && k < t->links.len; k++) {
            if (t->steps.len >= max_nodes) {
                t->steps.ptr[i].n_cut += (uint32_t)(t->links.len - k);
                out->is_truncated = true;
                break;
            }
            push_step(t, (int32_t)i, &t->links.ptr[k]);
        }
        if (!st && ken_quota_is_settled()) {
            out->is_truncated = true;
            break;
        }
    }
    if (!st && ken_quota_is_settled() && t->steps.len == 1)
        st = ken_quota_fail_empty(err);
    return st;
}

// Which steps are tests or lead to one; a step that was shown before leads where that one leads.
static bool *mark_leading(const tracer *t)
{
    bool *leads = KEN_ARENA_ARRAY(t->arena, bool, t->steps.len + 1), is_changed = true;
    for (size_t i = 0; i < t->steps.len; i++)
        leads[i] = i && t->steps.ptr[i].node.is_test;
    while (is_changed) {
        is_changed = false;
        for (size_t i = t->steps.len; i-- > 0;) {
            const ken_trace_step *s = &t->steps.ptr[i];
            bool is_new = !leads[i] && s->seen_at >= 0 && leads[s->seen_at];
            leads[i] = leads[i] || is_new;
            bool is_parent_new = leads[i] && s->parent >= 0 && !leads[s->parent];
            if (is_parent_new)
                leads[s->parent] = true;
            is_changed = is_changed || is_new || is_parent_new;
        }
    }
    return leads;
}

// Leaves the entry, tests and what leads to them, at most so many steps.
static void keep_leading(tracer *t, uint32_t max_nodes, ken_trace *out)
{
    const bool *leads = mark_leading(t);
    int32_t *place = KEN_ARENA_ARRAY(t->arena, int32_t, t->steps.len + 1);
    uint32_t n = 0;
    out->n_direct = 0;
    for (size_t i = 0; i < t->steps.len; i++) {
        ken_trace_step s = t->steps.ptr[i]; // parents and what was seen before come first
        bool is_kept = (!i || leads[i]) && (s.parent < 0 || place[s.parent] >= 0);
        out->n_direct += i && is_kept && !s.parent;
        place[i] = -1;
        if (is_kept && n >= max_nodes) {
            t->steps.ptr[place[s.parent]].n_cut++;
            out->is_truncated = true;
            continue;
        }
        if (!is_kept)
            continue;
        s.parent = s.parent >= 0 ? place[s.parent] : -1;
        s.seen_at = s.seen_at >= 0 ? place[s.seen_at] : -1;
        place[i] = (int32_t)n;
        t->steps.ptr[n++] = s;
    }
    t->steps.len = n;
}

// Steps come level by level; answers show each above what it leads to.
static void put_in_order(tracer *t, ken_trace *out)
{
    uint32_t n = (uint32_t)t->steps.len, n_out = 0; // at most max_nodes
    int32_t *first = KEN_ARENA_ARRAY(t->arena, int32_t, n + 1);
    int32_t *next = KEN_ARENA_ARRAY(t->arena, int32_t, n + 1);
    int32_t *place = KEN_ARENA_ARRAY(t->arena, int32_t, n + 1);
    int32_t *stack = KEN_ARENA_ARRAY(t->arena, int32_t, n + 1), top = 0;
    for (size_t i = 0; i < n; i++)
        first[i] = -1;
    for (size_t i = n; i-- > 1;) {
        next[i] = first[t->steps.ptr[i].parent];
        first[t->steps.ptr[i].parent] = (int32_t)i;
    }
    out->steps = KEN_ARENA_ARRAY(t->arena, ken_trace_step, n + 1);
    if (n)
        stack[top++] = 0;
    next[0] = -1;
    while (top) {
        int32_t i = stack[--top];
        place[i] = (int32_t)n_out;
        out->steps[n_out++] = t->steps.ptr[i];
        if (next[i] >= 0)
            stack[top++] = next[i];
        if (first[i] >= 0)
            stack[top++] = first[i];
    }
    for (size_t i = 0; i < n_out; i++) {
        ken_trace_step *s = &out->steps[i];
        s->parent = s->parent >= 0 ? place[s->parent] : -1;
        s->seen_at = s->seen_at >= 0 ? place[s->seen_at] : -1;
    }
    out->n_steps = n_out;
}

// ---- ways --------------------------------------------------------------------------------------

typedef struct way_node {
    ken_graph_def def;
    int32_t from; // index of the node before
    link link;    // that led here
} way_node;

typedef KEN_VEC(way_node) way_nodes;

// A call that leads no further.
typedef struct stop {
    uint32_t file, ref;
    int64_t within;
    bool is_interface, is_likely; // the last: it is called like the goal
} stop;

typedef struct stops {
    KEN_VEC(stop) items; // the nearest first
    size_t n_total;
    ken_str goal;
} stops;

static bool is_interface(const ken_unit_text *u, int32_t owner)
{
    return owner >= 0 && ken_graph_kind(u, (ken_def_id)owner) == KEN_SYMBOL_INTERFACE;
}

// ---- where a way is lost -----------------------------------------------------------------------

// An abstract method that leads nowhere else.
static bool is_dead_end(tracer *t, const query_edge *e)
{
    const ken_unit_text *u = query_is_outside(e->to) ? NULL : ken_graph_unit(t->g, e->to.file);
    ken_graph_def over;
    return u && e->to.def < u->refs->n_defs && e->role == KEN_REF_CALL &&
           ((u->refs->defs[e->to.def].flags & KEN_DEF_ABSTRACT) ||
            is_interface(u, ken_graph_owner(u, e->to.def))) &&
           !ken_graph_overriders(t->g, e->to, &over, 1);
}

// Notes the calls of a definition, whose edges were found last, that lead no further.
static void note_stops(tracer *t, stops *found)
{
    const query_edges *edges = t->o->direction == KEN_TRACE_CALLERS ? &t->unresolved : &t->edges;
    for (size_t i = 0; i < edges->len && !ken_quota_is_over(); i++) {
        const query_edge *e = &edges->ptr[i];
        bool is_unknown = e->class == KEN_EDGE_UNRESOLVED && e->role == KEN_REF_CALL;
        bool is_interface = !is_unknown && is_dead_end(t, e);
        if (!is_unknown && !is_interface)
            continue;
        found->n_total++;
        bool is_likely = ken_str_eq(name_at(t, e->file, e->ref), found->goal);
        stop s = { e->file, e->ref, e->within, is_interface, is_likely };
        if (found->items.len < STOPS_MAX)
            ken_vec_push(&found->items, s);
        else if (is_likely) // the one noted last is the farthest away
            found->items.ptr[STOPS_MAX - 1] = s;
    }
}

static ken_trace_stop show_stop(tracer *t, const stop *s)
{
    link at = { .file = s->file, .ref = s->ref };
    ken_trace_stop out = { .path = t->s->rows[s->file].path,
                           .line = line_of_site(t, &at),
                           .name = ken_arena_dup(t->arena, name_at(t, s->file, s->ref)),
                           .is_interface = s->is_interface };
    ken_graph_node node;
    if (s->within >= 0 &&
        ken_query__graph_name(t->s, (ken_graph_def){ s->file, (ken_def_id)s->within }, t->arena,
                              &node))
        out.within = node.qualified;
    return out;
}

// Calls by the name of the goal first, then the nearest.
static void show_stops(tracer *t, const stops *found, ken_trace *out)
{
    out->stops = KEN_ARENA_ARRAY(t->arena, ken_trace_stop, STOPS_SHOWN);
    out->n_stops_total = found->n_total;
    for (int likely = 1; likely >= 0; likely--)
        for (size_t i = 0; i < found->items.len && out->n_stops < STOPS_SHOWN; i++)
            if (found->items.ptr[i].is_likely == likely)
                out->stops[out->n_stops++] = show_stop(t, &found->items.ptr[i]);
}

static void show_way(tracer *t, const way_nodes *nodes, size_t last)
{
    size_t way[DEPTH_MAX + 2], n = 0;
    for (int32_t i = (int32_t)last; i > 0 && n <= DEPTH_MAX; i = nodes->ptr[i].from)
        way[n++] = (size_t)i;
    while (n--)
        push_step(t, (int32_t)t->steps.len - 1, &nodes->ptr[way[n]].link);
}

static ken_status find_way(tracer *t, const ken_graph_nodes *goals, uint32_t max_depth,
                           ken_trace *out, ken_err *err)
{
    way_nodes nodes = { 0 };
    ken_vec_push(&nodes, ((way_node){ .def = t->steps.ptr[0].node.id, .from = -1 }));
    ken_map_put(&t->seen, query_def_key(&nodes.ptr[0].def), 0, NULL);
    KEN_VEC(uint32_t) depths = { 0 };
    stops lost = { .goal = goals->n ? goals->nodes[0].name : KEN_STR("") };
    ken_vec_push(&depths, 0);
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && !out->has_path && !ken_quota_is_settled() && i < nodes.len &&
                       nodes.len < PATH_NODES_MAX;
         i++) {
        uint32_t n_unresolved = 0;
        if (depths.ptr[i] >= max_depth)
            break;
        st = find_links(t, nodes.ptr[i].def, &n_unresolved, err);
        if (!st)
            note_stops(t, &lost);
        for (size_t k = 0; !st && !out->has_path && k < t->links.len; k++) {
            const link *l = &t->links.ptr[k];
            bool is_new;
            if (query_is_outside(l->to))
                continue;
            ken_map_put(&t->seen, query_def_key(&l->to), 0, &is_new);
            if (!is_new)
                continue;
            ken_vec_push(&nodes, ((way_node){ l->to, (int32_t)i, *l }));
            ken_vec_push(&depths, depths.ptr[i] + 1);
            for (size_t w = 0; w < goals->n; w++)
                out->has_path = out->has_path || (goals->nodes[w].id.file == l->to.file &&
                                                  goals->nodes[w].id.def == l->to.def);
        }
    }
    if (!st && !out->has_path && ken_quota_is_settled())
        st = ken_quota_fail_empty(err);
    if (out->has_path)
        show_way(t, &nodes, nodes.len - 1);
    else if (!st)
        show_stops(t, &lost, out);
    ken_vec_release(&lost.items);
    ken_vec_release(&nodes);
    ken_vec_release(&depths);
    return st;
}

// ---- the question ------------------------------------------------------------------------------

static ken_status check(const ken_trace_opts *o, ken_err *err)
{
    if (o->max_depth > DEPTH_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "max_depth: expected 1 to %d, got %u", DEPTH_MAX,
                        o->max_depth);
    if (o->max_nodes > NODES_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "max_nodes: expected 1 to %d, got %u", NODES_MAX,
                        o->max_nodes);
    if (o->to.len && o->tests == KEN_TESTS_ONLY)
        return KEN_FAIL(err, KEN_EINVAL,
                        "tests: 'only' is for trees; for a path to a test name it with 'to'");
    return KEN_OK;
}

static ken_status trace(tracer *t, const ken_graph_nodes *entries, ken_trace *out, ken_err *err)
{
    push_step(t, -1, NULL);
    t->steps.ptr[0].node = entries->nodes[0];
    out->others = KEN_ARENA_ARRAY(t->arena, ken_graph_node, entries->n);
    for (size_t i = 1; i < entries->n; i++)
        if (ken_query__is_choice(entries, i))
            out->others[out->n_others++] = entries->nodes[i];
    uint32_t depth = t->o->max_depth ? t->o->max_depth : t->o->to.len ? DEPTH_MAX : DEPTH_DEFAULT;
    uint32_t max_nodes = t->o->max_nodes ? t->o->max_nodes : NODES_DEFAULT;
    bool is_only = t->o->tests == KEN_TESTS_ONLY;
    ken_status st = KEN_OK;
    if (!t->o->to.len) {
        st = grow(t, depth, is_only ? NODES_MAX : max_nodes, out, err);
        if (!st && is_only)
            keep_leading(t, max_nodes, out);
        return st;
    }
    ken_graph_nodes goals;
    st = ken_graph_find(t->s, t->o->to, KEN_STR(""), 0, t->arena, &goals, err);
    return st ? st : find_way(t, &goals, depth, out, err);
}

ken_status ken_trace_execution(ken_snapshot *s, const ken_trace_opts *o, const ken_cancel *cancel,
                               ken_arena *arena, ken_trace *out, ken_err *err)
{
    *out = (ken_trace){ 0 };
    tracer t = { .s = s, .o = o, .cancel = cancel, .arena = arena, .lines_of = UINT32_MAX };
    ken_graph_nodes entries;
    ken_quota_offer_part();
    ken_status st = check(o, err);
    if (!st)
        st = ken_graph_find(s, o->entry, o->file_hint, 0, arena, &entries, err);
    if (!st)
        st = ken_query__graph_open(s, &t.g, err);
    if (st)
        return st;
    out->missed_scope = entries.missed_scope;
    ken_map_init(&t.seen);
    ken_map_init(&t.link_to);
    ken_map_init(&t.link_out);
    st = trace(&t, &entries, out, err);
    if (!st && o->direction == KEN_TRACE_CALLERS)
        st = ken_query__note_damaged(s, t.g, entries.nodes[0].id, cancel, arena, err);
    if (!st)
        put_in_order(&t, out);
    ken_map_release(&t.seen);
    ken_vec_release(&t.steps);
    ken_vec_release(&t.edges);
    ken_vec_release(&t.unresolved);
    clear_links(&t);
    ken_vec_release(&t.links);
    ken_map_release(&t.link_to);
    ken_map_release(&t.link_out);
    return st;
}
