// SPDX-License-Identifier: MIT
// Places that use a name without a definition in the index: a library's, one that is only declared, or one
// whose file could not be parsed or is not indexed. Every place with the name counts,
// whatever it was resolved to.
#include "query/query_refs_priv.h"

enum {
    CHECK_EVERY = 64 // references between two checks
};

// Whether the module that a file has the name from is called `scope`: the last part of its path.
static bool is_imported_from(const ken_refs *r, ken_str name, ken_str scope)
{
    for (uint32_t i = 0; i < r->n_binds; i++) {
        const ken_bind *b = &r->binds[i];
        ken_str inner;
        if (ken_str_eq(b->local.len ? b->local : b->name, name) &&
            ken_str_eq(ken_query__last_name(b->module, &inner), scope))
            return true;
    }
    return false;
}

// `scope.name`, or `name` in a file that imports it from `scope`.
static bool is_in_scope(const ken_unit_text *u, const ken_ref *ref, ken_str name, ken_str scope)
{
    const ken_refs *r = u->refs;
    const ken_expr *e = &r->exprs[ref->expr];
    if (!scope.len)
        return true;
    if (e->op == KEN_EXPR_MEMBER && e->a < r->n_exprs)
        return ken_str_eq(r->exprs[e->a].name, scope);
    return is_imported_from(r, name, scope);
}

ken_status ken_query__edges_of_name(ken_snapshot *s, ken_graph *g, ken_str name,
                                    const ken_cancel *cancel, ken_arena *arena, query_edges *out,
                                    ken_err *err)
{
    const query_refs *list = NULL;
    ken_str scope, last = ken_query__graph_keep(s, ken_query__last_name(name, &scope));
    ken_query__graph_age(s);
    ken_status st = ken_query__refs_get(s, g, QUERY_REFS_NAME, &last, 1, cancel, arena, &list, err);
    for (uint32_t i = 0; !st && i < list->n_refs; i++) {
        const query_ref *r = &list->refs[i];
        const ken_unit_text *u = scope.len ? ken_graph_unit(g, r->file) : NULL;
        if (i % CHECK_EVERY == 0)
            st = ken_cancel_check(cancel, err);
        if (st || (u && !is_in_scope(u, &u->refs->refs[r->ref], last, scope)))
            continue;
        ken_vec_push(out, ken_query__ref_edge(r));
    }
    if (st && out->len && ken_quota_settle(st, err))
        st = KEN_OK;
    return st;
}
