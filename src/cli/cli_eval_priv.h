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

#include "app/app.h"
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

// ---- tokens: cli_eval_tokens.c ----
enum {
    EVAL_TOKENS_ABSENT = 32000
};

// Tokens of `answer` to the end of the first line that begins with a target's path and a colon.
uint32_t ken_cli__tokens_until(ken_str answer, const cli_target *targets, size_t n);
// The same of search_code's answer to `query`.
ken_status ken_cli__eval_tokens(ken_app *app, const ken_project_info *project, ken_str query,
                                const cli_target *targets, size_t n, uint32_t *out, ken_err *err)
    KEN_MUST_USE;
void ken_cli__print_tokens(const double *tokens, size_t n);

#endif
