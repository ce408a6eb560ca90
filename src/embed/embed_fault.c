// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/alloc.h"
#include "embed/embed_debug.h"
#include "embed/embed_ops.h"

typedef struct breaker {
    ken_embedder_backend base;
    ken_embedder_backend *inner;
    ken_embed_fault *plan;
    ken_embedder_ops ops; // the inner one's name with our slots
} breaker;

static void fault_close(ken_embedder_backend *b)
{
    breaker *f = (breaker *)(void *)b;
    f->inner->ops->close(f->inner);
    ken_free(f);
}

static void fault_describe(const ken_embedder_backend *b, ken_embed_self *out)
{
    const breaker *f = (const breaker *)(const void *)b;
    f->inner->ops->describe(f->inner, out);
}

static ken_status fault_embed(ken_embedder_backend *b, const ken_embed_batch *batch, ken_err *err)
{
    breaker *f = (breaker *)(void *)b;
    ken_embed_fault *p = f->plan;
    unsigned long long n = atomic_fetch_add(&p->n_calls, 1) + 1;
    bool is_due = p->fail_at && (p->is_sticky ? n >= p->fail_at : n == p->fail_at);
    if (is_due && p->kind == KEN_EMBED_FAULT_FAIL)
        return KEN_FAIL(err, p->status ? p->status : KEN_EIO,
                        "embed failed, as asked for at call %llu", n);
    ken_status st = f->inner->ops->embed(f->inner, batch, err);
    size_t dims = batch->dims ? batch->dims : st ? 0 : *batch->out_dims;
    for (size_t i = 0; !st && is_due && i < dims; i++)
        batch->out[i] = p->kind == KEN_EMBED_FAULT_NAN ? NAN : 0;
    return st;
}

void ken_embedder_add_fault(ken_embedder *e, ken_embed_fault *plan)
{
    breaker *f = ken_zalloc(sizeof *f);
    f->inner = ken_embedder__backend(e);
    f->plan = plan;
    f->ops = (ken_embedder_ops){ f->inner->ops->name, fault_close, fault_describe, fault_embed };
    f->base.ops = &f->ops;
    ken_embedder__set_backend(e, &f->base);
}
