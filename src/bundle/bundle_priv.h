// SPDX-License-Identifier: MIT
// bundle_priv.h -- the form of a bundle.
//
//   "ken bundle 1 00000421 0123456789abcdef\n"   format, bytes of the header, XXH3-64 of it in hex
//   the header, a JSON object of one line, and "\n"
//   blocks: a head of 16 bytes (bytes of the payload u32, bytes of the frame u32, XXH3-64 of the frame u64;
//   little-endian) and a zstd frame. All but the last are of KEN_BUNDLE_BLOCK bytes of the payload; nothing
//   follows the last.
#ifndef KEN_BUNDLE_BUNDLE_PRIV_H
#define KEN_BUNDLE_BUNDLE_PRIV_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "bundle/bundle.h"

enum {
    BUNDLE_LINE_MAX = 64, // bytes of the first line
    BUNDLE_HEAD = 16,     // of a block's head
};

#define BUNDLE_MAGIC "ken bundle "

// The first line and the header.
void ken_bundle__put_header(const ken_bundle_info *info, ken_buf *out);
// What the first line, without its end, states. KEN_EVERSION, KEN_ECORRUPT.
typedef struct bundle_line {
    uint64_t len; // of the header
    ken_str sum;  // in hex; borrowed from the line
} bundle_line;

ken_status ken_bundle__read_line(ken_str line, bundle_line *out, ken_err *err) KEN_MUST_USE;
// Texts are put into the arena.
ken_status ken_bundle__read_header(ken_str header, ken_arena *arena, ken_bundle_info *out,
                                   ken_err *err) KEN_MUST_USE;

static inline uint64_t ken_bundle__n_blocks(const ken_bundle_info *info)
{
    return (info->n_bytes + KEN_BUNDLE_BLOCK - 1) / KEN_BUNDLE_BLOCK;
}

#endif
