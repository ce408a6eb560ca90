// SPDX-License-Identifier: MIT
// query_tree.h -- what a tree is made of: its architecture, tests, dead code, hot spots, routes.
//
// Computed from the graph as the questions of query_graph.h are, and limited like them.
//
// Ownership: results live in the arena passed. Threads: as the snapshot's. Errors: KEN_ENOTFOUND
// names near symbols or paths, KEN_EINVAL a bad request.
#ifndef KEN_QUERY_QUERY_TREE_H
#define KEN_QUERY_QUERY_TREE_H

#include "query/query_graph.h"

// ---- architecture ------------------------------------------------------------------------------
// What lies beside the code that a project is made of.
// name, word
#define KEN_ASIDE_TABLE(X)  \
    X(NONE, "")             \
    X(TESTS, "tests")       \
    X(EXAMPLES, "examples") \
    X(BUNDLED, "bundled")

typedef enum ken_aside {
#define X(name, word) KEN_ASIDE_##name,
    KEN_ASIDE_TABLE(X)
#undef X
    KEN_ASIDE_COUNT
} ken_aside;

const char *ken_aside_word(ken_aside a);

typedef struct ken_module_node {
    ken_str path;    // of the folder
    ken_aside aside; // most of it; NONE = it is what the project is made of
    uint32_t n_files, n_lines, n_symbols;
    uint32_t n_aside;      // files of it that these do not count: tests, examples, what is bundled
    uint32_t n_unresolved; // imports of all its files that lead nowhere that is known
    ken_str language;      // most of it
    uint32_t layer;        // 0 = uses nothing of the others; by longest way down, cycles as one
    uint32_t cycle;        // number of the cycle it is in, 0 = none
    uint32_t n_dependents; // modules
    double centrality;     // PageRank over imports, sums to 1
} ken_module_node;

typedef struct ken_module_edge {
    uint32_t from, to;  // indexes into modules
    uint32_t n_imports; // files that import
} ken_module_edge;

typedef struct ken_key_symbol {
    ken_graph_node node;
    uint32_t n_users; // files that use the type: reckoned from some of them when there are many
    double score;
    uint32_t n_commits; // hot spots: of its file
} ken_key_symbol;

// A file that much of the code leads to.
typedef struct ken_key_file {
    ken_str path;
    uint32_t n_lines, n_users; // files that import it
} ken_key_file;

// What happens from a place where the program begins: a main function or the handler of a route.
typedef struct ken_flow {
    ken_graph_node from;
    ken_str route;  // "POST /owners", empty for a function
    ken_str *steps; // what it calls, in order: "initServer (listen, loadData)"
    size_t n_steps, n_left_out;
} ken_flow;

typedef struct ken_architecture {
    ken_lang_count *langs;
    size_t n_langs;
    ken_module_node *modules; // what the project is made of, most central first; then the rest
    size_t n_modules, n_modules_total;
    ken_module_edge *edges; // of what the project is made of, heaviest first
    size_t n_edges;
    ken_key_file *files;
    size_t n_files;
    ken_flow *flows;
    size_t n_flows;
    size_t n_cycles;
    ken_graph_node *entries; // main functions, and files called like one that none imports
    size_t n_entries;
    ken_route *routes;
    size_t n_routes, n_routes_total;
    ken_key_symbol *types, *hotspots;
    size_t n_types, n_hotspots;
    ken_str *tests; // folders that hold tests
    size_t n_tests;
    uint32_t n_test_files;
    ken_str
        *build; // manifests and build files at the top, with what they are: "package.json (npm)"
    size_t n_build;
    ken_str *docs; // README, ARCHITECTURE and the like
    size_t n_docs;
    size_t n_unresolved_imports;
} ken_architecture;

typedef enum ken_arch_focus {
    KEN_ARCH_FULL = 0,
    KEN_ARCH_BACKEND,
    KEN_ARCH_FRONTEND,
} ken_arch_focus;

// `folder`: only what lies below it; empty = all.
ken_status ken_get_architecture(ken_snapshot *s, ken_arch_focus focus, ken_str folder,
                                const ken_cancel *cancel, ken_arena *arena, ken_architecture *out,
                                ken_err *err) KEN_MUST_USE;

// ---- lists -------------------------------------------------------------------------------------
enum {
    KEN_TESTS_FOR_STEPS = 5
};

typedef struct ken_tests_for_opts {
    ken_str what; // a symbol, or the path of a file
    size_t limit, offset;
} ken_tests_for_opts;

// Tests that reach it in up to five steps, nearest first; *out_total counts those that are not shown,
// too.
ken_status ken_tests_for(ken_snapshot *s, const ken_tests_for_opts *o, const ken_cancel *cancel,
                         ken_arena *arena, ken_dependent **out, size_t *out_n, size_t *out_total,
                         ken_err *err) KEN_MUST_USE;

// Why a definition that nothing was found to use is or is not dead; the first is listed by default.
// name, word, why
#define KEN_DEAD_CLASS_TABLE(X)                                                                 \
    X(UNUSED, "unused", "no place in the tree uses it")                                         \
    X(NAMED, "named", "places that say its name could not be resolved")                         \
    X(TWIN, "twin",                                                                             \
      "what has the same name in its place is used: another side of an #if, another "           \
      "platform")                                                                               \
    X(TEXT, "text",                                                                             \
      "its name stands in a string, a macro, markup, a setting or the function around it")      \
    X(REGISTERED, "registered", "a decorator or an attribute stands before it")                 \
    X(LISTED, "listed", "its module goes through its own names")                                \
    X(IMPLEMENTATION, "implementation", "it implements or overrides what its type is built on") \
    X(EXPORTED, "exported", "code outside of the tree may use it")

typedef enum ken_dead_class {
#define X(name, word, why) KEN_DEAD_##name,
    KEN_DEAD_CLASS_TABLE(X)
#undef X
    KEN_DEAD_CLASS_COUNT
} ken_dead_class;

const char *ken_dead_class_word(ken_dead_class c);
const char *ken_dead_class_text(ken_dead_class c);

typedef struct ken_dead {
    ken_graph_node node;
    ken_dead_class class;
    uint32_t n_unresolved; // places that use its name and could not be resolved
    ken_str why;
} ken_dead;

typedef struct ken_dead_opts {
    ken_str folder; // only what lies below it; empty = all
    uint32_t limit, offset;
    bool wants_all; // all classes, not only UNUSED
} ken_dead_opts;

typedef struct ken_dead_result {
    ken_dead *items; // by class, then by place
    size_t n, n_total;
    size_t n_by_class[KEN_DEAD_CLASS_COUNT]; // in all, shown or not
} ken_dead_result;

// Callables and types outside of tests that nothing in the tree was found to use. An answer in part
// would say what does not hold: when a limit is met, it is an error.
ken_status ken_find_dead(ken_snapshot *s, const ken_dead_opts *o, const ken_cancel *cancel,
                         ken_arena *arena, ken_dead_result *out, ken_err *err) KEN_MUST_USE;
// Complex code that changes often, all of it: complexity × commits.
ken_status ken_find_hotspots(ken_snapshot *s, ken_str folder, const ken_cancel *cancel,
                             ken_arena *arena, ken_key_symbol **out, size_t *out_n, ken_err *err)
    KEN_MUST_USE;
// All routes and events, by file; `filter`: a part of the path or method, or empty.
ken_status ken_find_routes(ken_snapshot *s, ken_str filter, const ken_cancel *cancel,
                           ken_arena *arena, ken_route **out, size_t *out_n, ken_err *err)
    KEN_MUST_USE;

#endif
