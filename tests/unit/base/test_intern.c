// SPDX-License-Identifier: MIT
// Texts that are kept once.
#include <stdio.h>

#include "base/arena.h"
#include "base/intern.h"
#include "ktest.h"

KEN_TEST(equal_texts_share_their_bytes_and_others_do_not)
{
    enum {
        N = 5000 // the table grows several times
    };
    static const char *kept[N];
    ken_intern t;
    ken_arena arena;
    ken_intern_init(&t);
    ken_arena_init(&arena, 0);
    for (int i = 0; i < N; i++)
        kept[i] = ken_intern_put(&t, ken_arena_printf(&arena, "name %d", i)).ptr;
    for (int i = 0; i < N; i++) {
        ken_str text = ken_arena_printf(&arena, "name %d", i);
        ken_str again = ken_intern_put(&t, text);
        kt_true(again.ptr == kept[i] && again.ptr != text.ptr);
        kt_eq_str(again.ptr, text.ptr); // NUL-terminated
        kt_eq_u(again.len, text.len);
    }
    kt_eq_u(t.len, N);
    ken_arena_release(&arena);
    ken_intern_release(&t);
}

KEN_TEST(a_beginning_a_long_text_and_bytes_of_any_kind_are_texts_of_their_own)
{
    static char large[100000];
    ken_intern t;
    ken_intern_init(&t);
    memset(large, 'x', sizeof large);
    ken_str whole = ken_intern_put(&t, ken_str_n(large, sizeof large));
    ken_str part = ken_intern_put(&t, ken_str_n(large, sizeof large - 1));
    kt_true(whole.ptr != part.ptr);
    kt_eq_u(part.len, sizeof large - 1);
    kt_true(ken_intern_put(&t, ken_str_n("a\0b", 3)).ptr != ken_intern_put(&t, KEN_STR("a")).ptr);
    kt_true(ken_intern_put(&t, ken_str_n("a\0b", 3)).ptr ==
            ken_intern_put(&t, ken_str_n("a\0b", 3)).ptr);
    kt_eq_u(ken_intern_put(&t, (ken_str){ NULL, 0 }).len, 0);
    ken_intern_release(&t);
}

// A large tree has millions of names.
KEN_TEST(a_text_costs_little_more_than_its_bytes)
{
    enum {
        N = 200000,
        MOST = 20 + 8 // of slot and length, beside the text itself
    };
    ken_intern t;
    size_t n_bytes = 0;
    ken_intern_init(&t);
    for (int i = 0; i < N; i++) {
        char text[32];
        n_bytes += (size_t)snprintf(text, sizeof text, "some_name_%d", i);
        kt_eq_str(ken_intern_put(&t, ken_str_c(text)).ptr, text);
    }
    kt_eq_u(t.len, N);
    kt_true(ken_intern_bytes(&t) < n_bytes + (size_t)N * MOST);
    ken_intern_release(&t);
}
