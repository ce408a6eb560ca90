// SPDX-License-Identifier: MIT
// fuzz_refs -- packed references from a database that somebody else made.
//
// What unpacking accepts is safe to use, and comes back the same when it is packed again. The first
// byte says how many symbols the facts have, so that names and definitions of the outline are met.
#include <stdint.h>

#include "base/assert.h"
#include "store/store_refs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MAX_SYMBOLS = 8,
    N_BYTES = 100000
};

static ken_symbol symbols[MAX_SYMBOLS] = {
    { .name = { "main", 4 }, .kind = KEN_SYMBOL_FUNCTION },
    { .name = { "Server", 6 }, .kind = KEN_SYMBOL_CLASS },
    { .name = { "start", 5 }, .kind = KEN_SYMBOL_METHOD },
    { .name = { "", 0 }, .kind = KEN_SYMBOL_FIELD },
};

static void check_exprs(const ken_refs *r)
{
    KEN_ASSERT(r->n_exprs && r->exprs[0].op == KEN_EXPR_NONE);
    for (uint32_t i = 1; i < r->n_exprs; i++) {
        const ken_expr *e = &r->exprs[i];
        KEN_ASSERT(e->op < KEN_EXPR_OP_COUNT);
        switch ((int)e->op) {
        case KEN_EXPR_APPLY:
        case KEN_EXPR_EITHER:
            KEN_ASSERT(e->a < i && e->b < i);
            break;
        case KEN_EXPR_DEF:
        case KEN_EXPR_PARAM:
            KEN_ASSERT(e->a < r->n_defs);
            break;
        case KEN_EXPR_NAME:
        case KEN_EXPR_SELF:
        case KEN_EXPR_SUPER:
            KEN_ASSERT(e->a <= r->n_defs);
            break;
        default:
            KEN_ASSERT(e->a < i);
        }
    }
}

static void check(const ken_refs *r, const ken_facts *f)
{
    check_exprs(r);
    KEN_ASSERT(r->n_defs == f->n_symbols + r->n_implied);
    for (uint32_t i = 0; i < r->n_refs; i++) {
        const ken_ref *ref = &r->refs[i];
        KEN_ASSERT(ref->expr && ref->expr < r->n_exprs && ref->role < KEN_REF_ROLE_COUNT);
        KEN_ASSERT(ref->byte < f->n_bytes && (!i || r->refs[i - 1].byte <= ref->byte));
    }
    for (uint32_t i = 0; i < r->n_implied; i++)
        KEN_ASSERT(r->implied[i].owner >= -1 && r->implied[i].owner < (int32_t)(f->n_symbols + i) &&
                   ken_symbol_kind_word(r->implied[i].kind)[0]);
    for (uint32_t i = 0; i < r->n_defs; i++)
        KEN_ASSERT(r->defs[i].value < r->n_exprs);
    for (uint32_t i = 0; i < r->n_bases; i++)
        KEN_ASSERT(r->bases[i].def < r->n_defs && r->bases[i].expr < r->n_exprs &&
                   (!i || r->bases[i - 1].def <= r->bases[i].def));
    for (uint32_t i = 0; i < r->n_binds; i++)
        KEN_ASSERT(r->binds[i].kind <= KEN_BIND_ALL && r->binds[i].byte <= f->n_bytes);
    for (uint32_t i = 0; i < r->n_literals; i++)
        KEN_ASSERT(r->literals[i].callee < r->n_exprs && r->literals[i].handler < r->n_exprs &&
                   r->literals[i].decorates < (int32_t)r->n_defs);
    for (uint32_t i = 0; i < r->n_stored; i++)
        KEN_ASSERT(r->stored[i].into < r->n_exprs && r->stored[i].value < r->n_exprs &&
                   r->stored[i].byte <= f->n_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    const ken_facts f = { .n_bytes = N_BYTES,
                          .symbols = symbols,
                          .n_symbols = data[0] % (MAX_SYMBOLS + 1) };
    ken_refs r, again;
    ken_zip *zip = ken_zip_new();
    if (!ken_refs_unpack(zip, ken_str_n((const char *)data + 1, size - 1), &f, &arena, &r, NULL)) {
        check(&r, &f);
        ken_refs_packer *packer = ken_refs_packer_new();
        ken_buf one = { 0 }, two = { 0 };
        ken_refs_pack(packer, &r, &f, &one);
        KEN_ASSERT(!ken_refs_unpack(zip, ken_buf_str(&one), &f, &arena, &again, NULL));
        ken_refs_pack(packer, &again, &f, &two);
        KEN_ASSERT(ken_str_eq(ken_buf_str(&one), ken_buf_str(&two)));
        KEN_ASSERT(again.n_refs == r.n_refs && again.n_exprs == r.n_exprs);
        ken_buf_release(&one);
        ken_buf_release(&two);
        ken_refs_packer_free(packer);
    }
    ken_zip_free(zip);
    ken_arena_release(&arena);
    return 0;
}
