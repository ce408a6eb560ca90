// SPDX-License-Identifier: MIT
// What a question may cost.
#include "base/clock.h"
#include "base/pool.h"
#include "base/quota.h"
#include "ktest.h"

static ken_status check_until(uint64_t most, uint64_t *out_n)
{
    ken_status st = KEN_OK;
    for (*out_n = 0; !st && *out_n < most; (*out_n)++)
        st = ken_cancel_check(NULL, NULL);
    return st;
}

KEN_TEST(a_cancelled_question_stops_at_its_next_check)
{
    ken_cancel cancel = { 0 };
    ken_quota b;
    ken_err err = { 0 };
    ken_quota_begin(&b, &(ken_quota_limits){ 0 }, &cancel);
    kt_eq_u(ken_quota_check(&err), KEN_OK);
    ken_cancel_set(&cancel);
    kt_eq_u(ken_quota_check(&err), KEN_ECANCELLED);
    kt_true(ken_quota_is_over());
    kt_true(!ken_quota_settle(KEN_ECANCELLED, &err)); // nobody waits for a part of it
    ken_quota_end(&b);
    kt_eq_u(ken_quota_check(&err), KEN_OK); // it was that question's
}

// A loop that ends without a word may leave a service with nothing found.
KEN_TEST(what_a_stopped_question_came_to_is_that_it_was_stopped)
{
    ken_quota b;
    ken_err err = { 0 };
    ken_quota_begin(&b, &(ken_quota_limits){ .steps = 8 }, NULL);
    kt_eq_u(ken_quota_verdict(KEN_ENOTFOUND, &err), KEN_ENOTFOUND);
    kt_eq_u(ken_quota_verdict(KEN_OK, &err), KEN_OK);
    while (!ken_quota_is_over())
        ;
    err = (ken_err){ 0 };
    kt_eq_u(KEN_FAIL(&err, KEN_ENOTFOUND, "no definition"), KEN_ENOTFOUND);
    kt_eq_u(ken_quota_verdict(KEN_ENOTFOUND, &err), KEN_ELIMIT);
    kt_has_str(err.msg, "more than 8 steps");
    kt_eq_u(ken_quota_verdict(KEN_OK, &err), KEN_ELIMIT);
    ken_quota_end(&b);
    kt_eq_u(ken_quota_verdict(KEN_ENOTFOUND, &err), KEN_ENOTFOUND);
}

KEN_TEST(steps_are_bounded_and_a_part_may_be_shown_once)
{
    ken_quota b;
    ken_err err = { 0 };
    uint64_t n;
    char text[200];
    ken_quota_begin(&b, &(ken_quota_limits){ .steps = 80 }, NULL);
    kt_eq_u(check_until(1000, &n), KEN_ELIMIT);
    kt_eq_u(n, 71); // an eighth is kept back
    kt_eq_u(ken_quota_check(&err), KEN_ELIMIT);
    kt_true(strstr(err.msg, "more than 80 steps") != NULL);
    kt_true(ken_quota_word(&b) == NULL);
    kt_true(!ken_quota_settle(KEN_ELIMIT, &err)); // nobody has said that a part means anything
    ken_quota_offer_part();
    ken_quota_say("%d of 9 files were looked at", 4);
    kt_true(!ken_quota_settle(KEN_EIO, &err)); // failed for another reason
    kt_true(ken_quota_settle(KEN_ELIMIT, &err));
    kt_eq_u(err.status, KEN_OK);
    kt_eq_str(ken_quota_word(&b), "steps");
    ken_quota_text(&b, text, sizeof text);
    kt_true(strstr(text, "stopped after 80 steps: 4 of 9 files were looked at;") == text);
    kt_eq_u(ken_quota_fail_empty(&err), KEN_ELIMIT);
    kt_true(strstr(err.msg, "nothing was found until then") != NULL);
    kt_eq_u(check_until(1000, &n), KEN_ELIMIT);
    kt_true(n <= 12);
    kt_true(!ken_quota_settle(KEN_ELIMIT, &err));
    ken_quota_end(&b);
}

KEN_TEST(memory_stops_a_question_and_pieces_beyond_it_are_refused)
{
    ken_quota b;
    ken_err err = { 0 };
    ken_quota_begin(&b, &(ken_quota_limits){ .bytes = 1 << 20 }, NULL);
    char *p = ken_alloc(700 << 10), *q = ken_alloc(200 << 10);
    kt_eq_u(ken_quota_check(&err), KEN_ELIMIT);
    ken_quota_offer_part();
    kt_true(strstr(err.msg, "more than 1 MiB") && strstr(err.msg, "query.memory_limit"));
    kt_true(ken_quota_settle(KEN_ELIMIT, &err));
    kt_eq_u(ken_quota_check(&err), KEN_OK);
    kt_true(!ken_try_alloc(200 << 10));
    kt_eq_u(ken_quota_check(&err), KEN_ELIMIT);
    ken_free(p);
    ken_free(q);
    ken_quota_end(&b);
}

KEN_TEST(time_that_is_over_is_seen_within_a_few_checks)
{
    ken_quota b;
    uint64_t n;
    ken_quota_begin(&b, &(ken_quota_limits){ .ms = 1 }, NULL);
    while (ken_clock_mono_ns() < b.began_ns + 1000000)
        ;
    kt_eq_u(check_until(1000, &n), KEN_ETIMEOUT);
    kt_true(n <= 8);
    ken_quota_end(&b);
}

KEN_TEST(what_is_paused_costs_the_question_nothing)
{
    ken_quota b;
    uint64_t n;
    ken_quota_begin(&b, &(ken_quota_limits){ .ms = 200, .bytes = 1 << 20, .steps = 10 }, NULL);
    int64_t stop = b.stop_ns;
    ken_quota *paused = ken_quota_pause();
    kt_true(!ken_quota_pause()); // they nest
    ken_quota_resume(NULL);
    char *p = ken_alloc(2 << 20);
    kt_eq_u(check_until(100, &n), KEN_OK);
    ken_quota_resume(paused);
    kt_true(b.stop_ns > stop && ken_quota_now() == &b);
    kt_eq_u(ken_quota_check(NULL), KEN_OK);
    ken_account *counted = ken_quota_exempt();
    char *q = ken_alloc(2 << 20);
    ken_quota_count(counted);
    kt_eq_u(ken_quota_check(NULL), KEN_OK);
    ken_quota_end(&b);
    ken_free(p);
    ken_free(q);
}

KEN_TEST(an_inner_quota_gives_way_to_the_outer_one)
{
    ken_quota outer, inner;
    ken_quota_begin(&outer, &(ken_quota_limits){ .steps = 1000 }, NULL);
    ken_quota_begin(&inner, &(ken_quota_limits){ .steps = 8 }, NULL);
    uint64_t n;
    kt_eq_u(check_until(100, &n), KEN_ELIMIT);
    ken_quota_end(&inner);
    kt_true(ken_quota_now() == &outer);
    kt_eq_u(check_until(100, &n), KEN_OK);
    ken_quota_end(&outer);
    kt_true(!ken_quota_now());
}

enum {
    N_JOBS = 4,
    PIECES_MAX = 200,
    PIECE_BYTES = 60 << 10,
};

typedef struct taking {
    ken_quota_jobs *jobs;
    char *pieces[PIECES_MAX];
    size_t n;
    bool settles;
    ken_err err;
} taking;

// Takes memory until it is told to stop, and keeps it.
static void take(void *ctx, size_t worker)
{
    (void)worker;
    taking *t = ctx;
    ken_quota quota;
    ken_quota_begin_job(&quota, t->jobs);
    for (size_t i = 0; i < 1000; i++) // what is given back does not count
        ken_free(ken_alloc(PIECE_BYTES));
    if (t->settles)
        ken_quota_offer_part();
    while (t->n < PIECES_MAX && !ken_quota_check(&t->err))
        t->pieces[t->n++] = ken_alloc(PIECE_BYTES);
    if (t->settles)
        kt_true(ken_quota_settle(t->err.status, &t->err));
    ken_quota_end(&quota);
}

static size_t take_at_once(ken_quota_jobs *jobs, taking *all)
{
    size_t n = 0;
    ken_quota_open_jobs(jobs, NULL);
    ken_pool *pool = ken_pool_new(N_JOBS, N_JOBS, 0);
    for (size_t i = 0; i < N_JOBS; i++) {
        all[i].jobs = jobs;
        ken_pool_submit(pool, take, &all[i]);
    }
    ken_pool_free(pool);
    ken_quota_close_jobs(jobs);
    for (size_t i = 0; i < N_JOBS; i++)
        n += all[i].n;
    return n;
}

KEN_TEST(jobs_of_a_question_take_memory_from_one_limit)
{
    static taking all[N_JOBS];
    ken_quota b;
    ken_quota_jobs jobs;
    const size_t limit = 8 << 20, own = 1 << 20;
    ken_quota_begin(&b, &(ken_quota_limits){ .bytes = limit }, NULL);
    char *p = ken_alloc(own);
    size_t n = take_at_once(&jobs, all);
    // Three quarters of the limit, of which the question has had a part; each job may be a piece above it.
    const size_t most = limit * 3 / 4 - own;
    kt_true(n * PIECE_BYTES <= most + (size_t)N_JOBS * PIECE_BYTES);
    kt_true(n * PIECE_BYTES >= most - (size_t)N_JOBS * 2 * PIECE_BYTES);
    for (size_t i = 0; i < N_JOBS; i++) {
        kt_eq_u(all[i].err.status, KEN_ELIMIT);
        kt_has_str(all[i].err.msg, "more than 8 MiB");
    }
    // It is the question's now, as what was taken of it.
    kt_true(b.account.used_bytes >= own + n * PIECE_BYTES);
    kt_true(b.account.used_bytes < own + n * PIECE_BYTES + (size_t)N_JOBS * PIECE_BYTES);
    for (size_t i = 0; i < N_JOBS; i++)
        for (size_t k = 0; k < all[i].n; k++)
            ken_free(all[i].pieces[k]);
    kt_true(b.account.used_bytes < own + (size_t)N_JOBS * PIECE_BYTES);
    kt_eq_u(ken_quota_check(NULL), KEN_OK);
    ken_free(p);
    ken_quota_end(&b);
}

KEN_TEST(what_a_job_settled_for_is_told_of_the_question)
{
    static taking all[N_JOBS];
    ken_quota b;
    ken_quota_jobs jobs;
    char text[KEN_QUOTA_TEXT];
    ken_quota_begin(&b, &(ken_quota_limits){ .bytes = 4 << 20 }, NULL);
    for (size_t i = 0; i < N_JOBS; i++)
        all[i].settles = true;
    (void)take_at_once(&jobs, all);
    kt_eq_str(ken_quota_word(&b), "memory");
    ken_quota_text(&b, text, sizeof text);
    kt_has_str(text, "stopped after 4 MiB of memory");
    for (size_t i = 0; i < N_JOBS; i++)
        for (size_t k = 0; k < all[i].n; k++)
            ken_free(all[i].pieces[k]);
    ken_quota_end(&b);
}

KEN_TEST(jobs_without_a_question_have_no_limit)
{
    static taking all[N_JOBS];
    ken_quota_jobs jobs;
    kt_eq_u(take_at_once(&jobs, all), (size_t)N_JOBS * PIECES_MAX);
    for (size_t i = 0; i < N_JOBS; i++)
        for (size_t k = 0; k < all[i].n; k++)
            ken_free(all[i].pieces[k]);
}
