// SPDX-License-Identifier: MIT
// The models of the catalog.
#include "base/path.h"
#include "json/json.h"
#include "store/sqlite/sqlite_catalog_priv.h"

// Where the files of a model lie. The tokenizer keeps its name, which tells its kind.
static void set_paths(const ken_sq_catalog *c, ken_model_record *m, ken_arena *arena)
{
    if (!ken_str_eq_c(m->provider, "onnx"))
        return;
    bool is_list = ken_str_ends(m->tokenizer_source, KEN_STR(".txt"));
    m->path = ken_arena_printf(arena, KEN_STR_FMT KEN_STR_FMT "/model.onnx", KEN_STR_ARG(c->models),
                               KEN_STR_ARG(m->id));
    m->tokenizer_path =
        ken_arena_printf(arena, KEN_STR_FMT KEN_STR_FMT "/%s", KEN_STR_ARG(c->models),
                         KEN_STR_ARG(m->id), is_list ? "vocab.txt" : "tokenizer.json");
}

static ken_status read_record(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                              ken_err *err)
{
    ken_model_record m = { 0 };
    bool is_bad = false;
    int col = 0;
#define X(name) m.name = ken_store__sq_keep(st, col++, arena);
    KEN_MODEL_TEXTS(X)
#undef X
#define X(name) m.name = ken_store__sq_u64(st, col++, INT64_MAX, &is_bad);
    KEN_MODEL_NUMBERS(X)
#undef X
    m.status = ken_model_status_of(ken_store__sq_text(st, col++));
    m.is_preloaded = sqlite3_column_int64(st, col) != 0;
    if (is_bad || !ken_catalog__is_model_id(m.id) || !m.status)
        return SQ_CORRUPT(q, err, "a model has no usable id, size or status");
    set_paths(ken_sq_catalog_with(q), &m, arena);
    *(ken_model_record *)out = m;
    return KEN_OK;
}

ken_status ken_store__catalog_list_models(ken_catalog_backend *b, ken_arena *arena,
                                          ken_model_record **out, size_t *out_n, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_MODEL_LIST, &st, err);
    return s ? s : SQ_ROWS(&c->q, st, read_record, arena, out, out_n, err);
}

ken_status ken_store__catalog_find_model(ken_catalog_backend *b, ken_str id, ken_arena *arena,
                                         ken_model_record *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_MODEL_GET, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_TEXT(id)));
    return ken_store__sq_one(&c->q, st, read_record, arena, out, err);
}

static ken_status put(ken_sq_catalog *c, const ken_model_record *m, ken_err *err)
{
#define TEXT(name)   SQ_TEXT(m->name),
#define NUMBER(name) SQ_INT(m->name),
    const ken_sq_value values[] = { KEN_MODEL_TEXTS(TEXT) KEN_MODEL_NUMBERS(NUMBER)
                                        SQ_TEXT(ken_str_c(ken_model_status_word(m->status))),
                                    SQ_INT(m->is_preloaded) };
#undef TEXT
#undef NUMBER
    ken_status s =
        ken_store__sq_write(&c->q, KEN_SQ_MODEL_PUT, values, sizeof values / sizeof *values, err);
    return s ? s : ken_store__sq_note(&c->q, "model", ken_json_str(m->id), err);
}

ken_status ken_store__catalog_put_model(ken_catalog_backend *b, const ken_model_record *m,
                                        ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status st = ken_store__catalog_begin(c, err);
    return st ? st : ken_store__catalog_end(c, put(c, m, err), err);
}

ken_status ken_store__catalog_remove_model(ken_catalog_backend *b, ken_str id, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    s = ken_store__sq_write(&c->q, KEN_SQ_MODEL_REMOVE, SQ_VALUES(SQ_TEXT(id)), err);
    bool is_there = !s && sqlite3_changes(c->q.db) > 0;
    if (is_there)
        s = ken_store__sq_note(&c->q, "model", ken_json_str(id), err);
    s = ken_store__catalog_end(c, s, err);
    return s || is_there ? s : KEN_ENOTFOUND;
}
