// SPDX-License-Identifier: MIT
// fuzz_gitignore.c -- ignore files and globs against paths. Input: a path, a NUL, then the text of
// a .gitignore. No text may crash the matcher or make it slow, and a negated file must say the
// opposite.
#include <stdint.h>
#include <stdlib.h>

#include "base/assert.h"
#include "scan/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// '!' before each pattern that has none: the last match decides, so every verdict turns or stays 0.
static ken_str negate(ken_arena *a, ken_str text)
{
    ken_buf b = KEN_BUF_INIT(0);
    ken_str line;
    while (ken_str_split_next(&text, '\n', &line)) {
        if (line.len && line.ptr[0] != '#' && line.ptr[0] != '!')
            ken_buf_putc(&b, '!');
        ken_buf_put_str(&b, line);
        ken_buf_putc(&b, '\n');
    }
    ken_str negated = ken_arena_dup(a, ken_buf_str(&b));
    ken_buf_release(&b);
    return negated;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_str text = ken_str_n((const char *)data, size), path;
    if (size > 4096 || !ken_str_split_next(&text, '\0', &path) || !text.ptr)
        return 0;
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_ignore *ig = ken_ignore_parse(&a, KEN_STR(""), text);
    int as_file = ken_ignore_match(ig, path, false), as_folder = ken_ignore_match(ig, path, true);
    KEN_ASSERT(as_file >= -1 && as_file <= 1 && as_folder >= -1 && as_folder <= 1);
    ken_ignore *nested = ken_ignore_parse(&a, KEN_STR("a"), text);
    ken_str below = ken_arena_printf(&a, "a/" KEN_STR_FMT, KEN_STR_ARG(path));
    if (!memchr(path.ptr, '\0', path.len) && path.len)
        KEN_ASSERT(ken_ignore_match(nested, below, false) == as_file);
    // A byte order mark in front would hide the '!' from the parser, a '!' would be doubled.
    if (!ken_str_starts(text, KEN_STR("\xef\xbb\xbf"))) {
        ken_ignore *opposite = ken_ignore_parse(&a, KEN_STR(""), negate(&a, text));
        KEN_ASSERT(as_file == 0 || ken_ignore_match(opposite, path, false) == -1);
    }
    bool is_fine = !ken_glob_check(text, NULL);
    KEN_ASSERT(is_fine || !ken_glob_match(text, path) || memchr(text.ptr, '{', text.len));
    ken_arena_release(&a);
    return 0;
}
