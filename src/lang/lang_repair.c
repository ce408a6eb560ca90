// SPDX-License-Identifier: MIT
// A second reading of TypeScript that its grammar could not follow: what it does not know is
// written so that it does, at equal length, and everything else stays where it is.
//
//     members of a type on lines of their own, without `;`      a `;` in the indentation
//     `export type * from`                                      without `type`
//     `<in T, out U>`                                           without `in` and `out`
//     `f<typeof import('x')>()`                                 `f<any                 >()`
//
// A scanner knows texts, templates, comments and brackets, and which braces hold the members of a
// type. Where it errs, the tree with less damage stays (lang_parse.c).
#include <string.h>

#include "base/vec.h"
#include "lang/lang_priv.h"

typedef struct bracket {
    char open;
    bool is_type;      // the braces of a type
    bool has_pending;  // `interface` or `type` came, whose braces are to come
    bool is_complete;  // in a type: the member so far has a type or parameters
    bool is_template;  // `${` of a template
    uint32_t n_angles; // in a type: `<` that are open
} bracket;

typedef struct scanner {
    ken_str text;
    char *out;
    size_t at;
    KEN_VEC(bracket) open;
    ken_str last;   // the last word or character of code
    size_t line_at; // where the present line begins
    bool is_changed;
} scanner;

static char byte_at(const scanner *s, size_t at)
{
    return at < s->text.len ? s->text.ptr[at] : '\0';
}

static bool is_word_byte(char c)
{
    return ken_is_word(c) || c == '$' || (unsigned char)c >= 0x80;
}

static bool is_blank_byte(char c)
{
    return c == ' ' || c == '\t';
}

static bracket *top(scanner *s)
{
    return &s->open.ptr[s->open.len - 1];
}

static void put(scanner *s, size_t from, size_t to, const char *with)
{
    size_t n = strlen(with);
    for (size_t i = from; i < to; i++)
        s->out[i] = i - from < n ? with[i - from] : ' ';
    s->is_changed = true;
}

static size_t skip_blanks(const scanner *s, size_t at)
{
    while (is_blank_byte(byte_at(s, at)) || byte_at(s, at) == '\n' || byte_at(s, at) == '\r')
        at++;
    return at;
}

// ---- what is no code ---------------------------------------------------------------------------

static size_t behind_text(const scanner *s, size_t at)
{
    char quote = byte_at(s, at++);
    for (; at < s->text.len && byte_at(s, at) != quote && byte_at(s, at) != '\n'; at++)
        at += byte_at(s, at) == '\\';
    return at < s->text.len ? at + 1 : at;
}

// The rest of a template; `${` opens code.
static void skip_template(scanner *s)
{
    while (s->at < s->text.len) {
        char c = byte_at(s, s->at);
        if (c == '$' && byte_at(s, s->at + 1) == '{') {
            s->at += 2;
            ken_vec_push(&s->open, ((bracket){ .open = '{', .is_template = true }));
            s->last = KEN_STR("{");
            return;
        }
        s->at += c == '\\' ? 2 : 1;
        if (c == '`')
            break;
    }
    s->last = KEN_STR("`");
}

// A division stands behind a value, a regular expression does not.
static bool begins_regex(const scanner *s)
{
    static const char *const words[] = { "return", "typeof", "case", "in", "of", "delete", "void" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ken_str_eq_c(s->last, words[i]))
            return true;
    return !s->last.len || (!is_word_byte(s->last.ptr[0]) && !memchr(")]}\"'`", s->last.ptr[0], 6));
}

static size_t behind_regex(const scanner *s, size_t at)
{
    bool is_in_class = false;
    for (at++; at < s->text.len && byte_at(s, at) != '\n'; at++) {
        char c = byte_at(s, at);
        if (c == '/' && !is_in_class)
            return at + 1;
        is_in_class = c == '[' || (is_in_class && c != ']');
        at += c == '\\';
    }
    return at;
}

// True when something that is no code was passed over.
static bool skip_no_code(scanner *s)
{
    char c = byte_at(s, s->at), next = byte_at(s, s->at + 1);
    if (c == '/' && (next == '/' || next == '*')) {
        ken_str rest = ken_str_sub(s->text, s->at + 2, s->text.len);
        size_t n = ken_str_find(rest, next == '/' ? KEN_STR("\n") : KEN_STR("*/"));
        if (next == '*' && n != SIZE_MAX)
            n += 2;
        s->at = n == SIZE_MAX ? s->text.len : s->at + 2 + n;
        return true;
    }
    if (c == '"' || c == '\'') {
        s->last = ken_str_sub(s->text, s->at, s->at + 1);
        s->at = behind_text(s, s->at);
        return true;
    }
    if (c == '`') {
        s->at++;
        skip_template(s);
        return true;
    }
    if (c == '/' && begins_regex(s)) {
        s->at = behind_regex(s, s->at);
        s->last = KEN_STR("`");
        return true;
    }
    return false;
}

// ---- members without a separator ---------------------------------------------------------------

// What a type goes on behind.
static bool is_open_word(ken_str word)
{
    static const char *const words[] = { "extends", "keyof", "typeof", "infer",   "is",
                                         "new",     "in",    "as",     "asserts", "readonly",
                                         "unique",  "get",   "set",    "abstract" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ken_str_eq_c(word, words[i]))
            return true;
    return false;
}

static bool ends_a_type(ken_str last, char before)
{
    if (!last.len || is_open_word(last))
        return false;
    if (last.ptr[0] == '>')
        return before != '=';
    return is_word_byte(last.ptr[0]) || memchr(")]}\"'`", last.ptr[0], 6);
}

// `in?: T`, `in: T`, and `in2: T`, of which the grammar's scanner sees an operator.
static bool is_keyword_member(const scanner *s, size_t at)
{
    size_t end = at;
    while (is_word_byte(byte_at(s, end)))
        end++;
    ken_str word = ken_str_sub(s->text, at, end);
    bool is_in =
        ken_str_starts(word, KEN_STR("in")) && (word.len == 2 || !ken_is_alpha(word.ptr[2]));
    if (!is_in && !ken_str_eq_c(word, "instanceof"))
        return false;
    return byte_at(s, end) == ':' || (byte_at(s, end) == '?' && byte_at(s, end + 1) == ':');
}

// At the first code of a line: a `;` into its indentation when a member begins there that nothing
// tells from the one before.
static void separate(scanner *s)
{
    bracket *b = top(s);
    char c = byte_at(s, s->at);
    if (!b->is_type || !b->is_complete || b->n_angles || s->at == s->line_at ||
        !is_blank_byte(byte_at(s, s->at - 1)))
        return;
    size_t last_at = s->last.ptr > s->text.ptr ? (size_t)(s->last.ptr - s->text.ptr) : 0;
    if ((c != '<' && c != '(' && !is_keyword_member(s, s->at)) ||
        !ends_a_type(s->last, last_at ? byte_at(s, last_at - 1) : '\0'))
        return;
    put(s, s->at - 1, s->at, ";");
    b->is_complete = false;
}

// ---- words -------------------------------------------------------------------------------------

static ken_str word_at(const scanner *s, size_t at)
{
    size_t end = at;
    while (is_word_byte(byte_at(s, end)))
        end++;
    return ken_str_sub(s->text, at, end);
}

// `in T` and `out T` at the beginning of a type parameter.
static bool is_variance(const scanner *s, ken_str word, size_t end)
{
    bool is_first = s->last.len == 1 && (s->last.ptr[0] == '<' || s->last.ptr[0] == ',');
    bool is_second = ken_str_eq_c(s->last, "in") && ken_str_eq_c(word, "out");
    size_t next = skip_blanks(s, end);
    return (ken_str_eq_c(word, "in") || ken_str_eq_c(word, "out")) && (is_first || is_second) &&
           next > end && is_word_byte(byte_at(s, next)) &&
           !ken_str_eq_c(word_at(s, next), "extends");
}

// `typeof import('x')` between < and >.
static size_t behind_type_of_import(const scanner *s, size_t end)
{
    size_t at = skip_blanks(s, end);
    if (!ken_str_eq_c(s->last, "<") || !ken_str_eq_c(word_at(s, at), "import"))
        return 0;
    at = skip_blanks(s, at + 6);
    size_t text = skip_blanks(s, at + 1);
    if (byte_at(s, at) != '(' || !memchr("'\"", byte_at(s, text), 2) || !byte_at(s, text))
        return 0;
    at = skip_blanks(s, behind_text(s, text));
    return byte_at(s, at) == ')' && byte_at(s, skip_blanks(s, at + 1)) == '>' ? at + 1 : 0;
}

static bool begins_statement(ken_str last)
{
    return !last.len || memchr(";{}", last.ptr[0], 3) || ken_str_eq_c(last, "export") ||
           ken_str_eq_c(last, "declare") || ken_str_eq_c(last, "default");
}

static bool is_statement_word(ken_str word)
{
    static const char *const words[] = { "export", "const",  "let",     "var",   "function",
                                         "class",  "import", "declare", "return" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ken_str_eq_c(word, words[i]))
            return true;
    return false;
}

static void take_word(scanner *s, bool is_first_of_line)
{
    ken_str word = word_at(s, s->at);
    size_t end = s->at + word.len, next = skip_blanks(s, end);
    bool is_name_next = is_word_byte(byte_at(s, next));
    if (ken_str_eq_c(word, "type") && ken_str_eq_c(s->last, "export") && byte_at(s, next) == '*') {
        put(s, s->at, end, "");
    } else if (is_variance(s, word, end)) {
        put(s, s->at, end, "");
        if (ken_str_eq_c(s->last, "<") || ken_str_eq_c(s->last, ",")) {
            s->at = end; // what is before it is before the name
            return;
        }
    } else if (ken_str_eq_c(word, "typeof") && behind_type_of_import(s, end)) {
        size_t behind = behind_type_of_import(s, end);
        put(s, s->at, behind, "any");
        s->at = behind;
        s->last = word;
        return;
    } else if (is_name_next &&
               (ken_str_eq_c(word, "interface") ||
                (ken_str_eq_c(word, "type") && (is_first_of_line || begins_statement(s->last))))) {
        top(s)->has_pending = true;
    } else if (is_first_of_line && is_statement_word(word)) {
        top(s)->has_pending = false;
    }
    s->at = end;
    s->last = word;
}

// ---- the walk ----------------------------------------------------------------------------------

static void open_bracket(scanner *s, char c)
{
    bracket *b = top(s);
    bool is_inside = b->is_type || b->has_pending; // what is said is a type
    bracket inner = { .open = c,
                      .is_type = c == '{' && is_inside,
                      .has_pending = c != '{' && is_inside };
    if (c == '(' && b->is_type)
        b->is_complete = true;
    ken_vec_push(&s->open, inner);
}

static void close_bracket(scanner *s)
{
    bool is_template = top(s)->is_template, was_type = top(s)->is_type;
    if (s->open.len > 1)
        s->open.len--;
    s->at++;
    s->last = ken_str_sub(s->text, s->at - 1, s->at);
    if (is_template)
        skip_template(s);
    else if (was_type && !top(s)->is_type && s->open.len == 1)
        top(s)->has_pending = top(s)->has_pending && byte_at(s, skip_blanks(s, s->at)) != '\0';
}

static void take_code(scanner *s)
{
    char c = byte_at(s, s->at);
    bracket *b = top(s);
    if (c == '{' || c == '(' || c == '[') {
        open_bracket(s, c);
    } else if (c == '}' || c == ')' || c == ']') {
        close_bracket(s);
        return;
    } else if (c == '<') {
        b->n_angles += b->is_type;
    } else if (c == '>') {
        b->n_angles -= b->n_angles && !ken_str_eq_c(s->last, "=");
    } else if (c == ';' || (c == ',' && !b->n_angles)) {
        b->is_complete = false;
        b->n_angles = 0;
        b->has_pending = b->has_pending && (c == ',' || b->open == '(' || b->open == '[');
    } else if (c == ':') {
        b->is_complete = b->is_type || b->is_complete;
    }
    s->last = ken_str_sub(s->text, s->at, s->at + 1);
    s->at++;
}

bool ken_lang__repair(ken_str text, char *out)
{
    enum {
        DEEPEST = 10000
    };
    scanner s = { .text = text, .out = out };
    memcpy(out, text.ptr, text.len);
    ken_vec_push(&s.open, ((bracket){ .open = '\0' }));
    bool is_first = true;
    while (s.at < text.len && s.open.len < DEEPEST) {
        char c = text.ptr[s.at];
        if (c == '\n') {
            is_first = true;
            s.line_at = ++s.at;
        } else if (is_blank_byte(c) || c == '\r') {
            s.at++;
        } else {
            if (is_first && !(c == '/' && memchr("/*", byte_at(&s, s.at + 1), 2)))
                separate(&s);
            bool is_comment = c == '/' && memchr("/*", byte_at(&s, s.at + 1), 2);
            if (!skip_no_code(&s)) {
                if (is_word_byte(c))
                    take_word(&s, is_first);
                else
                    take_code(&s);
            }
            is_first = is_first && is_comment;
        }
    }
    ken_vec_release(&s.open);
    return s.is_changed;
}
