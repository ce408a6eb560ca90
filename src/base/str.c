// SPDX-License-Identifier: MIT
#include "base/str.h"

#include <stdlib.h>

int ken_str_cmp(ken_str a, ken_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int c = n ? memcmp(a.ptr, b.ptr, n) : 0;
    return c ? c : (a.len > b.len) - (a.len < b.len);
}

int ken_str_cmp_fold(ken_str a, ken_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    for (size_t i = 0; i < n; i++) {
        int c = (unsigned char)ken_lower(a.ptr[i]) - (unsigned char)ken_lower(b.ptr[i]);
        if (c)
            return c;
    }
    return (a.len > b.len) - (a.len < b.len);
}

bool ken_str_eq_fold(ken_str a, ken_str b)
{
    return a.len == b.len && ken_str_cmp_fold(a, b) == 0;
}

bool ken_str_is_listed(const char *list, ken_str word)
{
    char key[128];
    if (!word.len || word.len + 3 > sizeof key)
        return false;
    key[0] = ' ';
    for (size_t i = 0; i < word.len; i++)
        key[i + 1] = ken_lower(word.ptr[i]);
    key[word.len + 1] = ' ';
    key[word.len + 2] = '\0';
    return strstr(list, key) != NULL;
}

static bool fits_one(ken_str pattern, ken_str word)
{
    size_t star = ken_str_find_char(pattern, '*');
    return star == SIZE_MAX ? ken_str_eq(word, pattern)
                            : ken_str_starts(word, ken_str_sub(pattern, 0, star)) &&
                                  ken_str_ends(word, ken_str_sub(pattern, star + 1, pattern.len));
}

bool ken_str_fits(const char *patterns, ken_str word)
{
    ken_str rest = patterns ? ken_str_c(patterns) : KEN_STR(""), one;
    while (ken_str_split_next(&rest, ' ', &one))
        if (one.len && fits_one(one, word))
            return true;
    return false;
}

bool ken_str_starts(ken_str s, ken_str prefix)
{
    return s.len >= prefix.len && (!prefix.len || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

bool ken_str_ends(ken_str s, ken_str suffix)
{
    return s.len >= suffix.len &&
           (!suffix.len || memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

size_t ken_str_find(ken_str s, ken_str needle)
{
    if (!needle.len)
        return 0;
    if (needle.len > s.len)
        return SIZE_MAX;
    const char *p = memmem(s.ptr, s.len, needle.ptr, needle.len);
    return p ? (size_t)(p - s.ptr) : SIZE_MAX;
}

size_t ken_str_find_char(ken_str s, char c)
{
    const char *p = s.len ? memchr(s.ptr, c, s.len) : NULL;
    return p ? (size_t)(p - s.ptr) : SIZE_MAX;
}

size_t ken_str_rfind_char(ken_str s, char c)
{
    const char *p = s.len ? memrchr(s.ptr, c, s.len) : NULL;
    return p ? (size_t)(p - s.ptr) : SIZE_MAX;
}

ken_str ken_str_trim(ken_str s)
{
    while (s.len && ken_is_space(s.ptr[0])) {
        s.ptr++;
        s.len--;
    }
    while (s.len && ken_is_space(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

bool ken_str_split_next(ken_str *rest, char sep, ken_str *out_part)
{
    if (!rest->ptr)
        return false;
    size_t at = ken_str_find_char(*rest, sep);
    if (at == SIZE_MAX) {
        *out_part = *rest;
        *rest = (ken_str){ NULL, 0 };
        return true;
    }
    *out_part = ken_str_sub(*rest, 0, at);
    *rest = ken_str_sub(*rest, at + 1, rest->len);
    return true;
}

bool ken_str_line_next(ken_str *rest, ken_str *out_line)
{
    if (!rest->len)
        return false;
    size_t at = ken_str_find_char(*rest, '\n');
    size_t end = at == SIZE_MAX ? rest->len : at;
    *out_line = ken_str_sub(*rest, 0, end);
    if (out_line->len && out_line->ptr[out_line->len - 1] == '\r')
        out_line->len--;
    *rest = ken_str_sub(*rest, at == SIZE_MAX ? end : end + 1, rest->len);
    return true;
}

bool ken_str_parse_u64(ken_str s, uint64_t *out)
{
    uint64_t v = 0;
    if (!s.len)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (!ken_is_digit(s.ptr[i]))
            return false;
        uint64_t d = (uint64_t)(s.ptr[i] - '0');
        if (v > (UINT64_MAX - d) / 10)
            return false;
        v = v * 10 + d;
    }
    *out = v;
    return true;
}

bool ken_str_parse_double(ken_str s, double *out)
{
    char text[64];
    if (!s.len || s.len >= sizeof text || ken_is_space(s.ptr[0]))
        return false;
    memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    char *end = NULL;
    double v = strtod(text, &end);
    if (end != text + s.len)
        return false;
    *out = v;
    return true;
}
