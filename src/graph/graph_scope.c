// SPDX-License-Identifier: MIT
// Bare names: from the innermost definition outwards, then what the file imports, then what its
// package shares, then what it includes. The first that has the name is meant; where that is a
// definition and an import, or several imports, each of them may be.
#include <string.h>

#include "base/hash.h"
#include "base/path.h"
#include "graph/graph_driver_priv.h"

enum {
    SHOWN_DEEP = 8,
    INNER_DEEP = 16,
    LOOKED_AT = 400,
    CLOSURE_MAX = 4096,
    OVERLOADS_MAX = 64
};

static bool is_declaration(const graph_unit *u, ken_def_id def)
{
    return def >= u->n_symbols && u->text.refs->implied[def - u->n_symbols].is_declaration;
}

static uint32_t n_type_params(const graph_unit *u, ken_def_id def)
{
    return def < u->text.refs->n_defs ? u->text.refs->defs[def].n_type_params : 0;
}

// Types of one kind and name in one scope: the sides of a condition. A member may be of any of them.
// `Result` and `Result<T>` are two.
static const graph_value *with_sides(ken_graph *g, const graph_unit *u, const graph_value *v)
{
    ken_symbol_kind kind =
        v->n_defs > 1 ? ken_graph_kind(&u->text, v->defs[0].def) : KEN_SYMBOL_UNKNOWN;
    if (kind == KEN_SYMBOL_TYPE || !graph_is_type(kind))
        return v;
    const graph_value *all = ken_graph__defs_value(g, v->defs, 1, v->class);
    for (uint32_t i = 1; i < v->n_defs; i++)
        if (ken_graph_kind(&u->text, v->defs[i].def) == kind &&
            n_type_params(u, v->defs[i].def) == n_type_params(u, v->defs[0].def))
            all = ken_graph__any_of(g, all, ken_graph__defs_value(g, &v->defs[i], 1, v->class));
    return all->n_defs == v->n_defs ? all : v;
}

static const graph_value *defs_of_ids(ken_graph *g, const graph_unit *u, const ken_def_id *ids,
                                      uint32_t n, ken_edge_class class)
{
    ken_graph_def defs[KEN_TARGETS_MAX];
    uint32_t n_kept = 0, n_declared = 0;
    for (uint32_t i = 0; i < n; i++)
        n_declared += is_declaration(u, ids[i]);
    // What is declared above its definition is one thing; overloads need not be.
    bool is_defined = n_declared && n_declared < n && !u->lang->overloads;
    for (uint32_t i = 0; i < n; i++)
        if (!is_defined || !is_declaration(u, ids[i]))
            defs[n_kept++] = (ken_graph_def){ u->file, ids[i] };
    return with_sides(g, u, ken_graph__defs_value(g, defs, n_kept, class));
}

static const graph_value *children_value(ken_graph *g, const graph_unit *u, int32_t owner,
                                         ken_str name, ken_edge_class class)
{
    ken_def_id ids[KEN_TARGETS_MAX];
    uint32_t n = ken_graph__children(u, owner, name, ids, KEN_TARGETS_MAX);
    return defs_of_ids(g, u, ids, n, class);
}

static uint8_t flags_of(const graph_unit *u, ken_def_id def)
{
    return def < u->text.refs->n_defs ? u->text.refs->defs[def].flags : 0;
}

static bool is_test(const graph_unit *u, ken_def_id def)
{
    return ken_graph_kind(&u->text, def) == KEN_SYMBOL_TEST;
}

// No key of an object, no `exports.name = …`, no test.
bool ken_graph__has_bare_name(const graph_unit *u, ken_def_id def)
{
    if (u->lang->hides_fields)
        return ken_graph_kind(&u->text, def) != KEN_SYMBOL_FIELD;
    if (!u->lang->makes_of_functions)
        return true;
    bool is_export = def >= u->n_symbols && (flags_of(u, def) & KEN_DEF_EXPORTED);
    return !is_export && !is_test(u, def) && !(flags_of(u, def) & KEN_DEF_PREFIXED);
}

// Definitions that a bare name in `owner` means.
static const graph_value *bare_children(ken_graph *g, const graph_unit *u, int32_t owner,
                                        ken_str name)
{
    ken_def_id ids[KEN_TARGETS_MAX];
    uint32_t n = ken_graph__children(u, owner, name, ids, KEN_TARGETS_MAX), n_kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (ken_graph__has_bare_name(u, ids[i]))
            ids[n_kept++] = ids[i];
    return defs_of_ids(g, u, ids, n_kept, KEN_EDGE_SCOPED);
}

// All definitions of a name in files of the same family, in an array of the caller's.
static size_t named(ken_graph *g, const graph_unit *u, ken_str name, ken_graph_def *out)
{
    const ken_graph_def *all;
    size_t n_all = g->source->named(g->source->ctx, name, &all), n = 0;
    for (size_t i = 0; i < n_all && n < LOOKED_AT; i++)
        if (ken_lang_at(g->source->langs[all[i].file])->family == u->lang->family)
            out[n++] = all[i];
    return n;
}

// ---- includes ----------------------------------------------------------------------------------

static bool is_among(const uint32_t *files, uint32_t n, uint32_t file)
{
    for (uint32_t i = 0; i < n; i++)
        if (files[i] == file)
            return true;
    return false;
}

const uint32_t *ken_graph__closure(ken_graph *g, graph_unit *u, uint32_t *out_n)
{
    if (!u->has_closure) {
        u->has_closure = true;
        KEN_VEC(uint32_t) files = { 0 };
        uint8_t *seen = ken_zalloc(g->source->n_files / 8 + 1);
        ken_vec_push(&files, u->file);
        seen[u->file / 8] |= (uint8_t)(1u << u->file % 8);
        for (size_t i = 0; i < files.len && files.len < CLOSURE_MAX; i++) {
            uint32_t n = 0, n_unknown = 0;
            const uint32_t *direct = ken_graph_imports(g, files.ptr[i], &n, &n_unknown);
            const graph_unit *f = ken_graph__unit_of(g, files.ptr[i]);
            u->has_unknown = u->has_unknown || (f && f->may_include);
            size_t n_before = files.len;
            for (uint32_t k = 0; k < n; k++) {
                uint8_t bit = (uint8_t)(1u << direct[k] % 8);
                if (seen[direct[k] / 8] & bit)
                    continue;
                seen[direct[k] / 8] |= bit;
                ken_vec_push(&files, direct[k]);
            }
            if (g->source->expect && files.len > n_before)
                g->source->expect(g->source->ctx, files.ptr + i + 1, files.len - i - 1);
        }
        u->closure = ken_arena_copy(&g->arena, files.ptr, files.len, sizeof *u->closure);
        u->n_closure = (uint32_t)files.len;
        ken_vec_release(&files);
        ken_free(seen);
    }
    *out_n = u->n_closure;
    return u->closure;
}

// Where `def` (an owner) or the top of the file is no more than namespaces.
static bool is_in_spaces(const graph_unit *u, int32_t owner)
{
    for (; owner >= 0; owner = ken_graph_owner(&u->text, (ken_def_id)owner))
        if (!ken_graph__is_space(ken_graph_kind(&u->text, (ken_def_id)owner)))
            return false;
    return true;
}

// Whether a definition may be the one behind a declaration in that namespace.
static bool is_linkable(const graph_unit *c, ken_def_id def, uint64_t space, bool is_type)
{
    if (is_declaration(c, def) || def >= c->text.refs->n_defs ||
        (c->text.refs->defs[def].flags & KEN_DEF_STATIC))
        return false;
    int32_t scope = ken_graph__scope_of(c, def);
    if (scope == GRAPH_ELSEWHERE || !is_in_spaces(c, scope) ||
        ken_graph__space_of(c, scope) != space)
        return false;
    ken_symbol_kind kind = ken_graph_kind(&c->text, def);
    return is_type ? graph_is_type(kind) && kind != KEN_SYMBOL_TYPE
                   : ken_symbol_is_callable(kind) || ken_symbol_is_variable(kind);
}

// Whether one of the files includes the other, through others perhaps.
static bool sees(ken_graph *g, graph_unit *u, uint32_t file)
{
    uint32_t n;
    const uint32_t *files = ken_graph__closure(g, u, &n);
    return is_among(files, n, file);
}

// The definitions behind a declaration that a header shares: those that others may link to. Of
// types with one name in one namespace there is but one.
static const graph_value *linked(ken_graph *g, graph_unit *u, const graph_value *declared)
{
    graph_unit *du = ken_graph__unit_of(g, declared->defs[0].file);
    ken_str name = ken_graph_name(&du->text, declared->defs[0].def);
    uint64_t space = ken_graph__space_of(du, ken_graph_owner(&du->text, declared->defs[0].def));
    bool is_type = graph_is_type(ken_graph_kind(&du->text, declared->defs[0].def));
    ken_graph_def all[LOOKED_AT], found[KEN_TARGETS_MAX];
    size_t n_all = named(g, u, name, all);
    uint32_t n = 0, n_near = 0;
    for (size_t i = 0; i < n_all && n < KEN_TARGETS_MAX; i++) {
        graph_unit *c = ken_graph__unit_of(g, all[i].file);
        if (!c || !is_linkable(c, all[i].def, space, is_type))
            continue;
        found[n] = found[n_near];
        if (sees(g, c, du->file) || (is_type && sees(g, u, c->file)))
            found[n_near++] = all[i]; // they know of each other: it is the one meant
        else
            found[n] = all[i];
        n++;
    }
    if (n_near)
        n = n_near;
    if (!n)
        return declared;
    bool is_sure = n_near || (is_type && n == 1);
    graph_value *v = KEN_ARENA_NEW(&g->arena, graph_value);
    *v = *ken_graph__defs_value(g, found, n, is_sure ? KEN_EDGE_IMPORTED : KEN_EDGE_INFERRED);
    v->evidence = is_sure ? NULL
                          : "a declaration of that name, defined in a file that does not "
                            "include it";
    return v;
}

static const graph_value *linked_if_declared(ken_graph *g, graph_unit *u, const graph_value *v)
{
    if (v->kind != GRAPH_DEFS || !u->lang->includes)
        return v;
    for (uint32_t i = 0; i < v->n_defs; i++) {
        graph_unit *du = ken_graph__unit_of(g, v->defs[i].file);
        if (!du || !is_declaration(du, v->defs[i].def) ||
            ken_graph__is_space(ken_graph_kind(&du->text, v->defs[i].def)))
            return v;
    }
    return linked(g, u, v);
}

// Every definition of a type with several names for one thing: `typedef struct foo foo`, and the
// struct, which another header may hold.
static bool is_alias(const graph_unit *u, ken_def_id def)
{
    return ken_graph_kind(&u->text, def) == KEN_SYMBOL_TYPE;
}

static const graph_value *both(ken_graph *g, const graph_value *a, const graph_value *b)
{
    ken_graph_def defs[2] = { a->defs[0], b->defs[0] };
    return ken_graph__defs_value(g, defs, 2, KEN_EDGE_IMPORTED);
}

static const graph_value *in_includes(ken_graph *g, graph_unit *u, ken_str name)
{
    uint32_t n;
    const uint32_t *files = ken_graph__closure(g, u, &n);
    const graph_value *declared = &ken_graph__nothing, *alias = &ken_graph__nothing;
    for (uint32_t i = 1; i < n; i++) {
        graph_unit *f = ken_graph__unit_of(g, files[i]);
        const graph_value *v =
            f ? children_value(g, f, -1, name, KEN_EDGE_IMPORTED) : &ken_graph__nothing;
        if (!f || v->kind == GRAPH_NONE)
            continue;
        if (is_declaration(f, v->defs[0].def))
            declared = v;
        else if (v->n_defs == 1 && is_alias(f, v->defs[0].def))
            alias = v;
        else
            return alias->kind == GRAPH_NONE ? v : both(g, alias, v);
    }
    return alias->kind == GRAPH_NONE ? declared : alias;
}

// ---- namespaces and packages -------------------------------------------------------------------

bool ken_graph__names_type(ken_graph *g, const graph_value *v)
{
    for (uint32_t i = 0; i < v->n_defs; i++) {
        graph_unit *u = ken_graph__unit_of(g, v->defs[i].file);
        ken_symbol_kind kind = u ? ken_graph_kind(&u->text, v->defs[i].def) : KEN_SYMBOL_UNKNOWN;
        if (graph_is_type(kind) || ken_graph__is_space(kind))
            return true;
    }
    return v->kind != GRAPH_DEFS;
}

static bool is_visible(ken_graph *g, graph_unit *u, uint32_t file)
{
    return !u->lang->includes || file == u->file || sees(g, u, file);
}

const graph_value *ken_graph__in_space(ken_graph *g, graph_unit *u, uint64_t space, ken_str name)
{
    ken_graph_def all[LOOKED_AT], found[OVERLOADS_MAX];
    size_t n_all = named(g, u, name, all);
    uint32_t n = 0, max = u->lang->overloads ? OVERLOADS_MAX : KEN_TARGETS_MAX;
    for (size_t i = 0; i < n_all && n < max; i++) {
        graph_unit *c = ken_graph__unit_of(g, all[i].file);
        if (!c || all[i].def >= c->n_defs || is_test(c, all[i].def))
            continue;
        int32_t owner = ken_graph__scope_of(c, all[i].def);
        if (owner != GRAPH_ELSEWHERE && is_in_spaces(c, owner) &&
            ken_graph__space_of(c, owner) == space && is_visible(g, u, all[i].file))
            found[n++] = all[i];
    }
    ken_edge_class class = n && found[0].file == u->file ? KEN_EDGE_SCOPED : KEN_EDGE_IMPORTED;
    if (n)
        return ken_graph__defs_value(g, found, n, class);
    if (!u->lang->includes)
        return &ken_graph__nothing;
    // Declared in a header, defined where nothing is included.
    uint32_t n_files;
    const uint32_t *files = ken_graph__closure(g, u, &n_files);
    for (uint32_t i = 0; i < n_files; i++) {
        graph_unit *f = ken_graph__unit_of(g, files[i]);
        for (uint32_t d = f ? f->n_symbols : 0; f && d < f->n_defs; d++) {
            if (!ken_str_eq(ken_graph_name(&f->text, d), name) ||
                ken_graph__space_of(f, ken_graph_owner(&f->text, d)) != space)
                continue;
            ken_graph_def def = { f->file, d };
            return linked_if_declared(g, u, ken_graph__defs_value(g, &def, 1, KEN_EDGE_IMPORTED));
        }
    }
    return &ken_graph__nothing;
}

// `a.b.c`, then in languages that see the packages around theirs a.b and a; all in `outer`.
static uint32_t add_spaces(const graph_unit *u, uint64_t outer, ken_str name, uint64_t *out,
                           uint32_t n)
{
    while (name.len && n < GRAPH_SPACES_MAX) {
        out[n++] = ken_graph__space_add(outer, name);
        if (!u->lang->sees_outer_packages)
            break;
        size_t end = name.len;
        while (end && !memchr(".:\\/", name.ptr[end - 1], 4))
            end--;
        while (end && memchr(".:\\/", name.ptr[end - 1], 4))
            end--;
        name.len = end;
    }
    return n;
}

uint32_t ken_graph__spaces_around(const graph_unit *u, int32_t def, uint64_t *out)
{
    uint32_t n = 0;
    for (int32_t o = def; o >= 0 && n < GRAPH_SPACES_MAX / 2;
         o = ken_graph_owner(&u->text, (uint32_t)o))
        if (ken_graph__is_space(ken_graph_kind(&u->text, (ken_def_id)o)))
            n = add_spaces(u, ken_graph__space_of(u, ken_graph_owner(&u->text, (ken_def_id)o)),
                           ken_graph_name(&u->text, (ken_def_id)o), out, n);
    if (u->package)
        n = add_spaces(u, 0, u->text.refs->package, out, n);
    if (u->lang->sees_global && n < GRAPH_SPACES_MAX)
        out[n++] = 0;
    return n;
}

static const graph_value *in_spaces_around(ken_graph *g, graph_unit *u, ken_str name,
                                           int32_t around)
{
    uint64_t spaces[GRAPH_SPACES_MAX];
    uint32_t n = ken_graph__spaces_around(u, around, spaces);
    for (uint32_t i = 0; i < n; i++) {
        const graph_value *v = ken_graph__in_space(g, u, spaces[i], name);
        bool is_hidden =
            i && !spaces[i] && u->lang->hides_global_types && ken_graph__names_type(g, v);
        if (v->kind == GRAPH_NONE || is_hidden)
            continue;
        if (u->lang->includes || v->class != KEN_EDGE_IMPORTED)
            return ken_graph__with_class(g, v, KEN_EDGE_SCOPED);
        graph_value *own = KEN_ARENA_NEW(&g->arena, graph_value); // nothing was imported
        *own = *v;
        own->class = KEN_EDGE_SCOPED;
        return own;
    }
    return &ken_graph__nothing;
}

// Definitions of other files that are visible because the files belong together.
static bool is_together(ken_graph *g, graph_unit *u, const graph_unit *c)
{
    switch (u->lang->package) {
    case KEN_PACKAGE_FOLDER:
        return u->package == c->package &&
               ken_str_eq(ken_path_dir(u->text.path), ken_path_dir(c->text.path));
    case KEN_PACKAGE_TARGET: {
        ken_module m;
        ken_modules_around(g->modules, u->file, &m);
        return m.kind == KEN_MODULE_FILES && is_among(m.files, m.n_files, c->file);
    }
    case KEN_PACKAGE_GLOBAL:
        return true;
    case KEN_PACKAGE_DECLARED: // without any: those of the folder
        return !u->text.refs->package.len && !c->text.refs->package.len &&
               ken_str_eq(ken_path_dir(u->text.path), ken_path_dir(c->text.path));
    case KEN_PACKAGE_NONE:
        break;
    }
    return false;
}

// How many of the namespaces around the candidate are around the place as well; -1 when it stands
// in one that the place does not.
static int32_t nesting(const graph_unit *u, int32_t around, const graph_unit *c, ken_def_id def)
{
    int32_t n = 0;
    for (int32_t o = ken_graph_owner(&c->text, def); o >= 0;
         o = ken_graph_owner(&c->text, (ken_def_id)o), n++) {
        bool is_around = false;
        for (int32_t a = around; a >= 0 && !is_around; a = ken_graph_owner(&u->text, (ken_def_id)a))
            is_around = ken_str_eq(ken_graph_name(&u->text, (ken_def_id)a),
                                   ken_graph_name(&c->text, (ken_def_id)o));
        if (!is_around)
            return -1;
    }
    return n;
}

static const graph_value *in_package(ken_graph *g, graph_unit *u, ken_str name, int32_t around)
{
    if (u->lang->package == KEN_PACKAGE_NONE)
        return &ken_graph__nothing;
    const graph_value *v = in_spaces_around(g, u, name, around);
    if (v->kind != GRAPH_NONE)
        return v;
    ken_graph_def all[LOOKED_AT], found[KEN_TARGETS_MAX];
    size_t n_all = named(g, u, name, all);
    uint32_t n = 0;
    int32_t best = -1;
    for (size_t i = 0; i < n_all && n < KEN_TARGETS_MAX; i++) {
        graph_unit *c = ken_graph__unit_of(g, all[i].file);
        if (!c || all[i].def >= c->n_defs || !is_together(g, u, c))
            continue;
        ken_symbol_kind kind = ken_graph_kind(&c->text, all[i].def);
        bool is_local = kind == KEN_SYMBOL_VARIABLE && all[i].file != u->file;
        if (kind == KEN_SYMBOL_TEST || kind == KEN_SYMBOL_IMPL ||
            (is_local && u->lang->keeps_variables))
            continue;
        int32_t depth = nesting(u, around, c, all[i].def);
        if (depth < best || depth < 0)
            continue;
        n = depth > best ? 0 : n;
        best = depth;
        found[n++] = all[i];
    }
    return ken_graph__defs_value(g, found, n, KEN_EDGE_SCOPED);
}

// ---- modules inside files ----------------------------------------------------------------------
int32_t ken_graph__inner_module(const graph_unit *u, int32_t def)
{
    while (def >= 0 && ken_graph_kind(&u->text, (ken_def_id)def) != KEN_SYMBOL_MODULE)
        def = ken_graph_owner(&u->text, (ken_def_id)def);
    return def;
}

ken_str ken_graph__inner_path(ken_graph *g, const graph_unit *u, int32_t def)
{
    ken_str within = KEN_STR("");
    for (int i = 0; i < INNER_DEEP && (def = ken_graph__inner_module(u, def)) >= 0; i++) {
        ken_str name = ken_graph_name(&u->text, (ken_def_id)def);
        within = within.len
                     ? ken_arena_printf(&g->arena, KEN_STR_FMT "%s" KEN_STR_FMT, KEN_STR_ARG(name),
                                        u->lang->module_separator, KEN_STR_ARG(within))
                     : name;
        def = ken_graph_owner(&u->text, (ken_def_id)def);
    }
    return within;
}

// ---- imports -----------------------------------------------------------------------------------

// Definitions of a file that others see: not those that belong to an object in it.
static const graph_value *shown_children(ken_graph *g, const graph_unit *u, ken_str name)
{
    ken_def_id ids[KEN_TARGETS_MAX];
    uint32_t n = ken_graph__children(u, -1, name, ids, KEN_TARGETS_MAX), n_kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t flags = flags_of(u, ids[i]);
        bool is_hidden = (flags & KEN_DEF_PREFIXED) && !(flags & KEN_DEF_EXPORTED);
        if (!u->lang->makes_of_functions || (!is_hidden && !is_test(u, ids[i])))
            ids[n_kept++] = ids[i];
    }
    if (!u->lang->makes_of_functions || n_kept < 2)
        return defs_of_ids(g, u, ids, n_kept, KEN_EDGE_IMPORTED);
    uint32_t n_exported = 0; // `exports.x = x`, where x is seen by nobody else
    for (uint32_t i = 0; i < n_kept; i++)
        if (flags_of(u, ids[i]) & KEN_DEF_EXPORTED)
            ids[n_exported++] = ids[i];
    return defs_of_ids(g, u, ids, n_exported ? n_exported : n_kept, KEN_EDGE_IMPORTED);
}

// Whether the import is one of those that the module `around` shows.
static bool is_shown(ken_graph *g, const graph_unit *u, uint32_t i, int32_t around)
{
    const ken_bind *b = &u->text.refs->binds[i];
    if (!(b->flags & KEN_BIND_EXPORTED) && !u->lang->shows_imports)
        return false;
    return !u->lang->has_inner_modules ||
           ken_graph__inner_module(u, (int32_t)ken_graph_within(g, u->file, b->byte)) == around;
}

// Where modules and functions may have one name, and modules stand under conditions that exclude
// each other, what is no module is what is wanted, of modules any that has the next name.
static bool is_enough(ken_graph *g, const graph_unit *u, const graph_value *v)
{
    if (!u->lang->splits_modules)
        return true;
    graph_unit *d = v->kind == GRAPH_DEFS ? ken_graph__unit_of(g, v->defs[0].file) : NULL;
    return d && !ken_graph__is_space(ken_graph_kind(&d->text, v->defs[0].def));
}

static const graph_value *joined(ken_graph *g, const graph_value *a, const graph_value *b)
{
    if (b->kind == GRAPH_NONE || a->kind == GRAPH_NONE || a == b)
        return a->kind == GRAPH_NONE ? b : a;
    if (a->kind == GRAPH_EXTERNAL || b->kind == GRAPH_EXTERNAL)
        return a->kind == GRAPH_EXTERNAL ? b : a;
    bool is_b_first = a->kind == GRAPH_MODULE && b->kind == GRAPH_DEFS;
    graph_value *v = KEN_ARENA_NEW(&g->arena, graph_value);
    *v = is_b_first ? *b : *a;
    if (!v->other)
        v->other = is_b_first ? a : b;
    return v;
}

// `__all__ = ['name']`, which brings nothing.
static bool is_listed(const graph_unit *u, const ken_bind *b)
{
    return u->lang->lists_exports && !b->module.len;
}

// Whether `from m import *` brings a name: what `__all__` lists, else what has no underscore.
static bool is_starred(ken_graph *g, const graph_unit *u, const graph_value *module, ken_str name)
{
    if (!u->lang->lists_exports || module->kind != GRAPH_MODULE)
        return true;
    bool has_list = false;
    for (uint32_t f = 0; f < module->n_files; f++) {
        graph_unit *m = ken_graph__unit_of(g, module->files[f]);
        for (uint32_t i = 0; m && i < m->text.refs->n_binds; i++) {
            const ken_bind *b = &m->text.refs->binds[i];
            if (!is_listed(m, b))
                continue;
            has_list = true;
            if (ken_str_eq(b->name, name))
                return true;
        }
    }
    return !has_list && name.len && name.ptr[0] != '_';
}

// The definition around an import; -1 = the file.
static int32_t place_of(ken_graph *g, const graph_unit *u, uint32_t bind)
{
    return (int32_t)ken_graph_within(g, u->file, u->text.refs->binds[bind].byte);
}

// Of two imports of one name in one scope, and of an import and a definition, one is there: `except
// ImportError`, the sides of a condition, what was bound again. Either may be meant.
static const graph_value *one_of(ken_graph *g, const graph_value *a, const graph_value *b)
{
    const graph_value *any = ken_graph__any_of(g, a, b);
    if (any == a || any == b)
        return any;
    graph_value *v = KEN_ARENA_NEW(&g->arena, graph_value);
    *v = *any;
    v->class = v->class > KEN_EDGE_INFERRED ? v->class : KEN_EDGE_INFERRED;
    v->evidence = "one of several of this name in its scope; which one is there was not worked out";
    return v;
}

static const graph_value *with_import(ken_graph *g, const graph_unit *u, const graph_value *v,
                                      const graph_value *imported)
{
    return v->kind == GRAPH_NONE || !is_enough(g, u, v) ? joined(g, v, imported)
                                                        : one_of(g, v, imported);
}

// What is defined, and what is imported under the same name beside it, where `scope` is: -1 = the file.
static const graph_value *or_imported(ken_graph *g, graph_unit *u, int32_t scope, ken_str name,
                                      const graph_value *v)
{
    const ken_refs *r = u->text.refs;
    if (u->lang->makes_of_functions) // a name is bound once, and exports may be called like imports
        return v;
    for (uint32_t i = 0; v->kind == GRAPH_DEFS && i < r->n_binds; i++) {
        const ken_bind *b = &r->binds[i];
        if (b->kind != KEN_BIND_ALL && b->module.len && ken_str_eq(b->local, name) &&
            !is_listed(u, b) && place_of(g, u, i) == scope)
            v = one_of(g, v, ken_graph__bound(g, u, i));
    }
    return v;
}

static const graph_value *shown_by(ken_graph *g, graph_unit *u, int32_t around, ken_str name,
                                   uint32_t depth)
{
    const graph_value *v = around < 0 ? shown_children(g, u, name)
                                      : children_value(g, u, around, name, KEN_EDGE_IMPORTED);
    if (v->kind != GRAPH_NONE)
        return or_imported(g, u, around, name, v);
    const ken_refs *r = u->text.refs;
    for (uint32_t i = 0; i < r->n_binds; i++)
        if (r->binds[i].kind != KEN_BIND_ALL && ken_str_eq(r->binds[i].local, name) &&
            !is_listed(u, &r->binds[i]) && is_shown(g, u, i, around))
            v = with_import(g, u, v, ken_graph__bound(g, u, i));
    if (v->kind != GRAPH_NONE && is_enough(g, u, v))
        return v;
    for (uint32_t i = 0; i < r->n_binds; i++) {
        bool is_private = depth && !(r->binds[i].flags & KEN_BIND_EXPORTED);
        if (r->binds[i].kind != KEN_BIND_ALL || !is_shown(g, u, i, around) ||
            (is_private && u->lang->has_inner_modules)) // seen by modules right inside only
            continue;
        const graph_value *module = ken_graph__bound(g, u, i);
        if (!is_starred(g, u, module, name))
            continue;
        for (uint32_t f = 0; module->kind == GRAPH_MODULE && f < module->n_files; f++)
            v = joined(g, v, ken_graph__shown(g, module->files[f], name, depth + 1));
        if (module->kind == GRAPH_DEFS || module->kind == GRAPH_SPACE) // pub use Enum::*
            v = joined(g, v, ken_graph__member_of(g, u, module, name));
        if (v->kind != GRAPH_NONE && is_enough(g, u, v))
            return v;
    }
    return v;
}

const graph_value *ken_graph__shown(ken_graph *g, uint32_t file, ken_str name, uint32_t depth)
{
    graph_unit *u = ken_graph__unit_of(g, file);
    if (!u || depth > SHOWN_DEEP)
        return &ken_graph__nothing;
    return u->driver->shown ? u->driver->shown(g, u, name) : shown_by(g, u, -1, name, depth);
}

const graph_value *ken_graph__shown_inside(ken_graph *g, ken_graph_def module, ken_str name)
{
    graph_unit *u = ken_graph__unit_of(g, module.file);
    return u ? shown_by(g, u, (int32_t)module.def, name, 1) : &ken_graph__nothing;
}

const graph_value *ken_graph__whole_of(ken_graph *g, const graph_value *module)
{
    const graph_value *v = &ken_graph__nothing;
    for (uint32_t i = 0; i < module->n_files && v->kind == GRAPH_NONE; i++) {
        graph_unit *u = ken_graph__unit_of(g, module->files[i]);
        if (u && u->lang->makes_of_functions)
            v = ken_graph__shown(g, u->file, KEN_STR("export="), 0);
    }
    const graph_value *held = v->kind == GRAPH_DEFS ? ken_graph__held(g, v->defs[0]) : v;
    bool leads_on = held->kind == GRAPH_DEFS || held->kind == GRAPH_MODULE;
    return leads_on ? ken_graph__with_class(g, held, KEN_EDGE_IMPORTED) : v;
}

const graph_value *ken_graph__whole(ken_graph *g, const graph_value *v)
{
    for (int i = 0; i < SHOWN_DEEP && v->kind == GRAPH_MODULE; i++) {
        const graph_value *whole = ken_graph__whole_of(g, v);
        if (whole->kind == GRAPH_NONE)
            break;
        v = whole;
    }
    return v;
}

ken_str ken_graph__last_part(ken_str text, ken_str *out_rest)
{
    size_t at = text.len;
    while (at && !memchr(".:\\/", text.ptr[at - 1], 4))
        at--;
    size_t end = at;
    while (end && memchr(".:\\/", text.ptr[end - 1], 4))
        end--;
    *out_rest = ken_str_sub(text, 0, end);
    return ken_str_sub(text, at, text.len);
}

// `a.b.C` in a package, as a type of its package a.b, or one inside a type of that.
static const graph_value *declared_in(ken_graph *g, graph_unit *u, uint64_t package, ken_str module,
                                      ken_str name, uint32_t depth)
{
    const graph_value *v = ken_graph__in_space(g, u, ken_graph__space_add(package, module), name);
    if (v->kind != GRAPH_NONE || depth > 3 || !module.len)
        return v;
    ken_str outer, last = ken_graph__last_part(module, &outer);
    const graph_value *type = declared_in(g, u, package, outer, last, depth + 1);
    return type->kind == GRAPH_DEFS ? ken_graph__member_of(g, u, type, name) : &ken_graph__nothing;
}

// The same of a whole path, which may begin in any of the packages around.
static const graph_value *declared_type(ken_graph *g, graph_unit *u, ken_str module, ken_str name)
{
    const graph_value *v = declared_in(g, u, 0, module, name, 0);
    uint64_t spaces[GRAPH_SPACES_MAX];
    uint32_t n = u->lang->imports_from_scope ? ken_graph__spaces_around(u, -1, spaces) : 0;
    for (uint32_t i = 0; i < n && v->kind == GRAPH_NONE; i++)
        v = declared_in(g, u, spaces[i], module, name, 0);
    return v;
}

const graph_value *ken_graph__walk_path(ken_graph *g, graph_unit *u, const graph_value *v,
                                        ken_str rest)
{
    for (size_t i = 0; i < rest.len && v->kind != GRAPH_NONE;) {
        size_t from = i;
        while (i < rest.len && !memchr(".:\\/", rest.ptr[i], 4))
            i++;
        if (i > from)
            v = ken_graph__member_of(g, u, ken_graph__object(g, v), ken_str_sub(rest, from, i));
        i++;
    }
    return v;
}

// What an import names that begins with a name that is seen where it stands.
static const graph_value *imported_from_here(ken_graph *g, graph_unit *u, const ken_bind *b)
{
    ken_str rest = b->module, first;
    if (!u->lang->imports_from_scope || !ken_str_split_next(&rest, '.', &first))
        return &ken_graph__nothing;
    int32_t around = (int32_t)ken_graph_within(g, u->file, b->byte);
    const graph_value *v = ken_graph__walk_path(g, u, ken_graph__lookup(g, u, first, around), rest);
    return v->kind == GRAPH_NONE || b->kind == KEN_BIND_ALL
               ? v
               : ken_graph__member_of(g, u, ken_graph__object(g, v), b->name);
}

// What a package's name may mean: that package, or one in a package around.
static const graph_value *spaces_of(ken_graph *g, graph_unit *u, ken_str name)
{
    uint64_t spaces[GRAPH_SPACES_MAX];
    uint32_t n = u->lang->imports_from_scope ? ken_graph__spaces_around(u, -1, spaces) : 0;
    graph_value *all = NULL;
    for (uint32_t i = 0; i <= n; i++) {
        graph_value *space = ken_graph__new_value(g, GRAPH_SPACE, KEN_EDGE_IMPORTED);
        space->space = ken_graph__space_add(i ? spaces[i - 1] : 0, name);
        space->other = all;
        all = space;
    }
    return all;
}

static const graph_value *bound_by_package(ken_graph *g, graph_unit *u, const ken_bind *b)
{
    const graph_value *v = &ken_graph__nothing;
    if (b->kind == KEN_BIND_NAME) {
        v = declared_type(g, u, b->module, b->name);
        if (v->kind == GRAPH_NONE)
            v = imported_from_here(g, u, b);
        if (v->kind == GRAPH_NONE && u->lang->imports_namespaces) { // a namespace, or outside
            graph_value *space = ken_graph__new_value(g, GRAPH_SPACE, KEN_EDGE_IMPORTED);
            space->space = ken_graph__space_add(ken_graph__space_add(0, b->module), b->name);
            space->other = &ken_graph__outside;
            return space;
        }
    } else {
        ken_str outer, last = ken_graph__last_part(b->module, &outer);
        bool is_space =
            u->lang->opens_namespaces && b->kind == KEN_BIND_ALL && !(b->flags & KEN_BIND_STATIC);
        if (!is_space) // a type whose members, or which, is imported
            v = declared_type(g, u, outer, last);
        if (v->kind == GRAPH_NONE)
            v = imported_from_here(g, u, b);
        if (v->kind == GRAPH_NONE)
            return spaces_of(g, u, b->module);
    }
    return v->kind == GRAPH_NONE ? &ken_graph__outside
                                 : ken_graph__with_class(g, v, KEN_EDGE_IMPORTED);
}

const graph_value *ken_graph__module_value(ken_graph *g, graph_unit *u, const ken_module *m,
                                           ken_str text)
{
    graph_value *v = ken_graph__new_value(g, GRAPH_MODULE, KEN_EDGE_IMPORTED);
    v->files = m->files;
    v->n_files = m->n_files;
    v->name = m->rest.len ? KEN_STR("") : text;
    return m->rest.len ? ken_graph__walk_path(g, u, v, m->rest) : v;
}

static const graph_value *guessed(ken_graph *g, const graph_value *v)
{
    if (v->kind == GRAPH_NONE || v->kind == GRAPH_EXTERNAL)
        return v;
    graph_value *copy = KEN_ARENA_NEW(&g->arena, graph_value);
    *copy = *v;
    copy->class = v->class > KEN_EDGE_INFERRED ? v->class : KEN_EDGE_INFERRED;
    copy->evidence = "a module found by the end of its path, or by a convention";
    return copy;
}

static const graph_value *bound_by_module(ken_graph *g, graph_unit *u, const ken_bind *b)
{
    ken_module_ask ask = { .file = u->file, .module = b->module, .flags = b->flags };
    if (u->lang->has_inner_modules)
        ask.within = ken_graph__inner_path(g, u, (int32_t)ken_graph_within(g, u->file, b->byte));
    ken_module m;
    ken_modules_resolve(g->modules, &ask, &m);
    const graph_value *v = &ken_graph__nothing;
    if (m.kind == KEN_MODULE_FILES)
        v = ken_graph__module_value(g, u, &m, b->module);
    bool is_guess = m.is_guess;
    if (v->kind != GRAPH_NONE && b->kind == KEN_BIND_NAME)
        v = ken_graph__member_of(g, u, ken_graph__object(g, v), b->name);
    if (v->kind == GRAPH_NONE && b->kind == KEN_BIND_NAME) {
        ask.name = b->name;
        ken_module inner;
        ken_modules_resolve(g->modules, &ask, &inner);
        if (inner.kind == KEN_MODULE_FILES)
            v = ken_graph__module_value(g, u, &inner, KEN_STR(""));
        is_guess = v->kind == GRAPH_NONE ? is_guess : inner.is_guess;
        if (m.kind == KEN_MODULE_UNKNOWN)
            m.kind = inner.kind;
    }
    if (v->kind == GRAPH_NONE && m.kind == KEN_MODULE_EXTERNAL)
        return &ken_graph__outside;
    return is_guess ? guessed(g, v) : v;
}

const graph_value *ken_graph__bound(ken_graph *g, graph_unit *u, uint32_t i)
{
    const ken_bind *b = &u->text.refs->binds[i];
    const graph_value *v;
    if (!ken_graph__begin(g, &u->binds[i], &v))
        return v;
    if (!b->module.len && u->lang->imports_namespaces)
        v = bound_by_package(g, u, b);
    else if (!b->module.len) // `export { a as b }`
        v = u->lang->makes_of_functions || !ken_str_eq(b->name, b->local)
                ? ken_graph__lookup(g, u, b->name, -1)
                : children_value(g, u, -1, b->name, KEN_EDGE_SCOPED);
    else if (u->lang->package == KEN_PACKAGE_DECLARED)
        v = bound_by_package(g, u, b);
    else if (u->driver->bound)
        v = u->driver->bound(g, u, b);
    else
        v = bound_by_module(g, u, b);
    return ken_graph__end(g, &u->binds[i], ken_graph__with_class(g, v, KEN_EDGE_IMPORTED));
}

static bool is_called(ken_graph *g, graph_unit *u, uint32_t i, ken_str name)
{
    const ken_bind *b = &u->text.refs->binds[i];
    if (b->local.len)
        return ken_str_eq(b->local, name);
    return b->kind == KEN_BIND_MODULE && u->driver->is_called &&
           u->driver->is_called(g, u, i, name);
}

// `import a.b.c` makes `a` known; its members lead on.
static const graph_value *first_of_dotted(ken_graph *g, graph_unit *u, uint32_t i, ken_str name)
{
    const ken_bind *b = &u->text.refs->binds[i];
    if (b->kind != KEN_BIND_MODULE || b->local.len || !u->lang->binds_first_part ||
        b->module.len <= name.len || b->module.ptr[name.len] != '.' ||
        !ken_str_starts(b->module, name))
        return &ken_graph__nothing;
    ken_module_ask ask = { .file = u->file, .module = name };
    ken_module m;
    ken_modules_resolve(g->modules, &ask, &m);
    return m.kind == KEN_MODULE_FILES      ? ken_graph__module_value(g, u, &m, name)
           : m.kind == KEN_MODULE_EXTERNAL ? &ken_graph__outside
                                           : &ken_graph__nothing;
}

// Imports hold for the module that they stand in.
static bool is_bound_at(ken_graph *g, const graph_unit *u, uint32_t i, int32_t around)
{
    if (!u->lang->has_inner_modules)
        return true;
    return ken_graph__is_around(u, ken_graph__inner_module(u, place_of(g, u, i)), around);
}

const graph_value *ken_graph__in_binds(ken_graph *g, graph_unit *u, ken_str name, int32_t around)
{
    const ken_refs *r = u->text.refs;
    const graph_value *all = &ken_graph__nothing;
    int32_t place = -1; // of the first
    bool is_any = false;
    for (uint32_t i = 0; i < r->n_binds; i++) {
        bool is_passed_on = u->lang->makes_of_functions && (r->binds[i].flags & KEN_BIND_EXPORTED);
        if (r->binds[i].kind == KEN_BIND_ALL || is_passed_on || is_listed(u, &r->binds[i]))
            continue;
        if (is_any ? ken_str_eq(r->binds[i].local, name) && place_of(g, u, i) == place
                   : is_called(g, u, i, name) && is_bound_at(g, u, i, around)) {
            const graph_value *v = ken_graph__bound(g, u, i);
            if (v->kind == GRAPH_NONE && u->lang->imports_lead_outside)
                v = &ken_graph__outside;
            all = with_import(g, u, all, v);
            place = place_of(g, u, i);
            is_any = is_enough(g, u, all);
        }
        const graph_value *v = is_any ? &ken_graph__nothing : first_of_dotted(g, u, i, name);
        if (v->kind != GRAPH_NONE)
            return v;
    }
    return all;
}

static const graph_value *in_wildcards(ken_graph *g, graph_unit *u, ken_str name, int32_t around)
{
    if (u->lang->includes)
        return linked_if_declared(g, u, in_includes(g, u, name));
    const ken_refs *r = u->text.refs;
    for (uint32_t i = 0; i < r->n_binds; i++) {
        if (r->binds[i].kind != KEN_BIND_ALL || !is_bound_at(g, u, i, around))
            continue;
        const graph_value *all = ken_graph__bound(g, u, i);
        if (!is_starred(g, u, all, name))
            continue;
        const graph_value *v = ken_graph__member_of(g, u, ken_graph__object(g, all), name);
        if (v->kind != GRAPH_NONE && v->kind != GRAPH_EXTERNAL)
            return ken_graph__with_class(g, v, KEN_EDGE_IMPORTED);
    }
    return &ken_graph__nothing;
}

// ---- the definitions around --------------------------------------------------------------------

// `require('./x').name`
static bool is_member_of_module(const graph_unit *u, ken_def_id def)
{
    const ken_refs *r = u->text.refs;
    const ken_expr *e = def < r->n_defs ? &r->exprs[r->defs[def].value] : NULL;
    const ken_expr *base = e && e->op == KEN_EXPR_MEMBER ? &r->exprs[e->a] : NULL;
    return base && base->op == KEN_EXPR_NAME && base->name.len &&
           base->name.ptr[base->name.len - 1] == ')';
}

// `const x = require('./x')`: a variable that is what was imported.
static const graph_value *or_bound(ken_graph *g, graph_unit *u, ken_str name, const graph_value *v)
{
    if (v->n_defs != 1 || !ken_symbol_is_variable(ken_graph_kind(&u->text, v->defs[0].def)))
        return v;
    const graph_value *bound = is_member_of_module(u, v->defs[0].def)
                                   ? ken_graph__held(g, v->defs[0])
                                   : ken_graph__in_binds(g, u, name, -1);
    return bound->kind == GRAPH_NONE ? v : bound;
}

static bool is_called_so(ken_graph *g, ken_graph_def type, ken_str name)
{
    graph_unit *u = ken_graph__unit_of(g, type.file);
    return u && ken_str_eq(ken_graph_name(&u->text, type.def), name);
}

static const graph_value *in_definition(ken_graph *g, graph_unit *u, int32_t o, bool is_innermost,
                                        ken_str name)
{
    ken_symbol_kind kind = ken_graph_kind(&u->text, (ken_def_id)o);
    const graph_value *v = &ken_graph__nothing;
    ken_graph_def self = { u->file, (ken_def_id)o };
    // A type is known inside itself, whatever its constructors are called.
    if (kind != KEN_SYMBOL_IMPL && kind != KEN_SYMBOL_TYPE && !u->lang->has_companions &&
        graph_is_type(kind) && ken_str_eq(ken_graph_name(&u->text, self.def), name))
        return ken_graph__defs_value(g, &self, 1, KEN_EDGE_SCOPED);
    bool hides = u->lang->hides_class && !is_innermost;
    if (!graph_is_type(kind) || !hides)
        v = bare_children(g, u, o, name);
    if (v->kind != GRAPH_NONE || !u->lang->sees_members)
        return v;
    if (!graph_is_type(kind) && u->lang->hides_extended)
        return v;
    ken_graph_def type = ken_graph__owner_type(g, self);
    bool is_elsewhere = type.file != self.file || type.def != self.def;
    if (!graph_is_type(kind) && !is_elsewhere)
        return v;
    if (u->lang->includes && is_called_so(g, type, name))
        return ken_graph__defs_value(g, &type, 1, KEN_EDGE_SCOPED);
    v = ken_graph__type_member(g, type, name);
    return v->kind == GRAPH_EXTERNAL ? &ken_graph__nothing
                                     : ken_graph__with_class(g, v, KEN_EDGE_SCOPED);
}

static const graph_value *in_scopes(ken_graph *g, graph_unit *u, ken_str name, int32_t around,
                                    bool wants_type)
{
    for (int32_t o = around; o >= 0; o = ken_graph_owner(&u->text, (ken_def_id)o)) {
        const graph_value *v = in_definition(g, u, o, o == around, name);
        if (v->kind != GRAPH_NONE && (!wants_type || ken_graph__names_type(g, v)))
            return v;
    }
    const graph_value *v = bare_children(g, u, -1, name);
    if (wants_type && !u->lang->includes && !ken_graph__names_type(g, v)) // a function of that name
        return &ken_graph__nothing;
    v = or_imported(g, u, -1, name, v);
    return v->kind != GRAPH_NONE && u->lang->makes_of_functions ? or_bound(g, u, name, v) : v;
}

// This module, whose members are what it exports.
static const graph_value *own_module(ken_graph *g, graph_unit *u, ken_str name)
{
    if (!u->lang->makes_of_functions || !ken_str_eq(name, KEN_STR("exports")))
        return &ken_graph__nothing;
    graph_value *v = ken_graph__new_value(g, GRAPH_MODULE, KEN_EDGE_SCOPED);
    v->files = &u->file;
    v->n_files = 1;
    return v;
}

static const graph_value *look_up(ken_graph *g, graph_unit *u, ken_str name, int32_t around,
                                  bool wants_type)
{
    if (around >= (int32_t)u->n_defs)
        around = -1;
    if (u->driver->look_up)
        return u->driver->look_up(g, u, name, around);
    const graph_value *v =
        u->driver->look_up_word ? u->driver->look_up_word(g, u, name, around) : &ken_graph__nothing;
    if (v->kind == GRAPH_NONE)
        v = linked_if_declared(g, u, in_scopes(g, u, name, around, wants_type));
    const graph_value *bound = v->kind == GRAPH_NONE ? ken_graph__in_binds(g, u, name, around) : v;
    bool is_bound = bound != v;
    v = bound;
    if (v->kind == GRAPH_NONE)
        v = u->lang->includes ? in_spaces_around(g, u, name, around)
                              : in_package(g, u, name, around);
    if (v->kind == GRAPH_NONE)
        v = in_wildcards(g, u, name, around);
    if (u->driver->choose_bare && !is_bound)
        v = u->driver->choose_bare(g, v);
    if (v->kind == GRAPH_NONE)
        v = u->driver->look_up_last ? u->driver->look_up_last(g, u, name) : own_module(g, u, name);
    return v;
}

const graph_value *ken_graph__lookup(ken_graph *g, graph_unit *u, ken_str name, int32_t around)
{
    const graph_value *v =
        u->driver->look_up_path ? u->driver->look_up_path(g, u, name, around) : NULL;
    return v ? v : look_up(g, u, name, around, false);
}

const graph_value *ken_graph__lookup_type(ken_graph *g, graph_unit *u, ken_str name, int32_t around)
{
    return look_up(g, u, name, around, true);
}
