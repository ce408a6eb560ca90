// SPDX-License-Identifier: MIT
// lang_mask_priv.h -- what the first masking of a text is made of (`ken_lang__mask_first`).
#ifndef KEN_LANG_LANG_MASK_PRIV_H
#define KEN_LANG_LANG_MASK_PRIV_H

#include "lang/lang_priv.h"
#include "model/facts.h"

// The length of a name in capitals with an underscore that `s` begins with, and of its arguments
// where they end on the same line; 0 = none.
size_t ken_lang__macro_len(ken_str s);
// Blanks what begins with the name of a macro, or a bracket; nothing of a directive.
void ken_lang__blank_copy(lang_masked *out, ken_str text, ken_span what);

void ken_lang__mask_attributes(lang_masked *out, ken_str text); // `%blank attributes`
void ken_lang__mask_specifiers(lang_masked *out, ken_str text); // `%blank specifiers`

#endif
