// SPDX-License-Identifier: MIT
// The store alone: 10,000 contents with their files and 15 MB of segments, written in five batches
// as a cold index does, durable; then every question a reader asks. In a database with pgvector the same contents once more,
// with a row for each vector.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "bench.h"
#include "store/store.h"

static const char help[] =
    "bench_store [--runs N] [--temp DIR] [--json]\n"
    "  writing and reading an index of 10,000 made-up contents: in a file, or in the\n"
    "  PostgreSQL database of KEN_BENCH_DATABASE_URL";

enum {
    N_CONTENTS = 10000,
    N_BATCHES = 5,
    SEGMENT_BYTES = 3 << 20,
    N_QUESTIONS = 1000,
    N_CHUNKS = 10, // of a content
    N_DIMS = 192
};

typedef struct store_run {
    ken_database *database; // of KEN_BENCH_DATABASE_URL; NULL: SQLite
    bool has_vectors;       // that are rows, too
    int8_t values[N_CHUNKS * N_DIMS];
    float scales[N_CHUNKS];
    ken_store *s;
    ken_arena arena;
    ken_facts facts;
    ken_buf packed;
    int64_t ids[N_CONTENTS];
    char *segment;
    json_t *report;
    int64_t start_ns;
} store_run;

static ken_err err;

static void check(ken_status st)
{
    bench_check(st, &err);
}

static void start(store_run *r)
{
    r->start_ns = ken_clock_mono_ns();
}

// Since the last start, divided by `n`.
static void report(store_run *r, const char *key, double n)
{
    ken_json_set_real(r->report, key, bench_ms(ken_clock_mono_ns() - r->start_ns) / n);
}

// What 10 KB of source give.
static void make_facts(store_run *r)
{
    enum {
        N_SYMBOLS = 50
    };
    ken_facts f = { .lang = 3, .n_bytes = 10000, .n_lines = 350 };
    f.n_symbols = N_SYMBOLS;
    f.n_chunks = N_CHUNKS;
    f.symbols = KEN_ARENA_ARRAY(&r->arena, ken_symbol, N_SYMBOLS);
    f.chunks = KEN_ARENA_ARRAY(&r->arena, ken_chunk, N_CHUNKS);
    for (uint32_t i = 0; i < N_SYMBOLS; i++)
        f.symbols[i] = (ken_symbol){
            .name = ken_arena_printf(&r->arena, "module_function_%u", i * 7919 % 1000),
            .kind = KEN_SYMBOL_FUNCTION,
            .span = { i * 200 + i % 20, i * 200 + 150 },
            .signature = { i * 200 + i % 20, i * 200 + 60 },
            .first_line = i * 7,
            .last_line = i * 7 + 5,
            .parent = -1,
        };
    for (uint32_t i = 0; i < N_CHUNKS; i++)
        f.chunks[i] = (ken_chunk){
            .span = { i * 1000, i * 1000 + 1000 },
            .first_line = i * 35,
            .last_line = i * 35 + 34,
            .n_tokens = 250,
            .type = KEN_CHUNK_FUNCTION,
            .symbol = (int32_t)i * 5,
        };
    r->facts = f;
    ken_facts_pack(&r->facts, &r->packed);
    r->segment = ken_alloc(SEGMENT_BYTES);
    for (size_t i = 0; i < SEGMENT_BYTES; i++)
        r->segment[i] = (char)(i * 2654435761u >> 24);
    for (size_t i = 0; i < sizeof r->values; i++)
        r->values[i] = (int8_t)(i * 2654435761u >> 24);
    for (size_t i = 0; i < N_CHUNKS; i++)
        r->scales[i] = 0.001F;
}

static void put_vectors(store_run *r, int64_t content)
{
    const ken_store_vectors v = { .model = "bench",
                                  .n_dims = N_DIMS,
                                  .content = content,
                                  .values = r->values,
                                  .scales = r->scales,
                                  .n = N_CHUNKS };
    check(ken_store_put_vectors(r->s, &v, &err));
}

static ken_content_key key_of(int i)
{
    return (ken_content_key){ .sha = ken_sha256_of(&i, sizeof i), .lang = 3, .feature = 1 };
}

static void write_batch(store_run *r, int from, int to)
{
    check(ken_store_begin_write(r->s, &err));
    for (int i = from; i < to; i++) {
        const ken_content_key key = key_of(i);
        ken_content_info info;
        if (ken_store_find_content(r->s, &key, &info, &err) != KEN_ENOTFOUND)
            bench_die("a content is there already");
        const ken_packed packed = { .facts = ken_buf_str(&r->packed) };
        check(ken_store_add_content(r->s, &key, &r->facts, &packed, &r->ids[i], &err));
        if (r->has_vectors)
            put_vectors(r, r->ids[i]);
    }
    int64_t id;
    check(ken_store_add_segment(r->s, KEN_SEGMENT_WORDS, ken_str_n(r->segment, SEGMENT_BYTES),
                                (uint32_t)(to - from), &id, &err));
    check(ken_store_commit(r->s, &err));
}

static void write_files(store_run *r)
{
    check(ken_store_begin_write(r->s, &err));
    for (int i = 0; i < N_CONTENTS; i++) {
        char path[64];
        snprintf(path, sizeof path, "src/some/module%03d/with_path/file%05d.c", i / 100, i);
        const ken_file_row row = { .path = ken_str_c(path),
                                   .content = r->ids[i],
                                   .stamp = { 10000, i, i, (uint64_t)i + 1 } };
        check(ken_store_put_file(r->s, &row, &err));
    }
    check(ken_store_put_generation(r->s, &(ken_generation){ .number = 1 }, &err));
    check(ken_store_commit(r->s, &err));
}

static void measure_write(store_run *r, const char *path)
{
    check(ken_store_open(&(ken_store_opts){ .path = path, .database = r->database }, &r->s, &err));
    start(r);
    for (int b = 0; b < N_BATCHES; b++)
        write_batch(r, b * N_CONTENTS / N_BATCHES, (b + 1) * N_CONTENTS / N_BATCHES);
    write_files(r);
    report(r, "write_ms", 1);
    start(r);
    check(ken_store_checkpoint(r->s, &err));
    report(r, "checkpoint_ms", 1);
    uint64_t size = 0;
    check(ken_store_get_size(r->s, &size, &err));
    ken_json_set_u64(r->report, "bytes", size);
    ken_json_set_u64(r->report, "payload_bytes",
                     (uint64_t)N_BATCHES * SEGMENT_BYTES + N_CONTENTS * r->packed.len);
    start(r);
    check(ken_store_begin_write(r->s, &err));
    check(ken_store_put_generation(r->s, &(ken_generation){ .number = 2 }, &err));
    check(ken_store_commit(r->s, &err));
    report(r, "small_commit_ms", 1);
    ken_store_close(r->s);
}

// Contents with the rows of their chunks and vectors, segments and files.
static void measure_load(store_run *r, const char *path)
{
    const char *url = getenv("KEN_BENCH_DATABASE_URL");
    ken_database_vectors there = { 0 };
    ken_database *plain = r->database;
    if (!plain)
        return;
    check(
        ken_database_open(&(ken_database_opts){ .url = url, .vectors = "on" }, &r->database, &err));
    check(ken_database_get_vectors(r->database, &there, &err));
    r->has_vectors = there.is_on;
    if (there.is_on) {
        check(ken_store_open(&(ken_store_opts){ .path = path, .database = r->database }, &r->s,
                             &err));
        start(r);
        for (int b = 0; b < N_BATCHES; b++)
            write_batch(r, b * N_CONTENTS / N_BATCHES, (b + 1) * N_CONTENTS / N_BATCHES);
        write_files(r);
        double seconds = bench_ms(ken_clock_mono_ns() - r->start_ns) / 1000;
        ken_json_set_u64(r->report, "vector_chunks_per_s",
                         (uint64_t)(N_CONTENTS * N_CHUNKS / seconds));
        ken_store_close(r->s);
    }
    r->has_vectors = false;
    ken_database_close(r->database);
    r->database = plain;
}

static void measure_blocks(store_run *r)
{
    static char block[KEN_SEGMENT_BLOCK];
    ken_segment_info *list = NULL;
    size_t n = 0, n_bytes, n_read = 0;
    start(r);
    check(ken_store_list_segments(r->s, KEN_SEGMENT_WORDS, &r->arena, &list, &n, &err));
    report(r, "list_segments_ms", 1);
    check(ken_store_begin_read(r->s, &err));
    start(r);
    for (size_t i = 0; i < n; i++)
        for (uint32_t b = 0; b < list[i].n_bytes / KEN_SEGMENT_BLOCK; b++, n_read++)
            check(ken_store_read_block(r->s, list[i].id, b, block, &n_bytes, &err));
    report(r, "block_ms", (double)n_read);
    check(ken_store_commit(r->s, &err));
}

static void measure_read(store_run *r, const char *path)
{
    const ken_store_opts opts = { .path = path, .database = r->database, .is_read_only = true };
    ken_file_row *rows;
    ken_content_info *infos;
    size_t n;
    uint64_t number;
    start(r);
    check(ken_store_open(&opts, &r->s, &err));
    report(r, "open_ms", 1);
    start(r);
    check(ken_store_load_files(r->s, &r->arena, &rows, &n, &infos, &err));
    report(r, "load_files_ms", 1);
    measure_blocks(r);
    start(r);
    for (int i = 0; i < N_QUESTIONS; i++) {
        ken_facts f;
        ken_arena_mark mark = ken_arena_get_mark(&r->arena);
        check(ken_store_load_facts(r->s, r->ids[i * 7919 % N_CONTENTS], &r->arena, &f, &err));
        ken_arena_rewind(&r->arena, mark);
    }
    report(r, "facts_ms", N_QUESTIONS);
    start(r);
    for (int i = 0; i < N_QUESTIONS; i++) {
        check(ken_store_begin_read(r->s, &err));
        check(ken_store_get_generation(r->s, &number, &err));
        check(ken_store_commit(r->s, &err));
    }
    report(r, "refresh_ms", N_QUESTIONS);
    start(r);
    check(ken_store_verify(r->s, &err));
    report(r, "verify_ms", 1);
    ken_store_close(r->s);
}

static void print_text(json_t *o)
{
    const char *key;
    json_t *value;
    json_object_foreach(o, key, value)
    {
        if (json_is_real(value))
            printf("store   %-18s %9.4f ms\n", key, json_real_value(value));
        else if (json_is_integer(value))
            printf("store   %-18s %9lld\n", key, (long long)json_integer_value(value));
    }
    json_decref(o);
}

BENCH_MAIN(store)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    uint32_t n_runs = a.n_runs ? a.n_runs : 1;
    store_run *r = ken_zalloc(sizeof *r);
    const char *url = getenv("KEN_BENCH_DATABASE_URL");
    if (url)
        check(ken_database_open(&(ken_database_opts){ .url = url }, &r->database, &err));
    for (uint32_t i = 0; i < n_runs; i++) {
        ken_arena_init(&r->arena, 0);
        r->packed = (ken_buf){ 0 };
        r->report = bench_report("store", NULL);
        make_facts(r);
        ken_str path = ken_arena_printf(&r->arena, "%s/store.db", bench_temp(&a, &r->arena));
        measure_write(r, path.ptr);
        measure_read(r, path.ptr);
        measure_load(r, ken_arena_printf(&r->arena, "%s+vectors", path.ptr).ptr);
        if (a.is_json)
            bench_print(r->report);
        else
            print_text(r->report);
        ken_free(r->segment);
        ken_buf_release(&r->packed);
        ken_arena_release(&r->arena);
    }
    ken_database_close(r->database);
    ken_free(r);
    return 0;
}
