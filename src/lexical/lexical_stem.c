// SPDX-License-Identifier: MIT
// M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980. Words of one or two
// letters are left alone, as in the author's own implementation; `logi` -> `log` and `bli` -> `ble`
// are his published departures from the paper.
#include "base/str.h"
#include "lexical/lexical.h"

typedef struct stem {
    char *b;
    size_t len; // of the word as it stands
    size_t j;   // length of the stem before the suffix that matched
} stem;

static bool is_consonant(const stem *z, size_t i)
{
    switch (z->b[i]) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
        return false;
    case 'y':
        return i == 0 || !is_consonant(z, i - 1);
    default:
        return true;
    }
}

// The number of vowel-consonant sequences in b[0, j).
static size_t measure(const stem *z)
{
    size_t n = 0, i = 0;
    while (i < z->j && is_consonant(z, i))
        i++;
    while (i < z->j) {
        while (i < z->j && !is_consonant(z, i))
            i++;
        if (i >= z->j)
            break;
        n++;
        while (i < z->j && is_consonant(z, i))
            i++;
    }
    return n;
}

static bool has_vowel(const stem *z)
{
    for (size_t i = 0; i < z->j; i++)
        if (!is_consonant(z, i))
            return true;
    return false;
}

static bool ends_double(const stem *z)
{
    size_t n = z->len;
    return n >= 2 && z->b[n - 1] == z->b[n - 2] && is_consonant(z, n - 1);
}

// consonant-vowel-consonant before `end`, the last not w, x or y: hop(e), not snow.
static bool ends_cvc(const stem *z, size_t end)
{
    if (end < 3 || !is_consonant(z, end - 1) || is_consonant(z, end - 2) ||
        !is_consonant(z, end - 3))
        return false;
    char c = z->b[end - 1];
    return c != 'w' && c != 'x' && c != 'y';
}

static bool ends(stem *z, const char *suffix)
{
    size_t n = strlen(suffix);
    if (n > z->len || z->b[z->len - 1] != suffix[n - 1] ||
        memcmp(z->b + z->len - n, suffix, n) != 0)
        return false;
    z->j = z->len - n;
    return true;
}

static void set_to(stem *z, const char *text)
{
    size_t n = strlen(text);
    memcpy(z->b + z->j, text, n);
    z->len = z->j + n;
}

// Plurals and -ed, -ing.
static void step1ab(stem *z)
{
    if (z->b[z->len - 1] == 's') {
        if (ends(z, "sses"))
            z->len -= 2;
        else if (ends(z, "ies"))
            set_to(z, "i");
        else if (z->b[z->len - 2] != 's')
            z->len--;
    }
    if (ends(z, "eed")) {
        if (measure(z) > 0)
            z->len--;
        return;
    }
    if (!((ends(z, "ed") || ends(z, "ing")) && has_vowel(z)))
        return;
    z->len = z->j;
    if (ends(z, "at") || ends(z, "bl") || ends(z, "iz")) {
        z->b[z->len++] = 'e';
    } else if (ends_double(z)) {
        char c = z->b[z->len - 1];
        if (c != 'l' && c != 's' && c != 'z')
            z->len--;
    } else {
        z->j = z->len;
        if (measure(z) == 1 && ends_cvc(z, z->len))
            z->b[z->len++] = 'e';
    }
}

static void step1c(stem *z)
{
    if (ends(z, "y") && has_vowel(z))
        z->b[z->len - 1] = 'i';
}

typedef struct suffix_rule {
    const char *suffix, *replacement;
} suffix_rule;

// The first suffix that fits decides; it is replaced when the stem before it measures at least
// `least`.
static void replace_suffix(stem *z, const suffix_rule *rules, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!ends(z, rules[i].suffix))
            continue;
        if (measure(z) > 0)
            set_to(z, rules[i].replacement);
        return;
    }
}

static void step2(stem *z)
{
    static const suffix_rule rules[] = {
        { "ational", "ate" }, { "tional", "tion" }, { "enci", "ence" },   { "anci", "ance" },
        { "izer", "ize" },    { "bli", "ble" },     { "alli", "al" },     { "entli", "ent" },
        { "eli", "e" },       { "ousli", "ous" },   { "ization", "ize" }, { "ation", "ate" },
        { "ator", "ate" },    { "alism", "al" },    { "iveness", "ive" }, { "fulness", "ful" },
        { "ousness", "ous" }, { "aliti", "al" },    { "iviti", "ive" },   { "biliti", "ble" },
        { "logi", "log" },
    };
    replace_suffix(z, rules, sizeof rules / sizeof *rules);
}

static void step3(stem *z)
{
    static const suffix_rule rules[] = {
        { "icate", "ic" }, { "ative", "" }, { "alize", "al" }, { "iciti", "ic" },
        { "ical", "ic" },  { "ful", "" },   { "ness", "" },
    };
    replace_suffix(z, rules, sizeof rules / sizeof *rules);
}

static void step4(stem *z)
{
    static const char *const suffixes[] = { "al",  "ance",  "ence", "er",  "ic",  "able", "ible",
                                            "ant", "ement", "ment", "ent", "ion", "ou",   "ism",
                                            "ate", "iti",   "ous",  "ive", "ize" };
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (!ends(z, suffixes[i]))
            continue;
        if (strcmp(suffixes[i], "ion") == 0 &&
            !(z->j && (z->b[z->j - 1] == 's' || z->b[z->j - 1] == 't')))
            return;
        if (measure(z) > 1)
            z->len = z->j;
        return;
    }
}

static void step5(stem *z)
{
    z->j = z->len - 1;
    if (z->b[z->len - 1] == 'e') {
        size_t m = measure(z);
        if (m > 1 || (m == 1 && !ends_cvc(z, z->len - 1)))
            z->len--;
    }
    z->j = z->len;
    if (z->b[z->len - 1] == 'l' && ends_double(z) && measure(z) > 1)
        z->len--;
}

size_t ken_stem(char *word, size_t len)
{
    if (len <= 2)
        return len;
    for (size_t i = 0; i < len; i++)
        if (word[i] < 'a' || word[i] > 'z')
            return len;
    stem z = { word, len, 0 };
    step1ab(&z);
    if (z.len > 1)
        step1c(&z);
    step2(&z);
    step3(&z);
    step4(&z);
    if (z.len > 1)
        step5(&z);
    return z.len;
}
