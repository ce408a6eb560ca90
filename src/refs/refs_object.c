// SPDX-License-Identifier: MIT
// Objects that are written down: `{ a: 1, b }`, and types `{ a: number }`.
//
// Where the text says what is expected, its keys are members of that. Otherwise the object is a
// type of its own, without a name, as far as somebody may ask for its members: when it is held by a
// variable, a field, or given back. An object that is an argument is neither.
#include "refs/refs_priv.h"

// Whether somebody may ask for the members of what stands there.
static bool is_held(const refs_frame *f)
{
    const refs_frame *outer = ken_refs__outer_of(f);
    if (!outer->rule)
        return false;
    if (outer->rule->role == KEN_REF_RULE_EXPORT)
        return refs_has(outer, KEN_REF_F_DEFAULT);
    if (outer->rule->role == KEN_REF_RULE_ENTRY)
        return refs_is_object(outer - 1) && outer[-1].object >= 0;
    static const bool holds[KEN_REF_RULE_COUNT] = {
        [KEN_REF_RULE_LOCAL] = true,  [KEN_REF_RULE_FIELD] = true,  [KEN_REF_RULE_ASSIGN] = true,
        [KEN_REF_RULE_LAMBDA] = true, [KEN_REF_RULE_RETURN] = true, [KEN_REF_RULE_CAST] = true,
        [KEN_REF_RULE_EITHER] = true,
    };
    return holds[outer->rule->role];
}

// A type that is nothing else than this: its members are known by the outline.
static bool is_body_of_alias(const ken_refs_maker *m, const refs_frame *f)
{
    const refs_frame *outer = f - 1;
    int32_t def = outer->rule && outer->rule->role == KEN_REF_RULE_FIELD ? f->around : -1;
    return def >= 0 && m->symbols[def].kind == KEN_SYMBOL_TYPE;
}

static void make_type(ken_refs_maker *m, refs_frame *f)
{
    ken_implied type = { KEN_STR("{}"), KEN_SYMBOL_OBJECT, -1, f->start, false };
    int32_t at = ken_refs__add_implied(m, type, (ken_def_info){ 0 });
    f->object = at < 0 ? -1 : (int32_t)m->n_symbols + at;
}

void ken_refs__open_object(ken_refs_maker *m, refs_frame *f)
{
    if (!ts_node_named_child_count(f->node))
        return;
    if (refs_has(f, KEN_REF_F_TYPE)) {
        if (!is_body_of_alias(m, f))
            make_type(m, f);
        return;
    }
    const refs_frame *outer = ken_refs__outer_of(f);
    bool is_assigned = outer->rule && outer->rule->role == KEN_REF_RULE_ASSIGN;
    if (!is_assigned) // what it is assigned to may have its type from here
        f->context = ken_refs__context(m, f);
    if (!f->context && is_held(f))
        make_type(m, f);
}

refs_value ken_refs__close_object(ken_refs_maker *m, const refs_frame *f)
{
    ken_expr_id e = f->context;
    if (f->object >= 0) {
        e = ken_refs__expr(m, KEN_EXPR_DEF, (uint32_t)f->object, 0, 0);
        e = ken_refs__expr(m, KEN_EXPR_VALUE, e, 0, 0);
    } else if (!e && !refs_has(f, KEN_REF_F_TYPE)) {
        e = ken_refs__expr(m, KEN_EXPR_BUILTIN, 0, 0, ken_refs__name(m, KEN_STR("map")));
    }
    return (refs_value){ e, -1, f->start, f->end, f->depth, false };
}

// ---- entries -----------------------------------------------------------------------------------

void ken_refs__open_entry(ken_refs_maker *m, refs_frame *f)
{
    TSNode key = ken_refs__at(m, f->rule, KEN_REF_PATH_NAME, f->node);
    if (ts_node_is_null(key))
        return;
    f->name = refs_node_text(m, key);
    f->name_start = ts_node_start_byte(key);
    bool is_quoted = f->name.len > 2 && (f->name.ptr[0] == '"' || f->name.ptr[0] == '\'');
    if (is_quoted) {
        f->name = ken_str_sub(f->name, 1, f->name.len - 1);
        f->name_start++;
    } else if (!f->name.len || f->name.ptr[0] == '[') {
        f->name = KEN_STR("");
    }
}

static void own(ken_refs_maker *m, int32_t object, int32_t def)
{
    m->defs.ptr[def].flags |= KEN_DEF_PREFIXED;
    ken_expr_id type = ken_refs__expr(m, KEN_EXPR_DEF, (uint32_t)object, 0, 0);
    ken_base base = { (ken_def_id)def, KEN_BASE_OWNER, type };
    if (object >= 0 && type && m->bases.len < KEN_MAX_REFS)
        ken_vec_push(&m->bases, base);
}

static void add_entry(ken_refs_maker *m, const refs_frame *object, ken_str name, uint32_t byte,
                      ken_expr_id value, const refs_value *said)
{
    int32_t def = ken_refs__def_named_at(m, byte);
    if (def >= 0) {
        ken_refs__set_value(m, def, value);
        own(m, object->object, def);
        return;
    }
    if (object->context) {
        ken_expr_id e =
            ken_refs__expr(m, KEN_EXPR_MEMBER, object->context, 0, ken_refs__name(m, name));
        ken_refs__add_ref(m, e, KEN_REF_WRITE, byte);
        ken_refs__store(m, e, said);
    } else if (object->object >= 0) {
        ken_implied d = { name, KEN_SYMBOL_FIELD, object->object, byte, false };
        ken_refs__add_implied(m, d, (ken_def_info){ .value = value });
    } else if (object[-1].rule && object[-1].rule->role == KEN_REF_RULE_EXPORT &&
               refs_has(object - 1, KEN_REF_F_ALL)) { // `module.exports = { name: … }`
        ken_implied d = { name, KEN_SYMBOL_VARIABLE, -1, byte, false };
        ken_refs__add_implied(m, d, (ken_def_info){ .value = value, .flags = KEN_DEF_EXPORTED });
    }
}

void ken_refs__close_entry(ken_refs_maker *m, const refs_frame *f)
{
    ken_expr_id value = ken_refs__type_said_by(m, f);
    const refs_value *said = ken_refs__value_at(m, f, KEN_REF_PATH_VALUE);
    if (!value && said)
        value = said->expr;
    int32_t def = f->name.len ? ken_refs__def_named_at(m, f->name_start) : -1;
    if (refs_is_object(f - 1) && f->name.len)
        add_entry(m, f - 1, f->name, f->name_start, value, said);
    else if (def >= 0)
        ken_refs__set_value(m, def, value);
}

void ken_refs__add_short_entry(ken_refs_maker *m, ken_str name, uint32_t byte, ken_expr_id value)
{
    if (refs_is_object(refs_top(m)))
        add_entry(m, refs_top(m), name, byte, value, NULL);
}

void ken_refs__add_object_field(ken_refs_maker *m, const refs_frame *f, ken_str name, uint32_t byte,
                                ken_expr_id value)
{
    if (refs_is_object(f - 1) && f[-1].object >= 0)
        add_entry(m, f - 1, name, byte, value, NULL);
}

void ken_refs__add_method(ken_refs_maker *m, const refs_frame *f, ken_expr_id result)
{
    const refs_frame *object = f - 1;
    TSNode name = ken_refs__at(m, f->rule, KEN_REF_PATH_NAME, f->node);
    if (!refs_is_object(object) || ts_node_is_null(name))
        return;
    if (f->def >= 0) {
        own(m, object->object, f->def);
    } else if (object->object >= 0) {
        ken_implied d = { refs_node_text(m, name), KEN_SYMBOL_METHOD, object->object,
                          ts_node_start_byte(name), false };
        ken_refs__add_implied(m, d, (ken_def_info){ .value = result, .complexity = 1 });
    }
}

void ken_refs__spread(ken_refs_maker *m, ken_expr_id value)
{
    const refs_frame *object = refs_top(m);
    const refs_expr *e = &m->exprs.ptr[value];
    ken_base base = { (ken_def_id)object->object, KEN_BASE_MIXES,
                      e->op == KEN_EXPR_VALUE ? e->a : value };
    if (refs_is_object(object) && object->object >= 0 && e->op != KEN_EXPR_BUILTIN && value &&
        m->bases.len < KEN_MAX_REFS)
        ken_vec_push(&m->bases, base);
}

void ken_refs__add_signature(ken_refs_maker *m, const refs_frame *f, ken_expr_id result)
{
    const refs_frame *outer = refs_top(m);
    int32_t owner = refs_is_object(outer) && outer->object >= 0
                        ? outer->object
                        : ken_refs__type_around(m, f->around);
    ken_implied d = { KEN_STR("()"), KEN_SYMBOL_METHOD, owner, f->start, true };
    ken_def_info info = { .value = ken_refs__whole_function(m, f, result), .complexity = 1 };
    if (owner >= 0)
        ken_refs__add_implied(m, d, info);
}
