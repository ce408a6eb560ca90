// SPDX-License-Identifier: MIT
// lexical_priv.h -- the layout of a segment, shared by its writer and its reader. See README.md.
#ifndef KEN_LEXICAL_LEXICAL_PRIV_H
#define KEN_LEXICAL_LEXICAL_PRIV_H

#include "base/bytes.h"
#include "lexical/lexical.h"

enum {
    SEG_MAGIC = 0x47534e4b, // "KNSG"
    SEG_FORMAT = 2,         // 1: first, 2: letters of names
    SEG_HEADER_BYTES = 128,
    SEG_CONTENT_BYTES = 32,
    SEG_NAME_KEY_BYTES = 16,
    SEG_NAMES_PER_BLOCK = 16,
    SEG_LETTERS_BYTES = 4 * SEG_NAMES_PER_BLOCK, // of a block of names
    SEG_LETTERS_LEN = 27,                        // the bits from here on are the length
    SEG_LETTERS_LEN_MAX = 31,                    // or longer
    SEG_NAME_MAX = 256,                          // bytes; longer names are cut
    SEG_MIN_BUCKET_BITS = 8,
    SEG_MAX_BUCKET_BITS = 24,
    SEG_TERM_BITS = 40,
};

// Byte offsets of the sections, in this order, from the start of the segment.
enum {
    SEG_CONTENTS,
    SEG_CHUNK_LENS,
    SEG_BUCKETS,
    SEG_DICT,
    SEG_POSTINGS,
    SEG_NAME_KEYS,
    SEG_NAMES,
    SEG_NAME_LETTERS,
    SEG_END,
    SEG_SECTIONS
};

typedef struct seg_header {
    uint32_t n_contents, n_chunks, n_terms, bucket_bits, n_names, n_name_blocks;
    uint64_t at[SEG_SECTIONS];
} seg_header;

// The first eight bytes of a name, lower-case, big-endian: orders like the folded name itself.
static inline uint64_t seg_name_key(ken_str name)
{
    uint64_t key = 0;
    for (size_t i = 0; i < 8; i++)
        key = key << 8 | (i < name.len ? (uint8_t)ken_lower(name.ptr[i]) : 0);
    return key;
}

// Which letters a name has, whether it has a digit, and its length: what tells at a glance that two
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

// Walks the dictionary in order of terms: start with *at = 0; false at the end or on failure (*st).
bool ken_lex__next_term(ken_lex_segment *s, uint64_t *at, ken_term *term, ken_lex_list *list,
                        ken_status *st, ken_err *err);

typedef struct ken_lex__names {
    const uint8_t *keys; // n_blocks × SEG_NAME_KEY_BYTES: key, offset of the block among the names
    const uint8_t *letters; // n_blocks × SEG_LETTERS_BYTES; NULL in format 1, until asked for
    uint32_t n_blocks;
} ken_lex__names;

ken_status ken_lex__names_section(ken_lex_segment *s, ken_lex__names *out, ken_err *err);
ken_status ken_lex__names_letters(ken_lex_segment *s, ken_lex__names *names, ken_err *err);
ken_status ken_lex__names_block(ken_lex_segment *s, const ken_lex__names *names, uint32_t block,
                                const uint8_t **out_at, const uint8_t **out_end, ken_err *err);

#endif
