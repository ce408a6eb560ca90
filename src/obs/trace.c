// SPDX-License-Identifier: MIT
#include "obs/trace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "obs/obs_priv.h"

enum {
    TRACE_ENTRIES_MAX = 32,
    TRACE_NAME_MAX = 24,
    TRACE_LINE_MAX = 4096,
    TRACE_TEXT_MAX = TRACE_LINE_MAX - 128
};

typedef struct trace_entry {
    char name[TRACE_NAME_MAX];
    int level; // 0 = off
} trace_entry;

// Written by ken_trace_setup only; the release store of `highest` publishes it.
static trace_entry entries[TRACE_ENTRIES_MAX];
static size_t n_entries;
atomic_int ken_trace__highest;

static ken_status parse_entry(ken_str part, trace_entry *out, ken_err *err)
{
    int level = 1;
    ken_str name = part;
    if (ken_str_starts(name, KEN_STR("-"))) {
        level = 0;
        name = ken_str_sub(name, 1, name.len);
    }
    size_t colon = ken_str_find_char(name, ':');
    if (colon != SIZE_MAX) {
        uint64_t n;
        if (!ken_str_parse_u64(ken_str_sub(name, colon + 1, name.len), &n) || n > 9)
            return KEN_FAIL(err, KEN_EINVAL, "trace entry '" KEN_STR_FMT "': level must be 0 to 9",
                            KEN_STR_ARG(ken_str_sub(part, 0, 40)));
        level = (int)n;
        name = ken_str_sub(name, 0, colon);
    }
    if (!name.ptr || !name.len || name.len >= TRACE_NAME_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "trace entry '" KEN_STR_FMT "' names no module",
                        KEN_STR_ARG(ken_str_sub(part, 0, 40)));
    memcpy(out->name, name.ptr, name.len);
    out->name[name.len] = '\0';
    out->level = level;
    return KEN_OK;
}

ken_status ken_trace_setup(ken_str spec, ken_err *err)
{
    trace_entry parsed[TRACE_ENTRIES_MAX] = { 0 };
    size_t n = 0;
    if (!spec.ptr)
        spec = ken_str_c(getenv("KEN_TRACE"));
    int highest = 0;
    ken_str part = { NULL, 0 };
    while (ken_str_split_next(&spec, ',', &part)) {
        part = ken_str_trim(part);
        if (!part.len)
            continue;
        if (n == TRACE_ENTRIES_MAX)
            return KEN_FAIL(err, KEN_EINVAL, "more than %d trace entries", TRACE_ENTRIES_MAX);
        ken_status st = parse_entry(part, &parsed[n], err);
        if (st)
            return st;
        if (parsed[n].level > highest)
            highest = parsed[n].level;
        n++;
    }
    memcpy(entries, parsed, n * sizeof *parsed);
    n_entries = n;
    atomic_store_explicit(&ken_trace__highest, highest, memory_order_release);
    return KEN_OK;
}

bool ken_trace_is_on_slow(const char *module, int level)
{
    int found = 0;
    for (size_t i = 0; i < n_entries; i++) {
        if (!strcmp(entries[i].name, "all") || !strcmp(entries[i].name, module))
            found = entries[i].level; // the last one that speaks of it wins
    }
    return found >= level;
}

void ken_trace_write(const char *module, const char *where, const char *fmt, ...)
{
    char line[TRACE_LINE_MAX];
    obs_message msg;
    va_list ap;
    va_start(ap, fmt);
    ken_str text = ken_obs__message_format(&msg, fmt, ap);
    va_end(ap);
    int64_t us = ken_clock_mono_ns() / 1000;
    const char *slash = strrchr(where, '/');
    text = ken_str_sub(text, 0, TRACE_TEXT_MAX);
    int n = snprintf(line, sizeof line, "trace %lld.%06lld %.24s %.60s " KEN_STR_FMT "\n",
                     (long long)(us / 1000000), (long long)(us % 1000000), module,
                     slash ? slash + 1 : where, KEN_STR_ARG(text));
    size_t len = n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    for (size_t i = 0; i + 1 < len; i++)
        if (line[i] == '\n' || line[i] == '\r')
            line[i] = ' ';
    ken_obs__message_release(&msg);
    ssize_t rc;
    do {
        rc = write(STDERR_FILENO, line, len);
    } while (rc < 0 && errno == EINTR);
}
