// SPDX-License-Identifier: MIT
// The values of the catalog.
#include "json/json.h"
#include "store/sqlite/sqlite_catalog_priv.h"

ken_status ken_store__catalog_load_value(ken_catalog_backend *b, ken_str name, ken_arena *arena,
                                         ken_str *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_SETTING_GET, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_TEXT(name)));
    return ken_store__sq_one(&c->q, st, ken_store__sq_read_bytes, arena, out, err);
}

static ken_status put(ken_sq_catalog *c, ken_str name, ken_str value, ken_err *err)
{
    ken_sq_stmt which = value.ptr ? KEN_SQ_SETTING_PUT : KEN_SQ_SETTING_REMOVE;
    ken_status s = ken_store__sq_write(&c->q, which, SQ_VALUES(SQ_TEXT(name), SQ_TEXT(value)), err);
    return s ? s : ken_store__sq_note(&c->q, "value", ken_json_str(name), err);
}

static ken_status change(ken_sq_catalog *c, ken_str name, ken_value_change_fn *fn, void *ctx,
                         ken_arena *arena, ken_err *err)
{
    ken_str was = { NULL, 0 }, value = { NULL, 0 };
    ken_status st = ken_store__catalog_load_value(&c->base, name, arena, &was, err);
    if (!st || st == KEN_ENOTFOUND)
        st = fn(ctx, was, &value, err);
    return st || value.ptr == was.ptr ? st : put(c, name, value, err);
}

ken_status ken_store__catalog_change_value(ken_catalog_backend *b, ken_str name,
                                           ken_value_change_fn *fn, void *ctx, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_arena arena;
    ken_status st = ken_store__catalog_begin(c, err);
    if (st)
        return st;
    ken_arena_init(&arena, 1024);
    st = ken_store__catalog_end(c, change(c, name, fn, ctx, &arena, err), err);
    ken_arena_release(&arena);
    return st;
}
