// SPDX-License-Identifier: MIT
// store_refs.h -- the stored form of references: bytes that any machine reads.
//
// Ops, roles and kinds are stored as numbers: renumbering them requires a higher ken_content_key.feature.
// References depend on the facts of the same content: names of symbols are not stored twice, so packing
// and unpacking take the facts.
//
// Threads: a packer belongs to one thread at a time; unpacking is a function of its input.
#ifndef KEN_STORE_STORE_REFS_H
#define KEN_STORE_STORE_REFS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "model/facts.h"
#include "model/refs.h"
#include "store/store_zip.h"

enum {
    KEN_REFS_MAX_BYTES = 64 * 1024 * 1024
};

// Scratch that is kept from one file to the next.
typedef struct ken_refs_packer ken_refs_packer;

ken_refs_packer *ken_refs_packer_new(void) KEN_MUST_USE;
void ken_refs_packer_free(ken_refs_packer *p);

// Appends to `out`; nothing at all without references, or with more than KEN_REFS_MAX_BYTES of them.
// Names are cut at 64 KiB, and what an expression's op has no use for is not kept.
void ken_refs_pack(ken_refs_packer *p, const ken_refs *refs, const ken_facts *facts, ken_buf *out);
// Checks everything (indexes, order, places, sizes): KEN_ECORRUPT. No bytes at all are empty
// refs. `exprs` always has its NONE, `defs` one for each definition. Names live in the arena
// or are those of the facts' symbols; equal names have one pointer.
ken_status ken_refs_unpack(ken_zip *zip, ken_str packed, const ken_facts *facts, ken_arena *arena,
                           ken_refs *out, ken_err *err) KEN_MUST_USE;

#endif
