// SPDX-License-Identifier: MIT
// rows.h -- rows that a database keeps of contents beside what the program reads: their text, symbols, references,
// vectors. A run makes them with a content; one that came in another way (from a file, a bundle, under other settings) may
// lack some. A file keeps none, and lacks none.
//
// Ownership: what is loaded lives in the arena passed. Threads and errors: as store.h.
#ifndef KEN_STORE_ROWS_H
#define KEN_STORE_ROWS_H

#include "store/store.h"

// The value of a tree that says what its contents have.
#define KEN_STORE_ROWS_KEPT "rows.kept"

// Contents of the newest generation that lack rows which settings want.
typedef struct ken_store_lacking {
    int64_t *contents; // lack rows that are made of facts and text; sorted
    size_t n_contents;
    int64_t *vectors; // have chunks, and no vectors of any model; sorted
    size_t n_vectors;
    bool is_known; // nobody need look again until settings change, or the value is removed
} ken_store_lacking;

// `*out` is all zeros but is_known once that was noted.
ken_status ken_store_find_lacking(ken_store *s, ken_arena *arena, ken_store_lacking *out,
                                  ken_err *err) KEN_MUST_USE;
// What was found lacking has been looked for.
ken_status ken_store_note_rows(ken_store *s, ken_err *err) KEN_MUST_USE;

// Of one content: its facts, and of `packed` refs, text and language.
typedef struct ken_store_rows {
    int64_t content;
    ken_facts facts;
    ken_packed packed;
} ken_store_rows;

// In the place of those that there are.
ken_status ken_store_put_rows(ken_store *s, const ken_store_rows *rows, size_t n, ken_err *err)
    KEN_MUST_USE;
// The texts of several contents, as ken_store_load_text; without a pointer where there is none.
ken_status ken_store_load_texts(ken_store *s, const int64_t *contents, size_t n, ken_arena *arena,
                                ken_str *out, ken_err *err) KEN_MUST_USE;

// ---- what a backend implements (store_ops.h) ---------------------------------------------------
// clang-format off
#define KEN_STORE_ROW_SLOTS(X)                                                                   \
    X(find_lacking, READ, (ken_arena *arena, ken_store_lacking *out, ken_err *err), (arena, out, \
      err), NOTHING)                                                                             \
    X(note_rows, WRITE, (ken_err *err), (err), NOTHING)                                          \
    X(put_rows, WRITE, (const ken_store_rows *rows, size_t n, ken_err *err), (rows, n, err),     \
      NUMBER(n))                                                                                 \
    X(load_texts, PLAIN, (const int64_t *contents, size_t n, ken_arena *arena, ken_str *out,     \
      ken_err *err), (contents, n, arena, out, err), NUMBER(n))
// clang-format on

#endif
