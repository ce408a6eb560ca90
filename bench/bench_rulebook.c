// SPDX-License-Identifier: MIT
// What asking the rules costs: bench_rulebook TREE [CHANGE...]
//
// Indexes TREE with its rules into a folder of its own, through the app, and calls the rag_ tools
// as a client does: once cold, then warm. Every answer looks at the documents on the disk.
#include <stdio.h>

#include "app/app.h"
#include "base/clock.h"
#include "base/path.h"
#include "bench.h"
#include "tool/tool.h"

static const char help[] =
    "bench_rulebook [--runs N] [--json] TREE [CHANGE...]\n"
    "  the time that rag_check_constraints, rag_status and rag_query_impact take";

enum {
    DEFAULT_RUNS = 200,
    MAX_BYTES = 25000,
    ALL_RESULTS = 20, // what may be asked for at most
};

static const char *const changes[] = {
    "add a new REST API endpoint with authentication",
    "retry a request that timed out",
    "rename a configuration key and keep the old one working",
};

typedef struct bench {
    const bench_args *args;
    ken_app *app;
    ken_tool_ctx ctx;
    json_t *rows;
} bench;

static void call(const bench *b, const char *tool, const json_t *args)
{
    ken_err err = { 0 };
    json_t *out = NULL;
    bench_check(ken_tool_call(b->app, tool, args, &b->ctx, &out, &err), &err);
    json_decref(out);
}

// Takes `args`.
static void measure(bench *b, const char *tool, json_t *args)
{
    bench_samples warm = { 0 };
    double cold = 0;
    uint32_t n = b->args->n_runs ? b->args->n_runs : DEFAULT_RUNS;
    for (uint32_t i = 0; i <= n; i++) {
        int64_t start = ken_clock_mono_ns();
        call(b, tool, args);
        double ms = bench_ms(ken_clock_mono_ns() - start);
        if (i)
            ken_vec_push(&warm, ms);
        else
            cold = ms;
    }
    json_t *row = json_object();
    ken_json_set_str(row, "tool", ken_str_c(tool));
    ken_json_set(row, "arguments", args);
    ken_json_set_real(row, "cold_ms", cold);
    json_object_set_new(row, "warm", bench_quantiles(&warm));
    ken_json_append(b->rows, row);
    ken_vec_release(&warm);
}

static json_t *with_text(const char *key, ken_str text)
{
    json_t *args = json_object();
    ken_json_set_str(args, key, text);
    return args;
}

static void measure_change(bench *b, ken_str change)
{
    json_t *many = with_text("change_description", change);
    ken_json_set_u64(many, "num_results", ALL_RESULTS);
    measure(b, "rag_check_constraints", with_text("change_description", change));
    measure(b, "rag_check_constraints", many);
}

static ken_str first_file(bench *b, const ken_project_info *project, ken_arena *arena)
{
    ken_err err = { 0 };
    ken_snapshot *s = NULL;
    ken_search_result r = { 0 };
    bench_check(ken_app_borrow(b->app, project, &s, &err), &err);
    ken_status st =
        ken_search(s, KEN_STR("function"), &(ken_search_opts){ .limit = 1 }, NULL, arena, &r, &err);
    ken_app_give_back(b->app, project, s);
    bench_check(st, &err);
    return r.n_hits ? r.hits[0].path : KEN_STR("");
}

static void run(bench *b, ken_str root, ken_arena *arena)
{
    ken_err err = { 0 };
    ken_project_info project;
    ken_rulebook_counts counts;
    ken_index_report report;
    ken_snapshot *s = NULL;
    bench_check(ken_app_add_project(b->app, root, KEN_STR(""), arena, &project, &err), &err);
    bench_check(ken_app_index(b->app, &project, NULL, NULL, arena, &report, &err), &err);
    bench_check(ken_app_borrow(b->app, &project, &s, &err), &err);
    bench_check(ken_app_index_rules(b->app, s, &counts, &err), &err);
    ken_app_give_back(b->app, &project, s);
    bench_check(ken_app_set_rules_project(b->app, &project, &err), &err);
    measure(b, "rag_status", json_object());
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        measure_change(b, ken_str_c(changes[i]));
    for (size_t i = 1; i < b->args->n_paths; i++)
        measure_change(b, ken_str_c(b->args->paths[i]));
    ken_str file = first_file(b, &project, arena);
    if (file.len)
        measure(b, "rag_query_impact", with_text("file_path", file));
}

BENCH_MAIN(rulebook)
{
    bench_args a;
    ken_err err = { 0 };
    ken_config *config = NULL;
    ken_str root;
    bench b = { .args = &a, .ctx = { .max_bytes = MAX_BYTES } };
    bench_args_parse(argc, argv, help, &a);
    if (!a.n_paths)
        bench_die("expected a tree");
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_config_flag flag = { .name = "data.dir", .value = bench_temp(&a, &arena) };
    bench_check(ken_path_real(&arena, ken_str_c(a.paths[0]), &root, &err), &err);
    bench_check(
        ken_config_load(&(ken_config_load_opts){ .flags = &flag, .n_flags = 1 }, &config, &err),
        &err);
    bench_check(ken_app_open(config, &b.app, &err), &err);
    json_t *report = bench_report("rulebook", root.ptr);
    b.rows = json_array();
    run(&b, root, &arena);
    json_object_set_new(report, "calls", b.rows);
    bench_print(report);
    ken_app_close(b.app);
    ken_config_free(config);
    ken_arena_release(&arena);
    return 0;
}
