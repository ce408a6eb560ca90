// SPDX-License-Identifier: MIT
// A second reading of text that its grammar could not follow. Grammars do not know the
// preprocessor: an `#if` inside a Swift class or a macro before a C++ class name turns everything
// around into one error. A node table may say (`%blank`, see README.md) what to replace by spaces
// before trying again; offsets stay as they are, so that the tree of the masked text fits the real
// one.
#include <string.h>

#include "base/str.h"
#include "lang/lang_priv.h"

static void blank(char *text, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (text[i] != '\n' && text[i] != '\r')
            text[i] = ' ';
}

static bool begins_with_word_of(ken_str line, ken_str words)
{
    ken_str word;
    while (ken_str_split_next(&words, ' ', &word))
        if (word.len && ken_str_starts(line, word) &&
            (line.len == word.len || !ken_is_word(line.ptr[word.len])))
            return true;
    return false;
}

// The length of an all-capitals name with an underscore, and of the argument list behind it; 0 =
// none.
static size_t macro_len(ken_str s)
{
    size_t n = 0;
    bool has_underscore = false;
    while (n < s.len && (ken_is_upper(s.ptr[n]) || ken_is_digit(s.ptr[n]) || s.ptr[n] == '_'))
        has_underscore |= s.ptr[n++] == '_';
    if (n < 4 || !has_underscore || ken_is_digit(s.ptr[0]) || (n < s.len && ken_is_word(s.ptr[n])))
        return 0;
    if (n == s.len || s.ptr[n] != '(')
        return n;
    int depth = 0;
    for (size_t i = n; i < s.len && s.ptr[i] != '\n'; i++) {
        depth += s.ptr[i] == '(' ? 1 : s.ptr[i] == ')' ? -1 : 0;
        if (!depth)
            return i + 1;
    }
    return 0;
}

// A macro that has a line to itself is a statement or a declaration, unless an expression or a list
// goes on there: `before` is the last character of code ahead of it, `after` the first behind it.
static bool stands_alone(char before, char after)
{
    return (!before || memchr(";{}>):", before, 6) || ken_is_word(before)) &&
           !memchr(",|&+-*=?.", after, 9);
}

static char first_visible(ken_str s)
{
    s = ken_str_trim(s);
    return s.len ? s.ptr[0] : ';';
}

static bool blank_macro_line(char *text, ken_str all, ken_str line, char before)
{
    size_t n = macro_len(line);
    ken_str rest = ken_str_trim(ken_str_sub(line, n, line.len));
    size_t at = (size_t)(line.ptr - all.ptr);
    if (!n || (rest.len && !ken_str_starts(rest, KEN_STR("//"))) ||
        !stands_alone(before, first_visible(ken_str_sub(all, at + line.len, all.len))))
        return false;
    blank(text, at, at + n);
    return true;
}

// `class MACRO name {`, not `struct tag name;` and the like.
static bool heads_a_type(ken_str rest)
{
    size_t n = 0;
    while (n < rest.len && ken_is_word(rest.ptr[n]))
        n++;
    ken_str after = ken_str_trim(ken_str_sub(rest, n, rest.len));
    return n && !(after.len && memchr(";=,)*[(", after.ptr[0], 7));
}

// class EXPORT_MACRO name
static void blank_macro_after(char *text, ken_str all, ken_str line, ken_str words)
{
    ken_str word;
    while (ken_str_split_next(&words, ' ', &word)) {
        size_t at = word.len ? ken_str_find(line, word) : SIZE_MAX;
        if (at == SIZE_MAX || (at && ken_is_word(line.ptr[at - 1])))
            continue;
        at += word.len;
        size_t from = at;
        while (from < line.len && ken_is_space(line.ptr[from]))
            from++;
        ken_str name = ken_str_sub(line, from, line.len);
        size_t n = from > at ? macro_len(name) : 0;
        ken_str next = ken_str_trim(ken_str_sub(name, n, name.len));
        if (n && heads_a_type(next))
            blank(text, (size_t)(name.ptr - all.ptr), (size_t)(name.ptr - all.ptr) + n);
    }
}

// The last character of code on a line, `before` when there is none; a directive ends what precedes
// it.
static char last_of_code(ken_str line, char before)
{
    if (line.ptr[0] == '#')
        return ';';
    if (line.ptr[0] == '*' || ken_str_starts(line, KEN_STR("/*")))
        return before;
    size_t comment = ken_str_find(line, KEN_STR("//"));
    if (comment == SIZE_MAX && ken_str_ends(line, KEN_STR("*/")))
        comment = ken_str_find(line, KEN_STR("/*"));
    line = ken_str_trim(ken_str_sub(line, 0, comment));
    return line.len ? line.ptr[line.len - 1] : before;
}

static void mask_macros(char *out, ken_str text, ken_str words)
{
    ken_str rest = text, line;
    char before = 0;
    while (ken_str_line_next(&rest, &line)) {
        line = ken_str_trim(line);
        if (!line.len)
            continue;
        bool is_macro = blank_macro_line(out, text, line, before);
        if (!is_macro && line.ptr[0] != '#')
            blank_macro_after(out, text, line, words);
        before = is_macro ? ';' : last_of_code(line, before);
    }
}

static void mask_lines(char *out, ken_str text, ken_str words)
{
    ken_str rest = text, line;
    while (ken_str_line_next(&rest, &line)) {
        line = ken_str_trim(line);
        size_t at = (size_t)(line.ptr - text.ptr);
        if (line.len && begins_with_word_of(line, words))
            blank(out, at, at + line.len);
    }
}

bool ken_lang__mask(const ken_rules *rules, ken_str text, char *out)
{
    if (!rules || (!rules->blank_lines.len && !rules->blank_macros.len))
        return false;
    memcpy(out, text.ptr, text.len);
    if (rules->blank_lines.len)
        mask_lines(out, text, rules->blank_lines);
    if (rules->blank_macros.len)
        mask_macros(out, text, rules->blank_macros);
    return memcmp(out, text.ptr, text.len) != 0;
}
