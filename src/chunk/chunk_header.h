// SPDX-License-Identifier: MIT
// chunk_header.h -- a chunk as a model of texts reads it: where it stands and what it belongs to,
// then its code.
//
// Nothing that the code contains is repeated: the signature and the comment of its definition are
// added only when they stand in another chunk. Models cut off what is too long at the end, so the
// words before the code take at most a quarter of the room.
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
} ken_chunk_place;

// At most `max_bytes`, cut at a UTF-8 border.
ken_str ken_chunk_enrich(const ken_chunk_place *place, uint32_t chunk, size_t max_bytes,
                         ken_arena *arena);

#endif
