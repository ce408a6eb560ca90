// SPDX-License-Identifier: MIT
// query_pick.h -- which of very many indexes a question is put to, by the words that they have.
//
// A question to thousands of indexes cannot open all of them: federated search calls it resource selection. What a database knows of their words
// (ken_database_find_words) is enough to leave out those that have none, and to order the others: by what the
// ranking gives for a word, how rare it is among all files, and by which share of the files of an index has it. Where the
// database finds near vectors (ken_database_find_near) both orders count. The few that are best by that are asked, and rank
// with the whole formula.
//
// Threads: pure. Ownership: plain values; texts and lists are in the arena that the call was given.
#ifndef KEN_QUERY_QUERY_PICK_H
#define KEN_QUERY_QUERY_PICK_H

#include "lexical/lexical_entry.h"
#include "lexical/lexical_query.h"
#include "query/query.h"
#include "vector/vector.h"

enum {
    KEN_PICK_ENTRIES = KEN_QUERY_TERMS * 2 * KEN_LEX_LEVELS,
    KEN_PICK_CODE = 2, // bytes of a code: the word, and its level
};

// A question, as a database is asked for who has what.
typedef struct ken_pick_question {
    int64_t entries[KEN_PICK_ENTRIES];
    ken_str codes[KEN_PICK_ENTRIES]; // which word an entry is of, and how many contents have it
    size_t n;                        // 0 = indexes cannot be told apart by words of this question
    double weights[KEN_QUERY_TERMS];
    uint32_t n_words;
    bool has_filters;  // of paths, languages, kinds: nothing is known of them here
    const char *model; // of `unit`: the built-in one; static
    uint32_t n_dims;   // 0 = nor by its meaning
    float unit[KEN_VECTOR_MAX_DIMS];
} ken_pick_question;

// Without words and meaning when it is not ranked by them; fails as ken_search does.
ken_status ken_pick_read(ken_str query, const ken_search_opts *opts, ken_arena *arena,
                         ken_pick_question *out, ken_err *err) KEN_MUST_USE;

// What is known of an index.
typedef struct ken_pick_index {
    ken_str codes; // of the words that it has
    uint64_t n_contents;
    double distance; // of its nearest vector; negative = none is near
    bool is_untold;  // of some of its segments the words are not known
} ken_pick_index;

typedef struct ken_picked {
    bool is_all; // nothing tells the indexes apart; then nothing of what follows is set
    size_t *at;  // those that are asked, in order; in the arena
    size_t n;
    size_t n_with;             // that have a word of the question, or a near vector
    bool by_words, by_vectors; // by what; vectors only where some are near
    size_t *untold; // those of which not all words are known, the best first; some are among `at`
    size_t n_untold;
} ken_picked;

// Picks at most `most` of n indexes, which are all that the question is about: the best of those with a word or a near
// vector, and some of the untold.
void ken_pick_choose(const ken_pick_question *q, const ken_pick_index *list, size_t n, size_t most,
                     ken_arena *arena, ken_picked *out);

#endif
