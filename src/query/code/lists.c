// SPDX-License-Identifier: MIT
// Lists of definitions: the most used types, the most complex code that changes often, the tests
// that reach something.
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "query/code/arch_priv.h"

enum {
    FILES_LOOKED_AT = 24 // of hot spots
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

// `n` types of one name, in order; the first one outside of tests counts.
static void keep_type(ken_snapshot *s, const found_type *t, uint32_t n, query_type_uses *kept)
{
    uint32_t at = 0;
    while (at < n && ken_query__is_test(s, t[at].def.file))
        at++;
    if (n > 2 || at == n)
        return;
    query_type_use use = { t[at].def, ken_query__graph_count_with(s, t->name), n };
    if (use.n_users > 1)
        kept->uses[kept->n++] = use;
}

static void keep_types(ken_snapshot *s, const found_type *t, size_t n, query_type_uses *kept)
{
    kept->uses = KEN_ARENA_ARRAY(ken_query__graph_arena(s), query_type_use, n + 1);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && ken_str_eq(t[to].name, t[from].name);)
            to++;
        keep_type(s, &t[from], (uint32_t)(to - from), kept);
    }
    kept->is_known = true;
}

// Of the whole tree, computed once and cached with the graph.
static ken_status find_type_uses(ken_snapshot *s, const query_type_uses **out, ken_err *err)
{
    query_type_uses *kept = ken_query__graph_types(s);
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

ken_status ken_query__find_types(ken_snapshot *s, const query_focus *focus, const uint8_t *aside,
                                 size_t limit, ken_arena *arena, ken_key_symbol **out,
                                 size_t *out_n, ken_err *err)
{
    const query_type_uses *uses;
    KEN_VEC(ken_key_symbol) found = { 0 };
    ken_status st = find_type_uses(s, &uses, err);
    for (size_t i = 0; !st && i < uses->n; i++) {
        const query_type_use *u = &uses->uses[i];
        ken_key_symbol k = { .node.id = u->def,
                             .n_users = u->n_users,
                             .score = (double)u->n_users / u->n_types };
        if (ken_query__in_focus(s, u->def.file, focus) && !aside[u->def.file])
            ken_vec_push(&found, k);
    }
    if (found.len)
        qsort(found.ptr, found.len, sizeof *found.ptr, by_score);
    *out = KEN_ARENA_ARRAY(arena, ken_key_symbol, limit);
    *out_n = 0;
    for (size_t i = 0; !st && i < found.len && *out_n < limit; i++) {
        ken_key_symbol k = found.ptr[i];
        if (ken_query__graph_name(s, k.node.id, arena, &k.node))
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
        if (!ken_query__in_focus(s, f, focus) || ken_query__is_test(s, f) ||
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
    const ken_unit_text *u = ken_graph_unit(ken_query__graph_at_hand(s), f->file);
    for (uint32_t d = 0; u && d < u->facts->n_symbols && d < u->refs->n_defs && *n < max; d++) {
        uint16_t complexity = u->refs->defs[d].complexity;
        ken_key_symbol k = { .n_commits = f->n_commits,
                             .score = complexity * (log1p(f->n_commits) + 0.1) };
        if (complexity >= 5 &&
            ken_query__graph_name(s, (ken_graph_def){ f->file, d }, arena, &k.node))
            out[(*n)++] = k;
    }
}

ken_status ken_query__find_hotspots(ken_snapshot *s, const query_focus *focus,
                                    const ken_cancel *cancel, ken_arena *arena,
                                    ken_key_symbol **out, size_t *out_n, ken_err *err)
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
    *out_n = n;
    return KEN_OK;
}

ken_status ken_find_hotspots(ken_snapshot *s, ken_str folder, const ken_cancel *cancel,
                             ken_arena *arena, ken_key_symbol **out, size_t *out_n, ken_err *err)
{
    query_focus focus;
    ken_graph *g;
    ken_status st = ken_query__focus_on(s, KEN_ARCH_FULL, folder, arena, &focus, err);
    if (!st)
        st = ken_query__graph_open(s, &g, err);
    return st ? st : ken_query__find_hotspots(s, &focus, cancel, arena, out, out_n, err);
}

// ---- tests --------------------------------------------------------------------------------------

ken_status ken_tests_for(ken_snapshot *s, const ken_tests_for_opts *o, const ken_cancel *cancel,
                         ken_arena *arena, ken_dependent **out, size_t *out_n, size_t *out_total,
                         ken_err *err)
{
    ken_impact_opts io = {
        .symbol = o->what,
        .max_depth = KEN_TESTS_FOR_STEPS,
        .limit = 1,
        .offset = o->offset > UINT32_MAX ? UINT32_MAX : (uint32_t)o->offset,
        .without_risk = true,
        .max_tests = o->limit > KEN_TESTS_MAX ? KEN_TESTS_MAX : (uint32_t)o->limit,
        .tests = KEN_TESTS_ONLY,
    };
    ken_impact found;
    ken_status st = ken_query_impact(s, &io, cancel, arena, &found, err);
    if (st)
        return st;
    *out = found.tests;
    *out_n = found.n_tests;
    *out_total = found.n_tests_total;
    return KEN_OK;
}
