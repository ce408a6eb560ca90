// SPDX-License-Identifier: MIT
// What Rust has of its own: modules inside files, the words that lead through them, and the few
// methods of the standard library behind which the type of a value is still known.
#include "graph/graph_driver_priv.h"
#include "graph/languages/rust_priv.h"

enum {
    MACROS_MAX = 100,
    METHODS_MAX = 200,
    NESTING_MAX = 32 // modules in modules
};

// std::prelude::rust_2021, primitive types and the macros that need no import
static const char builtins[] =
    "AsMut AsRef Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err "
    "ExactSizeIterator Extend Fn FnMut FnOnce From FromIterator Hash Into IntoIterator "
    "Iterator None Ok Option Ord PartialEq PartialOrd Result Send Sized Some String Sync "
    "ToOwned ToString TryFrom TryInto Unpin Vec assert assert_eq assert_ne bool cfg char "
    "column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne drop env "
    "eprint eprintln f32 f64 file format format_args i128 i16 i32 i64 i8 include "
    "include_bytes include_str isize line matches module_path option_env panic print println "
    "str stringify thread_local todo u128 u16 u32 u64 u8 unimplemented unreachable usize vec "
    "write writeln ";

static const graph_value *look_up_word(ken_graph *g, graph_unit *u, ken_str name, int32_t around)
{
    if (ken_str_eq(name, KEN_STR("$crate"))) // of the crate that defines the macro, whoever runs it
        name = KEN_STR("crate");
    if (!ken_str_eq(name, KEN_STR("crate")) && !ken_str_eq(name, KEN_STR("super")) &&
        !ken_str_eq(name, KEN_STR("self")))
        return &ken_graph__nothing;
    ken_module_ask ask = { .file = u->file,
                           .module = name,
                           .within = ken_graph__inner_path(g, u, around) };
    ken_module m;
    ken_modules_resolve(g->modules, &ask, &m);
    return m.kind == KEN_MODULE_FILES ? ken_graph__module_value(g, u, &m, name)
                                      : &ken_graph__nothing;
}

// ---- crates ------------------------------------------------------------------------------------

static uint32_t root_of(ken_graph *g, uint32_t file)
{
    ken_module_ask ask = { .file = file, .module = KEN_STR("crate") };
    ken_module m;
    ken_modules_resolve(g->modules, &ask, &m);
    return m.kind == KEN_MODULE_FILES && m.n_files ? m.files[0] : UINT32_MAX;
}

static const graph_value *macro_in(ken_graph *g, uint32_t root, ken_str name)
{
    const ken_graph_def *all;
    size_t n_all = g->source->named(g->source->ctx, name, &all);
    ken_graph_def found[KEN_TARGETS_MAX];
    uint32_t n = 0;
    for (size_t i = 0; i < n_all && i < MACROS_MAX && n < KEN_TARGETS_MAX; i++) {
        ken_graph_def d = all[i];
        if (g->source->langs[d.file] != KEN_LANG_RUST)
            continue;
        graph_unit *u = ken_graph__unit_of(g, d.file);
        if (u && d.def < u->n_defs && ken_graph_kind(&u->text, d.def) == KEN_SYMBOL_MACRO &&
            root_of(g, d.file) == root)
            found[n++] = d;
    }
    return ken_graph__defs_value(g, found, n, KEN_EDGE_SCOPED);
}

// ---- macros by their name alone ----------------------------------------------------------------
// They are in sight behind their definition, and in the modules that follow in its file; `#[macro_use] mod m;`
// shows those of m to the file that says it.

static uint32_t parent_of(ken_graph *g, uint32_t file)
{
    ken_module_ask ask = { .file = file, .module = KEN_STR("super") };
    ken_module m;
    ken_modules_resolve(g->modules, &ask, &m);
    bool is_file = m.kind == KEN_MODULE_FILES && m.n_files == 1 && !m.rest.len;
    return is_file && m.files[0] != file ? m.files[0] : UINT32_MAX;
}

static bool is_within(ken_graph *g, uint32_t file, uint32_t outer)
{
    for (int i = 0; file != UINT32_MAX && i < NESTING_MAX; file = parent_of(g, file), i++)
        if (file == outer)
            return true;
    return false;
}

// Whether the attribute stands before that import, and before none between them.
static bool is_attribute_of(const ken_refs *refs, uint32_t attribute, uint32_t bind)
{
    if (attribute > refs->binds[bind].byte)
        return false;
    for (uint32_t i = 0; i < refs->n_binds; i++)
        if (refs->binds[i].byte > attribute && refs->binds[i].byte < refs->binds[bind].byte)
            return false;
    return true;
}

static bool shows_macros(ken_graph *g, uint32_t parent, uint32_t child)
{
    graph_unit *u = ken_graph__unit_of(g, parent);
    const ken_refs *refs = u ? u->text.refs : NULL;
    for (uint32_t i = 0; refs && i < refs->n_refs; i++) {
        if (refs->refs[i].role != KEN_REF_DECORATE ||
            !ken_str_eq(refs->exprs[refs->refs[i].expr].name, KEN_STR("macro_use")))
            continue;
        for (uint32_t b = 0; b < refs->n_binds; b++) {
            if (!is_attribute_of(refs, refs->refs[i].byte, b))
                continue;
            const graph_value *m = ken_graph__bound(g, u, b);
            for (uint32_t k = 0; m->kind == GRAPH_MODULE && k < m->n_files; k++)
                if (m->files[k] == child)
                    return true;
        }
    }
    return false;
}

static bool is_in_sight(ken_graph *g, uint32_t file, uint32_t of)
{
    for (int i = 0; of != UINT32_MAX && i < NESTING_MAX; i++) {
        if (is_within(g, file, of))
            return true;
        uint32_t parent = parent_of(g, of);
        of = parent != UINT32_MAX && shows_macros(g, parent, of) ? parent : UINT32_MAX;
    }
    return false;
}

// Those of the file itself hide others, those in sight hide the rest of the crate. What is in sight of none may
// have come through a macro that declares modules, but not under a name that needs no import.
static const graph_value *bare_macro(ken_graph *g, graph_unit *u, ken_str name)
{
    const graph_value *all = macro_in(g, root_of(g, u->file), name);
    ken_graph_def own[KEN_TARGETS_MAX], near[KEN_TARGETS_MAX];
    uint32_t n_own = 0, n_near = 0;
    if (all->kind != GRAPH_DEFS)
        return all;
    for (uint32_t i = 0; i < all->n_defs && i < KEN_TARGETS_MAX; i++) {
        if (all->defs[i].file == u->file)
            own[n_own++] = all->defs[i];
        else if (is_in_sight(g, u->file, all->defs[i].file))
            near[n_near++] = all->defs[i];
    }
    if (n_own)
        return ken_graph__defs_value(g, own, n_own, KEN_EDGE_SCOPED);
    if (n_near)
        return ken_graph__defs_value(g, near, n_near, KEN_EDGE_SCOPED);
    return ken_str_fits(builtins, name) ? &ken_graph__nothing : all;
}

static const graph_value *look_up_last(ken_graph *g, graph_unit *u, ken_str name)
{
    ken_module_ask ask = { .file = u->file, .module = name };
    ken_module m;
    ken_modules_resolve(g->modules, &ask, &m);
    if (m.kind == KEN_MODULE_EXTERNAL)
        return &ken_graph__outside;
    return m.kind == KEN_MODULE_FILES && !m.rest.len ? ken_graph__module_value(g, u, &m, name)
                                                     : &ken_graph__nothing;
}

// Macros have names of their own: of `format!` and `format()` each means what the other does not.
static const graph_value *choose_macro(ken_graph *g, graph_unit *u, const ken_expr *e,
                                       const graph_value *v)
{
    if (v->kind == GRAPH_EXTERNAL)
        return v;
    const graph_value *macro = ken_graph__of_macros(g, v, true);
    if (macro->kind == GRAPH_NONE && e->op == KEN_EXPR_NAME)
        macro = bare_macro(g, u, e->name);
    return macro;
}

// ---- traits ------------------------------------------------------------------------------------

static bool is_in_scope(ken_graph *g, graph_unit *u, ken_graph_def trait, ken_str name)
{
    const graph_value *v = ken_graph__lookup(g, u, name, -1);
    bool is_trait = false;
    for (uint32_t i = 0; v->kind == GRAPH_DEFS && i < v->n_defs; i++)
        is_trait = is_trait || (v->defs[i].file == trait.file && v->defs[i].def == trait.def);
    for (uint32_t i = 0; !is_trait && i < u->text.refs->n_binds; i++) { // `use a::Trait as _`
        const ken_bind *b = &u->text.refs->binds[i];
        if (!ken_str_eq(b->name, name) || ken_str_eq(b->local, name))
            continue;
        v = ken_graph__bound(g, u, i);
        is_trait = v->kind == GRAPH_DEFS && v->n_defs && v->defs[0].file == trait.file &&
                   v->defs[0].def == trait.def;
    }
    return is_trait;
}

static const graph_value *trait_method(ken_graph *g, graph_unit *u, ken_str name)
{
    const ken_graph_def *all;
    ken_graph_def named[METHODS_MAX], found[KEN_TARGETS_MAX];
    size_t n_all = g->source->named(g->source->ctx, name, &all);
    uint32_t n_named = 0, n = 0;
    for (size_t i = 0; i < n_all && n_named < METHODS_MAX; i++)
        if (g->source->langs[all[i].file] == KEN_LANG_RUST)
            named[n_named++] = all[i];
    for (uint32_t i = 0; i < n_named && n < KEN_TARGETS_MAX; i++) {
        graph_unit *du = ken_graph__unit_of(g, named[i].file);
        int32_t owner =
            du && named[i].def < du->n_defs ? ken_graph_owner(&du->text, named[i].def) : -1;
        if (owner < 0 || ken_graph_kind(&du->text, (ken_def_id)owner) != KEN_SYMBOL_TRAIT)
            continue;
        ken_graph_def trait = { named[i].file, (ken_def_id)owner };
        if (is_in_scope(g, u, trait, ken_graph_name(&du->text, trait.def)))
            found[n++] = named[i];
    }
    return ken_graph__defs_value(g, found, n, KEN_EDGE_IMPORTED);
}

// ---- the standard library ----------------------------------------------------------------------

enum {
    STD_KEEPS = 1, // what it is called on, or a view of it
    STD_HOLDS,     // what an Option, a Result or a lock holds
    STD_ELEMENT,   // an Option of what a collection holds
};

static const struct {
    const char *name;
    int gives;
} methods[] = {
    { "clone", STD_KEEPS },
    { "to_owned", STD_KEEPS },
    { "borrow", STD_KEEPS },
    { "borrow_mut", STD_KEEPS },
    { "as_ref", STD_KEEPS },
    { "as_mut", STD_KEEPS },
    { "by_ref", STD_KEEPS },
    { "as_deref", STD_KEEPS },
    { "as_deref_mut", STD_KEEPS },
    { "cloned", STD_KEEPS },
    { "copied", STD_KEEPS },
    { "iter", STD_KEEPS },
    { "iter_mut", STD_KEEPS },
    { "into_iter", STD_KEEPS },
    { "drain", STD_KEEPS },
    { "values", STD_KEEPS },
    { "values_mut", STD_KEEPS },
    { "into_values", STD_KEEPS },
    { "as_slice", STD_KEEPS },
    { "to_vec", STD_KEEPS },
    { "lock", STD_KEEPS },
    { "rev", STD_KEEPS },
    { "skip", STD_KEEPS },
    { "filter", STD_KEEPS },
    { "peekable", STD_KEEPS },
    { "chain", STD_KEEPS },
    { "take", STD_KEEPS },
    { "ok", STD_KEEPS },
    { "map_err", STD_KEEPS },
    { "ok_or", STD_KEEPS },
    { "ok_or_else", STD_KEEPS },
    { "or_else", STD_KEEPS },
    { "context", STD_KEEPS },
    { "with_context", STD_KEEPS },
    { "unwrap", STD_HOLDS },
    { "expect", STD_HOLDS },
    { "unwrap_or", STD_HOLDS },
    { "unwrap_or_else", STD_HOLDS },
    { "into_inner", STD_HOLDS },
    { "unwrap_or_default", STD_HOLDS },
    { "get_or_insert_with", STD_HOLDS },
    { "get", STD_ELEMENT },
    { "get_mut", STD_ELEMENT },
    { "first", STD_ELEMENT },
    { "first_mut", STD_ELEMENT },
    { "last", STD_ELEMENT },
    { "last_mut", STD_ELEMENT },
    { "next", STD_ELEMENT },
    { "pop", STD_ELEMENT },
    { "pop_front", STD_ELEMENT },
    { "pop_back", STD_ELEMENT },
    { "peek", STD_ELEMENT },
    { "find", STD_ELEMENT },
};

static int gives(ken_str name)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (ken_str_eq_c(name, methods[i].name))
            return methods[i].gives;
    return 0;
}

static const graph_value *option_of(ken_graph *g, const graph_value *held)
{
    graph_value *v = ken_graph__new_value(g, GRAPH_EXTERNAL, KEN_EDGE_EXTERNAL);
    const graph_value **args = KEN_ARENA_ARRAY(&g->arena, const graph_value *, 1);
    args[0] = held;
    v->name = KEN_STR("Option");
    v->args = args;
    v->n_args = 1;
    return v;
}

static const graph_value *std_member(ken_graph *g, const graph_value *object, ken_str name)
{
    bool is_outside = object->kind == GRAPH_EXTERNAL;
    int what = !is_outside || object->n_args ? gives(name) : 0;
    if (!what || (what != STD_KEEPS && !is_outside))
        return !is_outside         ? &ken_graph__nothing
               : object->is_opaque ? &ken_graph__opaque
                                   : &ken_graph__outside;
    graph_value *v = ken_graph__new_value(g, GRAPH_FUNCTION, KEN_EDGE_EXTERNAL);
    v->inner = what == STD_KEEPS   ? object
               : what == STD_HOLDS ? object->args[0]
                                   : option_of(g, object->args[object->n_args - 1]);
    return v;
}

// The same of objects of the tree; those may also have a method of a trait that the file sees.
static const graph_value *library_member(ken_graph *g, graph_unit *u, const graph_value *object,
                                         ken_str name)
{
    bool is_instance = object->kind == GRAPH_INSTANCE;
    const graph_value *of_trait = is_instance ? trait_method(g, u, name) : &ken_graph__nothing;
    return of_trait->kind == GRAPH_DEFS ? of_trait : std_member(g, object, name);
}

// ---- the driver --------------------------------------------------------------------------------

static const graph_value *member_of_module(ken_graph *g, const graph_value *module, ken_str name)
{
    return module->n_files ? macro_in(g, module->files[0], name) : &ken_graph__nothing;
}

static bool is_called(ken_graph *g, graph_unit *u, uint32_t bind, ken_str name)
{
    ken_str rest;
    (void)g; // use a::b::{self}
    return ken_str_eq(ken_graph__last_part(ken_str_trim(u->text.refs->binds[bind].module), &rest),
                      name);
}

const graph_driver ken_graph__driver_rust = {
    .resolve = ken_graph__rust_resolve,
    .is_by_file = true,
    .builtins = builtins,
    .look_up_word = look_up_word,
    .look_up_last = look_up_last,
    .is_called = is_called,
    .member_of_module = member_of_module,
    .library_member = library_member,
    .macro = choose_macro,
};
