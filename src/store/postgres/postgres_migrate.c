// SPDX-License-Identifier: MIT
// The schema `ken`: made, brought up to date, taken back, and compared with what it was made as. Each
// version is one transaction under one lock of the database, so servers that start together take turns.
#include <embed_store_pg_schema.h>

#include "store/postgres/postgres_priv.h"

typedef struct step {
    const unsigned char *up, *down;
} step;

static const step steps[] = {
    { ken_embed_store_pg_schema_0001_index_postgres_sql,
      ken_embed_store_pg_schema_0001_index_postgres_down_sql },
    { ken_embed_store_pg_schema_0002_catalog_postgres_sql,
      ken_embed_store_pg_schema_0002_catalog_postgres_down_sql },
    { ken_embed_store_pg_schema_0003_workers_postgres_sql,
      ken_embed_store_pg_schema_0003_workers_postgres_down_sql },
    { ken_embed_store_pg_schema_0004_vectors_postgres_sql,
      ken_embed_store_pg_schema_0004_vectors_postgres_down_sql },
    { ken_embed_store_pg_schema_0005_relations_postgres_sql,
      ken_embed_store_pg_schema_0005_relations_postgres_down_sql },
    { ken_embed_store_pg_schema_0006_hnsw_postgres_sql,
      ken_embed_store_pg_schema_0006_hnsw_postgres_down_sql },
    { ken_embed_store_pg_schema_0007_rows_postgres_sql,
      ken_embed_store_pg_schema_0007_rows_postgres_down_sql },
    { ken_embed_store_pg_schema_0008_licenses_postgres_sql,
      ken_embed_store_pg_schema_0008_licenses_postgres_down_sql },
    { ken_embed_store_pg_schema_0009_names_postgres_sql,
      ken_embed_store_pg_schema_0009_names_postgres_down_sql },
    { ken_embed_store_pg_schema_0010_words_postgres_sql,
      ken_embed_store_pg_schema_0010_words_postgres_down_sql },
};

enum {
    NEWEST = sizeof steps / sizeof *steps
};

int32_t ken_database_schema(void)
{
    return NEWEST;
}

// 0 = there is nothing of it.
static ken_status get_version(ken_pg *p, int64_t *out, ken_err *err)
{
    int64_t is_there = 0;
    *out = 0;
    ken_status st =
        ken_store__pg_number(p, &(ken_pg_query){ .which = KEN_PG_SCHEMA_EXISTS }, &is_there, err);
    if (!st && is_there)
        st = ken_store__pg_number(p, &(ken_pg_query){ .which = KEN_PG_SCHEMA_NEWEST }, out, err);
    if (!st && *out > NEWEST)
        st = KEN_FAIL(err, KEN_EVERSION,
                      "%s has schema version %lld, this program knows up to %d: use a newer ken",
                      ken_database_name(p->db), (long long)*out, NEWEST);
    return st;
}

// What the tables are now, as a hash of their description.
static ken_status read_fingerprint(ken_pg *p, ken_arena *arena, ken_str *out, ken_err *err)
{
    return ken_store__pg_one(p, &(ken_pg_query){ .which = KEN_PG_SCHEMA_FINGERPRINT },
                             ken_store__pg_read_bytes, arena, out, err);
}

static ken_status seal(ken_pg *p, int64_t version, ken_err *err)
{
    ken_arena arena;
    ken_str now = KEN_STR("");
    ken_arena_init(&arena, 0);
    ken_status st = read_fingerprint(p, &arena, &now, err);
    if (!st)
        st = ken_store__pg_write(p, KEN_PG_SCHEMA_SEAL, PG_VALUES(PG_INT(version), PG_TEXT(now)),
                                 NULL, err);
    ken_arena_release(&arena);
    return st;
}

static ken_status upgrade(ken_pg *p, int64_t version, ken_err *err)
{
    static const char first[] = "CREATE SCHEMA IF NOT EXISTS ken;"
                                "CREATE TABLE IF NOT EXISTS ken.schema_version ("
                                " version bigint PRIMARY KEY,"
                                " fingerprint text NOT NULL,"
                                " made_at timestamptz NOT NULL DEFAULT now())";
    ken_status st = version ? KEN_OK : ken_store__pg_script(p, first, err);
    for (int64_t v = version; !st && v < NEWEST; v++) {
        st = ken_store__pg_script(p, (const char *)steps[v].up, err);
        if (!st)
            st = ken_store__pg_write(p, KEN_PG_SCHEMA_ADD, PG_VALUES(PG_INT(v + 1)), NULL, err);
    }
    return st ? st : seal(p, NEWEST, err);
}

static ken_status downgrade(ken_pg *p, int64_t version, int64_t to, ken_err *err)
{
    ken_status st = KEN_OK;
    for (int64_t v = version; !st && v > to; v--) {
        st = ken_store__pg_script(p, (const char *)steps[v - 1].down, err);
        if (!st)
            st = ken_store__pg_write(p, KEN_PG_SCHEMA_REMOVE, PG_VALUES(PG_INT(v)), NULL, err);
    }
    if (!st && !to)
        return ken_store__pg_script(p, "DROP TABLE ken.schema_version; DROP SCHEMA ken", err);
    return st ? st : seal(p, to, err);
}

// Under the lock; what the version was before may have changed meanwhile.
static ken_status move_to(ken_pg *p, int64_t to, ken_err *err)
{
    int64_t version = 0;
    PGresult *r = NULL;
    ken_store__pg_begin(p, KEN_PG_TX_WRITE);
    ken_status st = ken_store__pg_run(p, KEN_PG_SCHEMA_LOCK, NULL, 0, &r, err);
    ken_store__pg_done(p, r);
    if (!st)
        st = get_version(p, &version, err);
    if (!st && version < to)
        st = upgrade(p, version, err);
    if (!st && version > to)
        st = downgrade(p, version, to, err);
    if (!st)
        st = ken_store__pg_end(p, err);
    ken_store__pg_rollback(p);
    return st;
}

// A URL that is meant for another program must not make tables in its database.
static ken_status check_alone(ken_pg *p, ken_err *err)
{
    int64_t n = 0;
    ken_status st =
        ken_store__pg_number(p, &(ken_pg_query){ .which = KEN_PG_SCHEMA_COUNT_OTHERS }, &n, err);
    return st || !n
               ? st
               : KEN_FAIL(err, KEN_EPERM,
                          "%s has %lld tables of other programs and none of ken's: give ken a "
                          "database of its own, or set database.shares to have its tables there, "
                          "or set KEN_DATABASE_URL=none when DATABASE_URL is not meant for ken",
                          ken_database_name(p->db), (long long)n);
}

ken_status ken_store__pg_settle_schema(ken_pg *p, const ken_database_opts *opts, ken_err *err)
{
    int64_t version = 0;
    ken_status st = get_version(p, &version, err);
    if (st || version == NEWEST)
        return st;
    if (opts->is_schema_left && opts->tells_empty && !version)
        return KEN_FAIL(err, KEN_ENOTFOUND, "%s has no tables of ken", ken_database_name(p->db));
    if (opts->is_schema_left)
        return KEN_FAIL(
            err, KEN_EVERSION,
            "%s has schema version %lld, this program needs %d, and was told to leave it",
            ken_database_name(p->db), (long long)version, NEWEST);
    if (!version && !opts->shares)
        st = check_alone(p, err);
    p->busy_ms = 60000; // another server may be making it
    return st ? st : move_to(p, NEWEST, err);
}

ken_status ken_database_downgrade(ken_database *db, int32_t version, ken_err *err)
{
    ken_pg p;
    ken_store__pg_init(&p, db, "schema", "ken", 0);
    ken_status st = version < 0 || version > NEWEST
                        ? KEN_FAIL(err, KEN_EINVAL, "schema version %d: 0 to %d", version, NEWEST)
                        : move_to(&p, version, err);
    ken_store__pg_release(&p);
    return st;
}

ken_status ken_database_check_schema(ken_database *db, ken_err *err)
{
    ken_pg p;
    ken_arena arena;
    ken_str now = KEN_STR(""), sealed = KEN_STR("");
    ken_arena_init(&arena, 0);
    ken_store__pg_init(&p, db, "schema", "ken", 0);
    ken_store__pg_begin(&p, KEN_PG_TX_READ);
    ken_status st = read_fingerprint(&p, &arena, &now, err);
    if (!st)
        st = ken_store__pg_one(&p, PG_QUERY(SCHEMA_SEALED, PG_INT(NEWEST)),
                               ken_store__pg_read_bytes, &arena, &sealed, err);
    if (st == KEN_ENOTFOUND || (!st && !ken_str_eq(now, sealed)))
        st = KEN_FAIL(
            err, KEN_ECORRUPT,
            "the schema ken of %s is not as this program made it: somebody changed tables, "
            "columns, keys or indexes",
            ken_database_name(db));
    ken_store__pg_release(&p);
    ken_arena_release(&arena);
    return st;
}
