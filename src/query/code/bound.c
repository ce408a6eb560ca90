// SPDX-License-Identifier: MIT
// Resolves calls on dependency-injected types to the methods of the bound implementations. Registrations
// come from code/bindings.c. When several fit, the one with the receiver's label counts
// (`@Qualifier("sql") Repo repo`), else the primary one.
#include "base/map.h"
#include "query/query_graph_priv.h"

enum {
    BOUND_MAX = 16,
    OVERRIDERS_MAX = 8
};

typedef struct bound_search {
    ken_snapshot *s;
    ken_graph *g;
    ken_arena *arena;
    query_bindings *b;
    ken_graph_def type; // that has the method
    query_candidate found[BOUND_MAX];
    uint32_t n;
} bound_search;

static void add(bound_search *q, ken_graph_def type, const query_binding *by)
{
    for (uint32_t i = 0; i < q->n; i++)
        if (ken_graph_def_eq(q->found[i].type, type) &&
            ken_str_eq(q->found[i].by->label, by->label))
            return;
    if (q->n < BOUND_MAX)
        q->found[q->n++] = (query_candidate){ .type = type, .by = by };
}

static bool says(const query_binding *b, uint32_t n, ken_graph_def type)
{
    for (uint32_t i = 0; i < n; i++)
        if (ken_graph_def_eq(b->types[i], type))
            return true;
    return false;
}

static void add_derived(bound_search *q, const query_binding *b, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (!ken_graph_def_eq(b->types[i], q->type) &&
            ken_graph_derives(q->g, b->types[i], q->type))
            add(q, b->types[i], b);
}

// `bind(A).to(B)`; `single { B() } bind A::class`.
static void match_call(bound_search *q, const query_binding *b)
{
    if (ken_graph_def_eq(b->types[0], q->type))
        add_derived(q, b, 1, b->n_types);
    else if (says(b, b->n_types, q->type))
        add_derived(q, b, 0, 1);
}

// The types that it constructs, else its parameters (`@Binds abstract A a(B b)`).
static void match_function(bound_search *q, const query_binding *b)
{
    bool is_result = says(b, b->n_head, q->type);
    if (is_result && b->n_types == b->n_head)
        add_derived(q, b, 0, b->n_head);
    for (uint32_t i = b->n_head; i < b->n_types; i++)
        if (is_result || says(b, b->n_head, b->types[i]))
            add_derived(q, b, i, i + 1);
}

static void match(bound_search *q, const query_binding *b)
{
    switch (b->site) {
    case KEN_BINDING_CALL:
        match_call(q, b);
        break;
    case KEN_BINDING_TYPE:
        add_derived(q, b, 0, 1);
        break;
    case KEN_BINDING_FUNCTION:
    case KEN_BINDING_PROVIDER:
        match_function(q, b);
        break;
    case KEN_BINDING_KEY:
        if (!b->n_head)
            add_derived(q, b, 0, b->n_types);
        for (uint32_t i = 1; b->n_head && ken_graph_def_eq(b->types[0], q->type) && i < b->n_types;
             i++)
            add(q, b->types[i], b);
        break;
    }
}

static void look_where_said(bound_search *q, ken_graph_def type)
{
    uint32_t *files, n_said;
    size_t n;
    const ken_unit_text *u = ken_graph_unit(q->g, type.file);
    if (!u ||
        ken_query__graph_files_with(q->s, ken_graph_name(u, type.def), q->arena, &files, &n, NULL))
        return;
    for (size_t i = 0; i < n; i++) {
        if (!ken_query__bindings_may(q->b, files[i]) || ken_query__is_test(q->s, files[i]))
            continue;
        if (ken_quota_is_over())
            return;
        ken_query__graph_ease(q->s);
        const query_binding *said = ken_query__bindings_of(q->b, files[i], &n_said);
        for (uint32_t k = 0; k < n_said; k++)
            match(q, &said[k]);
    }
}

// Files that refer to the type, or to a subtype with the method.
static void find(bound_search *q, ken_graph_def method)
{
    ken_graph_def over[OVERRIDERS_MAX], type;
    const ken_unit_text *u = ken_graph_unit(q->g, method.file);
    uint32_t n = ken_graph_overriders(q->g, method, over, OVERRIDERS_MAX);
    bool is_abstract =
        method.def < u->refs->n_defs && (u->refs->defs[method.def].flags & KEN_DEF_ABSTRACT);
    if (!n && !is_abstract)
        return;
    look_where_said(q, q->type);
    for (uint32_t i = 0; i < n; i++)
        if (ken_graph_type_of(q->g, over[i], &type))
            look_where_said(q, type);
}

static const char *evidence_of(bound_search *q, const query_candidate *c)
{
    const ken_unit_text *u = ken_graph_unit(q->g, c->type.file);
    return ken_arena_printf(ken_query__graph_arena(q->s),
                            "bound to " KEN_STR_FMT " at " KEN_STR_FMT ":%u",
                            KEN_STR_ARG(ken_graph_name(u, c->type.def)),
                            KEN_STR_ARG(q->s->rows[c->by->file].path), c->by->line + 1)
        .ptr;
}

// The same, worked out once.
static void recall(bound_search *q, ken_graph_def method)
{
    query_candidates *kept = ken_query__bindings_kept(q->b, method);
    if (!kept->is_known) {
        find(q, method);
        for (uint32_t i = 0; i < q->n; i++)
            q->found[i].evidence = evidence_of(q, &q->found[i]);
        *kept = (query_candidates){
            KEN_ARENA_ARRAY(ken_query__graph_arena(q->s), query_candidate, q->n + 1), q->n, true
        };
        memcpy(kept->items, q->found, q->n * sizeof *kept->items);
    }
    q->n = kept->n;
    memcpy(q->found, kept->items, kept->n * sizeof *kept->items);
}

// ---- the receiver ------------------------------------------------------------------------------

// The name that a decorated parameter or field declares: the last word before it ends.
static ken_str declared_behind(ken_str text, size_t at)
{
    ken_str name = KEN_STR("");
    if (at < text.len && text.ptr[at] == '(')
        at = ken_query__behind_brackets(text, at, QUERY_EXTENT_MAX);
    while (at < text.len && text.ptr[at] != ',' && text.ptr[at] != ';' && text.ptr[at] != ':' &&
           text.ptr[at] != '=' && text.ptr[at] != '{') {
        if (text.ptr[at] == '(') {
            at = ken_query__behind_brackets(text, at, QUERY_EXTENT_MAX);
            continue;
        }
        if (text.ptr[at] == ')')
            break;
        size_t from = at;
        while (at < text.len && ken_is_word(text.ptr[at]))
            at++;
        if (at > from)
            name = ken_str_sub(text, from, at);
        else
            at++;
    }
    return name;
}

// The field that an edge's receiver is.
static bool find_receiver(ken_graph *g, const query_edge *e, ken_graph_def *out)
{
    const ken_unit_text *u = ken_graph_unit(g, e->file);
    if (!u)
        return false;
    const ken_expr *x = &u->refs->exprs[u->refs->refs[e->ref].expr];
    ken_expr_op op = x->op == KEN_EXPR_MEMBER ? u->refs->exprs[x->a].op : KEN_EXPR_NONE;
    ken_targets t;
    if (op != KEN_EXPR_NAME && op != KEN_EXPR_MEMBER && op != KEN_EXPR_DEF)
        return false;
    if (op == KEN_EXPR_DEF) {
        *out = (ken_graph_def){ e->file, u->refs->exprs[x->a].a };
        return true;
    }
    ken_graph_resolve(g, e->file, x->a, KEN_REF_READ, &t);
    if (!t.n)
        return false;
    *out = t.defs[0];
    return true;
}

static ken_str without_mark(ken_str name)
{
    return ken_str_starts(name, KEN_STR("_")) ? ken_str_sub(name, 1, name.len) : name;
}

static bool is_qualifier(const ken_frameworks *f, ken_str language, ken_str name)
{
    for (size_t i = 0; i < f->items.len; i++) {
        const ken_framework *it = &f->items.ptr[i];
        if (ken_words_have(it->languages, it->n_languages, language) &&
            ken_words_have(it->qualifiers, it->n_qualifiers, name))
            return true;
    }
    return false;
}

// `@Qualifier("sql") Repo repo` somewhere in the type that has the field: the text, or the name
// that stands instead of one. It may lie in `scratch`.
static ken_str read_label(bound_search *q, ken_graph_def field, ken_arena *scratch)
{
    const ken_unit_text *u = ken_graph_unit(q->g, field.file);
    int32_t owner = ken_graph_owner(u, field.def);
    query_text t;
    if (owner < 0 || (uint32_t)owner >= u->facts->n_symbols ||
        ken_query__load_text(q->s, field.file, scratch, &t, NULL))
        return KEN_STR("");
    bool is_read = ken_query__need_text(&t);
    ken_query__close_text(&t);
    ken_span span = u->facts->symbols[owner].span;
    ken_str name = without_mark(ken_graph_name(u, field.def));
    ken_str language = ken_str_c(ken_lang_name((ken_lang_id)u->lang));
    for (uint32_t i = ken_query__first_ref(u->refs, span.start);
         is_read && i < u->refs->n_refs && u->refs->refs[i].byte < span.end; i++) {
        const ken_ref *r = &u->refs->refs[i];
        ken_str word = u->refs->exprs[r->expr].name;
        size_t at = r->byte + word.len;
        if (r->role != KEN_REF_DECORATE || at >= t.text.len ||
            !is_qualifier(ken_query__bindings_frameworks(q->b), language, word) ||
            !ken_str_eq(without_mark(declared_behind(t.text, at)), name))
            continue;
        size_t end =
            t.text.ptr[at] == '(' ? ken_query__behind_brackets(t.text, at, QUERY_EXTENT_MAX) : at;
        ken_str label = ken_query__quoted(t.text, at, end);
        return label.len || end < at + 2 ? label
                                         : ken_str_trim(ken_str_sub(t.text, at + 1, end - 1));
    }
    return KEN_STR("");
}

static ken_str label_of(bound_search *q, ken_graph_def field)
{
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    ken_str label = ken_arena_dup(q->arena, read_label(q, field, &scratch));
    ken_arena_release(&scratch);
    return label;
}

// ---- the choice --------------------------------------------------------------------------------

static bool has_label(const query_candidate *c, ken_str label)
{
    return label.len && ken_str_eq(c->by->label, label);
}

// Keeps those of the label; without one those that need none, and of these what is preferred or
// called like who asks.
static void choose(bound_search *q, ken_str label, ken_str asker)
{
    uint32_t n = 0, n_primary = 0, n_like = 0;
    for (uint32_t i = 0; i < q->n; i++)
        if (label.len ? has_label(&q->found[i], label) : !q->found[i].by->needs_label)
            q->found[n++] = q->found[i];
    q->n = n;
    for (uint32_t i = 0; i < n; i++) {
        n_primary += q->found[i].by->is_primary;
        n_like += has_label(&q->found[i], asker);
    }
    if (label.len || (!n_primary && !n_like))
        return;
    q->n = 0;
    for (uint32_t i = 0; i < n; i++)
        if (n_primary ? q->found[i].by->is_primary : has_label(&q->found[i], asker))
            q->found[q->n++] = q->found[i];
}

static void choose_for(bound_search *q, const query_edge *e)
{
    ken_graph_def field;
    bool needs_label = false;
    for (uint32_t i = 0; i < q->n; i++)
        needs_label = needs_label || q->found[i].by->needs_label;
    if (q->n < 2 && !needs_label)
        return;
    const ken_unit_text *u = ken_graph_unit(q->g, q->type.file);
    bool is_field = find_receiver(q->g, e, &field);
    ken_str label = is_field ? label_of(q, field) : KEN_STR("");
    if (ken_str_eq(label, ken_graph_name(u, q->type.def))) // the type itself: `@Inject(Repo)`
        label = KEN_STR("");
    choose(q, label,
           is_field ? ken_graph_name(ken_graph_unit(q->g, field.file), field.def) : KEN_STR(""));
}

uint32_t ken_query__bound_by(ken_snapshot *s, ken_graph *g, const query_edge *e, ken_arena *arena,
                             query_bound *out, uint32_t max)
{
    bound_search q = { .s = s, .g = g, .arena = arena };
    const ken_unit_text *u = query_is_outside(e->to) ? NULL : ken_graph_unit(g, e->to.file);
    if (!u || e->role != KEN_REF_CALL || ken_query__is_test(s, e->file) ||
        !ken_symbol_is_callable(ken_graph_kind(u, e->to.def)) ||
        !ken_graph_type_of(g, e->to, &q.type))
        return 0;
    ken_str name = ken_graph_name(u, e->to.def); // the unit may be let go of
    q.b = ken_query__graph_bindings(s);
    recall(&q, e->to);
    choose_for(&q, e);
    uint32_t n = 0;
    for (uint32_t i = 0; i < q.n && n < max; i++) {
        query_bound b = { .evidence = q.found[i].evidence };
        if (ken_graph_member(g, q.found[i].type, name, &b.def))
            out[n++] = b;
    }
    return n;
}
