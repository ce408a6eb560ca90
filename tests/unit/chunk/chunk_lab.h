// SPDX-License-Identifier: MIT
// chunk_lab.h -- from a text to its chunks in one call, checked as every text's chunks must be.
#ifndef KEN_TESTS_UNIT_CHUNK_CHUNK_LAB_H
#define KEN_TESTS_UNIT_CHUNK_CHUNK_LAB_H

#include "base/arena.h"
#include "base/buf.h"
#include "chunk/chunk.h"
#include "symbol/symbol.h"

typedef struct chunk_lab {
    ken_arena arena;
    ken_extraction x;
    ken_str text;
    uint32_t *lines;
    uint32_t n_lines;
    ken_chunk *chunks;
    uint32_t n_chunks;
} chunk_lab;

// Parses, extracts, cuts and checks. KEN_LANG_TEXT is cut without tree and symbols.
void lab_cut(chunk_lab *lab, ken_lang_id lang, ken_str text, const ken_chunk_opts *opts);
void lab_release(chunk_lab *lab);

// "1-3 function f; 4-9 class A"
const char *lab_chunks(ken_lang_id lang, const char *text, const ken_chunk_opts *opts);

#endif
