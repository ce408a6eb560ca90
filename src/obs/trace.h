// SPDX-License-Identifier: MIT
// trace.h -- what the program does inside, switched on per module: KEN_TRACE=mcp:2,query,-index
//
// A module's name alone means level 1; "all" means every module; a leading '-' switches one off.
// The environment is read by whoever starts the program and passed to ken_trace_setup. A trace
// point that is off costs one relaxed load.
//
// Threads: any; set up once at start, before there are others. Lines go to stderr.
#ifndef KEN_OBS_TRACE_H
#define KEN_OBS_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/str.h"

// A `spec` without pointer is read from the environment; an empty one switches everything off. At
// most 32 entries, levels 0 to 9.
ken_status ken_trace_setup(ken_str spec, ken_err *err) KEN_MUST_USE;

extern atomic_int ken_trace__highest; // the highest level of any module; 0 = all off
bool ken_trace_is_on_slow(const char *module, int level);
static inline bool ken_trace_is_on(const char *module, int level)
{
    return atomic_load_explicit(&ken_trace__highest, memory_order_relaxed) >= level &&
           ken_trace_is_on_slow(module, level);
}

void ken_trace_write(const char *module, const char *where, const char *fmt, ...) KEN_PRINTF(3, 4);

#define KEN_TRACE(module, level, ...)                                                      \
    (ken_trace_is_on((module), (level)) ? ken_trace_write((module), KEN_HERE, __VA_ARGS__) \
                                        : (void)0)

#endif
