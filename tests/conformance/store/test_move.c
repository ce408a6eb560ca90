// SPDX-License-Identifier: MIT
// What every backend must do so that exact copies can be made, and the copies themselves: from each backend to each.
#include "conformance/store/store_matrix.h"
#include "move/move.h"
#include "store/checkpoints.h"
#include "store/move.h"
#include "store/rule_documents.h"

static const ken_move_job job = { NULL, NULL, NULL };

static int64_t add(ken_store *s, uint32_t size)
{
    int64_t id = 0;
    kt_ok_err(scn_add_content(s, size, &arena, &id, &err), &err);
    return id;
}

static void pass_over(ken_store *s, ken_store_clock clock, int64_t last)
{
    kt_ok_err(ken_store_skip_to(s, clock, last, &err), &err);
}

static int64_t last_of(ken_store *s, ken_store_clock clock)
{
    int64_t last = -1;
    kt_ok_err(ken_store_load_last(s, clock, &last, &err), &err);
    return last;
}

static ken_checkpoint_row note(ken_store *s, const char *summary)
{
    ken_checkpoint_row row = { .uuid = ken_uuid_random(),
                               .created_at_ms = 5,
                               .updated_at_ms = 6,
                               .git_dirty = KEN_STR("[]"),
                               .context = KEN_STR("{}"),
                               .git_branch = KEN_STR("main"),
                               .git_commit = KEN_STR(""),
                               .description = KEN_STR("d\n"),
                               .summary = ken_str_c(summary) };
    kt_ok_err(ken_store_put_checkpoint(s, &row, &err), &err);
    return row;
}

STORE_TEST(numbers_that_are_passed_over_are_given_to_nobody)
{
    kt_eq_i(last_of(s, KEN_STORE_CONTENT_IDS), 0);
    begin(s);
    pass_over(s, KEN_STORE_CONTENT_IDS, 41);
    kt_eq_i(add(s, 10000), 42);
    pass_over(s, KEN_STORE_CONTENT_IDS, 7); // never back
    kt_eq_i(add(s, 10001), 43);
    pass_over(s, KEN_STORE_CONTENT_IDS, 99);
    int64_t id = 0;
    pass_over(s, KEN_STORE_SEGMENT_IDS, 8);
    kt_ok_err(ken_store_add_segment(s, KEN_SEGMENT_WORDS, KEN_STR("x"), 1, &id, &err), &err);
    kt_eq_i(id, 9);
    kt_eq_u(note(s, "one").rev, 1);
    pass_over(s, KEN_STORE_CHECKPOINT_REVS, 20);
    kt_eq_u(note(s, "two").rev, 21);
    commit(s);
    kt_eq_i(last_of(s, KEN_STORE_CONTENT_IDS), 99);
    kt_eq_i(last_of(s, KEN_STORE_SEGMENT_IDS), 9);
    kt_eq_i(last_of(s, KEN_STORE_CHECKPOINT_REVS), 21);
    begin(s);
    kt_eq_i(add(s, 10002), 100);
    ken_store_rollback(s);
    kt_eq_i(last_of(s, KEN_STORE_CONTENT_IDS), 99);
    kt_status(ken_store_skip_to(s, KEN_STORE_CONTENT_IDS, 1, &err), KEN_EINVAL); // no transaction
}

STORE_TEST(a_content_has_its_key_until_it_is_superseded)
{
    ken_content_key key, wanted = scn_key(10000);
    begin(s);
    int64_t first = add(s, 10000), second = add(s, 10000);
    kt_ok_err(ken_store_load_key(s, second, &key, &err), &err);
    kt_eq_mem(key.sha.bytes, sizeof key.sha.bytes, wanted.sha.bytes, sizeof wanted.sha.bytes);
    kt_eq_u(key.lang, wanted.lang);
    kt_eq_u(key.feature, wanted.feature);
    kt_ok_err(ken_store_load_key(s, first, &key, &err), &err);
    kt_eq_u(key.feature, 0);
    kt_status(ken_store_load_key(s, second + 1, &key, &err), KEN_ENOTFOUND);
    commit(s);
}

// ---- copies ------------------------------------------------------------------------------------

static void put_rules(ken_store *s)
{
    static const ken_rule rules[] = {
        { .first_line = 2, .last_line = 3, .heading = { "API", 3 }, .text = { "Check.", 6 } },
        { .first_line = 4, .last_line = 4, .text = { "\xff broken", 8 } },
    };
    const ken_rule_document_row row = { .path = KEN_STR("docs/\xfe.md"),
                                        .kind = KEN_RULE_PATTERN,
                                        .n_bytes = 7,
                                        .weight = 0.5,
                                        .rules = rules,
                                        .n_rules = 2 };
    begin(s);
    kt_ok_err(ken_store_replace_rule_documents(s, &row, 1, &err), &err);
    pass_over(s, KEN_STORE_CONTENT_IDS, 5000);
    note(s, "three \xc3\xbc");
    commit(s);
    ken_rule *back = NULL;
    size_t n = 0;
    kt_ok_err(ken_store_load_rules(s, row.path, &arena, &back, &n, &err), &err);
    kt_eq_u(n, 2);
    kt_eq_text(back[0].heading, "API");
    kt_eq_u(back[1].first_line, 4);
    kt_ok_err(ken_store_load_rules(s, KEN_STR("none"), &arena, &back, &n, &err), &err);
    kt_eq_u(n, 0);
}

static ken_move_sums sum_of(const ken_store_opts *at)
{
    ken_move_sums sums;
    kt_ok_err(ken_move_sum_index(at, &job, &sums, &err), &err);
    return sums;
}

static void check_copy(const ken_store_opts *from, const ken_store_opts *to)
{
    kt_ok_err(ken_move_index(from, to, &job, &err), &err);
    ken_move_sums a = sum_of(from), b = sum_of(to);
    kt_eq_u(ken_move_compare(&a, &b), KEN_MOVE_PART_COUNT);
    kt_true(a.parts[KEN_MOVE_CONTENTS].n > 20);
    kt_true(a.parts[KEN_MOVE_SEGMENTS].n > 1);
    kt_eq_u(a.parts[KEN_MOVE_CHECKPOINTS].n, 1);
    uint64_t stamp_a = 0, stamp_b = 0;
    kt_ok_err(ken_move_stamp_index(from, &stamp_a, &err), &err);
    kt_ok_err(ken_move_stamp_index(to, &stamp_b, &err), &err);
    kt_eq_u(stamp_a, stamp_b);
}

// It goes on as the original would: the reader of the scenario finds each generation, and new ids are above all.
static void check_goes_on(const ken_store_opts *at)
{
    ken_store *s = NULL;
    uint64_t g = 0;
    const char *wrong = NULL;
    kt_ok_err(ken_store_open(at, &s, &err), &err);
    kt_ok_err(scn_check(s, &g, &wrong, &err), &err);
    kt_eq_u(g, 6);
    kt_true(!wrong);
    kt_ok_err(scn_write(s, 7, &err), &err);
    kt_ok_err(scn_check(s, &g, &wrong, &err), &err);
    kt_eq_u(g, 7);
    kt_true(!wrong);
    kt_true(last_of(s, KEN_STORE_CONTENT_IDS) > 5000);
    ken_store_close(s);
}

STORE_TEST(a_copy_is_the_same_in_each_place)
{
    for (uint64_t g = 1; g <= 6; g++)
        kt_ok_err(scn_write(s, g, &err), &err);
    put_rules(s);
    const ken_store_opts from = ken_store_place(s);
    for (int to_postgres = 0; to_postgres <= lab_has_postgres(); to_postgres++) {
        char name[80], again[80];
        snprintf(name, sizeof name, "%s-copy%d", now->name, to_postgres);
        snprintf(again, sizeof again, "%s-again%d", now->name, to_postgres);
        const ken_store_opts to = { .path = ktest_path(name),
                                    .database = to_postgres ? lab_database() : NULL };
        check_copy(&from, &to);
        check_copy(&from, &to); // in the place of the one there is
        const ken_store_opts back = { .path =
                                          ken_arena_dup(&arena, ken_str_c(ktest_path(again))).ptr };
        check_copy(&to, &back);
        check_goes_on(&back);
        check_goes_on(&to);
    }
    kt_status(ken_move_sum_index(&(ken_store_opts){ .path = ktest_path("nothing") }, &job,
                                 &(ken_move_sums){ 0 }, &err),
              KEN_ENOTFOUND);
}
