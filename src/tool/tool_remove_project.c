// SPDX-License-Identifier: MIT
// remove_project: forgets a project and removes its index; of files only those of a clone go too.
#include "tool/tool_graph_priv.h"

ken_status ken_tool__remove(const ken_tool_env *env, const ken_project_info *project, json_t **out,
                            ken_err *err)
{
    ken_status st = ken_app_remove_project(env->app, project, err);
    if (st)
        return st;
    json_t *o = json_object();
    ken_json_set(o, "project", ken_tool__project_json(project));
    ken_json_set_bool(o, "removed", true);
    *out = o;
    return KEN_OK;
}

ken_status ken_tool__remove_project(const ken_tool_env *env, const void *args, json_t **out,
                                    ken_err *err)
{
    const ken_args_remove_project *a = args;
    ken_project_info project;
    ken_status st = ken_tool__find_project(env, a->project, &project, err);
    if (!st && !a->confirm)
        st = KEN_FAIL(err, KEN_EINVAL,
                      "args.confirm: removing the index of '" KEN_STR_FMT "' needs it",
                      KEN_STR_ARG(project.root));
    return st ? st : ken_tool__remove(env, &project, out, err);
}

void ken_tool__remove_project_text(const json_t *answer, ken_paint *out)
{
    ken_paint_puts(out, "removed the index of ");
    ken_paint_str(out, KEN_STYLE_PATH,
                  ken_tool__member(json_object_get(answer, "project"), "root"));
    ken_paint_puts(out, "\n");
}
