// SPDX-License-Identifier: MIT
// Reading manifests as text. Nothing here understands a whole format: it finds the few names and
// paths that decide imports, and what it does not know it passes over.
#include "manifest/manifest_text.h"

#include <string.h>

// ---- pieces ------------------------------------------------------------------------------------
bool ken_manifest_quoted_next(ken_str *rest, ken_str *out)
{
    size_t open = ken_str_find_char(*rest, '"');
    if (open == SIZE_MAX)
        return false;
    ken_str behind = ken_str_sub(*rest, open + 1, rest->len);
    size_t close = ken_str_find_char(behind, '"');
    if (close == SIZE_MAX)
        return false;
    *out = ken_str_sub(behind, 0, close);
    *rest = ken_str_sub(behind, close + 1, behind.len);
    return true;
}

bool ken_manifest_word_next(ken_str *rest, const char *stops, ken_str *out)
{
    size_t from = 0;
    while (from < rest->len && (ken_is_space(rest->ptr[from]) || strchr(stops, rest->ptr[from])))
        from++;
    size_t to = from;
    while (to < rest->len && !ken_is_space(rest->ptr[to]) && !strchr(stops, rest->ptr[to]))
        to++;
    *out = ken_str_sub(*rest, from, to);
    *rest = ken_str_sub(*rest, to, rest->len);
    return to > from;
}

ken_str ken_manifest_behind(ken_str text, const char *needle)
{
    size_t at = ken_str_find(text, ken_str_c(needle));
    if (at == SIZE_MAX)
        return (ken_str){ 0 };
    return ken_str_sub(text, at + strlen(needle), text.len);
}

// ---- TOML --------------------------------------------------------------------------------------
// The line up to a '#' that is in no string.
static ken_str without_comment(ken_str line)
{
    char quote = 0;
    for (size_t i = 0; i < line.len; i++) {
        char c = line.ptr[i];
        if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#') {
            return ken_str_sub(line, 0, i);
        }
    }
    return line;
}

static ken_str without_quotes(ken_str s)
{
    bool is_quoted =
        s.len >= 2 && (s.ptr[0] == '"' || s.ptr[0] == '\'') && s.ptr[s.len - 1] == s.ptr[0];
    return is_quoted ? ken_str_sub(s, 1, s.len - 1) : s;
}

// A list that begins in a line, up to the bracket that closes it.
static ken_str whole_list(ken_str value, ken_str *rest)
{
    size_t len = rest->len ? (size_t)(rest->ptr - value.ptr) + rest->len : value.len;
    ken_str text = ken_str_n(value.ptr, len), line;
    size_t depth = 0;
    for (ken_str left = text; ken_str_line_next(&left, &line);) {
        line = without_comment(line);
        char quote = 0;
        for (size_t i = 0; i < line.len; i++) {
            char c = line.ptr[i];
            if (quote || c == '"' || c == '\'') {
                quote = !quote ? c : c == quote ? 0 : quote;
                continue;
            }
            depth += c == '[';
            if (c != ']' || --depth)
                continue;
            size_t end = (size_t)(line.ptr + i - text.ptr) + 1;
            if (end > value.len)
                *rest = left;
            return ken_str_sub(text, 0, end);
        }
    }
    return value; // never closed
}

bool ken_manifest_toml_next(ken_manifest_toml *t)
{
    ken_str line;
    while (ken_str_line_next(&t->rest, &line)) {
        line = ken_str_trim(without_comment(line));
        if (line.len >= 2 && line.ptr[0] == '[' && line.ptr[line.len - 1] == ']') {
            size_t n = line.ptr[1] == '[' && line.len >= 4 ? 2 : 1;
            t->table = ken_str_trim(ken_str_sub(line, n, line.len - n));
            continue;
        }
        size_t equals = ken_str_find_char(line, '=');
        if (equals == SIZE_MAX)
            continue;
        t->key = without_quotes(ken_str_trim(ken_str_sub(line, 0, equals)));
        t->value = ken_str_trim(ken_str_sub(line, equals + 1, line.len));
        if (ken_str_starts(t->value, KEN_STR("[")))
            t->value = whole_list(t->value, &t->rest);
        return true;
    }
    return false;
}

ken_str ken_manifest_toml_string(ken_str value)
{
    ken_str inner = without_quotes(value);
    return inner.len < value.len ? inner : KEN_STR("");
}

ken_str ken_manifest_toml_member(ken_str value, const char *key)
{
    if (!ken_str_starts(value, KEN_STR("{")))
        return KEN_STR("");
    ken_str rest = ken_str_sub(value, 1, value.len), part;
    while (ken_str_split_next(&rest, ',', &part)) {
        size_t equals = ken_str_find_char(part, '=');
        if (equals == SIZE_MAX || !ken_str_eq_c(ken_str_trim(ken_str_sub(part, 0, equals)), key))
            continue;
        ken_str text = ken_str_sub(part, equals + 1, part.len), inner = KEN_STR("");
        if (ken_manifest_quoted_next(&text, &inner))
            return inner;
    }
    return KEN_STR("");
}

// ---- JSON --------------------------------------------------------------------------------------

// ---- JSON --------------------------------------------------------------------------------------
// The position after the string, comment or single byte at `i`; `*out_is_kept`: it is no comment.
static size_t lexeme_end(ken_str t, size_t i, bool *out_is_kept)
{
    *out_is_kept = true;
    if (t.ptr[i] == '"') {
        for (i++; i < t.len && t.ptr[i] != '"'; i++)
            i += t.ptr[i] == '\\';
        return i < t.len ? i + 1 : t.len;
    }
    if (t.ptr[i] != '/' || i + 1 == t.len || (t.ptr[i + 1] != '/' && t.ptr[i + 1] != '*'))
        return i + 1;
    *out_is_kept = false;
    ken_str rest = ken_str_sub(t, i + 2, t.len);
    bool is_line = t.ptr[i + 1] == '/';
    size_t end = ken_str_find(rest, is_line ? KEN_STR("\n") : KEN_STR("*/"));
    return end == SIZE_MAX ? t.len : i + 2 + end + (is_line ? 0 : 2);
}

// Plain JSON from JSON with comments and trailing commas.
static ken_str plain_json(ken_arena *arena, ken_str t)
{
    char *out = ken_arena_alloc(arena, t.len + 1);
    size_t len = 0, comma = SIZE_MAX; // the last comma, when only white space followed
    for (size_t i = 0, end; i < t.len; i = end) {
        bool is_kept;
        end = lexeme_end(t, i, &is_kept);
        if (!is_kept)
            continue;
        char c = t.ptr[i];
        if ((c == '}' || c == ']') && comma != SIZE_MAX)
            out[comma] = ' ';
        if (c == ',')
            comma = len;
        else if (!ken_is_space(c))
            comma = SIZE_MAX;
        memcpy(out + len, t.ptr + i, end - i);
        len += end - i;
    }
    return ken_str_n(out, len);
}

json_t *ken_manifest_json(ken_str text, ken_arena *arena)
{
    if (ken_str_starts(text, KEN_STR("\xef\xbb\xbf")))
        text = ken_str_sub(text, 3, text.len);
    json_t *value = NULL;
    return ken_json_parse(plain_json(arena, text), &value, NULL) ? NULL : value;
}

// ---- go.mod ------------------------------------------------------------------------------------

bool ken_manifest_go_next(ken_manifest_go *at, ken_str *out)
{
    ken_str line, word;
    while (ken_str_line_next(&at->rest, &line)) {
        size_t comment = ken_str_find(line, KEN_STR("//"));
        at->comment = ken_str_sub(line, comment, line.len);
        line = ken_str_trim(ken_str_sub(line, 0, comment));
        if (at->is_in_block) {
            at->is_in_block = !ken_str_starts(line, KEN_STR(")"));
            *out = line;
            if (at->is_in_block && line.len)
                return true;
            continue;
        }
        ken_str rest = line;
        if (!ken_manifest_word_next(&rest, "(", &word) || !ken_str_eq_c(word, at->directive))
            continue;
        *out = ken_str_trim(rest);
        at->is_in_block = ken_str_starts(*out, KEN_STR("("));
        if (!at->is_in_block)
            return true;
    }
    return false;
}

// ---- XML ---------------------------------------------------------------------------------------

bool ken_manifest_attribute_next(ken_str *rest, const char *tag, const char *name, ken_str *out)
{
    for (;;) {
        ken_str text = ken_manifest_behind(*rest, tag);
        if (!text.ptr)
            return false;
        ken_str inner = ken_str_sub(text, 0, ken_str_find_char(text, '>'));
        *rest = ken_str_sub(text, inner.len, text.len);
        inner = ken_manifest_behind(inner, name);
        if (inner.ptr && ken_manifest_quoted_next(&inner, out))
            return true;
    }
}
