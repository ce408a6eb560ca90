// SPDX-License-Identifier: MIT
// Parameters and rows: what is bound, and what is read.
#include "base/quota.h"
#include "base/vec.h"
#include "store/sqlite/sqlite_priv.h"

enum {
    CHECK_EVERY = 256 // rows
};

void ken_store__sq_bind(sqlite3_stmt *st, const ken_sq_value *values, size_t n)
{
    for (int i = 0; i < (int)n; i++) {
        const ken_sq_value *v = &values[i];
        switch (v->type) {
        case KEN_SQ_V_INT:
            sqlite3_bind_int64(st, i + 1, v->number);
            break;
        case KEN_SQ_V_REAL:
            sqlite3_bind_double(st, i + 1, v->real);
            break;
        case KEN_SQ_V_TEXT:
            ken_store__sq_bind_text(st, i + 1, v->bytes);
            break;
        case KEN_SQ_V_BLOB:
            ken_store__sq_bind_blob(st, i + 1, v->bytes.ptr, v->bytes.len);
            break;
        case KEN_SQ_V_NULL:
            break; // as it is before anything is bound
        }
    }
}

ken_status ken_store__sq_write(ken_sq *q, ken_sq_stmt which, const ken_sq_value *values, size_t n,
                               ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, which, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, values, n);
    return ken_store__sq_run(q, st, "writing to", err);
}

bool ken_store__sq_next(ken_sq *q, sqlite3_stmt *st, ken_status *s, ken_err *err)
{
    int rc = *s ? SQLITE_DONE : sqlite3_step(st);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        *s = SQ_FAIL(q, rc, err, "reading");
    return rc == SQLITE_ROW;
}

ken_status ken_store__sq_one(ken_sq *q, sqlite3_stmt *st, ken_sq_read_fn *read, ken_arena *arena,
                             void *out, ken_err *err)
{
    ken_status s = SQ_ROW(q, st, NULL, err);
    if (!s)
        s = read(q, st, arena, out, err);
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__sq_rows(ken_sq *q, sqlite3_stmt *st, const ken_sq_row_kind *kind,
                              ken_arena *arena, void *out, size_t *out_n, ken_err *err)
{
    ken_status s = KEN_OK;
    char *rows = NULL;
    size_t n = 0, cap = 0;
    while (ken_store__sq_next(q, st, &s, err)) {
        rows = ken_vec_grow(rows, &cap, n + 1, kind->bytes);
        s = kind->read(q, st, arena, rows + n++ * kind->bytes, err);
        if (!s && n % CHECK_EVERY == 0)
            s = ken_quota_check(err);
    }
    ken_store__sq_done(st);
    if (!s) {
        const void *kept = ken_arena_copy(arena, rows, n, kind->bytes);
        memcpy(out, &kept, sizeof kept);
        *out_n = n;
    }
    ken_free(rows);
    return s;
}

ken_status ken_store__sq_read_bytes(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                                    ken_err *err)
{
    (void)q, (void)err;
    *(ken_str *)out = ken_arena_dup(arena, ken_store__sq_blob(st, 0));
    return KEN_OK;
}

ken_status ken_store__sq_read_i64(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                                  ken_err *err)
{
    (void)q, (void)arena, (void)err;
    *(int64_t *)out = sqlite3_column_int64(st, 0);
    return KEN_OK;
}

ken_status ken_store__sq_load_number(ken_sq *q, sqlite3_stmt *st, const char *absent, int64_t *out,
                                     ken_err *err)
{
    ken_status s = SQ_ROW(q, st, absent, err);
    if (!s)
        *out = sqlite3_column_int64(st, 0);
    ken_store__sq_done(st);
    return s;
}

uint64_t ken_store__sq_u64(sqlite3_stmt *st, int col, uint64_t max, bool *is_bad)
{
    int64_t v = sqlite3_column_int64(st, col);
    if (v >= 0 && (uint64_t)v <= max)
        return (uint64_t)v;
    *is_bad = true;
    return 0;
}

ken_str ken_store__sq_text(sqlite3_stmt *st, int col)
{
    const char *p = (const char *)sqlite3_column_text(st, col);
    return p ? ken_str_n(p, (size_t)sqlite3_column_bytes(st, col)) : KEN_STR("");
}

ken_str ken_store__sq_keep(sqlite3_stmt *st, int col, ken_arena *arena)
{
    return ken_arena_dup(arena, ken_store__sq_text(st, col));
}

ken_str ken_store__sq_blob(sqlite3_stmt *st, int col)
{
    const char *p = sqlite3_column_blob(st, col);
    return p ? ken_str_n(p, (size_t)sqlite3_column_bytes(st, col)) : KEN_STR("");
}

bool ken_store__sq_fixed(sqlite3_stmt *st, int col, void *out, size_t n)
{
    ken_str b = ken_store__sq_blob(st, col);
    if (b.len != n)
        return false;
    memcpy(out, b.ptr, n);
    return true;
}
