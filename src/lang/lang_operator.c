// SPDX-License-Identifier: MIT
// Operators of C++ that are called by name: `operator()<bool>(x)`, `p->operator[](0)`. The grammar takes
// them for declarations, for calls of something named `operator`, or for errors. Written as names of
// equal length they are what they are; the name itself is read from the real text.
#include <string.h>

#include "base/str.h"
#include "lang/lang_priv.h"
#include "lang/lang_words_priv.h"

enum {
    SYMBOL_MAX = 3,       // `<=>`, `->*`
    CONDITION_MAX = 1000, // bytes of an `if`'s condition
};

// Whether the group that ends before `end` is the condition of a statement.
static bool ends_condition(ken_str s, size_t end)
{
    static const char *const words[] = { "if", "constexpr", "while", "for", "switch" };
    size_t at = end, n_open = 0;
    while (at && end - at < CONDITION_MAX) {
        char c = s.ptr[--at];
        n_open += c == ')';
        n_open -= c == '(';
        if (!n_open)
            return ken_lang__is_one_of(ken_lang__word_before(s, ken_lang__skip_space_back(s, at)),
                                       words, sizeof words / sizeof *words);
    }
    return false;
}

// Whether what stands at `at` is part of an expression. A declaration has the end of a type before its
// operator: a name, `>`, `*`, `&`.
static bool is_in_expression(ken_str s, size_t at)
{
    static const char *const words[] = { "return",    "throw",    "else",    "do",
                                         "co_return", "co_yield", "co_await" };
    size_t end = ken_lang__skip_space_back(s, at);
    if (!end)
        return false;
    char before = s.ptr[end - 1];
    if (ken_is_word(before))
        return ken_lang__is_one_of(ken_lang__word_before(s, end), words,
                                   sizeof words / sizeof *words);
    char ahead = end > 1 ? s.ptr[end - 2] : ' ';
    if (before == ':')
        return ahead != ':';
    if (before == '>')
        return ahead == '-';
    return before == ')' ? ends_condition(s, end) : memchr(";{}=(,!?|<+-%^.", before, 15) != NULL;
}

// The length of the operator's symbol at `at` when arguments stand behind it; 0 = none.
static size_t called_symbol(ken_str s, size_t at)
{
    ken_str rest = ken_str_sub(s, at, s.len);
    bool is_pair = ken_str_starts(rest, KEN_STR("()")) || ken_str_starts(rest, KEN_STR("[]"));
    size_t n = is_pair ? 2 : 0;
    while (!is_pair && n < SYMBOL_MAX && n < rest.len && memchr("+-*/%^&|~!=<>,", rest.ptr[n], 14))
        n++;
    size_t behind = ken_lang__skip_space(s, at + n);
    bool is_called =
        n && behind < s.len && (s.ptr[behind] == '(' || (is_pair && s.ptr[behind] == '<'));
    return is_called ? n : 0;
}

void ken_lang__mask_operators(lang_masked *out, ken_str text)
{
    static const ken_str word = { "operator", 8 };
    for (size_t at = 0; at < text.len;) {
        size_t found = ken_str_find(ken_str_sub(text, at, text.len), word);
        if (found == SIZE_MAX)
            return;
        size_t from = at + found;
        at = from + word.len;
        bool is_word = !from || !ken_is_word(text.ptr[from - 1]);
        size_t n = is_word && is_in_expression(text, from) ? called_symbol(text, at) : 0;
        if (n && ken_lang__begin_copy(out, text))
            memset(out->text + at, '_', n);
    }
}
