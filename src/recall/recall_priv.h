// SPDX-License-Identifier: MIT
// recall_priv.h -- the texts in memory: rows, and a posting list for each
// term.
#ifndef KEN_RECALL_RECALL_PRIV_H
#define KEN_RECALL_RECALL_PRIV_H

#include "base/slots.h"
#include "base/vec.h"
#include "embed/embed_static.h"
#include "lexical/lexical_query.h"
#include "recall/recall.h"
#include "vector/vector.h"

// A posting: the row of a text, and how often its title and its body have the term, at most 15 each.
typedef uint32_t recall_posting;

enum {
    RECALL_ROW_SHIFT = 8,
    RECALL_TITLE_SHIFT = 4,
    RECALL_TIMES_MAX = 15,
};

typedef struct recall_list {
    ken_term term;
    recall_posting *at; // by row, ascending
    uint32_t len, cap;
} recall_list;

typedef struct recall_lists {
    KEN_VEC(recall_list) all;
    ken_slots slots; // of `all`, by term
    size_t n_bytes;  // of the postings
} recall_lists;

// NULL when no text ever had it.
const recall_list *ken_recall__find_list(const recall_lists *l, ken_term term);
void ken_recall__add_posting(recall_lists *l, ken_term term, recall_posting p);
// Moves every posting to new_row[its row], and drops those of UINT32_MAX.
void ken_recall__move_postings(recall_lists *l, const uint32_t *new_row);
void ken_recall__release_lists(recall_lists *l);

// The list of texts that have a facet: terms have 40 bits, so that no word has it.
#define RECALL_FACET_TERM ((ken_term)1 << 41)

typedef struct recall_text {
    bool is_live;
} recall_text;

// How long a text is, in terms: what a question needs to know of each one that it finds. More than
// RECALL_LENGTH_MAX do not count.
typedef struct recall_length {
    uint16_t title, body; // RECALL_DEAD when it was removed
} recall_length;

enum {
    RECALL_LENGTH_MAX = 4094,
    RECALL_DEAD,
    RECALL_LENGTHS,
};

// The weight of one occurrence, by the length of the text; 0 in a dead one.
typedef struct recall_norms {
    double average; // of the lengths, that they were made for
    float of[RECALL_LENGTHS];
} recall_norms;

// Rows are added at the end. One that was replaced or removed stays, dead, until there are too
// many of them: then all rows close up.
struct ken_recall {
    const ken_static_model *model;
    recall_lists lists;
    KEN_VEC(recall_text) texts;
    KEN_VEC(int64_t) ids;     // by row, as the next two
    KEN_VEC(uint64_t) titles; // hash of the words of the title; 0 = none, or dead
    KEN_VEC(recall_length) lengths;
    ken_vector_matrix matrix; // one file of one row for each text
    size_t n_rows_cap;        // rows that the matrix has room for
    ken_slots slots;          // of rows, by id
    size_t n_live;
    uint64_t n_title, n_body; // of all live texts
    // for one text
    ken_tokenizer *tokenizer;
    ken_lex_doc doc;
    ken_static_rows rows;
    KEN_VEC(char) lines;
    // for one question
    recall_norms title_norms, body_norms;
    KEN_VEC(float) sums; // by row, of words
    KEN_VEC(recall_posting) merged;
    KEN_VEC(uint16_t) sign_sums; // by row
    ken_vec_u32 near, passing;
    KEN_VEC(uint8_t) levels; // by row; of a question with a filter
};

// Adds up the words of a question in `sums`; returns what a text could reach.
double ken_recall__add_words(ken_recall *r, const ken_lex_query *q);

// Of the folded words of a text, one space apart; 0 when it has none.
uint64_t ken_recall__title_hash(ken_str title);

#endif
