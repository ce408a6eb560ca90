// SPDX-License-Identifier: MIT
// Edges of definitions. Outgoing ones are the references inside one. Incoming ones are looked for
// in the files that say its name, or import it under another; those of many definitions in one
// pass.
#include <stdlib.h>

#include "base/map.h"
#include "base/path.h"
#include "query/query_graph_priv.h"

enum {
    TWINS_MAX = 16,
    ALIASES_MAX = 64,
    BOUND_MAX = 8,
    RENAMED_MAX = 16 // names by which others know what a file passes on
};

// What is looked for. Definitions that are the same thing lead to the one that was asked for.
typedef struct edge_search {
    ken_snapshot *s;
    ken_graph *g;
    const ken_graph_def *defs;
    ken_map names;  // of all of them -> 1
    ken_map wanted; // definition -> its number in defs, + n_defs when it is only overridden
    uint32_t n_defs;
    bool has_default; // one of them may be called otherwise elsewhere
    ken_arena *arena;
    query_edges *out, *unresolved;
} edge_search;

// A default export is called otherwise elsewhere: whoever imports its file is asked, too.
static bool is_default_export(const ken_unit_text *u, ken_def_id def)
{
    ken_str name = ken_graph_name(u, def);
    if (ken_str_eq(name, KEN_STR("default")))
        return true;
    for (uint32_t i = 0; i < u->refs->n_binds; i++)
        if (!u->refs->binds[i].module.len && ken_str_eq(u->refs->binds[i].name, name) &&
            ken_str_eq(u->refs->binds[i].local, KEN_STR("default")))
            return true;
    return false;
}

static bool add_wanted(edge_search *e, uint32_t i)
{
    const ken_unit_text *u = ken_graph_unit(e->g, e->defs[i].file);
    if (!u || e->defs[i].def >= u->facts->n_symbols + u->refs->n_implied)
        return false;
    ken_graph_def same[TWINS_MAX];
    uint32_t n = ken_graph_twins(e->g, e->defs[i], same, TWINS_MAX);
    for (uint32_t k = 0; k < n; k++)
        ken_map_put(&e->wanted, query_def_key(&same[k]), i, NULL);
    n = ken_graph_overridden(e->g, e->defs[i], same, TWINS_MAX);
    for (uint32_t k = 0; k < n; k++)
        ken_map_put(&e->wanted, query_def_key(&same[k]), (uint64_t)i + e->n_defs, NULL);
    ken_map_put(&e->names, ken_graph_name(u, e->defs[i].def), 1, NULL);
    bool is_default = is_default_export(u, e->defs[i].def);
    e->has_default = e->has_default || is_default;
    return is_default;
}

static ken_status mark_files(edge_search *e, ken_str name, uint8_t *marked, ken_arena *arena,
                             ken_err *err)
{
    uint32_t *files;
    size_t n;
    ken_status st = query_graph_files_with(e->s, name, arena, &files, &n, err);
    for (size_t f = 0; !st && f < n; f++)
        marked[files[f]] = 1;
    return st;
}

// Whether the import passes on, under another name, what is looked for: `export { a as b }`.
static bool is_passed_on(const edge_search *e, const ken_unit_text *u, const ken_bind *b)
{
    return ((b->flags & KEN_BIND_EXPORTED) || u->lang == KEN_LANG_PYTHON) && b->local.len &&
           ken_map_find(&e->names, b->name) && !ken_map_find(&e->names, b->local) &&
           !ken_str_eq(b->local, KEN_STR("default"));
}

static ken_status add_renamed(edge_search *e, uint32_t file, uint32_t *n_added, uint8_t *marked,
                              ken_arena *arena, ken_err *err)
{
    const ken_unit_text *u = ken_graph_unit(e->g, file);
    ken_status st = KEN_OK;
    for (uint32_t i = 0; !st && u && i < u->refs->n_binds && *n_added < RENAMED_MAX; i++) {
        if (!is_passed_on(e, u, &u->refs->binds[i]))
            continue;
        ken_map_put(&e->names, u->refs->binds[i].local, 1, NULL);
        st = mark_files(e, u->refs->binds[i].local, marked, arena, err);
        ++*n_added;
    }
    return st;
}

// Files to look into, none twice: those that say one of the names, those that import a default.
static ken_status gather_files(edge_search *e, uint8_t *marked, ken_arena *arena, ken_err *err)
{
    ken_status st = KEN_OK;
    uint32_t n_renamed = 0;
    for (uint32_t i = 0; !st && i < e->n_defs; i++) {
        bool is_default = add_wanted(e, i);
        const ken_unit_text *u = ken_graph_unit(e->g, e->defs[i].file);
        if (!u)
            continue;
        ken_str names[2] = { ken_graph_name(u, e->defs[i].def),
                             ken_path_stem(ken_path_base(e->s->rows[e->defs[i].file].path)) };
        for (uint32_t k = 0; !st && k < (is_default ? 2 : 1); k++)
            st = mark_files(e, names[k], marked, arena, err);
    }
    for (uint32_t f = 0; !st && f < e->s->n_files; f++)
        if (marked[f])
            st = add_renamed(e, f, &n_renamed, marked, arena, err);
    return st;
}

// Names by which a file calls something that is looked for: their own, and what it imports them as.
typedef struct aliases {
    ken_str names[ALIASES_MAX];
    uint32_t n;
} aliases;

static void find_aliases(const edge_search *e, const ken_refs *r, aliases *out)
{
    out->n = 0;
    for (uint32_t i = 0; i < r->n_binds && out->n < ALIASES_MAX; i++) {
        const ken_bind *b = &r->binds[i];
        bool is_renamed = b->local.len && !ken_str_eq(b->local, b->name);
        if (is_renamed && ((b->name.len && ken_map_find(&e->names, b->name)) || e->has_default))
            out->names[out->n++] = b->local;
    }
}

static bool is_asked(const edge_search *e, const aliases *a, ken_str name)
{
    if (ken_map_find(&e->names, name))
        return true;
    for (uint32_t i = 0; i < a->n; i++)
        if (ken_str_eq(a->names[i], name))
            return true;
    return false;
}

static void add_edge(edge_search *e, query_edges *to, uint32_t file, uint32_t ref, const ken_ref *r,
                     const ken_targets *t, ken_graph_def def)
{
    query_edge edge = { .file = file,
                        .ref = ref,
                        .within = ken_graph_within(e->g, file, r->byte),
                        .role = r->role,
                        .class = t->class,
                        .to = def,
                        .evidence = t->evidence };
    ken_vec_push(to, edge);
}

// Why a call of the method `named` may run `def`, which overrides it.
static const char *why_overriding(edge_search *e, uint32_t file, uint32_t ref, ken_graph_def named,
                                  ken_graph_def def)
{
    const ken_unit_text *u = ken_graph_unit(e->g, file);
    query_edge edge = { .file = file, .ref = ref, .role = u->refs->refs[ref].role, .to = named };
    query_bound bound[BOUND_MAX];
    uint32_t n = query_bound_by(e->s, e->g, &edge, e->arena, bound, BOUND_MAX);
    for (uint32_t i = 0; i < n; i++)
        if (bound[i].def.file == def.file && bound[i].def.def == def.def)
            return bound[i].evidence;
    return n ? ken_arena_printf(e->arena, "names the method that this one overrides, %s",
                                bound[0].evidence)
                   .ptr
             : "names the method that this one overrides";
}

// Whether one of the targets is looked for; which one.
static bool is_meant(edge_search *e, uint32_t file, uint32_t ref, ken_targets *t,
                     ken_graph_def *out)
{
    for (uint32_t k = 0; k < t->n; k++) {
        const uint64_t *at = ken_map_find(&e->wanted, query_def_key(&t->defs[k]));
        if (!at)
            continue;
        *out = e->defs[*at % e->n_defs];
        if (*at >= e->n_defs) {
            t->class = KEN_EDGE_INFERRED;
            t->evidence = why_overriding(e, file, ref, t->defs[k], *out);
        }
        return true;
    }
    return false;
}

static void search_file(edge_search *e, uint32_t file)
{
    const ken_unit_text *u = ken_graph_unit(e->g, file);
    aliases called;
    if (!u)
        return;
    find_aliases(e, u->refs, &called);
    uint8_t *asked = ken_zalloc(u->refs->n_exprs + (size_t)1); // by expression
    for (uint32_t i = 1; i < u->refs->n_exprs; i++) {
        const ken_expr *x = &u->refs->exprs[i];
        asked[i] =
            (x->op == KEN_EXPR_NAME || x->op == KEN_EXPR_MEMBER) && is_asked(e, &called, x->name);
    }
    for (uint32_t i = 0; i < u->refs->n_refs; i++) {
        const ken_ref *r = &u->refs->refs[i];
        ken_targets t;
        ken_graph_def def;
        if (!asked[r->expr])
            continue;
        ken_graph_resolve(e->g, file, r->expr, r->role, &t);
        if (is_meant(e, file, i, &t, &def))
            add_edge(e, e->out, file, i, r, &t, def);
        else if (t.class == KEN_EDGE_UNRESOLVED && e->unresolved)
            add_edge(e, e->unresolved, file, i, r, &t, (ken_graph_def){ UINT32_MAX, 0 });
    }
    ken_free(asked);
}

ken_status query_edges_to(ken_snapshot *s, ken_graph *g, const ken_graph_def *defs, uint32_t n_defs,
                          const ken_cancel *cancel, ken_arena *arena, query_edges *out,
                          query_edges *unresolved, ken_err *err)
{
    edge_search e = { .s = s,
                      .g = g,
                      .defs = defs,
                      .n_defs = n_defs,
                      .arena = arena,
                      .out = out,
                      .unresolved = unresolved };
    ken_map_init(&e.names);
    ken_map_init(&e.wanted);
    uint8_t *marked = ken_zalloc(s->n_files + (size_t)1);
    ken_status st = gather_files(&e, marked, arena, err);
    for (uint32_t f = 0, n = 0; !st && f < s->n_files; f++) {
        if (!marked[f])
            continue;
        search_file(&e, f);
        st = ++n % 64 == 0 ? ken_cancel_check(cancel, err) : KEN_OK;
    }
    ken_free(marked);
    ken_map_release(&e.names);
    ken_map_release(&e.wanted);
    return st;
}

uint32_t query_first_ref(const ken_refs *r, uint32_t byte)
{
    uint32_t lo = 0, hi = r->n_refs;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (r->refs[mid].byte < byte)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void query_edges_from(ken_graph *g, ken_graph_def def, query_edges *out)
{
    const ken_unit_text *u = ken_graph_unit(g, def.file);
    if (!u || def.def >= u->facts->n_symbols)
        return;
    query_edges_in(g, def.file, u->facts->symbols[def.def].span, out);
}

void query_edges_in(ken_graph *g, uint32_t file, ken_span span, query_edges *out)
{
    const ken_unit_text *u = ken_graph_unit(g, file);
    if (!u)
        return;
    for (uint32_t i = query_first_ref(u->refs, span.start);
         i < u->refs->n_refs && u->refs->refs[i].byte < span.end; i++) {
        const ken_ref *r = &u->refs->refs[i];
        ken_targets t;
        ken_graph_resolve(g, file, r->expr, r->role, &t);
        for (uint32_t k = 0; k < (t.n ? t.n : 1); k++) {
            query_edge edge = { .file = file,
                                .ref = i,
                                .within = ken_graph_within(g, file, r->byte),
                                .role = r->role,
                                .class = t.class,
                                .to = t.n ? t.defs[k] : (ken_graph_def){ UINT32_MAX, 0 },
                                .evidence = t.evidence };
            ken_vec_push(out, edge);
        }
    }
}
