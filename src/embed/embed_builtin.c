// SPDX-License-Identifier: MIT
// The built-in model as a provider, for texts that are no files: tasks, checkpoints, rules. The
// chunks of an index are made of bags that were counted anyway (embed_static.h).
#include "base/alloc.h"
#include "embed/embed_ops.h"
#include "embed/embed_static.h"

static void builtin_close(ken_embedder_backend *b)
{
    ken_free(b);
}

static void builtin_describe(const ken_embedder_backend *b, ken_embed_self *out)
{
    (void)b;
    const ken_static_model *m = ken_static_builtin();
    *out = (ken_embed_self){ .model = ken_static_name(m),
                             .version = "",
                             .dims = ken_static_n_dims(m),
                             .url = "",
                             .key_detail = "",
                             .max_concurrency = 1 };
}

static ken_status builtin_embed(ken_embedder_backend *b, const ken_embed_batch *batch, ken_err *err)
{
    (void)b;
    const ken_static_model *m = ken_static_builtin();
    uint32_t n_dims = ken_static_n_dims(m);
    if (batch->dims != n_dims)
        return KEN_FAIL(err, KEN_EINVAL, "the built-in model has %u dimensions, not %zu", n_dims,
                        batch->dims);
    for (size_t i = 0; i < batch->n; i++)
        (void)ken_static_embed_words(m, batch->texts[i], batch->out + i * n_dims);
    return KEN_OK;
}

static const ken_embedder_ops builtin_ops = {
    .name = "builtin",
    .close = builtin_close,
    .describe = builtin_describe,
    .embed = builtin_embed,
};

ken_status ken_embedder__builtin_open(const ken_embed_opts *o, ken_embedder_backend **out,
                                      ken_err *err)
{
    if (o->model[0] && strcmp(o->model, ken_static_name(ken_static_builtin())) != 0)
        return KEN_FAIL(err, KEN_ENOTFOUND, "model: this program has '%s' built in, not '%s'",
                        ken_static_name(ken_static_builtin()), o->model);
    ken_embedder_backend *b = ken_zalloc(sizeof *b);
    b->ops = &builtin_ops;
    *out = b;
    return KEN_OK;
}
