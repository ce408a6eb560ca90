// SPDX-License-Identifier: MIT
// rag_query_impact: what a file offers, who imports it, what is like it.
#include "tool/tool_graph_priv.h"
#include "tool/tool_rules_priv.h"

static const char *const lists[] = { "similarFiles", "dependents", "exports", "apiEndpoints",
                                     "websocketEvents" };

static json_t *dependents_json(const ken_rulebook_impact *i)
{
    json_t *list = json_array();
    for (size_t k = 0; k < i->n_dependents; k++) {
        const ken_rulebook_dependent *d = &i->dependents[k];
        json_t *o = json_object();
        ken_json_set_str(o, "filePath", d->path);
        ken_json_set(o, "imports", ken_tool__texts_json(d->imports, d->n_imports));
        ken_json_append(list, o);
    }
    return list;
}

static json_t *similar_json(const ken_rulebook_impact *i)
{
    json_t *list = json_array();
    for (size_t k = 0; k < i->n_similar; k++) {
        json_t *o = json_object();
        ken_json_set_str(o, "filePath", i->similar[k].path);
        ken_json_set_real(o, "similarity", i->similar[k].similarity);
        ken_json_append(list, o);
    }
    return list;
}

static void set_summary(json_t *o, const ken_rulebook_impact *i)
{
    ken_buf text = KEN_BUF_INIT(200);
    ken_tool__put_count(&text, i->n_exports, "export");
    ken_buf_puts(&text, ", ");
    ken_tool__put_count(&text, i->n_endpoints, "API endpoint");
    ken_buf_puts(&text, ", ");
    if (i->n_events) {
        ken_tool__put_count(&text, i->n_events, "WebSocket event");
        ken_buf_puts(&text, ", ");
    }
    ken_tool__put_count(&text, i->n_dependents, "dependent");
    ken_buf_puts(&text, ", ");
    ken_tool__put_count(&text, i->n_similar, "similar file");
    ken_buf_putc(&text, '.');
    ken_json_set_str(o, "summary", ken_buf_str(&text));
    ken_buf_release(&text);
}

static json_t *impact_json(const ken_rulebook_impact *i)
{
    json_t *o = ken_tool__success_json();
    ken_json_set_str(o, "filePath", i->path);
    ken_json_set(o, "exports", ken_tool__texts_json(i->exports, i->n_exports));
    ken_json_set(o, "apiEndpoints", ken_tool__texts_json(i->endpoints, i->n_endpoints));
    ken_json_set(o, "websocketEvents", ken_tool__texts_json(i->events, i->n_events));
    ken_json_set(o, "dependents", dependents_json(i));
    ken_json_set(o, "similarFiles", similar_json(i));
    set_summary(o, i);
    return o;
}

ken_status ken_tool__rag_query_impact(const ken_tool_env *env, const void *args, json_t **out,
                                      ken_err *err)
{
    const ken_args_rag_query_impact *a = args;
    ken_tool__scope scope;
    ken_rulebook *book = NULL;
    ken_rulebook_impact found;
    ken_status st = ken_tool__open_rules(env, a->project, &scope, &book, err);
    if (st)
        return st;
    st = ken_rulebook_find_impact(book, a->file_path,
                                  a->num_similar ? a->num_similar : KEN_RULEBOOK_RESULTS,
                                  env->ctx->cancel, env->arena, &found, err);
    if (!st) {
        json_t *o = impact_json(&found);
        ken_tool__tell_rules_project(env, &scope.project, a->project, o);
        ken_tool__fit_lists(o, lists, sizeof lists / sizeof *lists, env->ctx->max_bytes,
                            "lists were cut to fit; {query_impact} shows dependents by distance");
        *out = o;
    }
    ken_tool__close(env, &scope);
    return st;
}

// ---- text --------------------------------------------------------------------------------------

static void put_files(const json_t *list, const char *head, ken_paint *out)
{
    ken_tool__put_head(list, head, out);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *f = json_array_get(list, i);
        ken_paint_puts(out, "  ");
        ken_paint_path(out, ken_tool__member(f, "filePath"));
        ken_tool__put_texts(json_object_get(f, "imports"), "  ", ", ", "", out);
        ken_paint_puts(out, "\n");
    }
}

void ken_tool__rag_query_impact_text(const json_t *answer, ken_paint *out)
{
    ken_tool__put_summary(answer, out);
    ken_tool__put_rules_project(answer, out);
    ken_tool__put_texts(json_object_get(answer, "exports"), "exports: ", ", ", "\n", out);
    ken_tool__put_texts(json_object_get(answer, "apiEndpoints"), "API endpoints: ", ", ", "\n",
                        out);
    ken_tool__put_texts(json_object_get(answer, "websocketEvents"), "WebSocket events: ", ", ",
                        "\n", out);
    put_files(json_object_get(answer, "dependents"), "dependents", out);
    put_files(json_object_get(answer, "similarFiles"), "similar files", out);
    ken_tool__put_tail(answer, out);
}
