// SPDX-License-Identifier: MIT
// cli_eval_priv.h -- the measure of `ken eval`.
//
// One result is one place in a file; a target is met by the first result with exactly its path that
// overlaps its lines when it has any. Every target has a gain of 1.
#ifndef KEN_CLI_CLI_EVAL_PRIV_H
#define KEN_CLI_CLI_EVAL_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct cli_target {
    ken_str path;
    bool has_span;
    uint64_t first_line, last_line; // 1-based, inclusive
} cli_target;

typedef struct cli_ranked {
    ken_str path;
    uint64_t first_line, last_line; // 1-based, inclusive
} cli_ranked;

cli_target ken_cli__target_parse(ken_str text); // "path" or "path:12-40"
// Rank of the first result that meets the target, from 1; 0 = not among them.
size_t ken_cli__target_rank(const cli_target *t, const cli_ranked *results, size_t n);
double ken_cli__ndcg(const cli_target *targets, size_t n_targets, const cli_ranked *results,
                     size_t n_results, size_t k);
// 1 / rank of the target that stands first, 0 when none was found.
double ken_cli__reciprocal_rank(const cli_target *targets, size_t n_targets,
                                const cli_ranked *results, size_t n_results);
// The share of the targets that are among the results.
double ken_cli__recall(const cli_target *targets, size_t n_targets, const cli_ranked *results,
                       size_t n_results);
// The smallest value that at least `percent` of the values do not exceed (nearest rank); sorts
// them.
double ken_cli__percentile(double *values, size_t n, double percent);

#endif
