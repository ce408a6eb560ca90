// SPDX-License-Identifier: MIT
// A read transaction that several sessions share: a question to a hundred indexes takes one connection, not a
// hundred. The sessions are in it between their own begin and end; its end is the question's.
#include <pthread.h>

#include "base/alloc.h"
#include "store/postgres/postgres_priv.h"

struct ken_database_reading {
    pthread_mutex_t lock; // held while a statement runs
    ken_pg p;
};

ken_database_reading *ken_database_begin_reading(ken_database *db)
{
    ken_database_reading *r = ken_zalloc(sizeof *r);
    pthread_mutex_init(&r->lock, NULL);
    ken_store__pg_init(&r->p, db, "index", "of several", 0);
    ken_store__pg_begin(&r->p, KEN_PG_TX_READ);
    return r;
}

void ken_database_end_reading(ken_database_reading *r)
{
    if (!r)
        return;
    ken_store__pg_release(&r->p);
    pthread_mutex_destroy(&r->lock);
    ken_free(r);
}

ken_status ken_store__pg_run_in(ken_database_reading *r, ken_pg_stmt which,
                                const ken_pg_value *values, size_t n, PGresult **out, ken_err *err)
{
    pthread_mutex_lock(&r->lock);
    ken_status st = ken_store__pg_run(&r->p, which, values, n, out, err);
    pthread_mutex_unlock(&r->lock);
    return st;
}
