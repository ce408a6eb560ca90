// SPDX-License-Identifier: MIT
// Statements and transactions. Connections are in pipeline mode: what a transaction begins with, a
// statement that is not prepared yet, and the statement itself go out together and cost one round trip.
#include <embed_store_pg_sql.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "store/postgres/postgres_priv.h"

enum {
    PARAMS_MAX = 24,
    NAME_BYTES = 16,
    VALUES_MAX_BYTES = 64 << 20, // of one statement; a repaired text may have three times as many
    IDLE_MS = 300000,            // of an index: a batch is made between two statements
};

void ken_store__pg_init(ken_pg *p, ken_database *db, const char *what, const char *name,
                        uint32_t busy_ms)
{
    *p = (ken_pg){ .db = db,
                   .lib = ken_store__pg_lib_of(db),
                   .what = what,
                   .name = ken_strdup(name),
                   .busy_ms = busy_ms ? busy_ms : KEN_STORE_BUSY_MS,
                   .idle_ms = IDLE_MS };
}

void ken_store__pg_release(ken_pg *p)
{
    ken_store__pg_rollback(p);
    ken_buf_release(&p->params);
    ken_free(p->name);
}

// ---- texts -------------------------------------------------------------------------------------

static const char *const names[KEN_PG_COUNT] = { NULL,
#define X(name) #name,
                                                 KEN_PG_STATEMENTS(X)
#undef X
};

// What stands behind the line "-- :NAME", up to its ";".
void ken_store__pg_text(ken_pg_stmt which, ken_buf *out)
{
    char mark[64];
    snprintf(mark, sizeof mark, "\n-- :%s\n", names[which]);
    const char *found = NULL;
    for (size_t i = 0; !found && i < ken_embed_store_pg_sql_count; i++)
        found = strstr((const char *)ken_embed_store_pg_sql_table[i].data, mark);
    if (!found)
        return;
    found += strlen(mark);
    ken_buf_put(out, found, strcspn(found, ";"));
}

// ---- sending -----------------------------------------------------------------------------------

typedef struct call {
    ken_pg_stmt which;
    const ken_pg_value *values;
    size_t n;
} call;

typedef struct encoded {
    Oid types[PARAMS_MAX];
    const char *values[PARAMS_MAX];
    int lengths[PARAMS_MAX], formats[PARAMS_MAX];
} encoded;

static void encode(ken_pg *p, const call *c, encoded *out)
{
    size_t at[PARAMS_MAX] = { 0 };
    ken_buf_clear(&p->params);
    for (size_t i = 0; i < c->n; i++) {
        at[i] = p->params.len;
        if (!c->values[i].is_null)
            ken_store__pg_put(&p->params, &c->values[i]);
        out->types[i] = ken_store__pg_oid(c->values[i].type);
        out->lengths[i] = (int)(p->params.len - at[i]);
        out->formats[i] = 1;
    }
    ken_buf_putc(&p->params, '\0'); // there is memory, even for an empty value
    for (size_t i = 0; i < c->n; i++)
        out->values[i] = c->values[i].is_null ? NULL : p->params.ptr + at[i];
}

// Prepared once on each connection, when it is one of those with work in them; behind a pooler a name
// would be of another connection.
static bool has_name(const ken_pg_conn *c, ken_pg_stmt which)
{
    bool is_sure = c->prepared[which] != KEN_PG_UNSURE;
    return !c->is_pooled && which > KEN_PG_LAST_UNNAMED && is_sure;
}

static bool send_text(ken_pg *p, ken_pg_conn *c, const call *it, const char *name, const encoded *e)
{
    ken_buf sql = { 0 };
    ken_store__pg_text(it->which, &sql);
    ken_buf_putc(&sql, '\0');
    bool is_sent = name ? p->lib->PQsendPrepare(c->pg, name, sql.ptr, (int)it->n, e->types)
                        : p->lib->PQsendQueryParams(c->pg, sql.ptr, (int)it->n, e->types, e->values,
                                                    e->lengths, e->formats, 1);
    ken_buf_release(&sql);
    return is_sent;
}

static bool send_call(ken_pg *p, ken_pg_conn *c, const call *it)
{
    encoded e;
    char name[NAME_BYTES];
    encode(p, it, &e);
    if (!has_name(c, it->which))
        return send_text(p, c, it, NULL, &e);
    snprintf(name, sizeof name, "ken%d", (int)it->which);
    if (c->prepared[it->which] == KEN_PG_UNPREPARED && !send_text(p, c, it, name, &e))
        return false;
    return p->lib->PQsendQueryPrepared(c->pg, name, (int)it->n, e.values, e.lengths, e.formats, 1);
}

static ken_str number_text(uint32_t v, char out[NAME_BYTES])
{
    return ken_str_n(out, (size_t)snprintf(out, NAME_BYTES, "%u", v));
}

// BEGIN, and what holds for this transaction only.
static bool send_begin(ken_pg *p, ken_pg_conn *c)
{
    char busy[NAME_BYTES], statement[NAME_BYTES], idle[NAME_BYTES];
    const call begin = { p->tx == KEN_PG_TX_WRITE ? KEN_PG_BEGIN_WRITE : KEN_PG_BEGIN_READ, NULL,
                         0 };
    uint32_t limit = ken_store__pg_statement_ms(p->db);
    if (!send_call(p, c, &begin))
        return false;
    if (p->tx == KEN_PG_TX_READ && !limit)
        return true;
    const ken_pg_value values[] = { PG_TEXT(number_text(p->busy_ms, busy)),
                                    PG_TEXT(number_text(limit, statement)),
                                    PG_TEXT(number_text(p->idle_ms, idle)) };
    return send_call(p, c,
                     &(const call){ KEN_PG_SET_LIMITS, values, sizeof values / sizeof *values });
}

PGresult *ken_store__pg_await(const ken_pg_lib *lib, PGconn *pg, bool *out_has_failed)
{
    PGresult *kept = NULL;
    *out_has_failed = false;
    for (int n_ends = 0; n_ends < 2;) { // one NULL ends a statement, two the whole
        PGresult *r = lib->PQgetResult(pg);
        n_ends = r ? 0 : n_ends + 1;
        ExecStatusType status = r ? lib->PQresultStatus(r) : PGRES_EMPTY_QUERY;
        bool is_end = status == PGRES_PIPELINE_SYNC;
        bool has_failed = status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE;
        if (!r)
            continue;
        if (is_end || *out_has_failed || status == PGRES_PIPELINE_ABORTED) {
            lib->PQclear(r);
        } else {
            lib->PQclear(kept);
            kept = r;
            *out_has_failed = has_failed;
        }
        if (is_end)
            return kept;
    }
    lib->PQclear(kept);
    *out_has_failed = true;
    return NULL;
}

static bool is_lost(const ken_pg *p, const ken_pg_conn *c)
{
    return p->lib->PQstatus(c->pg) != CONNECTION_OK;
}

// `*out_is_lost`: the connection is of no use any more, or has commands that nobody ends.
static ken_status run_on(ken_pg *p, ken_pg_conn *c, const call *it, PGresult **out,
                         bool *out_is_lost, ken_err *err)
{
    bool begins = p->tx && !p->has_begun, has_failed = false;
    bool is_sent =
        (!begins || send_begin(p, c)) && send_call(p, c, it) && p->lib->PQpipelineSync(c->pg);
    PGresult *r = is_sent ? ken_store__pg_await(p->lib, c->pg, &has_failed) : NULL;
    *out_is_lost = !r || is_lost(p, c);
    if (r && !has_failed) {
        c->prepared[it->which] = has_name(c, it->which) ? KEN_PG_PREPARED : c->prepared[it->which];
        *out = r;
        return KEN_OK;
    }
    if (c->prepared[it->which] == KEN_PG_UNPREPARED)
        c->prepared[it->which] = KEN_PG_UNSURE;
    ken_status st = PG_FAIL(p, c, r, err);
    p->lib->PQclear(r);
    return st;
}

// A transaction whose connection was lost cannot go on upon another: nothing of it is there.
ken_status ken_store__pg_check_conn(ken_pg *p, ken_err *err)
{
    return p->tx && p->has_begun && !p->conn ? PG_FAIL(p, NULL, NULL, err) : KEN_OK;
}

static ken_status try_once(ken_pg *p, const call *it, PGresult **out, bool *out_is_lost,
                           ken_err *err)
{
    ken_pg_conn *c = p->conn;
    *out_is_lost = false;
    p->failure = KEN_PG_REFUSED;
    ken_status st = ken_store__pg_check_conn(p, err);
    if (!st)
        st = ken_store__pg_copy_settle(p, err);
    if (!st && !c)
        st = ken_store__pg_take(p->db, &c, err);
    if (st)
        return st;
    st = run_on(p, c, it, out, out_is_lost, err);
    bool is_kept = p->tx && !*out_is_lost; // until its end, failed or not
    p->conn = is_kept ? c : NULL;
    p->has_begun = p->has_begun || is_kept;
    if (!is_kept)
        ken_store__pg_give(p->db, c, *out_is_lost);
    return st;
}

// Bytes of parameters are gathered in one buffer: what does not fit there must not arrive shorter.
static ken_status check_length(const ken_pg *p, const call *it, ken_err *err)
{
    size_t n = 0;
    for (size_t i = 0; i < it->n; i++) {
        const ken_pg_value *v = &it->values[i];
        if (v->type == KEN_PG_V_TEXT || v->type == KEN_PG_V_BYTES)
            n += v->bytes.len;
        bool is_list = v->type == KEN_PG_V_TEXTS || v->type == KEN_PG_V_BLOBS;
        for (size_t k = 0; is_list && k < v->texts.n; k++)
            n += v->texts.list[k].len;
    }
    return n <= VALUES_MAX_BYTES
               ? KEN_OK
               : KEN_FAIL(err, KEN_ELIMIT, "%s '%s': a row of %zu bytes, over the limit of %d",
                          p->what, p->name, n, VALUES_MAX_BYTES);
}

ken_status ken_store__pg_run(ken_pg *p, ken_pg_stmt which, const ken_pg_value *values, size_t n,
                             PGresult **out, ken_err *err)
{
    const call it = { which, values, n };
    bool is_lost = false, may_repeat = !p->has_begun; // nothing was done that could be done twice
    ken_err first = { 0 };
    if (p->in && p->tx == KEN_PG_TX_READ)
        return ken_store__pg_run_in(p->in, which, values, n, out, err);
    ken_status st = check_length(p, &it, err);
    if (st)
        return st;
    st = try_once(p, &it, out, &is_lost, &first);
    if (st && is_lost && may_repeat)
        return try_once(p, &it, out, &is_lost, err);
    if (st && err)
        *err = first;
    return st;
}

void ken_store__pg_done(ken_pg *p, PGresult *r)
{
    p->lib->PQclear(r);
}

ken_status ken_store__pg_write(ken_pg *p, ken_pg_stmt which, const ken_pg_value *values, size_t n,
                               uint64_t *out_n, ken_err *err)
{
    PGresult *r = NULL;
    ken_status st = ken_store__pg_run(p, which, values, n, &r, err);
    uint64_t n_changed = 0;
    if (!st && out_n)
        *out_n = ken_str_parse_u64(ken_str_c(p->lib->PQcmdTuples(r)), &n_changed) ? n_changed : 0;
    ken_store__pg_done(p, r);
    return st;
}

ken_status ken_store__pg_script(ken_pg *p, const char *sql, ken_err *err)
{
    ken_status settled = ken_store__pg_copy_settle(p, err);
    if (settled)
        return settled;
    p->lib->PQexitPipelineMode(p->conn->pg);
    PGresult *r = p->lib->PQexec(p->conn->pg, sql);
    ExecStatusType status = p->lib->PQresultStatus(r);
    ken_status st = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK
                        ? KEN_OK
                        : PG_FAIL(p, p->conn, r, err);
    p->lib->PQclear(r);
    p->lib->PQenterPipelineMode(p->conn->pg);
    return st;
}

// ---- transactions ------------------------------------------------------------------------------

void ken_store__pg_begin(ken_pg *p, ken_pg_tx tx)
{
    p->tx = tx;
    p->has_begun = false;
    p->why.status = KEN_OK;
}

ken_status ken_store__pg_end(ken_pg *p, ken_err *err)
{
    PGresult *r = NULL;
    if (!p->has_begun || p->tx == KEN_PG_TX_READ) {
        ken_store__pg_rollback(p); // there is nothing to keep
        return KEN_OK;
    }
    ken_status st = ken_store__pg_run(p, KEN_PG_COMMIT, NULL, 0, &r, err);
    // The server ends one in which a statement failed by this, and says no more than which end it was.
    if (!st && strcmp(p->lib->PQcmdStatus(r), "COMMIT") != 0)
        st = KEN_FAIL(err, KEN_EIO, "%s '%s' in %s: nothing was kept, as a statement failed before",
                      p->what, p->name, ken_database_name(p->db));
    ken_store__pg_done(p, r);
    if (st)
        return st;
    ken_store__pg_give(p->db, p->conn, false);
    p->conn = NULL;
    ken_store__pg_begin(p, KEN_PG_TX_NONE);
    return KEN_OK;
}

// The answer is read when the connection is taken next.
void ken_store__pg_rollback(ken_pg *p)
{
    static const call rollback = { KEN_PG_ROLLBACK, NULL, 0 };
    if (p->conn) {
        ken_status rolled_back = ken_store__pg_copy_settle(p, NULL);
        (void)rolled_back; // whatever it was
        bool is_sent = send_call(p, p->conn, &rollback) && p->lib->PQpipelineSync(p->conn->pg);
        p->conn->is_rolling_back = is_sent;
        ken_store__pg_give(p->db, p->conn, !is_sent || is_lost(p, p->conn));
    }
    p->conn = NULL;
    ken_store__pg_begin(p, KEN_PG_TX_NONE);
}
