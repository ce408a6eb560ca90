// SPDX-License-Identifier: MIT
// The access tokens of the catalog.
#include "base/vec.h"
#include "model/grant.h"
#include "store/sqlite/sqlite_catalog_priv.h"

typedef KEN_VEC(ken_access_token) token_vec;

static bool read_bytes(sqlite3_stmt *st, int col, void *out, size_t n)
{
    ken_str b = ken_store__sq_blob(st, col);
    if (b.len != n)
        return false;
    memcpy(out, b.ptr, n);
    return true;
}

static ken_status read_token(ken_sq_catalog *c, sqlite3_stmt *st, ken_arena *arena,
                             ken_access_token *out, ken_err *err)
{
    ken_access_token t = {
        .name = ken_arena_dup(arena, ken_store__sq_text(st, 1)),
        .is_bound = sqlite3_column_type(st, 4) != SQLITE_NULL,
        .created_at_ms = sqlite3_column_int64(st, 5),
        .expires_at_ms = sqlite3_column_int64(st, 6),
    };
    if (!read_bytes(st, 0, t.id.bytes, sizeof t.id.bytes) ||
        !read_bytes(st, 2, t.hash.bytes, sizeof t.hash.bytes) ||
        !ken_scopes_parse(ken_store__sq_text(st, 3), &t.scopes) ||
        (t.is_bound && !read_bytes(st, 4, t.project.bytes, sizeof t.project.bytes)))
        return SQ_CORRUPT(&c->q, err, "an access token has no usable id, hash, scope or project");
    *out = t;
    return KEN_OK;
}

ken_status ken_store__catalog_list_tokens(ken_catalog_backend *b, ken_arena *arena,
                                          ken_access_token **out, size_t *out_n, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_TOKEN_LIST, &st, err);
    if (s)
        return s;
    token_vec rows = { 0 };
    int rc = sqlite3_step(st);
    for (; !s && rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        ken_access_token t;
        s = read_token(c, st, arena, &t, err);
        if (!s)
            ken_vec_push(&rows, t);
    }
    if (!s && rc != SQLITE_DONE)
        s = SQ_FAIL(&c->q, rc, err, "reading");
    if (!s) {
        *out = ken_arena_copy(arena, rows.ptr, rows.len, sizeof **out);
        *out_n = rows.len;
    }
    ken_store__sq_done(st);
    ken_vec_release(&rows);
    return s;
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
    ken_store__sq_bind_text(st, 1, name);
    s = SQ_ROW(&c->q, st, NULL, err);
    ken_store__sq_done(st);
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
    sqlite3_stmt *st = NULL;
    ken_arena a;
    ken_status s = check_room(c, t->name, err);
    if (!s)
        s = ken_store__catalog_get(c, KEN_SQ_TOKEN_ADD, &st, err);
    if (s)
        return s;
    ken_arena_init(&a, 256);
    ken_store__sq_bind_blob(st, 1, t->id.bytes, sizeof t->id.bytes);
    ken_store__sq_bind_text(st, 2, t->name);
    ken_store__sq_bind_blob(st, 3, t->hash.bytes, sizeof t->hash.bytes);
    ken_store__sq_bind_text(st, 4, ken_scopes_format(t->scopes, &a));
    if (t->is_bound)
        ken_store__sq_bind_blob(st, 5, t->project.bytes, sizeof t->project.bytes);
    sqlite3_bind_int64(st, 6, t->created_at_ms);
    sqlite3_bind_int64(st, 7, t->expires_at_ms);
    s = ken_store__sq_run(&c->q, st, "writing to", err);
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
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    s = ken_store__catalog_get(c, KEN_SQ_TOKEN_REMOVE, &st, err);
    if (!s) {
        ken_store__sq_bind_blob(st, 1, id.bytes, sizeof id.bytes);
        s = ken_store__sq_run(&c->q, st, "writing to", err);
    }
    bool is_there = !s && sqlite3_changes(c->q.db) > 0;
    if (is_there)
        s = note_token(c, id, err);
    s = ken_store__catalog_end(c, s, err);
    return s || is_there ? s : KEN_ENOTFOUND;
}
