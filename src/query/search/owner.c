// SPDX-License-Identifier: MIT
// Whose a definition is: the scope of `Beta.run`, `beta/run` or `ns::Beta::run`. Segments know
// names but not what is around them, so the facts of a file say it; they are looked at only where
// the owner is defined as well.
#include "base/alloc.h"
#include "base/path.h"
#include "base/quota.h"
#include "query/query_graph_priv.h"
#include "query/query_priv.h"

enum {
    LOOKED_AT_MAX = 500,   // definitions whose facts are read
    RESOLVED_AT_MAX = 200, // and whose owner the graph is asked for
    NESTING_MAX = 64
};

static query_fit fit_of(ken_str owner, ken_str scope)
{
    if (ken_str_eq(owner, scope))
        return QUERY_FIT_EXACT_OWNER;
    return ken_str_eq_fold(owner, scope) ? QUERY_FIT_OWNER : QUERY_FIT_NONE;
}

static query_fit fit_inside(const ken_facts *facts, uint32_t symbol, ken_str scope)
{
    query_fit best = QUERY_FIT_NONE;
    int32_t up = symbol < facts->n_symbols ? facts->symbols[symbol].parent : -1;
    for (int i = 0; up >= 0 && i < NESTING_MAX; up = facts->symbols[up].parent, i++) {
        query_fit fit = fit_of(facts->symbols[up].name, scope);
        best = fit > best ? fit : best;
    }
    return best;
}

static bool path_fits(ken_str path, ken_str scope)
{
    return ken_str_eq_fold(ken_path_stem(path), scope) ||
           ken_str_eq_fold(ken_path_base(ken_path_dir(path)), scope);
}

// A mark for each file that defines the scope.
static ken_status mark_files(ken_snapshot *s, ken_str scope, ken_arena *arena, uint8_t *has_owner,
                             ken_err *err)
{
    query_names owners = { 0 };
    ken_status st = ken_query__names_equal(s, scope, arena, &owners, err);
    for (size_t i = 0; i < owners.len; i++)
        has_owner[owners.ptr[i].file] = 1;
    ken_vec_release(&owners);
    return st;
}

// Of what is written outside of its type, the graph knows the type: Go's methods, impl blocks,
// `void Beta::run() {}`. Asked only when nothing else fits letter by letter.
static ken_status fit_elsewhere(ken_snapshot *s, const query_names *names, ken_str scope,
                                query_fit *fits, ken_err *err)
{
    for (size_t i = 0; i < names->len; i++)
        if (fits[i] == QUERY_FIT_EXACT_OWNER)
            return KEN_OK;
    ken_graph *g;
    ken_status st = names->len ? ken_query__graph_open(s, &g, err) : KEN_OK;
    for (size_t i = 0; i < names->len && i < RESOLVED_AT_MAX && !st; i++) {
        ken_graph_def type, def = { names->ptr[i].file, names->ptr[i].symbol };
        st = ken_quota_check(err);
        if (st || !ken_graph_type_of(g, def, &type))
            continue;
        query_fit fit = fit_of(ken_graph_name(ken_graph_unit(g, type.file), type.def), scope);
        fits[i] = fit > fits[i] ? fit : fits[i];
    }
    return st;
}

static void expect_owners(ken_snapshot *s, const query_names *names, const uint8_t *has_owner,
                          ken_arena *arena)
{
    uint32_t *files = KEN_ARENA_ARRAY(arena, uint32_t, names->len + 1);
    size_t n = 0;
    for (size_t i = 0; i < names->len && n < LOOKED_AT_MAX; i++)
        if (has_owner[names->ptr[i].file])
            files[n++] = names->ptr[i].file;
    ken_query__expect_files(s, files, n);
}

ken_status ken_query__find_owned(ken_snapshot *s, const query_names *names, ken_str scope,
                                 ken_arena *arena, query_fit **out, ken_err *err)
{
    *out = KEN_ARENA_ARRAY(arena, query_fit, names->len + 1);
    if (!scope.len)
        return KEN_OK;
    uint8_t *has_owner = ken_zalloc((size_t)s->n_files + 1);
    ken_status st = mark_files(s, scope, arena, has_owner, err);
    size_t n_looked_at = 0;
    if (!st)
        expect_owners(s, names, has_owner, arena);
    for (size_t i = 0; i < names->len && !st; i++) {
        const query_name *n = &names->ptr[i];
        ken_facts facts;
        if (path_fits(s->rows[n->file].path, scope))
            (*out)[i] = QUERY_FIT_PATH;
        if (!has_owner[n->file] || n_looked_at++ >= LOOKED_AT_MAX)
            continue;
        st = ken_query__stored_facts(s, n->file, arena, &facts, err);
        query_fit fit = st ? QUERY_FIT_NONE : fit_inside(&facts, n->symbol, scope);
        (*out)[i] = fit > (*out)[i] ? fit : (*out)[i];
    }
    ken_free(has_owner);
    return st ? st : fit_elsewhere(s, names, scope, *out, err);
}

static bool is_alike(const ken_facts *a, uint32_t i, const ken_facts *b, uint32_t j)
{
    const ken_symbol *x = &a->symbols[i], *y = &b->symbols[j];
    if (x->kind != y->kind || !ken_str_eq(x->name, y->name))
        return false;
    if (x->parent < 0 || y->parent < 0)
        return x->parent < 0 && y->parent < 0;
    return ken_str_eq(a->symbols[x->parent].name, b->symbols[y->parent].name);
}

int64_t ken_query__same_symbol(const ken_facts *old, uint32_t symbol, const ken_facts *now)
{
    if (symbol >= old->n_symbols)
        return -1;
    uint32_t n_before = 0;
    for (uint32_t i = 0; i < symbol; i++)
        n_before += is_alike(old, symbol, old, i);
    int64_t found = -1, other = -1;
    for (uint32_t i = 0; i < now->n_symbols; i++) {
        const ken_symbol *sym = &now->symbols[i];
        if (is_alike(old, symbol, now, i)) {
            found = i;
            if (!n_before--)
                return found;
        } else if (other < 0 && sym->kind == old->symbols[symbol].kind &&
                   ken_str_eq(sym->name, old->symbols[symbol].name)) {
            other = i; // it may have moved
        }
    }
    return found >= 0 ? found : other;
}
