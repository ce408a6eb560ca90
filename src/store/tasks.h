// SPDX-License-Identifier: MIT
// tasks.h -- the rows of tasks, in the catalog.
//
// Every change is one transaction, on disk when the call returns; a crash leaves all of it or
// nothing. The rules for tasks are checked by the module `task`, not here.
//
// Ownership: what is loaded lives in the arena passed. Threads: as the catalog. Errors:
// KEN_ENOTFOUND for a task that is not there (no message), KEN_EEXIST when a task was changed
// since, KEN_ELIMIT for too many links, else as the catalog.
#ifndef KEN_STORE_TASKS_H
#define KEN_STORE_TASKS_H

#include "store/catalog.h"

enum {
    KEN_TASK_BRANCHES_MAX = 100, // of one task
    KEN_TASK_COMMITS_MAX = 1000,
};

typedef struct ken_task_reference {
    ken_str path, type;
    int64_t at_ms;
} ken_task_reference;

typedef struct ken_task_branch {
    ken_str name;
    int64_t at_ms;
} ken_task_branch;

typedef struct ken_task_commit {
    ken_str hash;
    ken_str message; // its subject; ptr NULL = not known
    int64_t at_ms;
} ken_task_commit;

typedef struct ken_task_change {
    ken_str from; // ptr NULL in the first
    ken_str to;
    int64_t at_ms;
} ken_task_change;

typedef struct ken_task {
    int64_t id; // never used again
    ken_uuid uuid;
    int64_t rev; // larger than that of every task changed before
    ken_str title, status;
    ken_str description, notes; // ptr NULL = none
    ken_uuid project;           // where has_project
    bool has_project;
    int64_t created_at_ms, updated_at_ms; // the second grows with every change
    ken_task_reference *references;       // in the order given
    ken_task_branch *branches;            // the others in the order of their times
    ken_task_commit *commits;
    ken_task_change *changes; // of the status; not loaded by lists
    size_t n_references, n_branches, n_commits, n_changes;
} ken_task;

// ---- reading ---------------------------------------------------------------------------------
// One task with all its links and its history.
ken_status ken_catalog_load_task(ken_catalog *c, ken_uuid uuid, ken_arena *arena, ken_task *out,
                                 ken_err *err) KEN_MUST_USE;
// By their ids, without history, in one state; those that are there, in that order. `out` has room
// for all.
ken_status ken_catalog_load_tasks(ken_catalog *c, const int64_t *ids, size_t n, ken_arena *arena,
                                  ken_task *out, size_t *out_n, ken_err *err) KEN_MUST_USE;

// Those with uuids from `first` to `last`, at most `limit`, by uuid; without links and history.
ken_status ken_catalog_find_tasks(ken_catalog *c, ken_uuid first, ken_uuid last, size_t limit,
                                  ken_arena *arena, ken_task **out, size_t *out_n, ken_err *err)
    KEN_MUST_USE;

typedef struct ken_task_filter {
    ken_str status, branch;  // ptr NULL = any
    const ken_uuid *project; // NULL = any
    size_t limit, offset;
} ken_task_filter;

// The last changed first. `*out_total`: how many there are without limit and offset.
ken_status ken_catalog_list_tasks(ken_catalog *c, const ken_task_filter *filter, ken_arena *arena,
                                  ken_task **out, size_t *out_n, uint64_t *out_total, ken_err *err)
    KEN_MUST_USE;

// Tasks that changed after `rev`, in that order: of the links only branches, one a line. Texts are
// borrowed until the function returns. Deleted tasks are not reported.
typedef void ken_task_seen_fn(void *ctx, const ken_task *task, ken_str branches);
ken_status ken_catalog_scan_tasks(ken_catalog *c, int64_t after_rev, ken_task_seen_fn *fn,
                                  void *ctx, ken_err *err) KEN_MUST_USE;
// The rev of the last change.
ken_status ken_catalog_last_task_rev(ken_catalog *c, int64_t *out, ken_err *err) KEN_MUST_USE;

// ---- changing --------------------------------------------------------------------------------
// Of `task` are used uuid, title, status, description, notes, project, references and
// created_at_ms. The first row of its history is written with it.
ken_status ken_catalog_add_task(ken_catalog *c, const ken_task *task, ken_arena *arena,
                                ken_task *out, ken_err *err) KEN_MUST_USE;

// The fields to change; a text without a pointer stays. Empty description and notes are taken away.
typedef struct ken_task_edit {
    ken_str title, status, description, notes;
    ken_str branch;         // to link
    ken_task_commit commit; // to link; its hash without a pointer: none
    ken_str lost_branch;    // whose link is taken away; KEN_EINVAL when it is not linked
    ken_str lost_commit;    // the same, a hash
    bool sets_project;      // to `project`, NULL = none
    const ken_uuid *project;
    bool sets_references; // to these, instead of all there are
    const ken_task_reference *references;
    size_t n_references;
    int64_t if_updated_at_ms; // refuse unless this is its updated_at; 0 = whatever it is
    int64_t now_ms;
} ken_task_edit;

// A link that is there already stays as it is. When nothing is different nothing is written.
ken_status ken_catalog_update_task(ken_catalog *c, ken_uuid uuid, const ken_task_edit *edit,
                                   ken_arena *arena, ken_task *out, ken_err *err) KEN_MUST_USE;
// With its links and history.
ken_status ken_catalog_remove_task(ken_catalog *c, ken_uuid uuid, ken_err *err) KEN_MUST_USE;

// ---- what a backend implements (store_ops.h) ---------------------------------------------------
// X(slot, door, (parameters), (arguments), what a trace shows)
// clang-format off
#define KEN_CATALOG_TASK_SLOTS(X)                                                                \
    X(load_task, PLAIN, (ken_uuid uuid, ken_arena *arena, ken_task *out, ken_err *err), (uuid,   \
      arena, out, err), NOTHING)                                                                 \
    X(load_tasks, PLAIN, (const int64_t *ids, size_t n, ken_arena *arena, ken_task *out,         \
      size_t *out_n, ken_err *err), (ids, n, arena, out, out_n, err), NUMBER(n))                 \
    X(find_tasks, PLAIN, (ken_uuid first, ken_uuid last, size_t limit, ken_arena *arena,         \
      ken_task **out, size_t *out_n, ken_err *err), (first, last, limit, arena, out, out_n,      \
      err), NUMBER(limit))                                                                       \
    X(list_tasks, PLAIN, (const ken_task_filter *filter, ken_arena *arena, ken_task **out,       \
      size_t *out_n, uint64_t *out_total, ken_err *err), (filter, arena, out, out_n,             \
      out_total, err), TEXT(filter->status, filter->limit))                                      \
    X(scan_tasks, PLAIN, (int64_t after_rev, ken_task_seen_fn *fn, void *ctx, ken_err *err),     \
      (after_rev, fn, ctx, err), NUMBER(after_rev))                                              \
    X(last_task_rev, PLAIN, (int64_t *out, ken_err *err), (out, err), NOTHING)                   \
    X(add_task, PLAIN, (const ken_task *task, ken_arena *arena, ken_task *out, ken_err *err),    \
      (task, arena, out, err), TEXT(task->title, 0))                                             \
    X(update_task, PLAIN, (ken_uuid uuid, const ken_task_edit *edit, ken_arena *arena,           \
      ken_task *out, ken_err *err), (uuid, edit, arena, out, err), NOTHING)                      \
    X(remove_task, PLAIN, (ken_uuid uuid, ken_err *err), (uuid, err), NOTHING)
// clang-format on

#endif
