// SPDX-License-Identifier: MIT
// What contexts cost: bench_context TREE QUESTION...
//
// Indexes TREE into a folder of its own, builds the context of each question once cold and some
// times warm, prints the times, and the last question's context itself with --keep DIR as
// DIR/context.txt.
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/path.h"
#include "bench.h"
#include "context/context.h"
#include "index/index.h"

static const char help[] = "bench_context [--runs N] [--keep DIR] [--json] TREE QUESTION...\n"
                           "  the time a context of 8,000 tokens takes, and how full it is";

enum {
    DEFAULT_RUNS = 20
};

static ken_store *make_index(const bench_args *a, const char *root, ken_arena *arena)
{
    ken_err err = { 0 };
    ken_store *store;
    const char *dir = a->keep ? a->keep : bench_temp(a, arena);
    bench_check(ken_fs_make_dirs(dir, 0700, &err), &err);
    const char *db = ken_arena_printf(arena, "%s/context.db", dir).ptr;
    ken_index_report report;
    ken_index_opts opts = { .n_jobs = bench_jobs(a) };
    bench_check(ken_store_open(&(ken_store_opts){ .path = db }, &store, &err), &err);
    bench_check(ken_index_run(store, root, &opts, NULL, arena, &report, &err), &err);
    return store;
}

static void write_context(const char *dir, ken_str text, ken_arena *arena)
{
    FILE *f = fopen(ken_arena_printf(arena, "%s/context.txt", dir).ptr, "wb");
    if (!f || fwrite(text.ptr, 1, text.len, f) != text.len || fclose(f) != 0)
        bench_die("writing the context into '%s' failed", dir);
}

static json_t *measure(const bench_args *a, ken_snapshot *s, const char *question, ken_arena *arena)
{
    bench_samples warm = { 0 };
    double cold = 0;
    ken_err err = { 0 };
    json_t *o = json_object();
    uint32_t n_runs = a->n_runs ? a->n_runs : DEFAULT_RUNS;
    for (uint32_t i = 0; i <= n_runs; i++) {
        ken_arena_mark mark = ken_arena_get_mark(arena);
        ken_context_answer c;
        int64_t start = ken_clock_mono_ns();
        bench_check(ken_build_context(s, ken_str_c(question), &(ken_context_opts){ 0 }, NULL, arena,
                                      &c, &err),
                    &err);
        double ms = bench_ms(ken_clock_mono_ns() - start);
        if (i)
            ken_vec_push(&warm, ms);
        else
            cold = ms;
        if (i == n_runs) {
            ken_json_set_u64(o, "tokens", c.context.n_tokens);
            ken_json_set_u64(o, "parts", c.context.n_parts);
            ken_json_set_u64(o, "left_out", c.context.n_left_out);
            if (a->keep)
                write_context(a->keep, c.context.text, arena);
        }
        ken_arena_rewind(arena, mark);
    }
    ken_json_set_str(o, "question", ken_str_c(question));
    ken_json_set_real(o, "cold_ms", cold);
    json_object_set_new(o, "warm", bench_quantiles(&warm));
    ken_vec_release(&warm);
    return o;
}

BENCH_MAIN(context)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    if (a.n_paths < 2)
        bench_die("expected a tree and at least one question");
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_snapshot *s;
    ken_err err = { 0 };
    ken_str root;
    bench_check(ken_path_real(&arena, ken_str_c(a.paths[0]), &root, &err), &err);
    ken_store *store = make_index(&a, root.ptr, &arena);
    ken_reader *asking = ken_reader_new(store);
    bench_check(ken_reader_pin(asking, &s, &err), &err);
    json_t *report = bench_report("context", root.ptr), *list = json_array();
    for (size_t i = 1; i < a.n_paths; i++)
        json_array_append_new(list, measure(&a, s, a.paths[i], &arena));
    json_object_set_new(report, "questions", list);
    bench_print(report);
    ken_reader_unpin(asking);
    ken_reader_free(asking);
    ken_store_close(store);
    ken_arena_release(&arena);
    return 0;
}
