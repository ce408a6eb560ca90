// SPDX-License-Identifier: MIT
// chunk_header.h -- a chunk as a model of texts reads it: where it stands and what it belongs to,
// then its code.
//
// Nothing that the code contains is repeated: the signature and the comment of its definition are
// added only when they stand in another chunk. Models cut off what is too long at the end: so the words before
// the code take at most a quarter of the room, and a chunk over it is several texts, each with these words.
//
// Ownership: the text is in the arena. Threads: a function of its input. Errors: none.
#ifndef KEN_CHUNK_CHUNK_HEADER_H
#define KEN_CHUNK_CHUNK_HEADER_H

#include "base/arena.h"
#include "model/facts.h"

typedef struct ken_chunk_place {
    ken_str path; // relative to the root
    ken_str lang; // name of the language
    ken_str text; // of the whole file
    const ken_facts *facts;
    ken_str package; // package, namespace or module that the file declares; may be empty
} ken_chunk_place;

enum {
    KEN_CHUNK_SHOWN_BYTES = 8192, // room that holds every chunk of the usual size whole
    KEN_CHUNK_PARTS_MAX = 16,     // texts of one chunk; what is behind them is left out
};

// At most `max_bytes`, cut at a UTF-8 border.
ken_str ken_chunk_enrich(const ken_chunk_place *place, uint32_t chunk, size_t max_bytes,
                         ken_arena *arena);
// The chunk as texts of at most `max_bytes`, cut behind lines; returns how many, at least one.
uint32_t ken_chunk_enrich_parts(const ken_chunk_place *place, uint32_t chunk, size_t max_bytes,
                                ken_arena *arena, ken_str out[KEN_CHUNK_PARTS_MAX]);

#endif
