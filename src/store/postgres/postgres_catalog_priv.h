// SPDX-License-Identifier: MIT
// postgres_catalog_priv.h -- the catalog in a database, as the files of its slots share it.
#ifndef KEN_STORE_POSTGRES_POSTGRES_CATALOG_PRIV_H
#define KEN_STORE_POSTGRES_POSTGRES_CATALOG_PRIV_H

#include "store/postgres/postgres_priv.h"

typedef struct ken_pg_catalog {
    ken_catalog_backend base;
    ken_pg p;
    bool is_read_only;
} ken_pg_catalog;

static inline ken_pg_catalog *ken_pg_catalog_of(ken_catalog_backend *b)
{
    return (ken_pg_catalog *)(void *)b;
}

// What writers take turns for where no row can be locked instead (CATALOG_LOCK).
enum {
    KEN_PG_LOCK_TOKENS = 1,
    KEN_PG_LOCK_REMOTES,
    KEN_PG_LOCK_VALUES,
};

// The slots: ken_store__pg_catalog_<slot>.
#define X(slot, door, params, args, shown)                                                \
    ken_status ken_store__pg_catalog_##slot(ken_catalog_backend *b, KEN_SLOT_LIST params) \
        KEN_MUST_USE;
KEN_CATALOG_SLOTS(X)
#undef X

// What is done in one transaction. It may run several times, each in a state in which it has not run
// yet: what it gives goes to `ctx`, and counts after the last.
typedef ken_status ken_pg_work_fn(ken_pg_catalog *c, void *ctx, ken_err *err);

// Runs it until its commit is on disk. Again, a few times, after a conflict with another transaction, or
// when the connection is lost before the commit. When it is lost while that is waited for, nobody knows
// whether it was kept: KEN_EIO says so. KEN_EPERM when the catalog is open for reading only.
ken_status ken_store__pg_change(ken_pg_catalog *c, ken_pg_work_fn *work, void *ctx, ken_err *err)
    KEN_MUST_USE;
// The same for questions, which see one state.
ken_status ken_store__pg_ask(ken_pg_catalog *c, ken_pg_work_fn *work, void *ctx, ken_err *err)
    KEN_MUST_USE;
// A change of one statement. KEN_ENOTFOUND when it changed no row.
ken_status ken_store__pg_change_row(ken_pg_catalog *c, const ken_pg_query *q, ken_err *err)
    KEN_MUST_USE;
// In a transaction, until its end.
ken_status ken_store__pg_lock(ken_pg_catalog *c, int64_t what, ken_err *err) KEN_MUST_USE;

// A text as the database keeps it: what is no UTF-8 is repaired.
ken_str ken_store__pg_as_kept(ken_str s, ken_arena *arena);
// Without a pointer for NULL.
ken_str ken_store__pg_keep_some(ken_pg_row *row, int col, ken_arena *arena);
// A uuid that may be NULL: whether it is there.
bool ken_store__pg_uuid(ken_pg_row *row, int col, ken_uuid *out);
// A time that is not yet is NULL.
#define PG_TIME_IF(ms) PG_IF((ms), PG_TIME(ms))

#endif
