// SPDX-License-Identifier: MIT
// remotes.h -- projects whose folder is a clone of a remote repository, which ken keeps in step.
//
// The clone is <data>/repos/<name>; nobody else's folder is ever fetched into.
//
// Ownership: results live in the arena passed. Threads: safe from any thread. Errors: KEN_EINVAL names
// the field; KEN_ENOTFOUND for a project that is no clone; those of sync.h and of ken_app_index.
#ifndef KEN_APP_REMOTES_H
#define KEN_APP_REMOTES_H

#include "app/app.h"
#include "store/remotes.h"
#include "sync/sync.h"

typedef struct ken_app_remote_opts {
    ken_str url;
    ken_str branch;               // empty = the remote's default
    ken_str name;                 // of the project; empty = the last part of the URL
    ken_str sparse;               // patterns, one a line; empty = all files
    bool has_depth, has_interval; // else what settings say
    uint32_t depth;               // commits; 0 = all
    uint32_t interval_s;          // 0 = only when asked
} ken_app_remote_opts;

// A project for the repository, without fetching anything yet. One that has the same URL, branch and
// patterns already is given back, with the new name, depth and interval.
ken_status ken_app_add_remote(ken_app *app, const ken_app_remote_opts *opts, ken_arena *arena,
                              ken_project_info *out, ken_remote *out_remote, ken_err *err)
    KEN_MUST_USE;
// Adds the repository of the settings repository.url and repository.branch, where they name one. What fails
// is in the log.
void ken_app_add_set_remote(ken_app *app);
// KEN_ENOTFOUND without a message when the project's folder is nobody's clone.
ken_status ken_app_find_remote(ken_app *app, const ken_project_info *project, ken_arena *arena,
                               ken_remote *out, ken_err *err) KEN_MUST_USE;
ken_status ken_app_list_remotes(ken_app *app, ken_arena *arena, ken_remote **out, size_t *out_n,
                                ken_err *err) KEN_MUST_USE;

typedef struct ken_app_sync_opts {
    ken_app_indexing indexing; // forced: fetches all of it again, and reads every file again
    int64_t max_wait_ms;       // for another that syncs the clone; 0 = ten seconds
} ken_app_sync_opts;

typedef struct ken_app_sync_report {
    ken_sync_report synced;
    ken_index_report indexed;
    int64_t fetch_ms, index_ms;
} ken_app_sync_report;

// Fetches, and brings the index up to date. Until it has, and when it fails, questions are answered of what
// there was. Success and failure are kept with the remote.
ken_status ken_app_sync(ken_app *app, const ken_project_info *project,
                        const ken_app_sync_opts *opts, const ken_cancel *cancel, ken_arena *arena,
                        ken_app_sync_report *out, ken_err *err) KEN_MUST_USE;
// Fetches the earlier contents of a file of a clone of ours (sync.h). KEN_ENOTFOUND without a message when
// the folder is somebody's own.
ken_status ken_app_fetch_versions(ken_app *app, const ken_project_info *project, ken_str path,
                                  const ken_cancel *cancel, ken_arena *arena, ken_err *err)
    KEN_MUST_USE;
// When it is to be synced next on its own; INT64_MAX = never. After failures it waits longer, up to a
// day; a tenth of the interval is different for each, so that they do not come all at once.
int64_t ken_app_next_sync_ms(const ken_remote *r);

// In a process that stays (ken_app_serve) a question starts the sync of a clone whose time has come, and is
// answered of what there is. Not after this: somebody else does it. Before any thread asks.
void ken_app_leave_syncs(ken_app *app);

// As JSON has it: url, branch, commit, synced_at, interval, failures.
json_t *ken_app_remote_json(const ken_remote *r);

#endif
