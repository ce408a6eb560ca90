// SPDX-License-Identifier: MIT
// query_said_priv.h -- what a name means wherever it is said: each reference by that name,
// resolved. Worked out when a question first needs the name, and kept in a few bytes for each
// reference, when the files themselves are long forgotten.
//
// Ownership: lists live until query_said_age. Threads: the snapshot's.
#ifndef KEN_QUERY_QUERY_SAID_PRIV_H
#define KEN_QUERY_QUERY_SAID_PRIV_H

#include "base/map.h"
#include "query/query_graph_priv.h"

// A reference by the name, or by another that its file's imports give to it.
typedef struct query_said_ref {
    const char *evidence;
    uint32_t file, ref;
    uint32_t first_target;
    int32_t within, holder; // as in query_edge
    uint8_t n_targets;
    uint8_t role, class; // ken_ref_role, ken_edge_class
    bool is_stored;
} query_said_ref;

// A file that passes on what has the name under another: `export { a as b }`, `exports.b = a`. A
// module that is the thing as a whole passes it on as "default" or "export=".
typedef struct query_renamed {
    uint32_t file, number; // number: of the bind; behind all of them, of the definition
    ken_str local;
} query_renamed;

// The reference as an edge that leads nowhere yet.
query_edge query_said_edge(const query_said_ref *r);
// Whether the file itself stands for it: importers call it as they like.
bool query_is_whole(ken_str local);

typedef struct query_said {
    query_said_ref *refs; // by file and number
    ken_graph_def *targets;
    query_renamed *renamed; // by file and number
    uint32_t n_refs, n_targets, n_renamed;
    size_t n_bytes;
} query_said;

typedef enum query_said_what {
    QUERY_SAID_NAME = 0, // references by the name
    QUERY_SAID_WHOLE,    // references to the default of the file of that path, or to the file as
                         // a whole, by whatever name its importers give it
    QUERY_SAID_WHATS
} query_said_what;

// The lists of the questions of late: what was asked for since the older half was begun, and
// before.
struct query_said_kept {
    ken_map young[QUERY_SAID_WHATS], old[QUERY_SAID_WHATS]; // name -> query_said
    size_t young_bytes, old_bytes;
};
typedef struct query_said_kept query_said_kept;

void query_said_init(query_said_kept *k);
void query_said_release(query_said_kept *k);
size_t query_said_bytes(const query_said_kept *k);
// Lets go of lists that were not needed for long when all are larger than `max_bytes`.
void query_said_age(query_said_kept *k, size_t max_bytes);

// The lists of the names, in their order; names are the graph's own.
ken_status query_said_get(ken_snapshot *s, ken_graph *g, query_said_what what, const ken_str *names,
                          uint32_t n_names, const ken_cancel *cancel, ken_arena *arena,
                          const query_said **out, ken_err *err) KEN_MUST_USE;

#endif
