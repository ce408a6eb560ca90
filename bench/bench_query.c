// SPDX-License-Identifier: MIT
// What questions cost on a warm index: words (with meaning, as is usual), meaning alone, names,
// definitions, prefixes, misspelt names, text.
//
// Questions are made from the project itself: words are the first sentence of a documentation
// comment, names those of its functions and types, all drawn with a fixed seed. A process of its
// own opens the index, asks everything once, then again with the clock running; answers are
// complete: ranked, read from the disk, checked against it. Several PATHs, or --chunks N, are
// copied under one root, as often as it takes, each further copy with one more line break at the
// end of every file so that no content is the same.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/path.h"
#include "bench.h"
#include "index/index.h"
#include "query/query.h"

static const char help[] =
    "bench_query [--chunks N] [--keep DIR] [--queries N] [--only KIND] [--instructions] [--json] "
    "[PATH...]\n"
    "  questions to a warm index of PATH; several paths become one project\n"
    "  --chunks N   copy the paths until the project has N chunks\n"
    "  --keep DIR   make copies and index in DIR, or use those that are there\n"
    "  --only KIND  words, meaning, names, symbol, definition, prefix, misspelt or text";

enum {
    DEFAULT_QUERIES = 200,
    MAX_ROUNDS = 100,
    WORDS_MIN = 4,
    WORDS_MAX = 8,
    WORD_MIN = 3
};

// name, share of the queries that are asked (text reads every file)
#define KIND_TABLE(X)              \
    X(WORDS, "words", 1)           \
    X(MEANING, "meaning", 1)       \
    X(NAMES, "names", 1)           \
    X(SYMBOL, "symbol", 1)         \
    X(DEFINITION, "definition", 1) \
    X(PREFIX, "prefix", 1)         \
    X(MISSPELT, "misspelt", 1)     \
    X(TEXT, "text", 10)

typedef enum kind {
#define X(name, word, share) KIND_##name,
    KIND_TABLE(X)
#undef X
    KIND_COUNT
} kind;

static const char *const kind_words[] = {
#define X(name, word, share) word,
    KIND_TABLE(X)
#undef X
};

static const unsigned kind_shares[] = {
#define X(name, word, share) share,
    KIND_TABLE(X)
#undef X
};

// ---- the project -------------------------------------------------------------------------------

typedef struct project {
    const char *root, *db;
    ken_index_report report;
} project;

static void index_project(project *p, ken_arena *arena, unsigned n_jobs)
{
    ken_err err = { 0 };
    ken_store *store;
    ken_index_opts opts = { .n_jobs = n_jobs };
    bench_check(ken_store_open(&(ken_store_opts){ .path = p->db }, &store, &err), &err);
    bench_check(ken_index_run(store, p->root, &opts, NULL, arena, &p->report, &err), &err);
    ken_store_close(store);
}

static void copy_one(const char *from, const char *root, size_t which, unsigned round,
                     ken_arena *arena)
{
    ken_str real;
    ken_err err = { 0 };
    bench_check(ken_path_real(arena, ken_str_c(from), &real, &err), &err);
    const char *to = ken_arena_printf(arena, "%s/" KEN_STR_FMT "-%zu-%u", root,
                                      KEN_STR_ARG(ken_path_base(real)), which, round)
                         .ptr;
    bench_copy_tree(real.ptr, to, false);
    char breaks[MAX_ROUNDS + 1];
    memset(breaks, '\n', round);
    breaks[round] = '\0';
    if (round)
        bench_append_all(to, breaks);
}

// All paths once, or one after the other until there are enough chunks; counted in a draft.
static void make_copies(const bench_args *a, const char *root, const char *draft, ken_arena *arena)
{
    ken_err err = { 0 };
    project p = { .root = root, .db = draft };
    bench_check(ken_fs_make_dirs(root, 0700, &err), &err);
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        for (size_t i = 0; i < a->n_paths; i++) {
            copy_one(a->paths[i], root, i, round, arena);
            if (!a->n_chunks)
                continue;
            index_project(&p, arena, a->n_jobs);
            if (p.report.n_chunks >= a->n_chunks)
                return;
        }
        if (!a->n_chunks)
            return;
        if (!p.report.n_chunks)
            bench_die("nothing to index here");
    }
}

static void prepare(const bench_args *a, project *p, ken_arena *arena)
{
    ken_err err = { 0 };
    const char *dir = a->keep ? a->keep : bench_temp(a, arena);
    bench_check(ken_fs_make_dirs(dir, 0700, &err), &err);
    p->db = ken_arena_printf(arena, "%s/index.db", dir).ptr;
    p->root = ken_arena_printf(arena, "%s/tree", dir).ptr;
    if (ken_fs_exists(p->root)) {
        if (ken_fs_exists(p->db))
            return; // both were kept
    } else if (a->n_paths > 1 || a->n_chunks) {
        const char *draft = ken_arena_printf(arena, "%s/draft.db", dir).ptr;
        make_copies(a, p->root, draft, arena);
        bench_check(ken_fs_remove(draft, &err), &err);
    } else {
        p->root = bench_path(a, arena);
    }
    index_project(p, arena, a->n_jobs);
}

// ---- questions ---------------------------------------------------------------------------------

typedef struct questions {
    KEN_VEC(ken_str) of[KIND_COUNT];
    size_t n_wanted;
    uint64_t seed;
} questions;

static size_t random_below(questions *q, size_t n)
{
    q->seed ^= q->seed << 13;
    q->seed ^= q->seed >> 7;
    q->seed ^= q->seed << 17;
    return (size_t)(q->seed % n);
}

static bool wants(const questions *q, kind k)
{
    return q->of[k].len < (q->n_wanted + kind_shares[k] - 1) / kind_shares[k];
}

static void add(questions *q, kind k, ken_str text)
{
    if (wants(q, k))
        ken_vec_push(&q->of[k], text);
}

// Every kind of question about one definition.
static void ask_about(questions *q, const ken_file_view *v, const ken_symbol *s, ken_arena *arena)
{
    ken_str doc = bench_sentence(ken_str_sub(v->text, s->doc.start, s->doc.end), arena);
    for (kind k = KIND_WORDS; doc.len && k <= KIND_MEANING; k++)
        add(q, k, doc);
    bool is_name =
        s->name.len >= 5 && (ken_symbol_is_type(s->kind) || ken_symbol_is_callable(s->kind));
    if (!is_name || !wants(q, KIND_NAMES))
        return;
    ken_str name = ken_arena_dup(arena, s->name);
    for (kind k = KIND_NAMES; k <= KIND_DEFINITION; k++)
        add(q, k, name);
    add(q, KIND_TEXT, name);
    add(q, KIND_PREFIX, ken_str_sub(name, 0, 3 + (name.len - 3) / 2));
    size_t hole = 1 + random_below(q, name.len - 2);
    add(q, KIND_MISSPELT,
        ken_arena_printf(arena, KEN_STR_FMT KEN_STR_FMT, KEN_STR_ARG(ken_str_sub(name, 0, hole)),
                         KEN_STR_ARG(ken_str_sub(name, hole + 1, name.len))));
}

static void make_questions(ken_store *store, ken_snapshot *s, ken_arena *arena, questions *q)
{
    ken_err err = { 0 };
    ken_file_row *rows;
    size_t n_rows;
    bench_check(ken_store_load_files(store, arena, &rows, &n_rows, NULL, &err), &err);
    for (size_t tries = 0; tries < 20 * q->n_wanted + 100; tries++) {
        ken_file_view v;
        const ken_file_row *row = &rows[random_below(q, n_rows)];
        if (ken_view_file(s, row->path, arena, &v, NULL) || !v.facts->n_symbols)
            continue;
        for (int i = 0; i < 4; i++)
            ask_about(q, &v, &v.facts->symbols[random_below(q, v.facts->n_symbols)], arena);
        bool is_enough = true;
        for (kind k = 0; k < KIND_COUNT; k++)
            is_enough &= !wants(q, k);
        if (is_enough)
            return;
    }
}

// ---- asking, in a child ------------------------------------------------------------------------

// What callgrind counts: never inlined, so that it finds it.
__attribute__((noinline)) static void ask_one(ken_reader *reader, kind k, ken_str text,
                                              ken_arena *arena)
{
    static const ken_search_mode modes[KIND_COUNT] = {
        [KIND_MEANING] = KEN_SEARCH_SEMANTIC, [KIND_SYMBOL] = KEN_SEARCH_SYMBOL,
        [KIND_PREFIX] = KEN_SEARCH_SYMBOL,    [KIND_MISSPELT] = KEN_SEARCH_SYMBOL,
        [KIND_TEXT] = KEN_SEARCH_TEXT,
    };
    ken_err err = { 0 };
    ken_search_opts opts = { .mode = modes[k] };
    ken_search_result found;
    ken_definition_result defs;
    ken_snapshot *s = NULL;
    ken_arena_reset(arena);
    bench_check(ken_reader_pin(reader, &s, &err), &err);
    if (k == KIND_DEFINITION)
        bench_check(ken_find_definition(s, &(ken_definition_opts){ .name = text, .limit = 10 },
                                        arena, &defs, &err),
                    &err);
    else
        bench_check(ken_search(s, text, &opts, NULL, arena, &found, &err), &err);
    ken_reader_unpin(reader);
}

static json_t *time_kind(ken_reader *reader, const questions *q, kind k)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    bench_samples wall = { 0 }, cpu = { 0 };
    for (size_t i = 0; i < q->of[k].len; i++) {
        int64_t wall0 = ken_clock_mono_ns(), cpu0 = bench_thread_cpu_ns();
        ask_one(reader, k, q->of[k].ptr[i], &arena);
        ken_vec_push(&cpu, bench_ms(bench_thread_cpu_ns() - cpu0));
        ken_vec_push(&wall, bench_ms(ken_clock_mono_ns() - wall0));
    }
    json_t *o = bench_quantiles(&wall);
    ken_json_set_real(o, "cpu_p50_ms", bench_median(&cpu));
    ken_json_set_real(o, "cpu_p99_ms", bench_quantile(&cpu, 0.99));
    ken_vec_release(&wall);
    ken_vec_release(&cpu);
    ken_arena_release(&arena);
    return o;
}

static json_t *ask_all(const bench_args *a)
{
    ken_err err = { 0 };
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_store *store;
    ken_snapshot *s;
    ken_snapshot_stats stats;
    ken_store_opts opts = { .path = a->file, .is_read_only = true };
    int64_t t0 = ken_clock_mono_ns();
    bench_check(ken_store_open(&opts, &store, &err), &err);
    ken_reader *reader = ken_reader_new(store);
    bench_check(ken_reader_pin(reader, &s, &err), &err);
    double open_ms = bench_ms(ken_clock_mono_ns() - t0);
    bench_check(ken_snapshot_get_stats(s, &arena, &stats, &err), &err);
    questions q = { .n_wanted = a->n_queries ? a->n_queries : DEFAULT_QUERIES,
                    .seed = 88172645463325252 };
    make_questions(store, s, &arena, &q);
    ken_reader_unpin(reader);
    json_t *report = bench_report("query", NULL), *kinds = json_object();
    for (kind k = 0; k < KIND_COUNT; k++) {
        if (a->only && strcmp(a->only, kind_words[k]) != 0)
            continue;
        if (!a->wants_instructions)
            json_decref(time_kind(reader, &q, k)); // to warm up
        ken_json_set(kinds, kind_words[k], time_kind(reader, &q, k));
    }
    ken_json_set_u64(report, "files", stats.n_files);
    ken_json_set_u64(report, "chunks", stats.n_chunks);
    ken_json_set_u64(report, "symbols", stats.n_symbols);
    ken_json_set_u64(report, "segments", stats.n_segments);
    ken_json_set_real(report, "open_ms", open_ms);
    ken_json_set_u64(report, "peak_bytes", bench_peak_bytes());
    ken_json_set(report, "kinds", kinds);
    for (kind k = 0; k < KIND_COUNT; k++)
        ken_vec_release(&q.of[k]);
    ken_reader_free(reader);
    ken_store_close(store);
    ken_arena_release(&arena);
    return report;
}

// ---- the parent --------------------------------------------------------------------------------

static json_t *run_child(const bench_args *a, const project *p, const char *only, bool counts,
                         ken_arena *arena, uint64_t *out_count)
{
    const char *n = ken_arena_printf(arena, "%lu", a->n_queries).ptr;
    const char *argv[12] = {
        bench_beside(arena, "bench_query"), "--child", "--file", p->db, "--queries", n
    };
    size_t at = 6;
    if (only) {
        argv[at++] = "--only";
        argv[at++] = only;
    }
    if (!counts)
        return bench_child(argv);
    argv[at++] = "--instructions";
    *out_count = bench_count_instructions(argv, "ask_one*");
    return NULL;
}

// Instructions of one question, on average, by kind. Not warm: blocks are read on first use.
static json_t *count_all(const bench_args *a, const project *p, ken_arena *arena)
{
    json_t *report = bench_report("query", NULL), *kinds = json_object();
    uint64_t n_queries = a->n_queries ? a->n_queries : DEFAULT_QUERIES, count = 0;
    for (kind k = 0; k < KIND_COUNT; k++) {
        if (a->only && strcmp(a->only, kind_words[k]) != 0)
            continue;
        run_child(a, p, kind_words[k], true, arena, &count);
        ken_json_set_u64(kinds, kind_words[k], count / (n_queries / kind_shares[k]));
    }
    ken_json_set(report, "instructions", kinds);
    return report;
}

static void show(const json_t *r)
{
    printf("query   %.0f files, %.0f chunks, %.0f symbols, %.0f segments; opened in %.1f ms, peak "
           "%.0f MB\n",
           bench_real(r, "files"), bench_real(r, "chunks"), bench_real(r, "symbols"),
           bench_real(r, "segments"), bench_real(r, "open_ms"), bench_real(r, "peak_bytes") / 1e6);
    printf("  %-12s %9s %9s %9s %9s %9s %9s  (ms)\n", "", "p50", "p95", "p99", "max", "CPU p50",
           "CPU p99");
    const json_t *kinds = json_object_get(r, "kinds");
    static const char *const columns[] = { "p50_ms", "p95_ms",     "p99_ms",
                                           "max_ms", "cpu_p50_ms", "cpu_p99_ms" };
    for (kind k = 0; k < KIND_COUNT; k++) {
        const json_t *o = json_object_get(kinds, kind_words[k]);
        if (!o)
            continue;
        printf("  %-12s", kind_words[k]);
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
            printf(" %9.3f", bench_real(o, columns[i]));
        printf("  n=%.0f\n", bench_real(o, "n"));
    }
}

BENCH_MAIN(query)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    if (a.is_child) {
        bench_print(ask_all(&a));
        return 0;
    }
    ken_arena arena;
    ken_arena_init(&arena, 0);
    project p;
    prepare(&a, &p, &arena);
    json_t *report = a.wants_instructions ? count_all(&a, &p, &arena)
                                          : run_child(&a, &p, a.only, false, &arena, NULL);
    if (a.is_json || a.wants_instructions) {
        bench_print(report);
    } else {
        show(report);
        json_decref(report);
    }
    ken_arena_release(&arena);
    return 0;
}
