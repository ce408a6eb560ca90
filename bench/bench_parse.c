// SPDX-License-Identifier: MIT
// The floor of indexing: a bare tree-sitter parse of exactly the files that an index of PATH
// parses.
//
// The same discovery, the same judgement of contents, the same language of each file as the index;
// then, timed: read the file (it is in the page cache), ts_parser_parse_string, ts_tree_delete, on
// as many threads, largest files first as the index does. One parser per thread and language,
// malloc as the system has it. No second reading of damaged text, no embedded languages, no
// cancellation: what the index does beyond one parse of each file is its own cost.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <tree_sitter/api.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/pool.h"
#include "bench.h"
#include "lang/lang.h"
#include "scan/scan.h"

static const char help[] =
    "bench_parse [--runs N] [--jobs N] [--json] [PATH]\n"
    "  a bare tree-sitter parse of the files that an index of PATH would parse";

enum {
    MAX_FILE_BYTES = 1 << 20,
    DEFAULT_RUNS = 5
};

typedef struct parse_file {
    const char *path;
    ken_lang_id lang;
    uint32_t n_bytes;
} parse_file;

typedef struct parse_run {
    int root_fd;
    parse_file *files; // largest first
    size_t n_files;
    uint64_t n_bytes;
    atomic_size_t next;
    atomic_int_fast64_t read_ns;
} parse_run;

static int by_size_down(const void *a, const void *b)
{
    const parse_file *x = a, *y = b;
    return (x->n_bytes < y->n_bytes) - (x->n_bytes > y->n_bytes);
}

// What the index would parse, found as it finds it. Reading everything fills the page cache.
static void find_files(const char *root, ken_arena *arena, parse_run *r)
{
    ken_err err = { 0 };
    ken_scan_result scan;
    bench_check(ken_scan(root, &(ken_scan_opts){ 0 }, NULL, arena, &scan, &err), &err);
    bench_check(ken_fs_open_dir(root, &r->root_fd, &err), &err);
    r->files = KEN_ARENA_ARRAY(arena, parse_file, scan.n_files + 1);
    ken_buf text = KEN_BUF_INIT(MAX_FILE_BYTES + 1);
    for (size_t i = 0; i < scan.n_files; i++) {
        ken_str path = scan.files[i].path;
        if (ken_fs_read(r->root_fd, path.ptr, MAX_FILE_BYTES, &text, NULL, NULL))
            continue;
        ken_str content = ken_buf_str(&text);
        if (ken_scan_classify_content(path, content))
            continue;
        ken_lang_id lang = ken_lang_of(path, content);
        if (!ken_lang_rules(lang))
            continue;
        r->files[r->n_files++] = (parse_file){ path.ptr, lang, (uint32_t)content.len };
        r->n_bytes += content.len;
    }
    ken_buf_release(&text);
    qsort(r->files, r->n_files, sizeof *r->files, by_size_down);
}

static void parse_some(void *ctx, size_t worker)
{
    (void)worker;
    parse_run *r = ctx;
    TSParser *parsers[KEN_LANG_COUNT] = { NULL };
    ken_buf text = KEN_BUF_INIT(MAX_FILE_BYTES + 1);
    int64_t read_ns = 0;
    for (;;) {
        size_t i = atomic_fetch_add(&r->next, 1);
        if (i >= r->n_files)
            break;
        const parse_file *f = &r->files[i];
        int64_t t0 = ken_clock_mono_ns();
        if (ken_fs_read(r->root_fd, f->path, MAX_FILE_BYTES, &text, NULL, NULL))
            bench_die("'%s' cannot be read any more", f->path);
        read_ns += ken_clock_mono_ns() - t0;
        if (!parsers[f->lang]) {
            parsers[f->lang] = ts_parser_new();
            ts_parser_set_language(parsers[f->lang], ken_lang_grammar(f->lang));
        }
        ts_tree_delete(
            ts_parser_parse_string(parsers[f->lang], NULL, text.ptr, (uint32_t)text.len));
    }
    for (size_t l = 0; l < KEN_LANG_COUNT; l++)
        if (parsers[l])
            ts_parser_delete(parsers[l]);
    ken_buf_release(&text);
    atomic_fetch_add(&r->read_ns, read_ns);
}

static void parse_all(parse_run *r, unsigned n_jobs)
{
    atomic_store(&r->next, 0);
    atomic_store(&r->read_ns, 0);
    ken_pool *pool = ken_pool_new(n_jobs, n_jobs, (size_t)64 << 20);
    for (unsigned i = 0; i < n_jobs; i++)
        ken_pool_submit(pool, parse_some, r);
    ken_pool_free(pool);
}

static json_t *measure(const bench_args *a, const char *root, parse_run *r)
{
    bench_samples wall = { 0 }, cpu = { 0 }, read = { 0 };
    uint32_t n_runs = a->n_runs ? a->n_runs : a->is_child ? 1 : DEFAULT_RUNS;
    for (uint32_t i = 0; i < n_runs; i++) {
        int64_t wall0 = ken_clock_mono_ns(), cpu0 = bench_cpu_ns();
        parse_all(r, bench_jobs(a));
        ken_vec_push(&wall, bench_ms(ken_clock_mono_ns() - wall0));
        ken_vec_push(&cpu, bench_ms(bench_cpu_ns() - cpu0));
        ken_vec_push(&read, bench_ms(atomic_load(&r->read_ns)));
    }
    json_t *o = bench_report("parse", root);
    ken_json_set_u64(o, "jobs", bench_jobs(a));
    ken_json_set_u64(o, "runs", n_runs);
    ken_json_set_u64(o, "files", r->n_files);
    ken_json_set_u64(o, "bytes", r->n_bytes);
    ken_json_set_real(o, "wall_ms", bench_median(&wall));
    ken_json_set_real(o, "cpu_ms", bench_median(&cpu));
    ken_json_set_real(o, "read_ms", bench_median(&read));
    ken_json_set_u64(o, "peak_bytes", bench_peak_bytes());
    ken_vec_release(&wall);
    ken_vec_release(&cpu);
    ken_vec_release(&read);
    return o;
}

// Of one pass: what two passes cost more than one.
static void count(ken_arena *arena, const char *root)
{
    const char *self = bench_beside(arena, "bench_parse");
    const char *const once[] = { self, "--child", "--jobs", "1", "--runs", "1", root, NULL };
    const char *const twice[] = { self, "--child", "--jobs", "1", "--runs", "2", root, NULL };
    json_t *o = bench_report("parse", root);
    uint64_t n = bench_count_instructions(once, NULL);
    ken_json_set_u64(o, "instructions", bench_count_instructions(twice, NULL) - n);
    bench_print(o);
}

BENCH_MAIN(parse)
{
    ts_set_allocator(NULL, NULL, NULL, NULL); // malloc, as for anybody: not ken's own heap
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    const char *root = bench_path(&a, &arena);
    if (a.wants_instructions) {
        count(&arena, root);
        ken_arena_release(&arena);
        return 0;
    }
    parse_run r = { .root_fd = -1 };
    find_files(root, &arena, &r);
    json_t *o = measure(&a, root, &r);
    ken_fs_close(r.root_fd);
    if (a.is_json || a.is_child) {
        bench_print(o);
    } else {
        double mb = (double)r.n_bytes / 1e6, wall = bench_real(o, "wall_ms");
        printf("parse   %zu files, %.1f MB, %u threads: %.0f ms wall (%.1f MB/s), %.0f ms CPU, "
               "%.0f ms of it reading\n",
               r.n_files, mb, bench_jobs(&a), wall, mb * 1000 / wall, bench_real(o, "cpu_ms"),
               bench_real(o, "read_ms"));
        json_decref(o);
    }
    ken_arena_release(&arena);
    return 0;
}
