// SPDX-License-Identifier: MIT
// The graph: what is kept of a tree, and the one question it answers.
#include "graph/graph.h"

#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "graph/graph_driver_priv.h"
#include "lang/lang_ref_rules.h"

enum {
    STEPS_MAX = 20000, // expressions worked out for one question
    LOOKED_AT = 400
};

const char *ken_edge_class_word(ken_edge_class c)
{
    static const char *const words[] = {
#define X(name, word) word,
        KEN_EDGE_CLASS_TABLE(X)
#undef X
    };
    return (unsigned)c < KEN_EDGE_CLASS_COUNT ? words[c] : "unknown";
}

static ken_str read_manifest(void *ctx, uint32_t file, ken_arena *arena)
{
    ken_graph *g = ctx;
    return g->source->read(g->source->ctx, file, arena);
}

static ken_str declared_package(void *ctx, uint32_t file)
{
    ken_graph *g = ctx;
    if (g->source->package)
        return g->source->package(g->source->ctx, file);
    graph_unit *u = ken_graph__unit_of(g, file);
    return u ? u->text.refs->package : KEN_STR("");
}

ken_graph *ken_graph_new(const ken_graph_source *source)
{
    ken_graph *g = ken_zalloc(sizeof *g);
    g->source = source;
    ken_arena_init(&g->arena, (size_t)256 << 10);
    g->units = ken_zalloc(ken_mul_size(source->n_files + (size_t)1, sizeof *g->units));
    g->is_absent = ken_zalloc(source->n_files + (size_t)1);
    g->tree = (ken_tree){ .ctx = g,
                          .paths = source->paths,
                          .langs = source->langs,
                          .n_files = source->n_files,
                          .roots = source->roots,
                          .read = read_manifest,
                          .package = declared_package };
    g->modules = ken_modules_new(&g->tree);
    return g;
}

void ken_graph_renew(ken_graph *g)
{
    ken_arena_release(&g->arena);
    ken_arena_init(&g->arena, (size_t)256 << 10);
    memset(g->units, 0, g->source->n_files * sizeof *g->units);
    memset(g->is_absent, 0, g->source->n_files);
    g->members = NULL;
    g->n_members = g->members_mask = 0;
}

void ken_graph_begin(ken_graph *g)
{
    g->question++;
}

uint32_t ken_graph_age(const ken_graph *g, uint32_t file)
{
    return g->units[file] ? g->question - g->units[file]->question : UINT32_MAX;
}

void ken_graph_free(ken_graph *g)
{
    if (!g)
        return;
    ken_modules_free(g->modules);
    ken_arena_release(&g->arena);
    ken_free(g->units);
    ken_free(g->is_absent);
    ken_free(g);
}

size_t ken_graph_bytes(const ken_graph *g)
{
    return g->arena.used_bytes + ken_modules_bytes(g->modules);
}

void ken_graph__ask(ken_graph *g)
{
    g->depth = 0;
    g->lowest = GRAPH_DEEPEST;
    g->budget = STEPS_MAX;
}

// ---- what a place names ------------------------------------------------------------------------

static bool fits(const graph_unit *u, ken_def_id def, ken_ref_role role)
{
    ken_symbol_kind kind = ken_graph_kind(&u->text, def);
    bool is_type = graph_is_type(kind);
    bool is_used = role == KEN_REF_CALL || role == KEN_REF_READ;
    if (is_used && u->lang->has_functions_apart)
        return is_type || ken_symbol_is_callable(kind) == (role == KEN_REF_CALL);
    if (is_used && u->lang->has_types_apart)
        return !is_type;
    switch (role) {
    case KEN_REF_TYPE:
    case KEN_REF_INHERIT:
    case KEN_REF_NEW:
        if (kind == KEN_SYMBOL_OBJECT && u->lang->has_companions)
            return false;
        return is_type || kind == KEN_SYMBOL_NAMESPACE;
    case KEN_REF_CALL:
        if (u->lang->splits_members && (kind == KEN_SYMBOL_FIELD || kind == KEN_SYMBOL_PROPERTY))
            return false;
        return !is_type || u->lang->calls_class || kind == KEN_SYMBOL_TYPE;
    case KEN_REF_WRITE:
        return ken_symbol_is_variable(kind);
    case KEN_REF_READ:
        return !u->lang->splits_members || !ken_symbol_is_callable(kind) ||
               (ken_graph_owner(&u->text, def) < 0 && !ken_graph__has_owner(u, def));
    case KEN_REF_IMPORT:
    case KEN_REF_DECORATE:
    case KEN_REF_ROLE_COUNT:
        break;
    }
    return true;
}

static bool takes(const graph_unit *u, ken_def_id def, uint32_t n_args)
{
    if (def >= u->text.refs->n_defs || !ken_symbol_is_callable(ken_graph_kind(&u->text, def)))
        return true;
    const ken_def_info *d = &u->text.refs->defs[def];
    return n_args >= d->min_params &&
           (n_args <= d->max_params || (d->flags & KEN_DEF_VARIADIC) || d->max_params == 255);
}

const graph_value *ken_graph__of_macros(ken_graph *g, const graph_value *v, bool wants_macros)
{
    ken_graph_def kept[KEN_TARGETS_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; v->kind == GRAPH_DEFS && i < v->n_defs && n < KEN_TARGETS_MAX; i++) {
        graph_unit *u = ken_graph__unit_of(g, v->defs[i].file);
        bool is_macro = u && v->defs[i].def < u->n_defs &&
                        ken_graph_kind(&u->text, v->defs[i].def) == KEN_SYMBOL_MACRO;
        if (is_macro == wants_macros)
            kept[n++] = v->defs[i];
    }
    return n && n == v->n_defs ? v : ken_graph__defs_value(g, kept, n, v->class);
}

// Keeps what fits; all, when nothing does, which is false.
static bool keep(ken_graph *g, ken_targets *t, ken_ref_role role, uint32_t n_args, bool has_args)
{
    ken_graph_def kept[KEN_TARGETS_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        graph_unit *u = ken_graph__unit_of(g, t->defs[i].file);
        if (u && (has_args ? takes(u, t->defs[i].def, n_args) : fits(u, t->defs[i].def, role)))
            kept[n++] = t->defs[i];
    }
    if (!n)
        return false;
    memcpy(t->defs, kept, n * sizeof *kept);
    t->n = n;
    return true;
}

// An `export default <name>`, `exports.x = <name>` stands for what it exports; so does a module
// that is one thing.
static const graph_value *behind(ken_graph *g, const graph_value *v)
{
    v = ken_graph__whole(g, v);
    graph_unit *u = v->n_defs ? ken_graph__unit_of(g, v->defs[0].file) : NULL;
    if (!u || v->defs[0].def < u->n_symbols || v->defs[0].def >= u->text.refs->n_defs ||
        !(u->text.refs->defs[v->defs[0].def].flags & KEN_DEF_EXPORTED))
        return v;
    const graph_value *held = ken_graph__whole(g, ken_graph__held(g, v->defs[0]));
    return held->kind == GRAPH_DEFS ? ken_graph__with_class(g, held, v->class) : v;
}

static void add_defs(ken_targets *t, const graph_value *v)
{
    for (uint32_t i = 0; i < v->n_defs && t->n < KEN_TARGETS_MAX; i++)
        t->defs[t->n++] = v->defs[i];
}

// A module named as a whole: its first file's first line has no definition; nothing to lead to.
static ken_edge_class class_of(const graph_value *v)
{
    return v->kind == GRAPH_MODULE || v->kind == GRAPH_SPACE || v->kind == GRAPH_INSTANCE
               ? KEN_EDGE_EXTERNAL
               : v->class;
}

static void ask_bind(ken_graph *g, uint32_t file, const ken_bind *b, ken_module *out,
                     ken_module *out_inner)
{
    ken_module_ask ask = { .file = file, .module = b->module, .flags = b->flags };
    ken_modules_resolve(g->modules, &ask, out);
    *out_inner = (ken_module){ .kind = KEN_MODULE_UNKNOWN };
    if (b->kind == KEN_BIND_NAME && b->name.len) { // `from a import b` may mean module b of a
        ask.name = b->name;
        ken_modules_resolve(g->modules, &ask, out_inner);
    }
}

// ---- inside or outside -------------------------------------------------------------------------

// Whether linking alone, without a declaration in sight, may lead from a file to the definition: not
// what its file keeps to itself, nor what only the compiler knows.
static bool is_linked(const graph_unit *c, ken_def_id def)
{
    ken_symbol_kind kind = ken_graph_kind(&c->text, def);
    bool is_static = def < c->text.refs->n_defs && (c->text.refs->defs[def].flags & KEN_DEF_STATIC);
    return !is_static && (ken_symbol_is_callable(kind) || ken_symbol_is_variable(kind));
}

// The same in languages whose files see what they include. Where an include leads nowhere that is
// known, it may be the one that brings the definition.
static bool could_be_included(ken_graph *g, graph_unit *u, const graph_unit *c, ken_def_id def)
{
    uint32_t n;
    const uint32_t *files = ken_graph__closure(g, u, &n);
    if (is_linked(c, def) || u->has_unknown)
        return true;
    for (uint32_t i = 0; i < n; i++)
        if (files[i] == c->file)
            return true;
    return false;
}

// Whether a definition could be meant by a name without a prefix, or by one with.
static bool could_be_meant(ken_graph *g, graph_unit *u, const graph_unit *c, ken_def_id def,
                           const ken_expr *e, ken_ref_role role)
{
    bool is_macro = graph_is_macro(u, e), is_member = e->op == KEN_EXPR_MEMBER && !is_macro;
    if (is_macro || (u->lang->has_macro_names && role != KEN_REF_IMPORT &&
                     ken_graph_kind(&c->text, def) == KEN_SYMBOL_MACRO))
        return is_macro && ken_graph_kind(&c->text, def) == KEN_SYMBOL_MACRO;
    int32_t owner = ken_graph_owner(&c->text, def);
    if (is_member)
        return owner >= 0 || c->text.refs->n_bases;
    if (u->lang->includes && ken_graph_kind(&c->text, def) == KEN_SYMBOL_FIELD)
        return role != KEN_REF_CALL &&
               role != KEN_REF_TYPE; // what a macro is given: LIST_NEXT(x, f)
    if (u->lang->shows_extensions)   // a member, or an extension, of a receiver left unsaid
        return !graph_is_type(ken_graph_kind(&c->text, def)) &&
               (owner >= 0 || ken_graph__has_owner(c, def));
    if (u->lang->includes && ken_graph__scope_of(c, def) < 0)
        return could_be_included(g, u, c, def);
    bool is_private =
        def < c->n_symbols && c->text.facts->symbols[def].visibility == KEN_VISIBILITY_PRIVATE;
    if (!ken_graph__has_bare_name(c, def) ||
        (c->lang->keeps_private && is_private && c->file != u->file))
        return false;
    if (owner < 0)
        return true;
    ken_symbol_kind kind = ken_graph_kind(&c->text, (ken_def_id)owner);
    return ken_graph__is_space(kind) || c->lang->sees_members;
}

// Whether everything that the file imports as a whole leads somewhere known: then what it does not
// bring is not imported.
static bool knows_wildcards(ken_graph *g, graph_unit *u)
{
    for (uint32_t i = 0; i < u->text.refs->n_binds; i++) {
        ken_module m, inner;
        if (u->text.refs->binds[i].kind != KEN_BIND_ALL || !u->text.refs->binds[i].module.len)
            continue;
        ask_bind(g, u->file, &u->text.refs->binds[i], &m, &inner);
        if (m.kind == KEN_MODULE_UNKNOWN)
            return false;
    }
    return true;
}

// A name of which nothing was found, or that something outside gave: it is outside of the tree only
// when nothing in the tree could be meant.
static void judge_unknown(ken_graph *g, graph_unit *u, const ken_expr *e, ken_ref_role role,
                          ken_targets *t)
{
    const ken_graph_def *all;
    size_t n = g->source->named(g->source->ctx, e->name, &all);
    ken_graph_def copy[LOOKED_AT];
    n = n < LOOKED_AT ? n : LOOKED_AT;
    if (n)
        memcpy(copy, all, n * sizeof *copy);
    bool is_member = e->op == KEN_EXPR_MEMBER;
    t->class = KEN_EDGE_EXTERNAL;
    if (!n || (!is_member && ken_graph__is_builtin(u, e->name)) ||
        (!is_member && u->lang->has_all_in_sight && knows_wildcards(g, u)))
        return;
    for (size_t i = 0; i < n; i++) {
        graph_unit *c = ken_graph__unit_of(g, copy[i].file);
        if (c && c->lang->family == u->lang->family && copy[i].def < c->n_defs &&
            could_be_meant(g, u, c, copy[i].def, e, role)) {
            t->class = KEN_EDGE_UNRESOLVED;
            return;
        }
    }
}

// `export { name } from './m'`: a name that is passed on and not seen in the file itself.
static const graph_value *passed_on(ken_graph *g, graph_unit *u, ken_str name)
{
    const graph_value *v = &ken_graph__nothing;
    for (uint32_t i = 0; i < u->text.refs->n_binds && v->kind == GRAPH_NONE; i++) {
        const ken_bind *b = &u->text.refs->binds[i];
        if ((b->flags & KEN_BIND_EXPORTED) && b->kind == KEN_BIND_NAME && b->module.len &&
            ken_str_eq(b->local, name))
            v = ken_graph__bound(g, u, i);
    }
    return v;
}

static bool has_callable(ken_graph *g, const graph_value *v)
{
    for (uint32_t i = 0; v->kind == GRAPH_DEFS && i < v->n_defs; i++) {
        const graph_unit *u = ken_graph__unit_of(g, v->defs[i].file);
        if (u && !ken_symbol_is_variable(ken_graph_kind(&u->text, v->defs[i].def)))
            return true;
    }
    return v->kind != GRAPH_DEFS;
}

// Java's `x()` in a class with a field x, inside one with a method x.
static const graph_value *past_variables(ken_graph *g, graph_unit *u, const ken_expr *e,
                                         const graph_value *v)
{
    if (e->op != KEN_EXPR_NAME || has_callable(g, v))
        return v;
    const ken_ref_rules *rules = ken_lang_ref_rules((ken_lang_id)u->text.lang);
    if (!rules || !rules->calls_apart)
        return v;
    for (int32_t o = (int32_t)e->a - 1; o >= 0 && o < (int32_t)u->n_defs;) {
        o = ken_graph_owner(&u->text, (ken_def_id)o);
        const graph_value *outer = ken_graph__lookup(g, u, e->name, o);
        if (outer->kind == GRAPH_DEFS && has_callable(g, outer))
            return outer;
    }
    return v;
}

static const graph_value *named_by_role(ken_graph *g, graph_unit *u, ken_expr_id expr,
                                        ken_ref_role role)
{
    const ken_expr *e = &u->text.refs->exprs[expr];
    bool wants_type = role == KEN_REF_TYPE || role == KEN_REF_NEW || role == KEN_REF_INHERIT;
    const graph_value *v =
        wants_type ? ken_graph__eval_type(g, u, expr) : ken_graph__eval(g, u, expr);
    if (role == KEN_REF_CALL)
        v = past_variables(g, u, e, v);
    if (v->kind == GRAPH_NONE && role == KEN_REF_IMPORT && u->lang->passes_names_on)
        return passed_on(g, u, e->name);
    if (v->kind != GRAPH_NONE || role != KEN_REF_DECORATE || !u->lang->decorator_suffix ||
        e->op != KEN_EXPR_NAME)
        return v;
    ken_str name = ken_arena_printf(&g->arena, KEN_STR_FMT "%s", KEN_STR_ARG(e->name),
                                    u->lang->decorator_suffix); // [Name] is class NameAttribute
    return ken_graph__lookup_type(g, u, name, (int32_t)e->a - 1);
}

// What the import at that byte brings, whatever else has its name here.
static const graph_value *imported_at(ken_graph *g, graph_unit *u, uint32_t byte, ken_str local)
{
    for (uint32_t i = 0; i < u->text.refs->n_binds; i++) {
        const ken_bind *b = &u->text.refs->binds[i];
        if (b->byte == byte && b->kind == KEN_BIND_NAME && b->module.len &&
            ken_str_eq(b->local, local))
            return ken_graph__bound(g, u, i);
    }
    return &ken_graph__nothing;
}

// What the name of a reference means.
static const graph_value *meant_by(ken_graph *g, graph_unit *u, const ken_ref *ref)
{
    const graph_value *v = &ken_graph__nothing;
    if (ref->role == KEN_REF_IMPORT && !u->driver->look_up)
        v = imported_at(g, u, ref->byte, u->text.refs->exprs[ref->expr].name);
    return v->kind == GRAPH_NONE ? named_by_role(g, u, ref->expr, ref->role) : v;
}

void ken_graph_resolve_ref(ken_graph *g, uint32_t file, const ken_ref *ref, ken_targets *out)
{
    const ken_expr_id expr = ref->expr;
    const ken_ref_role role = ref->role;
    *out = (ken_targets){ .class = KEN_EDGE_UNRESOLVED };
    graph_unit *u = ken_graph__unit_of(g, file);
    if (!u || expr >= u->text.refs->n_exprs)
        return;
    ken_graph__ask(g);
    const graph_value *v = behind(g, meant_by(g, u, ref));
    if (role == KEN_REF_CALL && !u->lang->has_macro_names)
        v = ken_graph__chosen(g, u, expr, v);
    if (u->lang->has_macro_names && role != KEN_REF_IMPORT && v->kind == GRAPH_DEFS &&
        !graph_is_macro(u, &u->text.refs->exprs[expr]))
        v = ken_graph__of_macros(g, v, false); // its name alone is none
    if (v->kind == GRAPH_NONE || (v->kind == GRAPH_EXTERNAL && v->is_opaque)) {
        judge_unknown(g, u, &u->text.refs->exprs[expr], role, out);
        return;
    }
    out->class = class_of(v);
    if (v->kind != GRAPH_DEFS)
        return;
    out->evidence = v->evidence;
    add_defs(out, v);
    bool is_any = keep(g, out, role, 0, false);
    bool is_named_only = u->lang->shows_extensions && out->class == KEN_EDGE_INFERRED;
    if (!is_any && (is_named_only || u->lang->means_by_role)) {
        *out = (ken_targets){ .class = is_named_only ? KEN_EDGE_UNRESOLVED : KEN_EDGE_EXTERNAL };
        return;
    }
    uint16_t said = u->n_args[expr];
    if (out->n > 1 && said && said != UINT16_MAX && (role == KEN_REF_CALL || role == KEN_REF_NEW))
        keep(g, out, role, said - 1u, true);
}

void ken_graph_resolve(ken_graph *g, uint32_t file, ken_expr_id expr, ken_ref_role role,
                       ken_targets *out)
{
    const ken_ref ref = { expr, role, UINT32_MAX }; // of no place
    ken_graph_resolve_ref(g, file, &ref, out);
}

// What the bindings of a file lead to.
typedef struct import_list {
    ken_vec_u32 files;  // without repeats, in order
    uint32_t n_unknown; // modules that are not known: each once, whatever is taken from it
    bool may_include;   // one of them may lead to a file of the tree that is not known
} import_list;

static void add_files(ken_vec_u32 *files, const ken_module *m, uint32_t own)
{
    for (uint32_t k = 0; m->kind == KEN_MODULE_FILES && k < m->n_files; k++) {
        size_t at = 0;
        while (at < files->len && files->ptr[at] != m->files[k])
            at++;
        if (at == files->len && m->files[k] != own)
            ken_vec_push(files, m->files[k]);
    }
}

void ken_graph_bind(ken_graph *g, uint32_t file, uint32_t bind, ken_module *out,
                    ken_module *out_inner)
{
    *out = *out_inner = (ken_module){ .kind = KEN_MODULE_UNKNOWN };
    const graph_unit *u = ken_graph__unit_of(g, file);
    if (u && bind < u->text.refs->n_binds && u->text.refs->binds[bind].module.len)
        ask_bind(g, file, &u->text.refs->binds[bind], out, out_inner);
}

static void add_bound(ken_graph *g, uint32_t file, const ken_bind *b, ken_map *unknown,
                      import_list *l)
{
    ken_module m, inner;
    ask_bind(g, file, b, &m, &inner);
    add_files(&l->files, &m, file);
    add_files(&l->files, &inner, file);
    bool is_found = m.kind == KEN_MODULE_FILES || inner.kind == KEN_MODULE_FILES;
    bool is_outside = m.kind == KEN_MODULE_EXTERNAL || inner.kind == KEN_MODULE_EXTERNAL;
    if (!is_found && !is_outside)
        (void)ken_map_put(unknown, b->module, 0, NULL);
    l->may_include |= !is_found && (!is_outside || m.is_guess);
}

static import_list list_bound(ken_graph *g, uint32_t file, const ken_refs *refs)
{
    import_list l = { 0 };
    ken_map unknown;
    ken_map_init(&unknown);
    for (uint32_t i = 0; i < refs->n_binds; i++)
        if (refs->binds[i].module.len)
            add_bound(g, file, &refs->binds[i], &unknown, &l);
    l.n_unknown = (uint32_t)unknown.len;
    ken_map_release(&unknown);
    return l;
}

ken_vec_u32 ken_graph_imports_of(ken_graph *g, uint32_t file, const ken_refs *refs,
                                 uint32_t *out_n_unknown)
{
    import_list l = list_bound(g, file, refs);
    *out_n_unknown = l.n_unknown;
    return l.files;
}

const uint32_t *ken_graph_imports(ken_graph *g, uint32_t file, uint32_t *out_n,
                                  uint32_t *out_n_unknown)
{
    *out_n = *out_n_unknown = 0;
    graph_unit *u = ken_graph__unit_of(g, file);
    if (!u)
        return NULL;
    if (!u->has_imports) {
        import_list l = list_bound(g, file, u->text.refs);
        u->has_imports = true;
        u->imports = ken_arena_copy(&g->arena, l.files.ptr, l.files.len, sizeof *u->imports);
        u->n_imports = (uint32_t)l.files.len;
        u->n_unknown = l.n_unknown;
        u->may_include = l.may_include;
        ken_vec_release(&l.files);
    }
    *out_n = u->n_imports;
    *out_n_unknown = u->n_unknown;
    return u->imports;
}
