// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "embed/embed.h"
#include "embed/embed_token.h"
#include "json/json.h"
#include "test_models.h"

enum {
    DIMS = 384
};

static ken_err err;

static ken_embed_opts minilm(void)
{
    return (ken_embed_opts){ .provider = "onnx",
                             .model = "all-MiniLM-L6-v2",
                             .model_path = MODELS_MINILM,
                             .runtime_path = MODELS_RUNTIME };
}

static ken_embedder *open_minilm(void)
{
    ken_embedder *e = NULL;
    ken_embed_opts o = minilm();
    models_or_skip();
    kt_ok_err(ken_embedder_open(&o, &e, &err), &err);
    return e;
}

static double cosine(const float *v, const json_t *want)
{
    double sum = 0;
    for (size_t i = 0; i < DIMS; i++)
        sum += (double)v[i] * json_number_value(json_array_get(want, i));
    return sum;
}

static void refuses(ken_embed_opts o, ken_status want, const char *message)
{
    ken_embedder *e = NULL;
    kt_status(ken_embedder_open(&o, &e, &err), want);
    kt_null(e);
    kt_has_str(err.msg, message);
}

// The first test: a runtime stays once it is loaded.
KEN_TEST(a_missing_runtime_is_named_with_what_to_do)
{
    ken_embed_opts o = minilm();
    o.model_path = ktest_write("m/model.onnx", "no model");
    o.runtime_path = ktest_path("empty");
    refuses(o, KEN_EUNSUPPORTED, "no ONNX Runtime at '");
    kt_has_str(err.msg, "set embedding.onnx_runtime to libonnxruntime.so");
    ktest_write("other/libonnxruntime.so.1", "no library");
    o.runtime_path = ktest_path("other");
    refuses(o, KEN_EUNSUPPORTED, "libonnxruntime.so.1: ");
    o.runtime_path = "lib/libonnxruntime.so";
    refuses(o, KEN_EINVAL, "absolute path");
}

// tests/golden/embed/make_vectors.py says how the vectors were made without us.
KEN_TEST(vectors_are_those_of_the_reference)
{
    ken_embedder *e = open_minilm();
    ken_str text = ktest_read(ktest_data("../golden/embed/vectors.json"));
    json_t *rows = json_loadb(text.ptr, text.len, 0, NULL);
    float v[DIMS];
    kt_eq_u(ken_embedder_info(e).dims, DIMS);
    kt_true(json_array_size(rows) == 10);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        ken_str one = ken_json_text(json_object_get(row, "text"));
        kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, &one, 1, v, NULL, &err), &err);
        // The same model through the same library; processors differ in how they round 8-bit sums.
        kt_true(cosine(v, json_object_get(row, "runtime")) > 0.995);
        // The published model in 32 bits.
        kt_true(cosine(v, json_object_get(row, "exact")) > 0.99);
    }
    json_decref(rows);
    ken_embedder_close(e);
}

KEN_TEST(the_nearest_text_is_the_one_that_means_the_same)
{
    static const char *const docs[] = {
        "def retry(fn): wait and call the function again when it fails, with exponential backoff",
        "struct node { struct node *left, *right; }; // binary tree",
        "SELECT name FROM users ORDER BY created_at DESC",
        "parse command line arguments and print usage",
    };
    static const char *const questions[] = { "try again after an error", "balanced search tree",
                                             "database query for the newest accounts",
                                             "options of the program" };
    ken_embedder *e = open_minilm();
    ken_str texts[8];
    float rows[8 * DIMS];
    for (size_t i = 0; i < 4; i++) {
        texts[i] = ken_str_c(docs[i]);
        texts[4 + i] = ken_str_c(questions[i]);
    }
    kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, 8, rows, NULL, &err), &err);
    for (size_t q = 0; q < 4; q++) {
        size_t best = 0;
        double best_score = -2;
        for (size_t d = 0; d < 4; d++) {
            double score = 0;
            for (size_t i = 0; i < DIMS; i++)
                score += (double)rows[(4 + q) * DIMS + i] * (double)rows[d * DIMS + i];
            best = score > best_score ? d : best;
            best_score = score > best_score ? score : best_score;
        }
        kt_eq_u(best, q);
    }
    ken_embedder_close(e);
}

KEN_TEST(the_first_token_alone_is_another_vector)
{
    ken_embedder *mean = open_minilm(), *first = NULL;
    ken_embed_opts o = minilm();
    float a[DIMS], b[DIMS];
    const ken_str text = KEN_STR("where are retries handled");
    o.pooling = KEN_EMBED_POOL_CLS;
    kt_ok_err(ken_embedder_open(&o, &first, &err), &err);
    kt_true(strcmp(ken_embedder_info(mean).key, ken_embedder_info(first).key) != 0);
    kt_ok(ken_embedder_embed(mean, KEN_EMBED_QUERY, &text, 1, a, NULL, &err));
    kt_ok(ken_embedder_embed(first, KEN_EMBED_QUERY, &text, 1, b, NULL, &err));
    double dot = 0;
    for (size_t i = 0; i < DIMS; i++)
        dot += (double)a[i] * (double)b[i];
    kt_true(dot > 0.1 && dot < 0.99);
    ken_embedder_close(mean);
    ken_embedder_close(first);
}

KEN_TEST(what_is_missing_is_named)
{
    ken_embed_opts o = minilm();
    o.model_path = "";
    refuses(o, KEN_EINVAL, "ken model list");
    o.model_path = ktest_path("none.onnx");
    refuses(o, KEN_ENOTFOUND, "ken model download");
}

KEN_TEST(files_that_are_no_models_are_refused)
{
    models_or_skip();
    ken_embed_opts o = minilm();
    o.model_path = ktest_write("a/model.onnx", "no model");
    refuses(o, KEN_ENOTFOUND, "no tokenizer.json or vocab.txt is beside");
    ktest_write("a/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n");
    refuses(o, KEN_EIO, "loading");
    o = minilm();
    o.dims = 768;
    refuses(o, KEN_EINVAL, "vectors of 384 numbers; embedding.dims is 768");
}

// The runtime of the tests has no CUDA: whoever asks for it is told, `auto` goes on without.
KEN_TEST(a_device_that_is_not_there_is_named)
{
    models_or_skip();
    ken_embed_opts o = minilm();
    ken_embedder *e = NULL;
    o.device = KEN_EMBED_CUDA;
    refuses(o, KEN_EUNSUPPORTED, "CUDA");
    kt_has_str(err.msg, "embedding.device to cpu or auto");
    o.device = KEN_EMBED_DEVICE_AUTO;
    kt_ok_err(ken_embedder_open(&o, &e, &err), &err);
    ken_embedder_close(e);
}

// Every piece of the real vocabulary is found again.
KEN_TEST(reads_the_real_vocabulary)
{
    models_or_skip();
    ken_wordpiece *t = NULL;
    int64_t ids[64];
    static const int64_t want[] = { 101, 2128, 11129, 1006, 1007, 999, 102 }; // "retry() !"
    kt_ok_err(ken_wordpiece_load(MODELS_DIR "all-MiniLM-L6-v2/vocab.txt", &t, &err), &err);
    kt_eq_u(ken_wordpiece_size(t), 30522);
    size_t n = ken_wordpiece_run(t, KEN_STR("Retry() !"), ids, 64);
    kt_eq_mem(ids, n * sizeof *ids, want, sizeof want);
    ken_wordpiece_free(t);
}
