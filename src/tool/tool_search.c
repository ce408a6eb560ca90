// SPDX-License-Identifier: MIT
// search: search_code's engine with the parameters and fields of a chunk store (projectId, topK;
// line_start, char_start, symbol_kind, token_count, source_code …).
#include "tool/tool_wide_priv.h"

enum {
    SOURCE_MAX = 12 * 1024
};

// What the file of a result says of it. A file that is gone since says nothing more.
static ken_status add_file(ken_snapshot *s, const ken_hit *h, bool wants_embedded, ken_arena *arena,
                           json_t *o, ken_err *err)
{
    ken_file_view view;
    ken_tool__chunk c = { .view = &view,
                          .chunk = h->chunk_index,
                          .symbol = h->symbol_index,
                          .wants_embedded = wants_embedded };
    ken_status st = ken_view_file(s, h->path, arena, &view, err);
    if (!st)
        st = ken_view_package(s, &view, arena, &c.package, err);
    if (!st && c.chunk < view.facts->n_chunks)
        ken_tool__set_chunk(o, &c, arena);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

static json_t *chunk_json(const ken_hit *h)
{
    char id[KEN_UUID_TEXT];
    ken_uuid_format(h->chunk_id, id);
    size_t dot = ken_str_rfind_char(h->symbol, '.');
    json_t *o = json_object();
    ken_json_set_str(o, "id", ken_str_c(id));
    ken_json_set_str(o, "file_path", h->path);
    ken_json_set_u64(o, "line_start", h->first_line + 1);
    ken_json_set_u64(o, "line_end", h->last_line + 1);
    ken_json_set_u64(o, "char_start", h->span.start);
    ken_json_set_u64(o, "char_end", h->span.end);
    ken_json_set_str(o, "language", h->language);
    ken_json_set_str(o, "symbol_name",
                     dot == SIZE_MAX ? h->symbol : ken_str_sub(h->symbol, dot + 1, h->symbol.len));
    ken_json_set_str(o, "symbol_kind", ken_str_c(ken_symbol_kind_word(h->kind)));
    ken_json_set_str(o, "parent", ken_str_sub(h->symbol, 0, dot == SIZE_MAX ? 0 : dot));
    ken_json_set_str(o, "signature", h->signature);
    ken_json_set_str(o, "chunk_type", ken_str_c(ken_chunk_type_word(h->chunk_type)));
    ken_json_set_u64(o, "token_count", (h->span.end - h->span.start + 3) / 4);
    ken_json_set_real(o, "similarity", h->similarity);
    ken_json_set_str(o, "source_code", ken_tool__clip_lines(h->content, SOURCE_MAX, false));
    return o;
}

// Cuts the answer to the call's size and says where to go on.
static void fit(const ken_tool_env *env, const ken_args_search *a, const ken_search_result *r,
                json_t *o)
{
    size_t n = ken_tool__fit(o, "results", env->ctx->max_bytes,
                             "the answer was cut to fit; go on with {offset}");
    if (r->is_truncated || n < r->n_hits) {
        ken_json_set_bool(o, "truncated", true);
        ken_json_set_u64(o, "next_offset", a->offset + n);
    }
}

static ken_status search_one(const ken_tool_env *env, const ken_args_search *a,
                             const ken_search_opts *opts, json_t **out, ken_err *err)
{
    ken_tool__scope scope;
    ken_search_result r = { 0 };
    ken_status st = ken_tool__open(env, a->project_id, &scope, err);
    if (st)
        return st;
    st = ken_search(scope.snap, a->query, opts, env->ctx->cancel, env->arena, &r, err);
    if (!st)
        ken_tool__note_search(env, &scope, a->query, &r);
    if (!st) {
        json_t *results = json_array(), *o = json_object();
        for (size_t i = 0; i < r.n_hits && !st; i++) {
            json_t *one = chunk_json(&r.hits[i]);
            if (!env->is_text)
                st = add_file(scope.snap, &r.hits[i], a->embedded, env->arena, one, err);
            ken_json_append(results, one);
        }
        ken_json_set(o, "results", results);
        ken_tool__add_totals(o, &r);
        ken_json_set(o, "project", ken_tool__project_json(&scope.project));
        fit(env, a, &r, o);
        if (st)
            json_decref(o);
        else
            *out = o;
    }
    ken_tool__close(env, &scope);
    return st;
}

static ken_status search_several(const ken_tool_env *env, const ken_args_search *a,
                                 const ken_search_opts *opts, ken_tool__wide *w, json_t **out,
                                 ken_err *err)
{
    ken_search_result r = { 0 };
    ken_status st = ken_tool__search_several(w, a->query, opts, &r, err);
    if (st)
        return st;
    json_t *results = json_array(), *o = json_object();
    ken_json_set(o, "results", results);
    for (size_t i = 0; i < r.n_hits && !st; i++) {
        const ken_hit *h = &r.hits[i];
        json_t *one = chunk_json(h);
        ken_json_set_str(one, "project", ken_tool__head_of(w, h->member)->project.name);
        const ken_tool__scope *scope = env->is_text ? NULL : ken_tool__scope_of(w, h->member);
        if (scope)
            st = add_file(scope->snap, h, a->embedded, env->arena, one, err);
        ken_json_append(results, one);
    }
    ken_tool__add_totals(o, &r);
    ken_tool__tell_several(w, o);
    fit(env, a, &r, o);
    if (st)
        json_decref(o);
    else
        *out = o;
    return st;
}

ken_status ken_tool__search(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    const ken_args_search *a = args;
    const ken_search_opts opts = { .wants_content = true,
                                   .wants_chunks = true,
                                   .directory = a->path,
                                   .limit = (uint32_t)a->top_k,
                                   .offset = (uint32_t)a->offset };
    ken_tool__wide *w = NULL;
    ken_status st = ken_tool__find_several(env, a->project_id, &w, err);
    if (st)
        return st;
    st = w ? search_several(env, a, &opts, w, out, err) : search_one(env, a, &opts, out, err);
    ken_tool__close_several(w);
    return st;
}

void ken_tool__search_text(const json_t *answer, ken_paint *out)
{
    const json_t *list = json_object_get(answer, "results");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *h = json_array_get(list, i);
        ken_str project = ken_tool__member(h, "project");
        if (project.len)
            ken_paint_printf(out, KEN_STYLE_PLAIN, "[" KEN_STR_FMT "] ", KEN_STR_ARG(project));
        ken_paint_path(out, ken_tool__member(h, "file_path"));
        ken_paint_printf(out, KEN_STYLE_LINE, ":%lld-%lld ", ken_tool__number(h, "line_start"),
                         ken_tool__number(h, "line_end"));
        ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(h, "symbol_name"));
        ken_paint_puts(out, "\n");
        ken_paint_code(out, ken_tool__member(h, "source_code"),
                       (size_t)ken_tool__number(h, "line_start"), NULL, 0);
    }
    ken_tool__several_text(answer, out);
    ken_tool__account_text(answer, out);
    ken_tool__put_tail(answer, out);
}
