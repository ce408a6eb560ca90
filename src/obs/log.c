// SPDX-License-Identifier: MIT
#include "obs/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "obs/obs_priv.h"

enum {
    LOG_LINE_MAX = 2048,
    LOG_HEAD_MAX = 160,
    LOG_NAME_MAX = 64,   // of a field
    LOG_FIELD_MAX = 400, // of its value
    LOG_FIELD_ROOM = LOG_NAME_MAX + LOG_FIELD_MAX + 16,
};

atomic_int ken_log__level = KEN_LOG_WARN;
static atomic_bool log_is_json, log_is_journal;

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

bool ken_log_is_journal(void)
{
    const char *named = getenv("JOURNAL_STREAM");
    ken_str rest = ken_str_c(named), device, inode;
    uint64_t wanted[2];
    struct stat real;
    return named && ken_str_split_next(&rest, ':', &device) &&
           ken_str_split_next(&rest, ':', &inode) && !rest.ptr &&
           ken_str_parse_u64(device, &wanted[0]) && ken_str_parse_u64(inode, &wanted[1]) &&
           !fstat(STDERR_FILENO, &real) && real.st_dev == wanted[0] && real.st_ino == wanted[1];
}

void ken_log_use_journal(bool is_journal)
{
    atomic_store(&log_is_journal, is_journal);
}

// Appends `text` to line[at …], up to `max`: escaped for JSON; control characters and broken UTF-8 become
// '?'.
static size_t put_text(char *line, size_t at, size_t max, ken_str text, bool is_json)
{
    while (text.len && at + 8 < max) {
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

// Up to the message; it fits in any case.
static size_t put_head(char *line, ken_log_level level, const char *module, bool is_json)
{
    static const char *const priorities[] = { "", "<3>", "<4>", "<6>", "<7>" }; // sd-daemon(3)
    char when[KEN_TIME_TEXT];
    ken_clock_format(ken_clock_wall_ms(), when);
    const char *word = ken_log_level_word(level);
    bool is_journal = atomic_load_explicit(&log_is_journal, memory_order_relaxed);
    const char *priority = is_journal && level < KEN_LOG_LEVEL_COUNT ? priorities[level] : "";
    int n = is_json      ? snprintf(line, LOG_HEAD_MAX,
                                    "%s{\"timestamp\":\"%s\",\"level\":\"%s\",\"module\":\"%s\","
                                         "\"message\":\"",
                                    priority, when, word, module)
            : is_journal ? snprintf(line, LOG_HEAD_MAX, "%s%s: ", priority, module)
                         : snprintf(line, LOG_HEAD_MAX, "%s %-5s %s: ", when, word, module);
    return n < 0 ? 0 : n < LOG_HEAD_MAX ? (size_t)n : LOG_HEAD_MAX - 1;
}

// What the file's failing costs is said once where lines go meanwhile, and once in the file.
static void put_line(ken_str line)
{
    obs_put told = ken_obs__log_put(line);
    if (told.error)
        KEN_LOG_ERR("log", "log.file cannot be written (%s); until it can, lines go to stderr",
                    strerror(told.error));
    else if (told.n_missed)
        KEN_LOG_ERR("log", "%llu lines are missing here: log.file could not be written",
                    (unsigned long long)told.n_missed);
}

void ken_log_write(ken_log_level level, const char *module, const char *fmt, ...)
{
    char line[LOG_LINE_MAX];
    obs_message msg;
    va_list ap;
    va_start(ap, fmt);
    ken_str text = ken_obs__message_format(&msg, fmt, ap);
    va_end(ap);
    bool is_json = atomic_load_explicit(&log_is_json, memory_order_relaxed);
    size_t at = put_head(line, level, module, is_json);
    at = put_text(line, at, LOG_LINE_MAX, text, is_json);
    if (is_json) {
        line[at++] = '"';
        line[at++] = '}';
    }
    line[at++] = '\n';
    put_line(ken_str_n(line, at));
    ken_obs__message_release(&msg);
}

// ---- records -----------------------------------------------------------------------------------

// A text is masked as a whole before it is cut.
static size_t put_masked(char *line, size_t at, size_t max, ken_str text, bool is_json)
{
    obs_message msg;
    ken_str masked = ken_obs__message_copy(&msg, text);
    at = put_text(line, at, max, masked, is_json);
    ken_obs__message_release(&msg);
    return at;
}

static size_t put_value(char *line, size_t at, const ken_log_field *f, bool is_json)
{
    size_t max = at + LOG_FIELD_MAX;
    if (f->type == KEN_LOG_TEXT) {
        line[at++] = '"';
        at = put_masked(line, at, max, f->text, is_json);
        line[at++] = '"';
        return at;
    }
    int n = f->type == KEN_LOG_COUNT
                ? snprintf(line + at, LOG_FIELD_MAX, "%llu", (unsigned long long)f->count)
                : snprintf(line + at, LOG_FIELD_MAX, "%.3f", f->real);
    return n < 0 ? at : at + (size_t)n;
}

void ken_log_record(ken_log_level level, const char *module, const char *message,
                    const ken_log_field *fields, size_t n)
{
    char line[LOG_LINE_MAX];
    if (!ken_log_is_on(level))
        return;
    bool is_json = atomic_load_explicit(&log_is_json, memory_order_relaxed);
    size_t at = put_head(line, level, module, is_json);
    at = put_text(line, at, at + LOG_FIELD_MAX, ken_str_c(message), is_json);
    if (is_json)
        at += (size_t)snprintf(line + at, LOG_FIELD_MAX, "\",\"context\":{");
    bool is_first = true;
    for (size_t i = 0; i < n && at + LOG_FIELD_ROOM < LOG_LINE_MAX; i++) {
        int len = snprintf(line + at, LOG_NAME_MAX,
                           is_json ? "%s\"%s\":" : "%s%s=", is_json ? (is_first ? "" : ",") : " ",
                           fields[i].name);
        at = put_value(line, at + (len < 0 ? 0 : (size_t)len), &fields[i], is_json);
        is_first = false;
    }
    if (is_json) {
        line[at++] = '}';
        line[at++] = '}';
    }
    line[at++] = '\n';
    put_line(ken_str_n(line, at));
}
