// SPDX-License-Identifier: MIT
// archive_project: sets a project aside, with its index, or takes it up again.
#include "tool/tool_graph_priv.h"

ken_status ken_tool__archive_project(const ken_tool_env *env, const void *args, json_t **out,
                                     ken_err *err)
{
    const ken_args_archive_project *a = args;
    ken_project_info project;
    ken_status st = ken_tool__find_project(env, a->project, &project, err);
    if (!st)
        st = ken_app_archive_project(env->app, &project, !a->undo, err);
    if (st)
        return st;
    json_t *o = json_object();
    ken_json_set(o, "project", ken_tool__project_json(&project));
    ken_json_set_bool(o, "is_active", !project.is_archived);
    *out = o;
    return KEN_OK;
}

void ken_tool__archive_project_text(const json_t *answer, ken_paint *out)
{
    bool is_active = json_is_true(json_object_get(answer, "is_active"));
    ken_paint_puts(out, is_active ? "took up " : "archived ");
    ken_paint_str(out, KEN_STYLE_PATH,
                  ken_tool__member(json_object_get(answer, "project"), "root"));
    ken_paint_puts(out, is_active ? " again\n" : "; its index stays, and nothing asks it\n");
}
