// SPDX-License-Identifier: MIT
// Lists of definitions: the most complex code that changes often, the tests that reach something.
#include <math.h>
#include <stdlib.h>

#include "query/code/arch_priv.h"

enum {
    FILES_LOOKED_AT = 24 // of hot spots
};

// Every order here ends with the place: what is equal must not come in the order in which it was indexed.
static int by_score(const void *a, const void *b)
{
    const ken_key_symbol *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return query_def_order(&x->node.id, &y->node.id);
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
