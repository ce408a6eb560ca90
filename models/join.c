// SPDX-License-Identifier: MIT
// Makes one model of several that know the same words and were trained with different seeds.
//
//   ken-model-join OUT NAME DIMS MODEL...
//
// The rows of a word are put behind each other, so that a score is the mean of the models' scores;
// then only the DIMS directions are kept along which the rows differ most.
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model_file.h"

enum {
    DIMS_MAX = 4096
};

// LAPACK: eigenvalues (ascending) and eigenvectors of a symmetric matrix, in place.
void ssyev_(const char *job, const char *half, const int *n, float *a, const int *n_row,
            float *values, float *work, const int *n_work, int *out_info);

// Appends the rows of `m` to those of `all`; false when the words are others.
static int append(model_table *all, model_table m, uint32_t n_models)
{
    if (!all->n_words)
        *all = (model_table){ m.n_words, 0, { 0 }, m.hash, NULL };
    if (m.n_words != all->n_words || memcmp(m.hash, all->hash, m.n_words * sizeof *m.hash) != 0)
        return 1;
    uint32_t n = all->n_dims + m.n_dims;
    float *rows = ken_alloc((size_t)m.n_words * n * sizeof *rows);
    for (size_t i = 0; i < m.n_words; i++) {
        if (all->n_dims)
            memcpy(rows + i * n, all->rows + i * all->n_dims, all->n_dims * sizeof *rows);
        memcpy(rows + i * n + all->n_dims, m.rows + i * m.n_dims, m.n_dims * sizeof *rows);
    }
    ken_free(all->rows);
    ken_free(m.rows);
    all->rows = rows;
    all->n_dims = n;
    for (size_t f = 0; f < sizeof m.factors / sizeof *m.factors; f++)
        all->factors[f] += m.factors[f] / (float)n_models;
    return 0;
}

// The orthonormal basis, in columns of the last rows, along which the rows' sum of squares is most.
static float *basis_of(const model_table *m)
{
    int n = (int)m->n_dims, n_work = 64 * n, info = 0;
    float *basis = ken_zalloc((size_t)n * (size_t)n * sizeof *basis);
    float *values = ken_alloc((size_t)n * sizeof *values);
    float *work = ken_alloc((size_t)n_work * sizeof *work);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, (int)m->n_words, 1, m->rows, n,
                m->rows, n, 0, basis, n);
    ssyev_("V", "U", &n, basis, &n, values, work, &n_work, &info);
    ken_free(values);
    ken_free(work);
    return basis;
}

static model_table project(const model_table *m, uint32_t n_dims)
{
    float *basis = basis_of(m);
    float *rows = ken_alloc((size_t)m->n_words * n_dims * sizeof *rows);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m->n_words, (int)n_dims,
                (int)m->n_dims, 1, m->rows, (int)m->n_dims,
                basis + (size_t)(m->n_dims - n_dims) * m->n_dims, (int)m->n_dims, 0, rows,
                (int)n_dims);
    ken_free(basis);
    model_table out = *m;
    out.n_dims = n_dims;
    out.rows = rows;
    return out;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: %s OUT NAME DIMS MODEL...\n", argv[0]);
        return 2;
    }
    uint32_t n_dims = (uint32_t)strtoul(argv[3], NULL, 10);
    model_table all = { 0 }, m;
    for (int i = 4; i < argc; i++)
        if (model_read(argv[i], &m) || append(&all, m, (uint32_t)argc - 4)) {
            fprintf(stderr, "%s: cannot be joined\n", argv[i]);
            return 1;
        }
    if (!n_dims || n_dims > all.n_dims || all.n_dims > DIMS_MAX) {
        fprintf(stderr, "%u of %u dimensions cannot be kept\n", n_dims, all.n_dims);
        return 1;
    }
    model_table out = project(&all, n_dims);
    return model_write(argv[1], argv[2], &out);
}
