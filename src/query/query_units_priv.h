// SPDX-License-Identifier: MIT
// query_units_priv.h -- facts and references of files in memory, for the graph: one allocation a file, with
// no more in it than resolution needs. Names are interned for all files.
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
    char rest[]; // the arrays of both
} query_unit;

typedef struct query_units {
    ken_snapshot *snapshot; // borrowed
    ken_intern names;
    query_unit **held;    // by file, NULL = not loaded
    ken_fs_stamp *stamps; // by file, when it was first loaded; all zeros = never
    ken_str *packages;    // by file; ptr NULL = not known
    size_t n_bytes;       // of the units in `held`
    uint64_t n_found;     // look-ups that were not counted yet
    ken_arena scratch;
} query_units;

void ken_query__units_init(query_units *u, ken_snapshot *s);
void ken_query__units_release(query_units *u);
size_t ken_query__units_bytes(const query_units *u); // memory in use

// Loaded from the store, or extracted from the disk when the file has changed; NULL when it has no facts.
const query_unit *ken_query__units_get(query_units *u, uint32_t file);
// These will be asked for next, in this order.
void ken_query__units_expect(const query_units *u, const uint32_t *files, size_t n);
// What a file says, without making a unit of it: for passes over the whole tree. In `arena`, or of the unit
// that there is. False when it has no facts.
bool ken_query__units_peek(query_units *u, uint32_t file, ken_arena *arena, ken_facts *out_facts,
                           ken_refs *out);
// The package that a file declares; kept when the unit is evicted.
ken_str ken_query__units_package(query_units *u, uint32_t file);
// Evicts a unit, unless its file had changed: that version could not be loaded again.
void ken_query__units_drop(query_units *u, uint32_t file);
// True when the file on disk is not the one that was loaded.
bool ken_query__units_is_stale(const query_units *u, uint32_t file);

#endif
