// SPDX-License-Identifier: MIT
// What it costs to keep and to find short texts: bench_recall [TREE]
//
// Lines of the files of TREE are put together to texts: a title of some words, a body of some
// lines. Questions are of four kinds in turn: some words of a text, a whole line, a title, and some
// words of which one text in ten passes.
#include <stdio.h>

#include "base/clock.h"
#include "bench.h"
#include "recall/recall.h"

static const char help[] =
    "bench_recall [--chunks N] [--queries N] [--json] [TREE]\n"
    "  N texts (100,000) of lines of TREE: time to load and to change them, memory, questions";

enum {
    N_TEXTS = 100000,
    N_QUERIES = 1000,
    N_UPDATES = 20000,
    LINES_MAX_BYTES = 32 << 20,
    BODY_LINES = 4,
    TITLE_WORDS = 8,
    LIMIT = 10,
    TENTH = 1, // a facet
};

typedef struct bench {
    ken_arena arena;
    bench_lines lines, titles, bodies;
    uint64_t seed;
} bench;

static uint64_t next(bench *b)
{
    b->seed = b->seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return b->seed >> 33;
}

static ken_str any_line(bench *b)
{
    return b->lines.ptr[next(b) % b->lines.len];
}

static void make_texts(bench *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ken_buf body = KEN_BUF_INIT(1 << 20);
        for (int k = 0; k < BODY_LINES; k++) {
            ken_buf_put_str(&body, any_line(b));
            ken_buf_putc(&body, '\n');
        }
        ken_vec_push(&b->titles, bench_first_words(any_line(b), TITLE_WORDS));
        ken_vec_push(&b->bodies, ken_arena_dup(&b->arena, ken_buf_str(&body)));
        ken_buf_release(&body);
    }
}

static void ask(bench *b, ken_recall *r, size_t n, bench_samples *out)
{
    for (size_t i = 0; i < n; i++) {
        ken_arena_mark mark = ken_arena_get_mark(&b->arena);
        ken_recall_hit *hits;
        const uint32_t tenth = TENTH;
        const ken_recall_filter filter = { .all = &tenth, .n_all = 1 };
        ken_str query = i % 4 == 1   ? any_line(b)
                        : i % 4 == 2 ? b->titles.ptr[next(b) % b->titles.len]
                                     : bench_first_words(any_line(b), 3 + i % 3);
        int64_t start = ken_clock_mono_ns();
        (void)ken_recall_search(r, query, i % 4 == 3 ? &filter : NULL, LIMIT, &b->arena, &hits);
        ken_vec_push(out, bench_ms(ken_clock_mono_ns() - start));
        ken_arena_rewind(&b->arena, mark);
    }
}

static void put(const bench *b, ken_recall *r, size_t id, size_t from)
{
    ken_recall_put(r, (int64_t)id, b->titles.ptr[from], b->bodies.ptr[from]);
    if (id % 10 == 0)
        ken_recall_mark(r, (int64_t)id, TENTH);
}

static void update(bench *b, ken_recall *r, bench_samples *out)
{
    for (size_t i = 0; i < N_UPDATES; i++) {
        size_t id = next(b) % b->titles.len, from = next(b) % b->titles.len;
        int64_t start = ken_clock_mono_ns();
        put(b, r, id, from);
        ken_vec_push(out, bench_ms(ken_clock_mono_ns() - start));
    }
}

BENCH_MAIN(recall)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    bench b = { .seed = 7 };
    ken_arena_init(&b.arena, 0);
    const char *root = bench_path(&a, &b.arena);
    size_t n = a.n_chunks ? a.n_chunks : N_TEXTS;
    bench_read_lines(root, LINES_MAX_BYTES, bench_is_prose, &b.arena, &b.lines);
    make_texts(&b, n);
    ken_recall *r = ken_recall_new();
    int64_t start = ken_clock_mono_ns();
    for (size_t i = 0; i < n; i++)
        put(&b, r, i, i);
    double load_ms = bench_ms(ken_clock_mono_ns() - start);
    bench_samples search = { 0 }, updates = { 0 }, after = { 0 };
    size_t n_queries = a.n_queries ? a.n_queries : N_QUERIES;
    ask(&b, r, n_queries, &search);
    update(&b, r, &updates);
    ask(&b, r, n_queries, &after);
    json_t *top = bench_report("recall", root);
    ken_json_set_u64(top, "texts", n);
    ken_json_set_u64(top, "lines", b.lines.len);
    ken_json_set_real(top, "load_ms", load_ms);
    ken_json_set_u64(top, "bytes_per_text", ken_recall_bytes(r) / n);
    json_object_set_new(top, "search", bench_quantiles(&search));
    json_object_set_new(top, "update", bench_quantiles(&updates));
    json_object_set_new(top, "search_after_updates", bench_quantiles(&after));
    bench_print(top);
    ken_recall_free(r);
    ken_arena_release(&b.arena);
    return 0;
}
