// SPDX-License-Identifier: MIT
// trace_execution: who calls whom from an entry point, as a tree in pre-order, or the shortest path
// to another symbol.
#include <stdio.h>

#include "base/utf8.h"
#include "tool/tool_graph_priv.h"

// ---- JSON --------------------------------------------------------------------------------------

// The entry has no call; its `unresolved` are its own.
static void set_call(json_t *o, const ken_trace_step *s)
{
    if (s->parent < 0)
        return;
    if (s->site_path.len)
        ken_tool__set_at(o, "call", s->site_path, s->site_line);
    if (s->role != KEN_REF_CALL)
        ken_json_set_str(o, "role", ken_str_c(ken_ref_role_word(s->role)));
    ken_tool__set_class(o, s->class, s->evidence);
    if (s->n_sites > 1)
        ken_json_set_u64(o, "sites", s->n_sites);
}

static json_t *step_json(const ken_trace_step *s)
{
    json_t *o = json_object(), *place = ken_tool__place_json(&s->node);
    ken_json_set_u64(o, "depth", s->depth);
    json_object_update(o, place);
    json_decref(place);
    set_call(o, s);
    if (s->is_cycle)
        ken_json_set_bool(o, "cycle", true);
    if (s->seen_at >= 0)
        ken_json_set_u64(o, "seen_at", (uint64_t)s->seen_at);
    if (s->n_cut)
        ken_json_set_u64(o, "cut", s->n_cut);
    if (s->n_unresolved)
        ken_json_set_u64(o, "unresolved", s->n_unresolved);
    return o;
}

typedef struct counts {
    size_t n_symbols, n_cycles, n_unresolved, n_cut; // n_cut: below the entry's own
    uint32_t depth;
} counts;

static counts count_steps(const ken_trace *t)
{
    counts c = { 0 };
    for (size_t i = 0; i < t->n_steps; i++) {
        const ken_trace_step *s = &t->steps[i];
        c.n_symbols += i && s->seen_at < 0;
        c.n_cycles += s->is_cycle;
        c.n_unresolved += s->n_unresolved;
        c.n_cut += i ? s->n_cut : 0;
        c.depth = s->depth > c.depth ? s->depth : c.depth;
    }
    return c;
}

static void put_unresolved(ken_buf *text, const counts *c, bool is_up)
{
    if (!c->n_unresolved)
        return;
    const char *s = c->n_unresolved == 1 ? "" : "s";
    if (is_up)
        ken_buf_printf(text, "; %zu unresolved call site%s %s", c->n_unresolved, s,
                       c->n_unresolved == 1 ? "uses one of these names" : "use these names");
    else
        ken_buf_printf(text, "; %zu call%s in them could not be resolved", c->n_unresolved, s);
}

// "main: 3 callees found, 14 symbols down to depth 3, 1 cycle; 5 calls in them could not be
// resolved"; "parse: 140 callers found (41 of them left out) by 170 usages": definitions, and places
// as find_usages counts them
static void put_tree_words(ken_buf *text, const ken_trace *t, const counts *c, bool is_up)
{
    const char *what = is_up ? "caller" : "callee";
    uint32_t n_cut = t->n_steps ? t->steps[0].n_cut : 0;
    ken_buf_printf(text, "%zu %s%s found", t->n_direct, what, t->n_direct == 1 ? "" : "s");
    if (n_cut)
        ken_buf_printf(text, " (%u of them left out)", n_cut);
    if (is_up && t->n_usages)
        ken_buf_printf(text, " by %zu usage%s", t->n_usages, t->n_usages == 1 ? "" : "s");
    if (c->depth > 1)
        ken_buf_printf(text, ", %zu symbols %s to depth %u", c->n_symbols, is_up ? "up" : "down",
                       c->depth);
    if (c->n_cycles)
        ken_buf_printf(text, ", %zu cycle%s", c->n_cycles, c->n_cycles == 1 ? "" : "s");
    if (c->n_cut)
        ken_buf_printf(text, ", %zu further on left out", c->n_cut);
}

static const char *why_stopped(const ken_trace_stop *s)
{
    return s->is_interface
               ? "a method of an interface; nothing in the index is known to implement it"
               : "could not be resolved";
}

// "no path to x found; it may be lost at a.c:3 call (why), and at 2 more calls"
static void put_no_path(ken_buf *text, const ken_trace *t, ken_str to)
{
    ken_buf_printf(text, "no path to " KEN_STR_FMT " found", KEN_STR_ARG(ken_utf8_clip(to, 100)));
    if (t->n_starts > 1)
        ken_buf_printf(text, " from %zu definitions of that name", t->n_starts);
    if (t->n_path_steps)
        ken_buf_printf(text, " within %u call%s; longer ones were not looked for", t->n_path_steps,
                       t->n_path_steps == 1 ? "" : "s");
    for (size_t i = 0; i < t->n_stops; i++)
        ken_buf_printf(text, "%s" KEN_STR_FMT ":%u " KEN_STR_FMT " (%s)",
                       i ? ", " : "; the search stopped at ", KEN_STR_ARG(t->stops[i].path),
                       t->stops[i].line + 1, KEN_STR_ARG(ken_utf8_clip(t->stops[i].name, 60)),
                       why_stopped(&t->stops[i]));
    size_t n_more = t->n_stops_total - t->n_stops;
    if (n_more)
        ken_buf_printf(text, ", and at %zu more call%s", n_more, n_more == 1 ? "" : "s");
}

static json_t *stops_json(const ken_trace *t)
{
    json_t *all = json_array();
    for (size_t i = 0; i < t->n_stops; i++) {
        const ken_trace_stop *s = &t->stops[i];
        json_t *o = json_object();
        ken_json_set_str(o, "name", s->name);
        ken_tool__set_at(o, "call", s->path, s->line);
        if (s->within.len)
            ken_json_set_str(o, "in", s->within);
        ken_json_set_str(o, "why", ken_str_c(why_stopped(s)));
        ken_json_append(all, o);
    }
    return all;
}

static void set_summary(json_t *o, const ken_trace *t, const ken_trace_opts *opts)
{
    ken_buf text = KEN_BUF_INIT(0);
    counts c = count_steps(t);
    bool is_up = opts->direction == KEN_TRACE_CALLERS;
    ken_str name = t->n_steps ? t->steps[0].node.name : opts->entry;
    bool is_type = t->n_steps && ken_symbol_is_type(t->steps[0].node.kind);
    ken_buf_printf(&text, KEN_STR_FMT "%s: ", KEN_STR_ARG(ken_utf8_clip(name, 100)),
                   is_type && !is_up ? ", a type, by all of its methods" : "");
    if (!opts->to.len)
        put_tree_words(&text, t, &c, is_up);
    else if (t->has_path)
        ken_buf_printf(&text, "reaches " KEN_STR_FMT " in %u call%s",
                       KEN_STR_ARG(ken_utf8_clip(opts->to, 100)), c.depth, c.depth == 1 ? "" : "s");
    else
        put_no_path(&text, t, opts->to);
    if (t->tried)
        ken_buf_printf(&text, ", from " KEN_STR_FMT ":%u; the one at " KEN_STR_FMT ":%u does not",
                       KEN_STR_ARG(t->steps[0].node.path), t->steps[0].node.first_line + 1,
                       KEN_STR_ARG(t->tried->path), t->tried->first_line + 1);
    if (t->tried && t->n_tried_steps)
        ken_buf_printf(&text, " within %u call%s", t->n_tried_steps,
                       t->n_tried_steps == 1 ? "" : "s");
    put_unresolved(&text, &c, is_up);
    if (t->n_steps)
        ken_tool__put_missed(&text, t->missed_scope, t->steps[0].node.qualified);
    ken_json_set_str(o, "summary", ken_buf_str(&text));
    ken_buf_release(&text);
}

json_t *ken_tool__trace_json(const ken_trace *t, const ken_trace_opts *opts)
{
    json_t *o = json_object(), *steps = json_array();
    set_summary(o, t, opts);
    ken_json_set_str(o, "direction",
                     opts->direction == KEN_TRACE_CALLERS ? KEN_STR("callers")
                                                          : KEN_STR("callees"));
    if (opts->to.len)
        ken_json_set_bool(o, "has_path", t->has_path);
    if (t->n_stops)
        ken_json_set(o, "stopped_at", stops_json(t));
    for (size_t i = 0; i < t->n_steps; i++)
        ken_json_append(steps, step_json(&t->steps[i]));
    ken_json_set(o, "steps", steps);
    if (!opts->to.len)
        ken_json_set_u64(o, "direct_total", t->n_direct);
    if (!opts->to.len && opts->direction == KEN_TRACE_CALLERS)
        ken_json_set_u64(o, "usages", t->n_usages);
    ken_tool__set_others(o, t->n_steps ? &t->steps[0].node : NULL, t->others, t->n_others,
                         &t->chosen);
    if (t->is_truncated)
        ken_json_set_bool(o, "truncated", true);
    return o;
}

// ---- asking ------------------------------------------------------------------------------------

typedef struct question {
    const ken_tool_env *env;
    ken_trace_opts opts;
    ken_trace found;
} question;

static ken_status ask(ken_snapshot *s, void *ctx, ken_err *err)
{
    question *q = ctx;
    return ken_trace_execution(s, &q->opts, q->env->ctx->cancel, q->env->arena, &q->found, err);
}

static ken_trace_opts trace_opts(const ken_args_trace_execution *a)
{
    bool is_up = ken_str_eq(a->direction, KEN_STR("callers"));
    return (ken_trace_opts){
        .entry = a->entry_point,
        .to = a->to,
        .file_hint = a->file_hint,
        .direction = is_up ? KEN_TRACE_CALLERS : KEN_TRACE_CALLEES,
        .max_depth = a->to.len && !a->has_max_depth ? 0 : (uint32_t)a->max_depth,
        .max_nodes = (uint32_t)a->max_nodes,
        .wants_external = a->external,
        .tests = ken_tool__tests_of(a->tests),
    };
}

// A step that was cut off is no place to look.
static void drop_lost(json_t *steps)
{
    size_t n = json_array_size(steps);
    for (size_t i = 0; i < n; i++) {
        json_t *s = json_array_get(steps, i);
        if (ken_tool__number(s, "seen_at") >= (long long)n)
            json_object_del(s, "seen_at");
    }
}

#define NARROW_HINT \
    "the tree was cut to fit; ask with a smaller {max_depth}, or go on from one of its leaves"

ken_status ken_tool__trace_execution(const ken_tool_env *env, const void *args, json_t **out,
                                     ken_err *err)
{
    const ken_args_trace_execution *a = args;
    question q = { .env = env, .opts = trace_opts(a) };
    ken_tool__scope scope;
    ken_status st = ken_tool__ask(env, a->project, ask, &q, &scope, err);
    if (st)
        return st;
    json_t *o = ken_tool__trace_json(&q.found, &q.opts);
    ken_tool__set_scope(o, &scope);
    ken_tool__fit(o, "steps", env->ctx->max_bytes, NARROW_HINT);
    drop_lost(json_object_get(o, "steps"));
    ken_tool__close(env, &scope);
    *out = o;
    return KEN_OK;
}

// ---- text --------------------------------------------------------------------------------------

// On a path each call is told by its place.
static void put_step(const json_t *s, size_t number, bool is_path, ken_paint *out)
{
    const json_t *seen = json_object_get(s, "seen_at");
    for (long long d = ken_tool__number(s, "depth"); d > 0; d--)
        ken_paint_puts(out, "  ");
    ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(s, "name"));
    ken_str at = ken_tool__member(s, "at");
    if (at.len) {
        ken_paint_puts(out, " ");
        ken_paint_at(out, at);
    }
    ken_tool__put_class(s, out);
    if (is_path && json_object_get(s, "call")) {
        ken_paint_puts(out, " called at ");
        ken_paint_at(out, ken_tool__member(s, "call"));
    }
    if (json_object_get(s, "sites"))
        ken_paint_printf(out, KEN_STYLE_DIM, " x%lld", ken_tool__number(s, "sites"));
    if (json_object_get(s, "cycle"))
        ken_paint_puts(out, " (cycle)");
    else if (seen)
        ken_paint_puts(out, json_integer_value(seen) < (json_int_t)number ? " (see above)"
                                                                          : " (see below)");
    if (json_object_get(s, "cut"))
        ken_paint_printf(out, KEN_STYLE_PLAIN, " (%lld more)", ken_tool__number(s, "cut"));
    if (json_object_get(s, "unresolved"))
        ken_paint_printf(out, KEN_STYLE_PLAIN, " (%lld unresolved)",
                         ken_tool__number(s, "unresolved"));
    ken_paint_puts(out, "\n");
}

void ken_tool__trace_execution_text(const json_t *answer, ken_paint *out)
{
    const json_t *steps = json_object_get(answer, "steps");
    bool is_path = json_is_true(json_object_get(answer, "has_path"));
    ken_tool__put_summary(answer, out);
    for (size_t i = 0; i < json_array_size(steps); i++)
        put_step(json_array_get(steps, i), i, is_path, out);
    ken_tool__put_tail(answer, out);
}
