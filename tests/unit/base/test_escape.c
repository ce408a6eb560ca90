// SPDX-License-Identifier: MIT
// Texts in quotes and with percent escapes: one writer, one reader.
#include "base/escape.h"
#include "ktest.h"

KEN_TEST(a_quoted_text_is_json)
{
    static const char text[] = "a \"b\" \\ c\n\t\x01\x7f ü";
    ken_buf b = KEN_BUF_INIT(0);
    ken_put_quoted(&b, ken_str_c(text));
    kt_eq_text(ken_buf_str(&b), "\"a \\\"b\\\" \\\\ c\\u000a\\u0009\\u0001\\u007f ü\"");
    ken_buf_release(&b);
}

KEN_TEST(an_escape_is_whole_or_none)
{
    char c = '?';
    kt_true(ken_percent_at(KEN_STR("a%2Fb"), 1, &c) && c == '/');
    kt_true(ken_percent_at(KEN_STR("%00"), 0, &c) && c == '\0');
    c = '?';
    static const char *const broken[] = { "%", "%4", "%4g", "%g4", "a41", "" };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        kt_true(!ken_percent_at(ken_str_c(broken[i]), 0, &c));
    kt_true(c == '?');
}
