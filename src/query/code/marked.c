// SPDX-License-Identifier: MIT
// Tests that stand among the code: what is marked as one (`#[test]`, `@Test`), and what shares a module or a class
// with such a one. Worked out once for each file.
#include "query/query_graph_priv.h"

bool ken_query__is_decorated(const ken_unit_text *u, const ken_symbol *s, const char *names)
{
    for (uint32_t i = ken_query__first_ref(u->refs, s->span.start);
         i < u->refs->n_refs && u->refs->refs[i].byte < s->signature.end; i++)
        if (u->refs->refs[i].role == KEN_REF_DECORATE &&
            (!names || ken_str_fits(names, u->refs->exprs[u->refs->refs[i].expr].name)))
            return true;
    return false;
}

// What is around a symbol has a smaller number.
static const query_tests *find_tests(const ken_unit_text *u, const char *marks, ken_arena *arena)
{
    static const query_tests none = { 0 };
    const ken_symbol *all = u->facts->symbols;
    uint32_t n = u->facts->n_symbols;
    query_tests *out = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (ken_symbol_is_type(all[i].kind) || !ken_query__is_decorated(u, &all[i], marks))
            continue;
        if (!out) {
            out = KEN_ARENA_NEW(arena, query_tests);
            *out = (query_tests){ n, ken_arena_zalloc(arena, n) };
        }
        out->is_test[i] = true;
        int32_t p = all[i].parent;
        if (p >= 0 && ken_symbol_is_callable(all[i].kind) && ken_symbol_is_type(all[p].kind))
            out->is_test[p] = true;
    }
    for (uint32_t i = 0; out && i < n; i++)
        out->is_test[i] |= all[i].parent >= 0 && out->is_test[all[i].parent];
    return out ? out : &none;
}

bool ken_query__is_test_at(ken_snapshot *s, ken_graph *g, uint32_t file, int64_t within)
{
    if (ken_query__is_test(s, file))
        return true;
    const char *marks = ken_lang_at(s->contents[file].lang)->test_marks;
    if (!marks || within < 0)
        return false;
    const query_tests **known = &ken_query__graph_tests(s)[file];
    const ken_unit_text *u = *known ? NULL : ken_graph_unit(g, file);
    if (u)
        *known = find_tests(u, marks, ken_query__graph_arena(s));
    return *known && within < (*known)->n && (*known)->is_test[within];
}
