// SPDX-License-Identifier: MIT
// rag_health_check and rag_status: whether the rules of a project can be asked.
#include "base/clock.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_rules_priv.h"

static json_t *collection_json(bool exists, uint64_t n_chunks)
{
    json_t *o = json_object();
    ken_json_set_bool(o, "exists", exists);
    ken_json_set_u64(o, "chunks", exists ? n_chunks : 0);
    return o;
}

static json_t *health_json(const ken_rulebook_health *h)
{
    json_t *o = ken_tool__success_json(), *collections = json_object(), *files = json_object();
    ken_json_set_bool(o, "healthy", h->is_healthy);
    ken_json_set(collections, "codebase", collection_json(h->has_codebase, h->counts.codebase));
    ken_json_set(collections, "constraints",
                 collection_json(h->has_constraints, h->counts.constraints));
    ken_json_set(collections, "patterns", collection_json(h->has_patterns, h->counts.patterns));
    ken_json_set(o, "collections", collections);
    ken_json_set_bool(files, "ARCHITECTURE.yml", h->has_architecture);
    ken_json_set_bool(files, "CONSTRAINTS.md", h->has_constraints_file);
    ken_json_set_bool(files, "CLAUDE.md", h->has_claude);
    ken_json_set(o, "constraintFiles", files);
    ken_json_set_str(o, "queryTest", h->query_test);
    ken_json_set_time_ms(o, "lastIndexed", h->counts.indexed_at_ms);
    ken_json_set(o, "issues", ken_tool__texts_json(h->issues, h->n_issues));
    ken_json_set(o, "warnings", ken_tool__texts_json(h->warnings, h->n_warnings));
    return o;
}

ken_status ken_tool__rag_health_check(const ken_tool_env *env, const void *args, json_t **out,
                                      ken_err *err)
{
    const ken_args_rag_health_check *a = args;
    ken_tool__scope scope;
    ken_rulebook *book = NULL;
    ken_rulebook_health health;
    ken_status st = ken_tool__open_rules(env, a->project, &scope, &book, err);
    if (st)
        return st;
    st = ken_rulebook_check_health(book, ken_clock_wall_ms(), env->ctx->cancel, env->arena, &health,
                                   err);
    if (!st) {
        *out = health_json(&health);
        ken_tool__tell_rules_project(env, &scope.project, a->project, *out);
    }
    ken_tool__close(env, &scope);
    return st;
}

// ---- status ------------------------------------------------------------------------------------

static json_t *status_json(const ken_project_info *project, bool is_initialized,
                           const ken_rulebook_counts *c)
{
    json_t *o = ken_tool__success_json();
    ken_json_set_bool(o, "initialized", is_initialized);
    ken_json_set(o, "projectRoot", project ? ken_json_str(project->root) : NULL);
    ken_json_set_bool(o, "indexed", c->indexed_at_ms > 0);
    ken_json_set_time_ms(o, "lastIndexed", c->indexed_at_ms);
    ken_json_set_u64(o, "totalChunks", c->codebase + c->constraints + c->patterns);
    ken_json_set(o, "collectionCounts", ken_tool__collections_json(c));
    return o;
}

// What the index remembers; a project that was never indexed has nothing to remember.
static ken_status load_counts(const ken_tool_env *env, const ken_project_info *project,
                              ken_rulebook_counts *out, ken_err *err)
{
    ken_snapshot *snap = NULL;
    ken_err tried = { 0 };
    ken_status st = ken_app_borrow(env->app, project, &snap, &tried);
    if (st == KEN_ENOTFOUND)
        return KEN_OK;
    if (!st) {
        st = ken_rulebook_get_counts(ken_app_rulebook(env->app, snap), out, &tried);
        ken_app_give_back(env->app, project, snap);
    }
    if (st && err)
        *err = tried;
    return st;
}

ken_status ken_tool__rag_status(const ken_tool_env *env, const void *args, json_t **out,
                                ken_err *err)
{
    const ken_args_rag_status *a = args;
    ken_project_info project;
    ken_rulebook_counts counts = { 0 };
    ken_err tried = { 0 };
    ken_status st = ken_tool__find_rules_project(env, a->project, &project, &tried);
    if (st == KEN_ENOTFOUND && !a->project.len) {
        *out = status_json(NULL, false, &counts);
        return KEN_OK;
    }
    if (!st)
        st = load_counts(env, &project, &counts, &tried);
    if (st) {
        if (err)
            *err = tried;
        return st;
    }
    *out = status_json(&project, ken_tool__has_rag_folder(env, project.root), &counts);
    return KEN_OK;
}

// ---- text --------------------------------------------------------------------------------------

void ken_tool__put_counts(const json_t *counts, ken_paint *out)
{
    long long n_code = ken_tool__number(counts, "codebase"),
              n_rules = ken_tool__number(counts, "constraints"),
              n_patterns = ken_tool__number(counts, "patterns");
    ken_paint_printf(out, KEN_STYLE_PLAIN,
                     "%lld chunk%s of code, %lld constraint%s, %lld pattern%s\n", n_code,
                     n_code == 1 ? "" : "s", n_rules, n_rules == 1 ? "" : "s", n_patterns,
                     n_patterns == 1 ? "" : "s");
}

void ken_tool__rag_health_check_text(const json_t *answer, ken_paint *out)
{
    bool is_healthy = json_is_true(json_object_get(answer, "healthy"));
    ken_paint_printf(out, is_healthy ? KEN_STYLE_GOOD : KEN_STYLE_BAD, "%s\n",
                     is_healthy ? "healthy" : "not healthy");
    ken_paint_printf(out, KEN_STYLE_PLAIN, "test query: " KEN_STR_FMT "\n",
                     KEN_STR_ARG(ken_tool__member(answer, "queryTest")));
    ken_tool__put_rules_project(answer, out);
    ken_tool__put_texts(json_object_get(answer, "issues"), "issue: ", "\nissue: ", "\n", out);
    ken_tool__put_texts(json_object_get(answer, "warnings"), "warning: ", "\nwarning: ", "\n", out);
}

void ken_tool__rag_status_text(const json_t *answer, ken_paint *out)
{
    ken_str root = ken_tool__member(answer, "projectRoot"),
            when = ken_tool__member(answer, "lastIndexed");
    ken_paint_str(out, KEN_STYLE_PATH, root);
    ken_paint_puts(out, root.len ? "\n" : "");
    ken_paint_named(out, json_is_true(json_object_get(answer, "initialized"))
                             ? KEN_STR("set up")
                             : KEN_STR("not set up: {rag_setup} makes .rag"));
    ken_paint_puts(out, "\n");
    if (when.len)
        ken_paint_printf(out, KEN_STYLE_PLAIN, "indexed " KEN_STR_FMT "\n", KEN_STR_ARG(when));
    ken_tool__put_counts(json_object_get(answer, "collectionCounts"), out);
}
