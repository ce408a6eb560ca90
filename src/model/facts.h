// SPDX-License-Identifier: MIT
// facts.h -- everything extracted from the bytes of one file, whatever its path.
//
// Facts depend on the content and its language only, so that branches and worktrees share them.
// No text of the file is copied but names: the rest are spans into it.
#ifndef KEN_MODEL_FACTS_H
#define KEN_MODEL_FACTS_H

#include <stdbool.h>

#include "base/hash.h"
#include "model/symbol.h"

// name, word
#define KEN_CHUNK_TYPE_TABLE(X) \
    X(UNKNOWN, "unknown")       \
    X(FUNCTION, "function")     \
    X(CLASS, "class")           \
    X(MODULE, "module")         \
    X(BLOCK, "block")           \
    X(COMMENT, "comment")       \
    X(SECTION, "section")       \
    X(LINES, "lines")

typedef enum ken_chunk_type {
#define X(name, word) KEN_CHUNK_##name,
    KEN_CHUNK_TYPE_TABLE(X)
#undef X
    KEN_CHUNK_TYPE_COUNT
} ken_chunk_type;

const char *ken_chunk_type_word(ken_chunk_type t);
ken_chunk_type ken_chunk_type_parse(ken_str word);

// Chunks of a file are in order and, the line chunks of unsupported text aside (they overlap), tile
// it.
typedef struct ken_chunk {
    ken_span span;
    uint32_t first_line, last_line; // 0-based, inclusive
    uint32_t n_tokens;              // estimate: bytes / 4
    ken_chunk_type type;
    int32_t symbol; // main definition of the chunk, an index into symbols; -1 = none
} ken_chunk;

typedef struct ken_import {
    ken_str module; // as written, without quotes
    uint32_t line;  // 0-based
    bool is_export; // a re-export or an export statement
} ken_import;

typedef struct ken_facts {
    uint16_t lang; // language id of `lang`; 0 = plain text
    uint32_t n_bytes;
    uint32_t n_lines;
    uint32_t n_error_bytes; // bytes inside syntax errors
    bool is_fallback;       // cut by lines: no grammar, or the parse went over its budget
    bool is_generated;      // a program wrote it, according to its head comment
    bool is_masked;         // secrets in it were masked: quotes must be, too
    ken_symbol *symbols;
    uint32_t n_symbols;
    ken_chunk *chunks;
    uint32_t n_chunks;
    ken_import *imports;
    uint32_t n_imports;
} ken_facts;

// The innermost symbol that holds the byte; -1 = none.
int32_t ken_facts_symbol_at(const ken_facts *f, uint32_t byte);

// Writes the byte offset of each line of `text` (at most `max` of them) and returns how many there
// are; a text that ends in a line break has no empty line after it, an empty text has no lines.
uint32_t ken_line_starts(ken_str text, uint32_t *out, uint32_t max);
// The 0-based line that holds `byte`.
uint32_t ken_line_of(const uint32_t *line_starts, uint32_t n_lines, uint32_t byte);

#endif
