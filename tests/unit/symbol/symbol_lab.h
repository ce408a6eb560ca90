// SPDX-License-Identifier: MIT
// symbol_lab.h -- from a text to its symbols in one call, and their dump.
#ifndef KEN_TESTS_UNIT_SYMBOL_SYMBOL_LAB_H
#define KEN_TESTS_UNIT_SYMBOL_SYMBOL_LAB_H

#include "base/buf.h"
#include "lang/lang.h"
#include "symbol/symbol.h"

// Extracts with embedded languages. Names point into `text`.
void lab_extract(ken_lang_id lang, ken_str text, ken_extraction *out);

// One line for each symbol, import, and the counts of comments and error bytes.
void lab_dump(const ken_extraction *x, ken_str text, ken_buf *out);

// The dump of a short text; lives until the next call.
const char *lab_symbols(ken_lang_id lang, const char *text);

#endif
