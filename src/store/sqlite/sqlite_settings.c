// SPDX-License-Identifier: MIT
// The values of the catalog.
#include "json/json.h"
#include "store/sqlite/sqlite_catalog_priv.h"

enum {
    NAME_MAX_BYTES = 128,
    VALUE_MAX_BYTES = 64 * 1024
};

static bool has_nul(ken_str s)
{
    return s.len && memchr(s.ptr, '\0', s.len);
}

static ken_status check_value(ken_str name, ken_str value, ken_err *err)
{
    if (!name.len || name.len > NAME_MAX_BYTES || has_nul(name))
        return KEN_FAIL(err, KEN_EINVAL, "the name of a value has 1 to %d bytes, none of them 0",
                        NAME_MAX_BYTES);
    if (has_nul(value))
        return KEN_FAIL(err, KEN_EINVAL, "the value '" KEN_STR_FMT "' has a NUL byte",
                        KEN_STR_ARG(name));
    if (value.len > VALUE_MAX_BYTES)
        return KEN_FAIL(err, KEN_ELIMIT, "the value '" KEN_STR_FMT "' has %zu bytes, at most %d",
                        KEN_STR_ARG(name), value.len, VALUE_MAX_BYTES);
    return KEN_OK;
}

ken_status ken_catalog_load_value(ken_catalog *c, ken_str name, ken_arena *arena, ken_str *out,
                                  ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s =
        ken_store__catalog_prepare(c, "SELECT value FROM setting WHERE name = ?1", &st, err);
    if (s)
        return s;
    ken_store__sq_bind_text(st, 1, name);
    int rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        *out = ken_arena_dup(arena, ken_store__sq_text(st, 0));
    else
        s = rc == SQLITE_DONE ? KEN_ENOTFOUND : SQ_FAIL(&c->q, rc, err, "reading");
    sqlite3_finalize(st);
    return s;
}

static ken_status put(ken_catalog *c, ken_str name, ken_str value, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s =
        ken_store__catalog_prepare(c,
                                   value.ptr ? "INSERT OR REPLACE INTO setting VALUES (?1, ?2)"
                                             : "DELETE FROM setting WHERE name = ?1",
                                   &st, err);
    if (s)
        return s;
    ken_store__sq_bind_text(st, 1, name);
    if (value.ptr)
        ken_store__sq_bind_text(st, 2, value);
    int rc = sqlite3_step(st);
    s = rc == SQLITE_DONE ? KEN_OK : SQ_FAIL(&c->q, rc, err, "writing to");
    sqlite3_finalize(st);
    return s ? s : ken_store__sq_note(&c->q, "value", ken_json_str(name), err);
}

ken_status ken_catalog_put_value(ken_catalog *c, ken_str name, ken_str value, ken_err *err)
{
    ken_status st = check_value(name, value, err);
    if (!st)
        st = ken_store__catalog_begin(c, err);
    return st ? st : ken_store__catalog_end(c, put(c, name, value, err), err);
}
