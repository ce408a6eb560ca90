// SPDX-License-Identifier: MIT
// lang_priv.h -- the second reading, for this folder only.
#ifndef KEN_LANG_LANG_PRIV_H
#define KEN_LANG_LANG_PRIV_H

#include "lang/lang.h"
#include "lang/lang_rules.h"

// Writes `text` to `out` (as long), with spaces where the table of the language asks for them.
// False when there are none; rules may be NULL.
bool ken_lang__mask(const ken_rules *rules, ken_str text, char *out);
// For the first reading: the text with spaces for macros that would make it another one without any
// error. NULL when there are none. ken_free it.
char *ken_lang__mask_first(const ken_rules *rules, ken_str text);

// Writes TypeScript to `out` (as long) in words that its grammar knows (lang_repair.c). False when
// nothing is to be changed.
bool ken_lang__repair(ken_str text, char *out);

// The language with a scanner that cannot be led astray; in cmake/treesitter_runtime.c, call once.
const TSLanguage *ken_treesitter_guard_ruby(const TSLanguage *language);

#endif
