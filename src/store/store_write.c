// SPDX-License-Identifier: MIT
// Whole write transactions, which are begun again where a database let another one through.
#include <time.h>

#include "base/clock.h"
#include "store/store_ops.h"

enum {
    TRIES_MAX = 6,
    FIRST_WAIT_MS = 4, // doubled by each try
    AGAIN_MS = 1000,   // what took longer than this, waiting for locks as well, is not begun again
    NS_PER_MS = 1000000,
};

bool ken_store__wait_again(int n_tried)
{
    if (n_tried >= TRIES_MAX)
        return false;
    const long wait_ms = FIRST_WAIT_MS * (1L << (n_tried - 1));
    (void)nanosleep(&(struct timespec){ .tv_nsec = wait_ms * NS_PER_MS }, NULL);
    return true;
}

static ken_status write_once(ken_store *s, ken_store_write_fn *work, void *ctx, ken_err *err)
{
    ken_status st = work(s, ctx, err);
    if (!st)
        return ken_store_commit(s, err);
    ken_store_rollback(s);
    return st;
}

ken_status ken_store_write(ken_store *s, ken_store_write_fn *work, void *ctx, ken_err *err)
{
    const int64_t until = ken_clock_mono_ns() + (int64_t)AGAIN_MS * NS_PER_MS;
    for (int n = 1;; n++) {
        ken_err why = { 0 };
        ken_status st = ken_store_begin_write(s, err);
        if (st)
            return st;
        st = write_once(s, work, ctx, &why);
        if (st == KEN_EBUSY && ken_clock_mono_ns() < until && ken_store__wait_again(n))
            continue;
        if (st && err && why.status)
            *err = why;
        return st;
    }
}

typedef struct named_value {
    ken_str name, value;
} named_value;

static ken_status put_value(ken_store *s, void *ctx, ken_err *err)
{
    const named_value *v = ctx;
    return ken_store_put_value(s, v->name, v->value, err);
}

ken_status ken_store_write_value(ken_store *s, ken_str name, ken_str value, ken_err *err)
{
    return ken_store_write(s, put_value, &(named_value){ name, value }, err);
}
