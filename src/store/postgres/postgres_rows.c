// SPDX-License-Identifier: MIT
// Rows of results, which all come in binary.
#include <string.h>

#include "base/quota.h"
#include "store/postgres/postgres_priv.h"

enum {
    CHECK_EVERY = 256, // rows
    TEXTS_MAX = 100000
};

bool ken_store__pg_is_null(const ken_pg_row *row, int col)
{
    return row->lib->PQgetisnull(row->result, row->at, col);
}

ken_str ken_store__pg_bytes(ken_pg_row *row, int col)
{
    return ken_str_n(row->lib->PQgetvalue(row->result, row->at, col),
                     (size_t)row->lib->PQgetlength(row->result, row->at, col));
}

int64_t ken_store__pg_i64(ken_pg_row *row, int col)
{
    ken_str b = ken_store__pg_bytes(row, col);
    switch (b.len) {
    case 0: // NULL
        return 0;
    case 1:
        return b.ptr[0];
    case 2:
        return (int16_t)ken_pg_number_at(b.ptr, 2);
    case 4:
        return (int32_t)ken_pg_number_at(b.ptr, 4);
    case 8:
        return (int64_t)ken_pg_number_at(b.ptr, 8);
    default:
        row->is_bad = true;
        return 0;
    }
}

uint64_t ken_store__pg_u64(ken_pg_row *row, int col, uint64_t max)
{
    int64_t v = ken_store__pg_i64(row, col);
    if (v >= 0 && (uint64_t)v <= max)
        return (uint64_t)v;
    row->is_bad = true;
    return 0;
}

double ken_store__pg_real(ken_pg_row *row, int col)
{
    uint64_t bits = (uint64_t)ken_store__pg_i64(row, col);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

int64_t ken_store__pg_ms(ken_pg_row *row, int col)
{
    if (ken_store__pg_is_null(row, col))
        return 0;
    int64_t us = ken_store__pg_i64(row, col);
    return (us < 0 ? us - 999 : us) / 1000 + KEN_PG_EPOCH_MS;
}

ken_str ken_store__pg_keep(ken_pg_row *row, int col, ken_arena *arena)
{
    return ken_arena_dup(arena, ken_store__pg_bytes(row, col));
}

void ken_store__pg_fixed(ken_pg_row *row, int col, void *out, size_t n)
{
    ken_str b = ken_store__pg_bytes(row, col);
    if (b.len == n)
        memcpy(out, b.ptr, n);
    else
        row->is_bad = true;
}

// An array of one dimension: dimensions, flags, type, length, first index; then each with its length.
void ken_store__pg_texts(ken_pg_row *row, int col, ken_arena *arena, const ken_str **out,
                         size_t *out_n)
{
    ken_str b = ken_store__pg_bytes(row, col);
    *out = NULL;
    *out_n = 0;
    if (b.len < 12 || !ken_pg_number_at(b.ptr, 4))
        return;
    size_t n = b.len < 20 ? TEXTS_MAX + 1 : ken_pg_number_at(b.ptr + 12, 4), at = 20;
    if (ken_pg_number_at(b.ptr, 4) != 1 || n > TEXTS_MAX) {
        row->is_bad = true;
        return;
    }
    ken_str *list = KEN_ARENA_ARRAY(arena, ken_str, n);
    for (size_t i = 0; i < n; i++) {
        size_t len = at + 4 <= b.len ? ken_pg_number_at(b.ptr + at, 4) : 0;
        if (at + 4 > b.len || len > b.len - at - 4) {
            row->is_bad = true;
            return;
        }
        list[i] = ken_arena_dup(arena, ken_str_n(b.ptr + at + 4, len));
        at += 4 + len;
    }
    *out = list;
    *out_n = n;
}

ken_status ken_store__pg_read_bytes(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                                    ken_err *err)
{
    (void)p, (void)err;
    *(ken_str *)out = ken_store__pg_keep(row, 0, arena);
    return KEN_OK;
}

ken_status ken_store__pg_read_i64(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                                  ken_err *err)
{
    (void)p, (void)arena, (void)err;
    *(int64_t *)out = ken_store__pg_i64(row, 0);
    return KEN_OK;
}

static ken_status read_row(ken_pg *p, const PGresult *result, size_t at, ken_pg_read_fn *read,
                           ken_arena *arena, void *out, ken_err *err)
{
    ken_pg_row row = { p->lib, result, (int)at, false };
    ken_status st = read(p, &row, arena, out, err);
    return !st && row.is_bad ? PG_CORRUPT(p, err, "a row has values out of range") : st;
}

ken_status ken_store__pg_one(ken_pg *p, const ken_pg_query *q, ken_pg_read_fn *read,
                             ken_arena *arena, void *out, ken_err *err)
{
    PGresult *r = NULL;
    ken_status st = ken_store__pg_run(p, q->which, q->values, q->n, &r, err);
    if (!st && !p->lib->PQntuples(r))
        st = KEN_ENOTFOUND;
    if (!st)
        st = read_row(p, r, 0, read, arena, out, err);
    ken_store__pg_done(p, r);
    return st;
}

ken_status ken_store__pg_rows(ken_pg *p, const ken_pg_query *q, const ken_pg_row_kind *kind,
                              ken_arena *arena, void *out, size_t *out_n, ken_err *err)
{
    PGresult *r = NULL;
    ken_status st = ken_store__pg_run(p, q->which, q->values, q->n, &r, err);
    size_t n = st ? 0 : (size_t)p->lib->PQntuples(r);
    char *rows = ken_arena_zalloc(arena, ken_mul_size(n, kind->bytes));
    for (size_t i = 0; !st && i < n; i++) {
        st = read_row(p, r, i, kind->read, arena, rows + i * kind->bytes, err);
        if (!st && i % CHECK_EVERY == 0)
            st = ken_quota_check(err);
    }
    ken_store__pg_done(p, r);
    if (!st) {
        memcpy(out, &rows, sizeof rows);
        *out_n = n;
    }
    return st;
}

ken_status ken_store__pg_number(ken_pg *p, const ken_pg_query *q, int64_t *out, ken_err *err)
{
    return ken_store__pg_one(p, q, ken_store__pg_read_i64, NULL, out, err);
}
