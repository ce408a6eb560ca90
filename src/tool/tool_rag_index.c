// SPDX-License-Identifier: MIT
// rag_index: the code and the rules of a project, all of it read again.
#include "base/clock.h"
#include "base/utf8.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_rules_priv.h"

enum {
    UNDECODED_MAX = 1000 // told
};

typedef struct index_run {
    ken_project_info project;
    ken_index_report report;
    ken_rulebook_counts counts;
    int64_t started_ns;
} index_run;

static ken_status find_target(const ken_tool_env *env, ken_str ref, ken_project_info *out,
                              ken_err *err)
{
    ken_status st = ken_str_starts(ref, KEN_STR("/"))
                        ? ken_tool__find_or_add(env, ref, out, err)
                        : ken_tool__find_rules_project(env, ref, out, err);
    if (st)
        return st;
    ken_str root = ken_utf8_clip(out->root, 300);
    if (!out->root_exists)
        return KEN_FAIL(err, KEN_ENOTFOUND, "the project's folder '" KEN_STR_FMT "' is gone",
                        KEN_STR_ARG(root));
    if (!ken_tool__has_rag_folder(env, out->root))
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "'" KEN_STR_FMT "' has no .rag folder. Run rag_setup first",
                        KEN_STR_ARG(root));
    return KEN_OK;
}

// The code, all of it, with the vectors of the project's model.
static ken_status index_code(const ken_tool_env *env, index_run *run, ken_err *err)
{
    ken_config *settings = NULL;
    ken_app_embedding made;
    const ken_app_indexing how = ken_tool__indexing(env, true);
    ken_status st = ken_app_index_as_set(env->app, &run->project, &how, env->ctx->cancel,
                                         env->arena, &run->report, err);
    if (!st)
        st = ken_app_load_settings(env->app, &run->project, &settings, err);
    if (!st)
        st = ken_app_embed(env->app, &run->project, settings, ken_tool__on_index,
                           (void *)(uintptr_t)env, env->ctx->cancel, env->arena, &made, err);
    ken_config_free(settings);
    return st;
}

static void add_error(json_t *errors, ken_str file, ken_str text)
{
    json_t *e = json_object();
    ken_json_set_str(e, "file", file);
    ken_json_set_str(e, "error", text);
    ken_json_append(errors, e);
}

// Files that are no UTF-8 text are in no collection.
static void add_undecoded(const ken_tool_env *env, ken_snapshot *s, json_t *errors)
{
    ken_skip_row *rows = NULL;
    size_t n = 0;
    ken_err why = { 0 };
    if (ken_snapshot_list_skips(s, KEN_SKIP_ENCODING, UNDECODED_MAX, env->arena, &rows, &n, &why))
        add_error(errors, KEN_STR("."), ken_str_c(why.msg));
    for (size_t i = 0; i < n; i++)
        add_error(errors, rows[i].path,
                  ken_arena_printf(env->arena,
                                   "'" KEN_STR_FMT "' is not UTF-8 text: it is left out",
                                   KEN_STR_ARG(rows[i].path)));
}

static json_t *errors_json(const ken_tool_env *env, const index_run *run, ken_snapshot *s,
                           const ken_rulebook *b)
{
    json_t *errors = json_array();
    size_t n = 0;
    const ken_rulebook_document *docs = ken_rulebook_documents(b, &n);
    for (size_t i = 0; i < n; i++) {
        if (docs[i].error.len)
            add_error(errors, docs[i].path, docs[i].error);
        for (size_t k = 0; k < docs[i].n_issues; k++)
            add_error(errors, docs[i].path, docs[i].issues[k].message);
    }
    for (size_t i = 0; i < run->report.n_issues; i++)
        add_error(errors, run->report.issues[i].path, run->report.issues[i].text);
    add_undecoded(env, s, errors);
    return errors;
}

static json_t *run_json(const ken_tool_env *env, const index_run *run, ken_snapshot *s,
                        const ken_rulebook *b)
{
    const ken_rulebook_counts *c = &run->counts;
    uint64_t n_chunks = c->codebase + c->constraints + c->patterns;
    json_t *o = ken_tool__success_json();
    ken_json_set_str(o, "projectRoot", run->project.root);
    ken_json_set_u64(o, "filesIndexed", c->n_files);
    ken_json_set_u64(o, "chunksCreated", n_chunks);
    ken_json_set(o, "collectionStats", ken_tool__collections_json(c));
    ken_json_set(o, "errors", errors_json(env, run, s, b));
    ken_json_set_real(o, "duration", (double)(ken_clock_mono_ns() - run->started_ns) / 1e9);
    ken_json_set_str(o, "message",
                     ken_arena_printf(env->arena,
                                      "Indexed %llu file%s (%llu chunk%s). Use "
                                      "rag_check_constraints to query.",
                                      (unsigned long long)c->n_files, c->n_files == 1 ? "" : "s",
                                      (unsigned long long)n_chunks, n_chunks == 1 ? "" : "s"));
    ken_tool__fit(o, "errors", env->ctx->max_bytes,
                  "more files had problems; rag_health_check names what is wrong with the rules");
    return o;
}

ken_status ken_tool__rag_index(const ken_tool_env *env, const void *args, json_t **out,
                               ken_err *err)
{
    const ken_args_rag_index *a = args;
    index_run run = { .started_ns = ken_clock_mono_ns() };
    ken_tool__scope scope;
    ken_status st = find_target(env, a->project_root, &run.project, err);
    if (!st)
        st = index_code(env, &run, err);
    if (!st)
        st = ken_tool__open_project(env, &run.project, &scope, err);
    if (st)
        return st;
    st = ken_app_index_rules(env->app, scope.snap, &run.counts, err);
    if (!st) {
        *out = run_json(env, &run, scope.snap, ken_app_rulebook(env->app, scope.snap));
        ken_tool__set_rules_project(env, &run.project);
    }
    ken_tool__close(env, &scope);
    return st;
}

void ken_tool__rag_index_text(const json_t *answer, ken_paint *out)
{
    const json_t *errors = json_object_get(answer, "errors"),
                 *stats = json_object_get(answer, "collectionStats");
    ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(answer, "message"));
    ken_paint_puts(out, "\n");
    ken_tool__put_counts(stats, out);
    for (size_t i = 0; i < json_array_size(errors); i++) {
        const json_t *e = json_array_get(errors, i);
        ken_paint_puts(out, "error: ");
        ken_paint_str(out, KEN_STYLE_BAD, ken_tool__member(e, "error"));
        ken_paint_puts(out, "\n");
    }
    ken_tool__put_tail(answer, out);
}
