// SPDX-License-Identifier: MIT
// BERT-like sentence encoders through ONNX Runtime.
//
// A batch is tokenised, sorted by length and cut into runs of texts of about the same length, of at
// most RUN_TOKENS tokens with the padding: so little is computed for padding, memory stays bounded,
// and a cancel is seen between runs. The vectors of a text's tokens become one by their mean, or
// the first one is taken; the wrapper brings it to unit length.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/fs.h"
#include "base/path.h"
#include "base/pool.h"
#include "embed/embed_ops.h"
#include "embed/embed_ort_priv.h"
#include "embed/embed_token.h"

enum {
    RUN_TOKENS = 4096,
    DEFAULT_TOKENS = 512, // what BERT's position table holds
    INPUTS_MAX = 3,
    RANK_MAX = 3,
};

typedef enum onnx_input {
    INPUT_IDS = 0,
    INPUT_MASK,
    INPUT_TYPES,
} onnx_input;

typedef struct onnx {
    ken_embedder_backend base;
    const ort_api *ort;
    ort_env *env;
    ort_session *session;
    ort_memory *memory;
    ken_wordpiece *tokenizer;
    const char *model, *version;
    size_t dims, max_tokens;
    bool takes_first;              // CLS
    onnx_input inputs[INPUTS_MAX]; // in the order of the model
    const char *input_names[INPUTS_MAX];
    size_t n_inputs;
    const char *output_name;
    ken_arena arena; // texts
} onnx;

// Turns a status of the runtime into ours, and frees it.
static ken_status check(const onnx *o, ort_status *s, const char *what, ken_err *err)
{
    if (!s)
        return KEN_OK;
    ken_status st = KEN_FAIL(err, KEN_EIO, "ONNX Runtime %s, model '%s': %s: %.250s",
                             ken_embed__ort_version(), o->model, what, o->ort->get_message(s));
    o->ort->free_status(s);
    return st;
}

// ---- opening ---------------------------------------------------------------------------------

static ken_status read_inputs(onnx *o, ort_allocator *a, ken_err *err)
{
    static const char *const known[] = { "input_ids", "attention_mask", "token_type_ids" };
    size_t n = 0;
    ken_status st = check(o, o->ort->get_n_inputs(o->session, &n), "reading its inputs", err);
    for (size_t i = 0; i < n && !st; i++) {
        char *name = NULL;
        st = check(o, o->ort->get_input_name(o->session, i, a, &name), "reading its inputs", err);
        if (st)
            return st;
        size_t k = 0;
        while (k < INPUTS_MAX && strcmp(name, known[k]) != 0)
            k++;
        if (k == INPUTS_MAX || o->n_inputs == INPUTS_MAX) {
            st = KEN_FAIL(err, KEN_EUNSUPPORTED,
                          "model '%s' has the input '%.80s'; only input_ids, attention_mask and "
                          "token_type_ids are known",
                          o->model, name);
        } else {
            o->inputs[o->n_inputs] = (onnx_input)k;
            o->input_names[o->n_inputs++] = known[k];
        }
        (void)check(o, o->ort->free_with(a, name), "freeing", NULL);
    }
    if (!st && !o->n_inputs)
        return KEN_FAIL(err, KEN_EUNSUPPORTED, "model '%s' has no inputs", o->model);
    return st;
}

// The length of the vectors, when the model declares it.
static ken_status read_dims(onnx *o, size_t output, ken_err *err)
{
    const ort_api *ort = o->ort;
    ort_type *type = NULL;
    const ort_shape *shape = NULL;
    size_t rank = 0;
    int element = 0;
    int64_t dims[RANK_MAX] = { 0 };
    ken_status st =
        check(o, ort->get_output_type(o->session, output, &type), "reading its output", err);
    if (!st)
        st = check(o, ort->get_tensor_shape(type, &shape), "reading its output", err);
    if (!st && shape)
        st = check(o, ort->get_n_dims(shape, &rank), "reading its output", err);
    if (!st && shape)
        st = check(o, ort->get_element_type(shape, &element), "reading its output", err);
    if (!st && (rank < 2 || rank > RANK_MAX || element != ORT_TYPE_FLOAT))
        st = KEN_FAIL(err, KEN_EUNSUPPORTED,
                      "model '%s' gives values of type %d with %zu dimensions; needed are 32-bit "
                      "floats with 2 or 3",
                      o->model, element, rank);
    if (!st)
        st = check(o, ort->get_dims(shape, dims, rank), "reading its output", err);
    if (!st && dims[rank - 1] > 0)
        o->dims = (size_t)dims[rank - 1];
    if (type)
        ort->free_type(type);
    return st;
}

// The vectors of all tokens when the model has them, else its first output.
static ken_status read_outputs(onnx *o, ort_allocator *a, ken_err *err)
{
    size_t n = 0, best = 0;
    ken_status st = check(o, o->ort->get_n_outputs(o->session, &n), "reading its outputs", err);
    for (size_t i = 0; i < n && !st; i++) {
        char *name = NULL;
        st = check(o, o->ort->get_output_name(o->session, i, a, &name), "reading its outputs", err);
        if (st)
            break;
        bool is_tokens = !strcmp(name, "last_hidden_state") || !strcmp(name, "token_embeddings");
        if (i == 0 || is_tokens) {
            best = i;
            o->output_name = ken_arena_strdup(&o->arena, name);
        }
        (void)check(o, o->ort->free_with(a, name), "freeing", NULL);
    }
    if (!st && !n)
        return KEN_FAIL(err, KEN_EUNSUPPORTED, "model '%s' has no outputs", o->model);
    return st ? st : read_dims(o, best, err);
}

// Whether CUDA is there turns out here, and when the session is made.
static ken_status choose_device(const onnx *o, ken_embed_device device, ort_options *options,
                                ken_err *err)
{
    if (device == KEN_EMBED_CPU)
        return KEN_OK;
    ort_cuda_fn *append = ken_embed__ort_cuda();
    ken_err why = { 0 };
    ken_status st = KEN_OK;
    if (append)
        st = check(o, append(options, 0), "CUDA", &why);
    else
        st = KEN_FAIL(&why, KEN_EUNSUPPORTED, "ONNX Runtime %s is built without CUDA",
                      ken_embed__ort_version());
    if (!st || device == KEN_EMBED_DEVICE_AUTO)
        return KEN_OK;
    return KEN_FAIL(
        err, KEN_EUNSUPPORTED,
        "%s; set embedding.onnx_runtime to one with CUDA (onnxruntime-gpu of PyPI brings "
        "it), or embedding.device to cpu or auto",
        why.msg);
}

static ken_status open_session(onnx *o, const ken_embed_opts *opts, ken_err *err)
{
    const ort_api *ort = o->ort;
    ort_options *options = NULL;
    ort_allocator *a = NULL;
    size_t n_threads = opts->n_threads ? opts->n_threads : ken_pool_cores();
    ken_status st = check(o, ort->create_env(ORT_LOG_ERROR, "ken", &o->env), "starting", err);
    if (!st)
        st = check(o, ort->create_options(&options), "starting", err);
    if (!st)
        st = check(o, ort->set_threads(options, (int)n_threads), "starting", err);
    if (!st)
        st = check(o, ort->set_optimisation(options, ORT_OPTIMISE_ALL), "starting", err);
    if (!st)
        st = choose_device(o, opts->device, options, err);
    if (!st)
        st = check(o, ort->create_session(o->env, opts->model_path, options, &o->session),
                   "loading", err);
    if (!st)
        st = check(o, ort->create_cpu_memory(ORT_ALLOCATOR_DEVICE, ORT_MEMORY_DEFAULT, &o->memory),
                   "starting", err);
    if (!st)
        st = check(o, ort->get_allocator(&a), "starting", err);
    if (!st)
        st = read_inputs(o, a, err);
    if (!st)
        st = read_outputs(o, a, err);
    if (options)
        ort->free_options(options);
    return st;
}

// The tokenizer lies beside the model, or, as in repositories of models, one folder above.
static ken_status find_tokenizer(onnx *o, const ken_embed_opts *opts, ken_str *out, ken_err *err)
{
    static const char *const names[] = { "tokenizer.json", "vocab.txt", "../tokenizer.json",
                                         "../vocab.txt" };
    *out = ken_str_c(opts->tokenizer_path);
    for (size_t i = 0; i < sizeof names / sizeof *names && !out->len; i++) {
        ken_str path = ken_path_join(&o->arena, ken_path_dir(ken_str_c(opts->model_path)),
                                     ken_str_c(names[i]));
        if (ken_fs_exists(path.ptr))
            *out = path;
    }
    if (!out->len)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "no tokenizer.json or vocab.txt is beside the model '%.200s'",
                        opts->model_path);
    return KEN_OK;
}

static void onnx_close(ken_embedder_backend *b)
{
    onnx *o = (onnx *)(void *)b;
    if (o->session)
        o->ort->free_session(o->session);
    if (o->memory)
        o->ort->free_memory(o->memory);
    if (o->env)
        o->ort->free_env(o->env);
    ken_wordpiece_free(o->tokenizer);
    ken_arena_release(&o->arena);
    ken_free(o);
}

static void onnx_describe(const ken_embedder_backend *b, ken_embed_self *out)
{
    const onnx *o = (const onnx *)(const void *)b;
    *out = (ken_embed_self){
        .model = o->model,
        .version = o->version,
        .dims = o->dims,
        .max_tokens = o->max_tokens,
        .url = "",
        .key_detail = o->takes_first ? "cls" : "mean",
        .max_concurrency = 1, // one run uses all threads
    };
}

// ---- running ---------------------------------------------------------------------------------

typedef struct tokens {
    int64_t *ids;
    size_t n, row; // row: of the batch
} tokens;

static int longest_first(const void *a, const void *b)
{
    const tokens *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n ? 1 : -1) : x->row < y->row ? -1 : 1;
}

// All inputs of one run: n texts filled up to the same length.
typedef struct feed {
    size_t n, len;
    int64_t *data[INPUTS_MAX]; // by onnx_input
} feed;

static feed make_feed(const onnx *o, const tokens *texts, size_t n, ken_arena *arena)
{
    feed f = { .n = n, .len = texts[0].n };
    int64_t pad = ken_wordpiece_pad(o->tokenizer);
    for (size_t k = 0; k < INPUTS_MAX; k++)
        f.data[k] = KEN_ARENA_ARRAY(arena, int64_t, n * f.len);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < f.len; j++) {
            f.data[INPUT_IDS][i * f.len + j] = j < texts[i].n ? texts[i].ids[j] : pad;
            f.data[INPUT_MASK][i * f.len + j] = j < texts[i].n;
        }
    return f;
}

// n_tokens x dims to one vector.
static void pool_rows(const float *rows, size_t n_tokens, size_t dims, bool takes_first, float *out)
{
    memcpy(out, rows, dims * sizeof *out);
    if (takes_first)
        return;
    for (size_t t = 1; t < n_tokens; t++)
        for (size_t d = 0; d < dims; d++)
            out[d] += rows[t * dims + d];
    for (size_t d = 0; d < dims; d++)
        out[d] /= (float)n_tokens;
}

static ken_status check_shape(const onnx *o, const ort_value *v, const feed *f, int64_t *dims,
                              size_t *out_rank, ken_err *err)
{
    ort_shape *shape = NULL;
    ken_status st = check(o, o->ort->get_shape(v, &shape), "its output", err);
    if (!st)
        st = check(o, o->ort->get_n_dims(shape, out_rank), "its output", err);
    if (!st && (*out_rank < 2 || *out_rank > RANK_MAX))
        st = KEN_FAIL(err, KEN_ECORRUPT, "model '%s' gave an output of rank %zu", o->model,
                      *out_rank);
    if (!st)
        st = check(o, o->ort->get_dims(shape, dims, *out_rank), "its output", err);
    if (!st && (dims[0] != (int64_t)f->n || (*out_rank == 3 && dims[1] != (int64_t)f->len)))
        st = KEN_FAIL(err, KEN_ECORRUPT, "model '%s' gave an output of the wrong shape", o->model);
    if (shape)
        o->ort->free_shape(shape);
    return st;
}

static ken_status take_output(const onnx *o, ort_value *v, const feed *f, const tokens *texts,
                              const ken_embed_batch *batch, ken_err *err)
{
    int64_t shape[RANK_MAX] = { 0 };
    size_t rank = 0;
    void *data = NULL;
    ken_status st = check_shape(o, v, f, shape, &rank, err);
    if (!st)
        st = check(o, o->ort->get_data(v, &data), "its output", err);
    if (st)
        return st;
    size_t dims = (size_t)shape[rank - 1];
    if (dims > KEN_EMBED_DIMS_MAX || !dims || (batch->dims && dims != batch->dims))
        return KEN_FAIL(err, KEN_EINVAL,
                        "model '%s' gives vectors of %zu numbers, not %zu; look at "
                        "embedding.dims",
                        o->model, dims, batch->dims);
    if (!batch->dims)
        *batch->out_dims = dims;
    const float *rows = data;
    for (size_t i = 0; i < f->n; i++) {
        float *out = batch->out + texts[i].row * batch->dims;
        if (rank == 2)
            memcpy(out, rows + i * dims, dims * sizeof *out);
        else
            pool_rows(rows + i * f->len * dims, texts[i].n, dims, o->takes_first, out);
    }
    return KEN_OK;
}

static ken_status run_feed(const onnx *o, const feed *f, const tokens *texts,
                           const ken_embed_batch *batch, ken_err *err)
{
    const int64_t shape[2] = { (int64_t)f->n, (int64_t)f->len };
    ort_value *ins[INPUTS_MAX] = { 0 }, *out = NULL;
    const ort_value *const_ins[INPUTS_MAX] = { 0 };
    ken_status st = KEN_OK;
    for (size_t k = 0; k < o->n_inputs && !st; k++) {
        st = check(o,
                   o->ort->create_tensor(o->memory, f->data[o->inputs[k]],
                                         f->n * f->len * sizeof(int64_t), shape, 2, ORT_TYPE_INT64,
                                         &ins[k]),
                   "its input", err);
        const_ins[k] = ins[k];
    }
    if (!st)
        st = check(o,
                   o->ort->run(o->session, NULL, o->input_names, const_ins, o->n_inputs,
                               &o->output_name, 1, &out),
                   "running it", err);
    if (!st)
        st = take_output(o, out, f, texts, batch, err);
    if (out)
        o->ort->free_value(out);
    for (size_t k = 0; k < o->n_inputs; k++)
        if (ins[k])
            o->ort->free_value(ins[k]);
    return st;
}

// A token is a byte or more.
static size_t most_tokens(const onnx *o, ken_str text)
{
    return text.len + 2 < o->max_tokens ? text.len + 2 : o->max_tokens;
}

static tokens *tokenise(const onnx *o, const ken_embed_batch *batch, ken_arena *arena)
{
    tokens *texts = KEN_ARENA_ARRAY(arena, tokens, batch->n);
    int64_t *room = KEN_ARENA_ARRAY(arena, int64_t, o->max_tokens);
    for (size_t i = 0; i < batch->n; i++) {
        size_t n =
            ken_wordpiece_run(o->tokenizer, batch->texts[i], room, most_tokens(o, batch->texts[i]));
        texts[i] = (tokens){ KEN_ARENA_ARRAY(arena, int64_t, n), n, i };
        memcpy(texts[i].ids, room, n * sizeof *room);
    }
    qsort(texts, batch->n, sizeof *texts, longest_first);
    return texts;
}

static ken_status onnx_embed(ken_embedder_backend *b, const ken_embed_batch *batch, ken_err *err)
{
    const onnx *o = (const onnx *)(const void *)b;
    ken_arena arena;
    ken_arena_init(&arena, 256 * 1024);
    tokens *texts = tokenise(o, batch, &arena);
    ken_status st = KEN_OK;
    for (size_t from = 0, n; from < batch->n && !st; from += n) {
        size_t most = RUN_TOKENS / texts[from].n;
        n = batch->n - from < most ? batch->n - from : most ? most : 1;
        ken_arena_mark mark = ken_arena_get_mark(&arena);
        feed f = make_feed(o, texts + from, n, &arena);
        st = ken_cancel_check(batch->cancel, err);
        if (!st)
            st = run_feed(o, &f, texts + from, batch, err);
        ken_arena_rewind(&arena, mark);
    }
    ken_arena_release(&arena);
    return st;
}

static const ken_embedder_ops onnx_ops = {
    .name = "onnx",
    .close = onnx_close,
    .describe = onnx_describe,
    .embed = onnx_embed,
};

static const char *name_of(onnx *o, const ken_embed_opts *opts)
{
    ken_str name = ken_str_c(opts->model);
    if (!name.len)
        name = ken_path_base(ken_path_dir(ken_str_c(opts->model_path)));
    return ken_arena_dup(&o->arena, name).ptr;
}

ken_status ken_embedder__onnx_open(const ken_embed_opts *opts, ken_embedder_backend **out,
                                   ken_err *err)
{
    const ort_api *ort = NULL;
    if (!*opts->model_path)
        return KEN_FAIL(err, KEN_EINVAL, "the provider onnx needs a model; see: ken model list");
    if (!ken_fs_exists(opts->model_path))
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "the model '%.300s' is not there; get it with: ken "
                        "model download",
                        opts->model_path);
    ken_status st = ken_embed__ort(opts->runtime_path, &ort, err);
    if (st)
        return st;
    onnx *o = ken_zalloc(sizeof *o);
    ken_arena_init(&o->arena, 4096);
    o->base.ops = &onnx_ops;
    o->ort = ort;
    o->model = name_of(o, opts);
    o->version = ken_arena_strdup(&o->arena, opts->version);
    o->max_tokens = opts->max_tokens ? opts->max_tokens : DEFAULT_TOKENS;
    o->takes_first = opts->pooling == KEN_EMBED_POOL_CLS;
    ken_str tokenizer;
    st = find_tokenizer(o, opts, &tokenizer, err);
    if (!st)
        st = ken_wordpiece_load(tokenizer.ptr, &o->tokenizer, err);
    if (!st)
        st = open_session(o, opts, err);
    if (!st && opts->dims && o->dims && opts->dims != o->dims)
        st = KEN_FAIL(err, KEN_EINVAL,
                      "model '%s' gives vectors of %zu numbers; embedding.dims is "
                      "%zu",
                      o->model, o->dims, opts->dims);
    if (st) {
        onnx_close(&o->base);
        return st;
    }
    *out = &o->base;
    return KEN_OK;
}
