// SPDX-License-Identifier: MIT
// index_repository: registers a folder and brings its index up to date.
#include "base/alloc.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/utf8.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_rules_priv.h"

typedef struct index_request {
    ken_str path, name;
    bool is_forced, is_only;
    ken_str on_error;       // "skip" or "abort"
    uint64_t max_file_size; // 0 = what settings say
    ken_str *include, *exclude;
    size_t n_include, n_exclude;
} index_request;

static ken_status read_patterns(const ken_tool_env *env, const json_t *list, const char *key,
                                ken_str **out, size_t *out_n, ken_err *err)
{
    size_t n = json_array_size(list);
    if (!n)
        return KEN_OK;
    ken_str *patterns = KEN_ARENA_ARRAY(env->arena, ken_str, n);
    for (size_t i = 0; i < n; i++) {
        patterns[i] = ken_json_text(json_array_get(list, i));
        ken_status st = ken_glob_check(patterns[i], err);
        if (st)
            return ken_err_wrap(err, "args.%s[%zu]", key, i);
    }
    *out = patterns;
    *out_n = n;
    return KEN_OK;
}

static ken_status read_request(const ken_tool_env *env, const ken_args_index_repository *a,
                               index_request *req, ken_err *err)
{
    *req = (index_request){ .path = a->repo_path,
                            .name = a->name,
                            .is_forced = a->force_reindex,
                            .is_only = a->only,
                            .on_error = a->on_error,
                            .max_file_size = a->max_file_size };
    if (!req->path.len)
        return KEN_FAIL(err, KEN_EINVAL,
                        "args.repo_path is required: the path of the folder to index");
    ken_status st = read_patterns(env, a->include_patterns, "include_patterns", &req->include,
                                  &req->n_include, err);
    if (!st)
        st = read_patterns(env, a->exclude_patterns, "exclude_patterns", &req->exclude,
                           &req->n_exclude, err);
    return st;
}

// The project of the folder; a bound endpoint knows only its own.
static ken_status find_target(const ken_tool_env *env, const index_request *req,
                              ken_project_info *out, ken_err *err)
{
    const ken_str none = { "", 0 };
    bool is_absolute = ken_str_starts(req->path, KEN_STR("/"));
    if (!is_absolute && !env->ctx->cwd.len)
        return KEN_FAIL(err, KEN_EINVAL,
                        "args.repo_path '" KEN_STR_FMT "' must be an absolute path",
                        KEN_STR_ARG(ken_utf8_clip(req->path, 200)));
    ken_str path = ken_tool__absolute(env, req->path);
    if (!env->ctx->project.len)
        return ken_app_add_client_project(env->app, path, req->name, env->arena, out, err);
    ken_str real;
    ken_status st = ken_tool__find_project(env, none, out, err);
    if (st)
        return st;
    if (ken_path_real(env->arena, path, &real, NULL) || !ken_str_eq(real, out->root))
        return KEN_FAIL(err, KEN_EPERM,
                        "this endpoint serves project '" KEN_STR_FMT "' only; "
                        "its path is '" KEN_STR_FMT "'",
                        KEN_STR_ARG(ken_utf8_clip(out->name, 80)),
                        KEN_STR_ARG(ken_utf8_clip(out->root, 200)));
    return KEN_OK;
}

static json_t *patterns_json(const ken_str *list, size_t n)
{
    json_t *a = json_array();
    for (size_t i = 0; i < n; i++)
        ken_json_append(a, ken_json_str(list[i]));
    return a;
}

static json_t *scope_json(ken_str scope)
{
    json_t *a = json_array();
    ken_str line;
    while (ken_str_line_next(&scope, &line))
        ken_json_append(a, ken_json_str(line));
    return a;
}

static json_t *skips_json(const uint64_t skips[KEN_SKIP_COUNT])
{
    json_t *o = json_object();
    for (int i = 1; i < KEN_SKIP_COUNT; i++) {
        if (skips[i])
            ken_json_set_u64(o, ken_skip_word((ken_skip_reason)i), skips[i]);
    }
    return o;
}

static json_t *report_json(const ken_project_info *p, const ken_index_opts *opts,
                           const ken_index_report *r, ken_arena *arena)
{
    char id[KEN_UUID_TEXT];
    ken_uuid_format(p->id, id);
    json_t *o = json_object(), *errors = json_array(), *changes = json_object();
    ken_json_set_str(o, "repository_id", ken_str_c(id));
    ken_json_set(o, "project", ken_tool__project_json(p));
    ken_json_set_str(o, "status",
                     r->n_issues  ? KEN_STR("partial")
                     : r->n_files ? KEN_STR("success")
                                  : KEN_STR("empty"));
    ken_json_set_u64(o, "files_indexed", r->n_files);
    if (!r->n_files)
        ken_json_set_str(o, "note", ken_index_empty_note(r, opts, arena));
    else if (r->memory_needed)
        ken_json_set_str(o, "note", ken_index_memory_note(r, arena));
    ken_json_set_u64(o, "chunks_created", r->n_chunks);
    ken_json_set_u64(o, "symbols", r->n_symbols);
    ken_json_set_u64(o, "files_parsed", r->n_parsed);
    ken_json_set_u64(changes, "added", r->n_added);
    ken_json_set_u64(changes, "modified", r->n_modified);
    ken_json_set_u64(changes, "removed", r->n_removed);
    ken_json_set_u64(changes, "renamed", r->n_renamed);
    ken_json_set_u64(changes, "unchanged", r->n_unchanged);
    ken_json_set(o, "changes", changes);
    ken_json_set_u64(o, "files_skipped", r->n_skipped);
    ken_json_set(o, "skipped", skips_json(r->skips));
    if (r->n_checkpoints_kept || r->n_checkpoints_lost) {
        ken_json_set_u64(o, "checkpoints_kept", r->n_checkpoints_kept);
        ken_json_set_u64(o, "checkpoints_lost", r->n_checkpoints_lost);
    }
    ken_json_set_real(o, "duration_seconds", (double)r->duration_ms / 1000);
    ken_json_set_u64(o, "generation", r->generation);
    if (r->scope.len)
        ken_json_set(o, "scope", scope_json(r->scope));
    ken_json_set(o, "include_patterns", patterns_json(opts->scan.include, opts->scan.n_include));
    ken_json_set(o, "exclude_patterns", patterns_json(opts->scan.exclude, opts->scan.n_exclude));
    ken_json_set_u64(o, "max_file_size", opts->scan.max_file_bytes);
    ken_json_set_time(o, "timestamp", ken_clock_wall_ms());
    for (size_t i = 0; i < r->n_issues; i++) {
        json_t *e = json_object();
        ken_json_set_str(e, "file_path", r->issues[i].path);
        ken_json_set_str(e, "error", r->issues[i].text);
        ken_json_append(errors, e);
    }
    ken_json_set(o, "errors", errors);
    return o;
}

ken_status ken_tool__index_repository(const ken_tool_env *env, const void *args, json_t **out,
                                      ken_err *err)
{
    index_request req;
    ken_project_info project;
    ken_config *settings = NULL;
    ken_index_report report;
    ken_app_embedding made;
    ken_status st = read_request(env, args, &req, err);
    if (!st)
        st = find_target(env, &req, &project, err);
    if (!st)
        st = ken_app_load_settings(env->app, &project, &settings, err);
    if (st)
        return st;
    ken_index_opts opts = ken_app_index_opts(settings);
    const bool wants_all = req.n_include == 1 && ken_str_eq(req.include[0], KEN_STR("**"));
    if (req.n_include && !wants_all) {
        opts.scan.include = req.include;
        opts.scan.n_include = req.n_include;
    }
    if (req.n_exclude) {
        opts.scan.exclude = req.exclude;
        opts.scan.n_exclude = req.n_exclude;
    }
    if (req.max_file_size)
        opts.scan.max_file_bytes = req.max_file_size;
    opts.scope = (ken_index_scope){ .is_cleared = wants_all,
                                    .has_include = req.n_include > 0 && !wants_all,
                                    .has_exclude = req.n_exclude > 0,
                                    .has_max_bytes = req.max_file_size > 0,
                                    .may_shrink = req.is_only };
    opts.is_forced = req.is_forced;
    opts.is_strict = ken_str_eq(req.on_error, KEN_STR("abort"));
    opts.on_progress = ken_tool__on_index;
    opts.progress_ctx = (void *)(uintptr_t)env; // not changed
    st = ken_app_index(env->app, &project, &opts, env->ctx->cancel, env->arena, &report, err);
    if (!st)
        st = ken_app_embed(env->app, &project, settings, ken_tool__on_index, (void *)(uintptr_t)env,
                           env->ctx->cancel, env->arena, &made, err);
    if (!st) {
        ken_tool__set_rules_project(env, &project);
        *out = report_json(&project, &opts, &report, env->arena);
        if (made.was_needed || made.note.len)
            ken_json_set(*out, "embedding", ken_app_embedding_json(&made));
        ken_tool__fit(*out, "errors", env->ctx->max_bytes,
                      "more files had problems; get_repo_status counts them");
    }
    ken_config_free(settings);
    return st;
}

void ken_tool__index_repository_text(const json_t *answer, ken_paint *out)
{
    static const char *const kinds[] = { "added", "modified", "removed", "renamed" };
    const json_t *project = json_object_get(answer, "project"),
                 *changes = json_object_get(answer, "changes"),
                 *errors = json_object_get(answer, "errors");
    ken_paint_printf(out, KEN_STYLE_PLAIN, KEN_STR_FMT ": %lld files indexed of ",
                     KEN_STR_ARG(ken_tool__member(answer, "status")),
                     ken_tool__number(answer, "files_indexed"));
    ken_paint_str(out, KEN_STYLE_PATH, ken_tool__member(project, "root"));
    ken_paint_printf(out, KEN_STYLE_PLAIN, " in %.2f s: %lld parsed, %lld chunks, %lld symbols",
                     json_number_value(json_object_get(answer, "duration_seconds")),
                     ken_tool__number(answer, "files_parsed"),
                     ken_tool__number(answer, "chunks_created"),
                     ken_tool__number(answer, "symbols"));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ken_tool__number(changes, kinds[i]))
            ken_paint_printf(out, KEN_STYLE_PLAIN, ", %lld %s", ken_tool__number(changes, kinds[i]),
                             kinds[i]);
    ken_paint_printf(out, KEN_STYLE_PLAIN, "; %lld files skipped\n",
                     ken_tool__number(answer, "files_skipped"));
    for (size_t i = 0; i < json_array_size(errors); i++) {
        const json_t *e = json_array_get(errors, i);
        ken_paint_puts(out, "error: ");
        ken_paint_str(out, KEN_STYLE_PATH, ken_tool__member(e, "file_path"));
        ken_paint_puts(out, ": ");
        ken_paint_str(out, KEN_STYLE_BAD, ken_tool__member(e, "error"));
        ken_paint_puts(out, "\n");
    }
    ken_tool__put_tail(answer, out);
}
