// SPDX-License-Identifier: MIT
// Names and expressions of a file, each kept once: two tables with open addressing, at most half
// full. Their memory stays from file to file; they are emptied entry by entry, so that a small file
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
        m->name_slots.ptr[m->names.ptr[i].slot] = 0;
    for (size_t i = 1; i < m->exprs.len; i++)
        m->expr_slots.ptr[m->exprs.ptr[i].slot] = 0;
    ken_vec_clear(&m->names);
    ken_vec_clear(&m->exprs);
    refs_name_entry no_name = { .local = -1, .symbol = -1 };
    refs_expr no_expr = { .implied = -1 };
    ken_vec_push(&m->names, no_name);
    ken_vec_push(&m->exprs, no_expr);
}

// A slot holds an index; 0 is free, for nothing that is looked for has index 0.
static void grow_slots(ken_vec_u32 *slots)
{
    size_t n = slots->len ? slots->len * 2 : MIN_SLOTS;
    ken_vec_reserve(slots, n);
    memset(slots->ptr, 0, n * sizeof *slots->ptr);
    slots->len = n;
}

static uint32_t free_slot(const ken_vec_u32 *slots, uint32_t hash)
{
    uint32_t mask = (uint32_t)slots->len - 1, at = hash & mask;
    while (slots->ptr[at])
        at = (at + 1) & mask;
    return at;
}

static void grow_names(ken_refs_maker *m)
{
    grow_slots(&m->name_slots);
    for (size_t i = 1; i < m->names.len; i++) {
        refs_name_entry *e = &m->names.ptr[i];
        e->slot = free_slot(&m->name_slots, e->hash);
        m->name_slots.ptr[e->slot] = (uint32_t)i;
    }
}

refs_name ken_refs__name(ken_refs_maker *m, ken_str text)
{
    if (!text.len)
        return 0;
    if (text.len > MAX_NAME_BYTES)
        text.len = MAX_NAME_BYTES;
    if (m->names.len * 2 > m->name_slots.len)
        grow_names(m);
    uint32_t hash = (uint32_t)ken_hash_str(text), mask = (uint32_t)m->name_slots.len - 1;
    uint32_t at = hash & mask;
    for (; m->name_slots.ptr[at]; at = (at + 1) & mask) {
        const refs_name_entry *e = &m->names.ptr[m->name_slots.ptr[at]];
        if (e->hash == hash && ken_str_eq(e->text, text))
            return m->name_slots.ptr[at];
    }
    if (m->names.len > KEN_MAX_REFS)
        return 0;
    refs_name_entry e = { text, hash, at, -1, -1 };
    m->name_slots.ptr[at] = (uint32_t)m->names.len;
    ken_vec_push(&m->names, e);
    return (refs_name)m->names.len - 1;
}

static uint32_t hash_of(ken_expr_op op, uint32_t a, uint32_t b, refs_name name)
{
    uint64_t x = ((uint64_t)a << 32 | name) * 0x9e3779b97f4a7c15ULL;
    x ^= ((uint64_t)b << 32 | (uint32_t)op) * 0xc2b2ae3d27d4eb4fULL;
    x *= 0x9e3779b97f4a7c15ULL;
    return (uint32_t)(x >> 32);
}

static void grow_exprs(ken_refs_maker *m)
{
    grow_slots(&m->expr_slots);
    for (size_t i = 1; i < m->exprs.len; i++) {
        refs_expr *e = &m->exprs.ptr[i];
        e->slot = free_slot(&m->expr_slots, hash_of(e->op, e->a, e->b, e->name));
        m->expr_slots.ptr[e->slot] = (uint32_t)i;
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
    if (m->exprs.len * 2 > m->expr_slots.len)
        grow_exprs(m);
    uint32_t mask = (uint32_t)m->expr_slots.len - 1, at = hash_of(op, a, b, name) & mask;
    for (; m->expr_slots.ptr[at]; at = (at + 1) & mask) {
        const refs_expr *e = &m->exprs.ptr[m->expr_slots.ptr[at]];
        if (e->name == name && e->a == a && e->b == b && e->op == op)
            return m->expr_slots.ptr[at];
    }
    if (m->exprs.len > KEN_MAX_REFS)
        return 0;
    refs_expr e = { op, a, b, name, at, -1 };
    m->expr_slots.ptr[at] = (uint32_t)m->exprs.len;
    ken_vec_push(&m->exprs, e);
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
