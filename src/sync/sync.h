// SPDX-License-Identifier: MIT
// sync.h -- a clone of one branch of a remote repository, kept in step by git.
//
// A clone is a folder of ken's own: its work tree is at a commit of the branch, and what anybody changes in
// it is overwritten. Nothing of the repository is executed: no hook, no filter, no submodule (proc_git.h);
// files under a filter are as they are stored, so those of LFS are pointers.
//
// Ownership: results live in the arena passed. Threads: any; one sync of a folder at a time, which a lock
// beside it sees to. Errors: KEN_EINVAL names the field; KEN_EPERM the remote refuses us; KEN_ENOTFOUND
// it has no such repository or branch; KEN_EREMOTE it is not reached, or fails itself; KEN_EBUSY another process syncs
// the folder; KEN_ENOSPC; KEN_ETIMEOUT; KEN_ECANCELLED; KEN_EIO the rest, with git's own words. After an error the work tree is that of the
// commit before, or is put right by the next sync.
#ifndef KEN_SYNC_SYNC_H
#define KEN_SYNC_SYNC_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/err.h"

typedef struct ken_sync_source {
    ken_str url;       // https://, ssh://, user@host:path; others as `protocols` say
    ken_str branch;    // empty = what the remote's HEAD names
    ken_str sparse;    // patterns as of .gitignore, one a line: only these files; empty = all
    uint32_t depth;    // commits of history; 0 = all of it
    ken_str protocols; // git's names, apart by commas: "https,ssh"
} ken_sync_source;

enum {
    KEN_SYNC_URL_MAX = 2048,
    KEN_SYNC_BRANCH_MAX = 250,
    KEN_SYNC_SPARSE_MAX = 65536,
};

// Whether git may be given these texts. A URL with a password or a query is refused: it would be kept.
ken_status ken_sync_check(const ken_sync_source *s, ken_err *err) KEN_MUST_USE;
// The last part of the URL without ".git": "redis". Empty when there is none. Borrowed from `url`.
ken_str ken_sync_name_of(ken_str url);
// The URL with what could be a secret replaced by "***", for messages about a refused one.
ken_str ken_sync_show(ken_str url, ken_arena *arena);

typedef enum ken_sync_change_kind {
    KEN_SYNC_ADDED = 0,
    KEN_SYNC_MODIFIED, // its type too
    KEN_SYNC_DELETED,
    KEN_SYNC_RENAMED,
} ken_sync_change_kind;

typedef struct ken_sync_change {
    ken_sync_change_kind kind;
    ken_str path;
    ken_str old_path; // of RENAMED
} ken_sync_change;

typedef struct ken_sync_report {
    ken_str branch;
    ken_str from;   // the commit before; empty the first time
    ken_str commit; // the commit now
    // Deletions first, then renames, then by path; those of the whole repository, sparse or not.
    ken_sync_change *changes;
    size_t n_changes;
    bool knows_changes; // false: the first time, or the commit before is not there any more
    bool is_anew;       // the clone was damaged, or it was wished: everything was fetched again
} ken_sync_report;

typedef struct ken_sync_opts {
    bool is_anew;                                   // fetch everything again
    int64_t timeout_ms;                             // 0 = 30 minutes
    void (*on_stage)(void *ctx, const char *stage); // "fetching", "checking out"; may be NULL
    void *ctx;
} ken_sync_opts;

// Brings the clone in `folder` (absolute; made when absent) to the newest commit of the branch.
ken_status ken_sync_run(const ken_sync_source *s, const char *folder, const ken_sync_opts *opts,
                        const ken_cancel *cancel, ken_arena *arena, ken_sync_report *out,
                        ken_err *err) KEN_MUST_USE;
// The branch and the commit that the remote has it at now; nothing is fetched.
ken_status ken_sync_look(const ken_sync_source *s, const ken_cancel *cancel, ken_arena *arena,
                         ken_str *out_branch, ken_str *out_commit, ken_err *err) KEN_MUST_USE;
// The earlier contents of a file (relative to the clone) that a clone with more than one commit has not got,
// at most 2,000: for who asks about its history. Those under earlier names are not among them.
ken_status ken_sync_fetch_versions(const ken_sync_source *s, const char *folder, ken_str path,
                                   const ken_cancel *cancel, ken_arena *arena, ken_err *err)
    KEN_MUST_USE;
// Removes the clone. KEN_EBUSY while it is synced.
ken_status ken_sync_remove(const char *folder, ken_err *err) KEN_MUST_USE;

#endif
