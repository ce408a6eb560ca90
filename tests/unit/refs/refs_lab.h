// SPDX-License-Identifier: MIT
// refs_lab.h -- from a text to its references in one call.
#ifndef KEN_TESTS_UNIT_REFS_REFS_LAB_H
#define KEN_TESTS_UNIT_REFS_REFS_LAB_H

#include "refs/refs.h"
#include "symbol/symbol.h"

typedef struct refs_lab {
    ken_str text;
    ken_arena arena;
    ken_extraction x;
    ken_refs refs;
} refs_lab;

// Extracts, of the language itself. Names point into `text`.
void refs_lab_open(refs_lab *lab, ken_lang_id lang, ken_str text);
void refs_lab_close(refs_lab *lab);
// What must be true of all: places in order, parts before the whole, indexes in range.
void refs_lab_check(const refs_lab *lab);
// The dump of a short text; lives until the next call.
const char *refs_lab_dump(ken_lang_id lang, const char *text);

#endif
