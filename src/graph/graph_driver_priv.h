// SPDX-License-Identifier: MIT
// graph_driver_priv.h -- what is true of a language and needs code: one row of functions each.
//
// What can be said as data stands in the language's row of lang/lang_table.h, which names its driver.
// A driver is a constant at the end of languages/<name>.c; languages that differ in data alone share
// one. Every member may be left out: the graph then does what most languages do, and so does a
// language without a driver.
#ifndef KEN_GRAPH_GRAPH_DRIVER_PRIV_H
#define KEN_GRAPH_GRAPH_DRIVER_PRIV_H

#include "graph/graph_modules_priv.h"
#include "graph/graph_priv.h"

// Behind which methods of types that hold others, outside of the tree, the type of what is held is
// still known. Each list ends with NULL.
typedef struct graph_holders {
    const char *const *holders;
    const char *const *same; // methods that give the same, or another like it
    const char *const *item; // that give one that is held: the last argument of the type
} graph_holders;

struct graph_driver {
    // ---- modules: from the text of an import to files ------------------------------------------
    module_resolve *resolve; // else a path beside the file, or the nearest path that ends so
    module_resolve *around;  // files whose names are seen without an import; else the file alone
    bool is_by_file;         // answers of `resolve` depend on more than the file's folder

    // ---- what the language itself and its library define ---------------------------------------
    const char *builtins; // bare names, by ' '; they are outside of the tree when nothing has them
    const graph_holders *holders;

    // ---- bare names: graph_scope.c -------------------------------------------------------------
    // Where a definition can be named without a prefix; else by the rules of ken_graph__scope_of.
    int32_t (*scope_of)(const graph_unit *u, ken_def_id def);
    // What a bare name means; in place of all rules of graph_scope.c.
    const graph_value *(*look_up)(ken_graph *g, graph_unit *u, ken_str name, int32_t around);
    // A name that is a path of names; NULL when it is a plain one.
    const graph_value *(*look_up_path)(ken_graph *g, graph_unit *u, ken_str name, int32_t around);
    // Words that stand for modules, before all other names.
    const graph_value *(*look_up_word)(ken_graph *g, graph_unit *u, ken_str name, int32_t around);
    // A name that nothing in sight has.
    const graph_value *(*look_up_last)(ken_graph *g, graph_unit *u, ken_str name);
    // Of what a bare name was found to mean without an import, what it may mean.
    const graph_value *(*choose_bare)(ken_graph *g, const graph_value *v);
    // What a file shows to others under a name.
    const graph_value *(*shown)(ken_graph *g, graph_unit *u, ken_str name);
    // What an import's local name stands for.
    const graph_value *(*bound)(ken_graph *g, graph_unit *u, const ken_bind *b);
    // Whether a module that is imported without an alias is called so.
    bool (*is_called)(ken_graph *g, graph_unit *u, uint32_t bind, ken_str name);

    // ---- members: graph_member.c ---------------------------------------------------------------
    // Members of a type that stand in another definition inside it.
    uint32_t (*inner_members)(const graph_unit *u, ken_def_id type, ken_str name, ken_def_id *out,
                              uint32_t max);
    // A member of a definition; in place of all rules.
    const graph_value *(*member_of_def)(ken_graph *g, graph_unit *u, ken_graph_def def,
                                        ken_str name);
    // What a module has beside what its files show; then it is nothing as a whole.
    const graph_value *(*member_of_module)(ken_graph *g, const graph_value *module, ken_str name);
    // A member that an object of the tree does not have, or one of an object outside of it.
    const graph_value *(*library_member)(ken_graph *g, graph_unit *u, const graph_value *object,
                                         ken_str name);
    // What extends a type from outside and may be a member that was not found.
    const graph_value *(*extension)(ken_graph *g, graph_unit *u, const ken_expr *member);

    // ---- values: graph_eval.c ------------------------------------------------------------------
    // What a definition holds that says nothing of it.
    const graph_value *(*held)(ken_graph *g, graph_unit *u, ken_graph_def def);
    // What a call gives that leads to no definition.
    const graph_value *(*call_outside)(ken_graph *g, graph_unit *u, ken_expr_id callee);
    // An element of markup that is no component.
    const graph_value *(*markup)(ken_graph *g, graph_unit *u, ken_str name);
    // With has_macro_names: of what the name of a macro was found to mean, what is one.
    const graph_value *(*macro)(ken_graph *g, graph_unit *u, const ken_expr *e,
                                const graph_value *v);
};

// Of KEN_LANG_UNKNOWN for what is no id.
const graph_driver *ken_graph__driver_of(uint16_t lang);

// ---- for drivers -------------------------------------------------------------------------------
// The part of a module's path behind its last separator (. : \ /); *out_rest what is before it.
ken_str ken_graph__last_part(ken_str path, ken_str *out_rest);
// Member by member along the parts of a path.
const graph_value *ken_graph__walk_path(ken_graph *g, graph_unit *u, const graph_value *v,
                                        ken_str path);
// Through the imports of the file that hold at definition `around` (-1 = the file).
const graph_value *ken_graph__in_binds(ken_graph *g, graph_unit *u, ken_str name, int32_t around);
enum {
    GRAPH_SPACES_MAX = 16
};
// The namespaces around a definition, the innermost first, at most GRAPH_SPACES_MAX.
uint32_t ken_graph__spaces_around(const graph_unit *u, int32_t def, uint64_t *out);
// The module that a definition stands in, -1 = the file; and the path of those around it,
// outermost first, with the separator between: "a::b".
int32_t ken_graph__inner_module(const graph_unit *u, int32_t def);
ken_str ken_graph__inner_path(ken_graph *g, const graph_unit *u, int32_t def);

#endif
