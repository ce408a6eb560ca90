// SPDX-License-Identifier: MIT
// JavaScript's lists: behind which methods the type of their items is still known.
#include "graph/graph_priv.h"

static bool is_one_of(ken_str name, const char *const *names)
{
    for (; *names; names++)
        if (ken_str_eq_c(name, *names))
            return true;
    return false;
}

const graph_value *graph_js_std(ken_graph *g, const graph_value *object, ken_str name)
{
    static const char *const lists[] = { "list",          "Array",       "array",
                                         "ReadonlyArray", "ReadonlySet", "Set",
                                         "Map",           "ReadonlyMap", NULL };
    static const char *const same[] = { "filter",   "slice",      "concat", "reverse", "sort",
                                        "toSorted", "toReversed", "values", NULL };
    static const char *const item[] = { "find", "findLast", "at", "pop", "shift", "get", NULL };
    bool gives_item = is_one_of(name, item);
    if (!object->n_args || !is_one_of(object->name, lists) ||
        !(gives_item || is_one_of(name, same)))
        return &graph_outside;
    graph_value *v = graph_new_value(g, GRAPH_FUNCTION, KEN_EDGE_EXTERNAL);
    v->inner = gives_item ? object->args[object->n_args - 1] : object;
    return v;
}
