// SPDX-License-Identifier: MIT
// Which of many indexes a question is put to, by what a database knows of them.
#include "ktest.h"
#include "query/query_pick.h"

static ken_arena arena;
static ken_err err;

static ken_pick_question asked(const char *query, ken_search_mode mode)
{
    ken_pick_question q;
    ken_arena_init(&arena, 0);
    kt_ok_err(ken_pick_read(ken_str_c(query), &(ken_search_opts){ .mode = mode }, &arena, &q, &err),
              &err);
    return q;
}

// The code of a word of the question at a level, as a database gives it back.
static ken_str code_of(const ken_pick_question *q, const char *stem, uint32_t level)
{
    const int64_t entry = ken_lex_entry(ken_term_of_word(ken_str_c(stem)), level);
    for (size_t i = 0; i < q->n; i++)
        if (q->entries[i] == entry)
            return q->codes[i];
    return KEN_STR("");
}

// An index of `n_contents` with the words of `codes`.
static ken_pick_index index_of(uint64_t n_contents, ken_str a, ken_str b)
{
    return (ken_pick_index){ .codes = ken_arena_printf(&arena, KEN_STR_FMT KEN_STR_FMT,
                                                       KEN_STR_ARG(a), KEN_STR_ARG(b)),
                             .n_contents = n_contents,
                             .distance = -1 };
}

KEN_TEST(an_entry_tells_a_word_and_how_many_have_it)
{
    const ken_term retry = ken_term_of_word(KEN_STR("retri"));
    const uint32_t counts[] = { 1, 3, 4, 15, 16, 64, 255, 256, 16383, 16384, UINT32_MAX };
    const uint32_t levels[] = { 0, 0, 1, 1, 2, 3, 3, 4, 6, 7, 7 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        kt_eq_u(ken_lex_level(counts[i]), levels[i]);
    for (uint32_t level = 0; level < KEN_LEX_LEVELS; level++) {
        kt_eq_u(ken_lex_level(ken_lex_level_contents(level)), level);
        const int64_t entry = ken_lex_entry(retry, level);
        kt_true(entry >= INT32_MIN && entry <= INT32_MAX);
        kt_true(level == 0 || entry != ken_lex_entry(retry, level - 1));
        kt_true(entry != ken_lex_entry(ken_term_of_whole(KEN_STR("retri")), level));
    }
}

KEN_TEST(a_question_is_its_words_and_its_meaning)
{
    ken_pick_question q = asked("where are retries handled", KEN_SEARCH_AUTO);
    kt_true(code_of(&q, "retri", 0).len == KEN_PICK_CODE);
    kt_true(q.n_dims > 0);
    ken_arena_release(&arena);
    q = asked("retries", KEN_SEARCH_LEXICAL);
    kt_true(q.n > 0);
    kt_eq_u(q.n_dims, 0);
    ken_arena_release(&arena);
    q = asked("retries", KEN_SEARCH_SEMANTIC);
    kt_eq_u(q.n, 0);
    kt_true(q.n_dims > 0);
    ken_arena_release(&arena);
    q = asked("retr(y|ies)", KEN_SEARCH_REGEX); // a part of a word is none
    kt_eq_u(q.n + q.n_dims, 0);
    ken_arena_release(&arena);
}

static bool is_among(const ken_picked *p, size_t at)
{
    bool is = false;
    for (size_t i = 0; i < p->n; i++)
        is = is || p->at[i] == at;
    return is;
}

static ken_picked picked(const ken_pick_question *q, const ken_pick_index *list, size_t n,
                         size_t most)
{
    ken_picked p;
    ken_pick_choose(q, list, n, most, &arena, &p);
    kt_true(p.is_all || p.n <= most);
    for (size_t i = 1; i < p.n; i++)
        kt_true(p.at[i] > p.at[i - 1]);
    return p;
}

KEN_TEST(who_has_the_rare_word_is_asked_first)
{
    ken_pick_question q = asked("retry quaternion", KEN_SEARCH_AUTO);
    const ken_str none = KEN_STR(""), retry = code_of(&q, "retri", 2);
    const ken_str rare = code_of(&q, "quaternion", 0);
    const ken_pick_index list[] = {
        index_of(100, retry, none), index_of(100, retry, none), index_of(100, rare, none),
        index_of(100, retry, rare), index_of(100, none, none),  index_of(100, retry, none),
    };
    ken_picked p = picked(&q, list, 6, 1);
    kt_true(is_among(&p, 3));
    p = picked(&q, list, 6, 2);
    kt_true(is_among(&p, 3) && is_among(&p, 2));
    p = picked(&q, list, 6, 6);
    kt_eq_u(p.n, 5);
    kt_eq_u(p.n_with, 5);
    kt_false(is_among(&p, 4));
    kt_true(p.by_words);
    kt_false(p.by_vectors);
    ken_arena_release(&arena);
}

KEN_TEST(a_small_index_is_not_behind_for_being_small)
{
    ken_pick_question q = asked("retry", KEN_SEARCH_AUTO);
    const ken_pick_index list[] = {
        index_of(5000, code_of(&q, "retri", 2), KEN_STR("")), // in one file of 150
        index_of(40, code_of(&q, "retri", 1), KEN_STR("")),   // in one of 5
    };
    ken_picked p = picked(&q, list, 2, 1);
    kt_true(is_among(&p, 1));
    ken_arena_release(&arena);
}

KEN_TEST(near_vectors_count_beside_words)
{
    ken_pick_question q = asked("retry", KEN_SEARCH_AUTO);
    const ken_str retry = code_of(&q, "retri", 1), none = KEN_STR("");
    ken_pick_index list[] = { index_of(100, retry, none), index_of(100, retry, none),
                              index_of(100, none, none), index_of(100, none, none) };
    list[1].distance = 0.2;
    list[2].distance = 0.4;
    ken_picked p = picked(&q, list, 4, 1);
    kt_true(is_among(&p, 1));
    p = picked(&q, list, 4, 4);
    kt_eq_u(p.n, 3);
    kt_false(is_among(&p, 3));
    kt_true(p.by_vectors);
    ken_arena_release(&arena);
}

KEN_TEST(by_meaning_alone_indexes_without_near_vectors_are_not_told_apart)
{
    ken_pick_question q = asked("retry", KEN_SEARCH_SEMANTIC);
    ken_pick_index list[] = { index_of(100, KEN_STR(""), KEN_STR("")),
                              index_of(100, KEN_STR(""), KEN_STR("")) };
    kt_true(picked(&q, list, 2, 1).is_all);
    list[0].distance = 0.5;
    ken_picked p = picked(&q, list, 2, 2);
    kt_eq_u(p.n, 1);
    kt_false(p.is_all || p.by_words);
    ken_arena_release(&arena);
}

KEN_TEST(indexes_whose_words_are_not_known_have_a_quarter_and_what_is_left)
{
    ken_pick_question q = asked("retry", KEN_SEARCH_AUTO);
    const ken_str retry = code_of(&q, "retri", 1), none = KEN_STR("");
    ken_pick_index list[20];
    for (size_t i = 0; i < 20; i++) {
        list[i] = index_of(100, i < 10 ? retry : none, none);
        list[i].is_untold = i >= 10;
    }
    ken_picked p = picked(&q, list, 20, 8);
    kt_eq_u(p.n, 8);
    kt_eq_u(p.n_untold, 10);
    kt_true(is_among(&p, 10) && is_among(&p, 11) && !is_among(&p, 12));
    p = picked(&q, list, 20, 15);
    kt_eq_u(p.n, 15);
    kt_true(is_among(&p, 9) && is_among(&p, 14) && !is_among(&p, 15));
    ken_arena_release(&arena);
}

KEN_TEST(codes_that_no_writer_made_say_nothing)
{
    ken_pick_question q = asked("retry", KEN_SEARCH_AUTO);
    const ken_pick_index list[] = { index_of(100, KEN_STR("zz"), KEN_STR("\x7f")),
                                    index_of(0, code_of(&q, "retri", 7), KEN_STR("")) };
    kt_eq_u(picked(&q, list, 2, 2).n, 0);
    ken_arena_release(&arena);
}
