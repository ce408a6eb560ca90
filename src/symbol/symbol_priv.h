// SPDX-License-Identifier: MIT
// symbol_priv.h -- what the walk reads from text, for this folder only.
#ifndef KEN_SYMBOL_SYMBOL_PRIV_H
#define KEN_SYMBOL_SYMBOL_PRIV_H

#include "symbol/symbol.h"

// Without quotes, characters that the table trims, and further lines; at most 200 bytes.
ken_str ken_symbol__clean_name(const ken_rules *rules, ken_str name);

// The visibility of the first keyword in `head` that has one; `otherwise` when there is none.
ken_visibility ken_symbol__visibility_by_words(ken_str head, ken_visibility otherwise);

// By the rule of the language. `head`: the text before the name; `members`: what the definition
// around it gives to those inside.
ken_visibility ken_symbol__visibility(const ken_rules *rules, ken_str head, ken_str name,
                                      ken_visibility members);

// By lang="ts" or type="application/json"; KEN_LANG_COUNT for types that are no code (templates).
ken_lang_id ken_symbol__injected_lang(ken_str opening_tag, ken_lang_id otherwise);

#endif
