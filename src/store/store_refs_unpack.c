// SPDX-License-Identifier: MIT
// Unpacking of references: store_refs_priv.h has the form. Nothing is trusted: there are no more
// expressions, references and definitions than bytes in their columns, and compressed bytes may
// grow KEN_ZIP_MAX_RATIO times, so that a hostile blob costs at most about 300 times its own size.
#include "base/alloc.h"
#include "store/store_reader_priv.h"
#include "store/store_refs_priv.h"

enum { // the least bytes of one
    IMPLIED_MIN_BYTES = 4,
    BASE_MIN_BYTES = 2,
    BIND_MIN_BYTES = 5,
    LITERAL_MIN_BYTES = 7,
    STORED_MIN_BYTES = 3,
};

typedef struct unpacker {
    ken_reader columns[COL_COUNT];
    const ken_facts *facts;
    ken_arena *arena;
    ken_refs out;
    ken_str *names; // the new ones
    uint32_t n_names, next_name;
    const char *bad;
} unpacker;

static void spoil(unpacker *u, const char *what)
{
    if (!u->bad)
        u->bad = what;
}

// ---- names -----------------------------------------------------------------------------------

static void unpack_texts(unpacker *u)
{
    ken_reader *lengths = &u->columns[COL_LENGTH];
    u->names = ken_arena_alloc(u->arena, (ken_reader_left(lengths) + 1) * sizeof *u->names);
    while (ken_reader_left(lengths)) {
        size_t n = ken_reader_number(lengths, KEN_PACKED_TEXT_MAX, "length of a name");
        u->names[u->n_names++] = ken_reader_text(&u->columns[COL_TEXT], n, "names");
    }
}

static ken_str take_new(unpacker *u)
{
    if (u->next_name < u->n_names)
        return u->names[u->next_name++];
    spoil(u, "a name too many");
    return (ken_str){ "", 0 };
}

static ken_str known_name(unpacker *u, uint32_t code)
{
    uint32_t i = code / 2;
    if (code % 2 ? i < u->next_name : i < u->facts->n_symbols)
        return code % 2 ? u->names[i] : u->facts->symbols[i].name;
    spoil(u, "number of a name");
    return (ken_str){ "", 0 };
}

static ken_str get_name(unpacker *u, ken_reader *r)
{
    uint32_t code = ken_reader_u32(r, UINT32_MAX, "number of a name");
    return code ? known_name(u, code - 1) : take_new(u);
}

// ---- expressions -----------------------------------------------------------------------------

typedef struct expr_state {
    uint32_t part_of[KEN_EXPR_OP_COUNT]; // the last a of each op
    uint32_t def;                        // the last definition
    ken_str name;                        // the last one
} expr_state;

static uint32_t operand_limit(const unpacker *u, refs_operand kind, uint32_t i)
{
    switch (kind) {
    case OPERAND_EXPR:
        return i - 1;
    case OPERAND_DEF:
        return u->out.n_defs ? u->out.n_defs - 1 : 0;
    case OPERAND_INSIDE:
        return u->out.n_defs;
    case OPERAND_NUMBER:
        return UINT32_MAX;
    case OPERAND_NONE:
        break;
    }
    return 0;
}

// An expression, coded as its distance; none as 0.
static uint32_t expr_before(unpacker *u, ken_reader *r, uint32_t i)
{
    uint32_t distance = ken_reader_u32(r, UINT32_MAX, "part");
    if (distance <= i)
        return distance ? i - distance : 0;
    spoil(u, "part of an expression");
    return 0;
}

static uint32_t get_part(unpacker *u, expr_state *state, ken_expr_op op, unsigned how, uint32_t i)
{
    ken_reader *r = &u->columns[COL_PART];
    refs_operand kind = (refs_operand)ken_store__refs_shapes[op].a;
    uint32_t a = 0;
    if (how == PART_AGAIN)
        a = state->part_of[op];
    else if (how == PART_LAST)
        a = kind == OPERAND_EXPR ? i - 1 : state->def;
    else if (how == PART_TOLD)
        a = kind == OPERAND_EXPR ? expr_before(u, r, i)
                                 : ken_reader_diff(r, state->def, UINT32_MAX, "part");
    if (a > operand_limit(u, kind, i) || (kind == OPERAND_DEF && !u->out.n_defs)) {
        spoil(u, "part of an expression");
        a = 0;
    }
    if ((how == PART_LAST || how == PART_TOLD) && kind != OPERAND_EXPR)
        state->def = a;
    return a;
}

static ken_str get_expr_name(unpacker *u, const expr_state *state, unsigned how)
{
    if (how == NAME_NEW)
        return take_new(u);
    if (how == NAME_AGAIN)
        return state->name;
    return known_name(u, ken_reader_u32(&u->columns[COL_KNOWN], UINT32_MAX, "number of a name"));
}

static void unpack_exprs(unpacker *u)
{
    ken_reader *tags = &u->columns[COL_TAG];
    expr_state state = { .name = { "", 0 } };
    for (uint32_t i = 1; i < u->out.n_exprs && !u->bad; i++) {
        unsigned tag = ken_reader_byte(tags, 256, "tag");
        unsigned op = tag & ((1 << TAG_PART_SHIFT) - 1);
        unsigned part = tag >> TAG_PART_SHIFT & 3, name = tag >> TAG_NAME_SHIFT;
        if (op >= KEN_EXPR_OP_COUNT || name > NAME_KNOWN) {
            spoil(u, "kind of an expression");
            return;
        }
        const refs_shape *shape = &ken_store__refs_shapes[op];
        ken_expr *e = &u->out.exprs[i];
        e->op = (ken_expr_op)op;
        e->a = state.part_of[op] = get_part(u, &state, e->op, part, i);
        if (shape->has_name)
            e->name = state.name = get_expr_name(u, &state, name);
        if (shape->b == OPERAND_EXPR)
            e->b = expr_before(u, &u->columns[COL_PART], i);
        else if (shape->b != OPERAND_NONE)
            e->b =
                ken_reader_u32(&u->columns[COL_PART], operand_limit(u, (refs_operand)shape->b, i),
                               "part of an expression");
    }
}

// ---- references ------------------------------------------------------------------------------

typedef struct mention_state {
    ken_ref *slots; // byte is not used
    uint32_t n_slots;
    uint32_t next;  // expression
    uint8_t *waits; // by expression: occurs in the text and was not met yet
    ken_refs_recent recent;
} mention_state;

static void find_waiting(unpacker *u, mention_state *m)
{
    for (uint32_t i = 1; i < u->out.n_exprs; i++)
        m->waits[i] = refs_has_place(u->out.exprs[i].op);
    ken_reader *r = &u->columns[COL_SILENT];
    for (uint64_t i = 0; ken_reader_left(r);) {
        i += ken_reader_number(r, u->out.n_exprs, "silent name");
        if (i < u->out.n_exprs)
            m->waits[i] = 0;
        else
            ken_reader_spoil(r, "silent name");
    }
}

static uint32_t new_slot(unpacker *u, mention_state *m, uint8_t mention)
{
    uint32_t expr = 0, role = mention;
    if (mention == KEN_MENTION_NEW) {
        uint64_t both = ken_reader_number(&u->columns[COL_SLOT], UINT64_MAX, "mention");
        role = (uint32_t)(both % KEN_MENTION_OLD);
        expr = both / KEN_MENTION_OLD < u->out.n_exprs ? (uint32_t)(both / KEN_MENTION_OLD) : 0;
    } else {
        while (m->next < u->out.n_exprs && !m->waits[m->next])
            m->next++;
        expr = m->next < u->out.n_exprs ? m->next : 0;
    }
    if (!expr)
        spoil(u, "expression of a reference");
    m->waits[expr] = 0;
    m->slots[m->n_slots] = (ken_ref){ .expr = expr, .role = (ken_ref_role)role };
    ken_refs_recent_use(&m->recent, m->recent.n, m->n_slots);
    return m->n_slots++;
}

static uint32_t slot_of(unpacker *u, mention_state *m, uint8_t mention)
{
    uint32_t at = m->recent.n, slot = 0;
    if (mention >= KEN_MENTION_RECENT) {
        at = (uint32_t)(mention - KEN_MENTION_RECENT);
        slot = at < m->recent.n ? m->recent.slots[at] : UINT32_MAX;
    } else {
        slot = ken_reader_u32(&u->columns[COL_SLOT], UINT32_MAX, "mention");
    }
    if (slot >= m->n_slots) {
        spoil(u, "mention");
        return UINT32_MAX;
    }
    ken_refs_recent_use(&m->recent, at, slot);
    return slot;
}

static void unpack_mentions(unpacker *u)
{
    ken_refs *out = &u->out;
    ken_arena_mark mark = ken_arena_get_mark(u->arena);
    mention_state m = { .next = 1 };
    m.slots = ken_arena_alloc(u->arena, ((size_t)out->n_refs + 1) * sizeof *m.slots);
    m.waits = ken_arena_zalloc(u->arena, out->n_exprs);
    find_waiting(u, &m);
    for (uint32_t i = 0; i < out->n_refs && !u->bad; i++) {
        uint8_t mention = ken_reader_byte(&u->columns[COL_MENTION], 256, "mention");
        bool is_new = mention < KEN_MENTION_OLD || mention == KEN_MENTION_NEW;
        uint32_t slot = is_new ? new_slot(u, &m, mention) : slot_of(u, &m, mention);
        if (slot < m.n_slots)
            out->refs[i] = m.slots[slot];
    }
    ken_arena_rewind(u->arena, mark);
}

static void unpack_gaps(unpacker *u)
{
    ken_reader *r = &u->columns[COL_GAP];
    uint32_t start = 0, end = 0; // of the name before
    for (uint32_t i = 0; i < u->out.n_refs; i++) {
        ken_ref *ref = &u->out.refs[i];
        uint64_t gap = ken_reader_number(r, UINT32_MAX, "place of a reference");
        uint64_t byte =
            gap ? end + gap - 1 : start + ken_reader_number(r, UINT32_MAX, "place of a reference");
        if (byte >= u->facts->n_bytes) {
            spoil(u, "place of a reference");
            return;
        }
        ref->byte = start = (uint32_t)byte;
        end = refs_name_end(start, u->out.exprs[ref->expr].name);
    }
}

// ---- definitions and the rest ----------------------------------------------------------------

static uint32_t get_expr(const unpacker *u, ken_reader *r, const char *what)
{
    return ken_reader_u32(r, u->out.n_exprs - 1, what);
}

static uint32_t get_byte_after(const unpacker *u, ken_reader *r, uint32_t before, const char *what)
{
    return ken_reader_diff(r, before, u->facts->n_bytes, what);
}

static void unpack_implied(unpacker *u)
{
    ken_reader *r = &u->columns[COL_MORE];
    uint32_t byte = 0;
    for (uint32_t i = 0; i < u->out.n_implied; i++) {
        ken_implied *m = &u->out.implied[i];
        m->name = get_name(u, r);
        unsigned kind = ken_reader_byte(r, 256, "implied kind");
        m->is_declaration = (kind & KEN_IMPLIED_DECLARES) != 0;
        m->kind = (ken_symbol_kind)(kind & (KEN_IMPLIED_DECLARES - 1));
        if (m->kind >= KEN_SYMBOL_KIND_COUNT)
            ken_reader_spoil(r, "implied kind");
        m->owner = (int32_t)ken_reader_u32(r, (uint64_t)u->facts->n_symbols + i, "owner") - 1;
        m->byte = byte = get_byte_after(u, r, byte, "implied place");
    }
}

static void unpack_bases(unpacker *u)
{
    ken_reader *r = &u->columns[COL_MORE];
    uint64_t def = 0;
    for (uint32_t i = 0; i < u->out.n_bases; i++) {
        uint64_t v = ken_reader_number(r, UINT32_MAX * (uint64_t)KEN_BASE_KINDS, "base");
        def += v / KEN_BASE_KINDS;
        if (def >= u->out.n_defs) {
            ken_reader_spoil(r, "base");
            return;
        }
        u->out.bases[i].def = (uint32_t)def;
        u->out.bases[i].kind = (ken_base_kind)(v % KEN_BASE_KINDS);
        u->out.bases[i].expr = get_expr(u, r, "base");
    }
}

static void unpack_binds(unpacker *u)
{
    ken_reader *r = &u->columns[COL_MORE];
    uint32_t byte = 0;
    for (uint32_t i = 0; i < u->out.n_binds; i++) {
        ken_bind *b = &u->out.binds[i];
        b->module = get_name(u, r);
        b->name = get_name(u, r);
        b->local = get_name(u, r);
        unsigned v = ken_reader_byte(r, KEN_BIND_FLAGS << KEN_BIND_FLAG_SHIFT, "binding");
        unsigned kind = v & ((1 << KEN_BIND_FLAG_SHIFT) - 1);
        if (kind >= KEN_BIND_KINDS)
            ken_reader_spoil(r, "binding");
        b->kind = (ken_bind_kind)kind;
        b->flags = (uint8_t)(v >> KEN_BIND_FLAG_SHIFT);
        b->byte = byte = get_byte_after(u, r, byte, "binding");
    }
}

static void unpack_literals(unpacker *u)
{
    ken_reader *r = &u->columns[COL_MORE];
    uint32_t byte = 0;
    for (uint32_t i = 0; i < u->out.n_literals; i++) {
        ken_literal *l = &u->out.literals[i];
        l->text = get_name(u, r);
        l->callee = get_expr(u, r, "literal");
        l->handler = get_expr(u, r, "literal");
        l->decorates = (int32_t)ken_reader_u32(r, u->out.n_defs, "literal") - 1;
        l->byte = byte = get_byte_after(u, r, byte, "literal");
        l->handler_byte = get_byte_after(u, r, byte, "literal's handler");
        l->end = get_byte_after(u, r, l->handler_byte, "literal's end");
    }
}

static void unpack_stored(unpacker *u)
{
    ken_reader *r = &u->columns[COL_MORE];
    uint32_t byte = 0;
    for (uint32_t i = 0; i < u->out.n_stored; i++) {
        ken_stored *s = &u->out.stored[i];
        s->into = get_expr(u, r, "stored name");
        s->value = get_expr(u, r, "stored name");
        s->byte = byte = get_byte_after(u, r, byte, "stored name");
    }
}

static void unpack_defs(unpacker *u)
{
    ken_reader *r = &u->columns[COL_DEF];
    const uint32_t n_symbols = u->facts->n_symbols;
    for (uint32_t i = 0; i < u->out.n_defs; i++) {
        ken_symbol_kind kind =
            i < n_symbols ? u->facts->symbols[i].kind : u->out.implied[i - n_symbols].kind;
        unsigned bits = ken_reader_byte(r, DEF_FLAGS * 2, "definition");
        ken_def_info *d = &u->out.defs[i];
        d->value = bits & DEF_VALUE ? get_expr(u, r, "value of a definition") : 0;
        d->complexity =
            (uint16_t)(bits & DEF_COMPLEXITY ? ken_reader_u32(r, UINT16_MAX, "complexity")
                                             : (uint32_t)ken_symbol_is_callable(kind));
        d->min_params = bits & DEF_PARAMS ? ken_reader_byte(r, 256, "parameters") : 0;
        d->max_params = bits & DEF_OPTIONAL ? ken_reader_byte(r, 256, "parameters") : d->min_params;
        d->n_type_params = bits & DEF_TYPES ? ken_reader_byte(r, 256, "parameters") : 0;
        d->flags = bits & DEF_FLAGS ? ken_reader_byte(r, 256, "flags") : 0;
    }
}

// ---- all of it -------------------------------------------------------------------------------

// The columns, in the arena: names point into them.
static ken_reader open_form(ken_reader *r, ken_zip *zip, ken_arena *arena)
{
    ken_str all = { "", 0 };
    unsigned form = ken_reader_byte(r, KEN_REFS_SHARED + 1, "form");
    if (form != KEN_REFS_PLAIN) {
        ken_zip_dictionary d = form == KEN_REFS_ALONE ? KEN_ZIP_NONE : KEN_ZIP_REFS_1;
        size_t n = ken_zip__size(r, KEN_REFS_MAX_BYTES);
        char *into = ken_arena_alloc(arena, n + 1);
        ken_zip__get(zip, d, r, into, n);
        all = ken_str_n(into, n);
    } else {
        all = ken_arena_dup(arena, ken_reader_text(r, ken_reader_left(r), ""));
    }
    return (ken_reader){ (const uint8_t *)all.ptr, (const uint8_t *)all.ptr + all.len, r->bad };
}

static void cut_columns(unpacker *u, ken_reader *all)
{
    size_t sizes[COL_TEXT];
    for (int i = 0; i < COL_TEXT; i++)
        sizes[i] = ken_reader_number(all, KEN_REFS_MAX_BYTES, "size of a column");
    for (int i = 0; i < COL_COUNT; i++) {
        size_t n = i < COL_TEXT ? sizes[i] : ken_reader_left(all);
        const uint8_t *at = (const uint8_t *)ken_reader_text(all, n, "size of a column").ptr;
        u->columns[i] = (ken_reader){ at, all->bad ? at : at + n, NULL };
    }
}

static void make_room(unpacker *u, ken_reader *all)
{
    ken_refs *out = &u->out;
    out->n_implied = ken_reader_count(all, IMPLIED_MIN_BYTES, "number of implied definitions");
    out->n_bases = ken_reader_count(all, BASE_MIN_BYTES, "number of bases");
    out->n_binds = ken_reader_count(all, BIND_MIN_BYTES, "number of bindings");
    out->n_literals = ken_reader_count(all, LITERAL_MIN_BYTES, "number of literals");
    out->n_stored = ken_reader_count(all, STORED_MIN_BYTES, "number of stored names");
    cut_columns(u, all);
    out->n_exprs = (uint32_t)ken_reader_left(&u->columns[COL_TAG]) + 1;
    out->n_refs = (uint32_t)ken_reader_left(&u->columns[COL_MENTION]);
    out->n_defs = u->facts->n_symbols + out->n_implied;
    out->implied = KEN_ARENA_ARRAY(u->arena, ken_implied, out->n_implied);
    out->bases = KEN_ARENA_ARRAY(u->arena, ken_base, out->n_bases);
    out->binds = KEN_ARENA_ARRAY(u->arena, ken_bind, out->n_binds);
    out->literals = KEN_ARENA_ARRAY(u->arena, ken_literal, out->n_literals);
    out->stored = KEN_ARENA_ARRAY(u->arena, ken_stored, out->n_stored);
    out->exprs = KEN_ARENA_ARRAY(u->arena, ken_expr, out->n_exprs);
    out->refs = KEN_ARENA_ARRAY(u->arena, ken_ref, out->n_refs);
    out->defs = KEN_ARENA_ARRAY(u->arena, ken_def_info, out->n_defs);
}

// Checks that no single column can make.
static const char *find_fault(const unpacker *u, const ken_reader *all)
{
    if (u->bad || all->bad)
        return u->bad ? u->bad : all->bad;
    for (int i = 0; i < COL_COUNT; i++)
        if (u->columns[i].bad)
            return u->columns[i].bad;
    for (int i = 0; i < COL_COUNT; i++)
        if (ken_reader_left(&u->columns[i]))
            return "bytes after the end of a column";
    return u->next_name == u->n_names ? NULL : "names that nothing has";
}

static const char *unpack_all(unpacker *u, ken_reader *all)
{
    if (all->bad)
        return all->bad;
    make_room(u, all);
    if (all->bad)
        return all->bad;
    unpack_texts(u);
    unpack_exprs(u);
    if (!u->bad)
        unpack_mentions(u);
    if (!u->bad)
        unpack_gaps(u);
    unpack_implied(u);
    unpack_defs(u);
    unpack_bases(u);
    unpack_binds(u);
    unpack_literals(u);
    unpack_stored(u);
    u->out.package = get_name(u, &u->columns[COL_MORE]);
    return find_fault(u, all);
}

static void say_nothing(unpacker *u)
{
    u->out.n_exprs = 1;
    u->out.exprs = KEN_ARENA_NEW(u->arena, ken_expr);
    u->out.n_defs = u->facts->n_symbols;
    u->out.defs = KEN_ARENA_ARRAY(u->arena, ken_def_info, u->out.n_defs);
    for (uint32_t i = 0; i < u->out.n_defs; i++)
        u->out.defs[i].complexity = (uint16_t)ken_symbol_is_callable(u->facts->symbols[i].kind);
}

static const char *unpack_form(unpacker *u, ken_zip *zip, ken_str packed)
{
    ken_reader r = { (const uint8_t *)packed.ptr, (const uint8_t *)packed.ptr + packed.len, NULL };
    if (*r.at++ != KEN_REFS_VERSION)
        return "another form";
    ken_reader all = open_form(&r, zip, u->arena);
    return unpack_all(u, &all);
}

ken_status ken_refs_unpack(ken_zip *zip, ken_str packed, const ken_facts *facts, ken_arena *arena,
                           ken_refs *out, ken_err *err)
{
    unpacker u = { .facts = facts, .arena = arena };
    ken_arena_mark mark = ken_arena_get_mark(arena);
    const char *bad = NULL;
    if (packed.len > KEN_REFS_MAX_BYTES)
        return KEN_FAIL(err, KEN_ECORRUPT, "packed references of %zu bytes", packed.len);
    if (packed.len)
        bad = unpack_form(&u, zip, packed);
    else
        say_nothing(&u);
    if (bad) {
        ken_arena_rewind(arena, mark);
        return KEN_FAIL(err, KEN_ECORRUPT, "packed references are damaged: %s", bad);
    }
    *out = u.out;
    return KEN_OK;
}
