// SPDX-License-Identifier: MIT
// fuzz_answers -- what a server of embeddings answers: the first byte says how many texts were sent
// and how many numbers a vector has, the rest is the body. Rows that are accepted fill their places
// and no other.
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "embed/embed_remote_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    TEXTS = 4,
    DIMS = 8,
    GUARD = 4
};

static void read_rows(const embed_remote *r, const json_t *rows, size_t n, size_t dims)
{
    float out[TEXTS * DIMS + GUARD];
    ken_str texts[TEXTS] = { KEN_STR("a"), KEN_STR("b"), KEN_STR("c"), KEN_STR("d") };
    size_t found = 0;
    ken_err err = { 0 };
    ken_embed_batch b = { .kind = KEN_EMBED_DOCUMENT,
                          .texts = texts,
                          .n = n,
                          .dims = dims,
                          .out = out,
                          .out_dims = &found };
    memset(out, 0x7f, sizeof out);
    if (ken_embed__check_rows(r, &b, rows, &err)) {
        KEN_ASSERT(err.msg[0]);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (ken_embed__take_row(r, &b, i, json_array_get(rows, i), &err))
            KEN_ASSERT(err.msg[0]);
    for (size_t i = n * dims; i < TEXTS * DIMS + GUARD; i++) {
        unsigned char bytes[sizeof *out];
        memcpy(bytes, &out[i], sizeof bytes);
        for (size_t k = 0; k < sizeof bytes; k++)
            KEN_ASSERT(bytes[k] == 0x7f);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    static const ken_embedder_ops ops = { .name = "test" };
    embed_remote r = { .base = { &ops }, .url = "http://127.0.0.1", .key = "secret" };
    embed_answer a = { .status = data[0] & 0x80 ? 400 : 200 };
    size_t n = 1 + (data[0] & 3), dims = 1 + (data[0] >> 2 & 7);
    ken_str body = ken_str_n((const char *)data + 1, size - 1);
    ken_err err = { 0 };
    ken_buf_put_str(&a.body, body);
    if (ken_json_parse(body, &a.json, &err))
        a.json = NULL;
    (void)ken_embed__reason(&a);
    KEN_ASSERT(ken_embed__refusal(&r, &a, &err) && err.msg[0]);
    if (a.json) {
        const json_t *rows =
            json_is_object(a.json) ? json_object_get(a.json, "embeddings") : a.json;
        read_rows(&r, rows, n, dims);
    }
    ken_embed__answer_release(&a);
    return 0;
}
