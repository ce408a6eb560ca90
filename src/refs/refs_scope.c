// SPDX-License-Identifier: MIT
// Locals: names that mean a value and nothing else, as long as their scope is open. A name knows
// its innermost local, a local the one that it hides, so that a look-up costs nothing.
#include "refs/refs_priv.h"

enum {
    MAX_LOCALS = 1 << 18, // of one file at a time
    MAX_DECLS = 1 << 16,
    DECLS_LOOKED_AT = 64,
    NODES_LOOKED_AT = 512 // for names that are declared ahead
};

static void link_local(ken_refs_maker *m, refs_local l)
{
    l.outer = m->names.ptr[l.name].local;
    m->names.ptr[l.name].local = (int32_t)m->locals.len;
    ken_vec_push(&m->locals, l);
}

// Once more in one scope it is the same; what is known of it stays until more is.
static void put_local(ken_refs_maker *m, refs_local l)
{
    int32_t at = m->names.ptr[l.name].local;
    refs_local *old = at >= 0 ? &m->locals.ptr[at] : NULL;
    if (old && old->frame == l.frame && old->is_type == l.is_type) {
        old->value = l.value ? l.value : old->value;
        old->is_global |= l.is_global;
    } else if (m->locals.len < MAX_LOCALS) {
        link_local(m, l);
    }
}

// A variable of the file, or of a type's body, that is no symbol of the outline.
static void imply_variable(ken_refs_maker *m, refs_name name, uint32_t byte, ken_expr_id value)
{
    int32_t owner = ken_refs__holder(m, m->around);
    ken_expr_id id = ken_refs__expr(m, KEN_EXPR_NAME, (uint32_t)(owner + 1), 0, name);
    refs_expr *e = &m->exprs.ptr[id];
    if (id && e->implied < 0) {
        ken_implied v = { m->names.ptr[name].text, KEN_SYMBOL_VARIABLE, owner, byte, false };
        e->implied = ken_refs__add_implied(m, v, (ken_def_info){ .value = value });
    } else if (id && value) {
        m->implied_defs.ptr[e->implied].value = value;
    }
}

void ken_refs__declare(ken_refs_maker *m, uint32_t frame, ken_str name, uint32_t byte,
                       ken_expr_id value)
{
    refs_local l = { .name = ken_refs__name(m, name), .value = value, .frame = frame };
    if (!l.name)
        return;
    if (frame)
        put_local(m, l);
    else
        imply_variable(m, l.name, byte, value);
}

void ken_refs__declare_type(ken_refs_maker *m, uint32_t frame, ken_str name, ken_expr_id value)
{
    refs_local l = { ken_refs__name(m, name), value, .frame = frame, .is_type = true };
    if (l.name)
        put_local(m, l);
}

void ken_refs__declare_global(ken_refs_maker *m, uint32_t frame, ken_str name)
{
    refs_local l = { .name = ken_refs__name(m, name), .frame = frame, .is_global = true };
    if (l.name)
        put_local(m, l);
}

// Locals that were declared further out (Python's) stay.
void ken_refs__end_scope(ken_refs_maker *m, uint32_t frame)
{
    size_t first = m->frames.ptr[frame].first_local, end = m->locals.len;
    for (size_t i = end; i-- > first;)
        m->names.ptr[m->locals.ptr[i].name].local = m->locals.ptr[i].outer;
    m->locals.len = first;
    for (size_t i = first; i < end; i++)
        if (m->locals.ptr[i].frame < frame)
            link_local(m, m->locals.ptr[i]);
}

// ---- declared names ----------------------------------------------------------------------------

void ken_refs__add_decl(ken_refs_maker *m, TSNode node, int32_t step)
{
    bool is_whole =
        !ts_node_is_null(node) && (!ts_node_child_count(node) || ken_refs__is_name(m, node));
    if (!is_whole || m->decls.len >= MAX_DECLS)
        return;
    refs_decl d = { refs_node_text(m, node), ts_node_start_byte(node), step, false };
    ken_vec_push(&m->decls, d);
    m->n_unseen++;
}

// The rule that makes a node a name; of several one that may declare it.
static const ken_ref_rule *name_rule(const ken_refs_maker *m, TSNode node)
{
    TSSymbol s = ts_node_symbol(node);
    const ken_ref_rule *found = NULL;
    int16_t at = s < m->rules->n_symbols ? m->rules->first[s] : -1;
    for (; at >= 0; at = m->rules->rules[at].next) {
        const ken_ref_rule *rule = &m->rules->rules[at];
        if (rule->role == KEN_REF_RULE_NAME && (!found || !(rule->flags & KEN_REF_F_BARE)))
            found = rule;
    }
    return found;
}

bool ken_refs__is_name(const ken_refs_maker *m, TSNode node)
{
    return name_rule(m, node) != NULL;
}

static bool next_behind(TSTreeCursor *c)
{
    while (!ts_tree_cursor_goto_next_sibling(c))
        if (!ts_tree_cursor_goto_parent(c))
            return false;
    return true;
}

static bool next_below(TSTreeCursor *c)
{
    return ts_tree_cursor_goto_first_child(c) || next_behind(c);
}

void ken_refs__add_decls_below(ken_refs_maker *m, TSNode node)
{
    if (ts_node_is_null(node))
        return;
    TSTreeCursor c = ts_tree_cursor_new(node);
    for (int n = 0; n < NODES_LOOKED_AT; n++) {
        TSNode at = ts_tree_cursor_current_node(&c);
        const ken_ref_rule *name = name_rule(m, at);
        bool is_constant = name && (name->flags & KEN_REF_F_BARE);
        if (name && !is_constant)
            ken_refs__add_decl(m, at, REFS_STEP_UNKNOWN);
        if (is_constant ? !next_behind(&c) : !next_below(&c))
            break;
    }
    ts_tree_cursor_delete(&c);
}

bool ken_refs__is_declared(ken_refs_maker *m, uint32_t byte)
{
    size_t n = m->decls.len, least = n > DECLS_LOOKED_AT ? n - DECLS_LOOKED_AT : 0;
    for (size_t i = n; m->n_unseen && i-- > least;) {
        refs_decl *d = &m->decls.ptr[i];
        if (d->byte != byte || d->was_seen)
            continue;
        d->was_seen = true;
        m->n_unseen--;
        return true;
    }
    return false;
}

void ken_refs__drop_decls(ken_refs_maker *m, uint32_t first)
{
    while (m->decls.len > first)
        m->n_unseen -= !m->decls.ptr[--m->decls.len].was_seen;
}

// ---- patterns ----------------------------------------------------------------------------------

static int32_t add_step(ken_refs_maker *m, int32_t from, ken_expr_op op, refs_name name,
                        uint32_t byte)
{
    if (from == REFS_STEP_UNKNOWN || m->steps.len >= MAX_DECLS)
        return REFS_STEP_UNKNOWN;
    refs_step s = { from, op, name, byte, 0, false };
    ken_vec_push(&m->steps, s);
    return (int32_t)m->steps.len - 1;
}

uint32_t ken_refs__commas_before(const ken_refs_maker *m, TSNode node, uint32_t byte)
{
    TSTreeCursor c = ts_tree_cursor_new(node);
    uint32_t n = 0;
    if (ts_tree_cursor_goto_first_child(&c)) {
        do {
            TSNode child = ts_tree_cursor_current_node(&c);
            if (ts_node_start_byte(child) >= byte)
                break;
            n += m->text.ptr[ts_node_start_byte(child)] == ',';
        } while (ts_tree_cursor_goto_next_sibling(&c));
    }
    ts_tree_cursor_delete(&c);
    return n;
}

ken_str ken_refs__position(ken_refs_maker *m, TSNode node, uint32_t byte)
{
    return ken_arena_printf(m->arena, "%u", (unsigned)ken_refs__commas_before(m, node, byte));
}

// A step to the part of a tuple that begins at `byte`, when the pattern is one.
static int32_t part_step(ken_refs_maker *m, const refs_frame *f, uint32_t byte)
{
    if (!refs_has(f, KEN_REF_F_KEY))
        return f->step;
    ken_str part = ken_refs__position(m, f->node, byte);
    return add_step(m, f->step, KEN_EXPR_MEMBER, ken_refs__name(m, part), 0);
}

static bool declares(const refs_frame *outer)
{
    if (outer->rule && outer->rule->role == KEN_REF_RULE_PATTERN)
        return outer->is_declaring;
    return !outer->rule || outer->rule->role != KEN_REF_RULE_ASSIGN ||
           refs_has(outer, KEN_REF_F_DECLARES);
}

// `f` is on top; what is around it says what its value is a part of.
void ken_refs__open_pattern(ken_refs_maker *m, refs_frame *f)
{
    const refs_frame *outer = f - 1;
    bool is_part = outer->rule && outer->rule->role == KEN_REF_RULE_PATTERN;
    int32_t from = is_part ? part_step(m, outer, f->start) : REFS_STEP_WHOLE;
    TSNode key = ken_refs__at(m, f->rule, KEN_REF_PATH_LEFT, f->node);
    TSNode name = ken_refs__at(m, f->rule, KEN_REF_PATH_NAME, f->node);
    bool has_name = !ts_node_is_null(name);
    f->is_declaring = declares(outer);
    f->pattern_start = has_name ? ts_node_start_byte(name) : f->start;
    f->pattern_end = has_name ? ts_node_end_byte(name) : f->end;
    if (refs_has(f, KEN_REF_F_BARE))
        from = REFS_STEP_UNKNOWN;
    else if (refs_has(f, KEN_REF_F_ELEMENT))
        from = add_step(m, from, KEN_EXPR_ELEMENT, 0, 0);
    else if (!ts_node_is_null(key))
        from = add_step(m, from, KEN_EXPR_MEMBER, ken_refs__name(m, refs_node_text(m, key)),
                        ts_node_start_byte(key));
    if (f->rule->path[KEN_REF_PATH_TYPE]) { // what it is of does not matter
        from = add_step(m, REFS_STEP_WHOLE, KEN_EXPR_VALUE, 0, 0);
        if (from >= 0)
            m->steps.ptr[from].is_known = true;
    }
    f->step = from;
}

// Now the type that it names is known.
// `[this.x, y] = …`: members in the pattern on the left of an assignment are written.
static void write_members(ken_refs_maker *m, const refs_frame *f)
{
    const refs_frame *outer = f - 1;
    while (outer->rule &&
           (outer->rule->role == KEN_REF_RULE_PATTERN || outer->rule->role == KEN_REF_RULE_PASS))
        outer--;
    if (!outer->rule || outer->rule->role != KEN_REF_RULE_ASSIGN)
        return;
    for (size_t i = f->first_value; i < m->values.len; i++) {
        const refs_value *v = &m->values.ptr[i];
        if (v->start >= f->pattern_start && v->end <= f->pattern_end &&
            m->exprs.ptr[v->expr].op == KEN_EXPR_MEMBER)
            ken_refs__set_role(m, v, KEN_REF_WRITE);
    }
}

void ken_refs__close_pattern(ken_refs_maker *m, const refs_frame *f)
{
    write_members(m, f);
    const refs_value *type = ken_refs__value_at(m, f, KEN_REF_PATH_TYPE);
    if (type && f->step >= 0 && m->steps.ptr[f->step].is_known)
        m->steps.ptr[f->step].expr = ken_refs__value_of_type(m, type->expr);
}

void ken_refs__add_pattern_leaf(ken_refs_maker *m, const refs_frame *f, TSNode leaf)
{
    int32_t step = part_step(m, f, ts_node_start_byte(leaf));
    if (refs_has(f, KEN_REF_F_MEMBER))
        step = add_step(m, step, KEN_EXPR_MEMBER, ken_refs__name(m, refs_node_text(m, leaf)),
                        ts_node_start_byte(leaf));
    ken_refs__add_decl(m, leaf, step);
    ken_refs__is_declared(m, ts_node_start_byte(leaf)); // this is it
}

void ken_refs__work_out_steps(ken_refs_maker *m, const refs_frame *f, ken_expr_id whole)
{
    for (size_t i = f->first_step; i < m->steps.len; i++) {
        refs_step *s = &m->steps.ptr[i];
        if (s->is_known)
            continue;
        ken_expr_id from = s->from < 0 ? whole : m->steps.ptr[s->from].expr;
        s->expr = from ? ken_refs__expr(m, s->op, from, 0, s->name) : 0;
        if (s->byte) // `{ name } = value` takes a member of it
            ken_refs__add_ref(m, s->expr, KEN_REF_READ, s->byte);
        s->byte = 0;
    }
}

ken_expr_id ken_refs__decl_value(const ken_refs_maker *m, const refs_decl *d, ken_expr_id whole)
{
    return d->step == REFS_STEP_UNKNOWN ? 0
           : d->step == REFS_STEP_WHOLE ? whole
                                        : m->steps.ptr[d->step].expr;
}
