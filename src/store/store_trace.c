// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "obs/trace.h"
#include "store/store_debug.h"
#include "store/store_hook_priv.h"

typedef struct tracer {
    ken_store_trace_fn *fn; // NULL = trace points
    void *ctx;
} tracer;

enum {
    LINE_MAX_BYTES = 4096,
    TEXT_SHOWN = 200
};

static ken_status trace_after(void *ctx, const ken_store_call *c, ken_status st, int64_t ns,
                              ken_err *err)
{
    const tracer *t = ctx;
    ken_buf line = KEN_BUF_INIT(LINE_MAX_BYTES);
    ken_buf_puts(&line, c->name);
    if (c->text.ptr)
        ken_buf_printf(&line, " '" KEN_STR_FMT "'",
                       KEN_STR_ARG(ken_str_sub(c->text, 0, TEXT_SHOWN)));
    if (c->number)
        ken_buf_printf(&line, " %lld", (long long)c->number);
    ken_buf_printf(&line, ": %s, %lld us", ken_status_text(st), (long long)(ns / 1000));
    if (st && err && err->status == st)
        ken_buf_printf(&line, ": %s", err->msg);
    if (t->fn)
        t->fn(t->ctx, ken_buf_str(&line));
    else
        ken_trace_write("store", KEN_HERE, KEN_STR_FMT, KEN_STR_ARG(ken_buf_str(&line)));
    ken_buf_release(&line);
    return st;
}

static ken_store_hook hook_of(ken_store_trace_fn *fn, void *ctx)
{
    tracer *t = ken_zalloc(sizeof *t);
    *t = (tracer){ fn, ctx };
    return (ken_store_hook){ .after = trace_after, .ctx = t, .free_ctx = ken_free };
}

void ken_store_add_trace(ken_store *s, ken_store_trace_fn *fn, void *ctx)
{
    ken_store_hook h = hook_of(fn, ctx);
    ken_store__hook(s, &h);
}

void ken_catalog_add_trace(ken_catalog *c, ken_store_trace_fn *fn, void *ctx)
{
    ken_store_hook h = hook_of(fn, ctx);
    ken_catalog__hook(c, &h);
}
