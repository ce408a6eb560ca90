// SPDX-License-Identifier: MIT
// create_task, get_task, list_tasks, update_task, delete_task.
//
// Tasks are those of all projects. An endpoint that is bound to one project sees the tasks of that
// project only, and links what it creates to it.
#include "base/alloc.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "tool/tool_tasks_priv.h"
#include "tool_specs.h"

// ---- arguments -------------------------------------------------------------------------------

// ptr NULL when it is not given, not when it is empty.
static ken_str member_text(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
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

static ken_status read_references(const json_t *list, ken_arena *arena, ken_task_input *in,
                                  ken_err *err)
{
    size_t n = json_array_size(list);
    ken_task_reference *refs = KEN_ARENA_ARRAY(arena, ken_task_reference, n + 1);
    for (size_t i = 0; i < n; i++) {
        json_t *v = json_array_get(list, i);
        ken_status st = check_reference(v, i, err);
        if (st)
            return st;
        refs[i].path = json_is_object(v) ? member_text(v, "file_path") : ken_json_text(v);
        refs[i].type = json_is_object(v) ? member_text(v, "reference_type") : (ken_str){ 0 };
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

static ken_status read_create(const ken_tool_env *env, const ken_args_create_task *a,
                              ken_task_input *in, ken_err *err)
{
    *in = (ken_task_input){ .title = a->title,
                            .description = a->description,
                            .notes = a->notes,
                            .status = a->status,
                            .root = repository_around(env),
                            .cancel = env->ctx->cancel,
                            .now_ms = ken_clock_wall_ms(),
                            .sets_project = true }; // a bound endpoint links to its own
    ken_status st = read_references(a->planning_references, env->arena, in, err);
    return st ? st : find_project(env, a->project, &in->project, err);
}

static ken_status read_update(const ken_tool_env *env, const ken_args_update_task *a,
                              ken_task_input *in, ken_err *err)
{
    *in = (ken_task_input){ .title = a->title,
                            .description = a->description,
                            .notes = a->notes,
                            .status = a->status,
                            .branch = a->branch,
                            .commit = a->commit,
                            .if_updated_at = a->if_updated_at,
                            .root = repository_around(env),
                            .cancel = env->ctx->cancel,
                            .now_ms = ken_clock_wall_ms(),
                            .sets_project = a->project.ptr != NULL };
    ken_status st = read_references(a->planning_references, env->arena, in, err);
    if (st || !in->sets_project)
        return st;
    return find_project(env, a->project, &in->project, err);
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

enum {
    CANDIDATES = 5 // named of those that an id may mean
};

static ken_status refuse_several(const ken_tool_env *env, ken_str id, const ken_task *found,
                                 size_t n, ken_err *err)
{
    ken_str list = KEN_STR("");
    for (size_t i = 0; i < n && i < CANDIDATES; i++) {
        char text[KEN_UUID_TEXT];
        ken_uuid_format(found[i].uuid, text);
        list =
            ken_arena_printf(env->arena, KEN_STR_FMT "%s%s (" KEN_STR_FMT ")", KEN_STR_ARG(list),
                             i ? ", " : "", text, KEN_STR_ARG(ken_utf8_clip(found[i].title, 40)));
    }
    return KEN_FAIL(err, KEN_EINVAL,
                    "task_id: '" KEN_STR_FMT
                    "' is the beginning of %s%zu ids; give more of the one: " KEN_STR_FMT,
                    KEN_STR_ARG(ken_utf8_clip(id, 60)), n > CANDIDATES ? "more than " : "",
                    n > CANDIDATES ? (size_t)CANDIDATES : n, KEN_STR_ARG(list));
}

// The id that begins with these digits, as with git's commits. A whole id is left as it is.
static ken_status complete_id(const ken_tool_env *env, ken_tasks *tasks, ken_str *id, ken_err *err)
{
    ken_uuid whole;
    ken_task *found = NULL;
    size_t n = 0;
    char text[KEN_UUID_TEXT];
    if (ken_uuid_parse(*id, &whole))
        return KEN_OK;
    ken_status st = ken_tasks_find(tasks, *id, CANDIDATES + 1, env->arena, &found, &n, err);
    if (st)
        return st;
    if (!n)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "task_id: there is no task whose id begins with '" KEN_STR_FMT
                        "'; list_tasks shows all",
                        KEN_STR_ARG(ken_utf8_clip(*id, 60)));
    if (n > 1)
        return refuse_several(env, *id, found, n, err);
    ken_uuid_format(found[0].uuid, text);
    *id = ken_arena_dup(env->arena, ken_str_c(text));
    return KEN_OK;
}

// The service, for a task that this endpoint may know of; `*id` becomes whole.
static ken_status open_for(const ken_tool_env *env, ken_str *id, ken_tasks **out, ken_err *err)
{
    ken_status st = ken_app_borrow_tasks(env->app, out, err);
    if (st)
        return st;
    st = complete_id(env, *out, id, err);
    if (!st)
        st = check_is_ours(env, *out, *id, err);
    if (st)
        ken_app_give_back_tasks(env->app, *out);
    return st;
}

ken_status ken_tool__create_task(const ken_tool_env *env, const void *args, json_t **out,
                                 ken_err *err)
{
    ken_tasks *tasks = NULL;
    ken_task_input in;
    ken_task t = { 0 };
    ken_status st = read_create(env, args, &in, err);
    if (!st)
        st = ken_app_borrow_tasks(env->app, &tasks, err);
    if (st)
        return st;
    st = ken_tasks_create(tasks, &in, env->arena, &t, err);
    return finish(env, tasks, st, &t, out);
}

ken_status ken_tool__get_task(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    ken_tasks *tasks = NULL;
    ken_task t = { 0 };
    const ken_args_get_task *a = args;
    ken_str id = a->task_id;
    ken_status st = open_for(env, &id, &tasks, err);
    if (st)
        return st;
    st = ken_tasks_get(tasks, id, env->arena, &t, err);
    return finish(env, tasks, st, &t, out);
}

ken_status ken_tool__update_task(const ken_tool_env *env, const void *args, json_t **out,
                                 ken_err *err)
{
    ken_tasks *tasks = NULL;
    ken_task_input in;
    ken_task t = { 0 };
    const ken_args_update_task *a = args;
    ken_str id = a->task_id, remark = { 0 };
    ken_status st = read_update(env, a, &in, err);
    in.out_remark = &remark;
    if (!st)
        st = open_for(env, &id, &tasks, err);
    if (st)
        return st;
    st = ken_tasks_update(tasks, id, &in, env->arena, &t, err);
    st = finish(env, tasks, st, &t, out);
    if (!st && remark.len)
        ken_json_set_str(*out, "note", remark);
    return st;
}

ken_status ken_tool__delete_task(const ken_tool_env *env, const void *args, json_t **out,
                                 ken_err *err)
{
    ken_tasks *tasks = NULL;
    ken_task t = { 0 };
    const ken_args_delete_task *a = args;
    ken_str id = a->task_id;
    ken_status st = open_for(env, &id, &tasks, err);
    if (st)
        return st;
    st = ken_tasks_delete(tasks, id, env->arena, &t, err);
    st = finish(env, tasks, st, &t, out);
    if (!st)
        ken_json_set_bool(*out, "deleted", true);
    return st;
}

static ken_status read_query(const ken_tool_env *env, const ken_args_list_tasks *a,
                             ken_task_query *q, ken_err *err)
{
    q->status = a->status;
    q->branch = a->branch;
    q->text = a->query;
    q->limit = a->limit;
    q->offset = a->offset;
    return find_project(env, a->project, &q->project, err);
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
                             "more fits with a smaller {limit}; go on with {offset}");
    if (page->has_more || n < page->n)
        ken_json_set_u64(o, "next_offset", q->offset + n);
    return o;
}

ken_status ken_tool__list_tasks(const ken_tool_env *env, const void *args, json_t **out,
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
