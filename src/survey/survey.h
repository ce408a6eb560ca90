// SPDX-License-Identifier: MIT
// survey.h -- what a code base does by habit, with the evidence.
//
// A survey looks at one generation: where the front end and the back end are, and what the code
// does so regularly that a change should do it, too: its layers, what handlers of routes pass
// through and call, which types carry dependencies, which helper stands for which raw call, where
// things live. A finding needs enough cases: the lower end of the confidence interval (Wilson, 80 %)
// of the share that agrees must reach a bound, so that 4 of 4 suffice and 7 of 8 do not. It carries
// its counts, files that agree and all files that do not, which its check excepts. What only one
// group of files imports needs a chance below 1 in 500 that files spread evenly would show it.
//
// Findings are ordered by how much they would change what is written without knowing them; the
// first KEN_SURVEY_RULES of those that demand something are rules, the others facts. What formatters
// and linters enforce is left out.
//
// The same tree gives the same survey, in the same order.
//
// Ownership: everything lives in the arena passed; paths may be the snapshot's. Threads: as the
// snapshot's. Errors: KEN_ECANCELLED, else what reading the index says. A file that cannot be read
// any more, or a manifest that is broken, is passed over.
#ifndef KEN_SURVEY_SURVEY_H
#define KEN_SURVEY_SURVEY_H

#include "model/rule.h"
#include "query/query.h"

enum {
    KEN_SURVEY_RULES = 12,
    KEN_SURVEY_PLACES = 3,
    KEN_SURVEY_EXCEPT = 32 // files that do not agree, which a check can except
};

// id, file of docs/patterns that tells of it, title
#define KEN_SURVEY_TOPIC_TABLE(X)                                           \
    X(API, "api-endpoints", "API endpoints")                                \
    X(COMPONENTS, "components", "Components")                               \
    X(MODULES, "modules", "Modules and layers")                             \
    X(DEPENDENCIES, "dependencies", "Dependencies, base types and helpers") \
    X(NAMING, "naming", "Names and places of files")                        \
    X(TESTS, "tests", "Tests")                                              \
    X(ERRORS, "error-handling", "Error handling")

typedef enum ken_survey_topic {
    KEN_SURVEY_NONE = 0,
#define X(id, file, title) KEN_SURVEY_##id,
    KEN_SURVEY_TOPIC_TABLE(X)
#undef X
    KEN_SURVEY_TOPIC_COUNT
} ken_survey_topic;

const char *ken_survey_topic_file(ken_survey_topic t);
const char *ken_survey_topic_title(ken_survey_topic t);

typedef struct ken_survey_place {
    ken_str path;
    uint32_t first_line, last_line; // 0-based, inclusive
    bool is_whole;                  // the file as such: the lines say nothing
} ken_survey_place;

typedef struct ken_finding {
    ken_survey_topic topic;
    ken_str id;       // letters, digits and '-'; no two are the same
    ken_str rule;     // one sentence: "`src/base` MUST NOT import `src/app`."
    ken_str evidence; // one line: "38 of 41 routes"
    uint32_t n_for, n_all;
    ken_survey_place examples[KEN_SURVEY_PLACES]; // that agree
    uint32_t n_examples;
    ken_survey_place exceptions[KEN_SURVEY_PLACES]; // that do not
    uint32_t n_exceptions;
    ken_rule_check check; // kind KEN_CHECK_NONE: cannot be put so that a machine checks it
    bool is_fact;         // says how it is, and demands nothing
    double value;         // orders findings
} ken_finding;

// A folder with a manifest of its own that is a front end, a back end, or both.
typedef struct ken_survey_part {
    ken_str path;     // "." = the root
    ken_str manifest; // what says so
    ken_str stack;    // "react", "flask"
    bool is_frontend, is_backend;
} ken_survey_part;

typedef struct ken_survey_opts {
    ken_str frontend, backend; // folders given, relative to the root; ptr NULL = look for them
    const ken_cancel *cancel;
} ken_survey_opts;

typedef struct ken_survey {
    ken_str frontend, backend; // ptr NULL = none
    ken_survey_part *parts;    // by path
    size_t n_parts;
    ken_str *middleware; // what more than one route passes through, most used first
    size_t n_middleware;
    ken_str response_format; // ptr NULL = none that is a habit
    ken_finding *findings;   // by value, best first
    size_t n_findings;
    uint32_t n_files, n_code; // of the tree; those that were counted
    uint32_t n_aside;         // code that was left out: tests, examples, documentation
} ken_survey;

ken_status ken_survey_run(ken_snapshot *s, const ken_survey_opts *o, ken_arena *arena,
                          ken_survey *out, ken_err *err) KEN_MUST_USE;

#endif
