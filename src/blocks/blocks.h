// SPDX-License-Identifier: MIT
// blocks.h -- how an immutable segment gets at its bytes: read block by block, written block after
// block, so that neither needs all of it in memory.
//
// Ownership: sources and sinks are values, what they point to is the caller's. Threads: those of
// whatever is behind them. Errors: those of whatever is behind them.
#ifndef KEN_BLOCKS_BLOCKS_H
#define KEN_BLOCKS_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
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

// Takes the next block; all but the last have block_bytes.
typedef ken_status ken_block_write_fn(void *ctx, const void *bytes, size_t n, ken_err *err);

typedef struct ken_block_sink {
    ken_block_write_fn *write;
    void *ctx;
    uint32_t block_bytes;
} ken_block_sink;

// Appends to `b`, which must outlive the sink; KEN_ELIMIT when it is full.
ken_block_sink ken_block_sink_of(ken_buf *b, uint32_t block_bytes);

// Cuts what is put into it into blocks. The first failure is kept and returned by the end.
typedef struct ken_block_cutter {
    ken_block_sink sink;
    ken_buf rest; // less than a block
    ken_status st;
    ken_err err;
    uint64_t n_bytes;
} ken_block_cutter;

void ken_block_cutter_init(ken_block_cutter *c, const ken_block_sink *sink);
void ken_block_cutter_put(ken_block_cutter *c, const void *bytes, size_t n);
// Writes what is left, and frees.
ken_status ken_block_cutter_end(ken_block_cutter *c, ken_err *err) KEN_MUST_USE;

#endif
