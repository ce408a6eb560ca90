// SPDX-License-Identifier: MIT
// Definitions of the file: which one a place is in, what is said of each beyond its outline.
#include <stdlib.h>

#include "refs/refs_priv.h"

enum {
    HEAD_BYTES = 400,     // before a name that are looked at for words
    MAX_IMPLIED = 100000, // of one file
    MAX_AROUND = 256      // definitions around a place that are looked at
};

static const struct {
    const char *word;
    uint8_t flag;
} head_words[] = {
    { "static", KEN_DEF_STATIC },           { "staticmethod", KEN_DEF_STATIC },
    { "classmethod", KEN_DEF_STATIC },      { "abstract", KEN_DEF_ABSTRACT },
    { "abstractmethod", KEN_DEF_ABSTRACT }, { "override", KEN_DEF_OVERRIDE },
    { "Override", KEN_DEF_OVERRIDE },       { "export", KEN_DEF_EXPORTED },
    { "companion", KEN_DEF_STATIC },
};

static uint8_t flag_of(ken_str word)
{
    for (size_t i = 0; i < sizeof head_words / sizeof *head_words; i++)
        if (ken_str_eq_c(word, head_words[i].word))
            return head_words[i].flag;
    return 0;
}

static uint8_t flags_in(ken_str head)
{
    uint8_t flags = 0;
    for (size_t i = 0; i < head.len;) {
        size_t from = i;
        while (i < head.len && ken_is_word(head.ptr[i]))
            i++;
        if (i - from > 5)
            flags |= flag_of(ken_str_sub(head, from, i));
        i += i == from;
    }
    return flags;
}

// Names point into the text; those that were joined do not.
static uint32_t name_byte_of(const ken_refs_maker *m, const ken_symbol *s)
{
    bool is_inside =
        m->text.ptr && s->name.ptr >= m->text.ptr && s->name.ptr < m->text.ptr + m->text.len;
    return is_inside ? (uint32_t)(s->name.ptr - m->text.ptr) : UINT32_MAX;
}

// `export const a = 1, b = 2`: b is exported as well.
static uint8_t shared_flags(const ken_refs_maker *m, uint32_t i)
{
    enum {
        LOOKED_AT = 64
    };
    const ken_symbol *s = &m->symbols[i];
    uint32_t n = 0, k = i;
    while (k && n++ < LOOKED_AT && m->symbols[k - 1].parent != s->parent)
        k--;
    if (!k || m->symbols[k - 1].parent != s->parent || m->symbols[k - 1].span.end > s->span.start)
        return 0;
    ken_str between = ken_str_trim(refs_text(m, m->symbols[k - 1].span.end, s->span.start));
    return ken_str_eq_c(between, ",") ? m->defs.ptr[k - 1].flags & KEN_DEF_EXPORTED : 0;
}

static void add_def(ken_refs_maker *m, uint32_t i)
{
    const ken_symbol *s = &m->symbols[i];
    refs_place p = { s->span.start, s->span.end,  name_byte_of(m, s),
                     .around = -1,  .holder = -1, .next = -1 };
    refs_name name = ken_refs__name(m, s->name);
    if (name) {
        p.next = m->names.ptr[name].symbol;
        m->names.ptr[name].symbol = (int32_t)i;
    }
    ken_def_info info = { .complexity = (uint16_t)ken_symbol_is_callable(s->kind) };
    if (p.name_byte != UINT32_MAX && p.name_byte > p.start) {
        uint32_t from = p.name_byte - p.start > HEAD_BYTES ? p.name_byte - HEAD_BYTES : p.start;
        info.flags = flags_in(refs_text(m, from, p.name_byte));
    }
    if (p.name_byte == p.start)
        info.flags |= shared_flags(m, i);
    ken_vec_push(&m->places, p);
    ken_vec_push(&m->defs, info);
}

void ken_refs__begin_defs(ken_refs_maker *m)
{
    for (uint32_t i = 0; i < m->n_symbols; i++)
        add_def(m, i);
}

// ---- places ------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_numbers(uint64_t *items, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (items[i - 1] > items[i]) {
            qsort(items, n, sizeof *items, by_number);
            return;
        }
    }
}

// Symbols of the tree by where they begin; what holds others comes before them, for it has the
// smaller number.
static void order_symbols(ken_refs_maker *m, uint32_t first, uint32_t end)
{
    ken_vec_clear(&m->name_bytes);
    for (uint32_t i = first; i < end; i++)
        ken_vec_push(&m->name_bytes, ((uint64_t)m->places.ptr[i].start << 32 | i));
    sort_numbers(m->name_bytes.ptr, m->name_bytes.len);
    ken_vec_clear(&m->order);
    for (size_t i = 0; i < m->name_bytes.len; i++)
        ken_vec_push(&m->order, (uint32_t)m->name_bytes.ptr[i]);
    for (uint32_t i = first; i < end; i++)
        m->name_bytes.ptr[i - first] = (uint64_t)m->places.ptr[i].name_byte << 32 | i;
    sort_numbers(m->name_bytes.ptr, m->name_bytes.len);
}

static bool holds_names(const ken_symbol *s)
{
    return !ken_symbol_is_variable(s->kind) && s->kind < KEN_SYMBOL_SECTION;
}

// Past variables and keys, which hold nothing by name, to what does.
static int32_t holder(const ken_refs_maker *m, int32_t def)
{
    return def >= 0 ? m->places.ptr[def].holder : -1;
}

static bool is_type(const ken_refs_maker *m, int32_t def)
{
    ken_symbol_kind kind = m->symbols[def].kind;
    return ken_symbol_is_type(kind) || kind == KEN_SYMBOL_IMPL;
}

static bool is_callable(const ken_refs_maker *m, int32_t def)
{
    ken_symbol_kind kind = m->symbols[def].kind;
    return ken_symbol_is_callable(kind) || kind == KEN_SYMBOL_TEST;
}

static bool is_module(const ken_refs_maker *m, int32_t def)
{
    return m->symbols[def].kind == KEN_SYMBOL_MODULE;
}

// Whether names inside may mean something else than right outside. Inside a function that holds no
// definitions they do not, so that they are one expression for all functions of a file; whether
// they do in a type and its methods depends on the language.
static bool has_own_view(const ken_refs_maker *m, int32_t def)
{
    if (is_callable(m, def)) {
        int32_t outer = holder(m, m->places.ptr[def].around);
        return m->places.ptr[def].has_inner ||
               (outer >= 0 && is_type(m, outer) && m->rules->members == KEN_MEMBERS_BARE);
    }
    return !is_type(m, def) || is_module(m, def) || m->rules->members != KEN_MEMBERS_NONE;
}

static uint32_t view_of(const ken_refs_maker *m, int32_t def)
{
    if (holder(m, def) == def && has_own_view(m, def))
        return (uint32_t)def + 1;
    int32_t outer = holder(m, m->places.ptr[def].around);
    if (holder(m, def) == def && is_callable(m, def)) // past types whose members it does not see
        for (int n = 0; n < MAX_AROUND && outer >= 0 && is_type(m, outer) && !is_module(m, outer);
             n++)
            outer = holder(m, m->places.ptr[outer].around);
    return outer >= 0 ? m->places.ptr[outer].view : 0;
}

static void rewind_sweep(ken_refs_maker *m)
{
    m->around = -1;
    m->view = 0;
    m->next_open = 0;
    m->next_start = m->order.len ? m->places.ptr[m->order.ptr[0]].start : UINT32_MAX;
    m->next_end = UINT32_MAX;
}

void ken_refs__begin_tree(ken_refs_maker *m, uint32_t first, uint32_t end)
{
    order_symbols(m, first, end);
    m->next_name = 0;
    int32_t around = -1;
    for (size_t i = 0; i < m->order.len; i++) {
        refs_place *p = &m->places.ptr[m->order.ptr[i]];
        while (around >= 0 && m->places.ptr[around].end <= p->start)
            around = m->places.ptr[around].around;
        int32_t outer = holder(m, around), i_def = (int32_t)m->order.ptr[i];
        bool is_holder = holds_names(&m->symbols[i_def]);
        p->around = around;
        p->holder = is_holder ? i_def : outer;
        if (outer >= 0 && is_holder)
            m->places.ptr[outer].has_inner = true;
        around = i_def;
    }
    for (size_t i = 0; i < m->order.len; i++)
        m->places.ptr[m->order.ptr[i]].view = view_of(m, (int32_t)m->order.ptr[i]);
    rewind_sweep(m);
}

void ken_refs__sweep(ken_refs_maker *m, uint32_t byte)
{
    while (m->next_open < m->order.len && m->places.ptr[m->order.ptr[m->next_open]].start <= byte) {
        m->around = (int32_t)m->order.ptr[m->next_open++];
    }
    while (m->around >= 0 && m->places.ptr[m->around].end <= byte)
        m->around = m->places.ptr[m->around].around;
    m->next_start =
        m->next_open < m->order.len ? m->places.ptr[m->order.ptr[m->next_open]].start : UINT32_MAX;
    m->next_end = m->around >= 0 ? m->places.ptr[m->around].end : UINT32_MAX;
    m->view = m->around >= 0 ? m->places.ptr[m->around].view : 0;
}

int32_t ken_refs__def_named_at(const ken_refs_maker *m, uint32_t byte)
{
    size_t lo = 0, hi = m->name_bytes.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->name_bytes.ptr[mid] >> 32 < byte)
            lo = mid + 1;
        else
            hi = mid;
    }
    bool is_there = lo < m->name_bytes.len && m->name_bytes.ptr[lo] >> 32 == byte;
    return is_there ? (int32_t)(uint32_t)m->name_bytes.ptr[lo] : -1;
}

// Keeps the view of a method whose type is not around it. What stands before its name is seen from
// outside.
void ken_refs__set_owned(ken_refs_maker *m, int32_t def)
{
    m->places.ptr[def].is_owned = true;
    if (m->rules->members != KEN_MEMBERS_BARE)
        return;
    refs_place *p = &m->places.ptr[def];
    p->view = (uint32_t)def + 1;
    if (m->around != def)
        return;
    m->view = refs__view(m, p->around);
    uint32_t end = p->name_byte + (uint32_t)m->symbols[def].name.len;
    if (p->name_byte != UINT32_MAX && end < m->next_start)
        m->next_start = end;
}

// The type that `this` is of; an out-of-line method itself when its type is in another file.
int32_t ken_refs__type_around(const ken_refs_maker *m, int32_t around)
{
    int32_t i = holder(m, around);
    for (int n = 0; n < MAX_AROUND && i >= 0; n++, i = holder(m, m->places.ptr[i].around)) {
        if (is_type(m, i))
            return i;
        int32_t parent = m->symbols[i].parent; // of elsewhere in the file
        if (parent >= 0 && parent != m->places.ptr[i].around &&
            (is_type(m, parent) || m->places.ptr[i].around < 0))
            return parent;
        if (m->places.ptr[i].is_owned)
            return i;
    }
    return -1;
}

int32_t ken_refs__callable_around(const ken_refs_maker *m, int32_t around)
{
    int32_t i = holder(m, around);
    for (int n = 0; n < MAX_AROUND && i >= 0 && !is_callable(m, i); n++)
        i = holder(m, m->places.ptr[i].around);
    return i >= 0 && is_callable(m, i) ? i : -1;
}

// What holds a place by name: type, function, module; not the variable whose value it is in.
int32_t ken_refs__holder(const ken_refs_maker *m, int32_t around)
{
    return holder(m, around);
}

bool ken_refs__is_type(const ken_refs_maker *m, int32_t def)
{
    return def >= 0 && is_type(m, def);
}

void ken_refs__branch(ken_refs_maker *m, int32_t around)
{
    int32_t def = ken_refs__callable_around(m, around);
    if (def >= 0 && m->defs.ptr[def].complexity < UINT16_MAX)
        m->defs.ptr[def].complexity++;
}

// ---- values ------------------------------------------------------------------------------------

int32_t ken_refs__member_of(const ken_refs_maker *m, int32_t owner, refs_name name)
{
    enum {
        MAX_LOOKED_AT = 1000
    };
    int32_t at = m->names.ptr[name].symbol;
    for (int i = 0; at >= 0 && i < MAX_LOOKED_AT; i++, at = m->places.ptr[at].next)
        if (m->symbols[at].parent == owner)
            return at;
    return -1;
}

void ken_refs__set_value(ken_refs_maker *m, int32_t def, ken_expr_id value)
{
    // Of a function that a variable holds, what calling it gives, unless there is more to say.
    const refs_expr *e = &m->exprs.ptr[value];
    bool is_plain = e->op == KEN_EXPR_LAMBDA && !e->b && m->exprs.ptr[e->a].op != KEN_EXPR_LAMBDA;
    if (is_plain && ken_symbol_is_callable(m->symbols[def].kind))
        value = e->a;
    if (value)
        m->defs.ptr[def].value = value;
}

int32_t ken_refs__add_implied(ken_refs_maker *m, ken_implied implied, ken_def_info info)
{
    if (m->implied.len >= MAX_IMPLIED || !implied.name.len)
        return -1;
    ken_vec_push(&m->implied, implied);
    ken_vec_push(&m->implied_defs, info);
    return (int32_t)m->implied.len - 1;
}

static void assign_implied(ken_refs_maker *m, ken_expr_id left, int32_t owner, ken_expr_id value,
                           uint32_t byte)
{
    refs_expr *e = &m->exprs.ptr[left];
    if (e->implied < 0) {
        ken_implied field = { m->names.ptr[e->name].text, KEN_SYMBOL_FIELD, owner, byte, false };
        e->implied = ken_refs__add_implied(m, field, (ken_def_info){ .value = value });
    } else if (!m->implied_defs.ptr[e->implied].value) {
        m->implied_defs.ptr[e->implied].value = value;
    }
}

// `self.x = value`: a field of the type around, once, unless the outline has it.
void ken_refs__assign_field(ken_refs_maker *m, ken_expr_id left, ken_expr_id value, uint32_t byte)
{
    const refs_expr *e = &m->exprs.ptr[left];
    if (e->op != KEN_EXPR_MEMBER || m->exprs.ptr[e->a].op != KEN_EXPR_SELF)
        return;
    int32_t owner = (int32_t)m->exprs.ptr[e->a].a - 1;
    if (owner < 0 || m->places.ptr[owner].is_owned)
        return;
    int32_t known = ken_refs__member_of(m, owner, e->name);
    if (known < 0)
        assign_implied(m, left, owner, value, byte);
    else if (!m->defs.ptr[known].value && ken_symbol_is_variable(m->symbols[known].kind))
        m->defs.ptr[known].value = value;
}
