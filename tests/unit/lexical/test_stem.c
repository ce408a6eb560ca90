// SPDX-License-Identifier: MIT
// Porter's stemmer against his own examples: those of the 1980 paper step by step, each carried to
// the end of the algorithm, and the first words of the vocabulary he published with its output.
#include <string.h>

#include "ktest.h"
#include "lexical/lexical.h"

typedef struct stem_pair {
    const char *word, *stem;
} stem_pair;

static void stems_to(const char *word, const char *want)
{
    char buf[KEN_TOKEN_MAX + 2];
    size_t len = strlen(word);
    memcpy(buf, word, len);
    size_t n = ken_stem(buf, len);
    if (!ken_str_eq_c(ken_str_n(buf, n), want))
        kt_fail("'%s' became '%.*s', not '%s'", word, (int)n, buf, want);
}

static void all_stem_to(const stem_pair *pairs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        stems_to(pairs[i].word, pairs[i].stem);
}

#define ALL(pairs) all_stem_to((pairs), sizeof(pairs) / sizeof *(pairs))

KEN_TEST(step_1a_plurals)
{
    static const stem_pair pairs[] = {
        { "caresses", "caress" }, { "ponies", "poni" }, { "ties", "ti" },
        { "caress", "caress" },   { "cats", "cat" },
    };
    ALL(pairs);
}

KEN_TEST(step_1b_past_and_progressive)
{
    static const stem_pair pairs[] = {
        { "feed", "feed" },         { "agreed", "agre" },     { "plastered", "plaster" },
        { "bled", "bled" },         { "motoring", "motor" },  { "sing", "sing" },
        { "conflated", "conflat" }, { "troubled", "troubl" }, { "sized", "size" },
        { "hopping", "hop" },       { "tanned", "tan" },      { "falling", "fall" },
        { "hissing", "hiss" },      { "fizzed", "fizz" },     { "failing", "fail" },
        { "filing", "file" },
    };
    ALL(pairs);
}

KEN_TEST(step_1c_final_y)
{
    static const stem_pair pairs[] = { { "happy", "happi" }, { "sky", "sky" }, { "by", "by" } };
    ALL(pairs);
}

KEN_TEST(step_2_double_suffixes)
{
    static const stem_pair pairs[] = {
        { "relational", "relat" },    { "conditional", "condit" }, { "rational", "ration" },
        { "valenci", "valenc" },      { "hesitanci", "hesit" },    { "digitizer", "digit" },
        { "conformabli", "conform" }, { "radicalli", "radic" },    { "differentli", "differ" },
        { "vileli", "vile" },         { "analogousli", "analog" }, { "vietnamization", "vietnam" },
        { "predication", "predic" },  { "operator", "oper" },      { "feudalism", "feudal" },
        { "decisiveness", "decis" },  { "hopefulness", "hope" },   { "callousness", "callous" },
        { "formaliti", "formal" },    { "sensitiviti", "sensit" }, { "sensibiliti", "sensibl" },
    };
    ALL(pairs);
}

KEN_TEST(step_3_more_suffixes)
{
    static const stem_pair pairs[] = {
        { "triplicate", "triplic" }, { "formative", "form" },    { "formalize", "formal" },
        { "electriciti", "electr" }, { "electrical", "electr" }, { "hopeful", "hope" },
        { "goodness", "good" },
    };
    ALL(pairs);
}

KEN_TEST(step_4_long_stems_lose_their_suffix)
{
    static const stem_pair pairs[] = {
        { "revival", "reviv" },      { "allowance", "allow" },     { "inference", "infer" },
        { "airliner", "airlin" },    { "gyroscopic", "gyroscop" }, { "adjustable", "adjust" },
        { "defensible", "defens" },  { "irritant", "irrit" },      { "replacement", "replac" },
        { "adjustment", "adjust" },  { "dependent", "depend" },    { "adoption", "adopt" },
        { "homologou", "homolog" },  { "communism", "commun" },    { "activate", "activ" },
        { "angulariti", "angular" }, { "homologous", "homolog" },  { "effective", "effect" },
        { "bowdlerize", "bowdler" },
    };
    ALL(pairs);
}

KEN_TEST(step_5_final_e_and_double_l)
{
    static const stem_pair pairs[] = {
        { "probate", "probat" },   { "rate", "rate" }, { "cease", "ceas" },
        { "controll", "control" }, { "roll", "roll" },
    };
    ALL(pairs);
}

// The paper's own chains: one word through many steps.
KEN_TEST(complex_suffixes_are_removed_bit_by_bit)
{
    static const stem_pair pairs[] = {
        { "generalizations", "gener" }, { "oscillators", "oscil" },  { "connect", "connect" },
        { "connected", "connect" },     { "connecting", "connect" }, { "connection", "connect" },
        { "connections", "connect" },
    };
    ALL(pairs);
}

KEN_TEST(first_words_of_the_published_vocabulary)
{
    static const stem_pair pairs[] = {
        { "aaron", "aaron" },         { "abaissiez", "abaissiez" },
        { "abandon", "abandon" },     { "abandoned", "abandon" },
        { "abase", "abas" },          { "abash", "abash" },
        { "abate", "abat" },          { "abated", "abat" },
        { "abatement", "abat" },      { "abbess", "abbess" },
        { "abbey", "abbei" },         { "abbominable", "abbomin" },
        { "abbreviated", "abbrevi" }, { "abed", "ab" },
        { "abet", "abet" },           { "abetting", "abet" },
        { "abhorred", "abhor" },      { "abhorring", "abhor" },
        { "abides", "abid" },         { "abilities", "abil" },
        { "ability", "abil" },        { "abjectly", "abjectli" },
        { "abjure", "abjur" },        { "able", "abl" },
        { "abler", "abler" },         { "aboding", "abod" },
        { "abominably", "abomin" },   { "abominations", "abomin" },
        { "abortive", "abort" },      { "above", "abov" },
        { "abridgment", "abridg" },   { "abrogate", "abrog" },
        { "abruption", "abrupt" },    { "absence", "absenc" },
    };
    ALL(pairs);
}

// Two rules that the author changed after the paper; his programs have them.
KEN_TEST(published_departures_from_the_paper)
{
    static const stem_pair pairs[] = {
        { "archaeology", "archaeolog" },
        { "terribly", "terribl" },
        { "possibly", "possibl" },
    };
    ALL(pairs);
}

// A rule of ours: the noun of a verb in -er. Short words keep their ending, which is none.
KEN_TEST(nouns_in_ery_have_the_stem_of_their_verb)
{
    static const stem_pair pairs[] = {
        { "discovery", "discov" }, { "discover", "discov" },     { "discovered", "discov" },
        { "deliveries", "deliv" }, { "delivering", "deliv" },    { "recovery", "recov" },
        { "recovers", "recov" },   { "machinery", "machin" },    { "machine", "machin" },
        { "query", "queri" },      { "queries", "queri" },       { "every", "everi" },
        { "battery", "batteri" },  { "directory", "directori" },
    };
    ALL(pairs);
}

KEN_TEST(what_is_no_lower_case_word_stays)
{
    static const char *const words[] = { "",    "a",    "is",       "as",
                                         "x1s", "Cats", "running2", "caf\xc3\xa9s" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        stems_to(words[i], words[i]);
}

// Whatever the letters: never longer, never empty, never past the end.
KEN_TEST(any_letters_give_a_stem)
{
    static const char *const ends[] = { "s",    "sses",    "ies",     "eed", "ed",  "ing",
                                        "y",    "ational", "e",       "ll",  "ion", "ement",
                                        "ness", "ful",     "ization", "" };
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        char word[KEN_TOKEN_MAX + 2];
        size_t len = 0;
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        uint64_t r = seed;
        for (size_t n = r % 9; len < n; len++, r >>= 3)
            word[len] = "aeybstlz"[r >> 8 & 7];
        const char *end = ends[seed >> 59 & 15];
        memcpy(word + len, end, strlen(end));
        len += strlen(end);
        size_t n = ken_stem(word, len);
        kt_true(n <= len && (n > 0 || len == 0));
    }
}
