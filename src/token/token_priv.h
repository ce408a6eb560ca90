// SPDX-License-Identifier: MIT
// token_priv.h -- what characters beyond ASCII are to a tokenizer.
#ifndef KEN_TOKEN_TOKEN_PRIV_H
#define KEN_TOKEN_TOKEN_PRIV_H

#include <stdint.h>

enum {
    KEN_TOKEN__OTHER, // marks, pictures, digits of other scripts
    KEN_TOKEN__LETTER,
    KEN_TOKEN__SPACE,
};

// By blocks, `code` >= 0x80: a letter or a mark on one, white space, or something else.
int ken_token__kind_of(uint32_t code);

#endif
