// SPDX-License-Identifier: MIT
// mention.h -- the name index: which contents refer to a name, as immutable segments of name hashes.
//
// Terms (lexical) are folded, cut and stemmed, so they cannot tell references to `get` from those to
// `getAll`. So the exact names that a content refers to, imports or imports from are indexed apart, as
// 32-bit hashes: an answer may contain contents with another name of the same hash, and never misses
// one with this name.
//
// Layout, little-endian, in three sections (blocks/sections.h): the ids of contents, 8 bytes each; a
// directory, one entry of 8 bytes (hash, offset among the lists) for every 32nd name; then the names
// by hash: varints of the difference to the hash before (0 where a directory entry has it), of the number of
// contents, and of the differences of their ordinals. The head: magic, format 2, numbers of contents
// and of names. Format 1 was flat, behind 32 bytes of header; it is still read.
//
// Ownership: see each function. Threads: a builder and a segment belong to one thread at a
// time. Errors: KEN_ECORRUPT for bytes that are no segment; everything read is checked.
#ifndef KEN_MENTION_MENTION_H
#define KEN_MENTION_MENTION_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "blocks/blocks.h"
#include "model/refs.h"

typedef KEN_VEC(uint32_t) ken_mentions; // hashes of names; one may be there several times

// A name for contents with literals (ken_literal), so that routes are searched only there.
#define KEN_MENTION_LITERALS "\1literals"

uint32_t ken_mention_hash(ken_str name);
// The names of a content: those of its references and imports, and the names of modules.
// Replaces the content of `out`.
void ken_mentions_of(const ken_refs *refs, ken_mentions *out);

// ---- building ----------------------------------------------------------------------------------
typedef struct ken_mention_builder ken_mention_builder;

ken_mention_builder *ken_mention_builder_new(void) KEN_MUST_USE;
void ken_mention_builder_free(ken_mention_builder *b);
// Copies the hashes, in any order. `content`: its id in the store.
void ken_mention_builder_add(ken_mention_builder *b, int64_t content, const uint32_t *hashes,
                             size_t n);
size_t ken_mention_builder_bytes(const ken_mention_builder *b); // memory in use
uint32_t ken_mention_builder_n_contents(const ken_mention_builder *b);
// Writes the segment and empties the builder.
ken_status ken_mention_builder_finish(ken_mention_builder *b, const ken_block_sink *sink,
                                      ken_err *err) KEN_MUST_USE;

// ---- reading -----------------------------------------------------------------------------------
typedef struct ken_mention_segment ken_mention_segment;

// Reads the list of contents; names are read when first needed. Free with
// ken_mention_segment_close.
ken_status ken_mention_segment_open(const ken_block_source *source, ken_mention_segment **out,
                                    ken_err *err) KEN_MUST_USE;
void ken_mention_segment_close(ken_mention_segment *s);
size_t ken_mention_segment_resident(const ken_mention_segment *s); // bytes of blocks read
// Gives back the memory of the lists that were read; they are read again when they are needed.
void ken_mention_segment_drop(ken_mention_segment *s);
uint32_t ken_mention_segment_n_contents(const ken_mention_segment *s);
const int64_t *ken_mention_segment_contents(const ken_mention_segment *s); // borrowed
// Appends the ordinals of the contents with a name of that hash, in order.
ken_status ken_mention_find(const ken_mention_segment *s, uint32_t hash, ken_mentions *out,
                            ken_err *err) KEN_MUST_USE;

// ---- merging -----------------------------------------------------------------------------------
typedef struct ken_mention_input {
    ken_mention_segment *segment;
    const bool *is_live; // by ordinal; NULL = all are
    const int64_t *ids;  // by ordinal: of the content in what is written; NULL = as it is
} ken_mention_input;

// Writes the contents of some segments, less those that are not alive, as one. Reads them from end
// to end and holds some blocks of each.
ken_status ken_mention_merge(const ken_mention_input *inputs, size_t n, const ken_block_sink *sink,
                             ken_err *err) KEN_MUST_USE;

#endif
