// SPDX-License-Identifier: MIT
// query_base_priv.h -- the tree of a commit as an overlay over the index, and the changes of its
// definitions.
//
// A base is a snapshot of its own: files that did not change are those of the index, the others have
// the facts of the commit. So the users of a removed definition are found like those of an existing
// one. A base lives for one question.
//
// Ownership: a base borrows the snapshot it was made of, and lives in the arena passed; ken_query__base_close.
// Threads: the snapshot's.
#ifndef KEN_QUERY_QUERY_BASE_PRIV_H
#define KEN_QUERY_QUERY_BASE_PRIV_H

#include "base/map.h"
#include "mention/mention.h"
#include "query/query_graph_priv.h"

// The text and facts of a file in a commit or on the disk; all empty when it does not exist there.
typedef struct query_version {
    ken_str text; // secrets masked
    ken_facts facts;
    ken_refs refs;
} query_version;

// A file that is not as it was.
typedef struct query_base_file {
    ken_str path, old_path; // now and in the commit; the same but for renamed ones
    ken_change_kind kind;
    bool is_known;   // false: a side could not be read, so nothing is known of its definitions
    const char *why; // static: why not
    query_version old, now;
    const query_version *current; // what the index has: `now`, but for a range that ends elsewhere
    int64_t file;                 // number in the snapshot, -1 = it is not in the index
    int64_t base_file;            // number in the base, -1 = it was not there
    ken_mentions says;            // names in `old`
} query_base_file;

// Files of a snapshot whose facts differ from those in the index.
typedef struct query_overlay {
    const query_base_file **of; // by file of the snapshot; NULL = as indexed
    ken_map named;              // name -> place in `lists`
    KEN_VEC(ken_vec_u32) lists; // numbers in `defs`
    KEN_VEC(ken_graph_def) defs;
    const query_base_file *files;
    size_t n_files;
} query_overlay;

typedef struct query_base {
    query_base_file *files; // by path
    size_t n_files;
    size_t n_unknown;       // files that could not be compared
    bool has_work_tree;     // the newer side is the work tree
    ken_snapshot *snapshot; // the base; NULL until ken_query__base_open
    query_overlay overlay;
    uint32_t *to_base,
        *to_now; // numbers of files of the snapshot and of the base, UINT32_MAX = none
} query_base;

// Reads both sides of what changed. Files that hold no code are left out.
ken_status ken_query__base_load(ken_snapshot *s, const ken_changes *changes,
                                const ken_cancel *cancel, ken_arena *arena, query_base *out,
                                ken_err *err) KEN_MUST_USE;
// The graph of the tree as it was.
ken_status ken_query__base_open(query_base *b, ken_snapshot *s, ken_arena *arena, ken_graph **out,
                                ken_err *err) KEN_MUST_USE;
void ken_query__base_close(query_base *b, ken_snapshot *s);

// The overlay of a file of the base; NULL = it is as indexed.
const query_base_file *ken_query__overlay_of(const ken_snapshot *s, uint32_t file);

// ---- changes of definitions: code/delta.c -------------------------------------------------------
typedef struct query_delta {
    ken_delta_kind change;
    const query_base_file *file; // where it was; of added ones where it is
    const query_base_file *to;   // where it is now, of moved ones; else `file`
    int64_t old_def, new_def;    // in `old` and `now`, -1 = none
    ken_str name;                // as it was called; of added ones as it is
    bool is_part;                // of a type that is gone or new as a whole
    bool is_passed_on;           // no definition: a re-exported import
} query_delta;

typedef KEN_VEC(query_delta) query_deltas;

// Every definition that others can name and that is not as it was, by file.
ken_status ken_query__find_deltas(const query_base *b, const ken_cancel *cancel, query_deltas *out,
                                  ken_err *err) KEN_MUST_USE;
// For each definition of `old` the one of `now` that it became, -1 = none, and whether it reads the
// same, white space and its name aside; in the arena.
void ken_query__match(const query_version *old, const query_version *now, ken_arena *arena,
                      int64_t **out, bool **out_reads_same);

#endif
