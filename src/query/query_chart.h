// SPDX-License-Identifier: MIT
// query_chart.h -- a part of the graph to be drawn: nodes, and edges between them.
//
// Of symbols: what one leads to and what leads to it, level by level, as traces find it. Of files: who imports whom,
// around a file or below a folder. Of modules: all of them, with layers and cycles, as the architecture has them.
// A node is there once, however many ways lead to it.
//
// Ownership: results live in the arena passed. Threads: as the snapshot's. Errors: KEN_ENOTFOUND names near symbols or
// paths, KEN_EINVAL a bad request.
#ifndef KEN_QUERY_QUERY_CHART_H
#define KEN_QUERY_QUERY_CHART_H

#include "query/query_tree.h"

enum {
    KEN_CHART_NODES_MAX = 5000,
    KEN_CHART_EDGES_MAX = 20000
};

typedef enum ken_chart_level {
    KEN_CHART_SYMBOL = 0,
    KEN_CHART_FILE,
    KEN_CHART_MODULE,
} ken_chart_level;

typedef struct ken_chart_opts {
    ken_chart_level level;
    ken_str symbol, file_hint; // of symbols: where it begins
    ken_str path;              // of files: where it begins; empty = all below `folder`
    ken_str folder;            // of files and modules; empty = the root
    ken_str module; // of files: those of this one alone; empty = not asked for, "." = the root's
    bool wants_callees,
        wants_callers;             // what it leads to (imports), what leads to it (is imported by)
    bool wants_external;           // of symbols: calls that leave the tree, as nodes
    uint32_t max_depth, max_nodes; // 1 to 10; 1 to KEN_CHART_NODES_MAX
    ken_tests tests;               // include or exclude
} ken_chart_opts;

typedef struct ken_chart_node {
    ken_str id; // of its level: a module's or file's path, "path#Parser.parse", "external:printf"
    ken_str name;
    const char *kind; // static: of a symbol its kind, else file, module, external
    ken_str path;     // of the file, of a module its folder; empty = external
    ken_str language;
    ken_str module;            // of a file the module that it is in, of a symbol its folder
    uint32_t line;             // of a symbol, 0-based
    uint32_t depth;            // steps from where it begins
    uint32_t n_unresolved;     // calls or imports that lead nowhere that is known
    uint32_t cycle;            // number of the cycle it is in among these nodes, 0 = none
    uint32_t layer;            // of a module
    uint32_t n_files, n_lines; // of a module; of a file its lines
    uint32_t n_aside;          // of a module: files that n_files leaves out
    ken_aside aside;           // of a module
    double centrality;         // of a module
    bool is_test, is_cut;      // is_cut: not all that it leads to is here
} ken_chart_node;

typedef struct ken_chart_edge {
    uint32_t from, to;    // indexes into nodes
    ken_ref_role role;    // of the first place
    ken_edge_class class; // of files and modules IMPORTED
    uint32_t n_sites;     // places; of modules files that import
    ken_str evidence;
} ken_chart_edge;

typedef struct ken_chart {
    ken_chart_node *nodes; // where it begins first, by depth
    ken_chart_edge *edges;
    size_t n_nodes, n_edges;
    size_t n_nodes_total, n_edges_total; // found, shown or not
    bool is_at_least;                    // there may be more behind what is not shown
    size_t n_unresolved;                 // over all nodes
    size_t n_cycles;
    ken_graph_node *others; // of a symbol: further definitions of its name
    size_t n_others;
    ken_graph_chosen chosen;
    ken_str missed_scope; // of a symbol: a qualifier or a file that does not fit
} ken_chart;

ken_status ken_make_chart(ken_snapshot *s, const ken_chart_opts *o, const ken_cancel *cancel,
                          ken_arena *arena, ken_chart *out, ken_err *err) KEN_MUST_USE;

#endif
