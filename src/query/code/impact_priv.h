// SPDX-License-Identifier: MIT
// impact_priv.h -- what the files of an impact share: what changed, what it reaches, how
// risky that is.
#ifndef KEN_QUERY_CODE_IMPACT_PRIV_H
#define KEN_QUERY_CODE_IMPACT_PRIV_H

#include "base/map.h"
#include "query/query_graph_priv.h"

enum {
    IMPACT_CHANGED_MAX = 4096, // definitions of a change that are followed
    IMPACT_LEVEL_MAX = 8192,   // those of one level
    IMPACT_REACHED_MAX = 65536,
    IMPACT_DEPTH_MAX = 5,
    IMPACT_RISK_STEPS = 3, // that the risk looks at
};

// A definition that was reached; def UINT32_MAX = the top of its file.
typedef struct impact_reached {
    ken_graph_def id;
    uint32_t distance, n_sites;
    ken_edge_class class;
    bool is_test, is_broken;
    bool is_helper;        // of a test file, and tests use it
    ken_delta_kind change; // of distance 1
    uint32_t ref;          // first reference, UINT32_MAX = none at hand
    ken_graph_def via;     // what it uses, the first that was met; file UINT32_MAX = not known
    ken_edge_class via_class;
} impact_reached;

// What depends on a change within IMPACT_RISK_STEPS, however far the question goes.
typedef struct impact_extent {
    size_t n_direct, n_all; // tests apart
    size_t n_tests, n_files, n_routes;
} impact_extent;

// A definition that changed.
typedef struct impact_changed {
    ken_graph_def id;      // UINT32_MAX: it is gone
    ken_changed_def shown; // its node is worked out when it is shown, but for what is gone
} impact_changed;

typedef struct impact {
    ken_snapshot *s;
    ken_graph *g;
    const ken_impact_opts *o;
    const ken_cancel *cancel;
    ken_arena *arena;
    uint32_t depth; // that was asked for
    uint32_t reach; // how far it goes: the risk may ask for more
    impact_extent extent;
    KEN_VEC(impact_changed) changed;
    KEN_VEC(impact_reached) reached;
    KEN_VEC(ken_str) files; // changed ones
    ken_map seen;           // definition -> 0 for changed ones, else 1 + place in `reached`
    ken_map changed_at;     // definition -> place in `changed`
    query_edges edges, unresolved;
    KEN_VEC(impact_reached) maybe;
    ken_map maybe_seen; // definition -> 1 + place in `maybe`
    ken_impact *out;
} impact;

// Adds a definition once; what is beyond the bound is counted. Returns its entry, NULL when it was
// there or is not held.
impact_changed *ken_query__impact_add_changed(impact *m, ken_graph_def d, ken_delta_kind change);
// One that is gone.
impact_changed *ken_query__impact_add_gone(impact *m, ken_delta_kind change, ken_str name);
void ken_query__impact_add_file(impact *m, ken_str path);
// Definitions of a file that overlap lines [first, last]: the innermost, and what holds them.
void ken_query__impact_add_lines(impact *m, uint32_t file, uint32_t first, uint32_t last);
// Adds a direct user of a changed definition. Returns its entry, NULL when it changed itself or there
// are too many.
impact_reached *ken_query__impact_reach_user(impact *m, ken_graph_def user, ken_edge_class class);
// Whether an edge, of some by file, is a use: an import line is none where what it brings is used
// elsewhere in the file.
bool ken_query__impact_is_use(const query_edges *edges, size_t i);
// An unresolved place with a changed name.
void ken_query__impact_add_maybe(impact *m, ken_graph_def user, uint32_t ref);

// The definitions that a diff changes; what it removes is followed to its users. code/diff.c
ken_status ken_query__impact_change_diff(impact *m, ken_err *err) KEN_MUST_USE;
// Fills in risk, its word and its reasons. code/risk.c
void ken_query__impact_judge(impact *m, uint32_t n_commits);

#endif
