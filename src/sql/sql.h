// SPDX-License-Identifier: MIT
// sql.h -- what an index knows, as tables that SQL can be asked about, for reading only.
//
// A query runs on a SQLite connection of its own, in memory, whose tables are virtual: rows are made of
// the snapshot's files and stored facts while the query asks for them. So nothing of it is stored twice,
// indexing pays nothing, and SQL that is hostile has nothing to write to. Only one SELECT is run, with
// limits of time, memory, rows and bytes. docs/sql.md describes the tables.
//
// Texts of files (signatures, comments, code) are read from the disk, checked and masked as any quote is;
// they are NULL for a file that has changed since it was indexed.
//
// Ownership: results live in the arena passed. Threads: the snapshot's. Errors: KEN_EINVAL for SQL that
// is wrong or is no SELECT, KEN_EPERM for what is not allowed, KEN_ETIMEOUT, KEN_ELIMIT, KEN_ECANCELLED,
// else those of the store.
#ifndef KEN_SQL_SQL_H
#define KEN_SQL_SQL_H

#include "base/arena.h"
#include "base/cancel.h"
#include "model/remote.h"
#include "query/query.h"

enum {
    KEN_SQL_ROWS_DEFAULT = 1000,
    KEN_SQL_ROWS_MAX = 100000,
    KEN_SQL_MS_DEFAULT = 5000,
    KEN_SQL_TEXT_MAX = 256 * 1024, // bytes of one value; longer texts of files are cut
};

typedef enum ken_sql_type {
    KEN_SQL_NULL = 0,
    KEN_SQL_INTEGER,
    KEN_SQL_REAL,
    KEN_SQL_TEXT,
    KEN_SQL_BLOB,
} ken_sql_type;

typedef struct ken_sql_value {
    ken_sql_type type;
    int64_t integer;
    double real;
    ken_str text; // of TEXT and BLOB
} ken_sql_value;

// All zero: the defaults.
typedef struct ken_sql_opts {
    uint32_t ms;              // time
    uint32_t max_rows;        // further rows are left out, which is no error
    uint64_t max_bytes;       // memory of the query, and of its result; 0 = 256 MiB
    const ken_remote *remote; // of the project, from the catalog; NULL = none
} ken_sql_opts;

typedef struct ken_sql_result {
    ken_str *columns;
    size_t n_columns;
    ken_sql_value *values; // row after row
    size_t n_rows;
    bool is_truncated; // there were more rows
} ken_sql_result;

ken_status ken_sql_query(ken_snapshot *s, ken_str sql, const ken_sql_opts *opts,
                         const ken_cancel *cancel, ken_arena *arena, ken_sql_result *out,
                         ken_err *err) KEN_MUST_USE;

// ---- what there is to ask ----------------------------------------------------------------------
typedef struct ken_sql_column {
    const char *name, *type, *text; // static; the text is one line
} ken_sql_column;

typedef struct ken_sql_table {
    const char *name, *text;
    const ken_sql_column *columns;
    size_t n_columns;
} ken_sql_table;

// The i-th table, static; NULL behind the last. Views over them stand in views.sql.
const ken_sql_table *ken_sql_table_at(size_t i);

#endif
