// SPDX-License-Identifier: MIT
// Long runs without a blank: tokens that have no head of their own, and what base64 wraps. A wrapped
// text is unwrapped into a copy, searched like any other, and what is found is masked in groups of
// four characters, so that the rest still unwraps to the same bytes.
#include "base/alloc.h"
#include "secret/secret_priv.h"

enum {
    WRAPPED_MIN = 24,         // characters
    WRAPPED_MAX = 128 << 10,  // characters unwrapped of one run
    WRAPPED_PROBE = 12,       // bytes that must be text before more is unwrapped
    USER_PASSWORD_MAX = 1024, // bytes of "user:password"
    BASIC_MAX = 1200,         // characters that wrap it
};

static int sextet(char c)
{
    if (ken_is_upper(c))
        return c - 'A';
    if (ken_is_alpha(c))
        return c - 'a' + 26;
    if (ken_is_digit(c))
        return c - '0' + 52;
    if (c == '+' || c == '-')
        return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

// Unwraps up to `max` bytes; stops at what is no base64. Returns the number of bytes.
static size_t unwrap(const char *p, const char *to, char *out, size_t max)
{
    size_t n = 0;
    uint32_t bits = 0;
    int n_bits = 0;
    for (; p < to && n < max; p++) {
        int v = sextet(*p);
        if (v < 0)
            break;
        bits = bits << 6 | (uint32_t)v;
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            out[n++] = (char)(bits >> n_bits);
        }
    }
    return n;
}

static bool is_text(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)p[i] >= 0x7f || ((unsigned char)p[i] < ' ' && !ken_is_space(p[i])))
            return false;
    return n > 0;
}

typedef struct unwrapped {
    secret_text *outer;
    const char *p, *to;
} unwrapped;

static void hide_wrapped(void *ctx, const ken_secret_place *place)
{
    unwrapped *u = ctx;
    size_t from = place->start / 3 * 4, to = (place->end + 2) / 3 * 4;
    size_t n = (size_t)(u->to - u->p);
    ken_secret__hide(u->outer, u->p + (from < n ? from : n), u->p + (to < n ? to : n), place->kind);
}

static void try_wrapped(secret_text *t, const char *p, const char *to)
{
    char probe[WRAPPED_PROBE];
    if (t->is_decoded || to - p < WRAPPED_MIN)
        return;
    size_t n_probe = unwrap(p, to, probe, WRAPPED_PROBE);
    if (!is_text(probe, n_probe))
        return;
    size_t max = (size_t)(to - p) / 4 * 3 + 3;
    max = max < WRAPPED_MAX ? max : WRAPPED_MAX;
    char *copy = ken_alloc(max);
    unwrapped u = { t, p, to };
    secret_text inner = {
        .start = copy, .fn = hide_wrapped, .ctx = &u, .is_decoded = true, .tables = t->tables
    };
    inner.end = copy + unwrap(p, to, copy, max);
    ken_secret__scan(&inner);
    ken_free(copy);
}

static bool all_in(char set, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!ken_secret__is_in(set, (unsigned char)p[i]))
            return false;
    return true;
}

static bool hide_if_token(secret_text *t, const char *from, const char *to, ken_secret_kind kind)
{
    if (!ken_secret__is_token_like(ken_str_n(from, (size_t)(to - from))))
        return false;
    ken_secret__hide(t, from, to, kind);
    return true;
}

// "SK" and 32 lower hexadecimal digits, at the end of the run.
static bool try_twilio(secret_text *t, const char *p, const char *to)
{
    if (to - p < 34)
        return false;
    const char *at = to - 34;
    return at[0] == 'S' && at[1] == 'K' && all_in('x', at + 2, 32) && all_in('l', at + 2, 32) &&
           hide_if_token(t, at + 2, to, KEN_SECRET_TWILIO);
}

// 32 hexadecimal digits, then "-us" and the number of a data centre; or two shorter ones.
static bool try_mail(secret_text *t, const char *p, const char *to)
{
    size_t n = (size_t)(to - p);
    for (size_t tail = 4; tail <= 5; tail++) {
        const char *at = to - tail;
        if (n >= 32 + tail && memcmp(at, "-us", 3) == 0 && all_in('d', at + 3, tail - 3) &&
            all_in('x', at - 32, 32))
            return hide_if_token(t, at - 32, at, KEN_SECRET_MAILCHIMP);
    }
    const char *from = to - 50;
    return n >= 50 && from[32] == '-' && from[41] == '-' && all_in('x', from, 32) &&
           all_in('x', from + 33, 8) && all_in('x', from + 42, 8) && (n == 50 || from[-1] != '-') &&
           hide_if_token(t, from, to, KEN_SECRET_MAILGUN);
}

// 36 hexadecimal digits and "NRAL".
static bool try_new_relic(secret_text *t, const char *p, const char *to)
{
    return to - p >= 40 && memcmp(to - 4, "NRAL", 4) == 0 && all_in('x', to - 40, 36) &&
           hide_if_token(t, to - 40, to - 4, KEN_SECRET_NEW_RELIC);
}

// Three characters, a digit, "Q~", and 31 to 34 more.
static bool try_azure_ad(secret_text *t, const char *p, const char *to)
{
    const char *mark = memchr(p, '~', (size_t)(to - p));
    while (mark && (mark - p < 5 || mark[-1] != 'Q' || !ken_is_digit(mark[-2])))
        mark = memchr(mark + 1, '~', (size_t)(to - mark - 1));
    if (!mark)
        return false;
    const char *at = mark + 1;
    while (at < t->end && at - mark <= 64 &&
           (ken_secret__is_in('.', (unsigned char)*at) || *at == '~'))
        at++;
    while (at > mark + 1 && at[-1] == '.')
        at--;
    size_t n = (size_t)(at - mark - 1);
    return n >= 31 && n <= 34 && hide_if_token(t, mark - 5, at, KEN_SECRET_AZURE_AD);
}

// A number, ':', "AA" and 33 more.
static bool try_telegram(secret_text *t, const char *p, const char *to)
{
    for (int shift = 0; shift <= 2; shift += 2) { // "%3A": two of its bytes begin the run
        const char *from = p + shift, *sign = shift ? p - 1 : p;
        if (to - from != 35 || from[0] != 'A' || from[1] != 'A' || p - t->start < 10)
            continue;
        const char *at = shift ? sign : p - 1;
        if (shift ? *at != '%' : (*at != ':' && *at != ';'))
            continue;
        if (!shift && *at == ';') // "&#58;"
            while (at > t->start && *at != '&' && p - at < 8)
                at--;
        size_t n = 0;
        while (at - n > t->start && ken_is_digit(at[-1 - (ptrdiff_t)n]))
            n++;
        if (n >= 8 && n <= 10 && ken_secret__is_in('u', (unsigned char)to[-1]))
            return hide_if_token(t, from, to, KEN_SECRET_TELEGRAM);
    }
    return false;
}

// A number in base64 (M, N or O first), '.', 6 or 7 characters, '.', 27 or more.
static bool try_discord(secret_text *t, const char *p, const char *to)
{
    secret_value v;
    size_t n = (size_t)(to - p);
    if (n < 23 || to >= t->end || *to != '.')
        return false;
    const char *end = ken_secret__match(".%u{6,7}.%u{27,40}", to, t->end, &v);
    for (size_t len = 28; end && len >= 23; len--) {
        if (len > n)
            continue;
        const char *from = to - len;
        char digits[24];
        size_t m = unwrap(from, to, digits, sizeof digits);
        if (strchr("MNO", *from) && m >= 17 && all_in('d', digits, m))
            return hide_if_token(t, from, end, KEN_SECRET_DISCORD);
    }
    return false;
}

void ken_secret__try_run(secret_text *t, const char *p, const char *to)
{
    bool has_digit = false, has_upper = false, has_lower = false, has_tilde = false;
    for (const char *at = p; at < to; at++) {
        has_digit |= ken_is_digit(*at);
        has_upper |= ken_is_upper(*at);
        has_lower |= *at >= 'a' && *at <= 'z';
        has_tilde |= *at == '~';
    }
    if (!has_digit)
        return;
    if ((has_tilde && try_azure_ad(t, p, to)) || try_mail(t, p, to) || try_telegram(t, p, to))
        return;
    if (has_upper && (try_twilio(t, p, to) || try_new_relic(t, p, to) || try_discord(t, p, to)))
        return;
    if (!has_upper || !has_lower)
        return;
    while (p < to && (*p == '=' || *p == '/'))
        p++;
    try_wrapped(t, p, to);
    // Behind a name: "data=…", "path/…".
    const char *sign = memchr(p, '=', (size_t)(to - p));
    if (sign && sign + 1 < to && sign[1] != '=')
        try_wrapped(t, sign + 1, to);
}

// ---- user:password -----------------------------------------------------------------------------

// "Basic dXNl…", `"auth": "dXNl…"`
const char *ken_secret__try_basic(secret_text *t, const secret_rule *r, const char *p)
{
    const char *at = p + r->head_len;
    if (p > t->start && ken_is_word(p[-1]) && !ken_secret__is_after_escape(t->start, p) &&
        p[-1] != '_')
        return NULL;
    size_t n_signs = 0;
    while (at < t->end && n_signs < 12 && strchr(" \t:=\"'", secret_peek(at, t->end).c)) {
        at += secret_peek(at, t->end).n;
        n_signs++;
    }
    secret_value v;
    if (!n_signs || ken_secret__is_spent(&t->run, at))
        return NULL;
    const char *to = ken_secret__match("%b{12,}", at, t->end, &v);
    if (!to || v.n > BASIC_MAX)
        return to ? ken_secret__spend_run(t, to) : NULL;
    char plain[USER_PASSWORD_MAX];
    size_t n = unwrap(v.bytes, v.bytes + v.n, plain, sizeof plain);
    const char *colon = is_text(plain, n) ? memchr(plain, ':', n) : NULL;
    if (!colon)
        return ken_secret__spend_run(t, to);
    ken_str word = ken_str_n(colon + 1, (size_t)(plain + n - colon - 1));
    if (!ken_secret__is_password(word, true) && !ken_secret__is_random(word) &&
        !ken_secret__is_token_like(word))
        return NULL;
    ken_secret__hide(t, at, to, r->kind);
    return to;
}
