// SPDX-License-Identifier: MIT
// query_graph.h -- who uses what: usages, traces, impact, explanations.
//
// The graph is not stored. It is computed for the part that a question touches, from the references of
// each file (model/refs.h), and cached while the generation is current. Every edge tells how it was
// resolved; what could not be resolved is counted wherever it could have changed an answer.
//
// Ownership: results live in the arena passed. Threads: as the snapshot's. Errors: KEN_ENOTFOUND
// names near symbols or paths, KEN_EINVAL a bad request.
#ifndef KEN_QUERY_QUERY_GRAPH_H
#define KEN_QUERY_QUERY_GRAPH_H

#include "graph/graph.h"
#include "query/query.h"

// A definition as answers show it. Lines are 0-based and inclusive.
typedef struct ken_graph_node {
    ken_graph_def id; // of the snapshot's generation
    ken_str path, language;
    ken_str name, qualified; // "parse", "Parser.parse"
    ken_symbol_kind kind;
    ken_visibility visibility;
    uint32_t first_line, last_line;
    ken_str signature; // one line
    uint16_t complexity;
    bool is_test;      // its file is a test
    bool is_generated; // a program wrote its file
} ken_graph_node;

// Definitions of that name: the one that most references resolve to, with what is the same thing, then the
// others, exact names before others, code before tests; the first alone has its signature. `name` may be qualified ("a.b", "a::b", "path/to/file.c:name"), or a
// line ("path/to/file.c:12"), which means the innermost definition that reaches over it. The case
// of name and qualifier decides before everything else. KEN_ENOTFOUND lists near names.
typedef struct ken_graph_nodes {
    ken_graph_node *nodes;
    size_t n, n_total;
    size_t n_uses;        // references that resolve to the first, when it was chosen among several
    size_t n_more;        // other choices that are not among them
    ken_str missed_scope; // the qualifier, when nothing of that name is in what it names
    ken_str chosen_path;  // the part of a path that was asked for, when the first has it
} ken_graph_nodes;

ken_status ken_graph_find(ken_snapshot *s, ken_str name, ken_str file_hint, size_t limit,
                          ken_arena *arena, ken_graph_nodes *out, ken_err *err) KEN_MUST_USE;

// How the definition of an answer was chosen among those of its name.
typedef struct ken_graph_chosen {
    size_t n_others_total; // also those that are not in the list of others
    bool is_most_used;     // references resolve to it, and to each of the others fewer
} ken_graph_chosen;

// ---- usages ------------------------------------------------------------------------------------
typedef struct ken_usage {
    uint32_t line, column; // 0-based; column in bytes
    ken_ref_role role;
    ken_edge_class class;
    ken_str name;          // as it is called there
    ken_str within;        // qualified name of the definition around; empty = top of the file
    ken_str text;          // the line, when wanted
    ken_str before, after; // lines around, when wanted
    ken_str evidence;      // of inferred ones: why
} ken_usage;

typedef struct ken_usage_file {
    ken_str path, language;
    bool is_test, is_generated;
    ken_usage *usages; // by line
    size_t n;
} ken_usage_file;

typedef enum ken_tests {
    KEN_TESTS_INCLUDE = 0,
    KEN_TESTS_EXCLUDE,
    KEN_TESTS_ONLY,
} ken_tests;

typedef struct ken_usages_opts {
    ken_str name, file_hint;
    uint32_t roles;         // 1 << ken_ref_role; 0 = all
    uint32_t limit, offset; // usages; 0 = 100, at most 1,000
    uint32_t context_lines; // 0 to 20
    bool wants_text;
    ken_tests tests;
} ken_usages_opts;

enum {
    KEN_SAID_PLACES_MAX = 5
};

// A line that has a name although no reference by it is known there.
typedef struct ken_said_place {
    ken_str path;
    uint32_t line;    // 0-based
    ken_str text;     // empty when the file is left out
    bool is_left_out; // of the index: generated or vendored
} ken_said_place;

typedef struct ken_said_in_text {
    ken_said_place *places; // the first of them
    size_t n_places, n_lines;
    size_t n_files, n_left_out; // that have such lines; of these, files that are left out
    bool is_cut;                // not every file was read
} ken_said_in_text;

typedef struct ken_usages {
    ken_graph_node *defs; // the symbol: one definition, or those that share these usages
    size_t n_defs;
    ken_str undefined; // why there are none: the usages are those of the name, whatever it means
    ken_graph_node *others; // other definitions of the same name; file_hint chooses one
    size_t n_others;
    ken_graph_chosen chosen;
    ken_usage_file *files; // definition's own file first, then by number of usages; tests last
    size_t n_files;
    size_t n_total;                       // usages in all
    size_t n_by_role[KEN_REF_ROLE_COUNT]; // in all
    size_t n_test_usages;
    size_t n_unresolved;        // places that use this name and could not be resolved
    ken_usage_file *unresolved; // up to 10 of them
    size_t n_unresolved_files;
    // Places that use the name and lead to other definitions, and out of the tree. Counted where
    // nothing calls the symbol (nothing uses it, when it cannot be called).
    size_t n_elsewhere, n_outside;
    ken_str missed_scope;     // a qualifier that does not fit: only the name was used
    ken_said_in_text in_text; // searched when there is not even such a place
    bool is_truncated;
} ken_usages;

ken_status ken_find_usages(ken_snapshot *s, const ken_usages_opts *o, const ken_cancel *cancel,
                           ken_arena *arena, ken_usages *out, ken_err *err) KEN_MUST_USE;

// ---- traces ------------------------------------------------------------------------------------
typedef enum ken_trace_direction {
    KEN_TRACE_CALLEES = 0,
    KEN_TRACE_CALLERS,
} ken_trace_direction;

typedef struct ken_trace_opts {
    ken_str entry, file_hint;
    ken_str to; // the shortest path from entry to this symbol instead of a tree
    ken_trace_direction direction;
    uint32_t max_depth;  // 1 to 10; 0 = 3, of a path as deep as it is
    uint32_t max_nodes;  // 0 = 100, at most 1,000
    uint32_t max_branch; // children shown of one node; 0 = 12, at depth 1 all
    bool wants_external; // calls that leave the tree as leaves
    ken_tests tests;     // ONLY: tests, and what leads to them; not of a path
} ken_trace_opts;

typedef struct ken_trace_step {
    ken_graph_node node; // id.file = UINT32_MAX for what is external: only its name is set
    int32_t parent;      // index of the step above, -1 = the entry
    uint32_t depth;
    ken_edge_class class;
    ken_ref_role role;
    ken_str site_path; // of the call
    uint32_t site_line;
    uint32_t n_sites;      // how many calls from the one to the other
    int32_t seen_at;       // index of the earlier step that has this node's children, -1 = here
    bool is_cycle;         // that step is above this one
    uint32_t n_cut;        // children left out, the least relevant
    uint32_t n_unresolved; // calls in it that could not be resolved
    ken_str evidence;
} ken_trace_step;

// A call that a search for a path could not follow.
typedef struct ken_trace_stop {
    ken_str within; // qualified name of the definition around
    ken_str path;
    uint32_t line; // 0-based
    ken_str name;  // as it is called there
    bool
        is_interface; // a method of an interface that nothing is known to implement; else unresolved
} ken_trace_stop;

typedef struct ken_trace {
    ken_trace_step *steps; // in pre-order
    size_t n_steps;
    ken_graph_node *others; // further definitions of the entry's name
    size_t n_others;
    ken_graph_chosen chosen;
    size_t n_direct; // callees or callers of the entry itself that pass, shown or not; of a tree
    size_t n_usages; // of callers: places that use the entry, as ken_find_usages counts them
    bool has_path;   // of the path to the target
    ken_graph_node *
        tried; // what the name means most likely, from where there was none; NULL = it begins there
    uint32_t n_tried_steps; // and so many calls deep it was looked for from there; 0 = to the end
    size_t n_starts;        // definitions of the name from which it was looked for; 0 = from one
    uint32_t n_path_steps;  // without one: it was searched for so many calls deep; 0 = to the end
    ken_str missed_scope;   // of the entry: a qualifier that does not fit
    ken_trace_stop
        *stops; // without one: where it may have been lost, the likeliest first, at most 3
    size_t n_stops, n_stops_total;
    bool is_truncated;
} ken_trace;

ken_status ken_trace_execution(ken_snapshot *s, const ken_trace_opts *o, const ken_cancel *cancel,
                               ken_arena *arena, ken_trace *out, ken_err *err) KEN_MUST_USE;

// ---- impact ------------------------------------------------------------------------------------
enum {
    KEN_TESTS_MAX = 1000 // tests of one answer
};

typedef struct ken_impact_opts {
    ken_str symbol,
        file_hint; // one of symbol, path and diff; a symbol that is a file's path is that
    ken_str path;  // a file, or "file:LINE"
    ken_str diff;  // a revision or range; "" with wants_diff = uncommitted changes
    bool wants_diff;
    uint32_t max_depth;   // 1 to 5; 0 = 3. The risk is that of 3 steps, whatever it is
    bool without_risk;    // it is not judged, and nothing is looked at for it
    uint32_t limit;       // dependents shown; 0 = 30, at most 200
    uint32_t offset;      // dependents to pass over; with KEN_TESTS_ONLY tests
    uint32_t max_tests;   // tests shown; 0 = 20, at most KEN_TESTS_MAX
    ken_tests tests;      // which of both are listed; the counts and the risk are of all
    uint32_t num_similar; // 0 to 20; UINT32_MAX = 5
} ken_impact_opts;

// The change of a definition from the older side of a diff to the newer one.
// name, word
#define KEN_DELTA_KIND_TABLE(X) \
    X(NONE, "")                 \
    X(BODY, "body")             \
    X(ADDED, "added")           \
    X(SIGNATURE, "signature")   \
    X(MOVED, "moved")           \
    X(RENAMED, "renamed")       \
    X(REMOVED, "removed")

typedef enum ken_delta_kind {
#define X(name, word) KEN_DELTA_##name,
    KEN_DELTA_KIND_TABLE(X)
#undef X
    KEN_DELTA_KIND_COUNT
} ken_delta_kind;

const char *ken_delta_kind_word(ken_delta_kind k);

// A definition that is the target of the question or that a diff touches.
typedef struct ken_changed_def {
    ken_graph_node node;   // as it is now; of one that is gone as it was, id.file = UINT32_MAX
    ken_delta_kind change; // NONE: the target, or not compared
    ken_str was;           // of renamed ones: the older name; of moved ones: the older path
    size_t n_users;        // places outside of the diff that use it; of SIGNATURE and above
    size_t n_broken;       // of these, what they name is not there any more
} ken_changed_def;

typedef struct ken_dependent {
    ken_graph_node node;   // the definition that uses it; name empty = top of the file
    uint32_t distance;     // 1 = uses it directly
    ken_edge_class class;  // the weakest edge on the way
    uint32_t n_sites;      // places
    ken_delta_kind change; // of distance 1 in a diff: the worst of what it uses
    bool is_broken;        // it names what is not there any more
    uint32_t site_line;    // of its first place, 0-based; UINT32_MAX = not worked out
    ken_graph_node
        via; // a definition that it uses, one step nearer (a test perhaps through what tests
             // share); name empty = not known
    ken_edge_class via_class;
} ken_dependent;

typedef struct ken_related_file {
    ken_str path;
    double value; // cosine, or share of commits
    uint32_t n_commits;
} ken_related_file;

typedef struct ken_route {
    ken_str framework, method,
        path; // "express", "GET", "/users/:id"; events: method "on" or "emit"
    bool is_event;
    bool is_partial;          // the path begins with "…": its prefix is unknown
    ken_str handler;          // name, may be empty
    ken_graph_def handler_id; // .file = UINT32_MAX when unknown
    ken_str file;
    uint32_t line;
} ken_route;

// Files of tests in the index: of languages that are parsed, and of others, of which it is not known what
// they reach.
typedef struct ken_test_files {
    size_t n_parsed, n_unparsed;
} ken_test_files;

ken_test_files ken_count_test_files(const ken_snapshot *s);
// "no test reaches it in 3 steps; 95 files that look like tests are in a language without a grammar, so …"
ken_str ken_no_test_text(const ken_test_files *files, uint32_t n_steps, ken_arena *arena);

typedef struct ken_impact {
    ken_changed_def *changed; // the worst first
    size_t n_changed, n_changed_total;
    size_t n_by_change[KEN_DELTA_KIND_COUNT]; // in all
    ken_str *changed_files;
    size_t n_changed_files;
    ken_dependent *dependents; // broken ones first, by distance, then by places; tests apart
    size_t n_dependents;
    size_t n_by_distance[6]; // in all, [0] unused
    ken_dependent *tests;    // tests that reach it
    size_t n_tests, n_tests_total;
    ken_test_files test_files; // counted when no test is known to reach it
    ken_str *files;            // that hold dependents and tests, in their order
    size_t n_files, n_files_total;
    size_t n_dependent_files; // without those that hold tests alone
    ken_route *routes;        // whose handler is changed or depends on it
    size_t n_routes;
    ken_related_file *similar;
    size_t n_similar;
    ken_related_file *together; // change in the same commits
    size_t n_together;
    ken_str missed_scope;   // of a symbol: a qualifier that does not fit
    ken_graph_node *others; // other definitions of the symbol's name
    size_t n_others;
    ken_graph_chosen chosen;
    size_t n_places;       // that use it directly: what ken_find_usages counts
    size_t n_broken;       // definitions and tops of files that name what is not there any more
    size_t n_broken_files; // that hold them
    size_t n_exposed;      // that use directly what has another signature, or is gone
    size_t n_unresolved;   // unresolved places with its name
    ken_dependent *maybe;  // what holds them: by number of places
    size_t n_maybe, n_maybe_total;
    ken_str *uncompared; // changed files of which one side could not be read, and why
    size_t n_uncompared, n_uncompared_total;
    double risk;            // 0 to 1
    const char *risk_level; // "low", "medium", "high"
    ken_str *reasons;
    size_t n_reasons;
    uint32_t max_depth; // steps that it goes
    bool is_at_least;   // stopped before its end: there may be more of what is counted
    bool is_truncated;
} ken_impact;

ken_status ken_query_impact(ken_snapshot *s, const ken_impact_opts *o, const ken_cancel *cancel,
                            ken_arena *arena, ken_impact *out, ken_err *err) KEN_MUST_USE;

// ---- explanation -------------------------------------------------------------------------------
typedef struct ken_edge_note {
    ken_graph_node node; // id.file = UINT32_MAX: external, only its name
    ken_edge_class class;
    ken_ref_role role;
    uint32_t line; // of the place, in the lines explained; UINT32_MAX = it is elsewhere
    uint32_t n_sites;
    ken_str evidence;
} ken_edge_note;

typedef struct ken_explanation {
    ken_str path, language;
    uint32_t first_line, last_line; // 0-based, of the code shown
    ken_str code;                   // from the disk
    ken_graph_node symbol;          // smallest definition around the lines; name empty = none
    ken_str doc;
    ken_graph_node *inside; // definitions within the lines
    size_t n_inside;
    // Who uses the symbol, tests apart; of what can be called, who calls it or hands it on. Types:
    // used, bases, derived. The first of each; the totals count definitions, shown or not.
    ken_edge_note *callers, *callees, *types;
    size_t n_callers, n_callees, n_types;
    ken_edge_note *tests;
    size_t n_tests;
    size_t n_callers_total, n_callees_total, n_tests_total;
    size_t n_usages;            // places that use the symbol: what ken_find_usages counts
    size_t n_unresolved_usages; // unresolved places with its name
    ken_str *imports;
    size_t n_imports;
    ken_route *routes;
    size_t n_routes;
    size_t n_unresolved; // names in the lines
    bool is_refreshed;
} ken_explanation;

// Lines 0-based, inclusive. KEN_EINVAL when they lie outside the file.
ken_status ken_explain(ken_snapshot *s, ken_str path, uint32_t first_line, uint32_t last_line,
                       const ken_cancel *cancel, ken_arena *arena, ken_explanation *out,
                       ken_err *err) KEN_MUST_USE;

#endif
