// SPDX-License-Identifier: MIT
// clock.h -- the only readers of clocks. Engines never read a clock; times are passed to them.
#ifndef KEN_BASE_CLOCK_H
#define KEN_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum {
    KEN_TIME_TEXT = 24,
    KEN_TIME_MS_TEXT = 28,
};

int64_t ken_clock_mono_ns(void); // monotonic
int64_t ken_clock_wall_ms(void); // since the epoch
// Processor time that another process has used; -1 when it has ended or this cannot be known.
int64_t ken_clock_process_ns(int pid);
// ISO-8601 in UTC, "2026-11-21T20:15:00Z"
void ken_clock_format(int64_t wall_ms, char out[KEN_TIME_TEXT]);
// With milliseconds, "2026-11-21T20:15:00.250Z": for times that are compared with each other.
void ken_clock_format_ms(int64_t wall_ms, char out[KEN_TIME_MS_TEXT]);
// Either of the two forms above, and nothing else.
bool ken_clock_parse_ms(ken_str text, int64_t *out_ms);
// "2026-11-21", "2026-11-21T20:15:00Z" (UTC), or so long before `now_ms`: "90m", "36h", "7d", "2w".
bool ken_clock_parse(ken_str text, int64_t now_ms, int64_t *out_ms);

#endif
