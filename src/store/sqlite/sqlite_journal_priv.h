// SPDX-License-Identifier: MIT
// sqlite_journal_priv.h -- what people wrote, a second time: a journal beside the database.
//
// "<database>.writes" has a line of text for each transaction that changed tasks, checkpoints,
// projects, values, models or access tokens: the rows as they then were. It is on disk before the transaction is
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
typedef struct ken_sq_schema ken_sq_schema;

enum {
    KEN_SQ_GROUP_PARTS = 6
};

// No database of ours gets there; a larger number in a line is damage.
#define KEN_SQ_JOURNAL_SEQ_MAX INT64_C(100000000000000000)

// Rows that are written and kept together: those of the first table's key, and what belongs to it.
typedef struct ken_sq_group {
    const char *name;
    struct {
        const char *table, *key; // the column that holds the group's key; NULL = the whole table
    } parts[KEN_SQ_GROUP_PARTS];
} ken_sq_group;

// The result of reading the journal.
typedef struct ken_sq_journal_report {
    uint64_t n_lines;   // that are whole
    uint64_t n_damaged; // lines that are not, but a torn last one; and groups that no table takes
    uint64_t n_applied; // groups that were put into the database
    int64_t last_seq;
    bool exists;
    bool is_torn; // the last line has no end
} ken_sq_journal_report;

// The end of the journal, from its last bytes, which are not checked further.
typedef struct ken_sq_journal_end {
    int64_t seq; // of the last line
    uint64_t size;
    bool exists;   // and is not empty
    bool is_whole; // ends as a line does
} ken_sq_journal_end;

// Adds the rows of `key` (taken) in a group to what the open write transaction will record.
ken_status ken_store__sq_note(ken_sq *q, const char *group, json_t *key, ken_err *err) KEN_MUST_USE;
json_t *ken_store__sq_key_of_blob(const void *bytes, size_t n);
// Records what was noted; the COMMIT comes next. Nothing noted: nothing is done.
ken_status ken_store__sq_record(ken_sq *q, ken_err *err) KEN_MUST_USE;
// The transaction that was recorded did not come about and was rolled back, or it did: what was noted
// is forgotten, and a line that was written for nothing is taken back.
void ken_store__sq_recorded(ken_sq *q, bool is_committed);

// In a write transaction of its own: puts in what the journal has and the database lacks, begins a
// journal where there is none. `out` may be NULL.
ken_status ken_store__sq_settle(ken_sq *q, ken_sq_journal_report *out, ken_err *err) KEN_MUST_USE;
// The same in the write transaction that has just begun, when journal and database disagree. Else a
// journal that has become too long is made anew; that this fails is no failure. KEN_EBUSY: the
// database was replaced by another file since it was opened.
ken_status ken_store__sq_catch_up(ken_sq *q, ken_err *err) KEN_MUST_USE;
// Reads all of the journal at `path` and changes nothing. KEN_EINVAL when it is that of another kind
// of database, or no journal at all.
ken_status ken_store__sq_journal_check(const ken_sq_schema *schema, const char *path,
                                       ken_sq_journal_report *out, ken_err *err) KEN_MUST_USE;
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
// For reading. `*out_fd` is -1 when there is none; KEN_EINVAL when it is no regular file.
ken_status ken_store__sq_open_journal(const char *path, int *out_fd, uint64_t *out_size,
                                      ken_err *err) KEN_MUST_USE;
ken_status ken_store__sq_look_at_end(const char *path, ken_sq_journal_end *out, ken_err *err)
    KEN_MUST_USE;
// A new journal in place of the one there is: a copy of all rows, as transaction `seq`.
ken_status ken_store__sq_journal_begin(ken_sq *q, int64_t seq, ken_err *err) KEN_MUST_USE;
// Makes it anew when it is too long; `end` agrees with the database. In a write transaction in which
// nothing was written yet.
void ken_store__sq_journal_shorten(ken_sq *q, const char *path, const ken_sq_journal_end *end);
void ken_store__sq_bind_json(sqlite3_stmt *st, int at, const json_t *v);

#endif
