// SPDX-License-Identifier: MIT
// Expected values are worked out by hand: 1 / log2(rank + 1) is 1, 0.63093, 0.5, 0.43068, 0.38685
// for ranks 1 to 5.
#include "cli/cli_eval_priv.h"
#include "ktest.h"

static const cli_ranked results[] = {
    { { "a.c", 3 }, 1, 10 },  { { "b.c", 3 }, 5, 9 }, { { "a.c", 3 }, 40, 60 },
    { { "d/a.c", 5 }, 1, 5 }, { { "e.c", 3 }, 1, 1 },
};
enum {
    N_RESULTS = sizeof results / sizeof *results
};

static double ndcg(const char *const *texts, size_t n, size_t k)
{
    cli_target t[16];
    for (size_t i = 0; i < n; i++)
        t[i] = ken_cli__target_parse(ken_str_c(texts[i]));
    return ken_cli__ndcg(t, n, results, N_RESULTS, k);
}

static double rr(const char *const *texts, size_t n)
{
    cli_target t[16];
    for (size_t i = 0; i < n; i++)
        t[i] = ken_cli__target_parse(ken_str_c(texts[i]));
    return ken_cli__reciprocal_rank(t, n, results, N_RESULTS);
}

static double recall(const char *const *texts, size_t n)
{
    cli_target t[16];
    for (size_t i = 0; i < n; i++)
        t[i] = ken_cli__target_parse(ken_str_c(texts[i]));
    return ken_cli__recall(t, n, results, N_RESULTS);
}

KEN_TEST(targets_are_paths_with_or_without_lines)
{
    cli_target t = ken_cli__target_parse(KEN_STR("x/y.c:12-40"));
    kt_eq_text(t.path, "x/y.c");
    kt_true(t.has_span);
    kt_eq_u(t.first_line, 12);
    kt_eq_u(t.last_line, 40);
    static const char *const whole[] = { "x.c", "x:y.c", "x.c:12", "x.c:a-b", "x.c:1-" };
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        t = ken_cli__target_parse(ken_str_c(whole[i]));
        kt_eq_text(t.path, whole[i]);
        kt_false(t.has_span);
    }
}

KEN_TEST(a_target_ranks_where_its_path_first_stands)
{
    static const struct {
        const char *target;
        size_t rank;
    } cases[] = {
        { "a.c", 1 },       { "b.c", 2 },       { "d/a.c", 4 },
        { "c.c", 0 },       { "a.c:10-20", 1 }, { "a.c:11-39", 0 },
        { "a.c:11-40", 3 }, { "a.c:60-99", 3 }, { "b.c:1-4", 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cli_target t = ken_cli__target_parse(ken_str_c(cases[i].target));
        kt_eq_u(ken_cli__target_rank(&t, results, N_RESULTS), cases[i].rank);
    }
}

KEN_TEST(ndcg_of_one_target)
{
    kt_near(ndcg((const char *[]){ "a.c" }, 1, 10), 1.0, 1e-9);
    kt_near(ndcg((const char *[]){ "b.c" }, 1, 10), 0.6309297536, 1e-9);
    kt_near(ndcg((const char *[]){ "e.c" }, 1, 10), 0.3868528072, 1e-9);
    kt_near(ndcg((const char *[]){ "none.c" }, 1, 10), 0.0, 1e-9);
    kt_near(ndcg((const char *[]){ "e.c" }, 1, 4), 0.0, 1e-9);
}

KEN_TEST(ndcg_of_several_targets_counts_the_missing_ones)
{
    // (1 + 0.63093) / (1 + 0.63093)
    kt_near(ndcg((const char *[]){ "b.c", "a.c" }, 2, 10), 1.0, 1e-9);
    // (1 + 0.43068) / (1 + 0.63093)
    kt_near(ndcg((const char *[]){ "a.c", "d/a.c" }, 2, 10), 0.8772153153, 1e-9);
    // 0.63093 / (1 + 0.63093 + 0.5)
    kt_near(ndcg((const char *[]){ "x", "b.c", "y" }, 3, 10), 0.2960819109, 1e-9);
    // twelve targets: the ideal has ten
    static const char *const many[] = { "a.c", "1", "2", "3", "4",  "5",
                                        "6",   "7", "8", "9", "10", "11" };
    kt_near(ndcg(many, 12, 10), 1 / 4.5435593381, 1e-9);
    kt_near(ndcg(NULL, 0, 10), 0.0, 1e-9);
}

KEN_TEST(reciprocal_rank_is_of_the_best_target)
{
    kt_near(rr((const char *[]){ "e.c", "b.c" }, 2), 0.5, 1e-9);
    kt_near(rr((const char *[]){ "a.c:40-41" }, 1), 1.0 / 3, 1e-9);
    kt_near(rr((const char *[]){ "x" }, 1), 0.0, 1e-9);
}

KEN_TEST(recall_is_the_share_of_targets_found_at_any_rank)
{
    kt_near(recall((const char *[]){ "e.c" }, 1), 1.0, 1e-9);
    kt_near(recall((const char *[]){ "a.c:40-41", "b.c", "x", "a.c:11-39" }, 4), 0.5, 1e-9);
    kt_near(recall((const char *[]){ "x" }, 1), 0.0, 1e-9);
    kt_near(recall(NULL, 0), 0.0, 1e-9);
}

KEN_TEST(percentiles_are_nearest_ranks)
{
    double v[] = { 5, 1, 4, 2, 3 };
    kt_near(ken_cli__percentile(v, 5, 50), 3, 1e-9);
    kt_near(ken_cli__percentile(v, 5, 95), 5, 1e-9);
    kt_near(ken_cli__percentile(v, 5, 20), 1, 1e-9);
    kt_near(ken_cli__percentile(v, 5, 0), 1, 1e-9);
    kt_near(ken_cli__percentile(v, 1, 99), 1, 1e-9);
    kt_near(ken_cli__percentile(NULL, 0, 50), 0, 1e-9);
}
