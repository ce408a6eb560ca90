// SPDX-License-Identifier: MIT
#include "base/cancel.h"

#include "base/clock.h"

ken_status ken_cancel_check(const ken_cancel *c, ken_err *err)
{
    if (!c)
        return KEN_OK;
    if (ken_cancel_is_set(c))
        return KEN_FAIL(err, KEN_ECANCELLED, "cancelled");
    if (c->deadline_ns && ken_clock_mono_ns() > c->deadline_ns)
        return KEN_FAIL(err, KEN_ETIMEOUT, "timed out");
    return KEN_OK;
}
