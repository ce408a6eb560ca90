// SPDX-License-Identifier: MIT
// A second reading of text that its grammar could not follow. Grammars do not know the
// preprocessor: an `#if` inside a Swift class or a macro before a C++ class name turns everything
// around into one error. A node table may say (`%blank`, see README.md) what to replace by spaces
// before trying again; offsets stay as they are, so that the tree of the masked text fits the real
// one.
#include <string.h>

#include "base/alloc.h"
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

// `class EXPORT_MACRO name`: the macro behind the word; empty = none.
static ken_span macro_of_head(ken_str text, size_t at, size_t end)
{
    size_t from = end;
    while (from < text.len && (text.ptr[from] == ' ' || text.ptr[from] == '\t'))
        from++;
    ken_str name = ken_str_sub(text, from, text.len), line;
    ken_str_line_next(&name, &line);
    size_t n = from > end && !(at && ken_is_word(text.ptr[at - 1])) ? macro_len(line) : 0;
    bool is_head = n && heads_a_type(ken_str_trim(ken_str_sub(line, n, line.len)));
    return (ken_span){ (uint32_t)from, (uint32_t)(is_head ? from + n : from) };
}

// `#define class X_Y z {`
static bool is_in_directive(ken_str text, size_t at)
{
    while (at && text.ptr[at - 1] != '\n')
        at--;
    return text.ptr[at] == '#';
}

// Blanks in a copy of the text, which is made when the first is to be.
static void blank_copy(char **out, ken_str text, ken_span what)
{
    if (what.start == what.end || is_in_directive(text, what.start))
        return;
    if (!*out && (*out = ken_try_alloc(text.len)))
        memcpy(*out, text.ptr, text.len);
    if (*out)
        blank(*out, what.start, what.end);
}

typedef ken_span span_fn(ken_str text, size_t at, size_t end);

// Blanks what `find` says of each place where one of the words stands.
static void mask_words(char **out, ken_str text, ken_str words, span_fn *find)
{
    ken_str word;
    while (ken_str_split_next(&words, ' ', &word)) {
        for (size_t at = 0; word.len && at < text.len; at += word.len) {
            size_t found = ken_str_find(ken_str_sub(text, at, text.len), word);
            if (found == SIZE_MAX)
                break;
            at += found;
            blank_copy(out, text, find(text, at, at + word.len));
        }
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

static void mask_macros(char *out, ken_str text)
{
    ken_str rest = text, line;
    char before = 0;
    while (ken_str_line_next(&rest, &line)) {
        line = ken_str_trim(line);
        if (!line.len)
            continue;
        bool is_macro = blank_macro_line(out, text, line, before);
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
        mask_macros(out, text);
    mask_words(&out, text, rules->blank_macros, macro_of_head);
    return memcmp(out, text.ptr, text.len) != 0;
}

// The macro call whose name ends in the word: `X_GUARDED_BY(m)`; empty = none.
static ken_span note_around(ken_str text, size_t at, size_t end)
{
    while (at && ken_is_word(text.ptr[at - 1]))
        at--;
    size_t n = macro_len(ken_str_sub(text, at, text.len));
    bool is_call = at + n > end && text.ptr[end] == '(';
    return (ken_span){ (uint32_t)at, (uint32_t)(is_call ? at + n : at) };
}

// Macros without arguments that have a line to themselves: `X_BEGIN_NAMESPACE`.
static void mask_lone_names(char **out, ken_str text)
{
    ken_str rest = text, line;
    char before = 0;
    while (ken_str_line_next(&rest, &line)) {
        line = ken_str_trim(line);
        if (!line.len)
            continue;
        size_t at = (size_t)(line.ptr - text.ptr), n = macro_len(line);
        bool is_lone = n == line.len && line.ptr[n - 1] != ')' &&
                       stands_alone(before, first_visible(ken_str_sub(text, at + n, text.len)));
        if (is_lone)
            blank_copy(out, text, (ken_span){ (uint32_t)at, (uint32_t)(at + n) });
        before = is_lone ? ';' : last_of_code(line, before);
    }
}

char *ken_lang__mask_first(const ken_rules *rules, ken_str text)
{
    char *out = NULL;
    if (!rules)
        return NULL;
    mask_words(&out, text, rules->blank_notes, note_around);
    mask_words(&out, text, rules->blank_heads, macro_of_head);
    if (rules->blank_heads.len)
        mask_lone_names(&out, text);
    return out;
}
