// SPDX-License-Identifier: MIT
// What every backend of the store must do with checkpoints.
#include <stdio.h>

#include "base/clock.h"
#include "conformance/store/store_matrix.h"
#include "store/checkpoints.h"

static ken_uuid uuid_of(unsigned n)
{
    char text[40];
    snprintf(text, sizeof text, "checkpoint %u", n);
    return ken_uuid_of(ken_str_c(text));
}

static const ken_str some_tags[] = { { "alpha", 5 }, { "\xf0\x9f\x9a\x80", 4 } };

static ken_checkpoint_row row_of(unsigned n)
{
    return (ken_checkpoint_row){
        .uuid = uuid_of(n),
        .created_at_ms = 1000 + n,
        .updated_at_ms = 2000 + n,
        .token_count = 7,
        .git_branch = KEN_STR("main"),
        .git_commit = KEN_STR("0123456789012345678901234567890123456789"),
        .summary = KEN_STR("where it stood"),
        .git_dirty = KEN_STR("[\"a.c\"]"),
        .context = KEN_STR("{\"k\":1}"),
        .description = KEN_STR("all of it"),
        .tags = some_tags,
        .n_tags = 2,
    };
}

static ken_status try_put(ken_store *s, ken_checkpoint_row *row)
{
    begin(s);
    ken_status st = ken_store_put_checkpoint(s, row, &err);
    if (st) {
        ken_store_rollback(s);
        return st;
    }
    return ken_store_commit(s, &err);
}

static ken_checkpoint_row put(ken_store *s, unsigned n)
{
    ken_checkpoint_row row = row_of(n);
    kt_ok_err(try_put(s, &row), &err);
    return row;
}

static ken_checkpoint_state state_of(ken_store *s)
{
    ken_checkpoint_state state = { 0 };
    kt_ok_err(ken_store_load_checkpoint_state(s, &state, &err), &err);
    return state;
}

STORE_TEST(checkpoint_comes_back_as_it_was)
{
    kt_eq_u(state_of(s).rev, 0);
    ken_checkpoint_row was = put(s, 1), row;
    kt_true(was.id > 0);
    kt_eq_u(was.rev, 1);
    kt_ok_err(ken_store_load_checkpoint(s, uuid_of(1), &arena, &row, &err), &err);
    kt_eq_i(row.id, was.id);
    kt_eq_u(row.rev, 1);
    kt_true(ken_uuid_eq(row.uuid, uuid_of(1)));
    kt_eq_i(row.created_at_ms, 1001);
    kt_eq_i(row.updated_at_ms, 2001);
    kt_eq_u(row.token_count, 7);
    kt_eq_text(row.git_branch, "main");
    kt_eq_u(row.git_commit.len, 40);
    kt_eq_text(row.summary, "where it stood");
    kt_eq_text(row.git_dirty, "[\"a.c\"]");
    kt_eq_text(row.context, "{\"k\":1}");
    kt_eq_text(row.description, "all of it");
    kt_eq_u(row.n_tags, 2);
    kt_eq_text(row.tags[0], "alpha");
    kt_eq_text(row.tags[1], "\xf0\x9f\x9a\x80");
    kt_status(ken_store_load_checkpoint(s, uuid_of(2), &arena, &row, &err), KEN_ENOTFOUND);
    kt_eq_u(state_of(s).n, 1);
    kt_ok_err(ken_store_verify(s, &err), &err);
}

STORE_TEST(updated_checkpoint_replaces_texts_and_tags)
{
    ken_checkpoint_row row = put(s, 1);
    int64_t id = row.id;
    row.summary = KEN_STR("later");
    row.tags = &some_tags[1];
    row.n_tags = 1;
    row.updated_at_ms = 9000;
    kt_ok_err(try_put(s, &row), &err);
    kt_eq_i(row.id, id);
    kt_eq_u(row.rev, 2);
    kt_ok_err(ken_store_load_checkpoint(s, uuid_of(1), &arena, &row, &err), &err);
    kt_eq_text(row.summary, "later");
    kt_eq_u(row.n_tags, 1);
    kt_eq_text(row.tags[0], "\xf0\x9f\x9a\x80");
    kt_eq_i(row.updated_at_ms, 9000);
    kt_eq_u(state_of(s).n, 1);
    kt_ok_err(ken_store_verify(s, &err), &err);
}

STORE_TEST(checkpoints_are_listed_by_what_is_newer)
{
    for (unsigned i = 1; i <= 5; i++)
        put(s, i);
    ken_checkpoint_row again = row_of(2), *rows;
    ken_checkpoint_row first;
    size_t n = 0;
    kt_ok_err(ken_store_load_checkpoint(s, uuid_of(2), &arena, &first, &err), &err);
    again.id = first.id;
    kt_ok_err(try_put(s, &again), &err);
    kt_ok_err(ken_store_list_checkpoints(s, 0, 100, false, &arena, &rows, &n, &err), &err);
    kt_eq_u(n, 5);
    kt_true(ken_uuid_eq(rows[0].uuid, uuid_of(1)));
    kt_true(ken_uuid_eq(rows[4].uuid, uuid_of(2)));
    kt_eq_u(rows[4].rev, 6);
    kt_eq_u(rows[4].n_tags, 2);
    kt_eq_u(rows[4].summary.len, 0);
    kt_ok_err(ken_store_list_checkpoints(s, 3, 2, true, &arena, &rows, &n, &err), &err);
    kt_eq_u(n, 2);
    kt_true(ken_uuid_eq(rows[0].uuid, uuid_of(4)));
    kt_eq_text(rows[0].summary, "where it stood");
    kt_ok_err(ken_store_list_checkpoints(s, 6, 100, true, &arena, &rows, &n, &err), &err);
    kt_eq_u(n, 0);
    kt_ok_err(ken_store_list_checkpoints(s, UINT64_MAX, SIZE_MAX, true, &arena, &rows, &n, &err),
              &err);
    kt_eq_u(n, 0);
}

STORE_TEST(removed_checkpoint_leaves_no_tags_and_raises_rev)
{
    ken_checkpoint_row row = put(s, 1);
    put(s, 2);
    begin(s);
    kt_ok_err(ken_store_remove_checkpoint(s, row.id, &err), &err);
    commit(s);
    kt_eq_u(state_of(s).rev, 3);
    kt_eq_u(state_of(s).n, 1);
    kt_status(ken_store_load_checkpoint(s, uuid_of(1), &arena, &row, &err), KEN_ENOTFOUND);
    begin(s);
    kt_status(ken_store_remove_checkpoint(s, row.id, &err), KEN_ENOTFOUND);
    ken_store_rollback(s);
    kt_eq_u(state_of(s).rev, 3);
    ken_checkpoint_row again = put(s, 1); // ids are never used again
    kt_true(again.id > row.id + 1);
    kt_ok_err(ken_store_verify(s, &err), &err);
}

STORE_TEST(checkpoints_are_walked_by_id)
{
    for (unsigned i = 1; i <= 3; i++)
        put(s, i);
    ken_checkpoint_row row;
    int64_t after = 0;
    unsigned n = 0;
    while (!ken_store_next_checkpoint(s, after, &arena, &row, &err)) {
        kt_true(ken_uuid_eq(row.uuid, uuid_of(++n)));
        kt_eq_u(row.n_tags, 2);
        after = row.id;
    }
    kt_eq_u(n, 3);
    kt_status(ken_store_next_checkpoint(s, INT64_MAX, &arena, &row, &err), KEN_ENOTFOUND);
}

static void check_refused(ken_store *s, ken_checkpoint_row row, ken_status want, const char *part)
{
    kt_status(try_put(s, &row), want);
    kt_has_str(err.msg, part);
    kt_eq_u(state_of(s).rev, 1);
    kt_eq_u(state_of(s).n, 1);
}

STORE_TEST(checkpoint_that_cannot_be_is_refused_whole)
{
    put(s, 1);
    const ken_str twice[] = { KEN_STR("b"), KEN_STR("b") }, empty[] = { KEN_STR("") };
    ken_checkpoint_row row = row_of(2);
    row.summary = KEN_STR("");
    check_refused(s, row, KEN_EINVAL, "'summary'");
    row = row_of(2);
    row.updated_at_ms = 1;
    check_refused(s, row, KEN_EINVAL, "'updated_at_ms'");
    row = row_of(2);
    row.tags = twice;
    check_refused(s, row, KEN_EINVAL, "'tags'");
    row.tags = empty;
    row.n_tags = 1;
    check_refused(s, row, KEN_EINVAL, "'tags'");
    row = row_of(2);
    row.id = 77;
    check_refused(s, row, KEN_ENOTFOUND, "77");
    check_refused(s, row_of(1), KEN_EEXIST, "");
    row = row_of(2);
    kt_status(ken_store_put_checkpoint(s, &row, &err), KEN_EINVAL); // no transaction
}

STORE_TEST(refused_checkpoint_leaves_the_transaction_to_others)
{
    ken_checkpoint_row bad = row_of(1), good = row_of(2);
    bad.summary = KEN_STR("");
    kt_ok_err(ken_store_begin_write(s, &err), &err);
    kt_status(ken_store_put_checkpoint(s, &bad, &err), KEN_EINVAL);
    kt_ok_err(ken_store_put_checkpoint(s, &good, &err), &err);
    kt_ok_err(ken_store_commit(s, &err), &err);
    kt_eq_u(state_of(s).n, 1);
}

STORE_TEST(checkpoints_stay_when_files_are_replaced)
{
    put(s, 1);
    begin(s);
    uint64_t removed = 0;
    kt_ok_err(ken_store_collect(s, &removed, &err), &err);
    kt_ok_err(ken_store_put_generation(s, &(ken_generation){ .number = 1, .at_ms = 5 }, &err),
              &err);
    commit(s);
    ken_store *other = open_store(true);
    ken_checkpoint_row row;
    kt_ok_err(ken_store_load_checkpoint(other, uuid_of(1), &arena, &row, &err), &err);
    begin(s);
    row.summary = KEN_STR("seen by nobody yet");
    kt_ok_err(ken_store_put_checkpoint(s, &row, &err), &err);
    kt_eq_u(state_of(other).rev, 1);
    commit(s);
    kt_eq_u(state_of(other).rev, 2);
    ken_store_close(other);
}
