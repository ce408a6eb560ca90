// SPDX-License-Identifier: MIT
// checkpoints.h -- notes of where work stood, kept in a project's index.
//
// They are not made from files, so no run replaces them: they stay when everything is extracted again.
// Every write raises `rev` of ken_checkpoint_state, which is never used twice: who remembers the
// last one loads what is newer, and sees by `n` whether something is gone.
//
// Ownership: what is loaded lives in the arena passed. Threads and errors: as store.h. Writes need
// a write transaction of their own or of others; its commit is on disk when it returns.
#ifndef KEN_STORE_CHECKPOINTS_H
#define KEN_STORE_CHECKPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"
#include "base/str.h"

typedef struct ken_store ken_store;

enum {
    KEN_CHECKPOINT_TAGS = 32
};

typedef struct ken_checkpoint_row {
    int64_t id; // 0 = not stored yet
    ken_uuid uuid;
    uint64_t rev;
    int64_t created_at_ms, updated_at_ms;
    uint64_t token_count;
    ken_str git_branch, git_commit;
    ken_str summary;
    ken_str git_dirty; // a JSON list of paths
    ken_str context;   // a JSON object
    ken_str description;
    const ken_str *tags; // in byte order, each once
    size_t n_tags;
} ken_checkpoint_row;

typedef struct ken_checkpoint_state {
    uint64_t rev; // of the newest write, removals included; 0 = there was none
    uint64_t n;   // checkpoints
} ken_checkpoint_state;

// KEN_ENOTFOUND without a message.
ken_status ken_store_load_checkpoint(ken_store *s, ken_uuid uuid, ken_arena *arena,
                                     ken_checkpoint_row *out, ken_err *err) KEN_MUST_USE;
// The row with the smallest id above, for who reads what is left of a damaged index: a row that
// cannot be read fails alone. KEN_ENOTFOUND without a message after the last.
ken_status ken_store_next_checkpoint(ken_store *s, int64_t after_id, ken_arena *arena,
                                     ken_checkpoint_row *out, ken_err *err) KEN_MUST_USE;
// Rows with a rev above, in its order. Without texts only id, uuid, rev and tags are set.
ken_status ken_store_list_checkpoints(ken_store *s, uint64_t since_rev, size_t limit,
                                      bool with_texts, ken_arena *arena, ken_checkpoint_row **out,
                                      size_t *out_n, ken_err *err) KEN_MUST_USE;
// Inserts (id 0; KEN_EEXIST when the uuid is there) or updates (by id; KEN_ENOTFOUND). Sets id and
// rev of `row`. KEN_EINVAL for a row that must not be, which leaves the transaction as it was.
ken_status ken_store_put_checkpoint(ken_store *s, ken_checkpoint_row *row, ken_err *err)
    KEN_MUST_USE;
ken_status ken_store_remove_checkpoint(ken_store *s, int64_t id, ken_err *err) KEN_MUST_USE;
// One row read.
ken_status ken_store_load_checkpoint_state(ken_store *s, ken_checkpoint_state *out, ken_err *err)
    KEN_MUST_USE;

// ---- what a backend implements (store_ops.h) ---------------------------------------------------
// X(slot, door, (parameters), (arguments), what a trace shows)
// clang-format off
#define KEN_STORE_CHECKPOINT_SLOTS(X)                                                            \
    X(load_checkpoint, READ, (ken_uuid uuid, ken_arena *arena, ken_checkpoint_row *out,          \
      ken_err *err), (uuid, arena, out, err), NOTHING)                                           \
    X(next_checkpoint, READ, (int64_t after_id, ken_arena *arena, ken_checkpoint_row *out,       \
      ken_err *err), (after_id, arena, out, err), NUMBER(after_id))                              \
    X(list_checkpoints, READ, (uint64_t since_rev, size_t limit, bool with_texts, ken_arena      \
      *arena, ken_checkpoint_row **out, size_t *out_n, ken_err *err), (since_rev, limit,         \
      with_texts, arena, out, out_n, err), NUMBER(since_rev))                                    \
    /* rev is above all there ever were. */                                                      \
    X(put_checkpoint, OWN, (ken_checkpoint_row *row, ken_err *err), (row, err),                  \
      TEXT(row->summary, row->id))                                                               \
    /* KEN_ENOTFOUND when it is not there. Raises the newest rev, too. */                        \
    X(remove_checkpoint, DURABLE, (int64_t id, ken_err *err), (id, err), NUMBER(id))             \
    X(load_checkpoint_state, PLAIN, (ken_checkpoint_state *out, ken_err *err), (out, err),       \
      NOTHING)
// clang-format on

#endif
