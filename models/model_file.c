// SPDX-License-Identifier: MIT
#include "model_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/fs.h"

enum {
    FORMAT = 2,
    SECTION_ALIGN = 64,
    HEAD_BYTES = 72,
    NAME_BYTES = 32,
    MODEL_BYTES_MAX = 1 << 28,
};

// ---- writing ----

static const uint64_t *hash_of_words; // for by_hash

static int by_hash(const void *a, const void *b)
{
    uint64_t x = hash_of_words[*(const uint32_t *)a], y = hash_of_words[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

static uint32_t *order_of(const model_table *m)
{
    uint32_t *order = ken_alloc(m->n_words * sizeof *order);
    for (uint32_t i = 0; i < m->n_words; i++)
        order[i] = i;
    hash_of_words = m->hash;
    qsort(order, m->n_words, sizeof *order, by_hash);
    return order;
}

static void pad(ken_buf *out)
{
    while (out->len % SECTION_ALIGN)
        ken_buf_putc(out, '\0');
}

static void put_head(ken_buf *out, const model_table *m, const char *name)
{
    char text[NAME_BYTES] = { 0 };
    uint32_t numbers[3] = { FORMAT, m->n_words, m->n_dims };
    memcpy(text, name, strnlen(name, sizeof text - 1));
    ken_buf_put(out, "KENM", 4);
    ken_buf_put(out, numbers, sizeof numbers);
    ken_buf_put(out, text, sizeof text);
    ken_buf_put(out, m->factors, sizeof m->factors);
    pad(out);
}

static float scale_of(const float *row, uint32_t n)
{
    float most = 1e-12f;
    for (uint32_t j = 0; j < n; j++)
        most = fabsf(row[j]) > most ? fabsf(row[j]) : most;
    return most / 127;
}

static void put_sections(ken_buf *out, const model_table *m, const uint32_t *order)
{
    for (uint32_t i = 0; i < m->n_words; i++)
        ken_buf_put(out, &m->hash[order[i]], sizeof(uint64_t));
    pad(out);
    for (uint32_t i = 0; i < m->n_words; i++) {
        float scale = scale_of(m->rows + (size_t)order[i] * m->n_dims, m->n_dims);
        ken_buf_put(out, &scale, sizeof scale);
    }
    pad(out);
    for (uint32_t i = 0; i < m->n_words; i++) {
        const float *row = m->rows + (size_t)order[i] * m->n_dims;
        float scale = scale_of(row, m->n_dims);
        for (uint32_t j = 0; j < m->n_dims; j++)
            ken_buf_putc(out, (char)(int8_t)lrintf(row[j] / scale));
    }
}

int model_write(const char *path, const char *name, const model_table *m)
{
    ken_buf out = KEN_BUF_INIT(MODEL_BYTES_MAX);
    ken_err err = { 0 };
    uint32_t *order = order_of(m);
    put_head(&out, m, name);
    put_sections(&out, m, order);
    ken_status st = ken_fs_write_atomic(path, ken_buf_str(&out), &err);
    if (st)
        fprintf(stderr, "%s\n", err.msg);
    ken_buf_release(&out);
    ken_free(order);
    return st != KEN_OK;
}

// ---- reading ----

static size_t aligned(size_t at)
{
    return (at + SECTION_ALIGN - 1) / SECTION_ALIGN * SECTION_ALIGN;
}

static int unpack(ken_str bytes, model_table *out)
{
    uint32_t numbers[3];
    if (bytes.len < HEAD_BYTES || memcmp(bytes.ptr, "KENM", 4) != 0)
        return 1;
    memcpy(numbers, bytes.ptr + 4, sizeof numbers);
    size_t v = numbers[1], n_dims = numbers[2];
    size_t hash_at = aligned(HEAD_BYTES), scale_at = aligned(hash_at + v * sizeof(uint64_t));
    size_t rows_at = aligned(scale_at + v * sizeof(float));
    if (numbers[0] != FORMAT || bytes.len != rows_at + v * n_dims)
        return 1;
    uint64_t *hash = ken_alloc(v * sizeof *hash);
    float *rows = ken_alloc(v * n_dims * sizeof *rows);
    memcpy(hash, bytes.ptr + hash_at, v * sizeof *hash);
    for (size_t i = 0; i < v * n_dims; i++) {
        float scale;
        memcpy(&scale, bytes.ptr + scale_at + i / n_dims * sizeof scale, sizeof scale);
        rows[i] = scale * (float)(int8_t)bytes.ptr[rows_at + i];
    }
    *out = (model_table){ (uint32_t)v, (uint32_t)n_dims, { 0 }, hash, rows };
    memcpy(out->factors, bytes.ptr + 16 + NAME_BYTES, sizeof out->factors);
    return 0;
}

int model_read(const char *path, model_table *out)
{
    ken_buf bytes = KEN_BUF_INIT(MODEL_BYTES_MAX + 1);
    ken_err err = { 0 };
    int rc = 1;
    if (ken_fs_read_own(path, MODEL_BYTES_MAX, &bytes, &err))
        fprintf(stderr, "%s\n", err.msg);
    else if ((rc = unpack(ken_buf_str(&bytes), out)) != 0)
        fprintf(stderr, "%s: no model of format %d\n", path, FORMAT);
    ken_buf_release(&bytes);
    return rc;
}
