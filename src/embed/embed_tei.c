// SPDX-License-Identifier: MIT
// Text Embeddings Inference of Hugging Face: /embed. One server has one model; `model` is its name
// in our records only.
#include "embed/embed_remote_priv.h"

enum {
    BYTES_PER_TOKEN = 8, // a bound only: the server cuts by its own tokens
    BATCH_MAX = 32       // the default limit of a server
};

static ken_status embed(ken_embedder_backend *b, const ken_embed_batch *batch, ken_err *err)
{
    embed_remote *r = (embed_remote *)(void *)b;
    ken_buf body = KEN_BUF_INIT(EMBED_BODY_MAX);
    embed_answer a = { 0 };
    ken_buf_puts(&body, "{\"inputs\":");
    ken_embed__put_texts(r, &body, batch, BYTES_PER_TOKEN);
    ken_buf_puts(&body, ",\"truncate\":true}");
    ken_status st = ken_embed__post(r, "/embed", &body, batch->cancel, &a, err);
    ken_buf_release(&body);
    if (st)
        return st;
    if (a.status != 200 || !a.json)
        st = ken_embed__refusal(r, &a, err);
    if (!st)
        st = ken_embed__check_rows(r, batch, a.json, err);
    for (size_t i = 0; i < batch->n && !st; i++)
        st = ken_embed__take_row(r, batch, i, json_array_get(a.json, i), err);
    ken_embed__answer_release(&a);
    return st;
}

static const ken_embedder_ops tei_ops = {
    .name = "tei",
    .close = ken_embed__remote_close,
    .describe = ken_embed__remote_describe,
    .embed = embed,
};

ken_status ken_embedder__tei_open(const ken_embed_opts *o, ken_embedder_backend **out, ken_err *err)
{
    embed_remote *r = NULL;
    ken_status st = ken_embed__remote_open(o, &tei_ops, &r, err);
    if (st)
        return st;
    r->max_batch = BATCH_MAX;
    *out = &r->base;
    return KEN_OK;
}
