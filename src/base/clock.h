// SPDX-License-Identifier: MIT
// clock.h -- the only readers of clocks. Engines never read a clock; times are passed to them.
#ifndef KEN_BASE_CLOCK_H
#define KEN_BASE_CLOCK_H

#include <stdint.h>

enum {
    KEN_TIME_TEXT = 24
};

int64_t ken_clock_mono_ns(void); // monotonic
int64_t ken_clock_wall_ms(void); // since the epoch
// ISO-8601 in UTC, "2026-11-21T20:15:00Z"
void ken_clock_format(int64_t wall_ms, char out[KEN_TIME_TEXT]);

#endif
