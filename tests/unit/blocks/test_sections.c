// SPDX-License-Identifier: MIT
// Sections come back as they were put, whatever the order, the sizes and the blocks; damage is told.
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "blocks/sections.h"
#include "ktest.h"

enum {
    SECTIONS = 5
};

typedef struct bytes {
    ken_buf b;
    uint32_t block;
    uint32_t n_reads;
} bytes;

static ken_err err;

static ken_status read_block(void *ctx, int64_t segment, uint32_t block, void *into, size_t *out_n,
                             ken_err *e)
{
    bytes *x = ctx;
    (void)segment;
    ken_str part =
        ken_str_sub(ken_buf_str(&x->b), (size_t)block * x->block, (size_t)(block + 1) * x->block);
    x->n_reads++;
    if (!part.len)
        return KEN_FAIL(e, KEN_ENOTFOUND, "no block %u", block);
    memcpy(into, part.ptr, part.len);
    *out_n = part.len;
    return KEN_OK;
}

static ken_block_source source_of(bytes *x)
{
    return (ken_block_source){ read_block, x, 1, x->b.len, x->block };
}

// Puts pieces of chance size into sections of chance; `want` gets the same.
static void write_some(bytes *x, uint32_t unit, int n_pieces, size_t most, ken_buf want[SECTIONS])
{
    ken_sections_writer w;
    ken_block_sink sink = ken_block_sink_of(&x->b, unit);
    ken_sections_writer_init(&w, &sink, SECTIONS);
    for (int i = 0; i < n_pieces; i++) {
        uint32_t section = (uint32_t)rand() % (SECTIONS - 1); // the last stays empty
        char *piece = ken_alloc(most);
        size_t n = (size_t)rand() % most;
        for (size_t k = 0; k < n; k++)
            piece[k] = (char)rand();
        ken_sections_put(&w, section, piece, n);
        ken_buf_put(&want[section], piece, n);
        ken_free(piece);
    }
    kt_ok_err(ken_sections_writer_end(&w, "the head", 8, &err), &err);
}

static void check(ken_sections *s, ken_buf want[SECTIONS])
{
    kt_eq_text(ken_sections_head(s), "the head");
    kt_eq_u(ken_sections_count(s), SECTIONS);
    for (uint32_t i = 0; i < SECTIONS; i++) {
        const uint8_t *p = NULL;
        kt_eq_u(ken_sections_len(s, i), want[i].len);
        for (int k = 0; k < 20 && want[i].len; k++) {
            size_t at = (size_t)rand() % want[i].len, n = (size_t)rand() % (want[i].len - at + 1);
            kt_ok_err(ken_sections_view(s, i, at, n, &p, &err), &err);
            kt_eq_mem(p, n, want[i].ptr + at, n);
        }
        kt_ok_err(ken_sections_view(s, i, 0, want[i].len, &p, &err), &err);
        kt_eq_mem(p, want[i].len, want[i].ptr, want[i].len);
        kt_status(ken_sections_view(s, i, want[i].len, 1, &p, &err), KEN_ECORRUPT);
    }
}

KEN_TEST(sections_come_back_whatever_their_sizes_and_blocks)
{
    static const struct {
        uint32_t unit, block;
    } sizes[] = { { 1, 1 },     { 16, 16 },    { 61, 16 },     { 512, 61 },    { 512, 512 },
                  { 4096, 61 }, { 4096, 512 }, { 4096, 4096 }, { 65536, 512 }, { 65536, 4096 } };
    srand(1);
    for (int round = 0; round < 100; round++) {
        bytes x = { .b = KEN_BUF_INIT(0), .block = sizes[round % 10].block };
        ken_buf want[SECTIONS];
        for (int i = 0; i < SECTIONS; i++)
            want[i] = KEN_BUF_INIT(0);
        write_some(&x, sizes[round % 10].unit, rand() % 40, 1 + (size_t)rand() % 900, want);
        ken_block_source source = source_of(&x);
        ken_sections *s = NULL;
        kt_ok_err(ken_sections_open(&source, &s, &err), &err);
        kt_true(!ken_sections_is_flat(s));
        check(s, want);
        ken_sections_close(s);
        for (int i = 0; i < SECTIONS; i++)
            ken_buf_release(&want[i]);
        ken_buf_release(&x.b);
    }
}

KEN_TEST(what_is_forgotten_is_read_again)
{
    uint32_t unit = (uint32_t)sysconf(_SC_PAGESIZE);
    srand(2);
    bytes x = { .b = KEN_BUF_INIT(0), .block = unit };
    ken_buf want[SECTIONS];
    for (int i = 0; i < SECTIONS; i++)
        want[i] = KEN_BUF_INIT(0);
    write_some(&x, unit, 300, 5000, want);
    ken_block_source source = source_of(&x);
    ken_sections *s = NULL;
    kt_ok_err(ken_sections_open(&source, &s, &err), &err);
    for (size_t at = 0; at + 100 < want[1].len; at += 100) {
        const uint8_t *p = NULL;
        kt_ok_err(ken_sections_view(s, 1, at, 100, &p, &err), &err);
        kt_eq_mem(p, 100, want[1].ptr + at, 100);
        ken_sections_forget(s, 1, at);
        kt_true(ken_sections_resident(s) <= (size_t)3 * unit);
    }
    check(s, want);
    ken_sections_close(s);
    for (int i = 0; i < SECTIONS; i++)
        ken_buf_release(&want[i]);
    ken_buf_release(&x.b);
}

KEN_TEST(what_is_dropped_is_read_again)
{
    uint32_t unit = (uint32_t)sysconf(_SC_PAGESIZE);
    srand(4);
    bytes x = { .b = KEN_BUF_INIT(0), .block = unit };
    ken_buf want[SECTIONS];
    for (int i = 0; i < SECTIONS; i++)
        want[i] = KEN_BUF_INIT(0);
    write_some(&x, unit, 300, 5000, want);
    ken_block_source source = source_of(&x);
    ken_sections *s = NULL;
    kt_ok_err(ken_sections_open(&source, &s, &err), &err);
    size_t before = ken_sections_resident(s);
    for (int round = 0; round < 5; round++) {
        for (int k = 0; k < 40; k++) { // here and there, with gaps between
            size_t at = (size_t)rand() % (want[1].len - 100);
            const uint8_t *p = NULL;
            kt_ok_err(ken_sections_view(s, 1, at, 100, &p, &err), &err);
            kt_eq_mem(p, 100, want[1].ptr + at, 100);
        }
        kt_true(ken_sections_resident(s) > before + (size_t)10 * unit);
        ken_sections_drop(s, 1);
        kt_true(ken_sections_resident(s) <= before + (size_t)unit);
    }
    check(s, want);
    ken_sections_close(s);
    for (int i = 0; i < SECTIONS; i++)
        ken_buf_release(&want[i]);
    ken_buf_release(&x.b);
}

KEN_TEST(an_end_that_contradicts_itself_is_told)
{
    srand(3);
    bytes whole = { .b = KEN_BUF_INIT(0), .block = 64 };
    ken_buf want[SECTIONS];
    for (int i = 0; i < SECTIONS; i++)
        want[i] = KEN_BUF_INIT(0);
    write_some(&whole, 64, 30, 300, want);
    for (int round = 0; round < 20000; round++) {
        bytes x = { .b = KEN_BUF_INIT(0), .block = 64 };
        ken_buf_put_str(&x.b, ken_buf_str(&whole.b));
        for (int k = 0; k < 1 + round % 3; k++)
            x.b.ptr[x.b.len - 1 - (size_t)rand() % 160] = (char)rand();
        ken_block_source source = source_of(&x);
        ken_sections *s = NULL;
        err = (ken_err){ 0 };
        ken_status st = ken_sections_open(&source, &s, &err);
        kt_true(!st || (st == KEN_ECORRUPT && err.msg[0]));
        for (uint32_t i = 0; !st && i < ken_sections_count(s); i++) {
            const uint8_t *p;
            st = ken_sections_view(s, i, 0, ken_sections_len(s, i), &p, &err);
            kt_true(!st || st == KEN_ECORRUPT);
        }
        ken_sections_close(s);
        ken_buf_release(&x.b);
    }
    for (int i = 0; i < SECTIONS; i++)
        ken_buf_release(&want[i]);
    ken_buf_release(&whole.b);
}

// What is held for each unit is bounded by the blocks that there are.
KEN_TEST(a_unit_smaller_than_a_block_is_refused)
{
    static const uint32_t units[] = { 1, 16, 511 };
    for (int i = 0; i < 3; i++) {
        bytes x = { .b = KEN_BUF_INIT(0), .block = 512 };
        ken_block_sink sink = ken_block_sink_of(&x.b, units[i]);
        ken_sections_writer w;
        char piece[3000] = { 0 };
        ken_sections_writer_init(&w, &sink, 1);
        ken_sections_put(&w, 0, piece, sizeof piece);
        kt_ok_err(ken_sections_writer_end(&w, NULL, 0, &err), &err);
        ken_block_source source = source_of(&x);
        ken_sections *s = NULL;
        err = (ken_err){ 0 };
        kt_status(ken_sections_open(&source, &s, &err), KEN_ECORRUPT);
        kt_has_str(err.msg, "its end makes no sense");
        ken_buf_release(&x.b);
    }
}

KEN_TEST(what_is_held_of_units_is_asked_for_and_may_be_refused)
{
    bytes x = { .b = KEN_BUF_INIT(0), .block = 16 };
    ken_block_sink sink = ken_block_sink_of(&x.b, 16);
    ken_sections_writer w;
    char piece[64] = { 0 };
    ken_sections_writer_init(&w, &sink, 1);
    for (int i = 0; i < 4000; i++)
        ken_sections_put(&w, 0, piece, sizeof piece);
    kt_ok_err(ken_sections_writer_end(&w, NULL, 0, &err), &err);
    ken_block_source source = source_of(&x);
    // Room for less and less of: the map, where each unit is, whether it is there.
    for (size_t max = 128 << 10; max >= 4 << 10; max /= 2) {
        ken_account a = { .max_bytes = max };
        ken_sections *s = NULL;
        err = (ken_err){ 0 };
        ken_account *outer = ken_account_enter(&a);
        ken_status st = ken_sections_open(&source, &s, &err);
        ken_sections_close(s);
        ken_account_enter(outer);
        kt_eq_u(st, max >= 128 << 10 ? KEN_OK : KEN_ENOMEM);
        kt_eq_u(a.used_bytes, 0);
        kt_true(a.peak_bytes <= max + 4096);
    }
    ken_buf_release(&x.b);
}

KEN_TEST(a_sink_that_fails_ends_it)
{
    ken_buf small = KEN_BUF_INIT(1000);
    ken_block_sink sink = ken_block_sink_of(&small, 128);
    ken_sections_writer w;
    char piece[300] = { 0 };
    ken_sections_writer_init(&w, &sink, 2);
    for (int i = 0; i < 10; i++)
        ken_sections_put(&w, 1, piece, sizeof piece);
    kt_true(ken_sections_has_failed(&w));
    err = (ken_err){ 0 };
    kt_status(ken_sections_writer_end(&w, NULL, 0, &err), KEN_ELIMIT);
    kt_true(err.msg[0] != '\0');
    ken_buf_release(&small);
}
