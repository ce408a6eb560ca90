// SPDX-License-Identifier: MIT
// secret_priv.h -- inside of the module secret. All texts are read through secret_peek, which
// decodes escapes one character at a time and knows how many bytes each took.
#ifndef KEN_SECRET_SECRET_PRIV_H
#define KEN_SECRET_SECRET_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "secret/secret.h"

typedef enum secret_how {
    SECRET_TOKEN = 1,
    SECRET_WEAK,
    SECRET_WEAK_HEX,
    SECRET_NAMED,
    SECRET_VALUE,
    SECRET_PASSWORD,
    SECRET_URL,
    SECRET_JWT,
    SECRET_SAS,
    SECRET_BASIC,
    SECRET_PEM,
    SECRET_PUTTY,
} secret_how;

typedef struct secret_rule {
    ken_secret_kind kind;
    secret_how how;
    const char *head, *body;
    size_t head_len;
} secret_rule;

// The range [from, to) where a mark was searched last, and the first one in it; NULL = none.
typedef struct secret_seek {
    const char *from, *to, *at;
} secret_seek;

// A place in which finders walked in vain, and how often.
typedef struct secret_spent {
    const char *to; // its end
    unsigned n;
} secret_spent;

// The text in hand. `base` is not NULL in a decoded copy, which is never written to.
typedef struct secret_text {
    char *start, *end;
    ken_secret_fn fn;
    void *ctx;
    bool is_decoded; // a copy of what base64 wrapped: not unwrapped again
    size_t n_places;
    secret_spent run;   // one that bodies without a maximum were matched against
    secret_spent value; // one that was assigned to a name
    secret_seek pem_end, pem_spaced_end;
    const struct secret_tables *tables; // of the rules, while they are scanned for
} secret_text;

// Overwrites [from, to), line breaks stay; the second also reports the place.
void ken_secret__blank(secret_text *t, const char *from, const char *to);
void ken_secret__tell(secret_text *t, const char *from, const char *to, ken_secret_kind kind);
void ken_secret__hide(secret_text *t, const char *from, const char *to, ken_secret_kind kind);

// Whether `p` lies where so many walks were in vain that no further one is made: what keeps the time
// of a scan in proportion to the text, whatever is in it.
bool ken_secret__is_spent(const secret_spent *s, const char *p);
const char *ken_secret__spend_run(secret_text *t, const char *to); // NULL, as a finder's answer

// Characters that were examined, where a test counts them (tests/unit/secret_steps).
#ifdef KEN_SECRET_STEPS
extern uint64_t secret_n_steps;
#define SECRET_STEP(n) ((void)(secret_n_steps += (n)))
#else
#define SECRET_STEP(n) ((void)0)
#endif

// ---- secret_read.c: decoded characters ---------------------------------------------------------

// The character at `p` < `end` and the number of bytes that spell it. Escapes of C and JSON
// ("\n", "\u0041", "\x41", "\\n", "\/"), percent ("%41"), entities ("&quot;", "&#65;", "&#x41;").
// An escape that spells no ASCII character stays the byte itself.
typedef struct secret_char {
    unsigned char c;
    uint8_t n;
} secret_char;

secret_char ken_secret__peek_slow(const char *p, const char *end);

static inline secret_char secret_peek(const char *p, const char *end)
{
    SECRET_STEP(1);
    if (*p != '\\' && *p != '%' && *p != '&')
        return (secret_char){ (unsigned char)*p, 1 };
    return ken_secret__peek_slow(p, end);
}

// Is the byte before `p` the end of an escape, and not of a word?
bool ken_secret__is_after_escape(const char *start, const char *p);
bool ken_secret__is_in(char set, unsigned char c); // of the classes of secret_rules_priv.h

enum {
    SECRET_VALUE_MAX = 4096, // decoded characters that are judged; of longer ones the first
    SECRET_PEM_MAX = 32 << 10,
};

// Decoded characters of a value, as far as they are judged.
typedef struct secret_value {
    char bytes[SECRET_VALUE_MAX];
    size_t n;
    const char *from; // where the public part of the body ended; NULL: all of it is secret
} secret_value;

// Reads one `body` at `p`; returns where it ends, NULL when it is not there. `value` gets what it
// read, decoded.
const char *ken_secret__match(const char *body, const char *p, const char *end,
                              secret_value *value);

// ---- secret_shape.c: random texts --------------------------------------------------------------
double ken_secret__entropy(ken_str s); // bits per character
bool ken_secret__reads_like_words(ken_str s);
bool ken_secret__is_token_like(ken_str s); // behind a known prefix: low demands
bool ken_secret__is_key_like(ken_str s);   // of a known length, behind a known name
bool ken_secret__is_random(ken_str s);     // what is assigned to a name like "secret"
bool ken_secret__is_password(ken_str s, bool is_in_url);
bool ken_secret__is_placeholder(ken_str s);

// ---- the finders: each masks what begins at `p`; returns its end, NULL when it is nothing -------
const char *ken_secret__try_named(secret_text *t, const secret_rule *r, const char *p);
const char *ken_secret__try_url(secret_text *t, const secret_rule *r, const char *p);
const char *ken_secret__try_basic(secret_text *t, const secret_rule *r, const char *p);
const char *ken_secret__try_pem(secret_text *t, const char *p);
const char *ken_secret__try_putty(secret_text *t, const char *p);
// A run of at least SECRET_RUN_MIN characters of base64 or of words, [p, to).
void ken_secret__try_run(secret_text *t, const char *p, const char *to);
// Makes the tables of the rules and scans the whole text, until nothing new is found.
void ken_secret__scan_all(secret_text *t);
void ken_secret__scan(secret_text *t); // the same with the tables that are there

enum {
    SECRET_RUN_MIN = 20
};

#endif
