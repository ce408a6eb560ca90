// SPDX-License-Identifier: MIT
// sqlite_priv.h -- what the files of the SQLite backend share.
//
// A ken_sq is one connection with its prepared statements. The SQL texts are in ../sql/. Result codes
// become a ken_status in ken_store__sq_fail and nowhere else.
#ifndef KEN_STORE_SQLITE_SQLITE_PRIV_H
#define KEN_STORE_SQLITE_SQLITE_PRIV_H

#include <sqlite3.h>

#include "base/vec.h"
#include "store/sqlite/sqlite_journal_priv.h"
#include "store/sqlite/sqlite_statements_priv.h"
#include "store/sqlite/sqlite_vfs_priv.h"
#include "store/store_ops.h"
#include "store/store_zip.h"

enum {
    KEN_SQ_FIRST_TREE = 1 // of the project that the index was made for
};

enum {
    KEN_SQ_NOT_ASKED = -1 // of ken_sq.base
};

// What a file of a list has in a tree that is based on it (sqlite_based_priv.h).
typedef struct sq_stamped {
    int64_t id, mtime_ns, ctime_ns;
    uint64_t inode;
} sq_stamped;

typedef KEN_VEC(sq_stamped) sq_stamped_vec;

typedef enum ken_sq_stmt {
    KEN_SQ_NONE = 0,
#define X(name) KEN_SQ_##name,
    KEN_SQ_STATEMENTS(X)
#undef X
    KEN_SQ_COUNT
} ken_sq_stmt;

// A kind of database file: its mark, and the steps that make it.
struct ken_sq_schema {
    int32_t application_id;
    const char *what;                // "index"
    const char *hint;                // what to do when it is damaged
    const unsigned char *const *sql; // NUL-terminated, one text per version from 1
    int32_t version;                 // number of them: the newest
    int32_t first_with_sums;         // versions from here on have sums of their pages
    const ken_sq_group *groups;      // what its journal records
    size_t n_groups;
    ken_sq_stmt after_restore; // works out what is not recorded
    bool keeps_backup;         // of a file that is converted: "<path>.backup-<version>"
};

enum {
    KEN_SQ_GROUPS = 5
};

struct ken_sq {
    ken_store_backend backend;
    sqlite3 *db;
    const ken_sq_schema *schema;
    char *path;
    uint64_t cache_bytes;
    uint64_t map_bytes;
    int busy_ms;
    sqlite3_stmt *stmts[KEN_SQ_COUNT]; // prepared at first use
    ken_fs_stamp stamp;                // of the file, when it was opened as immutable
    ken_uuid project;                  // of an index: whose files these are, as it was opened
    int64_t tree;                      // the row of that tree
    int64_t base;                      // the list it is based on, 0 = none; KEN_SQ_NOT_ASKED
    sq_stamped_vec stamps;             // by the open transaction, when it changed one
    bool has_new_stamps;               // they are not written yet
    ken_zip *zip;                      // of blocks, made at first use
    ken_buf zipped;                    // the block being written
    bool is_read_only;
    bool is_immutable; // in a folder that cannot be written: no locks, no log beside it
    bool is_wal;
    bool is_outdated; // an older schema, met by a reader
    bool is_bare;     // older than sums of pages, met by a writer
    // the journal: what the open transaction wrote, as JSON; seq of its line once that was begun
    ken_buf noted;
    int64_t recorded_seq;
    uint64_t long_journal_bytes; // up to here it stays as long as it is: making it anew failed
    bool has_unsynced_journal;   // a new one has its name, which is not durable yet
    sqlite3_stmt *recorded[KEN_SQ_GROUPS][KEN_SQ_GROUP_PARTS]; // prepared at first use
};

extern const ken_sq_schema ken_store__sq_index_schema;
extern const ken_sq_schema ken_store__sq_catalog_schema;

// The slots: ken_store__sq_<slot>, each in the file of its kind of rows.
#define X(slot, door, params, args, shown) \
    ken_status ken_store__sq_##slot(ken_store_backend *b, KEN_SLOT_LIST params) KEN_MUST_USE;
KEN_STORE_SLOTS(X)
#undef X

static inline ken_sq *ken_sq_of(ken_store_backend *b)
{
    return (ken_sq *)(void *)b;
}

// ---- connection (sqlite_conn.c) ----------------------------------------------------------------
// Opens, and creates or migrates unless read-only. On failure `q` is released.
ken_status ken_store__sq_connect(ken_sq *q, const ken_sq_schema *schema, const ken_store_opts *opts,
                                 ken_err *err) KEN_MUST_USE;
void ken_store__sq_release(ken_sq *q);
// Its parts: the file alone, without looking at it, but with nothing of its schema trusted and with
// the time to wait for locks; and the end of a connection.
ken_status ken_store__sq_open_file(ken_sq *q, ken_err *err) KEN_MUST_USE;
void ken_store__sq_disconnect(ken_sq *q);
void ken_store__sq_format_uri(const char *path, const char *query, ken_buf *out);
// sqlite_convert.c. Gives the pages of an older database sums; there is no connection, before and
// after. KEN_EBUSY while others have it open.
ken_status ken_store__sq_convert(ken_sq *q, ken_err *err) KEN_MUST_USE;
// Makes all that was committed durable; there is a log.
ken_status ken_store__sq_sync_log(ken_sq *q, ken_err *err) KEN_MUST_USE;
// Opens again after the file changed under an immutable connection; no transaction is open.
ken_status ken_store__sq_refresh(ken_sq *q, ken_err *err) KEN_MUST_USE;

// sqlite_trees.c. Whose files these are: the first tree's for a `project` of zeros. Writing, a tree that is not there
// is made; else KEN_ENOTFOUND.
ken_status ken_store__sq_choose_tree(ken_sq *q, ken_uuid project, ken_err *err) KEN_MUST_USE;

// In a transaction: whether that tree is there still. KEN_ENOTFOUND when it is not.
ken_status ken_store__sq_check_tree(ken_sq *q, ken_err *err) KEN_MUST_USE;

// sqlite_migrate.c. The schema version of the file, 0 = empty: KEN_EVERSION when it is newer,
// KEN_ECORRUPT when it is not one of ours.
ken_status ken_store__sq_check(ken_sq *q, int32_t *out_version, ken_err *err) KEN_MUST_USE;
// Creates or upgrades the tables.
ken_status ken_store__sq_upgrade(ken_sq *q, ken_err *err) KEN_MUST_USE;
// sqlite_verify.c. Every page, and rows that name others.
ken_status ken_store__sq_check_pages(ken_sq *q, ken_err *err) KEN_MUST_USE;

ken_zip *ken_store__sq_zip(ken_sq *q);

// ---- statements and errors (sqlite_stmt.c) -----------------------------------------------------
// The message is "<doing> '<path>': <reason>". Never returns KEN_OK.
ken_status ken_store__sq_fail(ken_sq *q, int rc, ken_err *err, const char *where, const char *doing)
    KEN_COLD;
#define SQ_FAIL(q, rc, err, doing) ken_store__sq_fail((q), (rc), (err), KEN_HERE, (doing))
// For values that no writer of ours can have stored.
ken_status ken_store__sq_corrupt(ken_sq *q, ken_err *err, const char *where, const char *what)
    KEN_COLD;
#define SQ_CORRUPT(q, err, what) ken_store__sq_corrupt((q), (err), KEN_HERE, (what))

// Its SQL, which runs on behind it: prepare takes the first statement of a text.
const char *ken_store__sq_text_of(ken_sq_stmt which);
// The whole text, of one or several statements, with its {words} replaced.
typedef struct ken_sq_word {
    const char *name, *value; // NULL = the end of the list
} ken_sq_word;

void ken_store__sq_fill(ken_sq_stmt which, const ken_sq_word *words, ken_buf *out);
// A statement ready to be bound. Give it back with ken_store__sq_done.
ken_status ken_store__sq_get(ken_sq *q, ken_sq_stmt which, sqlite3_stmt **out, ken_err *err)
    KEN_MUST_USE;
void ken_store__sq_done(sqlite3_stmt *st); // resets and forgets what was bound; NULL is fine
// Steps to the first row. Without one the status is KEN_ECORRUPT with the text `absent`, or KEN_ENOTFOUND
// without a message when that is NULL.
ken_status ken_store__sq_row(ken_sq *q, sqlite3_stmt *st, const char *absent, const char *where,
                             ken_err *err) KEN_MUST_USE;
#define SQ_ROW(q, st, absent, err) ken_store__sq_row((q), (st), (absent), KEN_HERE, (err))
// Runs a statement that gives no row, and gives it back.
ken_status ken_store__sq_run(ken_sq *q, sqlite3_stmt *st, const char *doing, ken_err *err)
    KEN_MUST_USE;
// Runs one without parameters.
ken_status ken_store__sq_do(ken_sq *q, ken_sq_stmt which, const char *doing, ken_err *err)
    KEN_MUST_USE;
// Runs all of its text once, such as a pragma; as SQLite's code, or as a status.
int ken_store__sq_try(ken_sq *q, ken_sq_stmt which, const ken_sq_word *words);
ken_status ken_store__sq_exec(ken_sq *q, ken_sq_stmt which, ken_err *err) KEN_MUST_USE;
ken_status ken_store__sq_exec_filled(ken_sq *q, ken_sq_stmt which, const ken_sq_word *words,
                                     ken_err *err) KEN_MUST_USE;
void ken_store__sq_undo(ken_sq *q); // rolls back what is open
// The first value of its first row, as a number.
ken_status ken_store__sq_ask(ken_sq *q, ken_sq_stmt which, const ken_sq_word *words, int64_t *out,
                             ken_err *err) KEN_MUST_USE;
// Prepares a filled text for one use.
int ken_store__sq_prepare_filled(ken_sq *q, ken_sq_stmt which, const ken_sq_word *words,
                                 sqlite3_stmt **out);

void ken_store__sq_bind_text(sqlite3_stmt *st, int at, ken_str s); // borrowed until it was run
void ken_store__sq_bind_blob(sqlite3_stmt *st, int at, const void *p, size_t n); // likewise

// ---- parameters and rows (sqlite_rows.c) -------------------------------------------------------
// The value of a parameter; all-zero is NULL. Text and bytes are borrowed until the statement was run.
typedef enum ken_sq_type {
    KEN_SQ_V_NULL = 0,
    KEN_SQ_V_INT,
    KEN_SQ_V_REAL,
    KEN_SQ_V_TEXT,
    KEN_SQ_V_BLOB,
} ken_sq_type;

typedef struct ken_sq_value {
    ken_sq_type type;
    union {
        int64_t number;
        double real;
        ken_str bytes;
    };
} ken_sq_value;

#define SQ_NULL       ((ken_sq_value){ .type = KEN_SQ_V_NULL })
#define SQ_INT(v)     ((ken_sq_value){ .type = KEN_SQ_V_INT, .number = (int64_t)(v) })
#define SQ_REAL(v)    ((ken_sq_value){ .type = KEN_SQ_V_REAL, .real = (v) })
#define SQ_TEXT(s)    ((ken_sq_value){ .type = KEN_SQ_V_TEXT, .bytes = (s) })
#define SQ_BLOB(p, n) ((ken_sq_value){ .type = KEN_SQ_V_BLOB, .bytes = { (const char *)(p), (n) } })
#define SQ_BYTES(x)   SQ_BLOB((x).bytes, sizeof(x).bytes) // of a UUID or a hash
#define SQ_SOME(s)    ((s).len ? SQ_TEXT(s) : SQ_NULL)    // an empty text is none
// A list of them, as two arguments.
#define SQ_VALUES(...)                     \
    (const ken_sq_value[]){ __VA_ARGS__ }, \
        sizeof((const ken_sq_value[]){ __VA_ARGS__ }) / sizeof(ken_sq_value)

// Parameters 1 to n; what the statement has no parameter for is passed over.
void ken_store__sq_bind(sqlite3_stmt *st, const ken_sq_value *values, size_t n);
// Runs a statement that gives no row.
ken_status ken_store__sq_write(ken_sq *q, ken_sq_stmt which, const ken_sq_value *values, size_t n,
                               ken_err *err) KEN_MUST_USE;

// Reads the row on which `st` stands into `out`; what is kept goes to the arena.
typedef ken_status ken_sq_read_fn(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                                  ken_err *err);

typedef struct ken_sq_row_kind {
    ken_sq_read_fn *read;
    size_t bytes;
} ken_sq_row_kind;

// Steps to the next row. False at the end and on failure, which is then in `*s`, and when `*s` is one.
bool ken_store__sq_next(ken_sq *q, sqlite3_stmt *st, ken_status *s, ken_err *err);
// The one row of a bound statement, which is given back. KEN_ENOTFOUND without a message.
ken_status ken_store__sq_one(ken_sq *q, sqlite3_stmt *st, ken_sq_read_fn *read, ken_arena *arena,
                             void *out, ken_err *err) KEN_MUST_USE;
// All rows of a bound statement, which is given back, as an array in the arena: `out` is a pointer to
// the pointer to its first.
ken_status ken_store__sq_rows(ken_sq *q, sqlite3_stmt *st, const ken_sq_row_kind *kind,
                              ken_arena *arena, void *out, size_t *out_n, ken_err *err)
    KEN_MUST_USE;
#define SQ_ROWS(q, st, read, arena, out, out_n, err)                                           \
    ken_store__sq_rows((q), (st), &(const ken_sq_row_kind){ (read), sizeof **(out) }, (arena), \
                       (out), (out_n), (err))
// A reader of rows of one text or blob, a ken_str, and one of rows of one number, an int64_t.
ken_sq_read_fn ken_store__sq_read_bytes, ken_store__sq_read_i64;
// The first number of the one row; `absent` as in ken_store__sq_row. The statement is given back.
ken_status ken_store__sq_load_number(ken_sq *q, sqlite3_stmt *st, const char *absent, int64_t *out,
                                     ken_err *err) KEN_MUST_USE;

// Column values. A number that does not fit sets `*is_bad`.
uint64_t ken_store__sq_u64(sqlite3_stmt *st, int col, uint64_t max, bool *is_bad);
ken_str ken_store__sq_text(sqlite3_stmt *st, int col); // borrowed until the next step
ken_str ken_store__sq_blob(sqlite3_stmt *st, int col); // borrowed until the next step
ken_str ken_store__sq_keep(sqlite3_stmt *st, int col, ken_arena *arena); // a copy of a text
bool ken_store__sq_fixed(sqlite3_stmt *st, int col, void *out,
                         size_t n); // false: of another length

ken_sq_read_fn ken_store__sq_read_info; // of rows of KEN_SQ_CONTENT_INFO

#endif
