// SPDX-License-Identifier: MIT
// recall.h -- short texts found again by their words and by what they mean: tasks, checkpoints,
// rules.
//
// Everything is in memory; the owner of the texts adds them once, and then those that changed. Words
// are those of `lexical`: identifiers split, stems, no stop words; meaning is the cosine between
// the question and the text in the built-in model. The score of a text is
//     KEN_RECALL_WORDS * words + (1 - KEN_RECALL_WORDS) * max(0, meaning)
// where `words` is its BM25F over title and body, as a share of what this question could reach, or
// 1 when its title is the question. Texts of one score come with the larger id first. Equal texts
// give equal answers, whatever was put and removed before; of more than 8,192 texts those far from
// the question in both words and meaning may be passed over.
//
// Ownership: a recall copies nothing but what it counts; hits live in the arena given. Threads: one
// at a time, questions too. Errors: none; any bytes are a text, and what is beyond a bound is not
// looked at.
#ifndef KEN_RECALL_RECALL_H
#define KEN_RECALL_RECALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum {
    KEN_RECALL_TEXT_MAX = 64 << 10, // bytes of a body
    KEN_RECALL_TITLE_MAX = 2000,    // bytes of a title
    KEN_RECALL_QUERY_MAX = 2000,    // bytes of a question
    KEN_RECALL_TEXTS_MAX = 8 << 20, // texts; no more are taken
    KEN_RECALL_FACETS_MAX = 250,    // of one kind, of one filter
};

#define KEN_RECALL_WORDS 0.55

typedef struct ken_recall ken_recall;

ken_recall *ken_recall_new(void) KEN_MUST_USE; // with the built-in model
void ken_recall_free(ken_recall *r);
// Adds, or replaces the text of that id. Words of the title count more.
void ken_recall_put(ken_recall *r, int64_t id, ken_str title, ken_str body);
// Gives a text a facet, a number of the owner's for filters: a status, a tag. A text that
// is put in again has none.
void ken_recall_mark(ken_recall *r, int64_t id, uint32_t facet);
void ken_recall_remove(ken_recall *r, int64_t id); // absent is fine
size_t ken_recall_count(const ken_recall *r);
size_t ken_recall_bytes(const ken_recall *r); // memory of the texts and their lists

typedef struct ken_recall_hit {
    int64_t id;
    double score;   // orders, 0..1; 1 when the title is the question
    double words;   // share of the words, 0..1
    double meaning; // cosine
} ken_recall_hit;

// Which texts may be in the answer: those that have each facet of `all`, one of `any`, when there
// are some, and none of `none`. At most KEN_RECALL_FACETS_MAX in each.
typedef struct ken_recall_filter {
    const uint32_t *all, *any, *none;
    size_t n_all, n_any, n_none;
} ken_recall_filter;

// The best `limit` texts that pass (`filter` NULL = all do), best first; returns how many. Those
// that share neither words nor meaning are no answer.
size_t ken_recall_search(ken_recall *r, ken_str query, const ken_recall_filter *filter,
                         size_t limit, ken_arena *arena, ken_recall_hit **out);

// The similarity that is shown for a cosine: max(0, 1 - d / 2) of the distance d = 1 - cosine.
double ken_recall_relevance(double cosine);

#endif
