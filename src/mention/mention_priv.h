// SPDX-License-Identifier: MIT
// mention_priv.h -- the layout that the halves share.
#ifndef KEN_MENTION_MENTION_PRIV_H
#define KEN_MENTION_MENTION_PRIV_H

#include "base/bytes.h"
#include "blocks/sections.h"
#include "mention/mention.h"

enum {
    MENTION_MAGIC = 0x4e4d4e4b, // "KNMN"
    MENTION_FORMAT = 2,
    MENTION_HEAD_BYTES = 16,
    MENTION_FLAT_HEADER_BYTES = 32, // of format 1
    MENTION_ID_BYTES = 8,
    MENTION_ENTRY_BYTES = 8,
    MENTION_STRIDE = 32, // names to an entry of the directory
    MENTION_AT_MAGIC = 0,
    MENTION_AT_FORMAT = 4,
    MENTION_AT_CONTENTS = 8,
    MENTION_AT_NAMES = 12
};

// The sections.
enum {
    MENTION_CONTENTS,
    MENTION_DIRECTORY,
    MENTION_LISTS,
    MENTION_SECTIONS
};

// Takes ids, then the lists in the order of their hashes.
typedef struct mention_writer {
    ken_sections_writer out;
    uint32_t n_contents, n_names, last_hash;
} mention_writer;

void ken_mention__writer_init(mention_writer *w, const ken_block_sink *sink);
void ken_mention__put_id(mention_writer *w, int64_t id);
// `ordinals`: as stored, n of them.
void ken_mention__put_list(mention_writer *w, uint32_t hash, uint32_t n, ken_str ordinals);
ken_status ken_mention__writer_end(mention_writer *w, ken_err *err);

// Lists in the order of their hashes, from end to end; what was passed is forgotten.
typedef struct mention_walk {
    ken_mention_segment *s;
    uint32_t name;           // the next one
    const uint8_t *at, *end; // of the stride at hand
    uint32_t hash;
    ken_mentions ordinals; // of the contents with it
} mention_walk;

// False at the end and on failure (*st).
bool ken_mention__next(mention_walk *w, ken_status *st, ken_err *err);

#endif
