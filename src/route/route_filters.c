// SPDX-License-Identifier: MIT
#include "route/route_filters.h"

#include <string.h>

enum {
    STATEMENT_MAX = 2000
};

static bool is_name_char(char c)
{
    return ken_is_word(c) || c == '?' || c == '!';
}

// A statement may go on behind a comma, and in open brackets.
static ken_str statement_of(ken_str text)
{
    int depth = 0;
    char last = '\0';
    for (size_t i = 0; i < text.len && i < STATEMENT_MAX; i++) {
        char c = text.ptr[i];
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        bool is_over = depth <= 0 && ((c == '\n' && last != ',') || c == ';' || c == '#');
        if (is_over)
            return ken_str_sub(text, 0, i);
        last = ken_is_space(c) ? last : c;
    }
    return ken_str_sub(text, 0, STATEMENT_MAX < text.len ? STATEMENT_MAX : text.len);
}

// Takes what stands before the next comma that is in no brackets off the front.
static bool next_argument(ken_str *rest, ken_str *out)
{
    int depth = 0;
    size_t i = 0;
    if (!rest->len)
        return false;
    for (; i < rest->len && (depth > 0 || rest->ptr[i] != ','); i++) {
        depth += rest->ptr[i] == '(' || rest->ptr[i] == '[' || rest->ptr[i] == '{';
        depth -= rest->ptr[i] == ')' || rest->ptr[i] == ']' || rest->ptr[i] == '}';
    }
    *out = ken_str_trim(ken_str_sub(*rest, 0, i));
    *rest = ken_str_sub(*rest, i < rest->len ? i + 1 : i, rest->len);
    return true;
}

// Names in `:show`, `[:show, :edit]`, `%i[show edit]`.
static size_t words_of(ken_str value, ken_str out[KEN_FILTER_WORDS])
{
    size_t n = 0, i = 0;
    if (ken_str_starts(value, KEN_STR("%i")) || ken_str_starts(value, KEN_STR("%w")))
        i = 2;
    while (i < value.len && n < KEN_FILTER_WORDS) {
        size_t from = i;
        while (i < value.len && is_name_char(value.ptr[i]))
            i++;
        if (i > from)
            out[n++] = ken_str_sub(value, from, i);
        else
            i++;
    }
    return n;
}

// The value of `only: …` or `:only => …`; false when the argument is none of these.
static bool option_of(ken_str arg, const char *name, ken_str *out)
{
    size_t n = strlen(name);
    ken_str rest = arg.len && arg.ptr[0] == ':' ? ken_str_sub(arg, 1, arg.len) : arg;
    if (!ken_str_starts(rest, ken_str_c(name)))
        return false;
    rest = ken_str_trim(ken_str_sub(rest, n, rest.len));
    bool is_arrow = ken_str_starts(rest, KEN_STR("=>"));
    if (!is_arrow && !(rest.len && rest.ptr[0] == ':' && rest.ptr != arg.ptr))
        return false;
    *out = ken_str_trim(ken_str_sub(rest, is_arrow ? 2 : 1, rest.len));
    return true;
}

// Reads one statement into filters of which each has a name; conditional ones are none.
static size_t read_statement(ken_str text, bool is_skip, ken_route_filter *out, size_t max)
{
    ken_route_filter common = { .is_skip = is_skip };
    ken_str names[KEN_FILTER_WORDS] = { { NULL, 0 } }, arg, value;
    size_t n_names = 0, n = 0;
    text = ken_str_trim(text);
    if (ken_str_starts(text, KEN_STR("(")) && ken_str_ends(text, KEN_STR(")")))
        text = ken_str_sub(text, 1, text.len - 1);
    while (next_argument(&text, &arg)) {
        if (option_of(arg, "only", &value)) {
            common.n_only = words_of(value, common.only);
            common.has_only = true;
        } else if (option_of(arg, "except", &value)) {
            common.n_except = words_of(value, common.except);
        } else if (option_of(arg, "if", &value) || option_of(arg, "unless", &value)) {
            return 0;
        } else if (arg.len > 1 && arg.ptr[0] == ':' && n_names < KEN_FILTER_WORDS) {
            names[n_names++] = ken_str_sub(arg, 1, arg.len);
        }
    }
    for (; n < n_names && n < max; n++) {
        out[n] = common;
        out[n].name = names[n];
    }
    return n;
}

size_t ken_route_filters(ken_str body, ken_arena *arena, ken_route_filter **out)
{
    static const char *const words[] = { "before_action",        "prepend_before_action",
                                         "append_before_action", "before_filter",
                                         "around_action",        "skip_before_action" };
    size_t n = 0;
    ken_str line;
    *out = KEN_ARENA_ARRAY(arena, ken_route_filter, KEN_FILTERS_MAX);
    for (ken_str rest = body; ken_str_line_next(&rest, &line);) {
        ken_str start = ken_str_trim(line);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t len = strlen(words[i]);
            if (!ken_str_starts(start, ken_str_c(words[i])) || start.len == len ||
                is_name_char(start.ptr[len]))
                continue;
            size_t at = (size_t)(start.ptr - body.ptr) + len;
            ken_str statement = statement_of(ken_str_sub(body, at, body.len));
            n += read_statement(statement, words[i][0] == 's', *out + n, KEN_FILTERS_MAX - n);
        }
    }
    return n;
}

bool ken_route_filter_holds(const ken_route_filter *f, ken_str action)
{
    bool is_in = !f->has_only;
    for (size_t i = 0; i < f->n_only; i++)
        is_in |= ken_str_eq(f->only[i], action);
    for (size_t i = 0; i < f->n_except; i++)
        is_in &= !ken_str_eq(f->except[i], action);
    return is_in;
}
