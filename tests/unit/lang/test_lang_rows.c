// SPDX-License-Identifier: MIT
// The rows of the language table agree with each other: what a new row may get wrong.
#include <string.h>

#include "base/map.h"
#include "ktest.h"
#include "lang/lang.h"

static const uint16_t n_langs = KEN_LANG_COUNT;

// No two rows may claim one word.
static void claim(ken_map *claimed, const char *words, uint64_t lang)
{
    ken_str rest = words ? ken_str_c(words) : KEN_STR(""), word;
    while (ken_str_split_next(&rest, ' ', &word)) {
        bool is_new = true;
        const uint64_t *by = word.len ? ken_map_put(claimed, word, lang, &is_new) : NULL;
        if (!is_new)
            kt_fail("'" KEN_STR_FMT "' is claimed by %s and %s", KEN_STR_ARG(word),
                    ken_lang_name((ken_lang_id)*by), ken_lang_name((ken_lang_id)lang));
    }
}

KEN_TEST(no_two_languages_claim_the_same_files_or_names)
{
    ken_map maps[4];
    for (size_t i = 0; i < 4; i++)
        ken_map_init(&maps[i]);
    for (uint16_t l = 0; l < n_langs; l++) {
        const ken_language *row = ken_lang_at(l);
        claim(&maps[0], row->extensions, l);
        claim(&maps[1], row->file_names, l);
        claim(&maps[2], row->interpreters, l);
        claim(&maps[3], row->name, l);
    }
    for (uint16_t l = 0; l < n_langs; l++) {
        ken_str rest = ken_str_c(ken_lang_at(l)->aliases ? ken_lang_at(l)->aliases : ""), alias;
        while (ken_str_split_next(&rest, ' ', &alias))
            kt_true(!alias.len || ken_lang_by_name(alias) == (ken_lang_id)l);
    }
    for (size_t i = 0; i < 4; i++)
        ken_map_release(&maps[i]);
}

KEN_TEST(the_head_of_a_family_is_of_it)
{
    for (uint16_t l = 0; l < n_langs; l++) {
        const ken_language *row = ken_lang_at(l);
        kt_true(row->family < KEN_LANG_COUNT);
        kt_eq_u(ken_lang_at(row->family)->family, row->family);
        if (row->family) // names are found only where a table says what they do
            kt_true(row->table && row->role == KEN_LANG_ROLE_CODE);
    }
}

KEN_TEST(each_grammar_is_said_once_where_it_lies)
{
    for (uint16_t l = 0; l < n_langs; l++) {
        const char *grammar = ken_lang_at(l)->grammar;
        unsigned n = 0;
        for (uint16_t k = 0; grammar && k < n_langs; k++)
            n += ken_lang_at(k)->grammar && !strcmp(ken_lang_at(k)->grammar, grammar) &&
                 ken_lang_at(k)->grammar_source;
        kt_eq_u(n, grammar ? 1 : 0);
        kt_true(!grammar == !ken_lang_at(l)->table);
    }
}

KEN_TEST(what_is_no_id_is_the_unknown_language)
{
    kt_true(ken_lang_at(KEN_LANG_COUNT) == ken_lang_at(KEN_LANG_UNKNOWN));
    kt_true(ken_lang_at(KEN_LANG_UNKNOWN)->is_fallback);
    for (uint16_t l = 1; l < n_langs; l++)
        kt_false(ken_lang_at(l)->is_fallback);
}
