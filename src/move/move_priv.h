// SPDX-License-Identifier: MIT
// move_priv.h -- sums of rows: each row is written into a buffer, field by field, and the buffer is hashed behind the
// sum so far.
#ifndef KEN_MOVE_MOVE_PRIV_H
#define KEN_MOVE_MOVE_PRIV_H

#include "base/buf.h"
#include "base/id.h"
#include "move/move.h"

typedef struct move_row {
    ken_move_sum *sum;
    ken_buf bytes;
} move_row;

void ken_move__begin(move_row *r, ken_move_sum *sum);
void ken_move__number(move_row *r, uint64_t v);
void ken_move__bytes(move_row *r, ken_str s); // as they are
// As a database keeps a text that must be UTF-8 without NUL. Without a pointer it is empty.
void ken_move__text(move_row *r, ken_str s);
void ken_move__uuid(move_row *r, ken_uuid id);
void ken_move__end(move_row *r); // adds the row

// Now and then: tells how far it is. KEN_ECANCELLED.
ken_status ken_move__tell(const ken_move_job *job, uint64_t done, uint64_t total, ken_err *err)
    KEN_MUST_USE;

#endif
