// SPDX-License-Identifier: MIT
// sections_priv.h -- what the two halves share.
#ifndef KEN_BLOCKS_SECTIONS_PRIV_H
#define KEN_BLOCKS_SECTIONS_PRIV_H

#include "blocks/sections.h"

enum {
    SECTIONS_MAGIC = 0x0fffffff,
    SECTIONS_END_NUMBERS = 5, // of four bytes each, at the end
    SECTIONS_END_BYTES = 4 * SECTIONS_END_NUMBERS,
    SECTIONS_MAX_UNIT = 1 << 24,         // bytes
    SECTIONS_MAX_UNITS = (1 << 24) - 64, // what a store can number, less what follows them
};

#endif
