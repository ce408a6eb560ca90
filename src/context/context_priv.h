// SPDX-License-Identifier: MIT
// context_priv.h -- what was sent before.
#ifndef KEN_CONTEXT_CONTEXT_PRIV_H
#define KEN_CONTEXT_CONTEXT_PRIV_H

#include "context/context_pack.h"

enum {
    CONTEXT_SEEN_MAX = 400 // marks in a handle; the oldest give way
};

// Marks of pieces, oldest first.
typedef struct context_seen {
    uint32_t marks[2 * CONTEXT_SEEN_MAX];
    size_t n;
} context_seen;

// Of a piece's place and lines.
uint32_t ken_context__seen_mark(ken_str path, ken_str text);
ken_status ken_context__seen_parse(ken_str handle, context_seen *out, ken_err *err) KEN_MUST_USE;
bool ken_context__seen_has(const context_seen *seen, uint32_t mark);
void ken_context__seen_add(context_seen *seen, uint32_t mark);
ken_str ken_context__seen_format(const context_seen *seen, ken_arena *arena);

#endif
