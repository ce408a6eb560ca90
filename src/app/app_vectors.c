// SPDX-License-Identifier: MIT
// Vectors of a project's model: making them after a run, and asking with them.
#include "app/app_model_priv.h"
#include "base/alloc.h"

enum {
    QUESTION_TIMEOUT_MS = 10 * 1000, // somebody is waiting
};

// ---- asking ------------------------------------------------------------------------------------

// The record that the vectors of the pinned generation were made with, whatever was chosen since.
static ken_status load_active(const app_handle *h, ken_arena *arena, ken_model_record *out,
                              ken_err *err)
{
    ken_index_vectors v;
    ken_status st = ken_index_load_vectors(h->store, arena, &v, err);
    return st ? st : ken_app__read_model(h->app, v.record, arena, out, err);
}

ken_status ken_app__open_active(void *ctx, ken_embedder **out, ken_err *err)
{
    const app_handle *h = ctx;
    ken_config *settings = NULL;
    ken_model_record m;
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_status st = ken_app_load_settings(h->app, &h->info, &settings, err);
    if (!st)
        st = load_active(h, &a, &m, err);
    if (!st) {
        ken_embed_opts o = ken_app_model_opts(settings, &m);
        o.n_tries = 1; // nobody waits for it to come back while a question is open: words answer it
        if (o.timeout_ms > QUESTION_TIMEOUT_MS)
            o.timeout_ms = QUESTION_TIMEOUT_MS;
        st = ken_embedder_open(&o, out, err);
    }
    ken_config_free(settings);
    ken_arena_release(&a);
    return st;
}

bool ken_app__only_likely(const ken_config *settings)
{
    return ken_str_eq_c(ken_config_str(settings, KEN_CFG_EMBED_FILES), "likely");
}

// ---- making ------------------------------------------------------------------------------------

typedef struct making {
    ken_app *app;
    const ken_project_info *project;
    const ken_config *settings;
    ken_index_embed_opts opts;
    ken_embedder *embedder; // NULL for the built-in model
    ken_app_embedding *out;
} making;

static ken_status open_model(making *m, ken_arena *arena, ken_err *err)
{
    ken_model_record *r = &m->out->model;
    ken_status st = ken_app_project_model(m->app, m->project, m->settings, arena, r, err);
    if (st || ken_str_eq_c(r->provider, "builtin"))
        return st;
    if (r->status != KEN_MODEL_READY)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "the model '" KEN_STR_FMT
                        "' is %s; get it with: ken model download " KEN_STR_FMT,
                        KEN_STR_ARG(r->id), ken_model_status_word(r->status), KEN_STR_ARG(r->id));
    ken_embed_opts o = ken_app_model_opts(m->settings, r);
    ken_buf text = KEN_BUF_INIT(64 * 1024);
    ken_app__write_model(r, &text);
    m->opts.record = ken_arena_dup(arena, ken_buf_str(&text));
    ken_buf_release(&text);
    // A server is slow, and may be gone any moment: what one round of requests brings is kept.
    if (ken_embed_is_remote(r->provider))
        m->opts.batch = ken_mul_size(o.batch_size, o.concurrency);
    return ken_embedder_open(&o, &m->embedder, err);
}

// Another model than the built-in one is the project's own, and so is the index then: one that it leaves for that has to
// be made.
static ken_status take_own_index(making *m, ken_project_info *own, const ken_cancel *cancel,
                                 ken_arena *arena, ken_err *err)
{
    ken_index_report report;
    *own = *m->project;
    if (!m->embedder)
        return KEN_OK;
    ken_status st = ken_app__unshare(m->app, m->project, arena, own, err);
    m->project = own;
    return st || ken_app__has_index(own)
               ? st
               : ken_app_index(m->app, own, NULL, cancel, arena, &report, err);
}

static ken_status make(making *m, const ken_cancel *cancel, ken_err *err)
{
    ken_store *store = NULL;
    bool has_others = true;
    app_lock *lock = NULL;
    ken_status st = ken_app__lock_index(m->app, m->project, &lock, err);
    ken_cancel until_lost = { .also = cancel };
    ken_app__watch_lock(lock, &until_lost);
    if (!st)
        st = ken_app__open_index(m->project, &(ken_store_opts){ .run = ken_app__run_of(lock) },
                                 &store, err);
    if (!st && !m->embedder)
        st = ken_index_has_others(store, &has_others, err);
    if (!st && !has_others)
        st = ken_index_lacks_vectors(store, m->opts.only_likely, &has_others, err);
    m->out->was_needed = !st && has_others;
    if (m->out->was_needed)
        st = ken_index_embed(store, m->project->root.ptr, m->embedder, &m->opts, &until_lost,
                             &m->out->report, err);
    ken_store_close(store);
    st = ken_app__explain_lost(lock, st, err);
    ken_app__unlock_index(m->app, lock);
    return st;
}

// A model that cannot work leaves what there is, unless settings want to hear of it.
static ken_status judge(const making *m, bool is_models, ken_status st, const ken_err *tried,
                        ken_arena *arena, ken_err *err)
{
    ken_str word = ken_config_str(m->settings, KEN_CFG_EMBED_ON_UNAVAILABLE);
    if (is_models && st != KEN_ECANCELLED && !ken_str_eq_c(word, "error")) {
        m->out->note = ken_arena_dup(arena, ken_str_c(tried->msg));
        m->out->failed = st;
        return KEN_OK;
    }
    if (err)
        *err = *tried;
    return st;
}

// ---- the outcome, for who asks later -----------------------------------------------------------

static const ken_str failure_key = { "embed.failed", 12 }; // "EIO the server …"; empty = it worked

static ken_str load_failure(ken_app *app, const ken_project_info *project, ken_arena *arena)
{
    ken_store *store = NULL;
    ken_str text = { "", 0 };
    (void)app;
    if (!ken_app__open_index(project, &(ken_store_opts){ .is_read_only = true }, &store, NULL) &&
        ken_store_load_value(store, failure_key, arena, &text, NULL))
        text = KEN_STR("");
    ken_store_close(store);
    return text;
}

// Keeping it is no part of the work: what fails here is passed over.
static void keep_failure(ken_app *app, const ken_project_info *project, ken_status st,
                         const char *why, ken_arena *arena)
{
    ken_store *store = NULL;
    app_lock *lock = NULL;
    ken_str text = st ? ken_arena_printf(arena, "%s %s", ken_status_name(st), why) : KEN_STR("");
    if (ken_str_eq(load_failure(app, project, arena), text) ||
        ken_app__lock_index(app, project, &lock, NULL))
        return;
    if (!ken_app__open_index(project, &(ken_store_opts){ 0 }, &store, NULL))
        (void)!ken_store_write_value(store, failure_key, text, NULL);
    ken_store_close(store);
    ken_app__unlock_index(app, lock);
}

ken_status ken_app_load_embed_failure(ken_app *app, const ken_project_info *project,
                                      ken_arena *arena, ken_str *out_text)
{
    ken_str text = load_failure(app, project, arena), word = text;
    size_t at = ken_str_find_char(text, ' ');
    if (at == SIZE_MAX)
        return KEN_OK;
    word.len = at;
    *out_text = ken_str_sub(text, at + 1, text.len);
    for (int i = 1; i < KEN_STATUS_COUNT; i++)
        if (ken_str_eq_c(word, ken_status_name((ken_status)i)))
            return (ken_status)i;
    return KEN_EIO;
}

ken_status ken_app_embed(ken_app *app, const ken_project_info *project, const ken_config *settings,
                         ken_index_progress_fn *on_progress, void *progress_ctx,
                         const ken_cancel *cancel, ken_arena *arena, ken_app_embedding *out,
                         ken_err *err)
{
    ken_err tried = { 0 };
    *out = (ken_app_embedding){ .note = { "", 0 } };
    making m = { .app = app,
                 .project = project,
                 .settings = settings,
                 .opts = { .only_likely = ken_app__only_likely(settings),
                           .max_file_bytes = ken_config_u64(settings, KEN_CFG_MAX_FILE_SIZE),
                           .on_progress = on_progress,
                           .progress_ctx = progress_ctx },
                 .out = out };
    ken_project_info own;
    ken_status st = open_model(&m, arena, &tried);
    bool is_models = st != KEN_OK;
    if (!st)
        st = take_own_index(&m, &own, cancel, arena, &tried);
    if (!st) {
        st = make(&m, cancel, &tried);
        is_models = out->report.has_model_failed;
    }
    ken_embedder_close(m.embedder);
    bool is_builtin = ken_str_eq_c(out->model.provider, "builtin");
    if (!is_builtin && (!st || (is_models && st != KEN_ECANCELLED)))
        keep_failure(app, m.project, st, tried.msg, arena);
    if (st)
        st = judge(&m, is_models, st, &tried, arena, err);
    ken_app__log_embedding(project, st, out, &tried);
    return st;
}

// ---- telling -----------------------------------------------------------------------------------

ken_status ken_app_load_vectors(ken_app *app, const ken_project_info *project, ken_arena *arena,
                                ken_index_vectors *out, ken_err *err)
{
    (void)app;
    ken_store *store = NULL;
    ken_status st =
        ken_app__open_index(project, &(ken_store_opts){ .is_read_only = true }, &store, err);
    if (!st)
        st = ken_index_load_vectors(store, arena, out, err);
    ken_store_close(store);
    return st;
}

json_t *ken_app_embedding_json(const ken_app_embedding *e)
{
    json_t *o = json_object();
    ken_json_set_str(o, "provider", e->model.provider);
    ken_json_set_str(o, "model", e->model.id);
    ken_json_set_bool(o, "is_active", e->report.is_active);
    ken_json_set_u64(o, "contents", e->report.n_contents);
    ken_json_set_u64(o, "contents_embedded", e->report.n_embedded);
    ken_json_set_u64(o, "chunks_embedded", e->report.n_texts);
    ken_json_set_u64(o, "contents_left", e->report.n_left);
    ken_json_set_real(o, "duration_seconds", (double)e->report.duration_ms / 1000);
    ken_json_set(o, "note", e->note.len ? ken_json_str(e->note) : NULL);
    ken_json_set(o, "code", e->failed ? ken_json_str(ken_str_c(ken_status_name(e->failed))) : NULL);
    return o;
}

ken_str ken_app_embedding_text(const ken_app_embedding *e, ken_arena *arena)
{
    const ken_index_embed_report *r = &e->report;
    if (e->note.len)
        return ken_arena_printf(
            arena, "no vectors were made: " KEN_STR_FMT "; those there are go on answering",
            KEN_STR_ARG(e->note));
    if (r->n_left)
        return ken_arena_printf(arena, "%llu files changed meanwhile, to finish: ken index",
                                (unsigned long long)r->n_left);
    if (!r->n_embedded)
        return ken_str_c("");
    return ken_arena_printf(arena, "%llu chunks embedded by " KEN_STR_FMT " in %.1f s",
                            (unsigned long long)r->n_texts, KEN_STR_ARG(e->model.id),
                            (double)r->duration_ms / 1000);
}
