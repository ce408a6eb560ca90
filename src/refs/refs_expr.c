// SPDX-License-Identifier: MIT
// Names and expressions of a file, each kept once, with an index of both. Their memory stays from file to file; they are emptied entry by entry, so that a small file
// behind a large one costs little.
#include "base/alloc.h"
#include "base/hash.h"
#include "refs/refs_priv.h"

enum {
    MIN_SLOTS = 1024,
    MAX_NAME_BYTES = 200
};

void ken_refs__clear_exprs(ken_refs_maker *m)
{
    for (size_t i = 1; i < m->names.len; i++)
        m->name_slots.at[m->names.ptr[i].slot] = 0;
    for (size_t i = 1; i < m->exprs.len; i++)
        m->expr_slots.at[m->exprs.ptr[i].slot] = 0;
    ken_vec_clear(&m->names);
    ken_vec_clear(&m->exprs);
    refs_name_entry no_name = { .local = -1, .symbol = -1 };
    refs_expr no_expr = { .implied = -1 };
    ken_vec_push(&m->names, no_name);
    ken_vec_push(&m->exprs, no_expr);
}

static bool is_name(const void *names, uint32_t at, const void *key)
{
    const refs_name_entry *e = &((const refs_name_entry *)names)[at], *k = key;
    return e->hash == k->hash && ken_str_eq(e->text, k->text);
}

static void grow_names(ken_refs_maker *m)
{
    ken_slots_make(&m->name_slots, m->name_slots.n ? m->name_slots.n * 2 : MIN_SLOTS);
    for (size_t i = 1; i < m->names.len; i++) {
        refs_name_entry *e = &m->names.ptr[i];
        e->slot =
            (uint32_t)(ken_slots_enter(&m->name_slots, e->hash, (uint32_t)i) - m->name_slots.at);
    }
}

refs_name ken_refs__name(ken_refs_maker *m, ken_str text)
{
    if (!text.len)
        return 0;
    if (text.len > MAX_NAME_BYTES)
        text.len = MAX_NAME_BYTES;
    if (!ken_slots_has_room(&m->name_slots, m->names.len))
        grow_names(m);
    refs_name_entry e = {
        .text = text, .hash = (uint32_t)ken_hash_str(text), .local = -1, .symbol = -1
    };
    uint32_t *slot = ken_slots_find(&m->name_slots, e.hash, is_name, m->names.ptr, &e);
    if (*slot)
        return *slot - 1;
    if (m->names.len > KEN_MAX_REFS)
        return 0;
    e.slot = (uint32_t)(slot - m->name_slots.at);
    ken_vec_push(&m->names, e);
    *slot = (uint32_t)m->names.len;
    return (refs_name)m->names.len - 1;
}

static uint32_t hash_of(ken_expr_op op, uint32_t a, uint32_t b, refs_name name)
{
    uint64_t x = ((uint64_t)a << 32 | name) * 0x9e3779b97f4a7c15ULL;
    x ^= ((uint64_t)b << 32 | (uint32_t)op) * 0xc2b2ae3d27d4eb4fULL;
    x *= 0x9e3779b97f4a7c15ULL;
    return (uint32_t)(x >> 32);
}

static bool is_expr(const void *exprs, uint32_t at, const void *key)
{
    const refs_expr *e = &((const refs_expr *)exprs)[at], *k = key;
    return e->name == k->name && e->a == k->a && e->b == k->b && e->op == k->op;
}

static void grow_exprs(ken_refs_maker *m)
{
    ken_slots_make(&m->expr_slots, m->expr_slots.n ? m->expr_slots.n * 2 : MIN_SLOTS);
    for (size_t i = 1; i < m->exprs.len; i++) {
        refs_expr *e = &m->exprs.ptr[i];
        uint32_t hash = hash_of(e->op, e->a, e->b, e->name);
        e->slot = (uint32_t)(ken_slots_enter(&m->expr_slots, hash, (uint32_t)i) - m->expr_slots.at);
    }
}

// An expression without what it cannot do without: the name, or what it is made of.
static bool says_nothing(ken_expr_op op, uint32_t a, refs_name name)
{
    enum {
        NEEDS_NAME =
            1 << KEN_EXPR_NAME | 1 << KEN_EXPR_MEMBER | 1 << KEN_EXPR_PARAM | 1 << KEN_EXPR_BUILTIN,
        NEEDS_A = 1 << KEN_EXPR_CALL | 1 << KEN_EXPR_VALUE | 1 << KEN_EXPR_ELEMENT |
                  1 << KEN_EXPR_APPLY | 1 << KEN_EXPR_AWAIT | 1 << KEN_EXPR_GIVEN,
    };
    return (!name && (NEEDS_NAME >> op & 1)) || (!a && (NEEDS_A >> op & 1));
}

ken_expr_id ken_refs__expr(ken_refs_maker *m, ken_expr_op op, uint32_t a, uint32_t b,
                           refs_name name)
{
    if (says_nothing(op, a, name))
        return 0;
    if (!ken_slots_has_room(&m->expr_slots, m->exprs.len))
        grow_exprs(m);
    refs_expr e = { .op = op, .a = a, .b = b, .name = name, .implied = -1 };
    uint32_t *slot =
        ken_slots_find(&m->expr_slots, hash_of(op, a, b, name), is_expr, m->exprs.ptr, &e);
    if (*slot)
        return *slot - 1;
    if (m->exprs.len > KEN_MAX_REFS)
        return 0;
    e.slot = (uint32_t)(slot - m->expr_slots.at);
    ken_vec_push(&m->exprs, e);
    *slot = (uint32_t)m->exprs.len;
    return (ken_expr_id)m->exprs.len - 1;
}

ken_expr_id ken_refs__value_of_type(ken_refs_maker *m, ken_expr_id type)
{
    // What a type of the language is named by is already a value of it; so is `typeof x`.
    ken_expr_op op = m->exprs.ptr[type].op;
    if (op == KEN_EXPR_BUILTIN || op == KEN_EXPR_VALUE)
        return type;
    return ken_refs__expr(m, KEN_EXPR_VALUE, type, 0, 0);
}

ken_expr_id ken_refs__either(ken_refs_maker *m, ken_expr_id a, ken_expr_id b)
{
    if (!a || !b || a == b)
        return a ? a : b;
    return ken_refs__expr(m, KEN_EXPR_EITHER, a, b, 0);
}

int32_t ken_refs__add_ref(ken_refs_maker *m, ken_expr_id expr, ken_ref_role role, uint32_t byte)
{
    if (!expr || m->refs.len >= KEN_MAX_REFS)
        return -1;
    ken_ref ref = { expr, role, byte };
    ken_vec_push(&m->refs, ref);
    return (int32_t)m->refs.len - 1;
}

int32_t ken_refs__reserve_ref(ken_refs_maker *m, uint32_t byte)
{
    if (m->refs.len >= KEN_MAX_REFS)
        return -1;
    ken_ref ref = { 0, KEN_REF_READ, byte };
    ken_vec_push(&m->refs, ref);
    return (int32_t)m->refs.len - 1;
}

int32_t ken_refs__fill_ref(ken_refs_maker *m, int32_t reserved, ken_expr_id expr, ken_ref_role role,
                           uint32_t byte)
{
    if (reserved < 0)
        return ken_refs__add_ref(m, expr, role, byte);
    m->refs.ptr[reserved] = (ken_ref){ expr, role, byte };
    return expr ? reserved : -1;
}
