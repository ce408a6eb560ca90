// SPDX-License-Identifier: MIT
// query_impact: what depends on a definition, a file or a change, level by level; which tests reach
// it; what else is likely to need a change; and how risky that makes it.
//
// One level is one pass over the files that say one of its names, however many definitions it has.
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "query/query_graph_priv.h"

enum {
    DEPTH_DEFAULT = 3,
    DEPTH_MAX = 5,
    LIMIT_DEFAULT = 30,
    LIMIT_MAX = 200,
    SIMILAR_DEFAULT = 5,
    CHANGED_MAX = 400, // definitions that are followed
    REACHED_MAX = 3000,
    TOGETHER_MAX = 5,
    TESTS_MAX = 20
};

// A definition that was reached; def UINT32_MAX = the top of its file.
typedef struct reached {
    ken_graph_def id;
    uint32_t distance, n_sites;
    int32_t via;
    ken_edge_class class;
    bool is_test;
} reached;

typedef struct impact {
    ken_snapshot *s;
    ken_graph *g;
    const ken_impact_opts *o;
    const ken_cancel *cancel;
    ken_arena *arena;
    KEN_VEC(ken_graph_def) changed;
    KEN_VEC(reached) reached;
    KEN_VEC(ken_str) files; // changed ones
    ken_map seen;           // definition -> 0 for changed ones, else 1 + place in `reached`
    query_edges edges, unresolved;
    ken_impact *out;
} impact;

// ---- what changes -------------------------------------------------------------------------------

static void add_changed(impact *m, ken_graph_def d)
{
    bool is_new;
    ken_map_put(&m->seen, query_def_key(&d), 0, &is_new);
    if (is_new && m->changed.len < CHANGED_MAX)
        ken_vec_push(&m->changed, d);
    m->out->n_changed_total += is_new;
}

static void add_file(impact *m, uint32_t file)
{
    for (size_t i = 0; i < m->files.len; i++)
        if (ken_str_eq(m->files.ptr[i], m->s->rows[file].path))
            return;
    ken_vec_push(&m->files, m->s->rows[file].path);
}

// What others may name: everything that does not live inside a function.
static bool is_outer(const ken_facts *f, uint32_t i)
{
    for (int32_t p = f->symbols[i].parent; p >= 0; p = f->symbols[p].parent)
        if (ken_symbol_is_callable(f->symbols[p].kind))
            return false;
    ken_symbol_kind kind = f->symbols[i].kind;
    return kind < KEN_SYMBOL_TEST && kind != KEN_SYMBOL_IMPL;
}

// Definitions of a file that overlap lines [first, last]: the innermost, and what holds them.
static void add_lines(impact *m, uint32_t file, uint32_t first, uint32_t last)
{
    const ken_unit_text *u = ken_graph_unit(m->g, file);
    for (uint32_t i = 0; u && i < u->facts->n_symbols; i++) {
        const ken_symbol *s = &u->facts->symbols[i];
        if (s->first_line > last || s->last_line < first || !is_outer(u->facts, i))
            continue;
        // A type counts when its head is touched or it is small enough to be one thing.
        bool is_holder = !ken_symbol_is_callable(s->kind) && s->first_line < first &&
                         ken_symbol_is_type(s->kind) && s->last_line > last;
        if (!is_holder)
            add_changed(m, (ken_graph_def){ file, i });
    }
}

static ken_status change_symbol(impact *m, ken_err *err)
{
    ken_graph_nodes found;
    ken_status st = ken_graph_find(m->s, m->o->symbol, m->o->file_hint, 0, m->arena, &found, err);
    if (st)
        return st;
    add_changed(m, found.nodes[0].id);
    add_file(m, found.nodes[0].id.file);
    return KEN_OK;
}

static ken_status change_path(impact *m, ken_err *err)
{
    ken_str path = m->o->path, number = { NULL, 0 };
    size_t colon = ken_str_rfind_char(path, ':');
    uint64_t line = 0;
    if (colon != SIZE_MAX) {
        number = ken_str_sub(path, colon + 1, path.len);
        if (ken_str_parse_u64(number, &line) && line)
            path = ken_str_sub(path, 0, colon);
    }
    ken_file_view view; // names near paths when there is none
    ken_str relative = query_relative_path(m->s, path, m->arena);
    int64_t file = relative.ptr ? query_file_index(m->s, relative) : -1;
    if (file < 0) {
        ken_status st = ken_view_file(m->s, path, m->arena, &view, err);
        return st ? st
                  : KEN_FAIL(err, KEN_ENOTFOUND,
                             "'" KEN_STR_FMT "' is new: it is not in the index yet",
                             KEN_STR_ARG(path));
    }
    add_file(m, (uint32_t)file);
    if (line)
        add_lines(m, (uint32_t)file, (uint32_t)line - 1, (uint32_t)line - 1);
    else
        add_lines(m, (uint32_t)file, 0, UINT32_MAX - 1);
    return KEN_OK;
}

static ken_status change_diff(impact *m, ken_err *err)
{
    ken_changes changes;
    ken_status st = ken_snapshot_changes(m->s, m->o->diff, m->cancel, m->arena, &changes, err);
    for (size_t i = 0; !st && i < changes.n_files; i++) {
        const ken_changed_file *c = &changes.files[i];
        int64_t file = query_file_index(m->s, c->path);
        if (file < 0) {
            ken_vec_push(&m->files, c->path);
            continue;
        }
        add_file(m, (uint32_t)file);
        for (size_t k = 0; k < c->n_changes; k++) {
            uint32_t n = c->changes[k].n_lines ? c->changes[k].n_lines : 1;
            add_lines(m, (uint32_t)file, c->changes[k].first, c->changes[k].first + n - 1);
        }
        if (!c->n_changes)
            add_lines(m, (uint32_t)file, 0, UINT32_MAX - 1);
    }
    return st;
}

// ---- what depends on it -------------------------------------------------------------------------

static int32_t place_of(const impact *m, const ken_graph_def *d)
{
    const uint64_t *at = ken_map_find(&m->seen, query_def_key(d));
    return at && *at ? (int32_t)*at - 1 : -1;
}

static void reach(impact *m, const query_edge *e, uint32_t distance)
{
    ken_graph_def d = { e->file, e->holder < 0 ? UINT32_MAX : (ken_def_id)e->holder };
    bool is_new;
    uint64_t *at = ken_map_put(&m->seen, query_def_key(&d), m->reached.len + 1, &is_new);
    if (!is_new) {
        if (*at && m->reached.ptr[*at - 1].distance == distance)
            m->reached.ptr[*at - 1].n_sites++;
        return;
    }
    int32_t via = place_of(m, &e->to);
    ken_edge_class class = e->class;
    if (via >= 0 && m->reached.ptr[via].class > class)
        class = m->reached.ptr[via].class;
    reached r = { .id = d,
                  .distance = distance,
                  .n_sites = 1,
                  .via = via,
                  .class = class,
                  .is_test = query_is_test(m->s, d.file) };
    ken_vec_push(&m->reached, r);
}

// An import line is no use of its own: what it brings is used elsewhere in the file.
static bool is_use(const query_edge *e)
{
    return e->role != KEN_REF_IMPORT || e->within < 0;
}

static ken_status spread(impact *m, uint32_t max_depth, ken_err *err)
{
    ken_status st = KEN_OK;
    KEN_VEC(ken_graph_def) level = { 0 };
    for (size_t i = 0; i < m->changed.len; i++)
        ken_vec_push(&level, m->changed.ptr[i]);
    for (uint32_t d = 1; !st && d <= max_depth && level.len; d++) {
        size_t first = m->reached.len;
        ken_vec_clear(&m->edges);
        st = query_edges_to(m->s, m->g, level.ptr, (uint32_t)level.len, m->cancel, m->arena,
                            &m->edges, &m->unresolved, err);
        if (!st)
            st = query_edges_through(m->s, m->g, m->cancel, m->arena, &m->edges, err);
        for (size_t i = 0; !st && i < m->edges.len && m->reached.len < REACHED_MAX; i++)
            if (is_use(&m->edges.ptr[i]))
                reach(m, &m->edges.ptr[i], d);
        m->out->is_truncated = m->out->is_truncated || m->reached.len >= REACHED_MAX;
        ken_vec_clear(&level);
        if (m->reached.len && ken_quota_settle(st, err))
            st = KEN_OK;
        if (ken_quota_is_settled())
            break;
        for (size_t i = first; i < m->reached.len && level.len < CHANGED_MAX; i++)
            if (m->reached.ptr[i].id.def != UINT32_MAX && !m->reached.ptr[i].is_test)
                ken_vec_push(&level, m->reached.ptr[i].id);
    }
    ken_vec_release(&level);
    if (st || !ken_quota_is_settled())
        return st;
    m->out->is_truncated = true;
    return m->reached.len ? KEN_OK : ken_quota_fail_empty(err);
}

// ---- the answer ---------------------------------------------------------------------------------

static bool show_node(impact *m, ken_graph_def d, ken_graph_node *out)
{
    if (d.def != UINT32_MAX)
        return query_graph_name(m->s, d, m->arena, out);
    *out = (ken_graph_node){ .id = d,
                             .path = m->s->rows[d.file].path,
                             .is_test = query_is_test(m->s, d.file) };
    return true;
}

// One that is reached, as it is put in order.
typedef struct ranked {
    const reached *r;
    ken_str path;
} ranked;

static int by_distance(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->r->distance != y->r->distance)
        return x->r->distance < y->r->distance ? -1 : 1;
    if (x->r->n_sites != y->r->n_sites)
        return x->r->n_sites > y->r->n_sites ? -1 : 1;
    int path = ken_str_cmp(x->path, y->path);
    return path ? path : (x->r->id.def > y->r->id.def) - (x->r->id.def < y->r->id.def);
}

static void add_path(ken_str **list, size_t *n, size_t *n_total, size_t max, ken_map *seen,
                     ken_str path)
{
    bool is_new;
    ken_map_put(seen, path, 1, &is_new);
    if (!is_new)
        return;
    ++*n_total;
    if (*n < max)
        (*list)[(*n)++] = path;
}

static bool show_dependent(impact *m, const reached *r, ken_dependent *out)
{
    *out = (ken_dependent){
        .distance = r->distance, .class = r->class, .via = -1, .n_sites = r->n_sites
    };
    return show_node(m, r->id, &out->node);
}

static void count_reached(impact *m, uint32_t limit)
{
    ken_impact *out = m->out;
    ken_map paths;
    ken_map_init(&paths);
    out->files = KEN_ARENA_ARRAY(m->arena, ken_str, limit + 1);
    for (size_t i = 0; i < m->reached.len; i++) {
        const reached *r = &m->reached.ptr[i];
        out->n_by_distance[r->distance] += !r->is_test;
        out->n_tests_total += r->is_test;
        add_path(&out->files, &out->n_files, &out->n_files_total, limit, &paths,
                 m->s->rows[r->id.file].path);
    }
    ken_map_release(&paths);
}

// Only what is shown is named: thousands may be reached.
static void show_reached(impact *m, uint32_t limit)
{
    ken_impact *out = m->out;
    ranked *all = KEN_ARENA_ARRAY(m->arena, ranked, m->reached.len + 1);
    out->tests = KEN_ARENA_ARRAY(m->arena, ken_dependent, TESTS_MAX);
    out->dependents = KEN_ARENA_ARRAY(m->arena, ken_dependent, limit + 1);
    size_t n = 0;
    for (size_t i = 0; i < m->reached.len; i++) {
        const reached *r = &m->reached.ptr[i];
        if (!r->is_test)
            all[n++] = (ranked){ r, m->s->rows[r->id.file].path };
        else if (out->n_tests < TESTS_MAX)
            out->n_tests += show_dependent(m, r, &out->tests[out->n_tests]);
    }
    if (n)
        qsort(all, n, sizeof *all, by_distance);
    for (size_t i = 0; i < n && out->n_dependents < limit; i++)
        out->n_dependents += show_dependent(m, all[i].r, &out->dependents[out->n_dependents]);
    out->is_truncated = out->is_truncated || n > limit;
}

static void show_changed(impact *m, uint32_t limit)
{
    m->out->changed = KEN_ARENA_ARRAY(m->arena, ken_graph_node, limit);
    for (size_t i = 0; i < m->changed.len && m->out->n_changed < limit; i++)
        m->out->n_changed += query_graph_name(m->s, m->changed.ptr[i], m->arena,
                                              &m->out->changed[m->out->n_changed]);
    m->out->changed_files = KEN_ARENA_ARRAY(m->arena, ken_str, m->files.len + 1);
    for (size_t i = 0; i < m->files.len; i++)
        m->out->changed_files[m->out->n_changed_files++] = m->files.ptr[i];
}

// What else reads alike; without vectors nothing does.
static ken_status show_similar(impact *m, ken_err *err)
{
    uint32_t wanted = m->o->num_similar == UINT32_MAX ? SIMILAR_DEFAULT : m->o->num_similar;
    if (!wanted || !m->changed.len)
        return KEN_OK;
    ken_graph_node *first = &m->out->changed[0];
    ken_str place = ken_arena_printf(m->arena, KEN_STR_FMT ":%u", KEN_STR_ARG(first->path),
                                     first->first_line + 1);
    ken_search_opts o = { .mode = KEN_SEARCH_SIMILAR, .limit = wanted + 1 };
    ken_search_result near;
    ken_status st = ken_search(m->s, place, &o, m->cancel, m->arena, &near, NULL);
    if (st == KEN_ECANCELLED || st == KEN_ETIMEOUT)
        return ken_cancel_check(m->cancel, err);
    m->out->similar = KEN_ARENA_ARRAY(m->arena, ken_related_file, wanted);
    for (size_t i = 0; !st && i < near.n_hits && m->out->n_similar < wanted; i++)
        if (!ken_str_eq(near.hits[i].path, first->path))
            m->out->similar[m->out->n_similar++] =
                (ken_related_file){ near.hits[i].path, near.hits[i].score, 0 };
    return KEN_OK;
}

static ken_status show_routes(impact *m, ken_err *err)
{
    ken_route *all;
    size_t n;
    ken_status st = query_find_routes(m->s, KEN_STR(""), false, m->cancel, m->arena, &all, &n, err);
    m->out->routes = KEN_ARENA_ARRAY(m->arena, ken_route, n + 1);
    for (size_t i = 0; !st && i < n; i++)
        if (all[i].handler_id.file != UINT32_MAX &&
            ken_map_find(&m->seen, query_def_key(&all[i].handler_id)))
            m->out->routes[m->out->n_routes++] = all[i];
    return st;
}

static ken_status show_together(impact *m, uint32_t *out_commits, ken_err *err)
{
    ken_history *h;
    ken_status st = ken_snapshot_history(m->s, true, m->cancel, &h, err);
    m->out->together = KEN_ARENA_ARRAY(m->arena, ken_related_file, TOGETHER_MAX);
    for (size_t i = 0; !st && i < m->files.len && i < 20; i++) {
        ken_history_file f;
        if (!ken_history_find(h, m->files.ptr[i], &f))
            continue;
        *out_commits = f.n_recent > *out_commits ? f.n_recent : *out_commits;
        ken_history_neighbour near[KEN_HISTORY_NEIGHBOURS];
        size_t n = ken_history_neighbours(h, f.number, near);
        for (size_t k = 0; k < n && m->out->n_together < TOGETHER_MAX; k++) {
            ken_str path = ken_arena_dup(m->arena, ken_history_at(h, near[k].number).path);
            bool is_known = false;
            for (size_t c = 0; c < m->files.len; c++)
                is_known = is_known || ken_str_eq(m->files.ptr[c], path);
            for (size_t c = 0; c < m->out->n_together; c++)
                is_known = is_known || ken_str_eq(m->out->together[c].path, path);
            if (!is_known)
                m->out->together[m->out->n_together++] =
                    (ken_related_file){ path, near[k].confidence, near[k].n_together };
        }
    }
    return st;
}

// ---- risk ---------------------------------------------------------------------------------------

static void add_reason(impact *m, double *risk, double part, ken_str text)
{
    *risk = 1 - (1 - *risk) * (1 - part);
    m->out->reasons[m->out->n_reasons++] = text;
}

// Each reason takes its part of what is left to a certain failure.
static void judge(impact *m, uint32_t n_commits)
{
    ken_impact *out = m->out;
    double risk = 0;
    size_t n_direct = out->n_by_distance[1], n_all = 0;
    uint16_t complexity = 0;
    for (int d = 1; d <= DEPTH_MAX; d++)
        n_all += out->n_by_distance[d];
    for (size_t i = 0; i < out->n_changed; i++)
        if (out->changed[i].complexity > complexity)
            complexity = out->changed[i].complexity;
    out->reasons = KEN_ARENA_ARRAY(m->arena, ken_str, 8);
    if (n_all)
        add_reason(m, &risk, 0.6 * (1 - exp(-(double)n_all / 25)),
                   ken_arena_printf(m->arena, "%s%zu definition%s on it, %zu directly",
                                    ken_quota_is_settled() ? "at least " : "", n_all,
                                    n_all == 1 ? " depends" : "s depend", n_direct));
    if (out->n_files_total > 3)
        add_reason(m, &risk, 0.2 * (1 - exp(-(double)out->n_files_total / 20)),
                   ken_arena_printf(m->arena, "they are in %zu files", out->n_files_total));
    if (n_all && !out->n_tests_total && !ken_quota_is_settled())
        add_reason(m, &risk, 0.2, KEN_STR("no test reaches it"));
    if (out->n_routes)
        add_reason(m, &risk, 0.15,
                   ken_arena_printf(m->arena, "%zu routes or events lead to it", out->n_routes));
    if (complexity >= 15)
        add_reason(m, &risk, 0.1 + (complexity > 40 ? 0.1 : 0),
                   ken_arena_printf(m->arena, "complexity %u", complexity));
    if (n_commits >= 5)
        add_reason(m, &risk, 0.1,
                   ken_arena_printf(m->arena, "%u commits in the last 90 days", n_commits));
    if (out->n_unresolved)
        add_reason(m, &risk, 0.1,
                   ken_arena_printf(m->arena, "%zu places use its name and could not be resolved",
                                    out->n_unresolved));
    out->risk = risk;
    out->risk_level = risk < 0.3 ? "low" : risk < 0.6 ? "medium" : "high";
}

// ---- the question -------------------------------------------------------------------------------

static ken_status check(const ken_impact_opts *o, ken_err *err)
{
    int n = (o->symbol.len > 0) + (o->path.len > 0) + o->wants_diff;
    if (n != 1)
        return KEN_FAIL(err, KEN_EINVAL, "expected one of symbol, file_path and diff, got %s",
                        n ? "several" : "none");
    if (o->max_depth > DEPTH_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "max_depth: expected 1 to %d, got %u", DEPTH_MAX,
                        o->max_depth);
    if (o->limit > LIMIT_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "limit: expected 1 to %d, got %u", LIMIT_MAX, o->limit);
    return KEN_OK;
}

static ken_status answer(impact *m, ken_err *err)
{
    uint32_t limit = m->o->limit ? m->o->limit : LIMIT_DEFAULT, n_commits = 0;
    ken_status st = m->o->symbol.len ? change_symbol(m, err)
                    : m->o->path.len ? change_path(m, err)
                                     : change_diff(m, err);
    if (!st)
        st = spread(m, m->o->max_depth ? m->o->max_depth : DEPTH_DEFAULT, err);
    if (st)
        return st;
    show_changed(m, limit);
    count_reached(m, limit);
    show_reached(m, limit);
    m->out->n_unresolved = m->unresolved.len;
    bool is_part = ken_quota_is_settled();
    st = is_part ? KEN_OK : show_similar(m, err);
    if (!st && !is_part)
        st = show_together(m, &n_commits, err);
    if (!st && !is_part)
        st = show_routes(m, err);
    if (!st)
        judge(m, n_commits);
    return st;
}

ken_status ken_query_impact(ken_snapshot *s, const ken_impact_opts *o, const ken_cancel *cancel,
                            ken_arena *arena, ken_impact *out, ken_err *err)
{
    *out = (ken_impact){ .risk_level = "low" };
    ken_quota_offer_part();
    impact m = { .s = s, .o = o, .cancel = cancel, .arena = arena, .out = out };
    ken_status st = check(o, err);
    if (!st)
        st = query_graph_open(s, &m.g, err);
    if (st)
        return st;
    ken_map_init(&m.seen);
    st = answer(&m, err);
    ken_map_release(&m.seen);
    ken_vec_release(&m.changed);
    ken_vec_release(&m.reached);
    ken_vec_release(&m.files);
    ken_vec_release(&m.edges);
    ken_vec_release(&m.unresolved);
    return st;
}
