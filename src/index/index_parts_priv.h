// SPDX-License-Identifier: MIT
// index_parts_priv.h -- segments that are read, and written as one: by who merges them, and by who copies
// an index.
#ifndef KEN_INDEX_INDEX_PARTS_PRIV_H
#define KEN_INDEX_INDEX_PARTS_PRIV_H

#include "index/index_priv.h"

enum {
    INDEX_PARTS_MAX = 32, // at once: each takes memory for some blocks
};

// One segment that is read. It owns its arrays.
typedef struct index_part {
    ken_segment_info info;
    ken_lex_segment *words;
    ken_mention_segment *mentions;
    ken_vector_segment *vectors;
    uint32_t n;    // contents
    bool *is_live; // by content; NULL = all are
    uint32_t n_dead;
    int64_t *ids; // by content: its id in what is written; NULL = as it is
} index_part;

// When `alive` has a list, marks which of its contents are alive.
ken_status ken_index__open_part(ken_store *store, ken_segment_kind kind,
                                const ken_segment_info *info, const index_alive *alive,
                                index_part *out, ken_err *err) KEN_MUST_USE;
void ken_index__close_part(index_part *p);
int64_t ken_index__part_id(const index_part *p, uint32_t i); // of a content, as it is
// Writes the parts, all of one kind and model, as one segment; none when nothing in them is alive.
ken_status ken_index__write_parts(ken_store *store, ken_segment_kind kind, const index_part *parts,
                                  size_t n, ken_err *err) KEN_MUST_USE;
// Brings those of the first one's model to the front; returns how many there are.
size_t ken_index__group_parts(index_part *parts, size_t n);

#endif
