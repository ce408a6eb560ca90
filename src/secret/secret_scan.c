// SPDX-License-Identifier: MIT
// Two passes. The first finds heads of rules: four bytes, case folded, are hashed into a table of
// flags, eight positions between two branches; on code they almost never agree, and only then the
// rules with these first three bytes are tried one by one. The second finds long runs without any
// blank, for what has no head, and what base64 wraps: it looks at every twentieth byte first.
#include "secret/secret_priv.h"
#include "secret/secret_rules_priv.h"

static const secret_rule rules[] = {
#define X(kind, how, head, body) { KEN_SECRET_##kind, SECRET_##how, head, body, sizeof(head) - 1 },
    SECRET_RULES(X)
#undef X
};

enum {
    N_RULES = sizeof rules / sizeof rules[0],
    FLAG_BITS = 14,
    CHAIN_BITS = 9,
    SPENT_MAX = 16,
    PASSES_MAX = 8, // what is masked may be the boundary that something before it lacked
    STEP = 8,       // positions examined between two branches
    MIN_TEXT = 11   // no secret is shorter, head and all
};

typedef struct secret_tables {
    uint8_t may_begin[1 << FLAG_BITS];
    uint16_t first[1 << CHAIN_BITS], next[N_RULES + 1]; // rule + 1; 0 = none
} secret_tables;

static inline uint32_t flag_at(const char *p)
{
    uint32_t four;
    memcpy(&four, p, sizeof four);
    return (four | 0x20202020u) * 0x9E3779B1u >> (32 - FLAG_BITS);
}

static inline uint32_t chain_at(const char *p)
{
    uint32_t three = (uint32_t)(unsigned char)p[0] | (uint32_t)(unsigned char)p[1] << 8 |
                     (uint32_t)(unsigned char)p[2] << 16;
    return (three | 0x202020u) * 0x9E3779B1u >> (32 - CHAIN_BITS);
}

// The bytes that may follow a head of three bytes.
static const char after_short[] = "abcdefghijklmnopqrstuvwxyz0123456789_-=:\"' ";

static void add_flags(secret_tables *t, const secret_rule *r)
{
    char four[4] = { r->head[0], r->head[1], r->head[2], r->head_len > 3 ? r->head[3] : '\0' };
    if (r->head_len > 3) {
        t->may_begin[flag_at(four)] = 1;
        return;
    }
    for (const char *c = after_short; *c; c++) {
        four[3] = *c;
        t->may_begin[flag_at(four)] = 1;
    }
}

static void make_tables(secret_tables *t)
{
    memset(t, 0, sizeof *t);
    for (size_t i = N_RULES; i-- > 0;) { // backwards: of one chain the first in the table is first
        uint32_t c = chain_at(rules[i].head);
        t->next[i + 1] = t->first[c];
        t->first[c] = (uint16_t)(i + 1);
        add_flags(t, &rules[i]);
    }
}

// ---- one head ----------------------------------------------------------------------------------

static bool is_head(const secret_rule *r, const char *p, const char *end)
{
    if ((size_t)(end - p) <= r->head_len)
        return false;
    bool has_case = r->how <= SECRET_WEAK_HEX || r->how == SECRET_JWT || r->how == SECRET_PEM;
    return has_case ? memcmp(p, r->head, r->head_len) == 0
                    : ken_str_eq_fold(ken_str_n(p, r->head_len), ken_str_n(r->head, r->head_len));
}

static bool is_in_word(const secret_text *t, const char *p)
{
    return p > t->start && (ken_is_alpha(p[-1]) || ken_is_digit(p[-1])) &&
           !ken_secret__is_after_escape(t->start, p);
}

static bool has_digit_and(ken_str s, bool wants_upper)
{
    bool has_digit = false, has_upper = false;
    for (size_t i = 0; i < s.len; i++) {
        has_digit |= ken_is_digit(s.ptr[i]);
        has_upper |= ken_is_upper(s.ptr[i]);
    }
    return has_digit && (has_upper || !wants_upper);
}

// A body without a maximum walks to the end of its run. Many heads in one run, none of a token, would
// each walk it: after some no further one of that run is tried, so that a scan stays linear.
bool ken_secret__is_spent(const secret_spent *s, const char *p)
{
    return p < s->to && s->n >= SPENT_MAX;
}

const char *ken_secret__spend_run(secret_text *t, const char *to)
{
    t->run.n = to > t->run.to ? 1 : t->run.n + 1;
    t->run.to = to > t->run.to ? to : t->run.to;
    return NULL;
}

static const char *try_token(secret_text *t, const secret_rule *r, const char *p)
{
    secret_value v;
    bool is_weak = r->how != SECRET_TOKEN;
    if ((is_weak && is_in_word(t, p)) ||
        (ken_secret__is_spent(&t->run, p) && strstr(r->body, ",}")))
        return NULL;
    const char *from = p + r->head_len, *to = ken_secret__match(r->body, from, t->end, &v);
    if (!to)
        return NULL;
    while (v.n && v.bytes[v.n - 1] == '.') { // the end of a sentence
        v.n--;
        to--;
    }
    ken_str value = ken_str_n(v.bytes, v.n);
    if (to < t->end) {
        char c = (char)secret_peek(to, t->end).c;
        if (ken_is_alpha(c) || ken_is_digit(c))
            return NULL;
    }
    if (!ken_secret__is_token_like(value) ||
        (is_weak && !has_digit_and(value, r->how == SECRET_WEAK)))
        return ken_secret__spend_run(t, to);
    ken_secret__hide(t, v.from ? v.from : from, to, r->kind);
    return to;
}

// header "." payload "." signature
static const char *try_jwt(secret_text *t, const secret_rule *r, const char *p)
{
    const char *at = ken_secret__is_spent(&t->run, p) ? t->end : p, *first_end = NULL;
    secret_value v;
    for (int part = 0; part < 3; part++) {
        if (part && (at >= t->end || *at++ != '.'))
            return ken_secret__spend_run(t, first_end);
        at = at < t->end ? ken_secret__match("%u{10,}", at, t->end, &v) : NULL;
        if (!at)
            return first_end ? ken_secret__spend_run(t, first_end) : NULL;
        first_end = part ? first_end : at;
    }
    ken_secret__hide(t, p + r->head_len, at, r->kind);
    return at;
}

// The signature of an Azure SAS, a parameter of a URL.
static const char *try_sas(secret_text *t, const secret_rule *r, const char *p)
{
    secret_value v;
    const char *to = ken_secret__match(r->body, p + strlen("sig"), t->end, &v);
    if (!to || is_in_word(t, p) || v.bytes[v.n - 1] != '=' ||
        !ken_secret__is_token_like(ken_str_n(v.bytes, v.n)))
        return NULL;
    ken_secret__hide(t, v.from, to, r->kind);
    return to;
}

static const char *try_rule(secret_text *t, const secret_rule *r, const char *p)
{
    switch (r->how) {
    case SECRET_TOKEN:
    case SECRET_WEAK:
    case SECRET_WEAK_HEX:
        return try_token(t, r, p);
    case SECRET_NAMED:
    case SECRET_VALUE:
    case SECRET_PASSWORD:
        return ken_secret__try_named(t, r, p);
    case SECRET_URL:
        return ken_secret__try_url(t, r, p);
    case SECRET_JWT:
        return try_jwt(t, r, p);
    case SECRET_SAS:
        return try_sas(t, r, p);
    case SECRET_BASIC:
        return ken_secret__try_basic(t, r, p);
    case SECRET_PEM:
        return ken_secret__try_pem(t, p);
    case SECRET_PUTTY:
        return ken_secret__try_putty(t, p);
    }
    return NULL;
}

static const char *try_at(secret_text *t, const secret_tables *x, const char *p)
{
    for (uint16_t i = x->first[chain_at(p)]; i; i = x->next[i]) {
        const secret_rule *r = &rules[i - 1];
        const char *after = is_head(r, p, t->end) ? try_rule(t, r, p) : NULL;
        if (after)
            return after;
    }
    return NULL;
}

static inline unsigned flag_bit(const secret_tables *x, const char *p, unsigned i)
{
    return (unsigned)x->may_begin[flag_at(p + i)] << i;
}

// A bit for each of eight positions. Written out, because compilers do not unroll this at -O2 and
// half of the speed is in it.
static inline unsigned flags_in_step(const secret_tables *x, const char *p)
{
    unsigned a = flag_bit(x, p, 0) | flag_bit(x, p, 1), b = flag_bit(x, p, 2) | flag_bit(x, p, 3);
    unsigned c = flag_bit(x, p, 4) | flag_bit(x, p, 5), d = flag_bit(x, p, 6) | flag_bit(x, p, 7);
    return (a | b) | (c | d);
}

static void scan_heads(secret_text *t, const secret_tables *x)
{
    const char *p = t->start;
    while (t->end - p >= MIN_TEXT) {
        const char *next = p + STEP;
        unsigned flags = flags_in_step(x, p);
        for (size_t i = 0; flags >> i; i++) {
            const char *after = flags >> i & 1 ? try_at(t, x, p + i) : NULL;
            if (after) {
                next = after;
                break;
            }
        }
        p = next;
    }
}

// ---- runs --------------------------------------------------------------------------------------

static const uint8_t *run_bytes(uint8_t table[256])
{
    for (int c = 0; c < 256; c++)
        table[c] = ken_secret__is_in('B', (unsigned char)c) || c == '~';
    return table;
}

static void scan_runs(secret_text *t)
{
    uint8_t table[256];
    const uint8_t *is_run = run_bytes(table);
    const char *p = t->start; // nothing before it belongs to a run of which more is to come
    while (t->end - p >= SECRET_RUN_MIN) {
        const char *at = p + SECRET_RUN_MIN - 1;
        while (at >= p && is_run[(unsigned char)*at])
            at--;
        if (at >= p) {
            p = at + 1;
            continue;
        }
        const char *to = p + SECRET_RUN_MIN;
        while (to < t->end && is_run[(unsigned char)*to])
            to++;
        ken_secret__try_run(t, p, to);
        p = to;
    }
}

void ken_secret__scan(secret_text *t)
{
    for (int i = 0; i < PASSES_MAX; i++) {
        size_t before = t->n_places;
        t->run = t->value = (secret_spent){ .to = t->start };
        scan_heads(t, t->tables);
        scan_runs(t);
        if (t->n_places == before)
            break;
    }
}

void ken_secret__scan_all(secret_text *t)
{
    secret_tables tables;
    make_tables(&tables);
    t->tables = &tables;
    ken_secret__scan(t);
    t->tables = NULL;
}
