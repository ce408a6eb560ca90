// SPDX-License-Identifier: MIT
#include <string.h>

#include "help.h"

static bool matches(const char *pattern, const char *path)
{
    return ken_glob_match(ken_str_c(pattern), ken_str_c(path));
}

KEN_TEST(glob_without_a_slash_matches_base_names)
{
    kt_true(matches("*.c", "a.c"));
    kt_true(matches("*.c", "src/deep/a.c"));
    kt_false(matches("*.c", "a.cc"));
    kt_false(matches("src", "src/a.c"));
    kt_true(matches("Makefile", "lib/Makefile"));
    kt_true(matches("**", "a/b"));
}

KEN_TEST(glob_with_a_slash_is_anchored)
{
    kt_true(matches("src/*.c", "src/a.c"));
    kt_false(matches("src/*.c", "src/x/a.c"));
    kt_false(matches("src/*.c", "lib/src/a.c"));
    kt_true(matches("/a.c", "a.c"));
    kt_true(matches("./a.c", "a.c"));
    kt_false(matches("/a.c", "src/a.c"));
    kt_true(matches("src/**/*.c", "src/a.c"));
    kt_true(matches("src/**/*.c", "src/x/y/a.c"));
    kt_true(matches("**/test/*", "a/b/test/x"));
    kt_true(matches("src/**", "src/x/y"));
}

KEN_TEST(glob_with_a_slash_at_the_end_is_a_folder)
{
    kt_true(matches("docs/", "docs/a.md"));
    kt_true(matches("docs/", "x/docs/y/a.md"));
    kt_false(matches("docs/", "docs"));
    kt_true(matches("src/docs/", "src/docs/a"));
    kt_false(matches("src/docs/", "x/src/docs/a"));
    kt_true(matches("/docs/", "docs/a"));
    kt_false(matches("/docs/", "x/docs/a"));
}

KEN_TEST(glob_alternatives_and_classes)
{
    kt_true(matches("*.{c,h}", "a.h"));
    kt_false(matches("*.{c,h}", "a.o"));
    kt_true(matches("{src,lib}/**/*.{c,h}", "lib/x/a.c"));
    kt_true(matches("a{,b}c", "ac"));
    kt_true(matches("a{,b}c", "abc"));
    kt_true(matches("{a,{b,c}d}", "cd"));
    kt_true(matches("{a", "{a")); // never closed: itself
    kt_true(matches("a}", "a}"));
    kt_true(matches("\\{a,b\\}", "{a,b}"));
    kt_true(matches("[a-c].?", "b.x"));
    kt_false(matches("[!a-c].?", "b.x"));
    kt_true(matches("a\\*", "a*"));
}

KEN_TEST(glob_check_names_what_is_wrong)
{
    ken_err err = { 0 };
    kt_ok(ken_glob_check(KEN_STR("src/**/*.{c,h}"), &err));
    kt_status(ken_glob_check(KEN_STR("a[b"), &err), KEN_EINVAL);
    kt_has_str(err.msg, "'a[b'");
    kt_has_str(err.msg, "not closed");
    kt_status(ken_glob_check(KEN_STR(""), &err), KEN_EINVAL);
    kt_status(ken_glob_check(KEN_STR("/"), &err), KEN_EINVAL);
    kt_status(ken_glob_check(KEN_STR("a\\"), &err), KEN_EINVAL);
    kt_status(ken_glob_check(KEN_STR("{a,b[}"), &err), KEN_EINVAL);
    kt_status(ken_glob_check(KEN_STR("a\0b"), &err), KEN_EINVAL);
    kt_status(ken_glob_check(KEN_STR("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"), &err), KEN_EINVAL);
    kt_has_str(err.msg, "alternatives");
    char wide[2000];
    memset(wide, '{', sizeof wide);
    kt_status(ken_glob_check(ken_str_n(wide, sizeof wide), &err), KEN_EINVAL);
    kt_status(ken_glob_check(ken_str_n(wide, 1000), &err), KEN_EINVAL);
    kt_false(ken_glob_match(ken_str_n(wide, sizeof wide), KEN_STR("a")));
}

KEN_TEST(glob_wrong_patterns_match_nothing)
{
    kt_false(matches("[", "["));
    kt_false(matches("a\\", "a\\"));
    kt_false(matches("", ""));
    kt_false(matches("", "a"));
}
