// SPDX-License-Identifier: MIT
// sentence.h -- the first sentence of a doc comment, and a question made of it.
//
// Ownership: what is written to a buffer or map is the caller's. Threads:
// pure functions of their input.
#ifndef BENCH_WITHHELD_SENTENCE_H
#define BENCH_WITHHELD_SENTENCE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/map.h"

// Replaces what `out` held by the comment's first sentence on one line, without marks, tags and
// full stop. False when there is none of 5 to 28 words of plain English, or when it says nothing of
// its own ("Gets or sets ...", "TODO ...").
bool sentence_of(ken_str comment, ken_buf *out);

// Adds the stems of all parts of all tokens, and each token's parts written as one word.
void add_stems(ken_map *stems, ken_str text);

// Replaces what `out` held by the words of the sentence that share no stem with `withheld`. False
// when fewer than 4 are left, or fewer than 2 that are no stop words.
bool question_of(ken_str sentence, ken_map *withheld, ken_buf *out);

// Appends the tokens of the text in small letters, each between two spaces.
void put_tokens(ken_str text, ken_buf *out);

#endif
