// SPDX-License-Identifier: MIT
// Lists of definitions: the most used types, the most complex code that changes often, the tests
// that reach something, what nothing uses.
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "query/query_arch_priv.h"

enum {
    FILES_LOOKED_AT = 24, // of hot spots
    DEAD_BATCH = 256
};

// Every order here ends with the place, files being numbered by path: what is equal must not come
// in the order in which it happened to be indexed.
static int by_id(const ken_graph_def *x, const ken_graph_def *y)
{
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->def > y->def) - (x->def < y->def);
}

static int by_score(const void *a, const void *b)
{
    const ken_key_symbol *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return by_id(&x->node.id, &y->node.id);
}

// ---- types --------------------------------------------------------------------------------------

typedef struct found_type {
    ken_str name;
    ken_graph_def def;
} found_type;

typedef struct type_walk {
    ken_snapshot *s;
    const ken_lex_part *part;
    ken_arena names;
    KEN_VEC(found_type) found;
} type_walk;

// One name of a part of the index: the types of that name that are in the tree now.
static bool add_types(void *ctx, ken_str text, const ken_name_posting *p, uint32_t n)
{
    type_walk *w = ctx;
    ken_str name = { NULL, 0 };
    for (uint32_t i = 0; i < n && text.len >= 3; i++) {
        int32_t file = w->part->first_file[p[i].content];
        if (file < 0 || !ken_symbol_is_type(p[i].kind) || p[i].kind == KEN_SYMBOL_TABLE)
            continue;
        if (!name.ptr)
            name = ken_arena_dup(&w->names, text);
        found_type t = { name, { (uint32_t)file, p[i].symbol } };
        ken_vec_push(&w->found, t);
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    const found_type *x = a, *y = b;
    int name = ken_str_cmp(x->name, y->name);
    return name ? name : by_id(&x->def, &y->def);
}

// `n` types of one name, in order, of which the first outside of tests is meant.
static void keep_type(ken_snapshot *s, const found_type *t, uint32_t n, query_type_uses *kept)
{
    uint32_t at = 0;
    while (at < n && query_is_test(s, t[at].def.file))
        at++;
    if (n > 2 || at == n)
        return;
    query_type_use use = { t[at].def, query_graph_count_with(s, t->name), n };
    if (use.n_users > 1)
        kept->uses[kept->n++] = use;
}

static void keep_types(ken_snapshot *s, const found_type *t, size_t n, query_type_uses *kept)
{
    kept->uses = KEN_ARENA_ARRAY(query_graph_arena(s), query_type_use, n + 1);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && ken_str_eq(t[to].name, t[from].name);)
            to++;
        keep_type(s, &t[from], (uint32_t)(to - from), kept);
    }
    kept->is_known = true;
}

// All of the tree, looked for once and kept with the graph.
static ken_status find_type_uses(ken_snapshot *s, const query_type_uses **out, ken_err *err)
{
    query_type_uses *kept = query_graph_types(s);
    *out = kept;
    if (kept->is_known)
        return KEN_OK;
    type_walk w = { .s = s };
    ken_status st = KEN_OK;
    ken_arena_init(&w.names, 0);
    for (uint32_t i = 0; !st && i < s->corpus.n_parts; i++) {
        w.part = &s->corpus.parts[i];
        st = ken_lex_names_prefix(w.part->segment, KEN_STR(""), add_types, &w, err);
    }
    if (w.found.len)
        qsort(w.found.ptr, w.found.len, sizeof *w.found.ptr, by_name);
    if (!st)
        keep_types(s, w.found.ptr, w.found.len, kept);
    ken_vec_release(&w.found);
    ken_arena_release(&w.names);
    return st;
}

ken_status query_find_types(ken_snapshot *s, const query_focus *focus, size_t limit,
                            ken_arena *arena, ken_key_symbol **out, size_t *out_n, ken_err *err)
{
    const query_type_uses *uses;
    KEN_VEC(ken_key_symbol) found = { 0 };
    ken_status st = find_type_uses(s, &uses, err);
    for (size_t i = 0; !st && i < uses->n; i++) {
        const query_type_use *u = &uses->uses[i];
        ken_key_symbol k = { .node.id = u->def,
                             .n_users = u->n_users,
                             .score = (double)u->n_users / u->n_types };
        if (query_in_focus(s, u->def.file, focus))
            ken_vec_push(&found, k);
    }
    if (found.len)
        qsort(found.ptr, found.len, sizeof *found.ptr, by_score);
    *out = KEN_ARENA_ARRAY(arena, ken_key_symbol, limit);
    *out_n = 0;
    for (size_t i = 0; !st && i < found.len && *out_n < limit; i++) {
        ken_key_symbol k = found.ptr[i];
        if (query_graph_name(s, k.node.id, arena, &k.node))
            (*out)[(*out_n)++] = k;
    }
    ken_vec_release(&found);
    return st;
}

// ---- hot spots ----------------------------------------------------------------------------------

typedef struct hot_file {
    uint32_t file, n_commits;
    double score;
} hot_file;

static int by_heat(const void *a, const void *b)
{
    const hot_file *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

// Files by size and commits; without history by size alone.
static hot_file *find_hot_files(ken_snapshot *s, const query_focus *focus, ken_history *h,
                                ken_arena *arena, size_t *out_n)
{
    hot_file *files = KEN_ARENA_ARRAY(arena, hot_file, s->n_files + (size_t)1);
    *out_n = 0;
    for (uint32_t f = 0; f < s->n_files; f++) {
        ken_history_file known = { 0 };
        if (!query_in_focus(s, f, focus) || query_is_test(s, f) ||
            (s->path_bits[f] & (KEN_PATH_EXAMPLE | KEN_PATH_COMPAT)))
            continue;
        ken_history_find(h, s->rows[f].path, &known);
        double changes = log1p(known.n_commits) + log1p(known.n_recent) + 0.1;
        files[(*out_n)++] =
            (hot_file){ f, known.n_commits, log1p(s->contents[f].n_lines) * changes };
    }
    if (*out_n)
        qsort(files, *out_n, sizeof *files, by_heat);
    return files;
}

static void add_functions(ken_snapshot *s, const hot_file *f, ken_arena *arena, ken_key_symbol *out,
                          size_t *n, size_t max)
{
    const ken_unit_text *u = ken_graph_unit(query_graph_at_hand(s), f->file);
    for (uint32_t d = 0; u && d < u->facts->n_symbols && d < u->refs->n_defs && *n < max; d++) {
        uint16_t complexity = u->refs->defs[d].complexity;
        ken_key_symbol k = { .n_commits = f->n_commits,
                             .score = complexity * (log1p(f->n_commits) + 0.1) };
        if (complexity >= 5 && query_graph_name(s, (ken_graph_def){ f->file, d }, arena, &k.node))
            out[(*n)++] = k;
    }
}

ken_status query_find_hotspots(ken_snapshot *s, const query_focus *focus, size_t limit,
                               const ken_cancel *cancel, ken_arena *arena, ken_key_symbol **out,
                               size_t *out_n, ken_err *err)
{
    enum {
        HELD = 4000
    };
    ken_history *h;
    ken_status st = ken_snapshot_history(s, true, cancel, &h, err);
    *out = KEN_ARENA_ARRAY(arena, ken_key_symbol, HELD);
    *out_n = 0;
    if (st)
        return st;
    size_t n_files, n = 0;
    hot_file *files = find_hot_files(s, focus, h, arena, &n_files);
    for (size_t i = 0; i < n_files && i < FILES_LOOKED_AT; i++)
        add_functions(s, &files[i], arena, *out, &n, HELD);
    if (n)
        qsort(*out, n, sizeof **out, by_score);
    *out_n = n < limit ? n : limit;
    return KEN_OK;
}

ken_status ken_find_hotspots(ken_snapshot *s, ken_str folder, size_t limit,
                             const ken_cancel *cancel, ken_arena *arena, ken_key_symbol **out,
                             size_t *out_n, ken_err *err)
{
    query_focus focus;
    ken_graph *g;
    ken_status st = query_focus_on(s, KEN_ARCH_FULL, folder, arena, &focus, err);
    if (!st)
        st = query_graph_open(s, &g, err);
    return st ? st : query_find_hotspots(s, &focus, limit, cancel, arena, out, out_n, err);
}

// ---- tests --------------------------------------------------------------------------------------

ken_status ken_tests_for(ken_snapshot *s, ken_str symbol_or_path, size_t limit,
                         const ken_cancel *cancel, ken_arena *arena, ken_dependent **out,
                         size_t *out_n, ken_err *err)
{
    ken_str relative = query_relative_path(s, symbol_or_path, arena);
    bool is_path = relative.ptr && query_file_index(s, relative) >= 0;
    ken_impact_opts o = { .max_depth = 5, .num_similar = 0, .limit = 1 };
    if (is_path)
        o.path = relative;
    else
        o.symbol = symbol_or_path;
    ken_impact found;
    ken_status st = ken_query_impact(s, &o, cancel, arena, &found, err);
    if (st)
        return st;
    *out = found.tests;
    *out_n = found.n_tests < limit ? found.n_tests : limit;
    return KEN_OK;
}

// ---- dead code ----------------------------------------------------------------------------------

// What may be reached otherwise than by its name: entries, tests, overrides, exported things,
// what a framework calls.
static bool may_be_called(ken_graph *g, const ken_unit_text *u, ken_graph_def d)
{
    const ken_symbol *s = &u->facts->symbols[d.def];
    const ken_def_info *info = &u->refs->defs[d.def];
    static const char *const names[] = { "main",     "Main",        "init",     "setup",
                                         "teardown", "constructor", "toString", "default",
                                         "new",      "drop",        "fmt",      "run" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ken_str_eq_c(s->name, names[i]))
            return true;
    if (ken_str_starts(s->name, KEN_STR("__")) || ken_str_starts(s->name, KEN_STR("operator")) ||
        (info->flags & (KEN_DEF_EXPORTED | KEN_DEF_OVERRIDE | KEN_DEF_ABSTRACT)))
        return true;
    for (uint32_t i = 0; i < u->refs->n_refs; i++) // decorated: a framework knows it
        if (u->refs->refs[i].role == KEN_REF_DECORATE && u->refs->refs[i].byte >= s->span.start &&
            u->refs->refs[i].byte < s->signature.end)
            return true;
    ken_graph_def base[1];
    return ken_graph_overridden(g, d, base, 1) > 0;
}

static bool is_candidate(ken_graph *g, const ken_unit_text *u, ken_graph_def d)
{
    const ken_symbol *s = &u->facts->symbols[d.def];
    if (!ken_symbol_is_callable(s->kind) && !ken_symbol_is_type(s->kind))
        return false;
    if (s->kind == KEN_SYMBOL_CONSTRUCTOR || s->kind == KEN_SYMBOL_MODULE ||
        d.def >= u->refs->n_defs || s->name.len < 2)
        return false;
    return !may_be_called(g, u, d);
}

typedef struct dead_batch {
    ken_graph_def defs[DEAD_BATCH];
    uint32_t n_uses[DEAD_BATCH], n_unresolved[DEAD_BATCH];
    uint32_t n;
} dead_batch;

typedef struct burying {
    ken_snapshot *s;
    ken_graph *g;
    const ken_cancel *cancel;
    ken_arena *arena;
    ken_dead *out;
    size_t n, limit, n_total;
    dead_batch batch;
    ken_map index; // definition -> place in the batch
    query_edges edges, unresolved;
} burying;

static void count_uses(burying *b)
{
    for (size_t i = 0; i < b->edges.len; i++) {
        const query_edge *e = &b->edges.ptr[i];
        ken_graph_def by = { e->file, (ken_def_id)e->within };
        bool is_itself = e->within >= 0 && by.file == e->to.file && by.def == e->to.def;
        const uint64_t *at = ken_map_find(&b->index, query_def_key(&e->to));
        if (at && !is_itself && e->role != KEN_REF_IMPORT)
            b->batch.n_uses[*at]++;
    }
    for (size_t i = 0; i < b->unresolved.len; i++) {
        const query_edge *e = &b->unresolved.ptr[i];
        const ken_unit_text *u = ken_graph_unit(b->g, e->file);
        ken_str name = u ? u->refs->exprs[u->refs->refs[e->ref].expr].name : KEN_STR("");
        for (uint32_t k = 0; k < b->batch.n; k++) {
            const ken_unit_text *d = ken_graph_unit(b->g, b->batch.defs[k].file);
            if (ken_str_eq(ken_graph_name(d, b->batch.defs[k].def), name))
                b->batch.n_unresolved[k]++;
        }
    }
}

static ken_status end_batch(burying *b, ken_err *err)
{
    ken_vec_clear(&b->edges);
    ken_vec_clear(&b->unresolved);
    ken_status st = query_edges_to(b->s, b->g, b->batch.defs, b->batch.n, b->cancel, b->arena,
                                   &b->edges, &b->unresolved, err);
    bool is_part = ken_quota_is_settled(); // of a part of the uses nothing follows
    if (!st && !is_part)
        count_uses(b);
    for (uint32_t i = 0; !st && !is_part && i < b->batch.n; i++) {
        ken_dead d = { .n_unresolved = b->batch.n_unresolved[i] };
        if (b->batch.n_uses[i])
            continue;
        b->n_total++;
        d.why = d.n_unresolved ? ken_arena_printf(b->arena,
                                                  "no use was found; %u places that use this name "
                                                  "could not be resolved",
                                                  d.n_unresolved)
                               : KEN_STR("no place in the tree uses it");
        if (b->n < b->limit && query_graph_name(b->s, b->batch.defs[i], b->arena, &d.node))
            b->out[b->n++] = d;
    }
    b->batch = (dead_batch){ .n = 0 };
    ken_map_release(&b->index);
    ken_map_init(&b->index);
    return st;
}

static ken_status look_at(burying *b, uint32_t file, ken_err *err)
{
    const ken_unit_text *u = ken_graph_unit(b->g, file);
    ken_status st = KEN_OK;
    for (uint32_t i = 0; u && !st && !ken_quota_is_settled() && i < u->facts->n_symbols; i++) {
        ken_graph_def d = { file, i };
        st = ken_cancel_check(b->cancel, err);
        if (st || !is_candidate(b->g, u, d))
            continue;
        ken_map_put(&b->index, query_def_key(&d), b->batch.n, NULL);
        b->batch.defs[b->batch.n++] = d;
        if (b->batch.n < DEAD_BATCH)
            continue;
        st = end_batch(b, err);
        u = ken_graph_unit(b->g, file); // it may have been let go of
    }
    return st;
}

static int by_certainty(const void *a, const void *b)
{
    const ken_dead *x = a, *y = b;
    if (x->n_unresolved != y->n_unresolved)
        return x->n_unresolved < y->n_unresolved ? -1 : 1;
    return by_id(&x->node.id, &y->node.id);
}

ken_status ken_find_dead(ken_snapshot *s, ken_str folder, size_t limit, const ken_cancel *cancel,
                         ken_arena *arena, ken_dead **out, size_t *out_n, size_t *out_total,
                         ken_err *err)
{
    query_focus focus;
    ken_quota_offer_part();
    burying *b = KEN_ARENA_NEW(arena, burying);
    *b = (burying){ .s = s, .cancel = cancel, .arena = arena, .limit = limit };
    b->out = KEN_ARENA_ARRAY(arena, ken_dead, limit + 1);
    ken_status st = query_focus_on(s, KEN_ARCH_FULL, folder, arena, &focus, err);
    if (!st)
        st = query_graph_open(s, &b->g, err);
    ken_map_init(&b->index);
    uint32_t n_looked_at = 0;
    for (uint32_t f = 0; !st && !ken_quota_is_settled() && f < s->n_files; f++) {
        st = ken_cancel_check(cancel, err);
        if (st || !query_in_focus(s, f, &focus) || query_is_test(s, f))
            continue;
        query_graph_ease(s);
        if (query_graph_is_full(s)) {
            query_graph_close(s);
            st = query_graph_open(s, &b->g, err);
        }
        if (!st)
            st = look_at(b, f, err);
        n_looked_at = f;
    }
    if (!st && b->batch.n && !ken_quota_is_settled())
        st = end_batch(b, err);
    if (b->n && ken_quota_settle(st, err))
        st = KEN_OK;
    if (ken_quota_is_settled())
        ken_quota_say("%u of %u files were looked at", n_looked_at, s->n_files);
    if (!st && ken_quota_is_settled() && !b->n)
        st = ken_quota_fail_empty(err);
    if (b->n)
        qsort(b->out, b->n, sizeof *b->out, by_certainty);
    *out = b->out;
    *out_n = b->n;
    *out_total = b->n_total;
    ken_map_release(&b->index);
    ken_vec_release(&b->edges);
    ken_vec_release(&b->unresolved);
    return st;
}
