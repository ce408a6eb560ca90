// SPDX-License-Identifier: MIT
// What indexing PATH costs: all of it from nothing, again without a change, and after changes.
//
// Cold runs and bare parses (bench_parse) alternate, each in a process of its own, and the ratio is
// that of their medians: both see the same noise of the machine. A cold run counts everything from
// opening an empty store to having closed it, the index being durable. Changes are made to a copy
// of the tree, by an appended line break, to files spread over all of it; one counts until a
// snapshot that was open has moved to the new generation.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "bench.h"
#include "index/index.h"
#include "lang/lang.h"
#include "query/query.h"

static const char help[] =
    "bench_index [--ratio] [--runs N] [--jobs N] [--pause MS] [--instructions] [--temp DIR] "
    "[--json] [PATH]\n"
    "  a cold index of PATH against a bare parse of its files, then updates of a copy\n"
    "  --ratio          only the comparison with the bare parse\n"
    "  --pause MS       waits before each process: a scheduler that lends time gets it back\n"
    "  --instructions   the comparison in instructions, one thread each";

enum {
    DEFAULT_RUNS = 5,
    SINGLE_CHANGES = 15,
    MANY = 100,
    MANY_CHANGES = 5,
    SAME_RUNS = 7
};

typedef struct indexing {
    ken_store *store;
    ken_index_opts opts;
    ken_index_report report;
    ken_arena arena; // of the last run
} indexing;

static void open_store(indexing *x, const char *path)
{
    ken_err err = { 0 };
    ken_arena_init(&x->arena, 0);
    bench_check(ken_store_open(&(ken_store_opts){ .path = path }, &x->store, &err), &err);
}

static void close_store(indexing *x)
{
    ken_store_close(x->store);
    ken_arena_release(&x->arena);
}

static void run_index(indexing *x, const char *root)
{
    ken_err err = { 0 };
    ken_arena_reset(&x->arena);
    bench_check(ken_index_run(x->store, root, &x->opts, NULL, &x->arena, &x->report, &err), &err);
}

// ---- cold, in a child --------------------------------------------------------------------------

// Indexes into --file.
static json_t *cold(const bench_args *a, const char *root)
{
    ken_err err = { 0 };
    indexing x = { .opts = { .n_jobs = a->n_jobs } };
    int64_t wall = ken_clock_mono_ns(), cpu = bench_cpu_ns();
    open_store(&x, a->file);
    run_index(&x, root);
    uint64_t store_bytes;
    bench_check(ken_store_get_size(x.store, &store_bytes, &err), &err);
    close_store(&x);
    wall = ken_clock_mono_ns() - wall;
    cpu = bench_cpu_ns() - cpu;
    json_t *o = bench_report("index", root);
    ken_json_set_real(o, "wall_ms", bench_ms(wall));
    ken_json_set_real(o, "cpu_ms", bench_ms(cpu));
    ken_json_set_u64(o, "files", x.report.n_files);
    ken_json_set_u64(o, "bytes", x.report.bytes_parsed);
    ken_json_set_u64(o, "chunks", x.report.n_chunks);
    ken_json_set_u64(o, "symbols", x.report.n_symbols);
    ken_json_set_u64(o, "store_bytes", store_bytes);
    ken_json_set_u64(o, "peak_bytes", bench_peak_bytes());
    return o;
}

typedef struct compared {
    bench_samples wall, cpu, peak, parse_wall, parse_cpu;
    json_t *index, *parse; // of the last run
} compared;

static void compare_once(const bench_args *a, const char *root, const char *dir, ken_arena *arena,
                         compared *c)
{
    const char *jobs = ken_arena_printf(arena, "%u", bench_jobs(a)).ptr;
    const char *db_dir = ken_arena_printf(arena, "%s/cold", dir).ptr;
    const char *db = ken_arena_printf(arena, "%s/index.db", db_dir).ptr;
    const char *const index_argv[] = {
        bench_beside(arena, "bench_index"), "--child", "--jobs", jobs, "--file", db, root, NULL
    };
    const char *const parse_argv[] = {
        bench_beside(arena, "bench_parse"), "--child", "--jobs", jobs, root, NULL
    };
    ken_err err = { 0 };
    json_decref(c->index);
    json_decref(c->parse);
    usleep(a->pause_ms * 1000);
    c->parse = bench_child(parse_argv);
    bench_check(ken_fs_make_dirs(db_dir, 0700, &err), &err);
    usleep(a->pause_ms * 1000);
    c->index = bench_child(index_argv);
    bench_remove_tree(db_dir);
    ken_vec_push(&c->wall, bench_real(c->index, "wall_ms"));
    ken_vec_push(&c->cpu, bench_real(c->index, "cpu_ms"));
    ken_vec_push(&c->peak, bench_real(c->index, "peak_bytes"));
    ken_vec_push(&c->parse_wall, bench_real(c->parse, "wall_ms"));
    ken_vec_push(&c->parse_cpu, bench_real(c->parse, "cpu_ms"));
}

static json_t *compare(const bench_args *a, const char *root, const char *dir, ken_arena *arena,
                       json_t *report)
{
    compared c = { 0 };
    uint32_t n_runs = a->n_runs ? a->n_runs : DEFAULT_RUNS;
    for (uint32_t i = 0; i < n_runs; i++)
        compare_once(a, root, dir, arena, &c);
    double wall = bench_median(&c.wall), cpu = bench_median(&c.cpu);
    double parse_wall = bench_median(&c.parse_wall), parse_cpu = bench_median(&c.parse_cpu);
    double bytes = bench_real(c.index, "bytes"), store = bench_real(c.index, "store_bytes");
    static const char *const same[] = { "files", "chunks", "symbols", "bytes", "store_bytes" };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        ken_json_set(report, same[i], json_incref(json_object_get(c.index, same[i])));
    ken_json_set(report, "parsed_files", json_incref(json_object_get(c.parse, "files")));
    ken_json_set(report, "parsed_bytes", json_incref(json_object_get(c.parse, "bytes")));
    ken_json_set_u64(report, "jobs", bench_jobs(a));
    ken_json_set_u64(report, "runs", n_runs);
    ken_json_set_real(report, "cold_wall_ms", wall);
    ken_json_set_real(report, "cold_cpu_ms", cpu);
    ken_json_set_real(report, "cold_peak_bytes", bench_median(&c.peak));
    ken_json_set_real(report, "parse_wall_ms", parse_wall);
    ken_json_set_real(report, "parse_cpu_ms", parse_cpu);
    ken_json_set_real(report, "ratio_wall", wall / parse_wall);
    ken_json_set_real(report, "ratio_cpu", cpu / parse_cpu);
    ken_json_set_real(report, "store_ratio", store / bytes);
    json_decref(c.index);
    json_decref(c.parse);
    ken_vec_release(&c.wall);
    ken_vec_release(&c.cpu);
    ken_vec_release(&c.peak);
    ken_vec_release(&c.parse_wall);
    ken_vec_release(&c.parse_cpu);
    return report;
}

static json_t *count(const char *root, const char *dir, ken_arena *arena, json_t *report)
{
    const char *db = ken_arena_printf(arena, "%s/index.db", dir).ptr;
    const char *const argv[] = {
        bench_beside(arena, "bench_index"), "--child", "--jobs", "1", "--file", db, root, NULL
    };
    const char *const parse_argv[] = { bench_beside(arena, "bench_parse"), "--instructions", root,
                                       NULL };
    uint64_t n = bench_count_instructions(argv, NULL);
    json_t *parse = bench_child(parse_argv);
    ken_json_set_u64(report, "instructions", n);
    ken_json_set_real(report, "parse_instructions", bench_real(parse, "instructions"));
    ken_json_set_real(report, "ratio_instructions", (double)n / bench_real(parse, "instructions"));
    json_decref(parse);
    return report;
}

// ---- updates, in this process ------------------------------------------------------------------

// Files that are parsed, evenly spread over the tree.
static const char **pick_files(indexing *x, const char *root, size_t n, ken_arena *arena)
{
    ken_err err = { 0 };
    ken_file_row *rows;
    ken_content_info *contents;
    size_t n_rows, n_parsed = 0;
    bench_check(ken_store_load_files(x->store, arena, &rows, &n_rows, &contents, &err), &err);
    const char **parsed = KEN_ARENA_ARRAY(arena, const char *, n_rows + 1);
    const char **out = KEN_ARENA_ARRAY(arena, const char *, n + 1);
    for (size_t i = 0; i < n_rows; i++)
        if (ken_lang_rules((ken_lang_id)contents[i].lang) &&
            ken_lang_role_of((ken_lang_id)contents[i].lang) == KEN_LANG_ROLE_CODE)
            parsed[n_parsed++] = ken_path_join(arena, ken_str_c(root), rows[i].path).ptr;
    if (!n_parsed)
        bench_die("no source code here");
    for (size_t i = 0; i < n; i++)
        out[i] = parsed[i * n_parsed / n];
    return out;
}

typedef struct timed {
    bench_samples wall, cpu;
} timed;

static json_t *timed_take(timed *t)
{
    json_t *o = bench_quantiles(&t->wall);
    ken_json_set_real(o, "cpu_p50_ms", bench_median(&t->cpu));
    ken_vec_release(&t->wall);
    ken_vec_release(&t->cpu);
    return o;
}

static void load(ken_reader *reader)
{
    ken_err err = { 0 };
    ken_snapshot *s = NULL;
    bench_check(ken_reader_pin(reader, &s, &err), &err);
    ken_reader_unpin(reader);
}

// Until `reader`, when given, has the new generation.
static void time_run(indexing *x, const char *root, ken_reader *reader, timed *t)
{
    int64_t wall = ken_clock_mono_ns(), cpu = bench_cpu_ns();
    run_index(x, root);
    if (reader)
        load(reader);
    ken_vec_push(&t->wall, bench_ms(ken_clock_mono_ns() - wall));
    ken_vec_push(&t->cpu, bench_ms(bench_cpu_ns() - cpu));
}

static void time_changes(indexing *x, const char *root, ken_reader *reader, ken_arena *arena,
                         json_t *report)
{
    timed one = { 0 }, many = { 0 };
    const char **files = pick_files(x, root, SINGLE_CHANGES, arena);
    for (size_t i = 0; i < SINGLE_CHANGES; i++) {
        bench_append(files[i], "\n");
        time_run(x, root, reader, &one);
        if (x->report.n_modified != 1)
            bench_die("one change made %lu files new", x->report.n_modified);
    }
    files = pick_files(x, root, MANY, arena);
    for (size_t k = 0; k < MANY_CHANGES; k++) {
        for (size_t i = 0; i < MANY; i++)
            bench_append(files[i], "\n");
        time_run(x, root, reader, &many);
    }
    ken_json_set(report, "one_changed", timed_take(&one));
    ken_json_set(report, "hundred_changed", timed_take(&many));
}

static void time_updates(const bench_args *a, const char *from, const char *dir, ken_arena *arena,
                         json_t *report)
{
    ken_err err = { 0 };
    const char *root = ken_arena_printf(arena, "%s/tree", dir).ptr;
    const char *db = ken_arena_printf(arena, "%s/index.db", dir).ptr;
    bench_copy_tree(from, root, true);
    indexing x = { .opts = { .n_jobs = a->n_jobs } };
    open_store(&x, db);
    run_index(&x, root);
    timed same = { 0 };
    for (size_t i = 0; i < SAME_RUNS; i++)
        time_run(&x, root, NULL, &same);
    ken_json_set(report, "unchanged", timed_take(&same));
    ken_store *store;
    ken_store_opts read_only = { .path = db, .is_read_only = true };
    bench_check(ken_store_open(&read_only, &store, &err), &err);
    ken_reader *reader = ken_reader_new(store);
    load(reader);
    time_changes(&x, root, reader, arena, report);
    ken_reader_free(reader);
    ken_store_close(store);
    close_store(&x);
}

// ---- showing -----------------------------------------------------------------------------------

static void show_times(const json_t *report, const char *key, const char *what)
{
    const json_t *t = json_object_get(report, key);
    printf("  %-22s %8.1f ms wall (p95 %.1f) %8.1f ms CPU\n", what, bench_real(t, "p50_ms"),
           bench_real(t, "p95_ms"), bench_real(t, "cpu_p50_ms"));
}

static void show(const json_t *r)
{
    printf("index   %.0f files, %.1f MB, %.0f chunks, %.0f symbols, %.0f threads\n",
           bench_real(r, "files"), bench_real(r, "bytes") / 1e6, bench_real(r, "chunks"),
           bench_real(r, "symbols"), bench_real(r, "jobs"));
    printf("  %-22s %8.1f ms wall            %8.1f ms CPU\n", "bare parse",
           bench_real(r, "parse_wall_ms"), bench_real(r, "parse_cpu_ms"));
    printf("  %-22s %8.1f ms wall            %8.1f ms CPU, peak %.0f MB\n", "cold index",
           bench_real(r, "cold_wall_ms"), bench_real(r, "cold_cpu_ms"),
           bench_real(r, "cold_peak_bytes") / 1e6);
    printf("  %-22s %8.2f    wall            %8.2f    CPU (medians of %.0f, in turn)\n", "ratio",
           bench_real(r, "ratio_wall"), bench_real(r, "ratio_cpu"), bench_real(r, "runs"));
    printf("  %-22s %8.2f of the source (%.1f MB)\n", "store", bench_real(r, "store_ratio"),
           bench_real(r, "store_bytes") / 1e6);
    if (!json_object_get(r, "unchanged"))
        return;
    show_times(r, "unchanged", "nothing changed");
    show_times(r, "one_changed", "one file changed");
    show_times(r, "hundred_changed", "100 files changed");
}

BENCH_MAIN(index)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    const char *root = bench_path(&a, &arena);
    if (a.is_child) {
        bench_print(cold(&a, root));
        ken_arena_release(&arena);
        return 0;
    }
    const char *dir = bench_temp(&a, &arena);
    json_t *report = bench_report("index", root);
    if (a.wants_instructions) {
        bench_print(count(root, dir, &arena, report));
        ken_arena_release(&arena);
        return 0;
    }
    compare(&a, root, dir, &arena, report);
    if (!a.wants_ratio)
        time_updates(&a, root, dir, &arena, report);
    if (a.is_json) {
        bench_print(report);
    } else {
        show(report);
        json_decref(report);
    }
    ken_arena_release(&arena);
    return 0;
}
