// SPDX-License-Identifier: MIT
// symbol_graph: a part of the graph to draw.
#include "query/query_chart.h"
#include "tool/tool_graph_priv.h"

typedef struct question {
    const ken_tool_env *env;
    ken_chart_opts opts;
    ken_chart found;
} question;

static ken_status ask(ken_snapshot *s, void *ctx, ken_err *err)
{
    question *q = ctx;
    return ken_make_chart(s, &q->opts, q->env->ctx->cancel, q->env->arena, &q->found, err);
}

// ---- JSON --------------------------------------------------------------------------------------

static const char *const levels[] = { "symbol", "file", "module" };

static void set_module(json_t *o, const ken_chart_node *n)
{
    ken_json_set_u64(o, "layer", n->layer);
    ken_json_set_u64(o, "files", n->n_files);
    ken_json_set_u64(o, "lines", n->n_lines);
    if (n->n_aside)
        ken_json_set_u64(o, "aside_files", n->n_aside);
    ken_json_set_real(o, "centrality", n->centrality);
    if (n->aside)
        ken_json_set_str(o, "aside", ken_str_c(ken_aside_word(n->aside)));
}

static json_t *node_json(const ken_chart_node *n, ken_chart_level level)
{
    json_t *o = json_object();
    bool is_external = !strcmp(n->kind, "external");
    ken_json_set_str(o, "id", n->id);
    ken_json_set_str(o, "name", n->name);
    ken_json_set_str(o, "kind", ken_str_c(n->kind));
    ken_json_set_u64(o, "depth", n->depth);
    if (n->path.len && level != KEN_CHART_MODULE)
        ken_json_set_str(o, "file_path", n->path);
    if (level == KEN_CHART_SYMBOL && !is_external)
        ken_json_set_u64(o, "line", n->line + 1u);
    if (level == KEN_CHART_FILE)
        ken_json_set_u64(o, "lines", n->n_lines);
    if (n->language.len)
        ken_json_set_str(o, "language", n->language);
    if (!is_external)
        ken_json_set_str(o, "module", n->module);
    if (n->n_unresolved)
        ken_json_set_u64(o, "unresolved", n->n_unresolved);
    if (n->cycle)
        ken_json_set_u64(o, "cycle", n->cycle);
    if (n->is_test)
        ken_json_set_bool(o, "is_test", true);
    if (n->is_cut)
        ken_json_set_bool(o, "is_cut", true);
    if (level == KEN_CHART_MODULE)
        set_module(o, n);
    return o;
}

static json_t *edge_json(const ken_chart *c, const ken_chart_edge *e)
{
    json_t *o = json_object();
    ken_json_set_str(o, "from", c->nodes[e->from].id);
    ken_json_set_str(o, "to", c->nodes[e->to].id);
    ken_json_set_str(o, "kind", ken_str_c(ken_ref_role_word(e->role)));
    ken_json_set_str(o, "resolution", ken_str_c(ken_edge_class_word(e->class)));
    ken_json_set_u64(o, "sites", e->n_sites);
    if (e->evidence.len)
        ken_json_set_str(o, "evidence", e->evidence);
    return o;
}

static void set_missed(json_t *o, const ken_chart *c)
{
    if (!c->missed_scope.len || !c->n_nodes)
        return;
    ken_buf text = KEN_BUF_INIT(0);
    ken_tool__put_missed(&text, c->missed_scope, c->nodes[0].name);
    ken_json_set_str(o, "note", ken_str_sub(ken_buf_str(&text), sizeof "; " - 1, text.len));
    ken_buf_release(&text);
}

static json_t *chart_json(const question *q)
{
    const ken_chart *c = &q->found;
    json_t *o = json_object(), *nodes = json_array(), *edges = json_array(), *others = json_array();
    for (size_t i = 0; i < c->n_nodes; i++)
        ken_json_append(nodes, node_json(&c->nodes[i], q->opts.level));
    for (size_t i = 0; i < c->n_edges; i++)
        ken_json_append(edges, edge_json(c, &c->edges[i]));
    for (size_t i = 0; i < c->n_others; i++)
        ken_json_append(others, ken_tool__place_json(&c->others[i]));
    ken_json_set_str(o, "level", ken_str_c(levels[q->opts.level]));
    ken_json_set(o, "nodes", nodes);
    ken_json_set(o, "edges", edges);
    ken_json_set_u64(o, "total", c->n_nodes_total);
    ken_json_set_u64(o, "total_edges", c->n_edges_total);
    if (c->is_at_least)
        ken_json_set_bool(o, "at_least", true);
    ken_json_set_u64(o, "cycles", c->n_cycles);
    ken_json_set_u64(o, "unresolved", c->n_unresolved);
    if (c->n_others)
        ken_json_set(o, "others", others);
    else
        json_decref(others);
    if (c->chosen.n_others_total > c->n_others)
        ken_json_set_u64(o, "others_total", c->chosen.n_others_total);
    set_missed(o, c);
    if (c->n_nodes < c->n_nodes_total || c->n_edges < c->n_edges_total || c->is_at_least)
        ken_json_set_bool(o, "truncated", true);
    return o;
}

// ---- the question -------------------------------------------------------------------------------

static ken_status read_level(const ken_args_symbol_graph *a, ken_chart_level *out, ken_err *err)
{
    *out = a->symbol_name.len                  ? KEN_CHART_SYMBOL
           : a->file_path.len || a->module.len ? KEN_CHART_FILE
                                               : KEN_CHART_MODULE;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (ken_str_eq_c(a->level, levels[i]))
            *out = (ken_chart_level)i;
    bool is_symbol = *out == KEN_CHART_SYMBOL;
    if (is_symbol && !a->symbol_name.len)
        return KEN_FAIL(err, KEN_EINVAL, "args.symbol_name: level symbol needs one");
    if (!is_symbol && a->symbol_name.len)
        return KEN_FAIL(err, KEN_EINVAL, "args.symbol_name: it is of level symbol alone");
    if (*out != KEN_CHART_FILE && a->file_path.len)
        return KEN_FAIL(err, KEN_EINVAL, "args.file_path: it is of level file alone");
    if (is_symbol && a->directory.len)
        return KEN_FAIL(err, KEN_EINVAL, "args.directory: it is of levels file and module");
    if (*out != KEN_CHART_FILE && a->module.len)
        return KEN_FAIL(err, KEN_EINVAL, "args.module: it is of level file alone");
    if (a->module.len && (a->file_path.len || a->directory.len))
        return KEN_FAIL(err, KEN_EINVAL, "args.module: give one of it, file_path and directory");
    if (a->file_path.len && a->directory.len)
        return KEN_FAIL(err, KEN_EINVAL, "args.directory: give it or file_path, not both");
    return KEN_OK;
}

ken_status ken_tool__symbol_graph(const ken_tool_env *env, const void *args, json_t **out,
                                  ken_err *err)
{
    const ken_args_symbol_graph *a = args;
    static const ken_tool__fit_step steps[] = { { "edges", 0 }, { "nodes", 1 } };
    question q = { .env = env,
                   .opts = { .symbol = a->symbol_name,
                             .file_hint = a->file_hint,
                             .path = a->file_path,
                             .folder = a->directory,
                             .module = a->module,
                             .wants_callees = !ken_str_eq_c(a->direction, "callers"),
                             .wants_callers = !ken_str_eq_c(a->direction, "callees"),
                             .wants_external = a->external,
                             .max_depth = (uint32_t)a->max_depth,
                             .max_nodes = (uint32_t)a->max_nodes,
                             .tests = ken_tool__tests_of(a->tests) } };
    ken_tool__scope scope;
    ken_status st = read_level(a, &q.opts.level, err);
    if (!st)
        st = ken_tool__ask(env, a->project, ask, &q, &scope, err);
    if (st)
        return st;
    json_t *o = chart_json(&q);
    ken_tool__set_scope(o, &scope);
    ken_tool__close(env, &scope);
    ken_tool__fit_in_order(o, steps, 2, env->ctx->max_bytes, 0, "ask for fewer max_nodes");
    *out = o;
    return KEN_OK;
}

void ken_tool__symbol_graph_text(const json_t *answer, ken_paint *out)
{
    ken_paint_printf(out, KEN_STYLE_PLAIN, "%lld nodes, %lld edges, %lld cycles, %lld unresolved\n",
                     ken_tool__number(answer, "total"), ken_tool__number(answer, "total_edges"),
                     ken_tool__number(answer, "cycles"), ken_tool__number(answer, "unresolved"));
    ken_tool__put_table(json_object_get(answer, "edges"), "FROM|KIND|TO|RESOLUTION",
                        "from|kind|to|resolution", out);
    ken_tool__put_tail(answer, out);
}
