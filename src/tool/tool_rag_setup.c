// SPDX-License-Identifier: MIT
// rag_setup: the one tool that writes into a project: what its code does, written down as rules.
#include "base/utf8.h"
#include "rulebook/rulebook_setup.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_rules_priv.h"

static ken_status check_root(ken_str root, ken_err *err)
{
    if (ken_str_starts(root, KEN_STR("/")))
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL,
                    "args.project_root: must be an absolute path, got '" KEN_STR_FMT "'",
                    KEN_STR_ARG(ken_utf8_clip(root, 60)));
}

static ken_status find_project(const ken_tool_env *env, ken_str root, ken_project_info *out,
                               ken_err *err)
{
    if (env->ctx->is_read_only)
        return KEN_FAIL(err, KEN_EPERM,
                        "rag_setup writes into the project, and this server is read-only");
    if (env->ctx->project.len)
        return ken_tool__find_project(env, root, out, err);
    ken_status st = ken_app_add_client_project(env->app, root, KEN_STR(""), env->arena, out, err);
    return st ? ken_err_wrap(err, "project_root") : KEN_OK;
}

static json_t *path_json(ken_str path)
{
    return path.ptr ? ken_json_str(path) : json_null();
}

static json_t *patterns_json(const ken_survey *v)
{
    json_t *o = json_object();
    ken_json_set(o, "middleware", ken_tool__texts_json(v->middleware, v->n_middleware));
    ken_json_set(o, "responseFormat", path_json(v->response_format));
    return o;
}

static json_t *file_json(const ken_setup_file *f)
{
    json_t *o = json_object();
    ken_json_set_str(o, "path", f->path);
    ken_json_set_str(o, "action", ken_str_c(ken_setup_action_word(f->action)));
    if (f->n_conflicts)
        ken_json_set_u64(o, "conflicts", f->n_conflicts);
    if (f->note.len)
        ken_json_set_str(o, "note", f->note);
    if (f->diff.len)
        ken_json_set_str(o, "diff", f->diff);
    return o;
}

static json_t *part_json(const ken_survey_part *p)
{
    json_t *o = json_object();
    ken_json_set_str(o, "path", p->path);
    ken_json_set_str(o, "stack", p->stack);
    ken_json_set_str(o, "manifest", p->manifest);
    ken_json_set_bool(o, "frontend", p->is_frontend);
    ken_json_set_bool(o, "backend", p->is_backend);
    return o;
}

static size_t count_rules(const ken_survey *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n_findings; i++)
        n += !v->findings[i].is_fact;
    return n;
}

static json_t *setup_json(const ken_tool_env *env, const ken_project_info *p, const ken_setup *s)
{
    json_t *o = ken_tool__success_json(), *generated = json_array(), *files = json_array(),
           *parts = json_array();
    for (size_t i = 0; i < s->n_files; i++) {
        const ken_setup_file *f = &s->files[i];
        if (f->action == KEN_SETUP_WRITTEN || f->action == KEN_SETUP_MERGED)
            ken_json_append(generated, ken_json_str(f->path));
        ken_json_append(files, file_json(f));
    }
    for (size_t i = 0; i < s->survey.n_parts; i++)
        ken_json_append(parts, part_json(&s->survey.parts[i]));
    ken_json_set_str(o, "projectRoot", p->root);
    ken_json_set(o, "frontendDetected", path_json(s->survey.frontend));
    ken_json_set(o, "backendDetected", path_json(s->survey.backend));
    ken_json_set_str(o, "chromaDbPath", s->collections);
    ken_json_set(o, "filesGenerated", generated);
    ken_json_set(o, "patternsDetected", patterns_json(&s->survey));
    ken_json_set_u64(o, "rulesFound", count_rules(&s->survey));
    ken_json_set(o, "parts", parts);
    ken_json_set(o, "files", files);
    ken_json_set_str(o, "message",
                     KEN_STR("Project initialized. Call rag_index to build search collections."));
    ken_tool__fit(o, "files", env->ctx->max_bytes, "the files themselves say the rest");
    ken_tool__fit(o, "parts", env->ctx->max_bytes, "there are more parts");
    return o;
}

static ken_status set_up(const ken_tool_env *env, const ken_project_info *project,
                         ken_setup_opts *opts, json_t **out, ken_err *err)
{
    ken_tool__scope scope;
    ken_setup made = { .n_files = 0 };
    ken_status st = ken_tool__open_project(env, project, &scope, err);
    if (st)
        return st;
    opts->root = project->root;
    st = ken_rulebook_setup(scope.snap, opts, env->arena, &made, err);
    if (!st) {
        *out = setup_json(env, project, &made);
        ken_tool__set_rules_project(env, project);
    }
    ken_tool__close(env, &scope);
    return st;
}

ken_status ken_tool__rag_setup(const ken_tool_env *env, const void *args, json_t **out,
                               ken_err *err)
{
    const ken_args_rag_setup *a = args;
    ken_setup_opts opts = { .cancel = env->ctx->cancel,
                            .frontend_path = a->frontend_path,
                            .backend_path = a->backend_path,
                            .is_forced = a->force };
    ken_project_info project = { .indexed_at_ms = 0 };
    ken_status st = check_root(a->project_root, err);
    if (!st)
        st = find_project(env, a->project_root, &project, err);
    return st ? st : set_up(env, &project, &opts, out, err);
}

// ---- text --------------------------------------------------------------------------------------

static void put_diff(ken_str diff, ken_paint *out)
{
    ken_str line;
    while (ken_str_line_next(&diff, &line)) {
        char first = line.len ? line.ptr[0] : ' ';
        ken_paint_puts(out, "    ");
        ken_paint_str(out,
                      first == '+'   ? KEN_STYLE_GOOD
                      : first == '-' ? KEN_STYLE_BAD
                                     : KEN_STYLE_DIM,
                      line);
        ken_paint_puts(out, "\n");
    }
}

static void put_side(const json_t *answer, const char *key, const char *head, ken_paint *out)
{
    ken_str path = ken_tool__member(answer, key);
    ken_paint_printf(out, KEN_STYLE_PLAIN, "%s: ", head);
    ken_paint_str(out, path.len ? KEN_STYLE_PATH : KEN_STYLE_PLAIN,
                  path.len ? path : KEN_STR("none found"));
    ken_paint_puts(out, "\n");
}

void ken_tool__rag_setup_text(const json_t *answer, ken_paint *out)
{
    const json_t *files = json_object_get(answer, "files");
    put_side(answer, "frontendDetected", "front end", out);
    put_side(answer, "backendDetected", "back end", out);
    ken_paint_printf(out, KEN_STYLE_PLAIN, "%lld rule%s enough evidence\n",
                     ken_tool__number(answer, "rulesFound"),
                     ken_tool__number(answer, "rulesFound") == 1 ? " has" : "s have");
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *f = json_array_get(files, i);
        ken_str note = ken_tool__member(f, "note");
        ken_paint_printf(out, KEN_STYLE_PLAIN, KEN_STR_FMT " ",
                         KEN_STR_ARG(ken_tool__member(f, "action")));
        ken_paint_str(out, KEN_STYLE_PATH, ken_tool__member(f, "path"));
        if (note.len) {
            ken_paint_puts(out, ": ");
            ken_paint_str(out, KEN_STYLE_DIM, note);
        }
        ken_paint_puts(out, "\n");
        put_diff(ken_tool__member(f, "diff"), out);
    }
    ken_tool__put_tail(answer, out);
}
