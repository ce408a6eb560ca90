// SPDX-License-Identifier: MIT
// The models of the catalog.
#include "base/path.h"
#include "base/vec.h"
#include "json/json.h"
#include "store/sqlite/sqlite_catalog_priv.h"

typedef KEN_VEC(ken_model_record) record_vec;

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

static ken_status read_record(ken_sq_catalog *c, sqlite3_stmt *st, ken_arena *arena,
                              ken_model_record *out, ken_err *err)
{
    ken_model_record m = { 0 };
    bool is_bad = false;
    int col = 0;
#define X(name) m.name = ken_arena_dup(arena, ken_store__sq_text(st, col++));
    KEN_MODEL_TEXTS(X)
#undef X
#define X(name) m.name = ken_store__sq_u64(st, col++, INT64_MAX, &is_bad);
    KEN_MODEL_NUMBERS(X)
#undef X
    m.status = ken_model_status_of(ken_store__sq_text(st, col++));
    m.is_preloaded = sqlite3_column_int64(st, col) != 0;
    if (is_bad || !ken_catalog__is_model_id(m.id) || !m.status)
        return SQ_CORRUPT(&c->q, err, "a model has no usable id, size or status");
    set_paths(c, &m, arena);
    *out = m;
    return KEN_OK;
}

ken_status ken_store__catalog_list_models(ken_catalog_backend *b, ken_arena *arena,
                                          ken_model_record **out, size_t *out_n, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_MODEL_LIST, &st, err);
    if (s)
        return s;
    record_vec rows = { 0 };
    int rc = sqlite3_step(st);
    for (; !s && rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        ken_model_record m;
        s = read_record(c, st, arena, &m, err);
        if (!s)
            ken_vec_push(&rows, m);
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

ken_status ken_store__catalog_find_model(ken_catalog_backend *b, ken_str id, ken_arena *arena,
                                         ken_model_record *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_MODEL_GET, &st, err);
    if (s)
        return s;
    ken_store__sq_bind_text(st, 1, id);
    s = SQ_ROW(&c->q, st, NULL, err);
    if (!s)
        s = read_record(c, st, arena, out, err);
    ken_store__sq_done(st);
    return s;
}

static ken_status put(ken_sq_catalog *c, const ken_model_record *m, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_MODEL_PUT, &st, err);
    if (s)
        return s;
    int at = 1;
#define X(name) ken_store__sq_bind_text(st, at++, m->name.ptr ? m->name : KEN_STR(""));
    KEN_MODEL_TEXTS(X)
#undef X
#define X(name) sqlite3_bind_int64(st, at++, (int64_t)m->name);
    KEN_MODEL_NUMBERS(X)
#undef X
    ken_store__sq_bind_text(st, at++, ken_str_c(ken_model_status_word(m->status)));
    sqlite3_bind_int64(st, at, m->is_preloaded);
    int rc = sqlite3_step(st);
    s = rc == SQLITE_DONE ? KEN_OK : SQ_FAIL(&c->q, rc, err, "writing to");
    ken_store__sq_done(st);
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
    sqlite3_stmt *st = NULL;
    s = ken_store__catalog_get(c, KEN_SQ_MODEL_REMOVE, &st, err);
    if (!s) {
        ken_store__sq_bind_text(st, 1, id);
        int rc = sqlite3_step(st);
        s = rc == SQLITE_DONE ? KEN_OK : SQ_FAIL(&c->q, rc, err, "writing to");
        ken_store__sq_done(st);
    }
    bool is_there = !s && sqlite3_changes(c->q.db) > 0;
    if (is_there)
        s = ken_store__sq_note(&c->q, "model", ken_json_str(id), err);
    s = ken_store__catalog_end(c, s, err);
    return s || is_there ? s : KEN_ENOTFOUND;
}
