// SPDX-License-Identifier: MIT
// One pass. Every format begins with three fixed bytes, so three tables (which formats may have
// this byte first, second, third) and two ANDs say for each position whether anything can begin
// there; on code they almost never agree. Only then the formats are tried one by one.
#include "scan/scan_priv.h"

// What may stand in the variable part.
typedef enum mask_set {
    MASK_ALNUM = 1, // letters and digits
    MASK_UPPER,     // capitals and digits
    MASK_HEX,
    MASK_WORD,   // letters, digits, '_'
    MASK_URL,    // letters, digits, '_', '-': base64 for addresses
    MASK_DOTTED, // MASK_URL and '.'
    MASK_BASE64, // letters, digits, '+', '/', '='
    MASK_PATH,   // MASK_URL and '/'
} mask_set;

typedef enum mask_rule {
    MASK_PLAIN = 0,
    MASK_MIXED,    // must hold a digit and a capital: the prefix alone is too common
    MASK_JWT,      // three parts
    MASK_ASSIGNED, // the value follows after '=', ':' and quotes
    MASK_PEM,
} mask_rule;

typedef struct mask_format {
    const char *prefix;
    mask_set set;
    size_t min, max; // bytes of the variable part; max 0 = any
    mask_rule rule;
} mask_format;

// Sources: the vendors' pages on token formats, and GitHub's list of secret scanning patterns.
static const mask_format formats[] = {
    { "BEGIN ", MASK_BASE64, 0, 0, MASK_PEM },  // after "-----", which drawn lines are full of
    { "AKIA", MASK_UPPER, 16, 16, MASK_PLAIN }, // Amazon, long-lived
    { "ASIA", MASK_UPPER, 16, 16, MASK_PLAIN }, // Amazon, temporary
    { "ABIA", MASK_UPPER, 16, 16, MASK_PLAIN },
    { "ACCA", MASK_UPPER, 16, 16, MASK_PLAIN },
    { "aws_secret_access_key", MASK_BASE64, 40, 40, MASK_ASSIGNED },
    { "AWS_SECRET_ACCESS_KEY", MASK_BASE64, 40, 40, MASK_ASSIGNED },
    { "SecretAccessKey", MASK_BASE64, 40, 40, MASK_ASSIGNED },
    { "ghp_", MASK_ALNUM, 30, 255, MASK_PLAIN }, // GitHub: personal, OAuth, user, server, refresh
    { "gho_", MASK_ALNUM, 30, 255, MASK_PLAIN },
    { "ghu_", MASK_ALNUM, 30, 255, MASK_PLAIN },
    { "ghs_", MASK_ALNUM, 30, 255, MASK_PLAIN },
    { "ghr_", MASK_ALNUM, 30, 255, MASK_PLAIN },
    { "github_pat_", MASK_WORD, 22, 255, MASK_PLAIN },
    { "glpat-", MASK_DOTTED, 20, 255, MASK_PLAIN }, // GitLab
    { "gldt-", MASK_URL, 20, 255, MASK_PLAIN },
    { "glrt-", MASK_DOTTED, 20, 255, MASK_PLAIN },
    { "glcbt-", MASK_URL, 20, 255, MASK_PLAIN },
    { "glptt-", MASK_HEX, 40, 40, MASK_PLAIN },
    { "xoxb-", MASK_URL, 10, 255, MASK_MIXED }, // Slack
    { "xoxp-", MASK_URL, 10, 255, MASK_MIXED },
    { "xoxa-", MASK_URL, 10, 255, MASK_MIXED },
    { "xoxr-", MASK_URL, 10, 255, MASK_MIXED },
    { "xoxs-", MASK_URL, 10, 255, MASK_MIXED },
    { "xoxe-", MASK_URL, 10, 255, MASK_MIXED },
    { "xoxo-", MASK_URL, 10, 255, MASK_MIXED },
    { "xapp-", MASK_URL, 20, 255, MASK_MIXED },
    { "hooks.slack.com/services/", MASK_PATH, 30, 128, MASK_MIXED },
    { "sk_live_", MASK_ALNUM, 16, 255, MASK_PLAIN }, // Stripe
    { "rk_live_", MASK_ALNUM, 16, 255, MASK_PLAIN },
    { "sk_test_", MASK_ALNUM, 16, 255, MASK_PLAIN },
    { "rk_test_", MASK_ALNUM, 16, 255, MASK_PLAIN },
    { "whsec_", MASK_BASE64, 24, 128, MASK_PLAIN },
    { "AIza", MASK_URL, 35, 35, MASK_PLAIN }, // Google
    { "GOCSPX-", MASK_URL, 28, 28, MASK_PLAIN },
    { "ya29.", MASK_URL, 30, 0, MASK_PLAIN },
    { "npm_", MASK_ALNUM, 36, 36, MASK_PLAIN },
    { "pypi-", MASK_URL, 50, 0, MASK_PLAIN },
    { "rubygems_", MASK_HEX, 48, 48, MASK_PLAIN },
    { "sk-", MASK_URL, 20, 255, MASK_MIXED }, // OpenAI, Anthropic, OpenRouter …
    { "gsk_", MASK_ALNUM, 40, 64, MASK_PLAIN },
    { "xai-", MASK_ALNUM, 60, 128, MASK_PLAIN },
    { "hf_", MASK_ALNUM, 30, 64, MASK_PLAIN },
    { "r8_", MASK_ALNUM, 37, 37, MASK_PLAIN },
    { "eyJ", MASK_URL, 10, 0, MASK_JWT },
    { "SG.", MASK_DOTTED, 60, 80, MASK_MIXED }, // SendGrid
    { "dop_v1_", MASK_HEX, 64, 64, MASK_PLAIN },
    { "doo_v1_", MASK_HEX, 64, 64, MASK_PLAIN },
    { "dckr_pat_", MASK_URL, 24, 64, MASK_PLAIN },
    { "shpat_", MASK_HEX, 32, 32, MASK_PLAIN },
    { "shpss_", MASK_HEX, 32, 32, MASK_PLAIN },
    { "shpca_", MASK_HEX, 32, 32, MASK_PLAIN },
    { "hvs.", MASK_URL, 24, 0, MASK_MIXED },    // Vault
    { "glsa_", MASK_WORD, 32, 64, MASK_PLAIN }, // Grafana
    { "dapi", MASK_HEX, 32, 32, MASK_PLAIN },   // Databricks
    { "ATATT3", MASK_BASE64, 100, 0, MASK_PLAIN },
    { "AGE-SECRET-KEY-1", MASK_UPPER, 58, 58, MASK_PLAIN },
    { "lin_api_", MASK_ALNUM, 40, 40, MASK_PLAIN },
    { "sntrys_", MASK_BASE64, 40, 0, MASK_PLAIN },
    { "tskey-", MASK_URL, 20, 128, MASK_MIXED },
};

enum {
    N_FORMATS = sizeof formats / sizeof formats[0],
    MASK_PEM_MAX_BYTES = 32 << 10, // of one key
    MASK_PEM_MIN_RUN = 32,         // bytes of the first line of a key
    MASK_STEP = 8,                 // positions looked at between two branches
};

static bool in_set(mask_set set, char c)
{
    switch (set) {
    case MASK_ALNUM:
        break;
    case MASK_UPPER:
        return ken_is_upper(c) || ken_is_digit(c);
    case MASK_HEX:
        return ken_is_digit(c) || (ken_lower(c) >= 'a' && ken_lower(c) <= 'f');
    case MASK_WORD:
        return ken_is_word(c);
    case MASK_DOTTED:
        return ken_is_word(c) || c == '-' || c == '.';
    case MASK_URL:
        return ken_is_word(c) || c == '-';
    case MASK_BASE64:
        return ken_is_alpha(c) || ken_is_digit(c) || c == '+' || c == '/' || c == '=';
    case MASK_PATH:
        return ken_is_word(c) || c == '-' || c == '/';
    }
    return ken_is_alpha(c) || ken_is_digit(c);
}

static size_t run_len(mask_set set, const char *p, const char *end)
{
    const char *from = p;
    while (p < end && in_set(set, *p))
        p++;
    return (size_t)(p - from);
}

static bool is_mixed(const char *p, size_t n)
{
    bool has_digit = false, has_upper = false;
    for (size_t i = 0; i < n; i++) {
        has_digit |= ken_is_digit(p[i]);
        has_upper |= ken_is_upper(p[i]);
    }
    return has_digit && has_upper;
}

static const char *skip_assignment(const char *p, const char *end)
{
    const char *limit = end - p > 12 ? p + 12 : end;
    bool has_sign = false;
    while (p < limit && strchr(" \t=:>\"'`\\", *p) && *p) {
        has_sign |= *p == '=' || *p == ':';
        p++;
    }
    return has_sign ? p : NULL;
}

// header "." payload "." signature; returns the length of all, 0 when it is something else.
static size_t jwt_len(const char *p, const char *end)
{
    const char *from = p;
    for (int part = 0; part < 3; part++) {
        size_t n = run_len(MASK_URL, p, end);
        if (n < 10)
            return 0;
        p += n;
        if (part == 2)
            break;
        if (p == end || *p != '.')
            return 0;
        p++;
    }
    return (size_t)(p - from);
}

static void stars(char *p, size_t n)
{
    memset(p, '*', n);
}

// ---- private keys -----------------------------------------------------------------------------

// What may stand around the lines of a key that is written as text, or as strings of a program.
static const char *skip_between(const char *p, const char *end)
{
    for (; p < end; p++) {
        bool is_escape = *p == '\\' && p + 1 < end && (p[1] == 'n' || p[1] == 'r' || p[1] == 't');
        if (is_escape)
            p++;
        else if (!ken_is_space(*p) && !strchr("\"'`+,.;#*>|\\", *p))
            break;
    }
    return p;
}

// "Proc-Type: 4,ENCRYPTED", "Version: …": the headers that may come before the key.
static const char *skip_headers(const char *p, const char *end)
{
    static const char *const names[] = { "Proc-Type:", "DEK-Info:", "Version:", "Comment:",
                                         "Charset:",   "Hash:",     NULL };
    for (const char *const *n = names; *n;) {
        size_t len = strlen(*n);
        if ((size_t)(end - p) <= len || memcmp(p, *n, len) != 0) {
            n++;
            continue;
        }
        while (p < end && *p != '\n' && !(*p == '\\' && p + 1 < end && p[1] == 'n'))
            p++;
        p = skip_between(p, end);
        n = names;
    }
    return p;
}

// `p` is after "-----BEGIN ". Masks the lines of a private key; returns the end, NULL when this is
// none.
static char *mask_pem(char *p, char *end)
{
    static const char tail[] = "PRIVATE KEY";
    char *limit = end - p > 40 ? p + 40 : end; // the kind of the key
    char *kind = memmem(p, (size_t)(limit - p), tail, sizeof tail - 1);
    if (!kind)
        return NULL;
    p = kind + sizeof tail - 1;
    if (end - p > 6 && memcmp(p, " BLOCK", 6) == 0)
        p += 6;
    if (end - p < 5 || memcmp(p, "-----", 5) != 0)
        return NULL;
    p += 5;
    limit = end - p > MASK_PEM_MAX_BYTES ? p + MASK_PEM_MAX_BYTES : end;
    char *last = memmem(p, (size_t)(limit - p), "-----END ", 9);
    const char *stop = last ? last : limit;
    const char *at = skip_headers(skip_between(p, stop), stop);
    if (run_len(MASK_BASE64, at, stop) < MASK_PEM_MIN_RUN)
        return NULL;
    p += at - p;
    for (;;) {
        size_t n = run_len(MASK_BASE64, p, stop);
        stars(p, n);
        p += n;
        p += skip_between(p, stop) - p;
        if (p >= stop || !in_set(MASK_BASE64, *p))
            break;
    }
    return p;
}

// ---- one place --------------------------------------------------------------------------------

// Masks what begins at `p` by this format; returns its end, NULL when it is something else.
static char *mask_one(const mask_format *f, char *p, char *end)
{
    size_t head = strlen(f->prefix);
    if ((size_t)(end - p) < head + f->min || memcmp(p, f->prefix, head) != 0)
        return NULL;
    char *value = p + head;
    if (f->rule == MASK_PEM)
        return mask_pem(value, end);
    if (f->rule == MASK_ASSIGNED) {
        const char *at = skip_assignment(value, end);
        if (!at)
            return NULL;
        value += at - value;
    }
    size_t n = f->rule == MASK_JWT ? jwt_len(p, end) : run_len(f->set, value, end);
    if (f->rule == MASK_JWT && n)
        n -= head;
    if (n < f->min || !n || (f->max && n > f->max) ||
        (f->rule == MASK_MIXED && !is_mixed(value, n)))
        return NULL;
    stars(value, n);
    return value + n;
}

static char *mask_at(const char *text, char *p, char *end)
{
    char before = p > text ? p[-1] : ' ';
    if (ken_is_alpha(before) || ken_is_digit(before))
        return NULL; // in the middle of a word
    bool is_after_dashes = p - text >= 5 && memcmp(p - 5, "-----", 5) == 0;
    for (size_t i = 0; i < N_FORMATS; i++) {
        if (formats[i].prefix[0] != p[0] || formats[i].prefix[1] != p[1] ||
            (formats[i].rule == MASK_PEM && !is_after_dashes))
            continue;
        char *after = mask_one(&formats[i], p, end);
        if (after)
            return after;
    }
    return NULL;
}

// A bit for each first byte that formats begin with.
typedef struct mask_tables {
    uint32_t first[256], second[256], third[256];
} mask_tables;

static void make_tables(mask_tables *t)
{
    memset(t, 0, sizeof *t);
    uint32_t bit = 1;
    for (size_t i = 0; i < N_FORMATS; i++) {
        const unsigned char *p = (const unsigned char *)formats[i].prefix;
        if (!t->first[p[0]]) {
            t->first[p[0]] = bit;
            bit = bit << 1 | bit >> 31; // with more than 32 they share
        }
        t->second[p[1]] |= t->first[p[0]];
        t->third[p[2]] |= t->first[p[0]];
    }
}

// The groups of formats that may begin at q.
static inline uint32_t groups_at(const mask_tables *t, const unsigned char *q)
{
    return t->first[q[0]] & t->second[q[1]] & t->third[q[2]];
}

// Written out, because compilers do not unroll this at -O2 and half of the speed is in it.
static inline uint32_t groups_in_step(const mask_tables *t, const unsigned char *q)
{
    uint32_t a = groups_at(t, q) | groups_at(t, q + 1);
    uint32_t b = groups_at(t, q + 2) | groups_at(t, q + 3);
    uint32_t c = groups_at(t, q + 4) | groups_at(t, q + 5);
    uint32_t d = groups_at(t, q + 6) | groups_at(t, q + 7);
    return (a | b) | (c | d);
}

size_t ken_scan_mask_secrets(char *text, size_t len)
{
    mask_tables t;
    make_tables(&t);
    char *p = text, *end = text + len;
    size_t n_masked = 0;
    while (end - p >= MASK_STEP + 2) {
        const unsigned char *q = (const unsigned char *)p;
        char *next = p + MASK_STEP;
        if (groups_in_step(&t, q)) {
            for (size_t i = 0; i < MASK_STEP; i++) {
                char *after = groups_at(&t, q + i) ? mask_at(text, p + i, end) : NULL;
                if (after) {
                    n_masked++;
                    next = after;
                    break;
                }
            }
        }
        p = next;
    }
    return n_masked;
}
