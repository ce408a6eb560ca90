// SPDX-License-Identifier: MIT
// The remote repositories of the catalog.
#include "store/postgres/postgres_catalog_priv.h"

static ken_status read_remote(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    ken_remote r = {
        .url = ken_store__pg_keep(row, 1, arena),
        .branch = ken_store__pg_keep(row, 2, arena),
        .sparse = ken_store__pg_keep(row, 3, arena),
        .depth = (uint32_t)ken_store__pg_u64(row, 4, UINT32_MAX),
        .interval_s = (uint32_t)ken_store__pg_u64(row, 5, UINT32_MAX),
        .follows_default = ken_store__pg_u64(row, 6, 1),
        .commit = ken_store__pg_keep(row, 7, arena),
        .synced_at_ms = ken_store__pg_ms(row, 8),
        .tried_at_ms = ken_store__pg_ms(row, 9),
        .n_failures = (uint32_t)ken_store__pg_u64(row, 10, UINT32_MAX),
        .error = ken_store__pg_keep(row, 11, arena),
    };
    ken_store__pg_fixed(row, 0, r.project.bytes, sizeof r.project.bytes);
    *(ken_remote *)out = r;
    return KEN_OK;
}

ken_status ken_store__pg_catalog_find_remote(ken_catalog_backend *b, ken_uuid project,
                                             ken_arena *arena, ken_remote *out, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    return ken_store__pg_one(&c->p, PG_QUERY(REMOTE_GET, PG_UUID(project)), read_remote, arena, out,
                             err);
}

ken_status ken_store__pg_catalog_list_remotes(ken_catalog_backend *b, ken_arena *arena,
                                              ken_remote **out, size_t *out_n, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    return PG_ROWS(&c->p, &(ken_pg_query){ .which = KEN_PG_REMOTE_LIST }, read_remote, arena, out,
                   out_n, err);
}

// ---- changes -----------------------------------------------------------------------------------

static ken_status check_free(ken_pg_catalog *c, const ken_remote *r, ken_arena *arena, ken_err *err)
{
    ken_str name = { NULL, 0 };
    ken_status st = ken_store__pg_one(&c->p,
                                      PG_QUERY(REMOTE_SAME, PG_UUID(r->project), PG_TEXT(r->url),
                                               PG_TEXT(r->branch), PG_TEXT(r->sparse)),
                                      ken_store__pg_read_bytes, arena, &name, err);
    if (st == KEN_ENOTFOUND)
        return KEN_OK;
    return st ? st
              : KEN_FAIL(err, KEN_EEXIST,
                         "project '" KEN_STR_FMT "' has this url with the same branch and paths "
                         "already; name another branch, or remove that remote",
                         KEN_STR_ARG(name));
}

static ken_status put(ken_pg_catalog *c, const ken_remote *r, ken_arena *arena, ken_err *err)
{
    ken_catalog_row project = { .name = { NULL, 0 } };
    ken_status st = ken_store__pg_lock(c, KEN_PG_LOCK_REMOTES, err);
    if (!st)
        st = ken_store__pg_catalog_find_by_id(&c->base, r->project, arena, &project, err);
    if (!st)
        st = check_free(c, r, arena, err);
    if (!st)
        st = ken_store__pg_write(
            &c->p, KEN_PG_REMOTE_FORGET,
            PG_VALUES(PG_UUID(r->project), PG_TEXT(r->url), PG_TEXT(r->branch)), NULL, err);
    return st ? st
              : ken_store__pg_write(&c->p, KEN_PG_REMOTE_PUT,
                                    PG_VALUES(PG_UUID(r->project), PG_TEXT(r->url),
                                              PG_TEXT(r->branch), PG_TEXT(r->sparse),
                                              PG_INT(r->depth), PG_INT(r->interval_s)),
                                    NULL, err);
}

static ken_status put_remote(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    ken_arena a;
    ken_arena_init(&a, 256);
    ken_status st = put(c, ctx, &a, err);
    ken_arena_release(&a);
    return st;
}

ken_status ken_store__pg_catalog_put_remote(ken_catalog_backend *b, const ken_remote *r,
                                            ken_err *err)
{
    ken_remote own = *r;
    return ken_store__pg_change(ken_pg_catalog_of(b), put_remote, &own, err);
}

ken_status ken_store__pg_catalog_set_remote_synced(ken_catalog_backend *b, const ken_remote *r,
                                                   ken_err *err)
{
    return ken_store__pg_change_row(
        ken_pg_catalog_of(b),
        PG_QUERY(REMOTE_SET_SYNCED, PG_UUID(r->project), PG_TEXT(r->branch), PG_TEXT(r->commit),
                 PG_TIME_IF(r->synced_at_ms), PG_TIME_IF(r->tried_at_ms), PG_INT(r->n_failures),
                 PG_TEXT(r->error)),
        err);
}

ken_status ken_store__pg_catalog_remove_remote(ken_catalog_backend *b, ken_uuid project,
                                               ken_err *err)
{
    return ken_store__pg_change_row(ken_pg_catalog_of(b), PG_QUERY(REMOTE_REMOVE, PG_UUID(project)),
                                    err);
}
