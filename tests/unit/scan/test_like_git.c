// SPDX-License-Identifier: MIT
// The walk against git itself: random trees, random .gitignore files at several depths, an
// info/exclude and a core.excludesFile. Both must name the same files. Seeds are fixed; a failure
// prints its round, and -DLIKE_GIT_ROUNDS=100000 in the build makes a long run of it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "help.h"

#ifndef LIKE_GIT_ROUNDS
#define LIKE_GIT_ROUNDS 40
#endif

enum {
    MAX_FILES = 60,
    MAX_DEPTH = 4,
    MAX_PATTERNS = 5
};

static const char *const names[] = { "a",  "b",  "ab",  "a.c",   "b.c",      "abc",  "foo", "a b",
                                     "#a", "!a", "a[b", "]",     "a*b",      "a\\",  "-",   "x-y",
                                     "B",  "1",  "b ",  "a.b.c", "\xc3\xa9", "foo.x" };
static const char *const atoms[] = { "a",
                                     "b",
                                     "c",
                                     "ab",
                                     "foo",
                                     "*",
                                     "**",
                                     "***",
                                     "?",
                                     "[ab]",
                                     "[!a]",
                                     "[^b]",
                                     "[a-c]",
                                     "[]a]",
                                     "[a-]",
                                     "[[:alpha:]]",
                                     "[[:digit:]x]",
                                     ".",
                                     ".c",
                                     "\\*",
                                     "\\a",
                                     "\\ ",
                                     "\\[",
                                     "[",
                                     "]",
                                     "-",
                                     " ",
                                     "#",
                                     "!",
                                     "\\\\",
                                     "\xc3\xa9",
                                     "[\\]]",
                                     "[--b]",
                                     "[b-a]",
                                     "\\/",
                                     "[/]",
                                     "[!/]",
                                     "[[:foo:]]",
                                     "[[:]",
                                     "x-y",
                                     "a b",
                                     "1" };

#define PICK(list, seed) (list)[help_random((seed), sizeof(list) / sizeof *(list))]

static void put_pattern(ken_buf *out, uint64_t *seed)
{
    if (help_random(seed, 12) == 0)
        ken_buf_puts(out, "# ");
    if (help_random(seed, 4) == 0)
        ken_buf_puts(out, "!");
    if (help_random(seed, 4) == 0)
        ken_buf_puts(out, "/");
    uint32_t n_segments = 1 + help_random(seed, 3);
    for (uint32_t i = 0; i < n_segments; i++) {
        if (i)
            ken_buf_puts(out, help_random(seed, 25) ? "/" : "//");
        if (help_random(seed, 3) == 0) {
            ken_buf_puts(out, help_random(seed, 2) ? "**" : "*");
            continue;
        }
        uint32_t n_atoms = 1 + help_random(seed, 3);
        if (help_random(seed, 2) == 0)
            ken_buf_puts(out, PICK(names, seed));
        else
            for (uint32_t k = 0; k < n_atoms; k++)
                ken_buf_puts(out, PICK(atoms, seed));
    }
    static const char *const ends[] = { "", "", "", "", "/", "/", " ", "\\ ", "\t", "\r", "/ " };
    ken_buf_puts(out, PICK(ends, seed));
    ken_buf_puts(out, "\n");
}

static void write_patterns(const char *rel, uint64_t *seed)
{
    ken_buf text = KEN_BUF_INIT(0);
    for (uint32_t n = 1 + help_random(seed, MAX_PATTERNS); n; n--)
        put_pattern(&text, seed);
    if (help_random(seed, 4) == 0)
        text.ptr[--text.len] = '\0'; // no line end at the end
    help_write(rel, ken_buf_str(&text));
    ken_buf_release(&text);
}

static void make_tree(const char *top, uint64_t *seed)
{
    for (int i = 0; i < MAX_FILES; i++) {
        char path[512];
        int n = snprintf(path, sizeof path, "%s", top);
        struct stat s;
        uint32_t depth = help_random(seed, MAX_DEPTH);
        for (uint32_t d = 0; d <= depth; d++) {
            n += snprintf(path + n, sizeof path - (size_t)n, "/%s", PICK(names, seed));
            char full[1024];
            snprintf(full, sizeof full, "%s/%s", ktest_dir(), path);
            if (stat(full, &s) == 0 && !S_ISDIR(s.st_mode))
                break; // a file is in the way: it is our file then
        }
        char full[1024];
        snprintf(full, sizeof full, "%s/%s", ktest_dir(), path);
        if (stat(full, &s) != 0)
            help_touch(path);
        if (help_random(seed, 12) == 0) {
            *strrchr(path, '/') = '\0';
            strncat(path, "/.gitignore", sizeof path - strlen(path) - 1);
            write_patterns(path, seed);
        }
    }
}

static int compare_lines(const void *a, const void *b)
{
    const ken_str *x = a, *y = b;
    return ken_str_cmp(*x, *y);
}

// git's NUL-separated list as sorted lines.
static const char *as_lines(ken_str list, ken_buf *out)
{
    KEN_VEC(ken_str) lines = { 0 };
    ken_str part;
    while (ken_str_split_next(&list, '\0', &part))
        if (part.len)
            ken_vec_push(&lines, part);
    if (lines.len)
        qsort(lines.ptr, lines.len, sizeof *lines.ptr, compare_lines);
    ken_buf_clear(out);
    for (size_t i = 0; i < lines.len; i++) {
        ken_buf_put_str(out, lines.ptr[i]);
        ken_buf_putc(out, '\n');
    }
    ken_vec_release(&lines);
    return out->len ? out->ptr : "";
}

// The first line in which both lists differ.
static void must_agree(const char *want, const char *got, const char *what, int round)
{
    ken_str w = ken_str_c(want), g = ken_str_c(got), w_line, g_line;
    while (strcmp(want, got) != 0) {
        bool has_w = ken_str_line_next(&w, &w_line), has_g = ken_str_line_next(&g, &g_line);
        if (has_w && has_g && ken_str_eq(w_line, g_line))
            continue;
        bool is_only_git = has_w && (!has_g || ken_str_cmp(w_line, g_line) < 0);
        ken_str line = is_only_git ? w_line : g_line;
        kt_fail("round %d: only %s names '" KEN_STR_FMT "'", round, is_only_git ? "git" : what,
                KEN_STR_ARG(line));
    }
}

static void compare(const char *rel, int round)
{
    ken_buf want = KEN_BUF_INIT(0);
    const char *list =
        as_lines(help_git(rel, "ls-files", "-z", "--others", "--exclude-standard", NULL), &want);
    must_agree(list, help_files(rel, &(ken_scan_opts){ .without_git = true }), "the walk", round);
    must_agree(list, help_files(rel, NULL), "the scan through git", round);
    ken_buf_release(&want);
}

// The folders of the tree as roots: what is above them counts, too. Where git names nothing the
// root may be ignored itself, and then we differ on purpose.
static void compare_subfolders(const char *top, int round)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char rel[128];
        snprintf(rel, sizeof rel, "%s/%s", top, names[i]);
        struct stat s;
        if (stat(help_path(rel), &s) != 0 || !S_ISDIR(s.st_mode))
            continue;
        if (help_git(rel, "ls-files", "--others", "--exclude-standard", NULL).len)
            compare(rel, round);
    }
}

KEN_TEST(walk_names_the_files_that_git_names)
{
    if (!help_has_git())
        kt_skip("git", "git is not installed");
    char settings[1024];
    snprintf(
        settings, sizeof settings,
        "[user]\n\tname = x # no \"comment\"\n[core]\n\tExcludesFile = \"%s/home/my ignores\"\n",
        ktest_dir());
    help_write("home/.gitconfig", ken_str_c(settings));
    for (int round = 0; round < LIKE_GIT_ROUNDS; round++) {
        uint64_t seed = (uint64_t)round * 7919 + 1;
        char top[32], rel[64];
        snprintf(top, sizeof top, "t%d", round);
        help_git_init(top);
        make_tree(top, &seed);
        snprintf(rel, sizeof rel, "%s/.gitignore", top);
        write_patterns(rel, &seed);
        if (round % 3 == 0) {
            snprintf(rel, sizeof rel, "%s/.git/info/exclude", top);
            write_patterns(rel, &seed);
        }
        if (round % 4 == 0)
            write_patterns("home/my ignores", &seed);
        compare(top, round);
        if (round % 4 == 1)
            compare_subfolders(top, round);
    }
}

// One pattern at a time, each in a folder of its own, so that none hides behind another.
static const char *const lone_patterns[] = {
    "**\\/b",  "a/**\\/b",  "a\\/b", "a\\/**", "**",     "**/",   "/**",        "/**/",
    "*/",      "a**/b",     "a/**b", "a/b**",  "a**",    "**a",   "/**a",       "a/**/**/b",
    "**/**",   "a/***/b",   "[a/]b", "a[/]b",  "a[!x]b", "[[:]",  "[[:alpha:]", "[[:alpha:]]",
    "[a-",     "[a-]",      "[]-a]", "[--b]",  "[b-a]",  "[!]a]", "[a-b-x]",    "[[:digit:]-f]",
    "[\\]]",   "[\\",       "a\\",   "\\",     "\\a",    "//a",   "a//b",       "/",
    "!",       "!a",        "a/",    "a//",    "x/a/",   "x/a",   "*/b",        "*/*/b",
    "?",       "?/b",       "a?b",   "a/?",    "a/*",    "x/*/b", "x/**/b",     "**/x/**/b",
    "**/a/b/", "[ab]/[xb]", "a*/b",  "a*b",    "*b",     "*.c",   ".*",         "*[",
    "a/[",
};

static const char *const lone_files[] = {
    "a",     "b",       "ab",        "axb",    "a\\",      "[a",    "-",      "]",      "a.c",
    ".c",    "x/a/b",   "x/b",       "x/y/b",  "x/x/y/b",  "d/a",   "d/b",    "d/ab",   "d/x/b",
    "f/a/b", "f/a/x/b", "f/a/x/y/b", "f/ab/b", "f/ax/y/b", "g/a/a", "g/a/ab", "g/a/b/c"
};

KEN_TEST(walk_takes_each_pattern_as_git_does)
{
    if (!help_has_git())
        kt_skip("git", "git is not installed");
    enum {
        N_LONE = sizeof lone_patterns / sizeof *lone_patterns,
        N_RANDOM = LIKE_GIT_ROUNDS
    };
    help_git_init("t");
    uint64_t seed = LIKE_GIT_ROUNDS;
    for (int i = 0; i < N_LONE + N_RANDOM; i++) {
        ken_buf text = KEN_BUF_INIT(0);
        if (i < N_LONE)
            ken_buf_puts(&text, lone_patterns[i]);
        else
            put_pattern(&text, &seed);
        char rel[256];
        snprintf(rel, sizeof rel, "t/%04d/.gitignore", i);
        help_write(rel, ken_buf_str(&text));
        for (size_t k = 0; k < sizeof lone_files / sizeof *lone_files; k++) {
            snprintf(rel, sizeof rel, "t/%04d/%s", i, lone_files[k]);
            help_touch(rel);
        }
        ken_buf_release(&text);
    }
    ken_buf want = KEN_BUF_INIT(0);
    const char *list =
        as_lines(help_git("t", "ls-files", "-z", "--others", "--exclude-standard", NULL), &want);
    must_agree(list, help_files("t", &(ken_scan_opts){ .without_git = true }), "the walk", 0);
    ken_buf_release(&want);
}
