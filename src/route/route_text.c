// SPDX-License-Identifier: MIT
#include "route/route_text.h"

#include <stdint.h>
#include <string.h>

#include "base/path.h"

enum {
    LINKS_MAX = 400 // of one chain
};

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static bool has_pair(ken_str t, size_t at, const char *pair)
{
    return at + 1 < t.len && t.ptr[at] == pair[0] && t.ptr[at + 1] == pair[1];
}

// ---- brackets ----------------------------------------------------------------------------------

bool ken_route_has_hash(ken_str path)
{
    ken_str ext = ken_path_ext(path);
    return ken_str_eq_c(ext, "py") || ken_str_eq_c(ext, "rb");
}

size_t ken_route_behind_quiet(ken_str text, size_t at, bool has_hash)
{
    char c = text.ptr[at];
    if (is_one_of(c, "\"'`")) {
        size_t i = at + 1;
        while (i < text.len && text.ptr[i] != c && (c == '`' || text.ptr[i] != '\n'))
            i += text.ptr[i] == '\\' ? 2 : 1;
        return i < text.len ? i + 1 : text.len;
    }
    char next = at + 1 < text.len ? text.ptr[at + 1] : '\0';
    bool is_line = has_hash ? c == '#' : c == '/' && next == '/';
    const char *closer = is_line ? "\n" : !has_hash && c == '/' && next == '*' ? "*/" : NULL;
    if (!closer)
        return at;
    size_t end = ken_str_find(ken_str_sub(text, at, text.len), ken_str_c(closer));
    return end == SIZE_MAX ? text.len : at + end + strlen(closer);
}

size_t ken_route_behind(ken_str text, size_t open, bool has_hash)
{
    size_t end = text.len - open > KEN_ROUTE_REACH ? open + KEN_ROUTE_REACH : text.len;
    size_t depth = 0;
    for (size_t at = open; at < end;) {
        size_t quiet = ken_route_behind_quiet(text, at, has_hash);
        if (quiet > at) {
            at = quiet;
            continue;
        }
        depth += is_one_of(text.ptr[at], "([{");
        if (is_one_of(text.ptr[at], ")]}") && (!depth || !--depth))
            return at + 1;
        at++;
    }
    return end;
}

size_t ken_route_open(ken_str text, size_t byte)
{
    for (size_t at = byte < text.len ? byte + 1 : text.len, n = 0; at-- > 0 && n < 80; n++) {
        if (text.ptr[at] == '(')
            return at;
        if (is_one_of(text.ptr[at], ";)"))
            break;
    }
    return SIZE_MAX;
}

size_t ken_route_args(ken_str text, size_t open, bool has_hash, ken_str out[KEN_ROUTE_ARGS])
{
    size_t n = 0;
    if (open >= text.len)
        return 0;
    size_t end = ken_route_behind(text, open, has_hash), from = open + 1;
    size_t last = end > from && is_one_of(text.ptr[end - 1], ")]}") ? end - 1 : end;
    for (size_t at = from; at <= last && n < KEN_ROUTE_ARGS;) {
        if (at == last || text.ptr[at] == ',') {
            ken_str arg = ken_str_trim(ken_str_sub(text, from, at));
            if (arg.len)
                out[n++] = arg;
            from = ++at;
            continue;
        }
        size_t quiet = ken_route_behind_quiet(text, at, has_hash);
        if (quiet > at)
            at = quiet;
        else if (is_one_of(text.ptr[at], "([{"))
            at = ken_route_behind(text, at, has_hash);
        else
            at++;
        at = at > last ? last : at;
    }
    return n;
}

// ---- values ------------------------------------------------------------------------------------

// The value behind `name` and its sign: `=`, `:`, `=>`.
static ken_str behind_name(ken_str item, ken_str name)
{
    ken_str rest = item;
    bool is_quoted = rest.len && is_one_of(rest.ptr[0], "\"'");
    if (is_quoted)
        rest = ken_str_sub(rest, 1, rest.len);
    if (!ken_str_starts(rest, name))
        return KEN_STR("");
    rest = ken_str_sub(rest, name.len, rest.len);
    if (is_quoted && (!rest.len || !is_one_of(rest.ptr[0], "\"'")))
        return KEN_STR("");
    if (is_quoted)
        rest = ken_str_sub(rest, 1, rest.len);
    rest = ken_str_trim(rest);
    if (ken_str_starts(rest, KEN_STR("=>")))
        return ken_str_trim(ken_str_sub(rest, 2, rest.len));
    bool is_sign = rest.len && is_one_of(rest.ptr[0], "=:") && !ken_str_starts(rest, KEN_STR("=="));
    return is_sign ? ken_str_trim(ken_str_sub(rest, 1, rest.len)) : KEN_STR("");
}

ken_str ken_route_option(const ken_str *args, size_t n, ken_str name, bool has_hash)
{
    for (size_t i = 0; i < n; i++) {
        ken_str value = behind_name(args[i], name);
        if (value.len)
            return value;
        if (!is_one_of(args[i].ptr[0], "{["))
            continue;
        ken_str inner[KEN_ROUTE_ARGS];
        size_t m = ken_route_args(args[i], 0, has_hash, inner);
        for (size_t k = 0; k < m; k++) {
            value = behind_name(inner[k], name);
            if (value.len)
                return value;
        }
    }
    return KEN_STR("");
}

bool ken_route_plain(ken_str value, ken_str *out)
{
    size_t from = 0;
    while (from < value.len && from < 2 && is_one_of(value.ptr[from], "rRuU@"))
        from++;
    if (from >= value.len || !is_one_of(value.ptr[from], "\"'`"))
        return false;
    char quote = value.ptr[from];
    ken_str inner = ken_str_sub(value, from + 1, value.len);
    size_t end = ken_str_find_char(inner, quote);
    if (end == SIZE_MAX || end + 1 != inner.len)
        return false;
    *out = ken_str_sub(inner, 0, end);
    return quote != '`' || ken_str_find(*out, KEN_STR("${")) == SIZE_MAX;
}

static ken_str last_name(ken_str value)
{
    size_t end = value.len;
    while (end && !ken_is_word(value.ptr[end - 1]))
        end--;
    size_t from = end;
    while (from && ken_is_word(value.ptr[from - 1]))
        from--;
    return ken_str_sub(value, from, end);
}

size_t ken_route_words(ken_str value, ken_str out[KEN_ROUTE_ARGS])
{
    ken_str items[KEN_ROUTE_ARGS];
    size_t n = 1, n_out = 0;
    items[0] = value;
    if (value.len && is_one_of(value.ptr[0], "[{("))
        n = ken_route_args(value, 0, false, items);
    for (size_t i = 0; i < n; i++) {
        ken_str word;
        if (!ken_route_plain(items[i], &word))
            word = last_name(items[i]);
        if (word.len)
            out[n_out++] = word;
    }
    return n_out;
}

// ---- chains ------------------------------------------------------------------------------------

static size_t before_space(ken_str t, size_t at)
{
    while (at && ken_is_space(t.ptr[at - 1]))
        at--;
    return at;
}

static size_t before_word(ken_str t, size_t at)
{
    while (at && (ken_is_word(t.ptr[at - 1]) || t.ptr[at - 1] == '$'))
        at--;
    return at;
}

// Before `.`, `?.`, `->`, `::`; `at` when none ends there.
static size_t before_dot(ken_str t, size_t at)
{
    if (at && t.ptr[at - 1] == '.')
        return at > 1 && t.ptr[at - 2] == '?' ? at - 2 : at - 1;
    if (at > 1 && (has_pair(t, at - 2, "->") || has_pair(t, at - 2, "::")))
        return at - 2;
    return at;
}

// Before the bracket that the one before `at` closes. (Backwards, texts cannot be told from code.)
static size_t before_bracket(ken_str t, size_t at)
{
    size_t depth = 0, least = at > KEN_ROUTE_REACH ? at - KEN_ROUTE_REACH : 0;
    while (at > least) {
        char c = t.ptr[--at];
        depth += is_one_of(c, ")]}");
        if (is_one_of(c, "([{") && !--depth)
            return at;
    }
    return at;
}

ken_str ken_route_root(ken_str text, size_t byte, size_t *out_start)
{
    size_t at = byte < text.len ? byte : text.len;
    ken_str root = KEN_STR("");
    for (int n = 0; n < LINKS_MAX; n++) {
        size_t dot = before_dot(text, before_space(text, at));
        if (dot == before_space(text, at))
            break;
        size_t end = before_space(text, dot);
        bool is_call = false;
        while (end && is_one_of(text.ptr[end - 1], ")]")) {
            end = before_space(text, before_bracket(text, end));
            is_call = true;
        }
        size_t from = before_word(text, end);
        if (from == end)
            break;
        root = is_call ? KEN_STR("") : ken_str_sub(text, from, end);
        at = from;
    }
    *out_start = at;
    return root;
}

bool ken_route_link(ken_str text, size_t at, ken_str *out_name, size_t *out_open)
{
    while (at < text.len && ken_is_space(text.ptr[at]))
        at++;
    if (at + 1 >= text.len)
        return false;
    if (text.ptr[at] == '?')
        at++;
    if (text.ptr[at] != '.' && !has_pair(text, at, "->"))
        return false;
    at += text.ptr[at] == '.' ? 1 : 2;
    while (at < text.len && ken_is_space(text.ptr[at]))
        at++;
    size_t end = at;
    while (end < text.len && ken_is_word(text.ptr[end]))
        end++;
    *out_name = ken_str_sub(text, at, end);
    *out_open = end;
    return end > at && end < text.len && text.ptr[end] == '(';
}

// ---- what a variable is given ------------------------------------------------------------------

// Behind the sign of an assignment to what ends at `at`, perhaps with a type; 0 = there is none.
static size_t behind_sign(ken_str t, size_t at)
{
    size_t end = t.len - at > 200 ? at + 200 : t.len;
    for (bool has_type = false; at < end; at++) {
        char c = t.ptr[at], next = at + 1 < t.len ? t.ptr[at + 1] : '\0';
        if (c == '=')
            return next == '=' || next == '>' ? 0 : at + 1;
        if (c == ':' && next == '=')
            return at + 2;
        if (c == ':' && !has_type)
            has_type = true;
        else if (!ken_is_space(c) && !(has_type && (ken_is_word(c) || is_one_of(c, ".<>[]|&?*"))))
            return 0;
        if (c == '\n' && !has_type)
            return 0;
    }
    return 0;
}

// Where the statement ends that `at` stands in: at a line end outside of brackets that no dot
// follows, at `;` or at a bracket that closes what is around.
static size_t statement_end(ken_str t, size_t at, bool has_hash)
{
    size_t end = t.len - at > KEN_ROUTE_REACH ? at + KEN_ROUTE_REACH : t.len;
    while (at < end && ken_is_space(t.ptr[at]))
        at++;
    while (at < end && !is_one_of(t.ptr[at], ";)]}")) {
        size_t quiet = ken_route_behind_quiet(t, at, has_hash);
        if (quiet > at) {
            at = quiet;
        } else if (is_one_of(t.ptr[at], "([{")) {
            at = ken_route_behind(t, at, has_hash);
        } else if (t.ptr[at] == '\n') {
            size_t next = at;
            while (next < end && ken_is_space(t.ptr[next]))
                next++;
            if (next >= end || (t.ptr[next] != '.' && !has_pair(t, next, "->")))
                return at;
            at = next;
        } else {
            at++;
        }
    }
    return at < end ? at : end;
}

size_t ken_route_given(ken_str text, ken_str name, size_t from, size_t before)
{
    size_t end = before < text.len ? before : text.len, found = 0;
    for (size_t at = from; name.len && at < end;) {
        size_t next = ken_str_find(ken_str_sub(text, at, end), name);
        if (next == SIZE_MAX)
            break;
        size_t first = at + next;
        at = first + name.len;
        bool is_whole = (!first || !ken_is_word(text.ptr[first - 1])) &&
                        (at >= text.len || !ken_is_word(text.ptr[at]));
        size_t value = is_whole ? behind_sign(text, at) : 0;
        found = value ? value : found;
    }
    return found;
}

ken_str ken_route_value(ken_str text, size_t at, bool has_hash)
{
    return ken_str_trim(ken_str_sub(text, at, statement_end(text, at, has_hash)));
}
