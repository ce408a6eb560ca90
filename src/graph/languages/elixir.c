// SPDX-License-Identifier: MIT
// Elixir: modules have one name in the whole tree, wherever they are written, and aliases of it;
// a function without a module is one of the module around, or of one that is imported.
#include <string.h>

#include "graph/graph_driver_priv.h"
#include "graph/languages/elixir_priv.h"

enum {
    LOOKED_AT = 400,
    MODULES_DEEP = 16
};

static bool is_module(const graph_unit *u, int32_t def)
{
    ken_symbol_kind kind = ken_graph_kind(&u->text, (ken_def_id)def);
    return kind == KEN_SYMBOL_MODULE || kind == KEN_SYMBOL_INTERFACE;
}

// The module, protocol or implementation that `def` is or stands in, -1 = none.
static int32_t module_around(const graph_unit *u, int32_t def)
{
    while (def >= 0 && !is_module(u, def) &&
           ken_graph_kind(&u->text, (ken_def_id)def) != KEN_SYMBOL_IMPL)
        def = ken_graph_owner(&u->text, (ken_def_id)def);
    return def;
}

static ken_str join(ken_graph *g, ken_str a, ken_str b)
{
    return b.len ? ken_arena_printf(&g->arena, KEN_STR_FMT "." KEN_STR_FMT, KEN_STR_ARG(a),
                                    KEN_STR_ARG(b))
                 : a;
}

// "A.B" of a module B inside A.
static ken_str whole_name(ken_graph *g, const graph_unit *u, int32_t def)
{
    ken_str name = ken_graph_name(&u->text, (ken_def_id)def);
    for (int i = 0; i < MODULES_DEEP && def >= 0; i++) {
        def = ken_graph_owner(&u->text, (ken_def_id)def);
        if (def >= 0 && is_module(u, def))
            name = join(g, ken_graph_name(&u->text, (ken_def_id)def), name);
    }
    return name;
}

// ---- modules -----------------------------------------------------------------------------------

// Modules that are written as `tail` and are called `whole` with what is around them.
static uint32_t add_modules(ken_graph *g, const graph_unit *u, ken_str tail, ken_str whole,
                            ken_graph_def *out, uint32_t n)
{
    const ken_graph_def *all;
    ken_graph_def copy[LOOKED_AT];
    size_t n_all = g->source->named(g->source->ctx, tail, &all);
    n_all = n_all < LOOKED_AT ? n_all : LOOKED_AT;
    if (n_all)
        memcpy(copy, all, n_all * sizeof *copy);
    for (size_t i = 0; i < n_all && n < KEN_TARGETS_MAX; i++) {
        const graph_unit *c = ken_graph__unit_of(g, copy[i].file);
        if (c && c->lang->family == u->lang->family && copy[i].def < c->n_defs &&
            is_module(c, (int32_t)copy[i].def) &&
            ken_str_eq(whole_name(g, c, (int32_t)copy[i].def), whole))
            out[n++] = copy[i];
    }
    return n;
}

// The module of that whole name: one of this file rather than another's; of several files none.
static const graph_value *module_named(ken_graph *g, const graph_unit *u, ken_str whole)
{
    ken_graph_def found[KEN_TARGETS_MAX];
    uint32_t n = 0, n_own = 0, n_elsewhere = 0;
    for (ken_str tail = whole; tail.len;) {
        n = add_modules(g, u, tail, whole, found, n);
        size_t dot = ken_str_find_char(tail, '.');
        tail = ken_str_sub(tail, dot == SIZE_MAX ? tail.len : dot + 1, tail.len);
    }
    for (uint32_t i = 0; i < n; i++) {
        n_elsewhere += found[i].file != found[0].file;
        if (found[i].file == u->file)
            found[n_own++] = found[i];
    }
    if (n_own)
        return ken_graph__defs_value(g, found, n_own, KEN_EDGE_SCOPED);
    if (!n)
        return &ken_graph__outside;
    return n_elsewhere ? &ken_graph__nothing
                       : ken_graph__defs_value(g, found, n, KEN_EDGE_IMPORTED);
}

static int32_t place_of(ken_graph *g, const graph_unit *u, const ken_bind *b)
{
    return module_around(u, (int32_t)ken_graph_within(g, u->file, b->byte));
}

// The part of a module's name that an alias without `as:` is called by.
static ken_str last_of(ken_str name)
{
    size_t dot = ken_str_rfind_char(name, '.');
    return dot == SIZE_MAX ? name : ken_str_sub(name, dot + 1, name.len);
}

static bool is_alias(const ken_bind *b, ken_str name)
{
    bool makes_none = (b->flags & KEN_BIND_STATIC) && !b->local.len; // `use`, `require`
    return b->kind == KEN_BIND_MODULE && !makes_none &&
           ken_str_eq(last_of(b->local.len ? b->local : b->module), name);
}

// `__MODULE__.B` is one of the module around.
static ken_str spelled_out(ken_graph *g, const graph_unit *u, ken_str name, int32_t around)
{
    ken_str rest = name, first;
    if (around < 0 || !ken_str_split_next(&rest, '.', &first) || !ken_str_eq_c(first, "__MODULE__"))
        return name;
    return join(g, whole_name(g, u, around), rest);
}

// The whole name of what is written `name` there: its first part may be a module right inside those
// around, or an alias, which may itself be written with those before it.
static ken_str expanded(ken_graph *g, const graph_unit *u, ken_str name, int32_t around)
{
    ken_str rest = name, first;
    ken_def_id inner;
    if (!ken_str_split_next(&rest, '.', &first))
        return name;
    for (int32_t o = around; o >= 0; o = module_around(u, ken_graph_owner(&u->text, (ken_def_id)o)))
        if (ken_graph__children(u, o, first, &inner, 1) && is_module(u, (int32_t)inner))
            return join(g, whole_name(g, u, (int32_t)inner), rest);
    for (uint32_t i = u->text.refs->n_binds; i-- > 0;) {
        const ken_bind *b = &u->text.refs->binds[i];
        if (!is_alias(b, first))
            continue;
        int32_t place = place_of(g, u, b);
        if (!ken_graph__is_around(u, place, around))
            continue;
        name = join(g, spelled_out(g, u, b->module, place), rest);
        rest = name;
        if (name.len > LOOKED_AT || !ken_str_split_next(&rest, '.', &first))
            break;
    }
    return name;
}

static const graph_value *module_at(ken_graph *g, const graph_unit *u, ken_str name, int32_t around)
{
    if (ken_str_starts(name, KEN_STR("Elixir.")))
        return module_named(g, u, ken_str_sub(name, 7, name.len));
    ken_str whole = spelled_out(g, u, name, around);
    return module_named(g, u, whole.ptr == name.ptr ? expanded(g, u, name, around) : whole);
}

static const graph_value *bound(ken_graph *g, graph_unit *u, const ken_bind *b)
{
    return module_at(g, u, b->module, place_of(g, u, b));
}

// ---- functions ---------------------------------------------------------------------------------

typedef enum elixir_rank {
    RANK_FUNCTION = 0,
    RANK_CALLBACK,
    RANK_TYPE,
    RANK_COUNT // what has no name that a call may have
} elixir_rank;

static elixir_rank rank_of(const graph_unit *u, ken_def_id def)
{
    ken_symbol_kind kind = ken_graph_kind(&u->text, def);
    return kind == KEN_SYMBOL_FUNCTION || kind == KEN_SYMBOL_MACRO ? RANK_FUNCTION
           : kind == KEN_SYMBOL_METHOD                             ? RANK_CALLBACK
           : kind == KEN_SYMBOL_TYPE                               ? RANK_TYPE
                                                                   : RANK_COUNT;
}

static bool is_private(const graph_unit *u, ken_def_id def)
{
    return def < u->n_symbols && u->text.facts->symbols[def].visibility == KEN_VISIBILITY_PRIVATE;
}

// Functions and macros of that name, else a callback, else a type. What is private is seen from
// inside the module alone.
static const graph_value *functions_of(ken_graph *g, const graph_unit *u, int32_t owner,
                                       ken_str name, bool is_inside, ken_edge_class class)
{
    ken_def_id ids[KEN_TARGETS_MAX];
    ken_graph_def found[KEN_TARGETS_MAX];
    uint32_t n = ken_graph__children(u, owner, name, ids, KEN_TARGETS_MAX), n_found = 0;
    for (elixir_rank rank = RANK_FUNCTION; rank < RANK_COUNT && !n_found; rank++)
        for (uint32_t i = 0; i < n; i++)
            if (rank_of(u, ids[i]) == rank && (is_inside || !is_private(u, ids[i])))
                found[n_found++] = (ken_graph_def){ u->file, ids[i] };
    return ken_graph__defs_value(g, found, n_found, class);
}

static const graph_value *functions_of_module(ken_graph *g, const graph_value *module, ken_str name)
{
    const graph_value *v = &ken_graph__nothing;
    for (uint32_t i = 0; module->kind == GRAPH_DEFS && i < module->n_defs; i++) {
        const graph_unit *u = ken_graph__unit_of(g, module->defs[i].file);
        if (u && v->kind == GRAPH_NONE)
            v = functions_of(g, u, (int32_t)module->defs[i].def, name, false, module->class);
    }
    return v;
}

// Whether an import brings what is called so: everything, or by name (`only: [name: 1]`).
static bool brings(const ken_bind *b, ken_str name)
{
    return b->kind == KEN_BIND_ALL || (b->kind == KEN_BIND_NAME && ken_str_eq(b->name, name));
}

// What `use` of a module imports: the imports that its `__using__` writes down.
static const graph_value *given_by_use(ken_graph *g, const graph_value *module, ken_str name)
{
    ken_def_id macro;
    graph_unit *u = module->kind == GRAPH_DEFS ? ken_graph__unit_of(g, module->defs[0].file) : NULL;
    if (!u ||
        !ken_graph__children(u, (int32_t)module->defs[0].def, KEN_STR("__using__"), &macro, 1))
        return &ken_graph__nothing;
    for (uint32_t i = 0; i < u->text.refs->n_binds; i++) {
        const ken_bind *b = &u->text.refs->binds[i];
        if (!brings(b, name) ||
            !ken_graph__is_around(u, (int32_t)macro,
                                  (int32_t)ken_graph_within(g, u->file, b->byte)))
            continue;
        const graph_value *v = functions_of_module(g, bound(g, u, b), name);
        if (v->kind == GRAPH_NONE)
            continue;
        graph_value *guess = KEN_ARENA_NEW(&g->arena, graph_value);
        *guess = *v;
        guess->class = KEN_EDGE_INFERRED;
        guess->evidence = "imported by what `use` of a module expands to";
        return guess;
    }
    return &ken_graph__nothing;
}

static const graph_value *imported(ken_graph *g, graph_unit *u, uint32_t bind, ken_str name,
                                   int32_t around)
{
    const ken_bind *b = &u->text.refs->binds[bind];
    bool is_import = brings(b, name);
    if ((!is_import && !(b->flags & KEN_BIND_STATIC)) ||
        !ken_graph__is_around(u, place_of(g, u, b), around))
        return &ken_graph__nothing;
    const graph_value *module = ken_graph__bound(g, u, bind);
    return is_import ? functions_of_module(g, module, name) : given_by_use(g, module, name);
}

static const graph_value *look_up(ken_graph *g, graph_unit *u, ken_str name, int32_t around)
{
    around = module_around(u, around);
    if (name.len && ken_is_upper(name.ptr[0]))
        return module_at(g, u, name, around);
    if (ken_str_eq_c(name, "__MODULE__")) {
        ken_graph_def def = { u->file, (ken_def_id)around };
        bool is_known = around >= 0 && is_module(u, around);
        return ken_graph__defs_value(g, &def, is_known, KEN_EDGE_EXACT);
    }
    const graph_value *v =
        around < 0 ? &ken_graph__nothing : functions_of(g, u, around, name, true, KEN_EDGE_SCOPED);
    for (uint32_t i = 0; i < u->text.refs->n_binds && v->kind == GRAPH_NONE; i++)
        v = ken_graph__with_class(g, imported(g, u, i, name, around), KEN_EDGE_IMPORTED);
    return v;
}

static const graph_value *member_of_def(ken_graph *g, graph_unit *u, ken_graph_def module,
                                        ken_str name)
{
    const graph_unit *mu = ken_graph__unit_of(g, module.file);
    if (!mu || !is_module(mu, (int32_t)module.def))
        return &ken_graph__nothing;
    if (name.len && ken_is_upper(name.ptr[0])) // `__MODULE__.Inner`
        return module_named(g, u, join(g, whole_name(g, mu, (int32_t)module.def), name));
    ken_edge_class class = module.file == u->file ? KEN_EDGE_SCOPED : KEN_EDGE_IMPORTED;
    return functions_of(g, mu, (int32_t)module.def, name, false, class);
}

const graph_driver ken_graph__driver_elixir = {
    .resolve = ken_graph__elixir_resolve,
    .look_up = look_up,
    .bound = bound,
    .member_of_def = member_of_def,
};
