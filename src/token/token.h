// SPDX-License-Identifier: MIT
// token.h -- identifiers, words and numbers: found in text, and cut into their parts.
//
// A token is a run of letters, digits, '_', '$' and bytes from 0x80. Its parts are its words:
// `HTTPServer` is http and server, `getURLs` get and urls. Case is folded here and nowhere else, so
// that a question meets the text: ASCII, and the two-byte letters of the Latin, Greek and Cyrillic
// scripts whose small form has two bytes as well.
//
// Ownership: tokens borrow from the text, parts are values. Threads: any. Errors: none; any bytes
// are tokens of something.
#ifndef KEN_TOKEN_TOKEN_H
#define KEN_TOKEN_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum {
    KEN_TOKEN_MAX = 96,
    KEN_TOKEN_PARTS = 16
};

// The class of a byte in a token, 0 when it ends one. A number ends at '_' and '$' too.
enum {
    KEN_TOKEN_NONE,
    KEN_TOKEN_UPPER,
    KEN_TOKEN_LOWER,
    KEN_TOKEN_DIGIT,
    KEN_TOKEN_MARK,  // '_' and '$'
    KEN_TOKEN_OTHER, // bytes from 0x80
};

extern const uint8_t ken_token_classes[256];

typedef struct ken_token_parts {
    char text[KEN_TOKEN_MAX + 1]; // folded, parts one after the other
    struct {
        uint8_t start, len; // of the part, unstemmed
    } part[KEN_TOKEN_PARTS];
    uint32_t n_parts;
    bool is_compound; // more than one part
} ken_token_parts;

static inline uint8_t ken_token_class(char c)
{
    return ken_token_classes[(unsigned char)c];
}

// Takes the next identifier, word or number off the front of `rest`; false at the end.
bool ken_token_next(ken_str *rest, ken_str *out_token);
// Splits at '_', '$', case and digits; drops single letters; keeps digits.
void ken_token_split(ken_str token, ken_token_parts *out);
// Small letters for capitals, in place: the length stays.
void ken_token_fold(char *text, size_t len);

#endif
