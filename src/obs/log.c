// SPDX-License-Identifier: MIT
#include "obs/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "obs/obs_priv.h"

enum {
    LOG_LINE_MAX = 2048
};

atomic_int ken_log__level = KEN_LOG_WARN;
static atomic_bool log_is_json;

static const char *const level_words[] = {
#define X(name, word) word,
    KEN_LOG_LEVEL_TABLE(X)
#undef X
};

const char *ken_log_level_word(ken_log_level level)
{
    return level < KEN_LOG_LEVEL_COUNT ? level_words[level] : "unknown";
}

ken_status ken_log_level_parse(ken_str word, ken_log_level *out, ken_err *err)
{
    if (ken_str_eq_fold(word, KEN_STR("warning"))) {
        *out = KEN_LOG_WARN;
        return KEN_OK;
    }
    for (int i = 0; i < KEN_LOG_LEVEL_COUNT; i++) {
        if (ken_str_eq_fold(word, ken_str_c(level_words[i]))) {
            *out = (ken_log_level)i;
            return KEN_OK;
        }
    }
    return KEN_FAIL(err, KEN_EINVAL,
                    "log level '" KEN_STR_FMT "' is none of none, error, warn, "
                    "info, debug",
                    KEN_STR_ARG(ken_str_sub(word, 0, 40)));
}

void ken_log_setup(ken_log_level level, bool is_json)
{
    atomic_store(&ken_log__level, (int)level);
    atomic_store(&log_is_json, is_json);
}

// Appends `text` to line[at …]: escaped for JSON; control characters and broken UTF-8 become '?'.
static size_t put_text(char *line, size_t at, ken_str text, bool is_json)
{
    while (text.len && at + 8 < LOG_LINE_MAX) {
        uint32_t code;
        size_t n = ken_utf8_next(text, &code);
        if (n > 1) {
            memcpy(line + at, text.ptr, n);
            at += n;
        } else if (!n || code < 0x20 || code == 0x7f) {
            line[at++] = n && (code == '\n' || code == '\t') ? ' ' : '?';
        } else {
            if (is_json && (code == '"' || code == '\\'))
                line[at++] = '\\';
            line[at++] = (char)code;
        }
        text = ken_str_sub(text, n ? n : 1, text.len);
    }
    return at;
}

static void write_line(const char *line, size_t len)
{
    ssize_t n;
    do {
        n = write(STDERR_FILENO, line, len);
    } while (n < 0 && errno == EINTR);
}

void ken_log_write(ken_log_level level, const char *module, const char *fmt, ...)
{
    char line[LOG_LINE_MAX], when[KEN_TIME_TEXT];
    obs_message msg;
    va_list ap;
    va_start(ap, fmt);
    ken_str text = obs_message_format(&msg, fmt, ap);
    va_end(ap);
    bool is_json = atomic_load_explicit(&log_is_json, memory_order_relaxed);
    ken_clock_format(ken_clock_wall_ms(), when);
    int head_len = is_json ? snprintf(line, sizeof line,
                                      "{\"time\":\"%s\",\"level\":\"%s\",\"module\":\"%s\","
                                      "\"msg\":\"",
                                      when, ken_log_level_word(level), module)
                           : snprintf(line, sizeof line, "%s %-5s %s: ", when,
                                      ken_log_level_word(level), module);
    if (head_len >= 0) {
        size_t at = put_text(line, (size_t)head_len, text, is_json);
        if (is_json) {
            line[at++] = '"';
            line[at++] = '}';
        }
        line[at++] = '\n';
        write_line(line, at);
    }
    obs_message_release(&msg);
}
