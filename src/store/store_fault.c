// SPDX-License-Identifier: MIT
#include "store/store_debug.h"
#include "store/store_hook_priv.h"

static bool is_due(const ken_store_fault *f)
{
    return f->fail_at && (f->is_sticky ? f->n_calls >= f->fail_at : f->n_calls == f->fail_at);
}

static ken_status fail(ken_store_fault *f, const ken_store_call *c, ken_err *err)
{
    f->name = c->name;
    return KEN_FAIL(err, f->status ? f->status : KEN_EIO, "%s failed, as asked for at call %llu",
                    c->name, (unsigned long long)f->n_calls);
}

static ken_status fault_before(void *ctx, const ken_store_call *c, ken_err *err)
{
    ken_store_fault *f = ctx;
    f->n_calls++;
    return is_due(f) && !f->is_after ? fail(f, c, err) : KEN_OK;
}

static ken_status fault_after(void *ctx, const ken_store_call *c, ken_status st, int64_t ns,
                              ken_err *err)
{
    (void)ns;
    ken_store_fault *f = ctx;
    return !st && is_due(f) && f->is_after ? fail(f, c, err) : st;
}

static ken_store_hook hook_of(ken_store_fault *plan)
{
    return (ken_store_hook){ .before = fault_before, .after = fault_after, .ctx = plan };
}

void ken_store_add_fault(ken_store *s, ken_store_fault *plan)
{
    ken_store_hook h = hook_of(plan);
    ken_store__hook(s, &h);
}

void ken_catalog_add_fault(ken_catalog *c, ken_store_fault *plan)
{
    ken_store_hook h = hook_of(plan);
    ken_catalog__hook(c, &h);
}
