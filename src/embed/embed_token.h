// SPDX-License-Identifier: MIT
// embed_token.h -- texts to the numbers that BERT-like models read (WordPiece).
//
// As Hugging Face's BERT tokenizer does it: control characters out, white space to spaces, CJK
// characters apart; canonical decomposition, accents off, lower case (for uncased models); words
// cut at spaces and punctuation; each word is the longest pieces of the vocabulary, from the left.
// Names of special tokens inside a text are text, not special tokens.
//
// Ownership: the tokenizer owns its vocabulary. Threads: it never changes once loaded, so any
// number may use it. Errors: KEN_ENOTFOUND, KEN_ELIMIT, KEN_ECORRUPT for a file that is none,
// KEN_EUNSUPPORTED for a tokenizer of another family.
#ifndef KEN_EMBED_EMBED_TOKEN_H
#define KEN_EMBED_EMBED_TOKEN_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/str.h"

typedef struct ken_wordpiece ken_wordpiece;

enum {
    KEN_WORDPIECE_FILE_MAX = 16 * 1024 * 1024,
    KEN_WORDPIECE_WORD_MAX = 100, // characters; a longer word is unknown
};

// vocab.txt (one piece a line, uncased), or tokenizer.json, which also defines the normalisation.
ken_status ken_wordpiece_load(const char *path, ken_wordpiece **out, ken_err *err) KEN_MUST_USE;
// The same for the text of such a file: JSON when it begins with '{'. `name` is for messages.
ken_status ken_wordpiece_parse(ken_str text, const char *name, ken_wordpiece **out, ken_err *err)
    KEN_MUST_USE;
void ken_wordpiece_free(ken_wordpiece *t);

// The numbers of `text` between those of start and end, at most `max` (at least 2) of them in all:
// what does not fit is cut off. Returns how many.
size_t ken_wordpiece_run(const ken_wordpiece *t, ken_str text, int64_t *out, size_t max);
int64_t ken_wordpiece_pad(const ken_wordpiece *t); // fills the shorter texts of a batch
size_t ken_wordpiece_size(const ken_wordpiece *t); // every number is below

#endif
