// SPDX-License-Identifier: MIT
// What a place expects of the expression that stands there: the keys of an object, the parameters
// of a function without types, are what is expected there.
//
// A type may be written there. If not, and the table says `%params typed`, the function that is
// called says it: the object is what that parameter of it is given (GIVEN), and parameter k of a
// function that is an argument is what that parameter, a function, is given in turn.
#include "refs/refs_priv.h"

enum {
    MAX_LEVELS = 6,  // of frames around that are asked
    MAX_PARAMS = 16, // of a function that are kept
};

const refs_frame *ken_refs__outer_of(const refs_frame *f)
{
    const refs_frame *outer = f - 1;
    while (outer->rule && outer->rule->role == KEN_REF_RULE_PASS)
        outer--;
    return outer;
}

ken_expr_id ken_refs__type_said_by(ken_refs_maker *m, const refs_frame *f)
{
    const refs_value *type =
        f->rule->path[KEN_REF_PATH_TYPE] ? ken_refs__value_at(m, f, KEN_REF_PATH_TYPE) : NULL;
    return type && type->expr ? ken_refs__value_of_type(m, type->expr) : 0;
}

static ken_expr_id context_of(ken_refs_maker *m, const refs_frame *f, bool is_said, int level);

static ken_expr_id key_of(ken_refs_maker *m, const refs_frame *object, ken_str name)
{
    return object->context
               ? ken_refs__expr(m, KEN_EXPR_MEMBER, object->context, 0, ken_refs__name(m, name))
               : 0;
}

// A function's own place: a method of an object is what its key expects.
static ken_expr_id function_context(ken_refs_maker *m, const refs_frame *f, bool is_said, int level)
{
    if (f->rule->role == KEN_REF_RULE_LAMBDA)
        return context_of(m, f, is_said, level + 1);
    TSNode name = ken_refs__at(m, f->rule, KEN_REF_PATH_NAME, f->node);
    return refs_is_object(f - 1) && !ts_node_is_null(name)
               ? key_of(m, f - 1, refs_node_text(m, name))
               : 0;
}

static bool is_async(const ken_refs_maker *m, const refs_frame *f)
{
    ken_str head = refs_text(m, f->start, f->params_start);
    return ken_str_find(head, KEN_STR("async")) != SIZE_MAX;
}

// What a function is expected to give.
static ken_expr_id result_of(ken_refs_maker *m, const refs_frame *f, int level)
{
    ken_expr_id e = ken_refs__type_said_by(m, f);
    if (!e && m->rules->types_params) // what another function makes of it is its own type
        e = ken_refs__expr(m, KEN_EXPR_CALL, function_context(m, f, true, level), 0, 0);
    return e && m->rules->types_params && is_async(m, f)
               ? ken_refs__expr(m, KEN_EXPR_AWAIT, e, 0, 0)
               : e;
}

// What is called, or made: the first value.
static ken_expr_id callee_of(ken_refs_maker *m, const refs_frame *call)
{
    const refs_value *type = call->rule->role == KEN_REF_RULE_NEW
                                 ? ken_refs__value_at(m, call, KEN_REF_PATH_TYPE)
                                 : NULL;
    const refs_value *callee = type ? type : ken_refs__first(m, call);
    return callee ? ken_refs__applied(m, call, callee->expr) : 0;
}

// The argument of a call that begins there. Where a type is expected of the result, the function is
// one that gives that.
static ken_expr_id argument(ken_refs_maker *m, const refs_frame *call, uint32_t byte, int level)
{
    ken_expr_id callee = callee_of(m, call);
    if (!callee)
        return 0;
    ken_expr_id result = context_of(m, call, true, level + 1);
    if (result)
        callee = ken_refs__either(m, callee, ken_refs__expr(m, KEN_EXPR_LAMBDA, result, 0, 0));
    return ken_refs__expr(m, KEN_EXPR_GIVEN, callee, ken_refs__commas_before(m, call->args, byte),
                          0);
}

// A question to a frame around: `f` is what stands in it, `is_said` that only written types count.
typedef struct place {
    const refs_frame *f, *outer;
    bool is_said;
    int level;
} place;

static ken_expr_id in_declaration(ken_refs_maker *m, const place *p)
{
    return ken_refs__type_said_by(m, p->outer);
}

static ken_expr_id in_lambda(ken_refs_maker *m, const place *p)
{
    return result_of(m, p->outer, p->level);
}

static ken_expr_id in_return(ken_refs_maker *m, const place *p)
{
    const refs_frame *callable = &m->frames.ptr[p->outer->callable];
    return callable->rule ? result_of(m, callable, p->level) : 0;
}

static ken_expr_id in_entry(ken_refs_maker *m, const place *p)
{
    return refs_is_object(p->outer - 1) ? key_of(m, p->outer - 1, p->outer->name) : 0;
}

static ken_expr_id in_alternative(ken_refs_maker *m, const place *p)
{
    return context_of(m, p->outer, p->is_said, p->level + 1);
}

static ken_expr_id in_list(ken_refs_maker *m, const place *p)
{
    return ken_refs__expr(m, KEN_EXPR_ELEMENT, in_alternative(m, p), 0, 0);
}

static ken_expr_id in_assignment(ken_refs_maker *m, const place *p)
{
    const refs_value *left = ken_refs__value_at(m, p->outer, KEN_REF_PATH_LEFT);
    return left ? left->expr : 0;
}

static ken_expr_id in_call(ken_refs_maker *m, const place *p)
{
    bool is_argument = p->outer->args_depth && p->f->depth == p->outer->args_depth + 1;
    return is_argument && !p->is_said ? argument(m, p->outer, p->f->start, p->level) : 0;
}

typedef ken_expr_id (*context_fn)(ken_refs_maker *m, const place *p);

static const struct {
    context_fn fn;
    bool is_typed; // only with `%params typed`
} contexts[KEN_REF_RULE_COUNT] = {
    [KEN_REF_RULE_LOCAL] = { in_declaration, false },
    [KEN_REF_RULE_FIELD] = { in_declaration, false },
    [KEN_REF_RULE_LAMBDA] = { in_lambda, false },
    [KEN_REF_RULE_RETURN] = { in_return, false },
    [KEN_REF_RULE_ENTRY] = { in_entry, false },
    [KEN_REF_RULE_EITHER] = { in_alternative, true },
    [KEN_REF_RULE_BUILTIN] = { in_list, true },
    [KEN_REF_RULE_ASSIGN] = { in_assignment, true },
    [KEN_REF_RULE_CALL] = { in_call, true },
    [KEN_REF_RULE_NEW] = { in_call, true },
};

static ken_expr_id context_of(ken_refs_maker *m, const refs_frame *f, bool is_said,
                              int level) // NOLINT(misc-no-recursion)
{
    place p = { f, ken_refs__outer_of(f), is_said, level };
    ken_ref_rule_role role = p.outer->rule ? p.outer->rule->role : KEN_REF_RULE_NONE;
    bool is_asked = contexts[role].fn && (!contexts[role].is_typed || m->rules->types_params);
    return is_asked && level <= MAX_LEVELS ? contexts[role].fn(m, &p) : 0;
}

ken_expr_id ken_refs__context(ken_refs_maker *m, const refs_frame *f)
{
    return context_of(m, f, false, 0);
}

// ---- parameters --------------------------------------------------------------------------------

ken_expr_id ken_refs__given_to(ken_refs_maker *m, const refs_frame *callable, uint32_t nth)
{
    ken_expr_id element =
        callable->rule->role == KEN_REF_RULE_LAMBDA ? ken_refs__element_given(m, callable, nth) : 0;
    if (element || !m->rules->types_params)
        return element;
    return ken_refs__expr(m, KEN_EXPR_GIVEN, function_context(m, callable, false, 0), nth, 0);
}

// Types of the language, and lists of such, expect nothing that could be named.
static bool is_plain(const ken_refs_maker *m, ken_expr_id type)
{
    const refs_expr *e = &m->exprs.ptr[type];
    while (e->op == KEN_EXPR_APPLY && m->exprs.ptr[e->b].op == KEN_EXPR_BUILTIN)
        e = &m->exprs.ptr[e->a];
    return !type || e->op == KEN_EXPR_BUILTIN;
}

static uint32_t count_of(ken_str text, char c)
{
    uint32_t n = 0;
    for (size_t i = 0; i < text.len; i++)
        n += text.ptr[i] == c;
    return n;
}

ken_expr_id ken_refs__pointed(ken_refs_maker *m, const refs_frame *f, const refs_value *type)
{
    enum {
        POINTER = 1,
        POINTERS,
        REFERENCE,
        MOVED,
        N_MARKS
    };
    static const char *const marks[2][N_MARKS] = {
        { "", "*", "**", "&", "&&" }, { "", "const*", "const**", "const&", "const&&" }
    };
    if (!m->rules->marks_pointers || type->start < f->start || type->end > f->end)
        return type->expr;
    ken_str before = refs_text(m, f->start, type->start), behind = refs_text(m, type->end, f->end);
    size_t end = ken_str_find_char(behind, '=');
    behind = end == SIZE_MAX ? behind : ken_str_sub(behind, 0, end); // a default value
    uint32_t n_pointers = count_of(behind, '*') + count_of(behind, '[');
    uint32_t n_references = count_of(behind, '&');
    int mark = n_references > 1 ? MOVED
               : n_references   ? REFERENCE
               : n_pointers > 1 ? POINTERS
                                : (int)n_pointers;
    bool is_const = ken_str_find(before, KEN_STR("const")) != SIZE_MAX ||
                    ken_str_find(behind, KEN_STR("const")) != SIZE_MAX;
    if (!mark)
        return type->expr;
    refs_name word = ken_refs__name(m, ken_str_c(marks[is_const][mark]));
    ken_expr_id outer = ken_refs__expr(m, KEN_EXPR_BUILTIN, 0, 0, word);
    return ken_refs__expr(m, KEN_EXPR_APPLY, outer, type->expr, 0);
}

void ken_refs__take(ken_refs_maker *m, refs_frame *callable, ken_expr_id type)
{
    uint32_t nth = callable->max_params;
    bool is_taken = m->rules->types_calls || (m->rules->types_params && !is_plain(m, type));
    if (!is_taken || nth >= MAX_PARAMS)
        return;
    if (!callable->takes)
        callable->takes =
            ken_refs__expr(m, KEN_EXPR_BUILTIN, 0, 0, ken_refs__name(m, KEN_STR("tuple")));
    while (callable->n_taken < nth) {
        callable->takes = ken_refs__expr(m, KEN_EXPR_APPLY, callable->takes, 0, 0);
        callable->n_taken++;
    }
    callable->takes = ken_refs__expr(m, KEN_EXPR_APPLY, callable->takes, type, 0);
    callable->n_taken++;
}

ken_expr_id ken_refs__whole_function(ken_refs_maker *m, const refs_frame *f, ken_expr_id result)
{
    bool is_plain_result = m->exprs.ptr[result].op != KEN_EXPR_LAMBDA;
    return !f->takes && is_plain_result ? result
                                        : ken_refs__expr(m, KEN_EXPR_LAMBDA, result, f->takes, 0);
}
