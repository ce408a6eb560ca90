// SPDX-License-Identifier: MIT
// Patterns one by one, from gitignore(5). That all of them together do what git does is held by
// test_like_git.c.
#include "help.h"

static int match(const char *dir, const char *text, const char *path, bool is_dir)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_ignore *ig = ken_ignore_parse(&a, ken_str_c(dir), ken_str_c(text));
    int verdict = ken_ignore_match(ig, ken_str_c(path), is_dir);
    ken_arena_release(&a);
    return verdict;
}

#define IGNORES(text, path) kt_eq_i(match("", (text), (path), false), 1)
#define PASSES(text, path)  kt_eq_i(match("", (text), (path), false), 0)

KEN_TEST(ignore_a_name_matches_at_any_depth)
{
    IGNORES("foo\n", "foo");
    IGNORES("foo\n", "a/b/foo");
    IGNORES("foo", "foo"); // the last line needs no end
    PASSES("foo\n", "food");
    PASSES("foo\n", "foo/bar"); // the folder is what is ignored
    IGNORES("*.o\n", "src/a.o");
    PASSES("*.o\n", "src/a.oo");
}

KEN_TEST(ignore_a_slash_anchors)
{
    IGNORES("/foo\n", "foo");
    PASSES("/foo\n", "a/foo");
    IGNORES("a/foo\n", "a/foo");
    PASSES("a/foo\n", "b/a/foo");
    IGNORES("a/*\n", "a/foo");
    PASSES("a/*\n", "a/b/foo");
}

KEN_TEST(ignore_a_trailing_slash_wants_a_folder)
{
    PASSES("foo/\n", "foo");
    kt_eq_i(match("", "foo/\n", "foo", true), 1);
    kt_eq_i(match("", "foo/\n", "a/foo", true), 1);
    kt_eq_i(match("", "a/foo/\n", "b/a/foo", true), 0);
}

KEN_TEST(ignore_the_last_pattern_wins)
{
    kt_eq_i(match("", "*.c\n!keep.c\n", "keep.c", false), -1);
    kt_eq_i(match("", "!keep.c\n*.c\n", "keep.c", false), 1);
    kt_eq_i(match("", "!keep.c\n", "other.c", false), 0);
}

KEN_TEST(ignore_two_stars_cross_folders)
{
    IGNORES("**/foo\n", "foo");
    IGNORES("**/foo\n", "a/b/foo");
    IGNORES("**/foo/bar\n", "a/foo/bar");
    PASSES("**/foo/bar\n", "a/foo/x/bar");
    IGNORES("abc/**\n", "abc/x/y");
    PASSES("abc/**\n", "abc");
    IGNORES("a/**/b\n", "a/b");
    IGNORES("a/**/b\n", "a/x/y/b");
    PASSES("a/**/b\n", "ab");
    IGNORES("a/**/b/**/c\n", "a/b/x/b/y/c");
    PASSES("x/a**b\n", "x/a/b"); // beside other characters it is one star
}

KEN_TEST(ignore_classes_and_escapes)
{
    IGNORES("[a-c]x\n", "bx");
    PASSES("[a-c]x\n", "dx");
    IGNORES("[!a]x\n", "bx");
    PASSES("[^a]x\n", "ax");
    IGNORES("[]a]\n", "]");
    IGNORES("[a\\]]\n", "]");
    IGNORES("[[:digit:]]\n", "7");
    PASSES("[[:digit:]]\n", "x");
    IGNORES("\\!x\n", "!x");
    IGNORES("\\#x\n", "#x");
    IGNORES("a\\*\n", "a*");
    PASSES("a\\*\n", "ab");
    PASSES("[ab\n", "[ab"); // never closed: matches nothing
    PASSES("x\\\n", "x\\"); // ends in a backslash: matches nothing
    PASSES("[[:nothing:]]\n", "n");
}

KEN_TEST(ignore_white_space_and_comments)
{
    IGNORES("foo   \n", "foo");
    IGNORES("foo\\ \n", "foo ");
    PASSES("foo\\ \n", "foo");
    IGNORES("foo\\\\ \n", "foo\\");
    IGNORES("foo\t\n", "foo\t"); // only spaces are dropped
    IGNORES("foo\r\n", "foo");
    PASSES("# foo\n", "# foo");
    PASSES("\n\n \n", " ");
    IGNORES(" foo\n", " foo");
    IGNORES("\xef\xbb\xbf"
            "foo\n",
            "foo");
    PASSES("/\n", "a");
    PASSES("!\n", "a");
}

KEN_TEST(ignore_a_nested_file_speaks_for_its_folder)
{
    kt_eq_i(match("a/b", "/x\n", "a/b/x", false), 1);
    kt_eq_i(match("a/b", "/x\n", "x", false), 0);
    kt_eq_i(match("a/b", "x\n", "a/b/c/x", false), 1);
    kt_eq_i(match("a/b", "x\n", "a/bx/x", false), 0);
    kt_eq_i(match("a/b", "x\n", "a/b", true), 0);
}

KEN_TEST(ignore_nonsense_is_passed_over)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    static const char bytes[] = "\n\n/*?[]!^-\\#: \0ab\xff";
    char text[4096];
    uint64_t seed = 7;
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = bytes[help_random(&seed, sizeof bytes - 1)];
        ken_ignore *ig = ken_ignore_parse(&a, KEN_STR(""), ken_str_n(text, sizeof text));
        int verdict = ken_ignore_match(ig, KEN_STR("a/b/ab/b"), round % 2 == 0);
        kt_true(verdict >= -1 && verdict <= 1);
        ken_arena_reset(&a);
    }
    ken_arena_release(&a);
}

// A pattern made to make matchers go back and forth must not: git's own takes minutes for such.
KEN_TEST(ignore_hostile_patterns_stay_cheap)
{
    ken_buf pattern = KEN_BUF_INIT(0), path = KEN_BUF_INIT(0);
    for (int i = 0; i < 200; i++)
        ken_buf_puts(&pattern, "*a");
    ken_buf_puts(&pattern, "b/");
    for (int i = 0; i < 100; i++)
        ken_buf_puts(&pattern, "**/a*/");
    ken_buf_puts(&pattern, "z\n");
    for (int i = 0; i < 1500; i++)
        ken_buf_puts(&path, i % 3 == 2 ? "/" : "a");
    kt_eq_i(match("", pattern.ptr, path.ptr, false), 0);
    ken_buf_release(&pattern);
    ken_buf_release(&path);
}
