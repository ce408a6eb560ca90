// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "simd/simd.h"
#include "vector/vector.h"

bool ken_vector_matrix_init(ken_vector_matrix *m, uint32_t n_dims, const uint32_t *n_rows,
                            uint32_t n_files)
{
    size_t n = 1, n_words = n_dims / 64;
    *m = (ken_vector_matrix){ .n_dims = n_dims, .n_words = (uint32_t)n_words, .n_files = n_files };
    for (uint32_t f = 0; f < n_files; f++)
        n += n_rows[f];
    if (n >= UINT32_MAX)
        return false;
    m->first_row = ken_try_zalloc(ken_mul_size(n_files + (size_t)1, sizeof *m->first_row));
    m->values = ken_try_zalloc(ken_mul_size(n, n_dims));
    m->scales = ken_try_zalloc(ken_mul_size(n, sizeof *m->scales));
    m->bits = ken_try_zalloc(ken_mul_size(n, n_words * sizeof *m->bits));
    if (!m->first_row || !m->values || !m->scales || !m->bits) {
        ken_vector_matrix_release(m);
        return false;
    }
    for (uint32_t f = 0; f < n_files; f++)
        m->first_row[f + 1] = m->first_row[f] + n_rows[f];
    m->n_rows = (uint32_t)n - 1;
    return true;
}

void ken_vector_matrix_release(ken_vector_matrix *m)
{
    ken_free(m->first_row);
    ken_free(m->values);
    ken_free(m->scales);
    ken_free(m->bits);
    *m = (ken_vector_matrix){ 0 };
}

static void put_bits(const int8_t *values, uint32_t n_words, uint64_t *out)
{
    for (uint32_t w = 0; w < n_words; w++, values += 64) {
        uint64_t bits = 0;
        for (int i = 0; i < 8; i++) { // the sign bits of eight bytes, gathered by one product
            uint64_t eight;
            memcpy(&eight, values + (size_t)i * 8, sizeof eight);
            bits |= ((eight & 0x8080808080808080ULL) * 0x0002040810204081ULL >> 56) << 8 * i;
        }
        out[w] = bits;
    }
}

// values * scale + path, brought to length 1.
static void put_row(ken_vector_matrix *m, size_t row, const int8_t *values, float scale,
                    const float *path)
{
    const ken_simd_ops *simd = ken_simd();
    float sum[KEN_VECTOR_MAX_DIMS];
    int8_t *to = m->values + row * m->n_dims;
    for (uint32_t d = 0; d < m->n_dims; d++)
        sum[d] = scale * (float)values[d];
    for (uint32_t d = 0; d < m->n_dims && path; d++)
        sum[d] += path[d];
    float square = simd->dot_f32(sum, sum, m->n_dims);
    float quantum = simd->quantise(sum, m->n_dims, to);
    m->scales[row] = square > 0 ? quantum / sqrtf(square) : 0;
    put_bits(to, m->n_words, m->bits + row * m->n_words);
}

void ken_vector_matrix_put(ken_vector_matrix *m, uint32_t file, const int8_t *values,
                           const float *scales, const float *path)
{
    for (size_t row = m->first_row[file]; row < m->first_row[file + 1]; row++) {
        put_row(m, row, values, *scales++, path);
        values += m->n_dims;
    }
}

void ken_vector_matrix_copy(ken_vector_matrix *m, uint32_t file, const ken_vector_matrix *from,
                            uint32_t from_file)
{
    size_t to = m->first_row[file], n = m->first_row[file + 1] - to,
           first = from->first_row[from_file];
    memcpy(m->values + to * m->n_dims, from->values + first * m->n_dims, n * m->n_dims);
    memcpy(m->scales + to, from->scales + first, n * sizeof *m->scales);
    memcpy(m->bits + to * m->n_words, from->bits + first * m->n_words,
           n * m->n_words * sizeof *m->bits);
}
