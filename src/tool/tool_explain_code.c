// SPDX-License-Identifier: MIT
// explain_code: lines of a file, and all that is known of them.
#include <stdio.h>

#include "base/utf8.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_rules_priv.h"

enum {
    CODE_MAX = 16 * 1024,
    DOC_MAX = 2 * 1024,
    CODE_LEAST = 400, // however little room there is
    RULES_MAX = 5,
    RULE_BYTES_MAX = 400,
    TESTS_MAX = 20,
};

static const char *const lists[] = {
    "callees", "callers", "types", "tests", "tests_through", "inside", "imports", "routes", "rules",
};

// ---- JSON --------------------------------------------------------------------------------------

static json_t *notes_json(const ken_edge_note *notes, size_t n, bool has_call_role)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *o = ken_tool__place_json(&notes[i].node);
        if (notes[i].line != UINT32_MAX)
            ken_json_set_u64(o, "line", notes[i].line + 1u);
        if (!has_call_role || notes[i].role != KEN_REF_CALL)
            ken_json_set_str(o, "role", ken_str_c(ken_ref_role_word(notes[i].role)));
        ken_tool__set_class(o, notes[i].class, notes[i].evidence);
        if (notes[i].n_sites > 1)
            ken_json_set_u64(o, "sites", notes[i].n_sites);
        ken_json_append(list, o);
    }
    return list;
}

static json_t *symbol_json(const ken_graph_node *n)
{
    json_t *o = ken_tool__node_json(n);
    if (n->visibility != KEN_VISIBILITY_UNKNOWN)
        ken_json_set_str(o, "visibility", ken_str_c(ken_visibility_word(n->visibility)));
    if (n->complexity)
        ken_json_set_u64(o, "complexity", n->complexity);
    if (n->is_test)
        ken_json_set_bool(o, "is_test", true);
    return o;
}

static void put_count(ken_buf *text, const char *between, size_t n, const char *what)
{
    ken_buf_printf(text, "%s%zu %s%s", between, n, what, n == 1 ? "" : "s");
}

// "in method Parser.parse: 9 usages: 3 callers, 0 tests (2 tests reach it through others); 5 callees; 1
// name in it could not be resolved": usages as find_usages counts them, the rest definitions
static void set_summary(json_t *o, const ken_explanation *e, size_t n_reaching)
{
    ken_buf text = KEN_BUF_INIT(0);
    if (e->symbol.name.len)
        ken_buf_printf(&text, "in %s " KEN_STR_FMT ": ", ken_symbol_kind_word(e->symbol.kind),
                       KEN_STR_ARG(ken_utf8_clip(
                           e->symbol.qualified.len ? e->symbol.qualified : e->symbol.name, 100)));
    else
        ken_buf_puts(&text, "outside of any definition: ");
    if (e->symbol.name.len) {
        bool is_called = ken_symbol_is_callable(e->symbol.kind);
        put_count(&text, "", e->n_usages, "usage");
        put_count(&text, ": ", e->n_callers_total, is_called ? "caller" : "user");
        put_count(&text, ", ", e->n_tests_total, "test");
        if (n_reaching)
            put_count(&text, " (", n_reaching, "test");
        ken_buf_puts(&text, n_reaching == 1 ? " reaches it through others)"
                            : n_reaching    ? " reach it through others)"
                                            : "");
    }
    put_count(&text, e->symbol.name.len ? "; " : "", e->n_callees_total, "callee");
    if (e->n_unresolved_usages)
        ken_buf_printf(&text, "; %zu %splace%s its name and could not be resolved",
                       e->n_unresolved_usages, e->n_usages ? "more " : "",
                       e->n_unresolved_usages == 1 ? " uses" : "s use");
    if (e->n_unresolved)
        ken_buf_printf(&text, "; %zu name%s in it could not be resolved", e->n_unresolved,
                       e->n_unresolved == 1 ? "" : "s");
    ken_json_set_str(o, "summary", ken_buf_str(&text));
    ken_buf_release(&text);
}

static void set_lists(json_t *o, const ken_explanation *e)
{
    json_t *inside = json_array(), *routes = json_array();
    for (size_t i = 0; i < e->n_inside; i++)
        ken_json_append(inside, ken_tool__place_json(&e->inside[i]));
    for (size_t i = 0; i < e->n_routes; i++)
        ken_json_append(routes, ken_tool__route_json(&e->routes[i]));
    ken_json_set(o, "inside", inside);
    ken_json_set(o, "callers", notes_json(e->callers, e->n_callers, true));
    ken_json_set(o, "callees", notes_json(e->callees, e->n_callees, true));
    ken_json_set(o, "types", notes_json(e->types, e->n_types, false));
    ken_json_set(o, "tests", notes_json(e->tests, e->n_tests, true));
    ken_json_set(o, "imports", ken_tool__strings_json(e->imports, e->n_imports));
    ken_json_set(o, "routes", routes);
}

static json_t *reaching_json(const ken_dependent *tests, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *o = ken_tool__place_json(&tests[i].node);
        ken_json_set_u64(o, "distance", tests[i].distance);
        ken_tool__set_class(o, tests[i].class, KEN_STR(""));
        ken_json_append(list, o);
    }
    return list;
}

json_t *ken_tool__explanation_json(const ken_explanation *e, const ken_tool__reaching *through)
{
    json_t *o = json_object();
    ken_json_set_str(o, "file_path", e->path);
    ken_json_set_str(o, "language", e->language);
    ken_json_set_u64(o, "start_line", e->first_line + 1);
    ken_json_set_u64(o, "end_line", e->last_line + 1);
    set_summary(o, e, through->n_total);
    ken_json_set(o, "symbol", e->symbol.name.len ? symbol_json(&e->symbol) : NULL);
    if (e->symbol.name.len)
        ken_json_set_u64(o, "usages", e->n_usages);
    if (e->doc.len)
        ken_json_set_str(o, "doc", ken_tool__clip_lines(e->doc, DOC_MAX, false));
    ken_json_set_str(o, "code", ken_tool__clip_lines(e->code, CODE_MAX, false));
    if (e->code.len > CODE_MAX)
        ken_json_set_bool(o, "code_truncated", true);
    set_lists(o, e);
    ken_json_set_u64(o, "callers_total", e->n_callers_total);
    ken_json_set_u64(o, "callees_total", e->n_callees_total);
    ken_json_set_u64(o, "tests_total", e->n_tests_total);
    if (through->n_total) {
        ken_json_set(o, "tests_through", reaching_json(through->tests, through->n));
        ken_json_set_u64(o, "tests_through_total", through->n_total);
    }
    if (e->n_unresolved)
        ken_json_set_u64(o, "unresolved", e->n_unresolved);
    if (e->n_unresolved_usages)
        ken_json_set_u64(o, "unresolved_usages", e->n_unresolved_usages);
    if (e->is_refreshed)
        ken_json_set_bool(o, "changed_since_index", true);
    return o;
}

// ---- asking ------------------------------------------------------------------------------------

typedef struct question {
    const ken_tool_env *env;
    const ken_args_explain_code *args; // lines from 1
    ken_explanation found;
    ken_tool__reaching through;
} question;

// Code that no test uses itself is tested through what uses it.
static ken_status ask_reaching(ken_snapshot *s, question *q, ken_err *err)
{
    const ken_explanation *e = &q->found;
    ken_tool__reaching *t = &q->through;
    if (!e->symbol.name.len || e->symbol.is_test || e->n_tests_total || !e->n_callers_total)
        return KEN_OK;
    ken_str place = ken_arena_printf(q->env->arena, KEN_STR_FMT ":%u", KEN_STR_ARG(e->symbol.path),
                                     e->symbol.first_line + 1);
    ken_status st =
        ken_tests_for(s, &(ken_tests_for_opts){ .what = place, .limit = TESTS_MAX },
                      q->env->ctx->cancel, q->env->arena, &t->tests, &t->n, &t->n_total, err);
    return st == KEN_ENOTFOUND || ken_quota_settle(st, err) ? KEN_OK : st;
}

static ken_status ask(ken_snapshot *s, void *ctx, ken_err *err)
{
    question *q = ctx;
    ken_status st = ken_explain(s, q->args->file_path, (uint32_t)q->args->line_start - 1,
                                (uint32_t)q->args->line_end - 1, q->env->ctx->cancel, q->env->arena,
                                &q->found, err);
    return st ? st : ask_reaching(s, q, err);
}

static ken_status check_range(const ken_args_explain_code *a, ken_err *err)
{
    if (a->line_start >= 1 && a->line_end >= a->line_start && a->line_end <= UINT32_MAX)
        return KEN_OK;
    return KEN_FAIL(
        err, KEN_EINVAL,
        "args.line_end: lines %llu to %llu are no range: the first is 1, and the last no smaller",
        (unsigned long long)a->line_start, (unsigned long long)a->line_end);
}

// Rules that speak of this file, the nearest first; that they cannot be read is no reason to show
// less.
static void set_rules(const ken_tool_env *env, const ken_tool__scope *scope, ken_str path,
                      json_t *o)
{
    const ken_rule **rules = NULL;
    size_t n = 0;
    json_t *list = json_array();
    if (ken_rulebook_list_for_file(ken_app_rulebook(env->app, scope->snap), path, RULES_MAX,
                                   env->arena, &rules, &n, NULL))
        n = 0;
    for (size_t i = 0; i < n; i++) {
        json_t *r = json_object();
        ken_json_set_str(r, "rule", ken_tool__clip_lines(rules[i]->text, RULE_BYTES_MAX, false));
        ken_tool__set_at(r, "at", rules[i]->path, rules[i]->first_line);
        ken_json_append(list, r);
    }
    if (n)
        ken_json_set(o, "rules", list);
    else
        json_decref(list);
}

static void set_source(const ken_tool_env *env, const ken_tool__scope *scope,
                       const ken_explanation *e, json_t *o)
{
    // What changed after the commit that was indexed is not in that commit.
    ken_str commit = e->is_refreshed ? KEN_STR("") : scope->head.git_head;
    ken_tool__link link =
        ken_tool__find_link(ken_app_config(env->app), env->arena, &scope->project);
    commit = ken_tool__commit_of(&link, commit, e->path);
    ken_json_set(o, "commit_hash", commit.len ? ken_json_str(commit) : NULL);
    ken_json_set(o, "url", ken_tool__url(&link, commit, e->path, e->first_line, e->last_line));
}

// Fewer lines than were asked for: the rest is asked for from there.
static void set_rest(const ken_args_explain_code *a, const ken_explanation *e, json_t *o,
                     ken_arena *arena)
{
    if (e->last_line + 1 >= a->line_end)
        return;
    ken_json_set_bool(o, "truncated", true);
    ken_json_set_str(o, "hint",
                     ken_arena_printf(arena, "lines %u to %u are explained; go on from %u",
                                      e->first_line + 1, e->last_line + 1, e->last_line + 2));
}

static size_t member_bytes(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return v ? ken_json_dump_size(v) : 0;
}

// The code gives way first, down to a half of the room; then the lists, which as text are about half as
// long as in JSON.
static void fit(const ken_tool_env *env, json_t *o)
{
    size_t max = env->ctx->max_bytes, code = ken_tool__member(o, "code").len;
    size_t hidden = 0, others = ken_json_dump_size(o) - code, number_part = 0;
    if (env->is_text) {
        hidden = member_bytes(o, "symbol") + member_bytes(o, "inside") + member_bytes(o, "imports");
        others = (others - hidden) / 2;
        number_part = 4; // of code as text, a quarter comes on top for line numbers
    }
    size_t room = max - (others < max / 2 ? others : max / 2);
    room -= number_part ? room / number_part : 0;
    if (room < CODE_LEAST)
        room = CODE_LEAST;
    if (code > room) {
        ken_str clipped = ken_tool__clip_lines(ken_tool__member(o, "code"), room, false);
        code = clipped.len;
        ken_json_set(o, "code", ken_json_str(clipped));
        ken_json_set_bool(o, "code_truncated", true);
    }
    if (env->is_text && max < SIZE_MAX / 2) {
        size_t used = code + code / number_part;
        max = code + hidden + 2 * (max > used ? max - used : 0);
    }
    ken_tool__fit_lists(o, lists, sizeof lists / sizeof *lists, max,
                        "lists were cut to fit; ask for fewer lines, {find_usages} and "
                        "{trace_execution} show the rest");
}

ken_status ken_tool__explain_code(const ken_tool_env *env, const void *args, json_t **out,
                                  ken_err *err)
{
    question q = { .env = env, .args = args };
    ken_tool__scope scope;
    ken_status st = check_range(q.args, err);
    if (!st)
        st = ken_tool__ask(env, q.args->project, ask, &q, &scope, err);
    if (st)
        return st;
    json_t *o = ken_tool__explanation_json(&q.found, &q.through);
    set_rest(q.args, &q.found, o, env->arena);
    set_rules(env, &scope, q.found.path, o);
    if (env->is_text) // which shows neither source nor scope
        fit(env, o);
    set_source(env, &scope, &q.found, o);
    ken_tool__set_scope(o, &scope);
    if (!env->is_text)
        fit(env, o);
    ken_tool__close(env, &scope);
    *out = o;
    return KEN_OK;
}

// ---- text --------------------------------------------------------------------------------------

static void put_notes(const json_t *list, const char *head, ken_paint *out)
{
    ken_tool__put_head(list, head, out);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *n = json_array_get(list, i);
        ken_str at = ken_tool__member(n, "at"), role = ken_tool__member(n, "role");
        ken_paint_puts(out, "  ");
        ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(n, "name"));
        if (at.len) {
            ken_paint_puts(out, " ");
            ken_paint_at(out, at);
        }
        if (role.len)
            ken_paint_printf(out, KEN_STYLE_DIM, " " KEN_STR_FMT, KEN_STR_ARG(role));
        ken_tool__put_class(n, out);
        ken_paint_puts(out, "\n");
    }
}

static void put_rules(const json_t *list, ken_paint *out)
{
    ken_tool__put_head(list, "rules", out);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *r = json_array_get(list, i);
        ken_paint_puts(out, "  ");
        ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(r, "rule"));
        ken_paint_puts(out, "  ");
        ken_paint_at(out, ken_tool__member(r, "at"));
        ken_paint_puts(out, "\n");
    }
}

void ken_tool__explain_code_text(const json_t *answer, ken_paint *out)
{
    ken_str path = ken_tool__member(answer, "file_path");
    long long first = ken_tool__number(answer, "start_line");
    ken_paint_path(out, path);
    ken_paint_printf(out, KEN_STYLE_LINE, ":%lld-%lld ", first,
                     ken_tool__number(answer, "end_line"));
    ken_tool__put_summary(answer, out);
    // The comment above; what stands in the lines is shown with them.
    ken_str doc = ken_tool__member(answer, "doc"), code = ken_tool__member(answer, "code");
    ken_str line, rest = doc.len && ken_str_find(code, doc) == SIZE_MAX ? doc : KEN_STR("");
    while (ken_str_line_next(&rest, &line)) {
        ken_paint_str(out, KEN_STYLE_DIM, line);
        ken_paint_puts(out, "\n");
    }
    ken_paint_code(out, code, (size_t)first, NULL, 0);
    if (json_is_true(json_object_get(answer, "code_truncated")))
        ken_paint_printf(out, KEN_STYLE_NOTE, "... code cut to fit; ask for lines from %lld on\n",
                         first + (long long)ken_tool__count_lines(code));
    put_notes(json_object_get(answer, "callers"), "callers", out);
    put_notes(json_object_get(answer, "callees"), "callees", out);
    put_notes(json_object_get(answer, "types"), "types", out);
    put_notes(json_object_get(answer, "tests"), "tests", out);
    put_notes(json_object_get(answer, "tests_through"), "tests, through others", out);
    ken_tool__put_routes(json_object_get(answer, "routes"), out);
    put_rules(json_object_get(answer, "rules"), out);
    ken_tool__put_tail(answer, out);
}
