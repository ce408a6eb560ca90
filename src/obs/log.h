// SPDX-License-Identifier: MIT
// log.h -- what happened, for the person who runs the program. Only ever written to stderr.
//
// Secrets in a line are masked. One call is one line and one write(), so that lines of several threads never mix. Engines and the
// store do not log, they return errors; app, tool, mcp, web and cli log each once.
//
// Threads: any. Level and form are set once at start, before there are others.
#ifndef KEN_OBS_LOG_H
#define KEN_OBS_LOG_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/str.h"

// name, word
#define KEN_LOG_LEVEL_TABLE(X) \
    X(NONE, "none")            \
    X(ERROR, "error")          \
    X(WARN, "warn")            \
    X(INFO, "info")            \
    X(DEBUG, "debug")

typedef enum ken_log_level {
#define X(name, word) KEN_LOG_##name,
    KEN_LOG_LEVEL_TABLE(X)
#undef X
    KEN_LOG_LEVEL_COUNT
} ken_log_level;

// "error", "warn" (or "warning"), "info", "debug", "none", in any case.
ken_status ken_log_level_parse(ken_str word, ken_log_level *out, ken_err *err) KEN_MUST_USE;
const char *ken_log_level_word(ken_log_level level);

// At start everything up to WARN is printed, as text.
void ken_log_setup(ken_log_level level, bool is_json);

extern atomic_int ken_log__level;
static inline bool ken_log_is_on(ken_log_level level)
{
    return (int)level <= atomic_load_explicit(&ken_log__level, memory_order_relaxed);
}

// `module` is static text. Control characters and broken UTF-8 in the message are made harmless.
void ken_log_write(ken_log_level level, const char *module, const char *fmt, ...) KEN_PRINTF(3, 4);

#define KEN_LOG(level, module, ...) \
    (ken_log_is_on(level) ? ken_log_write((level), (module), __VA_ARGS__) : (void)0)
#define KEN_LOG_ERR(module, ...)     KEN_LOG(KEN_LOG_ERROR, module, __VA_ARGS__)
#define KEN_LOG_WARNING(module, ...) KEN_LOG(KEN_LOG_WARN, module, __VA_ARGS__)
#define KEN_LOG_NOTE(module, ...)    KEN_LOG(KEN_LOG_INFO, module, __VA_ARGS__)
#define KEN_LOG_DETAIL(module, ...)  KEN_LOG(KEN_LOG_DEBUG, module, __VA_ARGS__)

#endif
