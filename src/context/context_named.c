// SPDX-License-Identifier: MIT
// Names that a question says as they are written: "Session.request", "max_redirects", "`run`",
// "parse()". What is written like a sentence's word is none, unless it has a capital of its own.
#include "base/str.h"
#include "context/context_gather_priv.h"

// At `at` begins what joins two names: ".", "::", "->", "#"; its length, 0 = nothing does.
static size_t joiner_at(ken_str text, size_t at)
{
    static const char *const joiners[] = { "::", "->", ".", "#" };
    for (size_t i = 0; i < sizeof joiners / sizeof *joiners; i++) {
        ken_str j = ken_str_c(joiners[i]);
        if (ken_str_starts(ken_str_sub(text, at, text.len), j) && at + j.len < text.len &&
            (ken_is_alpha(text.ptr[at + j.len]) || text.ptr[at + j.len] == '_'))
            return j.len;
    }
    return 0;
}

// Ends a name with its qualifiers.
static size_t name_end(ken_str text, size_t at, bool *out_is_joined)
{
    *out_is_joined = false;
    for (;;) {
        while (at < text.len && ken_is_word(text.ptr[at]))
            at++;
        size_t n = joiner_at(text, at);
        if (!n)
            return at;
        *out_is_joined = true;
        at += n;
    }
}

static bool has_shape(ken_str name)
{
    for (size_t i = 1; i < name.len; i++)
        if (name.ptr[i] == '_' || (ken_is_upper(name.ptr[i]) && !ken_is_upper(name.ptr[i - 1])))
            return true;
    return false;
}

bool ken_context__next_name(ken_str question, size_t *at, ken_str *out)
{
    while (*at < question.len) {
        size_t from = *at, to;
        bool is_joined, is_quoted = from && question.ptr[from - 1] == '`';
        if (!ken_is_alpha(question.ptr[from]) && question.ptr[from] != '_') {
            // A number is no beginning of a name.
            while (*at < question.len && ken_is_word(question.ptr[*at]))
                ++*at;
            *at += *at == from;
            continue;
        }
        to = *at = name_end(question, from, &is_joined);
        ken_str name = ken_str_sub(question, from, to);
        bool is_called = to < question.len && question.ptr[to] == '(',
             is_capital = from && ken_is_upper(name.ptr[0]);
        if (is_joined || is_quoted || is_called || is_capital || has_shape(name)) {
            *out = name;
            return true;
        }
    }
    return false;
}
