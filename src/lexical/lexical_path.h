// SPDX-License-Identifier: MIT
// lexical_path.h -- the words in file names and folders.
//
// A small index over the paths of one generation: the tokens of each file's stem and of its
// folders, sorted, so that a query word finds the equal ones, those it begins and those that begin
// it.
//
// Ownership: the index copies nothing but its own tokens; paths are read at build time only.
// Threads: matching needs a ken_path_match of one's own; the index itself is read only.
#ifndef KEN_LEXICAL_LEXICAL_PATH_H
#define KEN_LEXICAL_LEXICAL_PATH_H

#include "lexical/lexical_query.h"

typedef struct ken_path_index ken_path_index;

// Fails when the question that it is made for is stopped.
ken_status ken_path_index_new(const ken_str *paths, size_t n, ken_path_index **out, ken_err *err)
    KEN_MUST_USE;
void ken_path_index_free(ken_path_index *p);

// How well the paths match one question. All arrays are by file and owned by the match.
typedef struct ken_path_match {
    float *file_name[KEN_QUERY_TERMS]; // how well a term fits the file name: 0 to 1; NULL = nowhere
    float *folder[KEN_QUERY_TERMS];    // how well it fits a folder; NULL = nowhere
    float *name_precision;             // share of the file name that the question explains
    float *name_fit;                   // sqrt(precision × position-weighted share of the question)
    float *folder_fit;                 // mean over the tokens of the last two folders
    ken_vec_u32 files;                 // those for which anything is not 0
    size_t n_files, n_tokens;          // of the index matched last
    // Memory that is kept, all zero but for `files`, from one question to the next.
    KEN_VEC(float *) spare;
    float *pool;        // of the three fits
    uint8_t *is_listed; // by file
    float *best;        // by token
    ken_vec_u32 met;    // tokens with a best
} ken_path_match;

// Everything but name_fit. Clears what the match held before.
void ken_path_index_match(const ken_path_index *p, const ken_lex_query *q, ken_path_match *out);
// Then name_fit. `weights`: of each term (idf times word weight).
void ken_path_match_weigh(ken_path_match *m, const ken_lex_query *q, const double *weights);
void ken_path_match_release(ken_path_match *m);

#endif
