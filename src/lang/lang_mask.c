// SPDX-License-Identifier: MIT
// A second reading of text that its grammar could not follow. Grammars do not know the
// preprocessor: an `#if` inside a Swift class or a macro before a C++ class name turns everything
// around into one error. A node table may say (`%blank`, see README.md) what to replace by spaces
// before trying again; offsets stay as they are, so that the tree of the masked text fits the real
// one.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "lang/lang_mask_priv.h"
#include "lang/lang_words_priv.h"

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

size_t ken_lang__macro_len(ken_str s)
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
    size_t n = ken_lang__macro_len(line);
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
    size_t n = from > end && !(at && ken_is_word(text.ptr[at - 1])) ? ken_lang__macro_len(line) : 0;
    bool is_head = n && heads_a_type(ken_str_trim(ken_str_sub(line, n, line.len)));
    return (ken_span){ (uint32_t)from, (uint32_t)(is_head ? from + n : from) };
}

// `#define class X_Y z {`; of a line that is longer than any directive that people write, no.
static bool is_in_directive(ken_str text, size_t at)
{
    enum {
        LINE_MAX_BYTES = 4096
    };
    for (int n = 0; at && text.ptr[at - 1] != '\n'; n++, at--)
        if (n == LINE_MAX_BYTES)
            return false;
    return text.ptr[at] == '#';
}

bool ken_lang__begin_copy(lang_masked *out, ken_str text)
{
    if (!out->text && (out->text = ken_try_alloc(text.len)))
        memcpy(out->text, text.ptr, text.len);
    return out->text != NULL;
}

void ken_lang__blank_copy(lang_masked *out, ken_str text, ken_span what)
{
    if (what.start == what.end || is_in_directive(text, what.start))
        return;
    if (!ken_lang__begin_copy(out, text))
        return;
    blank(out->text, what.start, what.end);
    if (ken_is_word(text.ptr[what.start]))
        ken_vec_push(&out->names, what.start);
}

typedef ken_span span_fn(ken_str text, size_t at, size_t end);

// Blanks what `find` says of each place where one of the words stands.
static void mask_words(lang_masked *out, ken_str text, ken_str words, span_fn *find)
{
    ken_str word;
    while (ken_str_split_next(&words, ' ', &word)) {
        for (size_t at = 0; word.len && at < text.len; at += word.len) {
            size_t found = ken_str_find(ken_str_sub(text, at, text.len), word);
            if (found == SIZE_MAX)
                break;
            at += found;
            ken_lang__blank_copy(out, text, find(text, at, at + word.len));
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
    lang_masked m = { .text = out };
    mask_words(&m, text, rules->blank_macros, macro_of_head);
    ken_vec_release(&m.names);
    return memcmp(out, text.ptr, text.len) != 0;
}

// The macro call whose name ends in the word: `X_GUARDED_BY(m)`; empty = none.
static ken_span note_around(ken_str text, size_t at, size_t end)
{
    while (at && ken_is_word(text.ptr[at - 1]))
        at--;
    size_t n = ken_lang__macro_len(ken_str_sub(text, at, text.len));
    bool is_call = at + n > end && text.ptr[end] == '(';
    return (ken_span){ (uint32_t)at, (uint32_t)(is_call ? at + n : at) };
}

// Macros without arguments that have a line to themselves: `X_BEGIN_NAMESPACE`.
static void mask_lone_names(lang_masked *out, ken_str text)
{
    ken_str rest = text, line;
    char before = 0;
    while (ken_str_line_next(&rest, &line)) {
        line = ken_str_trim(line);
        if (!line.len)
            continue;
        size_t at = (size_t)(line.ptr - text.ptr), n = ken_lang__macro_len(line);
        bool is_lone = n == line.len && line.ptr[n - 1] != ')' &&
                       stands_alone(before, first_visible(ken_str_sub(text, at + n, text.len)));
        if (is_lone)
            ken_lang__blank_copy(out, text, (ken_span){ (uint32_t)at, (uint32_t)(at + n) });
        before = is_lone ? ';' : last_of_code(line, before);
    }
}

// ---- directives in lists -----------------------------------------------------------------------

// Whether a line at `at` stands between the braces of an initialiser; up to `known` that was asked of
// a line before, which did when `was_inside`.
static bool is_in_list(ken_str s, size_t at, size_t known, bool was_inside)
{
    size_t depth = 0, last = ken_lang__skip_space_back(s, at);
    if (!was_inside && (!last || !memchr(",{/", s.ptr[last - 1], 3)))
        return false;
    for (; at > known; at--) {
        char c = s.ptr[at - 1];
        if (c == ';' && !depth)
            return false;
        if (c == '}')
            depth++;
        if (c == '{' && !depth--) {
            size_t before = ken_lang__skip_space_back(s, at - 1);
            return before && s.ptr[before - 1] == '=';
        }
    }
    return was_inside && !depth;
}

// Behind the last line of the directive.
static size_t behind_directive(ken_str s, size_t at)
{
    while (at < s.len && s.ptr[at] != '\n')
        at += s.ptr[at] == '\\' && at + 1 < s.len ? 2 : 1;
    return at;
}

static void mask_lists(lang_masked *out, ken_str text)
{
    bool is_inside = false;
    size_t known = 0;
    for (size_t at = 0; at < text.len;) {
        const char *mark = memchr(text.ptr + at, '#', text.len - at);
        if (!mark)
            return;
        at = (size_t)(mark - text.ptr);
        size_t line = at;
        while (line && memchr(" \t", text.ptr[line - 1], 2))
            line--;
        if (line && text.ptr[line - 1] != '\n') {
            at++;
            continue;
        }
        size_t end = behind_directive(text, at);
        is_inside = is_in_list(text, line, known, is_inside);
        if (is_inside && ken_lang__begin_copy(out, text))
            blank(out->text, at, end);
        known = at = end;
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool ken_lang__mask_first(const ken_rules *rules, ken_str text, lang_masked *out)
{
    if (!rules)
        return false;
    if (rules->blanks_attributes)
        ken_lang__mask_attributes(out, text);
    if (rules->blanks_specifiers)
        ken_lang__mask_specifiers(out, text);
    if (rules->blanks_lists)
        mask_lists(out, text);
    if (rules->names_operators)
        ken_lang__mask_operators(out, text);
    mask_words(out, text, rules->blank_notes, note_around);
    mask_words(out, text, rules->blank_heads, macro_of_head);
    if (rules->blank_heads.len)
        mask_lone_names(out, text);
    if (out->names.len)
        qsort(out->names.ptr, out->names.len, sizeof *out->names.ptr, by_number);
    return out->text != NULL;
}
