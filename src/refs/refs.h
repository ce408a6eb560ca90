// SPDX-License-Identifier: MIT
// refs.h -- from a syntax tree and its definitions to what it says with names (model/refs.h).
//
// A second way along the trail of the tree, by the reference table of its language
// (lang/README.md). Nothing is looked up outside the file. Nothing is recursive over the tree, and
// what one file may give is bounded; beyond a bound nothing more is recorded.
//
// Ownership: a maker keeps its memory from file to file; results live in an arena, names point into
// the text or the arena. Threads: a maker belongs to one at a time.
#ifndef KEN_REFS_REFS_H
#define KEN_REFS_REFS_H

#include <tree_sitter/api.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/buf.h"
#include "lang/lang_ref_rules.h"
#include "lang/lang_trail.h"
#include "model/refs.h"

typedef struct ken_refs_maker ken_refs_maker;

enum {
    KEN_MAX_REFS = 1 << 20 // places of one file; as many expressions
};

ken_refs_maker *ken_refs_maker_new(void) KEN_MUST_USE;
void ken_refs_maker_free(ken_refs_maker *m);

// A file begins. `symbols` are all of it, with spans as ken_symbol_finish leaves them; they, the
// text and the arena must live until ken_refs_finish.
void ken_refs_begin(ken_refs_maker *m, ken_str text, const ken_symbol *symbols, uint32_t n_symbols,
                    ken_arena *arena);
// Byte offsets, ascending, of macro names that the text was parsed without (ken_parser_left_out), so the
// file's tree has no nodes for them; each is recorded as a read. `bytes` must live until ken_refs_finish.
void ken_refs_leave_out(ken_refs_maker *m, const uint32_t *bytes, uint32_t n);
// Adds what one of its trees tells: of the file, or of a language embedded in it. Symbols
// [first, end) are those that were found in this tree.
void ken_refs_extract(ken_refs_maker *m, const ken_ref_rules *rules, ken_trail_part trail,
                      uint32_t first, uint32_t end);
// What was found in all of them. Without a tree everything is empty but `defs`.
void ken_refs_finish(ken_refs_maker *m, ken_refs *out);

// One line for each place, binding, base, implied definition and literal, and for each definition
// of which something is known: "12:5 call member(self(Server), start)". In a stable order.
void ken_refs_dump(const ken_refs *refs, const ken_symbol *symbols, uint32_t n_symbols,
                   ken_str text, ken_buf *out);

#endif
