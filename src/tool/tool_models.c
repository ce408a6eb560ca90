// SPDX-License-Identifier: MIT
// list_models, use_model, add_model, remove_model: the models that make vectors, and which one a project uses.
#include "tool/tool_graph_priv.h"

static ken_status set_chosen(const ken_tool_env *env, ken_str ref, json_t *o, ken_err *err)
{
    ken_project_info project;
    ken_config *settings = NULL;
    ken_model_record m;
    ken_err why = { 0 };
    ken_status st = ken_tool__find_project(env, ref, &project, err);
    if (st)
        return st;
    ken_json_set(o, "project", ken_tool__project_json(&project));
    st = ken_app_load_settings(env->app, &project, &settings, &why);
    if (!st)
        st = ken_app_project_model(env->app, &project, settings, env->arena, &m, &why);
    if (st)
        ken_json_set_str(o, "problem",
                         ken_str_c(why.msg[0] ? why.msg : ken_status_text(why.status)));
    else
        ken_json_set(o, "chosen", ken_app_listed_model_json(env->app, &m));
    ken_config_free(settings);
    return KEN_OK;
}

ken_status ken_tool__list_models(const ken_tool_env *env, const void *args, json_t **out,
                                 ken_err *err)
{
    const ken_args_list_models *a = args;
    ken_model_record *models = NULL;
    size_t n = 0;
    ken_status st = ken_app_list_models(env->app, env->arena, &models, &n, err);
    if (st)
        return st;
    json_t *o = json_object(), *list = json_array();
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, ken_app_listed_model_json(env->app, &models[i]));
    ken_json_set(o, "models", list);
    ken_json_set_u64(o, "total", n);
    if (a->project.len || env->ctx->project.len)
        st = set_chosen(env, a->project, o, err);
    if (st) {
        json_decref(o);
        return st;
    }
    ken_tool__fit(o, "models", env->ctx->max_bytes, "there are more models than fit here");
    *out = o;
    return KEN_OK;
}

void ken_tool__list_models_text(const json_t *answer, ken_paint *out)
{
    ken_tool__put_table(json_object_get(answer, "models"), "ID|STATUS|>DIMS|LICENCE|WHAT",
                        "id|status|#dims|license|label", out);
    ken_tool__put_tail(answer, out);
}

// The built-in model's vectors are in every index that has no others.
static bool has_its_vectors(const ken_tool_env *env, const ken_project_info *project,
                            const ken_model_record *m)
{
    ken_index_vectors v;
    return ken_str_eq_c(m->provider, "builtin") &&
           !ken_app_load_vectors(env->app, project, env->arena, &v, NULL) && v.is_builtin &&
           !*v.next;
}

ken_status ken_tool__use_model(const ken_tool_env *env, const void *args, json_t **out,
                               ken_err *err)
{
    const ken_args_use_model *a = args;
    ken_project_info project;
    ken_model_record m;
    ken_status st = ken_tool__find_project(env, a->project, &project, err);
    if (!st)
        st = ken_app_use_model(env->app, &project, a->model, a->url, env->arena, &m, err);
    if (st)
        return st;
    json_t *o = json_object();
    ken_json_set(o, "project", ken_tool__project_json(&project));
    ken_json_set(o, "model", ken_app_listed_model_json(env->app, &m));
    ken_json_set_bool(o, "needs_embed", !has_its_vectors(env, &project, &m));
    if (m.url.len)
        ken_json_set_str(o, "sends_code_to", m.url);
    *out = o;
    return KEN_OK;
}

void ken_tool__use_model_text(const json_t *answer, ken_paint *out)
{
    ken_str url = ken_tool__member(answer, "sends_code_to");
    ken_paint_printf(out, KEN_STYLE_PLAIN, KEN_STR_FMT " uses " KEN_STR_FMT "\n",
                     KEN_STR_ARG(ken_tool__member(json_object_get(answer, "project"), "name")),
                     KEN_STR_ARG(ken_tool__member(json_object_get(answer, "model"), "id")));
    if (url.len)
        ken_paint_printf(out, KEN_STYLE_PLAIN, "its code will be sent to " KEN_STR_FMT "\n",
                         KEN_STR_ARG(url));
}

// ---- the catalog -------------------------------------------------------------------------------

ken_status ken_tool__add_model(const ken_tool_env *env, const void *args, json_t **out,
                               ken_err *err)
{
    const ken_args_add_model *a = args;
    ken_model_record m = { .id = a->id,
                           .label = a->label,
                           .license = a->license,
                           .languages = a->languages,
                           .code_quality = a->code_quality,
                           .source = a->source,
                           .tokenizer_source = a->tokenizer_source,
                           .pooling = a->pooling,
                           .document_prefix = a->document_prefix,
                           .query_prefix = a->query_prefix,
                           .sha256 = a->sha256,
                           .dims = a->dims,
                           .max_tokens = a->max_tokens,
                           .size_bytes = a->size_bytes,
                           .ram_bytes = a->ram_bytes,
                           .latency_ms = a->latency_ms };
    ken_status st = ken_app_add_model(env->app, &m, err);
    if (!st)
        st = ken_app_find_model(env->app, a->id, env->arena, &m, err);
    if (st)
        return st;
    json_t *o = json_object();
    ken_json_set(o, "model", ken_app_listed_model_json(env->app, &m));
    *out = o;
    return KEN_OK;
}

void ken_tool__add_model_text(const json_t *answer, ken_paint *out)
{
    ken_paint_printf(out, KEN_STYLE_PLAIN, "added " KEN_STR_FMT ", which is to be downloaded\n",
                     KEN_STR_ARG(ken_tool__member(json_object_get(answer, "model"), "id")));
}

ken_status ken_tool__remove_model(const ken_tool_env *env, const void *args, json_t **out,
                                  ken_err *err)
{
    const ken_args_remove_model *a = args;
    bool is_listed = false;
    if (!a->confirm)
        return KEN_FAIL(err, KEN_EINVAL,
                        "args.confirm: removing the files of '" KEN_STR_FMT "' needs it",
                        KEN_STR_ARG(a->model));
    ken_status st = ken_app_remove_model(env->app, a->model, env->ctx->cancel, &is_listed, err);
    if (st)
        return st;
    json_t *o = json_object();
    ken_json_set_str(o, "id", a->model);
    ken_json_set_bool(o, "removed", true);
    ken_json_set_bool(o, "is_listed", is_listed);
    *out = o;
    return KEN_OK;
}

void ken_tool__remove_model_text(const json_t *answer, ken_paint *out)
{
    bool is_listed = json_is_true(json_object_get(answer, "is_listed"));
    ken_paint_printf(out, KEN_STYLE_PLAIN, "removed the files of " KEN_STR_FMT "%s\n",
                     KEN_STR_ARG(ken_tool__member(answer, "id")),
                     is_listed ? ", which stays in the list" : "");
}
