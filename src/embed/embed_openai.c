// SPDX-License-Identifier: MIT
// The embeddings call of OpenAI, which llama.cpp, vLLM, LM Studio, Infinity and others have too.
#include "base/alloc.h"
#include "embed/embed_remote_priv.h"

enum {
    // Too long a text is an error there, and only the server knows its tokens: code has more than
    // three bytes to a token, save where it is all punctuation.
    BYTES_PER_TOKEN = 3
};

// Where each row belongs: rows may come in any order.
static ken_status take_rows(const embed_remote *r, const ken_embed_batch *batch,
                            const embed_answer *a, ken_err *err)
{
    const json_t *rows = json_object_get(a->json, "data");
    ken_status st = ken_embed__check_rows(r, batch, rows, err);
    if (st)
        return st;
    bool *is_there = ken_zalloc(batch->n);
    for (size_t i = 0; i < batch->n && !st; i++) {
        const json_t *row = json_array_get(rows, i), *index = json_object_get(row, "index");
        size_t at = json_is_integer(index) ? (size_t)json_integer_value(index) : i;
        if (at >= batch->n || is_there[at])
            st = KEN_FAIL(err, KEN_ECORRUPT,
                          "openai at '%.200s' sent a vector for text %zu twice, "
                          "or for one that it was not asked",
                          r->url, at);
        else
            st = ken_embed__take_row(r, batch, at, json_object_get(row, "embedding"), err);
        if (!st)
            is_there[at] = true;
    }
    ken_free(is_there);
    return st;
}

static ken_status embed(ken_embedder_backend *b, const ken_embed_batch *batch, ken_err *err)
{
    embed_remote *r = (embed_remote *)(void *)b;
    ken_buf body = KEN_BUF_INIT(EMBED_BODY_MAX);
    embed_answer a = { 0 };
    ken_buf_puts(&body, "{\"model\":");
    ken_json_put_quoted(&body, ken_str_c(r->model));
    ken_buf_puts(&body, ",\"input\":");
    ken_embed__put_texts(r, &body, batch, BYTES_PER_TOKEN);
    ken_buf_puts(&body, ",\"encoding_format\":\"float\"");
    if (r->dims)
        ken_buf_printf(&body, ",\"dimensions\":%zu", r->dims);
    ken_buf_putc(&body, '}');
    bool has_version = ken_str_ends(ken_str_c(r->url), KEN_STR("/v1"));
    ken_status st = ken_embed__post(r, has_version ? "/embeddings" : "/v1/embeddings", &body,
                                    batch->cancel, &a, err);
    ken_buf_release(&body);
    if (st)
        return st;
    if (a.status != 200 || !json_is_object(a.json))
        st = ken_embed__refusal(r, &a, err);
    else
        st = take_rows(r, batch, &a, err);
    ken_embed__answer_release(&a);
    return st;
}

static const ken_embedder_ops openai_ops = {
    .name = "openai",
    .close = ken_embed__remote_close,
    .describe = ken_embed__remote_describe,
    .embed = embed,
};

ken_status ken_embedder__openai_open(const ken_embed_opts *o, ken_embedder_backend **out,
                                     ken_err *err)
{
    embed_remote *r = NULL;
    ken_status st = ken_embed__remote_open(o, &openai_ops, &r, err);
    if (!st)
        *out = &r->base;
    return st;
}
