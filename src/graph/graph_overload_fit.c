// SPDX-License-Identifier: MIT
// What it costs to hand an argument on to a parameter.
//
// What cannot be known of an argument fits everything. The rules are Java's (JLS 15.12.2: subtypes
// and wider numbers first, then boxing), C++'s, where classes are made of others, and those of
// languages that convert in ways that are not seen here: there a type that does not fit is worse
// than any that does, and never out.
#include "graph/graph_overload_priv.h"

enum {
    BASES_MAX = 16,
    MADE_MAX = 32, // constructors of a class that are looked at
};

static bool is_object(type_key k)
{
    return k.sort == TYPE_NAMED && !k.n_arrays && ken_str_eq_c(k.name, "Object");
}

static bool derives(ken_graph *g, ken_graph_def type, ken_graph_def base, int depth)
{
    ken_graph_def bases[BASES_MAX];
    uint32_t n = depth < GRAPH_ARGS_DEEP ? ken_graph__bases(g, type, bases, BASES_MAX) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (ken_graph_def_eq(bases[i], base) || derives(g, bases[i], base, depth + 1))
            return true;
    return false;
}

static int fit_primitive(type_key param, type_key arg)
{
    if (ken_str_eq(param.name, arg.name))
        return 0;
    int to = ken_graph__number_of(param.name), from = ken_graph__number_of(arg.name);
    if (ken_str_eq_c(arg.name, "char"))
        from = ken_graph__number_of(KEN_STR("short")); // as wide as it, and fits none
    return from >= 0 && to > from ? to - from : COST_OUT;
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
    return ken_graph__unboxed(name) ? " Number Comparable Serializable Constable ConstantDesc "
                                    : NULL;
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
        return derives(g, arg.def, param.def, 0) ? COST_SUBTYPE : COST_OUT;
    }
    if (wants_own)
        return COST_OUT; // nothing outside is built on what is in the tree
    if (!is_own && ken_str_eq(param.name, arg.name))
        return 0;
    if (!is_own && bases_of_final(arg.name))
        return is_base_of_final(arg.name, param.name) ? COST_SUBTYPE : COST_OUT;
    if (bases_of_final(param.name)) // nothing is built on these
        return COST_OUT;
    return COST_MAYBE;
}

static int fit_boxed(type_key param, type_key arg)
{
    if (arg.sort == TYPE_PRIMITIVE) {
        const char *box = ken_graph__box_of(arg.name);
        if (box && ken_str_eq_c(param.name, box))
            return COST_BOXED;
        return box && is_base_of_final(ken_str_c(box), param.name) ? COST_BOXED + COST_SUBTYPE
                                                                   : COST_OUT;
    }
    const char *primitive = ken_graph__unboxed(arg.name);
    if (!primitive)
        return COST_OUT;
    int fit =
        fit_primitive(param, (type_key){ .sort = TYPE_PRIMITIVE, .name = ken_str_c(primitive) });
    return fit == COST_OUT ? COST_OUT : COST_BOXED + fit;
}

// ---- whether it fits in C++ --------------------------------------------------------------------

static int fit_pointer(type_key param, type_key arg)
{
    if (arg.sort == TYPE_NAMED || arg.sort == TYPE_FUNCTION)
        return arg.sort == TYPE_NAMED && param.sort == TYPE_NAMED ? 0 : COST_OUT;
    bool is_pointer = !arg.is_sure || arg.n_pointers;
    if (is_pointer && (ken_str_eq(param.name, arg.name) || param.sort == TYPE_UNKNOWN))
        return 0;
    return arg.is_sure && !arg.n_pointers && ken_str_eq_c(arg.name, "int") ? COST_BOXED
                                                                           : COST_OUT; // 0
}

// Whether an object of the class may be made of one argument; so it may when its constructors are not
// known.
static bool is_made_of_one(ken_graph *g, type_key class)
{
    ken_graph_def all[MADE_MAX];
    graph_unit *cu = ken_graph__unit_of(g, class.def.file);
    ken_symbol_kind kind = cu ? ken_graph_kind(&cu->text, class.def.def) : KEN_SYMBOL_UNKNOWN;
    if (kind != KEN_SYMBOL_CLASS && kind != KEN_SYMBOL_STRUCT)
        return true;
    uint32_t n = ken_graph__constructors(g, class.def, all, MADE_MAX);
    for (uint32_t i = 0; i < n; i++) {
        graph_unit *u = ken_graph__unit_of(g, all[i].file);
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
    return is_made_of_one(g, param) ? COST_BOXED : COST_OUT;
}

// Types of a template take what they are given, other numbers are as good as each other, and a class
// may be made of anything.
static int fit_cpp(ken_graph *g, type_key param, type_key arg)
{
    bool is_plain = arg.is_sure && !arg.n_pointers && arg.sort == TYPE_PRIMITIVE;
    if (arg.sort == TYPE_UNKNOWN || arg.sort == TYPE_PARAMETER)
        return 0;
    if (param.sort == TYPE_PARAMETER)
        return param.n_pointers && is_plain ? COST_OUT : COST_TEMPLATE;
    if (arg.sort == TYPE_NULL)
        return param.n_pointers ? 0 : param.sort == TYPE_PRIMITIVE ? COST_OUT : COST_MAYBE;
    if (param.n_pointers)
        return fit_pointer(param, arg);
    if (param.sort == TYPE_UNKNOWN)
        return 0;
    if (param.sort == TYPE_PRIMITIVE && arg.sort == TYPE_PRIMITIVE) {
        bool is_bool = ken_str_eq_c(param.name, "bool");
        if (arg.is_sure && arg.n_pointers)
            return is_bool ? COST_OBJECT : COST_OUT;
        return ken_str_eq(param.name, arg.name) ? 0 : COST_SUBTYPE + is_bool;
    }
    if (arg.sort == TYPE_FUNCTION)
        return param.sort == TYPE_PRIMITIVE ? COST_OUT : COST_MAYBE;
    if (param.sort == TYPE_NAMED && arg.sort == TYPE_NAMED)
        return fit_class(g, param, arg);
    // A number outside of the tree (`size_t`), or what a class is made of.
    bool is_text = arg.is_sure && arg.n_pointers;
    if (param.sort == TYPE_NAMED && param.def.file != UINT32_MAX)
        return is_made_of_one(g, param) ? COST_BOXED : COST_OUT;
    return param.sort == TYPE_NAMED && !is_text ? COST_MAYBE : COST_BOXED;
}

// Java: nothing is converted but numbers.
static int fit_strictly(ken_graph *g, type_key param, type_key arg)
{
    bool is_plain = arg.sort == TYPE_PRIMITIVE && !arg.n_arrays;
    bool wants_plain = param.sort == TYPE_PRIMITIVE && !param.n_arrays;
    if (arg.sort == TYPE_UNKNOWN || param.sort == TYPE_UNKNOWN)
        return 0;
    if (is_object(param))
        return is_object(arg) ? 0 : COST_OBJECT + (is_plain ? COST_BOXED : 0);
    if (is_object(arg))
        return param.sort == TYPE_PARAMETER && !param.n_arrays ? COST_ANY : COST_OUT;
    if (arg.sort == TYPE_NULL)
        return wants_plain ? COST_OUT : 1;
    if (param.sort == TYPE_PARAMETER) {
        bool is_deep = arg.n_arrays > param.n_arrays ||
                       (arg.n_arrays == param.n_arrays && arg.sort != TYPE_PRIMITIVE);
        return is_deep                       ? COST_ANY - (int)param.n_arrays
               : is_plain && !param.n_arrays ? COST_ANY + COST_BOXED
                                             : COST_OUT;
    }
    if (arg.sort == TYPE_FUNCTION)
        return wants_plain || param.n_arrays || ken_graph__unboxed(param.name) ||
                       ken_str_eq_c(param.name, "String")
                   ? COST_OUT
                   : 1;
    if (arg.sort == TYPE_PARAMETER)
        return wants_plain ? COST_OUT : COST_MAYBE;
    if (param.n_arrays != arg.n_arrays) {
        bool is_any = param.sort == TYPE_NAMED && param.n_arrays < arg.n_arrays &&
                      (ken_str_eq_c(param.name, "Object") || !param.n_arrays);
        return !is_any                              ? COST_OUT
               : ken_str_eq_c(param.name, "Object") ? COST_OBJECT
               : ken_str_eq_c(param.name, "Cloneable") || ken_str_eq_c(param.name, "Serializable")
                   ? COST_SUBTYPE
                   : COST_OUT;
    }
    if (param.sort == arg.sort)
        return param.sort == TYPE_NAMED ? fit_named(g, param, arg)
               : param.n_arrays         ? (ken_str_eq(param.name, arg.name) ? 0 : COST_OUT)
                                        : fit_primitive(param, arg);
    return param.n_arrays ? COST_OUT : fit_boxed(param, arg);
}

// ---- where more is converted than is seen ------------------------------------------------------

static bool is_signed(int number)
{
    static const char *const unsigned_ones[] = { "byte", "ushort", "uint", "ulong" };
    for (size_t i = 0; i < sizeof unsigned_ones / sizeof *unsigned_ones; i++)
        if (number == ken_graph__number_of(ken_str_c(unsigned_ones[i])))
            return false;
    return true;
}

// Numbers become wider ones where the language says so; a literal is of the type that is asked for.
static int fit_number(const graph_unit *u, type_key param, type_key arg)
{
    if (ken_str_eq(param.name, arg.name))
        return 0;
    int to = ken_graph__number_of(param.name);
    int from = ken_graph__number_of(ken_str_eq_c(arg.name, "char") ? KEN_STR("short") : arg.name);
    if (to < 0 || from < 0)
        return COST_BOXED;
    int real = ken_graph__number_of(KEN_STR("float"));
    bool is_literal = arg.is_sure && !ken_str_eq_c(arg.name, "char") && (from < real || to >= real);
    bool is_wider = to > from && (is_signed(to) || !is_signed(from));
    if (u->lang->widens_numbers && is_wider)
        return to - from;
    return is_literal ? COST_SUBTYPE + (to > from ? to - from : from - to) : COST_BOXED;
}

static int fit_function(type_key param, type_key arg)
{
    if (param.sort == arg.sort)
        return 0;
    bool may_hold_one = arg.sort == TYPE_FUNCTION && param.sort == TYPE_NAMED &&
                        !ken_str_eq_c(param.name, "String");
    return may_hold_one ? COST_SUBTYPE : COST_BOXED;
}

static int fit_object(ken_graph *g, type_key param, type_key arg)
{
    bool is_own = arg.def.file != UINT32_MAX, wants_own = param.def.file != UINT32_MAX;
    if (is_own && wants_own && ken_graph_def_eq(param.def, arg.def))
        return 0;
    if (is_own && wants_own)
        return derives(g, arg.def, param.def, 0) ? COST_SUBTYPE : COST_BOXED;
    if (!is_own && !wants_own)
        return ken_str_eq(param.name, arg.name)     ? 0
               : ken_str_eq_c(param.name, "String") ? COST_BOXED
                                                    : COST_MAYBE;
    return wants_own ? COST_BOXED : COST_MAYBE;
}

static int fit_loosely(ken_graph *g, const graph_unit *u, type_key param, type_key arg)
{
    bool wants_plain = param.sort == TYPE_PRIMITIVE && !param.n_arrays && !param.is_nullable;
    bool wants_outside = param.sort == TYPE_NAMED && param.def.file == UINT32_MAX &&
                         !ken_str_eq_c(param.name, "String");
    if (arg.sort == TYPE_UNKNOWN || param.sort == TYPE_UNKNOWN)
        return 0;
    if (is_object(param))
        return is_object(arg) ? 0 : COST_OBJECT;
    if (param.sort == TYPE_PARAMETER)
        return param.n_arrays > arg.n_arrays ? COST_BOXED : COST_ANY - (int)param.n_arrays;
    if (arg.sort == TYPE_NULL)
        return wants_plain ? COST_BOXED : 1;
    if (arg.sort == TYPE_PARAMETER)
        return COST_MAYBE;
    if (arg.sort == TYPE_FUNCTION || param.sort == TYPE_FUNCTION)
        return fit_function(param, arg);
    if (param.n_arrays != arg.n_arrays)
        return wants_outside && !param.n_arrays ? COST_MAYBE : COST_BOXED;
    if (param.sort == TYPE_PRIMITIVE && arg.sort == TYPE_PRIMITIVE)
        return fit_number(u, param, arg) + (arg.is_sure && param.is_nullable);
    if (param.sort == TYPE_NAMED && arg.sort == TYPE_NAMED)
        return fit_object(g, param, arg);
    return wants_outside ? COST_MAYBE + COST_ANY : COST_BOXED;
}

int ken_graph__fit(ken_graph *g, const graph_unit *u, type_key param, type_key arg)
{
    return graph_converts(u)          ? fit_cpp(g, param, arg)
           : u->lang->names_arguments ? fit_loosely(g, u, param, arg)
                                      : fit_strictly(g, param, arg);
}
