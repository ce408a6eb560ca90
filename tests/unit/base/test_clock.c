// SPDX-License-Identifier: MIT
// Times as people write them.
#include "base/clock.h"
#include "ktest.h"

KEN_TEST(dates_times_and_ages_are_read)
{
    static const int64_t now = 1800000000000;
    static const struct {
        const char *text;
        int64_t want;
    } rows[] = {
        { "1970-01-01", 0 },
        { "2026-11-21", 1795219200000 },
        { "2026-11-21T20:15:00Z", 1795292100000 },
        { "90m", 1800000000000 - 5400000 },
        { "36h", 1800000000000 - 129600000 },
        { "7d", 1800000000000 - 604800000 },
        { "2w", 1800000000000 - 1209600000 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t got = -1;
        kt_true(ken_clock_parse(ken_str_c(rows[i].text), now, &got));
        kt_eq_i(got, rows[i].want);
    }
}

KEN_TEST(what_is_written_is_read_back)
{
    char text[KEN_TIME_TEXT];
    int64_t got;
    ken_clock_format(1795292100000, text);
    kt_eq_str(text, "2026-11-21T20:15:00Z");
    kt_true(ken_clock_parse(ken_str_c(text), 0, &got));
    kt_eq_i(got, 1795292100000);
}

KEN_TEST(what_is_no_time_is_refused)
{
    static const char *const bad[] = { "",
                                       "d",
                                       "7",
                                       "7y",
                                       "-7d",
                                       "1e3d",
                                       "2026-13-01",
                                       "2026-02-3x",
                                       "yesterday",
                                       "999999999d",
                                       "2026-11-21T20:15" };
    int64_t got;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (ken_clock_parse(ken_str_c(bad[i]), 0, &got))
            kt_fail("'%s' is taken for a time", bad[i]);
}

KEN_TEST(milliseconds_are_written_and_read)
{
    static const struct {
        int64_t ms;
        const char *text;
    } rows[] = {
        { 1795292100250, "2026-11-21T20:15:00.250Z" },
        { 1795292100000, "2026-11-21T20:15:00.000Z" },
        { 7, "1970-01-01T00:00:00.007Z" },
        { -1, "1969-12-31T23:59:59.999Z" },
    };
    char text[KEN_TIME_MS_TEXT];
    int64_t got;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ken_clock_format_ms(rows[i].ms, text);
        kt_eq_str(text, rows[i].text);
        kt_true(ken_clock_parse_ms(ken_str_c(text), &got));
        kt_eq_i(got, rows[i].ms);
    }
    kt_true(ken_clock_parse_ms(KEN_STR("2026-11-21T20:15:00Z"), &got));
    kt_eq_i(got, 1795292100000);
    static const char *const bad[] = { "",
                                       "2026-11-21",
                                       "2026-11-21T20:15:00.25Z",
                                       "7d",
                                       "2026-11-21T20:15:00x",
                                       "2026-11-21T20:15:00,250Z",
                                       "2026-11-21T20:15:00.-50Z" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        kt_false(ken_clock_parse_ms(ken_str_c(bad[i]), &got));
}
