// SPDX-License-Identifier: MIT
#include "base/utf8.h"
#include "ktest.h"

KEN_TEST(printable_is_valid_and_without_control_characters)
{
    kt_true(ken_utf8_is_printable(KEN_STR(""), ""));
    kt_true(ken_utf8_is_printable(KEN_STR("gr\u00fc\u00dfe \U0001F600 ~"), ""));
    kt_true(ken_utf8_is_printable(KEN_STR("a\n\tb"), "\n\t"));
    kt_false(ken_utf8_is_printable(KEN_STR("a\n\tb"), "\t"));
    kt_false(ken_utf8_is_printable(KEN_STR("a\x7f"), "\n\t"));
    kt_false(ken_utf8_is_printable(KEN_STR("a\x1f"), ""));
    kt_false(ken_utf8_is_printable(ken_str_n("a\0b", 3), "\n\t"));
    kt_false(ken_utf8_is_printable(KEN_STR("a\xff"), ""));
}

KEN_TEST(characters_are_counted_and_not_bytes)
{
    kt_eq_u(ken_utf8_count(KEN_STR("")), 0);
    kt_eq_u(ken_utf8_count(KEN_STR("a\xc3\xa4\xf0\x9f\x9a\x80z")), 4);
}
