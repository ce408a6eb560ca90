// SPDX-License-Identifier: MIT
// lang_grammar.h -- the tree-sitter grammars that this program was built with.
//
// The table is generated at build time (cmake/ken_grammars.cmake) from the grammars found in
// node_modules; one that is absent there is absent here. Names are ken's own: "c_sharp", "tsx".
//
// Ownership: static const. Threads: read-only, any.
#ifndef KEN_LANG_LANG_GRAMMAR_H
#define KEN_LANG_LANG_GRAMMAR_H

#include <stddef.h>

#include <tree_sitter/api.h>

typedef struct ken_grammar_entry {
    const char *name;
    const TSLanguage *(*fn)(void);
} ken_grammar_entry;

extern const ken_grammar_entry ken_grammar_table[];
extern const size_t ken_grammar_count;

#endif
