// SPDX-License-Identifier: MIT
// Dynamic dispatch: which definitions may run where one of them is named.
#include <string.h>

#include "graph/graph_priv.h"

enum {
    LOOKED_AT = 1000,
    DEEP = 8,
    BASES_MAX = 16
};

// The type that a member belongs to; false for what is no member of a type.
static bool type_of_member(ken_graph *g, ken_graph_def def, ken_graph_def *out)
{
    graph_unit *u = ken_graph__unit_of(g, def.file);
    if (!u || def.def >= u->n_defs)
        return false;
    ken_graph_def holder = { def.file, ken_graph__holder(u, def.def) };
    *out = ken_graph__owner_type(g, holder);
    u = ken_graph__unit_of(g, out->file);
    return u && (ken_symbol_is_type(ken_graph_kind(&u->text, out->def)));
}

static bool derives(ken_graph *g, ken_graph_def type, ken_graph_def base, uint32_t depth)
{
    ken_graph_def bases[BASES_MAX];
    uint32_t n = depth < DEEP ? ken_graph__bases(g, type, bases, BASES_MAX) : 0;
    for (uint32_t i = 0; i < n; i++)
        if ((bases[i].file == base.file && bases[i].def == base.def) ||
            derives(g, bases[i], base, depth + 1))
            return true;
    return false;
}

static bool is_interface(ken_graph *g, ken_graph_def type)
{
    graph_unit *u = ken_graph__unit_of(g, type.file);
    return u && ken_graph_kind(&u->text, type.def) == KEN_SYMBOL_INTERFACE;
}

// Whether methods of `type` may run where those of `base` are named.
static bool is_dispatched(ken_graph *g, const graph_unit *u, ken_graph_def type, ken_graph_def base)
{
    return u->lang->has_method_sets ? ken_graph__implements(g, type, base)
                                    : derives(g, type, base, 0);
}

// The methods of the same name that belong to other types of the language, at most LOOKED_AT.
static uint32_t members_named(ken_graph *g, ken_graph_def def, ken_graph_def type,
                              ken_graph_def *out, ken_graph_def *out_types)
{
    graph_unit *u = ken_graph__unit_of(g, def.file);
    const ken_graph_def *named;
    size_t n_named = g->source->named(g->source->ctx, ken_graph_name(&u->text, def.def), &named);
    uint32_t n = 0, n_kept = 0;
    for (size_t i = 0; i < n_named && n < LOOKED_AT; i++)
        if (ken_lang_at(g->source->langs[named[i].file])->family == u->lang->family)
            out[n++] = named[i];
    for (uint32_t i = 0; i < n; i++) {
        ken_graph_def other, member = out[i];
        graph_unit *c = ken_graph__unit_of(g, member.file);
        if (!c || member.def >= c->n_defs ||
            !ken_symbol_is_callable(ken_graph_kind(&c->text, member.def)) ||
            !type_of_member(g, member, &other) || ken_graph_def_eq(other, type))
            continue;
        out[n_kept] = member;
        out_types[n_kept++] = other;
    }
    return n_kept;
}

uint32_t ken_graph_overriders(ken_graph *g, ken_graph_def def, ken_graph_def *out, uint32_t max)
{
    ken_graph_def type, members[LOOKED_AT], types[LOOKED_AT];
    ken_graph__ask(g);
    graph_unit *u = ken_graph__unit_of(g, def.file);
    if (!type_of_member(g, def, &type) ||
        !ken_symbol_is_callable(ken_graph_kind(&u->text, def.def)) ||
        (u->lang->has_method_sets && !is_interface(g, type)))
        return 0;
    uint32_t n_members = members_named(g, def, type, members, types), n = 0;
    for (uint32_t i = 0; i < n_members && n < max; i++)
        if (is_dispatched(g, u, types[i], type))
            out[n++] = members[i];
    return n;
}

static void add_overridden(ken_graph *g, ken_graph_def type, ken_str name, ken_graph_def *out,
                           uint32_t *n, uint32_t max, uint32_t depth)
{
    ken_graph_def bases[BASES_MAX];
    uint32_t n_bases = depth < DEEP ? ken_graph__bases(g, type, bases, BASES_MAX) : 0;
    for (uint32_t i = 0; i < n_bases && *n < max; i++) {
        const graph_value *v = ken_graph__type_member(g, bases[i], name);
        bool is_new = v->kind == GRAPH_DEFS;
        for (uint32_t k = 0; is_new && k < *n; k++)
            is_new = out[k].file != v->defs[0].file || out[k].def != v->defs[0].def;
        if (is_new)
            out[(*n)++] = v->defs[0];
        add_overridden(g, bases[i], name, out, n, max, depth + 1);
    }
}

uint32_t ken_graph_overridden(ken_graph *g, ken_graph_def def, ken_graph_def *out, uint32_t max)
{
    ken_graph_def type;
    ken_graph__ask(g);
    graph_unit *u = ken_graph__unit_of(g, def.file);
    uint32_t n = 0;
    if (!type_of_member(g, def, &type) ||
        !ken_symbol_is_callable(ken_graph_kind(&u->text, def.def)) ||
        ken_graph_kind(&u->text, def.def) == KEN_SYMBOL_CONSTRUCTOR)
        return 0;
    if (!u->lang->has_method_sets) {
        add_overridden(g, type, ken_graph_name(&u->text, def.def), out, &n, max, 0);
        return n;
    }
    ken_graph_def members[LOOKED_AT], types[LOOKED_AT];
    uint32_t n_members = members_named(g, def, type, members, types);
    for (uint32_t i = 0; i < n_members && n < max; i++)
        if (is_interface(g, types[i]) && ken_graph__implements(g, type, types[i]))
            out[n++] = members[i];
    return n;
}

const char *ken_graph_override_reason(ken_graph *g, ken_graph_def def)
{
    graph_unit *u = ken_graph__unit_of(g, def.file);
    return u && u->lang->has_method_sets ? "its type has all methods of the interface" : NULL;
}

bool ken_graph_type_of(ken_graph *g, ken_graph_def member, ken_graph_def *out)
{
    ken_graph__ask(g);
    return type_of_member(g, member, out);
}

bool ken_graph_derives(ken_graph *g, ken_graph_def type, ken_graph_def base)
{
    ken_graph__ask(g);
    graph_unit *u = ken_graph__unit_of(g, type.file);
    return u && type.def < u->n_defs &&
           (derives(g, type, base, 0) ||
            (u->lang->has_method_sets && ken_graph__implements(g, type, base)));
}

bool ken_graph_member(ken_graph *g, ken_graph_def type, ken_str name, ken_graph_def *out)
{
    ken_graph__ask(g);
    graph_unit *u = ken_graph__unit_of(g, type.file);
    const graph_value *v =
        u && type.def < u->n_defs ? ken_graph__type_member(g, type, name) : &ken_graph__nothing;
    if (v->kind != GRAPH_DEFS)
        return false;
    *out = v->defs[0];
    return true;
}

// ---- constructors ------------------------------------------------------------------------------

static bool is_constructor(const graph_unit *u, ken_def_id def)
{
    return def < u->n_defs && ken_graph_kind(&u->text, def) == KEN_SYMBOL_CONSTRUCTOR;
}

static uint32_t inside(ken_graph *g, ken_graph_def type, ken_graph_def *out, uint32_t max)
{
    graph_unit *u = ken_graph__unit_of(g, type.file);
    uint32_t n = 0;
    if (!u || type.def >= u->n_symbols)
        return 0;
    uint32_t end = u->text.facts->symbols[type.def].span.end;
    for (uint32_t d = type.def + 1; n < max && d < u->n_symbols; d++) {
        if (u->text.facts->symbols[d].span.start >= end)
            break;
        if (u->text.facts->symbols[d].parent == (int32_t)type.def && is_constructor(u, d))
            out[n++] = (ken_graph_def){ type.file, d };
    }
    return n;
}

// Those right inside the type and its other pieces; in C++ others of its name say that they belong
// to it.
static uint32_t own_constructors(ken_graph *g, ken_graph_def type, ken_graph_def *out, uint32_t max)
{
    ken_graph_def pieces[GRAPH_PIECES_MAX];
    graph_unit *u = ken_graph__unit_of(g, type.file);
    if (!u || type.def >= u->n_symbols)
        return 0;
    uint32_t n = inside(g, type, out, max);
    uint32_t n_pieces = u->lang->has_open_types ? ken_graph__pieces(g, type, pieces) : 0;
    for (uint32_t i = 1; i < n_pieces; i++)
        n += inside(g, pieces[i], out + n, max - n);
    if (!u->lang->includes)
        return n;
    const ken_graph_def *named;
    ken_graph_def copy[LOOKED_AT];
    size_t n_named = g->source->named(g->source->ctx, ken_graph_name(&u->text, type.def), &named);
    n_named = n_named < LOOKED_AT ? n_named : LOOKED_AT;
    if (n_named)
        memcpy(copy, named, n_named * sizeof *copy);
    for (size_t i = 0; i < n_named && n < max; i++) {
        graph_unit *c = ken_graph__unit_of(g, copy[i].file);
        if (c && is_constructor(c, copy[i].def) && ken_graph__has_owner(c, copy[i].def) &&
            ken_graph_def_eq(ken_graph__owner_type(g, copy[i]), type))
            out[n++] = copy[i];
    }
    return n;
}

static uint32_t constructors(ken_graph *g, ken_graph_def type, ken_graph_def *out, uint32_t max,
                             uint32_t depth)
{
    uint32_t n = own_constructors(g, type, out, max);
    ken_graph_def bases[BASES_MAX];
    uint32_t n_bases = n || depth >= DEEP ? 0 : ken_graph__bases(g, type, bases, BASES_MAX);
    for (uint32_t i = 0; i < n_bases && !n; i++)
        n = constructors(g, bases[i], out, max, depth + 1);
    return n;
}

uint32_t ken_graph__constructors(ken_graph *g, ken_graph_def type, ken_graph_def *out, uint32_t max)
{
    return constructors(g, type, out, max, 0);
}

uint32_t ken_graph_constructors(ken_graph *g, ken_graph_def type, ken_graph_def *out, uint32_t max)
{
    ken_graph__ask(g);
    return constructors(g, type, out, max, 0);
}

bool ken_graph_is_restated(ken_graph *g, ken_graph_def a, ken_graph_def b)
{
    graph_unit *u = a.file == b.file ? ken_graph__unit_of(g, a.file) : NULL;
    return u && u->lang->restates && a.def < u->n_defs && b.def < u->n_defs &&
           ken_symbol_is_callable(ken_graph_kind(&u->text, a.def)) &&
           ken_symbol_is_callable(ken_graph_kind(&u->text, b.def)) &&
           ken_graph__scope_of(u, a.def) == ken_graph__scope_of(u, b.def) &&
           ken_str_eq(ken_graph_name(&u->text, a.def), ken_graph_name(&u->text, b.def));
}
