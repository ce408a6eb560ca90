// SPDX-License-Identifier: MIT
// Values, models and access tokens of the catalog.
#include "base/path.h"
#include "model/grant.h"
#include "store/postgres/postgres_catalog_priv.h"

// ---- values ------------------------------------------------------------------------------------

ken_status ken_store__pg_catalog_load_value(ken_catalog_backend *b, ken_str name, ken_arena *arena,
                                            ken_str *out, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    return ken_store__pg_one(&c->p, PG_QUERY(SETTING_GET, PG_TEXT(name)), ken_store__pg_read_bytes,
                             arena, out, err);
}

typedef struct value_change {
    ken_str name;
    ken_value_change_fn *fn;
    void *ctx;
} value_change;

// There may be no row yet whose lock could be taken.
static ken_status change_value(ken_pg_catalog *c, const value_change *v, ken_arena *arena,
                               ken_err *err)
{
    ken_str was = { NULL, 0 }, value = { NULL, 0 };
    ken_status st = ken_store__pg_lock(c, KEN_PG_LOCK_VALUES, err);
    if (!st)
        st = ken_store__pg_one(&c->p, PG_QUERY(SETTING_GET, PG_TEXT(v->name)),
                               ken_store__pg_read_bytes, arena, &was, err);
    if (!st || st == KEN_ENOTFOUND)
        st = v->fn(v->ctx, was, &value, err);
    if (st || value.ptr == was.ptr)
        return st;
    if (value.ptr)
        return ken_store__pg_write(&c->p, KEN_PG_SETTING_PUT,
                                   PG_VALUES(PG_TEXT(v->name), PG_TEXT(value)), NULL, err);
    return ken_store__pg_write(&c->p, KEN_PG_SETTING_REMOVE, PG_VALUES(PG_TEXT(v->name)), NULL,
                               err);
}

static ken_status work_on_value(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    ken_arena arena;
    ken_arena_init(&arena, 1024);
    ken_status st = change_value(c, ctx, &arena, err);
    ken_arena_release(&arena);
    return st;
}

ken_status ken_store__pg_catalog_change_value(ken_catalog_backend *b, ken_str name,
                                              ken_value_change_fn *fn, void *ctx, ken_err *err)
{
    value_change v = { .name = name, .fn = fn, .ctx = ctx };
    return ken_store__pg_change(ken_pg_catalog_of(b), work_on_value, &v, err);
}

// ---- models ------------------------------------------------------------------------------------

// Where the files of a model lie, in the data folder of whoever asks. The tokenizer keeps its name,
// which tells its kind.
static void set_paths(const ken_pg *p, ken_model_record *m, ken_arena *arena)
{
    if (!ken_str_eq_c(m->provider, "onnx"))
        return;
    bool is_list = ken_str_ends(m->tokenizer_source, KEN_STR(".txt"));
    ken_str dir = ken_path_join(arena, ken_str_c(ken_store__pg_data_dir(p->db)), KEN_STR("models"));
    dir = ken_path_join(arena, dir, m->id);
    m->path = ken_path_join(arena, dir, KEN_STR("model.onnx"));
    m->tokenizer_path =
        ken_path_join(arena, dir, ken_str_c(is_list ? "vocab.txt" : "tokenizer.json"));
}

static ken_status read_model(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    ken_model_record m = { 0 };
    int col = 0;
#define X(name) m.name = ken_store__pg_keep(row, col++, arena);
    KEN_MODEL_TEXTS(X)
#undef X
#define X(name) m.name = ken_store__pg_u64(row, col++, INT64_MAX);
    KEN_MODEL_NUMBERS(X)
#undef X
    m.status = ken_model_status_of(ken_store__pg_bytes(row, col++));
    m.is_preloaded = ken_store__pg_i64(row, col) != 0;
    if (!ken_catalog__is_model_id(m.id) || !m.status)
        return PG_CORRUPT(p, err, "a model has no usable id or status");
    set_paths(p, &m, arena);
    *(ken_model_record *)out = m;
    return KEN_OK;
}

ken_status ken_store__pg_catalog_list_models(ken_catalog_backend *b, ken_arena *arena,
                                             ken_model_record **out, size_t *out_n, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    return PG_ROWS(&c->p, &(ken_pg_query){ .which = KEN_PG_MODEL_LIST }, read_model, arena, out,
                   out_n, err);
}

ken_status ken_store__pg_catalog_find_model(ken_catalog_backend *b, ken_str id, ken_arena *arena,
                                            ken_model_record *out, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    return ken_store__pg_one(&c->p, PG_QUERY(MODEL_GET, PG_TEXT(id)), read_model, arena, out, err);
}

ken_status ken_store__pg_catalog_put_model(ken_catalog_backend *b, const ken_model_record *m,
                                           ken_err *err)
{
#define TEXT(name)   PG_TEXT(m->name),
#define NUMBER(name) PG_INT(m->name),
    const ken_pg_value values[] = { KEN_MODEL_TEXTS(TEXT) KEN_MODEL_NUMBERS(NUMBER)
                                        PG_TEXT(ken_str_c(ken_model_status_word(m->status))),
                                    PG_BOOL(m->is_preloaded) };
#undef TEXT
#undef NUMBER
    const ken_pg_query q = { KEN_PG_MODEL_PUT, values, sizeof values / sizeof *values };
    return ken_store__pg_change_row(ken_pg_catalog_of(b), &q, err);
}

ken_status ken_store__pg_catalog_remove_model(ken_catalog_backend *b, ken_str id, ken_err *err)
{
    return ken_store__pg_change_row(ken_pg_catalog_of(b), PG_QUERY(MODEL_REMOVE, PG_TEXT(id)), err);
}

// ---- access tokens -----------------------------------------------------------------------------

static ken_status read_token(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    ken_access_token t = {
        .name = ken_store__pg_keep(row, 1, arena),
        .created_at_ms = ken_store__pg_ms(row, 5),
        .expires_at_ms = ken_store__pg_ms(row, 6),
    };
    ken_store__pg_fixed(row, 0, t.id.bytes, sizeof t.id.bytes);
    ken_store__pg_fixed(row, 2, t.hash.bytes, sizeof t.hash.bytes);
    t.is_bound = ken_store__pg_uuid(row, 4, &t.project);
    if (!ken_scopes_parse(ken_store__pg_bytes(row, 3), &t.scopes))
        return PG_CORRUPT(p, err, "an access token has no usable scope");
    *(ken_access_token *)out = t;
    return KEN_OK;
}

ken_status ken_store__pg_catalog_list_tokens(ken_catalog_backend *b, ken_arena *arena,
                                             ken_access_token **out, size_t *out_n, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    return PG_ROWS(&c->p, &(ken_pg_query){ .which = KEN_PG_TOKEN_LIST }, read_token, arena, out,
                   out_n, err);
}

static ken_status check_room(ken_pg_catalog *c, ken_str name, ken_err *err)
{
    int64_t n = 0, n_named = 0;
    ken_status st =
        ken_store__pg_number(&c->p, &(ken_pg_query){ .which = KEN_PG_TOKEN_COUNT }, &n, err);
    if (!st && n >= KEN_ACCESS_TOKENS_MAX)
        st = KEN_FAIL(err, KEN_ELIMIT,
                      "there are %d access tokens, and no more are kept; revoke one",
                      KEN_ACCESS_TOKENS_MAX);
    if (!st)
        st = ken_store__pg_number(&c->p, PG_QUERY(TOKEN_NAMED, PG_TEXT(name)), &n_named, err);
    if (!st && n_named)
        st = KEN_FAIL(err, KEN_EEXIST, "there is an access token '" KEN_STR_FMT "' already",
                      KEN_STR_ARG(name));
    return st;
}

static ken_status add_token(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    const ken_access_token *t = ctx;
    ken_arena a;
    ken_status st = ken_store__pg_lock(c, KEN_PG_LOCK_TOKENS, err);
    if (!st)
        st = check_room(c, t->name, err);
    if (st)
        return st;
    ken_arena_init(&a, 256);
    st = ken_store__pg_write(&c->p, KEN_PG_TOKEN_ADD,
                             PG_VALUES(PG_UUID(t->id), PG_TEXT(t->name), PG_SHA(t->hash),
                                       PG_TEXT(ken_scopes_format(t->scopes, &a)),
                                       PG_IF(t->is_bound, PG_UUID(t->project)),
                                       PG_TIME(t->created_at_ms), PG_TIME_IF(t->expires_at_ms)),
                             NULL, err);
    ken_arena_release(&a);
    return st;
}

ken_status ken_store__pg_catalog_add_token(ken_catalog_backend *b, const ken_access_token *t,
                                           ken_err *err)
{
    ken_access_token own = *t;
    return ken_store__pg_change(ken_pg_catalog_of(b), add_token, &own, err);
}

ken_status ken_store__pg_catalog_remove_token(ken_catalog_backend *b, ken_uuid id, ken_err *err)
{
    return ken_store__pg_change_row(ken_pg_catalog_of(b), PG_QUERY(TOKEN_REMOVE, PG_UUID(id)), err);
}
