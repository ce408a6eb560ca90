// SPDX-License-Identifier: MIT
// sqlite_journal_priv.h -- what people wrote, a second time: a journal beside the database.
//
// "<database>.writes" has a line of text for each transaction that changed tasks, checkpoints,
// projects, values or models: the rows as they then were. It is on disk before the transaction is
// committed. README.md has the form and the rules.
//
// Threads: as the connection; processes take turns by the database's write lock.
#ifndef KEN_STORE_SQLITE_SQLITE_JOURNAL_PRIV_H
#define KEN_STORE_SQLITE_SQLITE_JOURNAL_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>
#include <sqlite3.h>

#include "base/buf.h"
#include "base/err.h"

#define KEN_SQ_JOURNAL_SUFFIX ".writes"

typedef struct ken_sq ken_sq;

enum {
    KEN_SQ_GROUP_PARTS = 6
};

// Rows that are written and kept together: those of the first table's key, and what belongs to it.
typedef struct ken_sq_group {
    const char *name;
    struct {
        const char *table, *key; // the column that holds the group's key; NULL = the whole table
    } parts[KEN_SQ_GROUP_PARTS];
} ken_sq_group;

// What a look at the journal found.
typedef struct ken_sq_journal_report {
    uint64_t n_lines;   // that are whole
    uint64_t n_damaged; // lines that are not, but a torn last one
    uint64_t n_applied; // groups that were put into the database
    int64_t last_seq;
    bool exists;
} ken_sq_journal_report;

// Adds the rows of `key` (taken) in a group to what the open write transaction will record.
ken_status ken_store__sq_note(ken_sq *q, const char *group, json_t *key, ken_err *err) KEN_MUST_USE;
json_t *ken_store__sq_key_of_blob(const void *bytes, size_t n);
// Records what was noted; the COMMIT comes next. Nothing noted: nothing is done.
ken_status ken_store__sq_record(ken_sq *q, ken_err *err) KEN_MUST_USE;
// The transaction that was recorded did not come about, or it did: what was noted is forgotten.
void ken_store__sq_recorded(ken_sq *q, bool is_committed);

// In a write transaction of its own: puts in what the journal has and the database lacks, begins a
// journal where there is none. `out` may be NULL.
ken_status ken_store__sq_settle(ken_sq *q, ken_sq_journal_report *out, ken_err *err) KEN_MUST_USE;
// The same in the open transaction, when the last line is newer than the database.
ken_status ken_store__sq_catch_up(ken_sq *q, ken_err *err) KEN_MUST_USE;
// Reads all of the journal at `path` and changes nothing.
ken_status ken_store__sq_journal_check(const char *path, ken_sq_journal_report *out, ken_err *err)
    KEN_MUST_USE;
// Whether the last line and the database disagree, without reading more than its end.
ken_status ken_store__sq_needs_settling(ken_sq *q, bool *out, ken_err *err) KEN_MUST_USE;
// seq of the database.
ken_status ken_store__sq_journal_seq(ken_sq *q, int64_t *out, ken_err *err) KEN_MUST_USE;

ken_status ken_store__sq_journal_set_seq(ken_sq *q, int64_t seq, ken_err *err) KEN_MUST_USE;

// ---- parts that writing and reading share ------------------------------------------------------
// ken_free it.
char *ken_store__sq_journal_path(const char *db_path);
// A line without its end. False: it is not whole.
bool ken_store__sq_read_line(ken_str text, ken_str *out_json, int64_t *out_seq);
// The number at the end of the file; false: it does not end as a line does.
bool ken_store__sq_last_line(const char *path, int64_t *out_seq, bool *out_exists);
// A new journal in place of the one there is: a copy of all rows, as transaction `seq`.
ken_status ken_store__sq_journal_begin(ken_sq *q, int64_t seq, ken_err *err) KEN_MUST_USE;
void ken_store__sq_bind_json(sqlite3_stmt *st, int at, const json_t *v);

#endif
