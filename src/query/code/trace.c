// SPDX-License-Identifier: MIT
// trace_execution: what is called from an entry, or who leads to it, level by level; and the
// shortest way from one definition to another.
//
// Levels are worked out breadth first, so that a bound on the number of steps cuts the deepest
// ones, and put into pre-order at the end.
#include <stdlib.h>

#include "query/code/trace_priv.h"

enum {
    DEPTH_DEFAULT = 3,
    DEPTH_MAX = 10,
    NODES_DEFAULT = 100,
    NODES_MAX = 1000,
    BRANCH_DEFAULT = 12,
    PATH_NODES_MAX = 20000, // definitions visited in the search for a path
    PATH_DEPTH_MAX = 64,    // calls of one, unless fewer are asked for
    EXTERNAL_MAX = 64,
    STOPS_MAX = 256, // calls noted that lead no further
    STOPS_SHOWN = 3
};

// ---- trees -------------------------------------------------------------------------------------

static int by_weight(const void *a, const void *b)
{
    const query_link *x = a, *y = b;
    if (query_is_outside(x->to) != query_is_outside(y->to))
        return query_is_outside(x->to) ? 1 : -1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static int by_order(const void *a, const void *b)
{
    const query_link *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

// Keeps the most relevant, in the order in which they stand in the text. Returns how many went.
static uint32_t cut(query_tracer *t)
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

static bool is_above(const query_tracer *t, int32_t step, int32_t wanted)
{
    for (; step >= 0; step = t->steps.ptr[step].parent)
        if (step == wanted)
            return true;
    return false;
}

static void push_step(query_tracer *t, int32_t parent, const query_link *l)
{
    uint32_t depth = parent >= 0 ? t->steps.ptr[parent].depth + 1 : 0;
    ken_trace_step step = { .parent = parent, .depth = depth, .seen_at = -1 };
    if (l) {
        step.class = l->class;
        step.role = l->role;
        step.site_path = t->s->rows[l->file].path;
        step.site_line = ken_query__line_of_site(t, l);
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
static bool is_first(query_tracer *t, int32_t step)
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

static ken_status grow(query_tracer *t, uint32_t max_depth, uint32_t max_nodes, ken_trace *out,
                       ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < t->steps.len; i++) {
        if (!is_first(t, (int32_t)i) || t->steps.ptr[i].depth >= max_depth)
            continue;
        uint32_t n_unresolved = 0;
        st = ken_query__find_links(t, t->steps.ptr[i].node.id, &n_unresolved, err);
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
static bool *mark_leading(const query_tracer *t)
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
static void keep_leading(query_tracer *t, uint32_t max_nodes, ken_trace *out)
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
static void put_in_order(query_tracer *t, ken_trace *out)
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
    int32_t from;    // index of the node before
    query_link link; // that led here
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
    ken_map names; // that were met -> nothing in the tree has them
} stops;

static bool is_interface(const ken_unit_text *u, int32_t owner)
{
    return owner >= 0 && ken_graph_kind(u, (ken_def_id)owner) == KEN_SYMBOL_INTERFACE;
}

// ---- where a way is lost -----------------------------------------------------------------------

// An abstract method that leads nowhere else.
static bool is_dead_end(query_tracer *t, const query_edge *e)
{
    const ken_unit_text *u = query_is_outside(e->to) ? NULL : ken_graph_unit(t->g, e->to.file);
    ken_graph_def over;
    return u && e->to.def < u->refs->n_defs && e->role == KEN_REF_CALL &&
           ((u->refs->defs[e->to.def].flags & KEN_DEF_ABSTRACT) ||
            is_interface(u, ken_graph_owner(u, e->to.def))) &&
           !ken_graph_overriders(t->g, e->to, &over, 1);
}

// A plain name that nothing in the tree is called: `calloc`. What a variable holds is another thing.
static bool leads_out(query_tracer *t, stops *found, const query_edge *e)
{
    const ken_unit_text *u = ken_graph_unit(t->g, e->file);
    if (!u || e->ref >= u->refs->n_refs)
        return false;
    const ken_expr *x = &u->refs->exprs[u->refs->refs[e->ref].expr];
    if (x->op != KEN_EXPR_NAME)
        return false;
    bool is_new;
    uint64_t *is_outside = ken_map_put(&found->names, x->name, 0, &is_new);
    if (is_new) {
        query_names names = { 0 };
        ken_status st = ken_query__names_equal(t->s, x->name, t->arena, &names, NULL);
        *is_outside = !st && !names.len;
        ken_vec_release(&names);
    }
    return *is_outside;
}

// Notes the calls of a definition, whose edges were found last, that lead no further.
static void note_stops(query_tracer *t, stops *found)
{
    const query_edges *edges = t->o->direction == KEN_TRACE_CALLERS ? &t->unresolved : &t->edges;
    for (size_t i = 0; i < edges->len && !ken_quota_is_over(); i++) {
        const query_edge *e = &edges->ptr[i];
        bool is_unknown =
            e->class == KEN_EDGE_UNRESOLVED && e->role == KEN_REF_CALL && !leads_out(t, found, e);
        bool is_interface = !is_unknown && is_dead_end(t, e);
        if (!is_unknown && !is_interface)
            continue;
        found->n_total++;
        bool is_likely = ken_str_eq(ken_query__name_at(t, e->file, e->ref), found->goal);
        stop s = { e->file, e->ref, e->within, is_interface, is_likely };
        if (found->items.len < STOPS_MAX)
            ken_vec_push(&found->items, s);
        else if (is_likely) // the one noted last is the farthest away
            found->items.ptr[STOPS_MAX - 1] = s;
    }
}

static ken_trace_stop show_stop(query_tracer *t, const stop *s)
{
    query_link at = { .file = s->file, .ref = s->ref };
    ken_trace_stop out = { .path = t->s->rows[s->file].path,
                           .line = ken_query__line_of_site(t, &at),
                           .name = ken_arena_dup(t->arena, ken_query__name_at(t, s->file, s->ref)),
                           .is_interface = s->is_interface };
    ken_graph_node node;
    if (s->within >= 0 &&
        ken_query__graph_name(t->s, (ken_graph_def){ s->file, (ken_def_id)s->within }, t->arena,
                              &node))
        out.within = node.qualified;
    return out;
}

// Calls by the name of the goal first, then the nearest.
static void show_stops(query_tracer *t, const stops *found, ken_trace *out)
{
    out->stops = KEN_ARENA_ARRAY(t->arena, ken_trace_stop, STOPS_SHOWN);
    out->n_stops_total = found->n_total;
    for (int likely = 1; likely >= 0; likely--)
        for (size_t i = 0; i < found->items.len && out->n_stops < STOPS_SHOWN; i++)
            if (found->items.ptr[i].is_likely == likely)
                out->stops[out->n_stops++] = show_stop(t, &found->items.ptr[i]);
}

// Returns where it begins, a place in the nodes.
static size_t show_way(query_tracer *t, const way_nodes *nodes, size_t last)
{
    size_t way[PATH_DEPTH_MAX + 2], n = 0;
    int32_t i = (int32_t)last;
    for (; nodes->ptr[i].from >= 0 && n <= PATH_DEPTH_MAX; i = nodes->ptr[i].from)
        way[n++] = (size_t)i;
    while (n--)
        push_step(t, (int32_t)t->steps.len - 1, &nodes->ptr[way[n]].link);
    return (size_t)i;
}

// The shortest way from one of the entries to one of the goals; `*out_start`: from which entry.
static ken_status find_way(query_tracer *t, const ken_graph_node *entries, size_t n_entries,
                           const ken_graph_nodes *goals, uint32_t max_depth, size_t *out_start,
                           ken_trace *out, ken_err *err)
{
    way_nodes nodes = { 0 };
    KEN_VEC(uint32_t) depths = { 0 };
    for (size_t i = 0; i < n_entries; i++) {
        ken_vec_push(&nodes, ((way_node){ .def = entries[i].id, .from = -1 }));
        ken_map_put(&t->seen, query_def_key(&entries[i].id), 0, NULL);
        ken_vec_push(&depths, 0);
    }
    stops lost = { .goal = goals->n ? goals->nodes[0].name : KEN_STR("") };
    ken_map_init(&lost.names);
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && !out->has_path && !ken_quota_is_settled() && i < nodes.len; i++) {
        uint32_t n_unresolved = 0;
        if (depths.ptr[i] >= max_depth || nodes.len >= PATH_NODES_MAX) {
            out->n_path_steps = depths.ptr[i];
            break;
        }
        st = ken_query__find_links(t, nodes.ptr[i].def, &n_unresolved, err);
        if (!st)
            note_stops(t, &lost);
        for (size_t k = 0; !st && !out->has_path && k < t->links.len; k++) {
            const query_link *l = &t->links.ptr[k];
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
        *out_start = show_way(t, &nodes, nodes.len - 1);
    else if (!st)
        show_stops(t, &lost, out);
    ken_vec_release(&lost.items);
    ken_map_release(&lost.names);
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
                        "tests: 'only' is for trees, not for the path to one symbol");
    return KEN_OK;
}

// What two searches without a way say together.
static void add_search(ken_trace *out, const ken_trace *other, ken_arena *arena)
{
    ken_trace_stop *all = KEN_ARENA_ARRAY(arena, ken_trace_stop, STOPS_SHOWN);
    size_t n = 0;
    for (size_t i = 0; i < out->n_stops; i++)
        all[n++] = out->stops[i];
    for (size_t i = 0; i < other->n_stops && n < STOPS_SHOWN; i++)
        all[n++] = other->stops[i];
    out->stops = all;
    out->n_stops = n;
    out->n_stops_total += other->n_stops_total;
    bool is_nearer = other->n_path_steps && other->n_path_steps < out->n_path_steps;
    if (!out->n_path_steps || is_nearer)
        out->n_path_steps = other->n_path_steps;
}

// From the definition that the name means most likely; when no way leads on from there and nothing but the name
// was said, from the others.
static ken_status trace_to(query_tracer *t, const ken_graph_nodes *entries, uint32_t depth,
                           ken_trace *out, ken_err *err)
{
    ken_graph_nodes goals;
    size_t start = 0;
    ken_status st = ken_graph_find(t->s, t->o->to, KEN_STR(""), 0, t->arena, &goals, err);
    if (!st)
        st = find_way(t, entries->nodes, 1, &goals, depth, &start, out, err);
    if (st || out->has_path || entries->n < 2 || t->o->file_hint.len)
        return st;
    ken_trace other = { 0 };
    if (out->n_path_steps) { // it met definitions that it did not follow
        ken_map_release(&t->seen);
        ken_map_init(&t->seen);
    }
    st = find_way(t, entries->nodes + 1, entries->n - 1, &goals, depth, &start, &other, err);
    if (st)
        return st;
    out->n_starts = entries->n;
    if (!other.has_path) {
        add_search(out, &other, t->arena);
        return KEN_OK;
    }
    ken_graph_nodes all = *entries; // with that one in front
    ken_graph_node found = all.nodes[start + 1];
    out->tried = KEN_ARENA_NEW(t->arena, ken_graph_node);
    *out->tried = all.nodes[0];
    memmove(all.nodes + 1, all.nodes, (start + 1) * sizeof *all.nodes);
    all.nodes[0] = t->steps.ptr[0].node = found;
    all.n_uses = 0;
    out->chosen = ken_query__other_choices(t->g, &all, t->arena, &out->others, &out->n_others);
    out->has_path = true;
    out->n_tried_steps = out->n_path_steps;
    out->stops = NULL;
    out->n_stops = out->n_stops_total = out->n_path_steps = 0;
    return KEN_OK;
}

static ken_status trace(query_tracer *t, const ken_graph_nodes *entries, ken_trace *out,
                        ken_err *err)
{
    push_step(t, -1, NULL);
    t->steps.ptr[0].node = entries->nodes[0];
    out->chosen = ken_query__other_choices(t->g, entries, t->arena, &out->others, &out->n_others);
    uint32_t depth = t->o->max_depth ? t->o->max_depth
                     : t->o->to.len  ? PATH_DEPTH_MAX
                                     : DEPTH_DEFAULT;
    uint32_t max_nodes = t->o->max_nodes ? t->o->max_nodes : NODES_DEFAULT;
    bool is_only = t->o->tests == KEN_TESTS_ONLY;
    ken_status st = KEN_OK;
    if (!t->o->to.len) {
        st = grow(t, depth, is_only ? NODES_MAX : max_nodes, out, err);
        if (!st && is_only)
            keep_leading(t, max_nodes, out);
        return st;
    }
    return trace_to(t, entries, depth, out, err);
}

ken_status ken_trace_execution(ken_snapshot *s, const ken_trace_opts *o, const ken_cancel *cancel,
                               ken_arena *arena, ken_trace *out, ken_err *err)
{
    *out = (ken_trace){ 0 };
    query_tracer t = { .s = s, .o = o, .cancel = cancel, .arena = arena, .lines_of = UINT32_MAX };
    ken_graph_nodes entries;
    ken_quota_offer_part();
    ken_status st = check(o, err);
    if (!st)
        st = ken_query__find_entry(s, o->entry, o->file_hint, arena, &entries, err);
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
    ken_query__clear_links(&t);
    ken_vec_release(&t.links);
    ken_map_release(&t.link_to);
    ken_map_release(&t.link_out);
    return st;
}
