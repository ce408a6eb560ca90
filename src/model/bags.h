// SPDX-License-Identifier: MIT
// bags.h -- the words of a vocabulary in each chunk of a file, with their counts.
//
// Ownership: the arrays belong to the value. Threads: plain values.
#ifndef KEN_MODEL_BAGS_H
#define KEN_MODEL_BAGS_H

#include "base/str.h"
#include "base/vec.h"

#define KEN_WORD_NONE UINT32_MAX

// A list of known words, as whoever counts them needs it: the number of a lower-case word below
// n_words, or KEN_WORD_NONE.
typedef struct ken_vocabulary {
    uint32_t (*find)(const void *ctx, ken_str word);
    const void *ctx;
    uint32_t n_words;
} ken_vocabulary;

// Where in a chunk words stand.
typedef enum ken_bag {
    KEN_BAG_CODE,
    KEN_BAG_COMMENT,
    KEN_BAG_NAME,  // names that the chunk defines; they are code as well
    KEN_BAG_OWNER, // names of definitions that began before the chunk and go on in it
    KEN_BAG_COUNT
} ken_bag;

typedef struct ken_word_count {
    uint32_t word;
    uint16_t n[KEN_BAG_COUNT]; // saturate
} ken_word_count;

typedef struct ken_bags {
    KEN_VEC(ken_word_count) words; // of all chunks, one after the other
    ken_vec_u32 ends;              // by chunk: where its words end
} ken_bags;

static inline void ken_bags_clear(ken_bags *b)
{
    ken_vec_clear(&b->words);
    ken_vec_clear(&b->ends);
}

static inline void ken_bags_release(ken_bags *b)
{
    ken_vec_release(&b->words);
    ken_vec_release(&b->ends);
}

#endif
