// SPDX-License-Identifier: MIT
// secret.h -- finds secrets in text and overwrites them, at the door where bytes become text: files,
// commit subjects, diffs, log lines. Kinds and rules are one table, secret_rules_priv.h; README.md has
// what is found and what is not.
//
// Ownership: works in place, allocates nothing that outlives the call. Threads: pure functions.
// Errors: none; any bytes are accepted.
#ifndef KEN_SECRET_SECRET_H
#define KEN_SECRET_SECRET_H

#include <stddef.h>

#include "base/str.h"
#include "secret/secret_kinds.h"

typedef enum ken_secret_kind {
    KEN_SECRET_NONE = 0,
#define X(name, word, title) KEN_SECRET_##name,
    KEN_SECRET_KINDS(X)
#undef X
    KEN_SECRET_COUNT
} ken_secret_kind;

// "github-token": stable, for lists and JSON. "" when there is no such kind.
const char *ken_secret_word(ken_secret_kind kind);
// "GitHub token": for people.
const char *ken_secret_title(ken_secret_kind kind);

// Overwrites every secret with '*', keeping lengths and line breaks, so that spans stay right.
// Returns the number of places masked; masking again finds nothing. Mask whole files and cut
// afterwards: lines from the middle of a key do not show what they are.
size_t ken_secret_mask(char *text, size_t len);

// One masked place: bytes [start, end), line breaks inside it were kept. Places may come in any
// order and never overlap.
typedef struct ken_secret_place {
    size_t start, end;
    ken_secret_kind kind;
} ken_secret_place;

typedef void (*ken_secret_fn)(void *ctx, const ken_secret_place *place);

// As above, and calls back for each place.
size_t ken_secret_mask_each(char *text, size_t len, ken_secret_fn fn, void *ctx);

#endif
