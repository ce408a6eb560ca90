// SPDX-License-Identifier: MIT
// symbol.h -- one walk over a syntax tree: definitions, imports, comments, embedded languages.
//
// The node table of the language gives the meaning of each node (lang/README.md). The walk is
// iterative, so that its depth is bounded by memory only.
//
// Ownership: results live in the arena; names and modules point into `text`. Threads: pure.
#ifndef KEN_SYMBOL_SYMBOL_H
#define KEN_SYMBOL_SYMBOL_H

#include <tree_sitter/api.h>

#include "base/arena.h"
#include "base/vec.h"
#include "lang/lang.h"
#include "lang/lang_rules.h"
#include "lang/lang_trail.h"
#include "model/facts.h"

// Text of another language inside a file.
typedef struct ken_injection {
    ken_lang_id lang;
    TSRange range;
    int32_t parent; // symbol that holds it, -1 = none
    uint32_t depth;
} ken_injection;

typedef struct ken_extraction {
    KEN_VEC(ken_symbol) symbols;
    KEN_VEC(ken_import) imports;
    KEN_VEC(ken_span) comments; // in order; docstrings count as comments
    KEN_VEC(ken_injection) injections;
    uint32_t n_error_bytes; // inside syntax errors
} ken_extraction;

void ken_extraction_clear(ken_extraction *x); // keeps capacity
void ken_extraction_release(ken_extraction *x);

// Appends the definitions, imports and comments of a tree, from its trail. `parent`, `depth`: of
// the injection that the tree belongs to, else -1, 0. At most KEN_MAX_SYMBOLS definitions and KEN_MAX_INJECTIONS injections are
// kept for one file.
enum {
    KEN_MAX_SYMBOLS = 50000,
    KEN_MAX_INJECTIONS = 1000
};
void ken_symbol_extract(const ken_rules *rules, ken_trail_part trail, ken_str text, int32_t parent,
                        uint32_t depth, ken_extraction *out);

// Orders comments, drops overlaps, and sets the line of every symbol; call once per file, after all
// trees. `line_starts`: byte offset of each line of the text.
void ken_symbol_finish(ken_extraction *x, ken_str text, const uint32_t *line_starts,
                       uint32_t n_lines);

#endif
