// SPDX-License-Identifier: MIT
// blocks.h -- how a reader of an immutable segment gets at its bytes: block by block.
#ifndef KEN_MODEL_BLOCKS_H
#define KEN_MODEL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

// Reads block `block` of `segment` into `into`; all blocks but the last are full.
typedef ken_status ken_block_read_fn(void *ctx, int64_t segment, uint32_t block, void *into,
                                     size_t *out_n, ken_err *err);

typedef struct ken_block_source {
    ken_block_read_fn *read;
    void *ctx;
    int64_t segment;
    uint64_t n_bytes;
    uint32_t block_bytes;
} ken_block_source;

#endif
