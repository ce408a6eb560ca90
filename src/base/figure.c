// SPDX-License-Identifier: MIT
#include "base/figure.h"

#include <inttypes.h>
#include <stdio.h>

ken_str ken_figure_size(ken_arena *a, uint64_t bytes)
{
    static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
    double d = (double)bytes;
    size_t u = 0;
    for (; d >= 1024 && u + 1 < sizeof units / sizeof *units; u++)
        d /= 1024;
    return ken_arena_printf(a, u ? "%.1f %s" : "%.0f %s", d, units[u]);
}

ken_str ken_figure_count(ken_arena *a, uint64_t n)
{
    char digits[32];
    char *out = ken_arena_alloc(a, 48);
    int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
    size_t at = 0;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return ken_str_n(out, at);
}

ken_str ken_figure_n(ken_arena *a, uint64_t n, const char *noun)
{
    return ken_arena_printf(a, KEN_STR_FMT " %s%s", KEN_STR_ARG(ken_figure_count(a, n)), noun,
                            n == 1 ? "" : "s");
}

ken_str ken_figure_age(ken_arena *a, int64_t wall_ms, int64_t now_ms)
{
    static const struct {
        int64_t seconds;
        const char *noun;
    } units[] = { { 86400, "day" }, { 3600, "hour" }, { 60, "minute" }, { 1, "second" } };
    int64_t s = (now_ms - wall_ms) / 1000;
    if (!wall_ms)
        return KEN_STR("never");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (s >= units[i].seconds)
            return ken_arena_printf(
                a, KEN_STR_FMT " ago",
                KEN_STR_ARG(ken_figure_n(a, (uint64_t)(s / units[i].seconds), units[i].noun)));
    return KEN_STR("just now");
}

ken_str ken_figure_duration(ken_arena *a, int64_t ms)
{
    if (ms < 1000)
        return ken_arena_printf(a, "%" PRId64 " ms", ms);
    if (ms < 60000)
        return ken_arena_printf(a, "%.1f s", (double)ms / 1000);
    return ken_arena_printf(a, "%" PRId64 " min %" PRId64 " s", ms / 60000, ms / 1000 % 60);
}
