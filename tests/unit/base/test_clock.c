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
