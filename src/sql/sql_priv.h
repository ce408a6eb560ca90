// SPDX-License-Identifier: MIT
// sql_priv.h -- a query from the inside: the door to the snapshot, a cursor, a table.
#ifndef KEN_SQL_SQL_PRIV_H
#define KEN_SQL_SQL_PRIV_H

#include <sqlite3.h>

#include "index/index.h"
#include "model/refs.h"
#include "sql/sql.h"
#include "store/checkpoints.h"
#include "store/rule_documents.h"

// Integer ids of what stands in a file: the file's id and the place in it.
enum {
    SQL_ITEM_BITS = 24
}; // a file has at most 10 MiB, so fewer items

// A file by the id of its row.
typedef struct sql_file_id {
    int64_t id;
    size_t file; // its number
} sql_file_id;

// One query. Everything of it ends with the connection.
typedef struct sql_door {
    ken_snapshot *snap;
    ken_store *store;         // the snapshot's
    const ken_file_row *rows; // by path
    size_t n_files;
    sql_file_id *by_id; // sorted
    ken_generation info;
    const ken_remote *remote; // of the caller; NULL = none
    const ken_cancel *cancel;
    int64_t stop_ns;        // monotonic
    int64_t max_bytes;      // of SQLite's memory
    int64_t had_bytes;      // of it before the query
    const char **functions; // that may be called, in byte order
    size_t n_functions;
    ken_arena arena;
    ken_err err; // why it was stopped, when it was
} sql_door;

// A name and a value of project_meta.
typedef struct sql_pair {
    ken_str key, value;
} sql_pair;

typedef struct sql_table sql_table;

typedef struct sql_cursor {
    sqlite3_vtab_cursor base;
    sql_door *door;
    const sql_table *table;
    size_t file, end_file; // numbers of files; a table without files has one, which is no file
    uint32_t item, n_items;
    int64_t only_item; // -1 = all of them
    // Of the file, loaded as columns ask for it.
    ken_arena arena;
    size_t loaded_file; // whose these are; SIZE_MAX = of none
    bool has_facts, has_refs, has_info, has_view, has_failed_view;
    ken_facts facts;
    ken_refs refs;
    ken_content_info info;
    ken_file_view view;
    uint32_t *line_starts; // of the view's text; NULL = not counted yet
    uint32_t n_lines;
    // Of a table without files.
    ken_skip_row *skips;
    sql_pair *pairs;
    ken_checkpoint_row *checkpoints;
    ken_rule_document_row *documents;
    ken_file_event *changes;
    size_t n_flat;
    bool is_flat_loaded;
} sql_cursor;

struct sql_table {
    ken_sql_table shown;
    bool is_flat;                            // no rows of files
    int id_column, file_column, path_column; // by which rows are found; -1 = none
    // How many rows a file, or the whole, has.
    ken_status (*count)(sql_cursor *c, uint32_t *out, ken_err *err);
    ken_status (*column)(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err);
};

extern const sql_table ken_sql__tables[];
extern const size_t ken_sql__n_tables;

// sql_file.c: what a cursor's file has; each is loaded once.
const ken_file_row *ken_sql__row(const sql_cursor *c);
void ken_sql__enter_file(sql_cursor *c); // forgets what was loaded of another one
ken_status ken_sql__need_facts(sql_cursor *c, ken_err *err) KEN_MUST_USE;
ken_status ken_sql__need_refs(sql_cursor *c, ken_err *err) KEN_MUST_USE;
ken_status ken_sql__need_info(sql_cursor *c, ken_err *err) KEN_MUST_USE;
// The text as it is on disk, of the facts that are stored; NULL when it is not that text, or gone.
const ken_file_view *ken_sql__need_view(sql_cursor *c);
// The file of a path, an index of the door's rows; SIZE_MAX = none.
size_t ken_sql__file_at(const sql_door *d, ken_str path);
// The symbol that begins last before `byte` and holds it; -1 = none.
int64_t ken_sql__chunk_at(const ken_facts *f, uint32_t byte);
int64_t ken_sql__item_id(const sql_cursor *c, uint32_t item);

// sql_module.c: registers all tables. `door` outlives the connection.
int ken_sql__register(sqlite3 *db, sql_door *door);
// Whether the query may go on; else `door->err` says why not.
bool ken_sql__may_go_on(sql_door *door);

#endif
