// SPDX-License-Identifier: MIT
#include "chunk_lab.h"
#include "ktest.h"

static uint32_t cut_lines(ken_arena *arena, ken_str text, const ken_chunk_opts *opts,
                          ken_chunk **out)
{
    uint32_t n = ken_line_starts(text, NULL, 0);
    uint32_t *lines = KEN_ARENA_ARRAY(arena, uint32_t, n + 1);
    ken_line_starts(text, lines, n);
    ken_chunk_input in = { .text = text, .line_starts = lines, .n_lines = n };
    return ken_chunk_lines(&in, opts, arena, out);
}

KEN_TEST(lines_overlap_and_reach_the_end)
{
    ken_buf text = KEN_BUF_INIT(1 << 20);
    for (int i = 0; i < 120; i++)
        ken_buf_printf(&text, "line %d\n", i);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_chunk *chunks;
    uint32_t n = cut_lines(&arena, ken_buf_str(&text), NULL, &chunks);
    kt_eq_u(n, 3);
    kt_eq_u(chunks[0].first_line, 0);
    kt_eq_u(chunks[0].last_line, 49);
    kt_eq_u(chunks[1].first_line, 40);
    kt_eq_u(chunks[1].last_line, 89);
    kt_eq_u(chunks[2].first_line, 80);
    kt_eq_u(chunks[2].last_line, 119);
    for (uint32_t i = 0; i < n; i++)
        kt_eq_u(chunks[i].type, KEN_CHUNK_LINES);
    ken_arena_release(&arena);
    ken_buf_release(&text);
}

KEN_TEST(long_lines_stay_under_the_maximum)
{
    ken_buf text = KEN_BUF_INIT(4 << 20);
    for (int i = 0; i < 100; i++) {
        for (int k = 0; k < (i % 10) * 500; k++)
            ken_buf_puts(&text, "word ");
        ken_buf_putc(&text, '\n');
    }
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_chunk *chunks;
    uint32_t n = cut_lines(&arena, ken_buf_str(&text), NULL, &chunks), end = 0;
    for (uint32_t i = 0; i < n; i++) {
        kt_true(chunks[i].n_tokens <= 800);
        kt_true(chunks[i].span.start <= end); // no gap
        kt_true(chunks[i].span.end > end || i == 0 || chunks[i].span.end <= end);
        end = chunks[i].span.end > end ? chunks[i].span.end : end;
    }
    kt_eq_u(end, text.len);
    ken_arena_release(&arena);
    ken_buf_release(&text);
}

// Cuts go back to the start of a character, so there are more of them than whole steps.
KEN_TEST(a_long_line_of_long_characters_has_room_for_its_chunks)
{
    enum {
        N = 3000
    };
    char text[N];
    for (size_t i = 0; i < N; i++)
        text[i] = "\xe2\x82\xac"[i % 3];
    ken_arena arena;
    ken_arena_init(&arena, 0);
    uint32_t start = 0;
    ken_chunk_input in = { .text = { text, N }, .line_starts = &start, .n_lines = 1 };
    ken_chunk_opts opts = { .target = 1, .max = 1, .min = 1 };
    ken_chunk *chunks = NULL;
    uint32_t n = ken_chunk_lines(&in, &opts, &arena, &chunks);
    kt_eq_u(n, N / 3);
    for (uint32_t i = 0; i < n; i++)
        kt_eq_u(chunks[i].span.start, 3 * i);
    ken_arena_release(&arena);
}

KEN_TEST(no_text_no_lines)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_chunk *chunks;
    kt_eq_u(cut_lines(&arena, KEN_STR(""), NULL, &chunks), 0);
    kt_eq_u(cut_lines(&arena, KEN_STR("x"), NULL, &chunks), 1);
    ken_arena_release(&arena);
}
