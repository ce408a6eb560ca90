// SPDX-License-Identifier: MIT
// move.h -- what is needed to make an exact copy of an index or a catalog in another place: ids, keys, revisions and
// times are those of the original.
//
// Ownership: what is loaded lives in the arena passed. Threads and errors: as store.h and catalog.h.
#ifndef KEN_STORE_MOVE_H
#define KEN_STORE_MOVE_H

#include "store/store.h"
#include "store/tasks.h"

// ---- an index ----------------------------------------------------------------------------------
// The key that a content was added with; feature 0 when it is superseded, and no key finds it any more. KEN_ENOTFOUND
// without a message.
ken_status ken_store_load_key(ken_store *s, int64_t content, ken_content_key *out, ken_err *err)
    KEN_MUST_USE;

typedef enum ken_store_clock {
    KEN_STORE_CONTENT_IDS = 1,
    KEN_STORE_SEGMENT_IDS,
    KEN_STORE_CHECKPOINT_REVS,
} ken_store_clock;

// From now on numbers of that kind are above `last`, as if all up to it had been given. So whoever adds things in the
// order of their numbers, and first skips up to the one before, gets the same numbers. Never takes one back.
ken_status ken_store_skip_to(ken_store *s, ken_store_clock clock, int64_t last, ken_err *err)
    KEN_MUST_USE;
// The highest that was ever given; segments may name contents that are gone.
ken_status ken_store_load_last(ken_store *s, ken_store_clock clock, int64_t *out, ken_err *err)
    KEN_MUST_USE;

// ---- a catalog ---------------------------------------------------------------------------------
typedef struct ken_catalog_value {
    ken_str name, value;
} ken_catalog_value;

// By name, byte order.
ken_status ken_catalog_list_values(ken_catalog *c, ken_arena *arena, ken_catalog_value **out,
                                   size_t *out_n, ken_err *err) KEN_MUST_USE;
// Puts tasks as they are, with their revs, times, links and history, in the place of those with their uuids, in one
// transaction. Later changes get revs above `last_rev`. `id` is not looked at.
ken_status ken_catalog_put_tasks(ken_catalog *c, const ken_task *tasks, size_t n, int64_t last_rev,
                                 ken_err *err) KEN_MUST_USE;

// The value that says that an installation is being moved into a catalog: the word, and from where.
#define KEN_CATALOG_MOVE_STATE      "move.state"
#define KEN_CATALOG_MOVE_UNFINISHED "unfinished "

// KEN_EBUSY while it says so: whoever opens a catalog to use it asks, so that nothing half is shown as whole.
ken_status ken_catalog_check_whole(ken_catalog *c, ken_err *err) KEN_MUST_USE;

// ---- what a backend implements (store_ops.h) ---------------------------------------------------
// clang-format off
#define KEN_STORE_MOVE_SLOTS(X)                                                                  \
    X(load_key, PLAIN, (int64_t content, ken_content_key *out, ken_err *err), (content, out,     \
      err), NUMBER(content))                                                                     \
    X(skip_to, WRITE, (ken_store_clock clock, int64_t last, ken_err *err), (clock, last, err),   \
      NUMBER(last))                                                                              \
    X(load_last, READ, (ken_store_clock clock, int64_t *out, ken_err *err), (clock, out, err),   \
      NUMBER(clock))
#define KEN_CATALOG_MOVE_SLOTS(X)                                                                \
    X(list_values, PLAIN, (ken_arena *arena, ken_catalog_value **out, size_t *out_n, ken_err     \
      *err), (arena, out, out_n, err), NOTHING)                                                  \
    X(put_tasks, PLAIN, (const ken_task *tasks, size_t n, int64_t last_rev, ken_err *err),       \
      (tasks, n, last_rev, err), NUMBER(last_rev))
// clang-format on

#endif
