// SPDX-License-Identifier: MIT
// The shape of a value: random, words, or a placeholder. Made keys have
// many different characters, change often between letters and digits, and their pairs of letters
// are not those of a language.
#include <math.h>

#include "secret/secret_priv.h"

double ken_secret__entropy(ken_str s)
{
    size_t count[256] = { 0 };
    double bits = 0;
    SECRET_STEP(s.len);
    for (size_t i = 0; i < s.len; i++)
        count[(unsigned char)s.ptr[i]]++;
    for (size_t i = 0; i < 256; i++)
        if (count[i])
            bits -= (double)count[i] * log2((double)count[i] / (double)s.len);
    return s.len ? bits / (double)s.len : 0;
}

// The letters that often follow 'a', 'b', …: nearly all pairs of English words and identifiers,
// a fourth of all pairs.
static const char *const followers[26] = {
    "bcdgilmnprstuv",
    "aeilorsu",
    "aehiklorst",
    "aeiors",
    "acdlmnprstvx",
    "aefiloru",
    "aeilnorsu",
    "aeiort",
    "acdeglmnorstv",
    "ao",
    "eins",
    "adeiloyt",
    "abeimopsu",
    "acdefgiost",
    "bdfgklmnoprstuvw",
    "aehiloprstu",
    "u",
    "aceiklmnorstuy",
    "aceghikopstu",
    "aehiorstuwy",
    "beglimnprst",
    "aeio",
    "aeiho",
    "acitp",
    "emops",
    "aeo",
};

typedef struct shape {
    size_t n_digits, n_upper, n_lower, n_other;
    size_t
        n_changes; // between kinds of characters, but for '_', '-' and a capital that begins a word
    size_t n_pairs, n_common;
    size_t n_steps; // a character and the next in the alphabet, or the same again
} shape;

static int kind_of(char c)
{
    if (ken_is_digit(c))
        return 1;
    if (ken_is_upper(c))
        return 2;
    return ken_is_alpha(c) ? 3 : 4;
}

static shape shape_of(ken_str s)
{
    shape x = { 0 };
    SECRET_STEP(s.len);
    for (size_t i = 0; i < s.len; i++) {
        int kind = kind_of(s.ptr[i]);
        x.n_digits += kind == 1;
        x.n_upper += kind == 2;
        x.n_lower += kind == 3;
        x.n_other += kind == 4;
        if (!i)
            continue;
        int before = kind_of(s.ptr[i - 1]);
        char a = ken_lower(s.ptr[i - 1]), b = ken_lower(s.ptr[i]);
        bool is_capitalized = before == 2 && kind == 3;
        x.n_changes += kind != before && kind != 4 && before != 4 && !is_capitalized;
        x.n_steps += b == a || b == a + 1;
        if (kind >= 2 && kind <= 3 && before >= 2 && before <= 3) {
            x.n_pairs++;
            x.n_common += strchr(followers[a - 'a'], b) != NULL;
        }
    }
    return x;
}

bool ken_secret__reads_like_words(ken_str s)
{
    while (s.len && ken_is_digit(s.ptr[s.len - 1])) // "Version12"
        s.len--;
    shape x = shape_of(s);
    return x.n_digits * 8 < s.len && x.n_changes * 4 < s.len && x.n_pairs >= 6 &&
           x.n_common * 100 >= x.n_pairs * 58;
}

// "xxxx", "0000", "abcdefghijkl"
static bool is_drawn(ken_str s)
{
    shape x = shape_of(s);
    return s.len > 1 && x.n_steps * 10 >= (s.len - 1) * 9;
}

bool ken_secret__is_token_like(ken_str s)
{
    double floor = s.len < 20 ? 2.5 : 3.0;
    bool has_lower = shape_of(s).n_lower > 0; // capitals and digits alone are no names
    return ken_secret__entropy(s) >= floor && !(has_lower && ken_secret__reads_like_words(s));
}

bool ken_secret__is_key_like(ken_str s)
{
    shape x = shape_of(s);
    return x.n_digits && x.n_digits < s.len && !is_drawn(s) && ken_secret__entropy(s) >= 2.5;
}

static bool has_fold(ken_str s, const char *part)
{
    size_t n = strlen(part);
    SECRET_STEP(s.len);
    for (size_t i = 0; i + n <= s.len; i++)
        if (ken_str_eq_fold(ken_str_sub(s, i, i + n), ken_str_n(part, n)))
            return true;
    return false;
}

bool ken_secret__is_placeholder(ken_str s)
{
    static const char *const words[] = {
        "example", "changeme",  "change-me", "change_me", "placeholder", "xxxx",
        "****",    "redacted",  "dummy",     "your",      "insert",      "replace",
        "sample",  "foobar",    "todo",      "fixme",     "123456",      "password",
        "passwd",  "secret",    "qwerty",    "test",      "abcdef",      "00000000",
        "default", "undefined", "null",      "letmein",   "passw0rd",    "p4ssw0rd",
    };
    static const char signs[] = "$<{[(%@*?";
    if (!s.len || strchr(signs, s.ptr[0]))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (has_fold(s, words[i]))
            return true;
    return false;
}

static bool is_uuid(ken_str s)
{
    if (s.len != 36)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? s.ptr[i] != '-' : !ken_secret__is_in('x', (unsigned char)s.ptr[i]))
            return false;
    }
    return true;
}

// Pieces between '/', '.', '_' and '-' that are words or short: a path, a name, an address.
static bool is_joined(ken_str s)
{
    size_t n_pieces = 0, n_plain = 0, from = 0;
    for (size_t i = 0; i <= s.len; i++) {
        if (i < s.len && !strchr("/._-:~", s.ptr[i]))
            continue;
        shape x = shape_of(ken_str_sub(s, from, i));
        size_t n = i - from;
        if (n >= 8 && ken_secret__reads_like_words(ken_str_sub(s, from, i)))
            return true;
        n_pieces += n > 0;
        n_plain += n > 0 && (x.n_digits == 0 || x.n_digits == n || x.n_changes <= 1);
        from = i + 1;
    }
    return n_pieces > 1 && n_plain * 3 >= n_pieces * 2;
}

bool ken_secret__is_random(ken_str s)
{
    shape x = shape_of(s);
    double floor = s.len < 20 ? 3.0 : 3.2;
    size_t n_letters = x.n_upper + x.n_lower;
    if (s.len < 16 || x.n_digits < 2 || n_letters < 3 || x.n_changes * 6 < s.len)
        return false;
    return ken_secret__entropy(s) >= floor && !is_drawn(s) && !is_uuid(s) && !is_joined(s) &&
           !ken_secret__reads_like_words(s) && !ken_secret__is_placeholder(s);
}

// The same, without the digits and signs at its end.
static ken_str stem_of(ken_str s)
{
    while (s.len && !ken_is_alpha(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

bool ken_secret__is_password(ken_str s, bool is_in_url)
{
    shape x = shape_of(s);
    size_t n_letters = x.n_upper + x.n_lower, min = is_in_url ? 6 : 8;
    bool is_plain = stem_of(s).len == n_letters && x.n_other == 0; // "word12"
    if (s.len < min || s.len > 128 || !x.n_digits || !n_letters || ken_secret__is_placeholder(s))
        return false;
    if (is_drawn(s) || is_uuid(s) || is_joined(s) || ken_secret__entropy(s) < 2.5)
        return false;
    return is_plain ? x.n_pairs > 3 && !ken_secret__reads_like_words(stem_of(s)) && is_in_url
                    : x.n_changes + x.n_other >= (is_in_url ? 2 : 3);
}
