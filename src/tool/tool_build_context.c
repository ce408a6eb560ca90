// SPDX-License-Identifier: MIT
// build_context: what is worth reading to answer a question, within a budget of tokens.
#include "context/context.h"
#include "tool/tool_graph_priv.h"

// ---- JSON --------------------------------------------------------------------------------------

static json_t *kinds_json(uint32_t kinds)
{
    json_t *list = json_array();
    for (int k = KEN_CONTEXT_NONE + 1; k < KEN_CONTEXT_KIND_COUNT; k++)
        if (kinds >> k & 1)
            ken_json_append(list,
                            ken_json_str(ken_str_c(ken_context_kind_word((ken_context_kind)k))));
    return list;
}

// With where a hosted remote shows it, when there is one.
static json_t *part_json(const ken_context_part *p, ken_str commit, const ken_tool__link *link)
{
    commit = ken_tool__commit_of(link, commit, p->path);
    json_t *o = json_object(),
           *url = ken_tool__url(link, commit, p->path, p->first_line, p->last_line);
    ken_json_set_str(o, "file_path", p->path);
    ken_json_set_u64(o, "start_line", p->first_line + 1);
    ken_json_set_u64(o, "end_line", p->last_line + 1);
    if (p->symbol.len)
        ken_json_set_str(o, "symbol", p->symbol);
    ken_json_set(o, "kinds", kinds_json(p->kinds));
    if (p->form == KEN_CONTEXT_SIGNATURE)
        ken_json_set_bool(o, "signature_only", true);
    if (p->form == KEN_CONTEXT_SEEN)
        ken_json_set_bool(o, "sent_before", true);
    if (p->n_cut_lines)
        ken_json_set_u64(o, "cut_lines", p->n_cut_lines);
    if (json_is_string(url))
        ken_json_set(o, "url", url);
    else
        json_decref(url);
    return o;
}

// What the search or the graph could not do.
static void set_notes(json_t *o, const ken_context_answer *a)
{
    if (a->n_unresolved)
        ken_json_set_u64(o, "unresolved", a->n_unresolved);
    if (a->note.len)
        ken_json_set_str(o, "note", a->note);
}

static json_t *context_json(const ken_context_answer *a, uint32_t max_tokens, ken_str commit,
                            const ken_tool__link *link)
{
    const ken_context *c = &a->context;
    json_t *o = json_object(), *parts = json_array();
    ken_json_set_str(o, "context", c->text);
    ken_json_set_u64(o, "tokens", c->n_tokens);
    ken_json_set_u64(o, "max_tokens", max_tokens);
    for (size_t i = 0; i < c->n_parts; i++)
        ken_json_append(parts, part_json(&c->parts[i], commit, link));
    ken_json_set(o, "parts", parts);
    if (c->n_left_out)
        ken_json_set_u64(o, "left_out", c->n_left_out);
    ken_json_set_str(o, "seen", c->seen);
    ken_json_set_str(o, "strategy", ken_str_c(a->strategy));
    set_notes(o, a);
    if (!c->n_parts)
        ken_json_set_str(o, "hint", KEN_STR("nothing was found; ask in other words"));
    return o;
}

// ---- asking ------------------------------------------------------------------------------------

typedef struct question {
    const ken_tool_env *env;
    ken_str query;
    ken_search_opts filters;
    ken_context_opts opts;
    ken_context_answer found;
} question;

static ken_status ask(ken_snapshot *s, void *ctx, ken_err *err)
{
    question *q = ctx;
    return ken_build_context(s, q->query, &q->opts, q->env->ctx->cancel, q->env->arena, &q->found,
                             err);
}

ken_status ken_tool__build_context(const ken_tool_env *env, const void *args, json_t **out,
                                   ken_err *err)
{
    const ken_args_build_context *a = args;
    bool is_kept = env->ctx->seen.ptr != NULL;
    question q = { .env = env,
                   .query = a->query,
                   .filters = { .directory = a->directory },
                   .opts = { .max_tokens = (uint32_t)a->max_tokens,
                             .seen = a->seen.ptr ? a->seen : env->ctx->seen } };
    ken_tool__scope scope;
    q.opts.search = &q.filters;
    ken_status st = ken_tool__ask(env, a->project, ask, &q, &scope, err);
    if (st)
        return st;
    ken_tool__link link = ken_tool__find_link(ken_app_config(env->app), env->arena, &scope.project);
    json_t *o = context_json(&q.found, q.opts.max_tokens, scope.head.git_head, &link);
    if (is_kept)
        ken_json_set(o, "seen_is_kept", json_true());
    if (env->ctx->out_seen)
        ken_buf_put_str(env->ctx->out_seen, ken_tool__member(o, "seen"));
    ken_tool__set_scope(o, &scope);
    ken_tool__close(env, &scope);
    *out = o;
    return KEN_OK;
}

static bool refers_back(const json_t *answer)
{
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(answer, "parts"), i, part)
    {
        if (json_object_get(part, "sent_before"))
            return true;
    }
    return false;
}

void ken_tool__build_context_text(const json_t *answer, ken_paint *out)
{
    ken_str text = ken_tool__member(answer, "context"), line;
    while (ken_str_line_next(&text, &line)) {
        ken_paint_str(out, KEN_STYLE_PLAIN, line);
        ken_paint_puts(out, "\n");
    }
    if (json_object_get(answer, "left_out"))
        ken_paint_note(out, "no room for %lld more places; {max_tokens} makes some",
                       ken_tool__number(answer, "left_out"));
    bool is_kept = json_object_get(answer, "seen_is_kept") != NULL;
    if (is_kept && refers_back(answer))
        ken_paint_note(
            out, "what this session was sent before is not repeated; {seen}: \"\" sends it again");
    if (!is_kept && ken_tool__member(answer, "seen").len)
        ken_paint_printf(out, KEN_STYLE_DIM, "seen: " KEN_STR_FMT "\n",
                         KEN_STR_ARG(ken_tool__member(answer, "seen")));
    ken_tool__put_tail(answer, out);
}
