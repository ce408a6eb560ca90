// SPDX-License-Identifier: MIT
// store_refs_priv.h -- the packed form of references, version 4.
//
//   form     version byte, form byte (0 = as it is, 1 = compressed alone, 2 = with what references
//            have in common: store_zip_priv.h)
//   head     numbers of implied definitions, bases, binds, literals and stored names; bytes of each
//            column but the last; then the columns
//
//   TAG      one byte per expression but the first: op, how its part a and its name are coded
//   PART     parts that no tag codes, and numbers b; expressions as their distance, none as 0
//   KNOWN    which name, where it was met before: symbol i as i * 2, own name k as k * 2 + 1; in
//            places without a tag, that + 1, and 0 for a new one
//   LENGTH   lengths of the new names, in the order of their first use
//   SILENT   names that do not occur in the text: distances between their numbers
//   MENTION  one byte per reference: which expression in which role (below)
//   SLOT     mentions that need a number
//   GAP      0 = the reference begins within the name before it, then the distance of their first
//            bytes; else 1 + the bytes between them
//   DEF      per definition a byte with a bit for each number that is not 0, then those numbers
//   MORE     implied definitions, bases, binds, literals, stored names, the package
//   TEXT     the new names
//
// Numbers are LEB128; (±) ones are zigzag-coded.
//
// Mentions. An expression in a role is a slot, numbered by first use. Most references are to one of
// the last that were used, or to the next expression that occurs in the text and was not met yet,
// as expressions are numbered by where they are first met. So the byte is
//   0 to 7   the next new expression, in that role
//   8        slot n (SLOT has it), which was not used for long
//   9        expression e in role r for the first time (SLOT: e * 8 + r)
//   10 …     one of the last slots; 10 is the last one
// Both sides keep the last slots in order of use (`ken_refs_recent`).
#ifndef KEN_STORE_STORE_REFS_PRIV_H
#define KEN_STORE_STORE_REFS_PRIV_H

#include <string.h>

#include "store/store_refs.h"
#include "store/store_zip_priv.h"

enum {
    KEN_REFS_VERSION = 4,
    KEN_REFS_PLAIN = 0,
    KEN_REFS_ALONE = 1,
    KEN_REFS_SHARED = 2,
    KEN_MENTION_OLD = 8,
    KEN_MENTION_NEW = 9,
    KEN_MENTION_RECENT = 10,
    KEN_REFS_N_RECENT = 256 - KEN_MENTION_RECENT,
    KEN_IMPLIED_DECLARES = 0x80, // beside its kind
    KEN_BASE_KINDS = KEN_BASE_OWNER + 1,
    KEN_BIND_KINDS = KEN_BIND_ALL + 1,
    KEN_BIND_FLAG_SHIFT = 2, // above its kind
    KEN_BIND_FLAGS = 16,
};

typedef enum refs_column {
    COL_TAG,
    COL_PART,
    COL_KNOWN,
    COL_LENGTH,
    COL_SILENT,
    COL_MENTION,
    COL_SLOT,
    COL_GAP,
    COL_DEF,
    COL_MORE,
    COL_TEXT,
    COL_COUNT
} refs_column;

// A tag: op, then two bits for part a, then two for the name.
enum {
    TAG_PART_SHIFT = 4,
    TAG_NAME_SHIFT = 6,
};

typedef enum refs_part { // of a tag
    PART_ZERO,
    PART_LAST,  // the expression before this one; the definition that was coded last
    PART_AGAIN, // the part of the last expression with this op
    PART_TOLD,  // as a number
} refs_part;

typedef enum refs_name { // of a tag
    NAME_NEW,
    NAME_AGAIN, // that of the last expression with one
    NAME_KNOWN,
} refs_name;

enum { // of a definition's byte
    DEF_VALUE = 1,
    DEF_COMPLEXITY = 2,
    DEF_PARAMS = 4,   // min_params
    DEF_OPTIONAL = 8, // max_params - min_params
    DEF_TYPES = 16,
    DEF_FLAGS = 32,
};

// The kinds of operands of an op.
typedef enum refs_operand {
    OPERAND_NONE = 0,
    OPERAND_EXPR,   // smaller than the whole
    OPERAND_DEF,    // a definition
    OPERAND_INSIDE, // a definition + 1, 0 = none
    OPERAND_NUMBER,
} refs_operand;

typedef struct refs_shape {
    uint8_t a, b; // refs_operand
    bool has_name;
} refs_shape;

extern const refs_shape ken_store__refs_shapes[KEN_EXPR_OP_COUNT];

static inline bool refs_has_place(ken_expr_op op)
{
    return op == KEN_EXPR_NAME || op == KEN_EXPR_MEMBER;
}

// Where the name of a reference ends, as far as gaps are concerned.
static inline uint32_t refs_name_end(uint32_t byte, ken_str name)
{
    uint64_t end =
        (uint64_t)byte + (name.len < KEN_PACKED_TEXT_MAX ? name.len : KEN_PACKED_TEXT_MAX);
    return end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
}

// The slots that were used last, the newest first.
typedef struct ken_refs_recent {
    uint32_t slots[KEN_REFS_N_RECENT];
    uint32_t n;
} ken_refs_recent;

// Brings `slot` from place `at` (n = it is not there) to the front.
static inline void ken_refs_recent_use(ken_refs_recent *r, uint32_t at, uint32_t slot)
{
    if (at == r->n && r->n < KEN_REFS_N_RECENT)
        r->n++;
    else if (at == r->n)
        at--; // the oldest is forgotten
    memmove(r->slots + 1, r->slots, at * sizeof *r->slots);
    r->slots[0] = slot;
}

#endif
