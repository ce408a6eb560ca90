// SPDX-License-Identifier: MIT
// postgres_replica_priv.h -- a replica of a database, to which reads of questions may go.
#ifndef KEN_STORE_POSTGRES_POSTGRES_REPLICA_PRIV_H
#define KEN_STORE_POSTGRES_POSTGRES_REPLICA_PRIV_H

#include <pthread.h>

#include "store/postgres/postgres_priv.h"

// `url` is checked by the first use; a failure is told in the usage.
ken_pg_replica *ken_store__pg_new_replica(ken_database *primary, const char *url, uint32_t n_max);
void ken_store__pg_free_replica(ken_pg_replica *r); // NULL is fine
ken_replica_usage ken_store__pg_replica_usage(ken_pg_replica *r);

// The connections to it, when it may answer now; else NULL. Waits for nothing.
ken_database *ken_store__pg_reader(ken_pg_replica *r);
// Connects if need be, and asks both how far they are.
void ken_store__pg_look_at_replica(ken_pg_replica *r);
// A read there has failed, before it gave anything.
void ken_store__pg_replica_failed(ken_pg_replica *r, const ken_err *why);
// This process has seen or made that generation of a tree. NULL is fine.
void ken_store__pg_saw(ken_pg_replica *r, int64_t index, int64_t tree, int64_t generation);
// Whether what the replica has is not older than what was seen; then it counts as seen.
bool ken_store__pg_is_promised(ken_pg_replica *r, int64_t index, int64_t tree, int64_t generation);

#endif
