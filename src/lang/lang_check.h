// SPDX-License-Identifier: MIT
// lang_check.h -- do the tables fit the grammars of this build? For the tests.
#ifndef KEN_LANG_LANG_CHECK_H
#define KEN_LANG_LANG_CHECK_H

#include "base/str.h"
#include "lang/lang.h"

// The number of names in the table that the grammar does not know; *out_first says the first.
uint32_t ken_lang_check_rules(ken_lang_id lang, ken_str *out_first);
uint32_t ken_lang_check_ref_rules(ken_lang_id lang, ken_str *out_first); // of reference tables

#endif
