// SPDX-License-Identifier: MIT
// Handlers that a class makes of itself: `ArticleList.as_view()`. The method is a framework's, so that
// nothing of the tree is called; what answers is the class.
#include "query/query_routers_priv.h"

// Whether the call is of a method that the tree does not define, on a class that it does.
static bool is_made_by(ken_graph *g, uint32_t file, const ken_refs *r, const ken_ref *ref,
                       ken_graph_def *out)
{
    const ken_expr *e = &r->exprs[ref->expr];
    ken_targets t = { .n = 0 };
    if (ref->role != KEN_REF_CALL || e->op != KEN_EXPR_MEMBER)
        return false;
    ken_graph_resolve(g, file, ref->expr, KEN_REF_CALL, &t);
    if (t.n)
        return false;
    ken_graph_resolve(g, file, e->a, KEN_REF_READ, &t);
    const ken_unit_text *u = t.n ? ken_graph_unit(g, t.defs[0].file) : NULL;
    if (!u || !ken_symbol_is_type(ken_graph_kind(u, t.defs[0].def)))
        return false;
    *out = t.defs[0];
    return true;
}

int64_t ken_query__view_of(ken_graph *g, uint32_t file, const ken_refs *r, const ken_literal *l,
                           ken_graph_def *out)
{
    if (l->handler || l->decorates >= 0 || l->handler_byte <= l->byte)
        return -1;
    for (uint32_t i = ken_query__first_ref(r, l->handler_byte);
         i < r->n_refs && r->refs[i].byte < l->end; i++)
        if (is_made_by(g, file, r, &r->refs[i], out))
            return i;
    return -1;
}
