// SPDX-License-Identifier: MIT
// lexical_score.h -- fielded BM25 over segments, first by file, then by chunk of chosen files.
//
// With g = field weights, len = terms in a field, T = sum of g * tf / (0.25 + 0.75 * len /
// average), P = the term's weight in the path, a document scores the sum over terms of weight * (T
// + P) / (T + P + k). Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted
// fields", CIKM 2004; k is large, for path and name boosts inside T saturate a small one.
//
// Ownership: a corpus borrows its arrays; scores own theirs. Threads: one scores value per thread.
#ifndef KEN_LEXICAL_LEXICAL_SCORE_H
#define KEN_LEXICAL_LEXICAL_SCORE_H

#include "base/cancel.h"
#include "lexical/lexical_path.h"
#include "lexical/lexical_query.h"

// A segment, and which files have its contents: first_file[ordinal], then next_file of each; -1
// ends.
typedef struct ken_lex_part {
    ken_lex_segment *segment;
    int32_t *first_file;
    int32_t *only_file; // by ordinal: the file, when there is one; -1 when there are more, or none
    float *norm; // [n_contents × KEN_FIELD_COUNT]: what one occurrence in a field of it counts
} ken_lex_part;

enum {
    KEN_LEX_NORMS = 512 // lengths for which norms are kept; beyond they are worked out
};

typedef struct ken_lex_corpus {
    ken_lex_part *parts;
    uint32_t n_parts;
    uint32_t n_files;
    uint64_t n_chunks;                  // of all files
    int32_t *next_file;                 // [n_files]
    uint32_t *file_part, *file_ordinal; // [n_files]: where the content of a file is
    double sum_len[KEN_FIELD_COUNT];    // of all files
    double file_len[KEN_FIELD_COUNT];   // averages
    double chunk_len[KEN_FIELD_COUNT];
    float chunk_norm[KEN_FIELD_COUNT][KEN_LEX_NORMS]; // as `norm`, by length of a chunk's field
} ken_lex_corpus;

// Fills in the averages, n_chunks and, in the arena, what parts have of each content.
void ken_lex_corpus_measure(ken_lex_corpus *c, ken_arena *arena);

// What several corpora have together, for a question that is put to all of them: then each scores as if
// one corpus held all files.
typedef struct ken_lex_totals {
    double n_files, n_chunks, sum_len[KEN_FIELD_COUNT];
    double files_with[KEN_QUERY_TERMS], chunks_with[KEN_QUERY_TERMS]; // a term of the question
} ken_lex_totals;

void ken_lex_totals_add_corpus(ken_lex_totals *t, const ken_lex_corpus *c);
// `out` is `c` with the averages of `t`; what it has of each content goes to the arena, the rest is
// borrowed of `c`.
void ken_lex_corpus_widen(const ken_lex_corpus *c, const ken_lex_totals *t, ken_arena *arena,
                          ken_lex_corpus *out);

// Not yet normalised.
typedef struct ken_lex_sum {
    float words;    // BM25F of the whole file
    float comments; // how well the comments alone match: sum of weight * c / (c + 2)
} ken_lex_sum;

// Of a chosen file.
typedef struct ken_lex_file_score {
    float best, second; // best two chunks, not yet normalised
    uint32_t best_chunk;
    uint32_t first_chunk; // in ken_lex_scores.chunks when the file was chosen
} ken_lex_file_score;

// One file's entry of a posting list.
typedef struct ken_lex_found {
    uint32_t file, place;  // place: of its chunks, in the list
    float value, comments; // weighted occurrences; those in comments
} ken_lex_found;

// The entries of one list: a stretch of ken_lex_scores.found.
typedef struct ken_lex_run {
    ken_lex_list list;
    uint32_t term, lookup;
    size_t from, to;
} ken_lex_run;

typedef struct ken_lex_scores {
    ken_lex_sum *sums;         // [n_files], zero but for the files in `touched`
    ken_vec_u32 touched;       // files with any word, in the text or the path
    ken_lex_file_score *files; // [n_files], valid for the chosen files
    uint32_t n_files;
    float *term; // [n_files], sums of one term
    float *term_comments;
    ken_vec_u32 term_touched;
    KEN_VEC(ken_lex_found) found; // by term, each in the order of its lists
    KEN_VEC(ken_lex_run) runs;
    KEN_VEC(float) chunks; // scores of the chunks of chosen files, without the path's share
    KEN_VEC(float) term_chunks;
    double file_idf[KEN_QUERY_TERMS], chunk_idf[KEN_QUERY_TERMS];
    double files_with[KEN_QUERY_TERMS], chunks_with[KEN_QUERY_TERMS]; // here
    double file_weights, chunk_weights, word_weights;                 // sums, to normalise with
    ken_path_match paths;
} ken_lex_scores;

void ken_lex_scores_release(ken_lex_scores *s);

// Scores every file that any term touches. `paths` may be NULL.
ken_status ken_lex_score_files(const ken_lex_corpus *c, const ken_lex_query *q,
                               const ken_path_index *paths, const ken_cancel *cancel,
                               ken_lex_scores *out, ken_err *err) KEN_MUST_USE;
// The same in two steps, for a corpus of several: what it has of each term goes into `t`, then with the
// totals of all files are scored.
ken_status ken_lex_read_files(const ken_lex_corpus *c, const ken_lex_query *q,
                              const ken_path_index *paths, const ken_cancel *cancel,
                              ken_lex_scores *out, ken_err *err) KEN_MUST_USE;
void ken_lex_totals_add_terms(ken_lex_totals *t, const ken_lex_query *q, const ken_lex_scores *s);
void ken_lex_fold_files(const ken_lex_query *q, const ken_path_index *paths,
                        const ken_lex_totals *t, ken_lex_scores *s);
// A file that other evidence brings in: it joins those in `touched`, without words of its own.
void ken_lex_score_touch(ken_lex_scores *s, uint32_t file);
// Scores the chunks of the chosen files (after ken_lex_score_files).
ken_status ken_lex_score_chunks(const ken_lex_corpus *c, const ken_lex_query *q,
                                const uint32_t *files, size_t n_files, ken_lex_scores *s,
                                ken_err *err) KEN_MUST_USE;

#endif
