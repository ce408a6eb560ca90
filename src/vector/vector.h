// SPDX-License-Identifier: MIT
// vector.h -- vectors of chunks: immutable segments on disk, an exact scan in memory.
//
// A segment holds, for each of its contents, one int8 vector per chunk with a scale. It knows no
// paths; opening an index adds the vector of the path, brings every vector to length 1 and keeps them
// in one matrix in the order of files, with one bit per dimension beside it. A question is first
// compared with those bits, and what comes near is scored exactly. README.md has the layout, the
// figures and why there is no graph.
//
// Ownership: see each function. Threads: a builder and a segment belong to one; a matrix may
// be read by many once it is filled. Errors: KEN_ECORRUPT for bytes that are no segment.
#ifndef KEN_VECTOR_VECTOR_H
#define KEN_VECTOR_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "blocks/blocks.h"

enum {
    KEN_VECTOR_MODEL_MAX = 63, // bytes of a model's name
    KEN_VECTOR_MAX_DIMS = 4096,
    KEN_VECTOR_DIMS = 64, // n_dims is a multiple of it
};

// Whose vectors they are: only those of one model can be compared.
typedef struct ken_vector_model {
    char name[KEN_VECTOR_MODEL_MAX + 1];
    uint32_t n_dims;
} ken_vector_model;

// The value of an index that names the model whose vectors answer; absent = the built-in one.
#define KEN_VECTOR_ACTIVE "embed.active"

bool ken_vector_model_eq(const ken_vector_model *a, const ken_vector_model *b);

// ---- building ----------------------------------------------------------------------------------
typedef struct ken_vector_builder ken_vector_builder;

ken_vector_builder *ken_vector_builder_new(const ken_vector_model *model) KEN_MUST_USE;
void ken_vector_builder_free(ken_vector_builder *b);
// Copies n x n_dims values and n scales. `content`: its id in the store.
void ken_vector_builder_add(ken_vector_builder *b, int64_t content, const int8_t *values,
                            const float *scales, uint32_t n);
size_t ken_vector_builder_bytes(const ken_vector_builder *b); // memory in use
uint32_t ken_vector_builder_n_contents(const ken_vector_builder *b);
// What was added `i`-th, borrowed until it is written; returns its content.
int64_t ken_vector_builder_at(const ken_vector_builder *b, uint32_t i, const int8_t **out_values,
                              const float **out_scales, uint32_t *out_n);
const ken_vector_model *ken_vector_builder_model(const ken_vector_builder *b);
// Writes the segment and empties the builder.
ken_status ken_vector_builder_finish(ken_vector_builder *b, const ken_block_sink *sink,
                                     ken_err *err) KEN_MUST_USE;

// ---- reading -----------------------------------------------------------------------------------
typedef struct ken_vector_segment ken_vector_segment;

typedef struct ken_vector_content {
    int64_t id;
    uint32_t first_row, n_rows;
} ken_vector_content;

// Reads the head and the list of contents. Free with ken_vector_segment_close.
ken_status ken_vector_segment_open(const ken_block_source *source, ken_vector_segment **out,
                                   ken_err *err) KEN_MUST_USE;
void ken_vector_segment_close(ken_vector_segment *s);
const ken_vector_model *ken_vector_segment_model(const ken_vector_segment *s);
const ken_vector_content *ken_vector_segment_contents(const ken_vector_segment *s, uint32_t *out_n);
// The rows of one content, borrowed until the next call. Cheapest in order.
ken_status ken_vector_segment_rows(ken_vector_segment *s, const ken_vector_content *c,
                                   const int8_t **out_values, const float **out_scales,
                                   ken_err *err) KEN_MUST_USE;

// ---- merging -----------------------------------------------------------------------------------
typedef struct ken_vector_input {
    ken_vector_segment *segment;
    const bool *is_live; // by content; NULL = all are
    const int64_t *ids;  // by content: its id in what is written; NULL = as it is
} ken_vector_input;

// Writes the contents of at least one segment, all of one model, as one, less those that are not
// alive. Holds a block of each, and the rows of one content.
ken_status ken_vector_merge(const ken_vector_input *inputs, size_t n, const ken_block_sink *sink,
                            ken_err *err) KEN_MUST_USE;

// ---- the matrix --------------------------------------------------------------------------------
typedef struct ken_vector_matrix {
    uint32_t n_dims;
    uint32_t n_files, n_rows;
    uint32_t *first_row; // [n_files + 1]; a file without vectors has no rows
    int8_t *values;      // n_rows x n_dims
    float *scales;       // [n_rows]: the vector of length 1 is scale * values
    uint8_t *signs;      // bits where values are negative, in blocks as simd.h has them
} ken_vector_matrix;

// Bytes that the signs of n rows take.
size_t ken_vector_signs_bytes(uint32_t n_dims, size_t n_rows);

// Takes memory for n_rows[file] rows of each file, all zero; false when there is not enough.
bool ken_vector_matrix_init(ken_vector_matrix *m, uint32_t n_dims, const uint32_t *n_rows,
                            uint32_t n_files) KEN_MUST_USE;
void ken_vector_matrix_release(ken_vector_matrix *m);
// Sets the rows of a file. `path` (n_dims, may be NULL) is added to each before it is brought to
// length 1.
void ken_vector_matrix_put(ken_vector_matrix *m, uint32_t file, const int8_t *values,
                           const float *scales, const float *path);
// The rows that `from_file` has in another matrix; as many as `file` has here.
void ken_vector_matrix_copy(ken_vector_matrix *m, uint32_t file, const ken_vector_matrix *from,
                            uint32_t from_file);
// One row to the place of another.
void ken_vector_matrix_move(ken_vector_matrix *m, size_t from, size_t to);

// ---- questions ---------------------------------------------------------------------------------
enum {
    KEN_VECTOR_BINS = 2048
};

// The question's vector in two int8 parts, scale * values + rest_scale * rest, so that rounding it costs
// no accuracy. `tables` is for the first pass: for each group of four dimensions, what each of the 16
// sign patterns of a row adds to its sum. (sum - middle) is about proportional to the cosine.
typedef struct ken_vector_query {
    int8_t values[KEN_VECTOR_MAX_DIMS], rest[KEN_VECTOR_MAX_DIMS];
    float scale, rest_scale;
    uint8_t tables[KEN_VECTOR_MAX_DIMS / 4 * 16];
    uint32_t middle;    // the sum of a row of zeros
    uint32_t bin_shift; // sum >> bin_shift is less than KEN_VECTOR_BINS
} ken_vector_query;

// `unit`: n_dims values, of length 1.
void ken_vector_query_init(ken_vector_query *q, const float *unit, uint32_t n_dims);

typedef struct ken_vector_hit {
    float score; // cosine
    uint32_t file, row;
} ken_vector_hit;

// The sums of the signs of all rows, a place for each of their blocks.
void ken_vector_sum_signs(const ken_vector_matrix *m, const ken_vector_query *q, uint16_t *out);
// A lower bound of the `want`-th largest sum, exact to one bin, from `bins`, which counts the rows in each
// bin. 0 when there are fewer than `want` rows.
uint16_t ken_vector_least(const ken_vector_query *q, const uint32_t bins[KEN_VECTOR_BINS],
                          size_t want);

// out[i] = the cosine of the best row of files[i], -1 when it has none.
void ken_vector_best(const ken_vector_matrix *m, const ken_vector_query *q, const uint32_t *files,
                     size_t n, float *out);
// The cosine of each row of a file, into out[number of its rows].
void ken_vector_rows(const ken_vector_matrix *m, const ken_vector_query *q, uint32_t file,
                     float *out);

// Says whether rows of a file may be in the answer; NULL = all may.
typedef bool ken_vector_filter(const void *ctx, uint32_t file);

// Sets best[file] (n_files, -1 before) to the score of each file's best near row, and appends those
// files to `touched`. Files that are not touched score less than about the value returned.
float ken_vector_near_files(const ken_vector_matrix *m, const ken_vector_query *q,
                            ken_vector_filter *passes, const void *ctx, float *best,
                            ken_vec_u32 *touched);
// The best row of each of the k best files, best first; returns how many there are. Rows are
// compared exactly when there are few, else those whose signs agree best with the question.
size_t ken_vector_top(const ken_vector_matrix *m, const ken_vector_query *q,
                      ken_vector_filter *passes, const void *ctx, size_t k, ken_vector_hit *out);
// The same for single rows.
size_t ken_vector_top_rows(const ken_vector_matrix *m, const ken_vector_query *q,
                           ken_vector_filter *passes, const void *ctx, size_t k,
                           ken_vector_hit *out);

#endif
