// SPDX-License-Identifier: MIT
// The types that most of the code uses. How many files contain a name is known for all names at once; whether they
// mean the type by it is asked of some of them, for a name like `files` means many things.
#include <stdlib.h>

#include "base/map.h"
#include "query/code/arch_priv.h"

enum {
    NAME_MIN = 3,
    SAME_MAX = 8,  // types of one name that are asked about
    SAMPLE = 16,   // files that are asked, all of them when they are fewer
    ASKED_MAX = 80 // types that are asked about
};

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
    for (uint32_t i = 0; i < n && text.len >= NAME_MIN; i++) {
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
    return name ? name : query_def_order(&x->def, &y->def);
}

// `n` types of one name: those outside of tests.
static void keep_type(ken_snapshot *s, const found_type *t, uint32_t n, query_type_uses *kept)
{
    uint32_t n_users = n <= SAME_MAX ? ken_query__graph_count_with(s, t->name) : 0;
    for (uint32_t i = 0; n_users > 1 && i < n; i++)
        if (!ken_query__is_test(s, t[i].def.file))
            kept->uses[kept->n++] = (query_type_use){ t[i].def, n_users };
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

// ---- who means it -------------------------------------------------------------------------------

typedef struct asking {
    ken_snapshot *s;
    ken_graph *g;
    ken_arena *arena;
    ken_graph_def same[QUERY_TWINS]; // the type, under all its definitions
    uint32_t n_same;
    ken_str name;
} asking;

// The type, or what constructs it.
static bool is_it(const asking *a, const ken_graph_def *target)
{
    const ken_unit_text *u = ken_graph_unit(a->g, target->file);
    int32_t owner = u ? ken_graph_owner(u, target->def) : -1;
    for (uint32_t i = 0; i < a->n_same; i++)
        if (a->same[i].file == target->file &&
            (a->same[i].def == target->def || (int64_t)a->same[i].def == owner))
            return true;
    return false;
}

static bool means_it(const asking *a, uint32_t file)
{
    ken_targets targets;
    const ken_unit_text *u = ken_graph_unit(a->g, file);
    for (uint32_t i = 0; u && i < u->refs->n_refs; i++) {
        const ken_ref *r = &u->refs->refs[i];
        if (!ken_str_eq(u->refs->exprs[r->expr].name, a->name))
            continue;
        ken_graph_resolve_ref(a->g, file, r, &targets);
        for (uint32_t k = 0; k < targets.n; k++)
            if (is_it(a, &targets.defs[k]))
                return true;
    }
    return false;
}

// Of the files that say the name, about so many mean the type: exact when all were asked.
static ken_status count_users(asking *a, const query_type_use *use, double *out, ken_err *err)
{
    uint32_t *files, sample[SAMPLE], n_mean = 0;
    size_t n;
    const ken_unit_text *u = ken_graph_unit(a->g, use->def.file);
    *out = 0;
    if (!u)
        return KEN_OK;
    a->name = ken_query__graph_keep(a->s, ken_graph_name(u, use->def.def));
    a->n_same = ken_graph_twins(a->g, use->def, a->same, QUERY_TWINS);
    ken_status st = ken_query__graph_files_with(a->s, a->name, a->arena, &files, &n, err);
    uint32_t n_asked = n < SAMPLE ? (uint32_t)n : SAMPLE;
    for (uint32_t i = 0; i < n_asked; i++)
        sample[i] = files[i * n / n_asked];
    ken_query__graph_expect(a->s, sample, n_asked);
    for (uint32_t i = 0; !st && i < n_asked; i++) {
        n_mean += means_it(a, sample[i]);
        st = ken_quota_check(err);
    }
    if (n_asked)
        *out = (double)n * n_mean / n_asked;
    return st;
}

// ---- the list -----------------------------------------------------------------------------------

typedef struct candidate {
    const query_type_use *use;
    double most, n_users; // by its name, by what the files mean
} candidate;

typedef KEN_VEC(candidate) candidates;

static int by_most(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->most != y->most)
        return x->most > y->most ? -1 : 1;
    return query_def_order(&x->use->def, &y->use->def);
}

static int by_users(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->n_users != y->n_users)
        return x->n_users > y->n_users ? -1 : 1;
    return query_def_order(&x->use->def, &y->use->def);
}

static void list_candidates(ken_snapshot *s, const query_type_uses *uses, const query_focus *focus,
                            const uint8_t *aside, candidates *out)
{
    for (size_t i = 0; i < uses->n; i++) {
        const query_type_use *u = &uses->uses[i];
        if (ken_query__in_focus(s, u->def.file, focus) && !aside[u->def.file])
            ken_vec_push(out, ((candidate){ u, u->n_users, 0 }));
    }
    if (out->len)
        qsort(out->ptr, out->len, sizeof *out->ptr, by_most);
}

static size_t count_above(const candidates *c, size_t n, double bound)
{
    size_t n_above = 0;
    for (size_t i = 0; i < n; i++)
        n_above += c->ptr[i].n_users >= bound;
    return n_above;
}

// Asks about one after another until no other can be among the first `limit`. Leaves those that it asked about.
static ken_status ask_about(ken_snapshot *s, candidates *c, size_t limit, ken_arena *arena,
                            ken_err *err)
{
    asking a = { .s = s, .arena = arena };
    ken_map known; // what was asked about under another definition
    size_t n = 0;
    ken_status st = ken_query__graph_open(s, &a.g, err);
    ken_map_init(&known);
    for (size_t i = 0; !st && i < c->len && n < ASKED_MAX; i++) {
        candidate x = c->ptr[i];
        if (count_above(c, n, x.most) >= limit)
            break;
        if (ken_map_find(&known, query_def_key(&x.use->def)))
            continue;
        st = count_users(&a, x.use, &x.n_users, err);
        for (uint32_t k = 0; k < a.n_same; k++)
            ken_map_put(&known, query_def_key(&a.same[k]), 1, NULL);
        c->ptr[n++] = x;
    }
    ken_map_release(&known);
    c->len = n;
    if (n)
        qsort(c->ptr, n, sizeof *c->ptr, by_users);
    return st;
}

ken_status ken_query__find_types(ken_snapshot *s, const query_focus *focus, const uint8_t *aside,
                                 size_t limit, ken_arena *arena, ken_key_symbol **out,
                                 size_t *out_n, ken_err *err)
{
    const query_type_uses *uses;
    candidates c = { 0 };
    *out = KEN_ARENA_ARRAY(arena, ken_key_symbol, limit);
    *out_n = 0;
    ken_status st = find_type_uses(s, &uses, err);
    if (!st) {
        list_candidates(s, uses, focus, aside, &c);
        st = ask_about(s, &c, limit, arena, err);
    }
    for (size_t i = 0; !st && i < c.len && *out_n < limit; i++) {
        ken_key_symbol k = { .n_users = (uint32_t)(c.ptr[i].n_users + 0.5) };
        if (k.n_users > 1 && ken_query__graph_name(s, c.ptr[i].use->def, arena, &k.node))
            (*out)[(*out_n)++] = k;
    }
    ken_vec_release(&c);
    return st;
}
