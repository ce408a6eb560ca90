// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "ktest.h"
#include "store/store_facts.h"
#include "store/store_zip_priv.h"

// ---- helpers ---------------------------------------------------------------------------------

static uint64_t seed;

static uint32_t pick(uint32_t below) // xorshift; the same on every run
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed % below);
}

static ken_span random_span(uint32_t n_bytes)
{
    uint32_t a = pick(n_bytes + 1), b = pick(n_bytes + 1);
    return a < b ? (ken_span){ a, b } : (ken_span){ b, a };
}

static ken_str random_name(ken_arena *arena)
{
    static const char *const stems[] = { "ken_store_", "parse", "x", "", "Ünicode", "a\nb" };
    return ken_arena_printf(arena, "%s%.*s%u", stems[pick(6)], (int)pick(300),
                            "looooooooooooooooooooooooooooooooooooooooooooooooooong", pick(9));
}

static ken_symbol random_symbol(const ken_facts *f, uint32_t i, ken_arena *arena)
{
    ken_symbol s = {
        .name = random_name(arena),
        .kind = (ken_symbol_kind)pick(KEN_SYMBOL_KIND_COUNT),
        .visibility = (ken_visibility)pick(KEN_VISIBILITY_COUNT),
        .span = random_span(f->n_bytes),
        .signature = random_span(f->n_bytes),
        .first_line = pick(f->n_lines + 1),
        .parent = pick(2) ? (int32_t)pick(i + 1) - 1 : -1,
    };
    if (pick(2))
        s.doc = random_span(f->n_bytes);
    s.last_line = s.first_line + pick(f->n_lines - s.first_line + 1);
    if (s.parent >= 0)
        s.depth = f->symbols[s.parent].depth + 1;
    return s;
}

static ken_facts random_facts(ken_arena *arena)
{
    ken_facts f = { .lang = (uint16_t)pick(UINT16_MAX), .n_bytes = pick(3) ? pick(100000) : 0 };
    f.n_lines = pick(f.n_bytes + 2);
    f.n_error_bytes = pick(f.n_bytes + 1);
    f.is_fallback = pick(2);
    f.is_masked = pick(2);
    f.n_symbols = pick(40);
    f.n_chunks = pick(20);
    f.n_imports = pick(10);
    f.symbols = KEN_ARENA_ARRAY(arena, ken_symbol, f.n_symbols);
    f.chunks = KEN_ARENA_ARRAY(arena, ken_chunk, f.n_chunks);
    f.imports = KEN_ARENA_ARRAY(arena, ken_import, f.n_imports);
    for (uint32_t i = 0; i < f.n_symbols; i++)
        f.symbols[i] = random_symbol(&f, i, arena);
    for (uint32_t i = 0; i < f.n_chunks; i++) {
        uint32_t first = pick(f.n_lines + 1);
        f.chunks[i] = (ken_chunk){
            .span = random_span(f.n_bytes),
            .first_line = first,
            .last_line = first + pick(f.n_lines - first + 1),
            .n_tokens = pick(UINT32_MAX),
            .type = (ken_chunk_type)pick(KEN_CHUNK_TYPE_COUNT),
            .symbol = (int32_t)pick(f.n_symbols + 1) - 1,
        };
    }
    for (uint32_t i = 0; i < f.n_imports; i++)
        f.imports[i] = (ken_import){ random_name(arena), pick(f.n_lines + 1), pick(2) };
    return f;
}

static void check_span(ken_span a, ken_span b)
{
    kt_eq_u(a.start, b.start);
    kt_eq_u(a.end, b.end);
}

static void check_symbol(const ken_symbol *a, const ken_symbol *b)
{
    kt_eq_mem(a->name.ptr, a->name.len, b->name.ptr, b->name.len);
    kt_eq_u(a->kind, b->kind);
    kt_eq_u(a->visibility, b->visibility);
    check_span(a->span, b->span);
    check_span(a->signature, b->signature);
    check_span(a->doc, b->doc);
    kt_eq_u(a->first_line, b->first_line);
    kt_eq_u(a->last_line, b->last_line);
    kt_eq_i(a->parent, b->parent);
    kt_eq_u(a->depth, b->depth);
}

static void check_same(const ken_facts *a, const ken_facts *b)
{
    kt_eq_u(a->lang, b->lang);
    kt_eq_u(a->n_bytes, b->n_bytes);
    kt_eq_u(a->n_lines, b->n_lines);
    kt_eq_u(a->n_error_bytes, b->n_error_bytes);
    kt_eq_u(a->is_fallback, b->is_fallback);
    kt_eq_u(a->is_masked, b->is_masked);
    kt_eq_u(a->n_symbols, b->n_symbols);
    kt_eq_u(a->n_chunks, b->n_chunks);
    kt_eq_u(a->n_imports, b->n_imports);
    for (uint32_t i = 0; i < a->n_symbols; i++)
        check_symbol(&a->symbols[i], &b->symbols[i]);
    for (uint32_t i = 0; i < a->n_chunks; i++) {
        const ken_chunk *x = &a->chunks[i], *y = &b->chunks[i];
        check_span(x->span, y->span);
        kt_eq_u(x->first_line, y->first_line);
        kt_eq_u(x->last_line, y->last_line);
        kt_eq_u(x->n_tokens, y->n_tokens);
        kt_eq_u(x->type, y->type);
        kt_eq_i(x->symbol, y->symbol);
    }
    for (uint32_t i = 0; i < a->n_imports; i++) {
        kt_eq_mem(a->imports[i].module.ptr, a->imports[i].module.len, b->imports[i].module.ptr,
                  b->imports[i].module.len);
        kt_eq_u(a->imports[i].line, b->imports[i].line);
        kt_eq_u(a->imports[i].is_export, b->imports[i].is_export);
    }
}

// Whatever unpacking lets through must be safe to use.
static void check_bounds(const ken_facts *f)
{
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        const ken_symbol *s = &f->symbols[i];
        const ken_span spans[] = { s->span, s->signature, s->doc };
        for (int k = 0; k < 3; k++)
            kt_true(spans[k].start <= spans[k].end && spans[k].end <= f->n_bytes);
        kt_true(s->parent >= -1 && s->parent < (int32_t)i);
        kt_true(s->first_line <= s->last_line && s->last_line <= f->n_lines);
        kt_true(s->kind < KEN_SYMBOL_KIND_COUNT && s->visibility < KEN_VISIBILITY_COUNT);
        kt_true(s->depth <= i);
    }
    for (uint32_t i = 0; i < f->n_chunks; i++) {
        const ken_chunk *c = &f->chunks[i];
        kt_true(c->span.start <= c->span.end && c->span.end <= f->n_bytes);
        kt_true(c->first_line <= c->last_line && c->last_line <= f->n_lines);
        kt_true(c->symbol >= -1 && c->symbol < (int32_t)f->n_symbols);
        kt_true(c->type < KEN_CHUNK_TYPE_COUNT);
    }
    for (uint32_t i = 0; i < f->n_imports; i++)
        kt_true(f->imports[i].line <= f->n_lines);
}

// In memory of its own, so that a read past the end is seen.
static ken_status unpack_copy(const char *bytes, size_t n, ken_arena *arena, ken_facts *out)
{
    char *copy = ken_alloc(n);
    if (n)
        memcpy(copy, bytes, n);
    ken_err err = { 0 };
    ken_zip *zip = ken_zip_new();
    ken_status st = ken_facts_unpack(zip, ken_str_n(copy, n), arena, out, &err);
    ken_zip_free(zip);
    if (st)
        kt_true(err.msg[0] != '\0');
    ken_free(copy);
    return st;
}

// ---- tests -----------------------------------------------------------------------------------

KEN_TEST(empty_facts_come_back)
{
    ken_facts f = { .n_bytes = 0 }, g;
    ken_buf b = { 0 };
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_facts_pack(&f, &b);
    kt_eq_u(b.len, 9);
    kt_ok(unpack_copy(b.ptr, b.len, &arena, &g));
    check_same(&f, &g);
    ken_buf_release(&b);
    ken_arena_release(&arena);
}

KEN_TEST(extreme_facts_come_back)
{
    ken_symbol s = { .name = KEN_STR("x"),
                     .kind = KEN_SYMBOL_INDEX,
                     .span = { UINT32_MAX, UINT32_MAX },
                     .signature = { 0, UINT32_MAX },
                     .doc = { UINT32_MAX - 1, UINT32_MAX },
                     .first_line = UINT32_MAX,
                     .last_line = UINT32_MAX,
                     .parent = -1 };
    ken_chunk c = { .span = { 0, UINT32_MAX }, .last_line = UINT32_MAX, .symbol = 0 };
    ken_import m = { .module = KEN_STR(""), .line = UINT32_MAX, .is_export = true };
    ken_facts f = { .lang = UINT16_MAX,
                    .n_bytes = UINT32_MAX,
                    .n_lines = UINT32_MAX,
                    .n_error_bytes = UINT32_MAX,
                    .symbols = &s,
                    .n_symbols = 1,
                    .chunks = &c,
                    .n_chunks = 1,
                    .imports = &m,
                    .n_imports = 1 },
              g;
    ken_buf b = { 0 };
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_facts_pack(&f, &b);
    kt_ok(unpack_copy(b.ptr, b.len, &arena, &g));
    check_same(&f, &g);
    ken_buf_release(&b);
    ken_arena_release(&arena);
}

KEN_TEST(random_facts_come_back)
{
    seed = 88172645463325252u;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_buf b = { 0 };
    for (int round = 0; round < 2000; round++) {
        ken_arena_reset(&arena);
        ken_facts f = random_facts(&arena), g;
        ken_buf_clear(&b);
        ken_facts_pack(&f, &b);
        kt_ok(unpack_copy(b.ptr, b.len, &arena, &g));
        check_same(&f, &g);
        check_bounds(&g);
    }
    ken_buf_release(&b);
    ken_arena_release(&arena);
}

KEN_TEST(facts_are_compact)
{
    // Real code is regular: about 40 symbols and 10 chunks in 10 KB.
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_facts f = { .lang = 5, .n_bytes = 10000, .n_lines = 400, .n_symbols = 40, .n_chunks = 10 };
    f.symbols = KEN_ARENA_ARRAY(&arena, ken_symbol, f.n_symbols);
    f.chunks = KEN_ARENA_ARRAY(&arena, ken_chunk, f.n_chunks);
    for (uint32_t i = 0; i < 40; i++) {
        f.symbols[i] = (ken_symbol){ .name = ken_arena_printf(&arena, "module_verb_%u", i),
                                     .kind = KEN_SYMBOL_FUNCTION,
                                     .span = { i * 250, i * 250 + 200 },
                                     .signature = { i * 250, i * 250 + 40 },
                                     .first_line = i * 10,
                                     .last_line = i * 10 + 8,
                                     .parent = -1 };
    }
    for (uint32_t i = 0; i < 10; i++) {
        f.chunks[i] = (ken_chunk){ .span = { i * 1000, i * 1000 + 1000 },
                                   .first_line = i * 40,
                                   .last_line = i * 40 + 39,
                                   .n_tokens = 250,
                                   .type = KEN_CHUNK_FUNCTION,
                                   .symbol = (int32_t)i * 4 };
    }
    ken_buf b = { 0 };
    ken_facts_pack(&f, &b);
    kt_true(b.len < 40 * 18 + 10 * 9 + 20);
    ken_buf_release(&b);
    ken_arena_release(&arena);
}

// As they were kept before there was a dictionary: form 2, compressed alone.
KEN_TEST(facts_of_older_stores_are_read)
{
    seed = 7;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_zip *zip = ken_zip_new();
    ken_buf plain = { 0 }, old = { 0 };
    size_t n_read = 0;
    for (int round = 0; round < 100; round++) {
        ken_arena_reset(&arena);
        ken_facts f = random_facts(&arena), g;
        ken_buf_clear(&plain);
        ken_buf_clear(&old);
        ken_facts_pack(&f, &plain);
        ken_buf_putc(&old, 2);
        if (!ken_zip__put(zip, KEN_ZIP_NONE, ken_buf_str(&plain), &old))
            continue;
        kt_ok(unpack_copy(old.ptr, old.len, &arena, &g));
        check_same(&f, &g);
        n_read++;
    }
    kt_true(n_read > 20);
    ken_buf_release(&plain);
    ken_buf_release(&old);
    ken_zip_free(zip);
    ken_arena_release(&arena);
}

// What facts have in common is not told in each of them: those of a small file take less.
KEN_TEST(small_facts_are_compressed)
{
    ken_zip *zip = ken_zip_new();
    ken_buf b = { 0 };
    ken_symbol symbols[8];
    for (uint32_t i = 0; i < 8; i++) {
        symbols[i] = (ken_symbol){ .name = KEN_STR("handle"),
                                   .kind = KEN_SYMBOL_FUNCTION,
                                   .span = { i * 100, i * 100 + 90 },
                                   .first_line = i * 4,
                                   .last_line = i * 4 + 3,
                                   .signature = { i * 100, i * 100 + 20 },
                                   .parent = -1 };
    }
    const ken_facts f = { .n_bytes = 800, .n_lines = 32, .symbols = symbols, .n_symbols = 8 };
    ken_facts_pack(&f, &b);
    size_t n = b.len;
    ken_facts_compress(zip, &b);
    kt_true(b.len < n * 2 / 3);
    ken_buf_release(&b);
    ken_zip_free(zip);
}

KEN_TEST(large_facts_are_compressed)
{
    seed = 5;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_zip *zip = ken_zip_new();
    ken_buf b = { 0 };
    size_t n_smaller = 0;
    for (int round = 0; round < 300; round++) {
        ken_arena_reset(&arena);
        ken_facts f = random_facts(&arena), g;
        ken_buf_clear(&b);
        ken_facts_pack(&f, &b);
        size_t n = b.len;
        ken_facts_compress(zip, &b);
        kt_true(b.len <= n && (n >= 64 || b.len == n));
        n_smaller += b.len < n;
        kt_ok(unpack_copy(b.ptr, b.len, &arena, &g));
        check_same(&f, &g);
        if (round % 30 || b.len == n)
            continue;
        for (size_t cut = 1; cut < b.len; cut++)
            kt_status(unpack_copy(b.ptr, cut, &arena, &g), KEN_ECORRUPT);
    }
    kt_true(n_smaller > 50);
    ken_buf_release(&b);
    ken_zip_free(zip);
    ken_arena_release(&arena);
}

KEN_TEST(cut_facts_are_refused)
{
    seed = 7;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_buf b = { 0 };
    for (int round = 0; round < 30; round++) {
        ken_arena_reset(&arena);
        ken_facts f = random_facts(&arena), g;
        ken_buf_clear(&b);
        ken_facts_pack(&f, &b);
        for (size_t n = 0; n < b.len; n++)
            kt_status(unpack_copy(b.ptr, n, &arena, &g), KEN_ECORRUPT);
        ken_buf_putc(&b, 0);
        kt_status(unpack_copy(b.ptr, b.len, &arena, &g), KEN_ECORRUPT);
    }
    ken_buf_release(&b);
    ken_arena_release(&arena);
}

KEN_TEST(changed_facts_are_refused_or_safe)
{
    seed = 99;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_buf b = { 0 };
    int n_refused = 0;
    for (int round = 0; round < 20000; round++) {
        ken_arena_reset(&arena);
        ken_facts f = random_facts(&arena), g = { 0 };
        ken_buf_clear(&b);
        ken_facts_pack(&f, &b);
        for (uint32_t k = 0; k <= pick(4); k++)
            b.ptr[pick((uint32_t)b.len)] = (char)pick(256);
        ken_status st = unpack_copy(b.ptr, b.len, &arena, &g);
        if (st)
            kt_status(st, KEN_ECORRUPT);
        else
            check_bounds(&g);
        n_refused += st != KEN_OK;
    }
    kt_true(n_refused > 5000);
    ken_buf_release(&b);
    ken_arena_release(&arena);
}

KEN_TEST(counts_take_no_memory_before_they_are_checked)
{
    // 2^31 - 1 symbols in a few bytes.
    static const char bytes[] = "\1\0\0\0\0\0\xff\xff\xff\xff\7\0\0\0\0\0\0\0\0\0\0\0\0\0";
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_facts g;
    kt_status(unpack_copy(bytes, sizeof bytes - 1, &arena, &g), KEN_ECORRUPT);
    kt_true(arena.used_bytes == 0);
    kt_status(unpack_copy("\2", 1, &arena, &g), KEN_ECORRUPT);
    // 60 MiB promised by a frame of some bytes.
    static const char frame[] = "\2\x80\x80\x80\x1e\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00";
    kt_status(unpack_copy(frame, sizeof frame - 1, &arena, &g), KEN_ECORRUPT);
    kt_true(arena.used_bytes == 0);
    ken_arena_release(&arena);
}

KEN_TEST(refused_facts_leave_the_output_alone)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_facts g = { .n_bytes = 42 };
    kt_status(unpack_copy("\1", 1, &arena, &g), KEN_ECORRUPT);
    kt_eq_u(g.n_bytes, 42);
    ken_arena_release(&arena);
}
