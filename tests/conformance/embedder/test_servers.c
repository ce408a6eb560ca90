// SPDX-License-Identifier: MIT
// The providers against real servers with all-MiniLM-L6-v2. bench/providers/run.py installs and
// starts them and names their URLs in the environment; without those nothing is tried.
#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/str.h"
#include "embed/embed.h"
#include "json/json.h"
#include "ktest.h"

enum {
    DIMS = 384,
    SHORT = 500,         // bytes: nothing is cut off
    TIMEOUT_MS = 300000, // of a processor that is slow and busy
};

typedef struct real_server {
    const char *provider, *variable;
    const char *wrong_model; // what is said of one; NULL = it takes any name
} real_server;

static const real_server servers[] = {
    { "ollama", "KEN_TEST_OLLAMA", "pull it with: ollama pull no-such-model" },
    { "openai", "KEN_TEST_OPENAI", NULL },
    { "tei", "KEN_TEST_TEI", NULL },
};

#define FOR_EACH(s)                                                                           \
    for (const real_server *s = servers; s < servers + sizeof servers / sizeof *servers; s++) \
        if (getenv(s->variable))

static ken_err err;

static void servers_or_skip(void)
{
    FOR_EACH(s)
    return;
    kt_skip("servers", "no server is named; bench/providers/run.py starts them");
}

static ken_embedder *open_it(const real_server *s, ken_embed_opts o)
{
    ken_embedder *e = NULL;
    size_t dims = 0;
    o.provider = s->provider;
    o.url = getenv(s->variable);
    o.timeout_ms = TIMEOUT_MS;
    o.model = o.model ? o.model : "all-minilm";
    err = (ken_err){ 0 };
    kt_ok_err(ken_embedder_open(&o, &e, &err), &err);
    kt_ok_err(ken_embedder_probe(e, NULL, &dims, &err), &err);
    kt_eq_u(dims, DIMS);
    return e;
}

static double dot(const float *a, const float *b)
{
    double sum = 0;
    for (size_t i = 0; i < DIMS; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

KEN_TEST(vectors_are_those_of_the_published_model)
{
    servers_or_skip();
    ken_str text = ktest_read(ktest_data("../golden/embed/vectors.json"));
    json_t *rows = json_loadb(text.ptr, text.len, 0, NULL);
    FOR_EACH(s)
    {
        ken_embedder *e = open_it(s, (ken_embed_opts){ 0 });
        double least = 1;
        for (size_t i = 0; i < json_array_size(rows); i++) {
            const json_t *row = json_array_get(rows, i);
            ken_str one = ken_json_text(json_object_get(row, "text"));
            float v[DIMS], want[DIMS];
            for (size_t d = 0; d < DIMS; d++)
                want[d] =
                    (float)json_number_value(json_array_get(json_object_get(row, "exact"), d));
            if (one.len > SHORT)
                continue;
            kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, &one, 1, v, NULL, &err), &err);
            least = fmin(least, dot(v, want));
        }
        printf("%s: cosine with the published model at least %.6f\n", s->provider, least);
        kt_true(least >= 0.99);
        ken_embedder_close(e);
    }
    json_decref(rows);
}

KEN_TEST(rows_belong_to_their_texts_in_any_batches)
{
    enum {
        N = 30
    };
    servers_or_skip();
    static char room[N][64];
    static float rows[N * DIMS];
    ken_str texts[N];
    for (int i = 0; i < N; i++) {
        snprintf(room[i], sizeof room[i], "static int f%d(void) { return %d; }", i, i * i);
        texts[i] = ken_str_c(room[i]);
    }
    FOR_EACH(s)
    {
        float one[DIMS];
        ken_embedder *e = open_it(s, (ken_embed_opts){ .batch_size = 7, .concurrency = 4 });
        kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, N, rows, NULL, &err), &err);
        for (size_t i = 0; i < N; i += 5) {
            kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, &texts[i], 1, one, NULL, &err),
                      &err);
            kt_true(dot(one, rows + i * DIMS) > 0.999);
        }
        ken_embedder_close(e);
    }
}

// Over what the model takes, among texts that are not: told that it takes all, ken cuts nothing
// by itself.
KEN_TEST(a_text_over_the_context_is_cut)
{
    servers_or_skip();
    static char large[6000];
    for (size_t i = 0; i < sizeof large; i++)
        large[i] = "if (a[i] != b[i]) return -1;\n"[i % 29];
    const ken_str texts[] = { KEN_STR("int a;"), { large, sizeof large }, KEN_STR("int b;") };
    FOR_EACH(s)
    {
        float rows[3 * DIMS], one[DIMS];
        ken_embedder *e = open_it(s, (ken_embed_opts){ .max_tokens = 100000 });
        kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, 3, rows, NULL, &err), &err);
        kt_near(dot(rows + DIMS, rows + DIMS), 1, 1e-5);
        kt_ok_err(ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, 1, one, NULL, &err), &err);
        kt_true(dot(one, rows) > 0.999);
        ken_embedder_close(e);
    }
}

KEN_TEST(a_model_that_is_not_there_is_named)
{
    servers_or_skip();
    FOR_EACH(s)
    {
        ken_embedder *e = NULL;
        size_t dims = 0;
        kt_ok(ken_embedder_open(&(ken_embed_opts){ .provider = s->provider,
                                                   .url = getenv(s->variable),
                                                   .model = "no-such-model" },
                                &e, &err));
        ken_status st = ken_embedder_probe(e, NULL, &dims, &err);
        kt_true(s->wrong_model ? st == KEN_ENOTFOUND : st == KEN_OK);
        if (s->wrong_model)
            kt_has_str(err.msg, s->wrong_model);
        ken_embedder_close(e);
    }
}
