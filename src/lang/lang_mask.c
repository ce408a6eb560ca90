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
#include "lang/lang_priv.h"
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

// Blanks what begins with the name of a macro, or a bracket.
static void blank_copy(lang_masked *out, ken_str text, ken_span what)
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
    size_t n = macro_len(ken_str_sub(text, at, text.len));
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
        size_t at = (size_t)(line.ptr - text.ptr), n = macro_len(line);
        bool is_lone = n == line.len && line.ptr[n - 1] != ')' &&
                       stands_alone(before, first_visible(ken_str_sub(text, at + n, text.len)));
        if (is_lone)
            blank_copy(out, text, (ken_span){ (uint32_t)at, (uint32_t)(at + n) });
        before = is_lone ? ';' : last_of_code(line, before);
    }
}

// ---- attributes of functions -------------------------------------------------------------------

enum {
    GROUP_MAX = 200,  // bytes of an attribute's arguments
    PARAMS_MAX = 4000 // of a parameter list
};

// Words before a parenthesis that begin a statement or an operator's operand.
static bool is_keyword(ken_str word)
{
    static const char *const words[] = {
        "if",   "while",   "for", "switch", "return", "sizeof", "else",    "do",       "case",
        "goto", "typedef", "new", "throw",  "define", "elif",   "defined", "decltype", "alignof"
    };
    return ken_lang__is_one_of(word, words, sizeof words / sizeof *words);
}

static bool is_storage(ken_str word)
{
    static const char *const words[] = { "extern", "static", "inline", "register" };
    return ken_lang__is_one_of(word, words, sizeof words / sizeof *words);
}

// The opening parenthesis of the group that ends before `end`, when it holds no more than names,
// numbers, texts and commas; SIZE_MAX when not.
static size_t plain_group(ken_str s, size_t end)
{
    size_t at = end - 1, n_open = 1;
    for (size_t n = 0; at && n < GROUP_MAX; n++) {
        char c = s.ptr[--at];
        n_open += c == ')' ? 1u : 0u;
        n_open -= c == '(' ? 1u : 0u;
        if (!n_open)
            return at;
        if (!ken_is_word(c) && !memchr(", \t\r\n\"()", c, 8))
            return SIZE_MAX;
    }
    return SIZE_MAX;
}

// Whether the group that opens at `open` declares parameters: it is empty or `void`, or has a type
// and a name side by side, a pointer's star behind a word, or three dots.
static bool declares_params(ken_str s, size_t open)
{
    bool is_word_before = false, is_declaring = false;
    size_t n_words = 0, n_depth = 0, at = open;
    for (; at < s.len && at - open < PARAMS_MAX; at++) {
        char c = s.ptr[at];
        n_depth += c == '(' ? 1u : 0u;
        n_depth -= c == ')' ? 1u : 0u;
        if (!n_depth)
            break;
        if (memchr(";{}=\"#", c, 6))
            return false;
        if (ken_is_word(c)) {
            size_t end = ken_lang__skip_word(s, at);
            bool is_void = ken_str_eq_c(ken_str_sub(s, at, end), "void");
            is_declaring |= is_word_before || is_void;
            is_word_before = !ken_is_digit(c);
            n_words++;
            at = end - 1;
        } else if (c == '*') {
            is_declaring |= is_word_before;
        } else if (c == '.') {
            is_declaring = true;
        } else if (!memchr(" \t\r\n", c, 4)) {
            is_word_before = false;
        }
    }
    return is_declaring || (at == open + 1 && !n_words);
}

// Whether a function's name and parameters stand at `at`, behind stars; `n_least`: words before the
// parameters at the least.
static bool declares_function(ken_str s, size_t at, size_t n_least)
{
    size_t n_words = 0;
    for (; at < s.len; at = ken_lang__skip_space(s, at)) {
        if (ken_is_word(s.ptr[at]) && !ken_is_digit(s.ptr[at])) {
            size_t end = ken_lang__skip_word(s, at);
            if (is_keyword(ken_str_sub(s, at, end)))
                return false;
            at = end;
            n_words++;
        } else if (s.ptr[at] == '*') {
            at++;
        } else {
            break;
        }
    }
    return n_words >= n_least && at < s.len && s.ptr[at] == '(' && declares_params(s, at);
}

static bool has_number(ken_str group)
{
    for (size_t i = 0; i < group.len; i++)
        if (ken_is_digit(group.ptr[i]) && !(i && ken_is_word(group.ptr[i - 1])))
            return true;
    return false;
}

// `(name)` before parameters, behind a type: the parentheses keep a macro of that name away.
static bool is_wrapped_name(ken_str s, size_t open, size_t end, ken_str before)
{
    ken_str inside = ken_str_trim(ken_str_sub(s, open + 1, end - 1));
    return inside.len && !ken_is_digit(inside.ptr[0]) &&
           ken_lang__skip_word(inside, 0) == inside.len && before.len && !is_storage(before) &&
           declares_params(s, ken_lang__skip_space(s, end)) &&
           s.ptr[ken_lang__skip_space(s, end)] == '(';
}

// What hides the name of the function that is declared around the group that ends at `end`: the
// attribute, `void printflike(1, 2) log_debug(const char *, ...)`; empty = nothing.
static ken_span attribute_at(ken_str s, size_t open, size_t end)
{
    ken_span none = { 0, 0 };
    size_t to = ken_lang__skip_space_back(s, open);
    ken_str name = ken_lang__word_before(s, to);
    size_t from, behind = ken_lang__skip_space(s, end);
    if (!name.len || ken_is_digit(name.ptr[0]) || is_keyword(name))
        return none;
    from = (size_t)(name.ptr - s.ptr);
    size_t before_at = ken_lang__skip_space_back(s, from);
    ken_str before = ken_lang__word_before(s, before_at);
    bool is_star = before_at && s.ptr[before_at - 1] == '*';
    bool has_type = is_star || (before.len && !is_storage(before) && !is_keyword(before));
    ken_span all = { (uint32_t)from, (uint32_t)end };
    if (has_type && !declares_params(s, open) && declares_function(s, behind, 1))
        return all;
    bool starts = !before_at || (before.len ? is_storage(before)
                                            : memchr(";{}/", s.ptr[before_at - 1], 4) != NULL);
    bool is_attribute =
        starts && has_number(ken_str_sub(s, open, end)) && declares_function(s, behind, 2);
    return is_attribute ? all : none;
}

static void mask_attributes(lang_masked *out, ken_str text)
{
    for (size_t at = 0; at < text.len; at++) {
        const char *close = memchr(text.ptr + at, ')', text.len - at);
        if (!close)
            return;
        at = (size_t)(close - text.ptr);
        size_t end = at + 1, behind = ken_lang__skip_space(text, end);
        if (behind == text.len ||
            !(ken_is_alpha(text.ptr[behind]) || memchr("_*(", text.ptr[behind], 3)))
            continue;
        size_t open = plain_group(text, end);
        if (open == SIZE_MAX || !open)
            continue;
        size_t before_at = ken_lang__skip_space_back(text, open);
        ken_str before = ken_lang__word_before(text, before_at);
        if (text.ptr[behind] != '(') {
            blank_copy(out, text, attribute_at(text, open, end));
        } else if (before.len && !is_keyword(before) && is_wrapped_name(text, open, end, before)) {
            blank_copy(out, text, (ken_span){ (uint32_t)open, (uint32_t)open + 1 });
            blank_copy(out, text, (ken_span){ (uint32_t)at, (uint32_t)end });
        }
    }
}

// ---- specifiers that are macros ----------------------------------------------------------------

static size_t skip_blanks(ken_str s, size_t at)
{
    while (at < s.len && (s.ptr[at] == ' ' || s.ptr[at] == '\t'))
        at++;
    return at;
}

static bool begins_declaration(ken_str word)
{
    static const char *const words[] = { "auto",     "void",   "bool",     "char",      "short",
                                         "int",      "long",   "float",    "double",    "unsigned",
                                         "signed",   "inline", "static",   "constexpr", "virtual",
                                         "explicit", "friend", "template", "struct",    "class",
                                         "enum",     "union",  "extern",   "typename" };
    return ken_lang__is_one_of(word, words, sizeof words / sizeof *words);
}

// Behind a type at `at` on this line: `a::b<c> *`; `at` itself when none is there.
static size_t behind_type(ken_str s, size_t at)
{
    size_t end = ken_lang__skip_word(s, at), n_open = 0;
    while (end + 2 < s.len && s.ptr[end] == ':' && s.ptr[end + 1] == ':')
        end = ken_lang__skip_word(s, end + 2);
    if (end < s.len && s.ptr[end] == '<') {
        for (; end < s.len && !memchr("\n;{", s.ptr[end], 3); end++) {
            n_open += s.ptr[end] == '<';
            n_open -= s.ptr[end] == '>';
            if (!n_open)
                break;
        }
    }
    end += end < s.len && s.ptr[end] == '>';
    while (end < s.len && memchr(" \t*&", s.ptr[end], 4))
        end++;
    return end;
}

// Whether a list of parameters opens at `open` and a constructor's list of members stands behind it:
// `(int a) : a_(a)`.
static bool initialises_members(ken_str s, size_t open)
{
    size_t n_open = 0, at = open;
    if (at >= s.len || s.ptr[at] != '(')
        return false;
    for (; at < s.len && at - open < PARAMS_MAX && !memchr(";{}", s.ptr[at], 3); at++) {
        n_open += s.ptr[at] == '(';
        n_open -= s.ptr[at] == ')';
        if (!n_open)
            break;
    }
    if (at >= s.len || s.ptr[at] != ')')
        return false;
    at = ken_lang__skip_space(s, at + 1);
    size_t end = ken_lang__skip_word(s, at);
    if (ken_str_eq_c(ken_str_sub(s, at, end), "noexcept"))
        at = ken_lang__skip_space(s, end);
    return at + 1 < s.len && s.ptr[at] == ':' && s.ptr[at + 1] != ':';
}

// Whether what stands at `at` is a declaration without what stands before it.
static bool is_declared_at(ken_str s, size_t at)
{
    if (at >= s.len)
        return false;
    if (s.ptr[at] == '~') // a destructor
        return at + 1 < s.len && ken_is_alpha(s.ptr[at + 1]);
    if (!ken_is_word(s.ptr[at]) || ken_is_digit(s.ptr[at]))
        return false;
    ken_str word = ken_str_sub(s, at, ken_lang__skip_word(s, at));
    if (begins_declaration(word))
        return true;
    if (ken_str_eq_c(word, "const") || ken_str_eq_c(word, "volatile") || is_keyword(word))
        return false; // it may be the type itself that is called so
    if (initialises_members(s, at + word.len))
        return true;
    size_t name = behind_type(s, at);
    bool is_apart = name < s.len && !ken_is_word(s.ptr[name - 1]);
    return is_apart && ken_is_word(s.ptr[name]) && !ken_is_digit(s.ptr[name]);
}

// Whether a declaration may begin at `at`: on a line of its own, behind words that begin one, or
// behind the macro that ends at `macro_end`.
static bool may_begin_at(ken_str s, size_t at, size_t macro_end)
{
    size_t before = at;
    while (before && (s.ptr[before - 1] == ' ' || s.ptr[before - 1] == '\t'))
        before--;
    ken_str word = ken_lang__word_before(s, before);
    return !before || before == macro_end || memchr("\n>", s.ptr[before - 1], 2) ||
           is_storage(word) || begins_declaration(word);
}

static void mask_specifiers(lang_masked *out, ken_str text)
{
    size_t last_end = 0;
    for (size_t at = 0; at < text.len; at++) {
        const char *mark = memchr(text.ptr + at, '_', text.len - at);
        if (!mark)
            return;
        at = (size_t)(mark - text.ptr);
        if (!at || !(ken_is_upper(text.ptr[at - 1]) || ken_is_digit(text.ptr[at - 1])))
            continue;
        size_t from = at - ken_lang__word_before(text, at).len, end = ken_lang__skip_word(text, at);
        size_t n = macro_len(ken_str_sub(text, from, end)), next = skip_blanks(text, end);
        at = end;
        if (n != end - from || next == end || !is_declared_at(text, next) ||
            !may_begin_at(text, from, last_end))
            continue;
        blank_copy(out, text, (ken_span){ (uint32_t)from, (uint32_t)end });
        last_end = end;
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
        mask_attributes(out, text);
    if (rules->blanks_specifiers)
        mask_specifiers(out, text);
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
