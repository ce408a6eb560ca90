// SPDX-License-Identifier: MIT
// store_facts.h -- the stored form of facts: bytes that any machine reads.
//
// Kinds, types and `lang` are kept as numbers: who renumbers them raises ken_content_key.feature.
// All are functions of their input; any thread that has a ken_zip of its own.
#ifndef KEN_STORE_STORE_FACTS_H
#define KEN_STORE_STORE_FACTS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "model/facts.h"
#include "store/store_zip.h"

enum {
    KEN_FACTS_MAX_BYTES = 64 * 1024 * 1024
};

// Appends to `out`. Names are cut at 64 KiB.
void ken_facts_pack(const ken_facts *facts, ken_buf *out);
// Puts packed facts that are large enough into their compressed form, for the store.
void ken_facts_compress(ken_zip *zip, ken_buf *packed);
// Either form. Checks everything (counts, spans, lines, parents): KEN_ECORRUPT. Names are copied to
// the arena.
ken_status ken_facts_unpack(ken_zip *zip, ken_str packed, ken_arena *arena, ken_facts *out,
                            ken_err *err) KEN_MUST_USE;

#endif
