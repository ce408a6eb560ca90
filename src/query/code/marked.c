// SPDX-License-Identifier: MIT
// Tests that stand among the code: what is marked as one (`#[test]`, `@Test`), and what shares a module or a class
// with such a one.
#include "query/query_graph_priv.h"

static bool is_marked(const ken_unit_text *u, const ken_symbol *s, const char *marks)
{
    for (uint32_t i = ken_query__first_ref(u->refs, s->span.start);
         i < u->refs->n_refs && u->refs->refs[i].byte < s->signature.end; i++)
        if (u->refs->refs[i].role == KEN_REF_DECORATE &&
            ken_str_fits(marks, u->refs->exprs[u->refs->refs[i].expr].name))
            return true;
    return false;
}

// Whether one of the callables right in it is marked.
static bool holds_marked(const ken_unit_text *u, int32_t outer, const char *marks)
{
    const ken_symbol *all = u->facts->symbols;
    for (uint32_t i = (uint32_t)outer + 1;
         i < u->facts->n_symbols && all[i].span.start < all[outer].span.end; i++)
        if (all[i].parent == outer && ken_symbol_is_callable(all[i].kind) &&
            is_marked(u, &all[i], marks))
            return true;
    return false;
}

bool ken_query__is_test_at(ken_snapshot *s, ken_graph *g, uint32_t file, int64_t within)
{
    if (ken_query__is_test(s, file))
        return true;
    const char *marks = ken_lang_at(s->contents[file].lang)->test_marks;
    const ken_unit_text *u = marks && within >= 0 ? ken_graph_unit(g, file) : NULL;
    if (!u || within >= u->facts->n_symbols)
        return false;
    for (int32_t i = (int32_t)within; i >= 0; i = u->facts->symbols[i].parent) {
        const ken_symbol *d = &u->facts->symbols[i];
        bool is_test =
            ken_symbol_is_type(d->kind) ? holds_marked(u, i, marks) : is_marked(u, d, marks);
        if (is_test)
            return true;
    }
    return false;
}
