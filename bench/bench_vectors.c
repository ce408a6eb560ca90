// SPDX-License-Identifier: MIT
// The vector search alone, at any size: time, memory, and how much of a plain comparison it finds.
//
// Rows are the vectors of a real tree, as its index has them, with what the paths say. For more
// rows than the tree has, every file comes several times: each further time with a vector of some
// other file of the tree added to its own, so that the copies lie about subjects as code does and
// no two rows are the same. Questions are lines of prose of the tree. A process asks alone, then
// once for each core at the same time.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/pool.h"
#include "bench.h"
#include "embed/embed_static.h"
#include "index/index.h"
#include "simd/simd.h"
#include "vector/vector.h"

static const char help[] =
    "bench_vectors [--chunks N] [--queries N] [--file INDEX] [--json] [PATH]\n"
    "  nearest rows and nearest files among N chunks (default: 1,000,000) made of those of PATH\n"
    "  --file INDEX  the index of PATH, when there is one";

enum {
    DEFAULT_ROWS = 1000000,
    DEFAULT_QUERIES = 400,
    CHECKED = 100, // of them, against a plain comparison
    HITS = 10,
    PROSE_BYTES = 16 << 20,
    QUESTION_WORDS = 8
};

static const float drift = 0.35F; // how far copies lie from each other: the length of what is added

// ---- the matrix --------------------------------------------------------------------------------

typedef struct corpus {
    ken_store *store;
    ken_file_row *files;
    size_t n_files;
    ken_map by_content; // -> the first file that has it, + 1
    ken_vector_segment **segments;
    size_t n_segments;
    ken_vector_matrix m;
    uint32_t n_copies;
    uint64_t seed;
} corpus;

static uint64_t random_next(corpus *c)
{
    c->seed ^= c->seed << 13;
    c->seed ^= c->seed >> 7;
    c->seed ^= c->seed << 17;
    return c->seed;
}

static ken_str key_of(const int64_t *content)
{
    return ken_str_n((const char *)content, sizeof *content);
}

static void open_index(const bench_args *a, corpus *c, ken_arena *arena)
{
    ken_err err = { 0 };
    const char *db =
        a->file ? a->file : ken_arena_printf(arena, "%s/index.db", bench_temp(a, arena)).ptr;
    ken_store_opts opts = { .path = db, .is_read_only = a->file != NULL };
    ken_index_opts index = { .n_jobs = a->n_jobs };
    ken_index_report report;
    bench_check(ken_store_open(&opts, &c->store, &err), &err);
    if (!a->file)
        bench_check(
            ken_index_run(c->store, bench_path(a, arena), &index, NULL, arena, &report, &err),
            &err);
    bench_check(ken_store_load_files(c->store, arena, &c->files, &c->n_files, NULL, &err), &err);
    ken_map_init(&c->by_content);
    for (size_t f = 0; f < c->n_files; f++)
        ken_map_put(&c->by_content, key_of(&c->files[f].content), f + 1, NULL);
    ken_segment_info *infos;
    bench_check(
        ken_store_list_segments(c->store, KEN_SEGMENT_VECTORS, arena, &infos, &c->n_segments, &err),
        &err);
    c->segments = KEN_ARENA_ARRAY(arena, ken_vector_segment *, c->n_segments + 1);
    for (size_t i = 0; i < c->n_segments; i++) {
        ken_block_source source = ken_store_source(c->store, &infos[i]);
        bench_check(ken_vector_segment_open(&source, &c->segments[i], &err), &err);
    }
}

typedef void content_fn(corpus *c, ken_vector_segment *segment, const ken_vector_content *content,
                        uint32_t file, void *ctx);

static void each_content(corpus *c, content_fn *fn, void *ctx)
{
    for (size_t i = 0; i < c->n_segments; i++) {
        uint32_t n;
        const ken_vector_content *contents = ken_vector_segment_contents(c->segments[i], &n);
        for (uint32_t k = 0; k < n; k++) {
            const uint64_t *file = ken_map_find(&c->by_content, key_of(&contents[k].id));
            if (file)
                fn(c, c->segments[i], &contents[k], (uint32_t)*file - 1, ctx);
        }
    }
}

static void note_rows(corpus *c, ken_vector_segment *segment, const ken_vector_content *content,
                      uint32_t file, void *ctx)
{
    (void)c;
    (void)segment;
    ((uint32_t *)ctx)[file] = content->n_rows;
}

// What the further copies of a file have besides: a path of the tree, brought to a length of
// `drift`.
static void add_drift(corpus *c, float *path)
{
    const ken_static_model *model = ken_static_builtin();
    uint32_t n_dims = ken_static_n_dims(model);
    float other[KEN_VECTOR_MAX_DIMS];
    ken_str text = c->files[random_next(c) % c->n_files].path;
    ken_static_embed_path(model, text, NULL, other);
    float square = ken_simd()->dot_f32(other, other, n_dims);
    for (uint32_t d = 0; d < n_dims && square > 0; d++)
        path[d] += drift * other[d] / sqrtf(square);
}

static void put_copies(corpus *c, ken_vector_segment *segment, const ken_vector_content *content,
                       uint32_t file, void *ctx)
{
    (void)ctx;
    ken_err err = { 0 };
    const int8_t *values;
    const float *scales;
    bench_check(ken_vector_segment_rows(segment, content, &values, &scales, &err), &err);
    for (uint32_t k = 0; k < c->n_copies; k++) {
        float path[KEN_VECTOR_MAX_DIMS];
        ken_static_embed_path(ken_static_builtin(), c->files[file].path, NULL, path);
        if (k)
            add_drift(c, path);
        ken_vector_matrix_put(&c->m, (uint32_t)(k * c->n_files) + file, values, scales, path);
    }
}

static void fill(const bench_args *a, corpus *c, ken_arena *arena)
{
    uint64_t want = a->n_chunks ? a->n_chunks : DEFAULT_ROWS, n = 0;
    uint32_t *once = KEN_ARENA_ARRAY(arena, uint32_t, c->n_files + 1);
    each_content(c, note_rows, once);
    for (size_t f = 0; f < c->n_files; f++)
        n += once[f];
    if (!n)
        bench_die("nothing to index here");
    c->n_copies = (uint32_t)((want + n - 1) / n);
    size_t n_files = c->n_copies * c->n_files;
    uint32_t *n_rows = KEN_ARENA_ARRAY(arena, uint32_t, n_files + 1);
    for (size_t f = 0; f < n_files; f++)
        n_rows[f] = once[f % c->n_files];
    if (!ken_vector_matrix_init(&c->m, ken_static_n_dims(ken_static_builtin()), n_rows,
                                (uint32_t)n_files))
        bench_die("no memory for %zu rows", (size_t)n * c->n_copies);
    each_content(c, put_copies, NULL);
}

// ---- questions ---------------------------------------------------------------------------------

typedef struct question {
    float unit[KEN_VECTOR_MAX_DIMS];
    ken_vector_query query;
} question;

typedef struct questions {
    question *of;
    size_t n;
} questions;

static void make_questions(const bench_args *a, corpus *c, ken_arena *arena, questions *out)
{
    bench_lines lines = { 0 };
    bench_read_lines(bench_path(a, arena), PROSE_BYTES, bench_is_prose, arena, &lines);
    size_t want = a->n_queries ? a->n_queries : DEFAULT_QUERIES;
    out->of = ken_alloc(ken_mul_size(want, sizeof *out->of));
    for (size_t tries = 0; out->n < want && tries < 20 * want; tries++) {
        ken_str line = lines.ptr[random_next(c) % lines.len];
        question *q = &out->of[out->n];
        if (!ken_static_embed_words(ken_static_builtin(), bench_first_words(line, QUESTION_WORDS),
                                    q->unit))
            continue;
        ken_vector_query_init(&q->query, q->unit, c->m.n_dims);
        out->n++;
    }
    ken_vec_release(&lines);
}

// ---- how much is found -------------------------------------------------------------------------

static float cosine(const ken_vector_matrix *m, uint32_t row, const float *q)
{
    float values[KEN_VECTOR_MAX_DIMS];
    for (uint32_t d = 0; d < m->n_dims; d++)
        values[d] = (float)m->values[(size_t)row * m->n_dims + d];
    return m->scales[row] * ken_simd()->dot_f32(values, q, m->n_dims);
}

// The score of the tenth nearest row, or of the tenth nearest file.
static float tenth_best(const ken_vector_matrix *m, const float *q, bool by_file)
{
    float best[HITS], of_file = -2;
    for (int i = 0; i < HITS; i++)
        best[i] = -2;
    for (uint32_t row = 0, file = 0; row < m->n_rows; row++) {
        float score = cosine(m, row, q);
        if (by_file) {
            of_file = score > of_file ? score : of_file;
            while (m->first_row[file + 1] <= row)
                file++;
            if (row + 1 < m->first_row[file + 1])
                continue;
            score = of_file;
            of_file = -2;
        }
        int at = HITS;
        while (at && best[at - 1] < score)
            at--;
        if (at == HITS)
            continue;
        memmove(best + at + 1, best + at, (size_t)(HITS - 1 - at) * sizeof *best);
        best[at] = score;
    }
    return best[HITS - 1];
}

// ---- ways to ask -------------------------------------------------------------------------------

static size_t ask_rows(const ken_vector_matrix *m, const question *q, ken_vector_hit *hits)
{
    return ken_vector_top_rows(m, &q->query, NULL, NULL, HITS, hits);
}

static size_t ask_files(const ken_vector_matrix *m, const question *q, ken_vector_hit *hits)
{
    return ken_vector_top(m, &q->query, NULL, NULL, HITS, hits);
}

typedef size_t ask_fn(const ken_vector_matrix *m, const question *q, ken_vector_hit *hits);

static const struct {
    const char *word;
    ask_fn *ask;
    bool by_file;
} ways[] = { { "nearest_rows", ask_rows, false }, { "nearest_files", ask_files, true } };

enum {
    N_WAYS = sizeof ways / sizeof *ways
};

static double recall(const corpus *c, const questions *q, size_t way)
{
    size_t n = q->n < CHECKED ? q->n : CHECKED, found = 0;
    for (size_t i = 0; i < n; i++) {
        ken_vector_hit hits[HITS];
        size_t n_hits = ways[way].ask(&c->m, &q->of[i], hits);
        float tenth = tenth_best(&c->m, q->of[i].unit, ways[way].by_file);
        for (size_t k = 0; k < n_hits; k++)
            found += cosine(&c->m, hits[k].row, q->of[i].unit) >= tenth - 1e-5F;
    }
    return n ? (double)found / (double)(n * HITS) : 0;
}

typedef struct asking {
    const corpus *c;
    const questions *q;
    ask_fn *ask;
    size_t first; // question, so that two that ask at once do not ask the same
    bench_samples ms;
} asking;

static void ask_all(void *ctx, size_t worker)
{
    (void)worker;
    asking *x = ctx;
    for (size_t i = 0; i < x->q->n; i++) {
        ken_vector_hit hits[HITS];
        int64_t t0 = ken_clock_mono_ns();
        x->ask(&x->c->m, &x->q->of[(x->first + i) % x->q->n], hits);
        ken_vec_push(&x->ms, bench_ms(ken_clock_mono_ns() - t0));
    }
}

static json_t *time_askers(const corpus *c, const questions *q, ask_fn *ask, size_t n_askers)
{
    asking *x = ken_zalloc(ken_mul_size(n_askers, sizeof *x));
    ken_pool *pool = ken_pool_new(n_askers, n_askers, 0);
    bench_samples all = { 0 };
    for (size_t i = 0; i < n_askers; i++) {
        x[i] = (asking){ .c = c, .q = q, .ask = ask, .first = i * q->n / n_askers };
        ken_pool_submit(pool, ask_all, &x[i]);
    }
    ken_pool_free(pool);
    for (size_t i = 0; i < n_askers; i++) {
        for (size_t k = 0; k < x[i].ms.len; k++)
            ken_vec_push(&all, x[i].ms.ptr[k]);
        ken_vec_release(&x[i].ms);
    }
    ken_free(x);
    json_t *o = bench_quantiles(&all);
    ken_vec_release(&all);
    return o;
}

// ---- the report --------------------------------------------------------------------------------

static size_t matrix_bytes(const ken_vector_matrix *m)
{
    return m->n_rows * (m->n_dims + sizeof *m->scales) +
           ken_vector_signs_bytes(m->n_dims, m->n_rows);
}

static json_t *measure(const corpus *c, const questions *q, size_t n_cores)
{
    json_t *report = bench_report("vectors", NULL);
    const ken_vector_matrix *m = &c->m;
    ken_json_set_u64(report, "rows", m->n_rows);
    ken_json_set_u64(report, "files", m->n_files);
    ken_json_set_u64(report, "matrix_bytes", matrix_bytes(m));
    ken_json_set_u64(report, "peak_bytes", bench_peak_bytes());
    for (size_t w = 0; w < N_WAYS; w++) {
        json_t *o = json_object();
        json_decref(time_askers(c, q, ways[w].ask, 1)); // to warm up
        ken_json_set(o, "alone", time_askers(c, q, ways[w].ask, 1));
        ken_json_set(o, "at_once", time_askers(c, q, ways[w].ask, n_cores));
        ken_json_set_real(o, "recall", recall(c, q, w));
        ken_json_set(report, ways[w].word, o);
    }
    return report;
}

static void show_times(const char *what, const json_t *o)
{
    printf("  %-24s %9.3f %9.3f %9.3f %9.3f\n", what, bench_real(o, "p50_ms"),
           bench_real(o, "p95_ms"), bench_real(o, "p99_ms"), bench_real(o, "max_ms"));
}

static void show(const json_t *r)
{
    printf("vectors %.0f rows of %.0f files, %.0f MB; peak %.0f MB\n", bench_real(r, "rows"),
           bench_real(r, "files"), bench_real(r, "matrix_bytes") / 1e6,
           bench_real(r, "peak_bytes") / 1e6);
    printf("  %-24s %9s %9s %9s %9s  (ms)\n", "", "p50", "p95", "p99", "max");
    for (size_t w = 0; w < N_WAYS; w++) {
        const json_t *o = json_object_get(r, ways[w].word);
        printf("  %s: recall@%d %.4f\n", ways[w].word, HITS, bench_real(o, "recall"));
        show_times("  one asks", json_object_get(o, "alone"));
        show_times("  one for each core", json_object_get(o, "at_once"));
    }
}

BENCH_MAIN(vectors)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    corpus c = { .seed = 88172645463325252 };
    questions q = { 0 };
    open_index(&a, &c, &arena);
    fill(&a, &c, &arena);
    make_questions(&a, &c, &arena, &q);
    json_t *report = measure(&c, &q, bench_jobs(&a));
    if (a.is_json) {
        bench_print(report);
    } else {
        show(report);
        json_decref(report);
    }
    for (size_t i = 0; i < c.n_segments; i++)
        ken_vector_segment_close(c.segments[i]);
    ken_store_close(c.store);
    ken_map_release(&c.by_content);
    ken_vector_matrix_release(&c.m);
    ken_free(q.of);
    ken_arena_release(&arena);
    return 0;
}
