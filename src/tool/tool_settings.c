// SPDX-License-Identifier: MIT
// list_settings, change_setting: settings as people see and change them.
#include "config/config_edit.h"
#include "tool/tool_graph_priv.h"

// Bound to one project, or about one: then that.
static ken_status find_project(const ken_tool_env *env, ken_str ref, ken_project_info *out,
                               bool *out_has, ken_err *err)
{
    *out_has = ref.len || env->ctx->project.len;
    return *out_has ? ken_tool__find_project(env, ref, out, err) : KEN_OK;
}

// As the files are now: the app's are those of when it began.
static ken_status load(const ken_tool_env *env, const ken_project_info *project, bool has_project,
                       ken_config **out, ken_err *err)
{
    return ken_config_load_project(ken_app_config(env->app), has_project ? project->root.ptr : NULL,
                                   out, err);
}

// ---- listing ------------------------------------------------------------------------------------

static json_t *words_json(const char *words)
{
    json_t *list = json_array();
    ken_str rest = ken_str_c(words), choice, first;
    while (ken_str_split_next(&rest, '|', &choice))
        if (ken_str_split_next(&choice, '=', &first))
            ken_json_append(list, ken_json_str(first));
    return list;
}

static bool is_pending(const ken_tool_env *env, const ken_config *now, ken_config_key key)
{
    ken_str began = ken_config_format(ken_app_config(env->app), key, env->arena);
    return ken_config_source_of(now, key) != KEN_CONFIG_PROJECT_FILE &&
           !ken_str_eq(began, ken_config_format(now, key, env->arena));
}

static json_t *setting_json(const ken_tool_env *env, const ken_config *c, ken_config_key key)
{
    json_t *o = json_object();
    const ken_config_rule rule = ken_config_key_rule(key);
    ken_config_type type = ken_config_key_type(key);
    ken_json_set_str(o, "key", ken_str_c(ken_config_key_name(key)));
    ken_json_set(o, "value", ken_app_setting_json(c, key, env->arena));
    ken_json_set_str(o, "default", ken_str_c(type == KEN_CONFIG_SECRET ? "" : rule.fallback));
    ken_json_set_str(o, "source", ken_config_where(c, key));
    ken_json_set_str(o, "source_kind",
                     ken_str_c(ken_config_source_word(ken_config_source_of(c, key))));
    ken_json_set_str(o, "type", ken_str_c(ken_config_type_word(type)));
    ken_json_set_str(o, "accepts", ken_config_key_accepts(key, env->arena));
    if (type == KEN_CONFIG_COUNT || type == KEN_CONFIG_SIZE) {
        ken_json_set_u64(o, "min", rule.min);
        ken_json_set_u64(o, "max", rule.max);
    }
    if (type == KEN_CONFIG_WORD)
        ken_json_set(o, "words", words_json(rule.words));
    ken_json_set_str(o, "text", ken_str_c(ken_config_key_text(key)));
    ken_json_set_str(o, "environment", ken_str_c(ken_config_key_env(key)));
    ken_json_set_bool(o, "is_for_owner", rule.is_for_owner);
    if (is_pending(env, c, key))
        ken_json_set_bool(o, "is_pending", true);
    return o;
}

ken_status ken_tool__list_settings(const ken_tool_env *env, const void *args, json_t **out,
                                   ken_err *err)
{
    const ken_args_list_settings *a = args;
    ken_project_info project = { .root_exists = false };
    ken_config *c = NULL;
    bool has_project, is_bound = env->ctx->project.len > 0;
    ken_status st = find_project(env, a->project, &project, &has_project, err);
    if (!st)
        st = load(env, &project, has_project, &c, err);
    if (st)
        return st;
    json_t *o = json_object(), *list = json_array();
    for (size_t i = 0; i < KEN_CFG_COUNT; i++)
        if (!is_bound || !ken_config_key_rule((ken_config_key)i).is_for_owner)
            ken_json_append(list, setting_json(env, c, (ken_config_key)i));
    ken_json_set_u64(o, "total", json_array_size(list));
    ken_json_set(o, "settings", list);
    if (!is_bound) {
        ken_json_set(o, "without_effect", ken_app_setting_notes_json(c));
        ken_json_set_str(o, "user_file", ken_config_user_file(c));
        ken_json_set_str(o, "data_dir", ken_config_data_dir(c));
    }
    if (has_project)
        ken_json_set_str(o, "project_file", ken_config_project_path(env->arena, project.root));
    ken_config_free(c);
    ken_tool__fit(o, "settings", env->ctx->max_bytes, "there are more settings than fit here");
    *out = o;
    return KEN_OK;
}

void ken_tool__list_settings_text(const json_t *answer, ken_paint *out)
{
    const json_t *list = json_object_get(answer, "settings");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *s = json_array_get(list, i);
        ken_buf value = KEN_BUF_INIT(0);
        ken_json_dump(json_object_get(s, "value"), &value);
        ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(s, "key"));
        ken_paint_printf(out, KEN_STYLE_PLAIN, " = " KEN_STR_FMT "  (" KEN_STR_FMT ")\n",
                         KEN_STR_ARG(ken_buf_str(&value)),
                         KEN_STR_ARG(ken_tool__member(s, "source")));
        ken_buf_release(&value);
    }
    ken_tool__put_tail(answer, out);
}

// ---- changing -----------------------------------------------------------------------------------

typedef struct target {
    ken_project_info project;
    bool has_project;
    ken_str path;
    ken_config_source source;
    ken_config_key key;
} target;

static ken_status find_target(const ken_tool_env *env, const ken_args_change_setting *a,
                              target *out, ken_err *err)
{
    ken_status st = ken_config_find_key(ken_arena_dup(env->arena, a->key).ptr, &out->key, err);
    if (!st && env->ctx->project.len)
        st =
            KEN_FAIL(err, KEN_EPERM,
                     "this endpoint serves one project; settings are changed without such a limit");
    if (!st)
        st = find_project(env, a->project, &out->project, &out->has_project, err);
    if (st)
        return st;
    out->source = out->has_project ? KEN_CONFIG_PROJECT_FILE : KEN_CONFIG_USER_FILE;
    if (!out->has_project)
        return ken_config_find_user_file(env->arena, &out->path, err);
    out->path = ken_config_project_path(env->arena, out->project.root);
    return KEN_OK;
}

// The first variable that is set and goes before the file; empty = none.
static ken_str find_override(const ken_tool_env *env, ken_config_key key)
{
    ken_str names = ken_str_c(ken_config_key_env(key)), one;
    while (ken_str_split_next(&names, ',', &one))
        if (ken_config_env(ken_arena_dup(env->arena, one).ptr))
            return one;
    return KEN_STR("");
}

ken_status ken_tool__change_setting(const ken_tool_env *env, const void *args, json_t **out,
                                    ken_err *err)
{
    const ken_args_change_setting *a = args;
    target t = { .has_project = false };
    bool was_set = false;
    ken_config *now = NULL;
    ken_status st = find_target(env, a, &t, err);
    if (!st && a->value.ptr)
        st = ken_config_edit_set(t.path.ptr, t.source, t.key, a->value, err);
    else if (!st)
        st = ken_config_edit_unset(t.path.ptr, t.source, t.key, &was_set, err);
    if (st)
        return st;
    json_t *o = json_object();
    ken_str before = find_override(env, t.key);
    ken_json_set_str(o, "key", ken_str_c(ken_config_key_name(t.key)));
    ken_json_set_str(o, "file", t.path);
    ken_json_set_str(o, "result",
                     a->value.ptr ? KEN_STR("set")
                     : was_set    ? KEN_STR("unset")
                                  : KEN_STR("not set"));
    bool is_loaded = !load(env, &t.project, t.has_project, &now, NULL);
    ken_json_set_bool(o, "is_pending", is_loaded && is_pending(env, now, t.key));
    if (before.len)
        ken_json_set_str(o, "overridden_by", before);
    ken_config_free(now);
    *out = o;
    return KEN_OK;
}

void ken_tool__change_setting_text(const json_t *answer, ken_paint *out)
{
    ken_str before = ken_tool__member(answer, "overridden_by");
    ken_paint_printf(out, KEN_STYLE_PLAIN, KEN_STR_FMT ": " KEN_STR_FMT " in " KEN_STR_FMT "\n",
                     KEN_STR_ARG(ken_tool__member(answer, "key")),
                     KEN_STR_ARG(ken_tool__member(answer, "result")),
                     KEN_STR_ARG(ken_tool__member(answer, "file")));
    if (before.len)
        ken_paint_printf(out, KEN_STYLE_PLAIN,
                         KEN_STR_FMT " is set in the environment and goes before the file\n",
                         KEN_STR_ARG(before));
}
