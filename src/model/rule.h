// SPDX-License-Identifier: MIT
// rule.h -- the rules of a codebase: what its documents demand, and what of it a machine can check.
//
// Ownership: texts and arrays live in the arena they were made in. Threads: plain data.
#ifndef KEN_MODEL_RULE_H
#define KEN_MODEL_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "model/symbol.h"

typedef enum ken_rule_kind { // stored: numbers stay
    KEN_RULE_NONE = 0,
    KEN_RULE_CONSTRAINT = 1, // what a change must obey
    KEN_RULE_PATTERN = 2,    // how such a thing is done here
} ken_rule_kind;

typedef enum ken_rule_severity {
    KEN_RULE_ERROR = 0,
    KEN_RULE_WARNING,
    KEN_RULE_NOTE,
} ken_rule_severity;

// id, word in ARCHITECTURE.yml
#define KEN_RULE_CHECK_TABLE(X)       \
    X(FORBID_IMPORT, "forbid_import") \
    X(REQUIRE_CALL, "require_call")   \
    X(LAYERS, "layers")               \
    X(NAMING, "naming")               \
    X(PLACEMENT, "placement")         \
    X(MAX, "max")                     \
    X(FORBID_SYMBOL, "forbid_symbol")

typedef enum ken_rule_check_kind {
    KEN_CHECK_NONE = 0,
#define X(id, word) KEN_CHECK_##id,
    KEN_RULE_CHECK_TABLE(X)
#undef X
    KEN_CHECK_COUNT
} ken_rule_check_kind;

typedef enum ken_rule_measure {
    KEN_MEASURE_NONE = 0,
    KEN_MEASURE_FILE_LINES,
    KEN_MEASURE_FUNCTION_LINES,
    KEN_MEASURE_PARAMETERS,
    KEN_MEASURE_COMPLEXITY,
} ken_rule_measure;

typedef struct ken_str_list {
    ken_str *items;
    size_t n;
} ken_str_list;

// A check that a program does. Only the members that its kind names are set.
typedef struct ken_rule_check {
    ken_rule_check_kind kind;
    ken_str_list in;      // all kinds: globs of the files checked; none = all
    ken_str_list except;  // all kinds: globs of files that may
    ken_str_list to;      // forbid_import: globs of files, or names of packages
    ken_str_list layers;  // layers: globs, lowest first
    ken_str_list methods; // require_call: of the routes checked, as `POST`; none = all
    ken_str_list names;   // forbid_symbol: names; require_call: one of these is called
    ken_str before;       // require_call: PCRE2; only calls that match must come after it
    ken_str pattern;      // naming: PCRE2 that names match; require_call: of the functions checked
    ken_str under;        // placement: glob that the files lie under
    ken_symbol_kind symbol;         // naming; KEN_SYMBOL_UNKNOWN = any
    bool is_of_files;               // naming: of files
    bool is_of_handlers;            // require_call: handlers of routes
    bool counts_types;              // forbid_import, layers: imports of types alone as well
    ken_rule_measure measure;       // max
    uint32_t value;                 // max
    uint32_t first_line, last_line; // of the check in its document, 0-based
} ken_rule_check;

typedef struct ken_rule {
    ken_rule_kind kind;
    ken_str path;                   // of the document, relative to the root
    uint32_t index;                 // in the document
    uint32_t first_line, last_line; // 0-based, inclusive
    ken_str heading;                // the headings above it: "API > Errors"; may be empty
    ken_str text;                   // unchanged, without the list's mark
    ken_str id;                     // given in YAML, else empty
    ken_str scope; // folder that it holds for: the document's, for nested ones; empty = the root
    ken_str evidence, example;
    ken_str_list globs; // applies_to
    ken_rule_severity severity;
    double weight; // of the document
    ken_rule_check check;
} ken_rule;

#endif
