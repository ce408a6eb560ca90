// SPDX-License-Identifier: MIT
// Vectors of chunks as rows for pgvector, beside the segments, in the transaction that writes those. Whether there are any
// is found out when the database is opened; what pgvector lacks is told by ken_database_get_vectors, and is no failure.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "store/postgres/postgres_index_priv.h"

enum {
    LEAST_MINOR = 5, // of pgvector 0.x: it has HNSW
    HALF_MINOR = 7,  // it has halfvec and bits
};

// ---- what there is -----------------------------------------------------------------------------

typedef struct vector_version {
    char there[32], offered[32], type[16];
} vector_version;

static void keep(ken_pg_row *row, int col, char *out, size_t n)
{
    snprintf(out, n, KEN_STR_FMT, KEN_STR_ARG(ken_store__pg_bytes(row, col)));
}

static ken_status read_version(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                               ken_err *err)
{
    (void)p, (void)arena, (void)err;
    vector_version *v = out;
    keep(row, 0, v->there, sizeof v->there);
    keep(row, 1, v->offered, sizeof v->offered);
    keep(row, 2, v->type, sizeof v->type);
    return KEN_OK;
}

static ken_status ask_version(ken_pg *p, vector_version *out, ken_err *err)
{
    return ken_store__pg_one(p, &(ken_pg_query){ .which = KEN_PG_VECTOR_VERSION }, read_version,
                             NULL, out, err);
}

static bool is_word(const char *word, const char *is)
{
    return !strcmp(word, is);
}

// "0.7.4" -> 7; all of 1 and above have everything.
static unsigned minor_of(const char *version)
{
    unsigned major = 0, minor = 0;
    return sscanf(version, "%u.%u", &major, &minor) < 2 ? 0 : major ? UINT32_MAX : minor;
}

static void check_version(const ken_database_opts *o, ken_database_vectors *out)
{
    const bool wants_half = !is_word(o->vector_type, "vector");
    const unsigned minor = minor_of(out->version);
    if (!out->version[0])
        snprintf(out->why, sizeof out->why, "pgvector is not installed in the database");
    else if (minor < LEAST_MINOR)
        snprintf(out->why, sizeof out->why, "pgvector %s is too old: 0.%d or newer has HNSW",
                 out->version, LEAST_MINOR);
    else if (wants_half && minor < HALF_MINOR)
        snprintf(out->why, sizeof out->why,
                 "pgvector %s has no halfvec: 0.%d has, or set database.vector_type to vector",
                 out->version, HALF_MINOR);
    else
        out->is_on = true;
}

// Of servers that start at the same time one makes them, and the others find them.
static ken_status make(ken_pg *p, const ken_database_opts *o, ken_database_vectors *out,
                       vector_version *v, ken_err *err)
{
    ken_database_vectors can = *out;
    ken_str type = is_word(o->vector_type, "vector") ? KEN_STR("vector") : KEN_STR("halfvec");
    PGresult *r = NULL;
    ken_store__pg_begin(p, KEN_PG_TX_WRITE);
    ken_status st = ken_store__pg_run(p, KEN_PG_SCHEMA_LOCK, NULL, 0, &r, err);
    ken_store__pg_done(p, r);
    if (!st)
        st = ask_version(p, v, err);
    if (!st && !v->there[0] && v->offered[0] && is_word(o->vectors, "on"))
        st = ken_store__pg_write(p, KEN_PG_VECTOR_INSTALL, NULL, 0, NULL, err);
    if (!st)
        st = ask_version(p, v, err);
    memcpy(can.version, v->there, sizeof can.version);
    check_version(o, &can);
    r = NULL;
    if (!st && can.is_on && !v->type[0]) {
        st = ken_store__pg_run(p, KEN_PG_VECTOR_MAKE, PG_VALUES(PG_TEXT(type)), &r, err);
        ken_store__pg_done(p, r);
        if (!st)
            st = ask_version(p, v, err);
    }
    if (!st)
        st = ken_store__pg_end(p, err);
    ken_store__pg_rollback(p);
    return st;
}

void ken_store__pg_settle_vectors(ken_pg *p, const ken_database_opts *o, ken_database_vectors *out)
{
    vector_version v = { .there = "" };
    ken_err err = { 0 };
    *out = (ken_database_vectors){ .is_on = false };
    if (is_word(o->vectors, "off"))
        return;
    ken_status st = ask_version(p, &v, &err);
    bool may_install = v.offered[0] && is_word(o->vectors, "on");
    if (!st && !v.type[0] && (v.there[0] || may_install) && !o->is_schema_left)
        st = make(p, o, out, &v, &err);
    memcpy(out->version, v.there, sizeof out->version);
    if (!st)
        check_version(o, out);
    out->is_on = out->is_on && v.type[0]; // else the table is not made
    snprintf(out->type, sizeof out->type, "%s", v.type);
    if (!st)
        return;
    out->is_on = false;
    snprintf(out->why, sizeof out->why, "pgvector cannot be used: %.200s", err.msg);
}

// ---- rows ----------------------------------------------------------------------------------------

typedef struct model_row {
    int64_t id, n_dims;
} model_row;

static ken_status read_model(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)arena, (void)err;
    *(model_row *)out = (model_row){ ken_store__pg_i64(row, 0), ken_store__pg_i64(row, 1) };
    return KEN_OK;
}

static ken_status find_model(ken_pg_index *x, const ken_store_vectors *v, ken_err *err)
{
    model_row m = { 0 };
    const ken_str name = ken_str_c(v->model);
    if (x->vector_model.id && !strcmp(x->vector_model.name, v->model) &&
        x->vector_model.n_dims == v->n_dims)
        return KEN_OK;
    const ken_pg_query *get = PG_QUERY(VECTOR_MODEL_GET, PG_TEXT(name));
    ken_status st = ken_store__pg_one(&x->p, get, read_model, NULL, &m, err);
    if (st == KEN_ENOTFOUND) {
        st = ken_store__pg_write(&x->p, KEN_PG_VECTOR_MODEL_ADD,
                                 PG_VALUES(PG_TEXT(name), PG_INT(v->n_dims)), NULL, err);
        if (!st)
            st = ken_store__pg_one(&x->p, get, read_model, NULL, &m, err);
    }
    if (st)
        return st;
    if (m.n_dims != v->n_dims)
        return KEN_FAIL(err, KEN_EINVAL,
                        "the model '%s' has vectors of %lld dimensions in %s, these have %u: give "
                        "the other model another name",
                        v->model, (long long)m.n_dims, ken_database_name(x->p.db), v->n_dims);
    x->vector_model.id = m.id;
    x->vector_model.n_dims = v->n_dims;
    snprintf(x->vector_model.name, sizeof x->vector_model.name, "%s", v->model);
    return KEN_OK;
}

// Half precision, rounded to the nearest; what is too small for it is 0.
static uint16_t half_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    int32_t exponent = (int32_t)(bits >> 23 & 0xff) - 127 + 15;
    uint32_t fraction = bits & 0x7fffff;
    if (exponent <= 0)
        return sign;
    if (exponent >= 31)
        return (uint16_t)(sign | 0x7bff);
    uint32_t half = (uint32_t)exponent << 10 | fraction >> 13;
    half += (fraction & 0x1fff) > 0x1000 || ((fraction & 0x1fff) == 0x1000 && (half & 1));
    return (uint16_t)(sign | (half > 0x7bff ? 0x7bff : half));
}

static void put_vector(const ken_store_vectors *v, uint32_t row, bool is_half, ken_buf *out)
{
    const int8_t *values = v->values + (size_t)row * v->n_dims;
    const uint8_t head[] = { (uint8_t)(v->n_dims >> 8), (uint8_t)v->n_dims, 0, 0 };
    ken_buf_clear(out);
    ken_buf_put(out, head, sizeof head);
    for (uint32_t d = 0; d < v->n_dims; d++) {
        float f = (float)values[d] * v->scales[row];
        uint32_t bits = half_of(f);
        if (!is_half)
            memcpy(&bits, &f, sizeof bits);
        const uint8_t b[] = { (uint8_t)(bits >> 24), (uint8_t)(bits >> 16), (uint8_t)(bits >> 8),
                              (uint8_t)bits };
        ken_buf_put(out, is_half ? b + 2 : b, is_half ? 2 : 4);
    }
}

static bool has_length(const ken_store_vectors *v, uint32_t row)
{
    return v->scales[row] > 0; // one without a known word has no direction
}

ken_status ken_store__pg_put_vectors(ken_store_backend *b, const ken_store_vectors *v, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    const ken_database_vectors *there = ken_store__pg_vectors_of(x->p.db);
    if (!there->is_on)
        return KEN_OK;
    ken_status st = find_model(x, v, err);
    const bool is_half = !strcmp(there->type, "halfvec");
    ken_buf bytes = { 0 };
    for (uint32_t i = 0; !st && i < v->n; i++) {
        if (!has_length(v, i))
            continue;
        put_vector(v, i, is_half, &bytes);
        const ken_pg_value values[] = { PG_INT(x->id), PG_INT(v->content), PG_INT(i),
                                        PG_INT(x->vector_model.id), PG_BYTES(ken_buf_str(&bytes)) };
        ken_store__pg_copy_row(&x->vectors, values, sizeof values / sizeof *values);
        if (x->vectors.rows.len >= KEN_PG_COPY_BYTES)
            st = ken_store__pg_flush(x, err);
    }
    ken_buf_release(&bytes);
    return st;
}

ken_status ken_store__pg_drop_vectors(ken_store_backend *b, const char *keep, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    if (!ken_store__pg_vectors_of(x->p.db)->is_on)
        return KEN_OK;
    ken_status st = ken_store__pg_flush(x, err);
    return st ? st
              : ken_store__pg_write(&x->p, KEN_PG_VECTOR_DROP,
                                    PG_VALUES(PG_INT(x->id), PG_TEXT(ken_str_c(keep))), NULL, err);
}
