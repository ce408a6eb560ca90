// SPDX-License-Identifier: MIT
// cli_rules_priv.h -- ken rules check, and what it found for the forms in which it is shown.
#ifndef KEN_CLI_CLI_RULES_PRIV_H
#define KEN_CLI_CLI_RULES_PRIV_H

#include "cli/cli_print_priv.h"
#include "rulebook/rulebook_verify.h"
#include "rules/rules.h"

typedef struct cli_rules {
    ken_rule *rules; // those with a check
    size_t n;
    ken_str *issues; // of documents: "ARCHITECTURE.yml:3:1: …"
    size_t n_issues;
    ken_verification found;
} cli_rules;

void ken_cli__print_sarif(cli *x, const cli_rules *r);

#endif
