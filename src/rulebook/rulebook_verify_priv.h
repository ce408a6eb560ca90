// SPDX-License-Identifier: MIT
// rulebook_verify_priv.h -- what the checks share.
#ifndef KEN_RULEBOOK_RULEBOOK_VERIFY_PRIV_H
#define KEN_RULEBOOK_RULEBOOK_VERIFY_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "query/query_facts.h"
#include "rulebook/rulebook_verify.h"
#include "rules/rules.h"

// One rule with a check, while it is done.
typedef struct verify_rule {
    const ken_rule *rule;
    const ken_rule_check *check;
    uint32_t number;
    ken_rule_outcome *outcome;
    ken_rules_regex *pattern, *before; // NULL when the check has none
    uint8_t *covers;                   // by file: the check looks at it
    ken_str last_good;                 // path of the last thing that obeys; borrowed
    bool is_off;                       // an expression was too costly: nothing more is asked
} verify_rule;

// Something that obeys, one for each rule and folder.
typedef struct verify_good {
    ken_rule_example place;
    uint32_t rule;
} verify_good;

typedef struct verifier {
    ken_snapshot *s;
    const ken_cancel *cancel;
    ken_arena *arena;
    ken_file_fact *files; // all of the tree
    size_t n_files;
    uint8_t *is_reported; // by file
    verify_rule *rules;   // those with a check
    size_t n;
    size_t n_names; // that are forbidden
    uint32_t max;
    KEN_VEC(ken_violation) found;
    KEN_VEC(verify_good) goods;
    ken_map good_of; // rule and folder -> its good
} verifier;

bool ken_rulebook__verify_has(const verifier *v, ken_rule_check_kind kind);
// Adds a violation of a file that is reported.
void ken_rulebook__verify_add(verifier *v, verify_rule *r, const ken_violation *violation);
void ken_rulebook__verify_add_good(verifier *v, verify_rule *r, ken_str path, uint32_t line,
                                   ken_str symbol);
void ken_rulebook__verify_note(verifier *v, verify_rule *r, const char *fmt, ...) KEN_PRINTF(3, 4);
// Whether the expression matches; false with the rule off when it is too costly.
bool ken_rulebook__verify_matches(verifier *v, verify_rule *r, ken_rules_regex *regex,
                                  ken_str text);
// Scope of the files that are reported and that some rule of the kinds (1 << kind) looks at.
ken_facts_scope ken_rulebook__verify_scope(verifier *v, uint32_t kinds);
// Number of the file, SIZE_MAX when it is not there.
size_t ken_rulebook__verify_file(const verifier *v, ken_str path);

ken_status ken_rulebook__verify_imports(verifier *v, ken_err *err)
    KEN_MUST_USE; // forbid_import, layers
ken_status ken_rulebook__verify_files(verifier *v, ken_err *err)
    KEN_MUST_USE; // placement, names, lines
ken_status ken_rulebook__verify_definitions(verifier *v, ken_err *err) KEN_MUST_USE; // naming, max
ken_status ken_rulebook__verify_symbols(verifier *v, ken_err *err) KEN_MUST_USE; // forbid_symbol
ken_status ken_rulebook__verify_calls(verifier *v, ken_err *err) KEN_MUST_USE;   // require_call

#endif
