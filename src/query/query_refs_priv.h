// SPDX-License-Identifier: MIT
// query_refs_priv.h -- all references by a name, resolved. Computed when a question first needs the name
// and cached in some 32 bytes a reference, also after the units of the files were evicted.
//
// Ownership: lists live until ken_query__refs_age. Threads: the snapshot's.
#ifndef KEN_QUERY_QUERY_REFS_PRIV_H
#define KEN_QUERY_QUERY_REFS_PRIV_H

#include "base/map.h"
#include "query/query_graph_priv.h"

// A reference by the name, or by another that its file's imports give to it.
typedef struct query_ref {
    const char *evidence;
    uint32_t file, ref;
    uint32_t first_target;
    int32_t within, holder; // as in query_edge
    uint8_t n_targets;
    uint8_t role, class; // ken_ref_role, ken_edge_class
    bool is_stored;
} query_ref;

// A file that exports what has the name under another one: `export { a as b }`, `exports.b = a`. A
// module that is the thing as a whole exports it as "default" or "export=".
typedef struct query_renamed {
    uint32_t file, number; // of the bind; from n_binds on, of the definition
    ken_str local;
} query_renamed;

// The reference as an edge without a target.
query_edge ken_query__ref_edge(const query_ref *r);
// Whether `local` is the file as a whole, which importers name as they like.
bool ken_query__is_whole(ken_str local);

typedef struct query_refs {
    query_ref *refs; // by file and number
    ken_graph_def *targets;
    query_renamed *renamed; // by file and number
    uint32_t n_refs, n_targets, n_renamed;
    size_t n_bytes;
} query_refs;

typedef enum query_refs_kind {
    QUERY_REFS_NAME = 0, // references by the name
    QUERY_REFS_WHOLE,    // references to the file of that path as a whole or to its default, by
                         // whatever name importers give it
    QUERY_REFS_KINDS
} query_refs_kind;

// The cache of lists: the young half holds what was used since the halves were last exchanged.
struct query_refs_cache {
    ken_map young[QUERY_REFS_KINDS], old[QUERY_REFS_KINDS]; // name -> query_refs
    size_t young_bytes, old_bytes;
};
typedef struct query_refs_cache query_refs_cache;

void ken_query__refs_init(query_refs_cache *k);
void ken_query__refs_release(query_refs_cache *k);
size_t ken_query__refs_bytes(const query_refs_cache *k);
// Evicts the old half when the young one has outgrown half of `max_bytes`.
void ken_query__refs_age(query_refs_cache *k, size_t max_bytes);

// The lists of `names`, which are interned by the graph, in their order.
ken_status ken_query__refs_get(ken_snapshot *s, ken_graph *g, query_refs_kind what,
                               const ken_str *names, uint32_t n_names, const ken_cancel *cancel,
                               ken_arena *arena, const query_refs **out, ken_err *err) KEN_MUST_USE;

#endif
