// SPDX-License-Identifier: MIT
// The catalog of embedding models, and which one a project uses.
#include "app/app_model_priv.h"
#include "base/path.h"

// ---- the catalog -----------------------------------------------------------------------------

// Made when it is absent; for reading only where nothing may be written.
static ken_status take_catalog(ken_app *app, ken_catalog **out, ken_err *err)
{
    ken_status st = ken_app_take_catalog(app, false, out, err);
    return st == KEN_ENOTFOUND ? ken_app_take_catalog(app, true, out, err) : st;
}

static void give_or_close(ken_app *app, ken_catalog *c, ken_status st)
{
    if (st && st != KEN_ENOTFOUND)
        ken_catalog_close(c);
    else
        ken_app_give_catalog(app, c);
}

// What the disk says about a model that should have files.
static void look_at_files(ken_model_record *m)
{
    if (!m->path.len || m->status == KEN_MODEL_DOWNLOADING)
        return;
    bool is_there = ken_fs_exists(m->path.ptr) && ken_fs_exists(m->tokenizer_path.ptr);
    if (m->status == KEN_MODEL_READY && !is_there)
        m->status = KEN_MODEL_MISSING;
}

ken_status ken_app_list_models(ken_app *app, ken_arena *arena, ken_model_record **out,
                               size_t *out_n, ken_err *err)
{
    ken_catalog *c = NULL;
    ken_status st = take_catalog(app, &c, err);
    if (st)
        return st;
    st = ken_catalog_list_models(c, arena, out, out_n, err);
    for (size_t i = 0; !st && i < *out_n; i++)
        look_at_files(&(*out)[i]);
    give_or_close(app, c, st);
    return st;
}

ken_status ken_app_find_model(ken_app *app, ken_str id, ken_arena *arena, ken_model_record *out,
                              ken_err *err)
{
    ken_catalog *c = NULL;
    ken_status st = take_catalog(app, &c, err);
    if (st)
        return st;
    st = ken_catalog_find_model(c, id, arena, out, err);
    give_or_close(app, c, st);
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, st, "no model '" KEN_STR_FMT "'; to see all: ken model list",
                        KEN_STR_ARG(ken_str_sub(id, 0, 80)));
    if (!st)
        look_at_files(out);
    return st;
}

ken_status ken_app__put_model(ken_app *app, const ken_model_record *m, ken_err *err)
{
    ken_catalog *c = NULL;
    ken_status st = take_catalog(app, &c, err);
    if (st)
        return st;
    st = ken_catalog_put_model(c, m, err);
    give_or_close(app, c, st);
    return st;
}

ken_status ken_app_add_model(ken_app *app, const ken_model_record *m, ken_err *err)
{
    ken_model_record row = *m, old;
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_status st = ken_app__check_model(m, err);
    if (!st)
        st = ken_app__check_described(m, err);
    if (!st && !ken_app_find_model(app, m->id, &a, &old, NULL))
        st = KEN_FAIL(err, KEN_EEXIST, "id: there is a model '" KEN_STR_FMT "' already",
                      KEN_STR_ARG(m->id));
    ken_arena_release(&a);
    if (st)
        return st;
    row.provider = KEN_STR("onnx");
    row.status = KEN_MODEL_PENDING;
    row.is_preloaded = false;
    return ken_app__put_model(app, &row, err);
}

// ---- records as JSON -------------------------------------------------------------------------

json_t *ken_app_model_json(const ken_model_record *m)
{
    json_t *o = json_object();
#define X(name) ken_json_set_str(o, #name, m->name);
    KEN_MODEL_TEXTS(X)
#undef X
#define X(name) ken_json_set_u64(o, #name, m->name);
    KEN_MODEL_NUMBERS(X)
#undef X
    ken_json_set_str(o, "status", ken_str_c(ken_model_status_word(m->status)));
    ken_json_set_bool(o, "is_preloaded", m->is_preloaded);
    ken_json_set_str(o, "path", m->path);
    ken_json_set_str(o, "tokenizer_path", m->tokenizer_path);
    ken_json_set_str(o, "url", m->url);
    return o;
}

bool ken_app_lacks_runtime(const ken_app *app, const ken_model_record *m, ken_err *why)
{
    return m->status == KEN_MODEL_READY && ken_str_eq_c(m->provider, "onnx") &&
           ken_embed_check_runtime(ken_config_str(app->config, KEN_CFG_ONNX_RUNTIME).ptr, why);
}

json_t *ken_app_listed_model_json(const ken_app *app, const ken_model_record *m)
{
    ken_err why = { 0 };
    json_t *o = ken_app_model_json(m);
    if (ken_app_lacks_runtime(app, m, &why)) {
        ken_json_set_str(o, "status", KEN_STR("no runtime"));
        ken_json_set_str(o, "status_reason", ken_str_c(why.msg));
    }
    return o;
}

ken_status ken_app__parse_model(ken_str text, ken_arena *arena, ken_model_record *out, ken_err *err)
{
    json_t *o = NULL;
    ken_model_record m = { 0 };
    ken_str status = { 0 };
    ken_status st = ken_json_parse(text, &o, err);
#define X(name)                                                            \
    if (!st)                                                               \
        st = ken_json_read_str(o, KEN_APP_MODEL_KEY, #name, &m.name, err); \
    m.name = ken_arena_dup(arena, m.name);
    KEN_MODEL_TEXTS(X)
    X(path)
    X(tokenizer_path)
    X(url)
#undef X
#define X(name) \
    if (!st)    \
        st = ken_json_read_u64(o, KEN_APP_MODEL_KEY, #name, &m.name, err);
    KEN_MODEL_NUMBERS(X)
#undef X
    if (!st)
        st = ken_json_read_str(o, KEN_APP_MODEL_KEY, "status", &status, err);
    m.status = ken_model_status_of(status);
    json_decref(o);
    if (!st)
        *out = m;
    return st;
}

// ---- the model of a project ------------------------------------------------------------------

// "ollama:nomic-embed-text": a model of a server.
static bool parse_remote(ken_str ref, ken_str url, ken_model_record *out)
{
    size_t colon = ken_str_find_char(ref, ':');
    ken_str provider = ken_str_sub(ref, 0, colon);
    if (colon == SIZE_MAX || !ken_embed_is_remote(provider))
        return false;
    *out = (ken_model_record){ .id = ken_str_sub(ref, colon + 1, ref.len),
                               .provider = provider,
                               .url = url,
                               .license = ken_app__license_of(provider,
                                                              ken_str_sub(ref, colon + 1, ref.len)),
                               .status = KEN_MODEL_READY };
    return true;
}

// Opens it, which sends nothing: so that a wrong choice fails now, and the URL is the whole one.
static ken_status try_open(ken_app *app, ken_model_record *m, ken_arena *arena, ken_err *err)
{
    ken_embedder *e = NULL;
    ken_embed_opts o = ken_app_model_opts(app->config, m);
    ken_status st = ken_embedder_open(&o, &e, err);
    if (st)
        return st;
    ken_embed_info i = ken_embedder_info(e);
    if (i.is_remote)
        m->id = ken_arena_dup(arena, ken_str_c(i.model));
    m->url = ken_arena_dup(arena, ken_str_c(i.url));
    m->max_tokens = i.max_tokens;
    st = !i.is_remote && m->dims && i.dims && m->dims != i.dims
             ? KEN_FAIL(err, KEN_EINVAL,
                        "dims: vectors of the model '" KEN_STR_FMT
                        "' have %zu numbers, not %llu as the catalog has it: remove it and add it "
                        "again",
                        KEN_STR_ARG(m->id), i.dims, (unsigned long long)m->dims)
             : KEN_OK;
    m->dims = i.dims;
    ken_embedder_close(e);
    return st;
}

static ken_status choose(ken_app *app, ken_str ref, ken_str url, ken_arena *arena,
                         ken_model_record *out, ken_err *err)
{
    if (parse_remote(ken_arena_dup(arena, ref), ken_arena_dup(arena, url), out)) {
        out->id = ken_arena_dup(arena, out->id); // C strings, both of them
        out->provider = ken_arena_dup(arena, out->provider);
        return try_open(app, out, arena, err);
    }
    if (url.len)
        return KEN_FAIL(err, KEN_EINVAL,
                        "only models of servers have a URL: PROVIDER:NAME, as "
                        "ollama:NAME");
    ken_status st = ken_app_find_model(app, ref, arena, out, err);
    if (!st && out->status != KEN_MODEL_READY)
        st = KEN_FAIL(err, KEN_EINVAL,
                      "the model '" KEN_STR_FMT
                      "' is %s; get it with: ken model download " KEN_STR_FMT,
                      KEN_STR_ARG(ref), ken_model_status_word(out->status), KEN_STR_ARG(ref));
    return st || !out->path.len ? st : try_open(app, out, arena, err);
}

void ken_app__write_model(const ken_model_record *m, ken_buf *out)
{
    json_t *json = ken_app_model_json(m);
    ken_json_dump(json, out);
    json_decref(json);
}

static ken_status save_choice(ken_app *app, const ken_project_info *project,
                              const ken_model_record *m, ken_arena *arena, ken_err *err)
{
    app_lock *lock = NULL;
    ken_store *store = NULL;
    ken_project_info own = *project;
    ken_buf text = KEN_BUF_INIT(64 * 1024);
    ken_app__write_model(m, &text);
    ken_status st = KEN_OK;
    if (!ken_str_eq_c(m->provider, "builtin"))
        st = ken_app__unshare(app, project, arena, &own, err);
    if (!st)
        st = ken_app__lock_index(app, &own, &lock, err);
    if (!st)
        st = ken_app__open_index(&own, &(ken_store_opts){ 0 }, &store, err);
    if (!st)
        st = ken_store_write_value(store, KEN_STR(KEN_APP_MODEL_KEY), ken_buf_str(&text), err);
    ken_store_close(store);
    ken_app__unlock_index(app, lock);
    ken_buf_release(&text);
    return st;
}

ken_status ken_app_use_model(ken_app *app, const ken_project_info *project, ken_str ref,
                             ken_str url, ken_arena *arena, ken_model_record *out, ken_err *err)
{
    ken_model_record m = { 0 };
    ken_status st = choose(app, ref, url, arena, &m, err);
    if (!st)
        st = save_choice(app, project, &m, arena, err);
    if (!st)
        *out = m;
    return st;
}

// The snapshot; KEN_ENOTFOUND without a message when nothing was chosen.
static ken_status load_choice(const ken_project_info *project, ken_arena *arena,
                              ken_model_record *out, ken_err *err)
{
    ken_store *store = NULL;
    ken_str text = { 0 };
    if (!ken_app__has_index(project))
        return KEN_ENOTFOUND;
    ken_status st =
        ken_app__open_index(project, &(ken_store_opts){ .is_read_only = true }, &store, err);
    if (!st)
        st = ken_store_load_value(store, KEN_STR(KEN_APP_MODEL_KEY), arena, &text, err);
    ken_store_close(store);
    return st ? st : ken_app__parse_model(text, arena, out, err);
}

// The files of this machine count, not those of the machine where the project was.
static ken_status refresh(ken_app *app, ken_model_record *m, ken_arena *arena, ken_err *err)
{
    ken_model_record here;
    if (ken_embed_is_remote(m->provider)) {
        if (!m->license.len)
            m->license = ken_app__license_of(m->provider, m->id);
        return KEN_OK;
    }
    if (ken_app_find_model(app, m->id, arena, &here, NULL)) {
        m->status = KEN_MODEL_PENDING;
        ken_status st = ken_app__check_model(m, err);
        if (!st)
            st = ken_app__put_model(app, m, err);
        if (!st)
            st = ken_app_find_model(app, m->id, arena, &here, err);
        if (st)
            return st;
    }
    m->path = here.path;
    m->tokenizer_path = here.tokenizer_path;
    m->status = here.status;
    if (!m->license.len) // a snapshot of an earlier version
        m->license = here.license;
    return KEN_OK;
}

ken_status ken_app__read_model(ken_app *app, ken_str text, ken_arena *arena, ken_model_record *out,
                               ken_err *err)
{
    ken_status st = ken_app__parse_model(text, arena, out, err);
    return st ? st : refresh(app, out, arena, err);
}

static ken_status from_settings(ken_app *app, const ken_config *settings, ken_arena *arena,
                                ken_model_record *out, ken_err *err)
{
    ken_embed_opts o = ken_app_embed_opts(settings);
    if (ken_str_eq_c(ken_str_c(o.provider), "onnx"))
        return ken_app_find_model(app, ken_str_c(o.model), arena, out, err);
    if (!ken_embed_is_remote(ken_str_c(o.provider)))
        return ken_app_find_model(app, KEN_STR("builtin"), arena, out, err);
    *out = (ken_model_record){ .id = ken_str_c(o.model),
                               .provider = ken_str_c(o.provider),
                               .url = ken_str_c(o.url),
                               .license =
                                   ken_app__license_of(ken_str_c(o.provider), ken_str_c(o.model)),
                               .dims = o.dims,
                               .status = KEN_MODEL_READY };
    return try_open(app, out, arena, err);
}

ken_status ken_app_project_model(ken_app *app, const ken_project_info *project,
                                 const ken_config *settings, ken_arena *arena,
                                 ken_model_record *out, ken_err *err)
{
    ken_status st = load_choice(project, arena, out, err);
    if (st == KEN_ENOTFOUND)
        return from_settings(app, settings, arena, out, err);
    return st ? st : refresh(app, out, arena, err);
}

ken_embed_opts ken_app_model_opts(const ken_config *settings, const ken_model_record *m)
{
    bool is_remote = ken_embed_is_remote(m->provider);
    ken_embed_opts o = ken_app__embed_opts_for(settings, m->provider);
    (void)ken_app__parse_pooling(m->pooling, &o.pooling, NULL);
    o.model = ken_str_eq_c(m->provider, "builtin") ? NULL : m->id.ptr;
    if (m->url.len)
        o.url = m->url.ptr;
    if (!is_remote) {
        o.dims = 0; // as the model gives them
        o.version = m->sha256.ptr;
        o.model_path = m->path.ptr;
        o.tokenizer_path = m->tokenizer_path.ptr;
        o.document_prefix = m->document_prefix.ptr;
        o.query_prefix = m->query_prefix.ptr;
        o.max_tokens = (size_t)m->max_tokens;
    }
    return o;
}
