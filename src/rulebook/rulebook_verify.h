// SPDX-License-Identifier: MIT
// rulebook_verify.h -- checks that rules carry, done on the code.
//
// Each check is made of the lists of query_facts.h. It says what it looked at and what it could not
// decide, so that "no violations" can be told from "nothing was looked at".
//
// Ownership: results live in the arena passed; rules are borrowed and must outlive it. Threads: as
// the snapshot's. Errors: KEN_EINVAL for a bad diff or glob, KEN_ECANCELLED. A check that is wrong
// in itself (a layer without files, an expression that is too costly) is no error: its outcome has
// a note.
#ifndef KEN_RULEBOOK_RULEBOOK_VERIFY_H
#define KEN_RULEBOOK_RULEBOOK_VERIFY_H

#include "model/rule.h"
#include "query/query.h"

enum {
    KEN_VIOLATIONS_DEFAULT = 1000,
    KEN_VIOLATIONS_MAX = 10000
};

typedef struct ken_verify_opts {
    ken_str diff;       // a revision or range; with wants_diff and empty: uncommitted changes
    bool wants_diff;    // only files that it touches are reported; they are checked against all
    ken_str_list paths; // globs; only files that they mean are reported; none = all
    uint32_t max;       // violations kept; 0 = KEN_VIOLATIONS_DEFAULT
} ken_verify_opts;

// A place that obeys. An empty path: none is known.
typedef struct ken_rule_example {
    ken_str path;
    uint32_t line;  // 0-based
    ken_str symbol; // may be empty
} ken_rule_example;

typedef struct ken_violation {
    uint32_t rule; // number among the rules given
    ken_str path;
    uint32_t first_line, last_line, column; // 0-based
    ken_str symbol;                         // qualified; may be empty
    ken_str message;                        // what was found, what is wanted
    ken_rule_example example; // the rule's own, else the nearest thing of the kind that obeys
} ken_violation;

typedef struct ken_rule_outcome {
    bool is_checked;      // the rule carries a check, and all of it was done
    uint32_t n_files;     // looked at
    uint32_t n_seen;      // imports, definitions, handlers, uses or files among them
    uint32_t n_found;     // violations, kept or not
    uint32_t n_undecided; // imports that lead nowhere known, handlers that are not known
    ken_str note; // what kept the check from being done, or makes it look at nothing; may be empty
} ken_rule_outcome;

typedef struct ken_verification {
    ken_violation *violations; // by path, then by line
    size_t n;
    uint32_t n_found;           // in all
    ken_rule_outcome *outcomes; // by rule
    uint32_t n_checked;         // rules
    uint32_t n_files;           // that could be reported
    bool is_truncated;
} ken_verification;

ken_status ken_verify_rules(ken_snapshot *s, const ken_rule *rules, size_t n,
                            const ken_verify_opts *o, const ken_cancel *cancel, ken_arena *arena,
                            ken_verification *out, ken_err *err) KEN_MUST_USE;

// ---- kept by a rulebook ------------------------------------------------------------------------
enum {
    KEN_FINDING_FIRST = 3
};

typedef struct ken_rulebook ken_rulebook; // rulebook.h

typedef struct ken_rule_finding {
    const ken_rule *rule;
    ken_rule_outcome outcome;
    ken_violation first[KEN_FINDING_FIRST]; // their `rule` is of no use here
    uint32_t n_first;
} ken_rule_finding;

// What the checks of these rules, the rulebook's own, find in the whole tree; NULL for those
// without a check. The first question of a generation does the checks, later ones find the answers,
// as long as the files that are shown stay as they were.
// Findings are the rulebook's until the next call.
ken_status ken_rulebook_find_violations(ken_rulebook *b, const ken_rule *const *rules, size_t n,
                                        const ken_cancel *cancel, ken_arena *arena,
                                        const ken_rule_finding ***out, ken_err *err) KEN_MUST_USE;

// How people name a rule: its id, else "CONSTRAINTS.md:12".
ken_str ken_rule_label(const ken_rule *rule, ken_arena *arena);

#endif
