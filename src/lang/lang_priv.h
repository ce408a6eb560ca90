// SPDX-License-Identifier: MIT
// lang_priv.h -- the second reading, for this folder only.
#ifndef KEN_LANG_LANG_PRIV_H
#define KEN_LANG_LANG_PRIV_H

#include "base/vec.h"
#include "lang/lang.h"
#include "lang/lang_rules.h"

// Writes `text` to `out` (as long), with spaces where the table of the language asks for them.
// False when there are none; rules may be NULL.
bool ken_lang__mask(const ken_rules *rules, ken_str text, char *out);
// A copy of a text with spaces for macros.
typedef struct lang_masked {
    char *text;        // NULL = nothing was replaced; ken_free it
    ken_vec_u32 names; // where their names begin, in order
} lang_masked;

// For the first reading: macros that would make it another one without any error. False when there
// are none. `out` is empty before.
bool ken_lang__mask_first(const ken_rules *rules, ken_str text, lang_masked *out);

// The copy of the text, made when its first byte is to be replaced; false when there is no memory.
bool ken_lang__begin_copy(lang_masked *out, ken_str text);

// Writes C++'s operators that are called by name as names that its grammar knows (lang_operator.c).
void ken_lang__mask_operators(lang_masked *out, ken_str text);

// Writes TypeScript to `out` (as long) in words that its grammar knows (lang_repair.c). False when
// nothing is to be changed.
bool ken_lang__repair(ken_str text, char *out);

// The language with a scanner that cannot be led astray; in cmake/treesitter_runtime.c, call once.
const TSLanguage *ken_treesitter_guard_ruby(const TSLanguage *language);

#endif
