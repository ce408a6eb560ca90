// SPDX-License-Identifier: MIT
// Interfaces that nobody names: a type of Go implements each one whose methods it has.
#include "base/path.h"
#include "graph/graph_priv.h"

enum {
    METHODS_MAX = 256, // of an interface that are looked for
    DEEP = 8,          // interfaces in interfaces
    BASES_MAX = 16
};

typedef struct method_set {
    ken_graph_def methods[METHODS_MAX];
    uint32_t n;
} method_set;

static ken_symbol_kind kind_of(ken_graph *g, ken_graph_def d)
{
    graph_unit *u = ken_graph__unit_of(g, d.file);
    return u && d.def < u->n_defs ? ken_graph_kind(&u->text, d.def) : KEN_SYMBOL_UNKNOWN;
}

// The interface's own methods, then those of the interfaces in it.
static void add_methods(ken_graph *g, ken_graph_def type, method_set *set, uint32_t depth)
{
    graph_unit *u = ken_graph__unit_of(g, type.file);
    if (!u || type.def >= u->n_symbols)
        return;
    const ken_symbol *all = u->text.facts->symbols;
    for (uint32_t i = type.def + 1;
         i < u->n_symbols && set->n < METHODS_MAX && all[i].span.start < all[type.def].span.end;
         i++)
        if (all[i].parent == (int32_t)type.def && ken_symbol_is_callable(all[i].kind))
            set->methods[set->n++] = (ken_graph_def){ type.file, i };
    ken_graph_def bases[BASES_MAX];
    uint32_t n =
        depth < DEEP && set->n < METHODS_MAX ? ken_graph__bases(g, type, bases, BASES_MAX) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (kind_of(g, bases[i]) == KEN_SYMBOL_INTERFACE)
            add_methods(g, bases[i], set, depth + 1);
}

static bool takes_the_same(const graph_unit *a, ken_def_id da, const graph_unit *b, ken_def_id db)
{
    if (da >= a->text.refs->n_defs || db >= b->text.refs->n_defs)
        return false;
    const ken_def_info *x = &a->text.refs->defs[da], *y = &b->text.refs->defs[db];
    return x->max_params == y->max_params &&
           (x->flags & KEN_DEF_VARIADIC) == (y->flags & KEN_DEF_VARIADIC);
}

static bool is_exported(ken_str name)
{
    return name.len && !(name.ptr[0] >= 'a' && name.ptr[0] <= 'z') && name.ptr[0] != '_';
}

static bool has_method(ken_graph *g, ken_graph_def type, ken_graph_def method)
{
    graph_unit *mu = ken_graph__unit_of(g, method.file), *tu = ken_graph__unit_of(g, type.file);
    ken_str name = ken_graph_name(&mu->text, method.def);
    if (!is_exported(name) && !ken_str_eq(ken_path_dir(mu->text.path), ken_path_dir(tu->text.path)))
        return false;
    const graph_value *v = ken_graph__type_member(g, type, name);
    if (v->kind == GRAPH_EXTERNAL) // of a type outside that is embedded
        return true;
    graph_unit *u = v->kind == GRAPH_DEFS ? ken_graph__unit_of(g, v->defs[0].file) : NULL;
    return u && ken_symbol_is_callable(ken_graph_kind(&u->text, v->defs[0].def)) &&
           takes_the_same(mu, method.def, u, v->defs[0].def);
}

bool ken_graph__implements(ken_graph *g, ken_graph_def type, ken_graph_def interface)
{
    method_set set = { .n = 0 };
    if (kind_of(g, type) == KEN_SYMBOL_INTERFACE || kind_of(g, interface) != KEN_SYMBOL_INTERFACE)
        return false;
    add_methods(g, interface, &set, 0);
    for (uint32_t i = 0; i < set.n; i++)
        if (!has_method(g, type, set.methods[i]))
            return false;
    return set.n > 0;
}
