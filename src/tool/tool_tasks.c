// SPDX-License-Identifier: MIT
// create_task, get_task, list_tasks, update_task, delete_task.
//
// Tasks are those of all projects. An endpoint that is bound to one project sees the tasks of that
// project only, and links what it creates to it.
#include "base/alloc.h"
#include "base/clock.h"
#include "tool/tool_tasks_priv.h"

// ---- arguments -------------------------------------------------------------------------------

// ptr NULL when it is not given, not when it is empty.
static ken_str text_arg(const json_t *args, const char *key)
{
    const json_t *v = json_object_get(args, key);
    return json_is_string(v) ? ken_json_text(v) : (ken_str){ 0 };
}

// A reference is a path, or an object with a path and a type. Clients are strict about schemas with
// two types, so theirs says nothing of it.
static ken_status check_reference(json_t *v, size_t i, ken_err *err)
{
    const char *key;
    json_t *member;
    if (json_is_string(v))
        return KEN_OK;
    if (!json_is_object(v))
        return KEN_FAIL(err, KEN_EINVAL,
                        "args.planning_references[%zu]: expected a path, or an object with "
                        "file_path and reference_type",
                        i);
    json_object_foreach(v, key, member)
    {
        bool is_known = !strcmp(key, "file_path") || !strcmp(key, "reference_type");
        if (!is_known || !json_is_string(member))
            return KEN_FAIL(err, KEN_EINVAL, "args.planning_references[%zu].%.60s: %s", i, key,
                            is_known ? "expected a string"
                                     : "unknown; known are file_path and "
                                       "reference_type");
    }
    if (!json_object_get(v, "file_path"))
        return KEN_FAIL(err, KEN_EINVAL, "args.planning_references[%zu].file_path is required", i);
    return KEN_OK;
}

static ken_status read_references(const json_t *args, ken_arena *arena, ken_task_input *in,
                                  ken_err *err)
{
    const json_t *list = json_object_get(args, "planning_references");
    size_t n = json_array_size(list);
    ken_task_reference *refs = KEN_ARENA_ARRAY(arena, ken_task_reference, n + 1);
    for (size_t i = 0; i < n; i++) {
        json_t *v = json_array_get(list, i);
        ken_status st = check_reference(v, i, err);
        if (st)
            return st;
        refs[i].path = json_is_object(v) ? text_arg(v, "file_path") : ken_json_text(v);
        refs[i].type = json_is_object(v) ? text_arg(v, "reference_type") : (ken_str){ 0 };
    }
    in->sets_references = list != NULL;
    in->references = refs;
    in->n_references = n;
    return KEN_OK;
}

// The project that is named, or the one that the endpoint is bound to; *out NULL = any or none.
static ken_status find_project(const ken_tool_env *env, ken_str ref, const ken_uuid **out,
                               ken_err *err)
{
    if (!ref.len && !env->ctx->project.len)
        return KEN_OK;
    ken_project_info p = { .name = { NULL, 0 } };
    ken_status st = ken_tool__find_project(env, ref, &p, err);
    if (st)
        return st;
    ken_uuid *id = KEN_ARENA_NEW(env->arena, ken_uuid);
    *id = p.id;
    *out = id;
    return KEN_OK;
}

// Where a commit may be known beside the task's project. A bound endpoint learns nothing from
// elsewhere.
static const char *repository_around(const ken_tool_env *env)
{
    ken_str cwd = env->ctx->cwd;
    return cwd.len && !env->ctx->project.len ? ken_arena_dup(env->arena, cwd).ptr : NULL;
}

// `is_new`: a bound endpoint links to its project what is not linked.
static ken_status read_input(const ken_tool_env *env, const json_t *args, bool is_new,
                             ken_task_input *in, ken_err *err)
{
    ken_str project = text_arg(args, "project");
    *in = (ken_task_input){ .title = text_arg(args, "title"),
                            .description = text_arg(args, "description"),
                            .notes = text_arg(args, "notes"),
                            .status = text_arg(args, "status"),
                            .branch = text_arg(args, "branch"),
                            .commit = text_arg(args, "commit"),
                            .if_updated_at = text_arg(args, "if_updated_at"),
                            .root = repository_around(env),
                            .cancel = env->ctx->cancel,
                            .now_ms = ken_clock_wall_ms() };
    ken_status st = read_references(args, env->arena, in, err);
    if (st)
        return st;
    in->sets_project = is_new || project.ptr;
    return in->sets_project ? find_project(env, project, &in->project, err) : KEN_OK;
}

// ---- answers ---------------------------------------------------------------------------------

static json_t *answer(const ken_tool_env *env, const ken_task *t, bool is_listed)
{
    ken_tool__projects projects = { 0 };
    if (t->has_project &&
        ken_app_list_projects(env->app, env->arena, &projects.ptr, &projects.n, NULL))
        projects.n = 0; // the id alone
    json_t *o = ken_tool__task_json(t, &projects, is_listed, env->arena);
    ken_tool__fit_task(o, env->ctx->max_bytes);
    return o;
}

// To a bound endpoint the tasks of others do not exist, and it is told so in the same words.
static ken_status check_is_ours(const ken_tool_env *env, ken_tasks *tasks, ken_str id, ken_err *err)
{
    const ken_uuid *ours = NULL;
    ken_task t = { 0 };
    if (!env->ctx->project.len)
        return KEN_OK;
    ken_status st = find_project(env, (ken_str){ 0 }, &ours, err);
    if (st)
        return st;
    st = ken_tasks_get(tasks, id, env->arena, &t, err);
    bool is_theirs = !st && (!t.has_project || !ken_uuid_eq(t.project, *ours));
    if (!is_theirs && st != KEN_ENOTFOUND)
        return st;
    return KEN_FAIL(err, KEN_ENOTFOUND,
                    "task_id: there is no task " KEN_STR_FMT
                    " of this project; list_tasks shows all",
                    KEN_STR_ARG(id));
}

// ---- the tools -------------------------------------------------------------------------------

// Gives the service back, and answers with the task when all went well.
static ken_status finish(const ken_tool_env *env, ken_tasks *tasks, ken_status st,
                         const ken_task *t, json_t **out)
{
    ken_app_give_back_tasks(env->app, tasks);
    if (!st)
        *out = answer(env, t, false);
    return st;
}

// The service, for a task that this endpoint may know of.
static ken_status open_for(const ken_tool_env *env, ken_str id, ken_tasks **out, ken_err *err)
{
    ken_status st = ken_app_borrow_tasks(env->app, out, err);
    if (st)
        return st;
    st = check_is_ours(env, *out, id, err);
    if (st)
        ken_app_give_back_tasks(env->app, *out);
    return st;
}

ken_status ken_tool__create_task(const ken_tool_env *env, const json_t *args, json_t **out,
                                 ken_err *err)
{
    ken_tasks *tasks = NULL;
    ken_task_input in;
    ken_task t = { 0 };
    ken_status st = read_input(env, args, true, &in, err);
    if (!st)
        st = ken_app_borrow_tasks(env->app, &tasks, err);
    if (st)
        return st;
    st = ken_tasks_create(tasks, &in, env->arena, &t, err);
    return finish(env, tasks, st, &t, out);
}

ken_status ken_tool__get_task(const ken_tool_env *env, const json_t *args, json_t **out,
                              ken_err *err)
{
    ken_tasks *tasks = NULL;
    ken_task t = { 0 };
    ken_str id = text_arg(args, "task_id");
    ken_status st = open_for(env, id, &tasks, err);
    if (st)
        return st;
    st = ken_tasks_get(tasks, id, env->arena, &t, err);
    return finish(env, tasks, st, &t, out);
}

ken_status ken_tool__update_task(const ken_tool_env *env, const json_t *args, json_t **out,
                                 ken_err *err)
{
    ken_tasks *tasks = NULL;
    ken_task_input in;
    ken_task t = { 0 };
    ken_str id = text_arg(args, "task_id");
    ken_status st = read_input(env, args, false, &in, err);
    if (!st)
        st = open_for(env, id, &tasks, err);
    if (st)
        return st;
    st = ken_tasks_update(tasks, id, &in, env->arena, &t, err);
    return finish(env, tasks, st, &t, out);
}

ken_status ken_tool__delete_task(const ken_tool_env *env, const json_t *args, json_t **out,
                                 ken_err *err)
{
    ken_tasks *tasks = NULL;
    ken_task t = { 0 };
    ken_str id = text_arg(args, "task_id");
    ken_status st = open_for(env, id, &tasks, err);
    if (st)
        return st;
    st = ken_tasks_delete(tasks, id, env->arena, &t, err);
    st = finish(env, tasks, st, &t, out);
    if (!st)
        ken_json_set_bool(*out, "deleted", true);
    return st;
}

static ken_status read_query(const ken_tool_env *env, const json_t *args, ken_task_query *q,
                             ken_err *err)
{
    q->status = text_arg(args, "status");
    q->branch = text_arg(args, "branch");
    q->text = text_arg(args, "query");
    q->limit = KEN_TASK_LIMIT;
    ken_status st = ken_json_read_u64(args, "args", "limit", &q->limit, err);
    if (!st)
        st = ken_json_read_u64(args, "args", "offset", &q->offset, err);
    return st ? st : find_project(env, text_arg(args, "project"), &q->project, err);
}

static json_t *listed_json(const ken_tool_env *env, const ken_task_page *page)
{
    ken_tool__projects projects = { 0 };
    json_t *list = json_array();
    if (ken_app_list_projects(env->app, env->arena, &projects.ptr, &projects.n, NULL))
        projects.n = 0;
    for (size_t i = 0; i < page->n; i++) {
        json_t *t = ken_tool__task_json(&page->tasks[i], &projects, true, env->arena);
        if (page->scores)
            ken_json_set_real(t, "score", page->scores[i]);
        ken_tool__fit_task(t, env->ctx->max_bytes / 2); // so that one at least fits
        ken_json_append(list, t);
    }
    return list;
}

static json_t *page_json(const ken_tool_env *env, const ken_task_query *q,
                         const ken_task_page *page)
{
    json_t *o = json_object();
    ken_json_set(o, "tasks", listed_json(env, page));
    if (!page->scores)
        ken_json_set_u64(o, "total", page->total);
    ken_json_set_u64(o, "limit", q->limit);
    ken_json_set_u64(o, "offset", q->offset);
    size_t n = ken_tool__fit(o, "tasks", env->ctx->max_bytes,
                             "more fits with a smaller limit; go on at next_offset");
    if (page->has_more || n < page->n)
        ken_json_set_u64(o, "next_offset", q->offset + n);
    return o;
}

ken_status ken_tool__list_tasks(const ken_tool_env *env, const json_t *args, json_t **out,
                                ken_err *err)
{
    ken_tasks *tasks = NULL;
    ken_task_query q = { 0 };
    ken_task_page page = { 0 };
    ken_status st = read_query(env, args, &q, err);
    if (!st)
        st = ken_app_borrow_tasks(env->app, &tasks, err);
    if (st)
        return st;
    st = ken_tasks_list(tasks, &q, env->arena, &page, err);
    ken_app_give_back_tasks(env->app, tasks);
    if (!st)
        *out = page_json(env, &q, &page);
    return st;
}
