// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "cli/cli_eval_priv.h"

cli_target ken_cli__target_parse(ken_str text)
{
    cli_target whole = { .path = text };
    size_t colon = ken_str_rfind_char(text, ':');
    if (colon == SIZE_MAX)
        return whole;
    ken_str lines = ken_str_sub(text, colon + 1, text.len);
    size_t dash = ken_str_find_char(lines, '-');
    cli_target t = { .path = ken_str_sub(text, 0, colon), .has_span = true };
    if (dash == SIZE_MAX || !ken_str_parse_u64(ken_str_sub(lines, 0, dash), &t.first_line) ||
        !ken_str_parse_u64(ken_str_sub(lines, dash + 1, lines.len), &t.last_line))
        return whole;
    return t;
}

size_t ken_cli__target_rank(const cli_target *t, const cli_ranked *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const cli_ranked *r = &results[i];
        if (!ken_str_eq(r->path, t->path))
            continue;
        if (!t->has_span || (r->first_line <= t->last_line && t->first_line <= r->last_line))
            return i + 1;
    }
    return 0;
}

double ken_cli__ndcg(const cli_target *targets, size_t n_targets, const cli_ranked *results,
                     size_t n_results, size_t k)
{
    double gained = 0, ideal = 0;
    for (size_t i = 0; i < n_targets; i++) {
        size_t rank = ken_cli__target_rank(&targets[i], results, n_results);
        if (rank && rank <= k)
            gained += 1 / log2((double)rank + 1);
    }
    for (size_t i = 0; i < n_targets && i < k; i++)
        ideal += 1 / log2((double)i + 2);
    return ideal > 0 ? gained / ideal : 0;
}

double ken_cli__reciprocal_rank(const cli_target *targets, size_t n_targets,
                                const cli_ranked *results, size_t n_results)
{
    size_t best = 0;
    for (size_t i = 0; i < n_targets; i++) {
        size_t rank = ken_cli__target_rank(&targets[i], results, n_results);
        if (rank && (!best || rank < best))
            best = rank;
    }
    return best ? 1 / (double)best : 0;
}

double ken_cli__recall(const cli_target *targets, size_t n_targets, const cli_ranked *results,
                       size_t n_results)
{
    size_t n_found = 0;
    for (size_t i = 0; i < n_targets; i++)
        n_found += ken_cli__target_rank(&targets[i], results, n_results) != 0;
    return n_targets ? (double)n_found / (double)n_targets : 0;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double ken_cli__percentile(double *values, size_t n, double percent)
{
    if (!n)
        return 0;
    qsort(values, n, sizeof *values, compare_doubles);
    double rank = ceil(percent / 100 * (double)n);
    size_t at = rank < 1 ? 0 : (size_t)rank - 1;
    return values[at < n ? at : n - 1];
}
