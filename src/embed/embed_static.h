// SPDX-License-Identifier: MIT
// embed_static.h -- the built-in model: a table of word vectors, and how vectors are made of it.
//
// A bag of words becomes L2(sum over words of g(count) * T[word]), g = sqrt(count) for text and
// names and 1 for paths and questions. A chunk of a file becomes
//     base = code + a * comments + b * names + c * owners + d * file
// where `owners` are the names of the definitions that the chunk is a part of, and `file` is the
// direction of the sum of code + a * comments + b * names over the file's chunks; each part has
// length 1, or 0 when it knows no word. The vector of the path is added where the path is known, when
// an index is opened:
//     chunk = L2(base + e * file's name + f * folder)
// so that what is stored depends on the content alone. models/README.md has the file's layout, and
// how it was trained.
//
// Ownership: a model borrows its bytes. Threads: a model never changes; scratch memory is one's
// own. Errors: KEN_ECORRUPT for bytes that are no model.
#ifndef KEN_EMBED_EMBED_STATIC_H
#define KEN_EMBED_EMBED_STATIC_H

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "model/bags.h"

typedef struct ken_static_model ken_static_model;

// Reads the header and checks all sizes; `bytes` must outlive the model and be aligned to 64.
ken_status ken_static_open(ken_str bytes, ken_static_model **out, ken_err *err) KEN_MUST_USE;
void ken_static_close(ken_static_model *m);
// The model compiled into the program. Never closed.
const ken_static_model *ken_static_builtin(void);

const char *ken_static_name(const ken_static_model *m);
uint32_t ken_static_n_dims(const ken_static_model *m);
// The words it knows, as the counter of words needs them.
ken_vocabulary ken_static_vocabulary(const ken_static_model *m);

// Counts each word of a text, a path or a question once: the vector of length 1, or zeros and false
// when it knows none. `out` has n_dims places.
bool ken_static_embed_words(const ken_static_model *m, ken_str text, float *out);

// The vectors of folders, each worked out once for all of its files. Of one model.
typedef struct ken_static_folders {
    ken_map by_path; // where its vector begins
    KEN_VEC(float) vectors;
} ken_static_folders;

void ken_static_folders_init(ken_static_folders *f);
void ken_static_folders_release(ken_static_folders *f);

// The vector that a path adds to the chunks of its file. `folders` may be NULL.
void ken_static_embed_path(const ken_static_model *m, ken_str path, ken_static_folders *folders,
                           float *out);

// Vectors of the chunks of one file, without its path.
typedef struct ken_static_rows {
    KEN_VEC(int8_t) values; // n x n_dims, row-major
    KEN_VEC(float) scales;  // n: base = scale * values
    KEN_VEC(float) scratch; // kept for the next file
} ken_static_rows;

// Replaces what `out` held.
void ken_static_embed_bags(const ken_static_model *m, const ken_bags *bags, ken_static_rows *out);
// The same for a text with a title, which is counted as the only chunk and the name it defines:
//     row = text + title_factor * title
void ken_static_embed_titled(const ken_static_model *m, const ken_bags *bags, float title_factor,
                             ken_static_rows *out);
void ken_static_rows_release(ken_static_rows *rows);

#endif
