// SPDX-License-Identifier: MIT
// Ollama: /api/embed takes many texts; servers before it have only /api/embeddings, for one text
// and with vectors of any length. Which one a server has is found out by asking and kept.
#include "embed/embed_remote_priv.h"

enum {
    BYTES_PER_TOKEN = 8 // a bound only: the server cuts by its own tokens
};

// What says of a missing model that it is one; a missing route is reported in plain text by Ollama, and by
// what stands before it in any way.
static bool is_route_missing(const embed_answer *a)
{
    return a->status == 404 && ken_str_find(ken_embed__reason(a), KEN_STR("model")) == SIZE_MAX;
}

static ken_status check_answer(const embed_remote *r, const embed_answer *a, ken_err *err)
{
    if (a->status == 404)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "ollama at '%.200s' has no model '%s'; pull it with: ollama pull %s",
                        r->url, r->model, r->model);
    if (a->status != 200 || !json_is_object(a->json))
        return ken_embed__refusal(r, a, err);
    return KEN_OK;
}

static void put_start(const embed_remote *r, ken_buf *body, const char *input)
{
    ken_buf_puts(body, "{\"model\":");
    ken_json_put_quoted(body, ken_str_c(r->model));
    ken_buf_printf(body, ",\"%s\":", input);
}

static ken_status embed_one(embed_remote *r, const ken_embed_batch *batch, size_t i, ken_err *err)
{
    ken_buf body = KEN_BUF_INIT(EMBED_BODY_MAX);
    embed_answer a = { 0 };
    put_start(r, &body, "prompt");
    ken_embed__put_text(r, &body, batch->texts[i], BYTES_PER_TOKEN);
    ken_buf_putc(&body, '}');
    ken_status st = ken_embed__post(r, "/api/embeddings", &body, batch->cancel, &a, err);
    ken_buf_release(&body);
    if (st)
        return st;
    st = is_route_missing(&a) ? ken_embed__refusal(r, &a, err) : check_answer(r, &a, err);
    if (!st)
        st = ken_embed__take_row(r, batch, i, json_object_get(a.json, "embedding"), err);
    ken_embed__answer_release(&a);
    return st;
}

static ken_status embed_each(embed_remote *r, const ken_embed_batch *batch, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; i < batch->n && !st; i++)
        st = embed_one(r, batch, i, err);
    return st;
}

static ken_status take_rows(const embed_remote *r, const ken_embed_batch *batch,
                            const embed_answer *a, ken_err *err)
{
    const json_t *rows = json_object_get(a->json, "embeddings");
    ken_status st = check_answer(r, a, err);
    if (!st)
        st = ken_embed__check_rows(r, batch, rows, err);
    for (size_t i = 0; i < batch->n && !st; i++)
        st = ken_embed__take_row(r, batch, i, json_array_get(rows, i), err);
    return st;
}

static ken_status embed(ken_embedder_backend *b, const ken_embed_batch *batch, ken_err *err)
{
    embed_remote *r = (embed_remote *)(void *)b;
    if (atomic_load(&r->is_without_batch))
        return embed_each(r, batch, err);
    ken_buf body = KEN_BUF_INIT(EMBED_BODY_MAX);
    embed_answer a = { 0 };
    put_start(r, &body, "input");
    ken_embed__put_texts(r, &body, batch, BYTES_PER_TOKEN);
    ken_buf_puts(&body, ",\"truncate\":true}");
    ken_status st = ken_embed__post(r, "/api/embed", &body, batch->cancel, &a, err);
    ken_buf_release(&body);
    if (st)
        return st;
    if (is_route_missing(&a)) {
        atomic_store(&r->is_without_batch, true);
        st = embed_each(r, batch, err);
    } else {
        st = take_rows(r, batch, &a, err);
    }
    ken_embed__answer_release(&a);
    return st;
}

static const ken_embedder_ops ollama_ops = {
    .name = "ollama",
    .close = ken_embed__remote_close,
    .describe = ken_embed__remote_describe,
    .embed = embed,
};

ken_status ken_embedder__ollama_open(const ken_embed_opts *o, ken_embedder_backend **out,
                                     ken_err *err)
{
    embed_remote *r = NULL;
    ken_status st = ken_embed__remote_open(o, &ollama_ops, &r, err);
    if (st)
        return st;
    r->is_run_by_another = true;
    r->refused_hint = "is it running? start it with 'ollama serve', or set embedding.url";
    *out = &r->base;
    return KEN_OK;
}
