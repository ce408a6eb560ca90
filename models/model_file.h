// SPDX-License-Identifier: MIT
// model_file.h -- a packed model, read and written (README.md has its layout).
#ifndef KEN_MODELS_MODEL_FILE_H
#define KEN_MODELS_MODEL_FILE_H

#include <stdint.h>

typedef struct model_table {
    uint32_t n_words, n_dims;
    float factors[6]; // of comments, names, owners, file, file name, folder
    uint64_t *hash;   // by word
    float *rows;      // n_words × n_dims
} model_table;

// Sorts by hash and rounds rows to bytes. 0, or 1 with a message on stderr.
int model_write(const char *path, const char *name, const model_table *m);

// Words come in the order of their hashes. `hash` and `rows` are the caller's to free. 0, or 1 with
// a message on stderr.
int model_read(const char *path, model_table *out);

#endif
