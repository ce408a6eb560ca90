// SPDX-License-Identifier: MIT
// What is known of the type of an argument or parameter.
//
// A type is compared by the definition that it leads to, or by its name when that is outside of the
// tree.
#include <string.h>

#include "graph/graph_overload_priv.h"

// Each number fits where one further down stands, unless that one has no sign; char where int does.
static const char *const numbers[] = { "sbyte", "byte",  "short", "ushort", "int",    "uint",
                                       "long",  "ulong", "float", "double", "decimal" };
static const struct {
    const char *primitive, *box;
} boxes[] = { { "byte", "Byte" },    { "short", "Short" },   { "int", "Integer" },
              { "long", "Long" },    { "float", "Float" },   { "double", "Double" },
              { "bool", "Boolean" }, { "char", "Character" } };

int ken_graph__number_of(ken_str name)
{
    for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++)
        if (ken_str_eq_c(name, numbers[i]))
            return i;
    return -1;
}

const char *ken_graph__box_of(ken_str primitive)
{
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        if (ken_str_eq_c(primitive, boxes[i].primitive))
            return boxes[i].box;
    return NULL;
}

const char *ken_graph__unboxed(ken_str name)
{
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        if (ken_str_eq_c(name, boxes[i].box))
            return boxes[i].primitive;
    return NULL;
}

static type_key named(ken_str name)
{
    return (type_key){ .sort = TYPE_NAMED, .name = name, .def = { UINT32_MAX, 0 } };
}

static bool is_primitive(ken_str name)
{
    return ken_graph__number_of(name) >= 0 || ken_str_eq_c(name, "bool") ||
           ken_str_eq_c(name, "char");
}

static type_key of_builtin(ken_str name)
{
    if (is_primitive(name))
        return (type_key){ .sort = TYPE_PRIMITIVE, .name = name };
    if (ken_str_eq_c(name, "null"))
        return (type_key){ .sort = TYPE_NULL };
    if (ken_str_eq_c(name, "string"))
        return named(KEN_STR("String"));
    if (ken_str_eq_c(name, "object"))
        return named(KEN_STR("Object"));
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

// A type outside of the tree. Where numbers have names like all other types, these are said as the
// words that other languages have for them.
static type_key of_name(const graph_unit *u, ken_str name)
{
    static const struct {
        const char *name, *word;
    } called[] = { { "Int", "int" },     { "Long", "long" },   { "Short", "short" },
                   { "Byte", "byte" },   { "Float", "float" }, { "Double", "double" },
                   { "UInt", "uint" },   { "Bool", "bool" },   { "Boolean", "bool" },
                   { "ULong", "ulong" }, { "Char", "char" },   { "Character", "char" } };
    static const char *const tops[] = { "Any", "AnyRef", "AnyObject" };
    for (size_t i = 0; u->lang->names_numbers && i < sizeof called / sizeof *called; i++)
        if (ken_str_eq_c(name, called[i].name))
            return (type_key){ .sort = TYPE_PRIMITIVE, .name = ken_str_c(called[i].word) };
    for (size_t i = 0; u->lang->names_numbers && i < sizeof tops / sizeof *tops; i++)
        if (ken_str_eq_c(name, tops[i]))
            return named(KEN_STR("Object"));
    return named(name);
}

static type_key of_def(ken_graph *g, ken_graph_def def)
{
    graph_unit *u = ken_graph__unit_of(g, def.file);
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

type_key ken_graph__key_of_type(ken_graph *g, graph_unit *u, ken_expr_id expr,
                                int depth) // NOLINT(misc-no-recursion)
{
    const ken_expr *e = &u->text.refs->exprs[expr], *head = e;
    if (!expr || depth > GRAPH_ARGS_DEEP)
        return (type_key){ .sort = TYPE_UNKNOWN };
    while (head->op == KEN_EXPR_APPLY)
        head = &u->text.refs->exprs[head->a];
    if (e->op == KEN_EXPR_APPLY && head->op == KEN_EXPR_BUILTIN) {
        type_key k = ken_graph__key_of_type(g, u, e->b, depth + 1);
        k.n_arrays += ken_str_eq_c(head->name, "list");
        k.n_arrays += 2u * ken_str_eq_c(head->name, "matrix"); // a list of lists
        bool is_pointer = ken_str_find_char(head->name, '*') != SIZE_MAX;
        k.is_nullable = ken_str_eq_c(head->name, "?");
        k.n_pointers = (uint8_t)(is_pointer + ken_str_ends(head->name, KEN_STR("**")));
        return k;
    }
    switch ((int)e->op) {
    case KEN_EXPR_BUILTIN:
        return graph_converts(u) ? of_cpp_builtin(e->name) : of_builtin(e->name);
    case KEN_EXPR_APPLY:
    case KEN_EXPR_VALUE:
        return ken_graph__key_of_type(g, u, e->a, depth + 1);
    case KEN_EXPR_PARAM:
        return (type_key){ .sort = TYPE_PARAMETER };
    case KEN_EXPR_LAMBDA:
        return (type_key){ .sort = TYPE_FUNCTION };
    case KEN_EXPR_EITHER: // a type parameter and what it is bound by
        return bounded(ken_graph__key_of_type(g, u, e->a, depth + 1),
                       ken_graph__key_of_type(g, u, e->b, depth + 1));
    default:
        break;
    }
    const graph_value *v = ken_graph__type(g, ken_graph__eval_type(g, u, expr));
    if (v->kind == GRAPH_PARAM)
        return (type_key){ .sort = TYPE_PARAMETER };
    if (v->kind == GRAPH_DEFS || v->kind == GRAPH_INSTANCE)
        return of_def(g, v->defs[0]);
    return e->name.len ? of_name(u, e->name) : (type_key){ .sort = TYPE_UNKNOWN };
}

// What a variable holds, what a function gives.
static type_key of_held(ken_graph *g, const graph_value *v, int depth) // NOLINT(misc-no-recursion)
{
    graph_unit *du = ken_graph__unit_of(g, v->defs[0].file);
    if (!du || v->defs[0].def >= du->text.refs->n_defs)
        return (type_key){ .sort = TYPE_UNKNOWN };
    type_key k =
        ken_graph__key_of_value(g, du, ken_graph__result_expr(du, v->defs[0].def), depth + 1);
    if (k.sort != TYPE_PARAMETER)
        return k;
    const graph_value *given = ken_graph__object(g, v); // what stands for the parameter here
    return given->kind == GRAPH_INSTANCE && v->self ? of_def(g, given->defs[0])
                                                    : (type_key){ .sort = TYPE_UNKNOWN };
}

static type_key of_call(ken_graph *g, graph_unit *u, ken_expr_id callee,
                        int depth) // NOLINT(misc-no-recursion)
{
    const graph_value *v =
        ken_graph__chosen(g, u, callee, ken_graph__whole(g, ken_graph__eval(g, u, callee)));
    if (v->kind != GRAPH_DEFS)
        return (type_key){ .sort = TYPE_UNKNOWN };
    graph_unit *du = ken_graph__unit_of(g, v->defs[0].file);
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
    int x = ken_graph__number_of(a.name), y = ken_graph__number_of(b.name);
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

type_key ken_graph__key_of_value(ken_graph *g, graph_unit *u, ken_expr_id expr,
                                 int depth) // NOLINT(misc-no-recursion)
{
    const ken_expr *e = &u->text.refs->exprs[expr];
    if (!expr || depth > GRAPH_ARGS_DEEP || !g->budget)
        return (type_key){ .sort = TYPE_UNKNOWN };
    const graph_value *v;
    switch ((int)e->op) {
    case KEN_EXPR_BUILTIN:
    case KEN_EXPR_VALUE:
    case KEN_EXPR_APPLY:
    case KEN_EXPR_PARAM:
    case KEN_EXPR_LAMBDA:
        return ken_graph__key_of_type(g, u, expr, depth + 1);
    case KEN_EXPR_CALL:
        return of_call(g, u, e->a, depth + 1);
    case KEN_EXPR_EITHER:
        return joined(ken_graph__key_of_value(g, u, e->a, depth + 1),
                      ken_graph__key_of_value(g, u, e->b, depth + 1));
    case KEN_EXPR_ELEMENT:
        return of_element(ken_graph__key_of_value(g, u, e->a, depth + 1));
    case KEN_EXPR_NAME:
    case KEN_EXPR_MEMBER:
    case KEN_EXPR_DEF:
        v = ken_graph__eval(g, u, expr);
        if (v->kind == GRAPH_DEFS) {
            graph_unit *du = ken_graph__unit_of(g, v->defs[0].file);
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
        v = ken_graph__object(g, ken_graph__eval(g, u, expr));
        break;
    }
    return v->kind == GRAPH_INSTANCE ? of_def(g, v->defs[0]) : (type_key){ .sort = TYPE_UNKNOWN };
}

// ---- with the name that an argument says -------------------------------------------------------

ken_expr_id ken_graph__unlabelled(const ken_refs *r, ken_expr_id expr, ken_str *out_label)
{
    const ken_expr *e = &r->exprs[expr];
    ken_str word = e->op == KEN_EXPR_APPLY && r->exprs[e->a].op == KEN_EXPR_BUILTIN
                       ? r->exprs[e->a].name
                       : KEN_STR("");
    bool is_label = word.len && memchr(":=*{", word.ptr[word.len - 1], 4) &&
                    (word.len > 1 || word.ptr[0] == '{');
    if (is_label)
        *out_label = word;
    return is_label ? e->b : expr;
}

static type_key labelled(type_key k, ken_str label)
{
    if (label.len) {
        k.label = ken_str_sub(label, 0, label.len - 1);
        k.mark = label.ptr[label.len - 1];
    }
    return k;
}

type_key ken_graph__key_of_parameter(ken_graph *g, graph_unit *u, ken_expr_id expr)
{
    ken_str label = KEN_STR("");
    ken_expr_id type =
        u->lang->names_arguments ? ken_graph__unlabelled(u->text.refs, expr, &label) : expr;
    return labelled(ken_graph__key_of_type(g, u, type, 0), label);
}

type_key ken_graph__key_of_argument(ken_graph *g, graph_unit *u, ken_expr_id expr)
{
    ken_str label = KEN_STR("");
    ken_expr_id value =
        u->lang->names_arguments ? ken_graph__unlabelled(u->text.refs, expr, &label) : expr;
    type_key k = labelled(ken_graph__key_of_value(g, u, value, 0), label);
    k.is_sure = u->text.refs->exprs[value].op == KEN_EXPR_BUILTIN;
    return k;
}
