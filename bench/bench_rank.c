// SPDX-License-Identifier: MIT
// What the ranking's weights are worth. Indexes the annotated repositories, collects the features
// of the candidates of every question, and reports NDCG@10 three ways: with the weights in use,
// with weights fitted to all repositories, and with each repository scored by weights that were
// fitted to the others. The last is what may be expected elsewhere.
//
// The fit is a listwise softmax (Cao et al., "Learning to rank: from pairwise approach to listwise
// approach", ICML 2007) with an L2 penalty, by Adam. The penalties of paths are one free weight in
// the fixed proportions of rank.h: single ones rest on single repositories.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/path.h"
#include "bench.h"
#include "rank/rank.h"
#include "tree.h"

static const char help[] =
    "bench_rank --file DIR [--whole] [--only FEATURE] [--json] DATASET.json...\n"
    "  weights of the ranking, fitted with the scored repository left out\n"
    "  --file DIR      holds one checkout per dataset name\n"
    "  --whole         ask every dataset twice: of its root and of its whole checkout\n"
    "  --only FEATURE  leave this one out of the fits ('all': each in turn)\n";

enum {
    STEPS = 400,
    TOP = 10,
    MAX_SETS = 2 * BENCH_PATHS,
};

typedef struct listed {
    float value[KEN_RANK_COUNT]; // of the fit: columns 0 to n_columns - 1
    bool is_wanted;
} listed;

typedef struct question {
    listed *files;
    size_t n_files, n_wanted, n_targets;
} question;

typedef struct set {
    const char *name;
    bool is_whole; // of the whole checkout; it has the name of the same repository's other set
    KEN_VEC(question) questions;
} set;

typedef struct work {
    set sets[MAX_SETS];
    size_t n_sets;
    bool has_whole; // some sets are of whole checkouts
    ken_arena arena;
    int column[KEN_RANK_COUNT]; // of a feature; path penalties share the last
    size_t n_columns;
    int without; // a column left out, -1 = none
} work;

static bool is_penalty(int feature)
{
    return ken_rank_weight((ken_rank_feature)feature) < 0;
}

static void lay_out(work *w)
{
    for (int f = 0; f < KEN_RANK_COUNT; f++)
        if (!is_penalty(f))
            w->column[f] = (int)w->n_columns++;
    for (int f = 0; f < KEN_RANK_COUNT; f++)
        if (is_penalty(f))
            w->column[f] = (int)w->n_columns;
    w->n_columns++;
}

static const char *name_of(const work *w, size_t column)
{
    for (int f = 0; f < KEN_RANK_COUNT; f++)
        if (!is_penalty(f) && w->column[f] == (int)column)
            return ken_rank_text((ken_rank_feature)f);
    return "paths";
}

// ---- features ----------------------------------------------------------------------------------

// `path` is below `dir`, which is "" or ends in '/'.
static void collect_question(work *w, set *s, ken_snapshot *snapshot, ken_str dir,
                             const json_t *json)
{
    const json_t *relevant = json_object_get(json, "relevant"),
                 *secondary = json_object_get(json, "secondary");
    question q = { .n_targets = json_array_size(relevant) + json_array_size(secondary) };
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_candidate *found;
    ken_err err = { 0 };
    bench_check(ken_rank_candidates(snapshot,
                                    ken_str_c(json_string_value(json_object_get(json, "query"))),
                                    &arena, &found, &q.n_files, &err),
                &err);
    q.files = KEN_ARENA_ARRAY(&w->arena, listed, q.n_files + 1);
    for (size_t i = 0; i < q.n_files; i++) {
        listed *l = &q.files[i];
        l->is_wanted = bench_is_target(relevant, dir, found[i].path) ||
                       bench_is_target(secondary, dir, found[i].path);
        q.n_wanted += l->is_wanted;
        for (int f = 0; f < KEN_RANK_COUNT; f++) {
            float v = found[i].features.value[f];
            l->value[w->column[f]] +=
                is_penalty(f) ? v * (float)ken_rank_weight((ken_rank_feature)f) : v;
        }
    }
    ken_vec_push(&s->questions, q);
    ken_arena_release(&arena);
}

static void index_and_ask(work *w, set *s, const char *path, const char *database, ken_str dir,
                          const json_t *queries)
{
    bench_tree tree;
    bench_tree_open(path, database, 0, &w->arena, &tree);
    for (size_t i = 0; i < json_array_size(queries); i++)
        collect_question(w, s, tree.snapshot, dir, json_array_get(queries, i));
    bench_tree_close(&tree);
}

static void collect_set(work *w, const char *path, const char *roots, const char *temp,
                        bool is_whole)
{
    json_t *json = json_load_file(path, 0, NULL);
    if (!json || w->n_sets == MAX_SETS)
        bench_die("%s is no dataset", path);
    set *s = &w->sets[w->n_sets++];
    ken_str base = ken_path_base(ken_str_c(path));
    base = ken_str_sub(base, 0, base.len - strlen(".json"));
    s->name = ken_arena_dup(&w->arena, base).ptr;
    s->is_whole = is_whole;
    const char *sub = json_string_value(json_object_get(json, "root"));
    if (!sub)
        sub = "";
    const char *root =
        ken_arena_printf(&w->arena, "%s/%s/%s", roots, s->name, is_whole ? "" : sub).ptr;
    const char *database = ken_arena_printf(&w->arena, "%s/%zu.db", temp, w->n_sets).ptr;
    ken_str dir = KEN_STR("");
    if (is_whole && *sub)
        dir = ken_arena_printf(&w->arena, "%s/", sub);
    index_and_ask(w, s, root, database, dir, json_object_get(json, "queries"));
    json_decref(json);
}

// ---- the measure -------------------------------------------------------------------------------

static double score_of(const work *w, const listed *l, const double *weights)
{
    double sum = 0;
    for (size_t c = 0; c < w->n_columns; c++)
        sum += weights[c] * (double)l->value[c];
    return sum;
}

static double ndcg(const work *w, const question *q, const double *weights)
{
    double best[TOP], gained = 0, ideal = 0;
    bool wanted[TOP];
    size_t n = 0;
    for (size_t i = 0; i < q->n_files; i++) {
        double score = score_of(w, &q->files[i], weights);
        size_t at = n;
        while (at && best[at - 1] < score)
            at--;
        if (at == TOP)
            continue;
        n += n < TOP;
        for (size_t k = n - 1; k > at; k--) {
            best[k] = best[k - 1];
            wanted[k] = wanted[k - 1];
        }
        best[at] = score;
        wanted[at] = q->files[i].is_wanted;
    }
    for (size_t i = 0; i < n; i++)
        gained += wanted[i] ? 1 / log2((double)i + 2) : 0;
    for (size_t i = 0; i < q->n_targets && i < TOP; i++)
        ideal += 1 / log2((double)i + 2);
    return ideal > 0 ? gained / ideal : 0;
}

static double mean_ndcg(const work *w, const set *s, const double *weights)
{
    double sum = 0;
    for (size_t i = 0; i < s->questions.len; i++)
        sum += ndcg(w, &s->questions.ptr[i], weights);
    return s->questions.len ? sum / (double)s->questions.len : 0;
}

// ---- the fit -----------------------------------------------------------------------------------

// Adds the gradient of -log of the share of the softmax that wanted files should have.
static void add_gradient(const work *w, const question *q, const double *weights, double *gradient)
{
    double *p = ken_alloc(ken_mul_size(q->n_files, sizeof *p)), most = -INFINITY, sum = 0;
    for (size_t i = 0; i < q->n_files; i++) {
        p[i] = score_of(w, &q->files[i], weights);
        most = fmax(most, p[i]);
    }
    for (size_t i = 0; i < q->n_files; i++)
        sum += p[i] = exp(p[i] - most);
    for (size_t i = 0; i < q->n_files; i++) {
        double error = p[i] / sum - (q->files[i].is_wanted ? 1 / (double)q->n_wanted : 0);
        for (size_t c = 0; c < w->n_columns; c++)
            gradient[c] += error * (double)q->files[i].value[c];
    }
    ken_free(p);
}

static bool is_of(const set *s, const char *repository)
{
    return repository && strcmp(s->name, repository) == 0;
}

// Fits to all sets but those of one repository (NULL = none is left out).
static void fit(const work *w, const char *left_out, double *weights)
{
    static const double rate = 0.1, l2 = 1e-3;
    double m[KEN_RANK_COUNT] = { 0 }, v[KEN_RANK_COUNT] = { 0 };
    memset(weights, 0, KEN_RANK_COUNT * sizeof *weights);
    for (int step = 1; step <= STEPS; step++) {
        double g[KEN_RANK_COUNT] = { 0 };
        size_t n = 0;
        for (size_t s = 0; s < w->n_sets; s++)
            for (size_t i = 0; !is_of(&w->sets[s], left_out) && i < w->sets[s].questions.len; i++)
                if (w->sets[s].questions.ptr[i].n_wanted) {
                    add_gradient(w, &w->sets[s].questions.ptr[i], weights, g);
                    n++;
                }
        for (size_t c = 0; c < w->n_columns; c++) {
            double d = g[c] / (double)(n ? n : 1) + l2 * weights[c];
            m[c] = 0.9 * m[c] + 0.1 * d;
            v[c] = 0.999 * v[c] + 0.001 * d * d;
            if ((int)c != w->without)
                weights[c] -= rate * (m[c] / (1 - pow(0.9, step))) /
                              (sqrt(v[c] / (1 - pow(0.999, step))) + 1e-8);
        }
    }
}

static void leave_one_out(const work *w, double *by_set)
{
    for (size_t s = 0; s < w->n_sets; s++) {
        double weights[KEN_RANK_COUNT];
        fit(w, w->sets[s].name, weights);
        by_set[s] = mean_ndcg(w, &w->sets[s], weights);
    }
}

static void score_all(const work *w, const double *weights, double *by_set)
{
    for (size_t s = 0; s < w->n_sets; s++)
        by_set[s] = mean_ndcg(w, &w->sets[s], weights);
}

// ---- the report --------------------------------------------------------------------------------

static json_t *weights_json(const work *w, const double *weights)
{
    json_t *o = json_object();
    for (size_t c = 0; c < w->n_columns; c++)
        ken_json_set_real(o, name_of(w, c), round(weights[c] * 100) / 100);
    return o;
}

static double mean_of(const work *w, const double *by_set, bool is_whole)
{
    double sum = 0;
    size_t n = 0;
    for (size_t s = 0; s < w->n_sets; s++)
        if (w->sets[s].is_whole == is_whole) {
            sum += by_set[s];
            n++;
        }
    return n ? sum / (double)n : 0;
}

// The mean of the roots, and of the whole checkouts when they were asked for.
static json_t *means_json(const work *w, const double *by_set)
{
    json_t *o = json_object();
    ken_json_set_real(o, "roots", mean_of(w, by_set, false));
    if (w->has_whole)
        ken_json_set_real(o, "whole", mean_of(w, by_set, true));
    return o;
}

static json_t *sets_json(const work *w, const double *by_set, bool is_whole)
{
    json_t *o = json_object();
    for (size_t s = 0; s < w->n_sets; s++)
        if (w->sets[s].is_whole == is_whole)
            ken_json_set_real(o, w->sets[s].name, by_set[s]);
    return o;
}

static void report_fits(work *w, json_t *report)
{
    double used[KEN_RANK_COUNT] = { 0 }, fitted[KEN_RANK_COUNT], by_set[MAX_SETS];
    for (int f = 0; f < KEN_RANK_COUNT; f++)
        used[w->column[f]] = is_penalty(f) ? 1 : ken_rank_weight((ken_rank_feature)f);
    fit(w, NULL, fitted);
    score_all(w, used, by_set);
    ken_json_set(report, "with_the_weights_in_use", means_json(w, by_set));
    score_all(w, fitted, by_set);
    ken_json_set(report, "fitted_to_all", means_json(w, by_set));
    leave_one_out(w, by_set);
    ken_json_set(report, "left_out", means_json(w, by_set));
    ken_json_set(report, "fitted_weights", weights_json(w, fitted));
    ken_json_set(report, "left_out_by_set", sets_json(w, by_set, false));
    if (w->has_whole)
        ken_json_set(report, "left_out_by_whole_set", sets_json(w, by_set, true));
}

static void report_without(work *w, json_t *report, const char *feature)
{
    json_t *without = json_object();
    double by_set[MAX_SETS];
    for (size_t c = 0; c < w->n_columns; c++) {
        if (strcmp(feature, "all") != 0 && strcmp(feature, name_of(w, c)) != 0)
            continue;
        w->without = (int)c;
        leave_one_out(w, by_set);
        ken_json_set(without, name_of(w, c), means_json(w, by_set));
    }
    w->without = -1;
    ken_json_set(report, "left_out_without", without);
}

BENCH_MAIN(rank)
{
    bench_args args;
    bench_args_parse(argc, argv, help, &args);
    if (!args.file || !args.n_paths)
        bench_die("needs --file DIR and datasets; --help says more");
    work *w = ken_zalloc(sizeof *w);
    w->without = -1;
    ken_arena_init(&w->arena, 0);
    lay_out(w);
    const char *temp = bench_temp(&args, &w->arena);
    w->has_whole = args.wants_whole;
    for (size_t i = 0; i < args.n_paths; i++) {
        collect_set(w, args.paths[i], args.file, temp, false);
        if (args.wants_whole)
            collect_set(w, args.paths[i], args.file, temp, true);
    }
    json_t *report = bench_report("rank", NULL);
    report_fits(w, report);
    if (args.only)
        report_without(w, report, args.only);
    bench_print(report);
    for (size_t s = 0; s < w->n_sets; s++)
        ken_vec_release(&w->sets[s].questions);
    ken_arena_release(&w->arena);
    ken_free(w);
    return 0;
}
