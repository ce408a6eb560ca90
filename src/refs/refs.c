// SPDX-License-Identifier: MIT
// A maker's life: begin a file, extract from its trees (refs_walk.c), finish.
#include "refs/refs.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "refs/refs_priv.h"

ken_refs_maker *ken_refs_maker_new(void)
{
    return ken_zalloc(sizeof(ken_refs_maker));
}

void ken_refs_maker_free(ken_refs_maker *m)
{
    if (!m)
        return;
    ken_vec_release(&m->places);
    ken_vec_release(&m->order);
    ken_vec_release(&m->name_bytes);
    ken_vec_release(&m->names);
    ken_slots_release(&m->name_slots);
    ken_vec_release(&m->exprs);
    ken_slots_release(&m->expr_slots);
    ken_vec_release(&m->kept);
    ken_vec_release(&m->refs);
    ken_vec_release(&m->implied);
    ken_vec_release(&m->defs);
    ken_vec_release(&m->implied_defs);
    ken_vec_release(&m->bases);
    ken_vec_release(&m->binds);
    ken_vec_release(&m->literals);
    ken_vec_release(&m->stored);
    ken_vec_release(&m->frames);
    ken_vec_release(&m->values);
    ken_vec_release(&m->locals);
    ken_vec_release(&m->decls);
    ken_vec_release(&m->steps);
    ken_free(m);
}

void ken_refs_begin(ken_refs_maker *m, ken_str text, const ken_symbol *symbols, uint32_t n_symbols,
                    ken_arena *arena)
{
    m->text = text;
    m->package = KEN_STR("");
    m->arena = arena;
    m->symbols = symbols;
    m->n_symbols = n_symbols;
    ken_refs__clear_exprs(m);
    ken_vec_clear(&m->places);
    ken_vec_clear(&m->refs);
    ken_vec_clear(&m->implied);
    ken_vec_clear(&m->defs);
    ken_vec_clear(&m->implied_defs);
    ken_vec_clear(&m->bases);
    ken_vec_clear(&m->binds);
    ken_vec_clear(&m->literals);
    ken_vec_clear(&m->stored);
    ken_vec_clear(&m->values);
    ken_vec_clear(&m->locals);
    ken_vec_clear(&m->decls);
    ken_vec_clear(&m->steps);
    m->n_unseen = m->types_until = 0;
    m->n_left_out = 0;
    ken_refs__begin_defs(m);
}

void ken_refs_leave_out(ken_refs_maker *m, const uint32_t *bytes, uint32_t n)
{
    m->left_out = bytes;
    m->n_left_out = n;
}

static int by_byte(const void *a, const void *b)
{
    const ken_ref *x = a, *y = b;
    if (x->byte != y->byte)
        return x->byte < y->byte ? -1 : 1;
    return (x->expr > y->expr) - (x->expr < y->expr);
}

static int by_def(const void *a, const void *b)
{
    const ken_base *x = a, *y = b;
    if (x->def != y->def)
        return x->def < y->def ? -1 : 1;
    return (x->expr > y->expr) - (x->expr < y->expr);
}

// Places come in order but for a few names in front of what they belong to.
static void order_refs(ken_refs_maker *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->refs.len; i++)
        if (m->refs.ptr[i].expr) // was reserved for what turned out to be no reference
            m->refs.ptr[n++] = m->refs.ptr[i];
    m->refs.len = n;
    for (size_t i = 1; i < m->refs.len; i++) {
        if (m->refs.ptr[i - 1].byte > m->refs.ptr[i].byte) {
            qsort(m->refs.ptr, m->refs.len, sizeof *m->refs.ptr, by_byte);
            return;
        }
    }
}

// ---- what is kept ------------------------------------------------------------------------------

static bool has_part_a(ken_expr_op op)
{
    enum {
        LEAVES = 1 << KEN_EXPR_NAME | 1 << KEN_EXPR_DEF | 1 << KEN_EXPR_SELF | 1 << KEN_EXPR_SUPER |
                 1 << KEN_EXPR_PARAM | 1 << KEN_EXPR_BUILTIN,
    };
    return !(LEAVES >> op & 1);
}

static bool has_part_b(ken_expr_op op)
{
    return op == KEN_EXPR_APPLY || op == KEN_EXPR_EITHER || op == KEN_EXPR_LAMBDA ||
           op == KEN_EXPR_NAME || op == KEN_EXPR_MEMBER;
}

// Marks what something in the file is said by. Most calls, for one, are statements, whose result
// nobody asks for.
static void mark_used(ken_refs_maker *m)
{
    uint32_t *used = m->kept.ptr;
    for (size_t i = 0; i < m->refs.len; i++)
        used[m->refs.ptr[i].expr] = 1;
    for (size_t i = 0; i < m->defs.len; i++)
        used[m->defs.ptr[i].value] = 1;
    for (size_t i = 0; i < m->implied_defs.len; i++)
        used[m->implied_defs.ptr[i].value] = 1;
    for (size_t i = 0; i < m->bases.len; i++)
        used[m->bases.ptr[i].expr] = 1;
    if (m->rules && m->rules->counts_calls) // the number of arguments chooses the overload
        for (size_t i = 1; i < m->exprs.len; i++)
            if (m->exprs.ptr[i].op == KEN_EXPR_CALL && used[m->exprs.ptr[i].a])
                used[i] = 1;
    for (size_t i = 0; i < m->literals.len; i++)
        used[m->literals.ptr[i].callee] = used[m->literals.ptr[i].handler] = 1;
    for (size_t i = 0; i < m->stored.len; i++)
        used[m->stored.ptr[i].into] = used[m->stored.ptr[i].value] = 1;
    for (size_t i = m->exprs.len; i-- > 1;) {
        const refs_expr *e = &m->exprs.ptr[i];
        if (used[i] && has_part_a(e->op))
            used[e->a] = 1;
        if (used[i] && has_part_b(e->op))
            used[e->b] = 1;
    }
}

// Copies the expressions that are used; `kept` then says the new number of each.
static void copy_exprs(ken_refs_maker *m, ken_refs *out)
{
    ken_vec_reserve(&m->kept, m->exprs.len);
    memset(m->kept.ptr, 0, m->exprs.len * sizeof *m->kept.ptr);
    mark_used(m);
    uint32_t n = 0, *kept = m->kept.ptr;
    kept[0] = 1;
    for (size_t i = 0; i < m->exprs.len; i++)
        n += kept[i];
    out->exprs = ken_arena_alloc(m->arena, ken_mul_size(n, sizeof *out->exprs));
    for (size_t i = 0; i < m->exprs.len; i++) {
        if (!kept[i])
            continue;
        const refs_expr *e = &m->exprs.ptr[i];
        kept[i] = out->n_exprs;
        out->exprs[out->n_exprs++] =
            (ken_expr){ e->op, has_part_a(e->op) ? kept[e->a] : e->a,
                        has_part_b(e->op) ? kept[e->b] : e->b, m->names.ptr[e->name].text };
    }
}

static void renumber(ken_refs_maker *m)
{
    const uint32_t *kept = m->kept.ptr;
    for (size_t i = 0; i < m->refs.len; i++)
        m->refs.ptr[i].expr = kept[m->refs.ptr[i].expr];
    for (size_t i = 0; i < m->defs.len; i++)
        m->defs.ptr[i].value = kept[m->defs.ptr[i].value];
    for (size_t i = 0; i < m->implied_defs.len; i++)
        m->implied_defs.ptr[i].value = kept[m->implied_defs.ptr[i].value];
    for (size_t i = 0; i < m->bases.len; i++)
        m->bases.ptr[i].expr = kept[m->bases.ptr[i].expr];
    for (size_t i = 0; i < m->literals.len; i++) {
        ken_literal *l = &m->literals.ptr[i];
        l->callee = kept[l->callee];
        l->handler = kept[l->handler];
    }
    for (size_t i = 0; i < m->stored.len; i++) {
        ken_stored *s = &m->stored.ptr[i];
        s->into = kept[s->into];
        s->value = kept[s->value];
    }
}

static void copy_defs(ken_refs_maker *m, ken_refs *out)
{
    out->n_defs = (uint32_t)(m->defs.len + m->implied_defs.len);
    out->defs = ken_arena_alloc(m->arena, ken_mul_size(out->n_defs, sizeof *out->defs));
    if (m->defs.len)
        memcpy(out->defs, m->defs.ptr, m->defs.len * sizeof *out->defs);
    if (m->implied_defs.len)
        memcpy(out->defs + m->defs.len, m->implied_defs.ptr,
               m->implied_defs.len * sizeof *out->defs);
}

static int by_value_byte(const void *a, const void *b)
{
    const ken_stored *x = a, *y = b;
    if (x->byte != y->byte)
        return x->byte < y->byte ? -1 : 1;
    return (x->into > y->into) - (x->into < y->into);
}

void ken_refs_finish(ken_refs_maker *m, ken_refs *out)
{
    order_refs(m);
    if (m->stored.len)
        qsort(m->stored.ptr, m->stored.len, sizeof *m->stored.ptr, by_value_byte);
    if (m->bases.len)
        qsort(m->bases.ptr, m->bases.len, sizeof *m->bases.ptr, by_def);
    ken_refs exprs = { 0 };
    copy_exprs(m, &exprs);
    renumber(m);
    *out = (ken_refs){
        .package = m->package,
        .exprs = exprs.exprs,
        .n_exprs = exprs.n_exprs,
        .refs = ken_arena_copy(m->arena, m->refs.ptr, m->refs.len, sizeof *m->refs.ptr),
        .n_refs = (uint32_t)m->refs.len,
        .implied = ken_arena_copy(m->arena, m->implied.ptr, m->implied.len, sizeof *m->implied.ptr),
        .n_implied = (uint32_t)m->implied.len,
        .bases = ken_arena_copy(m->arena, m->bases.ptr, m->bases.len, sizeof *m->bases.ptr),
        .n_bases = (uint32_t)m->bases.len,
        .binds = ken_arena_copy(m->arena, m->binds.ptr, m->binds.len, sizeof *m->binds.ptr),
        .n_binds = (uint32_t)m->binds.len,
        .literals =
            ken_arena_copy(m->arena, m->literals.ptr, m->literals.len, sizeof *m->literals.ptr),
        .n_literals = (uint32_t)m->literals.len,
        .stored = ken_arena_copy(m->arena, m->stored.ptr, m->stored.len, sizeof *m->stored.ptr),
        .n_stored = (uint32_t)m->stored.len,
    };
    copy_defs(m, out);
}
