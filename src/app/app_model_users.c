// SPDX-License-Identifier: MIT
// Which projects use a model of the catalog: those that chose it, those whose vectors are of it, whatever was chosen since,
// and those that chose none while settings name it. And removing a model, which no project may use then.
#include "app/app_model_priv.h"

typedef struct search {
    ken_app *app;
    ken_str id;
    ken_arena *arena; // of names
    bool is_usual;    // of whoever chose none
} search;

static bool is_it(const search *s, const ken_model_record *m)
{
    return ken_str_eq_c(m->provider, "onnx") && ken_str_eq(m->id, s->id);
}

// `text`: a record as an index keeps it; empty = none.
static ken_status look_at_record(const search *s, ken_str text, ken_arena *scratch, bool *out_uses,
                                 ken_err *err)
{
    ken_model_record m = { 0 };
    ken_status st = text.len ? ken_app__parse_model(text, scratch, &m, err) : KEN_OK;
    if (!st)
        *out_uses = is_it(s, &m);
    return st;
}

static ken_status look_in_store(const search *s, ken_store *store, ken_arena *scratch,
                                bool *out_has_choice, bool *out_uses, ken_err *err)
{
    ken_str text = { 0 };
    ken_index_vectors v = { 0 };
    ken_status st = ken_store_load_value(store, KEN_STR(KEN_APP_MODEL_KEY), scratch, &text, err);
    *out_has_choice = !st;
    if (!st)
        st = look_at_record(s, text, scratch, out_uses, err);
    else if (st == KEN_ENOTFOUND)
        st = KEN_OK;
    if (st || *out_uses)
        return st;
    st = ken_index_load_vectors(store, scratch, &v, err);
    return st ? st : look_at_record(s, v.record, scratch, out_uses, err);
}

static ken_status look_in_index(const search *s, const ken_project_info *p, ken_arena *scratch,
                                bool *out_has_choice, bool *out_uses, ken_err *err)
{
    ken_store *store = NULL;
    if (!ken_app__has_index(p))
        return KEN_OK;
    ken_status st = ken_app__open_index(p, &(ken_store_opts){ .is_read_only = true }, &store, err);
    if (!st)
        st = look_in_store(s, store, scratch, out_has_choice, out_uses, err);
    ken_store_close(store);
    return st;
}

// These keys are for the owner of all data: no project has others.
static bool is_in_settings(const search *s)
{
    ken_embed_opts o = ken_app_embed_opts(s->app->config);
    return !strcmp(o.provider, "onnx") && ken_str_eq_c(s->id, o.model);
}

static ken_status look_at(const search *s, const ken_project_info *p, bool *out_uses, ken_err *err)
{
    ken_arena scratch;
    bool has_choice = false;
    *out_uses = false;
    ken_arena_init(&scratch, 0);
    ken_status st = look_in_index(s, p, &scratch, &has_choice, out_uses, err);
    if (!st && !has_choice && !*out_uses)
        *out_uses = s->is_usual;
    ken_arena_release(&scratch);
    if (st)
        (void)ken_err_wrap(err, "whether the project '" KEN_STR_FMT "' uses the model",
                           KEN_STR_ARG(p->name));
    return st;
}

// KEN_EBUSY with the names of all that use it, as far as a message holds them.
static ken_status refuse(const search *s, const ken_buf *names, size_t n, size_t n_named,
                         ken_err *err)
{
    ken_str more = KEN_STR("");
    if (n > n_named)
        more = ken_arena_printf(s->arena, " and %zu more", n - n_named);
    return KEN_FAIL(err, KEN_EBUSY,
                    "model: '" KEN_STR_FMT "' is used by the project%s " KEN_STR_FMT KEN_STR_FMT
                    "; choose another there first ('ken model use') and make its vectors "
                    "('ken index')",
                    KEN_STR_ARG(s->id), n > 1 ? "s" : "", KEN_STR_ARG(ken_buf_str(names)),
                    KEN_STR_ARG(more));
}

static ken_status check_unused(const search *s, const ken_cancel *cancel, ken_err *err)
{
    enum {
        NAMES_BYTES = 220
    };
    ken_project_info *list = NULL;
    size_t n = 0, n_users = 0, n_named = 0;
    ken_buf names = KEN_BUF_INIT(4096);
    ken_status st = ken_app_list_projects(s->app, s->arena, &list, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        bool uses = false;
        st = ken_cancel_check(cancel, err);
        if (!st)
            st = look_at(s, &list[i], &uses, err);
        if (st || !uses)
            continue;
        n_users++;
        if (n_named && names.len + list[i].name.len > NAMES_BYTES)
            continue;
        n_named++;
        ken_buf_printf(&names, "%s'" KEN_STR_FMT "'", names.len ? ", " : "",
                       KEN_STR_ARG(list[i].name));
    }
    if (!st && n_users)
        st = refuse(s, &names, n_users, n_named, err);
    ken_buf_release(&names);
    return st;
}

static ken_status drop_row(ken_catalog *c, void *ctx, ken_err *err)
{
    const search *s = ctx;
    ken_status st = ken_catalog_remove_model(c, s->id, err);
    return st == KEN_ENOTFOUND ? KEN_OK : st; // another process was faster
}

ken_status ken_app_remove_model(ken_app *app, ken_str id, const ken_cancel *cancel,
                                bool *out_is_listed, ken_err *err)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_model_record m = { 0 };
    search s = { .app = app, .id = id, .arena = &a };
    s.is_usual = is_in_settings(&s);
    ken_status st = ken_app_find_model(app, id, &a, &m, err);
    if (!st && !m.path.len)
        st =
            KEN_FAIL(err, KEN_EINVAL, "model: '" KEN_STR_FMT "' is a part of ken", KEN_STR_ARG(id));
    if (!st)
        st = check_unused(&s, cancel, err);
    if (!st)
        st = ken_app__remove_files(&m, &a, err);
    if (!st && m.is_preloaded) {
        m.status = KEN_MODEL_PENDING;
        st = ken_app__put_model(app, &m, err);
    } else if (!st) {
        st = ken_app_with_catalog(app, true, drop_row, &s, err);
    }
    if (!st)
        *out_is_listed = m.is_preloaded;
    ken_arena_release(&a);
    return st;
}
