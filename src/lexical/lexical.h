// SPDX-License-Identifier: MIT
// lexical.h -- words: tokens of code, immutable search segments, fielded BM25.
//
// Text becomes terms: identifiers are split at case, snake and digits, each part is stemmed
// (Porter), and a compound is kept whole as well, in a namespace of its own. A term is a 40-bit
// hash; the text of words is not stored. A segment holds the postings of some contents in three
// fields (body, comments, names defined), the lengths that BM25 needs, and the names of all
// definitions. FORMAT.md has its layout byte by byte.
//
// Ownership: see each function. Threads: a tokenizer, a builder and a segment each belong to
// one thread at a time. Errors: KEN_ECORRUPT for bytes that are no segment; everything read is
// checked.
#ifndef KEN_LEXICAL_LEXICAL_H
#define KEN_LEXICAL_LEXICAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "blocks/blocks.h"
#include "model/bags.h"
#include "model/facts.h"
#include "token/token.h"

// ---- terms -------------------------------------------------------------------------------------
typedef uint64_t ken_term; // 40 bits

// Porter's stemmer (1980) on lower-case ASCII letters, in place; returns the new length.
size_t ken_stem(char *word, size_t len);
ken_term ken_term_of_word(ken_str lower_stemmed);
ken_term ken_term_of_whole(ken_str lower); // "clientsession"

// ---- documents ---------------------------------------------------------------------------------
enum {
    KEN_FIELD_BODY,
    KEN_FIELD_COMMENT,
    KEN_FIELD_NAME,
    KEN_FIELD_COUNT
};

// How often a term stands in a chunk. Names count two each, variables one.
typedef struct ken_posting {
    uint64_t key;                // term << 24 | chunk index in the content
    uint32_t content;            // ordinal in the segment, set by the builder
    uint8_t tf[KEN_FIELD_COUNT]; // saturate at 255
    uint8_t unused;
} ken_posting;

typedef struct ken_lex_doc {
    KEN_VEC(ken_posting) postings;
    KEN_VEC(uint16_t) lens;        // n_chunks × KEN_FIELD_COUNT, terms per field
    uint32_t len[KEN_FIELD_COUNT]; // of the whole content
    uint32_t n_chunks;
    ken_bags bags; // by chunk, of the tokenizer's vocabulary
} ken_lex_doc;

void ken_lex_doc_release(ken_lex_doc *d);

typedef struct ken_tokenizer ken_tokenizer; // remembers the identifiers it has met

// `vocabulary` (NULL = none) is borrowed: its words are counted as well, unstemmed.
ken_tokenizer *ken_tokenizer_new(const ken_vocabulary *vocabulary) KEN_MUST_USE;
void ken_tokenizer_free(ken_tokenizer *t);
// Limits its cache to about so many bytes, checked before each text. Without a call some
// 32 MiB; at least 512 KiB.
void ken_tokenizer_limit(ken_tokenizer *t, uint64_t n_bytes);
size_t ken_tokenizer_bytes(const ken_tokenizer *t); // what it remembers
// Replaces what `out` held. `comments` are in order and do not overlap.
void ken_tokenize(ken_tokenizer *t, ken_str text, const ken_facts *facts, const ken_span *comments,
                  size_t n_comments, ken_lex_doc *out);

// ---- building ----------------------------------------------------------------------------------
typedef struct ken_lex_builder ken_lex_builder;

ken_lex_builder *ken_lex_builder_new(void) KEN_MUST_USE;
void ken_lex_builder_free(ken_lex_builder *b);
// Copies what it needs. `content`: its id in the store.
void ken_lex_builder_add(ken_lex_builder *b, int64_t content, const ken_lex_doc *doc,
                         const ken_symbol *symbols, uint32_t n_symbols);
size_t ken_lex_builder_bytes(const ken_lex_builder *b); // memory in use
uint32_t ken_lex_builder_n_contents(const ken_lex_builder *b);
// Sorts one of `n_shares` (from 0 on) of what the builder holds; several threads may sort a share
// each. Optional, before finishing, which sorts what is left; nothing may be added in between.
// False when there is no memory.
bool ken_lex_builder_sort(ken_lex_builder *b, uint32_t share, uint32_t n_shares);
// Writes the segment and empties the builder, whose memory goes back as it is written.
ken_status ken_lex_builder_finish(ken_lex_builder *b, const ken_block_sink *sink, ken_err *err)
    KEN_MUST_USE;

// ---- reading -----------------------------------------------------------------------------------
typedef struct ken_lex_segment ken_lex_segment;

// Blocks are read when they are first needed and kept. Free with ken_lex_segment_close.
ken_status ken_lex_segment_open(const ken_block_source *source, ken_lex_segment **out, ken_err *err)
    KEN_MUST_USE;
void ken_lex_segment_close(ken_lex_segment *s);

typedef struct ken_lex_content {
    int64_t id;
    uint32_t first_chunk; // of the segment's chunks
    uint32_t n_chunks;
    uint32_t len[KEN_FIELD_COUNT];
} ken_lex_content;

uint32_t ken_lex_segment_n_contents(const ken_lex_segment *s);
uint32_t ken_lex_segment_n_chunks(const ken_lex_segment *s);
const ken_lex_content *ken_lex_segment_contents(const ken_lex_segment *s); // borrowed
size_t ken_lex_segment_resident(const ken_lex_segment *s);                 // bytes of blocks read
// Lengths of the chunks of one content: n_chunks × KEN_FIELD_COUNT, borrowed until the next call.
ken_status ken_lex_segment_chunk_lens(ken_lex_segment *s, uint32_t content, const uint16_t **out,
                                      ken_err *err) KEN_MUST_USE;

// The same as they lie in the segment, little-endian, borrowed from it.
ken_status ken_lex_segment_raw_lens(ken_lex_segment *s, uint32_t content, const uint8_t **out,
                                    ken_err *err) KEN_MUST_USE;

typedef struct ken_lex_list {
    const uint8_t *at, *end; // borrowed from the segment
    uint32_t n_contents, n_chunks;
} ken_lex_list;

// All zero when the term is absent.
ken_status ken_lex_find(ken_lex_segment *s, ken_term term, ken_lex_list *out, ken_err *err)
    KEN_MUST_USE;

// Called for each term, in order, with how many contents have it; return false to stop.
typedef bool ken_lex_term_fn(void *ctx, ken_term term, uint32_t n_contents);
ken_status ken_lex_each_term(ken_lex_segment *s, ken_lex_term_fn *fn, void *ctx, ken_err *err)
    KEN_MUST_USE;

typedef struct ken_lex_cursor {
    const uint8_t *at, *end;
    uint32_t content;                   // ordinal
    uint32_t tf[KEN_FIELD_COUNT];       // in the whole content
    const uint8_t *detail, *detail_end; // chunks; NULL for one chunk
    uint32_t chunk;                     // the one chunk
    bool has_started;
} ken_lex_cursor;

// One content's entry of a posting list, read in bulk.
typedef struct ken_lex_head {
    uint32_t content;
    uint32_t tf[KEN_FIELD_COUNT];
    uint32_t place; // of its chunks, for ken_lex_cursor_seek
} ken_lex_head;

void ken_lex_cursor_init(ken_lex_cursor *c, const ken_lex_list *list);
bool ken_lex_cursor_next(ken_lex_cursor *c); // false at the end or at damage
// Takes up to `max` contents in one go; 0 at the end or at damage.
uint32_t ken_lex_cursor_heads(ken_lex_cursor *c, const ken_lex_list *list, ken_lex_head *out,
                              uint32_t max);
// Goes back to a content met before, for its chunks alone.
bool ken_lex_cursor_seek(ken_lex_cursor *c, const ken_lex_list *list, uint32_t place);
// Iterates the chunks of the content at hand: start with *pos = NULL.
bool ken_lex_cursor_chunk(const ken_lex_cursor *c, const uint8_t **pos, uint32_t *chunk,
                          uint32_t tf[KEN_FIELD_COUNT]);

// ---- names -------------------------------------------------------------------------------------
typedef struct ken_name_posting {
    uint32_t content; // ordinal
    uint32_t symbol;  // index in the content's facts
    ken_symbol_kind kind;
    uint32_t depth;
} ken_name_posting;

// Called for each name; return false to stop. `text` and `postings` are valid during the call.
typedef bool ken_name_fn(void *ctx, ken_str text, const ken_name_posting *postings, uint32_t n);

// Every name that is `name` in any case.
ken_status ken_lex_names_equal(ken_lex_segment *s, ken_str name, ken_name_fn *fn, void *ctx,
                               ken_err *err) KEN_MUST_USE;
// Every name that begins with `prefix` in any case, in order; all names for an empty prefix.
ken_status ken_lex_names_prefix(ken_lex_segment *s, ken_str prefix, ken_name_fn *fn, void *ctx,
                                ken_err *err) KEN_MUST_USE;
// Every name that may be within `n_edits` (1 or 2) edits of it, or holds it, in any
// case: told by length and letters, so that some are neither. In order.
ken_status ken_lex_names_near(ken_lex_segment *s, ken_str name, uint32_t n_edits, ken_name_fn *fn,
                              void *ctx, ken_err *err) KEN_MUST_USE;

// ---- merging -----------------------------------------------------------------------------------
typedef struct ken_lex_input {
    ken_lex_segment *segment;
    const bool *is_live; // by ordinal; NULL = all are
    const int64_t *ids;  // by ordinal: of the content in what is written; NULL = as it is
} ken_lex_input;

// Writes the contents of some segments, less those that are not alive, as one: what building it from
// them would give. Reads them from end to end and holds some blocks of each; what was read of them
// before may be gone from memory afterwards, and pointers into them with it.
ken_status ken_lex_merge(const ken_lex_input *inputs, size_t n, const ken_block_sink *sink,
                         ken_err *err) KEN_MUST_USE;

#endif
