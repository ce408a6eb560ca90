// SPDX-License-Identifier: MIT
// rulebook.h -- the rules of one project: found, kept true to the disk, asked before a change.
//
// A rulebook belongs to a snapshot. Documents are read from the disk, not from the index: before an
// answer each one's size and mtime are compared, a changed one is cut again, and one that is gone
// says nothing any more. The index only remembers what the last ken_rulebook_index saw.
//
// Ownership: results live in the arena passed, or in the rulebook until its next refresh. Threads:
// as the snapshot's. Errors: KEN_ENOTFOUND when the project's folder is gone; a document that
// cannot be read is no error but says why (ken_rulebook_document.error), and so does the health.
#ifndef KEN_RULEBOOK_RULEBOOK_H
#define KEN_RULEBOOK_RULEBOOK_H

#include "base/cancel.h"
#include "query/query_graph.h"
#include "rules/rules.h"
#include "store/rule_documents.h"

typedef struct ken_rulebook ken_rulebook;

enum {
    KEN_RULEBOOK_RESULTS = 5, // of a collection, unless said otherwise
    KEN_RULEBOOK_RESULTS_MAX = 20,
    KEN_RULEBOOK_AS_SET = 1000, // results: what .rag/config.json says
    KEN_RULEBOOK_QUERY_MIN = 3, // characters of a planned change
    KEN_RULEBOOK_QUERY_MAX = 2000,
    KEN_RULEBOOK_STALE_DAYS = 7,
};

// `store` and `snapshot` are borrowed and outlive it; `root` is copied. Reads nothing yet. NULL for a project whose rules
// were never indexed.
void ken_rulebook_new(ken_store *store, ken_snapshot *snapshot, ken_str root, ken_rulebook **out);
void ken_rulebook_set_store(ken_rulebook *b, ken_store *store);
void ken_rulebook_free(ken_rulebook *b);

// ---- documents ---------------------------------------------------------------------------------

typedef struct ken_rulebook_document {
    ken_str path; // relative to the root
    ken_rule_kind kind;
    double weight;
    ken_sha256 sha;
    uint64_t n_bytes;
    int64_t mtime_ns;
    const ken_rule *rules;
    size_t n_rules;
    const ken_rules_issue *issues;
    size_t n_issues;
    ken_str error; // why it has no rules: "ARCHITECTURE.yml:3:1: not valid YAML: …"; else empty
} ken_rulebook_document;

// Brings the rulebook to what is on the disk now. Every answer below does so itself.
ken_status ken_rulebook_refresh(ken_rulebook *b, ken_err *err) KEN_MUST_USE;
// All documents as of the last refresh, by path; the rulebook's until the next one.
const ken_rulebook_document *ken_rulebook_documents(const ken_rulebook *b, size_t *out_n);

// Rules that speak of the file at `path`: of documents for its folder alone, and those whose globs
// it meets; rules for everything are left out. The nearest folder first, then by weight.
ken_status ken_rulebook_list_for_file(ken_rulebook *b, ken_str path, size_t limit, ken_arena *arena,
                                      const ken_rule ***out, size_t *out_n, ken_err *err)
    KEN_MUST_USE;

// ---- indexing ----------------------------------------------------------------------------------

typedef struct ken_rulebook_counts {
    int64_t indexed_at_ms;                    // 0 = never
    uint64_t codebase, constraints, patterns; // chunks
    uint64_t n_files;                         // of the run that counted them; 0 later
} ken_rulebook_counts;

// Reads every document again and puts what they hold into `writable`, a store of the same project,
// in one transaction; then into .rag/config.json, when there is a .rag, the time.
ken_status ken_rulebook_index(ken_rulebook *b, ken_store *writable, ken_rulebook_counts *out,
                              ken_err *err) KEN_MUST_USE;

// ---- before a change ---------------------------------------------------------------------------

typedef struct ken_rulebook_found {
    const ken_rule *rule; // the rulebook's
    double score;         // orders
    double relevance;     // 0 to 1
} ken_rulebook_found;

typedef struct ken_rulebook_advice {
    ken_rulebook_found *constraints, *patterns;
    size_t n_constraints, n_patterns;
    ken_hit *examples;  // code, with content
    double *relevances; // of the examples
    size_t n_examples;
    size_t example_bytes; // that are shown of one, by .rag/config.json
    ken_str note;         // why a part is missing, or empty
} ken_rulebook_advice;

// What a change described in plain words must obey, at most `n` of each (or KEN_RULEBOOK_AS_SET).
// KEN_EINVAL names field, rule and value.
ken_status ken_rulebook_check(ken_rulebook *b, ken_str description, size_t n,
                              const ken_cancel *cancel, ken_arena *arena, ken_rulebook_advice *out,
                              ken_err *err) KEN_MUST_USE;

typedef struct ken_rulebook_dependent {
    ken_str path;
    ken_str *imports; // as written there
    size_t n_imports;
} ken_rulebook_dependent;

typedef struct ken_rulebook_impact {
    ken_str path;
    ken_str *exports, *endpoints, *events; // "POST /auth/login"; events by name
    size_t n_exports, n_endpoints, n_events;
    ken_rulebook_dependent *dependents; // by path
    size_t n_dependents;
    ken_hit *similar;
    size_t n_similar;
} ken_rulebook_impact;

// What a change of one file may break. `path` relative to the root, or absolute below it.
// KEN_EPERM for what lies outside, KEN_ENOTFOUND for what is not in the index.
ken_status ken_rulebook_find_impact(ken_rulebook *b, ken_str path, size_t n_similar,
                                    const ken_cancel *cancel, ken_arena *arena,
                                    ken_rulebook_impact *out, ken_err *err) KEN_MUST_USE;

// ---- how it is ----------------------------------------------------------------------------------

// What the last indexing saw; no document is looked at.
ken_status ken_rulebook_get_counts(ken_rulebook *b, ken_rulebook_counts *out, ken_err *err)
    KEN_MUST_USE;

typedef struct ken_rulebook_health {
    bool is_healthy; // no issues
    bool has_codebase, has_constraints, has_patterns;
    bool has_architecture, has_constraints_file, has_claude; // on the disk
    ken_rulebook_counts counts;
    ken_str query_test; // "passed", or why not
    ken_str *issues, *warnings;
    size_t n_issues, n_warnings;
} ken_rulebook_health;

ken_status ken_rulebook_check_health(ken_rulebook *b, int64_t now_ms, const ken_cancel *cancel,
                                     ken_arena *arena, ken_rulebook_health *out, ken_err *err)
    KEN_MUST_USE;

#endif
