// SPDX-License-Identifier: MIT
// Types in quotes: Python's `x: "Console"`, `list["Text | None"]`, `cast("Console", x)`. The
// grammar gives them as texts; they are read here, by a small parser of what types are made of.
#include "base/utf8.h"
#include "refs/refs_priv.h"

enum {
    TEXT_MAX = 1000,
    NESTED_MAX = 16
};

typedef struct quoted {
    ken_refs_maker *m;
    uint32_t at, end; // of what is left
    uint32_t depth;
} quoted;

static ken_expr_id quoted_type(quoted *q);

static bool is_name_byte(char c)
{
    return ken_is_word(c) || (unsigned char)c >= 0x80;
}

static char next_byte(quoted *q)
{
    while (q->at < q->end && memchr(" \t\r\n\\\"'", q->m->text.ptr[q->at], 7))
        q->at++;
    return q->at < q->end ? q->m->text.ptr[q->at] : '\0';
}

static bool take(quoted *q, char c)
{
    if (next_byte(q) != c)
        return false;
    q->at++;
    return true;
}

static ken_str take_name(quoted *q)
{
    next_byte(q);
    uint32_t from = q->at;
    while (q->at < q->end && is_name_byte(q->m->text.ptr[q->at]))
        q->at++;
    return refs_text(q->m, from, q->at);
}

static ken_expr_id name_expr(ken_refs_maker *m, ken_str text)
{
    refs_name name = ken_refs__name(m, text);
    int32_t local = m->names.ptr[name].local;
    while (local >= 0 && !m->locals.ptr[local].is_type)
        local = m->locals.ptr[local].outer;
    return local >= 0 ? m->locals.ptr[local].value
                      : ken_refs__expr(m, KEN_EXPR_NAME, m->view, 0, name);
}

// `a.b.C`: a and b are read, C is the type.
static ken_expr_id dotted(quoted *q)
{
    ken_str text = take_name(q);
    if (!text.len || ken_str_eq_c(text, "None") || (text.ptr[0] >= '0' && text.ptr[0] <= '9'))
        return 0;
    ken_expr_id e = name_expr(q->m, text);
    int32_t ref = ken_refs__add_ref(q->m, e, KEN_REF_TYPE, (uint32_t)(text.ptr - q->m->text.ptr));
    while (q->at + 1 < q->end && q->m->text.ptr[q->at] == '.' &&
           is_name_byte(q->m->text.ptr[q->at + 1])) {
        q->at++;
        if (ref >= 0)
            q->m->refs.ptr[ref].role = KEN_REF_READ;
        text = take_name(q);
        e = ken_refs__expr(q->m, KEN_EXPR_MEMBER, e, 0, ken_refs__name(q->m, text));
        ref = ken_refs__add_ref(q->m, e, KEN_REF_TYPE, (uint32_t)(text.ptr - q->m->text.ptr));
    }
    return e;
}

static bool holds_texts(ken_str name)
{
    return ken_str_eq_c(name, "Literal") || ken_str_eq_c(name, "Annotated");
}

static ken_expr_id one_type(quoted *q)
{
    ken_expr_id e = 0;
    if (next_byte(q) != '[')
        e = dotted(q);
    if (e && holds_texts(q->m->names.ptr[q->m->exprs.ptr[e].name].text)) {
        q->at = q->end;
        return e;
    }
    if (q->depth >= NESTED_MAX || !take(q, '['))
        return e;
    q->depth++;
    do {
        ken_expr_id arg = next_byte(q) == ']' ? 0 : quoted_type(q);
        e = e && arg ? ken_refs__expr(q->m, KEN_EXPR_APPLY, e, arg, 0) : e;
        while (take(q, '.')) // `tuple[X, ...]`
            ;
    } while (take(q, ','));
    take(q, ']');
    q->depth--;
    return e;
}

static ken_expr_id quoted_type(quoted *q)
{
    ken_expr_id e = one_type(q);
    while (take(q, '|'))
        e = ken_refs__either(q->m, e, one_type(q));
    return e;
}

// ---- where texts are types ---------------------------------------------------------------------

static ken_str callee_name(ken_refs_maker *m, const refs_frame *f)
{
    const refs_value *first = ken_refs__first(m, f);
    if (!first)
        return KEN_STR("");
    const refs_expr *e = &m->exprs.ptr[first->expr];
    return e->op == KEN_EXPR_NAME || e->op == KEN_EXPR_MEMBER ? m->names.ptr[e->name].text
                                                              : KEN_STR("");
}

// Inside of what says a type, with nothing but types in between; but not inside `Literal[…]`.
static bool is_in_type(ken_refs_maker *m)
{
    bool is_type = false;
    for (size_t i = m->frames.len; i-- > 1;) {
        const refs_frame *f = &m->frames.ptr[i];
        ken_ref_rule_role role = f->rule->role;
        bool is_applied = role == KEN_REF_RULE_APPLY || role == KEN_REF_RULE_ELEMENT;
        // A list says what a function takes.
        if (!is_applied && role != KEN_REF_RULE_PASS && role != KEN_REF_RULE_EITHER &&
            role != KEN_REF_RULE_BUILTIN)
            return is_type;
        if (is_applied && holds_texts(callee_name(m, f)))
            return false;
        is_type = is_type || (role == KEN_REF_RULE_PASS && refs_has(f, KEN_REF_F_TYPE));
    }
    return is_type;
}

// The first argument of `cast`.
static bool is_cast(ken_refs_maker *m, uint32_t start)
{
    const refs_frame *f = refs_top(m);
    return f->rule && f->rule->role == KEN_REF_RULE_CALL && f->args_depth &&
           ken_str_eq_c(callee_name(m, f), "cast") &&
           ken_str_eq_c(ken_str_trim(refs_text(m, f->args_start, start)), "(");
}

bool ken_refs__take_quoted(ken_refs_maker *m, const ken_walk_stop *at, uint32_t start)
{
    quoted q = { .m = m, .at = start, .end = ts_node_end_byte(at->node) };
    if (q.end - start > TEXT_MAX || (!is_in_type(m) && !is_cast(m, start)))
        return false;
    char first = next_byte(&q);
    if (m->text.ptr[start] != '"' && m->text.ptr[start] != '\'') // a prefix: it is no type
        return false;
    if (first != '[' && !is_name_byte(first))
        return false;
    refs_value v = { quoted_type(&q), -1, start, q.end, at->depth, false };
    ken_refs__deliver(m, v);
    return true;
}
