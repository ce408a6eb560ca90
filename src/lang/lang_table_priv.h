// SPDX-License-Identifier: MIT
// lang_table_priv.h -- reading tables/*.nodes and *.refs: words, types, paths, conditions; and the
// compiled ones, kept. For this folder only.
#ifndef KEN_LANG_LANG_TABLE_PRIV_H
#define KEN_LANG_LANG_TABLE_PRIV_H

#include <pthread.h>

#include "base/attr.h"
#include "lang/lang.h"
#include "lang/lang_rules.h"

// One table being read. What does not fit the grammar is counted; the first is described.
typedef struct lang_reader {
    const TSLanguage *grammar;
    uint32_t n_symbols;
    uint32_t line, n_unknown;
    ken_declarators *declarators; // made when a path needs them; lives as long as the table
    bool is_lenient;              // of a line that may not fit (`?`)
    char first_unknown[200];
} lang_reader;

void ken_lang__reader_note(lang_reader *r, const char *fmt, ...) KEN_PRINTF(2, 3);

// Takes a word off the front of `rest`; false at its end.
bool ken_lang__next_word(ken_str *rest, ken_str *out);
uint32_t ken_lang__number_of_word(ken_str word); // 0 when it is none

// Named types first, then tokens; in quotes, tokens only ("class").
TSSymbol ken_lang__read_type(lang_reader *r, ken_str name);
uint32_t ken_lang__read_types(lang_reader *r, ken_str text, TSSymbol *out);
ken_rule_paths ken_lang__read_paths(lang_reader *r, ken_str text);
// when=, unless=, has=, not=, in=; false when `key` is none of them.
bool ken_lang__read_condition(lang_reader *r, ken_rule_cond *out, ken_str key, ken_str value);

// The text of a language's table, "nodes" or "refs"; ptr NULL = there is none.
ken_str ken_lang__table_text(ken_lang_id lang, const char *extension);

// Tables that were compiled; what they say is never freed.
typedef struct lang_made {
    pthread_mutex_t lock; // guards all below
    const void *made[KEN_LANG_COUNT];
    bool is_made[KEN_LANG_COUNT];
    uint32_t n_unknown[KEN_LANG_COUNT];
    char first_unknown[KEN_LANG_COUNT][200];
} lang_made;

typedef const void *(*lang_compile_fn)(lang_reader *r, ken_str text);
// NULL without a grammar or table.
const void *ken_lang__made_get(lang_made *c, ken_lang_id lang, const char *extension,
                               lang_compile_fn compile);

#endif
