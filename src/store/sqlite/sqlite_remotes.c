// SPDX-License-Identifier: MIT
// The remote repositories of the catalog. The journal has them in the group of their project.
#include "store/sqlite/sqlite_catalog_priv.h"

static ken_status read_remote(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                              ken_err *err)
{
    bool is_bad = false;
    ken_remote r = {
        .url = ken_store__sq_keep(st, 1, arena),
        .branch = ken_store__sq_keep(st, 2, arena),
        .sparse = ken_store__sq_keep(st, 3, arena),
        .depth = (uint32_t)ken_store__sq_u64(st, 4, UINT32_MAX, &is_bad),
        .interval_s = (uint32_t)ken_store__sq_u64(st, 5, UINT32_MAX, &is_bad),
        .follows_default = ken_store__sq_u64(st, 6, 1, &is_bad),
        .commit = ken_store__sq_keep(st, 7, arena),
        .synced_at_ms = (int64_t)ken_store__sq_u64(st, 8, INT64_MAX, &is_bad),
        .tried_at_ms = (int64_t)ken_store__sq_u64(st, 9, INT64_MAX, &is_bad),
        .n_failures = (uint32_t)ken_store__sq_u64(st, 10, UINT32_MAX, &is_bad),
        .error = ken_store__sq_keep(st, 11, arena),
    };
    if (!ken_store__sq_fixed(st, 0, r.project.bytes, sizeof r.project.bytes) || is_bad)
        return SQ_CORRUPT(q, err, "a remote has no usable project, depth, interval, time or count");
    *(ken_remote *)out = r;
    return KEN_OK;
}

ken_status ken_store__catalog_find_remote(ken_catalog_backend *b, ken_uuid project,
                                          ken_arena *arena, ken_remote *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_REMOTE_GET, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_BYTES(project)));
    return ken_store__sq_one(&c->q, st, read_remote, arena, out, err);
}

ken_status ken_store__catalog_list_remotes(ken_catalog_backend *b, ken_arena *arena,
                                           ken_remote **out, size_t *out_n, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_REMOTE_LIST, &st, err);
    return s ? s : SQ_ROWS(&c->q, st, read_remote, arena, out, out_n, err);
}

// ---- changes ---------------------------------------------------------------------------------

static ken_status read_name(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    (void)q, (void)err;
    *(ken_str *)out = ken_store__sq_keep(st, 0, arena);
    return KEN_OK;
}

static ken_status check_free(ken_sq_catalog *c, const ken_remote *r, ken_arena *arena, ken_err *err)
{
    ken_str name = { NULL, 0 };
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_REMOTE_SAME, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_BYTES(r->project), SQ_TEXT(r->url), SQ_TEXT(r->branch),
                                     SQ_TEXT(r->sparse)));
    s = ken_store__sq_one(&c->q, st, read_name, arena, &name, err);
    if (s == KEN_ENOTFOUND)
        return KEN_OK;
    return s ? s
             : KEN_FAIL(err, KEN_EEXIST,
                        "project '" KEN_STR_FMT "' has this url with the same branch and paths "
                        "already; name another branch, or remove that remote",
                        KEN_STR_ARG(name));
}

static ken_status put(ken_sq_catalog *c, const ken_remote *r, ken_arena *arena, ken_err *err)
{
    ken_catalog_row project = { .name = { NULL, 0 } };
    ken_status s = ken_store__catalog_find_by_id(&c->base, r->project, arena, &project, err);
    if (!s)
        s = check_free(c, r, arena, err);
    if (!s)
        s = ken_store__sq_write(
            &c->q, KEN_SQ_REMOTE_FORGET,
            SQ_VALUES(SQ_BYTES(r->project), SQ_TEXT(r->url), SQ_TEXT(r->branch)), err);
    if (!s)
        s = ken_store__sq_write(&c->q, KEN_SQ_REMOTE_PUT,
                                SQ_VALUES(SQ_BYTES(r->project), SQ_TEXT(r->url), SQ_TEXT(r->branch),
                                          SQ_TEXT(r->sparse), SQ_INT(r->depth),
                                          SQ_INT(r->interval_s)),
                                err);
    return s ? s : ken_store__catalog_note_project(c, r->project, err);
}

ken_status ken_store__catalog_put_remote(ken_catalog_backend *b, const ken_remote *r, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_arena a;
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    ken_arena_init(&a, 256);
    s = ken_store__catalog_end(c, put(c, r, &a, err), err);
    ken_arena_release(&a);
    return s;
}

ken_status ken_store__catalog_set_remote_synced(ken_catalog_backend *b, const ken_remote *r,
                                                ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    s = ken_store__sq_write(&c->q, KEN_SQ_REMOTE_SET_SYNCED,
                            SQ_VALUES(SQ_BYTES(r->project), SQ_TEXT(r->branch), SQ_TEXT(r->commit),
                                      SQ_INT(r->synced_at_ms), SQ_INT(r->tried_at_ms),
                                      SQ_INT(r->n_failures), SQ_TEXT(r->error)),
                            err);
    bool is_there = !s && sqlite3_changes(c->q.db) > 0;
    s = ken_store__catalog_end(c, s, err);
    return s || is_there ? s : KEN_ENOTFOUND;
}

ken_status ken_store__catalog_remove_remote(ken_catalog_backend *b, ken_uuid project, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    s = ken_store__sq_write(&c->q, KEN_SQ_REMOTE_REMOVE, SQ_VALUES(SQ_BYTES(project)), err);
    bool is_there = !s && sqlite3_changes(c->q.db) > 0;
    if (is_there)
        s = ken_store__catalog_note_project(c, project, err);
    s = ken_store__catalog_end(c, s, err);
    return s || is_there ? s : KEN_ENOTFOUND;
}
