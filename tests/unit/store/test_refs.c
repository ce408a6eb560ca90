// SPDX-License-Identifier: MIT
// The packed form of references: what goes in comes out, and nothing that is damaged does harm.
#include "base/alloc.h"
#include "base/vec.h"
#include "ktest.h"
#include "store/store_refs.h"
#include "store/store_zip_priv.h"

// ---- helpers ---------------------------------------------------------------------------------

static uint64_t seed;

static uint32_t pick(uint32_t below) // xorshift; the same on every run
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return below ? (uint32_t)(seed % below) : 0;
}

static ken_str random_name(ken_arena *arena)
{
    static const char *const stems[] = { "cluster", "node", "get", "Ünicode", "", "a\nb" };
    return ken_arena_printf(arena, "%s_%.*s%u", stems[pick(6)], (int)pick(60),
                            "looooooooooooooooooooooooooooooooooooooooooooooooooong", pick(30));
}

static ken_facts random_facts(ken_arena *arena)
{
    ken_facts f = { .n_bytes = 100000 + pick(100000), .n_symbols = pick(3) ? pick(30) : 0 };
    f.symbols = KEN_ARENA_ARRAY(arena, ken_symbol, f.n_symbols);
    for (uint32_t i = 0; i < f.n_symbols; i++)
        f.symbols[i] = (ken_symbol){ .name = random_name(arena),
                                     .kind = (ken_symbol_kind)pick(KEN_SYMBOL_KIND_COUNT),
                                     .parent = -1 };
    return f;
}

// The parts that each op has: what it has no use for is not kept.
static ken_expr random_expr(uint32_t i, uint32_t n_defs, ken_arena *arena)
{
    ken_expr e = { .op = (ken_expr_op)pick(KEN_EXPR_OP_COUNT) };
    uint32_t part = pick(3) ? i - 1 : pick(i), def = n_defs ? pick(n_defs) : 0;
    switch ((int)e.op) {
    case KEN_EXPR_NAME:
        e.a = pick(n_defs + 1);
        e.name = random_name(arena);
        break;
    case KEN_EXPR_SELF:
    case KEN_EXPR_SUPER:
        e.a = pick(n_defs + 1);
        break;
    case KEN_EXPR_DEF:
        e.a = def;
        e.op = n_defs ? e.op : KEN_EXPR_NONE;
        break;
    case KEN_EXPR_PARAM:
        if (!n_defs)
            return (ken_expr){ .op = KEN_EXPR_NONE };
        e = (ken_expr){ e.op, def, pick(4), random_name(arena) };
        break;
    case KEN_EXPR_BUILTIN:
        e.name = random_name(arena);
        break;
    case KEN_EXPR_MEMBER:
        e.a = part;
        e.name = random_name(arena);
        break;
    case KEN_EXPR_APPLY:
    case KEN_EXPR_EITHER:
        e.b = pick(i);
        e.a = part;
        break;
    case KEN_EXPR_CALL:
    case KEN_EXPR_ELEMENT:
        e.b = pick(5) ? pick(5) : UINT32_MAX;
        e.a = part;
        break;
    default:
        e.a = e.op == KEN_EXPR_NONE ? 0 : part;
    }
    return e;
}

static void random_exprs(ken_refs *r, ken_arena *arena)
{
    r->n_exprs = 1 + pick(pick(8) ? 60 : 600);
    r->exprs = KEN_ARENA_ARRAY(arena, ken_expr, r->n_exprs);
    for (uint32_t i = 1; i < r->n_exprs; i++)
        r->exprs[i] = random_expr(i, r->n_defs, arena);
}

// Any expression but NONE, mostly of those with names and in the order of their numbers.
static void random_places(ken_refs *r, uint32_t n_bytes, ken_arena *arena)
{
    r->n_refs = r->n_exprs > 1 ? pick(r->n_exprs * 3) : 0;
    r->refs = KEN_ARENA_ARRAY(arena, ken_ref, r->n_refs);
    uint32_t byte = 0, next = 1;
    for (uint32_t i = 0; i < r->n_refs; i++) {
        byte += pick(8) ? pick(40) : pick(300);
        uint32_t expr = pick(2) && next < r->n_exprs ? next++ : 1 + pick(r->n_exprs - 1);
        ken_ref ref = { expr, (ken_ref_role)(pick(3) ? 0 : pick(KEN_REF_ROLE_COUNT)), byte };
        kt_true(byte < n_bytes);
        r->refs[i] = ref;
    }
}

static void random_implied(ken_refs *r, const ken_facts *f, ken_arena *arena)
{
    r->n_implied = pick(3) ? 0 : pick(20);
    r->implied = KEN_ARENA_ARRAY(arena, ken_implied, r->n_implied);
    for (uint32_t i = 0; i < r->n_implied; i++)
        r->implied[i] =
            (ken_implied){ random_name(arena), (ken_symbol_kind)pick(KEN_SYMBOL_KIND_COUNT),
                           (int32_t)pick(f->n_symbols + i + 1) - 1, pick(f->n_bytes + 1), pick(2) };
}

static void random_defs(ken_refs *r, const ken_facts *f, ken_arena *arena)
{
    r->n_defs = f->n_symbols + r->n_implied;
    r->defs = KEN_ARENA_ARRAY(arena, ken_def_info, r->n_defs);
}

static void fill_defs(const ken_refs *r)
{
    for (uint32_t i = 0; i < r->n_defs; i++) {
        ken_def_info d = { .complexity = 1 };
        if (pick(2))
            d = (ken_def_info){ pick(r->n_exprs),   (uint16_t)pick(1 << 16), (uint8_t)pick(256),
                                (uint8_t)pick(256), (uint8_t)(pick(9) / 8),  (uint8_t)pick(64) };
        r->defs[i] = d;
    }
}

static void random_rest(ken_refs *r, const ken_facts *f, ken_arena *arena)
{
    r->n_bases = r->n_defs ? pick(6) : 0;
    r->n_binds = pick(10);
    r->n_literals = pick(5);
    r->bases = KEN_ARENA_ARRAY(arena, ken_base, r->n_bases);
    r->binds = KEN_ARENA_ARRAY(arena, ken_bind, r->n_binds);
    r->literals = KEN_ARENA_ARRAY(arena, ken_literal, r->n_literals);
    for (uint32_t i = 0, def = 0; i < r->n_bases; i++) {
        def += pick(r->n_defs - def);
        r->bases[i] = (ken_base){ def, (ken_base_kind)pick(4), pick(r->n_exprs) };
    }
    for (uint32_t i = 0; i < r->n_binds; i++)
        r->binds[i] =
            (ken_bind){ random_name(arena),     random_name(arena), random_name(arena),
                        (ken_bind_kind)pick(3), (uint8_t)pick(16),  pick(f->n_bytes + 1) };
    for (uint32_t i = 0; i < r->n_literals; i++)
        r->literals[i] = (ken_literal){ pick(r->n_exprs),     random_name(arena),
                                        pick(r->n_exprs),     (int32_t)pick(r->n_defs + 1) - 1,
                                        pick(f->n_bytes + 1), pick(f->n_bytes + 1),
                                        pick(f->n_bytes + 1) };
    r->n_stored = pick(6);
    r->stored = KEN_ARENA_ARRAY(arena, ken_stored, r->n_stored);
    for (uint32_t i = 0; i < r->n_stored; i++)
        r->stored[i] = (ken_stored){ pick(r->n_exprs), pick(r->n_exprs), pick(f->n_bytes + 1) };
    if (pick(2))
        r->package = random_name(arena);
}

static ken_refs random_refs(const ken_facts *f, ken_arena *arena)
{
    ken_refs r = { .n_exprs = 1 };
    random_implied(&r, f, arena);
    random_defs(&r, f, arena);
    random_exprs(&r, arena);
    fill_defs(&r);
    random_places(&r, f->n_bytes, arena);
    random_rest(&r, f, arena);
    return r;
}

static void check_name(ken_str a, ken_str b)
{
    kt_eq_mem(a.ptr, a.len, b.ptr, b.len);
}

static void check_same_exprs(const ken_refs *a, const ken_refs *b)
{
    kt_eq_u(a->n_exprs, b->n_exprs);
    kt_eq_u(a->n_refs, b->n_refs);
    for (uint32_t i = 0; i < a->n_exprs; i++) {
        kt_eq_u(a->exprs[i].op, b->exprs[i].op);
        kt_eq_u(a->exprs[i].a, b->exprs[i].a);
        kt_eq_u(a->exprs[i].b, b->exprs[i].b);
        check_name(a->exprs[i].name, b->exprs[i].name);
    }
    for (uint32_t i = 0; i < a->n_refs; i++) {
        kt_eq_u(a->refs[i].expr, b->refs[i].expr);
        kt_eq_u(a->refs[i].role, b->refs[i].role);
        kt_eq_u(a->refs[i].byte, b->refs[i].byte);
    }
}

static void check_same_defs(const ken_refs *a, const ken_refs *b)
{
    kt_eq_u(a->n_implied, b->n_implied);
    kt_eq_u(a->n_defs, b->n_defs);
    for (uint32_t i = 0; i < a->n_implied; i++) {
        const ken_implied *x = &a->implied[i], *y = &b->implied[i];
        check_name(x->name, y->name);
        kt_eq_u(x->kind, y->kind);
        kt_eq_i(x->owner, y->owner);
        kt_eq_u(x->byte, y->byte);
        kt_eq_u(x->is_declaration, y->is_declaration);
    }
    for (uint32_t i = 0; i < a->n_defs; i++) {
        const ken_def_info *x = &a->defs[i], *y = &b->defs[i];
        kt_eq_u(x->value, y->value);
        kt_eq_u(x->complexity, y->complexity);
        kt_eq_u(x->min_params, y->min_params);
        kt_eq_u(x->max_params, y->max_params);
        kt_eq_u(x->n_type_params, y->n_type_params);
        kt_eq_u(x->flags, y->flags);
    }
}

static void check_same_rest(const ken_refs *a, const ken_refs *b)
{
    kt_eq_u(a->n_bases, b->n_bases);
    kt_eq_u(a->n_binds, b->n_binds);
    kt_eq_u(a->n_literals, b->n_literals);
    check_name(a->package, b->package);
    for (uint32_t i = 0; i < a->n_bases; i++) {
        kt_eq_u(a->bases[i].def, b->bases[i].def);
        kt_eq_u(a->bases[i].kind, b->bases[i].kind);
        kt_eq_u(a->bases[i].expr, b->bases[i].expr);
    }
    for (uint32_t i = 0; i < a->n_binds; i++) {
        const ken_bind *x = &a->binds[i], *y = &b->binds[i];
        check_name(x->local, y->local);
        check_name(x->module, y->module);
        check_name(x->name, y->name);
        kt_eq_u(x->kind, y->kind);
        kt_eq_u(x->flags, y->flags);
        kt_eq_u(x->byte, y->byte);
    }
    for (uint32_t i = 0; i < a->n_literals; i++) {
        const ken_literal *x = &a->literals[i], *y = &b->literals[i];
        check_name(x->text, y->text);
        kt_eq_u(x->callee, y->callee);
        kt_eq_u(x->handler, y->handler);
        kt_eq_i(x->decorates, y->decorates);
        kt_eq_u(x->byte, y->byte);
        kt_eq_u(x->handler_byte, y->handler_byte);
        kt_eq_u(x->end, y->end);
    }
    kt_eq_u(a->n_stored, b->n_stored);
    for (uint32_t i = 0; i < a->n_stored; i++) {
        kt_eq_u(a->stored[i].into, b->stored[i].into);
        kt_eq_u(a->stored[i].value, b->stored[i].value);
        kt_eq_u(a->stored[i].byte, b->stored[i].byte);
    }
}

static void check_same(const ken_refs *a, const ken_refs *b)
{
    check_same_exprs(a, b);
    check_same_defs(a, b);
    check_same_rest(a, b);
}

// Whatever unpacking lets through must be safe to use.
static void check_bounds(const ken_refs *r, const ken_facts *f)
{
    kt_true(r->n_exprs >= 1 && r->exprs[0].op == KEN_EXPR_NONE);
    for (uint32_t i = 1; i < r->n_exprs; i++) {
        const ken_expr *e = &r->exprs[i];
        kt_true(e->op < KEN_EXPR_OP_COUNT);
        if (e->op >= KEN_EXPR_MEMBER && e->op <= KEN_EXPR_EITHER)
            kt_true(e->a < i);
        if (e->op == KEN_EXPR_APPLY || e->op == KEN_EXPR_EITHER)
            kt_true(e->b < i);
        if (e->op == KEN_EXPR_DEF || e->op == KEN_EXPR_PARAM)
            kt_true(e->a < r->n_defs);
        if (e->op <= KEN_EXPR_SUPER && e->op != KEN_EXPR_DEF)
            kt_true(e->a <= r->n_defs);
    }
    for (uint32_t i = 0; i < r->n_refs; i++) {
        kt_true(r->refs[i].expr > 0 && r->refs[i].expr < r->n_exprs);
        kt_true(r->refs[i].role < KEN_REF_ROLE_COUNT && r->refs[i].byte < f->n_bytes);
        kt_true(!i || r->refs[i - 1].byte <= r->refs[i].byte);
    }
    kt_eq_u(r->n_defs, f->n_symbols + r->n_implied);
    for (uint32_t i = 0; i < r->n_defs; i++)
        kt_true(r->defs[i].value < r->n_exprs);
    for (uint32_t i = 0; i < r->n_implied; i++)
        kt_true(r->implied[i].owner < (int32_t)(f->n_symbols + i) &&
                r->implied[i].kind < KEN_SYMBOL_KIND_COUNT && r->implied[i].byte <= f->n_bytes);
    for (uint32_t i = 0; i < r->n_bases; i++)
        kt_true(r->bases[i].def < r->n_defs && r->bases[i].expr < r->n_exprs);
    for (uint32_t i = 0; i < r->n_binds; i++)
        kt_true(r->binds[i].kind <= KEN_BIND_ALL && r->binds[i].byte <= f->n_bytes);
    for (uint32_t i = 0; i < r->n_literals; i++)
        kt_true(r->literals[i].callee < r->n_exprs && r->literals[i].handler < r->n_exprs &&
                r->literals[i].decorates < (int32_t)r->n_defs);
    for (uint32_t i = 0; i < r->n_stored; i++)
        kt_true(r->stored[i].into < r->n_exprs && r->stored[i].value < r->n_exprs &&
                r->stored[i].byte <= f->n_bytes);
}

typedef struct lab {
    ken_arena arena;
    ken_buf packed;
    ken_refs_packer *packer;
    ken_zip *zip;
    ken_facts facts;
    ken_refs refs;
} lab;

static lab open_lab(uint64_t s)
{
    lab l = { .packer = ken_refs_packer_new(), .zip = ken_zip_new() };
    ken_arena_init(&l.arena, 0);
    seed = s;
    return l;
}

static void close_lab(lab *l)
{
    ken_refs_packer_free(l->packer);
    ken_zip_free(l->zip);
    ken_buf_release(&l->packed);
    ken_arena_release(&l->arena);
}

static void pack_random(lab *l)
{
    ken_arena_reset(&l->arena);
    ken_buf_clear(&l->packed);
    l->facts = random_facts(&l->arena);
    l->refs = random_refs(&l->facts, &l->arena);
    ken_refs_pack(l->packer, &l->refs, &l->facts, &l->packed);
}

// In memory of its own, so that a read past the end is seen, and names that were not copied.
static ken_status unpack_copy(lab *l, const char *bytes, size_t n, ken_refs *out)
{
    char *copy = ken_alloc(n);
    if (n)
        memcpy(copy, bytes, n);
    ken_err err = { 0 };
    ken_status st = ken_refs_unpack(l->zip, ken_str_n(copy, n), &l->facts, &l->arena, out, &err);
    if (st)
        kt_true(err.msg[0] != '\0');
    ken_free(copy);
    return st;
}

// ---- tests -----------------------------------------------------------------------------------

KEN_TEST(refs_that_say_nothing_take_nothing)
{
    lab l = open_lab(1);
    ken_symbol symbols[] = { { .name = KEN_STR("f"), .kind = KEN_SYMBOL_FUNCTION },
                             { .name = KEN_STR("x"), .kind = KEN_SYMBOL_VARIABLE } };
    ken_def_info defs[] = { { .complexity = 1 }, { 0 } };
    l.facts = (ken_facts){ .n_bytes = 9, .symbols = symbols, .n_symbols = 2 };
    ken_expr none = { 0 };
    ken_refs r = { .exprs = &none, .n_exprs = 1, .defs = defs, .n_defs = 2 }, g;
    ken_refs_pack(l.packer, &r, &l.facts, &l.packed);
    kt_eq_u(l.packed.len, 0);
    kt_ok(unpack_copy(&l, NULL, 0, &g));
    check_same(&r, &g);
    defs[0].flags = KEN_DEF_STATIC; // is something
    ken_refs_pack(l.packer, &r, &l.facts, &l.packed);
    kt_true(l.packed.len > 0);
    kt_ok(unpack_copy(&l, l.packed.ptr, l.packed.len, &g));
    check_same(&r, &g);
    close_lab(&l);
}

KEN_TEST(random_refs_come_back)
{
    lab l = open_lab(88172645463325252u);
    for (int round = 0; round < 3000; round++) {
        ken_refs g;
        pack_random(&l);
        kt_ok(unpack_copy(&l, l.packed.ptr, l.packed.len, &g));
        check_same(&l.refs, &g);
        check_bounds(&g, &l.facts);
    }
    close_lab(&l);
}

// As they were kept before there was a dictionary: form 1, compressed alone.
KEN_TEST(refs_of_older_stores_are_read)
{
    lab l = open_lab(9);
    ken_buf old = { 0 };
    size_t n_read = 0;
    for (int round = 0; round < 300; round++) {
        pack_random(&l);
        const uint8_t *p = (const uint8_t *)l.packed.ptr;
        if (l.packed.len < 2 || p[1] != 2)
            continue;
        ken_reader r = { p + 2, p + l.packed.len, NULL };
        ken_str plain = ken_zip__borrow(l.zip, KEN_ZIP_REFS_1, &r, KEN_REFS_MAX_BYTES);
        ken_buf_clear(&old);
        ken_buf_putc(&old, (char)p[0]);
        ken_buf_putc(&old, 1);
        if (!ken_zip__put(l.zip, KEN_ZIP_NONE, plain, &old))
            continue;
        ken_refs g;
        kt_ok(unpack_copy(&l, old.ptr, old.len, &g));
        check_same(&l.refs, &g);
        n_read++;
    }
    kt_true(n_read > 50);
    ken_buf_release(&old);
    close_lab(&l);
}

KEN_TEST(names_of_the_outline_are_not_kept_twice)
{
    lab l = open_lab(5);
    ken_symbol symbol = { .name = KEN_STR("a_function_with_a_rather_long_name"),
                          .kind = KEN_SYMBOL_FUNCTION };
    l.facts = (ken_facts){ .n_bytes = 99, .symbols = &symbol, .n_symbols = 1 };
    ken_expr exprs[] = { { 0 },
                         { .op = KEN_EXPR_NAME, .name = symbol.name },
                         { .op = KEN_EXPR_MEMBER, .a = 1, .name = KEN_STR("other") },
                         { .op = KEN_EXPR_MEMBER, .a = 2, .name = KEN_STR("other") } };
    ken_ref refs[] = { { 1, KEN_REF_CALL, 10 }, { 2, KEN_REF_READ, 40 }, { 3, KEN_REF_READ, 50 } };
    ken_def_info def = { .complexity = 3 };
    ken_refs g;
    l.refs = (ken_refs){
        .exprs = exprs, .n_exprs = 4, .refs = refs, .n_refs = 3, .defs = &def, .n_defs = 1
    };
    ken_refs_pack(l.packer, &l.refs, &l.facts, &l.packed);
    kt_true(l.packed.len < 45);
    kt_ok(unpack_copy(&l, l.packed.ptr, l.packed.len, &g));
    check_same(&l.refs, &g);
    kt_true(g.exprs[1].name.ptr == symbol.name.ptr);
    kt_true(g.exprs[2].name.ptr == g.exprs[3].name.ptr);
    close_lab(&l);
}

KEN_TEST(the_last_byte_of_a_file_can_be_a_place)
{
    lab l = open_lab(5);
    l.facts = (ken_facts){ .n_bytes = UINT32_MAX };
    ken_expr exprs[] = { { 0 }, { .op = KEN_EXPR_NAME, .name = KEN_STR("long_name") } };
    ken_ref refs[] = { { 1, KEN_REF_READ, UINT32_MAX - 1 }, { 1, KEN_REF_WRITE, UINT32_MAX - 1 } };
    ken_refs g;
    l.refs = (ken_refs){ .exprs = exprs, .n_exprs = 2, .refs = refs, .n_refs = 2 };
    ken_refs_pack(l.packer, &l.refs, &l.facts, &l.packed);
    kt_ok(unpack_copy(&l, l.packed.ptr, l.packed.len, &g));
    check_same(&l.refs, &g);
    l.facts.n_bytes--;
    kt_status(unpack_copy(&l, l.packed.ptr, l.packed.len, &g), KEN_ECORRUPT);
    close_lab(&l);
}

KEN_TEST(cut_refs_are_refused)
{
    lab l = open_lab(7);
    for (int round = 0; round < 20; round++) {
        ken_refs g;
        pack_random(&l);
        for (size_t n = 1; n < l.packed.len; n++)
            kt_status(unpack_copy(&l, l.packed.ptr, n, &g), KEN_ECORRUPT);
    }
    close_lab(&l);
}

KEN_TEST(changed_refs_are_refused_or_safe)
{
    lab l = open_lab(99);
    int n_refused = 0;
    for (int round = 0; round < 10000; round++) {
        ken_refs g = { 0 };
        do {
            pack_random(&l);
        } while (!l.packed.len);
        for (uint32_t k = 0; k <= pick(4); k++)
            l.packed.ptr[2 + pick((uint32_t)l.packed.len - 2)] = (char)pick(256);
        ken_status st = unpack_copy(&l, l.packed.ptr, l.packed.len, &g);
        if (st)
            kt_status(st, KEN_ECORRUPT);
        else
            check_bounds(&g, &l.facts);
        n_refused += st != KEN_OK;
    }
    kt_true(n_refused > 2000);
    close_lab(&l);
}

KEN_TEST(refs_of_other_facts_are_refused_or_safe)
{
    lab l = open_lab(3);
    int n_refused = 0;
    for (int round = 0; round < 1000; round++) {
        ken_refs g;
        pack_random(&l);
        if (l.facts.n_symbols)
            l.facts.n_symbols--;
        ken_status st = unpack_copy(&l, l.packed.ptr, l.packed.len, &g);
        if (!st)
            check_bounds(&g, &l.facts);
        n_refused += st != KEN_OK;
    }
    kt_true(n_refused > 300);
    close_lab(&l);
}

KEN_TEST(a_small_blob_cannot_take_much_memory)
{
    // 60 MiB promised by a frame of some bytes.
    static const char bytes[] = "\1\1\x80\x80\x80\x1e\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00";
    lab l = open_lab(3);
    ken_refs g = { .n_exprs = 42 };
    kt_status(unpack_copy(&l, bytes, sizeof bytes - 1, &g), KEN_ECORRUPT);
    kt_eq_u(l.arena.used_bytes, 0);
    kt_status(unpack_copy(&l, "\2", 1, &g), KEN_ECORRUPT);
    kt_status(unpack_copy(&l, "\1\0", 2, &g), KEN_ECORRUPT);
    kt_eq_u(g.n_exprs, 42); // what is refused leaves the output alone
    close_lab(&l);
}
