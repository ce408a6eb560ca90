// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/clock.h"
#include "store/store_hook_priv.h"

typedef struct store_hook {
    ken_store_backend base;
    ken_store_backend *inner; // owned
    ken_store_hook h;
} store_hook;

typedef struct catalog_hook {
    ken_catalog_backend base;
    ken_catalog_backend *inner; // owned
    ken_store_hook h;
} catalog_hook;

static store_hook *store_of(ken_store_backend *b)
{
    return (store_hook *)(void *)b;
}

static catalog_hook *catalog_of(ken_catalog_backend *b)
{
    return (catalog_hook *)(void *)b;
}

typedef struct passage {
    const ken_store_hook *h;
    ken_store_call call;
    int64_t start_ns;
    ken_status st; // set = the call is not made
    ken_err *err;
} passage;

static passage enter(const ken_store_hook *h, ken_store_call call, ken_err *err)
{
    passage p = { .h = h, .call = call, .err = err };
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

// The values of a call that a trace shows: the last column of the lists of slots.
#define NOTHING
#define NUMBER(n)      .number = (int64_t)(n)
#define TEXT(text_, n) .text = (text_), .number = (int64_t)(n)

#define HOOK(prefix, backend, of, slot, params, args, ...)                                 \
    static ken_status prefix##_##slot(backend *b, KEN_SLOT_LIST params)                    \
    {                                                                                      \
        passage p = enter(&of(b)->h, (ken_store_call){ .name = #slot, __VA_ARGS__ }, err); \
        if (p.st)                                                                          \
            return p.st;                                                                   \
        backend *inner = of(b)->inner;                                                     \
        return leave(&p, inner->ops->slot(inner, KEN_SLOT_LIST args));                     \
    }

// ---- of a store ------------------------------------------------------------------------------

static void store_close(ken_store_backend *b)
{
    store_hook *s = store_of(b);
    s->inner->ops->close(s->inner);
    if (s->h.free_ctx)
        s->h.free_ctx(s->h.ctx);
    ken_free(s);
}

static void store_rollback(ken_store_backend *b)
{
    store_hook *s = store_of(b);
    s->inner->ops->rollback(s->inner);
}

// clang-format off
#define X(slot, door, params, args, shown) HOOK(store, ken_store_backend, store_of, slot, params, args, shown)
KEN_STORE_SLOTS(X)
#undef X
// clang-format on

static const ken_store_ops store_ops = { .name = "hook",
                                         .close = store_close,
                                         .rollback = store_rollback,
#define X(slot, door, params, args, shown) .slot = store_##slot,
                                         KEN_STORE_SLOTS(X)
#undef X
};

void ken_store__hook(ken_store *s, const ken_store_hook *h)
{
    store_hook *made = ken_zalloc(sizeof *made);
    *made = (store_hook){ { &store_ops }, ken_store__backend(s), *h };
    ken_store__set_backend(s, &made->base);
}

// ---- of a catalog ----------------------------------------------------------------------------

static void catalog_close(ken_catalog_backend *b)
{
    catalog_hook *c = catalog_of(b);
    c->inner->ops->close(c->inner);
    if (c->h.free_ctx)
        c->h.free_ctx(c->h.ctx);
    ken_free(c);
}

static bool catalog_is_current(ken_catalog_backend *b)
{
    catalog_hook *c = catalog_of(b);
    return c->inner->ops->is_current(c->inner);
}

static bool catalog_is_behind(ken_catalog_backend *b)
{
    catalog_hook *c = catalog_of(b);
    return c->inner->ops->is_behind(c->inner);
}

// clang-format off
#define X(slot, door, params, args, shown) HOOK(catalog, ken_catalog_backend, catalog_of, slot, params, args, shown)
KEN_CATALOG_SLOTS(X)
#undef X
// clang-format on

static const ken_catalog_ops catalog_ops = { .name = "hook",
                                             .close = catalog_close,
                                             .is_current = catalog_is_current,
                                             .is_behind = catalog_is_behind,
#define X(slot, door, params, args, shown) .slot = catalog_##slot,
                                             KEN_CATALOG_SLOTS(X)
#undef X
};

void ken_catalog__hook(ken_catalog *c, const ken_store_hook *h)
{
    catalog_hook *made = ken_zalloc(sizeof *made);
    *made = (catalog_hook){ { &catalog_ops }, ken_catalog__backend(c), *h };
    ken_catalog__set_backend(c, &made->base);
}
