// SPDX-License-Identifier: MIT
// fuzz_facts -- packed facts from a database that somebody else made.
//
// What unpacking accepts is safe to use, and comes back the same when it is packed again.
#include <stdint.h>

#include "base/assert.h"
#include "store/store_facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_span(ken_span s, uint32_t n_bytes)
{
    KEN_ASSERT(s.start <= s.end && s.end <= n_bytes);
}

static void check(const ken_facts *f)
{
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        const ken_symbol *s = &f->symbols[i];
        check_span(s->span, f->n_bytes);
        check_span(s->signature, f->n_bytes);
        check_span(s->doc, f->n_bytes);
        KEN_ASSERT(s->parent >= -1 && s->parent < (int32_t)i && s->depth <= i);
        KEN_ASSERT(s->first_line <= s->last_line && s->last_line <= f->n_lines);
        KEN_ASSERT(ken_symbol_kind_word(s->kind)[0] && s->visibility < KEN_VISIBILITY_COUNT);
    }
    for (uint32_t i = 0; i < f->n_chunks; i++) {
        const ken_chunk *c = &f->chunks[i];
        check_span(c->span, f->n_bytes);
        KEN_ASSERT(c->first_line <= c->last_line && c->last_line <= f->n_lines);
        KEN_ASSERT(c->symbol >= -1 && c->symbol < (int32_t)f->n_symbols);
        KEN_ASSERT(ken_chunk_type_word(c->type)[0]);
    }
    for (uint32_t i = 0; i < f->n_imports; i++)
        KEN_ASSERT(f->imports[i].line <= f->n_lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_facts f, again;
    ken_zip *zip = ken_zip_new();
    if (!ken_facts_unpack(zip, ken_str_n((const char *)data, size), &arena, &f, NULL)) {
        check(&f);
        ken_buf one = { 0 }, two = { 0 };
        ken_facts_pack(&f, &one);
        KEN_ASSERT(!ken_facts_unpack(zip, ken_buf_str(&one), &arena, &again, NULL));
        ken_facts_pack(&again, &two);
        KEN_ASSERT(ken_str_eq(ken_buf_str(&one), ken_buf_str(&two)));
        ken_buf_release(&one);
        ken_buf_release(&two);
    }
    ken_zip_free(zip);
    ken_arena_release(&arena);
    return 0;
}
