// SPDX-License-Identifier: MIT
// workers.h -- who works on a database: processes that run jobs, and runs that write indexes.
//
// A worker, and a run, have a lease: it lasts as long as its holder says something in time, by the clock of
// the database. A run whose lease is over may be replaced, and what it would commit to its index after that is
// refused (ken_store_opts.run): its row is locked in the transaction that commits.
//
// Ownership: texts that are loaded live in the arena passed; others are borrowed for the call. Threads: any.
// Errors: KEN_EBUSY, KEN_ENOTFOUND as said here, else those of database.h.
#ifndef KEN_STORE_WORKERS_H
#define KEN_STORE_WORKERS_H

#include "base/arena.h"
#include "base/id.h"
#include "store/database.h"

// ---- processes that run jobs -------------------------------------------------------------------
typedef struct ken_worker {
    ken_uuid id;
    ken_str name; // "host:pid"
    ken_str kind; // "worker", "serve"
    ken_str version;
    uint32_t max_running, n_running;
    uint64_t n_done, n_failed; // jobs, since it began
    // Of those that are loaded:
    int64_t started_at_ms, seen_at_ms; // by the clock of the database
    bool is_alive;
} ken_worker;

// Says that it is there, for `lease_ms`.
ken_status ken_database_put_worker(ken_database *db, const ken_worker *w, uint32_t lease_ms,
                                   ken_err *err) KEN_MUST_USE;
ken_status ken_database_remove_worker(ken_database *db, ken_uuid id, ken_err *err) KEN_MUST_USE;
// Those that are there, then those that were within the last day.
ken_status ken_database_list_workers(ken_database *db, ken_arena *arena, ken_worker **out,
                                     size_t *out_n, ken_err *err) KEN_MUST_USE;
// Those that are there and take jobs.
ken_status ken_database_count_workers(ken_database *db, int64_t *out, ken_err *err) KEN_MUST_USE;

// ---- runs that write an index ------------------------------------------------------------------
typedef struct ken_index_lease {
    ken_str index; // its name
    ken_uuid run;
    ken_str holder; // "host:pid"
    // Names the lock file that the run holds. Who locks the same file knows that the former holder is gone, and takes its
    // lease at once. "" = not known.
    ken_str place;
    uint32_t lease_ms;
} ken_index_lease;

// KEN_EBUSY when another run has it; the message says who.
ken_status ken_database_take_run(ken_database *db, const ken_index_lease *l, ken_err *err)
    KEN_MUST_USE;
// Prolongs it; `note` says what the run does. KEN_ENOTFOUND without a message: it was lost.
ken_status ken_database_keep_run(ken_database *db, const ken_index_lease *l, ken_str note,
                                 ken_err *err) KEN_MUST_USE;
ken_status ken_database_end_run(ken_database *db, const ken_index_lease *l, ken_err *err)
    KEN_MUST_USE;
// KEN_ENOTFOUND without a message when nobody writes it.
ken_status ken_database_find_run(ken_database *db, ken_str index, ken_arena *arena,
                                 ken_str *out_holder, ken_str *out_note, ken_err *err) KEN_MUST_USE;

#endif
