// SPDX-License-Identifier: MIT
// Which of several functions of one name a call means: by the number of its arguments, then by
// their types.
//
// A type is compared by the definition that it leads to, or by its name when that is outside of the
// tree. What cannot be known of an argument fits everything; a candidate that cannot take an
// argument is out; of the rest those that fit best are meant. The rules are Java's (JLS 15.12.2):
// subtypes and wider numbers first, then boxing, then variable arity.
#include <string.h>

#include "graph/graph_priv.h"

enum {
    ARGS_MAX = 24,
    DEEP = 6, // calls in calls whose result is asked for
    BASES_MAX = 16,
    OUTWARDS_MAX = 6, // base types that are looked into for further overloads
    OUT = -1,
    MADE_MAX = 32, // constructors of a class that are looked at
    COST_TEMPLATE = 1,
    COST_SUBTYPE = 5,
    COST_MAYBE = 15, // of two types outside nothing is known
    COST_ANY = 20,   // a type parameter
    COST_OBJECT = 25,
    COST_BOXED = 1000, // a phase of its own
    COST_VARIADIC = 100000,
};

typedef enum type_sort {
    TYPE_UNKNOWN = 0,
    TYPE_NAMED,
    TYPE_PRIMITIVE,
    TYPE_PARAMETER,
    TYPE_FUNCTION,
    TYPE_NULL,
} type_sort;

typedef struct type_key {
    type_sort sort;
    ken_str name;
    ken_graph_def def; // of NAMED; file = UINT32_MAX: outside
    uint32_t n_arrays;
    uint8_t n_pointers; // C++
    bool is_sure;       // no variable's: what is pointed to is known as well
} type_key;

// Each number fits where one further down stands; char where int does.
static const char *const numbers[] = { "byte", "short", "int", "long", "float", "double" };
static const struct {
    const char *primitive, *box;
} boxes[] = { { "byte", "Byte" },    { "short", "Short" },   { "int", "Integer" },
              { "long", "Long" },    { "float", "Float" },   { "double", "Double" },
              { "bool", "Boolean" }, { "char", "Character" } };

static int number_of(ken_str name)
{
    for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++)
        if (ken_str_eq_c(name, numbers[i]))
            return i;
    return -1;
}

static const char *box_of(ken_str primitive)
{
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        if (ken_str_eq_c(primitive, boxes[i].primitive))
            return boxes[i].box;
    return NULL;
}

static const char *unboxed(ken_str name)
{
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        if (ken_str_eq_c(name, boxes[i].box))
            return boxes[i].primitive;
    return NULL;
}

// ---- what is known of a type -------------------------------------------------------------------

static type_key named(ken_str name)
{
    return (type_key){ .sort = TYPE_NAMED, .name = name, .def = { UINT32_MAX, 0 } };
}

static type_key of_builtin(ken_str name)
{
    if (box_of(name))
        return (type_key){ .sort = TYPE_PRIMITIVE, .name = name };
    if (ken_str_eq_c(name, "null"))
        return (type_key){ .sort = TYPE_NULL };
    if (ken_str_eq_c(name, "string"))
        return named(KEN_STR("String"));
    return ken_str_eq_c(name, "Class") ? named(name) : (type_key){ .sort = TYPE_UNKNOWN };
}

// The same in C++, where every word is a type.
static type_key of_cpp_builtin(ken_str name)
{
    if (ken_str_eq_c(name, "null"))
        return (type_key){ .sort = TYPE_NULL };
    if (ken_str_eq_c(name, "string"))
        return (type_key){ .sort = TYPE_PRIMITIVE, .name = KEN_STR("char"), .n_pointers = 1 };
    bool is_type = !ken_str_eq_c(name, "auto") && !ken_str_eq_c(name, "void") &&
                   !ken_str_eq_c(name, "list") && !ken_str_eq_c(name, "map");
    return (type_key){ .sort = is_type ? TYPE_PRIMITIVE : TYPE_UNKNOWN, .name = name };
}

static type_key of_def(ken_graph *g, ken_graph_def def)
{
    graph_unit *u = graph_unit_of(g, def.file);
    type_key k = { .sort = TYPE_NAMED, .def = def };
    if (!u || def.def >= u->n_defs || !graph_is_type(ken_graph_kind(&u->text, def.def)))
        return (type_key){ .sort = TYPE_UNKNOWN };
    k.name = ken_graph_name(&u->text, def.def);
    return k;
}

static type_key bounded(type_key param, type_key bound)
{
    return bound.sort == TYPE_UNKNOWN ? param : bound;
}

static type_key of_type(ken_graph *g, graph_unit *u, ken_expr_id expr,
                        int depth) // NOLINT(misc-no-recursion)
{
    const ken_expr *e = &u->text.refs->exprs[expr], *head = e;
    if (!expr || depth > DEEP)
        return (type_key){ .sort = TYPE_UNKNOWN };
    while (head->op == KEN_EXPR_APPLY)
        head = &u->text.refs->exprs[head->a];
    if (e->op == KEN_EXPR_APPLY && head->op == KEN_EXPR_BUILTIN) {
        type_key k = of_type(g, u, e->b, depth + 1);
        k.n_arrays += ken_str_eq_c(head->name, "list");
        k.n_arrays += 2u * ken_str_eq_c(head->name, "matrix"); // a list of lists
        bool is_pointer = ken_str_find_char(head->name, '*') != SIZE_MAX;
        k.n_pointers = (uint8_t)(is_pointer + ken_str_ends(head->name, KEN_STR("**")));
        return k;
    }
    switch ((int)e->op) {
    case KEN_EXPR_BUILTIN:
        return graph_converts(u) ? of_cpp_builtin(e->name) : of_builtin(e->name);
    case KEN_EXPR_APPLY:
    case KEN_EXPR_VALUE:
        return of_type(g, u, e->a, depth + 1);
    case KEN_EXPR_PARAM:
        return (type_key){ .sort = TYPE_PARAMETER };
    case KEN_EXPR_LAMBDA:
        return (type_key){ .sort = TYPE_FUNCTION };
    case KEN_EXPR_EITHER: // a type parameter and what it is bound by
        return bounded(of_type(g, u, e->a, depth + 1), of_type(g, u, e->b, depth + 1));
    default:
        break;
    }
    const graph_value *v = graph_type(g, graph_eval_type(g, u, expr));
    if (v->kind == GRAPH_PARAM)
        return (type_key){ .sort = TYPE_PARAMETER };
    if (v->kind == GRAPH_DEFS || v->kind == GRAPH_INSTANCE)
        return of_def(g, v->defs[0]);
    return e->name.len ? named(e->name) : (type_key){ .sort = TYPE_UNKNOWN };
}

static type_key of_value(ken_graph *g, graph_unit *u, ken_expr_id expr, int depth);

// What a variable holds, what a function gives.
static type_key of_held(ken_graph *g, const graph_value *v, int depth) // NOLINT(misc-no-recursion)
{
    graph_unit *du = graph_unit_of(g, v->defs[0].file);
    if (!du || v->defs[0].def >= du->text.refs->n_defs)
        return (type_key){ .sort = TYPE_UNKNOWN };
    type_key k = of_value(g, du, graph_result_expr(du, v->defs[0].def), depth + 1);
    if (k.sort != TYPE_PARAMETER)
        return k;
    const graph_value *given = graph_object(g, v); // what stands for the parameter here
    return given->kind == GRAPH_INSTANCE && v->self ? of_def(g, given->defs[0])
                                                    : (type_key){ .sort = TYPE_UNKNOWN };
}

static type_key of_call(ken_graph *g, graph_unit *u, ken_expr_id callee,
                        int depth) // NOLINT(misc-no-recursion)
{
    const graph_value *v = graph_chosen(g, u, callee, graph_whole(g, graph_eval(g, u, callee)));
    if (v->kind != GRAPH_DEFS)
        return (type_key){ .sort = TYPE_UNKNOWN };
    graph_unit *du = graph_unit_of(g, v->defs[0].file);
    if (du && graph_is_type(ken_graph_kind(&du->text, v->defs[0].def)))
        return of_def(g, v->defs[0]);
    type_key first = of_held(g, v, depth);
    for (uint32_t i = 1; i < v->n_defs && i < KEN_TARGETS_MAX; i++) {
        graph_value one = *v;
        one.defs = v->defs + i;
        type_key k = of_held(g, &one, depth);
        if (k.sort != first.sort || k.n_arrays != first.n_arrays || !ken_str_eq(k.name, first.name))
            return (type_key){ .sort = TYPE_UNKNOWN };
    }
    return first;
}

// Numbers become the wider one, what is added to a text a text.
static type_key joined(type_key a, type_key b)
{
    int x = number_of(a.name), y = number_of(b.name);
    bool is_text = ken_str_eq_c(a.name, "String") || ken_str_eq_c(b.name, "String");
    if (is_text && !a.n_arrays && !b.n_arrays)
        return named(KEN_STR("String"));
    if (a.sort == TYPE_NULL)
        return b;
    if (b.sort == TYPE_NULL ||
        (a.sort == b.sort && a.n_arrays == b.n_arrays && ken_str_eq(a.name, b.name)))
        return a;
    bool is_number = a.sort == TYPE_PRIMITIVE && b.sort == TYPE_PRIMITIVE && x >= 0 && y >= 0 &&
                     !a.n_arrays && !b.n_arrays;
    return is_number ? (x > y ? a : b) : (type_key){ .sort = TYPE_UNKNOWN };
}

static type_key of_element(type_key k)
{
    if (!k.n_arrays)
        return (type_key){ .sort = TYPE_UNKNOWN };
    k.n_arrays--;
    return k;
}

static type_key of_value(ken_graph *g, graph_unit *u, ken_expr_id expr,
                         int depth) // NOLINT(misc-no-recursion)
{
    const ken_expr *e = &u->text.refs->exprs[expr];
    if (!expr || depth > DEEP || !g->budget)
        return (type_key){ .sort = TYPE_UNKNOWN };
    const graph_value *v;
    switch ((int)e->op) {
    case KEN_EXPR_BUILTIN:
    case KEN_EXPR_VALUE:
    case KEN_EXPR_APPLY:
    case KEN_EXPR_PARAM:
    case KEN_EXPR_LAMBDA:
        return of_type(g, u, expr, depth + 1);
    case KEN_EXPR_CALL:
        return of_call(g, u, e->a, depth + 1);
    case KEN_EXPR_EITHER:
        return joined(of_value(g, u, e->a, depth + 1), of_value(g, u, e->b, depth + 1));
    case KEN_EXPR_ELEMENT:
        return of_element(of_value(g, u, e->a, depth + 1));
    case KEN_EXPR_NAME:
    case KEN_EXPR_MEMBER:
    case KEN_EXPR_DEF:
        v = graph_eval(g, u, expr);
        if (v->kind == GRAPH_DEFS) {
            graph_unit *du = graph_unit_of(g, v->defs[0].file);
            ken_symbol_kind kind =
                du ? ken_graph_kind(&du->text, v->defs[0].def) : KEN_SYMBOL_UNKNOWN;
            int32_t owner = du ? ken_graph_owner(&du->text, v->defs[0].def) : -1;
            if (kind == KEN_SYMBOL_ENUM_MEMBER && owner >= 0)
                return of_def(g, (ken_graph_def){ v->defs[0].file, (ken_def_id)owner });
            bool is_variable = ken_symbol_is_variable(kind);
            return is_variable ? of_held(g, v, depth) : (type_key){ .sort = TYPE_UNKNOWN };
        }
        break;
    default:
        v = graph_object(g, graph_eval(g, u, expr));
        break;
    }
    return v->kind == GRAPH_INSTANCE ? of_def(g, v->defs[0]) : (type_key){ .sort = TYPE_UNKNOWN };
}

// ---- whether an argument fits ------------------------------------------------------------------

static bool is_object(type_key k)
{
    return k.sort == TYPE_NAMED && !k.n_arrays && ken_str_eq_c(k.name, "Object");
}

static bool derives(ken_graph *g, ken_graph_def type, ken_graph_def base, int depth)
{
    ken_graph_def bases[BASES_MAX];
    uint32_t n = depth < DEEP ? graph_bases(g, type, bases, BASES_MAX) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (ken_graph_def_eq(bases[i], base) || derives(g, bases[i], base, depth + 1))
            return true;
    return false;
}

static int fit_primitive(type_key param, type_key arg)
{
    if (ken_str_eq(param.name, arg.name))
        return 0;
    int to = number_of(param.name), from = number_of(arg.name);
    if (ken_str_eq_c(arg.name, "char"))
        from = 1; // as wide as short, and fits no short
    return from >= 0 && to > from ? to - from : OUT;
}

// What the final classes of the language are built on, all of it; NULL for others.
static const char *bases_of_final(ken_str name)
{
    if (ken_str_eq_c(name, "String"))
        return " CharSequence Comparable Serializable Constable ConstantDesc ";
    if (ken_str_eq_c(name, "Class"))
        return " Type GenericDeclaration AnnotatedElement OfField Serializable Constable ";
    if (ken_str_eq_c(name, "Boolean") || ken_str_eq_c(name, "Character"))
        return " Comparable Serializable Constable ";
    return unboxed(name) ? " Number Comparable Serializable Constable ConstantDesc " : NULL;
}

static bool is_base_of_final(ken_str final, ken_str base)
{
    const char *all = bases_of_final(final);
    size_t at = all ? ken_str_find(ken_str_c(all), base) : SIZE_MAX;
    return at != SIZE_MAX && at && all[at - 1] == ' ' && all[at + base.len] == ' ';
}

static int fit_named(ken_graph *g, type_key param, type_key arg)
{
    bool is_own = arg.def.file != UINT32_MAX, wants_own = param.def.file != UINT32_MAX;
    if (is_own && wants_own) {
        if (ken_graph_def_eq(param.def, arg.def))
            return 0;
        return derives(g, arg.def, param.def, 0) ? COST_SUBTYPE : OUT;
    }
    if (wants_own)
        return OUT; // nothing outside is built on what is in the tree
    if (!is_own && ken_str_eq(param.name, arg.name))
        return 0;
    if (!is_own && bases_of_final(arg.name))
        return is_base_of_final(arg.name, param.name) ? COST_SUBTYPE : OUT;
    if (bases_of_final(param.name)) // nothing is built on these
        return OUT;
    return COST_MAYBE;
}

static int fit_boxed(type_key param, type_key arg)
{
    if (arg.sort == TYPE_PRIMITIVE) {
        const char *box = box_of(arg.name);
        if (box && ken_str_eq_c(param.name, box))
            return COST_BOXED;
        return box && is_base_of_final(ken_str_c(box), param.name) ? COST_BOXED + COST_SUBTYPE
                                                                   : OUT;
    }
    const char *primitive = unboxed(arg.name);
    if (!primitive)
        return OUT;
    int fit =
        fit_primitive(param, (type_key){ .sort = TYPE_PRIMITIVE, .name = ken_str_c(primitive) });
    return fit == OUT ? OUT : COST_BOXED + fit;
}

// ---- whether it fits in C++ --------------------------------------------------------------------

static int fit_pointer(type_key param, type_key arg)
{
    if (arg.sort == TYPE_NAMED || arg.sort == TYPE_FUNCTION)
        return arg.sort == TYPE_NAMED && param.sort == TYPE_NAMED ? 0 : OUT;
    bool is_pointer = !arg.is_sure || arg.n_pointers;
    if (is_pointer && (ken_str_eq(param.name, arg.name) || param.sort == TYPE_UNKNOWN))
        return 0;
    return arg.is_sure && !arg.n_pointers && ken_str_eq_c(arg.name, "int") ? COST_BOXED : OUT; // 0
}

// Whether an object of the class may be made of one argument; so it may when its constructors are not
// known.
static bool is_made_of_one(ken_graph *g, type_key class)
{
    ken_graph_def all[MADE_MAX];
    graph_unit *cu = graph_unit_of(g, class.def.file);
    ken_symbol_kind kind = cu ? ken_graph_kind(&cu->text, class.def.def) : KEN_SYMBOL_UNKNOWN;
    if (kind != KEN_SYMBOL_CLASS && kind != KEN_SYMBOL_STRUCT)
        return true;
    uint32_t n = graph_constructors(g, class.def, all, MADE_MAX);
    for (uint32_t i = 0; i < n; i++) {
        graph_unit *u = graph_unit_of(g, all[i].file);
        const ken_def_info *d =
            u && all[i].def < u->text.refs->n_defs ? &u->text.refs->defs[all[i].def] : NULL;
        if (d && d->min_params < 2 && (d->max_params || (d->flags & KEN_DEF_VARIADIC)))
            return true;
    }
    return false;
}

static int fit_class(ken_graph *g, type_key param, type_key arg)
{
    bool is_own = arg.def.file != UINT32_MAX, wants_own = param.def.file != UINT32_MAX;
    if (is_own && wants_own && ken_graph_def_eq(param.def, arg.def))
        return 0;
    if (is_own && wants_own && derives(g, arg.def, param.def, 0))
        return COST_SUBTYPE;
    if (!is_own && !wants_own)
        return ken_str_eq(param.name, arg.name) ? 0 : COST_MAYBE;
    return is_made_of_one(g, param) ? COST_BOXED : OUT;
}

// Types of a template take what they are given, other numbers are as good as each other, and a class
// may be made of anything.
static int fit_cpp(ken_graph *g, type_key param, type_key arg)
{
    bool is_plain = arg.is_sure && !arg.n_pointers && arg.sort == TYPE_PRIMITIVE;
    if (arg.sort == TYPE_UNKNOWN || arg.sort == TYPE_PARAMETER)
        return 0;
    if (param.sort == TYPE_PARAMETER)
        return param.n_pointers && is_plain ? OUT : COST_TEMPLATE;
    if (arg.sort == TYPE_NULL)
        return param.n_pointers ? 0 : param.sort == TYPE_PRIMITIVE ? OUT : COST_MAYBE;
    if (param.n_pointers)
        return fit_pointer(param, arg);
    if (param.sort == TYPE_UNKNOWN)
        return 0;
    if (param.sort == TYPE_PRIMITIVE && arg.sort == TYPE_PRIMITIVE) {
        bool is_bool = ken_str_eq_c(param.name, "bool");
        if (arg.is_sure && arg.n_pointers)
            return is_bool ? COST_OBJECT : OUT;
        return ken_str_eq(param.name, arg.name) ? 0 : COST_SUBTYPE + is_bool;
    }
    if (arg.sort == TYPE_FUNCTION)
        return param.sort == TYPE_PRIMITIVE ? OUT : COST_MAYBE;
    if (param.sort == TYPE_NAMED && arg.sort == TYPE_NAMED)
        return fit_class(g, param, arg);
    // A number outside of the tree (`size_t`), or what a class is made of.
    bool is_text = arg.is_sure && arg.n_pointers;
    if (param.sort == TYPE_NAMED && param.def.file != UINT32_MAX)
        return is_made_of_one(g, param) ? COST_BOXED : OUT;
    return param.sort == TYPE_NAMED && !is_text ? COST_MAYBE : COST_BOXED;
}

// What it costs to hand the argument on to the parameter; OUT = it cannot be.
static int fit(ken_graph *g, type_key param, type_key arg)
{
    bool is_plain = arg.sort == TYPE_PRIMITIVE && !arg.n_arrays;
    bool wants_plain = param.sort == TYPE_PRIMITIVE && !param.n_arrays;
    if (arg.sort == TYPE_UNKNOWN || param.sort == TYPE_UNKNOWN)
        return 0;
    if (is_object(param))
        return is_object(arg) ? 0 : COST_OBJECT + (is_plain ? COST_BOXED : 0);
    if (is_object(arg))
        return param.sort == TYPE_PARAMETER && !param.n_arrays ? COST_ANY : OUT;
    if (arg.sort == TYPE_NULL)
        return wants_plain ? OUT : 1;
    if (param.sort == TYPE_PARAMETER) {
        bool is_deep = arg.n_arrays > param.n_arrays ||
                       (arg.n_arrays == param.n_arrays && arg.sort != TYPE_PRIMITIVE);
        return is_deep                       ? COST_ANY - (int)param.n_arrays
               : is_plain && !param.n_arrays ? COST_ANY + COST_BOXED
                                             : OUT;
    }
    if (arg.sort == TYPE_FUNCTION)
        return wants_plain || param.n_arrays || unboxed(param.name) ||
                       ken_str_eq_c(param.name, "String")
                   ? OUT
                   : 1;
    if (arg.sort == TYPE_PARAMETER)
        return wants_plain ? OUT : COST_MAYBE;
    if (param.n_arrays != arg.n_arrays) {
        bool is_any = param.sort == TYPE_NAMED && param.n_arrays < arg.n_arrays &&
                      (ken_str_eq_c(param.name, "Object") || !param.n_arrays);
        return !is_any                              ? OUT
               : ken_str_eq_c(param.name, "Object") ? COST_OBJECT
               : ken_str_eq_c(param.name, "Cloneable") || ken_str_eq_c(param.name, "Serializable")
                   ? COST_SUBTYPE
                   : OUT;
    }
    if (param.sort == arg.sort)
        return param.sort == TYPE_NAMED ? fit_named(g, param, arg)
               : param.n_arrays         ? (ken_str_eq(param.name, arg.name) ? 0 : OUT)
                                        : fit_primitive(param, arg);
    return param.n_arrays ? OUT : fit_boxed(param, arg);
}

// ---- one signature -----------------------------------------------------------------------------

static const ken_expr *said_type(const ken_refs *r, ken_expr_id id)
{
    const ken_expr *e = &r->exprs[id];
    while (e->op == KEN_EXPR_VALUE)
        e = &r->exprs[e->a];
    if (e->op == KEN_EXPR_EITHER && r->exprs[e->a].op == KEN_EXPR_PARAM) // with its bound
        e = &r->exprs[e->a];
    return e;
}

static bool is_named(const ken_expr *e)
{
    return e->op == KEN_EXPR_NAME || e->op == KEN_EXPR_MEMBER;
}

// Whether two types are written alike, but for what qualifies them. What was not understood may be
// anything.
static bool is_said_alike(const ken_refs *ra, ken_expr_id a, const ken_refs *rb, ken_expr_id b,
                          int depth) // NOLINT(misc-no-recursion)
{
    const ken_expr *x = said_type(ra, a), *y = said_type(rb, b);
    if (x->op == KEN_EXPR_NONE || y->op == KEN_EXPR_NONE || depth > DEEP)
        return true;
    if (is_named(x) && is_named(y))
        return ken_str_eq(x->name, y->name);
    if (x->op != y->op)
        return false;
    switch ((int)x->op) {
    case KEN_EXPR_BUILTIN:
        return ken_str_eq(x->name, y->name);
    case KEN_EXPR_PARAM:
        return x->b == y->b;
    case KEN_EXPR_APPLY:
        return is_said_alike(ra, x->a, rb, y->a, depth + 1) &&
               is_said_alike(ra, x->b, rb, y->b, depth + 1);
    default:
        return true;
    }
}

// The tuple of what a function takes, from the last parameter on; 0 = it was not kept.
static ken_expr_id takes_of(const graph_unit *u, ken_def_id def)
{
    const ken_refs *r = u->text.refs;
    ken_expr_id value = def < r->n_defs ? r->defs[def].value : 0;
    return r->exprs[value].op == KEN_EXPR_LAMBDA ? r->exprs[value].b : 0;
}

bool graph_takes_alike(const graph_unit *u, ken_def_id def, const graph_unit *o, ken_def_id other)
{
    const ken_refs *ra = u->text.refs, *rb = o->text.refs;
    if (def >= ra->n_defs || other >= rb->n_defs)
        return true;
    const ken_def_info *x = &ra->defs[def], *y = &rb->defs[other];
    if (x->max_params != y->max_params || ((x->flags ^ y->flags) & KEN_DEF_VARIADIC))
        return false;
    ken_expr_id a = takes_of(u, def), b = takes_of(o, other);
    while (ra->exprs[a].op == KEN_EXPR_APPLY && rb->exprs[b].op == KEN_EXPR_APPLY) {
        if (!is_said_alike(ra, ra->exprs[a].b, rb, rb->exprs[b].b, 0))
            return false;
        a = ra->exprs[a].a;
        b = rb->exprs[b].a;
    }
    return true;
}

// ---- the best of them --------------------------------------------------------------------------

typedef struct call {
    uint32_t file; // that it stands in
    type_key args[ARGS_MAX];
    uint32_t n;
    bool is_cpp;
} call;

// The arguments of the call; false when they were not counted.
static bool read_call(ken_graph *g, graph_unit *u, ken_expr_id expr, call *out)
{
    const ken_refs *r = u->text.refs;
    ken_expr_id at = r->exprs[expr].b;
    if (!at)
        return false;
    for (ken_expr_id e = at; r->exprs[e].op == KEN_EXPR_APPLY; e = r->exprs[e].a)
        out->n++;
    if (out->n > ARGS_MAX)
        return false;
    out->is_cpp = graph_converts(u);
    for (uint32_t i = out->n; i-- > 0; at = r->exprs[at].a) {
        out->args[i] = of_value(g, u, r->exprs[at].b, 0);
        out->args[i].is_sure = r->exprs[r->exprs[at].b].op == KEN_EXPR_BUILTIN;
    }
    return true;
}

static uint32_t read_params(ken_graph *g, ken_graph_def d, type_key *out)
{
    graph_unit *u = graph_unit_of(g, d.file);
    const ken_refs *r = u->text.refs;
    ken_expr_id at = takes_of(u, d.def);
    uint32_t n = 0;
    for (ken_expr_id e = at; r->exprs[e].op == KEN_EXPR_APPLY; e = r->exprs[e].a)
        n++;
    for (uint32_t i = n; i-- > 0; at = r->exprs[at].a)
        if (i < ARGS_MAX)
            out[i] = of_type(g, u, r->exprs[at].b, 0);
    return n < ARGS_MAX ? n : ARGS_MAX;
}

static int cost_in(ken_graph *g, const type_key *params, uint32_t n_params, const call *c,
                   uint32_t n_fixed, bool is_variadic)
{
    int cost = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t p = is_variadic && i >= n_fixed ? n_fixed : i;
        int one = p >= n_params ? 0
                  : c->is_cpp   ? fit_cpp(g, params[p], c->args[i])
                                : fit(g, params[p], c->args[i]);
        if (one == OUT)
            return OUT;
        cost += one;
    }
    return cost;
}

// What it costs to call the function so; OUT = it cannot be. What is no function takes anything.
static int cost_of(ken_graph *g, ken_graph_def d, const call *c)
{
    graph_unit *u = graph_unit_of(g, d.file);
    if (!u || d.def >= u->text.refs->n_defs || d.def >= u->n_defs)
        return 0;
    ken_symbol_kind kind = ken_graph_kind(&u->text, d.def);
    if (!ken_symbol_is_callable(kind))
        return u->lang->splits_members && ken_symbol_is_variable(kind) ? OUT : 0;
    if (d.file != c->file && d.def < u->n_symbols &&
        u->text.facts->symbols[d.def].visibility == KEN_VISIBILITY_PRIVATE)
        return OUT;
    const ken_def_info *info = &u->text.refs->defs[d.def];
    bool is_variadic = (info->flags & KEN_DEF_VARIADIC) != 0;
    bool is_long = info->max_params == UINT8_MAX || c->n > ARGS_MAX;
    if (c->n < info->min_params || (c->n > info->max_params && !is_variadic && !is_long))
        return OUT;
    type_key params[ARGS_MAX] = { { 0 } };
    uint32_t n = read_params(g, d, params);
    if (!is_variadic)
        return cost_in(g, params, n, c, c->n, false);
    int as_list = OUT;
    if (c->n == info->max_params + 1u && info->max_params < ARGS_MAX && info->max_params < n) {
        type_key last = params[info->max_params];
        params[info->max_params].n_arrays++;
        as_list = cost_in(g, params, n, c, c->n, false);
        params[info->max_params] = last;
        if (c->args[c->n - 1].sort == TYPE_UNKNOWN && as_list != OUT)
            as_list += COST_VARIADIC;
    }
    int spread = cost_in(g, params, n, c, info->max_params, true);
    if (c->is_cpp && n > info->max_params) // a pack: it is worse than the same without one
        return spread == OUT ? OUT : spread + COST_TEMPLATE;
    if (as_list != OUT && (spread == OUT || as_list <= spread + COST_VARIADIC))
        return as_list;
    return spread == OUT ? OUT : spread + COST_VARIADIC;
}

// All that have the name where those stand that were found: a list of these may have been cut.
static uint32_t gather(ken_graph *g, const ken_graph_def *found, uint32_t n_found,
                       ken_graph_def *out, uint32_t max)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_found && n < max; i++) {
        graph_unit *u = graph_unit_of(g, found[i].file);
        bool is_known = !u || found[i].def >= u->n_defs;
        for (uint32_t k = 0; k < n && !is_known; k++)
            is_known = ken_graph_def_eq(out[k], found[i]);
        if (is_known)
            continue;
        int32_t scope = graph_scope_of(u, found[i].def);
        ken_def_id ids[GRAPH_OVERLOADS_MAX];
        uint32_t n_ids = scope == GRAPH_ELSEWHERE
                             ? 0
                             : graph_children(u, scope, ken_graph_name(&u->text, found[i].def), ids,
                                              GRAPH_OVERLOADS_MAX);
        if (!n_ids)
            out[n++] = found[i];
        for (uint32_t k = 0; k < n_ids && n < max; k++)
            out[n++] = (ken_graph_def){ found[i].file, ids[k] };
    }
    return n;
}

typedef struct choice {
    ken_graph_def all[GRAPH_OVERLOADS_MAX];
    uint32_t n;
    int best;
} choice;

static void consider(ken_graph *g, const call *c, ken_graph_def d, choice *out)
{
    int cost = cost_of(g, d, c);
    if (cost == OUT || (out->n && cost > out->best))
        return;
    if (out->n && cost < out->best)
        out->n = 0;
    out->best = cost;
    if (out->n < GRAPH_OVERLOADS_MAX)
        out->all[out->n++] = d;
}

static bool is_template(ken_graph *g, ken_graph_def d)
{
    graph_unit *u = graph_unit_of(g, d.file);
    return u && d.def < u->text.refs->n_defs && u->text.refs->defs[d.def].n_type_params;
}

// Templates of C++ fit best where what they demand of their types holds, which is not known: where
// they are all that was found, others that the arguments can be made to fit may be meant as well.
static void add_doubtful(ken_graph *g, const call *c, const ken_graph_def *from, uint32_t n_from,
                         choice *out)
{
    for (uint32_t i = 0; i < out->n; i++)
        if (!c->is_cpp || !is_template(g, out->all[i]))
            return;
    int best = out->best;
    for (uint32_t i = 0; i < n_from && out->n && out->n < GRAPH_OVERLOADS_MAX; i++) {
        int cost = cost_of(g, from[i], c);
        if (cost > best && cost >= COST_BOXED && cost < COST_VARIADIC)
            out->all[out->n++] = from[i];
    }
}

static void choose(ken_graph *g, const call *c, const ken_graph_def *from, uint32_t n_from,
                   choice *out)
{
    ken_graph_def all[GRAPH_OVERLOADS_MAX];
    uint32_t n = gather(g, from, n_from, all, GRAPH_OVERLOADS_MAX);
    for (uint32_t i = 0; i < n; i++)
        consider(g, c, all[i], out);
    add_doubtful(g, c, all, n, out);
}

// Whether another one may fit better: nothing fits as it is.
static bool is_open(const choice *c)
{
    return !c->n || c->best >= COST_BOXED;
}

// Overloads that a type inherits stand in its bases.
static void choose_inherited(ken_graph *g, const call *c, ken_graph_def member, choice *out,
                             int depth) // NOLINT(misc-no-recursion)
{
    graph_unit *u = graph_unit_of(g, member.file);
    int32_t owner = u && member.def < u->n_defs ? ken_graph_owner(&u->text, member.def) : -1;
    if (owner < 0 || depth > OUTWARDS_MAX ||
        !graph_is_type(ken_graph_kind(&u->text, (ken_def_id)owner)))
        return;
    ken_graph_def type = graph_owner_type(g, (ken_graph_def){ member.file, (ken_def_id)owner });
    ken_graph_def bases[BASES_MAX];
    uint32_t n = graph_bases(g, type, bases, BASES_MAX);
    ken_str name = ken_graph_name(&u->text, member.def);
    for (uint32_t i = 0; i < n && is_open(out); i++) {
        const graph_value *v = graph_type_member(g, bases[i], name);
        if (v->kind != GRAPH_DEFS)
            continue;
        choose(g, c, v->defs, v->n_defs, out);
        if (is_open(out))
            choose_inherited(g, c, v->defs[0], out, depth + 1);
    }
}

// What is said of several that fit alike; more than KEN_TARGETS_MAX are not given one by one.
static const char *one_of(uint32_t n)
{
#define ONE_OF(n) "one of " #n " overloads that fit what is known of the arguments"
    static const char *const few[] = { ONE_OF(2), ONE_OF(3), ONE_OF(4), ONE_OF(5),
                                       ONE_OF(6), ONE_OF(7), ONE_OF(8) };
    static const char *const more[] = {
        ONE_OF(9) ", 1 of them not listed",   ONE_OF(10) ", 2 of them not listed",
        ONE_OF(11) ", 3 of them not listed",  ONE_OF(12) ", 4 of them not listed",
        ONE_OF(13) ", 5 of them not listed",  ONE_OF(14) ", 6 of them not listed",
        ONE_OF(15) ", 7 of them not listed",  ONE_OF(16) ", 8 of them not listed",
        ONE_OF(17) ", 9 of them not listed",  ONE_OF(18) ", 10 of them not listed",
        ONE_OF(19) ", 11 of them not listed", ONE_OF(20) ", 12 of them not listed",
    };
#undef ONE_OF
    if (n <= KEN_TARGETS_MAX)
        return few[n - 2];
    return n <= 20 ? more[n - 9]
                   : "one of more than 20 overloads that fit what is known of the arguments, 8 of "
                     "them are listed";
}

// Leaves one of each group of definitions that are the same function: declared, and defined.
static uint32_t keep_distinct(ken_graph *g, ken_graph_def *defs, uint32_t n)
{
    uint32_t n_kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < n_kept && !graph_is_twin(g, defs[k], defs[i]))
            k++;
        if (k == n_kept)
            defs[n_kept++] = defs[i];
    }
    return n_kept;
}

uint32_t ken_graph_constructed(ken_graph *g, uint32_t file, ken_expr_id expr, ken_graph_def type,
                               ken_graph_def *out, uint32_t max, const char **out_evidence)
{
    ken_graph_def all[GRAPH_OVERLOADS_MAX];
    graph_ask(g);
    *out_evidence = NULL;
    uint32_t n = graph_constructors(g, type, all, GRAPH_OVERLOADS_MAX);
    graph_unit *u = graph_unit_of(g, file);
    call c = { .file = file };
    bool is_counted = u && n && expr < u->text.refs->n_exprs && read_call(g, u, expr, &c);
    choice found = { .n = 0 };
    for (uint32_t i = 0; is_counted && i < n; i++)
        consider(g, &c, all[i], &found);
    add_doubtful(g, &c, all, n, &found);
    if (is_counted && (found.n || u->lang->implies_constructors)) {
        memcpy(all, found.all, found.n * sizeof *all);
        n = found.n;
    }
    n = keep_distinct(g, all, n);
    memcpy(out, all, (n < max ? n : max) * sizeof *all);
    if (n > 1)
        *out_evidence = one_of(n);
    return n;
}

// What is known of the arguments fits none: any may be meant.
static const graph_value *none_fits(ken_graph *g, const graph_unit *u, const graph_value *v)
{
    ken_graph_def all[GRAPH_OVERLOADS_MAX];
    uint32_t n = v->n_defs < GRAPH_OVERLOADS_MAX ? v->n_defs : GRAPH_OVERLOADS_MAX;
    memcpy(all, v->defs, n * sizeof *all);
    if (!u->lang->overloads || v->class >= KEN_EDGE_INFERRED || keep_distinct(g, all, n) < 2)
        return v;
    graph_value *any = KEN_ARENA_NEW(&g->arena, graph_value);
    *any = *v;
    any->class = KEN_EDGE_INFERRED;
    any->evidence = "one of several overloads, none of which fits what is known of the arguments";
    return any;
}

const graph_value *graph_chosen(ken_graph *g, graph_unit *u, ken_expr_id expr, const graph_value *v)
{
    call c = { .file = u->file };
    if (v->kind != GRAPH_DEFS || expr >= u->text.refs->n_exprs || !u->text.refs->exprs[expr].b)
        return v;
    ken_graph_def last = v->defs[v->n_defs - 1];
    graph_unit *du = graph_unit_of(g, last.file);
    if (!du || last.def >= du->n_defs ||
        !ken_symbol_is_callable(ken_graph_kind(&du->text, last.def)))
        return v;
    if (!read_call(g, u, expr, &c))
        return v;
    choice found = { .n = 0 };
    choose(g, &c, v->defs, v->n_defs, &found);
    if (is_open(&found) && !c.is_cpp) // in C++ they are hidden
        choose_inherited(g, &c, v->defs[0], &found, 0);
    if (!found.n)
        return none_fits(g, u, v);
    graph_value *one = KEN_ARENA_NEW(&g->arena, graph_value);
    *one = *v;
    ken_graph_def *defs = ken_arena_copy(&g->arena, found.all, found.n, sizeof *defs);
    one->defs = defs;
    one->n_defs = found.n;
    uint32_t n =
        found.n > 1 && one->class < KEN_EDGE_INFERRED ? keep_distinct(g, found.all, found.n) : 1;
    if (n > 1) {
        one->class = KEN_EDGE_INFERRED;
        one->evidence = one_of(n);
    }
    return one;
}
