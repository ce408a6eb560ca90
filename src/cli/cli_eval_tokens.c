// SPDX-License-Identifier: MIT
// ken eval --tokens: how many tokens of its answer an agent reads until the first file that was wanted.
//
// The answer is search_code's as an agent receives it, with default parameters. Counted is to the end of
// the first line that names a target's file at its front; an answer that names none counts for
// EVAL_TOKENS_ABSENT, about what reading files one after the other costs.
#include "cli/cli_eval_priv.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"
#include "token/token_count.h"
#include "tool/tool.h"

static bool names_target(ken_str line, const cli_target *targets, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_starts(line, targets[i].path) && line.len > targets[i].path.len &&
            line.ptr[targets[i].path.len] == ':')
            return true;
    return false;
}

uint32_t ken_cli__tokens_until(ken_str answer, const cli_target *targets, size_t n)
{
    ken_str rest = answer, line;
    while (ken_str_line_next(&rest, &line))
        if (names_target(line, targets, n))
            return ken_count_tokens(
                ken_str_sub(answer, 0, (size_t)(line.ptr - answer.ptr) + line.len));
    return EVAL_TOKENS_ABSENT;
}

ken_status ken_cli__eval_tokens(ken_app *app, const ken_project_info *project, ken_str query,
                                const cli_target *targets, size_t n, uint32_t *out, ken_err *err)
{
    char id[KEN_UUID_TEXT];
    json_t *args = json_object(), *answer = NULL;
    ken_uuid_format(project->id, id);
    ken_tool_ctx ctx = { .project = ken_str_c(id), .is_text = true };
    ken_json_set_str(args, "query", query);
    ken_status st = ken_tool_call(app, "search_code", args, &ctx, &answer, err);
    if (!st)
        *out = ken_cli__tokens_until(ken_json_text(answer), targets, n);
    json_decref(answer);
    json_decref(args);
    return st;
}

void ken_cli__print_tokens(const double *tokens, size_t n)
{
    static const unsigned limits[] = { 500, 1000, 2000 };
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += tokens[i];
    ken_cli__print("\ntokens until the first right file: mean %.0f", n ? sum / (double)n : 0);
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        size_t n_within = 0;
        for (size_t i = 0; i < n; i++)
            n_within += tokens[i] <= limits[k];
        ken_cli__print("; within %u: %.3f", limits[k], n ? (double)n_within / (double)n : 0);
    }
    ken_cli__print("\n");
}
