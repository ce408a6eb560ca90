// SPDX-License-Identifier: MIT
// history_state.h -- branch, commit and changes of a work tree, and the files committed since a commit.
//
// Ownership: results live in the arena. Threads: any. Errors: only those of the cancel; what git
// cannot answer leaves a reason. git gets five seconds.
#ifndef KEN_HISTORY_HISTORY_STATE_H
#define KEN_HISTORY_HISTORY_STATE_H

#include "history/history.h"

typedef struct ken_work_state {
    ken_str branch; // empty: none is checked out, or no git
    ken_str commit; // empty: there is none yet, or no git
    ken_str *dirty; // files that differ from the commit, untracked ones too; by path
    size_t n_dirty;
    size_t n_dirty_all; // those beyond the limit counted
    ken_str reason;     // why the rest is empty; else empty
} ken_work_state;

// Of the folder `root` (absolute); paths are relative to it. At most `max_dirty` files are named.
ken_status ken_history_state(const char *root, size_t max_dirty, const ken_cancel *cancel,
                             ken_arena *arena, ken_work_state *out, ken_err *err) KEN_MUST_USE;

typedef struct ken_history_since {
    ken_history_commit *commits; // newest first
    size_t n;
    bool is_truncated;
    ken_str reason; // why there is no state; else empty
} ken_history_since;

// The commits below the root that are in HEAD and not in `commit` (an id), merges apart.
ken_status ken_history_list_since(const char *root, ken_str commit, size_t max,
                                  const ken_cancel *cancel, ken_arena *arena,
                                  ken_history_since *out, ken_err *err) KEN_MUST_USE;

#endif
