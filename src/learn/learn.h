// SPDX-License-Identifier: MIT
// learn.h -- from the bytes of a file to its facts and references: parse, walk twice, cut.
//
// The one place where a language, its symbols and the chunker meet, so that the index and an answer
// that finds a file changed say the same of it.
//
// Ownership: results live in the arena; names point into `text`. Threads: a learner belongs to one.
#ifndef KEN_LEARN_LEARN_H
#define KEN_LEARN_LEARN_H

#include "base/arena.h"
#include "base/cancel.h"
#include "chunk/chunk.h"
#include "lang/lang.h"
#include "model/facts.h"
#include "model/refs.h"

typedef struct ken_learner ken_learner;

ken_learner *ken_learner_new(void) KEN_MUST_USE;
void ken_learner_free(ken_learner *l);

// The sizes of the chunks from here on; without it the defaults.
void ken_learner_set_chunks(ken_learner *l, const ken_chunk_opts *opts);

// Memory that it keeps from one text for the next, instead of some MiB.
void ken_learner_limit(ken_learner *l, size_t keep_bytes);

// Never fails: a text that cannot be parsed in time is cut by lines, and says so. `cancel` may be
// NULL; so may `out_refs`, which saves their cost.
void ken_learn(ken_learner *l, ken_lang_id lang, ken_str text, const ken_cancel *cancel,
               ken_arena *arena, ken_facts *out, ken_refs *out_refs);
// Comments of the last text, in order; borrowed until the next one.
const ken_span *ken_learner_comments(const ken_learner *l, size_t *out_n);

#endif
