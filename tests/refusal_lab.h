// SPDX-License-Identifier: MIT
// refusal_lab.h -- a reader whose memory grows with what a file says: given less and less of it, it
// fails with KEN_ENOMEM, takes no more than it may, and leaves nothing behind.
#ifndef KEN_TESTS_REFUSAL_LAB_H
#define KEN_TESTS_REFUSAL_LAB_H

#include "base/alloc.h"
#include "ktest.h"

// Opens what `ctx` is, and closes it again.
typedef ken_status (*lab_reading)(void *ctx, ken_err *err);

// `large`: bytes that the reader takes at once for what the file says. All else it needs is less
// than an eighth of that.
static inline void lab_refuse_memory(lab_reading read, void *ctx, size_t large)
{
    ken_account whole = { 0 };
    ken_err err = { 0 };
    ken_account *outer = ken_account_enter(&whole);
    ken_status st = read(ctx, &err);
    ken_account_enter(outer);
    kt_ok_err(st, &err);
    kt_eq_u(whole.used_bytes, 0);
    kt_true(whole.peak_bytes >= large && whole.peak_bytes < large + large / 8);
    for (size_t max = large - 1; max >= large / 4; max -= large / 4) {
        ken_account a = { .max_bytes = max };
        err = (ken_err){ 0 };
        outer = ken_account_enter(&a);
        st = read(ctx, &err);
        ken_account_enter(outer);
        kt_status(st, KEN_ENOMEM);
        kt_has_str(err.msg, "no memory");
        kt_eq_u(a.used_bytes, 0);
        kt_true(a.peak_bytes <= max);
    }
}

#endif
