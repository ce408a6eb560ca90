// SPDX-License-Identifier: MIT
#include "base/cancel.h"

#include "base/clock.h"
#include "base/quota.h"

ken_status ken_cancel_check(const ken_cancel *c, ken_err *err)
{
    if (ken_cancel_is_set(c))
        return KEN_FAIL(err, KEN_ECANCELLED, "cancelled");
    int64_t end = 0;
    for (; c; c = c->also)
        if (c->deadline_ns && (!end || c->deadline_ns < end))
            end = c->deadline_ns;
    if (end && ken_clock_mono_ns() > end)
        return KEN_FAIL(err, KEN_ETIMEOUT, "timed out");
    if (ken_quota_now())
        return ken_quota_check(err);
    if (ken_alloc_is_starved())
        return KEN_FAIL(err, KEN_ENOMEM, "the system has no more memory for this");
    return KEN_OK;
}
