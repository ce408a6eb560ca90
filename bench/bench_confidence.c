// SPDX-License-Identifier: MIT
// What an answer's confidence is worth: bench_confidence --file ROOTS --only QUESTIONS DATASET.json...
//
// Whole checkouts are asked the annotated questions of the datasets, and the lines of QUESTIONS, to
// which nothing in any of them is an answer. An annotated question is held when a target is among
// its first three results. The lines count a quarter as much as the annotated questions together:
// one question of five has no answer.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/path.h"
#include "bench.h"
#include "tree.h"

static const char help[] =
    "bench_confidence --file DIR --only FILE [--json] DATASET.json...\n"
    "  what share of answers held what was asked for, by the confidence that they gave\n"
    "  --file DIR   holds one checkout per dataset name\n"
    "  --only FILE  questions, one a line, that nothing fits\n";

enum {
    BANDS = 10,
    FIRST = 3,
    QUESTIONS_MAX_BYTES = 1 << 20,
};
static const double share_of_nothing = 0.25;

typedef struct band {
    size_t n, held, n_nothing; // annotated questions, those held, questions that nothing fits
    double said;               // sum over the annotated
    double said_nothing;
} band;

typedef struct work {
    ken_arena arena;
    ken_str nothing; // the lines
    band bands[BANDS];
    size_t n_held_unfit, n_nothing_unfit; // answers that say that nothing fits
} work;

static band *band_of(work *w, double confidence)
{
    size_t at = (size_t)(confidence * BANDS);
    return &w->bands[at < BANDS ? at : BANDS - 1];
}

static ken_search_result search(work *w, ken_snapshot *s, ken_str question)
{
    ken_search_opts opts = { 0 };
    ken_search_result r;
    ken_err err = { 0 };
    bench_check(ken_search(s, question, &opts, NULL, &w->arena, &r, &err), &err);
    return r;
}

static void ask_annotated(work *w, ken_snapshot *s, ken_str dir, const json_t *json)
{
    ken_search_result r =
        search(w, s, ken_str_c(json_string_value(json_object_get(json, "query"))));
    if (!r.has_confidence) // a single letter is a name: asked by symbol
        return;
    bool is_held = false;
    for (size_t i = 0; i < r.n_hits && i < FIRST; i++)
        is_held = is_held ||
                  bench_is_target(json_object_get(json, "relevant"), dir, r.hits[i].path) ||
                  bench_is_target(json_object_get(json, "secondary"), dir, r.hits[i].path);
    band *b = band_of(w, r.confidence);
    b->n++;
    b->held += is_held;
    b->said += r.confidence;
    w->n_held_unfit += is_held && r.fits_nothing;
}

static void ask_nothing(work *w, ken_snapshot *s)
{
    ken_str rest = w->nothing, line;
    while (ken_str_split_next(&rest, '\n', &line)) {
        if (!ken_str_trim(line).len)
            continue;
        ken_search_result r = search(w, s, line);
        if (!r.has_confidence)
            continue;
        band *b = band_of(w, r.confidence);
        b->n_nothing++;
        b->said_nothing += r.confidence;
        w->n_nothing_unfit += r.fits_nothing;
    }
}

static void ask_dataset(work *w, const char *path, const char *roots, const char *database)
{
    json_t *json = json_load_file(path, 0, NULL);
    if (!json)
        bench_die("%s is no dataset", path);
    ken_str base = ken_path_stem(ken_str_c(path));
    const char *sub = json_string_value(json_object_get(json, "root"));
    ken_str dir = sub && *sub ? ken_arena_printf(&w->arena, "%s/", sub) : KEN_STR("");
    ken_str root = ken_arena_printf(&w->arena, "%s/" KEN_STR_FMT, roots, KEN_STR_ARG(base));
    bench_tree tree;
    bench_tree_open(root.ptr, database, 0, &w->arena, &tree);
    const json_t *queries = json_object_get(json, "queries");
    for (size_t i = 0; i < json_array_size(queries); i++)
        ask_annotated(w, tree.snapshot, dir, json_array_get(queries, i));
    ask_nothing(w, tree.snapshot);
    bench_tree_close(&tree);
    json_decref(json);
}

static void report_all(const work *w)
{
    json_t *report = bench_report("confidence", NULL), *bands = json_array();
    band all = { 0 };
    for (int i = 0; i < BANDS; i++) {
        all.n += w->bands[i].n;
        all.held += w->bands[i].held;
        all.n_nothing += w->bands[i].n_nothing;
    }
    double each = all.n_nothing ? share_of_nothing * (double)all.n / (double)all.n_nothing : 0;
    for (int i = 0; i < BANDS; i++) {
        const band *b = &w->bands[i];
        double n = (double)b->n + each * (double)b->n_nothing;
        json_t *o = json_object();
        ken_json_set_real(o, "from", (double)i / BANDS);
        ken_json_set_u64(o, "annotated", b->n);
        ken_json_set_u64(o, "nothing", b->n_nothing);
        ken_json_set_real(o, "said", n > 0 ? (b->said + each * b->said_nothing) / n : 0);
        ken_json_set_real(o, "held", n > 0 ? (double)b->held / n : 0);
        ken_json_append(bands, o);
    }
    ken_json_set(report, "bands", bands);
    ken_json_set_real(report, "held_and_said_to_fit_nothing",
                      all.held ? (double)w->n_held_unfit / (double)all.held : 0);
    ken_json_set_real(report, "nothing_and_said_so",
                      all.n_nothing ? (double)w->n_nothing_unfit / (double)all.n_nothing : 0);
    bench_print(report);
}

BENCH_MAIN(confidence)
{
    bench_args args;
    bench_args_parse(argc, argv, help, &args);
    if (!args.file || !args.only || !args.n_paths)
        bench_die("needs --file, --only and datasets; --help says more");
    work *w = ken_zalloc(sizeof *w);
    ken_arena_init(&w->arena, 0);
    ken_buf text = KEN_BUF_INIT(QUESTIONS_MAX_BYTES);
    ken_err err = { 0 };
    bench_check(ken_fs_read_own(args.only, QUESTIONS_MAX_BYTES, &text, &err), &err);
    w->nothing = ken_buf_str(&text);
    const char *temp = bench_temp(&args, &w->arena);
    for (size_t i = 0; i < args.n_paths; i++)
        ask_dataset(w, args.paths[i], args.file,
                    ken_arena_printf(&w->arena, "%s/%zu.db", temp, i).ptr);
    report_all(w);
    ken_buf_release(&text);
    ken_arena_release(&w->arena);
    ken_free(w);
    return 0;
}
