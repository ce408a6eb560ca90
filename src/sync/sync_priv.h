// SPDX-License-Identifier: MIT
// sync_priv.h -- what the files of this folder share.
#ifndef KEN_SYNC_SYNC_PRIV_H
#define KEN_SYNC_SYNC_PRIV_H

#include "base/fs.h"
#include "proc/proc_git.h"
#include "sync/sync.h"

enum {
    SYNC_DEPTH_MAX = 1000000,
};

// One sync, or a look at the remote.
typedef struct sync_job {
    const ken_sync_source *source;
    const char *folder; // of the clone; any folder for a look
    int lock_fd;        // of the clone; 0 = none
    bool has_clone;     // of an earlier sync, which stays as it is when this one fails
    ken_git_reach reach;
    ken_cancel cancel; // the caller's, with the time that all of it may take
    ken_arena *arena;
} sync_job;

void ken_sync__begin(sync_job *j, const ken_sync_source *s, const char *folder, int64_t timeout_ms,
                     const ken_cancel *cancel, ken_arena *arena);
// Runs git in the clone. What it printed is in the arena; a git that fails is an error with its words.
ken_status ken_sync__git(sync_job *j, const char *const *argv, ken_str *out, ken_err *err)
    KEN_MUST_USE;
// The same for a question: empty when git ends with 1.
ken_status ken_sync__ask(sync_job *j, const char *const *argv, ken_str *out, ken_err *err)
    KEN_MUST_USE;

// ---- sync_clone.c: the repository of the clone ----
ken_str ken_sync__in_clone(const sync_job *j, const char *name);
void ken_sync__remove_litter(const sync_job *j);
void ken_sync__remove_ref_locks(const sync_job *j, ken_str branch);
// Where the repository of before is while a new one is made.
ken_str ken_sync__path_before(const char *folder, ken_arena *arena);
ken_status ken_sync__set_aside(const sync_job *j, ken_err *err) KEN_MUST_USE;
// In the place of the new one. Nothing is done when none is aside.
ken_status ken_sync__put_back(const sync_job *j, ken_err *err) KEN_MUST_USE;
ken_status ken_sync__drop_before(const sync_job *j, ken_err *err) KEN_MUST_USE;

// ---- sync.c ----
// Of the clone, for one at a time. KEN_EBUSY.
ken_status ken_sync__lock(const char *folder, ken_arena *arena, int *out_fd, ken_err *err)
    KEN_MUST_USE;

// What is different between two commits of the clone. KEN_ENOTFOUND when `from` is not there any more.
ken_status ken_sync__list_changes(sync_job *j, ken_sync_report *r, ken_err *err) KEN_MUST_USE;

#endif
