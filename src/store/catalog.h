// SPDX-License-Identifier: MIT
// catalog.h -- the list of projects: <data>/config/projects.db.
//
// Each project has one row and one index, <data>/indexes/project-<id>.db, where <id> is its own or that of another
// worktree or clone of its repository. The row has no path to it, so the data folder can be moved. Any number of processes may read and add at the
// same time; every change is one transaction, on disk when the call returns.
//
// Ownership: rows come back in the arena passed. Threads: one ken_catalog per thread. Errors:
// KEN_ENOTFOUND for absent rows (no message); KEN_EBUSY, KEN_EVERSION, KEN_ECORRUPT, KEN_ENOSPC.
#ifndef KEN_STORE_CATALOG_H
#define KEN_STORE_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"
#include "base/str.h"
#include "model/model_record.h"
#include "store/database.h"

typedef struct ken_catalog ken_catalog;

typedef struct ken_catalog_row {
    ken_uuid id;
    ken_str name;
    ken_str root;           // absolute real path; no two rows have the same
    ken_database *database; // where the index is, by name; NULL = it is a file
    ken_str db_path;        // of its index, whether or not it is there yet
    ken_str
        notes_path; // of what people wrote: the same file, unless it has its files in another's index
    ken_uuid index_of; // the project that the index was made for
    int64_t created_at_ms;
    int64_t indexed_at_ms; // of the newest complete generation; 0 = none
    bool is_active;        // else it is archived
} ken_catalog_row;

// `path` is <data>/config/projects.db; made with its folders when it is absent. Read-only:
// KEN_ENOTFOUND when it is absent.
ken_status ken_catalog_open(const char *path, bool is_read_only, ken_catalog **out, ken_err *err)
    KEN_MUST_USE;
// The catalog of a database, which outlives it. There `db_path` and `notes_path` are names of indexes, for
// ken_store_open with that database. The server's log is its journal: it is always current, never behind, and has nothing
// to settle.
ken_status ken_catalog_open_in(ken_database *db, bool is_read_only, ken_catalog **out, ken_err *err)
    KEN_MUST_USE;
void ken_catalog_close(ken_catalog *c);
// Whether it can be used further: its file is still the one of that name, and a read-only one still may
// not write. Writes to a file that was moved away would be lost.
bool ken_catalog_is_current(const ken_catalog *c);

// Whether its journal has writes that the database lacks: it is new or has lost its end, and they were not
// restored yet; or one is being committed. Also true when this is unknown.
bool ken_catalog_is_behind(ken_catalog *c);

// User data is recorded a second time, in a journal beside the database (README.md). Opening a database for
// writing restores the records that it lacks, all of them when it is new.
bool ken_catalog_has_journal(const char *path);

typedef struct ken_catalog_journal {
    uint64_t n_records, n_damaged; // lines; a damaged one is passed over
    uint64_t n_applied; // projects with their remotes, values, models, tasks and access tokens
    bool exists;
    bool is_cut_off; // its last line has no end
} ken_catalog_journal;

// Reads all of the journal of the database at `path`, which may be gone, and changes nothing.
ken_status ken_catalog_read_journal(const char *path, ken_catalog_journal *out, ken_err *err)
    KEN_MUST_USE;
// The same of a journal by its own path. KEN_EINVAL when it is that of another kind of database.
ken_status ken_catalog_check_journal(const char *journal, ken_catalog_journal *out, ken_err *err)
    KEN_MUST_USE;
// As ken_store_quarantine, while nobody writes: KEN_EBUSY when another process does. Who still has it
// open cannot write it any more.
ken_status ken_catalog_move_away(const char *path, ken_arena *arena, ken_str *out_path,
                                 ken_err *err) KEN_MUST_USE;
// Puts in what the database lacks; a journal with damaged lines is made anew of the database.
ken_status ken_catalog_settle(ken_catalog *c, ken_catalog_journal *out, ken_err *err) KEN_MUST_USE;
// Reads every page. KEN_ECORRUPT names the damage; `*out_agrees`: whether database and
// journal end with the same write.
ken_status ken_catalog_verify(ken_catalog *c, bool *out_agrees, ken_err *err) KEN_MUST_USE;
// How many there are.
ken_status ken_catalog_count(ken_catalog *c, uint64_t *out_projects, uint64_t *out_tasks,
                             ken_err *err) KEN_MUST_USE;

// By name, then root.
ken_status ken_catalog_list(ken_catalog *c, ken_arena *arena, ken_catalog_row **out, size_t *out_n,
                            ken_err *err) KEN_MUST_USE;
ken_status ken_catalog_find_by_root(ken_catalog *c, ken_str root, ken_arena *arena,
                                    ken_catalog_row *out, ken_err *err) KEN_MUST_USE;
ken_status ken_catalog_find_by_id(ken_catalog *c, ken_uuid id, ken_arena *arena,
                                  ken_catalog_row *out, ken_err *err) KEN_MUST_USE;

// The row of `root`, made when it was absent; two processes get the same one. An empty `name` is
// the last part of the root for a new row, and changes nothing in an old one; another name renames.
ken_status ken_catalog_add(ken_catalog *c, ken_str root, ken_str name, int64_t now_ms,
                           ken_arena *arena, ken_catalog_row *out, ken_err *err) KEN_MUST_USE;
// A new row for the index of that id, which is there already. KEN_EEXIST when a row has the id or root.
ken_status ken_catalog_add_as(ken_catalog *c, ken_uuid id, ken_str root, ken_str name,
                              int64_t now_ms, ken_arena *arena, ken_catalog_row *out, ken_err *err)
    KEN_MUST_USE;
ken_status ken_catalog_set_indexed(ken_catalog *c, ken_uuid id, int64_t at_ms, ken_err *err)
    KEN_MUST_USE;
ken_status ken_catalog_set_active(ken_catalog *c, ken_uuid id, bool is_active, ken_err *err)
    KEN_MUST_USE;
// From now on its files are in the index of `host`; its own id: in one of its own. KEN_ENOTFOUND when it is absent.
ken_status ken_catalog_share(ken_catalog *c, ken_uuid id, ken_uuid host, ken_err *err) KEN_MUST_USE;
// The row alone: its index stays on disk. KEN_ENOTFOUND when it is absent.
ken_status ken_catalog_remove(ken_catalog *c, ken_uuid id, ken_err *err) KEN_MUST_USE;

// ---- values ----------------------------------------------------------------------------------
// Small texts that every process of these data shares, by names like "rules.project".
// KEN_ENOTFOUND without a message when there is none of that name.
ken_status ken_catalog_load_value(ken_catalog *c, ken_str name, ken_arena *arena, ken_str *out,
                                  ken_err *err) KEN_MUST_USE;
// A value without a pointer removes the name. Names of 1 to 128 bytes; values of at most 64 KiB,
// without NUL (KEN_EINVAL, KEN_ELIMIT).
ken_status ken_catalog_put_value(ken_catalog *c, ken_str name, ken_str value, ken_err *err)
    KEN_MUST_USE;
// What a value becomes: `was` has no pointer where there is none; given back, the value stays. `*out` lives until the
// change is done. It may run several times, each time with what the value is by then; its failure changes nothing.
typedef ken_status ken_value_change_fn(void *ctx, ken_str was, ken_str *out, ken_err *err);
// No other change of the value comes between, by whatever process.
ken_status ken_catalog_change_value(ken_catalog *c, ken_str name, ken_value_change_fn *change,
                                    void *ctx, ken_err *err) KEN_MUST_USE;

// ---- models ----------------------------------------------------------------------------------
// Embedding models. `path` and `tokenizer_path` are in <data>/models/<id>/, whether or not there is
// something; empty for models that have no files.
// The built-in one first, then by id.
ken_status ken_catalog_list_models(ken_catalog *c, ken_arena *arena, ken_model_record **out,
                                   size_t *out_n, ken_err *err) KEN_MUST_USE;
ken_status ken_catalog_find_model(ken_catalog *c, ken_str id, ken_arena *arena,
                                  ken_model_record *out, ken_err *err) KEN_MUST_USE;
// Adds the row, or replaces it whole. KEN_EINVAL for an id that is no name of a folder.
ken_status ken_catalog_put_model(ken_catalog *c, const ken_model_record *m, ken_err *err)
    KEN_MUST_USE;
// KEN_ENOTFOUND when it is absent.
ken_status ken_catalog_remove_model(ken_catalog *c, ken_str id, ken_err *err) KEN_MUST_USE;

// ---- what a backend implements (store_ops.h) ---------------------------------------------------
// X(slot, door, (parameters), (arguments), what a trace shows)
// clang-format off
#define KEN_CATALOG_PROJECT_SLOTS(X)                                                             \
    X(settle, PLAIN, (ken_catalog_journal *out, ken_err *err), (out, err), NOTHING)              \
    X(verify, PLAIN, (bool *out_agrees, ken_err *err), (out_agrees, err), NOTHING)               \
    X(count, PLAIN, (uint64_t *out_projects, uint64_t *out_tasks, ken_err *err),                 \
      (out_projects, out_tasks, err), NOTHING)                                                   \
    X(list, PLAIN, (ken_arena *arena, ken_catalog_row **out, size_t *out_n, ken_err *err),       \
      (arena, out, out_n, err), NOTHING)                                                         \
    X(find_by_root, PLAIN, (ken_str root, ken_arena *arena, ken_catalog_row *out, ken_err        \
      *err), (root, arena, out, err), TEXT(root, 0))                                             \
    X(find_by_id, PLAIN, (ken_uuid id, ken_arena *arena, ken_catalog_row *out, ken_err *err),    \
      (id, arena, out, err), NOTHING)                                                            \
    /* Root and name were checked. */                                                            \
    X(add, OWN, (ken_str root, ken_str name, int64_t now_ms, ken_arena *arena, ken_catalog_row   \
      *out, ken_err *err), (root, name, now_ms, arena, out, err), TEXT(root, 0))                 \
    /* Root and name were checked. */                                                            \
    X(add_as, OWN, (ken_uuid id, ken_str root, ken_str name, int64_t now_ms, ken_arena *arena,   \
      ken_catalog_row *out, ken_err *err), (id, root, name, now_ms, arena, out, err),            \
      TEXT(root, 0))                                                                             \
    X(set_indexed, PLAIN, (ken_uuid id, int64_t at_ms, ken_err *err), (id, at_ms, err),          \
      NUMBER(at_ms))                                                                             \
    X(set_active, PLAIN, (ken_uuid id, bool is_active, ken_err *err), (id, is_active, err),      \
      NUMBER(is_active))                                                                         \
    X(share, PLAIN, (ken_uuid id, ken_uuid host, ken_err *err), (id, host, err), NOTHING)        \
    X(remove, PLAIN, (ken_uuid id, ken_err *err), (id, err), NOTHING)
#define KEN_CATALOG_VALUE_SLOTS(X)                                                               \
    X(load_value, PLAIN, (ken_str name, ken_arena *arena, ken_str *out, ken_err *err), (name,    \
      arena, out, err), TEXT(name, 0))                                                           \
    /* The name was checked, and `change` checks the value. */                                   \
    X(change_value, OWN, (ken_str name, ken_value_change_fn *change, void *ctx, ken_err *err),   \
      (name, change, ctx, err), TEXT(name, 0))
#define KEN_CATALOG_MODEL_SLOTS(X)                                                               \
    X(list_models, PLAIN, (ken_arena *arena, ken_model_record **out, size_t *out_n, ken_err      \
      *err), (arena, out, out_n, err), NOTHING)                                                  \
    X(find_model, PLAIN, (ken_str id, ken_arena *arena, ken_model_record *out, ken_err *err),    \
      (id, arena, out, err), TEXT(id, 0))                                                        \
    /* The record was checked. */                                                                \
    X(put_model, OWN, (const ken_model_record *m, ken_err *err), (m, err), TEXT(m->id, 0))       \
    X(remove_model, PLAIN, (ken_str id, ken_err *err), (id, err), TEXT(id, 0))
// clang-format on

#endif
