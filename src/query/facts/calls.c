// SPDX-License-Identifier: MIT
// Lists the references of some roles (such as calls) inside parts of files, in source order.
#include "query/facts/facts_priv.h"

typedef struct call_list {
    ken_snapshot *s;
    ken_graph *g;
    const ken_unit_text *unit;
    query_lines lines; // of the file in hand
    uint32_t file;     // UINT32_MAX = none
    ken_arena *arena;
    ken_arena text;
    uint32_t roles;
    KEN_VEC(ken_call_fact) items;
} call_list;

static void add_name(call_list *l, const ken_ref *r)
{
    ken_targets t;
    ken_graph_node node;
    ken_graph_resolve_ref(l->g, l->file, r, &t);
    ken_str written =
        ken_query__written(l->lines.text, r->byte, l->unit->refs->exprs[r->expr].name);
    ken_call_fact c = { .at = ken_query__place_at(&l->lines, r->byte),
                        .name = ken_query__repaired(l->arena, ken_arena_dup(l->arena, written)),
                        .role = r->role,
                        .class = t.class,
                        .is_member = l->unit->refs->exprs[r->expr].op == KEN_EXPR_MEMBER,
                        .to = { UINT32_MAX, 0 } };
    if (t.n && ken_query__graph_name(l->s, t.defs[0], l->arena, &node)) {
        c.to = t.defs[0];
        c.to_path = node.path;
        c.to_name = node.qualified;
    }
    ken_vec_push(&l->items, c);
}

static ken_status turn_to(call_list *l, uint32_t file, ken_err *err)
{
    if (l->file == file)
        return KEN_OK;
    ken_arena_reset(&l->text);
    l->file = file;
    ken_status st = ken_query__unit_now(l->s, file, &l->g, &l->unit, err);
    if (!st && l->unit && !ken_query__lines_of(l->s, file, &l->text, &l->lines))
        l->unit = NULL;
    return st;
}

static ken_status list_part(call_list *l, const ken_code_part *part, ken_part_calls *out,
                            ken_err *err)
{
    if (part->file >= l->s->n_files)
        return KEN_OK;
    ken_status st = turn_to(l, part->file, err);
    if (st || !l->unit)
        return st;
    ken_vec_clear(&l->items);
    const ken_refs *r = l->unit->refs;
    for (uint32_t i = ken_query__first_ref(r, part->span.start);
         i < r->n_refs && r->refs[i].byte < part->span.end; i++)
        if (l->roles >> r->refs[i].role & 1)
            add_name(l, &r->refs[i]);
    out->items = ken_arena_copy(l->arena, l->items.ptr, l->items.len, sizeof *out->items);
    out->n = l->items.len;
    return KEN_OK;
}

ken_status ken_list_names(ken_snapshot *s, const ken_code_part *parts, size_t n, uint32_t roles,
                          const ken_cancel *cancel, ken_arena *arena, ken_part_calls **out,
                          ken_err *err)
{
    call_list l = { .s = s, .arena = arena, .file = UINT32_MAX, .roles = roles };
    ken_status st = KEN_OK;
    ken_arena_init(&l.text, 0);
    *out = KEN_ARENA_ARRAY(arena, ken_part_calls, n + 1);
    for (size_t i = 0; !st && i < n; i++) {
        st = list_part(&l, &parts[i], &(*out)[i], err);
        if (!st)
            st = ken_cancel_check(cancel, err);
    }
    ken_arena_release(&l.text);
    ken_vec_release(&l.items);
    return st;
}

ken_status ken_list_calls(ken_snapshot *s, const ken_code_part *parts, size_t n,
                          const ken_cancel *cancel, ken_arena *arena, ken_part_calls **out,
                          ken_err *err)
{
    const uint32_t calls = 1u << KEN_REF_CALL | 1u << KEN_REF_NEW | 1u << KEN_REF_DECORATE;
    return ken_list_names(s, parts, n, calls, cancel, arena, out, err);
}
