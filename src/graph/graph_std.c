// SPDX-License-Identifier: MIT
// What holds others in the libraries of JavaScript and Python: behind which methods the type of
// what is held is still known.
#include "graph/graph_priv.h"

typedef struct holder_methods {
    const char *const *holders;
    const char *const *same; // give the same, or another like it
    const char *const *item; // give one that is held: the last argument of the type
} holder_methods;

static const holder_methods of_js = {
    .holders = (const char *const[]){ "list", "Array", "array", "ReadonlyArray", "ReadonlySet",
                                      "Set", "Map", "ReadonlyMap", NULL },
    .same = (const char *const[]){ "filter", "slice", "concat", "reverse", "sort", "toSorted",
                                   "toReversed", "values", NULL },
    .item = (const char *const[]){ "find", "findLast", "at", "pop", "shift", "get", NULL },
};

static const holder_methods of_python = {
    .holders =
        (const char *const[]){ "list", "List", "dict", "Dict", "set", "Set", "deque", "Deque",
                               "defaultdict", "OrderedDict", "Mapping", "MutableMapping", "Queue",
                               "Future", "Task", "ContextVar", NULL },
    .same = (const char *const[]){ "copy", "values", NULL },
    .item = (const char *const[]){ "get", "pop", "popleft", "setdefault", "get_nowait", "result",
                                   NULL },
};

static bool is_one_of(ken_str name, const char *const *names)
{
    for (; *names; names++)
        if (ken_str_eq_c(name, *names))
            return true;
    return false;
}

const graph_value *graph_std_member(ken_graph *g, const graph_unit *u, const graph_value *object,
                                    ken_str name)
{
    const holder_methods *m = graph_is_js(u->text.lang)         ? &of_js
                              : u->text.lang == KEN_LANG_PYTHON ? &of_python
                                                                : NULL;
    const graph_value *other = object->is_opaque ? &graph_opaque : &graph_outside;
    if (!m || !object->n_args || !is_one_of(object->name, m->holders))
        return other;
    bool gives_item = is_one_of(name, m->item);
    if (!gives_item && !is_one_of(name, m->same))
        return other;
    graph_value *v = graph_new_value(g, GRAPH_FUNCTION, KEN_EDGE_EXTERNAL);
    v->inner = gives_item ? object->args[object->n_args - 1] : object;
    return v;
}
