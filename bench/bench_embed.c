// SPDX-License-Identifier: MIT
// Embedding through ken against a bare loop around ONNX Runtime: the same model, the same tokens in
// the same batches. The loop does nothing but run; ken also tokenises, sorts, pools and checks.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/path.h"
#include "base/pool.h"
#include "bench.h"
#include "embed/embed.h"
#include "embed/embed_ort_priv.h"
#include "embed/embed_token.h"

static const char help[] =
    "bench_embed [--runs N] [--json]\n"
    "  texts per second of the provider onnx, and of ONNX Runtime alone on the same batches;\n"
    "  needs what tools/fetch_model.py puts under build/models/, found from the working folder";

enum {
    N_TEXTS = 400,
    MAX_TOKENS = 256,
    RUN_TOKENS = 4096,
    RUNS = 5
};

#define MODEL   "build/models/all-MiniLM-L6-v2/model.onnx"
#define VOCAB   "build/models/all-MiniLM-L6-v2/vocab.txt"
#define RUNTIME "build/models/runtime"

typedef struct bare {
    const ort_api *ort;
    ort_env *env;
    ort_options *options;
    ort_session *session;
    ort_memory *memory;
    struct text {
        int64_t ids[MAX_TOKENS];
        size_t n;
    } * texts;
} bare;

static ken_err err;

static void ort_check(const bare *b, ort_status *s)
{
    if (s)
        bench_die("ONNX Runtime: %s", b->ort->get_message(s));
}

// Functions of very different lengths, as a repository has them.
static ken_str make_text(ken_arena *a, size_t i)
{
    ken_buf t = KEN_BUF_INIT(1 << 16);
    size_t n_lines = 2 + (i * 7919) % 40;
    ken_buf_printf(&t, "src/module_%zu/file.c static int handle_request_%zu(request *r)\n{\n",
                   i % 17, i);
    for (size_t k = 0; k < n_lines; k++)
        ken_buf_printf(&t, "    if (r->field_%zu > limit) return send_error(r, %zu);\n", k, i + k);
    ken_str s = ken_arena_dup(a, ken_buf_str(&t));
    ken_buf_release(&t);
    return s;
}

static int longest_first(const void *x, const void *y)
{
    const struct text *a = x, *b = y;
    return a->n < b->n ? 1 : a->n > b->n ? -1 : 0;
}

static void open_bare(bare *b, const char *runtime, const ken_str *texts)
{
    ken_wordpiece *t = NULL;
    bench_check(ken_embed__ort(runtime, &b->ort, &err), &err);
    bench_check(ken_wordpiece_load(VOCAB, &t, &err), &err);
    ort_check(b, b->ort->create_env(ORT_LOG_ERROR, "bench", &b->env));
    ort_check(b, b->ort->create_options(&b->options));
    ort_check(b, b->ort->set_threads(b->options, (int)ken_pool_cores()));
    ort_check(b, b->ort->set_optimisation(b->options, ORT_OPTIMISE_ALL));
    ort_check(b, b->ort->create_session(b->env, MODEL, b->options, &b->session));
    ort_check(b, b->ort->create_cpu_memory(ORT_ALLOCATOR_DEVICE, ORT_MEMORY_DEFAULT, &b->memory));
    b->texts = ken_zalloc(N_TEXTS * sizeof *b->texts);
    for (size_t i = 0; i < N_TEXTS; i++)
        b->texts[i].n = ken_wordpiece_run(t, texts[i], b->texts[i].ids, MAX_TOKENS);
    for (size_t i = 0; i < N_TEXTS; i += KEN_EMBED_BATCH)
        qsort(b->texts + i, KEN_EMBED_BATCH, sizeof *b->texts, longest_first);
    ken_wordpiece_free(t);
}

static void run_once(const bare *b, const struct text *texts, size_t n)
{
    static const char *const names[] = { "input_ids", "attention_mask", "token_type_ids" };
    const char *out_name = "last_hidden_state";
    size_t len = texts[0].n;
    int64_t *data[3];
    const int64_t shape[2] = { (int64_t)n, (int64_t)len };
    ort_value *ins[3], *out = NULL;
    for (size_t k = 0; k < 3; k++)
        data[k] = ken_zalloc(n * len * sizeof(int64_t));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < texts[i].n; j++) {
            data[0][i * len + j] = texts[i].ids[j];
            data[1][i * len + j] = 1;
        }
    for (size_t k = 0; k < 3; k++)
        ort_check(b, b->ort->create_tensor(b->memory, data[k], n * len * sizeof(int64_t), shape, 2,
                                           ORT_TYPE_INT64, &ins[k]));
    const ort_value *const const_ins[] = { ins[0], ins[1], ins[2] };
    ort_check(b, b->ort->run(b->session, NULL, names, const_ins, 3, &out_name, 1, &out));
    b->ort->free_value(out);
    for (size_t k = 0; k < 3; k++) {
        b->ort->free_value(ins[k]);
        ken_free(data[k]);
    }
}

static double run_bare(const bare *b)
{
    int64_t start = ken_clock_mono_ns();
    for (size_t i = 0; i < N_TEXTS; i += KEN_EMBED_BATCH)
        for (size_t at = i, n; at < i + KEN_EMBED_BATCH; at += n) {
            size_t most = RUN_TOKENS / b->texts[at].n, left = i + KEN_EMBED_BATCH - at;
            n = left < most ? left : most;
            run_once(b, b->texts + at, n);
        }
    return bench_ms(ken_clock_mono_ns() - start);
}

static double run_ken(ken_embedder *e, const ken_str *texts, float *out)
{
    int64_t start = ken_clock_mono_ns();
    bench_check(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, N_TEXTS, out, NULL, &err), &err);
    return bench_ms(ken_clock_mono_ns() - start);
}

BENCH_MAIN(embed)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    if (!ken_fs_exists(MODEL))
        bench_die("'%s' is not there; run tools/fetch_model.py", MODEL);
    ken_str runtime = { 0 }, texts[N_TEXTS];
    bench_check(ken_path_real(&arena, KEN_STR(RUNTIME), &runtime, &err), &err);
    for (size_t i = 0; i < N_TEXTS; i++)
        texts[i] = make_text(&arena, i);
    ken_embedder *e = NULL;
    const ken_embed_opts o = { .provider = "onnx",
                               .model = "all-MiniLM-L6-v2",
                               .model_path = MODEL,
                               .runtime_path = runtime.ptr };
    bench_check(ken_embedder_open(&o, &e, &err), &err);
    bare b = { 0 };
    open_bare(&b, runtime.ptr, texts);
    size_t dims = ken_embedder_info(e).dims;
    float *out = ken_zalloc(N_TEXTS * dims * sizeof *out);
    bench_samples ken = { 0 }, alone = { 0 }, ratio = { 0 };
    (void)run_ken(e, texts, out);
    (void)run_bare(&b);
    for (unsigned i = 0; i < (a.n_runs ? a.n_runs : RUNS); i++) {
        double x = run_bare(&b), y = run_ken(e, texts, out);
        ken_vec_push(&alone, x);
        ken_vec_push(&ken, y);
        ken_vec_push(&ratio, y / x);
    }
    double ken_ms = bench_median(&ken), alone_ms = bench_median(&alone);
    if (a.is_json) {
        json_t *top = bench_report("embed", NULL);
        ken_json_set_real(top, "ken_ms", ken_ms);
        ken_json_set_real(top, "runtime_ms", alone_ms);
        ken_json_set_real(top, "ratio", bench_median(&ratio));
        ken_json_set_real(top, "texts_per_second", N_TEXTS * 1000.0 / ken_ms);
        bench_print(top);
    } else {
        printf("%d texts: ken %.0f ms (%.0f texts/s), runtime alone %.0f ms, ratio %.3f\n", N_TEXTS,
               ken_ms, N_TEXTS * 1000.0 / ken_ms, alone_ms, bench_median(&ratio));
    }
    ken_embedder_close(e);
    return 0;
}
