// SPDX-License-Identifier: MIT
// rule_documents.h -- what the last indexing of a project's rules saw: its documents and their
// rules.
//
// Derived from files and replaced as a whole: who answers with a rule reads its document, and takes
// from here only which there were, when, and how many rules each had.
//
// Ownership: what is loaded lives in the arena passed. Threads and errors: as store.h.
#ifndef KEN_STORE_RULE_DOCUMENTS_H
#define KEN_STORE_RULE_DOCUMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/str.h"
#include "model/rule.h"

typedef struct ken_store ken_store;

typedef struct ken_rule_document_row {
    ken_str path; // relative to the root
    ken_rule_kind kind;
    ken_sha256 sha;
    uint64_t n_bytes;
    int64_t mtime_ns;
    double weight;
    int64_t indexed_at_ms;
    const ken_rule *rules; // given when it is stored: heading, text and lines; not loaded
    size_t n_rules;
} ken_rule_document_row;

// Puts `rows` in the place of all documents. Two of one path: KEN_EEXIST. A write transaction is
// open.
ken_status ken_store_replace_rule_documents(ken_store *s, const ken_rule_document_row *rows,
                                            size_t n, ken_err *err) KEN_MUST_USE;
// Sorted by path, byte order.
ken_status ken_store_load_rule_documents(ken_store *s, ken_arena *arena,
                                         ken_rule_document_row **out, size_t *out_n, ken_err *err)
    KEN_MUST_USE;

// The rules of one, in order: heading, text and lines. None when it is not there.
ken_status ken_store_load_rules(ken_store *s, ken_str path, ken_arena *arena, ken_rule **out,
                                size_t *out_n, ken_err *err) KEN_MUST_USE;

// ---- what a backend implements (store_ops.h) ---------------------------------------------------
// X(slot, door, (parameters), (arguments), what a trace shows)
// clang-format off
#define KEN_STORE_RULE_SLOTS(X)                                                                  \
    X(replace_rule_documents, OWN, (const ken_rule_document_row *rows, size_t n, ken_err         \
      *err), (rows, n, err), NUMBER(n))                                                          \
    /* Without the rules themselves. */                                                          \
    X(load_rule_documents, READ, (ken_arena *arena, ken_rule_document_row **out, size_t          \
      *out_n, ken_err *err), (arena, out, out_n, err), NOTHING)                                  \
    X(load_rules, READ, (ken_str path, ken_arena *arena, ken_rule **out, size_t *out_n, ken_err  \
      *err), (path, arena, out, out_n, err), TEXT(path, 0))
// clang-format on

#endif
