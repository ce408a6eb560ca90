// SPDX-License-Identifier: MIT
// lang_check.h -- does a node table fit the grammar of this build? For `ken doctor` and the tests.
#ifndef KEN_LANG_LANG_CHECK_H
#define KEN_LANG_LANG_CHECK_H

#include "base/str.h"
#include "lang/lang.h"

// The number of names in the table that the grammar does not know; *out_first says the first.
uint32_t ken_lang_check_rules(ken_lang_id lang, ken_str *out_first);

#endif
