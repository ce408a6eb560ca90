// SPDX-License-Identifier: MIT
// tests_for, dead_code, hotspots, list_routes: lists of the graph.
#include "base/path.h"
#include "tool/tool_graph_priv.h"

// ---- JSON --------------------------------------------------------------------------------------

static json_t *item_json(const ken_graph_node *n)
{
    json_t *o = ken_tool__node_json(n);
    if (!n->name.len)
        ken_json_set_str(o, "name", KEN_STR("(top of the file)"));
    json_object_del(o, "signature");
    return o;
}

// The answer of all four: a page of the list under `key`, how many there are.
static json_t *list_json(const ken_tool_env *env, ken_tool__scope *scope, const char *key,
                         json_t *items, size_t total, uint64_t offset, const char *nothing)
{
    json_t *o = json_object();
    ken_json_set(o, key, items);
    ken_json_set_u64(o, "total", total);
    if (!total)
        ken_json_set_str(o, "note", ken_str_c(nothing));
    ken_tool__set_scope(o, scope);
    ken_tool__fit(o, key, env->ctx->max_bytes, "more than fits in one answer");
    ken_tool__set_page(o, key, "total", offset);
    ken_tool__close(env, scope);
    return o;
}

// ---- tests_for ----------------------------------------------------------------------------------

typedef struct tests_question {
    const ken_tool_env *env;
    ken_tests_for_opts opts;
    size_t n, total;
    ken_dependent *tests;
    ken_str nothing; // why there are none
} tests_question;

static ken_status ask_tests(ken_snapshot *s, void *ctx, ken_err *err)
{
    tests_question *q = ctx;
    ken_status st = ken_tests_for(s, &q->opts, q->env->ctx->cancel, q->env->arena, &q->tests, &q->n,
                                  &q->total, err);
    if (st || q->total)
        return st;
    ken_test_files files = ken_count_test_files(s);
    q->nothing = ken_no_test_text(&files, KEN_TESTS_FOR_STEPS, q->env->arena);
    return KEN_OK;
}

ken_status ken_tool__tests_for(const ken_tool_env *env, const void *args, json_t **out,
                               ken_err *err)
{
    const ken_args_tests_for *a = args;
    tests_question q = { .env = env,
                         .opts = { .what = a->symbol.len ? a->symbol : a->file_path,
                                   .limit = (size_t)a->limit,
                                   .offset = (size_t)a->offset } };
    ken_tool__scope scope;
    if (!a->symbol.len == !a->file_path.len)
        return KEN_FAIL(err, KEN_EINVAL, "args.symbol: give one of symbol and file_path");
    ken_status st = ken_tool__ask(env, a->project, ask_tests, &q, &scope, err);
    if (st)
        return st;
    json_t *items = json_array();
    for (size_t i = 0; i < q.n; i++) {
        json_t *o = item_json(&q.tests[i].node);
        ken_json_set_u64(o, "distance", q.tests[i].distance);
        ken_json_set_str(o, "resolution", ken_str_c(ken_edge_class_word(q.tests[i].class)));
        ken_json_append(items, o);
    }
    *out = list_json(env, &scope, "tests", items, q.total, a->offset, q.nothing.ptr);
    return KEN_OK;
}

void ken_tool__tests_for_text(const json_t *answer, ken_paint *out)
{
    ken_tool__put_table(json_object_get(answer, "tests"), "TEST|AT|>DISTANCE|RESOLUTION",
                        "name|@|#distance|resolution", out);
    ken_tool__put_page_tail(answer, "tests", "total", out);
}

// ---- dead_code ----------------------------------------------------------------------------------

typedef struct dead_question {
    const ken_tool_env *env;
    ken_dead_opts opts;
    ken_dead_result found;
} dead_question;

static ken_status ask_dead(ken_snapshot *s, void *ctx, ken_err *err)
{
    dead_question *q = ctx;
    return ken_find_dead(s, &q->opts, q->env->ctx->cancel, q->env->arena, &q->found, err);
}

// "not listed, for they may be alive: 12 exported (code outside of the tree may use it), …"
static void set_unlisted(json_t *o, const ken_dead_result *found)
{
    ken_buf text = KEN_BUF_INIT(0);
    for (int c = KEN_DEAD_UNUSED + 1; c < KEN_DEAD_CLASS_COUNT; c++)
        if (found->n_by_class[c])
            ken_buf_printf(
                &text, "%s%zu %s (%s)",
                text.len ? ", " : "not listed, for they may be alive: ", found->n_by_class[c],
                ken_dead_class_word((ken_dead_class)c), ken_dead_class_text((ken_dead_class)c));
    if (text.len) {
        ken_buf_puts(&text, "; all lists them");
        ken_json_set_str(o, "note", ken_buf_str(&text));
    }
    ken_buf_release(&text);
}

ken_status ken_tool__dead_code(const ken_tool_env *env, const void *args, json_t **out,
                               ken_err *err)
{
    const ken_args_dead_code *a = args;
    dead_question q = { .env = env,
                        .opts = { .folder = a->directory,
                                  .limit = (uint32_t)a->limit,
                                  .offset =
                                      (uint32_t)(a->offset > UINT32_MAX ? UINT32_MAX : a->offset),
                                  .wants_all = a->all } };
    ken_tool__scope scope;
    ken_status st = ken_tool__ask(env, a->project, ask_dead, &q, &scope, err);
    if (st)
        return st;
    json_t *items = json_array(), *classes = json_object();
    for (size_t i = 0; i < q.found.n; i++) {
        const ken_dead *d = &q.found.items[i];
        json_t *o = item_json(&d->node);
        ken_json_set_str(o, "class", ken_str_c(ken_dead_class_word(d->class)));
        ken_json_set_u64(o, "unresolved", d->n_unresolved);
        ken_json_set_str(o, "why", d->why);
        ken_json_append(items, o);
    }
    for (int c = 0; c < KEN_DEAD_CLASS_COUNT; c++)
        ken_json_set_u64(classes, ken_dead_class_word((ken_dead_class)c), q.found.n_by_class[c]);
    json_t *o = list_json(env, &scope, "dead", items, q.found.n_total, a->offset,
                          "nothing is known to be unused");
    ken_json_set(o, "classes", classes);
    if (!a->all)
        set_unlisted(o, &q.found);
    *out = o;
    return KEN_OK;
}

void ken_tool__dead_code_text(const json_t *answer, ken_paint *out)
{
    ken_tool__put_table(json_object_get(answer, "dead"), "NAME|KIND|AT|WHY", "name|kind|@|why",
                        out);
    ken_tool__put_page_tail(answer, "dead", "total", out);
}

// ---- hotspots -----------------------------------------------------------------------------------

typedef struct hot_question {
    const ken_tool_env *env;
    ken_str folder;
    size_t n;
    ken_key_symbol *found;
    ken_str shallow;
} hot_question;

static ken_status ask_hotspots(ken_snapshot *s, void *ctx, ken_err *err)
{
    hot_question *q = ctx;
    ken_status st =
        ken_find_hotspots(s, q->folder, q->env->ctx->cancel, q->env->arena, &q->found, &q->n, err);
    if (!st && q->n)
        q->shallow = ken_tool__shallow_text(q->env, s);
    return st;
}

ken_status ken_tool__hotspots(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    const ken_args_hotspots *a = args;
    hot_question q = { .env = env, .folder = a->directory };
    ken_tool__scope scope;
    ken_status st = ken_tool__ask(env, a->project, ask_hotspots, &q, &scope, err);
    if (st)
        return st;
    json_t *items = json_array();
    for (size_t i = a->offset; i < q.n && i - a->offset < a->limit; i++) {
        json_t *o = item_json(&q.found[i].node);
        ken_json_set_u64(o, "complexity", q.found[i].node.complexity);
        ken_json_set_u64(o, "commits", q.found[i].n_commits);
        ken_json_set_real(o, "score", q.found[i].score);
        ken_json_append(items, o);
    }
    *out = list_json(env, &scope, "hotspots", items, q.n, a->offset,
                     "no complex code that changes often");
    if (q.shallow.len)
        ken_json_set_str(*out, "note", q.shallow);
    return KEN_OK;
}

void ken_tool__hotspots_text(const json_t *answer, ken_paint *out)
{
    ken_tool__put_table(json_object_get(answer, "hotspots"),
                        "NAME|AT|>COMPLEXITY|>COMMITS OF ITS FILE", "name|@|#complexity|#commits",
                        out);
    ken_tool__put_page_tail(answer, "hotspots", "total", out);
}

// ---- list_routes --------------------------------------------------------------------------------

typedef struct routes_question {
    const ken_tool_env *env;
    ken_str filter;
    ken_route *found;
    size_t n;
} routes_question;

static ken_status ask_routes(ken_snapshot *s, void *ctx, ken_err *err)
{
    routes_question *q = ctx;
    return ken_find_routes(s, q->filter, q->env->ctx->cancel, q->env->arena, &q->found, &q->n, err);
}

static json_t *route_json(const ken_route *r)
{
    json_t *o = json_object();
    ken_json_set_str(o, "framework", r->framework);
    ken_json_set_bool(o, "is_event", r->is_event);
    ken_json_set_str(o, "method", r->method);
    ken_json_set_str(o, "path", r->path);
    ken_json_set_str(o, "handler", r->handler);
    ken_json_set_str(o, "file_path", r->file);
    ken_json_set_u64(o, "line", r->line + 1u);
    return o;
}

ken_status ken_tool__list_routes(const ken_tool_env *env, const void *args, json_t **out,
                                 ken_err *err)
{
    const ken_args_list_routes *a = args;
    routes_question q = { .env = env, .filter = a->filter };
    ken_str folder = ken_path_normalise(env->arena, a->directory);
    ken_tool__scope scope;
    ken_status st = ken_tool__ask(env, a->project, ask_routes, &q, &scope, err);
    if (st)
        return st;
    json_t *items = json_array();
    size_t total = 0;
    for (size_t i = 0; i < q.n; i++) {
        const ken_route *r = &q.found[i];
        if (a->directory.len && !ken_path_is_under(folder, r->file))
            continue;
        size_t at = total++;
        if (at >= a->offset && at - a->offset < a->limit)
            ken_json_append(items, route_json(r));
    }
    *out =
        list_json(env, &scope, "routes", items, total, a->offset, "no routes or events were found");
    return KEN_OK;
}

void ken_tool__list_routes_text(const json_t *answer, ken_paint *out)
{
    ken_tool__put_table(json_object_get(answer, "routes"), "METHOD|PATH|HANDLER|AT|FRAMEWORK",
                        "method|path|handler|@|framework", out);
    ken_tool__put_page_tail(answer, "routes", "total", out);
}
