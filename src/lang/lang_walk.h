// SPDX-License-Identifier: MIT
// lang_walk.h -- the nodes of a tree that have a rule, in order, past all others.
//
// Nine of ten nodes of a tree have no rule. tree-sitter's cursor stops at each and keeps what can
// lead back; this walk only goes forward, reads the tree where it lies, and stops at nodes with a
// rule and at errors. It is compiled into the runtime (cmake/treesitter_runtime.c), for it reads
// what the runtime keeps to itself.
//
// Ownership: a walk borrows its tree and rules. Threads: one at a time.
#ifndef KEN_LANG_LANG_WALK_H
#define KEN_LANG_LANG_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include <tree_sitter/api.h>

typedef struct ken_walk ken_walk;

typedef struct ken_walk_stop {
    TSNode node;
    TSSymbol type;   // of the node, UINT16_MAX = error
    TSSymbol parent; // type of the node above; of no meaning at depth 0
    uint32_t depth;  // 0 = root
    uint32_t left;   // every node at this depth or deeper that was a stop before is over
} ken_walk_stop;

// `first`, and `other` unless it is NULL: for every node type of the grammar -1, or anything else
// to stop there.
ken_walk *ken_walk_new(const TSTree *tree, const int16_t *first, const int16_t *other);
void ken_walk_free(ken_walk *w);
// Goes on to the next stop, past all below the present one unless `wants_below`. False at the end.
bool ken_walk_next(ken_walk *w, bool wants_below, ken_walk_stop *out);

#endif
