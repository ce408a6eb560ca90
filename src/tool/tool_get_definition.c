// SPDX-License-Identifier: MIT
// get_definition: where a symbol is defined, and its code.
#include "base/utf8.h"
#include "tool/tool_graph_priv.h"

enum {
    CONTENT_MAX = 16 * 1024,
    DOC_MAX = 2 * 1024
};

static json_t *definition_json(const ken_definition *d, ken_str commit, const ken_tool__link *link)
{
    if (d->is_refreshed)
        commit.len = 0;
    json_t *o = json_object();
    ken_json_set_str(o, "file_path", d->path);
    ken_json_set_u64(o, "start_line", d->first_line + 1);
    ken_json_set_u64(o, "end_line", d->last_line + 1);
    ken_json_set_str(o, "symbol_name", d->name);
    ken_json_set_str(o, "qualified_name", d->qualified);
    ken_json_set_str(o, "kind", ken_str_c(ken_symbol_kind_word(d->kind)));
    if (d->visibility != KEN_VISIBILITY_UNKNOWN)
        ken_json_set_str(o, "visibility", ken_str_c(ken_visibility_word(d->visibility)));
    ken_json_set_str(o, "language", d->language);
    ken_json_set_str(o, "signature", d->signature);
    if (d->doc.len)
        ken_json_set_str(o, "doc", ken_tool__clip_lines(d->doc, DOC_MAX, false));
    ken_json_set_str(o, "content", ken_tool__clip_lines(d->content, CONTENT_MAX, false));
    if (d->content.len > CONTENT_MAX)
        ken_json_set_bool(o, "content_truncated", true);
    ken_json_set_bool(o, "exact", d->is_exact);
    commit = ken_tool__commit_of(link, commit, d->path);
    ken_json_set(o, "commit_hash", commit.len ? ken_json_str(commit) : NULL);
    ken_json_set(o, "url", ken_tool__url(link, commit, d->path, d->first_line, d->last_line));
    if (d->is_refreshed)
        ken_json_set_bool(o, "changed_since_index", true);
    return o;
}

static json_t *result_json(const ken_tool_env *env, const ken_tool__scope *scope,
                           const ken_definition_result *r, uint64_t offset)
{
    ken_tool__link link =
        ken_tool__find_link(ken_app_config(env->app), env->arena, &scope->project);
    json_t *list = json_array(), *o = json_object();
    for (size_t i = 0; i < r->n_defs; i++)
        ken_json_append(list, definition_json(&r->defs[i], scope->head.git_head, &link));
    ken_json_set(o, "definitions", list);
    ken_json_set_u64(o, "total", r->n_total);
    if (r->missed_scope.len)
        ken_json_set_str(o, "note",
                         ken_arena_printf(env->arena,
                                          "nothing of that name is in '" KEN_STR_FMT
                                          "'; these have the name alone",
                                          KEN_STR_ARG(ken_utf8_clip(r->missed_scope, 60))));
    ken_json_set(o, "project", ken_tool__project_json(&scope->project));
    ken_json_set(o, "index", ken_tool__index_json(scope));
    ken_tool__fit(o, "definitions", env->ctx->max_bytes,
                  "the answer was cut to fit; {file_hint} or a qualified name gives fewer");
    ken_tool__set_page(o, "definitions", "total", offset);
    return o;
}

ken_status ken_tool__get_definition(const ken_tool_env *env, const void *args, json_t **out,
                                    ken_err *err)
{
    const ken_args_get_definition *a = args;
    ken_tool__scope scope;
    ken_definition_result r = { 0 };
    ken_status st = ken_tool__open(env, a->project, &scope, err);
    if (st)
        return st;
    ken_definition_opts opts = { a->symbol_name, a->file_hint, (size_t)a->limit,
                                 (size_t)a->offset };
    st = ken_find_definition(scope.snap, &opts, env->arena, &r, err);
    if (!st && !r.n_defs && !(r.n_total && a->offset))
        st = KEN_FAIL(err, KEN_ENOTFOUND,
                      "no definition of '" KEN_STR_FMT "' in this project" KEN_STR_FMT
                      "; search_code with search_type text finds where it is used",
                      KEN_STR_ARG(ken_utf8_clip(a->symbol_name, 100)),
                      KEN_STR_ARG(ken_definition_near(&r, env->arena)));
    if (!st)
        *out = result_json(env, &scope, &r, a->offset);
    ken_tool__close(env, &scope);
    return st;
}

void ken_tool__get_definition_text(const json_t *answer, ken_paint *out)
{
    const json_t *list = json_object_get(answer, "definitions");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *d = json_array_get(list, i);
        ken_str name = ken_tool__member(d, "symbol_name");
        ken_tool__put_definition(d, "qualified_name", out);
        ken_paint_code(out, ken_tool__member(d, "content"),
                       (size_t)ken_tool__number(d, "start_line"), &name, 1);
        if (json_is_true(json_object_get(d, "content_truncated")))
            ken_paint_printf(out, KEN_STYLE_DIM, "... to line %lld\n",
                             ken_tool__number(d, "end_line"));
        if (i + 1 < json_array_size(list))
            ken_paint_puts(out, "\n");
    }
    ken_tool__put_page_tail(answer, "definitions", "total", out);
}
