// SPDX-License-Identifier: MIT
// sqlite_lab.h -- a database of ours through SQLite itself, with the layer that makes checksums: what a
// test changes here is a change of rows, not damage.
#ifndef KEN_TESTS_SQLITE_LAB_H
#define KEN_TESTS_SQLITE_LAB_H

#include <stdio.h>

#include "ktest.h"
#include "store/sqlite/sqlite_vfs_priv.h"

static inline sqlite3 *lab_open_sqlite(const char *path)
{
    sqlite3 *db = NULL;
    ken_store__sq_vfs_init();
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    kt_eq_i(sqlite3_open_v2(path, &db, flags, KEN_SQ_VFS), SQLITE_OK);
    kt_eq_i(ken_store__sq_reserve(db), SQLITE_OK); // if it is new
    return db;
}

static inline void lab_run(sqlite3 *db, const char *sql)
{
    char *msg = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &msg))
        kt_fail("%s: %s", sql, msg);
}

static inline void lab_for_each(sqlite3 *db, const char *sql, sqlite3 *run_in)
{
    sqlite3_stmt *st = NULL;
    kt_eq_i(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    while (sqlite3_step(st) == SQLITE_ROW)
        lab_run(run_in, (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
}

// The same rows in a file without room for sums, as older versions laid it out.
static inline void lab_make_bare(const char *path)
{
    char bare[700], attach[800];
    snprintf(bare, sizeof bare, "%s.bare", path);
    snprintf(attach, sizeof attach, "ATTACH '%s' AS old", path);
    sqlite3 *from = lab_open_sqlite(path), *to = NULL;
    kt_eq_i(sqlite3_open(bare, &to), SQLITE_OK);
    lab_run(to, "PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; BEGIN");
    lab_for_each(from,
                 "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE "
                 "'sqlite_%' ORDER BY rowid",
                 to);
    lab_run(to, "COMMIT");
    lab_run(to, attach);
    lab_for_each(from,
                 "SELECT 'INSERT INTO main.' || name || ' SELECT * FROM old.' || name FROM "
                 "sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence'",
                 to);
    lab_for_each(from,
                 "SELECT 'PRAGMA main.application_id = ' || application_id FROM "
                 "pragma_application_id",
                 to);
    lab_for_each(from,
                 "SELECT 'PRAGMA main.user_version = ' || user_version FROM "
                 "pragma_user_version",
                 to);
    lab_run(to, "DETACH old; PRAGMA journal_mode = WAL");
    kt_eq_i(sqlite3_close(from), SQLITE_OK);
    kt_eq_i(sqlite3_close(to), SQLITE_OK);
    kt_eq_i(rename(bare, path), 0);
}

#endif
