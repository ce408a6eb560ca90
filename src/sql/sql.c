// SPDX-License-Identifier: MIT
// One query: a connection in memory, the tables, the guard, and the rows that come.
//
// What keeps hostile SQL harmless, from the outside in: the connection has no file, so there is nothing to
// write to; an authorizer allows reading, harmless functions and recursion and nothing else: no PRAGMA, no
// ATTACH, no change; one statement that gives rows is run, and no other; no extension can be loaded;
// SQLite's own limits bound the statement; a callback every few steps bounds time and memory; rows and
// bytes of the result are bounded here. Functions that would search one long text for another step by step
// of their product are replaced by ones that are linear.
#include <embed_sql.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/vec.h"
#include "sql/sql_priv.h"

enum {
    SQL_MAX_BYTES = 100000, // of a query
    STEPS = 50,             // of SQLite's machine between two looks at the clock
};

#define MEMORY_DEFAULT ((uint64_t)256 << 20)

// ---- the guard ---------------------------------------------------------------------------------

static int by_name(const void *a, const void *b)
{
    return sqlite3_stricmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_harmless(const sql_door *d, const char *function)
{
    return function &&
           bsearch(&function, d->functions, d->n_functions, sizeof *d->functions, by_name);
}

static int authorize(void *ctx, int action, const char *a, const char *b, const char *c,
                     const char *d)
{
    (void)a;
    (void)c;
    (void)d;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return is_harmless(ctx, b) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

static int on_progress(void *ctx)
{
    return !ken_sql__may_go_on(ctx);
}

static void set_limits(sqlite3 *db)
{
    static const struct {
        int id, value;
    } limits[] = {
        { SQLITE_LIMIT_LENGTH, KEN_SQL_TEXT_MAX + 1024 },
        { SQLITE_LIMIT_SQL_LENGTH, SQL_MAX_BYTES },
        { SQLITE_LIMIT_COLUMN, 200 },
        { SQLITE_LIMIT_EXPR_DEPTH, 200 },
        { SQLITE_LIMIT_COMPOUND_SELECT, 50 },
        { SQLITE_LIMIT_VDBE_OP, 250000 },
        { SQLITE_LIMIT_ATTACHED, 0 },
        { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000 },
        { SQLITE_LIMIT_WORKER_THREADS, 0 },
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(db, limits[i].id, limits[i].value);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
}

// ---- functions in place of SQLite's --------------------------------------------------------------

// As SQLite's instr, for texts: characters count; for blobs bytes do.
static void sql_instr(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    int types[2] = { sqlite3_value_type(argv[0]), sqlite3_value_type(argv[1]) };
    if (types[0] == SQLITE_NULL || types[1] == SQLITE_NULL)
        return;
    bool is_blob = types[0] == SQLITE_BLOB && types[1] == SQLITE_BLOB;
    const void *in = is_blob ? sqlite3_value_blob(argv[0]) : sqlite3_value_text(argv[0]);
    const void *what = is_blob ? sqlite3_value_blob(argv[1]) : sqlite3_value_text(argv[1]);
    size_t n_in = (size_t)sqlite3_value_bytes(argv[0]),
           n_what = (size_t)sqlite3_value_bytes(argv[1]);
    const char *found = n_what ? (in ? memmem(in, n_in, what, n_what) : NULL) : in;
    if (!n_what) {
        sqlite3_result_int(ctx, 1);
        return;
    }
    int at = found ? 1 : 0;
    for (const char *p = in; found && p < found; p++)
        at += is_blob || (*p & 0xc0) != 0x80;
    sqlite3_result_int(ctx, at);
}

static void sql_replace(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    const char *in = (const char *)sqlite3_value_text(argv[0]),
               *what = (const char *)sqlite3_value_text(argv[1]),
               *with = (const char *)sqlite3_value_text(argv[2]);
    if (!in || !what || !with)
        return;
    ken_str rest = ken_str_n(in, (size_t)sqlite3_value_bytes(argv[0])),
            old = ken_str_n(what, (size_t)sqlite3_value_bytes(argv[1])),
            new = ken_str_n(with, (size_t)sqlite3_value_bytes(argv[2]));
    ken_buf out = KEN_BUF_INIT(KEN_SQL_TEXT_MAX);
    const char *at = old.len ? memmem(rest.ptr, rest.len, old.ptr, old.len) : NULL;
    while (at && !out.is_over) {
        ken_buf_put(&out, rest.ptr, (size_t)(at - rest.ptr));
        ken_buf_put_str(&out, new);
        rest = ken_str_sub(rest, (size_t)(at - rest.ptr) + old.len, rest.len);
        at = memmem(rest.ptr, rest.len, old.ptr, old.len);
    }
    ken_buf_put_str(&out, rest);
    if (out.is_over)
        sqlite3_result_error_toobig(ctx);
    else
        sqlite3_result_text64(ctx, out.ptr ? out.ptr : "", out.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    ken_buf_release(&out);
}

static int add_functions(sqlite3 *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int rc = sqlite3_create_function_v2(db, "instr", 2, flags, NULL, sql_instr, NULL, NULL, NULL);
    return rc ? rc
              : sqlite3_create_function_v2(db, "replace", 3, flags, NULL, sql_replace, NULL, NULL,
                                           NULL);
}

// ---- the connection ----------------------------------------------------------------------------

static int by_id(const void *a, const void *b)
{
    int64_t x = ((const sql_file_id *)a)->id, y = ((const sql_file_id *)b)->id;
    return (x > y) - (x < y);
}

static ken_status open_door(sql_door *d, ken_snapshot *s, const ken_sql_opts *o,
                            const ken_cancel *cancel, ken_err *err)
{
    uint32_t ms = o && o->ms ? o->ms : KEN_SQL_MS_DEFAULT;
    uint64_t bytes = o && o->max_bytes ? o->max_bytes : MEMORY_DEFAULT;
    *d = (sql_door){ .snap = s,
                     .store = ken_snapshot_store(s),
                     .remote = o ? o->remote : NULL,
                     .cancel = cancel,
                     .stop_ns = ken_clock_mono_ns() + (int64_t)ms * 1000000,
                     .max_bytes = bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX,
                     .had_bytes = sqlite3_memory_used() };
    ken_arena_init(&d->arena, 0);
    d->n_files = ken_snapshot_list_files(s, &d->rows);
    d->by_id = KEN_ARENA_ARRAY(&d->arena, sql_file_id, d->n_files + 1);
    for (size_t i = 0; i < d->n_files; i++)
        d->by_id[i] = (sql_file_id){ d->rows[i].id, i };
    if (d->n_files)
        qsort(d->by_id, d->n_files, sizeof *d->by_id, by_id);
    return ken_store_load_generation(d->store, &d->arena, &d->info, err);
}

static ken_status fail_sql(sqlite3 *db, sql_door *d, int rc, ken_err *err)
{
    if (d->err.status) {
        if (err)
            *err = d->err;
        return d->err.status;
    }
    const char *msg = sqlite3_errmsg(db);
    switch (rc & 0xff) {
    case SQLITE_AUTH:
        return KEN_FAIL(err, KEN_EPERM, "only SELECT may be asked, of these tables: %.200s", msg);
    case SQLITE_NOMEM:
        return KEN_FAIL(err, KEN_ENOMEM, "the query: %.200s", msg);
    case SQLITE_TOOBIG:
        return KEN_FAIL(err, KEN_ELIMIT, "the query: %.200s", msg);
    default:
        return KEN_FAIL(err, KEN_EINVAL, "%.300s", msg);
    }
}

static int list_functions(sqlite3 *db, sql_door *d)
{
    sqlite3_stmt *st = NULL;
    KEN_VEC(const char *) names = { 0 };
    int rc = sqlite3_prepare_v2(db, (const char *)ken_embed_sql_functions_sql, -1, &st, NULL);
    if (!rc)
        rc = sqlite3_step(st);
    for (; rc == SQLITE_ROW; rc = sqlite3_step(st))
        ken_vec_push(&names, ken_arena_strdup(&d->arena, (const char *)sqlite3_column_text(st, 0)));
    sqlite3_finalize(st);
    d->n_functions = names.len;
    d->functions = KEN_ARENA_ARRAY(&d->arena, const char *, names.len + 1);
    if (names.len) {
        memcpy(d->functions, names.ptr, names.len * sizeof *names.ptr);
        qsort(d->functions, d->n_functions, sizeof *d->functions, by_name);
    }
    ken_vec_release(&names);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

// A virtual table is declared when it is first named, which the guard would not allow.
static int connect_tables(sqlite3 *db)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; !rc && i < ken_sql__n_tables; i++) {
        sqlite3_stmt *st = NULL;
        char *text = sqlite3_mprintf("SELECT 1 FROM %w", ken_sql__tables[i].shown.name);
        rc = text ? sqlite3_prepare_v2(db, text, -1, &st, NULL) : SQLITE_NOMEM;
        sqlite3_finalize(st);
        sqlite3_free(text);
    }
    return rc;
}

static int make_tables(sqlite3 *db, sql_door *d)
{
    int rc = ken_sql__register(db, d);
    if (!rc)
        rc = connect_tables(db);
    if (!rc)
        rc = add_functions(db);
    if (!rc)
        rc = sqlite3_exec(db, (const char *)ken_embed_sql_views_sql, NULL, NULL, NULL);
    return rc ? rc : list_functions(db, d);
}

static ken_status open_connection(sql_door *d, sqlite3 **out, ken_err *err)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY |
                      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    int rc = sqlite3_open_v2(":memory:", out, flags, NULL);
    if (!rc)
        rc = make_tables(*out, d);
    if (rc)
        return KEN_FAIL(err, rc == SQLITE_NOMEM ? KEN_ENOMEM : KEN_EINTERNAL,
                        "making the tables: %.200s", *out ? sqlite3_errmsg(*out) : "no memory");
    set_limits(*out);
    sqlite3_set_authorizer(*out, authorize, d);
    sqlite3_progress_handler(*out, STEPS, on_progress, d);
    return KEN_OK;
}

// ---- the statement -----------------------------------------------------------------------------

// Whether something but blanks and comments follows.
static bool has_more(sqlite3 *db, const char *tail)
{
    sqlite3_stmt *next = NULL;
    while (tail && *tail) {
        const char *after = NULL;
        bool is_wrong = sqlite3_prepare_v2(db, tail, -1, &next, &after) != SQLITE_OK || next;
        sqlite3_finalize(next);
        if (is_wrong)
            return true;
        if (after == tail)
            break;
        tail = after;
    }
    return false;
}

static ken_status prepare(sqlite3 *db, sql_door *d, ken_str sql, sqlite3_stmt **out, ken_err *err)
{
    const char *tail = NULL;
    if (sql.len > SQL_MAX_BYTES || (sql.len && memchr(sql.ptr, '\0', sql.len)))
        return KEN_FAIL(err, KEN_EINVAL, "a query has at most %d bytes, none of them 0",
                        SQL_MAX_BYTES);
    ken_str text = ken_arena_dup(&d->arena, sql);
    int rc = sqlite3_prepare_v2(db, text.ptr, -1, out, &tail);
    if (rc)
        return fail_sql(db, d, rc, err);
    if (!*out)
        return KEN_FAIL(err, KEN_EINVAL, "the query is empty");
    if (has_more(db, tail))
        return KEN_FAIL(err, KEN_EINVAL, "one SELECT at a time: something follows the first");
    if (!sqlite3_column_count(*out) || !sqlite3_stmt_readonly(*out))
        return KEN_FAIL(err, KEN_EPERM, "only SELECT may be asked");
    if (sqlite3_bind_parameter_count(*out))
        return KEN_FAIL(err, KEN_EINVAL, "the query has a parameter without a value: write it out");
    return KEN_OK;
}

static ken_sql_value value_at(sqlite3_stmt *st, int column, ken_arena *arena)
{
    ken_sql_value v = { 0 };
    switch (sqlite3_column_type(st, column)) {
    case SQLITE_INTEGER:
        v = (ken_sql_value){ KEN_SQL_INTEGER, .integer = sqlite3_column_int64(st, column) };
        break;
    case SQLITE_FLOAT:
        v = (ken_sql_value){ KEN_SQL_REAL, .real = sqlite3_column_double(st, column) };
        break;
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
        bool is_text = sqlite3_column_type(st, column) == SQLITE_TEXT;
        const void *p = is_text ? (const void *)sqlite3_column_text(st, column)
                                : sqlite3_column_blob(st, column);
        size_t n = p ? (size_t)sqlite3_column_bytes(st, column) : 0;
        v.type = is_text ? KEN_SQL_TEXT : KEN_SQL_BLOB;
        v.text = ken_arena_dup(arena, ken_str_n(p ? p : "", n));
        break;
    }
    default:
        break;
    }
    return v;
}

typedef KEN_VEC(ken_sql_value) value_vec;

static ken_status read_rows(sqlite3 *db, sql_door *d, sqlite3_stmt *st, uint32_t max_rows,
                            ken_arena *arena, value_vec *values, ken_sql_result *out, ken_err *err)
{
    int n = sqlite3_column_count(st), rc = sqlite3_step(st);
    uint64_t n_bytes = 0;
    for (; rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        out->is_truncated = out->n_rows == max_rows || n_bytes > (uint64_t)d->max_bytes;
        if (out->is_truncated)
            return KEN_OK;
        for (int i = 0; i < n; i++) {
            ken_sql_value v = value_at(st, i, arena);
            n_bytes += sizeof v + v.text.len;
            ken_vec_push(values, v);
        }
        out->n_rows++;
    }
    return rc == SQLITE_DONE ? KEN_OK : fail_sql(db, d, rc, err);
}

static ken_status run(sqlite3 *db, sql_door *d, ken_str sql, const ken_sql_opts *o,
                      ken_arena *arena, ken_sql_result *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    value_vec values = { 0 };
    uint32_t max_rows = o && o->max_rows ? o->max_rows : KEN_SQL_ROWS_DEFAULT;
    ken_status s = prepare(db, d, sql, &st, err);
    if (!s) {
        out->n_columns = (size_t)sqlite3_column_count(st);
        out->columns = KEN_ARENA_ARRAY(arena, ken_str, out->n_columns);
        for (size_t i = 0; i < out->n_columns; i++) {
            const char *name = sqlite3_column_name(st, (int)i);
            out->columns[i] = ken_arena_dup(arena, ken_str_c(name ? name : ""));
        }
        s = read_rows(db, d, st, max_rows < KEN_SQL_ROWS_MAX ? max_rows : KEN_SQL_ROWS_MAX, arena,
                      &values, out, err);
    }
    sqlite3_finalize(st);
    if (!s) {
        out->values = ken_arena_copy(arena, values.ptr, values.len, sizeof *out->values);
    }
    ken_vec_release(&values);
    return s;
}

ken_status ken_sql_query(ken_snapshot *s, ken_str sql, const ken_sql_opts *opts,
                         const ken_cancel *cancel, ken_arena *arena, ken_sql_result *out,
                         ken_err *err)
{
    sql_door d;
    sqlite3 *db = NULL;
    ken_sql_result r = { 0 };
    ken_status st = open_door(&d, s, opts, cancel, err);
    if (!st)
        st = open_connection(&d, &db, err);
    if (!st)
        st = run(db, &d, sql, opts, arena, &r, err);
    (void)sqlite3_close(db);
    ken_arena_release(&d.arena);
    if (!st)
        *out = r;
    return st;
}

const ken_sql_table *ken_sql_table_at(size_t i)
{
    return i < ken_sql__n_tables ? &ken_sql__tables[i].shown : NULL;
}
