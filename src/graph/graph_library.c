// SPDX-License-Identifier: MIT
// What is known of a language's own names and library: words that its driver lists.
#include "graph/graph_driver_priv.h"

bool ken_graph__is_builtin(const graph_unit *u, ken_str name)
{
    ken_str names = u->driver->builtins ? ken_str_c(u->driver->builtins) : KEN_STR(""), one;
    while (ken_str_split_next(&names, ' ', &one))
        if (one.len && ken_str_eq(one, name))
            return true;
    return false;
}

static bool is_one_of(ken_str name, const char *const *names)
{
    for (; *names; names++)
        if (ken_str_eq_c(name, *names))
            return true;
    return false;
}

const graph_value *ken_graph__library_member(ken_graph *g, graph_unit *u, const graph_value *object,
                                             ken_str name)
{
    const graph_holders *m = u->driver->holders;
    const graph_value *other = object->is_opaque ? &ken_graph__opaque : &ken_graph__outside;
    if (!m || !object->n_args || !is_one_of(object->name, m->holders))
        return other;
    bool gives_item = is_one_of(name, m->item);
    if (!gives_item && !is_one_of(name, m->same))
        return other;
    graph_value *v = ken_graph__new_value(g, GRAPH_FUNCTION, KEN_EDGE_EXTERNAL);
    v->inner = gives_item ? object->args[object->n_args - 1] : object;
    return v;
}
