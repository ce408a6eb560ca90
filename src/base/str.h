// SPDX-License-Identifier: MIT
// str.h -- borrowed views of text.
//
// A ken_str is a pointer and a length, passed by value. It may hold NUL bytes and broken UTF-8, and
// it is not terminated. It never owns what it points to.
#ifndef KEN_BASE_STR_H
#define KEN_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ken_str {
    const char *ptr;
    size_t len;
} ken_str;

#define KEN_STR(literal) ((ken_str){ "" literal, sizeof(literal) - 1 })
#define KEN_STR_FMT      "%.*s"
#define KEN_STR_ARG(s)   (int)(s).len, (s).ptr

static inline ken_str ken_str_c(const char *s)
{
    return (ken_str){ s, s ? strlen(s) : 0 };
}

static inline ken_str ken_str_n(const char *s, size_t len)
{
    return (ken_str){ s, len };
}

static inline bool ken_str_eq(ken_str a, ken_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool ken_str_eq_c(ken_str a, const char *b)
{
    return ken_str_eq(a, ken_str_c(b));
}

// [from, to), clamped to the text.
static inline ken_str ken_str_sub(ken_str s, size_t from, size_t to)
{
    if (!s.len) // which may be without a pointer
        return s;
    if (to > s.len)
        to = s.len;
    if (from > to)
        from = to;
    return (ken_str){ s.ptr + from, to - from };
}

int ken_str_cmp(ken_str a, ken_str b);      // byte order, shorter first
int ken_str_cmp_fold(ken_str a, ken_str b); // ASCII case folded
bool ken_str_eq_fold(ken_str a, ken_str b);
// Whether `word`, in any case, is one of `list`: lower-case words with a space before and behind each.
bool ken_str_is_listed(const char *list, ken_str word);
// Whether `word` fits one of `patterns`, words separated by ' ', NULL = none: in `a*b` the star fits
// anything. Case counts.
bool ken_str_fits(const char *patterns, ken_str word);
bool ken_str_starts(ken_str s, ken_str prefix);
bool ken_str_ends(ken_str s, ken_str suffix);

// Byte offset of the first (last) match, or SIZE_MAX.
size_t ken_str_find(ken_str s, ken_str needle);
size_t ken_str_find_char(ken_str s, char c);
size_t ken_str_rfind_char(ken_str s, char c);

ken_str ken_str_trim(ken_str s); // ASCII white space, both ends

// Takes the text before `sep` off the front of `rest`; false when `rest` is used up (ptr NULL).
bool ken_str_split_next(ken_str *rest, char sep, ken_str *out_part);

// Takes one line off the front, without its \n or \r\n; false at the end.
bool ken_str_line_next(ken_str *rest, ken_str *out_line);

// Whole-text decimal; false on anything else or on overflow.
bool ken_str_parse_u64(ken_str s, uint64_t *out);
bool ken_str_parse_double(ken_str s, double *out);

static inline char ken_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static inline bool ken_is_alpha(char c)
{
    char l = (char)(c | 0x20);
    return l >= 'a' && l <= 'z';
}

static inline bool ken_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool ken_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// 0 to 15, or -1.
static inline int ken_hex_digit(char c)
{
    if (ken_is_digit(c))
        return c - '0';
    c = ken_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline bool ken_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool ken_is_word(char c)
{
    return ken_is_alpha(c) || ken_is_digit(c) || c == '_';
}

#endif
