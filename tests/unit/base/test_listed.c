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

KEN_TEST(a_star_in_a_pattern_is_anything)
{
    kt_true(ken_str_fits("main operator*", KEN_STR("main")));
    kt_true(ken_str_fits("main operator*", KEN_STR("operator+")));
    kt_false(ken_str_fits("main operator*", KEN_STR("mainly")));
    kt_true(ken_str_fits("test_*.py *_test.py", KEN_STR("a_test.py")));
    kt_false(ken_str_fits("test_*.py *_test.py", KEN_STR("a_test.pyc")));
    kt_true(ken_str_fits("__*__", KEN_STR("__init__")));
    kt_false(ken_str_fits("__*__", KEN_STR("__init")));
    kt_false(ken_str_fits("a b", KEN_STR("")));
    kt_false(ken_str_fits(NULL, KEN_STR("a")));
}
