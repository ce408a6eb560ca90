// SPDX-License-Identifier: MIT
// lang_trail.h -- the nodes of trees that have a rule of either table, kept so that they can be
// gone over more than once.
//
// What is said with names can be told only when all definitions of a file are known. Going over a
// tree costs more than going over its stops: these lie one behind the other, and there is one for
// ten nodes.
//
// Ownership: a trail borrows its trees. Threads: one at a time, but readers of it may be several.
#ifndef KEN_LANG_LANG_TRAIL_H
#define KEN_LANG_LANG_TRAIL_H

#include "base/vec.h"
#include "lang/lang.h"
#include "lang/lang_walk.h"

typedef struct ken_trail {
    KEN_VEC(ken_walk_stop) stops;
} ken_trail;

// What one tree added.
typedef struct ken_trail_part {
    const ken_trail *trail;
    size_t first, end;
} ken_trail_part;

void ken_trail_clear(ken_trail *t); // gives memory back that few files need
void ken_trail_release(ken_trail *t);
// The stops of both of the language's tables.
ken_trail_part ken_trail_add(ken_trail *t, ken_lang_id lang, const TSTree *tree);

// One table's way along a part, as a ken_walk would take it through the tree.
typedef struct ken_trail_reader {
    const ken_walk_stop *at, *end;
    const int16_t *rules; // of every node type: -1, or anything else to stop there
    uint32_t depth;       // of the last stop
    uint32_t left;        // every node at this depth or deeper that was a stop before is over
} ken_trail_reader;

ken_trail_reader ken_trail_read(ken_trail_part part, const int16_t *rules);
// The next stop, past all below the last one unless `wants_below`; NULL at the end. Errors are
// stops of every table. What the stop itself says is left is that of both tables: the reader's
// counts.
const ken_walk_stop *ken_trail_next(ken_trail_reader *r, bool wants_below);

#endif
