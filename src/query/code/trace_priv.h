// SPDX-License-Identifier: MIT
// trace_priv.h -- what one definition leads to, or what leads to it: one step of traces and of charts.
#ifndef KEN_QUERY_CODE_TRACE_PRIV_H
#define KEN_QUERY_CODE_TRACE_PRIV_H

#include "base/map.h"
#include "query/query_graph_priv.h"

// All edges from one definition to another.
typedef struct query_link {
    ken_graph_def to;
    ken_str name; // of what is outside
    ken_edge_class class;
    ken_ref_role role;
    uint32_t file, ref; // of the first site; ref UINT32_MAX = no name leads there
    uint32_t n_sites, order;
    double weight; // what is cut last
    const char *evidence;
} query_link;

typedef KEN_VEC(query_link) query_links;

typedef struct query_tracer {
    ken_snapshot *s;
    ken_graph *g;
    const ken_trace_opts *o;
    const ken_cancel *cancel;
    ken_arena *arena;
    KEN_VEC(ken_trace_step) steps;
    ken_map seen; // definition -> step
    query_edges edges, unresolved;
    bool wants_bases; // of types: what they are built on, and what is built on them
    size_t n_usages;  // places that the last question about callers found
    query_links links;
    ken_map link_to, link_out; // definition, or name of what is outside -> index into links
    uint32_t lines_of; // file whose lines are at hand: calls of one function are in one file
    uint32_t *starts, n_lines;
} query_tracer;

// Fills t->links anew.
ken_status ken_query__find_links(query_tracer *t, ken_graph_def def, uint32_t *out_unresolved,
                                 ken_err *err) KEN_MUST_USE;
void ken_query__clear_links(query_tracer *t);
// The name by which a reference calls what it means.
ken_str ken_query__name_at(query_tracer *t, uint32_t file, uint32_t ref);
// Of its first place, 0-based, on disk now.
uint32_t ken_query__line_of_site(query_tracer *t, const query_link *l);

#endif
