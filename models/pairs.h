// SPDX-License-Identifier: MIT
// pairs.h -- what the extractor writes and the trainer reads: words, files and pairs.
//
// A pair says "this question is answered by that piece of code". The code is a bag of words; the
// words of its file's path are kept once.
//
// words.txt: one word a line, its number is the line's. pairs.bin: 32-bit values in the machine's
// order, records one after another, each `tag, repository | type` and lists (a count, then its
// values).
#ifndef KEN_MODELS_PAIRS_H
#define KEN_MODELS_PAIRS_H

#include <stdint.h>

enum {
    PAIRS_TAG_FILE = 0x46494c45, // tag, repository, path[]
    PAIRS_TAG_PAIR = 0x50414952, // tag, type, query[], content[]; of the last file
};

// A value of `path` and `content` is word << PAIRS_COUNT_BITS | count.
enum {
    PAIRS_COUNT_BITS = 8,
    PAIRS_COUNT_MAX = 255,
};

typedef enum pairs_type {
    PAIRS_DOC,     // doc comment -> definition
    PAIRS_NAME,    // name -> body
    PAIRS_PATH,    // words of the path -> chunk
    PAIRS_SECTION, // heading -> section
    PAIRS_COMMENT, // comment inside a body -> the lines that follow
    PAIRS_HEADER,  // what a file says of itself -> its first lines
    PAIRS_TEST,    // name of a test -> its body
    PAIRS_TYPES
} pairs_type;

#endif
