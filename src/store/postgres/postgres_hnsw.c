// SPDX-License-Identifier: MIT
// The HNSW indexes of pgvector: one of each partition of ken.embeddings, built while runs go on writing vectors. What is to be
// done is asked of the database (ken.index_steps); each step is a statement of its own, on a connection that is none
// of the pool. A step that failed or was ended is done again by who builds next.
#include <poll.h>
#include <stdio.h>

#include "store/postgres/postgres_index_priv.h"

enum {
    TEXT_MAX = 64,
    LOOK_MS = 200, // whether it is to end
};

static ken_status read_state(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)arena, (void)err;
    ken_database_vectors *v = out;
    v->n_rows = ken_store__pg_u64(row, 0, INT64_MAX);
    v->n_models = ken_store__pg_u64(row, 1, INT64_MAX);
    v->n_indexed = ken_store__pg_u64(row, 2, INT64_MAX);
    v->has_recall = !ken_store__pg_is_null(row, 3);
    v->recall = v->has_recall ? ken_store__pg_real(row, 3) : 0;
    return KEN_OK;
}

ken_status ken_database_get_vectors(ken_database *db, ken_database_vectors *out, ken_err *err)
{
    ken_pg p;
    ken_database_vectors v = *ken_store__pg_vectors_of(db);
    if (v.is_on) {
        ken_store__pg_init(&p, db, "table", "ken.embeddings", 0);
        ken_status st = ken_store__pg_one(&p, &(ken_pg_query){ .which = KEN_PG_VECTOR_STATE },
                                          read_state, NULL, &v, err);
        ken_store__pg_release(&p);
        if (st)
            return st;
    }
    *out = v;
    return KEN_OK;
}

// ---- building ------------------------------------------------------------------------------------

static void end_at_server(const ken_pg *p)
{
    char why[256];
    PGcancel *c = p->lib->PQgetCancel(p->conn->pg);
    if (c)
        (void)p->lib->PQcancel(c, why, sizeof why);
    p->lib->PQfreeCancel(c);
}

// Waits for the answer to a statement; when `cancel` says so, the server is told to end it.
static ken_status await_step(ken_pg *p, const ken_cancel *cancel, ken_err *err)
{
    ken_status st = KEN_OK;
    while (p->lib->PQisBusy(p->conn->pg)) {
        struct pollfd fd = { .fd = p->lib->PQsocket(p->conn->pg), .events = POLLIN };
        bool is_told = st != KEN_OK;
        if (fd.fd < 0)
            break;
        int n_ready = poll(&fd, 1, LOOK_MS);
        if (n_ready > 0 && !p->lib->PQconsumeInput(p->conn->pg))
            break;
        st = is_told ? st : ken_cancel_check(cancel, err);
        if (st && !is_told)
            end_at_server(p);
    }
    return st;
}

// Outside of a transaction and of a pipeline.
static ken_status run_step(ken_pg *p, const char *sql, const ken_cancel *cancel, ken_err *err)
{
    PGconn *pg = p->conn->pg;
    if (!p->lib->PQsendQueryParams(pg, sql, 0, NULL, NULL, NULL, NULL, 0))
        return PG_FAIL(p, p->conn, NULL, err);
    ken_status st = await_step(p, cancel, err);
    for (PGresult *r; (r = p->lib->PQgetResult(pg)) != NULL;) {
        ExecStatusType status = p->lib->PQresultStatus(r);
        if (!st && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            st = PG_FAIL(p, p->conn, r, err);
        p->lib->PQclear(r);
    }
    if (!st && p->lib->PQstatus(pg) != CONNECTION_OK)
        st = PG_FAIL(p, p->conn, NULL, err);
    return st;
}

// For the life of the connection, which a pooler would give to others.
static ken_status take_memory(ken_pg *p, ken_err *err)
{
    return p->conn->is_pooled ? KEN_OK
                              : run_step(p, "SET maintenance_work_mem = '512MB'", NULL, err);
}

static ken_status run_steps(ken_pg *p, const ken_str *steps, size_t n, const ken_cancel *cancel,
                            ken_err *err)
{
    ken_pg_conn *c = NULL;
    ken_status st = ken_store__pg_connect(p->db, &c, err);
    if (st)
        return st;
    p->lib->PQexitPipelineMode(c->pg);
    p->conn = c;
    st = take_memory(p, err);
    for (size_t i = 0; !st && i < n; i++) {
        st = ken_cancel_check(cancel, err);
        if (!st)
            st = run_step(p, steps[i].ptr, cancel, err);
    }
    p->conn = NULL;
    ken_store__pg_disconnect(p->db, c);
    return st;
}

// In a transaction of its own: it reads all vectors of the model fifty times.
static ken_status measure(ken_pg *p, int64_t model, const ken_database_opts *o, ken_err *err)
{
    char ef[TEXT_MAX];
    snprintf(ef, sizeof ef, "%u", o->ef_search);
    const ken_pg_value tune[] = { PG_TEXT(ken_str_c(ef)), PG_TEXT(ken_str_c(o->iterative_scan)) };
    PGresult *r = NULL;
    ken_store__pg_begin(p, KEN_PG_TX_WRITE);
    ken_status st = ken_store__pg_run(p, KEN_PG_VECTOR_TUNE, tune, 2, &r, err);
    ken_store__pg_done(p, r);
    r = NULL;
    if (!st)
        st = ken_store__pg_run(p, KEN_PG_VECTOR_MEASURE, PG_VALUES(PG_INT(model)), &r, err);
    ken_store__pg_done(p, r);
    if (!st)
        st = ken_store__pg_end(p, err);
    ken_store__pg_rollback(p);
    return st;
}

// `*out_built`: false when another process is at it.
static ken_status build(ken_pg *p, int64_t model, const ken_cancel *cancel, ken_arena *arena,
                        bool *out_built, ken_err *err)
{
    const ken_database_opts *o = ken_store__pg_opts_of(p->db);
    ken_str *steps = NULL;
    size_t n = 0;
    ken_status st =
        PG_ROWS(p, PG_QUERY(VECTOR_STEPS, PG_INT(model), PG_TEXT(ken_str_c(o->vector_type))),
                ken_store__pg_read_bytes, arena, &steps, &n, err);
    if (st || !n)
        return st;
    st = run_steps(p, steps, n, cancel, err);
    if (st == KEN_EEXIST)
        return KEN_OK;
    *out_built = !st;
    return st ? st : measure(p, model, o, err);
}

ken_status ken_database_index_vectors(ken_database *db, uint64_t least, const ken_cancel *cancel,
                                      bool *out_built, ken_err *err)
{
    ken_pg p;
    ken_arena arena;
    int64_t model = 0;
    *out_built = false;
    if (!ken_store__pg_vectors_of(db)->is_on)
        return KEN_OK;
    ken_arena_init(&arena, 0);
    ken_store__pg_init(&p, db, "table", "ken.embeddings", 0);
    ken_status st = ken_store__pg_number(&p, PG_QUERY(VECTOR_DUE, PG_INT(least)), &model, err);
    if (!st)
        st = build(&p, model, cancel, &arena, out_built, err);
    ken_store__pg_release(&p);
    ken_arena_release(&arena);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}
