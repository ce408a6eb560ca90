// SPDX-License-Identifier: MIT
// What a node gives when the walk leaves it, from what was delivered to it.
#include "refs/refs_priv.h"

void ken_refs__deliver(ken_refs_maker *m, refs_value v)
{
    if (v.depth <= refs_top(m)->max_depth)
        ken_vec_push(&m->values, v);
}

refs_value *ken_refs__first(ken_refs_maker *m, const refs_frame *f)
{
    for (size_t i = f->first_value; i < m->values.len; i++)
        if (m->values.ptr[i].depth == f->depth + 1)
            return &m->values.ptr[i];
    return NULL;
}

static refs_value *value_of_node(ken_refs_maker *m, const refs_frame *f, TSNode node)
{
    if (ts_node_is_null(node))
        return NULL;
    uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
    for (size_t i = m->values.len; i-- > f->first_value;)
        if (m->values.ptr[i].start == start && m->values.ptr[i].end == end)
            return &m->values.ptr[i];
    return NULL;
}

refs_value *ken_refs__value_at(ken_refs_maker *m, const refs_frame *f, ken_ref_path which)
{
    if (m->values.len == f->first_value || !f->rule->path[which])
        return NULL;
    return value_of_node(m, f, ken_refs__at(m, f->rule, which, f->node));
}

static ken_expr_id expr_of(const refs_value *v)
{
    return v ? v->expr : 0;
}

void ken_refs__set_role(ken_refs_maker *m, const refs_value *v, ken_ref_role role)
{
    if (v && v->ref >= 0)
        m->refs.ptr[v->ref].role = role;
}

static refs_value value_of(const refs_frame *f, ken_expr_id expr, int32_t ref)
{
    return (refs_value){ expr, ref, f->start, f->end, f->depth, false };
}

// ---- expressions -------------------------------------------------------------------------------

static refs_value *main_value(ken_refs_maker *m, const refs_frame *f, ken_ref_path which)
{
    return f->rule->path[which] ? ken_refs__value_at(m, f, which) : ken_refs__first(m, f);
}

// `base.name`; without a base, the member of something unknown, or with `bare` a plain name.
refs_value ken_refs__member(ken_refs_maker *m, const refs_frame *f, const refs_value *base)
{
    refs_name name = ken_refs__name(m, f->name);
    ken_ref_role role = refs_has(f, KEN_REF_F_TYPE) ? KEN_REF_TYPE : KEN_REF_READ;
    ken_expr_id e = !base && refs_has(f, KEN_REF_F_BARE)
                        ? ken_refs__expr(m, KEN_EXPR_NAME, refs__view(m, f->around), 0, name)
                        : ken_refs__expr(m, KEN_EXPR_MEMBER, expr_of(base), 0, name);
    int32_t ref = f->is_def_name ? -1 : ken_refs__fill_ref(m, f->reserved, e, role, f->name_start);
    return value_of(f, e, ref);
}

static bool is_container(const ken_refs_maker *m, ken_expr_id type)
{
    const refs_expr *e = &m->exprs.ptr[type];
    while (e->op == KEN_EXPR_APPLY)
        e = &m->exprs.ptr[e->a];
    return e->op == KEN_EXPR_BUILTIN;
}

// The type of what `.name = value` is in: T in `T{…}`, `(T){…}` and `T x = {…}`, or the elements of
// a list. Literals further inside are of another type, which is not known. *out_is_key: it is no
// member, but a key.
static ken_expr_id literal_type(ken_refs_maker *m, const refs_frame *f, bool *out_is_key)
{
    enum {
        ELEMENT_LEVELS = 3
    };
    static const uint32_t levels[KEN_REF_RULE_COUNT] = {
        [KEN_REF_RULE_NEW] = 3,
        [KEN_REF_RULE_CAST] = 4,
        [KEN_REF_RULE_LOCAL] = 5,
    };
    const refs_frame *outer = f - 1;
    while (outer->rule && !levels[outer->rule->role])
        outer--;
    const refs_value *type = outer->rule ? main_value(m, outer, KEN_REF_PATH_TYPE) : NULL;
    if (!type || !type->expr)
        return 0;
    uint32_t level = levels[outer->rule->role], depth = f->depth - outer->depth;
    bool holds_others = is_container(m, type->expr);
    *out_is_key = holds_others && depth <= level;
    if (holds_others && depth > level && depth <= level + ELEMENT_LEVELS)
        return m->exprs.ptr[type->expr].b;
    return depth <= level ? type->expr : 0;
}

// `name` in `T{name: value}`.
static refs_value close_literal_key(ken_refs_maker *m, const refs_frame *f)
{
    bool is_key = false;
    ken_expr_id type = literal_type(m, f, &is_key);
    if (is_key) {
        refs_name name = ken_refs__name(m, f->name);
        int32_t local = m->names.ptr[name].local;
        if (local >= 0)
            return value_of(f, m->locals.ptr[local].value, -1);
        ken_expr_id e = ken_refs__expr(m, KEN_EXPR_NAME, refs__view(m, f->around), 0, name);
        return value_of(f, e, ken_refs__add_ref(m, e, KEN_REF_READ, f->name_start));
    }
    refs_value made = value_of(f, ken_refs__value_of_type(m, type), -1);
    refs_value field = ken_refs__member(m, f, &made);
    ken_refs__set_role(m, &field, KEN_REF_WRITE);
    return field;
}

// `.b` in `a?.b.c()`, where the chain is a node of its own: what it hangs on.
static const refs_value *start_of_chain(ken_refs_maker *m, const refs_frame *f)
{
    const refs_frame *outer = f - 1;
    while (outer->rule &&
           !(outer->rule->role == KEN_REF_RULE_PASS && refs_has(outer, KEN_REF_F_CHAINED)))
        outer--;
    const refs_value *first = outer->rule ? ken_refs__first(m, outer) : NULL;
    return first && first->end <= f->start ? first : NULL;
}

static refs_value close_member(ken_refs_maker *m, const refs_frame *f)
{
    // Without a name the grammar has something else there: what ends here, or an error.
    const refs_value *last =
        m->values.len > f->first_value ? &m->values.ptr[m->values.len - 1] : NULL;
    if (!f->name.len)
        return last && last->end == f->end ? value_of(f, last->expr, last->ref)
                                           : value_of(f, 0, -1);
    if (refs_has(f, KEN_REF_F_FIELD))
        return close_literal_key(m, f);
    if (refs_has(f, KEN_REF_F_SELF)) { // Ruby's @name
        uint32_t type = (uint32_t)(ken_refs__type_around(m, f->around) + 1);
        refs_value self = value_of(f, ken_refs__expr(m, KEN_EXPR_SELF, type, 0, 0), -1);
        return ken_refs__member(m, f, &self);
    }
    const refs_value *base =
        refs_has(f, KEN_REF_F_CHAINED) ? start_of_chain(m, f) : ken_refs__first(m, f);
    const refs_frame *outer = refs_top(m);
    bool is_owner = f->is_def_name && base && outer->rule &&
                    outer->rule->role == KEN_REF_RULE_FUNCTION &&
                    outer->rule->path[KEN_REF_PATH_OWNER];
    if (is_owner) { // `void A::B::f() {}`: the function belongs to B, which belongs to A
        refs_value owner = *base;
        owner.depth = f->depth;
        return owner;
    }
    return ken_refs__member(m, f, base);
}

static const refs_value *last_value(const ken_refs_maker *m, const refs_frame *f)
{
    for (size_t i = m->values.len; i-- > f->first_value;)
        if (m->values.ptr[i].depth == f->depth + 1)
            return &m->values.ptr[i];
    return NULL;
}

static ken_expr_id either_of(ken_refs_maker *m, const refs_frame *f)
{
    if (f->rule->path[KEN_REF_PATH_LEFT])
        return ken_refs__either(m, expr_of(ken_refs__value_at(m, f, KEN_REF_PATH_LEFT)),
                                expr_of(ken_refs__value_at(m, f, KEN_REF_PATH_RIGHT)));
    if (refs_has(f, KEN_REF_F_BARE)) // `a if c else b`
        return ken_refs__either(m, expr_of(ken_refs__first(m, f)), expr_of(last_value(m, f)));
    ken_expr_id e = 0;
    for (size_t i = f->first_value; i < m->values.len; i++)
        if (m->values.ptr[i].depth == f->depth + 1)
            e = ken_refs__either(m, e, m->values.ptr[i].expr);
    return e;
}

static refs_value close_either(ken_refs_maker *m, const refs_frame *f)
{
    return value_of(f, either_of(m, f), -1);
}

// Whether that value is a further part of the type's name, before the list of arguments.
static bool is_part_of_name(const ken_refs_maker *m, const refs_frame *f, size_t i)
{
    return f->args_depth && i < m->values.len && m->values.ptr[i].depth == f->depth + 1 &&
           m->values.ptr[i].end <= f->args_start;
}

// A type with arguments; the value of `apply WORD` is a type of the language.
static refs_value close_apply(ken_refs_maker *m, const refs_frame *f)
{
    size_t i = f->first_value;
    refs_value out = value_of(f, 0, -1);
    if (f->rule->word.len) {
        out.expr = ken_refs__expr(m, KEN_EXPR_BUILTIN, 0, 0, ken_refs__name(m, f->rule->word));
    } else if (i < m->values.len && m->values.ptr[i].depth == f->depth + 1) {
        while (is_part_of_name(m, f, i + 1)) // `a.b.C<D>`
            i++;
        out.expr = m->values.ptr[i].expr;
        out.ref = m->values.ptr[i++].ref;
    }
    for (; i < m->values.len; i++)
        if (m->values.ptr[i].depth == (f->args_depth ? f->args_depth : f->depth) + 1)
            out.expr = ken_refs__expr(m, KEN_EXPR_APPLY, out.expr, m->values.ptr[i].expr, 0);
    return out;
}

// The type is where the path says, or last; `x as const` is x.
static refs_value close_cast(ken_refs_maker *m, const refs_frame *f)
{
    if (f->rule->path[KEN_REF_PATH_TYPE])
        return value_of(
            f, ken_refs__value_of_type(m, expr_of(ken_refs__value_at(m, f, KEN_REF_PATH_TYPE))),
            -1);
    const refs_value *first = ken_refs__first(m, f), *last = last_value(m, f);
    ken_expr_id e = expr_of(last);
    return value_of(f, first == last ? e : ken_refs__value_of_type(m, e), -1);
}

ken_expr_id ken_refs__applied(ken_refs_maker *m, const refs_frame *f, ken_expr_id to)
{
    for (size_t i = f->first_value; f->types_end && i < m->values.len; i++)
        if (m->values.ptr[i].end < f->types_end && m->values.ptr[i].depth == f->depth + 2)
            to = ken_refs__expr(m, KEN_EXPR_APPLY, to, m->values.ptr[i].expr, 0);
    return to;
}

static refs_value close_new(ken_refs_maker *m, const refs_frame *f)
{
    refs_value *type = main_value(m, f, KEN_REF_PATH_TYPE);
    ken_refs__set_role(m, type, KEN_REF_NEW);
    if (type && type->ref >= 0)
        ken_refs__called(m, f, type->ref, type->expr);
    ken_expr_id e = ken_refs__applied(m, f, expr_of(type));
    return value_of(f, ken_refs__value_of_type(m, e), type ? type->ref : -1);
}

// ---- callables ---------------------------------------------------------------------------------

static uint8_t up_to_255(uint16_t n)
{
    return n < UINT8_MAX ? (uint8_t)n : UINT8_MAX;
}

static void set_params(ken_def_info *info, const refs_frame *f)
{
    info->min_params = up_to_255(f->min_params);
    info->max_params = up_to_255(f->max_params);
    if (f->is_variadic)
        info->flags |= KEN_DEF_VARIADIC;
}

static refs_value close_lambda(ken_refs_maker *m, const refs_frame *f)
{
    refs_value *body = ken_refs__value_at(m, f, KEN_REF_PATH_BODY);
    refs_value *type = ken_refs__value_at(m, f, KEN_REF_PATH_TYPE);
    ken_expr_id result = type   ? ken_refs__value_of_type(m, type->expr)
                         : body ? body->expr
                                : f->returns;
    if (refs_has(f, KEN_REF_F_MEMBER))
        ken_refs__add_signature(m, f, result);
    // A variable that holds it may be a function of the outline.
    const refs_frame *outer = refs_top(m);
    int32_t def = outer->rule && f->first_decl > outer->first_decl
                      ? ken_refs__def_named_at(m, m->decls.ptr[outer->first_decl].byte)
                      : -1;
    if (def >= 0 && ken_symbol_is_callable(m->symbols[def].kind))
        set_params(&m->defs.ptr[def], f);
    return value_of(f, ken_refs__expr(m, KEN_EXPR_LAMBDA, result, f->takes, 0), -1);
}

static void add_base(ken_refs_maker *m, int32_t def, ken_base_kind kind, const refs_value *v)
{
    if (!v || !v->expr || m->exprs.ptr[v->expr].op == KEN_EXPR_BUILTIN || def < 0 ||
        m->bases.len >= KEN_MAX_REFS)
        return;
    const refs_expr *e = &m->exprs.ptr[v->expr];
    ken_base base = { (ken_def_id)def, kind, e->op == KEN_EXPR_VALUE ? e->a : v->expr };
    ken_vec_push(&m->bases, base);
    if (kind != KEN_BASE_OWNER)
        ken_refs__set_role(m, v, KEN_REF_INHERIT);
}

// The value of the last statement of the body, or of a body that is an expression.
static ken_expr_id last_statement(ken_refs_maker *m, const refs_frame *f)
{
    TSNode body = ken_refs__at(m, f->rule, KEN_REF_PATH_BODY, f->node);
    if (ts_node_is_null(body))
        return 0;
    uint32_t end = ts_node_end_byte(body);
    for (size_t i = m->values.len; i-- > f->first_value;) {
        const refs_value *v = &m->values.ptr[i];
        if (v->depth <= f->depth + 2 && v->end == end && v->start >= ts_node_start_byte(body))
            return v->expr;
    }
    return 0;
}

static void close_function(ken_refs_maker *m, const refs_frame *f)
{
    refs_value *type = ken_refs__value_at(m, f, KEN_REF_PATH_TYPE);
    ken_refs__add_method(m, f, type ? ken_refs__value_of_type(m, type->expr) : f->returns);
    if (f->def < 0)
        return;
    add_base(m, f->def, KEN_BASE_OWNER, ken_refs__value_at(m, f, KEN_REF_PATH_OWNER));
    ken_def_info *info = &m->defs.ptr[f->def];
    ken_expr_id result = type ? ken_refs__value_of_type(m, type->expr) : f->returns;
    if (refs_has(f, KEN_REF_F_GIVES))
        result = ken_refs__either(m, result, last_statement(m, f));
    result = ken_refs__whole_function(m, f, result);
    if (result)
        info->value = result;
    set_params(info, f);
    if (refs_has(f, KEN_REF_F_STATIC))
        info->flags |= KEN_DEF_STATIC;
    if (f->rule->path[KEN_REF_PATH_BODY] &&
        ts_node_is_null(ken_refs__at(m, f->rule, KEN_REF_PATH_BODY, f->node)))
        info->flags |= KEN_DEF_ABSTRACT;
}

static void close_return(ken_refs_maker *m, const refs_frame *f)
{
    enum {
        MAX_RETURNS = 4
    };
    refs_value *v = main_value(m, f, KEN_REF_PATH_VALUE);
    refs_frame *callable = &m->frames.ptr[f->callable];
    if (!v || !v->expr || callable->n_returns >= MAX_RETURNS)
        return;
    ken_expr_id joined = ken_refs__either(m, callable->returns, v->expr);
    if (joined != callable->returns)
        callable->n_returns++;
    callable->returns = joined;
}

// ---- declarations ------------------------------------------------------------------------------

// The type of a parameter that takes the rest; some languages say it themselves.
static ken_expr_id list_of(ken_refs_maker *m, ken_expr_id type)
{
    ken_expr_id list =
        ken_refs__expr(m, KEN_EXPR_BUILTIN, 0, 0, ken_refs__name(m, KEN_STR("list")));
    const refs_expr *e = &m->exprs.ptr[type];
    if (e->op == KEN_EXPR_APPLY && e->a == list)
        return type;
    return ken_refs__expr(m, KEN_EXPR_APPLY, list, type, 0);
}

// A parameter without a type of a function that is an argument.
static ken_expr_id given_param(ken_refs_maker *m, const refs_frame *f)
{
    const refs_frame *callable = &m->frames.ptr[f->callable];
    bool is_own =
        f->callable && f->start >= callable->params_start && f->end <= callable->params_end;
    return is_own && callable->max_params
               ? ken_refs__given_to(m, callable, callable->max_params - 1u)
               : 0;
}

// The value of all names together.
static ken_expr_id declared_value(ken_refs_maker *m, const refs_frame *f)
{
    refs_value *type = ken_refs__value_at(m, f, KEN_REF_PATH_TYPE);
    if (type && type->expr) {
        ken_expr_id t = type->expr;
        if (refs_has(f, KEN_REF_F_VARIADIC))
            t = list_of(m, t);
        return ken_refs__value_of_type(m, t);
    }
    const uint16_t *path = f->rule->path;
    if (refs_has(f, KEN_REF_F_TYPE)) { // what it is bound to names its type
        ken_expr_id t = expr_of(ken_refs__first(m, f));
        bool is_list = t && refs_has(f, KEN_REF_F_VARIADIC);
        return ken_refs__value_of_type(m, is_list ? list_of(m, t) : t);
    }
    refs_value *v = path[KEN_REF_PATH_VALUE] || path[KEN_REF_PATH_TYPE]
                        ? ken_refs__value_at(m, f, KEN_REF_PATH_VALUE)
                        : ken_refs__first(m, f);
    ken_expr_id value = expr_of(v);
    if (!value && refs_has(f, KEN_REF_F_PARAM))
        return given_param(m, f);
    uint32_t both = KEN_REF_F_KEY | KEN_REF_F_ELEMENT;
    if (refs_has(f, KEN_REF_F_ENTER))
        return ken_refs__expr(m, KEN_EXPR_ELEMENT, value, 2, 0);
    if (!(f->rule->flags & both) || (f->rule->flags & both) == both)
        return value;
    return ken_refs__expr(m, KEN_EXPR_ELEMENT, value, refs_has(f, KEN_REF_F_KEY), 0);
}

// `a, b T`, `a, b := x, y`, `for k, v := range x`: what the name number i is.
static ken_expr_id value_of_each(ken_refs_maker *m, const refs_frame *f, uint32_t i, uint32_t n,
                                 ken_expr_id whole)
{
    uint32_t both = KEN_REF_F_KEY | KEN_REF_F_ELEMENT;
    if ((f->rule->flags & both) == both)
        return i < 2 ? ken_refs__expr(m, KEN_EXPR_ELEMENT, whole, i == 0, 0) : 0;
    refs_value *type = ken_refs__value_at(m, f, KEN_REF_PATH_TYPE);
    if ((type && type->expr) || n == 1)
        return whole;
    if (whole)
        return i ? 0 : whole;
    TSNode list = ken_refs__at(m, f->rule, KEN_REF_PATH_VALUE, f->node);
    uint32_t n_values = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    // Of several results of one call the first is the one that has a name worth following.
    if (!n_values || (n_values != n && (n_values != 1 || i)))
        return 0;
    return expr_of(value_of_node(m, f, ts_node_named_child(list, i)));
}

// In languages where arguments say names some marks of a parameter stand behind its node, or last in
// it.
static bool is_marked(const ken_refs_maker *m, const refs_frame *f, const char *mark)
{
    enum {
        LOOKED_AT = 40
    };
    if (!m->rules->label)
        return false;
    uint32_t end = f->end + LOOKED_AT;
    ken_str behind = refs_text(m, f->end, end < m->text.len ? end : (uint32_t)m->text.len);
    return ken_str_starts(ken_str_trim(behind), ken_str_c(mark)) ||
           ken_str_ends(refs_text(m, f->start, f->end), ken_str_c(mark));
}

// A parameter with the name that arguments for it say, and whether it must be given.
static ken_expr_id labelled_param(ken_refs_maker *m, const refs_frame *f, const refs_value *type,
                                  bool is_optional, bool is_variadic)
{
    TSNode outer = ken_refs__at(m, f->rule, KEN_REF_PATH_LOCAL, f->node);
    bool has_decl = m->decls.len > f->first_decl;
    ken_str name = !ts_node_is_null(outer)
                       ? refs_text(m, ts_node_start_byte(outer), ts_node_end_byte(outer))
                   : has_decl ? m->decls.ptr[f->first_decl].text
                              : KEN_STR("_");
    ken_expr_id t = type ? type->expr : 0;
    if (type && ken_str_ends(refs_text(m, type->start, type->end), KEN_STR("?")))
        t = ken_refs__expr(
            m, KEN_EXPR_APPLY,
            ken_refs__expr(m, KEN_EXPR_BUILTIN, 0, 0, ken_refs__name(m, KEN_STR("?"))), t, 0);
    return ken_refs__labelled(m, name, is_variadic ? '*' : is_optional ? '=' : ':', t);
}

static void count_param(ken_refs_maker *m, const refs_frame *f)
{
    refs_frame *callable = &m->frames.ptr[f->callable];
    if (!f->callable || ken_refs__outer_of(f) != callable || f->start < callable->params_start ||
        f->start >= callable->params_end)
        return;
    const refs_value *type = refs_has(f, KEN_REF_F_TYPE)
                                 ? ken_refs__first(m, f)
                                 : ken_refs__value_at(m, f, KEN_REF_PATH_TYPE);
    uint32_t n = (uint32_t)m->decls.len - f->first_decl;
    n = n && refs_has(f, KEN_REF_F_EACH) ? n : 1; // a pattern of many names is one
    bool is_optional = refs_has(f, KEN_REF_F_OPTIONAL) || is_marked(m, f, "=") ||
                       !ts_node_is_null(ken_refs__at(m, f->rule, KEN_REF_PATH_VALUE, f->node));
    bool is_variadic = refs_has(f, KEN_REF_F_VARIADIC) || is_marked(m, f, "...");
    if (m->rules->label)
        ken_refs__take(m, callable, labelled_param(m, f, type, is_optional, is_variadic));
    else if (type)
        ken_refs__take(m, callable, ken_refs__pointed(m, f, type));
    if (is_variadic) {
        callable->is_variadic = true;
        return;
    }
    uint32_t max = callable->max_params + n;
    callable->max_params = max < UINT8_MAX ? (uint16_t)max : UINT8_MAX;
    if (!is_optional)
        callable->min_params = callable->max_params;
}

// Python's first parameter of a method.
static bool take_self(ken_refs_maker *m, const refs_frame *f)
{
    refs_frame *callable = &m->frames.ptr[f->callable];
    if (!callable->has_self || m->decls.len == f->first_decl)
        return false;
    callable->has_self = false;
    const refs_decl *d = &m->decls.ptr[f->first_decl];
    const ken_symbol *s = &m->symbols[callable->def];
    ken_str head = refs_text(m, s->span.start, d->byte);
    if (ken_str_find(head, KEN_STR("@staticmethod")) != SIZE_MAX)
        return false;
    bool is_class = ken_str_eq(d->text, KEN_STR("cls"));
    uint32_t type = (uint32_t)s->parent;
    ken_expr_id e = is_class ? ken_refs__expr(m, KEN_EXPR_DEF, type, 0, 0)
                             : ken_refs__expr(m, KEN_EXPR_SELF, type + 1, 0, 0);
    ken_refs__declare(m, callable->scope, d->text, d->byte, e);
    return true;
}

// A parameter that is a field, too: TypeScript's `constructor(private db: Db)`.
static void add_field(ken_refs_maker *m, const refs_frame *f, const refs_decl *d, ken_expr_id value)
{
    int32_t owner = ken_refs__type_around(m, f->around);
    if (owner < 0)
        return;
    bool has_sigil = ken_str_starts(d->text, KEN_STR("$"));
    ken_str name = ken_str_sub(d->text, has_sigil, d->text.len);
    ken_expr_id self = ken_refs__expr(m, KEN_EXPR_SELF, (uint32_t)owner + 1, 0, 0);
    ken_expr_id member = ken_refs__expr(m, KEN_EXPR_MEMBER, self, 0, ken_refs__name(m, name));
    ken_refs__assign_field(m, member, value, d->byte + has_sigil);
}

static void declare_one(ken_refs_maker *m, const refs_frame *f, const refs_decl *d,
                        ken_expr_id value, uint32_t scope)
{
    int32_t def = ken_refs__def_named_at(m, d->byte);
    // The name of PHP's field is without it; JavaScript's names may begin so.
    bool has_sigil = def < 0 && ken_str_starts(d->text, KEN_STR("$"));
    def = has_sigil ? ken_refs__def_named_at(m, d->byte + 1) : def;
    if (def >= 0)
        ken_refs__set_value(m, def, value);
    if (def >= 0 && refs_has(f, KEN_REF_F_DISTINCT) && m->symbols[def].kind == KEN_SYMBOL_TYPE)
        m->defs.ptr[def].flags |= KEN_DEF_DISTINCT;
    if (def >= 0 && !has_sigil) {
        if (f->rule->role == KEN_REF_RULE_FIELD)
            ken_refs__add_object_field(m, f, d->text, d->byte, value);
        return;
    }
    if (f->rule->role == KEN_REF_RULE_FIELD) {
        ken_refs__add_object_field(m, f, d->text, d->byte, value);
        return;
    }
    ken_refs__declare(m, scope, d->text, d->byte, value);
    if (refs_has(f, KEN_REF_F_FIELD))
        add_field(m, f, d, value);
}

void ken_refs__declare_names(ken_refs_maker *m, uint32_t frame)
{
    const refs_frame *f = &m->frames.ptr[frame];
    uint32_t first = f->first_decl, n = (uint32_t)m->decls.len - first;
    ken_expr_id whole = declared_value(m, f);
    // A scope of its own is for what is inside, unless it is a loop.
    uint32_t scope = f->rule->path[KEN_REF_PATH_BODY] ? f->scope : f[-1].scope;
    ken_refs__work_out_steps(m, f, whole);
    for (uint32_t i = 0; i < n; i++) {
        refs_decl d = m->decls.ptr[first + i];
        bool is_one_of = refs_has(f, KEN_REF_F_EACH) && !f->rule->each_step;
        ken_expr_id value =
            is_one_of ? value_of_each(m, f, i, n, whole) : ken_refs__decl_value(m, &d, whole);
        declare_one(m, f, &d, value, scope);
    }
}

static refs_value close_giving(ken_refs_maker *m, const refs_frame *f)
{
    if (f->rule->role == KEN_REF_RULE_IMPORT)
        return ken_refs__import_value(m, f);
    return value_of(f, declared_value(m, f), -1);
}

// The types of a tuple are fields that are called 0, 1, …
static void close_positions(ken_refs_maker *m, const refs_frame *f)
{
    for (size_t i = f->first_value; i < m->values.len && f->around >= 0; i++) {
        const refs_value *v = &m->values.ptr[i];
        if (v->depth != f->depth + 1)
            continue;
        ken_str name = ken_refs__position(m, f->node, v->start);
        ken_implied field = { name, KEN_SYMBOL_FIELD, f->around, v->start, false };
        ken_refs__add_implied(m, field,
                              (ken_def_info){ .value = ken_refs__value_of_type(m, v->expr) });
    }
}

// `for (this.x of xs)`: the member is written.
static void write_named(ken_refs_maker *m, const refs_frame *f)
{
    const refs_value *v = ken_refs__value_at(m, f, KEN_REF_PATH_NAME);
    if (v && v->ref >= 0 && m->exprs.ptr[v->expr].op == KEN_EXPR_MEMBER &&
        m->refs.ptr[v->ref].role == KEN_REF_READ)
        ken_refs__set_role(m, v, KEN_REF_WRITE);
}

static void close_local(ken_refs_maker *m, const refs_frame *f)
{
    if (f->rule->role == KEN_REF_RULE_FIELD && refs_has(f, KEN_REF_F_KEY)) {
        close_positions(m, f);
        return;
    }
    bool is_param = refs_has(f, KEN_REF_F_PARAM);
    if (is_param && take_self(m, f))
        return;
    if (refs_has(f, KEN_REF_F_CALLED) && f->args_depth) { // `T x(1);`
        const refs_value *type = ken_refs__value_at(m, f, KEN_REF_PATH_TYPE);
        ken_refs__set_role(m, type, KEN_REF_NEW);
        if (type && type->ref >= 0)
            ken_refs__called(m, f, type->ref, type->expr);
    }
    if (is_param)
        count_param(m, f);
    write_named(m, f);
    // A loop has declared its names before its body.
    if (!f->rule->path[KEN_REF_PATH_BODY] || f->ready_at != UINT32_MAX)
        ken_refs__declare_names(m, (uint32_t)(f - m->frames.ptr));
}

static void close_param_type(ken_refs_maker *m, const refs_frame *f)
{
    int32_t def = ken_refs__holder(m, f->around);
    ken_expr_id bound = ken_refs__either(m, expr_of(ken_refs__value_at(m, f, KEN_REF_PATH_TYPE)),
                                         expr_of(ken_refs__value_at(m, f, KEN_REF_PATH_VALUE)));
    for (size_t i = f->first_decl; def >= 0 && i < m->decls.len; i++) {
        refs_place *p = &m->places.ptr[def];
        ken_str name = m->decls.ptr[i].text;
        ken_expr_id e =
            ken_refs__expr(m, KEN_EXPR_PARAM, (uint32_t)def, p->n_types, ken_refs__name(m, name));
        e = ken_refs__either(m, e, bound);
        if (p->n_types < UINT8_MAX)
            p->n_types++;
        m->defs.ptr[def].n_type_params = p->n_types;
        ken_refs__declare_type(m, f->scope, name, e);
    }
}

// `#define BEGIN namespace a { inline namespace v1 {`: what stands behind such a macro is in a
// namespace that no tree shows.
static void declare_spaces(ken_refs_maker *m, const refs_decl *d)
{
    static const char word[] = "namespace ";
    size_t at = 0;
    for (;;) {
        size_t found = ken_str_find(ken_str_sub(d->text, at, d->text.len), KEN_STR("namespace "));
        if (found == SIZE_MAX)
            return;
        at += found + sizeof word - 1;
        size_t end = at;
        while (end < d->text.len && ken_is_word(d->text.ptr[end]))
            end++;
        ken_implied space = { ken_str_sub(d->text, at, end), KEN_SYMBOL_NAMESPACE, -1,
                              d->byte + (uint32_t)at, true };
        ken_refs__add_implied(m, space, (ken_def_info){ 0 });
    }
}

static void close_declare(ken_refs_maker *m, const refs_frame *f)
{
    if (f->rule->detail == KEN_SYMBOL_NAMESPACE) {
        for (size_t i = f->first_decl; i < m->decls.len; i++)
            declare_spaces(m, &m->decls.ptr[i]);
        return;
    }
    refs_value *type = ken_refs__value_at(m, f, KEN_REF_PATH_TYPE);
    ken_expr_id value = type ? ken_refs__value_of_type(m, type->expr) : 0;
    ken_def_info info = { .value = ken_refs__whole_function(m, f, value),
                          .complexity = f->rule->detail == KEN_SYMBOL_FUNCTION };
    set_params(&info, f);
    for (size_t i = f->first_decl; i < m->decls.len; i++) {
        ken_implied d = { m->decls.ptr[i].text, (ken_symbol_kind)f->rule->detail,
                          ken_refs__holder(m, f->around), m->decls.ptr[i].byte, true };
        if (ken_refs__def_named_at(m, d.byte) < 0)
            ken_refs__add_implied(m, d, info);
    }
}

// ---- assignments -------------------------------------------------------------------------------

// A bare name that is assigned to: a definition, a local, or something of elsewhere.
static void assign_name(ken_refs_maker *m, const refs_frame *f, const refs_decl *d,
                        ken_expr_id value)
{
    int32_t def = ken_refs__def_named_at(m, d->byte);
    if (def >= 0) {
        ken_refs__set_value(m, def, value);
        return;
    }
    refs_name name = ken_refs__name(m, d->text);
    int32_t local = m->names.ptr[name].local;
    bool is_global = local >= 0 && m->locals.ptr[local].is_global;
    bool is_own = local >= 0 && m->locals.ptr[local].frame >= f->callable;
    if (local >= 0 && !is_global && (is_own || !refs_has(f, KEN_REF_F_DECLARES))) {
        if (value)
            m->locals.ptr[local].value = value;
    } else if (!is_global && refs_has(f, KEN_REF_F_DECLARES)) {
        ken_refs__declare(m, f->callable, d->text, d->byte, value);
    } else {
        ken_expr_id e = ken_refs__expr(m, KEN_EXPR_NAME, refs__view(m, f->around), 0, name);
        ken_refs__fill_ref(m, f->reserved, e, KEN_REF_WRITE, d->byte);
    }
}

// `a.x, b = 1, 2`: all that the list on the left holds is written.
static void write_each(ken_refs_maker *m, const refs_frame *f)
{
    TSNode left = ken_refs__at(m, f->rule, KEN_REF_PATH_LEFT, f->node);
    if (ts_node_is_null(left))
        return;
    uint32_t start = ts_node_start_byte(left), end = ts_node_end_byte(left);
    for (size_t i = f->first_value; i < m->values.len; i++)
        if (m->values.ptr[i].start >= start && m->values.ptr[i].end <= end)
            ken_refs__set_role(m, &m->values.ptr[i], KEN_REF_WRITE);
}

static refs_value close_assign(ken_refs_maker *m, const refs_frame *f)
{
    refs_value *right = ken_refs__value_at(m, f, KEN_REF_PATH_RIGHT);
    refs_value *left = ken_refs__value_at(m, f, KEN_REF_PATH_LEFT);
    refs_value *type = ken_refs__value_at(m, f, KEN_REF_PATH_TYPE);
    ken_expr_id value =
        type && type->expr ? ken_refs__value_of_type(m, type->expr) : expr_of(right);
    ken_refs__work_out_steps(m, f, value);
    for (size_t i = f->first_decl; i < m->decls.len; i++) {
        refs_decl d = m->decls.ptr[i];
        assign_name(m, f, &d, ken_refs__decl_value(m, &d, value));
    }
    if (left) {
        ken_refs__set_role(m, left, KEN_REF_WRITE);
        ken_refs__store(m, left->expr, right);
        if (refs_has(f, KEN_REF_F_FIELD))
            ken_refs__assign_field(m, left->expr, value,
                                   left->ref >= 0 ? m->refs.ptr[left->ref].byte : left->start);
    }
    if (refs_has(f, KEN_REF_F_EACH))
        write_each(m, f);
    return value_of(f, value, -1);
}

// ---- the rest ----------------------------------------------------------------------------------

static void close_base(ken_refs_maker *m, const refs_frame *f)
{
    m->view = refs__view(m, m->around);
    const refs_value *first = ken_refs__first(m, f);
    bool is_owner = f->rule->detail == KEN_BASE_OWNER;
    if (first && !is_owner && f->around >= 0 && ken_symbol_is_variable(m->symbols[f->around].kind))
        ken_refs__set_value(m, f->around,
                            ken_refs__value_of_type(m, first->expr)); // an embedded field
    int32_t def = is_owner ? f->around : ken_refs__holder(m, f->around);
    if (!is_owner)
        while (def >= 0 && !ken_refs__is_type(m, def))
            def = ken_refs__holder(m, m->places.ptr[def].around);
    if (f->rule->path[KEN_REF_PATH_OWNER]) { // an `impl` of that type, perhaps of a trait
        def = f->around;
        add_base(m, def, KEN_BASE_OWNER, ken_refs__value_at(m, f, KEN_REF_PATH_OWNER));
        add_base(m, def, (ken_base_kind)f->rule->detail,
                 ken_refs__value_at(m, f, KEN_REF_PATH_VALUE));
        return;
    }
    for (size_t i = f->first_value; i < m->values.len; i++)
        add_base(m, def, (ken_base_kind)f->rule->detail, &m->values.ptr[i]);
}

// A pattern inside a declaration leaves its names to it; a parameter that is one has no value.
static bool leaves_names(ken_refs_maker *m, const refs_frame *f)
{
    const refs_frame *outer = refs_top(m);
    ken_ref_rule_role role = outer->rule ? outer->rule->role : KEN_REF_RULE_NONE;
    if (role == KEN_REF_RULE_PATTERN || role == KEN_REF_RULE_LOCAL || role == KEN_REF_RULE_ASSIGN)
        return true;
    ken_refs__work_out_steps(m, f, 0);
    for (size_t i = f->first_decl; i < m->decls.len; i++) {
        refs_decl d = m->decls.ptr[i];
        ken_refs__declare(m, outer->scope, d.text, d.byte, ken_refs__decl_value(m, &d, 0));
    }
    return false;
}

static refs_value close_pass(ken_refs_maker *m, const refs_frame *f)
{
    if (refs_has(f, KEN_REF_F_KEY))
        ken_refs__store_positions(m, f);
    const refs_value *inner = main_value(m, f, KEN_REF_PATH_VALUE);
    if (refs_has(f, KEN_REF_F_ALL) && inner)
        ken_refs__spread(m, inner->expr);
    refs_value v = value_of(f, expr_of(inner), inner ? inner->ref : -1);
    v.is_text = inner && inner->is_text;
    return v;
}

static refs_value close_builtin(ken_refs_maker *m, const refs_frame *f)
{
    ken_expr_id e = ken_refs__expr(m, KEN_EXPR_BUILTIN, 0, 0, ken_refs__name(m, f->rule->word));
    refs_value v = value_of(f, e, -1);
    v.is_text = ken_str_eq(f->rule->word, KEN_STR("string"));
    return v;
}

// ELEMENT, KEY and AWAIT of the value inside.
static refs_value close_unary(ken_refs_maker *m, const refs_frame *f, ken_expr_op op)
{
    ken_expr_id inner =
        expr_of(refs_has(f, KEN_REF_F_CHAINED) ? start_of_chain(m, f)
                                               : main_value(m, f, KEN_REF_PATH_VALUE));
    return value_of(f, ken_refs__expr(m, op, inner, f->rule->role == KEN_REF_RULE_KEY, 0), -1);
}

static refs_value close_element(ken_refs_maker *m, const refs_frame *f)
{
    return close_unary(m, f, KEN_EXPR_ELEMENT);
}

static refs_value close_await(ken_refs_maker *m, const refs_frame *f)
{
    return close_unary(m, f, KEN_EXPR_AWAIT);
}

static void close_decorate(ken_refs_maker *m, const refs_frame *f)
{
    m->view = refs__view(m, m->around);
    ken_refs__set_role(m, ken_refs__first(m, f), KEN_REF_DECORATE);
}

// Nodes that are expressions have a value, the others do what they do.
typedef refs_value (*value_fn)(ken_refs_maker *m, const refs_frame *f);
typedef void (*close_fn)(ken_refs_maker *m, const refs_frame *f);

static const value_fn valuers[KEN_REF_RULE_COUNT] = {
    [KEN_REF_RULE_MEMBER] = close_member,
    [KEN_REF_RULE_CALL] = ken_refs__close_call,
    [KEN_REF_RULE_PASS] = close_pass,
    [KEN_REF_RULE_NEW] = close_new,
    [KEN_REF_RULE_CAST] = close_cast,
    [KEN_REF_RULE_ELEMENT] = close_element,
    [KEN_REF_RULE_KEY] = close_element,
    [KEN_REF_RULE_AWAIT] = close_await,
    [KEN_REF_RULE_EITHER] = close_either,
    [KEN_REF_RULE_BUILTIN] = close_builtin,
    [KEN_REF_RULE_APPLY] = close_apply,
    [KEN_REF_RULE_LAMBDA] = close_lambda,
    [KEN_REF_RULE_ASSIGN] = close_assign,
    [KEN_REF_RULE_OBJECT] = ken_refs__close_object,
    [KEN_REF_RULE_EXPORT] = ken_refs__close_export,
};

static const close_fn closers[KEN_REF_RULE_COUNT] = {
    [KEN_REF_RULE_FUNCTION] = close_function,
    [KEN_REF_RULE_LOCAL] = close_local,
    [KEN_REF_RULE_FIELD] = close_local,
    [KEN_REF_RULE_PARAM_TYPE] = close_param_type,
    [KEN_REF_RULE_DECLARE] = close_declare,
    [KEN_REF_RULE_RETURN] = close_return,
    [KEN_REF_RULE_BASE] = close_base,
    [KEN_REF_RULE_IMPORT] = ken_refs__close_import,
    [KEN_REF_RULE_ENTRY] = ken_refs__close_entry,
    [KEN_REF_RULE_DECORATE] = close_decorate,
    [KEN_REF_RULE_TOKENS] = ken_refs__close_tokens,
};

// The frame is off the stack, so that the top is the one around it; its memory is still there.
void ken_refs__close_top(ken_refs_maker *m)
{
    refs_frame *f = &m->frames.ptr[--m->frames.len];
    value_fn value_of_it = valuers[f->rule->role];
    refs_value v = { .ref = -1 };
    if (value_of_it)
        v = value_of_it(m, f);
    else if (closers[f->rule->role])
        closers[f->rule->role](m, f);
    if (f->rule->role == KEN_REF_RULE_PATTERN)
        ken_refs__close_pattern(m, f);
    bool is_function = f->rule->role == KEN_REF_RULE_FUNCTION;
    bool gives = value_of_it || (!is_function && refs_has(f, KEN_REF_F_GIVES));
    if (gives && !value_of_it)
        v = close_giving(m, f);
    if (f->rule->role != KEN_REF_RULE_PATTERN || !leaves_names(m, f)) {
        ken_refs__drop_decls(m, f->first_decl);
        m->steps.len = f->first_step;
    }
    if (f->first_local != UINT32_MAX)
        ken_refs__end_scope(m, (uint32_t)m->frames.len);
    m->values.len = f->first_value;
    if (gives)
        ken_refs__deliver(m, v);
}
