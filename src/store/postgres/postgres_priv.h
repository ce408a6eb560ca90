// SPDX-License-Identifier: MIT
// postgres_priv.h -- what the files of the PostgreSQL backend share.
//
// A ken_pg is one session: it has a connection while a transaction is open. The SQL texts are in
// ../sql/postgres/. Codes of SQLSTATE become a ken_status in ken_store__pg_fail and nowhere else.
#ifndef KEN_STORE_POSTGRES_POSTGRES_PRIV_H
#define KEN_STORE_POSTGRES_POSTGRES_PRIV_H

#include <embed_store_pg_statements.h>

#include "base/buf.h"
#include "base/hash.h"
#include "store/database.h"
#include "store/postgres/postgres_lib_priv.h"
#include "store/store_ops.h"

typedef enum ken_pg_stmt {
    KEN_PG_NONE = 0,
#define X(name) KEN_PG_##name,
    KEN_PG_STATEMENTS(X)
#undef X
    KEN_PG_COUNT
} ken_pg_stmt;

// ---- connections (postgres_pool.c) -------------------------------------------------------------
typedef enum ken_pg_prepared {
    KEN_PG_UNPREPARED = 0,
    KEN_PG_PREPARED,
    KEN_PG_UNSURE // a failure came in between: it is sent as a text each time
} ken_pg_prepared;

typedef struct ken_pg_conn {
    PGconn *pg;
    int64_t made_at_ns, used_at_ns;
    bool is_pooled;                 // each transaction may be on another connection of the server
    bool is_rolling_back;           // the answer to a ROLLBACK was not read yet
    uint8_t prepared[KEN_PG_COUNT]; // ken_pg_prepared
} ken_pg_conn;

// Takes what the server has to say up to the end of the pipeline: the last result, or the first that
// failed. NULL when the connection is lost.
PGresult *ken_store__pg_await(const ken_pg_lib *lib, PGconn *pg, bool *out_has_failed);
// A connection that answers, at least until a moment ago.
ken_status ken_store__pg_take(ken_database *db, ken_pg_conn **out, ken_err *err) KEN_MUST_USE;
void ken_store__pg_give(ken_database *db, ken_pg_conn *c, bool is_lost);
// One that is none of the pool, for who keeps it.
ken_status ken_store__pg_connect(ken_database *db, ken_pg_conn **out, ken_err *err) KEN_MUST_USE;
void ken_store__pg_disconnect(const ken_database *db, ken_pg_conn *c);
// application_name of this process: no two have the same.
const char *ken_store__pg_session_name(const ken_database *db);
const ken_pg_lib *ken_store__pg_lib_of(const ken_database *db);
uint32_t ken_store__pg_statement_ms(const ken_database *db);
ken_relations ken_store__pg_relations(const ken_database *db);
bool ken_store__pg_keeps_text(const ken_database *db);
const char *ken_store__pg_data_dir(const ken_database *db);
const ken_database_opts *ken_store__pg_opts_of(const ken_database *db);
const ken_database_vectors *ken_store__pg_vectors_of(const ken_database *db);
typedef struct ken_pg_replica ken_pg_replica;
ken_pg_replica *ken_store__pg_replica_of(const ken_database *db); // NULL = none

// ---- sessions (postgres_session.c) -------------------------------------------------------------
typedef enum ken_pg_tx {
    KEN_PG_TX_NONE = 0,
    KEN_PG_TX_READ,
    KEN_PG_TX_WRITE
} ken_pg_tx;

// What the last failure means for who would try again.
typedef enum ken_pg_failure {
    KEN_PG_REFUSED = 0, // the same would happen again
    KEN_PG_LOST,        // the connection, or its server
    KEN_PG_CONFLICT,    // with another transaction, which was let through
} ken_pg_failure;

typedef struct ken_pg {
    ken_database *db;
    const ken_pg_lib *lib;
    const char *what; // "index"; in messages
    char *name;       // of it; owned
    uint32_t busy_ms; // how long to wait for another writer
    uint32_t idle_ms; // a transaction whose process says nothing for so long is ended by the server
    ken_pg_tx tx;
    ken_database_reading *in; // that the read transaction is a part of; borrowed, NULL = of none
    bool has_begun;           // the server knows of the transaction
    bool is_copying;          // rows were sent, and what the server says to them was not read yet
    ken_pg_conn *conn;        // of the transaction, once it has begun
    ken_buf params;           // of the statement being run
    ken_pg_failure failure;
    ken_err why; // the failure itself, of the open transaction
} ken_pg;

// Of transactions that only write rows: whoever sleeps in one holds their rows from others.
#define KEN_PG_BRIEF_MS 10000

#define KEN_PG_EPOCH_MS INT64_C(946684800000) // PostgreSQL counts from 2000

// The number of `n` bytes, 8 at most, as PostgreSQL sends it: the highest byte first.
static inline uint64_t ken_pg_number_at(const char *p, int n)
{
    uint64_t v = 0;
    for (int i = 0; i < n; i++)
        v = v << 8 | (uint8_t)p[i];
    return v;
}

// The value of a parameter. Text and bytes are borrowed until the statement was run.
typedef enum ken_pg_type {
    KEN_PG_V_INT,
    KEN_PG_V_INT4,
    KEN_PG_V_REAL,
    KEN_PG_V_TEXT,
    KEN_PG_V_BYTES,
    KEN_PG_V_UUID,
    KEN_PG_V_TIME, // milliseconds since the epoch
    KEN_PG_V_BOOL,
    KEN_PG_V_TEXTS, // text[]
    KEN_PG_V_BLOBS, // bytea[]
    KEN_PG_V_INTS,  // bigint[]
} ken_pg_type;

typedef struct ken_pg_value {
    ken_pg_type type;
    bool is_null;
    union {
        int64_t number;
        double real;
        ken_str bytes;
        struct {
            const ken_str *list;
            size_t n;
        } texts;
        struct {
            const int64_t *list;
            size_t n;
        } ints;
    };
} ken_pg_value;

#define PG_INT(v)      ((ken_pg_value){ .type = KEN_PG_V_INT, .number = (int64_t)(v) })
#define PG_INT4(v)     ((ken_pg_value){ .type = KEN_PG_V_INT4, .number = (int32_t)(v) })
#define PG_REAL(v)     ((ken_pg_value){ .type = KEN_PG_V_REAL, .real = (v) })
#define PG_BOOL(v)     ((ken_pg_value){ .type = KEN_PG_V_BOOL, .number = (v) })
#define PG_TIME(ms)    ((ken_pg_value){ .type = KEN_PG_V_TIME, .number = (ms) })
#define PG_TEXT(s)     ((ken_pg_value){ .type = KEN_PG_V_TEXT, .bytes = (s) })
#define PG_BYTES(s)    ((ken_pg_value){ .type = KEN_PG_V_BYTES, .bytes = (s) })
#define PG_SHA(x)      PG_BYTES(ken_str_n((const char *)(x).bytes, sizeof(x).bytes))
#define PG_TEXTS(l, k) ((ken_pg_value){ .type = KEN_PG_V_TEXTS, .texts = { (l), (k) } })
#define PG_BLOBS(l, k) ((ken_pg_value){ .type = KEN_PG_V_BLOBS, .texts = { (l), (k) } })
#define PG_INTS(l, k)  ((ken_pg_value){ .type = KEN_PG_V_INTS, .ints = { (l), (k) } })
#define PG_UUID(id)                         \
    ((ken_pg_value){ .type = KEN_PG_V_UUID, \
                     .bytes = { (const char *)(id).bytes, sizeof(id).bytes } })
// NULL where a condition does not hold: an empty text, an id that is not given.
#define PG_IF(is, v) ((is) ? (v) : (ken_pg_value){ .type = (v).type, .is_null = true })
#define PG_SOME(s)   PG_IF((s).len, PG_TEXT(s))
// A list of them, as two arguments.
#define PG_VALUES(...)                     \
    (const ken_pg_value[]){ __VA_ARGS__ }, \
        sizeof((const ken_pg_value[]){ __VA_ARGS__ }) / sizeof(ken_pg_value)

// `what` is static.
void ken_store__pg_init(ken_pg *p, ken_database *db, const char *what, const char *name,
                        uint32_t busy_ms);
void ken_store__pg_release(ken_pg *p); // what is open is rolled back

// Begins and ends. A transaction begins at the server with its first statement. A failed commit is
// still to be rolled back.
void ken_store__pg_begin(ken_pg *p, ken_pg_tx tx);
ken_status ken_store__pg_end(ken_pg *p, ken_err *err) KEN_MUST_USE;
void ken_store__pg_rollback(ken_pg *p);
// KEN_EIO when the connection of the open transaction was lost.
ken_status ken_store__pg_check_conn(ken_pg *p, ken_err *err) KEN_MUST_USE;

// Runs a statement, in the open transaction or alone. `*out` is the caller's to give to
// ken_store__pg_done.
ken_status ken_store__pg_run(ken_pg *p, ken_pg_stmt which, const ken_pg_value *values, size_t n,
                             PGresult **out, ken_err *err) KEN_MUST_USE;
void ken_store__pg_done(ken_pg *p, PGresult *r); // NULL is fine
// One without rows; `*out_n` are the rows that it changed, unless it is NULL.
ken_status ken_store__pg_write(ken_pg *p, ken_pg_stmt which, const ken_pg_value *values, size_t n,
                               uint64_t *out_n, ken_err *err) KEN_MUST_USE;
// Texts without parameters that no session has: of migrations, one after the other.
ken_status ken_store__pg_script(ken_pg *p, const char *sql, ken_err *err) KEN_MUST_USE;
// Its text, cut off at its end.
void ken_store__pg_text(ken_pg_stmt which, ken_buf *out);

// ---- postgres_reading.c ------------------------------------------------------------------------
ken_status ken_store__pg_run_in(ken_database_reading *r, ken_pg_stmt which,
                                const ken_pg_value *values, size_t n, PGresult **out, ken_err *err)
    KEN_MUST_USE;

// ---- errors (postgres_error.c) -----------------------------------------------------------------
// "<doing> <what> '<name>' in <database>: <reason>". `r` may be NULL: then the connection is what failed.
ken_status ken_store__pg_fail(ken_pg *p, const ken_pg_conn *c, const PGresult *r, ken_err *err,
                              const char *where) KEN_COLD;
#define PG_FAIL(p, c, r, err) ken_store__pg_fail((p), (c), (r), (err), KEN_HERE)
// For values that no writer of ours can have stored.
ken_status ken_store__pg_corrupt(const ken_pg *p, ken_err *err, const char *where, const char *what)
    KEN_COLD;
#define PG_CORRUPT(p, err, what) ken_store__pg_corrupt((p), (err), KEN_HERE, (what))
// Of a SQLSTATE, five characters.
ken_status ken_store__pg_status_of(ken_str state);

// ---- rows (postgres_rows.c) --------------------------------------------------------------------
typedef struct ken_pg_row {
    const ken_pg_lib *lib;
    const PGresult *result;
    int at;
    bool is_bad; // a column is not what it must be
} ken_pg_row;

// Reads a row into `out`; what is kept goes to the arena.
typedef ken_status ken_pg_read_fn(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                                  ken_err *err);

typedef struct ken_pg_row_kind {
    ken_pg_read_fn *read;
    size_t bytes;
} ken_pg_row_kind;

// What is asked for, and with what.
typedef struct ken_pg_query {
    ken_pg_stmt which;
    const ken_pg_value *values;
    size_t n;
} ken_pg_query;
#define PG_QUERY(name, ...)                                                       \
    (&(const ken_pg_query){ KEN_PG_##name, (const ken_pg_value[]){ __VA_ARGS__ }, \
                            sizeof((const ken_pg_value[]){ __VA_ARGS__ }) /       \
                                sizeof(ken_pg_value) })

// The one row. KEN_ENOTFOUND without a message.
ken_status ken_store__pg_one(ken_pg *p, const ken_pg_query *q, ken_pg_read_fn *read,
                             ken_arena *arena, void *out, ken_err *err) KEN_MUST_USE;
// All rows, as an array in the arena: `out` is a pointer to the pointer to its first.
ken_status ken_store__pg_rows(ken_pg *p, const ken_pg_query *q, const ken_pg_row_kind *kind,
                              ken_arena *arena, void *out, size_t *out_n, ken_err *err)
    KEN_MUST_USE;
#define PG_ROWS(p, query, read, arena, out, out_n, err)                                           \
    ken_store__pg_rows((p), (query), &(const ken_pg_row_kind){ (read), sizeof **(out) }, (arena), \
                       (out), (out_n), (err))
// A reader of rows of one text or bytes, a ken_str, and one of rows of one number, an int64_t.
ken_pg_read_fn ken_store__pg_read_bytes, ken_store__pg_read_i64;
ken_status ken_store__pg_number(ken_pg *p, const ken_pg_query *q, int64_t *out, ken_err *err)
    KEN_MUST_USE;

// Column values; what does not fit sets is_bad of the row. NULL is 0, or empty.
bool ken_store__pg_is_null(const ken_pg_row *row, int col);
int64_t ken_store__pg_i64(ken_pg_row *row, int col);
uint64_t ken_store__pg_u64(ken_pg_row *row, int col, uint64_t max);
double ken_store__pg_real(ken_pg_row *row, int col);
int64_t ken_store__pg_ms(ken_pg_row *row, int col);    // of a timestamptz
ken_str ken_store__pg_bytes(ken_pg_row *row, int col); // of text, too; borrowed
ken_str ken_store__pg_keep(ken_pg_row *row, int col, ken_arena *arena);
void ken_store__pg_fixed(ken_pg_row *row, int col, void *out, size_t n);
void ken_store__pg_texts(ken_pg_row *row, int col, ken_arena *arena, const ken_str **out,
                         size_t *out_n);

// ---- many rows (postgres_copy.c) ---------------------------------------------------------------
// Rows of one COPY in binary, gathered here until they are sent.
typedef struct ken_pg_copy {
    ken_buf rows;
    size_t n;
} ken_pg_copy;

void ken_store__pg_copy_row(ken_pg_copy *c, const ken_pg_value *values, size_t n);
// Bytes of the first of whole rows.
size_t ken_store__pg_copy_length(ken_str rows);
// Sends them, in the open transaction that has begun, and has none any more, sent or not. The answer is waited for by
// whatever uses the connection next, and a failure is that one's: the server stores these rows while the next are made.
ken_status ken_store__pg_copy_send(ken_pg *p, ken_pg_stmt which, ken_pg_copy *c, ken_err *err)
    KEN_MUST_USE;
ken_status ken_store__pg_copy_settle(ken_pg *p, ken_err *err) KEN_MUST_USE;
void ken_store__pg_copy_drop(ken_pg_copy *c); // fine at any time
// The value as PostgreSQL takes it, without its length.
void ken_store__pg_put(ken_buf *out, const ken_pg_value *v);
uint32_t ken_store__pg_oid(ken_pg_type type);

// ---- postgres_vectors.c ------------------------------------------------------------------------
// What a database that was just opened has of pgvector. Nothing of it is a failure.
void ken_store__pg_settle_vectors(ken_pg *p, const ken_database_opts *o, ken_database_vectors *out);

// ---- the schema (postgres_migrate.c) -----------------------------------------------------------
ken_status ken_store__pg_settle_schema(ken_pg *p, const ken_database_opts *opts, ken_err *err)
    KEN_MUST_USE;

#endif
