// SPDX-License-Identifier: MIT
// log.h -- what happened, for the person who runs the program. Written to stderr or to a file of its
// own, never to stdout.
//
// Secrets in a line are masked. One call is one line and one write(), so that lines of several threads
// never mix. Engines and the store do not log, they return errors; app, tool, mcp, web and cli log each
// once. A record is a message with named values; as JSON they are its `context`.
//
// Threads: any. Level, form and file are set once at start, before there are others.
#ifndef KEN_OBS_LOG_H
#define KEN_OBS_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

// Whether stderr is the journal of systemd: JOURNAL_STREAM names the file that it is.
bool ken_log_is_journal(void);
// Lines begin with "<priority>", as the journal reads them, and have no time, which it knows. Once at
// start; not with a file.
void ken_log_use_journal(bool is_journal);

// Lines go to this file from now on. When it has max_bytes it is renamed to "<path>.1", that to ".2" and
// so on, at most `keep` of them, and begun anew; several processes may share it. Its folder is made. On
// failure they go where they went. Lines that it does not take later (a full disk) go to stderr.
ken_status ken_log_open_file(const char *path, uint64_t max_bytes, unsigned keep, ken_err *err)
    KEN_MUST_USE;
void ken_log_close_file(void);

extern atomic_int ken_log__level;
static inline bool ken_log_is_on(ken_log_level level)
{
    return (int)level <= atomic_load_explicit(&ken_log__level, memory_order_relaxed);
}

// `module` is static text. Control characters and broken UTF-8 in the message are made harmless.
void ken_log_write(ken_log_level level, const char *module, const char *fmt, ...) KEN_PRINTF(3, 4);

typedef enum ken_log_type {
    KEN_LOG_TEXT = 1,
    KEN_LOG_COUNT,
    KEN_LOG_REAL,
} ken_log_type;

typedef struct ken_log_field {
    const char *name; // static
    ken_log_type type;
    ken_str text;
    uint64_t count;
    double real;
} ken_log_field;

#define KEN_LOG_F_TEXT(n, v)  ((ken_log_field){ .name = (n), .type = KEN_LOG_TEXT, .text = (v) })
#define KEN_LOG_F_COUNT(n, v) ((ken_log_field){ .name = (n), .type = KEN_LOG_COUNT, .count = (v) })
#define KEN_LOG_F_MS(n, ns) \
    ((ken_log_field){ .name = (n), .type = KEN_LOG_REAL, .real = (double)(ns) / 1e6 })
#define KEN_LOG_F_REAL(n, v) ((ken_log_field){ .name = (n), .type = KEN_LOG_REAL, .real = (v) })

// `module` and `message` are static text. Fields that find no room in the line are left out.
void ken_log_record(ken_log_level level, const char *module, const char *message,
                    const ken_log_field *fields, size_t n);

#define KEN_LOG(level, module, ...) \
    (ken_log_is_on(level) ? ken_log_write((level), (module), __VA_ARGS__) : (void)0)
#define KEN_LOG_ERR(module, ...)     KEN_LOG(KEN_LOG_ERROR, module, __VA_ARGS__)
#define KEN_LOG_WARNING(module, ...) KEN_LOG(KEN_LOG_WARN, module, __VA_ARGS__)
#define KEN_LOG_NOTE(module, ...)    KEN_LOG(KEN_LOG_INFO, module, __VA_ARGS__)
#define KEN_LOG_DETAIL(module, ...)  KEN_LOG(KEN_LOG_DEBUG, module, __VA_ARGS__)

#endif
