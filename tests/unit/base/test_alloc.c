// SPDX-License-Identifier: MIT
// Memory that is refused: the reserve makes one refusal good and says so; without it the program
// ends in order. What accounts count.
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/alloc_debug.h"
#include "base/arena.h"
#include "base/quota.h"
#include "base/vec.h"
#include "ktest.h"

enum {
    KIB = 1024
};

KEN_TEST(an_account_counts_what_is_taken_and_given_back_while_it_is_entered)
{
    ken_account a = { 0 };
    char *before = ken_alloc(100 * KIB);
    ken_account *outer = ken_account_enter(&a);
    char *p = ken_alloc(200 * KIB);
    kt_true(a.used_bytes >= 200 * KIB && a.used_bytes < 210 * KIB);
    p = ken_realloc(p, 400 * KIB);
    kt_true(a.used_bytes >= 400 * KIB && a.used_bytes < 410 * KIB);
    ken_free(p);
    kt_eq_u(a.used_bytes, 0);
    kt_true(a.peak_bytes >= 400 * KIB);
    ken_free(before); // was not counted, and makes nothing negative
    kt_eq_u(a.used_bytes, 0);
    ken_account_enter(outer);
    ken_free(ken_alloc(KIB));
    kt_eq_u(a.used_bytes, 0);
}

KEN_TEST(arenas_vectors_and_texts_are_counted)
{
    ken_account a = { 0 };
    ken_account *outer = ken_account_enter(&a);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    (void)!ken_arena_alloc(&arena, 300 * KIB);
    ken_vec_u32 v = { 0 };
    ken_vec_reserve(&v, 100 * KIB);
    char *text = ken_strdup("text");
    kt_true(a.used_bytes >= 700 * KIB);
    ken_free(text);
    ken_vec_release(&v);
    ken_arena_release(&arena);
    kt_eq_u(a.used_bytes, 0);
    ken_account_enter(outer);
}

KEN_TEST(over_its_limit_an_account_says_so_and_far_over_it_large_pieces_are_refused)
{
    ken_account a = { .limit_bytes = 100 * KIB, .max_bytes = 200 * KIB };
    ken_account *outer = ken_account_enter(&a);
    char *p = ken_alloc(90 * KIB), *q, *r;
    kt_true(!a.is_over);
    q = ken_alloc(60 * KIB);
    kt_true(a.is_over);
    a.is_over = false;
    kt_true(!ken_try_alloc(100 * KIB));
    kt_true(!ken_try_realloc(p, 200 * KIB));
    kt_true(a.is_over);
    r = ken_alloc(100 * KIB); // small ones are never refused
    ken_free(p);
    ken_free(q);
    ken_free(r);
    ken_account_enter(outer);
}

KEN_TEST(one_refusal_is_made_good_and_the_question_is_told)
{
    static const ken_quota_limits none;
    for (uint64_t n = 1; n <= 3; n++) {
        ken_quota b;
        ken_err err = { 0 };
        ken_quota_begin(&b, &none, NULL);
        ken_alloc_debug_refuse(n, 1);
        char *p[] = { ken_alloc(10), ken_zalloc(20), NULL };
        p[2] = ken_realloc(p[0], 5000);
        kt_true(ken_alloc_debug_refuse(0, 0) == 4); // each of the three, and one again
        kt_true(p[1] && p[2]);
        kt_eq_u(ken_quota_check(&err), KEN_ENOMEM);
        kt_eq_u(ken_quota_check(NULL), KEN_ENOMEM); // and it stays so
        kt_true(!ken_quota_settle(KEN_ENOMEM, &err));
        ken_quota_end(&b);
        ken_free(p[1]);
        ken_free(p[2]);
        ken_quota_begin(&b, &none, NULL); // the next question has a reserve again
        kt_eq_u(ken_quota_check(NULL), KEN_OK);
        ken_quota_end(&b);
    }
}

KEN_TEST(a_job_without_a_quota_is_told_through_its_cancel)
{
    ken_err err = { 0 };
    ken_alloc_refill();
    ken_alloc_debug_refuse(1, 1);
    char *p = ken_alloc(10);
    ken_alloc_debug_refuse(0, 0);
    kt_true(ken_alloc_is_starved());
    kt_eq_u(ken_cancel_check(NULL, &err), KEN_ENOMEM);
    ken_free(p);
    ken_alloc_refill();
    kt_eq_u(ken_cancel_check(NULL, &err), KEN_OK);
}

// As when two threads are refused at once and the other one gave the reserve back.
KEN_TEST(a_refusal_is_tried_again_when_the_reserve_is_gone)
{
    ken_alloc_refill();
    for (int i = 0; i < 3; i++) {
        ken_alloc_debug_refuse(1, 1);
        char *p = i == 0 ? ken_alloc(10) : i == 1 ? ken_zalloc(10) : ken_realloc(NULL, 10);
        kt_true(ken_alloc_debug_refuse(0, 0) == 2 && p);
        ken_free(p);
    }
    ken_alloc_refill();
    kt_true(!ken_alloc_is_starved());
}

KEN_TEST(what_may_fail_uses_no_reserve)
{
    ken_alloc_refill();
    ken_alloc_debug_refuse(1, 3);
    char *p = ken_try_alloc(10), *q = ken_try_zalloc(10), *r = ken_try_realloc(NULL, 10);
    ken_alloc_debug_refuse(0, 0);
    kt_true(!p && !q && !r && !ken_alloc_is_starved());
}

KEN_TEST(without_memory_and_reserve_the_program_ends_with_1_and_a_message)
{
    int fds[2], status = 0;
    char text[200] = { 0 };
    kt_true(!pipe(fds));
    pid_t pid = fork();
    if (!pid) {
        dup2(fds[1], STDERR_FILENO);
        ken_alloc_debug_refuse(1, UINT64_MAX);
        ken_free(ken_alloc(12345));
        _exit(7);
    }
    close(fds[1]);
    kt_true(waitpid(pid, &status, 0) == pid);
    kt_true(read(fds[0], text, sizeof text - 1) > 0);
    close(fds[0]);
    kt_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    kt_eq_str(text, "ken: out of memory (12345 bytes wanted)\n");
}
