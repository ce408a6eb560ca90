// SPDX-License-Identifier: MIT
// query_impact: what depends on a definition, a file or a change, level by level; which tests reach
// it; what else is likely to need a change; and how risky that makes it.
//
// One level is one pass over the files that contain one of its names, however many definitions it has.
#include <stdlib.h>

#include "query/code/impact_priv.h"

enum {
    LIMIT_DEFAULT = 30,
    LIMIT_MAX = 200,
    SIMILAR_DEFAULT = 5,
    TOGETHER_MAX = 5,
    TESTS_DEFAULT = 20,
    MAYBE_MAX = 20
};

static const char *const delta_words[KEN_DELTA_KIND_COUNT] = {
#define X(name, word) [KEN_DELTA_##name] = (word),
    KEN_DELTA_KIND_TABLE(X)
#undef X
};

const char *ken_delta_kind_word(ken_delta_kind k)
{
    return k < KEN_DELTA_KIND_COUNT ? delta_words[k] : delta_words[KEN_DELTA_NONE];
}

// ---- what changes -------------------------------------------------------------------------------

static impact_changed *push_changed(impact *m, ken_graph_def d, ken_delta_kind change)
{
    m->out->n_changed_total++;
    m->out->n_by_change[change]++;
    if (m->changed.len >= IMPACT_CHANGED_MAX) {
        m->out->is_at_least = true;
        return NULL;
    }
    ken_vec_push(&m->changed, ((impact_changed){ .id = d, .shown = { .change = change } }));
    return &m->changed.ptr[m->changed.len - 1];
}

impact_changed *ken_query__impact_add_changed(impact *m, ken_graph_def d, ken_delta_kind change)
{
    bool is_new;
    ken_map_put(&m->seen, query_def_key(&d), 0, &is_new);
    if (!is_new)
        return NULL;
    impact_changed *c = push_changed(m, d, change);
    if (c)
        ken_map_put(&m->changed_at, query_def_key(&d), m->changed.len - 1, NULL);
    return c;
}

impact_changed *ken_query__impact_add_gone(impact *m, ken_delta_kind change, ken_str name)
{
    impact_changed *c = push_changed(m, (ken_graph_def){ UINT32_MAX, 0 }, change);
    if (c)
        c->shown.node = (ken_graph_node){
            .id = { UINT32_MAX, 0 },
            .name = ken_query__repaired(m->arena, ken_arena_dup(m->arena, name)),
        };
    return c;
}

void ken_query__impact_add_file(impact *m, ken_str path)
{
    for (size_t i = 0; i < m->files.len; i++)
        if (ken_str_eq(m->files.ptr[i], path))
            return;
    ken_vec_push(&m->files, path);
}

// What others may name: everything that is not written inside a function (`F.prototype.m = …` has
// an owner that it does not lie in).
static bool is_outer(const ken_facts *f, uint32_t i)
{
    ken_span span = f->symbols[i].span;
    for (int32_t p = f->symbols[i].parent; p >= 0; p = f->symbols[p].parent)
        if (ken_symbol_is_callable(f->symbols[p].kind) && f->symbols[p].span.start <= span.start &&
            f->symbols[p].span.end >= span.end)
            return false;
    ken_symbol_kind kind = f->symbols[i].kind;
    return kind < KEN_SYMBOL_TEST && kind != KEN_SYMBOL_IMPL;
}

void ken_query__impact_add_lines(impact *m, uint32_t file, uint32_t first, uint32_t last)
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
            ken_query__impact_add_changed(m, (ken_graph_def){ file, i }, KEN_DELTA_NONE);
    }
}

static ken_status change_symbol(impact *m, ken_err *err)
{
    ken_graph_nodes found;
    ken_status st = ken_graph_find(m->s, m->o->symbol, m->o->file_hint, 0, m->arena, &found, err);
    if (st)
        return st;
    m->out->missed_scope = found.missed_scope;
    m->out->chosen =
        ken_query__other_choices(m->g, &found, m->arena, &m->out->others, &m->out->n_others);
    ken_query__impact_add_changed(m, found.nodes[0].id, KEN_DELTA_NONE);
    ken_query__impact_add_file(m, m->s->rows[found.nodes[0].id.file].path);
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
    ken_str relative = ken_query__relative_path(m->s, path, m->arena);
    int64_t file = relative.ptr ? ken_query__file_index(m->s, relative) : -1;
    if (file < 0) {
        ken_status st = ken_view_file(m->s, path, m->arena, &view, err);
        if (!st && ken_snapshot_is_partial(m->s))
            return ken_query__fail_unknown(m->s, path, m->arena, err);
        return st ? st
                  : KEN_FAIL(err, KEN_ENOTFOUND,
                             "'" KEN_STR_FMT "' is new: it is not in the index yet",
                             KEN_STR_ARG(path));
    }
    ken_query__impact_add_file(m, m->s->rows[file].path);
    if (line)
        ken_query__impact_add_lines(m, (uint32_t)file, (uint32_t)line - 1, (uint32_t)line - 1);
    else
        ken_query__impact_add_lines(m, (uint32_t)file, 0, UINT32_MAX - 1);
    return KEN_OK;
}

// ---- what depends on it -------------------------------------------------------------------------

static int32_t place_of(const impact *m, const ken_graph_def *d)
{
    const uint64_t *at = ken_map_find(&m->seen, query_def_key(d));
    return at && *at ? (int32_t)*at - 1 : -1;
}

static impact_reached *add_reached(impact *m, ken_graph_def d, uint32_t distance,
                                   ken_edge_class class)
{
    bool is_new;
    uint64_t *at = ken_map_put(&m->seen, query_def_key(&d), m->reached.len + 1, &is_new);
    if (!is_new) {
        impact_reached *r = *at ? &m->reached.ptr[*at - 1] : NULL;
        if (!r || r->distance != distance)
            return NULL;
        r->n_sites++;
        r->class = class < r->class && distance == 1 ? class : r->class;
        return r;
    }
    impact_reached r = { .id = d,
                         .distance = distance,
                         .n_sites = 1,
                         .class = class,
                         .is_test = ken_query__is_test_def(m->s, m->g, d),
                         .ref = UINT32_MAX,
                         .via = { UINT32_MAX, 0 } };
    ken_vec_push(&m->reached, r);
    return &m->reached.ptr[m->reached.len - 1];
}

impact_reached *ken_query__impact_reach_user(impact *m, ken_graph_def user, ken_edge_class class)
{
    return m->reached.len < IMPACT_REACHED_MAX ? add_reached(m, user, 1, class) : NULL;
}

// Users of what has another signature are counted with it.
static void expose(impact *m, const query_edge *e, impact_reached *r)
{
    const uint64_t *at = ken_map_find(&m->changed_at, query_def_key(&e->to));
    ken_changed_def *c = at ? &m->changed.ptr[*at].shown : NULL;
    if (!c || c->change < KEN_DELTA_SIGNATURE)
        return;
    c->n_users++;
    if (c->change > r->change)
        r->change = c->change;
    if (!r->is_broken && e->ref < r->ref)
        r->ref = e->ref;
}

static bool is_called_so(impact *m, ken_graph_def d, const char *patterns)
{
    const ken_unit_text *u = d.def == UINT32_MAX ? NULL : ken_graph_unit(m->g, d.file);
    return u && ken_str_fits(patterns, ken_graph_name(u, d.def));
}

// A definition of a test file that tests use is no test itself. But what `main` calls there are the tests that it
// runs, and what a framework finds by its name (pytest, go test, JUnit 3) is one whoever else calls it. `reached`:
// what the edge leads to; -1 = not reached.
static void note_helper(impact *m, ken_graph_def user, int32_t reached)
{
    const impact_reached *r = reached >= 0 ? &m->reached.ptr[reached] : NULL;
    if (r && r->is_test && !r->is_helper && !ken_graph_def_eq(user, r->id) &&
        ken_query__is_test_def(m->s, m->g, user) && !is_called_so(m, user, "main") &&
        !is_called_so(m, r->id, "test* Test*"))
        m->reached.ptr[reached].is_helper = true;
}

static void reach(impact *m, const query_edge *e, uint32_t distance)
{
    ken_graph_def d = { e->file, e->holder < 0 ? UINT32_MAX : (ken_def_id)e->holder };
    int32_t via = place_of(m, &e->to);
    note_helper(m, d, via);
    if (distance > m->reach)
        return;
    ken_edge_class class = e->class;
    if (via >= 0 && m->reached.ptr[via].class > class)
        class = m->reached.ptr[via].class;
    impact_reached *r = add_reached(m, d, distance, class);
    if (r && query_is_outside(r->via)) {
        r->via = e->to;
        r->via_class = e->class;
    }
    if (r && distance == 1)
        expose(m, e, r);
}

bool ken_query__impact_is_use(const query_edges *edges, size_t i)
{
    const query_edge *e = &edges->ptr[i];
    if (e->role != KEN_REF_IMPORT)
        return true;
    for (size_t k = i; k-- > 0 && edges->ptr[k].file == e->file;)
        if (edges->ptr[k].role != KEN_REF_IMPORT && ken_graph_def_eq(edges->ptr[k].to, e->to))
            return false;
    for (size_t k = i + 1; k < edges->len && edges->ptr[k].file == e->file; k++)
        if (edges->ptr[k].role != KEN_REF_IMPORT && ken_graph_def_eq(edges->ptr[k].to, e->to))
            return false;
    return true;
}

void ken_query__impact_add_maybe(impact *m, ken_graph_def user, uint32_t ref)
{
    bool is_new;
    if (ken_map_find(&m->seen, query_def_key(&user)))
        return;
    uint64_t *at = ken_map_put(&m->maybe_seen, query_def_key(&user), m->maybe.len + 1, &is_new);
    if (!is_new) {
        m->maybe.ptr[*at - 1].n_sites++;
        return;
    }
    impact_reached r = { .id = user,
                         .distance = 1,
                         .n_sites = 1,
                         .class = KEN_EDGE_UNRESOLVED,
                         .is_test = ken_query__is_test_def(m->s, m->g, user),
                         .ref = ref,
                         .via = { UINT32_MAX, 0 } };
    ken_vec_push(&m->maybe, r);
}

// One level: everything that uses one of these.
static ken_status spread_once(impact *m, const ken_graph_def *level, uint32_t n, uint32_t distance,
                              ken_err *err)
{
    ken_vec_clear(&m->edges);
    query_edges *unresolved = distance == 1 ? &m->unresolved : NULL; // of the names of level 0
    ken_status st =
        ken_query__edges_to(m->s, m->g, level, n, m->cancel, m->arena, &m->edges, unresolved, err);
    if (!st)
        st = ken_query__edges_through(m->s, m->g, m->cancel, m->arena, &m->edges, err);
    if (!st && distance == 1)
        m->out->n_places += m->edges.len;
    for (size_t i = 0; !st && i < m->edges.len && m->reached.len < IMPACT_REACHED_MAX; i++)
        if (ken_query__impact_is_use(&m->edges, i))
            reach(m, &m->edges.ptr[i], distance);
    m->out->is_at_least = m->out->is_at_least || m->reached.len >= IMPACT_REACHED_MAX;
    return st;
}

// Unresolved places with the name of a definition whose signature changed.
static void collect_maybe(impact *m)
{
    ken_map names;
    ken_map_init(&names);
    for (size_t i = 0; i < m->changed.len; i++) {
        const impact_changed *c = &m->changed.ptr[i];
        const ken_unit_text *u = c->shown.change == KEN_DELTA_SIGNATURE && c->id.file != UINT32_MAX
                                     ? ken_graph_unit(m->g, c->id.file)
                                     : NULL;
        if (u)
            ken_map_put(&names, ken_graph_name(u, c->id.def), 1, NULL);
    }
    for (size_t i = 0; names.len && i < m->unresolved.len; i++) {
        const query_edge *e = &m->unresolved.ptr[i];
        const ken_unit_text *u = ken_graph_unit(m->g, e->file);
        if (!u || !ken_map_find(&names, u->refs->exprs[u->refs->refs[e->ref].expr].name))
            continue;
        ken_graph_def user = { e->file, e->holder < 0 ? UINT32_MAX : (ken_def_id)e->holder };
        ken_query__impact_add_maybe(m, user, e->ref);
    }
    ken_map_release(&names);
}

typedef KEN_VEC(ken_graph_def) def_list;

// Of what was reached from place `first` on, at most so many: tests, or the others.
static void list_level(impact *m, size_t first, bool wants_tests, def_list *level)
{
    for (size_t i = first; i < m->reached.len; i++) {
        const impact_reached *r = &m->reached.ptr[i];
        if (r->id.def == UINT32_MAX || r->is_test != wants_tests)
            continue;
        if (level->len < IMPACT_LEVEL_MAX)
            ken_vec_push(level, r->id);
        else
            m->out->is_at_least = true;
    }
}

// Level by level; one more than is asked for says which of the last tests are used by others.
static ken_status spread(impact *m, ken_err *err)
{
    ken_status st = KEN_OK;
    def_list level = { 0 };
    for (size_t i = 0; i < m->changed.len; i++)
        if (m->changed.ptr[i].id.file != UINT32_MAX)
            ken_vec_push(&level, m->changed.ptr[i].id);
    size_t first = 0; // what a diff broke is there already
    for (uint32_t d = 1; !st && d <= m->reach + 1 && (level.len || m->reached.len > first); d++) {
        first = d == 1 ? 0 : m->reached.len;
        st = spread_once(m, level.ptr, (uint32_t)level.len, d, err);
        ken_vec_clear(&level);
        if (m->reached.len && ken_quota_settle(st, err))
            st = KEN_OK;
        if (ken_quota_is_settled())
            break;
        if (d < m->reach)
            list_level(m, first, false, &level);
        list_level(m, first, true, &level);
        first = m->reached.len;
    }
    ken_vec_release(&level);
    if (st || !ken_quota_is_settled())
        return st;
    m->out->is_at_least = true;
    return m->reached.len ? KEN_OK : ken_quota_fail_empty(err);
}

// ---- the answer ---------------------------------------------------------------------------------

static bool show_node(impact *m, ken_graph_def d, ken_graph_node *out)
{
    if (d.def != UINT32_MAX)
        return ken_query__graph_name(m->s, d, m->arena, out);
    *out = (ken_graph_node){ .id = d,
                             .path = m->s->rows[d.file].path,
                             .is_test = ken_query__is_test(m->s, d.file) };
    return true;
}

// One that is reached, as it is put in order.
typedef struct ranked {
    const impact_reached *r;
    ken_str path;
} ranked;

static int by_distance(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->r->is_broken != y->r->is_broken)
        return x->r->is_broken ? -1 : 1;
    if (x->r->change != y->r->change)
        return x->r->change > y->r->change ? -1 : 1;
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

// The line of the first place in a changed definition's user.
static uint32_t line_of_ref(impact *m, const impact_reached *r)
{
    query_text t;
    uint32_t line = UINT32_MAX;
    const ken_unit_text *u = r->ref == UINT32_MAX ? NULL : ken_graph_unit(m->g, r->id.file);
    if (!u || r->ref >= u->refs->n_refs ||
        ken_query__load_text(m->s, r->id.file, m->arena, &t, NULL))
        return line;
    u = ken_graph_unit(m->g, r->id.file);
    uint32_t byte = u ? u->refs->refs[r->ref].byte : UINT32_MAX;
    if (ken_query__need_text(&t) && byte < t.text.len) {
        line = 0;
        for (const char *p = t.text.ptr; (p = memchr(p, '\n', byte - (size_t)(p - t.text.ptr)));
             p++)
            line++;
    }
    ken_query__close_text(&t);
    return line;
}

// What it uses, one step nearer; of a test that goes through what tests share, what that leads to.
static ken_graph_def way_of(const impact *m, const impact_reached *r, ken_edge_class *out)
{
    const impact_reached *via = r;
    *out = r->via_class;
    for (int32_t at; (at = place_of(m, &via->via)) >= 0 && m->reached.ptr[at].is_helper;) {
        via = &m->reached.ptr[at];
        *out = via->via_class > *out ? via->via_class : *out;
    }
    return via->via;
}

static bool show_dependent(impact *m, const impact_reached *r, ken_dependent *out)
{
    *out = (ken_dependent){ .distance = r->distance,
                            .class = r->class,
                            .n_sites = r->n_sites,
                            .change = r->change,
                            .is_broken = r->is_broken,
                            .site_line = line_of_ref(m, r) };
    const ken_graph_def via = way_of(m, r, &out->via_class);
    if (!query_is_outside(via))
        (void)ken_query__graph_name(m->s, via, m->arena, &out->via);
    return show_node(m, r->id, &out->node);
}

static bool is_listed(const impact *m, bool is_test)
{
    return m->o->tests != (is_test ? KEN_TESTS_EXCLUDE : KEN_TESTS_ONLY);
}

// Files of what was reached, in the order in which that is shown.
static void list_files(impact *m, const ranked *all, size_t n, uint32_t limit)
{
    ken_impact *out = m->out;
    ken_map paths, broken, dependent;
    ken_map_init(&paths);
    ken_map_init(&broken);
    ken_map_init(&dependent);
    out->files = KEN_ARENA_ARRAY(m->arena, ken_str, limit + 1);
    for (size_t i = 0; i < n; i++) {
        bool is_new = false;
        if (is_listed(m, all[i].r->is_test))
            add_path(&out->files, &out->n_files, &out->n_files_total, limit, &paths, all[i].path);
        if (all[i].r->is_broken)
            ken_map_put(&broken, all[i].path, 1, &is_new);
        out->n_broken_files += is_new;
        is_new = false;
        if (!all[i].r->is_test)
            ken_map_put(&dependent, all[i].path, 1, &is_new);
        out->n_dependent_files += is_new;
    }
    ken_map_release(&paths);
    ken_map_release(&broken);
    ken_map_release(&dependent);
}

static void measure_extent(impact *m)
{
    impact_extent *x = &m->extent;
    ken_map files;
    ken_map_init(&files);
    for (size_t i = 0; i < m->reached.len; i++) {
        const impact_reached *r = &m->reached.ptr[i];
        bool is_new;
        if (r->distance > IMPACT_RISK_STEPS)
            continue;
        ken_map_put(&files, m->s->rows[r->id.file].path, 1, &is_new);
        x->n_files += is_new;
        x->n_tests += r->is_test && !r->is_helper;
        x->n_all += !r->is_test;
        x->n_direct += !r->is_test && r->distance == 1;
    }
    ken_map_release(&files);
}

static void count_reached(impact *m)
{
    ken_impact *out = m->out;
    for (size_t i = 0; i < m->reached.len; i++) {
        const impact_reached *r = &m->reached.ptr[i];
        if (r->distance > m->depth)
            continue;
        out->n_by_distance[r->distance] += !r->is_test;
        out->n_tests_total += r->is_test && !r->is_helper;
        out->n_broken += r->is_broken;
        out->n_exposed += r->change >= KEN_DELTA_SIGNATURE;
    }
}

// Only what is shown is named: thousands may be reached.
static void show_reached(impact *m, uint32_t limit, bool *out_is_cut)
{
    ken_impact *out = m->out;
    ranked *all = KEN_ARENA_ARRAY(m->arena, ranked, m->reached.len + 1);
    bool is_only = m->o->tests == KEN_TESTS_ONLY;
    uint32_t max_tests = m->o->max_tests ? m->o->max_tests : is_only ? limit : TESTS_DEFAULT;
    out->tests = KEN_ARENA_ARRAY(m->arena, ken_dependent, max_tests + 1);
    out->dependents = KEN_ARENA_ARRAY(m->arena, ken_dependent, limit + 1);
    size_t n = 0, offset = m->o->offset, n_tests = 0, n_others = 0;
    for (size_t i = 0; i < m->reached.len; i++)
        if (m->reached.ptr[i].distance <= m->depth)
            all[n++] = (ranked){ &m->reached.ptr[i], m->s->rows[m->reached.ptr[i].id.file].path };
    if (n)
        qsort(all, n, sizeof *all, by_distance);
    list_files(m, all, n, limit);
    for (size_t i = 0; i < n; i++) {
        bool is_test = all[i].r->is_test;
        if (all[i].r->is_helper)
            continue;
        size_t at = is_test ? n_tests++ : n_others++;
        if (!is_listed(m, is_test) || (is_test == is_only && at < offset))
            continue;
        if (is_test && out->n_tests < max_tests)
            out->n_tests += show_dependent(m, all[i].r, &out->tests[out->n_tests]);
        else if (!is_test && out->n_dependents < limit)
            out->n_dependents += show_dependent(m, all[i].r, &out->dependents[out->n_dependents]);
    }
    *out_is_cut = is_only ? n_tests > offset + max_tests : n_others > offset + limit;
}

// Places by a name that a diff removes or changes, of which it is not known what they mean.
static void show_maybe(impact *m)
{
    ken_impact *out = m->out;
    ranked *all = KEN_ARENA_ARRAY(m->arena, ranked, m->maybe.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < m->maybe.len; i++) // what is known to use it is no guess
        if (!ken_map_find(&m->seen, query_def_key(&m->maybe.ptr[i].id)))
            all[n++] = (ranked){ &m->maybe.ptr[i], m->s->rows[m->maybe.ptr[i].id.file].path };
    if (n)
        qsort(all, n, sizeof *all, by_distance);
    out->n_maybe_total = n;
    out->maybe = KEN_ARENA_ARRAY(m->arena, ken_dependent, MAYBE_MAX);
    for (size_t i = 0; i < n && out->n_maybe < MAYBE_MAX; i++)
        out->n_maybe += show_dependent(m, all[i].r, &out->maybe[out->n_maybe]);
}

static int by_change(const void *a, const void *b)
{
    const impact_changed *x = a, *y = b;
    if (x->shown.n_broken != y->shown.n_broken)
        return x->shown.n_broken > y->shown.n_broken ? -1 : 1;
    if (x->shown.change != y->shown.change)
        return x->shown.change > y->shown.change ? -1 : 1;
    if (x->id.file != y->id.file)
        return x->id.file < y->id.file ? -1 : 1;
    if (x->id.def != y->id.def)
        return x->id.def < y->id.def ? -1 : 1;
    int path = ken_str_cmp(x->shown.node.path, y->shown.node.path);
    return path ? path : ken_str_cmp(x->shown.node.name, y->shown.node.name);
}

static void show_changed(impact *m, uint32_t limit)
{
    ken_impact *out = m->out;
    if (m->o->wants_diff && m->changed.len)
        qsort(m->changed.ptr, m->changed.len, sizeof *m->changed.ptr, by_change);
    out->changed = KEN_ARENA_ARRAY(m->arena, ken_changed_def, limit + 1);
    for (size_t i = 0; i < m->changed.len && out->n_changed < limit; i++) {
        ken_changed_def *c = &out->changed[out->n_changed];
        *c = m->changed.ptr[i].shown;
        out->n_changed += m->changed.ptr[i].id.file == UINT32_MAX ||
                          ken_query__graph_name(m->s, m->changed.ptr[i].id, m->arena, &c->node);
    }
    out->changed_files = KEN_ARENA_ARRAY(m->arena, ken_str, m->files.len + 1);
    for (size_t i = 0; i < m->files.len; i++)
        out->changed_files[out->n_changed_files++] = m->files.ptr[i];
}

// Similar code, by vectors; none without them.
static ken_status show_similar(impact *m, ken_err *err)
{
    uint32_t wanted = m->o->num_similar == UINT32_MAX ? SIMILAR_DEFAULT : m->o->num_similar;
    if (!wanted || !m->changed.len)
        return KEN_OK;
    const ken_graph_node *first = NULL;
    for (size_t i = 0; i < m->out->n_changed && !first; i++)
        if (m->out->changed[i].node.id.file != UINT32_MAX)
            first = &m->out->changed[i].node;
    if (!first)
        return KEN_OK;
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

// 0 = it is changed itself, UINT32_MAX = it does not depend on the change.
static uint32_t distance_of(const impact *m, const ken_graph_def *d)
{
    int32_t at = place_of(m, d);
    if (at >= 0)
        return m->reached.ptr[at].distance;
    return ken_map_find(&m->seen, query_def_key(d)) ? 0 : UINT32_MAX;
}

static ken_status show_routes(impact *m, ken_err *err)
{
    ken_route *all;
    size_t n;
    ken_status st =
        ken_query__find_routes(m->s, KEN_STR(""), false, m->cancel, m->arena, &all, &n, err);
    m->out->routes = KEN_ARENA_ARRAY(m->arena, ken_route, n + 1);
    for (size_t i = 0; !st && i < n; i++) {
        uint32_t distance = distance_of(m, &all[i].handler_id);
        m->extent.n_routes += distance <= IMPACT_RISK_STEPS;
        if (distance <= m->depth)
            m->out->routes[m->out->n_routes++] = all[i];
    }
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

// ---- the question -------------------------------------------------------------------------------

static ken_status check(const ken_impact_opts *o, ken_err *err)
{
    int n = (o->symbol.len > 0) + (o->path.len > 0) + o->wants_diff;
    if (n != 1)
        return KEN_FAIL(err, KEN_EINVAL, "expected one of symbol, file_path and diff, got %s",
                        n ? "several" : "none");
    if (o->max_depth > IMPACT_DEPTH_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "max_depth: expected 1 to %d, got %u", IMPACT_DEPTH_MAX,
                        o->max_depth);
    if (o->max_tests > KEN_TESTS_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "max_tests: expected 1 to %d, got %u", KEN_TESTS_MAX,
                        o->max_tests);
    if (o->limit > LIMIT_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "limit: expected 1 to %d, got %u", LIMIT_MAX, o->limit);
    return KEN_OK;
}

// A file that stands for a symbol can mean nothing else.
static ken_impact_opts meant(const impact *m)
{
    ken_impact_opts o = *m->o;
    ken_str path = ken_snapshot_find_path(m->s, o.symbol, m->arena);
    if (path.len) {
        o.path = path;
        o.symbol = KEN_STR("");
    }
    return o;
}

static ken_status answer(impact *m, ken_err *err)
{
    uint32_t limit = m->o->limit ? m->o->limit : LIMIT_DEFAULT, n_commits = 0;
    ken_status st = m->o->symbol.len ? change_symbol(m, err)
                    : m->o->path.len ? change_path(m, err)
                                     : ken_query__impact_change_diff(m, err);
    m->depth = m->o->max_depth ? m->o->max_depth : IMPACT_RISK_STEPS;
    m->out->max_depth = m->depth;
    bool is_near = m->depth < IMPACT_RISK_STEPS && !m->o->without_risk;
    m->reach = is_near ? IMPACT_RISK_STEPS : m->depth;
    if (!st)
        st = spread(m, err);
    if (st)
        return st;
    if (m->o->symbol.len && m->changed.len)
        st = ken_query__note_damaged(m->s, m->g, m->changed.ptr[0].id, m->cancel, m->arena, err);
    if (st)
        return st;
    bool is_cut;
    collect_maybe(m);
    measure_extent(m);
    count_reached(m);
    show_reached(m, limit, &is_cut);
    show_maybe(m);
    show_changed(m, limit);
    m->out->n_unresolved = m->unresolved.len;
    bool is_part = ken_quota_is_settled() || m->o->without_risk;
    st = is_part ? KEN_OK : show_similar(m, err);
    if (!st && !is_part)
        st = show_together(m, &n_commits, err);
    if (!st && !is_part)
        st = show_routes(m, err);
    if (!st && !m->o->without_risk)
        ken_query__impact_judge(m, n_commits); // of all, however much of it is shown
    m->out->is_truncated = m->out->is_at_least || is_cut;
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
        st = ken_query__graph_open(s, &m.g, err);
    if (st)
        return st;
    ken_map_init(&m.seen);
    ken_map_init(&m.changed_at);
    ken_map_init(&m.maybe_seen);
    ken_impact_opts opts = meant(&m);
    m.o = &opts;
    st = answer(&m, err);
    ken_map_release(&m.seen);
    ken_map_release(&m.changed_at);
    ken_map_release(&m.maybe_seen);
    ken_vec_release(&m.maybe);
    ken_vec_release(&m.changed);
    ken_vec_release(&m.reached);
    ken_vec_release(&m.files);
    ken_vec_release(&m.edges);
    ken_vec_release(&m.unresolved);
    return st;
}
