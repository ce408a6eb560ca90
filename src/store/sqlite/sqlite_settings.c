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
    ken_store__sq_bind_text(st, 1, name);
    s = SQ_ROW(&c->q, st, NULL, err);
    if (!s)
        *out = ken_arena_dup(arena, ken_store__sq_text(st, 0));
    ken_store__sq_done(st);
    return s;
}

static ken_status put(ken_sq_catalog *c, ken_str name, ken_str value, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s =
        ken_store__catalog_get(c, value.ptr ? KEN_SQ_SETTING_PUT : KEN_SQ_SETTING_REMOVE, &st, err);
    if (s)
        return s;
    ken_store__sq_bind_text(st, 1, name);
    if (value.ptr)
        ken_store__sq_bind_text(st, 2, value);
    int rc = sqlite3_step(st);
    s = rc == SQLITE_DONE ? KEN_OK : SQ_FAIL(&c->q, rc, err, "writing to");
    ken_store__sq_done(st);
    return s ? s : ken_store__sq_note(&c->q, "value", ken_json_str(name), err);
}

ken_status ken_store__catalog_put_value(ken_catalog_backend *b, ken_str name, ken_str value,
                                        ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status st = ken_store__catalog_begin(c, err);
    return st ? st : ken_store__catalog_end(c, put(c, name, value, err), err);
}
