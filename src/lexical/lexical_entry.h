// SPDX-License-Identifier: MIT
// lexical_entry.h -- a word of a whole segment as one number, for a database that finds segments by their words.
//
// An entry holds 29 bits of the term and how many contents have it, as one of eight levels: so one look at an index of
// entries tells who has a word, and about how often. Two terms are taken for one with a chance of 2^-29 each: an
// entry chooses where to look, and no answer rests on it.
//
// Threads: pure.
#ifndef KEN_LEXICAL_LEXICAL_ENTRY_H
#define KEN_LEXICAL_LEXICAL_ENTRY_H

#include "lexical/lexical.h"

enum {
    KEN_LEX_LEVELS = 8, // 1 to 3 contents, 4 to 15, … 16,384 and more
    KEN_LEX_TERM_BITS = 29,
};

static inline uint32_t ken_lex_level(uint32_t n_contents)
{
    uint32_t level = 0;
    while (n_contents >= 4 && level + 1 < KEN_LEX_LEVELS) {
        n_contents /= 4;
        level++;
    }
    return level;
}

// About how many contents it is.
static inline uint32_t ken_lex_level_contents(uint32_t level)
{
    return (uint32_t)2 << 2 * level;
}

// A 32-bit signed number, as databases have them.
static inline int64_t ken_lex_entry(ken_term term, uint32_t level)
{
    const uint64_t mask = ((uint64_t)1 << KEN_LEX_TERM_BITS) - 1;
    uint32_t entry = (uint32_t)((term ^ term >> KEN_LEX_TERM_BITS) & mask) << 3 | level;
    return (int32_t)entry;
}

#endif
