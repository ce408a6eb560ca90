// SPDX-License-Identifier: MIT
// Haskell: a bare name is one of the module, or of one that is imported without `qualified`, as far
// as its list of imports and that module's list of exports say.
#include <string.h>

#include "graph/graph_driver_priv.h"
#include "graph/languages/haskell_priv.h"

static int32_t scope_of(const graph_unit *u, ken_def_id def)
{
    int32_t owner = ken_graph_owner(&u->text, def), top = owner;
    while (top >= 0 && ken_graph_kind(&u->text, (ken_def_id)top) != KEN_SYMBOL_IMPL)
        top = ken_graph_owner(&u->text, (ken_def_id)top);
    return top >= 0 ? owner : -1; // what an instance defines has no name of its own
}

static const graph_value *own(ken_graph *g, const graph_unit *u, ken_str name)
{
    ken_def_id ids[KEN_TARGETS_MAX];
    ken_graph_def defs[KEN_TARGETS_MAX];
    uint32_t n = ken_graph__children(u, -1, name, ids, KEN_TARGETS_MAX), n_kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (ken_graph_kind(&u->text, ids[i]) != KEN_SYMBOL_IMPL)
            defs[n_kept++] = (ken_graph_def){ u->file, ids[i] };
    return ken_graph__defs_value(g, defs, n_kept, KEN_EDGE_SCOPED);
}

// Whether one of the definitions belongs to a type or class of that name.
static bool is_part_of(ken_graph *g, const graph_value *v, ken_str type)
{
    for (uint32_t i = 0; v->kind == GRAPH_DEFS && i < v->n_defs; i++) {
        graph_unit *u = ken_graph__unit_of(g, v->defs[i].file);
        int32_t o = ken_graph_owner(&u->text, v->defs[i].def);
        while (o >= 0 && ken_graph_owner(&u->text, (ken_def_id)o) >= 0)
            o = ken_graph_owner(&u->text, (ken_def_id)o);
        if (o >= 0 && ken_str_eq(ken_graph_name(&u->text, (ken_def_id)o), type))
            return true;
    }
    return false;
}

// ---- imports ------------------------------------------------------------------------------------

static bool is_export(const ken_bind *b)
{
    return (b->flags & KEN_BIND_EXPORTED) != 0;
}

// `hiding` leaves these out of everything.
static bool is_hidden(const ken_bind *b)
{
    return (b->flags & KEN_BIND_STATIC) != 0;
}

static bool hides(const ken_refs *r, ken_str module, ken_str name)
{
    for (uint32_t i = 0; i < r->n_binds; i++)
        if (is_hidden(&r->binds[i]) && ken_str_eq(r->binds[i].module, module) &&
            ken_str_eq(r->binds[i].name, name))
            return true;
    return false;
}

// What the module of an import shows under that name.
static const graph_value *shown_by(ken_graph *g, graph_unit *u, const ken_bind *b, ken_str name)
{
    ken_module_ask ask = { .file = u->file, .module = b->module };
    ken_module m;
    ken_modules_resolve(g->modules, &ask, &m);
    const graph_value *v =
        m.kind == KEN_MODULE_FILES ? ken_graph__shown(g, m.files[0], name, 0) : &ken_graph__nothing;
    return ken_graph__with_class(g, v, m.is_guess ? KEN_EDGE_INFERRED : KEN_EDGE_IMPORTED);
}

// The same as far as the import brings it, without a prefix.
static const graph_value *brought(ken_graph *g, graph_unit *u, const ken_bind *b, ken_str name)
{
    if (is_hidden(b))
        return hides(u->text.refs, b->module, name) ? &ken_graph__nothing : shown_by(g, u, b, name);
    if (b->kind == KEN_BIND_MODULE || (b->kind == KEN_BIND_NAME && !ken_str_eq(b->name, name)))
        return &ken_graph__nothing;
    const graph_value *v = shown_by(g, u, b, name);
    bool is_all = b->kind == KEN_BIND_ALL && b->name.len; // T(..)
    return is_all && !is_part_of(g, v, b->name) ? &ken_graph__nothing : v;
}

// By which an import is called: its alias, else the module's own name.
static bool is_called(const ken_bind *b, ken_str name)
{
    bool has_alias = b->kind != KEN_BIND_NAME && b->local.len;
    return ken_str_eq(has_alias ? b->local : b->module, name);
}

static bool has_type(ken_graph *g, const graph_value *v, bool wants_type)
{
    for (uint32_t i = 0; v->kind == GRAPH_DEFS && i < v->n_defs; i++) {
        graph_unit *u = ken_graph__unit_of(g, v->defs[i].file);
        if (graph_is_type(ken_graph_kind(&u->text, v->defs[i].def)) == wants_type)
            return true;
    }
    return false;
}

// A type and a constructor of one name may come from two modules.
static const graph_value *both(ken_graph *g, const graph_value *a, const graph_value *b)
{
    if (a->kind != GRAPH_DEFS || b->kind != GRAPH_DEFS)
        return a->kind == GRAPH_NONE ? b : a;
    if ((has_type(g, a, true) || !has_type(g, b, true)) &&
        (has_type(g, a, false) || !has_type(g, b, false)))
        return a;
    ken_graph_def defs[KEN_TARGETS_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n_defs && n < KEN_TARGETS_MAX; i++)
        defs[n++] = a->defs[i];
    for (uint32_t i = 0; i < b->n_defs && n < KEN_TARGETS_MAX; i++)
        defs[n++] = b->defs[i];
    return ken_graph__defs_value(g, defs, n, a->class > b->class ? a->class : b->class);
}

// Through all imports; `called`: those alone, unless empty.
static const graph_value *imported(ken_graph *g, graph_unit *u, ken_str name, ken_str called)
{
    const ken_refs *r = u->text.refs;
    const graph_value *v = &ken_graph__nothing;
    for (uint32_t i = 0; i < r->n_binds; i++) {
        const ken_bind *b = &r->binds[i];
        if (is_export(b) || !b->module.len || (called.len && !is_called(b, called)))
            continue;
        v = both(g, v, brought(g, u, b, name));
        if (has_type(g, v, true) && has_type(g, v, false))
            break;
    }
    return v;
}

static const graph_value *see(ken_graph *g, graph_unit *u, ken_str name)
{
    const graph_value *v = own(g, u, name);
    bool may_be_more = name.len && (ken_is_upper(name.ptr[0]) || v->kind == GRAPH_NONE);
    return may_be_more ? both(g, v, imported(g, u, name, KEN_STR(""))) : v;
}

// The same, remembered. No definition has these numbers.
enum {
    KEPT_VISIBLE = UINT16_MAX << 15,
    KEPT_SHOWN
};

static const graph_value *visible(ken_graph *g, graph_unit *u, ken_str name)
{
    const graph_value **kept =
                          ken_graph__kept_member(g, (ken_graph_def){ u->file, KEPT_VISIBLE }, name),
                      *v;
    return ken_graph__begin(g, kept, &v) ? ken_graph__end(g, kept, see(g, u, name)) : v;
}

// ---- exports ------------------------------------------------------------------------------------

static bool has_exports(const ken_refs *r)
{
    for (uint32_t i = 0; i < r->n_binds; i++)
        if (is_export(&r->binds[i]))
            return true;
    return false;
}

static const graph_value *exported(ken_graph *g, graph_unit *u, const ken_bind *b, ken_str name)
{
    if (b->module.len) { // module M
        bool is_own = ken_str_eq(b->module, u->text.refs->package);
        const graph_value *v = is_own ? own(g, u, name) : &ken_graph__nothing;
        return both(g, v, imported(g, u, name, b->module));
    }
    if (b->kind == KEN_BIND_NAME)
        return ken_str_eq(b->name, name) ? visible(g, u, name) : &ken_graph__nothing;
    const graph_value *v = visible(g, u, name); // T(..)
    return is_part_of(g, v, b->name) ? v : &ken_graph__nothing;
}

static const graph_value *show(ken_graph *g, graph_unit *u, ken_str name)
{
    const ken_refs *r = u->text.refs;
    if (!has_exports(r))
        return ken_graph__with_class(g, own(g, u, name), KEN_EDGE_IMPORTED);
    const graph_value *v = &ken_graph__nothing;
    for (uint32_t i = 0; i < r->n_binds; i++)
        if (is_export(&r->binds[i]))
            v = both(g, v, exported(g, u, &r->binds[i], name));
    return ken_graph__with_class(g, v, KEN_EDGE_IMPORTED);
}

static const graph_value *shown(ken_graph *g, graph_unit *u, ken_str name)
{
    const graph_value **kept =
                          ken_graph__kept_member(g, (ken_graph_def){ u->file, KEPT_SHOWN }, name),
                      *v;
    return ken_graph__begin(g, kept, &v) ? ken_graph__end(g, kept, show(g, u, name)) : v;
}

// ---- names --------------------------------------------------------------------------------------

// The modules that "M." stands for.
static const graph_value *modules_called(ken_graph *g, graph_unit *u, ken_str name)
{
    const ken_refs *r = u->text.refs;
    graph_value *all = NULL;
    bool is_outside = false;
    for (uint32_t i = 0; i < r->n_binds; i++) {
        const ken_bind *b = &r->binds[i];
        if (is_export(b) || !b->module.len || !is_called(b, name))
            continue;
        ken_module_ask ask = { .file = u->file, .module = b->module };
        ken_module m;
        ken_modules_resolve(g->modules, &ask, &m);
        is_outside = is_outside || m.kind == KEN_MODULE_EXTERNAL;
        if (m.kind != KEN_MODULE_FILES)
            continue;
        graph_value *v = ken_graph__new_value(g, GRAPH_MODULE,
                                              m.is_guess ? KEN_EDGE_INFERRED : KEN_EDGE_IMPORTED);
        v->files = m.files;
        v->n_files = m.n_files;
        v->other = all;
        all = v;
    }
    if (!all)
        return is_outside ? &ken_graph__outside : &ken_graph__nothing;
    return all;
}

static const graph_value *look_up(ken_graph *g, graph_unit *u, ken_str name, int32_t around)
{
    (void)around; // all names are of the module
    if (name.len > 1 && ken_is_upper(name.ptr[0]) && ken_str_ends(name, KEN_STR(".")))
        return modules_called(g, u, ken_str_sub(name, 0, name.len - 1));
    return visible(g, u, name);
}

const graph_driver ken_graph__driver_haskell = {
    .resolve = ken_graph__haskell_resolve,
    .scope_of = scope_of,
    .look_up = look_up,
    .shown = shown,
};
