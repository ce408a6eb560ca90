// SPDX-License-Identifier: MIT
// Packing of references: store_refs_priv.h has the form. One pass over each array; a name is hashed
// once where an expression has it; everything else is found by number.
#include "base/alloc.h"
#include "base/hash.h"
#include "store/store_reader_priv.h"
#include "store/store_refs_priv.h"

enum {
    ZIP_MIN_BYTES = 64, // below, a frame gains nothing
    FORM_BYTES = 16,    // before the columns, at most
};

const refs_shape ken_store__refs_shapes[KEN_EXPR_OP_COUNT] = {
    [KEN_EXPR_NAME] = { OPERAND_INSIDE, OPERAND_EXPR, true },
    [KEN_EXPR_DEF] = { OPERAND_DEF, OPERAND_NONE, false },
    [KEN_EXPR_SELF] = { OPERAND_INSIDE, OPERAND_NONE, false },
    [KEN_EXPR_SUPER] = { OPERAND_INSIDE, OPERAND_NONE, false },
    [KEN_EXPR_MEMBER] = { OPERAND_EXPR, OPERAND_EXPR, true },
    [KEN_EXPR_CALL] = { OPERAND_EXPR, OPERAND_NUMBER, false },
    [KEN_EXPR_VALUE] = { OPERAND_EXPR, OPERAND_NONE, false },
    [KEN_EXPR_ELEMENT] = { OPERAND_EXPR, OPERAND_NUMBER, false },
    [KEN_EXPR_APPLY] = { OPERAND_EXPR, OPERAND_EXPR, false },
    [KEN_EXPR_AWAIT] = { OPERAND_EXPR, OPERAND_NONE, false },
    [KEN_EXPR_EITHER] = { OPERAND_EXPR, OPERAND_EXPR, false },
    [KEN_EXPR_PARAM] = { OPERAND_DEF, OPERAND_NUMBER, true },
    [KEN_EXPR_BUILTIN] = { OPERAND_NONE, OPERAND_NONE, true },
    [KEN_EXPR_LAMBDA] = { OPERAND_EXPR, OPERAND_EXPR, false },
    [KEN_EXPR_GIVEN] = { OPERAND_EXPR, OPERAND_NUMBER, false },
};

_Static_assert(KEN_EXPR_OP_COUNT <= 1 << TAG_PART_SHIFT, "an op has four bits of a tag");
_Static_assert((int)KEN_REF_ROLE_COUNT <= (int)KEN_MENTION_OLD, "a role is a mention");
_Static_assert((int)KEN_SYMBOL_KIND_COUNT <= (int)KEN_IMPLIED_DECLARES, "a kind has seven bits");

// Names are numbered: symbol i is 2 * i, the name that was the k-th new one 2 * k + 1.
typedef struct name_slot {
    uint32_t hash;
    uint32_t code; // + 1; 0 = free
    ken_str name;
} name_slot;

struct ken_refs_packer {
    ken_arena scratch; // of one file
    ken_buf columns[COL_COUNT];
    ken_buf plain; // all of them, before they are compressed
    ken_zip *zip;
    name_slot *names;
    uint32_t name_mask, n_new_names;
    // refs
    uint32_t *slot_of; // by expression * 8 + role: + 1, 0 = none yet
    uint32_t n_slots;
    ken_refs_recent recent;
};

ken_refs_packer *ken_refs_packer_new(void)
{
    ken_refs_packer *p = ken_zalloc(sizeof *p);
    ken_arena_init(&p->scratch, 0);
    p->zip = ken_zip_new();
    return p;
}

void ken_refs_packer_free(ken_refs_packer *p)
{
    if (!p)
        return;
    ken_arena_release(&p->scratch);
    for (int i = 0; i < COL_COUNT; i++)
        ken_buf_release(&p->columns[i]);
    ken_buf_release(&p->plain);
    ken_zip_free(p->zip);
    ken_free(p);
}

// ---- names -----------------------------------------------------------------------------------

static ken_str clip(ken_str name)
{
    return name.ptr ? ken_str_sub(name, 0, KEN_PACKED_TEXT_MAX) : (ken_str){ "", 0 };
}

// The slot that has the name, or the free one where it belongs.
static name_slot *find_name(ken_refs_packer *p, ken_str name)
{
    uint32_t hash = (uint32_t)ken_hash_str(name), at = hash & p->name_mask;
    while (p->names[at].code && !(p->names[at].hash == hash && ken_str_eq(p->names[at].name, name)))
        at = (at + 1) & p->name_mask;
    p->names[at].hash = hash;
    return &p->names[at];
}

static void begin_names(ken_refs_packer *p, const ken_refs *r, const ken_facts *f)
{
    size_t most = (size_t)f->n_symbols + r->n_exprs + r->n_implied + r->n_literals + 1 +
                  (size_t)r->n_binds * 3;
    uint32_t n = 64;
    while (n < most * 2)
        n *= 2;
    p->names = KEN_ARENA_ARRAY(&p->scratch, name_slot, n);
    p->name_mask = n - 1;
    p->n_new_names = 0;
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        ken_str name = clip(f->symbols[i].name);
        name_slot *s = find_name(p, name);
        if (!s->code) {
            s->code = i * 2 + 1;
            s->name = name;
        }
    }
}

// The number of a name that was met before, or UINT32_MAX: then it is written down.
static uint32_t put_text(ken_refs_packer *p, ken_str name)
{
    name = clip(name);
    name_slot *s = find_name(p, name);
    if (s->code)
        return s->code - 1;
    s->code = p->n_new_names++ * 2 + 2;
    s->name = name;
    ken_buf_put_varint(&p->columns[COL_LENGTH], name.len);
    ken_buf_put_str(&p->columns[COL_TEXT], name);
    return UINT32_MAX;
}

// Where there is no tag.
static void put_name(ken_refs_packer *p, ken_buf *out, ken_str name)
{
    uint32_t known = put_text(p, name);
    ken_buf_put_varint(out, known == UINT32_MAX ? 0 : (uint64_t)known + 1);
}

// ---- expressions -----------------------------------------------------------------------------

typedef struct expr_state {
    uint32_t part_of[KEN_EXPR_OP_COUNT]; // the last a of each op
    uint32_t def;                        // the last definition
    uint32_t name;                       // number of the last name
} expr_state;

static refs_part put_part(ken_refs_packer *p, expr_state *state, const ken_expr *e, uint32_t i)
{
    refs_operand kind = (refs_operand)ken_store__refs_shapes[e->op].a;
    uint32_t again = state->part_of[e->op];
    state->part_of[e->op] = e->a;
    if (kind == OPERAND_NONE || e->a == 0)
        return PART_ZERO;
    if (e->a == again)
        return PART_AGAIN;
    uint32_t last = kind == OPERAND_EXPR ? i - 1 : state->def;
    if (kind != OPERAND_EXPR)
        state->def = e->a;
    if (e->a == last)
        return PART_LAST;
    if (kind == OPERAND_EXPR)
        ken_buf_put_varint(&p->columns[COL_PART], i - e->a);
    else
        ken_put_diff(&p->columns[COL_PART], e->a, last);
    return PART_TOLD;
}

static refs_name put_expr_name(ken_refs_packer *p, expr_state *state, ken_str name)
{
    uint32_t known = put_text(p, name), before = state->name;
    state->name = known == UINT32_MAX ? p->n_new_names * 2 - 1 : known;
    if (known == UINT32_MAX)
        return NAME_NEW;
    if (known == before)
        return NAME_AGAIN;
    ken_buf_put_varint(&p->columns[COL_KNOWN], known);
    return NAME_KNOWN;
}

static void pack_exprs(ken_refs_packer *p, const ken_refs *r)
{
    expr_state state = { .name = UINT32_MAX };
    for (uint32_t i = 1; i < r->n_exprs; i++) {
        const ken_expr *e = &r->exprs[i];
        const refs_shape *shape = &ken_store__refs_shapes[e->op];
        unsigned part = put_part(p, &state, e, i), name = 0;
        if (shape->has_name)
            name = put_expr_name(p, &state, e->name);
        unsigned tag = (unsigned)e->op | part << TAG_PART_SHIFT | name << TAG_NAME_SHIFT;
        ken_buf_putc(&p->columns[COL_TAG], (char)(unsigned char)tag);
        if (shape->b != OPERAND_NONE)
            ken_buf_put_varint(&p->columns[COL_PART],
                               shape->b == OPERAND_EXPR && e->b ? i - e->b : e->b);
    }
}

// ---- references ------------------------------------------------------------------------------

static void pack_silent(ken_refs_packer *p, const ken_refs *r, const uint8_t *is_met)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i < r->n_exprs; i++) {
        if (is_met[i] || !refs_has_place(r->exprs[i].op))
            continue;
        ken_buf_put_varint(&p->columns[COL_SILENT], i - last);
        last = i;
    }
}

static uint8_t mention_of_slot(ken_refs_packer *p, uint32_t slot)
{
    uint32_t at = 0;
    while (at < p->recent.n && p->recent.slots[at] != slot)
        at++;
    bool is_recent = at < p->recent.n;
    ken_refs_recent_use(&p->recent, at, slot);
    if (is_recent)
        return (uint8_t)(KEN_MENTION_RECENT + at);
    ken_buf_put_varint(&p->columns[COL_SLOT], slot);
    return KEN_MENTION_OLD;
}

static void pack_mentions(ken_refs_packer *p, const ken_refs *r)
{
    uint8_t *is_met = KEN_ARENA_ARRAY(&p->scratch, uint8_t, r->n_exprs);
    for (uint32_t i = 0; i < r->n_refs; i++)
        is_met[r->refs[i].expr] = 1;
    pack_silent(p, r, is_met);
    p->slot_of = KEN_ARENA_ARRAY(&p->scratch, uint32_t, (size_t)r->n_exprs * KEN_MENTION_OLD);
    p->n_slots = 0;
    p->recent.n = 0;
    uint32_t next = 1; // is_met: 1 = occurs in the text, 2 = already written
    for (uint32_t i = 0; i < r->n_refs; i++) {
        const ken_ref *ref = &r->refs[i];
        while (next < r->n_exprs && (is_met[next] != 1 || !refs_has_place(r->exprs[next].op)))
            next++;
        uint32_t *slot = &p->slot_of[(size_t)ref->expr * KEN_MENTION_OLD + ref->role];
        uint8_t mention;
        if (*slot) {
            mention = mention_of_slot(p, *slot - 1);
        } else {
            mention = ref->expr == next ? (uint8_t)ref->role : KEN_MENTION_NEW;
            if (mention == KEN_MENTION_NEW)
                ken_buf_put_varint(&p->columns[COL_SLOT],
                                   (uint64_t)ref->expr * KEN_MENTION_OLD + ref->role);
            *slot = ++p->n_slots;
            ken_refs_recent_use(&p->recent, p->recent.n, *slot - 1);
        }
        is_met[ref->expr] = 2;
        ken_buf_putc(&p->columns[COL_MENTION], (char)mention);
    }
}

static void pack_gaps(ken_refs_packer *p, const ken_refs *r)
{
    uint32_t start = 0, end = 0; // of the name before
    for (uint32_t i = 0; i < r->n_refs; i++) {
        const ken_ref *ref = &r->refs[i];
        if (ref->byte >= end) {
            ken_buf_put_varint(&p->columns[COL_GAP], (uint64_t)(ref->byte - end) + 1);
        } else {
            ken_buf_putc(&p->columns[COL_GAP], 0);
            ken_buf_put_varint(&p->columns[COL_GAP], ref->byte - start);
        }
        start = ref->byte;
        end = refs_name_end(start, r->exprs[ref->expr].name);
    }
}

// ---- definitions and the rest ----------------------------------------------------------------

static void pack_defs(ken_refs_packer *p, const ken_refs *r, const ken_facts *f)
{
    ken_buf *out = &p->columns[COL_DEF];
    for (uint32_t i = 0; i < f->n_symbols + r->n_implied; i++) {
        const ken_def_info d = i < r->n_defs ? r->defs[i] : (ken_def_info){ 0 };
        ken_symbol_kind kind =
            i < f->n_symbols ? f->symbols[i].kind : r->implied[i - f->n_symbols].kind;
        unsigned bits = (d.value ? DEF_VALUE : 0) |
                        (d.complexity != ken_symbol_is_callable(kind) ? DEF_COMPLEXITY : 0) |
                        (d.min_params ? DEF_PARAMS : 0) |
                        (d.max_params != d.min_params ? DEF_OPTIONAL : 0) |
                        (d.n_type_params ? DEF_TYPES : 0) | (d.flags ? DEF_FLAGS : 0);
        ken_buf_putc(out, (char)bits);
        if (bits & DEF_VALUE)
            ken_buf_put_varint(out, d.value);
        if (bits & DEF_COMPLEXITY)
            ken_buf_put_varint(out, d.complexity);
        if (bits & DEF_PARAMS)
            ken_buf_putc(out, (char)d.min_params);
        if (bits & DEF_OPTIONAL)
            ken_buf_putc(out, (char)d.max_params);
        if (bits & DEF_TYPES)
            ken_buf_putc(out, (char)d.n_type_params);
        if (bits & DEF_FLAGS)
            ken_buf_putc(out, (char)d.flags);
    }
}

static void pack_implied(ken_refs_packer *p, const ken_refs *r)
{
    ken_buf *out = &p->columns[COL_MORE];
    for (uint32_t i = 0; i < r->n_implied; i++) {
        const ken_implied *m = &r->implied[i];
        put_name(p, out, m->name);
        unsigned kind = (unsigned)m->kind | (m->is_declaration ? KEN_IMPLIED_DECLARES : 0);
        ken_buf_putc(out, (char)(unsigned char)kind);
        ken_buf_put_varint(out, (uint64_t)((int64_t)m->owner + 1));
        ken_put_diff(out, m->byte, i ? r->implied[i - 1].byte : 0);
    }
}

static void pack_bases(ken_refs_packer *p, const ken_refs *r)
{
    ken_buf *out = &p->columns[COL_MORE];
    for (uint32_t i = 0; i < r->n_bases; i++) {
        const ken_base *b = &r->bases[i];
        uint64_t up = b->def - (i ? r->bases[i - 1].def : 0);
        ken_buf_put_varint(out, up * KEN_BASE_KINDS + (unsigned)b->kind);
        ken_buf_put_varint(out, b->expr);
    }
}

static void pack_binds(ken_refs_packer *p, const ken_refs *r)
{
    ken_buf *out = &p->columns[COL_MORE];
    for (uint32_t i = 0; i < r->n_binds; i++) {
        const ken_bind *b = &r->binds[i];
        put_name(p, out, b->module);
        put_name(p, out, b->name);
        put_name(p, out, b->local);
        ken_buf_putc(out, (char)((unsigned)b->kind | (unsigned)b->flags << KEN_BIND_FLAG_SHIFT));
        ken_put_diff(out, b->byte, i ? r->binds[i - 1].byte : 0);
    }
}

static void pack_literals(ken_refs_packer *p, const ken_refs *r)
{
    ken_buf *out = &p->columns[COL_MORE];
    for (uint32_t i = 0; i < r->n_literals; i++) {
        const ken_literal *l = &r->literals[i];
        put_name(p, out, l->text);
        ken_buf_put_varint(out, l->callee);
        ken_buf_put_varint(out, l->handler);
        ken_buf_put_varint(out, (uint64_t)((int64_t)l->decorates + 1));
        ken_put_diff(out, l->byte, i ? r->literals[i - 1].byte : 0);
        ken_put_diff(out, l->handler_byte, l->byte);
        ken_put_diff(out, l->end, l->handler_byte);
    }
}

static void pack_stored(ken_refs_packer *p, const ken_refs *r)
{
    ken_buf *out = &p->columns[COL_MORE];
    for (uint32_t i = 0; i < r->n_stored; i++) {
        const ken_stored *s = &r->stored[i];
        ken_buf_put_varint(out, s->into);
        ken_buf_put_varint(out, s->value);
        ken_put_diff(out, s->byte, i ? r->stored[i - 1].byte : 0);
    }
}

// ---- all of it -------------------------------------------------------------------------------

static void join_columns(ken_refs_packer *p, const ken_refs *r)
{
    ken_buf *out = &p->plain;
    ken_buf_clear(out);
    ken_buf_put_varint(out, r->n_implied);
    ken_buf_put_varint(out, r->n_bases);
    ken_buf_put_varint(out, r->n_binds);
    ken_buf_put_varint(out, r->n_literals);
    ken_buf_put_varint(out, r->n_stored);
    for (int i = 0; i < COL_TEXT; i++)
        ken_buf_put_varint(out, p->columns[i].len);
    for (int i = 0; i < COL_COUNT; i++)
        ken_buf_put_str(out, ken_buf_str(&p->columns[i]));
}

static bool put_compressed(ken_refs_packer *p, ken_buf *out)
{
    size_t from = out->len;
    if (p->plain.len < ZIP_MIN_BYTES)
        return false;
    ken_buf_putc(out, KEN_REFS_VERSION);
    bool is_small = p->plain.len <= KEN_ZIP_SHARED_MAX;
    ken_buf_putc(out, is_small ? KEN_REFS_SHARED : KEN_REFS_ALONE);
    if (ken_zip__put(p->zip, is_small ? KEN_ZIP_REFS_1 : KEN_ZIP_NONE, ken_buf_str(&p->plain), out))
        return true;
    out->len = from;
    return false;
}

static bool says_nothing(const ken_refs_packer *p, const ken_refs *r)
{
    const ken_buf *defs = &p->columns[COL_DEF];
    for (size_t i = 0; i < defs->len; i++)
        if (defs->ptr[i])
            return false;
    return r->n_exprs <= 1 && !r->n_refs && !r->n_implied && !r->n_bases && !r->n_binds &&
           !r->n_literals && !r->n_stored && !r->package.len;
}

void ken_refs_pack(ken_refs_packer *p, const ken_refs *refs, const ken_facts *facts, ken_buf *out)
{
    ken_arena_reset(&p->scratch);
    for (int i = 0; i < COL_COUNT; i++)
        ken_buf_clear(&p->columns[i]);
    begin_names(p, refs, facts);
    pack_exprs(p, refs);
    pack_mentions(p, refs);
    pack_gaps(p, refs);
    pack_defs(p, refs, facts);
    pack_implied(p, refs);
    pack_bases(p, refs);
    pack_binds(p, refs);
    pack_literals(p, refs);
    pack_stored(p, refs);
    put_name(p, &p->columns[COL_MORE], refs->package);
    if (says_nothing(p, refs))
        return;
    join_columns(p, refs);
    if (p->plain.len >= KEN_REFS_MAX_BYTES - FORM_BYTES || put_compressed(p, out))
        return;
    ken_buf_putc(out, KEN_REFS_VERSION);
    ken_buf_putc(out, KEN_REFS_PLAIN);
    ken_buf_put_str(out, ken_buf_str(&p->plain));
}
