// SPDX-License-Identifier: MIT
// lang_words_priv.h -- words and the space between them, in text that is not parsed yet.
#ifndef KEN_LANG_LANG_WORDS_PRIV_H
#define KEN_LANG_LANG_WORDS_PRIV_H

#include <string.h>

#include "base/str.h"

static inline size_t ken_lang__skip_space(ken_str s, size_t at)
{
    while (at < s.len && memchr(" \t\r\n", s.ptr[at], 4))
        at++;
    return at;
}

static inline size_t ken_lang__skip_space_back(ken_str s, size_t at)
{
    while (at && memchr(" \t\r\n", s.ptr[at - 1], 4))
        at--;
    return at;
}

static inline size_t ken_lang__skip_word(ken_str s, size_t at)
{
    while (at < s.len && ken_is_word(s.ptr[at]))
        at++;
    return at;
}

static inline ken_str ken_lang__word_before(ken_str s, size_t end)
{
    size_t from = end;
    while (from && ken_is_word(s.ptr[from - 1]))
        from--;
    return ken_str_sub(s, from, end);
}

static inline bool ken_lang__is_one_of(ken_str word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq_c(word, words[i]))
            return true;
    return false;
}

#endif
