// SPDX-License-Identifier: MIT
// lexical_priv.h -- the layout of a segment, shared by its writer and its reader. See FORMAT.md.
#ifndef KEN_LEXICAL_LEXICAL_PRIV_H
#define KEN_LEXICAL_LEXICAL_PRIV_H

#include "base/bytes.h"
#include "blocks/sections.h"
#include "lexical/lexical.h"

enum {
    SEG_MAGIC = 0x47534e4b, // "KNSG"
    SEG_FORMAT = 3,         // 1: first, 2: letters of names, 3: sections that grow side by side
    SEG_HEAD_BYTES = 32,
    SEG_FLAT_HEADER_BYTES = 128, // of formats 1 and 2, at their front
    SEG_CONTENT_BYTES = 32,
    SEG_NAME_KEY_BYTES = 16,
    SEG_NAME_KEY_CHARS = 8, // of them, that a name begins with
    SEG_NAMES_PER_BLOCK = 16,
    SEG_LETTERS_BYTES = 4 * SEG_NAMES_PER_BLOCK, // of a block of names
    SEG_LETTERS_LEN = 27,                        // the bits from here on are the length
    SEG_LETTERS_LEN_MAX = 31,                    // or longer
    SEG_NAME_MAX = 256,                          // bytes; longer names are cut
    SEG_MIN_BUCKET_BITS = 8,
    SEG_MAX_BUCKET_BITS = 24,
    SEG_TERM_BITS = 40,
};

// The sections, in this order.
enum {
    SEG_CONTENTS,
    SEG_CHUNK_LENS,
    SEG_BUCKETS,
    SEG_DICT,
    SEG_POSTINGS,
    SEG_NAME_KEYS,
    SEG_NAMES,
    SEG_NAME_LETTERS,
    SEG_SECTIONS
};

_Static_assert((int)SEG_SECTIONS <= (int)KEN_SECTIONS_MAX, "a segment's sections");

typedef struct seg_header {
    uint32_t n_contents, n_chunks, n_terms, bucket_bits, n_names, n_name_blocks;
} seg_header;

// The first eight bytes of a name, lower-case, big-endian: orders like the folded name itself.
static inline uint64_t seg_name_key(ken_str name)
{
    uint64_t key = 0;
    for (size_t i = 0; i < SEG_NAME_KEY_CHARS; i++)
        key = key << 8 | (i < name.len ? (uint8_t)ken_lower(name.ptr[i]) : 0);
    return key;
}

// Which letters a name has, whether it has a digit, and its length: enough to see at once that two
// names are far from each other.
static inline uint32_t seg_name_letters(ken_str name)
{
    size_t len = name.len < SEG_LETTERS_LEN_MAX ? name.len : SEG_LETTERS_LEN_MAX;
    uint32_t set = (uint32_t)len << SEG_LETTERS_LEN;
    for (size_t i = 0; i < name.len; i++) {
        char c = ken_lower(name.ptr[i]);
        if (c >= 'a' && c <= 'z')
            set |= 1u << (c - 'a');
        else if (ken_is_digit(c))
            set |= 1u << 26;
    }
    return set;
}

// ---- writing, by whoever has terms and names in order -------------------------------------------

typedef struct seg_writer {
    ken_sections_writer out;
    seg_header h;
    uint64_t n_bucket;         // buckets that have begun
    char before[SEG_NAME_MAX]; // the name that was put last
    size_t n_before;
} seg_writer;

void ken_lex__writer_init(seg_writer *w, const ken_block_sink *sink);
// Contents come first and in order, each with its chunks' lengths, little-endian.
void ken_lex__put_content(seg_writer *w, int64_t id, uint32_t n_chunks,
                          const uint32_t len[KEN_FIELD_COUNT]);
void ken_lex__put_lens(seg_writer *w, const void *raw, size_t n_bytes);
// Then the number of postings, which decides how many buckets there are.
void ken_lex__begin_terms(seg_writer *w, uint64_t n_postings);
// Then the terms, in order.
void ken_lex__put_term(seg_writer *w, ken_term term, uint32_t n_contents, uint32_t n_chunks,
                       ken_str list);
void ken_lex__end_terms(seg_writer *w);
// Then the names, in order: places as they are stored.
void ken_lex__put_name(seg_writer *w, ken_str name, uint32_t n_places, ken_str places);
ken_status ken_lex__writer_end(seg_writer *w, ken_err *err);

// ---- walking a segment from end to end -----------------------------------------------------------

// Terms with their lists. What was passed is forgotten: a list is there until the next one.
typedef struct seg_terms {
    ken_lex_segment *s;
    uint64_t bucket;         // the next one
    const uint8_t *at, *end; // of the one at hand
    uint64_t postings;
    ken_term term;
    ken_lex_list list; // its bytes only unless `has_no_lists`
    bool has_no_lists;
} seg_terms;

// False at the end and on failure (*st).
bool ken_lex__next_term(seg_terms *t, ken_status *st, ken_err *err);

// Names in order, each with its places.
typedef struct seg_names {
    ken_lex_segment *s;
    uint32_t block;          // the next one
    const uint8_t *at, *end; // of the one at hand
    char text[SEG_NAME_MAX];
    size_t len;
    KEN_VEC(ken_name_posting) places;
} seg_names;

bool ken_lex__next_name(seg_names *n, ken_status *st, ken_err *err);
void ken_lex__names_release(seg_names *n);
// The order of names in a segment.
int ken_lex__name_cmp(ken_str a, ken_str b);

ken_status ken_lex__view(ken_lex_segment *s, uint32_t section, uint64_t at, uint64_t n,
                         const uint8_t **out, ken_err *err);
void ken_lex__forget(ken_lex_segment *s, uint32_t section, uint64_t below);
ken_status ken_lex__damaged(const ken_lex_segment *s, const char *what, ken_err *err);

typedef struct ken_lex__names {
    const uint8_t *keys; // n_blocks × SEG_NAME_KEY_BYTES: key, offset of the block among the names
    const uint8_t *letters; // n_blocks × SEG_LETTERS_BYTES; NULL in format 1, until asked for
    uint32_t n_blocks;
} ken_lex__names;

ken_status ken_lex__names_section(ken_lex_segment *s, ken_lex__names *out, ken_err *err);
ken_status ken_lex__names_letters(ken_lex_segment *s, ken_lex__names *names, ken_err *err);
ken_status ken_lex__names_block(ken_lex_segment *s, const ken_lex__names *names, uint32_t block,
                                const uint8_t **out_at, const uint8_t **out_end, ken_err *err);
// The same for whoever walks all of them: what lies before is forgotten. False behind the last one
// and on failure (*st).
bool ken_lex__next_names_block(ken_lex_segment *s, uint32_t block, const uint8_t **out_at,
                               const uint8_t **out_end, ken_status *st, ken_err *err);

#endif
