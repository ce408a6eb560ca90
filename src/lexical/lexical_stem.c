// SPDX-License-Identifier: MIT
// M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980. Words of one or two
// letters are left alone, as in the author's own implementation; `logi` -> `log` and `bli` -> `ble`
// are his published departures from the paper. One is ours: step 4 takes `eri` off as well, for
// "discovery", "delivery", "recovery" are what "discover", "deliver", "recover" do.
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

// Most suffixes are chosen by the last letter of the word.
static inline bool ends(stem *z, ken_str suffix)
{
    size_t n = suffix.len;
    if (n > z->len || z->b[z->len - 1] != suffix.ptr[n - 1] ||
        memcmp(z->b + z->len - n, suffix.ptr, n) != 0)
        return false;
    z->j = z->len - n;
    return true;
}

static void set_to(stem *z, ken_str text)
{
    memcpy(z->b + z->j, text.ptr, text.len);
    z->len = z->j + text.len;
}

// Whether the last letter is one of `letters`, a bit for each: then some suffix of a step may fit.
static bool ends_like(const stem *z, uint32_t letters)
{
    return letters >> (z->b[z->len - 1] - 'a') & 1;
}

// Plurals and -ed, -ing.
static void step1ab(stem *z)
{
    if (z->b[z->len - 1] == 's') {
        if (ends(z, KEN_STR("sses")))
            z->len -= 2;
        else if (ends(z, KEN_STR("ies")))
            set_to(z, KEN_STR("i"));
        else if (z->b[z->len - 2] != 's')
            z->len--;
    }
    if (ends(z, KEN_STR("eed"))) {
        if (measure(z) > 0)
            z->len--;
        return;
    }
    if (!((ends(z, KEN_STR("ed")) || ends(z, KEN_STR("ing"))) && has_vowel(z)))
        return;
    z->len = z->j;
    if (ends(z, KEN_STR("at")) || ends(z, KEN_STR("bl")) || ends(z, KEN_STR("iz"))) {
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
    if (ends(z, KEN_STR("y")) && has_vowel(z))
        z->b[z->len - 1] = 'i';
}

// In a table; KEN_STR is no constant.
#define SUFFIX(literal)                 \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    }
#define LETTER(c) (UINT32_C(1) << ((c) - 'a'))

typedef struct suffix_rule {
    ken_str suffix, replacement;
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
        { SUFFIX("ational"), SUFFIX("ate") }, { SUFFIX("tional"), SUFFIX("tion") },
        { SUFFIX("enci"), SUFFIX("ence") },   { SUFFIX("anci"), SUFFIX("ance") },
        { SUFFIX("izer"), SUFFIX("ize") },    { SUFFIX("bli"), SUFFIX("ble") },
        { SUFFIX("alli"), SUFFIX("al") },     { SUFFIX("entli"), SUFFIX("ent") },
        { SUFFIX("eli"), SUFFIX("e") },       { SUFFIX("ousli"), SUFFIX("ous") },
        { SUFFIX("ization"), SUFFIX("ize") }, { SUFFIX("ation"), SUFFIX("ate") },
        { SUFFIX("ator"), SUFFIX("ate") },    { SUFFIX("alism"), SUFFIX("al") },
        { SUFFIX("iveness"), SUFFIX("ive") }, { SUFFIX("fulness"), SUFFIX("ful") },
        { SUFFIX("ousness"), SUFFIX("ous") }, { SUFFIX("aliti"), SUFFIX("al") },
        { SUFFIX("iviti"), SUFFIX("ive") },   { SUFFIX("biliti"), SUFFIX("ble") },
        { SUFFIX("logi"), SUFFIX("log") },
    };
    const uint32_t last =
        LETTER('l') | LETTER('i') | LETTER('r') | LETTER('n') | LETTER('m') | LETTER('s');
    if (ends_like(z, last))
        replace_suffix(z, rules, sizeof rules / sizeof *rules);
}

static void step3(stem *z)
{
    static const suffix_rule rules[] = {
        { SUFFIX("icate"), SUFFIX("ic") }, { SUFFIX("ative"), SUFFIX("") },
        { SUFFIX("alize"), SUFFIX("al") }, { SUFFIX("iciti"), SUFFIX("ic") },
        { SUFFIX("ical"), SUFFIX("ic") },  { SUFFIX("ful"), SUFFIX("") },
        { SUFFIX("ness"), SUFFIX("") },
    };
    if (ends_like(z, LETTER('e') | LETTER('i') | LETTER('l') | LETTER('s')))
        replace_suffix(z, rules, sizeof rules / sizeof *rules);
}

static void step4(stem *z)
{
    static const ken_str suffixes[] = {
        SUFFIX("al"),   SUFFIX("ance"), SUFFIX("ence"), SUFFIX("er"),    SUFFIX("ic"),
        SUFFIX("able"), SUFFIX("ible"), SUFFIX("ant"),  SUFFIX("ement"), SUFFIX("ment"),
        SUFFIX("ent"),  SUFFIX("ion"),  SUFFIX("ou"),   SUFFIX("ism"),   SUFFIX("ate"),
        SUFFIX("iti"),  SUFFIX("ous"),  SUFFIX("ive"),  SUFFIX("ize"),   SUFFIX("eri")
    };
    const uint32_t last = LETTER('l') | LETTER('e') | LETTER('r') | LETTER('c') | LETTER('t') |
                          LETTER('n') | LETTER('u') | LETTER('m') | LETTER('i') | LETTER('s');
    if (!ends_like(z, last))
        return;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (!ends(z, suffixes[i]))
            continue;
        if (ken_str_eq(suffixes[i], KEN_STR("ion")) &&
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
