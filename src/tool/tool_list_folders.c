// SPDX-License-Identifier: MIT
// list_folders: folders in a folder, to choose one that is to be a project.
#include "app/projects.h"
#include "tool/tool_graph_priv.h"

static json_t *folder_json(const ken_app_folder *f)
{
    char id[KEN_UUID_TEXT];
    json_t *o = json_object();
    ken_json_set_str(o, "name", f->name);
    ken_json_set_str(o, "path", f->path);
    ken_json_set_bool(o, "is_repository", f->is_repository);
    ken_json_set_bool(o, "is_project", f->is_project);
    if (f->is_project) {
        ken_uuid_format(f->project, id);
        ken_json_set_str(o, "project_id", ken_str_c(id));
    }
    ken_json_set_bool(o, "is_allowed", f->is_allowed);
    return o;
}

ken_status ken_tool__list_folders(const ken_tool_env *env, const void *args, json_t **out,
                                  ken_err *err)
{
    const ken_args_list_folders *a = args;
    const ken_app_folders_opts opts = { .path = a->path, .wants_hidden = a->hidden };
    ken_app_folders found;
    if (env->ctx->project.len || env->ctx->is_read_only)
        return KEN_FAIL(err, KEN_EPERM,
                        "folders of this machine are shown to who may make them projects: not to "
                        "who may only read, or serves one project");
    ken_status st =
        ken_app_list_folders(env->app, &opts, env->ctx->cancel, env->arena, &found, err);
    if (st)
        return st;
    json_t *o = json_object(), *list = json_array();
    ken_json_set_str(o, "path", found.path);
    if (found.parent.len)
        ken_json_set_str(o, "parent", found.parent);
    for (uint64_t i = a->offset; i < found.n && i - a->offset < a->limit; i++)
        ken_json_append(list, folder_json(&found.folders[i]));
    ken_json_set(o, "folders", list);
    ken_json_set_u64(o, "total", found.n);
    if (found.is_cut)
        ken_json_set_bool(o, "is_cut", true);
    ken_tool__fit(o, "folders", env->ctx->max_bytes, "there are more folders than fit here");
    ken_tool__set_page(o, "folders", "total", a->offset);
    *out = o;
    return KEN_OK;
}

void ken_tool__list_folders_text(const json_t *answer, ken_paint *out)
{
    const json_t *list = json_object_get(answer, "folders");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *f = json_array_get(list, i);
        ken_paint_str(out, KEN_STYLE_PATH, ken_tool__member(f, "path"));
        ken_paint_puts(out, json_is_true(json_object_get(f, "is_project"))      ? "  project\n"
                            : json_is_true(json_object_get(f, "is_repository")) ? "  repository\n"
                                                                                : "\n");
    }
    ken_tool__put_page_tail(answer, "folders", "total", out);
}
