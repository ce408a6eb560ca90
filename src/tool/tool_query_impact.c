// SPDX-License-Identifier: MIT
// query_impact: what a change of a symbol, a file or a diff may break.
#include <stdio.h>

#include "base/utf8.h"
#include "tool/tool_graph_priv.h"

enum {
    TOKENS = 1500,      // of an answer, unless more is asked for
    TEXT_TOKENS = 1200, // of it as text
    LISTED_MAX = 20,    // changed definitions, and tests, unless the limit is larger
};

static const char *const lists[] = {
    "dependents",    "tests",  "maybe",   "files",        "changed",
    "changed_files", "routes", "similar", "not_compared", "change_together",
};

// ---- JSON --------------------------------------------------------------------------------------

// One step nearer: an answer with all fields tells the way.
static json_t *through_json(const ken_dependent *d)
{
    json_t *o = ken_tool__place_json(&d->via);
    ken_tool__set_class(o, d->via_class, KEN_STR(""));
    return o;
}

static json_t *dependent_json(const ken_dependent *d, bool is_text)
{
    json_t *o = json_object();
    if (d->node.name.len) {
        json_t *place = ken_tool__place_json(&d->node);
        json_object_update(o, place);
        json_decref(place);
    } else {
        ken_tool__set_at(o, "at", d->node.path, d->node.first_line); // the top of a file
    }
    ken_json_set_u64(o, "distance", d->distance);
    ken_tool__set_class(o, d->class, KEN_STR(""));
    if (d->n_sites > 1)
        ken_json_set_u64(o, "sites", d->n_sites);
    if (d->change)
        ken_json_set_str(o, "uses", ken_str_c(ken_delta_kind_word(d->change)));
    if (d->is_broken)
        ken_json_set_bool(o, "broken", true);
    if (d->site_line != UINT32_MAX)
        ken_json_set_u64(o, "line", d->site_line + 1u);
    if (d->via.name.len && !is_text)
        ken_json_set(o, "through", through_json(d));
    return o;
}

static json_t *dependents_json(const ken_dependent *items, size_t n, bool is_text)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, dependent_json(&items[i], is_text));
    return list;
}

static json_t *related_json(const ken_related_file *files, size_t n, const char *value)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_object();
        ken_json_set_str(o, "file_path", files[i].path);
        ken_json_set_real(o, value, files[i].value);
        if (files[i].n_commits)
            ken_json_set_u64(o, "commits", files[i].n_commits);
        ken_json_append(list, o);
    }
    return list;
}

static json_t *changed_json(const ken_changed_def *c)
{
    ken_graph_node node = c->node;
    node.id.file = 0; // of what is gone the place in the older version is shown
    json_t *o = ken_tool__place_json(&node);
    if (c->change)
        ken_json_set_str(o, "change", ken_str_c(ken_delta_kind_word(c->change)));
    if (c->was.len)
        ken_json_set_str(o, "was", c->was);
    if (c->n_users)
        ken_json_set_u64(o, "used_at", c->n_users);
    if (c->n_broken)
        ken_json_set_u64(o, "broken_at", c->n_broken);
    return o;
}

static void set_changed(json_t *o, const ken_impact *i, size_t most)
{
    json_t *list = json_array();
    for (size_t k = 0; k < i->n_changed && k < most; k++)
        ken_json_append(list, changed_json(&i->changed[k]));
    ken_json_set(o, "changed", list);
    ken_json_set_u64(o, "changed_total", i->n_changed_total);
    if (i->n_uncompared)
        ken_json_set(o, "not_compared", ken_tool__strings_json(i->uncompared, i->n_uncompared));
    if (i->n_changed_files)
        ken_json_set(o, "changed_files",
                     ken_tool__strings_json(i->changed_files, i->n_changed_files));
}

static void set_risk(json_t *o, const ken_impact *i)
{
    json_t *risk = json_object();
    ken_json_set_str(risk, "level", ken_str_c(i->risk_level));
    ken_json_set_real(risk, "value", i->risk);
    ken_json_set(risk, "reasons", ken_tool__strings_json(i->reasons, i->n_reasons));
    ken_json_set(o, "risk", risk);
}

static size_t count_dependents(const ken_impact *i)
{
    size_t n = 0;
    for (size_t d = 1; d < sizeof i->n_by_distance / sizeof *i->n_by_distance; d++)
        n += i->n_by_distance[d];
    return n;
}

// "3 changed definitions (1 removed, 2 body)"; of a file "3 definitions of src/a.c"
static void put_changes(ken_buf *text, const ken_impact *i)
{
    bool is_first = true, is_file = i->n_by_change[KEN_DELTA_NONE] == i->n_changed_total;
    ken_buf_printf(text, "%zu %sdefinition%s", i->n_changed_total, is_file ? "" : "changed ",
                   i->n_changed_total == 1 ? "" : "s");
    if (is_file && i->n_changed_files)
        ken_buf_printf(text, " of " KEN_STR_FMT, KEN_STR_ARG(i->changed_files[0]));
    for (int k = KEN_DELTA_KIND_COUNT - 1; k > KEN_DELTA_NONE; k--) {
        if (!i->n_by_change[k])
            continue;
        ken_buf_printf(text, "%s%zu %s", is_first ? " (" : ", ", i->n_by_change[k],
                       ken_delta_kind_word((ken_delta_kind)k));
        is_first = false;
    }
    if (!is_first)
        ken_buf_putc(text, ')');
}

// Where it is defined is told when it was chosen among several.
static void put_one(ken_buf *text, const ken_impact *i)
{
    const ken_graph_node *node = &i->changed[0].node;
    ken_buf_put_str(text, ken_utf8_clip(node->name, 100));
    if (i->n_others)
        ken_buf_printf(text, " (" KEN_STR_FMT ":%u)", KEN_STR_ARG(node->path),
                       node->first_line + 1);
}

static void put_what(ken_buf *text, const ken_impact *i, bool is_diff)
{
    if (i->n_changed_total == 1 && i->n_changed && !i->changed[0].change)
        put_one(text, i);
    else if (i->n_changed_total)
        put_changes(text, i);
    else if (!is_diff)
        ken_buf_printf(text, KEN_STR_FMT ", which defines nothing",
                       KEN_STR_ARG(i->n_changed_files ? i->changed_files[0] : KEN_STR("a file")));
    else
        ken_buf_printf(text, "%zu changed file%s", i->n_changed_files,
                       i->n_changed_files == 1 ? "" : "s");
}

// "parse: risk medium; 9 usages; 12 dependents in 5 files (4 direct), 3 tests reach it; 2 unresolved
// places might depend on it": usages as find_usages counts them; dependents are definitions and tops
// of files, tests apart
static void set_summary(json_t *o, const ken_impact *i, bool is_diff)
{
    ken_buf text = KEN_BUF_INIT(0);
    size_t n = count_dependents(i);
    put_what(&text, i, is_diff);
    ken_buf_printf(&text, ": risk %s; ", i->risk_level);
    if (i->n_broken)
        ken_buf_printf(&text, "%zu broken in %zu file%s; ", i->n_broken, i->n_broken_files,
                       i->n_broken_files == 1 ? "" : "s");
    if (i->n_changed_total == 1 && i->n_changed && !i->changed[0].change)
        ken_buf_printf(&text, "%zu usage%s; ", i->n_places, i->n_places == 1 ? "" : "s");
    const char *least = i->is_at_least ? "at least " : "";
    if (n)
        ken_buf_printf(&text, "%s%zu dependent%s in %zu file%s (%zu direct)", least, n,
                       n == 1 ? "" : "s", i->n_dependent_files,
                       i->n_dependent_files == 1 ? "" : "s", i->n_by_distance[1]);
    else
        ken_buf_puts(&text, i->is_at_least ? "no dependent among what was looked at"
                                           : "0 dependents found");
    if (!i->n_tests_total && i->is_at_least)
        ken_buf_puts(&text, ", no test among what was looked at");
    else if (i->n_tests_total || i->test_files.n_parsed)
        ken_buf_printf(&text, ", %s%zu test%s reach%s it within %u step%s", least, i->n_tests_total,
                       i->n_tests_total == 1 ? "" : "s", i->n_tests_total == 1 ? "es" : "",
                       i->max_depth, i->max_depth == 1 ? "" : "s");
    else
        ken_buf_puts(&text, ", no test was parsed");
    if (i->n_unresolved)
        ken_buf_printf(&text, "; %zu unresolved place%s might depend on it", i->n_unresolved,
                       i->n_unresolved == 1 ? "" : "s");
    if (i->n_changed)
        ken_tool__put_missed(&text, i->missed_scope, i->changed[0].node.qualified);
    ken_json_set_str(o, "summary", ken_buf_str(&text));
    ken_buf_release(&text);
}

static json_t *distances_json(const ken_impact *i)
{
    json_t *list = json_array();
    for (size_t d = 1; d < sizeof i->n_by_distance / sizeof *i->n_by_distance; d++)
        if (i->n_by_distance[d] || d == 1)
            ken_json_append(list, json_integer((json_int_t)i->n_by_distance[d]));
    return list;
}

static void set_related(json_t *o, const ken_impact *i)
{
    if (i->n_routes) {
        json_t *routes = json_array();
        for (size_t r = 0; r < i->n_routes; r++)
            ken_json_append(routes, ken_tool__route_json(&i->routes[r]));
        ken_json_set(o, "routes", routes);
    }
    if (i->n_together)
        ken_json_set(o, "change_together", related_json(i->together, i->n_together, "share"));
    if (i->n_similar)
        ken_json_set(o, "similar", related_json(i->similar, i->n_similar, "similarity"));
}

json_t *ken_tool__impact_json(const ken_impact *i, const ken_tool__impact_shape *shape)
{
    json_t *o = json_object();
    set_summary(o, i, shape->is_diff);
    set_risk(o, i);
    set_changed(o, i, shape->most_changed);
    ken_json_set(o, "by_distance", distances_json(i));
    ken_json_set_u64(o, "places", i->n_places);
    ken_json_set(o, "dependents", dependents_json(i->dependents, i->n_dependents, shape->is_text));
    ken_json_set_u64(o, "dependents_total", count_dependents(i));
    if (i->n_broken)
        ken_json_set_u64(o, "broken_total", i->n_broken);
    if (i->n_maybe_total) {
        ken_json_set(o, "maybe", dependents_json(i->maybe, i->n_maybe, shape->is_text));
        ken_json_set_u64(o, "maybe_total", i->n_maybe_total);
    }
    ken_json_set(o, "tests", dependents_json(i->tests, i->n_tests, shape->is_text));
    ken_json_set_u64(o, "tests_total", i->n_tests_total);
    ken_json_set(o, "files", ken_tool__strings_json(i->files, i->n_files));
    ken_json_set_u64(o, "files_total", i->n_files_total);
    set_related(o, i);
    if (i->n_unresolved)
        ken_json_set_u64(o, "unresolved", i->n_unresolved);
    ken_tool__set_others(o, i->n_changed ? &i->changed[0].node : NULL, i->others, i->n_others,
                         &i->chosen);
    if (i->is_at_least)
        ken_json_set_bool(o, "at_least", true);
    if (i->is_truncated)
        ken_json_set_bool(o, "truncated", true);
    return o;
}

void ken_tool__fit_impact(json_t *result, size_t max_bytes)
{
    ken_tool__fit_lists(
        result, lists, sizeof lists / sizeof *lists, max_bytes,
        "lists were cut to fit; {limit} shows more of them, {max_depth} 1 only direct "
        "dependents");
}

// ---- asking ------------------------------------------------------------------------------------

typedef struct question {
    const ken_tool_env *env;
    ken_impact_opts opts;
    ken_impact found;
} question;

static ken_status ask(ken_snapshot *s, void *ctx, ken_err *err)
{
    question *q = ctx;
    return ken_query_impact(s, &q->opts, q->env->ctx->cancel, q->env->arena, &q->found, err);
}

static ken_status check_one(const ken_args_query_impact *a, bool is_command, ken_err *err)
{
    int n = (a->symbol.len > 0) + (a->file_path.len > 0) + a->has_diff;
    if (n == 1)
        return KEN_OK;
    if (is_command)
        return KEN_FAIL(err, KEN_EINVAL, "give %s: a file, FILE:LINE, a symbol, or --diff",
                        n ? "one only" : "what changes");
    return KEN_FAIL(err, KEN_EINVAL,
                    "args: give %s of symbol, file_path and diff (diff: a revision or range, or "
                    "'uncommitted')",
                    n ? "only one" : "one");
}

// The default limit is of dependents alone.
static uint32_t most_listed(const ken_args_query_impact *a)
{
    return a->has_limit && a->limit > LISTED_MAX ? (uint32_t)a->limit : LISTED_MAX;
}

static ken_impact_opts impact_opts(const ken_args_query_impact *a)
{
    bool is_uncommitted = ken_str_eq(a->diff, KEN_STR("uncommitted"));
    bool is_only = ken_tool__tests_of(a->tests) == KEN_TESTS_ONLY;
    return (ken_impact_opts){
        .symbol = a->symbol,
        .path = a->file_path,
        .diff = is_uncommitted ? KEN_STR("") : a->diff,
        .wants_diff = a->has_diff,
        .file_hint = a->file_hint,
        .max_depth = (uint32_t)a->max_depth,
        .limit = (uint32_t)a->limit,
        .max_tests = is_only ? (uint32_t)a->limit : most_listed(a),
        .offset = (uint32_t)(a->offset > UINT32_MAX ? UINT32_MAX : a->offset),
        .num_similar = UINT32_MAX,
        .tests = ken_tool__tests_of(a->tests),
    };
}

ken_status ken_tool__query_impact(const ken_tool_env *env, const void *args, json_t **out,
                                  ken_err *err)
{
    const ken_args_query_impact *a = args;
    question q = { .env = env, .opts = impact_opts(a) };
    ken_tool__scope scope;
    ken_status st = check_one(a, env->ctx->is_command, err);
    if (!st)
        st = ken_tool__ask(env, a->project, ask, &q, &scope, err);
    if (st)
        return st;
    const ken_tool__impact_shape shape = { most_listed(a), a->has_diff, env->is_text };
    json_t *o = ken_tool__impact_json(&q.found, &shape);
    ken_tool__set_scope(o, &scope);
    ken_tool__fit_impact(o, a->has_limit ? env->ctx->max_bytes
                                         : ken_tool__answer_bytes(env, TOKENS, TEXT_TOKENS));
    bool is_only = q.opts.tests == KEN_TESTS_ONLY;
    ken_tool__set_page(o, is_only ? "tests" : "dependents",
                       is_only ? "tests_total" : "dependents_total", a->offset);
    if (env->is_text)
        ken_json_set_bool(o, "lists_tests", is_only);
    ken_tool__close(env, &scope);
    *out = o;
    return KEN_OK;
}

// ---- text --------------------------------------------------------------------------------------

// " line 12 BROKEN (uses what is removed)"
static void put_use(const json_t *d, ken_paint *out)
{
    ken_str uses = ken_tool__member(d, "uses");
    if (json_object_get(d, "line"))
        ken_paint_printf(out, KEN_STYLE_LINE, " line %lld", ken_tool__number(d, "line"));
    if (json_is_true(json_object_get(d, "broken")))
        ken_paint_printf(out, KEN_STYLE_BAD, " BROKEN");
    if (uses.len)
        ken_paint_printf(out, KEN_STYLE_PLAIN, " (uses what is %s" KEN_STR_FMT ")",
                         ken_str_eq(uses, KEN_STR("signature")) ? "changed in its " : "",
                         KEN_STR_ARG(uses));
}

// Of a diff: what became of each definition.
static void put_changed(const json_t *list, ken_paint *out)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *c = json_array_get(list, i);
        ken_str change = ken_tool__member(c, "change"), was = ken_tool__member(c, "was");
        if (!change.len)
            continue;
        ken_paint_printf(out, KEN_STYLE_PLAIN, "  " KEN_STR_FMT " ", KEN_STR_ARG(change));
        ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(c, "name"));
        if (was.len)
            ken_paint_printf(out, KEN_STYLE_DIM, " (was " KEN_STR_FMT ")", KEN_STR_ARG(was));
        ken_paint_puts(out, " ");
        ken_paint_at(out, ken_tool__member(c, "at"));
        if (json_object_get(c, "used_at"))
            ken_paint_printf(out, KEN_STYLE_PLAIN,
                             ": used at %lld place%s outside of the diff, %lld of them broken",
                             ken_tool__number(c, "used_at"),
                             ken_tool__number(c, "used_at") == 1 ? "" : "s",
                             ken_tool__number(c, "broken_at"));
        ken_paint_puts(out, "\n");
    }
}

// The distance is told where it is not 1.
static void put_dependents(const json_t *list, const char *head, ken_paint *out)
{
    ken_tool__put_head(list, head, out);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *d = json_array_get(list, i);
        ken_str name = ken_tool__member(d, "name");
        long long distance = ken_tool__number(d, "distance");
        ken_paint_puts(out, "  ");
        if (distance > 1)
            ken_paint_printf(out, KEN_STYLE_DIM, "+%lld ", distance - 1);
        ken_paint_str(out, KEN_STYLE_NAME, name.len ? name : KEN_STR("(top of the file)"));
        ken_paint_puts(out, " ");
        ken_paint_at(out, ken_tool__member(d, "at"));
        put_use(d, out);
        ken_tool__put_class(d, out);
        ken_paint_puts(out, "\n");
    }
}

void ken_tool__query_impact_text(const json_t *answer, ken_paint *out)
{
    const json_t *reasons = json_object_get(json_object_get(answer, "risk"), "reasons");
    ken_tool__put_summary(answer, out);
    ken_tool__put_texts(reasons, "- ", "\n- ", "\n", out);
    put_changed(json_object_get(answer, "changed"), out);
    put_dependents(json_object_get(answer, "dependents"), "dependents (+n: n steps further away)",
                   out);
    put_dependents(json_object_get(answer, "tests"), "tests", out);
    put_dependents(json_object_get(answer, "maybe"), "maybe, by name only", out);
    ken_tool__put_paths(json_object_get(answer, "not_compared"), "not compared: ", out);
    ken_tool__put_routes(json_object_get(answer, "routes"), out);
    ken_tool__put_paths(json_object_get(answer, "change_together"),
                        "changed in the same commits: ", out);
    ken_tool__put_paths(json_object_get(answer, "similar"), "similar files: ", out);
    if (json_is_true(json_object_get(answer, "lists_tests")))
        ken_tool__put_page_tail(answer, "tests", "tests_total", out);
    else
        ken_tool__put_page_tail(answer, "dependents", "dependents_total", out);
}
