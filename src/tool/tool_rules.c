// SPDX-License-Identifier: MIT
// Which project's rules a call is about, and what the rag_ tools have in common.
#include "base/fs.h"
#include "base/path.h"
#include "base/utf8.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_rules_priv.h"

bool ken_tool__has_rag_folder(const ken_tool_env *env, ken_str root)
{
    ken_fs_info info;
    ken_str path = ken_path_join(env->arena, root, KEN_STR(".rag"));
    return !ken_fs_stat(KEN_FS_CWD, path.ptr, &info, NULL) && info.kind == KEN_FS_DIR;
}

ken_status ken_tool__find_rules_project(const ken_tool_env *env, ken_str ref, ken_project_info *out,
                                        ken_err *err)
{
    if (ref.len || env->ctx->project.len)
        return ken_tool__find_project(env, ref, out, err);
    ken_status st = ken_app_load_rules_project(env->app, env->arena, out, err);
    if (st == KEN_ENOTFOUND)
        st = ken_tool__find_served(env, out, err);
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, st,
                        "no project context. Call rag_setup with project_root first, or name the "
                        "project");
    return st;
}

ken_status ken_tool__open_rules(const ken_tool_env *env, ken_str ref, ken_tool__scope *out,
                                ken_rulebook **out_book, ken_err *err)
{
    ken_project_info project = { .root_exists = false };
    ken_status st = ken_tool__find_rules_project(env, ref, &project, err);
    if (!st && !project.root_exists)
        st = KEN_FAIL(err, KEN_ENOTFOUND, "the project's folder '" KEN_STR_FMT "' is gone",
                      KEN_STR_ARG(ken_utf8_clip(project.root, 300)));
    if (!st)
        st = ken_tool__open_project(env, &project, out, err);
    if (!st)
        *out_book = ken_app_rulebook(env->app, out->snap);
    return st;
}

void ken_tool__tell_rules_project(const ken_tool_env *env, const ken_project_info *project,
                                  ken_str ref, json_t *o)
{
    ken_str cwd = env->ctx->cwd;
    ken_json_set_str(o, "projectRoot", project->root);
    if (ref.len || env->ctx->project.len || !cwd.len || ken_path_is_under(project->root, cwd))
        return;
    ken_json_set_str(o, "projectNote",
                     ken_arena_printf(env->arena,
                                      "this is '" KEN_STR_FMT "', the project that was set up or "
                                      "indexed last; name the project for another",
                                      KEN_STR_ARG(ken_utf8_clip(project->root, 300))));
}

void ken_tool__put_rules_project(const json_t *answer, ken_paint *out)
{
    ken_str note = ken_tool__member(answer, "projectNote");
    if (note.len)
        ken_paint_printf(out, KEN_STYLE_DIM, KEN_STR_FMT "\n", KEN_STR_ARG(note));
}

void ken_tool__set_rules_project(const ken_tool_env *env, const ken_project_info *project)
{
    if (!env->ctx->is_read_only && !env->ctx->project.len &&
        ken_app_set_rules_project(env->app, project, NULL))
        return; // the next call names its project, or is told to
}

json_t *ken_tool__success_json(void)
{
    json_t *o = json_object();
    ken_json_set_str(o, "status", KEN_STR("success"));
    return o;
}

json_t *ken_tool__collections_json(const ken_rulebook_counts *c)
{
    json_t *o = json_object();
    ken_json_set_u64(o, "codebase", c->codebase);
    ken_json_set_u64(o, "constraints", c->constraints);
    ken_json_set_u64(o, "patterns", c->patterns);
    return o;
}

void ken_tool__put_count(ken_buf *out, size_t n, const char *noun)
{
    ken_buf_printf(out, "%zu %s%s", n, noun, n == 1 ? "" : "s");
}

json_t *ken_tool__texts_json(const ken_str *items, size_t n)
{
    json_t *a = json_array();
    for (size_t i = 0; i < n; i++)
        ken_json_append(a, ken_json_str(items[i]));
    return a;
}
