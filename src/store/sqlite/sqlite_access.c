// SPDX-License-Identifier: MIT
// The access tokens of the catalog.
#include "model/grant.h"
#include "store/sqlite/sqlite_catalog_priv.h"

static ken_status read_token(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    ken_access_token t = {
        .name = ken_store__sq_keep(st, 1, arena),
        .is_bound = sqlite3_column_type(st, 4) != SQLITE_NULL,
        .created_at_ms = sqlite3_column_int64(st, 5),
        .expires_at_ms = sqlite3_column_int64(st, 6),
    };
    if (!ken_store__sq_fixed(st, 0, t.id.bytes, sizeof t.id.bytes) ||
        !ken_store__sq_fixed(st, 2, t.hash.bytes, sizeof t.hash.bytes) ||
        !ken_scopes_parse(ken_store__sq_text(st, 3), &t.scopes) ||
        (t.is_bound && !ken_store__sq_fixed(st, 4, t.project.bytes, sizeof t.project.bytes)))
        return SQ_CORRUPT(q, err, "an access token has no usable id, hash, scope or project");
    *(ken_access_token *)out = t;
    return KEN_OK;
}

ken_status ken_store__catalog_list_tokens(ken_catalog_backend *b, ken_arena *arena,
                                          ken_access_token **out, size_t *out_n, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_TOKEN_LIST, &st, err);
    return s ? s : SQ_ROWS(&c->q, st, read_token, arena, out, out_n, err);
}

static ken_status check_room(ken_sq_catalog *c, ken_str name, ken_err *err)
{
    int64_t n = 0;
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_ask(&c->q, KEN_SQ_TOKEN_COUNT, NULL, &n, err);
    if (!s && n >= KEN_ACCESS_TOKENS_MAX)
        s = KEN_FAIL(err, KEN_ELIMIT,
                     "there are %d access tokens, and no more are kept; revoke one",
                     KEN_ACCESS_TOKENS_MAX);
    if (!s)
        s = ken_store__catalog_get(c, KEN_SQ_TOKEN_NAMED, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_TEXT(name)));
    s = ken_store__sq_load_number(&c->q, st, NULL, &n, err);
    if (s == KEN_ENOTFOUND)
        return KEN_OK;
    return s ? s
             : KEN_FAIL(err, KEN_EEXIST, "there is an access token '" KEN_STR_FMT "' already",
                        KEN_STR_ARG(name));
}

static ken_status note_token(ken_sq_catalog *c, ken_uuid id, ken_err *err)
{
    return ken_store__sq_note(&c->q, "token", ken_store__sq_key_of_blob(id.bytes, sizeof id.bytes),
                              err);
}

static ken_status insert(ken_sq_catalog *c, const ken_access_token *t, ken_err *err)
{
    ken_arena a;
    ken_status s = check_room(c, t->name, err);
    if (s)
        return s;
    ken_arena_init(&a, 256);
    s = ken_store__sq_write(&c->q, KEN_SQ_TOKEN_ADD,
                            SQ_VALUES(SQ_BYTES(t->id), SQ_TEXT(t->name), SQ_BYTES(t->hash),
                                      SQ_TEXT(ken_scopes_format(t->scopes, &a)),
                                      t->is_bound ? SQ_BYTES(t->project) : SQ_NULL,
                                      SQ_INT(t->created_at_ms), SQ_INT(t->expires_at_ms)),
                            err);
    ken_arena_release(&a);
    return s ? s : note_token(c, t->id, err);
}

ken_status ken_store__catalog_add_token(ken_catalog_backend *b, const ken_access_token *t,
                                        ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status st = ken_store__catalog_begin(c, err);
    return st ? st : ken_store__catalog_end(c, insert(c, t, err), err);
}

ken_status ken_store__catalog_remove_token(ken_catalog_backend *b, ken_uuid id, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    s = ken_store__sq_write(&c->q, KEN_SQ_TOKEN_REMOVE, SQ_VALUES(SQ_BYTES(id)), err);
    bool is_there = !s && sqlite3_changes(c->q.db) > 0;
    if (is_there)
        s = note_token(c, id, err);
    s = ken_store__catalog_end(c, s, err);
    return s || is_there ? s : KEN_ENOTFOUND;
}
