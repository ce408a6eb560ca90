// SPDX-License-Identifier: MIT
// context_pack.h -- pieces of files into a budget of tokens.
//
// A piece is a range of lines that somebody thought worth showing, with how much so. The pack takes
// pieces in order of their priority while they fit, so that no line is there twice: what overlaps,
// or stands at most three lines apart, becomes one part. What does not fit is there by its
// signature, when it has one; what alone is larger than the budget is cut at a line. The budget is
// never exceeded, by ken_count_tokens of exactly what is printed.
//
// What was sent before need not be sent again: a pack says in a short text, `seen`, what it holds,
// and the next one that is given it refers to those pieces instead. Nothing else is remembered.
//
// Ownership: files and pieces are borrowed while packing and by the result; all else lives in the
// arena. Threads: any. Errors: KEN_EINVAL for a `seen` that is none.
#ifndef KEN_CONTEXT_CONTEXT_PACK_H
#define KEN_CONTEXT_CONTEXT_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

// name, word: why a piece is there
#define KEN_CONTEXT_KIND_TABLE(X) \
    X(DEFINITION, "definition")   \
    X(MATCH, "match")             \
    X(CALLER, "caller")           \
    X(CALLEE, "callee")           \
    X(TYPE, "type")               \
    X(IMPORT, "import")           \
    X(TEST, "test")               \
    X(DOC, "doc")

typedef enum ken_context_kind {
    KEN_CONTEXT_NONE = 0,
#define X(name, word) KEN_CONTEXT_##name,
    KEN_CONTEXT_KIND_TABLE(X)
#undef X
    KEN_CONTEXT_KIND_COUNT
} ken_context_kind;

const char *ken_context_kind_word(ken_context_kind kind); // "" for none

typedef struct ken_context_file {
    ken_str path;
    ken_str text; // all of it, as it is to be quoted
} ken_context_file;

typedef struct ken_context_piece {
    uint32_t file;                  // index into the files
    uint32_t first_line, last_line; // 0-based, inclusive; beyond the file's end is cut off
    uint32_t priority;              // 0 goes first; equal ones in the order given
    ken_context_kind kind;
    ken_str symbol;    // may be empty
    ken_str signature; // one line; may be empty
} ken_context_piece;

typedef enum ken_context_form {
    KEN_CONTEXT_LINES = 0,
    KEN_CONTEXT_SIGNATURE, // the lines did not fit
    KEN_CONTEXT_SEEN,      // sent before, and unchanged
} ken_context_form;

typedef struct ken_context_part {
    ken_str path;
    uint32_t first_line, last_line; // 0-based, inclusive; of SIGNATURE, those it stands for
    uint32_t n_cut_lines;           // that would follow
    uint32_t priority;              // the best of its pieces
    uint32_t kinds;                 // of all its pieces: 1 << kind
    ken_context_form form;
    ken_str symbol; // of its best piece
    ken_str text;   // lines or signature; empty when seen
    uint32_t n_tokens;
} ken_context_part;

typedef struct ken_context_input {
    const ken_context_file *files;
    size_t n_files;
    const ken_context_piece *pieces;
    size_t n_pieces;
} ken_context_input;

typedef struct ken_context_pack_opts {
    uint32_t max_tokens;
    ken_str seen;           // of an earlier pack, or empty
    bool is_priority_order; // parts best first, not by file and line
} ken_context_pack_opts;

typedef struct ken_context {
    ken_context_part *parts; // files in the order of their best part, lines ascending
    size_t n_parts;
    ken_str text;      // the parts as printed
    uint32_t n_tokens; // of `text`, at most max_tokens
    ken_str seen;      // this pack and those before it
    size_t n_left_out; // pieces for which there was no room at all
} ken_context;

ken_status ken_context_pack(const ken_context_input *in, const ken_context_pack_opts *opts,
                            ken_arena *arena, ken_context *out, ken_err *err) KEN_MUST_USE;

#endif
