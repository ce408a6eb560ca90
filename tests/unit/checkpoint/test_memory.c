// SPDX-License-Identifier: MIT
// What is held in memory follows the store, whoever wrote.
#include <stdio.h>

#include "checkpoint/checkpoint_priv.h"
#include "ktest.h"
#include "store/store.h"

static ken_arena arena;
static ken_err err;
static ken_store *store;
static checkpoint_memory memory;

static void start(void)
{
    ken_arena_init(&arena, 0);
    const ken_store_opts opts = { .path = ktest_path("p.db") };
    kt_ok_err(ken_store_open(&opts, &store, &err), &err);
    ken_checkpoint__memory_init(&memory);
}

static void stop(void)
{
    ken_checkpoint__memory_release(&memory);
    ken_store_close(store);
    ken_arena_release(&arena);
}

// Row `n`, inserted or written again; `tags` with commas.
static ken_checkpoint_row put(unsigned n, const char *summary, const char *tags)
{
    char name[24];
    snprintf(name, sizeof name, "row %u", n);
    const ken_str in = ken_str_c(tags);
    ken_checkpoint_row row, there;
    ken_uuid uuid = ken_uuid_of(ken_str_c(name));
    kt_ok_err(ken_store_begin_write(store, &err), &err);
    row = (ken_checkpoint_row){ .uuid = uuid,
                                .summary = ken_str_c(summary),
                                .context = KEN_STR("{}"),
                                .git_dirty = KEN_STR("[]") };
    if (!ken_store_load_checkpoint(store, uuid, &arena, &there, NULL))
        row.id = there.id;
    kt_ok_err(ken_checkpoint__check_tags("tags", &in, 1, &arena, &row.tags, &row.n_tags, &err),
              &err);
    kt_ok_err(ken_store_put_checkpoint(store, &row, &err), &err);
    kt_ok_err(ken_store_commit(store, &err), &err);
    return row;
}

static void drop(int64_t id)
{
    kt_ok_err(ken_store_begin_write(store, &err), &err);
    kt_ok_err(ken_store_remove_checkpoint(store, id, &err), &err);
    kt_ok_err(ken_store_commit(store, &err), &err);
}

static void sync(bool wants_texts)
{
    kt_ok_err(ken_store_begin_read(store, &err), &err);
    kt_ok_err(ken_checkpoint__memory_sync(&memory, store, wants_texts, &err), &err);
    ken_store_rollback(store);
}

// How many pass; "all", "any", "none" with commas, empty = no such filter.
static size_t passing(const char *all, const char *any, const char *none)
{
    const ken_str in[] = { ken_str_c(all), ken_str_c(any), ken_str_c(none) };
    ken_checkpoint_filter f = { &in[0], &in[1], &in[2], *all != 0, *any != 0, *none != 0 }, clean;
    kt_ok_err(ken_checkpoint__check_filter(&f, &arena, &clean, &err), &err);
    checkpoint_sieve sieve = ken_checkpoint__sieve_of(&memory, &clean);
    size_t n = 0;
    for (size_t i = 0; i < memory.marks.len; i++)
        n += memory.marks.ptr[i].id && ken_checkpoint__sieve_passes(&sieve, i);
    return n;
}

KEN_TEST(tags_filter_by_all_any_and_none)
{
    start();
    put(1, "one", "a,b");
    put(2, "two", "b,c");
    put(3, "three", "");
    sync(false);
    kt_eq_u(passing("", "", ""), 3);
    kt_eq_u(passing("b", "", ""), 2);
    kt_eq_u(passing("a,b", "", ""), 1);
    kt_eq_u(passing("", "a,c", ""), 2);
    kt_eq_u(passing("", "", "b"), 1);
    kt_eq_u(passing("b", "", "a"), 1);
    kt_eq_u(passing("b", "a,nothing", ""), 1);
    kt_eq_u(passing("nothing", "", ""), 0);
    kt_eq_u(passing("", "nothing", ""), 0);
    kt_eq_u(passing("", "", "nothing"), 3);
    kt_eq_u(passing("B", "", ""), 0); // as they are
    stop();
}

KEN_TEST(tags_beyond_those_with_a_bit_filter_too)
{
    start();
    char text[64];
    for (unsigned i = 0; i < 100; i++) {
        snprintf(text, sizeof text, "n%u,m%u,even%u", i, i, i % 2);
        put(i, "some", text);
    }
    sync(false);
    kt_eq_u(passing("n99", "", ""), 1);
    kt_eq_u(passing("n99,m99,even1", "", ""), 1);
    kt_eq_u(passing("n99,m98", "", ""), 0);
    kt_eq_u(passing("", "n1,n98,nothing", ""), 2);
    kt_eq_u(passing("even0", "", "n98,n2,n99"), 48);
    stop();
}

// Texts with a word of the question; those that only mean the like do not count.
static size_t found(const char *query)
{
    ken_recall_hit *hits = NULL;
    size_t n = ken_recall_search(memory.recall, ken_str_c(query), NULL, 10, &arena, &hits);
    size_t n_said = 0;
    for (size_t i = 0; i < n; i++)
        n_said += hits[i].words > 0;
    return n_said;
}

KEN_TEST(what_others_write_and_remove_is_followed)
{
    start();
    sync(true);
    kt_eq_u(memory.n, 0);
    ken_checkpoint_row one = put(1, "retry ceiling", "a");
    put(2, "parser tables", "b");
    sync(true);
    kt_eq_u(memory.n, 2);
    kt_eq_u(found("retry ceiling"), 1);
    put(2, "documentation begun", "c"); // written again: other words, other tags
    sync(false);
    kt_eq_u(memory.n, 2);
    kt_eq_u(passing("b", "", ""), 0);
    kt_eq_u(passing("c", "", ""), 1);
    kt_eq_u(found("parser tables"), 0);
    drop(one.id);
    sync(false);
    kt_eq_u(memory.n, 1);
    kt_eq_u(found("retry ceiling"), 0);
    kt_eq_u(found("documentation"), 1);
    // One goes and one comes: the number is the same, the texts are not.
    ken_checkpoint_row three = put(3, "vector quantiser", "");
    sync(true);
    drop(three.id);
    put(4, "posting lists", "");
    sync(true);
    kt_eq_u(memory.n, 2);
    kt_eq_u(found("vector quantiser"), 0);
    kt_eq_u(found("posting lists"), 1);
    stop();
}

KEN_TEST(own_writes_need_no_loading)
{
    start();
    sync(true);
    ken_checkpoint_row row = put(1, "retry ceiling", "a");
    ken_checkpoint__memory_put(&memory, &row);
    kt_eq_u(memory.rev, 1);
    kt_eq_u(found("retry ceiling"), 1);
    put(2, "of somebody else", "b");
    row = put(3, "after that", "b");
    ken_checkpoint__memory_put(&memory, &row); // something was missed: left for the next sync
    kt_eq_u(memory.rev, 1);
    sync(true);
    kt_eq_u(memory.n, 3);
    drop(row.id);
    ken_checkpoint__memory_remove(&memory, row.id, memory.rev + 1);
    kt_eq_u(memory.n, 2);
    kt_eq_u(found("after that"), 0);
    sync(true);
    kt_eq_u(memory.n, 2);
    stop();
}

KEN_TEST(writing_one_again_and_again_takes_no_more_room)
{
    start();
    for (unsigned i = 0; i < 40; i++)
        put(i, "some", "a,b,c");
    sync(false);
    ken_checkpoint_row row = { 0 };
    for (unsigned i = 0; i < 4000; i++) {
        row = put(7, "again", "c");
        ken_checkpoint__memory_put(&memory, &row);
    }
    kt_eq_u(memory.n, 40);
    kt_true(memory.marks.len < 1100);
    kt_eq_u(passing("a", "", ""), 39);
    kt_eq_u(passing("c", "", ""), 40);
    kt_eq_i(memory.marks.ptr[memory.marks.len - 1].id, row.id); // the newest is the last
    stop();
}
