// SPDX-License-Identifier: MIT
// Finds and resolves the references by a name. Several names are resolved in one pass over the files that
// contain one of them. Names are interned (query_units_priv.h), so they are compared by pointer.
#include "base/alloc.h"
#include "base/slots.h"
#include "base/sorted.h"
#include "query/query_refs_priv.h"

enum {
    ALIASES_MAX = 64, // of one file
    CHECK_EVERY = 16  // references that are resolved between two checks
};

// ---- the cache ----------------------------------------------------------------------------------

void ken_query__refs_init(query_refs_cache *k)
{
    *k = (query_refs_cache){ 0 };
    for (int w = 0; w < QUERY_REFS_KINDS; w++) {
        ken_map_init(&k->young[w]);
        ken_map_init(&k->old[w]);
    }
}

static query_refs *list_at(uint64_t value)
{
    return (query_refs *)(uintptr_t)value;
}

static void release_half(ken_map *half)
{
    for (int w = 0; w < QUERY_REFS_KINDS; w++) {
        for (size_t i = 0; i < half[w].n_slots; i++)
            if (half[w].slots[i].key.ptr)
                ken_free(list_at(half[w].slots[i].value));
        ken_map_release(&half[w]);
        ken_map_init(&half[w]);
    }
}

void ken_query__refs_release(query_refs_cache *k)
{
    release_half(k->young);
    release_half(k->old);
    for (int w = 0; w < QUERY_REFS_KINDS; w++) {
        ken_map_release(&k->young[w]);
        ken_map_release(&k->old[w]);
    }
}

size_t ken_query__refs_bytes(const query_refs_cache *k)
{
    return k->young_bytes + k->old_bytes;
}

void ken_query__refs_age(query_refs_cache *k, size_t max_bytes)
{
    if (k->young_bytes <= max_bytes / 2)
        return;
    release_half(k->old);
    for (int w = 0; w < QUERY_REFS_KINDS; w++) {
        ken_map empty = k->old[w];
        k->old[w] = k->young[w];
        k->young[w] = empty;
    }
    k->old_bytes = k->young_bytes;
    k->young_bytes = 0;
}

static void cache_list(query_refs_cache *k, query_refs_kind what, ken_str name, query_refs *list)
{
    ken_map_put(&k->young[what], name, (uint64_t)(uintptr_t)list, NULL);
    k->young_bytes += list->n_bytes;
}

// A list found in the old half moves to the young one.
static query_refs *cached_list(query_refs_cache *k, query_refs_kind what, ken_str name)
{
    const uint64_t *young = ken_map_find(&k->young[what], name);
    if (young)
        return list_at(*young);
    uint64_t *old = ken_map_find(&k->old[what], name);
    if (!old || !*old)
        return NULL;
    query_refs *list = list_at(*old);
    *old = 0;
    k->old_bytes -= list->n_bytes;
    cache_list(k, what, name, list);
    return list;
}

// ---- the expressions to resolve_ref -----------------------------------------------------------------

// A list under construction.
typedef struct ref_list {
    ken_str name;
    uint32_t file; // QUERY_REFS_WHOLE: the file itself
    KEN_VEC(query_ref) refs;
    KEN_VEC(ken_graph_def) targets;
    KEN_VEC(query_renamed) renamed;
} ref_list;

// An expression that belongs to list `of`; `next`: the next entry of the same expression, + 1.
typedef struct wanted_expr {
    uint32_t of, next;
} wanted_expr;

typedef struct refs_pass {
    ken_snapshot *s;
    ken_graph *g;
    query_refs_kind what;
    ref_list *lists;
    uint32_t n_lists;
    ken_slots slots; // of lists, by the pointer of the name; in the question's arena
    KEN_VEC(wanted_expr) wanted;
    ken_vec_u32 first; // by expression: its first entry in `wanted`, + 1
} refs_pass;

static uint64_t hash_of_name(const char *name)
{
    return (uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15u >> 40;
}

static bool is_list_of(const void *lists, uint32_t list, const void *name)
{
    return ((const ref_list *)lists)[list].name.ptr == name;
}

// The list of a name, + 1; 0 = the name is not looked up.
static uint32_t list_of(const refs_pass *p, ken_str name)
{
    return *ken_slots_find(&p->slots, hash_of_name(name.ptr), is_list_of, p->lists, name.ptr);
}

static void fill_slots(refs_pass *p, ken_arena *arena)
{
    p->slots.n = 16;
    while (p->slots.n < (size_t)p->n_lists * 4)
        p->slots.n *= 2;
    p->slots.at = KEN_ARENA_ARRAY(arena, uint32_t, p->slots.n);
    for (uint32_t i = 0; i < p->n_lists; i++)
        ken_slots_enter(&p->slots, hash_of_name(p->lists[i].name.ptr), i);
}

static bool has_name(const ken_expr *e)
{
    return e->op == KEN_EXPR_NAME || e->op == KEN_EXPR_MEMBER;
}

static void want_expr(refs_pass *p, uint32_t expr, uint32_t list)
{
    for (uint32_t a = p->first.ptr[expr]; a; a = p->wanted.ptr[a - 1].next)
        if (p->wanted.ptr[a - 1].of == list)
            return;
    ken_vec_push(&p->wanted, ((wanted_expr){ list, p->first.ptr[expr] }));
    p->first.ptr[expr] = (uint32_t)p->wanted.len;
}

static void want_name(refs_pass *p, const ken_refs *r, ken_str name, uint32_t list)
{
    for (uint32_t i = 1; i < r->n_exprs; i++)
        if (r->exprs[i].name.ptr == name.ptr && has_name(&r->exprs[i]))
            want_expr(p, i, list);
}

// ---- aliases ------------------------------------------------------------------------------------

static const char *const wholes[] = { "default", "export=" };

bool ken_query__is_whole(ken_str local)
{
    return ken_str_eq_c(local, wholes[0]) || ken_str_eq_c(local, wholes[1]);
}

static bool is_same(ken_str a, ken_str b) // of interned names
{
    return a.len && a.ptr == b.ptr;
}

static bool is_renamed(const ken_bind *b)
{
    return b->local.len && b->local.ptr != b->name.ptr;
}

static void add_alias(refs_pass *p, uint32_t list, uint32_t file, uint32_t number, ken_str local)
{
    ken_vec_push(&p->lists[list].renamed, ((query_renamed){ file, number, local }));
}

// The name whose value is assigned to an exported definition: a in `exports.b = a`; empty = none.
static ken_str name_held(const ken_unit_text *u, ken_def_id def)
{
    const ken_def_info *d = &u->refs->defs[def];
    const ken_expr *e = &u->refs->exprs[d->value];
    if (!(d->flags & KEN_DEF_EXPORTED) || !d->value)
        return KEN_STR("");
    if (e->op == KEN_EXPR_DEF && e->a < u->refs->n_defs)
        return ken_graph_name(u, e->a);
    return has_name(e) ? e->name : KEN_STR("");
}

// The exports of a thing that the file calls `local`.
static void follow_local(refs_pass *p, uint32_t file, const ken_unit_text *u, ken_str local,
                         uint32_t list)
{
    const ken_refs *r = u->refs;
    for (uint32_t i = 0; i < r->n_binds; i++)
        if (!r->binds[i].module.len && is_same(r->binds[i].name, local))
            add_alias(p, list, file, i, r->binds[i].local);
    for (uint32_t d = u->facts->n_symbols; d < r->n_defs; d++)
        if (is_same(name_held(u, d), local))
            add_alias(p, list, file, r->n_binds + d, ken_graph_name(u, d));
}

// An import under another name.
static void follow_bind(refs_pass *p, uint32_t file, const ken_unit_text *u, uint32_t bind,
                        uint32_t list)
{
    const ken_bind *b = &u->refs->binds[bind];
    if ((b->flags & KEN_BIND_EXPORTED) || ken_lang_at(u->lang)->exports_imports)
        add_alias(p, list, file, bind, b->local);
    want_name(p, u->refs, b->local, list);
    if (b->module.len)
        follow_local(p, file, u, b->local, list);
}

// `const b = require('./m').a`, which the graph resolves to a.
static bool is_of_module(const ken_unit_text *u, ken_def_id def)
{
    const ken_refs *r = u->refs;
    const ken_expr *e = &r->exprs[r->defs[def].value];
    const ken_expr *base = e->op == KEN_EXPR_MEMBER ? &r->exprs[e->a] : NULL;
    return base && base->op == KEN_EXPR_NAME && ken_str_ends(base->name, KEN_STR(")"));
}

static void follow_variable(refs_pass *p, uint32_t file, const ken_unit_text *u, ken_def_id def,
                            uint32_t list)
{
    ken_str local = ken_graph_name(u, def);
    want_name(p, u->refs, local, list);
    follow_local(p, file, u, local, list);
}

static void want_variables(refs_pass *p, uint32_t file, const ken_unit_text *u)
{
    uint32_t n_aliases = 0, list;
    for (uint32_t d = 0; d < u->facts->n_symbols && n_aliases < ALIASES_MAX; d++) {
        if (u->facts->symbols[d].parent >= 0 || !is_of_module(u, d))
            continue;
        ken_str name = u->refs->exprs[u->refs->defs[d].value].name;
        if (name.ptr == ken_graph_name(u, d).ptr || (list = list_of(p, name)) == 0)
            continue;
        follow_variable(p, file, u, d, list - 1);
        n_aliases++;
    }
}

// Expressions by the names themselves and by their aliases in imports and exports.
static void want_names(refs_pass *p, uint32_t file, const ken_unit_text *u)
{
    const ken_refs *r = u->refs;
    uint32_t n_aliases = 0, list;
    for (uint32_t i = 1; i < r->n_exprs; i++)
        if (has_name(&r->exprs[i]) && (list = list_of(p, r->exprs[i].name)) != 0)
            want_expr(p, i, list - 1);
    for (uint32_t i = 0; i < r->n_binds && n_aliases < ALIASES_MAX; i++) {
        const ken_bind *b = &r->binds[i];
        if (!is_renamed(b) || !b->name.len || (list = list_of(p, b->name)) == 0)
            continue;
        follow_bind(p, file, u, i, list - 1);
        n_aliases++;
    }
    want_variables(p, file, u);
    for (uint32_t d = u->facts->n_symbols; d < r->n_defs; d++) {
        ken_str held = name_held(u, d);
        if (held.len && held.ptr != ken_graph_name(u, d).ptr && (list = list_of(p, held)) != 0)
            add_alias(p, list - 1, file, r->n_binds + d, ken_graph_name(u, d));
    }
}

// Whether an import may bind file `whole` as a whole: without a name, or as its default.
static bool brings_whole(const refs_pass *p, uint32_t file, uint32_t bind, const ken_bind *b,
                         uint32_t whole)
{
    if (!b->module.len || b->kind == KEN_BIND_ALL || (b->name.len && !ken_query__is_whole(b->name)))
        return false;
    ken_module m, inner;
    ken_graph_bind(p->g, file, bind, &m, &inner);
    for (uint32_t i = 0; m.kind == KEN_MODULE_FILES && i < m.n_files; i++)
        if (m.files[i] == whole)
            return true;
    return false;
}

// `require('./m').default`, and variables that hold it.
static void want_default(refs_pass *p, uint32_t file, const ken_unit_text *u, ken_str module,
                         uint32_t list)
{
    const ken_refs *r = u->refs;
    for (uint32_t i = 1; i < r->n_exprs; i++)
        if (r->exprs[i].op == KEN_EXPR_MEMBER && ken_query__is_whole(r->exprs[i].name) &&
            is_same(r->exprs[r->exprs[i].a].name, module))
            want_expr(p, i, list);
    for (uint32_t d = 0; d < u->facts->n_symbols; d++) {
        const ken_expr *e = &r->exprs[r->defs[d].value];
        if (u->facts->symbols[d].parent < 0 && is_of_module(u, d) && ken_query__is_whole(e->name) &&
            is_same(r->exprs[e->a].name, module))
            follow_variable(p, file, u, d, list);
    }
}

static void want_whole(refs_pass *p, uint32_t file, const ken_unit_text *u, uint32_t list)
{
    uint32_t whole = p->lists[list].file, n_aliases = 0;
    for (uint32_t i = 0; i < u->refs->n_binds && n_aliases < ALIASES_MAX; i++) {
        const ken_bind *b = &u->refs->binds[i];
        if (!b->local.len || !brings_whole(p, file, i, b, whole))
            continue;
        follow_bind(p, file, u, i, list);
        want_default(p, file, u, b->local, list);
        n_aliases++;
    }
}

// ---- resolving ----------------------------------------------------------------------------------

// The definition to show for a place: the outermost callable around it, else the innermost definition.
static int32_t holder_of(const ken_facts *f, int64_t within)
{
    int64_t best = -1;
    for (int64_t at = within; at >= 0; at = f->symbols[at].parent)
        if (best < 0 || ken_symbol_is_callable(f->symbols[at].kind))
            best = at;
    return (int32_t)best;
}

static void add_ref(ref_list *list, query_ref ref, const ken_targets *t)
{
    ref.first_target = (uint32_t)list->targets.len;
    for (uint32_t i = 0; i < t->n; i++)
        ken_vec_push(&list->targets, t->defs[i]);
    ken_vec_push(&list->refs, ref);
}

static void resolve_ref(refs_pass *p, uint32_t file, const ken_unit_text *u, uint32_t ref)
{
    const ken_ref *r = &u->refs->refs[ref];
    ken_targets t;
    ken_graph_resolve_ref(p->g, file, r, &t);
    int64_t within = ken_graph_within(p->g, file, r->byte);
    query_ref found = { .evidence = t.evidence,
                        .file = file,
                        .ref = ref,
                        .within = (int32_t)within,
                        .holder = holder_of(u->facts, within),
                        .n_targets = (uint8_t)t.n,
                        .role = (uint8_t)r->role,
                        .class = (uint8_t)t.class,
                        .is_stored = ken_query__stored_at(u->refs, r->byte) != NULL };
    for (uint32_t a = p->first.ptr[r->expr]; a; a = p->wanted.ptr[a - 1].next)
        add_ref(&p->lists[p->wanted.ptr[a - 1].of], found, &t);
}

// `list` counts only for QUERY_REFS_WHOLE.
static void resolve_file(refs_pass *p, uint32_t file, uint32_t list)
{
    const ken_unit_text *u = ken_graph_unit(p->g, file);
    if (!u)
        return;
    ken_vec_clear(&p->wanted);
    ken_vec_clear(&p->first);
    for (uint32_t i = 0; i < u->refs->n_exprs; i++)
        ken_vec_push(&p->first, 0);
    if (p->what == QUERY_REFS_NAME)
        want_names(p, file, u);
    else
        want_whole(p, file, u, list);
    for (uint32_t i = 0, n = 0; p->wanted.len && i < u->refs->n_refs; i++) {
        if (!p->first.ptr[u->refs->refs[i].expr])
            continue;
        resolve_ref(p, file, u, i);
        if (++n % CHECK_EVERY == 0 && ken_quota_is_over())
            break; // resolve_files returns the reason
    }
}

// ---- the lists ----------------------------------------------------------------------------------

// In `arena`; for NULL on the heap, for the cache.
static query_refs *pack_list(const ref_list *l, ken_arena *arena)
{
    size_t n_refs = l->refs.len * sizeof *l->refs.ptr;
    size_t n_renamed = l->renamed.len * sizeof *l->renamed.ptr;
    size_t n_targets = l->targets.len * sizeof *l->targets.ptr;
    size_t n_bytes = sizeof(query_refs) + n_refs + n_renamed + n_targets;
    query_refs *out = arena ? ken_arena_alloc(arena, n_bytes) : ken_alloc(n_bytes);
    char *at = (char *)(out + 1);
    *out = (query_refs){ .refs = (query_ref *)(void *)at,
                         .renamed = (query_renamed *)(void *)(at + n_refs),
                         .targets = (ken_graph_def *)(void *)(at + n_refs + n_renamed),
                         .n_refs = (uint32_t)l->refs.len,
                         .n_renamed = (uint32_t)l->renamed.len,
                         .n_targets = (uint32_t)l->targets.len,
                         .n_bytes = n_bytes };
    if (n_refs)
        memcpy(out->refs, l->refs.ptr, n_refs);
    if (n_renamed)
        memcpy(out->renamed, l->renamed.ptr, n_renamed);
    if (n_targets)
        memcpy(out->targets, l->targets.ptr, n_targets);
    return out;
}

static ken_status resolve_files(refs_pass *p, const uint8_t *marked, uint32_t list,
                                const ken_cancel *cancel, ken_err *err)
{
    ken_status st = KEN_OK;
    uint32_t n = 0, n_marked = 0;
    for (uint32_t f = 0; f < p->s->n_files; f++)
        n_marked += marked[f];
    for (uint32_t f = 0; !st && f < p->s->n_files; f++) {
        if (!marked[f])
            continue;
        resolve_file(p, f, list);
        ken_query__graph_ease(p->s);
        st = ken_cancel_check(cancel, err);
        n += !st;
    }
    if (st)
        ken_quota_say("%u of the %u files that contain the name were searched", n, n_marked);
    return st;
}

static bool is_imported_by(const query_import_graph *g, uint32_t file, uint32_t by)
{
    const uint32_t *files = g->files + g->starts[by];
    size_t n = g->starts[by + 1] - g->starts[by];
    size_t at = ken_first_u32(files, n, sizeof *files, file);
    return at < n && files[at] == file;
}

// Marks the files that import the file whose path is the list's name.
static ken_status mark_importers(refs_pass *p, ref_list *list, uint8_t *marked,
                                 const ken_cancel *cancel, ken_arena *arena, ken_err *err)
{
    const query_import_graph *imports;
    ken_status st = ken_query__imports(p->s, cancel, &imports, err);
    if (st)
        return st;
    uint32_t n_files = p->s->n_files;
    uint32_t lo = (uint32_t)KEN_FIRST_STR(ken_file_row, path, p->s->rows, n_files, list->name);
    list->file = lo;
    uint32_t *files = KEN_ARENA_ARRAY(arena, uint32_t, n_files + 1), n = 0;
    for (uint32_t f = 0; f < n_files; f++) {
        marked[f] = is_imported_by(imports, lo, f);
        if (marked[f])
            files[n++] = f;
    }
    ken_query__graph_expect(p->s, files, n);
    return KEN_OK;
}

static ken_status mark_files(refs_pass *p, uint32_t list, uint8_t *marked, const ken_cancel *cancel,
                             ken_arena *arena, ken_err *err)
{
    if (p->what == QUERY_REFS_WHOLE)
        return mark_importers(p, &p->lists[list], marked, cancel, arena, err);
    uint32_t *files;
    size_t n;
    ken_status st = ken_query__graph_files_with(p->s, p->lists[list].name, arena, &files, &n, err);
    for (size_t i = 0; !st && i < n; i++)
        marked[files[i]] = 1;
    return st;
}

static ken_status build_lists(refs_pass *p, const ken_cancel *cancel, ken_arena *arena,
                              ken_err *err)
{
    ken_status st = KEN_OK;
    uint8_t *marked = ken_zalloc(p->s->n_files + (size_t)1);
    fill_slots(p, arena);
    for (uint32_t i = 0; !st && i < p->n_lists; i++) {
        st = ken_cancel_check(cancel, err);
        if (!st)
            st = mark_files(p, i, marked, cancel, arena, err);
        bool is_alone = p->what == QUERY_REFS_WHOLE; // each list has its own files
        if (!st && (is_alone || i + 1 == p->n_lists)) {
            st = resolve_files(p, marked, i, cancel, err);
            memset(marked, 0, p->s->n_files);
        }
    }
    ken_free(marked);
    return st;
}

// Two definitions of one name may be asked about together.
static bool is_asked(const refs_pass *p, ken_str name)
{
    for (uint32_t i = 0; i < p->n_lists; i++)
        if (p->lists[i].name.ptr == name.ptr)
            return true;
    return false;
}

static void release_pass(refs_pass *p)
{
    for (uint32_t i = 0; i < p->n_lists; i++) {
        ken_vec_release(&p->lists[i].refs);
        ken_vec_release(&p->lists[i].targets);
        ken_vec_release(&p->lists[i].renamed);
    }
    ken_vec_release(&p->wanted);
    ken_vec_release(&p->first);
}

ken_status ken_query__refs_get(ken_snapshot *s, ken_graph *g, query_refs_kind what,
                               const ken_str *names, uint32_t n_names, const ken_cancel *cancel,
                               ken_arena *arena, const query_refs **out, ken_err *err)
{
    query_refs_cache *kept = ken_query__graph_refs(s);
    refs_pass p = { .s = s, .g = g, .what = what };
    p.lists = KEN_ARENA_ARRAY(arena, ref_list, n_names + (size_t)1);
    for (uint32_t i = 0; i < n_names; i++)
        if (!cached_list(kept, what, names[i]) && !is_asked(&p, names[i]))
            p.lists[p.n_lists++].name = names[i];
    ken_status st = p.n_lists ? build_lists(&p, cancel, arena, err) : KEN_OK;
    bool is_part = ken_quota_settle(st, err); // partial lists are shown, never cached
    if (is_part)
        st = KEN_OK;
    for (uint32_t i = 0; !st && !is_part && i < p.n_lists; i++)
        cache_list(kept, what, p.lists[i].name, pack_list(&p.lists[i], NULL));
    for (uint32_t i = 0; !st && i < n_names; i++)
        out[i] = cached_list(kept, what, names[i]);
    for (uint32_t i = 0; is_part && i < n_names; i++)
        for (uint32_t l = 0; l < p.n_lists && !out[i]; l++)
            if (p.lists[l].name.ptr == names[i].ptr)
                out[i] = pack_list(&p.lists[l], arena);
    release_pass(&p);
    return st;
}
