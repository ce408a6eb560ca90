// SPDX-License-Identifier: MIT
// Characters as the escapes around them spell them, and bodies of the table.
#include "secret/secret_priv.h"

// `n` hexadecimal digits; -1 when they are not there.
static int hex(const char *p, const char *end, int n)
{
    int v = 0;
    if (end - p < n)
        return -1;
    for (int i = 0; i < n; i++) {
        int d = ken_hex_digit(p[i]);
        if (d < 0)
            return -1;
        v = v << 4 | d;
    }
    return v;
}

static secret_char ascii_or(int code, size_t n, char raw)
{
    if (code > 0 && code < 0x80)
        return (secret_char){ (unsigned char)code, (uint8_t)n };
    return (secret_char){ (unsigned char)raw, 1 };
}

enum {
    BACKSLASHES_MAX = 8 // "\\\\n": escaped twice
};

static secret_char peek_backslash(const char *p, const char *end)
{
    static const char letters[] = "ntrbfv0", means[] = "\n\t\r    ";
    size_t k = 1;
    while (k < BACKSLASHES_MAX && p + k < end && p[k] == '\\')
        k++;
    if (p + k >= end)
        return (secret_char){ '\\', 1 };
    char c = p[k];
    const char *l = c ? memchr(letters, c, sizeof letters - 1) : NULL;
    if (l)
        return (secret_char){ (unsigned char)means[l - letters], (uint8_t)(k + 1) };
    if (c == 'u' || c == 'x') {
        int n = c == 'u' ? 4 : 2;
        return ascii_or(hex(p + k + 1, end, n), k + 1 + (size_t)n, '\\');
    }
    bool is_sign = c > ' ' && c < 0x7f && !ken_is_word(c);
    return is_sign ? (secret_char){ (unsigned char)c, (uint8_t)(k + 1) } : (secret_char){ '\\', 1 };
}

static secret_char peek_entity(const char *p, const char *end)
{
    static const struct {
        const char *text;
        char c;
    } names[] = { { "&quot;", '"' }, { "&amp;", '&' },   { "&lt;", '<' },
                  { "&gt;", '>' },   { "&apos;", '\'' }, { "&nbsp;", ' ' } };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i].text);
        if ((size_t)(end - p) >= n && memcmp(p, names[i].text, n) == 0)
            return (secret_char){ (unsigned char)names[i].c, (uint8_t)n };
    }
    if (end - p < 4 || p[1] != '#')
        return (secret_char){ '&', 1 };
    bool is_hex = p[2] == 'x' || p[2] == 'X';
    const char *at = p + 2 + is_hex, *limit = end - p > 9 ? p + 9 : end;
    int v = 0;
    for (; at < limit && *at != ';'; at++) {
        int d = ken_hex_digit(*at);
        if (d < 0 || (!is_hex && d > 9))
            return (secret_char){ '&', 1 };
        v = v * (is_hex ? 16 : 10) + d;
    }
    return at < limit ? ascii_or(v, (size_t)(at - p) + 1, '&') : (secret_char){ '&', 1 };
}

secret_char ken_secret__peek_slow(const char *p, const char *end)
{
    if (*p == '\\')
        return peek_backslash(p, end);
    if (*p == '&')
        return peek_entity(p, end);
    if (end - p >= 5 && p[1] == '2' && p[2] == '5' && hex(p + 3, end, 2) > 0) // "%2541"
        return ascii_or(hex(p + 3, end, 2), 5, '%');
    return ascii_or(hex(p + 1, end, 2), 3, '%');
}

bool ken_secret__is_after_escape(const char *start, const char *p)
{
    for (int n = 2; n <= 6 && p - start >= n; n++) {
        if (p[-n] != '\\' && p[-n] != '%')
            continue;
        secret_char c = secret_peek(p - n, p);
        if (c.n == n && !ken_is_word((char)c.c))
            return true;
    }
    return false;
}

bool ken_secret__is_in(char set, unsigned char u)
{
    char c = (char)u;
    bool is_alnum = ken_is_alpha(c) || ken_is_digit(c);
    switch (set) {
    case 'd':
        return ken_is_digit(c);
    case 'x':
        return ken_is_digit(c) || (ken_lower(c) >= 'a' && ken_lower(c) <= 'f');
    case 'l':
        return ken_is_digit(c) || (c >= 'a' && c <= 'z');
    case 'U':
        return ken_is_digit(c) || ken_is_upper(c);
    case 'w':
        return is_alnum || c == '_';
    case 'u':
        return is_alnum || c == '_' || c == '-';
    case '.':
        return is_alnum || c == '_' || c == '-' || c == '.';
    case 'p':
        return is_alnum || c == '_' || c == '-' || c == '/';
    case 'b':
        return is_alnum || c == '+' || c == '/' || c == '=';
    case 'B':
        return is_alnum || c == '+' || c == '/' || c == '=' || c == '_' || c == '-';
    case 's':
        return u > ' ' && u < 0x7f && c != '"' && c != '\'' && c != '`';
    default:
        return is_alnum;
    }
}

// ---- bodies ------------------------------------------------------------------------------------

static size_t read_number(const char **at)
{
    size_t n = 0;
    while (ken_is_digit(**at))
        n = n * 10 + (size_t)(*(*at)++ - '0');
    return n;
}

static void add_value_byte(secret_value *value, unsigned char c)
{
    if (value->n < SECRET_VALUE_MAX)
        value->bytes[value->n++] = (char)c;
}

// One class; `body` is after the '%'.
static const char *match_class(const char **body, const char *p, const char *end,
                               secret_value *value)
{
    const char *at = *body;
    char set = *at;
    at += 2; // the letter and '{'
    size_t min = read_number(&at), max = min, n = 0;
    if (*at == ',') {
        at++;
        max = *at == '}' ? SIZE_MAX : read_number(&at);
    }
    *body = at + 1;
    while (p < end) {
        secret_char c = secret_peek(p, end);
        bool is_break = c.n > 1 && c.c == '.'; // never decoded into the middle of a token
        if (!ken_secret__is_in(set, c.c) || is_break)
            break;
        if (++n > max)
            return NULL;
        add_value_byte(value, c.c);
        p += c.n;
    }
    return n >= min ? p : NULL;
}

const char *ken_secret__match(const char *body, const char *p, const char *end, secret_value *value)
{
    value->n = 0;
    value->from = NULL;
    while (*body && p) {
        if (*body == '|') {
            value->from = p;
            value->n = 0;
            body++;
            continue;
        }
        if (*body == '%') {
            body++;
            p = match_class(&body, p, end, value);
            continue;
        }
        secret_char c = p < end ? secret_peek(p, end) : (secret_char){ 0, 0 };
        if (!c.n || c.c != (unsigned char)*body)
            return NULL;
        add_value_byte(value, c.c);
        p += c.n;
        body++;
    }
    return p;
}
