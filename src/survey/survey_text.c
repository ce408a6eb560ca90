// SPDX-License-Identifier: MIT
#include "base/arena.h"
#include "survey/survey_text_priv.h"

static bool is_name(char c)
{
    return ken_is_word(c) || c == '$';
}

static bool has_at(ken_str s, size_t i, const char *what)
{
    size_t n = strlen(what);
    return i + n <= s.len && memcmp(s.ptr + i, what, n) == 0;
}

// The end of a string that begins at `i`: past its quote, or at the end of its line.
static size_t string_end(ken_str s, size_t i, bool has_hash)
{
    char q = s.ptr[i];
    char three[4] = { q, q, q, '\0' };
    bool is_long = has_hash && has_at(s, i, three);
    for (i += is_long ? 3 : 1; i < s.len; i++) {
        if (s.ptr[i] == '\\')
            i++;
        else if (is_long ? has_at(s, i, three) : s.ptr[i] == q)
            return i + (is_long ? 3 : 1);
        else if (!is_long && q != '`' && s.ptr[i] == '\n')
            return i;
    }
    return s.len;
}

static size_t comment_end(ken_str s, size_t i, bool has_hash)
{
    if (!has_hash && has_at(s, i, "/*")) {
        for (i += 2; i < s.len && !has_at(s, i, "*/");)
            i++;
        return i + 2 < s.len ? i + 2 : s.len;
    }
    while (i < s.len && s.ptr[i] != '\n')
        i++;
    return i;
}

ken_str ken_survey__text_bare(ken_arena *arena, ken_str text, bool has_hash)
{
    char *out = ken_arena_alloc(arena, text.len + 1);
    if (text.len)
        memcpy(out, text.ptr, text.len);
    out[text.len] = '\0';
    for (size_t i = 0; i < text.len;) {
        char c = text.ptr[i];
        bool is_comment = has_hash ? c == '#' : has_at(text, i, "//") || has_at(text, i, "/*");
        bool is_string = c == '"' || c == '\'' || (c == '`' && !has_hash);
        if (!is_comment && !is_string) {
            i++;
            continue;
        }
        size_t end = is_comment ? comment_end(text, i, has_hash) : string_end(text, i, has_hash);
        size_t from = is_comment ? i : i + 1, to = is_comment || end >= text.len ? end : end - 1;
        for (size_t k = from; k < to; k++)
            if (out[k] != '\n')
                out[k] = ' ';
        i = end > i ? end : i + 1;
    }
    return ken_str_n(out, text.len);
}

size_t ken_survey__text_close(ken_str bare, size_t open)
{
    size_t depth = 0;
    for (size_t i = open; i < bare.len; i++) {
        char c = bare.ptr[i];
        if (c == '(' || c == '[' || c == '{')
            depth++;
        else if ((c == ')' || c == ']' || c == '}') && --depth == 0)
            return i + 1;
    }
    return SIZE_MAX;
}

size_t ken_survey__text_args(ken_str bare, size_t open, ken_str out[TEXT_ARGS_MAX])
{
    size_t end = ken_survey__text_close(bare, open), from = open + 1, n = 0, depth = 0;
    if (end == SIZE_MAX)
        return 0;
    for (size_t i = open + 1; i < end && n < TEXT_ARGS_MAX; i++) {
        char c = bare.ptr[i];
        bool is_end = i + 1 == end;
        if ((c == ',' && !depth) || is_end) {
            ken_str arg = ken_str_trim(ken_str_sub(bare, from, i));
            if (arg.len)
                out[n++] = arg;
            from = i + 1;
        } else if (c == '(' || c == '[' || c == '{') {
            depth++;
        } else if (c == ')' || c == ']' || c == '}') {
            depth--;
        }
    }
    return n;
}

ken_str ken_survey__text_name(ken_str bare)
{
    size_t n = 0;
    while (n < bare.len && (is_name(bare.ptr[n]) || (n && bare.ptr[n] == '.')))
        n++;
    bool is_one = n && !ken_is_digit(bare.ptr[0]) && bare.ptr[n - 1] != '.';
    return is_one ? ken_str_sub(bare, 0, n) : KEN_STR("");
}

size_t ken_survey__text_find(ken_str bare, ken_str needle)
{
    for (size_t from = 0; from < bare.len;) {
        size_t at = ken_str_find(ken_str_sub(bare, from, bare.len), needle);
        if (at == SIZE_MAX)
            return SIZE_MAX;
        at += from;
        bool is_inside = at && is_name(bare.ptr[at - 1]) && is_name(needle.ptr[0]);
        if (!is_inside)
            return at;
        from = at + 1;
    }
    return SIZE_MAX;
}

// Back over "(…)" to its '('.
static size_t open_of(ken_str bare, size_t close)
{
    size_t depth = 0;
    for (size_t i = close + 1; i-- > 0;) {
        depth += bare.ptr[i] == ')';
        depth -= bare.ptr[i] == '(';
        if (!depth)
            return i;
    }
    return 0;
}

ken_str ken_survey__text_root(ken_str bare, size_t end)
{
    size_t from = end, last = end;
    while (from) {
        char c = bare.ptr[from - 1];
        if (c == ')') {
            from = open_of(bare, from - 1);
            last = from;
        } else if (c == '.') {
            last = --from;
        } else if (is_name(c)) {
            from--;
        } else if (ken_is_space(c) && last < end && from == last) {
            last = --from; // a chain over several lines
        } else {
            break;
        }
    }
    while (from < last && !is_name(bare.ptr[from]))
        from++;
    return ken_survey__text_name(ken_str_sub(bare, from, last));
}

size_t ken_survey__text_keys(ken_str bare, ken_str raw, size_t open, ken_str out[TEXT_ARGS_MAX])
{
    ken_str parts[TEXT_ARGS_MAX];
    size_t n = ken_survey__text_args(bare, open, parts), k = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = (size_t)(parts[i].ptr - bare.ptr);
        ken_str part = ken_str_sub(raw, at, at + parts[i].len);
        if (part.len && (part.ptr[0] == '"' || part.ptr[0] == '\''))
            part = ken_str_sub(part, 1, part.len);
        ken_str name = ken_survey__text_name(part);
        size_t dot = ken_str_find_char(name, '.');
        if (name.len && dot == SIZE_MAX)
            out[k++] = name;
    }
    return k;
}
