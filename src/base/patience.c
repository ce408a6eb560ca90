// SPDX-License-Identifier: MIT
#include "base/patience.h"

#include <time.h>

#include "base/clock.h"

enum {
    PAUSE_NS = 200 * 1000 * 1000,
    NS_PER_MS = 1000000,
};

bool ken_patience_tries_again(ken_patience *p, ken_status *st, const ken_cancel *cancel,
                              ken_err *err)
{
    if (*st != KEN_EBUSY)
        return false;
    int64_t now = ken_clock_mono_ns();
    if (!p->end_ns)
        p->end_ns = now + p->max_ms * NS_PER_MS;
    ken_status stop = now < p->end_ns ? ken_cancel_check(cancel, err) : KEN_EBUSY;
    if (stop) {
        *st = stop;
        return false;
    }
    if (p->on_wait)
        p->on_wait(p->ctx);
    nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
    if (err)
        *err = (ken_err){ 0 };
    return true;
}
