// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pages.h"
#include "simd/simd.h"
#include "vector/vector.h"

size_t ken_vector_signs_bytes(uint32_t n_dims, size_t n_rows)
{
    size_t n_blocks = n_rows / KEN_SIMD_BLOCK + 1;
    return ken_mul_size(n_blocks, (size_t)n_dims / 8 * KEN_SIMD_BLOCK);
}

bool ken_vector_matrix_init(ken_vector_matrix *m, uint32_t n_dims, const uint32_t *n_rows,
                            uint32_t n_files)
{
    size_t n = 0;
    *m = (ken_vector_matrix){ .n_dims = n_dims, .n_files = n_files };
    for (uint32_t f = 0; f < n_files; f++)
        n += n_rows[f];
    if (n >= UINT32_MAX)
        return false;
    m->n_rows = (uint32_t)n;
    m->first_row = ken_try_zalloc(ken_mul_size(n_files + (size_t)1, sizeof *m->first_row));
    m->values = ken_pages_try_zalloc(ken_mul_size(n, n_dims));
    m->scales = ken_try_zalloc(ken_mul_size(n, sizeof *m->scales));
    m->signs = ken_pages_try_zalloc(ken_vector_signs_bytes(n_dims, n));
    if (!m->first_row || !m->values || !m->scales || !m->signs) {
        ken_vector_matrix_release(m);
        return false;
    }
    for (uint32_t f = 0; f < n_files; f++)
        m->first_row[f + 1] = m->first_row[f] + n_rows[f];
    return true;
}

void ken_vector_matrix_release(ken_vector_matrix *m)
{
    ken_free(m->first_row);
    ken_pages_free(m->values, (size_t)m->n_rows * m->n_dims);
    ken_free(m->scales);
    ken_pages_free(m->signs, ken_vector_signs_bytes(m->n_dims, m->n_rows));
    *m = (ken_vector_matrix){ 0 };
}

// Where a row's first byte of signs is; the others follow KEN_SIMD_BLOCK bytes apart.
static uint8_t *signs_at(ken_vector_matrix *m, size_t row)
{
    size_t block = row / KEN_SIMD_BLOCK, n_bytes = m->n_dims / 8;
    return m->signs + block * n_bytes * KEN_SIMD_BLOCK + row % KEN_SIMD_BLOCK;
}

static void put_signs(ken_vector_matrix *m, size_t row)
{
    const int8_t *values = m->values + row * m->n_dims;
    uint8_t *to = signs_at(m, row);
    for (uint32_t d = 0; d < m->n_dims; d += 8, to += KEN_SIMD_BLOCK) {
        uint64_t eight; // their sign bits, gathered by one product
        memcpy(&eight, values + d, sizeof eight);
        *to = (uint8_t)((eight & 0x8080808080808080ULL) * 0x0002040810204081ULL >> 56);
    }
}

// values * scale + path, brought to length 1.
static void put_row(ken_vector_matrix *m, size_t row, const int8_t *values, float scale,
                    const float *path)
{
    const ken_simd_ops *simd = ken_simd();
    float sum[KEN_VECTOR_MAX_DIMS];
    int8_t *to = m->values + row * m->n_dims;
    simd->bag_i8(values, m->n_dims, &(uint32_t){ 0 }, &scale, 1, sum);
    if (path)
        ken_simd_add(sum, 1, path, m->n_dims);
    float square = simd->dot_f32(sum, sum, m->n_dims);
    float quantum = simd->quantise(sum, m->n_dims, to);
    m->scales[row] = square > 0 ? quantum / sqrtf(square) : 0;
    put_signs(m, row);
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
    for (size_t i = 0; i < n; i++)
        put_signs(m, to + i);
}

void ken_vector_matrix_move(ken_vector_matrix *m, size_t from, size_t to)
{
    memmove(m->values + to * m->n_dims, m->values + from * m->n_dims, m->n_dims);
    m->scales[to] = m->scales[from];
    put_signs(m, to);
}
