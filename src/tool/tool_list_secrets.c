// SPDX-License-Identifier: MIT
// list_secrets: where something is masked, and which files were left out because of secrets. Never a
// value, nor a part of one.
#include "query/query_secrets.h"
#include "tool/tool_graph_priv.h"

typedef struct question {
    const ken_tool_env *env;
    ken_masked_opts opts;
    ken_masked found;
} question;

static ken_status ask(ken_snapshot *s, void *ctx, ken_err *err)
{
    question *q = ctx;
    return ken_snapshot_find_masked(s, &q->opts, q->env->ctx->cancel, q->env->arena, &q->found,
                                    err);
}

static json_t *kinds_json(const ken_masked *m)
{
    json_t *kinds = json_array();
    for (size_t i = 1; i < KEN_SECRET_COUNT; i++) {
        if (!m->of_kind[i])
            continue;
        json_t *o = json_object();
        ken_json_set_str(o, "kind", ken_str_c(ken_secret_word((ken_secret_kind)i)));
        ken_json_set_str(o, "title", ken_str_c(ken_secret_title((ken_secret_kind)i)));
        ken_json_set_u64(o, "count", m->of_kind[i]);
        ken_json_append(kinds, o);
    }
    return kinds;
}

static json_t *places_json(const ken_masked *m)
{
    json_t *list = json_array();
    for (size_t i = 0; i < m->n_places; i++) {
        json_t *o = json_object();
        ken_json_set_str(o, "file_path", m->places[i].path);
        ken_json_set_u64(o, "line", m->places[i].line);
        ken_json_set_str(o, "kind", ken_str_c(ken_secret_word(m->places[i].kind)));
        ken_json_append(list, o);
    }
    return list;
}

ken_status ken_tool__list_secrets(const ken_tool_env *env, const void *args, json_t **out,
                                  ken_err *err)
{
    const ken_args_list_secrets *a = args;
    question q = { .env = env, .opts = { .limit = (size_t)a->limit, .offset = (size_t)a->offset } };
    ken_tool__scope scope;
    ken_scan_skip *skips = NULL;
    size_t n_skips = 0;
    ken_status st = ken_tool__ask(env, a->project, ask, &q, &scope, err);
    if (st)
        return st;
    json_t *o = json_object(), *left_out = json_array();
    const ken_masked *m = &q.found;
    ken_json_set_u64(o, "total", m->n_all);
    ken_json_set_u64(o, "files", m->n_files);
    ken_json_set(o, "kinds", kinds_json(m));
    ken_json_set(o, "masked", places_json(m));
    ken_tool__set_scope(o, &scope);
    ken_tool__close(env, &scope);
    if (!a->offset)
        st = ken_app_list_skips(env->app, &scope.project, KEN_SKIP_SECRET, q.opts.limit, env->arena,
                                &skips, &n_skips, err);
    for (size_t i = 0; i < n_skips; i++)
        ken_json_append(left_out, ken_json_str(skips[i].path));
    ken_json_set(o, "files_skipped", left_out);
    if (st) {
        json_decref(o);
        return st;
    }
    if (!m->n_all)
        ken_json_set_str(o, "note", KEN_STR("nothing is masked in the indexed files"));
    ken_tool__fit(o, "masked", env->ctx->max_bytes, "more places than fit here");
    ken_tool__set_page(o, "masked", "total", a->offset);
    *out = o;
    return KEN_OK;
}

static ken_str title_of(const json_t *kinds, ken_str kind)
{
    for (size_t i = 0; i < json_array_size(kinds); i++)
        if (ken_str_eq(ken_tool__member(json_array_get(kinds, i), "kind"), kind))
            return ken_tool__member(json_array_get(kinds, i), "title");
    return kind;
}

void ken_tool__list_secrets_text(const json_t *answer, ken_paint *out)
{
    const json_t *places = json_object_get(answer, "masked"),
                 *kinds = json_object_get(answer, "kinds"),
                 *left_out = json_object_get(answer, "files_skipped");
    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *p = json_array_get(places, i);
        ken_paint_path(out, ken_tool__member(p, "file_path"));
        ken_paint_printf(out, KEN_STYLE_PLAIN, ":%lld  " KEN_STR_FMT "\n",
                         ken_tool__number(p, "line"),
                         KEN_STR_ARG(title_of(kinds, ken_tool__member(p, "kind"))));
    }
    ken_paint_puts(out, json_array_size(places) ? "\n" : "");
    for (size_t i = 0; i < json_array_size(kinds); i++) {
        const json_t *k = json_array_get(kinds, i);
        ken_paint_printf(out, KEN_STYLE_PLAIN, "  %6lld  " KEN_STR_FMT "\n",
                         ken_tool__number(k, "count"), KEN_STR_ARG(ken_tool__member(k, "title")));
    }
    if (json_array_size(left_out))
        ken_paint_printf(out, KEN_STYLE_BOLD, "%sleft out, because they may hold secrets\n",
                         json_array_size(places) ? "\n" : "");
    for (size_t i = 0; i < json_array_size(left_out); i++) {
        ken_paint_puts(out, "  ");
        ken_paint_path(out, ken_json_text(json_array_get(left_out, i)));
        ken_paint_puts(out, "\n");
    }
    ken_tool__put_tail(answer, out);
}
