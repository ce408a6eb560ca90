// SPDX-License-Identifier: MIT
// postgres_tasks_priv.h -- what reading and writing tasks share.
#ifndef KEN_STORE_POSTGRES_POSTGRES_TASKS_PRIV_H
#define KEN_STORE_POSTGRES_POSTGRES_TASKS_PRIV_H

#include "store/postgres/postgres_catalog_priv.h"
#include "store/store_tasks_priv.h"

// A task as it now is, with all that hangs on it. KEN_ENOTFOUND without a message.
ken_status ken_store__pg_task(ken_pg_catalog *c, ken_uuid uuid, ken_arena *arena, ken_task *out,
                              ken_err *err) KEN_MUST_USE;

#endif
