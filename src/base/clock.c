// SPDX-License-Identifier: MIT
#include "base/clock.h"

#include <time.h>

int64_t ken_clock_mono_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t ken_clock_wall_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void ken_clock_format(int64_t wall_ms, char out[KEN_TIME_TEXT])
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm tm;
    if (!gmtime_r(&seconds, &tm) || !strftime(out, KEN_TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &tm))
        out[0] = '\0';
}
