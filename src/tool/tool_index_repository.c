// SPDX-License-Identifier: MIT
// index_repository: registers a folder and brings its index up to date.
#include "base/alloc.h"
#include "base/clock.h"
#include "base/figure.h"
#include "base/fs.h"
#include "base/path.h"
#include "base/patience.h"
#include "base/utf8.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_index_priv.h"
#include "tool/tool_rules_priv.h"

enum {
    ERRORS_SHOWN = 20,   // in text
    BUSY_WAIT_MS = 5000, // for another run of the project
};

typedef struct index_request {
    ken_str path, name, from;
    bool is_forced, is_only;
    ken_str on_error;       // "skip" or "abort"
    uint64_t max_file_size; // 0 = what settings say
    uint64_t timeout_s;     // 0 = as the setting says; of a command: none
    ken_str *include, *exclude;
    size_t n_include, n_exclude;
    ken_str *add_roots, *remove_roots;
    size_t n_add_roots, n_remove_roots;
} index_request;

ken_status ken_tool__read_patterns(const ken_tool_env *env, const json_t *list, const char *key,
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

static void read_texts(const ken_tool_env *env, const json_t *list, ken_str **out, size_t *out_n)
{
    *out_n = json_array_size(list);
    *out = KEN_ARENA_ARRAY(env->arena, ken_str, *out_n + 1);
    for (size_t i = 0; i < *out_n; i++)
        (*out)[i] = ken_json_text(json_array_get(list, i));
}

static ken_status read_request(const ken_tool_env *env, const ken_args_index_repository *a,
                               index_request *req, ken_err *err)
{
    *req = (index_request){ .path = a->repo_path,
                            .name = a->name,
                            .from = a->from,
                            .is_forced = a->force_reindex,
                            .is_only = a->only,
                            .on_error = a->on_error,
                            .max_file_size = a->max_file_size,
                            .timeout_s = a->timeout_seconds };
    if (!req->path.len)
        return KEN_FAIL(err, KEN_EINVAL,
                        "args.repo_path is required: the path of the folder to index");
    read_texts(env, a->add_roots, &req->add_roots, &req->n_add_roots);
    read_texts(env, a->remove_roots, &req->remove_roots, &req->n_remove_roots);
    ken_status st = ken_tool__read_patterns(env, a->include_patterns, "include_patterns",
                                            &req->include, &req->n_include, err);
    if (!st)
        st = ken_tool__read_patterns(env, a->exclude_patterns, "exclude_patterns", &req->exclude,
                                     &req->n_exclude, err);
    return st;
}

static ken_status add_folder(const ken_tool_env *env, ken_str path, ken_str name,
                             ken_project_info *out, ken_err *err)
{
    return env->ctx->is_command
               ? ken_app_add_project(env->app, path, name, env->arena, out, err)
               : ken_app_add_client_project(env->app, path, name, env->arena, out, err);
}

static bool is_file(ken_str path)
{
    ken_fs_info info;
    return !ken_fs_stat(KEN_FS_CWD, path.ptr, &info, NULL) && info.kind == KEN_FS_FILE;
}

// Of a file the project that holds it: a known one, or the git work tree around it.
static ken_status find_holder(const ken_tool_env *env, ken_str file, ken_str name,
                              ken_project_info *out, ken_err *err)
{
    ken_str real;
    ken_status st = ken_path_real(env->arena, file, &real, err);
    if (st)
        return st;
    ken_str dir = ken_path_dir(real), tree = ken_tool__find_work_tree(env->arena, dir);
    st = ken_app_find_project(env->app, dir, KEN_STR(""), env->arena, out, NULL);
    if (!st && tree.len <= out->root.len)
        return KEN_OK;
    if (tree.ptr)
        return add_folder(env, tree, name, out, err);
    return KEN_FAIL(err, KEN_EINVAL,
                    "invalid path: '" KEN_STR_FMT
                    "' is not a folder, and no project holds it; name its folder",
                    KEN_STR_ARG(ken_utf8_clip(file, 300)));
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
        return is_file(path) ? find_holder(env, path, req->name, out, err)
                             : add_folder(env, path, req->name, out, err);
    ken_str real;
    ken_status st = ken_tool__find_project(env, none, out, err);
    if (st)
        return st;
    bool is_own =
        !ken_path_real(env->arena, path, &real, NULL) &&
        (is_file(real) ? ken_path_is_under(out->root, real) : ken_str_eq(real, out->root));
    if (!is_own)
        return KEN_FAIL(err, KEN_EPERM,
                        "this endpoint serves project '" KEN_STR_FMT "' only; "
                        "its path is '" KEN_STR_FMT "'",
                        KEN_STR_ARG(ken_utf8_clip(out->name, 80)),
                        KEN_STR_ARG(ken_utf8_clip(out->root, 200)));
    return KEN_OK;
}

// "DIR" or "NAME=DIR" with an absolute folder.
static ken_str absolute_root(const ken_tool_env *env, ken_str text)
{
    size_t eq = ken_str_find_char(text, '=');
    if (eq == SIZE_MAX || !ken_root_is_name(ken_str_sub(text, 0, eq)))
        return ken_tool__absolute(env, text);
    ken_str dir = ken_tool__absolute(env, ken_str_sub(text, eq + 1, text.len));
    return ken_arena_printf(env->arena, KEN_STR_FMT "=" KEN_STR_FMT,
                            KEN_STR_ARG(ken_str_sub(text, 0, eq)), KEN_STR_ARG(dir));
}

static ken_status change_roots(const ken_tool_env *env, const index_request *req,
                               ken_project_info *project, ken_err *err)
{
    if (!req->n_add_roots && !req->n_remove_roots)
        return KEN_OK;
    if (env->ctx->project.len)
        return KEN_FAIL(err, KEN_EPERM,
                        "this endpoint serves project '" KEN_STR_FMT
                        "' as it is; its roots are changed from the command line: ken index",
                        KEN_STR_ARG(ken_utf8_clip(project->name, 80)));
    for (size_t i = 0; i < req->n_add_roots; i++)
        req->add_roots[i] = absolute_root(env, req->add_roots[i]);
    const ken_app_roots_change change = { .add = req->add_roots,
                                          .n_add = req->n_add_roots,
                                          .remove = req->remove_roots,
                                          .n_remove = req->n_remove_roots,
                                          .is_for_client = !env->ctx->is_command };
    return ken_app_change_roots(env->app, project, &change, env->arena, err);
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
    ken_json_set_u64(o, "bytes_parsed", r->bytes_parsed);
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

// ---- the run -----------------------------------------------------------------------------------

typedef struct run {
    const ken_tool_env *env;
    index_request req;
    ken_project_info project;
    ken_config *settings;
    ken_index_opts opts;
    ken_index_report report;
    ken_app_embedding made;
    ken_tool__bundle bundle;
    uint64_t limit_s; // 0 = none
    ken_cancel cancel;
    ken_index_progress last; // how far it got
} run;

static void on_progress(void *ctx, const ken_index_progress *p)
{
    run *r = ctx;
    r->last = *p;
    ken_tool__on_index((void *)(uintptr_t)r->env, p); // not changed
}

static void set_opts(run *r)
{
    const index_request *req = &r->req;
    ken_index_opts *o = &r->opts;
    bool wants_all = false;
    *o = ken_app_index_opts(r->settings);
    for (size_t i = 0; i < req->n_include; i++)
        wants_all = wants_all || ken_str_eq(req->include[i], KEN_STR("**"));
    if (req->n_include && !wants_all) {
        o->scan.include = req->include;
        o->scan.n_include = req->n_include;
    }
    if (req->n_exclude) {
        o->scan.exclude = req->exclude;
        o->scan.n_exclude = req->n_exclude;
    }
    if (req->max_file_size)
        o->scan.max_file_bytes = req->max_file_size;
    o->scope = (ken_index_scope){ .is_cleared = wants_all,
                                  .has_include = req->n_include > 0 && !wants_all,
                                  .has_exclude = req->n_exclude > 0,
                                  .has_max_bytes = req->max_file_size > 0,
                                  .may_shrink = req->is_only || wants_all };
    o->is_forced = req->is_forced;
    o->is_strict = ken_str_eq(req->on_error, KEN_STR("abort"));
    o->on_progress = on_progress;
    o->progress_ctx = r;
}

static void set_limit(run *r)
{
    r->limit_s = r->req.timeout_s;
    if (!r->limit_s && !r->env->ctx->is_command)
        r->limit_s = ken_config_u64(r->settings, KEN_CFG_INDEX_TIMEOUT);
    r->cancel = (ken_cancel){ .also = r->env->ctx->cancel };
    if (r->limit_s)
        r->cancel.deadline_ns = ken_clock_mono_ns() + (int64_t)r->limit_s * 1000000000;
}

// The time of the call is over, and not that of whoever called.
static bool is_over(const run *r, ken_status st)
{
    return st == KEN_ETIMEOUT && r->limit_s && ken_clock_mono_ns() > r->cancel.deadline_ns &&
           !ken_cancel_check(r->env->ctx->cancel, NULL);
}

// What was parsed is kept, so the next run goes on; until then the index is as it was.
static json_t *stopped_json(const run *r)
{
    char id[KEN_UUID_TEXT];
    ken_uuid_format(r->project.id, id);
    json_t *o = json_object();
    ken_json_set_str(o, "repository_id", ken_str_c(id));
    ken_json_set(o, "project", ken_tool__project_json(&r->project));
    ken_json_set_str(o, "status", KEN_STR("partial"));
    ken_json_set_bool(o, "timed_out", true);
    ken_json_set_str(o, "stage", ken_str_c(r->last.stage ? r->last.stage : "scanning"));
    ken_json_set_u64(o, "files_done", r->last.n_done);
    ken_json_set_u64(o, "files_total", r->last.n_total);
    ken_json_set_str(o, "note",
                     ken_arena_printf(r->env->arena,
                                      "stopped after %llu s with %llu of %llu files done; what was "
                                      "parsed is kept, the next run goes on from there",
                                      (unsigned long long)r->limit_s,
                                      (unsigned long long)r->last.n_done,
                                      (unsigned long long)r->last.n_total));
    ken_json_set_time(o, "timestamp", ken_clock_wall_ms());
    ken_json_set(o, "errors", json_array());
    return o;
}

// Somebody stopped it: what that has left.
static void explain_stop(const run *r, ken_err *err)
{
    (void)KEN_FAIL(
        err, KEN_ECANCELLED,
        "cancelled with %llu of %llu files done; what was parsed is kept and the next run "
        "goes on from there, until then the index is as it was",
        (unsigned long long)r->last.n_done, (unsigned long long)r->last.n_total);
}

static json_t *done_json(const run *r)
{
    const ken_tool_env *env = r->env;
    json_t *o = report_json(&r->project, &r->opts, &r->report, env->arena);
    if (r->bundle.told)
        ken_json_set(o, "from", json_incref(r->bundle.told));
    if (r->made.was_needed || r->made.note.len) {
        json_t *e = ken_app_embedding_json(&r->made);
        ken_str text = ken_app_embedding_text(&r->made, env->arena);
        ken_json_set(e, "summary", text.len ? ken_json_str(text) : NULL);
        ken_json_set(o, "embedding", e);
    }
    ken_tool__fit(o, "errors", env->ctx->max_bytes,
                  "more files had problems; {get_repo_status} counts them");
    return o;
}

static void on_wait(void *ctx)
{
    on_progress(ctx, &(ken_index_progress){ .stage = "waiting" });
}

// A run that another call or a server has begun may be about to end.
static ken_status index_files(run *r, ken_err *err)
{
    ken_patience p = { .max_ms = BUSY_WAIT_MS, .on_wait = on_wait, .ctx = r };
    ken_err tried = { 0 };
    ken_status st;
    do
        st = ken_app_index(r->env->app, &r->project, &r->opts, &r->cancel, r->env->arena,
                           &r->report, &tried);
    while (ken_patience_tries_again(&p, &st, &r->cancel, &tried));
    if (st && err)
        *err = tried;
    return st;
}

static ken_status run_index(run *r, ken_err *err)
{
    const ken_tool_env *env = r->env;
    if (env->ctx->is_command) // a server has said it at its start
        ken_app_log_notes(env->app);
    ken_status st =
        ken_tool__take_from(env, &r->project, on_progress, r, &r->cancel, &r->bundle, err);
    if (!st)
        st = index_files(r, err);
    if (!st)
        st = ken_app_embed(env->app, &r->project, r->settings, on_progress, r, &r->cancel,
                           env->arena, &r->made, err);
    return st;
}

ken_status ken_tool__index_repository(const ken_tool_env *env, const void *args, json_t **out,
                                      ken_err *err)
{
    run r = { .env = env };
    ken_err tried = { 0 };
    ken_status st = read_request(env, args, &r.req, err);
    if (!st)
        st = find_target(env, &r.req, &r.project, err);
    if (!st)
        ken_tool__note_project(env, &r.project);
    if (!st)
        st = change_roots(env, &r.req, &r.project, err);
    if (!st)
        st = ken_tool__open_from(env, &r.project, r.req.from, &r.bundle, err);
    if (!st && env->ctx->is_command)
        st = ken_app_enter_sandbox(env->app, &r.project, true, err);
    if (!st)
        st = ken_app_load_settings(env->app, &r.project, &r.settings, err);
    if (st) {
        ken_tool__close_from(&r.bundle);
        return st;
    }
    set_opts(&r);
    set_limit(&r);
    st = run_index(&r, &tried);
    if (!st || is_over(&r, st)) {
        ken_tool__set_rules_project(env, &r.project);
        *out = st ? stopped_json(&r) : done_json(&r);
        st = KEN_OK;
    } else {
        if (st == KEN_ECANCELLED && r.last.n_total)
            explain_stop(&r, &tried);
        if (err)
            *err = tried;
    }
    ken_config_free(r.settings);
    ken_tool__close_from(&r.bundle);
    return st;
}

// ---- text --------------------------------------------------------------------------------------

static void put_changes(const json_t *answer, ken_paint *out, ken_arena *a)
{
    static const char *const kinds[] = { "added", "modified", "removed", "renamed", "unchanged" };
    const json_t *changes = json_object_get(answer, "changes");
    long long n = 0;
    for (size_t i = 0; i < 4; i++)
        n += ken_tool__number(changes, kinds[i]);
    for (size_t i = 0; n && i < sizeof kinds / sizeof *kinds; i++)
        ken_paint_printf(out, KEN_STYLE_PLAIN, "%s%lld %s", i ? ", " : "  ",
                         ken_tool__number(changes, kinds[i]), kinds[i]);
    uint64_t n_parsed = (uint64_t)ken_tool__number(answer, "files_parsed");
    ken_str size = ken_figure_size(a, (uint64_t)ken_tool__number(answer, "bytes_parsed"));
    if (n)
        ken_paint_printf(out, KEN_STYLE_PLAIN, "; " KEN_STR_FMT " parsed\n", KEN_STR_ARG(size));
    else if (n_parsed)
        ken_paint_printf(out, KEN_STYLE_PLAIN,
                         "  no file has changed; " KEN_STR_FMT " parsed anew, " KEN_STR_FMT "\n",
                         KEN_STR_ARG(ken_figure_n(a, n_parsed, "file")), KEN_STR_ARG(size));
    else
        ken_paint_puts(out, "  nothing has changed\n");
}

void ken_tool__put_skips(const json_t *skipped, ken_paint *out)
{
    const char *reason, *before = ": ";
    json_t *n;
    json_object_foreach((json_t *)(uintptr_t)skipped, reason, n)
    {
        ken_paint_printf(out, KEN_STYLE_PLAIN, "%s%lld %s", before,
                         (long long)json_integer_value(n), reason);
        before = ", ";
    }
    ken_paint_puts(out, "\n");
}

static void put_errors(const json_t *errors, ken_paint *out)
{
    size_t n = json_array_size(errors), n_shown = n < ERRORS_SHOWN ? n : ERRORS_SHOWN;
    for (size_t i = 0; i < n_shown; i++) {
        const json_t *e = json_array_get(errors, i);
        ken_paint_puts(out, "  error: ");
        ken_paint_path(out, ken_tool__member(e, "file_path"));
        ken_paint_puts(out, ": ");
        ken_paint_str(out, KEN_STYLE_BAD, ken_tool__member(e, "error"));
        ken_paint_puts(out, "\n");
    }
    if (n_shown < n)
        ken_paint_printf(out, KEN_STYLE_PLAIN, "  and %zu more error%s, in the JSON form\n",
                         n - n_shown, n - n_shown == 1 ? "" : "s");
}

static void put_report(const json_t *answer, ken_paint *out)
{
    const json_t *scope = json_object_get(answer, "scope");
    long long kept = ken_tool__number(answer, "checkpoints_kept"),
              lost = ken_tool__number(answer, "checkpoints_lost");
    ken_str made = ken_tool__member(json_object_get(answer, "embedding"), "summary");
    double seconds = json_number_value(json_object_get(answer, "duration_seconds"));
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_paint_printf(
        out, KEN_STYLE_PLAIN,
        "  " KEN_STR_FMT ", " KEN_STR_FMT ", " KEN_STR_FMT " in " KEN_STR_FMT "\n",
        KEN_STR_ARG(ken_figure_n(&a, (uint64_t)ken_tool__number(answer, "files_indexed"), "file")),
        KEN_STR_ARG(
            ken_figure_n(&a, (uint64_t)ken_tool__number(answer, "chunks_created"), "chunk")),
        KEN_STR_ARG(ken_figure_n(&a, (uint64_t)ken_tool__number(answer, "symbols"), "symbol")),
        KEN_STR_ARG(ken_figure_duration(&a, (int64_t)(seconds * 1000 + 0.5))));
    put_changes(answer, out, &a);
    if (ken_tool__number(answer, "files_skipped")) {
        ken_paint_printf(out, KEN_STYLE_PLAIN, "  %lld skipped",
                         ken_tool__number(answer, "files_skipped"));
        ken_tool__put_skips(json_object_get(answer, "skipped"), out);
    }
    ken_tool__put_texts(scope, "  limited to ", ", ",
                        "; for everything: ken index --all, include_patterns [\"**\"]\n", out);
    if (kept + lost)
        ken_paint_printf(out, KEN_STYLE_PLAIN,
                         "  the index before was damaged: " KEN_STR_FMT " kept, %lld lost\n",
                         KEN_STR_ARG(ken_figure_n(&a, (uint64_t)kept, "checkpoint")), lost);
    if (made.len)
        ken_paint_printf(out, KEN_STYLE_PLAIN, "  " KEN_STR_FMT "\n", KEN_STR_ARG(made));
    ken_arena_release(&a);
}

void ken_tool__index_repository_text(const json_t *answer, ken_paint *out)
{
    const json_t *project = json_object_get(answer, "project");
    ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(project, "name"));
    ken_paint_puts(out, "  ");
    ken_paint_str(out, KEN_STYLE_PATH, ken_tool__member(project, "root"));
    ken_paint_puts(out, "\n");
    ken_tool__put_from(json_object_get(answer, "from"), out);
    if (json_object_get(answer, "changes"))
        put_report(answer, out);
    put_errors(json_object_get(answer, "errors"), out);
    ken_tool__put_tail(answer, out);
}
