// SPDX-License-Identifier: MIT
#include "base/clock.h"

#include <stdio.h>
#include <string.h>
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

int64_t ken_clock_process_ns(int pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
        return -1;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void ken_clock_format(int64_t wall_ms, char out[KEN_TIME_TEXT])
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm tm;
    if (!gmtime_r(&seconds, &tm) || !strftime(out, KEN_TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &tm))
        out[0] = '\0';
}

void ken_clock_format_ms(int64_t wall_ms, char out[KEN_TIME_MS_TEXT])
{
    int64_t ms = wall_ms % 1000;
    if (ms < 0)
        ms += 1000; // before the epoch
    ken_clock_format(wall_ms - ms, out);
    size_t len = strlen(out);
    if (len) // the 'Z' makes place
        snprintf(out + len - 1, KEN_TIME_MS_TEXT - (len - 1), ".%03dZ", (int)ms);
}

static bool parse_age(ken_str text, int64_t now_ms, int64_t *out_ms)
{
    static const struct {
        char unit;
        int64_t ms;
    } units[] = { { 'm', 60000 }, { 'h', 3600000 }, { 'd', 86400000 }, { 'w', 604800000 } };
    uint64_t n;
    if (text.len < 2 || !ken_str_parse_u64(ken_str_sub(text, 0, text.len - 1), &n) || n > 100000)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (text.ptr[text.len - 1] == units[i].unit) {
            *out_ms = now_ms - (int64_t)n * units[i].ms;
            return true;
        }
    return false;
}

bool ken_clock_parse(ken_str text, int64_t now_ms, int64_t *out_ms)
{
    char buf[KEN_TIME_TEXT];
    struct tm tm = { 0 };
    if (parse_age(text, now_ms, out_ms))
        return true;
    if ((text.len != 10 && text.len != 20) || memchr(text.ptr, '\0', text.len))
        return false;
    memcpy(buf, text.ptr, text.len);
    buf[text.len] = '\0';
    const char *end = strptime(buf, text.len == 10 ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M:%SZ", &tm);
    if (!end || *end)
        return false;
    *out_ms = (int64_t)timegm(&tm) * 1000;
    return true;
}

bool ken_clock_parse_ms(ken_str text, int64_t *out_ms)
{
    enum {
        WHOLE = 20, // "2026-11-21T20:15:00Z"
        MORE = 4    // ".250"
    };
    char whole[WHOLE];
    uint64_t ms = 0;
    bool has_ms = text.len == WHOLE + MORE;
    if (!has_ms && text.len != WHOLE)
        return false;
    memcpy(whole, text.ptr, WHOLE - 1);
    whole[WHOLE - 1] = text.ptr[text.len - 1];
    if (has_ms && (text.ptr[WHOLE - 1] != '.' ||
                   !ken_str_parse_u64(ken_str_sub(text, WHOLE, WHOLE + 3), &ms)))
        return false;
    if (!ken_clock_parse(ken_str_n(whole, WHOLE), 0, out_ms))
        return false;
    *out_ms += (int64_t)ms;
    return true;
}
