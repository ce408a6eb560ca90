// SPDX-License-Identifier: MIT
// Matching goes segment by segment: '*' cannot cross a slash, so a pattern is a row of segments,
// and '**' is a row of any segments. Inside a segment one backtracking point (the last '*') is
// enough, and between segments one more (the last '**'), since whatever an earlier star could have
// taken, the later one can take too. So the cost is at most the product of both lengths, for any
// pattern.
//
// The special characters are those of gitignore(5) and glob(7); the odd corners (unclosed classes,
// "**" beside other characters, escaped slashes) follow git and are held by a differential test.
#include "scan/scan_priv.h"

static bool is_special(char c)
{
    return c == '*' || c == '?' || c == '[' || c == '\\';
}

size_t ken_scan__wild_literal(ken_str pattern)
{
    size_t n = 0;
    while (n < pattern.len && !is_special(pattern.ptr[n]))
        n++;
    return n;
}

// ---- classes ----------------------------------------------------------------------------------
typedef struct wild_class_name {
    ken_str name;
    bool (*has)(unsigned char c);
} wild_class_name;

static bool in_lower(unsigned char c)
{
    return c >= 'a' && c <= 'z';
}

static bool in_upper(unsigned char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool in_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool in_alpha(unsigned char c)
{
    return in_lower(c) || in_upper(c);
}

static bool in_alnum(unsigned char c)
{
    return in_alpha(c) || in_digit(c);
}

static bool in_blank(unsigned char c)
{
    return c == ' ' || c == '\t';
}

static bool in_cntrl(unsigned char c)
{
    return c < 32 || c == 127;
}

static bool in_graph(unsigned char c)
{
    return c > 32 && c < 127;
}

static bool in_print(unsigned char c)
{
    return c >= 32 && c < 127;
}

static bool in_punct(unsigned char c)
{
    return in_graph(c) && !in_alnum(c);
}

static bool in_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool in_xdigit(unsigned char c)
{
    return in_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static const wild_class_name class_names[] = {
    { { "alnum", 5 }, in_alnum }, { { "alpha", 5 }, in_alpha }, { { "blank", 5 }, in_blank },
    { { "cntrl", 5 }, in_cntrl }, { { "digit", 5 }, in_digit }, { { "graph", 5 }, in_graph },
    { { "lower", 5 }, in_lower }, { { "print", 5 }, in_print }, { { "punct", 5 }, in_punct },
    { { "space", 5 }, in_space }, { { "upper", 5 }, in_upper }, { { "xdigit", 6 }, in_xdigit },
};

// `at` is on the '[' of "[:name:]". Returns the offset after its ']', or `at` when this is an
// ordinary '['; SIZE_MAX when the name is unknown or the pattern ends.
static size_t named_class(ken_str p, size_t at, unsigned char c, bool *is_in)
{
    size_t from = at + 2, end = from;
    while (end < p.len && p.ptr[end] != ']')
        end++;
    if (end == p.len)
        return SIZE_MAX;
    if (end == from || p.ptr[end - 1] != ':')
        return at;
    ken_str name = ken_str_sub(p, from, end - 1);
    for (size_t i = 0; i < sizeof class_names / sizeof class_names[0]; i++) {
        if (ken_str_eq(name, class_names[i].name)) {
            *is_in |= class_names[i].has(c);
            return end + 1;
        }
    }
    return SIZE_MAX;
}

// `at` is on the '['. Returns the offset after the closing ']', or SIZE_MAX when the class is
// broken.
static size_t match_class(ken_str p, size_t at, unsigned char c, bool *out_is_in)
{
    size_t i = at + 1;
    bool is_negated = i < p.len && (p.ptr[i] == '!' || p.ptr[i] == '^');
    bool is_in = false;
    i += is_negated;
    int from = -1; // the character before, which a '-' may start a range with
    for (bool is_first = true; i < p.len; is_first = false) {
        unsigned char q = (unsigned char)p.ptr[i];
        if (q == ']' && !is_first) {
            *out_is_in = is_in != is_negated;
            return i + 1;
        }
        if (q == '[' && i + 1 < p.len && p.ptr[i + 1] == ':') {
            size_t next = named_class(p, i, c, &is_in);
            if (next == SIZE_MAX)
                return SIZE_MAX;
            if (next != i) {
                i = next;
                from = -1;
                continue;
            }
        }
        bool is_range = q == '-' && from > 0 && i + 1 < p.len && p.ptr[i + 1] != ']';
        i += is_range;
        if (p.ptr[i] == '\\' && ++i == p.len)
            return SIZE_MAX;
        q = (unsigned char)p.ptr[i++];
        is_in |= is_range ? c >= from && c <= q : c == q;
        from = is_range ? -1 : q;
    }
    return SIZE_MAX;
}

const char *ken_scan__wild_fault(ken_str pattern)
{
    for (size_t i = 0; i < pattern.len; i++) {
        if (pattern.ptr[i] == '\\') {
            if (++i == pattern.len)
                return "ends in a backslash";
        } else if (pattern.ptr[i] == '[') {
            bool ignored;
            size_t next = match_class(pattern, i, 0, &ignored);
            if (next == SIZE_MAX)
                return "holds a '[' that is not closed, or an unknown [:class:]";
            i = next - 1;
        }
    }
    return NULL;
}

// ---- one segment ------------------------------------------------------------------------------

// Matches one unit of the pattern (not '*') against `c`. Returns the offset after it, or SIZE_MAX.
static size_t match_unit(ken_str p, size_t at, char c)
{
    bool is_in;
    switch (p.ptr[at]) {
    case '?':
        return at + 1;
    case '[':
        at = match_class(p, at, (unsigned char)c, &is_in);
        return at != SIZE_MAX && is_in ? at : SIZE_MAX;
    case '\\':
        return at + 1 < p.len && p.ptr[at + 1] == c ? at + 2 : SIZE_MAX;
    default:
        return p.ptr[at] == c ? at + 1 : SIZE_MAX;
    }
}

bool ken_scan__wild_name(ken_str p, ken_str text)
{
    size_t i = 0, t = 0;
    size_t star_i = SIZE_MAX, star_t = 0;
    while (t < text.len) {
        if (i < p.len && p.ptr[i] == '*') {
            star_i = ++i;
            star_t = t;
            continue;
        }
        size_t next = i < p.len ? match_unit(p, i, text.ptr[t]) : SIZE_MAX;
        if (next != SIZE_MAX) {
            i = next;
            t++;
            continue;
        }
        if (star_i == SIZE_MAX)
            return false;
        i = star_i;
        t = ++star_t;
    }
    while (i < p.len && p.ptr[i] == '*')
        i++;
    return i == p.len;
}

// ---- paths ------------------------------------------------------------------------------------
typedef struct wild_segment {
    ken_str text;
    size_t next;  // offset after the slash
    bool is_last; // no slash follows
    bool is_any;  // "**"
    bool is_some; // "**" that must take at least one segment, as before an escaped slash
} wild_segment;

// Offset of the '/' (or of the backslash before it) that ends the segment, or the pattern's length.
static size_t segment_end(ken_str p, size_t i)
{
    while (i < p.len && p.ptr[i] != '/') {
        if (p.ptr[i] == '\\') {
            if (i + 1 < p.len && p.ptr[i + 1] == '/')
                return i;
            i += 2;
        } else if (p.ptr[i] == '[') {
            bool ignored;
            i = match_class(p, i, 0, &ignored);
        } else {
            i++;
        }
    }
    return i < p.len ? i : p.len;
}

static wild_segment segment_at(ken_str p, size_t from)
{
    size_t end = segment_end(p, from);
    bool is_escaped = end < p.len && p.ptr[end] == '\\';
    wild_segment s = {
        .text = ken_str_sub(p, from, end),
        .next = end + 1 + is_escaped,
        .is_last = end == p.len,
        .is_any = end - from >= 2,
    };
    for (size_t i = 0; i < s.text.len && s.is_any; i++)
        s.is_any = s.text.ptr[i] == '*';
    s.is_some = s.is_any && is_escaped;
    return s;
}

// Offset after the next '/', or SIZE_MAX.
static size_t after_slash(ken_str text, size_t from)
{
    size_t at = ken_str_find_char(ken_str_sub(text, from, text.len), '/');
    return at == SIZE_MAX ? SIZE_MAX : from + at + 1;
}

bool ken_scan__wild_path(ken_str p, ken_str text)
{
    size_t i = 0, t = 0;
    size_t any_i = SIZE_MAX, any_t = 0;
    if (!text.ptr)
        return !p.len;
    while (i < p.len) {
        wild_segment s = segment_at(p, i);
        if (s.is_any) {
            if (s.is_last)
                return true;
            any_t = s.is_some ? after_slash(text, t) : t;
            if (any_t == SIZE_MAX)
                return false;
            any_i = i = s.next;
            t = any_t;
            continue;
        }
        size_t next = after_slash(text, t);
        size_t end = next == SIZE_MAX ? text.len : next - 1;
        if (s.is_last == (next == SIZE_MAX) &&
            ken_scan__wild_name(s.text, ken_str_n(text.ptr + t, end - t))) {
            if (s.is_last)
                return true;
            i = s.next;
            t = next;
            continue;
        }
        if (any_i == SIZE_MAX)
            return false;
        any_t = after_slash(text, any_t);
        if (any_t == SIZE_MAX)
            return false;
        i = any_i;
        t = any_t;
    }
    return t == text.len;
}
