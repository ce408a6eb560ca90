// SPDX-License-Identifier: MIT
// tool_check_priv.h -- what check_rules found, for the forms in which it is shown.
#ifndef KEN_TOOL_TOOL_CHECK_PRIV_H
#define KEN_TOOL_TOOL_CHECK_PRIV_H

#include "rulebook/rulebook_verify.h"
#include "rules/rules.h"
#include "tool/tool_priv.h"

typedef struct ken_tool__check {
    ken_rule *rules; // those with a check
    size_t n;
    ken_str *issues; // of documents: "ARCHITECTURE.yml:3:1: …"
    size_t n_issues;
    ken_verification found;
} ken_tool__check;

// SARIF 2.1.0.
json_t *ken_tool__sarif_json(const ken_tool__check *c, ken_arena *arena);

#endif
