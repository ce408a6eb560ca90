// SPDX-License-Identifier: MIT
// A word among a list of words.
#include "base/str.h"
#include "ktest.h"

KEN_TEST(a_word_is_listed_whole_and_in_any_case)
{
    static const char list[] = " find show me ";
    char longest[200];
    memset(longest, 'a', sizeof longest);
    kt_true(ken_str_is_listed(list, KEN_STR("find")));
    kt_true(ken_str_is_listed(list, KEN_STR("Me")));
    kt_false(ken_str_is_listed(list, KEN_STR("fin")));
    kt_false(ken_str_is_listed(list, KEN_STR("finds")));
    kt_false(ken_str_is_listed(list, KEN_STR("")));
    kt_false(ken_str_is_listed(list, ken_str_n(longest, sizeof longest)));
}
