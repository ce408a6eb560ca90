// SPDX-License-Identifier: MIT
// figure.h -- numbers as people read them: sizes, counts, ages, durations.
//
// Ownership: texts live in the arena passed. Threads: any. Errors: none.
#ifndef KEN_BASE_FIGURE_H
#define KEN_BASE_FIGURE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

ken_str ken_figure_size(ken_arena *a, uint64_t bytes);            // "1.4 MiB"
ken_str ken_figure_count(ken_arena *a, uint64_t n);               // "12,345"
ken_str ken_figure_n(ken_arena *a, uint64_t n, const char *noun); // "1 file", "2 files"
ken_str ken_figure_age(ken_arena *a, int64_t wall_ms,
                       int64_t now_ms);                // "3 minutes ago"; 0: "never"
ken_str ken_figure_duration(ken_arena *a, int64_t ms); // "1.2 s"

#endif
