// SPDX-License-Identifier: MIT
// store_edits.h -- which rows of files the newest generations changed, for who holds the rows of an earlier one.
//
// One value of the index, bounded: a generation that only changed rows of files which stay where they are adds them,
// any other empties it. So it leads from one generation to a later one, or says nothing.
#ifndef KEN_STORE_STORE_EDITS_H
#define KEN_STORE_STORE_EDITS_H

#include "store/store.h"

#define KEN_STORE_EDITS \
    "index.edits" // the value that has them: it is of one place, as it names rows by their ids

// In the transaction of generation `to`, which is made of `from`: the rows that it changed. Their paths are not kept.
// NULL: files came, went or moved, or not all of them are known.
ken_status ken_store_put_edits(ken_store *s, const ken_generation *from, uint64_t to,
                               const ken_file_row *rows, size_t n, ken_err *err) KEN_MUST_USE;
// The rows, without their paths, that have changed from generation `from` to `to`, in order: the last of an id counts.
// KEN_ENOTFOUND, without a message, when that is not known.
ken_status ken_store_load_edits(ken_store *s, const ken_generation *from, uint64_t to,
                                ken_arena *arena, ken_file_row **out, size_t *out_n, ken_err *err)
    KEN_MUST_USE;

#endif
