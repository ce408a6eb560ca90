// SPDX-License-Identifier: MIT
// query_units_priv.h -- what files say, held in memory for the graph: of each file one piece, with
// no more in it than resolving needs; its names are kept once for all files.
//
// Ownership: a unit lives until it is dropped, its names as long as the table. Threads: the
// snapshot's.
#ifndef KEN_QUERY_QUERY_UNITS_PRIV_H
#define KEN_QUERY_QUERY_UNITS_PRIV_H

#include "base/intern.h"
#include "query/query_priv.h"

typedef struct query_unit {
    ken_facts facts; // without chunks and imports
    ken_refs refs;
    size_t n_bytes;
    char rest[]; // what they point into
} query_unit;

typedef struct query_units {
    ken_snapshot *snapshot; // borrowed
    ken_intern names;
    query_unit **held;    // by file, NULL = not loaded
    ken_fs_stamp *stamps; // by file, of what was loaded first; all zeros = nothing
    ken_str *packages;    // by file; ptr NULL = not known
    size_t n_bytes;       // of those that are held
    ken_arena scratch;
} query_units;

void query_units_init(query_units *u, ken_snapshot *s);
void query_units_release(query_units *u);
size_t query_units_bytes(const query_units *u); // memory in use

// From the store, or learnt from the disk when the file has changed; NULL when it says nothing.
const query_unit *query_units_get(query_units *u, uint32_t file);
// The package that a file declares, which is remembered when the unit is not.
ken_str query_units_package(query_units *u, uint32_t file);
// Not of a file that had changed: what it said then cannot be had again.
void query_units_drop(query_units *u, uint32_t file);
// True when what was loaded of the file is not what is on disk any more.
bool query_units_is_stale(const query_units *u, uint32_t file);

#endif
