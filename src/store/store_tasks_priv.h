// SPDX-License-Identifier: MIT
// store_tasks_priv.h -- what an edit changes in a task, the same in every backend.
#ifndef KEN_STORE_STORE_TASKS_PRIV_H
#define KEN_STORE_STORE_TASKS_PRIV_H

#include "store/tasks.h"

typedef struct ken_task_difference {
    bool fields, references, branch, commit, lost_branch, lost_commit;
    bool is_any;
} ken_task_difference;

// `*now` is `was` with the fields of the edit and, when anything differs, a later updated_at_ms. The
// links are still those of `was`. KEN_EEXIST when somebody changed it, KEN_EINVAL, KEN_ELIMIT.
ken_status ken_store__task_edited(const ken_task *was, const ken_task_edit *e, ken_task *now,
                                  ken_task_difference *out, ken_err *err) KEN_MUST_USE;
// Whether it is counted in another place than before.
bool ken_store__task_moves(const ken_task *was, const ken_task *now);
// The reference to that path, or NULL.
const ken_task_reference *ken_store__task_reference(const ken_task *t, ken_str path);

#endif
