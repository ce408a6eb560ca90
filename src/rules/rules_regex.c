// SPDX-License-Identifier: MIT
// Expressions that people write, with limits; and the three that find what a text commands.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/utf8.h"
#include "rules/rules.h"

enum {
    PATTERN_MAX = 1000, // bytes
    NEST_MAX = 50,
    MATCH_LIMIT = 200000,
    DEPTH_LIMIT = 5000,
    KEY_PATTERNS = 3,
    KEY_MIN_CHARS = 11,
};

struct ken_rules_regex {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *limits;
};

struct ken_rules_keys {
    ken_rules_regex *patterns[KEY_PATTERNS];
};

void ken_rules_regex_free(ken_rules_regex *r)
{
    if (!r)
        return;
    pcre2_match_context_free(r->limits);
    pcre2_match_data_free(r->match);
    pcre2_code_free(r->code);
    ken_free(r);
}

static ken_status compile(ken_str pattern, uint32_t flags, ken_rules_regex **out, ken_err *err)
{
    int code = 0;
    PCRE2_SIZE at = 0;
    ken_rules_regex *r = ken_zalloc(sizeof *r);
    pcre2_compile_context *cc = pcre2_compile_context_create(NULL);
    if (cc) {
        pcre2_set_max_pattern_length(cc, PATTERN_MAX);
        pcre2_set_parens_nest_limit(cc, NEST_MAX);
    }
    flags |= PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_MATCH_INVALID_UTF;
    r->code = pcre2_compile((PCRE2_SPTR)(pattern.len ? pattern.ptr : ""), pattern.len, flags, &code,
                            &at, cc);
    pcre2_compile_context_free(cc);
    if (!r->code) {
        PCRE2_UCHAR text[120];
        pcre2_get_error_message(code, text, sizeof text);
        ken_rules_regex_free(r);
        return KEN_FAIL(err, KEN_EINVAL, "not a regular expression, at byte %zu: %s", (size_t)at,
                        (const char *)text);
    }
    r->match = pcre2_match_data_create_from_pattern(r->code, NULL);
    r->limits = pcre2_match_context_create(NULL);
    if (!r->match || !r->limits) {
        ken_rules_regex_free(r);
        return KEN_FAIL(err, KEN_ENOMEM, "preparing an expression");
    }
    pcre2_set_match_limit(r->limits, MATCH_LIMIT);
    pcre2_set_depth_limit(r->limits, DEPTH_LIMIT);
    *out = r;
    return KEN_OK;
}

ken_status ken_rules_regex_new(ken_str pattern, ken_rules_regex **out, ken_err *err)
{
    return compile(pattern, 0, out, err);
}

// The next match at or after `from`; PCRE2's codes.
static int match_at(ken_rules_regex *r, ken_str text, size_t from)
{
    return pcre2_match(r->code, (PCRE2_SPTR)(text.len ? text.ptr : ""), text.len, from, 0, r->match,
                       r->limits);
}

ken_status ken_rules_regex_matches(ken_rules_regex *r, ken_str text, bool *out, ken_err *err)
{
    int rc = match_at(r, text, 0);
    if (rc < 0 && rc != PCRE2_ERROR_NOMATCH) {
        PCRE2_UCHAR message[120];
        pcre2_get_error_message(rc, message, sizeof message);
        return KEN_FAIL(err, KEN_ELIMIT, "the expression is too costly: %s", (const char *)message);
    }
    *out = rc >= 0;
    return KEN_OK;
}

// ---- what a text commands ----------------------------------------------------------------------

ken_rules_keys *ken_rules_keys_new(void)
{
    static const char *const patterns[KEY_PATTERNS] = {
        "(?:MUST|NEVER|ALWAYS|SHALL NOT|REQUIRED)[^.;\\n]*",
        "(?:All\\s+\\w+\\s+must)[^.;\\n]*",
        "(?:No\\s+\\w+\\s+(?:in|should|may))[^.;\\n]*",
    };
    ken_rules_keys *k = ken_zalloc(sizeof *k);
    for (int i = 0; i < KEY_PATTERNS; i++) {
        ken_status st = compile(ken_str_c(patterns[i]), PCRE2_CASELESS, &k->patterns[i], NULL);
        KEN_ASSERT(!st); // they are ours
    }
    return k;
}

void ken_rules_keys_free(ken_rules_keys *k)
{
    if (!k)
        return;
    for (int i = 0; i < KEY_PATTERNS; i++)
        ken_rules_regex_free(k->patterns[i]);
    ken_free(k);
}

static bool has_key_length(ken_str s)
{
    size_t n_chars = 0;
    for (size_t i = 0; i < s.len && n_chars < KEY_MIN_CHARS; i++)
        n_chars += ((unsigned char)s.ptr[i] & 0xc0) != 0x80;
    return n_chars >= KEY_MIN_CHARS;
}

static bool is_listed(const ken_str *list, size_t n, ken_str s)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq(list[i], s))
            return true;
    return false;
}

size_t ken_rules_extract_keys(ken_rules_keys *k, ken_str text, ken_str out[KEN_RULES_KEYS_MAX])
{
    size_t n = 0;
    for (int i = 0; i < KEY_PATTERNS; i++) {
        size_t from = 0;
        while (n < KEN_RULES_KEYS_MAX && match_at(k->patterns[i], text, from) >= 0) {
            const PCRE2_SIZE *v = pcre2_get_ovector_pointer(k->patterns[i]->match);
            ken_str found = ken_str_trim(ken_str_sub(text, v[0], v[1]));
            from = v[1]; // no pattern matches nothing
            if (has_key_length(found) && !is_listed(out, n, found))
                out[n++] = found;
        }
    }
    return n;
}
