// SPDX-License-Identifier: MIT
// sqlite_tasks_priv.h -- what reading and writing tasks share.
#ifndef KEN_STORE_SQLITE_SQLITE_TASKS_PRIV_H
#define KEN_STORE_SQLITE_SQLITE_TASKS_PRIV_H

#include "store/sqlite/sqlite_catalog_priv.h"
#include "store/store_tasks_priv.h"
#include "store/tasks.h"

// A task as it now is, with all that hangs on it. KEN_ENOTFOUND without a message.
ken_status ken_store__task_by_uuid(ken_sq_catalog *c, ken_uuid uuid, ken_arena *arena,
                                   ken_task *out, ken_err *err) KEN_MUST_USE;
// Adds it to the totals. Takes it away, with its links and from the totals.
ken_status ken_store__count_task(ken_sq_catalog *c, const ken_task *t, ken_err *err) KEN_MUST_USE;
ken_status ken_store__drop_task(ken_sq_catalog *c, const ken_task *t, ken_err *err) KEN_MUST_USE;
ken_status ken_store__task_clock(ken_sq_catalog *c, int64_t *out, ken_err *err) KEN_MUST_USE;

#endif
