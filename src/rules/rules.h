// SPDX-License-Identifier: MIT
// rules.h -- documents that demand something of a change, cut into rules.
//
// Which files are such documents (kind_of), how much each counts (weight), and what one says
// (parse): Markdown by list items, paragraphs and table rows under their headings; YAML by the
// items of its lists, with checks that a machine can do; other text by paragraphs. Functions of
// their input, no I/O.
//
// Ownership: results live in the arena given and borrow nothing of the text. Threads: an expression
// belongs to one thread at a time; everything else is stateless.
// Errors: KEN_EINVAL for what is not UTF-8 or not YAML, with "path:line:column: " in front;
// KEN_ELIMIT for a document over a bound. What is wrong inside a rule is an issue of the document,
// not an error: one bad check must not hide the other rules.
#ifndef KEN_RULES_RULES_H
#define KEN_RULES_RULES_H

#include "base/arena.h"
#include "base/err.h"
#include "model/rule.h"

enum {
    KEN_RULES_DOCUMENT_MAX = 1 << 20, // bytes
    KEN_RULES_MAX = 2000,             // rules of a document; the rest is left out and said
    KEN_RULES_TEXT_MAX = 4096,        // bytes of one rule's text
    KEN_RULES_ISSUES_MAX = 20,        // kept of a document
    KEN_RULES_KEYS_MAX = 10,          // key rules of a text
};

// ---- documents ---------------------------------------------------------------------------------

// What the file at `path` (relative, forward slashes) is. `out_scope` (may be NULL) is the folder
// that its rules hold for, borrowed from `path`; empty for the whole project.
ken_rule_kind ken_rules_kind_of(ken_str path, ken_str *out_scope);

// "constraint", "pattern" or "" for none.
const char *ken_rule_kind_word(ken_rule_kind kind);
const char *ken_rule_severity_word(ken_rule_severity severity);
const char *ken_rule_check_word(ken_rule_check_kind kind);

typedef struct ken_rules_weight {
    ken_str part; // of a path
    double weight;
} ken_rules_weight;

extern const ken_rules_weight ken_rules_default_weights[];
extern const size_t ken_rules_n_default_weights;

// The weight of the longest `part` that occurs in `path`, 1.0 when none does.
double ken_rules_weight_of(ken_str path, const ken_rules_weight *weights, size_t n);

// ---- parsing -----------------------------------------------------------------------------------

typedef struct ken_rules_issue {
    uint32_t line, column; // 0-based
    ken_str message;       // "ARCHITECTURE.yml:12:3: check.max.value: must be …"
} ken_rules_issue;

typedef struct ken_rules_doc {
    ken_rule_kind kind;
    ken_str path, scope;
    ken_rule *rules; // in the order of the text; weight is 1 until the owner sets it
    size_t n_rules;
    ken_rules_issue *issues;
    size_t n_issues;
} ken_rules_doc;

// Cuts `text`, the document at `path`, by the name of the file: .yml and .yaml, .md and .mdc, or
// plain text. A document that is none of kind_of() is read as a constraint.
ken_status ken_rules_parse(ken_str path, ken_str text, ken_arena *arena, ken_rules_doc *out,
                           ken_err *err) KEN_MUST_USE;

// Whether `rule` speaks of the file at `path`: below its scope, and among its globs when it has
// any.
bool ken_rules_applies_to(const ken_rule *rule, ken_str path);

// ---- expressions -------------------------------------------------------------------------------

// A PCRE2 pattern with limits on its length, its depth and the work of a match.
typedef struct ken_rules_regex ken_rules_regex;

ken_status ken_rules_regex_new(ken_str pattern, ken_rules_regex **out, ken_err *err) KEN_MUST_USE;
void ken_rules_regex_free(ken_rules_regex *r);
// KEN_ELIMIT when the expression is too costly for this text.
ken_status ken_rules_regex_matches(ken_rules_regex *r, ken_str text, bool *out, ken_err *err)
    KEN_MUST_USE;

// The sentences of a text that command: MUST, NEVER, ALWAYS, "all … must", "no … should".
typedef struct ken_rules_keys ken_rules_keys;

ken_rules_keys *ken_rules_keys_new(void);
void ken_rules_keys_free(ken_rules_keys *k);
// At most KEN_RULES_KEYS_MAX into `out`, borrowed from `text`, each once; returns their number.
size_t ken_rules_extract_keys(ken_rules_keys *k, ken_str text, ken_str out[KEN_RULES_KEYS_MAX]);

#endif
