// SPDX-License-Identifier: MIT
// sqlite_catalog_priv.h -- what the tables of the catalog share.
#ifndef KEN_STORE_SQLITE_SQLITE_CATALOG_PRIV_H
#define KEN_STORE_SQLITE_SQLITE_CATALOG_PRIV_H

#include "store/catalog.h"
#include "store/sqlite/sqlite_priv.h"

struct ken_catalog {
    ken_sq q;
    ken_str indexes; // "<data>/indexes/", in `memory`
    ken_str models;  // "<data>/models/"
    ken_arena memory;
};

ken_status ken_store__catalog_prepare(ken_catalog *c, const char *sql, sqlite3_stmt **out,
                                      ken_err *err) KEN_MUST_USE;
// A write transaction; `end` commits it, or rolls it back when `st` is a failure.
ken_status ken_store__catalog_begin(ken_catalog *c, ken_err *err) KEN_MUST_USE;
ken_status ken_store__catalog_end(ken_catalog *c, ken_status st, ken_err *err) KEN_MUST_USE;

#endif
