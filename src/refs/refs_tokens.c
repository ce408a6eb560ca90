// SPDX-License-Identifier: MIT
// What a macro is given: leaves and brackets that no grammar made expressions of. A value is joined
// with what follows right behind it: `.name` and `::name` name a member of it, `(…)` calls it,
// `[…]` gives an element; `?` and `.await` are passed over. What is joined by nothing stands alone.
#include "refs/refs_priv.h"

static refs_value *last_token(ken_refs_maker *m, const refs_frame *f)
{
    refs_value *last = m->values.len > f->first_value ? &m->values.ptr[m->values.len - 1] : NULL;
    return last && last->depth == f->depth + 1 ? last : NULL;
}

// What is between the value before (or the beginning) and a place.
static ken_str gap_before(const ken_refs_maker *m, const refs_frame *f, const refs_value *last,
                          uint32_t start)
{
    return ken_str_trim(refs_text(m, last ? last->end : f->start + 1, start));
}

static bool ends_with(ken_str s, ken_str end)
{
    return s.len >= end.len && ken_str_eq(ken_str_sub(s, s.len - end.len, s.len), end);
}

static bool is_member_gap(ken_str gap)
{
    return ends_with(gap, KEN_STR("::")) ||
           (ends_with(gap, KEN_STR(".")) && !ends_with(gap, KEN_STR("..")));
}

// What the value before is when `gap` is passed over; 0 when there is more in between.
static ken_expr_id past_gap(ken_refs_maker *m, ken_expr_id e, ken_str gap)
{
    for (;;) {
        if (ken_str_starts(gap, KEN_STR(".await"))) {
            gap = ken_str_sub(gap, 6, gap.len);
        } else if (ken_str_starts(gap, KEN_STR("?"))) {
            gap = ken_str_sub(gap, 1, gap.len);
            e = ken_refs__expr(m, KEN_EXPR_AWAIT, e, 0, 0);
        } else {
            break;
        }
    }
    bool is_joined = ken_str_eq(gap, KEN_STR(".")) || ken_str_eq(gap, KEN_STR("::"));
    return is_joined ? e : 0;
}

// `name:` is a field of a literal or a parameter.
static bool is_key(const ken_refs_maker *m, uint32_t end)
{
    ken_str behind = refs_text(m, end, (uint32_t)m->text.len);
    size_t at = 0;
    while (at < behind.len && behind.ptr[at] == ' ')
        at++;
    return at + 1 < behind.len && behind.ptr[at] == ':' && behind.ptr[at + 1] != ':';
}

// `name: Type` outside of braces is a parameter of a closure.
static void declare_key(ken_refs_maker *m, const refs_frame *f, uint32_t start, uint32_t end)
{
    if (!f->name.len || m->text.ptr[f->start] == '{')
        return;
    uint32_t behind = f->name_start + (uint32_t)f->name.len;
    ken_str gap = ken_str_trim(refs_text(m, behind, start));
    ken_str next = refs_text(m, end, (uint32_t)m->text.len);
    if (ken_str_starts(next, KEN_STR("::")) ||
        !(ken_str_eq(gap, KEN_STR(":")) || ken_str_eq(gap, KEN_STR(": &")) ||
          ken_str_eq(gap, KEN_STR(": &mut"))))
        return;
    refs_name name = ken_refs__name(m, refs_text(m, start, end));
    ken_expr_id type = ken_refs__expr(m, KEN_EXPR_NAME, m->view, 0, name);
    ken_refs__declare(m, f->scope, f->name, f->name_start, ken_refs__value_of_type(m, type));
}

// Whether the text ends with the word.
static bool ends_with_word(ken_str s, ken_str word)
{
    return ends_with(s, word) && (s.len == word.len || !ken_is_word(s.ptr[s.len - word.len - 1]));
}

// `let name` and `let mut name` declare it; `let Some(x)` and `let E::A` do not.
static bool is_declared(const ken_refs_maker *m, ken_str gap, uint32_t end)
{
    if (ends_with_word(gap, KEN_STR("mut")))
        gap = ken_str_trim(ken_str_sub(gap, 0, gap.len - strlen("mut")));
    if (!ends_with_word(gap, KEN_STR("let")))
        return false;
    while (end < m->text.len && ken_is_space(m->text.ptr[end]))
        end++;
    ken_str behind = refs_text(m, end, (uint32_t)m->text.len);
    return !ken_str_starts(behind, KEN_STR("(")) && !ken_str_starts(behind, KEN_STR("{")) &&
           !ken_str_starts(behind, KEN_STR("::"));
}

// What it holds is not known. One that hides another is taken for that one, whose type is mostly its own:
// `let x = x.lock()`.
static void declare_local(ken_refs_maker *m, const refs_frame *f, uint32_t start, uint32_t end)
{
    ken_str text = refs_text(m, start, end);
    refs_name name = ken_refs__name(m, text);
    if (name && m->names.ptr[name].local < 0 && f->scope)
        ken_refs__declare(m, f->scope, text, start, 0);
}

// Where the blanks before a place begin.
static uint32_t behind_blanks(const ken_refs_maker *m, uint32_t at)
{
    while (at && ken_is_space(m->text.ptr[at - 1]))
        at--;
    return at;
}

bool ken_refs__is_attribute(const ken_refs_maker *m, uint32_t start)
{
    if (m->text.ptr[start] != '[')
        return false;
    start = behind_blanks(m, start);
    if (start && m->text.ptr[start - 1] == '!')
        start = behind_blanks(m, start - 1);
    return start && m->text.ptr[start - 1] == '#';
}

bool ken_refs__take_token(ken_refs_maker *m, uint32_t start, uint32_t end)
{
    refs_frame *f = refs_top(m);
    if (!f->rule || f->rule->role != KEN_REF_RULE_TOKENS)
        return false;
    refs_value *last = last_token(m, f);
    ken_str gap = gap_before(m, f, last, start);
    if (!is_member_gap(gap)) {
        if (is_declared(m, gap, end))
            declare_local(m, f, start, end);
        declare_key(m, f, start, end);
        bool is_one = is_key(m, end);
        f->name = is_one ? refs_text(m, start, end) : KEN_STR("");
        f->name_start = start;
        return is_one;
    }
    ken_expr_id base = last ? past_gap(m, last->expr, gap) : 0;
    ken_expr_id e =
        ken_refs__expr(m, KEN_EXPR_MEMBER, base, 0, ken_refs__name(m, refs_text(m, start, end)));
    refs_value v = { e,    ken_refs__add_ref(m, e, KEN_REF_READ, start), start, end, f->depth + 1,
                     false };
    if (base)
        *last = v;
    else
        ken_refs__deliver(m, v);
    return true;
}

// A bracket behind a value, in brackets itself.
void ken_refs__close_tokens(ken_refs_maker *m, const refs_frame *f)
{
    const refs_frame *outer = refs_top(m);
    m->values.len = f->first_value;
    if (!outer->rule || outer->rule->role != KEN_REF_RULE_TOKENS)
        return;
    refs_value *last = last_token(m, outer);
    if (!last)
        return;
    ken_str gap = gap_before(m, outer, last, f->start);
    char bracket = m->text.ptr[f->start];
    bool is_macro = ken_str_eq(gap, KEN_STR("!"));
    if ((gap.len && !is_macro) || (bracket == '{' && !is_macro) || bracket == '$')
        return; // `$(…)*` repeats, and calls nothing
    if (bracket == '[' && !is_macro) {
        last->expr = ken_refs__expr(m, KEN_EXPR_ELEMENT, last->expr, 0, 0);
    } else {
        ken_refs__set_role(m, last, KEN_REF_CALL);
        if (is_macro)
            last->expr = ken_refs__macro(m, last->ref, last->expr);
        last->expr = ken_refs__expr(m, KEN_EXPR_CALL, last->expr, 0, 0);
    }
    last->end = f->end;
}
