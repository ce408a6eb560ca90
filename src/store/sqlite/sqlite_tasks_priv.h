// SPDX-License-Identifier: MIT
// sqlite_tasks_priv.h -- what reading and writing tasks share.
#ifndef KEN_STORE_SQLITE_SQLITE_TASKS_PRIV_H
#define KEN_STORE_SQLITE_SQLITE_TASKS_PRIV_H

#include "store/sqlite/sqlite_catalog_priv.h"
#include "store/tasks.h"

// The row of one task by TASK_GET or TASK_GET_BY_ID, whose one parameter is bound; `st` is given
// back. KEN_ENOTFOUND without a message.
ken_status ken_store__task_row(ken_sq_catalog *c, sqlite3_stmt *st, ken_arena *arena, ken_task *out,
                               ken_err *err) KEN_MUST_USE;
ken_status ken_store__task_by_uuid(ken_sq_catalog *c, ken_uuid uuid, ken_arena *arena,
                                   ken_task *out, ken_err *err) KEN_MUST_USE;
// References, branches and commits of `t`; its history too when wanted.
ken_status ken_store__task_links(ken_sq_catalog *c, bool wants_changes, ken_arena *arena,
                                 ken_task *t, ken_err *err) KEN_MUST_USE;
ken_status ken_store__task_clock(ken_sq_catalog *c, int64_t *out, ken_err *err) KEN_MUST_USE;

#endif
