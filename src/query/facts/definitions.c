// SPDX-License-Identifier: MIT
// Lists the definitions of files, with the facts that need no other file.
#include "base/map.h"
#include "query/facts/facts_priv.h"

typedef struct definition_list {
    ken_snapshot *s;
    const ken_definitions_query *q;
    ken_arena *arena;
    KEN_VEC(ken_definition_fact) items;
    size_t n_seen;
} definition_list;

static bool is_inside(const ken_facts *f, const ken_symbol *sym)
{
    for (int32_t p = sym->parent; p >= 0; p = f->symbols[p].parent)
        if (ken_symbol_is_callable(f->symbols[p].kind))
            return true;
    return false;
}

// The list of exports in a module itself: Python's `__all__`.
typedef struct all_list {
    ken_map names;
    bool is_there;
} all_list;

static void all_list_init(all_list *l, const ken_unit_text *u)
{
    *l = (all_list){ .is_there = false };
    ken_map_init(&l->names);
    for (uint32_t i = 0; ken_lang_at(u->lang)->lists_exports && i < u->refs->n_binds; i++) {
        if (u->refs->binds[i].module.len)
            continue;
        l->is_there = true;
        ken_map_put(&l->names, u->refs->binds[i].name, 1, NULL);
    }
}

static bool is_exported(const all_list *l, const ken_symbol *sym)
{
    if (sym->parent < 0 && l->is_there)
        return ken_map_find(&l->names, sym->name) != NULL;
    return sym->visibility == KEN_VISIBILITY_PUBLIC;
}

static ken_definition_fact fact_of(const definition_list *l, const all_list *all, uint32_t file,
                                   const ken_unit_text *u, uint32_t i)
{
    const ken_symbol *sym = &u->facts->symbols[i];
    ken_definition_fact d = {
        .id = { file, i },
        .part = { file, sym->span },
        .signature = { file, { sym->span.start, sym->signature.end } },
        .path = l->s->rows[file].path,
        .name = sym->name,
        .kind = sym->kind,
        .visibility = sym->visibility,
        .first_line = sym->first_line,
        .last_line = sym->last_line,
        .is_inside = is_inside(u->facts, sym),
        .has_doc = sym->doc.end > sym->doc.start,
        .is_exported = is_exported(all, sym),
        .is_test = ken_query__is_test(l->s, file),
    };
    if (i < u->refs->n_defs) {
        const ken_def_info *info = &u->refs->defs[i];
        d.complexity = info->complexity;
        d.min_params = info->min_params;
        d.max_params = info->max_params;
        d.is_exported = d.is_exported || (info->flags & KEN_DEF_EXPORTED);
    }
    return d;
}

static void add(definition_list *l, const ken_definition_fact *d, const ken_facts *f)
{
    ken_definition_fact kept = *d;
    kept.name = ken_query__repaired(l->arena, ken_arena_dup(l->arena, d->name));
    kept.qualified = ken_view_qualified(l->arena, f, d->id.def);
    ken_vec_push(&l->items, kept);
}

// Names of the file that it exports apart from where it defines them: `export default X`,
// `export { X }`.
static void list_exported(const ken_unit_text *u, ken_map *out)
{
    const ken_refs *r = u->refs;
    bool is_new;
    for (uint32_t i = 0; i < r->n_implied; i++) {
        uint32_t def = u->facts->n_symbols + i;
        if (r->implied[i].owner >= 0 || def >= r->n_defs ||
            !(r->defs[def].flags & KEN_DEF_EXPORTED))
            continue;
        const ken_expr *value = &r->exprs[r->defs[def].value];
        if (value->op == KEN_EXPR_NAME)
            (void)ken_map_put(out, value->name, 1, &is_new);
    }
    for (uint32_t i = 0; i < r->n_binds; i++)
        if (r->binds[i].flags & KEN_BIND_EXPORTED)
            (void)ken_map_put(out, r->binds[i].name, 1, &is_new);
}

static ken_status look_at(definition_list *l, uint32_t file, ken_err *err)
{
    ken_graph *g;
    const ken_unit_text *u;
    ken_map exported;
    ken_status st = ken_query__unit_now(l->s, file, &g, &u, err);
    if (st || !u)
        return st;
    all_list all;
    all_list_init(&all, u);
    ken_map_init(&exported);
    list_exported(u, &exported);
    for (uint32_t i = 0; i < u->facts->n_symbols; i++) {
        if (l->q->kinds && !(l->q->kinds >> u->facts->symbols[i].kind & 1))
            continue;
        l->n_seen++;
        ken_definition_fact d = fact_of(l, &all, file, u, i);
        d.is_exported = d.is_exported || (u->facts->symbols[i].parent < 0 &&
                                          ken_map_find(&exported, d.name) != NULL);
        if (!l->q->keeps || l->q->keeps(l->q->ctx, &d))
            add(l, &d, u->facts);
    }
    ken_map_release(&exported);
    ken_map_release(&all.names);
    return KEN_OK;
}

ken_status ken_list_definitions(ken_snapshot *s, const ken_definitions_query *q,
                                const ken_cancel *cancel, ken_arena *arena, ken_definitions *out,
                                ken_err *err)
{
    definition_list l = { .s = s, .q = q, .arena = arena };
    uint32_t *files;
    size_t n;
    *out = (ken_definitions){ .n_files = 0 };
    ken_status st = ken_query__scope_files(s, &q->scope, arena, &files, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        st = look_at(&l, files[i], err);
        if (!st)
            st = ken_cancel_check(cancel, err);
    }
    if (!st) {
        *out =
            (ken_definitions){ ken_arena_copy(arena, l.items.ptr, l.items.len, sizeof *l.items.ptr),
                               l.items.len, (uint32_t)n, l.n_seen };
    }
    ken_vec_release(&l.items);
    return st;
}

// ---- what others can import --------------------------------------------------------------------

typedef struct export_list {
    ken_arena *arena;
    ken_str *names;
    size_t n, limit;
} export_list;

static void add_export(export_list *l, ken_str name)
{
    for (size_t i = 0; i < l->n; i++)
        if (ken_str_eq(l->names[i], name))
            return;
    if (name.len && l->n < l->limit)
        l->names[l->n++] = ken_query__repaired(l->arena, ken_arena_dup(l->arena, name));
}

// `export default x` and `module.exports = x` show x, which has its name there, or none.
static bool is_whole(ken_str name)
{
    return ken_str_eq(name, KEN_STR("default")) || ken_str_eq(name, KEN_STR("export="));
}

static ken_str name_of_whole(const ken_refs *r, uint32_t def)
{
    const ken_expr *e = &r->exprs[r->defs[def].value];
    return e->op == KEN_EXPR_NAME ? e->name : KEN_STR("");
}

static void add_exports(export_list *l, const ken_unit_text *u)
{
    const ken_refs *r = u->refs;
    all_list all;
    all_list_init(&all, u);
    for (uint32_t i = 0; i < u->facts->n_symbols; i++) {
        const ken_symbol *sym = &u->facts->symbols[i];
        bool is_said = i < r->n_defs && (r->defs[i].flags & KEN_DEF_EXPORTED);
        if (sym->parent < 0 && (is_said || is_exported(&all, sym)))
            add_export(l, sym->name);
    }
    ken_map_release(&all.names);
    for (uint32_t i = 0; i < r->n_implied; i++) {
        const ken_implied *d = &r->implied[i];
        uint32_t def = u->facts->n_symbols + i;
        if (d->owner < 0 && def < r->n_defs && (r->defs[def].flags & KEN_DEF_EXPORTED))
            add_export(l, is_whole(d->name) ? name_of_whole(r, def) : d->name);
    }
    for (uint32_t i = 0; i < r->n_binds; i++)
        if (r->binds[i].flags & KEN_BIND_EXPORTED)
            add_export(l, is_whole(r->binds[i].local) ? r->binds[i].name : r->binds[i].local);
}

ken_status ken_list_exports(ken_snapshot *s, ken_str path, size_t limit, ken_arena *arena,
                            ken_str **out, size_t *out_n, ken_err *err)
{
    ken_facts_scope scope = { .only = { &path, 1 } };
    export_list l = { arena, KEN_ARENA_ARRAY(arena, ken_str, limit + 1), 0, limit };
    uint32_t *files;
    size_t n;
    ken_graph *g;
    const ken_unit_text *u;
    ken_status st = ken_query__scope_files(s, &scope, arena, &files, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        st = ken_query__unit_now(s, files[i], &g, &u, err);
        if (!st && u)
            add_exports(&l, u);
    }
    if (st)
        return st;
    *out = l.names;
    *out_n = l.n;
    return KEN_OK;
}
