// SPDX-License-Identifier: MIT
// Members: of types with all their pieces and bases, of modules, of namespaces.
//
// A type may be written in one place and its members in others: impl blocks, extensions, partial
// classes, methods with a receiver, `void Foo::bar() {}`. They are found by the name of the type or
// of the member, and belong to it only if what they say of their owner leads to it.
#include <string.h>

#include "base/hash.h"
#include "base/path.h"
#include "graph/graph_driver_priv.h"

enum {
    BASES_DEEP = 12,
    PROTOTYPES_MAX = 32, // of one name in a header
    LOOKED_AT = 400      // definitions of one name
};

ken_graph_def ken_graph__owner_type(ken_graph *g, ken_graph_def d)
{
    graph_unit *u = ken_graph__unit_of(g, d.file);
    if (!u)
        return d;
    const ken_refs *r = u->text.refs;
    for (uint32_t i = ken_graph__first_base(r, d.def); i < r->n_bases && r->bases[i].def == d.def;
         i++) {
        if (r->bases[i].kind != KEN_BASE_OWNER)
            continue;
        const graph_value *v = ken_graph__type(g, ken_graph__eval_type(g, u, r->bases[i].expr));
        if (v->kind == GRAPH_PARAM && v->other) // impl<T: Trait> … for T
            v = v->other;
        if (v->kind == GRAPH_DEFS || v->kind == GRAPH_INSTANCE)
            return v->defs[0];
    }
    return d;
}

// Whether two definitions stand in namespaces and types of the same names.
static bool is_same_space(const graph_unit *a, ken_def_id da, const graph_unit *b, ken_def_id db)
{
    int32_t oa = ken_graph_owner(&a->text, da), ob = ken_graph_owner(&b->text, db);
    while (oa >= 0 && ob >= 0 && !ken_graph__is_space(ken_graph_kind(&a->text, (ken_def_id)oa))) {
        if (!ken_str_eq(ken_graph_name(&a->text, (ken_def_id)oa),
                        ken_graph_name(&b->text, (ken_def_id)ob)))
            return false;
        oa = ken_graph_owner(&a->text, (ken_def_id)oa);
        ob = ken_graph_owner(&b->text, (ken_def_id)ob);
    }
    bool is_a_type = oa >= 0 && !ken_graph__is_space(ken_graph_kind(&a->text, (ken_def_id)oa));
    bool is_b_type = ob >= 0 && !ken_graph__is_space(ken_graph_kind(&b->text, (ken_def_id)ob));
    return !is_a_type && !is_b_type &&
           ken_graph__space_of(a, ken_graph_owner(&a->text, da)) ==
               ken_graph__space_of(b, ken_graph_owner(&b->text, db));
}

// A further piece of `type`: an impl or extension that leads to it, a part of an open type.
static bool is_piece(ken_graph *g, const graph_unit *tu, ken_graph_def type, ken_graph_def c)
{
    graph_unit *cu = ken_graph__unit_of(g, c.file);
    if (!cu || ken_graph_def_eq(c, type) || cu->lang->family != tu->lang->family)
        return false;
    ken_symbol_kind kind = ken_graph_kind(&cu->text, c.def);
    if (!graph_is_type(kind))
        return false;
    if (ken_graph__has_owner(cu, c.def))
        return ken_graph_def_eq(ken_graph__owner_type(g, c), type);
    return tu->lang->has_open_types && kind != KEN_SYMBOL_TYPE &&
           is_same_space(tu, type.def, cu, c.def);
}

uint32_t ken_graph__pieces(ken_graph *g, ken_graph_def type, ken_graph_def *out)
{
    graph_unit *tu = ken_graph__unit_of(g, type.file);
    uint32_t n = 0;
    out[n++] = type;
    const ken_graph_def *named;
    ken_graph_def copy[LOOKED_AT];
    size_t n_named = g->source->named(g->source->ctx, ken_graph_name(&tu->text, type.def), &named);
    n_named = n_named < LOOKED_AT ? n_named : LOOKED_AT;
    if (n_named)
        memcpy(copy, named, n_named * sizeof *copy);
    for (size_t i = 0; i < n_named && n < GRAPH_PIECES_MAX; i++)
        if (is_piece(g, tu, type, copy[i]))
            out[n++] = copy[i];
    return n;
}

// Where bases lie that are not in the tree, by what is known of them.
typedef struct away_bases {
    bool is_outside; // one is of a package or the language
    bool is_unknown; // one is not known: it may be of the tree
} away_bases;

static bool names_builtin(const graph_unit *u, ken_expr_id expr)
{
    const ken_expr *e = &u->text.refs->exprs[expr];
    return e->op == KEN_EXPR_NAME && ken_graph__is_builtin(u, e->name);
}

// Bases of all pieces.
static uint32_t bases_of(ken_graph *g, const ken_graph_def *pieces, uint32_t n_pieces,
                         ken_graph_def *out, uint32_t max, away_bases *away)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < n_pieces; p++) {
        graph_unit *u = ken_graph__unit_of(g, pieces[p].file);
        const ken_refs *r = u->text.refs;
        ken_def_id def = pieces[p].def;
        for (uint32_t i = ken_graph__first_base(r, def); i < r->n_bases && r->bases[i].def == def;
             i++) {
            if (r->bases[i].kind == KEN_BASE_OWNER)
                continue;
            const graph_value *v = ken_graph__type(g, ken_graph__eval_type(g, u, r->bases[i].expr));
            if (v->kind == GRAPH_DEFS || v->kind == GRAPH_INSTANCE) {
                if (n < max && !ken_graph_def_eq(v->defs[0], pieces[0]))
                    out[n++] = v->defs[0];
            } else if ((v->kind == GRAPH_EXTERNAL && !v->is_opaque) ||
                       names_builtin(u, r->bases[i].expr)) {
                away->is_outside = true;
            } else {
                away->is_unknown = true;
            }
        }
    }
    return n;
}

uint32_t ken_graph__bases(ken_graph *g, ken_graph_def type, ken_graph_def *out, uint32_t max)
{
    graph_unit *u = ken_graph__unit_of(g, type.file);
    if (!u || type.def >= u->n_defs)
        return 0;
    ken_graph_def pieces[GRAPH_PIECES_MAX];
    uint32_t n_pieces = ken_graph__pieces(g, type, pieces);
    away_bases away = { false, false };
    return bases_of(g, pieces, n_pieces, out, max, &away);
}

uint32_t ken_graph_bases(ken_graph *g, ken_graph_def type, ken_graph_def *out, uint32_t max)
{
    ken_graph__ask(g);
    return ken_graph__bases(g, type, out, max);
}

// ---- members of types --------------------------------------------------------------------------

// Field "2" of a struct is its third: what a literal without names says (`{ a, b, c }`).
static uint32_t field_at(const graph_unit *u, ken_graph_def piece, ken_str name, ken_def_id *out)
{
    uint64_t at = 0;
    if (!u->lang->includes || !ken_str_parse_u64(name, &at))
        return 0;
    for (uint32_t i = piece.def; i < u->n_symbols; i++) {
        const ken_symbol *s = &u->text.facts->symbols[i];
        if (s->parent != (int32_t)piece.def || s->kind != KEN_SYMBOL_FIELD || at--)
            continue;
        *out = i;
        return 1;
    }
    return 0;
}

static uint32_t children_of_piece(const graph_unit *u, ken_graph_def piece, ken_str name,
                                  ken_graph_def *out, uint32_t max)
{
    ken_def_id found[KEN_TARGETS_MAX];
    uint32_t n = ken_graph__children(u, (int32_t)piece.def, name, found, max);
    if (!n)
        n = field_at(u, piece, name, found);
    if (!n &&
        ken_graph_kind(&u->text, piece.def) == KEN_SYMBOL_ENUM) { // seen without a prefix, too
        ken_def_id ids[KEN_TARGETS_MAX];
        uint32_t n_ids =
            ken_graph__children(u, ken_graph__scope_of(u, piece.def), name, ids, KEN_TARGETS_MAX);
        for (uint32_t i = 0; i < n_ids; i++)
            if (ken_graph_owner(&u->text, ids[i]) == (int32_t)piece.def)
                found[n++] = ids[i];
    }
    if (!n && ken_graph_kind(&u->text, piece.def) == KEN_SYMBOL_TYPE) {
        // typedef struct foo { … } foo: the members are those of the struct inside.
        ken_def_id inner;
        if (ken_graph__children(u, (int32_t)piece.def, ken_graph_name(&u->text, piece.def), &inner,
                                1)) {
            n = ken_graph__children(u, (int32_t)inner, name, found, max);
            n = n ? n : field_at(u, (ken_graph_def){ piece.file, inner }, name, found);
        }
    }
    if (!n && u->driver->inner_members)
        n = u->driver->inner_members(u, piece.def, name, found, max);
    for (uint32_t i = 0; i < n; i++)
        out[i] = (ken_graph_def){ piece.file, found[i] };
    return n;
}

// Definitions of that name that say of themselves that they belong to the type.
static uint32_t claimed_by(ken_graph *g, ken_graph_def type, ken_str name, ken_graph_def *out,
                           uint32_t max)
{
    graph_unit *tu = ken_graph__unit_of(g, type.file);
    const ken_graph_def *named;
    ken_graph_def copy[LOOKED_AT];
    size_t n_named = g->source->named(g->source->ctx, name, &named), n = 0;
    n_named = n_named < LOOKED_AT ? n_named : LOOKED_AT;
    if (n_named)
        memcpy(copy, named, n_named * sizeof *copy);
    for (size_t i = 0; i < n_named && n < max; i++) {
        graph_unit *u = ken_graph__unit_of(g, copy[i].file);
        if (u && u->lang->family == tu->lang->family && ken_graph__has_owner(u, copy[i].def) &&
            !graph_is_type(ken_graph_kind(&u->text, copy[i].def)) &&
            ken_graph_def_eq(ken_graph__owner_type(g, copy[i]), type))
            out[n++] = copy[i];
    }
    return (uint32_t)n;
}

typedef struct member_search {
    ken_str name;
    ken_graph_def found[KEN_TARGETS_MAX], seen[GRAPH_PIECES_MAX];
    uint32_t n, n_seen;
    away_bases away;
} member_search;

static bool was_seen(member_search *s, ken_graph_def type)
{
    for (uint32_t i = 0; i < s->n_seen; i++)
        if (ken_graph_def_eq(s->seen[i], type))
            return true;
    if (s->n_seen < GRAPH_PIECES_MAX)
        s->seen[s->n_seen++] = type;
    return s->n_seen == GRAPH_PIECES_MAX;
}

static void search_type(ken_graph *g, ken_graph_def type, member_search *s, uint32_t depth)
{
    graph_unit *tu = ken_graph__unit_of(g, type.file);
    if (!tu || type.def >= tu->n_defs || depth > BASES_DEEP || was_seen(s, type))
        return;
    s->n = children_of_piece(tu, type, s->name, s->found, KEN_TARGETS_MAX);
    uint32_t n_first = s->n;
    if (s->n && !tu->lang->has_fields_apart)
        return;
    ken_graph_def pieces[GRAPH_PIECES_MAX];
    uint32_t n_pieces = ken_graph__pieces(g, type, pieces);
    for (uint32_t p = 1; p < n_pieces && s->n == n_first && s->n < KEN_TARGETS_MAX; p++)
        s->n += children_of_piece(ken_graph__unit_of(g, pieces[p].file), pieces[p], s->name,
                                  s->found + s->n, KEN_TARGETS_MAX - s->n);
    if (!s->n)
        s->n = claimed_by(g, type, s->name, s->found, KEN_TARGETS_MAX);
    ken_graph_def bases[GRAPH_PIECES_MAX];
    uint32_t n_bases = s->n ? 0 : bases_of(g, pieces, n_pieces, bases, GRAPH_PIECES_MAX, &s->away);
    for (uint32_t i = 0; i < n_bases && !s->n; i++)
        search_type(g, bases[i], s, depth + 1);
    if (s->n || !ken_graph__is_distinct(g, type))
        return;
    // `type T S` has the fields of S; its own methods came before them.
    const graph_value *made_of = ken_graph__held(g, type);
    if (made_of->kind == GRAPH_INSTANCE || made_of->kind == GRAPH_DEFS)
        search_type(g, made_of->defs[0], s, depth + 1);
    s->away.is_outside |= made_of == &ken_graph__outside;
    s->away.is_unknown |= made_of->kind == GRAPH_NONE || made_of->is_opaque;
}

static graph_member *member_slot(ken_graph *g, uint64_t key)
{
    if (g->n_members * 2 >= g->members_mask) {
        uint32_t n_slots = g->members_mask ? (g->members_mask + 1) * 2 : 1024;
        graph_member *slots = KEN_ARENA_ARRAY(&g->arena, graph_member, n_slots);
        for (uint32_t i = 0; g->members_mask && i <= g->members_mask; i++) {
            if (!g->members[i].key)
                continue;
            uint32_t at = (uint32_t)g->members[i].key & (n_slots - 1);
            while (slots[at].key)
                at = (at + 1) & (n_slots - 1);
            slots[at] = g->members[i];
        }
        g->members = slots;
        g->members_mask = n_slots - 1;
    }
    uint32_t at = (uint32_t)key & g->members_mask;
    while (g->members[at].key && g->members[at].key != key)
        at = (at + 1) & g->members_mask;
    return &g->members[at];
}

const graph_value **ken_graph__kept_member(ken_graph *g, ken_graph_def type, ken_str name)
{
    uint64_t parts[3] = { type.file, type.def, ken_hash_str(name) };
    uint64_t key = ken_hash64(parts, sizeof parts) | 1;
    graph_member *slot = member_slot(g, key);
    if (!slot->key) {
        *slot = (graph_member){ key, KEN_ARENA_NEW(&g->arena, const graph_value *) };
        g->n_members++;
    }
    return slot->value; // the slot itself may move meanwhile
}

// How sure a member is that stands in another file than its type, or the same.
static ken_edge_class class_between(ken_graph *g, uint32_t type, uint32_t member)
{
    if (type == member)
        return KEN_EDGE_EXACT;
    graph_unit *a = ken_graph__unit_of(g, type), *b = ken_graph__unit_of(g, member);
    bool is_package = a && b && a->lang->package == KEN_PACKAGE_FOLDER &&
                      a->package == b->package &&
                      ken_str_eq(ken_path_dir(a->text.path), ken_path_dir(b->text.path));
    return is_package ? KEN_EDGE_SCOPED : KEN_EDGE_IMPORTED;
}

const graph_value *ken_graph__type_member(ken_graph *g, ken_graph_def type, ken_str name)
{
    const graph_value **kept = ken_graph__kept_member(g, type, name), *v;
    if (!ken_graph__begin(g, kept, &v))
        return v;
    member_search s = { .name = name };
    search_type(g, type, &s, 0);
    v = s.away.is_unknown   ? &ken_graph__opaque
        : s.away.is_outside ? &ken_graph__outside
                            : &ken_graph__nothing;
    if (s.n)
        v = ken_graph__defs_value(g, s.found, s.n, class_between(g, type.file, s.found[0].file));
    return ken_graph__end(g, kept, v);
}

const graph_value *ken_graph__assigned(ken_graph *g, const graph_value *holder, ken_str name)
{
    for (uint32_t i = 0; holder->kind == GRAPH_DEFS && i < holder->n_defs; i++) {
        ken_graph_def d = holder->defs[i];
        graph_unit *u = ken_graph__unit_of(g, d.file);
        ken_def_id id;
        if (!u || !u->lang->makes_of_functions || d.def >= u->n_defs ||
            graph_is_type(ken_graph_kind(&u->text, d.def)) ||
            !ken_graph__children(u, (int32_t)d.def, name, &id, 1))
            continue;
        ken_graph_def found = { d.file, id };
        if (id < u->n_symbols && (u->text.refs->defs[id].flags & KEN_DEF_PREFIXED) &&
            !ken_graph__has_owner(u, id))
            return ken_graph__defs_value(g, &found, 1, holder->class);
    }
    return &ken_graph__nothing;
}

// ---- members of everything ---------------------------------------------------------------------

static const graph_value *with_self(ken_graph *g, const graph_value *v, const graph_value *self)
{
    if (v->kind != GRAPH_DEFS)
        return v;
    graph_value *copy = KEN_ARENA_NEW(&g->arena, graph_value);
    *copy = *v;
    copy->self = self;
    if (self->class >
        v->class) { // it is as sure as the object that it is of, and for the same reason
        copy->class = self->class;
        copy->evidence = self->evidence;
    }
    return copy;
}

static bool is_wrapper(ken_str name)
{
    static const char *const wrappers[] = {
        "Optional",  "Box",      "Rc",         "Arc",        "Ref",         "RefMut",  "MutexGuard",
        "Cow",       "Pin",      "unique_ptr", "shared_ptr", "weak_ptr",    "Final",   "ClassVar",
        "Annotated", "Readonly", "Partial",    "Required",   "NonNullable", "Lazy",    "Type",
        "type",      "Omit",     "Pick",       "Extract",    "Exclude",     "NoInfer", "ThisType",
    };
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
        if (ken_str_eq_c(name, wrappers[i]))
            return true;
    return false;
}

// Through modules that are others: what each of them shows.
static const graph_value *shown_by(ken_graph *g, const graph_value *module, ken_str name)
{
    enum {
        LED_ON_MAX = 8
    };
    for (int n = 0; n < LED_ON_MAX && module->kind == GRAPH_MODULE; n++) {
        for (uint32_t i = 0; i < module->n_files; i++) {
            const graph_value *v = ken_graph__shown(g, module->files[i], name, 0);
            if (v->kind != GRAPH_NONE)
                return ken_graph__with_class(g, ken_graph__with_class(g, v, KEN_EDGE_IMPORTED),
                                             module->class);
        }
        module = ken_graph__whole_of(g, module);
    }
    return &ken_graph__nothing;
}

static const graph_value *member_of_module(ken_graph *g, graph_unit *u, const graph_value *module,
                                           ken_str name)
{
    const graph_value *shown = shown_by(g, module, name);
    if (shown->kind != GRAPH_NONE)
        return shown;
    if (module->name.len) { // a module inside the module
        ken_module_ask ask = { .file = u->file, .module = module->name, .name = name };
        ken_module found;
        ken_modules_resolve(g->modules, &ask, &found);
        if (found.kind == KEN_MODULE_FILES && !found.rest.len) {
            graph_value *v = ken_graph__new_value(g, GRAPH_MODULE, KEN_EDGE_IMPORTED);
            v->files = found.files;
            v->n_files = found.n_files;
            const char *sep = u->lang->module_separator ? u->lang->module_separator : ".";
            v->name = ken_arena_printf(&g->arena, KEN_STR_FMT "%s" KEN_STR_FMT,
                                       KEN_STR_ARG(module->name), sep, KEN_STR_ARG(name));
            return v;
        }
    }
    if (u->driver->member_of_module)
        return u->driver->member_of_module(g, module, name);
    const graph_value *whole = ken_graph__whole(g, module);
    if (ken_str_eq(name, KEN_STR("default")))
        return whole == module ? &ken_graph__nothing : whole;
    bool may_default = u->lang->has_default_exports;
    for (uint32_t i = 0; may_default && i < module->n_files && whole == module; i++) {
        const graph_value *v = ken_graph__shown(g, module->files[i], KEN_STR("default"), 0);
        whole = v->kind == GRAPH_NONE ? whole : v;
    }
    if (whole->kind == GRAPH_NONE || whole->kind == GRAPH_MODULE)
        return &ken_graph__nothing;
    const graph_value *v = ken_graph__assigned(g, whole, name);
    return v->kind == GRAPH_NONE ? ken_graph__member_of(g, u, ken_graph__object(g, whole), name)
                                 : v;
}

// A method that is named without a call and has members: what it gives has them (properties).
static const graph_value *property_of(ken_graph *g, const graph_value *method, uint32_t i)
{
    const graph_value *held = ken_graph__held(g, method->defs[i]);
    bool is_object = held->kind == GRAPH_INSTANCE || held->kind == GRAPH_EXTERNAL;
    return is_object ? held : &ken_graph__nothing;
}

// A variant's own fields, or what all of its enum have.
static ken_graph_def enum_of(const graph_unit *u, ken_graph_def variant, ken_str name)
{
    ken_def_id field;
    int32_t owner = ken_graph_owner(&u->text, variant.def);
    if (owner >= 0 && !ken_graph__children(u, (int32_t)variant.def, name, &field, 1))
        variant.def = (ken_def_id)owner;
    return variant;
}

// Of a namespace that a macro opens nothing else is known: its members stand at the top of files.
static const graph_value *member_behind_macro(ken_graph *g, graph_unit *u, ken_str space,
                                              ken_str name)
{
    uint32_t n = 0;
    const uint32_t *files = u->lang->includes ? ken_graph__closure(g, u, &n) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        graph_unit *f = ken_graph__unit_of(g, files[i]);
        ken_def_id ids[KEN_TARGETS_MAX];
        uint32_t n_ids = f ? ken_graph__children(f, -1, space, ids, KEN_TARGETS_MAX) : 0;
        for (uint32_t k = 0; k < n_ids; k++)
            if (ids[k] >= f->n_symbols && ken_graph__is_space(ken_graph_kind(&f->text, ids[k])))
                return ken_graph__in_space(g, u, 0, name);
    }
    return &ken_graph__nothing;
}

static const graph_value *member_of_defs(ken_graph *g, graph_unit *u, const graph_value *object,
                                         ken_str name)
{
    for (uint32_t i = 0; i < object->n_defs; i++) {
        ken_graph_def d = object->defs[i];
        graph_unit *du = ken_graph__unit_of(g, d.file);
        if (!du)
            continue;
        ken_symbol_kind kind = ken_graph_kind(&du->text, d.def);
        const graph_value *v = &ken_graph__nothing;
        if (du->driver->member_of_def)
            return du->driver->member_of_def(g, u, d, name);
        if (kind == KEN_SYMBOL_ENUM_MEMBER)
            d = enum_of(du, d, name);
        if (!ken_graph__is_space(kind) || du->lang->has_open_types)
            v = ken_graph__type_member(g, ken_graph__owner_type(g, d), name);
        if (ken_graph__is_space(kind) && du->lang->has_inner_modules)
            v = ken_graph__shown_inside(g, d, name);
        else if (v->kind == GRAPH_NONE && ken_graph__is_space(kind))
            v = ken_graph__in_space(g, u, ken_graph__space_of(du, (int32_t)d.def), name);
        if (v->kind == GRAPH_NONE && ken_graph__is_space(kind))
            v = member_behind_macro(g, u, ken_graph_name(&du->text, d.def), name);
        if (v->kind == GRAPH_NONE && i &&
            ken_symbol_is_variable(kind)) { // `interface X`, `const X`
            const graph_value *held = ken_graph__held(g, d);
            v = held->kind == GRAPH_INSTANCE ? ken_graph__member_of(g, u, held, name) : v;
        }
        if (v->kind == GRAPH_NONE && ken_symbol_is_callable(kind) && object->self)
            v = ken_graph__member_of(g, u, property_of(g, object, i), name);
        if (v->kind != GRAPH_NONE)
            return with_self(g, v, object);
    }
    return &ken_graph__nothing;
}

// Part "1" of a tuple is its second; of what holds many of one kind, any is like the others.
static const graph_value *part_of(const graph_value *object, ken_str name)
{
    uint64_t at = 0;
    if (!object->n_args || !ken_str_parse_u64(name, &at))
        return NULL;
    uint32_t last = object->n_args - 1;
    bool is_tuple = ken_str_eq_fold(object->name, KEN_STR("tuple"));
    return object->args[is_tuple && at < last ? at : last];
}

// A member that several alternatives have is any of theirs.
static const graph_value *joined(ken_graph *g, const graph_value *a, const graph_value *b)
{
    if (a->kind != GRAPH_DEFS || b->kind != GRAPH_DEFS)
        return a->kind == GRAPH_NONE || a->kind == GRAPH_EXTERNAL ? b : a;
    const graph_value *all = ken_graph__merged(g, a, b);
    if (all == a)
        return a;
    graph_value *v = KEN_ARENA_NEW(&g->arena, graph_value);
    *v = *all;
    v->self = a->self;
    return v;
}

// Python's `Union[A, B]`.
static const graph_value *member_of_any(ken_graph *g, graph_unit *u, const graph_value *object,
                                        ken_str name)
{
    const graph_value *v = &ken_graph__nothing;
    for (uint32_t i = 0; i < object->n_args; i++) {
        const graph_value *one = ken_graph__member_of(g, u, object->args[i], name);
        v = one->kind == GRAPH_NONE ? v : joined(g, v, one);
    }
    return v->kind == GRAPH_NONE ? &ken_graph__outside : v;
}

static const graph_value *member_of_outside(ken_graph *g, graph_unit *u, const graph_value *object,
                                            ken_str name)
{
    const graph_value *part = part_of(object, name);
    if (part)
        return part;
    if (ken_str_eq_c(object->name, "Union"))
        return member_of_any(g, u, object, name);
    bool is_of_more = object->n_args == 2 && u->lang->has_mapped_types; // Pick<T, "a">
    return (object->n_args == 1 || is_of_more) && is_wrapper(object->name)
               ? ken_graph__member_of(g, u, object->args[0], name)
           : object->is_opaque ? &ken_graph__opaque
                               : &ken_graph__outside;
}

static const graph_value *own_member_of_one(ken_graph *g, graph_unit *u, const graph_value *object,
                                            ken_str name)
{
    switch (object->kind) {
    case GRAPH_INSTANCE:
        return with_self(g, ken_graph__type_member(g, object->defs[0], name), object);
    case GRAPH_DEFS:
        return member_of_defs(g, u, object, name);
    case GRAPH_MODULE:
        return member_of_module(g, u, object, name);
    case GRAPH_SPACE:
        return ken_graph__in_space(g, u, object->space, name);
    case GRAPH_EXTERNAL:
        return member_of_outside(g, u, object, name);
    case GRAPH_NONE:
    case GRAPH_PARAM:
    case GRAPH_FUNCTION:
        break;
    }
    return &ken_graph__nothing;
}

// The same, and what the language's library has.
static const graph_value *member_of_one(ken_graph *g, graph_unit *u, const graph_value *object,
                                        ken_str name)
{
    const graph_value *v = own_member_of_one(g, u, object, name);
    bool is_open = v == &ken_graph__outside || v == &ken_graph__opaque;
    bool is_outside = object->kind == GRAPH_EXTERNAL && is_open;
    bool is_instance = object->kind == GRAPH_INSTANCE && (is_open || v->kind == GRAPH_NONE);
    if (!u->driver->library_member)
        return is_outside ? ken_graph__library_member(g, u, object, name) : v;
    if (!is_instance && !is_outside)
        return v;
    const graph_value *known = u->driver->library_member(g, u, object, name);
    return known->kind == GRAPH_NONE ? v : known; // what it has from a base outside stays that
}

const graph_value *ken_graph__member_of(ken_graph *g, graph_unit *u, const graph_value *object,
                                        ken_str name)
{
    enum {
        ALTERNATIVES_MAX = 12
    };
    const graph_value *v = &ken_graph__nothing;
    ken_edge_class class = object && object->class <= KEN_EDGE_INFERRED ? object->class : 0;
    for (int i = 0; object && i < ALTERNATIVES_MAX; i++, object = object->other) {
        const graph_value *one = member_of_one(g, u, object, name);
        v = one->kind == GRAPH_NONE ? v : joined(g, v, one);
    }
    return ken_graph__with_class(g, v, class);
}

// ---- the same thing twice ----------------------------------------------------------------------

// Two members that stand in the body of one type, or two templates of functions in one place: what
// differs is no parameter, but neither only declares the other.
static bool are_both_whole(const graph_unit *a, ken_def_id da, const graph_unit *b, ken_def_id db)
{
    if (!graph_converts(a) || a != b || da >= a->n_symbols || db >= b->n_symbols ||
        ken_graph__has_owner(a, da) || ken_graph__has_owner(b, db))
        return false;
    int32_t owner = ken_graph_owner(&a->text, da);
    if (owner != ken_graph_owner(&b->text, db))
        return false;
    bool is_member = owner >= 0 && graph_is_type(ken_graph_kind(&a->text, (ken_def_id)owner));
    return is_member ||
           (a->text.refs->defs[da].n_type_params && b->text.refs->defs[db].n_type_params);
}

static bool is_callable_twin(const graph_unit *a, ken_def_id da, const graph_unit *b, ken_def_id db)
{
    ken_symbol_kind ka = ken_graph_kind(&a->text, da), kb = ken_graph_kind(&b->text, db);
    if (ken_symbol_is_callable(ka) != ken_symbol_is_callable(kb) ||
        ken_symbol_is_type(ka) != ken_symbol_is_type(kb))
        return false;
    bool overloads = a->lang->overloads && b->lang->overloads && ken_symbol_is_callable(ka);
    return !overloads || (ken_graph__takes_alike(a, da, b, db) && !are_both_whole(a, da, b, db));
}

// x.d.ts says of x.js what is in it: functions, types and their members, owner by owner.
static bool is_declared_by(const graph_unit *a, ken_def_id da, const graph_unit *b, ken_def_id db)
{
    if (!ken_modules_declares(a->text.path, b->text.path) &&
        !ken_modules_declares(b->text.path, a->text.path))
        return false;
    int32_t oa = (int32_t)da, ob = (int32_t)db;
    while (oa >= 0 && ob >= 0) {
        if (!ken_str_eq(ken_graph_name(&a->text, (ken_def_id)oa),
                        ken_graph_name(&b->text, (ken_def_id)ob)))
            return false;
        oa = ken_graph_owner(&a->text, (ken_def_id)oa);
        ob = ken_graph_owner(&b->text, (ken_def_id)ob);
    }
    return oa < 0 && ob < 0;
}

// Whether what is around the one has the names of what is around the other, up to their namespace.
static bool have_owners_alike(const graph_unit *a, int32_t oa, const graph_unit *b, int32_t ob)
{
    for (;;) {
        bool has_a = oa >= 0 && !ken_graph__is_space(ken_graph_kind(&a->text, (ken_def_id)oa));
        bool has_b = ob >= 0 && !ken_graph__is_space(ken_graph_kind(&b->text, (ken_def_id)ob));
        if (!has_a || !has_b)
            return has_a == has_b;
        if (!ken_str_eq(ken_graph_name(&a->text, (ken_def_id)oa),
                        ken_graph_name(&b->text, (ken_def_id)ob)))
            return false;
        oa = ken_graph_owner(&a->text, (ken_def_id)oa);
        ob = ken_graph_owner(&b->text, (ken_def_id)ob);
    }
}

// Two definitions of one name and one owner, in languages where declaring is not defining, or where
// a type is written in pieces.
static bool is_twin(ken_graph *g, graph_unit *u, ken_graph_def d, ken_graph_def other)
{
    graph_unit *o = ken_graph__unit_of(g, other.file);
    if (!o || ken_graph_def_eq(d, other) || other.def >= o->n_defs)
        return false;
    if (u->lang->has_declaration_files && o->lang->has_declaration_files && u != o)
        return is_declared_by(u, d.def, o, other.def);
    if (!is_callable_twin(u, d.def, o, other.def))
        return false;
    if (o->lang->family != u->lang->family || !(u->lang->includes || u->lang->has_open_types))
        return false;
    int32_t mine = ken_graph_owner(&u->text, d.def), its = ken_graph_owner(&o->text, other.def);
    ken_graph_def my_type = { d.file, ken_graph__holder(u, d.def) };
    ken_graph_def its_type = { other.file, ken_graph__holder(o, other.def) };
    my_type = ken_graph__owner_type(g, my_type);
    its_type = ken_graph__owner_type(g, its_type);
    if (ken_graph_def_eq(my_type, its_type))
        return true;
    if (mine >= 0 || its >= 0)
        return mine >= 0 && its >= 0 &&
               ken_graph__space_of(u, mine) == ken_graph__space_of(o, its) &&
               have_owners_alike(u, mine, o, its);
    // Functions of two files that link: one of them is no more than declared, or both are shared.
    bool is_static =
        d.def < u->text.refs->n_defs && (u->text.refs->defs[d.def].flags & KEN_DEF_STATIC);
    bool is_its_static =
        other.def < o->text.refs->n_defs && (o->text.refs->defs[other.def].flags & KEN_DEF_STATIC);
    if (is_static || is_its_static)
        return false;
    uint32_t n;
    const uint32_t *files = ken_graph__closure(g, o, &n);
    for (uint32_t i = 0; i < n; i++)
        if (files[i] == d.file)
            return true;
    files = ken_graph__closure(g, u, &n);
    for (uint32_t i = 0; i < n; i++)
        if (files[i] == other.file)
            return true;
    return false;
}

bool ken_graph__is_twin(ken_graph *g, ken_graph_def a, ken_graph_def b)
{
    graph_unit *u = ken_graph__unit_of(g, a.file);
    return u && a.def < u->n_defs && is_twin(g, u, a, b);
}

uint32_t ken_graph_twins(ken_graph *g, ken_graph_def def, ken_graph_def *out, uint32_t max)
{
    uint32_t n = 0;
    ken_graph__ask(g);
    if (max)
        out[n++] = def;
    graph_unit *u = ken_graph__unit_of(g, def.file);
    if (!u || def.def >= u->n_defs)
        return n;
    ken_str name = ken_graph_name(&u->text, def.def);
    ken_graph_def copy[LOOKED_AT];
    const ken_graph_def *named;
    size_t n_named = g->source->named(g->source->ctx, name, &named);
    n_named = n_named < LOOKED_AT ? n_named : LOOKED_AT;
    if (n_named)
        memcpy(copy, named, n_named * sizeof *copy);
    for (size_t i = 0; i < n_named && n < max; i++)
        if (is_twin(g, u, def, copy[i]))
            out[n++] = copy[i];
    if (!u->lang->includes)
        return n;
    // Prototypes are no symbols: those of the headers that the file includes.
    uint32_t n_files;
    const uint32_t *files = ken_graph__closure(g, u, &n_files);
    for (uint32_t f = 0; f < n_files && n < max; f++) {
        graph_unit *h = ken_graph__unit_of(g, files[f]);
        ken_def_id ids[PROTOTYPES_MAX];
        uint32_t n_ids = h ? ken_graph__children(h, -1, name, ids, PROTOTYPES_MAX) : 0;
        for (uint32_t i = 0; i < n_ids && n < max; i++) {
            ken_graph_def d = { files[f], ids[i] };
            if (ids[i] >= h->n_symbols && is_twin(g, u, def, d))
                out[n++] = d;
        }
    }
    return n;
}
