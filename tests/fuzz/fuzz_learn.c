// SPDX-License-Identifier: MIT
// fuzz_learn -- the first byte picks a language, the rest is a file in it; everything that the
// index keeps of a file is made of it, packed, and unpacked again.
//
// What we make ourselves, the store has to accept and give back the same: facts that it refuses
// would be called damage when they are next read.
#include <stdint.h>

#include "base/assert.h"
#include "learn/learn.h"
#include "store/store_facts.h"
#include "store/store_refs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The scanner of SQL forgets a few bytes for each $tag$ it has met. The sanitizer chose the name.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:tree_sitter_sql_external_scanner";
}

static void check_facts(ken_zip *zip, const ken_facts *f, ken_arena *arena, ken_facts *out)
{
    ken_buf packed = { 0 }, again = { 0 };
    ken_facts_pack(f, &packed);
    KEN_ASSERT(!packed.is_over);
    ken_err err = { 0 };
    if (ken_facts_unpack(zip, ken_buf_str(&packed), arena, out, &err))
        ken_assert_failed(err.msg, __FILE__, __LINE__);
    KEN_ASSERT(out->n_symbols == f->n_symbols && out->n_chunks == f->n_chunks);
    ken_facts_pack(out, &again);
    KEN_ASSERT(ken_str_eq(ken_buf_str(&packed), ken_buf_str(&again)));
    ken_facts_compress(zip, &packed);
    KEN_ASSERT(!ken_facts_unpack(zip, ken_buf_str(&packed), arena, out, NULL));
    ken_buf_release(&packed);
    ken_buf_release(&again);
}

static void check_refs(ken_zip *zip, const ken_refs *r, const ken_facts *f, ken_arena *arena)
{
    ken_refs_packer *packer = ken_refs_packer_new();
    ken_buf packed = { 0 };
    ken_refs out;
    ken_refs_pack(packer, r, f, &packed);
    KEN_ASSERT(!ken_refs_unpack(zip, ken_buf_str(&packed), f, arena, &out, NULL));
    if (packed.len)
        KEN_ASSERT(out.n_refs == r->n_refs && out.n_implied == r->n_implied);
    ken_buf_release(&packed);
    ken_refs_packer_free(packer);
}

static void check_chunks(const ken_facts *f)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->n_chunks && f->chunks[0].type != KEN_CHUNK_LINES; i++) {
        KEN_ASSERT(f->chunks[i].span.start == at);
        at = f->chunks[i].span.end;
    }
    if (f->n_chunks)
        KEN_ASSERT(f->chunks[f->n_chunks - 1].span.end == f->n_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ken_learner *learner;
    static ken_zip *zip;
    if (!size)
        return 0;
    if (!learner) { // kept: what one file leaves behind must not touch the next
        learner = ken_learner_new();
        zip = ken_zip_new();
    }
    ken_lang_id lang = (ken_lang_id)(data[0] % KEN_LANG_COUNT);
    ken_str text = ken_str_n((const char *)data + 1, size - 1);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_facts facts, kept;
    ken_refs refs;
    ken_learn(learner, lang, text, NULL, &arena, &facts, &refs);
    check_chunks(&facts);
    check_facts(zip, &facts, &arena, &kept);
    check_refs(zip, &refs, &facts, &arena);
    ken_arena_release(&arena);
    return 0;
}
