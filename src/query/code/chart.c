// SPDX-License-Identifier: MIT
// Charts: the graph around a symbol or file, of a folder, of all modules.
//
// A chart grows breadth first from where it begins, so that a bound on its nodes leaves out the farthest. Nodes that
// have no room are counted, and are not followed. Cycles are worked out at the end, among the nodes that are there:
// strongly connected components (Tarjan, 1972), with a stack of its own instead of recursion.
#include <stdlib.h>

#include "base/path.h"
#include "base/utf8.h"
#include "query/code/arch_priv.h"
#include "query/code/trace_priv.h"
#include "query/query_chart.h"

enum {
    DEPTH_MAX = 10,
    NO_NODE = -1
};

typedef struct chart {
    ken_snapshot *s;
    const ken_chart_opts *o;
    const ken_cancel *cancel;
    ken_arena *arena;
    ken_chart *out;
    KEN_VEC(ken_chart_node) nodes;
    KEN_VEC(ken_chart_edge) edges;
    KEN_VEC(ken_graph_def) defs; // of the nodes; of what is outside file UINT32_MAX
    ken_map node_of;             // key -> node, or UINT64_MAX for one that has no room
    ken_map edge_of;             // from, to -> edge
    ken_map ids;                 // how many nodes have an id
    ken_vec_u32 reached;         // nodes that the last step led to
} chart;

// ---- nodes and edges ----------------------------------------------------------------------------

static bool has_room(const chart *c)
{
    return c->nodes.len < c->o->max_nodes;
}

// Notes the key; NO_NODE when it has no room, and the number of the node that there is, or will be, else.
static int64_t node_at(chart *c, ken_str key, bool *out_is_new)
{
    bool is_new;
    uint64_t *at = ken_map_put(&c->node_of, key, c->nodes.len, &is_new);
    c->out->n_nodes_total += is_new;
    if (is_new && !has_room(c))
        *at = UINT64_MAX;
    *out_is_new = is_new && *at != UINT64_MAX;
    return *at == UINT64_MAX ? NO_NODE : (int64_t)*at;
}

// Edges count once for the two nodes, with the surest way that they were found.
static void add_edge(chart *c, const ken_chart_edge *e)
{
    uint32_t key[2] = { e->from, e->to };
    bool is_new;
    uint64_t *at =
        ken_map_put(&c->edge_of, ken_str_n((const char *)key, sizeof key), c->edges.len, &is_new);
    if (is_new) {
        c->out->n_edges_total++;
        if (c->edges.len >= KEN_CHART_EDGES_MAX)
            *at = UINT64_MAX;
        else
            ken_vec_push(&c->edges, *e);
        return;
    }
    if (*at == UINT64_MAX)
        return;
    ken_chart_edge *known = &c->edges.ptr[*at];
    known->n_sites = e->n_sites > known->n_sites ? e->n_sites : known->n_sites;
    if (e->class < known->class) {
        known->class = e->class;
        known->evidence = e->evidence;
    }
}

// Two definitions of a file may have one name.
static ken_str unique_id(chart *c, ken_str id)
{
    bool is_new;
    uint64_t *n = ken_map_put(&c->ids, id, 1, &is_new);
    return is_new ? id
                  : ken_arena_printf(c->arena, KEN_STR_FMT "~%llu", KEN_STR_ARG(id),
                                     (unsigned long long)++*n);
}

// ---- symbols ------------------------------------------------------------------------------------

static void push_symbol(chart *c, const ken_graph_node *n, uint32_t depth)
{
    ken_str id = ken_arena_printf(c->arena, KEN_STR_FMT "#" KEN_STR_FMT, KEN_STR_ARG(n->path),
                                  KEN_STR_ARG(n->qualified));
    ken_chart_node node = {
        .id = unique_id(c, id),
        .name = n->qualified,
        .kind = ken_symbol_kind_word(n->kind),
        .path = n->path,
        .language = n->language,
        .module = ken_path_dir(n->path),
        .line = n->first_line,
        .depth = depth,
        .is_test = n->is_test,
    };
    ken_vec_push(&c->nodes, node);
    ken_vec_push(&c->defs, n->id);
}

static void push_external(chart *c, ken_str name, uint32_t depth)
{
    name = ken_arena_dup(c->arena, name);
    ken_chart_node node = {
        .id = ken_arena_printf(c->arena, "external:" KEN_STR_FMT, KEN_STR_ARG(name)),
        .name = name,
        .kind = "external",
        .depth = depth,
    };
    ken_vec_push(&c->nodes, node);
    ken_vec_push(&c->defs, ((ken_graph_def){ .file = UINT32_MAX }));
}

// The node that a link leads to, made when it is new; NO_NODE without room.
static int64_t linked_node(chart *c, const query_link *l, uint32_t depth)
{
    bool is_new;
    ken_graph_node node;
    bool is_outside = query_is_outside(l->to);
    ken_str key = is_outside
                      ? ken_arena_printf(c->arena, "external:" KEN_STR_FMT, KEN_STR_ARG(l->name))
                      : query_def_key(&l->to);
    const uint64_t *known = ken_map_find(&c->node_of, key);
    if (known)
        return *known == UINT64_MAX ? NO_NODE : (int64_t)*known;
    if (!is_outside && !ken_query__graph_name(c->s, l->to, c->arena, &node))
        return NO_NODE;
    int64_t at = node_at(c, key, &is_new);
    if (is_new && is_outside)
        push_external(c, l->name, depth);
    else if (is_new)
        push_symbol(c, &node, depth);
    return at;
}

static void add_links(chart *c, const query_tracer *t, uint32_t from, bool is_callers)
{
    ken_vec_clear(&c->reached);
    for (size_t i = 0; i < t->links.len; i++) {
        const query_link *l = &t->links.ptr[i];
        int64_t to = linked_node(c, l, c->nodes.ptr[from].depth + 1);
        if (to == NO_NODE) {
            c->nodes.ptr[from].is_cut = true;
            continue;
        }
        const ken_chart_edge e = { .from = is_callers ? (uint32_t)to : from,
                                   .to = is_callers ? from : (uint32_t)to,
                                   .role = l->role,
                                   .class = l->class,
                                   .n_sites = l->n_sites,
                                   .evidence = ken_query__evidence(c->arena, l->evidence) };
        add_edge(c, &e);
        ken_vec_push(&c->reached, (unsigned)to);
    }
}

// Nodes by steps from the first one, in one direction.
typedef struct wave {
    uint32_t *queue, *depth;
    uint8_t *is_queued;
    uint32_t n;
} wave;

static wave begin_wave(const chart *c)
{
    size_t n = c->o->max_nodes + (size_t)1;
    wave w = { .queue = KEN_ARENA_ARRAY(c->arena, uint32_t, n),
               .depth = KEN_ARENA_ARRAY(c->arena, uint32_t, n),
               .is_queued = KEN_ARENA_ARRAY(c->arena, uint8_t, n),
               .n = 1 };
    w.is_queued[0] = 1;
    return w;
}

// What was reached from `at` is looked at later, those that the other direction has found, too.
static void queue_reached(chart *c, wave *w, uint32_t at)
{
    for (size_t i = 0; i < c->reached.len; i++) {
        uint32_t to = c->reached.ptr[i];
        if (w->is_queued[to])
            continue;
        w->is_queued[to] = 1;
        w->depth[to] = w->depth[at] + 1;
        w->queue[w->n++] = to;
    }
}

static ken_status spread(chart *c, query_tracer *t, bool is_callers, ken_err *err)
{
    ken_status st = KEN_OK;
    wave w = begin_wave(c);
    for (uint32_t i = 0; i < w.n && !st && !c->out->is_at_least; i++) {
        uint32_t at = w.queue[i], n_unresolved = 0;
        if (w.depth[at] >= c->o->max_depth || query_is_outside(c->defs.ptr[at]))
            continue;
        st = ken_query__find_links(t, c->defs.ptr[at], &n_unresolved, err);
        if (c->nodes.len > 1 && ken_quota_settle(st, err))
            st = KEN_OK;
        if (st)
            break;
        c->nodes.ptr[at].n_unresolved += n_unresolved;
        add_links(c, t, at, is_callers);
        queue_reached(c, &w, at);
        c->out->is_at_least = ken_quota_is_settled();
    }
    return st;
}

static ken_status spread_both(chart *c, ken_err *err)
{
    const ken_trace_opts callees = { .direction = KEN_TRACE_CALLEES,
                                     .wants_external = c->o->wants_external,
                                     .tests = c->o->tests };
    ken_trace_opts callers = callees;
    callers.direction = KEN_TRACE_CALLERS;
    query_tracer t = { .s = c->s,
                       .cancel = c->cancel,
                       .arena = c->arena,
                       .lines_of = UINT32_MAX,
                       .wants_bases = true };
    ken_status st = ken_query__graph_open(c->s, &t.g, err);
    if (st)
        return st;
    ken_map_init(&t.link_to);
    ken_map_init(&t.link_out);
    t.o = &callees;
    if (c->o->wants_callees)
        st = spread(c, &t, false, err);
    t.o = &callers;
    if (!st && c->o->wants_callers)
        st = spread(c, &t, true, err);
    ken_vec_release(&t.edges);
    ken_vec_release(&t.unresolved);
    ken_query__clear_links(&t);
    ken_vec_release(&t.links);
    ken_map_release(&t.link_to);
    ken_map_release(&t.link_out);
    return st;
}

static ken_status chart_symbols(chart *c, ken_err *err)
{
    ken_graph_nodes found;
    bool is_new;
    ken_quota_offer_part();
    ken_status st =
        ken_query__find_entry(c->s, c->o->symbol, c->o->file_hint, c->arena, &found, err);
    if (st)
        return st;
    c->out->missed_scope = found.missed_scope;
    c->out->chosen = ken_query__other_choices(ken_query__graph_at_hand(c->s), &found, c->arena,
                                              &c->out->others, &c->out->n_others);
    (void)node_at(c, query_def_key(&found.nodes[0].id), &is_new);
    push_symbol(c, &found.nodes[0], 0);
    return spread_both(c, err);
}

// ---- files --------------------------------------------------------------------------------------

typedef struct file_chart {
    chart *c;
    const query_import_graph *g;
    query_modules *m;
    uint32_t *in_starts, *in_files; // who imports a file; in_files[in_starts[f]] …
    int64_t *node;                  // of a file; NO_NODE = none
    bool *is_known;                 // it has been counted
    KEN_VEC(uint32_t) files;        // of the nodes
} file_chart;

static void find_importers(file_chart *x)
{
    const query_import_graph *g = x->g;
    uint32_t n = x->c->s->n_files;
    x->in_starts = KEN_ARENA_ARRAY(x->c->arena, uint32_t, n + (size_t)2);
    x->in_files = KEN_ARENA_ARRAY(x->c->arena, uint32_t, g->starts[n] + (size_t)1);
    for (uint32_t i = 0; i < g->starts[n]; i++)
        x->in_starts[g->files[i] + 2]++;
    for (uint32_t f = 0; f < n; f++)
        x->in_starts[f + 2] += x->in_starts[f + 1];
    for (uint32_t f = 0; f < n; f++)
        for (uint32_t i = g->starts[f]; i < g->starts[f + 1]; i++)
            x->in_files[x->in_starts[g->files[i] + 1]++] = f;
}

// Whether the file is left out as a test, which is no cut.
static bool is_left_out(const file_chart *x, uint32_t file)
{
    return x->c->o->tests == KEN_TESTS_EXCLUDE && ken_query__is_test(x->c->s, file);
}

static int64_t file_node(file_chart *x, uint32_t file, uint32_t depth)
{
    chart *c = x->c;
    if (x->is_known[file])
        return x->node[file];
    bool is_test = ken_query__is_test(c->s, file);
    if (c->nodes.len && is_left_out(x, file))
        return NO_NODE;
    x->is_known[file] = true;
    c->out->n_nodes_total++;
    if (!has_room(c))
        return NO_NODE;
    ken_str path = c->s->rows[file].path;
    uint32_t module = x->m->of_file[file];
    ken_chart_node node = {
        .id = path,
        .name = ken_path_base(path),
        .kind = "file",
        .path = path,
        .language = ken_str_c(ken_lang_name((ken_lang_id)c->s->contents[file].lang)),
        .module = module == UINT32_MAX ? ken_path_dir(path) : x->m->modules[module].path,
        .depth = depth,
        .n_unresolved = x->g->n_unknown[file],
        .n_lines = c->s->contents[file].n_lines,
        .is_test = is_test,
    };
    x->node[file] = (int64_t)c->nodes.len;
    ken_vec_push(&c->nodes, node);
    ken_vec_push(&x->files, file);
    return x->node[file];
}

static void add_import(file_chart *x, uint32_t from, uint32_t to)
{
    const ken_chart_edge e = {
        .from = from, .to = to, .role = KEN_REF_IMPORT, .class = KEN_EDGE_IMPORTED, .n_sites = 1
    };
    if (from != to)
        add_edge(x->c, &e);
}

// One step from a file, to those that it imports or that import it.
static void step_files(file_chart *x, uint32_t at, bool is_callers)
{
    chart *c = x->c;
    uint32_t file = x->files.ptr[at], depth = c->nodes.ptr[at].depth + 1;
    const uint32_t *starts = is_callers ? x->in_starts : x->g->starts;
    const uint32_t *files = is_callers ? x->in_files : x->g->files;
    ken_vec_clear(&c->reached);
    for (uint32_t i = starts[file]; i < starts[file + 1]; i++) {
        int64_t to = file_node(x, files[i], depth);
        if (to == NO_NODE) {
            c->nodes.ptr[at].is_cut |= !is_left_out(x, files[i]);
            continue;
        }
        add_import(x, is_callers ? (uint32_t)to : at, is_callers ? at : (uint32_t)to);
        ken_vec_push(&c->reached, (unsigned)to);
    }
}

static ken_status spread_files(file_chart *x, bool is_callers, ken_err *err)
{
    chart *c = x->c;
    wave w = begin_wave(c);
    ken_status st = KEN_OK;
    for (uint32_t i = 0; i < w.n && !st; i++) {
        if (w.depth[w.queue[i]] >= c->o->max_depth)
            continue;
        step_files(x, w.queue[i], is_callers);
        queue_reached(c, &w, w.queue[i]);
        st = ken_cancel_check(c->cancel, err);
    }
    return st;
}

typedef struct used_file {
    uint32_t file, n_users;
} used_file;

static int by_users(const void *a, const void *b)
{
    const used_file *x = a, *y = b;
    if (x->n_users != y->n_users)
        return x->n_users > y->n_users ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

// The module that is asked for, among all; none when all files in focus are.
static ken_status find_module(const file_chart *x, uint32_t *out, ken_err *err)
{
    ken_str path = x->c->o->module;
    *out = UINT32_MAX;
    if (!path.len)
        return KEN_OK;
    if (ken_str_eq_c(path, "."))
        path = KEN_STR("");
    for (uint32_t i = 0; i < x->m->n; i++)
        if (ken_str_eq(x->m->modules[i].path, path)) {
            *out = i;
            return KEN_OK;
        }
    return KEN_FAIL(err, KEN_ENOTFOUND,
                    "module: '" KEN_STR_FMT
                    "' is none of those that level module lists; directory takes any folder",
                    KEN_STR_ARG(ken_utf8_clip(x->c->o->module, 200)));
}

// All files in focus, or of the module, the most imported first, and what they import of each other.
static ken_status chart_folder(file_chart *x, ken_err *err)
{
    chart *c = x->c;
    size_t n = 0;
    uint32_t module = UINT32_MAX;
    ken_status st = find_module(x, &module, err);
    if (st)
        return st;
    used_file *all = KEN_ARENA_ARRAY(c->arena, used_file, c->s->n_files + (size_t)1);
    for (uint32_t f = 0; f < c->s->n_files; f++)
        if (x->m->of_file[f] != UINT32_MAX && !is_left_out(x, f) &&
            (module == UINT32_MAX || x->m->of_file[f] == module))
            all[n++] = (used_file){ f, x->in_starts[f + 1] - x->in_starts[f] };
    if (n)
        qsort(all, n, sizeof *all, by_users);
    for (size_t i = 0; i < n; i++)
        (void)file_node(x, all[i].file, 0);
    for (uint32_t at = 0; at < x->files.len; at++) {
        uint32_t file = x->files.ptr[at];
        for (uint32_t i = x->g->starts[file]; i < x->g->starts[file + 1]; i++) {
            int64_t to = x->node[x->g->files[i]];
            if (to != NO_NODE)
                add_import(x, at, (uint32_t)to);
            else
                c->nodes.ptr[at].is_cut |= x->is_known[x->g->files[i]];
        }
    }
    return KEN_OK;
}

static ken_status chart_around(file_chart *x, ken_err *err)
{
    chart *c = x->c;
    ken_str path = ken_query__relative_path(c->s, c->o->path, c->arena);
    int64_t file = path.ptr ? ken_query__file_index(c->s, path) : -1;
    if (file < 0)
        return ken_query__fail_unknown(c->s, c->o->path, c->arena, err);
    (void)file_node(x, (uint32_t)file, 0);
    ken_status st = c->o->wants_callees ? spread_files(x, false, err) : KEN_OK;
    return !st && c->o->wants_callers ? spread_files(x, true, err) : st;
}

static ken_status chart_files(chart *c, ken_err *err)
{
    file_chart x = { .c = c, .m = KEN_ARENA_NEW(c->arena, query_modules) };
    query_focus focus;
    ken_str folder = c->o->path.len ? KEN_STR("") : c->o->folder;
    ken_status st = ken_query__focus_on(c->s, KEN_ARCH_FULL, folder, c->arena, &focus, err);
    if (!st)
        st = ken_query__imports(c->s, c->cancel, &x.g, err);
    if (!st)
        st = ken_query__find_modules(c->s, &focus, c->cancel, c->arena, x.m, err);
    if (st)
        return st;
    x.node = KEN_ARENA_ARRAY(c->arena, int64_t, c->s->n_files + (size_t)1);
    x.is_known = KEN_ARENA_ARRAY(c->arena, bool, c->s->n_files + (size_t)1);
    for (uint32_t f = 0; f < c->s->n_files; f++)
        x.node[f] = NO_NODE;
    find_importers(&x);
    if (c->o->path.len)
        st = chart_around(&x, err);
    else
        st = chart_folder(&x, err);
    ken_vec_release(&x.files);
    return st;
}

// ---- modules ------------------------------------------------------------------------------------

static void add_module(chart *c, const ken_module_node *m)
{
    ken_chart_node node = {
        .id = m->path.len ? m->path : KEN_STR("."),
        .name = m->path.len ? ken_path_base(m->path) : KEN_STR("."),
        .kind = "module",
        .path = m->path,
        .language = m->language,
        .module = m->path,
        .n_unresolved = m->n_unresolved,
        .cycle = m->cycle,
        .layer = m->layer,
        .n_files = m->n_files,
        .n_lines = m->n_lines,
        .n_aside = m->n_aside,
        .aside = m->aside,
        .centrality = m->centrality,
        .is_test = m->aside == KEN_ASIDE_TESTS,
    };
    ken_vec_push(&c->nodes, node);
}

static bool is_wanted(const chart *c, const ken_module_node *m)
{
    return m->n_files && !(c->o->tests == KEN_TESTS_EXCLUDE && m->aside == KEN_ASIDE_TESTS);
}

static ken_status chart_modules(chart *c, ken_err *err)
{
    query_modules *m = KEN_ARENA_NEW(c->arena, query_modules);
    uint32_t place[QUERY_MODULES_MAX];
    query_focus focus;
    ken_status st = ken_query__focus_on(c->s, KEN_ARCH_FULL, c->o->folder, c->arena, &focus, err);
    if (!st)
        st = ken_query__find_modules(c->s, &focus, c->cancel, c->arena, m, err);
    if (st)
        return st;
    for (uint32_t i = 0; i < m->n; i++) {
        place[i] = UINT32_MAX;
        if (!is_wanted(c, &m->modules[i]))
            continue;
        c->out->n_nodes_total++;
        if (!has_room(c))
            continue;
        place[i] = (uint32_t)c->nodes.len;
        add_module(c, &m->modules[i]);
    }
    for (uint32_t i = 0; i < m->n; i++) {
        for (uint32_t k = 0; k < m->n; k++) {
            const ken_chart_edge e = { .from = place[i],
                                       .to = place[k],
                                       .role = KEN_REF_IMPORT,
                                       .class = KEN_EDGE_IMPORTED,
                                       .n_sites = m->weight[i][k] };
            if (e.n_sites && e.from != UINT32_MAX && e.to != UINT32_MAX)
                add_edge(c, &e);
        }
    }
    c->out->n_cycles = m->n_cycles;
    return KEN_OK;
}

// ---- cycles -------------------------------------------------------------------------------------

typedef struct finder {
    chart *c;
    uint32_t *starts, *to;  // edges by node
    uint32_t *number, *low; // of the walk, from 1; the least that it leads back to
    uint32_t *next;         // edge to look at
    uint32_t *open, *way;   // nodes without a component yet; the way from the root
    bool *is_open;
    uint32_t n_open, n_way, n_numbered;
} finder;

static void enter(finder *x, uint32_t at)
{
    x->number[at] = x->low[at] = ++x->n_numbered;
    x->next[at] = x->starts[at];
    x->open[x->n_open++] = at;
    x->is_open[at] = true;
    x->way[x->n_way++] = at;
}

// A component of several nodes is a cycle.
static void end_component(finder *x, uint32_t root)
{
    uint32_t from = x->n_open;
    while (x->open[--from] != root)
        ;
    bool is_cycle = x->n_open - from > 1;
    x->c->out->n_cycles += is_cycle;
    for (uint32_t i = from; i < x->n_open; i++) {
        x->is_open[x->open[i]] = false;
        if (is_cycle)
            x->c->nodes.ptr[x->open[i]].cycle = (uint32_t)x->c->out->n_cycles;
    }
    x->n_open = from;
}

static void leave(finder *x, uint32_t at)
{
    if (x->low[at] == x->number[at])
        end_component(x, at);
    x->n_way--;
    if (x->n_way) {
        uint32_t above = x->way[x->n_way - 1];
        x->low[above] = x->low[at] < x->low[above] ? x->low[at] : x->low[above];
    }
}

static void walk_from(finder *x, uint32_t root)
{
    enter(x, root);
    while (x->n_way) {
        uint32_t at = x->way[x->n_way - 1];
        if (x->next[at] == x->starts[at + 1]) {
            leave(x, at);
            continue;
        }
        uint32_t to = x->to[x->next[at]++];
        if (!x->number[to])
            enter(x, to);
        else if (x->is_open[to] && x->number[to] < x->low[at])
            x->low[at] = x->number[to];
    }
}

static void find_cycles(chart *c)
{
    size_t n = c->nodes.len, n_edges = c->edges.len;
    finder x = { .c = c };
    uint32_t **arrays[] = { &x.number, &x.low, &x.next, &x.open, &x.way };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = KEN_ARENA_ARRAY(c->arena, uint32_t, n + 1);
    x.starts = KEN_ARENA_ARRAY(c->arena, uint32_t, n + 2);
    x.to = KEN_ARENA_ARRAY(c->arena, uint32_t, n_edges + 1);
    x.is_open = KEN_ARENA_ARRAY(c->arena, bool, n + 1);
    for (size_t i = 0; i < n_edges; i++)
        x.starts[c->edges.ptr[i].from + 2]++;
    for (size_t i = 0; i < n; i++)
        x.starts[i + 2] += x.starts[i + 1];
    for (size_t i = 0; i < n_edges; i++)
        x.to[x.starts[c->edges.ptr[i].from + 1]++] = c->edges.ptr[i].to;
    for (uint32_t i = 0; i < n; i++)
        if (!x.number[i])
            walk_from(&x, i);
}

// ---- the question -------------------------------------------------------------------------------

static ken_status check(const ken_chart_opts *o, ken_err *err)
{
    if (!o->max_depth || o->max_depth > DEPTH_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "max_depth: expected 1 to %d, got %u", DEPTH_MAX,
                        o->max_depth);
    if (!o->max_nodes || o->max_nodes > KEN_CHART_NODES_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "max_nodes: expected 1 to %d, got %u", KEN_CHART_NODES_MAX,
                        o->max_nodes);
    return KEN_OK;
}

static void give(chart *c)
{
    ken_chart *out = c->out;
    out->n_nodes = c->nodes.len;
    out->n_edges = c->edges.len;
    out->nodes = KEN_ARENA_ARRAY(c->arena, ken_chart_node, c->nodes.len + 1);
    out->edges = KEN_ARENA_ARRAY(c->arena, ken_chart_edge, c->edges.len + 1);
    for (size_t i = 0; i < c->nodes.len; i++) {
        out->nodes[i] = c->nodes.ptr[i];
        out->n_unresolved += c->nodes.ptr[i].n_unresolved;
    }
    for (size_t i = 0; i < c->edges.len; i++)
        out->edges[i] = c->edges.ptr[i];
    // Around a symbol or file what is left out was not followed.
    bool is_grown = c->o->level == KEN_CHART_SYMBOL || c->o->path.len;
    if (is_grown && out->n_nodes < out->n_nodes_total)
        out->is_at_least = true;
}

ken_status ken_make_chart(ken_snapshot *s, const ken_chart_opts *o, const ken_cancel *cancel,
                          ken_arena *arena, ken_chart *out, ken_err *err)
{
    ken_chart made = { .n_nodes = 0 };
    chart c = { .s = s, .o = o, .cancel = cancel, .arena = arena, .out = &made };
    ken_status st = check(o, err);
    if (st)
        return st;
    ken_map_init(&c.node_of);
    ken_map_init(&c.edge_of);
    ken_map_init(&c.ids);
    st = o->level == KEN_CHART_SYMBOL ? chart_symbols(&c, err)
         : o->level == KEN_CHART_FILE ? chart_files(&c, err)
                                      : chart_modules(&c, err);
    if (!st && o->level != KEN_CHART_MODULE)
        find_cycles(&c);
    if (!st) {
        give(&c);
        *out = made;
    }
    ken_map_release(&c.node_of);
    ken_map_release(&c.edge_of);
    ken_map_release(&c.ids);
    ken_vec_release(&c.nodes);
    ken_vec_release(&c.edges);
    ken_vec_release(&c.defs);
    ken_vec_release(&c.reached);
    return st;
}
