// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "embed/embed_debug.h"
#include "embed/embed_ops.h"
#include "obs/trace.h"

enum {
    LINE_MAX_BYTES = 1024
};

typedef struct tracer {
    ken_embedder_backend base;
    ken_embedder_backend *inner;
    ken_embed_trace_fn *fn; // NULL = trace points
    void *ctx;
    ken_embedder_ops ops; // the inner one's name with our slots
} tracer;

static void trace_close(ken_embedder_backend *b)
{
    tracer *t = (tracer *)(void *)b;
    t->inner->ops->close(t->inner);
    ken_free(t);
}

static void trace_describe(const ken_embedder_backend *b, ken_embed_self *out)
{
    const tracer *t = (const tracer *)(const void *)b;
    t->inner->ops->describe(t->inner, out);
}

static ken_status trace_embed(ken_embedder_backend *b, const ken_embed_batch *batch, ken_err *err)
{
    tracer *t = (tracer *)(void *)b;
    size_t n_bytes = 0;
    for (size_t i = 0; i < batch->n; i++)
        n_bytes += batch->texts[i].len;
    ken_err e = { 0 };
    int64_t start = ken_clock_mono_ns();
    ken_status st = t->inner->ops->embed(t->inner, batch, &e);
    int64_t us = (ken_clock_mono_ns() - start) / 1000;
    ken_buf line = KEN_BUF_INIT(LINE_MAX_BYTES);
    ken_buf_printf(&line, "embed %zu %s, %zu bytes: %s, %lld us", batch->n,
                   batch->kind == KEN_EMBED_QUERY ? "queries" : "documents", n_bytes,
                   ken_status_text(st), (long long)us);
    if (st)
        ken_buf_printf(&line, ": %s", e.msg);
    if (t->fn)
        t->fn(t->ctx, ken_buf_str(&line));
    else
        ken_trace_write("embed", KEN_HERE, KEN_STR_FMT, KEN_STR_ARG(ken_buf_str(&line)));
    ken_buf_release(&line);
    if (st && err)
        *err = e;
    return st;
}

void ken_embedder_add_trace(ken_embedder *e, ken_embed_trace_fn *fn, void *ctx)
{
    tracer *t = ken_zalloc(sizeof *t);
    t->inner = ken_embedder__backend(e);
    t->fn = fn;
    t->ctx = ctx;
    t->ops = (ken_embedder_ops){ t->inner->ops->name, trace_close, trace_describe, trace_embed };
    t->base.ops = &t->ops;
    ken_embedder__set_backend(e, &t->base);
}
