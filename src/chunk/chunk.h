// SPDX-License-Identifier: MIT
// chunk.h -- cutting a file into the pieces that search finds.
//
// Chunks follow the code: functions, classes, sections. A unit over the target size is cut at the
// definitions inside it, one without any at statement boundaries; small neighbours are joined; text
// between units becomes chunks of its own. Chunks begin at line starts (a single line over the
// maximum is cut inside) and tile the file. Plain text is cut by lines, with overlap.
//
// Ownership: chunks live in the arena. Threads: pure.
#ifndef KEN_CHUNK_CHUNK_H
#define KEN_CHUNK_CHUNK_H

#include <stdbool.h>

#include <tree_sitter/api.h>

#include "base/arena.h"
#include "model/facts.h"

// Sizes in tokens. 0 is what an index has that names none (chunk_opts.c); the defaults of the settings stand in
// config/config_keys.h alone.
typedef struct ken_chunk_opts {
    uint32_t target;  // aim
    uint32_t max;     // never more
    uint32_t min;     // smaller neighbours are joined
    uint32_t lines;   // of plain text
    uint32_t overlap; // lines, of plain text
    bool is_apart;    // no overlap at all
} ken_chunk_opts;

enum {
    KEN_CHUNK_SIZE_MAX = 100000 // of each of these
};

// The index keeps its chunk sizes as text in the value of this name, so that files extracted again later
// are cut in the same way. Empty means all zero, as does any text that cannot be parsed.
#define KEN_INDEX_CHUNKS "index.chunks"
ken_str ken_chunk_opts_format(const ken_chunk_opts *opts, ken_arena *arena);
ken_chunk_opts ken_chunk_opts_parse(ken_str text);

// Tokens are estimated as bytes / 4, rounded up.
static inline uint32_t ken_token_estimate(size_t n_bytes)
{
    return (uint32_t)((n_bytes + 3) / 4);
}

typedef struct ken_chunk_input {
    ken_str text;
    const uint32_t *line_starts;
    uint32_t n_lines;
    const ken_symbol *symbols;
    uint32_t n_symbols;
    const TSTree *tree;       // NULL = no statement boundaries, lines are taken
    const ken_span *comments; // in order, without overlaps
    size_t n_comments;
} ken_chunk_input;

// Sets *out (in the arena) and returns the number of chunks; 0 for an empty text.
uint32_t ken_chunk_tree(const ken_chunk_input *in, const ken_chunk_opts *opts, ken_arena *arena,
                        ken_chunk **out);
uint32_t ken_chunk_lines(const ken_chunk_input *in, const ken_chunk_opts *opts, ken_arena *arena,
                         ken_chunk **out);

#endif
