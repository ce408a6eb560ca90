// SPDX-License-Identifier: MIT
// Pieces into a budget: no line twice, never too much, the best first.
#include <stdio.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "context/context_pack.h"
#include "ktest.h"
#include "token/token_count.h"

enum {
    PLENTY = 100000
};

static ken_arena arena;

static const ken_context_file *make_files(size_t n, uint32_t n_lines)
{
    ken_arena_release(&arena);
    ken_context_file *files = KEN_ARENA_ARRAY(&arena, ken_context_file, n);
    for (size_t f = 0; f < n; f++) {
        ken_buf b = KEN_BUF_INIT(0);
        for (uint32_t i = 0; i < n_lines; i++)
            ken_buf_printf(&b, "line %u of file %zu calls step_%u(value)\n", i + 1, f, i);
        files[f].path = ken_arena_printf(&arena, "src/file%zu.c", f);
        files[f].text = ken_arena_dup(&arena, ken_buf_str(&b));
        ken_buf_release(&b);
    }
    return files;
}

static ken_context_piece piece(uint32_t file, uint32_t first, uint32_t last, uint32_t priority)
{
    return (ken_context_piece){ .file = file,
                                .first_line = first,
                                .last_line = last,
                                .priority = priority,
                                .kind = KEN_CONTEXT_DEFINITION };
}

static ken_context pack_with(const ken_context_file *files, size_t n_files,
                             const ken_context_piece *pieces, size_t n_pieces,
                             const ken_context_pack_opts *opts)
{
    ken_context c;
    ken_err err = { 0 };
    kt_ok_err(ken_context_pack(&(ken_context_input){ files, n_files, pieces, n_pieces }, opts,
                               &arena, &c, &err),
              &err);
    return c;
}

static ken_context pack(const ken_context_file *files, const ken_context_piece *pieces,
                        size_t n_pieces, uint32_t max_tokens)
{
    return pack_with(files, 2, pieces, n_pieces,
                     &(ken_context_pack_opts){ .max_tokens = max_tokens });
}

static bool has_line(const ken_context *c, uint32_t file, uint32_t line)
{
    char text[64];
    (void)snprintf(text, sizeof text, "line %u of file %u calls", line + 1, file);
    return ken_str_find(c->text, ken_str_c(text)) != SIZE_MAX;
}

// ---- parts -------------------------------------------------------------------------------------

KEN_TEST(a_part_says_where_it_is_from_and_why)
{
    const ken_context_file *files = make_files(2, 20);
    ken_context_piece p = piece(0, 2, 3, 0);
    p.symbol = KEN_STR("Parser.parse");
    ken_context c = pack(files, &p, 1, PLENTY);
    kt_eq_text(c.text, "== src/file0.c:3-4 definition: Parser.parse\n"
                       "line 3 of file 0 calls step_2(value)\n"
                       "line 4 of file 0 calls step_3(value)\n\n");
    kt_eq_u(c.n_tokens, ken_count_tokens(c.text));
    kt_eq_u(c.n_parts, 1);
    kt_eq_u(c.parts[0].first_line, 2);
    kt_eq_u(c.parts[0].last_line, 3);
}

KEN_TEST(pieces_that_overlap_or_nearly_touch_are_one_part)
{
    const ken_context_file *files = make_files(2, 60);
    ken_context_piece p[] = { piece(0, 10, 14, 0), piece(0, 13, 20, 1), piece(0, 24, 26, 2),
                              piece(0, 31, 33, 3), piece(1, 34, 36, 4) };
    p[1].kind = KEN_CONTEXT_CALLER;
    ken_context c = pack(files, p, 5, PLENTY);
    kt_eq_u(c.n_parts, 3);
    kt_eq_u(c.parts[0].first_line, 10);
    kt_eq_u(c.parts[0].last_line, 26);
    kt_eq_u(c.parts[0].kinds, 1u << KEN_CONTEXT_DEFINITION | 1u << KEN_CONTEXT_CALLER);
    kt_true(has_line(&c, 0, 22)); // between them
    kt_false(has_line(&c, 0, 28));
    kt_eq_u(c.parts[1].first_line, 31);
    kt_has_str(c.text.ptr, "src/file0.c:11-27 definition, caller\n");
}

KEN_TEST(a_piece_between_two_parts_makes_them_one)
{
    const ken_context_file *files = make_files(2, 60);
    ken_context_piece p[] = { piece(0, 5, 9, 0), piece(0, 21, 25, 1), piece(0, 8, 22, 2) };
    ken_context c = pack(files, p, 3, PLENTY);
    kt_eq_u(c.n_parts, 1);
    kt_eq_u(c.parts[0].first_line, 5);
    kt_eq_u(c.parts[0].last_line, 25);
}

KEN_TEST(lines_beyond_the_file_are_no_lines)
{
    const ken_context_file *files = make_files(2, 10);
    ken_context_piece p[] = { piece(0, 8, 4000000000u, 0), piece(0, 10, 12, 0), piece(1, 3, 2, 0) };
    ken_context c = pack(files, p, 3, PLENTY);
    kt_eq_u(c.n_parts, 1);
    kt_eq_u(c.parts[0].last_line, 9);
    ken_context_file odd[] = { { KEN_STR("empty"), { NULL, 0 } },
                               { KEN_STR("a\nb"), KEN_STR("no line end") } };
    ken_context_piece q[] = { piece(0, 0, 0, 0), piece(1, 0, 0, 0) };
    c = pack(odd, q, 2, PLENTY);
    kt_eq_text(c.text, "== a?b:1-1 definition\nno line end\n\n");
}

KEN_TEST(files_go_by_their_best_part_and_parts_by_line_or_all_by_priority)
{
    const ken_context_file *files = make_files(2, 60);
    ken_context_piece p[] = { piece(0, 40, 42, 3), piece(0, 2, 4, 2), piece(1, 10, 12, 1),
                              piece(1, 1, 2, 9) };
    ken_context c = pack(files, p, 4, PLENTY);
    uint32_t by_place[] = { 1, 10, 2, 40 }, by_priority[] = { 10, 2, 40, 1 };
    for (size_t i = 0; i < 4; i++)
        kt_eq_u(c.parts[i].first_line, by_place[i]);
    c = pack_with(files, 2, p, 4,
                  &(ken_context_pack_opts){ .max_tokens = PLENTY, .is_priority_order = true });
    for (size_t i = 0; i < 4; i++)
        kt_eq_u(c.parts[i].first_line, by_priority[i]);
}

// ---- the budget --------------------------------------------------------------------------------

KEN_TEST(what_does_not_fit_is_there_by_its_signature)
{
    const ken_context_file *files = make_files(2, 200);
    ken_context_piece p[] = { piece(0, 0, 19, 0), piece(1, 0, 39, 1), piece(1, 60, 69, 2) };
    p[1].signature = KEN_STR("int step(int value)");
    p[1].symbol = KEN_STR("step");
    uint32_t first = pack(files, p, 1, PLENTY).n_tokens;
    ken_context c = pack(files, p, 2, first + 60);
    kt_eq_u(c.n_parts, 2);
    kt_eq_i(c.parts[1].form, KEN_CONTEXT_SIGNATURE);
    kt_has_str(c.text.ptr, "== src/file1.c:1-40 definition: step [signature only]\n"
                           "int step(int value)\n\n");
    kt_eq_u(c.n_left_out, 0);
    c = pack(files, p, 3, first + 10); // not even that, and a third that has none
    kt_eq_u(c.n_parts, 1);
    kt_eq_u(c.n_left_out, 2);
}

KEN_TEST(a_signature_gives_way_to_its_lines)
{
    const ken_context_file *files = make_files(2, 200);
    ken_context_piece p[] = { piece(0, 100, 179, 0), piece(0, 99, 104, 1) };
    p[0].signature = KEN_STR("int step(int value)");
    ken_context_piece whole = piece(0, 100, 179, 0);
    uint32_t need = pack(files, &whole, 1, PLENTY).n_tokens;
    ken_context_piece first = piece(1, 0, 9, 0);
    uint32_t other = pack(files, &first, 1, PLENTY).n_tokens;
    ken_context_piece all[] = { first, p[0], p[1] };
    ken_context c = pack(files, all, 3, need + other - 10);
    kt_eq_u(c.n_parts, 2);
    kt_eq_i(c.parts[0].form, KEN_CONTEXT_LINES);
    kt_eq_u(c.parts[0].first_line, 99);
    kt_eq_u(c.parts[0].last_line, 104);
}

KEN_TEST(what_alone_is_too_much_is_cut_at_a_line)
{
    const ken_context_file *files = make_files(2, 2000);
    ken_context_piece p[] = { piece(0, 5, 1900, 0), piece(1, 0, 9, 1) };
    p[0].signature = KEN_STR("int step(int value)");
    ken_context c = pack(files, p, 2, 1000);
    kt_eq_u(c.n_parts, 2);
    kt_eq_u(c.parts[0].first_line, 5);
    kt_eq_u(c.parts[0].last_line + c.parts[0].n_cut_lines, 1900);
    kt_true(c.parts[0].n_tokens > 400 && c.parts[0].n_tokens <= 500);
    kt_has_str(c.text.ptr, " more lines]\n");
    kt_true(ken_str_ends(c.parts[0].text, KEN_STR("(value)\n")));
}

KEN_TEST(nothing_fits_into_nothing)
{
    const ken_context_file *files = make_files(2, 20);
    ken_context_piece p = piece(0, 2, 3, 0);
    ken_context c = pack(files, &p, 1, 0);
    kt_eq_u(c.n_parts, 0);
    kt_eq_u(c.n_left_out, 1);
    kt_eq_u(c.text.len, 0);
    kt_eq_u(pack(files, &p, 0, PLENTY).n_parts, 0);
}

// ---- what was sent -----------------------------------------------------------------------------

KEN_TEST(what_was_sent_comes_back_as_a_reference)
{
    const ken_context_file *files = make_files(2, 60);
    ken_context_piece p[] = { piece(0, 2, 9, 0), piece(1, 20, 29, 1) };
    ken_context one = pack(files, p, 1, PLENTY);
    ken_context two = pack_with(files, 2, p, 2,
                                &(ken_context_pack_opts){ .max_tokens = PLENTY, .seen = one.seen });
    kt_eq_u(two.n_parts, 2);
    kt_eq_i(two.parts[0].form, KEN_CONTEXT_SEEN);
    kt_eq_i(two.parts[1].form, KEN_CONTEXT_LINES);
    kt_has_str(two.text.ptr, "== src/file0.c:3-10 definition [unchanged, sent above]\n\n");
    kt_true(two.n_tokens < one.n_tokens + 400);
    ken_context three = pack_with(
        files, 2, p, 2, &(ken_context_pack_opts){ .max_tokens = PLENTY, .seen = two.seen });
    kt_eq_i(three.parts[0].form, KEN_CONTEXT_SEEN);
    kt_eq_i(three.parts[1].form, KEN_CONTEXT_SEEN);
    kt_true(ken_str_eq(three.seen, two.seen));
}

KEN_TEST(what_has_changed_is_sent_again)
{
    const ken_context_file *files = make_files(2, 60);
    ken_context_piece p = piece(0, 2, 9, 0);
    ken_context one = pack(files, &p, 1, PLENTY);
    ken_context_file changed[] = { files[0], files[1] };
    changed[0].text = ken_arena_dup(&arena, files[0].text);
    ((char *)(uintptr_t)changed[0].text.ptr)[200] ^= 1;
    ken_context two = pack_with(changed, 2, &p, 1,
                                &(ken_context_pack_opts){ .max_tokens = PLENTY, .seen = one.seen });
    kt_eq_i(two.parts[0].form, KEN_CONTEXT_LINES);
}

KEN_TEST(lines_beside_those_that_were_sent_are_sent_without_them)
{
    const ken_context_file *files = make_files(2, 60);
    ken_context_piece p[] = { piece(0, 2, 9, 0), piece(0, 10, 19, 0), piece(0, 5, 25, 1) };
    ken_context one = pack(files, p, 2, PLENTY);
    ken_context two = pack_with(files, 2, p, 3,
                                &(ken_context_pack_opts){ .max_tokens = PLENTY, .seen = one.seen });
    kt_false(has_line(&two, 0, 9));
    kt_false(has_line(&two, 0, 19));
    kt_true(has_line(&two, 0, 20));
    ken_context_piece q[] = { p[0], p[1], piece(0, 7, 13, 1) }; // all of it was
    two = pack_with(files, 2, q, 3,
                    &(ken_context_pack_opts){ .max_tokens = PLENTY, .seen = one.seen });
    kt_eq_u(two.n_parts, 2);
    kt_eq_u(two.n_left_out, 0);
}

KEN_TEST(a_handle_that_is_none_is_refused)
{
    const ken_context_file *files = make_files(2, 20);
    static const char *const bad[] = { "x", "k1a", "k1abcd?", "k2abcde", "k1abcdeabcd" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ken_context c;
        ken_err err = { 0 };
        ken_context_pack_opts o = { .max_tokens = 10, .seen = ken_str_c(bad[i]) };
        kt_eq_i(ken_context_pack(&(ken_context_input){ files, 2, NULL, 0 }, &o, &arena, &c, &err),
                KEN_EINVAL);
        kt_has_str(err.msg, "seen: ");
    }
}

// ---- any pieces --------------------------------------------------------------------------------

static uint32_t state;

static uint32_t below(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

enum {
    SOME_FILES = 3,
    SOME_LINES = 120,
    SOME_PIECES = 24
};

static void make_pieces(ken_context_piece *out)
{
    for (size_t i = 0; i < SOME_PIECES; i++) {
        uint32_t first = below(SOME_LINES);
        out[i] = piece(below(SOME_FILES), first, first + below(below(4) ? 8 : 100), below(10));
        out[i].kind = 1 + below(KEN_CONTEXT_KIND_COUNT - 1);
        if (below(2))
            out[i].signature = KEN_STR("int step(int value)");
    }
}

static void no_line_is_there_twice(const ken_context *c, uint16_t counts[SOME_FILES][SOME_LINES])
{
    for (size_t i = 0; i < c->n_parts; i++) {
        const ken_context_part *p = &c->parts[i];
        uint32_t file = (uint32_t)(p->path.ptr[8] - '0');
        uint32_t n = p->form == KEN_CONTEXT_LINES       ? p->last_line - p->first_line + 1
                     : p->form == KEN_CONTEXT_SIGNATURE ? 1
                                                        : 0;
        for (uint32_t line = p->first_line; line < p->first_line + n; line++)
            if (++counts[file][line] > 1)
                kt_fail("line %u of file %u is there twice", line + 1, file);
    }
}

// What is better is never left out for what is worse.
static void better_pieces_lose_nothing(const ken_context_file *files, ken_context_piece *pieces,
                                       const ken_context_pack_opts *o, const ken_context *all)
{
    size_t n = 0;
    ken_context_piece best[SOME_PIECES];
    for (size_t i = 0; i < SOME_PIECES; i++)
        if (pieces[i].priority < 4)
            best[n++] = pieces[i];
    ken_context few = pack_with(files, SOME_FILES, best, n, o);
    for (uint32_t f = 0; f < SOME_FILES; f++)
        for (uint32_t line = 0; line < SOME_LINES; line++)
            if (has_line(&few, f, line) && !has_line(all, f, line))
                kt_fail("line %u of file %u gave way to something worse", line + 1, f);
}

KEN_TEST(whatever_the_pieces_the_promises_hold)
{
    const ken_context_file *files = make_files(SOME_FILES, SOME_LINES);
    ken_str seen = { NULL, 0 };
    for (uint32_t round = 0; round < 300; round++) {
        state = round;
        ken_arena_mark mark = ken_arena_get_mark(&arena);
        ken_context_piece pieces[SOME_PIECES];
        make_pieces(pieces);
        ken_context_pack_opts o = { .max_tokens = below(3000), .is_priority_order = below(2) };
        if (round % 3 == 0)
            o.seen = seen;
        ken_context c = pack_with(files, SOME_FILES, pieces, SOME_PIECES, &o);
        kt_true(c.n_tokens <= o.max_tokens);
        kt_eq_u(c.n_tokens, ken_count_tokens(c.text));
        uint16_t counts[SOME_FILES][SOME_LINES] = { 0 };
        no_line_is_there_twice(&c, counts);
        better_pieces_lose_nothing(files, pieces, &o, &c);
        if (round % 3)
            ken_arena_rewind(&arena, mark);
        else
            seen = c.seen;
    }
    ken_arena_release(&arena);
}
