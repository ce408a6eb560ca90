// SPDX-License-Identifier: MIT
// What questions to the graph cost. Indexes PATH, then asks for usages, traces, impact and the
// architecture, for definitions spread over the tree: each once to warm up, once timed.
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "bench.h"
#include "index/index.h"
#include "query/query_tree.h"

static const char help[] =
    "bench_usages [--queries N] [--keep DIR] [--only answers] [--json] [PATH]\n"
    "  what questions to the graph of a tree cost, warm\n"
    "  --queries N     definitions that are asked about; default 300\n"
    "  --keep DIR      where the index is kept for the next run\n"
    "  --only answers  prints all that is said of them, to compare two versions\n";

enum {
    ROUNDS = 2,
    ANSWER_USAGES = 1000, // asked for when answers are printed
    ANSWER_DEPENDENTS = 200
};

typedef struct asking {
    ken_snapshot *s;
    ken_arena arena;
    bench_samples definition, usages, trace, impact, architecture;
    bench_samples first_usages, first_impact; // before anything of them is known
    double cold_architecture;
    bool wants_answers;
} asking;

// ---- answers -----------------------------------------------------------------------------------

static void print_usages_of(const char *what, const ken_usage_file *files, size_t n)
{
    for (size_t f = 0; f < n; f++)
        for (size_t i = 0; i < files[f].n; i++) {
            const ken_usage *u = &files[f].usages[i];
            printf("%s\t" KEN_STR_FMT ":%u:%u\t%s\t%s\t" KEN_STR_FMT "\t" KEN_STR_FMT
                   "\t" KEN_STR_FMT "\n",
                   what, KEN_STR_ARG(files[f].path), u->line + 1, u->column + 1,
                   ken_ref_role_word(u->role), ken_edge_class_word(u->class), KEN_STR_ARG(u->name),
                   KEN_STR_ARG(u->within), KEN_STR_ARG(u->evidence));
        }
}

static void print_node(const char *what, const ken_graph_node *n)
{
    printf("%s\t" KEN_STR_FMT ":%u\t" KEN_STR_FMT "\n", what, KEN_STR_ARG(n->path),
           n->first_line + 1, KEN_STR_ARG(n->qualified));
}

static void print_nodes(const char *what, const ken_graph_node *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        print_node(what, &nodes[i]);
}

static void print_usages(const ken_usages *u)
{
    print_nodes("definition", u->defs, u->n_defs);
    print_nodes("other", u->others, u->n_others);
    printf("usages\t%zu\ttests\t%zu\tunresolved\t%zu", u->n_total, u->n_test_usages,
           u->n_unresolved);
    for (int r = 0; r < KEN_REF_ROLE_COUNT; r++)
        printf("\t%zu", u->n_by_role[r]);
    printf("%s\n", u->is_truncated ? "\ttruncated" : "");
    print_usages_of("usage", u->files, u->n_files);
    print_usages_of("unresolved", u->unresolved, u->n_unresolved_files);
}

static void print_dependents(const char *what, const ken_dependent *d, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%s\t%u\t%s\t%u\t" KEN_STR_FMT ":%u\t" KEN_STR_FMT "\n", what, d[i].distance,
               ken_edge_class_word(d[i].class), d[i].n_sites, KEN_STR_ARG(d[i].node.path),
               d[i].node.first_line + 1, KEN_STR_ARG(d[i].node.qualified));
}

static void print_impact(const ken_impact *m)
{
    for (size_t i = 0; i < m->n_changed; i++)
        print_node("changed", &m->changed[i].node);
    printf("impact\t%zu\t%zu\t%zu\ttests\t%zu\tfiles\t%zu\tunresolved\t%zu\trisk\t%.4f%s\n",
           m->n_by_distance[1], m->n_by_distance[2], m->n_by_distance[3], m->n_tests_total,
           m->n_files_total, m->n_unresolved, m->risk, m->is_truncated ? "\ttruncated" : "");
    print_dependents("dependent", m->dependents, m->n_dependents);
    print_dependents("test", m->tests, m->n_tests);
    for (size_t i = 0; i < m->n_routes; i++)
        printf("route\t" KEN_STR_FMT "\t" KEN_STR_FMT "\n", KEN_STR_ARG(m->routes[i].method),
               KEN_STR_ARG(m->routes[i].path));
    for (size_t i = 0; i < m->n_files; i++)
        printf("file\t" KEN_STR_FMT "\n", KEN_STR_ARG(m->files[i]));
}

static void print_trace(const ken_trace *t)
{
    for (size_t i = 0; i < t->n_steps; i++) {
        const ken_trace_step *s = &t->steps[i];
        printf("step\t%u\t%s\t" KEN_STR_FMT "\t" KEN_STR_FMT ":%u\t%u\t%d\t%u\t%u\n", s->depth,
               ken_edge_class_word(s->class), KEN_STR_ARG(s->node.qualified),
               KEN_STR_ARG(s->site_path), s->site_line + 1, s->n_sites, s->seen_at, s->n_cut,
               s->n_unresolved);
    }
}

// ---- times -------------------------------------------------------------------------------------

typedef struct question {
    ken_definition_result definition;
    ken_usages usages;
    ken_trace trace;
    ken_impact impact;
} question;

typedef enum question_kind {
    ASK_DEFINITION,
    ASK_USAGES,
    ASK_TRACE,
    ASK_IMPACT,
} question_kind;

static ken_status ask(asking *a, ken_str name, question_kind kind, ken_arena *arena, question *q,
                      ken_err *err)
{
    ken_usages_opts usages = { .name = name, .wants_text = true };
    ken_trace_opts trace = { .entry = name };
    ken_impact_opts impact = { .symbol = name, .num_similar = UINT32_MAX };
    usages.limit = a->wants_answers ? ANSWER_USAGES : 0;
    impact.limit = a->wants_answers ? ANSWER_DEPENDENTS : 0;
    switch (kind) {
    case ASK_DEFINITION:
        return ken_find_definition(a->s, &(ken_definition_opts){ .name = name, .limit = 5 }, arena,
                                   &q->definition, err);
    case ASK_USAGES:
        return ken_find_usages(a->s, &usages, NULL, arena, &q->usages, err);
    case ASK_TRACE:
        return ken_trace_execution(a->s, &trace, NULL, arena, &q->trace, err);
    case ASK_IMPACT:
        break;
    }
    return ken_query_impact(a->s, &impact, NULL, arena, &q->impact, err);
}

static void time_one(asking *a, bench_samples *into, bench_samples *first, ken_str name,
                     question_kind kind)
{
    ken_err err = { 0 };
    for (int round = 0; round < ROUNDS; round++) {
        ken_arena arena;
        question q;
        ken_arena_init(&arena, 0);
        int64_t t0 = ken_clock_mono_ns();
        bench_check(ask(a, name, kind, &arena, &q, &err), &err);
        bench_samples *to = round ? into : first;
        if (to)
            ken_vec_push(to, bench_ms(ken_clock_mono_ns() - t0));
        ken_arena_release(&arena);
    }
}

static void print_all(asking *a, ken_str name)
{
    ken_err err = { 0 };
    ken_arena arena;
    question q;
    ken_arena_init(&arena, 0);
    printf("== " KEN_STR_FMT "\n", KEN_STR_ARG(name));
    bench_check(ask(a, name, ASK_USAGES, &arena, &q, &err), &err);
    print_usages(&q.usages);
    bench_check(ask(a, name, ASK_TRACE, &arena, &q, &err), &err);
    print_trace(&q.trace);
    bench_check(ask(a, name, ASK_IMPACT, &arena, &q, &err), &err);
    print_impact(&q.impact);
    ken_arena_release(&arena);
}

static void ask_one(asking *a, ken_str name)
{
    if (a->wants_answers) {
        print_all(a, name);
        return;
    }
    time_one(a, &a->definition, NULL, name, ASK_DEFINITION);
    time_one(a, &a->usages, &a->first_usages, name, ASK_USAGES);
    time_one(a, &a->trace, NULL, name, ASK_TRACE);
    time_one(a, &a->impact, &a->first_impact, name, ASK_IMPACT);
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
            ask_one(a, name);
            n++;
        }
    }
}

static uint64_t bytes_now(void)
{
    char text[64] = "";
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fgets(text, sizeof text, f))
        sscanf(text, "%*s %llu", &pages);
    if (f)
        fclose(f);
    return pages * 4096;
}

static void report(asking *a, const char *path, uint64_t before)
{
    json_t *out = bench_report("usages", path);
    json_t *all =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:f}", "definition",
                  bench_quantiles(&a->definition), "usages", bench_quantiles(&a->usages), "trace",
                  bench_quantiles(&a->trace), "impact", bench_quantiles(&a->impact), "first_usages",
                  bench_quantiles(&a->first_usages), "first_impact",
                  bench_quantiles(&a->first_impact), "architecture",
                  bench_quantiles(&a->architecture), "architecture_cold_ms", a->cold_architecture,
                  "opened_mb", (double)before / 1e6, "resident_mb", (double)bytes_now() / 1e6);
    json_object_update(out, all);
    json_decref(all);
    bench_print(out);
}

// Its index, made anew unless one was kept.
static ken_store *open_store(asking *a, const bench_args *args)
{
    const char *dir = args->keep ? args->keep : bench_temp(args, &a->arena);
    ken_store_opts o = { .path = ken_arena_printf(&a->arena, "%s/index.db", dir).ptr };
    bool is_there = ken_fs_exists(o.path);
    ken_store *store;
    ken_index_opts opts = { 0 };
    ken_index_report report;
    ken_err err = { 0 };
    bench_check(ken_store_open(&o, &store, &err), &err);
    if (!is_there)
        bench_check(ken_index_run(store, bench_path(args, &a->arena), &opts, NULL, &a->arena,
                                  &report, &err),
                    &err);
    return store;
}

BENCH_MAIN(usages)
{
    bench_args args;
    bench_args_parse(argc, argv, help, &args);
    asking a = { .wants_answers = args.only && strcmp(args.only, "answers") == 0 };
    ken_arena_init(&a.arena, 0);
    ken_store *store = open_store(&a, &args);
    ken_err err = { 0 };
    ken_reader *reader = ken_reader_new(store);
    bench_check(ken_reader_pin(reader, &a.s, &err), &err);
    uint64_t before = bytes_now();
    a.cold_architecture = architecture(&a);
    for (int i = 0; i < 20; i++)
        ken_vec_push(&a.architecture, architecture(&a));
    ask_all(&a, args.n_queries ? args.n_queries : 300);
    if (!a.wants_answers)
        report(&a, bench_path(&args, &a.arena), before);
    ken_reader_unpin(reader);
    ken_reader_free(reader);
    ken_store_close(store);
    ken_arena_release(&a.arena);
    return 0;
}
