// SPDX-License-Identifier: MIT
// Reading manifests as text. Nothing here understands a whole format: it finds the few names and
// paths that decide imports, and what it does not know it passes over.
#include "graph/graph_modules_priv.h"

// ---- pieces ------------------------------------------------------------------------------------
bool ken_modules__quoted_next(ken_str *rest, ken_str *out)
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

bool ken_modules__word_next(ken_str *rest, const char *stops, ken_str *out)
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

ken_str ken_modules__behind(ken_str text, const char *needle)
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

bool ken_modules__toml_next(module_toml *t)
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
        return true;
    }
    return false;
}

ken_str ken_modules__toml_string(ken_str value)
{
    ken_str inner = without_quotes(value);
    return inner.len < value.len ? inner : KEN_STR("");
}

ken_str ken_modules__toml_member(ken_str value, const char *key)
{
    if (!ken_str_starts(value, KEN_STR("{")))
        return KEN_STR("");
    ken_str rest = ken_str_sub(value, 1, value.len), part;
    while (ken_str_split_next(&rest, ',', &part)) {
        size_t equals = ken_str_find_char(part, '=');
        if (equals == SIZE_MAX || !ken_str_eq_c(ken_str_trim(ken_str_sub(part, 0, equals)), key))
            continue;
        ken_str text = ken_str_sub(part, equals + 1, part.len), inner = KEN_STR("");
        if (ken_modules__quoted_next(&text, &inner))
            return inner;
    }
    return KEN_STR("");
}
