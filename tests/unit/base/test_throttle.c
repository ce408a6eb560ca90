// SPDX-License-Identifier: MIT
#include <stdatomic.h>
#include <stdio.h>

#include "base/pool.h"
#include "base/throttle.h"
#include "ktest.h"

#define SECOND INT64_C(1000000000)
#define MS     INT64_C(1000000)

// How many of `n` requests of the key are allowed at `now_ns`.
static size_t try_many(ken_throttle *t, const char *key, size_t n, int64_t now_ns)
{
    size_t n_allowed = 0;
    for (size_t i = 0; i < n; i++)
        n_allowed += !ken_throttle_take(t, ken_str_c(key), now_ns);
    return n_allowed;
}

KEN_TEST(a_burst_then_the_rate)
{
    ken_throttle *t = ken_throttle_new(&(ken_throttle_opts){ .per_second = 10, .burst = 5 });
    int64_t now = 77 * SECOND;
    kt_eq_u(try_many(t, "a", 20, now), 5);
    kt_eq_u(ken_throttle_take(t, KEN_STR("a"), now), 100); // asking again costs nothing
    kt_eq_u(ken_throttle_take(t, KEN_STR("a"), now + 99 * MS), 1);
    kt_eq_u(ken_throttle_take(t, KEN_STR("a"), now + 100 * MS), 0);
    kt_eq_u(ken_throttle_take(t, KEN_STR("a"), now + 100 * MS), 100);
    kt_eq_u(try_many(t, "a", 20, now + SECOND), 5); // no more than a burst is saved up
    kt_eq_u(try_many(t, "a", 20, now + 3600 * SECOND), 5);
    ken_throttle_counts c = ken_throttle_count(t);
    kt_eq_u(c.n_allowed, 16);
    kt_eq_u(c.n_keys, 1);
    kt_true(c.n_refused > 40);
    ken_throttle_free(t);
}

KEN_TEST(who_waits_as_told_is_allowed)
{
    ken_throttle *t = ken_throttle_new(&(ken_throttle_opts){ .per_second = 7, .burst = 1 });
    int64_t now = SECOND;
    for (int i = 0; i < 100; i++) {
        uint64_t ms = ken_throttle_take(t, KEN_STR("a"), now);
        if (ms) {
            now += (int64_t)ms * MS;
            kt_eq_u(ken_throttle_take(t, KEN_STR("a"), now), 0);
        }
    }
    kt_near((double)now / 1e9, 1 + 99 / 7.0, 0.1); // the rate is kept, too
    ken_throttle_free(t);
}

KEN_TEST(keys_do_not_count_for_each_other)
{
    ken_throttle *t = ken_throttle_new(&(ken_throttle_opts){ .per_second = 3 });
    kt_eq_u(try_many(t, "project:a", 20, SECOND), 6); // those of two seconds
    kt_eq_u(try_many(t, "project:b", 20, SECOND), 6);
    kt_eq_u(try_many(t, "", 20, SECOND), 6);
    char large[5000];
    snprintf(large, sizeof large, "%4990d", 1);
    kt_eq_u(try_many(t, large, 20, SECOND), 6);
    ken_throttle_free(t);
}

KEN_TEST(without_a_rate_nothing_is_refused)
{
    ken_throttle *t = ken_throttle_new(&(ken_throttle_opts){ 0 });
    kt_eq_u(try_many(t, "a", 1000, SECOND), 1000);
    kt_eq_u(ken_throttle_count(t).n_keys, 0);
    ken_throttle_free(t);
    t = ken_throttle_new(&(ken_throttle_opts){ .per_second = 1000000, .burst = 1000000 });
    kt_eq_u(try_many(t, "a", 1000, SECOND), 1000);
    ken_throttle_free(t);
    ken_throttle_free(NULL);
}

// A flood of addresses takes no more memory, and does not free the one that is refused.
KEN_TEST(the_table_is_bounded_and_keeps_who_is_in_debt)
{
    ken_throttle *t = ken_throttle_new(
        &(ken_throttle_opts){ .per_second = 1, .burst = 10, .max_keys = 1000, .seed = 5 });
    kt_eq_u(try_many(t, "busy", 20, SECOND), 10);
    for (int i = 0; i < 100000; i++) {
        char key[32];
        snprintf(key, sizeof key, "10.0.%d.%d", i / 256, i % 256);
        kt_eq_u(ken_throttle_take(t, ken_str_c(key), SECOND), 0);
    }
    kt_true(ken_throttle_count(t).n_keys <= 1000);
    kt_eq_u(try_many(t, "busy", 5, SECOND), 0);
    ken_throttle_free(t);
}

typedef struct crowd {
    ken_throttle *t;
    atomic_size_t n_allowed;
} crowd;

static void ask_often(void *ctx, size_t worker)
{
    crowd *c = ctx;
    (void)worker;
    atomic_fetch_add(&c->n_allowed, try_many(c->t, "a", 1000, SECOND));
}

KEN_TEST(threads_share_one_allowance)
{
    crowd c = { ken_throttle_new(&(ken_throttle_opts){ .per_second = 50, .burst = 700 }), 0 };
    ken_pool *p = ken_pool_new(4, 8, 0);
    for (int i = 0; i < 8; i++)
        ken_pool_submit(p, ask_often, &c);
    ken_pool_free(p);
    kt_eq_u(atomic_load(&c.n_allowed), 700);
    ken_throttle_free(c.t);
}
