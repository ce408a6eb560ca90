// SPDX-License-Identifier: MIT
// mention_priv.h -- the layout that the two halves share.
#ifndef KEN_MENTION_MENTION_PRIV_H
#define KEN_MENTION_MENTION_PRIV_H

#include "base/bytes.h"
#include "mention/mention.h"

enum {
    MENTION_MAGIC = 0x4e4d4e4b, // "KNMN"
    MENTION_FORMAT = 1,
    MENTION_HEADER_BYTES = 32,
    MENTION_ENTRY_BYTES = 8,
    MENTION_STRIDE = 32, // names to an entry of the directory
    MENTION_AT_MAGIC = 0,
    MENTION_AT_FORMAT = 4,
    MENTION_AT_CONTENTS = 8,
    MENTION_AT_NAMES = 12
};

#endif
