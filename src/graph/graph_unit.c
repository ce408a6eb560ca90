// SPDX-License-Identifier: MIT
// One file of the tree, made ready: its definitions by owner and name, and room for what is worked
// out about it.
#include <string.h>

#include "base/hash.h"
#include "base/sorted.h"
#include "graph/graph_driver_priv.h"

ken_str ken_graph_name(const ken_unit_text *u, ken_def_id def)
{
    uint32_t n = u->facts->n_symbols;
    return def < n ? u->facts->symbols[def].name : u->refs->implied[def - n].name;
}

ken_symbol_kind ken_graph_kind(const ken_unit_text *u, ken_def_id def)
{
    uint32_t n = u->facts->n_symbols;
    return def < n ? u->facts->symbols[def].kind : u->refs->implied[def - n].kind;
}

int32_t ken_graph_owner(const ken_unit_text *u, ken_def_id def)
{
    uint32_t n = u->facts->n_symbols;
    return def < n ? u->facts->symbols[def].parent : u->refs->implied[def - n].owner;
}

uint32_t ken_graph_byte(const ken_unit_text *u, ken_def_id def)
{
    uint32_t n = u->facts->n_symbols;
    return def < n ? u->facts->symbols[def].span.start : u->refs->implied[def - n].byte;
}

bool ken_graph__is_space(ken_symbol_kind kind)
{
    return kind == KEN_SYMBOL_NAMESPACE || kind == KEN_SYMBOL_MODULE;
}

uint64_t ken_graph__space_add(uint64_t space, ken_str text)
{
    for (size_t i = 0; i < text.len;) {
        size_t from = i;
        while (i < text.len && !memchr(".:\\/", text.ptr[i], 4))
            i++;
        if (i > from) {
            uint64_t both[2] = { space, ken_hash_str(ken_str_sub(text, from, i)) };
            space = ken_hash64(both, sizeof both);
        }
        i++;
    }
    return space;
}

uint64_t ken_graph__space_of(const graph_unit *u, int32_t def)
{
    int32_t around[16];
    uint32_t n = 0;
    for (int32_t o = def; o >= 0 && n < 16; o = ken_graph_owner(&u->text, (ken_def_id)o))
        if (ken_graph__is_space(ken_graph_kind(&u->text, (ken_def_id)o)))
            around[n++] = o;
    uint64_t space = u->package;
    while (n)
        space = ken_graph__space_add(space, ken_graph_name(&u->text, (ken_def_id)around[--n]));
    return space;
}

// The first base of that definition, by binary search; they are sorted by definition.
uint32_t ken_graph__first_base(const ken_refs *r, ken_def_id def)
{
    return (uint32_t)KEN_FIRST_U32(ken_base, def, r->bases, r->n_bases, def);
}

bool ken_graph__has_owner(const graph_unit *u, ken_def_id def)
{
    const ken_refs *r = u->text.refs;
    for (uint32_t i = ken_graph__first_base(r, def); i < r->n_bases && r->bases[i].def == def; i++)
        if (r->bases[i].kind == KEN_BASE_OWNER)
            return true;
    return false;
}

ken_def_id ken_graph__holder(const graph_unit *u, ken_def_id def)
{
    int32_t owner = ken_graph_owner(&u->text, def);
    return owner >= 0 && !ken_graph__has_owner(u, def) ? (ken_def_id)owner : def;
}

// What an enumerator inside it is seen through: its enum, `typedef enum foo { … } foo`, what is of a
// type without a name (`enum { A } mode;`), in C any record.
static bool is_open(const graph_unit *u, ken_symbol_kind kind)
{
    bool is_record = kind == KEN_SYMBOL_STRUCT || kind == KEN_SYMBOL_UNION;
    return kind == KEN_SYMBOL_ENUM || kind == KEN_SYMBOL_TYPE || ken_symbol_is_variable(kind) ||
           (is_record && u->lang->opens_records);
}

// Where a definition can be named without a prefix: macros of files that are included know no
// scopes, enumerators belong to the scope of their enum; members that are written outside of their
// type belong to no scope of the file.
int32_t ken_graph__scope_of(const graph_unit *u, ken_def_id def)
{
    if (u->driver->scope_of)
        return u->driver->scope_of(u, def);
    int32_t owner = ken_graph_owner(&u->text, def);
    while (owner >= 0 && u->lang->opens_tests &&
           ken_graph_kind(&u->text, (ken_def_id)owner) == KEN_SYMBOL_TEST)
        owner = ken_graph_owner(&u->text, (ken_def_id)owner);
    if (u->lang->includes && ken_graph_kind(&u->text, def) == KEN_SYMBOL_MACRO)
        return -1;
    bool is_in_space =
        owner < 0 ||
        (u->lang->includes && ken_graph__is_space(ken_graph_kind(&u->text, (ken_def_id)owner)));
    if (is_in_space && !u->lang->shows_extensions && ken_graph__has_owner(u, def))
        return GRAPH_ELSEWHERE;
    if (u->lang->includes && ken_graph_kind(&u->text, def) == KEN_SYMBOL_ENUM_MEMBER)
        while (owner >= 0 && is_open(u, ken_graph_kind(&u->text, (ken_def_id)owner)))
            owner = ken_graph_owner(&u->text, (ken_def_id)owner);
    return owner;
}

static uint32_t bucket_of(const graph_unit *u, int32_t owner, ken_str name)
{
    return (uint32_t)(ken_hash_str(name) * 31 + (uint32_t)owner) & u->mask;
}

static void link_names(ken_graph *g, graph_unit *u)
{
    uint32_t n_buckets = 8;
    while (n_buckets < u->n_defs * 2)
        n_buckets *= 2;
    u->mask = n_buckets - 1;
    u->bucket = KEN_ARENA_ARRAY(&g->arena, uint32_t, n_buckets);
    u->next = KEN_ARENA_ARRAY(&g->arena, uint32_t, u->n_defs + 1);
    for (uint32_t d = u->n_defs; d-- > 0;) { // the first of the file is the first of its chain
        ken_symbol_kind kind = ken_graph_kind(&u->text, d);
        if (kind == KEN_SYMBOL_TEST || kind == KEN_SYMBOL_IMPL)
            continue; // what it is called is a text, or the name of another definition
        uint32_t b = bucket_of(u, ken_graph__scope_of(u, d), ken_graph_name(&u->text, d));
        u->next[d] = u->bucket[b];
        u->bucket[b] = d + 1;
    }
}

// How far the symbols up to each one reach.
static void measure_reach(ken_graph *g, graph_unit *u)
{
    u->reach = KEN_ARENA_ARRAY(&g->arena, uint32_t, u->n_symbols + 1);
    uint32_t reach = 0;
    for (uint32_t i = 0; i < u->n_symbols; i++) {
        uint32_t end = u->text.facts->symbols[i].span.end;
        reach = end > reach ? end : reach;
        u->reach[i] = reach;
    }
}

static void count_args(ken_graph *g, graph_unit *u)
{
    const ken_refs *r = u->text.refs;
    u->n_args = KEN_ARENA_ARRAY(&g->arena, uint16_t, r->n_exprs + 1);
    for (uint32_t e = 1; e < r->n_exprs; e++) {
        if (r->exprs[e].op != KEN_EXPR_CALL)
            continue;
        uint16_t *n = &u->n_args[r->exprs[e].a];
        uint16_t said = r->exprs[e].b > 1000 ? 1000 : (uint16_t)r->exprs[e].b;
        *n = *n && *n != said ? UINT16_MAX : said;
    }
}

// The key of the declared package; where that is a definition of the file (C#'s and PHP's
// namespaces) it holds what is inside by itself.
static uint64_t package_of(const ken_unit_text *u)
{
    ken_str package = u->refs->package;
    for (uint32_t i = 0; i < u->facts->n_symbols; i++)
        if (u->facts->symbols[i].kind == KEN_SYMBOL_NAMESPACE && u->facts->symbols[i].parent < 0 &&
            ken_str_eq(u->facts->symbols[i].name, package))
            return 0;
    return package.len ? ken_graph__space_add(0, package) : 0;
}

graph_unit *ken_graph__unit_of(ken_graph *g, uint32_t file)
{
    if (file >= g->source->n_files || g->is_absent[file])
        return NULL;
    if (g->units[file]) {
        g->units[file]->question = g->question;
        return g->units[file];
    }
    graph_unit u = { .file = file, .question = g->question };
    if (!g->source->load(g->source->ctx, file, &u.text)) {
        g->is_absent[file] = true;
        return NULL;
    }
    u.lang = ken_lang_at(u.text.lang);
    u.driver = ken_graph__driver_of(u.text.lang);
    u.n_symbols = u.text.facts->n_symbols;
    u.n_defs = u.n_symbols + u.text.refs->n_implied;
    u.package = package_of(&u.text);
    link_names(g, &u);
    count_args(g, &u);
    measure_reach(g, &u);
    u.exprs = KEN_ARENA_ARRAY(&g->arena, const graph_value *, u.text.refs->n_exprs + 1);
    u.held = KEN_ARENA_ARRAY(&g->arena, const graph_value *, u.n_defs + 1);
    u.binds = KEN_ARENA_ARRAY(&g->arena, const graph_value *, u.text.refs->n_binds + 1);
    g->units[file] = KEN_ARENA_NEW(&g->arena, graph_unit);
    *g->units[file] = u;
    return g->units[file];
}

uint32_t ken_graph__children(const graph_unit *u, int32_t owner, ken_str name, ken_def_id *out,
                             uint32_t max)
{
    uint32_t n = 0;
    for (uint32_t d = u->bucket[bucket_of(u, owner, name)]; d && n < max; d = u->next[d - 1])
        if (ken_graph__scope_of(u, d - 1) == owner &&
            ken_str_eq(ken_graph_name(&u->text, d - 1), name))
            out[n++] = d - 1;
    return n;
}

const ken_unit_text *ken_graph_unit(ken_graph *g, uint32_t file)
{
    graph_unit *u = ken_graph__unit_of(g, file);
    return u ? &u->text : NULL;
}

int64_t ken_graph_within(ken_graph *g, uint32_t file, uint32_t byte)
{
    graph_unit *u = ken_graph__unit_of(g, file);
    if (!u)
        return -1;
    // The last symbol that begins at or before the byte and reaches over it.
    const ken_symbol *s = u->text.facts->symbols;
    int64_t at = (int64_t)KEN_FIRST_BEHIND_U32(ken_symbol, span.start, s, u->n_symbols, byte) - 1;
    while (at >= 0 && s[at].span.end <= byte && u->reach[at] > byte)
        at--;
    return at >= 0 && s[at].span.end > byte ? at : -1;
}

bool ken_graph__is_around(const graph_unit *u, int32_t outer, int32_t def)
{
    while (def >= 0 && def != outer)
        def = ken_graph_owner(&u->text, (ken_def_id)def);
    return def == outer;
}
