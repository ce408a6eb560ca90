// SPDX-License-Identifier: MIT
// migrate.h -- a whole installation from one place to another: files of the data folder, or a PostgreSQL database.
//
// The source is only read. The target must have nothing, or be the unfinished copy of this very source; until it is
// whole it is refused for everything else (KEN_EBUSY). What was moved whole is not moved again.
//
// Ownership: texts of the report live in the arena passed. Threads: safe from any thread. Errors: KEN_EEXIST for a
// target with data of others; KEN_EBUSY when the two differ at the end, as the source changed meanwhile; else those of
// the store.
#ifndef KEN_APP_MIGRATE_H
#define KEN_APP_MIGRATE_H

#include "app/app.h"
#include "move/move.h"

typedef struct ken_migrate_opts {
    ken_str from, to; // "files", a URL of PostgreSQL, or empty: what the settings name
    bool is_dry_run;
    ken_index_progress_fn *on_progress; // may be NULL
    void *progress_ctx;
} ken_migrate_opts;

typedef struct ken_migrate_index {
    ken_str project; // its name
    ken_str name;    // of the index
    uint64_t n_bytes, n_trees, n_files;
    bool is_kept; // it was whole there already
} ken_migrate_index;

typedef struct ken_migrate_report {
    ken_str from, to;             // for people, without passwords
    ken_move_sums source, target; // the second is zero in a dry run
    const ken_migrate_index *indexes;
    size_t n_indexes;
    bool goes_on;   // the target was an unfinished copy
    bool was_whole; // the target was whole before, and is still the same
} ken_migrate_report;

ken_status ken_app_migrate(ken_app *app, const ken_migrate_opts *opts, const ken_cancel *cancel,
                           ken_arena *arena, ken_migrate_report *out, ken_err *err) KEN_MUST_USE;

#endif
