// SPDX-License-Identifier: MIT
// select_project, add_project, update_project: the list of projects as a person looks after it.
#include "app/projects.h"
#include "base/path.h"
#include "base/utf8.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_index_priv.h"

// What is changed for all is nothing for who serves one project.
static ken_status check_unbound(const ken_tool_env *env, ken_err *err)
{
    if (!env->ctx->project.len)
        return KEN_OK;
    return KEN_FAIL(err, KEN_EPERM,
                    "this endpoint serves one project; the list of projects is changed without "
                    "such a limit");
}

ken_status ken_tool__select_project(const ken_tool_env *env, const void *args, json_t **out,
                                    ken_err *err)
{
    const ken_args_select_project *a = args;
    ken_project_info project;
    ken_status st = check_unbound(env, err);
    if (!st)
        st = ken_tool__find_project(env, a->project, &project, err);
    if (!st)
        st = ken_app_select_project(env->app, &project, err);
    if (st)
        return st;
    json_t *o = json_object();
    ken_json_set(o, "project", ken_tool__project_json(&project));
    ken_json_set_bool(o, "is_selected", true);
    *out = o;
    return KEN_OK;
}

void ken_tool__select_project_text(const json_t *answer, ken_paint *out)
{
    ken_paint_puts(out, "selected ");
    ken_paint_str(out, KEN_STYLE_PATH,
                  ken_tool__member(json_object_get(answer, "project"), "root"));
    ken_paint_puts(out, "\n");
}

// ---- patterns -----------------------------------------------------------------------------------

static json_t *globs_json(const ken_str *globs, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, ken_json_str(globs[i]));
    return list;
}

void ken_tool__set_limits(json_t *o, const ken_index_limits *limits)
{
    ken_json_set(o, "include_patterns", globs_json(limits->include, limits->n_include));
    ken_json_set(o, "exclude_patterns", globs_json(limits->exclude, limits->n_exclude));
    if (limits->max_file_bytes)
        ken_json_set_u64(o, "max_file_size", limits->max_file_bytes);
}

static bool is_same(const ken_str *a, size_t n_a, const ken_str *b, size_t n_b)
{
    for (size_t i = 0; i < n_a && n_a == n_b; i++)
        if (!ken_str_eq(a[i], b[i]))
            return false;
    return n_a == n_b;
}

ken_status ken_tool__change_limits(const ken_tool_env *env, const json_t *include,
                                   const json_t *exclude, ken_index_limits *limits,
                                   bool *out_has_changed, ken_err *err)
{
    const ken_index_limits was = *limits;
    ken_str *given[2] = { NULL, NULL };
    size_t n[2] = { 0, 0 };
    ken_status st =
        ken_tool__read_patterns(env, include, "include_patterns", &given[0], &n[0], err);
    if (!st)
        st = ken_tool__read_patterns(env, exclude, "exclude_patterns", &given[1], &n[1], err);
    if (st)
        return st;
    if (include) {
        limits->include = given[0];
        limits->n_include = n[0];
    }
    if (exclude) {
        limits->exclude = given[1];
        limits->n_exclude = n[1];
    }
    *out_has_changed = !is_same(was.include, was.n_include, limits->include, limits->n_include) ||
                       !is_same(was.exclude, was.n_exclude, limits->exclude, limits->n_exclude);
    return KEN_OK;
}

static json_t *project_answer(const ken_project_info *p, const ken_index_limits *limits,
                              bool needs_index)
{
    json_t *o = json_object();
    ken_json_set(o, "project", ken_tool__project_json(p));
    ken_tool__set_limits(o, limits);
    ken_json_set_bool(o, "needs_index", needs_index);
    return o;
}

// ---- adding -------------------------------------------------------------------------------------

static ken_status check_new(const ken_tool_env *env, ken_str path, ken_err *err)
{
    ken_project_info *known = NULL;
    ken_str real;
    size_t n = 0;
    if (ken_path_real(env->arena, path, &real, NULL))
        return KEN_OK; // adding it says what is wrong
    ken_status st = ken_app_list_projects(env->app, env->arena, &known, &n, err);
    for (size_t i = 0; i < n && !st; i++)
        if (ken_str_eq(known[i].root, real))
            st = KEN_FAIL(err, KEN_EEXIST,
                          "'" KEN_STR_FMT "' is project '" KEN_STR_FMT
                          "' already; update_project changes it",
                          KEN_STR_ARG(ken_utf8_clip(real, 300)), KEN_STR_ARG(known[i].name));
    return st;
}

ken_status ken_tool__add_project(const ken_tool_env *env, const void *args, json_t **out,
                                 ken_err *err)
{
    const ken_args_add_project *a = args;
    ken_index_limits limits = { .n_include = 0 };
    ken_project_info project = { .indexed_at_ms = 0 };
    bool has_limits = false;
    ken_str path = ken_tool__absolute(env, a->path);
    ken_status st = check_unbound(env, err);
    if (!st && !ken_str_starts(path, KEN_STR("/")))
        st = KEN_FAIL(err, KEN_EINVAL, "args.path '" KEN_STR_FMT "' must be an absolute path",
                      KEN_STR_ARG(ken_utf8_clip(a->path, 200)));
    if (!st)
        st = ken_tool__change_limits(env, a->include_patterns, a->exclude_patterns, &limits,
                                     &has_limits, err);
    if (!st)
        st = check_new(env, path, err);
    if (!st)
        st = ken_app_add_client_project(env->app, path, a->name, env->arena, &project, err);
    if (!st && has_limits)
        st = ken_app_put_limits(env->app, &project, &limits, env->arena, err);
    if (!st && !has_limits) // an index that was there may have some
        st = ken_app_load_limits(env->app, &project, env->arena, &limits, err);
    if (!st)
        *out = project_answer(&project, &limits, has_limits || !project.indexed_at_ms);
    return st;
}

static void put_limits(const json_t *answer, const char *did, ken_paint *out)
{
    const json_t *project = json_object_get(answer, "project");
    ken_paint_puts(out, did);
    ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(project, "name"));
    ken_paint_puts(out, "  ");
    ken_paint_str(out, KEN_STYLE_PATH, ken_tool__member(project, "root"));
    ken_paint_puts(out, "\n");
    ken_tool__put_texts(json_object_get(answer, "include_patterns"), "  include ", ", ", "\n", out);
    ken_tool__put_texts(json_object_get(answer, "exclude_patterns"), "  exclude ", ", ", "\n", out);
    if (json_is_true(json_object_get(answer, "needs_index")))
        ken_paint_puts(out, "  the next run of its index keeps to that\n");
}

void ken_tool__add_project_text(const json_t *answer, ken_paint *out)
{
    put_limits(answer, "added ", out);
}

// ---- changing -----------------------------------------------------------------------------------

ken_status ken_tool__update_project(const ken_tool_env *env, const void *args, json_t **out,
                                    ken_err *err)
{
    const ken_args_update_project *a = args;
    ken_index_limits limits;
    ken_project_info project;
    bool has_changed = false;
    ken_status st = check_unbound(env, err);
    if (!st && !a->name.len && !a->include_patterns && !a->exclude_patterns)
        st = KEN_FAIL(err, KEN_EINVAL,
                      "give one of name, include_patterns and exclude_patterns: there is nothing "
                      "to change");
    if (!st)
        st = ken_tool__find_project(env, a->project, &project, err);
    if (!st)
        st = ken_app_load_limits(env->app, &project, env->arena, &limits, err);
    if (!st)
        st = ken_tool__change_limits(env, a->include_patterns, a->exclude_patterns, &limits,
                                     &has_changed, err);
    if (!st && has_changed)
        st = ken_app_put_limits(env->app, &project, &limits, env->arena, err);
    if (!st && a->name.len)
        st = ken_app_rename_project(env->app, &project, a->name, env->arena, err);
    if (!st)
        *out = project_answer(&project, &limits, has_changed);
    return st;
}

void ken_tool__update_project_text(const json_t *answer, ken_paint *out)
{
    put_limits(answer, "", out);
}
