// SPDX-License-Identifier: MIT
// task_priv.h -- what the files of this folder share.
#ifndef KEN_TASK_TASK_PRIV_H
#define KEN_TASK_TASK_PRIV_H

#include "task/task.h"

typedef struct ken_task__memory ken_task__memory;
typedef struct ken_task__order ken_task__order;

struct ken_tasks {
    ken_catalog *catalog;
    ken_arena arena; // of the statuses
    ken_str *statuses;
    size_t n_statuses;
    ken_task__memory *memory; // NULL until the first question
    ken_task__order *order;   // NULL until the second page far down
    bool has_been_deep;
};

// ---- task_check.c: inputs ----------------------------------------------------------------------
// `field` stands first in the message.
ken_status ken_task__check_line(const char *field, ken_str text, size_t min, size_t max,
                                ken_err *err) KEN_MUST_USE;
ken_status ken_task__check_text(const char *field, ken_str text, size_t min, size_t max,
                                ken_err *err) KEN_MUST_USE;
ken_status ken_task__check_status(const ken_tasks *t, ken_str status, ken_err *err) KEN_MUST_USE;
ken_status ken_task__check_branch(ken_str name, ken_err *err) KEN_MUST_USE;
ken_status ken_task__check_references(const ken_task_reference *refs, size_t n, ken_err *err)
    KEN_MUST_USE;
// The first and the last id that begins so.
ken_status ken_task__parse_prefix(ken_str text, ken_uuid *out_first, ken_uuid *out_last,
                                  ken_err *err) KEN_MUST_USE;
ken_status ken_task__parse_id(ken_str text, ken_uuid *out, ken_err *err) KEN_MUST_USE;
// `out`: in small letters, in the arena.
ken_status ken_task__parse_commit(ken_str text, ken_arena *arena, ken_str *out, ken_err *err)
    KEN_MUST_USE;
ken_status ken_task__parse_time(ken_str text, int64_t *out_ms, ken_err *err) KEN_MUST_USE;

// A project as a key, "" for none; borrowed.
static inline ken_str ken_task__project_bytes(const ken_uuid *project)
{
    return project ? ken_str_n((const char *)project->bytes, sizeof project->bytes) : KEN_STR("");
}

// ---- task_search.c -----------------------------------------------------------------------------
ken_status ken_task__search(ken_tasks *t, const ken_task_query *q, ken_arena *arena,
                            ken_task_page *out, ken_err *err) KEN_MUST_USE;
void ken_task__memory_free(ken_task__memory *m);

// ---- task_order.c ------------------------------------------------------------------------------
// A page as ken_tasks_list gives it, without stepping over what is before it; *out_is_whole is
// false, and there is none, when others change tasks all the time.
ken_status ken_task__list_deep(ken_tasks *t, const ken_task_query *q, ken_arena *arena,
                               ken_task_page *out, bool *out_is_whole, ken_err *err) KEN_MUST_USE;
void ken_task__order_drop(ken_tasks *t, int64_t id); // that was deleted
void ken_task__order_free(ken_task__order *o);

// ---- task_git.c ------------------------------------------------------------------------------
// The subject of a commit in the repository of `root`; ptr NULL when it does not know it, or git
// cannot be asked. `hash` is checked.
// `*out_lacks`: git knows the repository, and the commit is not in it; else it stays.
ken_str ken_task__read_subject(const char *root, ken_str hash, const ken_cancel *cancel,
                               bool *out_lacks, ken_arena *arena);

#endif
