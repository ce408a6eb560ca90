// SPDX-License-Identifier: MIT
// Values assigned to a name, in the syntax of languages, settings, shells, headers and markup
// write it, and passwords in URLs.
#include "secret/secret_priv.h"

enum {
    TAIL_MAX = 32, // of a name behind the word that the table has
    BLANKS_MAX = 24,
    LEAD_MAX = 24, // characters before the word that are examined
    TYPE_MAX = 24,
    CLOSERS_MAX = 4,
};

typedef struct reader {
    const char *p, *end;
} reader;

static unsigned char peek(const reader *r)
{
    return r->p < r->end ? secret_peek(r->p, r->end).c : 0;
}

static void skip(reader *r)
{
    r->p += secret_peek(r->p, r->end).n;
}

static bool is_quote(unsigned char c)
{
    return c == '"' || c == '\'' || c == '`';
}

static size_t skip_blanks(reader *r, bool with_lines)
{
    size_t n = 0;
    for (unsigned char c; n < BLANKS_MAX && (c = peek(r)) != 0; n++) {
        if (c != ' ' && c != '\t' && !(with_lines && (c == '\n' || c == '\r')))
            break;
        skip(r);
    }
    return n;
}

static bool take_word(reader *r, const char *word)
{
    reader x = *r;
    for (; *word; word++, skip(&x))
        if ((unsigned char)ken_lower((char)peek(&x)) != (unsigned char)*word)
            return false;
    *r = x;
    return true;
}

static bool has_any(ken_str s, const char *const *words)
{
    for (; *words; words++) {
        size_t n = strlen(*words);
        for (size_t i = 0; i + n <= s.len; i++)
            if (ken_str_eq_fold(ken_str_sub(s, i, i + n), ken_str_n(*words, n)))
                return true;
    }
    return false;
}

// ---- the name ----------------------------------------------------------------------------------

// The rest of the name. A name goes on with another word, not with letters of the same one.
static bool read_tail(reader *r, bool is_strict)
{
    static const char *const others[] = { "hash",  "digest", "path",    "file",  "url",
                                          "uri",   "name",   "type",    "regex", "label",
                                          "field", "expir",  "length",  "size",  "prefix",
                                          "sha",   "finger", "version", "count", "place",
                                          "hint",  NULL };
    static const char *const more[] = { "key", "value", "string", "text", "s", NULL };
    char tail[TAIL_MAX];
    size_t n = 0;
    char last = r->p[-1];
    const char *from = r->p;
    while (n < TAIL_MAX && r->p < r->end && (ken_is_word(*r->p) || *r->p == '-' || *r->p == '.'))
        tail[n++] = *r->p++;
    if (!is_strict)
        return true;
    ken_str text = ken_str_n(tail, n);
    if (n && tail[0] >= 'a' && tail[0] <= 'z' && last >= 'a' && last <= 'z') {
        bool goes_on = true;
        for (const char *const *m = more; *m; m++)
            goes_on &= !ken_str_starts(text, ken_str_c(*m));
        if (goes_on)
            return false;
    }
    bool is_id = n >= 2 && ken_lower(tail[n - 1]) == 'd' && ken_lower(tail[n - 2]) == 'i' &&
                 r->p - from == (ptrdiff_t)n;
    return n < TAIL_MAX && !is_id && !has_any(text, others);
}

static ken_str lead_of(const secret_text *t, const char *p)
{
    const char *from = p;
    while (from > t->start && p - from < LEAD_MAX && (ken_is_word(from[-1]) || from[-1] == '-'))
        from--;
    return ken_str_n(from, (size_t)(p - from));
}

// ---- the sign ----------------------------------------------------------------------------------

// `: str = `, `: Option<String> =`, `string =`
static void skip_type(reader *r)
{
    reader x = *r;
    size_t n = 0;
    for (unsigned char c; n < TYPE_MAX && (c = peek(&x)) != 0; n++, skip(&x))
        if (!ken_is_word((char)c) && !strchr("<>[]?|*&: .", c))
            break;
    if (n && n < TYPE_MAX && peek(&x) == '=')
        *r = x;
}

// `"value": `, `value=` after the name of a pair.
static bool hop_to_value(reader *r)
{
    reader x = *r;
    if (peek(&x) == ',')
        skip(&x);
    if (!skip_blanks(&x, true))
        return false;
    if (is_quote(peek(&x)))
        skip(&x);
    if (!take_word(&x, "value"))
        return false;
    if (is_quote(peek(&x)))
        skip(&x);
    *r = x;
    return true;
}

// From behind the name to the value; false when nothing is assigned. `is_flag`: a blank is enough.
static bool skip_sign(reader *r, bool is_flag)
{
    size_t n_quotes = 0, n = 0;
    for (; n < CLOSERS_MAX && (is_quote(peek(r)) || peek(r) == ']' || peek(r) == ')'); n++) {
        n_quotes += is_quote(peek(r));
        skip(r);
    }
    if (hop_to_value(r))
        n_quotes = 0;
    size_t n_blanks = skip_blanks(r, false);
    unsigned char c = peek(r);
    if (c == ':' || c == '=' || c == '>' || (c == ',' && n_quotes)) {
        skip(r);
        for (int i = 0; i < 3 && (peek(r) == '=' || peek(r) == '>' || peek(r) == ':'); i++)
            skip(r);
        skip_blanks(r, false);
        if (c == ':')
            skip_type(r);
        if (peek(r) == '=') {
            skip(r);
            skip_blanks(r, false);
        }
        return true;
    }
    if (n_blanks && ken_is_alpha((char)c)) { // `password string = `
        reader x = *r;
        skip_type(&x);
        if (x.p != r->p) {
            skip(&x);
            skip_blanks(&x, false);
            *r = x;
            return true;
        }
    }
    return is_flag && n_blanks && !n;
}

// ---- the value ---------------------------------------------------------------------------------

typedef struct value_place {
    const char *from, *to;
    bool is_quoted;
    secret_value text;
} value_place;

// b"", r'', f"", @"", L""
static void skip_string_prefix(reader *r)
{
    reader x = *r;
    for (int i = 0; i < 2 && peek(&x) && strchr("bBrRuUfFLn@$", peek(&x)); i++)
        skip(&x);
    if (x.p != r->p && is_quote(peek(&x)))
        *r = x;
}

static bool read_value(reader *r, value_place *v)
{
    skip_string_prefix(r);
    unsigned char quote = is_quote(peek(r)) ? peek(r) : 0;
    for (int i = 0; quote && i < 3 && peek(r) == quote; i++)
        skip(r);
    v->is_quoted = quote != 0;
    v->from = r->p;
    v->text.n = 0;
    for (unsigned char c; (c = peek(r)) != 0 && v->text.n < SECRET_VALUE_MAX; skip(r)) {
        if (c <= ' ' || c >= 0x7f || c == quote || (!quote && (is_quote(c) || strchr(",;&<>", c))))
            break;
        v->text.bytes[v->text.n++] = (char)c;
    }
    v->to = r->p;
    return v->text.n > 0 && (!quote || peek(r) == quote || peek(r) == '\n' || !peek(r));
}

// Without what closes around it in code: `f(x=abc)`, "{x=abc%7D".
static void trim_value(value_place *v)
{
    size_t n = v->text.n;
    while (!v->is_quoted && n && strchr(")]}.|", v->text.bytes[n - 1]))
        n--;
    if (n == v->text.n)
        return;
    v->text.n = n;
    const char *to = v->from; // a character may be several bytes
    while (n--)
        to += secret_peek(to, v->to).n;
    v->to = to;
}

static bool is_code(const value_place *v)
{
    ken_str s = ken_str_n(v->text.bytes, v->text.n);
    if (v->is_quoted)
        return ken_str_find(s, KEN_STR("${")) != SIZE_MAX ||
               ken_str_find(s, KEN_STR("{{")) != SIZE_MAX;
    for (size_t i = 0; i < s.len; i++)
        if (strchr("()[]{}$|", s.ptr[i]) ||
            (s.ptr[i] == ':' && i + 1 < s.len && s.ptr[i + 1] == ':'))
            return true;
    return ken_str_find(s, KEN_STR("->")) != SIZE_MAX;
}

static bool is_value(const secret_rule *r, const value_place *v)
{
    ken_str s = ken_str_n(v->text.bytes, v->text.n);
    if (r->how == SECRET_NAMED) {
        secret_value x;
        const char *to = ken_secret__match(r->body, v->from, v->to, &x);
        return to && to == v->to && ken_secret__is_key_like(s);
    }
    if (is_code(v))
        return false;
    if (r->how == SECRET_PASSWORD)
        return ken_secret__is_password(s, false) || ken_secret__is_random(s);
    return ken_secret__is_random(s);
}

static bool is_flag_of(const secret_text *t, const secret_rule *r, const char *p, ken_str lead)
{
    bool is_option = lead.len >= 2 && lead.ptr[0] == '-';
    if (is_option || ken_str_eq(ken_str_c(r->head), KEN_STR("bearer")))
        return true;
    const char *from = p - t->start > 120 ? p - 120 : t->start;
    static const char *const netrc[] = { "login ", NULL };
    return r->how == SECRET_PASSWORD && !lead.len &&
           has_any(ken_str_n(from, (size_t)(p - from)), netrc);
}

// A value without an end may hold many names, and each would read it again.
static const char *spend_value(secret_text *t, const char *p, const char *to)
{
    if (p < t->value.to)
        t->value.n++;
    else
        t->value = (secret_spent){ to, 1 };
    return NULL;
}

const char *ken_secret__try_named(secret_text *t, const secret_rule *r, const char *p)
{
    static const char *const others[] = { "public",  "next", "page",   "csrf", "xsrf",
                                          "continu", "sync", "cancel", NULL };
    ken_str lead = lead_of(t, p);
    bool is_strict = r->how != SECRET_NAMED;
    bool is_short = r->head_len <= 4 && r->how == SECRET_NAMED;
    if ((is_short && lead.len && ken_is_alpha(lead.ptr[lead.len - 1])) ||
        (is_strict && has_any(lead, others)))
        return NULL;
    reader x = { p + r->head_len, t->end };
    value_place v;
    if (ken_secret__is_spent(&t->value, p) || !read_tail(&x, is_strict) ||
        !skip_sign(&x, is_flag_of(t, r, p, lead)))
        return NULL;
    // "Authorization: Bearer x", "token: Token x"
    if (!take_word(&x, "bearer ") && !take_word(&x, "token "))
        (void)take_word(&x, "apikey ");
    if (!read_value(&x, &v))
        return spend_value(t, p, v.to);
    trim_value(&v);
    if (!is_value(r, &v))
        return spend_value(t, p, v.to);
    ken_secret__hide(t, v.from, v.to, r->kind);
    return v.to;
}

// ---- scheme://user:password@host ---------------------------------------------------------------

const char *ken_secret__try_url(secret_text *t, const secret_rule *r, const char *p)
{
    reader x = { p, t->end };
    for (int i = 0; i < 3; i++, skip(&x)) // however it is written
        if (peek(&x) != (unsigned char)"://"[i])
            return NULL;
    (void)r;
    secret_value v = { .n = 0 };
    const char *from = NULL, *at = NULL;
    size_t n_at = 0;
    unsigned char before[2] = { 0 };
    for (int i = 0; i < 512; i++, skip(&x)) {
        unsigned char c = peek(&x);
        bool is_raw = x.p < x.end && secret_peek(x.p, x.end).n == 1;
        if (c <= ' ' || c >= 0x7f || is_quote(c) || strchr("<>\\", c) || (c == '/' && is_raw))
            break;
        // The sign of another URL, however it is written: that one is examined by itself.
        if (c == '/' && before[0] == '/' && before[1] == ':')
            break;
        before[1] = before[0];
        before[0] = c;
        if (c == ':' && !from) {
            from = x.p + secret_peek(x.p, x.end).n;
            continue;
        }
        if (c == '@' && from) {
            at = x.p;
            n_at = v.n;
        }
        if (from && v.n < SECRET_VALUE_MAX)
            v.bytes[v.n++] = (char)c;
    }
    ken_str s = ken_str_n(v.bytes, n_at);
    if (!at || !(ken_secret__is_password(s, true) || ken_secret__is_random(s)))
        return NULL;
    ken_secret__hide(t, from, at, KEN_SECRET_URL_PASSWORD);
    return at;
}
