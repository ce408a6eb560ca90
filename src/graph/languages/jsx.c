// SPDX-License-Identifier: MIT
// Elements of JSX that are no components: members of interface IntrinsicElements in a namespace JSX,
// which a tree declares that has its own way to make elements.
#include "graph/languages/js_priv.h"

enum {
    DECLARED_MAX = 32
};

// Whether the definition is what JSX looks its elements up in.
static bool is_declared(const graph_unit *u, ken_def_id def)
{
    if (def >= u->n_defs || !graph_is_type(ken_graph_kind(&u->text, def)))
        return false;
    int32_t owner = ken_graph_owner(&u->text, def);
    return owner >= 0 && ken_str_eq_c(ken_graph_name(&u->text, (ken_def_id)owner), "JSX");
}

static uint32_t add_new(ken_graph_def *found, uint32_t n, const graph_value *v)
{
    for (uint32_t i = 0; v->kind == GRAPH_DEFS && i < v->n_defs && n < KEN_TARGETS_MAX; i++) {
        uint32_t at = 0;
        while (at < n && !ken_graph_def_eq(found[at], v->defs[i]))
            at++;
        if (at == n)
            found[n++] = v->defs[i];
    }
    return n;
}

const graph_value *ken_graph__jsx_element(ken_graph *g, graph_unit *u, ken_str name)
{
    const ken_graph_def *all;
    ken_graph_def types[DECLARED_MAX], found[KEN_TARGETS_MAX];
    size_t n_all = g->source->named(g->source->ctx, KEN_STR("IntrinsicElements"), &all);
    uint32_t n_types = 0, n = 0;
    for (size_t i = 0; i < n_all && n_types < DECLARED_MAX; i++)
        if (ken_lang_at(g->source->langs[all[i].file])->family == u->lang->family)
            types[n_types++] = all[i];
    for (uint32_t i = 0; i < n_types; i++) {
        graph_unit *t = ken_graph__unit_of(g, types[i].file);
        if (t && t->lang->family == u->lang->family && is_declared(t, types[i].def))
            n = add_new(found, n, ken_graph__type_member(g, types[i], name));
    }
    if (!n)
        return &ken_graph__outside;
    const graph_value *v = ken_graph__defs_value(g, found, n, KEN_EDGE_IMPORTED);
    if (n == 1)
        return v;
    graph_value *any = KEN_ARENA_NEW(&g->arena, graph_value);
    *any = *v;
    any->class = KEN_EDGE_INFERRED;
    any->evidence = "one of several namespaces JSX that declare the element";
    return any;
}
