// SPDX-License-Identifier: MIT
// Macros around a declaration that hide from a grammar what is declared: attributes with arguments, and specifiers in
// capitals before its type or behind its parameters.
#include <string.h>

#include "lang/lang_mask_priv.h"
#include "lang/lang_words_priv.h"

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

// The parenthesis that is closed before `end`, within one statement and at most `max` bytes; SIZE_MAX when there is none.
static size_t group_open(ken_str s, size_t end, size_t max)
{
    size_t n_open = 0;
    for (size_t n = 0; n <= max && end-- && !memchr(";{}", s.ptr[end], 3); n++) {
        n_open += s.ptr[end] == ')';
        n_open -= s.ptr[end] == '(';
        if (!n_open)
            return end;
    }
    return SIZE_MAX;
}

// The same, when the group holds no more than names, numbers, texts and commas.
static size_t plain_group(ken_str s, size_t end)
{
    size_t open = group_open(s, end, GROUP_MAX);
    for (size_t at = open; at < end; at++)
        if (!ken_is_word(s.ptr[at]) && !memchr(", \t\r\n\"()", s.ptr[at], 8))
            return SIZE_MAX;
    return open;
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

void ken_lang__mask_attributes(lang_masked *out, ken_str text)
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
            ken_lang__blank_copy(out, text, attribute_at(text, open, end));
        } else if (before.len && !is_keyword(before) && is_wrapped_name(text, open, end, before)) {
            ken_lang__blank_copy(out, text, (ken_span){ (uint32_t)open, (uint32_t)open + 1 });
            ken_lang__blank_copy(out, text, (ken_span){ (uint32_t)at, (uint32_t)end });
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

// ---- and behind the parameters -----------------------------------------------------------------

// Whether a name that is declared stands before `end`, behind a type: `int *a::f`, `int (*f)`.
static bool declares_name(ken_str s, size_t end)
{
    end = ken_lang__skip_space_back(s, end);
    if (end && s.ptr[end - 1] == ')') {
        size_t open = group_open(s, end, PARAMS_MAX);
        return open != SIZE_MAX && s.ptr[ken_lang__skip_space(s, open + 1)] == '*';
    }
    ken_str name = ken_lang__word_before(s, end);
    if (!name.len || ken_is_digit(name.ptr[0]) || is_keyword(name))
        return false;
    end -= name.len;
    while (end > 2 && s.ptr[end - 1] == ':' && s.ptr[end - 2] == ':')
        end -= 2 + ken_lang__word_before(s, end - 2).len;
    end = ken_lang__skip_space_back(s, end);
    ken_str type = ken_lang__word_before(s, end);
    return type.len ? !is_keyword(type) && !is_storage(type)
                    : end && memchr("*&>", s.ptr[end - 1], 3);
}

static bool is_behind_params(ken_str s, size_t at)
{
    static const char *const words[] = { "const", "volatile", "noexcept", "override", "final" };
    for (;;) {
        at = ken_lang__skip_space_back(s, at);
        ken_str word = ken_lang__word_before(s, at);
        if (!ken_lang__is_one_of(word, words, sizeof words / sizeof *words))
            break;
        at -= word.len;
    }
    if (!at || s.ptr[at - 1] != ')')
        return false;
    size_t open = group_open(s, at, PARAMS_MAX);
    return open != SIZE_MAX && declares_params(s, open) && declares_name(s, open);
}

// Whether the declaration ends, or its body or value begins, behind further macros at `at`.
static bool ends_declaration(ken_str s, size_t at)
{
    size_t n;
    do {
        at = ken_lang__skip_space(s, at);
        n = ken_lang__macro_len(ken_str_sub(s, at, s.len));
        at += n;
    } while (n);
    return at < s.len && memchr(";{=", s.ptr[at], 3);
}

// `X_API int f() X_NOTHROW;`: macros before a type do without arguments.
void ken_lang__mask_specifiers(lang_masked *out, ken_str text)
{
    size_t before_end = 0, behind_end = 0;
    for (size_t at = 0; at < text.len; at++) {
        const char *mark = memchr(text.ptr + at, '_', text.len - at);
        if (!mark)
            return;
        at = (size_t)(mark - text.ptr);
        if (!at || !(ken_is_upper(text.ptr[at - 1]) || ken_is_digit(text.ptr[at - 1])))
            continue;
        size_t from = at - ken_lang__word_before(text, at).len, end = ken_lang__skip_word(text, at);
        size_t n = ken_lang__macro_len(ken_str_sub(text, from, text.len));
        size_t next = skip_blanks(text, end), last = ken_lang__skip_space_back(text, from);
        at = end;
        if (!n)
            continue;
        if (from + n == end && next > end && is_declared_at(text, next) &&
            may_begin_at(text, from, before_end)) {
            ken_lang__blank_copy(out, text, (ken_span){ (uint32_t)from, (uint32_t)end });
            before_end = end;
        } else if (((behind_end && last == behind_end) || is_behind_params(text, last)) &&
                   ends_declaration(text, from + n)) {
            behind_end = from + n;
            ken_lang__blank_copy(out, text, (ken_span){ (uint32_t)from, (uint32_t)behind_end });
        }
    }
}
