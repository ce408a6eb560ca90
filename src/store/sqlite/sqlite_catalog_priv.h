// SPDX-License-Identifier: MIT
// sqlite_catalog_priv.h -- what the tables of the catalog share.
#ifndef KEN_STORE_SQLITE_SQLITE_CATALOG_PRIV_H
#define KEN_STORE_SQLITE_SQLITE_CATALOG_PRIV_H

#include "store/sqlite/sqlite_priv.h"

typedef struct ken_sq_catalog {
    ken_catalog_backend base;
    ken_sq q;
    ken_str indexes; // "<data>/indexes/", in `memory`
    ken_str models;  // "<data>/models/"
    ken_arena memory;
} ken_sq_catalog;

static inline ken_sq_catalog *ken_sq_catalog_of(ken_catalog_backend *b)
{
    return (ken_sq_catalog *)(void *)b;
}

static inline ken_sq_catalog *ken_sq_catalog_with(ken_sq *q)
{
    return (ken_sq_catalog *)(void *)((char *)q - offsetof(ken_sq_catalog, q));
}

// The slots: ken_store__catalog_<slot>.
#define X(slot, door, params, args, shown) \
    ken_status ken_store__catalog_##slot(ken_catalog_backend *b, KEN_SLOT_LIST params) KEN_MUST_USE;
KEN_CATALOG_SLOTS(X)
#undef X

// A kept statement, ready to be bound.
ken_status ken_store__catalog_get(ken_sq_catalog *c, ken_sq_stmt which, sqlite3_stmt **out,
                                  ken_err *err) KEN_MUST_USE;
// A write transaction; `end` commits it, or rolls it back when `st` is a failure.
ken_status ken_store__catalog_begin(ken_sq_catalog *c, ken_err *err) KEN_MUST_USE;
ken_status ken_store__catalog_end(ken_sq_catalog *c, ken_status st, ken_err *err) KEN_MUST_USE;
// Records the row of a project and of its remote, as they are now or are gone.
ken_status ken_store__catalog_note_project(ken_sq_catalog *c, ken_uuid id, ken_err *err)
    KEN_MUST_USE;

#endif
