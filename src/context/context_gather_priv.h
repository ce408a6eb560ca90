// SPDX-License-Identifier: MIT
// context_gather_priv.h -- files and pieces while they are collected for a pack.
#ifndef KEN_CONTEXT_CONTEXT_GATHER_PRIV_H
#define KEN_CONTEXT_CONTEXT_GATHER_PRIV_H

#include "context/context_pack.h"
#include "query/query.h"

enum {
    CONTEXT_FILES_MAX = 100,
    CONTEXT_PIECES_MAX = 400
};

// Lines of a definition itself, without its comment and in full.
typedef struct context_lines {
    uint32_t first, last;
} context_lines;

// What exceeds a maximum is passed over: it would be the least of it.
typedef struct context_gather {
    ken_snapshot *s;
    ken_arena *arena;
    ken_file_view views[CONTEXT_FILES_MAX];
    ken_context_file files[CONTEXT_FILES_MAX]; // text repaired to UTF-8
    size_t n_files;
    ken_context_piece pieces[CONTEXT_PIECES_MAX];
    context_lines own[CONTEXT_PIECES_MAX]; // of each piece
    size_t n_pieces;
} context_gather;

// A definition, as an answer named it: it is looked for in the file as it stands.
typedef struct context_name {
    ken_str path;
    ken_str qualified;
    uint32_t first_line;
} context_name;

// Its place among the files, -1 when it cannot be read.
int64_t ken_context__file(context_gather *g, ken_str path);
// The whole definition with its comment; a long one by what stands before its body. False when it
// is not there any more.
bool ken_context__add_definition(context_gather *g, const context_name *name, ken_context_kind kind,
                                 uint32_t priority);
// The code that a search found: the definition it is in, or the lines alone.
void ken_context__add_hit(context_gather *g, const ken_hit *hit, ken_context_kind kind,
                          uint32_t priority);
// Where the file imports what the definition of this piece uses; nothing when it uses nothing of it.
void ken_context__add_imports(context_gather *g, size_t piece, uint32_t priority);
// The next name from `*at` on that is written as in code, with its qualifiers; false at the end.
bool ken_context__next_name(ken_str question, size_t *at, ken_str *out);

#endif
