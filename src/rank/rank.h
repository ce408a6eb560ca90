// SPDX-License-Identifier: MIT
// rank.h -- combining evidence: the kind of a file by its path, the weights, and the score term by
// term.
//
// A file's score is a weighted sum of a few features between 0 and 1; docs/decisions has how the
// weights were found and what each feature is worth. Ownership: plain values. Threads: pure.
#ifndef KEN_RANK_RANK_H
#define KEN_RANK_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

// Kinds of files, by their path. Bits of ken_rank_path().
enum {
    KEN_PATH_TEST = 1 << 0,
    KEN_PATH_EXAMPLE = 1 << 1,  // example, docs, benchmark
    KEN_PATH_COMPAT = 1 << 2,   // compat, legacy, vendored, generated
    KEN_PATH_INTERNAL = 1 << 3, // internal, impl, private
    KEN_PATH_PLATFORM = 1 << 4, // variant for one platform
    KEN_PATH_DOC = 1 << 5,      // prose
    KEN_PATH_DATA = 1 << 6,     // configuration and data
    // Set by ken_rank_waived() only: the question contains "test", perhaps because the code is about
    // testing; half of the penalty for test files stays.
    KEN_WAIVED_HALF_TEST = 1 << 7,
    // Set by the caller beside the waived bits: the question asks for tests, so files that are not tests
    // get the penalty instead.
    KEN_WANTED_TEST = 1 << 8,
};

// `test_names`: how tests are called in the file's language, patterns as of ken_str_fits; may be NULL.
uint32_t ken_rank_path(ken_str path, const char *test_names, bool is_doc, bool is_data);
// The share of the folders alone: the same for all files of one.
uint32_t ken_rank_folders(ken_str folders);
uint32_t ken_rank_name(ken_str base, const char *test_names, bool is_doc, bool is_data);
// The bits that the question asks for by name ("tests", "example", …) and that therefore cost
// nothing, and KEN_WAIVED_HALF_TEST.
uint32_t ken_rank_waived(ken_str query);

// name, weight, text
#define KEN_RANK_TABLE(X)                  \
    X(CHUNK, 4.0, "best chunk")            \
    X(CHUNK2, 2.0, "second chunk")         \
    X(FILE, 2.75, "whole file")            \
    X(COMMENTS, 3.0, "comments")           \
    X(NAME_FIT, 3.5, "file name")          \
    X(FOLDER, 2.25, "folder")              \
    X(DEFINITION, 2.0, "exact definition") \
    X(NAMED, 20.0, "definition asked for") \
    X(MEANING, 9.0, "meaning")             \
    X(SIZE, 2.0, "size")                   \
    X(TEST, -6.0, "test file")             \
    X(PLATFORM, -6.0, "platform variant")  \
    X(EXAMPLE, -4.5, "example or docs")    \
    X(COMPAT, -4.5, "compat or generated") \
    X(INTERNAL, -4.0, "internal")          \
    X(DOC, -4.5, "prose")                  \
    X(DATA, -4.5, "data")

typedef enum ken_rank_feature {
#define X(name, weight, text) KEN_RANK_##name,
    KEN_RANK_TABLE(X)
#undef X
    KEN_RANK_COUNT
} ken_rank_feature;

typedef struct ken_rank_vector {
    float value[KEN_RANK_COUNT];
} ken_rank_vector;

double ken_rank_weight(ken_rank_feature f);
const char *ken_rank_text(ken_rank_feature f);

// Sets the features that follow from the bits, less the waived ones; KEN_WANTED_TEST may be among these.
void ken_rank_set_path(ken_rank_vector *v, uint32_t bits, uint32_t waived);
double ken_rank_score(const ken_rank_vector *v);
// The points that the bits, less the waived ones, add to a score (zero or negative).
double ken_rank_path_points(uint32_t bits, uint32_t waived);
// The score that a file matching a question of several words in every way has, to show scores
// between 0 and 1. A question that is a name goes beyond it.
double ken_rank_best(void);

// The share of answers like this one that held the target among the first three: a logistic curve
// over the first file's words, comments, meaning and name, calibrated. Fitted to annotated questions
// and to questions that nothing fits, for words and meaning together; docs/retrieval.md has how far it
// holds.
double ken_rank_confidence(const ken_rank_vector *first);
// Below this an answer reports that nothing fits.
#define KEN_RANK_FITS 0.3

#endif
