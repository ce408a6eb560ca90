// SPDX-License-Identifier: MIT
// fuzz_vector -- a segment of vectors in an index that came from somebody else.
//
// Whatever its bytes are, it is refused with a reason, or all its rows can be read, put into a
// matrix, and searched, and no score is other than a number.
#include <stdint.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "vector/vector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    BLOCK = 512,
    MAX_INPUT = 1 << 18
};

static ken_status read_block(void *ctx, int64_t segment, uint32_t block, void *into, size_t *out_n,
                             ken_err *err)
{
    const ken_str *bytes = ctx;
    (void)segment;
    ken_str part = ken_str_sub(*bytes, (size_t)block * BLOCK, (size_t)(block + 1) * BLOCK);
    if (!part.len)
        return KEN_FAIL(err, KEN_ENOTFOUND, "no such block");
    memcpy(into, part.ptr, part.len);
    *out_n = part.len;
    return KEN_OK;
}

// The rows of each content become a file.
static void search(ken_vector_segment *s)
{
    uint32_t n, n_dims = ken_vector_segment_model(s)->n_dims;
    const ken_vector_content *c = ken_vector_segment_contents(s, &n);
    uint32_t *n_rows = ken_zalloc(((size_t)n + 1) * sizeof *n_rows);
    float unit[KEN_VECTOR_MAX_DIMS] = { 1 };
    ken_vector_matrix m;
    ken_err err = { 0 };
    for (uint32_t i = 0; i < n; i++)
        n_rows[i] = c[i].n_rows;
    if (ken_vector_matrix_init(&m, n_dims, n_rows, n)) {
        for (uint32_t i = 0; i < n; i++) {
            const int8_t *values;
            const float *scales;
            ken_status st = ken_vector_segment_rows(s, &c[i], &values, &scales, &err);
            KEN_ASSERT(!st || (st == KEN_ECORRUPT && err.msg[0]));
            if (!st)
                ken_vector_matrix_put(&m, i, values, scales, NULL);
        }
        ken_vector_query q;
        ken_vector_hit hits[8];
        ken_vector_query_init(&q, unit, n_dims);
        size_t n_hits = ken_vector_top_rows(&m, &q, NULL, NULL, 8, hits);
        for (size_t i = 0; i < n_hits; i++)
            KEN_ASSERT(hits[i].row < m.n_rows && hits[i].score >= -1.01F && hits[i].score <= 1.01F);
        ken_vector_matrix_release(&m);
    }
    ken_free(n_rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_str bytes = { (const char *)data, size < MAX_INPUT ? size : MAX_INPUT };
    ken_block_source source = { read_block, &bytes, 1, bytes.len, BLOCK };
    ken_vector_segment *s = NULL;
    ken_err err = { 0 };
    ken_status st = ken_vector_segment_open(&source, &s, &err);
    KEN_ASSERT(!st || ((st == KEN_ECORRUPT || st == KEN_ENOTFOUND) && err.msg[0]));
    if (st)
        return 0;
    search(s);
    ken_vector_segment_close(s);
    return 0;
}
