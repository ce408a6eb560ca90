// SPDX-License-Identifier: MIT
// What questions to the graph cost. Indexes PATH, then asks for usages, traces, impact and the
// architecture, for definitions spread over the tree: each once to warm up, once timed.
#include <stdio.h>

#include "base/clock.h"
#include "bench.h"
#include "index/index.h"
#include "query/query_graph.h"

static const char help[] = "bench_usages [--queries N] [--json] [PATH]\n"
                           "  what questions to the graph of a tree cost, warm\n"
                           "  --queries N  definitions that are asked about; default 300\n";

enum {
    ROUNDS = 2
};

typedef struct asking {
    ken_snapshot *s;
    ken_arena arena;
    bench_samples definition, usages, trace, impact, architecture;
    double cold_architecture;
} asking;

static void time_one(asking *a, bench_samples *into, ken_str name, int what)
{
    ken_err err = { 0 };
    for (int round = 0; round < ROUNDS; round++) {
        ken_arena arena;
        ken_arena_init(&arena, 0);
        int64_t t0 = ken_clock_mono_ns();
        ken_status st = KEN_OK;
        if (what == 0) {
            ken_definition_result r;
            st = ken_find_definition(a->s, name, KEN_STR(""), 5, &arena, &r, &err);
        } else if (what == 1) {
            ken_usages u;
            ken_usages_opts o = { .name = name, .wants_text = true };
            st = ken_find_usages(a->s, &o, NULL, &arena, &u, &err);
        } else if (what == 2) {
            ken_trace t;
            ken_trace_opts o = { .entry = name };
            st = ken_trace_execution(a->s, &o, NULL, &arena, &t, &err);
        } else {
            ken_impact m;
            ken_impact_opts o = { .symbol = name, .num_similar = UINT32_MAX };
            st = ken_query_impact(a->s, &o, NULL, &arena, &m, &err);
        }
        bench_check(st, &err);
        if (round)
            ken_vec_push(into, bench_ms(ken_clock_mono_ns() - t0));
        ken_arena_release(&arena);
    }
}

static double architecture(asking *a)
{
    ken_arena arena;
    ken_architecture out;
    ken_err err = { 0 };
    ken_arena_init(&arena, 0);
    int64_t t0 = ken_clock_mono_ns();
    bench_check(ken_get_architecture(a->s, KEN_ARCH_FULL, KEN_STR(""), NULL, &arena, &out, &err),
                &err);
    double ms = bench_ms(ken_clock_mono_ns() - t0);
    ken_arena_release(&arena);
    return ms;
}

// Names of callables and types, as symbol search lists them for the letters in turn.
static void ask_all(asking *a, uint64_t n_queries)
{
    uint64_t n = 0;
    for (char first = 'a'; first <= 'z' && n < n_queries; first++) {
        ken_search_opts o = { .mode = KEN_SEARCH_SYMBOL, .limit = 50 };
        ken_search_result r;
        ken_err err = { 0 };
        char prefix[3] = { first, first == 'a' ? 'd' : 'e', '\0' };
        bench_check(ken_search(a->s, ken_str_c(prefix), &o, NULL, &a->arena, &r, &err), &err);
        for (size_t i = 0; i < r.n_hits && i < n_queries / 20 + 1 && n < n_queries; i++) {
            ken_str name = r.hits[i].symbol;
            size_t dot = ken_str_rfind_char(name, '.');
            if (!ken_symbol_is_callable(r.hits[i].kind) && !ken_symbol_is_type(r.hits[i].kind))
                continue;
            name = dot == SIZE_MAX ? name : ken_str_sub(name, dot + 1, name.len);
            if (!name.len)
                continue;
            time_one(a, &a->definition, name, 0);
            time_one(a, &a->usages, name, 1);
            time_one(a, &a->trace, name, 2);
            time_one(a, &a->impact, name, 3);
            n++;
        }
    }
}

int main(int argc, char **argv)
{
    bench_args args;
    bench_args_parse(argc, argv, help, &args);
    asking a = { .s = NULL };
    ken_arena_init(&a.arena, 0);
    const char *dir = bench_temp(&args, &a.arena);
    ken_store_opts o = { .path = ken_arena_printf(&a.arena, "%s/index.db", dir).ptr };
    ken_store *store;
    ken_index_opts opts = { 0 };
    ken_index_report report;
    ken_err err = { 0 };
    bench_check(ken_store_open(&o, &store, &err), &err);
    bench_check(
        ken_index_run(store, bench_path(&args, &a.arena), &opts, NULL, &a.arena, &report, &err),
        &err);
    bench_check(ken_snapshot_open(store, &a.s, &err), &err);
    a.cold_architecture = architecture(&a);
    for (int i = 0; i < 20; i++)
        ken_vec_push(&a.architecture, architecture(&a));
    ask_all(&a, args.n_queries ? args.n_queries : 300);
    json_t *out = bench_report("usages", bench_path(&args, &a.arena));
    json_t *all =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:f}", "definition", bench_quantiles(&a.definition),
                  "usages", bench_quantiles(&a.usages), "trace", bench_quantiles(&a.trace),
                  "impact", bench_quantiles(&a.impact), "architecture",
                  bench_quantiles(&a.architecture), "architecture_cold_ms", a.cold_architecture);
    json_object_update(out, all);
    json_decref(all);
    bench_print(out);
    ken_snapshot_close(a.s);
    ken_store_close(store);
    ken_arena_release(&a.arena);
    return 0;
}
