// SPDX-License-Identifier: MIT
// explain_code: everything that helps to understand some lines: the definition around them, who
// uses it, what it uses, its types, its tests, its routes. The explaining is the reader's.
#include <stdlib.h>

#include "base/map.h"
#include "query/query_graph_priv.h"

enum {
    NOTES_MAX = 20,
    INSIDE_MAX = 30,
    CODE_LINES_MAX = 400,
    CHECK_EVERY = 64 // edges between two checks
};

typedef struct explaining {
    ken_snapshot *s;
    ken_graph *g;
    const ken_cancel *cancel;
    ken_arena *arena;
    ken_explanation *out;
    uint32_t file;
    const ken_facts *facts;
} explaining;

// A row of a list that grows by what is new.
typedef struct notes {
    ken_edge_note *items;
    size_t n, n_total; // shown; in all
    ken_map seen;
} notes;

static void notes_init(notes *l, ken_arena *arena)
{
    *l = (notes){ .items = KEN_ARENA_ARRAY(arena, ken_edge_note, NOTES_MAX) };
    ken_map_init(&l->seen);
}

// Lines of bytes, in the text as it is shown.
typedef struct lines {
    const uint32_t *starts;
    uint32_t n;
} lines;

static void note(explaining *x, notes *l, const query_edge *e, ken_graph_def to, const lines *at)
{
    const ken_unit_text *u = ken_graph_unit(x->g, e->file);
    if (!u)
        return;
    const ken_ref *r = &u->refs->refs[e->ref];
    ken_str name = u->refs->exprs[r->expr].name;
    ken_str key = query_is_outside(to) ? name : query_def_key(&to);
    bool is_new;
    uint64_t *i = ken_map_put(&l->seen, key, l->n, &is_new);
    if (!is_new) {
        if (*i < l->n)
            l->items[*i].n_sites++;
        return;
    }
    l->n_total++;
    if (l->n == NOTES_MAX)
        return;
    ken_edge_note n = { .class = e->class,
                        .role = e->role,
                        .line = at ? ken_line_of(at->starts, at->n, r->byte) : UINT32_MAX,
                        .n_sites = 1,
                        .evidence = ken_query__evidence(x->arena, e->evidence) };
    if (query_is_outside(to)) {
        n.node.id = to;
        n.node.name = n.node.qualified = ken_arena_dup(x->arena, name);
    } else if (!ken_query__graph_name(x->s, to, x->arena, &n.node)) {
        l->n_total--;
        return;
    }
    l->items[l->n++] = n;
}

// ---- what it uses -------------------------------------------------------------------------------

static bool is_type(ken_symbol_kind k)
{
    return ken_symbol_is_type(k);
}

// The functions in a called field or in a table that is read.
static void note_held(explaining *x, notes *calls, const query_edge *e, const lines *at)
{
    ken_graph_def held[NOTES_MAX];
    uint32_t n = ken_query__held_by(x->s, x->g, e, x->arena, held, NOTES_MAX);
    for (uint32_t i = 0; i < n; i++) {
        query_edge through = *e;
        through.class = KEN_EDGE_INFERRED;
        through.evidence = "put into the field or table that is used";
        note(x, calls, &through, held[i], at);
    }
}

// The implementations that a container binds to the type of a called method.
static void note_bound(explaining *x, notes *calls, const query_edge *e, const lines *at)
{
    query_bound bound[NOTES_MAX];
    uint32_t n = ken_query__bound_by(x->s, x->g, e, x->arena, bound, NOTES_MAX);
    for (uint32_t i = 0; i < n; i++) {
        query_edge to = *e;
        to.class = KEN_EDGE_INFERRED;
        to.evidence = bound[i].evidence;
        note(x, calls, &to, bound[i].def, at);
    }
}

static bool is_declaration(explaining *x, ken_graph_def d)
{
    const ken_unit_text *u = query_is_outside(d) ? NULL : ken_graph_unit(x->g, d.file);
    uint32_t n = u ? u->facts->n_symbols : 0;
    return u && d.def >= n && d.def - n < u->refs->n_implied &&
           u->refs->implied[d.def - n].is_declaration;
}

// A prototype beside the definition that the same place leads to.
static bool is_said_better(explaining *x, const query_edges *edges, size_t i)
{
    const query_edge *e = &edges->ptr[i];
    if (!is_declaration(x, e->to))
        return false;
    for (size_t k = i; k > 0 && edges->ptr[k - 1].ref == e->ref; k--)
        if (!is_declaration(x, edges->ptr[k - 1].to))
            return true;
    for (size_t k = i + 1; k < edges->len && edges->ptr[k].ref == e->ref; k++)
        if (!is_declaration(x, edges->ptr[k].to))
            return true;
    return false;
}

static void find_used(explaining *x, ken_span span, const lines *at)
{
    query_edges edges = { 0 };
    notes calls, types;
    notes_init(&calls, x->arena);
    notes_init(&types, x->arena);
    ken_query__edges_in(x->g, x->file, span, &edges);
    for (size_t i = 0; i < edges.len && !ken_quota_is_over(); i++) {
        const query_edge *e = &edges.ptr[i];
        const ken_unit_text *own = ken_graph_unit(x->g, x->file); // units may have been let go of
        if (!own)
            break;
        x->facts = own->facts;
        x->out->n_unresolved += e->class == KEN_EDGE_UNRESOLVED;
        bool is_call = e->role == KEN_REF_CALL || e->role == KEN_REF_DECORATE;
        if (is_said_better(x, &edges, i))
            continue;
        if (query_is_outside(e->to)) {
            if (is_call && e->class == KEN_EDGE_EXTERNAL)
                note(x, &calls, e, e->to, at);
            continue;
        }
        const ken_unit_text *u = ken_graph_unit(x->g, e->to.file);
        if (!u)
            continue;
        ken_symbol_kind kind = ken_graph_kind(u, e->to.def);
        bool is_inside = e->to.file == x->file && e->to.def < x->facts->n_symbols &&
                         x->facts->symbols[e->to.def].span.start >= span.start &&
                         x->facts->symbols[e->to.def].span.end <= span.end;
        if (is_inside)
            continue;
        note_held(x, &calls, e, at);
        if (is_type(kind))
            note(x, &types, e, e->to, at);
        else if (is_call || ken_symbol_is_callable(kind))
            note(x, &calls, e, e->to, at);
        note_bound(x, &calls, e, at);
    }
    x->out->callees = calls.items;
    x->out->n_callees = calls.n;
    x->out->n_callees_total = calls.n_total;
    x->out->types = types.items;
    x->out->n_types = types.n;
    ken_map_release(&calls.seen);
    ken_map_release(&types.seen);
    ken_vec_release(&edges);
}

// ---- who uses it --------------------------------------------------------------------------------

// Of what is called: who calls it or hands it on, itself among them, as a trace of its callers has
// it. Of all else: who uses it but itself.
static bool is_user(const query_edge *e, ken_graph_def def, ken_symbol_kind kind)
{
    if (ken_symbol_is_callable(kind))
        return query_leads_on(e, kind);
    return e->role != KEN_REF_IMPORT && (e->file != def.file || e->within != (int64_t)def.def);
}

static ken_status find_users(explaining *x, ken_graph_def def, ken_err *err)
{
    query_edges edges = { 0 }, unresolved = { 0 };
    notes callers, tests;
    ken_symbol_kind kind = x->out->symbol.kind;
    notes_init(&callers, x->arena);
    notes_init(&tests, x->arena);
    ken_status st =
        ken_query__edges_to(x->s, x->g, &def, 1, x->cancel, x->arena, &edges, &unresolved, err);
    if (!st)
        st = ken_query__edges_through(x->s, x->g, x->cancel, x->arena, &edges, err);
    for (size_t i = 0; !st && i < edges.len; i++) {
        st = i % CHECK_EVERY ? KEN_OK : ken_cancel_check(x->cancel, err);
        const query_edge *e = &edges.ptr[i];
        if (e->within < 0 || !is_user(e, def, kind))
            continue;
        ken_graph_def by = { e->file, (ken_def_id)e->within };
        note(x, ken_query__is_test_def(x->s, x->g, by) ? &tests : &callers, e, by, NULL);
    }
    if (callers.n + tests.n && ken_quota_settle(st, err))
        st = KEN_OK;
    if (!st && ken_quota_is_settled() && !callers.n && !tests.n) // "no callers" would be wrong then
        st = ken_quota_fail_empty(err);
    x->out->n_usages = edges.len;
    x->out->n_unresolved_usages = unresolved.len;
    x->out->callers = callers.items;
    x->out->n_callers = callers.n;
    x->out->n_callers_total = callers.n_total;
    x->out->tests = tests.items;
    x->out->n_tests = tests.n;
    x->out->n_tests_total = tests.n_total;
    ken_map_release(&callers.seen);
    ken_map_release(&tests.seen);
    ken_vec_release(&edges);
    ken_vec_release(&unresolved);
    return st;
}

// ---- the lines ----------------------------------------------------------------------------------

// The smallest definition that holds the lines; else the first that begins among them.
static int64_t symbol_around(const ken_facts *f, uint32_t first, uint32_t last)
{
    int64_t best = -1, begun = -1;
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        const ken_symbol *s = &f->symbols[i];
        if (s->first_line <= first && s->last_line >= last &&
            (best < 0 || s->last_line - s->first_line <=
                             f->symbols[best].last_line - f->symbols[best].first_line))
            best = i;
        if (begun < 0 && s->first_line >= first && s->first_line <= last)
            begun = i;
    }
    // Lines that are most of one definition are about that one.
    return best >= 0 ? best : begun;
}

static void list_inside(explaining *x, uint32_t first, uint32_t last, int64_t around)
{
    x->out->inside = KEN_ARENA_ARRAY(x->arena, ken_graph_node, INSIDE_MAX);
    for (uint32_t i = 0; i < x->facts->n_symbols && x->out->n_inside < INSIDE_MAX; i++) {
        const ken_symbol *s = &x->facts->symbols[i];
        if ((int64_t)i == around || s->first_line < first || s->last_line > last)
            continue;
        x->out->n_inside += ken_query__graph_name(x->s, (ken_graph_def){ x->file, i }, x->arena,
                                                  &x->out->inside[x->out->n_inside]);
    }
}

static void list_imports(explaining *x)
{
    x->out->imports = KEN_ARENA_ARRAY(x->arena, ken_str, NOTES_MAX);
    for (uint32_t i = 0; i < x->facts->n_imports && x->out->n_imports < NOTES_MAX; i++)
        x->out->imports[x->out->n_imports++] =
            ken_query__repaired(x->arena, ken_arena_dup(x->arena, x->facts->imports[i].module));
}

static ken_status list_routes(explaining *x, int64_t symbol, ken_err *err)
{
    ken_route *all;
    size_t n;
    ken_status st =
        ken_query__find_routes(x->s, KEN_STR(""), false, x->cancel, x->arena, &all, &n, err);
    x->out->routes = KEN_ARENA_ARRAY(x->arena, ken_route, n + 1);
    for (size_t i = 0; !st && i < n; i++) {
        bool is_handler = all[i].handler_id.file == x->file && symbol >= 0 &&
                          all[i].handler_id.def == (ken_def_id)symbol;
        bool is_inside = ken_str_eq(all[i].file, x->out->path) &&
                         all[i].line >= x->out->first_line && all[i].line <= x->out->last_line;
        if (is_handler || is_inside)
            x->out->routes[x->out->n_routes++] = all[i];
    }
    return st;
}

static ken_status explain(explaining *x, const ken_file_view *view, uint32_t first, uint32_t last,
                          ken_err *err)
{
    uint32_t n = ken_line_starts(view->text, NULL, 0);
    uint32_t *starts = KEN_ARENA_ARRAY(x->arena, uint32_t, n + 1);
    ken_line_starts(view->text, starts, n);
    if (first > last || last >= n)
        return KEN_FAIL(err, KEN_EINVAL,
                        "line_end: lines %u to %u are no range of '" KEN_STR_FMT
                        "', which has %u line%s",
                        first + 1, last + 1, KEN_STR_ARG(view->path), n, n == 1 ? "" : "s");
    ken_span span = { starts[first], last + 1 < n ? starts[last + 1] : (uint32_t)view->text.len };
    uint32_t shown = last - first < CODE_LINES_MAX ? last : first + CODE_LINES_MAX - 1;
    ken_explanation *out = x->out;
    out->path = view->path;
    out->language = view->language;
    out->first_line = first;
    out->last_line = shown;
    out->is_refreshed = view->is_refreshed;
    out->code = ken_query__repaired(
        x->arena, ken_str_sub(view->text, span.start,
                              shown + 1 < n ? starts[shown + 1] : (uint32_t)view->text.len));
    lines at = { starts, n };
    int64_t symbol = symbol_around(x->facts, first, last);
    find_used(x, span, &at);
    const ken_unit_text *u = ken_graph_unit(x->g, x->file);
    ken_status st = ken_quota_check(err);
    if (st || !u)
        return st ? st : KEN_FAIL(err, KEN_ENOTFOUND, "the file cannot be read any more");
    x->facts = u->facts;
    list_inside(x, first, last, symbol);
    list_imports(x);
    if (symbol >= 0) {
        ken_graph_def def = { x->file, (ken_def_id)symbol };
        ken_query__graph_node(x->s, def, x->arena, &out->symbol);
        ken_span doc = x->facts->symbols[symbol].doc;
        out->doc = ken_query__repaired(x->arena, ken_str_sub(view->text, doc.start, doc.end));
        st = find_users(x, def, err);
    }
    return st || ken_quota_is_settled() ? st : list_routes(x, symbol, err);
}

ken_status ken_explain(ken_snapshot *s, ken_str path, uint32_t first_line, uint32_t last_line,
                       const ken_cancel *cancel, ken_arena *arena, ken_explanation *out,
                       ken_err *err)
{
    *out = (ken_explanation){ 0 };
    ken_quota_offer_part();
    ken_file_view view;
    ken_status st = ken_view_file(s, path, arena, &view, err);
    if (st)
        return st;
    explaining x = { .s = s, .cancel = cancel, .arena = arena, .out = out };
    int64_t file = ken_query__file_index(s, view.path);
    if (file < 0)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "'" KEN_STR_FMT "' is new: index the project again to know who uses it",
                        KEN_STR_ARG(view.path));
    x.file = (uint32_t)file;
    if (ken_query__graph_is_stale(s, x.file))
        ken_query__graph_close(s);
    st = ken_query__graph_open(s, &x.g, err);
    if (st)
        return st;
    const ken_unit_text *u = ken_graph_unit(x.g, x.file);
    if (!u)
        return KEN_FAIL(err, KEN_ENOTFOUND, "'" KEN_STR_FMT "' cannot be read any more",
                        KEN_STR_ARG(view.path));
    x.facts = u->facts;
    return explain(&x, &view, first_line, last_line, err);
}
