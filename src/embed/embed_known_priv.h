// SPDX-License-Identifier: MIT
// embed_known_priv.h -- what is known of models by their names: prefixes, limits, pooling.
#ifndef KEN_EMBED_EMBED_KNOWN_PRIV_H
#define KEN_EMBED_EMBED_KNOWN_PRIV_H

#include "embed/embed.h"

typedef struct embed_known {
    const char *name; // the name's beginning, lower case, without an owner ("baai/")
    const char *document_prefix, *query_prefix;
    size_t max_tokens;
    ken_embed_pooling pooling;
    size_t dims; // of every model of that name; 0 = they differ
} embed_known;

// Never NULL: a row without a name is the default for any model.
const embed_known *ken_embed__known(const char *model);

#endif
