// SPDX-License-Identifier: MIT
// sqlite_statements_priv.h -- the names of all statements: KEN_SQ_STATEMENTS(X), made of sql/*.sql. A
// text stands there after a line "-- :NAME". README.md has the cost of each.
#ifndef KEN_STORE_SQLITE_SQLITE_STATEMENTS_PRIV_H
#define KEN_STORE_SQLITE_SQLITE_STATEMENTS_PRIV_H

#include <embed_store_statements.h>

#endif
