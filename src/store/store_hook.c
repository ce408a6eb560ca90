// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/clock.h"
#include "store/store_hook_priv.h"

static ken_store_hook *hook_of(ken_store_backend *b)
{
    return (ken_store_hook *)(void *)b;
}

typedef struct passage {
    ken_store_hook *h;
    const ken_store_ops *ops; // of the inner backend
    ken_store_backend *b;     // the inner backend
    ken_store_call call;
    int64_t start_ns;
    ken_status st; // set = the call is not made
    ken_err *err;
} passage;

static passage enter(ken_store_backend *b, ken_store_call call, ken_err *err)
{
    ken_store_hook *h = hook_of(b);
    passage p = { .h = h, .ops = h->inner->ops, .b = h->inner, .call = call, .err = err };
    if (h->before)
        p.st = h->before(h->ctx, &call, err);
    p.start_ns = ken_clock_mono_ns();
    return p;
}

static ken_status leave(const passage *p, ken_status st)
{
    if (p->st)
        return p->st;
    return p->h->after(p->h->ctx, &p->call, st, ken_clock_mono_ns() - p->start_ns, p->err);
}

static void hook_close(ken_store_backend *b)
{
    ken_store_hook *h = hook_of(b);
    h->inner->ops->close(h->inner);
    if (h->free_ctx)
        h->free_ctx(h->ctx);
    ken_free(h);
}

static void hook_rollback(ken_store_backend *b)
{
    ken_store_hook *h = hook_of(b);
    h->inner->ops->rollback(h->inner);
}

// clang-format off
#define NOTHING
#define NUMBER(n)     .number = (int64_t)(n)
#define TEXT(text_, n) .text = (text_), .number = (int64_t)(n)
#define X(slot, door, params, args, shown)                                                         \
    static ken_status hook_##slot(ken_store_backend *b, KEN_SLOT_LIST params)                      \
    {                                                                                              \
        passage p = enter(b, (ken_store_call){ .name = #slot, shown }, err);                       \
        return leave(&p, p.st ? p.st : p.ops->slot(p.b, KEN_SLOT_LIST args));                      \
    }
KEN_STORE_SLOTS(X)
#undef X
// clang-format on

static const ken_store_ops hook_ops = { .name = "hook",
                                        .close = hook_close,
                                        .rollback = hook_rollback,
#define X(slot, door, params, args, shown) .slot = hook_##slot,
                                        KEN_STORE_SLOTS(X)
#undef X
};

void ken_store__hook(ken_store *s, const ken_store_hook *h)
{
    ken_store_hook *copy = ken_zalloc(sizeof *copy);
    *copy = *h;
    copy->base.ops = &hook_ops;
    copy->inner = ken_store__backend(s);
    ken_store__set_backend(s, &copy->base);
}
