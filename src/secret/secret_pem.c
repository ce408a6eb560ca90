// SPDX-License-Identifier: MIT
// Private keys in blocks: as files, as strings of programs line by line or in one piece, in markup.
#include "secret/secret_priv.h"

enum {
    PEM_MIN_RUN = 32,  // bytes of the first line of a key
    PEM_MIN_MORE = 16, // of the lines after it, but for the last
    PEM_HEADER_MAX = 64,
    PEM_LEAD_MAX = 512, // between the header and the key
    PEM_GAP_MAX = 1024, // between two lines of a key
    PUTTY_LINES_MAX = 400,
};

static bool is_base64(unsigned char c)
{
    return ken_secret__is_in('b', c);
}

// The end of the run of base64 at `p`, with its length in characters.
static const char *run_end(const char *p, const char *end, size_t *out_n, secret_value *v)
{
    size_t n = 0;
    v->n = 0;
    while (p < end) {
        secret_char c = secret_peek(p, end);
        if (!is_base64(c.c))
            break;
        if (v->n < SECRET_VALUE_MAX)
            v->bytes[v->n++] = (char)c.c;
        n++;
        p += c.n;
    }
    *out_n = n;
    return p;
}

// "-----BEGIN RSA PRIVATE KEY-----", from "BEGIN", however it is written; NULL when it is none.
static const char *skip_begin(const secret_text *t, const char *p)
{
    char text[PEM_HEADER_MAX];
    size_t n = 0, dashes = 0;
    if (p - t->start < 4 || (memcmp(p - 4, "----", 4) != 0 && memcmp(p - 4, "--- ", 4) != 0))
        return NULL;
    while (p < t->end && n < PEM_HEADER_MAX) {
        secret_char c = secret_peek(p, t->end);
        if (c.c == '-')
            dashes++;
        else if (dashes >= 4)
            break;
        else
            text[n++] = c.c == '+' ? ' ' : (char)c.c;
        p += c.n;
    }
    ken_str s = ken_str_trim(ken_str_n(text, n));
    bool is_key =
        ken_str_ends(s, KEN_STR("PRIVATE KEY")) || ken_str_ends(s, KEN_STR("PRIVATE KEY BLOCK"));
    return dashes >= 4 && is_key ? p : NULL;
}

// ": 4,ENCRYPTED": the headers that may come before the key.
static const char *skip_header(const char *p, const char *end)
{
    static const char *const names[] = { "Proc-Type:", "DEK-Info:", "Version:",
                                         "Comment:",   "Charset:",  "Hash:" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t len = strlen(names[i]);
        if ((size_t)(end - p) <= len || memcmp(p, names[i], len) != 0)
            continue;
        while (p < end && secret_peek(p, end).c != '\n')
            p += secret_peek(p, end).n;
        return p;
    }
    return NULL;
}

// To the next run of base64 that begins within `max_lead` bytes and is at least `min` long, or the
// last before `end`.
static const char *next_run(const char *p, const char *end, size_t max_lead, size_t min,
                            const char **out_end)
{
    secret_value v;
    size_t n;
    // The distance searched before the run, so that a text of headers alone costs no more for each
    // of them.
    const char *until = (size_t)(end - p) > max_lead ? p + max_lead + 1 : end;
    while (p < until) {
        const char *header = skip_header(p, until);
        if (header) {
            p = header;
            continue;
        }
        secret_char c = secret_peek(p, end);
        if (!is_base64(c.c)) {
            p += c.n;
            continue;
        }
        const char *to = run_end(p, end, &n, &v);
        bool is_padded = n >= 2 && v.n && v.bytes[v.n - 1] == '=';
        if (n >= min || (min < PEM_MIN_RUN && is_padded)) {
            *out_end = to;
            return p;
        }
        p = to;
    }
    return NULL;
}

// A short last line: alone, right after the last long one.
static const char *short_last(const char *p, const char *end, const char **out_end)
{
    secret_value v;
    size_t n;
    while (p < end) {
        secret_char c = secret_peek(p, end);
        if (is_base64(c.c)) {
            const char *to = run_end(p, end, &n, &v);
            const char *next = p + 1 < end ? p + 1 : end;
            bool is_prefix = n == 1 && next < end && (*next == '"' || *next == '\'');
            if (!is_prefix && n > 1) {
                *out_end = to;
                return p;
            }
            p = to;
            continue;
        }
        if (!ken_is_space((char)c.c) && !strchr("\"'`+,.;#*>|\\-<&()", c.c))
            return NULL;
        p += c.n;
    }
    return NULL;
}

// Where a key without its last line ends: at the first line that is none of it.
static const char *cut_end(const char *p, const char *end)
{
    secret_value v;
    size_t n;
    const char *last = p;
    while (p < end) {
        secret_char c = secret_peek(p, end);
        if (is_base64(c.c)) {
            p = run_end(p, end, &n, &v);
            bool is_prefix = n == 1 && p < end && (*p == '"' || *p == '\'');
            if (n < PEM_MIN_MORE && !is_prefix && last != p)
                return last;
            last = is_prefix ? last : p;
            continue;
        }
        if (!ken_is_space((char)c.c) && !strchr("\"'`+,.;#*>|\\<&", c.c))
            break;
        p += c.n;
    }
    return last;
}

static bool is_key_like(const char *p, const char *to)
{
    secret_value v;
    size_t n;
    (void)run_end(p, to, &n, &v);
    ken_str s = ken_str_n(v.bytes, v.n);
    return n >= PEM_MIN_RUN && ken_secret__is_token_like(s) && !ken_secret__reads_like_words(s);
}

// The first `mark` in [from, limit). What is known of an earlier look is not looked at again: as
// headers are tried from the front on, all looks together pass over the text once.
static const char *seek(secret_seek *s, ken_str mark, const char *from, const char *limit)
{
    bool is_known = s->from && from >= s->from;
    if (is_known && s->at && from <= s->at)
        return (size_t)(limit - from) >= (size_t)(s->at - from) + mark.len ? s->at : NULL;
    const char *start = from;
    if (is_known && !s->at && s->to - from >= (ptrdiff_t)mark.len)
        start = s->to - mark.len + 1;
    const char *at =
        start < limit ? memmem(start, (size_t)(limit - start), mark.ptr, mark.len) : NULL;
    *s = (secret_seek){ from, limit, at };
    return at;
}

// Blanks the lines from `run` on; returns where the last of them ends.
static const char *blank_lines(secret_text *t, const char *run, const char *to, const char *end,
                               bool has_end)
{
    const char *masked_to = to;
    while (run) {
        ken_secret__blank(t, run, to);
        masked_to = to;
        run = next_run(to, end, PEM_GAP_MAX, PEM_MIN_MORE, &to);
    }
    const char *last = has_end ? short_last(masked_to, end, &to) : NULL;
    if (!last)
        return masked_to;
    ken_secret__blank(t, last, to);
    return to;
}

const char *ken_secret__try_pem(secret_text *t, const char *p)
{
    const char *from = skip_begin(t, p), *to;
    if (!from)
        return NULL;
    const char *limit = t->end - from > SECRET_PEM_MAX ? from + SECRET_PEM_MAX : t->end;
    const char *run = next_run(from, limit, PEM_LEAD_MAX, PEM_MIN_RUN, &to);
    if (!run || !is_key_like(run, to))
        return NULL;
    const char *mark = seek(&t->pem_end, KEN_STR("---END"), from, limit);
    if (!mark)
        mark = seek(&t->pem_spaced_end, KEN_STR("--- END"), from, limit);
    if (mark && mark < run) // what follows belongs to no header
        return NULL;
    const char *end = mark ? mark : cut_end(run, limit);
    const char *masked_to = blank_lines(t, run, to < end ? to : end, end, mark != NULL);
    ken_secret__tell(t, run, masked_to, KEN_SECRET_PRIVATE_KEY);
    return masked_to;
}

// "Private-Lines: 14", and so many lines of base64.
const char *ken_secret__try_putty(secret_text *t, const char *p)
{
    const char *at = p + strlen("Private-Lines"), *to = p, *first = p;
    size_t n_lines = 0, n;
    secret_value v;
    while (at < t->end && (*at == ':' || *at == ' '))
        at++;
    for (; at < t->end && ken_is_digit(*at) && n_lines < PUTTY_LINES_MAX; at++)
        n_lines = n_lines * 10 + (size_t)(*at - '0');
    size_t n_hidden = 0;
    for (size_t i = 0; i < n_lines && i < PUTTY_LINES_MAX && at < t->end; i++) {
        while (at < t->end && !is_base64(secret_peek(at, t->end).c))
            at += secret_peek(at, t->end).n;
        const char *from = at;
        at = run_end(at, t->end, &n, &v);
        if (n < 4 || !ken_secret__is_token_like(ken_str_n(v.bytes, v.n)))
            break;
        ken_secret__blank(t, from, at);
        first = n_hidden++ ? first : from;
        to = at;
    }
    if (!n_hidden)
        return NULL;
    ken_secret__tell(t, first, to, KEN_SECRET_PUTTY);
    return to;
}
