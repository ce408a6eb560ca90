// SPDX-License-Identifier: MIT
// graph_priv.h -- the graph from the inside: units, values, what each part gives the others.
#ifndef KEN_GRAPH_GRAPH_PRIV_H
#define KEN_GRAPH_GRAPH_PRIV_H

#include "base/vec.h"
#include "graph/graph.h"
#include "graph/graph_modules.h"
#include "lang/lang.h"

typedef struct graph_driver graph_driver; // graph_driver_priv.h

// ---- values ------------------------------------------------------------------------------------
typedef enum graph_value_kind {
    GRAPH_NONE = 0, // nothing is known
    GRAPH_DEFS,     // the definitions themselves: a class, a function, a variable
    GRAPH_INSTANCE, // an object of type defs[0]
    GRAPH_MODULE,   // the files of a module
    GRAPH_SPACE,    // a namespace, wherever it is written
    GRAPH_PARAM,    // type parameter `param` of defs[0]
    GRAPH_FUNCTION, // a function without a name; `inner` = what it gives, `args` = what it takes
    GRAPH_EXTERNAL, // outside of the tree
} graph_value_kind;

typedef struct graph_value graph_value;
struct graph_value {
    graph_value_kind kind;
    ken_edge_class class;
    uint32_t n_defs, n_files, n_args, param;
    const ken_graph_def *defs;
    const uint32_t *files;
    const graph_value *const *args; // type arguments
    const graph_value *self;        // of members: the object that they were found on
    const graph_value *inner;
    const graph_value *other; // another value that it may have
    ken_str name;             // module text; name of an external type
    uint64_t space;           // of GRAPH_SPACE
    const char *evidence;
    // Of GRAPH_EXTERNAL: it came out of something outside (a call's result, an item of a container),
    // so it may as well be of the tree. What an import or the language names is outside for sure.
    bool is_opaque;
};

// ---- units -------------------------------------------------------------------------------------
typedef struct graph_unit {
    ken_unit_text text;
    const ken_language *lang; // its row and its driver: what is true of its language
    const graph_driver *driver;
    uint32_t file, question; // that it was last needed for
    uint32_t n_symbols, n_defs;
    uint32_t *bucket, mask;    // definition + 1 by owner and name
    uint32_t *next;            // by definition
    uint32_t *reach;           // by symbol: where the last of those up to it ends
    uint16_t *n_args;          // by expression: b of the calls of it; UINT16_MAX = several
    const graph_value **exprs; // by expression, NULL = not worked out yet
    const graph_value **held;  // by definition: its value
    const graph_value **binds;
    uint32_t *imports, n_imports, n_unknown;
    bool has_imports;
    bool may_include;              // an import may lead to a file of the tree that is not known
    uint32_t *closure, n_closure;  // files that are textually included, this one first
    bool has_closure, has_unknown; // one of them may include what is not known
    uint64_t package;              // key of the declared package, 0 = none
} graph_unit;

typedef struct graph_member {
    uint64_t key;              // of type and name, 0 = free
    const graph_value **value; // NULL there: not worked out yet
} graph_member;

struct ken_graph {
    const ken_graph_source *source;
    ken_modules *modules;
    ken_tree tree;
    ken_arena arena;
    graph_unit **units;    // by file
    bool *is_absent;       // by file: nothing is said there
    graph_member *members; // open addressing
    uint32_t n_members, members_mask;
    uint32_t depth; // of the present evaluation
    uint32_t
        lowest; // depth of what was asked for while it was being worked out; GRAPH_DEEPEST = none
    uint32_t type_depth; // of types looked up for types
    uint32_t budget;     // steps left to the present question
    uint32_t question;   // number of the present one
};

enum {
    GRAPH_DEEPEST = 96,
    TYPE_DEEPEST = 3
};

// What is being worked out, by depth. Whoever meets it in a circle takes it for unknown, and what
// was worked out on the way is not kept: it would say less than it could.
extern const graph_value ken_graph__busy[GRAPH_DEEPEST];

// A new question from outside begins.
void ken_graph__ask(ken_graph *g);
// Whether *slot has to be worked out now; *out its value when not. True must be followed by
// ken_graph__end, which keeps the value if it may be kept.
bool ken_graph__begin(ken_graph *g, const graph_value **slot, const graph_value **out);
const graph_value *ken_graph__end(ken_graph *g, const graph_value **slot, const graph_value *v);

extern const graph_value ken_graph__nothing, ken_graph__outside, ken_graph__opaque;

graph_unit *ken_graph__unit_of(ken_graph *g, uint32_t file); // NULL when it says nothing
enum {
    GRAPH_ELSEWHERE = -2 // the scope of what belongs to a type of another place
};

uint32_t ken_graph__first_base(const ken_refs *r, ken_def_id def);
// Whether the definition says that it belongs to something that is defined elsewhere.
bool ken_graph__has_owner(const graph_unit *u, ken_def_id def);
// What says which type the definition belongs to: the one around it, or itself.
ken_def_id ken_graph__holder(const graph_unit *u, ken_def_id def);
int32_t ken_graph__scope_of(const graph_unit *u, ken_def_id def);
// Definitions of `name` directly inside `owner` (-1 = the file), at most `max`.
uint32_t ken_graph__children(const graph_unit *u, int32_t owner, ken_str name, ken_def_id *out,
                             uint32_t max);
// Whether definition `outer` (-1 = the file) is `def` or around it.
bool ken_graph__is_around(const graph_unit *u, int32_t outer, int32_t def);
uint64_t ken_graph__space_add(uint64_t space, ken_str text); // parts split at . :: \ and /
// The namespace that a definition of the file stands in: package and namespaces around.
uint64_t ken_graph__space_of(const graph_unit *u, int32_t def);
// Types, and what belongs to one as a whole.
static inline bool graph_is_type(ken_symbol_kind k)
{
    return ken_symbol_is_type(k) || k == KEN_SYMBOL_IMPL;
}

// Whether the definition is a type with members of its own that is written as another type: Go's
// `type L []int`.
bool ken_graph__is_distinct(ken_graph *g, ken_graph_def def);
// What an object of such a type is made of; any other value is itself.
const graph_value *ken_graph__underlying(ken_graph *g, const graph_value *v);

// Whether arguments are converted to classes that can be made of them, and pointers are told from
// what they point to: C++.
static inline bool graph_converts(const graph_unit *u)
{
    return u->lang->includes && u->lang->overloads;
}

bool ken_graph__is_space(ken_symbol_kind kind); // namespaces, and modules that only hold

// ---- values and where they come from -----------------------------------------------------------
graph_value *ken_graph__new_value(ken_graph *g, graph_value_kind kind, ken_edge_class class);
const graph_value *ken_graph__defs_value(ken_graph *g, const ken_graph_def *defs, uint32_t n,
                                         ken_edge_class class);
const graph_value *ken_graph__with_class(ken_graph *g, const graph_value *v, ken_edge_class class);
const graph_value *ken_graph__eval(ken_graph *g, graph_unit *u, ken_expr_id expr);
// The same of an expression that names a type, whatever else has its name.
const graph_value *ken_graph__eval_type(ken_graph *g, graph_unit *u, ken_expr_id expr);
// What a definition holds: a variable's value, a function's result, an alias's type.
const graph_value *ken_graph__held(ken_graph *g, ken_graph_def def);
// A value seen as an object that has members: variables give way to what they hold.
const graph_value *ken_graph__object(ken_graph *g, const graph_value *v);
// An object of the type that `type` names.
const graph_value *ken_graph__instance_of(ken_graph *g, const graph_value *type);
// `a`, or `b`: both are kept as alternatives.
const graph_value *ken_graph__either(ken_graph *g, const graph_value *a, const graph_value *b);
// The definitions of both, each once and a's first; `a` itself when the other has no more.
const graph_value *ken_graph__merged(ken_graph *g, const graph_value *a, const graph_value *b);
// What one name means that may stand for either: definitions of both are meant.
const graph_value *ken_graph__any_of(ken_graph *g, const graph_value *a, const graph_value *b);
// The type that a name of a type stands for: aliases followed.
const graph_value *ken_graph__type(ken_graph *g, const graph_value *v);
// Member `name` of an object, type, module or namespace; ken_graph__nothing when it has none.
const graph_value *ken_graph__member_of(ken_graph *g, graph_unit *u, const graph_value *object,
                                        ken_str name);
// A member that a variable or function was given by an assignment: `app.get = function …`.
const graph_value *ken_graph__assigned(ken_graph *g, const graph_value *holder, ken_str name);
enum {
    GRAPH_PIECES_MAX = 64
};
// All that a type is written in, itself first; at most GRAPH_PIECES_MAX.
uint32_t ken_graph__pieces(ken_graph *g, ken_graph_def type, ken_graph_def *out);
// Whether both are one thing: what is declared and where it is defined.
bool ken_graph__is_twin(ken_graph *g, ken_graph_def a, ken_graph_def b);
// ken_graph_constructors, inside of a question.
uint32_t ken_graph__constructors(ken_graph *g, ken_graph_def type, ken_graph_def *out,
                                 uint32_t max);
uint32_t ken_graph__bases(ken_graph *g, ken_graph_def type, ken_graph_def *out, uint32_t max);
// What an answer of `graph_modules` names, with its rest.
const graph_value *ken_graph__module_value(ken_graph *g, graph_unit *u, const ken_module *m,
                                           ken_str text);
const graph_value *ken_graph__type_member(ken_graph *g, ken_graph_def type, ken_str name);
// Where it is remembered, for ken_graph__begin and ken_graph__end.
const graph_value **ken_graph__kept_member(ken_graph *g, ken_graph_def type, ken_str name);
// A bare name, from inside definition `around` (-1 = the file).
const graph_value *ken_graph__lookup(ken_graph *g, graph_unit *u, ken_str name, int32_t around);
// Whether a bare name may mean the definition, where it is in sight.
bool ken_graph__has_bare_name(const graph_unit *u, ken_def_id def);
// The same where only types (and namespaces) count.
const graph_value *ken_graph__lookup_type(ken_graph *g, graph_unit *u, ken_str name,
                                          int32_t around);
bool ken_graph__names_type(ken_graph *g, const graph_value *v);
// What a module says that it is, ken_graph__nothing when it is no more than what it exports.
const graph_value *ken_graph__whole_of(ken_graph *g, const graph_value *module);
// What a module is as a whole: `module.exports = …`, through as many as lead to each other; any
// other value is itself.
const graph_value *ken_graph__whole(ken_graph *g, const graph_value *v);
// What an import's local name stands for.
const graph_value *ken_graph__bound(ken_graph *g, graph_unit *u, uint32_t bind);
// What a file shows to others under that name.
const graph_value *ken_graph__shown(ken_graph *g, uint32_t file, ken_str name, uint32_t depth);
// The same of a module inside a file.
const graph_value *ken_graph__shown_inside(ken_graph *g, ken_graph_def module, ken_str name);
const graph_value *ken_graph__in_space(ken_graph *g, graph_unit *u, uint64_t space, ken_str name);
const uint32_t *ken_graph__closure(ken_graph *g, graph_unit *u, uint32_t *out_n);
// The type whose members the members of this definition are: an impl's, an extension's; itself.
ken_graph_def ken_graph__owner_type(ken_graph *g, ken_graph_def def);

// ---- graph_method_set.c ------------------------------------------------------------------------
// Whether a type, no interface itself, has the methods of an interface: the same names and numbers
// of parameters; what is not exported only inside of the package. Of an interface with more than
// 256 methods the first 256 count.
bool ken_graph__implements(ken_graph *g, ken_graph_def type, ken_graph_def interface);

// ---- graph_overload.c --------------------------------------------------------------------------
enum {
    GRAPH_OVERLOADS_MAX = 256 // of one name in one place that are compared
};
// Of the functions that the callee `expr` of a call leads to, those that fit its arguments best;
// overloads that the type inherits among them. `v` itself when nothing is known of the arguments.
const graph_value *ken_graph__chosen(ken_graph *g, graph_unit *u, ken_expr_id expr,
                                     const graph_value *v);

// Whether two functions of one name take the same: as many parameters, of types that are written
// alike.
bool ken_graph__takes_alike(const graph_unit *u, ken_def_id def, const graph_unit *o,
                            ken_def_id other);

// ---- graph_given.c -----------------------------------------------------------------------------
// The expression of what a function gives; 0 = nothing is known.
ken_expr_id ken_graph__result_expr(const graph_unit *u, ken_def_id def);
// A function as it was said, with what it takes; ken_graph__nothing when that is not known.
const graph_value *ken_graph__lambda(ken_graph *g, graph_unit *u, const ken_expr *e);
// What a parameter of a function is given.
const graph_value *ken_graph__given(ken_graph *g, graph_unit *u, const ken_expr *e);

// ---- graph_types.c -----------------------------------------------------------------------------
// Type parameters of what `self` is an object of, or of the function that it is, give way to its
// arguments.
const graph_value *ken_graph__substitute(ken_graph *g, const graph_value *v,
                                         const graph_value *self);
// What the expression of a type is when its parameters are what `self` has for them.
const graph_value *ken_graph__eval_with(ken_graph *g, graph_unit *u, ken_expr_id expr,
                                        const graph_value *self, uint32_t depth);
// The `*out_n` type arguments of a function whose result `pattern` would be `wanted`.
const graph_value *const *ken_graph__infer(ken_graph *g, ken_graph_def def, uint32_t n_params,
                                           const graph_value *pattern, const graph_value *wanted,
                                           uint32_t *out_n);

// Whether the expression is what holds elements of markup that are no components: `<div>` is a
// member of it.
static inline bool graph_is_markup(const ken_expr *e)
{
    return e->op == KEN_EXPR_BUILTIN && ken_str_eq_c(e->name, "jsx");
}

// Whether the expression names a macro (`name!`).
static inline bool graph_is_macro(const graph_unit *u, const ken_expr *e)
{
    return u->lang->has_macro_names && e->b && (e->op == KEN_EXPR_NAME || e->op == KEN_EXPR_MEMBER);
}
// Of the definitions of a value those that are macros, or those that are none.
const graph_value *ken_graph__of_macros(ken_graph *g, const graph_value *v, bool wants_macros);

// ---- graph_library.c ---------------------------------------------------------------------------
// A member of an object outside of the tree, by what the language's library is known to have.
const graph_value *ken_graph__library_member(ken_graph *g, graph_unit *u, const graph_value *object,
                                             ken_str name);
// Whether the language itself defines the bare name.
bool ken_graph__is_builtin(const graph_unit *u, ken_str name);

#endif
