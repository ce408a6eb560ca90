// SPDX-License-Identifier: MIT
// What is put where it may be called from: fields that are assigned to, literals, tables. Only bare
// names are kept, and members of such: a function is said no other way.
#include "refs/refs_priv.h"

static bool has_lower(ken_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if ((name.ptr[i] >= 'a' && name.ptr[i] <= 'z') || (unsigned char)name.ptr[i] >= 0x80)
            return true;
    return false;
}

static bool is_bare(const refs_expr *e)
{
    return e->op == KEN_EXPR_NAME || e->op == KEN_EXPR_DEF;
}

static bool may_be_callable(const ken_refs_maker *m, ken_expr_id value)
{
    const refs_expr *e = &m->exprs.ptr[value];
    if (e->op == KEN_EXPR_DEF)
        return e->a < m->n_symbols && ken_symbol_is_callable(m->symbols[e->a].kind);
    bool is_name =
        e->op == KEN_EXPR_NAME || (e->op == KEN_EXPR_MEMBER && is_bare(&m->exprs.ptr[e->a]));
    return is_name && has_lower(m->names.ptr[e->name].text); // the others are constants
}

static bool may_hold(const ken_refs_maker *m, ken_expr_id into)
{
    const refs_expr *e = &m->exprs.ptr[into];
    return e->op == KEN_EXPR_NAME || e->op == KEN_EXPR_DEF ||
           (e->op == KEN_EXPR_MEMBER && e->a); // of something known
}

void ken_refs__store(ken_refs_maker *m, ken_expr_id into, const refs_value *v)
{
    if (!into || !v || v->ref < 0 || !may_be_callable(m, v->expr) || !may_hold(m, into) ||
        m->stored.len >= KEN_MAX_REFS)
        return;
    ken_stored s = { into, v->expr, m->refs.ptr[v->ref].byte };
    ken_vec_push(&m->stored, s);
}

// ---- lists -------------------------------------------------------------------------------------

// `T name[] = {`: between the name and what it is given.
static bool is_array(const ken_refs_maker *m, const refs_decl *d)
{
    ken_str rest = ken_str_sub(m->text, d->byte + d->text.len, m->text.len);
    size_t end = ken_str_find_char(rest, '=');
    return end != SIZE_MAX && ken_str_find_char(ken_str_sub(rest, 0, end), '[') != SIZE_MAX;
}

typedef struct list_place {
    ken_expr_id made;  // a value of the type that the list is of; 0 = not known
    ken_expr_id table; // the variable that holds the list; 0 = it is no table
} list_place;

static list_place in_declaration(ken_refs_maker *m, const refs_frame *f, const refs_frame *outer,
                                 ken_expr_id type)
{
    list_place at = { 0 };
    if (outer->first_decl >= f->first_decl)
        return at;
    const refs_decl *d = &m->decls.ptr[outer->first_decl];
    uint32_t level = f->depth - outer->depth;
    bool is_table = is_array(m, d);
    if (level == (is_table ? 3 : 2)) {
        at.made = ken_refs__value_of_type(m, type);
    } else if (is_table && level == 2) {
        int32_t def = ken_refs__def_named_at(m, d->byte);
        at.table = def >= 0 ? ken_refs__expr(m, KEN_EXPR_DEF, (uint32_t)def, 0, 0) : 0;
    }
    return at;
}

static list_place place_of(ken_refs_maker *m, const refs_frame *f)
{
    const refs_frame *outer = f - 1;
    while (outer->rule && outer->rule->role != KEN_REF_RULE_LOCAL &&
           outer->rule->role != KEN_REF_RULE_CAST)
        outer--;
    if (!outer->rule)
        return (list_place){ 0 };
    const refs_value *type = outer->rule->path[KEN_REF_PATH_TYPE]
                                 ? ken_refs__value_at(m, outer, KEN_REF_PATH_TYPE)
                                 : ken_refs__first(m, outer);
    if (!type || !type->expr)
        return (list_place){ 0 };
    if (outer->rule->role == KEN_REF_RULE_LOCAL)
        return in_declaration(m, f, outer, type->expr);
    bool is_whole = f->depth - outer->depth == 1;
    return (list_place){ .made = is_whole ? ken_refs__value_of_type(m, type->expr) : 0 };
}

void ken_refs__store_positions(ken_refs_maker *m, const refs_frame *f)
{
    list_place at = { 0 };
    bool is_placed = false;
    for (size_t i = f->first_value; i < m->values.len; i++) {
        refs_value v = m->values.ptr[i];
        if (v.depth != f->depth + 1 || v.ref < 0 || !may_be_callable(m, v.expr))
            continue;
        if (!is_placed)
            at = place_of(m, f);
        is_placed = true;
        ken_expr_id into = at.table;
        if (at.made)
            into = ken_refs__expr(m, KEN_EXPR_MEMBER, at.made, 0,
                                  ken_refs__name(m, ken_refs__position(m, f->node, v.start)));
        ken_refs__store(m, into, &v);
    }
}
